"""`referee judge`: a model rates the outputs of a run, or gets a passport against people's ratings."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.cli import options
from referee.cli.progress import show_steps
from referee.errors import InputError

app = options.make_app()

EPILOG = options.examples("""
  referee judge --examine neuralreg --scales fluency --judge "model:NAME|endpoint:http://localhost:8000/v1" --out CARD.json

  referee judge RUN --scales adequacy,fluency --judge "model:NAME|endpoint:http://localhost:8000/v1"

  referee judge RUN --prefer classic/greedy,classic/incremental --judge "model:NAME|endpoint:http://localhost:8000/v1"

Ratings are kept in RUN/ratings.jsonl, calls in RUN/judging-calls. The table says so if a judge was never compared with people.
""")
CALLS = "judging-calls"


@app.command(epilog=EPILOG)
def judge(
    run: Annotated[Path | None, typer.Argument(help="A run folder whose outputs are judged.")] = None,
    judge_named: Annotated[
        str, typer.Option("--judge", help="The judge's switches: model:NAME|endpoint:URL|… (`referee docs models`).")
    ] = "",
    scales: Annotated[
        str, typer.Option(help="adequacy, fluency (0 to 100); for neuralreg fluency, grammar, clarity.")
    ] = "adequacy,fluency",
    prefer: Annotated[str | None, typer.Option(help="Two systems, with a comma: which description is better?")] = None,
    examine: Annotated[str | None, typer.Option(help="People's ratings to examine the judge on: neuralreg.")] = None,
    data: options.Data = None,
    out: Annotated[Path | None, typer.Option(help="The file for the card.")] = None,
    limit: Annotated[int | None, typer.Option(help="At most this many texts.", min=10)] = None,
    form: options.TableOrJson = "table",
) -> int:
    """Let a model rate descriptions, or compare its ratings with people's."""
    if form not in ("table", "json") or (run is None) == (examine is None):
        raise InputError("name a run to judge, or --examine neuralreg", remedy="see `referee judge --help`")
    model = _make_judge(judge_named)
    scale_names = [s.strip() for s in scales.split(",") if s.strip()]
    if run is None:
        if examine != "neuralreg":
            raise InputError(f"{examine!r} has no rated texts", remedy="--examine neuralreg")
        return _examine_judge(model, scale_names, data, out, limit, form)
    return _compare_outputs(run, model, prefer, form) if prefer else _rate_outputs(run, model, scale_names, form)


def _make_judge(switches: str) -> Any:
    """Return a judge from its options. Raises InputError without a model."""
    from referee.catalogue import build
    from referee.hearers.model_judge import ModelJudge

    made = build(ModelJudge, "judge", [s for s in switches.split("|") if s])
    if not made.model:
        raise InputError("no model is named", remedy='say which: --judge "model:NAME|endpoint:URL"')
    return made


def _examine_judge(
    model: Any, scales: Sequence[str], data: Path | None, out: Path | None, limit: int | None, form: str
) -> int:
    """Compare a judge's ratings with people's, and write its passport."""
    from referee.corpora.rated_texts import read_rated_texts
    from referee.files import write_atomically
    from referee.hearers.passports.rating_cards import examine_ratings

    texts = read_rated_texts(data)[:limit]
    if len(scales) > 1:
        raise InputError("a card can describe one scale only", remedy="--scales fluency, or grammar, or clarity")
    if out is not None:
        folder = out.with_suffix(".calls")
        folder.mkdir(parents=True, exist_ok=True)
        model.remember(folder)
    with show_steps(f"{model.model}: {scales[0]}", cost=True) as begin:
        card = examine_ratings(model, texts, scales[0], begin(len(texts)))
    if out is not None:
        write_atomically(out, [json.dumps(card, ensure_ascii=False, indent=1)])
    if form == "json":
        print(json.dumps(card, ensure_ascii=False, indent=1))
        return 0
    low, high = card["item_interval"]
    interval = "" if low is None else f" [{low:.3f}, {high:.3f}]"
    rho, ceiling = ("–" if x is None else f"{x:.3f}" for x in (card["item_spearman"], card["people_spearman"]))
    print(f"{card['judge']} rates {card['scale']} of {card['texts']} texts ({card['ratings']} ratings by people)")
    print(f"item by item, rho with people's mean: {rho}{interval}; one person with the others: {ceiling}")
    for system, row in card["systems"].items():
        print(f"  {system}: judge {row['judge']:.2f}, people {row['people']:.2f} ({row['texts']} texts)")
    print(
        "ratings that join to systems: "
        + ", ".join(f"{n} to {which}" for which, n in card["ratings_joined_to"].items())
    )
    print("outcomes: " + ", ".join(f"{n} {outcome}" for outcome, n in card["outcomes"].items()))
    print(f"verdict: {card['verdict']}   {card['signature']}|card:{card['hash'][:12]}")
    return 0


def _list_outputs(run: Path, model: Any) -> list[tuple[str, str, str]]:
    """Return (system, trial, words) for every output of a run, and prepare the judge's cache of answers."""
    from referee.hearers.remote import get_description_text
    from referee.jobs.folder import Run

    Run(run).manifest  # noqa: B018 (raises the error for a folder that is no run at once)
    (run / CALLS).mkdir(exist_ok=True)
    model.asker = f"judge {model.model}"
    model.remember(run / CALLS)
    return [(o.system, o.trial, text) for o in Run(run).outputs() if (text := get_description_text(o.description))]


def _rate_outputs(run: Path, model: Any, scales: Sequence[str], form: str) -> int:
    """Rate all outputs of a run and store the ratings."""
    from referee.capabilities import answer_in_parallel
    from referee.files import write_atomically
    from referee.jobs.folder import Run

    texts = _list_outputs(run, model)
    trials = {t.id: t for t in Run(run).trials()}
    questions = [(o, scale) for o in texts for scale in scales]
    rows = []
    with show_steps(f"{model.model}: ratings", cost=True) as begin:
        advance = begin(len(questions))
        answers = answer_in_parallel(model, lambda q: model.rate(q[0][2], q[1], trials[q[0][1]]), questions)
        for ((system, trial, _), scale), verdict in zip(questions, answers, strict=True):
            row = {"trial": trial, "system": system, "judge": model.model, "scale": scale}
            rows.append({**row, "rating": verdict.rating, "outcome": verdict.outcome})
            advance(1)
    write_atomically(run / "ratings.jsonl", (json.dumps(row, ensure_ascii=False) for row in rows))
    return _print_means(rows, model, form)


def _print_means(rows: Sequence[dict[str, Any]], model: Any, form: str) -> int:
    """Print the mean ratings."""
    from referee.signature import signature

    means = []
    for key in dict.fromkeys((r["system"], r["scale"]) for r in rows):
        group = [r for r in rows if (r["system"], r["scale"]) == key]
        ratings = [r["rating"] for r in group if r["rating"] is not None]
        summary = {
            "system": key[0],
            "scale": key[1],
            "mean": sum(ratings) / len(ratings) if ratings else None,
            "n": len(ratings),
        }
        means.append({**summary, "without": len(group) - len(ratings)})
    signed = signature("judge", model)
    if form == "json":
        print(json.dumps({"rows": means, "judge": signed, "account": model.account()}, ensure_ascii=False, indent=1))
        return 0
    for row in means:
        shown = "–" if row["mean"] is None else f"{row['mean']:.1f}"
        print(
            f"{row['system']}  {row['scale']}  {shown}  n = {row['n']}"
            + (f", {row['without']} without a rating" if row["without"] else "")
        )
    from referee.models.response_cache import FLAGS

    account = model.account()
    problems = [f"{account[name]:g} {name}" for name in (*FLAGS, "failed") if account.get(name)]
    if problems:
        print("answers of the judge: " + ", ".join(problems))
    print(
        f"{signed}  (means without intervals; make sure that the judge has a card: referee judge --examine neuralreg)"
    )
    return 0


def _compare_outputs(run: Path, model: Any, systems: str, form: str) -> int:
    """Ask the judge which of two systems' descriptions it prefers, for each trial, and store its answers."""
    from collections import Counter

    from referee.capabilities import answer_in_parallel
    from referee.jobs.folder import Run

    names = [s.strip() for s in systems.split(",")]
    texts_by_system: dict[str, dict[str, str]] = {name: {} for name in names}
    for system, trial, text in _list_outputs(run, model):
        if system in texts_by_system:
            texts_by_system[system][trial] = text
    if len(texts_by_system) != 2 or not all(texts_by_system.values()):
        raise InputError(f"two systems of the run with words are needed, not {systems!r}", where=run)
    pairs = [t for t in Run(run).trials() if all(t.id in texts for texts in texts_by_system.values())]
    first_texts, second_texts = (texts_by_system[name] for name in names)
    counts: Counter[str] = Counter()
    with show_steps(f"{model.model}: preferences", cost=True) as begin:
        advance = begin(len(pairs))
        for preference in answer_in_parallel(
            model, lambda t: model.prefer(first_texts[t.id], second_texts[t.id], t), pairs
        ):
            counts[preference] += 1
            advance(1)
    totals = {names[0]: counts["first"], names[1]: counts["second"], "no preference in both orders": counts["tie"]}
    totals |= {
        outcome: counts[outcome] for outcome in ("unparsable", "refused", "cut off", "failed") if counts[outcome]
    }
    if form == "json":
        print(json.dumps({"preferred": totals, "n": len(pairs)}, ensure_ascii=False, indent=1))
    else:
        print(
            "; ".join(f"{name}: {n}" for name, n in totals.items()) + f"  (n = {len(pairs)}, each asked in both orders)"
        )
    print("this judge has no card: it was never compared with people", file=sys.stderr)
    return 0
