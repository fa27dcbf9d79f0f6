"""The item browser's data: worst first, everything stored once, never more than the budget."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from small_runs import RED, chatty, colour, exact, make_run, material_of, trials

from referee.records import Entity, Outcome, Response, Scene
from referee.show.reports.item_browser import build_browser_data, order_by_score
from referee.show.reports.report_sources import gather


def half(i: int) -> dict[str, Any]:
    """Wrong on the trials 3 and 4."""
    return {"properties": [["size", "large"]], "text": "large"} if i in (3, 4) else exact(i)


def test_the_worst_items_come_first_whichever_way_a_measure_points(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"half": half, "exact": exact})
    assert order_by_score(material, "set/dice")[:2] == ["t3", "t4"]
    assert order_by_score(material, "string/edit")[:2] == ["t3", "t4"]


def test_items_nobody_was_measured_on_come_last(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"gap": lambda i: None if i == 0 else half(i)})
    assert order_by_score(material, "set/dice") == ["t3", "t4", "t1", "t2", "t5", "t0"]


def test_an_item_holds_scene_people_outputs_and_scores(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"colour": colour, "gap": lambda i: None if i == 2 else exact(i)})
    content = build_browser_data(material, 100)
    item = next(i for i in content["items"] if i[0] == "t2")
    _, scene, targets, hidden, labels, people, outputs, scores, went = item
    shown = {e[0]: {tuple(content["properties"][n]) for n in e[1]} for e in content["scenes"][scene][2]}
    assert went == [], "nobody listened"
    assert shown["x"] == {("type", "chair"), ("colour", "red"), ("size", "large")}
    assert (targets, hidden, labels) == ([0], 0, ["a", "-", None])
    assert content["said"][people[0]][0] == "the red chair"
    assert outputs[1] is None, "gap left this trial out"
    assert content["said"][outputs[0]] == ["red one", [content["properties"].index(list(RED))]]
    assert scores[0][content["measures"].index(["set/dice", "higher"])] == 667
    assert scores[1] == [None] * len(content["measures"])
    assert len(content["scenes"]) == 1, "six equal scenes are stored once"


def test_every_entity_has_a_picture_and_a_box_and_equal_pictures_are_kept_once(tmp_path: Path) -> None:
    content = build_browser_data(material_of(tmp_path / "run", {"colour": colour}), 100)
    width, height, entities = content["scenes"][0]
    assert len(content["pictures"]) == 2, "a red and a blue chair, however many scenes"
    assert all(p.startswith("<svg") for p in content["pictures"])
    assert [e[3] for e in entities] == [0, 1]
    # Two cells of 100 side by side with a margin of 6 around both: 212 by 112.
    assert (width, height) == (212, 112)
    assert entities[1][4:] == [round(106 / 212, 4), round(6 / 112, 4), round(100 / 212, 4), round(100 / 112, 4)]


def test_where_hearers_went_is_told_by_system_with_people_as_one_hearer(tmp_path: Path) -> None:
    """Of four people three went to x with what colour said; the simulated hearer believes 0.75 in x and 0.25 in none."""
    answers = [
        *(Response(trial="t0", hearer=f"p{i}", outcome=Outcome.ENTITY, system="colour", entity="x") for i in range(3)),
        Response(trial="t0", hearer="p3", outcome=Outcome.DONT_KNOW, system="colour"),
        Response(
            trial="t0", hearer="noisy", outcome=Outcome.ENTITY, system="colour", entity="x",
            probabilities=(("x", 0.75), ("y", 0.001), ("none", 0.249)),
        ),
        Response(trial="t0", hearer="p4", outcome=Outcome.ENTITY, entity="y"),
    ]  # fmt: skip
    content = build_browser_data(material_of(tmp_path / "run", {"colour": colour}, responses=answers), 100)
    item = next(i for i in content["items"] if i[0] == "t0")
    went = [(content["hearers"][hearer], system, *content["shares"][shares]) for hearer, shares, system in item[8]]
    assert went == [
        ("people", 0, 4, [[0, 0.75], ["dont-know", 0.25]]),
        ("noisy", 0, 1, [[0, 0.75], ["none", 0.25]]),
        ("people", -1, 1, [[1, 1.0]]),
    ], "the last one answered what a person had said"


def test_limit_and_budget_cut_the_best_items(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"half": half, "exact": exact})
    assert [i[0] for i in build_browser_data(material, 2)["items"]] == ["t3", "t4"]
    small = build_browser_data(material, 100, budget=700)
    assert 1 <= len(small["items"]) < 6
    assert small["items"][0][0] == "t3"
    assert small["total"] == 6


def test_a_large_scene_is_cut_but_keeps_its_target(tmp_path: Path) -> None:
    crowd = Scene(entities=tuple(Entity(id=f"e{i}", attributes=(RED,)) for i in range(100)))
    big = [replace(t, scene=crowd, targets=("e99",)) for t in trials(2)]
    content = build_browser_data(material_of(tmp_path / "run", {"colour": colour}, corpus=big), 10)
    item = content["items"][0]
    assert item[3] == 60, "forty of a hundred are shown"
    assert content["scenes"][item[1]][2][item[2][0]][0] == "e99"


def test_systems_of_two_runs_keep_their_own_words(tmp_path: Path) -> None:
    first = make_run(tmp_path / "first", {"mine": exact})
    second = make_run(tmp_path / "second", {"mine": chatty})
    (material,) = gather([first, second])
    content = build_browser_data(material, 10)
    item = next(i for i in content["items"] if i[0] == "t0")
    assert content["systems"] == ["mine (first)", "mine (second)"]
    assert [content["said"][n][0] for n in item[6]] == ["the red chair", "the large red chair"]


def test_people_as_a_system_say_what_they_said(tmp_path: Path) -> None:
    told = [replace(t, speaker=str(i), scene=replace(t.scene, id="one")) for i, t in enumerate(trials())]
    material = material_of(tmp_path / "run", {"colour": colour}, corpus=told, humans=True, references="others")
    content = build_browser_data(material, 10)
    assert content["systems"] == ["colour", "human"]
    assert content["said"][content["items"][0][6][1]][0] == "the red chair"
    assert json.dumps(content), "plain JSON"
