"""`referee signature`: explains a signature, from its full text or from its short form in a table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.cli import options
from referee.errors import InputError, RefereeError
from referee.jobs.folder import Run, is_run
from referee.signature import difference, explain, short, without_outputs

app = options.make_app()
# Folders below this one: a home directory must not be searched to its end.
DEEP = 3
MEANING = {
    "measure": "the measure",
    "corpus": "the corpus of the trials",
    "reading": "how that corpus was read",
    "part": "which part of it",
    "trials": "how many trials, and a digest of all that is used of them, in any order",
    "against": "source of the references, and their number per item",
    "group": "the group of trials, and a digest of which they are",
    "outputs": "how many outputs the system has, and a digest of them",
    "baseline": "how many outputs the baseline has, and a digest of them",
    "table": "how many rows the printed table has, and a digest of them",
    "scores": "how many scores, and a digest of them",
    "answers": "how many answers, and a digest of them; or the conventions of a system's numbers",
    "cluster": "clusters of the trials",
    "labels": "a digest of the labels of these clusters",
    "interval": "how intervals were made, with their confidence",
    "swaps": "random swaps of clusters, where they were too many to try all",
    "seed": "seed of all randomness",
    "package": "the plug-in's package and its version, or a digest of its code",
    "version": "version of Referee",
}


@app.command()
def signature(
    what: Annotated[str, typer.Argument(help="A signature, or its eight digits in a table.")],
    places: Annotated[
        list[Path] | None,
        typer.Argument(help="Run folders to look the short form up in (default: those below this folder)."),
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            help="Run folders, score tables as JSON, or a corpus file and an outputs file: say which parts of the signature differ there."
        ),
    ] = None,
    form: options.TextOrJson = "text",
) -> int:
    """Explain a signature part by part, or say in which parts it differs from that of other files.

    Examples:  referee signature "set/dice|multiset:no|corpus:tuna|…"      referee signature 3f9a01bc RUN      referee signature 3f9a01bc RUN --against OTHER
    """
    options.check_form(form)
    # The eight digits are a hash and cannot be turned back: they are looked up among signatures that were stored.
    text = what if "|" in what else _find_signature(what, [p for p in places or [] if p.is_dir()] or [Path()])
    if against:
        # `--against CORPUS OUTPUTS`: only the first of several is the option's.
        more = [p for p in places or [] if "|" in what or not p.is_dir()]
        return _print_differences(text, [*against, *more], form)
    parts = explain(text)
    if form == "json":
        print(json.dumps({"hash": short(text), "signature": text, "parts": parts}, ensure_ascii=False, indent=1))
        return 0
    width, values = max(map(len, parts)), max(map(len, parts.values()))
    print(f"{short(text)}  {text}\n")
    for key, value in parts.items():
        print(f"  {key:<{width}}  {value:<{min(values, 40)}}  {MEANING.get(key, 'a switch of the measure')}".rstrip())
    return 0


def _print_differences(text: str, files: Sequence[Path], form: str) -> int:
    """Print the parts in which a signature differs from the most similar signature of some files.

    Exit code 1 where some do.
    """
    # A signature without outputs, as it stands under a table, is compared without them.
    others = dict.fromkeys(_read_signatures(text, files))
    if "outputs" not in explain(text):
        others = dict.fromkeys(map(without_outputs, others))
    same_measure = [other for other in others if explain(other)["measure"] == explain(text)["measure"]]
    if not same_measure:
        raise InputError(
            f"no score of {explain(text)['measure']} is in these files",
            where=", ".join(map(str, files)),
            remedy="name run folders, JSON written by `referee score --format json`, or a corpus and its outputs",
        )
    nearest = min(same_measure, key=lambda other: len(difference(text, other)))
    parts = difference(text, nearest)
    if form == "json":
        differences = {key: {"signature": a, "files": b} for key, (a, b) in parts.items()}
        content = {"signature": text, "nearest": nearest, "same": not parts, "differences": differences}
        print(json.dumps(content, ensure_ascii=False, indent=1))
    elif not parts:
        print("The signature is the same.")
    else:
        print(f"{len(parts)} part{'s' * (len(parts) != 1)} differ{'s' * (len(parts) == 1)}:\n")
        for key, (in_text, in_files) in parts.items():
            print(f"  {key}: {in_text or 'absent'} in the signature, {in_files or 'absent'} in the files")
            print(f"    ({MEANING.get(key, 'a switch of the measure')})")
    return int(bool(parts))


def _read_signatures(text: str, files: Sequence[Path]) -> Iterator[str]:
    """Yield the signatures in runs and score tables, or those from scoring outputs on the signature's corpus."""
    loose = [file for file in files if not file.is_dir() and file.suffix != ".json"]
    for place in (file for file in files if file not in loose):
        of_runs = (row for run in _find_runs(place) for row in Run(run).scores())
        rows = _read_rows(place) if place.suffix == ".json" else of_runs
        yield from (str(row["signature"]) for row in rows if "signature" in row)
    if len(loose) == 2:
        from referee.api.score import score

        corpus, outputs = sorted(loose, key=lambda file: not _has_trials(file))
        parts = explain(text)
        clusters = parts.get("cluster", "design")
        others = parts.get("against", "own").startswith("others")
        settings = partial(
            score,
            outputs,
            corpus,
            metrics=[text],
            by=parts.get("group", "").partition("=")[0],
            cluster="crossed" if clusters == "scene x speaker" else "design" if " x " in clusters else clusters,
            confidence=float(parts.get("interval", "0.95").rpartition("-")[2]),
            humans=others,
            resamples=int(parts.get("swaps", 1000)),
            seed=int(parts.get("seed", 1)),
            lenient=True,
        )
        rows = settings().rows
        if "baseline" in parts:
            # Which system it was, its digest does not tell.
            rows = [row for name in dict.fromkeys(r["system"] for r in rows) for row in settings(baseline=name).rows]
        yield from (str(row["signature"]) for row in rows)
    elif loose:
        raise InputError(
            f"{len(loose)} files that are neither run folders nor JSON tables",
            where=", ".join(map(str, loose)),
            remedy="name one corpus file and one outputs file",
        )


def _read_rows(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a score table. Raises InputError for another file."""
    try:
        content = json.loads(file.read_text("utf-8"))
        # A court has one signature for all.
        rows = next((content[key] for key in ("rows", "scores", "pairs") if key in content), None) or [
            {"signature": content["signature"]}
        ]
        return [dict(row) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"is not a score table ({error})", where=file, remedy="write it with `referee score … --format json`"
        ) from error


def _has_trials(file: Path) -> bool:
    """Return whether the first line of a file is a trial rather than an output."""
    with file.open(encoding="utf-8") as lines:
        return '"entities"' in next((line for line in lines if line.strip()), "")


def _find_signature(abbreviation: str, places: list[Path]) -> str:
    """Return the signature with a short form in some folders. Raises InputError if there is none."""
    for folder in (run for place in places for run in _find_runs(place)):
        try:
            rows = Run(folder).scores()
        except RefereeError:
            continue  # a damaged run below the folder is irrelevant here
        for text in dict.fromkeys(str(row["signature"]) for row in rows if "signature" in row):
            if abbreviation in (short(text), short(without_outputs(text))):
                return text if abbreviation == short(text) else without_outputs(text)
    raise InputError(
        f"no run here has a score signed {abbreviation!r}",
        where=", ".join(map(str, places)),
        remedy="name the run folder that the table was made with (referee score … --out RUN), or give the whole signature",
    )


def _find_runs(place: Path, deep: int = DEEP) -> Iterator[Path]:
    """Yield the run folders in a folder; with `deep`, also those in its subfolders."""
    # Not looked into further: a run holds no runs.
    if is_run(place):
        yield place
    elif place.is_dir() and deep:
        for child in sorted(place.iterdir()):
            if child.is_dir() and not child.name.startswith("."):
                yield from _find_runs(child, deep - 1)
