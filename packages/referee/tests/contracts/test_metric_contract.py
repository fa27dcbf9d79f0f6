"""What every metric of the catalogue promises, whoever wrote it."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest

from referee import catalogue
from referee.contracts import Batch, Metric
from referee.corpora.synthetic.corpus import Synthetic
from referee.records import Description, Trial
from referee.signature import parameters, signature

# Those that need weights or a file are held to the same by tests of their own (test_embeddings).
NAMES = [name for name in catalogue.METRICS if not name.startswith(("embedding/", "imported/"))]


@pytest.fixture(scope="module")
def trials() -> list[Trial]:
    return list(Synthetic(speakers=3).trials())


def copied(trials: list[Trial]) -> Batch:
    """A system that says exactly what the person said."""
    return Batch.of([replace(t.references[0], spans=()) for t in trials], trials)


@pytest.mark.parametrize("name", NAMES)
class TestEveryMetric:
    def test_conforms_and_knows_its_name(self, name: str) -> None:
        metric = catalogue.create("metric", name)
        assert isinstance(metric, Metric)
        assert name.startswith(metric.name), "a variant carries the name of its measure; the switches tell it apart"
        assert metric.direction in ("higher", "lower", "none")
        assert metric.needs in ("properties", "text", "distribution", "place")

    def test_explains_itself(self, name: str) -> None:
        text = inspect.getdoc(catalogue.load("metric", name)) or ""
        assert len(text) > 100, "formula, range, direction, source and empty case belong into the docstring"

    def test_signs_every_switch(self, name: str) -> None:
        metric = catalogue.create("metric", name)
        signed = signature(name, metric)
        assert signed.startswith(f"{name}|") or not parameters(metric)
        assert all(f"|{switch}:" in signed for switch in parameters(metric))

    def test_measures_one_row_an_item(self, name: str, trials: list[Trial]) -> None:
        metric = catalogue.create("metric", name)
        rows = metric.statistics(copied(trials))
        assert rows.shape[0] == len(trials)
        assert rows.dtype == np.float64

    def test_rows_add_up(self, name: str, trials: list[Trial]) -> None:
        """Finishing a sum of rows is all there is: a bootstrap needs nothing else."""
        metric = catalogue.create("metric", name)
        rows = metric.statistics(copied(trials))
        present = rows[~np.isnan(rows).any(axis=1)]
        if metric.needs == "place":  # descriptions are no places; tests/metrics/test_grounding.py has some
            assert (len(present), metric.combine(rows).value) == (0, None)
            return
        value = metric.finish(present.sum(axis=0), np.asarray(float(len(present))))
        assert metric.combine(rows).value == pytest.approx(float(value))
        stacked = metric.finish(np.stack([present.sum(axis=0)] * 3), np.full(3, float(len(present))))
        assert stacked == pytest.approx([float(value)] * 3)

    def test_stays_in_its_range(self, name: str, trials: list[Trial]) -> None:
        metric = catalogue.create("metric", name)
        shifted = [trials[i - 1].references[0] for i in range(len(trials))]
        for outputs in (
            [t.references[0] for t in trials],
            shifted,
            [Description(properties=(), text="")] * len(trials),
        ):
            value = metric.score(Batch.of(outputs, trials)).value
            low, high = metric.range
            assert value is None or (low is None or value >= low - 1e-9)
            assert value is None or (high is None or value <= high + 1e-9)

    def test_nothing_is_not_zero(self, name: str, trials: list[Trial]) -> None:
        metric = catalogue.create("metric", name)
        score = metric.score(Batch.of([None] * len(trials), trials))
        assert (score.value, score.n) == (None, 0)
        assert (metric.combine(np.empty((0, metric.width))).value) is None

    def test_an_output_left_out_does_not_count(self, name: str, trials: list[Trial]) -> None:
        metric = catalogue.create("metric", name)
        batch = copied(trials)
        fewer = Batch.of([None, *batch.outputs[1:]], trials)
        assert np.isnan(metric.statistics(fewer)[0]).all()
        assert catalogue.create("metric", name).score(fewer).n <= len(trials) - 1

    def test_the_order_of_items_does_not_matter(self, name: str, trials: list[Trial]) -> None:
        batch = copied(trials)
        turned = Batch.of(batch.outputs[::-1], trials[::-1])
        forward, backward = (catalogue.create("metric", name).score(b).value for b in (batch, turned))
        assert forward == pytest.approx(backward)

    def test_two_halves_learned_first_equal_the_whole(self, name: str, trials: list[Trial]) -> None:
        """Scoring streams in chunks; a metric that needs the whole set learns it in a first pass."""
        batch, half = copied(trials), len(trials) // 2
        parts = [Batch.of(batch.outputs[s], trials[s]) for s in (slice(0, half), slice(half, None))]
        metric = catalogue.create("metric", name)
        if hasattr(metric, "learn"):
            for part in parts:
                metric.learn(part)
        rows = np.concatenate([metric.statistics(part) for part in parts])
        whole = catalogue.create("metric", name).score(batch).value
        assert metric.combine(rows).value == pytest.approx(whole)


PERFECT = {n for n in NAMES if n.startswith(("set/", "string/"))} - {
    "set/edit.tree",
    "string/edit",
    "string/edit.1",
    "string/edit.normalised",
    "string/nist",
    # a mean over orders, of which short texts have fewer
    "string/cider",
    "string/cider-d",
}


@pytest.mark.parametrize("name", sorted(PERFECT))
def test_copying_the_reference_is_perfect(name: str, trials: list[Trial]) -> None:
    metric = catalogue.create("metric", name)
    perfect = 100.0 if metric.range[1] == 100 else 1.0
    if name == "string/rouge-2":
        trials = [t for t in trials if len((t.references[0].text or "").split()) > 1]
    assert metric.score(copied(trials)).value == pytest.approx(perfect)


@pytest.mark.parametrize(
    "name", ["set/edit.tree", "string/edit", "string/edit.1", "string/edit.normalised", "distribution/js"]
)
def test_copying_the_reference_is_no_distance(name: str, trials: list[Trial]) -> None:
    assert catalogue.create("metric", name).score(copied(trials)).value == pytest.approx(0.0)
