"""A refusal with a name: what the browser is told when something cannot be done, as JSON that says what to do next."""

from __future__ import annotations

from typing import Any

__all__ = ["Problem"]


class Problem(Exception):
    """Raised where a request is refused. Raised inside a write, it keeps what was written before it (so that a refusal can leave an audit row)."""

    def __init__(self, status: int, problem: str, message: str, **more: Any) -> None:
        super().__init__(problem)
        self.status, self.problem, self.message, self.more = status, problem, message, more

    def body(self) -> dict[str, Any]:
        return {"problem": self.problem, "message": self.message, **self.more}
