"""Power of the registered contrasts, by simulated answers to the trials of a study's own lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from referee.contracts import FloatArray
from referee.statistics.frames import IntArray
from referee.statistics.power import BLOCK, PlannedStudy
from referee_lab.study.analysis.factorial import iterate_contrast_weights
from referee_lab.study.folder.study import FILLER, LEVELS, Study

MOST_ERRORS = 0.99


def simulate_contrasts(study: Study, simulations: int) -> Iterator[tuple[str, int]]:
    """Yield every registered contrast, and the number of simulated studies in which it is significant.

    Error rates of the cells differ so that the contrast has the size of `[analysis] effect`; the lowest is `base`.
    Participants and items have random intercepts. Participants' scores are tested, from which the means of items are
    subtracted: a test close to that of the mixed model.
    """
    cells = {c: tuple(c.split(LEVELS)) for c in study.list_cells() if c != FILLER}
    trials = [
        (person, item, cell)
        for person in range(study.participants)
        for item, condition in study.lists[person % len(study.lists)].trials
        if (cell := study.find_cell(study.stimuli[f"{item}|{condition}"])) in cells
    ]
    people, items, conditions = (np.array(column) for column in zip(*trials, strict=True))
    between = [study.design.factors.index(name) for name in study.design.between]
    group_of = {c: "|".join(levels[place] for place in between) for c, levels in cells.items()}
    groups = np.array([group_of[str(c)] for c in conditions[np.unique(people, return_index=True)[1]]])
    item_codes = np.unique(items, return_inverse=True)[1]
    is_item = np.eye(item_codes.max() + 1)[item_codes]
    for contrast in study.analysis.contrasts:
        for name, levels, weights in iterate_contrast_weights(contrast, study.design.factors, cells):
            of_cell = _cell_rates(weights, study)
            rates = np.array([of_cell.get(str(c), study.analysis.base) for c in conditions])
            scoring = _score_matrix(people, conditions, weights)
            rng, hits = np.random.default_rng(study.seed), 0
            for start in range(0, simulations, BLOCK):
                number = min(BLOCK, simulations - start)
                answers = _simulate_errors(rates, people, item_codes, number, rng)
                answers -= (answers @ is_item / is_item.sum(axis=0))[:, item_codes]
                hits += _count_significant(answers @ scoring, groups, study.analysis.alpha)
            yield f"{name}, {levels}", hits


def _cell_rates(weights: Mapping[str, float], study: Study) -> dict[str, float]:
    """Return the error rate of every cell of a contrast whose size is the smallest effect worth finding."""
    step = study.analysis.effect / sum(weight**2 for weight in weights.values())
    lowest = min(weights.values())
    return {cell: min(study.analysis.base + step * (w - lowest), MOST_ERRORS) for cell, w in weights.items()}


def _score_matrix(people: IntArray, conditions: NDArray[np.str_], weights: Mapping[str, float]) -> FloatArray:
    """Return the weights that turn answers into scores: of every participant, the weighted sum of means of cells."""
    scoring = np.zeros((len(people), people.max() + 1))
    for cell, weight in weights.items():
        is_shown = (people[:, None] == np.arange(people.max() + 1)) & (conditions == cell)[:, None]
        scoring += weight * is_shown / np.maximum(is_shown.sum(axis=0), 1)
    return scoring


def _simulate_errors(
    rates: FloatArray, people: IntArray, items: IntArray, number: int, rng: np.random.Generator
) -> FloatArray:
    """Return simulated errors, one row for each study."""
    spreads = PlannedStudy(systems=2, items=2, participants=2, effect=0).spreads
    shift = np.log(rates / (1 - rates))
    for spread, codes in zip(spreads, (people, items), strict=True):
        shift = shift + spread * rng.standard_normal((number, codes.max() + 1))[:, codes]
    return (rng.random(shift.shape) < 1 / (1 + np.exp(-shift))).astype(float)


def _count_significant(scores: FloatArray, groups: NDArray[np.str_], alpha: float) -> int:
    """Count the studies in which the sum of the groups' mean scores differs from zero by a t test."""
    from scipy.special import stdtrit

    estimate, variance, df = np.zeros(len(scores)), np.zeros(len(scores)), 0
    for group in np.unique(groups):
        of_group = scores[:, groups == group]
        count = of_group.shape[1]
        estimate += of_group.mean(axis=1)
        variance += of_group.var(axis=1, ddof=1) / count if count > 1 else np.inf
        df += count - 1
    return int((np.abs(estimate) > stdtrit(df, 1 - alpha / 2) * np.sqrt(variance)).sum()) if df else 0
