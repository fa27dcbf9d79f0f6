"""Who is one family: entries of the catalogue, models under several instructions, systems that said the same."""

from __future__ import annotations

import pytest

from referee.courtroom.families import find_family_names, merge_groups
from referee.courtroom.printed_evidence import read_paper_sheets
from referee.systems.roster import iterate_rows


def test_siblings_of_one_team_are_one_family() -> None:
    names = [f"tuna2008-as/{n}" for n in ("ATT-FB-m", "ATT-FB-f", "ATT-DR-b", "ATT-DR-sf", "DIT-FBI", "DIT-TVAS")]
    found = find_family_names(names)
    assert found == {
        "tuna2008-as/ATT-FB-m": "tuna2008-as/ATT-FB*",
        "tuna2008-as/ATT-FB-f": "tuna2008-as/ATT-FB*",
        "tuna2008-as/ATT-DR-b": "tuna2008-as/ATT-DR*",
        "tuna2008-as/ATT-DR-sf": "tuna2008-as/ATT-DR*",
    }


def test_entries_of_one_team_with_one_algorithm_are_one_family() -> None:
    found = find_family_names(
        [f"asgre2007/{n}" for n in ("CAM-B", "CAM-TU", "TITCH-AS", "TITCH-RS+", "IS-FBN", "IS-FBS")]
    )
    assert set(found.values()) == {"asgre2007/CAM*", "asgre2007/TITCH*"}, (
        "IS-FBN and IS-FBS share a team, but nothing else"
    )


def test_a_variant_belongs_to_its_entry_and_a_model_to_itself_whatever_it_is_told() -> None:
    found = find_family_names(
        ["variants/ATT-FB-m.first", "tuna2008-as/ATT-FB-sr", "mine|prompt:a", "mine|prompt:b", "other"]
    )
    assert found["variants/ATT-FB-m.first"] == found["tuna2008-as/ATT-FB-sr"]
    assert found["mine|prompt:a"] == found["mine|prompt:b"] == "mine|prompt:a and 1 more"
    assert "other" not in found
    two = find_family_names(["llm|model:x|prompt:a", "llm|model:x|prompt:b", "llm|model:y|prompt:a"])
    assert set(two) == {"llm|model:x|prompt:a", "llm|model:x|prompt:b"}


def test_whoever_said_the_same_is_one() -> None:
    assert find_family_names(["a", "b", "c"], {"a": "1", "b": "2", "c": "1"}) == {
        "a": "a and 1 more",
        "c": "a and 1 more",
    }


def test_groups_that_share_a_member_are_one() -> None:
    assert merge_groups("abcde", ["ab", "cd", "bc"]) == [["a", "b", "c", "d"], ["e"]]


@pytest.mark.parametrize(
    ("paper", "group"), [("belz-gatt-2008", "asgre2007"), ("tuna2008", "tuna2008-reg"), ("tunareg2009", "tunareg2009")]
)
def test_printed_tables_have_the_families_that_a_run_of_the_same_systems_would_have(paper: str, group: str) -> None:
    sheets, _ = read_paper_sheets(paper)
    labels = {f"{group}/{name}": row.printed or name for g, name, _, row in iterate_rows() if g == group}
    declared = {s: f for s, f in sheets[0].families.items() if s in sheets[0].systems}
    ours = {labels[s]: f for s, f in find_family_names(list(labels)).items() if labels[s] in sheets[0].systems}
    assert _members(declared) == _members(ours)


def _members(families: dict[str, str]) -> set[frozenset[str]]:
    return {frozenset(s for s, f in families.items() if f == name) for name in families.values()}
