"""The cheapest string through a set of slots.

Candidates weighted λ·T + (1-λ)·LM (Di Fabbrizio, Stent & Bangalore 2008).

The authors composed weighted automata. Here the search stores, for each set of used slots and each pair of last words,
only the cheapest path; a trigram model does not distinguish the others, so the result is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from referee.realisation.ngrams import END, NgramModel
from referee.realisation.phrases import Words

Option = tuple[Words, float]
"""A phrase with its own cost, -log P(phrase | properties)."""

Next = Callable[[int], Iterable[int]]
"""Return the slots that may follow, given the set of slots already used (as bits)."""


State = tuple[int, tuple[str, ...]]


def make_slot_order(slots: int) -> Next:
    """Return the function that uses slots in the given order."""
    return lambda covered: [covered.bit_count()] if covered.bit_count() < slots else []


def list_open_slots(slots: int, window: int | None) -> Next:
    """Return the next `window` open slots, counted from the first open one.

    Without a window, any open slot.
    """
    reach = slots if window is None else window

    def follow(covered: int) -> list[int]:
        first = next((i for i in range(slots) if not covered >> i & 1), slots)
        return [i for i in range(first, min(first + reach, slots)) if not covered >> i & 1]

    return follow


def find_cheapest_string(
    slots: Sequence[Sequence[Option]], follow: Next, model: NgramModel, balance: float = 0.0
) -> tuple[Words, float] | None:
    """Return the cheapest string and its cost; None if a slot cannot be filled or the order allows no string."""
    full = (1 << len(slots)) - 1
    layer: dict[State, tuple[float, Words]] = {(0, model.start): (0.0, ())}
    for _ in slots:
        layer = _extend(layer, slots, follow, model, balance)
    ends = [
        (cost + (1 - balance) * model.step((END,), context)[0], words)
        for (covered, context), (cost, words) in layer.items()
        if covered == full
    ]
    if not ends:
        return None
    # Of equally cheap strings the alphabetically first: no order of a dictionary decides.
    cost, words = min(ends)
    return words, cost


def _extend(
    layer: dict[State, tuple[float, Words]],
    slots: Sequence[Sequence[Option]],
    follow: Next,
    model: NgramModel,
    balance: float,
) -> dict[State, tuple[float, Words]]:
    """Return all states with one slot more."""
    longer: dict[State, tuple[float, Words]] = {}
    for (covered, context), (cost, words) in layer.items():
        for i in follow(covered):
            for phrase, phrase_cost in slots[i]:
                surprise, after = model.step(phrase, context)
                state = (covered | 1 << i, after)
                reached = (cost + balance * phrase_cost + (1 - balance) * surprise, words + phrase)
                if state not in longer or reached < longer[state]:
                    longer[state] = reached
    return longer
