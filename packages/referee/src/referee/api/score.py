"""`referee.score`: outputs in, signed scores out, as a frame, a figure or a table for a paper."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from referee import catalogue
from referee.api import charts
from referee.api.options import ScoreOptions
from referee.api.results import ITEMS, SCORES, Result, format_interval, group_columns, make_frame
from referee.engines.choice import make_engine
from referee.errors import InputError, UnknownName
from referee.files import is_address
from referee.jobs.folder import Run, is_run
from referee.jobs.grounding import declare_conventions
from referee.jobs.open import RECORDED, Answers, Opened, expand_outputs, open_corpus, open_outputs, select_items
from referee.jobs.progress import ProgressCallback, iterate_silently
from referee.jobs.score import score_trials
from referee.jobs.score_table import ScoreTable, Settings, expand_metric_names
from referee.options import GROUPINGS, accept_options
from referee.records import Trial
from referee.show.pages import render
from referee.show.reports import score_tables

if TYPE_CHECKING:
    import altair as alt
    import polars as pl
    from markupsafe import Markup

__all__ = ["TESTS", "ItemScores", "ScoreOptions", "Scores", "WorstItems", "get_labels", "score", "split_names"]

TESTS = {"t": "p", "randomisation": "p_randomisation"}
# Read again for pictures only where that is quick.
PICTURED = 20_000
LARGE = 64 << 20


class WorstItems(Result):
    """The items with the poorest values of a measure, as pictures with their descriptions.

    Args:
        frame: one row per item.
        cards: its pictures, as HTML.

    >>> import referee
    >>> referee.score(demo=True, metrics="set/dice").worst("set/dice", n=2)
    WorstItems: 2 items by set/dice
    """

    def __init__(self, frame: Any, cards: Sequence[Markup]) -> None:
        super().__init__(frame)
        self.cards = cards

    def plot(self) -> alt.TopLevelMixin:
        """Return a chart with a strip of these items' values for each system."""
        return charts.draw_strips(self.frame.to_dicts(), self._get_title())

    def _get_title(self) -> str:
        return f"WorstItems: {len(self.frame)} items by {', '.join(self.frame['metric'].unique(maintain_order=True))}"

    def _repr_html_(self) -> str:
        return render("notebook/cards.html", title=self._get_title(), citation="", cards=self.cards)


class ItemScores(Result):
    """One row per system, item and measure, with the labels of the trial.

    Args:
        frame: the rows.

    >>> import referee
    >>> referee.score(demo=True, metrics="set/dice", items=True)
    ItemScores: 1,560 values, 2 systems, 780 trials, set/dice
    """

    def plot(self) -> alt.TopLevelMixin:
        """Return a chart with one strip per system and one panel per measure."""
        return charts.draw_strips(self.frame.to_dicts(), "items by score")

    def _get_title(self) -> str:
        """Return the title of the scores."""
        metrics = self.frame["metric"].unique(maintain_order=True).to_list()
        systems, trials = self.frame["system"].n_unique(), self.frame["trial"].n_unique()
        shown = ", ".join(metrics) if len(metrics) < 4 else f"{len(metrics)} measures"
        return f"ItemScores: {len(self.frame):,} values, {systems} systems, {trials:,} trials, {shown}"


class Scores(Result):
    """Signed scores of every system, group and measure.

    Args:
        table: their additive statistics.
        answers: a function that returns the outputs.
        opened: the corpus.
        test: the p value of the stars.
        progress: the callback for finished rows.

    >>> import referee
    >>> scores = referee.score(demo=True, metrics=["set/dice", "string/edit"])
    >>> scores
    Scores: toy-chatty, toy-minimal on synthetic, 780 trials: set/dice 0.551, 0.302; string/edit 11.485, 8.264
    >>> scores.frame.columns[:4]
    ['system', 'metric', 'value', 'low']
    """

    def __init__(
        self,
        table: ScoreTable,
        answers: Callable[[], Answers],
        opened: Opened,
        test: str = "p",
        progress: ProgressCallback | None = None,
    ) -> None:
        self.table, self._answers, self.opened, self.test = table, answers, opened, test
        self.rows = table.scores(progress)

    @property
    def answers(self) -> Answers:
        """Return the outputs that were scored."""
        return self._answers()

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Return one row per system, group and measure, as a polars frame that is built on first access."""
        return make_frame(map(self._make_row, self.rows), SCORES)

    def _make_row(self, row: dict[str, Any]) -> dict[str, Any]:
        return {**self.table.counts[row["system"]], **row, **group_columns(row["group"])}

    @property
    def measured(self) -> list[dict[str, Any]]:
        """Return the rows of the measures that have a value for some system; all rows if no measure has one."""
        metrics = {r["metric"] for r in self.rows if r["n"]}
        return [r for r in self.rows if r["metric"] in metrics] or self.rows

    @cached_property
    def items(self) -> ItemScores:
        """Return the scores of single items, for those with a value."""
        labels = {t.id: get_labels(t) for t in self.opened.trials()}
        return ItemScores(make_frame(({**row, **labels[row["trial"]]} for row in self.table.items()), ITEMS))

    def worst(self, metric: str | None = None, system: str | None = None, n: int = 5) -> WorstItems:
        """Return the `n` items with the poorest values of a measure (default: the first), with their pictures."""
        import polars as pl

        metric = metric or self.measured[0]["metric"]
        frame = self.items.frame.filter(pl.col("metric") == metric)
        if not len(frame):
            metrics = list(dict.fromkeys(r["metric"] for r in self.measured))
            raise UnknownName("measure of these scores", metric, metrics, hint=f"one of {', '.join(metrics)}")
        if system is not None:
            if system not in self.table.systems:
                raise UnknownName("system of these scores", system, self.table.systems)
            frame = frame.filter(pl.col("system") == system)
        less_is_better = catalogue.configure("metric", metric).direction == "lower"
        frame = frame.sort("value", descending=less_is_better, maintain_order=True).head(n)
        ids = set(frame["trial"])
        trials = {t.id: t for t in self.opened.trials() if t.id in ids}
        return WorstItems(frame, [self._make_card(trials[row["trial"]], row) for row in frame.iter_rows(named=True)])

    def _make_card(self, trial: Trial, row: dict[str, Any]) -> Markup:
        """Return an HTML card with the scene, description and value of one item."""
        from referee.show.drawing.trial_cards import make_trial_card

        answered = self.answers.by_system.get(row["system"])
        output = None if answered is None else answered.get(trial.id)
        text = (
            ""
            if output is None
            else output.description.text or ", ".join(map(str, output.description.properties or ()))
        )
        value = f"{row['metric']} {score_tables.format_number(row['value'])}"
        return make_trial_card(trial, [value, *([f"{row['system']}: “{text}”"] if text else [])])

    def plot(self) -> alt.TopLevelMixin:
        """Return a chart with a dot and an interval per system, one panel per measure."""
        rows = [r for r in self.measured if r["group"] is None]
        keep = ("system", "metric", "value", "low", "high", "n")
        confidence = f"{self.table.settings.confidence:.0%}"
        return charts.draw_dots([{k: r[k] for k in keep} for r in rows], f"{self.opened.name}: {confidence} intervals")

    def to_latex(self) -> str:
        """Return the table that `referee score --format latex` prints."""
        return score_tables.as_latex(self.measured, self.test, self.table.describe_clusters())

    def to_markdown(self) -> str:
        """Return the table that `referee score --format markdown` prints."""
        return score_tables.as_markdown(self.measured, self.test, self.table.describe_clusters())

    def save(self, out: str | Path, overwrite: bool = False) -> Path:
        """Write a run folder, for `referee.listen`, `referee.court` and `referee.report`; return its path."""
        from referee.jobs.scored_run import save_scored

        save_scored(Path(out), self.answers, self.opened, self.table, self.measured, sys.argv[1:], overwrite)
        return Path(out)

    def _format_table(self) -> tuple[list[str], list[list[str]]]:
        """Return the table of scores."""
        rows = self.measured
        metrics = list(dict.fromkeys(r["metric"] for r in rows))
        cells = {(r["system"], r["group"], r["metric"]): r for r in rows}
        lines = list(dict.fromkeys((r["system"], r["group"]) for r in rows))
        heads = ["system", "group", "n", *metrics]
        body = []
        for system, group in lines:
            line_rows = [cells[system, group, m] for m in metrics]
            values = [
                format_interval(r["value"], r["low"], r["high"], score_tables.format_stars(r, self.test))
                for r in line_rows
            ]
            body.append([system, group or "all", str(max(r["n"] for r in line_rows)), *values])
        return heads, body

    def _get_title(self) -> str:
        """Return the title of the scores."""
        systems = self.table.systems
        whole = [r for r in self.measured if r["group"] is None]
        metrics = list(dict.fromkeys(r["metric"] for r in whole))
        values = "; ".join(
            f"{m} {', '.join(score_tables.format_number(r['value']) for r in whole if r['metric'] == m)}"
            for m in metrics[:3]
        )
        names = ", ".join(systems) if len(systems) <= 4 else f"{len(systems)} systems"
        if len(systems) > 4:
            values = f"{len(metrics)} measures"
        more = " …" if len(metrics) > 3 and len(systems) <= 4 else ""
        return f"Scores: {names} on {self.opened.name}, {len(self.table.trials):,} trials: {values}{more}"

    def _repr_html_(self) -> str:
        """Return the scores with example items as HTML."""
        heads, rows = self._format_table()
        metric, card = next((r["metric"] for r in self.measured), ""), self.opened.card
        is_pictured = len(self.table.trials) <= PICTURED and any(r["n"] for r in self.measured)
        return render(
            "notebook/scores.html",
            title=self._get_title(),
            heads=heads,
            rows=rows,
            synthetic=card is not None and card.synthetic,
            clusters=self.table.describe_clusters(),
            signatures=score_tables.format_signatures(r["signature"] for r in self.measured),
            metric=metric,
            cards=self.worst(metric, n=3).cards if is_pictured else (),
        )


def get_labels(trial: Trial) -> dict[str, str | None]:
    """Return the labels of a trial by column name."""
    return {name: trial.scene.id if name == "scene" else getattr(trial, name) for name in GROUPINGS}


@accept_options(ScoreOptions)
def score(options: ScoreOptions) -> Scores:
    """Score outputs against a corpus (`referee score`).

    Returns:
        A `Scores`, or with `items` an `ItemScores`; `.frame` is tidy and always has the same columns.

    Raises:
        InputError: if outputs and corpus do not match; the message names file, line and remedy.
        UnknownName: for a metric or corpus that is not in the catalogue.

    >>> import referee
    >>> red, blue = referee.Property("colour", "red"), referee.Property("colour", "blue")
    >>> things = tuple(referee.Entity(id=p.value, attributes=(p,)) for p in (red, blue))
    >>> said = referee.Description(properties=(red,))
    >>> scene = referee.Scene(entities=things)
    >>> trials = [referee.Trial(id="t1", scene=scene, targets=("red",), references=(said,))]
    >>> rows = [{"trial": "t1", "system": "mine", "properties": [["colour", "red"]]}]
    >>> referee.score(rows, trials, metrics=["set/dice"], resamples=0).frame["value"].to_list()
    [1.0]
    """
    outputs, corpus = options.outputs, options.corpus
    if options.demo:
        from referee.corpora.demo import list_output_files

        outputs, corpus = [*_make_list(outputs), *map(str, list_output_files())], corpus or "synthetic"
    if _is_empty(outputs):
        raise InputError("no outputs were named", remedy="name a file of outputs, or choose --demo")
    # Not said is not the same as --no-humans: a run that had people keeps them.
    humans = _was_scored_with_people(outputs) if options.humans is None else options.humans
    settings = Settings(
        metrics=_require_metrics(expand_metric_names(split_names(options.metrics))),
        by=split_names(options.by),
        # A person compared with their own words would always win.
        references="others" if humans else options.references,
        humans=humans,
        baseline=options.baseline,
        cluster=options.cluster,
        resamples=options.resamples,
        confidence=options.confidence,
        seed=options.seed,
        lenient=options.lenient,
    )
    opened = open_corpus(
        _infer_corpus(outputs) if corpus is None else corpus, options.data, options.reading, options.split, options.seed
    )
    if options.ids is not None:
        opened = select_items(opened, options.ids)

    def answers(index: bool = False) -> Answers:
        """Open the outputs, and declare the conventions of their coordinates."""
        opened_outputs = open_outputs(outputs, options.lenient, opened, index=index)
        if options.convention:
            declare_conventions(opened_outputs.by_system, options.convention)
        return opened_outputs

    indexed = answers(index=True)
    jobs = options.jobs or (None if options.engine != "local" or _is_worth_workers(opened) else 1)
    workers = make_engine(options.engine, jobs, options.address)
    table = score_trials(
        indexed, opened, settings, engine=workers, size=options.shard, watch=options.progress or iterate_silently
    )
    if not table.trials:
        raise InputError("no trial matches", remedy="check --split and --corpus")
    if options.baseline is not None and options.test == "randomisation" and len(table.clusters.names) == 2:
        raise InputError(
            f"clusters cannot be swapped where {' and '.join(table.clusters.names)} are crossed",
            remedy=f"use --test t, or --cluster {table.clusters.names[0]} to swap by one of them",
        )

    @cache
    def read_answers() -> Answers:
        """Return the answers to the scored trials; the index alone does not hold their words."""
        if indexed.is_read:
            return indexed
        whole = answers()
        whole.leave_out({trial.id for trial in opened.trials()}, opened.everyone)
        return whole

    scores = Scores(table, read_answers, opened, TESTS[options.test], options.progress)
    if options.out is not None:
        scores.save(options.out, options.overwrite)
    return cast(Scores, scores.items) if options.items else scores


def _is_worth_workers(opened: Opened) -> bool:
    """Return whether reading the corpus takes longer than starting worker processes."""
    if opened.file is None:
        return False
    return is_address(opened.file) or (Path(opened.file).is_file() and Path(opened.file).stat().st_size >= LARGE)


def split_names(text: str | Iterable[str]) -> tuple[str, ...]:
    """Return names from a comma-separated text or a list. Raises InputError for any other value."""
    names = text.split(",") if isinstance(text, str) else list(text) if isinstance(text, Iterable) else [text]
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"{text!r} is not a list of names", remedy='give a text such as "a,b", or a list of texts')
    return tuple(name.strip() for name in names if name.strip())


def _require_metrics(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the metric names. Raises InputError if the list is empty."""
    if not names:
        raise InputError("no metric was named", remedy="see `referee list metrics`")
    return names


def _is_empty(outputs: Any) -> bool:
    return outputs is None or (isinstance(outputs, (str, list, tuple)) and not len(outputs))


def _make_list(outputs: Any) -> list[Any]:
    return [] if outputs is None else [outputs] if isinstance(outputs, (str, Path)) else list(outputs)


def _list_paths(outputs: Any) -> list[str]:
    """Return those of the outputs that are files or folders."""
    named = [outputs] if isinstance(outputs, (str, Path)) else outputs if isinstance(outputs, (list, tuple)) else []
    return [str(o) for o in named if isinstance(o, (str, Path))]


def _infer_corpus(outputs: Any) -> str:
    """Return the corpus that the outputs belong to: that of their run folder, or of recorded answers."""
    paths = _list_paths(outputs)
    recorded = [o for o in paths if o.startswith(RECORDED)]
    if recorded and len(recorded) == len(paths):
        return recorded[0].removeprefix(RECORDED).partition("|")[0]
    runs = [o for o in paths if is_run(o)]
    # Before the question for the corpus: a mistyped file name is the likelier mistake.
    files = (o for path in paths for o in expand_outputs(path))
    missing = [o for o in files if o != "-" and not is_address(o) and not Path(o).exists()]
    if missing:
        raise InputError(
            f"there is no file or run folder {missing[0]!r}", remedy="name a file with outputs, or the folder of a run"
        )
    if len(runs) != 1:
        raise InputError(
            "no corpus was named", remedy="say which: --corpus NAME (referee list corpora) or --corpus FILE.jsonl"
        )
    return runs[0]


def _was_scored_with_people(outputs: Any) -> bool:
    """Return whether the table of a run folder that is scored again had a row for people."""
    return any(bool(Run(o).manifest.get("settings", {}).get("humans")) for o in _list_paths(outputs) if is_run(o))
