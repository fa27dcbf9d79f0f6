"""Refusals with names: JSON for the browser with the problem and the next step."""

from __future__ import annotations

from typing import Any


class Problem(Exception):
    """Raised when a request is refused.

    Inside a write, earlier changes are kept, so that a refusal can log an audit row.
    """

    def __init__(self, status: int, problem: str, message: str, **more: Any) -> None:
        super().__init__(problem)
        self.status, self.problem, self.message, self.more = status, problem, message, more

    def body(self) -> dict[str, Any]:
        return {"problem": self.problem, "message": self.message, **self.more}
