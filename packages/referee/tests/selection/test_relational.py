"""Dale and Haddock's relational descriptions."""

from __future__ import annotations

from random import Random

from contexts import props, scene, view

from naive_meaning import fitting
from referee.meaning import conjuncts
from referee.records import Entity, Property, Relation, Scene
from referee.selection.relational import Relational

# After Dale & Haddock (1991): two cups and two bowls, and only one cup is in a bowl.
ROOM = scene(
    c1="type:cup >in:b1",
    c2="type:cup",
    b1="type:bowl >on:floor",
    b2="type:bowl >on:table",
    table="type:table",
    floor="type:floor",
)


def test_the_cup_in_the_bowl_needs_no_more_than_the_relation():
    # "the bowl" and "the cup" are both ambiguous, "the cup in the bowl" is not: each narrows down the other.
    assert Relational().select(view(ROOM, "c1")) == (Property("type", "cup"), Property("in", "b1"))


def test_a_landmark_is_described_until_it_is_known():
    room = scene(t="type:bowl >on:t1", a="type:bowl >on:t2", t1="type:table colour:white", t2="type:table colour:black")
    found = Relational().select(view(room, "t"))
    assert found == props("type:bowl on:t1 landmark.type:table landmark.colour:white")
    assert room.denotation(found) == room.mask(["t"])


def test_properties_come_before_relations_that_leave_more():
    room = scene(t="type:ball colour:red >by:c", a="type:ball colour:blue >by:c", c="type:cube")
    assert Relational().select(view(room, "t")) == props("type:ball colour:red")


def test_a_circle_of_relations_ends():
    room = scene(t="type:ball >left-of:a", a="type:ball >right-of:t >left-of:b", b="type:ball >right-of:a")
    found = Relational().select(view(room, "t"))
    assert len(found) == len(set(found))


def test_a_relation_is_used_from_both_of_its_ends():
    # Dale & Haddock (1991): of several hats and rabbits, the one with a rabbit in it is "the hat with the rabbit".
    room = scene(h1="type:hat", h2="type:hat", r1="type:rabbit >in:h2", r2="type:rabbit")
    found = Relational().select_description(view(room, "h2"))
    assert found.meaning == ("and", ("type", "hat"), ("inv", "in", ("and",)))
    assert found.properties == props("type:hat in-by:r1")
    assert room.denotation(found.meaning) == room.denotation(found.properties) == room.mask(["h2"])


def test_an_object_may_have_several_landmarks():
    room = scene(
        t="type:cup >near:p1 >on:t1",
        a="type:cup >near:p1 >on:t2",
        b="type:cup >near:p2 >on:t1",
        p1="type:plate colour:white",
        p2="type:plate colour:green",
        t1="type:table colour:black",
        t2="type:table colour:brown",
    )
    form = Relational().select_meaning(view(room, "t"))
    assert room.denotation(form) == room.mask(["t"])
    assert sum(conjunct[0] == "rel" for conjunct in conjuncts(form)) == 2


def test_several_targets_are_described_in_parts():
    form = Relational().select_meaning(view(ROOM, "c1", "table"))
    assert form == ("parts", (1, ("and", ("type", "cup"), ("rel", "in", ("and",)))), (1, ("type", "table")))


def test_relations_to_what_is_not_in_the_scene_are_left_out():
    room = scene(t="type:ball >by:gone >by:c", a="type:ball", c="type:cube")
    assert Relational().select(view(room, "t")) == props("type:ball by:c")


def described(room: Scene, target: str, depth: int) -> bool:
    """Whether brute force finds a description: everything said of the target, its landmarks, and theirs."""

    def fullest(name: str, depth: int, path: tuple[str, ...]) -> tuple:
        forms = [tuple(p) for p in room.entity(name).attributes]
        for entity in room.entities if depth else ():
            for relation in entity.relations:
                if entity.id == name and relation.entity not in path:
                    forms.append(("rel", relation.name, fullest(relation.entity, depth - 1, (*path, relation.entity))))
                elif relation.entity == name and entity.id not in path:
                    forms.append(("inv", relation.name, fullest(entity.id, depth - 1, (*path, entity.id))))
        return ("and", *forms)

    return fitting(fullest(target, depth, (target,)), room) == {target}


def test_random_scenes_are_described_wherever_a_description_of_depth_two_exists():
    rng, possible = Random(7), 0
    for _ in range(300):
        ids = [f"e{i}" for i in range(rng.randint(3, 7))]
        room = Scene(
            entities=tuple(
                Entity(
                    id=i,
                    attributes=(Property("type", rng.choice("xy")), Property("colour", rng.choice("rg"))),
                    relations=tuple(
                        Relation(rng.choice(("on", "near")), o) for o in ids if o != i and rng.random() < 0.2
                    ),
                )
                for i in ids
            )
        )
        target = rng.choice(ids)
        form = Relational().select_meaning(view(room, target))
        assert target in fitting(form, room)
        if described(room, target, 2):
            possible += 1
            assert fitting(form, room) == {target}
    assert possible > 100


def test_without_landmarks_only_properties_are_said():
    assert Relational(landmarks=0).select(view(ROOM, "c1")) == props("type:cup")
