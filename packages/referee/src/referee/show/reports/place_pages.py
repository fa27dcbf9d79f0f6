"""A page of items with pictures: target regions, answers in colour, clicks as heat, filters.

Made for many: places are numbers in one file, small pictures are made one at a time, and a browser builds only the items it shows.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from referee.errors import InputError
from referee.files import writing_folder
from referee.geometry import Mask, NeedsSize, Place, Polygon, ScenePicture, Size
from referee.grounding.pictures import checked, thumbnail
from referee.jobs.folder import Run
from referee.jobs.progress import report_progress
from referee.metrics.grounding import are_hits
from referee.records import Outcome, Response, Trial
from referee.show.pages import render
from referee.show.reports.section import Section

SIDE = 480
FIRST = 1000
DATA, PAGE, PICTURES = "items.js", "index.html", "pictures"
RIGHT, WRONG = "found", "missed"
# Distinguishable without full colour vision (Okabe & Ito 2008); black is the target.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#f0e442")


def write_place_pages(out: str | Path, run: Run, pictures: str | Path | None = None) -> int:
    """Write a folder with the page and return its number of items.

    `pictures` is the root of the pictures' paths.

    Without pictures, or where one is missing, regions are drawn on an empty sheet.
    """
    if pictures is not None and not Path(pictures).is_dir():
        raise InputError(
            "there is no such folder of pictures",
            where=pictures,
            remedy="name the folder from which the paths of the pictures start",
        )
    trials = {t.id: t for t in run.trials()}
    answers = _collect_answers(run, trials)
    if not answers:
        raise InputError(
            "no answer in this run has coordinates",
            where=run.folder,
            remedy="score answers with boxes or points, with --out RUN",
        )
    with writing_folder(out) as folder:
        shown = _write_thumbnails(folder, trials.values(), Path(pictures)) if pictures is not None else {}
        systems = list(dict.fromkeys(name for by_system in answers.values() for name in by_system))
        answered = report_progress([i for i in trials if i in answers], "items")
        items = [_build_item(trials[i], answers[i], systems, shown) for i in answered]
        data = {"systems": systems, "colours": [COLOURS[i % len(COLOURS)] for i in range(len(systems))], "items": items}
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
        (folder / DATA).write_text(f"window.items={text};", "utf-8")
        (folder / PAGE).write_text(render("places.html", title=run.folder.name), "utf-8")
    return len(items)


def has_places(run: Run, responses: Iterable[Response]) -> bool:
    """Return whether a run has answers with coordinates, by its first outputs and all its responses."""
    outputs = run.outputs() if (run.folder / "outputs.jsonl").exists() else iter(())
    return any(o.response is not None for o in islice(outputs, FIRST)) or any(r.places for r in responses)


def build_places_section(label: str, run: Run, address: str, pictured: bool = True) -> Section:
    """Return the chapter that links to the page, with the outcomes of each system."""
    trials = {t.id: t for t in run.trials()}
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for by_system in _collect_answers(run, trials).values():
        for system, answers in by_system.items():
            for outcome, _ in answers:
                counts[system][outcome] += 1
    texts = tuple(
        f"{label}, {system}: " + ", ".join(f"{n:,} {kind}" for kind, n in sorted(kinds.items()))
        for system, kinds in counts.items()
    )
    if not pictured:
        texts += ("Regions are drawn on empty sheets: --pictures FOLDER names the folder of the pictures.",)
    html = render("report/places_link.html", address=address)
    return Section(name="places", title="Where they pointed", texts=texts, html=html)


Answered = dict[str, dict[str, list[tuple[str, Response]]]]


def _collect_answers(run: Run, trials: Mapping[str, Trial]) -> Answered:
    """Return answers with coordinates and their outcomes, by trial and by system or hearer.

    All people are one.
    """
    responses = [(hearer, response) for hearer, response in _iterate_answers(run) if response.trial in trials]
    outcomes = _classify_answers([(trials[response.trial], response) for _, response in responses])
    answered: Answered = defaultdict(lambda: defaultdict(list))
    for (hearer, response), outcome in zip(responses, outcomes, strict=True):
        answered[response.trial][hearer].append((outcome, response))
    return answered


def _iterate_answers(run: Run) -> Iterator[tuple[str, Response]]:
    """Yield the answers with places in a run, with their system or hearer."""
    outputs = run.outputs() if (run.folder / "outputs.jsonl").exists() else iter(())
    for output in outputs:
        if output.response is not None:
            yield output.system, output.response
    for response in run.responses():
        if response.places or response.outcome in (Outcome.POINT, Outcome.BOX):
            yield ("people" if response.probabilities is None else response.hearer), response


def _classify_answers(answers: Sequence[tuple[Trial, Response]]) -> list[str]:
    """Return the outcome of each answer: right, wrong, or the reason why it has no place."""
    placed = [i for i, (_, r) in enumerate(answers) if r.outcome in (Outcome.BOX, Outcome.POINT)]
    hit = dict(zip(placed, are_hits([answers[i] for i in placed]), strict=True))
    hit |= {i: r.entity in t.targets for i, (t, r) in enumerate(answers) if r.outcome is Outcome.ENTITY}
    return [(RIGHT if hit[i] else WRONG) if i in hit else str(r.outcome) for i, (_, r) in enumerate(answers)]


def _build_item(
    trial: Trial,
    answers: Mapping[str, Sequence[tuple[str, Response]]],
    systems: Sequence[str],
    shown: Mapping[str, str],
) -> dict[str, Any]:
    """Return one item as numbers: size, target regions, and for every system its outcomes and coordinates."""
    picture = trial.scene.picture
    size = picture.size if picture else None
    meant = [r for t in trial.targets if (r := trial.scene.entity(t).region) is not None]
    drawn = {
        systems.index(s): [[outcome, _list_coordinates(r.places, size)] for outcome, r in responses]
        for s, responses in answers.items()
    }
    places = _list_coordinates(
        [*meant, *(p for responses in answers.values() for _, r in responses for p in r.places)], size
    )
    return {
        "id": trial.id,
        "text": next((d.text for d in trial.references if d.text), ""),
        "size": [size.width, size.height] if size else _find_extent(places),
        "picture": shown.get(picture.path, "") if picture else "",
        "meant": _list_coordinates(meant, size),
        "given": drawn,
    }


def _list_coordinates(places: Iterable[Place], size: Size | None) -> list[list[float]]:
    """Return coordinates as lists: two numbers are a point, four a box, more an outline."""
    return [[round(n, 1) for n in numbers] for place in places if (numbers := _get_coordinates(place, size))]


def _get_coordinates(place: Place, size: Size | None) -> tuple[float, ...]:
    """Return the coordinates of a place; empty if they need an unknown size."""
    try:
        if isinstance(place, Polygon):
            return tuple(n for point in place.on(size) for n in point)
        return place.bounds() if isinstance(place, Mask) else place.on(size)
    except NeedsSize:
        return ()


def _find_extent(places: Iterable[Sequence[float]]) -> list[float]:
    """Return the size that contains all coordinates, for a picture of unknown size."""
    xs, ys = [1.0], [1.0]
    for numbers in places:
        xs += numbers[::2]
        ys += numbers[1::2]
    return [max(xs), max(ys)]


def _write_thumbnails(folder: Path, trials: Iterable[Trial], pictures: Path) -> dict[str, str]:
    """Write small copies of the available pictures, one at a time; return their paths."""
    (folder / PICTURES).mkdir()
    shown: dict[str, str] = {}
    for number, picture in enumerate(report_progress(_list_pictures(trials), "small pictures")):
        if not (pictures / picture.path).is_file():
            continue
        name = f"{PICTURES}/{number}.jpg"
        thumbnail(checked(pictures, picture), SIDE).save(folder / name, quality=80)
        shown[picture.path] = name
    return shown


def _list_pictures(trials: Iterable[Trial]) -> list[ScenePicture]:
    """Return the different pictures of some trials."""
    pictures: dict[str, ScenePicture] = {}
    for trial in trials:
        if trial.scene.picture is not None:
            pictures.setdefault(trial.scene.picture.path, trial.scene.picture)
    return list(pictures.values())
