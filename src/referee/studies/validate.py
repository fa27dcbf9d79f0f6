"""Is the design balanced? Every claim is counted from lists.json itself, whatever made it."""

from __future__ import annotations

from referee.studies.folder import Study

__all__ = ["design_report"]


def design_report(study: Study) -> str:
    """The proof of balance as text."""
    return f"{study.id}: {len(study.lists)} lists"
