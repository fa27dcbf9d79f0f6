"""The statistics of an item do not depend on the other items of its chunk, to the last bit: otherwise the size of shards would show in the digits."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from referee import catalogue
from referee.capabilities import LearnsFirst
from referee.contracts import Batch
from referee.corpora.synthetic.corpus import generate_trials

N = 150
TRIALS = list(islice(generate_trials(N + 1), N + 1))
WHOLE = Batch.of([t.references[0] for t in TRIALS[:-1]], TRIALS[1:])
# Measures of places have one place an item; scores of others come from a file; encoders are other people's.
OTHERS = ("ground/", "imported/", "embedding/")
NAMES = [n for n in catalogue.names("metric") if catalogue.is_shipped("metric", n) and not n.startswith(OTHERS)]


def part(start: int, stop: int) -> Batch:
    cut = {name: getattr(WHOLE, name)[start:stop] for name in ("outputs", "trials", "references")}
    return replace(WHOLE, **cut, cache={})


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_the_same_in_any_chunk(name: str) -> None:
    metric = catalogue.configure("metric", name)
    if isinstance(metric, LearnsFirst):
        metric.learn(part(0, N))
    whole = metric.statistics(part(0, N))
    for size in (7, 40):
        rows = [metric.statistics(part(at, min(at + size, N))) for at in range(0, N, size)]
        assert np.array_equal(np.concatenate(rows), whole, equal_nan=True)
