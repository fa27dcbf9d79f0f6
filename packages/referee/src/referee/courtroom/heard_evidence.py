"""One value per system from scored and answered runs (`referee court RUN`), with the noise of the answers.

People's answers and those of each simulated hearer are tested separately. Systems of one family have one vote; the
sampling units of people's answers (participants, scenes, speakers) are resampled for the noise of means. Over items:
`answered_items`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from referee import __version__
from referee.contracts import FloatArray
from referee.courtroom.answer_noise import NoiseCeiling, Panel, draw_means, find_ceilings
from referee.courtroom.answered_items import TIMES, ItemCeiling, ItemEvidence, try_items
from referee.courtroom.evidence import SystemScores
from referee.courtroom.heard_runs import HeardRun, ReadCards, RowNames, TrialSettings, Warn, find_sampling_units
from referee.courtroom.pooling import MeasureDifference, PooledEvidence, SystemComparison
from referee.courtroom.printed_evidence import find_direction
from referee.courtroom.ranking_evidence import RankingEvidence
from referee.courtroom.sampling import Asked, cluster_answers, list_factors
from referee.metrics.hearing import HUMAN, MEASURES, Hearing
from referee.signature import fingerprint
from referee.statistics.dependent_trials import Clusters

__all__ = ["Hearings", "TrialSettings", "no_cards", "try_heard", "try_runs"]

HEARD = ("ir", "mir", "reading_ms", "identification_ms", "combined_ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearings:
    """All that runs have to say.

    A sheet overall and one per domain, evidence over items, rankings of measures, and warnings.
    """

    sheets: list[SystemScores]
    items: list[ItemEvidence]
    rankings: list[RankingEvidence]
    warnings: list[str] = field(default_factory=list)
    pooled: list[PooledEvidence] = field(default_factory=list)
    differences: list[MeasureDifference] = field(default_factory=list)
    systems: list[SystemComparison] = field(default_factory=list)
    ceilings: list[ItemCeiling] = field(default_factory=list)
    signature: str = ""


def no_cards(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return no passports; the default of `cards` in `try_runs`."""
    return {}


def no_warnings(signed: Mapping[str, str], corpus: str) -> Iterable[str]:
    """Return no warnings; the default of `warn` in `try_runs`."""
    return ()


def try_runs(
    folders: Sequence[Path],
    settings: TrialSettings | None = None,
    cards: ReadCards = no_cards,
    warn: Warn = no_warnings,
) -> Hearings:
    """Collect the evidence of run folders: a sheet of systems overall and by domain, and the evidence over items.

    `cards` returns the passports in a run folder; `warn` yields warnings about passports from another corpus.
    """
    heard = [HeardRun(folder, cards) for folder in folders]
    return try_heard(heard, settings or TrialSettings(), warn)


def try_heard(heard: Sequence[HeardRun], settings: TrialSettings, warn: Warn = no_warnings) -> Hearings:
    """Collect the evidence of runs (or corpora) that are already open."""
    parts = _sign_runs(heard, settings)
    # Resampling draws by place: in one order, whatever the order of the folders.
    heard = [run for _, run in sorted(zip(map(repr, parts), heard, strict=True), key=itemgetter(0))]
    names = RowNames(heard)
    domains = dict.fromkeys([None, *(d for h in heard for d in h.domains)])
    sheets = [_make_sheet(heard, domain, names, settings) for domain in domains]
    over_items = try_items(heard, names, settings)
    warnings = dict.fromkeys(sentence for h in heard for sentence in warn(h.signed, h.source.corpus))
    return Hearings(
        sheets=[s for s in sheets if s.systems],
        items=over_items.items,
        rankings=over_items.rankings,
        warnings=list(warnings),
        pooled=over_items.pooled,
        differences=over_items.differences,
        systems=over_items.systems,
        ceilings=over_items.ceilings,
        signature=_sign_court(parts, heard, settings, has_ranks=bool(over_items.rankings)),
    )


def _sign_runs(heard: Sequence[HeardRun], settings: TrialSettings) -> list[dict[str, str]]:
    """Return the digests of what is used of each run."""
    factors = _list_all_factors(heard, settings)
    return [{part: fingerprint(digests) for part, digests in run.sign(factors).items()} for run in heard]


def _list_all_factors(heard: Sequence[HeardRun], settings: TrialSettings) -> list[str]:
    """Return the factors by which answers of any hearer may be clustered, of those that a trial has."""
    sampled, hearers = find_sampling_units(heard), dict.fromkeys(h for run in heard for h in run.admissions)
    factors = dict.fromkeys(f for h in hearers for f in list_factors(h, settings.cluster, sampled))
    return list(factors)


def _sign_court(
    parts: Sequence[Mapping[str, str]], heard: Sequence[HeardRun], settings: TrialSettings, has_ranks: bool
) -> str:
    """Return the signature of a court on runs; parts of several runs stand together, in one order."""
    together = {key: "+".join(part[key] for part in sorted(parts, key=repr)) for key in parts[0]}
    shown: dict[str, object] = {
        **together,
        "cluster": " x ".join(_list_all_factors(heard, settings)) or "none",
        "resamples": settings.resamples,
        **({"permutations": settings.permutations} if has_ranks else {}),
        "seed": settings.seed,
        "version": __version__,
    }
    return "court" + "".join(f"|{key}:{value}" for key, value in shown.items())


def _make_sheet(
    heard: Sequence[HeardRun], domain: str | None, names: RowNames, settings: TrialSettings
) -> SystemScores:
    """Return one table of all runs' systems with their automatic and hearer measures, in one domain or overall."""
    values: dict[str, dict[str, dict[str, float | None]]] = {"automatic": {}, "hearer": {}}
    systems: dict[str, None] = {}
    people: set[str] = set()
    for run in heard:
        for side, table in (
            ("automatic", run.read_automatic_scores(domain)),
            ("hearer", _tabulate_hearer_measures(run.select_hearings(domain))),
        ):
            for (system, measure), value in table.items():
                row = names.name_row(run, system)
                systems[row] = None
                values[side].setdefault(measure, {})[row] = value
                people |= {row} if system == HUMAN else set()
    # Permutations draw by place: in one order, whatever the order of outputs.
    order = tuple(sorted(systems))
    ordered = {side: {m: [v.get(s) for s in order] for m, v in columns.items()} for side, columns in values.items()}
    better = {m: find_direction(m) for m in ordered["automatic"]}
    better |= {m: "lower" if m.endswith(TIMES) else "higher" for m in ordered["hearer"]}
    draws, ceilings = _resample_noise(heard, domain, names, order, list(ordered["hearer"]), settings)
    admissions = {h: a for run in heard for h, a in run.admissions.items()}
    return SystemScores(
        systems=order,
        automatic=ordered["automatic"],
        hearer=ordered["hearer"],
        better=better,
        people=frozenset(people),
        families=names.families,
        domain=domain,
        draws=draws,
        ceilings=ceilings,
        admissions={m: admissions[_split_hearer(m)] for m in ordered["hearer"]},
    )


def _split_hearer(measure: str) -> str:
    """Return the hearer in ``hearer: measure``."""
    return measure.rpartition(": ")[0]


def _tabulate_hearer_measures(hearings: Mapping[tuple[str, str], Hearing]) -> dict[tuple[str, str], float | None]:
    """Return values by system and ``hearer: measure``; majority measures need more than one participant."""
    table: dict[tuple[str, str], float | None] = {}
    for (system, hearer), hearing in hearings.items():
        counts, values = hearing.counts(), dict(zip(MEASURES, hearing.measure(), strict=True))
        for name in HEARD:
            if counts[name] and (name != "mir" or hearing.n_participants > 1):
                table[system, f"{hearer}: {name}"] = float(values[name])
    return table


# -- noise ---------------------------------------------------------------------------------------------------------------------


def _resample_noise(
    heard: Sequence[HeardRun],
    domain: str | None,
    names: RowNames,
    order: Sequence[str],
    measures: Sequence[str],
    settings: TrialSettings,
) -> tuple[dict[str, FloatArray], dict[str, NoiseCeiling]]:
    """Return bootstrap draws and the noise ceiling of every hearer measure; both empty without resamples."""
    draws, ceilings = dict[str, FloatArray](), dict[str, NoiseCeiling]()
    for hearer in dict.fromkeys(map(_split_hearer, measures)) if settings.resamples else ():
        panel = _collect_panel(heard, domain, names, hearer, settings)
        rows = list(panel.hearings)
        drawn = draw_means(panel, settings.resamples, settings.seed, settings.progress)
        of_families = _index_families(rows, names.families)
        hearer_measures = [m for m in measures if _split_hearer(m) == hearer]
        hearer_ceilings = find_ceilings(
            panel, [m.rpartition(": ")[2] for m in hearer_measures], of_families, settings.seed
        )
        for measure in hearer_measures:
            name = measure.rpartition(": ")[2]
            table = np.full((settings.resamples, len(order)), np.nan)
            table[:, [order.index(row) for row in rows]] = drawn[:, :, MEASURES.index(name)]
            draws[measure], ceilings[measure] = table, hearer_ceilings[name]
    return draws, ceilings


def _index_families(rows: Sequence[str], families: Mapping[str, str]) -> list[list[int]]:
    """Return the row numbers of each family; rows of people are left out."""
    groups: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        if row.rpartition("/")[2] != HUMAN:
            groups.setdefault(families.get(row, row), []).append(i)
    return list(groups.values())


def _collect_panel(
    heard: Sequence[HeardRun], domain: str | None, names: RowNames, hearer: str, settings: TrialSettings
) -> Panel:
    """Collect all answers of one hearer, with clusters numbered over all systems and runs."""
    hearer_hearings = [
        (run, names.name_row(run, system), hearing)
        for run in heard
        for (system, answerer), hearing in run.select_hearings(domain).items()
        if answerer == hearer
    ]
    asked = [
        Asked(run.source.corpus, run.trials[hearing.trials[item]], hearing.hearers[person])
        for run, _, hearing in hearer_hearings
        for item, person in zip(hearing.items, hearing.participants, strict=True)
    ]
    clusters = cluster_answers(asked, hearer, settings.cluster, find_sampling_units(heard))
    edges = np.cumsum([0, *(len(hearing.items) for _, _, hearing in hearer_hearings)])
    parts = [Clusters(clusters.names, tuple(c[start:end] for c in clusters.codes)) for start, end in pairwise(edges)]
    return Panel(
        hearings={row: hearing for _, row, hearing in hearer_hearings},
        clusters={row: part for (_, row, _), part in zip(hearer_hearings, parts, strict=True)},
    )
