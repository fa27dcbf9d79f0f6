"""Invited pairs: whoever has one of two links made together meets the other one and nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from crowd import ServerProcess, free_port
from tangram_people import Player

from referee.cli import main
from referee.errors import InputError
from referee_lab.rooms.reference_study import make_reference_study
from referee_lab.rooms.room_study import make_tangram_study
from referee_lab.server.sessions.lab_links import make_pair_labels


def test_labels_say_who_belongs_together() -> None:
    assert make_pair_labels(2, 2) == ["01/a", "01/b", "02/a", "02/b"]
    assert make_pair_labels(["ann, bob", "eve,  dan"], 2) == ["01/ann", "01/bob", "02/eve", "02/dan"]
    assert make_pair_labels(1, 3) == ["01/a", "01/b", "01/c"]
    for wrong in ("ann", "ann, ann", "ann, ", "ann, b/c"):
        with pytest.raises(InputError, match="line 1 does not name 2 people"):
            make_pair_labels([wrong], 2)


def test_links_for_pairs_are_for_studies_with_invitations(tmp_path: Path, capsys: Any) -> None:
    make_tangram_study(tmp_path / "open", practice=False)
    assert main(["study", "links", str(tmp_path / "open"), "--pairs", "2"]) == 2
    assert "does not recruit by links" in capsys.readouterr().err


async def come_together(port: int, links: list[dict[str, str]]) -> tuple[list[Player], Player]:
    """The first of each pair, then the second of the second, then the second of the first; and somebody without a pair."""
    players = [Player(port, "invited", Random(n), platform=link) for n, link in enumerate(links)]
    for place in (0, 2):
        await players[place].begin()
        await players[place].until(lambda place=place: players[place].status.get("phase") == "waiting")
    for place in (3, 1):
        await players[place].begin()
        await players[place].until(lambda place=place: players[place].status.get("phase") == "playing")
    for place in (0, 2):
        await players[place].until(lambda place=place: players[place].status["phase"] == "playing")
    stranger = players[4]
    await stranger.begin()
    await stranger.until(lambda: bool(stranger.problems))
    for player in players:
        await player.end()
    return players[:4], stranger


def laid_together(folder: Path) -> None:
    make_tangram_study(
        folder, id="invited", puzzles=["house"], practice=False, mode="pilot", settings={"pairing": "invited"}
    )


def chosen_alone(folder: Path) -> None:
    """A group of three, of whom one is a program: two people are invited together."""
    make_reference_study(
        folder, id="invited", mode="pilot", settings={"pairing": "invited", "group": 3, "bots": 1, "begins": "person"}
    )


@pytest.mark.parametrize("make", [laid_together, chosen_alone])
def test_only_those_meet_who_were_invited_together(tmp_path: Path, capsys: Any, make: Callable[[Path], None]) -> None:
    folder = tmp_path / "invited"
    make(folder)
    (tmp_path / "names.txt").write_text("ann, bob\neve, dan\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["study", "links", str(folder), "--pairs", str(tmp_path / "names.txt")]) == 0
    assert main(["study", "links", str(folder), "--count", "1"]) == 0
    links = [dict(parse_qsl(urlsplit(line).query)) for line in capsys.readouterr().out.split()]
    assert [link["label"] for link in links] == ["01/ann", "01/bob", "02/eve", "02/dan", "P001"]
    server = ServerProcess(folder, free_port())
    server.start()
    server.wait_until_up()
    try:
        (ann, bob, eve, dan), stranger = asyncio.run(come_together(server.port, links))
    finally:
        server.stop()
    assert ann.room == bob.room != eve.room == dan.room
    assert stranger.problems[0] == "not-invited"
