"""From files of any kind to findings (`referee evaluate`).

Material is read, scored or counted, compared, and put into sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from referee import catalogue
from referee.corpora.natives.described import (
    add_references,
    is_objects_table,
    read_objects,
    read_scenes_of_rows,
    unnest_rows,
)
from referee.corpora.natives.logs import UNIT_SQUARE
from referee.corpora.natives.material import Declared, NativeData, make_trial
from referee.corpora.natives.recognition import SIGNS, USUAL, convert_table, read_material
from referee.corpora.natives.texts import convert_texts
from referee.corpora.outputs import Output
from referee.corpora.reading.tables import TABLE_ENDINGS, convert_to_rows, make_table, read_json, read_table
from referee.errors import InputError
from referee.geometry import Box, Mask, Point, Polygon
from referee.jobs.compare import (
    DEFAULT_TESTING,
    Comparisons,
    Measured,
    Testing,
    collect_measures,
    compare_measures,
    label_responses,
    measure_responses,
)
from referee.jobs.folder import Run, is_run
from referee.jobs.grounding import declare_conventions
from referee.jobs.heard import make_hearing_rows
from referee.jobs.open import Answers, Opened, open_corpus
from referee.jobs.score import score_trials
from referee.jobs.score_table import ScoreTable, Settings, expand_metric_names
from referee.metrics.hearing import MEASURES
from referee.records import Entity, Response, Scene, Trial

TEXT_METRICS = ("string/chrf", "string/bleu.4", "string/rouge-l", "string/edit", "string/exact")
SET_METRICS = ("set/dice", "set/exact")
SCENE_METRICS = ("scene/unique", "scene/minimal", "scene/surplus")
BOX_METRICS = ("ground/accuracy", "ground/iou", "ground/point")
POINT_METRICS = ("ground/point",)
ABSENCE_METRICS = ("ground/none", "ground/none.target")
LISTENER_METRICS = ("ir",)


def open_material(
    outputs: Any, references: Any = None, scenes: Any = None, declared: Declared | None = None, data: Any = None
) -> NativeData:
    """Read outputs, references and scenes from files, a run folder, rows, a data frame or lists of texts.

    Raises:
        InputError: if the content or the type of the objects is ambiguous.
    """
    declared = declared or Declared()
    parts = [part.strip() for part in (declared.convention or "").split(",")]
    if single := [part for part in parts if part.find("=") > 0]:
        whole = ",".join(part for part in parts if part not in single) or None
        written = single[0].partition("=")[2]
        material = open_material(outputs, references, scenes, replace(declared, convention=whole or written), data)
        # Only the numbers of these systems are declared: those of others are read as without the declaration.
        if whole is None and set(material.systems) > {part.partition("=")[0].strip() for part in single}:
            material = open_material(outputs, references, scenes, replace(declared, convention=None), data)
        _declare_systems(material, single)
        return material
    material = _read_outputs(outputs, references, scenes, declared, data)
    if material.kind != "places" and (declared.convention or declared.form):
        raise InputError(
            f"a convention of coordinates is declared, but there are none: this is {material.format} ({material.kind})",
            remedy="leave --convention and --form out",
        )
    # Coordinates of runs are parsed already.
    if declared.convention and material.format in ("run", "outputs"):
        _declare_systems(material, [f"={declared.convention.removeprefix('=')}"])
    return material


def _read_outputs(outputs: Any, references: Any, scenes: Any, declared: Declared, data: Any) -> NativeData:
    """Return the data of files, a run folder, rows, a data frame or lists of texts."""
    paths = _list_paths(outputs)
    if scenes is not None and paths is not None and _is_gold_file(scenes):
        declared, scenes = replace(declared, columns={**declared.columns, "documents": str(scenes)}), None
    trials = None if scenes is None else _read_scenes(scenes, declared, data)
    if paths is not None:
        if any(is_run(path) for path in paths):
            return _read_runs(paths, declared)
        return read_material(paths, _list_paths(references) or (), trials, declared)
    rows = convert_to_rows(outputs)
    if isinstance(rows, Mapping) and references is None and (columns := _transpose_columns(rows)):
        rows = columns
    if isinstance(rows, Mapping) and rows and all(_are_texts(convert_to_rows(part)) for part in rows.values()):
        systems = {str(name): list(convert_to_rows(part)) for name, part in rows.items()}
    else:
        systems = {"system": list(rows)} if _are_texts(rows) else {}
    if systems:
        material = convert_texts(systems, _arrange_references(references, systems), declared)
        material.finish(declared.systems)
        return material
    if isinstance(rows, (str, bytes, int, float)) or rows is None or isinstance(rows, Mapping):
        raise InputError(
            f"outputs are of type {type(outputs).__name__}",
            remedy="give a path, a data frame, a list of dictionaries, or a list of texts with references",
        )
    material = convert_table(make_table(rows), trials, declared)
    if references is not None:
        _add_references(material, references, declared)
    material.finish(declared.systems)
    return material


def _declare_systems(material: NativeData, conventions: Sequence[str]) -> None:
    """Redeclare conventions of single systems, ``SYSTEM=CONVENTION`` each.

    Raises:
        InputError: if there is no such system, or a picture has no size and answer and gold box differ in unit.
    """
    by_system: dict[str, dict[str, Output]] = {}
    for output in material.outputs:
        by_system.setdefault(output.system, {})[output.trial] = output
    declare_conventions(by_system, conventions)
    for system in {text.partition("=")[0] for text in conventions}:
        for output in (o for name in ([system] if system else by_system) for o in by_system[name].values()):
            _check_size(output, material.trials[output.trial])
    material.outputs = [by_system[o.system][o.trial] for o in material.outputs]
    material.mapping["convention"] = "; ".join(
        filter(None, (material.mapping.get("convention"), *(c.removeprefix("=") for c in conventions)))
    )


def _check_size(output: Output, trial: Trial) -> None:
    """Raise InputError if an answer cannot be put on its picture, whose size is missing."""
    picture = trial.scene.picture
    if picture is not None and picture.size not in (None, UNIT_SQUARE):
        return
    gold = {e.region.convention.unit for e in trial.scene.entities if isinstance(e.region, Box | Polygon)}
    for place in output.response.places if output.response else ():
        meant = None if isinstance(place, Mask) else place.convention
        if meant is not None and (meant.sent is not None or gold - {meant.unit}):
            raise InputError(
                f"answers of {output.system} in {meant} need the size of the picture, which is missing",
                where=output.where,
                line=output.line,
                remedy="add columns width and height, or use a log with picture sizes",
            )


def _add_references(material: NativeData, references: Any, declared: Declared) -> None:
    """Give rows in memory their references: files, or lists of texts in the order of the items."""
    if (paths := _list_paths(references)) is not None:
        add_references(material, paths, declared)
        return
    for texts in _arrange_references(references, {"": list(material.trials)}):
        if len(texts) != len(material.trials):
            raise InputError(
                f"there are {len(texts):,} references for {len(material.trials):,} items",
                remedy="give one reference per item, or name their column: map='references=COLUMN'",
            )
        for name, text in zip(list(material.trials), texts, strict=True):
            material.add_trial(make_trial(name, [text], language=declared.language))
    material.mapping["references"] = "a list, in the order of the items"


def _list_paths(value: Any) -> list[str | Path] | None:
    """Return the paths that a value names; None if it is data in memory."""
    if isinstance(value, (str, Path)):
        return [value]
    is_list = isinstance(value, (list, tuple)) and bool(value) and all(isinstance(p, (str, Path)) for p in value)
    # A list of strings may be texts: it holds paths only if all of them look like paths.
    if is_list and all(isinstance(part, Path) or _is_path(part) for part in value):
        return list(value)
    return None


def _is_path(text: str) -> bool:
    """Return whether a text is a path, a pattern or "-"."""
    if text == "-" or any(c in text for c in "*?"):
        return text == "-" or " " not in text
    has_ending = text.lower().endswith((*TABLE_ENDINGS, ".txt", ".eval", ".zip", ".gz"))
    return (" " not in text.strip() and has_ending) or (0 < len(text) < 256 and Path(text).exists())


def _are_texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(text, str) for text in value)


def _transpose_columns(columns: Mapping[Any, Any]) -> list[dict[str, Any]]:
    """Return the rows of a dictionary of columns, as data sets write them; none if it is no such dictionary."""
    parts = [convert_to_rows(part) for part in columns.values()]
    if not parts or not all(isinstance(part, list | tuple) for part in parts) or len(set(map(len, parts))) > 1:
        return []
    return [dict(zip(map(str, columns), cells, strict=True)) for cells in zip(*parts, strict=True)]


def _arrange_references(references: Any, systems: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return one list of texts per set of references, from any of the forms in which users give them."""
    references = convert_to_rows(references)
    if isinstance(references, Mapping):
        references = list(references.values())
        if not references or not all(_are_texts(convert_to_rows(part)) for part in references):
            raise _make_references_error()
        return [list(convert_to_rows(part)) for part in references]
    if _are_texts(references):
        return [list(references)]
    if not isinstance(references, (list, tuple)) or not references:
        raise _make_references_error()
    parts = [[part] if isinstance(part, str) else convert_to_rows(part) for part in references]
    if not all(_are_texts(part) for part in parts):
        raise _make_references_error()
    count = len(next(iter(systems.values())))
    is_set = all(len(part) == count for part in parts)
    if len(parts) == count > 1 and is_set:
        raise InputError(
            f"{count} lists of {count} references for {count} outputs can be read in two ways",
            remedy='name sets of references, each with one text per output: references={"first": […], "second": […]}',
        )
    if is_set or len(parts) != count:
        return [list(part) for part in parts]
    # An output with fewer references than others repeats its first one, which counts once.
    return [[part[i] if i < len(part) else part[0] for part in parts] for i in range(max(map(len, parts)))]


def _make_references_error() -> InputError:
    """Return the error for texts without references."""
    return InputError(
        "there are no references for these texts", remedy="give references=[…], a list of texts as long as the outputs"
    )


def _is_gold_file(scenes: Any) -> bool:
    return isinstance(scenes, (str, Path)) and str(scenes).endswith("_coco_format.json")


def _read_scenes(scenes: Any, declared: Declared, data: Any) -> dict[str, Trial]:
    """Return trials with scenes, by id: of gold boxes, of a table (a row is a scene or an object), or of a corpus."""
    if isinstance(scenes, (str, Path)):
        if not str(scenes):
            raise InputError("the name of the scenes is empty", remedy="name a corpus or a file")
        path = Path(scenes)
        if (path.suffix == ".parquet" or (path.is_dir() and str(scenes) not in catalogue.names("corpus"))) and (
            gold := _read_gold(path)
        ):
            return {t.id: t for t in gold}
        if path.exists() and path.name.lower().endswith(TABLE_ENDINGS) and not _is_corpus_file(path):
            table = unnest_rows(read_table(path))
            return read_scenes_of_rows(table, declared) or read_objects(table, declared)
        return {t.id: t for t in open_corpus(scenes, data=data).trials()}
    rows = convert_to_rows(scenes)
    if _are_texts(rows):
        raise InputError("scenes are texts", remedy="name references: referee.evaluate(outputs, references=[…])")
    if isinstance(rows, Sequence) and rows and isinstance(rows[0], Mapping):
        table = unnest_rows(make_table(rows, "scenes"))
        if is_objects_table(table):
            return read_objects(table, declared)
        if "entities" not in table.columns and (trials := read_scenes_of_rows(table, declared)):
            return trials
    return {t.id: t for t in open_corpus(scenes, data=data).trials()}


def _read_gold(path: Path) -> list[Trial] | None:
    """Return the trials of a file with gold boxes; None for other files."""
    from referee.corpora.refcoco import read_gold

    return read_gold(path)


def _is_corpus_file(path: Path) -> bool:
    """Return whether a file is a corpus in Referee's own JSONL form."""
    if not path.name.lower().endswith((".jsonl", ".jsonl.gz", ".json")):
        return False
    if path.suffix == ".json":
        value = read_json(path)
        return isinstance(value, dict) and "entities" in value
    return "entities" in read_table(path).columns


def _read_runs(paths: Sequence[str | Path], declared: Declared) -> NativeData:
    """Return the outputs and responses of run folders; a system that several runs have gets its run's name."""
    whole = NativeData("table", "run", {"trial": "trial", "system": "system", "text": "text"})
    names = [{o.system for o in _outputs_of(Run(path))} for path in paths if is_run(path)]
    repeated = (
        {name for name in set().union(*names) if sum(name in part for part in names) > 1} if len(names) > 1 else set()
    )
    for path in paths:
        if not is_run(path):
            raise InputError(
                "this is not a run folder", where=path, remedy="compare run folders with run folders, files with files"
            )
        run, label = Run(path), Path(path).name
        for trial in run.trials():
            whole.add_trial(trial)
        for output in _outputs_of(run):
            system = f"{label}/{output.system}" if output.system in repeated else output.system
            if not declared.systems or system in declared.systems or output.system in declared.systems:
                whole.outputs.append(output._replace(system=system))
        for response in run.responses():
            heard = f"{label}/{response.system}" if response.system in repeated else response.system
            whole.responses.append(replace(response, system=heard))
    if any(o.response is not None for o in whole.outputs):
        whole.kind = "places"
    elif whole.responses and not whole.outputs:
        whole.kind = "listeners"
    return whole


def _outputs_of(run: Run) -> list[Output]:
    return list(run.outputs()) if (run.folder / "outputs.jsonl").exists() else []


# -- measuring -----------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Evaluated:
    """The scores of some data: JSON rows, the table of scores behind them, and the compared systems."""

    material: NativeData
    rows: list[dict[str, Any]] = field(default_factory=list)
    table: ScoreTable | None = None
    opened: Opened | None = None
    answers: Answers | None = None
    comparisons: Comparisons | None = None
    sentences: list[str] = field(default_factory=list)
    signature: str = ""
    items: int = 0
    testing: Testing = DEFAULT_TESTING
    heard: list[Response] = field(default_factory=list)

    def measures(self, metrics: Sequence[str] = ()) -> list[Measured]:
        """Return the statistics of some measures, as input of comparisons."""
        measured: list[Measured] = []
        if self.table is not None:
            measured += collect_measures(
                self.table, [m for m in self._list_scored_metrics() if not metrics or m in metrics]
            )
        responses = [*self.material.responses, *self.heard]
        if responses and (not metrics or "ir" in metrics):
            measured += measure_responses(self.material.trials, responses)
        return measured

    def _list_scored_metrics(self) -> Sequence[str]:
        """Return the metrics of the table of scores."""
        return () if self.table is None else self.table.settings.metrics

    def list_comparable(self, metrics: Sequence[str], name: str) -> list[Measured]:
        """Return the statistics of measures that two systems share. Raises InputError if there are none."""
        names = dict.fromkeys(row["metric"] for row in self.rows if row["n"])
        expanded = expand_metrics(metrics)
        lacking = next(
            (m for m in metrics if m in expanded and m not in (*MEASURES, *self._list_scored_metrics())), None
        )
        if lacking is not None:
            raise InputError(
                f"{lacking} was not measured (measured: {', '.join(names)})",
                where=name,
                remedy=f"name it when you evaluate: metrics={','.join([*names, lacking])}",
            )
        if measured := self.measures(expanded):
            return measured
        raise InputError(
            "there are no two systems with the same measure",
            where=name,
            remedy=f"name files or runs of at least two systems, or their column: --map system=COLUMN (measured: {', '.join(names)})",
        )


def expand_metrics(names: Sequence[str]) -> tuple[str, ...]:
    """Return measures by name, with those of families such as `string` in their place."""
    return (*expand_metric_names(n for n in names if n not in MEASURES), *(n for n in names if n in MEASURES))


def choose_metrics(material: NativeData) -> tuple[str, ...]:
    """Return the measures that suit the data."""
    if material.kind == "places":
        places = [p for o in material.outputs if o.response for p in o.response.places]
        points = sum(isinstance(p, Point) for p in places)
        chosen = POINT_METRICS if points > len(places) / 2 else BOX_METRICS
        has_absent = any(not t.targets and t.scene.picture for t in material.trials.values())
        return (*chosen, *ABSENCE_METRICS) if has_absent else chosen
    if not material.outputs:
        return LISTENER_METRICS
    has_properties = any(o.description.properties is not None for o in material.outputs)
    has_scenes = any(t.scene.entities for t in material.trials.values())
    has_texts = any(o.description.text is not None for o in material.outputs)
    has_references = any(r.text is not None for t in material.trials.values() for r in t.references)
    chosen = (
        *(SET_METRICS if has_properties and _has_meanings(material) else ()),
        *(SCENE_METRICS if has_properties and has_scenes else ()),
        *(TEXT_METRICS if has_texts and has_references else ()),
    )
    return (*chosen, *(LISTENER_METRICS if material.responses else ()))


def _has_meanings(material: NativeData) -> bool:
    return any(r.properties is not None for t in material.trials.values() for r in t.references)


def evaluate_material(
    material: NativeData,
    metrics: Sequence[str] = (),
    *,
    name: str = "files",
    testing: Testing = DEFAULT_TESTING,
    may_be_empty: bool = False,
) -> Evaluated:
    """Score data, compare its systems, and return the findings in sentences.

    With `may_be_empty`, data without an applicable measure are left to a hearer.

    Raises:
        InputError: if no measure applies.
    """
    chosen = expand_metrics(metrics) or choose_metrics(material)
    heard = [m for m in chosen if m in MEASURES]
    scored = tuple(m for m in chosen if m not in MEASURES)
    evaluated = Evaluated(material, items=len(material.trials), testing=testing)
    if scored and material.outputs:
        _score_outputs(evaluated, scored, name)
    if material.responses and (heard or not metrics):
        _measure_responses(evaluated, heard or ["ir"])
    if not any(row["n"] for row in evaluated.rows) and not may_be_empty:
        raise InputError(
            "nothing in these files can be measured", where=name, remedy=_explain_absence(material, chosen)
        )
    find_differences(evaluated, chosen)
    return evaluated


def find_differences(evaluated: Evaluated, chosen: Sequence[str]) -> None:
    """Compare all systems by the first of the chosen measures, and write the findings as sentences."""
    _compare_systems(evaluated, chosen)
    evaluated.sentences = _describe_findings(evaluated, chosen)


def _compare_systems(evaluated: Evaluated, chosen: Sequence[str]) -> None:
    measures = evaluated.measures()
    if len(evaluated.material.systems) < 2 or not measures:
        return
    main = next((m for m in measures if m.metric in chosen), measures[0])
    if any(main.pair(a, b).items for a, b in combinations(main.systems, 2)):
        evaluated.comparisons = compare_measures([main], testing=evaluated.testing)
    else:
        evaluated.material.notes.append("The systems share no item, so they are not compared.")


def _explain_absence(material: NativeData, chosen: Sequence[str]) -> str:
    """Return the reason why no measure applies."""
    if material.outputs and not any(t.references or t.scene.entities for t in material.trials.values()):
        return "descriptions need references (--references FILE, or --map references=COLUMN) or scenes (--scenes FILE)"
    if not chosen:
        return "descriptions in words need references: --references FILE, or --map references=COLUMN"
    return f"{', '.join(chosen)} cannot be computed: choose others with --metrics (referee list metrics)"


def _score_outputs(evaluated: Evaluated, metrics: tuple[str, ...], name: str) -> None:
    """Score outputs with the metrics and add the table."""
    material = evaluated.material
    trials = list(material.trials.values())
    evaluated.answers = Answers.of(material.outputs, lenient=True)
    # An empty description is an answer, as in a file of segments.
    evaluated.answers.silence_allowed.update(evaluated.answers.by_system)
    evaluated.opened = Opened(name=name, trials=lambda: trials, everyone=lambda: trials)
    settings = Settings(metrics=metrics, **asdict(evaluated.testing), lenient=True)
    evaluated.table = score_trials(evaluated.answers, evaluated.opened, settings)
    rows = evaluated.table.scores()
    shown = ("system", "metric", "value", "low", "high", "n", "signature")
    evaluated.rows += [{key: row[key] for key in shown} for row in rows]
    measured = next((row for row in rows if row["n"]), None)
    evaluated.signature = measured["signature"] if measured else ""
    material.notes += [w for w in evaluated.table.warnings if w not in material.notes]
    lacking = [t.id for t in trials if not t.references]
    if material.kind != "places" and 0 < len(lacking) < len(trials):
        material.notes.append(
            f"Items without a reference, left out by measures that need one: {len(lacking):,} (the first is {lacking[0]!r})."
        )


def _measure_responses(evaluated: Evaluated, measures: Sequence[str]) -> None:
    """Add the measures of responses."""
    material = evaluated.material
    labels = label_responses(material.responses)
    cluster, confidence = evaluated.testing.cluster, evaluated.testing.confidence
    rows = make_hearing_rows(material.trials.values(), material.responses, cluster=cluster, confidence=confidence)
    for row in rows:
        if row["measure"] in measures:
            values = {key: row[key] for key in ("value", "low", "high", "n", "hearer", "signature")}
            label = labels[row["system"], row["hearer"]]
            evaluated.rows.append({"system": label, "metric": row["measure"], **values})
    evaluated.signature = evaluated.signature or next((row["signature"] for row in evaluated.rows), "")


# -- sentences -----------------------------------------------------------------------------------------------------------------


def _describe_findings(evaluated: Evaluated, chosen: Sequence[str]) -> list[str]:
    """Return the findings in sentences: the files, the best system, its lead, and measures that do not apply."""
    material, confidence = evaluated.material, evaluated.testing.confidence
    systems = list(dict.fromkeys(row["system"] for row in evaluated.rows))
    shown = ", ".join(systems[:4]) + (" …" if len(systems) > 4 else "")
    kinds = {"listeners": "answers of listeners", "places": "coordinates"}
    what = kinds.get(material.kind, "descriptions" if material.outputs else "choices")
    sentences = [
        f"{count_noun(len(systems), 'system')} ({shown}), {count_noun(evaluated.items, 'item')}, {what} ({material.kind}, {material.format})."
    ]
    best = _find_best(
        evaluated.rows, next((m for m in chosen if any(r["metric"] == m and r["n"] for r in evaluated.rows)), "")
    )
    if best is not None:
        row, word = best
        sentences.append(_describe_value(row, word if len(systems) > 1 else "", confidence))
    if evaluated.comparisons is not None:
        leader = best[0]["system"] if best else ""
        pairs = [p for p in evaluated.comparisons.pairs if leader in (p.a, p.b)] or evaluated.comparisons.pairs
        sentences += [pair.sentence(confidence) for pair in pairs[:2]]
        sentences += evaluated.comparisons.notes[:1]
    unread = {
        s: (c["unparsable"] + c["refused"], c.total()) for s, c in material.counts.items() if what == "descriptions"
    }
    sentences += [
        f"{s}: {left_out:,} of {n:,} answers are left out, because no description could be read in them."
        for s, (left_out, n) in unread.items()
        if left_out
    ]
    empty = [m for m in chosen if not any(r["n"] for r in evaluated.rows if r["metric"] == m) and m not in MEASURES]
    if empty:
        sentences.append(f"Not measured: {', '.join(empty)} ({_describe_needs(empty)}).")
    elif (
        material.kind in ("text", "table", "log")
        and material.outputs
        and not any(t.scene.entities for t in material.trials.values())
    ):
        sentences.append("Measures of content (set/…, scene/…) and hearers need scenes: --scenes FILE.")
    return sentences


def _describe_needs(metrics: Sequence[str]) -> str:
    """Return the data that some metrics need, in words."""
    needs = {str(getattr(catalogue.configure("metric", m), "needs", "")) for m in metrics}
    words = {"properties": "descriptions with properties and a scene", "text": "texts and references"}
    return "they need " + " or ".join(sorted(words.get(n, n or "other answers") for n in needs))


def _find_best(rows: Sequence[Mapping[str, Any]], metric: str) -> tuple[Mapping[str, Any], str] | None:
    """Return the best row of a metric, with "highest" or "lowest"."""
    measured = [row for row in rows if row["metric"] == metric and row["value"] is not None]
    if not measured:
        return None
    is_lower = metric not in MEASURES and catalogue.configure("metric", metric).direction == "lower"
    chosen = (min if is_lower else max)(measured, key=lambda row: row["value"])
    return chosen, "lowest" if is_lower else "highest"


def _describe_value(row: Mapping[str, Any], word: str, confidence: float) -> str:
    """Return a sentence with a system's value, interval and n."""
    low, high = row["low"], row["high"]
    interval = (
        ""
        if low is None
        else f", {confidence:.0%} CI {_format_decimal(low)} to {_format_decimal(high)}".replace("%", " %")
    )
    value = f"{_format_decimal(row['value'])}{interval}, {count_noun(row['n'], 'answer' if row['metric'] in MEASURES else 'item')}"
    return (
        f"{row['system']} has the {word} {row['metric']} ({value})."
        if word
        else f"{row['system']}: {row['metric']} is {value}."
    )


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1.

    >>> count_noun(1, "item"), count_noun(2000, "item")
    ('1 item', '2,000 items')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _format_decimal(value: float) -> str:
    """Return a number with three decimals; with one if it is large."""
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.1f}"


def explain_material(material: NativeData) -> list[str]:
    """Return the recognised format and content, the reasons, and the measures that do and do not apply."""
    metrics = choose_metrics(material)
    lines = [
        f"kind: {material.kind}",
        f"recognised by: {SIGNS.get(material.format) or USUAL.get(material.kind, 'usual names of fields')}",
        f"format: {material.format}{'' if material.is_tried else ' (not tried with a file of that program)'}",
        *(f"{role}: {column}" for role, column in material.mapping.items()),
        f"items: {len(material.trials):,}; systems: {', '.join(material.systems)}",
        f"measures: {', '.join(metrics) or 'none'}",
    ]
    if material.outputs and not any(t.scene.entities for t in material.trials.values()):
        lines.append("not measured: content (set/…, scene/…) and hearers, which need scenes (--scenes)")
    if any(o.description.properties is not None for o in material.outputs) and not _has_meanings(material):
        lines.append("not measured: set/…, which need references with properties")
    if material.kind == "places":
        lines.append("not measured: words (string/…), since the answers are coordinates")
    if not material.responses:
        lines.append("not measured: answers of listeners, of which there are none")
    return [*lines, *material.notes]


def complete_trials(material: NativeData) -> list[Trial]:
    """Return the trials as a run folder stores them.

    An item of which only answers are known gets the objects that were named in them.
    """
    named: dict[str, dict[str, None]] = {}
    for response in material.responses:
        if response.entity is not None:
            named.setdefault(response.trial, {})[response.entity] = None
    trials = []
    for trial in material.trials.values():
        if not trial.scene.entities and (trial.targets or trial.id in named):
            entities = tuple(Entity(id=name) for name in dict.fromkeys([*trial.targets, *named.get(trial.id, ())]))
            trial = replace(trial, scene=Scene(entities=entities, id=trial.scene.id, complete=False))
        trials.append(trial)
    return trials
