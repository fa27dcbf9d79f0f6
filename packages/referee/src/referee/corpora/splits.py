"""Splits of a corpus.

By speaker, by scene, at random, or as in the challenges (80/20 within each domain; Gatt, Belz & Kow 2008).

TUNA has 13 scenes and 60 speakers, so in a random split, test trials share scenes and speakers with training; report
the split with every number. The name of a split determines it up to the seed:

    challenge-80/20     random trials, the same share of each domain (also 60/20/20: training, development, test)
    random-80/20        random trials
    speaker-80/20       whole speakers
    scene-80/20         whole scenes
    game-80/20          whole games, or pairs of a dialogue
    speaker-fold-2/5    the second of five folds by speaker is the test part (also random, scene, challenge)

Commands name a part as NAME:PART, for example ``challenge-80/20:test``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from referee.errors import InputError, UnknownName
from referee.options import CUTS
from referee.records import Trial
from referee.signature import digest

PARTS = ("train", "dev", "test")
_NAME = re.compile(r"(?P<by>[a-z]+)-(?:fold-(?P<fold>\d+)/(?P<of>\d+)|(?P<shares>\d+(?:/\d+){1,2}))")
_EXAMPLES = ("challenge-80/20", "random-80/20", "speaker-80/20", "scene-80/20", "speaker-fold-1/5", "scene-fold-1/5")


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A split as a run's manifest describes it: name, seed, sizes of its parts, and a checksum of their trials."""

    name: str
    seed: int
    sizes: tuple[int, ...]
    checksum: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def describe_split(name: str, seed: int, parts: Sequence[Iterable[Trial]]) -> Split:
    """Return the description of a split; its checksum covers the ids of each part in any order."""
    ids = [sorted(t.id for t in trials) for trials in parts]
    text = "\n\n".join("\n".join(names) for names in ids)
    return Split(name=name, seed=seed, sizes=tuple(map(len, ids)), checksum=digest(text))


def make_folds(
    trials: Iterable[Trial], k: int, by: str = "speaker", seed: int = 1
) -> Iterator[tuple[list[Trial], list[Trial]]]:
    """Return `k` pairs of training and test trials: each trial is tested once, no speaker (or scene) is in both parts of a pair."""
    items = list(trials)
    where = _assign_folds(items, k, by, seed)
    for fold in range(k):
        train = [t for t, f in zip(items, where, strict=True) if f != fold]
        test = [t for t, f in zip(items, where, strict=True) if f == fold]
        yield train, test


def split_trials(trials: Iterable[Trial], name: str, seed: int = 1) -> tuple[list[Trial], ...]:
    """Return the parts of a named split: training and test, or training, development and test.

    The module lists the names.
    """
    items = list(trials)
    match = _NAME.fullmatch(name)
    if not match or match["by"] not in CUTS:
        raise UnknownName("split", name, _EXAMPLES, hint=f"for example {', '.join(_EXAMPLES)}")
    if match["fold"]:
        return _make_fold(items, match["by"], int(match["fold"]), int(match["of"]), seed)
    shares = [int(s) for s in match["shares"].split("/")]
    if sum(shares) != 100 or 0 in shares:
        raise InputError(
            f"the shares of {name!r} do not make 100 %",
            remedy="write for example challenge-80/20 or challenge-60/20/20",
        )
    return _divide_units(items, match["by"], shares, seed)


def get_part(trials: Iterable[Trial], name: str, which: str = "test", seed: int = 1) -> list[Trial]:
    """Return one part of a named split: ``train``, ``dev`` (if the split has three parts) or ``test``."""
    parts = split_trials(trials, name, seed)
    names = PARTS if len(parts) == 3 else (PARTS[0], PARTS[-1])
    if which not in names:
        raise UnknownName("part", which, names, hint=f"{name} has the parts {', '.join(names)}")
    return parts[names.index(which)]


def _make_fold(items: list[Trial], by: str, fold: int, of: int, seed: int) -> tuple[list[Trial], ...]:
    """Return training and test part of one fold. Raises InputError for a fold out of range."""
    if not 1 <= fold <= of:
        raise InputError(f"there is no fold {fold} of {of}", remedy=f"folds count from 1 to {of}")
    return list(make_folds(items, of, by, seed))[fold - 1]


def _assign_folds(items: list[Trial], k: int, by: str, seed: int) -> list[int]:
    """Return the fold of each trial: units in random order go to the fold with the fewest trials so far."""
    # Strata in turn, each distributed to the smallest folds, so that every fold gets its share of each.
    units = [unit for stratum in _make_strata(items, by, seed) for unit in stratum]
    if k < 2 or k > len(units):
        fewer = {0: "", 1: "", 2: "ask for 2 folds, "}.get(len(units), f"ask for 2 to {len(units)} folds, ")
        raise InputError(
            f"{len(units)} {'unit' if len(units) == 1 else 'units'} cannot make {k} folds by {by}",
            remedy=f"{fewer}cut by another unit (--folds-by random), or take more trials",
        )
    sizes = [0] * k
    where = [0] * len(items)
    for unit in units:
        fold = sizes.index(min(sizes))
        sizes[fold] += len(unit)
        for place in unit:
            where[place] = fold
    return where


def _divide_units(items: list[Trial], by: str, shares: list[int], seed: int) -> tuple[list[Trial], ...]:
    """Return the parts: later ones get their rounded proportion of the units of each stratum, the first one the rest."""
    chosen: list[list[int]] = [[] for _ in shares]
    for units in _make_strata(items, by, seed):
        rest = units
        # From the last part back to the second: training gets the remainder of rounding.
        for i, share in list(enumerate(shares))[:0:-1]:
            count = round(len(units) * share / 100)
            taken, rest = rest[:count], rest[count:]
            chosen[i] += [place for unit in taken for place in unit]
        chosen[0] += [place for unit in rest for place in unit]
    if not all(chosen):
        raise InputError(
            f"{len(items)} trials are too few to share out {'/'.join(map(str, shares))} by {by}",
            remedy="cut by a unit with more values",
        )
    return tuple([items[place] for place in sorted(places)] for places in chosen)


def _make_strata(items: list[Trial], by: str, seed: int) -> list[list[list[int]]]:
    """Return units that must stay together (lists of places in `items`), shuffled, in the strata that are cut separately."""
    if by not in CUTS:
        raise UnknownName("cut", by, CUTS, hint=f"one of {', '.join(CUTS)}")
    rng = Random(seed)
    if by == "challenge":
        strata = [[[place] for place in places] for places in _group_indices(items, lambda t: t.domain or "").values()]
    elif by == "random":
        strata = [[[place] for place in range(len(items))]]
    else:
        strata = [list(_group_indices(items, _KEYS[by]).values())]
    for units in strata:
        rng.shuffle(units)
    return strata


def _group_indices(items: list[Trial], key: Callable[[Trial], str]) -> dict[str, list[int]]:
    """Return the indices of trials by key."""
    groups: dict[str, list[int]] = {}
    for place, trial in enumerate(items):
        groups.setdefault(key(trial), []).append(place)
    return groups


def _require_value(trial: Trial, value: str | None, what: str) -> str:
    """Return the value. Raises InputError if a trial has none."""
    if value is None:
        raise InputError(
            f"trial {trial.id!r} has no {what}, so the corpus cannot be cut by {what}",
            remedy="cut it at random (--folds-by random)",
        )
    return value


_KEYS: dict[str, Callable[[Trial], str]] = {
    "speaker": lambda t: _require_value(t, t.speaker, "speaker"),
    "scene": lambda t: _require_value(t, t.scene.id, "scene"),
    "game": lambda t: _require_value(t, t.cluster("game"), "game"),
}
