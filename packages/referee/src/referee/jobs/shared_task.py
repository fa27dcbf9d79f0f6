"""A shared task: blind items for participants, sealed references for the organisers, and scores, ranks and a page of results."""

from __future__ import annotations

import hashlib
import json
import shutil
from base64 import b64decode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from referee import __version__
from referee.corpora.jsonl import read_trials, trials_to_json, write_json_line
from referee.corpora.natives.material import Declared, NativeData
from referee.corpora.natives.recognition import read_material
from referee.corpora.outputs import Output
from referee.errors import InputError, MalformedInput, UnknownTrial
from referee.files import drop_endings, write_atomically, writing_folder
from referee.jobs.compare import Comparisons, compare_measures
from referee.jobs.evaluate import Evaluated, choose_metrics, evaluate_material
from referee.jobs.open import Opened
from referee.records import Description, Trial
from referee.show.pages import render

MANIFEST, ITEMS, SEALED = "task.json", "participants/items.jsonl", "organisers/references.jsonl"
SUBMISSION = (
    "a zip with one file: JSONL, CSV or TSV with the columns trial and text (and properties, where you have them)"
)

# One white pixel: Codabench asks for a picture.
_LOGO = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==")


@dataclass(frozen=True)
class SharedTask:
    """The folder of a shared task."""

    folder: Path

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """Title, measures, number of items, and the checksum of the references."""
        try:
            manifest: dict[str, Any] = json.loads((self.folder / MANIFEST).read_text("utf-8"))
        except ValueError as error:
            raise MalformedInput(
                f"the manifest is damaged ({error})", where=self.folder / MANIFEST, remedy="make the task again"
            ) from None
        return manifest

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(self.manifest["metrics"])

    def items(self) -> dict[str, Trial]:
        """Return the items as participants see them."""
        path = self._find_file(ITEMS, "items.jsonl", SEALED, "references.jsonl")
        if path is None:
            raise InputError(
                "the items are not in this folder", where=self.folder, remedy="name the folder of the task"
            )
        return {t.id: t for t in read_trials(path)}

    def _find_file(self, *names: str) -> Path | None:
        """Return the first of some files that exists: participants' and organisers' folders work separately."""
        return next((self.folder / name for name in names if (self.folder / name).exists()), None)

    def read_sealed(self) -> dict[str, Trial]:
        """Return the items with their references; InputError if the file is not the sealed one."""
        path = self._find_file(SEALED, "references.jsonl")
        if path is None:
            raise InputError(
                "the references are not in this folder",
                where=self.folder,
                remedy="name the folder of the task, or its organisers/: --task TASK",
            )
        if _compute_checksum(path.read_bytes()) != self.manifest["checksum"]:
            raise InputError(
                "the references were changed after the task was made",
                where=path,
                remedy="restore the file, or make the task again",
            )
        return {t.id: t for t in read_trials(path)}


def _compute_checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def find_task(folder: str | Path) -> SharedTask:
    """Return the shared task in a folder or in one of its parent folders.

    Raises:
        InputError: if there is none.
    """
    start = Path(folder).resolve()
    for place in (start, *start.parents):
        if (place / MANIFEST).is_file():
            return SharedTask(place)
    raise InputError(
        "there is no shared task here (no task.json)",
        where=folder,
        remedy="name its folder: --task TASK (referee task new)",
    )


def make_task(
    opened: Opened, out: Path, metrics: Sequence[str] = (), title: str | None = None, overwrite: bool = False
) -> SharedTask:
    """Write the folder of a shared task from a corpus.

    Raises:
        InputError: if the corpus has no references, or the folder exists.
    """
    trials = list(opened.trials())
    if not trials or not any(t.references for t in trials):
        raise InputError(
            "the corpus has no references",
            where=opened.name,
            remedy="choose a corpus in which people described the targets; in a table, a column reference",
        )
    blind = [_hide_references(trial) for trial in trials]
    sealed = "".join(f"{write_json_line(data)}\n" for data in trials_to_json(trials))
    chosen = tuple(metrics) or _choose_metrics(trials)
    source = opened.source
    title = title or f"Describe the target: {source.corpus if source.is_named else Path(source.corpus).stem}"
    with writing_folder(
        out, overwrite, lambda path: (Path(path) / MANIFEST).is_file(), "choose another name, or --overwrite"
    ) as folder:
        for name in ("participants", "organisers", "codabench/scoring_program"):
            (folder / name).mkdir(parents=True)
        write_atomically(folder / ITEMS, map(write_json_line, trials_to_json(blind)))
        write_atomically(folder / SEALED, sealed.splitlines())
        manifest = {
            "title": title,
            "corpus": source.corpus,
            "items": len(trials),
            "metrics": list(chosen),
            "checksum": _compute_checksum((folder / SEALED).read_bytes()),
            "version": __version__,
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=1)
        write_atomically(folder / MANIFEST, [text])
        # Participants check with the same program, and get no references.
        for name in ("participants", "organisers"):
            write_atomically(folder / name / MANIFEST, [text])
        asked = {"what": _name_question(blind), "submission": SUBMISSION, "first": trials[0].id}
        facts = {"title": title, "n": f"{len(trials):,}", "metrics": ", ".join(chosen)}
        page = render("shared_task/overview.md", **asked, **facts)
        for name in ("participants/README.md", "codabench/overview.md"):
            write_atomically(folder / name, [page])
        write_atomically(folder / "codabench/scoring_program/evaluate.py", [render("shared_task/scoring_program.txt")])
        write_atomically(
            folder / "codabench/scoring_program/metadata.yaml", ["command: python evaluate.py $input $output"]
        )
        # A bundle holds all that it names (src/apps/competitions/unpackers/v2.py of codalab/codabench).
        shutil.copytree(folder / "organisers", folder / "codabench/reference_data")
        write_atomically(folder / "codabench/terms.md", ["Write the terms of the task here."])
        (folder / "codabench/logo.png").write_bytes(_LOGO)
        columns = [(metric, _make_key(metric), _get_sorting(metric)) for metric in chosen]
        competition = render("shared_task/competition.yaml", title=title, columns=columns)
        write_atomically(folder / "codabench/competition.yaml", [competition])
    return SharedTask(out)


def _hide_references(trial: Trial) -> Trial:
    """Return a trial without references, episode and history, in which the references of earlier rounds occur."""
    view = trial.for_speaker()
    return Trial(
        id=view.id,
        scene=view.scene,
        targets=view.targets,
        domain=view.domain,
        condition=view.condition,
        language=view.language,
    )


def _name_question(trials: Sequence[Trial]) -> str:
    """Return what is to be described, by what participants see of the items."""
    if all(t.scene.entities and t.targets for t in trials):
        return "the target (`targets`) among the objects (`entities`), so that a reader finds it"
    return "the picture (`picture`)" if any(t.scene.picture for t in trials) else "the scene"


def _choose_metrics(trials: Sequence[Trial]) -> tuple[str, ...]:
    """Return the metrics for trials: of strings or of sets."""
    references = [r for t in trials for r in t.references]
    texts = any(r.text is not None for r in references)
    return ("string/chrf", "string/bleu.4", "string/edit") if texts else ("set/dice", "scene/unique")


def _make_key(metric: str) -> str:
    """Return a measure's name as a key of a leaderboard."""
    return "".join(c if c.isalnum() else "_" for c in metric)


def _get_sorting(metric: str) -> str:
    """Return the sort order of a metric."""
    from referee import catalogue

    return "asc" if catalogue.configure("metric", metric).direction == "lower" else "desc"


# -- submissions -----------------------------------------------------------------------------------------------------------------


def check_submission(path: Path, task: SharedTask) -> tuple[NativeData, list[str]]:
    """Return a submission and messages for its participants on missing items and empty descriptions.

    Raises:
        InputError: if it cannot be read, or answers an item that the task does not have.
    """
    items = task.items()
    if path.suffix.lower() == ".txt":
        raise InputError("lines of text do not name their items", where=path, remedy=f"submit {SUBMISSION}")
    data = read_material([path], declared=Declared())
    if not data.outputs:
        raise InputError("the submission has no descriptions", where=path, remedy=f"submit {SUBMISSION}")
    unknown = next((o for o in data.outputs if o.trial not in items), None)
    if unknown is not None:
        raise UnknownTrial(
            f"item {unknown.trial!r} is not in the task",
            where=Path(unknown.where).name,
            line=unknown.line,
            remedy="use the ids of items.jsonl in the column trial",
        )
    if len(data.systems) > 1:
        raise InputError(
            f"the submission has {len(data.systems)} systems ({', '.join(data.systems[:4])})",
            where=path,
            remedy="submit one system per file",
        )
    missing = _list_missing(data, items)
    messages = []
    if missing:
        messages.append(f"{_list_unranked(len(missing), len(items))} (the first is {missing[0]!r}).")
    empty = [o.trial for o in data.outputs if not (o.description.text or "").strip() and not o.description.properties]
    if empty:
        messages.append(f"{len(empty):,} descriptions are empty, that of {empty[0]!r} first.")
    return data, messages


def _list_missing(data: NativeData, items: Mapping[str, Trial]) -> list[str]:
    """Return the items that a submission lacks."""
    answered = {o.trial for o in data.outputs}
    return [name for name in items if name not in answered]


def _list_unranked(missing: int, items: int) -> str:
    return f"{missing:,} of {items:,} items are missing: not ranked"


def _evaluate_submissions(submissions: Mapping[str, NativeData], task: SharedTask) -> Evaluated:
    """Return one evaluation of all submissions of a task as systems, compared with the sealed references."""
    trials = task.read_sealed()
    whole = NativeData("table", "submission", {}, trials)
    for name, data in submissions.items():
        whole.outputs += [output._replace(system=name) for output in data.outputs]
    return evaluate_material(whole, task.metrics or choose_metrics(whole), name=str(task.manifest["corpus"]))


def score_submission(path: Path, task: SharedTask, out: Path) -> dict[str, float]:
    """Write the scores of a submission to `out`/scores.json in the form of Codabench, one flat object; return them.

    A missing item counts as an empty description, so that leaving items out gains nothing.
    """
    data, _ = check_submission(path, task)
    missing = _list_missing(data, task.items())
    has_properties = any(o.description.properties is not None for o in data.outputs)
    empty = Description(text="", properties=() if has_properties else None)
    data.outputs += [Output(name, data.outputs[0].system, empty, str(path), None) for name in missing]
    evaluated = _evaluate_submissions({drop_endings(path): data}, task)
    scores: dict[str, float] = {
        _make_key(row["metric"]): row["value"] for row in evaluated.rows if row["value"] is not None
    }
    scores["n_missing"] = len(missing)
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "scores.json", [json.dumps(scores, indent=1)])
    return scores


@dataclass(frozen=True)
class SubmissionRanks:
    """The submissions of a shared task, best first; those that lack items come last and have no rank."""

    evaluated: Evaluated
    compared: Comparisons | None
    ranks: dict[str, int | None]
    missing: dict[str, int]
    messages: list[str]

    def as_json(self) -> dict[str, Any]:
        """Return plain data, as `referee task rank --format json` prints it."""
        return {
            "ranks": self.ranks,
            "n_missing": self.missing,
            "scores": self.evaluated.rows,
            "messages": self.messages,
        }

    def lines(self, task: SharedTask) -> list[str]:
        """Return one line of text per submission: rank, name, first measure and number of items."""
        first, items = task.metrics[0], task.manifest["items"]
        values = {row["system"]: row for row in self.evaluated.rows if row["metric"] == first}
        lines = []
        for system, rank in self.ranks.items():
            missing = self.missing[system]
            end = _list_unranked(missing, items) if missing else f"{items:,} items"
            lines.append(
                f"{'–' if rank is None else rank:>3}  {system}  {first} {_format_cell(values.get(system))}, {end}"
            )
        return lines


def rank_submissions(folder: Path, task: SharedTask, out: Path | None = None) -> SubmissionRanks:
    """Return the scores of all submissions of a folder, and the ranking of the complete ones by the first measure.

    With `out` also a page of results.

    Raises:
        InputError: if no submission can be read.
    """
    items = task.items()
    submissions: dict[str, NativeData] = {}
    messages: list[str] = []
    paths = sorted(p for p in folder.iterdir() if not p.name.startswith("."))
    counts = Counter(map(drop_endings, paths))
    for path in paths:
        try:
            name = drop_endings(path)
            submissions[name if counts[name] == 1 else path.name], notes = check_submission(path, task)
            messages += [f"{path.name}: {note}" for note in notes]
        except InputError as error:
            messages.append(f"{path.name} is left out: {error.problem}")
    if not submissions:
        raise InputError(
            "no submission can be read", where=folder, remedy="; ".join(messages) or f"submissions are {SUBMISSION}"
        )
    evaluated = _evaluate_submissions(submissions, task)
    missing = {name: len(_list_missing(data, items)) for name, data in submissions.items()}
    complete = [name for name in submissions if not missing[name]]
    first = task.metrics[0]
    compared = compare_measures(evaluated.measures([first]), complete) if len(complete) > 1 else None
    places = compared.ranks[first] if compared else dict.fromkeys(complete, 1)
    values = {row["system"]: row["value"] for row in evaluated.rows if row["metric"] == first}
    sign = 1 if _get_sorting(first) == "asc" else -1

    def order(name: str) -> tuple[bool, int, bool, float, str]:
        value = values.get(name)
        return name not in places, places.get(name, 0), value is None, sign * (value or 0.0), name

    ranks = {name: places.get(name) for name in sorted(submissions, key=order)}
    ranking = SubmissionRanks(evaluated, compared, ranks, missing, messages)
    if out is not None:
        _write_results(out, task, ranking)
    return ranking


def _write_results(out: Path, task: SharedTask, ranking: SubmissionRanks) -> None:
    """Write the results of a shared task: table, comparisons, messages."""
    out.mkdir(parents=True, exist_ok=True)
    data = {
        "task": task.manifest,
        **ranking.as_json(),
        "pairs": [] if ranking.compared is None else ranking.compared.as_json()["pairs"],
        "signature": ranking.evaluated.signature,
    }
    write_atomically(out / "results.json", [json.dumps(data, ensure_ascii=False, indent=1)])
    write_atomically(out / "index.html", [_render_page(task, ranking)])


def _render_page(task: SharedTask, ranking: SubmissionRanks) -> str:
    """Return the page of results."""
    n = task.manifest["items"]
    cells = {(row["system"], row["metric"]): row for row in ranking.evaluated.rows}
    rows = [
        (
            _list_unranked(ranking.missing[system], n) if ranking.missing[system] else "–" if rank is None else rank,
            system,
            f"{n - ranking.missing[system]:,}",
            *(_format_cell(cells.get((system, metric))) for metric in task.metrics),
        )
        for system, rank in ranking.ranks.items()
    ]
    facts = {"title": task.manifest["title"], "items": f"{n:,}", "metrics": task.metrics}
    return render(
        "shared_task.html", **facts, rows=rows, messages=ranking.messages, signature=ranking.evaluated.signature
    )


def _format_cell(row: Mapping[str, Any] | None) -> str:
    """Return a value with its interval as text."""
    if row is None or row["value"] is None:
        return "–"
    interval = "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"
    return f"{row['value']:.3f}{interval}"
