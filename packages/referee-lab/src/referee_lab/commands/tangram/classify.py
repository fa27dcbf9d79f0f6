"""`referee tangram classify`: demonstrative pronoun or not, from the situation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isnan
from statistics import median
from typing import TYPE_CHECKING, Any

from referee.cli.progress import show_clock
from referee.options import command, option
from referee_lab.commands import options
from referee_lab.commands.tangram.sources import (
    LearningSource,
    align_columns,
    format_number,
    open_dialogues,
    print_results,
)
from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER

if TYPE_CHECKING:
    from referee_lab.tangram.models.demonstratives import Classification, ClassifierRow
    from referee_lab.tangram.models.history import Situation
    from referee_lab.tangram.tiers.dialogue import Dialogue


app = options.make_app()


EPILOG = options.examples(f"""
  referee tangram classify --corpus {options.PENTO_CV} --by pair             real dialogue, speech and hands

  referee tangram classify --corpus {options.PENTO_CV} --forms demonstrative --weights balanced

  referee tangram classify --recordings SESSIONS/ --worst 20

  referee tangram classify session-1.eaf session-2.eaf --by pair --format json

  referee tangram classify --train {options.PENTO_CV} --test SESSIONS/       does it generalise?

  referee tangram classify --corpus {options.KTH}          which form is chosen, without a cursor

  referee tangram classify --synthetic                    invented sessions: a test bed, circular by design
""")


@dataclass
class ClassifyOptions(LearningSource):
    """Options of `referee tangram classify`."""

    forms: str = option(
        "both", "The forms that count as pronouns: both, demonstrative (that, das) or personal (it, es)."
    )
    speakers: str = option(
        "both",
        "Whose references: both, solver (instructor) or operator (manipulator).",
        choices=("both", SOLVER, OPERATOR),
    )
    weights: str = option("equal", "Weights of the classes: equal (as published) or balanced.")
    threshold: float = option(0.0, "Decision value above which a pronoun is suggested.")
    worst: int = option(10, "How many of the worst false positives to list.", minimum=0)


@command(app, ClassifyOptions, EPILOG)
def classify(chosen: ClassifyOptions) -> int:
    """Predict demonstrative pronouns: a linear support vector machine with baselines, and without each kind of feature.

    The baselines are the most recently mentioned piece, always a pronoun, and the cursor (or a hand) over the target,
    which alone is better (F .783) than the published classifier (F .730). Intervals are for new pairs.
    """
    from referee_lab.tangram.models.demonstratives import classify_new

    if chosen.is_transfer():
        names, dialogues = chosen.open_both()
        learned, tested = (_select_situations(source, chosen) for source in dialogues)
        with show_clock("models"):
            classification = classify_new(learned, tested, weights=chosen.weights, threshold=chosen.threshold)
        name, shown = f"trained on {names[0]} ({len(learned)} references), tested on {names[1]}", dialogues[1]
    else:
        name, shown = open_dialogues(chosen)
        situations = _select_situations(shown, chosen)
        if chosen.corpus == options.KTH:
            return _print_form_predictions(name, situations, chosen)
        classification = _cross_validate(situations, chosen)
    about = _convert_to_json(name, classification, chosen, shown)
    return print_results(chosen.form, about, lambda: _format_lines(name, classification, chosen, shown))


def _cross_validate(situations: Sequence[Situation], chosen: ClassifyOptions) -> Classification:
    """Return the classification of the situations, each by models that learned from other folds."""
    from referee_lab.tangram.models.demonstratives import classify as run

    names = ("folds", "by", "seed", "weights", "threshold")
    with show_clock("models"):
        return run(situations, **{name: getattr(chosen, name) for name in names})


def _select_situations(dialogues: Sequence[Dialogue], chosen: ClassifyOptions) -> list[Situation]:
    """Return the situations of the references by the chosen speakers."""
    from referee_lab.tangram.models.history import list_situations
    from referee_lab.tangram.tiers.reference_forms import keep_pronoun_kind

    situations = list_situations([keep_pronoun_kind(d, chosen.forms) for d in dialogues])
    # Mentions by all speakers count as history.
    return [s for s in situations if chosen.speakers in ("both", s.expression.by)]


# -- in words --------------------------------------------------------------------------------------------------------------------


def _format_lines(
    name: str, classification: Classification, chosen: ClassifyOptions, dialogues: Sequence[Dialogue]
) -> list[str]:
    """Return the results as lines of text."""
    from referee_lab.tangram.game.piece_sets import PIECES
    from referee_lab.tangram.models.demonstratives import ALL, PUBLISHED

    n, pronouns = len(classification.situations), sum(s.pronoun for s in classification.situations)
    # The printed results for seven tangram pieces are not comparable with other games.
    is_tangram = all(
        d.pieces.keys() == PIECES.keys() and d.meta.get("pointer", "cursor") == "cursor" for d in dialogues
    )
    compare = is_tangram and all(s.has_pointer for s in classification.situations)
    head = ("", "P", "R", "F", "95 % of F", "F less all", "TP", "FN", "FP", "TN")
    pairs = len({s.pair for s in classification.situations})
    rows: list[tuple[str, ...]] = [(*head, *(("published: P", "R", "F") if compare else ()))]
    for row in classification.rows:
        c = row.confusion
        printed = PUBLISHED.get(row.name, (None, None, None)) if compare else ()
        counts = map(str, (c.tp, c.fn, c.fp, c.tn))
        interval = "–" if row.low is None else f"{format_number(row.low)}–{format_number(row.high)}"
        measured = (*map(format_number, (c.precision, c.recall, c.f)), interval, _format_gap(row, pairs))
        # Without a single decision there is nothing to count.
        rows.append((row.name, *measured, *(counts if c.n else "––––"), *map(format_number, printed)))
    scheme = "no folds: trained on another source"
    if classification.folds:
        scheme = f"{classification.folds} folds by {classification.by}"
    pronoun_names = {"both": "pronouns", "demonstrative": "demonstrative pronouns", "personal": "personal pronouns"}
    lines = [
        f"{name}: {n} references to one piece, {pronouns} of them {pronoun_names[chosen.forms]}; {scheme}",
        "",
        *align_columns(rows),
        "",
        *_list_remarks(classification, chosen, dialogues, pairs),
    ]
    if compare:
        lines += [
            "  published: Spanger et al. 2013 (1,242 references; R from P and F), always a pronoun on 548 of 1,242, the cursor alone from Iida et al. 2010;",
            "  a model that is not better than the cursor alone has only learned the position of the mouse.",
        ]
    if chosen.worst and (wrong := classification.find_false_positives(chosen.worst)):
        lines += [
            "",
            f"  false positives with the highest decision values, model {ALL} (decision value, reference, words, situation)",
        ]
        lines += align_columns([(f"{value:+.3f}", s.id, repr(s.text), _format_situation(s)) for value, s in wrong])
    return lines


def _format_gap(row: ClassifierRow, pairs: int) -> str:
    """Return the difference from the model with all features, with * if its interval excludes 0."""
    from referee_lab.tangram.models.demonstratives import FEWEST_PAIRS

    gap = row.gap
    if gap is None or isnan(gap.difference):
        return "–"
    has_star = pairs >= FEWEST_PAIRS and (gap.low > 0 or gap.high < 0)
    return f"{gap.difference:+.3f}{'*' if has_star else ''}"


def _list_remarks(
    classification: Classification, chosen: ClassifyOptions, dialogues: Sequence[Dialogue], pairs: int
) -> list[str]:
    """Return the remarks that belong to the table."""
    from referee_lab.tangram.models.demonstratives import FEWEST_PAIRS

    hand = any(d.meta.get("pointer") == "hand" for d in dialogues)
    over = {u: [s.standing.cursor_over for s in classification.situations if s.pronoun is u] for u in (True, False)}
    what = "a hand on the target (in place of the cursor)" if hand else "cursor over the target"
    rates = []
    for name, hits in (("pronouns", over[True]), ("others", over[False])):
        share = f"{sum(hits) / len(hits):.1%}" if hits else "–"
        rates.append(f"{name} {share} ({sum(hits)} of {len(hits)})")
    lines = [f"  {what}: {', '.join(rates)}"]
    recorded = sum(s.has_pointer for s in classification.situations)
    if not recorded:
        lines = ["  No cursor was recorded: the rule by the cursor has no value."]
    elif recorded < len(classification.situations):
        lines += [f"  The rule by the cursor is for the {recorded} references in dialogues with a recorded cursor."]
    if pairs > 1:
        meaning = (
            "* the interval of the difference excludes 0"
            if pairs >= FEWEST_PAIRS
            else f"no stars, because that takes at least {FEWEST_PAIRS} pairs"
        )
        lines += [f"  Intervals leave out one of {pairs} pairs at a time (t, {pairs - 1} df); {meaning}."]
    for row in classification.rows:
        if row.learned and row.never:
            lines += [f"  {row.name}: NEVER says {' or '.join(row.never)} (try --weights balanced or --threshold)"]
    if chosen.weights != "equal" or chosen.threshold:
        lines += [f"  class weights {chosen.weights}, threshold {chosen.threshold:g} (published: equal, 0)"]
    if any(s.synthetic for s in classification.situations):
        lines += [
            "  CIRCULAR: the simulated speakers choose pronouns by the features that the models read; this tests the program and says nothing about dialogue"
        ]
    faults = Counter[str]()
    for dialogue in dialogues:
        faults.update(dialogue.meta.get("faults", {}))
    lines += [f"  in the files: {fault}: {n}" for fault, n in faults.items()]
    return lines


def _format_situation(situation: Situation) -> str:
    """Return the properties of a situation in words."""
    s = situation.standing
    properties = {
        "cursor over": s.cursor_over,
        "being handled": s.handled_now,
        "mentioned last": s.mentioned_last,
        "handled last": s.handled_last,
    }
    return ", ".join(name for name, holds in properties.items() if holds) or "none of cursor, handling, recency"


# -- for programs ----------------------------------------------------------------------------------------------------------------


def _convert_to_json(
    name: str, classification: Classification, chosen: ClassifyOptions, dialogues: Sequence[Dialogue]
) -> dict[str, Any]:
    """Return the results as JSON values."""
    wrong = [
        {"id": s.id, "decision": value, "text": s.text, "target": s.target, "situation": _format_situation(s)}
        for value, s in classification.find_false_positives(chosen.worst)
    ]
    return {
        "source": name,
        "synthetic": any(s.synthetic for s in classification.situations),
        "references": len(classification.situations),
        "pronouns": sum(s.pronoun for s in classification.situations),
        "pairs": len({s.pair for s in classification.situations}),
        "dialogues": len(dialogues),
        "folds": classification.folds,
        "by": classification.by,
        **{name: getattr(chosen, name) for name in ("forms", "speakers", "weights", "threshold")},
        "rows": [_convert_row_to_json(row) for row in classification.rows],
        "worst_false_positives": wrong,
    }


def _convert_row_to_json(row: ClassifierRow) -> dict[str, Any]:
    """Return one classifier as JSON values, with the printed ones."""
    from referee_lab.tangram.models.demonstratives import PUBLISHED

    c, gap = row.confusion, row.gap
    printed = PUBLISHED.get(row.name)
    values = {} if gap is None else {"difference": gap.difference, "low": gap.low, "high": gap.high, "p": gap.p}
    return {
        "name": row.name,
        "features": row.name,
        "learned": row.learned,
        **asdict(c),
        **{name: getattr(c, name) for name in ("precision", "recall", "f", "accuracy")},
        "low": row.low,
        "high": row.high,
        "never": list(row.never),
        "less_all_features": None
        if gap is None or isnan(gap.difference)
        else {name: None if isnan(value) else value for name, value in values.items()},
        "published": None if printed is None else dict(zip(("precision", "recall", "f"), printed, strict=True)),
    }


# -- real dialogue: form ---------------------------------------------------------------------------------------------------------


def _print_form_predictions(name: str, situations: Sequence[Situation], chosen: ClassifyOptions) -> int:
    """Print predictions (one of three forms for a turn; pronoun or not for an utterance); return the exit code."""
    from referee_lab.tangram.models.figure_reference import count_clips, predict_forms
    from referee_lab.tangram.tiers.kth_dialogues import HAND_CHECK, UTTERANCE_UNIT, read_kth_dialogues
    from referee_lab.tangram.tiers.reference_forms import FORMS, classify_form

    counts = Counter(str(classify_form(s.text)) for s in situations)
    ages = sorted(s.standing.since_mention / 1000 for s in situations if s.standing.since_mention is not None)
    with show_clock("models"):
        predictions = predict_forms(situations, folds=chosen.folds, seed=chosen.seed)
        clips = count_clips(situations)
    dialogues = read_kth_dialogues(chosen.data, unit=UTTERANCE_UNIT)
    spoken = _cross_validate(_select_situations(dialogues, chosen), chosen)
    right, read = HAND_CHECK
    if chosen.form == "json":
        about = _convert_to_json(f"{name}, by utterance", spoken, chosen, dialogues)
        shown = {
            "source": name,
            "references": len(situations),
            "forms": dict(counts),
            "seconds_since_last_mention": {"median": median(ages), "share_above_20": _share_old(ages)},
            "predictions": [asdict(f) for f in predictions],
            "clips": [asdict(c) for c in clips],
            "rows": about.pop("rows"),
            "by_utterance": about | {"pronoun_calls_right": right, "pronoun_calls_read": read},
        }
        return print_results("json", shown, list)
    rows = [("form told from", "accuracy", "macro F", *(f"F {f}" for f in FORMS))]
    rows += [
        (f.features, format_number(f.accuracy), format_number(f.macro_f), *(format_number(f.f[k]) for k in FORMS))
        for f in predictions
    ]
    form_counts = ", ".join(f"{f} {counts[f]}" for f in FORMS) + f", no form {counts['None']}"
    games = len({s.pair for s in situations})
    lines = [f"{name}, by turn: {len(situations)} references in {games} games: {form_counts}"]
    lines += [
        f"  a figure mentioned before was mentioned {median(ages):.0f} s ago (median); {_share_old(ages):.1%} more than 20 s ago"
    ]
    scheme = f"cross-validated by game, {min(chosen.folds, games)} folds"
    lines += ["", *align_columns(rows), "", f"  {predictions[0].n} references with a form; {scheme}"]
    clip_rows = [("clips that show", "usable", "mean s", "why not")]
    for c in clips:
        reasons = "; ".join(f"{reason} {n}" for reason, n in c.reasons.items())
        clip_rows.append((c.shows, str(c.usable), format_number(c.seconds, 1), reasons))
    checked = f"  pronouns are those that the program detects: of {read} checked by hand {right} were correct (precision {right / read:.2f})"
    lines += [
        "",
        *align_columns(clip_rows),
        "",
        *_format_lines(f"{name}, by utterance", spoken, chosen, dialogues),
        checked,
    ]
    return print_results("text", {}, lambda: lines)


def _share_old(ages: Sequence[float]) -> float:
    return sum(age > 20 for age in ages) / len(ages)
