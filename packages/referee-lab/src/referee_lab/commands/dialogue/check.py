"""`referee dialogue check`: the content of a dialogue file, its faults, and missing data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee_lab.commands import options
from referee_lab.commands.tangram.sources import (
    DialogueSource,
    format_count,
    open_source,
    print_results,
    proposed_tiers,
)

if TYPE_CHECKING:
    from referee_lab.tangram.tiers.dialogue import Dialogue


app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee dialogue check mugs.jsonl

  referee dialogue check theirs.eaf                    proposes a map of its tiers, for --tiers

  referee dialogue check theirs.TextGrid --tiers names.toml
""")
)
def check(
    file: Annotated[str, typer.Argument(help="A dialogue (.jsonl, .eaf, .TextGrid, .csv), a game (.json), a folder or a corpus.", show_default=False)],
    tiers: options.TierMap = None,
    data: options.Data = None,
    form: options.TextOrJson = "text",
) -> int:  # fmt: skip
    """Read dialogues and report their content: objects, events of each kind, references that can be items, and missing
    data.
    """
    options.check_form(form)
    name, dialogues = open_source(file, DialogueSource(data=data, tiers=tiers))
    facts = _collect_facts(name, dialogues)
    proposal = {} if tiers is not None else proposed_tiers(Path(file))
    if proposal:
        facts["proposed_tiers"] = proposal
    return print_results(form, facts, lambda: _format_lines(facts))


def _collect_facts(name: str, dialogues: Sequence[Dialogue]) -> dict[str, Any]:
    """Return the facts about dialogues as JSON values."""
    from referee_lab.tangram.models.dialogue_items import count_unusable_references, count_words_elsewhere
    from referee_lab.tangram.tiers.dialogue_form import KINDS

    unusable = count_unusable_references(dialogues)
    references = sum(len(d.select_tier("expression")) for d in dialogues)
    lacks = Counter(what for d in dialogues for what in dict.fromkeys((*d.lacks, *_list_missing_data(d))))
    return {
        "source": name,
        "dialogues": len(dialogues),
        "pairs": len({d.pair for d in dialogues}),
        "languages": dict(Counter(d.language for d in dialogues)),
        "objects": dict(Counter(len(d.pieces) for d in dialogues)),
        "events": {kind: sum(len(d.select_tier(kind)) for d in dialogues) for kind in KINDS},
        "speakers": dict(Counter(e.by or "" for d in dialogues for e in d.select_tier("expression"))),
        "items": references - sum(unusable.values()),
        "unusable": dict(unusable),
        "words_elsewhere": sum(map(count_words_elsewhere, dialogues)),
        "lacks": dict(lacks),
    }


def _list_missing_data(dialogue: Dialogue) -> list[str]:
    """Return the kinds of data that a dialogue lacks, whether or not its source declares it."""
    from referee_lab.tangram.tiers.dialogue import has_described_objects

    parts = [("positions", dialogue.select_tier("position")), ("actions", dialogue.select_tier("action"))]
    parts.append(("cursor or gaze", (*dialogue.select_tier("mouse"), *dialogue.select_tier("gaze"))))
    missing = [what for what, events in parts if not events]
    if any(e.start_ms is None for kind in ("utterance", "expression") for e in dialogue.select_tier(kind)):
        missing.append("times")
    if not has_described_objects(dialogue):
        missing.append("attributes")
    return missing


def _format_lines(facts: dict[str, Any]) -> list[str]:
    """Return the facts as lines of text."""
    nouns = {"mouse": "cursor event", "gaze": "gaze event"}
    events = ", ".join(format_count(n, nouns.get(kind, kind)) for kind, n in facts["events"].items() if n)
    languages = ", ".join(facts["languages"])
    sizes = sorted(facts["objects"])
    objects = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 2 else " or ".join(map(str, sizes))
    lines = [
        f"{facts['source']}: {format_count(facts['dialogues'], 'dialogue')} of {format_count(facts['pairs'], 'pair')} ({languages}), "
        f"{objects} object{'' if objects == '1' else 's'} each",
        f"  events: {events or 'none'}",
        f"  references that can be items: {facts['items']:,}",
    ]
    lines += [f"  references {reason}: {n:,}" for reason, n in facts["unusable"].items()]
    if facts["words_elsewhere"]:
        lines.append(f"  references whose words are not in their utterance: {facts['words_elsewhere']:,}")
    for what, n in facts["lacks"].items():
        lines.append(
            f"  lacks {what}" + (f" ({n} of {facts['dialogues']} dialogues)" if n < facts["dialogues"] else "")
        )
    if facts.get("proposed_tiers"):
        lines += [
            "",
            "  Proposed map of tiers. Check it; as a .toml file it can be given to --tiers:",
        ]
        lines += [f'  "{name}" = "{new}"' for name, new in facts["proposed_tiers"].items()]
    return lines
