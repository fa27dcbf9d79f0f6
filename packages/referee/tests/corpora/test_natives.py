"""Files of other programs: what is recognised, what it is read as, and what looks alike and is refused.

Fields, units and order of numbers are those that the programs write: lmms-eval@75571cfe (evaluation_tracker.py, tasks/refcoco/utils_rec.py),
lm-evaluation-harness@4e7e0d47, VLMEvalKit@e8e78f05 (dataset/refcoco.py), InternVL@2410d1d (eval/refcoco/evaluate_grounding.py),
ScreenSpot-Pro-GUI-Grounding@bd8bbbb, evalscope@fde259d2 (api/evaluator/cache.py), Ref-Adv@b6b18262 (run.py), jsPsych@04db97d1, magpie-base@6f842ff,
otree-core@813efd7e, empirica@4b4283f. The rows are written anew.
"""

from __future__ import annotations

import csv
import json
import pickle
import zipfile
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image

from referee.api.evaluate import parse_map
from referee.contracts import Batch
from referee.corpora.natives.described import read_scenes_of_rows, unnest_rows
from referee.corpora.natives.material import Declared, NativeData
from referee.corpora.natives.recognition import read_material
from referee.corpora.reading.tables import read_table
from referee.errors import InputError
from referee.geometry import Size
from referee.grounding.pictures import encode_png
from referee.jobs.evaluate import evaluate_material, open_material
from referee.metrics.grounding import Iou
from referee.records import Outcome

Row = Mapping[str, Any]
FIXTURES = Path(__file__).parent.parent / "fixtures" / "natives"


def write_csv(path: Path, rows: Sequence[Row], delimiter: str = ",") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(key for row in rows for key in row)), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_json(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    return path


def write_lines(path: Path, rows: Sequence[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def read(*paths: Path, **declared: Any) -> NativeData:
    return read_material(list(paths), declared=Declared(**declared))


def refused(*paths: Path, **declared: Any) -> str:
    with pytest.raises(InputError) as error:
        read(*paths, **declared)
    return str(error.value)


# -- text --------------------------------------------------------------------------------------------------------------------


def test_lines_are_segments_and_empty_lines_count(tmp_path: Path) -> None:
    (tmp_path / "hyp.txt").write_bytes("the cup\u2028left \n\na dog\n".encode())
    (tmp_path / "ref.txt").write_text("the cup\tcup\nthe tea\ttea\nthe dog\tdog\n", "utf-8")
    material = read_material([tmp_path / "hyp.txt"], [tmp_path / "ref.txt"])
    assert (material.kind, [o.description.text for o in material.outputs]) == (
        "text",
        ["the cup\u2028left", "", "a dog"],
    )
    assert [[r.text for r in t.references] for t in material.trials.values()][1] == ["the tea", "tea"]
    assert not any(t.scene.entities for t in material.trials.values())


@pytest.mark.parametrize(
    ("text", "problem"), [("a\nb\n", "hyp has 1 lines"), ("a\tb\nc\n", "differ in their number of tabs")]
)
def test_texts_that_do_not_fit_are_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "hyp.txt").write_text("a\n", "utf-8")
    (tmp_path / "ref.txt").write_text(text, "utf-8")
    with pytest.raises(InputError, match=problem):
        read_material([tmp_path / "hyp.txt"], [tmp_path / "ref.txt"])


# -- tables ------------------------------------------------------------------------------------------------------------------

DESCRIBED = [
    {"ID": i, "Model": model, "Output": f"the {word} cup", "ref1": "the red cup", "ref2": "red cup"}
    for i in range(3)
    for model, word in (("a", "red"), ("b", "blue"))
]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_usual_names_of_columns_are_known(tmp_path: Path, delimiter: str) -> None:
    material = read(write_csv(tmp_path / "table.csv", DESCRIBED, delimiter))
    assert material.mapping == {"system": "Model", "text": "Output", "trial": "ID", "references": "ref1 ref2"}
    assert material.systems == ["a", "b"]
    assert [r.text for r in material.trials["0"].references] == ["the red cup", "red cup"]


def test_a_column_a_system(tmp_path: Path) -> None:
    rows = [{"id": i, "gpt": "the cup here", "llama": "a cup there", "reference": "the cup"} for i in range(3)]
    path = write_csv(tmp_path / "wide.csv", rows)
    assert "--systems gpt,llama" in refused(path)
    assert read(path, systems=("gpt", "llama")).systems == ["gpt", "llama"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"id": 1, "text": "a cup", "output": "a dog", "reference": "x"}, "several columns could be the text"),
        ({"id": 1, "prediction": "[1, 2, 3, 4]", "reference": "the cup"}, "holds coordinates, not descriptions"),
        ({"id": 1, "prediction": "The box is [0.1, 0.2, 0.3, 0.4].", "gt": "the cup"}, "holds coordinates"),
        ({"id": 1, "text": "the cup", "gt": "[1, 2, 3, 4]"}, "holds coordinates, not references"),
        ({"id": 1, "prediction": 3, "label": 4}, "holds numbers"),
        ({"Split": "val", "Precision@1": 0.5, "Average IoU": 0.4, "Samples": 9}, "aggregate scores"),
        ({"a": 1, "b": 2}, "no column is recognised as the descriptions"),
    ],
)
def test_tables_that_look_alike_are_refused(tmp_path: Path, row: Row, problem: str) -> None:
    assert problem in refused(write_csv(tmp_path / "table.csv", [row]))


def hypotheses(read_data: NativeData) -> dict[str, dict[str, str | None]]:
    texts: dict[str, dict[str, str | None]] = {}
    for output in read_data.outputs:
        texts.setdefault(output.system, {})[output.trial] = output.description.text
    return texts


REFERENCES = {"1": ["the red cup", "the cup"], "2": ["a big dog"]}
TEXTS = {"m1": {"1": "the red cup", "2": "the dog"}, "m2": {"1": "a cup", "2": "a big dog"}}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (
            "lists by system",
            {m: [{"id": i, "text": t, "refs": REFERENCES[i]} for i, t in texts.items()] for m, texts in TEXTS.items()},
        ),
        (
            "a part of an object",
            {
                "meta": {"date": 1},
                "results": {
                    "run": [
                        {"id": i, "model": m, "text": TEXTS[m][i], "refs": r}
                        for m in TEXTS
                        for i, r in REFERENCES.items()
                    ]
                },
            },
        ),
        (
            "systems in a field",
            [{"id": i, "refs": REFERENCES[i], "predictions": {m: TEXTS[m][i] for m in TEXTS}} for i in REFERENCES],
        ),
        (
            "a list in a field",
            [
                {"id": i, "refs": REFERENCES[i], "outputs": [{"model": m, "text": TEXTS[m][i]} for m in TEXTS]}
                for i in REFERENCES
            ],
        ),
        (
            "nested fields",
            [
                {"id": i, "meta": {"model": m}, "output": {"text": TEXTS[m][i]}, "reference": {"text": r}}
                for m in TEXTS
                for i, r in REFERENCES.items()
            ],
        ),
        (
            "columns named after systems",
            [{"id": i, "refs": REFERENCES[i], **{f"output_{m}": TEXTS[m][i] for m in TEXTS}} for i in REFERENCES],
        ),
        (
            "a row a reference",
            [
                {"id": i, "model": m, "text": TEXTS[m][i], "reference": r}
                for m in TEXTS
                for i, refs in REFERENCES.items()
                for r in refs
            ],
        ),
        (
            "references in one cell",
            [
                {"id": i, "model": m, "text": TEXTS[m][i], "references": " | ".join([*r, r[0]])}
                for m in TEXTS
                for i, r in REFERENCES.items()
            ],
        ),
    ],
)
def test_nested_tables(tmp_path: Path, name: str, value: Any) -> None:
    native = read(write_json(tmp_path / "outputs.json", value))
    assert hypotheses(native) == TEXTS, name
    assert {t.id: list(dict.fromkeys(r.text for r in t.references)) for t in native.trials.values()} == REFERENCES


def test_objects_in_rows_are_scenes(tmp_path: Path) -> None:
    things = [{"id": 1, "colour": "red", "position": {"x": 1.5}}, {"id": 2, "colour": "blue", "is_target": True}]
    rows = [{"trial_id": 7, "model": "m", "description": "the blue one", "objects": things}]
    trial = read(write_json(tmp_path / "o.json", rows)).trials["7"]
    assert trial.targets == ("2",)
    assert [len(e.attributes) for e in trial.scene.entities] == [2, 1]


def test_references_in_another_file(tmp_path: Path) -> None:
    outputs = write_json(
        tmp_path / "m.json", [{"image_id": 4, "caption": "a cup"}, {"image_id": 9, "caption": "a dog"}]
    )
    annotations = [
        {"id": n, "image_id": i, "caption": t} for n, (i, t) in enumerate([(9, "the dog"), (4, "the cup"), (4, "cup")])
    ]
    coco = write_json(tmp_path / "captions.json", {"images": [{"id": 4}, {"id": 9}], "annotations": annotations})
    native = read_material([outputs], [coco])
    assert {t.id: [r.text for r in t.references] for t in native.trials.values()} == {
        "4": ["the cup", "cup"],
        "9": ["the dog"],
    }
    (tmp_path / "ref.txt").write_text("the cup\nthe dog\n", "utf-8")
    assert [t.references[0].text for t in read_material([outputs], [tmp_path / "ref.txt"]).trials.values()] == [
        "the cup",
        "the dog",
    ]
    (tmp_path / "ref.txt").write_text("the cup\n", "utf-8")
    with pytest.raises(InputError, match="1 lines for 2 items"):
        read_material([outputs], [tmp_path / "ref.txt"])


def test_a_system_that_answers_twice_is_refused(tmp_path: Path) -> None:
    rows = [{"item": 1, "text": "a cup", "reference": "x y"}, {"item": 1, "text": "a dog", "reference": "x y"}]
    assert "answers item '1' twice" in refused(write_csv(tmp_path / "table.csv", rows))


def test_rows_of_people_are_references(tmp_path: Path) -> None:
    rows = [{"item": i, "system": s, "description": t} for i in "12" for s, t in (("human", "the cup"), ("a", "cup"))]
    material = read(write_csv(tmp_path / "table.csv", rows))
    assert material.systems == ["a"]
    assert [r.text for r in material.trials["1"].references] == ["the cup"]


# -- logs --------------------------------------------------------------------------------------------------------------------


def lmms(answers: Sequence[str], bbox: Sequence[float] = (0.1, 0.2, 0.35, 0.6), **more: Any) -> list[Row]:
    return [
        {
            "doc_id": i,
            "target": str(list(bbox)),
            "filtered_resps": answer,
            "input": "Bounding box …",
            "refcoco_IoU": {
                "answer": "left pear",
                "pred": [0.0] * 4,
                "ann_id": str(i // 2),
                "bbox": list(bbox),
                **more,
            },
        }
        for i, answer in enumerate(answers)
    ]


# As lmms-eval 0.7.3 writes pictures below 300,000 bytes (`_collect_input_media` of its evaluator).
PICTURE_IN_A_LOG = f"data:image/png;base64,{b64encode(encode_png(Image.new('RGB', (500, 250)))).decode()}"
SAMPLES = "org__model/20260101_samples_refcoco_bbox_rec_val.jsonl"


def test_boxes_of_lmms_eval(tmp_path: Path) -> None:
    answers = ["The bounding box is [0.11, 0.2, 0.34, 0.61]", "I cannot see it.", "[0, 0, 0, 0]"]
    material = read(write_lines(tmp_path / SAMPLES, lmms(answers)))
    assert (material.kind, material.systems) == ("places", ["org/model"])
    assert material.mapping["convention"] == "0-1 xyxy"
    outcomes = [o.response.outcome for o in material.outputs if o.response]
    assert outcomes == [Outcome.BOX, Outcome.REFUSED, Outcome.UNPARSABLE]
    # Expressions of one object depend on each other.
    assert [t.scene.id for t in material.trials.values()] == ["0", "0", "1"]


def test_a_unit_that_is_not_clear_is_asked_for(tmp_path: Path) -> None:
    path = write_lines(tmp_path / SAMPLES, lmms(["[110, 200, 340, 610]"]))
    assert '--convention "0-1000 xyxy" or --convention "pixels xyxy"' in refused(path)
    assert read(path, convention="0-1000 xyxy").mapping["convention"] == "0-1000 xyxy"
    message = refused(path, convention="pixels xyxy")
    assert "no picture sizes" in message
    assert "image_width" in message


@pytest.mark.parametrize(
    "fields",
    [
        {"doc": {"image_width": 500, "image_height": 250}},
        {"doc": {"width": 500, "height": 250}},
        {"doc": {"image_size": [500, 250]}},
        {"width": 500, "height": 250},
        {"image_size": [500, 250]},
        {"input_media": [PICTURE_IN_A_LOG]},
    ],
)
def test_sizes_of_pictures_in_logs_of_lmms_eval(tmp_path: Path, fields: Row) -> None:
    rows = [{**row, **fields} for row in lmms(["[50, 50, 150, 150]"])]
    material = read(write_lines(tmp_path / SAMPLES, rows), convention="pixels xyxy")
    (trial,) = material.trials.values()
    assert trial.scene.picture is not None
    assert trial.scene.picture.size == Size(500, 250)


def test_the_convention_of_one_system_leaves_the_others(tmp_path: Path) -> None:
    boxes = {"qwen-a": [20, 40, 220, 240], "b": [10, 10, 110, 60]}
    rows = [
        {"item": 1, "model": m, "prediction": box, "gt_bbox_xyxy": [10, 10, 110, 60], "width": 500, "height": 250}
        for m, box in boxes.items()
    ]
    path = write_lines(tmp_path / "boxes.jsonl", rows)

    def conventions(text: str, file: Path = path) -> dict[str, str]:
        outputs = open_material(str(file), declared=Declared(convention=text)).outputs
        return {o.system: str(o.response.places[0].convention) for o in outputs if o.response}

    # The box of qwen-a is the gold box in thousandths: 20 × 500 / 1000 = 10, 40 × 250 / 1000 = 10, …
    assert conventions("pixels xyxy,qwen-a=0-1000 xyxy") == {"qwen-a": "0-1000 xyxy", "b": "pixels xyxy"}
    alone = write_lines(tmp_path / "alone.jsonl", rows[:1])
    assert conventions("qwen-a=pixels xyxy sent:qwen28-939865", alone) == {"qwen-a": "pixels xyxy sent:qwen28-939865"}
    bare = write_lines(tmp_path / "bare.jsonl", [{k: row[k] for k in row if k != "width"} for row in rows])
    with pytest.raises(InputError, match="size of the picture"):
        conventions("pixels xyxy,qwen-a=0-1000 xyxy", bare)
    for wrong in ("qwen-a=0-1000 xyxy", "nobody=pixels xyxy", "qwen-a=bananas", "pixels xyxy,qwen-a=bananas"):
        with pytest.raises(InputError):
            conventions(wrong)


def test_lmms_eval_without_gold_is_refused(tmp_path: Path) -> None:
    row = {"doc_id": 0, "target": "", "filtered_resps": "[1, 2]", "osworld_g": {"correct": 1, "box_type": "bbox"}}
    assert "has no gold answer" in refused(write_lines(tmp_path / "m/x.jsonl", [row]))


def test_a_log_that_was_written_twice_counts_once(tmp_path: Path) -> None:
    rows = lmms(["[0.1, 0.2, 0.3, 0.4]"] * 2)
    assert len(read(write_lines(tmp_path / SAMPLES, [*rows, *rows])).outputs) == 2
    assert "twice" in refused(write_lines(tmp_path / SAMPLES, [*rows, *lmms(["[0.5, 0.2, 0.6, 0.4]"])]))


def vlm(predictions: Sequence[str], **more: Any) -> list[Row]:
    box = {"bbox_x1": 12.0, "bbox_y1": 38.0, "bbox_x2": 134.0, "bbox_y2": 432.0}
    common = {"question": "woman at left", "split": "RefCOCO_val", "width": 640, "height": 480, **box, **more}
    return [{"index": f"RefCOCO_val_{i}", **common, "prediction": p} for i, p in enumerate(predictions)]


def test_vlmevalkit(tmp_path: Path) -> None:
    # 900 of a picture 480 pixels high can only be a share of 1000.
    predictions = ["[19, 80, 210, 900]"] * 3 + ["Failed to obtain answer via API."]
    material = read(write_csv(tmp_path / "my_model_RefCOCO.tsv", vlm(predictions), "\t"))
    assert (material.systems, material.mapping["convention"]) == (["my_model"], "0-1000 xyxy")
    assert (len(material.outputs), material.counts["my_model"]["missing"]) == (3, 1)


def test_vlmevalkit_without_sizes_is_refused(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "m_RefCOCO.tsv", vlm(["[19, 80, 210, 900]"], width=1.0, height=1.0), "\t")
    assert "width and height are 1.0" in refused(path)


def test_internvl(tmp_path: Path) -> None:
    rows = [{"answer": "(120,310),(402,955)", "gt_bbox": [77.0, 149.5, 258.1, 459.0], "hw": [480, 640]}]
    path = write_json(tmp_path / "refcoco_val_240101.json", rows)
    assert '"0-999 xyxy"' in refused(path)
    assert len(read(path, convention="0-999 xyxy").outputs) == 1
    swapped = write_json(tmp_path / "swapped.json", [{**rows[0], "gt_bbox": [77.0, 149.5, 258.1, 630.0]}])
    assert "outside a picture of height 480" in refused(swapped, convention="0-999 xyxy")


def screenspot(**more: Any) -> Row:
    return {
        "id": "cad_7",
        "img_path": "pictures/a.png",
        "gt_type": "positive",
        "pred": [812.5, 44.0],
        "bbox": [800, 30, 830, 60],
        "raw_response": "…",
        "correctness": "correct",
        **more,
    }


def test_screenspot_pro(tmp_path: Path) -> None:
    details = [
        screenspot(),
        screenspot(id="b", pred=None, correctness="wrong_format"),
        screenspot(id="c", gt_type="negative", pred=None, bbox=None, correctness="correct"),
    ]
    material = read(write_json(tmp_path / "log.json", {"details": details, "metrics": {"overall": {}}}))
    outcomes = [o.response.outcome for o in material.outputs if o.response]
    assert outcomes == [Outcome.POINT, Outcome.UNPARSABLE, Outcome.NONE]
    wide = {"details": [screenspot(bbox=[800, 30, 30, 30])], "metrics": {}}
    assert "not xyxy" in refused(write_json(tmp_path / "wide.json", wide))


def test_evalscope(tmp_path: Path) -> None:
    def row(i: int, status: str = "success") -> Row:
        score = {"value": {"IoU": 0.7}, "prediction": "[0.1, 0.2, 0.4, 0.7]", "status": status}
        return {
            "index": i,
            "target": "[0.1, 0.2, 0.4, 0.8]",
            "messages": [],
            "sample_score": {"score": score, "sample_id": i},
        }

    path = write_lines(tmp_path / "run/reviews/qwen/refcoco_val.jsonl", [row(0), row(1, "error")])
    write_lines(
        tmp_path / "run/predictions/qwen/refcoco_val.jsonl", [{"index": 0, "model": "qwen", "model_output": {}}]
    )
    for source in (path, tmp_path / "run"):
        material = read(source)
        assert (material.systems, len(material.outputs), material.counts["qwen"]["missing"]) == (["qwen"], 1, 1)
    assert "predictions alone" in refused(tmp_path / "run/predictions/qwen/refcoco_val.jsonl")


def test_ref_adv(tmp_path: Path) -> None:
    def row(i: int, pred: list[float], error: str) -> Row:
        boxes = {"gt_bbox_xyxy": [10.0, 12.0, 40.0, 60.0], "pred_box_xyxy_first": pred}
        return {"row_idx": i, "normal_caption": "cup", **boxes, "parse_error": error, "model_full_name": "m"}

    rows = [row(0, [10, 12, 40, 59], ""), row(1, [], "no_bbox_found"), row(2, [], "backend_error")]
    path = write_lines(tmp_path / "q_predictions.jsonl", rows)
    material = read(path)
    assert [o.response.outcome for o in material.outputs if o.response] == [Outcome.BOX, Outcome.UNPARSABLE]
    assert "pixels of the original picture already" in refused(path, convention="0-1000 xyxy")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scores.json", {"ir": 0.81, "n_missing": 3}),
        ("results.json", {"results": {}, "configs": {}}),
        ("scores.json", {"episode scores": {"Aborted": 1}}),
    ],
)
def test_aggregates_are_refused(tmp_path: Path, name: str, value: Any) -> None:
    assert "aggregate scores" in refused(write_json(tmp_path / name, value))


def test_pickles_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.pkl").write_bytes(b"\x80\x04N.")
    assert "not read" in refused(tmp_path / "x.pkl")


# -- listeners ---------------------------------------------------------------------------------------------------------------


def answers_of(material: NativeData) -> list[tuple[str, str | None, bool]]:
    right = {t.id: t.targets[0] for t in material.trials.values()}
    return [(r.trial, r.system, r.entity == right[r.trial]) for r in material.responses]


def test_jspsych(tmp_path: Path) -> None:
    common = {
        "trial_type": "html-button-response",
        "plugin_version": "2.0.0",
        "time_elapsed": 20110,
        "stimulus": "<p>x</p>",
    }
    trials = [
        {"trial_type": "instructions", "trial_index": 0, "time_elapsed": 1, "rt": 3, "plugin_version": "2.0.0"},
        {**common, "trial_index": 1, "rt": 1432, "response": 2, "item": "k1", "target": 2, "system": "a"},
        {**common, "trial_index": 2, "rt": 1000, "response": 0, "item": "k2", "target": 2, "system": "a"},
        {**common, "trial_index": 3, "rt": None, "response": None, "item": "k3", "target": 2, "system": "a"},
    ]
    material = read(write_json(tmp_path / "p1.json", trials))
    assert (material.kind, material.format) == ("listeners", "jspsych")
    assert answers_of(material) == [("k1", "a", True), ("k2", "a", False)]
    assert [r.identification_ms for r in material.responses] == [1432, 1000]
    shuffled = write_json(tmp_path / "p2.json", [{**t, "order": [2, 0, 1]} for t in trials])
    assert "displays were shuffled" in refused(shuffled)
    unknown = write_json(tmp_path / "p3.json", [{k: v for k, v in t.items() if k != "target"} for t in trials])
    assert "no field has the correct answer" in refused(unknown)


def test_mturk(tmp_path: Path) -> None:
    def row(worker: str, item: str, choice: str, status: str = "Approved") -> Row:
        ids = {"HITId": f"3{item}", "AssignmentId": f"3B{worker}{item}", "WorkerId": worker, "AssignmentStatus": status}
        shown = {"Input.item": item, "Input.system": "m1", "Input.target": "x"}
        return {**ids, "WorkTimeInSeconds": 41, **shown, "Answer.choice": choice, "Approve": "", "Reject": ""}

    rows = [row("A1", "k1", "x"), row("A2", "k1", "y"), row("A1", "k2", ""), row("A3", "k2", "x", "Rejected")]
    path = write_csv(tmp_path / "Batch_1_batch_results.csv", rows)
    material = read(path)
    # A blank is no answer and never wrong.
    assert answers_of(material) == [("k1", "m1", True), ("k1", "m1", False)]
    assert not any("A1" in r.hearer for r in material.responses)
    assert {"Rejected assignments, left out: 1.", "Rows without an answer, left out: 1."} <= set(material.notes)
    two = write_csv(
        tmp_path / "two.csv", [{**r, "Answer.choice": None, "Answer.q1": "x", "Answer.q2": "y"} for r in rows]
    )
    assert "several columns have answers" in refused(two)


def test_gorilla(tmp_path: Path) -> None:
    common = {"Task Name": "Pick", "Screen Name": "choice", "target": "cup2.png", "system": "a"}

    def row(i: int, zone: str, item: str, response: str, correct: Any) -> Row:
        return {
            "Event Index": i,
            "Participant Private ID": 7001,
            "Zone Type": zone,
            "Response": response,
            "Correct": correct,
            "item": item,
            **common,
        }

    rows = [
        row(1, "response_button_image", "k1", "cup2.png", 1),
        row(2, "continue_button", "k1", "", ""),
        row(3, "response_button_image", "k2", "cup1.png", 0),
    ]
    material = read(write_csv(tmp_path / "data_exp_1-v1_task-x.csv", [*rows, {"Event Index": "END OF FILE"}], ";"))
    assert answers_of(material) == [("k1", "a", True), ("k2", "a", False)]


def test_empirica_needs_both_tables(tmp_path: Path) -> None:
    players = [{"_id": "r1", "playerId": "p1", "roundId": "q1", "gameId": "g", "data.clicked": "C"}]
    rounds = [{"_id": "q1", "gameId": "g", "index": 0, "data.target": "C", "data.item": "i1", "data.system": "a"}]
    one = write_csv(tmp_path / "export/player-rounds.csv", players)
    write_csv(tmp_path / "export/rounds.csv", rounds)
    assert "belong together" in refused(one)
    assert answers_of(read(tmp_path / "export")) == [("i1", "a", True)]
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for name in ("player-rounds.csv", "rounds.csv"):
            archive.write(tmp_path / "export" / name, f"Empirica Data/{name}")
    assert answers_of(read(tmp_path / "export.zip")) == [("i1", "a", True)]


def test_a_table_may_have_a_column_of_boxes_for_each_system(tmp_path: Path) -> None:
    rows = [{"i": n, "gt": [n, 0, 10, 10], "answers": {"x": [n, 0, n + 10, 10], "y": [0, 0, 5, 5]}} for n in range(4)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(InputError, match="--systems answers/x,answers/y"):
        read(tmp_path / "a.jsonl", columns={"gold": "xywh"})
    declared = {"convention": "pixels xyxy", "systems": ("answers/x", "answers/y")}
    material = read(tmp_path / "a.jsonl", columns={"gold": "xywh"}, **declared)
    assert len(material.trials) == 4
    assert {(o.trial, o.system) for o in material.outputs} == {(str(n), f"answers/{s}") for n in "1234" for s in "xy"}


def test_choices_of_lm_eval_have_their_options_in_the_document(tmp_path: Path) -> None:
    doc = {"question": "Which is red?", "choices": ["chair", "sofa", "desk"]}
    rows = [
        {"doc_id": n, "doc": doc, "target": "B", "filter": "none", "filtered_resps": [words], "doc_hash": "x"}
        for n, words in enumerate(("B", "(A)", "The answer is B."))
    ]
    material = read(write_lines(tmp_path / "m" / "samples_t.jsonl", rows))
    assert [r.entity for r in material.responses] == ["2", "1", "2"]


def test_files_of_one_participant_each_are_answers_about_one_system(tmp_path: Path) -> None:
    """Laboratories write a file for each participant; files with several people's answers are systems."""
    for n in range(3):
        rows = [f"p{n},i{item},a,{'a' if item else 'b'}" for item in range(2)]
        (tmp_path / f"sub-{n}.csv").write_text("\n".join(["participant,item,target,chosen", *rows]))
    material = read(tmp_path)
    assert {r.system for r in material.responses} == {tmp_path.name}
    assert len({r.hearer for r in material.responses}) == 3
    assert {r.system for r in read(tmp_path / "sub-0.csv", tmp_path / "sub-1.csv").responses} == {tmp_path.name}
    # Two people answered about every system: the files are systems.
    for n in range(3):
        with (tmp_path / f"sub-{n}.csv").open("a") as file:
            file.write("\np9,i0,a,a\np9,i1,a,a\n")
    assert {r.system for r in read(tmp_path).responses} == {"sub-0", "sub-1", "sub-2"}


def test_a_message_about_a_file_in_an_archive_names_the_archive(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("id,model,output\n1,a,the cup\n1,a,the mug\n")
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.write(table, "run/t.csv")
    with pytest.raises(InputError) as refusal:
        read(tmp_path / "export.zip")
    assert refusal.value.where == str(tmp_path / "export.zip" / "run" / "t.csv")
    assert "referee-" not in str(refusal.value)


def test_texts_about_different_entities_are_no_references_of_one_item(tmp_path: Path) -> None:
    """As in WebNLG: the whole sentence, and beside it every referring expression in it with its entity."""
    spans = [{"entity": "Aarhus", "text": "Aarhus"}, {"entity": "Jacob", "text": "he"}]
    row = {"id": "i1", "text": "The leader of Aarhus is Jacob.", "references": spans}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    with pytest.raises(InputError, match="Aarhus, Jacob"):
        read(tmp_path / "a.jsonl")


def test_magpie(tmp_path: Path) -> None:
    common = {"experiment_start_time": 1, "experiment_duration": 240112, "prolific_pid": "NA", "responseTime": 2210}
    rows = [
        {
            "submission_id": 31,
            **common,
            "response": "left",
            "trial_nr": 1,
            "item": "k1",
            "target": "left",
            "model": "a",
        },
        {"submission_id": 31, **common, "response": "NA", "trial_nr": 2, "item": "k2", "target": "left", "model": "a"},
    ]
    assert answers_of(read(write_csv(tmp_path / "results_1_x_y.csv", rows))) == [("k1", "a", True)]
    bare = [{k: v for k, v in row.items() if k != "target"} for row in rows]
    assert "no column marks correct answers" in refused(write_csv(tmp_path / "bare.csv", bare))


BOX_ROWS = [{"id": i, "model": "m", "expression": "the cup", "gt_bbox": [10, 20, 50, 60]} for i in range(3)]


def test_tables_of_boxes_say_their_order_or_are_refused(tmp_path: Path) -> None:
    lists = write_lines(
        tmp_path / "a.jsonl", [{**row, "pred_bbox": [10, 20, 50, 60] if row["id"] else []} for row in BOX_ROWS]
    )
    assert "--map gold=xyxy or --map gold=xywh" in refused(lists)
    assert '--convention "pixels xyxy" or --convention "pixels xywh"' in refused(lists, columns={"gold": "xyxy"})
    native = read(lists, columns={"gold": "xyxy"}, convention="pixels xyxy")
    assert native.kind == "places"
    assert [o.response.outcome for o in native.outputs if o.response] == [
        Outcome.UNPARSABLE,
        Outcome.BOX,
        Outcome.BOX,
    ]
    corners = {
        f"{who}_{c}": n
        for who in ("pred", "gt")
        for c, n in zip(("x1", "y1", "x2", "y2"), (0.1, 0.2, 0.5, 0.6), strict=True)
    }
    native = read(write_csv(tmp_path / "b.csv", [{"id": i, "model": "m", **corners} for i in range(3)]))
    assert (native.mapping["convention"], native.mapping["gold"]) == ("0-1 xyxy", "0-1 xyxy")
    # A box that ends before it begins is no xyxy; pixels cannot be compared with shares where no size is known.
    points = [{"id": i, "pred_point": [400, 30], "gt_box": [300, 20, 200, 60]} for i in range(3)]
    native = read(write_json(tmp_path / "c.json", points), convention="pixels xy")
    assert native.mapping["gold"] == "pixels xywh"
    assert "without the pictures' sizes" in refused(tmp_path / "c.json", convention="0-1000 xy")


def test_jspsych_with_a_list_for_each_participant(tmp_path: Path) -> None:
    trial = {
        "trial_type": "html-button-response",
        "time_elapsed": 9,
        "rt": 1.5,
        "item": "k",
        "target": 1,
        "response": 1,
    }
    lists = [
        [{"trial_type": "instructions", "trial_index": 0, "time_elapsed": 1}, {**trial, "trial_index": 1}]
        for _ in range(3)
    ]
    path = tmp_path / "jatos.jsonl"
    path.write_text("".join(json.dumps(part) + "\n" for part in lists), "utf-8")
    native = read(path)
    assert len({r.hearer for r in native.responses}) == 3
    assert {r.identification_ms for r in native.responses} == {1.5}
    assert "Rows without an item or a target (instructions, surveys), left out: 3." in native.notes


def right(name: str) -> list[tuple[str, str | None, bool]]:
    native = read(Path(__file__).parents[1] / "fixtures" / "natives" / name)
    assert native.is_tried
    return [(r.trial, r.system, r.entity in native.trials[r.trial].targets) for r in native.responses]


def test_files_that_the_programs_wrote() -> None:
    # jsPsych 8.3.0 in jsdom (html-button-response; the last trial of the first file timed out), oTree 6.0.15 with its bots, marked as people.
    assert right("jspsych-8.3.0.json") == [("k0", "A", True), ("k1", "B", True), ("k2", "A", False)]
    assert right("jspsych-8.3.0.csv") == [("k0", "B", True), ("k1", "A", False), ("k2", "B", True), ("k3", "A", True)]
    answers = [
        ("i1", "A", True),
        ("i2", "B", False),
        ("i3", "A", False),
        ("i1", "B", True),
        ("i2", "A", True),
        ("i3", "B", True),
    ]
    assert right("otree-6.0.15-all_apps_wide.csv") == answers
    assert sorted(right("otree-6.0.15-pick.csv")) == sorted(answers)


def test_files_with_the_fields_of_public_ones() -> None:
    """The rows are written anew; the fields are those of the files named here."""
    # Gorilla: emljames/GorillaR, docs/story_materials/data_exp_4424-v9_task-z5kw.csv (its 780 answers: 527 right). One trial timed out.
    assert [(i, ok) for i, _, ok in right("gorilla-task.csv")] == [
        *(("barn.PNG", True), ("kite.PNG", False), ("boot.PNG", True)),
        *(("barn.PNG", True), ("kite.PNG", True)),
    ]
    # Empirica 1: vboyce/multiparty-tangrams, data/study2a (6,060 answers, 92.0 % right). Without the speaker's rows and one without a choice.
    first, second = "rR2tT4vV6xX8zZ3bB", "sS3uU5wW7yY9aA4cC"
    assert [(i, ok) for i, _, ok in right("empirica-1")] == [(first, True), (first, False), (second, True)]
    # magpie: CogSciPrag/LLM-distPred-refGames, 02-data/refgame/with_quotes/mean_scores_forward/data-raw-human.csv, and a target.
    assert [(i, ok) for i, _, ok in right("magpie-results.csv")] == [("i1", True), ("i1", True), ("i2", False)]


def test_wide_qualtrics_with_the_fields_of_a_public_file() -> None:
    # ropensci/qualtRics, tests/testthat/files/sample.csv (German texts in the second row, status as a number).
    path = FIXTURES / "qualtrics-wide.csv"
    assert "--map questions=KEY.csv" in refused(path)
    native = read(path, columns={"questions": str(FIXTURES / "qualtrics-key.csv")})
    # The preview and the empty answer are left out.
    assert answers_of(native) == [("i1", "a", True), ("i2", "a", False), ("i1", "a", False)]
    assert native.is_tried


def test_places_that_the_programs_wrote() -> None:
    # VLMEvalKit e8e78f05 (RefCOCODataset.load_data and dump; its own score of the answers in one unit is the same).
    vlmevalkit = read(FIXTURES / "vlmevalkit-e8e78f05-qwen_vl_RefCOCO.tsv")
    assert (vlmevalkit.systems, vlmevalkit.is_tried, len(vlmevalkit.outputs)) == (
        ["vlmevalkit-e8e78f05-qwen_vl"],
        True,
        3,
    )
    # ScreenSpot-Pro bd8bbbb with a stub model: its log says 2 of 4 correct, one in a wrong format.
    screenspot = read(FIXTURES / "screenspot-pro-bd8bbbb.json")
    assert evaluate_material(screenspot).rows[0]["value"] == 0.5
    # Ref-Adv b6b18262, fields of outputs/qwen/*_predictions.jsonl; by hand .6, 1 and 0.
    ref_adv = evaluate_material(read(FIXTURES / "ref-adv-b6b18262.jsonl"), ("ground/iou",))
    assert ref_adv.rows[0]["value"] == pytest.approx((0.6 + 1 + 0) / 3)


def test_psychopy(tmp_path: Path) -> None:
    common = {"participant": "1", "expName": "reg", "psychopyVersion": "2024.1", "practice_resp.corr": None}
    rows = [
        {"item": "k0", "practice_resp.corr": 1},
        {"item": "k1", "corrAns": "left", "key_resp.keys": "left", "key_resp.corr": 1, "key_resp.rt": 1.5},
        {"item": "k2", "corrAns": "left", "key_resp.keys": "None", "key_resp.corr": 0, "key_resp.rt": None},
        {"item": "k3", "corrAns": "left", "key_resp.keys": "right", "key_resp.corr": 0, "key_resp.rt": 2.5},
    ]
    path = write_csv(tmp_path / "1_reg_2026.csv", [{**common, **row} for row in rows])
    native = read(path)
    assert [(r.trial, r.entity in native.trials[r.trial].targets, r.identification_ms) for r in native.responses] == [
        ("k1", True, 1500),
        ("k3", False, 2500),
    ]
    two = write_csv(tmp_path / "two.csv", [{**common, **row, "mouse.corr": 1} for row in rows])
    assert "--map correct=COLUMN" in refused(two)


def test_results_of_pcibex_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("# Results on Monday\n# Columns below this comment are as follows:\n# 1. Time.\n17,a,b\n", "utf-8")
    assert "PCIbex" in refused(path)


def test_batches_of_model_providers(tmp_path: Path) -> None:
    chat = {"model": "m", "choices": [{"message": {"role": "assistant", "content": "the red cup"}}]}
    message = {"model": "c", "content": [{"type": "text", "text": "the red cup"}]}
    rows = [
        {"custom_id": "k1", "response": {"status_code": 200, "body": chat}, "error": None},
        {"custom_id": "k2", "response": None, "error": {"message": "expired"}},
    ]
    openai = read(write_lines(tmp_path / "batch_1_output.jsonl", rows))
    assert [(o.trial, o.system, o.description.text) for o in openai.outputs] == [("k1", "m", "the red cup")]
    other = write_lines(
        tmp_path / "r.jsonl", [{"custom_id": "k1", "result": {"type": "succeeded", "message": message}}]
    )
    assert [o.system for o in read(other).outputs] == ["c"]


def test_pictures_name_the_items_of_listeners(tmp_path: Path) -> None:
    rows = [
        {"VP": p, "Nr": i, "Bild": f"b{i}", "Auswahl": "x" if i else "y", "Ziel": "xyz"[i]}
        for p in "12"
        for i in (0, 2)
    ]
    native = read(write_csv(tmp_path / "a.csv", [{**row, "Nr": n % 2 + 1} for n, row in enumerate(rows)], ";"))
    assert {r.trial for r in native.responses} == {"1", "2"}
    # A number that counts trials names no item, but the picture does.
    shuffled = [{**row, "Nr": 1 + (n in (0, 3))} for n, row in enumerate(rows)]
    assert {r.trial for r in read(write_csv(tmp_path / "b.csv", shuffled, ";")).responses} == {"b0", "b2"}
    # Not where a picture has two targets.
    assert "seems to number trials" in refused(
        write_csv(tmp_path / "c.csv", [{**row, "Bild": "b"} for row in shuffled], ";")
    )


def test_references_that_are_objects_with_a_text(tmp_path: Path) -> None:
    rows = [{"id": 1, "prediction": {"text": "a cup"}, "references": [{"text": "the cup", "annotator": 1}]}]
    (trial,) = read(write_json(tmp_path / "a.json", {"meta": {}, "results": rows})).trials.values()
    assert [r.text for r in trial.references] == ["the cup"]
    wrong = write_json(tmp_path / "b.json", [{**rows[0], "references": [{"box": "1 2"}]}])
    assert "no field of an object" in refused(wrong)


def test_a_table_without_a_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("k1\tthe red cup there\tthe cup on the left\nk2\ta dog by the door\tthe dog on the left\n", "utf-8")
    assert "no header" in refused(path)


@pytest.mark.parametrize("columns", [("Human Reference 1", "Human Reference 2"), ("gt_caption_1", "gt_caption_2")])
def test_numbered_references_under_other_names(tmp_path: Path, columns: tuple[str, str]) -> None:
    path = write_csv(
        tmp_path / "a.csv", [{"id": 1, "output": "a cup", **dict(zip(columns, ("x y", "z w"), strict=True))}]
    )
    (trial,) = read(path).trials.values()
    assert [r.text for r in trial.references] == ["x y", "z w"]


def test_conditions_that_items_are_crossed_with_are_systems(tmp_path: Path) -> None:
    rows = [
        {"Subject": p, "Item": i, "Condition": "AB"[(p + i) % 2], "Accuracy": p % 2} for p in range(4) for i in range(3)
    ]
    timed = read(write_csv(tmp_path / "a.csv", [{**row, "RT": "1,5"} for row in rows], ";"))
    assert timed.mapping["system"] == "Condition"
    # Nobody answers within two milliseconds.
    assert {r.identification_ms for r in timed.responses} == {1500.0}
    nested = [{**row, "Condition": "AB"[int(row["Item"]) % 2]} for row in rows]
    assert "system" not in read(write_csv(tmp_path / "b.csv", nested, ";")).mapping


def test_otree_becomes_long_by_round(tmp_path: Path) -> None:
    def row(code: str, choices: Sequence[str], is_bot: int = 0) -> Row:
        rounds = {
            f"pick.{n}.player.{name}": value
            for n, choice in enumerate(choices, 1)
            for name, value in (
                ("id_in_group", 1),
                ("choice", choice),
                ("target", "pear2"),
                ("item", f"k{n}"),
                ("system", "a"),
            )
        }
        return {"participant.code": code, "participant._is_bot": is_bot, "session.code": "s9", **rounds}

    rows = [row("ab12", ["pear2", ""]), row("cd34", ["pear1", "pear2"]), row("bot", ["pear2", "pear2"], 1)]
    material = read(write_csv(tmp_path / "all_apps_wide-2026.csv", rows))
    assert answers_of(material) == [("k1", "a", True), ("k1", "a", False), ("k2", "a", True)]


def test_qualtrics_needs_items(tmp_path: Path) -> None:
    text = (
        'StartDate,ResponseId,Finished,Q7\nStart Date,Response ID,Finished,"Which one is ""the pear""?"\n'
        '"{""ImportId"":""startDate""}","{""ImportId"":""_recordId""}","{""ImportId"":""finished""}","{""ImportId"":""QID7""}"\n2026,R_1,True,2\n'
    )
    (tmp_path / "q.csv").write_text(text, "utf-8")
    assert "do not say which item" in refused(tmp_path / "q.csv")


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([{"subject": "s", "trial": 1, "response": "left", "target": "3"}], "name objects differently"),
        ([{"subject": "s", "response": "x", "target": "x"}], "no column names the item"),
        ([{"subject": s, "trial": 1, "response": s, "target": s} for s in "xy"], "seems to number trials, not items"),
        ([{"subject": "s", "item": 1, "correct": 1}, {"subject": "s", "item": 1, "correct": 0}], "twice"),
    ],
)
def test_listeners_that_are_not_clear_are_refused(tmp_path: Path, rows: Sequence[Row], problem: str) -> None:
    assert problem in refused(write_csv(tmp_path / "answers.csv", rows))


# -- workbooks ---------------------------------------------------------------------------------------------------------------


def write_workbook(
    path: Path, rows: Sequence[Sequence[str | float]], **others: Sequence[Sequence[str | float]]
) -> Path:
    """A workbook with the sheet "s" and others by name, as ECMA-376 asks for at least."""

    def cell(value: str | float) -> str:
        return f"<c><v>{value}</v></c>" if isinstance(value, float) else f'<c t="inlineStr"><is><t>{value}</t></is></c>'

    main, office = "http://schemas.openxmlformats.org", "officeDocument/2006/relationships"
    sheets = {"s": rows, **others}
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    entries, relations, overrides, parts = "", "", "", {}
    for number, (name, lines) in enumerate(sheets.items(), 1):
        entries += f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>'
        relations += (
            f'<Relationship Id="r{number}" Type="{main}/{office}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        )
        overrides += f'<Override PartName="/xl/worksheets/sheet{number}.xml" ContentType="{kind}.worksheet+xml"/>'
        data = "".join(f"<row>{''.join(map(cell, line))}</row>" for line in lines)
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{main}/spreadsheetml/2006/main"><sheetData>{data}</sheetData></worksheet>'
        )
    parts |= {
        "[Content_Types].xml": f'<Types xmlns="{main}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{main}/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{main}/{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}/spreadsheetml/2006/main" xmlns:r="{main}/{office}">'
        f"<sheets>{entries}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{main}/package/2006/relationships">{relations}</Relationships>',
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_workbooks(tmp_path: Path) -> None:
    pytest.importorskip("fastexcel")
    rows = [
        ["item", "model", "output", "reference"],
        [1.0, "a", "the red cup", "a red cup"],
        [2.0, "a", "a dog", "the dog"],
    ]
    assert list(read(write_workbook(tmp_path / "title.xlsx", [["Results of spring"], [], *rows])).trials) == ["1", "2"]
    material = read(write_workbook(tmp_path / "table.xlsx", rows))
    # Numbers of a sheet are floats; ids are whole.
    assert list(material.trials) == ["1", "2"]
    assert material.format == "xlsx"


# -- items, references and scenes that must not be joined by position ----------------------------------------------------------


def test_rows_without_ids_are_the_same_items_for_every_system_or_refused(tmp_path: Path) -> None:
    rows = [{"model": m, "output": "the cup", "reference": "a cup"} for m in ("a", "a", "b")]
    assert "--map trial=COLUMN" in refused(write_csv(tmp_path / "uneven.csv", rows))
    material = read(write_csv(tmp_path / "even.csv", rows[1:]))
    assert (len(material.trials), material.mapping["trial"]) == (1, "order of rows")


@pytest.mark.parametrize("column", ["reference", "ref1", "target", "image"])
def test_rows_in_another_order_for_a_system_are_not_paired_by_position(tmp_path: Path, column: str) -> None:
    cells = {"a": ("one cup", "two cups", "one cup"), "b": ("two cups", "one cup", "one cup")}
    rows = [
        {"Bild_Nr": cell, "model": m, "output": "the cup", column: cell} for m, order in cells.items() for cell in order
    ]
    path = write_csv(tmp_path / "mixed.csv", rows)
    message = refused(path)
    assert "mixed.csv:5" in message
    assert "--map trial=COLUMN" in message
    for row in rows:
        row["Bild_Nr"] = {"one cup": "1", "two cups": "2"}[row["Bild_Nr"]]
    rows = [rows[i] for i in (0, 1, 3, 4)]
    material = read(write_csv(tmp_path / "mixed.csv", rows), columns={"trial": "Bild_Nr"})
    assert set(material.trials) == {"1", "2"}


def test_several_columns_of_references_are_declared_by_repeating_the_role(tmp_path: Path) -> None:
    rows = [{"item": 1, "output": "a cup", "Anna, links": "the cup", "B": "one cup", "C": "a mug"}]
    path = write_csv(tmp_path / "x.csv", rows)

    def references(columns: Mapping[str, str]) -> list[str | None]:
        return [r.text for r in read(path, columns=columns).trials["1"].references]

    assert references(parse_map("references=B,references=C")) == ["one cup", "a mug"]
    assert references(parse_map("reference=B,references=C")) == ["a mug", "one cup"]
    assert references({"references": "Anna, links"}) == ["the cup"]
    assert "'D'" in refused(path, columns=parse_map("references=B,references=D"))
    with pytest.raises(InputError, match="'text' has two columns: 'B' and 'C'"):
        parse_map("text=B,text=C")


def test_targets_that_are_lists_of_texts_are_references(tmp_path: Path) -> None:
    row = {"id": "7", "output": "the cup", "targets": json.dumps(["the red cup", "a cup there"])}
    material = read(write_csv(tmp_path / "listed.csv", [row]))
    assert [r.text for r in material.trials["7"].references] == ["the red cup", "a cup there"]


@pytest.mark.parametrize(
    ("columns", "mapping"),
    [
        (("Nr", "Modell", "Ausgabe", "Referenz"), ("Nr", "Modell", "Ausgabe", "Referenz")),
        (("stim", "sys", "generated RE", "gold RE"), ("stim", "sys", "generated RE", "gold RE")),
        (("項目", "モデル", "出力", "参照"), ("項目", "モデル", "出力", "参照")),
        (("번호", "모델", "출력", "참조"), ("번호", "모델", "출력", "참조")),
    ],
)
def test_columns_in_other_languages(tmp_path: Path, columns: tuple[str, ...], mapping: tuple[str, ...]) -> None:
    rows = [dict(zip(columns, (i, m, "the cup", "a cup"), strict=True)) for i in (1, 2) for m in "xy"]
    read_mapping = read(write_csv(tmp_path / "named.csv", rows, ";")).mapping
    assert tuple(read_mapping[role] for role in ("trial", "system", "text", "references")) == mapping


def test_captions_of_coco_are_joined_by_the_picture(tmp_path: Path) -> None:
    outputs = write_json(tmp_path / "captions.json", [{"image_id": i, "caption": f"thing {i}"} for i in (1, 2)])
    gold = {
        "images": [{"id": 1}, {"id": 2}],
        "annotations": [
            {"id": 2, "image_id": 1, "caption": "one"},
            {"id": 1, "image_id": 2, "caption": "two"},
        ],
    }
    material = read_material([outputs], [write_json(tmp_path / "gold.json", gold)])
    assert {name: t.references[0].text for name, t in material.trials.items()} == {"1": "one", "2": "two"}


def refcoco_folder(folder: Path) -> Path:
    """Two objects of one picture with two and one expressions, in the files of lichengunc/refer (protocol 2)."""
    folder.mkdir()
    sentences = {7: [(20, "man left"), (21, "left guy")], 8: [(22, "dog")]}
    refs = [
        {
            "ref_id": ref,
            "ann_id": ref + 80,
            "category_id": 1,
            "image_id": 4,
            "split": "val",
            "sentences": [{"raw": s, "sent": s, "sent_id": n, "tokens": s.split()} for n, s in sentences[ref]],
        }
        for ref in sentences
    ]
    (folder / "refs(unc).p").write_bytes(pickle.dumps(refs, protocol=2))
    annotations = [{"id": n, "image_id": 4, "category_id": 1, "bbox": [n, 2, 3, 4]} for n in (87, 88)]
    images = [{"id": 4, "file_name": "COCO_train2014_000000000004.jpg", "width": 640, "height": 480}]
    categories = [{"id": 1, "name": "person"}]
    write_json(folder / "instances.json", {"images": images, "annotations": annotations, "categories": categories})
    return folder


@pytest.mark.parametrize(
    ("column", "name", "references"),
    [("ref_id", 7, ["man left", "left guy"]), ("ann_id", 88, ["dog"]), ("sent_id", 21, ["left guy"])],
)
def test_items_of_refcoco_are_joined_by_the_id_that_the_column_names(
    tmp_path: Path, column: str, name: int, references: list[str]
) -> None:
    folder = refcoco_folder(tmp_path / "gold")
    outputs = write_lines(tmp_path / "out.jsonl", [{column: name, "caption": "a man"}])
    material = open_material(str(outputs), scenes=str(folder))
    assert [r.text for r in material.trials[str(name)].references] == references


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"image_id": 4, "caption": "a man"}, "names a scene with 3 trials"),
        ({"caption": "a man"}, "no column names the item"),
        ({"ref_id": 1, "caption": "a man"}, "has no scene"),
    ],
)
def test_items_of_refcoco_that_are_not_certain_are_refused(tmp_path: Path, row: Row, problem: str) -> None:
    outputs = write_lines(tmp_path / "out.jsonl", [row])
    with pytest.raises(InputError, match=problem):
        open_material(str(outputs), scenes=str(refcoco_folder(tmp_path / "gold")))


def test_parquet_of_lmms_lab_gives_scenes_and_references(tmp_path: Path) -> None:
    row = {"question_id": "91", "question": "Describe.", "answer": ["man left", "left guy"], "segmentation": [1.0]}
    frame = pl.DataFrame([{**row, "bbox": [12.0, 30.5, 80.0, 200.0], "iscrowd": 0, "file_name": "x_1.jpg"}])
    frame.write_parquet(tmp_path / "val-00000-of-00001.parquet")
    outputs = write_lines(tmp_path / "out.jsonl", [{"question_id": "91", "output": "left guy"}])
    material = open_material(str(outputs), scenes=str(tmp_path / "val-00000-of-00001.parquet"))
    assert [r.text for r in material.trials["91"].references] == ["man left", "left guy"]


def test_places_in_the_words_of_a_model_beside_gold_boxes(tmp_path: Path) -> None:
    gold, size = [10.0, 20.0, 110.0, 220.0], {"width": 640, "height": 480}
    rows = [
        {"id": i, "expression": "the cup", "gt_box_xyxy": gold, "response": text, **size}
        for i, text in enumerate(("It is at [10, 20, 110, 220].", "[300, 20, 400, 90]", "I see no cup."))
    ]
    path = write_lines(tmp_path / "grounding.jsonl", rows)
    assert "--convention" in refused(path)
    material = read(path, convention="pixels xyxy")
    assert material.kind == "places"
    assert [len(o.response.places) for o in material.outputs if o.response] == [1, 1, 0]
    described = [{**row, "response": "a red cup", "reference": "the cup"} for row in rows]
    assert read(write_lines(tmp_path / "described.jsonl", described), columns={"text": "response"}).kind == "table"


# -- forms of Mechanical Turk and Qualtrics with several columns for one answer ------------------------------------------------


def mturk_row(worker: str, **cells: str) -> dict[str, str]:
    return {"HITId": f"H{worker}", "AssignmentId": f"A{worker}", "WorkerId": worker, "AssignmentStatus": "Approved"} | {
        name.replace("__", "."): cell for name, cell in cells.items()
    }


SHOWN = {"Input__item": "k1", "Input__target": "pear"}


@pytest.mark.parametrize(
    "answers",
    [
        [
            {"Answer__c__pear": "true", "Answer__c__fig": "false"},
            {"Answer__c__pear": "false", "Answer__c__fig": "true"},
        ],
        [{"Answer__taskAnswers": json.dumps([{"c": {"pear": p, "fig": not p}}])} for p in (True, False)],
        [{"Answer__taskAnswers": json.dumps([{"c": {"label": name}}])} for name in ("pear", "fig")],
        [{"Answer__taskAnswers": json.dumps([{"c": name}])} for name in ("pear", "fig")],
    ],
)
def test_forms_of_mechanical_turk_are_read_as_one_choice(tmp_path: Path, answers: list[dict[str, str]]) -> None:
    empty = {"Answer__taskAnswers": "[{}]"} if "Answer__taskAnswers" in answers[0] else dict.fromkeys(answers[0], "")
    rows = [mturk_row(f"W{i}", **SHOWN, **cells) for i, cells in enumerate([*answers, empty])]
    material = read(write_csv(tmp_path / "Batch_1_batch_results.csv", rows))
    assert [r.entity for r in material.responses] == ["pear", "fig"]
    assert "Rows without an answer, left out: 1." in material.notes


def test_two_ticked_options_are_no_choice(tmp_path: Path) -> None:
    row = mturk_row("W1", **SHOWN, Answer__c__pear="true", Answer__c__fig="true")
    assert "several options" in refused(write_csv(tmp_path / "Batch_1_batch_results.csv", [row, {**row}]))


def test_several_items_of_one_hit_are_rows(tmp_path: Path) -> None:
    shown = {"Input__item1": "k1", "Input__item2": "k2", "Input__target1": "pear", "Input__target2": "fig"}
    row = mturk_row("W1", **shown, Answer__q1="pear", Answer__q2="pear")
    material = read(write_csv(tmp_path / "Batch_1_batch_results.csv", [row]))
    assert [(r.trial, r.entity) for r in material.responses] == [("k1", "pear"), ("k2", "pear")]
    assert {t.id: t.targets for t in material.trials.values()} == {"k1": ("pear",), "k2": ("fig",)}


def qualtrics_file(path: Path, columns: Sequence[str], cells: Sequence[str]) -> Path:
    """A file with Qualtrics' three rows of headers, one response, and a preview."""
    fixed = {"StartDate": "2026-01-01", "Status": "IP Address", "ResponseId": "R_1"}
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*fixed, *columns])
        writer.writerow([*fixed, *(f"Which one?\nItem {c}" for c in columns)])
        names = ["startDate", "status", "_recordId", *(f"QID{i}" for i in range(len(columns)))]
        writer.writerow([json.dumps({"ImportId": name}) for name in names])
        writer.writerow([*fixed.values(), *cells])
        writer.writerow([*{**fixed, "Status": "Survey Preview", "ResponseId": "R_2"}.values(), *cells])
    return path


@pytest.mark.parametrize("question", ["{name}", "QID{number}"])
def test_a_wide_export_of_qualtrics_is_read_with_a_key_of_its_questions(tmp_path: Path, question: str) -> None:
    path = qualtrics_file(tmp_path / "wide.csv", ["Q7", "Q9", "Q11"], ["pear", "", "fig"])
    assert "--map questions=" in refused(path)
    about = [("Q7", "k1", "pear"), ("Q9", "k2", "pear"), ("Q11", "k3", "pear")]
    key = write_csv(
        tmp_path / "key.csv",
        [
            {"question": question.format(name=name, number=i), "item": item, "system": "m", "target": target}
            for i, (name, item, target) in enumerate(about)
        ],
    )
    material = read(path, columns={"questions": str(key)})
    assert [(r.system, r.trial, r.entity) for r in material.responses] == [("m", "k1", "pear"), ("m", "k3", "fig")]
    other = write_csv(tmp_path / "other.csv", [{"question": "Q99", "item": "k1", "target": "pear"}])
    assert "no column 'Q99'" in refused(path, columns={"questions": str(other)})


@pytest.mark.parametrize("form", ["{number}_{field}", "{field}_{number}"])
def test_loops_of_qualtrics_that_say_what_they_are_about_are_rows(tmp_path: Path, form: str) -> None:
    columns = [form.format(number=n, field=f) for n in (1, 2) for f in ("target", "choice")]
    material = read(qualtrics_file(tmp_path / "loop.csv", columns, ["pear", "pear", "fig", "pear"]))
    assert [(r.trial, r.entity) for r in material.responses] == [("1", "pear"), ("2", "pear")]


# -- files that evalscope 1.14.1 and the writer of lmms-eval 0.7.3 wrote (mock models, items of our own) ------------------------


def placed(tmp_path: Path, name: str, *parts: str) -> Path:
    path = tmp_path.joinpath(*parts)
    path.parent.mkdir(parents=True)
    path.write_bytes((FIXTURES / name).read_bytes())
    return path


def ious(material: NativeData) -> list[float]:
    batch = Batch(
        [None] * len(material.outputs),
        [material.trials[o.trial] for o in material.outputs],
        [()] * len(material.outputs),
        answers=[o.response for o in material.outputs],
    )
    return [float(value) for value in np.nan_to_num(Iou().statistics(batch)[:, 0])]


def test_reviews_that_evalscope_wrote(tmp_path: Path) -> None:
    boxes = read(placed(tmp_path, "evalscope-1.14.1-refcoco-rec.jsonl", "run", "reviews", "mock-one", "refcoco.jsonl"))
    assert (boxes.kind, boxes.format, boxes.systems, boxes.is_tried) == ("places", "evalscope", ["mock-one"], True)
    # Those of evalscope, in the rows under IoU.
    assert ious(boxes) == pytest.approx([0.9995467974735374, 0.0, 0.0, 0.9995467974735374])
    texts = read(placed(tmp_path, "evalscope-1.14.1-refcoco-bbox.jsonl", "b", "reviews", "mock-one", "refcoco.jsonl"))
    assert [t.references[-1].text for t in texts.trials.values()] == [
        "the man number 0",
        "guy in shirt 1",
        "guy in shirt 2",
    ]


def test_samples_that_lmms_evals_tracker_wrote(tmp_path: Path) -> None:
    name = "20261118_120000_samples_refcoco_bbox_rec_val.jsonl"
    material = read(placed(tmp_path, "lmms-eval-0.7.3-refcoco-rec.jsonl", "org__mock", name))
    assert (material.kind, material.systems) == ("places", ["org/mock"])
    # By hand: equal boxes, boxes apart, no box, equal boxes, .12 of .16, .12 of .18.
    assert ious(material) == pytest.approx([1, 0, 0, 1, 0.12 / 0.16, 0.12 / 0.18])
    placed(tmp_path, "lmms-eval-0.7.3-refcoco-rec.jsonl", "both", "m", "20261118_samples_a.jsonl")
    (tmp_path / "both" / "m" / "20261118_samples_b.jsonl").write_bytes(
        (FIXTURES / "lmms-eval-0.7.3-refcoco-rec.jsonl").read_bytes()
    )
    assert "several tasks or runs" in refused(tmp_path / "both")


def test_files_about_other_items_are_not_joined_by_position(tmp_path: Path) -> None:
    row = {"answer": "[[10, 20, 300, 400]]", "hw": [480, 640]}
    first = write_json(tmp_path / "val.json", [{**row, "gt_bbox": [1, 2, 3, 4]}])
    other = write_json(tmp_path / "testA.json", [{**row, "gt_bbox": [1, 2, 30, 40]}])
    assert "another gold region" in refused(first, other, convention="0-1000 xyxy")
    texts = [
        write_csv(tmp_path / f"{reference}.csv", [{"id": 1, "output": "the cup", "reference": reference}])
        for reference in ("a cup", "a dog")
    ]
    assert "other references" in refused(*texts)


def test_logs_whose_answers_cannot_be_read_are_refused(tmp_path: Path) -> None:
    sample = {"doc_id": 0, "doc": {"q": 1}, "target": "[1, 2, 3, 4]", "filter": "none", "doc_hash": "h"}
    path = write_lines(tmp_path / "m" / "samples_x.jsonl", [{**sample, "filtered_resps": ["[1, 2, 3, 4]"]}])
    assert "1 unparsable" in refused(path)


def inspect_log(path: Path, **sample: Any) -> Path:
    message = {"role": "assistant", "content": "[100, 100, 200, 200]"}
    samples = [{"id": 0, "epoch": 1, "input": "Where?", "target": "box", "output": {"choices": [{"message": message}]}}]
    scorers = [{"name": "grounding", "options": {"convention": "0-1000 xyxy"}}]
    head = {"version": 2, "status": "success", "eval": {"model": "m", "scorers": scorers}, "plan": {}}
    failed = {"id": 1, "epoch": 1, "input": "Where?", "target": "box", "output": {"choices": []}, **sample}
    return write_json(path, {**head, "samples": [{**samples[0], **sample}, failed]})


def test_logs_of_our_scorer_of_places_declare_their_conventions(tmp_path: Path) -> None:
    metadata = {"bbox": [64, 48, 128, 96], "image_size": [640, 480]}
    material = read(inspect_log(tmp_path / "log.json", metadata=metadata))
    assert (material.kind, material.mapping["convention"]) == ("places", "0-1000 xyxy")
    assert ious(material) == [1.0]
    assert material.counts["m"]["missing"] == 1


def test_files_of_one_name_are_called_after_their_folders(tmp_path: Path) -> None:
    for model in ("alpha", "beta"):
        for part in ("val", "test"):
            write_json(tmp_path / model / f"{part}.json", [{"id": part, "caption": f"the {model} cup", "gt": "a cup"}])
    assert hypotheses(read(tmp_path)) == {
        model: dict.fromkeys(("test", "val"), f"the {model} cup") for model in ("alpha", "beta")
    }


def test_multiple_choice_of_vlmevalkit_is_a_choice(tmp_path: Path) -> None:
    row = {"question": "Which one is the pear?", "A": "left", "B": "right", "category": "c"}
    rows = [{"index": i, **row, "answer": "B", "prediction": p} for i, p in enumerate(("B", "A. left", "(B) right"))]
    material = read(write_csv(tmp_path / "m_MMBench.tsv", rows, "\t"))
    assert [r.entity for r in material.responses] == ["2", "1", "2"]
    assert material.trials["0"].targets == ("2",)


def test_logs_of_lmms_eval_with_documents_keep_their_boxes(tmp_path: Path) -> None:
    metric = {"answer": "a cup", "pred": [0.1, 0.2, 0.3, 0.4], "ann_id": 1, "bbox": [0.1, 0.2, 0.3, 0.4]}
    sample = {"doc_id": 0, "doc": {"id": 1}, "target": "x", "filtered_resps": ["[0.1, 0.2, 0.3, 0.4]"]}
    path = write_lines(tmp_path / "m" / "x_samples_y.jsonl", [{**sample, "refcoco_IoU": metric}])
    assert (read(path).format, ious(read(path))) == ("lmms-eval", [1.0])


def test_text_files_of_jatos_and_surveys_of_jspsych(tmp_path: Path) -> None:
    trial = {"trial_type": "survey-multi-choice", "time_elapsed": 9, "rt": 900, "target": "pear"}
    lists = [
        [{**trial, "trial_index": i, "item": f"k{i}", "response": {"Q0": name}} for i, name in enumerate(names)]
        for names in (("pear", "fig"), ("pear", "pear"))
    ]
    path = tmp_path / "jatos_results.txt"
    path.write_text("".join(json.dumps(part) + "\n" for part in lists), "utf-8")
    material = read(path)
    assert [r.entity for r in material.responses] == ["pear", "fig", "pear", "pear"]
    assert len({r.hearer for r in material.responses}) == 2


def test_several_answers_without_a_participant_are_refused(tmp_path: Path) -> None:
    rows = [{"item": 1, "system": "a", "correct": c} for c in (0, 1)]
    assert "--map participant=COLUMN" in refused(write_csv(tmp_path / "answers.csv", rows))


@pytest.mark.parametrize("cells", [("1,0", "0,0"), ("1.0", "0.0"), ("TRUE", "FALSE")])
def test_right_and_wrong_as_numbers_with_decimals(tmp_path: Path, cells: tuple[str, str]) -> None:
    rows = [{"subject": "p", "item": f"k{i}", "system": "m", "correct": cell} for i, cell in enumerate(cells)]
    assert [right for _, _, right in answers_of(read(write_csv(tmp_path / "a.csv", rows, ";")))] == [True, False]


def test_targets_of_listeners_may_be_lists(tmp_path: Path) -> None:
    rows = [
        {"worker": "p", "item": i, "model": "m", "selected": c, "targets": ["cup", "mug"]}
        for i, c in enumerate(("mug", "dog"))
    ]
    assert [right for _, _, right in answers_of(read(write_lines(tmp_path / "a.jsonl", rows)))] == [True, False]


def test_a_reference_column_without_a_number_counts_beside_numbered_ones(tmp_path: Path) -> None:
    rows = [{"item": 1, "text": "a cup", "reference": "the red cup", "reference2": "cup"}]
    references = read(write_csv(tmp_path / "a.csv", rows)).trials["1"].references
    assert [r.text for r in references] == ["the red cup", "cup"]


@pytest.mark.parametrize("name", ["gpt-4.1", "Qwen2.5-VL-7B"])
def test_dots_belong_to_the_name_of_a_model(tmp_path: Path, name: str) -> None:
    rows = [{"item": 1, "text": "a cup", "reference": "the cup"}]
    assert read(write_csv(tmp_path / f"{name}.csv", rows)).systems == [name]


def test_archives_in_archives_and_other_delimiters(tmp_path: Path) -> None:
    table = "sep=|\r\nitem|text|reference\r\n1|a cup, red|the cup\r\n"
    with zipfile.ZipFile(tmp_path / "inner.zip", "w") as archive:
        archive.writestr("m.csv", table)
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as archive:
        archive.write(tmp_path / "inner.zip", "run/inner.zip")
    data = read(tmp_path / "outer.zip")
    assert [(o.system, o.description.text, o.line) for o in data.outputs] == [("m", "a cup, red", 3)]


def test_items_without_a_target_are_measured_as_such(tmp_path: Path) -> None:
    """A point for an item without a target is wrong (`eval_screenspot_pro.py` of ScreenSpot-Pro, negative samples)."""
    row = {"img_path": "x.png", "raw_response": ".."}
    rows = [
        {"id": "a", **row, "gt_type": "negative", "pred": None, "correctness": "correct"},
        {"id": "b", **row, "gt_type": "negative", "pred": [3, 4], "correctness": "wrong"},
        {"id": "c", **row, "gt_type": "positive", "pred": [5, 5], "bbox": [0, 0, 9, 9], "correctness": "correct"},
    ]
    scored = evaluate_material(read(write_json(tmp_path / "log.json", {"details": rows, "metrics": {}}))).rows
    values = {r["metric"]: r["value"] for r in scored}
    assert values == {"ground/point": pytest.approx(2 / 3), "ground/none": 0.5, "ground/none.target": 1.0}


def test_every_system_of_a_table_may_have_its_own_convention(tmp_path: Path) -> None:
    gold = [64, 48, 320, 240]
    boxes = {"pixels": gold, "shares": [100, 100, 500, 500]}
    rows = [
        {"id": i, "model": m, "image_size": [640, 480], "response": str(box), "gt_box_xyxy": gold}
        for m, box in boxes.items()
        for i in range(3)
    ]
    path = write_lines(tmp_path / "b.jsonl", rows)
    data = open_material([path], declared=Declared(convention="pixels=pixels xyxy,shares=0-1000 xyxy"))
    assert ious(data) == pytest.approx([1.0] * 6)


def test_the_same_answers_in_two_exports_of_a_study_are_refused(tmp_path: Path) -> None:
    rows = [{"participant": "p", "item": i, "system": "m", "correct": 1} for i in range(3)]
    long, again = write_csv(tmp_path / "a.csv", rows), write_csv(tmp_path / "b.csv", rows[:1])
    assert "twice" in refused(long, again)


def test_a_silent_trial_that_is_marked_as_wrong_is_no_answer(tmp_path: Path) -> None:
    rows = [
        {"participant": "p", "item": 1, "system": "m", "response": "", "correct": 0},
        {"participant": "p", "item": 2, "system": "m", "response": "cup", "correct": 0},
    ]
    data = read(write_csv(tmp_path / "a.csv", rows))
    assert answers_of(data) == [("2", "m", False)]


def test_samples_that_an_unfinished_log_lacks_are_missing(tmp_path: Path) -> None:
    """`eval.dataset.sample_ids` of inspect_ai 0.3.285 has the samples that a run was to ask."""
    sample = {"id": "t1", "epoch": 1, "target": "the cup", "scores": None}
    sample["output"] = {"model": "m", "choices": [{"message": {"role": "assistant", "content": "the cup"}}]}
    head = {"model": "m", "dataset": {"samples": 2, "sample_ids": ["t1", "t2"]}}
    log = {"version": 2, "status": "cancelled", "eval": head, "plan": {}, "samples": [sample]}
    data = read(write_json(tmp_path / "log.json", log))
    assert set(data.trials) == {"t1", "t2"}
    assert data.counts["m"]["missing"] == 1


def test_boxes_as_objects_with_named_numbers(tmp_path: Path) -> None:
    """Half of the gold box, by hand; the names of the fields state the order."""
    row = {"model": "m", "width": 640, "height": 480, "gt_box": {"x": 64, "y": 48, "width": 128, "height": 96}}
    row["pred_box"] = {"x1": 0.1, "y1": 0.1, "x2": 0.3, "y2": 0.2}
    data = read(write_lines(tmp_path / "a.jsonl", [{"id": i, **row} for i in range(3)]))
    assert ious(data) == pytest.approx([0.5] * 3)


def test_lines_that_end_with_a_carriage_return_and_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_bytes(b"item,text,reference\r1,a cup,the cup\r  \r2,a dog,the dog\r")
    assert [o.description.text for o in read(path).outputs] == ["a cup", "a dog"]


def test_items_without_a_reference_are_counted(tmp_path: Path) -> None:
    rows = [{"item": i, "text": "a cup", "reference": "the cup" if i else ""} for i in range(3)]
    evaluated = evaluate_material(read(write_csv(tmp_path / "a.csv", rows)))
    assert any("1 (the first is '0')" in note for note in evaluated.material.notes)


def test_kanji_alone_is_japanese_beside_kana(tmp_path: Path) -> None:
    rows = [{"item": i, "text": "椅子", "reference": text} for i, text in enumerate(("赤い椅子", "赤色大型椅子"))]
    assert {t.language for t in read(write_csv(tmp_path / "a.csv", rows)).trials.values()} == {"ja"}
    assert {t.language for t in read(write_csv(tmp_path / "b.csv", rows[1:])).trials.values()} == {"zh"}


@pytest.mark.parametrize(
    "cell",
    [
        "('the red cup', 'red cup')",
        "{'red cup', 'the red cup'}",
        "['the red cup' 'red cup']",
        "['the red cup'\n \"red cup\"]",
        "array(['the red cup', 'red cup'], dtype=object)",
        "the red cup // red cup",
        "the red cup<sep>red cup",
    ],
)
def test_lists_of_references_as_python_and_numpy_print_them(tmp_path: Path, cell: str) -> None:
    row = {"item": 1, "model": "a", "text": "a cup", "references": cell}
    (trial,) = read(write_csv(tmp_path / "t.csv", [row])).trials.values()
    assert {r.text for r in trial.references} == {"the red cup", "red cup"}


def test_commas_that_may_separate_references_are_asked_for(tmp_path: Path) -> None:
    row = {"item": 1, "model": "a", "text": "a cup", "references": "the cup, red"}
    path = write_csv(tmp_path / "t.csv", [row])
    with pytest.raises(InputError, match="may separate several references"):
        read(path)
    (trial,) = read(path, columns={"references": "references"}).trials.values()
    assert [r.text for r in trial.references] == ["the cup, red"]


def test_objects_of_texts_by_id(tmp_path: Path) -> None:
    outputs = write_json(tmp_path / "out.json", {"1": "the cup", "2": "a dog"})
    references = write_json(tmp_path / "ref.json", {"1": ["cup", "the cup"], "2": ["the dog"]})
    material = read_material([outputs], [references], declared=Declared())
    assert [len(t.references) for t in material.trials.values()] == [2, 1]


OBJECTS = ("cup", "dog", "pear", "car")


def choose_objects(**fields: Any) -> list[dict[str, Any]]:
    """Twelve answers of three people, nine of them right: everybody takes the dog for the pear."""
    rows = []
    for person in ("p1", "p2", "p3"):
        for number, item in enumerate(("k1", "k2", "k3", "k4")):
            chosen = 2 if number == 1 else number
            values = {name: make(number, chosen) if callable(make) else make for name, make in fields.items()}
            rows.append({"participant": person, "item": item, **values})
    return rows


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"target": lambda t, c: t, "chosen": lambda t, c: c + 1}, "counted from 0"),
        ({"target": lambda t, c: t + 1, "chosen": lambda t, c: c}, "counted from 0"),
        (
            {"target": lambda t, c: OBJECTS[t], "chosen": lambda t, c: OBJECTS[c].upper() if c == 3 else OBJECTS[c]},
            "in capitals",
        ),
        (
            {"target": lambda t, c: OBJECTS[t], "chosen": lambda t, c: f"{OBJECTS[c]}, {OBJECTS[c - 1]}"},
            "several objects",
        ),
        (
            {"target": lambda t, c: OBJECTS[t], "chosen": lambda t, c: OBJECTS[c], "correct": lambda t, c: int(t != c)},
            "contradicts",
        ),
        ({"choice": lambda t, c: c // 2, "correct": lambda t, c: t % 2}, "number of the right answer"),
    ],
)
def test_answers_whose_rightness_is_not_certain_are_refused(
    tmp_path: Path, fields: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        read(write_csv(tmp_path / "t.csv", choose_objects(**fields)))


def test_numbers_of_shuffled_lists_are_refused(tmp_path: Path) -> None:
    rows = choose_objects(target=lambda t, c: t, response=lambda t, c: c)
    for number, row in enumerate(rows):
        row["choices"] = json.dumps(OBJECTS if number % 2 else OBJECTS[::-1])
    rows[4]["choices"] = json.dumps(OBJECTS)
    with pytest.raises(InputError, match="shuffled"):
        read(write_csv(tmp_path / "t.csv", rows))


def test_targets_with_commas_are_lists(tmp_path: Path) -> None:
    fields = {"target": lambda t, c: f"{OBJECTS[t]}, tree", "chosen": lambda t, c: OBJECTS[c]}
    material = read(write_csv(tmp_path / "t.csv", choose_objects(**fields)))
    assert sum(r.entity in material.trials[r.trial].targets for r in material.responses) == 9


@pytest.mark.parametrize(
    ("field", "mark", "other"),
    [
        ("phase", "practice", "main"),
        ("block", "training", "1"),
        ("trial_kind", "attention_check", "test"),
        ("catch", "1", "0"),
        ("stage", "Practice trial 2", "test"),
        ("excluded", "TRUE", "FALSE"),
        ("include", "0", "1"),
    ],
)
def test_practice_and_checks_of_attention_are_left_out(tmp_path: Path, field: str, mark: str, other: str) -> None:
    rows = choose_objects(target=lambda t, c: OBJECTS[t], chosen=lambda t, c: OBJECTS[c])
    rows = [{**row, field: other} for row in rows]
    practice = [{"participant": p, "item": "k9", "target": "cup", "chosen": "cup", field: mark} for p in ("p1", "p2")]
    material = read(write_csv(tmp_path / "t.csv", [*rows, *practice]))
    assert len(material.responses) == 12
    assert "Practice trials, attention checks and excluded rows, left out: 2." in material.notes


def test_conditions_called_training_are_no_practice(tmp_path: Path) -> None:
    rows = choose_objects(target=lambda t, c: OBJECTS[t], chosen=lambda t, c: OBJECTS[c], condition="training")
    assert len(read(write_csv(tmp_path / "t.csv", rows)).responses) == 12


def test_a_running_number_of_rows_is_no_item(tmp_path: Path) -> None:
    rows = choose_objects(target=lambda t, c: OBJECTS[t], chosen=lambda t, c: OBJECTS[c])
    rows = [{**row, "trial": n, "stimulus": f"the {row.pop('item')}"} for n, row in enumerate(rows)]
    assert len(read(write_csv(tmp_path / "t.csv", rows)).trials) == 4


def test_answers_without_a_target_are_counted_as_such(tmp_path: Path) -> None:
    rows = choose_objects(target=lambda t, c: OBJECTS[t] if t else "", chosen=lambda t, c: OBJECTS[c])
    assert "Answers without a target, left out: 3." in read(write_csv(tmp_path / "t.csv", rows)).notes


def test_surveys_with_several_questions_have_a_column_each(tmp_path: Path) -> None:
    trials = [
        {"trial_type": "survey", "trial_index": n, "time_elapsed": n, "item": f"k{n}", "target": OBJECTS[n],
         "subject": "s", "response": {"choice": OBJECTS[n], "sure": "yes"}}
        for n in range(3)
    ]  # fmt: skip
    assert read(write_json(tmp_path / "t.json", trials)).mapping["chosen"] == "response/choice"


def test_otree_has_values_of_groups_and_subsessions(tmp_path: Path) -> None:
    wide = {"participant.code": "a", "participant._is_bot": 0}
    for number, name in enumerate(OBJECTS, 1):
        wide |= {
            f"pick.{number}.player.choice": name,
            f"pick.{number}.group.target": "cup",
            f"pick.{number}.subsession.item": f"k{number}",
        }
    long = [
        {"participant.code": "a", "player.choice": name, "group.target": "cup", "subsession.item": f"k{number}",
         "subsession.round_number": number}
        for number, name in enumerate(OBJECTS, 1)
    ]  # fmt: skip
    for name, rows in (("wide", [wide]), ("app", long)):
        material = read(write_csv(tmp_path / f"{name}.csv", rows))
        assert [r.entity == "cup" for r in material.responses] == [True, False, False, False]


def boxes_of(gold: Sequence[float], answer: Sequence[float], count: int = 40) -> list[dict[str, Any]]:
    return [{"id": n, "gt_box": list(gold), "pred_box_xyxy": list(answer)} for n in range(count)]


def test_a_single_wrong_box_does_not_decide_the_order_of_all_others(tmp_path: Path) -> None:
    rows = boxes_of((100, 100, 300, 300), (100, 100, 1200, 300))
    rows[7]["gt_box"] = [300, 300, 100, 100]
    with pytest.raises(InputError, match="gold boxes"):
        read(write_lines(tmp_path / "t.jsonl", rows))


def test_a_single_large_number_does_not_decide_the_unit_of_all_others(tmp_path: Path) -> None:
    rows = boxes_of((100, 100, 300, 300), (100, 100, 900, 300))
    rows[7]["pred_box_xyxy"] = [100, 100, 1080, 300]
    with pytest.raises(InputError, match="0-1000"):
        read(write_lines(tmp_path / "t.jsonl", rows), columns={"gold": "xyxy"})


def test_one_sheet_of_several_is_chosen(tmp_path: Path) -> None:
    pytest.importorskip("fastexcel")
    outputs = [["item", "text", "reference"], [1.0, "a cup", "the cup"]]
    book = write_workbook(tmp_path / "t.xlsx", outputs, about=[["sheet", "made by"], ["s", "us"]])
    with pytest.raises(InputError, match="several sheets"):
        read(book)
    assert len(read(book, columns={"sheet": "s"}).outputs) == 1


@pytest.mark.parametrize(("column", "name"), [("ann_id", 7), ("ref_id", 0), ("sent_id", 3)])
def test_items_of_the_first_reference_of_grefcoco(tmp_path: Path, column: str, name: int) -> None:
    """Its number is 0, which is no missing number."""
    annotation = {"id": 7, "image_id": 4, "category_id": 1, "bbox": [1, 2, 30, 40], "segmentation": [], "iscrowd": 0}
    gold = {
        "images": [{"id": 4, "file_name": "a.jpg", "width": 64, "height": 48}],
        "annotations": [annotation],
        "categories": [{"id": 1, "name": "person"}],
    }
    write_json(tmp_path / "gold" / "instances.json", gold)
    rows = [
        {"ref_id": 0, "ann_id": [7], "image_id": 4, "split": "val", "sentences": [{"sent_id": 3, "sent": "one man"}]},
        {"ref_id": 1, "ann_id": [-1], "image_id": 4, "split": "val", "sentences": [{"sent_id": 5, "sent": "two cats"}]},
    ]
    write_json(tmp_path / "gold" / "grefs(unc).json", rows)
    outputs = write_lines(tmp_path / "out.jsonl", [{column: name, "caption": "a man"}])
    (trial,) = open_material(str(outputs), scenes=str(tmp_path / "gold")).trials.values()
    assert ([r.text for r in trial.references], trial.targets) == (["one man"], ("7",))


def test_answers_that_timed_out_are_missing(tmp_path: Path) -> None:
    rows = choose_objects(target=lambda t, c: OBJECTS[t], chosen=lambda t, c: OBJECTS[c] if t else "timeout")
    assert "Rows without an answer, left out: 3." in read(write_csv(tmp_path / "t.csv", rows)).notes


def test_thoughts_are_no_part_of_descriptions_and_nan_is_none(tmp_path: Path) -> None:
    rows = [
        {"item": 1, "output": "<think>It is red.</think>\nthe red cup", "expected_output": "the red cup"},
        {"item": 2, "output": "nan", "expected_output": "the dog"},
    ]
    material = read(write_csv(tmp_path / "t.csv", rows))
    assert [o.description.text for o in material.outputs] == ["the red cup"]
    assert "Thoughts before descriptions (up to </think>), left out: 1." in material.notes


def test_positions_of_targets_and_choices(tmp_path: Path) -> None:
    rows = choose_objects(target_index=lambda t, c: t, selected_index=lambda t, c: c)
    material = read(write_csv(tmp_path / "t.csv", rows))
    assert sum(r.entity in material.trials[r.trial].targets for r in material.responses) == 9


def test_practice_loops_of_psychopy_are_left_out(tmp_path: Path) -> None:
    rows = choose_objects(
        **{"corrAns": "left", "key_resp.keys": "left", "key_resp.corr": 1, "psychopyVersion": "2024.1"}
    )
    rows = [{**row, "practice_trials.thisN": n if n < 3 else "", "trials.thisN": "" if n < 3 else n} for n, row in enumerate(rows)]  # fmt: skip
    assert len(read(write_csv(tmp_path / "t.csv", rows)).responses) == 9


@pytest.mark.parametrize("target", ["B", "(C)", "#### 42", "yes"])
def test_logs_of_other_tasks_hold_no_descriptions(tmp_path: Path, target: str) -> None:
    row = {"doc": {"question": "?"}, "target": target, "filter": "none", "filtered_resps": ["Plants need much light."], "doc_hash": "x"}  # fmt: skip
    with pytest.raises(InputError, match="no descriptions"):
        read(write_lines(tmp_path / "m" / "samples_t.jsonl", [{**row, "doc_id": n} for n in range(3)]))


@pytest.mark.parametrize("row", [{"answer": "[1, 2, 3, 4]", "gt_bbox": [1, 2, 3, 4], "hw": None}, {"gt_bbox": 5}, 7])
def test_rows_of_another_form_are_refused_with_their_place(tmp_path: Path, row: Any) -> None:
    good = {"answer": "[[1, 2, 3, 4]]", "gt_bbox": [1, 2, 3, 4], "hw": [10, 10]}
    with pytest.raises(InputError, match=r"after 1 answers a row is not as internvl writes it|holds no table"):
        read(write_json(tmp_path / "a.json", [good, row]), convention="0-1000 xyxy")


def test_samples_of_a_harness_in_one_list(tmp_path: Path) -> None:
    row = {"doc": {"q": 1}, "target": "the cup", "filter": "none", "filtered_resps": ["the red cup"], "doc_hash": "x"}
    assert len(read(write_json(tmp_path / "m" / "a.json", [{**row, "doc_id": n} for n in range(3)])).outputs) == 3


def test_lists_that_hold_no_objects_in_some_rows(tmp_path: Path) -> None:
    rows = [{"item": 1, "outputs": [{"text": "a cup"}]}, {"item": 2, "outputs": ["a cup"]}]
    assert "rows without a description, which count as missing: 1" in " ".join(
        read(write_json(tmp_path / "a.json", rows)).notes
    )


def test_a_column_of_answers_for_each_system(tmp_path: Path) -> None:
    rows = [
        {"participant": p, "item": n, "target": "cup", "choice_A": "cup", "choice_B": "dog" if n else "cup", "rt_A": 900, "rt_B": 800}
        for p in "xy" for n in range(3)
    ]  # fmt: skip
    assert rates(read(write_csv(tmp_path / "t.csv", rows))) == {"A": (6, 6), "B": (2, 6)}
    verdicts = [
        {"participant": r["participant"], "item": r["item"], "GRAPH correct": 1, "REG correct": 0} for r in rows
    ]
    assert rates(read(write_csv(tmp_path / "v.csv", verdicts))) == {"GRAPH": (6, 6), "REG": (0, 6)}
    # Columns of one choice are no systems, and of one system's second choices nothing is known.
    for more in ({"choice_x": "cup", "choice_index": 3}, {"choice_1": "cup", "choice_2": "dog"}):
        base = {"participant": "x", "target": "cup"}
        refused(write_csv(tmp_path / "n.csv", [{**base, "item": n, **more} for n in range(3)]))


def rates(material: NativeData) -> dict[str, tuple[int, int]]:
    """Return the right answers and all answers of each system."""
    by_system: dict[str, list[bool]] = {}
    for r in material.responses:
        by_system.setdefault(r.system or "", []).append(r.entity in material.trials[r.trial].targets)
    return {name: (sum(answers), len(answers)) for name, answers in by_system.items()}


def test_scenes_with_targets_and_references_in_their_rows(tmp_path: Path) -> None:
    objects = [{"id": "a", "colour": "red"}, {"id": "b", "colour": "blue"}]
    rows: list[Row] = [
        {"id": "t1", "scene": {"entities": objects}, "targets": ["a"], "references": [{"text": "the red one"}]},
        {"id": "t2", "objects": objects, "target": "b", "references": ["the blue one"]},
    ]
    for row in rows:
        trials = (
            read_scenes_of_rows(unnest_rows(read_table(write_lines(tmp_path / "s.jsonl", [row]))), Declared()) or {}
        )
        (trial,) = trials.values()
        assert (len(trial.scene.entities), len(trial.targets), len(trial.references)) == (2, 1, 1)
    with pytest.raises(InputError, match="not among the objects"):
        read_scenes_of_rows(read_table(write_lines(tmp_path / "s.jsonl", [{**rows[1], "target": "c"}])), Declared())


def test_whole_numbers_of_data_frames_and_their_split_form(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", [{"id": f"{n}.0", "text": "a cup", "ref": "the cup"} for n in range(3)])
    assert list(read(path).trials) == ["0", "1", "2"]
    split = {"columns": ["id", "text", "ref"], "index": [0, 1], "data": [["x", "a cup", "cup"], ["y", "a dog", "dog"]]}
    assert list(read(write_json(tmp_path / "t.json", split)).trials) == ["x", "y"]


def test_numbers_that_no_picture_has(tmp_path: Path) -> None:
    row = {"pred_xyxy": [1, 2, 3, 4], "gt_xyxy": [0, 0, 1e300, 1e300]}
    with pytest.raises(InputError, match=r"cannot be coordinates"):
        read(write_lines(tmp_path / "b.jsonl", [{**row, "id": n} for n in range(2)]), convention="pixels xyxy")


def test_a_damaged_episode_of_clembench_is_refused(tmp_path: Path) -> None:
    write_json(tmp_path / "m" / "e" / "i" / "interactions.json", {"players": {}, "turns": 3})
    write_json(tmp_path / "m" / "e" / "i" / "instance.json", True)
    assert "clembench" in refused(tmp_path / "m")


def test_answers_of_listeners_in_nested_objects(tmp_path: Path) -> None:
    rows = [
        {"participant": {"id": p}, "trial": {"item": n, "system": "A"}, "response": {"choice": "x"}, "target": "xy"[n]}
        for p in "ab"
        for n in range(2)
    ]
    assert rates(read(write_lines(tmp_path / "n.jsonl", rows))) == {"A": (2, 4)}
