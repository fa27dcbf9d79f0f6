"""`referee import`: answers that models gave elsewhere become a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from referee.cli import options
from referee.errors import InputError

app = options.make_app()

EPILOG = options.examples("""
  referee import logs/2026-11-16_task.eval --corpus tuna --out RUN               an inspect_ai log (.eval or .json)

  referee import results/NAME/samples_task.jsonl --corpus mine.jsonl --out RUN   samples of lm-eval or lmms-eval

  referee import results/NAME/samples_task.jsonl --documents TASK/data/test.jsonl --corpus mine.jsonl --out RUN    lmms-eval, which omits the questions

  referee import results/NAME/referencegame --system NAME --out RUN              episodes of clembench, which bring their scenes along

  referee import answers.csv --corpus tuna --map trial=item,text=utterance,system=model --out RUN

  referee score RUN && referee listen RUN --hearer literal                       then: as any other run
""")


@app.command(epilog=EPILOG)
def import_run(
    source: Annotated[Path, typer.Argument(help="A log, a table, or a folder of episodes.")],
    out: options.RunToWrite,
    corpus: Annotated[
        str | None, typer.Option("--corpus", "-c", help="The corpus of the questions: its name, or a JSONL file.")
    ] = None,
    data: options.Data = None,
    reading: options.Reading = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="inspect, lm-eval, lmms-eval, evalscope, vlmevalkit, internvl, screenspot-pro, "
            "ref-adv, finecops-ref, jsonl, csv or clembench; recognised by default.",
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            help="Columns of a table: trial=COLUMN,text=COLUMN,system=COLUMN. Of lm-eval: filter=NAME, text=resps.",
        ),
    ] = None,
    documents: Annotated[
        Path | None,
        typer.Option(help="The data set of the questions (JSONL), for logs that number its rows (lmms-eval)."),
    ] = None,
    system: Annotated[str | None, typer.Option(help="The name of the speaker.")] = None,
    overwrite: options.OverwriteRun = False,
) -> int:
    """Convert external answers to a run folder; unknown trials are errors, unparsable answers are counted."""
    from referee.api.evaluate import parse_map
    from referee.corpora.natives.recognition import recognise_format
    from referee.jobs.import_answers import import_answers, import_episodes
    from referee.jobs.open import open_corpus

    if not source.exists():
        raise InputError("there is no such file", where=source, remedy="name a log, a table, or a folder of episodes")
    kind = form or recognise_format(source)
    if kind == "clembench":
        material = import_episodes(source, out, speaker=system, overwrite=overwrite, command=sys.argv[1:])
    else:
        if corpus is None:
            raise InputError(
                "--corpus is missing",
                where=source,
                remedy="name the corpus of the questions; without one: referee evaluate FILE --save-as RUN",
            )
        mapped = _check_roles(parse_map(columns))
        if system and "system" in mapped:
            raise InputError("the system is named twice", remedy="keep --system NAME or --map system=COLUMN")
        mapped |= {"system": system} if system else {}
        if documents is not None:
            mapped["documents"] = str(documents)
        opened = open_corpus(corpus, data=data, reading=reading)
        material = import_answers(
            source, opened, out, format=kind, columns=mapped, overwrite=overwrite, command=sys.argv[1:]
        )
    for model, counts in material.counts.items():
        print(f"{model}: {', '.join(f'{n} {outcome}' for outcome, n in sorted(counts.items()))}")
    print(f"run folder: {out}   next: referee score {out} --lenient", file=sys.stderr)
    return 0


def _check_roles(columns: dict[str, str]) -> dict[str, str]:
    """Return the columns of --map. Raises InputError for a role that logs do not have."""
    wrong = next((role for role in columns if role not in ("trial", "text", "system", "filter")), None)
    if wrong is not None:
        raise InputError(f"cannot map {wrong!r}", remedy="write --map trial=COLUMN,text=COLUMN,system=COLUMN")
    return columns
