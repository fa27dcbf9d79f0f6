"""`referee tangram evaluate`: the tables of a task-performance evaluation."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.cli.progress import show_clock
from referee.errors import InputError
from referee.options import command, option
from referee_lab.commands import options
from referee_lab.commands.tangram.sources import (
    DialogueSource,
    align_columns,
    format_interval,
    format_number,
    open_dialogues,
)

if TYPE_CHECKING:
    from referee.records import Response, Trial
    from referee.statistics.comparisons import Comparison
    from referee.statistics.mixed import MixedModel
    from referee_lab.tangram.evaluation.simulated_evaluators import Rehearsal
    from referee_lab.tangram.evaluation.task_performance import Category, Evaluation, PairedCategories, Review


app = options.make_app()
# More categories than this stand below each other, so that the table is no wider than a terminal.
MOST_COLUMNS = 4
# The rows of the table of categories: their names, short names, and values.
ROWS: tuple[tuple[str, str, Callable[[Category], str]], ...] = (
    ("responses", "n", lambda x: str(x.responses)),
    ("correct", "correct", lambda x: str(x.correct)),
    ("identification rate (IR)", "IR", lambda x: format_number(x.measures["ir"])),
    ("  interval over evaluators and items", "interval", lambda x: f"{x.ir_interval[0]:.3f}–{x.ir_interval[1]:.3f}"),
    ("I don't know", "don't know", lambda x: format_number(x.measures["dont-know"])),
    ("majority correct", "majority", lambda x: f"{x.majority_correct:g}/{x.items}"),
    ("majority rate (MIR)", "MIR", lambda x: format_number(x.measures["mir"])),
    ("tied items", "ties", lambda x: str(x.ties)),
    (
        "agreement (SD)",
        "agreement (SD)",
        lambda x: f"{format_number(x.measures['agreement'])} ({format_number(x.agreement_sd)})",
    ),
    ("until the last replay ended, ms", "replay, ms", lambda x: format_number(x.measures["reading_ms"], 0)),
    (
        "from the end of the last replay to the choice, ms",
        "choice, ms",
        lambda x: format_number(x.measures["identification_ms"], 0),
    ),
    ("utterance to choice (IT), ms", "IT, ms", lambda x: format_number(x.measures["combined_ms"], 0)),
    ("IT of right answers, ms", "right, ms", lambda x: format_number(x.right_ms, 0)),
    ("repeats per response", "repeats", lambda x: format_number(x.measures["repeats"], 2)),
)


EPILOG = options.examples("""
  referee tangram evaluate --synthetic                             a rehearsal: invented sessions, simulated evaluators

  referee tangram evaluate --recordings SESSIONS/ --out REHEARSAL/ the same with recorded sessions; keeps trials and answers

  referee tangram evaluate STUDY/                                  people's answers: a study made by `referee tangram study`

  referee tangram evaluate STUDY/ --mode debug                     those of simulated evaluators (`referee study simulate`)

  referee tangram evaluate ANSWERS/                                a folder with trials.jsonl and responses.jsonl

  referee tangram evaluate responses.jsonl --trials trials.jsonl --confusion 444,104,225,469 --ties half

An answer's field system is its category: TP, FN, FP-DP or FP-Orig, or SYSTEM@CONTEXT in a study with --systems.
--confusion (TP,FN,FP,TN of the classifier) adds the review of precision and F.
""")


@dataclass
class EvaluateOptions:
    """Options of `referee tangram evaluate`."""

    answers: Sequence[Path] = option((), "Folders or files of people's answers.", cli=list[Path], is_argument=True)
    trials: Path | None = option(None, "File of the trials, if the answers are in files without them.")
    synthetic: bool = option(False, "Rehearse on invented sessions.")
    recordings: Path | None = option(None, "Rehearse on a folder of recordings.")
    confusion: str | None = option(None, "TP,FN,FP,TN of the classifier under review.")
    ties: str = option("strict", "Tied majorities: strict (not correct), half or correct.")
    margin: float = option(0.05, "Margin of the equivalence test on accuracy.", minimum=0.001)
    mode: str | None = option(None, "Of a study: debug, pilot or live (default: the study's own).")
    out: Path | None = option(None, "Folder for trials, answers and tables.")
    seed: int = option(1, "Seed of all randomness.")
    form: str = option("text", "text or json", "--format", "-f", choices=("text", "json"))


@command(app, EvaluateOptions, EPILOG)
def evaluate(chosen: EvaluateOptions) -> int:
    """Report identification rate, majority rate, agreement, times and repeats by category, with the printed tests and
    modern ones.
    """
    # One page must not hold people's answers and invented ones.
    answers, out = chosen.answers, chosen.out
    if answers and (chosen.synthetic or chosen.recordings is not None):
        raise InputError(
            "answers cannot be combined with a rehearsal", remedy="name answers, or --synthetic, or --recordings"
        )
    rehearsal = None
    if answers:
        name, read = ", ".join(map(str, answers)), _read_answers(chosen)
        evaluation, reviewed = _evaluate_answers(chosen, *read)
        # Answers of bots out of a study must not pass for people's.
        name += ", SIMULATED evaluators" if evaluation.simulated else ""
    else:
        with show_clock("a rehearsal with simulated evaluators"):
            name, rehearsal = _simulate_evaluation(chosen)
        evaluation, reviewed, read = rehearsal.evaluation, rehearsal.review, (rehearsal.trials, rehearsal.responses)
    data = {"source": name, **_convert_to_json(evaluation, reviewed, rehearsal)}
    # Arrays as lists, and a model that could not be fitted as the reason.
    tables = json.dumps(
        data, ensure_ascii=False, indent=1, default=lambda v: str(v) if isinstance(v, InputError) else v.tolist()
    )
    text = _format_lines(name, evaluation, reviewed, rehearsal)
    if out is not None:
        _save_evaluation(out, tables, text, *read)
    print(tables if chosen.form == "json" else "\n".join(text))
    if out is not None and chosen.form == "text" and answers and (answers[0] / "outputs.jsonl").is_file():
        study = answers[0]
        # Where both events are contexts, each of them has its own half of the references.
        lenient = " --lenient" if len({line.items for line in evaluation.lines}) > 1 else ""
        print(f"Next: `referee score {study}/outputs.jsonl --corpus {study}/trials.jsonl --out RUN{lenient}`,", end=" ")
        print(f"`referee listen RUN --people {out}/responses.jsonl`, `referee court RUN`")
    return 0


def _simulate_evaluation(chosen: EvaluateOptions) -> tuple[str, Rehearsal]:
    """Return a rehearsal with simulated evaluators and its name."""
    from referee_lab.tangram.evaluation.simulated_evaluators import rehearse
    from referee_lab.tangram.models.invented_sessions import invent_sessions

    source = DialogueSource(recordings=chosen.recordings, synthetic=chosen.synthetic, seed=chosen.seed)
    name, dialogues = open_dialogues(source)
    # The simulated ear has never heard the dialogues it judges.
    training = invent_sessions(chosen.seed + 1)
    rehearsal = rehearse(dialogues, training, seed=chosen.seed, ties=chosen.ties, margin=chosen.margin)
    return f"{name}, SIMULATED evaluators", rehearsal


def _evaluate_answers(
    chosen: EvaluateOptions, trials: Sequence[Trial], responses: Sequence[Response]
) -> tuple[Evaluation, Review | None]:
    """Return the evaluation of people's answers, and the review if a confusion is given."""
    from referee_lab.tangram.evaluation.task_performance import evaluate as analyse
    from referee_lab.tangram.evaluation.task_performance import review_confusion
    from referee_lab.tangram.models.demonstratives import Confusion

    evaluation = analyse(responses, trials, ties=chosen.ties, margin=chosen.margin)
    counts = chosen.confusion or _load_confusion(chosen.answers)
    # Without the classifier's counts there is nothing to correct.
    if counts is None or evaluation.moved is None:
        return evaluation, None
    try:
        tp, fn, fp, tn = map(int, counts.split(","))
    except ValueError:
        raise InputError(
            f"--confusion {chosen.confusion} is not four counts", remedy="TP,FN,FP,TN such as 444,104,225,469"
        ) from None
    return evaluation, review_confusion(Confusion(tp=tp, fn=fn, fp=fp, tn=tn), evaluation.moved)


def _load_confusion(answers: Sequence[Path]) -> str | None:
    """Return the counts of the classifier that a study was made from."""
    from referee_lab.tangram.desk.clip_study import load_classifier_results

    # Of several studies it would not be clear whose classifier is under review.
    facts = load_classifier_results(answers[0]) if len(answers) == 1 else None
    return None if facts is None else ",".join(str(facts["confusion"][name]) for name in ("tp", "fn", "fp", "tn"))


def _read_answers(chosen: EvaluateOptions) -> tuple[list[Trial], list[Response]]:
    """Return the trials and answers of files or study folders."""
    from referee.corpora.jsonl import read_responses, read_trials
    from referee_lab.tangram.desk.clip_study import load_overheard_answers

    trials_by_id: dict[str, Trial] = {}
    responses: list[Response] = []
    for path in chosen.answers:
        if not path.exists():
            raise InputError(
                "there is no such file or folder", where=path, remedy="name a study, or a file of people's answers"
            )
        if (path / "study.toml").is_file():
            study_trials, study_responses = load_overheard_answers(path, chosen.mode)
            trials_by_id |= {t.id: t for t in study_trials}
            responses += study_responses
            continue
        folder = path.is_dir()
        file = path / "trials.jsonl" if folder else chosen.trials
        if file is None:
            raise InputError("the trials of these answers are missing", where=path, remedy="add --trials trials.jsonl")
        trials_by_id |= {t.id: t for t in read_trials(file)}
        responses += read_responses(path / "responses.jsonl" if folder else path)
    return list(trials_by_id.values()), responses


def _save_evaluation(
    out: Path, tables: str, text: Sequence[str], trials: Sequence[Trial], responses: Sequence[Response]
) -> None:
    """Write the tables, and trials and answers for `referee listen --recorded` and the court."""
    from referee.corpora.jsonl import response_to_json, trials_to_json, write_json_line
    from referee.files import make_folder, write_atomically

    make_folder(out)
    write_atomically(out / "trials.jsonl", map(write_json_line, trials_to_json(trials)))
    write_atomically(out / "responses.jsonl", (write_json_line(response_to_json(r)) for r in responses))
    write_atomically(out / "evaluation.json", [tables])
    write_atomically(out / "evaluation.txt", text)


# -- the page --------------------------------------------------------------------------------------------------------------------


def _convert_to_json(evaluation: Evaluation, reviewed: Review | None, rehearsal: Rehearsal | None) -> dict[str, Any]:
    """Return the evaluation as JSON values."""
    data: dict[str, Any] = {**asdict(evaluation), "review": None if reviewed is None else asdict(reviewed)}
    if rehearsal is not None:
        m = rehearsal.material
        data["material"] = {
            "usable": dict(m.usable),
            "unusable": {f"{kind}: {reason}": n for (kind, reason), n in m.unusable.most_common()},
            "trials_per_evaluator": [len(items) for items in rehearsal.lists],
            "mean_clip_s": _average_clip_length(rehearsal),
        }
    return data


def _average_clip_length(rehearsal: Rehearsal) -> float:
    return sum(i.clip.seconds for i in rehearsal.lists[0]) / len(rehearsal.lists[0])


def _format_lines(name: str, evaluation: Evaluation, reviewed: Review | None, rehearsal: Rehearsal | None) -> list[str]:
    """Return the evaluation as lines of text."""
    from referee_lab.tangram.evaluation.task_performance import (
        CONDITIONS,
        describe_published_design,
        describe_published_results,
    )

    people = max(line.evaluators for line in evaluation.lines)
    lines = [
        f"{name}: {evaluation.responses} responses of {people} evaluators; ties {evaluation.ties}; chance {evaluation.chance:.3f}"
    ]
    if rehearsal is not None:
        first = rehearsal.lists[0]
        lines += [
            f"  {len(first)} trials each, mean clip {_average_clip_length(rehearsal):.1f} s (published: {describe_published_design()})"
        ]
    lines += ["", *(line for table in _make_tables(evaluation) for line in (*align_columns(table), ""))]
    if {line.condition for line in evaluation.lines} <= set(CONDITIONS):
        lines += [f"  published: {describe_published_results()}", ""]
    for contrast in evaluation.contrasts:
        lines += [*_format_contrast(contrast), ""]
    if evaluation.reviews:
        rows: list[tuple[str, ...]] = [("", "understood", "precision", "after", "recall", "F", "after")]
        for condition, r in evaluation.reviews.items():
            values = (r.precision, r.precision_after, r.recall, r.f, r.f_after)
            rows.append((condition, str(r.moved), *map(format_number, values)))
        lines += [
            "  pronouns of systems compared with people's, before and after counting those that the majority understood as right (recall unchanged)",
            *align_columns(rows),
            "",
        ]
    return lines + (_format_review(reviewed) if reviewed is not None else [])


def _make_tables(evaluation: Evaluation) -> list[list[tuple[str, ...]]]:
    """Return the table of categories, one category a column; of more than four, three tables with a row for each."""
    lines = evaluation.lines
    rows = [(name, short, [value(line) for line in lines]) for name, short, value in ROWS]
    if len(lines) <= MOST_COLUMNS:
        return [[("", *(x.condition for x in lines)), *((name, *values) for name, _, values in rows)]]
    return [
        [
            ("", *(short for _, short, _ in part)),
            *((line.condition, *(values[n] for _, _, values in part)) for n, line in enumerate(lines)),
        ]
        for part in (rows[:5], rows[5:9], rows[9:])
    ]


def _format_contrast(c: PairedCategories) -> list[str]:
    """Return the comparison of two categories as lines."""
    e, t = c.accuracy_equivalence, c.accuracy
    same = "no answer" if e.equivalent is None else "equivalent" if e.equivalent else "not shown to be equivalent"
    lines = [
        f"  {c.first} against {c.second}",
        f"    accuracy, paired t over evaluators: {format_number(t.difference)} {format_interval(t.low, t.high)}, {_format_t(t.t, t.df, t.p)}",
        f"    equivalence within ±{e.margin:g} (TOST): {same}, {_format_p(e.p)}, 90% interval {format_interval(e.low, e.high)}",
        f"    accuracy, mixed logistic model: {_format_mixed(c.mixed_accuracy, 'odds ratio')}",
        f"    time (IT), paired t: {_format_times(c.time)}",
        f"    time of right answers alone, paired t: {_format_times(c.time_when_right)}",
        f"    time, mixed model of log times: {_format_mixed(c.mixed_time, 'ratio')}",
    ]
    if c.time_given_length is None:
        lines.append("    log time at equal length: not estimated, because lengths do not vary within both")
    if c.time_given_length is not None and c.per_character is not None:
        s, k = c.time_given_length, c.per_character
        lines.append(
            f"    log time at equal length of the expression: {s.estimate:+.3f} [{s.low:+.3f}, {s.high:+.3f}]; a character adds {k.estimate:+.4f}"
        )
    return lines


def _format_times(t: Comparison) -> str:
    return f"{format_number(t.difference, 0)} ms {format_interval(t.low, t.high, 0)}, {_format_t(t.t, t.df, t.p)}"


def _format_t(t: float | None, df: float | None, p: float | None) -> str:
    return "no test" if t is None or df is None else f"t({df:.0f}) = {t:.2f}, {_format_p(p)}"


def _format_p(p: float | None) -> str:
    return "p –" if p is None else "p < .001" if p < 0.001 else f"p = {p:.3f}"


def _format_mixed(model: MixedModel | InputError, what: str) -> str:
    """Return the effect of a mixed model in words, or the reason why there is none."""
    if isinstance(model, InputError):
        return str(model).replace("\n", " ")
    (effect,) = model.effects
    return f"{what} {effect.ratio:.2f} {format_interval(effect.low, effect.high, 2)}, {_format_p(effect.p)}"


def _format_review(r: Review) -> list[str]:
    """Return the review as lines."""
    from referee_lab.tangram.evaluation.task_performance import describe_published_review

    return [
        f"  review: {r.moved} false positives whose pronoun the majority understood count as right",
        f"    precision {format_number(r.precision)} → {format_number(r.precision_after)}; F {format_number(r.f)} →"
        f" {format_number(r.f_after)} with unchanged recall ({format_number(r.recall)}),",
        f"    {format_number(r.f_after_recomputed)} with recall recomputed (published: {describe_published_review()})",
    ]
