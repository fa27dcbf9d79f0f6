"""Readers of tangram descriptions with pictures, and that they are those of tg-matcher."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import median

import pytest
from tiny import TINY, reader_row, write

from referee.corpora.tangrams import NaiveMatchers
from referee.corpora.vlm_tangram import VlmTangram
from referee.errors import MalformedInput


def test_one_description_has_many_readers(tmp_path: Path) -> None:
    corpus = VlmTangram(write(tmp_path, TINY["vlm-tangram"]))
    (trial,) = corpus.trials()
    assert (trial.id, trial.targets, trial.speaker) == ("vlm-2_thick-round_1-G4-C", ("C",), "G4")
    assert trial.references[0].text == "a swan"
    assert [(r.hearer, r.entity, r.identification_ms) for r in corpus.responses()] == [
        ("914", "C", 2500),
        ("915", "D", 2500),
        ("914", "C", 2500),
    ]
    assert next(corpus.responses()).description.text == "a swan flying?"  # type: ignore[union-attr]


def test_figures_name_their_pictures(tmp_path: Path) -> None:
    (trial,) = VlmTangram(write(tmp_path, TINY["vlm-tangram"])).trials()
    assert trial.scene.entity("L").image == "vlm-tangram/images/tangram_L.png"


def test_an_answer_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    rows = [reader_row("1", "D") | {"correct": "1"}]
    with pytest.raises(MalformedInput, match=r":2: correct is 1, but D was chosen and C meant"):
        list(VlmTangram(write(tmp_path, {"vlm-tangram/human_data.csv.gz": rows})).responses())


# data/vlm-tangram/README.md: 7,440 guesses of 120 people.
@pytest.mark.data
def test_counts_of_the_real_corpus(data_folder: Path) -> None:
    corpus = VlmTangram(data_folder)
    trials = {t.id: t for t in corpus.trials()}
    responses = list(corpus.responses())
    assert (len(responses), len({r.hearer for r in responses}), len(trials)) == (7440, 120, 3166)
    assert len({t.meta["game"] for t in trials.values()}) == 203
    assert sum(r.entity in trials[r.trial].targets for r in responses) == 4374
    assert all((data_folder / e.image).is_file() for e in next(iter(trials.values())).scene.entities if e.image)
    assert median(r.identification_ms or 0 for r in responses) == 8931.5  # counted over the table without the reader


@pytest.mark.data
@pytest.mark.long
def test_every_guess_is_in_tg_matcher_too(data_folder: Path) -> None:
    ours, theirs = VlmTangram(data_folder), NaiveMatchers(data_folder)
    guesses = []
    for corpus in (ours, theirs):
        targets = {t.id: t.targets for t in corpus.trials()}
        rows = [r for r in corpus.responses() if r.flags != ("calibration",)]
        guesses.append(Counter((r.hearer, targets[r.trial], r.entity, r.identification_ms) for r in rows))
    assert guesses[0] == guesses[1]
    assert ours.card.overlaps == ("tg-matcher",)
    assert theirs.card.overlaps == ("vlm-tangram",)
