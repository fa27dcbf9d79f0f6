"""The verdict on a measure in one finding and one sentence, as an interpretation of Belz & Gatt's (2008) table would
need it.

The findings come from `rules`. Agreement with a simulated hearer is always named as such, and a hearer without a
passport gets no verdict (`admissions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from referee.courtroom.admissions import CAPPED, NO_PASSPORT, cap
from referee.courtroom.evidence import Division, Evidence, FamilyEvidence, Withdrawal
from referee.courtroom.item_evidence import Association
from referee.courtroom.rules import FEWEST, LEVEL, STEP
from referee.statistics.correlation import Correlation, critical_r
from referee.statistics.dependent_trials import TESTABLE

MEANING = {
    "predicts": "holds for",
    "reversed": "the wrong way for",
    "related": "related to",
    CAPPED["predicts"]: "predicts only a simulated hearer for",
    CAPPED["reversed"]: "the wrong way for a simulated hearer for",
    CAPPED["related"]: "related to a simulated hearer for",
    "split": "made by two groups of systems for",
    "carried": "dependent on one system or family for",
    "disputed": "linear and rank agreement differ for",
    "doubtful": "not more than chance among so many pairs, or noise, for",
    "hidden": "shown only without one system for",
    "unsettled": "of a sign that changes when one system is left out for",
    "open": "not shown for",
    "untried": "cannot be tested for",
    NO_PASSPORT: "no verdict without a passport for",
}


PREDICTS, NOT_SHOWN, CANNOT_BE_TESTED = "predicts", "not shown", "cannot be tested"
VERDICTS = {
    "predicts": (PREDICTS, "in the expected direction"),
    "related": (PREDICTS, "the measure has no better direction"),
    "reversed": (NOT_SHOWN, "significant in the wrong direction"),
    CAPPED["predicts"]: (NOT_SHOWN, "predicts a simulated hearer only"),
    CAPPED["reversed"]: (NOT_SHOWN, "significant in the wrong direction for a simulated hearer"),
    CAPPED["related"]: (NOT_SHOWN, "related to a simulated hearer only"),
    "split": (NOT_SHOWN, "depends on a gap between two groups of systems"),
    "carried": (NOT_SHOWN, "depends on one system or family"),
    "disputed": (NOT_SHOWN, "linear and rank correlation disagree"),
    "doubtful": (NOT_SHOWN, "lost by the correction for many pairs, or by the noise of answers"),
    "hidden": (NOT_SHOWN, "inconclusive; significant only without one system"),
    "unsettled": (NOT_SHOWN, "the sign changes when one system is left out"),
    "open": (NOT_SHOWN, "inconclusive"),
    "untried": (CANNOT_BE_TESTED, "too few systems, or a column that does not vary"),
    NO_PASSPORT: (CANNOT_BE_TESTED, "the simulated hearer has no passport"),
}
"""For every finding the verdict (one of three) and its reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The result of the evidence.

    `verdict` is one of three, `finding` the finer result, `sentence` has the numbers, `reason` is why a pair cannot be
    tested.
    """

    automatic: str
    hearer: str
    domain: str | None
    finding: str
    sentence: str
    reason: str = ""

    @property
    def verdict(self) -> str:
        """*predicts*, *not shown* or *cannot be tested*."""
        return VERDICTS[self.finding][0]

    @property
    def verdict_reason(self) -> str:
        """Why the verdict is not a better one, in a few words."""
        return self.reason or VERDICTS[self.finding][1]


def case_of(evidence: Evidence, with_people: Evidence | None = None) -> Case:
    """Return the verdict on one measure as a predictor of one hearer measure, and the effect of people as rows."""
    finding, sentence = cap(evidence.word, evidence.admission), _judge(evidence)
    if with_people is not None:
        sentence += _flip(evidence, with_people)
    domain = f" ({evidence.domain})" if evidence.domain else ""
    return Case(
        automatic=evidence.automatic,
        hearer=evidence.hearer,
        domain=evidence.domain,
        finding=finding,
        sentence=f"{evidence.automatic} → {evidence.hearer}{domain}: {sentence}",
        reason=_why_not(evidence, finding),
    )


def _why_not(e: Evidence, finding: str) -> str:
    """Why there is no verdict, where there is none."""
    if finding == NO_PASSPORT:
        return f"{e.admission.hearer} has no passport in this run (`referee passport {e.admission.hearer}` makes one)"
    return _reason(e) if finding == "untried" else ""


def _judge(e: Evidence) -> str:
    """Return the sentence of a verdict."""
    f = e.families
    if e.admission.refused:
        return f"no verdict: {_why_not(e, NO_PASSPORT)} ({_shown(e)})."
    if f is None or e.word == "untried" or f.lowest is None or f.highest is None:
        return f"cannot be tried: {_reason(e)}."
    return f"{_TELL[e.word](e, f)}{_gap(e.division)}{_simulated(e)}{_about_noise(e)}"


def _simulated(e: Evidence) -> str:
    """Return the remark that results with a simulated hearer apply to people only as far as its passport supports."""
    if not e.admission.simulated or e.word not in CAPPED:
        return ""
    passport = f"passport {e.admission.passport}: {e.admission.says}" if e.admission.says else e.admission.passport
    return f" These are answers of a simulated hearer ({passport}), not of people."


def _about_noise(e: Evidence) -> str:
    """Return the remark on the noise of answers; empty where it does not matter."""
    noise = e.families.noise if e.families else None
    if noise is None or e.word in ("open", "unsettled", "hidden"):
        return ""
    return f" With other answers r would lie between {signed(noise.low)} and {signed(noise.high)}."


def _shown(e: Evidence) -> str:
    """Both coefficients over families, and over systems where these are more."""
    f = e.families
    if f is None or f.pearson.r is None:
        return f"r = {_format_correlation(e.pearson)}, n = {e.n}"
    over = f"r = {_format_correlation(f.pearson)}, rho = {signed(f.spearman.r)}, n = {f.n}"
    return (
        over
        if f.n == e.n
        else f"{over} families; over {e.n} systems r = {signed(e.pearson.r)}, rho = {signed(e.spearman.r)}"
    )


def _held(e: Evidence, f: FamilyEvidence) -> str:
    """Return the numbers of an association that holds."""
    assert f.lowest is not None
    assert f.highest is not None
    between = f"between {signed(f.lowest.r)} and {signed(f.highest.r)} whichever one is left out"
    return f"{_shown(e)}; p = {_p(f.p_adjusted)} among all pairs; {between}."


def _carried(e: Evidence, f: FamilyEvidence) -> str:
    """Return the numbers of an association that depends on one family: the one whose removal weakens it most."""
    weakest, name = _weakest(f)
    return f"{_shown(e)}, but {weakest.who} carries it: without it {name} = {_format_correlation(weakest.found)}."


def _weakest(f: FamilyEvidence) -> tuple[Withdrawal, str]:
    """Return the removal that weakens an association most, and its coefficient."""
    needed = critical_r(f.n) or 1.0
    candidates = []
    for whole, p, low, high, name in (
        (f.pearson, f.p_linear, f.lowest, f.highest, "r"),
        (f.spearman, f.p_rank, f.rank_lowest, f.rank_highest, "rho"),
    ):
        least = low if (whole.r or 0) > 0 else high
        if least is not None and p is not None and p <= LEVEL:
            left = least.r if (whole.r or 0) > 0 else -least.r
            moved = abs(whole.r or 0) - left >= STEP
            candidates.append((not moved, left - needed, name, least))
    *_, name, least = min(candidates, key=lambda part: part[:3])
    return least, name


def _gap(division: Division | None) -> str:
    """The groups that make a correlation, by name."""
    if division is None or len(division.group) < 2:  # a single one is covered by leaving one out
        return ""
    few, others = len(division.group), division.others
    members = ", ".join(division.group)
    return (
        f" A gap makes most of this: {few} systems ({members}) against {others} others have {division.between:.0%} of the variance between them;"
        f" within the groups r = {signed(division.within)}."
    )


def _doubtful(e: Evidence, f: FamilyEvidence) -> str:
    """Return the reason for doubt: the correction for multiple tests, or the noise of answers."""
    if f.p_adjusted is not None and f.p_adjusted > LEVEL:
        return f"doubtful, {_shown(e)}: p ≤ .05 by itself, but p = {_p(f.p_adjusted)} among all pairs that were tried."
    return f"doubtful, {_shown(e)}: the noise of the answers alone might turn the sign."


def _hidden(e: Evidence, f: FamilyEvidence) -> str:
    """Return the sentence of an association that appears only without one family."""
    low, high = f.lowest, f.highest
    assert low is not None
    assert high is not None
    far = max((low, high), key=lambda w: abs(w.r - (f.pearson.r or 0)))
    return f"nothing shown over all ({_shown(e)}), but {far.who} hides something: without it r = {_format_correlation(far.found)}."


def _sides(e: Evidence, f: FamilyEvidence) -> str:
    """Return the coefficient with its range over leaving out one family."""
    assert f.lowest is not None
    assert f.highest is not None
    return f"({_shown(e)}); {{}}{_both(f.lowest, f.highest)}."


_TELL: dict[str, Callable[[Evidence, FamilyEvidence], str]] = {
    "predicts": lambda e, f: f"predicts, {_held(e, f)}",
    "reversed": lambda e, f: f"points the wrong way, {_held(e, f)}",
    "related": lambda e, f: f"related, {_held(e, f)}",
    "split": lambda e, f: f"{_shown(e)}, but two groups of systems make it.",
    "carried": _carried,
    "disputed": lambda e, f: f"linear and rank agreement differ: {_shown(e)}; p = {_p(f.p_linear)} and {_p(f.p_rank)}.",
    "doubtful": _doubtful,
    "hidden": _hidden,
    "unsettled": lambda e, f: f"nothing shown {_sides(e, f).format('one system decides the sign: ')}",
    "open": lambda e, f: f"nothing shown {_sides(e, f).format('')}",
}


def _p(p: float | None) -> str:
    """Return a p value as printed."""
    if p is None:
        return "–"
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def _both(lowest: Withdrawal, highest: Withdrawal) -> str:
    return f"without {lowest.who} {signed(lowest.r)}, without {highest.who} {signed(highest.r)}"


def _flip(apart: Evidence, together: Evidence) -> str:
    """Return the remark on the effect of people as rows; empty if there is none."""
    a, b = apart.pearson.r, together.pearson.r
    if a is None or b is None or together.n == apart.n:
        return ""
    word = "turns its sign to" if a * b < 0 else "gives"
    return f" Adding people {word} r = {_format_correlation(together.pearson)}, n = {together.n}."


def _reason(e: Evidence) -> str:
    """Return the reason why a pair cannot be tested."""
    n, what = (e.families.n, "famil") if e.families is not None and e.families.n < e.n else (e.n, "system")
    if n < FEWEST:
        ending = {"famil": ("y", "ies"), "system": ("", "s")}[what][n != 1]
        how_many = f"only {n} {what}{ending}" if n else "no system"
        return f"{how_many} with both values (at least {FEWEST} are needed)"
    return "one of the two does not vary over the systems, or not without one of them"


def _format_correlation(correlation: Correlation) -> str:
    """Return a coefficient with its interval."""
    if correlation.r is None:
        return "–"
    bounds = (
        f" [{signed(correlation.low)}, {signed(correlation.high)}]"
        if correlation.low is not None and correlation.high is not None
        else ""
    )
    return f"{signed(correlation.r)}{bounds}"


def signed(r: float | None) -> str:
    """Two decimals without a leading 0, with a sign: +.42."""
    if r is None:
        return "–"
    text = f"{r:+.2f}"
    return "0" if text in ("+0.00", "-0.00") else text.replace("0.", ".", 1)


def sum_up(automatic: str, cases: Iterable[Case]) -> str:
    """Return one sentence on a measure: the hearer measures that it predicts, and the results for others."""
    hearers_by_finding: dict[str, list[str]] = {}
    for case in cases:
        hearers_by_finding.setdefault(case.finding, []).append(
            case.hearer + (f" ({case.domain})" if case.domain else "")
        )
    total, predicted = sum(map(len, hearers_by_finding.values())), len(hearers_by_finding.get("predicts", ()))
    if not total:
        return f"{automatic} was not tried over all domains."
    if total == len(hearers_by_finding.get("untried", ())):
        return f"{automatic} cannot be tried over systems."
    if total == len(hearers_by_finding.get(NO_PASSPORT, ())):
        return (
            f"{automatic}: no verdict. Only hearers without a passport answered: run `referee passport HEARER` first."
        )
    parts = "; ".join(
        f"{MEANING[word]} {', '.join(hearers_by_finding[word])}" for word in MEANING if word in hearers_by_finding
    )
    return f"{automatic} predicts {predicted} of {total} hearer measure{'s' * (total > 1)}: {parts}."


def sum_up_items(tried: Iterable[tuple[str, str, str, Association]]) -> str:
    """Return one sentence on a measure over items, from (hearer measure, "auc" or "rho", better direction,
    association); empty without any.
    """
    parts = [
        part for hearer, kind, better, association in tried if (part := _over_items(hearer, kind, better, association))
    ]
    return f"Over items: {'; '.join(parts)}." if parts else ""


def _over_items(hearer: str, kind: str, better: str, association: Association) -> str:
    """Better scores should mean more success (an area above one half) and less time."""
    if association.value is None or association.low is None or association.high is None:
        return ""
    name = "AUC" if kind == "auc" else "rho"
    middle, good = (0.5, 1) if kind == "auc" else (0.0, {"higher": -1, "lower": 1}.get(better, 0))
    numbers = f"{name} {_place(association.value)} [{_place(association.low)}, {_place(association.high)}], n = {association.n}"
    if association.p_corrected is None:
        return f"cannot be tested against {hearer}: fewer than {TESTABLE} clusters ({numbers})"
    numbers += f", {_p_text(association.p_corrected)}"
    if association.p_corrected > LEVEL:
        return f"not shown for {hearer} ({numbers})"
    side = 1 if association.value > middle else -1
    word = "related to" if not good else "holds for" if side == good else "the wrong way for"
    return f"{word} {hearer} ({numbers})"


def _p_text(p: float) -> str:
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def _place(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1)
