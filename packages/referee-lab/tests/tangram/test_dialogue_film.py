"""A film drawn from events: a held piece is lifted, a turned one turns, and what leads up to the clip is its first state."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.records import Event
from referee_lab.tangram.game.dialogue_film import LIFT, make_dialogue_film, number_pieces
from referee_lab.tangram.game.piece_sets import PIECES
from referee_lab.tangram.tiers.dialogue import (
    ACTION,
    EXPRESSION,
    MOUSE,
    OPERATOR,
    POSITION,
    SOLVER,
    UTTERANCE,
    Dialogue,
)


def hand(start: float, end: float, piece: str) -> Event:
    return Event(kind=MOUSE, by=OPERATOR, entities=(piece,), start_ms=start, end_ms=end)


DIALOGUE = Dialogue(
    id="d",
    pair="p",
    pieces={"F": {"shape": "F", "colour": "grey"}, "I": {"shape": "I", "colour": "blue", "shade": "dark"}},
    language="de",
    events=(
        hand(1000, 5000, "F"),
        Event(kind=ACTION, by=OPERATOR, entities=("F",), start_ms=1500, end_ms=2000, data={"action": "rotate"}),
        Event(kind=UTTERANCE, by=SOLVER, text="das da", start_ms=2500, end_ms=3000),
        Event(kind=EXPRESSION, by=SOLVER, text="das da", entities=("F",), start_ms=2500, end_ms=3000),
        hand(3000, 4000, "F"),
        Event(kind=UTTERANCE, by=SOLVER, text="und jetzt", start_ms=6000, end_ms=6500),
    ),
)


def test_a_clip_begins_with_what_led_up_to_it_and_ends_before_what_it_leads_to() -> None:
    film = make_dialogue_film(DIALOGUE, 2200.0, 6000.0)
    plain = make_dialogue_film(DIALOGUE, 0.0, 6000.0)
    start, before = film["state"]["pieces"]["F"], plain["state"]["pieces"]["F"]
    assert (start["rotation"], before["y"] - start["y"]) == (90, LIFT)
    assert [line["text"] for line in film["said"]] == ["das da"]
    # The second hand comes and goes; the piece is put down when the first one lets go.
    heights = [(mark[0], mark[3]) for mark in film["marks"] if isinstance(mark[1], str)]
    assert heights == [(3000, start["y"]), (4000, start["y"]), (5000, before["y"])]
    drawn = film["state"]["own"]
    assert {piece: (look["name"], len(look["corners"])) for piece, look in drawn.items()} == {
        "F": ("grey F", 10),
        "I": ("dark blue I", 4),
    }


def test_pieces_get_numbers_for_letters_that_speakers_use_otherwise() -> None:
    found = number_pieces(DIALOGUE)
    assert list(found.pieces) == ["1", "2"]
    assert {p for e in found.events for p in e.entities} == {"1"}
    assert make_dialogue_film(found, 0.0, 6000.0)["state"]["order"] == ["1", "2"]


def test_every_piece_is_drawn_whatever_it_is_called() -> None:
    kinds = {"p1": {"shape": "boat", "rgb": "255,0,16", "size": "small"}, "p2": {"shape": "teapot"}, "6": PIECES["6"]}
    chosen = Event(kind=ACTION, by=OPERATOR, entities=("p2",), start_ms=400, end_ms=400, data={"action": "select"})
    film = make_dialogue_film(Dialogue(id="d", pair="p", pieces=kinds, events=(chosen,)), 0.0, 1000.0)
    drawn = film["state"]["own"]
    # The outline of the boat has nine corners (KTH: nine edges), an unknown shape is a square, and the Tangram's pieces are known by number.
    assert (drawn["p1"]["colour"], len(drawn["p1"]["corners"]), len(drawn["p2"]["corners"])) == ("#ff0010", 9, 4)
    assert "6" not in drawn
    assert {piece: own.get("caption") for piece, own in drawn.items()} == {"p1": None, "p2": "teapot"}
    # Without hands the arrow goes to what was selected.
    assert next(mark for mark in film["marks"] if len(mark) == 3)[0] == 400


def test_pieces_lie_and_move_where_positions_put_them() -> None:
    kinds = {"a": {"shape": "cup"}, "b": {"shape": "pan"}}

    def put(piece: str, t_ms: float, x: float, y: float) -> Event:
        return Event(kind=POSITION, entities=(piece,), start_ms=t_ms, data={"x": x, "y": y})

    events = (put("a", 0, 0, 0), put("b", 0, 10, 0), put("a", 2000, 10, 5))
    film = make_dialogue_film(Dialogue(id="d", pair="p", pieces=kinds, events=events), 1000.0, 3000.0)
    # Ten units become the width of 1,200 less two margins of 80, and five of them half of that: 520 about the middle, 400.
    assert [(place["x"], place["y"]) for place in film["state"]["pieces"].values()] == [(80, 140), (1120, 140)]
    assert film["marks"] == [[2000, "a", 1120, 660, 0, False]]
    # One piece without a position: rows, for its place among the others is not known.
    rows = make_dialogue_film(Dialogue(id="d", pair="p", pieces=kinds, events=events[:1]), 0.0, 3000.0)
    assert len({place["y"] for place in rows["state"]["pieces"].values()}) == 1


# The published numbers of items: 20 true positives, 20 false negatives, 36 false positives.
@pytest.mark.data
@pytest.mark.long
def test_the_published_material_can_be_had_from_pentocv(data_folder: Path) -> None:
    from referee_lab.tangram.desk.clip_study import ClipStudyOptions, prepare_overhearing
    from referee_lab.tangram.game.dialogue_sessions import DialogueSession
    from referee_lab.tangram.tiers.pento_dialogues import read_pento_dialogues

    wanted = ClipStudyOptions(id="overheard", by="pair")
    prepared = prepare_overhearing(
        [DialogueSession(None, number_pieces(d)) for d in read_pento_dialogues(data_folder)], wanted
    )
    (note,) = prepared.notes
    assert note.startswith("a decision value above -0.")
    assert [len(one.trials) for one in prepared.draft.layout.lists] == [76, 76]
