"""Plain text: one segment a line, systems and references in files of the same length (as sacrebleu takes them)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from referee.corpora.natives.material import Declared, NativeData, make_trial
from referee.corpora.outputs import Output
from referee.corpora.reading.lines import open_binary
from referee.errors import InputError, MalformedInput
from referee.files import drop_endings
from referee.records import Description

STDIN = "-"


def read_segments(path: str | Path) -> list[str]:
    """Return the lines of a file without surrounding blanks, split at line feeds only."""
    with open_binary(str(path)) as file:
        raw = file.read()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise MalformedInput("this line is not UTF-8", where=path, line=line, remedy="save the file as UTF-8") from None
    if str(path) == STDIN:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    segments = text.split("\n")
    if segments and not segments[-1]:
        segments.pop()
    return [segment.rstrip() for segment in segments]


def name_systems(paths: Sequence[str | Path]) -> list[str]:
    """Return a name for each file: its stem, with the folder before it if two stems are equal."""
    stems = ["stdin" if str(p) == STDIN else drop_endings(p) for p in paths]
    folders = ["" if str(p) == STDIN else Path(p).resolve().parent.name for p in paths]
    names = [f"{f}/{s}" if stems.count(s) > 1 else s for s, f in zip(stems, folders, strict=True)]
    return [name if names.count(name) == 1 else str(path) for name, path in zip(names, paths, strict=True)]


def read_texts(paths: Sequence[str | Path], references: Sequence[str | Path], declared: Declared) -> NativeData:
    """Return the data of plain text files: outputs of one system each, and files of references.

    Raises:
        InputError: if files differ in length, or only some lines hold tabs.
    """
    if not references:
        raise InputError(
            "there is nothing to compare these lines with",
            where=paths[0],
            remedy="name the references: --references FILE … (the same number of lines)",
        )
    systems: dict[str, list[str]] = {}
    for name, path in zip(name_systems(paths), paths, strict=True):
        columns = _split_columns(path, read_segments(path))
        if len(columns) > 1 and str(path) != STDIN:
            raise InputError(
                "the lines have tabs, so this is a table",
                where=path,
                remedy="call it .tsv and give it a header, or send it through standard input (one system a column)",
            )
        for number, column in enumerate(columns, 1):
            systems[name if len(columns) == 1 else f"{name}-{number}"] = column
    columns = [column for path in references for column in _split_columns(path, read_segments(path))]
    lengths = {name: len(lines) for name, lines in systems.items()}
    for name, count in lengths.items():
        if count != len(columns[0]):
            raise InputError(
                f"{name} has {count:,} lines, {references[0]} has {len(columns[0]):,}",
                where=paths[0],
                remedy="give files of the same length; an empty line counts as an empty segment",
            )
    return convert_texts(systems, columns, declared, [str(p) for p in paths])


def convert_texts(
    systems: dict[str, list[str]], references: Sequence[Sequence[str]], declared: Declared, sources: Sequence[str] = ()
) -> NativeData:
    """Return the data of lists of segments: those of systems by name, and one list for each set of references."""
    count = len(next(iter(systems.values())))
    for other in (*systems.values(), *references):
        if len(other) != count:
            raise InputError(
                f"there are {count:,} outputs and {len(other):,} references or outputs of another system",
                remedy="give lists of the same length",
            )
    if not count:
        raise InputError(
            "there are no lines", where=sources[0] if sources else "", remedy="name a file that is not empty"
        )
    mapping = {"text": "the line", "trial": "the line's number", "references": f"{len(references)} a line"}
    material = NativeData("text", "text", mapping)
    if declared.systems:
        material.unchosen = systems.keys() - set(declared.systems)
        systems = {name: systems[name] for name in declared.systems if name in systems}
    for number in range(count):
        name = str(number + 1)
        texts = dict.fromkeys(column[number] for column in references)
        material.trials[name] = make_trial(name, texts, language=declared.language)
        for system, lines in systems.items():
            where = sources[0] if sources else "rows"
            material.outputs.append(Output(name, system, Description(text=lines[number]), where, number + 1))
    return material


def _split_columns(path: str | Path, segments: Sequence[str]) -> list[list[str]]:
    """Return the columns of tab-separated lines; one column if no line has a tab."""
    counts = {segment.count("\t") for segment in segments}
    if len(counts) > 1:
        line = next(i for i, s in enumerate(segments, 1) if s.count("\t") != segments[0].count("\t"))
        raise InputError(
            "lines differ in their number of tabs",
            where=path,
            line=line,
            remedy="give every line the same number of columns",
        )
    return [list(column) for column in zip(*(s.split("\t") for s in segments), strict=True)] if segments else [[]]
