"""Ranking: several descriptions of one item, put in order from the best to the worst.

Their order on the page is drawn for every person and trial.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from referee.contracts import Hearer
from referee.errors import InputError
from referee_lab.study.protocols.checked_answers import check_recorded, make_field_error
from referee_lab.study.protocols.contract import GivenAnswer, Info, Parameter, RecordedColumn, Shown, Stimulus
from referee_lab.study.protocols.judgement import JUDGED, MARKED, AskedOnce, draw_decision_times, show_marked_scene
from referee_lab.study.protocols.scene import join_words


class Ranking(AskedOnce):
    """Put several descriptions in order, the best first.

    All descriptions of an item beside each other; `labels` say which system hides behind each.
    """

    info = Info(
        name="ranking",
        title="Put descriptions in order",
        source="rank order of systems as in the evaluations of WMT (Bojar et al. 2013)",
        plugin="judge",
        parameters={
            "question": Parameter(default="Put these in order: press the best first.", about="What is asked."),
            **MARKED,
        },
        answer={"ranking": RecordedColumn(type="labels", about="the systems in the order chosen, the best first")},
        times=JUDGED,
    )

    def show(self, stimulus: Stimulus, settings: Mapping[str, Any], rng: Random) -> Shown:
        """Return the scene and all descriptions in a random order."""
        scene, labels = show_marked_scene(stimulus.trial, settings, rng)
        described = list_ranked(stimulus)
        options = {f"o{n}": one for n, one in enumerate(rng.sample(described, len(described)), 1)}
        parameters = {
            "ranked": [{"id": label, "text": join_words(one.description)} for label, one in options.items()],
            "question": settings["question"],
            **scene,
        }
        return Shown(parameters=parameters, labels={**labels, **{label: str(o.system) for label, o in options.items()}})

    def check(self, answer: GivenAnswer, shown: Shown, settings: Mapping[str, Any]) -> None:
        """Raise InputError unless the ranking has every description once."""
        check_recorded(answer, self.info)
        offered = sorted(option["id"] for option in shown.parameters["ranked"])
        ranking = answer.answer.get("ranking")
        if not isinstance(ranking, list) or sorted(map(str, ranking)) != offered:
            raise make_field_error("answer.ranking", f"should name each of {', '.join(offered)} once")

    def simulate(
        self, stimulus: Stimulus, shown: Shown, settings: Mapping[str, Any], hearer: Hearer, rng: Random
    ) -> GivenAnswer:
        """Return descriptions that lead the hearer to the target first; equal ones in random order."""
        view = stimulus.trial.for_hearer(rng)
        misses = {
            str(one.system): hearer.resolve(one.description, view).entity not in stimulus.trial.targets
            for one in list_ranked(stimulus)
        }
        labels = [option["id"] for option in shown.parameters["ranked"]]
        ranking = sorted(rng.sample(labels, len(labels)), key=lambda label: misses[shown.labels[label]])
        return GivenAnswer(answer={"ranking": ranking}, times=draw_decision_times(rng))


def list_ranked(stimulus: Stimulus) -> list[Stimulus]:
    """Return the stimuli of all systems in the order of the condition's name. Raises InputError if there is only one."""
    rivals: list[Stimulus] = []
    rival = stimulus.rival
    while rival is not None:
        rivals.append(rival)
        rival = rival.rival
    if not rivals:
        raise InputError(
            f"the stimulus {stimulus.id!r} has nothing to rank", remedy="conditions are written 'one vs other vs third'"
        )
    # Of several, the first is among them under its own system; of a pair, only the second is.
    return rivals if len(rivals) > 1 else [stimulus, *rivals]
