"""Nine corpora (and one read later) in which people answered people's descriptions: what was said, what others say in a like case, whether it was found.

A row is one answer to one message: rounds in which anybody wrote anything else are left out, for nobody knows which message was answered. The readers
of tg-matcher saw whole exchanges, so there the exchange is the description. Every description is held against what people said in other games.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from answered import degen, in_like_conditions, score

from referee import catalogue
from referee.contracts import FloatArray
from referee.corpora.clusters import get_cluster
from referee.hearers.answering import split_words
from referee.records import Description, Entity, Outcome, Response, Trial

REFERENCES = 10
NEIGHBOURS = 5
CANDIDATES = 50
HAN = re.compile(r"([\u3400-\u9fff\uf900-\ufaff])")
WRONG = "wrong figure, not known which"
NUMBERS = re.compile(r"\d+")

Pool = dict[Hashable, dict[str, list[Description]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One answer: what was said and what it is held against, the condition, the target where it recurs, and the clusters that the answer belongs to."""

    description: Description
    trial: Trial
    right: bool
    milliseconds: float | None
    game: str
    condition: str
    target: Hashable
    clusters: tuple[str, ...]
    options: int
    by_model: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A corpus, and how it is read here. `alike` says which targets are the same; None: they do not recur, and the nearest by `place` stand in."""

    name: str
    label: str
    condition: Callable[[Trial], str]
    alike: Callable[[Trial], Hashable] | None = None
    place: Callable[[Entity], Sequence[float]] | None = None
    whole_exchange: bool = False
    options: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The rows of a corpus that can be measured, how many answers there are in all, and what was sampled."""

    rows: tuple[Heard, ...]
    answers: int
    usable: int
    sampled: tuple[str, ...]


def _target_name(trial: Trial) -> Hashable:
    return trial.targets[0]


def _target_looks(trial: Trial) -> Hashable:
    return trial.domain, trial.scene.entity(trial.targets[0]).attributes


def _cone(hue: float, saturation: float, lightness: float) -> tuple[float, float, float]:
    """Hue, saturation and lightness as a place: hues lie on a circle that is widest at middle lightness."""
    radius = saturation / 100 * (1 - abs(2 * lightness / 100 - 1))
    return radius * np.cos(np.radians(hue)), radius * np.sin(np.radians(hue)), lightness / 100


def _patch(entity: Entity) -> Sequence[float]:
    return _cone(*(float(entity.value(name) or 0) for name in "hsl"))


def _grid(entity: Entity) -> Sequence[float]:
    """Nine colours, cell by cell: people name both a colour and where it is."""
    return [x for cell in entity.attributes for x in _cone(*map(float, NUMBERS.findall(cell.value)))]


def _given(trial: Trial) -> str:
    return trial.condition or ""


SOURCES = (
    Source(
        name="degen2020",
        label="Degen 2020",
        condition=lambda t: f"{t.domain} {t.condition}",
        alike=_target_looks,
    ),
    Source(name="colors", label="Colors", condition=_given, place=_patch),
    Source(name="colors-mandarin", label="Colors, Mandarin", condition=_given, place=_patch),
    Source(name="color-grids", label="Colour grids", condition=_given, place=_grid),
    Source(name="tangrams-hawkins", label="Tangrams, pairs", condition=_given, alike=_target_name),
    Source(
        name="multiparty-tangrams",
        label="Tangrams, groups",
        condition=lambda t: f"{t.meta['study']} {t.condition}",
        alike=_target_name,
    ),
    Source(
        name="tg-matcher",
        label="Tangrams, strangers",
        condition=lambda t: f"{t.meta['experiment']} {t.condition}",
        alike=_target_name,
        whole_exchange=True,
    ),
    Source(
        name="tangrams-ref",
        label="KiloGram tangrams",
        condition=lambda t: f"{t.meta['part']} {t.condition}",
        alike=_target_name,
        options=10,
    ),
    Source(name="continual-adaptation", label="Photographs", condition=_given, alike=_target_name),
)
NEW = (Source(name="conventions-network", label="Tangrams, networks", condition=_given, alike=_target_name),)
"""Read after the rules of the meta-analysis were written."""


def read(source: Source, data: str | Path | None, games: int | None = None, seed: int = 1, draw: int = 1) -> Material:
    """Every answer that can be measured; with `games`, of so many games drawn by lot (references come from these games, too).

    `draw` is the seed of the references.
    """
    corpus: Any = catalogue.create("corpus", source.name, data=data)
    trials = {t.id: t for t in corpus.trials()}
    responses = [r for r in corpus.responses() if _is_choice(r) and (r.description or Description()).text]
    answers = len(responses)
    if games is not None:
        names = sorted({_game(t) for t in trials.values()})
        kept = set(Random(seed).sample(names, min(games, len(names))))
        trials = {i: t for i, t in trials.items() if _game(t) in kept}
    rows = [
        _heard(source, trials[r.trial], r, corpus.card.sampled)
        for r in responses
        if r.trial in trials and (source.whole_exchange or has_one_message(trials[r.trial]))
    ]
    found = _nearest(rows, source) if source.place else _same(rows, _pool(rows, trials.values(), source), draw)
    return Material(rows=tuple(found), answers=answers, usable=len(rows), sampled=corpus.card.sampled)


def _is_choice(response: Response) -> bool:
    """Whether a person chose an object, also a wrong one of which the corpus does not say which."""
    return response.outcome == Outcome.ENTITY or WRONG in response.flags


def has_one_message(trial: Trial) -> bool:
    """Whether the speaker wrote one message, and nobody anything else (a message without text is none)."""
    messages = [e for e in trial.episode if e.kind == "message" and (e.text or "").strip()]
    return len(messages) == 1 and messages[0].by == "speaker"


def _game(trial: Trial) -> str:
    return trial.cluster("game") or trial.speaker or trial.id


def _heard(source: Source, trial: Trial, response: Response, sampled: Iterable[str]) -> Heard:
    said = response.description or Description()
    return Heard(
        description=_spaced(said),
        trial=replace(trial, history=(), episode=(), references=()),
        right=response.entity in trial.targets,
        milliseconds=response.identification_ms,
        game=_game(trial),
        condition=source.condition(trial),
        target=source.alike(trial) if source.alike else None,
        clusters=tuple(get_cluster(trial, factor, response) or trial.id for factor in sampled),
        options=source.options or len(trial.scene.entities),
        by_model=response.system is not None,
    )


def _spaced(said: Description) -> Description:
    """Chinese characters set apart: they count as words."""
    return replace(said, text=HAN.sub(r" \1 ", said.text or "").strip(), properties=None)


def _pool(rows: Iterable[Heard], trials: Iterable[Trial], source: Source) -> Pool:
    """What people said of every target, each description once: also where no person answered it."""
    said: dict[str, tuple[Hashable, str, Description]] = {}
    for row in rows:
        if not row.by_model:
            said.setdefault(row.trial.id, (row.target, row.game, row.description))
    for trial in trials:
        if trial.id not in said and trial.references and has_one_message(trial) and source.alike:
            said[trial.id] = (source.alike(trial), _game(trial), _spaced(trial.references[0]))
    pool: Pool = defaultdict(lambda: defaultdict(list))
    for target, game, description in said.values():
        pool[target][game].append(description)
    return pool


def _same(rows: Iterable[Heard], pool: Pool, seed: int) -> Iterator[Heard]:
    """Up to ten descriptions of the same target in other games; rows without any are left out."""
    rng = Random(seed)
    for row in rows:
        others = [d for game, said in pool[row.target].items() if game != row.game for d in said]
        if others:
            yield _against(row, rng.sample(others, min(REFERENCES, len(others))))


def _nearest(rows: Sequence[Heard], source: Source) -> Iterator[Heard]:
    """The descriptions of the five nearest targets in the same condition in other games."""
    from scipy.spatial import cKDTree

    assert source.place
    for condition in dict.fromkeys(r.condition for r in rows):
        part = [r for r in rows if r.condition == condition]
        places = np.array([source.place(r.trial.scene.entity(r.trial.targets[0])) for r in part])
        _, near = cKDTree(places).query(places, k=min(CANDIDATES, len(part)))
        for row, candidates in zip(part, np.reshape(near, (len(part), -1)), strict=True):
            others = [part[i].description for i in candidates if part[i].game != row.game][:NEIGHBOURS]
            if others:
                yield _against(row, others)


def _against(row: Heard, others: Iterable[Description]) -> Heard:
    return replace(row, trial=replace(row.trial, references=tuple(others)))


def read_properties(data: str | Path | None) -> tuple[Heard, ...]:
    """Degen 2020 with the properties that the words name; held against what others mentioned in the same condition of the game.

    The authors' codes exist only where the listener was right, and are not used.
    """
    return tuple(
        Heard(
            description=r.description,
            trial=r.trial,
            right=bool(r.right),
            milliseconds=r.milliseconds,
            game=r.game,
            condition=f"{r.group} {r.trial.condition}",
            target=(r.group, r.trial.scene.entity(r.trial.targets[0]).attributes),
            clusters=(r.game,),
            options=len(r.trial.scene.entities),
        )
        for r in in_like_conditions(degen(coded=False, data=data))
    )


def readable(data: str | Path | None) -> tuple[FloatArray, FloatArray, list[str]]:
    """For every round of Degen 2020 whether its words name a property at all, whether it was found, and its game."""
    rounds = list(degen(coded=False, data=data))
    known = np.array([float(bool(r.description.properties)) for r in rounds])
    return known, np.array([r.right for r in rounds]), [r.game for r in rounds]


def length(rows: Sequence[Heard]) -> FloatArray:
    """Words said; in Chinese, characters."""
    return np.array([float(len(split_words(r.description.text or ""))) for r in rows])


def measure(rows: Sequence[Heard], metric: str) -> FloatArray:
    """A measure of the catalogue for every row. ROUGE's own way of splitting words knows ASCII only; other languages are split by Unicode."""
    foreign = "rouge" in metric and any(r.trial.language not in (None, "en") for r in rows)
    return score(rows, metric, **({"tokens": "unicode"} if foreign else {}))
