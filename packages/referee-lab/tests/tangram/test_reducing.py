"""Reduction and partner-specificity on real repeated games."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.errors import InputError
from referee_lab.tangram.models.reduction import (
    compare_hearing_by_block,
    estimate_slope,
    reduce_dialogues,
    reduce_games,
)
from referee_lab.tangram.tiers.game_dialogues import read_game_dialogues


@pytest.mark.data
@pytest.mark.long
def test_descriptions_of_the_repeated_game_shorten_as_its_page_says(data_folder: Path) -> None:
    found = reduce_games("tangrams-hawkins", data_folder)
    words = {level.repetition: level.mean for level in found.words}
    # README of the corpus: 16.0 words in round 1, 3.8 in round 6 (words are counted there by spaces)
    assert words[1] == pytest.approx(16.0, abs=0.2)
    assert words[6] == pytest.approx(3.8, abs=0.2)
    assert found.slope.high < 0
    assert all(own.low > pseudo.high for own, pseudo in zip(found.own, found.pseudo, strict=True))
    assert (found.specificity.low or 0) > 0.5


@pytest.mark.data
def test_addressees_get_better_and_overhearers_do_not(data_folder: Path) -> None:
    heard = {(h.who, h.source.removeprefix("tg-matcher, "), h.block): h for h in compare_hearing_by_block(data_folder)}
    # README of the corpus: 78 % in round 1, 94 % in round 6
    assert heard["addressee", "tangrams-hawkins", "1"].accuracy == pytest.approx(0.78, abs=0.005)
    assert heard["addressee", "tangrams-hawkins", "6"].accuracy == pytest.approx(0.94, abs=0.005)
    for size in ("2", "6"):
        first, last = (heard["overhearer", f"groups of {size}", block] for block in "16")
        assert last.high < heard["addressee", "tangrams-hawkins", "6"].low
        assert last.accuracy - first.accuracy < 0.05


def test_other_corpora_are_refused() -> None:
    with pytest.raises(InputError, match="tangrams-hawkins, kth-tangrams"):
        reduce_games("tuna")


@pytest.mark.slow
def test_any_dialogues_are_reduced(data_folder: Path) -> None:
    """Director words by round as the README of cabb-dutch has them, counted there by blanks."""
    found = reduce_dialogues("cabb-dutch", read_game_dialogues("cabb-dutch", data_folder))
    assert [level.mean for level in found.words] == pytest.approx([54.8, 33.3, 21.7, 18.0, 14.2, 12.3], abs=0.15)
    assert (found.games, found.heard) == (19, ())
    with pytest.raises(InputError, match="no two pairs describe an object repeatedly"):
        reduce_dialogues("one", read_game_dialogues("cabb-dutch", data_folder)[:1])


@pytest.mark.parametrize(("games", "tested"), [(5, False), (6, True)])
def test_fewer_than_six_games_have_an_interval_and_no_p(games: int, tested: bool) -> None:
    words = [(r, f"g{g}", 12.0 / r + (g * r) % 3) for g in range(games) for r in range(1, 7)]
    slope = estimate_slope(words)
    assert slope is not None
    assert slope.low < slope.estimate < slope.high < 0
    assert (slope.p is not None) == tested
