"""`referee tangram import`: imports tiers from ELAN and tables, as dialogues or as annotations of a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.catalogue import check_choice
from referee.errors import InputError
from referee_lab.commands import options
from referee_lab.commands.tangram.export import TIERS, format_tiers
from referee_lab.commands.tangram.recordings import open_recording, write_annotation

if TYPE_CHECKING:
    from referee_lab.tangram.tiers.dialogue import Dialogue


app = options.make_app()


@app.command(
    "import",
    epilog=options.examples("""
  referee tangram import session.eaf                                    tiers of ELAN as session.tiers.jsonl

  referee tangram import tiers.csv --as eaf

  referee tangram import theirs.eaf --tiers names.toml                  tiers of other names: "A-utts" = "SV-UT"

  referee tangram import session.eaf --into session.jsonl --annotator ann    expressions marked in ELAN as ann's annotation
"""),
)
def import_(
    file: Annotated[Path, typer.Argument(help="Tiers: .eaf (REX tiers), .csv or .jsonl.", show_default=False)],
    kind: Annotated[str, typer.Option("--as", help=f"{', '.join(TIERS)}.")] = "jsonl",
    out: Annotated[Path | None, typer.Option(help="The file to write (default: beside the one read).")] = None,
    into: Annotated[Path | None, typer.Option(help="The recording to which this annotation belongs.")] = None,
    annotator: Annotated[str | None, typer.Option(help="Who annotated, for --into.")] = None,
    tiers: options.TierMap = None,
) -> int:
    """Read tiers made elsewhere, checked against the format; the dialogues then serve every other command."""
    from referee_lab.commands.tangram.sources import DialogueSource, open_dialogues

    check_choice("--as", kind, TIERS)
    _, dialogues = open_dialogues(DialogueSource(files=[file], tiers=tiers))
    if into is not None:
        print(f"wrote {_write_as_annotation(dialogues[0], into, annotator, file)}")
        return 0
    for number, dialogue in enumerate(dialogues):
        name = file.stem if len(dialogues) == 1 else f"{file.stem}-{number + 1}"
        target = out if out is not None and len(dialogues) == 1 else file.with_name(f"{name}.tiers.{kind}")
        target.write_bytes(format_tiers(dialogue, kind))
        events = ", ".join(
            f"{len(dialogue.select_tier(tier))} {tier}s" for tier in ("utterance", "expression", "action")
        )
        print(f"wrote {target}: {events}")
    return 0


def _write_as_annotation(dialogue: Dialogue, recording: Path, annotator: str | None, file: Path) -> Path:
    """Return the expressions of a dialogue as a finished annotation of a recording.

    An annotation that is there is never replaced.
    """
    from referee_lab.tangram.tiers.annotations import extract_marks
    from referee_lab.tangram.tiers.dialogue import UTTERANCE
    from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue

    if annotator is None:
        raise InputError("--into needs the annotator's name", remedy="add --annotator NAME")
    recorded = convert_to_dialogue(open_recording(recording))
    texts = [u.text for u in recorded.select_tier(UTTERANCE)]
    # Marks go by places in these words.
    if texts != [u.text for u in dialogue.select_tier(UTTERANCE)]:
        raise InputError(
            "the utterances are not those of the recording", where=file, remedy="export the recording again"
        )
    return write_annotation(recording, annotator, recorded, extract_marks(dialogue))
