"""Clusters of Ray: machines that come and go, graphics cards, and what a user is told when there is no cluster to be had."""

from __future__ import annotations

import importlib.util
import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from squares import Squares

from referee.cli import main
from referee.engines import on_ray
from referee.engines.on_ray import RayEngine, RayWorker
from referee.engines.pieces import Done, Needs, WorkPiece, cut_group, pickle_object
from referee.errors import InputError

ITEMS = [str(number) for number in range(40)]
needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray is an extra: pip install 'referee[ray]'"
)


@pytest.fixture
def offset(tmp_path: Path) -> Path:
    path = tmp_path / "offset"
    path.write_text("7")
    return path


# -- without a cluster ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def port() -> Iterator[int]:
    """Somebody listens there, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def command(tmp_path: Path, *more: str) -> list[str]:
    corpus = tmp_path / "corpus"
    return [
        "run",
        "--corpus",
        "synthetic",
        "--systems",
        "classic/greedy",
        "--limit",
        "20",
        "--folds-by",
        "random",
        "--out",
        str(corpus),
        *more,
    ]


def test_a_cluster_of_another_version_is_told_with_both_versions(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def init(**options: Any) -> None:
        # as Ray 2.60 says it to a cluster of Ray 2.54
        raise RuntimeError(
            "Version mismatch: The cluster was started with:\n    Ray: 2.54.0\n    Python: 3.11.7\n"
            "This process on node 192.0.2.2 was started with:\n    Ray: 2.60.0\n    Python: 3.11.7\n"
        )

    monkeypatch.setattr(on_ray, "_has_token_requirement", lambda host, client: False)
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False, init=init))  # type: ignore[arg-type]
    assert main(command(tmp_path, "--engine", "ray", "--address", f"127.0.0.1:{port}")) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "started with: Ray: 2.54.0 Python: 3.11.7" in said
    assert "Ray and Python must have the same version on both sides" in said


def test_without_ray_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(command(tmp_path, "--engine", "ray")) == 2
    assert "pip install 'referee[ray]'" in capsys.readouterr().err


@pytest.mark.parametrize("engine", [("--jobs", "2"), ("--engine", "ray")])
def test_a_folder_that_cannot_be_written_is_told_before_any_work(
    tmp_path: Path, engine: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "corpus").write_text("a file where a folder should be")
    inside = command(tmp_path / "corpus", *engine)
    assert main(inside) == 2
    assert "cannot make the folder" in " ".join(capsys.readouterr().err.split())


def test_a_worker_of_another_version_says_so(offset: Path) -> None:
    fault, _ = RayWorker(pickle_object(Squares(offset)), ("0.1", ("3", "9"))).greet({})
    assert fault is not None
    assert "this machine 0.1 on 3.9" in str(fault)
    assert "install the same version" in str(fault)
    assert RayWorker(pickle_object(Squares(offset)), on_ray.HERE).greet({}) == (None, [])


@pytest.mark.parametrize("by_client", [True, False])
def test_a_cluster_that_wants_a_token_gets_the_one_that_is_there(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch, by_client: bool
) -> None:
    address = f"ray://127.0.0.1:{port}" if by_client else f"127.0.0.1:{port}"
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setattr(on_ray, "_has_token_requirement", lambda host, client: client is by_client)
    with pytest.raises(InputError, match=r"requires a token\n.*RAY_AUTH_TOKEN"):
        on_ray._check_address(address)
    (tmp_path / "token").write_text("secret")
    on_ray._check_address(address)
    assert os.environ["RAY_AUTH_MODE"] == "token"


# -- with one ------------------------------------------------------------------------------------------------------------------

Engine = Callable[..., RayEngine]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Nodes are processes of this machine; the head has no processors for workers."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)]))
    monkeypatch.setattr(on_ray, "LOOK_SECONDS", 0.5)
    monkeypatch.setattr(on_ray, "PATIENCE_SECONDS", 1.0)
    quick = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 500, "health_check_failure_threshold": 3}
    head = {"num_cpus": 0, "num_gpus": 0, "include_dashboard": False, "_system_config": quick}
    made = Cluster(initialize_head=True, head_node_args=head)
    yield made
    made.shutdown()


def raylet(node: Any) -> int:
    return int(node.all_processes["raylet"][0].process.pid)


def entries(diary: Path) -> list[tuple[int, str]]:
    lines = diary.read_text().split("\n")[:-1] if diary.exists() else []
    return [(int(parent), rest) for parent, _, rest in (line.partition(" ") for line in lines)]


@needs_ray
@pytest.mark.long
def test_a_node_that_joins_is_used_and_one_that_leaves_is_survived(cluster: Any, offset: Path, tmp_path: Path) -> None:
    said: list[str] = []
    first = cluster.add_node(num_cpus=1)
    nodes = {raylet(first)}
    task = Squares(offset, tmp_path / "diary", node=True, pause=0.2)
    found: dict[str, bytes] = {}
    for outcome in RayEngine(address=cluster.address, say=said.append).work(task, cut_group("all", ITEMS, 2)):
        assert isinstance(outcome, Done)
        found |= dict(zip(outcome.piece.items, outcome.result.split(), strict=True))
        if len(found) == 4:
            nodes.add(raylet(cluster.add_node(num_cpus=1)))
        if len(found) == 20:
            cluster.remove_node(first, allow_graceful=False)
    assert found == {item: str(int(item) ** 2 + 7).encode() for item in ITEMS}
    # A worker that outlives its node for a moment has another parent by then.
    assert nodes <= {node for node, _ in entries(tmp_path / "diary")}
    assert len(nodes) == 2


@needs_ray
@pytest.mark.long
def test_a_worker_that_needs_a_graphics_card_waits_for_one_and_loads_its_model_once(
    cluster: Any, offset: Path, tmp_path: Path
) -> None:
    said: list[str] = []
    cluster.add_node(num_cpus=4)
    task = Squares(offset, needs=Needs(cpus=1, gpus=1), loads=tmp_path / "loads")
    work = RayEngine(address=cluster.address, say=lambda line: wait_ended(cluster, said, line)).work(
        task, cut_group("all", ITEMS, 4)
    )
    done = [o.piece.items for o in work]
    assert sorted(i for items in done for i in items) == sorted(ITEMS)
    assert said[0].endswith("room for 0 workers")
    assert said[1].endswith("waiting for room for a worker (it needs 1 processors and 1 graphics cards)")
    # Ten pieces, one card, one worker: the stub of a model is loaded once, and sees the one card.
    assert [card for _, card in entries(tmp_path / "loads")] == ["0"]


def wait_ended(cluster: Any, said: list[str], line: str) -> None:
    said.append(line)
    if "waiting" in line:
        cluster.add_node(num_cpus=4, num_gpus=1)


@needs_ray
@pytest.mark.long
def test_more_jobs_than_room_hold_nothing_up(cluster: Any, offset: Path) -> None:
    cluster.add_node(num_cpus=1)
    work = RayEngine(address=cluster.address, jobs=5, say=lambda line: None).work(
        Squares(offset), cut_group("all", ITEMS, 3)
    )
    assert sorted(i for o in work for i in o.piece.items) == sorted(ITEMS)


@needs_ray
@pytest.mark.long
def test_a_worker_that_cannot_import_what_it_needs_names_it(
    cluster: Any, offset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text("from squares import Squares\nclass Elsewhere(Squares): pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    from only_here import Elsewhere  # type: ignore[import-not-found]

    cluster.add_node(num_cpus=1)
    engine = RayEngine(address=cluster.address, say=lambda line: None)
    with pytest.raises(InputError, match=r"only_here.*\n.*install the same version"):
        list(engine.work(Elsewhere(offset), [WorkPiece("all", ("1",))]))
