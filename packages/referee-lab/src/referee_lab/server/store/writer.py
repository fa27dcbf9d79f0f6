"""One writer for a store.

All waiting writes share one transaction and are acknowledged after its commit (group commit).

A disk can make a few hundred commits per second durable, with thousands of rows in each; sharing a commit divides its
cost.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from referee_lab.server.sessions.refusals import Problem

T = TypeVar("T")
# Longer than any write takes; longer waits are reported, well before ten seconds have passed.
PATIENCE_SECONDS = 8.0
LARGEST_BATCH = 256  # a transaction without a limit would never acknowledge its jobs
_log = logging.getLogger("referee.studies")


@dataclass(frozen=True, slots=True)
class _Job:
    """Some work, and who waits for it: a thread, or a task on a loop."""

    work: Callable[[Connection], Any]
    done: Future[Any] | asyncio.Future[Any]


class Writer:
    """Runs functions with a connection, one after the other, many in a transaction.

    A function may run twice (after a failure, all functions of the transaction run again, each alone), so it must do
    nothing but read and write the store.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        # Without a limit: putting never blocks, and so may be done from the event loop.
        self._waiting: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        # Held while adding and while closing: no job is queued after the end of the queue, where it would never run.
        self._door, self._closed = threading.Lock(), False
        # The latest failure, for the organisers: name of the error and time (monotonic).
        self.trouble: tuple[str, float] | None = None
        self._thread = threading.Thread(target=self._run_writer, name="referee-writer", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Connection], T]) -> Future[T]:
        """Queue work; the future is fulfilled when the transaction with it is committed."""
        done: Future[T] = Future()
        done.set_running_or_notify_cancel()  # cancelling the request does not stop the write
        self._queue_job(_Job(work, done))
        return done

    def write(self, work: Callable[[Connection], T]) -> T:
        return self.submit(work).result()

    async def awrite(self, work: Callable[[Connection], T]) -> T:
        """Run a function in the next transaction and return its result after the commit.

        Raises Problem after a timeout.
        """
        # Belongs to the loop and is only ever touched there (`_report_results`): asyncio's futures are not for other threads.
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue_job(_Job(work, done))
        try:
            # Shielded: the write goes on, and the same again will find it done.
            return await asyncio.wait_for(asyncio.shield(done), PATIENCE_SECONDS)
        except TimeoutError:
            self.trouble = ("it has not answered for some seconds", time.monotonic())
            raise Problem(
                503, "slow", "The server is very busy just now; your answer is kept here and sent again."
            ) from None

    def _queue_job(self, job: _Job) -> None:
        """Queue a job. Raises Problem if the writer is closed."""
        with self._door:
            if self._closed:
                raise Problem(503, "stopping", "The server is being stopped; your answers are kept and sent again.")
            self._waiting.put(job)

    def close(self) -> None:
        """Finish waiting jobs, then stop."""
        with self._door:
            closed, self._closed = self._closed, True
            if not closed:
                # Behind all that waits, which is therefore still written.
                self._waiting.put(None)
        self._thread.join()

    def _run_writer(self) -> None:
        """Commit batches until the writer is closed."""
        while (job := self._waiting.get()) is not None:
            batch = [job]
            last = self._gather_jobs(batch)
            self._commit_batch(batch)
            if last:
                return

    def _gather_jobs(self, batch: list[_Job]) -> bool:
        """Add the waiting jobs to a batch; return True if the end of the queue was among them."""
        while len(batch) < LARGEST_BATCH:
            try:
                # No waiting for company: a lone answer is committed at once, and batches grow only while a commit is
                # under way.
                job = self._waiting.get_nowait()
            except queue.Empty:
                return False
            if job is None:
                return True
            batch.append(job)
        return False

    def _commit_batch(self, batch: list[_Job]) -> None:
        """Run a batch in one transaction and report its results; after a failure, run its jobs one by one."""
        # A failure rolls the whole transaction back, and none of it was acknowledged: each job runs again, alone, and
        # only the faulty one is reported.
        # and only the one that is to blame is told of it.
        try:
            with self.engine.begin() as connection:
                results = [_run_job(job.work, connection) for job in batch]
        except Exception as error:
            if len(batch) == 1:
                if isinstance(error, DBAPIError):
                    self.trouble = (_describe_error(error), time.monotonic())
                _report_results(batch, [_wrap_storage_error(error)])
            else:
                for job in batch:
                    self._commit_batch([job])
            return
        _report_results(batch, results)


def _run_job(work: Callable[[Connection], Any], connection: Connection) -> Any:
    """Return the result of a job, or the Problem that it raised."""
    # A refusal is a result and no failure: earlier changes (an audit row) are committed with the rest.
    # A refusal is a result and no failure: what was written before it (a row of the audit) is committed with the rest.
    try:
        return work(connection)
    except Problem as problem:
        return problem


def _report_results(batch: list[_Job], results: list[Any]) -> None:
    """Set the results of all waiting callers, waking each event loop once."""
    of_loop: dict[asyncio.AbstractEventLoop, list[tuple[Any, Any]]] = {}
    for job, result in zip(batch, results, strict=True):
        if isinstance(job.done, Future):
            _settle_future(job.done, result)
        else:
            of_loop.setdefault(job.done.get_loop(), []).append((job.done, result))
    for loop, settled in of_loop.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed: no request waits there any more
            loop.call_soon_threadsafe(_settle_all, settled)


def _settle_all(settled: list[tuple[Any, Any]]) -> None:
    """Set results on an event loop, except of cancelled requests."""
    for done, result in settled:
        # A request that was given up has cancelled its future; its answer is stored all the same.
        if not done.done():
            _settle_future(done, result)


def _settle_future(done: Any, result: Any) -> None:
    """Set a result or an exception on a future."""
    if isinstance(result, Exception):
        done.set_exception(result)
    else:
        done.set_result(result)


def _describe_error(error: DBAPIError) -> str:
    """Return a database error in words, without participants' answers."""
    message = str(error.orig).lower()
    if "full" in message or "no space" in message:
        return "the disk is full"
    return "it is locked by another program" if "locked" in message or "busy" in message else type(error.orig).__name__


def _wrap_storage_error(error: Exception) -> Exception:
    """Return a storage error for an error of the database (disk full, server gone), so that pages retry."""
    if not isinstance(error, DBAPIError):
        return error
    # The type only: the driver's message may contain a participant's answer.
    _log.error("the store could not write: %s", type(error.orig).__name__)
    return Problem(503, "storage", "The answer could not be stored just now; it is kept here and sent again.")
