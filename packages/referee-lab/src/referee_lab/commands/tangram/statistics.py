"""`referee tangram statistics`: statistics of a corpus of dialogues, as in Table 2 of Spanger et al. 2013."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from referee.options import command
from referee_lab.commands import options
from referee_lab.commands.tangram.sources import (
    DialogueSource,
    align_columns,
    open_dialogues,
    open_source,
    print_results,
)

if TYPE_CHECKING:
    from referee_lab.tangram.models.corpus_statistics import CorpusStatistics


app = options.make_app()


EPILOG = options.examples(f"""
  referee tangram statistics --corpus {options.PENTO_CV}

  referee tangram statistics --recordings SESSIONS/ --format json
""")


@command(app, DialogueSource, EPILOG)
def statistics(source: DialogueSource) -> int:
    """Dialogues, utterances, actions; expressions by speaker and by kind, beside the printed counts."""
    from referee_lab.tangram.models.corpus_statistics import count_corpus
    from referee_lab.tangram.tiers.dialogue import has_described_objects

    if source.corpus == options.KTH and source.count_sources() == 1 and source.annotator is None:
        # By utterance, as pronouns are found: a whole turn is hardly ever one.
        name, dialogues = open_source(source.corpus, source)
    else:
        name, dialogues = open_dialogues(source)
    counted = count_corpus(dialogues)
    lines = _format_lines(name, counted)
    if not counted.coded and not any(map(has_described_objects, dialogues)):
        lines.append("  The objects have no attributes, so no words for types are known.")
    return print_results(source.form, {"source": name, **asdict(counted)}, lambda: lines)


def _format_lines(name: str, c: CorpusStatistics) -> list[str]:
    """Return the statistics as lines of text."""
    from referee_lab.tangram.models.corpus_statistics import GROUPS, PRINTED
    from referee_lab.tangram.tiers.dialogue import ATTRIBUTES

    speakers = ", ".join(f"{n} {role}" for role, n in c.by_speaker.items())
    lines = [
        f"{name}: {c.dialogues} dialogues of {c.pairs} pairs, {c.minutes:.0f} minutes, {c.utterances} utterances, {c.actions} actions",
        f"  {c.expressions} expressions ({speakers}), {c.types} different ones: {c.one_piece} for one piece, {c.several} for several, {c.unclear} unclear",
        f"  pronouns by their words: {c.pronouns['demonstrative']} demonstrative, {c.pronouns['personal']} personal",
    ]
    if not c.coded and not c.by_words:
        return [*lines, "  the expressions carry no other codes: there is no table of kinds"]
    groups, counts = (c.groups, c.codes) if c.coded else (c.by_words, c.by_words)
    rows = [("kind", "tokens", "share", "printed")]
    for group, codes in GROUPS.items():
        kinds = [(group, group)]
        if len(codes) > 1:
            kinds += [(code, f"  {ATTRIBUTES[code]}") for code in codes if counts[code] or code in PRINTED]
        for kind, name in kinds:
            n = groups[kind] if kind == group else counts[kind]
            share = f"{n / c.expressions:.1%}" if c.expressions else "–"
            rows.append((name, str(n), share, str(PRINTED.get(kind, "–"))))
    return [
        *lines,
        "",
        *align_columns(rows),
        "",
        *([] if c.coded else ["  Kinds by the words of the expressions, which are not coded."]),
        "  printed: 1,242 expressions of the solver for one piece (Spanger et al. 2013, table 2)",
    ]
