"""The court as a page of text.

Verdicts, counts with their base rates, effects of corrections, tables, rankings, items, cases, notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from textwrap import wrap

from referee.auditing.corrections import Correction
from referee.courtroom.admissions import NO_PASSPORT
from referee.courtroom.answered_items import ItemEvidence
from referee.courtroom.corrected_verdicts import VerdictChange
from referee.courtroom.evidence import ALL, Evidence, Withdrawal
from referee.courtroom.multiplicity import EXACT_UP_TO
from referee.courtroom.pooling import LEVEL
from referee.courtroom.proceedings import UNKNOWN_ERROR, Proceedings, Tally, count_pairs
from referee.courtroom.ranking_evidence import NEEDS_ITEMS, RankingEvidence
from referee.courtroom.verdicts import CANNOT_BE_TESTED, NOT_SHOWN, PREDICTS, Case, format_signed
from referee.show.reports.score_tables import wrap_signature


class _Columns(tuple[tuple[str, ...], ...]):
    """Rows of cells, the first of them heads, to be set side by side when the width of the page is known."""


Line = str | _Columns


def format_court_page(p: Proceedings, width: int | None = None) -> list[str]:
    """Return the lines of the full page; `width` wraps sentences and splits wide tables."""
    return [*(text for line in _build_lines(p) for text in _wrap_line(line, width)), *_format_signature(p, width)]


def format_court_summary(p: Proceedings, width: int | None = None) -> list[str]:
    """Return the verdict and one table of r, automatic measures by hearer measures, for one screen."""
    best, cases = p.best, [c for c in p.best.cases if c.domain is None] or list(p.best.cases)
    counts = Counter(c.verdict for c in cases)
    corrected = " (table as corrected)" if p.corrections else ""
    numbers = ", ".join(f"{counts[v]} {v}" for v in (PREDICTS, NOT_SHOWN, CANNOT_BE_TESTED) if counts[v])
    lines: list[Line] = [
        f"The court on {p.source}{corrected}",
        "",
        *_describe_predictions(cases),
        f"{len(cases)} pairs: {numbers}.",
    ]
    lines += [
        *(f"Warning: {w}" for w in best.warnings),
        "",
        *_build_matrix(best, cases),
        *_count_reasons(cases),
        *_build_shared_notes(p),
    ]
    lines += [*_build_pooled_lines(best), *_build_comparison_lines(best)]
    lines.append("--details prints all tables, items and cases; --format json has everything.")
    return [*(text for line in lines for text in _wrap_line(line, width)), *_format_signature(p, width)]


def _format_signature(p: Proceedings, width: int | None) -> list[str]:
    """Return the last lines: the signature of all that was read and used."""
    signature = f"Signature: {p.signature}"
    return [signature] if width is None else wrap_signature(signature, width)


def _describe_predictions(cases: Sequence[Case]) -> list[Line]:
    """Return one sentence per hearer measure on the measures that predict it."""
    predicted: dict[str, list[str]] = {}
    for case in cases:
        if case.verdict == PREDICTS:
            predicted.setdefault(case.automatic, []).append(case.hearer)
    sentences: list[Line] = [f"{measure} predicts {', '.join(hearers)}." for measure, hearers in predicted.items()]
    return sentences or ["No measure is shown to predict a hearer measure."]


def _build_matrix(p: Proceedings, cases: Sequence[Case]) -> list[Line]:
    """Return Pearson's r of each measure with each hearer measure, marked by its verdict."""
    domain = cases[0].domain if cases else None
    r = {(e.automatic, e.hearer): e.pearson.r for e in p.evidence if e.rows == ALL and e.domain == domain}
    marks = {(c.automatic, c.hearer): {PREDICTS: "*", CANNOT_BE_TESTED: "?"}.get(c.verdict, "") for c in cases}
    hearers = list(dict.fromkeys(c.hearer for c in cases))
    head = ("r", *hearers)
    rows = [
        (measure, *(format_signed(r.get((measure, h))) + marks.get((measure, h), "") for h in hearers))
        for measure in dict.fromkeys(c.automatic for c in cases)
    ]
    return [*_align_rows([head, *rows]), "  * predicts; ? cannot be tested; all others: not shown", ""]


def _count_reasons(cases: Sequence[Case]) -> list[Line]:
    """Return the reasons why pairs do not predict, with the number of pairs for each."""
    counts = Counter(c.verdict_reason for c in cases if c.verdict != PREDICTS)
    return ["Reasons: " + "; ".join(f"{reason} ({n})" for reason, n in counts.most_common()) + "."] if counts else []


def _build_pooled_lines(p: Proceedings) -> list[Line]:
    """Return effects over items and corpora, differences between measures, and the power of the table."""
    effects = sorted(
        (e for e in p.pooled if e.kind == "auc" and e.effect is not None), key=lambda e: -(e.effect or 0.0)
    )
    lines: list[Line] = []
    if effects:
        several = max(e.corpora for e in effects) > 1
        head = ("item by item", "AUC", "95% interval", *(("new corpus", "corpora") if several else ()))
        rows = [
            (
                f"{e.measure}, {e.hearer}",
                format_signed(e.effect).removeprefix("+"),
                _format_proportions(e.low, e.high),
                *(
                    (
                        _format_proportions(e.new_low, e.new_high) if e.new_low is not None else "not known",
                        str(e.corpora),
                    )
                    if several
                    else ()
                ),
            )
            for e in effects
        ]
        lines += ["", *_align_rows([head, *rows])]
        apart = [d for d in p.differences if d.p_corrected is not None and d.p_corrected <= LEVEL]
        lines.append(
            f"  {len(apart)} of {len(p.differences)} differences between measures are significant after Holm's correction."
        )
    lines += [
        f"Ceiling: other people's success with the same description has AUC {format_signed(c.auc).removeprefix('+')} "
        f"{_format_proportions(c.low, c.high)} ({c.corpus}, n = {c.n:,})."
        for c in p.ceilings
    ]
    if p.power:
        power, correlation = p.power, f"{p.power.correlation:.2g}".removeprefix("0")
        lines.append(
            f"Power: with {power.systems} systems a true r of {correlation} *predicts* in {power.predicts:.0%} of simulations."
        )
    return lines


def _format_proportions(low: float | None, high: float | None) -> str:
    """Return an interval of proportions, which have no sign."""
    return _format_interval(low, high).replace("+", "")


def _build_comparison_lines(p: Proceedings) -> list[Line]:
    """Return the pairs of systems that people tell apart."""
    if not p.systems:
        return []
    apart = [c for c in p.systems if c.separates]
    pairs = [f"{c.a} / {c.b} {c.only_a}:{c.only_b}" + (f" ({c.domain})" if c.domain else "") for c in apart]
    return [
        f"People tell {len(apart)} of {len(p.systems)} pairs of systems apart, item by item (McNemar, Holm)"
        + (f": {', '.join(pairs[:8])}{' …' if len(pairs) > 8 else ''}." if pairs else ".")
    ]


def _build_shared_notes(p: Proceedings) -> list[Line]:
    """Return notes on the numbers of systems and families, and on the corrections that change."""
    pairs = [(e.n, e.families.n) for e in p.best.evidence if e.families and e.rows == ALL]
    notes: list[Line] = []
    if pairs:
        systems, families = (max(n) for n in zip(*pairs, strict=True))
        notes.append(f"Verdicts rest on {systems} systems in {families} families, one vote each.")
    if p.corrections:
        changed = sum(change.turned for change in p.changes)
        notes.append(
            f"Correcting known misprints changes {changed} of the {len(p.changes)} verdicts that they concern."
        )
    return notes


def _wrap_line(line: Line, width: int | None) -> list[str]:
    """Return a line or table wrapped to the width."""
    if isinstance(line, _Columns):
        return [text for part in _split_columns(line, width) for text in _align_columns(part)]
    if width is None or len(line) <= width:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return wrap(line, width, subsequent_indent=f"{indent}  ", break_long_words=False, break_on_hyphens=False)


def _split_columns(rows: _Columns, width: int | None) -> list[list[tuple[str, ...]]]:
    """Return the table in parts that fit the width; each begins with the columns that name a row."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    names = 2 if rows[0][1:2] == ("hearer measure",) else 1
    if width is None or sum(widths) + 2 * len(widths) <= width:
        return [list(rows)]
    room = width - sum(w + 2 for w in widths[:names])
    parts: list[list[int]] = [[]]
    for column in range(names, len(widths)):
        if parts[-1] and sum(widths[c] + 2 for c in [*parts[-1], column]) > room:
            parts.append([])
        parts[-1].append(column)
    return [[tuple(row[c] for c in [*range(names), *part]) for row in rows] for part in parts]


def _align_columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def _build_lines(p: Proceedings) -> list[Line]:
    """Return all lines of the page."""
    best, as_corrected = p.best, " (as corrected)" if p.corrections else ""
    lines: list[Line] = [
        f"The court on {p.source}",
        "",
        f"Verdicts{as_corrected}",
        *(f"  {v}" for v in best.verdicts.values()),
    ]
    lines += [
        *_count_lines(best),
        *_build_family_vote_lines(p),
        *(f"Warning: {w}" for w in best.warnings),
        *_change_lines(p),
    ]
    lines += [
        *_build_tables(best, as_corrected),
        *_build_ranking_lines(best),
        *_build_item_lines(best),
        *_build_pooled_lines(best),
        *_build_comparison_lines(best),
    ]
    return [*lines, "", f"Case by case{as_corrected}", *_describe_cases(best), "", *_build_notes(best)]


def _count_lines(p: Proceedings) -> list[Line]:
    """Return the lines with the number of pairs by outcome, beside the numbers expected by chance."""
    counts = count_pairs(p.cases)
    parts = [f"{counts['tried']} tried"]
    parts += [f"{counts['cannot be tried']} cannot be tested"] if counts["cannot be tried"] else []
    parts += [f"{counts['no passport']} without a passport"] if counts["no passport"] else []
    total = counts["pairs"]
    head = ("finding", "pairs", "by chance")
    return [
        "",
        f"Of {total} pair{'s' * (total != 1)} of measures: {', '.join(parts)}",
        *_align_rows([head, *map(_format_tally, p.tallies)]),
        "  by chance: mean result of the same rules with the hearers' rows permuted among the families",
    ]


def _build_family_vote_lines(p: Proceedings) -> list[Line]:
    """Return the number of verdicts that depend on giving each family one vote."""
    if not p.single_votes:
        return []
    others = sum(vote.differs for vote in p.single_votes)
    systems, families = (
        max(n)
        for n in zip(*((e.n, e.families.n) for e in p.best.evidence if e.families and e.rows == ALL), strict=True)
    )
    counted = f"{systems} systems, not {families} families"
    return [f"  if every system counted as one ({counted}): {others} of {len(p.single_votes)} findings would be others"]


def _format_tally(tally: Tally) -> tuple[str, ...]:
    return (tally.finding, str(tally.count), "–" if tally.by_chance is None else f"{tally.by_chance:.1f}")


def _build_notes(p: Proceedings) -> list[str]:
    """Return the notes on the tables."""
    families = max((e.families.n for e in p.evidence if e.families), default=0)
    has_draws = any(sheet.draws for sheet in p.sheets)
    how = "all" if families <= EXACT_UP_TO else "random"
    noise = "with the noise of the answers" if has_draws else f"({UNKNOWN_ERROR})"
    ceiling = "ceiling: the highest r that the noise of the answers allows (split halves); " if has_draws else ""
    return [
        f"r Pearson, rho Spearman over systems, 95% intervals {noise}; families: how many, with r and rho over their means, one vote each;",
        f"p: linear and rank agreement together, corrected for all pairs of the table ({how} permutations of families, max-T, step-down);",
        "without one: lowest and highest r when one system (or family) is left out; ranking: share of pairs of systems in the hearers' order;",
        f"{ceiling}– not defined (a column does not vary, or too few).",
        *(f"Note: {note}." for note in p.notes),
    ]


def _build_ranking_lines(p: Proceedings) -> list[Line]:
    """Return soft pairwise accuracy and accuracy with ties; without items they are not defined."""
    if not p.rankings:
        return ["", f"Soft pairwise accuracy, accuracy with ties: {NEEDS_ITEMS}"]
    legend = "soft accuracy 1: full agreement with hearers; measures of one rank do not differ (PERM-BOTH; pairs); chance: an uninformative measure"
    lines = [line for hearer in dict.fromkeys(r.hearer for r in p.rankings) for line in _build_ranking_table(p, hearer)]
    return [*lines, f"  {legend}"]


def _build_ranking_table(p: Proceedings, hearer: str) -> list[Line]:
    """Return the measures ranked by one hearer measure, and the reasons why others are missing."""
    rankings = sorted((r for r in p.rankings if r.hearer == hearer), key=lambda r: -(r.soft_accuracy or 0))
    ranked = [r for r in rankings if not r.reason]
    reasons: dict[str, list[str]] = {}
    for r in rankings:
        if r.reason:
            reasons.setdefault(r.reason, []).append(r.automatic)
    head = ("measure", "soft accuracy", "chance", "rank", "with ties", "chance", "up to", "threshold", "rank")
    title = f"pairs of {rankings[0].systems} systems, {hearer}, on {max(r.items for r in rankings):,} items"
    table = _align_rows([head, *map(_format_ranking, ranked)]) if ranked else []
    return ["", title, *table, *(f"  {reason}: {', '.join(names)}" for reason, names in reasons.items())]


def _format_ranking(r: RankingEvidence) -> tuple[str, ...]:
    """Return the row of one measure in the ranking."""
    numbers = [r.soft_accuracy, r.soft_chance, r.tied_accuracy, r.chance, r.chance_high, r.threshold]
    soft, soft_by_chance, tied, chance, high, threshold = (
        "–" if x is None else f"{x:.3f}".removeprefix("0") for x in numbers
    )
    ranks = (str(r.soft_rank), str(r.tied_rank))
    return (r.automatic, soft, soft_by_chance, ranks[0], tied, chance, high, threshold, ranks[1])


def _build_tables(p: Proceedings, as_corrected: str) -> list[Line]:
    """Return the tables of evidence by domain."""
    lines: list[Line] = []
    for domain, rows in dict.fromkeys((e.domain, e.rows) for e in p.evidence):
        chosen = [e for e in p.evidence if (e.domain, e.rows) == (domain, rows)]
        if rows != ALL and [e.n for e in chosen] == [e.n for e in p.evidence if (e.domain, e.rows) == (domain, ALL)]:
            continue  # people were not answered, so their rows change nothing
        lines += ["", f"{domain or 'all domains'}, {rows}{as_corrected}", *_build_table(chosen)]
    return lines


def _change_lines(p: Proceedings) -> list[Line]:
    """Return the corrections, finding by finding, and every coefficient they move."""
    if p.corrected is None:
        return []
    if not p.corrections:
        return [
            "",
            "No correction in the register of errors concerns these columns: printed and corrected values are the same.",
        ]
    findings: dict[str, list[Correction]] = {}
    for correction in p.corrections:
        findings.setdefault(correction.why, []).append(correction)
    finding_lines = [
        f"  {why}{_format_used_value(cells)} (found by {cells[0].check})." for why, cells in findings.items()
    ]
    head = ("measure", "hearer measure", "", "as printed", "", "as corrected", "")
    return [
        "",
        "Effects of the corrections",
        *finding_lines,
        *_align_rows([head, *map(_format_change, p.changes)]),
        f"  {_describe_changed_verdicts(p)}",
    ]


def _format_used_value(corrections: Sequence[Correction]) -> str:
    """Return the value of an interval that is used; empty if the correction is a value."""
    used = [f"{c.between():.10g}" for c in corrections if not c.exact]
    return f"; the midpoint {', '.join(used)} is used" if used else ""


def _format_change(change: VerdictChange) -> tuple[str, ...]:
    """Return the row of one changed verdict."""
    before, after = (format_signed(r) for r in (change.r_printed, change.r_corrected))
    domain = change.domain or ""
    return (change.automatic, change.hearer, domain, before, change.finding_printed, after, change.finding_corrected)


def _describe_changed_verdicts(p: Proceedings) -> str:
    """Return how many verdicts the corrections change, and whether the new ones hold over the corrections' intervals."""
    turned = sum(change.turned for change in p.changes)
    untouched = len(p.cases) - len(p.changes)
    summary = f"{turned} of {len(p.changes)} verdicts on these pairs change{_describe_changes_without_families(p)}, {untouched} pairs are not affected."
    if all(c.exact for c in p.corrections):
        return summary
    unsure = [f"{c.automatic} → {c.hearer}" for c in p.changes if not c.holds]
    if unsure:
        return f"{summary} Not all of these hold over the whole interval of the corrections: {', '.join(unsure)}."
    return f"{summary} They are the same over the whole interval of the corrections."


def _describe_changes_without_families(p: Proceedings) -> str:
    """Return a sentence with the number of changes when every system has its own vote."""
    if not p.single_votes:
        return ""
    return f" ({sum(vote.turned for vote in p.single_votes)} of {len(p.changes)} if every system counts as one)"


def _describe_cases(p: Proceedings) -> list[str]:
    """Return one sentence per pair; pairs that cannot be tested for the same reason share one."""
    alike: dict[str, list[Case]] = {}
    for case in p.cases:
        alike.setdefault(case.reason or case.sentence, []).append(case)
    return [f"  {_describe_shared_reason(cases)}" for cases in alike.values()]


def _describe_shared_reason(cases: Sequence[Case]) -> str:
    """Return one sentence on pairs with the same reason."""
    if len(cases) == 1:
        return cases[0].sentence
    measures = ", ".join(dict.fromkeys(c.automatic for c in cases))
    what = "get no verdict" if cases[0].finding == NO_PASSPORT else "cannot be tested"
    return f"{len(cases)} pairs {what}: {cases[0].reason}: {measures}."


def _build_table(evidence: Sequence[Evidence]) -> list[Line]:
    """Return the table of evidence; measures without any value are named in one line."""
    tried = [e for e in evidence if e.pearson.r is not None or e.accuracy is not None]
    if not tried:
        most = max(e.n for e in evidence)
        return [
            f"  none of {len(evidence)} pairs can be tested ({most} system{'s' * (most != 1)} with both values at most)"
        ]
    left_out = dict.fromkeys(e.automatic for e in evidence if not e.n)
    shown = [e for e in evidence if e.n]
    return _align_rows(build_evidence_rows(shown)) + ([f"  no values: {', '.join(left_out)}"] if left_out else [])


def build_evidence_rows(evidence: Sequence[Evidence]) -> list[tuple[str, ...]]:
    """Return one row per pair of measures, without columns that no row fills.

    Rows with people among the systems have no test; printed tables have no ceiling.
    """
    head = (
        "measure",
        "hearer measure",
        "n",
        "r",
        "interval",
        "rho",
        "interval",
        "families",
        "p",
        "without one",
        "",
        "ranking",
        "ceiling",
    )
    rows = [head, *map(_build_row, evidence)]
    filled = [i for i, column in enumerate(zip(*rows[1:], strict=True)) if any(column)]
    return [tuple(row[i] for i in filled) for row in rows]


def _build_row(e: Evidence) -> tuple[str, ...]:
    """Return the row of one pair of measures."""
    low, high = (e.noise.interval_low, e.noise.interval_high) if e.noise else (e.pearson.low, e.pearson.high)
    return (
        e.automatic,
        e.hearer,
        str(e.n),
        format_signed(e.pearson.r),
        _format_interval(low, high),
        format_signed(e.spearman.r),
        _format_interval(e.spearman.low, e.spearman.high),
        _format_families(e),
        "" if e.families is None else _format_p(e.families.p_adjusted),
        _format_withdrawal(e.lowest),
        _format_withdrawal(e.highest),
        "–" if e.accuracy is None else f"{e.accuracy:.0%} of {e.pairs}",
        "" if e.ceiling is None else format_signed(e.ceiling.ceiling).removeprefix("+"),
    )


def _format_families(e: Evidence) -> str:
    """Return the number of families and their coefficients, where families differ from systems."""
    f = e.families
    return "" if f is None or f.n == e.n else f"{f.n}: {format_signed(f.pearson.r)}, {format_signed(f.spearman.r)}"


def _format_p(p: float | None) -> str:
    return "–" if p is None else "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def _align_rows(rows: Sequence[tuple[str, ...]]) -> list[Line]:
    return [_Columns(rows)]


def _format_interval(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"[{format_signed(low)}, {format_signed(high)}]"


def _format_withdrawal(withdrawal: Withdrawal | None) -> str:
    return "–" if withdrawal is None else f"{format_signed(withdrawal.r)} ({withdrawal.who})"


def _build_item_lines(p: Proceedings) -> list[Line]:
    """Return the lines on evidence over items."""
    if not p.items:
        return []
    head = ("measure", "hearer measure", "n", "what", "value", "interval", "p", "over")
    left_out = dict.fromkeys(i.automatic for i in p.items if not i.found.n)
    legend = "AUC above .5: identified items score better (measures where less is better are reversed); p corrected over measures (Holm)"
    missing = [f"  no values: {', '.join(left_out)}"] if left_out else []
    rows = [_build_item_row(i) for i in p.items if i.found.n]
    return ["", "over items, all systems together", *_align_rows([head, *rows]), *missing, f"  {legend}"]


def _build_item_row(item: ItemEvidence) -> tuple[str, ...]:
    """Return the row of one measure over items."""
    association = item.found
    value = (
        "–"
        if association.value is None
        else f"{association.value:.2f}"
        if item.kind == "auc"
        else format_signed(association.value)
    )
    bounds = (
        "–"
        if association.low is None or association.high is None
        else f"[{association.low:.2f}, {association.high:.2f}]"
    )
    what = "AUC" if item.kind == "auc" else "rho"
    return (
        item.automatic,
        item.hearer,
        str(association.n),
        what,
        value,
        bounds,
        _format_p(association.p_corrected),
        item.over,
    )
