"""Descriptions that somebody answered, as rows that measures and the court can work on: games with human listeners, read from REFEREE_DATA.

Every description is held against what other people said in a like case (never the same game), for a measure that needs references needs people who agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Protocol

import numpy as np

from referee import catalogue
from referee.contracts import Batch, FloatArray
from referee.corpora.degen import Degen2020
from referee.hearers.answering import split_words
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


class Described(Protocol):
    """What a measure looks at."""

    @property
    def description(self) -> Description: ...

    @property
    def trial(self) -> Trial: ...


def score(rows: Sequence[Described], metric: str, **switches: object) -> FloatArray:
    """The value of a measure for every description; NaN where it cannot be measured."""
    made = catalogue.create("metric", metric, **switches)
    statistics = made.statistics(Batch.of([r.description for r in rows], [r.trial for r in rows]))
    measured = ~np.isnan(statistics).any(axis=1)
    values: FloatArray = made.finish(np.nan_to_num(statistics), measured.astype(float))
    return values


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


def degen(coded: bool, data: str | Path | None = None) -> Iterator[Answered]:
    """Rounds with one message by the speaker. `coded`: the authors' codes (correct clicks only); else all rounds, read word by word.

    In experiment 3 the levels of the taxonomy become values of one attribute, so that "dog" and "dalmatian" can be compared.
    """
    corpus = Degen2020(data, part="published" if coded else "all")
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
    words = [SYNONYMS.get(word, word) for word in split_words(text)]
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
