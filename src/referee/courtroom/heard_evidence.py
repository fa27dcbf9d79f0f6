"""One value per system, and one per answer, from runs that were scored and answered (`referee court RUN`).

People's answers and those of each simulated hearer are tried apart. Answers to one trial are one cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.courtroom.evidence import SystemScores
from referee.courtroom.item_evidence import Association, auc, rank_correlation
from referee.courtroom.printed_evidence import better_way
from referee.errors import InputError
from referee.metrics.hearing import HUMAN, PEOPLE
from referee.records import Outcome, Response, Trial
from referee.runs.folder import Run
from referee.runs.heard import hearing_rows

__all__ = ["ItemEvidence", "try_runs"]

HEARD = ("ir", "mir", "reading_ms", "identification_ms", "combined_ms")
TIMES = ("reading_ms", "identification_ms", "combined_ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemEvidence:
    """One automatic measure against what a hearer did, answer by answer; `kind` is "auc" (success) or "rho" (a time)."""

    automatic: str
    hearer: str
    kind: str
    better: str
    found: Association


def try_runs(
    folders: Sequence[Path], resamples: int = 500, seed: int = 1
) -> tuple[list[SystemScores], list[ItemEvidence]]:
    """The systems of all runs on one sheet (and one per domain where runs were scored by domain), and the evidence of their items."""
    heard = [_Heard(folder, seed) for folder in folders]
    twice = {s for s in (s for h in heard for s in h.systems) if sum(s in h.systems for h in heard) > 1}
    domains = dict.fromkeys([None, *(d for h in heard for d in h.domains)])
    sheets = [_run_sheet(heard, domain, twice) for domain in domains]
    return [s for s in sheets if s.systems], _try_items(heard, resamples, seed)


class _Heard:
    """A run that was scored and answered."""

    def __init__(self, folder: Path, seed: int) -> None:
        run = Run(folder)
        self.folder, self.seed = folder, seed
        run.manifest  # noqa: B018 (says at once what is wrong with a folder that is no run)
        self.scores = run.scores()
        self.trials: dict[str, Trial] = {t.id: t for t in run.trials()}
        self.responses: list[Response] = list(run.responses())
        if not self.scores:
            raise InputError("this run has no scores", where=folder, remedy="make one with `referee score … --out RUN`")
        if not self.responses:
            raise InputError(
                "nobody has answered in this run", where=folder, remedy=f"referee listen {folder} --hearer literal"
            )
        self.systems = list(dict.fromkeys(row["system"] for row in self.scores))
        groups = dict.fromkeys(row["group"] for row in self.scores if row["group"] is not None)
        self.domains = [g.removeprefix("domain=") for g in groups if g.startswith("domain=")]

    def automatic(self, domain: str | None) -> dict[tuple[str, str], float | None]:
        group = None if domain is None else f"domain={domain}"
        return {(r["system"], r["metric"]): r["value"] for r in self.scores if r["group"] == group}

    def hearing(self, domain: str | None) -> dict[tuple[str, str], float | None]:
        """Values by system and ``hearer: measure``; measures that need a vote only where more than one voted."""
        chosen = {i: t for i, t in self.trials.items() if domain is None or t.domain == domain}
        responses = [r for r in self.responses if r.trial in chosen]
        return {
            (row["system"], f"{row['hearer']}: {row['measure']}"): row["value"]
            for row in hearing_rows(chosen.values(), responses)
            if row["measure"] in HEARD and row["n"] and (row["measure"] != "mir" or row["participants"] > 1)
        }


def _run_sheet(heard: Sequence[_Heard], domain: str | None, twice: set[str]) -> SystemScores:
    values: dict[str, dict[str, dict[str, float | None]]] = {"automatic": {}, "hearer": {}}
    systems: dict[str, None] = {}
    people: set[str] = set()
    for run in heard:
        scored, found = run.automatic(domain), run.hearing(domain)
        for side, table in (("automatic", scored), ("hearer", found)):
            for (system, measure), value in table.items():
                if system in run.systems:
                    row = f"{run.folder.name}/{system}" if system in twice else system
                    systems[row] = None
                    values[side].setdefault(measure, {})[row] = value
                    people |= {row} if system == HUMAN else set()
    order = tuple(systems)
    ordered = {side: {m: [v.get(s) for s in order] for m, v in columns.items()} for side, columns in values.items()}
    better = {m: better_way(m) for m in ordered["automatic"]}
    better |= {m: "lower" if m.endswith(TIMES) else "higher" for m in ordered["hearer"]}
    return SystemScores(
        systems=order,
        automatic=ordered["automatic"],
        hearer=ordered["hearer"],
        better=better,
        people=frozenset(people),
        domain=domain,
    )


def _try_items(heard: Sequence[_Heard], resamples: int, seed: int) -> list[ItemEvidence]:
    """Every measure with values per item against success and times of every hearer; answers to one trial are one cluster."""
    measured = [_item_values(run) for run in heard]
    metrics = dict.fromkeys(m for table in measured for m in table)
    answers = [row for run, table in zip(heard, measured, strict=True) for row in _answers(run, table)]
    evidence = []
    for hearer in dict.fromkeys(row["hearer"] for row in answers):
        mine = [row for row in answers if row["hearer"] == hearer]
        clusters = [row["cluster"] for row in mine]
        for metric in metrics:
            scores, better = [row["scores"].get(metric) for row in mine], better_way(metric)
            sign = -1.0 if better == "lower" else 1.0
            turned = [None if s is None else sign * s for s in scores]
            found = auc(turned, [row["right"] for row in mine], clusters, resamples=resamples, seed=seed)
            evidence.append(_on_items(metric, f"{hearer}: success", "auc", better, found))
            for time in TIMES:
                times = [row[time] for row in mine]
                if any(t is not None for t in times):
                    found = rank_correlation(scores, times, clusters, resamples=resamples, seed=seed)
                    evidence.append(_on_items(metric, f"{hearer}: {time}", "rho", better, found))
    return evidence


def _on_items(metric: str, hearer: str, kind: str, better: str, found: Association) -> ItemEvidence:
    return ItemEvidence(automatic=metric, hearer=hearer, kind=kind, better=better, found=found)


def _item_values(run: _Heard) -> dict[str, dict[tuple[str, str], float]]:
    """Values per item by metric; empty where the run keeps none."""
    import polars as pl

    path, table = run.folder / "items.parquet", dict[str, dict[tuple[str, str], float]]()
    if path.is_file():
        for system, trial, metric, value in pl.read_parquet(path).select("system", "trial", "metric", "value").rows():
            table.setdefault(metric, {})[system, trial] = value
    return table


def _answers(run: _Heard, table: Mapping[str, Mapping[tuple[str, str], float]]) -> Iterable[dict[str, Any]]:
    """What each response says, beside the scores of the description it answers."""
    for r in run.responses:
        trial, key = run.trials.get(r.trial), (r.system or HUMAN, r.trial)
        if trial is None or len(trial.targets) != 1:
            continue
        times = (r.reading_ms, r.identification_ms)
        yield {
            "hearer": PEOPLE if r.probabilities is None else r.hearer,
            "cluster": f"{run.folder}/{r.trial}",
            "scores": {metric: values[key] for metric, values in table.items() if key in values},
            "right": float(r.outcome == Outcome.ENTITY and r.entity == trial.targets[0]),
            "reading_ms": times[0],
            "identification_ms": times[1],
            "combined_ms": None if None in times else sum(t for t in times if t is not None),
        }
