"""Attributes by their probability of mention, regardless of discrimination.

Size only beside an object of the same type that differs (after Mitchell 2013).

Mitchell, van Deemter & Reiter (2013) model speakers who mention salient properties without checking whether they are
needed. Their paper was not available: this follows its outline.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Self

from referee.errors import NotTrained
from referee.records import Property, SpeakerView, Trial
from referee.selection.contrast import TYPE, Contrast
from referee.selection.frequencies import GroupedFrequencies, count_by_group
from referee.selection.reasons import Note, Reasoned


@dataclass(eq=False, repr=False)
class VisibleObjects(Reasoned):
    """The type, and every property that people mention in more than half of the cases where it is true.

    With `seed`, each is drawn with that probability.

    `relative` attributes (size) are only considered if another object of the same type differs in them.
    """

    relative: tuple[str, ...] = ("size",)
    by: tuple[str, ...] = ("domain",)
    seed: int | None = None

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Count how often a true property is mentioned."""
        self.frequencies_: GroupedFrequencies = count_by_group(trials, self.by)
        return self

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the type and the frequent properties."""
        # Descriptions without properties give no counts of mentions.
        # Descriptions without properties teach nothing about what people mention.
        if not hasattr(self, "frequencies_") or not self.frequencies_.overall.mentions:
            raise NotTrained(self)
        seen = self.frequencies_.of(view)
        rng = None if self.seed is None else Random(f"{self.seed} {view.id}")
        kind = contrast.extensions[contrast.head] if contrast.head is not None else contrast.scene.everything
        chosen = [] if contrast.head is None else [contrast.head]
        if note and contrast.head is not None:
            note(contrast.head, "the type is always used")
        for prop in contrast.properties:
            idle = prop.name in self.relative and not contrast.distractors & kind & ~contrast.extensions[prop]
            likely = 0.0 if prop.name == TYPE or idle else seen.prior(prop) or 0.0
            if likely > (0.5 if rng is None else rng.random()):
                chosen.append(prop)
                if note:
                    note(prop, f"people mention it in {likely:.0%} of the cases where it holds")
        return tuple(chosen)
