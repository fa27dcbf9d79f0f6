"""The table of names: lazy, open to others, and guarded by a snapshot."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from referee import catalogue
from referee.errors import InputError, UnknownName

SNAPSHOT = Path(__file__).with_name("names.snapshot.json")


def test_shipped_names_are_those_of_the_snapshot() -> None:
    """A changed name breaks users' scripts: change the snapshot on purpose, and say so in the changelog."""
    snapshot = {kind: sorted(names) for kind, names in json.loads(SNAPSHOT.read_text("utf-8")).items()}
    # Names of protocols come from the laboratory, by entry points.
    assert {kind: sorted(catalogue.names(kind)) for kind in catalogue.KINDS} == snapshot


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
    heavy = "{'numpy', 'rich', 'typer', 'polars'}"
    # Systems and hearers of other packages (the laboratory has some) are imported for their descriptions.
    kinds = "('metrics', 'corpora')"
    code = f"import sys; from referee.cli import main; [main(['list', k]) for k in {kinds}]; print(sorted({heavy} & set(sys.modules)))"
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


class Drawer:
    """Something of one's own that draws lots."""

    def __init__(self, seed: int = 7, sure: bool = False, most: int | None = None, name: str = "x") -> None:
        self.seed, self.sure, self.most, self.name = seed, sure, most, name


def test_one_seed_for_all_who_draw_lots_unless_they_have_their_own() -> None:
    assert catalogue.build(Drawer, "drawer", seed=3).seed == 3
    assert catalogue.build(Drawer, "drawer", ["seed:5"], seed=3).seed == 5
    assert catalogue.build(Drawer, "drawer", (), {"seed": 6}, seed=3).seed == 6
    assert catalogue.build(Drawer, "drawer").seed == 7
    assert catalogue.configure("metric", "set/dice", seed=3).multiset is False, "a metric without lots takes no seed"


def test_switches_are_of_the_kind_of_their_default_or_of_the_kind_they_look_like() -> None:
    made = catalogue.build(Drawer, "drawer", ["sure:yes", "most:12", "name:12"])
    assert (made.sure, made.most, made.name) == (True, 12, "12")
    assert catalogue.build(Drawer, "drawer", ["most:none"]).most is None
    with pytest.raises(InputError, match="takes yes or no"):
        catalogue.build(Drawer, "drawer", ["sure:perhaps"])


def test_installed_packages_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    look, looks = metadata.entry_points, []
    monkeypatch.setattr(metadata, "entry_points", lambda **group: looks.append(group) or look(**group))
    for _ in range(3):
        catalogue.entry("protocol", "tuna2008")
    assert len(looks) <= 1
