"""Referee: the fair judge of referring expressions."""

__version__ = "0.1.0"
