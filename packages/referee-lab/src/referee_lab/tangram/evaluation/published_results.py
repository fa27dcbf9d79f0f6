"""The results printed by Spanger et al.

(2013), from the tables that `referee audit` checks, for comparison with a new evaluation.
"""

from __future__ import annotations

from functools import cache

from referee.auditing.paper import Paper, read_shipped_paper
from referee_lab.tangram.evaluation.replacement import FN, TP


@cache
def _load_paper() -> Paper:
    return read_shipped_paper("spanger-2013")


def _get_printed(table: str, row: str, column: str = "value") -> str:
    """Return a cell as printed, with proportions written without the leading zero."""
    text = _load_paper().tables[table].text(row, column)
    return text[1:] if text.startswith("0.") else text


def describe_published_design() -> str:
    """Return the number of trials of an evaluator, and the length of their clips, as printed."""
    return f"{_get_printed('text', 'trials per evaluator')} trials, {_get_printed('measured', 'mean clip, seconds')} s"


def describe_published_results() -> str:
    """Return the printed identification by category, and the test of the first two categories."""
    categories = _load_paper().tables["evaluation"].labels
    majority = [
        f"{c} {_get_printed('evaluation', c, 'majority right')}/{_get_printed('evaluation', c, 'instances')}"
        for c in categories
    ]
    agreement = " ".join(_get_printed("evaluation", c, "agreement") for c in categories)
    df, t = _get_printed("text", "degrees of freedom"), _get_printed("measured", "accuracy of TP against FN, t")
    summary = f"IR {TP} {_get_printed('evaluation', TP, 'IR')}; MIR {', '.join(majority)}; agreement {agreement}"
    return f"{summary}; {TP} against {FN} t({df}) = {t}"


def describe_published_review() -> str:
    """Return the classifier's precision and F before and after the review of its false positives."""
    before_after = [
        f"{name} {_get_printed('rates', name)} → {_get_printed('rates', f'{name} after review')}"
        for name in ("precision", "F")
    ]
    return ", ".join(before_after)
