"""How a session ends for the person: the code of its outcome, where to go next, and what a platform has to be told (rules 10 and 17)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from referee_lab.server.sessions.served_study import Served

__all__ = ["completion_code", "ending", "turk_address", "turned_away"]

PROLIFIC = "https://app.prolific.com/submissions/complete?cc="
# By outcome alone, which is the server's word (rule 17). A partner who left and a failure of ours are nobody's fault.
PAID = ("completed", "partner_left", "technical")


def completion_code(served: Served, outcome: str, mode: str, session: str = "") -> str:
    """The study's fixed code for an outcome, or one derived from its key.

    On Prolific a derived code is one for all (it is entered there beforehand), elsewhere everyone has their own.
    """
    # A code that no platform takes for a real one.
    if mode == "debug":
        return f"DEBUG-{served.keys.derive('code', served.id, outcome, letters=8)}"
    if (fixed := served.study.recruitment.codes.fixed(outcome)) is not None:
        return fixed
    person = "" if served.study.recruitment.platform == "prolific" else session
    return served.keys.derive("code", served.id, outcome, person, letters=8)


def ending(served: Served, row: Any, details: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the last screen needs. `row` has id, participant, state, outcome and mode of the session; `details` are the platform's."""
    # Shown again to whoever comes back (rule 10): codes are derived, so they are the same each time.
    outcome = row.outcome or "completed"
    code = completion_code(served, outcome, row.mode, row.id)
    return {
        "state": row.state,
        "outcome": outcome,
        "paid": outcome in PAID,
        "code": code,
        **_onward(served, code, row.mode, details or {}),
        "withdrawal_code": served.keys.withdrawal_code(served.id, row.participant),
    }


def turned_away(served: Served, why: str, mode: str, details: Mapping[str, Any]) -> dict[str, Any]:
    """The ending of someone for whom there is no place: full, closed, or a device or answer that the study cannot take. Nothing is stored of them."""
    code = completion_code(served, why, mode)
    return {"state": why, "outcome": why, "paid": False, "code": code, **_onward(served, code, mode, details)}


def declined(served: Served, mode: str, details: Mapping[str, Any]) -> dict[str, Any]:
    """The ending of someone who said no: a code, and nothing that could lead back to them."""
    code = completion_code(served, "declined", mode)
    return {
        "state": "declined",
        "outcome": "declined",
        "paid": False,
        "code": code,
        **_onward(served, code, mode, details),
    }


def _onward(served: Served, code: str, mode: str, details: Mapping[str, Any]) -> dict[str, Any]:
    platform = served.study.recruitment.platform
    if platform == "prolific" and mode != "debug":
        # Fixed codes are what organisers typed into study.toml.
        return {"redirect": PROLIFIC + quote(code, safe="")}
    if platform == "mturk" and (address := turk_address(details.get("turkSubmitTo"))):
        fields = {"assignmentId": details.get("assignmentId", ""), "code": code}
        return {"redirect": None, "form": {"action": address, "method": "post", "fields": fields}}
    return {"redirect": None}


def turk_address(address: Any) -> str | None:
    """Where Mechanical Turk takes the answer; only its own hosts, so that nobody is sent elsewhere by a doctored link."""
    parts = urlsplit(address) if isinstance(address, str) else None
    # The whole of `netloc`: neither a port nor a name before an @ gets past it.
    if parts is None or parts.scheme != "https" or parts.netloc not in ("www.mturk.com", "workersandbox.mturk.com"):
        return None
    return f"https://{parts.netloc}/mturk/externalSubmit"
