"""Dialogues to watch, annotate or cut clips from.

A recording of a game with its tiers, or a dialogue of a corpus, which has tiers only.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from referee.errors import InputError
from referee_lab.tangram.game.dialogue_film import make_dialogue_film
from referee_lab.tangram.game.film import make_film
from referee_lab.tangram.game.log import Recording, is_recording_header, parse_recording, track_positions
from referee_lab.tangram.game.recorded_sound import embed_sounds
from referee_lab.tangram.json_lines import decode_text
from referee_lab.tangram.tiers import dialogue_form
from referee_lab.tangram.tiers.dialogue import Dialogue
from referee_lab.tangram.tiers.expressions import Positions
from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue

# In the first line of a dialogue the form may stand behind the objects.
HEADER_BYTES = 65_536


class DialogueSession(NamedTuple):
    """A dialogue, its recording of the board if there is one, and the folder with its sounds."""

    recording: Recording | None
    dialogue: Dialogue
    sounds: Path | None = None

    def build_film(self) -> dict[str, Any]:
        """Return the film of the session with its voices, from stored states or from events."""
        if self.recording is None:
            end = max((e.end_ms or e.start_ms or 0.0 for e in self.dialogue.events), default=0.0)
            # An event at the very end is part of it.
            return make_dialogue_film(self.dialogue, 0.0, end + 1.0)
        film = make_film(self.recording)
        return film if self.sounds is None else film | {"sounds": embed_sounds(self.recording, self.sounds)}

    def positions(self) -> Positions | None:
        """Return a function from a time to the positions of the pieces; None if positions are unknown."""
        return None if self.recording is None else track_positions(self.recording)


def is_dialogue(path: Path) -> bool:
    """Return whether a file declares itself a dialogue of events, and not the log of a board game."""
    return not is_recording(path) and f'"{dialogue_form.FORMAT}"' in _read_beginning(path)


def is_recording(path: Path) -> bool:
    """Return whether a file declares itself a recording: the log of a board game."""
    try:
        return is_recording_header(json.loads(_read_beginning(path).partition("\n")[0]))
    except ValueError:
        return False


def _read_beginning(path: Path) -> str:
    """Return the beginning of a file; of one JSON object, whose fields are in any order, the whole."""
    with path.open("rb") as file:
        content = file.read(None if path.suffix == ".json" else HEADER_BYTES)
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return content.decode(encoding, "ignore")


def read_session(path: Path) -> DialogueSession:
    """Return a session from the file of a recording or of a dialogue's tiers (.jsonl)."""
    try:
        if is_dialogue(path):
            text = decode_text(path.read_bytes(), str(path))
            return DialogueSession(None, dialogue_form.read_dialogue(text, str(path)))
        recording = parse_recording(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path, remedy="name a recording (.jsonl)") from None
    return DialogueSession(recording, convert_to_dialogue(recording), path.parent)
