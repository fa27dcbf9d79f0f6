"""The Greedy Heuristic: always the property that rules out most of those still there (Dale 1989)."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from referee.records import Property, SpeakerView
from referee.selection.contrast import Contrast, Head
from referee.selection.reasoning import Note, Reasoned

__all__ = ["Greedy"]


class Greedy(Reasoned):
    """Maximises discriminatory power (N - n) / (N - 1) step by step; ties go to the property that comes first.

    `attributes` restricts and orders what may be said (None: everything, in the scene's order); `head` says what happens to the type.
    A target that cannot be told apart gets everything that helped.
    """

    def __init__(self, attributes: tuple[str, ...] | None = None, head: Head = "last") -> None:
        self.attributes = attributes
        self.head = head

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        chosen: list[Property] = []
        left = contrast.distractors
        extensions = contrast.extensions
        head = contrast.head if self.head != "none" else None
        if head is not None and self.head == "first":
            chosen.append(head)
            left &= extensions[head]
            if note:
                note(head, "the type comes first")
        options = contrast.among(self.attributes)
        total = left.bit_count()
        queue = [((left & extensions[prop]).bit_count() - total, i) for i, prop in enumerate(options)]
        heapify(queue)
        while left and queue:
            # What a property rules out can only shrink, so an old count is a bound and few have to be counted again.
            prop = options[i := heappop(queue)[1]]
            kept = left & extensions[prop]
            gain = kept.bit_count() - total
            if queue and gain and (gain, i) > queue[0]:
                heappush(queue, (gain, i))
            elif gain:
                chosen.append(prop)
                if note:
                    note(prop, f"rules out most: {-gain} of {total}")
                left, total = kept, total + gain
        if head is not None and self.head == "last" and head not in chosen:
            chosen.append(head)
            if note:
                note(head, "the type is added as head of the phrase")
        return tuple(chosen)
