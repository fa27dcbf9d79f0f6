"""Whatever a system with words says about TUNA can be read: no silence, nothing doubled, no stranded article or preposition, and a noun.

The checks are written anew here and share nothing with the mending they examine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, pairwise
from random import Random

import pytest

from referee.corpora.splits import split_trials
from referee.corpora.synthetic.corpus import Synthetic
from referee.records import Entity, Property, Scene, SpeakerView, Trial
from referee.systems import tuna2008_r, tuna2008_reg, tunareg2009

ARTICLES = {"the", "a", "an"}
PREPOSITIONS = {"in", "on", "at", "to", "of", "with", "without", "from"}
CANNOT_FOLLOW_AN_ARTICLE = PREPOSITIONS | ARTICLES | {"and", "who", "is", "facing", "wearing"}
DOMAINS = {
    "furniture": {
        "type": ("chair", "desk", "fan", "sofa"),
        "colour": ("blue", "green", "grey", "red"),
        "size": ("large", "small"),
        "orientation": ("back", "front", "left", "right"),
        "x-dimension": ("1", "2", "3", "4", "5"),
        "y-dimension": ("1", "2", "3"),
    },
    "people": {
        "type": ("person",),
        "age": ("old", "young"),
        "hairColour": ("dark", "light"),
        "hasHair": ("0", "1"),
        "hasBeard": ("0", "1"),
        "hasGlasses": ("0", "1"),
        "hasShirt": ("0", "1"),
        "hasTie": ("0", "1"),
        "hasSuit": ("0", "1"),
        "orientation": ("front", "left", "right"),
        "x-dimension": ("1", "2", "3", "4", "5"),
        "y-dimension": ("1", "2", "3"),
    },
}


def faults(text: str, nouns: set[str]) -> list[str]:
    words = re.findall(r"\w+(?:['’-]\w+)*", text.lower())
    pairs = list(pairwise(words))
    stretches = [
        (words[i : i + n], words[i + n : i + 2 * n]) for n in range(1, 7) for i in range(len(words) - 2 * n + 1)
    ]
    found = {
        "silence": not words,
        "doubled": any(one == other for one, other in stretches),
        "stranded article": any(a in ARTICLES and b in CANNOT_FOLLOW_AN_ARTICLE for a, b in pairs) or words[-1:] in [[a] for a in ARTICLES],
        "two prepositions": any(a in PREPOSITIONS and b in PREPOSITIONS for a, b in pairs),
        "opens like a phrase": bool(words) and words[0] in CANNOT_FOLLOW_AN_ARTICLE - ARTICLES,
        "no noun": not nouns & set(words),
    }  # fmt: skip
    return [name for name, wrong in found.items() if wrong]


def nouns_of(trials: list[Trial]) -> set[str]:
    """Every word that somebody used for the type, and those that fit anything."""
    said = (
        span for t in trials for r in t.references for span in r.spans if any(p.name == "type" for p in span.properties)
    )
    return {word for span in said for word in span.text.lower().split()} | {"one", "person", "man", "figure", "image", "picture", "photo"}  # fmt: skip


def spoken(module: object, name: str, train: list[Trial], test: list[Trial]) -> Iterator[str]:
    system = module.system(name).fit(train)  # type: ignore[attr-defined]
    for trial in test:
        view = trial.for_speaker()
        if hasattr(system, "describe"):
            yield system.describe(view).text
        else:
            yield system.realise(trial.references[0].properties, view)


def combined(names: tuple[str, ...], domain: str, rng: Random) -> tuple[tuple[Property, ...], SpeakerView]:
    chosen = tuple(Property(name, rng.choice(DOMAINS[domain][name])) for name in names)
    scene = Scene(entities=(Entity(id="t", attributes=chosen), Entity(id="d")))
    return chosen, SpeakerView(id="v", scene=scene, targets=("t",), domain=domain, speaker="nobody")


def attribute_combinations(rng: Random, most: int = 40) -> Iterator[tuple[str, tuple[str, ...]]]:
    """All combinations of furniture's attributes, and of each size of people's as many as can be tried."""
    for domain, table in DOMAINS.items():
        for size in range(1, len(table) + 1):
            found = list(combinations(table, size))
            yield from ((domain, names) for names in rng.sample(found, min(most, len(found))))


SYSTEMS = [(module, name) for module in (tuna2008_r, tuna2008_reg, tunareg2009) for name in module.TABLE]
SLOW_WITH_MANY = {"ATT-Dependency", "ATT-PermuteRank"}


def quick(module: object, name: str) -> bool:
    """Every realiser that is soon trained speaks in `make test`; systems that put one behind a choice of properties, in `make test-all`."""
    return module is tuna2008_r and name not in SLOW_WITH_MANY


SPEAKERS = [
    pytest.param(m, n, marks=[] if quick(m, n) else [pytest.mark.long], id=f"{m.__name__.rpartition('.')[2]}-{n}")
    for m, n in SYSTEMS
]


@pytest.mark.data
@pytest.mark.parametrize(("module", "name"), SPEAKERS)
def test_what_is_said_about_tuna_can_be_read(module: object, name: str, trials: list[Trial]) -> None:
    train, test = split_trials(trials, "challenge-80/20")
    nouns = nouns_of(trials)
    broken = [(text, wrong) for text in spoken(module, name, train, test) if (wrong := faults(text, nouns))]
    assert broken == []


@pytest.mark.parametrize("name", tuna2008_r.TABLE)
def test_every_combination_of_tunas_attributes_can_be_read(name: str) -> None:
    """Trained on the shipped corpus, which has TUNA's attributes."""
    train, rng = list(Synthetic(speakers=20).trials()), Random(name)
    realiser = tuna2008_r.realiser(name).fit(train)
    broken = []
    for domain, names in attribute_combinations(rng, most=8 if name in SLOW_WITH_MANY else 40):
        properties, view = combined(names, domain, rng)
        text = realiser.realise(properties, view)
        broken += [(text, wrong) for wrong in faults(text, nouns_of(train))]
    assert broken == []


def test_without_mending_an_entry_speaks_as_its_algorithm_does() -> None:
    """ATT-Template of 2008 says nothing where it has no template, and strings without a noun stay so."""
    train = list(Synthetic(speakers=4).trials())
    properties, view = combined(("hasTie", "hasSuit"), "people", Random(1))
    assert tuna2008_r.realiser("ATT-Template", mended=False).fit(train).realise(properties, view) == ""
    assert "one" in tuna2008_r.realiser("ATT-Template").fit(train).realise(properties, view)
