"""Full Brevity: the shortest description that singles out the target (Dale 1989)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from referee.exact_cover import find_smallest_cover, iterate_covers
from referee.meaning import Meaning
from referee.records import Property, SpeakerView
from referee.selection.contrast import Contrast, Head, get_contrast
from referee.selection.reasons import Note, Reasoned


class SearchResult(NamedTuple):
    """The result of an exact search.

    Whether it identifies the target, whether it is proven optimal, and the head that was added afterwards.

    `meaning` is the description as a form, if it has landmarks.
    """

    properties: tuple[Property, ...]
    distinguishing: bool
    proven: bool
    cost: float
    added: Property | None = None
    meaning: Meaning | None = None


@dataclass(eq=False, repr=False)
class FullBrevity(Reasoned):
    """The fewest properties that exclude every distractor.

    Of several such sets the first in the order of the properties.

    `attributes` restricts and orders the attributes (None: all, in the scene's order). `head` "first": the type is free
    and the rest is as short as possible; "last": the type counts like any property and is added if it is missing;
    "none": no special treatment. A target without a distinguishing description gets the fewest properties that exclude
    as many distractors as possible. After `seconds` the best set so far is returned; `search` reports whether it is
    proven to be shortest.
    """

    attributes: tuple[str, ...] | None = None
    head: Head = "last"
    seconds: float | None = None

    def search(self, view: SpeakerView) -> SearchResult:
        """Return the shortest description, and whether it is proven so."""
        return self._search(get_contrast(view))

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the properties of the shortest description."""
        description = self._search(contrast)
        if note:
            standing = "proven shortest" if description.proven else "shortest within the time limit"
            head = contrast.head if self.head != "none" else None
            for prop in description.properties:
                note(prop, "the type, as head of the phrase" if prop == head else standing)
        return description.properties

    def _search(self, contrast: Contrast) -> SearchResult:
        """Return the result of the search."""
        options = contrast.select_by_name(self.attributes)
        extensions = contrast.extensions
        head = contrast.head if self.head != "none" else None
        left = contrast.distractors
        if self.head == "first" and head is not None:
            options = tuple(p for p in options if p != head)
            left &= extensions[head]
        cover = find_smallest_cover([extensions[p] for p in options], left, self.seconds)
        chosen = tuple(options[i] for i in cover.chosen)
        if head is not None and head not in chosen:
            chosen = (head, *chosen) if self.head == "first" else (*chosen, head)
        return SearchResult(chosen, not contrast.remaining(chosen), cover.proven, cover.cost)


def iterate_distinguishing_sets(
    contrast: Contrast, attributes: tuple[str, ...] | None = None
) -> Iterator[tuple[Property, ...]]:
    """Yield every set of the target's properties that identifies it, shortest first.

    The number of sets is exponential in the number of properties.
    """
    options = contrast.select_by_name(attributes)
    keeps = [contrast.extensions[p] for p in options]
    for chosen in iterate_covers(keeps, contrast.distractors):
        yield tuple(options[i] for i in chosen)
