"""Many participants at once over real connections, who send each answer again until it is acknowledged, and a server process that can be killed under them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

Lost = (OSError, EOFError, asyncio.IncompleteReadError, asyncio.TimeoutError)


@dataclass
class Wire:
    """A keep-alive connection that speaks just enough HTTP to cost the measuring machine little."""

    port: int
    timeout: float = 30.0
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(
        self, method: str, path: str, headers: dict[str, str], body: Any = None
    ) -> tuple[int, dict[str, Any]]:
        used_before = self._streams is not None
        try:
            return await asyncio.wait_for(self._ask(method, path, headers, body), self.timeout)
        except BaseException as error:
            self.close()
            if not (used_before and isinstance(error, asyncio.IncompleteReadError) and not error.partial):
                raise
        return await self.ask(
            method, path, headers, body
        )  # the server had closed an idle connection: browsers try again, too

    async def _ask(self, method: str, path: str, headers: dict[str, str], body: Any) -> tuple[int, dict[str, Any]]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self._streams
        content = b"" if body is None else json.dumps(body).encode()
        lines = [
            f"{method} {path} HTTP/1.1",
            "Host: 127.0.0.1",
            "Content-Type: application/json",
            f"Content-Length: {len(content)}",
        ]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(head.split("content-length:")[1].split("\r\n")[0])
        reply = await reader.readexactly(length)
        return int(head.split(" ", 2)[1]), json.loads(reply)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


@dataclass
class Member:
    """One of the crowd. `acknowledged` are the answers it was told are stored."""

    study: str
    wire: Wire
    rng: Random
    tab: str = field(default_factory=lambda: str(uuid.uuid4()))
    token: str = ""
    acknowledged: dict[str, dict[str, Any]] = field(default_factory=dict)
    code: str = ""
    platform: dict[str, str] = field(default_factory=dict)

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, dict[str, Any]]:
        """Asked again, with pauses, until there is an answer that is not about trouble on the way."""
        headers = {"X-Referee-Tab": self.tab, **({"Authorization": f"Bearer {self.token}"} if self.token else {})}
        while True:
            try:
                status, said = await self.wire.ask(method, f"/s/{self.study}/api/{path}", headers, body)
            except Lost:
                await asyncio.sleep(0.05 + 0.1 * self.rng.random())
                continue
            if status < 500 and status != 429:
                return status, said
            await asyncio.sleep(0.05 + 0.1 * self.rng.random())

    async def begin(self) -> dict[str, Any]:
        _, said = await self.ask("POST", "enter", {"tab": self.tab, "platform": self.platform})
        self.token = said["token"]
        status, said = await self.ask("POST", "consent", {"agree": True, "hash": said["consent"]["hash"]})
        assert status == 200, said
        status, plan = await self.ask("GET", "plan")
        assert status == 200, plan
        return plan

    async def take_part(self, pause: float = 0.0) -> None:
        plan = await self.begin()
        for step in plan["steps"]:
            if step["saved"]:
                name, body = str(uuid.uuid4()), answer_to(step, self.rng)
                status, said = await self.ask("PUT", f"trials/{name}", body)
                assert status in (200, 201), said
                assert said["saved"] is True
                self.acknowledged[name] = body
                if pause:
                    await asyncio.sleep(pause * self.rng.random())
        status, said = await self.ask("POST", "finish")
        assert status == 200, said
        self.code = said["code"]


def answer_to(step: dict[str, Any], rng: Random) -> dict[str, Any]:
    """Some answer that fits what the public plan shows."""
    if step["plugin"] == "form":
        given: dict[str, Any] = {"answer": {"fields": {}}, "times": {}}
    else:
        chosen = rng.choice(step["parameters"]["entities"])["id"]
        given = {
            "answer": {
                "outcome": "entity",
                "entity": chosen,
                "guess": None,
                "repeats": 0,
                "corrected": False,
                "pointer": "mouse",
                "trusted": True,
            },
            "times": {
                name: 1000 * rng.random()
                for name in ("reading_ms", "identification_ms", "t_request", "t_frame", "t_onset", "t_response")
            },
        }
    return {"index": step["index"], "attempt": 1, "state": "done", "flags": [], "sent_ms": rng.random(), **given}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class ServerProcess:
    """`referee study serve` as a process of its own."""

    folder: Path
    port: int
    database: str | None = None
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            sys.executable,
            "-m",
            "referee.cli",
            "study",
            "serve",
            str(self.folder),
            "--port",
            str(self.port),
            "--no-qr",
        ]
        if not (Path(__file__).parents[2] / "packages/referee/src/referee/cli/__main__.py").exists():
            command[1:3] = ["-c", "import sys; from referee.cli import main; sys.exit(main())"]
        if self.database:
            command += ["--database", self.database]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)

    def answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=0.2).close()
        except OSError:
            return False
        return True

    def wait_until_up(self, seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while not self.answers():
            assert self.process is not None
            if self.process.poll() is not None:
                assert self.process.stderr is not None
                raise RuntimeError(self.process.stderr.read().decode())
            if time.monotonic() > end:
                raise RuntimeError("the server does not come up")
            time.sleep(0.05)

    def kill(self) -> None:
        """As a power cut would: no good-byes."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(how)
        self.process.wait(timeout=60)
        assert self.process.stderr is not None
        self.process.stderr.close()


async def crowd_with_kills(
    server: ServerProcess, study: str, people: int, kills: int, pause: float, seed: int = 1
) -> list[Member]:
    """Everybody takes part while the server is killed and started again `kills` times at random moments."""
    rng = Random(seed)
    crowd = [Member(study, Wire(server.port), Random(f"{seed} {n}")) for n in range(people)]
    killer = asyncio.create_task(_kill_now_and_then(server, crowd, kills, rng))
    await asyncio.gather(*(member.take_part(pause) for member in crowd))
    await killer
    for member in crowd:
        member.wire.close()
    return crowd


async def _kill_now_and_then(server: ServerProcess, crowd: list[Member], kills: int, rng: Random) -> None:
    """Kills are spread over the answers that come in, so that each falls into busy times however fast the machine is."""
    for number in range(kills):
        before = sum(len(member.acknowledged) for member in crowd)
        await _until(lambda before=before: sum(len(m.acknowledged) for m in crowd) > before + len(crowd) // 2)
        await asyncio.sleep(0.2 * rng.random())
        await asyncio.to_thread(server.kill)
        server.start()
        await asyncio.to_thread(server.wait_until_up)
        if all(member.code for member in crowd):
            raise AssertionError(f"everybody had finished before kill {number + 1}")


async def _until(true: Callable[[], bool], step: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
    while not true():
        await step(0.01)
