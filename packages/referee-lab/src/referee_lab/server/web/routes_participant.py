"""Routes of a participant's page: entering, consent, the plan, saving answers, finishing, withdrawal."""

from __future__ import annotations

import asyncio
import hmac
import json
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Request, Response
from sqlalchemy import select

from referee.errors import InputError
from referee_lab.server.sessions import enrolment, kept_answers, outcomes, places, presence
from referee_lab.server.sessions.doors import read_doors
from referee_lab.server.sessions.plan import PlanStep, check_answer, was_right
from referee_lab.server.sessions.quotas import find_filled_quota, find_full_lists, load_form_answers
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.served_study import Outline, Served
from referee_lab.server.sessions.states import ACTIVE, find_complete_steps, find_position
from referee_lab.server.sessions.withdrawal import withdraw, withdraw_by_code
from referee_lab.server.store.schema import participant
from referee_lab.server.web import request_bodies
from referee_lab.server.web.callers import Caller, Participant, Visited, get_bearer_token, read_caller, read_participant
from referee_lab.study.folder.branches import is_skipped
from referee_lab.study.folder.questionnaires import find_ineligible
from referee_lab.study.folder.settings import SessionSection
from referee_lab.study.protocols.contract import GivenAnswer

# In memory only, because nothing is stored of people who decline: after a restart, a repeated click counts again.
REFUSALS_KEPT = 10_000
# The maximal shorter side of a phone.
PHONE_PX = 600
router = APIRouter(prefix="/s/{study}/api", tags=["participant"])


def make_debug_key(served: Served) -> str:
    """Return the key in the organisers' link to try the study in debug mode."""
    return served.keys.derive_code("debug", served.id, letters=16)


@router.post("/enter")
async def enter(
    request: Request,
    served: Visited,
    body: request_bodies.Enter,
    authorization: Annotated[str, Header(max_length=4000)] = "",
) -> Response:
    """Count the arrival and return the study's welcome; known participants get their session again."""
    # By study: before consent there is no session to count by, and client addresses are not used.
    request.app.state.limits.doors.take(served.id)
    ids = body.platform.model_dump(exclude_defaults=True)
    # No token: a preview can neither consent nor be counted.
    if ids.get("assignmentId") == enrolment.PREVIEW:
        return _join_welcome(served, {"token": None, "state": "preview"})
    mode = _choose_mode(request, served, body)
    is_fresh = True
    if served.study.recruitment.signed_links and mode != "debug":
        is_fresh = await request.app.state.signed_links.check(ids, request.headers.get("host", ""))
    arriving = enrolment.identify(served, ids, mode)
    arriving, fresh = _match_token(served, arriving, get_bearer_token(authorization))

    agent = request.headers.get("user-agent", "")[:400]

    def enter_study(connection: Any) -> dict[str, Any]:
        """Resume a participant's session, or offer consent to a newcomer who is admitted."""
        row = enrolment.find_session(connection, served, arriving)
        if row is None:
            if not is_fresh:
                raise Problem(403, "expired", "This link is too old. Open the study again from its page at Prolific.")
            if (why := _find_refusal(served, arriving["mode"], body.device, agent)) is not None:
                raise enrolment.build_refusal(served, why, arriving["mode"], arriving["details"])
            # A reload before consent is the same person.
            if fresh:
                enrolment.count_visit(connection, served, arriving["mode"], "entered")
            # Shown with the consent text: with consent this id becomes the participant's.
            code = served.keys.derive_withdrawal_code(served.id, arriving["id"])
            entered = {"token": served.keys.sign(served.id, arriving), "state": "entered", "withdrawal_code": code}
            # Reported before the consent text is read; a seat may become free before they consent.
            shut = find_full_lists(connection, served, arriving["mode"])
            full = arriving["mode"] != "debug" and not places.has_free_seat(
                connection, served.id, arriving["mode"], now=served.clock(), shut=shut
            )
            return (
                {**entered, "full": outcomes.build_rejection(served, "full", arriving["mode"], arriving["details"])}
                if full
                else entered
            )
        return _describe_session(connection, served, row, body.tab)

    return _join_welcome(served, await served.store.awrite(enter_study))


def _choose_mode(request: Request, served: Served, body: request_bodies.Enter) -> str:
    """Return the study's mode, or debug for a link with the organisers' key."""
    if body.mode is None or served.study.mode == "debug":
        return body.mode or served.study.mode
    typed_key = body.debug_key.strip().upper().encode("utf-8", "surrogateescape")
    if hmac.compare_digest(typed_key, make_debug_key(served).encode()):
        return body.mode
    request.app.state.limits.guesses.take(f"debug {served.id}")
    raise Problem(403, "no-debug", "A trial run needs the organisers' link for it.")


def _find_refusal(served: Served, mode: str, device: request_bodies.Device | None, agent: str) -> str | None:
    """Return the reason why a newcomer is not admitted; None if they are. Debug mode is always open."""
    if mode == "debug":
        return None
    if not read_doors(served.study.folder).are_open(served.clock()):
        return "closed"
    return None if _is_device_admitted(served.study.session, device, agent) else "device"


def _is_device_admitted(rules: SessionSection, device: request_bodies.Device | None, agent: str) -> bool:
    """Return whether browser and device are admitted by the study."""
    if rules.browsers and _get_browser_family(agent) not in rules.browsers:
        return False
    if device is None:
        return True
    small = min(device.width, device.height) < PHONE_PX
    kind = "computer" if not device.coarse else "phone" if small else "tablet"
    return kind in rules.devices and device.width >= rules.least_width


def _get_browser_family(agent: str) -> str:
    """Return the family of a browser from its user agent, checking specific ones before general ones."""
    marks = (
        ("Edg", "edge"),
        ("Firefox/", "firefox"),
        ("Chrome/", "chrome"),
        ("CriOS/", "chrome"),
        ("Safari/", "safari"),
    )
    return next((name for mark, name in marks if mark in agent), "other")


def _match_token(served: Served, arriving: dict[str, Any], token: str) -> tuple[dict[str, Any], bool]:
    """Return the token of an earlier visit, unless the link names another person."""
    try:
        before = served.keys.read(served.id, token) if token else None
    except Problem:
        before = None
    if before is None or before.get("mode", arriving["mode"]) != arriving["mode"]:
        return arriving, True
    # A shared computer: a different platform id means another person.
    if arriving["external"] and before.get("external", "") != arriving["external"]:
        return arriving, True
    return {**arriving, "id": before["id"]}, False


def _describe_session(connection: Any, served: Served, row: Any, tab: str) -> dict[str, Any]:
    """Return the state of a session for the page, with a new token."""
    alias = connection.scalar(select(participant.c.alias).where(participant.c.id == row.participant))
    reply = {
        # From now on the token holds the session and no platform id.
        "token": served.keys.sign(served.id, {"id": row.id, "mode": row.mode}),
        "state": row.state,
        "alias": alias,
        "other_tab": row.state in ACTIVE and row.tab != tab,
    }
    # Not even a code: whatever could be shown is to be deleted.
    if row.state == "withdrawn":
        return reply
    if row.state in ACTIVE or row.state == "finished":
        return {**reply, "withdrawal_code": served.keys.derive_withdrawal_code(served.id, row.participant)}
    return {**reply, **_build_last_screen(connection, served, row)}


def _build_last_screen(connection: Any, served: Served, row: Any) -> dict[str, Any]:
    details = enrolment.load_platform_details(connection, row.participant)
    return {**outcomes.build_last_screen(served, row, details), "debriefing": served.study.page_html("debriefing")}


def _build_welcome(served: Served) -> dict[str, Any]:
    """Return the common part of the reply to all arrivals: study, consent text, interface texts."""
    study = served.study
    named = ("id", "title", "language", "direction", "protocol", "mode")
    return {
        "study": {name: getattr(study, name) for name in named},
        "consent": {"html": served.study.page_html("consent"), "hash": study.consent_hash},
        "strings": dict(study.strings),
        "forgets": study.session.shared_computer or study.recruitment.platform == "link",
    }


def _join_welcome(served: Served, entry: dict[str, Any]) -> Response:
    """Return a person's own reply with the common part, which is encoded once for all."""
    if served.id not in _WELCOMES or _WELCOMES[served.id][0] is not served:
        _WELCOMES[served.id] = served, json.dumps(_build_welcome(served), allow_nan=False).encode()
    entry_json = json.dumps(entry, allow_nan=False).encode()
    return Response(entry_json[:-1] + b"," + _WELCOMES[served.id][1][1:], media_type="application/json")


_WELCOMES: dict[str, tuple[Served, bytes]] = {}


@router.post("/consent")
async def consent(request: Request, caller: Participant, body: request_bodies.Agree) -> Response:
    """Enrol a person who consents; count a person who declines."""
    served, arriving = caller.served, caller.identity
    # Consent is to the text that was on the screen, not to the server's present one.
    if body.hash != served.study.consent_hash:
        welcome = _build_welcome(served)
        raise Problem(409, "consent-changed", "The information page has changed. Please read it again.", **welcome)
    if not body.agree:
        return _make_reply(await _count_refusal(request, caller))
    if not caller.tab:
        raise Problem(422, "no-tab", "The page did not say which window it is (X-Referee-Tab).")
    request.app.state.limits.take_place(request.client.host if request.client else "")
    return _make_reply(
        await served.store.awrite(lambda connection: _enrol_and_describe(connection, served, arriving, caller.tab))
    )


def _make_reply(content: dict[str, Any]) -> Response:
    """Return content as a reply without validation, because the server made it."""
    return Response(json.dumps(content, allow_nan=False), media_type="application/json")


def _enrol_and_describe(connection: Any, served: Served, arriving: dict[str, Any], tab: str) -> dict[str, Any]:
    """Enrol a participant and describe the session."""
    # A token of a known session has none of these; defaults are used until the session is found.
    full = {"mode": served.study.mode, "platform": "none", "external": "", "details": {}, **arriving}
    row = enrolment.enrol(connection, served, full, tab)
    return _describe_session(connection, served, row, tab)


async def _count_refusal(request: Request, caller: Caller) -> dict[str, Any]:
    """Count a refusal once; a participant in a session withdraws by the withdraw button instead."""
    served, arriving = caller.served, caller.identity
    mode = arriving.get("mode", served.study.mode)
    declined: dict[str, None] = request.app.state.declined

    def count(connection: Any) -> None:
        """Count a refusal before consent, once per person."""
        if (
            enrolment.find_session(connection, served, {"external": "", "platform": "", "mode": mode, **arriving})
            is not None
        ):
            raise Problem(409, "consented", "You have agreed already. You can withdraw at any time.")
        if arriving["id"] not in declined:
            enrolment.count_visit(connection, served, mode, "declined")

    # Remembered after the commit: a refusal that was not counted may be sent again.
    await served.store.awrite(count)
    declined[arriving["id"]] = None
    if len(declined) > REFUSALS_KEPT:
        declined.pop(next(iter(declined)))
    return outcomes.build_rejection(served, "declined", mode, arriving.get("details", {}))


@router.get("/plan", openapi_extra=request_bodies.describe_caller())
async def plan(request: Request) -> Response:
    """Return all steps of the session and the step to continue at.

    Read by hand, as answers are: a class asks for it at one moment.
    """
    caller = read_caller(request)
    served = caller.served
    # Before the write: making a plan takes long, and inside it would be made by the one writer of all.
    await _get_outline(caller)
    row, rows = await served.store.awrite(lambda c: presence.resume_session(c, served, caller.session, caller.tab))
    # Pages and pictures of a whole session: too much for the event loop.
    return Response(await asyncio.to_thread(_encode_plan, served, row, rows), media_type="application/json")


def _encode_plan(served: Served, row: Any, rows: Any) -> bytes:
    """Return the browser's version of a session's plan, as bytes."""
    outline = served.outline(row.list, row.plan_seed, row.study_hash)
    aborted = served.policy.aborted
    with served.store.read() as connection:
        alias = connection.scalar(select(participant.c.alias).where(participant.c.id == row.participant))
        # After a return, branches depend on earlier answers.
        earlier_answers = load_form_answers(connection, row.id) if served.study.branches else {}
    shown = outline.plan.public(
        f"/s/{served.id}",
        alias=alias or "",
        position=find_position(outline.saved, rows, aborted, len(outline.plan.steps)),
        saved=sorted(find_complete_steps(rows, aborted)),
    )
    # In the order of attempts, so that the last one counts.
    attempts = {str(r.step): r.attempt + 1 for r in sorted(rows, key=lambda r: r.attempt)}
    token = served.keys.sign(served.id, {"id": row.id, "mode": row.mode})
    # Encoded here, in the thread: a hundred kilobytes would delay all other answers on the event loop.
    return json.dumps(
        {**shown, "token": token, "attempts": attempts, **({"told": earlier_answers} if earlier_answers else {})},
        allow_nan=False,
        separators=(",", ":"),
    ).encode()


async def _get_outline(caller: Caller) -> Outline:
    """Return the plan, made in another thread unless it is cached."""
    outline = await asyncio.to_thread(caller.served.load_outline, caller.session)
    if outline is None:
        raise Problem(403, "consent-first", "Please read the information page and agree before you go on.")
    return outline


@router.post("/client")
async def client(caller: Participant, body: request_bodies.Client) -> dict[str, bool]:
    """Store the page's measurements of its display."""
    served = caller.served

    def keep(connection: Any) -> None:
        """Store the measurements of the display in the session."""
        row = kept_answers.load_session(connection, served, caller.session)
        kept_answers.require_permission(served, row, caller.tab)
        kept_answers.change_session(connection, row.id, client=body.root)

    await served.store.awrite(keep)
    return {"saved": True}


@router.post("/claim")
async def claim(caller: Participant, body: request_bodies.TakeOver) -> dict[str, Any]:
    """Move the session to this window."""
    row = await caller.served.store.awrite(lambda c: presence.claim_session(c, caller.served, caller.session, body.tab))
    return {"state": row.state, "tab": body.tab}


@router.put("/trials/{uuid}", status_code=201, openapi_extra=request_bodies.describe_answer())
async def put_trial(request: Request) -> Response:
    """Acknowledge an answer once it is durable (201); acknowledge a repeat again (200).

    This is the most frequent request: it is parsed by hand, at a third of the cost of declared parameters.
    """
    caller = read_caller(request)
    uuid, answer = request_bodies.read_answer(request.path_params["uuid"], await request.body())
    receipt, step, ended = await save(caller, uuid, answer)
    reply: dict[str, Any] = {"saved": True, "uuid": uuid, "count": receipt.count, "missing": receipt.missing, **ended}
    if step.kind == "practice" and caller.served.policy.feedback and answer.state == "done":
        reply["right"] = was_right(caller.served.study, step, answer)
    return Response(json.dumps(reply), 201 if receipt.new else 200, media_type="application/json")


async def save(caller: Caller, uuid: str, answer: GivenAnswer) -> tuple[kept_answers.Kept, PlanStep, dict[str, Any]]:
    """Check an answer against the plan and store it."""
    served = caller.served
    # Nearly always cached: the most frequent request needs neither thread nor query.
    outline = served.get_cached_outline(caller.session) or await _get_outline(caller)
    step = outline.step(answer.step)
    if step is None or not step.saved:
        raise Problem(422, "no-such-step", "The plan has no answer at this place.", index=answer.step)
    # Aborted answers are stored unchecked: they cannot be complete.
    if answer.state == "done":
        try:
            check_answer(served.study, step, answer)
        except InputError as error:
            raise Problem(422, "malformed", error.problem, where=error.where) from None
    sender = kept_answers.Sender(uuid, caller.session, caller.tab)
    passed_by = step.branch is not None and is_skipped(answer.answer)
    out = find_ineligible(answer.answer, step.fields) if step.plugin == "form" and not passed_by else None

    def keep(connection: Any) -> tuple[kept_answers.Kept, dict[str, Any]]:
        """Store an answer, and end the session if the answer excludes the participant."""
        if step.branch is not None and answer.state == "done":
            _require_branch(connection, caller.session, step, passed_by)
        receipt = kept_answers.save(connection, served, outline, sender, answer)
        if out is not None:
            return receipt, {
                "ended": _exclude_participant(connection, served, caller.session, "screened_out", question=out)
            }
        if (
            receipt.new
            and step.fields
            and (over := _find_full_question(connection, served, caller.session, answer)) is not None
        ):
            return receipt, {"ended": _exclude_participant(connection, served, caller.session, "full", question=over)}
        return receipt, {}

    stored_receipt, ended = await served.store.awrite(keep)
    return stored_receipt, step, ended


def _require_branch(connection: Any, session_id: str, step: PlanStep, passed_by: bool) -> None:
    """Raise Problem unless the page of a branch is answered or skipped as the branch demands."""
    assert step.branch is not None
    if step.branch.is_taken(load_form_answers(connection, session_id)) is passed_by:
        raise Problem(422, "malformed", "This page depends on earlier answers and is not shown here.", where="answer")


def _find_full_question(connection: Any, served: Served, session_id: str, answer: GivenAnswer) -> str | None:
    """Return the question whose answer reached its quota before; None if there is none."""
    if not served.study.quotas:
        return None
    row = kept_answers.load_session(connection, served, session_id)
    filled = find_filled_quota(connection, served, row.mode, session_id, answer.answer.get("fields") or {})
    return None if filled is None else filled.question


def _exclude_participant(
    connection: Any, served: Served, session_id: str, outcome: str, question: str
) -> dict[str, Any]:
    """End the session after an answer that does not admit the person, and return the last screen.

    The study is not for this person, or has enough people like them. The answer stays stored.
    """
    row = kept_answers.load_session(connection, served, session_id)
    if row.state in ACTIVE or row.state == "finished":
        row = presence.end_session(connection, served, row, outcome, "server", question=question)
    return _build_last_screen(connection, served, row)


# 202 and no acknowledgement: the page counts nothing as saved that only a beacon carried.
@router.post("/beacon", status_code=202)
async def beacon(request: Request, served: Visited, body: request_bodies.Beacon) -> dict[str, bool]:
    """Store the last answer of a closing page if possible, without an acknowledgement."""
    caller = read_participant(served, request.app.state.limits, body.token, body.tab)
    await save(caller, str(UUID(body.uuid)), request_bodies.convert_answer(body.trial))
    return {"received": True}


@router.post("/finish")
async def finish(caller: Participant) -> dict[str, Any]:
    """Return the completion code if every answer is stored."""
    served = caller.served
    await _get_outline(caller)

    def close(connection: Any) -> dict[str, Any]:
        row = presence.finish_session(connection, served, caller.session, caller.tab)
        return _build_last_screen(connection, served, row)

    return await served.store.awrite(close)


@router.post("/screen-out")
async def screen_out(caller: Participant, body: request_bodies.ScreenOut) -> dict[str, Any]:
    """End the session of a person who reports that the study does not admit them (age, language …)."""
    served = caller.served

    def leave(connection: Any) -> dict[str, Any]:
        """End the session as screened out, and return its last page."""
        row = kept_answers.load_session(connection, served, caller.session)
        kept_answers.require_permission(served, row, caller.tab)
        row = presence.end_session(connection, served, row, "screened_out", "participant", reason=body.reason)
        return _build_last_screen(connection, served, row)

    return await served.store.awrite(leave)


@router.post("/withdraw")
async def withdraw_now(caller: Participant) -> dict[str, Any]:
    """Withdraw the participant at once, from any window, at any time."""
    served = caller.served

    def leave(connection: Any) -> int:
        row = kept_answers.load_session(connection, served, caller.session)
        return withdraw(connection, served, row.participant, "participant")

    await served.store.awrite(leave)
    return {"state": "withdrawn", "deleted_in_days": served.policy.withdrawal_days}


@router.post("/withdraw-by-code")
async def withdraw_later(request: Request, served: Visited, body: request_bodies.WithdrawByCode) -> dict[str, Any]:
    """Withdraw with the code that was shown at consent and at the end; attempts are rate-limited."""
    try:
        await served.store.awrite(lambda connection: withdraw_by_code(connection, served, body.code))
    except Problem as problem:
        # Only wrong codes count: guessing cannot lock out the person with the right one.
        if problem.problem == "nobody":
            request.app.state.limits.guesses.take(f"code {served.id}")
        raise
    return {"state": "withdrawn", "deleted_in_days": served.policy.withdrawal_days}
