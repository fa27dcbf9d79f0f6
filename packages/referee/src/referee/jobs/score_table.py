"""A table of scores.

Its settings (`Settings`), and values, intervals, tests and signatures from additive statistics (`ScoreTable`).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from referee import catalogue
from referee.capabilities import CountsAnswered, is_average
from referee.contracts import FloatArray, Metric
from referee.corpora.reading.lines import make_natural_sort_key
from referee.errors import BrokenPlugin, InputError, MissingExtra
from referee.jobs.progress import CountedWork, ProgressCallback
from referee.metrics.tokens import UNSPACED, choose_tokeniser
from referee.records import Outcome
from referee.signature import digest, signature
from referee.statistics.dependent_trials import (
    EXACT_UP_TO,
    SKEWED_COVERAGE,
    TESTABLE,
    UNSURE,
    Clusters,
    CodedLabels,
    Gap,
    compare_clustered,
    has_few_carriers,
    spread,
)

DEFAULT_METRICS = (
    "set/dice",
    "set/masi",
    "set/exact",
    "scene/unique",
    "scene/minimal",
    "scene/surplus",
    "string/exact",
    "string/edit",
    "string/bleu.4",
    "string/nist",
    "string/rouge-su4",
)
Part = Mapping[tuple[str, str], Any]
_Scored = tuple[int, tuple[str, str], dict[str, Any]]
DESIGN = "design"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a table of scores, which the run's manifest stores.

    Args:
        metrics: names, with options if needed.
        by: fields of trials to score in groups as well.
        references: ``own``, or ``others`` for those of other speakers of the same scene.
        humans: whether people are a system too.
        baseline: the system that others are compared with.
        cluster: the sampling unit, so that trials of one cluster count as one; ``design`` takes that of the corpus card.
        resamples: random swaps of clusters, if there are too many to enumerate.
        confidence: of the intervals.
        seed: of all randomness.
        lenient: whether problems are counted instead of raised.

    >>> Settings(metrics=("set/dice",)).references
    'own'
    """

    metrics: tuple[str, ...] = DEFAULT_METRICS
    by: tuple[str, ...] = ()
    references: str = "own"
    humans: bool = False
    baseline: str | None = None
    cluster: str = DESIGN
    resamples: int = 1000
    confidence: float = 0.95
    seed: int = 1
    lenient: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The source of trials, as far as it affects numbers.

    The corpus, its reading, the selected part, and the sampling units of its card.

    `sampled` is None without a card; then all recurring units (scenes, speakers) count as sampled. `is_named`: whether
    the corpus has a name of its own; a file's name identifies no content.
    """

    corpus: str = "trials"
    reading: str | None = None
    part: str | None = None
    sampled: tuple[str, ...] | None = None
    is_named: bool = True

    def factors(self, cluster: str) -> tuple[str, ...]:
        """Return the factors to cluster by, as requested or by design.

        Whether trials have such clusters is checked on reading.
        """
        if cluster == "none":
            return ()
        if cluster == "crossed":
            # Crossing needs two factors; a card with one or none leaves the second open.
            return self.sampled if self.sampled and len(self.sampled) == 2 else ("scene", "speaker")
        if cluster == DESIGN:
            return ("scene", "speaker") if self.sampled is None else self.sampled
        return (cluster,)


def choose_clusters(labels: Mapping[str, Sequence[str | None] | CodedLabels], asked: str) -> Clusters:
    """Return the clusters by the factors that trials have.

    A factor that was requested by name must exist; a factor of the design is left out if it never recurs (every trial
    is then a cluster) or never varies (the results are about that one scene or speaker).
    """
    columns = {}
    for name, column in ((name, CodedLabels.of(labels[name])) for name in labels):
        if asked == DESIGN and not 1 < column.named < len(column) - column.unnamed:
            continue
        if not column.named and len(column):
            raise InputError(f"the trials name no {name}", remedy="choose another --cluster, or none")
        columns[name] = column
    return Clusters.of(columns)


LACKING = (
    "it lacks something that every metric has (range, direction, needs, statistics, finish, measure, combine, score)"
)


def expand_metric_names(requested: Iterable[str]) -> tuple[str, ...]:
    """Return metric names for names, families (``set``, ``string``), ``default`` or ``all``."""
    requested, catalogue_names = list(requested), catalogue.names("metric")
    result: list[str] = []
    for name in requested:
        if name == "all":
            matches: Sequence[str] = [n for n in catalogue_names if _is_ready_to_use(n)]
        elif name == "default":
            matches = DEFAULT_METRICS
        else:
            family = f"{name.rstrip('/*')}/"
            # Other words are metric names, perhaps with options; they are checked below.
            matches = [n for n in catalogue_names if n.startswith(family) and _is_ready_to_use(n)] or [name]
        result += [n for n in matches if n not in result]
    # Built once as a check, so that a wrong name or option ends the command before the corpus is read.
    return tuple(name for name in result if _is_usable(name, asked_for=name in requested))


def _is_usable(name: str, asked_for: bool) -> bool:
    """Return whether a metric can be created.

    One of another package that cannot is skipped by its name, unless it was asked for.
    """
    try:
        metric = catalogue.configure("metric", name)
        if not catalogue.is_shipped("metric", name) and not isinstance(metric, Metric):
            raise BrokenPlugin("metric", name, catalogue.entry("metric", name.partition("|")[0]).about, LACKING)
    except BrokenPlugin as error:
        if asked_for:
            raise
        print(f"skipped: {error}", file=sys.stderr)
        return False
    return True


def _is_ready_to_use(name: str) -> bool:
    """Return whether a metric works without a missing extra and without a file; others must be asked for by name."""
    try:
        catalogue.configure("metric", name)
    except BrokenPlugin:
        return True  # skipped by name, below
    except (MissingExtra, InputError):
        return False
    return True


MOST_PAIRED_OUTPUTS = 5_000_000


@dataclass(slots=True)
class ScoreTable:
    """Statistics of every system, metric and item, with the groups and the clusters that items belong to."""

    settings: Settings
    source: Source = field(default_factory=Source)
    trials: Sequence[str] = ()
    groups: dict[str, list[str | None]] = field(default_factory=dict)
    clusters: Clusters = field(default_factory=Clusters)
    rows: Mapping[tuple[str, str], FloatArray] = field(default_factory=dict)
    metrics: dict[tuple[str, str], Any] = field(default_factory=dict)
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    misread: list[str] = field(default_factory=list)
    outcomes: dict[str, list[Outcome | None]] = field(default_factory=dict)
    conventions: dict[str, str] = field(default_factory=dict)
    meant: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    fingerprint: str = ""
    labels: str = ""
    references: str = ""
    languages: tuple[str, ...] = ()

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(system for system, _ in self.rows))

    def signature(self, name: str, system: str = "", group: str | None = None) -> str:
        """Return the signature: all settings that affect the number, and no others (metric options, inputs, references,
        clusters, confidence, seed).

        With a `system` also its outputs and those of the baseline; with a `group` its labels.
        """
        # Any system's will do: they were all made from the same text.
        metric = next(m for (_, n), m in self.metrics.items() if n == name)
        s, source = self.settings, self.source
        named = {"corpus": source.corpus, "reading": source.reading, "part": source.part or "all"}
        # People are compared with others' descriptions, and with them in the table everyone is.
        whose = "others" if s.humans else s.references
        return signature(
            name.partition("|")[0],
            metric,
            **(named if source.is_named else {}),
            trials=self.fingerprint,
            against=f"{whose}-{self.references}",
            cluster=" x ".join(self.clusters.names) or "none",
            **({"labels": self.labels} if self.labels else {}),
            **self._list_tokenisers(metric),
            interval=f"cr2-satterthwaite-skew-{s.confidence:g}",
            **self._describe_randomness(),
            # The conventions of a system's numbers, and of the gold regions.
            **({"answers": self.conventions[system] or "none"} if system in self.conventions else {}),
            **({"meant": self.meant} if system in self.conventions and self.meant else {}),
            **({} if group is None else {"group": f"{group} {self._hash_group(group)}"}),
            **({"outputs": self.outputs[system]} if system in self.outputs else {}),
            **({"baseline": self.outputs[s.baseline]} if system and s.baseline in self.outputs else {}),
        )

    def _list_tokenisers(self, metric: Any) -> dict[str, str]:
        """Return the tokenisers that a default resolves to in the languages of the trials, if it differs."""
        tokens = getattr(metric, "tokens", None)
        used = (
            []
            if tokens is None
            else list(dict.fromkeys(choose_tokeniser(tokens, language) for language in self.languages))
        )
        return {"tokens": "+".join(used)} if used and used != [tokens] else {}

    def _describe_randomness(self) -> dict[str, int]:
        """Return number of permutations and seed, for a score that depends on them."""
        s, sizes = self.settings, self.clusters.sizes() or (len(self.trials),)
        swaps = s.baseline is not None and len(sizes) == 1 and sizes[0] > EXACT_UP_TO
        return {"swaps": s.resamples, "seed": s.seed} if swaps else {}

    def _hash_group(self, group: str) -> str:
        """Return a digest of the trials that are in a group."""
        name, _, value = group.partition("=")
        members = sorted(trial for trial, label in zip(self.trials, self.groups[name], strict=True) if label == value)
        return digest("\x1f".join(members))[:8]

    def describe_clusters(self) -> str:
        """Return the units of the intervals in words, for the line under the table."""
        sizes, uneven = self.clusters.sizes(), self._describe_uneven()
        if not sizes:
            return f"intervals over {len(self.trials):,} trials, treated as independent{uneven}"
        factors = " x ".join(
            f"{n:,} {name}{'s' * (n != 1)}" for name, n in zip(self.clusters.names, sizes, strict=True)
        )
        few = "; fewer than 6 are too few for p values" if min(sizes) < TESTABLE else ""
        if len(sizes) == 1 and sizes[0] < UNSURE:
            few += f"; of so few, intervals of skewed values cover about {SKEWED_COVERAGE} instead of .95 (`referee docs statistics`)"
        return f"intervals over {factors} (CR2 variance, Satterthwaite's degrees of freedom){few}{uneven}"

    def _describe_uneven(self) -> str:
        """Return the measures with few values that differ, whose intervals are too short."""
        measures = (
            key[1].partition("|")[0]
            for key, rows in self.rows.items()
            if is_average(self.metrics[key]) and has_few_carriers(rows[:, 0], self.clusters, self.metrics[key].range)
        )
        names = ", ".join(dict.fromkeys(measures))
        return f"; most values of {names} are equal: intervals can cover less than .92" if names else ""

    def scores(self, watch: ProgressCallback | None = None) -> list[dict[str, Any]]:
        """Return one row per system, group and metric; groups follow the whole set of trials.

        `watch` is shown the rows to be made.
        """
        number = len(self.rows) * (1 + sum(len(set(labels) - {None}) for labels in self.groups.values()))

        rows = self._yield_scores()
        made = list(rows if watch is None else watch(CountedWork(rows, number), "scores and intervals"))
        systems, order = self.systems, {key: i for i, key in enumerate(self.rows)}
        # Within a system the whole comes first, then its groups.
        made.sort(key=lambda row: (systems.index(row[1][0]), row[0], order[row[1]]))
        return [row for _, _, row in made]

    def _yield_scores(self) -> Iterator[_Scored]:
        """Yield the rows of all measures, each with the number of its group."""
        # One group at a time: the statistics of all of them together would be as large as there are groups.
        for number, (group, mask) in enumerate(self._yield_groups()):
            clusters = self.clusters.part(mask)
            for key in self.rows:
                yield number, key, self._score_group(group, mask, self._select_rows(mask, key), clusters, key)

    def items(self) -> Iterator[dict[str, Any]]:
        """Yield one row per system, item and metric, for items with a value."""
        for (system, name), statistics in self.rows.items():
            rows = np.asarray(statistics)
            # NaN stands for "nothing to measure": the count is 0 there, and `finish` gives NaN for that.
            values = self.metrics[system, name].finish(np.nan_to_num(rows), (~np.isnan(rows).any(axis=1)).astype(float))
            for trial, value in zip(self.trials, values, strict=True):
                if not np.isnan(value):
                    yield {"system": system, "trial": trial, "metric": name, "value": float(value)}

    def comparisons(self) -> Iterator[dict[str, Any]]:
        """Yield every pair of systems on measures that are no average of items (BLEU …), over the table's clusters.

        A table with very many pairs of outputs has none.
        """
        pairs = list(combinations(self.systems, 2))
        if len(pairs) * len(self.trials) > MOST_PAIRED_OUTPUTS:
            return
        for name in dict.fromkeys(name for _, name in self.rows):
            if is_average(self.metrics[self.systems[0], name]):
                continue
            for a, b in pairs:
                rows, base, finish = self.rows[a, name], self.rows[b, name], self.metrics[a, name].finish
                gap = compare_clustered(rows, base, finish, self.clusters, 0, self.settings.confidence)
                if gap is not None:
                    numbers = {"difference": gap.difference, "low": gap.low, "high": gap.high, "df": gap.df}
                    p = gap.p if gap.error else float("nan")
                    values = {key: _replace_nan(float(value)) for key, value in {**numbers, "p": p}.items()}
                    yield {"metric": name, "system_a": a, "system_b": b, **values, "n": gap.n}

    def _yield_groups(self) -> Iterator[tuple[str | None, np.ndarray | None]]:
        """Yield the groups with their masks; the first is all trials."""
        yield None, None
        for name, labels in self.groups.items():
            # As objects: fixed-width text would make every label as wide as the longest.
            column = np.array([x if x is not None else "" for x in labels], dtype=object)
            for value in sorted({x for x in labels if x is not None}, key=make_natural_sort_key):
                yield f"{name}={value}", column == value

    def _select_rows(self, mask: np.ndarray | None, key: tuple[str, str]) -> Part:
        """Return the statistics of a group for one system and for its baseline."""
        baseline = self.settings.baseline
        keys = (key,) if baseline is None else (key, (baseline, key[1]))
        return {key: self.rows[key] if mask is None else self.rows[key][mask] for key in keys}

    def _score_group(
        self, group: str | None, mask: np.ndarray | None, part: Part, clusters: Clusters, key: tuple[str, str]
    ) -> dict[str, Any]:
        """Return one row: value, interval and, with a baseline, the difference from it on the same trials."""
        s, rows, metric = self.settings, part[key], self.metrics[key]
        estimate = spread(rows, metric.finish, clusters, s.confidence, metric.range)
        return {
            "system": key[0],
            "group": group,
            "metric": key[1],
            "value": _replace_nan(estimate.value),
            # Items that were measured, not items that there are.
            "n": estimate.n,
            "low": _replace_nan(estimate.low),
            "high": _replace_nan(estimate.high),
            "signature": self.signature(key[1], key[0], group),
            "clusters": " x ".join(map(str, estimate.sizes)) if clusters.codes else None,
            **_score_answered(metric, rows),
            **self._compare_with_baseline(key, part, clusters),
            **self._count_problems(key[0], mask, rows),
        }

    def _compare_with_baseline(self, key: tuple[str, str], part: Part, clusters: Clusters) -> dict[str, Any]:
        """Return difference, interval and p values of a system; only the name for the baseline itself."""
        s = self.settings
        if s.baseline is None:
            return {}
        gap = None
        if key[0] != s.baseline:
            # The same trials on both sides: the comparison is of outputs for the same item.
            base, finish = part[s.baseline, key[1]], self.metrics[key].finish
            gap = compare_clustered(part[key], base, finish, clusters, s.resamples, s.confidence, s.seed)
        alone = self._count_discordant(key, part) if key[0] in self.outcomes and s.baseline in self.outcomes else {}
        return {"baseline": s.baseline, **_format_test(gap), **alone}

    def _count_discordant(self, key: tuple[str, str], part: Mapping[tuple[str, str], FloatArray]) -> dict[str, Any]:
        """Return the items that only one of two systems gets right, and McNemar's exact p if items are independent."""
        if key[0] == self.settings.baseline:
            return dict.fromkeys(("only_this", "only_baseline", "p_mcnemar"))
        from referee.statistics.comparisons import mcnemar

        ours, theirs = part[key][:, 0], part[self.settings.baseline or "", key[1]][:, 0]
        both = np.isfinite(ours) & np.isfinite(theirs)
        only, others = int((ours[both] > theirs[both]).sum()), int((ours[both] < theirs[both]).sum())
        binary = bool(both.any() and np.isin(np.concatenate([ours[both], theirs[both]]), (0.0, 1.0)).all())
        p = mcnemar(only, others) if binary and not self.clusters.codes else None
        return {"only_this": only, "only_baseline": others, "p_mcnemar": p}

    def _count_problems(self, system: str, mask: np.ndarray | None, rows: FloatArray) -> dict[str, int]:
        """Return counts of errors in files (lenient mode), and of answers by outcome among measured items."""
        counts = self.counts[system] if self.settings.lenient else {}
        if system not in self.outcomes:
            return counts
        outcomes = np.array(self.outcomes[system], dtype=object)
        outcomes = outcomes if mask is None else outcomes[mask]
        measured = np.isfinite(rows.sum(axis=1))
        # Without measured items all answers are counted, to show the reason.
        kinds = count_outcomes(outcomes[measured] if measured.any() else outcomes)
        return counts | {kind: n + counts.get(kind, 0) for kind, n in kinds.items()}


def warn_of_tokeniser(table: ScoreTable, languages: Mapping[tuple[str, bool], int]) -> list[str]:
    """Return a warning if items in a script without blanks between words are split at blanks."""
    items = sum(
        n
        for (language, is_unspaced), n in languages.items()
        if is_unspaced and choose_tokeniser("mteval", language) not in UNSPACED.values()
    )
    names = [
        n
        for (_, n), m in table.metrics.items()
        if getattr(m, "tokens", "zh") in ("mteval", "13a", "words", "unicode", "rouge-1.5.5")
    ]
    if not items or not names:
        return []
    return [
        f"{items:,} items are written without blanks, but their language is not zh, ja or ko: {', '.join(dict.fromkeys(names))} take each for one word; "
        "name the language of the trials, or a tokeniser (tokens:zh, ja, ko or char)"
    ]


COUNTED = (Outcome.UNPARSABLE, Outcome.EMPTY, Outcome.REFUSED, Outcome.NONE, Outcome.SEVERAL)


def count_outcomes(outcomes: Iterable[Outcome | None]) -> dict[str, int]:
    """Return the number of answers of each outcome other than one place."""
    counts = Counter(outcomes)
    return {str(kind): counts[kind] for kind in COUNTED}


def _score_answered(metric: Any, rows: FloatArray) -> dict[str, Any]:
    """Return the value over items with a usable answer, beside the value over all items."""
    if not isinstance(metric, CountsAnswered):
        return {}
    value, n = metric.answered(np.nan_to_num(np.asarray(rows)).sum(axis=0))
    return {"value_answered": _replace_nan(float(value)), "n_answered": int(n)}


def _format_test(gap: Gap | None) -> dict[str, float | None]:
    """Return a comparison's numbers; None for missing ones."""
    if gap is None:
        return dict.fromkeys(("difference", "difference_low", "difference_high", "p", "p_randomisation"))
    return {
        "difference": _replace_nan(gap.difference),
        "difference_low": _replace_nan(gap.low),
        "difference_high": _replace_nan(gap.high),
        "p": _replace_nan(gap.p),
        "p_randomisation": _replace_nan(gap.p_swaps),
    }


def _replace_nan(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
