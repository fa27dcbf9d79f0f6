"""Gradable properties.

Crisp properties first, then superlatives, ordinals and comparisons over the remaining entities (after van Deemter
2006).

A number such as a size of 12 cm is not mentioned: it is compared with those of the remaining objects, so "the two
largest mice" needs no number that a hearer would have to measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from referee.meaning import Meaning, amounts, conjunction
from referee.records import Scene, SpeakerView
from referee.selection.contrast import TYPE, get_contrast
from referee.selection.reasons import ReasonedMeaning

POSITIONS = ("x", "y")


@dataclass(eq=False, repr=False)
class Gradable(ReasonedMeaning):
    """The type, crisp properties that exclude a distractor, then as few comparisons as needed.

    `order` lists attributes by preference (None: the scene's order); those whose values are numbers are gradable. One
    target is described by an extreme ("the largest"), else by its rank ("the second largest"); several by the k largest
    or smallest; otherwise by comparison with the others (larger, smaller). Positions, if a scene has them, are ranked
    last ("leftmost", "second from the left").
    """

    order: tuple[str, ...] | None = None

    def select_meaning(self, view: SpeakerView) -> Meaning:
        """Return a conjunction of crisp properties, superlatives, ordinals and comparisons."""
        contrast = get_contrast(view)
        scene, targets = contrast.scene, contrast.targets
        names = tuple(dict.fromkeys(p.name for e in scene.entities for p in e.attributes))
        graded = [name for name in self.order or names if name != TYPE and _is_gradable(scene, name)]
        forms: list[Meaning] = [] if contrast.head is None else [tuple(contrast.head)]
        left = scene.denotation(conjunction(forms))
        for prop in contrast.select_by_name(self.order):
            if left == targets:
                break
            if prop.name not in graded and left & ~contrast.extensions[prop]:
                forms.append(tuple(prop))
                left &= contrast.extensions[prop]
        for name in (*graded, *(axis for axis in POSITIONS if axis not in names)):
            for form in _iterate_comparisons(name, amounts(scene, name, left), targets, left):
                # A hearer cannot see coordinates, so positions are ranked and not compared with numbers.
                if left == targets or (form[0] in ("<", ">") and name not in names):
                    break
                after = scene.denotation(conjunction([*forms, form]))
                if targets & ~after == 0 and after != left:
                    forms.append(form)
                    left = after
        return conjunction(forms)


def _is_gradable(scene: Scene, name: str) -> bool:
    """Return whether all values of an attribute are numbers, of which at least two differ."""
    values = {p.value for p in scene.extensions if p.name == name}
    # Of 0 and 1 alone, no and yes.
    return (
        len(values) > 1
        and not values <= {"0", "1"}
        and len(amounts(scene, name, scene.everything)) == sum(e.value(name) is not None for e in scene.entities)
    )


def _iterate_comparisons(name: str, numbers: Mapping[int, float], targets: int, left: int) -> Iterator[Meaning]:
    """Yield the comparisons of an attribute that fit the targets among the rest, the plainest first.

    None if an object has no number.
    """
    if len(numbers) < left.bit_count():
        return
    ours = [number for i, number in numbers.items() if targets >> i & 1]
    others = [number for i, number in numbers.items() if not targets >> i & 1]
    if not ours or not others:
        return
    if min(ours) > max(others):
        yield ("most", name, len(ours))
    elif max(ours) < min(others):
        yield ("least", name, len(ours))
    elif len(ours) == 1 and ours[0] not in others:
        below, above = sum(n < ours[0] for n in others) + 1, sum(n > ours[0] for n in others) + 1
        yield ("nth", name, below, "left") if below < above else ("nth", name, above, "right")
    else:
        lower, higher = [n for n in others if n < min(ours)], [n for n in others if n > max(ours)]
        if lower:
            yield (">", name, max(lower))
        if higher:
            yield ("<", name, min(higher))
