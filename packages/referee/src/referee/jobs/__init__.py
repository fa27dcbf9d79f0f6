"""The jobs that a user names (run, listen, score, describe, replicate), and the run folder they work on."""

from referee.jobs.folder import Run, is_run

__all__ = ["Run", "is_run"]
