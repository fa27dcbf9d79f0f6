"""The playground's answers: the same as `referee describe` and `referee listen` would give, learning where somebody has to learn, mistakes by name."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import InputError
from referee.jobs.describe import describe_view, make_view
from referee.jobs.listen import create_hearer, show_to_hearer
from referee.records import Description, Trial
from referee.show.viewer.local_server import Question
from referee.show.viewer.playground import Playground

CHAIRS: dict[str, Any] = {
    "entities": [
        {"id": "a", "attributes": {"type": "chair", "colour": "red", "size": "large"}},
        {"id": "b", "attributes": {"type": "chair", "colour": "blue", "size": "large"}},
        {"id": "c", "attributes": {"type": "sofa", "colour": "red", "size": "small"}},
    ],
    "target": "a",
}


def ask(play: Playground, **more: Any) -> dict[str, Any]:
    return play.answer({"scene": CHAIRS, "speakers": [], "hearers": [], **more})


def test_speakers_say_what_describe_says_with_every_step() -> None:
    (said,) = ask(Playground(), speakers=["classic/incremental"])["speakers"]
    same = describe_view(make_view(CHAIRS), "classic/incremental")
    assert said["text"] == same.description.text == "the red chair"
    assert said["distinguishing"] is True
    # By hand: type first (in the order of the scene), which leaves the blue chair; then colour, which leaves nobody.
    assert [(s["property"], s["ruled_out"], s["remaining"]) for s in said["steps"]] == [
        ("type:chair", ["c"], 1),
        ("colour:red", ["b"], 0),
    ]


def test_hearers_believe_what_they_believe_in_a_run() -> None:
    (said,) = ask(Playground(), speakers=["classic/incremental"], hearers=["literal", "noisy"])["speakers"]
    assert said["hearers"][0] == {
        "name": "literal",
        "outcome": "entity",
        "entity": "a",
        "belief": {"a": 1.0, "b": 0.0, "c": 0.0},
    }
    view = make_view(CHAIRS)
    trial = Trial(id="scene", scene=view.scene, targets=("a",))
    alone = create_hearer("noisy", 1).resolve(
        describe_view(view, "classic/incremental").description, show_to_hearer(trial, 1)
    )
    assert said["hearers"][1]["belief"] == {k: round(v, 4) for k, v in alone.probabilities or ()}


def test_ones_own_words_are_read_and_heard() -> None:
    own = ask(Playground(), hearers=["literal"], words="the blue one")["own"]
    assert own["read"] == ["colour:blue"]
    assert own["hearers"][0]["entity"] == "b"
    assert ask(Playground(), words="xyzzy")["own"]["read"] == []


def test_those_who_learn_say_so_and_answer_when_they_have() -> None:
    play = Playground()
    (first,) = ask(play, speakers=["classic/incremental.frequency"])["speakers"]
    assert first == {"name": "classic/incremental.frequency", "learning": "learns from synthetic"}
    deadline = time.monotonic() + 60
    while "learning" in (said := ask(play, speakers=["classic/incremental.frequency"])["speakers"][0]):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert said["text"] == "the red chair"
    assert said["learned"] == "learned from 780 trials of synthetic"


def test_the_scene_is_drawn_in_boxes() -> None:
    look = ask(Playground())["look"]
    assert [t["id"] for t in look["things"]] == ["a", "b", "c"]
    assert all(t["picture"].startswith("<svg") for t in look["things"])
    assert all(0 <= part <= 1 for t in look["things"] for part in t["box"])


def test_scenes_of_a_corpus_come_with_its_values() -> None:
    found = Playground().scene_of("synthetic", 0)
    assert found["of"] == 780
    assert set(found["values"]["colour"]) >= {"red", "blue"}
    assert "references" not in found["scene"]
    assert found["scene"]["targets"]


def test_everybody_in_the_catalogue_who_can_be_asked_is_offered() -> None:
    known = Playground().list_choices()
    names = [s["name"] for s in known["speakers"]]
    assert "classic/incremental" in names
    assert not any(n.startswith(("tuna2008-r/", "llm/")) for n in names), (
        "those put given properties into words, or need an endpoint"
    )
    assert [c["name"] for c in known["corpora"]] == ["synthetic"], "only corpora that are there"
    assert "remote" not in [h["name"] for h in known["hearers"]]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"scene": None}, "there is no scene"),
        ({"scene": {"entities": []}}, "the scene is empty"),
        ({"scene": {**CHAIRS, "target": "z"}}, "the target 'z' is not in the scene"),
        ({"scene": {"entities": [{"attributes": {}}]}}, "id"),
        ({"speakers": "all"}, "speakers is not a list of names"),
        ({"hearers": ["literal"] * 3 + [f"h{i}" for i in range(20)]}, "too many at once"),
    ],
)
def test_mistakes_are_named(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ask(Playground(), **asked)


def test_a_speaker_that_is_not_known_is_told_on_its_card() -> None:
    (said,) = ask(Playground(), speakers=["classic/nobody"])["speakers"]
    assert "classic/nobody" in said["trouble"]


def test_a_change_is_answered_without_reading_a_corpus_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is what would take long (how long a change takes: docs/view.md)."""
    play = Playground()
    everybody = {
        "speakers": ["classic/incremental", "classic/full-brevity", "classic/greedy", "classic/rsa"],
        "hearers": ["literal", "noisy", "rsa"],
    }
    scene = play.scene_of("synthetic", 3)["scene"]
    play.answer({"scene": scene, **everybody})
    Random(1).shuffle(scene["entities"])

    def read_again(*_: object) -> None:
        raise AssertionError("a corpus is read")

    monkeypatch.setattr(Playground, "trials", read_again)
    monkeypatch.setattr(Synthetic, "trials", read_again)
    found = play.answer({"scene": scene, **everybody, "words": "the red one"})
    assert len(found["speakers"]) == 4


def test_no_words_are_no_description() -> None:
    assert "own" not in ask(Playground(), words="   ")
    assert Description(text="x").text == "x"


def test_the_command_needs_no_data_folder_to_play(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A newcomer has none: scenes then come from the shipped corpora, and corpora that are not there are not offered."""
    from referee.cli.view import _make_playground

    monkeypatch.delenv("REFEREE_DATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    answered = _make_playground(None)["GET /known"](Question())
    offered = [corpus["name"] for corpus in json.loads(answered.content)["corpora"]]
    assert "synthetic" in offered
    assert "tuna" not in offered
