"""A repeated reference game: feedback reaches both, answers that cannot be read are apart, and every way of not going on is an outcome."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from fake_endpoint import completion, serving
from referee.cli import main
from referee.records import Description, Entity, HearerView, Outcome, Property, Response, Scene, SpeakerView, Trial
from referee_lab.tangram.players.adaptation import compute_game_curve, compute_human_curve
from referee_lab.tangram.players.model_partners import ModelHearer, ModelSpeaker
from referee_lab.tangram.players.reference_game import (
    PlayedChoice,
    PlayedRound,
    SaidLine,
    convert_game_to_json,
    is_named_only,
    parse_game,
    plan_games,
    play_reference_game,
    select_known_rounds,
)
from referee_lab.tangram.tiers.dialogue_form import make_dialogue_schema

SCENE = Scene(
    id="s",
    entities=tuple(
        Entity(id=i, attributes=(Property("type", "chair"), Property("colour", c)))
        for i, c in (("a", "red"), ("b", "blue"), ("c", "green"))
    ),
)
TRIALS = [Trial(id="t", scene=SCENE, targets=("a",))]
(PLAN,) = plan_games(TRIALS, 1, 3, 2, seed=1)


class Shortening:
    """Says one word less every time the object comes round; remembers nothing but what history tells."""

    def describe(self, view: SpeakerView) -> Description:
        target = view.targets[0]
        before = sum(e.kind == "feedback" and e.entities == (target,) for e in view.history)
        colour = next(e for e in view.scene.entities if e.id == target).value("colour")
        return Description(text=" ".join(["the", "nice", str(colour)][before:]))


class Chooser:
    """Takes the object whose colour is named; anything in `instead` is done instead of it."""

    def __init__(self, instead: Callable[[], Response] | None = None) -> None:
        self.instead, self.views = instead, list[HearerView]()

    def resolve(self, description: Description, view: HearerView) -> Response:
        self.views.append(view)
        if self.instead:
            return self.instead()
        colour = str(description.text).split()[-1]
        chosen = next(e.id for e in view.scene.entities if e.value("colour") == colour)
        return Response(trial=view.id, hearer="h", outcome=Outcome.ENTITY, entity=chosen)


def test_every_object_comes_round_as_often_as_asked_and_in_new_orders() -> None:
    assert len(PLAN.orders) == 3
    assert {frozenset(order) for order in PLAN.orders} == {frozenset(PLAN.orders[0])}
    assert plan_games(TRIALS, 2, 3, 2, seed=1)[0] == PLAN


def test_both_are_told_what_was_said_chosen_and_meant() -> None:
    hearer = Chooser()
    game = play_reference_game(PLAN, Shortening(), hearer)
    assert (game.outcome, len(game.rounds)) == ("completed", 6)
    assert [r.words for r in game.rounds] == [3, 3, 2, 2, 1, 1]
    assert all(r.right for r in game.rounds)
    assert [e.kind for e in hearer.views[1].history] == ["message", "click", "feedback"]
    (level, *_) = compute_game_curve([game]).levels
    assert (level.words, level.right, level.n_right) == (3.0, 1.0, 2)


def crash() -> Response:
    raise ValueError("oh")


def unparsable() -> Response:
    return Response(trial="t", hearer="h", outcome=Outcome.UNPARSABLE)


def dont_know() -> Response:
    return Response(trial="t", hearer="h", outcome=Outcome.DONT_KNOW)


@pytest.mark.parametrize(
    ("instead", "outcome", "rounds"), [(crash, "crashed", 0), (unparsable, "nonsense", 3), (dont_know, "completed", 6)]
)
def test_a_hearer_who_gives_no_choice_is_not_wrong(instead: Callable[[], Response], outcome: str, rounds: int) -> None:
    game = play_reference_game(PLAN, Shortening(), Chooser(instead))
    assert (game.outcome, len(game.rounds)) == (outcome, rounds)
    assert all(r.right is None for r in game.rounds)
    assert compute_game_curve([game]).levels == () or all(
        level.right is None for level in compute_game_curve([game]).levels
    )


def test_a_player_who_stalls_is_left_behind() -> None:
    class Slow(Shortening):
        def describe(self, view: SpeakerView) -> Description:
            import threading

            threading.Event().wait(3)
            return super().describe(view)

    game = play_reference_game(PLAN, Slow(), Chooser(), patience_s=0.2)
    assert (game.outcome, game.by) == ("stalled", "speaker")


def test_objects_with_nothing_but_a_name_are_no_game() -> None:
    named = Scene(
        entities=(
            Entity(id="a", attributes=(Property("name", "A"),)),
            Entity(id="b", attributes=(Property("name", "B"),)),
        )
    )
    assert is_named_only(named)
    assert not is_named_only(SCENE)


def test_a_model_is_told_the_rounds_so_far_and_its_choice_is_read() -> None:
    with serving(completion("the red chair")) as said, serving(completion("2")) as heard:
        speaker = ModelSpeaker(model="toy", endpoint=said.url)
        hearer = ModelHearer(model="toy", endpoint=heard.url)
        game = play_reference_game(PLAN, speaker, hearer)
        last = said.seen[-1]["messages"][0]["content"]
        asked = heard.seen[-1]["messages"][0]["content"]
    assert game.outcome == "completed"
    assert last.count("was meant") == 5
    assert "you said 'the red chair', your partner chose object" in last
    assert "your partner said 'the red chair', you chose object" in asked
    assert {r.heard for r in game.rounds} == {"entity"}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [("the second", "entity"), ("unknown", "dont-know"), ("7", "unparsable"), ("Object 3.", "entity")],
)
def test_a_models_answer_is_a_number_or_none(answer: str, outcome: str) -> None:
    with serving(completion(answer)) as fake:
        view = TRIALS[0].for_hearer(__import__("random").Random(1))
        found = ModelHearer(model="toy", endpoint=fake.url).resolve(Description(text="x"), view)
    assert str(found.outcome) == outcome


def test_the_command_plays_shows_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "play",
        "--corpus",
        "synthetic",
        "--speaker",
        "classic/incremental",
        "--hearer",
        "literal",
        "--games",
        "3",
        "--repetitions",
        "2",
    ]
    command += ["--out", str(tmp_path / "games"), "--format", "json"]
    assert main(command) == 0
    first = json.loads(capsys.readouterr().out)
    (tmp_path / "games" / "game-2.json").unlink()
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert first["outcomes"] == {"completed": 3}
    assert [level["repetition"] for level in first["curves"][0]["levels"]] == [1, 2]
    assert main([*command, "--seed", "2"]) == 2


# Hawkins et al. 2020: from about 16 words to 4 over six repetitions (recomputed by `referee tangram reduction`).
@pytest.mark.data
def test_peoples_curves(data_folder: Path) -> None:
    curve = compute_human_curve("tangrams-hawkins", data_folder)
    assert [level.repetition for level in curve.levels] == [1, 2, 3, 4, 5, 6]
    assert (curve.levels[0].words, curve.levels[5].words) == pytest.approx((16, 4), abs=0.5)
    assert curve.slope is not None
    assert curve.slope.high < -0.7


# Means of `time` over the rows of studies 2a to 2c with a response, by `repNum`, taken from the tables alone.
@pytest.mark.data
def test_peoples_seconds_are_those_of_the_studies_with_sound_clocks(data_folder: Path) -> None:
    levels = compute_human_curve("multiparty-tangrams", data_folder).levels
    assert [level.n_seconds for level in levels] == [3277, 2732, 2561, 2425, 2349, 2309]
    seconds = [level.seconds for level in levels]
    assert seconds == pytest.approx([71.301682, 52.832977, 38.822779, 30.416304, 24.632723, 19.543278], abs=1e-5)


def test_a_game_is_written_and_read_back_whole() -> None:
    played = play_reference_game(PLAN, Shortening(), Chooser(), Chooser(dont_know))
    assert parse_game(convert_game_to_json(played)) == played
    assert "seconds" not in convert_game_to_json(played), "what machines have none of is left out"
    said = SaidLine(by="P-1", role="speaker", text="the red one", seconds=0.0)
    first = replace(played.rounds[0], speaker="P-1", hearer="P-2", seconds=0.0, talk=(said,))
    people = replace(played, rounds=[first], simulated=True)
    assert parse_game(convert_game_to_json(people)) == people
    silent = replace(first, text="", spoken="unparsable", words=0, heard=None, chosen=None, right=None, talk=())
    assert parse_game(convert_game_to_json(replace(people, rounds=[silent], simulated=False))).rounds == [silent]


def test_a_game_is_a_dialogue_on_disk_and_one_of_the_older_form_is_read() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    played = play_reference_game(PLAN, Shortening(), Chooser())
    document = json.loads(convert_game_to_json(played))
    jsonschema.validate(document, make_dialogue_schema())
    assert document["objects"]["a"] == {"type": "chair", "colour": "red"}
    older = asdict(replace(played, objects={}))
    older.pop("objects")
    assert parse_game(json.dumps(older)) == replace(played, objects={})


def test_who_changes_roles_remembers_their_own_choices_and_as_a_speaker_everybodys() -> None:
    chose = {"heard": "entity", "right": True}
    other = PlayedChoice(**chose, hearer="P-3", chosen="b")
    done = PlayedRound(
        repetition=1,
        target="a",
        text="red",
        words=1,
        spoken="said",
        **chose,
        chosen="a",
        hearer="P-2",
        others=(other,),
        speaker="P-1",
    )
    clicks = {
        who: [e.entities for e in select_known_rounds([done], who) if e.kind == "click"]
        for who in ("P-1", "P-2", "P-3")
    }
    assert clicks == {"P-1": [("a",), ("b",)], "P-2": [("a",)], "P-3": [("b",)]}


def test_in_a_group_everybody_chooses_on_their_own() -> None:
    """Three hearers: one chooses by the words, one never knows, one always takes the object that comes last in the scene."""

    def last() -> Response:
        return Response(trial="t", hearer="h", outcome=Outcome.ENTITY, entity=SCENE.entities[-1].id)

    views: list[SpeakerView] = []

    class Watching(Shortening):
        def describe(self, view: SpeakerView) -> Description:
            views.append(view)
            return super().describe(view)

    hearers = [Chooser(), Chooser(dont_know), Chooser(last)]
    game = play_reference_game(PLAN, Watching(), *hearers)
    assert (game.outcome, len(game.rounds)) == ("completed", 6)
    assert all([c.heard for c in r.choices] == ["entity", "dont-know", "entity"] for r in game.rounds)
    chosen = [[c.chosen for c in r.choices] for r in game.rounds]
    assert all(first == r.target and second is None for (first, second, _), r in zip(chosen, game.rounds, strict=True))
    # Each remembers their own choice, the speaker everybody's.
    clicks = [[e.entities for e in h.views[1].history if e.kind == "click"] for h in hearers]
    first, third = game.rounds[0].chosen, game.rounds[0].others[1].chosen
    assert clicks == [[(first,)], [()], [(third,)]]
    assert [e.entities for e in views[1].history if e.kind == "click"] == [(first,), (), (third,)]
    assert len({h.views[0].id for h in hearers}) == 3
    # Right: all six of the first, none known of the second, of the third those in which the last one was meant.
    hits = sum(r.target == SCENE.entities[-1].id for r in game.rounds)
    levels = compute_game_curve([game]).levels
    assert sum(level.n_right for level in levels) == 12
    assert sum((level.right or 0) * level.n_right for level in levels) == pytest.approx(6 + hits)


def test_one_of_a_group_who_talks_nonsense_ends_the_game_and_is_named() -> None:
    game = play_reference_game(PLAN, Shortening(), Chooser(), Chooser(unparsable))
    assert (game.outcome, game.by) == ("nonsense", "hearer 2")


def test_a_group_is_played_by_the_command_and_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--corpus", "synthetic", "--speaker", "classic/incremental", "--hearer", "noisy", "--group", "4"]
    asked = ["play", *given, "--games", "2", "--repetitions", "2", "--out", str(tmp_path / "g"), "--format", "json"]
    assert main(asked) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["group"] == 4
    assert sum(found["heard"].values()) == 3 * found["rounds"]
    assert main(asked) == 0
    assert json.loads(capsys.readouterr().out) == found


def test_what_is_missing_is_named_and_so_is_a_file_that_is_no_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", "--corpus", "synthetic", "--hearer", "literal"]) == 2
    assert "missing: --speaker, --out" in capsys.readouterr().err
    (tmp_path / "game.json").write_text('{"corpus": "own", "speaker": "people", "hearer": "people"}', "utf-8")
    (tmp_path / "room.json").write_text("[]", "utf-8")
    assert main(["play", "--played", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert "room.json" in told
    assert "delete" not in told, "people's games cannot be played again"
