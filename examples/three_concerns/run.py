"""Van Deemter & Gatt (2007) doubt Dice for three reasons: asymmetric costs, discriminatory power, equidistance. Do hearers share the doubts?

    python examples/three_concerns/run.py [--trials 200]

Simulated: every description of a corpus (TUNA where REFEREE_DATA is set, else the synthetic one) is changed by one property (omitted, added, exchanged),
each version is measured against the original and given to two hearers, which say what they take to be meant and how long that takes (times as people's in
Degen 2020 depend on length, doubt and surplus). Human: Degen 2020, with the authors' codes, against the listeners' success and times.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from answered import Answered, degen, in_like_conditions, score

from referee import catalogue
from referee.contracts import FloatArray
from referee.courtroom.item_evidence import Association, auc, rank_correlation
from referee.hearers.times import Timed
from referee.jobs.listen import show_to_hearer
from referee.records import Description, Outcome, Property, Response, Trial

MEASURES = (
    "set/dice",
    "set/edit",
    "scene/remaining",
    "scene/dice.specificity",
    "meaning/denotation",
    "meaning/ontology",
)
HEARERS = ("literal", "noisy")
OMITTED, ADDED, EXCHANGED = "omitted", "added", "exchanged"
Scores = dict[str, FloatArray]
Part = tuple[str, Callable[["Version"], bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A description with one property changed; for each hearer its belief in the target, whether it pointed at it, and how long it took (None: unknown)."""

    row: Answered
    change: str
    belief: dict[str, float]
    right: dict[str, float]
    milliseconds: dict[str, float | None]


PARTS: tuple[Part, ...] = (
    ("all versions", lambda v: True),
    ("1 asymmetric costs: omitted or added", lambda v: v.change != EXCHANGED),
    ("2 discriminatory power: omitted", lambda v: v.change == OMITTED),
    ("3 equidistance: exchanged", lambda v: v.change == EXCHANGED),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--trials", type=int, default=200)
    options = parser.parse_args()
    name = "tuna" if os.environ.get("REFEREE_DATA") else "synthetic"
    trials = [t for t in catalogue.create("corpus", name).trials() if _usable(t)][: options.trials]
    coded = in_like_conditions(degen(coded=True)) if name == "tuna" else []
    hearers = {hearer: timed(hearer, coded) for hearer in HEARERS}
    versions = [v for t in trials for v in _heard(t, hearers)]
    print(f"# Simulated hearers, {name}: {len(trials)} descriptions, {len(versions)} versions\n")
    scores = _scores([v.row for v in versions])
    _show_changes(versions, scores)
    _show_clocks(hearers)
    for hearer in HEARERS:
        _show_simulated(hearer, versions, scores)
    if name == "tuna":
        rounds = in_like_conditions(degen(coded=False))
        _show_people(rounds, "properties read from the words, AUC for finding", _success)
        _show_people(coded, "the authors' codes, rho with time", _time)
        _show_directions(coded)
    else:
        print("\nREFEREE_DATA is not set: no people here, and the synthetic speakers say nothing about them.")


def _usable(trial: Trial) -> bool:
    said = trial.references[0].properties if trial.references else None
    return bool(said) and len(trial.targets) == 1 and trial.scene.denotation(said or ()) & trial.target_mask > 0


# -- versions ------------------------------------------------------------------------------------------------------------------


def versions_of(trial: Trial) -> Iterator[tuple[str, tuple[Property, ...]]]:
    """The first reference with one property left out, one more that is true, or one false value of the scene in place of a true one."""
    said = tuple(dict.fromkeys(trial.references[0].properties or ()))
    target = trial.scene.entity(trial.targets[0])
    for prop in said:
        if len(said) > 1:
            yield OMITTED, tuple(p for p in said if p != prop)
        others = {p for p in trial.scene.extensions if p.name == prop.name and not target.has(p)}
        for other in islice(sorted(others), 3):
            yield EXCHANGED, tuple(other if p == prop else p for p in said)
    names = {p.name for p in said}
    for prop in target.attributes:
        if prop.name not in names:
            yield ADDED, (*said, prop)


def timed(name: str, rows: Sequence[Answered]) -> Timed:
    """A hearer whose times grow with length, doubt and surplus as those of people who read the same properties; without people it has no clock."""
    trials = {r.trial.id: r.trial for r in rows}
    answers = [
        Response(
            trial=r.trial.id,
            hearer=r.game,
            outcome=Outcome.ENTITY,
            entity=r.trial.targets[0],
            description=Description(properties=r.description.properties),
            identification_ms=r.milliseconds,
        )
        for r in rows
        if r.right
    ]
    return Timed(catalogue.create("hearer", name)).fit(trials.values(), answers)


def _heard(trial: Trial, hearers: dict[str, Timed]) -> Iterator[Version]:
    alone = replace(trial, references=trial.references[:1], history=(), episode=())
    view, target = show_to_hearer(trial, 1), trial.targets[0]
    for change, properties in versions_of(trial):
        description = Description(properties=properties)
        answers: dict[str, Response] = {n: h.resolve(description, view) for n, h in hearers.items()}
        row = Answered(
            description=description, trial=alone, right=0.0, milliseconds=None, game=trial.speaker or "", group=change
        )
        yield Version(
            row=row,
            change=change,
            belief={n: dict(a.probabilities or ()).get(target, 0.0) for n, a in answers.items()},
            right={n: float(a.outcome == Outcome.ENTITY and a.entity == target) for n, a in answers.items()},
            milliseconds={n: _total(a) for n, a in answers.items()},
        )


def _total(answer: Response) -> float | None:
    known = answer.reading_ms is not None and answer.identification_ms is not None
    return (answer.reading_ms or 0) + (answer.identification_ms or 0) if known else None


# -- tables --------------------------------------------------------------------------------------------------------------------


def _scores(rows: Sequence[Answered], taxonomy: dict[str, str | None] | None = None) -> Scores:
    switches = {"meaning/ontology": {"taxonomy": taxonomy}} if taxonomy else {}
    return {m: score(rows, m, **switches.get(m, {})) for m in MEASURES}


def _show_changes(versions: Sequence[Version], scores: Scores) -> None:
    """What one change costs, in every measure, in the hearers' belief and in their time."""
    heads = [*MEASURES, *(f"{h}: belief in the target" for h in HEARERS), *(f"{h}: time (ms)" for h in HEARERS)]
    print(_row("change", "n", *heads), _row(*["---"] * (len(heads) + 2)), sep="\n")
    for change in (OMITTED, ADDED, EXCHANGED):
        mine = [i for i, v in enumerate(versions) if v.change == change]
        means = [float(np.nanmean(scores[m][mine])) for m in MEASURES]
        beliefs = [float(np.mean([versions[i].belief[h] for i in mine])) for h in HEARERS]
        times = [_mean([versions[i].milliseconds[h] for i in mine]) for h in HEARERS]
        print(_row(change, len(mine), *(f"{x:.3f}" for x in (*means, *beliefs)), *times))


def _mean(values: Sequence[float | None]) -> str:
    known = [v for v in values if v is not None]
    return f"{np.mean(known):.0f}" if known else "–"


def _show_clocks(hearers: dict[str, Timed]) -> None:
    """What the hearers' times are made of."""
    for name, hearer in hearers.items():
        if hearer.times_ is not None:
            found = ", ".join(f"{c.name} {c.estimate:+.2f} ± {c.error:.2f}" for c in hearer.times_.coefficients)
            print(
                f"\nlog time of the {name} hearer ({hearer.times_.n} answers of {hearer.times_.clusters} pairs): {found}"
            )


def _show_simulated(hearer: str, versions: Sequence[Version], scores: Scores) -> None:
    print(f"\n## The {hearer} hearer: rho with its belief in the target, AUC for pointing at it, rho with its time\n")
    print(_row("measure", *(name for name, _ in PARTS)), _row(*["---"] * (len(PARTS) + 1)), sep="\n")
    print(_row("n", *(sum(map(belongs, versions)) for _, belongs in PARTS)))
    for measure in MEASURES:
        cells = []
        for _, belongs in PARTS:
            mine = [i for i, v in enumerate(versions) if belongs(v)]
            values, speakers = _turned(measure, scores[measure][mine]), [versions[i].row.game for i in mine]
            rho = rank_correlation(values, [versions[i].belief[hearer] for i in mine], speakers)
            area = auc(values, [versions[i].right[hearer] for i in mine], speakers)
            clock = rank_correlation(values, [versions[i].milliseconds[hearer] for i in mine], speakers)
            cells.append(f"{_told(rho)}; {_told(area)}; {_told(clock)}")
        print(_row(measure, *cells))


def _turned(measure: str, values: FloatArray) -> FloatArray:
    """Values such that more is better."""
    return -values if catalogue.create("metric", measure).direction == "lower" else values


def _show_people(rows: Sequence[Answered], told: str, statistic: Callable[..., Association]) -> None:
    """Every measure against what people did, over all rounds and over those that bear on each concern."""
    taxonomy = {k: v for r in rows if r.group == "exp3" for k, v in _levels(r.trial)}
    scores = _scores(rows, taxonomy)
    parts: tuple[tuple[str, list[int]], ...] = (
        ("all", list(range(len(rows)))),
        ("1 asymmetric costs: fewer or more than others say", [i for i, r in enumerate(rows) if _fewer_or_more(r)]),
        ("2 discriminatory power: experiments 2 and 3", [i for i, r in enumerate(rows) if r.group != "exp1"]),
        ("3 equidistance: experiment 3 (levels)", [i for i, r in enumerate(rows) if r.group == "exp3"]),
    )
    games, missed = len({r.game for r in rows}), sum(not r.right for r in rows)
    print(f"\n# People, Degen 2020, {told}: {len(rows)} rounds of {games} games, {missed} not found\n")
    print(_row("measure", *(name for name, _ in parts)), _row(*["---"] * (len(parts) + 1)), sep="\n")
    print(_row("n (not found)", *(f"{len(c)} ({sum(not rows[i].right for i in c)})" for _, c in parts)))
    for measure in MEASURES:
        values = _turned(measure, scores[measure])
        found = (statistic(values[c], [rows[i] for i in c]) for _, c in parts)
        print(_row(measure, *map(_told, found)))


def _time(values: FloatArray, rows: Sequence[Answered]) -> Association:
    """Rank correlation with the times of correct answers: negative where what scores better is found faster."""
    times = [r.milliseconds if r.right else None for r in rows]
    return rank_correlation(values, times, [r.game for r in rows])


def _success(values: FloatArray, rows: Sequence[Answered]) -> Association:
    """AUC: above .5 where what scores better is found more often."""
    return auc(values, [r.right for r in rows], [r.game for r in rows])


def _levels(trial: Trial) -> Iterable[tuple[str, str | None]]:
    """Every value with the next one above it."""
    for entity in trial.scene.entities:
        values = [p.value for p in entity.attributes]
        yield from zip(values, [*values[1:], None], strict=True)


def _usual(row: Answered) -> frozenset[Property]:
    sets = [frozenset(d.properties or ()) for d in row.trial.references]
    return max(sets, key=lambda s: (sets.count(s), sorted(s)))


def _fewer_or_more(row: Answered) -> bool:
    said, usual = frozenset(row.description.properties or ()), _usual(row)
    return said < usual or said > usual


def _show_directions(rows: Sequence[Answered]) -> None:
    """Median times of those who said fewer, the same, or more than most others in the condition."""
    kinds = {"fewer": lambda s, u: s < u, "the same": lambda s, u: s == u, "more": lambda s, u: s > u}
    print("\n" + _row("properties against what most others said", "n", "median time (ms)"))
    print(_row(*["---"] * 3))
    for kind, holds in kinds.items():
        mine = [r for r in rows if holds(frozenset(r.description.properties or ()), _usual(r))]
        times = [r.milliseconds for r in mine if r.milliseconds is not None]
        print(_row(kind, len(mine), f"{np.median(times):.0f}" if times else "–"))


def _told(found: Association) -> str:
    if found.value is None:
        return "–"
    bounds = f" [{found.low:+.2f}, {found.high:+.2f}]" if found.low is not None and found.high is not None else ""
    return f"{found.value:+.2f}{bounds}"


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
