"""The shipped outputs are those that the toy speakers give, and the toys are what they are called."""

from __future__ import annotations

from itertools import combinations

import pytest

from referee.corpora.demo import list_output_files
from referee.corpora.demo.make import TOYS, make_lines
from referee.corpora.outputs import read_outputs
from referee.corpora.synthetic.corpus import Synthetic
from referee.records import Trial

TRIALS: dict[str, Trial] = {t.id: t for t in Synthetic().trials()}


def test_every_toy_is_shipped() -> None:
    assert [path.stem for path in list_output_files()] == sorted(TOYS)


@pytest.mark.parametrize("system", TOYS)
def test_shipped_outputs_are_those_that_making_gives(system: str) -> None:
    shipped = next(p for p in list_output_files() if p.stem == system)
    assert shipped.read_text("utf-8").splitlines() == list(make_lines(system))


def test_toys_answer_every_trial_with_true_and_unique_descriptions() -> None:
    for path in list_output_files():
        outputs = list(read_outputs(path))
        assert [o.trial for o in outputs] == list(TRIALS)
        for output in outputs:
            trial = TRIALS[output.trial]
            assert trial.scene.denotation(output.description.properties or ()) == trial.target_mask


def test_minimal_says_as_little_as_possible() -> None:
    for output in read_outputs(next(p for p in list_output_files() if p.stem == "toy-minimal")):
        said, trial = output.description.properties or (), TRIALS[output.trial]
        target = trial.scene.entity(trial.targets[0])
        smaller = [s for size in range(len(said)) for s in combinations(target.attributes, size)]
        assert not any(trial.scene.denotation(s) == trial.target_mask for s in smaller)
        assert len(said) <= len(trial.meta["minimal"])


def test_chatty_says_all_that_the_target_looks_like() -> None:
    for output in read_outputs(next(p for p in list_output_files() if p.stem == "toy-chatty")):
        target = TRIALS[output.trial].scene.entity(TRIALS[output.trial].targets[0])
        unsaid = set(target.attributes) - set(output.description.properties or ())
        assert all(p.value == "0" or p.name in ("x-dimension", "y-dimension") for p in unsaid)
