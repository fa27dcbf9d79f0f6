"""The card of a speaker: cells by hand on four trials, and the command as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.cli import main
from referee.hearers.literal import Literal
from referee.hearers.speaker_card import Listening, make_speaker_cards
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial
from referee.show.reports.speaker_picture import draw_speaker


def thing(name: str, kind: str, colour: str) -> Entity:
    return Entity(id=name, attributes=(Property("type", kind), Property("colour", colour)))


def trial(name: str, *others: Entity, language: str = "en") -> Trial:
    scene = Scene(entities=(thing("a", "chair", "red"), *others), id=name)
    return Trial(
        id=name, scene=scene, targets=("a",), language=language, references=(Description(text="the red chair"),)
    )


BLUE, TWIN = thing("b", "chair", "blue"), thing("c", "chair", "red")
TRIALS = [trial("t1", BLUE), trial("t2", BLUE), trial("t3", BLUE), trial("t4", TWIN)]
SAID = {
    ("mine#1", "t1"): Description(text="the red chair"),
    ("mine#2", "t1"): Description(text="the red chair"),
    ("mine#1", "t2"): Description(text="chair"),
    ("mine#2", "t2"): Description(text="red"),
    ("mine#1", "t3"): Description(text="red chair"),
}
MANIFEST = {
    "systems": ["mine#1", "mine#2", "other"],
    "signatures": {"mine#1": "llm|model:toy"},
    "hearers": {"sure": "sure|passport:toy:0123456789ab:use-with-care", "unsure": "unsure"},
    "counts": {
        "mine#1": {"answered": 3, "prompt_tokens": 300, "completion_tokens": 30, "cost": 0.3},
        "mine#2": {"answered": 2},
    },
}


def answer(name: str, system: str, hearer: str, entity: str, person: bool = False) -> Response:
    belief = None if person else ((entity, 1.0),)
    return Response(
        trial=name, hearer=hearer, system=system, outcome=Outcome.ENTITY, entity=entity, probabilities=belief
    )


RESPONSES = [
    answer("t1", "mine#1", "sure", "a"),
    answer("t2", "mine#1", "sure", "b"),
    answer("t1", "mine#1", "unsure", "b"),
    answer("t1", "mine#2", "p1", "a", person=True),
]


def cells() -> dict[str, dict[str, object]]:
    listening = Listening(hearer=Literal(), signed="literal|passport:toy:0123456789ab:use-with-care")
    made = make_speaker_cards(TRIALS, SAID, RESPONSES, MANIFEST, listening=listening)
    assert [(c["speaker"], c["samples"]) for c in made] == [("mine", 2), ("other", 1)]
    found: dict[str, dict[str, object]] = made[0]["cells"]
    return found


def test_found_by_people_and_by_those_with_a_passport_alone() -> None:
    found = cells()
    assert (found["found by sure"]["value"], found["found by sure"]["n"]) == (0.5, 2)
    assert (found["found by people"]["value"], found["found by people"]["n"]) == (1.0, 1)
    assert "found by unsure" not in found
    assert "|passport:" in str(found["found by sure"]["signed"])


def test_words_and_what_can_go_of_them() -> None:
    found = cells()
    assert found["words"]["value"] == pytest.approx((3 + 3 + 1 + 1 + 2) / 5)
    # The literal hearer finds the target of "the red chair" twice (without "the" or "chair" still: 2 of 3) and of "red chair" (1 of 2);
    # "red" alone has no word that can go, and "chair" finds nothing.
    assert found["redundant"]["value"] == pytest.approx((2 / 3 + 2 / 3 + 1 / 2) / 3)
    assert "literal|passport:" in str(found["redundant"]["signed"])


def test_under_specified_attributes_and_the_impossible() -> None:
    found = cells()
    assert found["under_specified"]["value"] == pytest.approx(1 / 5)  # "chair" alone
    # mine: colour 4, type 4 of eight; people: four of each: no divergence
    assert found["attributes_js"]["value"] == pytest.approx(0)
    assert found["uses colour"]["value"] == pytest.approx(0.5)
    # Attributes that people use equally often come in the order of their names, in every process.
    assert [name for name in found if name.startswith("uses ")] == ["uses colour", "uses type"]
    assert (found["refuses_impossible"]["value"], found["refuses_impossible"]["n"]) == (1.0, 2)


def test_samples_and_cost() -> None:
    found = cells()
    assert (found["same_words_again"]["value"], found["same_words_again"]["n"]) == (0.5, 2)
    assert found["tokens"]["value"] == pytest.approx(330 / 5)
    assert found["cost"]["value"] == pytest.approx(0.3 / 5)


def test_languages_have_cards_of_their_own_and_no_data_no_value() -> None:
    trials = [trial("t1", BLUE), trial("t2", BLUE, language="de")]
    made = make_speaker_cards(trials, {}, [], {"systems": ["mine"]})
    assert [c["language"] for c in made] == ["en", "de"]
    assert all(cell["value"] is None and cell["n"] == 0 for cell in made[0]["cells"].values())
    assert "no value" in draw_speaker(made[0])


def test_a_hearer_that_is_not_fit_counts_for_nobody_and_it_is_said() -> None:
    one = trial("t", thing("b", "table", "blue"))
    answers = [answer("t", "mine", "unfit|model:x", "a")]
    manifest = {"systems": ["mine"], "hearers": {"unfit|model:x": "unfit|passport:toy:0123456789ab:not-fit"}}
    said = {("mine", "t"): Description(text="the chair")}
    cell = make_speaker_cards([one], said, answers, manifest)[0]["cells"]["found"]
    assert (cell["value"], cell["n"]) == (None, 0)
    assert "the passport of unfit says: not fit" in cell["signed"]


def test_long_names_of_hearers_are_cut_in_the_picture() -> None:
    cell = {"value": 0.5, "low": 1e-17, "high": 0.9, "n": 4, "signed": "x"}
    name = "found by remote|model:a-model-with-a-very-long-name|endpoint:http://host/v1"
    card = {"speaker": "mine", "language": "en", "trials": 4, "samples": 1, "cells": {name: cell}}
    drawn = draw_speaker(card)
    assert ">found by remote a-model-with-…<" in drawn
    assert "0.5 [0, 0.9], n = 4" in drawn


def test_the_picture_has_a_ring_where_people_are() -> None:
    """People say the red chair: half type, half colour; the speaker names the type alone."""
    trials = [trial(f"t{n}", thing("b", "table", "blue")) for n in range(3)]
    said = {("mine", t.id): Description(properties=(Property("type", "chair"),)) for t in trials}
    card = make_speaker_cards(trials, said, [], {"systems": ["mine"]})[0]
    assert (card["cells"]["uses type"]["value"], card["cells"]["uses type"]["people"]) == (1, 0.5)
    assert (card["cells"]["uses colour"]["value"], card["cells"]["uses colour"]["people"]) == (0, 0.5)
    drawn = draw_speaker(card)
    assert "0 (people 0.5), n = 3" in drawn
    # Two rings and the one of the legend.
    assert drawn.count('fill="none"') == 3


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    assert (
        main(
            [
                "run",
                "--corpus",
                "synthetic",
                "--limit",
                "30",
                "--systems",
                "classic/greedy",
                "--folds",
                "3",
                "--out",
                run,
            ]
        )
        == 0
    )
    capsys.readouterr()
    assert main(["card", "speaker", run, "--picture", str(tmp_path / "cards")]) == 0
    assert "under specified" in capsys.readouterr().out
    assert (tmp_path / "cards" / "classic-greedy-en.svg").read_text("utf-8").startswith("<svg")
    assert main(["card", "speaker", run, "--format", "json"]) == 0
    (card,) = json.loads(capsys.readouterr().out)["cards"]
    assert card["cells"]["found"]["value"] is None, "nobody answered in this run"
    assert main(["card", "speaker", run, "--hearer", "literal"]) == 2
    assert "has no passport" in capsys.readouterr().err
    assert main(["card", "hearer", run]) == 2
