"""The sentences a report opens with, on runs small enough to say beforehand what they must say."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_runs import chatty, colour, exact, make_run, material_of, trials

from referee.cli import main
from referee.courtroom.proceedings import Proceedings
from referee.jobs.folder import Run
from referee.records import Outcome, Response
from referee.show.reports.court_section import NO_COURT, build_court_section
from referee.show.reports.findings import build_findings_section, describe_methods, format_reference_counts
from referee.show.reports.hearing_section import NOBODY, HearingRows
from referee.show.reports.material import Material
from referee.show.reports.place_pages import has_places
from referee.show.reports.report_sources import gather, gather_hearing, summon_court
from referee.show.reports.scoreboard import compare_all, compute_subset_letters
from referee.show.reports.speaker_picture import build_speakers_section


def said(material: Material, hearing: HearingRows = NOBODY, court: Proceedings | str = NO_COURT) -> tuple[str, ...]:
    comparisons = compare_all(material)
    return build_findings_section(
        material, comparisons, compute_subset_letters(material, comparisons), hearing, court
    ).texts


def test_the_best_is_named_with_those_that_cannot_be_told_from_it(tmp_path: Path) -> None:
    """exact has Dice 1 everywhere, colour 2/3 everywhere: a difference without spread is no tie. chatty is 4/5 or 1."""
    material = material_of(tmp_path / "run", {"exact": exact, "colour": colour, "chatty": chatty}, corpus=trials(60))
    first = said(material)[0]
    assert first.startswith("exact has the highest set/dice (1.000")
    assert "The difference from chatty (0.900) is significant, p < .001; the difference from colour" in first
    assert "colour (0.667) is the same in every cluster, so no test applies" in first


def test_equal_systems_share_the_first_place(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"exact": exact, "twin": exact, "colour": colour}, corpus=trials(60))
    first = said(material)[0]
    assert first.startswith("exact and twin share the highest set/dice (1.000")
    assert "The difference from colour (0.667) is the same in every cluster" in first


def test_one_system_is_not_called_the_best(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"exact": exact})
    assert said(material)[0].startswith("exact has set/dice (1.000")


def test_without_hearers_the_page_says_so_and_how_to_ask_some(tmp_path: Path) -> None:
    heard, court = said(material_of(tmp_path / "run", {"exact": exact}))[1:]
    assert "referee listen RUN" in heard
    assert court == NO_COURT


def test_people_come_first_and_their_order_is_held_beside_the_measure(tmp_path: Path) -> None:
    """People find x with every description of exact, half of chatty's and none of colour's: the order of Dice, rho = 1."""
    found = {"exact": lambda i: True, "chatty": lambda i: i % 2 == 0, "colour": lambda i: False}
    answers = [
        Response(trial=f"t{i}", hearer=f"p{i % 4}", outcome=Outcome.ENTITY, system=s, entity="x" if right(i) else "y")
        for s, right in found.items()
        for i in range(12)
    ]
    says = {"exact": exact, "colour": colour, "chatty": chatty}
    run = make_run(tmp_path / "run", says, corpus=trials(12), responses=answers)
    assert main(["listen", str(run), "--hearer", "literal"]) == 0
    (material,) = gather([run])
    hearing, court = gather_hearing(material), summon_court(material)
    heard, tried = said(material, hearing, court)[1:]
    assert heard.startswith("With exact people identified the target most often (100.0%")
    assert "order of systems cannot be shown to agree with set/dice (rho = +1.00, n = 3)" in heard, "three are few"
    assert "the simulated hearer literal (no passport: not validated on people)" in heard
    assert isinstance(court, Proceedings)
    assert tried.startswith("The court cannot test the 5 measures: ")
    assert "only 3 systems with both values" in tried
    chapter = build_court_section(material.label, court)
    assert [s.name for s in chapter.sheets] == ["court-evidence"]
    paragraph = " ".join(describe_methods(material, None, hearing))
    assert "read by people (36 answers; clusters: 4 participants" in paragraph
    assert "the simulated hearer literal [literal|" in paragraph
    assert "no passport]" in paragraph


def test_answers_of_a_run_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path / "run", {"exact": exact, "colour": colour}, corpus=trials(6))
    assert main(["listen", str(run), "--hearer", "literal"]) == 0
    read: list[Path] = []
    responses = Run.responses
    monkeypatch.setattr(Run, "responses", lambda self: (read.append(self.folder), responses(self))[1])
    (material,) = gather([run])
    assert len(gather_hearing(material).rows) > 0
    (scored,) = material.scored
    assert len(material.heard_in(scored)) == len(material.responses) == 12
    assert has_places(scored.run, material.heard_in(scored)) is False
    build_speakers_section(material)
    assert read == [run]


def test_verdicts_are_those_of_the_court_command_and_very_many_answers_are_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says = {f"s{i}": (lambda t, i=i: exact(t) if t % (i + 2) else colour(t)) for i in range(6)}
    run = make_run(tmp_path / "run", says, corpus=trials(24))
    assert main(["listen", str(run), "--hearer", "noisy"]) == 0
    assert main(["court", str(run), "--out", str(tmp_path / "court")]) == 0
    (material,) = gather([run])
    held = summon_court(material)
    assert isinstance(held, Proceedings)
    text = (tmp_path / "court" / "court.txt").read_text("utf-8")
    assert all(verdict in text for verdict in held.verdicts.values())
    monkeypatch.setattr("referee.show.reports.report_sources.QUICK_COURT", 10)
    left = summon_court(material)
    assert isinstance(left, str)
    assert "over 144 answers it takes minutes" in left
    assert isinstance(summon_court(material, always=True), Proceedings)


def test_many_references_are_counted(tmp_path: Path) -> None:
    """Six trials of one scene by six speakers, each held against what the five others said."""
    from dataclasses import replace

    told = [replace(t, speaker=str(i), scene=replace(t.scene, id="one")) for i, t in enumerate(trials())]
    others = material_of(tmp_path / "others", {"colour": colour}, corpus=told, references="others")
    assert format_reference_counts(others) == "5"
    assert "compared with 5 descriptions at once" in " ".join(describe_methods(others, None))
    assert format_reference_counts(material_of(tmp_path / "own", {"colour": colour})) == "1"


def test_no_table_is_missing_for_an_empty_reason(tmp_path: Path) -> None:
    """Simulated hearers take no time: Table 12 cannot be made, and says why."""
    from referee.show.reports.tuna2008 import build_challenge_tables

    run = make_run(tmp_path / "run", {"exact": exact, "colour": colour})
    assert main(["listen", str(run), "--hearer", "literal"]) == 0
    (material,) = gather([run])
    reasons = build_challenge_tables(material)[1]
    assert any(r == "Table 12 is not made: the run has no response times." for r in reasons)
    assert not any(": ." in r for r in reasons)


def test_measures_that_see_no_difference_put_nobody_first(tmp_path: Path) -> None:
    """exact and twin say the same, so no measure tells them apart."""
    says = {"exact": exact, "twin": exact}
    first = said(material_of(tmp_path / "run", says, corpus=trials(12)))[0]
    assert first.startswith("exact and twin share the highest set/dice")
    assert "other measures" not in first
