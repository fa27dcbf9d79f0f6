"""What a target is up against: properties, distractors, and input that makes no sense."""

from __future__ import annotations

import pytest
from contexts import props, scene, view

from referee.errors import InputError
from referee.records import Entity, Property, Scene
from referee.selection.contrast import get_contrast
from referee.selection.full_brevity import FullBrevity
from referee.selection.graph import GraphSearch
from referee.selection.greedy import Greedy
from referee.selection.incremental import Incremental
from referee.selection.overspecification import Overspecification
from referee.selection.plural import BooleanDescriptions, Partitioned
from referee.selection.rational import RationalSpeaker
from referee.selection.relational import Relational

TABLE = scene(t="type:cup colour:red", a="type:cup", b="type:jug colour:red")
UNTRAINED = [
    *(Incremental(), Greedy(), FullBrevity(), GraphSearch(), GraphSearch(landmarks=1), Relational()),
    *(BooleanDescriptions(), Partitioned(shares={}), RationalSpeaker()),
    Overspecification(preferences={"colour": 0.9, "type": 1.0}, eagerness=0.5),
]


def test_a_missing_value_counts_as_different():
    contrast = get_contrast(view(TABLE, "t"))
    assert contrast.ruled_out(Property("colour", "red")) == TABLE.mask(["a"])
    assert contrast.ruled_out(Property("type", "cup")) == TABLE.mask(["b"])


def test_several_targets_share_only_what_is_true_of_all():
    contrast = get_contrast(view(TABLE, "t", "b"))
    assert contrast.properties == props("colour:red")
    assert contrast.distractors == TABLE.mask(["a"])


def test_among_orders_by_name_and_appends_the_rest_on_request():
    contrast = get_contrast(view(TABLE, "t"))
    assert contrast.select_by_name(("size", "colour")) == props("colour:red")
    assert contrast.select_by_name(("colour",), rest=True) == props("colour:red type:cup")


def test_contrasts_of_different_targets_are_not_mixed_up():
    assert get_contrast(view(TABLE, "a")).properties == props("type:cup")
    assert get_contrast(view(TABLE, "b")).properties == props("type:jug colour:red")


@pytest.mark.parametrize("selector", UNTRAINED, ids=lambda s: type(s).__name__)
class TestEverySelector:
    def test_refuses_a_target_that_is_not_there(self, selector):
        with pytest.raises(InputError, match="'x' is not in the scene") as caught:
            selector.select(view(TABLE, "x", name="trial 7"))
        assert "trial 7" in str(caught.value)
        assert "t, a, b" in caught.value.remedy

    def test_refuses_an_empty_scene(self, selector):
        with pytest.raises(InputError, match="not in the scene") as caught:
            selector.select(view(Scene(entities=()), "t"))
        assert "empty" in caught.value.remedy

    def test_refuses_a_view_without_target(self, selector):
        with pytest.raises(InputError, match="no target"):
            selector.select(view(TABLE))

    def test_says_true_things_of_a_target_with_a_double_and_admits_failure(self, selector):
        twins = scene(t="type:cup colour:red", a="type:cup colour:red", b="type:jug colour:red")
        chosen = selector.select(view(twins, "t"))
        assert all(p in twins.entity("t").attributes for p in chosen)
        last = selector.explain(view(twins, "t"))[-1]
        assert last.property is None
        assert last.remaining == 1

    def test_describes_a_target_that_is_alone_without_failing(self, selector):
        alone = scene(t="type:cup colour:red")
        assert all(step.property for step in selector.explain(view(alone, "t"))), "nobody is left to be confused with"
        assert set(selector.select(view(alone, "t"))) <= set(props("type:cup colour:red"))

    def test_copes_with_a_target_without_attributes(self, selector):
        bare = scene(t="", a="type:cup colour:red")
        assert selector.select(view(bare, "t")) in ((), props("not.type:cup"))

    def test_treats_numbers_and_truth_values_as_text(self, selector):
        mixed = Scene(
            entities=(
                Entity(id="t", attributes=(Property("type", "cup"), Property("colour", 3.0), Property("lid", True))),
                Entity(id="a", attributes=(Property("type", "cup"), Property("colour", 4), Property("lid", True))),
            )
        )
        assert Property("colour", "3") in selector.select(view(mixed, "t"))
