"""The speakers and hearers of the playground.

Those that need training are trained in the background, one after another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from referee.capabilities import learns
from referee.records import Trial

__all__ = ["Learners", "Learning"]


class Learning(Exception):
    """A speaker or hearer is asked before its training has finished."""


@dataclass(slots=True)
class Learners:
    """Trains components in the background; `trials` returns the training data of a corpus by name."""

    trials: Callable[[str], Sequence[Trial]]
    _futures: dict[tuple[str, str, str], Future[Any]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    # One at a time: several would only slow each other down, and the answers of those that are ready.
    _school: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="learning"))

    def hearer(self, name: str, corpus: str, build: Callable[[], Any]) -> Any:
        """Return a hearer that can answer; one that learns is trained first."""
        hearer = build()
        if not learns(hearer):
            return _fitted(hearer, ())
        return self.taught("hearer", name, corpus, build)

    def taught(self, kind: str, name: str, corpus: str, build: Callable[[], Any]) -> Any:
        """Return the trained component; raise `Learning` until training has finished, or its error."""
        key = (kind, name, corpus)
        with self._lock:
            if key not in self._futures:
                self._futures[key] = self._school.submit(lambda: _fitted(build(), self.trials(corpus)))
            future = self._futures[key]
        if not future.done():
            raise Learning(f"learns from {corpus}")
        return future.result()

    def close(self) -> None:
        self._school.shutdown(wait=False, cancel_futures=True)


def _fitted(thing: Any, trials: Sequence[Trial]) -> Any:
    """Return the trained object; `fit` may return None in plug-ins."""
    fitted = thing.fit(trials)
    # Plug-ins whose `fit` returns nothing are forgiven.
    return thing if fitted is None else fitted
