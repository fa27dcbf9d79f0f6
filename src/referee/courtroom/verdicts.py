"""What the evidence on a measure amounts to, in one word and one sentence: the reading that Belz & Gatt's (2008) table would have needed.

A coefficient counts as shown where p ≤ .05, and as holding only where what is left without any one system (or family) would still do
with the same number of systems. Something is hidden where leaving one out moves r by `SWAY` or more, to where it counts.
Single pairs are not corrected for their number; whoever prints many says how many.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from referee.courtroom.evidence import Evidence, Withdrawal
from referee.courtroom.item_evidence import Association
from referee.statistics.correlation import Correlation, critical_r

__all__ = ["MEANING", "Case", "case_of", "signed", "sum_up", "sum_up_items"]

SWAY = 0.2
MEANING = {
    "predicts": "holds for",
    "reversed": "the wrong way for",
    "related": "related to",
    "carried": "carried by one system for",
    "hidden": "something hidden by one system for",
    "unsettled": "its sign decided by one system for",
    "open": "nothing shown for",
    "untried": "not to be tried for",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What the evidence amounts to: `finding` is one word, `sentence` says it with its numbers, `reason` why a pair cannot be tried."""

    automatic: str
    hearer: str
    domain: str | None
    finding: str
    sentence: str
    reason: str = ""


def case_of(evidence: Evidence, with_people: Evidence | None = None) -> Case:
    """The verdict on one measure as a predictor of one hearer measure, and what people as rows would do to it."""
    finding, told = _judge(evidence)
    if with_people is not None:
        told += _flip(evidence, with_people)
    domain = f" ({evidence.domain})" if evidence.domain else ""
    sentence = f"{evidence.automatic} → {evidence.hearer}{domain}: {told}"
    return Case(
        automatic=evidence.automatic,
        hearer=evidence.hearer,
        domain=evidence.domain,
        finding=finding,
        sentence=sentence,
        reason=_reason(evidence) if finding == "untried" else "",
    )


def _judge(e: Evidence) -> tuple[str, str]:
    if e.pearson.r is None or e.pearson.low is None or e.lowest is None or e.highest is None:
        return "untried", f"cannot be tried: {_reason(e)}."
    shown = f"r = {_told(e.pearson)}, n = {e.n}"
    if _significant(e.pearson):
        weakest = e.lowest if e.pearson.r > 0 else e.highest
        if _gone(weakest, e):
            return "carried", f"{shown}, but {weakest.who} carries it: without it r = {_told(weakest.found)}."
        return _named(e, f"{shown}; between {signed(e.lowest.r)} and {signed(e.highest.r)} whichever one is left out.")
    if e.lowest.r < 0 < e.highest.r and all(abs(w.r - e.pearson.r) >= SWAY for w in (e.lowest, e.highest)):
        return "unsettled", f"nothing shown ({shown}); one system decides the sign: {_both(e.lowest, e.highest)}."
    far = max((e.lowest, e.highest), key=lambda w: abs(w.r - (e.pearson.r or 0)))
    if _significant(far.found) and abs(far.r - e.pearson.r) >= SWAY:
        return (
            "hidden",
            f"nothing shown over all ({shown}), but {far.who} hides something: without it r = {_told(far.found)}.",
        )
    return "open", f"nothing shown ({shown}); {_both(e.lowest, e.highest)}."


def _named(e: Evidence, told: str) -> tuple[str, str]:
    """A correlation that holds is good news only in the right direction."""
    if not e.sign:
        return "related", f"related, {told}"
    if e.sign * (e.pearson.r or 0) > 0:
        return "predicts", f"predicts, {told}"
    return "reversed", f"points the wrong way, {told}"


def _gone(weakest: Withdrawal, e: Evidence) -> bool:
    """Whether what is left would not count even with as many systems as before: fewer systems alone are no reason."""
    whole, needed = e.pearson.r or 0.0, critical_r(e.n)
    return weakest.r * whole <= 0 or needed is None or abs(weakest.r) < needed


def _significant(found: Correlation) -> bool:
    return found.p is not None and found.p <= 0.05


def _both(lowest: Withdrawal, highest: Withdrawal) -> str:
    return f"without {lowest.who} {signed(lowest.r)}, without {highest.who} {signed(highest.r)}"


def _flip(apart: Evidence, together: Evidence) -> str:
    a, b = apart.pearson.r, together.pearson.r
    if a is None or b is None or together.n == apart.n:
        return ""
    word = "turns its sign to" if a * b < 0 else "gives"
    return f" Adding people {word} r = {_told(together.pearson)}, n = {together.n}."


def _reason(e: Evidence) -> str:
    if e.n < 4:
        how_many = f"only {e.n} system{'' if e.n == 1 else 's'}" if e.n else "no system"
        return f"{how_many} with both values (at least 4 are needed)"
    return "one of the two does not vary over the systems, or not without one of them"


def _told(found: Correlation) -> str:
    if found.r is None:
        return "–"
    bounds = f" [{signed(found.low)}, {signed(found.high)}]" if found.low is not None and found.high is not None else ""
    return f"{signed(found.r)}{bounds}"


def signed(r: float | None) -> str:
    """Two decimals without a leading 0, with a sign: +.42."""
    if r is None:
        return "–"
    text = f"{r:+.2f}"
    return "0" if text in ("+0.00", "-0.00") else text.replace("0.", ".", 1)


def sum_up(automatic: str, cases: Iterable[Case]) -> str:
    """One sentence on a measure: which of the hearer measures it predicts, and what became of the others."""
    found: dict[str, list[str]] = {}
    for case in cases:
        found.setdefault(case.finding, []).append(case.hearer + (f" ({case.domain})" if case.domain else ""))
    total, predicted = sum(map(len, found.values())), len(found.get("predicts", ()))
    if total and total == len(found.get("untried", ())):
        return f"{automatic} cannot be tried over systems."
    parts = "; ".join(f"{MEANING[word]} {', '.join(found[word])}" for word in MEANING if word in found)
    if not total:
        return f"{automatic} was not tried over all domains."
    return f"{automatic} predicts {predicted} of {total} hearer measure{'s' * (total > 1)}: {parts}."


def sum_up_items(tried: Iterable[tuple[str, str, str, Association]]) -> str:
    """One sentence on a measure over items, from (hearer measure, "auc" or "rho", better direction, what was found); empty where nothing was."""
    parts = [told for hearer, kind, better, found in tried if (told := _over_items(hearer, kind, better, found))]
    return f"Over items: {'; '.join(parts)}." if parts else ""


def _over_items(hearer: str, kind: str, better: str, found: Association) -> str:
    """Better scores should mean more success (an area above one half) and less time."""
    if found.value is None or found.low is None or found.high is None:
        return ""
    name = "AUC" if kind == "auc" else "rho"
    middle, good = (0.5, 1) if kind == "auc" else (0.0, {"higher": -1, "lower": 1}.get(better, 0))
    numbers = f"{name} {_place(found.value)} [{_place(found.low)}, {_place(found.high)}], n = {found.n}"
    if found.low <= middle <= found.high:
        return f"nothing shown for {hearer} ({numbers})"
    side = 1 if found.low > middle else -1
    word = "related to" if not good else "holds for" if side == good else "the wrong way for"
    return f"{word} {hearer} ({numbers})"


def _place(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1)
