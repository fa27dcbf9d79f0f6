"""Replaces expressions and assigns items to groups.

The lists of a task-performance evaluation (Spanger et al. 2013, section 5.1).

All usable false positives of a classifier are shown with the original expression and with a pronoun, to two groups in
turn (FP1 original and FP2 with the pronoun, and the reverse). True positives and false negatives are sampled with the
corpus's distribution of cursor and handling. Only the solver's expressions are used: the evaluator always has the
operator's role.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TypeVar

import numpy as np

from referee_lab.tangram.models.candidates import fits
from referee_lab.tangram.models.context import Clip, Unusable, cut
from referee_lab.tangram.models.demonstratives import Classification
from referee_lab.tangram.models.history import Situation
from referee_lab.tangram.tiers.dialogue import OPERATOR
from referee_lab.tangram.tiers.reference_forms import choose_demonstrative

Thing = TypeVar("Thing")
# Beyond it a machine is sure of the other class.
MARGIN = -1.0
NAME_PRONOUN = "--pronoun WORD"
TP, FN, FP_DP, FP_ORIG = "TP", "FN", "FP-DP", "FP-Orig"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One trial of an evaluation: a situation, its clip, the utterance, and the position of the expression in it."""

    situation: Situation
    clip: Clip
    condition: str
    utterance: str
    span: tuple[int, int]
    # The context that the clip shows, where a study varies it.
    context: str = ""

    @property
    def id(self) -> str:
        return self.situation.id

    @property
    def expression(self) -> str:
        return self.utterance[self.span[0] : self.span[1]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationMaterial:
    """The stimuli: FP1 and FP2, true positives, false negatives, and the reasons for unused instances."""

    fp1: tuple[tuple[Situation, Clip], ...]
    fp2: tuple[tuple[Situation, Clip], ...]
    tp: tuple[tuple[Situation, Clip], ...]
    fn: tuple[tuple[Situation, Clip], ...]
    usable: Counter[str]
    unusable: Counter[tuple[str, str]]


def replace_expression(situation: Situation, words: str | None = None) -> tuple[str, tuple[int, int]] | None:
    """Return the utterance with the original expression or with `words`, and its position; None if absent."""
    utterance = (
        situation.utterance.text if situation.utterance is not None and situation.utterance.text else situation.text
    )
    span = situation.expression.data.get("span")
    # Files of other programs give the words only; the first place where they occur is taken.
    start = utterance.find(situation.text) if span is None else int(span[0])
    if start < 0:
        return None
    end = start + len(situation.text) if span is None else int(span[1])
    new = situation.text if words is None else words
    return utterance[:start] + new + utterance[end:], (start, start + len(new))


def is_unique_by_words(situation: Situation) -> bool:
    """Return whether the words alone identify one piece, as *the parallelogram* does."""
    return sum(fits(situation.text, piece, situation.pieces) for piece in situation.pieces.values()) == 1


def sample_in_proportion(
    things: Sequence[Thing], n: int, kind: Callable[[Thing], object], whole: Counter[object], rng: np.random.Generator
) -> list[Thing]:
    """Draw `n` things with kinds in the proportions of `whole`; other kinds replace a kind that is short.

    Where a kind is short, others fill up.
    """
    by_kind: defaultdict[object, list[Thing]] = defaultdict(list)
    for place in rng.permutation(len(things)):
        by_kind[kind(things[place])].append(things[place])
    total = sum(whole[k] for k in by_kind)
    shares = {k: n * whole[k] / total if total else 0.0 for k in by_kind}
    quota = {k: min(int(share), len(by_kind[k])) for k, share in shares.items()}
    while sum(quota.values()) < min(n, len(things)):
        open_kinds = [k for k in by_kind if quota[k] < len(by_kind[k])]
        # repr settles equal remainders alike in every process.
        quota[max(open_kinds, key=lambda k: (shares[k] - quota[k], repr(k)))] += 1
    return [thing for k, chosen in by_kind.items() for thing in chosen[: quota[k]]]


def collect_material(
    classification: Classification, seed: int = 1, *, fp: int = 36, tp: int = 20, fn: int = 20
) -> EvaluationMaterial:
    """Return the instances of each kind with a usable clip, at most `fp`, `tp` and `fn` of them.

    False positives surest first, split evenly into two halves.
    """
    rng = np.random.default_rng(seed)
    usable: dict[str, list[tuple[Situation, Clip]]] = {"TP": [], "FN": [], "FP": []}
    unusable: Counter[tuple[str, str]] = Counter()
    order = sorted(range(len(classification.situations)), key=lambda i: -classification.decisions[i])
    for place in order:
        kind, situation = classification.category(place), classification.situations[place]
        if kind not in usable:
            continue
        clip = _find_clip(situation)
        if isinstance(clip, Unusable):
            unusable[kind, clip.reason] += 1
        else:
            usable[kind].append((situation, clip))
    # Section 5.1 shares them out as in the whole corpus, not as among the usable instances.
    whole: Counter[object] = Counter(_get_operation(s) for s in classification.situations)
    # Two halves of equal size, each with as many expressions that are unique by their words. Stable, after the shuffle:
    # those that name their piece come first and are dealt out in turn (7 and 8 in the paper).
    false_positives = usable["FP"][: fp - fp % 2]
    mixed = [false_positives[i] for i in rng.permutation(len(false_positives))]
    mixed.sort(key=lambda pair: not is_unique_by_words(pair[0]))
    even = len(mixed) - len(mixed) % 2
    chosen = {
        k: sample_in_proportion(usable[k], n, lambda pair: _get_operation(pair[0]), whole, rng)
        for k, n in (("TP", tp), ("FN", fn))
    }
    return EvaluationMaterial(
        fp1=tuple(mixed[0:even:2]),
        fp2=tuple(mixed[1:even:2]),
        tp=tuple(chosen["TP"]),
        fn=tuple(chosen["FN"]),
        usable=Counter({k: len(v) for k, v in usable.items()}),
        unusable=unusable,
    )


def find_threshold(classification: Classification, *, fp: int = 36, tp: int = 20, fn: int = 20) -> float:
    """Return the highest threshold up to 0, in hundredths, with enough usable instances of each kind.

    Returns 0 if no threshold within the margin has enough. The decisions are those without a threshold.
    """
    usable = [
        (d, s.pronoun)
        for d, s in zip(classification.decisions, classification.situations, strict=True)
        if isinstance(_find_clip(s), Clip)
    ]
    others = sorted((d for d, pronoun in usable if not pronoun), reverse=True)
    if len(others) < fp or (fp and others[fp - 1] > 0):
        return 0.0
    lowered = (ceil(100 * others[fp - 1]) - 1) / 100 if fp else 0.0
    hits = sum(pronoun and d > lowered for d, pronoun in usable)
    missed = sum(pronoun and d <= lowered for d, pronoun in usable)
    return lowered if lowered >= MARGIN and hits >= tp and missed >= fn else 0.0


def _find_clip(situation: Situation) -> Clip | Unusable:
    """Return the clip of a situation, or the reason why it cannot be used."""
    if situation.expression.by == OPERATOR:
        return Unusable(reason="said by the operator")
    if replace_expression(situation) is None:
        return Unusable(reason="the expression is not found in its utterance")
    return cut(situation)


def _get_operation(situation: Situation) -> tuple[bool, bool]:
    return situation.standing.handled_now, situation.standing.cursor_over


def make_lists(material: EvaluationMaterial, pronoun: str | None = None) -> tuple[list[Item], list[Item]]:
    """Return the trials of the two groups.

    Each evaluator sees every situation once, in an individual order.
    """

    def items(pairs: Sequence[tuple[Situation, Clip]], condition: str) -> list[Item]:
        return [_make_item(s, clip, condition, pronoun) for s, clip in pairs]

    shared = items(material.tp, TP) + items(material.fn, FN)
    first = items(material.fp1, FP_ORIG) + items(material.fp2, FP_DP) + shared
    second = items(material.fp1, FP_DP) + items(material.fp2, FP_ORIG) + shared
    return first, second


def _make_item(situation: Situation, clip: Clip, condition: str, pronoun: str | None) -> Item:
    """Return the item of a situation in a condition, with its words."""
    words = (pronoun or choose_demonstrative(situation.language, NAME_PRONOUN)) if condition == FP_DP else None
    shown = replace_expression(situation, words)
    assert shown is not None  # only situations whose expression was found are collected
    return Item(situation=situation, clip=clip, condition=condition, utterance=shown[0], span=shown[1])
