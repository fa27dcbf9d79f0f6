"""Hearers say how many of a text's content words they understood; `listen` shows it by system and warns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import referee
from referee.hearers.answering import compute_understood_share
from referee.hearers.literal import Literal
from referee.metrics.wordnet import WordNet
from referee.records import Description, Entity, HearerView, Outcome, Property, Scene

RED = (Property("colour", "red"), Property("type", "mug"))
SCENE = Scene(
    entities=(
        Entity(id="a", attributes=RED),
        Entity(id="b", attributes=(Property("colour", "blue"), Property("type", "mug"))),
    )
)


@pytest.fixture
def wordnet(tmp_path: Path) -> Path:
    """Two words with one sense (WordNet 3.0 has crimson and red in synset 00381097 of adjectives), in WordNet's own form."""
    entries = {"adj": "crimson a 1 0 1 0 00381097\nred a 1 0 1 0 00381097\n", "noun": "mug n 1 0 1 0 03797390\n"}
    for kind in ("noun", "verb", "adj", "adv"):
        (tmp_path / f"index.{kind}").write_text(entries.get(kind, ""))
    return tmp_path


@pytest.mark.parametrize(
    ("text", "share"), [("the red mug", 1.0), ("the crimson mug", 0.5), ("the one on the left", 0.0), ("the", None)]
)
def test_the_proportion_is_of_content_words(text: str, share: float | None) -> None:
    assert compute_understood_share(Description(text=text), SCENE) == share


def test_properties_are_no_text_to_understand() -> None:
    assert compute_understood_share(Description(properties=RED, text="the crimson mug"), SCENE) is None


def test_words_mean_the_values_that_they_share_a_sense_with(wordnet: Path) -> None:
    view = HearerView(id="t", scene=SCENE)
    crimson = Description(text="the crimson mugs")
    assert Literal().resolve(crimson, view).outcome is not Outcome.ENTITY
    hearer = Literal(wordnet=str(wordnet))
    assert hearer.resolve(crimson, view).entity == "a"
    assert hearer.understood(crimson, SCENE) == 1.0
    assert WordNet(wordnet).signed in hearer.wordnet


def test_listen_shows_it_by_system_and_warns(tmp_path: Path) -> None:
    run = referee.score(demo=True, metrics="set/dice").save(tmp_path / "run")
    lines = [json.loads(line) for line in (run / "outputs.jsonl").read_text().splitlines()]
    for line in lines:
        line.pop("properties", None)
        line["text"] = "the crimson thing" if line["system"] == "toy-chatty" else line.get("text", "")
    (run / "outputs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    heard = referee.listen(run, "literal", cluster="none")
    shares = {row["system"]: row["value"] for row in heard.rows if row["measure"] == "understood"}
    assert shares["toy-chatty"] is not None
    assert shares["toy-chatty"] < 0.9
    assert any("toy-chatty" in sentence for sentence in heard.warnings)
