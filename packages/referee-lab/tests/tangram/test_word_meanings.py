"""Words as classifiers."""

from __future__ import annotations

import numpy as np
import pytest

from referee.errors import NotTrained
from referee_lab.tangram.models.figure_reference import Use, WordMeanings, compute_figure_features


def uses(n: int = 60) -> list[Use]:
    rng = np.random.default_rng(1)
    found = []
    for i in range(n):
        things = np.column_stack([np.ones(5), rng.normal(size=(5, 2))])
        place = int(things[:, 1 + i % 2].argmax())
        found.append(Use(words=["red" if i % 2 == 0 else "big"], things=things, place=place))
    return found


def test_weights_are_those_of_a_weighted_ridge_logistic_regression() -> None:
    from sklearn.linear_model import LogisticRegression

    seen = [u for u in uses() if u.words == ["red"]]
    things = np.concatenate([u.things for u in seen])
    meant = np.concatenate([np.arange(5) == u.place for u in seen])
    weight = np.where(meant, 1.0, 1 / 4)
    # our intercept is nearly free: a column of ones under a thousandth of the ridge
    reference = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(things[:, 1:], meant, sample_weight=weight)
    ours = WordMeanings().fit(seen).weights_["red"]
    assert ours[1:] == pytest.approx(reference.coef_[0], rel=1e-3)
    assert ours[0] == pytest.approx(reference.intercept_[0], rel=1e-2)


def test_words_find_what_they_were_used_for() -> None:
    meanings = WordMeanings().fit(uses())
    things = np.array([[1.0, 3, 0], [1.0, 0, 3], [1.0, 0, 0]])
    assert meanings.scores(["red"], things).argmax() == 0
    assert meanings.scores(["big"], things).argmax() == 1
    assert meanings.scores(["big", "big"], things) == pytest.approx(meanings.scores(["big"], things))


def test_rare_and_unknown_words_say_nothing() -> None:
    meanings = WordMeanings(least=5).fit([*uses(20), Use(words=["once"], things=np.ones((2, 3)), place=0)])
    assert set(meanings.weights_) == {"red", "big"}
    assert meanings.scores(["once", "never"], np.ones((4, 3))).tolist() == [0, 0, 0, 0]


def test_untrained_meanings_say_so() -> None:
    with pytest.raises(NotTrained):
        WordMeanings().scores(["red"], np.ones((2, 3)))


def test_figures_that_differ_only_in_hue_near_red_are_near_each_other() -> None:
    def piece(hue: float) -> dict[str, str]:
        return {"shape": "arrow", "size": "small", "area": "0.01", "hsb": f"{hue},1,1", "rgb": "255,0,0"}

    pieces = {"a": piece(0.01), "b": piece(0.99), "c": piece(0.5)}
    a, b, c = compute_figure_features(pieces, dict.fromkeys(pieces, (0.5, 0.5)), ["arrow", "boat"])
    assert np.linalg.norm(a - b) < np.linalg.norm(a - c) / 5
