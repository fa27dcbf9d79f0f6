"""The meaning of a description: a small closed language of logical forms with their denotation in a scene.

A form is a nested tuple, in JSON the same nested list (`referee docs meaning` has grammar, semantics and examples)::

    ("colour", "red")                            an attribute with its value
    ("and", M, …)  ("or", M, …)  ("not", M)
    ("rel", "on", M)  ("inv", "on", M)           is on an object that is M; an object that is M is on it
    ("least", "size", k)  ("most", "size", k)    the k smallest, the k largest, among the objects of the rest of the conjunction
    ("<", "size", 30)  (">", "size", 30)         comparison with a number
    ("nth", "x", k, "left")                      the k-th from a side, among the objects of the rest of the conjunction
    ("parts", (n, M), …)                         n objects that are M, and …; n may be "all"

``("and",)`` is true of everything; the relation ``"*"`` is any relation. Sources: van Deemter 2002 (and, or, not), Dale
& Haddock 1991 (relations), van Deemter 2006 (gradable properties), Gatt & van Deemter 2007 (parts).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import Meta

from referee.errors import InputError

if TYPE_CHECKING:
    from referee.records import Entity, Scene

# fmt: off
__all__ = [
    "ANY", "EVERYTHING", "OPERATORS", "Meaning", "Property", "amount", "amounts", "as_json", "as_value", "atoms", "bits", "conjunction", "conjuncts",
    "denote", "denote_parts", "drop_atoms", "first_unknown", "flatten", "from_properties", "has_true_numbers", "is_contextual", "is_meaning",
    "is_plain", "parse", "partners", "parts_of", "related",
]
# fmt: on

Meaning = tuple[Any, ...]
"""A form as a nested tuple."""
EVERYTHING: Meaning = ("and",)
ANY = "*"
"""Name that stands for any relation in a form."""
ALL = "all"
OPERATORS = ("and", "or", "not", "rel", "inv", "least", "most", "<", ">", "nth", "parts")
SIDES = {"left": 1, "top": 1, "right": -1, "bottom": -1}
NOT = "not."
INVERSE = "-by"
LANDMARK = re.compile(r"landmark\d*\.")
NUMBER = re.compile(r"\s*([-+]?\d+(?:\.\d+)?)\s*([a-zA-Z°%/²³]*)\s*")
# fmt: off
_UNITS = {
    "mm": 1e-3, "cm": 1e-2, "dm": 0.1, "km": 1e3, "in": 0.0254, "inch": 0.0254, "inches": 0.0254, "ft": 0.3048,
    "mg": 1e-3, "kg": 1e3, "t": 1e6, "ml": 1e-3, "cl": 1e-2, "dl": 0.1, "MB": 1e3, "GB": 1e6, "TB": 1e9,
    "min": 60, "h": 3600, "days": 1 / 365.25, "weeks": 7 / 365.25, "months": 1 / 12, "kW": 1e3, "mV": 1e-3, "kV": 1e3,
}
# fmt: on
"""Units that are compared with another one (of lengths with m, of weights with g, …): 2 m is more than 40 cm."""
_AXES = {"x": 0, "y": 1}
_CONTEXTUAL = frozenset({"least", "most", "nth"})
_SHAPES = {
    "rel": '["rel", "on", M]',
    "inv": '["inv", "on", M]',
    "not": '["not", M]',
    "least": '["least", "size"] or ["least", "size", 2]',
    "most": '["most", "size"] or ["most", "size", 2]',
    "<": '["<", "size", 30]',
    ">": '[">", "size", 30]',
    "nth": '["nth", "x", 2, "left"]',
    "parts": '["parts", [2, M], ["all", M]]',
}


def as_value(value: object) -> str:
    """Return the one text form of an attribute value: true is "1", false "0", 3.0 is "3", and strings lose outer blanks.

    Args:
        value: anything a corpus may hold as a value.

    Returns:
        The text that two equal values share.

    >>> [as_value(x) for x in (True, 3.0, 2.5, " red ")]
    ['1', '3', '2.5', 'red']
    """
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


# First the type of the property; then the types in files (see `referee.records`).
if TYPE_CHECKING:
    Name = str
    Scalar = str
else:
    Name, Scalar = Annotated[str, Meta(min_length=1)], str | int | float | bool


class _NameAndValue(NamedTuple):
    name: Name
    value: Scalar


class Property(_NameAndValue):
    """An attribute with a value.

    Values are text (see `as_value`), so equal values are equal however they were written.

    Attributes:
        name: the attribute; one of a landmark begins with ``landmark.``.
        value: its value, brought to text.

    >>> Property("hasBeard", True) == Property("hasBeard", 1)
    True
    >>> str(Property("colour", "red"))
    'colour:red'
    """

    __slots__ = ()

    def __new__(cls, name: str, value: object) -> Property:
        return super().__new__(cls, name, value if type(value) is str else as_value(value))

    def __str__(self) -> str:
        return f"{self.name}:{self.value}"


# -- reading and writing -----------------------------------------------------------------------------------------------------------


def parse(data: Any, place: str = "meaning") -> Meaning:
    """Return a form from JSON.

    Raises:
        InputError: if it is no form; the message names the position, as ``meaning[1][2]``.

    >>> parse(["and", ["type", "chair"], ["not", ["colour", "red"]]])
    ('and', ('type', 'chair'), ('not', ('colour', 'red')))
    """
    try:
        return _parse(data, place, is_top=True)
    except RecursionError:
        raise _make_shape_error(place, "the form is nested too deeply", "write fewer forms within forms") from None


def _parse(data: Any, place: str, is_top: bool = False) -> Meaning:
    """Return the form at a position. Raises InputError if it is none."""
    if not isinstance(data, (list, tuple)) or not data or not isinstance(data[0], str):
        raise _make_shape_error(
            place, f"{_format_data(data)} is not a form", 'write ["colour", "red"], or an operator with its forms'
        )
    operator, *rest = data
    if operator not in OPERATORS:
        return _parse_pair(operator, rest, place)
    if operator in ("and", "or"):
        if operator == "or" and len(rest) < 2:
            raise _make_shape_error(place, f'"or" has {len(rest)} form(s)', "give it two or more")
        return (operator, *(_parse(part, f"{place}[{i}]") for i, part in enumerate(rest, 1)))
    if operator == "parts":
        if not is_top:
            raise _make_shape_error(place, '"parts" stands inside another form', "parts are the outermost form")
        if not rest:
            raise _make_shape_error(place, '"parts" has no part', f"write {_SHAPES['parts']}")
        return (operator, *(_parse_part(part, f"{place}[{i}]") for i, part in enumerate(rest, 1)))
    return _parse_fixed(operator, rest, place)


def _parse_pair(name: str, rest: Sequence[Any], place: str) -> Meaning:
    """Return an attribute with its value. Raises InputError if it is none."""
    if not name.strip():
        raise _make_shape_error(place, "the attribute has no name", 'write ["colour", "red"]')
    if len(rest) != 1 or isinstance(rest[0], (list, tuple, dict)) or rest[0] is None:
        operators = ", ".join(OPERATORS)
        problem = f"{name!r} is not an operator, and {_format_data([name, *rest])} is not an attribute with its value"
        raise _make_shape_error(place, problem, f"operators are {operators}; a pair is a name and a value")
    return (name, as_value(rest[0]))


def _parse_part(data: Any, place: str) -> Meaning:
    """Return a part with its number. Raises InputError if it is none."""
    if not isinstance(data, (list, tuple)) or len(data) != 2:
        raise _make_shape_error(
            place, f"{_format_data(data)} is not a part", 'a part is a number with a form: [2, ["type", "chair"]]'
        )
    number, form = data
    if number != ALL and not _is_count(number):
        raise _make_shape_error(
            f"{place}[0]", f"{_format_data(number)} is not a number of objects", 'give 1, 2, … or "all"'
        )
    return (number, _parse(form, f"{place}[1]"))


def _parse_fixed(operator: str, rest: Sequence[Any], place: str) -> Meaning:
    """Parse a form with a fixed number of arguments."""

    def make_error() -> InputError:
        """Return the error for an operator with missing or superfluous arguments."""
        return _make_shape_error(
            place, f"{_format_data([operator, *rest])} has missing or surplus parts", f"write {_SHAPES[operator]}"
        )

    if operator == "not":
        if len(rest) != 1:
            raise make_error()
        return (operator, _parse(rest[0], f"{place}[1]"))
    if not rest or not isinstance(rest[0], str) or not rest[0].strip():
        raise make_error()
    if operator in ("rel", "inv"):
        if len(rest) != 2:
            raise make_error()
        return (operator, rest[0], _parse(rest[1], f"{place}[2]"))
    if operator in ("least", "most"):
        if len(rest) > 2 or not all(map(_is_count, rest[1:])):
            raise make_error()
        return (operator, rest[0], rest[1] if len(rest) == 2 else 1)
    if operator in ("<", ">"):
        if len(rest) != 2 or isinstance(rest[1], bool) or not isinstance(rest[1], (int, float)):
            raise make_error()
        return (operator, rest[0], rest[1])
    if len(rest) != 3 or not _is_count(rest[1]) or rest[2] not in SIDES:
        raise make_error()
    return (operator, *rest)


def _is_count(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number > 0


def _format_data(data: Any) -> str:
    """Return data as text of at most 60 characters."""
    text = repr(list(data) if isinstance(data, tuple) else data)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _make_shape_error(place: str, problem: str, remedy: str) -> InputError:
    return InputError(f"{place}: {problem}", remedy=f"{remedy} (`referee docs meaning`)")


def as_json(form: Meaning) -> list[Any]:
    """Return a form as nested lists; a superlative of one is written without its number."""
    if form[0] in ("least", "most") and form[2:] == (1,):
        return [form[0], form[1]]
    return [as_json(part) if isinstance(part, tuple) else part for part in form]


def is_meaning(content: object) -> bool:
    """Return whether something is a form and not a list of properties."""
    return isinstance(content, (tuple, list)) and len(content) > 0 and isinstance(content[0], str)


# -- taking forms apart ------------------------------------------------------------------------------------------------------------


def conjunction(forms: Iterable[Meaning]) -> Meaning:
    """Return the conjunction of some forms; of one form that form itself."""
    parts = tuple(forms)
    return parts[0] if len(parts) == 1 else ("and", *parts)


def conjuncts(form: Meaning) -> tuple[Meaning, ...]:
    """Return the forms that a conjunction joins, nested ones too; a form that is none is one conjunct."""
    return tuple(c for part in form[1:] for c in conjuncts(part)) if form[0] == "and" else (form,)


def parts_of(form: Meaning) -> tuple[tuple[int | str | None, Meaning], ...]:
    """Return the parts with their numbers; a form without parts is one part without a number."""
    return form[1:] if form[0] == "parts" else ((None, form),)


def is_plain(form: Meaning) -> bool:
    """Return whether a form is a conjunction of attributes with values, equivalent to a list of properties."""
    return all(c[0] not in OPERATORS for c in conjuncts(form))


def atoms(form: Meaning) -> Iterator[Meaning]:
    """Yield the atoms of a form: pairs, comparisons, superlatives, ordinals, and relations without their landmarks."""
    operator = form[0]
    if operator in ("and", "or", "not"):
        for part in form[1:]:
            yield from atoms(part)
    elif operator in ("rel", "inv"):
        yield (operator, form[1])
        yield from atoms(form[2])
    elif operator == "parts":
        for _, part in form[1:]:
            yield from atoms(part)
    else:
        yield form


def drop_atoms(form: Meaning, stays: Iterable[bool]) -> Meaning:
    """Return a form without some atoms (one boolean per atom, in the order of `atoms`).

    A dropped relation takes its landmark along.
    """
    remaining = _drop_atoms(form, iter(stays))
    return EVERYTHING if remaining is None else remaining


def _drop_atoms(form: Meaning, stays: Iterator[bool]) -> Meaning | None:
    """Return a form without some atoms; None if none remains."""
    operator = form[0]
    if operator in ("and", "or"):
        parts = [_drop_atoms(part, stays) for part in form[1:]]
        left = [part for part in parts if part is not None]
        if not left:
            return None if parts else form[:1]
        return conjunction(left) if operator == "and" else _unite(left)
    if operator == "not":
        inner = _drop_atoms(form[1], stays)
        return None if inner is None else ("not", inner)
    if operator in ("rel", "inv"):
        relation_stays = next(stays)
        landmark = _drop_atoms(form[2], stays)
        return (operator, form[1], EVERYTHING if landmark is None else landmark) if relation_stays else None
    if operator == "parts":
        return ("parts", *((n, _drop_atoms(part, stays) or EVERYTHING) for n, part in form[1:]))
    return form if next(stays) else None


def _unite(forms: Sequence[Meaning]) -> Meaning:
    """Return the disjunction of some forms; a single form stays as it is."""
    return forms[0] if len(forms) == 1 else ("or", *forms)


def flatten(form: Meaning) -> tuple[Property, ...]:
    """Return the properties that a form mentions, in order, each once: the plain pairs that `set/dice` compares.

    A denied property is called ``not.`` + name, the first landmark of an object ``landmark.`` + name, the next ``landmark2.`` + name; a relation has
    no value. Superlatives, comparisons and ordinals are properties such as ``size:least``, ``size:<30`` and ``x:2 from the left``.
    """
    return tuple(dict.fromkeys(_flatten_form(form, "", False)))


def _flatten_form(form: Meaning, prefix: str, is_denied: bool) -> Iterator[Property]:
    """Yield the properties of a form as a flat list."""
    operator, denied = form[0], NOT if is_denied else ""
    if operator in ("and", "or"):
        landmarks = 0
        for part in form[1:]:
            if part[0] in ("rel", "inv"):
                landmarks += 1
                yield from _flatten_relation(part, prefix, denied, landmarks, is_denied)
            else:
                yield from _flatten_form(part, prefix, is_denied)
    elif operator == "not":
        yield from _flatten_form(form[1], prefix, not is_denied)
    elif operator in ("rel", "inv"):
        yield from _flatten_relation(form, prefix, denied, 1, is_denied)
    elif operator == "parts":
        for _, part in form[1:]:
            yield from _flatten_form(part, prefix, is_denied)
    elif operator in ("least", "most"):
        yield Property(prefix + denied + form[1], operator if form[2] == 1 else f"{operator} {form[2]}")
    elif operator in ("<", ">"):
        yield Property(prefix + denied + form[1], f"{operator}{as_value(form[2])}")
    elif operator == "nth":
        yield Property(prefix + denied + form[1], f"{form[2]} from the {form[3]}")
    else:
        yield Property(prefix + denied + operator, form[1])


def _flatten_relation(form: Meaning, prefix: str, denied: str, number: int, is_denied: bool) -> Iterator[Property]:
    """Yield the properties of a relation as a flat list."""
    name = form[1] if form[0] == "rel" else form[1] + INVERSE
    if form[1] != ANY:
        yield Property(prefix + denied + name, "")
    yield from _flatten_form(form[2], f"{prefix}landmark{'' if number == 1 else number}.", is_denied)


def from_properties(properties: Iterable[Property], scene: Scene) -> Meaning:
    """Return the form of a list of properties.

    Defines ``landmark.``, ``landmark2.``, ``not.`` and ``-by``.

    - A plain property is itself; a property whose name is a relation of the scene is the relation alone, because ids are invisible.
    - ``on-by`` is the relation ``on`` from its other end, unless the scene has an attribute of that name.
    - ``not.colour:red`` denies ``colour:red``, unless the scene has an attribute of that name.
    - ``landmark.colour:red`` describes an object with all named relations to this one, or with any relation if none is named.
    - With several landmarks (``landmark.``, ``landmark2.`` …) relations are not assigned: each landmark is reached by one of them.
    """
    forms: list[Meaning] = []
    relations: list[tuple[str, str]] = []
    landmarks: dict[str, list[Property]] = {}
    for prop in properties:
        prefix = LANDMARK.match(prop.name)
        link = _parse_relation_name(prop, scene)
        if prefix:
            landmarks.setdefault(prefix[0], []).append(type(prop)(prop.name[prefix.end() :], prop.value))
        elif link is not None:
            relations.append(link)
            forms.append((*link, EVERYTHING))
        elif prop.name.startswith(NOT) and prop not in scene.extensions:
            forms.append(("not", from_properties([type(prop)(prop.name.removeprefix(NOT), prop.value)], scene)))
        else:
            forms.append(tuple(prop))
    links = list(dict.fromkeys(relations)) or [("rel", ANY)]
    for described in landmarks.values():
        landmark = from_properties(described, scene)
        reached = [(*link, landmark) for link in links]
        forms += reached if len(landmarks) == 1 else [_unite(reached)]
    return conjunction(forms)


def _parse_relation_name(prop: Property, scene: Scene) -> tuple[str, str] | None:
    """Return the operator and the relation in the name of a property; None if there is none."""
    if (prop.name, "") in scene.extensions:
        return "rel", prop.name
    base = prop.name.removesuffix(INVERSE)
    if base != prop.name and prop not in scene.extensions and (base, "") in scene.extensions:
        return "inv", base
    return None


# -- denotation --------------------------------------------------------------------------------------------------------------------


def denote(form: Meaning, scene: Scene) -> int:
    """Return the entities that a form is true of, as a bit set; of parts the union."""
    union = 0
    for mask in denote_parts(form, scene):
        union |= mask
    return union


def denote_parts(form: Meaning, scene: Scene) -> tuple[int, ...]:
    """Return the denotation of each part as bit sets.

    A part that counts more objects than there are denotes none.

    A part that counts fewer objects than satisfy it denotes all of them.
    """
    masks = []
    for number, part in parts_of(form):
        mask = _denote(part, scene, scene.everything)
        masks.append(0 if isinstance(number, int) and mask.bit_count() < number else mask)
    return tuple(masks)


def has_true_numbers(form: Meaning, scene: Scene) -> bool:
    """Return whether the numbers of the parts are right.

    They are if every part that counts its objects fits exactly so many, or if all parts count theirs, the numbers add up to the objects that the parts fit
    together, and these can be shared out among the parts: "the chair and the red chair" are two chairs of which one is red.
    """
    if form[0] != "parts":
        return True
    masks, numbers = denote_parts(form, scene), [number for number, _ in form[1:]]
    if all(n == ALL or mask.bit_count() == n for n, mask in zip(numbers, masks, strict=True)):
        return True
    if ALL in numbers or sum(numbers) != denote(form, scene).bit_count():
        return False
    return _can_share_out([mask for n, mask in zip(numbers, masks, strict=True) for _ in range(n)])


def _can_share_out(masks: Sequence[int]) -> bool:
    """Return whether every mask can get its own entity (augmenting paths)."""
    taken: dict[int, int] = {}

    def place(slot: int, tried: set[int]) -> bool:
        """Return whether the slot gets an entity, moving other slots to other entities if necessary."""
        for entity in bits(masks[slot]):
            if entity not in tried:
                tried.add(entity)
                if entity not in taken or place(taken[entity], tried):
                    taken[entity] = slot
                    return True
        return False

    return all(place(slot, set()) for slot in range(len(masks)))


def _denote(form: Meaning, scene: Scene, among: int) -> int:
    """Return the denotation of a form among some entities, to which superlatives and ordinals are relative."""
    operator = form[0]
    if operator == "and":
        parts = conjuncts(form)
        # Context-dependent conjuncts are evaluated last, wherever they are written.
        for part in sorted(parts, key=is_contextual):
            among = _denote(part, scene, among)
        return among
    if operator == "or":
        mask = 0
        for part in form[1:]:
            mask |= _denote(part, scene, among)
        return mask
    if operator == "not":
        return among & ~_denote(form[1], scene, among)
    if operator in ("rel", "inv"):
        return among & related(scene, form[1], _denote(form[2], scene, scene.everything), operator == "inv")
    if operator in _CONTEXTUAL:
        return _find_ranked(form, scene, among)
    if operator in ("<", ">"):
        sign = 1 if operator == "<" else -1
        return _make_mask(i for i, number in amounts(scene, form[1], among).items() if sign * number < sign * form[2])
    extensions: Mapping[Any, int] = scene.extensions
    # The name of a relation with an id says the relation alone: a hearer cannot see ids.
    of_relation = extensions.get((operator, ""))
    return among & (extensions.get(form, 0) if of_relation is None else of_relation)


def is_contextual(form: Meaning) -> bool:
    """Return whether a form's denotation depends on the rest of its conjunction: superlatives and ordinals."""
    if form[0] in ("and", "or", "not"):
        return any(map(is_contextual, form[1:]))
    return form[0] in _CONTEXTUAL


def related(scene: Scene, name: str, anchors: int, is_inverse: bool = False) -> int:
    """Return the entities that have a relation to one of the anchors, or (`is_inverse`) to which one of the anchors has
    it.
    """
    table = partners(scene).get(name)
    if table is None or not anchors:
        return 0
    if not is_inverse:
        return _make_mask(i for i, others in enumerate(table) if others & anchors)
    mask = 0
    for i in bits(anchors):
        mask |= table[i]
    return mask


def partners(scene: Scene) -> Mapping[str, Sequence[int]]:
    """Return, for every relation and for any (``"*"``), the related entities of each entity as bit sets.

    Cached per scene.

    A relation to an object outside the scene has no target.
    """
    notes = scene._notes.setdefault("meaning.partners", {})
    if "all" not in notes:
        tables: dict[str, list[int]] = {}
        for i, entity in enumerate(scene.entities):
            for relation in entity.relations:
                try:
                    bit = 1 << scene.index(relation.entity)
                except KeyError:
                    continue
                for name in (relation.name, ANY):
                    tables.setdefault(name, [0] * len(scene.entities))[i] |= bit
        notes["all"] = tables
    table: Mapping[str, Sequence[int]] = notes["all"]
    return table


def first_unknown(form: Meaning, scene: Scene) -> Property | None:
    """Return the first atom without a referent in a scene (a value, relation or scale that no entity has), as a
    property; None if there is none.
    """
    for atom in atoms(form):
        operator = atom[0]
        if operator in ("rel", "inv"):
            exists = atom[1] == ANY or atom[1] in partners(scene)
        elif operator in _CONTEXTUAL or operator in ("<", ">"):
            exists = bool(amounts(scene, atom[1], scene.everything))
        else:
            exists = atom in scene.extensions or (operator, "") in scene.extensions
        if not exists:
            return Property(atom[1], "") if operator in ("rel", "inv") else flatten(atom)[0]
    return None


def bits(mask: int) -> Iterator[int]:
    """Yield the indices of the entities of a bit set, in order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _find_ranked(form: Meaning, scene: Scene, among: int) -> int:
    """Return the entities of a superlative or an ordinal, by the number of entities that precede each."""
    descends = form[0] == "most" or (form[0] == "nth" and SIDES[form[3]] < 0)
    numbers = {i: -n if descends else n for i, n in amounts(scene, form[1], among).items()}
    ordered = sorted(numbers.values())
    before = {n: i for i, n in reversed(list(enumerate(ordered)))}
    if form[0] == "nth":
        return _make_mask(i for i, n in numbers.items() if before[n] == form[2] - 1)
    return _make_mask(i for i, n in numbers.items() if before[n] < form[2])


def _make_mask(indices: Iterable[int]) -> int:
    """Return a bit mask of indices."""
    mask = 0
    for i in indices:
        mask |= 1 << i
    return mask


def amounts(scene: Scene, name: str, among: int) -> Mapping[int, float]:
    """Return the numbers of an attribute by entity index.

    Where the scene has no attribute x or y, these are positions.
    """
    axis = _AXES.get(name)
    by_position = axis is not None and not any(p[0] == name for p in scene.extensions)
    is_mixed = has_several_units(scene, name)
    numbers = {}
    for i in bits(among):
        entity = scene.entities[i]
        number = (
            _get_coordinate(entity, axis)
            if by_position and axis is not None
            else amount(entity.value(name), is_scaled=is_mixed)
        )
        if number is not None:
            numbers[i] = number
    return numbers


def _get_coordinate(entity: Entity, axis: int) -> float | None:
    return entity.position[axis] if entity.position is not None and len(entity.position) > axis else None


def has_several_units(scene: Scene, name: str) -> bool:
    """Return whether numbers of an attribute have different units; a number without one is in the unit of the others."""
    return len({m[2] for p in scene.extensions if p.name == name and (m := NUMBER.fullmatch(p.value)) and m[2]}) > 1


def amount(value: str | None, is_scaled: bool = False) -> float | None:
    """Return the number that a value is, with or without a unit ("30 cm"); None where it is none.

    With `is_scaled` numbers with units can be compared: 2 m is more than 40 cm.
    """
    match = NUMBER.fullmatch(value or "")
    return round(float(match[1]) * (_UNITS.get(match[2], 1) if is_scaled else 1), 9) if match else None
