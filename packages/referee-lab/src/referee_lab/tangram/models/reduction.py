"""Reduction and partner-specificity in repeated games, and overhearers beside addressees (Hawkins et al. 2020; Schober & Clark 1989; Boyce et al. 2025)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log
from pathlib import Path

import numpy as np

from referee.corpora.kth import KthTangrams
from referee.corpora.tangrams import HawkinsTangrams, NaiveMatchers
from referee.errors import InputError
from referee.records import Trial
from referee.statistics.clustered_regression import Slope, regress
from referee.statistics.clusters import cluster_bootstrap
from referee.statistics.comparisons import Comparison, paired_t
from referee.statistics.dependent_trials import TESTABLE
from referee_lab.tangram.models.dialogue_items import iterate_dialogue_items
from referee_lab.tangram.tiers.dialogue import Dialogue
from referee_lab.tangram.tiers.reference_forms import count_words, list_describing_words, split_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One description of an object in a game and its repetition.

    Objects of different games with the same `kind` are the same. Intervals and pseudo-dyads go by `pair`: people may
    play several games.
    """

    game: str
    pair: str
    target: str
    kind: str
    repetition: int
    text: str

    @property
    def words(self) -> int:
        return count_words(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Affinity:
    """The similarity of a description to the pair's own previous one for the object, and to those of pseudo-dyads
    (their mean).
    """

    pair: str
    repetition: int
    within_pair: float
    pseudo: float
    pseudo_dyads: int


def list_tellings(
    trials: Iterable[Trial], kind: Callable[[Trial], str] = lambda trial: trial.targets[0]
) -> list[Telling]:
    """Return the descriptions of each target's trials in order, numbered by repetition within the game."""
    counts: defaultdict[tuple[str, str], int] = defaultdict(int)
    descriptions = []
    for trial in trials:
        game, target = str(trial.meta["game"]), trial.targets[0]
        counts[game, target] += 1
        text = trial.references[0].text if trial.references else None
        if text and split_words(text):
            names = {"game": game, "pair": str(trial.meta.get("pair", game)), "target": target, "kind": kind(trial)}
            descriptions.append(Telling(repetition=counts[game, target], text=text, **names))
    return descriptions


def overlap(a: str, b: str) -> float | None:
    """Return Dice of the words that describe; None where neither text has any."""
    first, second = _get_describing_words(a), _get_describing_words(b)
    return 2 * len(first & second) / (len(first) + len(second)) if first or second else None


@lru_cache(maxsize=20_000)
def _get_describing_words(text: str) -> frozenset[str]:
    return frozenset(list_describing_words(text))


def compute_affinities(descriptions: Sequence[Telling]) -> list[Affinity]:
    """Return the nearness of every description from the second on to the one before, in its game and by other pairs."""
    before = {(t.game, t.target, t.repetition): t for t in descriptions}
    same: defaultdict[tuple[str, int], list[Telling]] = defaultdict(list)
    for telling in descriptions:
        same[telling.kind, telling.repetition].append(telling)
    nearness = []
    for telling in descriptions:
        last = before.get((telling.game, telling.target, telling.repetition - 1))
        within_pair = None if last is None else overlap(telling.text, last.text)
        # The same repetition as the pair's own, so that general shortening favours neither.
        others = (o for o in same[telling.kind, telling.repetition - 1] if o.pair != telling.pair)
        pseudo = [s for o in others if (s := overlap(telling.text, o.text)) is not None]
        if within_pair is not None and pseudo:
            mean = sum(pseudo) / len(pseudo)
            numbers = {"repetition": telling.repetition, "pseudo_dyads": len(pseudo)}
            nearness.append(Affinity(pair=telling.pair, within_pair=within_pair, pseudo=mean, **numbers))
    return nearness


CORPORA = ("tangrams-hawkins", "kth-tangrams")
LEAST = 20
# One description: repetition, game, words.
WordCount = tuple[int, str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The mean of something at one repetition, with an interval clustered by pair."""

    repetition: int
    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockAccuracy:
    """How often the target of a description was identified.

    By the addressee in the game, or by overhearers who only read it.
    """

    who: str
    source: str
    block: str
    accuracy: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction:
    """Words by repetition, the slope of log words on log repetition, own and pseudo-dyad similarity and their difference by pair, hearing."""

    corpus: str
    games: int
    pairs: int
    words: tuple[Level, ...]
    slope: Slope | None
    own: tuple[Level, ...]
    pseudo: tuple[Level, ...]
    specificity: Comparison
    same: str
    heard: tuple[BlockAccuracy, ...]


def reduce_games(corpus: str, data: str | Path | None = None, seed: int = 1) -> Reduction:
    """Return all measures of reduction for one corpus of repeated games."""
    if corpus not in CORPORA:
        raise InputError(f"{corpus} is not a corpus of repeated games", remedy=f"one of {', '.join(CORPORA)}")
    if corpus == "kth-tangrams":
        descriptions, same = list_tellings(KthTangrams(data).trials(), _get_target_shape), "figures of the same shape"
        heard: tuple[BlockAccuracy, ...] = ()
    else:
        descriptions, same = list_tellings(HawkinsTangrams(data).trials()), "the same figure"
        heard = tuple(compare_hearing_by_block(data, seed))
    return _measure_reduction(corpus, descriptions, same, heard, seed)


def reduce_dialogues(name: str, dialogues: Iterable[Dialogue], seed: int = 1) -> Reduction:
    """Return the same for any dialogues: a game is a dialogue, and an object of another pair is the same where it has the same name."""
    descriptions: list[Telling] = []
    for dialogue in dialogues:
        about = {"game": dialogue.id, "pair": dialogue.pair}
        items = (replace(t, meta={**t.meta, **about}) for t in iterate_dialogue_items(dialogue))
        descriptions += list_tellings(t for t in items if len(t.targets) == 1)
    if len({t.pair for t in descriptions}) < 2 or not any(t.repetition > 1 for t in descriptions):
        raise InputError(
            "no two pairs describe an object repeatedly",
            where=name,
            remedy="give dialogues of several pairs in which the same objects come round",
        )
    return _measure_reduction(name, descriptions, "the same object", (), seed)


def _measure_reduction(
    name: str, descriptions: Sequence[Telling], same: str, heard: tuple[BlockAccuracy, ...], seed: int
) -> Reduction:
    """Return the reduction of a corpus: lengths by repetition, and similarity to the pair's earlier descriptions."""
    near = compute_affinities(descriptions)
    by_pair = {pair: [a for a in near if a.pair == pair] for pair in sorted({a.pair for a in near})}
    within_pairs = [float(np.mean([a.within_pair for a in group])) for group in by_pair.values()]
    pseudo = [float(np.mean([a.pseudo for a in group])) for group in by_pair.values()]
    specificity = paired_t(within_pairs, pseudo)
    return Reduction(
        corpus=name,
        games=len({t.game for t in descriptions}),
        pairs=len({t.pair for t in descriptions}),
        words=_average_by_repetition([(t.repetition, t.pair, float(t.words)) for t in descriptions], seed),
        slope=estimate_slope([(t.repetition, t.pair, float(t.words)) for t in descriptions]),
        own=_average_by_repetition([(a.repetition, a.pair, a.within_pair) for a in near], seed),
        pseudo=_average_by_repetition([(a.repetition, a.pair, a.pseudo) for a in near], seed),
        specificity=specificity if len(by_pair) >= TESTABLE else replace(specificity, t=None, p=None),
        same=same,
        heard=heard,
    )


def _get_target_shape(trial: Trial) -> str:
    (target,) = (e for e in trial.scene.entities if e.id == trial.targets[0])
    return next(a.value for a in target.attributes if a.name == "shape")


def _has_changes(words: Sequence[WordCount]) -> bool:
    """Return whether any game uses more or fewer words in one repetition than in another."""
    totals: defaultdict[tuple[str, int], float] = defaultdict(float)
    for repetition, game, n in words:
        totals[game, repetition] += n
    distinct = {(game, total) for (game, _), total in totals.items()}
    return len(distinct) > len({game for game, _ in distinct})


def estimate_slope(words: Sequence[WordCount]) -> Slope | None:
    """Return the slope of log words on log repetition, clustered by game; None if it cannot be estimated."""
    usable = [w for w in words if w[2] > 0]
    if len({r for r, _, _ in usable}) < 2 or len({g for _, g, _ in usable}) < 3:
        return None
    # Descriptions of constant length have no variance to estimate a slope from.
    if not _has_changes(usable):
        return None
    columns = {"log repetition": [log(r) for r, _, _ in usable]}
    slope = regress(columns, [log(n) for _, _, n in usable], [g for _, g, _ in usable])[1]
    return slope if slope.clusters >= TESTABLE else replace(slope, p=None)


def _average_by_repetition(rows: Sequence[tuple[int, str, float]], seed: int) -> tuple[Level, ...]:
    """Return the means by repetition, for repetitions with enough descriptions."""
    import polars as pl

    frame = pl.DataFrame(rows, schema=["repetition", "pair", "value"], orient="row")
    frame = frame.filter(pl.len().over("repetition") >= LEAST).with_columns(pl.col("repetition").cast(pl.String))
    if frame.is_empty():
        return ()
    table = cluster_bootstrap(frame, value="value", system="repetition", by=("pair",), seed=seed)
    levels = [
        Level(repetition=int(r["system"]), mean=r["mean"], low=r["low"], high=r["high"], n=r["n"])
        for r in table.iter_rows(named=True)
    ]
    return tuple(sorted(levels, key=lambda level: level.repetition))


def compare_hearing_by_block(data: str | Path | None = None, seed: int = 1) -> list[BlockAccuracy]:
    """Return the accuracy of addressees of the repeated game and of overhearing readers, in the first and the sixth
    block.

    The two come from different games (pairs of Hawkins et al.; groups of two and six of Boyce et al.), so their
    difference is between corpora.
    """
    import polars as pl

    rows: list[tuple[str, str, float]] = []
    trials = {t.id: t for t in HawkinsTangrams(data).trials()}
    for r in HawkinsTangrams(data).responses():
        trial = trials[r.trial]
        block = str(trial.condition).removeprefix("repetition-")
        if block in ("1", "6"):
            rows.append((f"addressee|tangrams-hawkins|{block}", r.hearer, float(r.entity == trial.targets[0])))
    readers = {t.id: t for t in NaiveMatchers(data).trials()}
    for r in NaiveMatchers(data).responses():
        trial = readers[r.trial]
        if trial.condition is not None:
            size, _, block = trial.condition.split("_")
            rows.append(
                (f"overhearer|tg-matcher, groups of {size}|{block}", r.hearer, float(r.entity == trial.targets[0]))
            )
    frame = pl.DataFrame(rows, schema=["system", "participant", "right"], orient="row")
    table = cluster_bootstrap(frame, value="right", system="system", by=("participant",), seed=seed)
    return [
        BlockAccuracy(
            who=hearer_role, source=source, block=block, accuracy=r["mean"], low=r["low"], high=r["high"], n=r["n"]
        )
        for r in sorted(table.iter_rows(named=True), key=lambda r: str(r["system"]))
        for hearer_role, source, block in [str(r["system"]).split("|")]
    ]
