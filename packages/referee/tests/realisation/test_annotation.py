"""Annotated descriptions as pieces, and the phrase book learned from them."""

from __future__ import annotations

from math import log

import pytest
from annotated import props, tell

from referee.realisation.annotation import Piece, compute_dice, correct_spelling, normalise, read_examples
from referee.realisation.phrases import PhraseBook
from referee.records import Description, Span, Trial


def test_words_lose_case_and_punctuation_but_keep_hyphens() -> None:
    assert normalise("The Man, (with) the left - hand beard.") == ("the", "man", "with", "the", "left-hand", "beard")


def test_a_nested_stretch_is_one_piece_with_all_it_expresses() -> None:
    colour, beard = props("hairColour:light hasBeard:1")
    span = Span("with white beard", (beard,), (Span("with"), Span("white", (colour,)), Span("beard")))
    trial = tell("[man|type:person]")
    reference = Description(properties=(beard, colour), text="with white beard", spans=(span,))
    examples = read_examples([Trial(id="x", scene=trial.scene, targets=("t",), references=(reference,))])
    assert examples[0].pieces == (Piece(("with", "white", "beard"), frozenset((colour, beard))),)


def test_a_colour_marked_apart_from_the_beard_goes_with_it() -> None:
    pieces = read_examples([tell("the [white|hairColour:light] [bearded|hasBeard:1] [man|type:person]")])[0].pieces
    assert [p.words for p in pieces] == [("the",), ("white", "bearded"), ("man",)]


def test_a_slip_of_the_keyboard_is_corrected_but_a_word_of_its_own_is_not() -> None:
    counts = {
        "bottom": 40,
        "bootom": 1,
        "right": 50,
        "light": 2,
        "chair": 30,
        "chairs": 1,
        "cahir": 2,
        "larger": 12,
        "large": 9,
    }
    assert correct_spelling(counts) == {"bootom": "bottom", "cahir": "chair"}


def test_descriptions_without_words_or_properties_teach_nothing() -> None:
    trial = tell("[red|colour:red]")
    for reference in (Description(text="red"), Description(properties=props("colour:red"))):
        assert read_examples([Trial(id="x", scene=trial.scene, targets=("t",), references=(reference,))]) == []


def test_dice_of_two_empty_sets_is_one() -> None:
    assert compute_dice(frozenset(), frozenset()) == 1.0
    assert compute_dice(frozenset(props("a:1 b:1")), frozenset(props("a:1"))) == pytest.approx(2 / 3)


def _book() -> PhraseBook:
    marked = [
        "[man|type:person] [with a white beard|hasBeard:1 hairColour:light]",
        "[man|type:person] [with a white beard|hasBeard:1 hairColour:light]",
        "[guy|type:person] [with a beard|hasBeard:1]",
        "[man|type:person] [top|y-dimension:1] [left|x-dimension:1]",
        "[man|type:person] [top left|y-dimension:1 x-dimension:1]",
        "[man|type:person] [top|y-dimension:1] [left|x-dimension:1]",
    ]
    return PhraseBook(read_examples([tell(m, domain="people") for m in marked]))


def test_what_is_said_in_one_breath_more_often_than_apart_is_worded_together() -> None:
    together = _book().group_properties(props("type:person hairColour:light hasBeard:1"))
    assert together == [frozenset(props("type:person")), frozenset(props("hairColour:light hasBeard:1"))]
    apart = _book().group_properties(props("x-dimension:1 y-dimension:1"))  # one breath once, apart twice
    assert apart == [frozenset(props("x-dimension:1")), frozenset(props("y-dimension:1"))]


def test_options_carry_the_cost_of_their_frequency() -> None:
    """Five times "man", once "guy": costs -log(5/6) and -log(1/6)."""
    options = _book().options(frozenset(props("type:person")), most=5)
    assert [words for words, _ in options] == [("man",), ("guy",)]
    assert [cost for _, cost in options] == pytest.approx([-log(5 / 6), -log(1 / 6)])
    assert _book().choose_modal(frozenset(props("type:person"))) == ("man",)
    assert _book().choose_modal(frozenset(props("age:old"))) is None
