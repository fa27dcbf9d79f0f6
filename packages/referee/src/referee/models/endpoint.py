"""Sends one question to an endpoint over HTTP; every failure has a defined outcome.

Busy or failing endpoints are tried again after a pause; a question without an answer returns the reason. A parameter
that the server refuses by name is omitted (or renamed) from then on, and every reply lists it. Four errors stop the
work at once: a refused key, an account without credit, a non-existent address, and an endpoint that fails repeatedly.
The key is read from the environment with the first question and masked in everything that the endpoint returns, so that
no file contains it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from referee.errors import InputError, naming_extra
from referee.models.dialects import ResponseError, split_endpoint
from referee.models.http_client import ConnectionFailed, HttpResponse, call_on_loop, post, run_on_loop
from referee.models.rate_limit import (
    ConcurrencyLimit,
    RateLimit,
    Stopped,
    add_jitter,
    estimate_tokens,
    parse_retry_after,
)

# Statuses that say "not now" (timeout, conflict, too early, too many) and not "never".
AGAIN = {408, 409, 425, 429}
BUSY = {429, 503, 529}
# Parameters that can be omitted without changing the question; servers differ in their support.
OPTIONAL = (
    "response_format",
    "tools",
    "tool_choice",
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
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|invalid|not (?:permitted|allowed)|extra inputs|only the default|does not|cannot both"
    r"|use '?max_completion",
    re.I,
)
RENAMED = {"max_tokens": "max_completion_tokens"}
# An account without credit, in the words of OpenAI, Anthropic, OpenRouter, DeepSeek and Gemini. A limit per minute passes by itself and is not meant.
SPENT = re.compile(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|billing_(?:hard_limit_reached|not_active)|credit balance is too low"
    r"|(?:free-models|requests?|tokens|quota)[-_ ]?per[-_ ]?day|PerDay",
    re.I,
)
SECRET_HEADER = re.compile(r"key|auth|token|secret|cookie", re.I)
MASK = "[key]"


class Reply(NamedTuple):
    """The answer as a chat completion, or None and the reason.

    The number of tries, whether a filter refused, and the parameters left out.
    """

    data: Mapping[str, Any] | None
    reason: str
    tries: int
    filtered: bool = False
    adapted: tuple[str, ...] = ()


class _TryAgain(Exception):
    """An error that may pass; the server may have named a pause."""

    def __init__(self, reason: str, pause_s: float | None = None, busy: bool = False) -> None:
        super().__init__(reason)
        self.pause_s, self.busy = pause_s, busy


class _NotAnswered(Exception):
    """The endpoint will not answer this question, however often it is asked."""


class _Filtered(_NotAnswered):
    """A content filter of the endpoint refused the question."""


class _Adapted(Exception):
    """The server refused a parameter by name; without it the question can be sent again at once."""


@dataclass
class Endpoint:
    """An endpoint with its limits: time, tries, questions and tokens a minute, questions at once, failures in a row.

    `url` may begin with the name of a dialect (`referee.models.dialects`). `timeout_s` bounds a whole exchange, so it also ends a server that sends byte by
    byte; `patience` is the number of questions in a row that may fail (0: any number); `longest_pause_s` also bounds the pause that a server asks for.
    `headers_variable` names an environment variable with further headers as a JSON object.
    """

    url: str
    model: str = ""
    key_variable: str = ""
    timeout_s: float = 60.0
    tries: int = 4
    pause_s: float = 1.0
    per_minute: float = 0.0
    patience: int = 5
    tokens_per_minute: float = 0.0
    parallel: int = 4
    longest_pause_s: float = 60.0
    headers_variable: str = ""
    _failed: int = field(default=0, init=False, repr=False)
    _refused: set[str] = field(default_factory=set, init=False, repr=False)
    _headers: dict[str, str] | None = field(default=None, init=False, repr=False)
    _secrets: tuple[str, ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        with naming_extra():
            import aiohttp  # noqa: F401  # said before the first question, and not once for each of them
        self._dialect, address = split_endpoint(self.url)
        self.key_variable = self.key_variable or self._dialect.key_variable
        _check_address(address, self.key_variable)
        self._address = self._dialect.address(address, self.model)
        self._rate = RateLimit(self.per_minute, self.tokens_per_minute)
        self._concurrency = ConcurrencyLimit(self.parallel)
        self._random = Random()

    def ask(self, question: Mapping[str, Any]) -> Reply:
        """Return the reply to one question; safe to call from several threads, which share all limits.

        Raises:
            InputError: the work must stop (key, credit, address, too many failures in a row).
            Stopped: `stop` was called before the question was sent.
        """
        return run_on_loop(self._ask(question))

    @property
    def is_stopped(self) -> bool:
        return self._rate.stopped.is_set()

    def stop(self) -> None:
        """End all pauses and send no new requests; running ones are still answered."""
        call_on_loop(self._rate.stopped.set)

    async def _ask(self, question: Mapping[str, Any]) -> Reply:
        """Ask a question, with retries; return the reply or the reason why there is none."""
        reason, filtered, attempt = "", False, 0
        while attempt < max(1, self.tries):
            attempt += 1
            try:
                completion = await self._attempt(question)
            except _Adapted:
                attempt -= 1
            except _TryAgain as again:
                reason = str(again)
                if again.busy:
                    self._concurrency.lower()
                if attempt < self.tries:
                    await self._rate.pause(self._compute_pause(again, attempt))
            except _NotAnswered as refused:
                reason, filtered = str(refused), isinstance(refused, _Filtered)
                break
            else:
                # One answer proves that the endpoint works; only failures in a row count.
                self._failed = 0
                self._concurrency.raise_again()
                return Reply(completion, "", attempt, adapted=self._list_omitted_fields(question))
        if filtered:
            self._failed = 0
        else:
            self._count_failure(reason)
        return Reply(None, reason, attempt, filtered)

    def _compute_pause(self, again: _TryAgain, attempt: int) -> float:
        """Return the seconds until the next attempt: those the server asks for, else a doubling pause."""
        # A pause that the server named is not shortened by jitter.
        doubled = add_jitter(self.pause_s * 2 ** (attempt - 1), self._random)
        return min(doubled if again.pause_s is None else again.pause_s, self.longest_pause_s)

    async def _attempt(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a question once; every attempt counts for the rate limit."""
        sent = self._adapt_question(question)
        body = json.dumps(self._dialect.request(sent)).encode()
        estimate = estimate_tokens(body)
        await self._rate.wait_for_turn(estimate)
        async with self._concurrency:
            if self._rate.stopped.is_set():
                raise Stopped
            completion = await self._post(body, sent)
        usage = completion.get("usage")
        self._rate.settle(estimate, usage.get("total_tokens") or 0 if isinstance(usage, Mapping) else 0)
        return completion

    def _adapt_question(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the question without the parameters that the server refused."""
        sent = dict(question)
        for name in self._refused & set(sent):
            parameter = sent.pop(name)
            if (other := RENAMED.get(name)) and other not in self._refused and other not in self._dialect.renamed:
                sent[other] = parameter
        return sent

    def _list_omitted_fields(self, question: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(sorted((self._refused | self._dialect.unsupported) & set(question)))

    def _count_failure(self, reason: str) -> None:
        """Count a failed question. Raises InputError after too many in a row."""
        self._failed += 1
        if self.patience and self._failed >= self.patience:
            raise InputError(
                f"the endpoint failed {self._failed} questions in a row (last: {reason})",
                where=self.url,
                remedy="check that it runs; answers so far are stored, and the same command resumes from there (patience: the number of failures allowed)",
            )

    async def _post(self, body: bytes, sent: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a request and return its response. Raises an exception by kind of failure."""
        if self._headers is None:
            self._headers = self._read_headers()
        try:
            response = await post(self._address, body, self._headers, self.timeout_s)
        except ConnectionFailed as failure:
            raise _TryAgain(self._mask_text(str(failure)), busy=failure.timed_out) from None
        if response.status != 200:
            raise self._make_error(response.status, response, sent)
        try:
            text = response.body.decode("utf-8", "surrogatepass")
            completion: Mapping[str, Any] = self._mask_json(self._dialect.completion(json.loads(text)))
            return completion
        except ResponseError as error:
            raise self._make_error(error.status, response, sent, str(error)) from None
        # RecursionError: JSON may be nested without end.
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            raise _TryAgain(f"the endpoint answered something that is not {self._is_expected()}") from None

    def _is_expected(self) -> str:
        return "a chat completion" if not self._dialect.renamed else f"a response of {type(self._dialect).__name__}"

    def _read_headers(self) -> dict[str, str]:
        """Return all headers; the key and further headers come from environment variables, so that no run folder
        contains them.
        """
        key = os.environ.get(self.key_variable, "").strip()
        # The HTTP library would refuse such a header too, in a message that shows the key.
        if not key.isascii() or not key.isprintable():
            raise InputError(f"the key in {self.key_variable} has characters that no key has", remedy="set it again")
        further = self._read_further_headers()
        secrets = [key, *(text for name, text in further.items() if SECRET_HEADER.search(name))]
        # Longest first: one may be a part of another.
        self._secrets = tuple(sorted({s for s in secrets if len(s) >= 4}, key=len, reverse=True))
        basic = {"Content-Type": "application/json", "Accept": "application/json"}
        return {**basic, **self._dialect.headers(key), **further}

    def _read_further_headers(self) -> dict[str, str]:
        """Return further headers from their environment variable. Raises InputError if they are invalid."""
        if not self.headers_variable:
            return {}
        try:
            headers = json.loads(os.environ[self.headers_variable])
            if not all(isinstance(text, str) and text.isascii() and text.isprintable() for text in headers.values()):
                raise ValueError
        except (KeyError, ValueError, AttributeError):
            raise InputError(
                f"the environment variable {self.headers_variable} has no headers",
                remedy=f"""set it like {self.headers_variable}='{{"X-Title": "my study"}}'""",
            ) from None
        return dict(headers)

    def _mask_text(self, text: str) -> str:
        """Return a text with secrets masked."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return text

    def _mask_json(self, part: Any) -> Any:
        """Return JSON with the key masked in every string; tokens that together spell the key go altogether."""
        if not self._secrets:
            return part
        if isinstance(part, str):
            return self._mask_text(part)
        if isinstance(part, Mapping):
            return {name: self._mask_json(inner) for name, inner in part.items()}
        if isinstance(part, list):
            tokens = [t.get("token") for t in part if isinstance(t, Mapping)]
            spelled = "".join(t for t in tokens if isinstance(t, str))
            return [] if self._mask_text(spelled) != spelled else [self._mask_json(inner) for inner in part]
        return part

    def _make_error(self, status: int, response: HttpResponse, sent: Mapping[str, Any], reason: str = "") -> Exception:
        """Return the exception for an HTTP status, or for an error inside a response of status 200 (`reason`)."""
        reason = reason or _format_reason(response.body)
        shown = " ".join(self._mask_text(reason).split())[:200]
        problem = f"HTTP {status}: {shown}" if status and shown else f"HTTP {status}" if status else shown
        if status == 402 or (status in (0, 400, 403, 429) and SPENT.search(reason)):
            return InputError(
                f"the account has no credit left ({problem})",
                where=self.url,
                remedy="add credit or use another key; answers so far are stored, and the same command resumes from there",
            )
        if "content_filter" in reason or (status == 403 and "flagged" in reason):
            return _Filtered(problem)
        if status in (401, 403):
            # Another key may be set before the next question.
            self._headers = None
            return InputError(
                f"the endpoint does not accept the key ({problem})",
                where=self.url,
                remedy=f"put a valid key into the environment variable {self.key_variable}",
            )
        # Redirects are not followed and end up here.
        if status == 404 or 300 <= status < 400:
            return InputError(
                f"there is no such endpoint or model ({problem})",
                where=self.url,
                remedy="check endpoint: (it usually ends in /v1) and model:",
            )
        if status in AGAIN or status >= 500 or status == 0:
            return _TryAgain(problem, parse_retry_after(response.headers), busy=status in BUSY)
        if status in (400, 422) and self._learn_refusal(reason, sent):
            return _Adapted()
        return _NotAnswered(problem)

    def _learn_refusal(self, reason: str, sent: Mapping[str, Any]) -> bool:
        """Return whether an error names an optional parameter of the question.

        If so, it is left out from now on.
        """
        if not REFUSING.search(reason):
            return False
        names = {name: self._dialect.renamed.get(name, name) for name in OPTIONAL if name in sent}
        refused = [n for n, theirs in names.items() if re.search(rf"\b(?:{n}|{theirs})\b", reason)]
        # Errors about one parameter often name the one to use instead.
        refused = [n for n in refused if n not in RENAMED.values()] or refused
        self._refused.update(refused)
        # These go together.
        for name, other in (("logprobs", "top_logprobs"), ("tools", "tool_choice")):
            if name in refused:
                self._refused.add(other)
        # Another question may have learned it meanwhile: this one was sent too early, and is sent again as well.
        return bool(refused)


def _check_address(url: str, key_variable: str) -> None:
    """Raise InputError for an address that is no valid URL."""
    try:
        parts = urlsplit(url)
        # `port` raises ValueError for an invalid port; no server listens on 0.
        is_good = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port)
    except ValueError:
        is_good = False
    if not is_good:
        raise InputError(
            f"{url!r} is not the address of an endpoint",
            remedy="write it like https://HOST/v1 (endpoint:https://HOST/v1)",
        )
    if parts.username or parts.password:
        raise InputError(
            "the address of the endpoint has a password in it, which would be written into the run",
            remedy=f"leave it out and put the key into the environment variable {key_variable}",
        )


def _format_reason(body: bytes) -> str:
    """Return an error response as text; JSON is written without escapes, behind which a key could hide."""
    text = body.decode("utf-8", "replace")
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
