"""`referee listen`: a hearer answers what a run's systems said, and the hearing of it is measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.cli import options
from referee.cli.progress import advancing
from referee.corpora.splits import CUTS
from referee.errors import InputError
from referee.metrics.hearing import OVER_ITEMS, TIES
from referee.runs.folder import Run
from referee.runs.heard import hearing_rows
from referee.runs.listen import QuestionsWritten, Session, add_people
from referee.runs.listen import listen as listen_to
from referee.runs.open import open_corpus
from referee.runs.score_table import CLUSTERINGS

app = options.new_app()

EPILOG = options.examples("""
  referee run --corpus synthetic --systems classic --out RUN && referee listen RUN --hearer literal

  referee listen RUN --hearer "noisy|noise:0.1|salience:0" --humans

  referee listen RUN --hearer retrieval --folds 10 --folds-by scene      learns from the run's other folds

  referee listen RUN --hearer "remote|model:NAME|endpoint:http://localhost:8000/v1|votes:3"

  referee listen RUN --hearer mine.py:MyHearer --passport CARD.json      a hearer of your own, with its passport

  referee listen RUN --people degen2020 && referee listen RUN --hearer learned --humans     people and a hearer in one table

  referee listen RUN --format json                                       measure the responses that are there, people's too

Answers are kept in RUN/responses.jsonl. The key of a remote hearer comes from the environment (OPENAI_API_KEY); docs/hearers.md says more.
""")
SHARES = ("several", "none", "dont-know", "timeout", "unparsable")
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
    run: Annotated[Path, typer.Argument(help="A run folder (referee run … --out RUN).")],
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
    batch_out: Annotated[
        Path | None, typer.Option(help="Write questions for a batch endpoint into this file instead of asking them.")
    ] = None,
    batch_in: Annotated[Path | None, typer.Option(help="The batch endpoint's file of answers.")] = None,
    seed: options.SeedOfOrder = 1,
    workers: Annotated[int, typer.Option(help="Processes.", min=1)] = 1,
    ties: Annotated[str, typer.Option(help=f"Items with a tied vote in MIR: {', '.join(TIES)}.")] = "strict",
    cluster: Annotated[
        str, typer.Option(help=f"What intervals are over: {', '.join(CLUSTERINGS)} (design: what was sampled).")
    ] = "design",
    confidence: options.Confidence = 0.95,
    form: options.TableOrJson = "table",
) -> int:
    """Add a hearer's responses to a run, then show what was identified: n, value and interval by system and hearer."""
    if form not in ("table", "json") or ties not in TIES or cluster not in CLUSTERINGS:
        raise InputError(
            f"--format is table or json; --ties one of {', '.join(TIES)}; --cluster one of {', '.join(CLUSTERINGS)}"
        )
    Run(run).manifest  # noqa: B018 (says at once what is wrong with a folder that is no run)
    if people is not None:
        _add_people(run, people, data)
    if hearer is not None:
        from referee.hearers.passports.named_hearer import name_of, summon

        # Checked before the answers are asked for, which may take hours or money.
        card = _card(passport, name_of(hearer))
        session = Session(
            hearer=hearer,
            # Not the path of a FILE.py: a run names its hearers alike on every machine.
            label=name_of(hearer),
            summon=summon,
            seed=seed,
            humans=humans,
            folds=folds,
            by=by,
            train=None if train is None else str(train),
            passport=_signed(card),
            batch_in=batch_in,
            batch_out=batch_out,
        )
        try:
            with advancing(f"{hearer}: answers", spending=True) as begin:
                listen_to(run, session, workers, begin(_expected(run, humans)))
        except KeyboardInterrupt:
            print("referee: stopped; every answer so far is kept, and the same command goes on", file=sys.stderr)
            return 130
        except QuestionsWritten as waiting:
            print(
                f"{waiting.number} questions are in {batch_out}; with their answers, the same command and --batch-in ANSWERS.jsonl goes on",
                file=sys.stderr,
            )
            return 0
        _keep(run, card)
    opened = Run(run)
    signed = opened.manifest.get("hearers", {})
    corpus = open_corpus(run)
    _warn(signed, corpus.name)
    responses = list(opened.responses())
    if not responses:
        raise InputError(
            "nobody has answered in this run",
            where=run,
            remedy="name a hearer: --hearer literal, or people: --people CORPUS",
        )
    sampled = corpus.source.sampled
    rows = hearing_rows(opened.trials(), responses, cluster=cluster, sampled=sampled, confidence=confidence, ties=ties)
    if form == "json":
        print(json.dumps({"rows": rows, "hearers": signed, **_asking(opened.manifest)}, ensure_ascii=False, indent=1))
    else:
        _print(rows, signed, confidence)
        _say_asking(opened.manifest)
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


def _card(path: Path | None, hearer: str) -> dict[str, Any] | None:
    """The hearer's card; another hearer's, or that of the same one with other switches, is refused."""
    if path is None:
        return None
    from referee.hearers.passports.cards import read_card

    card = read_card(path)
    if str(card["hearer"]) != hearer:
        raise InputError(
            f"this is the passport of {card['hearer']}, not of {hearer}",
            where=path,
            remedy="name this hearer's own card, made with the same switches",
        )
    return card


def _signed(card: dict[str, Any] | None) -> str:
    if card is None:
        return ""
    from referee.hearers.passports.quoting import sign

    return sign("", card)


def _keep(run: Path, card: dict[str, Any] | None) -> None:
    if card is not None:
        from referee.hearers.passports.cards import keep_card

        keep_card(run, card)


def _warn(signed: dict[str, str], corpus: str) -> None:
    """A passport speaks of the corpus it was made on."""
    from referee.hearers.passports.quoting import warn_elsewhere

    for sentence in warn_elsewhere(signed, corpus):
        print(sentence, file=sys.stderr)


def _add_people(run: Path, source: str, data: Path | None) -> None:
    """Answers of a corpus to what its people said, or of a file to what the run's systems (or people) said."""
    from referee.hearers.passports.people import open_people

    file = Path(source)
    found = open_people(str(run), file) if file.is_file() else open_people(source, data)
    n = add_people(run, (a.response for a in found.answers), file.name if file.is_file() else source)
    print(f"people: {n} answers from {source}", file=sys.stderr)


def _expected(run: Path, humans: bool) -> int:
    """How many answers there will be, for the progress bar."""
    opened = Run(run)
    said = sum(1 for _ in opened.outputs()) if (opened.folder / "outputs.jsonl").exists() else 0
    return said + (sum(bool(t.references) for t in opened.trials()) if humans else 0)


def _print(rows: list[dict[str, Any]], signed: dict[str, str], confidence: float) -> None:
    """One row a system and hearer; columns that nobody's responses fill are left out."""
    from rich.console import Console
    from rich.table import Table

    groups: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["system"], row["hearer"]), {})[row["measure"]] = row
    filled = [name for name in HEADS if any(_tells(name, group) for group in groups.values())]
    table = Table("system", "hearer", "n", *(HEADS[name] for name in filled), title="hearing")
    for (system, hearer), group in groups.items():
        table.add_row(system, hearer, str(group["ir"]["n"]), *(_cell(group[name]) for name in filled))
    console = Console()
    if not console.is_terminal:
        # In a pipe rich takes 80 columns and would break the cells of a wide table.
        console = Console(width=max(200, console.width))
    console.print(table)
    over = dict.fromkeys(row["cluster"] or "single answers" for row in rows if row["n"])
    print(f"{confidence:.0%} intervals over {'; '.join(over)}. Details: --format json")
    for (system, hearer), group in groups.items():
        left_out = dict(group["ir"]["excluded"]) | ({"ties": group["mir"]["ties"]} if group["mir"]["ties"] else {})
        if left_out:
            print(f"{system} / {hearer}: " + ", ".join(f"{n} {reason}" for reason, n in left_out.items()))
    for text in signed.values():
        # Said every time: numbers of an unexamined hearer look like any others.
        print(text if "|passport:" in text else f"{text}  (no passport: nobody has checked it against people)")


def _tells(name: str, group: dict[str, dict[str, Any]]) -> bool:
    """Whether a value is worth a column: shares that are not 0, and votes only where several voted on an item."""
    row = group[name]
    # A vote of one is no vote: with one answer an item, majority and agreement would repeat the rate.
    if name in OVER_ITEMS:
        return bool(row["n"]) and group["ir"]["n"] > row["items"]
    return bool(row["n"]) and (name not in (*SHARES, "repeats") or bool(row["value"]))


def _cell(row: dict[str, Any]) -> str:
    if row["value"] is None:
        return "–"
    digits = 0 if row["measure"].endswith("_ms") else 3
    shown = f"{row['value']:.{digits}f}"
    return shown if row["low"] is None else f"{shown} [{row['low']:.{digits}f}, {row['high']:.{digits}f}]"
