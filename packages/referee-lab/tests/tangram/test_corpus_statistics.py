"""What a corpus holds, counted by hand on a small one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from situations import dialogue, handled, said

from referee.records import Event
from referee_lab.tangram.game.piece_sets import PIECES
from referee_lab.tangram.models.corpus_statistics import GROUPS, PRINTED, count_corpus
from referee_lab.tangram.tiers.dialogue import Dialogue


def test_counts_of_a_small_corpus() -> None:
    several = [
        replace(e, data={**e.data, "attributes": ("siz", "typ", "num")})
        for e in said(9000.0, "the two small ones", "4", "6", by="operator")
    ]
    found = count_corpus(
        [
            dialogue(
                said(1000.0, "that", "1", dpr=True),
                handled(2000.0, 3000.0, "1"),
                said(5000.0, "the square", "6"),
                several,
            )
        ]
    )
    assert (found.dialogues, found.pairs, found.utterances, found.actions, found.expressions) == (1, 1, 3, 1, 3)
    assert found.by_speaker == {"solver": 2, "operator": 1}
    assert (found.one_piece, found.several, found.unclear) == (2, 1, 0)
    assert found.groups == {
        "demonstrative": 1,
        "attribute": 2,
        "spatial relation": 0,
        "action-mentioning": 0,
        "other": 1,
    }
    assert (found.codes["dpr"], found.codes["typ"], found.codes["siz"]) == (1, 2, 1)
    assert found.pronouns == {"demonstrative": 1, "personal": 0}
    # From 0.8 s (the first sentence) to 10.2 s (the end of the last one).
    assert found.minutes == round(9.4 / 60, 1)


def test_no_dialogues_hold_nothing() -> None:
    found = count_corpus([])
    assert (found.expressions, found.minutes, found.coded) == (0, 0.0, False)


def test_the_printed_parts_make_the_printed_groups() -> None:
    # Demonstratives are one or the other; attributes and relations are counted by their parts.
    for group in ("demonstrative", "attribute", "spatial relation", "action-mentioning"):
        assert PRINTED[group] == sum(PRINTED[code] for code in GROUPS[group])


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("de", ["das", "das große Dreieck", "dieses Quadrat links", "das andere"]),
        ("ja", ["それ", "大きい三角形", "その左の四角", "もう一つの"]),
    ],
)
def test_without_codes_the_words_give_the_kinds_of_table_2(language: str, texts: list[str]) -> None:
    """By hand: one pronoun, one demonstrative adjective, one size, two shapes, one place."""
    events = tuple(
        Event(kind="expression", by="solver", text=text, entities=("1",), start_ms=1000.0 * n, end_ms=1000.0 * n + 500)
        for n, text in enumerate(texts)
    )
    # Described pieces, and pieces of which a file gives the numbers only.
    for pieces in (PIECES, {"1": {"shape": "1"}}):
        counted = count_corpus([Dialogue(id="d", pair="p", pieces=pieces, events=events, language=language)])
        assert not counted.coded
        by_words = {name: counted.by_words[name] for name in ("dpr", "dad", "siz", "typ", "prj")}
        assert by_words == {"dpr": 1, "dad": 1, "siz": 1, "typ": 2, "prj": 1}
        assert (counted.by_words["demonstrative"], counted.by_words["spatial relation"]) == (2, 1)
