"""Cross-validation of a table of systems on TUNA, and the printed scores beside it, for the tests of the replications."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

import numpy as np

from referee import catalogue
from referee.auditing.paper import read_shipped_paper
from referee.contracts import Batch
from referee.corpora.splits import make_folds
from referee.records import Description, Trial

Outputs = dict[str, list[Description]]


def cross_validate(table: ModuleType, trials: list[Trial]) -> Outputs:
    """What every system of the table says about every trial, trained on the other folds."""
    return {name: described(table, name, trials, table.FOLDS) for name in table.TABLE}


def described(table: ModuleType, name: str, trials: list[Trial], cut: tuple[str, int]) -> list[Description]:
    """What one system says about every trial when the corpus is cut in this way."""
    by, k = cut
    said: dict[str, Description] = {}
    for train, test in make_folds(trials, k, by=by):
        system = table.system(name).fit(train)
        said.update((trial.id, system.describe(trial.for_speaker())) for trial in test)
    return [said[trial.id] for trial in trials]


def by_domain(metric: str, said: list[Description], trials: list[Trial]) -> dict[str | None, float]:
    """The value of a metric in each domain."""
    measure = catalogue.create("metric", metric)
    found: dict[str | None, float] = {}
    for domain in dict.fromkeys(t.domain for t in trials):
        places = [i for i, t in enumerate(trials) if t.domain == domain]
        found[domain] = measure.score(Batch.of([said[i] for i in places], [trials[i] for i in places])).value
    return found


def scores(metric: str, outputs: Outputs, trials: list[Trial]) -> dict[str, float]:
    """The value of a metric for every system."""
    measure = catalogue.create("metric", metric)
    return {name: measure.score(Batch.of(said, trials)).value for name, said in outputs.items()}


def printed(table: ModuleType, metric: str) -> dict[str, float]:
    """The printed value of a metric for every system."""
    paper, which, columns = table.PUBLISHED
    cells = read_shipped_paper(paper).tables[which]
    return {name: float(cells.text(entry.printed or name, columns[metric])) for name, entry in table.TABLE.items()}


def mean_difference(ours: Mapping[str, float], theirs: Mapping[str, float], names: list[str]) -> float:
    return float(np.mean([abs(ours[name] - theirs[name]) for name in names]))


def rank_correlation(ours: Mapping[str, float], theirs: Mapping[str, float]) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr([ours[name] for name in theirs], list(theirs.values())).statistic)
