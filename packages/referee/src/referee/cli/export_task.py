"""`referee export-task`: any corpus as an inspect_ai task and a data set folder, to ask models elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from referee.cli import options

app = options.make_app()

EPILOG = options.examples("""
  referee export-task --corpus synthetic --out TASK && inspect eval TASK/task.py --model mockllm/model

  referee export-task --corpus degen2020 --role hearer --limit 200 --out TASK

  referee export-task --corpus refcoco --data DATA --role locator --pictures COCO/train2014 --out TASK    boxes in photographs

  referee import logs/LOG.eval --corpus synthetic --out RUN                      the results become a run
""")


@app.command(epilog=EPILOG)
def export(
    corpus: options.SomeCorpus,
    out: Annotated[Path, typer.Option(help="The folder to write: task.py, data/test.jsonl, README.md.")],
    role: Annotated[str, typer.Option(help="The role of the model: speaker, hearer, or locator (boxes).")] = "speaker",
    pictures: Annotated[
        str | None, typer.Option(help="Add pictures: draw (of the scenes), or the folder of the photographs.")
    ] = None,
    data: options.Data = None,
    reading: options.Reading = None,
    only: Annotated[str | None, typer.Option(help="Part of the corpus: domain=furniture …")] = None,
    limit: Annotated[int | None, typer.Option(help="At most this many trials, from the beginning.", min=1)] = None,
    seed: options.SeedOfOrder = 1,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace such a folder.")] = False,
) -> int:
    """Write prompts for every trial as an inspect_ai task and a Hugging Face style dataset."""
    from referee.api.run import limit_corpus
    from referee.jobs.export_task import export_task
    from referee.jobs.open import open_corpus

    opened = limit_corpus(open_corpus(corpus, data=data, reading=reading, split=only), limit)
    n = export_task(opened, out, role=role, pictures=pictures or "", seed=seed, overwrite=overwrite)
    print(f"{n} prompts in {out}   next: inspect eval {out}/task.py --model PROVIDER/MODEL", file=sys.stderr)
    return 0
