"""What models answer about places, read: one reader a form, chosen once for a whole set of answers and never by what fits an item best.

`read_answer(text, "molmo")` gives an outcome and the places, each with its convention. Whatever the text holds, a reader answers: what it cannot read is
UNPARSABLE, a text that declines is REFUSED, one that says the thing is not there is NONE, and a box without any inside is EMPTY.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import Any, NamedTuple

from referee.errors import UnknownName
from referee.places import Box, Convention, Order, Place, Point
from referee.records import Outcome

__all__ = ["FORMS", "AnswerForm", "SeenAnswer", "read_answer", "seen"]

NUMBER = r"[-+]?\d{1,9}(?:\.\d{1,12})?"
PAIR = rf"\(\s*({NUMBER})\s*,\s*({NUMBER})\s*\)"
FOUR = rf"[\[(]\s*({NUMBER})\s*,\s*({NUMBER})\s*,\s*({NUMBER})\s*,\s*({NUMBER})\s*[\])]"
# Longer answers are not about one place; reading them whole would let one answer hold up all others.
LONGEST = 50_000
DEEPEST = 40

_PICTURE = r"in the (?:provided |given )?(?:image|picture|photo|screenshot)"
ABSENT = re.compile(
    rf"\b(?:not (?:clearly )?(?:visible|present|found|shown|depicted|{_PICTURE})|(?:is|are) no(?:t| such|t any)?\b[^.]{{0,60}}\b{_PICTURE}"
    r"|does(?: not|n['’]t) (?:exist|appear|contain|show)|no such|none of the)\b",
    re.IGNORECASE,
)
DECLINES = re.compile(
    r"\b(?:i (?:can['’]?t|cannot|can not|won['’]?t|am unable|['’]?m unable|am not able|must decline)|unable to|(?:it is|it['’]s) not possible"
    r"|cannot (?:be )?(?:accurately )?(?:provide|determine|identify|locate)d?|(?:i['’]?m|i am) sorry|infeasible|refuse)\b",
    re.IGNORECASE,
)


class SeenAnswer(NamedTuple):
    """An answer, read: what was done, and where."""

    outcome: Outcome
    places: tuple[Place, ...] = ()


Places = list[Place]
Reader = Callable[[str, Convention], Places]


class AnswerForm(NamedTuple):
    """How a family of models writes places: the reader, what its numbers mean unless somebody says otherwise, and where that is written."""

    read: Reader
    convention: str
    about: str


def read_answer(text: str, form: str, convention: Convention | None = None) -> SeenAnswer:
    """An answer of a form (see `FORMS`); `convention` where the numbers mean something else than usual.

    >>> read_answer('<point x="61.5" y="40.6" alt="the cat">the cat</point>', "molmo").places[0].numbers
    (61.5, 40.6)
    >>> read_answer("I cannot see a cat.", "molmo").outcome
    <Outcome.REFUSED: 'refused'>
    """
    if form not in FORMS:
        raise UnknownName("form of answers", form, FORMS, hint=f"one of {', '.join(FORMS)}")
    chosen = FORMS[form]
    return seen(chosen.read(text[:LONGEST], convention or Convention.of(chosen.convention)), text)


def seen(places: Sequence[Place], text: str = "") -> SeenAnswer:
    """The outcome that places amount to; without any, what the words say."""
    if len(places) > 1:
        return SeenAnswer(Outcome.SEVERAL, tuple(places))
    if not places:
        return SeenAnswer(_wordless(text[:LONGEST]))
    (place,) = places
    if isinstance(place, Point):
        return SeenAnswer(Outcome.POINT, (place,))
    return SeenAnswer(Outcome.EMPTY if isinstance(place, Box) and place.empty else Outcome.BOX, (place,))


def _wordless(text: str) -> Outcome:
    if not text.strip():
        return Outcome.EMPTY
    if re.fullmatch(r"(?:```(?:json)?)?\s*(?:\[\s*\]|none\.?|null)\s*(?:```)?", text.strip(), re.IGNORECASE):
        return Outcome.NONE
    if DECLINES.search(text):
        return Outcome.REFUSED
    return Outcome.NONE if ABSENT.search(text) else Outcome.UNPARSABLE


# -- putting numbers together ----------------------------------------------------------------------------------------------


def _box(numbers: Sequence[Any], convention: Convention) -> Places:
    a, b, c, d = map(float, numbers)
    return [Box((a, b, c, d), convention)]


def _point(numbers: Sequence[Any], convention: Convention) -> Places:
    # A convention is declared for boxes or for points; a model that gives both means the same unit.
    turned = convention.order in (Order.YX, Order.YXYX)
    x, y = map(float, numbers)
    return [Point((x, y), Convention(convention.unit, Order.YX if turned else Order.XY, convention.sent))]


def _boxlike(convention: Convention) -> Convention:
    orders = {Order.XY: Order.XYXY, Order.YX: Order.YXYX}
    return Convention(convention.unit, orders.get(convention.order, convention.order), convention.sent)


def _group(numbers: Sequence[Any], convention: Convention) -> Places:
    """Two numbers are a point, four a box; any other number of numbers is nothing we know."""
    if len(numbers) == 4:
        return _box(numbers, _boxlike(convention))
    return _point(numbers, convention) if len(numbers) == 2 else []


# -- readers ---------------------------------------------------------------------------------------------------------------

_QWEN = re.compile(rf"(?:<box>|<\|box_start\|>)\s*{PAIR}(?:\s*,\s*{PAIR})?\s*(?:</box>|<\|box_end\|>)")


def _qwen_tokens(text: str, convention: Convention) -> Places:
    return [p for m in _QWEN.finditer(text) for p in _group([n for n in m.groups() if n is not None], convention)]


_LISTS = re.compile(FOUR)
_INTERNVL = re.compile(r"<box>(.{0,2000}?)</box>", re.DOTALL)
_DET = re.compile(r"<\|det\|>(.{0,2000}?)<\|/det\|>", re.DOTALL)


def _lists(text: str, convention: Convention) -> Places:
    return [p for m in _LISTS.finditer(text) for p in _box(m.groups(), _boxlike(convention))]


_ROW = re.compile(rf"\[+\s*({NUMBER}(?:\s*[,;]\s*{NUMBER}){{1,400}})\s*\]+")


def _rows(text: str, convention: Convention) -> Places:
    """Lists in which a semicolon parts one place from the next."""
    rows = [row.split(",") for m in _ROW.finditer(text) for row in m[1].split(";")]
    return [p for row in rows for p in _group(row, convention)]


def _row_boxes(text: str, convention: Convention) -> Places:
    return [place for place in _rows(text, convention) if isinstance(place, Box)]


def _internvl(text: str, convention: Convention) -> Places:
    # Where special tokens were taken out of the answer, the lists are left; the makers' own code looks for nothing else.
    return [p for m in _INTERNVL.finditer(text) for p in _lists(m[1], convention)] or _lists(text, convention)


def _deepseek(text: str, convention: Convention) -> Places:
    return [p for m in _DET.finditer(text) for p in _lists(m[1], convention)]


_MOLMO = re.compile(r"<points?\s([^<>]{0,20000})>")
_MOLMO_NUMBER = re.compile(rf"""\b([xy])(\d{{0,4}})\s*=\s*["']\s*({NUMBER})\s*["']""")


def _molmo(text: str, convention: Convention) -> Places:
    places: Places = []
    for tag in _MOLMO.finditer(text):
        # What the point is called may hold anything, `x="3"` included.
        own = re.split(r"\balt\s*=", tag[1], maxsplit=1)[0]
        numbers: dict[str, dict[str, str]] = {}
        for axis, which, number in _MOLMO_NUMBER.findall(own):
            numbers.setdefault(which, {})[axis] = number
        for pair in numbers.values():
            if len(pair) == 2:
                places += _point((pair["x"], pair["y"]), convention)
    return places


_PALIGEMMA = re.compile(r"<loc(\d{4})><loc(\d{4})><loc(\d{4})><loc(\d{4})>")
_FLORENCE = re.compile(r"<loc_(\d{1,3})><loc_(\d{1,3})><loc_(\d{1,3})><loc_(\d{1,3})>")
_KOSMOS = re.compile(r"<patch_index_(\d{4})><patch_index_(\d{4})>")


def _paligemma(text: str, convention: Convention) -> Places:
    return [p for m in _PALIGEMMA.finditer(text) for p in _box(m.groups(), convention)]


def _florence(text: str, convention: Convention) -> Places:
    # The makers' own code takes the middle of a bin (processing_florence2.py, BoxQuantizer.dequantize).
    return [p for m in _FLORENCE.finditer(text) for p in _box([int(n) + 0.5 for n in m.groups()], convention)]


def _kosmos(text: str, convention: Convention, side: int = 32) -> Places:
    places: Places = []
    for match in _KOSMOS.finditer(text):
        first, last = int(match[1]), int(match[2])
        if max(first, last) < side * side:
            places += _box([n / side for n in _cells(first, last, side)], convention)
    return places


def _cells(first: int, last: int, side: int) -> tuple[float, ...]:
    """From the middle of one cell to the middle of the other, or whole cells where they lie in one row or column (unilm/kosmos-2/demo/decode_string.py)."""
    (y1, x1), (y2, x2) = divmod(first, side), divmod(last, side)
    if x1 == x2 or y1 == y2:
        return x1, y1, x2 + 1, y2 + 1
    return x1 + 0.5, y1 + 0.5, x2 + 0.5, y2 + 0.5


_BOX_KEYS = ("bbox_2d", "box_2d", "bbox", "box", "bounding_box", "boundingBox", "start_box")
_POINT_KEYS = ("point_2d", "point", "coordinate", "coordinates", "click", "position", "center", "centre")
_CORNER_KEYS = (("x1", "y1", "x2", "y2"), ("xmin", "ymin", "xmax", "ymax"), ("x_min", "y_min", "x_max", "y_max"))


def _json(text: str, convention: Convention) -> Places:
    for value in _values(text):
        places = _walk(value, convention, 0)
        if places:
            return places
    return []


def _values(text: str) -> Iterator[Any]:
    """JSON in a text: the whole of it, what a fence holds, or the first object or list that can be read."""
    fenced = re.search(r"```(?:json)?\s*(.*?)```", text, re.DOTALL)
    for part in (text, fenced[1] if fenced else ""):
        try:
            yield json.loads(part)
        except (ValueError, RecursionError):
            continue
    decoder = json.JSONDecoder()
    # A model that gives up half-way leaves many brackets; the first few decide.
    for match in list(re.finditer(r"[\[{]", text))[:20]:
        try:
            yield decoder.raw_decode(text, match.start())[0]
        except (ValueError, RecursionError):
            continue


def _walk(value: Any, convention: Convention, depth: int) -> Places:
    if depth > DEEPEST:
        return []
    if isinstance(value, list):
        if _are_numbers(value):
            return _group(value, convention)
        return [p for item in value[:1000] for p in _walk(item, convention, depth + 1)]
    if not isinstance(value, dict):
        return []
    for key in (*_BOX_KEYS, *_POINT_KEYS):
        if key in value and (found := _walk(value[key], convention, depth + 1)):
            return found
    for keys in (*_CORNER_KEYS, ("x", "y")):
        numbers = [value.get(key) for key in keys]
        if _are_numbers(numbers):
            # Keys say which number is which, whatever the order of the list form is.
            unit = Convention(convention.unit, Order.XYXY if len(keys) == 4 else Order.XY, convention.sent)
            if keys == ("x", "y") and _are_numbers(
                sides := [value.get("width", value.get("w")), value.get("height", value.get("h"))]
            ):
                return _box([*numbers, *sides], Convention(unit.unit, Order.XYWH, unit.sent))
            return _group(numbers, unit)
    return [p for item in list(value.values())[:1000] for p in _walk(item, convention, depth + 1)]


def _are_numbers(values: Sequence[Any]) -> bool:
    return bool(values) and all(
        isinstance(n, int | float) and not isinstance(n, bool) and _is_finite(n) for n in values
    )


def _is_finite(number: float) -> bool:
    try:
        return isfinite(float(number))
    except OverflowError:
        return False


_CLICK = re.compile(
    rf"""(?:click|tap|press|double|single|moveTo|hover|select|start_box|point)\w*\s*(?:\(|=)\s*(?:(?:start_box|point|x)\s*=\s*)?["'\[(]*\s*(?:<\|box_start\|>|<point>)?\s*\(?\s*({NUMBER})\s*(?:,|\s)\s*(?:y\s*=\s*)?({NUMBER})"""
    rf"""(?:\s*,\s*({NUMBER})\s*,\s*({NUMBER}))?""",
    re.IGNORECASE,
)
_PAIRS = re.compile(rf"[\[(]\s*({NUMBER})\s*,\s*({NUMBER})\s*[\])]")


def _click(text: str, convention: Convention) -> Places:
    """The first action that points somewhere, or else the first pair of numbers in brackets: an agent does one thing at a time."""
    tokens = _qwen_tokens(text, convention)
    if tokens:
        return tokens[:1]
    found = _CLICK.search(text)
    if found:
        return _group([n for n in found.groups() if n is not None], convention)
    if (four := _LISTS.search(text)) is not None:
        return _box(four.groups(), _boxlike(convention))
    pair = _PAIRS.search(text)
    return _point(pair.groups(), convention) if pair else _json(text, convention)


def _prose(text: str, convention: Convention) -> Places:
    """Boxes in running text: four numbers in brackets, or two corners. Never the default, for a guess at what was meant is not an answer."""
    boxes = _lists(text, convention)
    if boxes:
        return boxes[:1]
    corners = re.findall(PAIR, text)
    return _box([*corners[0], *corners[1]], _boxlike(convention)) if len(corners) == 2 else []


FORMS: dict[str, AnswerForm] = {
    "qwen-vl": AnswerForm(_qwen_tokens, "0-1000 xyxy", "<box>(x1,y1),(x2,y2)</box> (QwenLM/Qwen-VL, README)"),
    "qwen2-vl": AnswerForm(
        _qwen_tokens, "0-1000 xyxy", "<|box_start|>(x1,y1),(x2,y2)<|box_end|> (Qwen2-VL model card)"
    ),
    "qwen2.5-vl": AnswerForm(_json, "pixels xyxy sent:qwen28", 'JSON "bbox_2d" or "point_2d" (Qwen2.5-VL cookbooks)'),
    "qwen3-vl": AnswerForm(_json, "0-1000 xyxy", 'JSON "bbox_2d" (Qwen3-VL cookbooks)'),
    "internvl": AnswerForm(
        _internvl, "0-1000 xyxy", "<box>[[x1, y1, x2, y2]]</box> (InternVL, eval/refcoco/evaluate_grounding.py: / 1000)"
    ),
    "cogvlm": AnswerForm(
        _row_boxes,
        "0-1000 xyxy",
        "[[x1,y1,x2,y2]], several with a semicolon between (THUDM/CogVLM, README and utils/utils/grounding_parser.py: / 1000)",
    ),
    "deepseek-vl2": AnswerForm(
        _deepseek,
        "0-999 xyxy",
        "<|det|>[[x1, y1, x2, y2]]<|/det|> (deepseek-ai/DeepSeek-VL2, serve/app_modules/utils.py: / 999)",
    ),
    "shikra": AnswerForm(
        _rows,
        "0-1 xyxy sent:square",
        "[0.123,0.456,0.789,0.900], several with a semicolon between; shares of the picture padded to a square"
        " (shikras/shikra, box_process_function.py and utils/transform.py: expand2square)",
    ),
    "ferret": AnswerForm(_lists, "0-1000 xyxy", "[x1, y1, x2, y2] (apple/ml-ferret, eval/eval_refexp.py: / 1000)"),
    "molmo": AnswerForm(
        _molmo,
        "percent xy",
        '<point x="61.5" y="40.6" …>, <points x1=… y1=… …> (Molmo model card, discussion 1: / 100)',
    ),
    "paligemma": AnswerForm(
        _paligemma, "0-1024 yxyx", "<loc0123> four times, y x y x (paligemma_parse.py of the makers' demo: / 1024)"
    ),
    "florence-2": AnswerForm(
        _florence,
        "0-1000 xyxy",
        "<loc_123> four times, the middle of one of 1000 bins (transformers, processing_florence2.py)",
    ),
    "kosmos-2": AnswerForm(
        _kosmos,
        "0-1 xyxy",
        "<patch_index_0044><patch_index_0863>, cells of a 32 x 32 grid (transformers, processing_kosmos2.py)",
    ),
    "gemini": AnswerForm(
        _json,
        "0-1000 yxyx",
        'JSON "box_2d": [ymin, xmin, ymax, xmax] (google-gemini/cookbook, Spatial_understanding: / 1000)',
    ),
    "ui-tars": AnswerForm(_click, "0-1000 xy", "click(start_box='(x,y)') (UI-TARS 1.0; action_parser.py: factor 1000)"),
    "ui-tars-1.5": AnswerForm(
        _click,
        "pixels xy sent:qwen28",
        "click(start_box='(x,y)'), click(point='<point>x y</point>') (UI-TARS 1.5, action_parser.py: smart_resize)",
    ),
    "os-atlas": AnswerForm(
        _click,
        "0-1000 xyxy",
        "<|box_start|>(x1,y1),(x2,y2)<|box_end|> or (x,y) (OS-Copilot/OS-Atlas, README: 0 to 1000)",
    ),
    "showui": AnswerForm(
        _click, "0-1 xy", "[0.73, 0.21] or {'position': [x, y]} (showlab/ShowUI, QUICK_START.md: 0 to 1)"
    ),
    "click": AnswerForm(_click, "pixels xy", "click(x, y) and its kin, in pixels of the picture as it is"),
    "json": AnswerForm(_json, "pixels xyxy", 'plain JSON: a list of four or two numbers, "box", "point", "x1"…'),
    "prose": AnswerForm(_prose, "pixels xyxy", "the first box that running text holds: a guess, so never the default"),
}
