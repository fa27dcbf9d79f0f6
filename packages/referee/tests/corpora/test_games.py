"""Rounds of games: who knew what when."""

from __future__ import annotations

from collections.abc import Iterator

from referee.corpora.games import (
    Games,
    Message,
    Round,
    add_history,
    drop_repeated,
    is_simple,
    join_messages,
    list_events,
    make_response,
    measure_delay,
    record_click,
)
from referee.records import Description, Entity, Event, Outcome, Scene, Trial

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
    assert [e.text or e.kind for e in list_events(CHAT, CLICK)] == ["red", "?", "dark", "click", "thanks"]


def test_the_description_is_what_the_speaker_said_until_the_click() -> None:
    assert [d.text for d in join_messages(CHAT, speaker="g1")] == ["red dark"]
    assert join_messages(CHAT, speaker="g1")[0].speaker == "g1"


def test_nothing_said_in_time_is_no_description_rather_than_an_empty_one() -> None:
    assert join_messages(CHAT[1:2] + CHAT[3:], speaker="g1") == ()


def test_the_wait_counts_from_the_last_thing_said_in_time() -> None:
    assert measure_delay([CHAT[0], Message("speaker", "now", 200), CHAT[3]]) == 200
    assert measure_delay(CHAT) is None, "the last one in time has no time"
    assert measure_delay(CHAT, by="listener") == 500
    assert measure_delay(CHAT[3:]) is None


def test_a_simple_round_has_one_message_and_it_is_the_speakers() -> None:
    assert is_simple(CHAT[:1])
    assert [is_simple(chat) for chat in ([], CHAT[:2], CHAT[1:2], CHAT[3:])] == [False] * 4


def test_several_listeners_click_one_after_the_other() -> None:
    other = Event(kind="click", by="listener", entities=("b",))
    assert list_events(CHAT[:1], CLICK, other)[1:] == (CLICK, other)


def test_history_grows_within_a_game_and_never_across_games() -> None:
    one, two = Event(kind="message", text="1"), Event(kind="message", text="2")
    trials = [trial("a1", "a", (one,)), trial("b1", "b", (two,)), trial("a2", "a", (two,)), trial("a3", "a")]
    first, other, second, third = add_history(trials)
    assert (first.history, first.after) == ((), None)
    assert (other.history, other.after) == ((), None)
    assert (second.history, second.after) == ((one,), "a1")
    assert (third.history, third.after) == ((one, two), "a2")


def test_a_choice_answers_the_trials_own_words() -> None:
    spoken = Trial(id="t", scene=trial("t", "g").scene, targets=("a",), references=(Description(text="it"),))
    chose = make_response(spoken, "listener", "a", 900, ("simple",))
    assert (chose.outcome, chose.entity, chose.identification_ms) == (Outcome.ENTITY, "a", 900)
    assert chose.description == Description(text="it")
    assert chose.flags == ("simple",)


def test_a_round_without_a_choice_is_a_timeout() -> None:
    none = make_response(trial("t", "g"), "listener", None)
    assert (none.outcome, none.entity, none.description, none.identification_ms) == (Outcome.TIMEOUT, None, None, None)


def test_a_click_is_the_listeners() -> None:
    assert record_click("a", correct=True) == Event(
        kind="click", by="listener", entities=("a",), data={"correct": True}
    )


def test_the_first_round_of_each_trial_counts() -> None:
    rounds = [Round(trial(name, game), ()) for name, game in (("t1", "g1"), ("t2", "g1"), ("t1", "g2"))]
    assert [r.trial.meta["game"] for r in drop_repeated(rounds)] == ["g1", "g1"]


class Two(Games):
    """Two rounds of one game, the second with two listeners."""

    def _read_rounds(self) -> Iterator[Round]:
        first, second = trial("t1", "g", (CLICK,)), trial("t2", "g")
        yield Round(first, (make_response(first, "one", "a"),))
        yield Round(second, (make_response(second, "one", "a"), make_response(second, "two", None)))


def test_games_are_trials_with_history_and_answers_in_order() -> None:
    corpus = Two()
    assert [(t.id, t.after, t.history) for t in corpus.trials()] == [("t1", None, ()), ("t2", "t1", (CLICK,))]
    assert [(r.trial, r.hearer) for r in corpus.responses()] == [("t1", "one"), ("t2", "one"), ("t2", "two")]


def test_games_that_are_read_once_are_walked_once() -> None:
    walks = []

    class Counted(Two):
        def _read_rounds(self) -> Iterator[Round]:
            walks.append("walk")
            yield from super()._read_rounds()

    corpus = Counted()
    once = corpus.read_once()
    assert list(once.trials()) == list(corpus.trials())
    assert list(once.responses()) == list(corpus.responses())
    # Two of the corpus itself, one of the other.
    assert walks == ["walk"] * 3
