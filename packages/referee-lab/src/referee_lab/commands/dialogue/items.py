"""`referee dialogue items`: every reference of dialogues as a trial of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.errors import InputError
from referee_lab.commands import options
from referee_lab.commands.tangram.sources import DialogueSource, format_count, open_source

app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee dialogue items pento-cv --out items.jsonl

  referee run --corpus items.jsonl --folds-by game --systems dialogue/that,dialogue/as-last-time --out speakers

  referee listen speakers --hearer dialogue/resolver

  referee score speakers --cluster game                intervals for new pairs
""")
)
def items(
    dialogues: Annotated[str, typer.Argument(help="Dialogues: a file, a folder, or the name of a corpus.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The corpus to write (.jsonl).", show_default=False)],
    speakers: Annotated[str | None, typer.Option(help="Whose references: names or roles with commas (default: everybody's).")] = None,
    tiers: options.TierMap = None,
    annotator: options.Annotator = None,
    data: options.Data = None,
) -> int:  # fmt: skip
    """Write a trial for every marked reference: the objects at that moment, the dialogue before it, the target, the
    words.

    The field game of meta is the pair, so that `--cluster game` gives intervals for new pairs.
    """
    from referee.corpora.jsonl import trials_to_json, write_json_line
    from referee.files import write_atomically
    from referee_lab.tangram.models.dialogue_items import count_unusable_references, iterate_dialogue_items

    if out.suffix != ".jsonl":
        raise InputError(f"{out.name} does not end in .jsonl", remedy="a corpus of trials is a .jsonl file")
    name, sources = open_source(dialogues, DialogueSource(data=data, tiers=tiers, annotator=annotator))
    names = None if speakers is None else {part.strip() for part in speakers.split(",") if part.strip()}
    roles = {event.by for dialogue in sources for event in dialogue.select_tier("expression")}
    if names is not None and not names <= roles:
        raise InputError(
            f"no speaker is called {min(names - roles)!r}", remedy=f"--speakers: {', '.join(sorted(map(str, roles)))}"
        )
    trials = [t for d in sources for t in iterate_dialogue_items(d) if names is None or t.meta["role"] in names]
    if not trials:
        raise InputError(
            "no reference can become an item", where=name, remedy=f"`referee dialogue check {dialogues}` says why"
        )
    write_atomically(out, [write_json_line(row) for row in trials_to_json(trials)])
    pairs = format_count(len({t.meta["game"] for t in trials}), "pair")
    dialogue_count = format_count(len(sources), "dialogue")
    print(f"Wrote {out}: {format_count(len(trials), 'item')} of {dialogue_count} and {pairs} from {name}.")
    for reason, n in count_unusable_references(sources).items():
        print(f"  references {reason}: {n:,}")
    if lacks := sorted({what for d in sources for what in d.lacks}):
        print(f"  the source lacks {', '.join(lacks)}")
    return 0
