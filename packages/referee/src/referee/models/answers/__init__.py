"""Answers of models, parsed: `parsing.parse_answer` for texts, `calls.parse_call` for calls."""
