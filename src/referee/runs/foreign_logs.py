"""Answers that models gave elsewhere, read from the logs of those who asked: inspect_ai, lm-eval, lmms-eval, clembench, and plain tables.

Each reader gives the raw words with the trial they belong to; what they say is read as the words of our own models are.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.errors import InputError, MalformedInput, naming_extra

__all__ = ["FORMATS", "ForeignAnswer", "recognise"]

ZSTD = 93
TRIAL_FIELDS = ("trial", "trial_id", "id", "item", "item_id", "question_id", "doc_id")
TEXT_FIELDS = ("text", "description", "response", "output", "answer", "completion", "prediction")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignAnswer:
    """The words a model answered with; `places` are the ids of the entities as a hearer was shown them, in whose case it was asked to choose one.

    `of` is the system whose description the hearer read.
    """

    trial: str
    model: str
    content: str
    where: str
    line: int | None = None
    places: tuple[str, ...] = ()
    of: str | None = None


Reader = Callable[[Path, Mapping[str, str]], Iterator[ForeignAnswer]]


def recognise(path: Path) -> str:
    """The format of a file or folder by what is in it; what nobody here knows is refused."""
    if path.is_dir():
        found = "clembench" if any(path.rglob("interactions.json")) else None
    elif path.suffix == ".eval":
        found = "inspect"
    elif path.suffix in (".csv", ".tsv"):
        found = "csv"
    elif path.suffix == ".json":
        found = _of_json(_json(path))
    elif path.suffix in (".jsonl", ".ndjson"):
        found = _of_lines(path)
    else:
        found = None
    if found is None:
        raise InputError(
            "nobody here knows this format",
            where=path,
            remedy=f"name it with --format ({', '.join(FORMATS)}), or write JSONL with a trial and a text on every line",
        )
    return found


def _of_json(data: Any) -> str | None:
    if isinstance(data, Mapping) and "eval" in data and "samples" in data:
        return "inspect"
    return "lmms-eval" if isinstance(data, Mapping) and isinstance(data.get("logs"), list) else None


def _of_lines(path: Path) -> str | None:
    first = next((row for _, row in _lines(path)), None)
    if not isinstance(first, Mapping):
        return None
    return "lm-eval" if "filtered_resps" in first or "resps" in first else "jsonl"


# -- inspect_ai ------------------------------------------------------------------------------------------------------------


def _read_inspect(path: Path, columns: Mapping[str, str]) -> Iterator[ForeignAnswer]:
    head, samples = _inspect_zip(path) if zipfile.is_zipfile(path) else _inspect_json(path)
    model = columns.get("system") or str(head.get("eval", {}).get("model", "inspect"))
    for sample in samples:
        about = sample.get("metadata") or {}
        content = _completion(sample)
        if content is None:
            continue
        # Several epochs are several samples of one speaker.
        epoch = int(sample.get("epoch") or 1)
        yield ForeignAnswer(
            trial=str(about.get(columns.get("trial", "trial"), sample["id"])),
            model=model if epoch == 1 else f"{model}#{epoch}",
            content=content,
            where=str(path),
            places=tuple(map(str, about.get("places") or ())),
            of=about.get("system"),
        )


def _completion(sample: Mapping[str, Any]) -> str | None:
    """What the model said; a sample that ended in an error has nothing, and is no answer."""
    choices = (sample.get("output") or {}).get("choices") or ()
    if not choices:
        return None
    content = choices[0]["message"]["content"]
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content if part.get("type") == "text")


def _inspect_json(path: Path) -> tuple[Mapping[str, Any], Iterator[Mapping[str, Any]]]:
    data = _json(path)
    if not isinstance(data, Mapping) or "samples" not in data:
        raise MalformedInput("this is no inspect_ai log", where=path, remedy="name a log with its samples")
    return data, iter(data["samples"] or ())


def _inspect_zip(path: Path) -> tuple[Mapping[str, Any], Iterator[Mapping[str, Any]]]:
    archive = zipfile.ZipFile(path)
    names = archive.namelist()
    if "header.json" not in names:
        raise MalformedInput(
            "this log was not finished (no header.json)", where=path, remedy="finish the evaluation first"
        )
    samples = (json.loads(_member(archive, path, name)) for name in names if name.startswith("samples/"))
    return json.loads(_member(archive, path, "header.json")), samples


def _member(archive: zipfile.ZipFile, path: Path, name: str) -> bytes:
    """A file of the archive; newer logs are packed with zstd, which Python's zipfile learned in 3.14."""
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


# -- the harnesses ---------------------------------------------------------------------------------------------------------


def _read_harness(path: Path, columns: Mapping[str, str]) -> Iterator[ForeignAnswer]:
    """lm-eval's and lmms-eval's samples: a line has ``doc``, ``resps`` and ``filtered_resps`` (lmms-eval also wrote one file with ``logs``)."""
    rows = enumerate(_json(path)["logs"], 1) if path.suffix == ".json" else _lines(path)
    for line, row in rows:
        doc = row.get("doc") if isinstance(row, Mapping) else None
        said = _first(row.get("filtered_resps") or row.get("resps")) if isinstance(row, Mapping) else None
        if said is None:
            raise MalformedInput(
                "this is no sample of a harness", where=path, line=line, remedy="every line has doc and filtered_resps"
            )
        doc = doc if isinstance(doc, Mapping) else {}
        yield ForeignAnswer(
            trial=_trial({**row, **doc}, columns, path, line),
            model=columns.get("system") or _model_of(path),
            content=said,
            where=str(path),
            line=line,
            places=tuple(map(str, doc.get("places") or ())),
            of=doc.get("system"),
        )


def _first(given: Any) -> str | None:
    while isinstance(given, Sequence) and not isinstance(given, str):
        given = given[0] if given else None
    return given if isinstance(given, str) else None


def _model_of(path: Path) -> str:
    """Both harnesses put the samples into a folder with the model's name."""
    return path.parent.name.replace("__", "/") or path.stem


# -- clembench -------------------------------------------------------------------------------------------------------------


def read_episodes(folder: Path) -> Iterator[tuple[str, Mapping[str, Any], list[tuple[str, str]]]]:
    """Episodes of a reference game: the name of each, its instance, and who said what."""
    for path in sorted(folder.rglob("interactions.json")):
        instance = _json(path.with_name("instance.json"))
        said = [
            (str(event["from"]), str(event["action"]["content"]))
            for turn in _json(path).get("turns", ())
            for event in turn
            if str(event.get("from", "")).startswith("Player") and event["action"].get("type") == "get message"
        ]
        yield "/".join(path.parent.parts[-3:]), instance, said


# -- tables ----------------------------------------------------------------------------------------------------------------


def _read_jsonl(path: Path, columns: Mapping[str, str]) -> Iterator[ForeignAnswer]:
    for line, row in _lines(path):
        yield _of_row(row, columns, path, line)


def _read_csv(path: Path, columns: Mapping[str, str]) -> Iterator[ForeignAnswer]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in (reader := csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ",")):
            yield _of_row(row, columns, path, reader.line_num)


def _of_row(row: Any, columns: Mapping[str, str], path: Path, line: int) -> ForeignAnswer:
    if not isinstance(row, Mapping):
        raise MalformedInput("this is no object", where=path, line=line, remedy="one JSON object a line")
    text = _field(row, columns, "text", TEXT_FIELDS, path, line)
    named = columns.get("system", "system")
    system = row.get(named) or (columns.get("system") if named not in row else None) or row.get("model") or path.stem
    places = row.get("places") or ()
    return ForeignAnswer(
        trial=_trial(row, columns, path, line),
        model=str(system),
        content=str(text),
        where=str(path),
        line=line,
        places=tuple(places.split() if isinstance(places, str) else map(str, places)),
        of=row.get("of"),
    )


def _trial(row: Mapping[str, Any], columns: Mapping[str, str], path: Path, line: int) -> str:
    return str(_field(row, columns, "trial", TRIAL_FIELDS, path, line))


def _field(
    row: Mapping[str, Any], columns: Mapping[str, str], name: str, usual: Sequence[str], path: Path, line: int
) -> Any:
    """A field by the column map, or under one of its usual names."""
    wanted = [columns[name]] if name in columns else usual
    found = next((row[key] for key in wanted if row.get(key) is not None), None)
    if found is None:
        raise MalformedInput(
            f"there is no {name} in it (looked for {', '.join(wanted)})",
            where=path,
            line=line,
            remedy=f"say which column it is: --map {name}=COLUMN (there are {', '.join(map(str, list(row)[:8]))})",
        )
    return found


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise MalformedInput(f"this cannot be read as JSON ({error})", where=path, remedy="name a whole log") from None


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, json.loads(line)
    except (OSError, ValueError) as error:
        raise MalformedInput(f"this cannot be read ({error})", where=path, remedy="one JSON object a line") from None


FORMATS: dict[str, Reader] = {
    "inspect": _read_inspect,
    "lm-eval": _read_harness,
    "lmms-eval": _read_harness,
    "jsonl": _read_jsonl,
    "csv": _read_csv,
}
