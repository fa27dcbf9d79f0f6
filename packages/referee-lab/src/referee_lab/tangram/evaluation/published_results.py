"""The results printed by Spanger et al.

(2013), from the tables that `referee audit` checks, for comparison with a new evaluation.
"""

from __future__ import annotations

from functools import cache

from referee.auditing.paper import Paper, shipped_paper
from referee_lab.tangram.evaluation.replacement import FN, TP


@cache
def _paper() -> Paper:
    return shipped_paper("spanger-2013")


def _printed(table: str, row: str, column: str = "value") -> str:
    """A cell as it is printed, shares without the nought before the point."""
    text = _paper().tables[table].text(row, column)
    return text[1:] if text.startswith("0.") else text


def published_design() -> str:
    """How many trials an evaluator saw, and how long their clips were."""
    return f"{_printed('text', 'trials per evaluator')} trials, {_printed('measured', 'mean clip, seconds')} s"


def published_results() -> str:
    """Identification by category, and the test of the first two."""
    categories = _paper().tables["evaluation"].labels
    majority = [
        f"{c} {_printed('evaluation', c, 'majority right')}/{_printed('evaluation', c, 'instances')}"
        for c in categories
    ]
    agreement = " ".join(_printed("evaluation", c, "agreement") for c in categories)
    df, t = _printed("text", "degrees of freedom"), _printed("measured", "accuracy of TP against FN, t")
    summary = f"IR {TP} {_printed('evaluation', TP, 'IR')}; MIR {', '.join(majority)}; agreement {agreement}"
    return f"{summary}; {TP} against {FN} t({df}) = {t}"


def published_review() -> str:
    """Return the classifier's precision and F before and after the review of its false positives."""
    before_after = [
        f"{name} {_printed('rates', name)} → {_printed('rates', f'{name} after review')}" for name in ("precision", "F")
    ]
    return ", ".join(before_after)
