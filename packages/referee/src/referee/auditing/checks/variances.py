"""Checks of F values and degrees of freedom from cell means, standard deviations and counts (as in the TUNA challenge
reports).

The formulas are those of `referee.statistics.variance`, vectorised over many versions of one table, because the
rounding of forty cells is searched for every printed F.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.auditing.checks.sizes import Sizes
from referee.auditing.claims import CannotTell, PrintedClaim, Subject, Unknown
from referee.auditing.intervals import Compute
from referee.auditing.paper import CheckSection, Paper
from referee.auditing.printed import Number
from referee.auditing.value_claims import ValueClaim
from referee.contracts import FloatArray

EFFECTS = ("system", "domain", "interaction")


@dataclass(frozen=True, kw_only=True)
class CellMeans:
    """Cell means, standard deviations and counts of one measure: systems x domains."""

    labels: tuple[str, ...]
    means: tuple[Number, ...]
    sds: tuple[Number, ...]
    counts: FloatArray

    @property
    def inputs(self) -> tuple[Number, ...]:
        return self.means + self.sds

    @property
    def error_df(self) -> int:
        return int(self.counts.sum()) - self.counts.size

    def split(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return means (points x systems x domains) and standard deviations of many versions of the table."""
        k, d = self.counts.shape
        return points[:, : k * d].reshape(-1, k, d), points[:, k * d :]

    def system_means(self, points: FloatArray) -> FloatArray:
        means, _ = self.split(points)
        return np.asarray((means * self.counts).sum(axis=2) / self.counts.sum(axis=1))

    def error_ms(self, points: FloatArray) -> FloatArray:
        """Return the pooled variance within cells, from standard deviations by cell or by system (minus the variance
        between its domains).
        """
        means, sds = self.split(points)
        if len(self.sds) == len(self.means):
            within = ((self.counts.ravel() - 1) * sds**2).sum(axis=1)
        else:
            between = (self.counts * (means - self.system_means(points)[:, :, None]) ** 2).sum(axis=(1, 2))
            within = ((self.counts.sum(axis=1) - 1) * sds**2).sum(axis=1) - between
        # Where rounding leaves less than nothing there is no variance, rather than a wrong one.
        within = np.where(within > 0, within, np.nan)
        result: FloatArray = within / self.error_df
        return result

    def f(self, effect: str) -> Compute:
        """Return F of an effect (type III): a quadratic form of the cell means over the error."""
        form, df = _make_quadratic_form(self.counts, effect)

        def compute(points: FloatArray) -> FloatArray:
            """Return the F ratio of every point: effect mean square by error mean square."""
            means = self.split(points)[0].reshape(len(points), -1)
            squares = np.einsum("pi,ij,pj->p", means, form, means, optimize=True)
            value: FloatArray = squares / df / self.error_ms(points)
            return value

        return compute


def _make_quadratic_form(counts: FloatArray, effect: str) -> tuple[FloatArray, int]:
    """Return the matrix A of an effect's sum of squares y'Ay, from a weighted fit of cell means, and its degrees of freedom."""
    k, d = counts.shape
    # Sum-to-zero coding, without which dropping an effect would not give its type III sum of squares.
    a, b = (np.vstack([np.eye(m - 1), -np.ones(m - 1)]) for m in (k, d))
    rows, columns = np.repeat(a, d, axis=0), np.tile(b, (k, 1))
    both = np.einsum("ip,iq->ipq", rows, columns).reshape(k * d, -1)
    parts = {"system": rows, "domain": columns, "interaction": both}
    design = np.hstack([np.ones((k * d, 1)), *(x for name, x in parts.items() if name != effect)])
    weights = np.diag(counts.ravel())
    fit = weights @ design @ np.linalg.solve(design.T @ weights @ design, design.T @ weights)
    return weights - fit, parts[effect].shape[1]


def read_cells(paper: Paper, section: CheckSection) -> CellMeans:
    """Return the cells that a check names. Raises CannotTell if one is missing."""
    table = paper.table(section.get_required("scores", str), section)
    parts, whole = section.names("cells"), section.get("whole", None, str)
    sd = section.get("sd", [], (str, list))
    sds = [sd] if isinstance(sd, str) else sd
    sizes = Sizes(section, len(parts))
    labels = [label for label in table.labels if label not in section.get("without", [], list)]
    if sizes.full is None:
        raise CannotTell("the numbers of observations are not given")
    if len(labels) < 2:
        raise CannotTell("there is only one system")
    means = [[table.number(label, c) for c in parts] for label in labels]
    spreads = [[table.number(label, c) for c in sds] for label in labels]
    empty = [label for label, row in zip(labels, map(operator.add, means, spreads), strict=True) if None in row]
    if empty:
        raise CannotTell(f"a cell of {', '.join(empty)} is empty (rows can be left out with `without`)")
    printed_means = [[n for n in row if n is not None] for row in means]
    wholes = [table.number(label, whole) if whole else None for label in labels]
    counts = [sizes.of(row, number) or () for row, number in zip(printed_means, wholes, strict=True)]
    unknown = [
        label
        for label, n, row, number in zip(labels, counts, printed_means, wholes, strict=True)
        if sizes.missing and number is not None and not sizes.match_whole(n, row, number)
    ]
    if unknown:
        raise CannotTell(f"no numbers of observations give the overall mean of {', '.join(unknown)}")
    return CellMeans(
        labels=tuple(labels),
        means=tuple(n for row in printed_means for n in row),
        sds=tuple(n for row in spreads for n in row if n is not None),
        counts=np.array(counts, dtype=float),
    )


def check_anova(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """Return claims on the printed F of system, domain and interaction, and on the degrees of freedom of the error."""
    try:
        cells, missing = read_cells(paper, section), ""
    except CannotTell as lack:
        cells, missing = None, str(lack)
    claims: list[PrintedClaim] = []
    for effect, reference in section.get_required("printed", dict).items():
        number, subject = _find_effect_cell(effect, reference, paper, section)
        if cells is None or number is None:
            because = missing or "the value is not printed"
            claims.append(Unknown(subject=subject, because=because, printed=number))
        else:
            claims.append(_make_effect_claim(effect, cells, number, subject))
    return claims


def _find_effect_cell(
    effect: str, reference: object, paper: Paper, section: CheckSection
) -> tuple[Number | None, Subject]:
    """Return the cell in which an effect is printed, and the subject of its claim."""
    one_way = len(section.names("cells")) == 1
    effects = ("system", "error_df") if one_way else (*EFFECTS, "error_df")
    if effect not in effects or not isinstance(reference, str):
        raise section.make_mistake(
            f"no effect {effect!r} = {reference!r}", f'{", ".join(effects)} = "table[row].column"'
        )
    table, row, column = paper.cell(reference, section)
    item = row if effect != "error_df" else f"{row}, error df"
    return table.number(row, column), section.subject(paper, table, item)


def _make_effect_claim(effect: str, cells: CellMeans, number: Number, subject: Subject) -> PrintedClaim:
    """Return the claim on one printed effect."""
    total = int(cells.counts.sum())
    if effect == "error_df":
        because = f"{total} observations in {cells.counts.size} cells"
        # Belz & Gatt 2008 print 2249, where the error has 2235.
        instead = (("N - 1 is printed instead of N minus the number of cells", _make_constant(total - 1)),)
        calculation: dict[str, Any] = {"inputs": (), "compute": _make_constant(cells.error_df), "otherwise": instead}
    elif cells.error_df < 1:
        return Unknown(subject=subject, because="one observation per cell leaves no error", printed=number)
    elif not cells.sds:
        return Unknown(subject=subject, because="no standard deviations are printed", printed=number)
    else:
        because = f"type III F from {cells.counts.size} cell means, the SDs and N = {total}"
        calculation = {"inputs": cells.inputs, "compute": cells.f(effect)}
    return ValueClaim(subject=subject, because=because, printed=number, **calculation)


def _make_constant(value: float) -> Compute:
    return lambda points: np.full(len(points), float(value))
