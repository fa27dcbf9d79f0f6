"""Descriptions: what is wrong with them is said with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.auditing.audit import audit
from referee.auditing.paper import list_shipped_papers, read_paper, read_shipped_paper
from referee.errors import MalformedInput, UnknownName

GOOD = """title = "A paper"

[tables.t]
file = "t.csv"

[[checks]]
kind = "range"
table = "t"
columns = ["x"]
low = 0
high = 1
"""


def folder(tmp_path: Path, description: str) -> Path:
    (tmp_path / "t.csv").write_text("system,x\na,0.5\n")
    (tmp_path / "paper.toml").write_text(description)
    return tmp_path


def test_a_good_description_is_audited(tmp_path: Path) -> None:
    found = audit(read_paper(folder(tmp_path, GOOD)))
    assert [r.verdict.value for r in found.rows] == ["follows"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('kind = "range"', "kind = range", r"paper\.toml:7: broken TOML"),
        ('kind = "range"', 'kind = "ranges"', r"paper\.toml:6: no check is called 'ranges'\n  → kinds: anova"),
        ('kind = "range"\n', "", r"paper\.toml:6: .*needs 'kind'"),
        ('table = "t"', 'table = "u"', r"paper\.toml:6: no table is called 'u'\n  → tables: t"),
        ('columns = ["x"]', 'columns = ["y"]', r"t\.csv:1: no column is called 'y'\n  → columns: system, x"),
        ('columns = ["x"]\n', "", r"paper\.toml:6: a check of kind 'range' needs 'columns'"),
        ("low = 0", "lowest = 0", r"paper\.toml:6: a check of kind 'range' has no key 'lowest'"),
        ("low = 0", "low = [0]", r"paper\.toml:6: low = \[0\] is not a"),
        ('file = "t.csv"', 'file = "u.csv"', r"paper\.toml:3: u\.csv is not there"),
        ('file = "t.csv"', "", r"paper\.toml:3: table 't' names no file"),
        ('file = "t.csv"', 'file = "t.csv"\nzeroes = "dropped"', r"paper\.toml:3: a table has no key 'zeroes'"),
        ('file = "t.csv"', 'file = "t.csv"\ndigits = { z = 2 }', r"t\.csv:1: no column is called 'z'"),
        ('file = "t.csv"', 'file = "t.csv"\nzeros = "gone"', r"paper\.toml:3: zeros = 'gone' is not a valid setting"),
        ('file = "t.csv"', 'file = "t.csv"\nshares = { x = -3 }', r"paper\.toml:3: shares = .* is not a valid setting"),
        ('file = "t.csv"', 'file = "t.csv"\nscale = 0', r"paper\.toml:3: scale = 0 is not a valid setting"),
        ("[[checks]]", "[checks]", r"paper\.toml:1: checks must be written as \[\[checks\]\]"),
        ('title = "A paper"', 'name = "A paper"', r"paper\.toml:1: the description has no key 'name'"),
    ],
)
def test_a_broken_description_is_refused_with_file_and_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(MalformedInput, match=said):
        audit(read_paper(folder(tmp_path, GOOD.replace(old, new))))


def test_a_folder_without_a_description_says_what_a_paper_is(tmp_path: Path) -> None:
    with pytest.raises(MalformedInput, match=r"paper\.toml: not found\n  → a paper is a folder"):
        read_paper(tmp_path)


def test_a_description_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MalformedInput, match="no tables are named"):
        read_paper(folder(tmp_path, 'title = "x"\n'))


@pytest.mark.parametrize("reference", ["t.x", "t[a]", "t[z].x", "t[a].z"])
def test_a_cell_that_is_not_there_is_a_mistake(tmp_path: Path, reference: str) -> None:
    check = f'\n[[checks]]\nkind = "formula"\ntarget = "{reference}"\nformula = "1"\n'
    with pytest.raises(MalformedInput):
        audit(read_paper(folder(tmp_path, GOOD + check)))


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ('kind = "counts"\ntable = "t"\ncolumns = "x"\nn = 0', r"paper\.toml:13: n = 0, missing = 0"),
        ('kind = "counts"\ntable = "t"\ncolumns = "x"\nn = 5\nscale = 0', r"paper\.toml:13: scale = 0"),
        ('kind = "overall"\ntable = "t"\nparts = ["x", "x"]\nwhole = "x"\nn = [1, 2, 3]', r"for 2 columns"),
        ('kind = "overall"\ntable = "t"\nparts = ["x", "x"]\nwhole = "x"\nn = 3\nmissing = 3', r"above `missing`"),
        ('kind = "order"\ntable = "t"\nby = "x"\nway = "up"', r"way = 'up'\n  → write \"rising\" or \"falling\""),
        ('kind = "formula"\ntable = "t"\ntarget = "x"\nformula = "y + 1"', r"the formula's 'y' is neither a column"),
        ('kind = "formula"\ntable = "t"\ntarget = "x"\nformula = "x +"', r"formula 'x \+': "),
        ('kind = "anova"\nscores = "t"\ncells = "x"\nn = 3\nprinted = { domain = "t[a].x" }', r"no effect 'domain'"),
    ],
)
def test_a_check_that_makes_no_sense_is_refused_with_a_remedy(tmp_path: Path, check: str, said: str) -> None:
    with pytest.raises(MalformedInput, match=said):
        audit(read_paper(folder(tmp_path, f"{GOOD}\n[[checks]]\n{check}\n")))


def test_an_unknown_shipped_paper_is_refused_with_suggestions() -> None:
    with pytest.raises(UnknownName, match="tuna-2008"):
        read_shipped_paper("tuna-208")


def test_shipped_papers_are_listed() -> None:
    assert {"belz-gatt-2008", "tuna-2008", "tuna-reg-2009"} <= set(list_shipped_papers())
