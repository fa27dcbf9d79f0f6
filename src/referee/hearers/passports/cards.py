"""The passport of a simulated hearer: a card, computed on human answers, that says whether the hearer may be used as a measure (`referee passport`).

The card carries the hash of all that it says, its settings and a checksum of the data included; scores made with the hearer carry the hash, too.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from referee import __version__
from referee.capabilities import family_word
from referee.errors import InputError, MalformedInput
from referee.files import write_atomically
from referee.hearers.passports.answer_columns import Belief, tabulate
from referee.hearers.passports.examination import (
    Begin,
    Beliefs,
    Examination,
    fitting_folds,
    hear_everything,
    question_of,
)
from referee.hearers.passports.fitness import Probe, decide_fitness
from referee.hearers.passports.measures import AnswerColumns, Measures, measure
from referee.hearers.passports.named_hearer import family_of, name_of, summon
from referee.hearers.passports.people import People, cluster_of, open_people
from referee.records import Outcome
from referee.signature import digest, signature

__all__ = ["Examination", "cards_of", "examine", "keep_card", "read_card", "sign"]

PEOPLE = "people"
KEPT = "passports"
DIGITS = 12


def examine(examination: Examination, begin: Begin = lambda total: lambda n: None) -> dict[str, Any]:
    """The card of a hearer. `begin` is told how many questions there will be, and gives back what to call as they are answered."""
    summon(examination.hearer, examination.seed)
    people = open_people(examination.corpus, examination.data)
    if examination.limit is not None:
        people = people.some(examination.limit, examination.by, examination.seed)
    examination = fitting_folds(examination, people)
    heard = hear_everything(examination, people, begin)
    units = [cluster_of(a, examination.by) for a in people.answers]
    evidence = tabulate(people.answers, [heard.beliefs[question_of(a)] for a in people.answers], units)
    return _card(examination, people, heard, evidence)


def _card(examination: Examination, people: People, heard: Beliefs, evidence: AnswerColumns) -> dict[str, Any]:
    m = measure(evidence, resamples=examination.resamples, seed=examination.seed)
    probes = {kind: _summary(found) for kind, found in heard.probes.items()}
    beliefs = [heard.beliefs[question_of(a)] for a in people.answers]
    outcomes = Counter(str(b.outcome) for b in beliefs)
    families = _families(examination, people)
    verdict = decide_fitness(
        m,
        probes,
        unread=outcomes[Outcome.UNPARSABLE] / m.n,
        same_family=families["same_family"],
        certain=all(b.certain for b in beliefs),
    )
    hearer = summon(examination.hearer, examination.seed)
    card = {
        "hearer": name_of(examination.hearer),
        "corpus": people.name,
        **_numbers(m),
        "verdict": verdict.word,
        "reasons": list(verdict.reasons),
        **_details(m),
        "time_from": "predicted time" if any(b.predicted_ms is not None for b in beliefs) else "uncertainty",
        "outcomes": dict(sorted(outcomes.items())),
        "probes": {kind: asdict(probe) for kind, probe in probes.items()},
        **families,
        "folds": _by_fold(evidence, [heard.folds[a.trial.id] for a in people.answers], examination),
        "left_out": people.left_out,
        "by": examination.by,
        "limit": examination.limit,
        "units": len(np.unique(evidence.units)),
        "seed": examination.seed,
        "resamples": examination.resamples,
        "signature": signature(name_of(examination.hearer).partition("|")[0], hearer),
        "data_checksum": _checksum(people),
        "version": __version__,
    }
    card = _rounded(card)
    return {**card, "hash": _hash(card)}


def _numbers(m: Measures) -> dict[str, Any]:
    return {
        "n": m.n,
        "accuracy": m.accuracy,
        "human_accuracy": m.human_accuracy,
        "auc": m.auc,
        "kappa": m.kappa,
        "calibration_error": m.calibration.error,
        "time_correlation": m.time_correlation,
        "chance": m.chance,
        "position_bias": m.position.value,
        "log_likelihood": m.log_likelihood,
    }


def _details(m: Measures) -> dict[str, Any]:
    return {
        "intervals": m.intervals,
        "target_probability": m.target_probability,
        "success_kappa": m.success_kappa,
        "calibration_curve": [b._asdict() for b in m.calibration.curve],
        "own_calibration_error": m.own_calibration_error,
        "chance_log_likelihood": m.chance_log_likelihood,
        "ruled_out": m.ruled_out,
        "position_p": m.position.p,
        "position_n": m.position.n,
        "position_rates": {str(size): rates for size, rates in m.position.rates.items()},
        "time_n": m.time_n,
    }


def _summary(found: Sequence[tuple[Belief, float | None]]) -> Probe:
    if not found:
        return Probe(n=0)
    fits = [share for _, share in found if share is not None]
    return Probe(
        n=len(found),
        pointed=sum(b.outcome == Outcome.ENTITY for b, _ in found) / len(found),
        top=sum(b.top for b, _ in found) / len(found),
        fitting=sum(fits) / len(fits) if fits else None,
    )


def _families(examination: Examination, people: People) -> dict[str, Any]:
    """The hearer's family (its own word, or its model's name, or its name) beside those of the speakers it reads or is to judge."""
    hearer = summon(examination.hearer, examination.seed)
    own = family_word(hearer, name_of(examination.hearer).partition("|")[0])
    speakers = {a.response.system or PEOPLE for a in people.answers} | set(examination.families)
    families = sorted({family_of(s) for s in speakers})
    return {"hearer_family": family_of(own), "speaker_families": families, "same_family": family_of(own) in families}


def _by_fold(evidence: AnswerColumns, folds: Sequence[int], examination: Examination) -> list[dict[str, Any]]:
    rows = []
    for fold in range(examination.folds):
        part = measure(evidence.rows(np.array(folds) == fold), resamples=0)
        rows.append({"n": part.n, "accuracy": part.accuracy, "auc": part.auc, "log_likelihood": part.log_likelihood})
    return rows


def _checksum(people: People) -> str:
    """What was asked and answered, as a hash: a card on other data is another card."""
    lines = (
        f"{a.trial.id}\t{a.description.text}\t{a.description.properties}\t{a.response.hearer}\t{a.response.entity or a.response.outcome}"
        for a in people.answers
    )
    return digest("\n".join(lines))


def _rounded(value: Any) -> Any:
    """Six decimals, so that the last digits of another machine make no other card."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, Mapping):
        return {key: _rounded(part) for key, part in value.items()}
    return [_rounded(part) for part in value] if isinstance(value, (list, tuple)) else value


def _hash(card: Mapping[str, Any]) -> str:
    return digest(json.dumps(card, sort_keys=True, ensure_ascii=False, allow_nan=False))


def read_card(path: str | Path) -> dict[str, Any]:
    """A card from its file; one that was changed after it was made does not carry its own hash and is refused."""
    try:
        card = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            "there is no such card", where=path, remedy="make one: referee passport … --out CARD.json"
        ) from None
    except (OSError, ValueError) as error:
        raise MalformedInput(f"the card cannot be read ({error})", where=path, remedy="make it again") from None
    if not isinstance(card, dict) or "hash" not in card:
        raise MalformedInput("this is no passport", where=path, remedy="make one: referee passport … --out CARD.json")
    if card["hash"] != _hash({key: value for key, value in card.items() if key != "hash"}):
        raise MalformedInput("the card was changed after it was made", where=path, remedy="make it again")
    return card


def sign(signed: str, card: Mapping[str, Any]) -> str:
    """A signature that says by which passport its hearer was admitted: ``…|passport:HASH:VERDICT`` with twelve digits of the hash."""
    return f"{signed}|passport:{card['hash'][:DIGITS]}:{card['verdict'].replace(' ', '-')}"


def keep_card(folder: Path, card: Mapping[str, Any]) -> None:
    """Put a card into a run folder, so that whoever reads the run can see it."""
    (folder / KEPT).mkdir(exist_ok=True)
    write_atomically(folder / KEPT / f"{card['hash'][:DIGITS]}.json", [json.dumps(card, ensure_ascii=False, indent=1)])


def cards_of(folder: Path) -> dict[str, dict[str, Any]]:
    """The cards kept in a run folder, by the digits that signatures carry."""
    return {path.stem: read_card(path) for path in sorted((folder / KEPT).glob("*.json"))}
