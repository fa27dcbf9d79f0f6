"""A reference game in a group.

One person describes, each other player chooses alone, over repeated rounds (Boyce, Hawkins, Goodman & Frank 2024).
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from referee import catalogue
from referee.contracts import Hearer
from referee.errors import RefereeError
from referee_lab.study.folder.study_pictures import name_pictures
from referee_lab.study.protocols.contract import GivenAnswer, Info, Parameter, RecordedColumn, Shown, Stimulus
from referee_lab.study.protocols.room_protocol import (
    GRACE_SECONDS,
    HOW_IT_ENDED,
    MOST_PEOPLE,
    PAIRING,
    TIMES,
    WAIT_MINUTES,
    RoomProtocol,
)
from referee_lab.tangram.players.roster import MODEL, make_partner

FEWEST_OBJECTS = 2
# Until the last choice of a round, in the mean of studies 2a to 2c of Boyce et al. (the corpus `multiparty-tangrams`).
ROUND_SECONDS = 59.0


class ReferenceGame(RoomProtocol):
    """In a group one describes and the others choose, each alone, over repeated rounds: the game of Boyce et al. 2024.

    One step is one room with one scene; each repetition has all its objects. Talk and choices are in the room's games.
    """

    info = Info(
        name="reference-game",
        title="Describe and choose objects, in a group",
        source="Boyce, Hawkins, Goodman & Frank (2024); the game of Krauss & Weinheimer (1964)",
        plugin="reference-game",
        parameters={
            "group": Parameter(
                default=3, about="How many play together, 2 to 6: one speaks, the others choose, each alone.", unit="players", low=2, high=MOST_PEOPLE
            ),
            "bots": Parameter(default=0, about="How many of them are programs; the others are people.", unit="players"),
            "bot_speaker": Parameter(default="classic/incremental", about="The speaking program: a system, or llm/openai-compatible|model:NAME|endpoint:URL."),
            "bot_listener": Parameter(default="literal", about="The choosing program: a hearer, or llm/openai-compatible|model:NAME|endpoint:URL."),
            "pairing": PAIRING,
            "repetitions": Parameter(default=6, about="Repetitions of every object.", unit="repetitions", low=1),
            "objects": Parameter(default=0, about="Number of objects of the scene that are used, drawn for each room; 0 for all.", unit="objects"),
            "speaker": Parameter(
                default="repetition", about="When the speaker changes: after every repetition or round, or never.", values=("repetition", "round", "fixed")
            ),
            "begins": Parameter(default="any", about="Who speaks first: chance decides among all, people, or programs.", values=("any", "person", "bot")),
            "shuffle": Parameter(default="game", about="Period for which each person's own order of the objects stays the same.", values=("game", "round")),
            "feedback": Parameter(
                default="full", about="What listeners learn after a round: everything, or only whether they were right themselves.", values=("full", "own")
            ),
            "limit_seconds": Parameter(default=180.0, about="Time after which a round ends without all choices.", unit="seconds", low=0.01),
            "feedback_seconds": Parameter(default=10.0, about="The longest time between two rounds.", unit="seconds", low=0),
            "leaving": Parameter(
                default="go-on", about="When a participant has left: the other two or more go on, or the game ends for all.", values=("go-on", "end")
            ),
            "wait_minutes": WAIT_MINUTES,
            "grace_seconds": GRACE_SECONDS,
        },
        answer={
            "room": RecordedColumn(type="text", about="the room, whose game holds everything else"),
            "outcome": HOW_IT_ENDED,
            "rounds": RecordedColumn(type="number", about="rounds played"),
            "right": RecordedColumn(type="number", about="number of the participant's own right choices"),
        },
        times=TIMES,
    )  # fmt: skip

    def problem_with(self, settings: Mapping[str, Any]) -> str | None:
        """Return a problem with the players or times: a game needs a person and a partner, and positive limits."""
        if settings["bots"] not in range(settings["group"]):
            return f"bots is 0 to {settings['group'] - 1}: a group of {settings['group']} has at least one person"
        if settings["begins"] == "bot" and not settings["bots"]:
            return "begins is bot, but there are no bots"
        if wrong := _find_bot_problem(settings):
            return wrong
        if settings["objects"] and settings["objects"] < FEWEST_OBJECTS:
            return f"objects is 0 (all) or at least {FEWEST_OBJECTS}"
        return None

    def show(self, stimulus: Stimulus, settings: Mapping[str, Any], rng: Random) -> Shown:
        """Return the pictures under labels that are the same for all players.

        The room sends each player's order and the target.
        """
        trial = stimulus.trial
        pictures = name_pictures(trial.scene, trial.domain)
        photos = {e.id for e in trial.scene.entities if e.image is not None}
        # Ordered by appearance: the order in a corpus file might reveal information.
        order = sorted(pictures, key=lambda entity: (pictures[entity], entity))
        labels = {f"e{n}": entity for n, entity in enumerate(order, 1)}
        entities = [
            {"id": label, "picture": pictures[entity], **({"photo": pictures[entity]} if entity in photos else {})}
            for label, entity in labels.items()
        ]
        return Shown(parameters={"entities": entities, "rounds": _count_rounds(len(labels), settings)}, labels=labels)

    def simulate(
        self, stimulus: Stimulus, shown: Shown, settings: Mapping[str, Any], hearer: Hearer, rng: Random
    ) -> GivenAnswer:
        """Return the answer of a completed room, without its game, which bots in the room play."""
        rounds = int(shown.parameters["rounds"])
        counts = {"rounds": rounds, "right": rounds}
        return self.simulate_room(rng, counts, self.usual_seconds(stimulus, settings))

    def usual_seconds(self, stimulus: Stimulus, settings: Mapping[str, Any]) -> float:
        rounds = _count_rounds(len(stimulus.trial.scene.entities), settings)
        return float(min(ROUND_SECONDS, settings["limit_seconds"]) * rounds)


def _find_bot_problem(settings: Mapping[str, Any]) -> str | None:
    """Return a problem with the names of playing programs, so that people do not meet it in the room."""
    try:
        for name, kind in (("bot_speaker", "system"), ("bot_listener", "hearer")) if settings["bots"] else ():
            written = str(settings[name])
            if written.partition("|")[0] == MODEL:
                make_partner(written, kind, 1)
            else:
                catalogue.entry(kind, written.partition("|")[0])
    except RefereeError as error:
        return " ".join(str(error).split())
    return None


def _count_rounds(objects: int, settings: Mapping[str, Any]) -> int:
    return int(settings["repetitions"]) * (min(objects, settings["objects"]) if settings["objects"] else objects)
