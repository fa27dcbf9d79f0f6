"""`referee tangram classify`: demonstrative pronoun or not, from the situation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli import options
from referee.cli.tangram.sources import aligned, number, open_dialogues

if TYPE_CHECKING:
    from referee.situated.models.demonstratives import Classification
    from referee.situated.models.history import Situation

__all__ = ["app"]

app = options.new_app()


@app.command(
    epilog=options.examples(f"""
  referee tangram classify --synthetic                    invented sessions with the published statistics

  referee tangram classify --synthetic --by pair          no speaker in both training and test

  referee tangram classify --recordings SESSIONS/ --worst 20

  referee tangram classify session-1.eaf session-2.eaf --by pair --format json

  referee tangram classify --corpus {options.KTH}          real dialogue: which form is chosen
""")
)
def classify(
    files: options.DialogueFiles = None,
    recordings: options.RecordingsFolder = None,
    synthetic: options.Synthetic = False,
    corpus: options.DialogueCorpus = None,
    data: options.Data = None,
    folds: options.Folds = 10,
    by: options.HeldApart = "instance",
    worst: Annotated[int, typer.Option(help="How many of the worst false positives to list.", min=0)] = 10,
    seed: options.Seed = 1,
    form: options.TextOrJson = "text",
) -> int:
    """When do speakers say *that*? A linear support vector machine beside its baselines, and without each kind of feature.

    Beside every model stand the most recently mentioned piece, always a pronoun, and the cursor over the target, which alone does better (F .783)
    than the published classifier (F .730).
    """
    options.check_form(form)
    from referee.situated.models.history import all_situations

    name, dialogues = open_dialogues(files or [], recordings, synthetic, corpus, data, seed)
    situations = all_situations(dialogues)
    if corpus is not None:
        return _forms(name, situations, folds, seed, form)
    from referee.situated.models.demonstratives import classify as run

    found = run(situations, folds=folds, by=by, seed=seed)
    if form == "json":
        print(json.dumps(_as_json(name, found, worst), ensure_ascii=False, indent=1))
    else:
        print("\n".join(_lines(name, found, worst)))
    return 0


def _lines(name: str, found: Classification, worst: int) -> list[str]:
    from referee.situated.models.demonstratives import ALL, PUBLISHED

    n, pronouns = len(found.situations), sum(s.pronoun for s in found.situations)
    head = ("", "P", "R", "F", "TP", "FN", "FP", "TN", "published: P", "R", "F")
    rows: list[tuple[str, ...]] = [head]
    for row in found.rows:
        c = row.confusion
        printed = PUBLISHED.get(row.name, (None, None, None))
        counts = map(str, (c.tp, c.fn, c.fp, c.tn))
        rows.append((row.name, *map(number, (c.precision, c.recall, c.f)), *counts, *map(number, printed)))
    scheme = f"{found.folds} folds by {found.by}"
    lines = [f"{name}: {n} references to one piece, {pronouns} of them pronouns; {scheme}", "", *aligned(rows)]
    over = {u: [s.standing.cursor_over for s in found.situations if s.pronoun is u] for u in (True, False)}
    lines += [
        "",
        "  cursor over the target: " + ", ".join(_rate(w, over[u]) for u, w in ((True, "pronouns"), (False, "others"))),
    ]
    lines += [
        "  published: Spanger et al. 2013 (1,242 references; R from P and F), always a pronoun on 548 of 1,242, the cursor alone from Iida et al. 2010;",
        "  a model that does not beat the cursor alone has not learned more than to look where the mouse is.",
    ]
    if worst and (wrong := found.worst_false_positives(worst)):
        lines += ["", f"  surest false positives of {ALL} (decision value, reference, words, situation)"]
        lines += aligned([(f"{value:+.3f}", s.id, repr(s.text), _told(s)) for value, s in wrong])
    return lines


def _rate(what: str, over: Sequence[bool]) -> str:
    share = f"{sum(over) / len(over):.1%}" if over else "–"
    return f"{what} {share} ({sum(over)} of {len(over)})"


def _told(s: Situation) -> str:
    told = [
        w
        for w, holds in (
            ("cursor over", s.standing.cursor_over),
            ("being handled", s.standing.handled_now),
            ("mentioned last", s.standing.mentioned_last),
            ("handled last", s.standing.handled_last),
        )
        if holds
    ]
    return ", ".join(told) or "none of cursor, handling, recency"


def _as_json(name: str, found: Classification, worst: int) -> dict[str, Any]:
    from referee.situated.models.demonstratives import PUBLISHED

    rows = []
    for row in found.rows:
        c = row.confusion
        measures = {"precision": c.precision, "recall": c.recall, "f": c.f, "accuracy": c.accuracy}
        printed = (
            dict(zip(("precision", "recall", "f"), PUBLISHED[row.name], strict=True)) if row.name in PUBLISHED else None
        )
        rows.append({"name": row.name, "learned": row.learned, **asdict(c), **measures, "published": printed})
    wrong = [
        {"id": s.id, "decision": value, "text": s.text, "target": s.target, "situation": _told(s)}
        for value, s in found.worst_false_positives(worst)
    ]
    return {
        "source": name,
        "synthetic": any(s.synthetic for s in found.situations),
        "references": len(found.situations),
        "pronouns": sum(s.pronoun for s in found.situations),
        "folds": found.folds,
        "by": found.by,
        "rows": rows,
        "worst_false_positives": wrong,
    }


# -- real dialogue: form ---------------------------------------------------------------------------------------------------------


def _forms(name: str, situations: Sequence[Situation], folds: int, seed: int, form: str) -> int:
    from referee.situated.models.figure_reference import count_clips, predict_forms
    from referee.situated.tiers.reference_forms import FORMS, form_of

    counts = Counter(str(form_of(s.text)) for s in situations)
    ages = sorted(s.standing.since_mention / 1000 for s in situations if s.standing.since_mention is not None)
    found, clips = predict_forms(situations, folds=folds, seed=seed), count_clips(situations)
    if form == "json":
        data = {
            "source": name,
            "references": len(situations),
            "forms": dict(counts),
            "seconds_since_last_mention": {"median": median(ages), "share_above_20": _share_old(ages)},
            "predictions": [asdict(f) for f in found],
            "clips": [asdict(c) for c in clips],
        }
        print(json.dumps(data, ensure_ascii=False, indent=1))
        return 0
    rows = [("form told from", "accuracy", "macro F", *(f"F {f}" for f in FORMS))]
    rows += [(f.features, number(f.accuracy), number(f.macro_f), *(number(f.f[k]) for k in FORMS)) for f in found]
    told = ", ".join(f"{f} {counts[f]}" for f in FORMS) + f", no form {counts['None']}"
    lines = [f"{name}: {len(situations)} references in {len({s.pair for s in situations})} games: {told}"]
    lines += [
        f"  a figure mentioned before was mentioned {median(ages):.0f} s ago (median); {_share_old(ages):.1%} more than 20 s ago"
    ]
    lines += ["", *aligned(rows), "", f"  {found[0].n} references with a form; games left out in turn, {folds} folds"]
    clip_rows = [("clips that show", "usable", "mean s", "why not")]
    for c in clips:
        reasons = "; ".join(f"{reason} {n}" for reason, n in c.reasons.items())
        clip_rows.append((c.shows, str(c.usable), number(c.seconds, 1), reasons))
    print("\n".join([*lines, "", *aligned(clip_rows)]))
    return 0


def _share_old(ages: Sequence[float]) -> float:
    return sum(age > 20 for age in ages) / len(ages)
