"""Tangram rooms under load: pairs whose operators move their cursor at 60 Hz (and drag for part of the time), and how long until the partner has it.

    python benchmarks/tangram_relay.py                  50 pairs for 20 s
    python benchmarks/tangram_relay.py --pairs 10 --seconds 5
    python benchmarks/tangram_relay.py --pages          two Chromium pages: from a key press to the other page

Latency is counted for every point of the cursor, from the moment it was due to the moment the partner's end has read it, so that neither a slow sender nor
waiting for company can hide anything; every message is on the disk of the server before it is relayed. All traffic stays on this machine; the players run in
processes of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "packages" / "referee-lab" / "tests" / "study"))

import uvloop
from crowd import Member, ServerProcess, Wire, free_port

FRAME = 1 / 60
FRAMES_A_PACKET = 2


class Page(asyncio.Protocol):
    """A page's socket that speaks just enough of the protocol to cost the measuring machine little."""

    def __init__(self) -> None:
        self.buffer = b""
        self.open = False
        self.status: dict[str, Any] = {}
        self.acknowledged = 0
        self.hear: Callable[[dict[str, Any]], None] | None = None
        self.transport: asyncio.Transport | None = None

    async def enter(self, port: int, number: int) -> None:
        """Into the study, and into a room; done when somebody else is there too."""
        member = Member("relay", Wire(port), Random(number))
        plan = await member.begin()
        step = next(s["index"] for s in plan["steps"] if s["plugin"] == "tangram")
        self.transport, _ = await asyncio.get_running_loop().create_connection(lambda: self, "127.0.0.1", port)  # type: ignore[assignment]
        head = "Host: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
        key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
        self._write(f"GET /s/relay/room/any HTTP/1.1\r\n{head}\r\n{key}\r\n\r\n".encode())
        await self.until(lambda: self.open)
        hello = {"token": member.token, "tab": member.tab, "step": step, "last": -1}
        self.send({"hello": hello})
        await self.until(lambda: bool(self.status))
        member.wire.close()

    async def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + 60
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(str(self.status)[:200])
            await asyncio.sleep(0.005)

    def _write(self, content: bytes) -> None:
        assert self.transport is not None
        self.transport.write(content)

    def send(self, message: Any) -> None:
        """A text frame; a mask of zeros leaves the text as it is."""
        content = json.dumps(message, separators=(",", ":")).encode()
        size = bytes([0x80 | len(content)]) if len(content) < 126 else b"\xfe" + len(content).to_bytes(2, "big")
        self._write(b"\x81" + size + b"\0\0\0\0" + content)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.open:
            head, found, rest = self.buffer.partition(b"\r\n\r\n")
            if not found:
                return
            assert b" 101 " in head, head
            self.open, self.buffer = True, rest
        while (text := self._next()) is not None:
            self._take(json.loads(text))

    def _next(self) -> bytes | None:
        if len(self.buffer) < 2:
            return None
        size, start = self.buffer[1], 2
        if size == 126:
            size, start = int.from_bytes(self.buffer[2:4], "big"), 4
        elif size == 127:
            size, start = int.from_bytes(self.buffer[2:10], "big"), 10
        if len(self.buffer) < start + size:
            return None
        kind, text = self.buffer[0] & 15, self.buffer[start : start + size]
        self.buffer = self.buffer[start + size :]
        if kind == 9:  # are you there?
            self._write(bytes([0x8A, 0x80 | size]) + b"\0\0\0\0" + text)
        return text if kind == 1 else self._next()

    def _take(self, said: dict[str, Any]) -> None:
        self.status = said.get("status", self.status)
        self.acknowledged = max(self.acknowledged, said.get("ack", 0))
        if self.hear:
            for event in said.get("events", ()):
                self.hear(event)

    def close(self) -> None:
        if self.transport is not None:
            self.transport.abort()


class Operator:
    """Sends as a page does on a wire without distance: cursor and drag go every second frame, and not while a packet is under way."""

    def __init__(self, page: Page, start: float, eager: bool) -> None:
        self.page, self.start, self.eager = page, start, eager
        self.seq = page.acknowledged
        self.packets = self.frames = 0
        self.last = False
        self.changes: list[tuple[str, dict[str, Any]]] = []
        self.points: list[list[float]] = []

    async def play(self, seconds: float, rng: Random, drag: float) -> None:
        due, dragging = self.start + FRAME * rng.random(), False
        while due < self.start + seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            x, y = round(1200 * rng.random(), 2), round(800 * rng.random(), 2)
            if rng.random() < (0.01 if dragging else 0.01 * drag / (1 - drag)):
                self.changes.append(("release" if dragging else "grab", {"piece": "3"}))
                dragging = not dragging
            if dragging:
                self.changes.append(("move", {"piece": "3", "x": x, "y": y}))
            self.points.append([due, 1000 * (due - self.start), y])  # the partner's end reads off it when it was due
            self.frames += 1
            self.flush()
            due += FRAME
        if self.points:
            self.last = True
            self.flush()
        await self.page.until(lambda: self.page.acknowledged == self.seq)

    def flush(self) -> None:
        patient = not self.eager and not self.last and all(kind == "move" for kind, _ in self.changes)
        if patient and (len(self.points) < FRAMES_A_PACKET or self.page.acknowledged < self.seq):
            return
        latest = self.points[-1][0]
        points = [[round(1000 * (t - latest), 2), x, y] for t, x, y in self.points]
        about = [*self.changes, ("cursor", {"points": points})]
        self.changes, self.points = [], []
        t_client = 1000 * (latest - self.start)
        self.page.send(
            [{"seq": self.seq + n, "t_client": t_client, "kind": k, "data": d} for n, (k, d) in enumerate(about, 1)]
        )
        self.seq += len(about)
        self.packets += 1


async def measure(
    port: int, pairs: int, seconds: float, first: int, drag: float, eager: bool, server: int
) -> dict[str, Any]:
    people: list[tuple[Page, Page]] = []
    for number in range(pairs):
        both = Page(), Page()
        for page in both:
            await page.enter(port, first + number)
        for page in both:
            await page.until(lambda page=page: page.status.get("phase") == "playing")
        people.append(both if both[0].status["role"] == "operator" else (both[1], both[0]))
    start = time.perf_counter() + 0.5
    taken: list[float] = []

    def hear(event: dict[str, Any]) -> None:
        if event["kind"] == "cursor":
            now = time.perf_counter() - start
            taken.extend(now - due / 1000 for _, due, _ in event["data"]["points"])

    for _, solver in people:
        solver.hear = hear
    operators = [Operator(page, start, eager) for page, _ in people]
    work = [operator.play(seconds, Random(n), drag) for n, operator in enumerate(operators)]
    before = spent(server)
    await asyncio.gather(*work)
    used = [now - then for now, then in zip(spent(server), before, strict=True)]
    await asyncio.sleep(0.3)
    for both in people:
        for page in both:
            page.close()
    sent = {name: sum(getattr(o, name) for o in operators) for name in ("frames", "packets", "seq")}
    return {**sent, "taken": taken, "used": used}


def cpu_seconds(pid: int) -> float:
    """What a process has used of the processors so far (Linux; 0 elsewhere)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spent(server: int) -> tuple[float, float, float]:
    """Seconds of a processor so far: of the server, of this process, of nobody on this machine."""
    return cpu_seconds(server), cpu_seconds(os.getpid()), stolen_seconds()


def stolen_seconds() -> float:
    """What the host of a virtual machine has kept from its processors so far: with more than a little of it, times say nothing (Linux; 0 elsewhere)."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    except OSError:
        return 0.0
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")


def play(
    port: int, server: int, pairs: int, seconds: float, processes: int, drag: float, eager: bool
) -> list[dict[str, Any]]:
    players = []
    for n in range(processes):
        mine = pairs // processes + (n < pairs % processes)
        numbers = (port, mine, seconds, 1000 * n, drag, int(eager), server)
        players.append(
            subprocess.Popen([sys.executable, __file__, "--play", *map(str, numbers)], stdout=subprocess.PIPE)
        )
        time.sleep(0.5)
    return [json.loads(player.communicate()[0]) for player in players]


WATCH = """(piece) => {
  window.seen = [];
  const group = document.querySelector(`[data-piece="${piece}"] .board-turn`);
  new MutationObserver(() => seen.push([performance.timeOrigin + performance.now(), group.getAttribute("transform")])).observe(group, { attributes: true });
}"""
PRESS = """async (times) => {
  const pressed = [];
  const state = () => document.querySelector('[data-piece="3"] .board-turn').getAttribute("transform");
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "3" }));
  for (let i = 0; i < times; i++) {
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "r" }));
    const time = performance.timeOrigin + performance.now();
    await new Promise((resolve) => setTimeout(resolve, 50 + 30 * Math.random()));
    pressed.push([time, state()]);
  }
  return pressed;
}"""


def pages(times: int) -> dict[str, Any]:
    """Two real pages: from a key press on the operator's to the turned piece on the solver's, by the clock that both pages share."""
    from playwright.sync_api import sync_playwright

    from referee_lab.rooms.room_study import make_tangram_study

    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = Path(place) / "relay"
        make_tangram_study(folder, id="relay", puzzles=["house"], practice=False)
        server = ServerProcess(folder, free_port())
        server.start()
        found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            server.wait_until_up()
            both = [_come(browser, server.port) for _ in range(2)]
            for page in both:
                page.wait_for_selector(".room[data-phase=playing]", timeout=60_000)
            both.sort(key=lambda page: page.locator(".room").get_attribute("data-role") or "")
            operator, solver = both
            solver.evaluate(WATCH, "3")
            pressed = operator.evaluate(PRESS, times)
            seen = solver.evaluate("() => seen")
        finally:
            browser.close()
            server.stop()
    taken = sorted(_first(seen, time, state) - time for time, state in pressed)
    return {"presses": times, "p50": median(taken), "p99": quantiles(taken, n=100)[98], "max": taken[-1]}


def _first(seen: list[tuple[float, str]], time: float, state: str) -> float:
    return next(when for when, shown in seen if when >= time and shown == state)


def _come(browser: Any, port: int) -> Any:
    page = browser.new_context(viewport={"width": 1200, "height": 800}).new_page()
    page.goto(f"http://127.0.0.1:{port}/s/relay/")
    page.get_by_role("button", name="I agree").click()
    for heading in ("What to do", "Ready?"):
        page.get_by_role("heading", name=heading).wait_for()
        page.get_by_role("button").last.click()
    page.wait_for_selector(".room")
    return page


def run(pairs: int, seconds: float, processes: int, drag: float, eager: bool) -> dict[str, Any]:
    from referee_lab.rooms.room_study import make_tangram_study

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "relay"
        make_tangram_study(folder, id="relay", puzzles=["house"], practice=False, participants=2 * pairs)
        server = ServerProcess(folder, free_port())
        server.start()
        try:
            server.wait_until_up()
            assert server.process is not None
            found = play(server.port, server.process.pid, pairs, seconds, processes, drag, eager)
        finally:
            server.stop()
        size = (folder / "data" / "study.sqlite").stat().st_size
    taken = sorted(1000 * t for one in found for t in one["taken"])
    cut = quantiles(taken, n=1000)
    return {
        "pairs": pairs,
        "points": sum(one["frames"] for one in found),
        "relayed": len(taken),
        "each_second": len(taken) / seconds,
        "packets": sum(one["packets"] for one in found),
        "messages": sum(one["seq"] for one in found),
        "p50": median(taken),
        "p95": cut[949],
        "p99": cut[989],
        "max": taken[-1],
        "megabytes": size / 1e6,
        "server_microseconds_a_packet": 1e6 * found[0]["used"][0] / sum(one["packets"] for one in found),
        "server_cores": found[0]["used"][0] / seconds,
        "player_cores": sum(one["used"][1] for one in found) / seconds,
        "stolen_cores": found[0]["used"][2] / seconds,
    }


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--pages", action="store_true", help="two Chromium pages instead: key press to turned piece")
    parser.add_argument("--drag", type=float, default=0.3, help="share of the time in which a piece is dragged")
    parser.add_argument("--eager", action="store_true", help="every frame is a packet at once, whatever is under way")
    parser.add_argument("--processes", type=int, default=1, help="how many processes play (default 1)")
    parser.add_argument(
        "--play", nargs=7, metavar=("PORT", "PAIRS", "SECONDS", "FIRST", "DRAG", "EAGER", "PID"), help=argparse.SUPPRESS
    )
    chosen = parser.parse_args()
    if chosen.play:
        port, pairs, seconds, first, drag, eager, server = chosen.play
        work = measure(int(port), int(pairs), float(seconds), int(first), float(drag), eager == "1", int(server))
        print(json.dumps(uvloop.run(work)))
    elif chosen.pages:
        print("  ".join(f"{name} {value:,.1f}" for name, value in pages(200).items()))
    else:
        found = run(chosen.pairs, min(chosen.seconds, 120.0), chosen.processes, chosen.drag, chosen.eager)
        print(
            "  ".join(
                f"{name} {value:,.2f}" if isinstance(value, float) else f"{name} {value:,}"
                for name, value in found.items()
            )
        )
