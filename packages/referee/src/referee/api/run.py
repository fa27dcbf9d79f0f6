"""`referee.run`: runs systems on a corpus; a run folder stores their outputs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.api import charts
from referee.api.options import RunOptions
from referee.api.results import OUTPUTS, RUNS, Result, make_frame
from referee.api.score import Scores, score, split_names
from referee.engines.choice import make_engine
from referee.errors import InputError
from referee.jobs.folder import Run
from referee.jobs.folds import RunPlan
from referee.jobs.open import Opened, open_corpus, open_train_and_test
from referee.jobs.run import Watch
from referee.jobs.run import run as run_plan
from referee.jobs.speak import parse_systems, repeat_sampled
from referee.options import accept_options

if TYPE_CHECKING:
    import altair as alt
    import polars as pl


class FinishedRun(Result):
    """A new run folder: the outputs of every system, and its path.

    Args:
        folder: its path.
        counts: the numbers of outputs and outcomes, by system.

    >>> import referee, tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     made = referee.run("classic/incremental", "synthetic", out=f"{place}/run", limit=20, folds_by="random", jobs=1)
    ...     made, made.outputs["text"][0] is None
    (FinishedRun: 1 system, 20 trials in run, True)
    """

    def __init__(self, folder: Path, counts: dict[str, dict[str, float]]) -> None:
        self.folder, self.counts = folder, counts
        signed = Run(folder).manifest.get("signatures", {})
        rows = [{"system": s, "signature": signed.get(s), **system_counts} for s, system_counts in counts.items()]
        super().__init__(make_frame(rows, RUNS))

    @property
    def outputs(self) -> pl.DataFrame:
        """Return the outputs: one row per system and trial."""
        rows = (
            {
                "system": o.system,
                "trial": o.trial,
                "text": o.description.text,
                "properties": None
                if o.description.properties is None
                else " ".join(map(str, o.description.properties)),
            }
            for o in Run(self.folder).outputs()
        )
        return make_frame(rows, OUTPUTS)

    def score(self, **options: Any) -> Scores:
        """Score this run, with the options of `referee.score`."""
        return score(self.folder, **options)

    def plot(self) -> alt.TopLevelMixin:
        """Return a bar chart of how many trials each system answered."""
        return charts.draw_bars(self.frame.to_dicts(), "trials answered", x="answered", y="system")

    def _get_title(self) -> str:
        """Return the title of the run."""
        n = len(self.frame)
        trials = max(self.frame["trials"], default=0)
        return f"FinishedRun: {n} system{'s' * (n != 1)}, {trials:,} trials in {self.folder.name}"


@accept_options(RunOptions)
def run(options: RunOptions) -> FinishedRun:
    """Train and run systems by name on a corpus (`referee run`).

    Each trial is described by a system trained on other trials.

    Returns:
        A `FinishedRun`; ``.score()`` measures it.

    Raises:
        UnknownName: for a system or corpus that is not in the catalogue.
        InputError: if `out` exists, or an input cannot be read.

    >>> import referee, tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     made = referee.run("classic/greedy", "synthetic", out=f"{place}/run", limit=20, folds_by="random", jobs=1)
    ...     made.frame["answered"].to_list(), made.score(metrics="set/dice").frame["n"].to_list()
    ([20], [20])
    """
    if options.retry is not None:
        return _retry_run(Path(options.retry), split_names(options.systems), options.progress)
    has_pack = options.train is not None or options.test is not None
    if not options.systems or (options.corpus is None and not has_pack) or options.out is None:
        raise InputError("systems, a corpus and a place for the run are needed", remedy="name all three, or `retry`")
    if has_pack and (
        None in (options.train, options.test) or options.corpus is not None or options.cut or options.only
    ):
        raise InputError(
            "training and test trials replace the corpus and its cut",
            remedy="write --train and --test, without --corpus, --cut and --only",
        )
    named = repeat_sampled(parse_systems(split_names(options.systems)), options.samples)
    # A named split here would be mistaken for the cut into training and test.
    if options.only is not None and "=" not in options.only:
        raise InputError(
            f"cannot choose trials by {options.only!r}", remedy="write --only FIELD=VALUE, or --cut for a cut"
        )
    trained_on = None
    if has_pack:
        opened, trained_on = open_train_and_test(
            options.train, options.test, options.data, options.reading, options.limit
        )
    else:
        opened = limit_corpus(open_corpus(options.corpus, options.data, options.reading, options.only), options.limit)
    plan = RunPlan(
        systems=named,
        folds=options.folds,
        by=options.folds_by,
        split=options.cut,
        seed=options.seed,
        trained_on=trained_on,
    )
    counts = run_plan(
        plan,
        opened,
        Path(options.out),
        engine=make_engine(options.engine, options.jobs, options.address),
        shard=options.shard,
        overwrite=options.overwrite,
        restart=options.restart,
        replay=None if options.replay is None else Path(options.replay),
        batch_in=None if options.batch_in is None else Path(options.batch_in),
        batch_out=None if options.batch_out is None else Path(options.batch_out),
        command=sys.argv[1:],
        watch=options.progress,
    )
    return FinishedRun(Path(options.out), counts)


def _retry_run(folder: Path, systems: Sequence[str], progress: Watch) -> FinishedRun:
    """Ask the failed questions of a finished run again; a run without failures is left unchanged."""
    from referee.jobs.retry import count_failures
    from referee.jobs.retry import retry as ask_again

    counts = Run(folder).manifest.get("counts", {})
    if count_failures(folder):
        named = parse_systems(systems) if systems else ()
        counts = ask_again(folder, named, command=sys.argv[1:], watch=progress)
    return FinishedRun(folder, counts)


def limit_corpus(opened: Opened, limit: int | None) -> Opened:
    """Return the corpus reduced to its first `limit` trials."""
    if limit is None:
        return opened
    # Part of the plan: an unfinished run with another limit is another run.
    parameters = {**opened.parameters, "limit": limit}
    return replace(opened, trials=lambda: islice(opened.trials(), limit), parameters=parameters)
