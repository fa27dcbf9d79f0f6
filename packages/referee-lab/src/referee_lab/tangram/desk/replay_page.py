"""The replay of a recording as one self-contained page: stored states and sounds, without network access."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from referee.errors import UnknownName
from referee_lab.server.web.built_pages import STATIC, require_pages
from referee_lab.tangram.game.dialogue_film import track_recorded_positions
from referee_lab.tangram.game.dialogue_sessions import DialogueSession
from referee_lab.tangram.game.goals import find_goal, format_outline
from referee_lab.tangram.game.log import Recording, find_faults
from referee_lab.tangram.tiers.dialogue import Dialogue

_STYLE = re.compile(r'<link rel="stylesheet" href="[^"]*">')
_SCRIPT = re.compile(r'<script defer src="[^"]*"></script>')


def build_session_page(session: DialogueSession, static: Path = STATIC) -> str:
    """Return the page for a session: a recording, or a dialogue drawn from its events."""
    recording, film, name = session.recording, session.build_film(), session.dialogue.id
    goal = None
    if recording is not None:
        with suppress(UnknownName):
            goal = find_goal(recording.header.goal, recording.header.settings.get("goals", ()))
    data = {
        "title": f"Replay of {name}",
        "facts": _list_dialogue_facts(session.dialogue, film)
        if recording is None
        else _list_recording_facts(recording, film),
        "goal": None if goal is None else {"name": goal.name, "path": format_outline(goal)},
        "film": film,
    }
    return build_inline_page("replay", data, title=f"Replay of {name}", static=static)


def _list_dialogue_facts(dialogue: Dialogue, film: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the facts about a dialogue for the page's header."""
    return [
        ("pair", dialogue.pair),
        ("length", f"{film['end_ms'] / 1000:.1f} s"),
        ("events", f"{len(dialogue.events):,}"),
        *([] if track_recorded_positions(dialogue) else [("pieces", "drawn in rows, not where they lay")]),
        *([("players", "simulated")] if dialogue.synthetic else []),
    ]


def _list_recording_facts(recording: Recording, film: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the facts about a recording for the page's header: pair, length, outcome, faults."""
    header, wrong = recording.header, find_faults(recording)
    kinds = [entry.kind for entry in recording.entries]
    outcome = next((kind for kind in ("solved", "timeout") if kind in kinds), "unfinished")
    facts = [
        ("pair", header.pair),
        ("length", f"{film['end_ms'] / 1000:.1f} s"),
        ("events", f"{len(recording.entries):,}"),
        ("end", outcome),
    ]
    if header.synthetic:
        facts.append(("players", "simulated"))
    return [*facts, ("faults", f"{len(wrong)}: {wrong[0]}")] if wrong else facts


def build_inline_page(name: str, data: Any, *, title: str, static: Path = STATIC) -> str:
    """Return a built page with its style, script and data inline, under a strict security policy."""
    require_pages(name, static=static)
    shell, style, script = ((static / f"{name}.{kind}").read_text("utf-8") for kind in ("html", "css", "js"))
    # A text in the script must not close its element. Before hashing, because the hash is of the final text.
    script = script.replace("</script", "<\\/script")
    policy = (
        f"default-src 'none'; script-src 'sha256-{_hash_content(script)}'; style-src 'sha256-{_hash_content(style)}'; "
        "img-src data:; media-src data:; base-uri 'none'; form-action 'none'"
    )
    # data must not close their element
    held = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    head = f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n<style>{style}</style>'
    body = f'<script type="application/json" id="data">{held}</script>\n<script>{script}</script>\n</body>'
    page = _SCRIPT.sub("", _STYLE.sub(lambda _: head, shell))
    page = re.sub(r"<title>.*?</title>", lambda _: f"<title>{escape(title)}</title>", page)
    return page.replace("</body>", body)


def _hash_content(content: str) -> str:
    return b64encode(sha256(content.encode()).digest()).decode()
