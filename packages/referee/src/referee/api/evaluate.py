"""`referee.evaluate`: files, frames or lists in, findings out, and one object to go on with."""

from __future__ import annotations

import shutil
import sys
import weakref
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from referee.api import charts
from referee.api.options import CompareOptions, EvaluateOptions
from referee.api.results import EVALUATED, Result, format_interval, make_frame
from referee.api.score import Scores, split_names
from referee.corpora.jsonl import trials_to_json, write_json_line
from referee.corpora.natives.material import Declared, NativeData
from referee.corpora.outputs import output_to_json
from referee.errors import InputError
from referee.files import write_atomically
from referee.jobs.compare import Testing, compare_measures
from referee.jobs.evaluate import Evaluated, complete_trials, evaluate_material, find_differences, open_material
from referee.jobs.folder import Run
from referee.options import accept_options
from referee.records import Response, Trial

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from referee.api.compare import Compared
    from referee.api.court import CourtResult
    from referee.api.listen import Heard
    from referee.api.report import WrittenReport


class Evaluation(Result):
    """The results on files: scores, sentences, and methods for further steps.

    Args:
        evaluated: the measured data.
        name: of the first file.

    >>> import referee
    >>> result = referee.evaluate(["the red cup", "a dog"], references=["the red cup", "the dog"])
    >>> result.recognised["kind"], result.frame.filter(metric="string/exact")["value"].to_list()
    ('text', [0.5])
    """

    def __init__(self, evaluated: Evaluated, name: str) -> None:
        self.evaluated, self.name = evaluated, name
        self._folder: Path | None = None

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Return one row per system and measure, as a polars frame that is built on first access."""
        return make_frame(self.evaluated.rows, EVALUATED)

    @property
    def recognised(self) -> dict[str, Any]:
        """Return kind, format and mapping of the data."""
        material = self.evaluated.material
        return {"kind": material.kind, "format": material.format, "mapping": material.mapping}

    @property
    def sentences(self) -> list[str]:
        """Return the findings as sentences."""
        return self.evaluated.sentences

    @property
    def notes(self) -> list[str]:
        """Return the notes on the files that readers of the results need."""
        return self.evaluated.material.notes

    @property
    def signature(self) -> str:
        """Return one line with all settings and inputs that determine the scores."""
        return self.evaluated.signature

    @property
    def data(self) -> dict[str, Any]:
        """Return the evaluation as JSON values: the output of `referee evaluate --format json`."""
        return {
            "recognised": self.recognised,
            "n": self.evaluated.items,
            "sentences": self.sentences,
            "scores": self.evaluated.rows,
            "signature": self.signature,
            "notes": self.notes,
        }

    def compare(self, *systems: str, metric: str | Sequence[str] = ()) -> Compared:
        """Compare systems (default: all) on measures (default: all measures of this evaluation)."""
        from referee.api.compare import Compared

        evaluated = self.evaluated
        measures = evaluated.list_comparable(split_names(metric), self.name)
        comparisons = compare_measures(measures, split_names(systems), evaluated.testing)
        comparisons.notes += self.notes
        comparisons.misread = [] if evaluated.table is None else evaluated.table.misread
        return Compared(comparisons, self.recognised)

    def listen(self, hearer: str, **options: Any) -> Heard:
        """Let a hearer answer the descriptions; needs scenes."""
        from referee.api.listen import listen

        if not any(t.scene.entities for t in self.evaluated.material.trials.values()):
            raise InputError(
                "the hearer needs scenes, and the outputs have none",
                where=self.name,
                remedy="evaluate with scenes=FILE or a corpus",
            )
        heard = listen(self.run_folder, hearer, **options)
        self.evaluated.heard = [
            r for r in Run(self.run_folder).responses() if r not in self.evaluated.material.responses
        ]
        return heard

    def court(self, **options: Any) -> CourtResult:
        """Correlate the measures with the success of hearers, from `listen` or from people's answers."""
        from referee.api.court import court

        if self.evaluated.table is None or not (self.evaluated.heard or self.evaluated.material.responses):
            lacks = "measures" if self.evaluated.table is None else "answers"
            raise InputError(
                f"a court needs measures and answers, and there are no {lacks}",
                where=self.name,
                remedy="evaluate descriptions with references and scenes, then call .listen(HEARER)",
            )
        return court(self.run_folder, **options)

    def report(self, out: str | Path, **options: Any) -> WrittenReport:
        """Write a report into a folder."""
        from referee.api.report import report

        return report([self.run_folder], out, **options)

    def save(self, out: str | Path, overwrite: bool = False) -> Path:
        """Write a run folder, or outputs with their trials beside them if `out` ends in .jsonl."""
        if not isinstance(out, (str, Path)):
            raise InputError(f"out is of type {type(out).__name__}", remedy="give a path")
        out, material = Path(out), self.evaluated.material
        if out.suffix == ".jsonl":
            if out.exists() and not overwrite:
                raise InputError("this file exists already", where=out, remedy="choose another name, or --overwrite")
            if material.outputs and material.responses:
                raise InputError(
                    "a file holds either descriptions or answers, and there are both",
                    where=out,
                    remedy="save a run folder: a name without .jsonl",
                )
            lines = [
                write_json_line(output_to_json(o.trial, o.system, o.description, o.response)) for o in material.outputs
            ]
            # Answers of listeners, where nothing else was read.
            lines = lines or [write_json_line(_flatten_answer(r, material.trials[r.trial])) for r in material.responses]
            write_atomically(out, lines)
            write_atomically(
                out.with_suffix(".trials.jsonl"), map(write_json_line, trials_to_json(complete_trials(material)))
            )
        else:
            self._write_run(out, overwrite)
        return out

    def _write_run(self, out: Path, overwrite: bool = False) -> None:
        """Write the data and scores as a run folder."""
        evaluated, material = self.evaluated, self.evaluated.material
        material.trials = {t.id: t for t in complete_trials(material)}
        if (
            evaluated.table is not None
            and evaluated.opened is not None
            and evaluated.answers is not None
            and not material.responses
        ):
            answers = evaluated.answers
            Scores(evaluated.table, lambda: answers, evaluated.opened).save(out, overwrite)
            return
        from referee.jobs.import_answers import write_material

        write_material(out, material, self.name, {"name": self.name}, overwrite, sys.argv[1:])

    @property
    def run_folder(self) -> Path:
        """Return a temporary run folder with the data and scores; it is deleted with this object."""
        if self._folder is None:
            self._folder = Path(mkdtemp(prefix="referee-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            self._write_run(self._folder / "run")
        return self._folder / "run"

    def plot(self) -> alt.TopLevelMixin:
        """Return a chart with a dot and an interval per system, one panel per measure."""
        return charts.draw_dots(
            [{k: r[k] for k in ("system", "metric", "value", "low", "high", "n")} for r in self.evaluated.rows],
            self.name,
        )

    def _format_table(self) -> tuple[list[str], list[list[str]]]:
        """Return the headings and text cells of the table of scores."""
        metrics = list(dict.fromkeys(r["metric"] for r in self.evaluated.rows if r["n"]))
        cells = {(r["system"], r["metric"]): r for r in self.evaluated.rows}
        body = []
        for system in dict.fromkeys(r["system"] for r in self.evaluated.rows):
            rows = [cells.get((system, m)) for m in metrics]
            values = ["–" if r is None else format_interval(r["value"], r["low"], r["high"]) for r in rows]
            body.append([system, str(max((r["n"] for r in rows if r is not None), default=0)), *values])
        return ["system", "n", *metrics], body

    def _get_title(self) -> str:
        return f"Evaluation of {self.name}: {' '.join(self.sentences[:2])}"

    def _list_notes(self) -> Sequence[str]:
        return [*self.sentences[2:], *self.notes, self.signature]


def _flatten_answer(response: Response, trial: Trial) -> dict[str, Any]:
    """Return a listener's answer as a row of a table in the form that `referee evaluate` reads."""
    row = {
        "trial": response.trial,
        "participant": response.hearer,
        "system": response.system,
        "chosen": response.entity,
        "target": list(trial.targets),
        "correct": response.entity in trial.targets,
        "rt": response.identification_ms,
    }
    return {name: value for name, value in row.items() if value is not None}


@accept_options(EvaluateOptions)
def evaluate(options: EvaluateOptions) -> Evaluation:
    """Recognise the format of files, frames or lists, and score them (`referee evaluate`).

    Returns:
        An `Evaluation`: ``.sentences``, ``.frame``, and ``.compare(…)``, ``.listen(…)``, ``.court()``, ``.report(…)`` for further steps.

    Raises:
        InputError: if the content of the files is ambiguous; the message names the choices.

    >>> import referee
    >>> rows = [{"item": 1, "model": "a", "output": "the red cup", "reference": "the red cup"}]
    >>> referee.evaluate(rows).recognised["mapping"]["text"]
    'output'
    """
    evaluation = measure_files(options, split_names(options.metrics))
    if options.save_as is not None:
        evaluation.save(options.save_as, options.overwrite)
    if options.report is not None:
        evaluation.report(options.report, overwrite=options.overwrite)
    return evaluation


def measure_files(options: EvaluateOptions | CompareOptions, metrics: Sequence[str]) -> Evaluation:
    """Return the scores of the files that the options name; default: by measures that suit them.

    The literal hearer answers where it can.

    Raises:
        InputError: if the content of the files is ambiguous, or no measure applies.
    """
    outputs = options.outputs
    if outputs is None or (isinstance(outputs, (list, tuple)) and not outputs):
        has_several = isinstance(options.references, (list, tuple)) and len(options.references) > 1
        first = "--references takes all files that follow it, so " if has_several else ""
        raise InputError(
            "no files to evaluate were named",
            remedy=f"{first}name outputs first: referee evaluate hyp.txt --references ref.txt",
        )
    material = open_material(outputs, options.references, options.scenes, make_declarations(options), options.data)
    is_heard = _can_listen(material, metrics)
    evaluated = evaluate_material(
        material,
        metrics,
        name=make_default_name(outputs),
        testing=Testing(options.cluster, options.resamples, options.confidence, options.seed),
        may_be_empty=is_heard,
    )
    evaluation = Evaluation(evaluated, make_default_name(outputs))
    if is_heard:
        _listen_literally(evaluation, options)
    return evaluation


def _can_listen(material: NativeData, metrics: Sequence[str]) -> bool:
    """Return whether the literal hearer can answer: scenes are complete, and outputs have properties or words."""
    has_scenes = bool(material.trials) and all(
        len(t.scene.entities) > 1 and len(t.targets) == 1 for t in material.trials.values()
    )
    return has_scenes and set(metrics) <= {"ir"} and bool(material.outputs) and not material.responses


def _listen_literally(evaluation: Evaluation, options: EvaluateOptions | CompareOptions) -> None:
    """Add the identification rate of the literal hearer.

    It leads the findings if no other measure applies.
    """
    evaluated = evaluation.evaluated
    is_only = not evaluated.rows
    heard = evaluation.listen("literal", cluster=options.cluster, confidence=options.confidence)
    for row in heard.rows:
        if row["measure"] == "ir":
            values = {key: row[key] for key in ("system", "value", "low", "high", "n", "hearer", "signature")}
            evaluated.rows.append({"metric": "ir", **values})
    if is_only:
        evaluated.signature = evaluated.rows[0]["signature"]
        find_differences(evaluated, ("ir",))
    evaluated.sentences += [
        "ir is the identification rate of the hearer `literal`, which knows the words of the scene and ignores others.",
        *heard.warnings,
    ]
    evaluation.__dict__.pop("frame", None)


def make_declarations(options: EvaluateOptions | CompareOptions) -> Declared:
    """Return what the options declare about files: columns, systems, conventions of coordinates."""
    is_compare = isinstance(options, CompareOptions)
    return Declared(
        columns=parse_map(options.map),
        convention=options.convention,
        form=options.form,
        language=options.language,
        # A comparison chooses its systems itself; names of columns are passed on for wide tables.
        systems=() if is_compare and not _has_system_columns(options) else split_names(options.systems),
    )


def _has_system_columns(options: EvaluateOptions | CompareOptions) -> bool:
    """Return whether the compared systems are columns of a table that lacks a column `system`."""
    return "text" not in parse_map(options.map) and bool(split_names(options.systems))


def parse_map(text: str | Sequence[str] | Mapping[str, str] | None) -> dict[str, str]:
    """Parse ``role=column,role=column``, or several such texts; commas join the columns of a role.

    Raises:
        InputError: for a part without an equals sign, or a role with two columns.
    """
    if isinstance(text, Mapping):
        return {str(role): str(column) for role, column in text.items()}
    joined = text if isinstance(text, str) else ",".join(map(str, text or ()))
    pairs = [part.partition("=") for part in joined.split(",") if part.strip()]
    wrong = next((role for role, equals, column in pairs if not equals or not column.strip()), None)
    if wrong is not None:
        raise InputError(f"cannot map {wrong!r}", remedy="write --map trial=COLUMN,text=COLUMN,system=COLUMN")
    columns: dict[str, str] = {}
    for role, column in ((role.strip(), column.strip()) for role, _, column in pairs):
        if role in columns and role not in ("references", "reference"):
            raise InputError(
                f"the role {role!r} has two columns: {columns[role]!r} and {column!r}",
                remedy=f"keep one of them: --map {role}=COLUMN",
            )
        columns[role] = f"{columns[role]},{column}" if role in columns else column
    return columns


def make_default_name(outputs: Any) -> str:
    """Return the name of the first file without its folder, or ``rows`` for data in memory."""
    first = outputs[0] if isinstance(outputs, (list, tuple)) and outputs else outputs
    return (
        (Path(first).name or str(first))
        if isinstance(first, Path) or (isinstance(first, str) and len(first) < 200 and " " not in first)
        else "rows"
    )
