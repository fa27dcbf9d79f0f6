"""Meaning measures against the worked example of van Deemter & Gatt (2007, section 1.3) and plain Python."""

from __future__ import annotations

from math import isclose, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from worlds import batches, denoted, said, scene, trial

from referee.contracts import Batch
from referee.errors import InputError
from referee.metrics.measure import Measure
from referee.metrics.semantics import Cosine, Denotation, Ontology
from referee.metrics.taxonomy import parse_taxonomy
from referee.records import Property, Scene, Trial

# 20 animals, the first 15 of them mammals, the first 5 of them mothers
ANIMALS = scene(*("type:animal" + " type:mammal" * (i < 15) + " type:mother" * (i < 5) for i in range(20)))
KINDS = parse_taxonomy("animal\n  mammal\n    mother\n  bird")


def value(measure: Measure, output: str, reference: str, where: Scene = ANIMALS) -> float:
    return float(measure.measure(said(output), trial(where, reference))[0])


def test_an_animal_is_nearer_to_a_mammal_than_to_a_mother_by_what_they_denote() -> None:
    # van Deemter & Gatt 2007: 2·15/35 = 6/7 and 2·5/25 = 2/5
    assert value(Denotation(), "type:animal", "type:mammal") == pytest.approx(6 / 7)
    assert value(Denotation(), "type:animal", "type:mother") == pytest.approx(2 / 5)


def test_attributes_that_both_mention_alike_raise_the_mean() -> None:
    striped = scene(*("type:animal coat:striped" + " type:mammal" * (i < 15) for i in range(20)))
    assert value(Denotation(), "coat:striped type:animal", "coat:striped type:mammal", striped) == pytest.approx(
        (1 + 6 / 7) / 2
    )


def test_an_attribute_left_out_denotes_the_whole_scene() -> None:
    # 20 entities in all, 15 mammals: 2·15/35, whichever side leaves it out
    assert value(Denotation(), "", "type:mammal") == pytest.approx(6 / 7)
    assert value(Denotation(), "type:mammal", "") == pytest.approx(6 / 7)
    assert value(Denotation(), "", "") == 1


def test_values_that_denote_nothing_are_alike_only_if_equal() -> None:
    assert value(Denotation(), "type:other", "type:other") == 1
    assert value(Denotation(), "type:other", "type:ghost") == 0


@pytest.mark.parametrize("similarity", ["wu-palmer", "path"])
def test_a_taxonomy_orders_animal_mammal_and_mother(similarity: str) -> None:
    measure = Ontology(taxonomy=KINDS, similarity=similarity)
    near, far = value(measure, "type:animal", "type:mammal"), value(measure, "type:animal", "type:mother")
    assert 1 > near > far > 0


def test_ontology_by_hand() -> None:
    # Wu-Palmer: animal-mammal 2/3, mammal-bird 2·1/4, left out = the root: mother-animal 2/4; coat is no part of the tree
    measure = Ontology(taxonomy=KINDS)
    assert value(measure, "type:animal", "type:mammal") == pytest.approx(2 / 3)
    assert value(measure, "type:mammal coat:long", "type:bird coat:long") == pytest.approx((1 / 2 + 1) / 2)
    assert value(measure, "", "type:mother") == pytest.approx(1 / 2)
    assert value(measure, "coat:long", "coat:short") == 0
    assert value(measure, "", "coat:long") == 0
    # mammal and bird against mother: best matches 4/5, 2/5 and back 4/5
    assert value(measure, "type:mammal type:bird", "type:mother") == pytest.approx((4 / 5 + 2 / 5 + 4 / 5) / 3)


def test_the_taxonomy_that_comes_along_knows_furniture() -> None:
    assert value(Ontology(), "type:chair", "type:sofa") > value(Ontology(), "type:chair", "type:fan")


def test_a_taxonomy_can_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "kinds.txt").write_text("animal\n  mammal\n", encoding="utf-8")
    assert value(Ontology(taxonomy=tmp_path / "kinds.txt"), "type:animal", "type:mammal") == pytest.approx(2 / 3)


def test_the_signature_tells_taxonomies_apart() -> None:
    here, there = (Ontology(taxonomy=t).score(Batch.of([], [])).signature for t in (KINDS, {"a": None}))
    assert here != there


def test_soft_cosine_by_hand() -> None:
    # one value each: the similarity itself; a shared attribute more: (1 + s) / 2
    assert value(Cosine(), "type:animal", "type:mammal") == pytest.approx(6 / 7)
    assert value(Cosine(similarity="ontology", taxonomy=KINDS), "type:animal x:1", "type:mammal x:1") == pytest.approx(
        (1 + 2 / 3) / 2
    )
    # {type:animal, x:1} against {type:mammal}: s / √2
    assert value(Cosine(), "type:animal x:1", "type:mammal") == pytest.approx(6 / 7 / sqrt(2))
    assert value(Cosine(), "x:1", "type:mammal") == 0
    assert value(Cosine(), "", "x:1") == 0
    assert value(Cosine(), "", "") == 1


def test_a_landmark_is_compared_by_what_it_may_be() -> None:
    assert value(Denotation(), "landmark.type:animal", "landmark.type:mammal") == pytest.approx(6 / 7)
    assert value(Ontology(taxonomy=KINDS), "landmark.type:animal", "landmark.type:mammal") == pytest.approx(2 / 3)


def test_without_a_scene_denotation_has_nothing_to_measure() -> None:
    nowhere = Trial(id="n", scene=Scene(entities=()), targets=(), references=(said("type:animal"),))
    assert np.isnan(Denotation().measure(said("type:mammal"), nowhere)).all()
    assert np.isnan(Cosine().measure(said("type:mammal"), nowhere)).all()
    assert Ontology(taxonomy=KINDS).measure(said("type:mammal"), nowhere)[0] == pytest.approx(2 / 3)


def test_unknown_similarities_are_refused() -> None:
    with pytest.raises(InputError, match="denotation or ontology"):
        value(Cosine(similarity="sound"), "type:animal", "type:mammal")
    with pytest.raises(InputError, match="wu-palmer, path"):
        value(Ontology(similarity="sound"), "type:animal", "type:mammal")


def extension(prop: Property, where: Scene) -> set[str]:
    return denoted([Property(prop.name.rpartition(".")[2], prop.value)], where)


def alike(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


def plain_denotation(one: set[Property], other: set[Property], where: Scene) -> float:
    whole = {e.id for e in where.entities}
    total = 0.0
    names = {p.name for p in one | other}
    for name in names:
        ours, theirs = ({p for p in side if p.name == name} for side in (one, other))
        extents = [whole.intersection(*(extension(p, where) for p in side)) for side in (ours, theirs)]
        total += 1 if ours == theirs else alike(*extents)
    return total / len(names) if names else 1.0


def plain_cosine(one: set[Property], other: set[Property], where: Scene) -> float:
    dims = sorted(one | other)
    if not one or not other:
        return float(one == other)
    table = np.array(
        [
            [0 if p.name != q.name else 1 if p == q else alike(extension(p, where), extension(q, where)) for q in dims]
            for p in dims
        ],
        dtype=float,
    )
    a, b = (np.array([d in side for d in dims], dtype=float) for side in (one, other))
    return float(a @ table @ b / sqrt((a @ table @ a) * (b @ table @ b)))


@pytest.mark.parametrize(("measure", "plain"), [(Denotation(), plain_denotation), (Cosine(), plain_cosine)])
@given(batch=batches(related=True))
def test_meaning_is_what_plain_python_makes_of_it(measure: Measure, plain, batch: Batch) -> None:
    for row, output, here in zip(measure.statistics(batch)[:, 0], batch.outputs, batch.trials, strict=True):
        given = [set(r.properties) for r in here.references if r.properties is not None]
        if output is None or output.properties is None or not given:
            assert np.isnan(row)
            continue
        wanted = np.mean([plain(set(output.properties), r, here.scene) for r in given])
        assert isclose(row, wanted, abs_tol=1e-9)


@given(batch=batches(related=True))
def test_meaning_measures_stay_between_0_and_1_and_know_a_perfect_match(batch: Batch) -> None:
    for measure in (Denotation(), Ontology(), Ontology(similarity="path"), Cosine(), Cosine(similarity="ontology")):
        rows = measure.statistics(batch)
        measured = rows[~np.isnan(rows)]
        assert ((measured >= 0) & (measured <= 1)).all()
        same = Batch.of(batch.outputs, batch.trials, [[] if o is None else [o] for o in batch.outputs])
        perfect = measure.statistics(same)
        assert perfect[~np.isnan(perfect)] == pytest.approx(1)
