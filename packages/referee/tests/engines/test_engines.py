"""Engines: the same results from one process, from several and from Ray, whatever dies on the way."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from squares import Squares

from referee.engines.local import LocalEngine
from referee.engines.on_ray import RayEngine
from referee.engines.pieces import Done, Engine, Failed, WorkPiece, cut_group
from referee.engines.queue import Queue
from referee.errors import InputError

ITEMS = [str(number) for number in range(60)]


@pytest.fixture
def offset(tmp_path: Path) -> Path:
    path = tmp_path / "offset"
    path.write_text("7")
    return path


def pieces(shard: int) -> list[WorkPiece]:
    return [*cut_group("low", ITEMS[:25], shard), *cut_group("high", ITEMS[25:], shard)]


def squares(outcomes: Iterable[Done | Failed]) -> dict[str, int]:
    found: dict[str, int] = {}
    for outcome in outcomes:
        assert isinstance(outcome, Done)
        numbers = [int(line) for line in outcome.result.split()]
        found |= dict(zip(outcome.piece.items, numbers, strict=True))
    return found


@pytest.mark.parametrize("shard", [1, 7, 100])
@pytest.mark.parametrize("jobs", [1, 2])
def test_every_item_is_done_once_for_any_number_of_processes_and_any_size(offset: Path, jobs: int, shard: int) -> None:
    outcomes = list(LocalEngine(jobs).work(Squares(offset), pieces(shard)))
    assert sorted(i for o in outcomes for i in o.piece.items) == sorted(ITEMS)
    assert squares(outcomes) == {item: int(item) ** 2 + 7 for item in ITEMS}


def test_a_worker_that_is_killed_is_replaced_and_its_piece_done_again(offset: Path, tmp_path: Path) -> None:
    once = tmp_path / "once"
    once.touch()
    outcomes = list(LocalEngine(2).work(Squares(offset, once=once), pieces(10)))
    assert squares(outcomes) == {item: int(item) ** 2 + 7 for item in ITEMS}
    assert not once.exists()


def test_a_deadly_item_ends_as_one_failed_item_after_three_tries(offset: Path, tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    outcomes = list(LocalEngine(2).work(Squares(offset, diary, frozenset({"31"})), pieces(20)))
    failed = [o for o in outcomes if isinstance(o, Failed)]
    assert [(o.piece.items, o.why) for o in failed] == [(("31",), "its process was killed (out of memory?)")]
    assert str(failed[0].piece) == "high, item 31"
    done = [o for o in outcomes if isinstance(o, Done)]
    assert sorted(i for o in done for i in o.piece.items) == sorted(set(ITEMS) - {"31"})


def test_out_of_memory_names_the_piece_and_ends_as_one_failed_item(offset: Path) -> None:
    said: list[str] = []
    outcomes = list(LocalEngine(2, say=said.append).work(Squares(offset, hungry="31"), pieces(20)))
    assert [(o.piece.items, o.why) for o in outcomes if isinstance(o, Failed)] == [
        (("31",), "its worker ran out of memory")
    ]
    assert said[0] == "high, items 25 to 44: its worker ran out of memory; tried again"
    assert said[1] == "high, items 25 to 44: its worker ran out of memory; tried again in two halves"
    assert said[-1] == "high, item 31: its worker ran out of memory; given up after 3 tries"


def test_a_fault_of_the_task_is_told_as_it_was_raised(offset: Path) -> None:
    with pytest.raises(ValueError, match="cannot square 40"):
        list(LocalEngine(2).work(Squares(offset, faulty="40"), pieces(5)))


def test_workers_that_never_begin_end_the_work_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(LocalEngine(2).work(Squares(tmp_path / "nowhere"), pieces(5)))


def test_a_worker_keeps_to_its_group_and_groups_are_shared_out_first() -> None:
    queue = Queue([*cut_group("a", ["1", "2"], 1), *cut_group("b", ["3", "4"], 1)])
    first = queue.take(None)
    second = queue.take(None, ["a"])
    assert first is not None
    assert second is not None
    assert (first.group, second.group) == ("a", "b")
    assert [queue.take("b", ["a"]), queue.take("b", ["a"])] == [WorkPiece("b", ("4",)), WorkPiece("a", ("2",))]
    assert queue.take("b") is None


def test_a_piece_is_halved_at_its_second_death() -> None:
    queue = Queue(cut_group("a", ["1", "2", "3"], 3))
    whole = queue.take(None)
    assert whole is not None
    assert queue.record_death(whole, "why") is None
    assert queue.take(None) == whole
    assert queue.record_death(whole, "why") is None
    assert [queue.take(None), queue.take(None)] == [WorkPiece("a", ("1",)), WorkPiece("a", ("2", "3"))]


def test_a_machine_that_leaves_is_no_fault_of_its_piece() -> None:
    said: list[str] = []
    queue = Queue(cut_group("a", ["1"], 1), said.append)
    for _ in range(5):
        piece = queue.take(None)
        assert piece is not None
        queue.requeue_lost(piece, "its machine left the cluster")
    assert len(queue) == 1
    assert said == ["a, item 1: its machine left the cluster; done elsewhere"] * 5
    for _ in range(7):
        queue.requeue_lost(WorkPiece("a", ("1",)), "its machine left the cluster")
    with pytest.raises(InputError, match="worker processes ended repeatedly, the last at a, item 1: its machine left"):
        queue.requeue_lost(WorkPiece("a", ("1",)), "its machine left the cluster")


# -- Ray -----------------------------------------------------------------------------------------------------------------------

needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray is an extra: pip install 'referee[ray]'"
)


@needs_ray
@pytest.mark.long
def test_ray_gives_what_processes_give_also_when_a_worker_dies(
    offset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Ray's workers have to find `squares`
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    said: list[str] = []
    engine: Engine = RayEngine(jobs=2, say=said.append)
    once = tmp_path / "once"
    once.touch()
    assert squares(engine.work(Squares(offset, once=once), pieces(10))) == {i: int(i) ** 2 + 7 for i in ITEMS}
    assert not once.exists()
    assert len(said) == 2
    assert "; tried again" in said[1]
    assert said[0].startswith("Ray on this machine: ready after")
    outcomes = list(engine.work(Squares(offset, deadly=frozenset({"31"})), pieces(20)))
    assert [o.piece.items for o in outcomes if isinstance(o, Failed)] == [("31",)]
    with pytest.raises(ValueError, match="cannot square 40"):
        list(engine.work(Squares(offset, faulty="40"), pieces(5)))


@needs_ray
@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "here"])
def test_an_address_where_nobody_is_names_the_remedy(offset: Path, address: str) -> None:
    with pytest.raises(InputError, match="HOST:6379"):
        list(RayEngine(address=address).work(Squares(offset), pieces(10)))
