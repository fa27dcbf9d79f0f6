"""What the organisers' page can ask for; looking needs the view token, changing anything the manage token."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Response
from sqlalchemy import insert, select

from referee.studies import attending, organiser, requests, trials
from referee.studies.callers import Managing, Viewing, bearer
from referee.studies.problems import Problem
from referee.studies.tables import correction, participant, session, trial
from referee.studies.withdrawal import withdraw_by_alias

__all__ = ["router"]

router = APIRouter(prefix="/s/{study}/organise", tags=["organiser"])
Alias = Annotated[str, Path(pattern=r"^P-[A-Z0-9]{4}$")]


@router.get("/progress")
def progress(served: Viewing) -> dict[str, Any]:
    with served.store.read() as connection:
        return organiser.progress(connection, served)


@router.get("/participants")
def participants(served: Viewing) -> dict[str, Any]:
    with served.store.read() as connection:
        return {"participants": organiser.participants(connection, served)}


@router.get("/quality")
def quality(served: Viewing) -> dict[str, Any]:
    with served.store.read() as connection:
        return organiser.quality(connection, served)


@router.get("/results")
def results(served: Viewing) -> dict[str, Any]:
    """Hidden until someone says that they want to look; that is recorded."""
    with served.store.read() as connection:
        if not organiser.is_unblinded(connection, served):
            raise Problem(
                409, "blinded", "Results by system are hidden until the study is unblinded; that is recorded."
            )
        return {"systems": organiser.results(connection, served)}


@router.post("/unblind")
def unblind(served: Managing) -> dict[str, bool]:
    served.store.write(lambda connection: trials.note(connection, served, "unblinded", "organiser"))
    return {"unblinded": True}


@router.post("/withdraw/{alias}")
def withdraw(served: Managing, alias: Alias) -> dict[str, Any]:
    served.store.write(lambda connection: withdraw_by_alias(connection, served, alias))
    return {"alias": alias, "state": "withdrawn"}


@router.post("/end/{alias}")
def end(served: Managing, alias: Alias, body: requests.EndSession) -> dict[str, Any]:
    """End a running session by hand, with the outcome that decides about pay (a computer broke, a partner left)."""

    def close(connection: Any) -> Any:
        newest = (
            select(session.c.id)
            .join(participant, participant.c.id == session.c.participant)
            .where(participant.c.study == served.id, participant.c.alias == alias)
            .order_by(session.c.created.desc())
        )
        found = connection.scalars(newest).first()
        if found is None:
            raise Problem(404, "nobody", "Nobody in this study has this alias.")
        row = trials.load(connection, served, found)
        return attending.end(connection, served, row, body.outcome, "organiser", reason=body.reason)

    row = served.store.write(close)
    return {"alias": alias, "state": row.state, "outcome": row.outcome}


@router.post("/corrections", status_code=201)
def correct(served: Managing, body: requests.Correct) -> dict[str, Any]:
    """A correction stands beside the answer, with its author and reason; the answer stays as it was."""

    def add(connection: Any) -> int:
        of_this_study = trial.join(session, session.c.id == trial.c.session)
        known = select(trial.c.uuid).select_from(of_this_study)
        known = known.where(trial.c.uuid == body.trial.lower(), session.c.study == served.id)
        if connection.execute(known).first() is None:
            raise Problem(404, "no-trial", "No stored answer has this UUID.")
        values = {"trial": body.trial.lower(), "author": body.author, "reason": body.reason, "answer": body.answer}
        return int(connection.execute(insert(correction).values(**values, at=served.clock())).inserted_primary_key[0])

    return {"id": served.store.write(add)}


@router.get("/export.zip")
def export(served: Viewing, authorization: Annotated[str, Header(max_length=4000)] = "") -> Response:
    """The data as `referee study export` writes them, identities left out; that someone took them is recorded.

    They name the systems: before the study is unblinded, looking is not enough.
    """
    from referee.studies.export import export_zip

    with served.store.read() as connection:
        blinded = not organiser.is_unblinded(connection, served)
    if blinded and served.keys.right(bearer(authorization)) != "manage":
        raise Problem(409, "blinded", "The data name the systems: unblind the study, or use the managing link.")
    content = export_zip(served.study, served.store)
    served.store.write(lambda connection: trials.note(connection, served, "exported", "organiser"))
    name = f'attachment; filename="{served.id}.zip"'
    return Response(content, media_type="application/zip", headers={"content-disposition": name})
