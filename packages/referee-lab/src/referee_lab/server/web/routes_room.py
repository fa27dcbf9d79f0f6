"""Rooms over the network.

A web socket per person, `{seq, t_client, kind, data}` in, `{ack, events, status}` out, and sound in acknowledged
chunks.

The first message names the person: `{"hello": {"token", "tab", "step", "last"}}`; `last` is the number of the last line
received (−1 on a new page). A frame has one message or a list of them; `{"ping": t}` and `{"kind": "quit"}` come alone.
A ping is answered at once by `{"pong": t, "t_server": …}`; pages store such pairs as lines of kind `clock`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Annotated, Any, TypeGuard

from fastapi import APIRouter, Query, Request, WebSocket
from fastapi import Path as InPath
from sqlalchemy import Connection, select
from starlette.websockets import WebSocketDisconnect, WebSocketState

from referee.errors import InputError
from referee_lab.rooms.any_room import RoomLine
from referee_lab.rooms.bot_partners import create_partner
from referee_lab.rooms.hall import Hall, Live, Person
from referee_lab.rooms.sound import get_sound_path, store_sound
from referee_lab.server.sessions import kept_answers
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.served_study import Served
from referee_lab.server.store.schema import identity, participant
from referee_lab.server.web.callers import Participant, find_study, read_participant
from referee_lab.server.web.middleware import Rate
from referee_lab.study.protocols.contract import ROOM_PLUGINS
from referee_lab.study.protocols.room_protocol import INVITED
from referee_lab.tangram.game.board import CHANGES

router = APIRouter(prefix="/s/{study}/room", tags=["rooms"])
RATE = Rate(each_second=400, burst=4000)  # a fast screen with cursor and drag sends 288 messages a second
LONGEST_TEXT, MOST_POINTS = 1000, 240
LONGEST_SIGNAL = 20_000
# A page that reads nothing must not fill the server's memory; it can come back and catch up from the store.
UNSENT_FRAMES = 2000
_FRAME = json.JSONEncoder(separators=(",", ":"), allow_nan=False)  # made once: json.dumps would make one for each frame
_log = logging.getLogger("referee.studies")


def _get_room_manager(app: Any, served: Served) -> Hall:
    """Return the room manager of a study, opened on first use."""
    if served.study.kind.info.plugin not in ROOM_PLUGINS:
        raise Problem(409, "no-such-step", "This study has no rooms.")
    halls: dict[str, Hall] = app.state.halls
    if served.id not in halls:
        halls[served.id] = Hall(served, create_partner)
        halls[served.id].open()
    return halls[served.id]


class Socket:
    """A person's connection with its queue of unsent frames, which are sent together."""

    def __init__(self, websocket: WebSocket, actor: str) -> None:
        self.websocket, self.actor = websocket, actor
        self._frames: list[str] = []
        # The room manager calls `put` and does not wait for the network; a task of the socket sends.
        self._wake = asyncio.Event()
        self._last: tuple[str, str] | None = None
        self._pump = asyncio.create_task(self._run_sender())

    def put(self, events: Sequence[Mapping[str, Any]], **more: Any) -> None:
        """Queue events for the person; a connection with too many unsent frames is closed."""
        # Encoded now, for the room goes on changing while frames wait.
        self._frames.append(_FRAME.encode({**more, "events": events} if events else more))
        if len(self._frames) > UNSENT_FRAMES:
            self.cut("too-slow", "The connection is too slow.")
        self._wake.set()

    def cut(self, problem: str, message: str) -> None:
        self._last = (problem, message)
        self._wake.set()

    async def close(self) -> None:
        """Stop the sender and close the socket with the last problem."""
        self._pump.cancel()
        if self.websocket.client_state is WebSocketState.CONNECTED and self._last:
            await self._say_why()

    async def _say_why(self) -> None:
        """Send the reason and close the socket."""
        problem, message = self._last or ("", "")
        try:
            await self.websocket.send_text(json.dumps({"problem": problem, "message": message}))
            # 4000 and above are for applications; the reason was sent in words before.
            await self.websocket.close(4000)
        except (RuntimeError, WebSocketDisconnect):
            return  # closed already

    async def _run_sender(self) -> None:
        """Send queued frames until the connection closes."""
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                frames, self._frames = self._frames, []
                for text in frames:
                    await self.websocket.send_text(text)
                if self._last:
                    await self._say_why()
                    return
        except (RuntimeError, WebSocketDisconnect):
            return  # the reading side notices and tells the hall


@router.websocket("/{room}")
async def play(websocket: WebSocket, study: str, room: str) -> None:
    """Handle a person's connection to a room, from the greeting to its end."""
    await websocket.accept()
    try:
        served = find_study(websocket.app.state.studies, study)
        person, last = await _read_greeting(websocket, served)
        hall = _get_room_manager(websocket.app, served)
        link = Socket(websocket, person.session)
    except Problem as problem:
        await _send_refusal(websocket, problem)
        return
    except (WebSocketDisconnect, RuntimeError):
        return
    live = None
    try:
        live = await hall.enter(person, link, last)
        await _handle_messages(websocket, hall, live, link)
    except (WebSocketDisconnect, RuntimeError):
        pass  # gone; the hall gives them time to come back
    except Problem as problem:
        link.cut(problem.problem, problem.message)
    finally:
        if live is not None:
            hall.handle_disconnect(live, link)
        await link.close()


async def _send_refusal(websocket: WebSocket, problem: Problem) -> None:
    """Send a refusal and close the socket."""
    try:
        await websocket.send_text(json.dumps(problem.body()))
        await websocket.close(4000)
    except (RuntimeError, WebSocketDisconnect):
        return  # the client is gone


async def _read_greeting(websocket: WebSocket, served: Served) -> tuple[Person, int]:
    """Return the person that a socket's first message names, and the number of their last line."""
    # In the first message, because browsers set no headers here and addresses end up in logs. A socket without
    # identification is closed.
    hello = _parse_object(await asyncio.wait_for(websocket.receive_text(), 30)).get("hello")
    if not isinstance(hello, dict):
        raise Problem(422, "malformed", 'The first message must name the person: {"hello": {…}}.')
    token, tab, step, last = (hello.get(name) for name in ("token", "tab", "step", "last"))
    if not isinstance(token, str) or not isinstance(tab, str) or not _is_whole(step) or not _is_whole(last, -1):
        raise Problem(422, "malformed", "The first message gives token, tab, step and last.")
    caller = read_participant(served, websocket.app.state.limits, token, tab)
    return await asyncio.to_thread(_load_person, served, caller.session, tab, step), last


def _load_person(served: Served, session: str, tab: str, step: int) -> Person:
    """Return the person of a room's socket: session, alias, step and pair.

    Raises Problem if they may not enter.
    """
    with served.store.read() as connection:
        row = kept_answers.load_session(connection, served, session)
        kept_answers.require_permission(served, row, tab)
        alias = connection.scalar(select(participant.c.alias).where(participant.c.id == row.participant))
        pair = _get_pair(connection, served, row.participant)
    outline = served.outline(row.list, row.plan_seed, row.study_hash)
    planned = outline.step(step)
    if planned is None or planned.plugin not in ROOM_PLUGINS:
        raise Problem(409, "no-such-step", "The plan has no room at this place.")
    trial = planned.stimulus.trial.id if planned.stimulus else ""
    return Person(session, alias or "", row.mode, step, planned.kind == "practice", pair, trial, planned.shown.labels)


def _get_pair(connection: Connection, served: Served, person: str) -> str:
    """Return the pair or group of a person: the part before the / in the label of their link.

    Empty if anyone meets anyone.
    """
    if served.study.settings["pairing"] != INVITED:
        return ""
    label = connection.scalar(select(identity.c.external_id).where(identity.c.participant == person)) or ""
    pair = label.rpartition("/")[0]
    if not pair:
        raise Problem(403, "not-invited", "This link belongs to no pair. Please use the link that you were given.")
    return pair


async def _handle_messages(websocket: WebSocket, hall: Hall, live: Live, link: Socket) -> None:
    """Handle messages of a person until the connection closes."""
    while True:
        frame = _parse_json(await websocket.receive_text())
        messages = frame if isinstance(frame, list) else [frame]
        # By message and not by frame, or a long list would be free.
        RATE.take(link.actor, max(1, len(messages)))
        # First of all, so that the measured time includes as little as possible.
        if isinstance(frame, dict) and "ping" in frame:
            link.put((), pong=_check_number(frame["ping"]), t_server=hall.now_ms())
            continue
        # A newer connection has replaced this one; its late messages would interleave.
        if live.links.get(link.actor) is not link:
            raise Problem(409, "other-connection", "This page was connected again.")
        if isinstance(frame, dict) and "signal" in frame:
            hall.relay_signal(live, link.actor, _check_signal(frame["signal"], live))
            continue
        try:
            if isinstance(frame, dict) and frame.get("kind") == "quit":
                hall.quit(live, link.actor)
            else:
                hall.take(live, link.actor, (_make_line(link.actor, message) for message in messages))
        except (ValueError, InputError) as error:
            raise Problem(422, "not-allowed", str(error)) from None


def _check_signal(signal: Any, live: Live) -> Mapping[str, Any]:
    """Return a WebRTC signal between two pages.

    Raises Problem unless the room has voices and the signal is short.
    """
    if not live.room.settings.get("voice"):
        raise Problem(422, "not-allowed", "There is no sound in this room.")
    if (
        not isinstance(signal, dict)
        or not set(signal) <= {"description", "candidate", "to"}
        or not isinstance(signal.get("to", 0), int)
        or len(_FRAME.encode(signal)) > LONGEST_SIGNAL
    ):
        raise Problem(422, "malformed", "A signal has a description or a candidate, and the seat it is for.")
    return signal


def _make_line(actor: str, message: Any) -> RoomLine:
    """Return a message as the line of the log that it becomes."""
    if not isinstance(message, dict):
        raise Problem(422, "malformed", "A message is an object.")
    if not _is_whole(message.get("seq"), 1):
        raise Problem(422, "malformed", "A message has a number.")
    kind, data = accept(message.get("kind"), message.get("data"))
    return RoomLine(actor, kind, data, client_seq=message["seq"], t_client=_check_number(message.get("t_client")))


# -- permitted messages ------------------------------------------------------------------------------------------------


def accept(kind: Any, data: Any) -> tuple[str, Mapping[str, Any]]:
    """Return a message's checked kind and data. Raises ValueError for unknown fields."""
    if not isinstance(kind, str) or not isinstance(data, dict):
        raise ValueError("a message has a kind, and data that is an object")
    if kind in CHANGES:
        # Whether values are right is asked where changes are made (`Change.from_data`).
        return kind, {name: data.get(name) for name in ("piece", "x", "y", "rotation", "flipped")}
    if kind in _KINDS:
        return kind, _KINDS[kind](data)
    raise ValueError(f"there is no message of kind {str(kind)[:40]!r}")


def _check_cursor(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return checked cursor points. Raises ValueError for invalid ones."""
    points = data.get("points")
    if not isinstance(points, list) or not 0 < len(points) <= MOST_POINTS:
        raise ValueError(f"a cursor message must have 1 to {MOST_POINTS} points")
    if not all(isinstance(point, list) and len(point) == 3 for point in points):
        raise ValueError("a point is [dt_ms, x, y]")
    rounded = [[round(_check_number(value), 2) for value in point] for point in points]
    # Points lie before the message that carries them.
    if any(point[0] > 0 for point in rounded):
        raise ValueError("a point has a dt_ms that is not above 0")
    return {"points": rounded}


def _check_chat(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a checked chat message with its typing times. Raises ValueError for an invalid one."""
    text = data.get("text")
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_TEXT:
        raise ValueError(f"a text has 1 to {LONGEST_TEXT} characters")
    text.encode("utf-8")  # half a character cannot be stored
    times = {name: _check_number(data.get(name)) for name in ("typing_start_ms", "typing_end_ms")}
    return {"text": text, **times, "keystrokes": int(_check_number(data.get("keystrokes")))}


def _check_clock(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _check_number(data.get(name)) for name in ("sent_ms", "received_ms", "server_ms")}


def _check_choice(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a checked choice: the object and the round (late choices do not count)."""
    chosen, round_ = data.get("object"), data.get("round")
    if not isinstance(chosen, str) or not _is_whole(round_):
        raise ValueError("a choice names an object and a round")
    return {"object": chosen[:40], "round": round_}


_KINDS: Mapping[str, Any] = {
    "choose": _check_choice,
    "cursor": _check_cursor,
    "say": _check_chat,
    "typing": lambda data: {"typing": data.get("typing") is True},
    "clock": _check_clock,
    "ready": lambda data: {},
    "call": lambda data: {
        "state": str(data.get("state", ""))[:20],
        **{name: _check_number(data[name]) for name in ("lost", "received", "jitter_ms") if name in data},
    },
}


def _check_number(value: Any) -> float:
    """Return a finite number. Raises Problem for anything else."""
    # Booleans are integers in Python, and JSON as Python reads it has NaN.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise Problem(422, "malformed", "A number is missing.")
    return value


def _is_whole(value: Any, low: int = 0) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= 10**9


def _parse_json(text: str) -> Any:
    """Return a frame as parsed JSON. Raises Problem if it does not parse."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Problem(422, "malformed", "A message is JSON.") from None


def _parse_object(text: str) -> dict[str, Any]:
    content = _parse_json(text)
    return content if isinstance(content, dict) else {}


# -- sound -----------------------------------------------------------------------------------------------------------------


@router.put("/{room}/voice/{chunk}")
async def put_voice(
    request: Request,
    caller: Participant,
    room: Annotated[str, InPath(max_length=36)],
    chunk: Annotated[int, InPath(ge=0, le=100_000)],
    start_ms: Annotated[float, Query(allow_inf_nan=False)],
    end_ms: Annotated[float, Query(allow_inf_nan=False)],
    part: Annotated[int, Query(ge=0, le=100_000)] = 0,
    puzzle: Annotated[int, Query(ge=0, le=1000)] = 0,
) -> dict[str, Any]:
    """Store a chunk of a person's sound on disk and in the room's log, then acknowledge it.

    Repeats are acknowledged again.
    """
    hall = _get_room_manager(request.app, caller.served)
    # The last chunk of a game may arrive after all players have left the room.
    live = hall.find_room_of_session(room, caller.session)
    if live is None or not live.room.settings.get("voice"):
        raise Problem(409, "no-voice", "There is no such room here, or it has no sound.")
    content = await request.body()
    digest = hashlib.sha256(content).hexdigest()
    path = get_sound_path(caller.served.study.folder, room, live.room.get_seat(caller.session).name, chunk)
    # The file first: a line in the log must never point to nothing.
    if await asyncio.to_thread(store_sound, path, content):
        about = {"chunk": chunk, "name": path.name, "sha256": digest, "start_ms": start_ms, "end_ms": end_ms}
        about |= {"part": part, "puzzle": puzzle}
        await hall.note(live, caller.session, "voice", about)
        if live.broken:
            raise Problem(503, "storage", "The sound could not be stored just now; it is sent again.")
    return {"saved": True, "chunk": chunk, "sha256": digest}
