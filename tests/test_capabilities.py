"""What plug-ins may offer: found where it is there, and the default where it is not."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from referee import capabilities
from referee.capabilities import (
    answer_in_parallel,
    count_parallel_questions,
    find_family,
    find_manner,
    learns,
    resolve_all,
)
from referee.records import Description, Entity, HearerView, Outcome, Response, Scene

VIEW = HearerView(id="t", scene=Scene(entities=(Entity(id="a"),)))


class Plain:
    """A hearer with nothing but what the contract asks for."""

    def fit(self, trials: object) -> Plain:
        return self

    def resolve(self, description: Description, view: HearerView) -> Response:
        return Response(trial=view.id, hearer="plain", outcome=Outcome.NONE)


class Rich(Plain):
    learns = False
    parallel = 3
    family = "gpt"
    model = "toy"
    pace, care = 2.0, 0.5

    def resolve_many(self, pairs: Sequence[tuple[Description, HearerView]]) -> list[Response]:
        return [Response(trial=view.id, hearer="rich", outcome=Outcome.SEVERAL) for _, view in pairs]


def test_who_offers_nothing_gets_the_defaults() -> None:
    plain = Plain()
    assert (learns(plain), count_parallel_questions(plain), find_manner(plain), find_family(plain, "x")) == (
        True,
        1,
        (1.0, 1.0),
        "x",
    )
    assert [r.hearer for r in resolve_all(plain, [(Description(), VIEW)] * 2)] == ["plain"] * 2


def test_what_is_offered_is_used() -> None:
    rich = Rich()
    assert (learns(rich), count_parallel_questions(rich), find_manner(rich), find_family(rich, "x")) == (
        False,
        3,
        (2.0, 0.5),
        "gpt",
    )
    assert [r.hearer for r in resolve_all(rich, [(Description(), VIEW)] * 2)] == ["rich"] * 2


def test_a_model_name_stands_in_for_a_family_that_is_empty() -> None:
    class Nameless(Rich):
        family = ""

    assert find_family(Nameless(), "x") == "toy"


def test_as_many_questions_are_under_way_as_a_plug_in_takes() -> None:
    """Three threads meet at a barrier of three: fewer at once would never get past it."""
    barrier = threading.Barrier(3, timeout=30)
    assert list(answer_in_parallel(Rich(), lambda n: (barrier.wait() * 0) + n, range(6))) == list(range(6))


def test_after_an_error_no_further_question_is_begun() -> None:
    begun: list[int] = []

    def fail(n: int) -> int:
        begun.append(n)
        raise ValueError(n)

    with pytest.raises(ValueError, match="0"):
        list(answer_in_parallel(Plain(), fail, range(5)))
    assert begun == [0]


@pytest.mark.parametrize("name", [n for n in capabilities.__all__ if n[0].isupper()])
def test_an_object_with_nothing_has_no_capability(name: str) -> None:
    protocol: Any = getattr(capabilities, name)
    assert not isinstance(object(), protocol)
    assert protocol.__doc__
