"""The Greedy Heuristic: always the property that excludes most of the remaining distractors (Dale 1989)."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from referee.records import Property, SpeakerView
from referee.selection.contrast import Contrast, Head
from referee.selection.reasons import Note, Reasoned


class Greedy(Reasoned):
    """Maximises discriminatory power (N - n) / (N - 1) step by step.

    Ties go to the property that comes first.

    `attributes` restricts and orders the attributes (None: all, in the scene's order); `head` is the role of the type.
    A target without a distinguishing description gets all properties that helped.
    """

    def __init__(self, attributes: tuple[str, ...] | None = None, head: Head = "last") -> None:
        self.attributes = attributes
        self.head = head

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return properties by discriminatory power until the target is distinguished."""
        chosen, left, head = contrast.begin(self.head, note)
        options = contrast.select_by_name(self.attributes)
        rest, sets = left, [contrast.extensions[p] for p in options]
        total = left.bit_count()
        # Negative, for the heap gives the smallest first; the place settles ties.
        queue = [((rest & true).bit_count() - total, i) for i, true in enumerate(sets)]
        heapify(queue)
        while total and queue:
            # Counts of excluded distractors only shrink, so an old count is an upper bound and few need recounting.
            i = heappop(queue)[1]
            remaining = rest & sets[i]
            gain = remaining.bit_count() - total
            if queue and gain and (gain, i) > queue[0]:
                heappush(queue, (gain, i))
            elif gain:
                chosen.append(options[i])
                if note:
                    note(options[i], f"rules out most: {-gain} of {total}")
                rest, total = remaining, total + gain
        if head is not None and self.head == "last" and head not in chosen:
            chosen.append(head)
            if note:
                note(head, "the type is added as head of the phrase")
        return tuple(chosen)
