"""German: words for the buttons and doors of GIVE-2, for Pentomino pieces, TUNA's furniture and simple scenes, written
for this project.

Adjectives precede the noun in the weak declension; a landmark follows its preposition in the dative. Genders of the
plural and of the dative have their own keys (``p``, ``m3``, …), so that an adjective's form is looked up in the same
way.
"""

from __future__ import annotations

from referee.realisation.language import AFTER, BEFORE, Clauses, Grades, Language, Noun, Phrase
from referee.realisation.lexicon import Lexicon
from referee.records import Property

_NOUNS = {
    "button": "Knopf m Knöpfe", "door": "Tür f Türen", "safe": "Tresor m Tresore", "painting": "Bild n Bilder", "flower": "Blume f Blumen",
    "alarm": "Alarm m Alarme", "lamp": "Lampe f Lampen", "chair": "Stuhl m Stühle", "couch": "Sofa n Sofas", "sofa": "Sofa n Sofas",
    "desk": "Schreibtisch m Schreibtische", "fan": "Ventilator m Ventilatoren", "person": "Person f Personen", "table": "Tisch m Tische",
    "bed": "Bett n Betten", "trophy": "Pokal m Pokale", "window": "Fenster n Fenster", "plant": "Pflanze f Pflanzen", "cup": "Tasse f Tassen",
    "ball": "Ball m Bälle", "cube": "Würfel m Würfel", "box": "Kiste f Kisten", "book": "Buch n Bücher", "piece": "Teil n Teile", "man": "Mann m Männer",
    "woman": "Frau f Frauen", "boy": "Junge m Jungen", "girl": "Mädchen n Mädchen", "child": "Kind n Kinder", "star": "Stern m Sterne",
    "circle": "Kreis m Kreise", "square": "Quadrat n Quadrate", "triangle": "Dreieck n Dreiecke", "car": "Auto n Autos", "house": "Haus n Häuser",
    "tree": "Baum m Bäume", "dog": "Hund m Hunde", "cat": "Katze f Katzen", "bottle": "Flasche f Flaschen", "plate": "Teller m Teller",
    "glass": "Glas n Gläser", "knife": "Messer n Messer", "pan": "Pfanne f Pfannen", "mug": "Becher m Becher", "shelf": "Regal n Regale",
    "bowl": "Schüssel f Schüsseln", "hat": "Hut m Hüte", "key": "Schlüssel m Schlüssel", "phone": "Telefon n Telefone", "player": "Player m Player",
}  # fmt: skip
_LEXICON = Lexicon.read("german")
_DECLINED = [entry.split() for entry in sorted(_LEXICON.declined)]
_PLURALS = {word: many for word, _, many in (*_DECLINED, *map(str.split, _NOUNS.values()))} | {
    "": "", "e": "en", "chen": "chen", "lein": "lein", "Objekt": "Objekte",
    **{end: f"{end}en" for end in ("ung", "heit", "keit", "schaft", "tion")},
}  # fmt: skip
_COLOURS = {
    "red": "rot", "blue": "blau", "green": "grün", "yellow": "gelb", "grey": "grau", "gray": "grau", "white": "weiß", "black": "schwarz",
    "cyan": "türkisfarben", "turquoise": "türkisfarben",
    "magenta": "magentafarben", "purple": "lila", "orange": "orangefarben", "pink": "rosa", "brown": "braun",
}  # fmt: skip
_UNCHANGED = frozenset({"lila", "rosa"})
_SIZES = {"large": "groß", "big": "groß", "small": "klein", "regular": "mittelgroß"}
# Behind a verb ("is red") an adjective has no ending.
_PREDICATE = "x"
_ENDING = f"{{:e|m3:en|f3:en|n3:en|p:en|p3:en|{_PREDICATE}:}}"
_STEMS = {
    "dunkel": "dunkl", "edel": "edl", "flexibel": "flexibl", "sensibel": "sensibl", "teuer": "teur", "sauer": "saur", "hoch": "hoh",
    **{word: word[:-1] for word in ("gerade", "müde", "leise", "böse", "öde", "spröde", "feige", "lose", "prüde", "träge")},
}  # fmt: skip
"""Adjectives whose stem is not the word itself: dunkel, dunkle."""
_FACING = {
    "front": "nach vorn gedreht", "back": "nach hinten gedreht", "left": "nach links gedreht", "right": "nach rechts gedreht",
    "up": "nach oben gedreht", "down": "nach unten gedreht",
}  # fmt: skip
_PLACES = {
    "left": "links", "right": "rechts", "centre": "in der Mitte", "center": "in der Mitte", "middle": "in der Mitte", "top": "oben",
    "bottom": "unten", "front": "vorn", "back": "hinten", "left-hand": "links", "right-hand": "rechts",
}  # fmt: skip
_SIZE, _COLOUR = 0, 4
_FACE, _PLACE = 10, 16
_ROWS, _COLUMNS = ("oben", "in der Mitte", "unten"), ("links", "in der Mitte", "rechts")


def _decline(word: str) -> str:
    """Return the forms of an adjective whose stem is not the word itself."""
    stem = _STEMS[word]
    return _ENDING.replace(":", f":{stem}").replace(f"{_PREDICATE}:{stem}", f"{_PREDICATE}:{word}")


def _make_phrases() -> dict[frozenset[Property], tuple[Phrase, ...]]:
    """Return the phrases of the known properties."""
    table: dict[frozenset[Property], tuple[Phrase, ...]] = {}

    def put(name: str, value: str, *phrase: object) -> None:
        table[frozenset([Property(name, value)])] = (Phrase(*phrase),)  # type: ignore[arg-type]

    for value, word in _COLOURS.items():
        put("colour", value, BEFORE, _COLOUR, word if word in _UNCHANGED else word + _ENDING)
    for value, word in _SIZES.items():
        put("size", value, BEFORE, _SIZE, word + _ENDING)
    put("shade", "light", BEFORE, _COLOUR - 1, f"hell{_ENDING}")
    put("shade", "dark", BEFORE, _COLOUR - 1, _decline("dunkel"))
    for value, word in {"old": "alt", "young": "jung"}.items():
        put("age", value, BEFORE, _SIZE + 1, word + _ENDING)
    for name in ("hpos", "vpos", "location", "place", "position"):
        for value, words in _PLACES.items():
            put(name, value, AFTER, _PLACE, words)
    for value, words in _FACING.items():
        put("orientation", value, BEFORE, _SIZE - 1, words + _ENDING)
    for name, thing, nothing in (("Beard", "Bart", "Bart"), ("Glasses", "Brille", "Brille"), ("Hair", "Haaren", "Haare"), ("Shirt", "Hemd", "Hemd"),
                                 ("Tie", "Krawatte", "Krawatte"), ("Suit", "Anzug", "Anzug")):  # fmt: skip
        for called in (f"has{name}", name.lower()):
            for yes, no in (("1", "0"), ("yes", "no")):
                put(called, yes, AFTER, _FACE + 1, f"mit {thing}")
                put(called, no, AFTER, _FACE + 2, f"ohne {nothing}")
    for value, word in {"dark": "dunkelhaarig", "light": "hellhaarig"}.items():
        put("hairColour", value, BEFORE, _COLOUR - 1, word + _ENDING)
    for i, words in enumerate(_ROWS):
        put("row", str(i), AFTER, _PLACE, words)
        put("y-dimension", str(i + 1), AFTER, _PLACE, words)
    for i, words in enumerate(_COLUMNS):
        put("col", str(i), AFTER, _PLACE, words)
    for i, word in enumerate(("ersten", "zweiten", "dritten", "vierten"), 1):
        put("grid", f"grid{i}", AFTER, _PLACE + 1, f"im {word} Feld")
    for x, words in enumerate(("ganz links", "links", "in der Mitte", "rechts", "ganz rechts"), 1):
        put("x-dimension", str(x), AFTER, _PLACE, words)
    return table


def _make_grades(more: str, most: str, less: str, least: str, called: str) -> Grades:
    high, low = most + _ENDING, least + _ENDING
    return Grades(more + _ENDING, high, less + _ENDING, low, f"{{}}{high}", f"{{}}{low}", called=called)


_ACROSS = Grades(
    f"recht{_ENDING}",
    f"äußerst{_ENDING} recht{_ENDING}",
    f"link{_ENDING}",
    f"äußerst{_ENDING} link{_ENDING}",
    "an {}er Stelle von rechts",
    "an {}er Stelle von links",
    at="in Spalte {}",
)
_DOWN = Grades(
    f"unter{_ENDING}",
    f"unterst{_ENDING}",
    f"ober{_ENDING}",
    f"oberst{_ENDING}",
    "an {}er Stelle von unten",
    "an {}er Stelle von oben",
    at="in Zeile {}",
)

# fmt: off
_AMOUNTS = {
    "size Größe größe": _make_grades("größer", "größt", "kleiner", "kleinst", "Größe"),
    "height Höhe höhe": _make_grades("höher", "höchst", "niedriger", "niedrigst", "Höhe"),
    "width Breite breite": _make_grades("breiter", "breitest", "schmaler", "schmalst", "Breite"),
    "length Länge länge": _make_grades("länger", "längst", "kürzer", "kürzest", "Länge"),
    "weight Gewicht gewicht": _make_grades("schwerer", "schwerst", "leichter", "leichtest", "Gewicht"),
    "age Alter alter": _make_grades("älter", "ältest", "jünger", "jüngst", "Alter"),
    "price Preis preis": _make_grades("teurer", "teuerst", "billiger", "billigst", "Preis"),
    "speed Geschwindigkeit geschwindigkeit": _make_grades("schneller", "schnellst", "langsamer", "langsamst", "Geschwindigkeit"),
    "temperature Temperatur temperatur": _make_grades("wärmer", "wärmst", "kälter", "kältest", "Temperatur"),
}
GERMAN = Language(
    code="de",
    articles={"m": "der", "f": "die", "n": "das", "p": "die", "m3": "dem", "f3": "der", "n3": "dem", "p3": "den"},
    default=Noun("Objekt", "n"),
    nouns={
        **{Property("type", value): Noun(*noun.split()[:2]) for value, noun in _NOUNS.items()},
        **{Property("type", word): Noun(word, gender) for word, gender, _ in _DECLINED},
        **{Property("shape", letter): Noun(letter, "n") for letter in "FILNPTUVWXYZ"},
    },
    phrases=_make_phrases(),
    relations={
        "left": "links von", "left-of": "links von", "left-to": "links von", "right": "rechts von", "right-of": "rechts von",
        "right-to": "rechts von", "above": "über", "on-top-of": "auf", "on": "auf", "below": "unter", "under": "unter", "near": "bei",
        "next": "neben", "next-to": "neben", "in-front-of": "vor", "behind": "hinter", "in": "in", "between": "zwischen", "beside": "neben",
        "over": "über", "inside": "in", "at": "an", "straight": "gegenüber von", "slightlyleft": "etwas links von",
        "slightlyright": "etwas rechts von", "leftaround": "ganz links von", "rightaround": "ganz rechts von",
    },
    merging=("mit", "ohne"),
    conjunction="und",
    having="mit",
    predicative=_PREDICATE,
    lacking="ohne",
    negation="nicht ",
    openers=frozenset({"mit", "ohne", "in", "im", "auf", "von", "nach", "links", "rechts", "oben", "unten", "ganz"}),
    determiners=frozenset({"der", "die", "das", "dem", "den"}),
    contractions={("von", "dem"): "vom", ("bei", "dem"): "beim", ("in", "dem"): "im"},
    plurals=_PLURALS,
    numbers=dict(enumerate(("zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"), 2)),
    ordinals=dict(enumerate(("zweit", "dritt", "viert", "fünft", "sechst", "siebt", "acht", "neunt"), 2)),
    grades={
        **{name: grades for names, grades in _AMOUNTS.items() for name in names.split()},
        **dict.fromkeys(("x", "x-dimension", "x-position", "column", "col"), _ACROSS), **dict.fromkeys(("y", "y-dimension", "y-position", "row"), _DOWN),
    },
    clauses=Clauses(
        ", {m:der|f:die|n:das|p:die|m3:der|f3:die|n3:das|p3:die}",
        ("ist", "sind"),
        ("hat", "haben"),
        "nicht", "oder",
        verb_last=True,
        no_thing="{m:kein|f:keine|n:kein|p:keine}",
        inverse=", {relation} {which} {thing} {be}",
        which="{m:welchem|f:welcher|n:welchem|p:denen|m3:welchem|f3:welcher|n3:welchem|p3:denen}",
    ),
    capital_nouns=True,
    attribution="mit „{}: {}“",
    naming="vom Typ „{}“",
    prefixes="has|is|hat|ist",
    participle=r"(?:un|ab|an|auf|aus|ein|zu|vor|weg|halb)?(?:ge[a-zäöüß]{2,}(?:t|en)|(?:ver|be|zer|ent)[a-zäöüß]{2,}(?:t|ossen|ogen|oren|ochen|chmort))",
    inflection=_ENDING,
    strong={"m": "em", "f": "er", "n": "em", "p": "en"},
    lexicon=_LEXICON,
    extremes={
        "least": "mit dem niedrigsten Wert für „{}“", "most": "mit dem höchsten Wert für „{}“",
        "nth least": "mit dem {1}niedrigsten Wert für „{0}“", "nth most": "mit dem {1}höchsten Wert für „{0}“",
        "<": "einen Wert unter {1} für „{0}“", ">": "einen Wert über {1} für „{0}“",
    },
    answers=("ja", "nein"),
    patterns={**dict.fromkeys(("Material", "material"), "aus {}"), "Marke": "der Marke {}", "Inhalt": "mit {}"},
    something="etwas",
    aliases={
        "farbe": "colour", "größe": "size", "groesse": "size", "alter": "age", "position": "position", "lage": "position", "haircolour": "hairColour",
    },
    genders={
        "e": "f", "ung": "f", "heit": "f", "keit": "f", "schaft": "f", "tion": "f", "chen": "n", "lein": "n",
    },
    inflections={
        **{word: _decline(word) for word in _STEMS},
        # Colours without endings of their own.
        **{word: f"{word}farben{_ENDING}" for word in ("türkis", "orange", "beige", "rosa", "lila", "pink", "oliv", "magenta", "cyan")},
        **{word: word + _ENDING for word in (
            "ig", "isch", "lich", "los", "bar", "haft", "voll", "rund", "farben", "alt", "neu", "leer", "kalt", "warm", "heiß", "offen",
            "geschlossen", "kaputt", "ganz", "dick", "dünn", "lang", "kurz", "breit", "schmal", "flach", "spitz", "glatt", "rau", "hart", "weich",
            "hell", "nass", "reif", "roh", "iert", "eift", "ktet", "ochen", "hölzern", "gläsern", "metallen", "wach", "schnell", "langsam",
            "schwer", "leicht", "laut", "still", "groß", "klein", "jung", "rot", "blau", "grün", "gelb", "grau", "weiß", "schwarz", "braun",
        )},
    },
    covers={"links": ("ganz links",), "rechts": ("ganz rechts",)},
    than="als",
    plural_of=dict.fromkeys(("m", "f", "n"), "p"),
    oblique_plural="n",
    oblique_of={"m": "m3", "f": "f3", "n": "n3", "p": "p3"},
)
# fmt: on
