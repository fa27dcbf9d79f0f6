"""`referee ground`.

Which convention the numbers of a file of boxes and points follow, and which items every model misses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from referee.cli import options
from referee.cli.progress import show_clock
from referee.errors import InputError

app = options.make_app()

EPILOG = options.examples("""
  referee ground --check RefCOCO.jsonl.gz                                      find the convention of numbers (one line per item: gt, answers by model)

  referee ground --check RefCOCO.jsonl.gz --gold xyxy                          test a declared convention

  referee ground --check answers.jsonl --corpus osworld-g                      your own answers, in Referee's outputs format

  referee ground --page RUN --pictures shared/data/osworld-g --out PAGE        every item with its picture, what was meant and every answer

  referee ground --check RefCOCO.jsonl.gz --suspects                           items that every model misses: look at the label first
""")


@app.command(epilog=EPILOG)
def ground(
    check: Annotated[
        Path | None,
        typer.Option(
            help="A file with boxes or points, by line: gt and answers, or outputs (with --corpus).", show_default=False
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            help="A run folder with places: write its items as a page with pictures (--out).", show_default=False
        ),
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option(help="Folder of the pictures for --page.", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The folder that --page writes.", show_default=False)] = None,
    corpus: Annotated[
        str | None, typer.Option("--corpus", "-c", help="Corpus of the trials that the outputs answer.")
    ] = None,
    data: options.Data = None,
    reading: Annotated[str | None, typer.Option(help="Folder of corpora (default: REFEREE_DATA).")] = None,
    gold: Annotated[str | None, typer.Option(help="Declared order of the gold boxes: xyxy or xywh.")] = None,
    convention: Annotated[
        list[str] | None,
        typer.Option(
            help='Declared convention of numbers: "pixels xyxy", or for one model "molmo=percent xy".',
            show_default=False,
        ),
    ] = None,
    size: Annotated[
        str | None, typer.Option(help="The size of all pictures, as 640x480, where lines have none.")
    ] = None,
    suspects: Annotated[bool, typer.Option("--suspects", help="List the items that every model misses.")] = False,
    form: options.TextOrJson = "text",
) -> int:
    """Report which convention (units, order) the coordinates of a whole set follow, how certain that is, and whether the declared one fits."""
    options.check_form(form)
    if page is not None:
        return _write_page(page, out, pictures)
    if check is None:
        raise InputError("neither --check nor --page is given", remedy="name a file with --check, or a run with --page")
    from referee.jobs.grounding import check_file, list_missed_items

    with show_clock("all readings of the numbers"):
        report = check_file(
            check, corpus=corpus, data=data, reading=reading, gold=gold, declared=convention or [], size=size
        )
        listed = list_missed_items(report) if suspects else None
    if form == "json":
        import json

        rows = report.as_rows() | ({} if listed is None else {"suspects": listed})
        print(json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False))
        return 0
    _print_report(report.as_rows(), listed)
    return 0


def _write_page(run: Path, out: Path | None, pictures: Path | None) -> int:
    """Write the page of answers with places. Raises InputError without --out."""
    from referee.jobs.folder import Run
    from referee.show.reports.place_pages import write_place_pages

    if out is None:
        raise InputError("the folder for the page is missing", remedy="name a new folder with --out")
    made = Run(run)
    _ = made.manifest  # raises the error for a folder that is no run at once
    with show_clock("pages of items"):
        written = write_place_pages(out, made, pictures)
    print(f"{written:,} items in {out / 'index.html'}")
    return 0


def _print_report(report: dict[str, Any], listed: dict[str, Any] | None) -> None:
    """Print the convention that each model's coordinates follow, and the items that all models miss."""
    print(
        f"{report['file']}: {report['items']:,} items; gold boxes are {report['gold'] or 'open'}"
        + _describe_inverted(report)
    )
    for row in report["models"]:
        print(f"\n{row['model']}  (n = {row['n']:,})")
        for line in _describe_model(row):
            print(f"  {line}")
    if listed is not None:
        _print_suspects(listed)


def _describe_inverted(report: dict[str, Any]) -> str:
    """Return a remark on inverted gold boxes."""
    names = report["inverted"]
    return (
        f"; {len(names)} of them inverted or empty, not used: {', '.join(names[:5])}{' …' if len(names) > 5 else ''}"
        if names
        else ""
    )


def _describe_model(row: dict[str, Any]) -> list[str]:
    """Return the lines on one model."""
    lines = []
    if row["reading"] is not None:
        fit = "" if row["fit"] is None else f": {row['fit']:.3f} right"
        lines.append(f"reads as {row['reading']}, gold boxes as {row['gold']}{fit} ({row['confidence']})")
    if row["runner_up"] is not None:
        lines.append(f"next best: {row['runner_up']} with {row['runner_up_fit']:.3f} (p = {row['p']:.2g})")
    if row["declared"] is not None and not row["declared_fits"]:
        fit = "" if row["declared_fit"] is None else f" ({row['declared_fit']:.3f} right)"
        lines.append(f"WARNING: declared as {row['declared']}, gold boxes as {row['declared_gold']}{fit}: does not fit")
    return [*lines, *row["remarks"]]


def _print_suspects(listed: dict[str, Any]) -> None:
    """Print the items that every system misses."""
    print(
        f"\n{len(listed['items'])} of {listed['of']:,} items are found by none of {', '.join(listed['systems'])}",
        end="",
    )
    print(f"; in {sum(i['same_place'] for i in listed['items'])} of these most models point to the same other place")
    for item in listed["items"]:
        text = f"  {item['text']}" if item["text"] else ""
        picture = f"  [{item['picture']}]" if item["picture"] else ""
        print(f"  {item['trial']}{'  same place' if item['same_place'] else ''}{text}{picture}")
