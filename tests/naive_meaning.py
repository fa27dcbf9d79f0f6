"""An independent evaluator of meanings: sets of ids and direct readings of docs/meaning.md, slow and without bit sets."""

from __future__ import annotations

import re
from itertools import permutations
from typing import Any

from referee.records import Scene

Form = Any
CONTEXTUAL = ("least", "most", "nth")


def fitting(form: Form, scene: Scene) -> set[str]:
    """The ids that a form is true of."""
    return set().union(*fitting_parts(form, scene))


def fitting_parts(form: Form, scene: Scene) -> list[set[str]]:
    if form[0] != "parts":
        return [fits_among(form, scene, {e.id for e in scene.entities})]
    found = []
    for number, part in form[1:]:
        ids = fits_among(part, scene, {e.id for e in scene.entities})
        found.append(set() if number != "all" and len(ids) < number else ids)
    return found


def singles_out(form: Form, scene: Scene, targets: set[str]) -> bool:
    numbers = [n for n, _ in form[1:]] if form[0] == "parts" else ["all"]
    parts = fitting_parts(form, scene)
    right = all(n == "all" or len(ids) == n for n, ids in zip(numbers, parts, strict=True))
    if not right and "all" not in numbers and sum(numbers) == len(targets):
        # Every order of the targets, cut into the numbers of the parts.
        slots = [ids for n, ids in zip(numbers, parts, strict=True) for _ in range(n)]
        orders = permutations(sorted(targets))
        right = any(all(i in ids for i, ids in zip(order, slots, strict=True)) for order in orders)
    return right and set().union(*parts) == targets


def fits_among(form: Form, scene: Scene, among: set[str]) -> set[str]:
    operator = form[0]
    everything = {e.id for e in scene.entities}
    if operator == "and":
        flat = _spread(form)
        left = set(among)
        for part in [p for p in flat if not _looks_round(p)] + [p for p in flat if _looks_round(p)]:
            left = {i for i in left if i in fits_among(part, scene, left)}
        return left
    if operator == "or":
        return {i for i in among if any(i in fits_among(part, scene, among) for part in form[1:])}
    if operator == "not":
        return among - fits_among(form[1], scene, among)
    if operator in ("rel", "inv"):
        anchors = fits_among(form[2], scene, everything)
        pairs = [
            (e.id, r.entity)
            for e in scene.entities
            for r in e.relations
            if form[1] in ("*", r.name)
            if r.entity in everything
        ]
        if operator == "rel":
            return {i for i in among for x, y in pairs if x == i and y in anchors}
        return {i for i in among for x, y in pairs if y == i and x in anchors}
    if operator in ("<", ">"):
        compared = ((i, _number(scene, i, form[1])) for i in among)
        return {i for i, n in compared if n is not None and (n < form[2] if operator == "<" else n > form[2])}
    if operator in CONTEXTUAL:
        numbers = {i: n for i in among if (n := _number(scene, i, form[1])) is not None}
        high = operator == "most" or form[-1] in ("right", "bottom")
        before = {i: sum(m > n if high else m < n for m in numbers.values()) for i, n in numbers.items()}
        if operator == "nth":
            return {i for i, b in before.items() if b == form[2] - 1}
        return {i for i, b in before.items() if b < (form[2] if len(form) > 2 else 1)}
    return {e.id for e in scene.entities if e.id in among if any(tuple(p) == tuple(form) for p in e.attributes)}


def _spread(form: Form) -> list[Form]:
    return [p for part in form[1:] for p in (_spread(part) if part[0] == "and" else [part])]


def _looks_round(form: Form) -> bool:
    return form[0] in CONTEXTUAL or (form[0] in ("and", "or", "not") and any(_looks_round(p) for p in form[1:]))


def _number(scene: Scene, entity_id: str, name: str) -> float | None:
    entity = next(e for e in scene.entities if e.id == entity_id)
    if name in ("x", "y") and not any(p.name == name for e in scene.entities for p in e.attributes):
        return None if entity.position is None else entity.position["xy".index(name)]
    values = [p.value for p in entity.attributes if p.name == name]
    found = re.fullmatch(r"([-+]?[0-9.]+)(?: ?cm)?", values[0]) if values else None
    return float(found[1]) if found else None
