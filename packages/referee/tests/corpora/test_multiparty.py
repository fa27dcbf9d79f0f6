"""Tangrams in groups: a trial for every round, a response for every listener of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import mean

import pytest
from tiny import TINY, write

from referee.corpora.multiparty import MultipartyTangrams
from referee.errors import MalformedInput
from referee.records import Outcome


def test_rounds_come_in_the_order_they_were_played(tmp_path: Path) -> None:
    first, second, *_ = MultipartyTangrams(write(tmp_path, TINY["multiparty-tangrams"])).trials()
    assert (first.id, second.id, second.after) == ("multiparty-1a-G1-0", "multiparty-1a-G1-1", first.id)
    assert (first.targets, first.condition, first.speaker) == (("C",), "repetition-2", "ann")
    assert first.meta == {"game": "G1", "study": "1a", "players": 3, "repetition": 2}


def test_chit_chat_is_heard_but_is_no_description(tmp_path: Path) -> None:
    first, second, *_ = MultipartyTangrams(write(tmp_path, TINY["multiparty-tangrams"])).trials()
    assert [d.text for d in first.references] == ["a swan"]
    assert [e.text for e in first.episode if e.kind == "message"] == ["hi all", "hi", "a swan"]
    assert second.references == (), "a row of NA stands for a chat that was empty"


def test_every_listener_answers_or_runs_out_of_time(tmp_path: Path) -> None:
    corpus = MultipartyTangrams(write(tmp_path, TINY["multiparty-tangrams"]))
    wrong, silent, *right = list(corpus.responses())[:4]
    assert (wrong.trial, wrong.hearer, wrong.entity) == ("multiparty-1a-G1-0", "bob", "K")
    assert (silent.hearer, silent.outcome, silent.entity) == ("cem", Outcome.TIMEOUT, None)
    assert [(r.hearer, r.entity) for r in right] == [("bob", "C"), ("cem", "C")]


def test_a_time_since_the_start_is_no_time_of_identification(tmp_path: Path) -> None:
    corpus = MultipartyTangrams(write(tmp_path, TINY["multiparty-tangrams"]))
    click = next(e for e in next(corpus.trials()).episode if e.kind == "click")
    assert click.data["seconds_from_start"] == -3.5, "as the source has it"
    assert all(r.identification_ms is None for r in corpus.responses())


def test_a_figure_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    files = dict(TINY["multiparty-tangrams"])
    name = "multiparty-tangrams/study2a.raw_results.csv.gz"
    files[name] = [row | {"target": "/experiment/tangram_Z.png"} for row in files[name]]
    with pytest.raises(MalformedInput, match=r"study2a.*'Z' is not an entity"):
        list(MultipartyTangrams(write(tmp_path, files)).trials())


# data/multiparty-tangrams/README.md: rows of the five tables of results; games and timeouts counted over the tables without the reader.
@pytest.mark.long
@pytest.mark.data
def test_counts_of_the_real_corpus(data_folder: Path) -> None:
    corpus = MultipartyTangrams(data_folder)
    trials = {t.id: t for t in corpus.trials()}
    responses = list(corpus.responses())
    assert Counter(r.flags[0] for r in responses) == {
        "study-1a": 8514,
        "study-1b": 10757,
        "study-2a": 6080,
        "study-2b": 6220,
        "study-2c": 5385,
    }
    assert (len(trials), len({t.meta["game"] for t in trials.values()})) == (10102, 61 + 43 + 20 + 20 + 20)
    late = [r for r in responses if r.outcome == Outcome.TIMEOUT]
    assert (len(late), sum(r.description is None for r in late)) == (203 + 395 + 20 + 1195 + 816, 2501)
    answered = [r.entity in trials[r.trial].targets for r in responses if r.flags == ("study-1a",) and r.entity]
    assert round(mean(answered), 3) == 0.918
    assert sum(not t.references for t in trials.values()) == 545 + 8
