"""Numbers of docs/hearers.md and docs/corpora.md: ``python benchmarks/pages/hearers.py [closed-games] [scenes] [leaks]``; needs REFEREE_DATA.

The rational hearer beside people in the closed games of Franke & Degen (2016); how much of what hearers find on TUNA is knowing the scene; and how well the
mere presence of a field tells people's success, for every corpus with answers.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from random import Random

import numpy as np

from referee import catalogue
from referee.contracts import Hearer
from referee.corpora.franke_degen import FrankeDegen2016
from referee.corpora.splits import make_folds
from referee.corpora.tuna import Tuna
from referee.hearers.literal import Literal
from referee.hearers.passports.leaks import find_leaks
from referee.hearers.rational_listener import Rational, infer
from referee.records import Outcome, Property, Response, Trial

CREATURE_MESSAGES = tuple(
    (Property(name, value),)
    for name, values in {"species": ("s1", "s2"), "accessory": ("v1", "v2")}.items()
    for value in values
)
CONDITIONS = {"simple": "simple implicature", "complex": "complex implicature", "ambig": "ambiguous"}
ANSWERED = (
    "degen2020 colors colors-mandarin color-grids franke-degen2016 tangrams-hawkins multiparty-tangrams tg-matcher "
    "vlm-tangram tangrams-ref continual-adaptation kth-tangrams"
)


def closed_games() -> None:
    corpus = FrankeDegen2016(os.environ["REFEREE_DATA"], part="comprehension")
    games = list(zip(corpus.trials(), corpus.responses(), strict=True))
    reasoning = infer(Rational(messages=CREATURE_MESSAGES), *zip(*games, strict=True))
    literal = infer(Rational(messages=CREATURE_MESSAGES, depth=0), *zip(*games, strict=True), alphas=[1.0])
    hearers = (Rational(messages=CREATURE_MESSAGES), reasoning.best(), Literal())
    shares = [expected(hearer, games) for hearer in hearers]
    people: dict[str, list[bool]] = defaultdict(list)
    for trial, response in games:
        people[condition(trial)].append(response.entity in trial.targets)
    print("condition: n, people chose the target, alpha 1, fitted, literal")
    for name, right in people.items():
        print(f"{name}: {len(right)} {np.mean(right):.3f} {' '.join(f'{s[name]:.3f}' for s in shares)}")
    for axis in ("alpha", "lapse"):
        low, high = reasoning.interval(axis)
        print(f"{axis}: mean {reasoning.mean(axis):.3f}, 95 % from {low:.3f} to {high:.3f}")
    print(
        f"log-likelihood {reasoning.log_likelihoods.max():.1f}, without reasoning {literal.log_likelihoods.max():.1f}"
    )
    print(f"{len({r.hearer for _, r in games})} people, {len(games)} choices")


def condition(trial: Trial) -> str:
    return CONDITIONS.get(trial.condition or "", "unambiguous")


def expected(hearer: Hearer, games: list[tuple[Trial, Response]]) -> dict[str, float]:
    """By condition, the hearer's mean belief in the target."""
    beliefs: dict[str, list[float]] = defaultdict(list)
    for trial, response in games:
        answered = hearer.resolve(response.description, trial.for_hearer(Random(1)))
        beliefs[condition(trial)].append(dict(answered.probabilities or ()).get(trial.targets[0], 0.0))
    return {name: float(np.mean(values)) for name, values in beliefs.items()}


def scenes() -> None:
    trials = list(Tuna(os.environ["REFEREE_DATA"]).trials())
    print(
        f"people's descriptions in TUNA, n = {len(trials)}, chance {np.mean([1 / len(t.scene.entities) for t in trials]):.2f}"
    )
    for name in ("retrieval", "majority"):
        for by in ("speaker", "scene"):
            found = 0
            for train, test in make_folds(trials, 5, by=by, seed=1):
                hearer = catalogue.create("hearer", name).fit(train)
                answers = ((t, hearer.resolve(t.references[0], t.for_hearer(Random(f"1 {t.id}")))) for t in test)
                found += sum(a.outcome == Outcome.ENTITY and a.entity in t.targets for t, a in answers)
            print(f"{name}, folds by {by}: {100 * found / len(trials):.0f} % found")


def presence() -> None:
    for name in ANSWERED.split():
        corpus = catalogue.create("corpus", name)
        for leak in find_leaks(corpus.trials(), corpus.responses()):
            if leak.area is not None and 0 < leak.present < leak.n:
                right = [f"{s:.3f}" if s is not None else "–" for s in (leak.right_with, leak.right_without)]
                print(
                    f"{name}: {leak.field}: area {leak.strength:.3f}, present {leak.present} of {leak.n}, right {' '.join(right)}"
                )


PARTS = {"closed-games": closed_games, "scenes": scenes, "leaks": presence}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or PARTS:
        PARTS[wanted]()
