"""A plain script works: without a guard for the main module, from standard input, and with a metric of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os
import referee

print("begins", flush=True)
out = os.environ["OUT"]
made = referee.run("classic/greedy,classic/incremental", "synthetic", out=out, limit=20, folds_by="random", jobs=2)
scores = referee.score(out, metrics="set/dice", jobs=2, shard=5)
print(len(scores.rows))
"""

WITH_METRIC = """
import os
import numpy as np
import referee
from referee import catalogue
from referee.metrics.measure import Measure

print("begins", flush=True)


class Words(Measure):
    name = "my/words"
    needs = "text"

    def statistics(self, batch):
        print("process", os.getpid() == MAIN)
        return np.array([[float(len((said.text or "").split()))] for said in batch.outputs])


MAIN = os.getpid()
catalogue.KINDS["metric"]["my/words"] = catalogue.Entry("__main__:Words")
print(referee.score(demo=True, metrics="my/words", jobs=2, shard=400).frame["value"].to_list())
"""


@pytest.mark.parametrize("by_name", [True, False])
def test_a_script_without_a_guard_runs_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_name: bool) -> None:
    script = tmp_path / "mine.py"
    script.write_text(SCRIPT)
    monkeypatch.setenv("OUT", str(tmp_path / "run"))
    given = {} if by_name else {"input": SCRIPT}
    command = [sys.executable, str(script) if by_name else "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **given)  # type: ignore[call-overload]
    assert (done.returncode, done.stdout.split()) == (0, ["begins", "2"]), done.stderr


def test_what_a_script_defines_runs_in_its_process(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(WITH_METRIC)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[0]) == (0, "begins"), done.stderr
    assert set(lines[1:-1]) == {"process True"}
    assert done.stderr.count("Words") == 1


WITH_SYSTEM = """
import sys
import referee

print("begins", flush=True)


class First:
    language = "en"

    def fit(self, trials):
        pass

    def describe(self, trial):
        return referee.Description(properties=trial.scene.entities[0].attributes[:1], text="the thing")


print(referee.run("mine=" + sys.argv[1], "synthetic", "run", limit=20, folds_by="random", jobs=2).counts["mine"]["answered"])
"""


@pytest.mark.parametrize("named", ["__main__:First", "mine.py:First", "mine:First"])
def test_a_script_may_name_a_class_of_its_own_as_a_system(tmp_path: Path, named: str) -> None:
    (tmp_path / "mine.py").write_text(WITH_SYSTEM)
    script, given = ("-", WITH_SYSTEM) if named.startswith("__main__") else ("mine.py", None)
    done = subprocess.run(
        [sys.executable, script, named], cwd=tmp_path, input=given, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.split()) == (0, ["begins", "20"]), done.stderr


def test_a_file_that_starts_a_job_with_its_own_class_on_import_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(WITH_SYSTEM.replace("sys.argv[1]", '"mine.py:First"'))
    code = "import referee; referee.run('mine.py:First', 'synthetic', 'other', limit=20)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "mine.py" in done.stderr
    assert "__main__" in done.stderr
