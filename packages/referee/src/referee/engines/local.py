"""Worker processes of this machine; one that is killed is replaced."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import ModuleType
from typing import Any

from referee.engines.pieces import DefinedInScript, Done, Failed, Say, Task, WorkPiece, pickle_object, print_to_stderr
from referee.engines.queue import OUT_OF_MEMORY, Queue
from referee.errors import InputError


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """`jobs` worker processes; one job, or one piece, runs in this process unless `apart` is set."""

    jobs: int = 1
    apart: bool = False
    say: Say = field(default=print_to_stderr, repr=False)

    def work(self, task: Task, pieces: Iterable[WorkPiece]) -> Iterator[Done | Failed]:
        """Work through pieces: in this process, or in several worker processes."""
        if self.jobs > 1 or self.apart:
            queue = Queue(pieces, self.say)
            jobs = min(self.jobs, len(queue))
            content = pickle_task(task, self.say) if jobs > 1 or (jobs and self.apart) else None
            if content is not None:
                yield from _run_in_processes(content, queue, jobs)
                return
            pieces = queue.rest()
        yield from work_here(task, pieces)


def work_here(task: Task, pieces: Iterable[WorkPiece]) -> Iterator[Done]:
    """Work through pieces in this process one by one, so that a streamed corpus stays a stream."""
    begun = None
    for piece in pieces:
        begun = begun or (task.begin(task.inputs),)
        yield Done(piece, task.do(begun[0], piece))


def pickle_task(task: Task, say: Say) -> bytes | None:
    """Return a pickled task; None, with a note, if it uses classes or functions of the running script."""
    try:
        return pickle_object(task)
    except DefinedInScript as defined:
        say(f"{defined} is defined in the script that runs, so all work is done in this process")
        return None


@dataclass(slots=True)
class _Worker:
    process: SpawnProcess
    wire: Connection
    piece: WorkPiece | None = None
    group: str | None = None


def _run_in_processes(task: bytes, queue: Queue, jobs: int) -> Iterator[Done | Failed]:
    """Yield the results of pieces from worker processes; replace workers that die."""
    workers = [_start_worker(task) for _ in range(jobs)]
    try:
        while True:
            _assign_pieces(queue, workers)
            busy = {w.wire: w for w in workers if w.piece is not None}
            if not busy:
                return
            for wire in wait([*busy]):
                worker = busy[wire]  # type: ignore[index]
                piece = worker.piece
                assert piece is not None
                try:
                    kind, value = pickle.loads(worker.wire.recv_bytes())
                except (EOFError, OSError):
                    kind, value = "end", None
                if kind in ("end", "memory"):
                    workers.remove(worker)
                    why = _describe_end(worker, kind)
                    workers.append(_start_worker(task))
                    if (failure := queue.record_death(piece, why)) is not None:
                        yield failure
                    continue
                if kind == "fault":
                    raise value
                queue.done()
                worker.piece, worker.group = None, piece.group
                yield Done(piece, value)
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.join()
            worker.wire.close()


def _assign_pieces(queue: Queue, workers: list[_Worker]) -> None:
    """Give a piece to every idle worker."""
    for worker in workers:
        if worker.piece is None:
            taken = [(w.piece.group if w.piece else w.group) for w in workers if w is not worker]
            worker.piece = queue.take(worker.group, taken)
            if worker.piece is not None:
                # Broken when the process was killed while it had nothing to do: the answer that never comes says so.
                with contextlib.suppress(OSError):
                    worker.wire.send_bytes(pickle_object(worker.piece))


def _describe_end(worker: _Worker, kind: str) -> str:
    """Return how a worker process ended, and stop one that has no memory for its piece."""
    if kind == "memory":
        worker.process.kill()
    worker.process.join()
    worker.wire.close()
    if kind == "memory":
        return OUT_OF_MEMORY
    code = worker.process.exitcode or 0
    if code == -signal.SIGKILL:
        return "its process was killed (out of memory?)"
    return f"its process ended with {f'signal {-code}' if code < 0 else f'exit code {code}'}"


_STARTING = threading.Lock()


@contextlib.contextmanager
def _hide_script() -> Iterator[None]:
    """Hide the running script from processes that start inside the block, which would run it again."""
    with _STARTING:
        script = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = script


def _start_worker(task: bytes) -> _Worker:
    """Start a worker process."""
    # Spawned on every system: a fork of a process with threads may deadlock on their locks.
    # Spawned on every system: a copy of a process with threads in it may hang on their locks.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_run_worker, args=(theirs, task, gc.get_threshold()), daemon=True)
    with _hide_script():
        process.start()
    # The only open end in this process, so that the end of the worker closes the pipe.
    theirs.close()
    return _Worker(process, ours)


# -- in the process ----------------------------------------------------------------------------------------------------------


def _run_worker(wire: Connection, content: bytes, collects: tuple[int, int, int]) -> None:
    """Do pieces that arrive through a pipe, in a worker process, until the pipe closes."""
    # The terminal sends Ctrl-C to all of them: they end in silence, and the parent alone says something.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _end_with_parent()
    gc.set_threshold(*collects)
    begun: Any = None
    with contextlib.suppress(EOFError):
        while True:
            received = wire.recv_bytes()
            try:
                if begun is None:
                    task = pickle.loads(content)
                    begun = (task, task.begin(task.inputs))
                answer: tuple[str, Any] = ("done", begun[0].do(begun[1], pickle.loads(received)))
            except MemoryError:
                answer = ("memory", None)
            except Exception as error:
                answer = ("fault", make_picklable(error))
            wire.send_bytes(pickle_object(answer))


def make_picklable(error: Exception) -> Exception:
    """Return an error that can be pickled, with the same message."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return InputError(f"{type(error).__name__}: {error}")
    return error


def _end_with_parent() -> None:
    """End this worker when its parent process ends, which cannot do it itself if it is killed."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        """Wait for the end of the parent process, then end this one."""
        parent.join()
        # `sys.exit` would end this thread only.
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
