"""Selectors that can say why: one base for choosing properties and for retelling the choice step by step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from referee.records import Property, Scene, SpeakerView, Trial
from referee.selection.contrast import Contrast, Note, contrast_of

__all__ = ["Note", "Reason", "Reasoned"]


class Reason(NamedTuple):
    """One step of a choice: the property looked at, why it was taken or left, whom it ruled out, how many distractors remain.

    The last step has no property when the description does not single out the target.
    """

    property: Property | None
    reason: str
    ruled_out: tuple[str, ...]
    remaining: int


class Reasoned:
    """A selector whose `choose` does the work, noting reasons only when somebody asked for them."""

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Nothing to learn, unless a selector says otherwise."""
        return self

    def select(self, view: SpeakerView) -> tuple[Property, ...]:
        """The properties to mention, in the order they were chosen."""
        return self.choose(contrast_of(view), view)

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        raise NotImplementedError(f"{type(self).__name__} must say how it chooses")

    def denotation(self, scene: Scene, properties: Sequence[Property]) -> int:
        """What the properties are true of; a selector that says more than the scene's own values overrides this."""
        return scene.denotation(properties)

    def explain(self, view: SpeakerView) -> list[Reason]:
        """The choice retold: every property looked at, in order, with its effect on the distractors."""
        contrast = contrast_of(view)
        notes: list[tuple[Property, str]] = []
        chosen = self.choose(contrast, view, lambda prop, reason: notes.append((prop, reason)))
        noted = {prop for prop, _ in notes}
        notes += [(prop, "part of the description that the search found") for prop in chosen if prop not in noted]
        return self._retell(contrast, notes, set(chosen))

    def _retell(self, contrast: Contrast, notes: list[tuple[Property, str]], chosen: set[Property]) -> list[Reason]:
        scene, left, said, steps = contrast.scene, contrast.distractors, [], []
        for prop, reason in notes:
            gone = 0
            if prop in chosen:
                said.append(prop)
                # Of all that was said so far: beside a landmark properties do not narrow one by one.
                kept = self.denotation(scene, said) & contrast.distractors
                gone, left = left & ~kept, kept
            steps.append(Reason(prop, reason, tuple(e.id for e in scene.members(gone)), left.bit_count()))
        if left:
            steps.append(
                Reason(None, "not distinguishing: the description is true of others too", (), left.bit_count())
            )
        return steps
