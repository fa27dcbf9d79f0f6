"""Trials of a jsPsych plug-in of the organisers' own, whose file is in the study's folder.

Its parameters are columns of the table of items; what it records is stored as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from referee import catalogue
from referee.contracts import Hearer
from referee_lab.study.folder.media import get_media
from referee_lab.study.folder.study_pictures import name_object_picture
from referee_lab.study.protocols.checked_answers import (
    CLOCKS,
    NothingIdentified,
    check_recorded,
    make_field_error,
    make_time_column,
)
from referee_lab.study.protocols.contract import GivenAnswer, Info, Kind, RecordedColumn, Shown, Stimulus

# The plug-in of the plan, the ending of the files, and their folder in a study.
OWN, ENDING, FOLDER = "own", ".js", "plugins"
# What a trial of such a study has in `meta`: cells by parameter, the parameter of the sound, and the right response.
CELLS, HEARD_IN, CORRECT = "cells", "heard_in", "correct"
LONGEST_DATA = 100_000
THINKING_MS, SURE = 1500.0, 0.9


class OwnPlugin(NothingIdentified):
    """A trial of a jsPsych plug-in of your own, whose parameters are columns of the table of items."""

    def __init__(self, name: str) -> None:
        self.info = Info(
            name=name,
            title=f"A trial of the plug-in {Path(name).name}",
            source="jsPsych: de Leeuw (2015), Behavior Research Methods 47",
            plugin=OWN,
            parameters={},
            answer={
                "response": RecordedColumn(type="text", about="response as recorded by the plug-in"),
                "data": RecordedColumn(type="json", about="all data recorded by the plug-in, as JSON"),
            },
            times={
                "combined_ms": make_time_column(
                    "response time of the plug-in; without one, the time from its onset to its end"
                ),
                **CLOCKS,
            },
        )

    def show(self, stimulus: Stimulus, settings: Mapping[str, Any], rng: Random) -> Shown:
        """Return the plug-in's file and the cells of the item, with the names of its pictures and sound."""
        trial = stimulus.trial
        images = {e.id: name_object_picture(e.image) for e in trial.scene.entities if e.image is not None}
        heard = get_media(stimulus.description)
        sounds = {} if heard is None else {trial.meta[HEARD_IN]: heard["src"]}
        cells = dict(trial.meta.get(CELLS, {}))
        return Shown(
            parameters={"script": Path(self.info.name).name, CELLS: cells, "images": images, "sounds": sounds},
            labels={},
        )

    def check(self, answer: GivenAnswer, shown: Shown, settings: Mapping[str, Any]) -> None:
        """Raise InputError unless the data are an object of a reasonable size."""
        check_recorded(answer, self.info)
        data = answer.answer.get("data")
        if not isinstance(data, Mapping) or len(json.dumps(data)) > LONGEST_DATA:
            raise make_field_error("answer.data", f"should be an object of at most {LONGEST_DATA // 1000} kB as JSON")

    def simulate(
        self, stimulus: Stimulus, shown: Shown, settings: Mapping[str, Any], hearer: Hearer, rng: Random
    ) -> GivenAnswer:
        """Return the correct response nine times in ten if there is one, else a number from 0 to 100."""
        right = stimulus.trial.meta.get(CORRECT)
        response = str(rng.randrange(101)) if right is None else right if rng.random() < SURE else f"not {right}"
        took = THINKING_MS * (0.5 + rng.random())
        return GivenAnswer(
            answer={"response": response, "data": {"response": response, "rt": took}},
            times={"combined_ms": took, "t_onset": 0.0, "t_response": took},
        )


def is_own(protocol: str) -> bool:
    """Return whether a protocol is the file of an organiser's plug-in."""
    return protocol.endswith(ENDING)


def create_protocol(name: str) -> Kind:
    """Return a protocol of the catalogue, or that of a plug-in's file."""
    kind: Kind = OwnPlugin(name) if is_own(name) else catalogue.create("protocol", name)
    return kind


def is_response_correct(stimulus: Stimulus, answer: GivenAnswer) -> bool | None:
    """Return whether the response is that of the column `correct`; None where the item has none."""
    right = stimulus.trial.meta.get(CORRECT)
    return None if right is None else str(answer.answer.get("response") or "").strip() == str(right)
