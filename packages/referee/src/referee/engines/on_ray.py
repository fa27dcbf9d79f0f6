"""Workers on a Ray cluster: one actor per worker.

Dead actors are replaced, machines that join are used.

Ray itself is imported only here. A worker with access to the files (a shared folder, or an address) reads them itself;
other workers get them through Ray's object store, for a piece only its own lines. Results come back to this process,
which writes them.
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
import socket
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

from referee import __version__
from referee.engines.local import make_picklable, pickle_task, work_here
from referee.engines.pieces import (
    Done,
    Failed,
    Needs,
    Say,
    Task,
    WorkPiece,
    carry_piece,
    list_files,
    pickle_object,
    print_to_stderr,
)
from referee.engines.queue import KEPT, OUT_OF_MEMORY, Queue
from referee.errors import InputError, naming_extra
from referee.files import make_content_mark

LOOK_SECONDS = 5.0  # how often the cluster is asked whether machines have joined
PATIENCE_SECONDS = 15.0  # without a single worker, before a note gives the reason for waiting
KNOCK_SECONDS = 10.0
REMEDY = (
    "start it with `ray start --head` and name write it like HOST:6379 or ray://HOST:10001; "
    "Ray and Python must have the same version on both sides"
)
TOKEN = "put it into RAY_AUTH_TOKEN or ~/.ray/auth_token (on the cluster: `ray get-auth-token`)"
SAME = "install the same version of referee, and the plug-ins that the job names, on all machines of the cluster"
HERE = (__version__, platform.python_version_tuple()[:2])


@dataclass(slots=True)
class RayEngine:
    """Workers on the Ray cluster at `address`, or on a Ray of this machine that is started for the work.

    `jobs` is the number of workers; without it there are as many as the cluster has room for, and more when it grows. A Ray that this process is connected to
    already is used as it is.
    """

    address: str | None = None
    jobs: int | None = None
    say: Say = field(default=print_to_stderr, repr=False)

    def work(self, task: Task, pieces: Iterable[WorkPiece]) -> Iterator[Done | Failed]:
        """Work through pieces on the cluster."""
        queue = Queue(pieces, self.say)
        if not len(queue):
            return
        if self.address is not None:
            _check_address(self.address)
        with naming_extra():
            import ray
        ours = not ray.is_initialized()
        if ours:
            self._connect(ray, task.needs)
        try:
            content = pickle_task(task, self.say)
            if content is None:
                yield from work_here(task, queue.rest())
                return
            yield from _Crew(ray, task, content, queue, self).work()
        # Of the client, when the cluster is gone; a driver without a client is ended by Ray itself.
        except ConnectionError as error:
            raise InputError(
                f"the connection to Ray is lost ({_format_one_line(error)})", where=self.where, remedy=KEPT
            ) from None
        finally:
            if ours:
                ray.shutdown()

    @property
    def where(self) -> str:
        return self.address or "this machine"

    def _connect(self, ray: Any, needs: Needs) -> None:
        """Connect to the cluster, or start a local one. Raises InputError if it has too few resources."""
        began = time.monotonic()
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "namespace": "referee"}
        if self.address is None:
            cpus = None if self.jobs is None else ceil(self.jobs * needs.cpus)
            options |= {"include_dashboard": False, "num_cpus": cpus, "address": "local"}
        else:
            options |= {"address": self.address}
        try:
            with warnings.catch_warnings():
                # Ray's warnings are in the error that follows.
                warnings.simplefilter("ignore")
                ray.init(**options)
        # Ray raises its own errors, gRPC's and plain ones for an address where nothing listens.
        except Exception as error:
            raise InputError(
                f"Ray cannot be reached ({_format_one_line(error)})", where=self.where, remedy=REMEDY
            ) from None
        room = _count_workers(ray, needs)
        self.say(f"Ray on {self.where}: ready after {time.monotonic() - began:.1f} s, room for {room} workers")
        if not room and self.address is None:
            ray.shutdown()
            raise InputError(
                f"this machine has no room for a worker: {_describe_needs(needs)}", remedy="name a --address"
            )


def _format_one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:400] or type(error).__name__


def _describe_needs(needs: Needs) -> str:
    return f"it needs {needs.cpus:g} processors and {needs.gpus:g} graphics cards"


def _count_workers(ray: Any, needs: Needs) -> int:
    """Return how many workers fit onto the machines of a cluster when all are free."""

    def fitting(has: Mapping[str, float]) -> int:
        needed = [(name, n) for name, n in (("CPU", needs.cpus), ("GPU", needs.gpus)) if n]
        return min((int(has.get(name, 0) / n) for name, n in needed), default=1)

    return sum(fitting(node["Resources"]) for node in ray.nodes() if node["Alive"])


def _check_address(address: str) -> None:
    """Raise InputError if nothing answers at an address, because Ray itself would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise InputError(
            "this is not an address of a Ray cluster",
            where=address,
            remedy="write it like HOST:6379 or ray://HOST:10001",
        )
    try:
        socket.create_connection((host, int(port)), KNOCK_SECONDS).close()
    except OSError as error:
        raise InputError(f"Ray cannot be reached ({error.strerror or error})", where=address, remedy=REMEDY) from None
    if "RAY_AUTH_MODE" not in os.environ and _has_token_requirement(f"{host}:{port}", address.startswith("ray://")):
        file = Path(os.environ.get("RAY_AUTH_TOKEN_PATH", Path.home() / ".ray" / "auth_token"))
        if "RAY_AUTH_TOKEN" not in os.environ and not file.is_file():
            raise InputError("this cluster requires a token", where=address, remedy=TOKEN)
        # Ray reads it when it is imported. Only for a cluster that asks: a command with a token and a cluster without do not understand each other.
        os.environ["RAY_AUTH_MODE"] = "token"


def _has_token_requirement(host: str, by_client: bool) -> bool:
    """Return whether a cluster requires a token.

    Ray itself would retry for half a minute without saying why.
    """
    try:
        import grpc
    except ModuleNotFoundError:  # comes with the extra; Ray alone does without
        return False
    asked = "/ray.rpc.RayletDriver/ClusterInfo" if by_client else "/ray.rpc.NodeInfoGcsService/GetClusterId"
    with grpc.insecure_channel(host) as channel:
        try:
            channel.unary_unary(asked)(b"", timeout=KNOCK_SECONDS)
        except grpc.RpcError as error:
            return bool(error.code() is grpc.StatusCode.UNAUTHENTICATED)
    return False


class _Crew:
    """The Ray actors of one job: those that start, those without work, and those at work on a piece.

    While there is plenty of work an actor has the next piece beside it already, and does not wait between two pieces.
    """

    def __init__(self, ray: Any, task: Task, content: bytes, queue: Queue, engine: RayEngine) -> None:
        self.ray, self.task, self.queue, self.engine = ray, task, queue, engine
        self.needs = task.needs
        self.content = ray.put(content)
        files = {
            *map(str, task.inputs.values()),
            *(path for piece in queue.list_waiting() for path in list_files(piece)),
        }
        self.marks = {path: make_content_mark(path) for path in files}
        self.brought: Any = None  # the inputs, once a worker does not see them
        self.sees: dict[Any, frozenset[str]] = {}  # the files that an actor can read
        self.coming: dict[Any, Any] = {}
        self.load: dict[Any, int] = {}  # how many pieces an actor has
        self.prepared: dict[Any, str] = {}  # the group that an actor has begun
        self.free: list[Any] = []  # actors without a piece
        self.beside: list[Any] = []  # actors that may have a second one
        self.going: dict[Any, tuple[Any, WorkPiece]] = {}  # in the order in which they were handed out
        self.at: Counter[str] = Counter()  # how many are at each group
        self.looked: float | None = None
        self.began: float | None = time.monotonic()

    def work(self) -> Iterator[Done | Failed]:
        """Yield the results of pieces until all are done, starting and replacing actors."""
        while len(self.queue) or self.going:
            self._start_actors()
            self._assign_pieces()
            ready = self._wait_for_futures()
            for answer in [future for future in self.coming if future in ready]:
                self._add_actor(answer, self.coming.pop(answer))
            for answer in [future for future in self.going if future in ready]:
                if answer in self.going:  # not taken back since, from an actor that died
                    outcome = self._get_result(answer, *self._end_piece(answer))
                    if outcome is not None:
                        yield outcome

    def _wait_for_futures(self) -> set[Any]:
        """Return the futures that have a result; none if no result arrives for a while."""
        waited = [*self.going, *self.coming]
        ready, _ = self.ray.wait(waited, timeout=LOOK_SECONDS)
        # All that are ready: with a thousand workers, asking again for each would take longer than the work.
        return set(self.ray.wait(waited, num_returns=len(waited), timeout=0)[0]) if ready else set()

    def _start_actors(self) -> None:
        """Start as many actors as the cluster has room for and the queue has work for."""
        now = time.monotonic()
        actors = len(self.load)
        if self.looked is None or now - self.looked > LOOK_SECONDS:
            self.looked = now
            # One at least: a cluster that grows by demand has to see some.
            room = self.engine.jobs or max(1, _count_workers(self.ray, self.needs))
            for _ in range(actors + len(self.coming), min(room, len(self.queue) + len(self.going))):
                self._start_actor()
        if actors:
            self.began = None
        elif self.began is not None and now - self.began > PATIENCE_SECONDS:
            self.began = None
            self.engine.say(
                f"Ray on {self.engine.where}: waiting for room for a worker ({_describe_needs(self.needs)})"
            )

    def _start_actor(self) -> None:
        """Start an actor."""
        remote = self.ray.remote(num_cpus=self.needs.cpus, num_gpus=self.needs.gpus, max_restarts=0)(RayWorker)
        actor = remote.remote(self.content, HERE)
        self.coming[actor.greet.remote(self.marks)] = actor

    def _add_actor(self, greeting: Any, actor: Any) -> None:
        """Add an actor that has started. Raises an error if it could not start."""
        try:
            fault, sees = self.ray.get(greeting)
        except self.ray.exceptions.RayActorError as error:
            if error.actor_init_failed:
                raise _make_start_error(error) from None
            self.looked = None
            self.queue.record_lost_worker(_describe_failure(error))
            return
        except self.ray.exceptions.RayError as error:
            raise _make_start_error(error) from None
        if fault is not None:
            raise fault
        self.sees[actor] = frozenset(sees)
        if not self.sees[actor].issuperset(map(str, self.task.inputs.values())):
            self._send_files(actor)
        self.load[actor] = 0
        self.free.append(actor)
        self.beside.append(actor)

    def _send_files(self, actor: Any) -> None:
        """Send the input files to an actor that cannot read them."""
        if self.brought is None:
            self.brought = self.ray.put({name: path.read_bytes() for name, path in self.task.inputs.items()})
        actor.take.remote(self.brought)

    def _assign_pieces(self) -> None:
        """Give pieces to free actors."""
        while len(self.queue) and self.free:
            self._assign_piece(self.free.pop())
        # Only while there is more than one for each: the last pieces are for the first free worker.
        while len(self.queue) > len(self.load) and self.beside:
            self._assign_piece(self.beside.pop())

    def _assign_piece(self, actor: Any) -> None:
        """Give the next piece to an actor."""
        piece = self.queue.take(self.prepared.get(actor), [name for name, n in self.at.items() if n])
        assert piece is not None
        self.at[piece.group] += 1
        self.load[actor] += 1
        self.prepared[actor] = piece.group
        sent = piece if self.sees[actor].issuperset(list_files(piece)) else carry_piece(piece)
        self.going[actor.do.remote(pickle_object(sent))] = (actor, piece)

    def _end_piece(self, answer: Any) -> tuple[Any, WorkPiece]:
        """Remove a piece from those at work, and return it with its actor."""
        actor, piece = self.going.pop(answer)
        self.at[piece.group] -= 1
        self.load[actor] -= 1
        return actor, piece

    def _get_result(self, answer: Any, actor: Any, piece: WorkPiece) -> Done | Failed | None:
        """Return the result of a piece; a lost or overloaded worker's piece is queued again."""
        try:
            kind, value = self.ray.get(answer)
        except self.ray.exceptions.RayError as error:
            return self._replace_actor(actor, piece, _describe_failure(error))
        if kind == "fault":
            raise value
        if kind == "memory":
            return self._replace_actor(actor, piece, OUT_OF_MEMORY)
        (self.beside if self.load[actor] else self.free).append(actor)
        self.queue.done()
        return Done(piece, value)

    def _replace_actor(self, actor: Any, piece: WorkPiece, why: str) -> Failed | None:
        """Remove a lost actor and queue its pieces again."""
        # One that only cannot be reached would keep its place.
        self.ray.kill(actor)
        # Its other pieces did not cause its death.
        for answer in [future for future, (whose, _) in self.going.items() if whose == actor]:
            self.queue.put_back(self._end_piece(answer)[1])
        del self.load[actor]
        self.free = [future for future in self.free if future != actor]
        self.beside = [future for future in self.beside if future != actor]
        self.looked = None  # replaced at once
        if why != LEFT:
            return self.queue.record_death(piece, why)
        self.queue.requeue_lost(piece, why)
        return None


LEFT = "its machine left the cluster"


def _describe_failure(error: Exception) -> str:
    """Describe how a worker ended."""
    text = _format_one_line(error)
    if "node has died" in text or type(error).__name__ == "NodeDiedError":
        return LEFT
    if type(error).__name__ == "OutOfMemoryError" or "OOM" in text or "out of memory" in text:
        return OUT_OF_MEMORY
    detail = text.partition("Worker exit detail: ")[2] or text
    return f"its worker died ({detail[:200].rstrip('. ')})"


def _make_start_error(error: Exception) -> InputError:
    """Return an error that names the cause of a worker's failed start."""
    # Ray reports the history of the failure; its end is the cause.
    last = str(error).strip().splitlines()[-1].strip()
    return InputError(f"a worker of the cluster cannot begin ({last})", remedy=SAME)


class RayWorker:
    """An actor: prepared once, then given piece after piece."""

    def __init__(self, task: bytes, versions: tuple[str, tuple[str, ...]]) -> None:
        self.versions = versions
        # One of another version may not be able to read it.
        self.task: Task | None = pickle.loads(task) if versions == HERE else None
        self.brought: Mapping[str, bytes] | None = None
        self.begun: tuple[Any] | None = None

    def greet(self, marks: Mapping[str, str | None]) -> tuple[InputError | None, list[str]]:
        """Check the version of this worker, and return which input files it can read."""
        if self.versions == HERE:
            return None, [path for path, mark in marks.items() if mark is not None and make_content_mark(path) == mark]
        problem = f"a worker has referee {HERE[0]} on Python {'.'.join(HERE[1])}, this machine {self.versions[0]} on {'.'.join(self.versions[1])}"
        return InputError(problem, remedy=SAME), []

    def take(self, brought: Mapping[str, bytes]) -> None:
        """Store input files that this worker cannot read itself."""
        self.brought = brought

    def do(self, piece: bytes) -> tuple[str, Any]:
        """Do a piece; return the kind of its outcome and its result."""
        assert self.task is not None
        try:
            if self.begun is None:
                self.begun = (self._begin(self.task),)
            return "done", self.task.do(self.begun[0], pickle.loads(piece))
        except MemoryError:
            return "memory", None
        except Exception as error:
            return "fault", make_picklable(error)

    def _begin(self, task: Task) -> Any:
        """Prepare the task, with files from the object store if needed."""
        if self.brought is None:
            return task.begin(task.inputs)
        with tempfile.TemporaryDirectory(prefix="referee-") as folder:
            paths = {name: Path(folder, name) for name in self.brought}
            for name, content in self.brought.items():
                paths[name].write_bytes(content)
            return task.begin(paths)
