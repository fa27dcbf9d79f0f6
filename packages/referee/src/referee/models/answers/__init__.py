"""Answers of models, parsed: `parse_answer` for texts, `parse_call` for calls."""

from referee.models.answers.calls import parse_call
from referee.models.answers.parsing import ParsedAnswer, parse_answer, parse_place

__all__ = ["ParsedAnswer", "parse_answer", "parse_call", "parse_place"]
