"""The sentences of a report: a methods paragraph for a paper."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from referee import __version__
from referee.show.reports.best_system import ALPHA, join_names
from referee.show.reports.correlation_tables import FEWEST
from referee.show.reports.hearing_section import NO_PASSPORT, NOBODY, PEOPLE, HearingRows, standing_of
from referee.show.reports.material import HUMAN, Material, origin

__all__ = ["methods", "name_clusters", "reference_counts"]


def methods(material: Material, style: str | None, hearing: HearingRows = NOBODY) -> list[str]:
    """Return the methods paragraph, sentence by sentence, about this run only."""
    return [
        _data(material),
        *_training(material),
        _references(material),
        *_intervals(material),
        *_letters(material),
        *_correlations(material),
        *_hearers(hearing),
        *_challenge(style),
        *_outcomes(material),
        f"All numbers were computed with Referee {_versions(material)}; the signature of every measure is given with the tables.",
    ]


def _data(material: Material) -> str:
    """Return the sentence on the data."""
    systems = [s for s in material.systems if s != HUMAN]
    speakers = material.trials["speaker"].drop_nulls().n_unique()
    authors = f" by {speakers:,} speakers" if speakers > 1 else ""
    domains = material.levels("domain")
    where = f" in {len(domains)} domains ({join_names(domains)})" if 1 < len(domains) < 6 else ""
    checksum = material.scored[0].checksum[:12]
    kind = ", a SYNTHETIC corpus (generated scenes and descriptions, no human data; " if material.synthetic else " ("
    many = "1 system was" if len(systems) == 1 else f"{len(systems)} systems were"
    scored = f"{many} scored on {material.trials.height:,} trials{authors}{where}"
    return f"{scored} of {material.corpus}{kind}SHA-256 {checksum}…)."


def _training(material: Material) -> list[str]:
    """Return which splits `referee run` trained and tested on."""
    # From the folder that `referee run` made, also where this one was only scored again.
    cuts = [c for s in material.scored for c in origin(s.run).get("splits") or () if isinstance(c, dict)]
    names = list(dict.fromkeys(str(c.get("name")) for c in cuts))
    seeds = {c.get("seed") for c in cuts}
    if not names:
        return []
    which = join_names(names) if len(names) < 3 else f"{names[0]} to {names[-1]}"
    seed = f" (seed {seeds.pop()})" if len(seeds) == 1 else ""
    return [f"Systems that learn were trained and tested on the cuts {which}{seed}, never on the same trials."]


def _references(material: Material) -> str:
    """Return the sentence on references and measures."""
    others = material.scored[0].settings.get("references") == "others"
    against = "what other speakers said of the same scene" if others else "the descriptions of their own trial"
    # Only where there is a value: a measure without any value is not mentioned.
    whole = [m for m in material.measures if m not in material.averages and _measured(material, m)]
    text = f"Outputs were held against {against}, with the measures {join_names(material.measures)}."
    if whole:
        text += f" {join_names(whole)} {'was' if len(whole) == 1 else 'were'} computed over whole sets and never averaged over items."
    many = reference_counts(material)
    if many and many != "1":
        text += f" Each output was held against {many} descriptions at once where a measure can (BLEU, NIST), so their values are those of {many} references."
    return text


def reference_counts(material: Material) -> str:
    """Return the number of references for an output, ``1`` or ``2 to 5``; empty if no signature has it."""
    matches = [re.search(r"\|against:[a-z]+-([0-9.]+)", str(r.get("signature") or "")) for r in material.scores]
    return next((m[1].replace("..", " to ") for m in matches if m), "")


def _hearers(hearing: HearingRows) -> list[str]:
    """Return a sentence on the hearers, the number of their answers, and their clusters."""
    answer_counts: dict[str, tuple[int, str]] = {}
    for row in hearing.rows:
        if row["measure"] == "ir":
            n, clusters = answer_counts.get(row["hearer"], (0, ""))
            answer_counts[row["hearer"]] = (n + row["n"], row.get("cluster") or clusters)
    if not answer_counts:
        return []
    hearers = [
        f"{_hearer(name, hearing)} ({n:,} answers{f'; clusters: {over}' if over else ''})"
        for name, (n, over) in answer_counts.items()
    ]
    return [
        f"Descriptions were read by {join_names(hearers)}; answers of people and of simulated hearers were counted by the same code."
    ]


def _hearer(name: str, hearing: HearingRows) -> str:
    """Return a hearer with signature and passport."""
    if name == PEOPLE:
        return "people"
    signed, standing = hearing.signatures.get(name, ""), standing_of(name, hearing)
    about = ", ".join(
        part for part in (signed, "no passport" if standing == NO_PASSPORT else f"passport: {standing}") if part
    )
    return f"the simulated hearer {name} [{about}]"


def _measured(material: Material, measure: str) -> bool:
    return any(material.value(s, measure) is not None for s in material.systems)


def _intervals(material: Material) -> list[str]:
    """Return the sentence on intervals."""
    confidence = float(material.scored[0].settings.get("confidence", 0.95))
    return [
        f"Intervals have {confidence:.0%} confidence and come from leaving out one cluster at a time (jackknife, Student's t, longer towards a long "
        f"tail after Hall 1983); clusters are {name_clusters(material)}."
    ]


def name_clusters(material: Material) -> str:
    """Name the sampling units with their numbers: ``13 scenes crossed with 60 speakers``."""
    clusters = material.clusters(material.trials["trial"].to_list())
    sizes = [f"{n:,} {name}{'s' * (n != 1)}" for name, n in zip(clusters.names, clusters.sizes(), strict=True)]
    return " crossed with ".join(sizes) if sizes else "single trials"


def _letters(material: Material) -> list[str]:
    """Return the sentence on letters; empty for one system."""
    k = len(material.systems)
    if k < 2 or not material.averages:
        return []
    # All pairs, people among the systems included.
    pairs = k * (k - 1) // 2
    return [
        f"Systems that share a letter do not differ at α = {ALPHA:g} in t-tests paired by item over these clusters, corrected by Holm's "
        f"method for the {pairs} pair{'s' * (pairs > 1)} of systems (a separate family per measure)."
    ]


def _correlations(material: Material) -> list[str]:
    """Return the sentence on correlations."""
    systems = [s for s in material.systems if s != HUMAN]
    if len(systems) < FEWEST:
        return []
    return [
        f"Correlations between measures are Pearson's r over the {len(systems)} systems, each with its range when any one system is left out."
    ]


def _challenge(style: str | None) -> list[str]:
    """Return the sentence on the tests of TUNA 2008."""
    if style is None:
        return []
    return [
        "The tables in the shape of the TUNA 2008 overview follow its tests: SYSTEM x DOMAIN analysis of variance (type III) with the item as the unit, "
        "Tukey's homogeneous subsets at α = .05, Kruskal-Wallis for accuracy, Pearson correlations."
    ]


def _outcomes(material: Material) -> list[str]:
    """Return the sentence on answers with problems."""
    total: dict[str, int] = {}
    for counts in material.counts.values():
        for kind, n in counts.items():
            total[kind] = total.get(kind, 0) + n
    parts = [f"{n:,} {kind}" for kind, n in total.items() if n]
    return [f"Answers that could not be taken as they were: {join_names(parts)}."] if parts else []


def _versions(material: Material) -> str:
    # Runs may have been scored by another version than the one that reports.
    made = {str(_version(s.run.manifest)) for s in material.scored}
    return join_names(sorted(made | {__version__}))


def _version(manifest: Mapping[str, Any]) -> Any:
    return manifest.get("version", __version__)
