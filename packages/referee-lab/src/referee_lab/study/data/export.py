"""The data as files that outlive the program: tidy tables, codebook, counts, checksums.

The same data give the same bytes, without names or ids of platforms.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from referee import __version__
from referee.catalogue import check_choice
from referee.files import FOR_OWNER, write_atomically, writing_folder
from referee_lab.rooms.room_files import build_room_files, has_rooms
from referee_lab.server.sessions.states import LEFT_OUT
from referee_lab.server.store import schema
from referee_lab.server.store.store import Store
from referee_lab.study.data.codebook import SCHEMA, CodebookColumn, build_codebook, export_codebook, format_codebook
from referee_lab.study.data.collection import collect
from referee_lab.study.data.dataset import Dataset
from referee_lab.study.data.exported_rows import TableRow, build_rows, name_recording
from referee_lab.study.folder.study import Study

FORMATS = ("csv", "parquet", "jsonl")
SUMS, MANIFEST = "SHA256SUMS", "manifest.json"
# The earliest time a zip file knows: the same data give the same bytes, whenever they are packed.
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def build_export(
    collected: Dataset, formats: Sequence[str] = ("csv",), more: Mapping[str, bytes] | None = None
) -> dict[str, bytes]:
    """Return every file of an export by name.

    These are tables in each format, codebook, checklist, manifest, checksums, and the files of `more` (games).
    """
    for name in formats:
        check_choice("--format", name, FORMATS)
    study, tables = collected.study, build_rows(collected)
    heads = build_codebook(study)
    files = {
        f"{table}.{form}": _WRITERS[form](rows, heads[table]) for table, rows in tables.items() for form in formats
    }
    files |= more or {}
    files |= dict(name_recording(a) for a in collected.answers if a.answer.get("sound"))
    files["codebook.json"] = _dump_json(export_codebook(study))
    files["codebook.md"] = format_codebook(study).encode()
    files["CHECKLIST.md"] = _write_checklist(collected, tables).encode()
    # After all it lists, and before the checksums, which cover it.
    files[MANIFEST] = _dump_json(_build_manifest(collected, tables, files))
    files[SUMS] = "".join(f"{sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)).encode()
    return dict(sorted(files.items()))


def build_export_zip(study: Study, store: Store, formats: Sequence[str] = ("csv",)) -> bytes:
    """Return the files of an export as one ZIP archive, without identities."""
    with store.read() as connection:
        games = build_room_files(connection, study) if has_rooms(study) else {}
        files = build_export(collect(study, connection), formats, games)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(f"{study.id}/{name}", LONG_AGO)
            # Otherwise unpacked files have no permissions at all on Unix.
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return packed.getvalue()


def write_export(folder: Path, files: Mapping[str, bytes], overwrite: bool = False) -> None:
    """Write all files into a folder that appears only when complete."""
    remedy = "choose another --out, or --overwrite an export"
    with writing_folder(folder, overwrite, lambda existing: (existing / SUMS).is_file(), remedy) as partial:
        for name, content in files.items():
            (partial / name).parent.mkdir(exist_ok=True)
            (partial / name).write_bytes(content)


# -- tables ----------------------------------------------------------------------------------------------------------------


def _write_csv(rows: Iterable[TableRow], columns: Sequence[CodebookColumn]) -> bytes:
    """Return rows as CSV: numbers unrounded, lists as JSON, empty cells for missing values."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    writer.writerows([_format_cell(value) for value in row.values()] for row in rows)
    return file.getvalue().encode()


# Characters that make a spreadsheet read a cell as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def escape_formula(value: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet would evaluate it as a formula."""
    return f"'{value}" if value.startswith(_FORMULA) else value


def _format_cell(value: Any) -> str:
    """Return a value as the text of a CSV cell."""
    if value is None or value == []:
        return ""
    if isinstance(value, str):
        # Python's writer leaves a lone carriage return bare, where readers take it for the end of a row.
        return escape_formula(value).replace("\r\n", "\n").replace("\r", "\n")
    # Before numbers: Python writes True where other programs read true.
    if isinstance(value, bool):
        return "true" if value else "false"
    return _dump_compact(value) if isinstance(value, (list, dict)) else str(value)


def _dump_compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _write_jsonl(rows: Iterable[TableRow], columns: Sequence[CodebookColumn]) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


def _write_parquet(rows: Sequence[TableRow], columns: Sequence[CodebookColumn]) -> bytes:
    """Return rows as Parquet, with lists as JSON texts and every number as a float."""
    import polars as pl

    kinds = {"number": pl.Float64, "truth": pl.Boolean}
    data = {
        c.name: pl.Series(c.name, [_convert_type(row[c.name], c.type) for row in rows], kinds.get(c.type, pl.String))
        for c in columns
    }
    file = io.BytesIO()
    pl.DataFrame(data).write_parquet(file)
    return file.getvalue()


def _convert_type(value: Any, kind: str) -> Any:
    """Return a value with the type of its Parquet column."""
    if value is None or value == []:
        return None
    if kind == "number":
        return float(value)
    return value if kind == "truth" else _dump_compact(value) if isinstance(value, (list, dict)) else str(value)


_WRITERS = {"csv": _write_csv, "jsonl": _write_jsonl, "parquet": _write_parquet}


# -- files beside the tables -------------------------------------------------------------------------------------------


def _dump_json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, default=list) + "\n").encode()


def _build_manifest(
    collected: Dataset, tables: Mapping[str, Sequence[TableRow]], files: Mapping[str, bytes]
) -> dict[str, Any]:
    """Return the manifest of an export: study, versions, counts and files."""
    study = collected.study
    return {
        "schema": SCHEMA,
        "referee": __version__,
        "study": {"id": study.id, "title": study.title, "protocol": study.protocol, "hash": study.hash},
        "mode": collected.mode,
        "people": {
            **collected.counts,
            "sessions": len(collected.sittings),
            "simulated": collected.simulated,
        },
        "exclusion": asdict(study.exclusion),
        "rows": {table: len(rows) for table, rows in tables.items()},
        "sha256": {name: sha256(content).hexdigest() for name, content in sorted(files.items())},
    }


def _write_checklist(collected: Dataset, tables: Mapping[str, Sequence[TableRow]]) -> str:
    """Return the checklist for publishing the data: a person must read free text for personal data."""
    heads = build_codebook(collected.study)
    free = [
        (f"{table}, column {c.name}", sum(row[c.name] not in (None, "") for row in rows))
        for table, rows in tables.items()
        for c in heads[table]
        if c.free_text
    ]
    lines = [
        f"# Before {collected.study.title} is passed on",
        "",
        "Identities are not in this folder. People may nevertheless have named themselves or others in free text. A person must read:",
        "",
        *(f"- [ ] {place}: {n} entries" for place, n in free),
        "- [ ] demographics: could a combination of answers identify a person?",
        "- [ ] the consent text allows passing the data on in this form",
        "- [ ] no participant has withdrawn since this export was made (export again to be sure)",
        "",
    ]
    return "\n".join(lines)


def list_identities(connection: Connection, study: Study, mode: str | None = None) -> list[str]:
    """Return the list of aliases and platform ids as lines of CSV, without people who withdrew.

    No other output links the two.
    """
    identity, person, sitting = schema.identity.c, schema.participant.c, schema.session.c
    still_in = select(sitting.participant).where(sitting.state.not_in(LEFT_OUT))
    rows = connection.execute(
        select(person.alias, identity.platform, identity.external_id, identity.details)
        .join(schema.participant, person.id == identity.participant)
        .where(identity.study == study.id, identity.mode == (mode or study.mode), identity.participant.in_(still_in))
        .order_by(person.alias)
    )
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["participant", "platform", "external_id", "details"])
    writer.writerows([r.alias, r.platform, r.external_id, _dump_compact(r.details)] for r in rows)
    return file.getvalue().splitlines()


def write_identities(path: Path, lines: Sequence[str]) -> None:
    """Write the lines into a file that only its owner can read."""
    write_atomically(path, lines, FOR_OWNER)
