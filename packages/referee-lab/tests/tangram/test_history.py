"""What a reference rests on when it begins."""

from __future__ import annotations

from dataclasses import replace

import pytest
from situations import cursor, dialogue, handled, said

from referee.records import Event
from referee_lab.tangram.models.history import (
    CATEGORIES,
    CURRENT_OPERATION,
    encode_target,
    find_bin,
    iterate_situations,
)
from referee_lab.tangram.models.invented_sessions import Habits, invent_sessions
from referee_lab.tangram.tiers.dialogue import ACTION, EXPRESSION, MOUSE, Dialogue


def test_bins_end_at_ten_and_twenty_seconds_as_in_the_resolution_study() -> None:
    assert [find_bin(t) for t in (0, 10_000, 10_001, 20_000, 20_001, None)] == [
        "10s",
        "10s",
        "20s",
        "20s",
        "older",
        "never",
    ]


def test_the_last_mention_its_form_and_the_pieces_mentioned_since_are_known() -> None:
    d = dialogue(said(1000, "that", "1", dpr=True), said(5000, "the square", "6"), said(14_000, "the triangle", "1"))
    last = list(iterate_situations(d))[-1].standing
    assert (last.since_mention, last.mention_was_pronoun, last.mentioned_last) == (12_000, True, False)
    assert (last.others_mentioned_since, last.since_other_mention) == (1, 8000)


def test_an_action_that_is_over_is_history_and_one_going_on_is_current() -> None:
    d = dialogue(handled(0, 2000, "1", "flip"), handled(3000, 9000, "4"), said(5000, "that", "4", dpr=True))
    (s,) = iterate_situations(d)
    one, four = s.standings["1"], s.standings["4"]
    assert (one.since_action, one.last_action, one.handled_last, one.handled_now) == (3000, "flip", True, False)
    assert (four.since_action, four.handled_now, four.since_handled, four.handled_latest) == (None, True, 0, True)


def test_the_cursor_is_over_a_piece_until_it_leaves() -> None:
    d = dialogue(cursor(0, 4000, "1"), cursor(4000, 8000, "6"), said(4000, "that", "6", dpr=True))
    (s,) = iterate_situations(d)
    assert s.standings["6"].cursor_over
    assert s.standings["6"].cursor_last
    assert (s.standings["1"].cursor_over, s.standings["1"].since_cursor) == (False, 0)


def test_references_to_several_or_uncertain_pieces_are_mentions_but_no_instances() -> None:
    first = said(1000, "those two", "1", "4")
    second = said(3000, "that", "6", dpr=True)
    second[1] = replace(second[1], data={**second[1].data, "uncertain": True})
    found = list(iterate_situations(dialogue(first, second, said(5000, "the triangle", "4"))))
    assert [s.text for s in found] == ["the triangle"]
    assert found[0].standing.since_mention == 3000


def test_every_category_has_its_own_features_and_all_are_yes_or_no() -> None:
    (s,) = iterate_situations(dialogue(said(1000, "the square", "6")))
    parts = [set(encode_target(s, (c,))) for c in CATEGORIES]
    assert sum(map(len, parts)) == len(set.union(*parts)) == len(encode_target(s))
    assert parts[CATEGORIES.index(CURRENT_OPERATION)] == {"target being handled", "cursor over target"}
    assert set(encode_target(s).values()) <= {0.0, 1.0}


def _last(d: Dialogue, kind: str, piece: str, before: Event, over: bool = False) -> Event | None:
    """The same by looking through everything again."""
    now = before.start_ms or 0.0
    found = [e for e in d.events if e.kind == kind and piece in e.entities and e is not before]
    found = [e for e in found if (e.start_ms or 0) < now and (not over or (e.end_ms or 0) <= now)]
    return max(found, key=lambda e: (e.end_ms if over else e.start_ms) or 0, default=None)


@pytest.mark.parametrize("seed", [1, 2])
def test_one_pass_finds_what_a_search_through_everything_finds(seed: int) -> None:
    d = invent_sessions(seed, Habits(pairs=1, dialogues_per_pair=1, references=40, plurals=5))[0]
    for s in iterate_situations(d):
        for piece, standing in s.standings.items():
            mention, past = _last(d, EXPRESSION, piece, s.expression), _last(d, ACTION, piece, s.expression, over=True)
            pointed = _last(d, MOUSE, piece, s.expression)
            assert standing.mention == mention
            assert standing.since_action == (None if past is None else s.onset_ms - (past.end_ms or 0))
            assert standing.cursor_over == (pointed is not None and (pointed.end_ms or 0) > s.onset_ms)


def test_what_is_typed_is_a_mention_only_when_it_is_shown() -> None:
    # Typed from 1 s, sent at 9 s; the partner speaks of the same piece at 5 s and again at 10 s.
    typed = said(1000.0, "the square", "6")
    typed = [replace(e, data={**e.data, "shown_ms": 9000.0}) for e in typed]
    found = list(
        iterate_situations(dialogue(typed, said(5000.0, "it", "6", dpr=True), said(10_000.0, "it", "6", dpr=True)))
    )
    second = next(s for s in found if s.onset_ms == 5000)
    third = next(s for s in found if s.onset_ms == 10_000)
    assert (second.standing.since_mention, second.standing.mentioned_last) == (None, False)
    # Known since 9 s, although typed before the partner's words at 5 s.
    assert third.standing.since_mention == 1000
    assert third.standing.mention is not None
    assert third.standing.mention.start_ms == 1000


def test_an_unclear_expression_mentions_nothing() -> None:
    unclear = [replace(e, data={**e.data, "uncertain": True}) for e in said(1000.0, "the triangle", "1", "4")]
    (situation,) = iterate_situations(dialogue(unclear, said(5000.0, "the large one", "1")))
    assert (situation.standing.since_mention, situation.standing.mentioned_last) == (None, False)


def test_two_hands_on_a_piece_both_count() -> None:
    (situation,) = iterate_situations(
        dialogue(
            cursor(0, 9000, "1"),
            cursor(2000, 3000, "1"),
            handled(0, 9000, "1"),
            handled(1000, 2000, "1"),
            said(5000.0, "it", "1"),
        )
    )
    assert situation.standing.cursor_over
    assert situation.standing.handled_now
