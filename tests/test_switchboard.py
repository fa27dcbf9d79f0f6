"""One thread for many questions: all are under way at once, lines and pauses are waited for together, and faults reach whoever asked."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from referee.capabilities import in_parallel
from referee.switchboard import READ, Awaited, Switchboard, here, rest


@contextmanager
def board(answer: Any, at_once: int = 4) -> Iterator[Switchboard]:
    made = Switchboard(answer, at_once)
    try:
        yield made
    finally:
        made.go_home()


class Patient:
    """Waits by the board alone."""

    parallel = 8
    waits_together = True


def test_all_are_under_way_at_once_in_one_thread_and_answers_come_in_order() -> None:
    begun: set[int] = set()
    threads: set[int] = set()

    def answer(n: int) -> int:
        threads.add(threading.get_ident())
        begun.add(n)
        # Eight meet here before any goes on: fewer at once would never get past it.
        while len(begun) < 8:
            rest(0.001)
        return n * n

    assert list(in_parallel(Patient(), answer, range(40))) == [n * n for n in range(40)]
    assert len(threads) == 1
    assert threads != {threading.get_ident()}, "Ctrl-C strikes another thread"
    assert here() is None


def test_who_waits_for_a_line_lets_others_go_on() -> None:
    lines = [socket.socketpair() for _ in range(3)]
    for near, _ in lines:
        near.setblocking(False)

    def answer(n: int) -> bytes:
        if n == 3:
            # The last to be asked speaks into all lines: the others must have let it begin.
            for k, (_, far) in enumerate(lines):
                far.send(b"%d" % k)
            return b""
        found = here()
        assert found is not None
        said = b""
        for _ in range(2):
            found.wait(lines[n][0], READ, time.monotonic() + 30)
            said += lines[n][0].recv(10)
            lines[n][1].send(b"again")
        return said

    with board(answer) as made:
        asked = [made.take(n) for n in range(4)]
        assert [a.answer() for a in asked] == [b"0again", b"1again", b"2again", b""]
    for pair in lines:
        for end in pair:
            end.close()


def test_a_line_that_stays_silent_is_given_up() -> None:
    near, far = socket.socketpair()

    def answer(_: int) -> None:
        found = here()
        assert found is not None
        found.wait(near, READ, time.monotonic() + 0.01)

    with board(answer) as made, pytest.raises(TimeoutError):
        made.take(0).answer()
    near.close()
    far.close()


def test_a_line_that_is_closed_gives_its_number_to_the_next() -> None:
    """A new socket gets the number of the one that was closed; who waits for it must be called all the same."""

    def answer(_: int) -> list[bytes]:
        found, said, numbers = here(), [], set()
        assert found is not None
        for k in range(3):
            near, far = socket.socketpair()
            numbers.add(near.fileno())
            far.send(b"%d" % k)
            found.wait(near, READ, time.monotonic() + 30)
            said.append(near.recv(5))
            if k:
                found.forget(near)  # the first is closed behind the board's back
            near.close()
            far.close()
        assert len(numbers) == 1
        return said

    with board(answer) as made:
        assert made.take(0).answer() == [b"0", b"1", b"2"]


def test_what_blocks_is_done_elsewhere_and_its_fault_comes_back() -> None:
    def answer(n: int) -> int:
        found = here()
        assert found is not None
        return found.elsewhere(threading.get_ident if n else lambda: 1 // 0)

    with board(answer) as made:
        assert made.take(1).answer() not in (threading.get_ident(), made._thread.ident)
        with pytest.raises(ZeroDivisionError):
            made.take(0).answer()


def test_a_helper_may_ring_when_the_board_has_gone_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another wakes the board first: what the helper found is taken, all is answered, and only then does the bell ring."""
    ring, gone, late = Switchboard._ring, threading.Event(), []

    def ring_late(self: Switchboard) -> None:
        if threading.current_thread() is not threading.main_thread():
            late.append(threading.current_thread())
            assert gone.wait(30)
        ring(self)

    def answer(n: int) -> int:
        found = here()
        assert found is not None
        if n == 0:
            return found.elsewhere(lambda: 7)
        while not late:
            rest(0.001)
        return n

    monkeypatch.setattr(Switchboard, "_ring", ring_late)
    troubles: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", troubles.append)
    with board(answer) as made:
        assert [asked.answer() for asked in [made.take(0), made.take(1)]] == [7, 1]
    gone.set()
    for helper in late:
        helper.join()
    assert len(late) == 1
    assert troubles == []


def test_a_fault_reaches_whoever_asked_and_what_was_not_begun_is_left() -> None:
    begun: list[int] = []

    def answer(n: int) -> int:
        begun.append(n)
        rest(0.001)
        raise ValueError(n)

    with pytest.raises(ValueError, match="0"):
        list(in_parallel(Patient(), answer, range(10_000)))
    assert len(begun) < 10_000


def test_a_fault_of_the_board_itself_leaves_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Switchboard) -> None:
        raise OSError("too many open files")

    monkeypatch.setattr(Switchboard, "_call_back", broken)
    with board(lambda n: rest(0.001)) as made:
        asked = [made.take(n) for n in range(9)]
        with pytest.raises(OSError, match="too many"):
            asked[0].answer()
        made._thread.join(30)
        late = made.take(9)
        for one in (*asked[1:], late):
            assert one.done.acquire(timeout=30), "also who comes when it has stopped"
            assert isinstance(one.error, OSError)


def test_without_greenlet_threads_do_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.capabilities.find_spec", lambda name: None)
    seen: set[int] = set()
    barrier = threading.Barrier(8, timeout=30)

    def answer(n: int) -> int:
        seen.add(threading.get_ident())
        assert here() is None
        barrier.wait()
        return n

    assert list(in_parallel(Patient(), answer, range(16))) == list(range(16))
    assert len(seen) == 8


def test_an_answer_that_is_none_is_an_answer() -> None:
    asked = Awaited(1)
    asked.answer_by(lambda n: None)
    asked.done.release()
    assert asked.answer() is None
