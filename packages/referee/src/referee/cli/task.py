"""`referee task`: a shared task, from a corpus to a page of results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from referee.cli import options, print_note

app = options.make_app(no_args_is_help=True, help=__doc__)

TaskFolder = Annotated[Path, typer.Option("--task", help="The folder of the task (default: here, or above).")]
Submission = Annotated[
    Path, typer.Argument(help="A submission: a zip, or a file as `referee evaluate` reads it.", show_default=False)
]


@app.command(epilog=options.examples("  referee task new synthetic --out TASK --title 'Describe the furniture'"))
def new(
    corpus: Annotated[
        str,
        typer.Argument(
            help="A corpus by name, a JSONL file of trials, or a table with one row per item or object.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write.")],
    metrics: Annotated[str | None, typer.Option(help="Measures, comma-separated; the first one ranks.")] = None,
    title: Annotated[str | None, typer.Option(help="Title of the task.")] = None,
    split: Annotated[str | None, typer.Option(help="A part of the corpus.")] = None,
    data: options.Data = None,
    reading: options.Reading = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing task.")] = False,
) -> int:
    """Write blind items, sealed references, a page for participants, and a competition for Codabench."""
    from referee.jobs.open import open_corpus
    from referee.jobs.score_table import expand_metric_names
    from referee.jobs.shared_task import make_task

    chosen = expand_metric_names([m.strip() for m in (metrics or "").split(",") if m.strip()])
    task = make_task(open_corpus(corpus, data, reading, split), out, chosen, title, overwrite)
    print(f"{task.folder}: {task.manifest['items']:,} items, measures {', '.join(task.metrics)}")
    print_note("give participants the folder participants/; keep organisers/ and codabench/")
    return 0


@app.command(epilog=options.examples("  referee task check team.jsonl --task TASK"))
def check(submission: Submission, task: TaskFolder = Path()) -> int:
    """Check a submission: its format, items that are missing or unknown.

    Exit code 2 if it cannot be scored.
    """
    from referee.jobs.shared_task import check_submission, find_task

    data, messages = check_submission(submission, find_task(task))
    print(f"{submission.name}: {len(data.outputs):,} descriptions; it can be scored")
    for message in messages:
        print(message)
    return 0


@app.command(epilog=options.examples("  referee task score team.zip --task TASK --out SCORES"))
def score(
    submission: Submission,
    out: Annotated[Path, typer.Option(help="The folder for scores.json.")],
    task: TaskFolder = Path(),
) -> int:
    """Score a submission against the sealed references.

    Scores.json is one flat object, as Codabench reads it.
    """
    from referee.jobs.shared_task import find_task, score_submission

    print(json.dumps(score_submission(submission, find_task(task), out), indent=1))
    return 0


@app.command(epilog=options.examples("  referee task rank SUBMISSIONS --task TASK --out RESULTS"))
def rank(
    submissions: Annotated[Path, typer.Argument(help="The folder of submissions.", show_default=False)],
    task: TaskFolder = Path(),
    out: Annotated[Path | None, typer.Option(help="Also write a page of results into this folder.")] = None,
    form: options.TextOrJson = "text",
) -> int:
    """Score all submissions of a folder and rank them.

    A rank is 1 plus the number of significantly better systems; a submission that lacks items has none.
    """
    from referee.jobs.shared_task import find_task, rank_submissions

    options.check_form(form)
    shared = find_task(task)
    ranking = rank_submissions(submissions, shared, out)
    if form == "json":
        print(json.dumps(ranking.as_json(), ensure_ascii=False, indent=1))
        return 0
    for line in ranking.lines(shared):
        print(line)
    for message in ranking.messages:
        print_note(message)
    return 0
