"""What a plug-in in the browser asks for is what protocols send: every default has one home, the protocol's declaration."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee import catalogue
from referee.corpora.synthetic.corpus import Synthetic
from referee.records import Description
from referee_lab.study.folder.questionnaires import KINDS, FormField
from referee_lab.study.protocols.contract import Stimulus

PLUGINS = Path(__file__).parents[2] / "browser" / "src" / "plugins"
PARAMETER = re.compile(r"^    (\w+): \{ type: ParameterType\.\w+,(?: array: true,)? default: (.*) \},$", re.MULTILINE)
# What a page passes on for programs that play along, and has no use for itself.
FOR_BOTS = {"tangram": {"entities", "partner", "wait_minutes", "limit_minutes"}}

pytestmark = pytest.mark.skipif(not PLUGINS.exists(), reason="the browser's sources are not part of this copy")


def _parameters(plugin: str) -> dict[str, str]:
    """The parameters of a plug-in, each with its default as it is written."""
    source = (PLUGINS / f"{plugin}.ts").read_text(encoding="utf-8")
    block = source[source.index("  parameters: {") : source.index("  data: RESULT_DATA")]
    found = dict(PARAMETER.findall(block))
    assert len(found) == block.count("ParameterType."), f"every parameter of {plugin} is on a line of its own"
    return found


def _stimulus() -> Stimulus:
    trial = next(iter(Synthetic(seed=3, speakers=1, scenes=1).trials()))
    clip = {"clip": {"start_ms": 0, "end_ms": 1}, "shown": {"system": {"text": "that one", "span": (0, 4)}}}
    shown = replace(trial, meta={**trial.meta, **clip})
    rival = Stimulus(id="other", trial=shown, description=Description(text="a thing"), system="other")
    return Stimulus(id="one", trial=shown, description=trial.references[0], system="system", rival=rival)


def _shown(name: str, **changes: Any) -> dict[str, Any]:
    kind = catalogue.create("protocol", name)
    settings = {**{name: p.default for name, p in kind.info.parameters.items()}, **changes}
    return dict(kind.show(_stimulus(), settings, Random(1)).parameters)


@pytest.mark.parametrize(
    "plugin", sorted(path.stem for path in PLUGINS.glob("*.ts") if path.stem not in ("table", "own"))
)
def test_a_plugin_has_no_default_but_absence(plugin: str) -> None:
    assert set(_parameters(plugin).values()) <= {"undefined", "null", "[]"}


@pytest.mark.parametrize("name", catalogue.names("protocol"))
def test_a_protocol_says_all_that_its_plugin_needs_and_nothing_that_it_drops(name: str) -> None:
    plugin = catalogue.create("protocol", name).info.plugin
    known = _parameters(plugin)
    shown = _shown(name)
    assert {parameter for parameter, default in known.items() if default == "undefined"} - shown.keys() == set()
    assert shown.keys() - known.keys() - FOR_BOTS.get(plugin, set()) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_a_form_says_how_much_may_be_written(kind: str) -> None:
    choices = ("yes", "no") if kind in ("choice", "multi") else ()
    question = FormField(name="one", question="One?", kind=kind, choices=choices).public()
    described = (PLUGINS / "parts" / "fields.ts").read_text(encoding="utf-8")
    needed = re.findall(r"^  (\w+): ", described[: described.index("export interface Field {")], re.MULTILINE)
    assert set(needed) - question.keys() == set()
