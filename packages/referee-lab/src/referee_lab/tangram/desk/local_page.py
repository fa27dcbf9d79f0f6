"""A page at a local address.

One token after the # of the link, where no log records it, and errors as the page shows them.
"""

from __future__ import annotations

import hmac
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Request
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles

from referee.errors import InputError, RefereeError
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.web.middleware import BodyLimit, SecureReplies
from referee_lab.server.web.server import PlainJson


def create_local_app(page: str, token: str, static: Path, largest: int) -> tuple[FastAPI, list[Any]]:
    """Return an application that shows a built page at /, and the dependency by which its routes require the token."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, default_response_class=PlainJson)

    def known(authorization: Annotated[str, Header()] = "") -> None:
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
