"""The study server: participants' and organisers' routes in one FastAPI application, one process, one writer per store."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Request
from fastapi import Path as InPath
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from sqlalchemy import Connection, delete, insert
from starlette.exceptions import HTTPException

from referee_lab.server.sessions import places
from referee_lab.server.sessions.prolific_links import SignedLinks
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.served_study import Served
from referee_lab.server.sessions.withdrawal import purge
from referee_lab.server.store import schema
from referee_lab.server.store.lock import DatabaseLock
from referee_lab.server.web import routes_organiser, routes_participant, routes_room
from referee_lab.server.web.built_pages import REMEDY, STATIC
from referee_lab.server.web.callers import Visited
from referee_lab.server.web.middleware import BodyLimit, Crowd, Limits, SecureReplies
from referee_lab.study.data.prolific import get_prolific_address
from referee_lab.study.folder.clip_sounds import find_clip_sound
from referee_lab.study.folder.media import find_media_file
from referee_lab.study.folder.photographs import find_photograph_file
from referee_lab.study.folder.study_pictures import draw_pictures
from referee_lab.study.protocols.own_plugin import FOLDER as PLUGINS
from referee_lab.study.protocols.own_plugin import OWN

# Deletions are due by the day, and seats that are needed are freed at once anyway (`places.reserve`).
HOUSEKEEPING_SECONDS = 600.0
LOCK_SECONDS = 5.0
_log = logging.getLogger("referee.studies")

_HTTP = {
    404: ("not-found", "There is nothing here. Check the link."),
    405: ("not-allowed", "This address does not take such a request."),
    408: ("too-slow", "The request did not arrive in time. Send it again."),
    413: ("too-large", "That is too much to be sent at once."),
}

pages = APIRouter(tags=["pages"])


def create_app(
    studies: Sequence[Served],
    *,
    limits: Limits | None = None,
    routers: Sequence[APIRouter] = (),
    static: Path = STATIC,
    housekeeping: float = HOUSEKEEPING_SECONDS,
) -> FastAPI:
    """Return the web application of open studies (`open_served`); it closes their stores when it stops.

    `routers` add rooms or further pages: they find the studies in ``app.state.studies`` and write through
    ``served.store.awrite``.
    """
    app = FastAPI(
        title="Referee studies",
        # Those pages load scripts from elsewhere, which our policy forbids, and participants need no map of the server.
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=_run_tasks,
        default_response_class=PlainJson,
    )
    app.state.studies = {served.id: served for served in studies}
    app.state.limits = limits or Limits()
    app.state.declined = {}
    app.state.halls = {}
    app.state.signed_links = SignedLinks(get_prolific_address())
    app.state.static = static
    app.state.housekeeping = housekeeping
    for router in (routes_participant.router, routes_organiser.router, routes_room.router, pages, *routers):
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=static, check_dir=False), name="static")
    app.add_exception_handler(Problem, _reply_problem)
    app.add_exception_handler(RequestValidationError, _reply_malformed)
    app.add_exception_handler(HTTPException, _reply_http_error)
    # The last middleware is outermost: refusals by the body limit get security headers, too.
    app.add_middleware(BodyLimit, limit=app.state.limits.body)
    app.add_middleware(Crowd, most=app.state.limits.at_once)
    app.add_middleware(SecureReplies, studies=[s.study for s in studies])
    return app


class PlainJson(JSONResponse):
    """JSON in ASCII, so that any received text can be returned."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


@asynccontextmanager
async def _run_tasks(app: FastAPI) -> AsyncIterator[None]:
    """Run the periodic tasks of the server, and close rooms and stores at its end."""
    keeping = [asyncio.create_task(work(app)) for work in (_run_housekeeping, _renew_locks)]
    try:
        yield
    finally:
        for task in keeping:
            task.cancel()
        # Rooms before stores, so that rooms can still write. Copies, here and below: studies may be removed, and rooms
        # opened, during the waits.
        for hall in [*app.state.halls.values()]:
            await hall.close()
        for served in [*app.state.studies.values()]:
            await asyncio.to_thread(served.store.close)


async def _run_housekeeping(app: FastAPI) -> None:
    """Delete withdrawn data that are due and free expired seats, periodically."""
    while True:
        for served in [*app.state.studies.values()]:
            try:
                # `served=served` binds the study of this round, not the last one of the loop.
                if await served.store.awrite(lambda connection, served=served: _purge_and_free(connection, served)):
                    await asyncio.to_thread(served.store.wipe_log)
            except Exception as error:  # the next round tries again; a study must not stop for it
                _log.error("housekeeping failed: %s", type(error).__name__)
        await asyncio.sleep(app.state.housekeeping)


async def _renew_locks(app: FastAPI) -> None:
    """Renew the database locks of the studies, which a restarted database has lost.

    A study that another server has locked meanwhile is no longer served.
    """
    locks = [(s, s.store.lock) for s in app.state.studies.values() if isinstance(s.store.lock, DatabaseLock)]
    while locks:
        await asyncio.sleep(LOCK_SECONDS)
        for served, lock in locks:
            await asyncio.to_thread(lock.keep)
            if lock.lost and served.id in app.state.studies:
                _log.error("the study %s is served by another process now; it is no longer served here", served.id)
                del app.state.studies[served.id]
                await asyncio.to_thread(served.store.close)


def _purge_and_free(connection: Connection, served: Served) -> int:
    """Delete withdrawn data that are due, free expired seats, and return the number of deleted sessions."""
    for mode in {served.study.mode, "debug"}:
        places.free_expired(connection, served.id, mode, now=served.clock())
    return purge(connection, served)["sessions"]


async def _reply_problem(_: Request, problem: Exception) -> Response:
    """Return a Problem as a reply, with a time to retry where that helps."""
    assert isinstance(problem, Problem)
    # Pages retry after this time.
    wait = problem.more.get("retry_after", 2 if problem.status == 503 else None)
    headers = {"retry-after": str(wait)} if wait else None
    return PlainJson(problem.body(), problem.status, headers)


async def _reply_malformed(_: Request, error: Exception) -> Response:
    """Return the name of an invalid field, without its content."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return PlainJson({"problem": "malformed", "message": f"{where}: {first['msg']}", "where": where}, 422)


async def _reply_http_error(_: Request, error: Exception) -> Response:
    """Return an HTTP error as JSON."""
    assert isinstance(error, HTTPException)
    name, message = _HTTP.get(error.status_code, ("refused", "The request cannot be understood."))
    return PlainJson({"problem": name, "message": message}, error.status_code, error.headers)


_PROBE = insert(schema.study).values(id="", version=0, hash="", mode="", created=0.0)
# For this long after a refused write, supervisors see the failure.
TROUBLE_SECONDS = 60.0


@pages.get("/health")
async def health(request: Request) -> dict[str, Any]:
    """Return whether the server answers and its stores accept writes; status 503 if one does not."""
    for served in [*request.app.state.studies.values()]:
        trouble = served.store.writer.trouble
        if trouble is not None and time.monotonic() - trouble[1] < TROUBLE_SECONDS:
            raise Problem(
                503, "storage", f"The study {served.id} could not store an answer a moment ago: {trouble[0]}."
            )
        await served.store.awrite(_probe_storage)
    return {"well": True, "studies": len(request.app.state.studies)}


def _probe_storage(connection: Connection) -> None:
    """Add a row and delete it: SQLite writes no page for a row that is updated to the same values."""
    connection.execute(_PROBE)
    connection.execute(delete(schema.study).where(schema.study.c.id == ""))


@pages.get("/s/{study}/", response_class=FileResponse)
def participant_page(request: Request, served: Visited) -> Response:
    return _serve_page(request, "participant.html")


@pages.get("/s/{study}/organiser", response_class=FileResponse)
def organiser_page(request: Request, served: Visited) -> Response:
    return _serve_page(request, "organiser.html")


def _serve_page(request: Request, name: str) -> Response:
    """Return a built page. Raises Problem if it is missing."""
    path = request.app.state.static / name
    if not path.is_file():
        raise Problem(404, "no-pages", f"The page has not been built: {REMEDY}.")
    # Asked for anew each time: after an update no browser may go on with an old page.
    return FileResponse(path, media_type="text/html; charset=utf-8", headers={"cache-control": "no-cache"})


FOREVER = "public, max-age=31536000, immutable"
Hashed = Annotated[str, InPath(pattern=r"^[0-9a-f]{1,64}$")]
HashedFile = Annotated[str, InPath(pattern=r"^[0-9a-f]{1,64}\.[a-z0-9]{3,4}$")]


def _serve_file(file: tuple[Path, str] | None, kind: str, cache: str = FOREVER) -> Response:
    """Return a file of the study by its path and media type. Raises Problem if the study has no such file."""
    if file is None:
        raise Problem(404, f"no-{kind}", f"The study has no such {kind}. Reload the page.")
    return FileResponse(file[0], media_type=file[1], headers={"cache-control": cache})


@pages.get("/s/{study}/photographs/{name}", response_class=Response)
def photograph(served: Visited, name: Hashed) -> Response:
    """Return a photograph of the study under its neutral name."""
    return _serve_file(find_photograph_file(served.study.folder, name), "picture")


@pages.get("/s/{study}/sounds/{name}", response_class=Response)
def clip_sound(served: Visited, name: HashedFile) -> Response:
    """Return a recording in a clip under its neutral name."""
    return _serve_file(find_clip_sound(served.study.folder, name), "sound")


@pages.get("/s/{study}/media/{name}", response_class=Response)
def heard_file(served: Visited, name: HashedFile) -> Response:
    """Return a sound or film of the study under its neutral name."""
    # Not for ever: the address contains the file's name, which stays when its content is corrected.
    return _serve_file(find_media_file(served.study, name), "media", "public, max-age=600")


@pages.get("/s/{study}/plugins/{name}", response_class=Response)
def plugin_file(served: Visited, name: str) -> Response:
    """Return the plug-in that is the protocol of the study; the folder has no other public file."""
    file = served.study.folder / PLUGINS / name, "text/javascript; charset=utf-8"
    is_its_own = served.study.kind.info.plugin == OWN and name == served.study.protocol
    return _serve_file(file if is_its_own else None, "plugin", "no-cache")


@pages.get("/s/{study}/pictures/{name}.svg", response_class=Response)
def picture_file(served: Visited, name: Hashed) -> Response:
    """Return a picture; names depend on content, so browsers may cache it for ever."""
    svg = draw_pictures(served.study).get(name)
    if svg is None:
        return _serve_file(None, "picture")
    return Response(svg, media_type="image/svg+xml", headers={"cache-control": FOREVER})
