"""Clips before a reference."""

from __future__ import annotations

from dataclasses import replace

import pytest
from situations import cursor, dialogue, handled, said

from referee.errors import InputError
from referee_lab.tangram.models.context import Clip, Unusable, cut, hide_unseen_events
from referee_lab.tangram.models.history import Situation, iterate_situations


def last(*parts: list) -> Situation:  # type: ignore[type-arg]
    return list(iterate_situations(dialogue(*parts)))[-1]


MENTION_FIRST = (said(5000, "the square", "6"), handled(10_000, 12_000, "6"), said(20_000, "that", "6", dpr=True))
ACTION_FIRST = (handled(2000, 4000, "6"), said(8000, "the square", "6"), said(20_000, "that", "6", dpr=True))


def test_the_published_clip_begins_before_both_events_and_ends_where_the_utterance_begins() -> None:
    clip = cut(last(*MENTION_FIRST), margin_ms=500)
    assert clip == Clip(start_ms=4500, end_ms=19_800, shows="both")
    assert cut(last(*ACTION_FIRST), margin_ms=500) == Clip(start_ms=1500, end_ms=19_800, shows="both")


def test_a_clip_with_one_event_shows_the_later_one_and_not_the_other() -> None:
    assert cut(last(*MENTION_FIRST), "action", margin_ms=500) == Clip(start_ms=9500, end_ms=19_800, shows="action")
    assert cut(last(*ACTION_FIRST), "mention", margin_ms=500) == Clip(start_ms=7500, end_ms=19_800, shows="mention")
    hidden = cut(last(*MENTION_FIRST), "mention")
    assert isinstance(hidden, Unusable)
    assert "action comes later" in hidden.reason


def test_a_clip_without_events_begins_when_both_are_over() -> None:
    assert cut(last(*MENTION_FIRST), "none") == Clip(start_ms=12_000, end_ms=19_800, shows="none")
    under_way = last(said(5000, "the square", "6"), handled(10_000, 30_000, "6"), said(20_000, "that", "6", dpr=True))
    assert cut(under_way, "none") == Unusable(reason="an event is still going on")


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ((handled(0, 1000, "6"), said(5000, "the square", "6")), "no earlier mention"),
        ((handled(0, 500, "7"), said(1000, "the square", "6"), said(5000, "that", "6", dpr=True)), "no earlier action"),
        (
            (said(1000, "the square", "6"), handled(30_000, 31_000, "6"), said(40_000, "that", "6")),
            "last mention too long ago",
        ),
        (
            (handled(1000, 2000, "6"), said(30_000, "the square", "6"), said(40_000, "that", "6")),
            "last action too long ago",
        ),
        (
            (said(1000, "the square", "6"), handled(4900, 6000, "6"), said(5000, "that", "6")),
            "handled only after the utterance began",
        ),
    ],
)
def test_an_instance_without_a_clip_has_a_reason(parts: tuple, reason: str) -> None:  # type: ignore[type-arg]
    assert cut(last(*parts)) == Unusable(reason=reason)


def test_a_dialogue_without_actions_has_clips_by_its_mentions() -> None:
    """Where nobody recorded actions, the mention is the only event."""
    spoken = dialogue(said(1000, "the square", "6"), said(9000, "that", "6", dpr=True))
    (_, reference) = iterate_situations(spoken)
    end = cut(reference, "none").end_ms  # type: ignore[union-attr]
    assert cut(reference, "both", margin_ms=500) == Clip(start_ms=500, end_ms=end, shows="both")
    assert cut(reference, "mention", margin_ms=500) == Clip(start_ms=500, end_ms=end, shows="mention")
    assert cut(reference, "none").start_ms >= 1000  # type: ignore[union-attr]
    assert cut(reference, "action") == Unusable(reason="no earlier action")


def test_an_unknown_kind_of_clip_is_refused() -> None:
    with pytest.raises(InputError, match="both, mention, action, none"):
        cut(last(*MENTION_FIRST), "everything")


def test_an_overhearer_knows_nothing_from_before_the_clip_or_after_the_expression() -> None:
    d = dialogue(
        said(1000, "the triangle", "1"),
        cursor(2000, 9000, "1"),
        *MENTION_FIRST,
        cursor(19_000, 25_000, "6"),
        said(30_000, "the triangle", "1"),
    )
    s = list(iterate_situations(d))[2]
    clip = cut(s)
    assert isinstance(clip, Clip)
    overheard = list(iterate_situations(hide_unseen_events(d, s, clip)))[-1]
    assert overheard.onset_ms == s.onset_ms
    assert overheard.standings["1"].since_mention is None
    assert s.standings["1"].since_mention is not None
    assert overheard.standings["6"].cursor_over
    assert (
        overheard.standings["1"].since_cursor == s.standings["1"].since_cursor
    )  # the cursor was still there when the clip began


def test_a_clip_before_a_typed_message_ends_when_it_is_shown() -> None:
    typed = [replace(e, data={**e.data, "shown_ms": 34_000.0}) for e in said(30_000, "that", "6", dpr=True)]
    s = list(iterate_situations(dialogue(*MENTION_FIRST, typed)))[-1]
    clip = cut(s)
    assert isinstance(clip, Clip)
    # The message was begun at 29.8 s; nobody saw it before 34 s.
    assert clip.end_ms == 34_000
