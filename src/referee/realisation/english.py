"""English: words for the attributes of TUNA and of other scenes of simple objects, written for this project."""

from __future__ import annotations

from referee.realisation.language import AFTER, BEFORE, Language, Noun, Phrase
from referee.records import Property

__all__ = ["ENGLISH"]

_COLUMNS = {
    "1": "on the far left",
    "2": "on the left",
    "3": "in the middle",
    "4": "on the right",
    "5": "on the far right",
}
_ROWS = {"1": "top", "2": "middle", "3": "bottom"}
_FEATURES = {"hasBeard": "a beard", "hasGlasses": "glasses", "hasHair": "hair"}
_CLOTHES = {"hasShirt": "a shirt", "hasTie": "a tie", "hasSuit": "a suit"}
_SHADES = {"light": "light", "dark": "dark"}
_FACING = {"front": "facing forward", "back": "facing away", "left": "facing left", "right": "facing right"}

# fmt: off
_OPENERS = frozenset({
    "with", "without", "wearing", "facing", "who", "that", "which", "in", "on", "at", "to", "towards", "of", "from", "has", "is",
    "looking", "shown", "seen", "turned", "next", "above", "below", "near", "by", "he", "it", "not",
})
_PLACES_OPEN = frozenset({"in", "on", "at", "to", "from", "with", "of"})
_PREPOSITIONS = _PLACES_OPEN | {"without", "wearing", "facing", "towards", "who", "that", "which", "is", "has", "looking"}
_THINGS = frozenset({
    "hair", "beard", "beards", "moustache", "mustache", "goatee", "glasses", "spectacles", "specs", "eyeglasses", "tie", "shirt", "suit", "jacket", "head",
})
_GENERIC_NOUNS = frozenset({"one", "person", "thing", "object", "item", "picture", "photo", "image", "figure", "guy", "man", "male", "men"})
# Endings with the plural's; vowels before -y keep it (toys).
_PLURALS = {
    "": "s", "s": "ses", "x": "xes", "z": "zes", "ch": "ches", "sh": "shes", "y": "ies", "ay": "ays", "ey": "eys", "oy": "oys",
    "person": "people", "man": "men", "human": "humans", "child": "children", "mouse": "mice", "knife": "knives", "shelf": "shelves",
    "glasses": "glasses", "sheep": "sheep", "fish": "fish",
}
# fmt: on

# Ranks: before the noun size, age, baldness, hair, colour; behind it orientation, hair, features, what is missing of them, clothes, place.
_SIZE, _AGE, _BALD, _HAIRED, _COLOUR = range(5)
_FACE, _HAIR, _FEATURE, _MISSING, _WORN, _NOT_WORN, _PLACE = range(10, 17)


def _bare(name: str) -> str:
    return name.removeprefix("a ")


def _phrases() -> dict[frozenset[Property], tuple[Phrase, ...]]:
    table: dict[frozenset[Property], tuple[Phrase, ...]] = {}

    def put(phrases: list[tuple[int, int, str]], **properties: str) -> None:
        key = frozenset(Property(name.replace("_", "-"), value) for name, value in properties.items())
        table[key] = tuple(Phrase(*p) for p in phrases)

    for size in ("large", "small"):
        put([(BEFORE, _SIZE, size)], size=size)
    for age in ("old", "young"):
        put([(BEFORE, _AGE, age)], age=age)
    for colour in ("red", "blue", "green", "grey", "white", "black", "yellow"):
        put([(BEFORE, _COLOUR, colour)], colour=colour)
    for value, words in _FACING.items():
        put([(AFTER, _FACE, words)], orientation=value)
    for name, thing in _FEATURES.items():
        put([(AFTER, _FEATURE, f"with {thing}")], **{name: "1"})
        put([(AFTER, _MISSING, f"with no {_bare(thing)}")], **{name: "0"})
    for name, thing in _CLOTHES.items():
        put([(AFTER, _WORN, f"wearing {thing}")], **{name: "1"})
        put([(AFTER, _NOT_WORN, f"wearing no {_bare(thing)}")], **{name: "0"})
    # In place of "with no hair" from above.
    put([(BEFORE, _BALD, "bald")], hasHair="0")
    for value, shade in _SHADES.items():
        put([(BEFORE, _HAIRED, f"{shade}-haired")], hairColour=value)
        put([(AFTER, _HAIR, f"with {shade} hair")], hairColour=value, hasHair="1")
        # Nobody is bald and dark-haired at once; in TUNA the colour is then that of the beard, or of what hair is left.
        put([(BEFORE, _BALD, "balding"), (BEFORE, _HAIRED, f"{shade}-haired")], hairColour=value, hasHair="0")
        put(
            [(BEFORE, _BALD, "bald"), (AFTER, _FEATURE, f"with a {shade} beard")],
            hairColour=value,
            hasHair="0",
            hasBeard="1",
        )
    for y, row in _ROWS.items():
        put([(AFTER, _PLACE, f"in the {row} row")], y_dimension=y)
    for x, column in _COLUMNS.items():
        put([(AFTER, _PLACE, column)], x_dimension=x)
        for y, row in _ROWS.items():
            put([(AFTER, _PLACE, f"{column} of the {row} row")], x_dimension=x, y_dimension=y)
    return table


ENGLISH = Language(
    code="en",
    articles={"": "the"},
    default=Noun("one"),
    nouns={Property("type", value): Noun(value) for value in ("chair", "sofa", "desk", "fan", "person")},
    phrases=_phrases(),
    relations={
        "left": "to the left of",
        "left-of": "to the left of",
        "right": "to the right of",
        "right-of": "to the right of",
        "above": "above",
        "on-top-of": "on top of",
        "on": "on",
        "below": "below",
        "under": "under",
        "near": "near",
        "next-to": "next to",
        "in-front-of": "in front of",
        "behind": "behind",
        "in": "in",
        "between": "between",
    },
    merging=("with", "wearing"),
    conjunction="and",
    having="with",
    lacking="without",
    openers=_OPENERS,
    determiners=frozenset({"the", "a", "an"}),
    prepositions=_PREPOSITIONS,
    places_open=_PLACES_OPEN,
    partitive="of",
    inside=("in", "the"),
    regions=frozenset({"row", "column", "corner", "line"}),
    resumptive=frozenset({"he", "it"}),
    copula="is",
    things=_THINGS,
    generic_nouns=_GENERIC_NOUNS,
    before_vowels={"a": "an"},
    negation="non-",
    plurals=_PLURALS,
)
