"""Answers with places, beside the table of scores: declared anew where a user says so, counted by outcome, and looked over by the convention detective."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from referee.contracts import FloatArray
from referee.corpora.outputs import Output
from referee.errors import InputError
from referee.geometry import Box, Convention, Mask, Order, Place, Point, Polygon, Region, Size, WrongConvention
from referee.grounding.detective import ConventionFinding, Written, investigate
from referee.grounding.overlap import iou
from referee.jobs.open import Answers
from referee.records import Outcome, Response, Trial

PLACED = (Outcome.BOX, Outcome.POINT, Outcome.SEVERAL, Outcome.EMPTY)


def declare(answers: Answers, declared: Sequence[str]) -> None:
    """Take a system's numbers as somebody says they are meant: ``SYSTEM=CONVENTION`` for each, ``=CONVENTION`` for all."""
    for text in declared:
        system, equals, written = text.partition("=")
        try:
            convention = Convention.of(written)
        except WrongConvention as wrong:
            raise InputError(str(wrong), remedy='for example --convention "qwen25vl=pixels xyxy sent:qwen28"') from None
        if not equals or (system and system not in answers.by_system):
            system_names = ", ".join(answers.by_system)
            raise InputError(
                f"no system is called {system!r}",
                remedy=f"--convention takes SYSTEM=CONVENTION; systems: {system_names}",
            )
        for name in [system] if system else list(answers.by_system):
            outputs = answers.by_system[name]
            for trial, output in outputs.items():
                outputs[trial] = _declared(output, convention)


def _declared(output: Output, convention: Convention) -> Output:
    response = output.response
    if response is None or not response.places:
        return output
    places = tuple(_meaning(place, convention) for place in response.places)
    return output._replace(response=replace(response, places=places))


def _meaning(place: Place, convention: Convention) -> Place:
    if isinstance(place, Box) and convention.order not in (Order.XY, Order.YX):
        return Box(place.numbers, convention)
    if isinstance(place, Point | Polygon):
        turned = Order.YX if convention.order in (Order.YX, Order.YXYX) else Order.XY
        return replace(place, convention=Convention(convention.unit, turned, convention.sent))
    if isinstance(place, Mask):
        return place
    raise InputError(
        f"a box cannot be read as {convention.order}", remedy="name an order of four numbers: xyxy, xywh, cxcywh, yxyx"
    )


def conventions_of(answers: Iterable[Output]) -> str:
    """How a system's numbers are taken, for the signature; empty where it gives no places."""
    conventions = {
        str(p.convention) for o in answers if o.response for p in o.response.places if not isinstance(p, Mask)
    }
    return " + ".join(sorted(conventions))


def conventions_meant(asked: Iterable[PlaceQuestion]) -> str:
    """How the numbers of what was meant are taken, for the signature; empty where it is pixels by nature (masks), or nothing was."""
    return " + ".join(sorted({str(convention) for question in asked for convention in question.conventions}))


# -- the detective ------------------------------------------------------------------------------------------------------------


class PlaceQuestion(NamedTuple):
    """What the detective needs of a trial: its id, the one box meant, the picture's size, and the conventions of whatever was meant."""

    id: str
    gold: Box | None
    size: Size | None
    conventions: tuple[Convention, ...]


def asked_by(trial: Trial) -> PlaceQuestion:
    """A trial as the detective sees it: little enough to be kept for all, so that a corpus is read once."""
    regions = [trial.scene.entity(target).region for target in trial.targets]
    conventions = tuple(r.convention for r in regions if isinstance(r, Box | Polygon))
    return PlaceQuestion(trial.id, _gold(regions), _size(trial), conventions)


def evidence_of(outputs: Mapping[str, Output], trials: Sequence[PlaceQuestion]) -> Written | None:
    """One system's answers as written, beside the boxes meant as written; None where it gives no places."""
    answers = [_single(outputs.get(t.id)) for t in trials]
    kinds = Counter(type(p) for p in answers if p is not None)
    kind: type[Box] | type[Point] = Point if kinds[Point] > kinds[Box] else Box
    chosen = [p if isinstance(p, kind) else None for p in answers]
    if not any(chosen):
        return None
    declared = Counter(p.convention for p in chosen if p is not None).most_common(1)[0][0]
    gold = [t.gold for t in trials]
    conventions = Counter(g.convention for g in gold if g is not None)
    meant = conventions.most_common(1)[0][0] if conventions else None
    width = 2 if kind is Point else 4
    return Written(
        numbers=_rows([None if p is None or p.convention != declared else p.numbers for p in chosen], width),
        gold=_rows([None if g is None or g.convention != meant else g.numbers for g in gold], 4),
        sizes=[t.size for t in trials],
        declared=declared,
        gold_order=None if meant is None else meant.order,
        gold_unit=None if meant is None else meant.unit,
    )


def _single(output: Output | None) -> Box | Point | None:
    response: Response | None = None if output is None else output.response
    if response is None or response.outcome not in PLACED or len(response.places) != 1:
        return None
    place = response.places[0]
    return place if isinstance(place, Box | Point) else None


def _gold(regions: Sequence[Region | None]) -> Box | None:
    """The one box meant, in its own unit; boxes on a resized picture are not compared."""
    region = regions[0] if len(regions) == 1 else None
    return region if isinstance(region, Box) and region.convention.sent is None else None


def _size(trial: Trial) -> Size | None:
    return trial.scene.picture.size if trial.scene.picture else None


def _rows(numbers: Sequence[tuple[float, ...] | None], width: int) -> FloatArray:
    return np.array([(np.nan,) * width if n is None else n for n in numbers], dtype=float).reshape(-1, width)


def warnings_about(answers: Answers, trials: Sequence[PlaceQuestion]) -> list[str]:
    """What somebody should know before quoting numbers about places: conventions that do not fit, sizes that are missing, boxes meant that are inverted."""
    warnings: list[str] = []
    inverted = [t.id for t in trials if t.gold is not None and t.gold.empty]
    if inverted:
        warnings.append(
            f"{len(inverted)} boxes meant are inverted or empty and are not scored ({', '.join(inverted[:3])} …)"
        )
    for system, outputs in answers.by_system.items():
        evidence = evidence_of(outputs, trials)
        if evidence is not None:
            warnings += [f"{system}: {text}" for text in _doubts(system, investigate(evidence))]
    return warnings


def _doubts(system: str, finding: ConventionFinding) -> Iterator[str]:
    if finding.fits and not finding.needs_size:
        return
    if finding.needs_size or finding.best is None or finding.declared is None:
        yield from finding.remarks
        return
    best, declared = finding.best, finding.declared
    gold = f" with the boxes meant as {best.gold_text}, not {declared.gold_text},"
    gold = "" if best.gold_text == declared.gold_text else gold
    remedy = "" if best.convention == declared.convention else f'; if so: --convention "{system}={best.convention}"'
    yield (
        f"read as {declared.convention}, {declared.fit:.3f} are right; {best.convention}{gold} fits: {best.fit:.3f} ({finding.sure})"
        f"{''.join(f'; {remark}' for remark in finding.remarks)}{remedy}"
    )


# -- label suspects -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """An item that every system misses: more often the label's fault than theirs, most of all where they point to one other place together."""

    trial: Trial
    systems: int
    same_place: bool


def suspects(answers: Answers, trials: Sequence[Trial], threshold: float = 0.5) -> tuple[list[Suspect], list[str]]:
    """Items with one box meant that no system with boxes finds, and the systems asked; `same_place` where most pairs of their boxes overlap."""
    boxes = {system: _boxes(outputs, trials) for system, outputs in answers.by_system.items()}
    asked = {system: system_boxes for system, system_boxes in boxes.items() if not np.isnan(system_boxes).all()}
    gold = _rows([_corners(t) for t in trials], 4)
    if not asked:
        return [], []
    missed = ~np.isnan(gold[:, 0])
    for system_boxes in asked.values():
        with np.errstate(invalid="ignore"):
            missed &= ~(iou(system_boxes, gold) >= threshold)
    return [
        Suspect(trial=trials[i], systems=len(asked), same_place=_agree([b[i] for b in asked.values()], threshold))
        for i in map(int, np.flatnonzero(missed))
    ], list(asked)


def _boxes(outputs: Mapping[str, Output], trials: Sequence[Trial]) -> FloatArray:
    places = [_single(outputs.get(t.id)) for t in trials]
    return _rows(
        [_on(p, t) if isinstance(p, Box) and not p.empty else None for p, t in zip(places, trials, strict=True)], 4
    )


def _on(box: Box, trial: Trial) -> tuple[float, ...] | None:
    try:
        return box.on(_size(trial))
    except WrongConvention:
        return None


def _corners(trial: Trial) -> tuple[float, ...] | None:
    gold = asked_by(trial).gold
    return None if gold is None or gold.empty else _on(gold, trial)


def _agree(boxes: Sequence[FloatArray], threshold: float) -> bool:
    valid_boxes = [b for b in boxes if not np.isnan(b[0])]
    pairs = [(a, b) for i, a in enumerate(valid_boxes) for b in valid_boxes[i + 1 :]]
    if not pairs:
        return False
    shares = iou(np.array([a for a, _ in pairs]), np.array([b for _, b in pairs]))
    return bool((shares >= threshold).mean() > 0.5)
