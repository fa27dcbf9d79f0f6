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

__all__ = ["FORMATS", "Episode", "ForeignAnswer", "read_episodes", "recognise"]

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
    if "filtered_resps" in first or "resps" in first:
        return "lm-eval" if "doc" in first else "lmms-eval"
    return "jsonl"


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
    """Samples of lm-eval and lmms-eval, after their source (`save_results_samples` of the evaluation tracker).

    lm-eval 0.4.13 writes ``doc_id``, ``doc``, ``resps``, ``filtered_resps`` (a list for each request) and ``filter``, a line for every filter of the task.
    lmms-eval 0.7.2 leaves the ``doc`` out, takes the lists off where there is one request, and ``resps`` where it says the same; which document is meant is
    told by `doc_id` alone, so that the dataset has to be named. Its earlier releases wrote one file with ``logs`` (its model `from_log` still reads it).
    """
    whole = _json(path) if path.suffix == ".json" else None
    rows = _lines(path) if whole is None else enumerate(whole["logs"], 1)
    model = columns.get("system") or _named_in(whole) or _model_of(path)
    documents = [row for _, row in _lines(Path(columns["documents"]))] if "documents" in columns else []
    first = columns.get("filter")
    for line, row in rows:
        if not isinstance(row, Mapping):
            raise _no_sample(path, line)
        way = row.get("filter", first)
        first = first or way
        if way != first:
            if "filter" in columns:
                continue
            raise MalformedInput(
                f"the answers were filtered in several ways ({first}, {way})",
                where=path,
                line=line,
                remedy=f"choose one: --map filter={first}",
            )
        doc = _document(row, documents, path, line)
        if not doc and "trial" not in columns:
            raise MalformedInput(
                "the line does not say what was asked about",
                where=path,
                line=line,
                remedy="name the dataset whose rows it counts: --documents FILE.jsonl (or --map trial=doc_id)",
            )
        for number, said in enumerate(_words_of(row, columns, path, line), 1):
            yield ForeignAnswer(
                trial=_trial({**row, **doc}, columns, path, line),
                # Several answers to one request are several samples of one speaker.
                model=model if number == 1 else f"{model}#{number}",
                content=said,
                where=str(path),
                line=line,
                places=tuple(map(str, doc.get("places") or ())),
                of=doc.get("system"),
            )


def _no_sample(path: Path, line: int) -> MalformedInput:
    return MalformedInput(
        "this is no sample of a harness", where=path, line=line, remedy="every line has doc_id and filtered_resps"
    )


def _document(row: Mapping[str, Any], documents: Sequence[Any], path: Path, line: int) -> Mapping[str, Any]:
    """What was asked about: in the line itself, or the row of the dataset that it names by number."""
    doc, number = row.get("doc"), row.get("doc_id")
    if isinstance(doc, Mapping):
        return doc
    if not documents:
        return {}
    if not isinstance(number, int) or not 0 <= number < len(documents) or not isinstance(documents[number], Mapping):
        raise MalformedInput(
            f"the dataset has no row {number}", where=path, line=line, remedy="name the dataset that was asked about"
        )
    found: Mapping[str, Any] = documents[number]
    return found


def _words_of(row: Mapping[str, Any], columns: Mapping[str, str], path: Path, line: int) -> list[str]:
    """The answers of one line: what the task's filter left of them, or with ``text=resps`` the raw words, of which there may be several."""
    names = [columns["text"]] if "text" in columns else ["filtered_resps", "resps"]
    given = next((row[name] for name in names if row.get(name) is not None), None)
    requests = given if isinstance(given, list) else [given]
    answers = requests[0] if len(requests) == 1 and isinstance(requests[0], list) else requests
    if any(_is_likelihood(part) for part in (requests, answers, *answers)):
        raise MalformedInput(
            "this is a likelihood and no answer in words",
            where=path,
            line=line,
            remedy="import a task whose model writes (output_type: generate_until)",
        )
    if not answers or not all(isinstance(answer, str) for answer in answers):
        raise _no_sample(path, line)
    # What lm-eval's filters write where they found nothing.
    return ["" if answer == "[invalid]" else str(answer) for answer in answers]


def _is_likelihood(part: Any) -> bool:
    """A pair of a log probability and whether it was the likeliest; the harnesses write both as text."""
    return isinstance(part, list) and len(part) == 2 and str(part[1]) in ("True", "False")


def _named_in(whole: Any) -> str | None:
    about = whole.get("args") if isinstance(whole, Mapping) else None
    return str(about["model"]) if isinstance(about, Mapping) and about.get("model") else None


def _model_of(path: Path) -> str:
    """Both harnesses put the samples into a folder with the model's name."""
    return path.parent.name.replace("__", "/") or path.stem


# -- clembench -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """An episode of a reference game: its name, its instance, the models of player 1 and 2, and who said what."""

    name: str
    instance: Mapping[str, Any]
    models: tuple[str, str]
    said: tuple[tuple[str, str], ...]


def read_episodes(folder: Path) -> Iterator[Episode]:
    """Episodes as clemcore 3.7.2 leaves them: `interactions.json` and `instance.json` in a folder each."""
    for path in sorted(folder.rglob("interactions.json")):
        log = _json(path)
        players = log.get("players") or {}
        # Earlier releases wrote a text where there is an object now.
        about = [players.get(f"Player {n}") for n in (1, 2)]
        models = [str(a.get("model_name", "")) if isinstance(a, Mapping) else "" for a in about]
        said = tuple(
            (str(event["from"]), str(event["action"]["content"]))
            for turn in log.get("turns", ())
            for event in turn
            if str(event.get("from", "")).startswith("Player") and event["action"].get("type") == "get message"
        )
        yield Episode(
            name="/".join(path.parent.parts[-3:]),
            instance=_json(path.with_name("instance.json")),
            models=(models[0], models[1]),
            said=said,
        )


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
