"""The Incremental Algorithm.

Go through a list of preferences and keep properties that exclude a distractor (Reiter & Dale 1992; Dale & Reiter
1995).

The list is given, or learned from the frequencies of attributes (Kelleher 2007) or of attribute-value pairs where true
(Gervás et al. 2008).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from referee.errors import NotTrained
from referee.meaning import amounts, bits, conjunction, conjuncts, from_properties
from referee.records import Description, Property, Scene, SpeakerView, Trial
from referee.selection.contrast import Contrast, Head, get_contrast
from referee.selection.frequencies import GroupedFrequencies, count_by_group
from referee.selection.reasons import Note, Reason, Reasoned, explain_meaning


@dataclass(eq=False, repr=False)
class Incremental(Reasoned):
    """Selects properties in order of preference, as long as they exclude a remaining distractor.

    `order` is a tuple of attribute names (others are never mentioned), "frequency" or "prior" (both learned, per group
    of trials named by `by`), or None for the scene's own order. `head` is the role of the type. In a scene with a
    taxonomy the value is the most general one that excludes as many as any more specific one, starting from the basic
    level and without values `unfamiliar` to the hearer (FindBestValue). A target without a distinguishing description
    gets all properties that excluded a distractor. In a learned order, attributes in `late` come last, and `printed`
    has, for a domain, shares (``colour``) or priors (``colour:red``) of a paper that replace those learned here.
    """

    order: tuple[str, ...] | Literal["frequency", "prior"] | None = None
    head: Head = "last"
    by: tuple[str, ...] = ("domain",)
    unfamiliar: frozenset[Property] = frozenset()
    late: tuple[str, ...] = ()
    printed: Mapping[str, Mapping[str, float]] | None = None

    @property
    def learns(self) -> bool:
        """Whether the order is learned."""
        return isinstance(self.order, str)

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Count mentions, if the order is learned."""
        if isinstance(self.order, str):
            self.frequencies_: GroupedFrequencies = count_by_group(trials, self.by)
        return self

    def preferences(self, contrast: Contrast, view: SpeakerView) -> Sequence[Property]:
        """Return the target's properties in the order in which they are tried."""
        if self.order is None:
            return contrast.properties
        if not isinstance(self.order, str):
            return contrast.select_by_name(self.order)
        if not hasattr(self, "frequencies_"):
            raise NotTrained(self)
        seen = self.frequencies_.of(view)
        printed = (self.printed or {}).get(view.domain or "", {})
        if self.order == "prior":
            listed = sorted(contrast.properties, key=lambda prop: -printed.get(str(prop), seen.prior(prop) or 0.0))
        elif printed:
            shares = {name: printed.get(name, seen.share(name) or 0.0) for name in seen.order}
            listed = list(contrast.select_by_name(tuple(sorted(seen.order, key=lambda name: -shares[name])), rest=True))
        else:
            listed = list(contrast.select_by_name(seen.order, rest=True))
        return sorted(listed, key=lambda prop: prop.name in self.late) if self.late else listed

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the selected properties."""
        chosen, left, head = contrast.begin(self.head, note)
        extensions = contrast.extensions
        plain = contrast.scene.taxonomy is None and not self.unfamiliar
        for prop in self.preferences(contrast, view):
            if not left:
                break
            best: Property | None = prop
            if plain:
                remaining = left & extensions[prop]
            else:
                best, remaining = self.find_best_value(contrast.scene, prop, left)
            if best is None or remaining == left:
                if note and prop not in chosen:
                    note(prop, "left out: rules out no remaining distractor")
                continue
            chosen.append(best)
            left = remaining
            if note:
                note(best, "next in the order of preference; rules out a distractor")
        # By name, too: with a taxonomy another value of the type may have been said.
        if (
            self.head == "last"
            and head is not None
            and head not in chosen
            and head.name not in {p.name for p in chosen}
        ):
            usual = head if plain else self.find_best_value(contrast.scene, head, 0)[0] or head
            chosen.append(usual)
            if note:
                note(usual, "the type is added as head of the phrase")
        return tuple(chosen)

    def find_best_value(self, scene: Scene, prop: Property, left: int) -> tuple[Property | None, int]:
        """Return the best value of a property, and the distractors that remain.

        The best value is the most general familiar one, from the basic level down, that excludes as
        many distractors as any more specific value.
        """
        best: Property | None = None
        remaining = left
        for candidate in [prop] if scene.taxonomy is None else scene.taxonomy.basic_path(prop):
            if candidate in self.unfamiliar:
                continue
            stays = left & scene.extension(candidate)
            # Strictly more: of values that rule out as many the more general one stays (FindBestValue, Reiter & Dale
            # 1992).
            if best is None or stays.bit_count() < remaining.bit_count():
                best, remaining = candidate, stays
        return best, remaining


@dataclass(eq=False, repr=False)
class Salient(Incremental):
    """The incremental algorithm with salience.

    Only entities at least as salient as the target count as distractors (Krahmer & Theune 2002).

    The attribute `by_salience` has the numbers; entities without one have no salience. It is never mentioned: "the dog"
    is then the most salient dog, as in the meaning (``["most", "salience"]``).
    """

    by_salience: str = "salience"

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the selected properties among salient entities."""
        context = self._get_context(contrast)
        properties = tuple(p for p in contrast.properties if p.name != self.by_salience)
        by_name = {name: listed for name, listed in contrast.by_name.items() if name != self.by_salience}
        narrowed = Contrast(
            contrast.scene, contrast.targets, context, properties, by_name, contrast.extensions, contrast.head
        )
        return super().choose(narrowed, view, note)

    def select_description(self, view: SpeakerView) -> Description:
        """Return the properties and, if salience matters, a meaning that selects the most salient entity."""
        contrast = get_contrast(view)
        chosen = self.choose(contrast, view)
        form = from_properties(chosen, view.scene)
        others = view.scene.denotation(form) & contrast.distractors
        if not others or self._get_context(contrast) & others:
            return Description(properties=chosen)
        return Description(meaning=conjunction([*conjuncts(form), ("most", self.by_salience, len(view.targets))]))

    def explain(self, view: SpeakerView) -> list[Reason]:
        """Return one step for every conjunct of the meaning, with its effect on the distractors."""
        description = self.select_description(view)
        return explain_meaning(description.meaning or from_properties(description.properties or (), view.scene), view)

    def _get_context(self, contrast: Contrast) -> int:
        """Return the distractors that are at least as salient as one of the targets."""
        numbers = amounts(contrast.scene, self.by_salience, contrast.scene.everything)
        least = min(numbers.get(i, 0.0) for i in bits(contrast.targets))
        return sum(1 << i for i in bits(contrast.distractors) if numbers.get(i, 0.0) >= least)
