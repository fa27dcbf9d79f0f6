"""`referee.replicate`: run a challenge's systems again and compare our scores with the printed ones."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.api import charts
from referee.api.options import ReplicateOptions
from referee.api.results import REPLICATION, Result, make_frame
from referee.engines.choice import count_cores
from referee.errors import InputError
from referee.jobs.challenge_tasks import TASKS, load_task
from referee.jobs.open import open_corpus, open_train_and_test
from referee.jobs.replicate import replicate as replicate_task
from referee.jobs.replicate import summarise
from referee.options import accept_options
from referee.show.reports.score_tables import format_number

if TYPE_CHECKING:
    import altair as alt


OWN_TRIALS = (
    "trials: our systems are trained and tested on the given trials; they are reconstructions (see the column evidence)"
)


class Replication(Result):
    """Our scores of a challenge's systems beside the printed scores, and their agreement.

    Args:
        task: of which challenge.
        rows: one per system, domain and measure.
        other_cuts: the same of other cuts of the corpus, for the range of rho.
        has_own_trials: whether these are scores on the challenge's own training and test trials.

    >>> row = {"system": "A", "domain": "both", "metric": "set/dice", "ours": 0.7, "published": 0.8, "difference": -0.1, "evidence": "faithful"}
    >>> Replication("tuna2008-as", [row])
    Replication of tuna2008-as: 1 systems, set/dice: Spearman's rho –, mean absolute difference 0.100
    """

    def __init__(
        self,
        task: str,
        rows: list[dict[str, Any]],
        other_cuts: Sequence[list[dict[str, Any]]] = (),
        has_own_trials: bool = False,
    ) -> None:
        self.task, self.rows, self.summary = task, rows, summarise(task, rows, other_cuts)
        self.has_own_trials = has_own_trials
        super().__init__(make_frame(({**r, "task": task, "value": r["ours"]} for r in rows), REPLICATION))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return the known reasons why our scores can differ from the printed ones."""
        # The general reasons are about folds of the public corpus.
        return (OWN_TRIALS,) if self.has_own_trials else TASKS[self.task].reasons

    def plot(self) -> alt.TopLevelMixin:
        """Return a scatter chart of our scores against the printed ones, one panel per measure."""
        keep = ("system", "metric", "ours", "published")
        rows = [{k: r[k] for k in keep} for r in self.rows if r["domain"] == "both"]
        return charts.draw_scatter(
            rows,
            f"{self.task}: our scores and the printed ones",
            x="published",
            y="ours",
            panel="metric",
            label="system",
        )

    def _get_title(self) -> str:
        """Return the title of the replication."""
        s, n = self.summary, self.frame["system"].n_unique()
        return (
            f"Replication of {self.task}: {n} systems, {s['metric']}: Spearman's rho {format_number(s['spearman'])}, "
            f"mean absolute difference {format_number(s['mean_absolute_difference'])}"
        )

    def _list_notes(self) -> Sequence[str]:
        return self.reasons


@accept_options(ReplicateOptions)
def replicate(options: ReplicateOptions) -> Replication:
    """Run the systems of a challenge on TUNA, and compare with the printed scores (`referee replicate`).

    Returns:
        A `Replication`.

    Raises:
        UnknownName: for an unknown task.
        DataNotFound: if TUNA is not in the data folder.

    >>> import referee
    >>> referee.replicate("tuna2010")
    Traceback (most recent call last):
    ...
    referee.errors.UnknownName: no task is called 'tuna2010'...
    """
    # A wrong name is reported before the corpus is read.
    load_task(options.task)
    trained_on = None
    if options.train is not None or options.test is not None or options.peers:
        if options.train is None or options.test is None:
            raise InputError(
                "peers and challenge trials need both the training and the test trials",
                remedy="write --train and --test",
            )
        opened, trained_on = open_train_and_test(options.train, options.test, options.data, options.reading)
    else:
        opened = open_corpus("tuna", data=options.data, reading=options.reading)
    # Made in any case: without `out` the run is only a means.
    with tempfile.TemporaryDirectory(prefix="referee-") as place:
        cuts = [
            replicate_task(
                options.task,
                opened,
                # Only the first cut is kept: the others are there for the range.
                Path(options.out) if options.out and not number_of_cut else Path(place) / f"run{number_of_cut}",
                folds=options.folds,
                seed=options.seed + number_of_cut,
                jobs=options.jobs or count_cores(),
                least_words=options.least_words,
                draws=0 if number_of_cut else options.draws,
                trained_on=trained_on,
                peers=options.peers,
                watch=options.progress,
                overwrite=options.overwrite,
                command=sys.argv[1:],
            )
            for number_of_cut in range(options.seeds if trained_on is None else 1)
        ]
    return Replication(options.task, cuts[0], cuts[1:], has_own_trials=trained_on is not None)
