"""`referee run`: runs named systems on a corpus; a run folder stores their outputs."""

from __future__ import annotations

import sys
from pathlib import Path

from referee.api.options import RunOptions
from referee.api.run import run as run_systems
from referee.cli import StoppedWork, print_note
from referee.cli.options import examples, make_app
from referee.cli.progress import show_steps
from referee.errors import InputError
from referee.jobs.folder import is_run
from referee.jobs.retry import count_failures
from referee.jobs.run import QuestionsWritten
from referee.options import apply, command

app = make_app()

EPILOG = examples("""
  referee run --corpus synthetic --systems classic --out RUN                        the classic algorithms, no data needed

  referee run --corpus tuna --reading challenge --systems tuna2008-as --folds 5 --folds-by speaker --out RUN

  referee run --corpus tuna --reading challenge --systems tuna2008-as/DIT-FBI,classic/incremental --cut challenge-80/20 --out RUN

  referee run --train train.xml --test test.xml --systems tuna2008-as --out RUN     a challenge's own files

  referee run --corpus synthetic --limit 50 --folds-by random --systems "mine=llm/openai-compatible|model:NAME|endpoint:URL" --out RUN

  referee run --retry RUN                                                           ask again what was not answered

  referee score RUN --by domain                                                     then: measure what was said

Every trial is described by a system that was trained on other trials. A run that was broken off goes on when the same command is given again. Keys for
language models come from the environment (OPENAI_API_KEY); `referee docs running` says more.
""")


@command(app, RunOptions, EPILOG)
def run_named(options: RunOptions) -> int:
    """Train and run systems by name; the run folder can then be scored, reported and replayed."""
    needed = () if options.retry else ("systems", *(() if options.train or options.test else ("corpus",)), "out")
    if missing := [f"--{name}" for name in needed if not getattr(options, name)]:
        raise InputError(f"{' and '.join(missing)} is missing", remedy="see `referee run --help`")
    out = Path(str(options.retry or options.out))
    failed = count_failures(out) if options.retry else 0
    if options.retry and not failed and is_run(out):
        print_note("no question of this run failed")
        return 0
    what = f"{failed} questions again" if options.retry else f"{options.systems} on {options.corpus or options.test}"
    try:
        with show_steps(what, cost=True) as options.progress:
            finished_run = apply(run_systems, options)
    except KeyboardInterrupt:
        raise StoppedWork("all answers so far are stored; the same command resumes from here") from None
    except QuestionsWritten as waiting:
        print_note(
            f"{waiting.number} questions are in {options.batch_out}; give the same command with --batch-in ANSWERS.jsonl in place of --batch-out to resume"
        )
        return 0
    _print_counts(finished_run.counts)
    _print_failures(out, finished_run.counts)
    next_step = (
        "scores are of the earlier outputs: score it again, and listen again"
        if options.retry
        else f"next: referee score {out} --by domain"
    )
    print_note(f"run folder: {out}   {next_step}")
    return 0


def _print_failures(out: Path, counts: dict[str, dict[str, float]]) -> None:
    """Print the number of unanswered questions of a finished run."""
    failed = sum(numbers.get("failed", 0) for numbers in counts.values())
    if failed:
        print(f"{failed:g} questions were not answered; ask them again: referee run --retry {out}", file=sys.stderr)


def _print_counts(counts: dict[str, dict[str, float]]) -> None:
    """Print one line per system: the number of outputs, and other counts."""
    width = max(map(len, counts))
    for system, numbers in counts.items():
        more = {k: v for k, v in numbers.items() if v and k not in ("trials", "answered")}
        shown = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in more.items())
        print(f"{system:<{width}}  {numbers['answered']:g} of {numbers['trials']:g}{'  ' + shown if shown else ''}")
