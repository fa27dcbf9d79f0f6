"""`referee tangram preannotate`: proposes annotations by rules, as those of another annotator."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from referee.cli.progress import show_progress
from referee.options import command, option
from referee_lab.commands import options
from referee_lab.commands.tangram.recordings import SessionOptions, open_session, refuse_second, write_annotation
from referee_lab.commands.tangram.sources import format_number

app = options.make_app()
EPILOG = options.examples(f"""
  referee tangram preannotate sessions/                         writes SESSION.program.annotations.jsonl beside each recording

  referee tangram preannotate sessions/ --words ours.toml       with words of your own for the pieces, or for another language

  referee tangram preannotate --corpus {options.PENTO_CV} --out pento    the dialogues of a corpus, put into pento/ first

  referee tangram agreement sessions/ --annotators program,ann  how much a person's annotation differs from it
""")


@dataclass
class PreannotateOptions(SessionOptions):
    """Options of `referee tangram preannotate`."""

    annotator: str = option("program", "The name the annotation gets.")


@command(app, PreannotateOptions, EPILOG)
def preannotate(chosen: PreannotateOptions) -> int:
    """Find referring expressions by rules, with referents from words, positions and current actions.

    Unclear referents are marked.

    The vocabulary is that of the session's language for its pieces. For sessions with gold references (bots, corpora)
    the output reports the agreement with them.
    """
    from referee_lab.tangram.tiers.annotations import extract_marks, make_annotation_path
    from referee_lab.tangram.tiers.dialogue import EXPRESSION
    from referee_lab.tangram.tiers.expressions import compare
    from referee_lab.tangram.tiers.expressions import preannotate as propose
    from referee_lab.tangram.tiers.piece_lexicon import find_lexicon, make_lexicon_error

    words, sessions, annotator = chosen.read_words(), chosen.find_sessions(), chosen.annotator
    total, compared = 0, []
    wordless = Counter[str]()
    bare: dict[str, set[str]] = {}
    for path in sessions:
        refuse_second(make_annotation_path(path, annotator))
    for path in show_progress(sessions, "recordings"):
        session = open_session(path)
        reference = session.dialogue
        lexicon = find_lexicon(reference.language, reference.pieces, words)
        if lexicon is None:
            wordless[reference.language] += 1
            continue
        bare.setdefault(reference.language, set()).update(lexicon.without_words)
        proposed = propose(reference, session.positions(), words)
        write_annotation(path, annotator, reference, extract_marks(proposed), program=True)
        total += len(proposed.select_tier(EXPRESSION))
        if any("span" in e.data for e in reference.select_tier(EXPRESSION)):
            compared.append(compare(reference, proposed))
    if wordless.total() == len(sessions):
        raise make_lexicon_error(next(iter(wordless)))
    print(f"{annotator}: {total} expressions in {len(sessions) - wordless.total()} recordings")
    for language, n in wordless.items():
        print(f"  {n} recordings left out: {make_lexicon_error(language)}")
    for language, shapes in bare.items():
        # Pieces that keep their own names, because the language has no words for them.
        if shapes:
            print(
                f"  recognised by their names only: {', '.join(sorted(shapes))}; other words for them: "
                f'--words FILE with language = "{language}" and [shapes] {min(shapes)} = "…, …"'
            )
    if compared:
        marked, proposals, same, attributes, referents = (sum(c[index] for c in compared) for index in range(5))
        shares = (
            f"{attributes / same:.1%} have the same attributes and " if any(c.coded for c in compared) and same else ""
        )
        shares += f"{referents / same:.1%} have the same referents" if same else ""
        print(
            f"beside the {marked} references that are annotated in the recordings: spans F {format_number(2 * same / (marked + proposals))} "
            f"(precision {format_number(same / proposals if proposals else None)}, recall {format_number(same / marked)})"
            + (f"; of the {same} with the same span, {shares}" if same else "")
        )
    return 0
