"""From failed claims to sentences: what one mistake explains is said once, what reads alike is said together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from referee.auditing.claims import Claim, Row, StarsClaim, ValueClaim, Verdict
from referee.auditing.explain.detective import explain
from referee.auditing.explain.slips import describe_slip, other_formula

__all__ = ["gather", "shown"]

Found = tuple[str, tuple[int, ...]]


def gather(claims: Sequence[Claim], rows: Sequence[Row], about: Sequence[str]) -> list[Found]:
    """Sentences with the rows they explain: another formula, then one mistake behind several failures, then the rest."""
    failed = [i for i, row in enumerate(rows) if row.verdict is Verdict.DOES_NOT_FOLLOW]
    book = _Book(claims, rows, about)
    formulas = {i: words for i in failed if (words := other_formula(claims[i]))}
    failed = [i for i in failed if i not in formulas]
    found: list[Found] = []
    for explanation in explain(claims, failed):
        found.append(book.explained(explanation.sentence, explanation.claims))
        failed = [i for i in failed if i not in explanation.claims]
    alike = _groups(formulas, lambda i: (rows[i].source, formulas[i]))
    found += [book.say(group, formulas[group[0]]) for group in alike]
    for same_source in _groups(failed, lambda i: rows[i].source):
        found += book.of_source(same_source)
    return _merged(found, rows)


def _groups(indices: Sequence[int] | dict[int, str], key: Callable[[int], Hashable]) -> list[list[int]]:
    groups: dict[Hashable, list[int]] = {}
    for i in indices:
        groups.setdefault(key(i), []).append(i)
    return list(groups.values())


class _Book:
    """The claims, their rows and the remarks of the checks they come from."""

    def __init__(self, claims: Sequence[Claim], rows: Sequence[Row], about: Sequence[str]) -> None:
        self.claims, self.rows, self.about = claims, rows, about

    def explained(self, sentence: str, indices: tuple[int, ...]) -> Found:
        items = [self.rows[i].item for i in indices if not isinstance(self.claims[i], StarsClaim)]
        count = f"{len(indices)} numbers that do not follow as printed then do"
        return f"{sentence}; {count} ({_listed(items)})", indices

    def of_source(self, indices: Sequence[int]) -> list[Found]:
        """The unexplained failures of one table: together when one column is in all of them and in nothing that holds."""
        column = self._common_column(indices)
        if column and len(indices) > 1 and not self._impossible(indices):
            words = f"whatever involves {column} fails and the rest follows, but no single cell explains it"
            return [self.say(indices, words)]
        checks = _groups(indices, lambda i: self.claims[i].subject.check)
        return [found for check in checks for found in self._of_check(check)]

    def _of_check(self, indices: Sequence[int]) -> list[Found]:
        """The failures of one check: those that read alike together when they are many, else singly."""
        groups = self._alike(indices) if len(indices) > 2 else [[i] for i in indices]
        return [self.say(group, describe_slip(self.claims[group[0]])) for group in groups]

    def _alike(self, indices: Sequence[int]) -> list[list[int]]:
        """Failures with the same kind of slip (its first two words say which) in the same column."""
        slips = {i: tuple(describe_slip(self.claims[i]).split()[:2]) for i in indices}
        return _groups(indices, lambda i: (slips[i], self.rows[i].item.rpartition(", ")[2]))

    def _common_column(self, indices: Sequence[int]) -> str:
        """A column that all failed claims about a table are computed from, and none that holds."""
        source = self.rows[indices[0]].source
        values = {i: c for i, c in enumerate(self.claims) if isinstance(c, ValueClaim) and c.subject.source == source}
        if not all(i in values or isinstance(self.claims[i], StarsClaim) for i in indices):
            return ""
        bad = [_columns(values[i]) for i in indices if i in values]
        good = [_columns(c) for i, c in values.items() if i not in indices]
        shared = set.intersection(*bad) - set[str]().union(*good) if bad and good else set()
        return min(shared, default="")

    def say(self, indices: Sequence[int], words: str) -> Found:
        """One sentence: where, what is printed, what follows, and why."""
        rows = [self.rows[i] for i in indices]
        what = _numbers(rows[0]) if len({(row.printed, row.recomputed) for row in rows}) == 1 else _pairs(rows)
        remark = self.about[self.claims[indices[0]].subject.check]
        table = rows[0].source.partition(", ")[2]
        impossible = "" if words else self._impossible(indices)
        said = [f"{table}, {_listed([row.item for row in rows])}: {what}", words, impossible]
        sentence = "; ".join(part for part in said if part)
        return sentence + (f" ({remark})" if remark and not (words or impossible) else ""), tuple(indices)

    def _impossible(self, indices: Sequence[int]) -> str:
        """What is said when all failures are means outside their parts."""
        claims = [self.claims[i] for i in indices]
        beyond = all(isinstance(c, ValueClaim) and c.outside_its_parts for c in claims)
        return "no mean of these parts, whatever their counts, can be that" if beyond else ""


def _columns(claim: ValueClaim) -> set[str]:
    return {n.place.column for n in claim.inputs}


def _merged(found: Sequence[Found], rows: Sequence[Row]) -> list[Found]:
    """The same two numbers at several places of one source are one finding."""
    kept: dict[Hashable, Found] = {}
    for sentence, indices in found:
        row = rows[indices[0]]
        key = (
            (row.source, row.printed, row.recomputed) if len(indices) == 1 and row.recomputed is not None else sentence
        )
        if key in kept:
            before, others = kept[key]
            old = rows[others[0]].item
            sentence, indices = before.replace(old, f"{old} and {row.item}", 1), others + indices
        kept[key] = sentence, indices
    return list(kept.values())


def _numbers(row: Row) -> str:
    if row.recomputed is None:
        return f"{shown(row.printed)} is printed, but it must lie between {shown(row.low)} and {shown(row.high)}"
    exact = row.low is None or row.low == row.high
    allowed = "" if exact else f" (rounding allows {shown(row.low)} to {shown(row.high)})"
    name = "p = " if row.item.startswith("p of ") else ""
    return f"{shown(row.printed)} is printed, {name}{shown(row.recomputed)} follows{allowed}"


def _pairs(rows: Sequence[Row]) -> str:
    """Several failures with different numbers, the first three as examples."""
    pairs = [f"{shown(row.printed)} instead of {shown(row.recomputed)}" for row in rows[:3]]
    return f"printed {', '.join(pairs)}{' …' if len(rows) > 3 else ''}"


def _listed(items: Sequence[str]) -> str:
    names = list(dict.fromkeys(items))
    if len(names) > 3:
        return f"{names[0]}; {names[1]}; and {len(names) - 2} more"
    return "; ".join(names)


def shown(value: float | str | None) -> str:
    """A value for reading: whole numbers as such, others with about five digits."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if 0 < abs(value) < 1e-4:
        return f"{value:.1e}"
    if abs(value - round(value)) < 1e-9:
        return f"{value:.0f}"
    return f"{value:.4g}" if abs(value) < 1 else f"{value:.5g}" if abs(value) < 1000 else f"{value:.2f}"
