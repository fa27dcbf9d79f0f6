"""The Greedy Heuristic: always the property that rules out most of those still there (Dale 1989)."""

from __future__ import annotations

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
        options = [(prop, extensions[prop]) for prop in contrast.among(self.attributes)]
        while left:
            fewest = left.bit_count()
            best, kept = None, left
            for prop, extension in options:
                stays = left & extension
                size = stays.bit_count()
                if size < fewest:
                    best, kept, fewest = prop, stays, size
            if best is None:
                break
            chosen.append(best)
            if note:
                note(best, f"rules out most: {left.bit_count() - fewest} of {left.bit_count()}")
            left = kept
        if head is not None and self.head == "last" and head not in chosen:
            chosen.append(head)
            if note:
                note(head, "the type is added as head of the phrase")
        return tuple(chosen)
