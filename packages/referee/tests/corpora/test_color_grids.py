"""Colour grids: three grids by object index, places as each side saw them, clicks and times."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from statistics import mean

import pytest
from tiny import TINY, grids_row, write

from referee.corpora.color_grids import ColorGrids
from referee.errors import MalformedInput
from referee.records import Property, Trial


@pytest.fixture
def trials(tmp_path: Path) -> list[Trial]:
    return list(ColorGrids(write(tmp_path, TINY["color-grids"])).trials())


def test_a_trial_is_called_by_game_and_round(trials: list[Trial]) -> None:
    assert [t.id for t in trials] == ["12-ab-c-1", "12-ab-c-2", "12-ab-c-3", "13-d-1"]
    assert trials[0].id.rpartition("-")[::2] == ("12-ab-c", "1")
    assert {t.condition for t in trials} == {"split"}


def test_grids_are_called_by_their_index_and_know_both_screens(trials: list[Trial]) -> None:
    trial = trials[0]
    assert [e.id for e in trial.scene.entities] == ["o0", "o1", "o2"]
    assert trial.targets == ("o2",)
    assert trial.meta["places"] == ["o1", "o2", "o0"]
    assert trial.meta["speaker_places"] == ["o2", "o0", "o1"]
    assert [e.position for e in trial.scene.entities] == [(2.0,), (3.0,), (1.0,)]


def test_cells_go_row_by_row(trials: list[Trial]) -> None:
    cells = trials[0].scene.entity("o2").attributes
    assert len(cells) == 9
    assert (cells[0], cells[8]) == (Property("cell1", "hsl(2, 60%, 50%)"), Property("cell9", "hsl(82, 60%, 50%)"))


def test_a_click_is_a_place_on_the_listeners_screen(tmp_path: Path) -> None:
    right, wrong, silent, late = ColorGrids(write(tmp_path, TINY["color-grids"])).responses()
    assert (right.entity, right.identification_ms, right.flags) == ("o2", 4000, ("simple",))
    assert (wrong.entity, wrong.identification_ms, wrong.flags) == ("o1", 1500, ())
    assert wrong.description is not None
    assert wrong.description.text == "red no"
    assert (silent.entity, silent.identification_ms, silent.description) == ("o0", None, None)
    assert (late.entity, late.identification_ms, late.description) == ("o2", None, None)


def test_rounds_remember_their_own_game(trials: list[Trial]) -> None:
    assert trials[1].after == trials[0].id
    assert trials[1].history == trials[0].episode
    assert trials[3].history == ()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"success": True}, "success is True, but o0 was clicked and the target is o2"),
        ({"l_clicked": -1}, "l_clicked is -1"),
        ({"target": 3}, "target is 3"),
        ({"listener_order": [0, 0, 1]}, "not an order of 3 grids"),
        ({"grids": [[[1, 2, 3]]] * 3}, "a grid has 1 colours"),
    ],
)
def test_what_cannot_be_is_refused_with_file_and_line(change: dict[str, object], problem: str, tmp_path: Path) -> None:
    rows = [grids_row("1-a", 1, 1), grids_row("1-a", 2, 2) | change]
    data = write(tmp_path, {"color-grids/rounds.jsonl.gz": rows})
    with pytest.raises(MalformedInput, match=rf"rounds.jsonl.gz:2: .*{problem}"):
        list(ColorGrids(data).trials())


def test_the_corpus_own_files_do_too(tmp_path: Path) -> None:
    write(tmp_path, {"rounds.jsonl": TINY["color-grids"]["color-grids/rounds.jsonl.gz"]})
    assert len(list(ColorGrids(tmp_path).trials())) == 4


# data/color-grids/README.md: 8,814 rounds of 158 games, success .930; the numbers of the card were counted over the file without the reader.
@pytest.mark.data
def test_counts_of_the_real_corpus(data_folder: Path) -> None:
    corpus = ColorGrids(data_folder)
    trials, responses = list(corpus.trials()), list(corpus.responses())
    right = defaultdict(list)
    for trial, response in zip(trials, responses, strict=True):
        right[trial.condition].append(response.entity in trial.targets)
    games = Counter(t.meta["game"] for t in trials)
    assert (len(trials), len(games), sum(n == 60 for n in games.values())) == (8814, 158, 143)
    assert {c: len(v) for c, v in right.items()} == {"far": 2935, "split": 2937, "close": 2942}
    assert round(mean(ok for answers in right.values() for ok in answers), 3) == 0.930
    assert sum(not t.references for t in trials) == 13
    assert sum(len(t.episode) == 1 for t in trials) == 9
    assert sum(r.identification_ms is None for r in responses) == 13
