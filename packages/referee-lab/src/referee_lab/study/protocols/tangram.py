"""Tangram: two people lay a figure together, one sees the goal and one has the pieces (Spanger et al. 2013; the collection of REX-J, Tokunaga et al. 2010)."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from referee.contracts import Hearer
from referee.errors import RefereeError
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
from referee_lab.tangram.game.goals import find_goal
from referee_lab.tangram.tiers.dialogue import SOLVER

# A typical puzzle.
SECONDS_PER_PUZZLE = 200.0


class Tangram(RoomProtocol):
    """Two people lay a figure together: the game of Spanger et al. 2013.

    One step is one room: its puzzles in sequence, with the partner of the settings. The moves are in the room's
    recordings.
    """

    info = Info(
        name="tangram",
        title="Lay a figure together",
        source="Spanger, Iida, Tokunaga, Terai & Kuriyama (2013); collection as in Tokunaga et al. (2010)",
        plugin="tangram",
        parameters={
            "puzzles": Parameter(default=["house", "swan", "eagle", "boat"], about="The figures, in order: those of this package, or custom ones."),
            "goals": Parameter(default=[], about="Custom figures, one line each, as `referee tangram serve --goals FILE` writes them."),
            "swap_after": Parameter(default=2, about="Number of puzzles after which roles swap; 0 for never.", unit="puzzles", low=0),
            "partner": Parameter(
                default="person", about="The partner of a person: another person, a bot, or none.", values=("person", "bot", "none")
            ),
            "group": Parameter(
                default=2, about="How many people play together, 2 to 6: one speaks, the others move the pieces.", unit="people", low=2, high=MOST_PEOPLE
            ),
            "pairing": PAIRING,
            "player": Parameter(default="bot", about="Who plays as the bot: bot, or llm/openai-compatible|model:NAME|endpoint:URL."),
            "hints_minutes": Parameter(default=[5.0, 10.0], about="Times at which the solver gets a hint; each replaces the one before.", unit="minutes"),
            "limit_minutes": Parameter(default=15.0, about="Time after which a puzzle ends unsolved.", unit="minutes"),
            "tolerance": Parameter(default=0.05, about="Share of the figure that may be uncovered, overlapping or outside.", low=0),
            "snap": Parameter(default=12.0, about="Distance at which a released piece snaps to corners; 0: never.", unit="hundredths of a small side", low=0),
            "step": Parameter(default=45, about="Angle of one turn of a piece.", unit="degrees"),
            "wait_minutes": WAIT_MINUTES,
            "grace_seconds": GRACE_SECONDS,
            "pause_seconds": Parameter(default=90.0, about="The longest pause between two puzzles.", unit="seconds", low=0),
            "chat": Parameter(default=True, about="Written messages."),
            "voice": Parameter(default=False, about="Partners hear each other and are recorded; each person is asked and may say no."),
            "ice_servers": Parameter(
                default=[], about="For voices across networks: stun:HOST:PORT, or turn:HOST:PORT|USER|PASSWORD; none on one network."
            ),
        },
        answer={
            "room": RecordedColumn(type="text", about="the room, whose recordings hold everything else"),
            "outcome": HOW_IT_ENDED,
            "puzzles": RecordedColumn(type="number", about="puzzles played"),
            "solved": RecordedColumn(type="number", about="puzzles solved"),
        },
        times=TIMES,
    )  # fmt: skip

    def problem_with(self, settings: Mapping[str, Any]) -> str | None:
        """Return a problem with times, turns that do not divide the circle, people, players or figures."""
        if not settings["puzzles"]:
            return "puzzles is empty"
        if wrong := _find_people_problem(settings) or _find_figure_problem(settings) or _find_player_problem(settings):
            return wrong
        due = [*settings["hints_minutes"], settings["limit_minutes"]]
        if due != sorted(due) or due[0] <= 0:
            return "hints_minutes and limit_minutes should be above 0 and ascending"
        if settings["step"] not in (15, 45, 90):
            return "step is 15, 45 or 90"
        return None

    def show(self, stimulus: Stimulus, settings: Mapping[str, Any], rng: Random) -> Shown:
        """Return the page's parameters before it joins a room.

        The room sends goals, only to players who may see them.
        """
        named = ("partner", "chat", "voice", "wait_minutes", "limit_minutes")
        puzzles = len(settings["puzzles"])
        # Only how many puzzles there are: their names would give the figures away.
        return Shown(parameters={"entities": [], "puzzles": puzzles, **{n: settings[n] for n in named}}, labels={})

    def simulate(
        self, stimulus: Stimulus, shown: Shown, settings: Mapping[str, Any], hearer: Hearer, rng: Random
    ) -> GivenAnswer:
        """Return the answer of a completed room, without recordings, which bots make (`referee tangram play`)."""
        puzzles = len(settings["puzzles"])
        counts = {"puzzles": puzzles, "solved": puzzles}
        return self.simulate_room(rng, counts, self.usual_seconds(stimulus, settings))

    def usual_seconds(self, stimulus: Stimulus, settings: Mapping[str, Any]) -> float:
        return float(min(SECONDS_PER_PUZZLE, 60.0 * settings["limit_minutes"]) * len(settings["puzzles"]))

    def longest_seconds(self, settings: Mapping[str, Any]) -> float:
        """Add to the wait for a partner the extra time of every puzzle, and the pauses."""
        puzzle = max(60.0 * settings["limit_minutes"] - SECONDS_PER_PUZZLE, 0.0)
        pauses = settings["pause_seconds"] * (len(settings["puzzles"]) - 1)
        return float(super().longest_seconds(settings) + puzzle * len(settings["puzzles"]) + pauses)


def _find_people_problem(settings: Mapping[str, Any]) -> str | None:
    """Return a problem with groups or invited pairs that include programs; None without one."""
    if settings["group"] > 2 and settings["partner"] != "person":
        return "a group needs people: set partner to person"
    if settings["pairing"] == "invited" and settings["partner"] != "person":
        return "invited pairs need people: set partner to person"
    return None


def _find_player_problem(settings: Mapping[str, Any]) -> str | None:
    """Return a problem with the playing program, so that a person does not meet it in the room."""
    from referee_lab.tangram.players.roster import make_player

    if settings["partner"] != "bot":
        return None
    try:
        make_player(settings["player"], SOLVER, find_goal(settings["puzzles"][0], settings["goals"]), 1)
    except RefereeError as error:
        return " ".join(str(error).split())
    return None


def _find_figure_problem(settings: Mapping[str, Any]) -> str | None:
    """Return a problem with an unknown figure; None without one."""
    try:
        for name in settings["puzzles"]:
            find_goal(name, settings["goals"])
    except RefereeError as error:
        return str(error).partition("\n")[0]
    return None
