"""The compiled search gives what the plain one gives, and what CP-SAT proves."""

from __future__ import annotations

import pytest
from contexts import random_table, view
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.algorithms import exact_cover
from referee.algorithms.exact_cover import cheapest_cover, hopeless, smallest_cover
from referee.selection.columns import scene_of_columns
from referee.selection.full_brevity import FullBrevity

pytest.importorskip("numba", reason="the compiled search needs numba (extra 'fast')")


def problem(entities: int, attributes: int, seed: int) -> tuple[list[int], int]:
    scene = scene_of_columns(random_table(entities, attributes, seed))
    keeps = [scene.extensions[p] for p in scene.entity("0").attributes]
    left = scene.everything & ~1
    return keeps, left & ~hopeless(keeps, left)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 2**90 - 1), st.integers(1, 4)), min_size=1, max_size=9), st.integers(0, 2**90 - 1)
)
def test_agrees_with_the_plain_search_on_random_sets(sets, left):
    from referee.algorithms.compiled_cover import cover

    keeps, costs = [k for k, _ in sets], [float(c) for _, c in sets]
    left &= ~hopeless(keeps, left)
    if not left:
        return
    plain = cheapest_cover(keeps, costs, left)
    compiled = cover(keeps, costs, left)
    assert compiled.cost == plain.cost == sum(costs[i] for i in compiled.chosen)
    assert compiled.proven
    assert hopeless([keeps[i] for i in compiled.chosen], left) == 0


@pytest.mark.parametrize(("entities", "attributes"), [(300, 12), (2000, 10), (5000, 14)])
def test_agrees_with_the_plain_search_on_random_scenes(monkeypatch, entities, attributes):
    keeps, left = problem(entities, attributes, seed=entities)
    compiled = smallest_cover(keeps, left)
    monkeypatch.setattr(exact_cover, "COMPILE_ABOVE", 10**9)
    assert compiled.cost == smallest_cover(keeps, left).cost


def proven_by_cp_sat(keeps: list[int], costs: list[int], left: int) -> int:
    """The least cost of a cover, by Google's constraint solver."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    takes = [model.new_bool_var(str(i)) for i in range(len(keeps))]
    for row in {tuple(not k >> i & 1 for k in keeps) for i in range(left.bit_length()) if left >> i & 1}:
        model.add_bool_or([t for t, out in zip(takes, row, strict=True) if out])
    model.minimize(sum(c * t for c, t in zip(costs, takes, strict=True)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)


@pytest.mark.parametrize(("entities", "attributes", "seed"), [(400, 30, 1), (1500, 20, 2), (4000, 16, 3)])
def test_cp_sat_proves_the_same_size_and_cost(entities, attributes, seed):
    keeps, left = problem(entities, attributes, seed)
    costs = [1 + (7 * i) % 5 for i in range(attributes)]
    assert smallest_cover(keeps, left).cost == proven_by_cp_sat(keeps, [1] * attributes, left)
    assert cheapest_cover(keeps, costs, left).cost == proven_by_cp_sat(keeps, costs, left)


def test_free_sets_come_first_in_large_problems_too():
    keeps, left = problem(5000, 12, seed=4)
    found = cheapest_cover(keeps, [0.0, 0.0, *[1.0] * 10], left)
    assert found.chosen[:2] == (0, 1)
    rest = left & keeps[0] & keeps[1]
    assert found.cost == smallest_cover(keeps[2:], rest).cost


def test_the_hand_grows_when_many_rows_matter(monkeypatch):
    from referee.algorithms import compiled_cover

    keeps, left = problem(20_000, 24, seed=6)
    roomy = compiled_cover.cover(keeps, [1.0] * 24, left)
    monkeypatch.setattr(compiled_cover, "ROOM", 64)
    monkeypatch.setattr(compiled_cover, "AT_FIRST", 32)
    cramped = compiled_cover.cover(keeps, [1.0] * 24, left)
    assert roomy.cost == cramped.cost
    assert cramped.proven


def test_out_of_time_the_best_found_comes_back_unproven(monkeypatch):
    from referee.algorithms import compiled_cover

    monkeypatch.setattr(compiled_cover, "NODES", 1)
    keeps, left = problem(20_000, 40, seed=7)
    found = compiled_cover.cover(keeps, [1.0] * 40, left, seconds=0.0)
    assert not found.proven
    assert hopeless([keeps[i] for i in found.chosen], left) == 0


def test_full_brevity_stays_exact_on_ten_thousand_entities():
    scene = scene_of_columns(random_table(10_000, 30, seed=8))
    found = FullBrevity(head="none").search(view(scene, "17"))
    assert found.proven
    assert found.distinguishing
    assert scene.denotation(found.properties) == 1 << 17
