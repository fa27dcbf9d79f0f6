"""What a model that sees is sent: drawn pictures whose pixels are known, and an endpoint that looks at them, so that a mark at the wrong place is found out."""

from __future__ import annotations

import ast
import io
import json
from base64 import b64decode
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from referee import catalogue, open_corpus
from referee.cli import main
from referee.corpora.pictured import write_pictured
from referee.corpora.synthetic.corpus import Synthetic
from referee.geometry import Box
from referee.grounding.marks import COLOURS, RED
from referee.records import Description, Outcome, Trial
from scripted_endpoint import Said, answered, scripted

Pixels = npt.NDArray[np.uint8]
Corners = tuple[int, int, int, int]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    drawn = tmp_path_factory.mktemp("sent") / "drawn"
    chairs = (t for t in Synthetic().trials() if t.domain == "furniture" and len(t.targets) == 1)
    write_pictured(drawn, map(few, islice(chairs, 6)))
    return drawn


def few(trial: Trial) -> Trial:
    """With no more candidates than marks have colours."""
    others = [e for e in trial.scene.entities if e.id not in trial.targets][: len(COLOURS) - 1]
    kept = {e.id for e in others} | set(trial.targets)
    return replace(trial, scene=replace(trial.scene, entities=tuple(e for e in trial.scene.entities if e.id in kept)))


@pytest.fixture(scope="module")
def trials(folder: Path) -> list[Trial]:
    return list(open_corpus(str(folder)).trials())


def pictures_in(question: str) -> list[Pixels]:
    parts = ast.literal_eval(question)
    sent = [part["image_url"]["url"].partition(",")[2] for part in parts if part["type"] == "image_url"]
    return [np.asarray(Image.open(io.BytesIO(b64decode(data))).convert("RGB")) for data in sent]


def on_disk(folder: Path, trial: Trial) -> Pixels:
    assert trial.scene.picture is not None
    return np.asarray(Image.open(folder / trial.scene.picture.path).convert("RGB"))


def box_of(trial: Trial) -> Corners:
    region = trial.scene.entity(trial.targets[0]).region
    assert isinstance(region, Box)
    left, top, right, bottom = map(round, region.on(None))
    return left, top, right, bottom


def around(changed: npt.NDArray[np.bool_]) -> Corners:
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def sent_for(trial: Trial, folder: Path, mark: str) -> list[Pixels]:
    with scripted(lambda question, time: answered()) as endpoint:
        speaker = catalogue.create(
            "system", "llm/looking", model="toy", endpoint=endpoint.url, pictures=str(folder), mark=mark
        )
        assert speaker.describe(trial.for_speaker()).text == "the red chair"
        (question,) = endpoint.asked
    return pictures_in(question)


def test_a_red_box_surrounds_what_is_meant_and_changes_nothing_else(trials: list[Trial], folder: Path) -> None:
    for trial in trials:
        (marked,) = sent_for(trial, folder, "box")
        plain = on_disk(folder, trial)
        changed = (marked != plain).any(axis=2)
        left, top, right, bottom = box_of(trial)
        assert not changed[top:bottom, left:right].any(), "what is meant is not painted over"
        assert (marked[changed] == RED).all()
        thick = max(2, round(max(plain.shape) / 250))
        height, width = changed.shape
        # Pillow's rectangles take in their last pixel.
        assert around(changed) == (
            max(0, left - thick),
            max(0, top - thick),
            min(width, right + thick + 1),
            min(height, bottom + thick + 1),
        )


def test_an_arrow_touches_what_is_meant(trials: list[Trial], folder: Path) -> None:
    for trial in trials:
        (marked,) = sent_for(trial, folder, "arrow")
        changed = (marked != on_disk(folder, trial)).any(axis=2)
        left, top, right, bottom = box_of(trial)
        assert (marked[changed] == RED).all()
        rows, columns = np.nonzero(changed)
        from_right = columns.mean() > (left + right) / 2
        tip = columns.min() if from_right else columns.max()
        assert abs(tip - (right if from_right else left)) <= 6
        assert abs(rows[columns == tip].mean() - (top + bottom) / 2) <= 2


def test_a_part_cut_out_is_what_is_meant(trials: list[Trial], folder: Path) -> None:
    for trial in trials:
        whole, part = sent_for(trial, folder, "crop")
        plain = on_disk(folder, trial)
        assert (whole == plain).all()
        left, top, right, bottom = box_of(trial)
        margin = max(right - left, bottom - top) / 10
        x, y = max(0, int(left - margin)), max(0, int(top - margin))
        height, width = part.shape[:2]
        assert (part == plain[y : y + height, x : x + width]).all()
        assert x + width >= right
        assert y + height >= bottom


def test_in_words_the_picture_is_sent_as_it_is(trials: list[Trial], folder: Path) -> None:
    (sent,) = sent_for(trials[0], folder, "words")
    assert (sent == on_disk(folder, trials[0])).all()


def by_looking(trial: Trial) -> Callable[[str, int], Said]:
    """An endpoint that finds what is meant by the colour around it, and answers with the number that this colour stands for."""

    def look(question: str, time: int) -> Said:
        (marked,) = pictures_in(question)
        *_, right, bottom = box_of(trial)
        # The lower right corner, which no number hides.
        colour = tuple(int(part) for part in marked[min(bottom, len(marked) - 1), min(right, marked.shape[1] - 1)])
        return answered(str(COLOURS.index(colour) + 1))

    return look


def test_numbers_of_marks_stand_at_the_candidates_in_the_order_shown(trials: list[Trial], folder: Path) -> None:
    for seed, trial in enumerate(trials):
        with scripted(by_looking(trial)) as endpoint:
            hearer = catalogue.create(
                "hearer", "sight/model", model="toy", endpoint=endpoint.url, pictures=str(folder), answer="mark"
            )
            heard = hearer.resolve(Description(text="that one"), trial.for_hearer(Random(seed), marks=hearer.marks))
        assert (heard.outcome, heard.entity) == (Outcome.ENTITY, trial.targets[0])


def test_a_hearer_of_boxes_sees_no_mark(trials: list[Trial], folder: Path) -> None:
    with scripted(lambda question, time: answered('{"bbox_2d": [1, 2, 30, 40]}')) as endpoint:
        hearer = catalogue.create(
            "hearer", "sight/model", model="toy", endpoint=endpoint.url, pictures=str(folder), form="qwen2.5-vl"
        )
        heard = hearer.resolve(Description(text="that one"), trials[0].for_hearer(Random(1), marks=hearer.marks))
        (question,) = endpoint.asked
    (sent,) = pictures_in(question)
    assert (sent == on_disk(folder, trials[0])).all()
    assert heard.outcome is Outcome.BOX


def test_who_says_where_the_mark_was_is_found_by_who_reads_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two models that see, by the commands: the speaker says where the red box is, the hearer answers with that box, and every one is found."""

    def tell(question: str, time: int) -> Said:
        if "The description" in question:
            said = ast.literal_eval(question)[0]["text"].partition("at ")[2].partition("'")[0]
            return answered(json.dumps({"bbox_2d": [int(n) for n in said.split("-")]}))
        (marked,) = pictures_in(question)
        # The lines of the mark are the longest runs of its colour; what is drawn in the scene is of other reds.
        left, top, right, bottom = around((marked == RED).all(axis=2))
        return answered(f"the thing at {left + 2}-{top + 2}-{right - 3}-{bottom - 3}")

    run = str(tmp_path / "run")
    with scripted(tell) as endpoint:
        model = f"model:toy|endpoint:{endpoint.url}|pictures:{folder}"
        speaking = ["--systems", f"llm/looking|{model}", "--folds-by", "random", "--out", run]
        assert main(["run", "--corpus", str(folder), *speaking]) == 0
        capsys.readouterr()
        hearer = f"sight/model|{model}|form:qwen2.5-vl"
        assert main(["listen", run, "--hearer", hearer, "--format", "json"]) == 0
    table = json.loads(capsys.readouterr().out)
    found = {row["measure"]: (row["value"], row["n"]) for row in table["rows"]}
    assert found["ir"] == (1, 6)
