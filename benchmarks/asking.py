"""How many questions a second: ours beside a bare asyncio client, against the same stub on this machine, and the memory that a long run takes.

    python benchmarks/asking.py [--questions 2000] [--rounds 5] [--parallel 16] [--delay-ms 0] [--memory 100000]

The stub runs in a process of its own. The bare client opens as many connections as ours, keeps them, sends the same bodies and reads the answers as JSON; it
does nothing else: no keys, no book, no pace, no retries.
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
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from referee.capabilities import in_parallel
from referee.llm.messages import message
from referee.llm.model_client import ModelClient

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
            body = json.dumps({"model": "toy", "messages": [message("user", f"{PROMPT}\n{n}")]}).encode()
            writer.write(
                f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
            )
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            json.loads(await reader.readexactly(length))["choices"][0]["message"]["content"]
        writer.close()

    await asyncio.gather(*(worker() for _ in range(parallel)))


def ours(url: str, questions: int, parallel: int, memory: bool = False) -> list[float]:
    """Ask through the client, every answer kept in a book; gives the memory after each tenth."""
    found = []
    with tempfile.TemporaryDirectory() as place:
        asker = ModelClient(model="toy", endpoint=url, parallel=parallel).remember(Path(place))
        asked = in_parallel(asker, lambda n: asker.ask([message("user", f"{PROMPT}\n{n}")], str(n)), range(questions))
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
        rounds: dict[str, list[float]] = {"bare": [], "ours": []}
        # Turn by turn, and the middle one of each: a busy machine slows both alike.
        for name in ("bare", "ours") * given.rounds:
            start = time.perf_counter()
            if name == "bare":
                asyncio.run(bare(url, given.questions, given.parallel))
            else:
                ours(url, given.questions, given.parallel)
            rounds[name].append(time.perf_counter() - start)
        middle = {name: median(times) for name, times in rounds.items()}
        for name, seconds in middle.items():
            print(f"{name}: {given.questions / seconds:,.0f} questions a second")
        print(f"ours takes {middle['ours'] / middle['bare']:.2f} x the time of the bare client")
        if given.memory:
            sizes = ours(url, given.memory, given.parallel, memory=True)
            print("megabytes after each tenth of", given.memory, "questions:", " ".join(f"{x:.0f}" for x in sizes))
    finally:
        stub.terminate()


if __name__ == "__main__":
    main()
