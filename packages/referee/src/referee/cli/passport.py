"""`referee passport`: may this hearer replace people? Prints its card, computed on human answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from referee.api.options import PassportOptions
from referee.api.passport import passport as examine
from referee.cli import make_results_console
from referee.cli.options import examples, make_app
from referee.cli.progress import show_steps
from referee.hearers.passports.quoting import DIGITS, shorten_corpus_name
from referee.options import apply, command, option

app = make_app()

EPILOG = examples("""
  referee passport literal --corpus franke-degen2016

  referee passport learned --corpus degen2020 --folds 10 --out learned.json        the card, and its picture beside it

  referee passport "noisy|noise:0.1" --corpus tg-matcher --limit 500               whole games chosen at random, for a first look

  referee passport mine.py:MyHearer --data my-study                                trials.jsonl and responses.jsonl in a folder

  referee passport mymodule:MyHearer --corpus trials.jsonl --data responses.jsonl

  referee passport "remote|model:NAME|endpoint:http://localhost:8000/v1" --corpus colors --limit 300 --calls calls

  referee passport learned --corpus degen2020 --folds-by object                    asked about kinds of things it never learned from

  referee passport colour --train colors --corpus colors-mandarin                  learns from one corpus, is asked about another

  referee passport recorded:answers.jsonl --corpus color-grids                     a model that was asked elsewhere (`referee docs passport` has the form)

  referee passport recorded:mllm-listeners/Qwen2-VL-72B-Instruct-AWQ --corpus color-grids

The verdict is one of: may be used, in this experiment, not known elsewhere, use with care, not fit, cannot be judged. `referee docs passport` has the rules.
""")


@dataclass
class PassportCommand(PassportOptions):
    """Options of `referee passport`: those of `referee.passport`, and those of the command only."""

    form: str = option("text", "text or json", "--format", "-f", choices=("text", "json"))


@command(app, PassportCommand, EPILOG)
def passport(options: PassportCommand) -> int:
    """Compare a hearer with people who read the same descriptions, and print whether it may replace them as a measure."""
    options.spread = True
    with show_steps(f"{options.hearer}: answers") as options.progress:
        issued_passport = apply(examine, options)
    print(
        json.dumps(issued_passport.card, ensure_ascii=False, indent=1)
    ) if options.form == "json" else _print_passport(issued_passport.card)
    return 0


def _print_passport(card: dict[str, Any]) -> None:
    """Print a passport as a table."""
    from rich.markup import escape
    from rich.table import Table

    console = make_results_console()
    table = Table(
        title=f"{card['hearer']} on {card['corpus']}, n = {card['n']}", title_justify="left", box=None, pad_edge=False
    )
    for name in ("measure", "value", "95% interval", "beside it"):
        # Numbers stay whole; only remarks are wrapped.
        table.add_column(name, no_wrap=name != "beside it", overflow="fold", header_style="bold")
    for row in _make_rows(card):
        table.add_row(*map(escape, row))
    console.print(table)
    console.print(f"[bold]{card['verdict']}[/bold]")
    for reason in card["reasons"]:
        print(f"  {reason}")
    for line in _describe_basis(card):
        print(line)
    print(f"passport {shorten_corpus_name(card['corpus'])}:{card['hash'][:DIGITS]}  {card['signature']}")


def _describe_basis(card: dict[str, Any]) -> Iterator[str]:
    """Yield the lines under the table: what the passport was computed from, and what it does not cover.
    omissions.
    """
    yield from _describe_transfer(card["transfer"])
    if card["fitted"]:
        fit, textbook = card["fitted"], card["fitted"]["textbook"]
        values = ", ".join(
            f"{name} {fit[name]:.3g} ({textbook[name]:g} in the textbook)"
            for name in textbook
            if name in fit and name != "log_likelihood"
        )
        yield (
            f"fitted to people, tested on others: {values}; log likelihood {_format_value(fit['log_likelihood'])} "
            f"({_format_value(textbook['log_likelihood'])}), "
            f"accuracy {_format_value(fit['accuracy'])}, AUC {_format_value(fit['auc'])}"
        )
    yield f"trained on: {card['trained_on'] or 'nothing here'}" + (f"; reads {card['reads']}" if card["reads"] else "")
    for by, new in card["on_new"].items():
        if new["n"]:
            held = "holds" if new["holds"] else "does NOT hold"
            yield (
                f"{held} on new {by}s: accuracy {_format_value(new['accuracy'])}, AUC {_format_value(new['auc'])} "
                f"(n = {new['n']}, {new['units']} in {new['folds']} folds)"
            )
        else:
            yield f"new {by}s not tried: {new['why']}"
    folds = f"folds by {card['by']}: {len(card['folds'])}, {card['units']} units; " if card["folds"] else ""
    yield f"{folds}intervals over {card['intervals_over']}"
    if card["left_out"]:
        yield "left out: " + ", ".join(f"{n} {reason}" for reason, n in card["left_out"].items())
    if card["outcomes"].keys() - {"entity"}:
        yield "outcomes: " + ", ".join(f"{n} {word}" for word, n in card["outcomes"].items())
    if "asking" in card:
        yield "answers of the model: " + ", ".join(f"{n} {word}" for word, n in card["asking"].items())


def _describe_transfer(transfer: dict[str, Any] | None) -> Iterator[str]:
    """Yield a line on the hearer's results in each other experiment."""
    if transfer is None:
        yield "other experiments: none"
        return
    prediction = (
        ""
        if transfer["low"] is None
        else f"; a new one with {transfer['size']} answers: AUC {_format_span([transfer['low'], transfer['high']])}"
    )
    yield f"{len(transfer['experiments'])} experiments: accuracy {_format_value(transfer['accuracy'])}, AUC {_format_value(transfer['auc'])}{prediction}"
    for e in transfer["experiments"]:
        words = "" if e["words_known"] is None else f", words known {e['words_known']:.0%}"
        yield (
            f"  {e['experiment']}: accuracy {_format_value(e['accuracy'])} (people {_format_value(e['human_accuracy'])}), "
            f"AUC {_format_value(e['auc'])}, n = {e['n']:,}{words}"
        )


def _make_rows(card: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return the rows of the printed table; the JSON file has more."""
    beside = _list_judge_remarks(card) if "correlation" in card else _list_hearer_remarks(card)
    rows = [
        (name.replace("_", " "), _format_value(card[name]), _format_interval(card, name), note)
        for name, note in beside.items()
    ]
    rows += _make_ranking_rows(card["rank_agreement"])
    if card["ceiling"] is not None:
        top = card["ceiling"]
        note = f"people predict people: kappa {_format_value(top['kappa'])}, {top['questions']} descriptions, {top['method']}"
        rows.append(("ceiling of the auc", _format_value(top["auc"]), "", note))
    for kind, probe in card["probes"].items():
        note = f"points {_format_value(probe['pointed'])}, largest probability {_format_value(probe['top'])}"
        fits = f", on fitting objects {_format_value(probe['fitting'])}" if probe["fitting"] is not None else ""
        rows.append((f"if {kind}", f"n = {probe['n']}", "", note + fits if probe["n"] else probe["why"]))
    return rows


def _list_hearer_remarks(card: dict[str, Any]) -> dict[str, str]:
    """Return the remark beside each measure of a hearer."""
    return {
        "accuracy": f"people {_format_value(card['human_accuracy'])}, chance {_format_value(card['chance'])}",
        "expected_accuracy": f"belief in the target; above chance: p {_format_chance(card['above_chance']['p'])}",
        "auc": "0.5 is chance; " + _format_range(card, "auc"),
        "auc_within_condition": f"{card['pairs_within_condition']:,} pairs of one condition",
        "auc_within_game": f"{card['pairs_within_game']:,} pairs of one game",
        "kappa": f"of success and failure only {_format_value(card['success_kappa'])}",
        "calibration_error": f"of its probabilities for its own success {_format_value(card['own_calibration_error'])}",
        "time_correlation": f"{card['time_from']}, n = {card['time_n']}",
        "position_bias": f"in randomly ordered views; p {_format_chance(card['position_p'])}, n = {card['position_n']}",
        "position_bias_as_shown": f"by the positions that it was shown; p {_format_chance(card['position_p_as_shown'])}",
        "log_likelihood": f"uniform guessing {_format_value(card['chance_log_likelihood'])}; {card['ruled_out']} choices ruled out",
    }


def _list_judge_remarks(card: dict[str, Any]) -> dict[str, str]:
    """Return the remark beside each measure of a judge."""
    return {
        "auc": f"0.5 is chance; people found {_format_value(card['human_accuracy'])}",
        "auc_within_condition": "pairs of one condition",
        "auc_within_game": "pairs of one game",
        "correlation": "with people's success (phi for yes and no)",
        "agreed": "share of answers for which it predicted people's success",
        "kappa": "the same beyond chance",
    }


def _make_ranking_rows(ranking: dict[str, Any] | None) -> list[tuple[str, str, str, str]]:
    """Return the rows on ranking."""
    if ranking is None:
        return [("rank agreement", "–", "", "fewer than three systems, games or speakers with ten answers")]
    note = f"Spearman over {ranking['units']} {ranking['over']} with {ranking['least']} answers or more"
    soft = f"soft pairwise accuracy; in random order {_format_value(ranking['spa_chance'])}"
    return [
        ("rank agreement", _format_value(ranking["spearman"]), _format_span(ranking["spearman_interval"]), note),
        ("", _format_value(ranking["spa"]), _format_span(ranking["spa_interval"]), soft),
    ]


def _format_value(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _format_chance(p: float | None) -> str:
    return "–" if p is None else "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _format_interval(card: dict[str, Any], name: str) -> str:
    return _format_span(card["intervals"].get(name))


def _format_span(bounds: list[float] | None) -> str:
    return "" if bounds is None else f"[{bounds[0]:.3f}, {bounds[1]:.3f}]"


def _format_range(card: dict[str, Any], name: str) -> str:
    scores = [fold[name] for fold in card["folds"] if fold[name] is not None]
    return f"folds {min(scores):.3f} to {max(scores):.3f}" if scores else "no fold has a value"
