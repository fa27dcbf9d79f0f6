"""Words read back into a meaning: what the language says it also reads, and nothing is read in favour of what was meant."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from referee.jobs.describe import describe, make_view
from referee.jobs.words_heard import phrase_plainly
from referee.meaning import parse
from referee.realisation.english import ENGLISH
from referee.realisation.german import GERMAN
from referee.realisation.portuguese import PORTUGUESE
from referee.realisation.reading_back import ReadBack
from referee.realisation.wording import Wording, language_of

SHELF = {
    "entities": [
        {
            "id": "a",
            "attributes": {"type": "cup", "colour": "red", "size": 10},
            "relations": [["on", "t"], ["standing on", "t"]],
        },
        {
            "id": "b",
            "attributes": {"type": "cup", "colour": "blue", "size": 20},
            "relations": [["in", "x"], ["near", "x"]],
        },
        {"id": "c", "attributes": {"type": "cup", "colour": "red", "size": 30, "umbrella": "yes"}},
        {"id": "t", "attributes": {"type": "table"}},
        {"id": "x", "attributes": {"type": "box", "lid": "none"}},
    ]
}


@pytest.mark.parametrize(
    ("text", "form", "unread"),
    [
        ("the red cup on the table", ["and", ["colour", "red"], ["type", "cup"], ["rel", "on", ["type", "table"]]], ()),
        ("the box with the blue cup in it", ["and", ["type", "box"], ["inv", "in", ["and", ["colour", "blue"], ["type", "cup"]]]], ()),
        ("the two largest cups", ["and", ["most", "size", 2], ["type", "cup"]], ()),
        ("the second largest cup", ["and", ["nth", "size", 2, "right"], ["type", "cup"]], ()),
        ("the cup that is not red", ["and", ["type", "cup"], ["not", ["colour", "red"]]], ()),
        ("the cups that are blue or larger than 20", ["and", ["type", "cup"], ["or", ["colour", "blue"], [">", "size", 20]]], ()),
        ("the two red cups and the box", ["parts", [2, ["and", ["colour", "red"], ["type", "cup"]]], [1, ["type", "box"]]], ()),
        ("the box without a lid", ["and", ["type", "box"], ["lid", "none"]], ()),
        ("the red cup, the blue cup and the box",
         ["parts", [1, ["and", ["colour", "red"], ["type", "cup"]]], [1, ["and", ["colour", "blue"], ["type", "cup"]]], [1, ["type", "box"]]], ()),
        ("the cup, the red one on the table", ["and", ["type", "cup"], ["colour", "red"], ["rel", "on", ["type", "table"]]], ()),
        ("the table that the red cup is standing on", ["and", ["type", "table"], ["inv", "standing on", ["and", ["colour", "red"], ["type", "cup"]]]], ()),
        ("the table with the cup near the box on it",
         ["and", ["type", "table"], ["inv", "on", ["and", ["type", "cup"], ["rel", "near", ["type", "box"]]]]], ()),
        ("the box that is a box or red", ["and", ["type", "box"], ["or", ["type", "box"], ["colour", "red"]]], ()),
        ("the cup with an umbrella", ["and", ["type", "cup"], ["umbrella", "yes"]], ()),
        ("the lovely red cup", ["and", ["colour", "red"], ["type", "cup"]], ("lovely",)),
    ],
)  # fmt: skip
def test_forms_of_words(text: str, form: list, unread: tuple[str, ...]) -> None:
    reading = ReadBack(ENGLISH).read(text, make_view(SHELF, "a").scene)
    assert (reading.meaning, reading.unread) == (parse(form), unread)


def test_a_word_with_two_readings_is_not_read_in_favour_of_the_target() -> None:
    """ "left" may be where a thing is, or where it faces."""
    things = [
        {"id": "a", "attributes": {"type": "fan", "orientation": "left", "x-dimension": 4}},
        {"id": "b", "attributes": {"type": "fan", "orientation": "back", "x-dimension": 2}},
        {"id": "c", "attributes": {"type": "fan", "orientation": "back", "x-dimension": 5}},
    ]
    scene = make_view({"entities": things}, "a").scene
    assert scene.denotation(ReadBack(ENGLISH).read("the left fan", scene).meaning) == scene.mask("ab")


def test_words_that_are_true_of_other_values_are_read_so() -> None:
    columns = [{"id": i, "attributes": {"type": "chair", "x-dimension": x, "basket": b}} for i, x, b in
               (("a", 1, "yes"), ("b", 2, "wicker"), ("c", 4, "none"))]  # fmt: skip
    scene = make_view({"entities": columns}, "a").scene
    reader = ReadBack(ENGLISH)
    for text, ids in (
        ("the chair on the left", "ab"),
        ("the chair on the far left", "a"),
        ("the chair with a basket", "ab"),
    ):
        assert scene.denotation(reader.read(text, scene).meaning) == scene.mask(ids), text


@pytest.mark.parametrize("system", ["classic/relational", "classic/gradable", "classic/boolean"])
def test_what_is_said_is_read_as_it_was_meant(system: str) -> None:
    rng, reader, values = (
        Random(system),
        ReadBack(ENGLISH),
        {"colour": ("red", "blue"), "lid": ("none", "round"), "size": (1.5, 2, 3)},
    )
    for number in range(40):
        ids = "abcde"[: rng.randint(3, 5)]
        entities = [
            {
                "id": i,
                "attributes": {"type": rng.choice(("cup", "box")), **{n: rng.choice(v) for n, v in values.items()}},
                "relations": [["near", o] for o in ids if o != i and number % 2 and rng.random() < 0.2],
            }
            for i in ids
        ]
        targets = rng.sample(ids, rng.randint(1, 3))
        described = describe({"entities": entities}, targets, system)
        view = make_view({"entities": entities}, targets)
        heard, text = phrase_plainly(view, described.description)
        reading = reader.read(text, view.scene)
        assert (view.scene.denotation(reading.meaning), reading.unread) == (heard.denotes, ()), text


CUP, PLATE, TABLE, NOT_BLUE = ["type", "cup"], ["type", "plate"], ["type", "table"], ["not", ["colour", "blue"]]
TABLES = {
    "entities": [
        {"id": "a", "attributes": {"type": "cup", "colour": "red"}, "relations": [["near", "p"], ["on", "t"]]},
        {"id": "b", "attributes": {"type": "cup", "colour": "blue"}, "relations": [["near", "q"], ["on", "t"]]},
        {"id": "p", "attributes": {"type": "plate", "colour": "white"}, "relations": [["on", "u"]]},
        {"id": "q", "attributes": {"type": "plate", "colour": "blue"}},
        {"id": "t", "attributes": {"type": "table", "colour": "black"}},
        {"id": "u", "attributes": {"type": "table", "colour": "white"}},
        {"id": "o", "attributes": {"type": "bowl", "colour": "white"}, "relations": [["in", "t"]]},
    ]
}


@pytest.mark.parametrize("language", [ENGLISH, GERMAN, PORTUGUESE], ids=str)
@pytest.mark.parametrize(
    "form",
    [
        ["and", CUP, NOT_BLUE, ["rel", "near", PLATE]],
        ["and", CUP, ["rel", "near", ["and", PLATE, NOT_BLUE]], ["rel", "on", TABLE]],
        ["and", CUP, ["rel", "near", ["and", PLATE, ["rel", "on", TABLE]]], ["rel", "on", ["colour", "black"]]],
        ["and", CUP, NOT_BLUE, ["rel", "near", PLATE], ["rel", "on", TABLE]],
        ["and", CUP, ["not", ["rel", "near", ["colour", "white"]]], ["rel", "on", TABLE]],
        ["and", CUP, ["or", ["colour", "blue"], ["rel", "on", ["colour", "white"]]], ["rel", "near", PLATE]],
        ["and", PLATE, NOT_BLUE, ["inv", "near", CUP]],
        ["parts", [1, ["and", CUP, ["colour", "red"], ["rel", "near", PLATE]]], [1, ["type", "bowl"]]],
    ],
    ids=str,
)
def test_words_with_landmarks_and_clauses_are_read_as_they_are_meant(language, form: list) -> None:
    """A clause or landmark is never said where it could belong to another landmark."""
    scene = make_view(TABLES, "a").scene
    meant = parse(form)
    worded = Wording(language, scene).phrase(["a", "o"] if form[0] == "parts" else ["a"], meant, where=False)
    assert worded.dropped == ()
    reading = ReadBack(language).read(worded.text, scene)
    assert (scene.denotation(reading.meaning), reading.unread) == (scene.denotation(meant), ()), worded.text


@pytest.mark.parametrize("language", ["en", "de", "pt"])
@given(st.data())
@settings(max_examples=8, deadline=None)
def test_frames_for_unknown_words_are_read_back(language: str, data: st.DataObject) -> None:
    """Attributes and values of any letters, alone, denied, and as alternatives, come back with the same meaning."""
    word = st.text("bdfgklmprtvz", min_size=1, max_size=3).map(lambda w: "".join(f"{c}u" for c in w) + "k")
    names = data.draw(
        st.lists(word.map("{}Tray".format) | word.map("{}Glow".format), min_size=2, max_size=2, unique=True)
    )
    values = data.draw(
        st.lists(word | st.sampled_from(["yes", "no", "none", "7 gru"]), min_size=4, max_size=6, unique=True)
    )
    # "Bubuk" ends like "buk buk", which is said once.
    assume(not any(name.lower()[:-4].endswith(value) for name in names for value in values))
    rows = [{name: data.draw(st.sampled_from(values)) for name in names} for _ in range(3)]
    entities = [{"id": i, "attributes": row} for i, row in zip("abc", rows, strict=True)]
    view = make_view({"language": language, "entities": entities}, ["a"])
    first, other = ((name, rows[0][name]) for name in names)
    form = data.draw(st.sampled_from([first, ("not", first), ("or", first, other), ("and", first, ("not", other))]))
    members = [entity.id for entity in view.scene.members(view.scene.denotation(form))]
    assume(members)
    worded = Wording(language_of(view), view.scene).phrase(members, form, where=False)
    assume(not worded.dropped)
    read = ReadBack(language_of(view)).read(worded.text, view.scene)
    assert read.unread == ()
    assert view.scene.denotation(read.meaning) == view.scene.denotation(worded.meaning), worded.text
