"""`referee run`: named systems speak on a corpus, and a run folder keeps what they said."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from referee.api.run import run as run_systems
from referee.cli import StoppedWork, options, told
from referee.cli.progress import advancing
from referee.corpora.splits import CUTS
from referee.engines.pieces import SHARD
from referee.errors import InputError
from referee.runs.folder import is_run
from referee.runs.run import QuestionsWritten
from referee.runs.speak import systems_named

app = options.new_app()

EPILOG = options.examples("""
  referee run --corpus synthetic --systems classic --out RUN                        the classic algorithms, no data needed

  referee run --corpus tuna --reading challenge --systems tuna2008-as --folds 5 --folds-by speaker --out RUN

  referee run --corpus tuna --reading challenge --systems tuna2008-as/DIT-FBI,classic/incremental --cut challenge-80/20 --out RUN

  referee run --corpus synthetic --limit 50 --folds-by random --systems "mine=llm/openai-compatible|model:NAME|endpoint:http://localhost:8000/v1" --out RUN

  referee run --retry RUN                                                           ask again what was not answered

  referee score RUN --by domain                                                     then: measure what was said

Every trial is described by a system that was trained on other trials. A run that was broken off goes on when the same command is given again. Keys for
language models come from the environment (OPENAI_API_KEY); docs/running.md says more.
""")


@app.command(epilog=EPILOG)
def run_named(
    systems: Annotated[
        str | None,
        typer.Option(
            "--systems",
            "-s",
            help="Names or groups (referee list systems), comma-separated; switches as NAME|switch:value.",
        ),
    ] = None,
    corpus: Annotated[
        str | None, typer.Option("--corpus", "-c", help="A corpus by name, or a JSONL file of trials.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The run folder to write.")] = None,
    retry: Annotated[
        Path | None,
        typer.Option(help="A finished run: questions that failed are asked again, at the pace of --systems if given."),
    ] = None,
    data: options.Data = None,
    reading: options.Reading = None,
    only: Annotated[str | None, typer.Option(help="Part of the corpus: domain=furniture, condition=-LOC …")] = None,
    limit: Annotated[int | None, typer.Option(help="At most this many trials, from the beginning.", min=2)] = None,
    folds: Annotated[int, typer.Option(help="Cut into so many parts, each the test part once.", min=2)] = 5,
    by: Annotated[
        str, typer.Option("--folds-by", "--by", help=f"What stays together in a fold: {', '.join(CUTS)}.")
    ] = "speaker",
    split: Annotated[
        str | None,
        typer.Option("--cut", "--split", help="One named cut instead of folds: challenge-80/20, speaker-80/20 …"),
    ] = None,
    seed: options.Seed = 1,
    jobs: options.Jobs = None,
    engine: options.EngineName = "local",
    shard: options.Shard = SHARD,
    address: options.Address = None,
    replay: Annotated[
        Path | None, typer.Option(help="A finished run: language models answer from its calls, without a network.")
    ] = None,
    samples: Annotated[
        int, typer.Option(help="Let language models describe every object so many times (LABEL#1, LABEL#2 …).", min=1)
    ] = 1,
    batch_out: options.BatchOut = None,
    batch_in: options.BatchIn = None,
    overwrite: options.OverwriteRun = False,
    restart: Annotated[bool, typer.Option("--restart", help="Give up an unfinished run and begin again.")] = False,
) -> int:
    """Train and run systems by name; the run folder can then be scored, reported and replayed."""
    if retry is not None:
        return _retry(retry, systems)
    if systems is None or corpus is None or out is None:
        missing = [n for n, given in (("--systems", systems), ("--corpus", corpus), ("--out", out)) if given is None]
        raise InputError(f"{' and '.join(missing)} is missing", remedy="see `referee run --help`")
    try:
        with advancing(f"{systems} on {corpus}", spending=True) as watch:
            found = run_systems(
                systems,
                corpus,
                out,
                folds=folds,
                folds_by=by,
                cut=split,
                only=only,
                limit=limit,
                seed=seed,
                jobs=jobs,
                engine=engine,
                shard=shard,
                address=address,
                data=data,
                reading=reading,
                replay=replay,
                samples=samples,
                batch_in=batch_in,
                batch_out=batch_out,
                overwrite=overwrite,
                restart=restart,
                progress=watch,
            )
    except KeyboardInterrupt:
        raise _stopped() from None
    except QuestionsWritten as waiting:
        told(
            f"{waiting.number} questions are in {batch_out}; with their answers, the same command and --batch-in ANSWERS.jsonl in place of --batch-out goes on"
        )
        return 0
    _print(found.counts)
    _say_failures(out, found.counts)
    told(f"run folder: {out}   next: referee score {out} --by domain")
    return 0


def _retry(folder: Path, systems: str | None) -> int:
    from referee.runs.retry import failures_of
    from referee.runs.retry import retry as ask_again

    named = systems_named(s.strip() for s in (systems or "").split(",") if s.strip()) if systems else ()
    failed = failures_of(folder)
    if not failed and is_run(folder):
        told("no question of this run failed")
        return 0
    try:
        with advancing(f"{failed} questions again", spending=True) as watch:
            counts = ask_again(folder, named, command=sys.argv[1:], watch=watch)
    except KeyboardInterrupt:
        raise _stopped() from None
    _print(counts)
    _say_failures(folder, counts)
    told(f"run folder: {folder}   scores are of what was said before: score it again, and listen again")
    return 0


def _stopped() -> StoppedWork:
    return StoppedWork("every answer so far is kept, and the same command goes on from here")


def _say_failures(out: Path, counts: dict[str, dict[str, float]]) -> None:
    """A run with unanswered questions is finished and says so."""
    failed = sum(numbers.get("failed", 0) for numbers in counts.values())
    if failed:
        print(f"{failed:g} questions were not answered; ask them again: referee run --retry {out}", file=sys.stderr)


def _print(counts: dict[str, dict[str, float]]) -> None:
    """One line a system: how many answers, and whatever else was counted."""
    width = max(map(len, counts))
    for system, numbers in counts.items():
        more = {k: v for k, v in numbers.items() if v and k not in ("trials", "answered")}
        shown = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in more.items())
        print(f"{system:<{width}}  {numbers['answered']:g} of {numbers['trials']:g}{'  ' + shown if shown else ''}")
