"""Many conversations in one thread: who waits for a line, or for a time, lets the others go on.

Threads would do, and do where greenlet is not installed; but each of them wakes up to find that another has the interpreter, and against an endpoint that
answers quickly more time goes into taking turns than into asking (docs/models.md has numbers). Whoever waits calls `rest`, or asks `here` for the board and
waits on it for a socket; in an ordinary thread there is no board, and one simply waits.
"""

from __future__ import annotations

import heapq
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar

__all__ = ["READ", "WRITE", "Awaited", "Switchboard", "here", "rest"]

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
# How often somebody looks whether the time of a line is up.
LOOK_S = 0.05
# Whoever waits for answers gets so many at once, or what there is after so long.
TOGETHER, SOON_S = 64, 0.02
T = TypeVar("T")
_OF_THREAD = threading.local()


def here() -> Switchboard | None:
    """The board that this code runs on, if any."""
    found: Switchboard | None = getattr(_OF_THREAD, "board", None)
    return found


def rest(seconds: float) -> None:
    """Wait, and let others go on meanwhile."""
    board = here()
    if board is None:
        time.sleep(seconds)
    else:
        board.rest(seconds)


class Awaited:
    """A question that somebody answers elsewhere: `done` is locked until then."""

    __slots__ = ("done", "error", "given", "question")

    def __init__(self, question: Any) -> None:
        self.question, self.given = question, None
        self.error: BaseException | None = None
        self.done = threading.Lock()
        self.done.acquire()

    def answer_by(self, answer: Callable[[Any], Any]) -> None:
        """Answer it, or keep why there is no answer for whoever waits for it."""
        try:
            self.given = answer(self.question)
        except BaseException as error:
            self.error = error

    def answer(self) -> Any:
        """The answer, as soon as it is there."""
        self.done.acquire()
        if self.error is not None:
            raise self.error
        return self.given


class Switchboard:
    """Answers questions, so many at once, all in one thread of its own.

    Ctrl-C strikes the thread that waits for answers, and never this one, which may just be keeping one.
    """

    def __init__(self, answer: Callable[[Any], Any], at_once: int) -> None:
        from greenlet import getcurrent, greenlet

        self._current, self._greenlet = getcurrent, greenlet
        self._answer, self._free = answer, at_once
        self._todo: deque[Awaited] = deque()
        self._under_way: set[Awaited] = set()
        self._finished: list[Awaited] = []
        # Who may go on at once; a helping thread adds to it too.
        self._back: deque[Any] = deque()
        self._times: list[tuple[float, int, Any]] = []
        self._order = count()
        self._selector = selectors.DefaultSelector()
        self._bell, self._rope = socket.socketpair()
        self._bell.setblocking(False)
        self._bell_line = self._bell.fileno()
        self._at_rope, self._gone = threading.Lock(), False
        self._selector.register(self._bell, READ)
        self._registered: dict[int, tuple[Any, int]] = {}
        self._waiting: dict[int, tuple[Any, float]] = {}
        self._asleep = self._closing = False
        self._fault: BaseException | None = None
        self._looked = self._handed = 0.0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    # -- for whoever has questions ---------------------------------------------------------------------------------------------

    def take(self, question: Any) -> Awaited:
        asked = Awaited(question)
        self._todo.append(asked)
        if self._fault is not None:
            self._give_up(self._fault)
        elif self._asleep and self._free:
            self._ring()
        return asked

    def go_home(self) -> None:
        """Leave what nobody has begun, and wait for what is under way."""
        self._todo.clear()
        self._closing = True
        self._ring()
        self._thread.join()
        self._selector.close()
        # A helping thread may ring late, when the one it called for has long gone on for another reason.
        with self._at_rope:
            self._gone = True
            self._bell.close()
            self._rope.close()

    # -- for those that run on it ----------------------------------------------------------------------------------------------

    def rest(self, seconds: float) -> None:
        """Let others go on for so long."""
        heapq.heappush(self._times, (time.monotonic() + seconds, next(self._order), self._current()))
        self._hub.switch()

    def wait(self, sock: Any, for_what: int, deadline: float) -> None:
        """Until a socket can be read or written, or the time is up: then there is a `TimeoutError`."""
        line = sock.fileno()
        # It stays registered from question to question, which saves two calls of the kernel each time.
        if self._registered.get(line) != (sock, for_what):
            self.forget(sock)
            self._selector.register(line, for_what)
            self._registered[line] = (sock, for_what)
        self._waiting[line] = (self._current(), deadline)
        if not self._hub.switch():
            raise TimeoutError("timed out")

    def forget(self, sock: Any) -> None:
        """A socket is about to be closed, and its number will be another's."""
        line = sock.fileno()
        if self._registered.pop(line, None) is not None:
            self._selector.unregister(line)

    def elsewhere(self, job: Callable[[], T]) -> T:
        """Do something that blocks (finding an address, shaking hands) in a thread of its own."""
        asked, me = Awaited(None), self._current()

        def work() -> None:
            asked.answer_by(lambda _: job())
            asked.done.release()
            self._back.append(me)
            self._ring()

        threading.Thread(target=work, daemon=True).start()
        self._hub.switch()
        found: T = asked.answer()
        return found

    # -- the thread ------------------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        _OF_THREAD.board = self
        self._hub = self._current()
        try:
            while not self._closing or self._under_way:
                self._begin()
                self._asleep = True
                moved = self._selector.select(self._how_long())
                self._asleep = False
                for key, _ in moved:
                    self._answer_line(key.fd)
                self._call_back()
                if not self._todo or time.monotonic() >= self._handed + SOON_S:
                    self._hand_over()
        except BaseException as error:
            # A fault of the board itself: nobody must wait for it for ever. Told before anything is given up, so that whoever comes after that sees it.
            self._fault = error
            for asked in self._under_way:
                asked.error = error
            self._finished += self._under_way
            self._hand_over()
            self._give_up(error)

    def _give_up(self, error: BaseException) -> None:
        """What waits is not answered any more; each is taken out by one thread alone."""
        with suppress(IndexError):
            while True:
                asked = self._todo.popleft()
                asked.error = error
                asked.done.release()

    def _begin(self) -> None:
        """Take up questions while there is room."""
        while self._free and self._todo and not self._closing:
            self._free -= 1
            self._greenlet(self._work, self._hub).switch()

    def _work(self) -> None:
        """Answer one question after another, as long as there are any."""
        with suppress(IndexError):
            while True:
                asked = self._todo.popleft()
                self._under_way.add(asked)
                asked.answer_by(self._answer)
                self._under_way.discard(asked)
                self._finished.append(asked)
                # Where answers are at hand nobody waits, and it would go on like this to the last.
                if len(self._finished) >= TOGETHER:
                    self._hand_over()
        self._free += 1

    def _hand_over(self) -> None:
        """Several at once: whoever waits for answers is woken once for all of them."""
        for asked in self._finished:
            asked.done.release()
        self._finished.clear()
        self._handed = time.monotonic()

    def _how_long(self) -> float | None:
        """How long nobody needs to be called, if no line moves."""
        # What was put in since `_begin` looked would wait for a bell that nobody rang.
        if self._back or (self._todo and self._free):
            return 0
        until = SOON_S if self._finished else LOOK_S if self._waiting else None
        if self._times:
            left = max(0.0, self._times[0][0] - time.monotonic())
            return left if until is None else min(until, left)
        return until

    def _answer_line(self, line: int) -> None:
        if line == self._bell_line:
            with suppress(BlockingIOError):
                self._bell.recv(1 << 12)
            return
        waiting = self._waiting.pop(line, None)
        if waiting is not None:
            waiting[0].switch(True)
        elif self._registered.pop(line, None) is not None:
            # Nobody listens: the other side has hung up, which whoever takes up this line next will see.
            self._selector.unregister(line)

    def _call_back(self) -> None:
        """All whose time has come."""
        now = time.monotonic()
        while self._times and self._times[0][0] <= now:
            heapq.heappop(self._times)[2].switch()
        while self._back:
            self._back.popleft().switch()
        if now >= self._looked + LOOK_S:
            self._looked = now
            for line in [line for line, (_, deadline) in self._waiting.items() if deadline <= now]:
                self._waiting.pop(line)[0].switch(False)

    def _ring(self) -> None:
        with self._at_rope:
            if not self._gone:
                self._rope.send(b"!")
