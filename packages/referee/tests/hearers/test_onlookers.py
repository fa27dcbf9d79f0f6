"""Hearers of pictures without weights, and pictures marked for those who look: held against pixels that were rendered here."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fake_endpoint import completion, serving
from referee import catalogue
from referee.corpora.jsonl import read_trials
from referee.corpora.synthetic.solids import Solids, write_solids
from referee.errors import InputError, UnknownName
from referee.geometry import Box, Convention, Mask, Point, Polygon, ScenePicture, Size
from referee.grounding.marks import bounds_of, mark_target, number_marks, place_in_words
from referee.grounding.pictures import open_picture
from referee.metrics.grounding import is_hit
from referee.metrics.hearing import group_responses
from referee.records import Description, Entity, Outcome, Response, Scene, Trial
from referee.signature import signature


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toys")
    write_solids(folder, Solids(scenes=1, solids=4, width=160, height=120))
    return folder


@pytest.fixture(scope="module")
def trials(toys: Path) -> list[Trial]:
    return list(read_trials(toys / "trials.jsonl"))


SAID = Description(text="the red ball")


def test_the_middle_is_pointed_at_whatever_is_said(trials: list[Trial]) -> None:
    heard = catalogue.create("hearer", "sight/centre").resolve(SAID, trials[0].for_hearer(Random(1)))
    assert heard.outcome is Outcome.POINT
    assert heard.places[0].on(Size(160, 120)) == (80, 60)
    box = catalogue.configure("hearer", "sight/centre|box:yes").resolve(SAID, trials[0].for_hearer(Random(1)))
    assert box.places[0].on(Size(160, 120)) == (40, 30, 120, 90)


def test_the_largest_mark_is_chosen_and_is_not_seen_without_marks(trials: list[Trial]) -> None:
    hearer = catalogue.create("hearer", "sight/largest")
    seen = hearer.resolve(SAID, trials[0].for_hearer(Random(1), marks=True))
    areas = {e.id: e.region.area for e in trials[0].scene.entities if isinstance(e.region, Mask)}
    assert seen.entity == max(areas, key=lambda e: areas[e])
    assert hearer.resolve(SAID, trials[0].for_hearer(Random(1))).outcome is Outcome.DONT_KNOW


def test_areas_of_boxes_and_outlines() -> None:
    # 10 x 10 against half of 16 x 16: 100 < 128.
    entities = (
        Entity(id="box", region=Box((0, 0, 10, 10))),
        Entity(id="outline", region=Polygon(((0, 0), (16, 0), (0, 16)))),
    )
    trial = Trial(
        id="t", scene=Scene(entities=entities, picture=ScenePicture(path="p", size=Size(50, 50))), targets=("box",)
    )
    assert (
        catalogue.create("hearer", "sight/largest").resolve(SAID, trial.for_hearer(Random(1), marks=True)).entity
        == "outline"
    )


def detect_red(path: str, text: str) -> list[tuple[list[float], float]]:
    """A detector of this test: the box around all reddish pixels, and one without any sense."""
    pixels = np.asarray(open_picture(path)).astype(int)
    rows, columns = np.nonzero((pixels[..., 0] > 2 * pixels[..., 1]) & (pixels[..., 0] > 2 * pixels[..., 2]))
    found = (
        [([float(columns.min()), float(rows.min()), float(columns.max() + 1), float(rows.max() + 1)], 0.9)]
        if len(rows)
        else []
    )
    return [*found, ([0.0, 0.0, 1.0, 1.0], 0.1)]


def test_any_detector_can_be_plugged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = Image.new("RGB", (60, 40), (200, 200, 200))
    picture.paste((220, 10, 10), (10, 5, 30, 25))
    picture.save(tmp_path / "p.png")
    monkeypatch.setitem(sys.modules, "my_detector", sys.modules[__name__])
    scene = Scene(
        entities=(Entity(id="a", region=Box((10, 5, 30, 25))),), picture=ScenePicture(path="p.png", size=Size(60, 40))
    )
    trial = Trial(id="t", scene=scene, targets=("a",))
    written = f"sight/detector|detector:my_detector:detect_red|pictures:{tmp_path}"
    heard = catalogue.configure("hearer", written).resolve(SAID, trial.for_hearer(Random(1)))
    assert heard.places == (Box((10, 5, 30, 25)),)
    assert is_hit(heard, trial)
    none = catalogue.configure("hearer", f"{written}|least:0.95").resolve(SAID, trial.for_hearer(Random(1)))
    assert none.outcome is Outcome.NONE
    with pytest.raises(UnknownName, match="detector:MODULE:FUNCTION"):
        catalogue.configure("hearer", f"sight/detector|pictures:{tmp_path}").resolve(SAID, trial.for_hearer(Random(1)))


def test_whoever_looks_is_told_where_the_pictures_are(trials: list[Trial], toys: Path) -> None:
    for name in ("sight/detector", "sight/ocr"):
        with pytest.raises(InputError, match="the folder of the pictures is unknown"):
            catalogue.create("hearer", name).resolve(SAID, trials[0].for_hearer(Random(1)))
    without = replace(trials[0], scene=replace(trials[0].scene, picture=None))
    with pytest.raises(InputError, match="has no picture"):
        catalogue.create("hearer", "sight/detector").resolve(SAID, without.for_hearer(Random(1)))


@pytest.mark.long
def test_words_on_a_screen_are_found(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr")
    from PIL import ImageDraw, ImageFont

    screen = Image.new("RGB", (400, 200), (255, 255, 255))
    pen = ImageDraw.Draw(screen)
    for text, y in (("Save file", 30), ("Open settings", 120)):
        pen.text((40, y), text, fill=(0, 0, 0), font=ImageFont.load_default(28))
    screen.save(tmp_path / "s.png")
    scene = Scene(
        entities=(Entity(id="a", region=Box((30, 110, 300, 165))),),
        picture=ScenePicture(path="s.png", size=Size(400, 200)),
    )
    trial = Trial(id="t", scene=scene, targets=("a",))
    hearer = catalogue.configure("hearer", f"sight/ocr|pictures:{tmp_path}")
    heard = hearer.resolve(Description(text="Click on open settings"), trial.for_hearer(Random(1)))
    x, y = heard.places[0].on(None)
    assert 110 <= y <= 165
    assert 30 <= x <= 300
    line = catalogue.configure("hearer", f"sight/ocr|pictures:{tmp_path}|box:yes")
    left, top, right, bottom = (
        line.resolve(Description(text="open settings"), trial.for_hearer(Random(1))).places[0].on(None)
    )
    assert ((left + right) / 2, (top + bottom) / 2) == pytest.approx((x, y))
    assert hearer.resolve(Description(text="qqqq zzzz"), trial.for_hearer(Random(1))).outcome is Outcome.NONE


def test_people_stubs_and_models_land_in_one_table(trials: list[Trial]) -> None:
    trial = trials[0]
    target = trial.targets[0]
    left, top, right, bottom = bounds_of(trial.scene.entity(target).region, None)  # type: ignore[arg-type]
    person = Response(trial=trial.id, hearer="p1", outcome=Outcome.ENTITY, entity=target)
    model = Response(
        trial=trial.id,
        hearer="vlm",
        outcome=Outcome.BOX,
        places=(Box((left, top, right, bottom)),),
        probabilities=((target, 1.0),),
    )
    stub = catalogue.create("hearer", "sight/centre").resolve(SAID, trial.for_hearer(Random(1)))
    table, _ = group_responses([person, replace(stub, probabilities=((target, 1.0),)), model], {trial.id: trial})
    assert {hearer: float(h.values[0, 0]) for (_, hearer), h in table.items()}.keys() == {
        "people",
        "vlm",
        "sight/centre",
    }


# -- marks -----------------------------------------------------------------------------------------------------------------


def grey(size: tuple[int, int] = (200, 100)) -> Image.Image:
    return Image.new("RGB", size, (128, 128, 128))


REGION = Box((50, 30, 90, 60))


def changed(marked: Image.Image) -> np.ndarray:
    return (np.asarray(marked) != 128).any(axis=2)


def test_a_box_is_drawn_around_and_hides_nothing() -> None:
    marks = changed(mark_target(grey(), REGION, "box"))
    assert marks.any()
    assert not marks[30:60, 50:90].any()


def test_an_arrow_touches_and_comes_from_where_there_is_room() -> None:
    marks = changed(mark_target(grey(), REGION, "arrow"))
    columns = np.flatnonzero(marks.any(axis=0))
    assert columns.min() >= 90, "there is more room on the right"
    assert columns.min() <= 95
    assert np.flatnonzero(changed(mark_target(grey(), Box((150, 30, 190, 60)), "arrow")).any(axis=0)).max() <= 150


def test_a_part_is_cut_out_within_the_picture() -> None:
    assert mark_target(grey(), REGION, "crop").size == (49, 39)  # a tenth of the longer side around it
    assert mark_target(grey(), Box((0, 0, 200, 100)), "crop").size == (200, 100)


def test_words_and_none_leave_the_picture_alone() -> None:
    assert not changed(mark_target(grey(), REGION, "words")).any()
    assert place_in_words(REGION, Size(200, 100)) == (
        "from 25 % to 45 % of the width (from the left) and from 30 % to 60 % of the height (from the top)"
    )
    assert place_in_words(Box((0.1, 0.2, 0.3, 0.4), Convention.of("0-1 xyxy")), None).startswith("from 10 % to 30 %")
    with pytest.raises(InputError):
        mark_target(grey(), REGION, "glow")


def test_every_region_gets_its_number() -> None:
    marks = changed(number_marks(grey(), [REGION, Polygon(((120, 10), (180, 10), (150, 90)))]))
    assert marks[30, 60:89].all()
    assert marks[10, 130:170].all()


def test_a_point_in_a_region_hits(trials: list[Trial]) -> None:
    region = trials[0].scene.entity(trials[0].targets[0]).region
    assert isinstance(region, Mask)
    at = sum(region.counts[:1])
    inside = Point((at // 120 + 0.5, at % 120 + 0.5))
    assert is_hit(Response(trial="t", hearer="h", outcome=Outcome.POINT, places=(inside,)), trials[0])


# -- models that see, scripted ---------------------------------------------------------------------------------------------


def asked_of(server: Any) -> list[Any]:
    """What the model was sent: words first, then pictures."""
    return next(list(m["content"]) for m in server.seen[-1]["messages"] if isinstance(m["content"], list))


@pytest.mark.parametrize(
    ("form", "answer", "content", "outcome"),
    [
        ("json", "box", '{"box": [10, 20, 30, 40]}', Outcome.BOX),
        ("molmo", "point", '<point x="50" y="50" alt="x">x</point>', Outcome.POINT),
        ("json", "box", "none", Outcome.NONE),
        ("json", "box", "several", Outcome.SEVERAL),
        ("json", "box", "somewhere on the left", Outcome.UNPARSABLE),
        ("json", "mark", "2", Outcome.ENTITY),
        ("json", "mark", "none", Outcome.NONE),
    ],
)
def test_a_model_that_sees_answers(
    trials: list[Trial], toys: Path, form: str, answer: str, content: str, outcome: Outcome
) -> None:
    with serving(completion(content)) as server:
        hearer = catalogue.create(
            "hearer", "sight/model", model="toy", endpoint=server.url, pictures=str(toys), form=form, answer=answer
        )
        view = trials[0].for_hearer(Random(1), marks=hearer.marks)
        heard = hearer.resolve(SAID, view)
        words, picture = asked_of(server)
    assert heard.outcome is outcome
    if outcome is Outcome.ENTITY:
        assert heard.entity == view.scene.entities[1].id
    assert "the red ball" in words["text"]
    assert picture["image_url"]["url"].startswith("data:image/png;base64,")


@pytest.mark.parametrize("mark", ["box", "arrow", "crop", "words"])
def test_a_model_that_sees_describes_what_is_marked(trials: list[Trial], toys: Path, mark: str) -> None:
    with serving(completion("the small red ball")) as server:
        speaker = catalogue.create(
            "system", "llm/looking", model="toy", endpoint=server.url, pictures=str(toys), mark=mark
        )
        assert speaker.describe(trials[0].for_speaker()).text == "the small red ball"
        words, *pictures = asked_of(server)
    assert len(pictures) == (2 if mark == "crop" else 1)
    assert ("% of the width" in words["text"]) == (mark == "words")
    assert f"|mark:{mark}|" in signature("llm/looking", speaker)


def test_models_that_see_say_what_they_lack(trials: list[Trial], toys: Path) -> None:
    with pytest.raises(InputError, match="no model is named"):
        catalogue.create("hearer", "sight/model").resolve(SAID, trials[0].for_hearer(Random(1)))
    with pytest.raises(InputError, match="the folder of the pictures is unknown"):
        catalogue.create("system", "llm/looking", model="m").describe(trials[0].for_speaker())
