"""The study server under load: participants who answer every three seconds, up to saturation, beside a bare FastAPI endpoint that writes one row.

    python benchmarks/study_load.py                     the curve (about three minutes)
    python benchmarks/study_load.py --people 2000       the same up to saturation (about seven minutes)
    python benchmarks/study_load.py --level 1000        one level, three runs: 99 % under 100 ms in each?
    python benchmarks/study_load.py --enter 300         what entering costs the server: enter, consent, plan
    python benchmarks/study_load.py --soak              kill -9 under 200 participants, on SQLite and on PostgreSQL where installed

Times are counted from the moment an answer was due, so that a server that falls behind cannot hide it. All traffic stays on this machine.
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
import uuid
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "packages" / "referee-lab" / "tests" / "study"))

from crowd import Lost, Member, ServerProcess, Wire, answer_to, crowd_with_kills, free_port

from referee_lab.study.folder.demo_study import make_demo

EVERY = 3.0
LEVELS = (50, 100, 200, 500, 1000, 1500, 2000)


def bare(port: int, file: Path) -> None:
    """The least that could be done: one endpoint, one row, one commit as durable as ours."""
    import sqlite3

    import uvicorn
    from fastapi import FastAPI

    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE row (uuid TEXT PRIMARY KEY, body TEXT)")
    app = FastAPI()

    @app.put("/rows/{name}")
    async def put(name: str, body: dict[str, Any]) -> dict[str, bool]:
        connection.execute("INSERT INTO row VALUES (?, ?)", (name, json.dumps(body)))
        return {"saved": True}

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False, timeout_keep_alive=75)


class Caller:
    """Someone who sends answers; the study's participants and the bare endpoint's clients alike."""

    def __init__(self, wire: Wire, path: str, headers: dict[str, str], bodies: list[dict[str, Any]]) -> None:
        self.wire, self.path, self.headers, self.bodies = wire, path, headers, bodies
        self.failures: list[str] = []

    async def send(self) -> None:
        body = self.bodies.pop(0)
        try:
            status, said = await self.wire.ask("PUT", self.path + str(uuid.uuid4()), self.headers, body)
        except Lost as error:
            self.failures.append(type(error).__name__)
            return
        if status not in (200, 201) or not said.get("saved"):
            self.failures.append(f"{status} {said.get('problem')}")

    async def every_three_seconds(self, times: int, start: float, rng: Random) -> list[float]:
        due = start + EVERY * rng.random()
        taken = []
        for _ in range(times):
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            await self.send()
            taken.append(time.perf_counter() - due)
            due += EVERY
        return taken


async def enrol(port: int, people: int) -> list[Caller]:
    """Everybody in, with consent and plan, a few at a time."""
    gate = asyncio.Semaphore(16)

    async def one(number: int) -> Caller:
        async with gate:
            member = Member("load", Wire(port), Random(number))
            plan = await member.begin()
            bodies = [answer_to(step, member.rng) for step in plan["steps"] if step["saved"]]
            headers = {"Authorization": f"Bearer {member.token}", "X-Referee-Tab": member.tab}
            return Caller(member.wire, "/s/load/api/trials/", headers, bodies)

    return list(await asyncio.gather(*(one(number) for number in range(people))))


async def level(callers: list[Caller], times: int) -> dict[str, Any]:
    start = time.perf_counter() + 0.2
    taken = await asyncio.gather(*(c.every_three_seconds(times, start, Random(i)) for i, c in enumerate(callers)))
    all_times = sorted(1000 * t for one in taken for t in one)
    failures = [failure for caller in callers for failure in caller.failures]
    return {
        "people": len(callers),
        "p50": median(all_times),
        "p99": quantiles(all_times, n=100)[98],
        "max": all_times[-1],
        "errors": len(failures),
        "kinds": sorted(set(failures))[:3],
    }


async def flat_out(callers: list[Caller], each: int) -> float:
    """Saves a second when everyone sends the next answer at once."""

    async def one(caller: Caller) -> None:
        for _ in range(each):
            await caller.send()

    start = time.perf_counter()
    await asyncio.gather(*(one(caller) for caller in callers))
    return len(callers) * each / (time.perf_counter() - start)


def _row(name: str, found: dict[str, Any]) -> str:
    times = " ".join(f"{found[key]:>9.1f}" for key in ("p50", "p99", "max"))
    kinds = " ".join(found["kinds"])
    return f"{name:<8} {found['people']:>6} {found['people'] / EVERY:>8.0f} {times} {found['errors']:>7}  {kinds}"


def spent(process: Any) -> float:
    """Seconds of a core that a process has used so far."""
    used = Path(f"/proc/{process.pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
    return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")


async def enter(server: ServerProcess, people: int) -> None:
    """Everybody in, after some who warm the server up; what the server's process used for it."""
    for caller in await enrol(server.port, 20):
        caller.wire.close()
    began, before = time.perf_counter(), spent(server.process)
    callers = await enrol(server.port, people)
    cost, took = spent(server.process) - before, time.perf_counter() - began
    print(f"{people} people entered in {took:.1f} s; {1000 * cost / people:.1f} ms of one core a person")
    for caller in callers:
        caller.wire.close()


async def runs_at(server: ServerProcess, people: int, times: int, runs: int = 3) -> None:
    callers = await enrol(server.port, people)
    print("server   people  saves/s    p50 ms    p99 ms    max ms  errors")
    for _ in range(runs):
        found = await level(callers, times)
        print(_row("referee", found), flush=True)
    for caller in callers:
        caller.wire.close()


async def curve(server: ServerProcess, bare_port: int, people: int, times: int) -> None:
    began, before = time.perf_counter(), spent(server.process)
    ours = await enrol(server.port, people + 32)
    each = 1000 * (spent(server.process) - before) / (people + 32)
    took = time.perf_counter() - began
    print(
        f"{people + 32} participants entered, agreed and got their plans in {took:.0f} s ({each:.1f} ms of one core each)"
    )
    theirs = [Caller(Wire(bare_port), "/rows/", {}, [dict(ours[0].bodies[0])] * 400) for _ in range(people + 32)]
    fast = await flat_out(ours[people:], 40), await flat_out(theirs[people:], 40)
    print(
        f"flat out, 32 connections: {fast[0]:.0f} saves/s, bare endpoint {fast[1]:.0f} rows/s, ratio {fast[0] / fast[1]:.2f}"
    )
    print("server   people  saves/s    p50 ms    p99 ms    max ms  errors")
    for number in [n for n in LEVELS if n <= people]:
        for name, callers in (("referee", ours), ("bare", theirs)):
            found = await level(callers[:number], times)
            print(_row(name, found), flush=True)
            for caller in callers:
                caller.failures.clear()
    for caller in (*ours, *theirs):
        caller.wire.close()


def _thirds(people: int) -> int:
    """At least so many, dealt evenly to three lists."""
    return -(-people // 3) * 3


def alone(people: int, work: Any) -> None:
    """Something asked of a study server that is there for it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "load"
        make_demo(folder, participants=_thirds(people + 32), items=60, id="load")
        server = ServerProcess(folder, free_port())
        server.start()
        server.wait_until_up()
        try:
            asyncio.run(work(server))
        finally:
            server.stop()


def measure(people: int, times: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "load"
        make_demo(folder, participants=_thirds(people + 32), items=60, id="load")
        server = ServerProcess(folder, free_port())
        server.start()
        server.wait_until_up()
        port = free_port()
        other = subprocess.Popen([sys.executable, __file__, "--bare", str(port), str(Path(place) / "bare.sqlite")])
        try:
            ServerProcess(folder, port, process=other).wait_until_up()
            asyncio.run(curve(server, port, people, times))
        finally:
            other.terminate()
            other.wait()
            server.stop()


def soak(people: int, kills: int) -> None:
    """Every acknowledged answer is there once, whatever was killed when."""
    from sqlalchemy import text

    from referee_lab.server.store.store import make_sqlite_url, open_store

    def one(name: str, database: str | None) -> None:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "load"
            make_demo(folder, participants=_thirds(people), items=30, id="load")
            server = ServerProcess(folder, free_port(), database)
            server.start()
            server.wait_until_up()
            began = time.perf_counter()
            crowd = asyncio.run(crowd_with_kills(server, "load", people, kills, pause=2.0))
            server.stop()
            store = open_store(database or make_sqlite_url(folder / "data" / "study.sqlite"), "load", create=False)
            with store.read() as connection:
                stored = connection.execute(text('SELECT uuid, session, "index", attempt FROM trial')).all()
            store.close()
        acknowledged = {uuid_ for member in crowd for uuid_ in member.acknowledged}
        lost = acknowledged - {row.uuid for row in stored}
        twice = len(stored) - len({(row.session, row.index, row.attempt) for row in stored})
        took = time.perf_counter() - began
        print(f"{name:<11} {people} participants, {kills} kills, {took:.0f} s")
        print(f"            {len(acknowledged)} acknowledged, {len(lost)} lost, {twice} twice")
        assert not lost
        assert not twice

    one("SQLite", None)
    from postgres_server import new_database, postgres

    if shutil.which("initdb") or list(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        with postgres() as url:
            one("PostgreSQL", new_database(url, "soak"))
    else:
        print("PostgreSQL  not installed")


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=1000, help="the largest crowd (default 1000, up to 2000)")
    parser.add_argument("--times", type=int, default=4, help="answers of each at every level")
    parser.add_argument("--soak", action="store_true", help="kill -9 under load instead of measuring")
    parser.add_argument("--enter", type=int, metavar="PEOPLE", help="only let so many in, and say what it cost")
    parser.add_argument("--level", type=int, metavar="PEOPLE", help="only this many, in three runs")
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--bare", nargs=2, metavar=("PORT", "FILE"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.bare:
        bare(int(chosen.bare[0]), Path(chosen.bare[1]))
    elif chosen.enter:
        alone(chosen.enter, lambda server: enter(server, chosen.enter))
    elif chosen.level:
        alone(chosen.level, lambda server: runs_at(server, chosen.level, chosen.times))
    elif chosen.soak:
        soak(200, chosen.kills)
    else:
        measure(chosen.people, chosen.times)
