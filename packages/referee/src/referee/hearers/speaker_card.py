"""The card of a speaker: its results in a run by measure and language, never one number; every cell names its evidence.

Identification by people, or by a hearer with a passport; length; redundant words; descriptions that fit other entities;
attributes compared with people's; output for targets without a distinguishing description; similarity of repeated
samples; cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import log2
from typing import Any

import numpy as np

from referee.capabilities import answer_in_parallel, resolve_all
from referee.hearers.answering import split_words, understand
from referee.hearers.passports.fitness import CARE, FIT
from referee.hearers.passports.quoting import read_quote
from referee.jobs.listen import show_to_hearer
from referee.jobs.score_table import DESIGN, Source, choose_clusters
from referee.metrics.hearing import PEOPLE, group_responses
from referee.records import NOT_ANSWERED, Description, Outcome, Property, Response, Trial
from referee.statistics.dependent_trials import Clusters, average_rows, spread

SHARE = (0.0, 1.0)
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardCell:
    """A number with its interval, its number of items, and its evidence.

    Without data it has no value and n = 0.

    `people` is the same for people, if known.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    signed: str = ""
    people: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """The hearer that is asked about descriptions with a word left out, with its signature."""

    hearer: Any
    signed: str
    seed: int = 1


Outputs = Mapping[tuple[str, str], Description]


def make_speaker_cards(
    trials: Sequence[Trial],
    outputs: Outputs,
    responses: Sequence[Response],
    manifest: Mapping[str, Any],
    *,
    sampled: tuple[str, ...] | None = None,
    listening: Listening | None = None,
    confidence: float = 0.95,
    advance: Advance = lambda n: None,
) -> list[dict[str, Any]]:
    """Return one card for every speaker and language; `outputs` are descriptions by system and trial.

    Samples ``LABEL#1``, ``LABEL#2`` … share a card.
    """
    cards = []
    for label, samples in _group_samples(manifest["systems"]).items():
        for language in dict.fromkeys(t.language for t in trials):
            asked = [t for t in trials if t.language == language]
            work = _Work(asked, outputs, samples, sampled, confidence)
            cells = {
                **_measure_identification(work, responses, manifest.get("hearers", {})),
                "words": work.cell(
                    lambda t, d: float(len(split_words(d.text))) if d.text else None, "words of the text"
                ),
                **({} if listening is None else _count_deletable_words(work, listening, advance)),
                "under_specified": work.cell(
                    _is_underspecified,
                    "share of descriptions, as the literal hearer reads them, that fit another entity",
                    SHARE,
                ),
                **_compare_attributes(work),
                **_measure_refusals(work),
                **_measure_stability(work),
                **_measure_cost(samples, manifest),
            }
            cards.append(
                {
                    "speaker": label,
                    "language": language,
                    "trials": len(asked),
                    "samples": len(samples),
                    "signature": manifest.get("signatures", {}).get(samples[0], label),
                    "cells": {name: asdict(cell) for name, cell in cells.items()},
                }
            )
    return cards


def _group_samples(systems: Iterable[str]) -> dict[str, list[str]]:
    """Return the samples of each speaker."""
    samples_by_speaker: dict[str, list[str]] = {}
    for system in systems:
        label, mark, number = system.rpartition("#")
        samples_by_speaker.setdefault(label if mark and number.isdigit() else system, []).append(system)
    return samples_by_speaker


class _Work:
    """A speaker's outputs on the trials of one language, with their clusters."""

    def __init__(
        self,
        trials: Sequence[Trial],
        outputs: Outputs,
        samples: Sequence[str],
        sampled: tuple[str, ...] | None,
        confidence: float,
    ) -> None:
        self.trials, self.samples, self.sampled, self.confidence = trials, samples, sampled, confidence
        self.descriptions = {(s, t.id): outputs[s, t.id] for s in samples for t in trials if (s, t.id) in outputs}

    def cell(
        self,
        measure: Callable[[Trial, Description], float | None],
        signed: str,
        limits: tuple[float | None, float | None] = (0.0, None),
    ) -> CardCell:
        """Return the mean of a measure over all outputs."""
        pairs = [
            (t, self.descriptions[s, t.id]) for s in self.samples for t in self.trials if (s, t.id) in self.descriptions
        ]
        return self.mean([(t, measure(t, d)) for t, d in pairs], signed, limits)

    def mean(
        self, values: Sequence[tuple[Trial, float | None]], signed: str, limits: tuple[float | None, float | None]
    ) -> CardCell:
        """Return a mean with its interval over clusters."""
        scored = [(t, v) for t, v in values if v is not None]
        if not scored:
            return CardCell(value=None, signed=signed)
        clusters = self._choose_clusters([t for t, _ in scored])
        estimate = spread(np.array([[v] for _, v in scored]), average_rows, clusters, self.confidence, limits)
        over = " x ".join(f"{n} {kind}s" for n, kind in zip(clusters.sizes(), clusters.names, strict=True))
        bounds = [None if np.isnan(x) else float(x) for x in (estimate.low, estimate.high)]
        return CardCell(
            value=float(estimate.value),
            low=bounds[0],
            high=bounds[1],
            n=len(scored),
            signed=f"{signed}|over:{over or 'single answers'}",
        )

    def _choose_clusters(self, trials: Sequence[Trial]) -> Clusters:
        factors = Source(sampled=self.sampled).factors(DESIGN)
        return choose_clusters({name: [t.cluster(name) for t in trials] for name in factors}, DESIGN)


def _measure_identification(
    work: _Work, responses: Sequence[Response], signed: Mapping[str, str]
) -> dict[str, CardCell]:
    """Return the share of targets identified by people and by every hearer whose passport allows its use."""
    trials_by_id = {t.id: t for t in work.trials}
    answers = [r for r in responses if r.system in work.samples and r.trial in trials_by_id]
    groups, _ = group_responses(answers, trials_by_id)
    cells, refused = {}, []
    for hearer in dict.fromkeys(name for _, name in groups):
        quoted = read_quote(signed.get(hearer, ""))
        if hearer != PEOPLE and (quoted is None or quoted.verdict not in (FIT, CARE)):
            refused += [f"the passport of {hearer.partition('|')[0]} says: {quoted.verdict}"] if quoted else []
            continue
        rows = [
            (trials_by_id[hearing.trials[i]], float(right))
            for (_, name), hearing in groups.items()
            if name == hearer
            for i, right in zip(hearing.items.tolist(), hearing.values[:, 0].tolist(), strict=True)
        ]
        cells[f"found by {hearer}"] = work.mean(rows, signed.get(hearer, PEOPLE), SHARE)
    nobody = "neither people nor a hearer with a passport answered in this run"
    return cells or {"found": CardCell(value=None, signed="; ".join([nobody, *refused]))}


def _count_deletable_words(work: _Work, listening: Listening, advance: Advance) -> dict[str, CardCell]:
    """Return how many words can be deleted, one at a time, without changing the hearer's choice.

    Only where it found the target.
    """
    values: list[tuple[Trial, float | None]] = []

    def ask(pair: tuple[Trial, Description]) -> tuple[Trial, float | None]:
        """Return a trial with the proportion of shorter descriptions that are understood equally well."""
        trial, description = pair
        view = show_to_hearer(trial, listening.seed)
        whole, *less = resolve_all(listening.hearer, [(d, view) for d in (description, *_iterate_shorter(description))])
        answers = [r for r in less if NOT_ANSWERED not in r.flags]
        identified = whole.outcome == Outcome.ENTITY and (whole.entity,) == trial.targets
        same = sum((r.outcome, r.entity) == (whole.outcome, whole.entity) for r in answers)
        return trial, same / len(answers) if identified and answers else None

    asked = [
        (t, work.descriptions[s, t.id]) for s in work.samples for t in work.trials if (s, t.id) in work.descriptions
    ]
    for trial_share in answer_in_parallel(listening.hearer, ask, asked):
        values.append(trial_share)
        advance(1)
    return {
        "redundant": work.mean(
            values, f"share of words that can be deleted without changing the choice|hearer:{listening.signed}", SHARE
        )
    }


def _iterate_shorter(description: Description) -> list[Description]:
    """Return the description without each of its words; for properties only, without each property."""
    if description.text:
        words = description.text.split()
        return (
            [Description(text=" ".join(words[:i] + words[i + 1 :])) for i in range(len(words))]
            if len(words) > 1
            else []
        )
    properties = description.properties or ()
    return [Description(properties=properties[:i] + properties[i + 1 :]) for i in range(len(properties))]


def _understand_description(trial: Trial, description: Description) -> tuple[Property, ...] | None:
    meaning = understand(description, trial.scene)
    return None if isinstance(meaning, Outcome) else meaning


def _is_underspecified(trial: Trial, description: Description) -> float | None:
    """Return 1 if the description, as an untrained hearer understands it, fits an entity that is no target; 0 if not."""
    meant = _understand_description(trial, description)
    if meant is None or not trial.scene.complete:
        return None
    return float(bool(trial.scene.denotation(meant) & ~trial.target_mask))


def _compare_attributes(work: _Work) -> dict[str, CardCell]:
    """Return the difference between its attributes and people's.

    Jensen-Shannon divergence, and the share of each attribute.
    """
    signed = "attributes as properties, or by words that name one value"
    people_counts: Counter[str] = Counter()
    speaker_counts: Counter[str] = Counter()
    n = 0
    for trial in work.trials:
        for reference in trial.references[:1]:
            people_counts.update({p.name for p in _understand_description(trial, reference) or ()})
        for sample in work.samples:
            description = work.descriptions.get((sample, trial.id))
            meant = None if description is None else _understand_description(trial, description)
            if meant is not None:
                n += 1
                speaker_counts.update({p.name for p in meant})
    if not people_counts or not speaker_counts:
        return {"attributes_js": CardCell(value=None, signed=f"{signed}|nothing to compare")}
    cells = {
        "attributes_js": CardCell(
            value=_compute_divergence(speaker_counts, people_counts), n=n, signed=f"{signed}|Jensen-Shannon, base 2"
        )
    }
    for name in sorted({*speaker_counts, *people_counts}, key=lambda a: (-people_counts[a], a)):
        share = people_counts[name] / people_counts.total()
        signature = f"share of all attributes used|people:{share:.3f}"
        cells[f"uses {name}"] = CardCell(
            value=speaker_counts[name] / speaker_counts.total(), n=n, signed=signature, people=share
        )
    return cells


def _compute_divergence(first: Counter[str], second: Counter[str]) -> float:
    """Return the Jensen-Shannon divergence of two counts, in bits."""
    total = 0.0
    for counts, other in ((first, second), (second, first)):
        for name, count in sorted(counts.items()):
            p, q = count / counts.total(), other[name] / other.total()
            total += p * log2(p / ((p + q) / 2)) / 2
    return total


def _measure_refusals(work: _Work) -> dict[str, CardCell]:
    """Return the proportion of trials without a distinguishing description to which the speaker gives no description."""
    signed = "share of trials with an entity just like the target, or like both, on which nothing is said"
    values: list[tuple[Trial, float | None]] = []
    for trial in work.trials:
        targets = [trial.scene.entity(t) for t in trial.targets]
        others = [e for e in trial.scene.entities if e.id not in trial.targets]
        twin = any(
            (e.attributes, e.relations, e.position) == (t.attributes, t.relations, t.position)
            for t in targets
            for e in others
        )
        if twin:
            values += [(trial, float((s, trial.id) not in work.descriptions)) for s in work.samples]
    return {"refuses_impossible": work.mean(values, signed, SHARE)}


def _measure_stability(work: _Work) -> dict[str, CardCell]:
    """Return the similarity of two samples: the share of pairs with the same words."""
    number = len(work.samples)
    signed = (
        f"share of pairs of {number} samples with the same words" if number > 1 else "one sample alone (--samples N)"
    )
    values: list[tuple[Trial, float | None]] = []
    for trial in work.trials:
        descriptions = [work.descriptions[s, trial.id] for s in work.samples if (s, trial.id) in work.descriptions]
        texts = [tuple(split_words(d.text or "")) for d in descriptions]
        pairs = list(combinations(texts, 2))
        if pairs:
            values.append((trial, sum(a == b for a, b in pairs) / len(pairs)))
    return {"same_words_again": work.mean(values, signed, SHARE)}


def _measure_cost(samples: Sequence[str], manifest: Mapping[str, Any]) -> dict[str, CardCell]:
    """Return tokens and money per description, from the calls that were paid for."""
    counts = [manifest.get("counts", {}).get(s, {}) for s in samples]
    answered = int(sum(c.get("answered", 0) for c in counts))
    tokens = sum(c.get("prompt_tokens", 0) + c.get("completion_tokens", 0) for c in counts)
    if not tokens or not answered:
        return {"cost": CardCell(value=None, signed="no calls were paid for")}
    cost = sum(c.get("cost", 0.0) for c in counts)
    return {
        "tokens": CardCell(value=tokens / answered, n=answered, signed="tokens of all calls / descriptions"),
        "cost": CardCell(value=cost / answered, n=answered, signed="by the prices given, a description"),
    }
