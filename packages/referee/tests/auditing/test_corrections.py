"""The register of corrections: shipped, made again by the audit, and put into the tables it corrects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from referee.auditing.audit import audit
from referee.auditing.corrections import Correction, correct_paper, format_toml, read_register
from referee.auditing.paper import list_shipped_papers, read_shipped_paper
from referee.errors import MalformedInput


def of_paper(name: str) -> list[Correction]:
    return [c for c in read_register() if c.paper == name]


def test_the_shipped_register_is_what_the_audit_makes() -> None:
    made = [c for name in list_shipped_papers() for c in audit(read_shipped_paper(name)).corrections]
    kept = read_register()
    assert [replace(c, low=0, high=0, why="") for c in made] == [replace(c, low=0, high=0, why="") for c in kept]
    for here, there in zip(made, kept, strict=True):  # bounds are searched for, so their last digits are the machine's
        assert (here.low, here.high) == pytest.approx((there.low, there.high), rel=1e-4)
        assert here.why.partition(":")[0] == there.why.partition(":")[0]


def test_a_register_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "register.toml"
    path.write_text(format_toml(read_register()), "utf-8")
    assert read_register(path) == read_register()


def test_the_reading_time_of_nil_is_an_interval_of_which_the_midpoint_is_used() -> None:
    # Belz & Gatt 2008 print 1960.31 for NIL under RIT and IT; r(RIT, RT) = .827 and r(RIT, IT) = .675 need about 2892
    (found,) = [c for c in of_paper("belz-gatt-2008") if c.column == "RIT"]
    assert (found.row, found.printed, found.check) == ("NIL", "1960.31", "correlations")
    assert found.low == pytest.approx(2888, abs=2)
    assert found.high == pytest.approx(2896, abs=2)
    table = correct_paper(read_shipped_paper("belz-gatt-2008"), [found]).tables["table1"]
    number = table.number("NIL", "RIT")
    assert number is not None
    assert number.value == pytest.approx((found.low + found.high) / 2)
    assert table.text("NIL", "IT") == "1960.31"


def test_a_corrected_paper_has_nothing_left_that_its_corrections_explain() -> None:
    corrected = audit(
        correct_paper(
            read_shipped_paper("belz-gatt-2008"), [c for c in of_paper("belz-gatt-2008") if c.table == "table1"]
        )
    )
    assert not [f for f in corrected.findings if "RIT:" in f.sentence.partition(" is printed")[0]]
    exchanged = [c for c in of_paper("tuna-2008") if c.table == "table8"]
    assert len(exchanged) == 28  # BLEU and NIST of fourteen systems
    again = audit(correct_paper(read_shipped_paper("tuna-2008"), exchanged))
    assert not [f for f in again.findings if f.sentence.startswith("Table 8")]


def test_a_register_that_does_not_fit_its_table_is_refused() -> None:
    stale = replace(of_paper("belz-gatt-2008")[0], printed="1960.3")
    with pytest.raises(MalformedInput, match="does not contain"):
        correct_paper(read_shipped_paper("belz-gatt-2008"), [stale])


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda text: text.replace("check = ", "chek = ", 1), "'check'"),
        (lambda text: text.replace("to = 2235", 'to = "many"', 1), "many"),
        (lambda text: text + "=", "cannot be read"),
    ],
)
def test_a_broken_register_names_its_place(tmp_path: Path, spoil: Callable[[str], str], told: str) -> None:
    path = tmp_path / "register.toml"
    path.write_text(spoil(format_toml(read_register())), "utf-8")
    with pytest.raises(MalformedInput, match=told) as caught:
        read_register(path)
    assert "register.toml" in str(caught.value)
    assert "referee audit --corrections" in str(caught.value)
