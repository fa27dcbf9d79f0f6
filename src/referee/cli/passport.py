"""`referee passport`: may this hearer stand in for people? Its card, computed on human answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.api.passport import passport as examine
from referee.catalogue import one_of
from referee.cli import options, results, told
from referee.cli.progress import advancing
from referee.engines.pieces import SHARD
from referee.hearers.passports.people import UNITS
from referee.hearers.passports.quoting import DIGITS, corpus_word
from referee.hearers.passports.reading import READS
from referee.reports.report_figures import NO_FILES, can_save

app = options.new_app()

EPILOG = options.examples("""
  referee passport literal --corpus franke-degen2016

  referee passport learned --corpus degen2020 --folds 10 --out learned.json        the card, and its picture beside it

  referee passport "noisy|noise:0.1" --corpus tg-matcher --limit 500               whole games drawn by lot, for a first look

  referee passport mine.py:MyHearer --data my-study                                trials.jsonl and responses.jsonl in a folder

  referee passport mymodule:MyHearer --corpus trials.jsonl --data responses.jsonl

  referee passport "remote|model:NAME|endpoint:http://localhost:8000/v1" --corpus colors --limit 300 --calls calls

  referee passport learned --corpus degen2020 --folds-by object                    asked about kinds of things it never learned from

  referee passport colour --train colors --corpus colors-mandarin                  learns from one corpus, is asked about another

  referee passport recorded:answers.jsonl --corpus color-grids                     a model that was asked elsewhere (docs/passport.md has the form)

  referee passport recorded:mllm-listeners/Qwen2-VL-72B-Instruct-AWQ --corpus color-grids

The verdict is one of: may be used, use with care, not fit, cannot be judged. docs/passport.md has the rules.
""")


@app.command(epilog=EPILOG)
def passport(
    hearer: Annotated[
        str,
        typer.Argument(
            help="A hearer by name (referee list hearers), MODULE:CLASS or FILE.py:CLASS, with switches as NAME|switch:value; or recorded:FILE.jsonl."
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
    by: Annotated[
        str, typer.Option("--folds-by", "--by", help=f"What stays together in a fold: {', '.join(UNITS)}.")
    ] = "game",
    train: Annotated[
        str | None,
        typer.Option(
            help="Learn from another corpus, or a part of one (degen2020:domain=exp1), instead of the other folds."
        ),
    ] = None,
    reads: Annotated[
        str,
        typer.Option(help=f"What it reads: {' or '.join(READS)} (refused where they tell the outcome by being there)."),
    ] = "words",
    beside: Annotated[
        bool,
        typer.Option("--new/--no-new", help="Ask a hearer that learns about new scenes, objects and conditions, too."),
    ] = True,
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
    resamples: Annotated[
        int, typer.Option(help="Random orders (200 at most) for the chance level of ranking.", min=0)
    ] = 500,
    calls: Annotated[
        Path | None, typer.Option(help="Folder where a remote hearer keeps its calls and goes on from.")
    ] = None,
    seed: options.SeedOfOrder = 1,
    jobs: options.JobsOfPassport = None,
    engine: options.EngineName = "local",
    shard: Annotated[
        int, typer.Option(help="Questions a piece of work, in steps of 512; changes nothing but speed.", min=1)
    ] = SHARD,
    address: options.Address = None,
    form: options.TextOrJson = "text",
    out: Annotated[Path | None, typer.Option(help="CARD.json; the picture goes beside it (svg, png, pdf).")] = None,
) -> int:
    """Hold a hearer against people who read the same descriptions, and say whether it may be used as a measure."""
    one_of("--format", form, options.FORMS)
    with advancing(f"{hearer}: answers") as begin:
        found = examine(
            hearer,
            corpus,
            data=data,
            folds=folds,
            folds_by=by,
            train=train,
            reads=reads,
            new=beside,
            limit=limit,
            probes=probes,
            speaker=tuple(speaker or ()),
            resamples=resamples,
            calls=calls,
            seed=seed,
            jobs=jobs,
            engine=engine,
            shard=shard,
            address=address,
            spread=True,
            out=out,
            progress=begin,
        )
    if out is not None and not can_save():
        told(f"{out}: {NO_FILES}")
    print(json.dumps(found.card, ensure_ascii=False, indent=1)) if form == "json" else _print(found.card)
    return 0


def _print(card: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    console = results()
    table = Table(
        title=f"{card['hearer']} on {card['corpus']}, n = {card['n']}", title_justify="left", box=None, pad_edge=False
    )
    for name in ("measure", "value", "95% interval", "beside it"):
        # Numbers stay whole; only what is said beside them is broken over lines.
        table.add_column(name, no_wrap=name != "beside it", overflow="fold", header_style="bold")
    for row in _rows(card):
        table.add_row(*map(escape, row))
    console.print(table)
    console.print(f"[bold]{card['verdict']}[/bold]")
    for reason in card["reasons"]:
        print(f"  {reason}")
    for line in _footing(card):
        print(line)
    print(f"passport {corpus_word(card['corpus'])}:{card['hash'][:DIGITS]}  {card['signature']}")


def _footing(card: dict[str, Any]) -> Iterator[str]:
    """What the numbers rest on: training, reading, folds, clusters, what was left out."""
    yield f"trained on: {card['trained_on'] or 'nothing here'}" + (f"; reads {card['reads']}" if card["reads"] else "")
    for by, new in card["on_new"].items():
        if new["n"]:
            held = "holds" if new["holds"] else "does NOT hold"
            yield f"{held} on new {by}s: accuracy {_shown(new['accuracy'])}, AUC {_shown(new['auc'])} (n = {new['n']}, {new['units']} in {new['folds']} folds)"
        else:
            yield f"new {by}s not tried: {new['why']}"
    folds = f"folds by {card['by']}: {len(card['folds'])}, {card['units']} units; " if card["folds"] else ""
    yield f"{folds}intervals over {card['intervals_over']}"
    if card["left_out"]:
        yield "left out: " + ", ".join(f"{n} {reason}" for reason, n in card["left_out"].items())
    if card["outcomes"].keys() - {"entity"}:
        yield "outcomes: " + ", ".join(f"{n} {word}" for word, n in card["outcomes"].items())


def _rows(card: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """What the text form shows; the rest is in the JSON."""
    beside = _beside_judge(card) if "correlation" in card else _beside(card)
    rows = [(name.replace("_", " "), _shown(card[name]), _interval(card, name), note) for name, note in beside.items()]
    rows += _ranking(card["rank_agreement"])
    if card["ceiling"] is not None:
        top = card["ceiling"]
        note = f"people foretell people: kappa {_shown(top['kappa'])}, {top['questions']} descriptions, {top['method']}"
        rows.append(("ceiling of the auc", _shown(top["auc"]), "", note))
    for kind, probe in card["probes"].items():
        note = f"points {_shown(probe['pointed'])}, largest probability {_shown(probe['top'])}"
        fits = f", on what fits {_shown(probe['fitting'])}" if probe["fitting"] is not None else ""
        rows.append((f"if {kind}", f"n = {probe['n']}", "", note + fits if probe["n"] else probe["why"]))
    return rows


def _beside(card: dict[str, Any]) -> dict[str, str]:
    """The measures of a hearer, each with what stands beside it."""
    return {
        "accuracy": f"people {_shown(card['human_accuracy'])}, chance {_shown(card['chance'])}",
        "expected_accuracy": f"belief in the target; above chance: p {_chance(card['above_chance']['p'])}",
        "auc": "0.5 is chance; " + _spread(card, "auc"),
        "auc_within_condition": f"{card['pairs_within_condition']:,} pairs of one condition",
        "auc_within_game": f"{card['pairs_within_game']:,} pairs of one game",
        "kappa": f"of success alone {_shown(card['success_kappa'])}",
        "calibration_error": f"of its own success {_shown(card['own_calibration_error'])}",
        "time_correlation": f"{card['time_from']}, n = {card['time_n']}",
        "position_bias": f"in views drawn by lot; p {_chance(card['position_p'])}, n = {card['position_n']}",
        "position_bias_as_shown": f"by the places it was shown; p {_chance(card['position_p_as_shown'])}",
        "log_likelihood": f"even chances {_shown(card['chance_log_likelihood'])}; {card['ruled_out']} choices ruled out",
    }


def _beside_judge(card: dict[str, Any]) -> dict[str, str]:
    return {
        "auc": f"0.5 is chance; people found {_shown(card['human_accuracy'])}",
        "auc_within_condition": "pairs of one condition",
        "auc_within_game": "pairs of one game",
        "correlation": "with people's success (phi for yes and no)",
        "agreed": "share of answers where it said how people fared",
        "kappa": "the same beyond chance",
    }


def _ranking(found: dict[str, Any] | None) -> list[tuple[str, str, str, str]]:
    if found is None:
        return [("rank agreement", "–", "", "fewer than three systems, games or speakers with ten answers")]
    note = f"Spearman over {found['units']} {found['over']} with {found['least']} answers or more"
    soft = f"soft pairwise accuracy; in random order {_shown(found['spa_chance'])}"
    return [
        ("rank agreement", _shown(found["spearman"]), _span(found["spearman_interval"]), note),
        ("", _shown(found["spa"]), _span(found["spa_interval"]), soft),
    ]


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _chance(p: float | None) -> str:
    return "–" if p is None else "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _interval(card: dict[str, Any], name: str) -> str:
    return _span(card["intervals"].get(name))


def _span(bounds: list[float] | None) -> str:
    return "" if bounds is None else f"[{bounds[0]:.3f}, {bounds[1]:.3f}]"


def _spread(card: dict[str, Any], name: str) -> str:
    known = [fold[name] for fold in card["folds"] if fold[name] is not None]
    return f"folds {min(known):.3f} to {max(known):.3f}" if known else "no fold has a value"
