"""Options and arguments that several commands of the laboratory share, each declared once, beside those of the judge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.options import Address, Data, EngineName, OneJob, Seed, TextOrJson, check_form, examples, make_app

__all__ = ["Address", "Data", "EngineName", "OneJob", "Seed", "TextOrJson", "check_form", "examples", "make_app"]

KTH, PENTO_CV = "kth-tangrams", "pento-cv"
DIALOGUE_CORPORA = (KTH, PENTO_CV)
SeedFromZero = Annotated[int, typer.Option(help="Seed of all randomness.", min=0)]

# -- studies ---------------------------------------------------------------------------------------------------------------

StudyFolder = Annotated[Path, typer.Argument(help="The study folder.", show_default=False)]
AnyStudyFolder = Annotated[Path, typer.Argument(help="A study folder.", show_default=False)]
Database = Annotated[str | None, typer.Option(help="Address of the database, if the data are in one: postgresql://…")]
OwnMode = Annotated[
    str | None, typer.Option(help="Mode of the study: debug, pilot or live.", show_default="the study's own")
]
Protocol = Annotated[str, typer.Option(help="Protocol: the task of the trials (referee list protocols).")]
PageLanguage = Annotated[str, typer.Option(help="Language of the pages: de, en, es, ja, nl, pt or zh.")]
Port = Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)]
LocalPort = Annotated[int, typer.Option(help="Port to listen on (this machine only).", min=1, max=65535)]
PublicUrl = Annotated[str, typer.Option(help="Address at which participants open the study.")]
Host = Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for every network this machine is in.")]
QrCode = Annotated[bool, typer.Option(help="Show the participants' link as a QR code.")]

# -- dialogues and their recordings ----------------------------------------------------------------------------------------

Patience = Annotated[float, typer.Option(help="Seconds after which a player without an answer has stalled.", min=0.1)]
Recording = Annotated[Path, typer.Argument(help="A recording (.jsonl).", show_default=False)]
Recordings = Annotated[list[Path], typer.Argument(help="A folder of recordings, or recordings.", show_default=False)]
TierMap = Annotated[
    Path | None,
    typer.Option(
        "--tiers",
        help='Names of tiers in ELAN files: a .toml with lines such as "A-utts" = "SV-UT", and language = "de", pieces = "tangram" where files lack them.',
    ),
]
PieceSet = Annotated[
    str,
    typer.Option("--pieces", help="The set of pieces: tangram, pentomino, or a file of custom pieces (.toml, .json)."),
]
Repetitions = Annotated[int, typer.Option(help="Number of rounds in which each object is the target.", min=1)]
OwnGoals = Annotated[
    Path | None, typer.Option("--goals", help="A file of custom figures (`referee tangram goals`).", show_default=False)
]
Annotator = Annotated[str | None, typer.Option(help="The annotator of the expressions (default: adjudicated).")]
Annotators = Annotated[
    str | None, typer.Option(help="The two annotators to compare, comma-separated (default: all, if there are two).")
]
