"""Batch endpoints.

Questions as a file of requests, answers as a file of replies, in the form that OpenAI's batch interface and its
followers use.

A line of requests is ``{"custom_id", "method": "POST", "url": "/v1/chat/completions", "body"}``, a line of replies ``{"custom_id", "response": {"status_code",
"body"}, "error"}``. The custom id is the key of the call, so answers find their questions whenever they come.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from referee.errors import MalformedInput
from referee.files import write_atomically


class BatchFile:
    """A file of questions.

    `requests` is the file for the endpoint, `kept` the same questions in the response cache's format.
    """

    def __init__(self, requests: Path, stored: Path) -> None:
        self.requests, self.stored = requests, stored
        self._lock = threading.Lock()
        self._lines: dict[str, tuple[str, str]] = {}

    def add(self, key: str, sent: Mapping[str, Any], question: Mapping[str, Any], asker: str = "") -> None:
        """Add a question."""
        request = {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": sent}
        with self._lock:
            self._lines[key] = (
                json.dumps(request, ensure_ascii=False),
                json.dumps({"key": key, "asker": asker, "question": question}, ensure_ascii=False),
            )

    def write(self) -> int:
        """Write both files, whole; returns the number of questions."""
        lines = [self._lines[key] for key in sorted(self._lines)]
        write_atomically(self.requests, (request for request, _ in lines))
        write_atomically(self.stored, (stored for _, stored in lines))
        return len(lines)


def read_questions(stored: Path, asker: str) -> dict[str, Mapping[str, Any]]:
    """Return the questions that one asker wrote, by key; none where there were none."""
    if not stored.exists():
        return {}
    rows = (json.loads(line) for line in stored.read_text("utf-8").split("\n") if line.strip())
    return {row["key"]: row["question"] for row in rows if row["asker"] == asker}


def read_answers(path: Path) -> Iterator[tuple[str, Mapping[str, Any] | None, str]]:
    """Yield key, chat completion (None where there is none) and the reason why not, line by line."""
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise MalformedInput(f"the answers cannot be read ({error})", where=path) from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _parse_answer_line(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise MalformedInput(
                    "this is not an answer of a batch",
                    where=path,
                    line=number,
                    remedy='every line is {"custom_id": …, "response": {"status_code": 200, "body": {…}}}',
                ) from None


def _parse_answer_line(row: Mapping[str, Any]) -> tuple[str, Mapping[str, Any] | None, str]:
    """Return key, response and error of one line of a batch result."""
    key = str(row["custom_id"])
    response, error = row.get("response") or {}, row.get("error")
    body = response.get("body")
    status = response.get("status_code", 200)
    if status == 200 and isinstance(body, Mapping) and body["choices"][0]["message"] is not None:
        return key, body, ""
    problem = error or (body.get("error") if isinstance(body, Mapping) else None) or body
    return key, None, f"batch: HTTP {status}: {json.dumps(problem, ensure_ascii=False)[:200]}"
