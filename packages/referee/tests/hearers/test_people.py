"""People's answers: what they belong to, and whose answers resemble each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from referee.errors import DataNotFound
from referee.hearers.passports.people import HumanAnswer, People, find_unit, open_people
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial


def trial(number: int, **more: object) -> Trial:
    entities = (Entity(id="t", attributes=(Property("type", "cup"), Property("colour", "red"))), Entity(id="a"))
    given = {"scene": Scene(entities=entities), "targets": ("t",), **more}
    return Trial(id=f"x{number}", **given)  # type: ignore[arg-type]


def answers(*rows: tuple[Trial, str]) -> People:
    said = Description(text="red")
    made = tuple(
        HumanAnswer(
            trial=t, description=said, response=Response(trial=t.id, hearer=who, outcome=Outcome.ENTITY, entity="t")
        )
        for t, who in rows
    )
    return People(name="made", trials=tuple(a.trial for a in made), answers=made, left_out={})


def named(people: People) -> dict[str, int]:
    found = people.clusters()
    return dict(zip(found.names, found.sizes(), strict=True))


def test_units_of_a_trial() -> None:
    one = trial(1, speaker="s", condition="easy", meta={"game": 7})
    assert [find_unit(one, by) for by in ("game", "speaker", "object", "condition")] == ["7", "s", "cup", "easy"]
    assert find_unit(one, "scene") == find_unit(trial(2), "scene")
    assert find_unit(trial(3), "game") == "x3"
    assert find_unit(trial(3), "condition") == "none"
    plain = Scene(entities=(Entity(id="t", attributes=(Property("colour", "red"),)), Entity(id="a")))
    blue = Scene(entities=(Entity(id="t", attributes=(Property("colour", "blue"),)), Entity(id="a")))
    assert find_unit(trial(4, scene=plain), "object") != find_unit(trial(4, scene=blue), "object")


def test_games_hold_both_sides_together() -> None:
    rows = [(trial(i, speaker=f"s{i % 3}", meta={"game": f"g{i % 4}"}), f"p{i % 4}") for i in range(12)]
    assert named(answers(*rows)) == {"game": 4}


def test_without_games_people_and_what_recurs_are_crossed() -> None:
    scenes = [replace(trial(0).scene, id=f"scene{i}") for i in range(3)]
    rows = [(trial(i, scene=scenes[i % 3], speaker=f"s{i % 5}"), f"p{i % 4}") for i in range(60)]
    # 3 scenes, 5 speakers and 4 people: the two with the fewest
    assert named(answers(*rows)) == {"scene": 3, "participant": 4}
    assert named(replace(answers(*rows), sampled=("speaker",))) == {"participant": 4, "speaker": 5}


def test_a_file_of_the_corpus_in_place_of_its_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REFEREE_DATA", raising=False)
    rounds = tmp_path / "rounds.jsonl.gz"
    rounds.write_bytes(b"")
    with pytest.raises(DataNotFound, match=r"rounds.jsonl.gz: a file here is read as responses.*\n.*the folder"):
        open_people("color-grids", rounds)


def test_where_nothing_recurs_answers_stand_alone() -> None:
    assert named(answers(*[(trial(i), f"p{i}") for i in range(5)])) == {}
