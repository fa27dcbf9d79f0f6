"""Graph-based search.

The scene is a graph, a description a subgraph that fits only the target, and the cheapest one wins (Krahmer, van Erk
& Verleg 2003).

Properties are loops, relations are edges to a landmark, which may be described in turn. Whether a subgraph fits an
entity is decided as for a hearer (`Scene.denotation`): landmarks are identified by their description, never by their
id.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, Self

from referee.errors import NotTrained
from referee.exact_cover import Cover, find_cheapest_cover
from referee.meaning import Meaning, conjunction, partners
from referee.records import Description, Property, SpeakerView, Trial
from referee.selection.contrast import Contrast, Head, get_contrast
from referee.selection.costs import Costs, UnitCosts
from referee.selection.frequencies import GroupedFrequencies, count_by_group
from referee.selection.full_brevity import SearchResult
from referee.selection.landmarks import Landmarked, find_cheapest_with_landmarks
from referee.selection.reasons import Note, Reason, Reasoned, explain_meaning


@dataclass(eq=False, repr=False)
class GraphSearch(Reasoned):
    """The cheapest distinguishing description under any `costs`.

    Of equally cheap ones the first in the search.

    `order` is the order in which properties are tried: "given" (the scene's), "cost" (cheap first), "prior" (frequent
    first; learned, per group named by `by`) or "random" (from `seed` and the trial's id). Because the first of equals
    wins, early free properties are mentioned even if they exclude no distractor; `helpful` leaves those out.
    `landmarks` is the maximal number of relational steps (0: properties only). `attributes`, `head` and `seconds` are
    those of Full Brevity.
    """

    costs: Costs | None = None
    order: Literal["given", "cost", "prior", "random"] = "given"
    head: Head = "none"
    attributes: tuple[str, ...] | None = None
    helpful: bool = False
    landmarks: int = 0
    by: tuple[str, ...] = ("domain",)
    seed: int = 0
    seconds: float | None = None

    @property
    def learns(self) -> bool:
        """Whether costs or order are learned from data."""
        return self.order == "prior" or (self.costs is not None and not isinstance(self.costs, UnitCosts))

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Learn costs and order, if they come from data."""
        trials = list(trials)
        if self.costs is not None:
            self.costs.fit(trials)
        if self.order == "prior":
            self.frequencies_: GroupedFrequencies = count_by_group(trials, self.by)
        return self

    def search(self, view: SpeakerView) -> SearchResult:
        """Return the cheapest description, and whether it is proven so."""
        return self._search(get_contrast(view), view)

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the properties of the cheapest description."""
        description = self._search(contrast, view)
        if note:
            price = self.costs or UnitCosts()
            standing = "cheapest" if description.proven else "cheapest within the time limit"
            for prop in description.properties:
                if prop == contrast.head and self.head == "first":
                    note(prop, "the type is always included, and costs nothing")
                elif prop == description.added:
                    note(prop, "the type is added as head of the phrase; the search did not need it")
                else:
                    cost = price.cost(prop, view)
                    note(prop, f"costs {cost:g}; part of the {standing} description, {description.cost:g} in all")
        return description.properties

    def select_description(self, view: SpeakerView) -> Description:
        """Return the cheapest description; with landmarks, as a meaning too."""
        description = self.search(view)
        return Description(properties=description.properties, meaning=description.meaning)

    def explain(self, view: SpeakerView) -> list[Reason]:
        """Return the steps of the choice.

        For a description with landmarks, the entities that each conjunct excludes.
        """
        form = self.search(view).meaning
        return super().explain(view) if form is None else explain_meaning(form, view)

    def _search(self, contrast: Contrast, view: SpeakerView) -> SearchResult:
        """Return the result of the search."""
        head = contrast.head if self.head != "none" else None
        first: tuple[Property, ...] = (head,) if head is not None and self.head == "first" else ()
        options = [p for p in self._order_properties(contrast, view) if p not in first]
        price = self.costs or UnitCosts()
        best, cost, proven = self._find_cheapest(contrast, [price.cost(p, view) for p in options], options, first)
        left = contrast.remaining(best)
        form: Meaning | None = None
        if self.landmarks and partners(contrast.scene):
            # Without a description that singles out there is nothing to be cheaper than.
            without = None if left else Landmarked(best, cost, proven)
            best, cost, proven, form = find_cheapest_with_landmarks(
                *(contrast, options, first, lambda p: price.cost(p, view)),
                *(self.landmarks, self.attributes, self.seconds, without),
            )
            left = contrast.scene.denotation(best if form is None else form) & contrast.distractors
        added = head if head is not None and head not in best else None
        if added is not None:
            best = (*best, added)
            left &= contrast.extensions[added]
            form = None if form is None else conjunction([form, tuple(added)])
        return SearchResult(best, not left, proven, cost, added, form)

    def _find_cheapest(
        self, contrast: Contrast, costs: Sequence[float], options: Sequence[Property], first: tuple[Property, ...]
    ) -> tuple[tuple[Property, ...], float, bool]:
        """Return the cheapest cover, its cost, and whether it is proven."""
        left = contrast.remaining(first)
        keeps = [contrast.extensions[p] for p in options]
        cover: Cover = find_cheapest_cover(keeps, costs, left, self.seconds)
        chosen = (*first, *(options[i] for i in cover.chosen))
        # The reading of Theune et al. (2011); by the team's account of 2009 free properties are always kept.
        return (_drop_idle(contrast, chosen, first) if self.helpful else chosen), cover.cost, cover.proven

    def _order_properties(self, contrast: Contrast, view: SpeakerView) -> Sequence[Property]:
        """Return the properties in the order of the search."""
        options = contrast.select_by_name(self.attributes)
        if self.order == "cost":
            price = self.costs or UnitCosts()
            return sorted(options, key=lambda p: price.cost(p, view))
        if self.order == "random":
            return Random(f"{self.seed} {view.id}").sample(options, len(options))
        if self.order == "prior":
            if not hasattr(self, "frequencies_"):
                raise NotTrained(self)
            seen = self.frequencies_.of(view)
            # Properties never seen are listed alphabetically (Theune et al. 2011).
            return sorted(options, key=lambda p: (-(seen.prior(p) or 0.0), p.name if p not in seen.occurred else ""))
        return options


def _drop_idle(contrast: Contrast, chosen: Sequence[Property], keep: Sequence[Property]) -> tuple[Property, ...]:
    """Return a description without properties that exclude no distractor at their turn."""
    chosen_and_useful: list[Property] = []
    left = contrast.distractors
    for prop in chosen:
        remaining = left & contrast.extensions[prop]
        if remaining != left or prop in keep:
            chosen_and_useful.append(prop)
            left = remaining
    return tuple(chosen_and_useful)
