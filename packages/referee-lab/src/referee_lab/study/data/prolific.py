"""Prolific's API: approval of submissions and number of places.

The token is read from the environment and stored nowhere.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

import httpx

from referee.errors import InputError
from referee_lab.server.sessions.outcomes import PAID
from referee_lab.study.data.payment import Owed

TOKEN, ADDRESS = "PROLIFIC_TOKEN", "https://api.prolific.com"
SECONDS = 30.0


def get_prolific_address() -> str:
    """Return the address of Prolific's API, or the one in PROLIFIC_API."""
    return os.environ.get("PROLIFIC_API", ADDRESS)


def open_prolific() -> httpx.Client:
    """Return a client with the token of the environment. Raises InputError without a token."""
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        raise InputError(
            f"{TOKEN} is not set", remedy=f"export {TOKEN}=… with a token of Prolific (Settings, API tokens)"
        )
    return httpx.Client(
        base_url=f"{get_prolific_address()}/api/v1", headers={"Authorization": f"Token {token}"}, timeout=SECONDS
    )


def approve_submissions(client: httpx.Client, people: Sequence[Owed]) -> Counter[str]:
    """Approve the submissions of all sessions that are paid; sessions that were too fast stay open.

    Returns
    -------
    Counter[str]
        Submissions by result: approved, approved before, not paid, or Prolific's state of those that cannot be
        approved yet.
    """
    done: Counter[str] = Counter()
    for person in people:
        if not person.submission or person.outcome not in PAID:
            done["not paid by its outcome" if person.submission else "without a submission"] += 1
            continue
        path = f"/submissions/{person.submission}/"
        state = str(_send_request(client, "GET", path).get("status", ""))
        if state == "AWAITING REVIEW":
            _send_request(client, "POST", f"{path}transition/", {"action": "APPROVE"})
        done[
            "approved" if state == "AWAITING REVIEW" else "approved before" if state == "APPROVED" else state.lower()
        ] += 1
    return done


def set_places(client: httpx.Client, people: Sequence[Owed], places: int) -> str:
    """Set the number of places of the study at Prolific, and return the study's id there."""
    studies = sorted({person.platform_study for person in people if person.platform_study})
    if len(studies) != 1:
        raise InputError(
            f"participants came from {len(studies)} studies at Prolific",
            remedy="set the places there" if studies else "wait for the first participant, or set the places there",
        )
    _send_request(client, "PATCH", f"/studies/{studies[0]}/", {"total_available_places": places})
    return studies[0]


def _send_request(client: httpx.Client, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the answer of Prolific. Raises InputError if the request fails; the token is not shown."""
    try:
        reply = client.request(method, path, json=body)
        answer = reply.json() if reply.content else {}
    except (httpx.HTTPError, ValueError) as error:
        raise InputError(f"Prolific does not answer ({type(error).__name__})", remedy="try again later") from None
    if reply.is_error:
        problem = answer.get("error", answer) if isinstance(answer, dict) else answer
        raise InputError(
            f"Prolific refuses {method} {path} ({reply.status_code}: {str(problem)[:200]})",
            remedy=f"check {TOKEN} and the state of the study there; what was approved before stays approved",
        )
    return answer if isinstance(answer, dict) else {}
