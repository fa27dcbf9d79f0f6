"""The end of a session for the participant.

Completion code, next address, and the report to the platform; pay never depends on what a page claims.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from referee_lab.server.sessions.served_study import Served

PROLIFIC = "https://app.prolific.com/submissions/complete?cc="
# By outcome alone, which the server determines and no page can claim. A partner who left or a failure of the server is not the
# participant's fault.
PAID = ("completed", "partner_left", "technical")


def get_completion_code(served: Served, outcome: str, mode: str, session: str = "") -> str:
    """Return the study's fixed code for an outcome, or one derived from its key.

    On Prolific a derived code is the same for all (organisers enter it there beforehand); elsewhere every session has
    its own.
    """
    # A code that no platform takes for a real one.
    if mode == "debug":
        return f"DEBUG-{served.keys.derive_code('code', served.id, outcome, letters=8)}"
    if (fixed := served.study.recruitment.codes.fixed(outcome)) is not None:
        return fixed
    person = "" if served.study.recruitment.platform == "prolific" else session
    return served.keys.derive_code("code", served.id, outcome, person, letters=8)


def build_last_screen(served: Served, row: Any, details: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the data of the last screen.

    `row` has id, participant, state, outcome and mode of the session; `details` are the platform's.
    """
    # Shown again to participants who return: codes are derived, so they are the same each time.
    outcome = row.outcome or "completed"
    code = get_completion_code(served, outcome, row.mode, row.id)
    return {
        "state": row.state,
        "outcome": outcome,
        "paid": outcome in PAID,
        "code": code,
        **_build_return(served, code, row.mode, details or {}, outcome),
        "withdrawal_code": served.keys.derive_withdrawal_code(served.id, row.participant),
    }


def build_rejection(served: Served, why: str, mode: str, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the last screen for a person without a seat, and store nothing.

    The study is full or closed, the device or an answer is not admitted, or the person declined.
    """
    code = get_completion_code(served, why, mode)
    return {"state": why, "outcome": why, "paid": False, "code": code, **_build_return(served, code, mode, details)}


def _build_return(
    served: Served, code: str, mode: str, details: Mapping[str, Any], outcome: str = ""
) -> dict[str, Any]:
    """Return the next address or form of the recruiting platform."""
    platform = served.study.recruitment.platform
    if platform == "prolific" and mode != "debug":
        # Fixed codes are those in study.toml.
        return {"redirect": PROLIFIC + quote(code, safe="")}
    if platform == "sona" and mode != "debug" and outcome in PAID:
        return {
            "redirect": served.study.recruitment.credit_url.replace(
                "{id}", quote(details.get("survey_code", ""), safe="")
            )
        }
    if platform == "mturk" and (address := check_turk_address(details.get("turkSubmitTo"))):
        fields = {"assignmentId": details.get("assignmentId", ""), "code": code}
        return {"redirect": None, "form": {"action": address, "method": "post", "fields": fields}}
    return {"redirect": None}


def check_turk_address(address: Any) -> str | None:
    """Return the address to which Mechanical Turk results are sent.

    Only its own hosts, so that a forged link cannot redirect.
    """
    parts = urlsplit(address) if isinstance(address, str) else None
    # The whole of `netloc`: neither a port nor a name before an @ gets past it.
    if parts is None or parts.scheme != "https" or parts.netloc not in ("www.mturk.com", "workersandbox.mturk.com"):
        return None
    return f"https://{parts.netloc}/mturk/externalSubmit"
