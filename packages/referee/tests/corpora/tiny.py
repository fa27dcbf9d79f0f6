"""Tiny invented corpora in the file formats of the real ones, as plain data: file → rows, document or table."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

THREE_BLOCKS = [
    {
        "id": "c1",
        "type": "cube",
        "colour": "pink",
        "size": "large",
        "location": ["left-hand"],
        "relations": {"under": ["b1"]},
    },
    {
        "id": "b1",
        "type": "ball",
        "colour": "pink",
        "size": "small",
        "location": ["center"],
        "relations": {"on-top-of": ["c1"]},
    },
    {
        "id": "b2",
        "type": "ball",
        "colour": "grey",
        "size": "small",
        "location": ["right-hand", "front"],
        "relations": {},
    },
]
SLOTS = [["tg_loc", "centre"], ["tg_type", "ball"], ["rel", "on-top-of"], ["lm_col", "pink"], ["lm_type", "cube"]]
BLOCKS = {
    "id": "p9s1",
    "speaker": "9",
    "scene": "1",
    "order": 3,
    "target": "b1",
    "description": "the middle ball on the pink cube",
    "cleaned": "centre ball on-top-of pink cube",
    "pattern": ["tg_loc"],
    "pattern_reordered": ["tg_loc"],
    "attributes": SLOTS,
}
BLOCKS_UNALIGNED = {k: v for k, v in BLOCKS.items() if k != "attributes"} | {"id": "p9s2", "target": "b2"}

STARS_CONTEXT = {
    "target": "e1",
    "image": "x.png",
    "entities": [
        {"id": "q1", "attributes": [["type", "box"], ["near", "c1"], ["near", "e1"]]},
        {"id": "e1", "role": "target", "attributes": [["type", "star"], ["hpos", "left"], ["near", "q1"]]},
        {"id": "c1", "attributes": [["type", "circle"], ["colour", "blue"], ["near", "q1"]]},
    ],
}
STARS_ROW = {
    "trial": "4",
    "speaker": "4",
    "context": "abs9",
    "target": "e1",
    "landmark": "q1",
    "second_landmark": "c1",
    "description": "a estrela perto da caixa perto do circulo azul",
    "length": 6,
    "overspec": 2,
    "attributes": [
        ["type", "star"],
        ["near", "q1"],
        ["landmark-type", "box"],
        ["landmark-near", "c1"],
        ["second-landmark-colour", "blue"],
    ],
}

ZOOM_MAP = [
    {
        "id": "cafe1",
        "type": "cafe",
        "name": "o gato",
        "in": ["str1"],
        "between": "[str1,str2]-[park1,str2]",
        "next-to": ["lost9"],
    },
    {"id": "cafe2", "type": "cafe", "in": ["str2"]},
    {"id": "str1", "type": "street", "name": "rua um"},
    {"id": "str2", "type": "street", "name": "rua dois"},
    {"id": "park1", "type": "park"},
]
CORNER = [
    ["type", "cafe"],
    ["between", "[str1,str2]"],
    ["d1.id", "str1"],
    ["d1.name", "rua um"],
    ["d2.id", "str2"],
    ["d2.name", "rua dois"],
]


def zoom_row(speaker: str, *sets: tuple[str, list[list[str]]]) -> dict[str, Any]:
    return {
        "speaker": speaker,
        "context": "7",
        "seq": 1,
        "status": "ok",
        "agreement": "yes",
        "description": "o cafe da esquina",
        "sets": [{"target": target, "attributes": attributes} for target, attributes in sets],
    }


GIVE_ROOM = {
    "x": "1",
    "y": "2",
    "entities": [
        {"id": "d1", "attributes": {"type": "door", "x": "0", "y": "1", "z": "4", "size": "10"}},
        {"id": "b7", "attributes": {"type": "button", "color": "Red", "x": "1.5", "y": "1", "z": "4", "size": "1"}},
        {"id": "p1", "attributes": {"type": "picture", "x": "2", "y": "1", "z": "4", "size": "5"}},
    ],
    "relations": [{"target": "b7", "landmark": "p1", "position": "next", "distance": "0.5"}],
}
GIVE_ROW = {
    "id": 12,
    "world": "1",
    "player": "3",
    "language": "GE",
    "target": "b7",
    "entities": [
        {"id": "b7", "attributes": [["type", "button"], ["color", "red"]]},
        {"id": "p1", "attributes": [["type", "painting"]]},
        {"id": "PLAYER", "attributes": [["type", "player"]]},
    ],
    "relations": [
        {"target": "b7", "landmark": "p1", "attributes": [["relation", "next"]]},
        {"target": "b7", "landmark": "PLAYER", "attributes": [["relation", "left"]]},
    ],
}


def degen_row(game: str, number: int, kind: str, objects: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "game": game,
        "round": number,
        "type": kind,
        "condition": "size21",
        "objects": objects,
        "correct": True,
        "messages": [{"by": "speaker", "text": "small one", "ms_before_click": 900}],
        "speaker_first_ms_after_prev_click": None,
        "listener_rt_ms_from_first": 900,
        "listener_rt_ms_from_last": 900,
        "one_speaker_message": True,
        "published": None,
    } | more


def degen_object(name: str, place: int, role: str = "distractor", **more: Any) -> dict[str, Any]:
    return {"name": name, "role": role, "pos_speaker": str(place), "pos_listener": "1", **more}


MUGS = [
    degen_object("small_teal_mug", 3, "target", clicked=True),
    degen_object("big_teal_mug", 1),
    degen_object("big_grey_mug", 2),
]
FRUIT = [degen_object("pear_pink", 4, "target", clicked=True), degen_object("distractor_kiwi_green", 2)]
BEASTS = [
    degen_object("manxCat", 2, "target", clicked=True, basic="cat", superordinate="animal"),
    degen_object("yak", 3, superordinate="animal"),
]
LATE = [
    {"by": "speaker", "text": "mug", "ms_before_click": 50},
    {"by": "listener", "text": "hm", "ms_before_click": 20},
    {"by": "speaker", "text": "yes that", "ms_before_click": -30},
]


def colors_row(game: str, number: int, clicked: str, **more: Any) -> dict[str, Any]:
    return {
        "game": game,
        "round": number,
        "condition": "far",
        "objects": {
            "target": {"hsl": [10, 60, 50], "pos": [2, 1]},
            "distr1": {"hsl": [200, 60, 50], "pos": [3, 3]},
            "distr2": {"hsl": [90, 20, 50], "pos": [1, 2]},
        },
        "delta_e": {"target_d1": 40.0},
        "messages": [["s", "rusty", 1500], ["l", "ok", 700], ["s", "brick", 600], ["s", "sorry", -10]],
        "clicked": clicked,
        "correct": clicked == "target",
        "rt_ms": 600,
        "simple": False,
    } | more


def mayn_row(participant: str, condition: str, chosen: int, **more: Any) -> dict[str, Any]:
    roles = ("target", "competitor", "distractor") if condition == "simple" else ("either", "either", "distractor")
    looks = (("robot", "scarf"), ("robot", "red hat"), ("green monster", "red hat"))
    return {
        "experiment": "stimuli-2",
        "participant": participant,
        "trial": 1,
        "item": 7,
        "condition": condition,
        "item_type": condition,
        "message": "robot",
        "objects": [
            {"kind": kind, "accessory": accessory, "role": role, "true": kind == "robot"}
            for (kind, accessory), role in zip(looks, roles, strict=True)
        ],
        "chosen": chosen,
        "chosen_role": roles[chosen],
        "correct": chosen == 0,
    } | more


def pragma_row(system: str, chosen: int | str | None, participant: str, **more: Any) -> dict[str, Any]:
    return {
        "file": "f",
        "items": "dev/x",
        "item": "dev/x:1_0|2_0",
        "system": system,
        "question": "forced",
        "text": "a cat",
        "shown": ["2_0", "1_0"],
        "target": 1,
        "chosen": chosen,
        "correct": None if chosen is None else chosen == 1,
        "participant": participant,
    } | more


def network_row(trial: int, clicked: str, **more: Any) -> dict[str, Any]:
    return {
        "network": 1,
        "room": 0,
        "partner": 1,
        "trial": trial,
        "repetition": 1,
        "context": ["D", "B", "A", "C"],
        "target": "B",
        "messages": [["s", "kneeling"], ["l", "ok"]],
        "speaker": "p1",
        "listener": "p2",
        "clicked": clicked,
        "correct": clicked == "target",
        "complete_network": True,
    } | more


def fribble_row(trial: int, chosen: str | None, **more: Any) -> dict[str, Any]:
    turns = [{"by": "d", "text": "uh met een bal", "clean": "met een bal"}, {"by": "m", "text": "#lacht#", "clean": ""}]
    row = {"pair": "pair01", "round": 1, "trial": trial, "target": "03", "director": "A", "label": "1"}
    return row | {"given_label": "2", "chosen": chosen, "correct": chosen == "03", "turns": turns} | more


FRANKE_ITEM = {
    "item": 0,
    "objects": [
        {"text": "green triangle with dots", "colour": "green", "shape": "triangle", "texture": "dots"},
        {"text": "green circle with dots", "colour": "green", "shape": "circle", "texture": "dots"},
        {"text": "red triangle with dots", "colour": "red", "shape": "triangle", "texture": "dots"},
    ],
    "words": ["green", "triangle", "red", "circle"],
    "trigger_feature": "color",
    "nuisance_feature": "texture",
    "speaker": {"to_describe": "red triangle with dots", "roles": ["distractor", "competitor", "target", "distractor"]},
    "listener": {"word": "green", "roles": ["target", "competitor", "distractor"]},
    "models": {"M1": {"speaker": [-1.0, -2.0, -3.0, -4.0], "listener": [-2.0, -1.0, -4.0]}},
}
PRODUCED = {
    "workerid": 5,
    "trial": 2,
    "trialtype": "target",
    "imptype": "simple",
    "img1": "s1_vx",
    "img2": "target_s1_v2",
    "img3": "s2_v1",
    "response": "target",
    "rt": 4000,
} | {f"msg{n}": m for n, m in enumerate(("s1", "v2", "s2", "v1"), 1)}
PRODUCED |= {f"pos{n}": p for n, p in enumerate(("competitor", "target", "distractor1", "distractor2"), 1)}
COMPREHENDED = {
    "workerid": 6,
    "trial": 0,
    "trialtype": "filler",
    "imptype": "unambig",
    "message": "v2",
    "img1": "s2_v1",
    "img2": "s1_vx",
    "img3": "s1_v2",
    "pos1": "distractor",
    "pos2": "competitor",
    "pos3": "target",
    "response": "competitor",
    "rt": 1200,
}


def tangram_row(number: int, target: str, clicked: str, *messages: list[Any]) -> dict[str, Any]:
    return {
        "game": "g9",
        "trial": number,
        "repetition": 1,
        "target": target,
        "clicked": clicked,
        "correct": target == clicked,
        "messages": list(messages),
        "rt_ms": 800,
        "simple": len(messages) == 1,
    }


def guess_row(participant: int, selected: str, *messages: list[str]) -> dict[str, Any]:
    return {
        "experiment": "expt1",
        "participant": participant,
        "condition": "2_rotate_1",
        "game": "g4",
        "target": "C",
        "selected": selected,
        "correct": selected == "C",
        "rt_ms": 5000.0,
        "messages": list(messages),
    }


def kth_piece(number: int, shape: str) -> dict[str, Any]:
    return {
        "id": number,
        "shape": shape,
        "edges": 6,
        "size": "small",
        "area": 0.01,
        "rgb": [255, 0, 96],
        "hsb": [0.9, 1.0, 1.0],
    }


def kth_event(
    number: int, round_: int, time: float, name: str, by: str, referent: int, selected: int | None, **moved: Any
) -> dict[str, Any]:
    return {
        "event": number,
        "round": round_,
        "score": 0,
        "time_s": time,
        "name": name,
        "by": by,
        "referent": referent,
        "selected": selected,
        "positions": {k.removeprefix("p"): v for k, v in moved.items()},
    }


def kth_utterance(round_: int, by: str, role: str, start: float, text: str) -> dict[str, Any]:
    return {"round": round_, "by": by, "role": role, "start_s": start, "end_s": start + 0.5, "text": text}


KTH_GAME = {
    "game": 3,
    "rounds": 2,
    "duration_s": 60.0,
    "first_instructor": "A",
    "pieces": [kth_piece(1, "hat"), kth_piece(2, "fish")],
    "events": [
        kth_event(1, 1, 10.0, "nextturn.request", "A", 2, None, p1=[0.1, 0.2], p2=[0.5, 0.5]),
        kth_event(2, 1, 14.0, "selection.request", "B", 2, 1, p1=[0.9, 0.9]),
        kth_event(3, 1, 15.0, "selection.rejection", "A", 2, 1),
        kth_event(4, 1, 18.0, "selection.request", "B", 2, 2, p2=[0.3, 0.3]),
        kth_event(5, 1, 19.0, "completedturn.request", "A", 2, None),
        kth_event(6, 2, 20.0, "nextturn.request", "B", 1, None),
        kth_event(7, 2, 24.0, "selection.request", "A", 1, 1),
    ],
    "utterances": [
        kth_utterance(0, "A", "instructor", 2.0, "shall we start"),
        kth_utterance(1, "A", "instructor", 11.0, "BREATH the pink thing"),
        kth_utterance(1, "B", "manipulator", 12.0, "okay"),
        kth_utterance(1, "A", "instructor", 16.0, "no the fish LAUGHTER"),
        kth_utterance(2, "B", "instructor", 21.0, "that hat"),
    ],
}

PENTO = {
    "session": "r9",
    "episode": 4,
    "duration_s": 12.5,
    "objects": [
        {"id": "tile-0", "shape": "X", "colour": "red", "grid": "grid1", "col": 0, "row": 2},
        {"id": "tile-1", "shape": "L", "colour": "blue", "grid": "grid4", "col": 1, "row": 1},
    ],
    "selected": "tile-1",
    "utterances": [
        {"text": "das blaue L", "start": 1.0, "end": 2.5, "act": "INSTRUCT"},
        {"text": "unten", "start": 3.0, "end": 3.5, "act": "INSTRUCT"},
        {"text": "ja", "start": 9.0, "end": 9.2, "act": "CONFIRM"},
    ],
    "actions": [[5.0, "tile-0"], [8.0, "tile-1"]],
}

CODES_1 = "gameid\tTrial\tUtteranceType\tsizeMentioned\tcolorMentioned\ttypeMentioned\talt4Name"
CODES_2 = "gameid\tcontext\tTarget\tColorMentioned\tItemMentioned"
CODES_3 = "gameid\tTrial\tsub\tbasic\tsuper"


def grids_row(game: str, number: int, clicked: int, *messages: tuple[str, str, int]) -> dict[str, Any]:
    """Target o2; the listener sees o1, o2, o0 from left to right and clicks at a second to spare."""
    return {
        "game": game,
        "round": number,
        "condition": "SPLIT",
        "grids": [[[10 * cell + place, 60, 50] for cell in range(9)] for place in range(3)],
        "target": 2,
        "speaker_order": [2, 0, 1],
        "listener_order": [1, 2, 0],
        "l_clicked": clicked,
        "time_click": 100_000,
        "messages": [{"role": role, "text": text, "time": 100_000 - before} for role, text, before in messages],
        "success": clicked == 1,
    }


def mandarin_click(number: int, clicked: str, time: int = 50_000) -> dict[str, str]:
    """Speaker sees distr2, target, distr1; the listener target, distr2, distr1."""
    places = {"target": (2, 1), "distr1": (3, 3), "distr2": (1, 2)}
    row = {"gameid": "5-ab", "time": str(time), "roundNum": str(number), "condition": "further"}
    for column, status in zip(("click", "alt1", "alt2"), (clicked, *(set(places) - {clicked})), strict=True):
        speaker, listener = places[status]
        row |= {f"{column}Status": status, f"{column}ColH": str(10 * speaker), f"{column}ColS": "60"}
        row |= {f"{column}ColL": "50", f"{column}LocS": str(speaker), f"{column}LocL": str(listener)}
    row |= {"targetD1Diff": "20", "targetD2Diff": "30", "D1D2Diff": "40"}
    return row | {"outcome": "true" if clicked == "target" else "false"}


def mandarin_message(number: int, sender: str, text: str, time: int) -> dict[str, str]:
    return {"gameid": "5-ab", "epochTime": str(time), "roundNum": str(number), "sender": sender, "contents": text}


def group_answer(trial: int, player: str, response: str, time: str = "12.5") -> dict[str, str]:
    return {
        "gameId": "G1",
        "target": "/experiment/tangram_C.png",
        "repNum": "1",
        "trialNum": str(trial),
        "numPlayers": "3",
        "speaker": "ann",
        "playerId": player,
        "correct": str(response == "/experiment/tangram_C.png").upper(),
        "response": response,
        "time": time,
    }


def group_message(trial: int, role: str, text: str, chitchat: str = "FALSE") -> dict[str, str]:
    return {"gameId": "G1", "trialNum": str(trial), "role": role, "text": text, "is.chitchat": chitchat}


def pair_round(block: int, target: str, response: str, said: str, asked: str = "[]") -> dict[str, str]:
    """A round of the main experiment of tangrams-ref."""
    return {
        "block": str(block),
        "snd_value": "0.9",
        "sec_until_click": "4",
        "correct": str(target == response) if response else "",
        "controlled": "False",
        "response": response,
        "game_id": "P1",
        "speaker_desc": said,
        "listener_desc": asked,
        "target": target,
    }


def pilot_round(index: int, target: str, response: str, said: str, click: str = "(23,)") -> dict[str, str]:
    return {
        "game_id": "Q1",
        "trial_index": str(index),
        "block": str(index // 2),
        "target": target,
        "controlled": "True",
        "snd_value": "0.5",
        "speaker_id": "7",
        "listener_id": "8",
        "context": "['page2-10.svg', 'page2-9.svg', 'page1-3.svg']",
        "description": said,
        "time_to_message": "9.0" if said else "",
        "sec_until_click": click,
        "response": response,
        "correct": str(target == response) if response else "",
    }


def reader_row(worker: str, selected: str, text: str = "a swan") -> dict[str, str]:
    return {
        "workerid": worker,
        "button_rt": "2500",
        "group_size": "2_player",
        "thickness": "thick",
        "round": "round_1",
        "correct": str(int(selected == "C")),
        "correct_tangram": "C",
        "gameId": "G4",
        "selected": selected,
        "text": str([{"role": "speaker", "text": text}, {"role": "listener", "text": "flying?"}]),
        "condition": "2_thick",
    }


def photo_click(number: int, clicked: str, iteration: str = "full", time: str = "") -> dict[str, str]:
    """Photographs p1 to p4, the target p2 last, as the source has it."""
    parts = {"p4": "distr2", "p1": "distr1", "p3": "distr0", "p2": "target"}
    return {
        "iterationName": iteration,
        "context_id": "68",
        "gameid": "g-7",
        "time": "1.5e+12",
        "trialNum": str(number),
        "repNum": "0",
        "timeFromMessage": time,
        "clickedObj": clicked,
        "correct": "true" if clicked == "target" else "false",
        "fullContext": json.dumps([{"url": f"{url}.jpg", "targetStatus": part} for url, part in parts.items()]),
    }


def photo_message(number: int, text: str, before: int) -> dict[str, str]:
    return {"gameid": "g-7", "trialNum": str(number), "msg": text, "time": str(1.5e12 - before)}


BOXES = [
    {
        "i": 0,
        "text": "man on right",
        "gt": [10, 20, 30, 40],
        "answers": {
            "dino": [],
            "internvl": [10, 20, 40, 60],
            "molmo": ' <point x="5.0" y="6.5" alt="m">m</point>',
            "qwen25vl": [11, 20, 40, 61],
        },
    },
    {
        "i": 1,
        "text": "dog",
        "gt": [50, 60, 10, 10],
        "answers": {
            "dino": [{"label": "dog", "score": 0.4, "box": [50, 60, 60, 70]}],
            "internvl": [0.0, 0.0, 0.0, 0.0],
            "molmo": [1.0, 2.0, 3.0, 4.0],
            "qwen25vl": [0, 0, 9, 9],
        },
    },
    {
        "i": 2,
        "text": "cat",
        "gt": [5, 5, 50, 50],
        "answers": {"dino": [], "internvl": [5, 5, 55, 55], "molmo": "no", "qwen25vl": "It is there."},
    },
]
CORNERS = [{"i": 0, "text": "ball", "gt": [10, 20, 30, 40], "answers": {"qwen25vl": [10, 20, 30, 40]}}]


def screen(name: str, kind: str, numbers: list[float], text: str) -> dict[str, Any]:
    return {
        "id": name,
        "image_path": "S1.png",
        "image_size": [100, 80],
        "instruction": text,
        "box_type": kind,
        "box_coordinates": numbers,
        "GUI_types": ["Icon"],
    }


# One document that is a list: one line.
SCREENS = [
    [
        screen("S1-0", "bbox", [10, 10, 20, 20], "open"),
        screen("S1-1", "polygon", [0, 0, 9, 0, 0, 9], "close"),
        screen("S1-2", "refusal", [0, 0, 0, 0], "fly"),
    ]
]
ELEMENTS = {
    "image/id": ["77"],
    "image/ref_exp/text": ["the button"],
    "image/ref_exp/label": [1],
    **{
        f"image/object/bbox/{side}": values
        for side, values in (("xmin", [0.0, 0.5]), ("ymin", [0.0, 0.5]), ("xmax", [0.5, 1.0]), ("ymax", [0.5, 0.75]))
    },
    **{
        f"image/view_hierarchy/bbox/{side}": [value]
        for side, value in (("xmin", 0.5), ("ymin", 0.5), ("xmax", 1.0), ("ymax", 0.75))
    },
    "image/view_hierarchy/class/name": ["BUTTON"],
    "image/view_hierarchy/text": ["ok"],
    "image/view_hierarchy/description": [""],
    "image/view_hierarchy/id/name": [""],
}


def command(token: str) -> dict[str, Any]:
    return {
        "scene_token": "d1",
        "sample_token": "s1",
        "command": "stop behind the van",
        "obj_name": "vehicle.van",
        "box_token": "b1",
        "command_token": token,
        "2d_box": [260, 479, 191, 82],
        "t2c_img": "img_val_0.jpg",
    }


def picture_game(number: int, target: str) -> dict[str, Any]:
    shown = {
        f"player_2_{place}_image": f"../clembench/resources/docci_images/{i}.jpg"
        for i, place in enumerate(("first", "second", "third"))
    }
    return {"game_id": number, "target_image_name": [target], **shown}


TINY: dict[str, dict[str, Any]] = {
    "osworld-g": {"osworld-g/OSWorld-G.json.gz": SCREENS, "osworld-g/OSWorld-G_refined.json.gz": SCREENS},
    "uibert-refexp": {"uibert-refexp/dev.jsonl.gz": [ELEMENTS], "uibert-refexp/test.jsonl.gz": [ELEMENTS]},
    "talk2car": {
        "talk2car/val_commands.json.gz": {"commands": [command("c1")]},
        "talk2car/test_commands.json.gz": {"commands": [command("c2")]},
    },
    "clembench-refgame": {
        "clembench-refgame/multimodal_referencegame/in/instances.json.gz": {
            "experiments": [
                {"name": "DOCCI_images", "game_instances": [picture_game(0, "second"), picture_game(1, "first")]}
            ]
        }
    },
    "rec-eval": {
        "rec-eval/RefCOCO.jsonl.gz": BOXES,
        "rec-eval/RefCOCOg.jsonl.gz": BOXES,
        "rec-eval/PersReFex.jsonl.gz": CORNERS,
    },
    "gre3d7": {"gre3d/gre3d7.jsonl.gz": [BLOCKS, BLOCKS_UNALIGNED], "gre3d/gre3d7_scenes.json": {"1": THREE_BLOCKS}},
    "stars": {"stars/stars.jsonl.gz": [STARS_ROW], "stars/stars_contexts.json": {"abs9": STARS_CONTEXT}},
    "zoom": {
        "zoom/zoom.jsonl.gz": [
            zoom_row("1", ("cafe1", CORNER)),
            zoom_row("2", ("cafe2", [["type", "cafe"]]), ("cafe1", [["name", "o gato"]])),
            zoom_row("3", ("cafe1", [["type", "cafe"]]), ("cafe1", [["other", "NOT cafe2"]])),
            zoom_row("4"),
            zoom_row("1", ("cafe1", [["in", "str1,str2"]])),
        ],
        "zoom/zoom_maps.json": {"7": ZOOM_MAP},
    },
    "give2": {"give2/give2.jsonl.gz": [GIVE_ROW], "give2/give2_worlds.json": {"1": {"room-1": GIVE_ROOM}}},
    "b5-ref": {
        "b5-ref/b5ref.jsonl.gz": [
            {
                "trial": "8",
                "context": "2",
                "target": "b",
                "description": "a de oculos",
                "attributes": [["glasses", "yes"]],
            }
        ],
        "b5-ref/b5ref_contexts.json": {
            "2": {
                "target": "b",
                "entities": [
                    {"id": "a", "role": "other", "attributes": {"glasses": "no"}},
                    {"id": "b", "role": "target", "attributes": {"glasses": "yes"}},
                ],
            }
        },
    },
    "degen2020": {
        "degen2020/exp1_exp3_trials.jsonl.gz": [
            degen_row("77-a", 1, "colorSizeTrial", MUGS, published="exp1"),
            degen_row("77-a", 2, "subSuperTrial", BEASTS, messages=LATE, one_speaker_message=False),
            degen_row("77-a", 3, "subSuperTrial", BEASTS, published="exp3"),
        ],
        "degen2020/exp2_trials.jsonl.gz": [
            degen_row("88-b", 1, "pear", FRUIT, condition="informative", published="exp2")
        ],
        "degen2020/coded_exp1.tsv.gz": f"{CODES_1}\n77-a\t1\tsize\tTRUE\tFALSE\tFALSE\tundefined\n",
        "degen2020/coded_exp2.tsv.gz": f"{CODES_2}\n88-b\tinformative\tpurple_pear\tTRUE\tTRUE\n",
        "degen2020/coded_exp3.tsv.gz": f"{CODES_3}\n77-a\t3\tFALSE\tTRUE\tFALSE\n",
    },
    "colors": {
        "colors-in-context/colors_trials.jsonl.gz": [
            colors_row("g1", 1, "distr2"),
            colors_row("g1", 2, "target", messages=[["s", "rust", 900]], simple=True, rt_ms=900),
            colors_row("g2", 1, "target", messages=[["l", "hello?", 5], ["s", "late", -5]], rt_ms=None),
        ]
    },
    "franke2024": {
        "franke2024/items_models.jsonl.gz": [FRANKE_ITEM],
        "franke2024/answers.jsonl.gz": [
            {"task": "speaker", "participant": "p1", "submission": 1, "trial": 1, "item": 0, "chosen": 2, "rt_ms": 900},
            {
                "task": "listener",
                "participant": "p1",
                "submission": 1,
                "trial": 3,
                "item": 0,
                "chosen": 1,
                "rt_ms": 800,
            },
        ],
    },
    "mayn-refgames": {
        "mayn-refgames/choices.jsonl.gz": [
            mayn_row("p1", "simple", 1),
            mayn_row("p2", "simple", 0),
            mayn_row("p2", "ambiguous", 0, correct=None),
        ]
    },
    "pragma": {
        "pragma/answers.jsonl.gz": [
            pragma_row("literal", 1, "p1", text="a dog"),
            pragma_row("reasoning", 0, "p2"),
            pragma_row("literal", None, "p3"),
            pragma_row("base", "both", "p1", question="four-way"),
            pragma_row("literal", None, "p3", question="fluency", correct=None, fluency=4),
        ]
    },
    "coop-nets": {
        "coop-nets/outputs.jsonl.gz": [
            {"game": "g1", "round": 1, "condition": "far", "human": "distr2", "L0": "distr2", "Le": "target"},
        ],
        "colors-in-context/colors_trials.jsonl.gz": [colors_row("g1", 1, "distr2"), colors_row("g1", 2, "target")],
    },
    "conventions-network": {
        "conventions-network/trials.jsonl.gz": [
            network_row(1, "target"),
            network_row(2, "distr1"),
            network_row(3, "target", complete_network=False),
        ]
    },
    "cabb-dutch": {
        "cabb-dutch/trials.jsonl.gz": [
            fribble_row(1, "03"),
            fribble_row(2, None),
            fribble_row(3, None, given_label=None),
        ]
    },
    "franke-degen2016": {
        "franke-degen2016/production.jsonl.gz": [PRODUCED],
        "franke-degen2016/comprehension.jsonl.gz": [COMPREHENDED],
    },
    "tangrams-hawkins": {
        "tangrams-hawkins/tangrams_cued.jsonl.gz": [
            tangram_row(1, "B", "K", ["d", "a hat", 2000], ["m", "which", 1500], ["d", "tall", 800]),
            tangram_row(2, "L", "L", ["d", "swan", None]),
        ]
    },
    "tg-matcher": {
        "tg-matcher/matcher_trials.jsonl.gz": [
            guess_row(1, "C", ["speaker", "a swan"], ["listener", "flying?"]),
            guess_row(2, "D", ["speaker", "a swan"], ["listener", "flying?"]),
            guess_row(3, "C", ["speaker", "a goose"]),
        ]
    },
    "kth-tangrams": {"kth-tangrams/games.jsonl.gz": [KTH_GAME]},
    "pento-take": {"pento-take/take.jsonl.gz": [PENTO, PENTO | {"episode": 5, "selected": None}]},
    "color-grids": {
        "color-grids/rounds.jsonl.gz": [
            grids_row("12-ab-c", 1, 1, ("speaker", "mostly red", 4000)),
            grids_row("12-ab-c", 2, 0, ("speaker", "red", 9000), ("listener", "dark?", 5000), ("speaker", "no", 1500)),
            grids_row("12-ab-c", 3, 2),
            grids_row("13-d", 1, 1, ("speaker", "late", -300)),
        ]
    },
    "colors-mandarin": {
        "colors-mandarin/colorReferenceClicksChinese.csv.gz": [
            mandarin_click(1, "distr1"),
            mandarin_click(2, "target"),
            mandarin_click(2, "distr2", time=60_000),
        ],
        "colors-mandarin/colorReferenceMessageChinese.csv.gz": [
            mandarin_message(1, "演说者", "紅色", 47_000),
            mandarin_message(2, "倾听者", "？", 40_000),
            mandarin_message(9, "演说者", "藍色", 40_000),
        ],
    },
    "multiparty-tangrams": {
        f"multiparty-tangrams/study{study}.{table}.csv.gz": rows
        for study in ("1a", "1b", "2a", "2b", "2c")
        for table, rows in (
            (
                "raw_results",
                [
                    group_answer(1, "bob", "/experiment/tangram_C.png"),
                    group_answer(0, "bob", "/experiment/tangram_K.png", "-3.5"),
                    group_answer(0, "cem", "false", "NA"),
                    group_answer(1, "cem", "/experiment/tangram_C.png"),
                ],
            ),
            (
                "filtered_chat",
                [
                    group_message(0, "speaker", "hi all", "TRUE"),
                    group_message(0, "listener", "hi", "1"),
                    group_message(0, "speaker", "a swan"),
                    group_message(1, "NA", "NA"),
                    group_message(5, "speaker", "nobody answered this"),
                ],
            ),
        )
    },
    "tangrams-ref": {
        "tangrams-ref/clean_no_discourse.csv.gz": [
            pair_round(0, "page1-2.svg", "page9-1.svg", "['a bird', 'yes']", "['flying?']"),
            pair_round(1, "page1-2.svg", "page1-2.svg", "['bird']"),
            pair_round(1, "page3-4.svg", "", "['a bridge']"),
        ],
        "tangrams-ref/pilot1_data.csv.gz": [
            pilot_round(3, "page2-9.svg", "page1-3.svg", "a boat"),
            pilot_round(0, "page2-10.svg", "page2-10.svg", "a hat"),
            pilot_round(1, "page1-3.svg", "", "", click=""),
        ],
        "tangrams-ref/pilot2_data.csv.gz": [pilot_round(0, "page2-10.svg", "page2-10.svg", "a hat")],
    },
    "vlm-tangram": {
        "vlm-tangram/human_data.csv.gz": [reader_row("914", "C"), reader_row("915", "D"), reader_row("914", "C")]
    },
    "continual-adaptation": {
        f"continual-adaptation/{kind}.{table}FromMongo.csv.gz": rows
        for kind in ("human-human", "human-human-easy", "model-as-listener", "model-as-speaker")
        for table, rows in (
            (
                "clickedObj",
                [photo_click(0, "target"), photo_click(1, "distr1", time="1800"), photo_click(2, "target", "testing")],
            ),
            ("message", [photo_message(0, "a dog", 2000), photo_message(1, "dog", 1800), photo_message(1, "oh", -50)]),
        )
    },
}


def write(folder: Path, files: dict[str, Any]) -> Path:
    """Files of a corpus in a folder: lists become lines of JSON, other data one document, text is written as it is."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        table = name.removesuffix(".gz").endswith(".csv")
        text = content if isinstance(content, str) else _csv(content) if table else _json(content)
        path.write_bytes(gzip.compress(text.encode(), 1) if name.endswith(".gz") else text.encode())
    return folder


def _json(content: Any) -> str:
    lines = content if isinstance(content, list) else [content]
    return "".join(json.dumps(line) + "\n" for line in lines)


def _csv(content: Any) -> str:
    """Rows under the names of the first one's columns; what is no row, in damaged files, is one cell."""
    rows = content if isinstance(content, list) else [content]
    names = list(next((row for row in rows if isinstance(row, dict)), {}))
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(names)
    writer.writerows([row.get(n, "") for n in names] if isinstance(row, dict) else [row] for row in rows)
    return file.getvalue()
