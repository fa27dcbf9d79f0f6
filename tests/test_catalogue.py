"""The table of names: lazy, open to others, and guarded by a snapshot."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from referee import catalogue
from referee.errors import InputError, UnknownName

SNAPSHOT = Path(__file__).with_name("names.snapshot.json")


def test_shipped_names_are_those_of_the_snapshot() -> None:
    """A changed name breaks users' scripts: change the snapshot on purpose, and say so in the changelog."""
    assert {kind: list(table) for kind, table in catalogue.KINDS.items()} == json.loads(SNAPSHOT.read_text("utf-8"))


@pytest.mark.parametrize(("kind", "name"), [(k, n) for k, table in catalogue.KINDS.items() for n in table])
def test_every_name_leads_somewhere_and_says_what_it_is(kind: str, name: str) -> None:
    assert callable(catalogue.load(kind, name))
    assert catalogue.entry(kind, name).about


def test_a_near_miss_is_answered_with_a_suggestion() -> None:
    with pytest.raises(UnknownName, match="did you mean set/dice"):
        catalogue.entry("metric", "set/dyce")


def test_other_packages_can_add_names_but_not_take_shipped_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "neighbour-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: neighbour\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[referee.metrics]\nmy/metric = collections:OrderedDict\nset/dice = os:path\n", "utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "my/metric" in catalogue.names("metric")
    assert catalogue.entry("metric", "my/metric").about == "from neighbour"
    assert catalogue.entry("metric", "set/dice").where == "referee.metrics.sets:Dice"


def test_listing_names_imports_nothing_heavy() -> None:
    code = "import sys; from referee.cli import main; main(['list']); print(sorted({'numpy', 'rich', 'typer', 'polars'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


def test_a_signature_can_be_used_as_a_name() -> None:
    from referee.signature import signature

    metric = catalogue.configure("metric", "string/bleu.4|brevity:shortest|case:keep")
    assert (metric.order, metric.brevity, metric.case) == (4, "shortest", "keep")
    assert signature("string/bleu.4", catalogue.configure("metric", signature("string/bleu.4", metric))) == signature(
        "string/bleu.4", metric
    )
    assert catalogue.configure("metric", "set/dice|multiset:yes").multiset is True
    with pytest.raises(UnknownName, match="no switch is called 'brevitas'"):
        catalogue.configure("metric", "string/bleu.4|brevitas:shortest")
    with pytest.raises(InputError, match="takes a number"):
        catalogue.configure("metric", "string/edit|substitution:two")
