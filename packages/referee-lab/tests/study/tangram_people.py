"""People in Tangram rooms at the level of the protocol: each message is sent until it is acknowledged, over connections that may be torn at any time."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from crowd import Member, Wire
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidMessage

from referee_lab.rooms.room_store import read_recordings
from referee_lab.server.store.store import Store
from referee_lab.tangram.game.log import Recording

# InvalidMessage: the server was killed while it answered the handshake.
Refused = (OSError, ConnectionClosed, InvalidMessage, asyncio.TimeoutError, EOFError)


@dataclass
class Player:
    """A page, as far as the server can tell. `seen` are the lines it was told, in the order in which it took them in."""

    port: int
    study: str
    rng: Random
    step: int = 1
    seq: int = 0
    acknowledged: int = 0
    last: int = -1
    member: Member | None = None
    room: str = "any"
    status: dict[str, Any] = field(default_factory=dict)
    seen: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    connections: int = 0
    unacknowledged: dict[int, dict[str, Any]] = field(default_factory=dict)
    platform: dict[str, str] = field(default_factory=dict)
    on_event: Callable[[dict[str, Any]], None] | None = None
    _socket: ClientConnection | None = None
    _running: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Into the study and into a room."""
        self.member = Member(self.study, Wire(self.port), self.rng, platform=self.platform)
        plan = await self.member.begin()
        rooms = ("tangram", "reference-game")
        steps = [s["index"] for s in plan["steps"] if s["plugin"] in rooms and s["kind"] == "trial"]
        self.step = steps[0]
        self._running = asyncio.create_task(self._stay())

    async def _stay(self) -> None:
        while True:
            try:
                await self._visit()
            except Refused:
                await asyncio.sleep(0.01 + 0.04 * self.rng.random())

    async def _visit(self) -> None:
        assert self.member is not None
        address = f"ws://127.0.0.1:{self.port}/s/{self.study}/room/{self.room}"
        async with connect(address, compression=None, ping_interval=None, open_timeout=60) as socket:
            hello = {"token": self.member.token, "tab": self.member.tab, "step": self.step, "last": self.last}
            await socket.send(json.dumps({"hello": hello}))
            self.connections += 1
            greeted = False
            async for text in socket:
                said = json.loads(text)
                self._take(said)
                if "status" in said and not greeted:
                    greeted = True
                    if self.last < 0:  # as a new page: what came before is in the status
                        self.last = said["status"]["seq"]
                    waiting = [self.unacknowledged[n] for n in sorted(self.unacknowledged)]
                    for first in range(0, len(waiting), 100):
                        await socket.send(json.dumps(waiting[first : first + 100]))
                    self._socket = socket
            self._socket = None

    def _take(self, said: dict[str, Any]) -> None:
        for event in said.get("events", ()):
            if event["server_seq"] > self.last:
                self.last = event["server_seq"]
                self.seen.append(event)
                if self.on_event:
                    self.on_event(event)
        if "ack" in said:
            self.acknowledged = max(self.acknowledged, said["ack"])
            for number in [n for n in self.unacknowledged if n <= self.acknowledged]:
                del self.unacknowledged[number]
        if "status" in said:
            self.status = said["status"]
            self.room = self.status["room"]
        if "problem" in said:
            self.problems.append(said["problem"])

    def send(self, kind: str, **data: Any) -> int:
        """Number a message and send it; what does not arrive goes again with the next connection."""
        self.seq += 1
        message = {"seq": self.seq, "t_client": 1000 * time.perf_counter(), "kind": kind, "data": data}
        self.unacknowledged[self.seq] = message
        if self._socket is not None:
            socket = self._socket
            asyncio.get_running_loop().create_task(self._try(socket, json.dumps(message)))
        return self.seq

    async def _try(self, socket: ClientConnection, text: str) -> None:
        try:
            await socket.send(text)
        except Refused:
            return

    def tear(self) -> None:
        """The network is gone: no good-byes."""
        if self._socket is not None:
            self._socket.transport.abort()
            self._socket = None

    async def until(self, condition: Callable[[], bool], seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"waited in vain; {self.status.get('phase')}, {self.problems[-3:]}")
            await asyncio.sleep(0.005)

    async def settled(self) -> None:
        """Everything that was sent is acknowledged."""
        await self.until(lambda: not self.unacknowledged)

    @property
    def role(self) -> str:
        return str(self.status.get("role", ""))

    async def end(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        if self.member is not None:
            self.member.wire.close()


async def pair(port: int, study: str, seed: int = 1) -> tuple[Player, Player]:
    """Two people in one room, with the puzzle begun: operator and solver."""
    one, two = (Player(port, study, Random(seed + n)) for n in (0, 1))
    await one.begin()
    await one.until(lambda: one.status.get("phase") == "waiting")
    await two.begin()
    for player in (one, two):
        await player.until(lambda player=player: player.status.get("phase") == "playing")
    return (one, two) if one.role == "operator" else (two, one)


def say(player: Player, text: str) -> int:
    return player.send("say", text=text, typing_start_ms=1.0, typing_end_ms=2.0, keystrokes=len(text))


def load_recordings(store: Store, room: str) -> list[Recording]:
    """The recording of every puzzle that was begun in a room."""
    with store.read() as connection:
        return read_recordings(connection, room)
