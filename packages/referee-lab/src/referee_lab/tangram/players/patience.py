"""Calls with a time limit: a call that does not return in time is abandoned and blocks nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


class StalledPlayer(Exception):
    """No answer in time."""


def call_within(seconds: float, ask: Callable[[], Answer]) -> Answer:
    """Return the result of `ask`, or raise its exception. Raises StalledPlayer after the time limit."""
    answers: list[Answer] = []
    raised: list[BaseException] = []

    def answer() -> None:
        """Store the answer, or the exception that was raised instead."""
        try:
            answers.append(ask())
        except BaseException as error:  # passed on to the caller, whatever it is
            raised.append(error)

    # A daemon thread: the program can exit although a call never returns.
    thread = threading.Thread(target=answer, daemon=True, name="player")
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise StalledPlayer(f"no answer within {seconds:g} s")
    if raised:
        raise raised[0]
    return answers[0]
