"""The page as text: complete, labelled, self-contained, and safe whatever a run says."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from small_runs import chatty, colour, exact, material_of, trials

from referee.show.reports.material import Material
from referee.show.reports.page import Part, as_page, number_parts
from referee.show.reports.section import Section
from referee.show.reports.sections import build_sections

HOSTILE = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">'


def page_of(material: Material, **options: Any) -> str:
    part = Part(title=material.label, sections=tuple(build_sections(material, **options)), synthetic=material.synthetic)
    return as_page([part], title=f"Report on {material.label}", made="today")


def test_the_page_needs_nothing_from_outside_and_forbids_it(tmp_path: Path) -> None:
    page = page_of(material_of(tmp_path / "run", {"exact": exact, "colour": colour, "chatty": chatty}))
    own = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", own)
    assert "@import" not in own
    assert "default-src 'none'" in page
    assert page.count("window.vegaEmbed=") == 1, "the library is there once, however many figures"


def test_every_chapter_is_there_and_reachable(tmp_path: Path) -> None:
    page = page_of(
        material_of(tmp_path / "run", {"exact": exact, "colour": colour, "chatty": chatty}), style="tuna2008"
    )
    groups, more = ["by-domain", "by-condition"], ["tuna2008", "systems", "methods", "data"]
    for name in ["findings", "scoreboard", "hearing", "court", *groups, "spread", "correlations", "items", *more]:
        assert f'<section id="{name}"' in page
        assert f'href="#{name}"' in page


def test_hostile_names_and_words_stay_words(tmp_path: Path) -> None:
    corpus = [replace(t, domain=HOSTILE if t.domain == "a" else "b") for t in trials(said=HOSTILE)]
    said = {"properties": [["colour", "red"]], "text": HOSTILE}
    material = material_of(tmp_path / "run", {HOSTILE: lambda i: said, "exact": exact, "colour": colour}, corpus=corpus)
    page = page_of(material)
    assert "<img src=x" not in page
    assert "<script>window.hacked" not in page
    assert page.count("</script>") == 3, "data, library, page"
    data = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["browsers"][0]["content"]["systems"][0] == HOSTILE, "and nothing is lost"


def test_generated_data_is_labelled_on_page_tables_figures_and_methods(tmp_path: Path) -> None:
    corpus = [replace(t, meta=MappingProxyType({"synthetic": True})) for t in trials()]
    material = material_of(tmp_path / "run", {"exact": exact, "colour": colour, "chatty": chatty}, corpus=corpus)
    sections = build_sections(material, style="tuna2008")
    assert 'class="banner"' in page_of(material)
    for section in sections:
        for sheet in section.sheets:
            assert sheet.corpus.startswith("SYNTHETIC")
            assert "SYNTHETIC" in sheet.title
        for figure in section.figures:
            assert figure.title.startswith("SYNTHETIC")
            assert "SYNTHETIC" in json.dumps(figure.spec["title"])
    methods = next(s for s in sections if s.name == "methods").html
    assert "SYNTHETIC" in methods


def test_human_data_is_not_called_synthetic(tmp_path: Path) -> None:
    page = page_of(material_of(tmp_path / "run", {"exact": exact}))
    assert "SYNTHETIC" not in page


def test_evidence_of_reconstructed_systems_stands_beside_their_names(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"exact": exact, "colour": colour})
    facts = replace(material.facts, tags={"colour": {"team": "X", "evidence": "low confidence"}})
    page = page_of(replace(material, facts=facts))
    assert 'colour <span class="badge">low confidence</span>' in page


def test_methods_say_what_was_done_and_only_that(tmp_path: Path) -> None:
    one = page_of(material_of(tmp_path / "one", {"exact": exact}))
    assert "1 system was scored on 6 trials" in one
    assert "share a letter" not in one
    assert "left out" not in re.sub(r"<script.*", "", one, flags=re.DOTALL)
    three = page_of(material_of(tmp_path / "three", {"exact": exact, "colour": colour, "chatty": chatty}))
    assert "corrected by Holm&#39;s method for the 3 pairs" in three
    assert "leaving out one cluster at a time" in three
    assert "string/bleu.4 was computed over whole sets" in three


def test_signatures_are_all_there(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"exact": exact, "colour": colour})
    page = page_of(material)
    for signature in {r["signature"] for r in material.scores}:
        assert f"<li>{signature}</li>" in page


def test_parts_with_the_same_chapters_get_names_of_their_own() -> None:
    chapter = Section(name="scoreboard", title="Scoreboard")
    parts = number_parts(
        [
            Part(title="one", sections=(chapter,)),
            Part(title="two", sections=(chapter,)),
            Part(title="audit", sections=(Section(name="audit", title="Audit"),)),
        ]
    )
    assert [s.name for p in parts for s in p.sections] == ["1-scoreboard", "2-scoreboard", "audit"]


@pytest.mark.parametrize("said", [{"text": "the red chair"}, {"properties": [["colour", "red"]]}])
def test_runs_with_only_words_or_only_properties_make_a_page(tmp_path: Path, said: dict[str, Any]) -> None:
    page = page_of(material_of(tmp_path / "run", {"a": lambda i: said, "b": lambda i: said}), style="tuna2008")
    assert "– <" not in page or "n = 0" in page


def test_a_run_without_references_makes_a_page(tmp_path: Path) -> None:
    bare = [replace(t, references=()) for t in trials()]
    page = page_of(material_of(tmp_path / "run", {"exact": exact, "colour": colour}, corpus=bare))
    assert "n = 0" in page
