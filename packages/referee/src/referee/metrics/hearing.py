"""Counts hearers' results, the same for people and simulated hearers (Gatt & Belz 2008; identification rates of Spanger
et al. 2013).

Over responses: `ir` (the target was named or pointed at), `error` (another entity, or a place without any) and the
share of every other outcome, which add up to 1; reading, identification and combined time; repeats; the share of content
words that the hearer understood. Over items: `mir`,
the share of items that a strict majority of evaluators got right, and `agreement`, the mean share of correct evaluators
over those items. Weights let a bootstrap resample participants and items without counting again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.records import HUMAN, Outcome, Response, Trial

__all__ = [
    "HUMAN",
    "MEASURES",
    "OVER_ITEMS",
    "OVER_RESPONSES",
    "PEOPLE",
    "TIES",
    "UNDERSTOOD",
    "Group",
    "Hearing",
    "group_responses",
]

IntArray = npt.NDArray[np.int64]
PEOPLE = "people"
CORRECTED = "corrected"
UNDERSTOOD = "understood"
# Spanger et al. 2013 do not define ties; their 17 evaluators of an item cannot tie, their 34 can.
TIES = {"strict": 0.0, "half": 0.5, "correct": 1.0}
NAN = float("nan")

# A place in a picture where nothing is was meant for something: it is as wrong as another entity.
NAMED = (Outcome.ENTITY, Outcome.POINT, Outcome.BOX)

Row = Callable[[Response, bool], float]


def _make_outcome_indicator(outcome: Outcome) -> Row:
    """Return a function that gives 1 for responses with this outcome, otherwise 0."""
    return lambda r, right: float(r.outcome == outcome)


def _make_time_sum(*names: str) -> Row:
    """Return a function that adds up some times of a response; NaN for corrected answers."""

    def measure(r: Response, right: bool) -> float:
        """Return the sum of a response's times; NaN where one is missing or the click was corrected."""
        times = [getattr(r, name) for name in names]
        # Mis-clicks that were corrected leave the times but not the rates, as in Spanger et al. 2013.
        return NAN if CORRECTED in r.flags or None in times else float(sum(times))

    return measure


OVER_RESPONSES: dict[str, Row] = {
    "ir": lambda r, right: float(right),
    # "I don't know" is no naming of another entity: it lowers the rate under a name of its own.
    "error": lambda r, right: float(r.outcome in NAMED and not right),
    **{str(outcome): _make_outcome_indicator(outcome) for outcome in Outcome if outcome not in NAMED},
    "reading_ms": _make_time_sum("reading_ms"),
    "identification_ms": _make_time_sum("identification_ms"),
    # Gatt & Belz 2008 time reading and identification apart; Spanger et al. 2013 have one clock over both.
    "combined_ms": _make_time_sum("reading_ms", "identification_ms"),
    "repeats": lambda r, right: float(r.repeats),
    UNDERSTOOD: lambda r, right: NAN if r.understood is None else float(r.understood),
}
OVER_ITEMS = ("mir", "agreement")
MEASURES = (*OVER_RESPONSES, *OVER_ITEMS)

Group = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """The responses of one group as arrays: participant, item, and a column for each measure.

    Participants and items are numbered from 0; NaN is not measured.

    `hearers` and `trials` are the names behind the numbers.
    """

    participants: IntArray
    items: IntArray
    values: FloatArray
    hearers: tuple[str, ...] = ()
    trials: tuple[str, ...] = ()

    @property
    def n_participants(self) -> int:
        """The number of participants."""
        return int(self.participants.max()) + 1

    @property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.items.max()) + 1

    def measure(
        self, by_participant: FloatArray | None = None, by_item: FloatArray | None = None, ties: str = "strict"
    ) -> FloatArray:
        """Return all measures, in the order of MEASURES; NaN without counted responses.

        Weights are the counts of each participant and item.
        """
        people = np.ones(self.n_participants) if by_participant is None else by_participant
        things = np.ones(self.n_items) if by_item is None else by_item
        measures: FloatArray = self.measure_each(people[None], things[None], ties)[0]
        return measures

    def measure_each(self, people: FloatArray, things: FloatArray, ties: str = "strict") -> FloatArray:
        """Return `measure` under several weightings at once: a row of measures for each row of weights."""
        weights = people[:, self.participants] * things[:, self.items]
        present = ~np.isnan(self.values)
        means = _divide(weights @ np.where(present, self.values, 0.0), weights @ present.astype(float))
        return np.concatenate([means, self._measure_items(people, things, ties)], axis=1)

    def _measure_items(self, people: FloatArray, things: FloatArray, ties: str) -> FloatArray:
        """Return majority rate and agreement over items, for every weighting."""
        share, answered, majority = self._find_majorities(people, ties)
        won = things * majority
        correct = (won * np.where(answered > 0, share, 0.0)).sum(axis=1)
        total, count = won.sum(axis=1), (things * answered).sum(axis=1)
        return _divide(np.stack([total, correct], axis=1), np.stack([count, total], axis=1))

    def _find_majorities(self, people: FloatArray, ties: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return three arrays of weightings by items.

        They are the proportion of correct evaluators, whether any answered, and whether the majority was
        right.
        """
        if ties not in TIES:
            raise InputError(f"the option 'ties' is {ties!r}", remedy=f"use one of {', '.join(TIES)}")
        weights = people[:, self.participants]
        counts = self._sum_by_item(weights)
        right = self._sum_by_item(weights * self.values[:, 0])
        share = _divide(right, counts)
        answered = (counts > 0).astype(float)
        tied = answered.astype(bool) & (2 * right == counts)
        majority = np.where(tied, TIES[ties], (2 * right > counts).astype(float))
        return share, answered, majority

    def _sum_by_item(self, numbers: FloatArray) -> FloatArray:
        """Return sums over the responses to every item, row by row."""
        rows, n = len(numbers), self.n_items
        if len(self.items) == n and np.bincount(self.items).max() == 1:
            # Each was answered once: nothing has to be added up.
            alone = np.empty((rows, n))
            alone[:, self.items] = numbers
            return alone
        # Every row gets its own range of items, so that one bincount adds all.
        places = self.items + n * np.arange(rows)[:, None]
        sums: FloatArray = np.bincount(places.ravel(), numbers.ravel(), n * rows).astype(float).reshape(rows, n)
        return sums

    def select(self, mask: npt.NDArray[np.bool_]) -> Hearing:
        """Return the hearing of the responses that `mask` selects.

        Participants and items without responses keep their index and are not counted.
        """
        return Hearing(participants=self.participants[mask], items=self.items[mask], values=self.values[mask])

    def counts(self, ties: str = "strict") -> dict[str, int]:
        """Return the number of responses (or items) behind each measure, and the number of tied items."""
        present = (~np.isnan(self.values)).sum(axis=0)
        people = np.ones((1, self.n_participants))
        share, answered, majority = self._find_majorities(people, ties)
        over_items = {"mir": int(answered.sum()), "agreement": int((majority > 0).sum())}
        over_responses = dict(zip(OVER_RESPONSES, map(int, present), strict=True))
        return {**over_responses, **over_items, "ties": int((share == 0.5).sum())}


def group_responses(
    responses: Iterable[Response], trials: Mapping[str, Trial]
) -> tuple[dict[Group, Hearing], dict[Group, Counter[str]]]:
    """Group responses by system and hearer; also count the responses left out, by reason.

    All people are one group (`PEOPLE`) with their participants; a simulated hearer, identified by its probabilities, is
    its own group. Responses to references count as those of the system `HUMAN`. With several targets `ir` requires
    exactly their set; responses without a set and trials without a target are left out.
    """
    rows_by_group: dict[Group, list[tuple[str, str, list[float]]]] = defaultdict(list)
    excluded: dict[Group, Counter[str]] = defaultdict(Counter)
    for response in responses:
        group = (response.system or HUMAN, PEOPLE if response.probabilities is None else response.hearer)
        trial = trials.get(response.trial)
        if trial is None:
            excluded[group]["trial not in the run"] += 1
        elif not trial.targets or (len(trial.targets) > 1 and not _chooses_sets(response)):
            excluded[group]["several targets" if trial.targets else "nothing is meant"] += 1
        else:
            right = _is_right(response, trial)
            row = [measure(response, right) for measure in OVER_RESPONSES.values()]
            rows_by_group[group].append((response.hearer, response.trial, row))
            if CORRECTED in response.flags:
                excluded[group]["time of a corrected answer"] += 1
    return {group: _tabulate(rows) for group, rows in rows_by_group.items()}, dict(excluded)


def _chooses_sets(response: Response) -> bool:
    """Return whether a response could have named a set of entities."""
    is_simulated = response.probabilities is not None
    return bool(response.entities) or (is_simulated and response.outcome in (Outcome.ENTITY, Outcome.NONE))


def _is_right(response: Response, trial: Trial) -> bool:
    """Return whether a response identifies the target(s)."""
    if len(trial.targets) > 1:
        return response.outcome == Outcome.SEVERAL and set(response.entities) == set(trial.targets)
    if response.outcome in (Outcome.POINT, Outcome.BOX):
        from referee.metrics.grounding import is_hit

        return is_hit(response, trial)
    return response.outcome == Outcome.ENTITY and response.entity == trial.targets[0]


def _tabulate(rows: list[tuple[str, str, list[float]]]) -> Hearing:
    """Return responses as indexed arrays."""
    participants, items, values = zip(*rows, strict=True)
    return Hearing(
        participants=_number_names(participants),
        items=_number_names(items),
        values=np.array(values),
        hearers=tuple(dict.fromkeys(participants)),
        trials=tuple(dict.fromkeys(items)),
    )


def _number_names(names: Iterable[Any]) -> IntArray:
    """Number names from 0 in the order of their first occurrence."""
    places: dict[Any, int] = {}
    return np.array([places.setdefault(name, len(places)) for name in names], dtype=np.int64)


def _divide(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """Return quotients; NaN where the denominator is 0."""
    shares: FloatArray = np.divide(top, bottom, out=np.full(np.shape(bottom), np.nan), where=bottom > 0)
    return shares
