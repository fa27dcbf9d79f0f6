"""`referee tangram preannotate`: proposes annotations by rules, as those of another annotator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.progress import show_progress
from referee_lab.commands import options
from referee_lab.commands.tangram.recordings import open_session, read_sessions, refuse_second, write_annotation
from referee_lab.commands.tangram.sources import format_number

if TYPE_CHECKING:
    from referee_lab.tangram.tiers.expressions import SpanAgreement


app = options.make_app()


@app.command(
    epilog=options.examples(f"""
  referee tangram preannotate sessions/                         writes SESSION.program.annotations.jsonl beside each recording

  referee tangram preannotate sessions/ --words ours.toml       with words of your own for the pieces, or for another language

  referee tangram preannotate --corpus {options.PENTO_CV} --out pento    the dialogues of a corpus, put into pento/ first

  referee tangram agreement sessions/ --annotators program,ann  how much a person's annotation differs from it
""")
)
def preannotate(
    recordings: options.SomeRecordings = None,
    corpus: options.DialogueCorpus = None,
    only: options.OnlyDialogues = None,
    data: options.Data = None,
    out: options.CorpusOut = None,
    words: options.OwnWords = None,
    annotator: Annotated[str, typer.Option(help="The name the annotation gets.")] = "program",
) -> int:
    """Find referring expressions by rules, with referents from words, positions and current actions.

    Unclear referents are marked.

    The vocabulary is that of the session's language for its pieces. For sessions with gold references (bots, corpora)
    the output reports the agreement with them.
    """
    from referee_lab.tangram.tiers.annotations import extract_marks, make_annotation_path
    from referee_lab.tangram.tiers.dialogue import EXPRESSION
    from referee_lab.tangram.tiers.expressions import compare
    from referee_lab.tangram.tiers.expressions import preannotate as propose
    from referee_lab.tangram.tiers.piece_lexicon import find_lexicon, make_lexicon_error, read_words

    word_file = None if words is None else read_words(words)
    sessions, total, compared = read_sessions(recordings, corpus, data, only, out), 0, []
    wordless: dict[str, int] = {}
    bare: dict[str, set[str]] = {}
    for path in sessions:
        refuse_second(make_annotation_path(path, annotator))
    for path in show_progress(sessions, "recordings"):
        session = open_session(path)
        reference = session.dialogue
        lexicon = find_lexicon(reference.language, reference.pieces, word_file)
        if lexicon is None:
            wordless[reference.language] = wordless.get(reference.language, 0) + 1
            continue
        bare.setdefault(reference.language, set()).update(lexicon.without_words)
        proposed = propose(reference, session.positions(), word_file)
        write_annotation(path, annotator, reference, extract_marks(proposed), program=True)
        total += len(proposed.select_tier(EXPRESSION))
        compared += (
            [compare(reference, proposed)] if any("span" in e.data for e in reference.select_tier(EXPRESSION)) else []
        )
    if sum(wordless.values()) == len(sessions):
        raise make_lexicon_error(next(iter(wordless)))
    print(f"{annotator}: {total} expressions in {len(sessions) - sum(wordless.values())} recordings")
    for language, n in wordless.items():
        print(f"  {n} recordings left out: {make_lexicon_error(language)}")
    for language, shapes in bare.items():
        if shapes:
            print(_format_name_remark(language, sorted(shapes)))
    if compared:
        print(_summarise_agreement(compared))
    return 0


def _format_name_remark(language: str, shapes: list[str]) -> str:
    """Return a remark on pieces that keep their own names, because the language has no words for them.

    Empty without any.
    """
    return (
        f"  recognised by their names only: {', '.join(shapes)}; other words for them: "
        f'--words FILE with language = "{language}" and [shapes] {shapes[0]} = "…, …"'
    )


def _summarise_agreement(compared: list[SpanAgreement]) -> str:
    """Return a sentence on the agreement with gold references."""
    marked, proposed, same = (sum(c[place] for c in compared) for place in range(3))
    attributes, referents = sum(c.same_attributes for c in compared), sum(c.same_referents for c in compared)
    coded = any(c.coded for c in compared)
    shares = f"{attributes / same:.1%} have the same attributes and " if coded and same else ""
    agreed = (
        f"; of the {same} with the same span, {shares}{referents / same:.1%} have the same referents" if same else ""
    )
    f = 2 * same / (marked + proposed)
    return (
        f"beside the {marked} references that are annotated in the recordings: spans F {format_number(f)} "
        f"(precision {format_number(same / proposed if proposed else None)}, recall {format_number(same / marked)}){agreed}"
    )
