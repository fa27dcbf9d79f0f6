"""Referee at work on the site, made when it is built: recorded answers of the playground, and finished pages of the gallery."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parent.parent
SCENES = ("t1", "t3", "t8", "t10")
SPEAKERS = (
    "classic/incremental",
    "classic/greedy",
    "classic/full-brevity",
    "classic/rsa",
    "baseline/type",
    "baseline/everything",
)
HEARERS = ("literal", "noisy", "rsa")
TUTORIALS = "examples/tutorials"
# Folder in the gallery: commands that make it, {out} being that folder and {work} a temporary one.
GALLERY = {
    "two-systems": (
        "score --demo --by domain,condition --out {work}/demo",
        "listen {work}/demo --hearer literal",
        "report {work}/demo --title Two_toy_systems --out {out}",
    ),
    "grounding": (f"evaluate {TUTORIALS}/grounding --convention 0-1000_xyxy --report {{out}}",),
    "shared-task": (
        "task new examples/first-hour/kitchen.jsonl --out {work}/task",
        f"task rank {TUTORIALS}/submissions --task {{work}}/task --out {{out}}",
    ),
    "study": (
        "study demo {work}/study --items 12 --participants 6",
        "study simulate {work}/study --participants 6",
        "study import {work}/study --out {work}/people",
        "report {work}/people --style tuna2008 --title A_study_with_simulated_participants --out {out}",
    ),
    "game": (
        "tangram play --bots 1 --out {work}/games",
        "tangram replay {work}/games/bots-house-1.jsonl --out {out}/index.html",
    ),
}


def make_gallery(folder: Path) -> None:
    """Run the commands of the gallery; each writes one finished page."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    with tempfile.TemporaryDirectory() as work:
        for name, commands in GALLERY.items():
            out = folder / name
            shutil.rmtree(out, ignore_errors=True)
            if name == "game":
                out.mkdir(parents=True)
            for command in commands:
                words = [word.replace("_", " ") if "/" not in word else word for word in command.split()]
                words = [word.format(work=work, out=out) for word in words]
                done = subprocess.run(
                    [sys.executable, "-m", "referee", *words],
                    cwd=ROOT,
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                if done.returncode:
                    raise RuntimeError(f"gallery, {name}: referee {command}: {done.stderr.strip()[-400:]}")


def make_playground(folder: Path) -> None:
    """Write the scenes as pictures and every answer of every speaker and hearer as a script that sets one variable."""
    import referee
    from referee.show.drawing import draw_scene, place

    folder.mkdir(parents=True, exist_ok=True)
    trials = {trial.scene.id: trial for trial in referee.open_corpus("synthetic").trials()}
    recorded: dict[str, Any] = {"version": referee.__version__, "speakers": SPEAKERS, "hearers": HEARERS, "scenes": []}
    hearers = {name: referee.create("hearer", name) for name in HEARERS}
    for name in SCENES:
        trial = trials[name]
        (folder / f"{name}.svg").write_text(
            draw_scene(trial.scene).replace(' fill="#ffffff"/>', ' fill="none"/>', 1), "utf-8"
        )
        layout = place(trial.scene)
        objects = []
        for entity in trial.scene.entities:
            where = layout[entity.id]
            answers = {
                speaker: _record(referee.describe(trial.scene, entity.id, system=speaker), trial, hearers)
                for speaker in SPEAKERS
            }
            objects.append({"id": entity.id, "at": [where.column, where.row], "answers": answers})
        recorded["scenes"].append(
            {"name": name, "domain": trial.domain, "grid": [layout.columns, layout.rows], "objects": objects}
        )
    text = f"window.REFEREE_RECORDED = {json.dumps(recorded, separators=(',', ':'))};\n"
    (folder / "answers.js").write_text(text, "utf-8")


def _record(described: Any, trial: Any, hearers: dict[str, Any]) -> dict[str, Any]:
    """The words, the steps and every hearer's belief in the objects, for one description."""
    beliefs = {}
    for name, hearer in hearers.items():
        response = hearer.resolve(described.description, trial.for_hearer(Random(1)))
        beliefs[name] = {str(where): round(p, 3) for where, p in response.probabilities or () if p >= 0.005}
    return {
        "words": described.text,
        "unique": described.distinguishing,
        "steps": [
            {
                "property": f"{step.property.name}: {step.property.value}" if step.property else "",
                "reason": step.reason,
                "rules_out": list(step.ruled_out),
                "remaining": step.remaining,
            }
            for step in described.steps
        ],
        "beliefs": beliefs,
    }
