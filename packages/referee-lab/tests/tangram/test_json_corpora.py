"""Files of SIMMC 2 and PhotoBook, in the form of their descriptions, with content made up here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee.errors import MalformedInput
from referee_lab.commands.tangram.sources import open_source
from referee_lab.tangram.models.dialogue_items import iterate_dialogue_items
from referee_lab.tangram.tiers.json_corpora import read_json_corpus


def turn(index: int, said: str, meant: list[int], answered: str, shown: list[int], **more: Any) -> dict[str, Any]:
    """One turn of SIMMC 2.1 (data/README.md of facebookresearch/simmc2)."""
    user = {"act": "REQUEST:GET", "act_attributes": {"slot_values": {}, "request_slots": [], "objects": meant}}
    answer = {"act": "INFORM:GET", "act_attributes": {"slot_values": {}, "request_slots": [], "objects": shown}}
    return {
        "turn_idx": index,
        "transcript": said,
        "transcript_annotated": user | {"disambiguation_label": 0} | more,
        "system_transcript": answered,
        "system_transcript_annotated": answer,
    }


TURNS = [
    turn(0, "any jeans?", [], "the grey pair on the left", [29]),
    turn(1, "and the coat?", [], "which one?", [], disambiguation_label=1, disambiguation_candidates=[3, 4]),
    turn(2, "I take that", [29], "done", []),
]
SHOP = {
    "split": "mini",
    "version": "simmc2.1_dstc11",
    "domain": "fashion",
    "dialogue_data": [
        {"dialogue": TURNS, "dialogue_idx": 5, "mentioned_object_ids": [29], "scene_ids": {"0": "store_1"}}
    ],
}
SCENE = {
    "scenes": [
        {
            "objects": [
                {"index": n, "unique_id": n, "prefab_path": f"p/{n}", "bbox": [10 * n, 20, 8, 6], "position": [0, 0, 0]}
                for n in (3, 4, 29)
            ],
            "relationships": {},
        }
    ]
}


def test_objects_of_a_turn_are_its_reference_and_ambiguous_ones_are_unclear(tmp_path: Path) -> None:
    file = tmp_path / "simmc2.1_dials_dstc11_mini.json"
    file.write_text(json.dumps(SHOP), encoding="utf-8")
    name, (dialogue,) = open_source(str(tmp_path))
    assert name.startswith("SYNTHETIC")
    first, second = iterate_dialogue_items(dialogue)
    assert (first.targets, first.references[0].text, first.meta["role"]) == (
        ("29",),
        "the grey pair on the left",
        "assistant",
    )
    assert [e.text for e in first.history if e.text] == ["any jeans?"]
    assert (second.references[0].text, second.meta["utterance"]) == ("I take that", "I take that")
    assert [e.entities for e in dialogue.select_tier("expression") if e.data["uncertain"]] == [("3", "4")]
    assert {"times", "positions", "attributes"} <= set(dialogue.lacks)


def test_scenes_and_metadata_beside_the_dialogues_give_positions_and_attributes(tmp_path: Path) -> None:
    file = tmp_path / "simmc2.1_dials_dstc11_mini.json"
    file.write_text(json.dumps(SHOP), encoding="utf-8")
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "store_1_scene.json").write_text(json.dumps(SCENE), encoding="utf-8")
    looks = {"p/29": {"type": "jeans", "color": "grey", "price": 12.0}}
    (tmp_path / "fashion_prefab_metadata_all.json").write_text(json.dumps(looks), encoding="utf-8")
    (dialogue,) = read_json_corpus(file)
    assert dialogue.pieces["29"] == {"type": "jeans", "colour": "grey"}
    # The middle of a box of height 8 and width 6 whose left upper corner is at (290, 20).
    assert next(iterate_dialogue_items(dialogue)).scene.entity("29").position == (293.0, 24.0)
    assert "positions" not in dialogue.lacks


def message(by: str, text: str, at: str) -> dict[str, Any]:
    return {"agent_id": by * 2, "speaker": by, "message": text, "timestamp": at, "turn": 0}


def test_a_round_of_photobook_has_both_views_the_chat_and_the_marks(tmp_path: Path) -> None:
    """The fields are those that processor.py of dmg-photobook/photobook_dataset reads."""
    messages = [
        message("A", "hi", "23:59:58"),
        message("B", "a red car?", "23:59:59.500"),
        message("A", "<selection> <com> car/1.jpg", "00:00:03.250"),
        message("B", "<feedback> 1", "00:00:04.000"),
    ]
    views = {"A": ["car/1.jpg", "car/2.jpg"], "B": ["car/1.jpg", "car/3.jpg"]}
    played = {"round_nr": 0, "images": views, "common": ["car/1.jpg"], "highlighted": {}, "score": {}}
    game = {"game_id": 7, "agent_labels": ["A", "B"], "rounds": [{**played, "messages": messages}]}
    file = tmp_path / "7.json"
    file.write_text(json.dumps(game), encoding="utf-8")
    (dialogue,) = read_json_corpus(file)
    assert (dialogue.pair, dialogue.sees["B"]) == ("photobook-7", ("car/1.jpg", "car/3.jpg"))
    assert [(e.by, e.text, e.start_ms) for e in dialogue.select_tier("utterance")] == [
        ("A", "hi", 0),
        ("B", "a red car?", 1500),
    ]
    assert [(e.by, e.entities, e.data["action"], e.start_ms) for e in dialogue.select_tier("action")] == [
        ("A", ("car/1.jpg",), "common", 5250)
    ]
    assert "references" in dialogue.lacks


def test_a_file_of_another_form_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps({"dialogue_data": [{"turns": []}]}), encoding="utf-8")
    with pytest.raises(MalformedInput, match=r"x\.json"):
        read_json_corpus(file)
