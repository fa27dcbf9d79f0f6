"""The neural baseline learns a corpus, says what the target has, and says the same for the same seed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from referee import create
from referee.api.run import run
from referee.contracts import Batch
from referee.corpora.synthetic.corpus import Synthetic

TRIALS = list(Synthetic(speakers=12).trials())


def test_without_torch_the_system_costs_its_row_and_not_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    systems = ["neural/transformer", "classic/incremental"]
    made = run(systems, "synthetic", out=tmp_path / "run", limit=12, folds=2, folds_by="random", jobs=1)
    assert made.counts["neural/transformer"]["not run: needs referee[neural]"] == 12
    assert made.counts["classic/incremental"]["answered"] == 12


def test_it_learns_what_people_mention_and_how_they_say_it() -> None:
    pytest.importorskip("torch")
    train, test = TRIALS[:120], TRIALS[120:150]
    outputs = [create("system", "neural/transformer", epochs=15, width=32).fit(train)] * 2
    said = [outputs[0].describe(t.for_speaker()) for t in test]
    batch = Batch.of(said, test)
    everything = [create("system", "baseline/everything").describe(t.for_speaker()) for t in test]
    dice = create("metric", "set/dice")
    assert dice.score(batch).value > dice.score(Batch.of(everything, test)).value
    for description, trial in zip(said, test, strict=True):
        target = trial.scene.entity(trial.targets[0])
        assert all(target.has(p) for p in description.properties or ())
        assert len(set(description.properties or ())) == len(description.properties or ())
    known = {word for t in train for r in t.references for word in (r.text or "").lower().split()}
    assert {word for d in said for word in (d.text or "").split()} <= known


def test_the_same_seed_says_the_same() -> None:
    pytest.importorskip("torch")
    view = TRIALS[60].for_speaker()
    first, again = (
        create("system", "neural/transformer", epochs=2, width=16).fit(TRIALS[:40]).describe(view) for _ in range(2)
    )
    assert first == again
