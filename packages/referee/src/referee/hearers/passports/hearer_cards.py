"""Makes the card of a hearer that is asked here or was asked elsewhere, or of a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from referee.capabilities import find_family, learns
from referee.errors import InputError
from referee.hearers.passports.answer_columns import Belief, tabulate
from referee.hearers.passports.card_parts import (
    find_families,
    identify,
    list_settings,
    make_area_fields,
    make_recorded_fields,
    rank_people,
    set_beside_people,
)
from referee.hearers.passports.cards import seal
from referee.hearers.passports.ceilings import find_ceiling
from referee.hearers.passports.examination import Begin, Beliefs, Examination, ask_hearer, limit_folds, make_question
from referee.hearers.passports.fitness import Probe, decide_fitness
from referee.hearers.passports.fitted import fit_rational, fit_recorded
from referee.hearers.passports.judge_cards import examine_judge
from referee.hearers.passports.judges import is_judge
from referee.hearers.passports.lessons import Lessons, ask_others, open_lessons
from referee.hearers.passports.measures import AnswerColumns, Measures, measure
from referee.hearers.passports.named_hearer import name_of, summon
from referee.hearers.passports.novelty import ask_about_new
from referee.hearers.passports.people import People, open_people
from referee.hearers.passports.probes import KINDS
from referee.hearers.passports.reading import Reading, add_words, choose_reading
from referee.hearers.passports.replay import hash_answers, replay, select_answers
from referee.hearers.passports.transfer import Transfer, ask_experiments, replay_experiments, sum_up
from referee.hearers.rational_listener import Rational
from referee.hearers.recorded import is_recorded, read_recorded
from referee.models.response_cache import FLAGS
from referee.records import Outcome
from referee.signature import signature

UNREAD = (Outcome.UNPARSABLE, Outcome.DONT_KNOW)


def examine(examination: Examination, begin: Begin = lambda total: lambda n: None) -> dict[str, Any]:
    """Return the card of a hearer.

    `begin` receives the number of questions and returns the progress callback.
    """
    if not is_recorded(examination.hearer):
        return _examine_asked(examination, begin)
    if examination.train is not None:
        raise InputError("a recorded hearer learns nothing here", remedy="leave --train out")
    people = _sample_answers(examination, open_people(examination.corpus, examination.data, silent=True))
    of_kind = examine_judge if is_judge(examination.hearer) else _examine_recorded
    return of_kind(examination, people)


def _sample_answers(examination: Examination, people: People) -> People:
    """Return a random sample of people's answers, if a limit is set."""
    if examination.limit is None:
        return people
    return people.sample_units(examination.limit, examination.by, examination.seed)


def _examine_asked(examination: Examination, begin: Begin) -> dict[str, Any]:
    """Examine a hearer that is available and can be asked."""
    hearer = summon(examination.hearer, examination.seed)
    reading = choose_reading(open_people(examination.corpus, examination.data), examination.reads)
    lessons = _make_lessons(examination, hearer)
    people = _sample_answers(examination, reading.people if lessons is None else ask_others(reading.people, lessons))
    examination = limit_folds(examination, people)
    heard = ask_hearer(examination, people, begin, None if lessons is None else lessons.trials)
    crossed = learns(hearer) and lessons is None
    fitted = fit_rational(hearer, people, examination.folds, examination.seed) if isinstance(hearer, Rational) else None
    name = name_of(examination.hearer).partition("|")[0]
    about_it = {
        "kind": "hearer",
        "trained_on": _describe_training(examination, people, lessons) if learns(hearer) else None,
        "signature": signature(name, hearer),
        **_read(examination, reading),
        **find_families(examination, people, find_family(hearer, name)),
    }
    beside = crossed and examination.beside
    transfer = sum_up([e.measure() for e in ask_experiments(examination, people)])
    return _make_card(examination, people, heard, about_it, beside, transfer, fitted)


def _make_lessons(examination: Examination, hearer: Any) -> Lessons | None:
    """Return the hearer's training data in the form it reads."""
    if examination.train is None:
        return None
    if not learns(hearer):
        raise InputError(f"{name_of(examination.hearer)} learns nothing", remedy="leave --train out")
    lessons = open_lessons(examination.train, examination.data, examination.seed)
    if examination.reads == "properties":
        return lessons
    return Lessons(name=lessons.name, corpus=lessons.corpus, trials=tuple(add_words(t) for t in lessons.trials))


def _describe_training(examination: Examination, people: People, lessons: Lessons | None) -> str:
    return f"{people.name}, other folds by {examination.by}" if lessons is None else lessons.name


def _read(examination: Examination, reading: Reading) -> dict[str, Any]:
    """Return the fields on the hearer's inputs, and on the check for inputs that reveal the outcome."""
    return {
        "reads": examination.reads,
        "read": reading.read,
        "leaks": [
            {"field": x.field, "n": x.n, "present": x.present, "auc": x.strength, "refused": x.refused}
            for x in reading.leaks
        ],
    }


def _examine_recorded(examination: Examination, people: People) -> dict[str, Any]:
    """Examine a hearer whose answers were recorded elsewhere."""
    recorded = read_recorded(examination.hearer, people.trials, _find_corpora_folder(examination))
    people = select_answers(people, set(recorded.answers))
    examination = limit_folds(examination, people)
    about_it = make_recorded_fields(examination, people, hash_answers(recorded), "recorded hearer")
    heard = replay(recorded, people, examination)
    fitted = fit_recorded(recorded, people, examination.folds, examination.seed)
    transfer = sum_up([e.measure() for e in replay_experiments(people, heard.beliefs)])
    return _make_card(examination, people, heard, about_it, False, transfer, fitted)


def _find_corpora_folder(examination: Examination) -> str | Path | None:
    """Return the folder of corpora if `data` is one; a folder or file of people's answers is not."""
    data = None if examination.data is None else Path(examination.data)
    return data if data is not None and data.is_dir() else None


def _make_card(
    examination: Examination,
    people: People,
    heard: Beliefs,
    about_it: Mapping[str, Any],
    beside: bool,
    transfer: Transfer | None,
    fitted: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return the card of a hearer that chooses entities; `beside` tests it on new objects, too."""
    asked = len(people.answers)
    people = _keep_answered(examination, people, heard)
    beliefs = [heard.beliefs[make_question(a)] for a in people.answers]
    evidence = tabulate(people.answers, beliefs, people.clusters())
    m = measure(evidence)
    new = ask_about_new(examination, people, m) if beside else {}
    probes = {kind: _summarise_probes(heard.probes.get(kind, ())) for kind in KINDS}
    outcomes = Counter(str(b.outcome) for b in beliefs)
    asking = Counter(flag for b in beliefs for flag in b.flags if flag in FLAGS)
    ranking = rank_people(examination, people, evidence.target, evidence.clusters)
    ceiling = find_ceiling(evidence.questions, evidence.human_right, evidence.human_choices)
    verdict = decide_fitness(
        m,
        probes,
        ceiling=ceiling,
        unread=sum(outcomes[word] for word in UNREAD) / m.n,
        same_family=about_it["same_family"],
        certain=all(b.certain for b in beliefs),
        ranking=ranking,
        new=new,
        transfer=transfer,
    )
    return seal(
        {
            **identify(examination, people, about_it),
            **_list_main_numbers(m),
            **set_beside_people(ceiling, ranking),
            "verdict": verdict.word,
            "reasons": list(verdict.reasons),
            **_list_details(m),
            "time_from": "predicted time" if any(b.predicted_ms is not None for b in beliefs) else "uncertainty",
            "outcomes": dict(sorted(outcomes.items())),
            **({"asking": dict(sorted(asking.items()))} if asking else {}),
            "probes": {kind: _probe(probe, heard) for kind, probe in probes.items()},
            "transfer": None if transfer is None else transfer.as_json(),
            "fitted": fitted,
            "on_new": {by: asdict(novelty) for by, novelty in new.items()},
            **about_it,
            "folds": _measure_folds(evidence, [heard.folds[a.trial.id] for a in people.answers], examination),
            **list_settings(examination, people, evidence.clusters),
            **({"not_answered": asked - len(beliefs)} if asked > len(beliefs) else {}),
        }
    )


def _keep_answered(examination: Examination, people: People, heard: Beliefs) -> People:
    """Return the answers without questions to which the hearer's endpoint failed.

    They are no evidence about the hearer.
    """
    answers = tuple(a for a in people.answers if heard.beliefs[make_question(a)].answered)
    if not answers:
        raise InputError(
            f"the endpoint of {name_of(examination.hearer)} gave no answers",
            remedy="see that it runs; with --calls FOLDER the same command asks only the missing questions",
        )
    return people if len(answers) == len(people.answers) else replace(people, answers=answers)


def _list_main_numbers(m: Measures) -> dict[str, Any]:
    """Return the main numbers of a card."""
    return {
        "n": m.n,
        "accuracy": m.accuracy,
        "expected_accuracy": m.expected_accuracy,
        "human_accuracy": m.human_accuracy,
        "auc": m.auc,
        "auc_within_condition": m.within_condition.value,
        "auc_within_game": m.within_game.value,
        "kappa": m.kappa,
        "calibration_error": m.calibration.error,
        "time_correlation": m.time_correlation,
        "chance": m.chance,
        "position_bias": m.position.value,
        "position_bias_as_shown": m.position_shown.value,
        "log_likelihood": m.log_likelihood,
    }


def _list_details(m: Measures) -> dict[str, Any]:
    """Return the details of a card: intervals, tests and curves."""
    return {
        "intervals": {**m.intervals, **make_area_fields(m.within_condition, m.within_game)},
        "above_chance": asdict(m.above_chance),
        "pairs_within_condition": m.within_condition.pairs,
        "pairs_within_game": m.within_game.pairs,
        "success_kappa": m.success_kappa,
        "calibration_curve": [b._asdict() for b in m.calibration.curve],
        "own_calibration_error": m.success_calibration_error,
        "chance_log_likelihood": m.chance_log_likelihood,
        "ruled_out": m.ruled_out,
        "position_p": m.position.p,
        "position_p_as_shown": m.position_shown.p,
        "position_n": m.position.n,
        "position_rates": {str(size): rates for size, rates in m.position_shown.rates.items()},
        "time_n": m.time_n,
    }


def _summarise_probes(answers: Sequence[tuple[Belief, float | None]]) -> Probe:
    """Return the summary of the answers to one kind of probe."""
    if not answers:
        return Probe(n=0)
    fits = [share for _, share in answers if share is not None]
    return Probe(
        n=len(answers),
        pointed=sum(b.outcome == Outcome.ENTITY for b, _ in answers) / len(answers),
        top=sum(b.top for b, _ in answers) / len(answers),
        fitting=sum(fits) / len(fits) if fits else None,
    )


def _probe(probe: Probe, heard: Beliefs) -> dict[str, Any]:
    """Return the results of a probe, or the reason why there are none."""
    why = {} if probe.n else {"why": "no such description could be made" if heard.probes else "not asked"}
    return {**asdict(probe), **why}


def _measure_folds(evidence: AnswerColumns, folds: Sequence[int], examination: Examination) -> list[dict[str, Any]]:
    """Return the measures of each fold."""
    rows = []
    for fold in range(examination.folds):
        part = measure(evidence.rows(np.array(folds) == fold), intervals=False)
        rows.append({"n": part.n, "accuracy": part.accuracy, "auc": part.auc, "log_likelihood": part.log_likelihood})
    return rows
