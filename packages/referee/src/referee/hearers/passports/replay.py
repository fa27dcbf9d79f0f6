"""Evaluates an externally asked hearer by its recorded answers.

No questions, so no probes, and positions are those it was shown.
"""

from __future__ import annotations

from dataclasses import replace

from referee.errors import InputError
from referee.hearers.passports.answer_columns import read_belief
from referee.hearers.passports.examination import Beliefs, Examination, make_question, share_out
from referee.hearers.passports.named_hearer import name_of
from referee.hearers.passports.people import HumanAnswer, People, find_unit
from referee.hearers.recorded import Recorded
from referee.jobs.listen import show_to_hearer
from referee.signature import digest


def select_answers(people: People, answered: set[str]) -> People:
    """Return people's answers to trials that the hearer answered, without answers to systems' descriptions."""
    rest = people.without((a, reason) for a in people.answers if (reason := _explain_missing(a, answered)))
    if not rest.answers:
        raise InputError(
            "the recorded hearer and people answered no trial in common",
            remedy="name the corpus whose trials it was asked about (--corpus NAME)",
        )
    return rest


def _explain_missing(answer: HumanAnswer, answered: set[str]) -> str | None:
    """Return the reason why an answer cannot be used; None if it can."""
    if answer.trial.id not in answered:
        return "not asked of this hearer"
    return "to a system's description" if answer.response.system is not None else None


def replay(recorded: Recorded, people: People, examination: Examination) -> Beliefs:
    """Return recorded answers as beliefs.

    Kappa uses random positions, as for other hearers; position bias also uses those it was shown.
    """
    folds = share_out(people, examination)
    heard, name = Beliefs({}, {}, {}), name_of(recorded.name)
    for answer in people.answers:
        question, trial = make_question(answer), answer.trial
        if question in heard.beliefs:
            continue
        belief = read_belief(recorded.answers[trial.id], show_to_hearer(trial, examination.seed), name)
        places = {entity: place for place, entity in enumerate(recorded.places[trial.id])}
        heard.beliefs[question] = replace(belief, shown=places)
        heard.folds[trial.id] = folds[find_unit(trial, examination.by)]
    return heard


def hash_answers(recorded: Recorded) -> str:
    """Return the hash of the answers and the displayed order; other answers of the same name are another hearer."""
    return digest(
        "\n".join(
            f"{trial}\t{answer.entity or answer.outcome}\t{answer.probabilities}\t{recorded.places[trial]}"
            for trial, answer in sorted(recorded.answers.items())
        )
    )
