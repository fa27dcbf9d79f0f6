"""A quick endpoint on this machine that keeps connections open, misbehaves by plan, and counts what it was asked and what it answered.

Which question meets which fault is decided by the question itself and by how often it came, so a plan holds whatever the order.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from zlib import crc32


class Late(NamedTuple):
    """An answer that nobody waits for: it comes after so long, or drips letter by letter with so long between them."""

    status: int
    headers: dict[str, str]
    content: bytes
    after_s: float = 0.0
    drip_s: float = 0.0


Said = tuple[int, dict[str, str], bytes] | Late | None
"""Status, headers and body; None closes the connection without a word."""


def answered(
    text: str | None = "the red chair", finish: str = "stop", **more: Any
) -> tuple[int, dict[str, str], bytes]:
    """A chat completion; `more` are further fields of the message."""
    message = {"role": "assistant", "content": text, **more}
    usage = {"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 55}
    return 200, {}, json.dumps({"choices": [{"message": message, "finish_reason": finish}], "usage": usage}).encode()


def called(**arguments: str) -> tuple[int, dict[str, str], bytes]:
    """A function call instead of words."""
    function = {"name": "answer", "arguments": json.dumps(arguments)}
    return answered(None, "tool_calls", tool_calls=[{"id": "1", "type": "function", "function": function}])


FAULTS: tuple[Said, ...] = (
    (429, {"Retry-After": "0.01"}, b"slow down"),
    (429, {}, b"slow down"),
    (500, {}, b"oops"),
    (503, {}, b"busy"),
    (200, {}, b"<html>not JSON"),
    (200, {}, b'{"choices": []}'),
    None,
    Late(*answered(), after_s=30.0),
    Late(*answered(), drip_s=0.2),
)
REFUSALS = (
    answered("I'm sorry, but I can't help with that."),
    answered(None, refusal="I cannot describe people."),
    answered("", "content_filter"),
    (400, {}, b'{"error": {"code": "content_filter", "message": "filtered"}}'),
)


def faulty(share: float) -> Callable[[str, int], Said]:
    """A plan in which that share of the questions meets a fault the first time and is answered the second."""

    def plan(question: str, time: int) -> Said:
        lot = crc32(question.encode()) % 10_000
        return FAULTS[lot % len(FAULTS)] if time == 1 and lot < share * 10_000 else answered()

    return plan


def wayward(share: float) -> Callable[[str, int], Said]:
    """The same, with a hundredth of the questions refused and another answered by a function call, the first time and every time."""
    plan = faulty(share)

    def more(question: str, time: int) -> Said:
        said = plan(question, time)
        if said is None or said[0] != 200 or b"the red chair" not in said[2] or isinstance(said, Late):
            return said
        lot = crc32(question.encode(), 1) % 200
        return REFUSALS[lot] if lot < len(REFUSALS) else called(description="the red chair") if lot < 6 else said

    return more


@dataclass
class Scripted:
    """`asked` counts every request by its last message, `told` those that were answered whole."""

    plan: Callable[[str, int], Said]
    delay_s: float = 0.0
    url: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        fields = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:] if line)
        body = json.loads(await reader.readexactly(int(fields[b"content-length"])))
        question = str(body["messages"][-1]["content"])
        self.asked[question] += 1
        said = self.plan(question, self.asked[question])
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        if said is None:
            return False
        status, headers, content = said[:3]
        late = said if isinstance(said, Late) else None
        more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        whole = f"HTTP/1.1 {status} X\r\n{more}Content-Length: {len(content)}\r\n\r\n".encode() + content
        if late:
            await asyncio.sleep(late.after_s)
        for n in range(len(whole)) if late and late.drip_s else ():
            writer.write(whole[n : n + 1])
            await asyncio.sleep(late.drip_s)
        if not (late and late.drip_s):
            writer.write(whole)
        await writer.drain()
        if (status == 200 and b'"usage"' in content and not late) or b"content_filter" in content:
            self.told[question] += 1
        return True


@contextmanager
def scripted(plan: Callable[[str, int], Said], delay_s: float = 0.0) -> Iterator[Scripted]:
    endpoint = Scripted(plan, delay_s)
    ready, loop = threading.Event(), asyncio.new_event_loop()
    held: dict[str, Any] = {}

    async def main() -> None:
        held["stop"] = asyncio.Event()
        server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0, limit=1 << 22)
        endpoint.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        ready.set()
        await held["stop"].wait()
        server.close()
        serving = asyncio.all_tasks() - {asyncio.current_task()}
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        # Transports close in the turn after they are told to.
        await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: loop.run_until_complete(main()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield endpoint
    finally:
        loop.call_soon_threadsafe(held["stop"].set)
        thread.join()
        loop.close()
