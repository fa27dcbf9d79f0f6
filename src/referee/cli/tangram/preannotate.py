"""`referee tangram preannotate`: what a program would mark, as an annotation of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import options
from referee.cli.progress import counting
from referee.cli.tangram.recordings import find_recordings, open_recording, write_annotation
from referee.cli.tangram.sources import number

if TYPE_CHECKING:
    from referee.situated.tiers.expressions import SpanAgreement

__all__ = ["app"]

app = options.new_app()


@app.command(
    epilog=options.examples("""
  referee tangram preannotate sessions/                         writes SESSION.program.annotations.jsonl beside each recording

  referee tangram agreement sessions/ --annotators program,ann  how far a person departs from it
""")
)
def preannotate(
    recordings: options.Recordings,
    annotator: Annotated[str, typer.Option(help="The name the annotation gets.")] = "program",
) -> int:
    """Expressions found by rules in English chat, with referents from words, places and what is going on; unclear ones are marked so.

    Where a recording knows its own references (bots), it is told how often the program finds them.
    """
    from referee.situated.game.log import positions
    from referee.situated.tiers.annotations import marks_in
    from referee.situated.tiers.dialogue import EXPRESSION
    from referee.situated.tiers.expressions import compare
    from referee.situated.tiers.expressions import preannotate as propose
    from referee.situated.tiers.rex_tiers import to_dialogue

    found, total, compared = find_recordings(recordings), 0, []
    for path in counting(found, "recordings"):
        recording = open_recording(path)
        known = to_dialogue(recording)
        proposed = propose(known, positions(recording))
        write_annotation(path, annotator, known, marks_in(proposed))
        total += len(proposed.tier(EXPRESSION))
        compared += [compare(known, proposed)] if known.tier(EXPRESSION) else []
    print(f"{annotator}: {total} expressions in {len(found)} recordings")
    if compared:
        print(_told(compared))
    return 0


def _told(compared: list[SpanAgreement]) -> str:
    known, proposed, same = (sum(c[place] for c in compared) for place in range(3))
    attributes, referents = sum(c.same_attributes for c in compared), sum(c.same_referents for c in compared)
    f = 2 * same / (known + proposed)
    return (
        f"beside the {known} references that the recordings know themselves: spans F {number(f)}; of the {same} with the same span, "
        f"{attributes / same:.1%} have the same attributes and {referents / same:.1%} the same referents"
    )
