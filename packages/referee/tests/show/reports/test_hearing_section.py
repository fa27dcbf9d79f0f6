"""The chapter on hearers: no number of a simulated hearer without its passport, or without the word that it has none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from small_runs import colour, exact, make_run

from referee.cli import main
from referee.hearers.passports.cards import _hash
from referee.show.reports.hearing_section import HearingRows, build_hearing_section

CARD: dict[str, Any] = {
    "hearer": "literal",
    "corpus": "games",
    "n": 240,
    "accuracy": 0.5,
    "human_accuracy": 0.75,
    "auc": 0.8,
    "kappa": 0.4,
    "calibration_error": 0.05,
    "time_correlation": None,
    "chance": 1 / 3,
    "position_bias": 0.01,
    "log_likelihood": -0.6,
    "verdict": "use with care",
    "reasons": ["It finds the target less often than people: 0.500 against 0.750."],
    "calibration_curve": [{"low": 0.9, "high": 1.0, "n": 240, "predicted": 1.0, "observed": 0.75}],
    "probes": {"empty": {"n": 9, "pointed": 0.0, "top": 0.5, "fitting": None}},
}


def card_file(folder: Path) -> tuple[Path, str]:
    signed = {**CARD, "hash": _hash(CARD)}
    path = folder / "card.json"
    path.write_text(json.dumps(signed))
    return path, signed["hash"][:12]


def test_the_report_shows_the_card_of_a_hearer_that_has_one_and_marks_the_other(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", {"exact": exact, "colour": colour})
    card, digits = card_file(tmp_path)
    assert main(["listen", str(run), "--hearer", "literal", "--passport", str(card)]) == 0
    assert main(["listen", str(run), "--hearer", "noisy"]) == 0
    out = tmp_path / "report"
    assert main(["report", str(run), "--out", str(out)]) == 0
    page = (out / "index.html").read_text("utf-8")
    assert f'id="figure-passport-{digits}"' in page
    assert (out / "figures" / f"passport-{digits}.svg").read_text().count("literal on games: use with care")
    assert "NO PASSPORT: noisy." in page
    assert "It finds the target less often than people" in page
    rows = (out / "tables" / "hearing-systems.tex").read_text("utf-8")
    assert rows.count("NO PASSPORT") == 2
    assert rows.count(f"use with care (games:{digits})") == 2
    assert "The passport of literal was made on games, and this is" in page
    assert "0.333" in (out / "tables" / "passports.tex").read_text("utf-8")


def test_a_card_that_is_not_in_the_run_is_said_to_be_missing() -> None:
    row = {"system": "a", "hearer": "literal", "n": 3, "low": None, "high": None, "participants": 1, "items": 3}
    measures = ("ir", "error", "several", "none", "dont-know", "timeout", "unparsable", "mir", "agreement")
    times = ("reading_ms", "identification_ms", "combined_ms")
    rows = [{**row, "measure": m, "value": 1.0} for m in measures] + [
        {**row, "measure": m, "value": None, "n": 0} for m in times
    ]
    hearing = HearingRows(rows=rows, signatures={"literal": "literal|seed:1|passport:abcdefabcdef:may-be-used"})
    sheet = build_hearing_section("games", hearing).sheets[0]
    assert sheet.rows[0][2].text == "may be used (abcdefabcdef, card not in the run)"


def test_without_answers_the_chapter_says_how_to_get_some(tmp_path: Path) -> None:
    section = build_hearing_section("games", HearingRows())
    assert section.sheets == ()
    assert "referee listen RUN --hearer NAME" in section.texts[0]
