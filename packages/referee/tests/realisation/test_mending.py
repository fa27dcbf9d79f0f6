"""Broken strings become noun phrases, and good ones stay as they are."""

from __future__ import annotations

import pytest
from annotated import props, say, tell

from referee.errors import NotTrained
from referee.realisation.english import ENGLISH
from referee.realisation.portuguese import PORTUGUESE
from referee.realisation.repairs import Mended, Mender
from referee.realisation.templates import RankedTemplates

HEARD = [
    tell("the [red|colour:red] [couch|type:sofa] [in the middle|x-dimension:3]"),
    tell("the [big|size:large] [grey|colour:grey] [chair|type:chair] [facing right|orientation:right]"),
    tell("the [top|y-dimension:1] [left|x-dimension:1] [desk|type:desk]"),
    tell("the [desk|type:desk] [next to the grey chair|x-dimension:2]"),
    tell("[chair|type:chair] [in the middle row|y-dimension:2] [right|x-dimension:5]"),
    tell(
        "the [man|type:person] with [glasses|hasGlasses:1] and [a white beard|hasBeard:1 hairColour:light]",
        domain="people",
    ),
    tell("[old|age:old] [guy|type:person] with [bushy hair|hasHair:1] [at the bottom|y-dimension:3]", domain="people"),
    tell("[guy|type:person] turned to the right [of the screen|orientation:right]", domain="people"),
]


@pytest.fixture(scope="module")
def mender() -> Mender:
    from referee.realisation.annotation import read_examples

    return Mender.learn(read_examples(HEARD), ENGLISH)


@pytest.mark.parametrize(
    ("said", "mended"),
    [
        ("the in the middle left grey chair", "the left grey chair in the middle"),
        ("in the middle row chair", "chair in the middle row"),
        ("the man on an at the bottom", "the man at the bottom"),
        ("red couch in at the bottom", "red couch at the bottom"),
        ("man in the middle in the middle row", "man in the middle of the middle row"),
        ("man middle in the middle row", "man in the middle of the middle row"),
        ("couch in the middle in the middle", "couch in the middle"),
        ("red couch in the middle red", "red couch in the middle"),
        ("the red couch right of right", "the red couch right"),
        ("the the red couch", "the red couch"),
        ("the a red couch", "the red couch"),
        ("chair big", "big chair"),
        ("the red chair at the bottom and is big", "the big red chair at the bottom"),
        ("big red facing right", "the big red one facing right"),
        ("glasses white beard", "the one with glasses and white beard"),
        ("a white beard", "the one with a white beard"),
        ("the with glasses", "the one with glasses"),
        ("the", "the one"),
        ("middle row left", "the one in the middle row left"),
        ("man glasses bushy hair", "man with glasses and bushy hair"),
        ("bushy hair old man", "old man with bushy hair"),
        ("old man he is facing right", "old man facing right"),
        ("is facing right of the screen man with glasses", "man facing right of the screen with glasses"),
        ("is facing right hand side man with glasses", "man facing right hand side with glasses"),
        ("a old man with glasses and is he is facing right", "an old man with glasses facing right"),
        ("grey chair the left side of", "grey chair the left side"),
    ],
)
def test_what_is_broken_is_mended(mender: Mender, said: str, mended: str) -> None:
    assert mender.correct_text(said, ()) == mended


@pytest.mark.parametrize(
    "said",
    [
        "The red couch, in the middle.",
        "the man with glasses, a white beard and bushy hair",
        "the front of a grey chair",
        "red couch in the middle row in the middle",
        "the photo of the man with glasses",
        "the grey chair left of the red one",
        "the couch in the middle is surrounded by a red border",
        "chair",
        "the red couch next to the grey chair",
        "the grey chair top left",
    ],
)
def test_what_is_whole_stays_as_it_is_to_the_letter(mender: Mender, said: str) -> None:
    assert mender.correct_text(said, ()) == said


def test_the_missing_noun_is_the_usual_one_for_the_type(mender: Mender) -> None:
    assert mender.correct_text("big red", props("type:sofa colour:red size:large")) == "the big red couch"
    assert mender.correct_text("big red", props("type:lamp")) == "the big red lamp"


def test_silence_is_filled_with_plain_words() -> None:
    templates = RankedTemplates().fit(HEARD)
    assert say(templates, "type:chair size:large") == ""
    assert say(Mended(RankedTemplates()).fit(HEARD), "type:chair size:large") == "the large chair"
    assert say(Mended(RankedTemplates(), PORTUGUESE).fit([]), "type:chair size:large") == "a cadeira grande"


def test_mending_needs_the_realisers_training() -> None:
    with pytest.raises(NotTrained):
        say(Mended(RankedTemplates()), "type:chair")


def test_words_that_only_the_language_knows_are_taken_as_they_are(mender: Mender) -> None:
    """A type and a colour of hair that nobody mentioned in training."""
    assert mender.correct_text("the on the left lamp", props("type:lamp hpos:left")) == "the lamp on the left"
    assert (
        mender.correct_text("man with blonde hair", props("type:person hair.colour:blonde")) == "man with blonde hair"
    )
