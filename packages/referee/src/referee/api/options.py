"""The options of every job, each declared once.

Python functions, commands and the reference page use them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.jobs.progress import ProgressCallback, iterate_silently
from referee.options import (
    CLUSTERINGS,
    CUTS,
    GROUPINGS,
    ITEMS,
    READS,
    REFERENCES,
    SHARD,
    SHEETS,
    STYLES,
    TIES,
    UNITS,
    option,
)

Begin = Callable[[int], Callable[[int], None]]
"""Called with the number of expected answers; returns a function that is called as they arrive."""


def _ignore_progress(total: int) -> Callable[[int], None]:
    return lambda n: None


def _declare_data() -> Any:
    return option(None, "Folder of corpora (default: REFEREE_DATA).", cli=Path)


def _declare_reading() -> Any:
    return option(None, "Version of TUNA's attribute sets: raw, true or challenge.")


def _declare_seed(minimum: int | None = None) -> Any:
    return option(1, "Seed of all randomness.", minimum=minimum)


def _declare_jobs(default: int | None = None, *names: str) -> Any:
    """Return the option `jobs`, the number of worker processes."""
    about = "Processes (default: 1; on Ray, as many as there is room for)."
    return option(default, about, *(names or ("--jobs",)), minimum=1, show_default=False)


def _declare_engine() -> Any:
    return option("local", "Where the work is done: local or ray (`referee docs clusters`).")


def _declare_shard(
    default: int | None, about: str = "Items per piece of work; affects memory and speed, not results."
) -> Any:
    """Return the option `shard`, the number of items that a worker processes at once."""
    return option(default, about, minimum=1)


def _declare_address() -> Any:
    return option(None, "A Ray cluster: HOST:6379 or ray://HOST:10001.")


def _declare_confidence() -> Any:
    return option(0.95, "Coverage of the intervals.", minimum=0.5, maximum=0.999)


def _declare_overwrite(what: str = "run folder") -> Any:
    return option(False, f"Replace an existing {what}.")


def _declare_batch_out() -> Any:
    return option(None, "Write questions for a batch endpoint into this file instead of asking them.", cli=Path)


def _declare_batch_in() -> Any:
    return option(None, "The batch endpoint's file of answers.", cli=Path)


def _declare_cluster(about: str) -> Any:
    """Return the option `cluster`, which names the sampling unit."""
    return option(
        "design", f"{about}: {', '.join(CLUSTERINGS)} (design: as the corpus card says).", choices=CLUSTERINGS
    )


def _declare_folds(about: str = "Parts of the corpus, each the test part once.") -> Any:
    return option(5, about, minimum=2)


def _declare_folds_by(default: str, units: tuple[str, ...]) -> Any:
    """Return the option `by`, which names the units that folds must not split."""
    return option(
        default, f"The unit that stays together in a fold: {', '.join(units)}.", "--folds-by", "--by", choices=units
    )


def _declare_counter() -> Any:
    about = "Called with the number of expected answers; returns a function that is called as they arrive."
    return option(_ignore_progress, about, is_python_only=True)


def _declare_callback(default: ProgressCallback | None = iterate_silently) -> Any:
    return option(
        default,
        "Progress callback: called with the pieces of work and a label; yields the pieces.",
        is_python_only=True,
    )


@dataclass
class ScoreOptions:
    """Options of `referee.score` and `referee score`."""

    outputs: Any = option(
        None,
        "Files of outputs (JSONL, CSV, Parquet or challenge XML), - for standard input, or a run folder; in Python also rows or a frame.",
        cli=list[str],
        positional=True,
        is_argument=True,
    )
    corpus: Any = option(
        None, "A corpus by name (referee list corpora) or a JSONL file of trials; in Python also trials.", "--corpus", "-c", cli=str, positional=True
    )  # fmt: skip
    data: str | Path | None = _declare_data()
    reading: str | None = _declare_reading()
    split: str | None = option(
        None, "A part: speaker=101, domain=furniture, challenge-80/20:test, speaker-fold-1/5:test."
    )
    ids: str | Path | Sequence[str] | None = option(
        None, "Only these trials: a file with one id on each line; in Python also a list of ids.", "--items", cli=Path
    )
    by: str | Sequence[str] = option(
        (), f"Also score groups, comma-separated: {', '.join(GROUPINGS)}.", cli=str, choices=GROUPINGS
    )
    metrics: str | Sequence[str] = option(
        "default",
        "Names, families (set, scene, meaning, string, distribution), default or all; comma-separated. "
        "Switches as in a signature: name|switch:value.",
        cli=str,
    )
    references: str = option(
        "own", "own: the trial's references; others: other speakers' of the same scene.", choices=REFERENCES
    )
    humans: bool | None = option(
        None,
        "Add people as a row: each speaker compared with the others (implies --references others). The run folder stores this choice.",
        "--humans/--no-humans",
        cli=bool | None,
    )
    baseline: str | None = option(None, "Mark differences from this system.")
    cluster: str = _declare_cluster("Sampling unit, so that trials of one cluster count as one")
    test: str = option(
        "t",
        "Test that sets the stars: t, or randomisation (whole clusters swapped; not where two are crossed).",
        choices=("t", "randomisation"),
    )
    resamples: int = option(1000, "Random swaps where there are too many clusters to try them all.", minimum=0)
    confidence: float = _declare_confidence()
    seed: int = _declare_seed(0)
    lenient: bool = option(False, "Go on despite bad lines and missing or unknown trials; count them in columns.")
    convention: Sequence[str] = option(
        (),
        'Convention of a system\'s coordinates, as SYSTEM=CONVENTION ("qwen25vl=pixels xyxy sent:qwen28"); `referee docs sight`.',
        cli=list[str],
    )
    items: bool = option(False, "Return the item-level frame instead of the table.", is_python_only=True)
    jobs: int | None = option(
        None,
        "Worker processes; 1 is this process (default: one per core for a corpus file of 64 MB or more, else 1).",
        minimum=1,
    )
    engine: str = _declare_engine()
    shard: int | None = _declare_shard(None, "Trials measured at a time; affects memory and speed, not results.")
    address: str | None = _declare_address()
    out: str | Path | None = option(None, "Also write a run folder (manifest, trials, outputs, scores).", cli=Path)
    overwrite: bool = _declare_overwrite()
    demo: bool = option(False, "Score the shipped toy speakers on the shipped synthetic corpus.")
    progress: ProgressCallback | None = _declare_callback(None)


@dataclass
class _FileOptions:
    """Options shared by `evaluate` and `compare`: files of any program, and how differences are tested."""

    outputs: Any = option(
        None,
        "Files, folders, archives or patterns: text, tables, logs of harnesses, exports of platforms, run folders; - for standard input.",
        cli=list[Path],
        positional=True,
        is_argument=True,
    )
    scenes: Any = option(
        None,
        "The scenes: a corpus, a JSONL file of trials, or a table with a row for each object.",
        cli=str,
        positional=True,
    )
    references: Any = option(
        None,
        "Files of references, line by line or by item: all that follow the option.",
        cli=list[Path],
        positional=True,
    )
    map: str | Sequence[str] | Mapping[str, str] | None = option(
        None,
        "Columns by role, comma-separated: trial=ITEM,system=MODEL,text=OUTPUT,references=REF,target=…,chosen=…,correct=…,participant=…",
        "--map",
        cli=list[str],
    )
    systems: str | Sequence[str] = option(
        (), "Only these systems, comma-separated; in a table also the columns that hold their descriptions.", cli=str
    )
    form: str | None = option(None, "How models write coordinates: json, qwen2.5-vl, molmo … (`referee docs sight`).")
    convention: str | None = option(
        None,
        'The convention of all coordinates in answers, such as "0-1000 xyxy"; of single systems after commas: '
        '"pixels xyxy,qwen=0-1000 xyxy" (`referee docs sight`).',
    )
    language: str | None = option(None, "Language of all items, where the files do not name it: en, de, zh …")
    cluster: str = _declare_cluster("The sampling unit of intervals")
    confidence: float = _declare_confidence()
    resamples: int = option(1000, "Random swaps where there are too many clusters to try them all.", minimum=0)
    seed: int = _declare_seed(0)
    data: str | Path | None = _declare_data()


@dataclass
class EvaluateOptions(_FileOptions):
    """Options of `referee.evaluate` and `referee evaluate`."""

    metrics: str | Sequence[str] = option(
        (), "Measures, comma-separated (default: those that suit the material).", cli=str
    )
    report: str | Path | None = option(None, "Also write a report into this folder.", cli=Path)
    save_as: str | Path | None = option(
        None, "Also write the normal form: FILE.jsonl (outputs, with FILE.trials.jsonl), or a run folder.", cli=Path
    )
    overwrite: bool = _declare_overwrite("report or run folder")


@dataclass
class CompareOptions(_FileOptions):
    """Options of `referee.compare` and `referee compare`."""

    outputs: Any = option(
        None,
        "Run folders, or files as `referee evaluate` reads them; the first system is the baseline.",
        cli=list[Path],
        positional=True,
        is_argument=True,
    )
    systems: str | Sequence[str] = option((), "Systems to compare, comma-separated, the baseline first.", cli=str)
    metric: str | Sequence[str] = option(
        (), "Measures, comma-separated (default: those that suit the material; ir for answers of listeners).", cli=str
    )


@dataclass
class RunOptions:
    """Options of `referee.run` and `referee run`."""

    systems: str | Sequence[str] = option(
        (),
        "Names or groups (referee list systems), comma-separated; switches as NAME|switch:value.",
        "--systems", "-s", cli=str, positional=True,
    )  # fmt: skip
    corpus: Any = option(
        None,
        "A corpus by name, a JSONL file of trials, or XML of a challenge.",
        "--corpus",
        "-c",
        cli=str,
        positional=True,
    )
    out: str | Path | None = option(None, "The run folder to write.", cli=Path, positional=True)
    train: Any = option(
        None, "Instead of --corpus and folds: trials to learn from (a corpus, or XML of a challenge).", cli=str
    )
    test: Any = option(None, "With --train: trials to describe, with one or several references each.", cli=str)
    retry: str | Path | None = option(
        None, "A finished run: questions that failed are asked again, at the rate of --systems if given.", cli=Path
    )
    data: str | Path | None = _declare_data()
    reading: str | None = _declare_reading()
    only: str | None = option(None, "Part of the corpus: domain=furniture, condition=-LOC …")
    limit: int | None = option(None, "At most this many trials, from the beginning.", minimum=2)
    folds: int = _declare_folds()
    folds_by: str = _declare_folds_by("speaker", CUTS)
    cut: str | None = option(
        None, "One named cut instead of folds: challenge-80/20, speaker-80/20 …", "--cut", "--split"
    )
    seed: int = _declare_seed()
    jobs: int | None = option(None, "Processes (default: one per core).", minimum=1)
    engine: str = _declare_engine()
    shard: int = _declare_shard(SHARD)
    address: str | None = _declare_address()
    replay: str | Path | None = option(
        None, "A finished run: language models answer from its calls, without a network.", cli=Path
    )
    samples: int = option(
        1, "Number of descriptions of every object by each language model (LABEL#1, LABEL#2 …).", minimum=1
    )
    batch_out: str | Path | None = _declare_batch_out()
    batch_in: str | Path | None = _declare_batch_in()
    overwrite: bool = _declare_overwrite()
    restart: bool = option(False, "Give up an unfinished run and begin again.")
    progress: Begin = _declare_counter()


@dataclass
class ListenOptions:
    """Options of `referee.listen` and `referee listen`."""

    run: str | Path = option(
        ..., "A run folder (referee run … --out RUN).", cli=Path, positional=True, is_argument=True
    )
    hearer: str | None = option(
        None,
        "A hearer by name (referee list hearers), MODULE:CLASS or FILE.py:CLASS; with switches as NAME|switch:value. "
        "Without one the answers of the run are measured.",
        positional=True,
    )
    people: str | Path | None = option(
        None, "Add people's answers: a corpus with responses, or a file of responses to the run's trials.", cli=str
    )
    data: str | Path | None = option(None, "Folder of corpora for --people (default: REFEREE_DATA).", cli=Path)
    humans: bool = option(False, "Let the hearer read people's descriptions, too.")
    train: str | Path | None = option(None, "JSONL trials that a learning hearer learns from.", cli=Path)
    folds: int = _declare_folds("Without --train: folds of the run's own trials.")
    folds_by: str = _declare_folds_by("speaker", CUTS)
    passport: str | Path | None = option(
        None,
        "File of the hearer's card (referee passport … --out CARD.json); its hash goes into the signature.",
        cli=Path,
    )
    batch_out: str | Path | None = _declare_batch_out()
    batch_in: str | Path | None = _declare_batch_in()
    seed: int = option(1, "Seed of all randomness, the order of entities included.")
    jobs: int | None = _declare_jobs(None, "--jobs", "--workers")
    workers: int | None = option(None, "Another name for jobs.", is_python_only=True)
    engine: str = _declare_engine()
    shard: int = _declare_shard(SHARD)
    address: str | None = _declare_address()
    ties: str = option("strict", f"Items with a tied vote in MIR: {', '.join(TIES)}.", choices=TIES)
    cluster: str = _declare_cluster("The sampling unit of intervals")
    confidence: float = _declare_confidence()
    items: bool = option(False, "Return every answer instead of the table of measures.", is_python_only=True)
    progress: Begin = _declare_counter()


@dataclass
class CourtOptions:
    """Options of `referee.court` and `referee court`."""

    sources: str | Path | Sequence[str | Path] = option(
        (),
        "Run folders with scores and responses, one CSV file, or a corpus of systems with listeners (pragma).",
        cli=list[Path],
        positional=True,
        is_argument=True,
    )
    published: str | None = option(None, "Name of a table that ships with the package.")
    resamples: int = option(500, "Number of bootstrap resamples, for noise and for evidence over items.", minimum=0)
    permutations: int = option(200, "Number of permutations in the test of two measures' ranks.", minimum=20)
    cluster: str = _declare_cluster("The sampling unit of answers in runs")
    seed: int = _declare_seed()
    jobs: int | None = _declare_jobs()
    engine: str = _declare_engine()
    shard: int = _declare_shard(
        1, "Number of parts of the work (a measure, a sheet) done at the same time; affects speed only."
    )
    address: str | None = _declare_address()
    progress: ProgressCallback = _declare_callback()


@dataclass
class PassportOptions:
    """Options of `referee.passport` and `referee passport`."""

    hearer: str = option(
        ...,
        "A hearer by name (referee list hearers), MODULE:CLASS or FILE.py:CLASS, with switches as NAME|switch:value; "
        "or recorded:FILE.jsonl.",
        positional=True,
        is_argument=True,
    )
    corpus: str | Path | None = option(
        None, "A corpus with human responses, or a JSONL file of trials.", cli=str, positional=True
    )
    data: str | Path | None = option(
        None,
        "Folder with trials.jsonl and responses.jsonl, or a file of responses. With the name of a corpus: the folder of downloaded corpora.",
        cli=Path,
    )
    folds: int = _declare_folds("Folds; a hearer that learns is tested on the fold it did not see.")
    folds_by: str = _declare_folds_by("game", UNITS)
    train: str | None = option(
        None, "Learn from another corpus, or a part of one (degen2020:domain=exp1), instead of the other folds."
    )
    reads: str = option(
        "words", f"Its input: {' or '.join(READS)} (refused where they reveal the outcome).", choices=READS
    )
    new: bool = option(
        True, "Also test a trained hearer on scenes, objects and conditions that are new to it.", "--new/--no-new"
    )
    transfer: bool = option(
        True, "Also test the hearer on the other installed corpora of the same kind.", "--transfer/--no-transfer"
    )
    limit: int | None = option(None, "Approximate number of answers: whole games, drawn at random.", minimum=1)
    probes: int = option(
        100, "Number of scenes for tests with empty, contradictory and ambiguous descriptions.", minimum=0
    )
    speaker: Sequence[str] = option(
        (), "A system or model that the hearer will judge; the card warns if both are of one family.", cli=list[str]
    )
    resamples: int = option(500, "Random orders (200 at most) for the chance level of ranking.", minimum=0)
    calls: str | Path | None = option(None, "Folder in which a remote hearer caches its calls, to resume.", cli=Path)
    seed: int = option(1, "Seed of all randomness, the order of entities included.")
    jobs: int | None = option(
        None,
        "Processes (default: 1, or one per core for a hearer that learns from many trials; on Ray, as many as there is room for).",
        minimum=1,
    )
    engine: str = _declare_engine()
    shard: int = _declare_shard(SHARD, "Questions per piece of work, in steps of 512; affects speed only.")
    address: str | None = _declare_address()
    spread: bool = option(
        False,
        "If jobs is not given, use one process per core for a hearer that learns from 100,000 trials or more, as the command does.",
        is_python_only=True,
    )
    out: str | Path | None = option(None, "CARD.json; the picture is written beside it (svg, png, pdf).", cli=Path)
    progress: Begin = _declare_counter()


@dataclass
class AuditOptions:
    """Options of `referee.audit` and `referee audit`."""

    papers: Any = option(
        (),
        "Folders with a paper.toml, or names of shipped papers (default: all shipped ones).",
        cli=list[str],
        positional=True,
        is_argument=True,
    )
    progress: ProgressCallback = _declare_callback()


@dataclass
class ReportOptions:
    """Options of `referee.report` and `referee report`."""

    runs: str | Path | Sequence[str | Path] = option(
        (), "Run folders to report, scored or not.", cli=list[Path], positional=True, is_argument=True
    )
    out: str | Path = option("report", "The folder to write.", cli=Path, positional=True)
    title: str | None = option(None, "Title of the page.")
    style: str | None = option(None, f"Also tables in the shape of a paper: {', '.join(STYLES)}.", choices=STYLES)
    audit: bool = option(False, "Include the audit of printed tables.")
    court: bool = option(False, "Include the court even over very many answers, which takes minutes.")
    items: int = option(ITEMS, "Maximum number of items in the item browser, worst items first.", minimum=1)
    pictures: str | Path | None = option(
        None, "Folder of the trials' pictures, on which boxes and points are drawn.", cli=Path
    )
    overwrite: bool = _declare_overwrite("report")
    progress: ProgressCallback | None = _declare_callback(None)


@dataclass
class DrawOptions:
    """Options of `referee.draw` and `referee draw`."""

    scene: Any = option(
        None,
        "A JSON file with a scene or a trial, or - for standard input; in Python also a Scene or Trial.",
        cli=str,
        positional=True,
        is_argument=True,
    )
    target: str | Sequence[str] = option((), "Frame these entities (ids with commas).", "--target", "-t", cli=str)
    mark: bool = option(False, "Frame the target that the trial itself names.")
    numbers: bool = option(False, "Number the entities from 1, in the scene's order.")
    jitter: float = option(0.0, "Shift each entity by up to this share of a cell (0.15 is slight).")
    seed: int = option(0, "Seed of the random shifts.")
    corpus: Any = option(None, "Corpus whose trial is drawn as a picture.", "--corpus", "-c", cli=str)
    trial: str | None = option(None, "Id of the trial to draw (default: the first of the corpus).")
    data: str | Path | None = _declare_data()
    sheet: str | None = option(None, f"A contact sheet: {', '.join(SHEETS)}.", choices=SHEETS)


@dataclass
class ReplicateOptions:
    """Options of `referee.replicate` and `referee replicate`."""

    task: str = option(
        ...,
        "The shared task: asgre2007, tuna2008-as, tuna2008-r, tuna2008-reg, tunareg2009, or a team's results on development data (tuna2008-as.dev).",
        positional=True,
        is_argument=True,
    )
    data: str | Path | None = _declare_data()
    folds: int = _declare_folds("Parts the corpus is cut into.")
    seed: int = _declare_seed()
    seeds: int = option(1, "Number of random splits of the corpus, for the range of rho.", minimum=1)
    reading: str = option("challenge", "How TUNA's attribute sets are read (`referee docs corpora`).")
    least_words: int = option(0, "Score only trials whose reference has at least this many words.", minimum=0)
    train: Any = option(
        None, "Training trials of the challenge, as XML (folder, file or zip) or JSONL; needs --test.", cli=str
    )
    test: Any = option(None, "Test trials of the challenge, with their references; needs --train.", cli=str)
    peers: Sequence[str] = option(
        (), "Outputs of a peer for the test trials, scored beside the printed values: LABEL=FILE, or a file named as its row.",
        "--peer", cli=list[str],
    )  # fmt: skip
    draws: int = option(30, "Draws of the printed protocol: 56 + 56 items, two references (0: none).", minimum=0)
    jobs: int | None = option(None, "Processes (default: one per core).", minimum=1)
    out: str | Path | None = option(None, "Keep the run folder here.", cli=Path)
    overwrite: bool = _declare_overwrite()
    progress: Begin = _declare_counter()
