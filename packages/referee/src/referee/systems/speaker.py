"""A speaker: a selector of content and, if words are needed, a realiser (the pipeline of the REG challenges)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Self

from referee.capabilities import HasDistribution, RealisesMeaning, SelectsMeaning, learns
from referee.contracts import Realiser, Selector
from referee.meaning import Meaning, from_properties
from referee.realisation.wording import language_of
from referee.records import Description, Property, Span, SpeakerView, Trial


@dataclass(eq=False, repr=False)
class Sampled:
    """A probabilistic selector that returns a random description.

    The draw depends only on the seed and the trial.
    """

    selector: HasDistribution
    seed: int = 1

    @property
    def learns(self) -> bool:
        """Whether the selector learns."""
        return learns(self.selector)

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Train the selector."""
        fit = getattr(self.selector, "fit", None)
        if fit is not None:
            fit(trials)
        return self

    def select(self, view: SpeakerView) -> tuple[Property, ...]:
        """Return the properties of a randomly drawn description, in the order of the target's attributes."""
        sets, weights = zip(*self.selector.distribution(view), strict=True)
        (drawn,) = Random(f"{self.seed} {view.id}").choices(sets, weights)
        order = {p: i for i, p in enumerate(p for t in view.targets for p in view.scene.entity(t).attributes)}
        return tuple(sorted(drawn, key=lambda p: order.get(p, len(order))))

    def distribution(self, view: SpeakerView) -> tuple[tuple[frozenset[Property], float], ...]:
        """Return all sets with their probabilities."""
        return self.selector.distribution(view)


@dataclass(eq=False, repr=False)
class Composed:
    """A selector with, or without, a realiser behind it.

    With `distribution` a selector that has probabilities reports them all; there may be thousands per description.
    """

    selector: Selector
    realiser: Realiser | None = None
    distribution: bool = False

    def __post_init__(self) -> None:
        # Asked once: it would take longer than most choices.
        self._selects_meaning = isinstance(self.selector, SelectsMeaning)
        self._realises_meaning = isinstance(self.realiser, RealisesMeaning)

    @property
    def learns(self) -> bool:
        """Whether `fit` makes a difference to one of the two parts."""
        return learns(self.selector) or (self.realiser is not None and learns(self.realiser))

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Train both parts on the same trials."""
        trials = list(trials)
        self.selector.fit(trials)
        if self.realiser is not None:
            self.realiser.fit(trials)
        return self

    def describe(self, view: SpeakerView) -> Description:
        """Return the chosen content and, if there is a realiser, its words.

        A realiser learned its words from descriptions of one object: each of several targets is described as a separate
        part.
        """
        if self.realiser is None or len(view.targets) == 1 or self._realises_meaning:
            return self._describe(view)
        parts = [self._describe(replace(view, targets=(target,))) for target in view.targets]
        forms = [part.meaning or from_properties(part.properties or (), view.scene) for part in parts]
        return Description(
            properties=tuple(dict.fromkeys(p for part in parts for p in part.properties or ())),
            text=language_of(view).enumerate([part.text or "" for part in parts]),
            spans=tuple(Span(part.text or "", part.properties or ()) for part in parts),
            meaning=("parts", *((1, form) for form in forms)),
        )

    def _describe(self, view: SpeakerView) -> Description:
        """Return the content and the words for one view."""
        form: Meaning | None = None
        if self._selects_meaning:
            content = self.selector.select_description(view)  # type: ignore[attr-defined]
            properties, form = content.properties or (), content.meaning
        else:
            properties = tuple(self.selector.select(view))
        text = None
        if self._realises_meaning:
            text = self.realiser.realise_meaning(form or from_properties(properties, view.scene), view)  # type: ignore[union-attr]
        elif self.realiser is not None:
            text = self.realiser.realise(properties, view)
        likely = self._get_distribution(view) if self.distribution else None
        return Description(properties=properties, text=text, distribution=likely, meaning=form)

    def _get_distribution(self, view: SpeakerView) -> tuple[tuple[frozenset[Property], float], ...] | None:
        """Return the selector's probabilities, or None if it has none."""
        return self.selector.distribution(view) if isinstance(self.selector, HasDistribution) else None
