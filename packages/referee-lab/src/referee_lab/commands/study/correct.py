"""`referee study correct`: stores the correct answer beside the given one, with author and reason."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.errors import InputError
from referee_lab.commands import options

app = options.make_app()

EPILOG = options.examples("""
  referee study correct STUDY --trial UUID --chosen e12 --author "A. Lab" --reason "slipped, and said so at once"

  referee study correct STUDY --transcripts transcripts.csv --author "A. Lab"

  referee study correct STUDY --trial UUID --answer '{"ratings": {"fluency": 2}}' --author "A. Lab" --reason "read the scale upside down"
""")


@app.command(epilog=EPILOG)
def correct(
    study: options.StudyFolder,
    author: Annotated[str, typer.Option(help="Name of the person who makes the correction.", show_default=False)],
    reason: Annotated[str, typer.Option(help="Why.", show_default="transcript")] = "",
    trial: Annotated[
        str | None, typer.Option(help="The answer's UUID (column uuid of an export).", show_default=False)
    ] = None,
    chosen: Annotated[str | None, typer.Option(help="The correct object, as exports name it (column chosen).")] = None,
    answer: Annotated[str | None, typer.Option(help="Fields of the answer to replace, as a JSON object.")] = None,
    transcripts: Annotated[
        Path | None,
        typer.Option(
            help="A CSV file with the columns uuid and text: the words of the recordings.", show_default=False
        ),
    ] = None,
    database: options.Database = None,
) -> None:
    """Correct one stored answer, or write transcripts beside recordings.

    The answer stays as it was; exports use the correction, list both, and leave its time out.
    """
    from referee_lab.server.sessions.corrections import apply_correction
    from referee_lab.server.sessions.corrections import store_correction as write_down
    from referee_lab.server.sessions.refusals import Problem
    from referee_lab.server.sessions.served_study import open_served

    if (transcripts is None) == (trial is None) or (trial is not None and chosen is None and answer is None):
        raise InputError(
            "name the answer and its correction",
            remedy="give --trial with --chosen or --answer, or --transcripts FILE",
        )
    if transcripts is not None:
        changes = [(uuid, {"text": text}) for uuid, text in read_transcripts(transcripts)]
        reason = reason or "transcript"
    else:
        changes = [(str(trial), _parse_fields(answer) if answer is not None else {})]
    # Beside a running server if need be; a correction never makes a store.
    served = open_served(study, database=database, create=False, begin=False)
    try:
        # Checked on a connection that cannot write; only the corrections go through the writer, all or none.
        with served.store.read() as connection:
            bodies = [
                _make_correction(uuid, author, reason, apply_correction(connection, served, uuid, chosen, change))
                for uuid, change in changes
            ]
        numbers = served.store.write(lambda connection: [write_down(connection, served, body) for body in bodies])
    except Problem as problem:
        raise InputError(problem.message, where=study, remedy="take it from the export's column uuid") from None
    finally:
        served.store.close()
    print(f"{len(numbers)} corrections are stored beside their answers; exports use them and list both")


def read_transcripts(path: Path) -> list[tuple[str, str]]:
    """Return the UUIDs and texts of a table of transcripts. Raises InputError for a missing column, UUID or text."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        transcripts = []
        for row in rows:
            uuid, text = (row.get("uuid") or "").strip(), (row.get("text") or "").strip()
            if not (uuid and text):
                raise InputError(
                    f"the row has no {'text' if uuid else 'uuid'}",
                    where=path,
                    line=rows.line_num,
                    remedy="take the columns uuid and sound from trials.csv of an export, and write a column text",
                )
            transcripts.append((uuid, text))
    return transcripts


def _parse_fields(text: str) -> dict[str, Any]:
    """Return the corrected answer from its JSON. Raises InputError if it is no object."""
    try:
        fields = json.loads(text)
    except ValueError as error:
        raise InputError(f"--answer is not JSON ({error})", remedy='write it like {"entity": "e2"}') from None
    if not isinstance(fields, dict):
        raise InputError("--answer is not a JSON object", remedy='write it like {"entity": "e2"}')
    return fields


def _make_correction(trial: str, author: str, reason: str, answer: dict[str, Any]) -> Any:
    """Return the checked correction. Raises InputError for an invalid field."""
    from pydantic import ValidationError

    from referee_lab.server.web.request_bodies import Correct

    try:
        return Correct(trial=trial, author=author, reason=reason, answer=answer)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise InputError(
            f"--{first['loc'][0]}: {first['msg'].lower()}", remedy="give both --author and --reason"
        ) from None
