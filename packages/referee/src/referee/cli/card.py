"""`referee card speaker RUN`: the card of a speaker, one measure a line with its sample size."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.cli import options
from referee.cli.progress import show_steps
from referee.errors import InputError
from referee.jobs.folder import Run

app = options.make_app()

EPILOG = options.examples("""
  referee passport literal --corpus degen2020 --out literal.json
  referee run --corpus degen2020 --systems classic/incremental,classic/greedy --out RUN
  referee listen RUN --hearer literal --passport literal.json
  referee card speaker RUN --hearer literal --passport literal.json

  referee card speaker RUN --format json                      all cells with intervals and signatures

  referee card speaker RUN --picture CARDS                    one SVG for every speaker

Samples (referee run --samples 5) share a card, which then says how alike they are. The hearer named here is asked about descriptions with one word left out.
""")


@app.command(epilog=EPILOG)
def card(
    kind: Annotated[str, typer.Argument(help="speaker")],
    run: options.RunFolder,
    hearer: Annotated[
        str | None, typer.Option(help="A hearer with a passport, to test which words can be deleted.")
    ] = None,
    passport: options.Passport = None,
    picture: Annotated[Path | None, typer.Option(help="A folder for pictures of the cards.")] = None,
    seed: options.SeedOfOrder = 1,
    confidence: options.Confidence = 0.95,
    form: options.TableOrJson = "table",
) -> int:
    """Show the card of every speaker of a run, by language."""
    if kind != "speaker" or form not in ("table", "json"):
        raise InputError(f"cannot show {kind!r} as {form!r}", remedy="referee card speaker RUN --format table|json")
    opened = Run(run)
    manifest = opened.manifest
    if not (run / "outputs.jsonl").is_file() or not manifest.get("systems"):
        raise InputError("this run has no descriptions", where=run, remedy="name a run of systems")
    cards = _make_cards(opened, manifest, hearer, passport, seed, confidence)
    if form == "json":
        print(json.dumps({"cards": cards}, ensure_ascii=False, indent=1))
    else:
        for made in cards:
            _print_cards(made)
    if picture is not None:
        from referee.show.reports.speaker_picture import save_pictures

        for path in save_pictures(cards, picture):
            print(f"picture: {path}", file=sys.stderr)
    return 0


def _make_cards(
    opened: Run, manifest: dict[str, Any], hearer: str | None, passport: Path | None, seed: int, confidence: float
) -> list[dict[str, Any]]:
    """Return a card for each speaker of a run."""
    from referee.hearers.speaker_card import make_speaker_cards
    from referee.jobs.open import open_corpus

    outputs = {(o.system, o.trial): o.description for o in opened.outputs()}
    listening = None if hearer is None else _load_hearer(opened.folder, hearer, passport, seed)
    with show_steps("descriptions with a word left out", cost=True) as begin:
        return make_speaker_cards(
            list(opened.trials()),
            outputs,
            list(opened.responses()),
            manifest,
            sampled=open_corpus(opened.folder).source.sampled,
            listening=listening,
            confidence=confidence,
            advance=begin(len(outputs)) if listening else lambda n: None,
        )


def _load_hearer(run: Path, hearer: str, passport: Path | None, seed: int) -> Any:
    """Return the hearer that measures success. Raises InputError if it has no passport."""
    from referee.capabilities import Remembers, SignsCalls, learns
    from referee.hearers.passports.cards import read_card
    from referee.hearers.passports.named_hearer import name_of, summon
    from referee.hearers.passports.quoting import sign
    from referee.hearers.speaker_card import Listening
    from referee.signature import signature

    if passport is None:
        raise InputError(
            f"{hearer} has no passport, and a card needs a hearer that was validated on people",
            remedy="make one on people's answers (referee passport … --out CARD.json) and name it: --passport CARD.json",
        )
    card = read_card(passport)
    name = name_of(hearer)
    if str(card["hearer"]) != name:
        raise InputError(f"this is the passport of {card['hearer']}, not of {name}", where=passport)
    made = summon(hearer, seed)
    if learns(made):
        raise InputError(f"{name} needs training", remedy="name a hearer without training")
    if isinstance(made, Remembers):
        if isinstance(made, SignsCalls):
            made.asker = name
        (run / "hearing-calls").mkdir(exist_ok=True)
        made.remember(run / "hearing-calls")
    return Listening(hearer=made, signed=sign(signature(name.partition("|")[0], made, seed=seed), card), seed=seed)


def _print_cards(made: dict[str, Any]) -> None:
    """Print speakers' cards as tables."""
    from rich.table import Table

    from referee.cli import make_results_console

    samples = f", {made['samples']} samples" if made["samples"] > 1 else ""
    title = f"{made['speaker']} ({made['language']}; {made['trials']} trials{samples})"
    table = Table("measure", "value", "n", title=title, box=None, pad_edge=False)
    table.add_column("basis", overflow="fold")
    for name, cell in made["cells"].items():
        table.add_row(name.replace("_", " "), _format_cell(cell), str(cell["n"]), cell["signed"])
    console = make_results_console()
    console.print(table)
    console.print(made["signature"], markup=False, overflow="fold")


def _format_cell(cell: dict[str, Any]) -> str:
    """Return a value with its interval."""
    if cell["value"] is None:
        return "–"
    # Rounded first: a value that is 0 but for the last bit is 0.
    interval = "" if cell["low"] is None else f" [{round(cell['low'], 6):.3g}, {round(cell['high'], 6):.3g}]"
    return f"{cell['value']:.3g}{interval}"
