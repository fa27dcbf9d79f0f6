"""PentoRef TAKE: spoken German, fifteen pieces, and a target that is what was taken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tiny import TINY, write

from referee.corpora.pento import PentoTake
from referee.records import Property

COLOURS = {
    "rot": "red",
    "grün": "green",
    "gelb": "yellow",
    "blau": "blue",
    "grau": "gray",
    "türkis": "cyan",
    "lila": "magenta",
}


def test_instructions_are_the_reference_and_confirmations_are_not(tmp_path: Path) -> None:
    (trial,) = PentoTake(write(tmp_path, TINY["pento-take"])).trials()
    assert (trial.id, trial.targets, trial.language) == ("pento-r9-4", ("tile-1",), "de")
    assert trial.references[0].text == "das blaue L unten"
    assert trial.scene.entity("tile-1").attributes == (
        Property("shape", "L"),
        Property("colour", "blue"),
        Property("grid", "grid4"),
        Property("col", "1"),
        Property("row", "1"),
    )
    # The fourth grid is below the second, to the right of the third.
    assert trial.scene.entity("tile-1").position == (4.0, 4.0)


def test_speech_and_selections_come_in_order(tmp_path: Path) -> None:
    (trial,) = PentoTake(write(tmp_path, TINY["pento-take"])).trials()
    assert [(e.kind, e.start_ms) for e in trial.episode] == [
        ("utterance", 1000),
        ("utterance", 3000),
        ("select", 5000),
        ("select", 8000),
        ("utterance", 9000),
    ]


def test_an_episode_without_a_piece_has_no_target_and_is_left_out(tmp_path: Path) -> None:
    corpus = PentoTake(write(tmp_path, TINY["pento-take"]))
    assert len(list(corpus.trials())) == 1
    (response,) = corpus.responses()
    assert (response.entity, response.flags) == ("tile-1", ("defines-target",))


# data/pento-take/README.md: 1,039 episodes, 7 sessions, 15 pieces, 4 without a piece, 77 without an utterance (74 of them have a piece).
@pytest.mark.data
def test_counts(data_folder: Path) -> None:
    trials = list(PentoTake(data_folder).trials())
    assert (len(trials), len({t.speaker for t in trials})) == (1039 - 4, 7)
    assert {len(t.scene.entities) for t in trials} == {15}
    assert sum(not any(e.kind == "utterance" for e in t.episode) for t in trials) == 74


# data/pento-take/README.md: a single colour word matches the piece in 805 of 812 episodes, 99.1 % (their list of words is not given).
@pytest.mark.data
def test_the_colour_that_is_said_is_the_colour_of_the_piece(data_folder: Path) -> None:
    matches = []
    for trial in PentoTake(data_folder).trials():
        said = " ".join(e.text or "" for e in trial.episode if e.kind == "utterance").lower().replace(":", "")
        found = {colour for word, colour in COLOURS.items() if re.search(rf"\b{word}(e[snrm]?)?\b", said)}
        if len(found) == 1:
            matches.append(found == {trial.scene.entity(trial.targets[0]).value("colour")})
    assert len(matches) > 750
    assert sum(matches) / len(matches) > 0.985
