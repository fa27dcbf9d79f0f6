"""Baselines for speakers.

All properties, the type alone, a random distinguishing description, and the description of the most similar training
target.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Self

from referee.errors import InputError, NotTrained
from referee.records import Description, Property, SpeakerView, Trial
from referee.selection.contrast import TYPE, Contrast, get_contrast
from referee.selection.reasons import Note, Reasoned


class Everything(Reasoned):
    """All that is true of the target, or of every target."""

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return all properties."""
        for prop in contrast.properties if note else ():
            note(prop, "everything is said")  # type: ignore[misc]
        return contrast.properties


class TypeOnly(Reasoned):
    """The type and no other property; an entity without a type gets its first property."""

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the type, or the first property."""
        chosen = (contrast.head,) if contrast.head is not None else contrast.properties[:1]
        for prop in chosen if note else ():
            note(prop, "only the type is used")  # type: ignore[misc]
        return chosen


@dataclass(eq=False, repr=False)
class RandomDistinguishing(Reasoned):
    """Properties in random order (from `seed` and the trial's id) as long as they exclude a distractor.

    Then the type, if missing.
    """

    seed: int = 0

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return random properties until the target is distinguished."""
        options = Random(f"{self.seed} {view.id}").sample(contrast.properties, len(contrast.properties))
        left, chosen = contrast.distractors, []
        for prop in options:
            if left & ~contrast.extensions[prop]:
                chosen.append(prop)
                left &= contrast.extensions[prop]
                if note:
                    note(prop, "chosen at random, and rules out a distractor")
        if contrast.head is not None and contrast.head not in chosen:
            chosen.append(contrast.head)
        return tuple(p for p in contrast.properties if p in chosen)


class NearestWords:
    """Repeats a speaker's description of the most similar training target, word for word; true or not.

    Targets are compared by Dice over their properties, then by equal domain and condition; the first of equals is used.
    """

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Remember every description that has words."""
        self.descriptions_: list[tuple[frozenset[Property], str | None, str | None, Description]] = []
        for trial in trials:
            target = frozenset(get_contrast(trial.for_speaker()).properties)
            self.descriptions_ += [(target, trial.domain, trial.condition, d) for d in trial.references if d.text]
        if not self.descriptions_:
            raise InputError("no description has words to quote", remedy="train on a corpus with words")
        return self

    def nearest(self, view: SpeakerView) -> Description:
        """Return the description of the most similar training target."""
        if not getattr(self, "descriptions_", None):
            raise NotTrained(self)
        target_properties = frozenset(get_contrast(view).properties)

        def rate_likeness(
            candidate: tuple[frozenset[Property], str | None, str | None, Description],
        ) -> tuple[float, bool, bool]:
            """Return a sort key: overlap with the target's properties, then the same domain, then condition."""
            target, domain, condition, _ = candidate
            share = 2 * len(target & target_properties) / max(1, len(target) + len(target_properties))
            return round(share, 9), domain == view.domain, condition == view.condition

        return max(self.descriptions_, key=rate_likeness)[3]

    def select(self, view: SpeakerView) -> tuple[Property, ...]:
        """Return the properties of the repeated description."""
        quoted = self.nearest(view).properties
        return () if quoted is None else tuple(p for p in dict.fromkeys(quoted) if p.name == TYPE or p.value)

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the words of the repeated description."""
        return self.nearest(view).text or ""
