"""A table of items becomes a study: factors, lists, stimuli, kinds of rows, and what is refused with its line."""

from __future__ import annotations

import csv
import itertools
import json
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from referee.errors import InputError
from referee.statistics.mixed import mixed_times
from referee_lab.bots.simulation import simulate
from referee_lab.server.sessions.plan import check_answer, make_plan, was_right
from referee_lab.study.analysis.factorial import build_contrast_sheet, estimate_contrast, iterate_contrast_weights
from referee_lab.study.analysis.registered_tests import analyse
from referee_lab.study.data.collection import collect_from
from referee_lab.study.data.export import build_export
from referee_lab.study.design.balance import prove_balance
from referee_lab.study.design.contrast_power import simulate_contrasts
from referee_lab.study.design.from_table import ItemTable, prepare_table
from referee_lab.study.design.shown_scenes import prove_language, prove_pictures, prove_shown, prove_words
from referee_lab.study.design.wishes import Wishes, split_names
from referee_lab.study.folder.draft import write_study
from referee_lab.study.folder.study import FILLER, Study, open_study
from referee_lab.study.protocols.contract import GivenAnswer
from referee_lab.study.protocols.own_plugin import is_own


def picture(path: Path, red: int) -> str:
    """A picture of one colour, under its name."""
    from PIL import Image

    Image.new("RGB", (60, 60), (red, 40, 90)).save(path)
    return path.name


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def make(
    path: Path, out: Path, factors: str = "", between: str = "", names: dict[str, str] | None = None, **more: Any
) -> Study:
    wishes = Wishes(**{"protocol": "", "design": "latin", "participants": 4, "id": "tried", **more})
    named = ItemTable(
        path=path,
        factors=split_names(factors),
        between=split_names(between),
        names=names or {},
        own=is_own(wishes.protocol),
    )
    draft, _ = prepare_table(named, wishes)
    return write_study(out, draft)


def crossed(folder: Path, items: int = 8) -> Path:
    """2 x 2 with own pictures, a family for each two items, and rows of every kind."""
    images = [picture(folder / f"p{n}.png", 20 * n) for n in range(3)]
    shown = {f"image{n}": name for n, name in enumerate(images, 1)}
    rows: list[dict[str, Any]] = [
        {
            "item": f"i{i}",
            "family": f"f{i // 2}",
            "length": a,
            "order": b,
            "kind": "trial",
            "text": f"{a} {b} {i}",
            **shown,
            "target": 2,
        }
        for i in range(items)
        for a in ("short", "long")
        for b in ("first", "last")
    ]
    rows += [
        {"item": "p", "kind": "practice", "text": "the first", **shown, "target": 1},
        {"item": "c", "kind": "check", "text": "press the third", **shown, "target": 3},
        {"item": "x", "kind": "filler", "text": "a filler", **shown, "target": 1},
    ]
    return table(folder / "items.csv", rows)


def test_a_two_by_two_table_is_a_latin_square_over_its_cells(tmp_path: Path) -> None:
    """By hand: 4 cells, so 4 lists; 8 items, so each cell twice in a list; one filler in each."""
    study = make(crossed(tmp_path), tmp_path / "s", "length,order")
    assert study.protocol == "asgre2007"
    assert len(study.lists) == 4
    for entry in study.lists:
        counts = Counter(condition for _, condition in entry.trials)
        assert counts.pop(FILLER) == 1
        assert set(counts.values()) == {2}
        assert len(counts) == 4
        assert len({item for item, _ in entry.trials}) == 9
    seen = Counter(pair for entry in study.lists for pair in entry.trials if pair[1] != FILLER)
    assert set(seen.values()) == {1}, "every item in every cell once over the lists"
    assert [c.sentence for c in prove_balance(study) if c.promised and not c.holds] == []
    assert all(c.holds for c in prove_shown(study))
    assert (len(study.practice), len(study.checks)) == (1, 1)
    assert study.analysis.contrasts == ("length", "order", "length:order")
    assert study.exclusion.failed_checks == "exclude"


def test_power_is_that_of_the_registered_contrasts(tmp_path: Path) -> None:
    """Without an effect it is the level (binomial error of 500 studies: .01); a large effect is detected."""
    crossed(tmp_path, items=16)

    def power(out: str, effect: float, participants: int, between: str = "") -> list[float]:
        settings = [f"analysis.effect={effect}", "analysis.base=0.2"]
        study = make(
            tmp_path / "items.csv",
            tmp_path / out,
            "length,order",
            between,
            participants=participants,
            settings=settings,
        )
        return [hits / 500 for _, hits in simulate_contrasts(study, 500)]

    assert power("none", 0.0, 24) == pytest.approx([0.05] * 3, abs=0.03)
    within, few = power("large", 0.3, 48), power("few", 0.3, 8)
    assert within[0] > 0.95 > few[0]
    # A difference of differences has twice the standard error of a main effect.
    assert within[2] < within[0]
    length, order, _ = power("between", 0.1, 48, "length")
    assert length < order, "people differ, so a factor between them is harder to detect"


def test_own_pictures_are_shown_and_families_are_kept_apart(tmp_path: Path) -> None:
    study = make(crossed(tmp_path), tmp_path / "s", "length,order")
    for seed in range(5):
        steps = make_plan(study, "L01", seed)
        families = [s.stimulus.trial.scene.id for s in steps.steps if s.kind == "trial" and s.stimulus]
        assert all(a is None or a != b for a, b in itertools.pairwise(families))
    (trial, *_) = [s for s in steps.public("/s/tried")["steps"] if s["kind"] == "trial"]
    assert all("/photographs/" in e["picture"] for e in trial["parameters"]["entities"])
    assert len(list((tmp_path / "s" / "photographs").iterdir())) == 3


def test_a_factor_between_people_gives_each_group_one_level(tmp_path: Path) -> None:
    study = make(crossed(tmp_path), tmp_path / "s", "length,order", "order")
    for entry in study.lists:
        levels = {condition.split(" / ")[1] for _, condition in entry.trials if condition != FILLER}
        assert len(levels) == 1
    assert [c.sentence for c in prove_balance(study) if c.promised and not c.holds] == []


def test_confounded_factors_are_named(tmp_path: Path) -> None:
    rows = [
        {"item": i, "a": a, "b": b, "text": f"{a} {b}", "option1": "yes", "option2": "no", "target": 1}
        for i in range(4)
        for a, b in (("x", "u"), ("y", "v"))
    ]
    study = make(table(tmp_path / "t.csv", rows), tmp_path / "s", "a,b")
    (claim,) = [c for c in prove_balance(study) if c.check == "confound"]
    assert not claim.holds
    assert "a and b" in claim.counted


def test_pictures_may_differ_between_the_conditions_of_an_item(tmp_path: Path) -> None:
    images = [picture(tmp_path / f"p{n}.png", 30 * n) for n in range(4)]
    rows = [
        {
            "item": i,
            "many": many,
            "text": "the green one",
            "image1": images[0],
            "image2": images[1],
            "image3": images[2] if many == "yes" else "",
            "target": 1,
        }
        for i in range(4)
        for many in ("yes", "no")
    ]
    study = make(table(tmp_path / "t.csv", rows), tmp_path / "s", "many")
    shown = {key: len(s.trial.scene.entities) for key, s in study.stimuli.items()}
    assert {key.partition("|")[2]: n for key, n in shown.items()} == {"yes": 3, "no": 2}
    assert {s.trial.id for s in study.stimuli.values()} == {"0", "1", "2", "3"}, (
        "an item is one item in all its conditions"
    )


def test_options_are_texts_and_other_names_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "Nr;Art;Satz;option1;option2;target\n1;a;Wo ist es?;Haus;Baum;1\n1;b;Wo?;Haus;Baum;1\n", encoding="utf-8"
    )
    study = make(path, tmp_path / "s", "Art", names={"item": "Nr", "text": "Satz"}, language="de", participants=2)
    plan = make_plan(study, "L01", 1)
    words = {
        e["words"] for s in plan.public("/s/x")["steps"] if s["kind"] == "trial" for e in s["parameters"]["entities"]
    }
    assert words == {"Haus", "Baum"}
    assert all(c.holds for c in (*prove_shown(study), *prove_language(study), *prove_words(study)))


@pytest.mark.parametrize(
    ("rows", "protocol", "plugin"),
    [
        ([{"item": 1, "text": "a sentence"}, {"item": 2, "text": "another"}], "judgement", "judge"),
        ([{"item": 1, "option1": "a", "option2": "b", "option3": "c"}], "ranking", "judge"),
        ([{"item": 1, "option1": "a", "option2": "b"}], "judgement-pairwise", "judge"),
        ([{"item": 1, "image1": "a.png", "image2": "b.png", "target": 2}], "production", "produce"),
        ([{"item": 1, "text": "x", "option1": "a", "option2": "b", "target": 1}], "asgre2007", "identify"),
    ],
)
def test_the_columns_call_for_a_protocol(
    rows: list[dict[str, Any]], protocol: str, plugin: str, tmp_path: Path
) -> None:
    for n, name in enumerate(("a.png", "b.png")):
        picture(tmp_path / name, 90 * n)
    study = make(table(tmp_path / "t.csv", rows), tmp_path / "s", participants=3)
    assert (study.protocol, study.kind.info.plugin) == (protocol, plugin)


def test_five_systems_are_compared_in_all_ten_pairs(tmp_path: Path) -> None:
    """By hand: 5 * 4 / 2 = 10 pairs, 10 lists; every item in every pair once."""
    rows = [{"item": i, **{f"option{n}": f"{n} says {i}" for n in range(1, 6)}} for i in range(10)]
    study = make(table(tmp_path / "t.csv", rows), tmp_path / "s", participants=10, protocol="judgement-pairwise")
    assert len(study.design.conditions) == 10
    assert set(Counter(pair for entry in study.lists for pair in entry.trials).values()) == {1}


def test_lists_and_blocks_of_ones_own(tmp_path: Path) -> None:
    rows = [
        {
            "item": i,
            "c": c,
            "text": f"{c}{i}",
            "option1": "y",
            "option2": "n",
            "target": 1,
            "list": name,
            "block": 1 + i // 2,
        }
        for i in range(4)
        for c, name in (("a", "one"), ("b", "two"))
    ]
    study = make(table(tmp_path / "t.csv", rows), tmp_path / "s", "c", participants=2)
    assert [{c for _, c in entry.trials} for entry in study.lists] == [{"a"}, {"b"}]
    assert [entry.blocks for entry in study.lists] == [(2, 2), (2, 2)]
    assert (study.design.kind, study.design.order) == ("given", "blocks")


def test_blocks_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    rows = [{"item": f"i{n}", "text": "a sentence", "block": block} for n, block in enumerate((10, 2, 1, 2))]
    study = make(table(tmp_path / "t.csv", rows), tmp_path / "s", participants=1)
    assert ([item for item, _ in study.lists[0].trials], study.lists[0].blocks) == (["i2", "i1", "i3", "i0"], (1, 2, 1))


def test_lists_that_confound_a_factor_with_people_are_refused_unless_it_is_between_them(tmp_path: Path) -> None:
    rows = [
        {"item": i, "c": c, "text": f"{c}{i}", "list": name}
        for i in range(4)
        for c, name in (("a", "one"), ("b", "two"))
    ]
    path = table(tmp_path / "t.csv", rows)
    refused = [
        [
            claim.counted
            for claim in prove_balance(make(path, tmp_path / name, "c", between, participants=2))
            if claim.promised and not claim.holds
        ]
        for name, between in (("within", ""), ("between", "c"))
    ]
    assert [len(counts) for counts in refused] == [1, 0]
    assert "--between" in refused[0][0]


def test_texts_beside_images_are_captions(tmp_path: Path) -> None:
    """Each below its picture, also for screen readers; equal pictures differ by them."""
    shown = picture(tmp_path / "a.png", 90)
    rows = [
        {"item": 1, "text": "x", "image1": shown, "image2": shown, "option1": "Apfel", "option2": "Birne", "target": 1}
    ]
    study = make(table(tmp_path / "t.csv", rows), tmp_path / "s", participants=1)
    (step,) = [s for s in make_plan(study, "L01", 1).public("/s/x")["steps"] if s["kind"] == "trial"]
    entities = step["parameters"]["entities"]
    assert {e["caption"] for e in entities} == {"Apfel", "Birne"}
    assert all("/photographs/" in e["picture"] for e in entities)
    assert all(claim.holds for claim in prove_shown(study))


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({"target": 3}, "target is '3'"),
        ({"target": ""}, "no option is the target"),
        ({"kind": "trail"}, "kind 'trail'"),
        ({"option2": ""}, "fewer than two options"),
        ({"text": ""}, "nothing to read"),
        ({"sound": "a.wav", "film": "b.mp4"}, "a sound and a film"),
        ({"item": ""}, "no name"),
    ],
)
def test_a_wrong_row_is_refused_with_its_line(cells: dict[str, Any], problem: str, tmp_path: Path) -> None:
    right = {"item": 1, "kind": "", "text": "x", "option1": "a", "option2": "b", "target": 1, "sound": "", "film": ""}
    path = table(tmp_path / "t.csv", [right, {**right, "item": 2, **cells}])
    with pytest.raises(InputError, match=problem) as told:
        make(path, tmp_path / "s", protocol="asgre2007", participants=1)
    assert told.value.line == 3
    assert not (tmp_path / "s").exists()


RIGHT = {"item": 1, "cond": "x", "text": "the red one", "image1": "a.png", "image2": "b.png", "target": 1}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("txt", "text"),
        ("imgae2", "image2"),
        ("Image2", "image2"),
        ("image_2", "image2"),
        ("options2", "option2"),
        ("knid", "kind"),
        ("fam", "family"),
        ("List", "list"),
    ],
)
def test_a_column_whose_name_is_misspelt_is_refused_and_others_are_told(name: str, meant: str, tmp_path: Path) -> None:
    for n, file in enumerate(("a.png", "b.png")):
        picture(tmp_path / file, 90 * n)
    with pytest.raises(InputError, match=f"did you mean '{meant}'") as error:
        make(table(tmp_path / "t.csv", [{**RIGHT, name: "a.png"}]), tmp_path / "s", "cond", participants=1)
    assert error.value.line == 1
    path = table(tmp_path / "u.csv", [{**RIGHT, "author": "me"}])
    wishes = Wishes(protocol="", design="latin", participants=1, id="tried")
    _, notes = prepare_table(ItemTable(path=path, factors=["cond"]), wishes)
    assert any("author" in note for note in notes)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"image2": "c.png"}, 4),
        ({"cond": "X"}, 4),
        ({"cond": "y", "item": 4}, 4),
        ({"correct": 2}, 4),
        ({"correct": "no such option"}, 4),
        ({"image1": ""}, 4),
        ({"option1": "red", "option2": "red"}, 4),
        ({"image1": "", "image2": "", "option1": "a", "option2": "b"}, 4),
        ({"sound": "a.wav"}, 4),
    ],
)
def test_a_cell_that_does_not_fit_the_others_is_refused_with_its_line(
    change: dict[str, Any], line: int, tmp_path: Path
) -> None:
    """Missing files, levels that only one item has, rows that are missing, answers that contradict each other."""
    for n, file in enumerate(("a.png", "b.png")):
        picture(tmp_path / file, 90 * n)
    rows = [{**RIGHT, "item": item, "cond": c, "text": f"{item}{c}"} for item in (1, 2, 3) for c in ("x", "y")]
    rows[2] = {**rows[2], **change}
    with pytest.raises(InputError) as error:
        make(table(tmp_path / "t.csv", rows), tmp_path / "s", "cond", participants=2)
    assert error.value.line == line
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    "written",
    [
        "item,text,text,option1,option2,target\n1,a,z,b,c,1\n",
        "item,text,option1,option3,target\n1,a,b,c,1\n",
        "item,text,option1,option2,target\n1,a,b,c\n",
        'item,text,option1,option2,target\n1,"a,b,c,1\n',
        "item,option1,option2,option3\n1,a,b,c\n2,a,b,\n",
    ],
)
def test_a_table_whose_columns_are_not_sure_is_refused(written: str, tmp_path: Path) -> None:
    """Two columns of one name, a gap in the numbers, too few fields, an open quotation mark, a system without words."""
    path = tmp_path / "t.csv"
    path.write_text(written, encoding="utf-8")
    with pytest.raises(InputError) as error:
        make(path, tmp_path / "s", participants=1)
    assert error.value.line is not None


def test_the_line_of_a_refused_row_counts_the_lines_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('item,text,option1,option2,target\n1,"two\nlines",a,b,1\n\n2,x,a,b,9\n', encoding="utf-8")
    with pytest.raises(InputError) as error:
        make(path, tmp_path / "s", participants=1)
    assert error.value.line == 5


def test_items_are_drawn_and_a_single_check_may_not_be_failed(tmp_path: Path) -> None:
    study = make(crossed(tmp_path), tmp_path / "s", "length,order", items=4)
    assert len({item for item, condition in study.lists[0].trials if condition != FILLER}) == 4
    assert study.session.checks_failed_at_most == 0
    assert make(crossed(tmp_path), tmp_path / "t", "length,order", language="ja").about.title.startswith("研究")


def test_a_missing_picture_is_an_error_and_no_card(tmp_path: Path) -> None:
    rows = [{"item": 1, "text": "x", "image1": "nowhere.png", "image2": "nowhere2.png", "target": 1}]
    with pytest.raises(InputError, match="nowhere"):
        make(table(tmp_path / "t.csv", rows), tmp_path / "s", participants=1)


def test_a_corpus_of_trials_is_not_taken_for_a_table(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    path.write_text(json.dumps({"id": "t", "entities": [], "target": "a"}) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="corpus of trials"):
        make(path, tmp_path / "s")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and no more", b"item,target\n"])
def test_a_damaged_workbook_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "items.xlsx"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a workbook") as error:
        make(path, tmp_path / "s")
    assert "CSV" in (error.value.remedy or "")
    assert not (tmp_path / "s").exists()


def test_a_spreadsheet_is_read(tmp_path: Path) -> None:
    """A workbook written by hand, with inline strings."""
    pytest.importorskip("fastexcel")
    rows = [["item", "text", "option1", "option2", "target"], ["1", "x", "a", "b", "2"]]
    cells = "".join(
        f'<row r="{r}">'
        + "".join(f'<c r="{"ABCDE"[c]}{r}" t="inlineStr"><is><t>{value}</t></is></c>' for c, value in enumerate(row))
        + "</row>"
        for r, row in enumerate(rows, 1)
    )
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w") as book:
        book.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kinds}.worksheet+xml"/></Types>',
        )
        book.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr(
            "xl/workbook.xml",
            f'<workbook {main} xmlns:r="{office}"><sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        )
        book.writestr("xl/worksheets/sheet1.xml", f"<worksheet {main}><sheetData>{cells}</sheetData></worksheet>")
    study = make(path, tmp_path / "s", participants=1)
    assert [s.trial.targets for s in study.stimuli.values()] == [("2",)]


CELLS = {"a / x": ("a", "x"), "a / y": ("a", "y"), "b / x": ("b", "x"), "b / y": ("b", "y")}


def test_weights_of_an_interaction_are_a_difference_of_differences() -> None:
    ((_, _, weights),) = iterate_contrast_weights("f:g", ("f", "g"), CELLS)
    assert weights == {"a / x": 1.0, "a / y": -1.0, "b / x": -1.0, "b / y": 1.0}
    with pytest.raises(InputError, match="names no factor 'h'"):
        list(iterate_contrast_weights("h", ("f", "g"), CELLS))


def ratings() -> pl.DataFrame:
    """Twelve people and eight items, every item in one cell for each person, with effects of all of them."""
    rng = np.random.default_rng(4)
    people, items = rng.normal(0, 0.6, 12), rng.normal(0, 0.4, 8)
    rows = [
        {
            "participant": f"p{p}",
            "item": f"i{i}",
            "system": list(CELLS)[(p + i) % 4],
            "rating": 4 + people[p] + items[i] + 0.5 * ((p + i) % 4) + rng.normal(0, 0.5),
        }
        for p in range(12)
        for i in range(8)
    ]
    return pl.DataFrame(rows)


@pytest.mark.slow
def test_effects_and_likelihood_are_those_of_another_library() -> None:
    """statsmodels' MixedLM with crossed variance components and effect coding, by REML, on unbalanced data."""
    formula = pytest.importorskip("statsmodels.formula.api")
    frame = ratings().with_row_index().filter(pl.col("index") % 7 != 3)
    pandas = pytest.importorskip("pandas")
    columns = frame.with_columns(
        f=pl.col("system").str.starts_with("b").cast(pl.Float64) - 0.5,
        g=pl.col("system").str.ends_with("y").cast(pl.Float64) - 0.5,
        one=pl.lit(1),
    ).to_dict(as_series=False)
    data = pandas.DataFrame(columns)
    components = {"people": "0 + C(participant)", "items": "0 + C(item)"}
    theirs = formula.mixedlm("rating ~ f * g", data, groups="one", vc_formula=components).fit(reml=True)
    model = mixed_times(frame, time="rating", logs=False)
    for contrast in ("f", "g", "f:g"):
        ((_, _, weights),) = iterate_contrast_weights(contrast, ("f", "g"), CELLS)
        estimated = estimate_contrast(model, weights)
        assert estimated["estimate"] == pytest.approx(theirs.params[contrast], abs=1e-4)
        assert estimated["error"] == pytest.approx(theirs.bse[contrast], abs=1e-4)
    # The two codings differ by a matrix of determinant 1 (by hand), so that REML gives one likelihood.
    assert model.log_likelihood == pytest.approx(theirs.llf, abs=1e-4)


def test_contrasts_of_a_balanced_design_are_those_of_its_cell_means() -> None:
    """In a balanced design the estimates are differences of cell means, and with intercepts alone the error is that of independent residuals (by hand)."""
    frame = ratings()
    (sheet,), remarks = build_contrast_sheet(frame, "rating", ("f", "g"), ("f", "g", "f:g"), study="s", rating=True)
    assert remarks == []
    means = dict(frame.group_by("system").agg(pl.col("rating").mean()).iter_rows())
    f, g, both = sheet.tidy
    assert f["estimate"] == pytest.approx(
        (means["b / x"] + means["b / y"] - means["a / x"] - means["a / y"]) / 2, abs=1e-6
    )
    assert g["estimate"] == pytest.approx(
        (means["a / y"] + means["b / y"] - means["a / x"] - means["b / x"]) / 2, abs=1e-6
    )
    assert both["estimate"] == pytest.approx(
        means["b / y"] - means["b / x"] - means["a / y"] + means["a / x"], abs=1e-6
    )
    # Twice the error of a main effect: weights of 1 in place of 1/2.
    assert both["error"] == pytest.approx(2 * f["error"], rel=1e-6)


def test_a_ranking_shows_all_systems_and_is_analysed_by_rank(tmp_path: Path) -> None:
    """Five systems, one row each; everybody ranks them alike, so that mean ranks are 1 to 5 by construction."""
    systems = ["graph", "full", "short", "neural", "human"]
    rows = [{"item": i, "system": s, "text": f"{s} says {i}"} for i in range(3) for s in systems]
    study = make(
        table(tmp_path / "t.csv", rows), tmp_path / "s", "system", protocol="ranking", participants=3, language="de"
    )
    assert study.design.conditions == (" vs ".join(systems),)
    assert all(claim.holds for claim in (*prove_shown(study), *prove_language(study)))
    plan = make_plan(study, "L01", 1)
    (step, *_) = [s for s in plan.steps if s.kind == "trial"]
    shown = {option["id"]: option["text"] for option in step.shown.parameters["ranked"]}
    assert {step.shown.labels[label]: text.split()[0] for label, text in shown.items()} == {s: s for s in systems}
    answer = GivenAnswer(answer={"ranking": list(shown)}, times={"combined_ms": 900.0})
    check_answer(study, step, answer)
    with pytest.raises(InputError, match="once"):
        check_answer(study, step, GivenAnswer(answer={"ranking": [*shown][:4]}, times={}))
    simulate(tmp_path / "s", participants=3)
    data = collect_from(open_study(tmp_path / "s"), None, None)
    ordered = [
        replace(a, answer={"ranking": sorted(a.answer["ranking"], key=lambda o: systems.index(a.labels[o]))})
        for a in data.answers
    ]
    (means, *_) = analyse(replace(data, answers=tuple(ordered))).sheets
    assert {row["system"]: row["mean"] for row in means.tidy} == {s: n for n, s in enumerate(systems, 1)}


def test_pages_speak_of_what_is_shown(tmp_path: Path) -> None:
    """Sentences to rate, texts to choose from under a picture, words to read with a question after some: no page speaks of marked pictures."""
    picture(tmp_path / "a.png", 90)
    chosen = {"option1": "true", "option2": "false", "correct": "false"}
    tables = {
        "rated": ([{"item": i, "text": f"Sentence {i}."} for i in range(2)], ""),
        "verified": ([{"item": i, "text": "It is red.", "image": "a.png", **chosen} for i in range(2)], ""),
        "read": (
            [
                {"item": 0, "text": "The dog ran.", "question": "Did it run?", **chosen},
                {"item": 1, "text": "The cat sat."},
            ],
            "self-paced-reading",
        ),
    }
    studies = {
        name: make(table(tmp_path / f"{name}.csv", rows), tmp_path / name, protocol=protocol, participants=2)
        for name, (rows, protocol) in tables.items()
    }
    for study in studies.values():
        assert "picture" not in study.texts["instructions"]
        assert "practice" not in study.texts["ready"]
        assert all(claim.holds for claim in (*prove_shown(study), *prove_words(study)))
    assert studies["rated"].settings["scales"] == ["naturalness"]
    assert studies["rated"].analysis.measures == ("naturalness",)
    assert [s.trial.targets for s in studies["verified"].stimuli.values()] == [("2",)] * 2, "`correct` names an option"
    shown = make_plan(studies["verified"], "L01", 1).public("/s/x")
    assert all(s["parameters"]["context"] in shown["pictures"] for s in shown["steps"] if s["kind"] == "trial"), (
        "the picture above the options is loaded before"
    )
    asked = {s.stimulus.trial.id: s for s in make_plan(studies["read"], "L01", 1).steps if s.kind == "trial"}
    assert (asked["0"].shown.parameters["question"], asked["1"].shown.labels) == ("Did it run?", {})
    times = {"reading_ms": 900.0, "regions_ms": [300.0] * 3}
    check_answer(studies["read"], asked["1"], GivenAnswer(answer={"outcome": "read"}, times=times))


def test_a_check_of_ratings_names_a_point_or_an_end(tmp_path: Path) -> None:
    rows = [{"item": 1, "text": "x"}] + [
        {"item": f"c{c}", "kind": "check", "text": c, "correct": c} for c in ("lowest", "highest", "3")
    ]
    study = make(table(tmp_path / "t.csv", rows), tmp_path / "s", participants=1)
    right = {"lowest": 1, "highest": 7, "3": 3}
    for step in (s for s in make_plan(study, "L01", 1).steps if s.check):
        wanted = right[step.stimulus.description.text]
        passed = [was_right(study, step, GivenAnswer(answer={"ratings": {"naturalness": n}})) for n in range(1, 8)]
        assert passed == [n == wanted for n in range(1, 8)]


@pytest.mark.parametrize(
    ("trial", "checks"),
    [
        ({"text": "x"}, [{"text": c, "correct": c} for c in ("lowest", "highest", "3")]),
        ({"option1": "a", "option2": "b", "option3": "c"}, [{"option1": "d", "option2": "e", "option3": "f", "target": 2}]),
        ({"text": "x", "option1": "a", "option2": "b", "target": 1}, [{"text": "y", "option1": "c", "option2": "d", "target": n} for n in (1, 2)]),
    ],
    ids=["ratings", "ranking", "options"],
)  # fmt: skip
def test_simulated_people_pass_attention_checks(
    trial: dict[str, Any], checks: list[dict[str, Any]], tmp_path: Path
) -> None:
    rows = [{"item": 1, **trial}, *({"item": f"c{n}", "kind": "check", **c} for n, c in enumerate(checks))]
    make(table(tmp_path / "t.csv", rows), tmp_path / "s", participants=4)
    assert simulate(tmp_path / "s", participants=4).endings == {"completed": 4}
    answers = collect_from(open_study(tmp_path / "s"), None, None).answers
    assert [a.right for a in answers if a.kind == "check"] == [True] * 4 * len(checks)


@pytest.mark.parametrize("ending", ["png", "jpg", "gif", "webp"])
def test_a_picture_that_was_cut_off_is_refused(ending: str, tmp_path: Path) -> None:
    """In the last item alone: pages of one layout look alike, and each has files of its own."""
    from PIL import Image

    noise = np.random.default_rng(1).integers(0, 255, (4, 60, 60, 3), dtype=np.uint8)
    for n, pixels in enumerate(noise):
        Image.fromarray(pixels).save(tmp_path / f"{n}.{ending}")
    rows = [
        {"item": i, "text": "x", "left": f"{2 * i}.{ending}", "right": f"{2 * i + 1}.{ending}", "target": 1}
        for i in range(2)
    ]
    items, names = table(tmp_path / "t.csv", rows), {"image1": "left", "image2": "right"}
    study = make(items, tmp_path / "whole", participants=1, names=names)
    assert [claim.holds for claim in prove_pictures(study)] == [True]
    cut = tmp_path / f"3.{ending}"
    kept = next(p for p in (study.folder / "photographs").iterdir() if p.read_bytes() == cut.read_bytes())
    for file in (cut, kept):
        file.write_bytes(file.read_bytes()[: 60 if ending == "png" else file.stat().st_size // 2])
    (claim,) = prove_pictures(study)
    assert (claim.holds, claim.trials) == (False, ("1",))
    assert kept.name in claim.counted
    with pytest.raises(InputError, match=f"column right.*{cut.name}") as refused:
        make(items, tmp_path / "broken", participants=1, names=names)
    assert refused.value.line == 3
    assert refused.value.remedy
    assert not (tmp_path / "broken").exists()


def test_every_factor_is_a_column_of_the_export(tmp_path: Path) -> None:
    """Also one with the name of another column; practice, checks and fillers have no level."""
    rows = [
        {"item": i, "order": order, "domain": domain, "text": f"{i} {order} {domain}", "kind": "trial"}
        for i in range(4)
        for order in ("vorn", "hinten")
        for domain in ("a", "b")
    ] + [{"item": kind, "text": "x", "kind": kind} for kind in ("practice", "filler")]
    study = make(table(tmp_path / "t.csv", rows), tmp_path / "s", "order,domain", participants=4)
    simulate(study.folder, participants=4)
    files = build_export(collect_from(study, None, "debug"), ("csv", "jsonl", "parquet"))
    (tmp_path / "t.parquet").write_bytes(files["trials.parquet"])
    forms = (
        list(csv.DictReader(files["trials.csv"].decode().splitlines())),
        [json.loads(line) for line in files["trials.jsonl"].decode().splitlines()],
        pl.read_parquet(tmp_path / "t.parquet").to_dicts(),
    )
    for form in forms:
        assert Counter(bool(row["order"]) for row in form) == {True: 16, False: 8}
        for row in form:
            levels = row["order"] or "", row["factor_domain"] or ""
            assert levels == (tuple(row["description"].split()[1:]) if row["description"] != "x" else ("", ""))
    described = {c["name"]: c for c in json.loads(files["codebook.json"])["tables"]["trials"]}
    assert [*described] == [*forms[0][0]]
    assert {*described["order"]["values"]} == {"vorn", "hinten"}
    assert {*described["factor_domain"]["values"]} == {"a", "b"}


@pytest.mark.parametrize(("language", "remarks"), [(None, 1), ("en", 0), ("de", 0)])
def test_english_pages_that_were_not_asked_for_are_remarked(language: str | None, remarks: int, tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", [{"item": 1, "text": "Die Katze schläft."}])
    wishes = Wishes(protocol="", design="latin", participants=1, id="tried", language=language)
    _, notes = prepare_table(ItemTable(path=path), wishes)
    assert sum("--language" in note for note in notes) == remarks


def test_a_table_in_which_nothing_is_shown_names_its_columns(tmp_path: Path) -> None:
    rows = [{"item": i, "size": s, "sentence": f"the {s} cup", "pic1": "a.png"} for i in (1, 2) for s in ("big", "red")]
    with pytest.raises(InputError, match="no column holds what participants read, hear or see") as error:
        make(table(tmp_path / "items.csv", rows), tmp_path / "study", "size")
    assert "text=sentence" in str(error.value.remedy)


@pytest.mark.parametrize("other", ["THE CAT", "the  Cat", "the ｃat"])
def test_options_that_people_cannot_tell_apart_are_refused(other: str, tmp_path: Path) -> None:
    """Capital letters, and full-width letters, which NFKC makes the usual ones (Unicode Standard Annex 15)."""
    rows = [{"item": 1, "text": "which?", "option1": "the cat", "option2": other, "target": 1}]
    with pytest.raises(InputError, match="differ only in capital letters") as error:
        make(table(tmp_path / "t.csv", rows), tmp_path / "s", participants=1)
    assert error.value.line == 2
    study = make(table(tmp_path / "u.csv", [{**rows[0], "option2": "the dog"}]), tmp_path / "s", participants=1)
    trials = study.folder / "trials.jsonl"
    trials.write_text(trials.read_text("utf-8").replace("the dog", other), encoding="utf-8")
    assert "look-alike" in [c.check for c in prove_shown(open_study(study.folder)) if not c.holds]
