"""Which modules one piece of work walks through, in the order in which they are first entered.

A module counts when a function written in it is executed; what runs while a module is imported does not, nor do methods that Python writes for dataclasses.
Walks: `score` of a small file (and of the demonstration, whose corpus is generated), `run` of one system, one participant's answer over HTTP, one Tangram
event over a websocket, and `audit` of a shipped paper.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import io
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import referee
import referee_lab

ROOTS = tuple(str(Path(package.__file__).parent) for package in (referee, referee_lab))
SERVER_TESTS = Path(__file__).resolve().parent.parent / "packages" / "referee-lab" / "tests" / "study"


class Walk:
    """The modules entered while the tracer is on, each once."""

    def __init__(self) -> None:
        self.modules: dict[str, None] = {}
        self.counts = True
        self._thread = threading.local()

    def step(self, frame: FrameType, event: str, _: Any) -> None:
        """Called by Python for every call and return; bodies of modules and classes open a stretch of importing that counts nothing."""
        if event not in ("call", "return"):
            return
        code = frame.f_code
        importing = getattr(self._thread, "importing", 0)
        if not code.co_flags & inspect.CO_OPTIMIZED:
            self._thread.importing = max(0, importing + (1 if event == "call" else -1))
        elif self.counts and not importing and code.co_filename.startswith(ROOTS):
            self.modules.setdefault(frame.f_globals["__name__"])


@contextmanager
def walking() -> Iterator[Walk]:
    """A walk that is recorded while the block runs, in this thread and in those it starts."""
    walk = Walk()
    threading.setprofile(walk.step)
    sys.setprofile(walk.step)
    try:
        yield walk
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def command(*arguments: str) -> list[str]:
    """The walk of one command, whose own output is not shown."""
    from referee.cli import main

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), walking() as walk:
        code = main(list(arguments))
    if code:
        raise SystemExit(f"referee {' '.join(arguments)} ended with {code}")
    return list(walk.modules)


def corpus_file(folder: Path) -> Path:
    """Twenty trials of the shipped corpus, as a file."""
    from itertools import islice

    from referee.corpora.jsonl import trials_to_json, write_json_line
    from referee.corpora.synthetic.corpus import Synthetic

    lines = map(write_json_line, trials_to_json(islice(Synthetic().trials(), 20)))
    (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return folder / "corpus.jsonl"


def outputs_file(folder: Path) -> Path:
    """What a toy speaker says of those trials, as a file."""
    from referee.corpora.demo import list_output_files

    known = {json.loads(line)["id"] for line in corpus_file(folder).read_text("utf-8").splitlines()}
    lines = Path(list_output_files()[0]).read_text("utf-8").splitlines()
    mine = [line for line in lines if json.loads(line)["trial"] in known]
    (folder / "toy.jsonl").write_text("\n".join(mine) + "\n", "utf-8")
    return folder / "toy.jsonl"


def score_walk(folder: Path) -> list[str]:
    return command("score", str(outputs_file(folder)), "--corpus", str(corpus_file(folder)), "--resamples", "100")


def demo_walk(folder: Path) -> list[str]:
    return command("score", "--demo", "--resamples", "100")


def run_walk(folder: Path) -> list[str]:
    wanted = ("--systems", "classic/incremental", "--folds", "2", "--by", "random", "--jobs", "1")
    return command("run", "--corpus", str(corpus_file(folder)), *wanted, "--out", str(folder / "run"))


def audit_walk(folder: Path) -> list[str]:
    return command("audit", "tuna-2008")


def answer_walk(folder: Path) -> list[str]:
    """One answer of a participant, from the request to the reply."""
    sys.path.insert(0, str(SERVER_TESTS))
    from study_server import Person, site, study_folder

    with walking() as walk:  # from the start, for threads that the server starts now take part later
        walk.counts = False
        with site(study_folder(folder)) as opened:
            person = Person(opened).begin()
            index = person.saved_steps[0]
            body = person.body(index)
            walk.counts = True
            reply = person.put(index, body=body)
            walk.counts = False
    assert reply.status_code == 201, reply.text
    return list(walk.modules)


class Socket:
    """One side of a websocket inside the process: what is sent to the application, and what came back."""

    def __init__(self, app: Any, path: str) -> None:
        self.sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.received: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        headers = [(b"host", b"study.test"), (b"origin", b"http://study.test")]
        scope = {"type": "websocket", "path": path, "raw_path": path.encode(), "root_path": "", "scheme": "ws"}
        scope |= {"query_string": b"", "headers": headers, "subprotocols": [], "asgi": {"version": "3.0"}}
        scope |= {"client": ("127.0.0.1", 1), "server": ("study.test", 80), "state": {}, "extensions": {}}
        self.sent.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.create_task(app(scope, self.sent.get, self.received.put))

    def say(self, data: Any) -> None:
        self.sent.put_nowait({"type": "websocket.receive", "text": json.dumps(data)})

    async def hear(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message that is the one waited for."""
        while True:
            async with asyncio.timeout(20):
                message = await self.received.get()
            if message["type"] == "websocket.close":
                raise SystemExit(f"the room closed the connection: {message}")
            said = json.loads(message.get("text") or "{}")
            if wanted(said):
                return said


def event_walk(folder: Path) -> list[str]:
    """One line typed by a person in a Tangram room, until both have it."""
    sys.path.insert(0, str(SERVER_TESTS))
    from study_server import Person, site

    from referee_lab.rooms.room_study import make_tangram_study

    make_tangram_study(folder / "pairs", id="pairs", puzzles=["house"], practice=False)
    with walking() as walk:
        walk.counts = False
        with site(folder / "pairs") as opened:
            people = [Person(opened).begin() for _ in range(2)]
            opened.loop.run_until_complete(_one_event(opened, people, walk))
    return list(walk.modules)


async def _one_event(opened: Any, people: list[Any], walk: Walk) -> None:
    sockets = []
    for person in people:
        step = next(s["index"] for s in person.plan["steps"] if s["plugin"] == "tangram" and s["kind"] == "trial")
        socket = Socket(opened.app, f"/s/{opened.served.id}/room/any")
        socket.say({"hello": {"token": person.token, "tab": person.tab, "step": step, "last": -1}})
        sockets.append(socket)
    for socket in sockets:
        await socket.hear(lambda said: said.get("status", {}).get("phase") == "playing")
    typed = {"text": "the big triangle", "typing_start_ms": 1.0, "typing_end_ms": 2.0, "keystrokes": 16}
    walk.counts = True
    sockets[0].say({"seq": 1, "t_client": 1.0, "kind": "say", "data": typed})
    for socket in sockets:
        await socket.hear(lambda said: any(e.get("kind") == "say" for e in said.get("events", ())))
    walk.counts = False
    for socket in sockets:
        socket.sent.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await asyncio.wait([socket.task], timeout=5)


WALKS: dict[str, Callable[[Path], list[str]]] = {
    "score": score_walk,
    "score --demo": demo_walk,
    "run": run_walk,
    "one answer": answer_walk,
    "one Tangram event": event_walk,
    "audit": audit_walk,
}


def main() -> None:
    for name in sys.argv[1:] or WALKS:
        with tempfile.TemporaryDirectory() as place:
            modules = WALKS[name](Path(place))
        print(f"{name}: {len(modules)} modules")
        for number, module in enumerate(modules, 1):
            print(f"  {number:2}. {module}")


if __name__ == "__main__":
    main()
