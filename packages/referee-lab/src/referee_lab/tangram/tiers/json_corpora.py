"""JSON files of other projects as dialogues: SIMMC 2 (Kottur et al. 2021) and the logs of PhotoBook (Haber et al. 2019).

The forms are those of the files in github.com/facebookresearch/simmc2 (data/README.md) and of the program
processor.py in github.com/dmg-photobook/photobook_dataset.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from referee.errors import MalformedInput
from referee.records import Event
from referee_lab.tangram.json_lines import decode_text
from referee_lab.tangram.tiers.dialogue import ACTION, EXPRESSION, POSITION, UTTERANCE, Dialogue
from referee_lab.tangram.tiers.game_dialogues import ATTRIBUTES, POSITIONS, SPANS, TIMES

USER, ASSISTANT = "user", "assistant"
# What one can see of a product, by its name in the metadata.
VISIBLE = {"type": "type", "color": "colour", "pattern": "pattern", "materials": "material"}


def is_foreign(beginning: str) -> bool:
    """Return whether the beginning of a JSON file is that of a corpus that is read here."""
    return '"dialogue_data"' in beginning or ('"agent_labels"' in beginning and '"rounds"' in beginning)


def read_json_corpus(path: Path) -> list[Dialogue]:
    """Return the dialogues of a file of SIMMC 2 or PhotoBook. Raises MalformedInput for a file of another form."""
    try:
        data = json.loads(decode_text(path.read_bytes(), str(path)))
        if "dialogue_data" not in data:
            return list(_iterate_photobook_rounds(data))
        metadata = _read_metadata(path.parent)
        return [_read_simmc_dialogue(row, path.parent, metadata) for row in data["dialogue_data"]]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        problem = f"not of the form of SIMMC 2 or PhotoBook ({type(error).__name__}: {error})"
        raise MalformedInput(problem, where=path, remedy="copy the file again") from None


# -- SIMMC 2 -------------------------------------------------------------------------------------------------------------------


def _read_metadata(folder: Path) -> dict[str, Any]:
    """Return the attributes of products by their path, from the files beside the dialogues; empty without any."""
    metadata: dict[str, Any] = {}
    for path in sorted(folder.glob("*_prefab_metadata_all.json")):
        metadata |= json.loads(path.read_bytes())
    return metadata


def _read_simmc_dialogue(row: Mapping[str, Any], folder: Path, metadata: Mapping[str, Any]) -> Dialogue:
    """Return a dialogue of SIMMC 2: of every turn what the user says, then what the assistant answers.

    An utterance with objects is a reference to them; the words that refer are not marked.
    """
    scenes: dict[int, list[dict[str, Any]]] = {}
    for turn, scene in row["scene_ids"].items():
        # Its file is beside the dialogues or in `public`, or missing.
        paths = (place / f"{scene}_scene.json" for place in (folder, folder / "public"))
        parts: list[Any] = next((json.loads(path.read_bytes())["scenes"] for path in paths if path.is_file()), [])
        scenes[int(turn)] = [thing for part in parts for thing in part["objects"]]
    objects: dict[str, dict[str, str]] = {}
    events: list[Event] = []
    for turn in row["dialogue"]:
        for thing in scenes.get(turn["turn_idx"], ()):
            about = metadata.get(thing["prefab_path"], {})
            seen = {name: about[key] for key, name in VISIBLE.items() if isinstance(about.get(key), str)}
            objects[str(thing["index"])] = seen or {"name": str(thing["index"])}
            x, y, height, width = map(float, thing["bbox"])
            data = {"x": x + width / 2, "y": y + height / 2}
            events.append(Event(kind=POSITION, entities=(str(thing["index"]),), data=data))
        for by, name in ((USER, "transcript"), (ASSISTANT, "system_transcript")):
            if turn.get(name):
                utterance = sum(event.kind == UTTERANCE for event in events)
                events += _iterate_turn(by, turn[name], turn.get(f"{name}_annotated") or {}, utterance)
    for id in sorted({id for e in events for id in e.entities}, key=int):
        objects.setdefault(id, {"name": id})
    has_scenes = any(scenes.values())
    return Dialogue(
        id=f"simmc2-{row['dialogue_idx']}",
        pair=f"simmc2-{row['dialogue_idx']}",
        pieces=objects,
        events=tuple(events),
        language="en",
        # Simulated dialogues that people put into other words.
        synthetic=True,
        lacks=(TIMES, *(() if has_scenes else (POSITIONS, ATTRIBUTES)), SPANS),
        meta={"pointer": "none", "domain": row.get("domain")},
    )


def _iterate_turn(by: str, text: str, annotated: Mapping[str, Any], utterance: int) -> Iterator[Event]:
    """Yield an utterance, after the reference in it; one that may mean several objects is uncertain."""
    attributes = annotated.get("act_attributes") or {}
    # The description calls the field `object`, the files `objects`.
    meant = attributes.get("objects", attributes.get("object")) or ()
    candidates = annotated.get("disambiguation_candidates") or ()
    is_uncertain = annotated.get("disambiguation_label") == 1
    if ids := tuple(map(str, (candidates if is_uncertain else meant))):
        data = {"utterance": utterance, "uncertain": is_uncertain}
        yield Event(kind=EXPRESSION, by=by, text=text, entities=ids, data=data)
    yield Event(kind=UTTERANCE, by=by, text=text)


# -- PhotoBook -----------------------------------------------------------------------------------------------------------------


def _iterate_photobook_rounds(game: Mapping[str, Any]) -> Iterator[Dialogue]:
    """Yield every round of a game as a dialogue: both players' pictures, the chat, and the marks *common* or *different*.

    The logs have no references: which words are about which picture is not annotated in them.
    """
    for played in game["rounds"]:
        views = {by: tuple(pictures) for by, pictures in played["images"].items()}
        events: list[Event] = []
        zero, now = None, timedelta()
        for row in played["messages"]:
            form = "%H:%M:%S.%f" if "." in row["timestamp"] else "%H:%M:%S"
            time = datetime.strptime(row["timestamp"], form)
            zero = zero or time
            # The clock of the log has no date: after midnight it begins again.
            now = max(now, time - zero + timedelta(days=time < zero and (zero - time) > timedelta(hours=12)))
            t_ms, words = 1000 * now.total_seconds(), row["message"].split()
            if not row["message"].startswith("<"):
                about = {"by": row["speaker"], "start_ms": t_ms, "end_ms": t_ms}
                events.append(Event(kind=UTTERANCE, text=row["message"], data={"shown_ms": t_ms}, **about))
            elif words[0] == "<selection>" and len(words) == 3:
                mark = "common" if words[1] == "<com>" else "different"
                about = {"by": row["speaker"], "entities": (words[2],), "start_ms": t_ms}
                events.append(Event(kind=ACTION, data={"action": mark}, **about))
        yield Dialogue(
            id=f"photobook-{game['game_id']}-{played['round_nr'] + 1}",
            pair=f"photobook-{game['game_id']}",
            pieces={picture: {"name": picture} for pictures in views.values() for picture in pictures},
            events=tuple(events),
            language="en",
            sees=views,
            lacks=(POSITIONS, ATTRIBUTES, "references"),
            meta={"pointer": "none"},
        )
