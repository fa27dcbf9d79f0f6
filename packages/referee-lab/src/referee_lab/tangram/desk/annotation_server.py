"""The annotator's page at a local address: one desk."""

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
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.web.built_pages import STATIC
from referee_lab.server.web.middleware import BodyLimit, SecureReplies
from referee_lab.server.web.server import PlainJson
from referee_lab.tangram.desk.annotation_desk import AnnotationSheet, Desk
from referee_lab.tangram.tiers.dialogue import ATTRIBUTES


def create_local_app(page: str, token: str, static: Path, largest: int) -> tuple[FastAPI, list[Any]]:
    """Return an application that shows a built page at /, and the dependency by which its routes require the token."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, default_response_class=PlainJson)

    def known(authorization: Annotated[str, Header()] = "") -> None:
        """Raise Problem unless a request carries the token."""
        # Other users of the machine can reach a local port as well.
        if not hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode()):
            raise Problem(401, "no-token", "Open the link that the command printed, with everything after the #.")

    @app.get("/", response_class=FileResponse)
    def show() -> Response:
        return FileResponse(static / f"{page}.html", media_type="text/html; charset=utf-8")

    app.mount("/static", StaticFiles(directory=static, check_dir=False), name="static")
    app.add_exception_handler(Problem, _refuse_problem)
    app.add_exception_handler(RefereeError, _refuse_mistake)
    app.add_middleware(BodyLimit, limit=largest)
    app.add_middleware(SecureReplies)
    return app, [Depends(known)]


async def _refuse_problem(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, Problem)
    return PlainJson(problem.body(), problem.status)


async def _refuse_mistake(_: Request, error: Exception) -> Response:
    message = error.problem if isinstance(error, InputError) else str(error)
    return PlainJson({"problem": "refused", "message": message}, 422)


LARGEST = 256 * 1024


class Saving(BaseModel):
    """The state of one utterance."""

    utterance: int = Field(ge=0, le=100_000)
    expressions: list[dict[str, Any]] = Field(max_length=200)
    done: bool


def create_desk_app(desk: Desk, token: str, static: Path = STATIC) -> FastAPI:
    """Return the web application of one desk; everyone with the token may read and mark."""
    app, guarded = create_local_app("annotator", token, static, LARGEST)
    # Routes run in worker threads, and each save reads the end of a file before it adds to it.
    writing = threading.Lock()

    def sheet(number: int) -> AnnotationSheet:
        """Return the sheet of a recording. Raises Problem for an unknown number."""
        if not 0 <= number < len(desk.sheets):
            raise Problem(404, "no-recording", "There is no such recording. Reload the page.")
        return desk.sheets[number]

    @app.get("/api/desk", dependencies=guarded)
    def progress() -> dict[str, Any]:
        return {**desk.progress(), "attributes": dict(ATTRIBUTES)}

    @app.get("/api/recordings/{number}", dependencies=guarded)
    def content(number: int) -> dict[str, Any]:
        return sheet(number).content()

    @app.post("/api/recordings/{number}/marks", dependencies=guarded)
    def save(number: int, body: Saving) -> dict[str, Any]:
        """Save the annotation of one utterance."""
        with writing:
            sheet(number).save(body.utterance, body.expressions, body.done)
        return {"saved": True}

    return app
