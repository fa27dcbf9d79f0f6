"""`referee.run`: systems speak on a corpus, and a run folder keeps what they said."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from referee.api import charts
from referee.api.frames import OUTPUTS, RUNS, frame_of
from referee.api.results import Result
from referee.api.score import ScoreOptions, Scores, listed, score
from referee.catalogue import one_of
from referee.corpora.splits import CUTS
from referee.engines.choice import engine_named
from referee.engines.pieces import SHARD
from referee.errors import InputError
from referee.runs.folder import Run
from referee.runs.folds import RunPlan
from referee.runs.open import Opened, open_corpus
from referee.runs.run import Watch
from referee.runs.run import run as run_plan
from referee.runs.speak import sampled, systems_named

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["FinishedRun", "limited", "run"]


class FinishedRun(Result):
    """A run folder that was just made: what every system answered, and where it is kept.

    Args:
        folder: its path.
        counts: what was counted, by system.

    >>> import referee, tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     made = referee.run("classic/incremental", "synthetic", out=f"{place}/run", limit=20, folds_by="random", jobs=1)
    ...     made, made.outputs["text"][0] is None
    (FinishedRun: 1 system, 20 trials in run, True)
    """

    def __init__(self, folder: Path, counts: dict[str, dict[str, float]]) -> None:
        self.folder, self.counts = folder, counts
        signed = Run(folder).manifest.get("signatures", {})
        rows = [{"system": s, "signature": signed.get(s), **found} for s, found in counts.items()]
        super().__init__(frame_of(rows, RUNS))

    @property
    def outputs(self) -> pl.DataFrame:
        """What was said: one row per system and trial."""
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
        return frame_of(rows, OUTPUTS)

    def score(self, **options: Unpack[ScoreOptions]) -> Scores:
        """`referee.score` of this run."""
        return score(self.folder, **options)

    def plot(self) -> alt.TopLevelMixin:
        """How many trials each system answered."""
        return charts.bars(self.frame.to_dicts(), "trials answered", x="answered", y="system")

    def _title(self) -> str:
        n = len(self.frame)
        trials = max(self.frame["trials"], default=0)
        return f"FinishedRun: {n} system{'s' * (n != 1)}, {trials:,} trials in {self.folder.name}"


def run(
    systems: str | Sequence[str] = (),
    corpus: Any = None,
    out: str | Path | None = None,
    *,
    folds: int = 5,
    folds_by: str = "speaker",
    cut: str | None = None,
    only: str | None = None,
    limit: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    engine: str = "local",
    shard: int = SHARD,
    address: str | None = None,
    data: str | Path | None = None,
    reading: str | None = None,
    replay: str | Path | None = None,
    samples: int = 1,
    batch_out: str | Path | None = None,
    batch_in: str | Path | None = None,
    overwrite: bool = False,
    restart: bool = False,
    retry: str | Path | None = None,
    progress: Watch = lambda total: lambda n: None,
) -> FinishedRun:
    """Train and run systems by name on a corpus (`referee run`); each trial is described by a system that was trained on others.

    Args:
        systems: names or groups of the catalogue, with switches where wanted; a text with commas, or a list.
        corpus: a name of the catalogue, a JSONL file, a `Corpus`, or trials.
        out: the run folder to write.
        folds: parts of the corpus, each the test part once.
        folds_by: what stays together in a fold: challenge, random, speaker, scene.
        cut: one named cut instead of folds (``challenge-80/20``).
        only: a part of the corpus (``domain=furniture``).
        limit: at most so many trials, from the beginning.
        seed: of all randomness.
        jobs: processes; one a core by default.
        engine: ``local`` (processes of this machine) or ``ray``; the run is the same.
        shard: trials a piece of work.
        address: of a Ray cluster; without it Ray is started on this machine.
        data: the folder of corpora.
        reading: of TUNA: raw, true or challenge.
        replay: a finished run whose kept calls answer instead of a network.
        samples: let language models describe every object so many times.
        batch_out: write questions for a batch endpoint into this file instead of asking them (`QuestionsWritten` is raised).
        batch_in: the batch endpoint's file of answers.
        overwrite: whether `out` may replace another run.
        restart: give up an unfinished run and begin again.
        retry: a finished run instead: questions that failed are asked again, at the pace of `systems` if given.
        progress: is told how many answers there will be, and gives back what to call as they come.

    Returns:
        A `FinishedRun`; ``.score()`` measures it.

    Raises:
        UnknownName: for a system or corpus that is not in the catalogue.
        InputError: where `out` is taken, or something cannot be read.

    >>> import referee, tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     made = referee.run("classic/greedy", "synthetic", out=f"{place}/run", limit=20, folds_by="random", jobs=1)
    ...     made.frame["answered"].to_list(), made.score(metrics="set/dice").frame["n"].to_list()
    ([20], [20])
    """
    if retry is not None:
        return _again(Path(retry), listed(systems), progress)
    if not systems or corpus is None or out is None:
        raise InputError("systems, a corpus and a place for the run are needed", remedy="name all three, or `retry`")
    named = sampled(systems_named(listed(systems)), samples)
    # A named split here would be mistaken for the cut into training and test.
    if only is not None and "=" not in only:
        raise InputError(f"cannot choose trials by {only!r}", remedy="write --only FIELD=VALUE, or --cut for a cut")
    one_of("--folds-by", folds_by, CUTS)
    plan = RunPlan(systems=named, folds=folds, by=folds_by, split=cut, seed=seed)
    opened = limited(open_corpus(corpus, data, reading, only), limit)
    counts = run_plan(
        plan,
        opened,
        Path(out),
        engine=engine_named(engine, jobs, address),
        shard=shard,
        overwrite=overwrite,
        restart=restart,
        replay=None if replay is None else Path(replay),
        batch_in=None if batch_in is None else Path(batch_in),
        batch_out=None if batch_out is None else Path(batch_out),
        command=sys.argv[1:],
        watch=progress,
    )
    return FinishedRun(Path(out), counts)


def _again(folder: Path, systems: Sequence[str], progress: Watch) -> FinishedRun:
    """Failed questions of a finished run asked again; a run without any stays as it is."""
    from referee.runs.retry import failures_of
    from referee.runs.retry import retry as ask_again

    counts = Run(folder).manifest.get("counts", {})
    if failures_of(folder):
        named = systems_named(systems) if systems else ()
        counts = ask_again(folder, named, command=sys.argv[1:], watch=progress)
    return FinishedRun(folder, counts)


def limited(opened: Opened, limit: int | None) -> Opened:
    """A corpus of which only the first trials are read."""
    if limit is None:
        return opened
    # Part of the plan: an unfinished run with another limit is another run.
    parameters = {**opened.parameters, "limit": limit}
    return replace(opened, trials=lambda: islice(opened.trials(), limit), parameters=parameters)
