"""The annotator's page at a local address: one desk, one token that stands after the # of the link and so in no log."""

from __future__ import annotations

import hmac
import threading
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Request
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, Field

from referee.errors import InputError, RefereeError
from referee.situated.tiers.dialogue import ATTRIBUTES
from referee.studies.dialogue.annotation_desk import AnnotationSheet, Desk
from referee.studies.sessions.refusals import Problem
from referee.studies.web.middleware import BodyLimit, SecureReplies
from referee.studies.web.server import STATIC, PlainJson

__all__ = ["create_desk_app", "refuse_mistake", "refuse_problem"]

LARGEST = 256 * 1024


class Saving(BaseModel):
    """The state of one utterance."""

    utterance: int = Field(ge=0, le=100_000)
    expressions: list[dict[str, Any]] = Field(max_length=200)
    done: bool


def create_desk_app(desk: Desk, token: str, static: Path = STATIC) -> FastAPI:
    """The application for one desk; whoever has the token may read and mark."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, default_response_class=PlainJson)
    # Routes run in worker threads, and each save reads the end of a file before it adds to it.
    writing = threading.Lock()

    def known(authorization: Annotated[str, Header()] = "") -> None:
        # Other users of the machine can reach a local port as well.
        if not hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode()):
            raise Problem(401, "no-token", "Open the link that the command printed, with everything after the #.")

    guarded = [Depends(known)]

    def sheet(number: int) -> AnnotationSheet:
        if not 0 <= number < len(desk.sheets):
            raise Problem(404, "no-recording", "There is no such recording. Reload the page.")
        return desk.sheets[number]

    @app.get("/", response_class=FileResponse)
    def page() -> Response:
        path = static / "annotator.html"
        if not path.is_file():
            raise Problem(404, "no-pages", "The pages have not been built here: run `make bundle`.")
        return FileResponse(path, media_type="text/html; charset=utf-8")

    @app.get("/api/desk", dependencies=guarded)
    def progress() -> dict[str, Any]:
        return {**desk.progress(), "attributes": dict(ATTRIBUTES)}

    @app.get("/api/recordings/{number}", dependencies=guarded)
    def content(number: int) -> dict[str, Any]:
        return sheet(number).content()

    @app.post("/api/recordings/{number}/marks", dependencies=guarded)
    def save(number: int, body: Saving) -> dict[str, Any]:
        with writing:
            sheet(number).save(body.utterance, body.expressions, body.done)
        return {"saved": True}

    app.mount("/static", StaticFiles(directory=static, check_dir=False), name="static")
    app.add_exception_handler(Problem, refuse_problem)
    app.add_exception_handler(RefereeError, refuse_mistake)
    app.add_middleware(BodyLimit, limit=LARGEST)
    app.add_middleware(SecureReplies)
    return app


async def refuse_problem(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, Problem)
    return PlainJson(problem.body(), problem.status)


async def refuse_mistake(_: Request, error: Exception) -> Response:
    message = error.problem if isinstance(error, InputError) else str(error)
    return PlainJson({"problem": "refused", "message": message}, 422)
