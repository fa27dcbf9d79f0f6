"""Logs of evaluation harnesses.

Inspect_ai, lm-eval, lmms-eval, VLMEvalKit, evalscope, clembench, and scripts for grounding.

Each reader yields the raw answers with their items; `referee.corpora.natives.harness_material` parses them as the answers of our own models are parsed.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from string import ascii_uppercase
from typing import Any, TypeVar

from referee.corpora.natives.described import parse_texts
from referee.corpora.natives.material import format_id, parse_number
from referee.corpora.reading.tables import Table, is_missing, read_json, read_table
from referee.errors import InputError, MalformedInput, RefereeError, naming_extra
from referee.files import drop_endings
from referee.geometry import Box, Convention, Order, Point, Size, Unit
from referee.grounding.pictures import size_of_content
from referee.models.answers.place_outcomes import PlaceAnswer, place_answer_of
from referee.records import Outcome

ZSTD = 93
TRIAL_FIELDS = ("trial", "trial_id", "id", "item", "item_id", "question_id", "doc_id")
SHARES = Convention(Unit.SHARE, Order.XYXY)
UNIT_SQUARE = Size(1, 1)
"""The size used for a picture whose coordinates are proportions of an unknown size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogAnswer:
    """One model answer in a log.

    Args:
        trial: the id of the item.
        model: the answering model.
        content: the raw words; None if the harness failed.
        where: the file.
        line: the line or row in it.
        shown: for a choice, ids of the entities in the order shown.
        system: for a choice, the system whose description was read.
        references: correct texts of the item.
        options: for multiple choice, the number of options, and the number of the right one from 1.
        labels: for multiple choice, the letters of the options; none if they had numbers.
        gold: the target region.
        is_absent: whether the item is about coordinates and has no target.
        size: of the picture.
        parsed: an answer that the log has only in parsed form.
        scene: a label that dependent items share.
        convention: of the coordinates in the answer, where the log declares it.
    """

    trial: str
    model: str
    content: str | None
    where: str
    line: int | None = None
    shown: tuple[str, ...] = ()
    system: str | None = None
    references: tuple[str, ...] = ()
    options: tuple[int, int] | None = None
    labels: tuple[str, ...] = ()
    gold: Box | None = None
    is_absent: bool = False
    size: Size | None = None
    parsed: PlaceAnswer | None = None
    scene: str | None = None
    convention: str | None = None


LogReader = Callable[[Path, Mapping[str, str]], Iterator[LogAnswer]]


# -- inspect_ai ------------------------------------------------------------------------------------------------------------


def _read_inspect(path: Path, columns: Mapping[str, str]) -> Iterator[LogAnswer]:
    """Yield the answers of an inspect_ai log."""
    head, samples = _read_inspect_zip(path) if zipfile.is_zipfile(path) else _read_inspect_json(path)
    model = columns.get("system") or str(head.get("eval", {}).get("model", "inspect"))
    unfinished = dict.fromkeys(map(str, (head.get("eval", {}).get("dataset") or {}).get("sample_ids") or ()))
    for sample in samples:
        unfinished.pop(str(sample["id"]), None)
        metadata = sample.get("metadata") or {}
        content = _get_completion(sample)
        # Several epochs are several samples of one speaker.
        epoch = int(sample.get("epoch") or 1)
        yield LogAnswer(
            trial=str(metadata.get(columns.get("trial", "trial"), sample["id"])),
            model=model if epoch == 1 else f"{model}#{epoch}",
            content=content,
            where=str(path),
            shown=tuple(map(str, metadata.get("places") or ())),
            system=metadata.get("system"),
            **(
                _get_inspect_box(metadata, head, columns, path)
                or _get_target(sample.get("target"), sample.get("choices"))
            ),
        )
    # A run that was broken off lacks samples.
    for name in unfinished:
        yield LogAnswer(trial=name, model=model, content=None, where=str(path))


def _get_inspect_box(
    metadata: Mapping[str, Any], head: Mapping[str, Any], columns: Mapping[str, str], path: Path
) -> dict[str, Any] | None:
    """Return the gold box in a sample's metadata in the convention of its scorer or of the user; None without either."""
    scorers = [s for s in head.get("eval", {}).get("scorers") or () if str(s.get("name")).endswith("grounding")]
    options = (scorers[0].get("options") or {}) if scorers else {}
    if "bbox" not in metadata or not (scorers or "gold" in columns):
        return None
    gold = f"pixels {columns['gold']}" if "gold" in columns else str(options.get("gold") or "pixels xyxy")
    size = metadata.get("image_size")
    return {
        "gold": Box(_parse_four(metadata["bbox"], "bbox", path, None), Convention.of(gold)),
        "size": Size(int(size[0]), int(size[1])) if isinstance(size, list) and len(size) == 2 else None,
        "convention": options.get("convention"),
    }


def _get_target(target: Any, choices: Any) -> dict[str, Any]:
    """Return the target of a sample: the letter of a choice, or the correct texts."""
    if isinstance(target, list) and len(target) == 1:
        target = target[0]
    if isinstance(choices, list) and re.fullmatch(r"[A-Z]", str(target)) and ord(str(target)) - ord("A") < len(choices):
        letters = tuple(chr(ord("A") + i) for i in range(len(choices)))
        return {"options": (len(choices), letters.index(str(target)) + 1), "labels": letters}
    return {"references": tuple(filter(None, parse_texts(target)))}


def _get_completion(sample: Mapping[str, Any]) -> str | None:
    """Return the words of the model; None for a sample that ended in an error."""
    choices = (sample.get("output") or {}).get("choices") or ()
    if not choices:
        return None
    content = choices[0]["message"]["content"]
    content = _join_content(content)
    # Long texts are stored apart, under their hash.
    stored = sample.get("attachments") or {}
    return re.sub(r"attachment://(\w+)", lambda match: str(stored.get(match[1], match[0])), content)


def _read_inspect_json(path: Path) -> tuple[Mapping[str, Any], Iterator[Mapping[str, Any]]]:
    """Return the header and the samples of a JSON log. Raises MalformedInput for another file."""
    data = read_json(path)
    if not isinstance(data, Mapping) or "samples" not in data:
        raise MalformedInput(
            "this is not an inspect_ai log with samples", where=path, remedy="name a log file that contains samples"
        )
    return data, iter(data["samples"] or ())


def _read_inspect_zip(path: Path) -> tuple[Mapping[str, Any], Iterator[Mapping[str, Any]]]:
    """Return the header and the samples of an .eval archive. Raises MalformedInput for an unfinished log."""
    archive = zipfile.ZipFile(path)
    names = archive.namelist()
    if "header.json" not in names:
        raise MalformedInput(
            "this log was not finished (no header.json)", where=path, remedy="finish the evaluation first"
        )
    samples = (json.loads(_read_member(archive, path, name)) for name in names if name.startswith("samples/"))
    return json.loads(_read_member(archive, path, "header.json")), samples


def _read_member(archive: zipfile.ZipFile, path: Path, name: str) -> bytes:
    """Return a file of the archive; newer logs are compressed with zstd, which zipfile supports from Python 3.14 on."""
    info = archive.getinfo(name)
    if info.compress_type != ZSTD:
        return archive.read(name)
    with naming_extra():
        import zstandard
    with path.open("rb") as file:
        # A local header has 30 bytes, then the name and an extra field, whose lengths are its last two numbers.
        file.seek(info.header_offset + 26)
        lengths = file.read(4)
        file.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), io.SEEK_CUR)
        packed = file.read(info.compress_size)
    unpacked: bytes = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    return unpacked


# -- lm-eval and lmms-eval -------------------------------------------------------------------------------------------------


def _read_harness(path: Path, columns: Mapping[str, str]) -> Iterator[LogAnswer]:
    """Yield the samples of lm-eval and lmms-eval, after their source (`save_results_samples` of the evaluation
    tracker).

    lm-eval 0.4.13 writes ``doc_id``, ``doc``, ``resps``, ``filtered_resps`` (a list for each request) and ``filter``,
    with a line for every filter of the task. lmms-eval 0.7.2 omits ``doc``, the lists if there is one request, and
    ``resps`` if it is equal; the gold answer is in the objects of its measures. Its earlier releases wrote one file
    with ``logs`` (its model `from_log` still reads it).
    """
    whole = read_json(path) if path.suffix == ".json" else None
    logs = whole.get("logs") if isinstance(whole, Mapping) else None
    table = Table.of(str(path), logs) if isinstance(logs, list) else read_table(path)
    model = columns.get("system") or _find_model_name(whole) or _get_model(path)
    documents = list(read_table(columns["documents"]).rows) if "documents" in columns else []
    first = columns.get("filter")
    written: dict[tuple[str, str], str] = {}
    for line, row in zip(table.lines, table.rows, strict=True):
        if not isinstance(row, Mapping):
            raise _make_sample_error(path, line)
        used = row.get("filter", first)
        first = first or used
        if used != first:
            if "filter" in columns:
                continue
            raise MalformedInput(
                f"the answers were filtered in several ways ({first}, {used})",
                where=path,
                line=line,
                remedy=f"choose one: --map filter={first}",
            )
        doc = _find_document(row, documents, path, line)
        gold = _get_lmms_gold(row, path, line)
        size = _get_size(doc) or _get_size(row) or _get_media_size(row)
        if gold and "gold" in gold and size is not None:
            gold["size"] = size
        if not doc and not gold and "trial" not in columns and not _has_text_target(row):
            raise MalformedInput(
                "the line does not name its trial",
                where=path,
                line=line,
                remedy="name the data set whose rows it counts: --documents FILE.jsonl (or --map trial=doc_id)",
            )
        for number, content in enumerate(_get_words(row, columns, path, line), 1):
            answer = LogAnswer(
                trial=_get_trial_id({**row, **doc}, columns, path, line),
                # Several answers to one request are several samples of one speaker.
                model=model if number == 1 else f"{model}#{number}",
                content=content,
                where=str(path),
                line=line,
                shown=tuple(map(str, doc.get("places") or ())),
                system=doc.get("system"),
                **(gold or _get_target(row.get("target"), doc.get("choices"))),
            )
            # Files are opened for appending, so a repeated run writes every line twice.
            if "doc" in row or written.get((answer.model, answer.trial)) != content:
                written[answer.model, answer.trial] = content
                yield answer


SIZE_FIELDS = "image_width and image_height, width and height, or image_size [width, height], of the sample or its doc"


def _get_size(fields: Mapping[str, Any]) -> Size | None:
    """Return the size of the picture in a document or a sample; None without one."""
    pairs = [(fields.get("image_width"), fields.get("image_height")), (fields.get("width"), fields.get("height"))]
    listed = fields.get("image_size")
    if isinstance(listed, (list, tuple)) and len(listed) == 2:
        pairs.append((listed[0], listed[1]))
    for pair in pairs:
        width, height = map(parse_number, pair)
        if width and height and min(width, height) >= 1:
            return Size(int(width), int(height))
    return None


def _get_media_size(row: Mapping[str, Any]) -> Size | None:
    """Return the size of the one picture that lmms-eval stores with a sample; None without it, or with several."""
    media = row.get("input_media")
    kind, _, content = str(media[0] if isinstance(media, list) and len(media) == 1 else "").partition(";base64,")
    return size_of_content(b64decode(content)) if kind.startswith("data:image/") else None


def _has_text_target(row: Mapping[str, Any]) -> bool:
    return "doc" in row and bool(row.get("target"))


def list_lmms_measures(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the objects that lmms-eval's measures log for a sample."""
    parts = [part for name, part in row.items() if name != "doc" and isinstance(part, Mapping)]
    return [part for part in parts if "pred" in part or ("correct" in part and "doc" not in row)]


def _get_lmms_gold(row: Mapping[str, Any], path: Path, line: int) -> dict[str, Any] | None:
    """Return the gold answer in lmms-eval's measures: a box, or texts.

    None for a log without such objects.
    """
    objects = list_lmms_measures(row)
    if not objects:
        return None
    metric = objects[0]
    if "bbox" in metric and not isinstance(metric.get("pred"), str):
        return _get_lmms_box(metric, path, line)
    if isinstance(metric.get("pred"), str):
        return {"references": _list_texts(metric), "scene": format_id(metric.get("ann_id"))}
    raise MalformedInput(
        "the log has no gold answer for this item",
        where=path,
        line=line,
        remedy="evaluate a task that logs the box (its measures hold 'bbox'), or score its answers against the data set",
    )


def _list_texts(metric: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the expressions of an item: the right answers of a task that describes, the request of one that locates."""
    texts = metric.get("answer", metric.get("instruction"))
    return tuple(str(t) for t in (texts if isinstance(texts, list) else [texts]) if t)


def _get_lmms_box(metric: Mapping[str, Any], path: Path, line: int) -> dict[str, Any]:
    """Return the gold box of a sample and the expression that asks for it."""
    numbers = _parse_four(metric["bbox"], "bbox", path, line)
    # The tasks of `refcoco_grounding` log pixels, all others shares of the picture.
    is_share = max(numbers) <= 1.0 and "pred_boxes" not in metric
    return {
        "gold": Box(numbers, SHARES if is_share else Convention()),
        "size": UNIT_SQUARE if is_share else None,
        "references": _list_texts(metric),
        "scene": format_id(metric.get("ann_id")),
    }


def _parse_four(value: Any, name: str, path: object, line: int | None) -> tuple[float, float, float, float]:
    """Return the four numbers of a cell, which may be written as text."""
    if isinstance(value, str):
        value = re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", value)
    numbers = [parse_number(n) for n in value] if isinstance(value, (list, tuple)) else []
    if len(numbers) != 4 or any(n is None for n in numbers):
        raise MalformedInput(f"{name!r} does not have four numbers", where=path, line=line, remedy="[x1, y1, x2, y2]")
    a, b, c, d = (float(n or 0.0) for n in numbers)
    return a, b, c, d


def _make_sample_error(path: Path, line: int) -> MalformedInput:
    """Return the error for a line that is no sample."""
    return MalformedInput(
        "this is not a sample of a harness", where=path, line=line, remedy="every line has doc_id and filtered_resps"
    )


def _find_document(row: Mapping[str, Any], documents: Sequence[Any], path: Path, line: int) -> Mapping[str, Any]:
    """Return the document of a sample: in the line itself, or the row of the data set with its number."""
    doc, number = row.get("doc"), row.get("doc_id")
    if isinstance(doc, Mapping):
        return doc
    if not documents:
        return {}
    if not isinstance(number, int) or not 0 <= number < len(documents) or not isinstance(documents[number], Mapping):
        raise MalformedInput(
            f"the data set has no row {number}", where=path, line=line, remedy="name the data set that was asked about"
        )
    document: Mapping[str, Any] = documents[number]
    return document


def _get_words(row: Mapping[str, Any], columns: Mapping[str, str], path: Path, line: int) -> list[str]:
    """Return the answers of one line: filtered ones, or with ``text=resps`` the raw words, which may be several."""
    names = [columns["text"]] if "text" in columns else ["filtered_resps", "resps"]
    responses = next((row[name] for name in names if row.get(name) is not None), None)
    requests = responses if isinstance(responses, list) else [responses]
    answers = requests[0] if len(requests) == 1 and isinstance(requests[0], list) else requests
    if any(_is_likelihood(part) for part in (requests, answers, *answers)):
        raise MalformedInput(
            "the log holds likelihoods, not answers in words",
            where=path,
            line=line,
            remedy="evaluate a task in which the model writes text (output_type: generate_until)",
        )
    if not answers or not all(isinstance(answer, str) for answer in answers):
        raise _make_sample_error(path, line)
    # lm-eval's filters write this where they match nothing.
    return ["" if answer == "[invalid]" else str(answer) for answer in answers]


def _is_likelihood(part: Any) -> bool:
    """Return whether this is a pair of a log probability and whether the text was the most likely one.

    The harnesses write both as text.
    """
    return isinstance(part, list) and len(part) == 2 and str(part[1]) in ("True", "False")


def _find_model_name(whole: Any) -> str | None:
    arguments = whole.get("args") if isinstance(whole, Mapping) else None
    return str(arguments["model"]) if isinstance(arguments, Mapping) and arguments.get("model") else None


def _get_model(path: Path) -> str:
    """Return the model's name, which both harnesses give to the folder of samples."""
    return path.resolve().parent.name.replace("__", "/") or path.stem


def _get_trial_id(row: Mapping[str, Any], columns: Mapping[str, str], path: Path, line: int) -> str:
    """Return the id of a row by the column map, or under one of its usual names."""
    names = [columns["trial"]] if "trial" in columns else TRIAL_FIELDS
    name = next((row[key] for key in names if row.get(key) is not None), None)
    if name is None:
        raise MalformedInput(
            f"there is no trial in it (looked for {', '.join(names)})",
            where=path,
            line=line,
            remedy=f"name its column: --map trial=COLUMN (columns are {', '.join(map(str, list(row)[:8]))})",
        )
    return str(name)


# -- batches of model providers --------------------------------------------------------------------------------------------


def _read_batch(path: Path, columns: Mapping[str, str]) -> Iterator[LogAnswer]:
    """Yield the results of a batch: a line a request, as OpenAI's and Anthropic's interfaces for batches write them."""
    table = read_table(path)
    for line, row in zip(table.lines, table.rows, strict=True):
        message = _get_batch_message(row) or {}
        yield LogAnswer(
            trial=_get_trial_id(row, {"trial": columns.get("trial", "custom_id")}, path, line),
            model=columns.get("system") or str(message.get("model") or drop_endings(path)),
            content=_join_content(message["content"]) if message else None,
            where=str(path),
            line=line,
        )


def _get_batch_message(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return model and content of the message in a batch's result; None if the request failed."""
    body = (row.get("response") or {}).get("body") or {}
    if body.get("choices"):
        return {"model": body.get("model"), "content": body["choices"][0]["message"].get("content")}
    if body.get("output"):
        messages = [part for part in body["output"] if part.get("type") == "message"]
        return {"model": body.get("model"), "content": messages[-1]["content"]} if messages else None
    message: Mapping[str, Any] | None = (row.get("result") or {}).get("message")
    return message


def _join_content(content: Any) -> str:
    """Return the text of a message: a text, or its parts with text."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return str(content or "")


# -- evalscope -------------------------------------------------------------------------------------------------------------

_SCORED = ("success", "fallback")


def _read_evalscope(path: Path, columns: Mapping[str, str]) -> Iterator[LogAnswer]:
    """Yield the answers of evalscope's reviews (`api/evaluator/cache.py`, `api/metric/scorer.py`)."""
    table = read_table(path)
    for line, row in zip(table.lines, table.rows, strict=True):
        if "sample_score" not in row:
            raise MalformedInput(
                "predictions alone have no gold answers",
                where=path,
                line=line,
                remedy="name the folder reviews/ of the same run",
            )
        result = row["sample_score"]
        score, metadata = result.get("score") or {}, result.get("sample_metadata") or {}
        number = int(result.get("generation_index") or 0)
        model = columns.get("system") or str(row.get("model") or path.resolve().parent.name)
        is_scored = score.get("status", "success") in _SCORED
        content = score.get("prediction") or score.get("extracted_prediction") or ""
        yield LogAnswer(
            trial=str(row["index"]),
            model=model if not number else f"{model}#{number + 1}",
            content=str(content) if is_scored else None,
            where=str(path),
            line=line,
            **_get_evalscope_target(row, metadata, path, line),
        )


def _get_evalscope_target(row: Mapping[str, Any], metadata: Mapping[str, Any], path: Path, line: int) -> dict[str, Any]:
    """Return the gold box of an evalscope sample, or its references. Raises MalformedInput for pixels."""
    # Release 1.14 writes a list of targets, earlier ones a text.
    listed = row.get("target")
    target = listed[0] if isinstance(listed, list) and len(listed) == 1 else listed
    scene = format_id(metadata.get("file_name"))
    if isinstance(target, str) and re.fullmatch(r"\s*\[[-\d.,\s]+\]\s*", target) and target.count(",") == 3:
        numbers, size = _parse_four(target, "target", path, line), metadata.get("image_size")
        picture_size = Size(int(size[0]), int(size[1])) if isinstance(size, list) and len(size) == 2 else None
        if max(numbers) > 1.0:
            raise MalformedInput(
                "the box of the target is not in proportions of the picture",
                where=path,
                line=line,
                remedy="name reviews whose target is [x1, y1, x2, y2] from 0 to 1",
            )
        return {"gold": Box(numbers, SHARES), "size": picture_size or UNIT_SQUARE, "scene": scene}
    return {**_get_target(target, None), "scene": scene}


# -- VLMEvalKit ------------------------------------------------------------------------------------------------------------

_CORNERS = ("bbox_x1", "bbox_y1", "bbox_x2", "bbox_y2")
_FAILED = "Failed to obtain answer"
# Orders of `bbox` in its GUI benchmarks (dataset/GUI/*.py), by the name of the file; -Pro before the plain name.
_GUI_ORDERS = (("screenspot_pro", Order.XYXY), ("osworld", Order.XYWH), ("screenspot", Order.XYWH))


def _read_vlmevalkit(path: Path, columns: Mapping[str, str]) -> Iterator[LogAnswer]:
    """Yield the answers of VLMEvalKit's tables (`inference.py`, `dataset/refcoco.py`, `dataset/GUI/`)."""
    table = read_table(path)
    model = columns.get("system") or _get_vlmevalkit_model(path, table)
    for line, row in zip(table.lines, table.rows, strict=True):
        content = None if is_missing(row.get("prediction")) else str(row["prediction"])
        yield LogAnswer(
            trial=str(format_id(row.get("index"))),
            model=model,
            content=None if content is None or _FAILED in content else content,
            where=str(path),
            line=line,
            **_get_vlmevalkit_gold(row, path, line, columns),
        )


def _get_vlmevalkit_model(path: Path, table: Table) -> str:
    """Return the model's name from the file name without the data set."""
    stem = drop_endings(path)
    names = {format_id(row.get("dataset")) for row in table.rows[:50]} | {
        format_id(row.get("split")) for row in table.rows[:50]
    }
    for name in sorted((n for n in names if n), key=len, reverse=True):
        for ending in (f"_{name}", f"_{name.split('_')[0]}"):
            if stem.endswith(ending):
                return stem.removesuffix(ending)
    match = re.match(r"(.+?)_(?:RefCOCO|ScreenSpot|OSWorld)", stem)
    return match[1] if match else stem


def _get_vlmevalkit_gold(row: Mapping[str, Any], path: Path, line: int, columns: Mapping[str, str]) -> dict[str, Any]:
    """Return the gold box of a VLMEvalKit row. Raises MalformedInput for contradictory units."""
    width, height = parse_number(row.get("width")), parse_number(row.get("height"))
    size = Size(int(width), int(height)) if width and height else None
    if all(name in row for name in _CORNERS):
        numbers = _parse_four([row[name] for name in _CORNERS], "bbox_x1 … bbox_y2", path, line)
        if size == UNIT_SQUARE and max(numbers) > 1.0:
            raise MalformedInput(
                "width and height are 1.0, but the boxes are pixels",
                where=path,
                line=line,
                remedy="fill in the pictures' sizes: without them answers cannot be put on the picture",
            )
        return {"gold": Box(numbers), "size": size}
    if "bbox" in row and not is_missing(row["bbox"]):
        stem = path.name.lower().replace("-", "_")
        order = columns.get("gold") or next((str(o) for name, o in _GUI_ORDERS if name in stem), None)
        if order is None:
            raise MalformedInput(
                "the order of the numbers in 'bbox' is not known",
                where=path,
                line=line,
                remedy="--map gold=xyxy or --map gold=xywh",
            )
        return {"gold": Box(_parse_four(row["bbox"], "bbox", path, line), Convention(order=Order(order))), "size": size}
    answer = row.get("answer")
    letters = tuple(takewhile(lambda letter: not is_missing(row.get(letter)), ascii_uppercase))
    if len(letters) > 1 and answer in letters:
        return {"options": (len(letters), letters.index(str(answer)) + 1), "labels": letters}
    return {"references": () if is_missing(answer) else (str(answer),)}


# -- scripts for grounding -------------------------------------------------------------------------------------------------


def _read_internvl(path: Path, columns: Mapping[str, str]) -> Iterator[LogAnswer]:
    """Yield the answers that InternVL's `eval/refcoco/evaluate_grounding.py` writes, as a list or one a line.

    Items are known by their position only.
    """
    model = columns.get("system") or drop_endings(path)
    for number, row in enumerate(read_table(path).rows, 1):
        height, width = (int(n) for n in row["hw"])
        numbers = _parse_four(row["gt_bbox"], "gt_bbox", path, number)
        if numbers[2] > width + 1 or numbers[3] > height + 1 or min(numbers) < -1:
            raise MalformedInput(
                f"the gold box {list(numbers)} of item {number} lies outside a picture of height {height} and width {width}",
                where=path,
                remedy="check 'hw': it is height, width",
            )
        content = str(row["answer"])
        # Special tokens are taken out of the answers of Qwen-VL.
        bare = re.fullmatch(r"\s*(\([^()]*\)\s*,\s*\([^()]*\))\s*", content)
        yield LogAnswer(
            trial=str(number),
            model=model,
            content=f"<box>{bare[1]}</box>" if bare else content,
            where=str(path),
            line=number,
            gold=Box(numbers),
            size=Size(width, height),
        )


def _read_screenspot_pro(path: Path, columns: Mapping[str, str]) -> Iterator[LogAnswer]:
    """Yield the answers of `eval_screenspot_pro.py`: points, and boxes in pixels of the original picture."""
    model = columns.get("system") or drop_endings(path)
    rows = read_json(path)["details"]
    if not rows:
        raise MalformedInput("the log has no rows", where=path, remedy="name a log with 'details'")
    for number, row in enumerate(rows, 1):
        is_absent = row.get("gt_type") == "negative"
        gold = None if is_absent else Box(_parse_four(row.get("bbox"), "bbox", path, number))
        if gold is not None and (gold.numbers[2] < gold.numbers[0] or gold.numbers[3] < gold.numbers[1]):
            raise MalformedInput(
                f"the box of {row.get('id')!r} ends before it begins, so its numbers are not xyxy",
                where=path,
                line=number,
                remedy="convert boxes from x, y, width, height first",
            )
        style = "-".join(
            str(row[key])
            for key in ("instruction_style", "lang")
            if row.get(key) not in (None, "", "instruction", "en")
        )
        yield LogAnswer(
            trial=f"{row['id']}-{style}" if style else str(row["id"]),
            model=model,
            content=str(row.get("raw_response") or ""),
            where=str(path),
            line=number,
            gold=gold,
            is_absent=is_absent,
            parsed=_get_screenspot_answer(row, is_absent),
            scene=Path(str(row.get("img_path") or "")).name or None,
        )


def _get_screenspot_answer(row: Mapping[str, Any], is_absent: bool) -> PlaceAnswer:
    """Return the answer of a ScreenSpot-Pro row."""
    pred = row.get("pred")
    if row.get("correctness") == "wrong_format":
        return PlaceAnswer(Outcome.UNPARSABLE)
    if isinstance(pred, list) and len(pred) == 2:
        return place_answer_of([Point((float(pred[0]), float(pred[1])))])
    # For items without a target only the verdict tells the answer.
    return PlaceAnswer(Outcome.NONE if is_absent and row.get("correctness") == "correct" else Outcome.UNPARSABLE)


def _read_ref_adv(path: Path, columns: Mapping[str, str]) -> Iterator[LogAnswer]:
    """Yield the predictions of Ref-Adv's `run.py`, in which both boxes are in pixels as x1, y1, x2, y2."""
    table = read_table(path)
    for line, row in zip(table.lines, table.rows, strict=True):
        pred = row.get("pred_box_xyxy_first") or []
        if len(pred) not in (0, 4):
            raise MalformedInput(
                "a box has neither 0 nor 4 numbers", where=path, line=line, remedy="check pred_box_xyxy_first"
            )
        error = row.get("parse_error") or ""
        outcome = Outcome.EMPTY if error == "empty_response" else Outcome.UNPARSABLE
        parsed = (
            place_answer_of([Box(_parse_four(pred, "pred_box_xyxy_first", path, line))])
            if pred
            else PlaceAnswer(outcome)
        )
        caption = row.get("normal_caption")
        yield LogAnswer(
            trial=str(row["row_idx"]),
            model=columns.get("system") or str(row.get("model_full_name") or drop_endings(path)),
            # The endpoint failed, not the model.
            content=None if error == "backend_error" else "",
            where=str(path),
            line=line,
            references=() if is_missing(caption) else (str(caption),),
            gold=Box(_parse_four(row["gt_bbox_xyxy"], "gt_bbox_xyxy", path, line)),
            parsed=parsed,
            scene=format_id(row.get("file_name")),
        )


def _read_finecops(path: Path, columns: Mapping[str, str]) -> Iterator[LogAnswer]:
    """Yield predictions for FineCops-Ref, with the boxes of its ``…_coco_format.json`` (``documents``)."""
    if "documents" not in columns:
        raise InputError(
            "predictions for FineCops-Ref have no gold boxes",
            where=path,
            remedy="name them: --scenes SET_coco_format.json",
        )
    gold = read_json(columns["documents"])
    boxes = {a["image_id"]: a["bbox"] for a in gold["annotations"]}
    images = {image["id"]: image for image in gold["images"]}
    table = read_table(path)
    for line, row in zip(table.lines, table.rows, strict=True):
        name = row["image_id"]
        if name not in images or name not in boxes:
            raise MalformedInput(
                f"image {name} has no gold box", where=path, line=line, remedy="name the gold file of the same set"
            )
        width, height = (row.get(key) or images[name].get(key) for key in ("width", "height"))
        yield LogAnswer(
            trial=str(name),
            model=columns.get("system") or drop_endings(path),
            content=str(row["text"]),
            where=str(path),
            line=line,
            gold=Box(_parse_four(boxes[name], "bbox", path, line), Convention(order=Order.XYWH)),
            size=Size(int(width), int(height)) if width and height else None,
            scene=format_id(images[name].get("file_name")),
        )


# -- clembench -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """An episode of a reference game.

    Its name, its instance, the models of player 1 and 2, their messages, and whose last one had the wrong form.
    """

    name: str
    instance: Mapping[str, Any]
    models: tuple[str, str]
    messages: tuple[tuple[str, str], ...]
    wrong_form: str | None = None


def _read_episodes(folder: Path) -> Iterator[Episode]:
    """Yield the episodes that clemcore 3.7.2 writes: a folder with `interactions.json` and `instance.json` each."""
    for path in sorted(folder.rglob("interactions.json")):
        log = read_json(path)
        players = log.get("players") or {}
        # Earlier releases wrote a text where there is an object now.
        entries = [players.get(f"Player {n}") for n in (1, 2)]
        models = [str(e.get("model_name", "")) if isinstance(e, Mapping) else "" for e in entries]
        messages = tuple(
            (str(event["from"]), str(event["action"]["content"]))
            for turn in log.get("turns", ())
            for event in turn
            if str(event.get("from", "")).startswith("Player") and event["action"].get("type") == "get message"
        )
        is_wrong = any(e["action"].get("type") == "invalid format" for turn in log.get("turns", ()) for e in turn)
        yield Episode(
            wrong_form=messages[-1][0] if is_wrong and messages else None,
            name="/".join(path.parent.parts[-3:]),
            instance=read_json(path.with_name("instance.json")),
            models=(models[0], models[1]),
            messages=messages,
        )


LOG_FORMATS: dict[str, LogReader] = {
    "inspect": _read_inspect,
    "lm-eval": _read_harness,
    "lmms-eval": _read_harness,
    "openai-batch": _read_batch,
    "anthropic-batch": _read_batch,
    "evalscope": _read_evalscope,
    "vlmevalkit": _read_vlmevalkit,
    "internvl": _read_internvl,
    "screenspot-pro": _read_screenspot_pro,
    "ref-adv": _read_ref_adv,
    "finecops-ref": _read_finecops,
}


Row = TypeVar("Row")


def read_log(path: Path, format: str, columns: Mapping[str, str]) -> Iterator[LogAnswer]:
    """Yield the answers of a log. Raises MalformedInput for a row of another form than the program writes."""
    return _refuse_other_rows(LOG_FORMATS[format](path, columns), format, path)


def read_episodes(folder: Path) -> Iterator[Episode]:
    """Yield the episodes of a folder. Raises MalformedInput for one of another form than clemcore writes."""
    return _refuse_other_rows(_read_episodes(folder), "clembench", folder)


def _refuse_other_rows(rows: Iterator[Row], format: str, path: Path) -> Iterator[Row]:
    """Yield rows. Raises MalformedInput where reading the next one fails."""
    count = 0
    try:
        for row in rows:
            yield row
            count += 1
    except RefereeError:
        raise
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise MalformedInput(
            f"after {count:,} answers a row is not as {format} writes it ({type(error).__name__}: {error})",
            where=path,
            remedy="name the file as the program wrote it",
        ) from error
