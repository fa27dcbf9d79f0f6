"""Colors in Context in Mandarin: two tables put together, in the form of the English corpus."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import mean

import pytest
from tiny import TINY, write

from referee.corpora.colors_mandarin import ColorsMandarin
from referee.errors import MalformedInput

CLICKS, MESSAGES = TINY["colors-mandarin"]


def test_rounds_have_the_form_of_colors(tmp_path: Path) -> None:
    corpus = ColorsMandarin(write(tmp_path, TINY["colors-mandarin"]))
    first, second = corpus.trials()
    assert (first.id, first.condition, first.language, first.targets) == (
        "colors-mandarin-5-ab-1",
        "split",
        "zh",
        ("c2",),
    )
    assert [e.value("h") for e in first.scene.entities] == ["10", "20", "30"]
    assert first.meta["roles"] == {"c1": "distr2", "c2": "target", "c3": "distr1"}
    assert first.meta["listener_positions"] == {"c1": 2, "c2": 1, "c3": 3}
    assert (second.after, second.references) == (first.id, ()), "only the listener wrote"


def test_the_second_click_of_a_round_is_not_read(tmp_path: Path) -> None:
    first, second = ColorsMandarin(write(tmp_path, TINY["colors-mandarin"])).responses()
    assert (first.entity, first.identification_ms, first.flags) == ("c3", 3000, ("simple",))
    assert (second.entity, second.identification_ms, second.description) == ("c2", None, None)


def test_a_comma_in_a_message_ends_no_message(tmp_path: Path) -> None:
    table = "gameid,epochTime,roundNum,sender,contents\n5-ab,47000,1,演说者,紅,亮\n"
    trial = next(ColorsMandarin(write(tmp_path, TINY["colors-mandarin"] | {MESSAGES: table})).trials())
    assert trial.references[0].text == "紅,亮"


def test_an_unknown_sender_is_refused(tmp_path: Path) -> None:
    table = "gameid,epochTime,roundNum,sender,contents\n5-ab,47000,1,nobody,x\n"
    with pytest.raises(MalformedInput, match="'nobody' is missing"):
        list(ColorsMandarin(write(tmp_path, TINY["colors-mandarin"] | {MESSAGES: table})).trials())


# data/colors-mandarin/README.md: 4,312 clicks (one round has two), 99 games, success .782, conditions 1,433 / 1,435 / 1,444.
@pytest.mark.data
def test_counts_of_the_real_corpus(data_folder: Path) -> None:
    corpus = ColorsMandarin(data_folder)
    trials = list(corpus.trials())
    right = [r.entity in t.targets for t, r in zip(trials, corpus.responses(), strict=True)]
    assert (len(trials), len({t.meta["game"] for t in trials})) == (4311, 99)
    assert Counter(t.condition for t in trials) == {"split": 1433, "far": 1435, "close": 1444 - 1}
    assert sum(right) == 3370 - 1, "the second click of the doubled round was right"
    silent = [ok for t, ok in zip(trials, right, strict=True) if not t.references]
    assert (len(silent), round(mean(silent), 2)) == (705, 0.30)  # counted over the tables without the reader
