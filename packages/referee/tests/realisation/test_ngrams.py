"""The language model adds up to one and gives the values of a calculation by hand; the search finds what enumeration finds."""

from __future__ import annotations

from itertools import permutations, product
from math import log
from random import Random

import pytest

from referee.realisation.cheapest_string import find_cheapest_string, list_open_slots, make_slot_order
from referee.realisation.ngrams import END, START, NgramModel

STRINGS = [s.split() for s in ("the red chair", "the chair", "a red chair facing left", "red chair", "the large desk")]


def test_probabilities_are_those_of_a_calculation_by_hand() -> None:
    """Strings "a b" and "a c", bigrams, discount 3/4. Words follow 1 (a), 1 (b), 1 (c) and 2 (end) contexts, five in all, four words, so
    P(b) = (1 - .75)/5 + .75·4/5·1/5 = .17 and P(end) = (2 - .75)/5 + .12 = .37; an unknown word has .12. After a: b and c once each, so
    P(b | a) = (1 - .75)/2 + .75·2/2·.17 = .2525.
    """
    model = NgramModel([["a", "b"], ["a", "c"]], order=2, discount=0.75)
    assert model.compute_probability("b") == pytest.approx(0.17)
    assert model.compute_probability(END) == pytest.approx(0.37)
    assert model.compute_probability("never") == pytest.approx(0.12)
    assert model.compute_probability("b", ["a"]) == pytest.approx(0.2525)
    assert model.compute_surprisal(["a", "b"]) == pytest.approx(
        -log(model.compute_probability("a", [START]) * 0.2525 * model.compute_probability(END, ["b"]))
    )


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_probabilities_of_every_context_add_up_to_one(order: int) -> None:
    model = NgramModel(STRINGS, order=order)
    contexts = [(), ("the",), ("the", "red"), ("never", "heard"), (START, START), ("red", "chair")]
    for context in contexts:
        total = sum(model.compute_probability(word, context) for word in [*model.vocabulary, "<never heard>"])
        assert total == pytest.approx(1.0)


def test_bigrams_agree_with_nltk_but_for_the_floor() -> None:
    """NLTK's Kneser-Ney has no uniform floor under its unigrams; with the share of the lower order taken out, bigrams agree."""
    from nltk.lm import KneserNeyInterpolated
    from nltk.lm.preprocessing import padded_everygram_pipeline

    grams, words = padded_everygram_pipeline(2, STRINGS)
    theirs = KneserNeyInterpolated(2, discount=0.5)
    theirs.fit(grams, words)
    ours = NgramModel(STRINGS, order=2, discount=0.5)
    for context, word in (("the", "red"), ("red", "chair"), ("a", "red")):
        followers = {s[i + 1] for s in STRINGS for i in range(len(s) - 1) if s[i] == context}
        times = sum(s[:-1].count(context) for s in STRINGS)
        share = 0.5 * len(followers) / times
        direct = ours.compute_probability(word, [context]) - share * ours.compute_probability(word)
        assert direct == pytest.approx(theirs.score(word, [context]) - share * theirs.score(word))


def test_an_empty_model_still_answers() -> None:
    assert NgramModel([]).compute_surprisal(["red"]) == pytest.approx(0.0)


def _random_slots(rng: Random, slots: int) -> list[list[tuple[tuple[str, ...], float]]]:
    words = ["the", "red", "chair", "facing", "left", "large", "desk"]
    return [
        [(tuple(rng.choices(words, k=rng.randint(1, 3))), rng.random()) for _ in range(rng.randint(1, 3))]
        for _ in range(slots)
    ]


@pytest.mark.parametrize("balance", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_the_search_finds_the_cheapest_of_all_strings(seed: int, balance: float) -> None:
    model = NgramModel(STRINGS)
    slots = _random_slots(Random(seed), 4)

    def cost(chosen: tuple[tuple[tuple[str, ...], float], ...]) -> float:
        words = [w for phrase, _ in chosen for w in phrase]
        return balance * sum(own for _, own in chosen) + (1 - balance) * model.compute_surprisal(words)

    everything = [order for chosen in product(*slots) for order in permutations(chosen)]
    found = find_cheapest_string(slots, list_open_slots(4, None), model, balance)
    assert found is not None
    assert found[1] == pytest.approx(min(map(cost, everything)))
    fixed = find_cheapest_string(slots, make_slot_order(4), model, balance)
    assert fixed is not None
    assert fixed[1] == pytest.approx(min(map(cost, product(*slots))))


def test_a_window_lets_phrases_move_only_a_little() -> None:
    model = NgramModel([["c", "b", "a"]] * 5)
    slots = [[((w,), 0.0)] for w in "abc"]
    free, near = (
        find_cheapest_string(slots, list_open_slots(3, None), model),
        find_cheapest_string(slots, list_open_slots(3, 2), model),
    )
    assert free is not None
    assert free[0] == ("c", "b", "a")
    assert near is not None
    assert near[0][0] != "c"


def test_a_slot_that_cannot_be_filled_makes_the_string_impossible() -> None:
    assert find_cheapest_string([[], [(("a",), 0.0)]], make_slot_order(2), NgramModel(STRINGS)) is None
