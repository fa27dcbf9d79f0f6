"""The 22 yes/no features of the resolution study."""

from __future__ import annotations

import pytest
from situations import PIECES, cursor, dialogue, handled, said

from referee_lab.tangram.models.candidates import CANDIDATE_NAMES, compute_candidate_features, fits
from referee_lab.tangram.models.history import iterate_situations


def yes(features: dict[str, float]) -> set[str]:
    return {name for name, value in features.items() if value}


def test_there_are_ten_discourse_six_cursor_and_six_handling_features() -> None:
    assert [sum(n.startswith(p) for n in CANDIDATE_NAMES) for p in ("DH", "AH", "CO")] == [10, 6, 6]


def test_each_piece_gets_the_features_the_printed_definitions_give_it() -> None:
    d = dialogue(
        said(1000, "that", "1", dpr=True),
        handled(2000, 4000, "1"),
        cursor(1500, 5000, "1"),
        cursor(15_000, 40_000, "6"),
        handled(24_000, 30_000, "6"),
        said(25_000, "the square", "6"),
    )
    s = list(iterate_situations(d))[-1]
    # said 23 s ago with a pronoun, the cursor left 20 s ago, handled 21 s ago; a square is not what it is
    assert yes(compute_candidate_features(s, "1")) == {"DH1", "DH4", "DH10", "AH4", "CO5"}
    assert yes(compute_candidate_features(s, "6")) == {"DH5", "DH6", "AH1", "AH3", "CO1", "CO3"}
    assert yes(compute_candidate_features(s, "4")) == {"DH5", "AH6", "CO6"}


def test_another_text_changes_only_what_depends_on_words() -> None:
    d = dialogue(said(1000, "the square", "6"), said(3000, "the small square", "6"))
    s = list(iterate_situations(d))[-1]
    before, after = compute_candidate_features(s, "6"), compute_candidate_features(s, "6", text="that", pronoun=True)
    assert {n for n in CANDIDATE_NAMES if before[n] != after[n]} == {"DH9"}
    assert compute_candidate_features(s, "1")["DH6"] == 0
    assert compute_candidate_features(s, "1", text="that", pronoun=True)["DH6"] == 1


@pytest.mark.parametrize(("sentence", "name"), [("sore o totte", "DH7"), ("それに合わせて", "DH8")])
def test_particles_count_in_japanese_only(sentence: str, name: str) -> None:
    text = sentence[:4].strip() if sentence.isascii() else "それ"
    parts = said(1000, text, "6", dpr=True)
    parts[0] = type(parts[0])(kind="utterance", by="solver", text=sentence, start_ms=800, end_ms=2000)
    (japanese,) = iterate_situations(dialogue(parts, language="ja"))
    (english,) = iterate_situations(dialogue(parts))
    assert compute_candidate_features(japanese, "6")[name] == 1
    assert compute_candidate_features(english, "6")[name] == 0


def test_words_for_values_are_known_in_both_languages() -> None:
    assert fits("the big triangle", PIECES["1"], PIECES)
    assert not fits("the big triangle", PIECES["4"], PIECES)
    assert fits("tittyai sankakkei", PIECES["4"], PIECES)
    assert not fits("小さい三角", PIECES["1"], PIECES)
    assert fits("that one there", PIECES["1"], PIECES)


def test_letters_and_names_of_several_words_fit_their_objects() -> None:
    pentomino = {"t": {"shape": "T"}, "w": {"shape": "W"}}
    assert [fits("das T", piece, pentomino) for piece in pentomino.values()] == [True, False]
    mugs = {"1": {"name": "Red mug"}, "2": {"name": "blue mug"}}
    assert [fits("take the red mug", mug, mugs) for mug in mugs.values()] == [True, False]
