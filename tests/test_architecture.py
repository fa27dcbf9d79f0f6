"""The architecture page names every folder of both packages and nothing that does not exist."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

import referee
import referee_lab
from code_lines import count_code_lines

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PACKAGES = {"referee": Path(referee.__file__).parent, "referee_lab": Path(referee_lab.__file__).parent}


def folders(package: Path) -> set[str]:
    """Return the folders of a package that hold modules, two levels deep, as `show/drawing`."""
    inits = [path for pattern in ("*/__init__.py", "*/*/__init__.py") for path in package.glob(pattern)]
    return {path.parent.relative_to(package).as_posix() for path in inits}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_folder_is_on_the_page(package: str) -> None:
    rows = set(re.findall(r"^\| `([\w/]+)/` \|", PAGE, flags=re.MULTILINE))
    missing = {name for name in folders(PACKAGES[package]) if "/" not in name and name not in rows}
    assert missing == set(), f"docs/architecture.md has no row for these folders of {package}"


def test_the_page_names_no_folder_that_does_not_exist() -> None:
    rows = set(re.findall(r"^\| `([\w/]+)/` \|", PAGE, flags=re.MULTILINE))
    assert rows <= set().union(*map(folders, PACKAGES.values()))


def test_modules_that_the_walks_name_exist() -> None:
    walks = PAGE[PAGE.index("walks\n") :]
    walks = walks[: walks.index("\n## ")]
    for name in re.findall(r"`((?:\w+\.)+\w+)`", walks):
        paths = [package.joinpath(*name.split(".")) for package in PACKAGES.values()]
        assert any(path.with_suffix(".py").is_file() or path.is_dir() for path in paths), name


def test_nothing_at_the_top_hides_a_public_function() -> None:
    taken = {path.stem for path in PACKAGES["referee"].iterdir()}
    assert not taken & {*referee.FUNCTIONS, "describe"}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_class_name_is_used_once_in_a_package(package: str) -> None:
    trees = (ast.parse(path.read_text("utf-8")) for path in PACKAGES[package].rglob("*.py"))
    names = Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
    assert [name for name, times in names.items() if times > 1] == []


def test_both_packages_have_one_version() -> None:
    version = referee.__version__
    assert referee_lab.__version__ == version
    for package, pinned in (("referee", "referee-lab"), ("referee-lab", "referee")):
        text = (ROOT / "packages" / package / "pyproject.toml").read_text("utf-8")
        assert set(re.findall(rf'"{pinned}(?:\[\w+\])?==([^"]+)"', text)) == {version}, package


def _rows(heading: str) -> list[list[str]]:
    """Return the cells of the table under a heading, without its head."""
    section = PAGE[PAGE.index(f"\n## {heading}\n") :]
    lines = [line for line in section.split("\n## ")[1].splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def _code_lines(named: str) -> int:
    """Return the code lines of a folder, a file, or `file.py:name`."""
    path, _, name = named.partition(":")
    found = next(p for root in (*PACKAGES.values(), ROOT) if (p := root / path).exists())
    if found.is_dir():
        return sum(map(count_code_lines, found.rglob("*.py")))
    text = found.read_text("utf-8")
    if found.suffix != ".py":
        return sum(bool(line.strip()) and not line.strip().startswith(("//", "/*", "*")) for line in text.splitlines())
    if not name:
        return count_code_lines(found)
    node = next(n for n in ast.walk(ast.parse(text)) if getattr(n, "name", None) == name)
    return node.end_lineno - node.lineno + 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("row", _rows("Own code where there is a library"), ids=lambda row: row[0])
def test_own_code_has_the_lines_that_the_page_says(row: list[str]) -> None:
    """Within a quarter, or twenty lines: small changes need no change of the page."""
    printed, counted = int(row[2].replace(",", "")), sum(map(_code_lines, re.findall(r"`([^`]+)`", row[1])))
    assert abs(counted - printed) <= max(20, printed / 4), (
        f"{row[0]}: the page says {printed}, the files have {counted}"
    )


# Modules that import the library of a job beside the one that the page names, with the reason.
ALSO = {
    "msgspec": {
        "records.py": "declares the records",
        "record_base.py": "declares the records",
        "meaning.py": "declares the records",
        "geometry.py": "declares the records",
        "corpora/outputs.py": "reads the columns of tables as records",
        "corpora/jsonl.py": "makes the JSON schema, and writes",
        "tangram/tiers/dialogue_form.py": "declares the open form of a dialogue",
        "corpora/line_index.py": "looks for ids only",
        "jobs/folder.py": "checks the rows of scores",
    },
    "aiohttp": {"models/endpoint.py": "checks that it is installed", "models/transcription.py": "makes a form"},
    "ray": {"models/local_models.py": "keeps a model in an actor on each card"},
    "multiprocessing": {},
    "jinja2": {
        "study/design/browser_look.py": "one page of the laboratory, with its template beside it",
        "study/data/datasheet.py": "fills in a page of Markdown, its template beside it",
    },
    "http.server": {},
    "fsspec": {},
}


@pytest.mark.parametrize("library", ALSO)
def test_no_other_module_imports_the_library_of_a_job(library: str) -> None:
    row = next(row for row in _rows("One way to do each job") if row[2] == f"`{library}`")
    allowed = {*re.findall(r"`([^`]+)`", row[1]), *ALSO[library]}
    pattern = re.compile(rf"^\s*(?:import|from) {re.escape(library)}\b", re.MULTILINE)
    found = {
        path.relative_to(package).as_posix()
        for package in PACKAGES.values()
        for path in package.rglob("*.py")
        if pattern.search(path.read_text("utf-8"))
    }
    assert found <= allowed
    assert re.findall(r"`([^`]+)`", row[1])[0] in found
