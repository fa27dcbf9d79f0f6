"""A real model, small enough for a laptop, plays: whatever it says, every game has an outcome and every answer is counted as what it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from referee.records import Entity, Property, Scene, Trial
from referee_lab.tangram.game.goals import GOALS
from referee_lab.tangram.players.matches import OUTCOMES, GameLimits, play_match
from referee_lab.tangram.players.model_partners import ModelHearer, ModelSpeaker
from referee_lab.tangram.players.model_players import ModelPlayer
from referee_lab.tangram.players.reference_game import plan_games, play_reference_game
from referee_lab.tangram.players.roster import OperatorBot
from small_model import serve, weights_of_the_small_model

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with serve(weights_of_the_small_model()) as address:
        yield address


def test_it_plays_the_tangram_game_with_a_bot(endpoint: str) -> None:
    player = ModelPlayer(model="smollm2", endpoint=endpoint, max_tokens=40)
    recording, score = play_match(GOALS["house"], player, OperatorBot(), limits=GameLimits(turns=3))
    assert score.outcome in OUTCOMES
    assert score.outcome not in ("crashed", "unanswered", "stalled")
    assert score.utterances + score.unreadable > 0
    assert recording.entries[-1].kind == "end"


def test_it_plays_a_reference_game_with_itself(endpoint: str) -> None:
    colours = ("red", "blue", "green")
    things = tuple(Entity(id=c, attributes=(Property("type", "chair"), Property("colour", c))) for c in colours)
    (plan,) = plan_games([Trial(id="t", scene=Scene(id="s", entities=things), targets=("red",))], 1, 2, 2, seed=1)
    speaker, hearer = (kind(model="smollm2", endpoint=endpoint, max_tokens=30) for kind in (ModelSpeaker, ModelHearer))
    game = play_reference_game(plan, speaker, hearer)
    assert game.outcome in ("completed", "nonsense")
    assert game.rounds
    assert all(r.right is not None or r.heard != "entity" for r in game.rounds)
