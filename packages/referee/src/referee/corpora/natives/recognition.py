"""Recognises the format of a file by its content and reads it; an ambiguous file is refused."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.corpora.natives.box_tables import has_boxes, iterate_box_answers, lengthen_boxes
from referee.corpora.natives.columns import find_column, simplify_name
from referee.corpora.natives.described import (
    SYSTEM,
    add_references,
    attach_scenes,
    get_format,
    read_descriptions,
    read_scenes_of_rows,
    unnest_rows,
)
from referee.corpora.natives.listeners import (
    PLATFORMS,
    has_listeners,
    join_empirica,
    lengthen_systems,
    read_listeners,
    recognise_platform,
)
from referee.corpora.natives.logs import LOG_FORMATS, LogAnswer, list_lmms_measures, read_log
from referee.corpora.natives.material import Declared, NativeData, format_id
from referee.corpora.natives.texts import STDIN, read_texts
from referee.corpora.outputs import iterate_row_outputs, read_outputs
from referee.corpora.reading.lines import open_binary
from referee.corpora.reading.tables import TABLE_ENDINGS, Table, read_column_names, read_json, read_table
from referee.errors import InputError, MalformedInput, UnknownTrial
from referee.files import drop_endings, expand_path
from referee.records import Trial

TABLES = ("jsonl", "csv")
IMPORT_FORMATS = (*LOG_FORMATS, *TABLES)
PICKLES = (".pkl", ".pickle", ".npy", ".npz", ".pt")
# Formats whose fields were taken from the source of the program, not from a file that it wrote.
UNTRIED = ("internvl", "finecops-ref", "openai-batch", "anthropic-batch")
# What a format is recognised by, for `referee evaluate --explain`.
SIGNS = {
    "text": "lines without a header, with references of as many lines",
    "run": "the manifest of a run folder",
    "outputs": "a column trial beside places",
    "inspect": "header.json and samples/ in the archive, or the fields eval, plan and samples",
    "lm-eval": "the fields doc, filter and filtered_resps",
    "lmms-eval": "the field filtered_resps beside measures with objects, or without doc",
    "evalscope": "the fields index and sample_score",
    "vlmevalkit": "the columns index and prediction beside question, answer, category or bbox",
    "internvl": "the fields answer, gt_bbox and hw",
    "screenspot-pro": "the fields details and metrics",
    "ref-adv": "the fields pred_box_xyxy_first and gt_bbox_xyxy",
    "finecops-ref": "the fields image_id, text and sum_log_prob",
    "clembench": "interactions.json with players and turns",
    "qualtrics": "ImportId in the third row",
    "mturk": "the columns HITId, AssignmentId and WorkerId",
    "gorilla": "the columns Event Index and Participant Private ID",
    "jspsych": "the fields trial_type, trial_index and time_elapsed",
    "empirica": "the columns _id, gameId and data.…, or …LastChangedAt",
    "psychopy": "the column psychopyVersion, or expName and frameRate",
    "openai-batch": "the fields custom_id and response",
    "anthropic-batch": "the fields custom_id and result",
    "magpie": "the columns submission_id and experiment_…",
    "otree": "the columns participant.code and APP.ROUND.player.FIELD or subsession.round_number",
}
USUAL = {
    "table": "usual names of columns, or those of --map",
    "listeners": "columns that say which item was answered and whether it was right",
    "places": "a box or point of a model beside a gold box",
}
# Formats whose files lie in a folder with the model's name, one for each task.
IN_FOLDERS = ("lm-eval", "lmms-eval", "evalscope")
_UNKNOWN = "use one of the formats of `referee docs evaluate`, or a table with a header"


def recognise_format(path: Path) -> str:
    """Return the format of a file or folder for `referee import`: a log format, ``clembench``, ``csv`` or ``jsonl``.

    Raises:
        InputError: if the format is unknown.
    """
    name = path.name.lower()
    format = None
    if path.is_dir():
        format = "clembench" if any(path.rglob("interactions.json")) else None
    elif name.endswith(TABLE_ENDINGS) or path.suffix == ".eval":
        format = _recognise_log(path)
        if format is None and path.suffix in (".jsonl", ".ndjson"):
            format = "jsonl"
        elif format is None and path.suffix != ".json":
            format = "csv"
    if format is None:
        raise InputError(
            "this format is unknown",
            where=path,
            remedy=f"name it with --format ({', '.join(IMPORT_FORMATS)}), or write JSONL with a trial and a text on every line",
        )
    return format


def _recognise_log(path: Path, sheet: str | None = None) -> str | None:
    """Return the format of a log; None for another file. Raises InputError for files that have no single answers."""
    if path.suffix == ".eval" or (
        zipfile.is_zipfile(path) and path.suffix == ".zip" and "header.json" in zipfile.ZipFile(path).namelist()
    ):
        return "inspect"
    name = path.name.lower()
    if name.endswith((".json", ".json.gz")):
        value = read_json(path)
        if isinstance(value, dict):
            return _recognise_object(value, path)
        first = value[0] if isinstance(value, list) and value else None
        return _recognise_row(first) if isinstance(first, dict) else None
    if name.endswith((".jsonl", ".ndjson", ".jsonl.gz")):
        first = _parse_first_line(path)
        return _recognise_row(first) if isinstance(first, dict) else None
    if name.endswith(TABLE_ENDINGS):
        columns = read_column_names(path, sheet)
        _refuse_aggregates(columns, path)
        return _recognise_row(dict.fromkeys(columns))
    return None


def _parse_first_line(path: Path) -> Any:
    """Return the first line as JSON; None if it does not parse."""
    with open_binary(path) as file:
        line = next((line for line in file if line.strip()), b"null")
    try:
        return json.loads(line.decode("utf-8-sig"))
    except ValueError:
        return None


def _recognise_object(value: Mapping[str, Any], path: Path) -> str | None:
    """Return the log format of a JSON object; None if it has none."""
    if "eval" in value and {"samples", "plan", "status"} & value.keys():
        if not value.get("samples"):
            raise InputError("this inspect_ai log has no samples", where=path, remedy="name the log with its samples")
        return "inspect"
    if "details" in value and "metrics" in value and isinstance(value["details"], list):
        return "screenspot-pro"
    if isinstance(value.get("logs"), list):
        return "lmms-eval"
    if {"players", "turns"} <= value.keys():
        raise InputError("this is one episode of clembench", where=path, remedy="name the folder of the game's results")
    is_aggregate = {"results", "configs"} <= value.keys() or "episode scores" in value
    numbers = [isinstance(part, int | float) for part in value.values()]
    if is_aggregate or (numbers and all(numbers)):
        raise InputError(
            "this file has aggregate scores and no answers", where=path, remedy="name the file with the answers"
        )
    return None


def _recognise_row(row: Mapping[str, Any]) -> str | None:
    """Return the log format of a line; None if it has none."""
    names = row.keys()
    if {"filtered_resps", "resps"} & names:
        # Releases of lmms-eval before 0.4 log the document as well.
        return "lm-eval" if "doc" in names and not list_lmms_measures(row) else "lmms-eval"
    if "custom_id" in names and {"response", "result"} & names:
        return "openai-batch" if "response" in names else "anthropic-batch"
    if "index" in names and {"sample_score", "model_output"} & names:
        return "evalscope"
    if {"answer", "gt_bbox", "hw"} <= names:
        return "internvl"
    if {"pred_box_xyxy_first", "gt_bbox_xyxy"} <= names:
        return "ref-adv"
    if {"image_id", "text", "sum_log_prob"} <= names:
        return "finecops-ref"
    if {"index", "prediction"} <= names and any(
        n in ("question", "answer", "category") or n.startswith("bbox") for n in names
    ):
        return "vlmevalkit"
    return None


def _refuse_aggregates(columns: set[str], path: object) -> None:
    """Raise InputError for tables of aggregate scores or page times, and for results files of PCIbex."""
    if any(name.startswith("# Results on") for name in columns):
        raise InputError(
            "this is a results file of PCIbex, whose columns are named in comments",
            where=path,
            remedy="save it as a table with a header: participant, item, system, chosen and target (or correct)",
        )
    aggregates = ({"Split", "Precision@1"}, {"Average IoU", "Samples"})
    if any(names <= columns for names in aggregates):
        raise InputError(
            "this table has aggregate scores and no answers", where=path, remedy="name the file with the predictions"
        )
    if {"page_index", "epoch_time_completed"} <= columns or {"page_name", "epoch_time"} <= columns:
        raise InputError(
            "this is oTree's table of page times, which holds no answers",
            where=path,
            remedy="export all apps, or one app",
        )


# -- answers for import ----------------------------------------------------------------------------------------------------------


def read_answers(path: Path, format: str, declared: Declared) -> Iterator[LogAnswer]:
    """Yield the raw answers of a log or a table, for a corpus that the user names."""
    if format in LOG_FORMATS:
        return read_log(path, format, declared.columns)
    if format not in TABLES:
        raise InputError(f"there is no format {format!r}", remedy=f"one of {', '.join([*IMPORT_FORMATS, 'clembench'])}")
    return _convert_table(read_table(path), declared)


def _convert_table(table: Table, declared: Declared) -> Iterator[LogAnswer]:
    """Yield the answers of a table as those of a log."""
    columns = dict(declared.columns)
    name = columns.get("system")
    if name is not None and name not in table.columns:
        del columns["system"]  # the name of the one system
    roles = {role: find_column(table, role, Declared(columns=columns)) for role in ("trial", "text", "system")}
    if name is not None and "system" not in columns and roles["system"] is not None:
        several = set(map(format_id, table.column(roles["system"])))
        if len(several) > 1:
            raise table.make_error(
                f"the table has {len(several)} systems in {roles['system']!r}, and all were to be called {name!r}",
                f"leave --system out, or --map system={roles['system']}",
            )
        roles["system"] = None
    for role in ("trial", "text"):
        if roles[role] is None:
            raise table.make_error(
                f"no column is recognised as the {role}",
                f"name it: --map {role}=COLUMN (columns are {', '.join(table.columns[:8])})",
            )
    for line, row in zip(table.lines, table.rows, strict=True):
        cells = {role: row.get(column) for role, column in roles.items() if column is not None}
        missing = next((role for role in ("trial", "text") if format_id(cells[role]) is None), None)
        if missing is not None:
            raise table.make_error(f"this row has no {missing}", f"fill the cell {roles[missing]!r} in", line)
        shown = row.get("places") or ()
        default = name if roles["system"] is None else None
        yield LogAnswer(
            trial=format_id(cells["trial"]) or "",
            model=format_id(cells.get("system")) or default or drop_endings(table.source),
            content=str(cells["text"]),
            where=table.source,
            line=line,
            shown=tuple(shown.split() if isinstance(shown, str) else map(str, shown)),
            system=row.get("of"),
        )


# -- material for evaluate -------------------------------------------------------------------------------------------------------


def read_material(
    sources: Sequence[str | Path],
    references: Sequence[str | Path] = (),
    scenes: Mapping[str, Trial] | None = None,
    declared: Declared | None = None,
) -> NativeData:
    """Return the data of files, folders, archives and patterns, all of one format.

    Args:
        sources: the files; ``-`` is standard input.
        references: files of references, for plain text.
        scenes: trials with their scenes, by id.
        declared: the user's declarations about the files.

    Raises:
        InputError: if a format is unknown, ambiguous, or differs between files.
    """
    declared = declared or Declared()
    with ExitStack() as stack:
        files = [file for source in sources for file in _expand_source(source, stack)]
        material = _read_files(files, sources, references, scenes, declared)
        if references and material.kind != "text":
            _add_references(material, references, declared)
        material.finish(declared.systems)
    if not material.is_tried:
        material.notes.append(
            f"The reader of {material.format} was not tried with a file of that program: check the mapping above."
        )
    return material


def _add_references(material: NativeData, references: Sequence[str | Path], declared: Declared) -> None:
    """Add the references of further files. Raises InputError for data without descriptions."""
    if material.kind not in ("table", "log") or not material.outputs:
        raise InputError(
            f"references are for descriptions, but this is {material.format} ({material.kind})",
            where=references[0],
            remedy="leave --references out",
        )
    add_references(material, references, declared)


def _expand_source(source: str | Path, stack: ExitStack) -> list[Path]:
    """Yield the files of a source; an archive is unpacked into a temporary folder."""
    if str(source) == STDIN:
        return [Path(STDIN)]
    path = Path(source)
    # An empty name would be the current folder.
    if not str(source) or not path.exists():
        matches = [Path(file) for file in expand_path(source)] if any(c in str(source) for c in "*?[") else []
        if not matches:
            raise InputError(
                "there is no such file", where=source, remedy="name a file, a folder, a zip or a pattern in quotes"
            )
        return [file for match in matches for file in _expand_source(match, stack)]
    if _is_archive(path):
        path = stack.enter_context(_open_archive(path))
    if not path.is_dir():
        return [path]
    return [
        part for file in _list_files(path) for part in (_expand_source(file, stack) if _is_archive(file) else [file])
    ]


def _is_archive(path: Path) -> bool:
    """Return whether a file is a zip of files, and not a log of inspect_ai."""
    is_zip = path.suffix.lower() == ".zip" and path.is_file() and zipfile.is_zipfile(path)
    return is_zip and "header.json" not in zipfile.ZipFile(path).namelist()


@contextmanager
def _open_archive(path: Path) -> Iterator[Path]:
    """Unpack an archive into a temporary folder, while messages name the archive."""
    with tempfile.TemporaryDirectory(prefix="referee-") as place:
        # Named as the archive, for a model whose files lie at its top.
        folder = Path(place) / path.stem
        _unpack(path, folder)
        try:
            yield folder
        except InputError as error:
            error.rename_place(str(folder), str(path))
            raise


def _unpack(path: Path, folder: Path) -> None:
    """Unpack the plain files of an archive. Raises InputError for names that lead out of the folder."""
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            target = (folder / info.filename).resolve()
            if folder.resolve() not in target.parents:
                raise InputError(
                    f"the archive names {info.filename!r} outside itself", where=path, remedy="pack it again"
                )
            if not info.is_dir():
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(info) as packed, target.open("wb") as file:
                    shutil.copyfileobj(packed, file)


def _check_episodes(folder: Path, files: Sequence[Path]) -> None:
    """Raise InputError for tables among the episodes of clembench which its programs do not write."""
    others = [p for p in files if p.name.lower().endswith((*TABLE_ENDINGS, ".eval")) and p.suffix != ".json"]
    other = next((p for p in others if not p.stem.startswith(("results", "raw"))), None)
    if other is not None:
        raise InputError(
            f"the folder holds episodes of clembench and another table ({other.name})",
            where=folder,
            remedy="name the folder of the game's results, or the table",
        )


_NOT_DATA = ("readme", "license", "licence", "changelog")


def _list_files(folder: Path) -> list[Path]:
    """Return the files of a folder that may have answers.

    A folder of clembench's episodes counts as one file.
    """
    files = [
        p
        for p in folder.rglob("*")
        if p.is_file() and not any(part.startswith((".", "__")) for part in p.relative_to(folder).parts)
    ]
    if any(p.name == "interactions.json" for p in files):
        _check_episodes(folder, files)
        return [folder]
    # A run of evalscope holds its answers twice, once with the gold answers.
    if any("reviews" in p.relative_to(folder).parts[:-1] for p in files):
        files = [p for p in files if "reviews" in p.relative_to(folder).parts]
    endings = (*TABLE_ENDINGS, ".eval", ".txt", ".zip")
    chosen = sorted(p for p in files if p.name.lower().endswith(endings) and p.stem.lower() not in _NOT_DATA)
    if not chosen:
        raise InputError(
            "the folder holds no file that can be read", where=folder, remedy=f"endings are {', '.join(endings)}"
        )
    return chosen


def _read_files(
    files: Sequence[Path],
    sources: Sequence[str | Path],
    references: Sequence[str | Path],
    scenes: Mapping[str, Trial] | None,
    declared: Declared,
) -> NativeData:
    """Return the data of files of one format."""
    for file in files:
        if file.suffix.lower() in PICKLES:
            raise InputError(
                "pickled files can run programs and are not read", where=file, remedy="save it as JSON, CSV or Parquet"
            )
    if all(_is_text(file, bool(references)) for file in files):
        return read_texts(files, references, declared)
    if len(files) > 1 and _is_empirica_export(files):
        tables = {file.name: read_table(file) for file in files if file.name.lower().endswith(TABLE_ENDINGS)}
        return read_listeners(join_empirica(tables), declared, next(p for p in PLATFORMS if p.name == "empirica"))
    whole: NativeData | None = None
    skipped: list[str] = []
    of_model: dict[Path, Path] = {}
    # Files of one name in several folders are called after their folders.
    counts = Counter(file.name for file in files)
    repeated = {name for name, count in counts.items() if count > 1}
    for file in files:
        try:
            folder = file.parent.name if file.name in repeated else None
            material = _read_file(file, scenes, replace(declared, default_system=folder))
        except InputError as error:
            # Harnesses write their aggregates beside the answers.
            if len(files) > len(sources) and "aggregate" in error.problem:
                skipped.append(file.name)
                continue
            raise
        other = of_model.setdefault(file.parent, file) if material.format in IN_FOLDERS else file
        if other != file:
            raise InputError(
                f"the folder of one model holds logs of several tasks or runs ({other.name}, {file.name})",
                where=file.parent,
                remedy=f"name one file of each model, such as {other.name}",
            )
        if whole is None:
            whole = material
        else:
            whole.join(material, file)
    if whole is None:
        raise InputError("all files have aggregate scores", where=files[0], remedy="name files with answers")
    if len(files) > 1:
        _pool_participants(whole, files[0].parent.name or "listeners")
    if skipped:
        whole.notes.append(f"Files with aggregate scores are left out: {', '.join(skipped)}.")
    return whole


def _pool_participants(material: NativeData, name: str) -> None:
    """Give the answers of several files one system if every file holds one participant's answers, not those of a system."""
    has_files_of_people = "participant" in material.mapping or any(p.name == material.format for p in PLATFORMS)
    if material.kind != "listeners" or "system" in material.mapping or not has_files_of_people:
        return
    pairs = {(r.system, r.hearer) for r in material.responses}
    if len(pairs) > len({system for system, _ in pairs}) or len(pairs) > len({hearer for _, hearer in pairs}):
        return
    material.responses = [replace(r, system=name) for r in material.responses]
    material.notes.append(
        f"Every file holds the answers of one participant, so they count as answers about one system ({name}). "
        "If a column names the system, declare it: --map system=COLUMN."
    )


def _is_text(file: Path, has_references: bool) -> bool:
    """Return whether a file is plain text, by its name."""
    name = file.name.lower()
    if str(file) == STDIN or name.endswith((".txt", ".txt.gz", ".hyp", ".out", ".pred")):
        return not _is_jatos(file)
    return has_references and not file.is_dir() and not name.endswith((*TABLE_ENDINGS, ".eval", ".zip", ".xml"))


def _is_jatos(file: Path) -> bool:
    """Return whether a text file holds a list of objects a line, as JATOS exports them."""
    if not file.name.lower().endswith(".txt"):
        return False
    first = _parse_first_line(file)
    return isinstance(first, list) and bool(first) and all(isinstance(part, dict) for part in first)


def _is_empirica_export(files: Sequence[Path]) -> bool:
    stems = {simplify_name(file.stem) for file in files}
    return bool(stems & {"playerrounds", "playerstages"})


def _read_file(file: Path, scenes: Mapping[str, Trial] | None, declared: Declared) -> NativeData:
    """Return the data of one file."""
    # The parser of answers is imported for logs only: its patterns take a tenth of a second.
    from referee.corpora.natives.harness_material import convert_answers, convert_episodes

    if file.is_dir():
        return convert_episodes(file, declared.columns.get("system"))
    format = declared.format if declared.format in LOG_FORMATS else _recognise_log(file, declared.column("sheet"))
    if format is not None:
        material = convert_answers(read_log(file, format, declared.columns), format, declared)
        material.is_tried = format not in UNTRIED
        if scenes and set(material.trials) <= set(scenes):
            material.trials = {name: scenes[name] for name in material.trials}
        return material
    if not file.name.lower().endswith(TABLE_ENDINGS) and not _is_jatos(file):
        if file.suffix.lower() == ".zip":
            raise MalformedInput("this zip archive is damaged or incomplete", where=file, remedy="copy the file again")
        raise InputError("this format is unknown", where=file, remedy=_UNKNOWN)
    return convert_table(read_table(file, declared.column("sheet")), scenes, declared, file)


def convert_table(
    table: Table, scenes: Mapping[str, Trial] | None, declared: Declared, file: Path | None = None
) -> NativeData:
    """Return the data of a table: answers of listeners, outputs in this package's form, or descriptions."""
    platform = recognise_platform(table)
    if platform is not None:
        return read_listeners(table, declared, platform)
    _refuse_raw_survey(table)
    if "trial" in table.columns and _has_places(table):
        return _convert_outputs(table, scenes, file)
    table = unnest_rows(table)
    boxes = lengthen_boxes(table, declared)
    if has_boxes(boxes, declared):
        from referee.corpora.natives.harness_material import convert_answers

        mapping: dict[str, str] = {}
        chosen = declared if boxes is table else replace(declared, systems=())
        material = convert_answers(iterate_box_answers(boxes, chosen, mapping), get_format(table.source), chosen)
        material.mapping.update(mapping)
        return material
    long = lengthen_systems(table, declared)
    if has_listeners(long, declared):
        by_column = replace(declared, systems=(), columns={**declared.columns, "system": SYSTEM})
        return read_listeners(long, declared if long is table else by_column)
    _refuse_gold(table)
    if scenes is None:
        scenes = read_scenes_of_rows(table, declared)
    material = read_descriptions(table, declared, scenes is not None)
    if scenes is not None:
        attach_scenes(material, scenes, table.source)
    return material


def _refuse_gold(table: Table) -> None:
    """Raise InputError for a table of gold boxes without answers."""
    columns = {simplify_name(c) for c in table.columns}
    is_gold = bool(columns & {"bbox", "boxcoordinates"}) and bool(
        columns & {"instruction", "sent", "segmentation", "iscrowd"}
    )
    if is_gold and not columns & {"prediction", "pred", "output", "response"}:
        raise table.make_error("this table has gold boxes and no answers", "name the file with a model's answers")


def _has_places(table: Table) -> bool:
    """Return whether outputs in this package's form have coordinates.

    A list of ids in `places` is the order of a display.
    """
    if {"box", "point", "polygon", "mask"} & set(table.columns):
        return True
    return any(isinstance(cell, list) and cell and isinstance(cell[0], dict) for cell in table.column("places"))


def _refuse_raw_survey(table: Table) -> None:
    """Raise InputError for a Qualtrics export with missing header rows."""
    if {"ResponseId", "RecordedDate"} <= set(table.columns):
        raise table.make_error(
            "this is a Qualtrics export without its second and third header row",
            "export it again and keep all three header rows",
        )


def _convert_outputs(table: Table, scenes: Mapping[str, Trial] | None, file: Path | None) -> NativeData:
    """Return the data of outputs in this package's form (`referee docs score`)."""
    if scenes is None:
        raise table.make_error("the gold regions are missing", "name the corpus: --scenes CORPUS or FILE")
    notes: list[str] = []
    outputs = list(read_outputs(file) if file is not None else iterate_row_outputs(table.rows))
    unknown = next((o for o in outputs if o.trial not in scenes), None)
    if unknown is not None:
        raise UnknownTrial(
            f"trial {unknown.trial!r} is not in the corpus",
            where=unknown.where,
            line=unknown.line,
            remedy="check --scenes",
        )
    trials = {o.trial: scenes[o.trial] for o in outputs}
    return NativeData("places", "outputs", {"trial": "trial", "system": "system"}, trials, outputs, notes=notes)
