"""Selectors that explain themselves: one base for choosing properties and for retelling the choice step by step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from referee.meaning import EVERYTHING, OPERATORS, Meaning, conjunction, conjuncts, flatten, parts_of
from referee.records import Description, Property, Scene, SpeakerView, Trial
from referee.selection.contrast import Contrast, Note, get_contrast

__all__ = ["NOT_DISTINGUISHING", "Note", "Reason", "Reasoned", "ReasonedMeaning", "explain_meaning"]

NOT_DISTINGUISHING = "not distinguishing: the description is also true of other objects"


class Reason(NamedTuple):
    """One step of a choice.

    The property, the reason why it was chosen or not, the distractors it excludes, and those that remain.

    The last step has no property if the description does not identify the target.
    """

    property: Property | None
    reason: str
    ruled_out: tuple[str, ...]
    remaining: int


class Reasoned:
    """A selector whose `choose` does the work, noting reasons only on request."""

    @property
    def learns(self) -> bool:
        """Whether `fit` makes a difference."""
        return type(self).fit is not Reasoned.fit

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Learn nothing, unless a selector overrides this."""
        return self

    def select(self, view: SpeakerView) -> tuple[Property, ...]:
        """Return the properties to mention, in the order they were chosen."""
        return self.choose(get_contrast(view), view)

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        raise NotImplementedError(f"{type(self).__name__} must define choose()")

    def denotation(self, scene: Scene, properties: Sequence[Property]) -> int:
        """Return the denotation of properties.

        Overridden by selectors that use more than the scene's own values.
        """
        return scene.denotation(properties)

    def explain(self, view: SpeakerView) -> list[Reason]:
        """Return the steps of the choice: every property considered, in order, with its effect on the distractors."""
        contrast = get_contrast(view)
        notes: list[tuple[Property, str]] = []
        chosen = self.choose(contrast, view, lambda prop, reason: notes.append((prop, reason)))
        noted = {prop for prop, _ in notes}
        notes += [(prop, "part of the description that the search found") for prop in chosen if prop not in noted]
        return self._make_reasons(contrast, notes, set(chosen))

    def _make_reasons(
        self, contrast: Contrast, notes: list[tuple[Property, str]], chosen: set[Property]
    ) -> list[Reason]:
        """Return the steps of a choice from its notes."""
        scene, left, chosen_so_far, steps = contrast.scene, contrast.distractors, [], []
        for prop, reason in notes:
            gone = 0
            if prop in chosen:
                chosen_so_far.append(prop)
                # Of all that was said so far: beside a landmark properties do not narrow one by one.
                remaining = self.denotation(scene, chosen_so_far) & contrast.distractors
                gone, left = left & ~remaining, remaining
            steps.append(Reason(prop, reason, tuple(e.id for e in scene.members(gone)), left.bit_count()))
        if left:
            steps.append(Reason(None, NOT_DISTINGUISHING, (), left.bit_count()))
        return steps


class ReasonedMeaning(Reasoned):
    """A selector whose descriptions are meanings: `select_meaning` does the work."""

    def select_meaning(self, view: SpeakerView) -> Meaning:
        """Return the content as a form; ``("and",)`` if there is nothing to say."""
        raise NotImplementedError(f"{type(self).__name__} must implement select_meaning")

    def select_description(self, view: SpeakerView) -> Description:
        """Return the description without words: its meaning, and the properties that it mentions."""
        return Description(meaning=self.select_meaning(view))

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        return self.select_description(view).properties or ()

    def explain(self, view: SpeakerView) -> list[Reason]:
        """Return one step for every conjunct of every part, with its effect on the distractors."""
        return explain_meaning(self.select_meaning(view), view)


def explain_meaning(form: Meaning, view: SpeakerView) -> list[Reason]:
    """Return the entities that each conjunct of a meaning excludes, given the conjuncts before it.

    A step is named by the first property that its conjunct mentions. The last step has no property if
    a part is true of others than the targets, or not of all of them.
    """
    scene, targets, steps = view.scene, view.target_mask, []
    others = scene.everything & ~targets
    for number, part in parts_of(form):
        left = others
        meant = scene.denotation(part) & targets
        referents = ", ".join(e.id for e in scene.members(meant))
        of_part = "" if number is None else f" of {referents or 'no target'}"
        pieces = conjuncts(part)
        for i, piece in enumerate(pieces, 1):
            after = scene.denotation(conjunction(pieces[:i])) & others
            gone = tuple(e.id for e in scene.members(left & ~after))
            left = after
            mentioned = flatten(piece)
            reason = (
                f"{describe_form(piece)}, said{of_part}"
                if of_part or piece[0] in OPERATORS
                else "part of the description"
            )
            steps.append(Reason(mentioned[0] if mentioned else None, reason, gone, left.bit_count()))
        if left or not meant:
            problem = NOT_DISTINGUISHING if meant else "not distinguishing: the description is not true of the target"
            steps.append(Reason(None, problem, (), left.bit_count()))
    missing = targets & ~scene.denotation(form)
    if missing and form != EVERYTHING and scene.denotation(form) & targets:
        names = ", ".join(e.id for e in scene.members(missing))
        steps.append(Reason(None, f"not distinguishing: the description is not true of {names}", (), 0))
    return steps


def describe_form(form: Meaning) -> str:
    """Return a form as a short text: ``type:cup or not colour:red``."""
    operator = form[0]
    if operator in ("and", "or"):
        return f" {operator} ".join(describe_form(part) for part in form[1:]) or "anything"
    if operator == "not":
        return f"not {describe_form(form[1])}"
    if operator in ("rel", "inv"):
        return (
            f"{form[1]} ({describe_form(form[2])})" if operator == "rel" else f"({describe_form(form[2])}) {form[1]} it"
        )
    return ", ".join(map(str, flatten(form)))
