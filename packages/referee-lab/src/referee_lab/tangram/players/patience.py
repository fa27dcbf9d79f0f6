"""An answer within so many seconds, or none: whoever does not answer in time is left behind and holds up nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["StalledPlayer", "within"]

Answer = TypeVar("Answer")


class StalledPlayer(Exception):
    """No answer in time."""


def within(seconds: float, ask: Callable[[], Answer]) -> Answer:
    """What `ask` gives or raises; `StalledPlayer` where it takes longer."""
    answers: list[Answer] = []
    raised: list[BaseException] = []

    def answer() -> None:
        try:
            answers.append(ask())
        except BaseException as error:  # passed on to the caller, whatever it is
            raised.append(error)

    # A daemon: a program can end although somebody in it never answers.
    thread = threading.Thread(target=answer, daemon=True, name="player")
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise StalledPlayer(f"no answer within {seconds:g} s")
    if raised:
        raise raised[0]
    return answers[0]
