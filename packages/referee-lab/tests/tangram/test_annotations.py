"""An annotation is a file of lines that are only appended; the last line of an utterance counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.errors import InputError, MalformedInput
from referee.records import Event
from referee_lab.tangram.tiers.annotations import (
    Annotation,
    ExpressionMark,
    apply_annotation,
    extract_marks,
    find_annotation_files,
    format_header,
    format_utterance_state,
    make_annotation_path,
    parse_annotation,
    parse_marks,
)
from referee_lab.tangram.tiers.dialogue import ATTRIBUTES, EXPRESSION, UTTERANCE, Dialogue
from referee_lab.tangram.tiers.expressions import compare

TEXT = "put the small triangle on that"
NP, THAT = (
    ExpressionMark(start=4, end=22, referents=("4",), attributes=("siz", "typ")),
    ExpressionMark(start=26, end=30, referents=("1",)),
)
NOW = "2026-01-01T00:00:00+00:00"


def _dialogue(*texts: str) -> Dialogue:
    pieces = {"1": {"shape": "square"}, "4": {"shape": "triangle"}}
    said = [
        Event(kind=UTTERANCE, by="solver", text=t, start_ms=1000.0 * i, end_ms=1000.0 * i + 10 * len(t))
        for i, t in enumerate(texts)
    ]
    return Dialogue(id="s", pair="p", pieces=pieces, events=tuple(said))


def _file(*lines: str) -> str:
    return format_header("ann", "s") + "".join(lines)


def test_the_last_line_of_an_utterance_counts_so_undo_is_one_more_line() -> None:
    first, second = (
        format_utterance_state(0, TEXT, [NP, THAT], False, NOW),
        format_utterance_state(0, TEXT, [NP], True, NOW),
    )
    assert parse_annotation(_file(first, second)).marks[0] == (NP,)
    undone = parse_annotation(_file(first, second, first))
    assert (undone.marks[0], undone.done) == ((NP, THAT), frozenset())


def test_a_line_torn_by_a_crash_was_never_acknowledged_and_costs_nothing_else() -> None:
    line = format_utterance_state(0, TEXT, [NP], True, NOW)
    torn = parse_annotation(_file(line) + format_utterance_state(1, TEXT, [THAT], True, NOW)[:40])
    assert (torn.marks, torn.done) == ({0: (NP,)}, frozenset({0}))


def test_a_damaged_line_in_the_middle_is_named() -> None:
    with pytest.raises(MalformedInput) as caught:
        parse_annotation(_file("{broken\n", format_utterance_state(0, TEXT, [NP], True, NOW)), "a.jsonl")
    assert (caught.value.where, caught.value.line) == ("a.jsonl", 2)


def test_codes_and_referents_come_in_one_order_whatever_the_clicks_were() -> None:
    row = {"start": 4, "end": 22, "referents": ["4", "1"], "attributes": ["typ", "siz"], "uncertain": True}
    (mark,) = parse_marks([row], TEXT)
    assert (mark.referents, mark.attributes) == (("1", "4"), ("siz", "typ"))
    assert list(ATTRIBUTES).index("siz") < list(ATTRIBUTES).index("typ")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"end": 31}, "not in the utterance"),
        ({"start": 22}, "not in the utterance"),
        ({"attributes": ["big"]}, "no attribute"),
        ({"referents": None}, "not an expression"),
    ],
)
def test_marks_that_cannot_be_are_refused(change: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_marks([{**NP.to_data(), **change}], TEXT)


def test_expressions_may_lie_inside_each_other_but_not_cross() -> None:
    inner, outer, crossing = ({**NP.to_data(), "start": s, "end": e} for s, e in ((8, 22), (4, 30), (8, 26)))
    assert [(m.start, m.end) for m in parse_marks([inner, outer], TEXT)] == [(4, 30), (8, 22)]
    with pytest.raises(InputError, match="cross"):
        parse_marks([NP.to_data(), crossing], TEXT)


def test_annotations_become_the_expressions_of_the_dialogue() -> None:
    work = Annotation(
        annotator="ann", session="s", marks={0: (NP, THAT), 1: (NP,)}, texts={0: TEXT, 1: TEXT}, done=frozenset({0})
    )
    dialogue = apply_annotation(_dialogue(TEXT, TEXT), work)
    found = dialogue.select_tier(EXPRESSION)
    assert [(e.text, e.entities) for e in found] == [("the small triangle", ("4",)), ("that", ("1",))]
    assert found[0].data["attributes"] == ("siz", "typ")
    # 10 ms for each character: the expression stands where its words stand, on the grid of 10 ms
    assert (found[0].start_ms, found[0].end_ms) == (40, 220)
    assert dialogue.meta["annotator"] == "ann"
    assert extract_marks(dialogue) == {0: (NP, THAT)}


def test_an_annotation_takes_the_place_of_what_was_there() -> None:
    work = Annotation(annotator="a", session="s", marks={0: (NP,)}, texts={0: TEXT}, done=frozenset({0}))
    once = apply_annotation(_dialogue(TEXT), work)
    assert compare(once, apply_annotation(once, work))[:3] == (1, 1, 1)


def test_an_expression_without_a_referent_is_unclear_and_no_reference_to_learn_from() -> None:
    lost = ExpressionMark(start=26, end=30)
    work = Annotation(annotator="a", session="s", marks={0: (lost,)}, texts={0: TEXT}, done=frozenset({0}))
    assert apply_annotation(_dialogue(TEXT), work).select_tier(EXPRESSION)[0].data["uncertain"] is True


def test_an_annotation_of_another_recording_is_refused() -> None:
    work = Annotation(annotator="a", session="s", marks={0: ()}, texts={0: "other words"}, done=frozenset({0}))
    with pytest.raises(InputError, match="not the one"):
        apply_annotation(_dialogue(TEXT), work)


def test_every_annotator_has_a_file_of_their_own(tmp_path: Path) -> None:
    recording = tmp_path / "s.1.jsonl"
    for name in ("ann", "bob"):
        make_annotation_path(recording, name).write_text(format_header(name, "s"))
    (tmp_path / "s.2.ann.annotations.jsonl").write_text(format_header("ann", "s2"))
    assert list(find_annotation_files(recording)) == ["ann", "bob"]
    with pytest.raises(InputError, match="name"):
        make_annotation_path(recording, "../ann")
