"""An OpenAI-compatible endpoint on this machine that answers from a script: the tests' model."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]


def completion(content: str | None, **more: Any) -> Answer:
    """A chat completion; `finish`, `refusal` and `usage` can be given."""
    message = {"role": "assistant", "content": content, "refusal": more.get("refusal")}
    choice = {"index": 0, "message": message, "finish_reason": more.get("finish", "stop")}
    usage = more.get("usage", {"prompt_tokens": 100, "completion_tokens": 10})
    return 200, {}, json.dumps({"model": "toy-1", "choices": [choice], "usage": usage}).encode()


@dataclass
class FakeEndpoint:
    """`script` holds the answers in order; the last one is given for ever."""

    script: list[Answer]
    slow_s: float = 0.0
    drip_s: float = 0.0
    url: str = ""
    seen: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    busy: int = 0
    busiest: int = 0
    closed: threading.Event = field(default_factory=threading.Event)

    def next_answer(self) -> Answer:
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


@contextmanager
def serving(*script: Answer, slow_s: float = 0.0, drip_s: float = 0.0) -> Iterator[FakeEndpoint]:
    fake = FakeEndpoint(list(script), slow_s, drip_s)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with lock:
                fake.seen.append(json.loads(body))
                fake.keys.append(self.headers.get("Authorization"))
                fake.paths.append(self.path)
                fake.headers.append({name.lower(): text for name, text in self.headers.items()})
                fake.busy += 1
                fake.busiest = max(fake.busiest, fake.busy)
                status, headers, content = fake.next_answer()
            fake.closed.wait(fake.slow_s)  # as slow as it may be, nobody waits for it after the test
            with lock:
                fake.busy -= 1
            try:
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                for byte in content if fake.drip_s else ():
                    self.wfile.write(bytes([byte]))
                    fake.closed.wait(fake.drip_s)
                if not fake.drip_s:
                    self.wfile.write(content)
            except (BrokenPipeError, ConnectionResetError):
                return  # the asker gave up, which is what the test is about

        def log_message(self, *args: Any) -> None:
            """Nothing on standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    fake.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield fake
    finally:
        fake.closed.set()
        server.shutdown()
        server.server_close()
        thread.join()
