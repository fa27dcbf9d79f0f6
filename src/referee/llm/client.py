"""One question to an OpenAI-compatible endpoint over plain HTTP, in which every failure has a defined outcome.

Busy or broken answers are asked for again after a pause; a question that stays unanswered comes back with the reason. A parameter that the server refuses by
name is left out (or renamed) from then on, which every reply says. Three things stop the work at once, because going on would be useless: a refused key, an
address that is not there, and an endpoint that fails again and again. The key is read from the environment with the first question and is written nowhere.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from referee.errors import InputError
from referee.llm.connection import Answer, Connections
from referee.llm.pace import Gate, Pace, Stopped, pause_asked_for, spread_out, tokens_guessed

__all__ = ["Endpoint", "Reply"]

# Statuses that say "not now" (timeout, conflict, too early, too many) and not "never".
AGAIN = {408, 409, 425, 429}
BUSY = {429, 503, 529}
# What can be left out of a question without changing what is asked; servers differ in which of these they know.
OPTIONAL = (
    "response_format",
    "reasoning_effort",
    "temperature",
    "top_p",
    "seed",
    "logprobs",
    "top_logprobs",
    "max_tokens",
    "max_completion_tokens",
)
REFUSING = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|invalid|not (?:permitted|allowed)|extra inputs|only the default|does not|use '?max_completion",
    re.I,
)
RENAMED = {"max_tokens": "max_completion_tokens"}


class Reply(NamedTuple):
    """What came of a question: the answer as data, or None and the reason; how often it was asked, whether a filter refused it, and what was left out."""

    data: Mapping[str, Any] | None
    reason: str
    tries: int
    filtered: bool = False
    adapted: tuple[str, ...] = ()


class _TryAgain(Exception):
    """Something that may pass; the server may have said how long to wait."""

    def __init__(self, reason: str, pause_s: float | None = None, busy: bool = False) -> None:
        super().__init__(reason)
        self.pause_s, self.busy = pause_s, busy


class _NotAnswered(Exception):
    """This question will not be answered, however often it is asked."""


class _Filtered(_NotAnswered):
    """A content filter of the endpoint refused it."""


class _Adapted(Exception):
    """A parameter was refused by name; without it the question may be put again at once."""


@dataclass
class Endpoint:
    """An endpoint with its manners: how long to wait, how often to ask, how many questions and tokens a minute, when to give up altogether.

    `timeout_s` bounds a whole exchange, so a server that drips its answer is given up too; `patience` is the number of questions in a row that may fail
    (0: any number), `longest_pause_s` also holds for what a server asks for, which may be hours.
    """

    url: str
    key_variable: str = "OPENAI_API_KEY"
    timeout_s: float = 60.0
    tries: int = 4
    pause_s: float = 1.0
    per_minute: float = 0.0
    patience: int = 5
    tokens_per_minute: float = 0.0
    parallel: int = 4
    longest_pause_s: float = 60.0
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _failed: int = field(default=0, init=False, repr=False)
    _refused: set[str] = field(default_factory=set, init=False, repr=False)
    _headers: dict[str, str] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self._check_address()
        self._pace = Pace(self.per_minute, self.tokens_per_minute)
        self._gate = Gate(self.parallel)
        self._connections = Connections(self.url)
        self._address = f"{self.url.rstrip('/')}/chat/completions"
        self._lots = Random()

    def ask(self, question: Mapping[str, Any], body: bytes = b"") -> Reply:
        """The answer to one question; safe to call from several threads, which then share pace and patience.

        `body` is the question as JSON, where somebody has written it already.
        """
        reason, filtered, attempt = "", False, 0
        while attempt < max(1, self.tries):
            attempt += 1
            try:
                data = self._put(question, body)
            except _Adapted:
                attempt -= 1
            except _TryAgain as again:
                reason = str(again)
                if again.busy:
                    self._gate.complain()
                if attempt < self.tries:
                    self._pace.pause(self._pause(again, attempt))
            except _NotAnswered as refused:
                reason, filtered = str(refused), isinstance(refused, _Filtered)
                break
            else:
                # One answer proves that the endpoint lives; only failures in a row wear out patience.
                self._failed = 0
                self._gate.praise()
                return Reply(data, "", attempt, adapted=self._left_out(question))
        if filtered:
            self._failed = 0
        else:
            self._lose_patience(reason)
        return Reply(None, reason, attempt, filtered)

    def stop(self) -> None:
        """Whoever waits for a turn or a pause waits no longer; questions under way are still answered."""
        self._pace.stop.set()

    def _pause(self, again: _TryAgain, attempt: int) -> float:
        # Where the server named a time, nobody comes back before it.
        asked = spread_out(self.pause_s * 2 ** (attempt - 1), self._lots) if again.pause_s is None else again.pause_s
        return min(asked, self.longest_pause_s)

    def _put(self, question: Mapping[str, Any], body: bytes) -> Mapping[str, Any]:
        """One try; inside the loop of tries, since a question that is put again is one more for whoever counts them."""
        sent = self._adapted(question)
        if not body or sent is not question:
            body = json.dumps(sent).encode()
        guessed = tokens_guessed(body)
        self._pace.wait_for_turn(guessed)
        with self._gate:
            if self._pace.stop.is_set():
                raise Stopped
            data = self._post(body, sent)
        if self.tokens_per_minute > 0:
            usage = data.get("usage")
            self._pace.settle(guessed, usage.get("total_tokens") or 0 if isinstance(usage, Mapping) else 0)
        return data

    def _adapted(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """The question without what the server refused; the same object where that is nothing."""
        if not self._refused & question.keys():
            return question
        sent = dict(question)
        for name in self._refused & set(sent):
            value = sent.pop(name)
            if (other := RENAMED.get(name)) and other not in self._refused:
                sent[other] = value
        return sent

    def _left_out(self, question: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(sorted(self._refused & set(question))) if self._refused else ()

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

    def _lose_patience(self, reason: str) -> None:
        with self._lock:
            self._failed += 1
            failed = self._failed
        if self.patience and failed >= self.patience:
            raise InputError(
                f"the endpoint failed {failed} questions in a row (last: {reason})",
                where=self.url,
                remedy="see that it runs; answers so far are kept, and the same command goes on from there (patience: says how many may fail)",
            )

    def _post(self, body: bytes, sent: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._headers is None:
            self._headers = {
                "Content-Type": "application/json",
                "Accept": "application/json",
                **self._authorisation(),
            }
        try:
            answer = self._connections.post(self._address, body, self._headers, self.timeout_s)
        except (OSError, http.client.HTTPException) as error:
            raise _TryAgain(_spoken(error), busy=isinstance(error, TimeoutError)) from None
        if answer.status == 200:
            return _understood(answer.body)
        raise self._judged(answer, sent)

    def _authorisation(self) -> dict[str, str]:
        """No key, no header: local servers seldom want one."""
        key = os.environ.get(self.key_variable, "").strip()
        # http.client would refuse such a header as well, in a message that shows the key.
        if not key.isascii() or not key.isprintable():
            raise InputError(f"the key in {self.key_variable} has characters that no key has", remedy="set it again")
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _judged(self, answer: Answer, sent: Mapping[str, Any]) -> Exception:
        """What an HTTP status means for us."""
        status = answer.status
        if status in (401, 403):
            # Whoever sets another key is asked for it again.
            self._headers = None
            return InputError(
                f"the endpoint does not accept the key (HTTP {status})",
                where=self.url,
                remedy=f"put a valid key into the environment variable {self.key_variable}",
            )
        # Redirects are not followed and end up here.
        if status == 404 or 300 <= status < 400:
            return InputError(
                f"there is no such endpoint or model (HTTP {status})",
                where=self.url,
                remedy="check endpoint: (it usually ends in /v1) and model:",
            )
        if status in AGAIN or status >= 500:
            return _TryAgain(f"HTTP {status}", pause_asked_for(answer.headers), busy=status in BUSY)
        said = answer.body.decode("utf-8", "replace")
        if status in (400, 422) and self._learn(said, sent):
            return _Adapted()
        # Read again to blot it out: what is said here is kept in the run, and an endpoint may repeat what it was sent.
        key = os.environ.get(self.key_variable, "").strip()
        shown = " ".join(said.replace(key, "…").split()) if key else " ".join(said.split())
        problem = f"HTTP {status}: {shown[:200]}"
        # the code that endpoints give
        return _Filtered(problem) if "content_filter" in problem else _NotAnswered(problem)

    def _learn(self, said: str, sent: Mapping[str, Any]) -> bool:
        """Whether a complaint names a parameter of ours that can be left out; if so it is, from now on."""
        if not REFUSING.search(said):
            return False
        named = [n for n in OPTIONAL if n in sent and re.search(rf"\b{n}\b", said)]
        # Complaints about one parameter often name the one to use instead.
        named = [n for n in named if n not in RENAMED.values()] or named
        with self._lock:
            new = [n for n in named if n not in self._refused]
            self._refused.update(new)
            if "logprobs" in new:
                self._refused.add("top_logprobs")
        # Another thread may have learned it meanwhile: then the question was sent too early, and is put again as well.
        return bool(named)


def _understood(body: bytes) -> Mapping[str, Any]:
    try:
        # As text where it looks like what everybody sends: from bytes it is first found out in which of six ways they are written.
        told = body.decode("utf-8", "surrogatepass") if body.startswith(b"{") else body
        data: Mapping[str, Any] = json.loads(told)
        message = data["choices"][0]["message"]
    # RecursionError: brackets nested without end are an answer, too.
    except (ValueError, RecursionError, KeyError, IndexError, TypeError):
        raise _TryAgain("the endpoint answered something that is not a chat completion") from None
    if not isinstance(message, dict):
        raise _TryAgain("the endpoint answered something that is not a chat completion")
    return data


def _spoken(error: Exception) -> str:
    return "timed out" if isinstance(error, TimeoutError) else f"{type(error).__name__}: {error}"[:200]
