"""Runs with scores, answers and the passports of their hearers, and the names of systems across several runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import isnan, log
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from referee import catalogue
from referee.contracts import Batch
from referee.corpora.clusters import get_cluster
from referee.courtroom.admissions import OF_PEOPLE, Admission, admit
from referee.courtroom.families import find_family_names
from referee.engines.pieces import Engine
from referee.errors import InputError
from referee.jobs.folder import Run
from referee.jobs.open import open_corpus
from referee.jobs.progress import ProgressCallback, iterate_silently
from referee.jobs.score_table import DESIGN
from referee.metrics.hearing import HUMAN, PEOPLE, Hearing, group_responses
from referee.records import Description, Response, Trial
from referee.signature import text_digests, trial_digests, with_labels

ReadCards = Callable[[Path], Mapping[str, Mapping[str, Any]]]
Warn = Callable[[Mapping[str, str], str], Iterable[str]]
"""Return warnings about hearers (a map of names to signatures) on a corpus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSettings:
    """How runs are tried.

    Draws for noise and intervals, permutations between two measures, the sampling unit, and the seed of all chance.

    Without permutations measures get no ranks, which take longest. `progress` may look on; an `engine` does the longest parts, `shard` of them at a time.
    """

    resamples: int = 500
    permutations: int = 200
    cluster: str = DESIGN
    seed: int = 1
    progress: ProgressCallback = iterate_silently
    engine: Engine | None = None
    shard: int = 1


TEXT_MEASURES = ("string/bleu.1", "string/chrf", "string/rouge-l", "string/edit.normalised", "string/exact")
ItemTable = dict[str, dict[tuple[str, str], float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledAnswer:
    """An answer to one of several samples of a speaker: item by item it says as much as one to a system, over systems nothing."""

    origin: str
    trial: Trial
    participant: str
    text: str
    is_right: bool
    scores: Mapping[str, float]


class HeardRun:
    """A run that was scored and answered; `families` are those of systems that their names do not tell."""

    families: Mapping[str, str] = MappingProxyType({})
    samples: Sequence[SampledAnswer] = ()

    def __init__(self, folder: Path, cards: ReadCards) -> None:
        run = Run(folder)
        self.folder = folder
        manifest = run.manifest
        self.scores = run.scores()
        self.trials: dict[str, Trial] = {t.id: t for t in run.trials()}
        # Resampling draws by place: in one order, whatever the order in the file.
        self.responses = sorted(run.responses(), key=lambda r: (r.trial, r.hearer, r.system or ""))
        if not self.scores:
            raise InputError(
                "this run folder has no scores", where=folder, remedy="make one with `referee score … --out RUN`"
            )
        if not self.responses:
            raise InputError(
                "this run folder has no answers of hearers",
                where=folder,
                remedy=f"referee listen {folder} --hearer literal",
            )
        self.source = open_corpus(folder).source
        self.systems = sorted({row["system"] for row in self.scores})
        groups = dict.fromkeys(row["group"] for row in self.scores if row["group"] is not None)
        self.domains = [g.removeprefix("domain=") for g in groups if g.startswith("domain=")]
        self._by_domain: dict[str | None, dict[tuple[str, str], Hearing]] = {}
        self.hearings = group_responses(self.responses, self.trials)[0]
        self.signed: dict[str, str] = manifest.get("hearers", {})
        self.admissions = _admit_hearers(self.hearings, self.signed, cards(folder))

    def read_automatic_scores(self, domain: str | None) -> dict[tuple[str, str], float | None]:
        """Return the scores of the run by system and metric, in one domain or overall."""
        group = None if domain is None else f"domain={domain}"
        return {(r["system"], r["metric"]): r["value"] for r in self.scores if r["group"] == group}

    def select_hearings(self, domain: str | None) -> dict[tuple[str, str], Hearing]:
        """Return the hearings of every scored system by every hearer, in one domain or overall."""
        if domain not in self._by_domain:
            groups = self.hearings
            if domain is not None:
                groups = group_responses((r for r in self.responses if self._find_domain(r) == domain), self.trials)[0]
            self._by_domain[domain] = {key: hearing for key, hearing in groups.items() if key[0] in self.systems}
        return self._by_domain[domain]

    def _find_domain(self, response: Response) -> str | None:
        """Return the domain of a response's trial; None if the trial is unknown."""
        return self.trials[response.trial].domain if response.trial in self.trials else None

    def name_origin(self, trial: str) -> str:
        """Return the name of the corpus that a trial belongs to."""
        return self.source.corpus

    def item_values(self) -> ItemTable:
        """Return values by measure, system and trial; empty if the run has none."""
        import polars as pl

        path, table = self.folder / "items.parquet", ItemTable()
        if path.is_file():
            for system, trial, metric, value in (
                pl.read_parquet(path).select("system", "trial", "metric", "value").rows()
            ):
                table.setdefault(metric, {})[system, trial] = value
        return table

    def digest_outputs(self) -> dict[str, str]:
        """Return a digest of each system's outputs: equal for two systems with the same outputs on all trials."""
        spoken: dict[str, list[str]] = {}
        if (self.folder / "outputs.jsonl").is_file():
            for output in Run(self.folder).outputs():
                description = output.description
                spoken.setdefault(output.system, []).append(
                    f"{output.trial}\t{description.text}\t{sorted(description.properties or (), key=repr)}"
                )
        return {system: sha256("\n".join(sorted(lines)).encode()).hexdigest() for system, lines in spoken.items()}

    def sign(self, factors: Sequence[str]) -> dict[str, bytes]:
        """Return digests of what a court uses of this run: trials with their labels, scores, outputs, and answers."""
        asked = list(self.trials.values())
        labels = [(t.domain if self.domains else None, *(get_cluster(t, f) for f in factors)) for t in asked]
        values = self.item_values()
        scores = [
            *(((d, *key), v) for d in (None, *self.domains) for key, v in self.read_automatic_scores(d).items()),
            *((metric, *key, value) for metric, column in values.items() for key, value in column.items()),
        ]
        admissions = [(h, a.simulated, a.passport.rpartition(":")[2], a.says) for h, a in self.admissions.items()]
        answers = [
            (*group, hearing.trials[item], hearing.hearers[person], *row)
            for group, hearing in self.hearings.items()
            for item, person, row in zip(hearing.items, hearing.participants, hearing.values.tolist(), strict=True)
        ]
        samples = [
            (s.origin, s.trial.id, s.participant, s.text, s.is_right, sorted(s.scores.items())) for s in self.samples
        ]
        return {
            "trials": with_labels(trial_digests(asked, [()] * len(asked)), labels),
            "scores": text_digests(map(repr, scores)),
            "outputs": text_digests(map(repr, self.digest_outputs().items())),
            "answers": text_digests(map(repr, [*admissions, *answers, *samples])),
        }


class HeardCorpus(HeardRun):
    """A corpus in which people answered what systems wrote, such as `pragma`: its domains are sets of systems on the same items.

    No person described the items, so the references of a caption are the captions of the other systems' families. The
    value of a system is the mean of its items.
    """

    def __init__(self, name: str) -> None:
        opened = open_corpus(name)
        self.folder, self.source, self.signed = Path(name), opened.source, {}
        corpus = catalogue.create("corpus", name)
        self.trials = {t.id: t for t in corpus.trials()}
        self.responses = [r for r in corpus.responses() if r.system is not None and r.description is not None]
        if not self.responses:
            raise InputError(
                f"the corpus {name} has no answers of hearers to descriptions by systems",
                remedy="name run folders, a CSV file, or a corpus such as pragma",
            )
        self.systems = list(dict.fromkeys(str(r.system) for r in self.responses))
        self.domains = [str(d) for d in dict.fromkeys(self._find_domain(r) for r in self.responses) if d is not None]
        # reasoning.10 and reasoning.1000 are one speaker with more or fewer samples.
        self.families = {system: system.partition(".")[0] for system in self.systems}
        self._by_domain = {}
        self.hearings = group_responses(self.responses, self.trials)[0]
        self.admissions = _admit_hearers(self.hearings, self.signed, {})
        texts = (r.description.text or "" for r in self.responses if r.description is not None)
        self._word_counts = Counter(word for text in texts for word in text.lower().split())
        self._values = self._measure_captions()
        self.samples = self._read_samples(corpus)

    def _measure_captions(self) -> ItemTable:
        """Measure every caption against those of other families; add its length and mean log word frequency."""
        captions = {(str(r.system), r.trial): r.description for r in self.responses if r.description is not None}
        by_trial: dict[str, dict[str, Description]] = {}
        for (system, trial), caption in captions.items():
            by_trial.setdefault(trial, {})[system] = caption
        family = self.families
        table: ItemTable = {}
        for metric in TEXT_MEASURES:
            measure = catalogue.configure("metric", metric)
            for (system, trial), caption in captions.items():
                others = [d for s, d in by_trial[trial].items() if family[s] != family[system]]
                if others:
                    row = measure.statistics(Batch.of([caption], [self.trials[trial]], [others]))
                    value = float(measure.finish(row[0], np.array(1.0)))
                    if not isnan(value):
                        table.setdefault(metric, {})[system, trial] = value
        for key, caption in captions.items():
            for name, value in self._measure_words(caption.text or "").items():
                table.setdefault(name, {})[key] = value
        return table

    def _measure_words(self, text: str) -> dict[str, float]:
        """Return the length of a caption and the mean log frequency of its words in all captions of systems."""
        words, counts = text.lower().split(), self._word_counts
        frequency = {"word frequency": sum(log(counts[w] or 1) for w in words) / len(words)} if words else {}
        return {"words": float(len(words)), **frequency}

    def _read_samples(self, corpus: Any) -> list[SampledAnswer]:
        """Return the answers to samples of one speaker, with the speaker's own scores."""
        return [
            SampledAnswer(
                origin=f"{self.source.corpus}: {trial.domain}, samples",
                trial=trial,
                participant=response.hearer,
                text=text,
                is_right=response.entity in trial.targets,
                scores={**self._measure_words(text), **scores},
            )
            for trial, response, scores in (corpus.samples() if hasattr(corpus, "samples") else ())
            if (text := (response.description or Description()).text or "")
        ]

    def name_origin(self, trial: str) -> str:
        """Return the set of items that a trial belongs to."""
        return f"{self.source.corpus}: {self.trials[trial].domain}"

    def item_values(self) -> ItemTable:
        """Return values by measure, system and trial."""
        return self._values

    def read_automatic_scores(self, domain: str | None) -> dict[tuple[str, str], float | None]:
        """Return the means of every system and measure, in one domain or overall."""
        values: dict[tuple[str, str], list[float]] = {}
        for metric, rows in self._values.items():
            for (system, trial), value in rows.items():
                if domain in (None, self.trials[trial].domain):
                    values.setdefault((system, metric), []).append(value)
        return {key: sum(v) / len(v) for key, v in values.items()}

    def digest_outputs(self) -> dict[str, str]:
        """Return no digests: the families of these systems follow from their names."""
        return {}


def _admit_hearers(
    hearings: Iterable[tuple[str, str]], signed: Mapping[str, str], cards: Mapping[str, Mapping[str, Any]]
) -> dict[str, Admission]:
    """Return the admission of every hearer by name."""
    hearers = dict.fromkeys(hearer for _, hearer in hearings)
    return {h: OF_PEOPLE if h == PEOPLE else admit(h, signed.get(h, ""), cards) for h in hearers}


class RowNames:
    """The names of the systems of several runs on one sheet, and their families."""

    def __init__(self, heard: Sequence[HeardRun]) -> None:
        everyone = [s for h in heard for s in h.systems]
        self.twice = {s for s in everyone if everyone.count(s) > 1}
        digests = {s: digest for h in heard for s, digest in h.digest_outputs().items()} if len(heard) == 1 else None
        families = find_family_names([s for s in dict.fromkeys(everyone) if s != HUMAN], digests)
        families |= {system: family for h in heard for system, family in h.families.items()}
        named = {(run.folder, s): self.name_row(run, s) for run in heard for s in run.systems}
        self.families = {row: families.get(s, s) for (_, s), row in named.items() if s in families or s in self.twice}

    def name_row(self, run: HeardRun, system: str) -> str:
        """Return the name of a system's row, with the run folder in front if several runs have the system."""
        return f"{run.folder.name}/{system}" if system in self.twice else system


def find_sampling_units(heard: Sequence[HeardRun]) -> tuple[str, ...] | None:
    """Return the sampling units of the runs' corpora; None if the corpora differ in them.

    None if they differ, so that recurring units are used instead.
    """
    samplings = {run.source.sampled for run in heard}
    return samplings.pop() if len(samplings) == 1 else None
