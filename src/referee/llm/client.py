"""One question to an OpenAI-compatible endpoint over plain HTTP, in which every failure has a defined outcome.

Busy or broken answers are asked for again after a pause; a question that stays unanswered comes back with the reason. Three things stop the work
at once, because going on would be useless: a refused key, an address that is not there, and an endpoint that fails again and again. The key is read from
the environment when a question is sent and is written nowhere.
"""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any, NamedTuple
from urllib.parse import urlsplit

from referee.errors import InputError

__all__ = ["Endpoint", "Reply"]

# A chat answer has some kilobytes; a body without end must not fill the memory.
LARGEST_BYTES = 1 << 20
# Also holds for what a server asks for, which may be hours.
LONGEST_PAUSE_S = 60.0
# Statuses that say "not now" (timeout, conflict, too early, too many) and not "never".
AGAIN = {408, 409, 425, 429}


class Reply(NamedTuple):
    """What came of a question: the answer as data, or None and the reason; how often it was asked, and whether a filter refused it."""

    data: Mapping[str, Any] | None
    reason: str
    tries: int
    filtered: bool = False


class _TryAgain(Exception):
    """Something that may pass; the server may have said how long to wait."""

    def __init__(self, reason: str, pause_s: float | None = None) -> None:
        super().__init__(reason)
        self.pause_s = pause_s


class _NotAnswered(Exception):
    """This question will not be answered, however often it is asked."""


class _Filtered(_NotAnswered):
    """A content filter of the endpoint refused it."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to an address that nobody named."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


@dataclass
class Endpoint:
    """An endpoint with its manners: how long to wait, how often to ask, how many questions a minute, when to give up altogether.

    `timeout_s` bounds a whole exchange, so a server that drips its answer is given up too; `patience` is the number of questions in a row that may fail.
    """

    url: str
    key_variable: str = "OPENAI_API_KEY"
    timeout_s: float = 60.0
    tries: int = 4
    pause_s: float = 1.0
    per_minute: float = 0.0
    patience: int = 5
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _next_turn: float = field(default=0.0, init=False, repr=False)
    _failed: int = field(default=0, init=False, repr=False)

    def ask(self, question: Mapping[str, Any]) -> Reply:
        """The answer to one question; safe to call from several threads, which then share pace and patience."""
        self._check_address()
        reason, filtered = "", False
        for attempt in range(1, max(1, self.tries) + 1):
            # Inside the loop: a question that is put again is one more for whoever counts them.
            self._wait_for_turn()
            try:
                data = self._post(question)
            except _TryAgain as again:
                reason = str(again)
                if attempt < self.tries:
                    pause = self.pause_s * 2 ** (attempt - 1) if again.pause_s is None else again.pause_s
                    time.sleep(min(pause, LONGEST_PAUSE_S))
            except _NotAnswered as refused:
                reason, filtered = str(refused), isinstance(refused, _Filtered)
                break
            else:
                # One answer proves that the endpoint lives; only failures in a row wear out patience.
                self._failed = 0
                return Reply(data, "", attempt)
        self._lose_patience(reason)
        return Reply(None, reason, attempt, filtered)

    def _check_address(self) -> None:
        try:
            parts = urlsplit(self.url)
            # `port` raises ValueError for what is no port; 0 is one that nobody listens on.
            good = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port)
        except ValueError:
            good = False
        if not good:
            raise InputError(
                f"{self.url!r} is not the address of an endpoint",
                remedy="write it like https://HOST/v1 (endpoint:https://HOST/v1)",
            )
        if parts.username or parts.password:
            raise InputError(
                "the address of the endpoint has a password in it, which would be written into the run",
                remedy=f"leave it out and put the key into the environment variable {self.key_variable}",
            )

    def _wait_for_turn(self) -> None:
        """Questions leave at even distances; each takes the next free turn before it waits for it."""
        if self.per_minute <= 0:
            return
        with self._lock:
            now = time.monotonic()
            # Only the booking of a turn is locked; the sleeping is done outside, while others book theirs.
            turn = max(now, self._next_turn)
            self._next_turn = turn + 60.0 / self.per_minute
        time.sleep(turn - now)

    def _lose_patience(self, reason: str) -> None:
        with self._lock:
            self._failed += 1
            failed = self._failed
        if failed >= self.patience:
            raise InputError(
                f"the endpoint failed {failed} questions in a row (last: {reason})",
                where=self.url,
                remedy="see that it runs; answers so far are kept, and the same command goes on from there",
            )

    def _post(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", **self._authorisation()}
        body = json.dumps(question).encode()
        request = urllib.request.Request(f"{self.url.rstrip('/')}/chat/completions", body, headers)
        # Not `urlopen`, which follows redirects.
        opener = urllib.request.build_opener(_NoRedirects)
        # The timeout of a socket starts anew with every packet; this one does not.
        deadline = time.monotonic() + self.timeout_s
        try:
            with opener.open(request, timeout=self.timeout_s) as answer:
                return _understood(_read(answer, deadline))
        except urllib.error.HTTPError as error:
            with error:
                raise self._judged(error, deadline) from None
        except (OSError, http.client.HTTPException) as error:
            raise _TryAgain(_spoken(error)) from None

    def _authorisation(self) -> dict[str, str]:
        """No key, no header: local servers seldom want one."""
        key = os.environ.get(self.key_variable, "").strip()
        # http.client would refuse such a header as well, in a message that shows the key.
        if not key.isascii() or not key.isprintable():
            raise InputError(f"the key in {self.key_variable} has characters that no key has", remedy="set it again")
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _judged(self, error: urllib.error.HTTPError, deadline: float) -> Exception:
        """What an HTTP status means for us."""
        if error.code in (401, 403):
            return InputError(
                f"the endpoint does not accept the key (HTTP {error.code})",
                where=self.url,
                remedy=f"put a valid key into the environment variable {self.key_variable}",
            )
        # Redirects are not followed and end up here.
        if error.code == 404 or 300 <= error.code < 400:
            return InputError(
                f"there is no such endpoint or model (HTTP {error.code})",
                where=self.url,
                remedy="check endpoint: (it usually ends in /v1) and model:",
            )
        if error.code in AGAIN or error.code >= 500:
            return _TryAgain(f"HTTP {error.code}", _pause_asked_for(error.headers.get("Retry-After")))
        try:
            said = _read(error, deadline).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException, _TryAgain):
            said = ""
        # Read again to blot it out: what is said here is kept in the run, and an endpoint may repeat what it was sent.
        key = os.environ.get(self.key_variable, "").strip()
        shown = " ".join(said.replace(key, "…").split()) if key else " ".join(said.split())
        problem = f"HTTP {error.code}: {shown[:200]}"
        return (
            _Filtered(problem) if "content_filter" in problem else _NotAnswered(problem)
        )  # the code that endpoints give


def _read(answer: IO[bytes], deadline: float) -> bytes:
    """The whole body, unless it is too large or comes too slowly."""
    parts: list[bytes] = []
    size = 0
    # `read1` gives what has come so far; `read` would wait for all of it, past the deadline.
    while part := answer.read1(1 << 16):  # type: ignore[attr-defined]
        parts.append(part)
        size += len(part)
        if size > LARGEST_BYTES:
            raise _TryAgain(f"the answer is larger than {LARGEST_BYTES} bytes")
        if time.monotonic() > deadline:
            raise _TryAgain("timed out in the middle of the answer")
    return b"".join(parts)


def _understood(body: bytes) -> Mapping[str, Any]:
    try:
        data: Mapping[str, Any] = json.loads(body)
        message = data["choices"][0]["message"]
    # RecursionError: brackets nested without end are an answer, too.
    except (ValueError, RecursionError, KeyError, IndexError, TypeError):
        raise _TryAgain("the endpoint answered something that is not a chat completion") from None
    if not isinstance(message, Mapping):
        raise _TryAgain("the endpoint answered something that is not a chat completion")
    return data


def _pause_asked_for(header: str | None) -> float | None:
    """Retry-After in seconds; dates and nonsense are ignored."""
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None


def _spoken(error: Exception) -> str:
    cause = getattr(error, "reason", error)
    return "timed out" if isinstance(cause, TimeoutError) else f"{type(cause).__name__}: {cause}"[:200]
