"""`referee listen`: a hearer answers the outputs of a run's systems, and its answers are measured."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from referee.api.listen import SHARES, Heard
from referee.api.listen import listen as listen_to
from referee.api.options import ListenOptions
from referee.cli import StoppedWork, make_results_console, print_note, print_warning
from referee.cli.help_page import fit_table
from referee.cli.options import examples, make_app
from referee.cli.progress import show_steps
from referee.jobs.folder import Run
from referee.jobs.listen import QuestionsWritten
from referee.metrics.hearing import UNDERSTOOD
from referee.options import apply, command, option

app = make_app()

EPILOG = examples("""
  referee run --corpus synthetic --systems classic --out RUN && referee listen RUN --hearer literal

  referee listen RUN --hearer "noisy|noise:0.1|salience:0" --humans

  referee listen RUN --hearer retrieval --folds 10 --folds-by scene      learns from the run's other folds

  referee listen RUN --hearer "remote|model:NAME|endpoint:http://localhost:8000/v1|votes:3"

  referee listen RUN --hearer mine.py:MyHearer --passport CARD.json      a hearer of your own, with its passport

  referee listen RUN --hearer recorded:answers.jsonl                     a model that was asked elsewhere: responses, or outputs with places

  referee listen RUN --people degen2020 && referee listen RUN --hearer learned --humans     people and a hearer in one table

  referee listen RUN --format json                                       measure the responses that are there, people's too

Answers are kept in RUN/responses.jsonl. The key of a remote hearer comes from the environment (OPENAI_API_KEY); `referee docs hearers` says more.
""")
HEADS = {
    "ir": "IR",
    "mir": "MIR",
    "agreement": "agreement",
    "error": "error",
    "reading_ms": "reading ms",
    "identification_ms": "identification ms",
    "combined_ms": "combined ms",
    "repeats": "repeats",
    UNDERSTOOD: "content words understood",
    **{name: name for name in SHARES},
}


@dataclass
class ListenCommand(ListenOptions):
    """Options of `referee listen`: those of `referee.listen`, and those of the command only."""

    form: str = option("table", "table or json", "--format", "-f", choices=("table", "json"))


@command(app, ListenCommand, EPILOG)
def listen(options: ListenCommand) -> int:
    """Add a hearer's responses to a run, then show identification rates: n, value and interval by system and hearer."""
    try:
        with show_steps(f"{options.hearer}: answers", cost=True) as options.progress:
            heard = apply(listen_to, options)
    except KeyboardInterrupt:
        raise StoppedWork("all answers so far are stored; the same command resumes") from None
    except QuestionsWritten as waiting:
        print_note(
            f"{waiting.number} questions are in {options.batch_out}; with their answers, the same command with --batch-in ANSWERS.jsonl resumes"
        )
        return 0
    for sentence in heard.warnings:
        print_warning(sentence)
    manifest = Run(options.run).manifest
    if options.people is not None:
        print_note(f"people: {manifest['people']['responses']} answers from {options.people}")
    if options.form == "json":
        rows = {"rows": heard.rows, "hearers": heard.signatures, **_select_answer_counts(manifest)}
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        _print_rows(heard)
        _print_cost(manifest)
    return 0


def _select_answer_counts(manifest: dict[str, Any]) -> dict[str, Any]:
    return {name: manifest[name] for name in ("unanswered", "asking", "spent") if name in manifest}


def _print_cost(manifest: dict[str, Any]) -> None:
    """Print how many questions stayed unanswered, and what the answers cost."""
    for hearer, n in manifest.get("unanswered", {}).items():
        print(
            f"{hearer}: {n} questions were not answered by its endpoint and are left out of all counts; the same command asks them again"
        )
    for hearer, counts in manifest.get("asking", {}).items():
        print(f"{hearer}: " + ", ".join(f"{n} answers {word}" for word, n in counts.items()))
    for hearer, spent in manifest.get("spent", {}).items():
        tokens = spent["prompt_tokens"] + spent["completion_tokens"]
        cost = f", cost {spent['cost']:.4f}" if spent["cost"] else ""
        print(f"{hearer}: {spent['calls']} calls, {tokens:,} tokens{cost}")


def _print_rows(heard: Heard) -> None:
    """Print one row per system and hearer, without empty columns; columns that do not fit follow below."""
    groups = heard.groups()
    names = [name for name in HEADS if name in heard.list_filled_measures()]
    heads = ["system", "hearer", "n", *(HEADS[name] for name in names)]
    body = [[*labels, str(g["ir"]["n"]), *(_format_cell(g[name]) for name in names)] for labels, g in groups.items()]
    console = make_results_console()
    for table in fit_table(heads, body, console.width, fixed=3, title="hearing"):
        console.print(table)
    over = dict.fromkeys(row["cluster"] or "single answers" for row in heard.rows if row["n"])
    print(f"{heard.confidence:.0%} intervals over {'; '.join(over)}. Details: --format json")
    for (system, hearer), group in groups.items():
        left_out = dict(group["ir"]["excluded"]) | ({"ties": group["mir"]["ties"]} if group["mir"]["ties"] else {})
        if left_out:
            print(f"{system} / {hearer}: " + ", ".join(f"{n} {reason}" for reason, n in left_out.items()))
    for text in heard.signatures.values():
        # Said every time: numbers of an unexamined hearer look like any others.
        console.print(text, markup=False, overflow="fold")
        if "|passport:" not in text:
            console.print("(no passport: not validated on people; see `referee passport --help`)", markup=False)


def _format_cell(row: dict[str, Any]) -> str:
    """Return a value with its interval."""
    if row["value"] is None:
        return "–"
    digits = 0 if row["measure"].endswith("_ms") else 3
    shown = f"{row['value']:.{digits}f}"
    return shown if row["low"] is None else f"{shown} [{row['low']:.{digits}f}, {row['high']:.{digits}f}]"
