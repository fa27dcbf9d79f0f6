"""`referee audit` as a user meets it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from referee.auditing.corrections import REGISTER
from referee.auditing.paper import list_shipped_papers
from referee.cli import main

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "audit-my-paper"


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(["audit", *args])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_first_line_sums_up(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--paper", "spanger-2010")
    assert code == 0
    assert out.startswith("1 finding in 1 paper; 4 numbers checked: 2 follow, 0 within rounding, 2 do not follow.")
    assert "the sum without" in " ".join(out.split())


def test_json_has_one_row_a_check(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--paper", "belz-gatt-2008", "--format", "json")
    rows = json.loads(out)["rows"]
    assert code == 0
    assert set(rows[0]) == {"source", "item", "printed", "recomputed", "low", "high", "verdict", "explanation"}
    assert {r["verdict"] for r in rows} == {"follows", "rounding", "does-not-follow", "undetermined"}
    pair = next(r for r in rows if r["item"] == "r(RT, IT)" and "Table 2" in r["source"])
    assert pair["printed"] == 0.8
    assert pair["low"] <= pair["printed"] <= pair["high"]


def test_what_follows_lies_in_its_interval(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--paper", "tuna-reg-2009", "--format", "json")
    for r in json.loads(out)["rows"]:
        if r["low"] is not None and not isinstance(r["printed"], str):
            inside = r["low"] - 1e-9 <= r["printed"] <= r["high"] + 1e-9
            assert inside == (r["verdict"] != "does-not-follow"), r


def test_json_says_what_is_corrected_and_what_every_check_takes_for_granted(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--paper", "spanger-2013", "--format", "json")
    data = json.loads(out)
    assert [c["check"] for c in data["assumptions"]] == list(range(1, 12))
    assert all(c["assumes"] for c in data["assumptions"])
    assert sum("is not printed" in c["admitted"] for c in data["assumptions"]) == 2
    (agreement,) = [c for c in data["corrections"] if c["row"] == "agreement on TP"]
    assert (agreement["from"], agreement["to"]) == ("0.969", 0.972)  # 661 of 680


def test_assumptions_are_shown_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    _, plain, _ = run(capsys, "--paper", "tuna-2008")
    _, out, _ = run(capsys, "--paper", "tuna-2008", "--explain")
    assert "assumes:" not in plain
    assert "at least one of 2 references" in " ".join(out.split())


def test_the_register_of_corrections_is_printed_as_it_is_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--paper", "spanger-2010", "--corrections")
    entry = out.partition("[[corrections]]")[2]
    assert 'from = "638", to = 660' in entry
    assert entry in REGISTER.read_text("utf-8")


def test_csv_reads_back(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--paper", "kelleher-macnamee-2008", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out.strip())))
    assert len(rows) == 32
    assert sum(r["verdict"] == "does-not-follow" for r in rows) == 2


def test_markdown_is_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--paper", "kelleher-macnamee-2008", "--format", "markdown")
    assert out.startswith("# Audit of printed tables\n")
    assert "| does-not-follow |" in out
    assert "| follows |" not in out
    _, out, _ = run(capsys, "--paper", "kelleher-macnamee-2008", "--format", "markdown", "--all")
    assert "| follows |" in out


def test_strict_turns_a_finding_into_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--paper", "spanger-2010", "--strict")[0] == 1
    (tmp_path / "table.csv").write_text("system,share\na,40.0\nb,60.0\n", "utf-8")
    table = '[tables.t]\nfile = "table.csv"\nname = "Table 1"\nkey = ["system"]\n'
    check = '[[checks]]\nkind = "range"\ntable = "t"\ncolumns = ["share"]\nlow = 0\nhigh = 100\n'
    (tmp_path / "paper.toml").write_text(f'title = "T"\ncitation = "C"\n{table}{check}', "utf-8")
    assert run(capsys, str(tmp_path), "--strict")[0] == 0


def test_all_prints_every_row(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--paper", "spanger-2010", "--all")
    assert "both events, rate" in out


def test_the_shipped_papers_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--list")
    assert [line.split()[0] for line in out.splitlines()] == list_shipped_papers()


def test_the_example_finds_its_own_misprints(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, str(EXAMPLE))
    said = " ".join(out.split())
    assert code == 0
    assert "3 findings" in said
    assert "Table 1, Delta, both" in said
    assert "the sign is wrong" in said
    assert "one digit differs from" in said


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["no-such-folder"], "no-such-folder: this is neither a folder nor the name of a shipped paper"),
        (["--paper", "tuna-208"], "did you mean tuna-2008"),
        (["--format", "yaml"], "--format cannot be 'yaml'"),
        (["--colour"], "see `referee audit --help`"),
    ],
)
def test_a_mistake_ends_with_exit_code_2_and_a_remedy(
    capsys: pytest.CaptureFixture[str], args: list[str], said: str
) -> None:
    code, _, err = run(capsys, *args)
    assert code == 2
    assert said in err


def test_a_broken_paper_names_file_and_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "paper.toml").write_text(
        '[tables.t]\nfile = "t.csv"\n[[checks]]\nkind = "range"\ntable = "t"\ncolumns = "x"\n'
    )
    (tmp_path / "t.csv").write_text("system,x\na,one\n")
    code, _, err = run(capsys, str(tmp_path))
    assert code == 2
    assert "t.csv:2: 'one' in column 'x' is not a number" in err
    assert "→" in err
