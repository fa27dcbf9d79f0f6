"""Which piece is meant: the ranking machine."""

from __future__ import annotations

import numpy as np
import pytest
from situations import PIECES, cursor, dialogue, said

from referee.errors import NotTrained
from referee_lab.tangram.models.candidates import DISCOURSE_NAMES
from referee_lab.tangram.models.history import Situation, list_situations
from referee_lab.tangram.models.invented_sessions import Habits, invent_sessions
from referee_lab.tangram.models.resolution import (
    FEATURE_SETS,
    PUBLISHED_ACCURACY,
    ReferenceResolver,
    evaluate_resolvers,
    learn_ranking,
)


def pointing(n: int = 30) -> list[Situation]:
    """Pronouns for what the cursor is over, descriptions for what fits."""
    names, parts = list(PIECES), []
    for i in range(n):
        start, target = 4000.0 * (i + 1), names[(i * i + i // 3) % 3]
        parts.append(cursor(start - 300, start + 300, target if i % 2 else names[(names.index(target) + 1) % 3]))
        words = "that" if i % 2 else f"the {PIECES[target]['size']} {PIECES[target]['shape']}"
        parts.append(said(start, words, target, dpr=bool(i % 2)))
    return list_situations([dialogue(*parts)])


def test_separate_models_learn_that_pronouns_point_and_descriptions_fit() -> None:
    situations = pointing()
    resolver = ReferenceResolver().fit(situations[:20])
    for s in situations[20:]:
        chances = dict(resolver.probabilities(s))
        assert sum(chances.values()) == pytest.approx(1)
        assert max(chances, key=lambda p: chances[p]) == s.target


def test_a_pronoun_in_place_of_a_description_is_resolved_to_the_piece_under_the_cursor() -> None:
    situations = pointing()
    resolver = ReferenceResolver().fit(situations)
    described = next(s for s in situations[2:] if not s.pronoun)
    over = next(p for p, st in described.standings.items() if st.cursor_over)
    assert over != described.target
    chances = dict(resolver.probabilities(described, text="that", pronoun=True))
    assert max(chances, key=lambda p: chances[p]) == over


def test_without_evidence_all_pieces_are_equally_likely_and_accuracy_is_chance() -> None:
    situations = list_situations(
        [dialogue(said(1000, "that", t, dpr=True), name=f"d{i}") for i, t in enumerate(list(PIECES) * 4)]
    )
    chances = ReferenceResolver(DISCOURSE_NAMES).fit(situations).probabilities(situations[0])
    assert [c for _, c in chances] == pytest.approx([1 / 3] * 3)
    found = evaluate_resolvers(situations, folds=4)
    assert [a.value for a in found if a.model == "one model"] == pytest.approx([1 / 3] * 4)
    assert next(a for a in found if a.model == "others").value is None


def test_the_pairwise_machine_orders_by_the_feature_that_decides() -> None:
    rng = np.random.default_rng(1)
    rows = [rng.random((5, 3)) for _ in range(80)]
    places = [int(r[:, 1].argmax()) for r in rows]
    weights = learn_ranking(rows, places)
    assert abs(weights[1]) > 5 * max(abs(weights[0]), abs(weights[2]))
    assert np.mean([int((r @ weights).argmax()) == p for r, p in zip(rows, places, strict=True)]) > 0.9


def test_the_cursor_helps_pronouns_and_hardly_the_rest_as_in_print() -> None:
    found = evaluate_resolvers(
        list_situations(invent_sessions(1, Habits(pairs=2, references=300, plurals=30))), folds=5
    )
    value = {(a.model, a.features): a.value or 0.0 for a in found}
    for printed in (value, {(m, f): v for m, row in PUBLISHED_ACCURACY.items() for f, v in row.items()}):
        gain = {m: printed[m, "+ action history"] - printed[m, "discourse"] for m in ("pronouns", "others")}
        assert gain["pronouns"] > 0.15
        assert abs(gain["others"]) < 0.1
    assert {a.features for a in found} == set(FEATURE_SETS)


def test_an_untrained_resolver_says_so() -> None:
    with pytest.raises(NotTrained):
        ReferenceResolver().scores(pointing(2)[0])


def test_weights_of_other_dialogues_are_tested_on_all_new_ones() -> None:
    """Every new situation is tested once, and none of those that were learned from: the table of one fold by hand."""
    sessions = invent_sessions(3)
    train, test = list_situations(sessions[:12]), list_situations(sessions[12:16])
    rows = {(r.model, r.features): r for r in evaluate_resolvers(test, train=train)}
    assert rows["separate models", "+ both"].n == len(test)
    assert rows["pronouns", "+ both"].n == sum(s.pronoun for s in test)
    resolver = ReferenceResolver().fit(train)
    hits = []
    for s in test:
        scores = resolver.scores(s)
        first = np.isclose(scores, scores.max())
        hits.append(first[list(s.standings).index(s.target)] / first.sum())
    assert rows["separate models", "+ both"].value == pytest.approx(np.mean(hits))
