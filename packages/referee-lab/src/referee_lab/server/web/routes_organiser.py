"""Routes of the organisers' page; viewing needs the view token, changes need the manage token."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Request, Response
from sqlalchemy import select

from referee.errors import InputError
from referee_lab.server.sessions import corrections, kept_answers, presence
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.withdrawal import withdraw_by_alias
from referee_lab.server.store.schema import participant, session
from referee_lab.server.web import dashboard, request_bodies
from referee_lab.server.web.callers import Managing, Viewing, get_bearer_token
from referee_lab.server.web.middleware import is_local

router = APIRouter(prefix="/s/{study}/organise", tags=["organiser"])
Alias = Annotated[str, Path(pattern=r"^P-[A-Z0-9]{4}$")]
Authorization = Annotated[str, Header(max_length=4000)]


@router.get("/progress")
# Plain functions, which run in worker threads: these read much and must not hold up the event loop.
def progress(served: Viewing, authorization: Authorization = "") -> dict[str, Any]:
    """Return the progress of the study, and the rights of the link, so that the page shows only permitted actions."""
    with served.store.read() as connection:
        return {
            **dashboard.get_progress(connection, served),
            "right": served.keys.right(get_bearer_token(authorization)),
        }


@router.get("/connection")
def connection(request: Request, served: Viewing) -> dict[str, Any]:
    """How this request came in, for `referee study doctor`: whether the proxy's word is believed."""
    forwarded = request.headers.get("x-forwarded-for", "")
    here = request.client.host if request.client else ""
    return {
        "scheme": request.url.scheme,
        "forwarded_for": bool(forwarded),
        "local": is_local(here),
        "believed": bool(forwarded) and here in [part.strip() for part in forwarded.split(",")],
    }


@router.get("/participants")
def participants(served: Viewing) -> dict[str, Any]:
    with served.store.read() as connection:
        return {"participants": dashboard.list_participants(connection, served)}


@router.get("/quality")
def quality(served: Viewing) -> dict[str, Any]:
    with served.store.read() as connection:
        return dashboard.summarise_quality(connection, served)


@router.get("/results")
def results(served: Viewing) -> dict[str, Any]:
    """Return the results after organisers have asked to unblind them, which is logged."""
    with served.store.read() as connection:
        if not dashboard.is_unblinded(connection, served):
            raise Problem(
                409, "blinded", "Results by system are hidden until the study is unblinded; that is recorded."
            )
        return {"systems": dashboard.summarise_results(connection, served)}


@router.post("/unblind")
def unblind(served: Managing) -> dict[str, bool]:
    served.store.write(lambda connection: kept_answers.log_audit(connection, served, "unblinded", "organiser"))
    return {"unblinded": True}


@router.post("/withdraw/{alias}")
def withdraw(served: Managing, alias: Alias) -> dict[str, Any]:
    served.store.write(lambda connection: withdraw_by_alias(connection, served, alias))
    return {"alias": alias, "state": "withdrawn"}


@router.post("/end/{alias}")
def end(served: Managing, alias: Alias, body: request_bodies.EndSession) -> dict[str, Any]:
    """End a running session by hand, with the outcome that decides about pay (a computer broke, a partner left)."""

    def close(connection: Any) -> Any:
        """End the newest session of the person with the alias."""
        newest = (
            select(session.c.id)
            .join(participant, participant.c.id == session.c.participant)
            .where(participant.c.study == served.id, participant.c.alias == alias)
            .order_by(session.c.created.desc())
        )
        session_id = connection.scalars(newest).first()
        if session_id is None:
            raise Problem(404, "nobody", "No participant of this study has this alias.")
        row = kept_answers.load_session(connection, served, session_id)
        return presence.end_session(connection, served, row, body.outcome, "organiser", reason=body.reason)

    row = served.store.write(close)
    return {"alias": alias, "state": row.state, "outcome": row.outcome}


@router.post("/corrections", status_code=201)
def correct(served: Managing, body: request_bodies.Correct) -> dict[str, Any]:
    """Store a correction beside the answer, with author and reason; the answer does not change."""
    return {"id": served.store.write(lambda connection: corrections.store_correction(connection, served, body))}


@router.get("/rooms")
def rooms(served: Viewing) -> dict[str, Any]:
    """Return who played together, and the outcome; empty in studies without rooms."""
    from referee_lab.rooms.room_files import has_rooms, list_rooms

    if not has_rooms(served.study):
        return {"rooms": None}
    with served.store.read() as connection:
        return {"rooms": [asdict(room) for room in list_rooms(connection, served.study)]}


@router.get("/rooms/{name}")
def recording(served: Managing, name: Annotated[str, Path(pattern=r"^[A-Za-z0-9-]{1,60}\.jsonl?$")]) -> Response:
    """Return one puzzle as a recording, or one reference game; the download is logged."""
    from referee_lab.rooms.room_files import build_reference_files, is_reference_game
    from referee_lab.rooms.room_store import read_recordings
    from referee_lab.tangram.game.log import format_recording

    try:
        with served.store.read() as connection:
            if is_reference_game(served.study):
                content: str | bytes = build_reference_files(connection, name.removesuffix(".json"), ("games",))[name]
            else:
                room, _, number = name.removesuffix(".jsonl").rpartition("-")
                recording = read_recordings(connection, room, served.study.language)[int(number) - 1]
                content = format_recording(recording)
    except (InputError, ValueError, IndexError, KeyError):
        raise Problem(404, "no-recording", "There is no such recording, or it may not be passed on.") from None
    served.store.write(lambda connection: kept_answers.log_audit(connection, served, "exported", "organiser"))
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    kind = "application/json" if name.endswith(".json") else "application/jsonl"
    return Response(content, media_type=kind, headers=headers)


@router.get("/export.zip")
def export(served: Viewing, authorization: Authorization = "") -> Response:
    """Return the data as `referee study export` writes them, without identities; the download is logged.

    The data name the systems, so before unblinding the view token is not enough.
    """
    from referee_lab.study.data.export import build_export_zip

    with served.store.read() as connection:
        blinded = not dashboard.is_unblinded(connection, served)
    if blinded and served.keys.right(get_bearer_token(authorization)) != "manage":
        raise Problem(409, "blinded", "The data name the systems: unblind the study, or use the managing link.")
    content = build_export_zip(served.study, served.store)
    served.store.write(lambda connection: kept_answers.log_audit(connection, served, "exported", "organiser"))
    name = f'attachment; filename="{served.id}.zip"'
    return Response(content, media_type="application/zip", headers={"content-disposition": name})
