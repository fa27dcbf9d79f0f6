"""Plain tables of boxes or points beside gold boxes, as scripts of grounding write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from referee.corpora.natives.columns import find_column, infer_roles, simplify_name
from referee.corpora.natives.described import parse_texts
from referee.corpora.natives.logs import LogAnswer
from referee.corpora.natives.material import Declared, format_id, parse_number
from referee.corpora.reading.tables import Table, is_missing
from referee.errors import InputError, MalformedInput
from referee.files import drop_endings
from referee.geometry import Box, Convention, Order, Point, Size, Unit, WrongConvention
from referee.models.answers.place_outcomes import PlaceAnswer, place_answer_of
from referee.records import Outcome

_ANSWER = re.compile(r"pred|answer|output|response|hyp|model|click|generated|result")
_GOLD = re.compile(r"gt|gold|groundtruth|target|label|solution|true|ref|annot|human")
_PLACE = re.compile(r"bbox|box|point|coord|region|rect|xyxy|xywh")
# Columns of single numbers, by their endings; the order that these names state.
_CORNERS = {
    ("x1", "y1", "x2", "y2"): Order.XYXY,
    ("xmin", "ymin", "xmax", "ymax"): Order.XYXY,
    ("left", "top", "right", "bottom"): Order.XYXY,
    ("x", "y", "w", "h"): Order.XYWH,
    ("x", "y", "width", "height"): Order.XYWH,
}
SLACK = 1.02
FEW = 0.05
"""A proportion of boxes that may be mistakes in the file."""


def has_boxes(table: Table, declared: Declared) -> bool:
    """Return whether a table has a model's box or point, in numbers or in words, beside a gold box."""
    table = _join_columns(table)
    answer = _find_column(table, "box", declared) or _find_words(table, declared)
    return answer is not None and _find_column(table, "gold_box", declared) is not None


def lengthen_boxes(table: Table, declared: Declared) -> Table:
    """Return a table with a row per system, from one with a column of places per system, which `systems` names."""
    if len(declared.systems) < 2 or not all(_holds_coordinates(table, column) for column in declared.systems):
        return table
    trial = find_column(table, "trial", declared) or "trial"
    rows = [{**row, trial: row.get(trial, number)} for number, row in enumerate(table.rows, 1)]
    return Table.of(table.source, rows, table.lines).lengthen(
        {name: {name: "answer"} for name in declared.systems}, "system"
    )


def _find_words(table: Table, declared: Declared) -> str | None:
    """Return the column with models' words, if most of its cells contain coordinates."""
    asked = [c for c in table.columns if simplify_name(c) in _EXPRESSIONS]
    column = find_column(table, "text", declared, asked)
    words = [c for c in table.column(column)[:2000] if isinstance(c, str)] if column is not None else []
    is_place = [len(re.findall(r"\d+(?:\.\d+)?", text)) > 1 for text in words]
    return column if words and sum(is_place) > len(words) / 2 else None


def iterate_box_answers(table: Table, declared: Declared, mapping: dict[str, str]) -> Iterator[LogAnswer]:
    """Yield the answers of a table of boxes; the columns and conventions used are added to `mapping`.

    Raises:
        InputError: if the order or unit of the numbers is not declared and cannot be inferred.
    """
    table = _join_columns(table)
    answer, gold = _find_column(table, "box", declared), _find_column(table, "gold_box", declared) or ""
    words = _find_words(table, declared) if answer is None else None
    answer = answer or words or ""
    rest = {role: c for role, c in declared.columns.items() if role not in ("box", "gold_box", "gold", "text")}
    roles = infer_roles(table, ("trial", "system"), Declared(columns=rest))
    expression = next((c for c in table.columns if simplify_name(c) in _EXPRESSIONS), None)
    scene = find_column(table, "scene", Declared(), roles.values())
    sizes = [_parse_size(row) for row in table.rows]
    golds = [_parse_box(row, gold, table.source, line) for row, line in zip(table.rows, table.lines, strict=True)]
    gold_unit = Unit.SHARE if max(max(box) for box in golds) <= 1.0 else Unit.PIXELS
    gold_convention = Convention(gold_unit, _infer_gold_order(gold, golds, sizes, declared, table.source))
    convention = _infer_convention(table, answer, declared) if words is None else gold_convention
    if convention.unit is not gold_unit and None in sizes:
        raise table.make_error(
            f"answers in {convention.unit} cannot be compared with gold boxes in {gold_unit} without the pictures' sizes",
            "add columns width and height",
        )
    mapping.update({"trial": "position of the row", **roles, "box": answer, "gold_box": gold})
    if words is None:
        mapping["convention"] = str(convention)
    stem = drop_endings(table.source)
    for number, (row, line) in enumerate(zip(table.rows, table.lines, strict=True)):
        cell = row.get(answer)
        numbers = _parse_numbers(cell)
        try:
            gold_box = Box(golds[number], gold_convention)
            parsed = _make_answer(numbers, convention) if words is None else None
        except WrongConvention as wrong:
            raise table.make_error(str(wrong), "correct the numbers", line) from None
        if parsed is None and words is None:
            raise table.make_error(f"{answer!r} holds {len(numbers)} numbers", "a box has 4, a point 2", line)
        yield LogAnswer(
            trial=format_id(row.get(roles["trial"])) or "" if "trial" in roles else str(number + 1),
            model=(format_id(row.get(roles["system"])) if "system" in roles else None) or stem,
            content=None if is_missing(cell) and "error" in table.columns else "" if words is None else str(cell or ""),
            where=table.source,
            line=line,
            references=tuple(parse_texts(row.get(expression))) if expression else (),
            gold=gold_box,
            size=sizes[number],
            parsed=parsed,
            scene=None if scene is None else format_id(row.get(scene)),
        )


def _make_answer(numbers: Sequence[float], convention: Convention) -> PlaceAnswer | None:
    """Return coordinates as an answer: zeros mean that nothing was found; None unless there are 2 or 4 numbers."""
    if not any(numbers):
        return PlaceAnswer(Outcome.UNPARSABLE)
    if len(numbers) == 2:
        order = Order.YX if str(convention.order).startswith("y") else Order.XY
        return place_answer_of([Point((numbers[0], numbers[1]), Convention(convention.unit, order))])
    if len(numbers) != 4:
        return None
    a, b, c, d = numbers
    return place_answer_of([Box((a, b, c, d), convention)])


_EXPRESSIONS = ("expression", "referringexpression", "caption", "sentence", "sent", "query", "instruction", "phrase")


def _find_column(table: Table, role: str, declared: Declared) -> str | None:
    """Return the column of the answer's place (`box`) or of the gold box (`gold_box`), by its name and cells."""
    name = declared.column(role)
    if name is not None and name not in table.columns:
        raise table.make_error(f"there is no column {name!r} for {role}", f"columns are {', '.join(table.columns)}")
    if name is not None:
        return name
    wanted, other = (_ANSWER, _GOLD) if role == "box" else (_GOLD, _ANSWER)
    lists = [c for c in table.columns if _holds_places(table, c)]
    named = [c for c in lists if wanted.search(simplify_name(c)) and not other.search(simplify_name(c))]
    # A plain `bbox` beside the answer of a model is the gold box.
    if role == "gold_box" and not named:
        named = [c for c in lists if simplify_name(c) in ("bbox", "box") and not other.search(simplify_name(c))]
    if len(named) > 1:
        raise table.make_error(
            f"several columns could be the {role}: {', '.join(named)}",
            "choose one: "
            + " or ".join(f"--map {role}={c}" for c in named)
            + (f"; for one column a system: --systems {','.join(named)}" if role == "box" else ""),
        )
    return named[0] if named else None


def _holds_places(table: Table, column: str) -> bool:
    """Return whether a column has boxes or points, by its name and most of its cells."""
    name = simplify_name(column)
    return any(p.search(name) for p in (_PLACE, _ANSWER, _GOLD)) and _holds_coordinates(table, column)


def _holds_coordinates(table: Table, column: str) -> bool:
    """Return whether most cells of a column are two or four numbers."""
    cells = [c for c in table.column(column)[:200] if not is_missing(c)] if column in table.columns else []
    return bool(cells) and sum(len(_parse_numbers(c)) in (2, 4) for c in cells) > len(cells) / 2


def _parse_numbers(cell: Any) -> list[float]:
    """Return the numbers of a cell: a list, or a text of numbers in brackets."""
    if hasattr(cell, "tolist"):
        cell = cell.tolist()
    if isinstance(cell, list | tuple):
        flat = [n for part in cell for n in (part if isinstance(part, list | tuple) else [part])]
        parsed = [parse_number(n) for n in flat]
        return [] if any(n is None for n in parsed) else [n for n in parsed if n is not None]
    if isinstance(cell, str) and re.fullmatch(r"[\s\[\](),;\d.eE+-]*", cell):
        return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?(?:[eE]-?\d+)?", cell)]
    return []


def _join_columns(table: Table) -> Table:
    """Return the table with one column of lists in place of several columns of numbers (``pred_x1``, ``pred_y1`` …).

    Their name states the order.
    """
    groups: dict[str, Sequence[str]] = {}
    by_name = {simplify_name(c): c for c in table.columns}
    for corners, order in _CORNERS.items():
        for name in by_name:
            before = name.removesuffix(corners[0])
            columns = [by_name.get(f"{before}{corner}") for corner in corners]
            if before and name.endswith(corners[0]) and all(columns):
                groups.setdefault(f"{before} {order}", [str(c) for c in columns])
    if not groups:
        return table
    used = {c for columns in groups.values() for c in columns}
    rows = [
        {
            **{k: v for k, v in row.items() if k not in used},
            **{name: [row.get(c) for c in columns] for name, columns in groups.items()},
        }
        for row in table.rows
    ]
    return Table.of(table.source, rows, table.lines)


def _parse_box(row: Mapping[str, Any], column: str, where: str, line: int) -> tuple[float, float, float, float]:
    """Return the four numbers of a gold box. Raises MalformedInput for another count."""
    numbers = _parse_numbers(row.get(column))
    if len(numbers) != 4:
        raise MalformedInput(
            f"{column!r} does not have four numbers", where=where, line=line, remedy="a gold box has four"
        )
    a, b, c, d = numbers
    return a, b, c, d


def _parse_size(row: Mapping[str, Any]) -> Size | None:
    """Return the size of the picture from its columns; None if they are missing."""
    by_name = {simplify_name(k): v for k, v in row.items()}
    pairs = (
        ("width", "height"),
        ("imagewidth", "imageheight"),
        ("imgwidth", "imgheight"),
        ("w", "h"),
        ("imgw", "imgh"),
    )
    for names in pairs:
        width, height = (parse_number(by_name.get(name)) for name in names)
        if width and height:
            return Size(int(width), int(height))
    numbers = _parse_numbers(by_name.get("imagesize", by_name.get("imgsize")))
    return Size(int(numbers[0]), int(numbers[1])) if len(numbers) == 2 else None


def _infer_gold_order(
    column: str,
    boxes: Sequence[tuple[float, float, float, float]],
    sizes: Sequence[Size | None],
    declared: Declared,
    where: str,
) -> Order:
    """Return the order of numbers in gold boxes: declared, in the column's name, or the only one that all boxes allow."""
    text = declared.column("gold") or next((o for o in ("xyxy", "xywh") if o in simplify_name(column)), None)
    if text is not None:
        if text not in ("xyxy", "xywh"):
            raise InputError(f"no order is called {text!r}", remedy="--map gold=xyxy or --map gold=xywh")
        return Order(text)
    is_share = max(max(b) for b in boxes) <= 1.0
    limits = [s if s is not None and not is_share else Size(1, 1) for s in sizes]
    as_sizes = [c < a or d < b for a, b, c, d in boxes]
    as_corners = [
        (is_share or known is not None) and (a + c > size.width * SLACK or b + d > size.height * SLACK)
        for (a, b, c, d), size, known in zip(boxes, limits, sizes, strict=True)
    ]
    # A few wrong boxes decide nothing for all others.
    if sum(as_sizes) > FEW * len(boxes) and sum(as_corners) <= FEW * len(boxes):
        return Order.XYWH
    if sum(as_corners) > FEW * len(boxes) and sum(as_sizes) <= FEW * len(boxes):
        return Order.XYXY
    raise InputError(
        f"it is unknown whether the gold boxes in {column!r} are x1, y1, x2, y2 or x, y, width, height",
        where=where,
        remedy="--map gold=xyxy or --map gold=xywh",
    )


def parse_convention(text: str) -> Convention:
    """Return a convention from its text. Raises InputError for an invalid one."""
    try:
        return Convention.of(text.removeprefix("="))
    except WrongConvention as wrong:
        raise InputError(str(wrong), remedy='for example --convention "0-1000 xyxy"') from None


def is_beyond(numbers: Sequence[float]) -> bool:
    """Return whether numbers go beyond 1000, and not just stray ones."""
    count = sum(n > 1000 * SLACK for n in numbers)
    # Of the four numbers of a box few are as large as the picture.
    return count > max(0, FEW / 4 * len(numbers))


def _infer_convention(table: Table, column: str, declared: Declared) -> Convention:
    """Return the convention of all answers: declared, in the column's name, or inferred from the range of numbers."""
    if declared.convention:
        return parse_convention(declared.convention)
    numbers = [n for cell in table.column(column) for n in _parse_numbers(cell)]
    is_point = any(len(_parse_numbers(cell)) == 2 for cell in table.column(column))
    order = next((Order(o) for o in ("xyxy", "xywh") if o in simplify_name(column)), Order.XYXY if is_point else None)
    largest = max(numbers, default=0.0)
    unit = Unit.SHARE if largest <= 1.0 else Unit.PIXELS if is_beyond(numbers) else None
    if order is None or unit is None:
        orders = ["xyxy", "xywh"] if order is None else [str(order)]
        units = [Unit.PIXELS, Unit.OF_1000] if unit is None else [unit]
        choices = " or ".join(f'--convention "{u} {o}"' for u in units for o in orders)
        raise table.make_error(
            f"the convention of the numbers in {column!r} is unknown (the largest is {largest:g})",
            f"declare it for the whole file: {choices}",
        )
    return Convention(unit, order)
