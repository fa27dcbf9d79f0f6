"""Referee's laboratory: human experiments in the browser and situated games, for the package `referee`."""

__version__ = "0.1.0"
