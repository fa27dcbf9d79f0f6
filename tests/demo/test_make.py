"""The shipped outputs are those that the toy speakers give, and the toys are what they are called."""

from __future__ import annotations

import pytest

from referee.corpora.outputs import read_outputs
from referee.corpora.synthetic import Synthetic
from referee.demo import outputs_files
from referee.demo.make import TOYS, make
from referee.records import Trial

TRIALS: dict[str, Trial] = {t.id: t for t in Synthetic().trials()}


def test_every_toy_is_shipped() -> None:
    assert [path.stem for path in outputs_files()] == sorted(TOYS)


@pytest.mark.parametrize("system", TOYS)
def test_shipped_outputs_are_those_that_making_gives(system: str) -> None:
    shipped = next(p for p in outputs_files() if p.stem == system)
    assert shipped.read_text("utf-8").splitlines() == list(make(system))


def test_toys_answer_every_trial_with_true_and_unique_descriptions() -> None:
    for path in outputs_files():
        outputs = list(read_outputs(path))
        assert [o.trial for o in outputs] == list(TRIALS)
        for output in outputs:
            trial = TRIALS[output.trial]
            assert trial.scene.denotation(output.description.properties or ()) == trial.target_mask


def test_minimal_says_less_than_any_person_would_and_chatty_more() -> None:
    minimal, chatty = (list(read_outputs(p)) for p in sorted(outputs_files(), reverse=True))
    for few, much in zip(minimal, chatty, strict=True):
        assert set(few.description.properties or ()) <= set(much.description.properties or ())
        assert len(few.description.properties or ()) == len(TRIALS[few.trial].meta["minimal"])
