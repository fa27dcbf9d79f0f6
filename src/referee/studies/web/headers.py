"""Security headers on every reply, errors included, and every error as JSON that says what to do."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.studies.sessions.refusals import Problem

__all__ = ["SecureReplies", "security_headers", "send_problem"]

_log = logging.getLogger("referee.studies")
_TURK = "https://www.mturk.com https://workersandbox.mturk.com"


def security_headers(*, mturk: bool = False, voice: bool = False) -> list[tuple[bytes, bytes]]:
    """Nothing from elsewhere, nothing inline, nobody's frame; studies on Mechanical Turk may stand in its frame and send it their form.

    Only a study that records voices may ask for the microphone.
    """
    frames = f"{_TURK} https://*.mturk.com" if mturk else "'none'"
    forms = f"'self' {_TURK}" if mturk else "'self'"
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; "
        f"media-src 'self'; base-uri 'none'; form-action {forms}; frame-ancestors {frames}"
    )
    headers = {
        "content-security-policy": policy,
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-embedder-policy": "require-corp",
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "permissions-policy": f"camera=(), geolocation=(), microphone=({'self' if voice else ''}), payment=(), usb=()",
    }
    if not mturk:
        headers["x-frame-options"] = "DENY"
    return [(name.encode(), value.encode()) for name, value in headers.items()]


class SecureReplies:
    """Adds the headers to whatever is answered; an exception becomes a reply that says nothing about the inside."""

    def __init__(
        self, app: ASGIApp, turk_studies: frozenset[str] = frozenset(), voice_studies: frozenset[str] = frozenset()
    ) -> None:
        self.app = app
        self._plain = security_headers()
        self._own = {
            study: security_headers(mturk=study in turk_studies, voice=study in voice_studies)
            for study in turk_studies | voice_studies
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        extra = self._own.get(_study_of(scope["path"]), self._plain)
        begun = False

        async def secured(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = [*_cached(message.get("headers", [])), *extra]
            await send(message)

        try:
            await self.app(scope, receive, secured)
        except Problem as problem:
            await send_problem(secured, problem)
        except Exception as error:
            _log.error("a request failed: %s", type(error).__name__, exc_info=error)
            if begun:
                raise
            await send_problem(
                secured, Problem(500, "server-error", "Something went wrong here. Your answers are kept; try again.")
            )


def _cached(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """What says nothing about caching is not to be kept anywhere."""
    has = any(name.lower() == b"cache-control" for name, _ in headers)
    return list(headers) if has else [*headers, (b"cache-control", b"no-store")]


def _study_of(path: str) -> str:
    parts = path.split("/", 3)
    return parts[2] if len(parts) > 2 and parts[1] == "s" else ""


async def send_problem(send: Send, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
    """A refusal as a whole reply, for places below the routes."""
    body = json.dumps(problem.body()).encode()
    more = [(k.encode(), v.encode()) for k, v in (headers or {}).items()]
    start: dict[str, Any] = {"type": "http.response.start", "status": problem.status}
    start["headers"] = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *more]
    await send(start)
    await send({"type": "http.response.body", "body": body})
