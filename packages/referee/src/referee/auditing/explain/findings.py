"""Groups failed claims into findings: by one mistake that explains them, or by a common reason."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from referee.auditing.claims import AuditRow, AuditVerdict, PrintedClaim, Remedy
from referee.auditing.explain.detective import Explanation, explain
from referee.auditing.explain.printed_case import PrintedCase
from referee.auditing.explain.slips import find_other_formula, find_slip
from referee.auditing.explain.suspects import find_suspects
from referee.auditing.explain.wording import format_value, list_items, say_numbers, say_pairs
from referee.auditing.printed import CellPlace
from referee.auditing.value_claims import StarsClaim, ValueClaim

MOST = 3
"""Most suspects that a finding names; of more, the most probable ones are named."""


@dataclass(frozen=True, slots=True)
class FoundOut:
    """One failure: the sentence, the rows (by index) behind it, and the correct values.

    There are no remedies if the print does not decide which number is wrong, or the correct one is no number.
    `suspects` are at most three cells, the most probable first, of which one must be misprinted.
    """

    sentence: str
    rows: tuple[int, ...]
    remedies: tuple[Remedy, ...] = ()
    suspects: tuple[CellPlace, ...] = ()


def gather(claims: Sequence[PrintedClaim], rows: Sequence[AuditRow], about: Sequence[str]) -> list[FoundOut]:
    """Return findings: one mistake behind several failures, then another formula, then the rest table by table."""
    failed = [i for i, row in enumerate(rows) if row.verdict is AuditVerdict.DOES_NOT_FOLLOW]
    record = _Record(claims, rows, about, failed)
    # First, because it explains a failure without supposing a wrong cell.
    formulas = {i: words for i in failed if (words := find_other_formula(claims[i]))}
    record.case.set_aside(formulas)
    discoveries = [record.explained(explanation) for explanation in explain(record.case)]
    record.judge_again()
    rest = sorted(record.case.failed)
    for alike in _group_indices(formulas, lambda i: (rows[i].source, formulas[i])):
        discoveries.append(record.make_formula_finding(alike, formulas[alike[0]]))
    stars = record.find_repeated_correlations(rest, failed)
    for same_source in _group_indices([i for i in rest if i not in stars], lambda i: rows[i].source):
        discoveries += record.group_by_source(same_source)
    return [record.add_stars(finding, stars) for finding in discoveries]


def _group_indices(indices: Iterable[int], key: Callable[[int], Hashable]) -> list[list[int]]:
    """Return indices grouped by a key."""
    groups: dict[Hashable, list[int]] = {}
    for i in indices:
        groups.setdefault(key(i), []).append(i)
    return list(groups.values())


class _Record:
    """The claims, their rows and the remarks of their checks."""

    def __init__(
        self, claims: Sequence[PrintedClaim], rows: Sequence[AuditRow], about: Sequence[str], failed: Sequence[int]
    ) -> None:
        self.claims, self.rows, self.about = claims, list(rows), about
        self.case = PrintedCase(claims, failed)

    def judge_again(self) -> None:
        """Judge the failures that remain by the corrected numbers."""
        for i in self.case.failed:
            if self.case.claims[i] is not self.claims[i] and not self.case.claims[i].fits():
                self.rows[i] = self.case.claims[i].judge()

    def find_repeated_correlations(self, rest: Sequence[int], failed: Sequence[int]) -> dict[int, int]:
        """Return, for stars that fit a printed correlation which fails, the index of that correlation.

        They are no separate finding.
        """
        correlations = {id(self.claims[i]): i for i in failed}
        stars = ((i, claim) for i in rest if isinstance(claim := self.claims[i], StarsClaim))
        return {i: correlations[id(c.r)] for i, c in stars if id(c.r) in correlations and c.fits_printed}

    def add_stars(self, finding: FoundOut, stars: Mapping[int, int]) -> FoundOut:
        """Return a finding with the stars of its correlations added."""
        more = tuple(i for i, correlation in stars.items() if correlation in finding.rows)
        return replace(finding, rows=(*finding.rows, *more))

    def explained(self, explanation: Explanation) -> FoundOut:
        """Return the finding on several failures that one mistake explains."""
        indices = explanation.claims
        items = [self.rows[i].item for i in indices if not isinstance(self.claims[i], StarsClaim)]
        count = f"{len(indices)} other numbers follow from the correction"
        places = [n.place for n in explanation.suspects] or [r.place for r in explanation.remedies]
        sentence = f"{explanation.sentence}; {count} ({list_items(items)})"
        return FoundOut(sentence, indices, explanation.remedies, tuple(places[:MOST]))

    def make_formula_finding(self, indices: Sequence[int], words: str) -> FoundOut:
        """Return the finding on failures that another formula explains, and on numbers computed from the wrong ones."""
        remedies = self._list_remedies(indices)
        # As the share of 576 in Spanger et al. 2010, once the responses are 660 and not 638.
        later = {i: self.case.after(i, remedies) for i in self.case.find_broken_claims(remedies)}
        later_remedies = {i: remedy for i, remedy in later.items() if remedy is not None}
        consequences = [
            f"{self.rows[i].item} then is {_format_range(r)}, not {r.printed}" for i, r in later_remedies.items()
        ]
        places = tuple(r.place for r in remedies[:MOST])
        sentence = self._format_sentence(indices, "; ".join([words, *consequences]))
        return FoundOut(sentence, tuple(indices), (*remedies, *later_remedies.values()), places)

    def group_by_source(self, indices: Sequence[int]) -> list[FoundOut]:
        """Return the unexplained failures of one table: one finding on those that share a column which is in no claim
        that holds, then the others.
        """
        # As Edit in Table 7 of TUNA 2008.
        column, alike = self._find_common_column(indices)
        if len(alike) > (1 if len(alike) == len(indices) else 2) and not self._find_impossible_means(alike):
            words = f"every claim that involves {column} fails and all others hold, but no single cell explains this"
            findings = [FoundOut(self._format_sentence(alike, words), tuple(alike))]
            indices = [i for i in indices if i not in alike]
        else:
            findings = []
        checks = _group_indices(indices, lambda i: self.claims[i].subject.check)
        groups = [group for check in checks for group in self._group_alike_failures(check)]
        return findings + [self._make_unexplained_finding(group) for group in self._group_equal_numbers(groups)]

    def _group_alike_failures(self, indices: Sequence[int]) -> list[list[int]]:
        """Group failures of one check with the same kind of misprint in a column that mostly fails; others stay alone."""

        def make_key(i: int) -> Hashable:
            """Return what groups a claim: kind of slip and column of a common target, else the claim alone."""
            target = self.claims[i].target
            shared = target is not None and self.case.is_common(i)
            return (find_slip(self.claims[i]).kind, target.place.column) if target is not None and shared else i

        return _group_indices(indices, make_key)

    def _group_equal_numbers(self, groups: Sequence[Sequence[int]]) -> list[list[int]]:
        """Group failures on the same two numbers at several positions of a table into one finding."""

        def list_numbers(group: Sequence[int]) -> Hashable:
            """Return the printed and recomputed number of a claim, or the claims of a larger group."""
            row = self.rows[group[0]]
            alone = len(group) == 1 and row.recomputed is not None
            return (row.printed, row.recomputed) if alone else tuple(group)

        merged: dict[Hashable, list[int]] = {}
        for group in groups:
            merged.setdefault(list_numbers(group), []).extend(group)
        return list(merged.values())

    def _make_unexplained_finding(self, indices: Sequence[int]) -> FoundOut:
        """Return the finding on unexplained failures: the suspect cells, at most one slip, and numbers that confirm the
        print.
        """
        suspects = self._list_suspects(indices)
        places = tuple(place for place, _ in suspects[:MOST])
        targets = {t.place for i in indices if (t := self.claims[i].target) is not None}
        texts = {p for i in indices if (p := self.claims[i].text_place) is not None}
        if impossible := self._find_impossible_means(indices):
            return FoundOut(self._format_sentence(indices, impossible), tuple(indices), (), places)
        remedies = self._list_remedies(indices)
        # As .718 of Spanger et al. 2013, which its F of .762 confirms.
        witnesses = [self.rows[i].item for i in self.case.find_broken_claims(remedies)]
        if witnesses:
            printed = format_value(self.rows[indices[0]].printed) if len(indices) == 1 else "what is printed"
            words = f"{printed} is confirmed by {list_items(witnesses)}, so another number must be wrong"
            return FoundOut(
                self._format_sentence(indices, words + _format_suspects(suspects)), tuple(indices), (), places
            )
        words = find_slip(self.claims[indices[0]]).words
        if places and not set(places) <= targets | texts:
            words = f"{words}{_format_suspects(suspects)}".removeprefix("; ")
            remedies = remedies if places[0] in targets | texts else ()
        return FoundOut(
            self._format_sentence(indices, words), tuple(indices), remedies, places or tuple(targets)[:MOST]
        )

    def _list_suspects(self, indices: Sequence[int]) -> list[tuple[CellPlace, str]]:
        """Return the cells of which one must be misprinted, each with its text."""
        counted = [i for i in indices if self.case.counted(i)] or list(indices)
        texts = [
            (place, str(format_value(self.rows[i].printed)))
            for i in counted
            if len(counted) == 1 and (place := self.claims[i].text_place) is not None
        ]
        return [*texts, *((s.number.place, s.number.text) for s in find_suspects(self.case, counted))]

    def _list_remedies(self, indices: Sequence[int]) -> tuple[Remedy, ...]:
        remedies = (self.case.claims[i].remedy() for i in indices)
        return tuple(remedy for remedy in remedies if remedy is not None)

    def _find_common_column(self, indices: Sequence[int]) -> tuple[str, list[int]]:
        """Return the column that most failed claims of a table are computed from, and no claim that holds, with these
        failures.
        """
        source = self.rows[indices[0]].source
        columns = {
            i: {n.place.column for n in c.inputs}
            for i, c in enumerate(self.claims)
            if isinstance(c, ValueClaim) and c.subject.source == source
        }
        holding = set[str]().union(*(names for i, names in columns.items() if i not in indices))
        failing = {name for i in indices for name in columns.get(i, ())} - holding
        alike = {name: [i for i in indices if name in columns.get(i, ())] for name in sorted(failing)}
        return max(alike.items(), key=lambda item: len(item[1]), default=("", [])) if holding else ("", [])

    def _format_sentence(self, indices: Sequence[int], words: str) -> str:
        """Return one sentence: place, printed and recomputed number, and reason (the remark of the check if no other is
        known).
        """
        rows, first = [self.rows[i] for i in indices], self.claims[indices[0]]
        same = len({(row.printed, row.recomputed) for row in rows}) == 1
        what = say_numbers(rows[0], first.symbol) if same else say_pairs(rows)
        remark = self.about[first.subject.check]
        sentence = f"{first.subject.table}, {list_items([row.item for row in rows])}: {what}"
        return sentence + (f"; {words}" if words else f" ({remark})" if remark else "")

    def _find_impossible_means(self, indices: Sequence[int]) -> str:
        """Return the remark if all failures are means outside the range of their parts; empty otherwise."""
        claims = [self.claims[i] for i in indices]
        # As all 14 overall accuracies in Table 3 of TUNA 2008.
        beyond = all(isinstance(c, ValueClaim) and c.outside_its_parts for c in claims)
        return "no mean of these parts can have this value, whatever their counts" if beyond else ""


def _format_suspects(suspects: Sequence[tuple[CellPlace, str]]) -> str:
    """Return the suspects as the end of a sentence."""
    if not suspects:
        return ""
    cells = [f"{place} ({text})" for place, text in suspects[:MOST]]
    if len(cells) == 1:
        return f"; the misprint is in {cells[0]}"
    if len(suspects) == len(cells):
        return f"; one of these {len(cells)} is misprinted: {'; '.join(cells)}"
    return f"; one of {len(suspects)} numbers is misprinted: {'; '.join(cells)}; or another"


def _format_range(remedy: Remedy) -> str:
    """Return the range of a remedy as text; one number where both ends are equal."""
    return (
        format_value(remedy.low)
        if remedy.low == remedy.high
        else f"{format_value(remedy.low)} to {format_value(remedy.high)}"
    )
