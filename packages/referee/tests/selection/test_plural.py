"""Sets of targets: Boolean formulas and parts."""

from __future__ import annotations

import pytest
from contexts import props, random_scenes, scene, trial, view
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import NotTrained
from referee.meaning import conjuncts
from referee.records import Property
from referee.selection.plural import BooleanDescriptions, Fragment, Partitioned

PETS = scene(
    a="type:dog colour:black size:big",
    b="type:dog colour:white size:big",
    c="type:dog colour:black size:small",
    d="type:cat colour:black size:big",
    e="type:cat colour:white size:small",
)


def test_a_conjunction_is_enough_where_the_targets_share_what_sets_them_apart():
    form = BooleanDescriptions().select_meaning(view(PETS, "a", "b"))
    assert form == ("and", ("type", "dog"), ("size", "big"))


def test_negation_says_what_the_others_are():
    described = BooleanDescriptions(order=("colour",)).select_description(
        view(scene(a="colour:red", b="colour:blue", c="colour:green"), "a", "b")
    )
    assert described.meaning == ("not", ("colour", "green"))
    assert described.properties == (Property("not.colour", "green"),)


def test_union_joins_what_has_nothing_in_common():
    form = BooleanDescriptions(negation=False).select_meaning(view(PETS, "b", "e"))
    assert PETS.denotation(form) == PETS.mask(["b", "e"])
    form = BooleanDescriptions(negation=False).select_meaning(view(PETS, "c", "d"))
    assert PETS.denotation(form) == PETS.mask(["c", "d"])
    assert any(conjunct[0] == "or" for conjunct in conjuncts(form))


@given(random_scenes(), st.data())
def test_a_formula_holds_of_the_targets_and_their_doubles_only(where, data):
    targets = tuple(
        data.draw(st.lists(st.sampled_from([e.id for e in where.entities]), min_size=1, max_size=3, unique=True))
    )
    denotation = where.denotation(BooleanDescriptions(longest=3).select_meaning(view(where, *targets)))
    # Whatever differs from each of up to three targets in something is ruled out by a union of three literals.
    alike = [e.id for e in where.entities if any(set(e.attributes) == set(where.entity(t).attributes) for t in targets)]
    assert denotation == where.mask(alike)


def test_explanations_name_the_unions():
    steps = BooleanDescriptions().explain(view(PETS, "a", "b"))
    assert [(s.property, s.ruled_out, s.remaining) for s in steps] == [
        (Property("type", "dog"), ("d", "e"), 1),
        (Property("size", "big"), ("c",), 0),
    ]


class TestParts:
    SHOP = scene(
        a="type:chair colour:red size:big",
        b="type:desk colour:red size:small",
        c="type:chair colour:blue size:big",
        d="type:desk colour:blue size:small",
        e="type:sofa colour:red size:big",
    )

    def test_targets_of_different_type_are_described_apart(self):
        found = Partitioned(shares={}).fragments(view(self.SHOP, "a", "b"))
        assert found == (
            Fragment(("a",), props("type:chair colour:red")),
            Fragment(("b",), props("type:desk colour:red")),
        )

    def test_a_part_is_split_when_a_property_holds_of_some_only(self):
        room = scene(a="type:chair colour:red", b="type:chair colour:blue", c="type:chair colour:green")
        found = Partitioned(shares={}).fragments(view(room, "a", "b"))
        assert found == (
            Fragment(("a",), props("type:chair colour:red")),
            Fragment(("b",), props("type:chair colour:blue")),
        )

    def test_a_popular_attribute_is_repeated_for_parallel_wording(self):
        # Only the chair needs its colour; speakers who nearly always mention colour say it of the desk as well.
        room = scene(
            a="type:chair colour:red size:big",
            b="type:desk colour:blue size:small",
            c="type:chair colour:green size:big",
            d="type:desk colour:blue size:big",
        )
        rare = Partitioned(shares={"colour": 0.3}).fragments(view(room, "a", "b"))
        often = Partitioned(shares={"colour": 0.9}).fragments(view(room, "a", "b"))
        assert rare[1].properties == props("type:desk size:small")
        assert often[1].properties == props("type:desk colour:blue size:small")

    def test_shares_are_learned_from_singular_descriptions(self):
        room = scene(t="type:chair colour:red", u="type:chair colour:blue")
        selector = Partitioned().fit([trial(room, "type:chair colour:red"), trial(room, "type:chair")])
        assert selector.shares_ == {"type": 1.0, "colour": 0.5}

    def test_learned_shares_need_training(self):
        room = scene(
            a="type:chair colour:red", b="type:desk colour:blue", c="type:chair colour:green", d="type:desk colour:blue"
        )
        with pytest.raises(NotTrained):
            Partitioned().select(view(room, "a", "b"))
