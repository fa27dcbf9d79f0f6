"""Players under one contract: bots solve, models are read, and whoever crashes, stalls or talks nonsense ends the game as that."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from fake_endpoint import completion, serving
from referee.cli import main
from referee_lab.tangram.game.goals import GOALS
from referee_lab.tangram.game.log import find_faults, parse_recording
from referee_lab.tangram.players.contract import PlayerMove, Seen, TangramPlayer, Unreadable
from referee_lab.tangram.players.matches import GameLimits, play_match
from referee_lab.tangram.players.model_players import ModelPlayer, read_moves
from referee_lab.tangram.players.roster import OperatorBot, SolverBot

HOUSE = GOALS["house"]


class Scripted:
    """Gives its moves in order, then waits; what is an exception is raised."""

    name = "scripted"

    def __init__(self, *turns: Sequence[PlayerMove] | Exception) -> None:
        self.turns, self.seen = list(turns), []

    def act(self, seen: Seen) -> Sequence[PlayerMove]:
        self.seen.append(seen)
        turn = self.turns.pop(0) if self.turns else [PlayerMove(kind="wait")]
        if isinstance(turn, Exception):
            raise turn
        return turn


class Asleep:
    name = "asleep"

    def act(self, seen: Seen) -> Sequence[PlayerMove]:
        threading.Event().wait(5)
        return []


def say(text: str) -> PlayerMove:
    return PlayerMove(kind="say", text=text)


def test_bots_are_players_and_solve_the_figure() -> None:
    solver, operator = SolverBot(HOUSE, 1), OperatorBot(1)
    assert isinstance(solver, TangramPlayer)
    recording, score = play_match(HOUSE, solver, operator, seed=1)
    assert (score.outcome, score.solved, score.unreadable, score.errors) == ("solved", True, 0, 0)
    assert find_faults(recording) == []
    assert recording.header.synthetic
    said = [e.data["text"] for e in recording.entries if e.kind == "say"]
    assert score.words == sum(len(text.split()) for text in said)


def test_only_the_solver_sees_the_goal_and_only_the_operator_has_hands() -> None:
    solver = Scripted([PlayerMove(kind="move", piece="6", x=1.0, y=1.0), say("put the square at the top left")])
    operator = Scripted(
        [
            PlayerMove(kind="move", piece="9", x=1.0, y=1.0),
            PlayerMove(kind="move", piece="6", x=300.0, y=200.0),
            say("here?"),
        ]
    )
    _, score = play_match(HOUSE, solver, operator, limits=GameLimits(turns=2))
    assert (score.outcome, score.errors, score.moves, score.clarifications, score.words) == ("turns", 2, 1, 1, 8)
    assert all(s.goal is not None for s in solver.seen)
    assert all(s.goal is None for s in operator.seen)
    assert "outline" not in operator.seen[0].format_text()
    assert operator.seen[0].talk == (("solver", "put the square at the top left"),)
    # A program's move is exact, as far as neighbours do not draw the piece.
    placed = solver.seen[1].board.placements["6"]
    assert (placed.x, placed.y) == pytest.approx((300, 200), abs=12)


@pytest.mark.parametrize(
    ("player", "outcome"),
    [
        (Scripted(ValueError("oh")), "crashed"),
        (Scripted(["put the square there"]), "crashed"),
        (Scripted(*(Unreadable("??") for _ in range(3))), "nonsense"),
        (Asleep(), "stalled"),
    ],
)
def test_a_player_who_cannot_play_ends_the_game_as_that(player: TangramPlayer, outcome: str) -> None:
    _, score = play_match(HOUSE, SolverBot(HOUSE), player, limits=GameLimits(answer_s=0.3))
    assert (score.outcome, score.by, score.solved) == (outcome, "operator", False)
    assert score.unreadable == (3 if outcome == "nonsense" else 0)


def test_a_single_unreadable_answer_is_counted_apart_and_the_game_goes_on() -> None:
    operator = Scripted(Unreadable("?"), [say("ok")])
    _, score = play_match(HOUSE, SolverBot(HOUSE), operator, limits=GameLimits(turns=3))
    assert (score.outcome, score.unreadable, score.errors) == ("turns", 1, 0)


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        (
            '{"moves": [{"do": "move", "piece": "6", "x": 1, "y": 2}, {"do": "turn", "piece": 4, "degrees": -45}]}',
            ["move", "turn"],
        ),
        ('```json\n{"do": "flip", "piece": "7"}\n```', ["flip"]),
        ('Sure: [{"do": "say", "text": "which one?"}]', ["say"]),
        ('{"moves": [{"do": "wait"}]}', ["wait"]),
    ],
)
def test_an_operators_answer_is_read(answer: str, kinds: list[str]) -> None:
    assert [m.kind for m in read_moves(answer, "operator")] == kinds


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I put it there.",
        '{"moves": []}',
        '{"moves": [{"do": "move", "piece": "8", "x": 1, "y": 2}]}',
        '{"moves": [{"do": "move", "piece": "6", "x": NaN, "y": 2}]}',
        '{"moves": [{"do": "turn", "piece": "6", "degrees": Infinity}]}',
        '{"moves": 3}',
        "[1]",
    ],
)
def test_an_answer_without_a_move_is_unreadable(answer: str) -> None:
    with pytest.raises(Unreadable):
        read_moves(answer, "operator")


def test_a_solvers_answer_is_what_it_says() -> None:
    assert read_moves('"Put the square at the top."\n', "solver")[0].text == "Put the square at the top."
    # In the operator's form, which some models answer with all the same.
    assert read_moves('{"moves": [{"do": "say", "text": "take it"}]}', "solver")[0].text == "take it"
    with pytest.raises(Unreadable):
        read_moves("long " * 200, "solver")


def test_moves_beside_the_table_are_refused_and_many_rounds_are_one() -> None:
    far = [PlayerMove(kind="move", piece="6", x=x, y=200.0) for x in (1e9, -1.0, float("nan"))]
    operator = Scripted([*far, PlayerMove(kind="turn", piece="6", degrees=0)], [turn_by(3600)], [turn_by(3690)])
    recording, score = play_match(HOUSE, Scripted(), operator, limits=GameLimits(turns=3))
    assert (score.errors, score.moves) == (4, 2)
    # A whole round in eight steps of 45 degrees, then a quarter in two; 3,600 and 3,690 degrees would be 80 and 82.
    assert [e.kind for e in recording.entries].count("rotate") == 8 + 2


def turn_by(degrees: int) -> PlayerMove:
    return PlayerMove(kind="turn", piece="6", degrees=degrees)


def test_pictures_show_the_figure_to_the_solver_only() -> None:
    with serving(completion("take the square")) as fake:
        player = ModelPlayer(model="toy", endpoint=fake.url, sees="both")
        play_match(HOUSE, player, OperatorBot(), limits=GameLimits(turns=1))
        content = fake.seen[0]["messages"][1]["content"]
    assert [part["type"] for part in content] == ["text", "image_url", "image_url"]


def test_who_sees_pictures_alone_is_told_how_places_are_counted() -> None:
    with serving(completion('{"moves": [{"do": "wait"}]}')) as fake:
        player = ModelPlayer(model="toy", endpoint=fake.url, sees="picture")
        play_match(HOUSE, SolverBot(HOUSE), player, limits=GameLimits(turns=1))
        words = fake.seen[0]["messages"][1]["content"][0]["text"]
    # Without the size of the table no place on it can be named; where pieces lie is in the picture.
    assert "1200 wide and 800 high" in words
    assert "of 900 seconds are over" in words
    assert "rotation" not in words
    assert "second picture" not in words


def test_the_command_plays_a_model_scores_it_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games"
    with serving(completion("put the square in the middle"), completion("turn it"), completion("")) as fake:
        written = f"llm/openai-compatible|model:toy|endpoint:{fake.url}|pause_s:0"
        command = [
            "tangram",
            "play",
            "--solver",
            written,
            "--operator",
            "bot",
            "--puzzles",
            "house",
            "--out",
            str(out),
            "--format",
            "json",
        ]
        assert main(command) == 0
        first = json.loads(capsys.readouterr().out)
        asked = len(fake.seen)
        assert main(command) == 0
        assert (json.loads(capsys.readouterr().out), len(fake.seen)) == (first, asked)
        assert main([*command[:3], "bot", *command[4:]]) == 2
    (game,) = first["games"]
    assert (game["outcome"], game["by"], game["unreadable"], game["words"]) == ("nonsense", "solver", 3, 8)
    recording = parse_recording((out / f"{game['session']}.jsonl").read_bytes())
    assert [e.data["text"] for e in recording.entries if e.kind == "say"] == ["put the square in the middle", "turn it"]


def test_an_endpoint_that_does_not_answer_is_its_own_outcome(tmp_path: Path) -> None:
    with serving((500, {}, b"")) as fake:
        player = ModelPlayer(model="toy", endpoint=fake.url, tries=1, pause_s=0.0)
        _, score = play_match(HOUSE, player, OperatorBot())
    assert (score.outcome, score.by) == ("unanswered", "solver")


def test_a_game_that_ended_unanswered_is_played_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first call fails; then the endpoint answers, with nonsense three times."""
    with serving((500, {}, b""), completion("")) as fake:
        solver = f"llm/openai-compatible|model:toy|endpoint:{fake.url}|tries:1|pause_s:0"
        command = ["tangram", "play", "--solver", solver, "--out", str(tmp_path), "--format", "json"]
        outcomes = []
        for _ in range(3):
            assert main(command) == 0
            outcomes += [game["outcome"] for game in json.loads(capsys.readouterr().out)["games"]]
        assert outcomes == ["unanswered", "nonsense", "nonsense"]
        assert len(fake.seen) == 4
