"""The answers to a task-performance study, ready for analysis.

Every answer counts for identification, times only where the study's rules keep them.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.records import Response, Trial
from referee_lab.server.sessions.plan import TRIAL
from referee_lab.study.data.collection import SIMULATED, collect_from
from referee_lab.study.data.dataset import ALL, StoredAnswer
from referee_lab.study.folder.study import open_study

CLASSIFIER = "classifier.json"


def load_overheard_answers(
    folder: Path, mode: str | None = None, database: str | None = None
) -> tuple[list[Trial], list[Response]]:
    """Return the trials and the responses of a study of clips; the category of a response is its system."""
    study = open_study(folder)
    collected = collect_from(study, database, mode)
    trials = {s.trial.id: s.trial for s in study.stimuli.values()}
    return list(trials.values()), [
        _add_category(a, a.response) for a in collected.answers if a.kind == TRIAL and a.response and a.counts_for(ALL)
    ]


def _add_category(answered: StoredAnswer, response: Response) -> Response:
    timed = answered.drop_excluded_times(response)
    return replace(timed, flags=(*response.flags, SIMULATED)) if answered.sitting.simulated else timed


def load_classifier_results(folder: Path) -> dict[str, Any] | None:
    """Return the stored results of the study's classifier; None if the study has none."""
    path = folder / CLASSIFIER
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
