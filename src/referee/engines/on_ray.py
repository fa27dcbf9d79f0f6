"""Workers on a Ray cluster: one actor a worker, which keeps what it has prepared; one that dies is replaced, and machines that join are used.

Ray itself is imported only here. Inputs travel through Ray's object store and results come back to this process, which writes them: no shared folder is needed.
"""

from __future__ import annotations

import logging
import platform
import socket
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee import __version__
from referee.engines.pieces import Done, Failed, Task, WorkPiece
from referee.engines.queue import Queue
from referee.errors import InputError, naming_extra

__all__ = ["RayEngine"]

LOOK_SECONDS = 5.0  # how often the cluster is asked whether machines have joined
KNOCK_SECONDS = 10.0
REMEDY = (
    "start it with `ray start --head` and name HOST:6379 or ray://HOST:10001; "
    "Ray and Python must have the same version on both sides"
)
HERE = (__version__, platform.python_version_tuple()[:2])


@dataclass(slots=True)
class RayEngine:
    """Workers on the cluster at `address` (``ray://HOST:10001`` or ``HOST:6379``), or on a Ray of this machine alone that is started for the work.

    `jobs` is the number of workers; without it there are as many as the cluster has room for, and more when it grows.
    """

    address: str | None = None
    jobs: int | None = None
    say: Any = field(default=lambda line: print(line, file=sys.stderr), repr=False)

    def work(self, task: Task, pieces: Iterable[WorkPiece]) -> Iterator[Done | Failed]:
        queue = Queue(pieces)
        if not len(queue):
            return
        with naming_extra():
            import ray
        self._connect(ray)
        try:
            yield from _Crew(ray, task, queue, self.jobs).work()
        finally:
            ray.shutdown()

    def _connect(self, ray: Any) -> None:
        began = time.monotonic()
        if self.address is not None:
            _knock(self.address)
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "namespace": "referee"}
        if self.address is None:
            options |= {"include_dashboard": False, "num_cpus": self.jobs, "address": "local"}
        else:
            options |= {"address": self.address}
        try:
            ray.init(**options)
        # Ray raises its own errors, gRPC's and plain ones for an address where nobody is.
        except Exception as error:
            first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise InputError(
                f"Ray cannot be reached ({first})", where=self.address or "this machine", remedy=REMEDY
            ) from None
        room = int(ray.cluster_resources().get("CPU", 1))
        where = self.address or "this machine"
        self.say(f"Ray on {where}: ready after {time.monotonic() - began:.1f} s, room for {room} workers")


def _knock(address: str) -> None:
    """Ray itself waits minutes for an address where nobody is."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise InputError("this is no address of a Ray cluster", where=address, remedy="HOST:6379 or ray://HOST:10001")
    try:
        socket.create_connection((host, int(port)), KNOCK_SECONDS).close()
    except OSError as error:
        raise InputError(f"Ray cannot be reached ({error.strerror or error})", where=address, remedy=REMEDY) from None


class _Crew:
    """The actors of one job."""

    def __init__(self, ray: Any, task: Task, queue: Queue, jobs: int | None) -> None:
        self.ray, self.task, self.queue, self.jobs = ray, task, queue, jobs
        self.brought = ray.put({name: path.read_bytes() for name, path in task.inputs.items()})
        self.actors: list[Any] = []
        self.groups: dict[int, str] = {}  # what an actor is prepared for
        self.going: dict[Any, tuple[Any, WorkPiece]] = {}
        self.looked = 0.0

    def work(self) -> Iterator[Done | Failed]:
        while len(self.queue) or self.going:
            self._staff()
            self._hand_out()
            ready, _ = self.ray.wait([*self.going], timeout=LOOK_SECONDS)
            for answer in ready:
                actor, piece = self.going.pop(answer)
                outcome = self._collect(answer, actor, piece)
                if outcome is not None:
                    yield outcome

    def _staff(self) -> None:
        """As many actors as there is room and work for."""
        if time.monotonic() - self.looked > LOOK_SECONDS or not self.actors:
            self.looked = time.monotonic()
            room = self.jobs or max(1, int(self.ray.cluster_resources().get("CPU", 1) // self.task.needs.cpus))
            wanted = min(room, len(self.queue) + len(self.going))
            while len(self.actors) < wanted:
                self.actors.append(self._hire())

    def _hire(self) -> Any:
        needs = self.task.needs
        remote = self.ray.remote(num_cpus=needs.cpus, num_gpus=needs.gpus, max_restarts=0)(RayWorker)
        return remote.remote(self.task, self.brought, HERE)

    def _hand_out(self) -> None:
        busy = {id(actor) for actor, _ in self.going.values()}
        for actor in self.actors:
            if id(actor) not in busy:
                taken = [p.group for _, p in self.going.values()]
                piece = self.queue.take(self.groups.get(id(actor)), taken)
                if piece is None:
                    return
                self.going[actor.do.remote(piece)] = (actor, piece)

    def _collect(self, answer: Any, actor: Any, piece: WorkPiece) -> Done | Failed | None:
        errors = self.ray.exceptions
        try:
            kind, value = self.ray.get(answer)
        except errors.OutOfMemoryError:
            return self._lost(actor, piece, "its worker ran out of memory")
        except (errors.RayActorError, errors.WorkerCrashedError, errors.ObjectLostError, errors.NodeDiedError) as error:
            return self._lost(actor, piece, f"its worker died ({str(error).strip().splitlines()[0]})")
        if kind == "fault":
            raise value
        self.groups[id(actor)] = piece.group
        self.queue.done()
        return Done(piece, value)

    def _lost(self, actor: Any, piece: WorkPiece, why: str) -> Failed | None:
        self.actors.remove(actor)
        self.groups.pop(id(actor), None)
        self.looked = 0.0  # replaced at once
        return self.queue.died(piece, why)


class RayWorker:
    """An actor: prepared once, then piece by piece."""

    def __init__(self, task: Task, brought: Mapping[str, bytes], there: tuple[str, tuple[str, ...]]) -> None:
        self.task, self.brought, self.there = task, brought, there
        self.begun: tuple[Any] | None = None

    def do(self, piece: WorkPiece) -> tuple[str, Any]:
        from referee.engines.local import sendable

        try:
            if self.begun is None:
                self.begun = (self._begin(),)
            return "done", self.task.do(self.begun[0], piece)
        except Exception as error:
            return "fault", sendable(error)

    def _begin(self) -> Any:
        if self.there != HERE:
            raise InputError(
                f"a worker has referee {HERE[0]} on Python {'.'.join(HERE[1])}, this side {self.there[0]} on {'.'.join(self.there[1])}",
                remedy="install the same version on all machines of the cluster",
            )
        with tempfile.TemporaryDirectory(prefix="referee-") as folder:
            paths = {name: Path(folder, name) for name in self.brought}
            for name, content in self.brought.items():
                paths[name].write_bytes(content)
            return self.task.begin(paths)
