"""`referee listen`: a hearer answers what a run's systems said, and the hearing of it is measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.api.listen import SHARES, Heard
from referee.api.listen import listen as listen_to
from referee.catalogue import one_of
from referee.cli import StoppedWork, options, results, told, warned
from referee.cli.fitted_tables import fitted
from referee.cli.progress import advancing
from referee.corpora.splits import CUTS
from referee.engines.pieces import SHARD
from referee.metrics.hearing import TIES
from referee.runs.folder import Run
from referee.runs.listen import QuestionsWritten
from referee.runs.score_table import CLUSTERINGS

app = options.new_app()

EPILOG = options.examples("""
  referee run --corpus synthetic --systems classic --out RUN && referee listen RUN --hearer literal

  referee listen RUN --hearer "noisy|noise:0.1|salience:0" --humans

  referee listen RUN --hearer retrieval --folds 10 --folds-by scene      learns from the run's other folds

  referee listen RUN --hearer "remote|model:NAME|endpoint:http://localhost:8000/v1|votes:3"

  referee listen RUN --hearer mine.py:MyHearer --passport CARD.json      a hearer of your own, with its passport

  referee listen RUN --hearer recorded:answers.jsonl                     a model that was asked elsewhere: responses, or outputs with places

  referee listen RUN --people degen2020 && referee listen RUN --hearer learned --humans     people and a hearer in one table

  referee listen RUN --format json                                       measure the responses that are there, people's too

Answers are kept in RUN/responses.jsonl. The key of a remote hearer comes from the environment (OPENAI_API_KEY); docs/hearers.md says more.
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
    **{name: name for name in SHARES},
}


@app.command(epilog=EPILOG)
def listen(
    run: options.RunFolder,
    hearer: Annotated[
        str | None,
        typer.Option(
            "--hearer",
            help="A hearer by name (referee list hearers), MODULE:CLASS or FILE.py:CLASS; with switches as NAME|switch:value.",
        ),
    ] = None,
    people: Annotated[
        str | None,
        typer.Option(help="Add people's answers: a corpus with responses, or a file of responses to the run's trials."),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of corpora for --people (default: REFEREE_DATA).")] = None,
    humans: Annotated[bool, typer.Option("--humans", help="Let it read what people said, too.")] = False,
    train: Annotated[Path | None, typer.Option(help="JSONL trials that a learning hearer learns from.")] = None,
    folds: Annotated[int, typer.Option(help="Without --train: folds of the run's own trials.", min=2)] = 5,
    by: Annotated[
        str, typer.Option("--folds-by", "--by", help=f"What stays together in a fold: {', '.join(CUTS)}.")
    ] = "speaker",
    passport: Annotated[
        Path | None,
        typer.Option(help="The hearer's card (referee passport … --out CARD.json); its hash goes into the signature."),
    ] = None,
    batch_out: options.BatchOut = None,
    batch_in: options.BatchIn = None,
    seed: options.SeedOfOrder = 1,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "--workers", help="Processes (default: 1; on Ray, as many as there is room for).", min=1
        ),
    ] = None,
    engine: options.EngineName = "local",
    shard: options.Shard = SHARD,
    address: options.Address = None,
    ties: Annotated[str, typer.Option(help=f"Items with a tied vote in MIR: {', '.join(TIES)}.")] = "strict",
    cluster: Annotated[
        str, typer.Option(help=f"What intervals are over: {', '.join(CLUSTERINGS)} (design: what was sampled).")
    ] = "design",
    confidence: options.Confidence = 0.95,
    form: options.TableOrJson = "table",
) -> int:
    """Add a hearer's responses to a run, then show what was identified: n, value and interval by system and hearer."""
    one_of("--format", form, ("table", "json"))
    try:
        with advancing(f"{hearer}: answers", spending=True) as begin:
            found = listen_to(
                run,
                hearer,
                people=people,
                humans=humans,
                train=train,
                folds=folds,
                folds_by=by,
                passport=passport,
                batch_in=batch_in,
                batch_out=batch_out,
                ties=ties,
                cluster=cluster,
                confidence=confidence,
                seed=seed,
                jobs=jobs,
                engine=engine,
                shard=shard,
                address=address,
                data=data,
                progress=begin,
            )
    except KeyboardInterrupt:
        raise StoppedWork("every answer so far is kept, and the same command goes on") from None
    except QuestionsWritten as waiting:
        told(
            f"{waiting.number} questions are in {batch_out}; with their answers, the same command and --batch-in ANSWERS.jsonl goes on"
        )
        return 0
    for sentence in found.warnings:
        warned(sentence)
    if people is not None:
        told(f"people: {Run(run).manifest['people']['responses']} answers from {people}")
    if form == "json":
        asking = _asking(Run(run).manifest)
        print(json.dumps({"rows": found.rows, "hearers": found.signatures, **asking}, ensure_ascii=False, indent=1))
    else:
        _print(found)
        _say_asking(Run(run).manifest)
    return 0


def _asking(manifest: dict[str, Any]) -> dict[str, Any]:
    return {name: manifest[name] for name in ("unanswered", "spent") if name in manifest}


def _say_asking(manifest: dict[str, Any]) -> None:
    """What endpoints did not answer, and what their answers cost."""
    for hearer, n in manifest.get("unanswered", {}).items():
        print(f"{hearer}: {n} questions were not answered by its endpoint and count nowhere; listen again to ask them")
    for hearer, spent in manifest.get("spent", {}).items():
        tokens = spent["prompt_tokens"] + spent["completion_tokens"]
        cost = f", cost {spent['cost']:.4f}" if spent["cost"] else ""
        print(f"{hearer}: {spent['calls']} calls, {tokens:,} tokens{cost}")


def _print(found: Heard) -> None:
    """One row a system and hearer; columns that nobody's responses fill are left out, and what does not fit beside the others goes below."""
    groups = found.groups()
    names = [name for name in HEADS if name in found.filled()]
    heads = ["system", "hearer", "n", *(HEADS[name] for name in names)]
    body = [[*who, str(g["ir"]["n"]), *(_cell(g[name]) for name in names)] for who, g in groups.items()]
    console = results()
    for table in fitted(heads, body, console.width, fixed=3, title="hearing"):
        console.print(table)
    over = dict.fromkeys(row["cluster"] or "single answers" for row in found.rows if row["n"])
    print(f"{found.confidence:.0%} intervals over {'; '.join(over)}. Details: --format json")
    for (system, hearer), group in groups.items():
        left_out = dict(group["ir"]["excluded"]) | ({"ties": group["mir"]["ties"]} if group["mir"]["ties"] else {})
        if left_out:
            print(f"{system} / {hearer}: " + ", ".join(f"{n} {reason}" for reason, n in left_out.items()))
    for text in found.signatures.values():
        # Said every time: numbers of an unexamined hearer look like any others.
        print(text if "|passport:" in text else f"{text}  (no passport: nobody has checked it against people)")


def _cell(row: dict[str, Any]) -> str:
    if row["value"] is None:
        return "–"
    digits = 0 if row["measure"].endswith("_ms") else 3
    shown = f"{row['value']:.{digits}f}"
    return shown if row["low"] is None else f"{shown} [{row['low']:.{digits}f}, {row['high']:.{digits}f}]"
