"""The options of a study of clips, declared once for the command and for the code that makes the study."""

from __future__ import annotations

from dataclasses import dataclass

from referee.options import option


@dataclass
class ClipStudyOptions:
    """What a study of clips is like; the numbers of items are the published ones."""

    id: str = option("overheard", "Id of the study.", is_python_only=True)
    participants: int = option(34, "Evaluators planned, in two groups.", minimum=2)
    fp: int = option(36, "Number of false positives, each shown in two conditions.", minimum=0)
    tp: int = option(20, "Number of true positives.", minimum=0)
    fn: int = option(20, "Number of false negatives.", minimum=0)
    practice: int = option(2, "Number of practice trials.", minimum=0)
    by: str | None = option(
        None, "Folds of the classifier: by instance (as published) or pair (default: instance; pair for a corpus)."
    )
    folds: int = option(10, "Folds of the classifier.", minimum=2)
    weights: str = option("equal", "Class weights of the classifier: equal (as published) or balanced.")
    threshold: float | None = option(
        None,
        "Decision value above which it suggests a pronoun (default: 0, or the highest value below 0 that gives the requested numbers).",
    )
    pronoun: str | None = option(None, "Pronoun that replaces the expression (default by language: that, das, それ).")
    role: str = option("overhearer", "overhearer (numbered buttons) or operator (press the piece).")
    cursor: bool = option(True, "Show the operator's cursor.", "--cursor/--no-cursor")
    title: str = option("", "What evaluators see at the top (default: the question itself).", show_default=False)
    contact: str = option("", "Who answers questions, for the consent text.", show_default=False)
    seed: int = option(1, "Seed of all randomness.", minimum=0)
