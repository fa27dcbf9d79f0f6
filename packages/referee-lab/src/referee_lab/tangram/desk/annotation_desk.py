"""The annotator's desk: recordings of a folder, the marks of one annotator, and the server of its page.

Every change is appended to a file before it is acknowledged.

The same desk serves adjudication: it shows two finished annotations, copies their agreements, and asks for decisions on
the rest.
"""

from __future__ import annotations

import hmac
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
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
from referee_lab.tangram.game.dialogue_sessions import DialogueSession, read_session
from referee_lab.tangram.tiers.annotations import (
    ADJUDICATED,
    Annotation,
    ExpressionMark,
    extract_marks,
    format_header,
    format_utterance_state,
    make_annotation_path,
    parse_annotation,
    parse_marks,
)
from referee_lab.tangram.tiers.dialogue import ATTRIBUTES, UTTERANCE, Dialogue
from referee_lab.tangram.tiers.expressions import preannotate
from referee_lab.tangram.tiers.piece_lexicon import WordFile, find_lexicon


@dataclass
class AnnotationSheet:
    """One recording on the desk, or a dialogue with tiers only.

    `words` is a custom vocabulary for proposals.
    """

    path: Path
    annotator: str
    beside: tuple[str, ...] = ()
    offer: bool = True
    words: WordFile | None = None

    @cached_property
    def session(self) -> DialogueSession:
        return read_session(self.path)

    @property
    def dialogue(self) -> Dialogue:
        return self.session.dialogue

    @cached_property
    def texts(self) -> list[str]:
        return [u.text or "" for u in self.dialogue.select_tier(UTTERANCE)]

    @cached_property
    def proposals(self) -> dict[int, tuple[ExpressionMark, ...]]:
        """Return the marks that a program proposes, for languages with a vocabulary.

        Gold references in the log are not shown.
        """
        if not self.offer or not self.has_words:
            return {}
        return extract_marks(preannotate(self.dialogue, self.session.positions(), self.words))

    @property
    def has_words(self) -> bool:
        return find_lexicon(self.dialogue.language, self.dialogue.pieces, self.words) is not None

    @property
    def file(self) -> Path:
        return make_annotation_path(self.path, self.annotator)

    def annotation(self, annotator: str | None = None) -> Annotation:
        """Return the annotation that is stored so far."""
        path = self.file if annotator is None else make_annotation_path(self.path, annotator)
        if not path.exists():
            return Annotation(annotator=annotator or self.annotator, session=self.dialogue.id)
        annotation = parse_annotation(path.read_text(encoding="utf-8"), str(path))
        # Files lie beside each other and are easily moved: marks on the wrong words would not be noticed otherwise.
        if annotation.session != self.dialogue.id or any(n >= len(self.texts) for n in annotation.marks):
            raise InputError("this annotates another recording", where=path, remedy="put it beside its own recording")
        return annotation

    def save(self, utterance: int, expressions: Any, done: bool) -> None:
        """Append the state of an utterance, and return when it is on disk."""
        if not 0 <= utterance < len(self.texts):
            raise InputError(f"there is no utterance {utterance}", remedy=f"0 to {len(self.texts) - 1}")
        text = self.texts[utterance]
        marks = parse_marks(expressions, text)
        if strange := {r for m in marks for r in m.referents} - self.dialogue.pieces.keys():
            raise InputError(f"there is no piece {sorted(strange)[0]!r}", remedy=", ".join(self.dialogue.pieces))
        if done and (open_mark := next((m for m in marks if not m.referents and not m.uncertain), None)):
            words = text[open_mark.start : open_mark.end]
            raise InputError(f"{words!r} has no referent yet", remedy="name its piece, or say that it is unclear")
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        _append_line(
            self.file,
            format_header(self.annotator, self.dialogue.id),
            format_utterance_state(utterance, text, marks, done, now),
        )

    def progress(self) -> dict[str, Any]:
        """Return the annotator's progress.

        Adjudication counts only utterances that both annotators have finished.
        """
        asked = self._find_assigned()
        done, dialogue = len(self.annotation().done & asked), self.dialogue
        return {"session": dialogue.id, "utterances": len(asked), "done": done, "synthetic": dialogue.synthetic}

    def content(self) -> dict[str, Any]:
        """Return the page's data: the film, and for every utterance its marks and proposals.

        Adjudication adds the marks of both annotators.
        """
        annotation, asked = self.annotation(), self._find_assigned()
        others = {name: self.annotation(name) for name in self.beside}
        film = self.session.build_film()
        utterances = self.dialogue.select_tier(UTTERANCE)
        rows = [
            {
                "by": u.by,
                "text": self.texts[n],
                "start_ms": u.start_ms,
                "shown_ms": u.data.get("shown_ms", u.start_ms),
                "asked": n in asked,
                "done": n in annotation.done,
                "marks": _export_marks(annotation.marks.get(n)),
                "proposed": _export_marks(self.proposals.get(n, ())) if self.offer else None,
                "others": {name: _export_marks(a.marks[n]) for name, a in others.items()}
                if n in asked and others
                else None,
            }
            for n, u in enumerate(utterances)
        ]
        return {"session": self.dialogue.id, "film": film, "utterances": rows}

    def take_over(self) -> int:
        """Store all marks on which both annotators agree as decided; return their number."""
        annotation = self.annotation()
        first, second = (self.annotation(name) for name in self.beside)
        # Decisions from before stay: the desk may be opened again and again.
        alike = [n for n in self._find_assigned() if first.marks[n] == second.marks[n] and n not in annotation.marks]
        for n in sorted(alike):
            self.save(n, [mark.to_data() for mark in first.marks[n]], done=True)
        return len(alike)

    def _find_assigned(self) -> frozenset[int]:
        every = frozenset(range(len(self.texts)))
        return frozenset.intersection(every, *(self.annotation(name).done for name in self.beside))


@dataclass(frozen=True)
class Desk:
    """All recordings for one annotator."""

    annotator: str
    sheets: Sequence[AnnotationSheet]
    beside: tuple[str, ...] = ()

    @classmethod
    def open_for_annotation(
        cls, recordings: Sequence[Path], annotator: str, *, offer: bool = True, words: WordFile | None = None
    ) -> Desk:
        """Return a desk for annotating recordings."""
        if annotator == ADJUDICATED:
            raise InputError(f"{ADJUDICATED!r} is not a person", remedy="`referee tangram adjudicate` writes that file")
        return cls(annotator, [AnnotationSheet(path, annotator, offer=offer, words=words) for path in recordings])

    @classmethod
    def adjudicate(cls, recordings: Sequence[Path], annotators: tuple[str, str]) -> Desk:
        """Return a desk for deciding between two annotators, with the recordings that both have finished."""
        both = [p for p in recordings if all(make_annotation_path(p, name).exists() for name in annotators)]
        if not both:
            raise InputError(
                f"no recording was annotated by both {annotators[0]} and {annotators[1]}",
                remedy="`referee tangram agreement FOLDER` lists the annotators of every recording",
            )
        sheets = [AnnotationSheet(path, ADJUDICATED, beside=annotators, offer=False) for path in both]
        for sheet in sheets:
            sheet.take_over()
        return cls(ADJUDICATED, sheets, beside=annotators)

    def progress(self) -> dict[str, Any]:
        """Return the progress of every annotator on every recording."""
        recordings = [sheet.progress() for sheet in self.sheets]
        return {"annotator": self.annotator, "beside": list(self.beside), "recordings": recordings}


def _export_marks(marks: Sequence[ExpressionMark] | None) -> list[dict[str, Any]] | None:
    return None if marks is None else [mark.to_data() for mark in marks]


def _append_line(path: Path, header: str, line: str) -> None:
    """Append one line, after cutting off the incomplete line that a crash may have left."""
    # Append mode writes at the end wherever reading has left the file.
    with path.open("ab+") as file:
        file.seek(0)
        held = file.read()
        if held and not held.endswith(b"\n"):
            file.truncate(held.rfind(b"\n") + 1)
        file.write(((header if not held else "") + line).encode())
        file.flush()
        os.fsync(file.fileno())


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


def create_desk_app(desk: Desk, token: str) -> FastAPI:
    """Return the web application of one desk; everyone with the token may read and mark."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, default_response_class=PlainJson)

    def check_token(authorization: Annotated[str, Header()] = "") -> None:
        """Raise Problem unless a request carries the token."""
        # Other users of the machine can reach a local port as well.
        if not hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode()):
            raise Problem(401, "no-token", "Open the link that the command printed, with everything after the #.")

    guarded = [Depends(check_token)]
    app.mount("/static", StaticFiles(directory=STATIC, check_dir=False), name="static")
    app.add_exception_handler(Problem, _refuse_problem)
    app.add_exception_handler(RefereeError, _refuse_mistake)
    app.add_middleware(BodyLimit, limit=LARGEST)
    app.add_middleware(SecureReplies)
    # Routes run in worker threads, and each save reads the end of a file before it adds to it.
    writing = threading.Lock()

    def sheet(number: int) -> AnnotationSheet:
        """Return the sheet of a recording. Raises Problem for an unknown number."""
        if not 0 <= number < len(desk.sheets):
            raise Problem(404, "no-recording", "There is no such recording. Reload the page.")
        return desk.sheets[number]

    @app.get("/", response_class=FileResponse)
    def show() -> Response:
        return FileResponse(STATIC / "annotator.html", media_type="text/html; charset=utf-8")

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
