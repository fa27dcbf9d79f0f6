"""Referee: the fair judge of referring expressions.

>>> import referee
>>> scene = referee.Scene(entities=(
...     referee.Entity(id="a", attributes=(referee.Property("type", "chair"), referee.Property("colour", "red"))),
...     referee.Entity(id="b", attributes=(referee.Property("type", "chair"), referee.Property("colour", "blue"))),
... ))
>>> scene.denotation([referee.Property("colour", "red")]) == scene.mask(["a"])
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# The functions whose options are also a command's, each in a module of its name.
FUNCTIONS = (
    "score", "evaluate", "compare", "run", "listen", "court", "passport", "audit", "report", "draw", "replicate"
)  # fmt: skip
_RECORDS = (
    "Description", "Entity", "Event", "Outcome", "Property", "Relation", "Response", "Scene", "Score", "Span", "Trial"
)  # fmt: skip
_WHERE = {
    **dict.fromkeys(_RECORDS, "referee.records"),
    **dict.fromkeys(("Batch", "Card"), "referee.contracts"),
    **dict.fromkeys(("RefereeError", "InputError"), "referee.errors"),
    "Settings": "referee.jobs.score",
    "open_corpus": "referee.jobs.open",
    "Run": "referee.jobs.folder",
    "create": "referee.catalogue",
    "parse_answer": "referee.models.answers.parsing",
    "describe": "referee.jobs.describe",
    **{name: f"referee.api.{name}" for name in FUNCTIONS},
}

__all__ = ["__version__", *_WHERE]

if TYPE_CHECKING:
    from referee.api.audit import audit
    from referee.api.compare import compare
    from referee.api.court import court
    from referee.api.draw import draw
    from referee.api.evaluate import evaluate
    from referee.api.listen import listen
    from referee.api.passport import passport
    from referee.api.replicate import replicate
    from referee.api.report import report
    from referee.api.run import run
    from referee.api.score import score
    from referee.catalogue import create
    from referee.contracts import Batch, Card
    from referee.errors import InputError, RefereeError
    from referee.jobs.describe import describe
    from referee.jobs.folder import Run
    from referee.jobs.open import open_corpus
    from referee.jobs.score import Settings
    from referee.models.answers.parsing import parse_answer
    from referee.records import (
        Description,
        Entity,
        Event,
        Outcome,
        Property,
        Relation,
        Response,
        Scene,
        Score,
        Span,
        Trial,
    )


def __getattr__(name: str) -> Any:
    """Import a public name when first used, so that `import referee` is fast."""
    if name not in _WHERE:
        raise AttributeError(f"module 'referee' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
