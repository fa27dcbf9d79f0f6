"""Exports a corpus for other programs (`referee export-task`).

A folder with an inspect_ai task and a data set for Hugging Face's library.

`referee import` reads the results: every sample has its trial, and for hearers the display order of the entities.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from referee import __version__
from referee.errors import InputError
from referee.files import write_atomically, writing_folder
from referee.jobs.open import Opened
from referee.records import HUMAN, Trial
from referee.systems.language_model import build_prompt
from referee.systems.object_lists import object_lines

ROLES = ("speaker", "hearer")
DATASET = "data/test.jsonl"
TASK = '''"""{about}

    inspect eval {file} --model PROVIDER/MODEL
    referee evaluate logs/LOG.eval
    referee import logs/LOG.eval --corpus {corpus} --out RUN
"""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.solver import generate

from referee.inspect import {scorer}


@task
def {name}() -> Task:
    fields = FieldSpec(input="prompt", target="target", id="id", metadata=["trial", "places", "system", "language"])
    dataset = json_dataset(str(Path(__file__).parent / "{data}"), fields)
    # Similarity to one person's words says little: evaluate the log, or import it and let hearers answer.
    return Task(dataset=dataset, solver=generate(), scorer={scorer}())
'''
CARD = """---
license: other
task_categories: [text-generation]
configs:
- config_name: default
  data_files:
  - split: test
    path: {data}
---

# {corpus}, as {role}s are asked

{n} prompts made by Referee {version} from the corpus `{corpus}`{licence}. Columns: `id`, `trial`, `prompt`, `target`
(words of a person, or the number of what is
meant), `places` (entities as shown to a hearer), `system` (whose description a hearer reads), `language`, `condition`.

    datasets.load_dataset("{folder}")
"""


def export_task(opened: Opened, out: Path, *, role: str = "speaker", seed: int = 1, overwrite: bool = False) -> int:
    """Write the folder `out`; returns the number of prompts."""
    if role not in ROLES:
        raise InputError(f"there is no role {role!r}", remedy=f"one of {', '.join(ROLES)}")
    rows = list(
        _write_speaker_prompts(opened.trials()) if role == "speaker" else _write_hearer_prompts(opened.trials(), seed)
    )
    if not rows:
        raise InputError("there are no trials to ask about", remedy="hearers need a corpus with references")
    name = "".join(c if c.isalnum() else "_" for c in f"{opened.name}_{role}").strip("_").lower()
    licence = f" ({opened.card.licence})" if opened.card is not None else ""
    with writing_folder(
        out, overwrite, lambda path: (Path(path) / DATASET).is_file(), "choose another name, or --overwrite"
    ) as folder:
        (folder / "data").mkdir()
        write_atomically(folder / DATASET, (json.dumps(row, ensure_ascii=False) for row in rows))
        about = f"The corpus {opened.name} as {role}s are asked, made by Referee {__version__}."
        task = TASK.format(
            about=about,
            scorer="description" if role == "speaker" else "choice",
            file="task.py",
            corpus=opened.name,
            name=name if name[0].isalpha() else f"t_{name}",
            data=DATASET,
        )
        write_atomically(folder / "task.py", [task.rstrip("\n")])
        card = CARD.format(
            data=DATASET,
            corpus=opened.name,
            role=role,
            n=len(rows),
            version=__version__,
            licence=licence,
            folder=out.name,
        )
        write_atomically(folder / "README.md", [card.rstrip("\n")])
    return len(rows)


def _write_speaker_prompts(trials: Iterable[Trial]) -> Iterator[dict[str, Any]]:
    """Yield a prompt for every trial, for speakers."""
    for trial in trials:
        text = next((r.text for r in trial.references if r.text), "")
        yield _make_row(trial, trial.id, build_prompt(trial.for_speaker()), text, [], None)


def _write_hearer_prompts(trials: Iterable[Trial], seed: int) -> Iterator[dict[str, Any]]:
    """Yield a prompt for every reference, for hearers: a numbered list in the order that hearers here see."""
    for trial in trials:
        text = next((r.text for r in trial.references if r.text), None)
        if text is None or len(trial.targets) != 1:
            continue
        view = trial.for_hearer(Random(f"{seed}|{trial.id}"))
        places = [e.id for e in view.scene.entities]
        lines = "\n".join(f"{i}. {line}" for i, line in enumerate(object_lines(view.scene.entities), 1))
        prompt = (
            f"Somebody described one of these objects:\n{lines}\n\nThe description: {text!r}\n\nWhich object is meant? Answer with the number of the object "
            "alone; with the word several if it fits more than one equally well, with none if it fits no object, with unknown if you cannot tell."
        )
        yield _make_row(trial, f"{trial.id}/{HUMAN}", prompt, str(places.index(trial.targets[0]) + 1), places, HUMAN)


def _make_row(
    trial: Trial, name: str, prompt: str, target: str, places: list[str], system: str | None
) -> dict[str, Any]:
    """Return one row of the data set."""
    return {
        "id": name,
        "trial": trial.id,
        "prompt": prompt,
        "target": target,
        "places": places,
        "system": system,
        "language": trial.language,
        "condition": trial.condition,
    }
