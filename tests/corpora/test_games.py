"""Rounds of games: who knew what when."""

from __future__ import annotations

from referee.corpora.games import Message, is_simple, play, said, waited, with_history
from referee.records import Entity, Event, Scene, Trial

CLICK = Event(kind="click", by="listener", entities=("a",))
CHAT = [
    Message("speaker", "red", 900),
    Message("listener", "?", 500),
    Message("speaker", "dark", None),
    Message("speaker", "thanks", -4),
]


def trial(name: str, game: str, episode: tuple[Event, ...] = ()) -> Trial:
    return Trial(id=name, scene=Scene(entities=(Entity(id="a"),)), targets=("a",), episode=episode, meta={"game": game})


def test_what_is_said_after_the_click_comes_after_it() -> None:
    assert [e.text or e.kind for e in play(CHAT, CLICK)] == ["red", "?", "dark", "click", "thanks"]


def test_the_description_is_what_the_speaker_said_until_the_click() -> None:
    assert [d.text for d in said(CHAT, speaker="g1")] == ["red dark"]
    assert said(CHAT, speaker="g1")[0].speaker == "g1"


def test_nothing_said_in_time_is_no_description_rather_than_an_empty_one() -> None:
    assert said(CHAT[1:2] + CHAT[3:], speaker="g1") == ()


def test_the_wait_counts_from_the_last_thing_said_in_time() -> None:
    assert waited([CHAT[0], Message("speaker", "now", 200), CHAT[3]]) == 200
    assert waited(CHAT) is None, "the last one in time has no time"
    assert waited(CHAT, by="listener") == 500
    assert waited(CHAT[3:]) is None


def test_a_simple_round_has_one_message_and_it_is_the_speakers() -> None:
    assert is_simple(CHAT[:1])
    assert [is_simple(chat) for chat in ([], CHAT[:2], CHAT[1:2], CHAT[3:])] == [False] * 4


def test_several_listeners_click_one_after_the_other() -> None:
    other = Event(kind="click", by="listener", entities=("b",))
    assert play(CHAT[:1], CLICK, other)[1:] == (CLICK, other)


def test_history_grows_within_a_game_and_never_across_games() -> None:
    one, two = Event(kind="message", text="1"), Event(kind="message", text="2")
    trials = [trial("a1", "a", (one,)), trial("b1", "b", (two,)), trial("a2", "a", (two,)), trial("a3", "a")]
    first, other, second, third = with_history(trials)
    assert (first.history, first.after) == ((), None)
    assert (other.history, other.after) == ((), None)
    assert (second.history, second.after) == ((one,), "a1")
    assert (third.history, third.after) == ((one, two), "a2")
