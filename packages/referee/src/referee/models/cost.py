"""The cost of model calls: tokens and money, counted once when paid."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Cost:
    """Calls, tokens in and out, and money by the given prices."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    def add(self, prompt_tokens: int, completion_tokens: int, cost: float) -> None:
        """Count one call."""
        self.calls += 1
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
        self.cost += cost

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


PROCESS_COST = Cost()
"""All that this process has paid since it began, for the progress bar."""
