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
        """The reason for the verdict, in a few words."""
        return self.reason or VERDICTS[self.finding][1]


def make_case(evidence: Evidence, with_people: Evidence | None = None) -> Case:
    """Return the verdict on one measure as a predictor of one hearer measure."""
    finding, sentence = cap(evidence.word, evidence.admission), _write_verdict(evidence)
    if with_people is not None:
        sentence += _remark_on_people(evidence, with_people)
    domain = f" ({evidence.domain})" if evidence.domain else ""
    return Case(
        automatic=evidence.automatic,
        hearer=evidence.hearer,
        domain=evidence.domain,
        finding=finding,
        sentence=f"{evidence.automatic} → {evidence.hearer}{domain}: {sentence}",
        reason=_explain_missing_verdict(evidence, finding),
    )


def _explain_missing_verdict(e: Evidence, finding: str) -> str:
    """Return why there is no verdict; empty if there is one."""
    if finding == NO_PASSPORT:
        return f"{e.admission.hearer} has no passport in this run (`referee passport {e.admission.hearer}` makes one)"
    return _explain_untestable(e) if finding == "untried" else ""


def _write_verdict(e: Evidence) -> str:
    """Return the verdict on a pair of measures as a sentence with its numbers."""
    f = e.families
    if e.admission.refused:
        return f"no verdict: {_explain_missing_verdict(e, NO_PASSPORT)} ({_format_coefficients(e)})."
    if f is None or e.word == "untried" or f.lowest is None or f.highest is None:
        return f"cannot be tested: {_explain_untestable(e)}."
    return f"{_TELL[e.word](e, f)}{_describe_division(e.division)}{_remark_on_simulation(e)}{_remark_on_noise(e)}"


def _remark_on_simulation(e: Evidence) -> str:
    """Return the remark that a simulated hearer gave these answers; empty for people."""
    if not e.admission.simulated or e.word not in CAPPED:
        return ""
    passport = f"passport {e.admission.passport}: {e.admission.says}" if e.admission.says else e.admission.passport
    return f" These are answers of a simulated hearer ({passport}), not of people."


def _remark_on_noise(e: Evidence) -> str:
    """Return the remark on the noise of answers; empty where it does not matter."""
    noise = e.families.noise if e.families else None
    if noise is None or e.word in ("open", "unsettled", "hidden"):
        return ""
    return (
        f" With a new sample of answers r would lie between {format_signed(noise.low)} and {format_signed(noise.high)}."
    )


def _format_coefficients(e: Evidence) -> str:
    """Return both coefficients over families, and over systems if there are more systems than families."""
    f = e.families
    if f is None or f.pearson.r is None:
        return f"r = {_format_correlation(e.pearson)}, n = {e.n}"
    over = f"r = {_format_correlation(f.pearson)}, rho = {format_signed(f.spearman.r)}, n = {f.n}"
    return (
        over
        if f.n == e.n
        else f"{over} families; over {e.n} systems r = {format_signed(e.pearson.r)}, rho = {format_signed(e.spearman.r)}"
    )


def _describe_significant(e: Evidence, f: FamilyEvidence) -> str:
    """Return the numbers of an association that is significant also without any one family."""
    assert f.lowest is not None
    assert f.highest is not None
    between = f"between {format_signed(f.lowest.r)} and {format_signed(f.highest.r)} when any one of them is left out"
    return f"{_format_coefficients(e)}; p = {_format_p(f.p_adjusted)} among all pairs; {between}."


def _describe_dependent(e: Evidence, f: FamilyEvidence) -> str:
    """Return the sentence for an association that depends on one family."""
    weakest, name = _find_weakest(f)
    return f"{_format_coefficients(e)}, but it depends on {weakest.who}: without it {name} = {_format_correlation(weakest.found)}."


def _find_weakest(f: FamilyEvidence) -> tuple[Withdrawal, str]:
    """Return the removal of a family that weakens an association most, and the coefficient's name."""
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


def _describe_division(division: Division | None) -> str:
    """Return the sentence on two groups of systems that explain a correlation; empty without them."""
    if division is None or len(division.group) < 2:  # a single one is covered by leaving one out
        return ""
    few, others = len(division.group), division.others
    members = ", ".join(division.group)
    return (
        f" A gap between two groups explains most of this: {division.between:.0%} of the variance lies "
        f"between {few} systems ({members}) and the {others} others;"
        f" within the groups r = {format_signed(division.within)}."
    )


def _describe_doubtful(e: Evidence, f: FamilyEvidence) -> str:
    """Return the sentence for a doubtful association: many pairs were tested, or the answers are noisy."""
    if f.p_adjusted is not None and f.p_adjusted > LEVEL:
        return f"doubtful, {_format_coefficients(e)}: p ≤ .05 by itself, but p = {_format_p(f.p_adjusted)} among all tested pairs."
    return f"doubtful, {_format_coefficients(e)}: the noise of the answers alone could reverse the sign."


def _describe_hidden(e: Evidence, f: FamilyEvidence) -> str:
    """Return the sentence for an association that is significant only without one family."""
    low, high = f.lowest, f.highest
    assert low is not None
    assert high is not None
    far = max((low, high), key=lambda w: abs(w.r - (f.pearson.r or 0)))
    return f"not significant over all ({_format_coefficients(e)}), but without {far.who} r = {_format_correlation(far.found)}."


def _describe_range(e: Evidence, f: FamilyEvidence) -> str:
    """Return the coefficients and r without the family whose removal lowers and raises it most."""
    assert f.lowest is not None
    assert f.highest is not None
    return f"({_format_coefficients(e)}); {{}}{_format_extremes(f.lowest, f.highest)}."


_TELL: dict[str, Callable[[Evidence, FamilyEvidence], str]] = {
    "predicts": lambda e, f: f"predicts, {_describe_significant(e, f)}",
    "reversed": lambda e, f: f"points the wrong way, {_describe_significant(e, f)}",
    "related": lambda e, f: f"related, {_describe_significant(e, f)}",
    "split": lambda e, f: f"{_format_coefficients(e)}, but two groups of systems explain it.",
    "carried": _describe_dependent,
    "disputed": lambda e, f: (
        f"linear and rank agreement differ: {_format_coefficients(e)}; p = {_format_p(f.p_linear)} and {_format_p(f.p_rank)}."
    ),
    "doubtful": _describe_doubtful,
    "hidden": _describe_hidden,
    "unsettled": lambda e, f: (
        f"not significant {_describe_range(e, f).format('the sign changes when one system is left out: ')}"
    ),
    "open": lambda e, f: f"not significant {_describe_range(e, f).format('')}",
}


def _format_p(p: float | None) -> str:
    """Return a p value as printed, such as ``.021`` or ``< .001``; a dash for None."""
    if p is None:
        return "–"
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def _format_extremes(lowest: Withdrawal, highest: Withdrawal) -> str:
    """Return the lowest and highest r when one family is left out, with the families' names."""
    return f"without {lowest.who} {format_signed(lowest.r)}, without {highest.who} {format_signed(highest.r)}"


def _remark_on_people(apart: Evidence, together: Evidence) -> str:
    """Return the remark on how people as rows change r; empty if they do not."""
    a, b = apart.pearson.r, together.pearson.r
    if a is None or b is None or together.n == apart.n:
        return ""
    word = "turns its sign to" if a * b < 0 else "gives"
    return f" Adding people {word} r = {_format_correlation(together.pearson)}, n = {together.n}."


def _explain_untestable(e: Evidence) -> str:
    """Return the reason why a pair cannot be tested."""
    n, what = (e.families.n, "famil") if e.families is not None and e.families.n < e.n else (e.n, "system")
    if n < FEWEST:
        ending = {"famil": ("y", "ies"), "system": ("", "s")}[what][n != 1]
        how_many = f"only {n} {what}{ending}" if n else "no system"
        return f"{how_many} with both values (at least {FEWEST} are needed)"
    return "one of the two measures does not vary over the systems, or over all systems but one"


def _format_correlation(correlation: Correlation) -> str:
    """Return a coefficient with its confidence interval as text."""
    if correlation.r is None:
        return "–"
    bounds = (
        f" [{format_signed(correlation.low)}, {format_signed(correlation.high)}]"
        if correlation.low is not None and correlation.high is not None
        else ""
    )
    return f"{format_signed(correlation.r)}{bounds}"


def format_signed(r: float | None) -> str:
    """Return a number with its sign and two decimals, without a leading 0: +.42."""
    if r is None:
        return "–"
    text = f"{r:+.2f}"
    return "0" if text in ("+0.00", "-0.00") else text.replace("0.", ".", 1)


def summarise_systems(automatic: str, cases: Iterable[Case]) -> str:
    """Return one sentence on a measure over systems: which hearer measures it predicts, and the other findings."""
    hearers_by_finding: dict[str, list[str]] = {}
    for case in cases:
        hearers_by_finding.setdefault(case.finding, []).append(
            case.hearer + (f" ({case.domain})" if case.domain else "")
        )
    total, predicted = sum(map(len, hearers_by_finding.values())), len(hearers_by_finding.get("predicts", ()))
    if not total:
        return f"{automatic} was not tested over all domains together."
    if total == len(hearers_by_finding.get("untried", ())):
        return f"{automatic} cannot be tested over systems."
    if total == len(hearers_by_finding.get(NO_PASSPORT, ())):
        return (
            f"{automatic}: no verdict. Only hearers without a passport answered: run `referee passport HEARER` first."
        )
    parts = "; ".join(
        f"{MEANING[word]} {', '.join(hearers_by_finding[word])}" for word in MEANING if word in hearers_by_finding
    )
    return f"{automatic} predicts {predicted} of {total} hearer measure{'s' * (total > 1)}: {parts}."


def summarise_items(tried: Iterable[tuple[str, str, str, Association]]) -> str:
    """Return one sentence on a measure over items; empty without associations."""
    parts = [
        part
        for hearer, kind, better, association in tried
        if (part := _describe_item_association(hearer, kind, better, association))
    ]
    return f"Over items: {'; '.join(parts)}." if parts else ""


def _describe_item_association(hearer: str, kind: str, better: str, association: Association) -> str:
    """Describe the association of a measure with one hearer measure over items.

    Better scores should go with more success (an AUC above .5) and less time.
    """
    if association.value is None or association.low is None or association.high is None:
        return ""
    name = "AUC" if kind == "auc" else "rho"
    middle, good = (0.5, 1) if kind == "auc" else (0.0, {"higher": -1, "lower": 1}.get(better, 0))
    numbers = f"{name} {_format_decimals(association.value)} [{_format_decimals(association.low)}, {_format_decimals(association.high)}], n = {association.n}"
    if association.p_corrected is None:
        return f"cannot be tested against {hearer}: fewer than {TESTABLE} clusters ({numbers})"
    numbers += f", {_format_p_equation(association.p_corrected)}"
    if association.p_corrected > LEVEL:
        return f"not shown for {hearer} ({numbers})"
    side = 1 if association.value > middle else -1
    word = "related to" if not good else "holds for" if side == good else "the wrong way for"
    return f"{word} {hearer} ({numbers})"


def _format_p_equation(p: float) -> str:
    """Return ``p = .021`` or ``p < .001``."""
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def _format_decimals(value: float) -> str:
    """Return a number with two decimals, without a leading 0."""
    return f"{value:.2f}".replace("0.", ".", 1)
