"""Simulated participants of a room study play rooms: recordings that can be read back, roles that swap, and somebody who waits in vain."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select
from tangram_people import load_recordings

from referee_lab.bots.simulation import simulate
from referee_lab.rooms.room_study import make_tangram_study
from referee_lab.server.sessions.served_study import open_served
from referee_lab.server.store.schema import room
from referee_lab.study.analysis.registered_tests import analyse
from referee_lab.study.data.collection import collect_from
from referee_lab.study.design.shown_scenes import prove_shown
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.study import open_study


def rooms_of(folder: Path) -> list[object]:
    served = open_served(folder, begin=False)
    try:
        with served.store.read() as connection:
            rows = list(connection.execute(select(room).order_by(room.c.id)))
        return [(row, load_recordings(served.store, row.id)) for row in rows]
    finally:
        served.store.close()


def test_the_demonstration_is_a_game_and_simulated_people_play_it(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "tangram", "tangram")
    assert (study.protocol, study.settings["partner"]) == ("tangram", "bot")
    played = simulate(study.folder, participants=2)
    assert (played.endings["completed"], played.lost, played.twice) == (2, 0, 0)
    found = rooms_of(study.folder)
    assert len(found) == 2
    for row, recordings in found:
        assert (row.state, row.data["outcome"]) == ("over", "completed")
        assert [r.header.goal for r in recordings] == list(study.settings["puzzles"])
        assert all({"start", "say", "grab"} <= {e.kind for e in r.entries} for r in recordings)
    answers = {a.answer["room"]: a.answer for a in collect_from(study).trials}
    assert set(answers) == {row.id for row, _ in found}
    sheet = analyse(collect_from(study)).sheets[0]
    solved = sum(e.kind == "solved" for _, recordings in found for r in recordings for e in r.entries)
    assert sum(r["solved"] for r in sheet.tidy) == solved


def test_pairs_share_a_room_and_the_odd_one_waits_in_vain(tmp_path: Path) -> None:
    study = make_tangram_study(tmp_path / "pairs", puzzles=("house", "boat"), settings={"swap_after": 1})
    simulate(study.folder, participants=3)
    outcomes = sorted(str(a.answer["outcome"]) for a in collect_from(study).trials)
    assert outcomes == ["completed", "completed", "no-partner"]
    pair = next(recordings for row, recordings in rooms_of(study.folder) if row.data["outcome"] == "completed")
    first, second = (r.header.players for r in pair)
    assert set(first) == set(second)
    assert first != second, "roles swap after one puzzle"


def test_training_shows_no_figure_of_the_game(tmp_path: Path) -> None:
    from referee_lab.tangram.game.goals import GOALS, TRAINING

    assert TRAINING.name not in GOALS
    every = make_tangram_study(tmp_path / "all", puzzles=tuple(GOALS))
    assert [claim.holds for claim in prove_shown(open_study(every.folder))] == [True]
    assert prove_shown(make_tangram_study(tmp_path / "none", puzzles=tuple(GOALS), practice=False)) == []


@pytest.mark.parametrize("partner", ["none"])
def test_who_plays_alone_says_nothing(tmp_path: Path, partner: str) -> None:
    study = make_tangram_study(tmp_path / "alone", puzzles=("house",), partner=partner)
    simulate(study.folder, participants=1)
    ((_, (recording,)),) = rooms_of(study.folder)
    assert "say" not in {e.kind for e in recording.entries}
    assert "grab" in {e.kind for e in recording.entries}
