"""Words without training: sensible strings for every attribute combination of TUNA, in two languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from random import Random

import pytest
from annotated import props, say, view

from referee.realisation.english import ENGLISH
from referee.realisation.organisers import BETTER_WORDS, FixedWords
from referee.realisation.plain import Plain
from referee.realisation.portuguese import PORTUGUESE
from referee.records import Property

FURNITURE = {
    "type": ["chair", "sofa", "desk", "fan"],
    "colour": ["red", "blue", "green", "grey"],
    "size": ["large", "small"],
    "orientation": ["front", "back", "left", "right"],
    "x-dimension": list("12345"),
    "y-dimension": list("123"),
}
PEOPLE = {
    "type": ["person"],
    "age": ["old", "young"],
    "hairColour": ["light", "dark"],
    **{name: ["0", "1"] for name in ("hasHair", "hasBeard", "hasGlasses", "hasShirt", "hasTie", "hasSuit")},
    "orientation": ["front", "left", "right"],
    "x-dimension": list("12345"),
    "y-dimension": list("123"),
}
REALISERS = {
    "English": Plain(ENGLISH),
    "Portuguese": Plain(PORTUGUESE),
    "converter": FixedWords(),
    "better converter": FixedWords(BETTER_WORDS),
}


def _combinations(domain: dict[str, list[str]]) -> Iterator[list[Property]]:
    """Every set of attributes, with first values, last values and values drawn; and every pair of values."""
    rng = Random(5)
    for size in range(1, len(domain) + 1):
        for names in combinations(domain, size):
            yield [Property(n, domain[n][0]) for n in names]
            yield [Property(n, domain[n][-1]) for n in names]
            yield [Property(n, rng.choice(domain[n])) for n in names]
    values = [Property(n, v) for n, options in domain.items() for v in options]
    yield from ([p, q] for p, q in combinations(values, 2) if p.name != q.name)


@pytest.mark.parametrize("domain", [FURNITURE, PEOPLE], ids=["furniture", "people"])
@pytest.mark.parametrize("name", REALISERS)
def test_every_attribute_combination_is_worded_without_doubled_words(name: str, domain: dict[str, list[str]]) -> None:
    realiser, where = REALISERS[name], view()
    for properties in _combinations(domain):
        text = realiser.realise(properties, where)
        words = re.findall(r"[\w-]+", text)
        assert words[0] in ("the", "o", "a")
        assert not any(a == b for a, b in pairwise(words)), text
        assert re.fullmatch(r"[\w\s,-]+", text), text
        assert not re.search(r"[\d{}_:]|, (?:and|e)\b|\b(?:with|com|the|a|of|de) (?:and|e|of|de|with|com)\b", text), (
            text
        )
        assert words[-1] not in ("with", "wearing", "and", "the", "com", "de", "e", "para")


@pytest.mark.parametrize("domain", [FURNITURE, PEOPLE], ids=["furniture", "people"])
@pytest.mark.parametrize("realise", [Plain().realise, FixedWords().realise], ids=["plain", "converter"])
def test_descriptions_that_differ_in_a_value_differ_in_words(
    realise: Callable[..., str], domain: dict[str, list[str]]
) -> None:
    for name, values in domain.items():
        if name != "type":
            for base in (["type"], [n for n in domain if n != name]):
                rest = [Property(n, domain[n][-1]) for n in base]
                texts = [realise([*rest, Property(name, value)], view()) for value in values]
                assert len(set(texts)) == len(values)


def _english(written: str) -> str:
    return say(Plain(), written)


def test_english_reads_like_english() -> None:
    assert _english("type:chair colour:red size:large") == "the large red chair"
    assert _english("colour:blue orientation:back") == "the blue one facing away"
    assert _english("hasGlasses:1 type:person hasBeard:1") == "the person with a beard and glasses"
    assert _english("type:person hasBeard:1 hasGlasses:0 hasTie:1 hasSuit:1") == (
        "the person with a beard and no glasses wearing a suit and a tie"
    )
    assert _english("type:person hasBeard:1 hasGlasses:1 hasHair:1 hairColour:dark age:old") == (
        "the old person with dark hair, a beard and glasses"
    )
    assert _english("type:fan x-dimension:1 y-dimension:3") == "the fan on the far left of the bottom row"


def test_nobody_is_bald_and_dark_haired_at_once() -> None:
    assert _english("type:person hasHair:0") == "the bald person"
    assert _english("type:person hasHair:0 hairColour:dark") == "the balding dark-haired person"
    assert _english("type:person hasHair:0 hairColour:light hasBeard:1") == "the bald person with a light beard"


def test_the_converter_words_each_attribute_the_same_whatever_stands_beside_it() -> None:
    """The full example on record is "the light-haired person with a beard" (facts about the organisers' realiser)."""
    assert say(FixedWords(), "hasBeard:1 type:person hairColour:light") == "the light-haired person with a beard"
    alone = say(FixedWords(), "hasTie:0").removeprefix("the one ")
    assert alone in say(FixedWords(), "type:person hasTie:0 hasBeard:1 x-dimension:1 y-dimension:2")
    assert say(FixedWords(BETTER_WORDS), "type:person hasGlasses:1") == "the man with glasses"


@pytest.mark.parametrize("realiser", REALISERS.values(), ids=list(REALISERS))
def test_what_no_table_knows_is_still_said(realiser: Plain) -> None:
    text = say(realiser, "type:lamp hasStripe:1 finish:shiny hasCord:0 voltage:30")
    assert all(word in text for word in ("lamp", "stripe", "shiny", "cord", "voltage", "30"))


@pytest.mark.parametrize("realiser", REALISERS.values(), ids=list(REALISERS))
def test_values_that_name_nothing_are_left_out(realiser: Plain) -> None:
    assert say(realiser, "type:chair x-dimension:unknown other:other") == say(realiser, "type:chair")


def test_landmarks_are_noun_phrases_of_their_own() -> None:
    written = (
        "type:ball left-of:b2 landmark.colour:red landmark.type:cube landmark.on-top-of:b3 landmark.landmark.type:box"
    )
    assert _english(written) == "the ball to the left of the red cube on top of the box"


def _portuguese(written: str) -> str:
    return say(Plain(PORTUGUESE), written)


def test_portuguese_adjectives_follow_the_noun_and_agree_with_it() -> None:
    assert _portuguese("type:chair colour:red size:small") == "a cadeira pequena vermelha"
    assert _portuguese("type:sofa colour:red size:small") == "o sofá pequeno vermelho"
    assert _portuguese("gender:female race:black") == "a mulher negra"
    assert _portuguese("gender:male race:black isyoung:yes") == "o homem jovem negro"


def test_portuguese_prepositions_melt_with_the_article() -> None:
    written = (
        "type:cone in-front-of:w landmark.type:sphere landmark.colour:red landmark.near:v landmark.landmark.type:cube"
    )
    assert _portuguese(written) == "o cone na frente da esfera vermelha perto do cubo"


def test_portuguese_says_everything_about_the_hair_at_once() -> None:
    said = "gender:female hair.colour:dark smile:yes hair.length:short hair.style:curly facial.hair:no nose:other"
    assert _portuguese(said) == "a mulher sorrindo com cabelo curto, encaracolado e escuro sem barba"


def test_a_language_is_an_object_so_a_new_one_needs_no_new_code() -> None:
    from referee.realisation.language import AFTER, Language, Noun, Phrase

    def phrases(table: dict[str, str]) -> dict[frozenset[Property], tuple[Phrase, ...]]:
        return {frozenset(props(key)): (Phrase(AFTER, i, text),) for i, (key, text) in enumerate(table.items())}

    french = Language(
        code="fr",
        articles={"m": "le", "f": "la"},
        default=Noun("objet", "m"),
        nouns={Property("type", "chair"): Noun("chaise", "f")},
        phrases=phrases({"colour:green": "vert{m:|f:e}", "hasArms:1": "avec accoudoirs"}),
    )
    assert say(Plain(french), "hasArms:1 type:chair colour:green") == "la chaise verte avec accoudoirs"
    assert str(french) == "fr"


@pytest.mark.data
def test_all_faces_of_b5_can_be_worded_in_portuguese(data_folder: object) -> None:
    """Every property set of the corpus gives a string that begins with article and noun; words of people and ours overlap."""
    from referee import catalogue

    trials = list(catalogue.create("corpus", "b5-ref", data=data_folder).trials())
    plain = Plain(PORTUGUESE)
    texts = [plain.realise(t.references[0].properties or (), t.for_speaker()) for t in trials]
    assert all(re.match(r"(?:o homem|a mulher|a pessoa)\b", text) for text in texts)
    said = [_words(t.references[0].text) for t in trials]
    assert _shared(texts, said) > 0.45 > _shared(texts, said[3:] + said[:3])


def _shared(texts: Sequence[str], said: Sequence[Sequence[str]]) -> float:
    """The mean share of our words that are also in what was said."""
    pairs = [(set(_words(text)), set(words)) for text, words in zip(texts, said, strict=True)]
    return sum(len(a & b) / len(a) for a, b in pairs) / len(pairs)


def _words(text: str | None) -> Sequence[str]:
    return re.findall(r"\w+", (text or "").lower())


def test_the_open_track_says_tuna_in_portuguese() -> None:
    from referee.systems import variants
    from referee.systems.variants import TABLE

    realiser = TABLE["USP-EACH-FREQ.portuguese"].realiser
    assert realiser is not None
    assert say(realiser.make(), "type:chair colour:red size:small") == "a cadeira pequena vermelha"
    assert variants.system("USP-EACH-FREQ.portuguese").realiser.__class__ is Plain, "mending knows English only"


def test_german_adjectives_agree_and_landmarks_stand_in_the_dative() -> None:
    from referee.realisation.german import GERMAN

    assert say(Plain(GERMAN), "type:button colour:red") == "der rote Knopf"
    assert say(Plain(GERMAN), "type:door colour:blue size:large") == "die große blaue Tür"
    written = "type:button colour:red left-of:x landmark.type:lamp landmark.colour:green"
    assert say(Plain(GERMAN), written) == "der rote Knopf links von der grünen Lampe"
