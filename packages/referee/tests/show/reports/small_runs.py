"""Run folders small enough to calculate by hand: six trials in two domains and two conditions, made by the same code as `referee score --out`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.corpora.jsonl import response_to_json
from referee.jobs.open import open_corpus, open_outputs
from referee.jobs.score import Settings, score_trials
from referee.jobs.scored_run import save_scored
from referee.records import Description, Entity, Property, Response, Scene, Trial
from referee.show.reports.material import Material
from referee.show.reports.report_sources import gather

RED, BLUE, CHAIR, DESK, LARGE = (
    Property("colour", "red"),
    Property("colour", "blue"),
    Property("type", "chair"),
    Property("type", "desk"),
    Property("size", "large"),
)
METRICS = ("set/dice", "set/exact", "scene/unique", "string/edit", "string/bleu.4")
Says = Callable[[int], Mapping[str, Any] | None]


def trials(n: int = 6, said: str = "the red chair") -> list[Trial]:
    """A red chair beside a blue one; every other trial is of the domain b, and the last half of the condition +."""
    scene = Scene(
        entities=(Entity(id="x", attributes=(CHAIR, RED, LARGE)), Entity(id="y", attributes=(CHAIR, BLUE, LARGE)))
    )
    reference = Description(properties=(RED, CHAIR), text=said)
    return [
        Trial(
            id=f"t{i}",
            scene=replace(scene, id=f"scene {i}"),
            targets=("x",),
            domain="b" if i % 2 else "a",
            condition="+" if 2 * i >= n else "-",
            references=(reference,),
        )
        for i in range(n)
    ]


def exact(i: int) -> dict[str, Any]:
    """What people say: Dice 1, edit 0."""
    return {"properties": [list(RED), list(CHAIR)], "text": "the red chair"}


def colour(i: int) -> dict[str, Any]:
    """Only the colour: Dice 2/3, edit 2 + 1 (the, chair→one)."""
    return {"properties": [list(RED)], "text": "red one"}


def chatty(i: int) -> dict[str, Any]:
    """Too much in the domain a (Dice 4/5), as people do in b (Dice 1)."""
    return exact(i) if i % 2 else {"properties": [list(RED), list(CHAIR), list(LARGE)], "text": "the large red chair"}


def make_run(
    folder: Path,
    systems: Mapping[str, Says],
    corpus: Sequence[Trial] | None = None,
    responses: Sequence[Response] = (),
    **settings: Any,
) -> Path:
    """A scored run folder; a system that says None of a trial leaves it out."""
    corpus = list(corpus or trials())
    rows = [
        {"trial": t.id, "system": name, **said}
        for name, says in systems.items()
        for i, t in enumerate(corpus)
        if (said := says(i)) is not None
    ]
    chosen = Settings(**{"metrics": METRICS, "resamples": 50, "lenient": True, **settings})
    answers, opened = open_outputs(rows, lenient=True), open_corpus(corpus)
    table = score_trials(answers, opened.trials, chosen)
    save_scored(folder, answers, opened, table, table.scores(), command=["score"])
    if responses:
        lines = [json.dumps(response_to_json(r)) for r in responses]
        (folder / "responses.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def material_of(folder: Path, systems: Mapping[str, Says], **options: Any) -> Material:
    """The material of a run made for the occasion."""
    return gather([make_run(folder, systems, **options)])[0]
