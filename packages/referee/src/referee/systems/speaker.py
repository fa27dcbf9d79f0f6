"""A speaker is a way of choosing what to say and, where words are wanted, a way of saying it (the pipeline of the REG challenges)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from referee.capabilities import HasDistribution, SelectsMeaning
from referee.contracts import Realiser, Selector
from referee.meaning import Meaning
from referee.records import Description, Property, SpeakerView, Trial

__all__ = ["Composed"]


@dataclass(eq=False, repr=False)
class Composed:
    """A selector with, or without, a realiser behind it.

    With `distribution` a selector that has probabilities reports them all; there may be thousands per description.
    """

    selector: Selector
    realiser: Realiser | None = None
    distribution: bool = False

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Train both parts on the same trials."""
        trials = list(trials)
        self.selector.fit(trials)
        if self.realiser is not None:
            self.realiser.fit(trials)
        return self

    def describe(self, view: SpeakerView) -> Description:
        """The chosen properties, and their words where there is a realiser."""
        form: Meaning | None = None
        if isinstance(self.selector, SelectsMeaning):
            content = self.selector.select_description(view)
            properties, form = content.properties or (), content.meaning
        else:
            properties = tuple(self.selector.select(view))
        text = None if self.realiser is None else self.realiser.realise(properties, view)
        likely = self._likely(view) if self.distribution else None
        return Description(properties=properties, text=text, distribution=likely, meaning=form)

    def _likely(self, view: SpeakerView) -> tuple[tuple[frozenset[Property], float], ...] | None:
        """The selector's probabilities, where it has any."""
        return self.selector.distribution(view) if isinstance(self.selector, HasDistribution) else None
