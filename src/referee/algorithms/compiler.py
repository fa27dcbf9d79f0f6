"""Numba, kept where it can be: what is compiled once stays on disk for the next process."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

__all__ = ["compiled"]

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on first call, release the interpreter lock while it runs, and keep the result on disk where any place for it can be written."""
    try:
        made = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba found no folder to write to: compile anew in every process rather than fail
        made = numba.njit(nogil=True)(function)
    return cast("Callable[P, R]", made)
