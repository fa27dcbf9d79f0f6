"""The material of one report: scores, items and trials of run folders, checked and joined.

Reports are a layer below the catalogue, so facts from the catalogue (a measure's direction, a system's reconstruction,
a corpus's card) are passed as `CatalogueFacts`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.contracts import Card
from referee.corpora.reading.lines import WrongShape, make_natural_sort_key, parse_object, read_lines
from referee.errors import InputError, MalformedInput
from referee.jobs.folder import Run, is_run
from referee.jobs.score_table import Source, choose_clusters
from referee.records import HUMAN, Response
from referee.statistics.dependent_trials import Clusters

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "AGAIN",
    "HUMAN",
    "CatalogueFacts",
    "Material",
    "Row",
    "Scored",
    "combine",
    "describe_trials",
    "get_trials_checksum",
    "read_scored",
]

Row = Mapping[str, Any]
AGAIN = "make the run again with `referee score … --out RUN`"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueFacts:
    """Facts from the catalogue: directions, ranges, corpus-level measures (`whole`), tags, card."""

    directions: Mapping[str, str] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()
    tags: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    card: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A run folder with its table of scores and its values per item, stored or computed now."""

    run: Run
    scores: Sequence[Row]
    items: pl.DataFrame
    settings: Mapping[str, Any]
    counts: Mapping[str, Mapping[str, int]]
    checksum: str
    notes: tuple[str, ...] = ()
    # Pairs of systems on measures of whole sets.
    pairs: Sequence[Row] = ()

    @property
    def name(self) -> str:
        return self.run.folder.resolve().name

    @property
    def comparable(self) -> tuple[Any, ...]:
        """Runs that agree in this can be joined: same trials, same references and settings."""
        settings = self.settings
        return (
            self.checksum,
            # As text: a damaged manifest may hold lists or objects there.
            *(str(settings.get(k)) for k in ("references", "humans", "cluster", "resamples", "confidence", "seed")),
        )


@dataclass(frozen=True, kw_only=True)
class Material:
    """One or several runs over the same trials as one table.

    Scores (tidy rows), items, and labels of the trials.
    """

    scored: tuple[Scored, ...]
    scores: tuple[Row, ...]
    items: pl.DataFrame
    trials: pl.DataFrame
    synthetic: bool
    facts: CatalogueFacts
    counts: Mapping[str, Mapping[str, int]]
    responses: tuple[Response, ...] = ()
    # The same by run, before systems of one name were renamed.
    heard: Mapping[str, tuple[Response, ...]] = field(default_factory=dict)
    targets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    renamed: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(r["system"] for r in self.scores))

    @cached_property
    def measures(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(r["metric"] for r in self.scores))

    @cached_property
    def overall(self) -> dict[tuple[str, str], Row]:
        return {(r["system"], r["metric"]): r for r in self.scores if r.get("group") is None}

    @cached_property
    def averages(self) -> frozenset[str]:
        """Measures whose score is the mean of their items.

        The others (BLEU, NIST …) exist only for whole sets.
        """
        import polars as pl

        means = self.items.group_by("system", "metric").agg(pl.col("value").mean())
        by_key = {(system, metric): value for system, metric, value in means.iter_rows()}
        # Inferred from the numbers: a measure whose score is the mean of its items can be averaged in groups.
        return frozenset(m for m in self.measures if m not in self.facts.whole and self._is_average(m, by_key))

    def _is_average(self, measure: str, means: Mapping[tuple[str, str], float]) -> bool:
        values = [(s, v) for s in self.systems if (v := self.value(s, measure)) is not None]
        return bool(values) and all((s, measure) in means and _is_close(means[s, measure], v) for s, v in values)

    def value(self, system: str, measure: str) -> float | None:
        row = self.overall.get((system, measure))
        return None if row is None else row["value"]

    def direction(self, measure: str) -> str:
        return self.facts.directions.get(measure, "none")

    def values(self, measure: str) -> pl.DataFrame:
        """Return the items of one measure: system, trial, value."""
        import polars as pl

        return self.items.filter(pl.col("metric") == measure).select("system", "trial", "value")

    def whole_pairs(self, measure: str) -> list[Row]:
        """Return the pairs of systems of each run on a measure of whole sets, under their names in this report."""
        names = ("system_a", "system_b")
        return [
            {**row, **{name: self.shown(scored.name, row[name]) for name in names}}
            for scored in self.scored
            for row in scored.pairs
            if row["metric"] == measure
        ]

    def levels(self, group: str) -> list[str]:
        """Return the values of domain or condition, t2 before t10."""
        return sorted(self.trials[group].drop_nulls().unique().to_list(), key=make_natural_sort_key)

    def clusters(self, trials: Sequence[str]) -> Clusters:
        """Return the clusters of trials, by the settings of the run and the sampling units on the corpus card."""
        asked = str(self.scored[0].settings.get("cluster", "design"))
        card = self.facts.card
        factors = Source(sampled=card.sampled if card is not None and card.sampled else None).factors(asked)
        rows = {row["trial"]: row for row in self.trials.iter_rows(named=True)}
        # As scored: a report must not show other intervals than the run folder it is made from.
        return choose_clusters({name: [rows[trial][name] for trial in trials] for name in factors}, asked)

    @cached_property
    def corpus(self) -> str:
        """The corpus with its reading and part, as a heading."""
        about = as_mapping(get_original_manifest(self.scored[0].run).get("corpus"))
        name = Path(str(about.get("name", "corpus"))).name
        more = ", ".join(str(about[k]) for k in ("reading", "split") if about.get(k))
        return f"{name} ({more})" if more else name

    @cached_property
    def label(self) -> str:
        """The heading of every table and figure; it marks generated data."""
        # "SYNTHETIC synthetic" would say it twice.
        name = self.corpus.replace("synthetic", "corpus", 1) if self.corpus.startswith("synthetic") else self.corpus
        return f"SYNTHETIC {name}" if self.synthetic else self.corpus

    def heard_in(self, scored: Scored) -> Sequence[Response]:
        """Return the responses of one of the runs, read once."""
        responses = self.heard.get(scored.name)
        return list(scored.run.responses()) if responses is None else responses

    def tags(self, system: str) -> Mapping[str, str]:
        """Return the tags of a system in the catalogue; none for others."""
        original = next((old for (_, old), new in self.renamed.items() if new == system), system)
        return self.facts.tags.get(original, {})

    def shown(self, run: str, system: str) -> str:
        """Return a system's name in this report: with its run's name where two runs share it."""
        return self.renamed.get((run, system), system)


def get_original_manifest(run: Run) -> Mapping[str, Any]:
    """Return the manifest that names the corpus, also for a run folder that was scored again."""
    # Folders that name each other as their source must not be followed for ever.
    manifest, seen = run.manifest, {run.folder.resolve()}
    while True:
        source = Path(str(as_mapping(manifest.get("corpus")).get("run", "")))
        # A folder that was moved or removed ends the search: the last manifest found has to do.
        if not is_run(source) or source.resolve() in seen:
            return manifest
        seen.add(source.resolve())
        manifest = Run(source).manifest


def _is_close(a: float, b: float) -> bool:
    """Return whether two values are equal except for rounding."""
    # Sums in another order differ in their last digits.
    return abs(a - b) <= 1e-9 * (1 + abs(b))


def as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def read_scored(run: Run) -> Scored | None:
    """Return a checked run folder with scores; None if the run was not scored."""
    manifest = run.manifest
    if manifest.get("kind") == "report":
        raise InputError("this is a report, not a run", where=run.folder, remedy="name the run folder it was made from")
    checksum = get_trials_checksum(run)
    if not (run.folder / "scores.jsonl").is_file():
        return None
    return Scored(
        run=run,
        scores=_read_scores(run),
        items=_read_items(run.folder / "items.parquet"),
        settings=as_mapping(manifest.get("settings")),
        counts=as_mapping(manifest.get("counts")),
        checksum=checksum,
        pairs=run.comparisons(),
    )


def get_trials_checksum(run: Run) -> str:
    """Return the checksum of the trials; raise MalformedInput if it differs from the manifest."""
    # Scores are about certain trials; a file that was changed afterwards would be described by the wrong numbers.
    path, expected = run.folder / "trials.jsonl", as_mapping(run.manifest.get("corpus")).get("checksum")
    try:
        with path.open("rb") as file:
            checksum = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise MalformedInput(f"the run has no readable trials ({error.strerror})", where=path, remedy=AGAIN) from None
    if isinstance(expected, str) and expected != checksum:
        raise MalformedInput("these are not the trials that the manifest names", where=path, remedy=AGAIN)
    return checksum


def _read_scores(run: Run) -> list[dict[str, Any]]:
    """Return the scores of a run. Raises MalformedInput if they are damaged."""
    rows = run.scores()
    if not rows:
        raise MalformedInput("there are no scores", where=run.folder / "scores.jsonl", remedy=AGAIN)
    # An infinite or undefined value is no value, and JSON could not carry it on.
    return [{k: None if isinstance(v, float) and not isfinite(v) else v for k, v in row.items()} for row in rows]


def _read_items(path: Path) -> pl.DataFrame:
    """Return the item scores of a run. Raises MalformedInput if they are damaged."""
    import polars as pl

    schema = {"system": pl.String, "trial": pl.String, "metric": pl.String, "value": pl.Float64}
    try:
        frame = pl.read_parquet(path)
        chosen = frame.select(pl.col(name).cast(kind) for name, kind in schema.items()).drop_nulls()
        return chosen.filter(pl.col("value").is_finite())
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise MalformedInput(f"the values per item cannot be read ({reason})", where=path, remedy=AGAIN) from None


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON objects of a file with their line numbers, without building records."""
    for line, text in read_lines(path):
        try:
            yield line, parse_object(text)
        except WrongShape as wrong:
            raise MalformedInput(str(wrong), where=path, line=line, remedy=AGAIN) from None


def describe_trials(run: Run) -> tuple[pl.DataFrame, bool, dict[str, tuple[str, ...]]]:
    """Return the labels of each trial, whether trials are generated, and the targets by trial."""
    import polars as pl

    rows, synthetic, targets = [], False, {}
    path, labels = run.folder / "trials.jsonl", ("domain", "condition", "speaker", "scene", "language")
    meta_labels = ("game", "participant")
    for line, t in read_objects(path):
        if not isinstance(t.get("id"), str):
            raise MalformedInput("a trial without an id", where=path, line=line, remedy=AGAIN)
        meta = as_mapping(t.get("meta"))
        reference_count = len(t.get("references") or ())
        # Games and participants are kept in meta; the intervals of groups need them as clusters.
        rows.append(
            (
                t["id"],
                *(t.get(name) for name in labels),
                *(_format_label(meta.get(name)) for name in meta_labels),
                reference_count,
            )
        )
        synthetic = synthetic or bool(meta.get("synthetic"))
        # The form of trials allows one target or a list of them.
        targets[t["id"]] = tuple(t.get("targets") or [t.get("target")])
    schema: dict[str, Any] = {
        "trial": pl.String,
        **dict.fromkeys((*labels, *meta_labels), pl.String),
        "references": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row"), synthetic, targets


def _format_label(value: Any) -> str | None:
    return None if value is None else str(value)


def combine(scored: Sequence[Scored], facts: CatalogueFacts) -> Material:
    """Join runs over the same trials; systems of the same name get the run's name as a prefix."""
    import polars as pl

    renamed = _rename_shared_systems(scored)
    trials, synthetic, targets = describe_trials(scored[0].run)
    rows: list[Row] = []
    frames: list[pl.DataFrame] = []
    counts: dict[str, Mapping[str, int]] = {}
    heard = {s.name: tuple(s.run.responses()) for s in scored}
    responses: list[Response] = []
    for s in scored:
        new_names = {old: new for (run, old), new in renamed.items() if run == s.name}
        rows += [{**r, "system": new_names.get(r["system"], r["system"])} for r in s.scores]
        # Only where runs share a name: the replacement would otherwise copy a frame of millions of rows for nothing.
        frames.append(s.items.with_columns(pl.col("system").replace(new_names)) if new_names else s.items)
        counts |= {new_names.get(system, system): c for system, c in s.counts.items()}
        responses += [replace(r, system=new_names[r.system]) if r.system in new_names else r for r in heard[s.name]]
    return Material(
        scored=tuple(scored),
        scores=tuple(rows),
        items=pl.concat(frames),
        trials=trials,
        synthetic=synthetic or bool(facts.card and facts.card.synthetic),
        facts=facts,
        counts=counts,
        responses=tuple(responses),
        heard=heard,
        targets=targets,
        renamed=renamed,
    )


def _rename_shared_systems(scored: Sequence[Scored]) -> dict[tuple[str, str], str]:
    """Return new names for systems that several runs share."""
    names = [s.name for s in scored]
    if len(set(names)) < len(names):
        raise InputError(
            "two run folders have the same name", remedy="name each run once, or rename one of the folders"
        )
    owners: dict[str, list[str]] = {}
    for s in scored:
        for system in dict.fromkeys(r["system"] for r in s.scores):
            owners.setdefault(system, []).append(s.name)
    return {(run, system): f"{system} ({run})" for system, runs in owners.items() if len(runs) > 1 for run in runs}
