"""Jobs whose workers, machines and commands are killed: the same file in the end (benchmarks/pages/killed_jobs.py, in small)."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[4] / "benchmarks" / "pages"


def kill_and_compare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, items: int, kinds: list[str], engine: str = "local"
) -> None:
    """The checksum of a job in which these are killed must be that of one undisturbed process."""
    monkeypatch.syspath_prepend(str(BENCHMARK))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    from killed_jobs import Job, Killing, install, write_corpus

    package = tmp_path / "package"
    package.mkdir()
    install(package)
    corpus = tmp_path / "corpus.jsonl"
    write_corpus(corpus, items)
    undisturbed = Job(corpus, tmp_path / "undisturbed")
    assert undisturbed.begin(("--jobs", "1"), 1000).wait() == 0, undisturbed.log.read_text()
    killing = Killing(tmp_path, corpus, 20, [engine], 1, kinds)
    for job in killing.jobs(len(kinds)):
        assert job.problems(items, {undisturbed.checksum()}) == []
    assert not list(tmp_path.glob(".killed-*"))
    assert killing.killed.total() == len(kinds)


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_a_worker_and_the_command_are_killed_and_the_file_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_and_compare(tmp_path, monkeypatch, 400, ["worker", "command"])


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
def test_also_on_ray_with_two_nodes_that_come_and_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kill_and_compare(tmp_path, monkeypatch, 2000, ["worker", "node", "command", "worker", "node", "head"], "ray")
