"""Do cards hold for people, items and experiments that they were not made from?

A card has a prediction interval of AUC and accuracy in a new experiment of its kind. Here parts are held out: each experiment in turn; a third of the
people, or of the items, of every experiment. The hearer is measured on the rest, an interval is made from that for as many answers as were held out, and
the values of the held-out part are looked up in it. Only intervals that earn a verdict count (five experiments, at most .30 wide).
`--court pragma` holds out each set of items from the court's `pooled` in turn.

    REFEREE_DATA=FOLDER python benchmarks/held_out.py rsa literal
"""

from __future__ import annotations

import argparse
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from referee.courtroom.answered_items import _list_answers, _measure_success_by_corpus
from referee.courtroom.heard_runs import HeardCorpus, RowNames, TrialSettings
from referee.courtroom.item_evidence import make_association
from referee.hearers.passports.people import HumanAnswer, open_people
from referee.hearers.passports.questions import Examination
from referee.hearers.passports.reading import choose_reading
from referee.hearers.passports.transfer import (
    LEAST_ANSWERS,
    WIDEST,
    AnsweredExperiment,
    Experiment,
    ask_experiments,
    sum_up,
)
from referee.metrics.hearing import PEOPLE
from referee.statistics.meta_analysis import pool, standard_error

CORPORA = {"retrieval": "tangrams-hawkins", "majority": "tangrams-hawkins"}
PARTS = 3
Label = Callable[[HumanAnswer], str]


def label_person(answer: HumanAnswer) -> str:
    """Return who answered."""
    return answer.response.hearer or answer.trial.id


def label_item(answer: HumanAnswer) -> str:
    """Return what was answered: target and description."""
    return f"{answer.trial.scene.id or answer.trial.id} {answer.trial.targets} {answer.description.text}"


def is_held_out(label: str, number: int) -> bool:
    """Return whether a person or an item is in one of three parts."""
    return zlib.crc32(label.encode()) % PARTS == number


def select(experiment: AnsweredExperiment, label: Label, number: int, held_out: bool) -> AnsweredExperiment:
    """Return an experiment with the answers of one part, or with all others."""
    answers = tuple(a for a in experiment.people.answers if is_held_out(label(a), number) == held_out)
    return replace(experiment, people=replace(experiment.people, answers=answers))


def look_up(rest: Sequence[Experiment], new: Experiment) -> Iterator[tuple[str, bool]]:
    """Yield for AUC and accuracy whether the new value is in an interval that earned a verdict."""
    transfer = sum_up(rest, size=new.n)
    if transfer is None:
        return
    bounds = {
        "AUC": (new.auc, transfer.low, transfer.high),
        "accuracy": (new.accuracy, transfer.accuracy_low, transfer.accuracy_high),
    }
    for name, (value, low, high) in bounds.items():
        if value is not None and low is not None and high is not None and high - low <= WIDEST:
            yield name, low <= value <= high


def try_hearer(hearer: str, corpus: str) -> Counter[tuple[str, str, bool]]:
    """Return how many held-out values lie inside their intervals, by way of holding out and value."""
    examination = Examination(hearer=hearer, corpus=corpus, beside=False)
    people = choose_reading(open_people(corpus), examination.reads).people
    answered = ask_experiments(examination, people)
    whole = [e.measure() for e in answered]
    outcomes: Counter[tuple[str, str, bool]] = Counter()
    for i, new in enumerate(whole):
        outcomes.update(("experiments", *found) for found in look_up([*whole[:i], *whole[i + 1 :]], new))
    for way, label in (("people", label_person), ("items", label_item)):
        for number in range(PARTS):
            rest = [select(e, label, number, False).measure() for e in answered]
            for experiment in answered:
                part = select(experiment, label, number, True)
                if len(part.people.answers) >= LEAST_ANSWERS:
                    outcomes.update((way, *found) for found in look_up(rest, part.measure()))
    return outcomes


def try_court(name: str) -> Counter[bool]:
    """Return how many AUCs of a set of items lie inside the prediction from the other sets."""
    heard = HeardCorpus(name)
    settings = TrialSettings()
    table = heard.item_values()
    answers = list(_list_answers(heard, table, PEOPLE, RowNames([heard])))
    parts = _measure_success_by_corpus(list(table), PEOPLE, answers, [heard], settings)
    outcomes: Counter[bool] = Counter()
    for measure in table:
        found = [make_association(parts[origin][measure], 0.5) for origin in parts if measure in parts[origin]]
        known = [
            (a.value, standard_error(a.low, a.high))
            for a in found
            if a.value is not None and a.low is not None and a.high is not None
        ]
        for i, (value, error) in enumerate(known):
            values, errors = zip(*known[:i], *known[i + 1 :], strict=True)
            made = pool(values, errors, new_error=error, limits=(0.0, 1.0))
            if made.new_low is not None and made.new_high is not None:
                outcomes[made.new_low <= value <= made.new_high] += 1
    return outcomes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--court", metavar="CORPUS", help="hold out sets of items from the court instead")
    parser.add_argument("hearers", nargs="*", default=["rsa", "literal", "retrieval"])
    options = parser.parse_args()
    if options.court:
        inside = try_court(options.court)
        print(f"court on {options.court}: {inside[True]} of {inside.total()} AUCs of measures lie inside")
        return
    print("| hearer | held out | AUC: inside, of all | accuracy: inside, of all |\n| --- | --- | --- | --- |")
    for hearer in options.hearers:
        outcomes = try_hearer(hearer, CORPORA.get(hearer, "franke-degen2016"))
        for way in ("experiments", "people", "items"):
            cells = [
                f"{outcomes[way, name, True]} of {outcomes[way, name, True] + outcomes[way, name, False]}"
                for name in ("AUC", "accuracy")
            ]
            print(f"| {hearer} | {way} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
