"""English: words for the attributes of TUNA and of other scenes of simple objects, written for this project."""

from __future__ import annotations

import re

from referee.realisation.language import AFTER, BEFORE, Clauses, Grades, Language, Noun, Phrase
from referee.realisation.lexicon import Lexicon
from referee.records import Property

# fmt: off
_COLUMNS = {
    "1": "on the far left", "2": "on the left", "3": "in the middle", "4": "on the right", "5": "on the far right",
}
_ROWS = {"1": "top", "2": "middle", "3": "bottom"}
_FEATURES = {"hasBeard": "a beard", "hasGlasses": "glasses", "hasHair": "hair"}
_CLOTHES = {"hasShirt": "a shirt", "hasTie": "a tie", "hasSuit": "a suit"}
_SHADES = {"light": "light", "dark": "dark"}
_PLACES = {
    "left": "on the left", "right": "on the right", "centre": "in the middle", "center": "in the middle", "middle": "in the middle",
    "front": "at the front", "back": "at the back", "top": "at the top", "bottom": "at the bottom",
}
_FACING = {"front": "facing forward", "back": "facing away", "left": "facing left", "right": "facing right"}


_OPENERS = frozenset({
    "with", "without", "wearing", "facing", "who", "that", "which", "in", "on", "at", "to", "towards", "of", "from", "has", "is", "looking", "shown", "seen",
    "turned", "next", "above", "below", "near", "by", "he", "it", "not",
})
_PLACES_OPEN = frozenset({"in", "on", "at", "to", "from", "with", "of"})
_PREPOSITIONS = _PLACES_OPEN | {"without", "wearing", "facing", "towards", "who", "that", "which", "is", "has", "looking"}
_THINGS = frozenset({
    "hair", "beard", "beards", "moustache", "mustache", "goatee", "glasses", "spectacles", "specs", "eyeglasses", "tie", "shirt", "suit", "jacket", "head",
})
_GENERIC_NOUNS = frozenset({"one", "person", "thing", "object", "item", "picture", "photo", "image", "figure", "guy", "man", "male", "men"})
_SHAPES = (
    "star", "heart", "house", "ring", "cross", "circle", "triangle", "arrow", "diamond", "moon", "crescent", "leaf", "flower", "cone", "cylinder", "pyramid",
    "drop", "egg", "pear", "bell", "wedge", "rectangle",
)
_EMOTIONS = {"anger": "angry", "joy": "happy", "happiness": "happy", "sadness": "sad", "fear": "frightened", "surprise": "surprised", "disgust": "disgusted"}
_ANTONYMS = {"open": "closed", "enabled": "disabled", "lit": "unlit", "disabled": "enabled", "read": "unread", "active": "inactive", "locked": "unlocked",
              "checked": "unchecked", "sealed": "unsealed",
              "clean": "dirty", "dead": "living", "smiling": "unsmiling", "evergreen": "deciduous", "awake": "sleeping",
              **{word: f"un{word}" for word in ("married", "occupied", "inhabited", "ripe", "peeled", "signed", "opened", "used", "finished", "painted",
    "labelled", "wrapped", "selected", "armed", "tuned", "cooked", "seasoned", "sliced", "paved", "furnished", "tidy", "healthy", "stable", "even")}}
_ORIGINS = ("made", "origin", "country", "country of origin", "countryOfOrigin", "country_of_origin", "hometown", "birthplace")
_LEXICON = Lexicon.read("english")
_PAIRS = frozenset({"spectacles", "specs", "eyeglasses", "trousers", "tongs", "pliers", "jeans", "shorts", "tweezers", "binoculars", "headphones",
                    "goggles", "sunglasses", "tights", "leggings", "shears", "pyjamas", "dungarees"})
_KIN = ("father", "mother", "parent", "child", "son", "daughter", "brother", "sister", "sibling", "friend", "wife", "husband", "owner", "boss", "teacher",
        "twin", "colleague", "neighbour", "leader", "captain", "member", "author", "enemy", "partner", "doctor")
_INFINITIVES = ("hold", "carry", "wear", "contain", "follow", "eat", "chase", "hug", "surround", "overlap", "own", "point at", "look at", "talk to", "protect")
# Endings with the plural's; vowels before -y keep it (toys).
_PLURALS = {
    "": "s", "s": "ses", "x": "xes", "z": "zes", "ch": "ches", "sh": "shes", "y": "ies", "ay": "ays", "ey": "eys", "oy": "oys",
    "person": "people", "man": "men", "human": "humans", "child": "children", "mouse": "mice", "knife": "knives", "shelf": "shelves",
    "glasses": "glasses", "sheep": "sheep", **{w: w for w in ("fish", "trout", "salmon", "squid", "bison", "shrimp", "series", "species")},
    "scissors": "scissors", "leaf": "leaves", "wolf": "wolves", "loaf": "loaves",
    "wife": "wives", "scarf": "scarves", "hoof": "hooves", "thief": "thieves", "bus": "buses", "cactus": "cacti", "antenna": "antennae", "fungus": "fungi",
    "aircraft": "aircraft",
    "life": "lives", "half": "halves", "calf": "calves", "foot": "feet", "tooth": "teeth", "goose": "geese", "ox": "oxen", "box": "boxes",
    "potato": "potatoes", "pair of scissors": "pairs of scissors", "pair of glasses": "pairs of glasses", "pair of trousers": "pairs of trousers",
    "tomato": "tomatoes", "woman": "women", "deer": "deer", "uy": "uys", "die": "dice", "roof": "roofs", "furniture": "pieces of furniture",
}
def _make_grades(more: str, most: str, less: str, least: str, dimension: str = "") -> Grades:
    """Return the comparatives and superlatives of an adjective and its opposite."""
    # "Lighter grey" would be a shade, so that what weighs less is "less heavy".
    less, least = less.replace("_", " "), least.replace("_", " ")
    return Grades(more, most, less, least, f"{{}} {most}", f"{{}} {least}", dimension)


_NUMBERS = dict(enumerate(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 2))
_ORDINALS = dict(enumerate(("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"), 2))
_ACROSS = Grades("right", "rightmost", "left", "leftmost", "{} from the right", "{} from the left", at="in column {}")
_DOWN = Grades("lower", "bottom", "upper", "top", "{} from the bottom", "{} from the top", at="in row {}")
_AMOUNTS = {
    "size": "larger largest smaller smallest", "area": "larger largest smaller smallest", "volume": "larger largest smaller smallest",
    "diameter": "larger largest smaller smallest wide", "height": "taller tallest shorter shortest tall", "length": "longer longest shorter shortest long",
    "width": "wider widest narrower narrowest wide", "depth": "deeper deepest shallower shallowest deep",
    "thickness": "thicker thickest thinner thinnest thick",
    "weight": "heavier heaviest less_heavy least_heavy", "age": "older oldest younger youngest old", "speed": "faster fastest slower slowest",
    "price": "dearer dearest cheaper cheapest", "cost": "dearer dearest cheaper cheapest", "temperature": "hotter hottest colder coldest",
    "brightness": "brighter brightest darker darkest", "distance": "farther farthest nearer nearest away",
}
_GRADES = {
    **{name: _make_grades(*words.split()) for name, words in _AMOUNTS.items()},
    **dict.fromkeys(("x", "x-dimension", "x-position", "column", "col"), _ACROSS), **dict.fromkeys(("y", "y-dimension", "y-position", "row"), _DOWN),
}
# fmt: on

# Ranks: before the noun size, age, baldness, hair, colour; after it orientation, hair, features, missing features,
# clothes, position.
_SIZE, _AGE, _BALD, _HAIRED, _COLOUR = range(5)
_QUALITY, _SHAPE, _MATERIAL = -1, 1, 60
_FACE, _HAIR, _FEATURE, _MISSING, _WORN, _NOT_WORN, _PLACE = range(10, 17)


def _drop_article(name: str) -> str:
    return name.removeprefix("a ")


def _make_phrases() -> dict[frozenset[Property], tuple[Phrase, ...]]:
    """Return the phrases of TUNA's properties."""
    table: dict[frozenset[Property], tuple[Phrase, ...]] = {}

    def put(phrases: list[tuple[int, int, str]], **properties: str) -> None:
        key = frozenset(Property(name.replace("_", "-"), value) for name, value in properties.items())
        table[key] = tuple(Phrase(*p) for p in phrases)

    # fmt: off
    for size in (
    "large", "small", "big", "little", "tiny", "huge", "medium", "tall", "short", "long", "wide", "narrow",
    ):
        put([(BEFORE, _SIZE, size)], size=size)
    # fmt: on
    for age in ("old", "young"):
        put([(BEFORE, _AGE, age)], age=age)
    # fmt: off
    for colour in (
    "red", "blue", "green", "grey", "white", "black", "yellow", "orange", "purple", "pink", "brown", "gray",
    ):
        put([(BEFORE, _COLOUR, colour)], colour=colour)
    # fmt: on
    for noun, adjective in (("girl", "female"), ("woman", "female"), ("boy", "male"), ("man", "male")):
        put([(BEFORE, _QUALITY, adjective)], gender=noun)
        put([(BEFORE, _QUALITY, adjective)], sex=noun)
    for emotion, adjective in _EMOTIONS.items():
        put([(BEFORE, _QUALITY, adjective)], emotion=emotion)
    put([(BEFORE, _MATERIAL, "wooden")], material="wood")
    put([(BEFORE, _BALD, "bald")], hair="bald")
    for shape in _SHAPES:
        put([(BEFORE, _SHAPE, f"{shape}-shaped")], shape=shape)
    # Adjectives that only follow a verb have another one that goes before a noun.
    for answers, living, sleeping in ((("1", "yes"), "living", "sleeping"), (("0", "no"), "dead", "waking")):
        for answer in answers:
            put([(BEFORE, _QUALITY, living)], alive=answer)
            put([(BEFORE, _QUALITY, sleeping)], asleep=answer)
    for value, words in _FACING.items():
        put([(AFTER, _FACE, words)], orientation=value)
    for name, thing in _FEATURES.items():
        put([(AFTER, _FEATURE, f"with {thing}")], **{name: "1"})
        put([(AFTER, _MISSING, f"with no {_drop_article(thing)}")], **{name: "0"})
    for name, thing in _CLOTHES.items():
        put([(AFTER, _WORN, f"wearing {thing}")], **{name: "1"})
        put([(AFTER, _NOT_WORN, f"wearing no {_drop_article(thing)}")], **{name: "0"})
    # In place of "with no hair" from above.
    put([(BEFORE, _BALD, "bald")], hasHair="0")
    for value, shade in _SHADES.items():
        put([(BEFORE, _HAIRED, f"{shade}-haired")], hairColour=value)
        put([(AFTER, _HAIR, f"with {shade} hair")], hairColour=value, hasHair="1")
        # Baldness excludes dark hair; in TUNA the colour is then that of the beard, or of the remaining hair.
        put([(BEFORE, _BALD, "balding"), (BEFORE, _HAIRED, f"{shade}-haired")], hairColour=value, hasHair="0")
        put(
            [(BEFORE, _BALD, "bald"), (AFTER, _FEATURE, f"with a {shade} beard")],
            hairColour=value,
            hasHair="0",
            hasBeard="1",
        )
    # GRE3D's places, and those of a picture.
    for place, words in {"right-hand": "right-hand", "left-hand": "left-hand"}.items():
        put([(BEFORE, _SIZE - 1, words)], location=place)
    for name in ("location", "place", "position"):
        for place, words in _PLACES.items():
            put([(AFTER, _PLACE, words)], **{name: place})
    for place, words in {"left": "on the left", "right": "on the right", "centre": "in the middle"}.items():
        put([(AFTER, _PLACE, words)], hpos=place)
    for place, words in {"top": "at the top", "bottom": "at the bottom", "centre": "in the middle"}.items():
        put([(AFTER, _PLACE, words)], vpos=place)
    for turned, words in {"up": "facing up", "down": "facing down"}.items():
        put([(AFTER, _FACE, words)], orientation=turned)
    for y, row in _ROWS.items():
        put([(AFTER, _PLACE, f"in the {row} row")], y_dimension=y)
    for x, column in _COLUMNS.items():
        put([(AFTER, _PLACE, column)], x_dimension=x)
        for y, row in _ROWS.items():
            put([(AFTER, _PLACE, f"{column} of the {row} row")], x_dimension=x, y_dimension=y)
    return table


def _make_present_participle(words: str) -> str:
    """Return a verb in the third person as it follows a noun ("holds": "holding"); other words unchanged."""
    verb, blank, rest = words.partition(" ")
    if not verb.endswith("s") or verb.endswith("ss") or len(verb) < 4:
        return words
    base = verb.removesuffix("s")
    if base.endswith("ie"):
        base = base.removesuffix("ie") + "y"
    elif base.endswith(("she", "che", "sse", "xe", "oe")):
        base = base.removesuffix("e")
    if base.endswith("e") and not base.endswith("ee"):
        base = base.removesuffix("e")
    elif re.fullmatch(r"(?:over)?[^aeiou]*[aeiou][bdgmnprt]", base):
        base += base[-1]
    return f"{base}ing{blank}{rest}"


# fmt: off
ENGLISH = Language(
    code="en",
    articles={"": "the"},
    default=Noun("one"),
    nouns={Property("type", value): Noun(value) for value in ("chair", "sofa", "desk", "fan", "person")},
    phrases=_make_phrases(),
    relations={
        "left": "to the left of", "left-of": "to the left of", "right": "to the right of", "right-of": "to the right of", "above": "above",
        "on-top-of": "on top of", "on": "on", "below": "below", "under": "under", "near": "near", "next-to": "next to", "in-front-of": "in front of",
        "behind": "behind", "in": "in", "between": "between", "left-to": "to the left of", "part-of": "belonging to", "inside-of": "inside",
        "outside-of": "outside",
        **{w: f"{w} to" for w in ("adjacent", "close", "attached", "connected", "parallel", "similar", "identical", "tied", "married", "related")},
        **{f"on{the}-{side}-of": f"to the {side} of" for side in ("left", "right") for the in ("", "-the")},
        **{f"{at}-{side}-of": f"{at} and to the {side} of" for side in ("left", "right") for at in ("above", "below")},
        **{f"{noun}-of": f"being the {noun} of" for noun in _KIN}, **{verb: _make_present_participle(f"{verb}s") for verb in _INFINITIVES},
        **{f"same-{place}-as": f"in the same {place} as" for place in ("row", "column", "line", "room", "group", "team", "place")},
        "right-to": "to the right of", "next": "next to",
        "straight": "straight ahead of", "slightlyleft": "slightly to the left of", "slightlyright": "slightly to the right of",
        "leftaround": "around to the left of", "rightaround": "around to the right of", "have": "with", "has": "with", "contains": "with",
        "inside": "inside", "over": "over", "beside": "beside", "at": "at", "north": "north of", "south": "south of", "east": "east of",
        "west": "west of", "northeast": "northeast of", "northwest": "northwest of", "southeast": "southeast of", "southwest": "southwest of",
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
    plurals=_PLURALS | {f"{word}": f"pairs of {word}" for word in _PAIRS},
    numbers=_NUMBERS,
    numbers_alone=True,
    singular_numeral="one",
    ordinals=_ORDINALS,
    grades=_GRADES,
    clauses=Clauses(
    "that",
        ("is", "are"),
        ("has", "have"),
    "not", "or",
        lack=("does not have", "do not have"),
        inverse="with {thing} {relation} {it}",
        inverse_verb="that {thing} {be} {relation}",
        it=("it", "them"),
        it_of=(
            *((noun, "him") for noun in ("man", "boy", "king", "father", "guy")),
            *((noun, "her") for noun in ("woman", "girl", "lady", "queen", "mother")),
            *((noun, "them") for noun in ("person", "child", "player", "student", "doctor")),
        ),
    ),
    patterns={
        **dict.fromkeys(("owner", "ownedBy", "owned_by"), "owned by {}"), **dict.fromkeys(("contents", "content", "filling"), "containing {}"),
        **dict.fromkeys(("text", "alt", "alt_text", "altText", "content_description"), 'with the text "{}"'),
        **{n: f'with the {n} "{{}}"' for n in ("caption", "title", "subtitle", "placeholder", "tooltip", "message", "slogan", "inscription", "hint")},
        **dict.fromkeys(("artist", "author", "painter", "maker"), "by {}"),
        "sender": "from {}", **dict.fromkeys(("accessory", "weapon", "headwear", "headgear"), "with {}"),
        "label": 'labelled "{}"', "called": "called {}", **dict.fromkeys(_ORIGINS, "from {}"),
        **dict.fromkeys(("year", "model year", "production year", "year of manufacture", "year of publication"), "from {}"), "century": "from the {} century",
        "decade": "from the {}", "nickname": "nicknamed {}",
    },
    covers={
        "on the left": ("on the far left",), "on the right": ("on the far right",), "with hair": ("light-haired", "dark-haired"),
    },
    than="than",
    extremes={
        "least": "with the lowest {}", "most": "with the highest {}", "least of several": "with the fewest {}",
        "most of several": "with the most {}", "nth least": "with the {1} lowest {0}", "nth most": "with the {1} highest {0}",
        "nth least of several": "with the {1} fewest {0}", "nth most of several": "with the {1} most {0}", "least year": "from the earliest year",
        "most year": "from the latest year", "<": "a {0} below {1}", ">": "a {0} above {1}", "< of several": "fewer than {1} {0}",
        "> of several": "more than {1} {0}", "< x": "to the left of column {}", "> x": "to the right of column {}", "< y": "above row {}",
        "> y": "below row {}",
    },
    statives={f"{verb}ing": f"{verb}s" for verb in ("see", "own", "belong", "contain", "know", "like", "need", "want", "hear")}
    | {"being": "is", "resembling": "resembles", "loving": "loves", "liking": "likes"},
    antonyms=_ANTONYMS,
    aliases={
        "color": "colour", "smiles": "smiling",
        **{f"{axis}{_}pos": f"{axis} position" for axis in "xy" for _ in ("", "_", " ")},
        **{verb: action for verb in _LEXICON.verbs if (action := _make_present_participle(verb)) in _LEXICON.gerunds and verb[:-1] not in _LEXICON.nouns},
    },
    abbreviations={"ph": "pH", "cols": "columns", "qty": "quantity", "temp": "temperature"},
    numbered={
        **{n: f"in {n}" for n in ("row", "column", "position", "seat", "room", "slot", "bay", "lane")},
        **{n: f"in {n}" for n in ("aisle", "zone", "team", "group", "class", "ward", "block", "box")}, **{
            n: f"on {n}"
            for n in ("platform", "page", "track", "channel", "floor", "deck", "line", "route", "shelf", "storey")
        },
        **{n: f"with {n}" for n in ("number", "model", "version", "id", "code", "jersey")},
        "col": "in column", "gate": "at gate", "corner": "in corner", "side": "on side", "edge": "at edge", "grid row": "in row", "grid column": "in column",
    },
    anything="anything",
    something="something",
    verb_forms=_make_present_participle,
    verbs={"containing": ("contains", "contain")},
    indefinite="a",
    lexicon=_LEXICON,
    possessive="whose",
    attribution='with "{}: {}"',
    ranks={
        **dict.fromkeys(("state", "status", "condition", "mood", "emotion", "temperature", "texture"), _QUALITY),
        **dict.fromkeys(("brand", "make", "manufacturer", "species", "breed", "nationality"), _MATERIAL + 1), "model": _MATERIAL + 2,
        **dict.fromkeys(("age_group", "age group", "ageGroup"), _AGE), "shape": _SHAPE, "shade": _HAIRED, "material": _MATERIAL, "pattern": _MATERIAL,
        "made": _MATERIAL, "finish": _QUALITY, "quality": _QUALITY,
    },
)
# fmt: on
