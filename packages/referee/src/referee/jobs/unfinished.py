"""A run in progress: a hidden folder beside the run folder with its finished parts.

``.RUN.unfinished`` has the plan, the corpus as it was read, and one file for every finished system and fold. When
complete it is renamed to ``RUN``; until then ``RUN`` does not exist.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from referee.corpora.jsonl import read_trials, trials_to_json, write_json_line
from referee.corpora.outputs import output_to_json
from referee.errors import CannotWrite, InputError
from referee.files import ELSEWHERE, hold_alone, let_go, make_folder, put_in_place, write_atomically, write_bytes
from referee.jobs.folder import OCCUPIED, is_run, write_manifest
from referee.jobs.speak import Spoken
from referee.models.batch_files import BatchFile
from referee.models.response_cache import ResponseCache, convert_call_to_json
from referee.records import Trial
from referee.signature import digest

# -- finished pieces -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Failure:
    """A trial that ended the worker process of a system at every attempt."""

    system: str
    trial: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPart:
    """A finished part of a run: the trials that were asked, and the output lines by trial."""

    system: str
    trials: tuple[str, ...]
    counts: dict[str, float]
    lines: dict[str, str]

    @classmethod
    def of(cls, system: str, trials: Sequence[str], spoken: Spoken) -> RunPart:
        """Return a finished part from its descriptions."""
        lines = {
            trial: write_json_line(output_to_json(trial, system, description))
            for trial, description in spoken.descriptions
        }
        return cls(system=system, trials=tuple(trials), counts=spoken.counts, lines=lines)

    @property
    def name(self) -> str:
        # By content: the same part is the same file. Labels hold slashes and bars, which file names may not.
        return digest(write_json_line([self.system, *self.trials]))[:24]

    def as_bytes(self) -> bytes:
        """Return the part as bytes: a line of counts, then one output a line."""
        head = write_json_line({"system": self.system, "trials": self.trials, "counts": self.counts})
        return "".join(f"{line}\n" for line in (head, *self.lines.values())).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> RunPart:
        """Return a part from its file."""
        # Not `splitlines`, which also cuts at separators that a description may hold.
        first, *lines = content.decode().rstrip("\n").split("\n")
        head = json.loads(first)
        by_trial = {json.loads(line)["trial"]: line for line in lines}
        return cls(system=head["system"], trials=tuple(head["trials"]), counts=head["counts"], lines=by_trial)


FAILURES = "failures.jsonl"
PLAN, CORPUS, PARTS, CALLS, BATCH = "plan.json", "corpus.jsonl", "parts", "calls", "questions.batch"


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The hidden folder of a run in progress, beside `out`."""

    out: Path

    @property
    def folder(self) -> Path:
        return self.out.with_name(f".{self.out.name}.unfinished")

    @property
    def calls(self) -> Path:
        return self.folder / CALLS

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold a lock, so that no second process makes the same run."""
        make_folder(self.out.parent)
        path = self.out.with_name(f".{self.out.name}.lock")
        lock = hold_alone(path, f"{self.out.name} is being made already", "wait for it, or choose another --out")
        try:
            yield
        finally:
            let_go(path, lock)

    def begin(self, plan: Mapping[str, Any], trials: Iterable[Trial], overwrite: bool, restart: bool) -> bool:
        """Make the folder, or resume the existing one if its plan is the same; return whether it was resumed."""
        if self.out.exists() and not (overwrite and is_run(self.out)):
            raise CannotWrite(
                "a file or folder with this name exists already",
                where=self.out,
                remedy=OCCUPIED if is_run(self.out) else ELSEWHERE,
            )
        # `restart` discards finished work, so it needs its own option; `overwrite` only concerns the finished folder.
        if restart:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.forget_if_empty()
        try:
            for folder in (self.folder / PARTS, self.calls):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotWrite(
                f"cannot make the folder ({error.strerror})",
                where=self.folder,
                remedy="choose a place you may write to",
            ) from None
        # The plan is written last: where it is, the corpus beside it is whole.
        is_resumed = (self.folder / PLAN).exists()
        # Written also when a run is taken up, to see whether the corpus is still the same; the kept one is not touched.
        fresh = self.folder / (f"new-{CORPUS}" if is_resumed else CORPUS)
        write_atomically(fresh, map(write_json_line, trials_to_json(trials)))
        asked = json.dumps(
            {**plan, "corpus checksum": _compute_checksum(fresh)}, ensure_ascii=False, indent=1, sort_keys=True
        )
        if is_resumed:
            fresh.unlink()
            self._check_plan(asked)
        else:
            write_atomically(self.folder / PLAN, [asked])
        return is_resumed

    def _check_plan(self, asked: str) -> None:
        """Raise InputError if the unfinished run has other settings."""
        plan = (self.folder / PLAN).read_text("utf-8").rstrip("\n")
        if plan == asked:
            return
        old, new = json.loads(plan), json.loads(asked)
        differing = sorted(key for key in {**old, **new} if old.get(key) != new.get(key))
        raise InputError(
            f"an unfinished run with other settings is here (different: {', '.join(differing)})",
            where=self.folder,
            remedy="repeat its command to resume it, choose another --out, or discard it with --restart",
        )

    def forget_if_empty(self) -> None:
        """Remove the folder if no part is finished, so that a mistyped option can be corrected."""
        done = [*self.folder.glob(f"{PARTS}/*.jsonl"), *self.calls.glob("*.jsonl"), *self.folder.glob(BATCH)]
        if not done:
            shutil.rmtree(self.folder, ignore_errors=True)

    def trials(self) -> Iterator[Trial]:
        """Yield the corpus as it was when the run began."""
        return read_trials(self.folder / CORPUS)

    def keep(self, part: RunPart) -> None:
        """Store one finished part as a file that appears whole."""
        write_bytes(self.folder / PARTS / f"{part.name}.jsonl", [part.as_bytes()])

    def parts(self) -> Iterator[RunPart]:
        """Yield the finished parts."""
        for path in sorted((self.folder / PARTS).glob("*.jsonl")):
            yield RunPart.from_bytes(path.read_bytes())

    def batch(self, requests: Path) -> BatchFile:
        """Return the file for questions to a batch endpoint, and beside the run the data to parse the answers."""
        return BatchFile(requests, self.folder / BATCH)

    @property
    def batch_questions(self) -> Path:
        return self.folder / BATCH

    def remember(self, run: Path) -> None:
        """Copy the cached calls of a finished run, to answer from them."""
        source = run / "calls.jsonl"
        if not source.is_file():
            raise InputError("this run has no calls to replay", where=run, remedy="name a run of a language model")
        # A name that new calls never take (`calls-N.jsonl`).
        shutil.copyfile(source, self.calls / "replayed.jsonl")

    def finish(
        self, systems: list[str], tested: list[Trial], failures: Sequence[Failure] = (), **manifest: Any
    ) -> dict[str, dict[str, float]]:
        """Write outputs, trials, failures, calls and manifest, and rename the folder to the run."""
        lines_of: dict[str, dict[str, str]] = {system: {} for system in systems}
        counts: dict[str, dict[str, float]] = {system: {} for system in systems}
        for part in self.parts():
            lines_of[part.system] |= part.lines
            for name, number in part.counts.items():
                counts[part.system][name] = counts[part.system].get(name, 0) + number
        write_atomically(
            self.folder / "outputs.jsonl",
            # In the order of the plan, whatever was finished first: the same run is the same file.
            (lines[t.id] for lines in lines_of.values() for t in tested if t.id in lines),
        )
        if failures:
            order = {t.id: place for place, t in enumerate(tested)}
            ordered = sorted(failures, key=lambda f: (systems.index(f.system), order[f.trial]))
            write_atomically(self.folder / FAILURES, (write_json_line(asdict(f)) for f in ordered))
            for failure in ordered:
                system_counts = counts[failure.system]
                system_counts |= {name: system_counts.get(name, 0) + 1 for name in ("trials", "failed")}
        write_atomically(self.folder / "trials.jsonl", map(write_json_line, trials_to_json(tested)))
        cache = ResponseCache(self.calls)
        if cache.costs:
            # Sorted, for threads add their calls as they are answered.
            write_atomically(
                self.folder / "calls.jsonl",
                (write_json_line(convert_call_to_json(call)) for call in cache.iterate_calls()),
            )
        for system, spent in cache.costs.items():
            # A question that two folds have is asked and paid for once.
            if system in counts:
                counts[system] |= {
                    "prompt_tokens": spent.prompt_tokens,
                    "completion_tokens": spent.completion_tokens,
                    "cost": spent.cost,
                }
        corpus = {
            **manifest.pop("corpus"),
            "trials": len(tested),
            "checksum": _compute_checksum(self.folder / "trials.jsonl"),
        }
        write_manifest(self.folder, **manifest, corpus=corpus, systems=systems, counts=counts)
        self._rename()
        return counts

    def _rename(self) -> None:
        """Rename the folder, then tidy up: if interrupted in between, the run is complete."""
        try:
            # Whether something may be replaced was asked in `begin`.
            put_in_place(self.folder, self.out, overwrite=True)
            for name in (PARTS, CALLS):
                shutil.rmtree(self.out / name)
            for name in (CORPUS, PLAN, BATCH):
                (self.out / name).unlink(missing_ok=True)
        except OSError as error:
            raise CannotWrite(
                f"cannot be moved to its final path ({error.strerror})", where=self.out, remedy="choose another place"
            ) from None


def _compute_checksum(path: Path) -> str:
    return digest(path.read_text("utf-8"))
