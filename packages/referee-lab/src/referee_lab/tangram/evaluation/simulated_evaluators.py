"""Task-performance evaluation without people.

Simulated evaluators watch a clip, read an utterance and choose a piece (after Spanger et al. 2013, section 5).

An evaluator knows only the content of the clip. A trained resolver gives the probability of every piece. Evaluators
differ in how sharply they distinguish pieces, sometimes press the wrong button, answer "I don't know" if no piece is
clearly best, and replay more and take longer when unsure. All of this is invented and labelled so; it serves to test
analyses before people are asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from referee.errors import InputError
from referee.jobs.progress import report_progress
from referee.records import Description, Entity, Event, Outcome, Property, Response, Scene, Trial
from referee_lab.tangram.evaluation.replacement import FP_DP, EvaluationMaterial, Item, collect_material, make_lists
from referee_lab.tangram.evaluation.task_performance import MARGIN, Evaluation, Review, evaluate, review_confusion
from referee_lab.tangram.models.context import hide_unseen_events
from referee_lab.tangram.models.demonstratives import ALL, Classification, classify
from referee_lab.tangram.models.history import iterate_situations, list_situations
from referee_lab.tangram.models.resolution import ReferenceResolver
from referee_lab.tangram.tiers.dialogue import EXPRESSION, Dialogue
from referee_lab.tangram.tiers.reference_forms import is_pronoun

SIMULATED = "simulated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluators:
    """How simulated evaluators behave; times in milliseconds on a log-normal scale, invented."""

    # Spanger et al. 2013: 34 in two groups.
    per_group: int = 17
    sharpness_sd: float = 0.2
    person_time_sd: float = 0.2
    time_sd: float = 0.3
    lapse: float = 0.01
    dont_know_below: float = 0.25
    reading_ms: float = 900.0
    per_character_ms: float = 25.0
    choosing_ms: float = 1500.0
    per_bit_ms: float = 1200.0
    repeats_per_bit: float = 0.15


def convert_to_trials(items: Iterable[Item], synthetic: bool = False) -> list[Trial]:
    """Return one trial per situation: the pieces, the target and the words."""
    trials: dict[str, Trial] = {}
    for item in items:
        s = item.situation
        entities = (Entity(id=p, attributes=tuple(Property(k, v) for k, v in a.items())) for p, a in s.pieces.items())
        trials[item.id] = Trial(
            id=item.id,
            scene=Scene(entities=tuple(entities)),
            targets=(s.target,),
            domain={7: "tangram", 12: "pentominoes"}.get(len(s.pieces), "dialogue"),
            # Both FP conditions belong to one situation, hence to one trial.
            condition=None if item.context else item.condition.removesuffix("-DP").removesuffix("-Orig"),
            language=s.language,
            # Intervals of scores go by pair.
            speaker=s.pair,
            references=(Description(text=s.text, speaker=s.pair),),
            meta={
                "dialogue": s.dialogue,
                # As in the items of dialogues: intervals by game are by pair.
                "game": s.pair,
                "clip_ms": [item.clip.start_ms, item.clip.end_ms],
                "synthetic": synthetic,
                "pronoun": s.pronoun,
            },
        )
    return list(trials.values())


def simulate_evaluators(
    lists: Sequence[Sequence[Item]],
    dialogues: Sequence[Dialogue],
    resolver: ReferenceResolver,
    seed: int = 1,
    evaluators: Evaluators | None = None,
) -> list[Response]:
    """Return the responses of simulated evaluators to each list, in a random order for each evaluator."""
    habits, rng = evaluators or Evaluators(), np.random.default_rng(seed)
    dialogues_by_id = {d.id: d for d in dialogues}
    # The floor keeps a piece that the resolver excludes from becoming minus infinity.
    scores = {
        (i.id, i.condition): {
            p: log(max(c, 1e-12)) for p, c in overhear(i, dialogues_by_id[i.situation.dialogue], resolver).items()
        }
        for i in report_progress([item for items in lists for item in items], "what evaluators overhear")
    }
    responses = []
    for group, items in enumerate(lists):
        for person in range(habits.per_group):
            name = f"{SIMULATED}-{group + 1}-{person + 1:02}"
            sharp, slow = np.exp(rng.normal(0, (habits.sharpness_sd, habits.person_time_sd)))
            for place in rng.permutation(len(items)):
                item = items[place]
                responses.append(
                    _simulate_answer(item, scores[item.id, item.condition], name, sharp, slow, habits, rng)
                )
    return responses


def overhear(item: Item, dialogue: Dialogue, resolver: ReferenceResolver) -> dict[str, float]:
    """Return the probabilities of the pieces for an overhearer who saw only the clip."""
    *_, overheard = (None, *iterate_situations(hide_unseen_events(dialogue, item.situation, item.clip)))
    if overheard is None or overheard.onset_ms != item.situation.onset_ms:
        raise InputError(f"{item.id} is not in its own clip", remedy="cut clips from the dialogue they belong to")
    if item.expression == item.situation.text:
        return dict(resolver.probabilities(overheard))
    words = Event(kind=EXPRESSION, text=item.expression)
    is_pronominal = item.condition == FP_DP or is_pronoun(words, dialogue.language)
    return dict(resolver.probabilities(overheard, text=item.expression, pronoun=is_pronominal))


def _simulate_answer(
    item: Item,
    scores: Mapping[str, float],
    name: str,
    sharp: float,
    slow: float,
    habits: Evaluators,
    rng: np.random.Generator,
) -> Response:
    """Return the answer of one simulated evaluator to an item."""
    pieces = list(scores)
    # Minus the highest score, so that no exponential overflows.
    weights = np.exp(sharp * (np.array([scores[p] for p in pieces]) - max(scores.values())))
    chances = (1 - habits.lapse) * weights / weights.sum() + habits.lapse / len(pieces)
    # No chance is 0 here: a lapse leaves something for every piece.
    bits = float(-(chances * np.log2(chances)).sum())
    unsure = chances.max() < habits.dont_know_below
    repeats = int(rng.poisson(habits.repeats_per_bit * bits))
    reading = (habits.reading_ms + habits.per_character_ms * len(item.expression)) * slow
    # Published times include watching again, which takes as long as the clip.
    choosing = (habits.choosing_ms + habits.per_bit_ms * bits) * slow + 1000 * item.clip.seconds * repeats
    spread = np.exp(rng.normal(0, habits.time_sd, 2))
    return Response(
        trial=item.id,
        hearer=name,
        system=item.condition,
        outcome=Outcome.DONT_KNOW if unsure else Outcome.ENTITY,
        entity=None if unsure else str(rng.choice(pieces, p=chances)),
        description=Description(text=item.expression),
        reading_ms=round(float(reading * spread[0]), 1),
        identification_ms=round(float(choosing * spread[1]), 1),
        repeats=repeats,
        flags=(SIMULATED,),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """Everything a rehearsal made, from the classifier to the tables."""

    classification: Classification
    material: EvaluationMaterial
    lists: tuple[list[Item], list[Item]]
    trials: list[Trial]
    responses: list[Response]
    evaluation: Evaluation
    review: Review | None


def rehearse(
    dialogues: Sequence[Dialogue],
    training: Sequence[Dialogue],
    *,
    seed: int = 1,
    ties: str = "strict",
    margin: float = MARGIN,
) -> Rehearsal:
    """Run a whole evaluation with simulated evaluators: classify, choose, replace, answer, analyse.

    The evaluators' resolver is trained on the dialogues of `training`.
    """
    classification = classify(list_situations(dialogues), seed=seed)
    material = collect_material(classification, seed)
    lists = make_lists(material)
    items = [*lists[0], *lists[1]]
    if not items:
        raise InputError(
            "no reference has a clip that can be shown",
            remedy="give more dialogues: a clip needs an earlier mention and an earlier action on the target within 30 s",
        )
    # On other dialogues: an ear that had learned from these would know the answers.
    resolver = ReferenceResolver().fit(list_situations(training))
    responses = simulate_evaluators(lists, dialogues, resolver, seed)
    trials = convert_to_trials(items, synthetic=any(d.synthetic for d in dialogues))
    evaluation = evaluate(responses, trials, ties=ties, margin=margin)
    confusion = classification.row(ALL).confusion
    return Rehearsal(
        classification=classification,
        material=material,
        lists=lists,
        trials=trials,
        responses=responses,
        evaluation=evaluation,
        review=None if evaluation.moved is None else review_confusion(confusion, evaluation.moved),
    )
