"""A reference game as a machine of states: who may choose what and when, what each person is told, and every way of leaving."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee import catalogue
from referee.errors import InputError
from referee_lab.rooms import reference_state
from referee_lab.rooms.any_room import RoomLine, is_bot, leave, number_lines
from referee_lab.rooms.reference_state import ReferenceRoom, act, join, pass_time, quit_room, replay_lines
from referee_lab.rooms.reference_store import collect_rounds
from referee_lab.rooms.reference_study import make_reference_study
from referee_lab.rooms.reference_views import build_reference_status, view_reference_line
from referee_lab.study.folder.study import read_protocol_settings

KIND = catalogue.create("protocol", "reference-game")
DEFAULTS = {name: p.default for name, p in KIND.info.parameters.items()}
LABELS = {f"e{n}": f"thing-{n}" for n in (2, 10, 1, 4)}
SAID = {"text": "the tall one", "typing_start_ms": 0.0, "typing_end_ms": 1.0, "keystrokes": 12}
PEOPLE = ("ann", "bob", "cem", "dee", "eli", "fay")


class Played:
    """A room with all its lines, numbered."""

    def __init__(self, seed: int = 0, people: int = 3, **changes: Any) -> None:
        chosen = {"group": people, "repetitions": 2, **changes}
        self.room = ReferenceRoom("r", {**DEFAULTS, **chosen, "labels": LABELS, "trial": "t"}, seed)
        self.lines: list[RoomLine] = []
        self.t = 1000.0
        for who in PEOPLE[: self.room.people]:
            self.do(join, who, f"P-{who}")

    def do(self, step: Any, *what: Any) -> list[str]:
        self.room, lines = step(self.room, *what, self.t)
        numbered = number_lines(lines, len(self.lines), self.t)
        self.lines += numbered
        self.t += 1000
        return [line.kind for line in lines]

    def say(self, who: str | None = None) -> list[str]:
        return self.do(act, who or self.room.speaker, "say", SAID)

    def choose(self, who: str, label: str | None = None, number: int | None = None) -> list[str]:
        data = {"object": label or self.room.target, "round": self.room.puzzle if number is None else number}
        return self.do(act, who, "choose", data)

    def listeners(self) -> list[str]:
        return [seat.actor for seat in self.room.listeners]

    def status(self, who: str) -> dict[str, Any]:
        return build_reference_status(self.room, who, self.t, 1, [], 0)

    def play_round(self) -> None:
        self.say()
        for who in self.listeners():
            self.choose(who)
        for seat in self.room.seats:
            if not seat.gone and not is_bot(seat.actor) and self.room.phase == "between":
                self.do(act, seat.actor, "ready", {})


def test_every_object_comes_round_once_in_each_repetition_and_everybody_has_an_order_of_their_own() -> None:
    game = Played(seed=4)
    rounds = reference_state.get_targets(game.room)
    assert Counter(rounds[:4]) == Counter(rounds[4:]) == Counter(list(LABELS))
    orders = [tuple(reference_state.get_display_order(game.room, n)) for n in range(3)]
    assert all(sorted(order) == sorted(LABELS) for order in orders)
    assert len(set(orders)) > 1
    (begun,) = (line for line in game.lines if line.kind == "round")
    assert [tuple(begun.data["orders"][str(n)]) for n in range(3)] == orders, "the orders are in the log"


def test_orders_stay_for_the_game_or_change_with_every_round() -> None:
    kept, changing = Played(seed=4), Played(seed=4, shuffle="round")
    first = {g: reference_state.get_display_order(g.room, 0) for g in (kept, changing)}
    for game in (kept, changing):
        game.play_round()
        assert game.room.puzzle == 1
    assert reference_state.get_display_order(kept.room, 0) == first[kept]
    assert reference_state.get_display_order(changing.room, 0) != first[changing]


def test_nobody_but_the_speaker_knows_what_is_meant_and_nobody_what_others_chose() -> None:
    game = Played()
    speaker, (one, two) = game.room.speaker, game.listeners()
    assert speaker is not None
    game.say()
    game.choose(one)
    assert game.status(speaker)["game"]["target"] == game.room.target
    for who in (one, two):
        assert game.status(who)["game"]["target"] is None
        assert game.status(who)["game"]["feedback"] is None
    assert game.status(one)["game"]["chosen"] == game.room.target
    assert game.status(two)["game"]["chosen"] is None
    assert [p["chosen"] for p in game.status(two)["partner"] if p["role"] == "listener"] == [True]
    told = [view_reference_line(game.room, line, two) for line in game.lines]
    assert {t["kind"] for t in told if t} == {"say"}, "rounds and choices reach no page as lines"
    assert all(t["data"] == {"text": "the tall one"} for t in told if t)


def test_a_choice_waits_for_words_counts_once_and_belongs_to_its_round() -> None:
    game = Played()
    one, two = game.listeners()
    assert game.choose(one) == ["late"], "the speaker has said nothing"
    game.say(one)
    assert game.choose(one) == ["late"], "and a listener's words open nothing"
    game.say()
    wrong = next(label for label in LABELS if label != game.room.target)
    assert game.choose(one, wrong) == ["choose"]
    assert game.choose(one) == ["late"], "a choice is locked once made"
    assert game.room.chosen == {one: wrong}
    assert game.choose(two) == ["choose", "feedback"]
    for who in PEOPLE[:3]:
        game.do(act, who, "ready", {})
    assert game.room.puzzle == 1
    game.say()
    assert game.choose(one, wrong, number=0) == ["late"], "what was sent again for the round before"
    assert game.room.chosen == {}
    assert game.room.right == {two: 1}


def test_the_speaker_does_not_choose_and_objects_are_those_of_the_scene() -> None:
    game = Played()
    game.say()
    with pytest.raises(ValueError, match="speaker"):
        game.choose(str(game.room.speaker))
    with pytest.raises(ValueError, match="no such object"):
        game.choose(game.listeners()[0], "e99")
    with pytest.raises(ValueError, match="grab"):
        game.do(act, game.listeners()[0], "grab", {"piece": "1"})


def test_who_does_not_choose_in_time_made_no_choice() -> None:
    game = Played(limit_seconds=60.0)
    one, two = game.listeners()
    game.say()
    game.choose(one)
    game.t = game.room.began_ms + 59_999
    assert game.do(pass_time) == []
    game.t = game.room.began_ms + 60_000
    assert game.do(pass_time) == ["feedback"]
    (done,) = collect_rounds(game.lines, {s.actor: s for s in game.room.seats}, LABELS)
    assert {(c.hearer, c.heard, c.right) for c in done.choices} == {
        (f"P-{one}", "entity", True),
        (f"P-{two}", "timeout", None),
    }
    assert (done.spoken, done.text, done.words) == ("said", "the tall one", 3)


def test_full_feedback_tells_all_and_own_feedback_only_whether_one_was_right() -> None:
    for feedback, known in (("full", 2), ("own", 1)):
        game = Played(feedback=feedback)
        one, two = game.listeners()
        game.say()
        game.choose(one)
        game.choose(two, next(label for label in LABELS if label != game.room.target))
        told = game.status(two)["game"]["feedback"]
        assert len(told["choices"]) == known
        assert (told["target"] is None) == (feedback == "own")
        assert [c["right"] for c in told["choices"] if c["seat"] == game.status(two)["seat"]] == [False]
        spoke = game.status(str(game.room.speaker))["game"]["feedback"]
        assert sorted(c["right"] for c in spoke["choices"]) == [False, True], "the speaker learns it of everybody"


@pytest.mark.parametrize(("speaker", "turns"), [("fixed", 1), ("repetition", 2), ("round", 3)])
def test_the_speaker_stays_or_changes_as_the_study_says(speaker: str, turns: int) -> None:
    game = Played(speaker=speaker)
    spoke = []
    while game.room.phase != "over":
        spoke.append(game.room.speaker)
        game.play_round()
    assert game.room.outcome == "completed"
    assert len(spoke) == 8
    assert len(set(spoke)) == turns
    if speaker == "repetition":
        assert len(set(spoke[:4])) == len(set(spoke[4:])) == 1


def test_a_listener_who_is_lost_is_waited_for_and_then_the_game_goes_on_without_them() -> None:
    game = Played(people=4, grace_seconds=30.0)
    one, two, three = game.listeners()
    game.say()
    game.choose(one)
    game.choose(two)
    game.do(leave, three)
    assert game.do(pass_time) == []
    game.t += 30_000
    assert game.do(pass_time) == ["gone", "feedback"], "nobody else is waited for"
    (done,) = collect_rounds(game.lines, {s.actor: s for s in game.room.seats}, LABELS)
    assert [c.heard for c in done.choices if c.hearer == f"P-{three}"] == ["left"]
    for who in PEOPLE[:4]:
        if who != three:
            game.do(act, who, "ready", {})
    assert (game.room.phase, game.room.puzzle) == ("playing", 1)
    assert three not in game.listeners()
    assert [p["gone"] for p in game.status(one)["partner"] if p["seat"] == PEOPLE.index(three)] == [True]


def test_who_comes_back_within_the_grace_goes_on_with_their_choice() -> None:
    game = Played()
    one, _ = game.listeners()
    game.say()
    game.choose(one)
    game.do(leave, one)
    assert game.do(join, one, "P") == ["reconnect"]
    assert game.status(one)["game"]["chosen"] == game.room.target
    game.t += 100_000
    assert game.do(pass_time) == []


def test_a_round_whose_speaker_has_left_counts_for_nobody_and_somebody_else_speaks() -> None:
    game = Played(people=4)
    lost = str(game.room.speaker)
    one = game.listeners()[0]
    game.say()
    game.choose(one)
    assert game.do(quit_room, lost) == ["gone", "feedback"]
    assert game.room.right == {}
    assert game.status(one)["game"]["feedback"] == {"ended": "speaker-left", "target": None, "choices": []}
    (done,) = collect_rounds(game.lines, {s.actor: s for s in game.room.seats}, LABELS)
    assert (done.spoken, done.words, {c.heard for c in done.choices}) == ("left", 0, {None})
    game.t += 60_000
    game.do(pass_time)
    assert game.room.phase == "playing"
    assert game.room.speaker not in (None, lost)


@pytest.mark.parametrize(
    ("changes", "who"),
    [
        ({"people": 2}, "listener"),
        ({"people": 4, "speaker": "fixed"}, "speaker"),
        ({"people": 4, "leaving": "end"}, "listener"),
    ],
)
def test_the_game_ends_where_it_cannot_or_shall_not_go_on(changes: dict[str, Any], who: str) -> None:
    game = Played(**changes)
    lost = str(game.room.speaker) if who == "speaker" else game.listeners()[0]
    assert game.do(quit_room, lost) == ["gone", "over"]
    assert (game.room.phase, game.room.outcome) == ("over", "partner-left")
    assert collect_rounds(game.lines, {s.actor: s for s in game.room.seats}, LABELS) == [], (
        "a round that was broken off is none"
    )


def test_bots_take_their_places_and_never_play_on_alone() -> None:
    game = Played(people=4, bots=2, begins="bot")
    assert [seat.actor for seat in game.room.seats] == ["ann", "bob", "bot", "bot-2"]
    assert is_bot(str(game.room.speaker))
    game.do(quit_room, "ann")
    assert game.room.phase != "over"
    assert game.do(quit_room, "bob") == ["gone", "over"]


def test_who_waits_may_leave_after_the_time_of_the_study() -> None:
    room = ReferenceRoom("r", {**DEFAULTS, "labels": LABELS, "trial": "t"}, 1)
    room, _ = join(room, "ann", "P-1", 1000.0)
    with pytest.raises(ValueError, match="waiting time"):
        quit_room(room, "ann", 2000.0)
    over, _ = quit_room(room, "ann", 1000.0 + 60_000 * DEFAULTS["wait_minutes"])
    assert over.outcome == "no-partner"
    empty, _ = leave(room, "ann", 2000.0)
    assert empty.seats == ()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_room_that_comes_back_from_its_lines_is_the_room_that_was(seed: int) -> None:
    """Whatever happens: rows hold seats, phase and round, lines the rest; together they are the whole room, at every moment."""
    rng = Random(seed)
    game = Played(seed=seed, people=rng.randint(2, 5), speaker=rng.choice(["fixed", "repetition", "round"]))
    for _ in range(60):
        who = rng.choice([seat.actor for seat in game.room.seats])
        what = rng.random()
        if what < 0.25:
            game.say()
        elif what < 0.7:
            if who != game.room.speaker:
                game.choose(who, rng.choice(sorted(LABELS)))
        elif what < 0.8:
            game.do(act, who, "ready", {})
        elif what < 0.85:
            game.do(leave, who)
        elif what < 0.9 and not game.room.get_seat(who).gone:
            game.do(join, who, "P")
        elif what < 0.92:
            game.do(quit_room, who)
        else:
            game.t += rng.choice([100, 20_000, 200_000])
            game.do(pass_time)
        was = game.room
        row = {
            n: getattr(was, n) for n in ("id", "settings", "seed", "seats", "phase", "puzzle", "began_ms", "outcome")
        }
        # The store sorts names.
        row["settings"] = {**was.settings, "labels": dict(sorted(LABELS.items()))}
        again = replay_lines(ReferenceRoom(**row), game.lines)
        assert again == was
        assert reference_state.get_targets(again) == reference_state.get_targets(was)
        assert reference_state.get_display_order(again, 0) == reference_state.get_display_order(was, 0)
        if was.phase == "over":
            break


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"group": 7}, "group.*at most 6"),
        ({"group": 3, "bots": 3}, "at least one person"),
        ({"begins": "bot"}, "no bots"),
        ({"bots": 1, "bot_listener": "litteral"}, "did you mean literal"),
        ({"bots": 1, "bot_speaker": "classic/incrementl|seed:1"}, "did you mean classic/incremental"),
        ({"bots": 1, "bot_speaker": "llm/openai-compatible"}, "no model is named"),
        ({"bots": 1, "bot_listener": "llm/openai-compatible|modle:x"}, "modle"),
        ({"objects": 1}, "at least 2"),
        ({"limit_seconds": 0.0}, "limit_seconds"),
        ({"grace_seconds": -1.0}, "grace_seconds"),
        ({"puzzles": 3}, "no field 'puzzles'"),
    ],
)
def test_settings_that_make_no_game_are_told(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_protocol_settings(KIND, changes, Path("study.toml"))


@pytest.mark.parametrize(("language", "title"), [("en", "Describe and choose"), ("de", "Beschreiben und wählen")])
def test_the_title_is_in_the_language_of_the_study(language: str, title: str, tmp_path: Path) -> None:
    assert make_reference_study(tmp_path / "game", language=language).title == title
