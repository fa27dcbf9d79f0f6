"""Boxes and points of vision-language models for people's expressions (REC-Eval), with gold boxes.

RefCOCO, RefCOCOg, PersReFex.

A reading is a file of the folder. The files neither contain nor name the pictures, so proportional numbers cannot be
converted to pixels, and expressions of one picture cannot be grouped. Answers are used as recorded: four numbers are a
box, a text is none; `prose` also extracts boxes from texts. A pointing model (Molmo) answers with texts with ``<point
…>``, or with lists of x and y in per cent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from referee.contracts import Card
from referee.corpora.outputs import Output
from referee.corpora.place_records import parse_numbers, size_from_json
from referee.corpora.reading.folder import locate
from referee.corpora.reading.lines import WrongShape, get_field, get_optional_field, parse_object, read_lines
from referee.corpora.reading.packed import REMEDY, Unheard, add_location
from referee.errors import DataNotFound, MalformedInput, UnknownName
from referee.geometry import Box, Convention, Order, Place, Point, ScenePicture, Size, Unit, WrongConvention
from referee.grounding.overlap import iou, on_pixels
from referee.models.answers.place_outcomes import PlaceAnswer, parse_place_answer, place_answer_of
from referee.records import Description, Entity, Outcome, Response, Scene, Trial

FOLDER = "rec-eval"
SUFFIXES = (".jsonl.gz", ".jsonl")
READINGS = ("RefCOCO", "RefCOCOg", "PersReFex")
POINTS = "molmo"
POINT_TAG = "<point"
PERCENT = Convention(Unit.PERCENT, Order.XY)
Row = Mapping[str, Any]


class RecEval(Unheard):
    """1,975 expressions of RefCOCO, 5,023 of RefCOCOg (val), 2,970 of PersReFex.

    `reading` is the stem of a file in the folder; `gold` how boxes are written in it: xywh in RefCOCO's family, xyxy
    in PersReFex; of other files, the order in which more of the recorded boxes overlap with them.
    """

    card = Card(
        name="rec-eval",
        title="REC-Eval: boxes and points of vision-language models for RefCOCO, RefCOCOg and PersReFex",
        source="teaywright/REC-Eval on GitHub, commit a8d22ac",
        licence="none stated",
        languages=("en",),
        citation="teaywright 2025, REC-Eval; RefCOCO: Yu et al. 2016; RefCOCOg: Mao et al. 2016; PersReFex: Tang et al. 2024",
        faults=(
            "pictures are neither included nor named: intervals are over items, though expressions of one picture depend on each other",
            "34 boxes of PersReFex are inverted (a right edge left of the left one): they are kept and not scored",
            "boxes are x, y, width, height in RefCOCO and RefCOCOg and x1, y1, x2, y2 in PersReFex; answers are x1, y1, x2, y2",
            "Qwen2.5-VL's boxes on PersReFex are pixels of the picture as resized, not of the original",
            "Molmo's points are in percent of pictures whose size is not known, so they cannot be scored",
        ),
        files=tuple(f"rec-eval/{reading}.jsonl.gz" for reading in READINGS),
    )

    def __init__(self, data: str | Path | None = None, reading: str = "RefCOCO", gold: str = "") -> None:
        super().__init__(data)
        self.reading = reading
        self.declared = gold or ("xywh" if reading.startswith("RefCOCO") else "xyxy" if reading in READINGS else "")

    @cached_property
    def gold(self) -> Order:
        """How the boxes meant are written."""
        return _parse_order(self.declared) if self.declared else _infer_order(self.path())

    def path(self) -> Path:
        """Return the file of the reading. Raises an error with the existing names for an unknown one."""
        for suffix in SUFFIXES:
            # Names only: a reading must not lead out of the folder.
            if Path(self.reading).name != self.reading:
                break
            try:
                return locate(self.data, FOLDER, [self.reading + suffix]) / (self.reading + suffix)
            except DataNotFound:
                continue
        readings = _list_readings(self.data)
        if not readings:
            locate(self.data, FOLDER, [READINGS[0] + SUFFIXES[0]])
        raise UnknownName("reading", self.reading, readings, hint=f"one of {', '.join(readings)}")

    def trials(self) -> Iterator[Trial]:
        """Yield a trial for every expression of the reading."""
        path, order = self.path(), self.gold
        for line, row in read_box_lines(path):
            with add_location(path, line):
                yield _make_trial(row, self.reading, order)

    def recorded(self, prose: bool = False) -> Iterator[Output]:
        """Yield the models' answers, one output per model and expression.

        With `prose` each model occurs a second time (``qwen25vl+prose``), with boxes extracted from its texts.
        """
        path = self.path()
        pointing = _find_pointing_models(path)
        for line, row in read_box_lines(path):
            with add_location(path, line):
                trial = _make_id(row, self.reading)
                for model, answer in get_field(row, "answers", dict).items():
                    for system, read in _list_outputs(model, answer, prose, model in pointing):
                        response = Response(trial=trial, hearer=system, outcome=read.outcome, places=read.places)
                        yield Output(trial, system, Description(), str(path), line, response)


def _list_outputs(model: str, answer: Any, prose: bool, points: bool) -> Iterator[tuple[str, PlaceAnswer]]:
    """Return the output of a model for an answer, and with `prose` the output for its second version."""
    yield model, read_recorded_answer(model, answer, points=points)
    if prose:
        yield f"{model}+prose", read_recorded_answer(model, answer, prose=True, points=points)


def _find_pointing_models(path: Path) -> set[str]:
    """Return the models that point, by their answers: most of their places are points."""
    votes: Counter[str] = Counter()
    for _, row in read_box_lines(path):
        for model, answer in row["answers"].items():
            if isinstance(answer, str):
                votes[model] += POINT_TAG in answer
            elif isinstance(answer, list) and answer and not isinstance(answer[0], dict):
                votes[model] += 1 if len(answer) == 2 else -1
    return {model for model, count in votes.items() if count > 0 or model.startswith(POINTS)}


def _infer_order(path: Path) -> Order:
    """Return the order of numbers in gold boxes: the order in which they overlap most with the models' boxes."""
    pairs = [
        (row["gt"], answer) for _, row in read_box_lines(path) for answer in row["answers"].values() if _is_box(answer)
    ]
    gold, boxes = (np.array([pair[side] for pair in pairs], dtype=float).reshape(-1, 4) for side in (0, 1))

    def right(order: Order) -> int:
        meant = on_pixels(gold, Convention(order=order), [None] * len(pairs))
        return int((iou(boxes, meant) >= 0.5).sum())

    return Order.XYWH if right(Order.XYWH) > right(Order.XYXY) else Order.XYXY


def _is_box(answer: Any) -> bool:
    return isinstance(answer, list) and len(answer) == 4 and all(type(n) in (int, float) for n in answer)


def _list_readings(data: str | Path | None) -> list[str]:
    """Return the readings in the folder."""
    folder = locate(data, FOLDER, [])
    files = folder.iterdir() if folder.is_dir() else ()
    return sorted({p.name.removesuffix(s) for p in files for s in SUFFIXES if p.name.endswith(s)})


def _parse_order(gold: str) -> Order:
    """Return the order of box numbers. Raises UnknownName for an unknown one."""
    if gold not in list(Order):
        raise UnknownName("order of box numbers", gold, list(Order), hint="xywh or xyxy")
    return Order(gold)


def read_box_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the checked lines of a file: ``gt`` (four numbers) and ``answers`` by model."""
    line = 0
    for line, text in read_lines(path):
        with add_location(path, line):
            row = parse_object(text)
            parse_numbers(get_field(row, "gt", list), 4)
            get_field(row, "answers", dict)
        yield line, row
    if not line:
        raise MalformedInput("the file is empty", where=path, remedy=REMEDY)


def _make_id(row: Row, reading: str) -> str:
    name = row.get("i")
    return f"{reading}-{name if isinstance(name, str) and name else get_field(row, 'i', int)}"


def _make_trial(row: Row, reading: str, order: Order) -> Trial:
    """Return one expression as a trial with its gold box."""
    region = Box(parse_numbers(row["gt"], 4), Convention(order=order))
    text = get_optional_field(row, "text", str)
    return Trial(
        id=_make_id(row, reading),
        scene=Scene(entities=(Entity(id="gold", region=region),), complete=False, picture=_read_picture(row)),
        targets=("gold",),
        domain="photographs",
        condition=reading,
        references=() if text is None else (Description(text=text),),
    )


def _read_picture(row: Row) -> ScenePicture | None:
    """Return the picture that a row names, with its size; the original files name none."""
    size: Size | None = size_from_json(row) if row.get("size") is not None else None
    path = get_optional_field(row, "picture", str)
    return ScenePicture(path=path or "", size=size) if path is not None or size is not None else None


def read_recorded_answer(model: str, answer: Any, prose: bool = False, points: bool = False) -> PlaceAnswer:
    """Return one recorded answer: four numbers, detections with scores (the highest counts), points of a pointing
    model, or a text.

    Anything else is unparsable: it is a model's answer, not an error of the file.
    """
    if isinstance(answer, str):
        read = parse_place_answer(answer, "molmo") if POINT_TAG in answer else PlaceAnswer(Outcome.UNPARSABLE)
        # Molmo's texts without a point are as unreadable as those of others; `prose` reads them.
        return (
            read if read.places else parse_place_answer(answer, "prose") if prose else PlaceAnswer(Outcome.UNPARSABLE)
        )
    if answer is None or answer == []:
        return PlaceAnswer(Outcome.EMPTY)
    try:
        return place_answer_of(_parse_places(answer, points or model.startswith(POINTS)))
    except (WrongShape, WrongConvention):
        return PlaceAnswer(Outcome.UNPARSABLE)


def _parse_places(answer: Any, points: bool) -> list[Place]:
    """Return the places of a recorded answer."""
    if isinstance(answer, list) and isinstance(answer[0], dict):
        best = max(answer, key=lambda detection: get_field(detection, "score", float))
        return [Box(parse_numbers(get_field(best, "box", list), 4))]
    if not isinstance(answer, list) or not (points or len(answer) == 2):
        return [Box(parse_numbers(answer, 4))]
    flat = parse_numbers(answer, len(answer) + len(answer) % 2)
    return [Point((flat[i], flat[i + 1]), PERCENT) for i in range(0, len(flat), 2)]
