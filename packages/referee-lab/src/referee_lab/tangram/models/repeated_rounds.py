"""Repeated games: how descriptions of one object shorten, and whether they are specific to the pair (Clark &
Wilkes-Gibbs 1986; Hawkins et al. 2020).

A pair's description is compared with its own description of the same object one repetition before, and with that of
pseudo-dyads: other games re-paired for the same object and repetition. A pair that is more similar to itself than to
pseudo-dyads has conventions of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from referee.records import Trial
from referee_lab.tangram.tiers.reference_forms import count_words, describing_words, words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One description of an object in a game and its repetition.

    Objects of different games with the same `kind` are the same.
    """

    game: str
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

    game: str
    repetition: int
    within_pair: float
    pseudo: float
    pseudo_dyads: int


def _its_name(trial: Trial) -> str:
    return trial.targets[0]


def tellings(trials: Iterable[Trial], kind: Callable[[Trial], str] = _its_name) -> list[Telling]:
    """The descriptions of all trials with one target, in order, numbered by how often the game had the thing before; silent rounds count too."""
    counts: defaultdict[tuple[str, str], int] = defaultdict(int)
    descriptions = []
    for trial in trials:
        game, target = str(trial.meta["game"]), trial.targets[0]
        counts[game, target] += 1
        text = trial.references[0].text if trial.references else None
        if text and words_of(text):
            descriptions.append(
                Telling(game=game, target=target, kind=kind(trial), repetition=counts[game, target], text=text)
            )
    return descriptions


def overlap(a: str, b: str) -> float | None:
    """Dice of the words that describe; None where neither text has any."""
    first, second = _described(a), _described(b)
    return 2 * len(first & second) / (len(first) + len(second)) if first or second else None


@lru_cache(maxsize=20_000)
def _described(text: str) -> frozenset[str]:
    return frozenset(describing_words(text))


def affinities(
    descriptions: Sequence[Telling], similarity: Callable[[str, str], float | None] = overlap
) -> list[Affinity]:
    """For every description from the second on: nearness to the pair's own one before, and to other games' one before of the same kind of thing."""
    before = {(t.game, t.target, t.repetition): t for t in descriptions}
    same: defaultdict[tuple[str, int], list[Telling]] = defaultdict(list)
    for telling in descriptions:
        same[telling.kind, telling.repetition].append(telling)
    nearness = []
    for telling in descriptions:
        last = before.get((telling.game, telling.target, telling.repetition - 1))
        within_pair = None if last is None else similarity(telling.text, last.text)
        # The same repetition as the pair's own, so that general shortening favours neither.
        others = (o for o in same[telling.kind, telling.repetition - 1] if o.game != telling.game)
        pseudo = [s for o in others if (s := similarity(telling.text, o.text)) is not None]
        if within_pair is not None and pseudo:
            mean = sum(pseudo) / len(pseudo)
            nearness.append(
                Affinity(
                    game=telling.game,
                    repetition=telling.repetition,
                    within_pair=within_pair,
                    pseudo=mean,
                    pseudo_dyads=len(pseudo),
                )
            )
    return nearness
