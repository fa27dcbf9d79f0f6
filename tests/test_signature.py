"""Every number signs itself, and no switch can be forgotten."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from referee import __version__, catalogue
from referee.signature import digest, parameters, signature


class Thing:
    def __init__(self, cost: float = 2.0, *, lower: bool = True, table: dict[str, int] | None = None) -> None:
        self.cost, self.lower, self.table = cost, lower, table


def test_all_constructor_parameters_are_in_the_signature() -> None:
    # The code of a class that no released package has is part of the signature: sha256 of its file.
    code = sha256(Path(__file__).read_bytes()).hexdigest()[:12]
    assert (
        signature("thing", Thing())
        == f"thing|cost:2|lower:yes|table:none|package:test_signature-code-{code}|version:{__version__}"
    )


def test_a_changed_switch_changes_the_signature() -> None:
    assert signature("thing", Thing(lower=False)) != signature("thing", Thing())
    assert signature("thing", Thing(table={"a": 1})) != signature("thing", Thing(table={"a": 2}))


def test_a_bar_in_a_value_cannot_break_the_form() -> None:
    assert signature("thing", Thing(), note="a|b").count("|") == 6


def test_parameters_come_from_the_constructor() -> None:
    assert parameters(Thing(3)) == {"cost": 3, "lower": True, "table": None}


def test_digest_is_stable() -> None:
    assert digest("abc").startswith("ba7816bf"), "SHA-256 test vector of FIPS 180-2"


@pytest.mark.parametrize("kind", ["metric", "hearer"])
def test_no_part_of_the_catalogue_writes_itself_or_equals_another(kind: str) -> None:
    """A part with a text of its own would be signed by that text, not by its parameters; one with an equality of its own could not be a key."""
    for name in catalogue.names(kind):
        made = catalogue.load(kind, name)
        if isinstance(made, type):
            assert (made.__repr__, made.__eq__) == (object.__repr__, object.__eq__), name


def test_parts_are_told_by_their_parameters() -> None:
    from referee.selection.incremental import Incremental
    from referee.systems.speaker import Composed

    signed = signature("speaker", Composed(Incremental(order=("colour",))))
    assert "selector:Incremental(order=colour,head=last,by=domain," in signed
