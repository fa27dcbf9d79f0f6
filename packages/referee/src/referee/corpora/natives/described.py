"""Tables of descriptions: one row per system and item, or one row per item and one column per system.

And tables of scenes, a row an object.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.corpora.natives.columns import (
    NESTED,
    ROLES,
    find_column,
    find_numbered_references,
    get_usual_name,
    infer_roles,
    is_usual_name,
    simplify_name,
    split_field,
)
from referee.corpora.natives.material import Declared, NativeData, format_id, make_trial, parse_number
from referee.corpora.natives.texts import read_segments
from referee.corpora.outputs import Output, drop_empty_cells
from referee.corpora.reading.lines import WrongShape
from referee.corpora.reading.tables import TABLE_ENDINGS, Table, is_missing, read_table
from referee.errors import InputError, MalformedInput, UnknownTrial
from referee.files import drop_endings
from referee.meaning import parse
from referee.records import Description, Entity, Property, Scene, Trial, as_value

PEOPLE = ("human", "humans", "people", "reference", "references", "gold")
ORDER = "order of rows"
CONTENT = ("text", "properties", "meaning")
DESCRIBED = ("system", "text", "references", "properties", "meaning", "target", "trial", "language", "scene", "speaker")


def read_descriptions(table: Table, declared: Declared, has_scenes: bool = False) -> NativeData:
    """Return the descriptions of a table with their references.

    Raises:
        InputError: if no column, or more than one, can be the description; the message names the candidates.
    """
    unused = next((r for r in declared.columns if r in ROLES and r not in DESCRIBED), None)
    if unused is not None:
        raise table.make_error(
            f"the role {unused!r} belongs to answers of listeners, but this file is read as descriptions",
            "name also --map correct=COLUMN, or --map chosen=COLUMN,target=COLUMN",
        )
    columns = {role: c for role, c in declared.columns.items() if role not in ("reference", "references")}
    several = _get_declared_references(table, declared)
    if several:
        columns["references"] = several[0]
    declared = replace(declared, columns=columns)
    if "text" not in declared.columns and (wide := _find_system_columns(table, declared)):
        table = table.lengthen({name: {column: TEXT} for column, name in wide.items()}, SYSTEM)
        declared = replace(declared, columns={**declared.columns, "system": SYSTEM, "text": TEXT})
    roles = infer_roles(table, DESCRIBED, declared)
    if len(several) > 1:
        roles = {role: column for role, column in roles.items() if column not in several}
    if "trial" in roles and "system" not in roles and (source := find_crossed_column(table, roles, _SOURCES)):
        roles["system"] = source
    if "trial" not in roles and "scene" in roles and _identifies_rows(table, roles):
        roles["trial"] = roles.pop("scene")
    numbered = (several if len(several) > 1 else []) if several else find_numbered_references(table.columns)
    if not roles.keys() & set(CONTENT):
        raise _make_missing_text_error(table, roles)
    if has_scenes and "trial" not in roles and "scene" not in roles:
        raise table.make_error(
            "no column names the item of a row, so its scene is unknown",
            f"name it: --map trial=COLUMN (columns are {', '.join(table.columns[:20])})",
        )
    if not has_scenes and "references" not in roles and not numbered and _holds_texts(table, roles.get("target")):
        roles["references"] = roles.pop("target")
    material = NativeData(
        "table", get_format(table.source), {**roles, **({"references": " ".join(numbered)} if numbered else {})}
    )
    _check_words(table, "text", roles.get("text"), "text" in declared.columns)
    for column in several or [roles[r] for r in ("references",) if r in roles]:
        _check_words(table, "references", column)
    _add_rows(material, table, roles, numbered, declared)
    if not roles.get("references") and not numbered:
        _use_people_as_references(material)
    return material


def _get_declared_references(table: Table, declared: Declared) -> list[str]:
    """Return the declared columns of references: one, or several with commas between."""
    names = [name for role in ("references", "reference") if (name := declared.column(role))]
    parts = [part for name in names for part in ([name] if name in table.columns else name.split(","))]
    for part in parts:
        find_column(table, "references", Declared(columns={"references": part}))
    return list(dict.fromkeys(parts))


SYSTEM, TEXT = "(column)", "(cell)"


# Fields of nested rows that hold the texts of several systems.
_BY_SYSTEM = ("outputs", "predictions", "generations", "descriptions", "hypotheses", "hyps", "candidates", "responses")


def _find_system_columns(table: Table, declared: Declared) -> dict[str, str]:
    """Return the columns with one system's texts each and the systems' names: declared, or recognised by their names.

    Raises:
        InputError: if another column could hold the descriptions too.
    """
    if wide := {name: name for name in declared.systems if name in table.columns}:
        return wide
    words = {*ROLES["text"][0], "pred", "response"}
    for column in table.columns:
        head, nested, tail = column.partition(NESTED)
        if nested and simplify_name(head) in _BY_SYSTEM:
            wide[column] = tail
        elif not nested and (split := split_field(column, words)):
            wide[column] = split[1]
    wide = {c: name for c, name in wide.items() if not is_usual_name(c) and _holds_texts(table, c, 0.3)}
    if len(wide) < 2:
        return {}
    others = [c for c in table.columns if c not in wide and get_usual_name(c) in ROLES["text"][0]]
    if others or find_column(table, "system", declared) is not None:
        raise table.make_error(
            f"several columns could be the text: {', '.join([*others, *wide])}",
            f"choose one: --map text={next(iter([*others, *wide]))}; for one column a system: --systems {','.join(wide)}",
        )
    return wide


_SOURCES = ("source", "condition", "author", "origin", "producer", "type", "kind")


def find_crossed_column(table: Table, roles: Mapping[str, str], names: Collection[str]) -> str | None:
    """Return a column with one of some names and several values for every item, whose values can be compared as
    systems.
    """
    column = next((c for c in table.columns if simplify_name(c) in names and c not in roles.values()), None)
    if column is None:
        return None
    cells = [(format_id(row.get(roles["trial"])), format_id(row.get(column))) for row in table.rows]
    pairs = {(item, value) for item, value in cells if item is not None and value is not None}
    counts = Counter(item for item, _ in pairs)
    is_crossed = bool(counts) and min(counts.values()) > 1 and len({value for _, value in pairs}) <= 20
    return column if is_crossed else None


def _identifies_rows(table: Table, roles: Mapping[str, str]) -> bool:
    """Return whether the scene identifies the row: no system has two rows with the same scene."""
    keys = [(format_id(row.get(roles.get("system", ""))), format_id(row.get(roles["scene"]))) for row in table.rows]
    return len(set(keys)) == len(keys) and all(scene is not None for _, scene in keys)


def unnest_rows(table: Table) -> Table:
    """Return the table with the fields of nested objects as columns (``meta/model``) and lists under `outputs` as rows."""
    nested = {c for row in table.rows for c, cell in row.items() if _is_nested(c, cell)}
    if not nested:
        return table
    rows, lines = [], []
    for row, line in zip(table.rows, table.lines, strict=True):
        flat = dict(_flatten_row(row, nested))
        listed = next((c for c in nested if isinstance(row.get(c), list) and _is_nested(c, row[c])), None)
        for part in [{}] if listed is None else row[listed]:
            rows.append({**{k: v for k, v in flat.items() if k != listed}, **part})
            lines.append(line)
    return Table.of(table.source, rows, lines)


def _is_nested(column: str, cell: Any) -> bool:
    """Return whether a cell has fields that become columns."""
    if isinstance(cell, dict):
        return simplify_name(column) not in ROLES["properties"][0]
    is_list = isinstance(cell, list) and bool(cell) and all(isinstance(part, dict) for part in cell)
    return is_list and simplify_name(column) in _BY_SYSTEM


def _flatten_row(row: Mapping[str, Any], nested: Collection[str], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields of a row, with nested ones under joined names."""
    for name, value in row.items():
        if isinstance(value, dict) and (before or name in nested):
            yield from _flatten_row(value, nested, f"{before}{name}{NESTED}")
        else:
            yield before + str(name), value


def _make_missing_text_error(table: Table, roles: Mapping[str, str]) -> InputError:
    """Return the error for a table without a column of texts."""
    number = next((c for c in table.columns if parse_number(c) is not None), None)
    if number is not None:
        return table.make_error(f"the first line is not a header (it has {number!r})", "add a line with column names")
    words = [c for c in table.columns if c not in roles.values() and _holds_texts(table, c, 0.3)]
    sentence = next((c for c in words if _is_sentence(c, table.column(c))), None)
    if sentence is not None and len(words) == sum(len(c.split()) > 2 for c in words):
        return table.make_error(
            f"the first line seems to be no header (it has {sentence!r})", "add a line with column names"
        )
    remedy = (
        f"name it: --map text={words[0]}"
        + (f"; for one column a system: --systems {','.join(words)}" if len(words) > 1 else "")
        if words
        else f"name it: --map text=COLUMN (columns are {', '.join(table.columns[:20])})"
    )
    return table.make_error("no column is recognised as the descriptions", remedy)


def _is_sentence(name: str, cells: Sequence[Any]) -> bool:
    """Return whether the name of a column is one of its texts: it is long, or half of its words occur in the others."""
    words, others = name.lower().split(), set(" ".join(map(str, cells)).lower().split())
    return len(words) > 3 or (len(words) == 3 and sum(word in others for word in words) > 1)


def _holds_texts(table: Table, column: str | None, least: float = 0.5) -> bool:
    """Return whether most cells of a column hold more than one word."""
    if column is None:
        return False
    cells = [c for c in table.column(column) if c is not None][:2000]
    words = [_has_words(c) for c in cells if not _is_numeric(c)]
    return bool(words) and sum(words) >= least * len(cells)


def _has_words(cell: Any) -> bool:
    """Return whether a text of a cell has more than one word."""
    try:
        return any(len(part.split()) > 1 for part in parse_texts(cell))
    except InputError:
        return False


_NUMBER = r"-?\d+(?:\.\d+)?"
_COORDINATES = re.compile(rf"(?:[^\d\n]{{0,40}}[\[(<])?\W*{_NUMBER}(?:[\s,;()\[\]]+{_NUMBER})*\W*(?:</?\w+>)?\W*")


def _check_words(table: Table, role: str, column: str | None, is_declared: bool = False) -> None:
    """Raise InputError if most cells of a column hold numbers, coordinates or letters of options instead of words."""
    if column is None:
        return
    cells = [c for c in table.column(column) if c is not None][:500]
    if sum(map(_is_numeric, cells)) > len(cells) / 2:
        is_pair = sum(len(_parse_numbers(c)) > 1 for c in cells) > len(cells) / 2
        raise table.make_error(
            f"the column {column!r} holds {'coordinates' if is_pair else 'numbers'}, not {'descriptions' if role == 'text' else 'references'}",
            f"name another column: --map {role}=COLUMN; for coordinates use a log with gold boxes (`referee docs evaluate`)",
        )
    if is_declared or role != "text":
        return
    if sum(bool(_OPTION.fullmatch(str(c).strip())) for c in cells) > len(cells) / 2:
        raise table.make_error(
            f"the column {column!r} holds letters of options, not descriptions",
            f"for choices: --map chosen={column},target=COLUMN; if they are descriptions: --map text={column}",
        )
    if sum(map(_is_place_answer, cells)) > len(cells) / 2:
        raise table.make_error(
            f"the column {column!r} holds answers with coordinates, not descriptions",
            f"use a log with gold boxes (`referee docs evaluate`); if they are descriptions: --map text={column}",
        )


_OPTION = re.compile(r"\(?[A-Z]\)?[.:]?")
# The forms in which models write coordinates: JSON and calls, and tokens of single families.
_PLACE_FORMS = ("json", "molmo", "paligemma", "qwen-vl", "deepseek-vl2", "florence-2", "kosmos-2")


def _is_place_answer(cell: Any) -> bool:
    """Return whether a text is an answer with a box or a point."""
    if not isinstance(cell, str) or len(re.findall(r"\d+", cell)) < 2:
        return False
    # Imported for texts with numbers only: the patterns take a tenth of a second.
    from referee.models.answers.place_outcomes import parse_place_answer

    return any(parse_place_answer(cell, form, None).places for form in _PLACE_FORMS)


def _is_numeric(cell: Any) -> bool:
    """Return whether a cell is a number or coordinates."""
    if isinstance(cell, (list, tuple)):
        return bool(cell) and all(isinstance(part, int | float) for part in cell)
    return isinstance(cell, int | float) or (isinstance(cell, str) and _COORDINATES.fullmatch(cell) is not None)


def _parse_numbers(cell: Any) -> list[Any]:
    return list(cell) if isinstance(cell, (list, tuple)) else re.findall(_NUMBER, str(cell))


def _add_rows(
    material: NativeData, table: Table, roles: Mapping[str, str], numbered: Sequence[str], declared: Declared
) -> None:
    """Add the descriptions of a table to the data."""
    default = declared.default_system or _choose_default_system(table.source)
    split = _make_splitter(material, table, roles.get("references"), declared.column("references") is not None)
    if "trial" not in roles and "system" in roles:
        _check_positions(table, roles, numbered)
        if len({format_id(cell) for cell in table.column(roles["system"])}) > 1:
            material.mapping["trial"] = ORDER
    positions: dict[str, int] = {}
    empty: dict[str, int] = {}
    thoughts = 0
    described: dict[tuple[str, str], dict[tuple[str, ...], Description]] = {}
    for row, line in zip(table.rows, table.lines, strict=True):
        cell = _make_cell_getter(row, roles)
        system = format_id(cell("system")) or (declared.systems[0] if len(declared.systems) == 1 else default)
        if declared.systems and system not in declared.systems and "system" in roles and system.lower() not in PEOPLE:
            material.unchosen.add(system)
            continue
        # Rows without ids are the same item in the same position of every system.
        positions[system] = positions.get(system, 0) + 1
        name = format_id(cell("trial")) if "trial" in roles else str(positions[system])
        if name is None:
            raise table.make_error(f"the cell {roles['trial']!r} is empty", "give every row an id", line)
        try:
            references = [text for column in numbered for text in parse_texts(row.get(column))] or split(
                cell("references")
            )
        except InputError as error:
            raise table.make_error(error.problem, error.remedy, line) from None
        targets = tuple(filter(None, map(format_id, _parse_list(cell("target")))))
        material.add_trial(
            make_trial(
                name,
                references,
                scene=format_id(cell("scene")),
                speaker=format_id(cell("speaker")),
                language=format_id(cell("language")) or declared.language,
                meta={"targets": targets} if targets else None,
            )
        )
        description = _make_description(cell, table.source, line)
        if description is not None and description.text is not None and "</think>" in description.text:
            description = replace(description, text=description.text.rpartition("</think>")[2].strip())
            thoughts += 1
        if description is None:
            empty[system] = empty.get(system, 0) + 1
            continue
        # A table with a row for each reference repeats the description.
        others = described.setdefault((system, name), {})
        if others and references and tuple(references) not in others and description in others.values():
            others[tuple(references)] = description
            continue
        others[tuple(references)] = description
        material.outputs.append(Output(name, system, description, table.source, line))
    if thoughts:
        material.notes.append(f"Thoughts before descriptions (up to </think>), left out: {thoughts:,}.")
    for system, count in empty.items():
        material.notes.append(f"{system}: rows without a description, which count as missing: {count:,}.")


def _check_positions(table: Table, roles: Mapping[str, str], numbered: Sequence[str]) -> None:
    """Raise InputError if rows without ids cannot be the same items in the same order for every system."""
    remedy = f"name it: --map trial=COLUMN (columns are {', '.join(table.columns[:20])})"
    counts = Counter(format_id(cell) for cell in table.column(roles["system"]))
    if len(set(counts.values())) > 1:
        shown = ", ".join(f"{name}: {count:,}" for name, count in counts.most_common(4))
        raise table.make_error(
            f"no column names the item of a row, and systems have different numbers of rows ({shown})", remedy
        )
    positions: Counter[str | None] = Counter()
    first: dict[tuple[int, str], list[str]] = {}
    columns = dict.fromkeys(numbered, "references")
    columns |= {
        roles[role]: role + "s" * (role != "references") for role in ("references", "target", "scene") if role in roles
    }
    for row, line in zip(table.rows, table.lines, strict=True):
        system = format_id(row.get(roles["system"]))
        positions[system] += 1
        for column, meaning in columns.items():
            cell = sorted(filter(None, map(format_id, _parse_list(row.get(column)))))
            if cell and first.setdefault((positions[system], column), cell) != cell:
                raise table.make_error(
                    f"no column names the item of a row, and rows in the same position have different {meaning}",
                    remedy,
                    line,
                )


def _make_splitter(
    material: NativeData, table: Table, column: str | None, is_declared: bool
) -> Callable[[Any], list[str]]:
    """Return a function that splits a cell into its references.

    Of cells that mostly hold a separator it returns the parts.

    Raises:
        InputError: if commas may separate several references or belong to one.
    """
    if column is None:
        return parse_texts
    cells = [c for c in table.column(column) if isinstance(c, str) and len(_parse_list(c)) == 1][:2000]
    # A semicolon may be part of a sentence, unless the column promises several references.
    is_plural = simplify_name(column).endswith("s")
    signs = ("|", "\n", "\t", "//", "<sep>", "[SEP]", "###", "~", *(";" * is_plural))

    def separates(sign: str) -> bool:
        return 2 * sum(sign in c.strip() for c in cells) > len(cells)

    sign = next(filter(separates, signs), None)
    if sign is None and is_plural and not is_declared and separates(","):
        raise table.make_error(
            f"the commas in {column!r} may separate several references or belong to one",
            f"write | between references, or declare that a cell is one: --map references={column}",
        )
    if sign is None:
        return parse_texts
    name = {"\n": "line breaks", "\t": "tabs"}.get(sign, repr(sign))
    material.notes.append(f"Cells of {column!r} hold several references, which are split at {name}.")
    return lambda cell: [part.strip() for text in parse_texts(cell) for part in text.split(sign) if part.strip()]


def _make_cell_getter(row: Mapping[str, Any], roles: Mapping[str, str]) -> Any:
    """Return a function that gives the cell of a role in a row; None if it is empty."""

    def get_cell(role: str) -> Any:
        """Return the cell of a role; None if it is empty or the role has no column."""
        value = row.get(roles[role]) if role in roles else None
        # Programs that write all cells as text write an empty one as nan.
        return None if is_missing(value) or value in ("nan", "NaN", "<NA>") else value

    return get_cell


def _make_description(cell: Any, where: str, line: int) -> Description | None:
    """Return the description in a row; None if it is empty. Raises MalformedInput for a list."""
    text, properties, form = map(cell, CONTENT)
    if isinstance(text, list) and len(text) == 1:
        text = text[0]
    if isinstance(text, (list, dict)):
        raise MalformedInput(
            "the description is a list",
            where=where,
            line=line,
            remedy="write one text per cell, and one row per system",
        )
    if text is None and properties is None and form is None:
        return None
    try:
        listed = drop_empty_cells({"properties": properties, "meaning": form})
        pairs = listed.get("properties")
        pairs = pairs.items() if isinstance(pairs, dict) else pairs
        content = None if pairs is None else tuple(Property(str(name), as_value(value)) for name, value in pairs)
        parsed = parse(listed["meaning"]) if "meaning" in listed else None
        return Description(text=None if text is None else str(text), properties=content, meaning=parsed)
    except InputError as wrong:
        raise MalformedInput(wrong.problem, where=where, line=line, remedy=wrong.remedy) from None
    except (WrongShape, ValueError, TypeError) as wrong:
        raise MalformedInput(
            str(wrong), where=where, line=line, remedy='write [["colour", "red"]], or colour:red; type:chair'
        ) from None


# Fields of an object that hold its words, as in [{"text": "the red cup", "annotator": 1}].
_TEXT_FIELDS = (
    *("text", "caption", "sent", "sentence", "raw", "expression", "description", "utterance", "reference", "answer"),
    *("content", "value"),
)


def parse_texts(value: Any) -> list[str]:
    """Return the texts of a cell: one, or those of a list (also as JSON or a Python literal).

    Raises:
        InputError: for an object without a text, or for objects that name different things.
    """
    parts = _parse_list(value)
    named = {str(part["entity"]) for part in parts if isinstance(part, dict) and "entity" in part}
    if len(named) > 1:
        raise InputError(
            f"the texts of one list are about different entities ({', '.join(sorted(named)[:3])})",
            remedy="write a row for each entity, with the texts about it",
        )
    return [str(text) for part in parts if not is_missing(text := _get_text(part) if isinstance(part, dict) else part)]


def _get_text(part: Mapping[str, Any]) -> Any:
    """Return the text of an object in a list. Raises InputError if it has none under a usual name."""
    by_name = {simplify_name(name): value for name, value in part.items()}
    name = next((name for name in _TEXT_FIELDS if isinstance(by_name.get(name), str)), None)
    if name is None:
        raise InputError(
            f"no field of an object in a list is recognised as its text (fields are {', '.join(map(str, part))})",
            remedy="write a list of texts",
        )
    return by_name[name]


def _parse_list(value: Any) -> list[Any]:
    """Return the elements of a cell: of a list, or of its text in brackets (JSON, or as Python and numpy print it)."""
    if is_missing(value):
        return []
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return list(value)
    text = value.strip() if isinstance(value, str) else ""
    if text.startswith("array("):
        text = re.sub(r"^array\((.*?)(?:,\s*dtype=[^,()]+)?\)$", r"\1", text, flags=re.DOTALL)
    if text[:1] + text[-1:] in ("[]", "()", "{}"):
        # Python would join the texts of an array, which have no comma between them.
        if _ARRAY.fullmatch(text):
            return [ast.literal_eval(part) for part in re.findall(_QUOTED, text, re.DOTALL)]
        for parse in (json.loads, ast.literal_eval):
            try:
                parsed = parse(text)
            except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
                continue
            if isinstance(parsed, (list, tuple, set)):
                return sorted(parsed, key=str) if isinstance(parsed, set) else list(parsed)
    return [value]


_QUOTED = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_ARRAY = re.compile(rf"\[\s*{_QUOTED}(?:\s+{_QUOTED})+\s*\]", re.DOTALL)


def _use_people_as_references(material: NativeData) -> None:
    """Use people's descriptions as references of all others, in a table without references."""
    people = {o.system for o in material.outputs if o.system.lower() in PEOPLE}
    if not people or len(people) == len(material.systems):
        return
    for output in material.outputs:
        if output.system in people:
            trial = material.trials[output.trial]
            spoken = replace(output.description, speaker=output.system)
            material.trials[output.trial] = replace(trial, references=(*trial.references, spoken))
    material.outputs = [o for o in material.outputs if o.system not in people]
    named = ", ".join(sorted(people))
    material.mapping["references"] = f"rows of the system {named}"
    material.notes.append(f"Rows of {named} are the references.")


def get_format(source: str) -> str:
    """Return the ending of a file name without ``.gz``; ``rows`` for rows in memory."""
    return (Path(source.removesuffix(".gz")).suffix or ".rows").lstrip(".").lower()


def _choose_default_system(source: str) -> str:
    return "system" if source == "rows" else drop_endings(source)


def add_references(material: NativeData, sources: Sequence[str | Path], declared: Declared) -> None:
    """Add references from other files to the items of a table: by the item's id from tables, line by line from texts.

    Raises:
        InputError: if a file has no reference for any item, or a text has another number of lines.
    """
    for source in sources:
        if str(source).lower().endswith(TABLE_ENDINGS):
            table = unnest_rows(read_table(source))
            if material.mapping.get("trial", ORDER) == ORDER and material.kind == "table":
                raise InputError(
                    "no column names the item of an output, so that its reference is not known",
                    where=source,
                    remedy="name it: --map trial=COLUMN",
                )
            roles = infer_roles(table, ("references", "text", "trial", "scene"), Declared())
            name, text = roles.get("trial", roles.get("scene")), roles.get("references", roles.get("text"))
            if text is None or name is None:
                raise InputError(
                    f"no column is recognised as the {'reference' if text is None else 'item'}",
                    where=source,
                    remedy="call the columns item and reference",
                )
            # Where rows are numbered themselves, the item may be the scene that they are about.
            names = [c for c in (name, roles.get("scene")) if c is not None]
            asked = simplify_name(material.mapping.get("trial", ""))
            column = next((c for c in table.columns if simplify_name(c) == asked), None) or max(
                names, key=lambda c: len(set(map(format_id, table.column(c))) & material.trials.keys())
            )
            texts = [(format_id(row.get(column)), parse_texts(row.get(text))) for row in table.rows]
            material.mapping["references"] = f"{text} of {Path(source).name}, by {column}"
        else:
            lines = read_segments(source)
            if len(lines) != len(material.trials):
                raise InputError(
                    f"the file of references has {len(lines):,} lines for {len(material.trials):,} items",
                    where=source,
                    remedy="give one line per item, or a table with the items' ids",
                )
            texts = [(name, [line]) for name, line in zip(material.trials, lines, strict=True)]
            material.mapping["references"] = f"lines of {Path(source).name}, in the order of the items"
        if not any(name in material.trials and parts for name, parts in texts):
            raise InputError(
                "no item of the outputs has a reference in it", where=source, remedy="use the same ids in both"
            )
        for name, parts in texts:
            if name in material.trials and parts:
                material.add_trial(make_trial(name or "", parts, language=declared.language))


def read_trials_of_table(path: str | Path) -> list[Trial]:
    """Return the trials of a corpus in a table: a row per object, or a row per item with references.

    Raises:
        InputError: if no column names the item, or none has references or objects.
    """
    table, declared = read_table(path), Declared()
    numbered = find_numbered_references(table.columns)
    roles = infer_roles(table, ("references", "text", "trial", "target", "language", "scene", "speaker"), declared)
    texts = numbered or [roles[role] for role in ("references", "text") if role in roles][:1]
    if is_objects_table(table) and (not texts or set(texts) <= set(_find_trial_texts(table))):
        return list(read_objects(table, declared).values())
    name = roles.get("trial", roles.get("scene"))
    if name is None or not texts:
        raise InputError(
            f"no column is recognised as the {'item' if name is None else 'reference'}",
            where=path,
            remedy=f"call it {'item' if name is None else 'reference'} (columns are {', '.join(table.columns[:20])})",
        )
    corpus = NativeData("table", get_format(table.source))
    for row, line in zip(table.rows, table.lines, strict=True):
        cell = _make_cell_getter(row, roles)
        item = format_id(row.get(name))
        if item is None:
            raise MalformedInput(f"the cell {name!r} is empty", where=path, line=line, remedy="give every row an id")
        picture = format_id(cell("scene")) or ""
        trial = make_trial(
            item,
            [text for column in texts for text in parse_texts(row.get(column))],
            scene=picture or None,
            speaker=format_id(cell("speaker")),
            language=format_id(cell("language")),
            picture=picture if picture.lower().endswith(PICTURE_ENDINGS) else "",
        )
        targets = tuple(filter(None, map(format_id, _parse_list(cell("target")))))
        entities = tuple(Entity(id=target) for target in targets)
        corpus.add_trial(replace(trial, scene=replace(trial.scene, entities=entities), targets=targets))
    return list(corpus.trials.values())


PICTURE_ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".svg")


# -- scenes --------------------------------------------------------------------------------------------------------------

_OBJECT = ("object", "objectid", "entity", "entityid", "objid", "id", "name")
_SCENE = (
    "trial",
    "trialid",
    "item",
    "itemid",
    "scene",
    "sceneid",
    "display",
    "image",
    "imageid",
    "context",
    "contextid",
)
_IS_TARGET = ("target", "istarget", "referent", "isreferent")


def is_objects_table(table: Table) -> bool:
    """Return whether rows are objects: several rows per trial, with ids."""
    simple = {simplify_name(c) for c in table.columns}
    has_objects = bool(simple & set(_SCENE)) and bool(simple & set(_OBJECT)) and "entities" not in simple
    return has_objects and ("text" not in simple or bool(_find_trial_texts(table)))


def _find_trial_texts(table: Table) -> list[str]:
    """Return the columns of references in a table of objects with marked targets: of one text for all rows of a trial."""
    by_name = {simplify_name(c): c for c in reversed(table.columns)}
    scene = next((by_name[n] for n in _SCENE if n in by_name), "")
    trials = {str(row.get(scene)) for row in table.rows}
    if len(trials) == len(table.rows) or not any(n in by_name for n in _IS_TARGET):
        return []
    names = {*ROLES["references"][0], *ROLES["text"][0], *map(simplify_name, find_numbered_references(table.columns))}
    cells = {
        c: {(str(row.get(scene)), str(row[c])) for row in table.rows if not is_missing(row.get(c))}
        for c in table.columns
        if simplify_name(c) in names
    }
    return [c for c, pairs in cells.items() if pairs and len(pairs) == len({trial for trial, _ in pairs})]


def read_objects(table: Table, declared: Declared) -> dict[str, Trial]:
    """Return the scenes of a table with a row per object: its trial, its id, and attributes in the other columns.

    A column `target` with yes and no (1 and 0) marks the target; a description of it in its row is a reference.
    """
    by_name = {simplify_name(c): c for c in reversed(table.columns)}
    scene = (
        declared.column("trial")
        if declared.column("trial") in table.columns
        else next((by_name[n] for n in _SCENE if n in by_name), None)
    )
    thing = declared.column("object") or next(
        (by_name[n] for n in _OBJECT if n in by_name and by_name[n] != scene), None
    )
    if scene is None or thing is None:
        missing = "trial" if scene is None else "object"
        raise table.make_error(
            f"no column names the {missing} of a row", f"columns are {', '.join(table.columns)}: --map {missing}=COLUMN"
        )
    mark = next((by_name[n] for n in _IS_TARGET if n in by_name), None)
    texts = _find_trial_texts(table)
    attributes = [c for c in table.columns if c not in (scene, thing, mark, *texts)]
    entities: dict[str, list[Entity]] = {}
    targets: dict[str, list[str]] = {}
    references: dict[str, dict[str, None]] = {}
    for row, line in zip(table.rows, table.lines, strict=True):
        name, label = format_id(row.get(scene)), format_id(row.get(thing))
        if name is None or label is None:
            raise table.make_error(f"{scene!r} or {thing!r} is empty", "write both ids", line)
        here = entities.setdefault(name, [])
        if any(e.id == label for e in here):
            raise table.make_error(f"object {label!r} occurs twice in {name!r}", "write each object in one row", line)
        pairs = tuple(Property(c, _format_value(row[c])) for c in attributes if not is_missing(row.get(c)))
        here.append(Entity(id=label, attributes=pairs))
        references.setdefault(name, {}).update(dict.fromkeys(text for c in texts for text in parse_texts(row.get(c))))
        value = None if mark is None else format_id(row.get(mark))
        if value is not None and (_is_marked(value) or value == label):
            targets.setdefault(name, []).append(label)
    return {
        name: Trial(
            id=name,
            scene=Scene(entities=tuple(things), id=name),
            targets=tuple(targets.get(name, ())),
            references=tuple(Description(text=text) for text in references[name]),
        )
        for name, things in entities.items()
    }


_SCENES = ("entities", "objects", "scene", "context", "candidates", "referents", "display", "images", "items")


def read_scenes_of_rows(table: Table, declared: Declared) -> dict[str, Trial] | None:
    """Return the scenes of a table with a list of objects in each row; None if no column has such lists.

    Raises:
        InputError: if no column names the trial.
    """
    column = next(
        (c for c in table.columns if get_usual_name(c) in _SCENES and any(map(_are_things, table.column(c)))), None
    )
    if column is None:
        return None
    trial = find_column(table, "trial", declared, [column])
    if trial is None:
        raise table.make_error("no column names the trial of a row", "--map trial=COLUMN")
    target, reference = (find_column(table, role, Declared(), [column, trial]) for role in ("target", "references"))
    target = None if _holds_texts(table, target) else target
    trials: dict[str, Trial] = {}
    for row, line in zip(table.rows, table.lines, strict=True):
        name, things = format_id(row.get(trial)), row.get(column) or ()
        if name is None or not _are_things(things):
            raise table.make_error(f"{trial!r} or {column!r} is empty", "write both ids", line)
        entities = tuple(_make_entity(thing, number) for number, thing in enumerate(things))
        ids = [e.id for e in entities]
        if len(set(ids)) < len(ids):
            raise table.make_error(f"two objects of {name!r} have the same id", "give each object a different id", line)
        marked = [
            e.id
            for e, thing in zip(entities, things, strict=True)
            if any(_is_marked(v) for k, v in thing.items() if simplify_name(k) in _IS_TARGET)
        ]
        named = [t for t in map(format_id, _parse_list(row.get(target or ""))) if t is not None]
        if unknown := set(named) - set(ids):
            raise table.make_error(
                f"the target {min(unknown)!r} is not among the objects of {name!r}",
                f"objects are {', '.join(ids)}",
                line,
            )
        scene = Scene(entities=entities, id=name)
        known = trials.setdefault(name, Trial(id=name, scene=scene, targets=tuple(marked or named)))
        if known.scene != scene:
            raise table.make_error(
                f"{name!r} has other objects in an earlier row",
                "repeat the same objects, or give the trials different ids",
                line,
            )
        texts = dict.fromkeys(known.references) | dict.fromkeys(
            Description(text=text) for text in parse_texts(row.get(reference or ""))
        )
        trials[name] = replace(known, references=tuple(texts))
    return trials


def _are_things(cell: Any) -> bool:
    return isinstance(cell, list) and bool(cell) and all(isinstance(part, dict) and part for part in cell)


def _make_entity(thing: Mapping[str, Any], number: int) -> Entity:
    """Return an object as an entity; without an id, its position from 0 is its id."""
    by_name = {simplify_name(k): k for k in reversed(list(thing))}
    key = next((by_name[n] for n in _OBJECT if n in by_name), None)
    label = format_id(thing[key]) if key is not None else None
    pairs = [
        (name, value)
        for k, v in thing.items()
        if k != key and simplify_name(k) not in _IS_TARGET
        for name, value in (v.items() if isinstance(v, dict) else [(k, v)])
    ]
    attributes = tuple(
        Property(str(k), _format_value(v)) for k, v in pairs if not is_missing(v) and not isinstance(v, list | dict)
    )
    return Entity(id=label or str(number), attributes=attributes)


def _is_marked(cell: Any) -> bool:
    return (format_id(cell) or "").lower() in ("1", "true", "yes", "target", "ja", "oui")


def _format_value(cell: Any) -> str:
    """Return a cell as the value of an attribute."""
    number = parse_number(cell) if isinstance(cell, str) and "," in cell else None
    return (
        as_value(cell if number is None else number)
        if not isinstance(cell, str) or number is not None
        else cell.strip()
    )


# How files name items of RefCOCO and its relatives, and where a trial has that name.
_KEYS: dict[str, Callable[[Trial], Any]] = {
    "refid": lambda trial: trial.meta.get("ref"),
    "annid": lambda trial: " ".join(trial.targets) if "ref" in trial.meta else None,
    "sentid": lambda trial: trial.id.rpartition("-")[2] if "ref" in trial.meta else None,
    "questionid": lambda trial: trial.meta.get("question"),
}


def _merge_by_key(trials: Iterable[Trial], key_of: Callable[[Trial], Any]) -> dict[str, Trial]:
    """Return trials by key; those with one key are merged with all their references."""
    merged: dict[str, Trial] = {}
    for trial in trials:
        key = format_id(key_of(trial))
        if key is None:
            continue
        first = merged.setdefault(key, trial)
        if first is not trial:
            new = tuple(r for r in trial.references if r not in first.references)
            merged[key] = replace(first, references=(*first.references, *new))
    return merged


def _choose_trial(name: str, trial: Trial, candidates: Sequence[Trial], where: object) -> Trial:
    """Return the one trial of a scene that fits an item: the only one, or the one with the item's target."""
    targets = tuple(trial.meta.get("targets", ()))
    if not candidates:
        raise UnknownTrial(
            f"item {name!r} has no scene",
            where=where,
            remedy="use the same ids in both files, or --map trial=COLUMN",
        )
    if targets and len(candidates) > 1:
        # Of another object of the scene nothing but the scene is known.
        same = [c for c in candidates if set(c.targets) == set(targets)]
        return same[0] if len(same) == 1 else replace(candidates[0], references=())
    if len(candidates) > 1:
        raise InputError(
            f"item {name!r} names a scene with {len(candidates)} trials ({', '.join(c.id for c in candidates[:3])} …)",
            where=where,
            remedy="name the column with the trial (--map trial=COLUMN) or with the target (--map target=COLUMN)",
        )
    return candidates[0]


def attach_scenes(material: NativeData, trials: Mapping[str, Trial], where: object) -> None:
    """Add scenes to the trials of a table, keeping references and targets of both.

    Raises:
        UnknownTrial: if an item has no scene.
        InputError: if a target is no object of its scene.
    """
    by_scene: dict[str, list[Trial]] = {}
    for candidate in trials.values():
        by_scene.setdefault(candidate.scene.id or "", []).append(candidate)
    column = simplify_name(material.mapping.get("trial", ""))
    by_key = _merge_by_key(trials.values(), _KEYS[column]) if column in _KEYS else {}
    for name, trial in material.trials.items():
        candidates = by_scene.get(trial.scene.id or "") or by_scene.get(name) or []
        scene = by_key.get(name) or trials.get(name) or _choose_trial(name, trial, candidates, where)
        targets = tuple(trial.meta.get("targets", ())) or scene.targets
        unknown = [t for t in targets if t not in {e.id for e in scene.scene.entities}]
        if unknown:
            raise InputError(
                f"target {unknown[0]!r} of item {name!r} is not an object of its scene",
                where=where,
                remedy=f"objects are {', '.join(e.id for e in scene.scene.entities)}",
            )
        references = trial.references or scene.references
        material.trials[name] = replace(
            scene, id=name, targets=targets, references=references, speaker=trial.speaker or scene.speaker
        )
