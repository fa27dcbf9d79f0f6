"""The court's tests of measures, from the data to the verdicts.

Sheets of values, every measure against every hearer measure, verdicts, and all of it as plain data (`referee court`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from referee.auditing.corrections import Correction
from referee.courtroom.admissions import NO_PASSPORT, OF_PEOPLE, cap
from referee.courtroom.answered_items import ItemCeiling, ItemEvidence
from referee.courtroom.base_rates import Power, WordRates, describe_base_rates, estimate_power
from referee.courtroom.corrected_verdicts import Pair, VerdictChange, compare_verdicts
from referee.courtroom.evidence import ALL, Evidence, SystemScores, try_sheet
from referee.courtroom.heard_evidence import Hearings
from referee.courtroom.pooling import MeasureDifference, PooledEvidence, SystemComparison
from referee.courtroom.printed_evidence import PublishedSheets
from referee.courtroom.ranking_evidence import NEEDS_ITEMS, RankingEvidence
from referee.courtroom.sheet import sign_sheets
from referee.courtroom.single_votes import SingleVote, list_findings, vote_singly
from referee.courtroom.verdicts import MEANING, Case, make_case, summarise_items, summarise_systems
from referee.engines.calls import Call, call_all
from referee.engines.pieces import Engine
from referee.jobs.progress import ProgressCallback, iterate_silently

NO_FINDING = ("untried", NO_PASSPORT)
UNKNOWN_ERROR = "error of means unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often a finding occurred over all sheets, and its expected number by chance (None: not computed)."""

    finding: str
    count: int
    by_chance: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proceedings:
    """All results of a court.

    For a printed table, `corrected` is the court on the corrected table, `changes` its effect on verdicts, and
    `single_votes` the results with one vote per system (empty if families make no difference).
    """

    source: str
    sheets: Sequence[SystemScores]
    evidence: Sequence[Evidence]
    cases: Sequence[Case]
    verdicts: Mapping[str, str]
    items: Sequence[ItemEvidence] = ()
    rankings: Sequence[RankingEvidence] = ()
    tallies: Sequence[Tally] = ()
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    corrected: Proceedings | None = None
    corrections: Sequence[Correction] = ()
    changes: Sequence[VerdictChange] = ()
    single_votes: Sequence[SingleVote] = ()
    pooled: Sequence[PooledEvidence] = ()
    differences: Sequence[MeasureDifference] = ()
    systems: Sequence[SystemComparison] = ()
    ceilings: Sequence[ItemCeiling] = ()
    power: Power | None = None
    signature: str = ""

    @property
    def best(self) -> Proceedings:
        """The results on the corrected table if there is one, otherwise these results."""
        return self.corrected or self


def hold_court(
    source: str,
    sheets: Sequence[SystemScores],
    hearings: Hearings | None = None,
    notes: Sequence[str] = (),
    seed: int = 1,
    chance: bool = True,
    progress: ProgressCallback = iterate_silently,
    engine: Engine | None = None,
) -> Proceedings:
    """Test every sheet of measures and return all results.

    Verdicts rest on systems only, and mention the effect of people as rows.

    `chance` adds base rates; `progress` is a callback; an `engine` tests sheets in parallel.
    """
    tried, rates = _test_sheets(sheets, seed, chance, progress, engine)
    evidence = [e for sheet_evidence in tried for e in sheet_evidence]
    together = {(e.domain, e.automatic, e.hearer): e for e in evidence if e.rows != ALL}
    cases = [make_case(e, together.get((e.domain, e.automatic, e.hearer))) for e in evidence if e.rows == ALL]
    names = dict.fromkeys(c.automatic for c in cases)
    items = hearings.items if hearings else ()
    return Proceedings(
        source=source,
        sheets=sheets,
        evidence=evidence,
        cases=cases,
        verdicts={name: _summarise_measure(name, cases, items) for name in names},
        items=items,
        rankings=hearings.rankings if hearings else (),
        tallies=_tally_findings(cases, _expect_findings(sheets, rates) if chance else None),
        warnings=hearings.warnings if hearings else (),
        notes=notes,
        pooled=hearings.pooled if hearings and hearings.pooled else _describe_one_table(evidence),
        differences=hearings.differences if hearings else (),
        systems=hearings.systems if hearings else (),
        ceilings=hearings.ceilings if hearings else (),
        power=estimate_power(sheets[0], seed=seed) if sheets and chance else None,
        signature=hearings.signature if hearings else sign_sheets(sheets, seed),
    )


def _describe_one_table(evidence: Sequence[Evidence]) -> list[PooledEvidence]:
    """Return the correlations over systems as effects in a single corpus."""
    whole = [e for e in evidence if e.rows == ALL and e.domain is None and e.pearson.r is not None]
    return [
        PooledEvidence(
            measure=e.automatic,
            hearer=e.hearer,
            kind="r",
            effect=e.pearson.r,
            low=e.noise.interval_low if e.noise else e.pearson.low,
            high=e.noise.interval_high if e.noise else e.pearson.high,
            new_low=None,
            new_high=None,
            corpora=1,
            p=e.families.p_adjusted if e.families else None,
        )
        for e in whole
    ]


def _test_sheets(
    sheets: Sequence[SystemScores], seed: int, chance: bool, progress: ProgressCallback, engine: Engine | None
) -> tuple[Sequence[Sequence[Evidence]], Sequence[WordRates]]:
    """Return the evidence of every sheet, and its base rates if requested."""
    asked = sheets if chance else ()
    if engine is None:
        return [try_sheet(sheet, seed, progress) for sheet in sheets], [
            describe_base_rates(sheet, seed, progress=progress) for sheet in asked
        ]
    calls: list[Call] = [(try_sheet, (sheet, seed)) for sheet in sheets]
    outcomes = call_all(engine, [*calls, *((describe_base_rates, (sheet, seed)) for sheet in asked)])
    return outcomes[: len(sheets)], outcomes[len(sheets) :]


def _expect_findings(sheets: Sequence[SystemScores], rates_of: Sequence[WordRates]) -> dict[str, float]:
    """Return the number of findings of each kind that chance alone would bring over all sheets."""
    expected: dict[str, float] = defaultdict(float)
    for sheet, sheet_rates in zip(sheets, rates_of, strict=True):
        for (_, hearer), rates in sheet_rates.items():
            for word, rate in rates.items():
                expected[cap(word, sheet.admissions.get(hearer, OF_PEOPLE))] += rate
    return expected


def _tally_findings(cases: Sequence[Case], expected: Mapping[str, float] | None) -> list[Tally]:
    """Return the count of each finding, strongest first, omitting those that neither occurred nor are expected."""
    counts = Counter(c.finding for c in cases)
    chance = {word: None if expected is None or word in NO_FINDING else expected.get(word, 0.0) for word in MEANING}
    return [
        Tally(finding=word, count=counts[word], by_chance=chance[word])
        for word in MEANING
        if counts[word] or (chance[word] or 0.0) >= 0.05
    ]


def count_pairs(cases: Sequence[Case]) -> dict[str, int]:
    """Return the number of pairs of measures: all, tested, untestable, and without a passport."""
    counts = Counter(c.finding for c in cases)
    without = counts["untried"] + counts[NO_PASSPORT]
    return {
        "pairs": len(cases),
        "tried": len(cases) - without,
        "cannot be tried": counts["untried"],
        NO_PASSPORT: counts[NO_PASSPORT],
    }


def hold_published_court(
    name: str,
    sheets: PublishedSheets,
    seed: int = 1,
    progress: ProgressCallback = iterate_silently,
    engine: Engine | None = None,
) -> Proceedings:
    """Test a printed table as printed and as corrected, and compare the verdicts."""
    tried = partial(hold_court, name, notes=sheets.notes, seed=seed, progress=progress, engine=engine)
    corrected = tried(sheets.corrected)
    same = list(sheets.printed) == list(sheets.corrected)
    printed = corrected if same else tried(sheets.printed, chance=False)
    changes = compare_verdicts(
        (printed.evidence, printed.cases),
        (corrected.evidence, corrected.cases),
        _judge_alternatives(sheets.elsewhere, seed, progress, engine),
    )
    findings = {(c.domain, c.automatic, c.hearer): c.finding for c in corrected.cases}
    return replace(
        printed,
        signature=sign_sheets(chain(sheets.printed, sheets.corrected, *sheets.elsewhere), seed),
        corrected=corrected,
        corrections=sheets.corrections,
        changes=changes,
        single_votes=vote_singly(sheets.printed, sheets.corrected, findings, seed),
    )


def _judge_alternatives(
    elsewhere: Sequence[Sequence[SystemScores]], seed: int, progress: ProgressCallback, engine: Engine | None
) -> Iterable[dict[Pair, str]]:
    """Yield the findings at other possible values of the corrections."""
    if engine is not None:
        return call_all(engine, [(list_findings, (other, seed)) for other in elsewhere])
    return (list_findings(other, seed) for other in progress(elsewhere, "other values of corrections"))


def _summarise_measure(name: str, cases: Sequence[Case], items: Sequence[ItemEvidence]) -> str:
    """Return the verdict on one measure over systems and over items, as sentences."""
    over_systems = summarise_systems(name, [c for c in cases if c.automatic == name and c.domain is None])
    # without a passport a simulated hearer's items are shown, but nothing is said about them
    heard = [i for i in items if i.automatic == name and not i.admission.refused]
    over_items = summarise_items((_name_hearer(i), i.kind, i.better, i.found) for i in heard)
    return f"{over_systems} {over_items}".strip()


def _name_hearer(item: ItemEvidence) -> str:
    """Return the hearer of an item's evidence, marked if it is simulated."""
    return f"{item.hearer} (a simulated hearer)" if item.admission.simulated else item.hearer


def make_json(proceedings: Proceedings) -> dict[str, Any]:
    """Return the proceedings as JSON values; undefined coefficients are null.

    Rows have a field for their basis: printed (or given) or corrected; verdicts are the corrected ones.
    """
    versions = {"printed": proceedings} | ({"corrected": proceedings.corrected} if proceedings.corrected else {})
    return {
        "source": proceedings.source,
        "signature": proceedings.signature,
        "systems": len(proceedings.sheets[0].without_people().systems) if proceedings.sheets else 0,
        "people": sorted({p for sheet in proceedings.sheets for p in sheet.people}),
        "verdicts": dict(proceedings.best.verdicts),
        "verdicts_as_printed": dict(proceedings.verdicts),
        "corrections": [c.as_json() for c in proceedings.corrections],
        "changes": [asdict(c) | {"turned": c.turned} for c in proceedings.changes],
        "single_votes": [asdict(v) | {"differs": v.differs, "turned": v.turned} for v in proceedings.single_votes],
        "cases": [
            {"as": way} | asdict(c) | {"verdict": c.verdict, "verdict_reason": c.verdict_reason}
            for way, p in versions.items()
            for c in p.cases
        ],
        "evidence": [
            {"as": way} | asdict(e) | {"admission": e.admission._asdict()}
            for way, p in versions.items()
            for e in p.evidence
        ],
        "items": [asdict(i) | {"admission": i.admission._asdict()} for i in proceedings.items],
        "rankings": [asdict(r) for r in proceedings.rankings],
        "rankings_note": "" if proceedings.rankings else NEEDS_ITEMS,
        "pooled": [asdict(e) for e in proceedings.best.pooled],
        "differences": [asdict(d) for d in proceedings.best.differences],
        "ceilings": [asdict(c) for c in proceedings.best.ceilings],
        "systems_compared": [asdict(c) for c in proceedings.best.systems],
        "power": None
        if proceedings.best.power is None
        else asdict(proceedings.best.power) | {"sentence": proceedings.best.power.sentence},
        "counts": count_pairs(proceedings.best.cases),
        "findings": [asdict(t) for t in proceedings.best.tallies],
        "error_of_means": "from answers" if any(s.draws for s in proceedings.sheets) else UNKNOWN_ERROR,
        "warnings": list(proceedings.warnings),
        "notes": list(proceedings.notes),
    }
