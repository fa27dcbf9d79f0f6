"""How many questions a second: ours beside a bare asyncio client, against the same stub on this machine, and the memory that a long run takes.

    python benchmarks/asking.py [--questions 2000] [--rounds 5] [--parallel 16] [--delay-ms 0] [--memory 100000]

The stub runs in a process of its own. The bare client is written by hand over asyncio's streams: it opens as many connections as ours, keeps them, sends the
same bodies and reads the answers as JSON; it does nothing else: no keys, cache, rate limit or retries. Beside it stand the clients that people use, where they
are installed (httpx, aiohttp), just as bare. Times are by the clock and, where other work disturbs that, of this process's processors.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from referee.capabilities import answer_in_parallel
from referee.models.messages import make_message
from referee.models.model_client import ModelClient

PROMPT = "A listener sees these objects:\n" + "\n".join(f"{n}. type: chair; colour: red; size: large" for n in range(7))


def serve(delay_s: float, url: Any) -> None:
    from scripted_endpoint import answered, scripted

    said = answered()
    with scripted(lambda question, times: said, delay_s) as server:
        url.send(server.url)
        while True:
            time.sleep(1)
            # A long run must not fill the stub's memory with what it was asked.
            server.asked.clear()
            server.told.clear()


async def bare(url: str, questions: int, parallel: int) -> None:
    parts = urlsplit(url)
    todo = iter(range(questions))

    async def worker() -> None:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        for n in todo:
            body = json.dumps({"model": "toy", "messages": [make_message("user", f"{PROMPT}\n{n}")]}).encode()
            writer.write(
                f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
            )
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            json.loads(await reader.readexactly(length))["choices"][0]["message"]["content"]
        writer.close()

    await asyncio.gather(*(worker() for _ in range(parallel)))


async def over_httpx(url: str, questions: int, parallel: int) -> None:
    import httpx

    limits = httpx.Limits(max_connections=parallel)
    async with httpx.AsyncClient(limits=limits, timeout=60, trust_env=False) as client:

        async def ask(body: dict[str, Any]) -> Any:
            return (await client.post(f"{url}/chat/completions", json=body)).json()

        await _all(ask, questions, parallel)


async def over_aiohttp(url: str, questions: int, parallel: int) -> None:
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=parallel)) as client:

        async def ask(body: dict[str, Any]) -> Any:
            async with client.post(f"{url}/chat/completions", json=body) as answer:
                return await answer.json(content_type=None)

        await _all(ask, questions, parallel)


async def _all(ask: Callable[[dict[str, Any]], Awaitable[Any]], questions: int, parallel: int) -> None:
    todo = iter(range(questions))

    async def worker() -> None:
        for n in todo:
            answer = await ask({"model": "toy", "messages": [make_message("user", f"{PROMPT}\n{n}")]})
            assert answer["choices"][0]["message"]["content"] == "the red chair"

    await asyncio.gather(*(worker() for _ in range(parallel)))


def ours(url: str, questions: int, parallel: int, memory: bool = False) -> list[float]:
    """Ask through the client, every answer cached; gives the memory after each tenth."""
    found = []
    with tempfile.TemporaryDirectory() as place:
        asker = ModelClient(model="toy", endpoint=url, parallel=parallel).remember(Path(place))
        asked = answer_in_parallel(
            asker, lambda n: asker.ask([make_message("user", f"{PROMPT}\n{n}")], str(n)), range(questions)
        )
        for n, call in enumerate(asked, 1):
            assert call.content == "the red chair"
            if memory and n % (questions // 10) == 0:
                found.append(_megabytes())
    return found


def _megabytes() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize() / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def compare(url: str, questions: int, rounds: int, parallel: int) -> None:
    ways = {"bare": bare, "httpx.AsyncClient": over_httpx, "aiohttp": over_aiohttp}
    ways = {name: way for name, way in ways.items() if name == "bare" or find_spec(name.split(".")[0])}
    clock: dict[str, list[float]] = {name: [] for name in ("bare", "ours", *ways)}
    work: dict[str, list[float]] = {name: [] for name in clock}
    # Turn by turn, and the middle one of each: a busy machine slows both alike. The others come afterwards: they leave the memory of this process in another
    # state (large pieces are then kept and not given back), in which asyncio's streams take half the time.
    for name in (*("bare", "ours") * rounds, *[name for name in ways if name != "bare"] * rounds):
        start, begun = time.perf_counter(), time.process_time()
        if name == "ours":
            ours(url, questions, parallel)
        else:
            asyncio.run(ways[name](url, questions, parallel))
        clock[name].append(time.perf_counter() - start)
        work[name].append(time.process_time() - begun)
    for name in clock:
        seconds, busy = median(clock[name]), median(work[name])
        times = f"{seconds / median(clock['bare']):.2f} x the time of the bare client, {busy / median(work['bare']):.2f} x its processor time"
        print(
            f"{name}: {questions / seconds:,.0f} questions a second, {busy / questions * 1e6:.0f} µs of processor time each; {times}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--parallel", type=int, default=16)
    parser.add_argument("--delay-ms", type=float, default=0.0)
    parser.add_argument("--memory", type=int, default=0)
    given = parser.parse_args()
    here, there = multiprocessing.Pipe()
    stub = multiprocessing.get_context("spawn").Process(target=serve, args=(given.delay_ms / 1000, there), daemon=True)
    stub.start()
    url = here.recv()
    try:
        asyncio.run(bare(url, 200, given.parallel))
        compare(url, given.questions, given.rounds, given.parallel)
        if given.memory:
            sizes = ours(url, given.memory, given.parallel, memory=True)
            print("megabytes after each tenth of", given.memory, "questions:", " ".join(f"{x:.0f}" for x in sizes))
    finally:
        stub.terminate()


if __name__ == "__main__":
    main()
