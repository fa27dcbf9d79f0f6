"""The common parts of cards of hearers and judges: identity, ranking, human ceiling, and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import repeat
from typing import Any

import numpy as np

from referee import __version__, catalogue
from referee.contracts import FloatArray
from referee.hearers.passports.areas import Area
from referee.hearers.passports.ceilings import Ceiling
from referee.hearers.passports.examination import Examination, count_units
from referee.hearers.passports.measures import describe_units
from referee.hearers.passports.named_hearer import find_family, name_of
from referee.hearers.passports.people import HumanAnswer, People
from referee.hearers.passports.quoting import DIGITS
from referee.hearers.passports.ranking import RankAgreement, Ranked, rank
from referee.records import Outcome
from referee.signature import digest, fingerprint, text_digests, trial_digests
from referee.statistics.dependent_trials import Clusters

PEOPLE, SYSTEMS = "people", "systems"


def identify(examination: Examination, people: People, about_it: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that identify the hearer and the data."""
    return {
        "hearer": name_of(examination.hearer),
        "corpus": people.name,
        "corpus_is_file": people.name not in catalogue.names("corpus"),
        "kind": about_it["kind"],
        "trained_on": about_it["trained_on"],
    }


def find_families(examination: Examination, people: People, hearer_name: str) -> dict[str, Any]:
    """Return the hearer's family (declared, or from its model's or its own name), and those of the speakers it reads or
    judges.
    """
    speakers = {a.response.system or PEOPLE for a in people.answers} | set(examination.families)
    families = sorted({find_family(s) for s in speakers})
    return {
        "hearer_family": find_family(hearer_name),
        "speakerfamilies_of": families,
        "same_family": find_family(hearer_name) in families,
    }


def make_recorded_fields(examination: Examination, people: People, checksum: str, kind: str) -> dict[str, Any]:
    """Return the fields of an externally asked hearer; its training data and inputs are unknown."""
    name = name_of(examination.hearer)
    return {
        "kind": kind,
        "trained_on": None,
        "signature": f"{name}|answers:{checksum[:DIGITS]}|version:{__version__}",
        "reads": None,
        "read": {},
        "leaks": [],
        **find_families(examination, people, name.partition(":")[2]),
    }


def rank_people(
    examination: Examination, people: People, belief: FloatArray, clusters: Clusters
) -> RankAgreement | None:
    """Return how a hearer's or judge's probabilities rank units that differ in human success."""
    return rank(_choose_ranked_kind(people, belief), clusters, examination.resamples, examination.seed)


def _choose_ranked_kind(people: People, belief: FloatArray) -> Ranked:
    """Return the kind of unit to rank: systems if answers name three or more, else games, else speakers."""
    right = np.array([has_found_target(a) for a in people.answers], dtype=float)
    trials = {a.trial.id: i for i, a in enumerate(people.answers)}
    items = np.array([trials[a.trial.id] for a in people.answers], dtype=np.int64)
    over, units = _find_units(people.answers)
    return Ranked(over=over, paired=over == SYSTEMS, units=units, items=items, human=right, hearer=belief)


def _find_units(answers: Sequence[HumanAnswer]) -> tuple[str, list[str | None]]:
    """Return the units to rank (systems, games or speakers) and the unit of each answer."""
    systems = [a.response.system for a in answers]
    if len({s for s in systems if s is not None}) > 2:
        return SYSTEMS, systems
    games = [None if a.trial.meta.get("game") is None else str(a.trial.meta["game"]) for a in answers]
    return ("games", games) if any(games) else ("speakers", [a.trial.speaker for a in answers])


def has_found_target(answer: HumanAnswer) -> bool:
    """Return whether the person found the target."""
    return answer.response.outcome == Outcome.ENTITY and answer.response.entity == answer.trial.targets[0]


def set_beside_people(ceiling: Ceiling | None, ranking: RankAgreement | None) -> dict[str, Any]:
    """Return the fields on ranking and on how well people predict people."""
    return {
        "rank_agreement": None if ranking is None else asdict(ranking),
        "ceiling": None if ceiling is None else asdict(ceiling),
    }


def make_area_fields(condition: Area, game: Area) -> dict[str, Any]:
    """Return the intervals of the areas within conditions and games."""
    return {"auc_within_condition": condition.interval, "auc_within_game": game.interval}


def list_settings(examination: Examination, people: People, clusters: Clusters) -> dict[str, Any]:
    """Return the settings of the examination."""
    return {
        "left_out": people.left_out,
        "by": examination.by,
        "limit": examination.limit,
        "units": len(count_units(people, examination.by)),
        "intervals_over": describe_units(clusters, len(people.answers)),
        "seed": examination.seed,
        "resamples": examination.resamples,
        "data_checksum": _hash_answers(people),
        "version": __version__,
    }


def _hash_answers(people: People) -> str:
    """Return a hash of scenes, questions and answers with their times, in any order: a card on other data is another card."""
    trials = {a.trial.id: a.trial for a in people.answers}.values()
    lines = (
        f"{a.trial.id}\t{a.description.text}\t{a.description.properties}\t{r.hearer}\t{r.entity or r.outcome}"
        f"\t{r.reading_ms}\t{r.identification_ms}"
        for a in people.answers
        for r in (a.response,)
    )
    return digest(fingerprint(trial_digests(trials, repeat(()))) + fingerprint(text_digests(lines)))
