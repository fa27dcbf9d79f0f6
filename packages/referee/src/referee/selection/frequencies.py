"""Counts of speakers' mentions: attributes, attribute-value pairs and whole sets (after Kelleher & Mac Namee 2008).

In their notation: `mentions` is n(a), `selected` sel(a, v), `occurred` occ(a, v), and `prior` sel / occ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from referee.errors import InputError, UnknownDomain
from referee.records import Property, SpeakerView, Trial

Learned = TypeVar("Learned")
Group = tuple[str | None, ...]
"""Values that the trials of a group share, for example domain and condition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequencies:
    """Counts over human descriptions.

    A name counts once per description, with any value. A pair is `selected` when a description of a target that has it
    mentions it, and `occurred` for every description of such a target, so a prior never exceeds 1. `order` lists the
    attribute names by falling count, ties by first encounter; attributes that targets have but no speaker mentions come
    last.
    """

    descriptions: int
    mentions: Mapping[str, int]
    selected: Mapping[Property, int]
    occurred: Mapping[Property, int]
    sets: Mapping[frozenset[Property], int]
    order: tuple[str, ...]

    def share(self, name: str) -> float | None:
        """Return the share of descriptions that mention an attribute; None without descriptions."""
        return self.mentions.get(name, 0) / self.descriptions if self.descriptions else None

    def prior(self, prop: Property) -> float | None:
        """Return how often a pair is mentioned where it could be; None if no target had it."""
        occurred = self.occurred.get(prop, 0)
        return self.selected.get(prop, 0) / occurred if occurred else None


def count(trials: Iterable[Trial]) -> Frequencies:
    """Count every description that has properties; each reference of a trial is one description."""
    descriptions = 0
    mentions: Counter[str] = Counter()
    selected: Counter[Property] = Counter()
    occurred: Counter[Property] = Counter()
    sets: Counter[frozenset[Property]] = Counter()
    available: dict[str, None] = {}
    for trial, mentioned in _iterate_descriptions(trials):
        descriptions += 1
        has = trial.scene.entity(trial.targets[0]).attributes if trial.targets else ()
        mentions.update(list(dict.fromkeys(p.name for p in mentioned)))
        # A value that is false of the target (35 in TUNA's furniture sets) mentions a name but selects no pair.
        selected.update(set(mentioned) & set(has))
        occurred.update(set(has))
        sets[frozenset(mentioned)] += 1
        available.update((p.name, None) for p in has)
    # Sorting is stable, so ties stay in order of first encounter (as in Kelleher 2007).
    order = tuple(dict.fromkeys([*sorted(mentions, key=lambda name: -mentions[name]), *available]))
    return Frequencies(
        descriptions=descriptions, mentions=mentions, selected=selected, occurred=occurred, sets=sets, order=order
    )


def _iterate_descriptions(trials: Iterable[Trial]) -> Iterator[tuple[Trial, tuple[Property, ...]]]:
    """Yield the trials with the properties of each reference."""
    for trial in trials:
        for reference in trial.references:
            if reference.properties is not None:
                yield trial, reference.properties


def group_of(view: SpeakerView | Trial, by: tuple[str, ...]) -> Group:
    """Return the group of a trial by some of its fields."""
    return tuple([getattr(view, name) for name in by])


def group_trials(trials: Iterable[Trial], by: tuple[str, ...]) -> dict[Group, list[Trial]]:
    """Return the trials by group, in order of first encounter."""
    groups: dict[Group, list[Trial]] = {}
    for trial in trials:
        groups.setdefault(group_of(trial, by), []).append(trial)
    return groups


def check_groups(train: Iterable[Trial], test: Iterable[Trial], by: tuple[str, ...]) -> None:
    """Raise InputError for the first trial whose group has no training data."""
    groups = group_trials(train, by)
    for trial in test:
        get_learned(trial, by, groups)


def get_learned(view: SpeakerView | Trial, by: tuple[str, ...], learned: Mapping[Group, Learned]) -> Learned:
    """Return the value learned for the view's group.

    Raises an error with the known groups for another one.
    """
    group = group_of(view, by)
    if group not in learned:
        groups = "; ".join(", ".join(map(str, key)) for key in learned) or "none"
        kind = UnknownDomain if "domain" in by else InputError
        raise kind(
            f"no training data for {', '.join(by)} = {', '.join(map(str, group))}",
            where=view.id,
            remedy=f"train on such trials too (seen: {groups}), or group less finely with by=()",
        )
    return learned[group]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedFrequencies:
    """Counts per group of trials (for example per domain and condition).

    A group that was never seen has the counts of the narrowest wider group.
    """

    by: tuple[str, ...]
    tables: Mapping[Group, Frequencies]

    def key(self, view: SpeakerView | Trial) -> Group:
        """Return the view's group; with the last criteria dropped, one by one, until a group has been seen."""
        key = group_of(view, self.by)
        # Ends with () at the latest, which is always counted.
        while key not in self.tables:
            key = key[:-1]
        return key

    def of(self, view: SpeakerView | Trial) -> Frequencies:
        """Return the counts of the view's group, or of the narrowest wider one that has been seen."""
        return self.tables[self.key(view)]

    @property
    def overall(self) -> Frequencies:
        """The counts over all groups."""
        return self.tables[()]


def count_by_group(trials: Iterable[Trial], by: tuple[str, ...] = ("domain",)) -> GroupedFrequencies:
    """Count mentions per group of trials, and per wider group.

    Grouping by domain and condition also counts by domain, and over all trials.
    """
    trials = list(trials)
    tables: dict[Group, Frequencies] = {(): count(trials)}
    for depth in range(1, len(by) + 1):
        tables.update((key, count(members)) for key, members in group_trials(trials, by[:depth]).items())
    return GroupedFrequencies(by=by, tables=tables)
