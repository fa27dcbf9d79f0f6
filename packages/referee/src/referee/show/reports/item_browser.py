"""The data of the item browser: pictures, references, outputs, scores and hearers' choices.

Properties, scenes and pictures are stored once and named by number, and items are taken until a budget is spent, so a page stays light however long the run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from referee.corpora.jsonl import description_from_json, trial_from_json
from referee.corpora.reading.lines import WrongShape
from referee.errors import MalformedInput
from referee.metrics.hearing import PEOPLE
from referee.records import HUMAN, Description, Outcome, Property, Response, Scene, Trial
from referee.show.drawing.scene_pictures import Drawn, draw_parts, wrap_as_picture
from referee.show.reports.material import AGAIN, Material, read_objects

if TYPE_CHECKING:
    import polars as pl


# -- shares of choices -----------------------------------------------------------------------------------------------------


Shares = tuple[int, list[tuple[str, float]]]
"""Number of answers, and the share of every object or outcome that got one, largest first."""
LEAST = 0.015


def compute_choice_proportions(responses: Iterable[Response]) -> dict[str, dict[tuple[str, str], Shares]]:
    """Return proportions by trial, then by system and hearer; all people are one hearer.

    Proportions below 1.5 per cent are left out, because an uncertain hearer gives a little to every object.
    """
    sums: dict[str, dict[tuple[str, str], dict[str, float]]] = {}
    counts: dict[tuple[str, str, str], int] = {}
    for r in responses:
        hearer = PEOPLE if r.probabilities is None else r.hearer
        system = HUMAN if r.system is None else r.system
        weights = sums.setdefault(r.trial, {}).setdefault((system, hearer), {})
        counts[r.trial, system, hearer] = counts.get((r.trial, system, hearer), 0) + 1
        for what, share in get_probabilities(r).items():
            weights[what] = weights.get(what, 0.0) + share
    return {
        trial: {key: _compute_proportions(weights, counts[trial, *key]) for key, weights in groups.items()}
        for trial, groups in sums.items()
    }


def get_probabilities(response: Response) -> Mapping[str, float]:
    """Return a simulated hearer's probabilities; for a person, 1 for the answer."""
    if response.probabilities is not None:
        return dict(response.probabilities)
    chosen = response.entity if response.outcome is Outcome.ENTITY else None
    return {chosen or response.outcome.value: 1.0}


def _compute_proportions(sums: Mapping[str, float], n: int) -> Shares:
    shares = [(what, round(total / n, 2)) for what, total in sums.items() if total / n >= LEAST]
    return n, sorted(shares, key=lambda pair: -pair[1])


T = TypeVar("T")
BUDGET = 12_000_000
ENTITIES = 40
REFERENCES = 20


def lead_measure(material: Material) -> str | None:
    """Return the measure that ranks items: the first average with a direction."""
    # Ranking needs a measure with a direction and a value per item.
    ranked = (m for m in material.measures if material.direction(m) != "none" and m in material.averages)
    return next(ranked, None)


def order_by_score(material: Material, measure: str | None) -> list[str]:
    """Return all trials by mean score, the worst first; trials without a value come last."""
    import polars as pl

    trials = material.trials.select("trial")
    if measure is None:
        return trials["trial"].to_list()
    # People are left out of the mean: an item is bad when systems do badly.
    systems = material.values(measure).filter(pl.col("system") != HUMAN)
    means = systems.group_by("trial").agg(pl.col("value").mean())
    falling = material.direction(measure) == "lower"
    # Ties keep the order of the run, so that the page is the same each time.
    ranked = trials.join(means, on="trial", how="left", maintain_order="left")
    return ranked.sort("value", descending=falling, nulls_last=True, maintain_order=True)["trial"].to_list()


@dataclass(slots=True)
class Book:
    """Properties, scenes, pictures and descriptions so far, each stored once and referred to by number."""

    properties: dict[Property, int] = field(default_factory=dict)
    scenes: dict[str, int] = field(default_factory=dict)
    pictures: dict[str, int] = field(default_factory=dict)
    sayings: dict[str, int] = field(default_factory=dict)
    shares: dict[str, int] = field(default_factory=dict)
    hearers: dict[str, int] = field(default_factory=dict)
    drawn: Drawn = field(default_factory=dict)
    weight: int = 0
    """Approximate limit for scenes, pictures and descriptions, in bytes."""

    def numbers(self, properties: Iterable[Property]) -> list[int]:
        return [self.properties.setdefault(p, len(self.properties)) for p in properties]

    def said(self, description: Description | None) -> int | None:
        """Return the number of a description: words and properties, each null if missing."""
        if description is None:
            return None
        properties = description.properties
        content = [description.text, None if properties is None else self.numbers(properties)]
        return self._number_text(self.sayings, json.dumps(content, ensure_ascii=False))

    def went(self, hearer: str, shares: Shares, places: Mapping[str, int]) -> tuple[int, int]:
        """Return the numbers of a hearer and of its choices in the book; equal choices share a number."""
        n, proportions = shares
        # Outcomes without an entity (none, several, a timeout) keep their names.
        text = json.dumps([n, [[places.get(what, what), share] for what, share in proportions]], separators=(",", ":"))
        return self.hearers.setdefault(hearer, len(self.hearers)), self._number_text(self.shares, text)

    def _number_text(self, book: dict[str, int], text: str) -> int:
        """Return the number of a text in a book, adding it if it is new."""
        if text not in book:
            book[text] = len(book)
            self.weight += len(text)
        return book[text]

    def scene(self, scene: Scene, targets: Sequence[str]) -> tuple[int, list[str], int]:
        """Return the scene's number, the ids that are shown, and the number of entities left out."""
        target_ids = set(targets)
        # In a scene that is too large to show the targets come first, lest they be cut off.
        first = [e for e in scene.entities if e.id in target_ids] if len(scene.entities) > ENTITIES else []
        shown = [*first, *(e for e in scene.entities if e not in first)][:ENTITIES] if first else list(scene.entities)
        parts = draw_parts(replace(scene, entities=tuple(shown)), drawn=self.drawn)
        content = [
            [
                e.id,
                self.numbers(e.attributes),
                [[r.name, r.entity] for r in e.relations],
                self._number_text(self.pictures, parts.marks[e.id]),
                *parts.boxes[e.id],
            ]
            for e in shown
        ]
        key = json.dumps([parts.width, parts.height, content], ensure_ascii=False, separators=(",", ":"))
        return self._number_text(self.scenes, key), [e.id for e in shown], len(scene.entities) - len(shown)

    def as_json(self) -> dict[str, Any]:
        """Return the book as JSON values."""
        return {
            "properties": [list(p) for p in self.properties],
            "scenes": [json.loads(s) for s in self.scenes],
            "shares": [json.loads(s) for s in self.shares],
            "hearers": list(self.hearers),
            "said": [json.loads(s) for s in self.sayings],
            "pictures": [wrap_as_picture(marks) for marks in self.pictures],
        }


def build_browser_data(material: Material, limit: int, budget: int = BUDGET) -> dict[str, Any]:
    """Return the data of the page's item browser, at most `limit` items and about `budget` bytes."""
    lead = lead_measure(material)
    ids = order_by_score(material, lead)[:limit]
    # Only the chosen trials are built; all others are read past.
    trials = _read_trials(material, set(ids))
    outputs = _read_outputs(material, set(ids))
    values = _read_scores(material, ids)
    shares = compute_choice_proportions(r for r in material.responses if r.trial in trials)
    book, spent = Book(), 0
    items: list[list[Any]] = []
    for i in ids:
        item = _build_item(material, book, trials[i], outputs, values.get(i, {}), shares.get(i, {}))
        spent += len(json.dumps(item, ensure_ascii=False).encode())
        # One item at least, whatever it weighs.
        if items and spent + book.weight > budget:
            break
        items.append(item)
    return {
        "systems": list(material.systems),
        "measures": [[m, material.direction(m)] for m in material.measures],
        "lead": lead,
        "total": material.trials.height,
        "items": items,
        **book.as_json(),
    }


def _read_trials(material: Material, ids: set[str]) -> dict[str, Trial]:
    """Return the trials with these ids."""
    path = material.scored[0].run.folder / "trials.jsonl"
    return {
        data["id"]: _convert_line(trial_from_json, data, path, line)
        for line, data in read_objects(path)
        if data["id"] in ids
    }


def _read_outputs(material: Material, ids: set[str]) -> dict[tuple[str, str], Description]:
    """Return outputs by trial and by the name of the system in the report.

    The first output of a trial counts.
    """
    outputs: dict[tuple[str, str], Description] = {}
    for scored in material.scored:
        name, path = scored.name, scored.run.folder / "outputs.jsonl"
        for line, data in read_objects(path):
            if data.get("trial") in ids:
                system = material.shown(name, str(data.get("system", "outputs")))
                outputs.setdefault((data["trial"], system), _convert_line(description_from_json, data, path, line))
    return outputs


def _convert_line(make: Callable[[Mapping[str, Any]], T], data: Mapping[str, Any], path: Path, line: int) -> T:
    """Return a record from a line of a file; an invalid line raises MalformedInput with its place."""
    try:
        return make(data)
    except WrongShape as wrong:
        raise MalformedInput(str(wrong), where=path, line=line, remedy=wrong.remedy or AGAIN) from None


def _read_scores(material: Material, ids: Sequence[str]) -> dict[str, dict[tuple[str, str], int]]:
    """Return the scores of the items in thousandths."""
    import polars as pl

    chosen: pl.DataFrame = material.items.filter(pl.col("trial").is_in(list(ids)))
    values: dict[str, dict[tuple[str, str], int]] = {}
    for system, trial, metric, value in chosen.select("system", "trial", "metric", "value").iter_rows():
        # In thousandths: more digits than the page shows, and a point before each, would only make it heavier.
        values.setdefault(trial, {})[system, metric] = round(1000 * value)
    return values


def _build_item(
    material: Material,
    book: Book,
    trial: Trial,
    descriptions: Mapping[tuple[str, str], Description],
    values: Mapping[tuple[str, str], int],
    shares: Mapping[tuple[str, str], Shares],
) -> list[Any]:
    """Return one item as a row for the browser."""
    reference = trial.references[0] if trial.references else None
    # As a system, people's output is the reference of the trial.
    outputs = [descriptions.get((trial.id, s), reference if s == HUMAN else None) for s in material.systems]
    scores = [[values.get((s, m)) for m in material.measures] for s in material.systems]
    return build_item_row(book, trial, material.systems, outputs, scores, shares)


def build_item_row(
    book: Book,
    trial: Trial,
    systems: Sequence[str],
    outputs: Sequence[Description | None],
    scores: Sequence[Sequence[int | None]],
    shares: Mapping[tuple[str, str], Shares],
) -> list[Any]:
    """Return one row of the item browser, with the fields that item-view.js reads."""
    scene, shown, hidden = book.scene(trial.scene, trial.targets)
    places = {entity: i for i, entity in enumerate(shown)}
    targets = [places[t] for t in trial.targets if t in places]
    people = [book.said(r) for r in trial.references[:REFERENCES]]
    labels = [trial.domain, trial.condition, trial.speaker]
    # People's own words may have been heard without standing among the systems.
    numbers = {HUMAN: -1, **{s: i for i, s in enumerate(systems)}}
    went = [
        [*book.went(hearer, choices, places), numbers[system]]
        for (system, hearer), choices in shares.items()
        if system in numbers
    ]
    return [trial.id, scene, targets, hidden, labels, people, [book.said(o) for o in outputs], scores, went]
