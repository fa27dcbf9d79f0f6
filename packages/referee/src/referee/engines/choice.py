"""An engine by the name that a user gives it."""

from __future__ import annotations

import os

from referee.engines.local import LocalEngine
from referee.engines.on_ray import RayEngine
from referee.engines.pieces import Engine
from referee.errors import InputError

ENGINES = ("local", "ray")


def make_engine(name: str, jobs: int | None = None, address: str | None = None) -> Engine:
    """Return the engine ``local`` or ``ray``; `jobs` defaults to one worker for each core.

    >>> make_engine("local", 3)
    LocalEngine(jobs=3, apart=False)
    """
    if name not in ENGINES:
        raise InputError(f"no engine is called {name!r}", remedy=f"--engine is one of {', '.join(ENGINES)}")
    if name == "ray":
        return RayEngine(address=address, jobs=jobs)
    if address is not None:
        raise InputError("--address needs --engine ray", remedy="leave it out, or say --engine ray")
    return LocalEngine(jobs or count_cores())


def make_process_engine(name: str, jobs: int | None = None, address: str | None = None) -> Engine | None:
    """Return an engine with worker processes; None for one local job, which runs in this process.

    Without `jobs` that is one job here, and on Ray as many as there is room for.

    >>> make_process_engine("local") is None, make_process_engine("local", 2)
    (True, LocalEngine(jobs=2, apart=False))
    """
    processes = jobs or (1 if name == "local" else None)
    return None if (name, processes, address) == ("local", 1, None) else make_engine(name, processes, address)


def count_cores() -> int:
    # Cores that this process may use: in a container fewer than there are.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
