"""Nothing is shown that a person could not answer: pictures, look-alikes, relations, windows, languages; in geometry and in a real browser."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from study_server import change

from real_chromium import require_chromium
from referee.cli import main
from referee.errors import InputError
from referee.records import Description, Entity, Property, Relation, Scene, Trial
from referee.show.drawing import place
from referee_lab.commands.study.serve import _open_studies
from referee_lab.server.sessions.plan import make_plan
from referee_lab.study.design.designs import Request, lay_out
from referee_lab.study.design.shown_scenes import prove_contact, prove_language, prove_shown
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.draft import Draft, write_study
from referee_lab.study.folder.photographs import find_missing_pictures
from referee_lab.study.folder.screens import SCREENS, compute_cell_px, list_fitting_devices
from referee_lab.study.folder.study import Study, open_study


def thing(id: str, image: str | None = None, position: tuple[float, float] | None = None, **attributes: str) -> Entity:
    look = {"type": "chair", "colour": "red", "size": "large", **attributes}
    return Entity(id=id, image=image, position=position, attributes=tuple(Property(*p) for p in look.items()))


def study_of(folder: Path, *scenes: Scene, protocol: str = "asgre2007", language: str = "en", **more: Any) -> Study:
    trials = [Trial(id=f"t{n}", scene=s, targets=("a",), language=language) for n, s in enumerate(scenes)]
    conditions = () if protocol == "production" else ("one",)
    layout = lay_out("all", Request(items=tuple(t.id for t in trials), conditions=conditions, participants=2))
    outputs = [(t.id, "one", Description(text="the red one")) for t in trials if conditions]
    draft = Draft(
        id="seen", title="Seen", protocol=protocol, participants=2, layout=layout, conditions=conditions, trials=trials,
        outputs=outputs, language=language, **more,
    )  # fmt: skip
    return write_study(folder, draft)


def refused(study: Study) -> dict[str, tuple[str, ...]]:
    claims = (*prove_shown(study), *prove_language(study))
    return {claim.check: claim.trials for claim in claims if claim.promised and not claim.holds}


def pictures(folder: Path, *names: str, alike: bool = False) -> Path:
    from PIL import Image

    folder.mkdir(exist_ok=True)
    for n, name in enumerate(names):
        Image.new("RGB", (40, 40), (10 if alike else 60 * n, 90, 140)).save(folder / name)
    return folder


@pytest.mark.parametrize("protocol", ["production", "asgre2007", "judgement"])
def test_own_pictures_are_shown_in_every_protocol_with_scenes(protocol: str, tmp_path: Path) -> None:
    scene = Scene(entities=(thing("a", "a.png", type="Kerze"), thing("b", "b.png", type="Kerze")))
    source = pictures(tmp_path / "pictures", "a.png", "b.png")
    study = study_of(tmp_path / "s", scene, protocol=protocol, pictures=source)
    shown = [s for s in make_plan(study, "L01", 1).public("/s/seen")["steps"] if s["kind"] == "trial"]
    assert all("/s/seen/photographs/" in e["picture"] for s in shown for e in s["parameters"]["entities"])
    assert "Kerze" not in json.dumps(shown)
    assert find_missing_pictures(study) == []
    assert refused(study) == {}


def test_a_picture_that_is_gone_is_refused_and_not_served(tmp_path: Path) -> None:
    scene = Scene(entities=(thing("a", "a.png"), thing("b", "b.png")))
    study = study_of(tmp_path / "s", scene, pictures=pictures(tmp_path / "pictures", "a.png", "b.png"))
    next((study.folder / "photographs").iterdir()).unlink()
    assert refused(open_study(study.folder))["pictures"] == ("t0",)
    with pytest.raises(InputError, match="1 pictures are not in the folder photographs"):
        _open_studies([study.folder], None, False)


def test_words_that_people_should_produce_are_never_shown(tmp_path: Path) -> None:
    scene = Scene(entities=(thing("a", type="Kerze", colour="gelb"), thing("b", type="Kerze", colour="rot")))
    assert refused(study_of(tmp_path / "p", scene, protocol="production"))["word-cards"] == ("t0",)
    study = study_of(tmp_path / "i", scene)
    assert "word-cards" in refused(study)
    change(study.folder, word_cards="true")
    assert "word-cards" not in refused(open_study(study.folder)), (
        "an organiser may want cards where words are understood"
    )
    produced = tmp_path / "p"
    change(produced, word_cards="true")
    assert "word-cards" in refused(open_study(produced))


def test_a_target_that_looks_like_another_is_refused_unless_places_tell_them_apart(tmp_path: Path) -> None:
    alike = Scene(entities=(thing("a"), thing("b"), thing("c", colour="blue")))
    placed = Scene(
        entities=(thing("a", position=(0, 0)), thing("b", position=(1, 0)), thing("c", position=(2, 0), colour="blue"))
    )
    assert refused(study_of(tmp_path / "s", alike, placed)) == {"look-alike": ("t0",)}


def test_files_with_the_same_picture_look_alike(tmp_path: Path) -> None:
    scene = Scene(entities=(thing("a", "a.png"), thing("b", "b.png")))
    source = pictures(tmp_path / "pictures", "a.png", "b.png", alike=True)
    assert refused(study_of(tmp_path / "s", scene, pictures=source)) == {"look-alike": ("t0",)}


@pytest.mark.parametrize(
    ("other", "is_alike"),
    [("same.gif", True), ("twice as large.png", True), ("transparent.png", True), ("moved.png", False), ("darker.png", False)],
)  # fmt: skip
def test_pictures_that_nobody_can_tell_apart_look_alike(other: str, is_alike: bool, tmp_path: Path) -> None:
    """A dark square on white, saved in another format, magnified, on nothing; and moved by an eighth, and lighter."""
    from PIL import Image

    def square(left: int = 20, shade: int = 40, mode: str = "RGB", ground: str | tuple[int, ...] = "white") -> Any:
        made = Image.new(mode, (80, 80), ground)
        made.paste(Image.new(mode, (40, 40), (shade, 60, 60, 255)[: len(mode)]), (left, 20))
        return made

    square().save(tmp_path / "a.png")
    {
        "same.gif": square(),
        "twice as large.png": square().resize((160, 160)),
        "transparent.png": square(mode="RGBA", ground=(0, 0, 0, 0)),
        "moved.png": square(left=30),
        "darker.png": square(shade=52),
    }[other].save(tmp_path / other)
    scene = Scene(entities=(thing("a", "a.png"), thing("b", other)))
    expected = {"look-alike": ("t0",)} if is_alike else {}
    assert refused(study_of(tmp_path / "s", scene, pictures=tmp_path)) == expected


def test_relations_without_coordinates_are_refused(tmp_path: Path) -> None:
    first = replace(thing("a"), relations=(Relation("near", "b"),))
    scene = Scene(entities=(first, thing("b", colour="blue")))
    assert refused(study_of(tmp_path / "s", scene)) == {"relations": ("t0",)}


def wide_scene(columns: int) -> Scene:
    colours = ("red", "blue", "green", "grey")
    return Scene(
        entities=tuple(
            thing("a" if n == 0 else f"e{n}", position=(float(n), 0.0), colour=colours[n % 4]) for n in range(columns)
        )
    )


def test_phones_are_admitted_only_where_everything_can_be_pressed(tmp_path: Path) -> None:
    """By hand: a phone has (375 - 41.6) / 8 = 41.7 px a column, less than the 44 of a finger; of 5 columns 66.7."""
    small, large = wide_scene(8), wide_scene(5)
    phone = SCREENS[-1]
    assert compute_cell_px(place(small), phone, "identify") == pytest.approx(41.675)
    assert compute_cell_px(place(large), phone, "identify") == pytest.approx(66.68)
    trials = [Trial(id="t", scene=small, targets=("a",))]
    assert list_fitting_devices(trials, "identify") == ["computer", "tablet"]
    study = study_of(tmp_path / "s", small)
    assert study.session.devices == ("computer", "tablet")
    change(study.folder, devices='["computer", "phone"]')
    assert refused(open_study(study.folder)) == {"target-size": ("t0",)}


def test_a_language_without_its_texts_is_refused(tmp_path: Path) -> None:
    scene = Scene(entities=(thing("a"), thing("b", colour="blue")))
    assert refused(study_of(tmp_path / "de", scene, language="de")) == {}
    assert "language" in refused(study_of(tmp_path / "fi", scene, language="fi"))
    judged = study_of(tmp_path / "ja", scene, language="ja", protocol="judgement")
    assert refused(judged) == {}, "questions come in the language of the study"


def test_a_live_study_names_somebody_to_ask(tmp_path: Path) -> None:
    scene = Scene(entities=(thing("a"), thing("b", colour="blue")))
    study = study_of(tmp_path / "s", scene)
    for page in ("consent", "debriefing"):
        assert "Questions?" not in study.page_html(page), "a paragraph without a contact is left out"
    change(study.folder, mode='"live"')
    assert [c.holds for c in prove_contact(open_study(study.folder))] == [False]
    change(study.folder, contact='"the organisers of this study"')
    assert [c.holds for c in prove_contact(open_study(study.folder))] == [False], "this names no person"
    change(study.folder, contact='"A. Person, a@uni.example"')
    assert [c.holds for c in prove_contact(open_study(study.folder))] == [True]


def test_a_room_without_a_contact_has_no_english_words_on_its_page(tmp_path: Path) -> None:
    """Studies of earlier releases have them in study.toml: these are refused."""
    study = make_demo(tmp_path / "s", "tangram", language="ja")
    assert "organisers" not in study.page_html("consent")
    assert all(claim.holds for claim in prove_language(study))
    change(study.folder, contact='"the organisers of this study"')
    assert ["contact" in claim.counted for claim in prove_language(open_study(study.folder))] == [True]


@pytest.mark.slow
def test_check_looks_in_a_browser_and_says_what_it_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    require_chromium()
    good = Scene(entities=(thing("a"), thing("b", colour="blue")))
    study = study_of(tmp_path / "good", good)
    assert main(["study", "check", str(study.folder), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["ready"], report["refused"]) == (True, [])
    sheet = Path(report["sheet"])
    assert sheet.is_file()
    assert len(list(sheet.parent.glob("*-phone.jpg"))) == len(list(sheet.parent.glob("*-desktop.jpg"))) > 3
    assert open_study(study.folder).hash == study.hash, "the sheet is no part of the study"
    change(study.folder, devices='["phone"]')
    words = "red and " * 100
    path = study.folder / "outputs.jsonl"
    path.write_text(path.read_text("utf-8").replace("the red one", words), "utf-8")
    assert main(["study", "check", str(study.folder), "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert {entry["check"] for entry in report["refused"]} == {"off-screen"}
    assert all({"check", "trials", "message"} <= set(entry) for entry in report["refused"])


@pytest.mark.slow
def test_the_geometry_is_that_of_the_browser(tmp_path: Path) -> None:
    """Cells as measured by Chromium in every window, beside the arithmetic of `screens`."""
    require_chromium()
    from referee_lab.study.design import browser_look

    study = study_of(tmp_path / "s", wide_scene(5))
    (layout,) = [one for one in browser_look._collect_layouts(study) if one.step["plugin"] == "identify"]
    with browser_look._open_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_look._find_chromium(playwright), args=["--no-sandbox"]
        )
        for screen in SCREENS:
            page = browser_look._open_page(browser, study, screen)
            browser_look._show_layout(page, study, layout, screen, tmp_path / "shot.jpg")
            width = page.evaluate("document.querySelector('.scene .place').getBoundingClientRect().width")
            assert width == pytest.approx(compute_cell_px(place(wide_scene(5)), screen, "identify"), abs=0.6)
        browser.close()


@pytest.mark.slow
def test_a_character_without_a_font_is_said_and_refuses_nothing(tmp_path: Path) -> None:
    """U+E000 is for private use: no font draws it as a letter."""
    require_chromium()
    from referee_lab.study.design.browser_look import check_in_browser

    scene = Scene(entities=(thing("a", position=(0, 0)), thing("b", position=(1, 0), colour="blue")))
    study = study_of(tmp_path / "s", scene)
    assert [c.holds for c in check_in_browser(study).claims if c.check == "fonts"] == [True]
    change(study.folder, title='"one \ue000"')
    claims = [c for c in check_in_browser(open_study(study.folder)).claims if c.check == "fonts"]
    assert [(c.holds, c.promised) for c in claims] == [(False, False)]


@pytest.mark.slow
def test_pictures_beside_a_film_can_be_pressed_in_every_window(tmp_path: Path) -> None:
    """Measured with the film in its place: at 200 % zoom it stands beside the scene."""
    require_chromium()
    from small_media import write_film
    from test_item_tables import make, table

    from referee_lab.study.design.browser_look import check_in_browser

    write_film(tmp_path / "a.webm")
    names = [f"{n}.png" for n in range(4)]
    pictures(tmp_path, *names)
    row = {"item": 1, "film": "a.webm", **{f"image{n}": name for n, name in enumerate(names, 1)}, "target": 1}
    look = check_in_browser(make(table(tmp_path / "t.csv", [row]), tmp_path / "s", participants=1))
    assert [claim.sentence for claim in look.claims if not claim.holds] == []
    assert sum(claim.check == "target-size" for claim in look.claims) == len(SCREENS)
