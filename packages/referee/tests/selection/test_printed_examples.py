"""Examples that the papers print, from the scenes that they describe."""

from __future__ import annotations

from dataclasses import replace

import pytest
from contexts import scene

from referee.jobs.describe import describe
from referee.records import Taxonomy

# van Deemter 2002, section 4: five dogs, two of them poodles; three are black and two white.
FIVE_DOGS = replace(
    scene(
        a="type:poodle colour:black",
        b="type:poodle colour:black",
        c="type:dog colour:black",
        d="type:dog colour:white",
        e="type:dog colour:white",
    ),
    taxonomy=Taxonomy.of({"type": {"poodle": "dog"}}),
)
# Dale & Haddock 1991, section 4: three cups, two bowls, a table and a floor.
CUPS_AND_BOWLS = scene(
    c1="type:cup >in:b1",
    c2="type:cup >in:b2",
    c3="type:cup >on:f1",
    b1="type:bowl >on:f1",
    b2="type:bowl >on:t1",
    t1="type:table >on:f1",
    f1="type:floor",
)
# After van Deemter 2006, section 4: mice of 6, 10, 12 and 14 cm.
MICE = scene(a="type:mouse size:6", b="type:mouse size:10", c="type:mouse size:12", d="type:mouse size:14")
# After Krahmer, van Erk & Verleg 2003, section 2: two alike dogs that only their doghouse tells apart.
DOGHOUSE = scene(
    d1="type:dog colour:brown >in:h1", d2="type:dog colour:brown >next-to:h1", h1="type:doghouse colour:white"
)


@pytest.mark.parametrize(
    ("targets", "form"),
    [
        ("c", ("and", ("colour", "black"), ("not", ("type", "poodle")))),
        ("cde", ("not", ("type", "poodle"))),
        ("abde", ("or", ("type", "poodle"), ("colour", "white"))),
        ("abc", ("colour", "black")),
    ],
)
def test_sets_of_dogs(targets: str, form: tuple) -> None:
    """ "black dogs that are not poodles", "dogs that are not poodles", "poodles and white dogs"; being a dog rules out nothing and is not said."""
    described = describe(FIVE_DOGS, list(targets), "classic/boolean")
    assert (described.meaning, described.distinguishing) == (form, True)


@pytest.mark.parametrize(
    ("where", "target", "system", "text"),
    [
        (CUPS_AND_BOWLS, "b2", "classic/relational", "the bowl on the table"),
        (CUPS_AND_BOWLS, "c2", "classic/relational", "the cup in the bowl on the table"),
        (CUPS_AND_BOWLS, "c1", "classic/relational", "the cup in the bowl on the floor"),
        (MICE, "d", "classic/gradable", "the largest mouse"),
        (MICE, "c d", "classic/gradable", "the two largest mice"),
        (MICE, "c", "classic/gradable", "the second largest mouse"),
        (MICE, "a b", "classic/gradable", "the two smallest mice"),
        (DOGHOUSE, "d1", "classic/graph|landmarks:1", "the dog in the doghouse"),
        (DOGHOUSE, "d2", "classic/graph|landmarks:1", "the dog next to the doghouse"),
    ],
)
def test_words(where, target: str, system: str, text: str) -> None:
    described = describe(where, target.split(), system, trials=[] if "graph" in system else None)
    assert (described.text, described.distinguishing) == (text, True)
