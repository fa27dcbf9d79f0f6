"""The tiers of a dialogue as a plain table: CSV with one row per event, and a codebook."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

from referee.errors import MalformedInput, find_similar_names
from referee.records import Event
from referee_lab.tangram.game.piece_sets import PIECE_SETS
from referee_lab.tangram.json_lines import decode_text, parse_json_object
from referee_lab.tangram.tiers.dialogue import (
    ATTRIBUTES,
    POSITION,
    UNTOLD,
    UTTERANCE,
    Dialogue,
    add_utterance_indices,
    drop_empty_codes,
    list_named_pieces,
)
from referee_lab.tangram.tiers.dialogue_form import KINDS, LANGUAGE, iterate_utterance_indices

CODEBOOK: Mapping[str, str] = {
    "dialogue": "the trial",
    "pair": "the two people, the same in all their trials",
    "tier": "utterance, expression (a reference inside an utterance), action, mouse (piece under the cursor), gaze, or position",
    "start_ms": "milliseconds since the start of the trial",
    "end_ms": "milliseconds since the start of the trial",
    "by": "who: in Tangram games solver (sees the goal) or operator (moves the pieces)",
    "text": "what was said; empty for actions and mouse",
    "entities": "the pieces referred to, handled or pointed at, with blanks or commas between",
    "uncertain": "1 if it is not clear which of the entities is meant",
    "action": "move, rotate or flip; select in games without handling",
    "attributes": "; ".join(f"{code} = {meaning}" for code, meaning in ATTRIBUTES.items()),
    "utterance": "of an expression: the place of its utterance among all utterances of the trial, counted from 0",
    "shown_ms": "of what was typed: when the other one saw it, in milliseconds since the start of the trial; empty for speech",
    "proposed": "of an expression: 1 if a program marked it and no annotator has confirmed it",
    "language": "in which they spoke, as two letters; und: not told",
    "synthetic": "1 if programs played, or the dialogue is invented",
    "x": "of a position: from the left, in any unit",
    "y": "of a position: from the top",
    "pieces": "what lay on the board: tangram, pentomino, or a JSON object of attributes by piece; empty: the pieces that the rows name",
}
# Tables of earlier versions, and those of others, may lack the rest.
REQUIRED = ("tier", "text", "entities")
_SEPARATOR = re.compile(r"[,;|\s]")
# How alike the name of a column has to be to be taken for a slip.
SLIP = 0.6


def convert_to_csv(dialogue: Dialogue) -> str:
    """Return all tiers as CSV, one row per event, with the columns in `CODEBOOK`."""
    out = io.StringIO()
    table = csv.DictWriter(out, list(CODEBOOK), lineterminator="\n")
    table.writeheader()
    # The name of a set of pieces, or the pieces of another one as JSON.
    named = next((name for name, piece_set in PIECE_SETS.items() if piece_set == dialogue.pieces), None)
    pieces = named or json.dumps({piece: dict(kind) for piece, kind in dialogue.pieces.items()}, ensure_ascii=False)
    table.writerows(_make_row(dialogue, event, pieces) for event in dialogue.events)
    return out.getvalue()


def _parse_pieces(cell: str, where: str) -> Mapping[str, Mapping[str, str]]:
    """Return the pieces of a cell of the column `pieces`; none where it is empty."""
    if not cell or cell in PIECE_SETS:
        return PIECE_SETS.get(cell, {})
    remedy = f'pieces is {", ".join(PIECE_SETS)}, empty, or a JSON object such as {{"m1": {{"colour": "red"}}}}'
    pieces = parse_json_object(cell, where, 2, remedy)
    if not all(isinstance(attributes, dict) for attributes in pieces.values()):
        raise MalformedInput("pieces without attributes", where=where, line=2, remedy=remedy)
    return {id: {name: str(value) for name, value in attributes.items()} for id, attributes in pieces.items()}


def _make_row(dialogue: Dialogue, event: Event, pieces: str) -> dict[str, Any]:
    """Return an event as a row of the table."""
    return {
        "dialogue": dialogue.id,
        "pair": dialogue.pair,
        "tier": event.kind,
        "start_ms": _parse_number(event.start_ms),
        "end_ms": _parse_number(event.end_ms),
        "by": event.by or "",
        "text": event.text or "",
        "entities": " ".join(event.entities),
        "uncertain": "1" if event.data.get("uncertain") else "",
        "action": event.data.get("action", ""),
        "attributes": " ".join(event.data.get("attributes", ())),
        "utterance": " ".join(map(str, iterate_utterance_indices(event))),
        "shown_ms": _parse_number(event.data.get("shown_ms")),
        "proposed": "1" if event.data.get("proposed") else "",
        "language": dialogue.language,
        "synthetic": "1" if dialogue.synthetic else "",
        "x": _parse_number(event.data.get("x")) if event.kind == POSITION else "",
        "y": _parse_number(event.data.get("y")) if event.kind == POSITION else "",
        "pieces": pieces,
    }


def is_tier_table(path: Path) -> bool:
    """Return whether the first line of a table has the columns of tiers."""
    first = decode_text(path.read_bytes(), str(path)).partition("\n")[0]
    return set(REQUIRED) <= {name.strip().strip('"').lower() for name in re.split(r"[,;\t]", first)}


def parse_csv(
    text: str, where: str = "tiers.csv", pieces: Mapping[str, Mapping[str, str]] | None = None
) -> list[Dialogue]:
    """Return the dialogues of a table, in the order in which they appear.

    The pieces are those of the column `pieces`, else `pieces`, else those that the rows name, without descriptions.
    """
    columns, rows = _read_rows(text, where)
    if missing := [c for c in REQUIRED if c not in columns]:
        further = ", ".join(c for c in CODEBOOK if c not in REQUIRED)
        remedy = f"a row is an event: {', '.join(REQUIRED)}, and any of {further} (`referee docs dialogues`)"
        raise MalformedInput(f"no column {' or '.join(missing)}", where=where, line=1, remedy=remedy)
    for column in columns:
        if column not in CODEBOOK and (meant := find_similar_names(column, CODEBOOK, 1, SLIP)):
            remedy = f"did you mean {meant[0]}? times are milliseconds; else give it a name unlike those of columns that are read"
            raise MalformedInput(f"the column {column!r} would not be read", where=where, line=1, remedy=remedy)
    events_by_dialogue: dict[tuple[str, str], list[Event]] = {}
    about: dict[tuple[str, str], dict[str, Any]] = {}
    boards: dict[tuple[str, str], Mapping[str, Mapping[str, str]]] = {}
    boards_by_cell: dict[str, Mapping[str, Mapping[str, str]]] = {}
    # Objects that a cell names alone; their names may have blanks.
    named = {cell for _, row in rows if (cell := (row["entities"] or "").strip()) and not _SEPARATOR.search(cell)}
    for line, row in rows:
        id = row.get("dialogue") or Path(where).stem
        key = id, row.get("pair") or id
        cell = row.get("pieces") or ""
        if cell not in boards_by_cell:
            boards_by_cell[cell] = _parse_pieces(cell, where) or pieces or {}
        boards[key] = boards_by_cell[cell]
        events_by_dialogue.setdefault(key, []).append(_parse_event(row, {*boards[key], *named}, where, line))
        above = about.setdefault(key, {"language": UNTOLD, "synthetic": False})
        language = row.get("language") or above["language"]
        if not LANGUAGE.fullmatch(language) or above["language"] not in (UNTOLD, language):
            problem = f"the language of dialogue {id!r} is {language!r}"
            problem += f", and above {above['language']!r}" if above["language"] != UNTOLD else ""
            remedy = "one code for a whole dialogue, for instance en, pt-BR or und"
            raise MalformedInput(problem, where=where, line=line, remedy=remedy)
        above |= {"language": language, "synthetic": row.get("synthetic") == "1"}
    # Whether pronouns were coded is decided by the whole table, not by one dialogue.
    events_of_all = iter(drop_empty_codes(event for events in events_by_dialogue.values() for event in events))
    events_by_dialogue = {key: list(islice(events_of_all, len(rows))) for key, rows in events_by_dialogue.items()}
    for (id, _), events in events_by_dialogue.items():
        count = sum(event.kind == UTTERANCE for event in events)
        if outside := [i for event in events for i in iterate_utterance_indices(event) if not 0 <= i < count]:
            remedy = f"the utterances of a dialogue are counted from 0, here to {count - 1}"
            raise MalformedInput(f"dialogue {id!r} has no utterance {outside[0]}", where=where, remedy=remedy)
    dialogues = []
    for (id, pair), events in events_by_dialogue.items():
        pieces_of_board = list_named_pieces(boards[id, pair], events)
        indexed = tuple(events if "utterance" in columns else add_utterance_indices(events))
        dialogues.append(Dialogue(id=id, pair=pair, pieces=pieces_of_board, events=indexed, **about[id, pair]))
    return dialogues


def _read_rows(text: str, where: str) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """Return the columns of a table in lower case, and its rows with their lines, without empty ones."""
    # Spreadsheets of some countries write semicolons, others tabs.
    first = text.partition("\n")[0]
    # Line breaks inside quoted texts stay as they are.
    lines = io.StringIO(text, newline="")
    table = csv.DictReader(lines, delimiter=max(",;\t", key=first.count), restval="", strict=True)
    try:
        columns = table.fieldnames = [name.strip().lower() for name in table.fieldnames or ()]
        if twice := [name for name in CODEBOOK if columns.count(name) > 1]:
            raise MalformedInput(f"two columns are called {twice[0]!r}", where=where, line=1, remedy="rename one")
        rows = [(table.line_num, row) for row in table if any(row.values())]
    except csv.Error as error:
        remedy = "close the quotation mark, and write one inside a text twice"
        line = table.line_num + 1
        raise MalformedInput(f"quotation marks: {error}", where=where, line=line, remedy=remedy) from None
    return columns, rows


def _parse_event(row: Mapping[str, str], pieces: Collection[str], where: str, line: int) -> Event:
    """Return a row as an event. Raises MalformedInput for invalid values."""
    if None in row:
        raise MalformedInput("more cells than columns", where=where, line=line, remedy="quote texts with commas")
    try:
        for name in ("start_ms", "end_ms", "x", "y", "shown_ms"):
            if row.get(name) and not isfinite(float(row[name])):
                raise ValueError(name)
        name = "utterance"
        data = dict(_iterate_data(row))
    except ValueError:
        problem = f"field {name!r}: {row[name]!r} is not a number"
        raise MalformedInput(problem, where=where, line=line, remedy="write a number, or leave it empty") from None
    start, end = (float(row[name]) if row.get(name) else None for name in ("start_ms", "end_ms"))
    # Counts would silently omit mistyped values.
    problem = remedy = ""
    if row["tier"] not in KINDS:
        problem, remedy = f"no tier is called {row['tier']!r}", f"one of {', '.join(KINDS)}"
    elif start is not None and end is not None and end < start:
        problem = f"{row['tier']} from {start / 1000:.2f} to {end / 1000:.2f} s: it ends before it begins"
        remedy = "exchange start_ms and end_ms"
    elif row["tier"] == POSITION and not (row.get("x") and row.get("y")):
        problem, remedy = "a position without x and y", "fill the columns x and y"
    if problem:
        raise MalformedInput(problem, where=where, line=line, remedy=remedy)
    by, text = row.get("by") or None, row["text"] or None
    entities = _split_entities(row["entities"], pieces)
    return Event(kind=row["tier"], by=by, text=text, entities=entities, start_ms=start, end_ms=end, data=data)


def _split_entities(cell: str, pieces: Collection[str]) -> tuple[str, ...]:
    """Return the objects of a cell: with commas between them, or with blanks where each part is an object elsewhere or ends in a digit.

    The name of a piece may have blanks.
    """
    cell, parts = cell.strip(), cell.split()
    if re.search(r"[,;|]", cell):
        return tuple(part.strip() for part in re.split(r"[,;|]", cell) if part.strip())
    are_several = cell not in pieces and all(part in pieces or part[-1].isdigit() for part in parts)
    return tuple(parts) if are_several or not cell else (cell,)


def _iterate_data(row: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Yield the data fields of a row."""
    if row["tier"] == "expression":
        yield "attributes", tuple((row.get("attributes") or "").replace(",", " ").split())
        yield "uncertain", row.get("uncertain") == "1"
    if row.get("action"):
        yield "action", row["action"]
    if row.get("utterance"):
        # A reference that spans several utterances names all of them.
        numbers = tuple(int(part) for part in re.split(r"[,;\s]+", row["utterance"].strip()))
        yield "utterance", numbers[0] if len(numbers) == 1 else numbers
    if row["tier"] == POSITION and row.get("x") and row.get("y"):
        yield "x", float(row["x"])
        yield "y", float(row["y"])
    if row.get("proposed") == "1":
        yield "proposed", True
    if row.get("shown_ms"):
        yield "shown_ms", float(row["shown_ms"])


def _parse_number(value: float | None) -> str:
    # The format g keeps six digits and would write a million as 1e+06.
    return "" if value is None else f"{value:g}" if value < 1e6 else f"{value:.0f}"
