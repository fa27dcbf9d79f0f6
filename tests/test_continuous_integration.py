"""The files for continuous integration of users: the GitHub Action and the hook of pre-commit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).parent.parent
WORSE, BETTER = ["a"] * 12, [f"the red cup {i}" for i in range(12)]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    for name, lines in (("new ref.txt", BETTER), ("worse.txt", WORSE), ("good.txt", BETTER)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path


ENVIRONMENT = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize(("order", "fails"), [("good.txt worse.txt", True), ("worse.txt good.txt", False)])
def test_the_action_fails_if_the_second_system_is_worse(texts: Path, order: str, fails: bool) -> None:
    step = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["runs"]["steps"][-1]
    arguments = f"{order} --references 'new ref.txt' --metric string/chrf"
    inputs = {"ARGUMENTS": arguments, "JUNIT": "out.xml", "GITHUB_STEP_SUMMARY": "summary.md"}
    assert set(step["env"]) | {"GITHUB_STEP_SUMMARY"} == set(inputs)
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], cwd=texts, env=ENVIRONMENT | inputs)
    assert done.returncode == int(fails)
    assert ElementTree.parse(texts / "out.xml").getroot().get("failures") == str(int(fails))
    assert "string/chrf" in (texts / "summary.md").read_text("utf-8")


def test_the_hook_of_pre_commit_compares(texts: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    arguments = [*hook["entry"].split(), "good.txt", "worse.txt", "--references", "new ref.txt"]
    assert subprocess.run(arguments, cwd=texts, env=ENVIRONMENT).returncode == 1
