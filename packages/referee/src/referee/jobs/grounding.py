"""Answers with places beside the table of scores.

Redeclared conventions, counts by outcome, and checks of the declared conventions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from referee.contracts import FloatArray
from referee.corpora.outputs import Output
from referee.corpora.rec_eval import SUFFIXES, RecEval
from referee.errors import InputError
from referee.geometry import (
    Box,
    Convention,
    Mask,
    Order,
    Place,
    Point,
    Polygon,
    Region,
    ScenePicture,
    Size,
    Unit,
    WrongConvention,
)
from referee.grounding.detective import ConventionFinding, NumberReading, Written, investigate
from referee.grounding.overlap import iou
from referee.jobs.open import Answers, open_corpus, open_outputs
from referee.jobs.progress import report_progress
from referee.records import Outcome, Response, Trial

PLACED = (Outcome.BOX, Outcome.POINT, Outcome.SEVERAL, Outcome.EMPTY)


def declare_conventions(by_system: Mapping[str, Any], declared: Sequence[str]) -> None:
    """Redeclare the convention of a system's numbers: ``SYSTEM=CONVENTION`` for each, ``=CONVENTION`` for all."""
    for text in declared:
        system, equals, written = text.partition("=")
        try:
            convention = Convention.of(written)
        except WrongConvention as wrong:
            raise InputError(str(wrong), remedy='for example --convention "qwen25vl=pixels xyxy sent:qwen28"') from None
        if not equals or (system and system not in by_system):
            system_names = ", ".join(by_system)
            raise InputError(
                f"no system is called {system!r}",
                remedy=f"--convention takes SYSTEM=CONVENTION; systems: {system_names}",
            )
        for name in [system] if system else list(by_system):
            outputs = by_system[name]
            for trial, output in outputs.items():
                outputs[trial] = _redeclare_output(output, convention)


def _redeclare_output(output: Output, convention: Convention) -> Output:
    """Return an output with its places in another convention."""
    response = output.response
    if response is None or not response.places:
        return output
    places = tuple(_reinterpret(place, convention) for place in response.places)
    return output._replace(response=replace(response, places=places))


def _reinterpret(place: Place, convention: Convention) -> Place:
    """Return a place with the same numbers under another convention."""
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


def list_conventions(answers: Iterable[Output]) -> str:
    """Return the conventions of a system's coordinates for the signature; empty if it gives none."""
    conventions = {
        str(p.convention) for o in answers if o.response for p in o.response.places if not isinstance(p, Mask)
    }
    return " + ".join(sorted(conventions))


def list_gold_conventions(asked: Iterable[PlaceQuestion]) -> str:
    """Return the conventions of gold regions for the signature.

    Empty for masks, which are in pixels, or without regions.
    """
    return " + ".join(sorted({str(convention) for question in asked for convention in question.conventions}))


# -- the detective ------------------------------------------------------------------------------------------------------------


class PlaceQuestion(NamedTuple):
    """The fields of a trial that the convention check needs.

    Id, single gold box, picture size, and conventions of gold regions.
    """

    id: str
    gold: Box | None
    size: Size | None
    conventions: tuple[Convention, ...]


def extract_question(trial: Trial) -> PlaceQuestion:
    """Return the fields of a trial that the convention check needs; they are small enough to keep for a whole corpus.
    read once.
    """
    regions = [trial.scene.entity(target).region for target in trial.targets]
    conventions = tuple(r.convention for r in regions if isinstance(r, Box | Polygon))
    return PlaceQuestion(trial.id, _get_gold_box(regions, _get_size(trial)), _get_size(trial), conventions)


def pair_with_gold(outputs: Mapping[str, Output], trials: Sequence[PlaceQuestion]) -> Written | None:
    """Return one system's coordinates beside the gold boxes, both as written; None if it gave no coordinates."""
    answers = [_get_only_place(outputs.get(t.id)) for t in trials]
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
        numbers=_make_rows([None if p is None or p.convention != declared else p.numbers for p in chosen], width),
        gold=_make_rows([None if g is None or g.convention != meant else g.numbers for g in gold], 4),
        sizes=[t.size for t in trials],
        declared=declared,
        gold_order=None if meant is None else meant.order,
        gold_unit=None if meant is None else meant.unit,
    )


def _get_only_place(output: Output | None) -> Box | Point | None:
    """Return the only box or point of an output; None for other outputs."""
    response: Response | None = None if output is None else output.response
    if response is None or response.outcome not in PLACED or len(response.places) != 1:
        return None
    place = response.places[0]
    return place if isinstance(place, Box | Point) else None


def _get_gold_box(regions: Sequence[Region | None], size: Size | None) -> Box | None:
    """Return the one gold box of a trial, or the box around its mask or polygon, in pixels.

    None if there are several regions, or if the only one refers to a resized picture or needs an unknown size.
    """
    region = regions[0] if len(regions) == 1 else None
    if isinstance(region, Box):
        return region if region.convention.sent is None else None
    if region is None or (isinstance(region, Polygon) and region.convention.unit is not Unit.PIXELS and size is None):
        return None
    left, top, right, bottom = map(float, region.bounds(size))
    return Box((left, top, right, bottom), Convention(Unit.PIXELS, Order.XYXY))


def _get_size(trial: Trial) -> Size | None:
    return trial.scene.picture.size if trial.scene.picture else None


def _make_rows(numbers: Sequence[tuple[float, ...] | None], width: int) -> FloatArray:
    return np.array([(np.nan,) * width if n is None else n for n in numbers], dtype=float).reshape(-1, width)


def check_places(answers: Answers, trials: Sequence[PlaceQuestion]) -> tuple[list[str], list[str]]:
    """Return warnings on coordinates, and the systems whose coordinates fit another convention (certain or likely).

    Warnings are about doubtful conventions, missing picture sizes, and inverted gold boxes.
    """
    warnings: list[str] = []
    misread: list[str] = []
    inverted = [t.id for t in trials if t.gold is not None and t.gold.empty]
    if inverted:
        warnings.append(
            f"{len(inverted)} gold boxes are inverted or empty and are not scored ({', '.join(inverted[:3])} …)"
        )
    for system, outputs in answers.by_system.items():
        evidence = pair_with_gold(outputs, trials)
        if evidence is not None:
            finding = investigate(evidence)
            warnings += [f"{system}: {text}" for text in _describe_doubts(system, finding)]
            if not finding.fits and not finding.needs_size and _is_misread(finding):
                misread.append(system)
    return warnings, misread


def _is_misread(finding: ConventionFinding) -> bool:
    """Return whether another convention fits for sure, or far better than the one that answers are read in."""
    is_far = finding.best is not None and finding.declared is not None and finding.best.fit - finding.declared.fit > 0.2
    return is_far or finding.sure in ("certain", "likely")


def _describe_doubts(system: str, finding: ConventionFinding) -> Iterator[str]:
    """Yield the warnings of one system."""
    if finding.fits and not finding.needs_size:
        return
    if finding.needs_size or finding.best is None or finding.declared is None:
        yield from finding.remarks
        return
    best, declared = finding.best, finding.declared
    gold = f" with gold boxes read as {best.gold_text}, not {declared.gold_text},"
    gold = "" if best.gold_text == declared.gold_text else gold
    remedy = "" if best.convention == declared.convention else f'; if so: --convention "{system}={best.convention}"'
    yield (
        f"read as {declared.convention}, {declared.fit:.3f} are right; {best.convention}{gold} fits: {best.fit:.3f} ({finding.sure})"
        f"{''.join(f'; {remark}' for remark in finding.remarks)}{remedy}"
    )


# -- label suspects -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """An item that every system misses.

    More often an error of the label than of the systems, especially if they agree on another place.
    """

    trial: Trial
    systems: int
    same_place: bool


def find_suspects(answers: Answers, trials: Sequence[Trial], threshold: float = 0.5) -> tuple[list[Suspect], list[str]]:
    """Return the items with one gold box that no system's box overlaps, and the systems compared.

    `same_place` where most pairs of their boxes overlap.
    """
    boxes = {system: _stack_boxes(outputs, trials) for system, outputs in answers.by_system.items()}
    asked = {system: system_boxes for system, system_boxes in boxes.items() if not np.isnan(system_boxes).all()}
    gold = _make_rows([_get_corners(t) for t in trials], 4)
    if not asked:
        return [], []
    missed = ~np.isnan(gold[:, 0])
    for system_boxes in asked.values():
        with np.errstate(invalid="ignore"):
            missed &= ~(iou(system_boxes, gold) >= threshold)
    return [
        Suspect(
            trial=trials[i], systems=len(asked), same_place=_mostly_overlap([b[i] for b in asked.values()], threshold)
        )
        for i in map(int, np.flatnonzero(missed))
    ], list(asked)


def _stack_boxes(outputs: Mapping[str, Output], trials: Sequence[Trial]) -> FloatArray:
    """Return the boxes of outputs as rows."""
    places = [_get_only_place(outputs.get(t.id)) for t in trials]
    return _make_rows(
        [
            _convert_to_pixels(p, t) if isinstance(p, Box) and not p.empty else None
            for p, t in zip(places, trials, strict=True)
        ],
        4,
    )


def _convert_to_pixels(box: Box, trial: Trial) -> tuple[float, ...] | None:
    """Return a box in pixels; None if its convention does not apply."""
    try:
        return box.on(_get_size(trial))
    except WrongConvention:
        return None


def _get_corners(trial: Trial) -> tuple[float, ...] | None:
    gold = extract_question(trial).gold
    return None if gold is None or gold.empty else _convert_to_pixels(gold, trial)


def _mostly_overlap(boxes: Sequence[FloatArray], threshold: float) -> bool:
    """Return whether most pairs of boxes overlap."""
    valid_boxes = [b for b in boxes if not np.isnan(b[0])]
    pairs = [(a, b) for i, a in enumerate(valid_boxes) for b in valid_boxes[i + 1 :]]
    if not pairs:
        return False
    shares = iou(np.array([a for a, _ in pairs]), np.array([b for _, b in pairs]))
    return bool((shares >= threshold).mean() > 0.5)


# -- checking a corpus of places -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceReport:
    """What the coordinates of each model in a file mean, according to the convention check."""

    file: str
    trials: list[Trial]
    answers: Answers
    findings: dict[str, ConventionFinding]

    def as_rows(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        readings = [f.best for f in self.findings.values() if f.best is not None and not f.needs_size]
        orders = {reading.gold for reading in readings}
        return {
            "file": self.file,
            "items": len(self.trials),
            "gold": " or ".join(sorted({reading.gold_text for reading in readings})) or None,
            "inverted": [t.id for t in self.trials if _is_inverted(t, orders)],
            "models": [_report_model(model, finding) for model, finding in self.findings.items()],
        }


def _is_inverted(trial: Trial, orders: set[Order]) -> bool:
    """Return whether a trial's gold box is inverted."""
    region = trial.scene.entity(trial.targets[0]).region if len(trial.targets) == 1 else None
    if not isinstance(region, Box):
        return False
    order = next(iter(orders)) if len(orders) == 1 else region.convention.order
    return Box(region.numbers, Convention(region.convention.unit, order)).empty


def _report_model(model: str, finding: ConventionFinding) -> dict[str, Any]:
    """Return the convention check of one model as JSON values."""
    best, declared, rival = finding.best, finding.declared, finding.runner_up
    return {
        "model": model,
        "n": finding.n,
        "reading": None if best is None else str(best.convention),
        "gold": None if best is None else best.gold_text,
        "fit": _find_fit(best),
        "sure": finding.sure,
        "confidence": finding.confidence,
        "needs_size": finding.needs_size,
        "declared": None if declared is None else str(declared.convention),
        "declared_gold": None if declared is None else declared.gold_text,
        "declared_fit": _find_fit(declared),
        "declared_fits": finding.fits,
        "runner_up": None if rival is None else str(rival.convention),
        "runner_up_fit": _find_fit(rival),
        "p": None if isnan(finding.p) else finding.p,
        "remarks": list(finding.remarks),
    }


def _find_fit(reading: NumberReading | None) -> float | None:
    """Return the fit of an interpretation of coordinates; None if there is none."""
    return None if reading is None or isnan(reading.fit) else reading.fit


def check_file(
    path: Path,
    *,
    corpus: str | None = None,
    data: Any = None,
    reading: str | None = None,
    gold: str | None = None,
    declared: list[str] | None = None,
    size: str | None = None,
) -> PlaceReport:
    """Check the conventions of a file: of lines with ``gt`` and ``answers``, or of outputs for a corpus."""
    trials, answers = _read_with_corpus(path, corpus, data, reading) if corpus else _read_lone_file(path, gold)
    if size is not None:
        trials = [_set_size(trial, _parse_size(size)) for trial in trials]
    declare_conventions(answers.by_system, [text if "=" in text else f"={text}" for text in declared or ()])
    findings, asked = {}, [extract_question(trial) for trial in trials]
    for model, outputs in report_progress(answers.by_system.items(), "all readings of the numbers of every model"):
        evidence = pair_with_gold(outputs, asked)
        if evidence is not None:
            # A file alone does not say how its boxes are written; a corpus or a user does.
            undeclared = replace(evidence, gold_order=evidence.gold_order if gold else None, gold_unit=None)
            findings[model] = investigate(evidence if corpus else undeclared)
    if not findings:
        raise InputError(
            "no model of this file answers with a box or a point",
            where=path,
            remedy="one line per item: gt and answers, or outputs with --corpus",
        )
    return PlaceReport(file=str(path), trials=trials, answers=answers, findings=findings)


def _read_lone_file(path: Path, gold: str | None) -> tuple[list[Trial], Answers]:
    """Return the trials and answers of a single file in rec-eval's format."""
    suffix = next((s for s in SUFFIXES if path.name.endswith(s)), None)
    if suffix is None or not path.is_file():
        problem = "there is no such file" if not path.exists() else "this is not a file of lines of JSON"
        raise InputError(
            problem, where=path, remedy="name a .jsonl or .jsonl.gz file: one line per item, with gt and answers"
        )
    source = RecEval(path.resolve().parent, path.name.removesuffix(suffix), gold or "")
    return list(source.trials()), Answers.of(source.recorded())


def _read_with_corpus(path: Path, corpus: str, data: Any, reading: str | None) -> tuple[list[Trial], Answers]:
    opened = open_corpus(corpus, data=data, reading=reading)
    return list(opened.trials()), open_outputs([str(path)], lenient=True, opened=opened)


def _parse_size(text: str) -> Size:
    """Return a size from its text. Raises InputError for an invalid one."""
    width, _, height = text.partition("x")
    try:
        return Size(int(width), int(height))
    except (ValueError, WrongConvention):
        raise InputError(f"{text!r} is not a size", remedy="write --size 640x480") from None


def _set_size(trial: Trial, size: Size) -> Trial:
    """Return a trial with the size of its picture."""
    picture = trial.scene.picture or ScenePicture(path="")
    if picture.size is not None:
        return trial
    picture = replace(picture, size=size)
    return replace(trial, scene=replace(trial.scene, picture=picture))


def list_missed_items(report: PlaceReport) -> dict[str, Any]:
    """Return the items that no model's box overlaps."""
    missed, systems = find_suspects(report.answers, report.trials)
    items = [
        {
            "trial": s.trial.id,
            "same_place": s.same_place,
            "text": next((d.text for d in s.trial.references if d.text), None),
            "picture": s.trial.scene.picture.path or None if s.trial.scene.picture else None,
        }
        for s in missed
    ]
    return {"systems": systems, "of": len(report.trials), "items": items}
