"""Descriptions that somebody answered, as rows that measures and the court can work on: games with human listeners, read from REFEREE_DATA.

Every description is held against what other people said in a like case (never the same game), for a measure that needs references needs people who agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from referee import catalogue
from referee.contracts import Batch, FloatArray
from referee.corpora.colors import Colors
from referee.corpora.degen import Degen2020
from referee.corpora.tangrams import NaiveMatchers
from referee.hearers.answering import words_of
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

REFERENCES = 10
SYNONYMS = {"large": "big", "bigger": "big", "little": "small", "smaller": "small"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One description, what it is held against, and whether and how fast the hearer found the object."""

    description: Description
    trial: Trial
    right: float
    milliseconds: float | None
    game: str
    group: str


def score(rows: Sequence[Answered], metric: str, **switches: object) -> FloatArray:
    """The value of a measure for every description; NaN where it cannot be measured."""
    made = catalogue.create("metric", metric, **switches)
    statistics = made.statistics(Batch.of([r.description for r in rows], [r.trial for r in rows]))
    measured = ~np.isnan(statistics).any(axis=1)
    values: FloatArray = made.finish(np.nan_to_num(statistics), measured.astype(float))
    return values


def length(rows: Sequence[Answered]) -> FloatArray:
    """Words said."""
    return np.array([float(len(words_of(r.description.text or ""))) for r in rows])


def held_against_others(
    rows: Iterable[Answered], alike: Callable[[Answered], Hashable], seed: int = 1
) -> list[Answered]:
    """Rows whose references are up to ten descriptions from other games in a like case; rows without any such are left out."""
    rows = list(rows)
    pools: dict[Hashable, dict[str, list[Description]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        pools[alike(row)][row.game].append(row.description)
    rng, result = Random(seed), []
    for row in rows:
        others = [d for game, said in pools[alike(row)].items() if game != row.game for d in said]
        if others:
            chosen = tuple(rng.sample(others, min(REFERENCES, len(others))))
            result.append(replace(row, trial=replace(row.trial, references=chosen)))
    return result


def _answered(trial: Trial, response: Response, description: Description, group: str) -> Answered:
    right = response.outcome == Outcome.ENTITY and response.entity == trial.targets[0]
    game = trial.speaker or trial.id
    return Answered(
        description=description,
        trial=replace(trial, history=(), episode=()),
        right=float(right),
        milliseconds=response.identification_ms,
        game=game,
        group=group,
    )


# -- Degen et al. 2020 ---------------------------------------------------------------------------------------------------------


def degen(coded: bool) -> Iterator[Answered]:
    """Rounds with one message by the speaker. `coded`: the authors' codes (correct clicks only); else all rounds, read word by word.

    In experiment 3 the levels of the taxonomy become values of one attribute, so that "dog" and "dalmatian" can be compared.
    """
    corpus = Degen2020(part="published" if coded else "all")
    responses = {r.trial: r for r in corpus.responses()}
    for trial in corpus.trials():
        response = responses[trial.id]
        if not trial.references or "simple" not in response.flags:
            continue
        said, scene = trial.references[0], trial.scene
        if trial.domain == "exp3":
            scene = Scene(entities=tuple(map(_one_attribute, scene.entities)))
            said = replace(said, properties=_most_specific(said.properties))
        if not coded:
            said = replace(said, properties=_read(said.text or "", scene))
        yield _answered(replace(trial, scene=scene), response, said, trial.domain or "")


def _one_attribute(entity: Entity) -> Entity:
    return replace(entity, attributes=tuple(dict.fromkeys(Property("type", p.value) for p in entity.attributes)))


def _most_specific(properties: tuple[Property, ...] | None) -> tuple[Property, ...] | None:
    return (Property("type", properties[0].value),) if properties else None


def _read(text: str, scene: Scene) -> tuple[Property, ...] | None:
    """The values of the scene's attributes that occur as words; None where no word is known."""
    lexicon = {p.value.lower(): p for p in reversed(list(scene.extensions))}
    words = [SYNONYMS.get(word, word) for word in words_of(text)]
    return tuple(dict.fromkeys(lexicon[w] for w in words if w in lexicon)) or None


def in_like_conditions(rows: Iterable[Answered]) -> list[Answered]:
    """References by condition: what others mentioned of their targets, said of this one (experiment 3: by target, as levels differ in kind)."""
    rows = [r for r in rows if r.description.properties]
    return [_of_this_target(r) for r in held_against_others(rows, _condition)]


def _condition(row: Answered) -> Hashable:
    target = row.trial.scene.entity(row.trial.targets[0])
    return (row.group, row.trial.condition, target.attributes if row.group == "exp3" else None)


def _of_this_target(row: Answered) -> Answered:
    if row.group == "exp3":
        return row
    target = row.trial.scene.entity(row.trial.targets[0])
    moved = tuple(
        replace(d, properties=tuple(Property(p.name, target.value(p.name) or "") for p in d.properties or ()))
        for d in row.trial.references
    )
    return replace(row, trial=replace(row.trial, references=moved))


def in_like_words(rows: Iterable[Answered]) -> list[Answered]:
    """References by target: what others called an object that looks the same."""
    return held_against_others(rows, lambda r: (r.group, r.trial.scene.entity(r.trial.targets[0]).attributes))


# -- Colors in Context, naive matchers -------------------------------------------------------------------------------------------


def colours() -> list[Answered]:
    """Rounds with one message; references are the five nearest target colours of the same condition in other games."""
    corpus = Colors()
    responses = {r.trial: r for r in corpus.responses()}
    rows = [
        _answered(t, responses[t.id], t.references[0], t.condition or "")
        for t in corpus.trials()
        if t.references and "simple" in responses[t.id].flags
    ]
    return [
        r for group in dict.fromkeys(r.group for r in rows) for r in _nearest([x for x in rows if x.group == group])
    ]


def _nearest(rows: list[Answered], neighbours: int = 5) -> Iterator[Answered]:
    from scipy.spatial import cKDTree

    places = np.array([_cone(r.trial.scene.entity(r.trial.targets[0])) for r in rows])
    _, near = cKDTree(places).query(places, k=50)
    for row, candidates in zip(rows, near, strict=True):
        others = [rows[i].description for i in candidates if rows[i].game != row.game][:neighbours]
        yield replace(row, trial=replace(row.trial, references=tuple(others)))


def _cone(patch: Entity) -> tuple[float, float, float]:
    """Hue, saturation and lightness as a place: hues lie on a circle that is widest at middle lightness."""
    h, s, lightness = (float(patch.value(name) or 0) for name in "hsl")
    radius = s / 100 * (1 - abs(2 * lightness / 100 - 1))
    return radius * np.cos(np.radians(h)), radius * np.sin(np.radians(h)), lightness / 100


def matchers() -> list[Answered]:
    """Guesses by strangers; references are what other games said of the same figure."""
    corpus = NaiveMatchers()
    trials = {t.id: t for t in corpus.trials()}
    rows = [
        _answered(trials[r.trial], r, r.description, str(trials[r.trial].meta["experiment"]))
        for r in corpus.responses()
        if r.description is not None
    ]
    return held_against_others(rows, lambda r: r.trial.targets)
