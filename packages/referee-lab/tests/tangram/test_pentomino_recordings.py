"""Recordings of games with pentominoes: tiers, ELAN and back, film, annotator's desk and classifier take them as they take the Tangram."""

from __future__ import annotations

from pathlib import Path
from random import Random

from referee.cli import main
from referee_lab.tangram.desk.annotation_desk import AnnotationSheet
from referee_lab.tangram.game.dialogue_sessions import make_film
from referee_lab.tangram.game.goals import PENTOMINO_GOALS
from referee_lab.tangram.game.instructions import Command
from referee_lab.tangram.game.log import Header, Recording, find_faults, format_recording, parse_recording
from referee_lab.tangram.game.rules import SETTINGS, start_game
from referee_lab.tangram.game.session_log import SessionLog
from referee_lab.tangram.game.solver_bot import Instruction
from referee_lab.tangram.tiers.dialogue import ACTION, EXPRESSION
from referee_lab.tangram.tiers.elan import convert_to_eaf, from_eaf
from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue

CASTLE = PENTOMINO_GOALS["castle"]


def lay_the_castle(seed: int) -> Recording:
    """Somebody names each piece, somebody takes it and puts it where it belongs."""
    game, notes = start_game(CASTLE, seed, {**SETTINGS, "step": 90})
    log = SessionLog(game, Random(seed))
    log.open(notes)
    for number, (piece, place) in enumerate(CASTLE.placements.items()):
        words, kind = (("take that one", "dpr"), ("take the piece", "typ"))[number % 2]
        named = {"start": 5, "end": len(words), "referents": [piece], "attributes": [kind]}
        log.say("solver", Instruction(words, (named,)))
        log.carry_out(Command("take", piece))
        log.carry_out(Command("place", piece, 600 + place.x, 400 + place.y))
    players = {"solver": "solver", "operator": "operator"}
    header = Header(session=f"castle-{seed}", pair=f"p{seed}", goal="castle", players=players, synthetic=True)
    return Recording(header, log.log())


def test_a_game_of_pentominoes_goes_through_tiers_and_elan_and_back() -> None:
    recording = lay_the_castle(1)
    assert find_faults(recording) == []
    assert parse_recording(format_recording(recording)) == recording
    dialogue = convert_to_dialogue(recording)
    assert set(dialogue.pieces) == set(CASTLE.placements)
    assert [e.entities for e in dialogue.select_tier(EXPRESSION)] == [(piece,) for piece in CASTLE.placements]
    assert {e.entities[0] for e in dialogue.select_tier(ACTION)} <= set(CASTLE.placements)
    back = from_eaf(convert_to_eaf(dialogue))
    assert set(back.pieces) == set(CASTLE.placements)
    assert [e.entities for e in back.select_tier(EXPRESSION)] == [e.entities for e in dialogue.select_tier(EXPRESSION)]


def test_film_desk_and_classifier_take_them(tmp_path: Path, capsys: object) -> None:
    for seed in range(1, 5):
        recording = lay_the_castle(seed)
        (tmp_path / f"castle-{seed}.jsonl").write_text(format_recording(recording), encoding="utf-8")
    assert set(make_film(recording)["state"]["pieces"]) == set(CASTLE.placements)
    sheet = AnnotationSheet(tmp_path / "castle-1.jsonl", "ann")
    assert len(sheet.content()["utterances"]) == len(CASTLE.placements)
    assert main(["tangram", "classify", "--recordings", str(tmp_path), "--folds", "2", "--format", "json"]) == 0
