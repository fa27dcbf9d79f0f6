"""`referee passport`: may this hearer stand in for people? Its card, computed on human answers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.cli import options
from referee.cli.progress import advancing
from referee.errors import CannotWrite, InputError
from referee.hearers.passports.people import UNITS

app = options.new_app()

EPILOG = options.examples("""
  referee passport literal --corpus franke-degen2016

  referee passport learned --corpus degen2020 --folds 10 --out learned.json        the card, and its picture beside it

  referee passport "noisy|noise:0.1" --corpus tg-matcher --limit 500               whole games drawn by lot, for a first look

  referee passport mine.py:MyHearer --data my-study                                trials.jsonl and responses.jsonl in a folder

  referee passport mymodule:MyHearer --corpus trials.jsonl --data responses.jsonl

  referee passport "remote|model:NAME|endpoint:http://localhost:8000/v1" --corpus colors --limit 300 --calls calls

The verdict is one of: may be used, use with care, not fit, cannot be judged. docs/passport.md has the rules.
""")


@app.command(epilog=EPILOG)
def passport(
    hearer: Annotated[
        str,
        typer.Argument(
            help="A hearer by name (referee list hearers), MODULE:CLASS or FILE.py:CLASS; with switches as NAME|switch:value."
        ),
    ],
    corpus: Annotated[
        str | None, typer.Option(help="A corpus with human responses, or a JSONL file of trials.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="A folder with trials.jsonl and responses.jsonl, a file of responses, or the folder of corpora."
        ),
    ] = None,
    folds: Annotated[
        int, typer.Option(help="Folds; a hearer that learns is tested on the fold it did not see.", min=2)
    ] = 5,
    by: Annotated[str, typer.Option(help=f"What stays together in a fold: {' or '.join(UNITS)}.")] = "game",
    limit: Annotated[int | None, typer.Option(help="About so many answers: whole games drawn by lot.", min=1)] = None,
    probes: Annotated[
        int, typer.Option(help="Scenes for empty, contradictory and ambiguous descriptions.", min=0)
    ] = 100,
    speaker: Annotated[
        list[str] | None,
        typer.Option(
            "--speaker", help="A system or model that the hearer is to judge: flagged if of the hearer's family."
        ),
    ] = None,
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples of games (0: no intervals).", min=0)] = 500,
    calls: Annotated[
        Path | None, typer.Option(help="Folder where a remote hearer keeps its calls and goes on from.")
    ] = None,
    seed: options.SeedOfOrder = 1,
    form: options.TextOrJson = "text",
    out: Annotated[Path | None, typer.Option(help="CARD.json; the picture goes beside it (svg, png, pdf).")] = None,
) -> int:
    """Hold a hearer against people who read the same descriptions, and say whether it may be used as a measure."""
    _check(form, by, out)
    from referee.hearers.passports.cards import Examination, examine

    examination = Examination(
        hearer=hearer,
        corpus=corpus,
        data=data,
        folds=folds,
        by=by,
        limit=limit,
        probes=probes,
        resamples=resamples,
        seed=seed,
        families=tuple(speaker or ()),
        calls=calls,
    )
    with advancing(f"{hearer}: answers") as begin:
        card = examine(examination, begin)
    if out is not None:
        _save(card, out)
    print(json.dumps(card, ensure_ascii=False, indent=1)) if form == "json" else _print(card)
    return 0


def _check(form: str, by: str, out: Path | None) -> None:
    """What can be known to be wrong before the work begins."""
    if form not in ("text", "json") or by not in UNITS:
        raise InputError("this cannot be done", remedy=f"--format is text or json; --by is {' or '.join(UNITS)}")
    if out is not None and out.suffix != ".json":
        raise InputError(f"the card is JSON, not {out.suffix or 'nameless'}", where=out, remedy="name it CARD.json")
    if out is not None and not out.parent.is_dir():
        raise CannotWrite("there is no such folder", where=out.parent, remedy="make it, or choose another place")


def _save(card: dict[str, Any], out: Path) -> None:
    from referee.files import write_atomically
    from referee.reports.passport_card import save_card_pictures
    from referee.reports.report_figures import NO_FILES, can_save

    if can_save():
        save_card_pictures(card, out)
    else:
        print(f"{out}: {NO_FILES}", file=sys.stderr)
    write_atomically(out, [json.dumps(card, ensure_ascii=False, indent=1)])


def _print(card: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        console = Console(width=max(120, console.width))
    table = Table(
        "measure", "value", "95% interval", "beside it", title=f"{card['hearer']} on {card['corpus']}, n = {card['n']}"
    )
    for row in _rows(card):
        table.add_row(*row)
    console.print(table)
    console.print(f"[bold]{card['verdict']}[/bold]", highlight=False)
    for reason in card["reasons"]:
        print(f"  {reason}")
    left_out = ", ".join(f"{n} {reason}" for reason, n in card["left_out"].items())
    print(
        f"folds by {card['by']}: {len(card['folds'])}, {card['units']} units"
        + (f"; left out: {left_out}" if left_out else "")
    )
    print(f"passport {card['hash'][:12]}  {card['signature']}")


def _rows(card: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """What the text form shows; the rest is in the JSON."""
    beside = {
        "accuracy": f"people {_shown(card['human_accuracy'])}, chance {_shown(card['chance'])}",
        "auc": "0.5 is chance; " + _spread(card, "auc"),
        "kappa": f"of success alone {_shown(card['success_kappa'])}",
        "calibration_error": f"of its own success {_shown(card['own_calibration_error'])}",
        "time_correlation": f"{card['time_from']}, n = {card['time_n']}",
        "position_bias": f"p {_chance(card['position_p'])}, n = {card['position_n']}",
        "log_likelihood": f"even chances {_shown(card['chance_log_likelihood'])}; {card['ruled_out']} choices ruled out",
    }
    rows = [(name.replace("_", " "), _shown(card[name]), _interval(card, name), note) for name, note in beside.items()]
    for kind, probe in card["probes"].items():
        note = f"points {_shown(probe['pointed'])}, largest probability {_shown(probe['top'])}"
        fits = f", on what fits {_shown(probe['fitting'])}" if probe["fitting"] is not None else ""
        rows.append((f"if {kind}", f"n = {probe['n']}", "", note + fits if probe["n"] else "none could be made"))
    return rows


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _chance(p: float | None) -> str:
    return "–" if p is None else "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _interval(card: dict[str, Any], name: str) -> str:
    bounds = card["intervals"].get(name)
    return "" if bounds is None else f"[{bounds[0]:.3f}, {bounds[1]:.3f}]"


def _spread(card: dict[str, Any], name: str) -> str:
    known = [fold[name] for fold in card["folds"] if fold[name] is not None]
    return f"folds {min(known):.3f} to {max(known):.3f}" if known else "no fold has a value"
