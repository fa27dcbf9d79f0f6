"""The annotator's page at a local address: one desk."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, Field

from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.web.built_pages import STATIC
from referee_lab.tangram.desk.annotation_desk import AnnotationSheet, Desk
from referee_lab.tangram.desk.local_page import create_local_app
from referee_lab.tangram.tiers.dialogue import ATTRIBUTES

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
        with writing:
            sheet(number).save(body.utterance, body.expressions, body.done)
        return {"saved": True}

    return app
