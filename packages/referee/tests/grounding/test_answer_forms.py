"""Real answer strings of models, read; and whatever else a model may write, survived."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import UnknownName
from referee.geometry import Convention, Size
from referee.models.answers.place_forms import FORMS
from referee.models.answers.place_outcomes import parse_place_answer as read_answer
from referee.records import Outcome

# Form, answer, numbers as written, what they mean. Sources, read for this table: smart_resize of QwenLM/Qwen2-VL (qwen_vl_utils/vision_process.py),
# OpenGVLab/InternVL (internvl_chat/eval/refcoco/evaluate_grounding.py), bytedance/UI-TARS (codes/ui_tars/action_parser.py), transformers
# (processing_kosmos2.py: patch_index_to_coordinate; Florence-2: BoxQuantizer.dequantize), the parser of PaliGemma's demo, Molmo's extract_points
# (allenai/Molmo-7B-O-0924, discussion 1); THUDM/CogVLM f7283b2 (README, utils/utils/grounding_parser.py), deepseek-ai/DeepSeek-VL2 ef9f91e (README,
# serve/app_modules/utils.py), shikras/shikra ff79a4c (box_process_function.py, transform.py), apple/ml-ferret 3c9e5c9 (ferret/eval/eval_refexp.py),
# OS-Copilot/OS-Atlas bad0840 (README, eval/data), showlab/ShowUI 21ed7cb (QUICK_START.md), google-gemini/cookbook f1e7e3d (Spatial_understanding.ipynb);
# the rest are model cards as named in FORMS.
BOXES = [
    (
        "qwen-vl",
        "<ref>击掌</ref><box>(536,509),(588,602)</box>",
        (536, 509, 588, 602),
        "0-1000 xyxy",
    ),  # README of Qwen-VL
    (
        "qwen2-vl",
        "<|object_ref_start|>the eyes on a giraffe<|object_ref_end|><|box_start|>(176,106),(232,160)<|box_end|>",  # Qwen2-VL model card
        (176, 106, 232, 160),
        "0-1000 xyxy",
    ),
    (
        "qwen2.5-vl",
        '```json\n[\n\t{"bbox_2d": [341, 258, 397, 360], "label": "cake"}\n]\n```',
        (341, 258, 397, 360),
        "pixels xyxy sent:qwen28",
    ),
    ("qwen3-vl", '{"bbox_2d": [10, 20, 300, 400], "label": "dog"}', (10, 20, 300, 400), "0-1000 xyxy"),
    ("internvl", "<ref>the lion</ref><box>[[388, 0, 999, 999]]</box>", (388, 0, 999, 999), "0-1000 xyxy"),
    # evaluate_grounding.py takes the list with or without its tags.
    ("internvl", "the lion[[388, 0, 999, 999]]", (388, 0, 999, 999), "0-1000 xyxy"),
    # README of CogVLM: "relative coordinates multiplied by 1000 (prefixed with zeros to three digits)".
    ("cogvlm", "TYPE: CogVLM at the box [[212,498,787,564]]", (212, 498, 787, 564), "0-1000 xyxy"),
    ("cogvlm", "a cat[[086,540,400,760]]", (86, 540, 400, 760), "0-1000 xyxy"),
    (
        "deepseek-vl2",
        "<|ref|>The giraffe at the back.<|/ref|><|det|>[[580, 270, 999, 900]]<|/det|>",
        (580, 270, 999, 900),
        "0-999 xyxy",
    ),
    # The form of the answers in its REC data (rec.py), three decimals; shares of the padded square (Expand2square in config/_base_/model/shikra.py).
    ("shikra", "Answer: [0.123,0.456,0.789,0.900] .", (0.123, 0.456, 0.789, 0.9), "0-1 xyxy sent:square"),
    ("ferret", "a brown dog [120, 230, 640, 980]", (120, 230, 640, 980), "0-1000 xyxy"),
    ("paligemma", "<loc0256><loc0102><loc0512><loc0512> cat", (256, 102, 512, 512), "0-1024 yxyx"),
    # The middle of a bin: processing_florence2.py, BoxQuantizer.dequantize.
    ("florence-2", "a green car<loc_52><loc_332><loc_932><loc_774>", (52.5, 332.5, 932.5, 774.5), "0-1000 xyxy"),
    # The documentation of Hugging Face prints this box for these two indices.
    (
        "kosmos-2",
        "<phrase> a snowman</phrase><object><patch_index_0044><patch_index_0863></object>",
        (0.390625, 0.046875, 0.984375, 0.828125),
        "0-1 xyxy",
    ),
    # patch_index_to_coordinate: two cells of one row are taken whole (cells 4 and 6 of the first row: 4/32, 0, 7/32, 1/32).
    ("kosmos-2", "<object><patch_index_0004><patch_index_0006></object>", (0.125, 0, 0.21875, 0.03125), "0-1 xyxy"),
    # quickstarts/Spatial_understanding.ipynb of google-gemini/cookbook, an answer printed there.
    (
        "gemini",
        '```json\n[{"box_2d": [393, 67, 574, 206], "label": "red sprinkle topping"}]\n```',
        (393, 67, 574, 206),
        "0-1000 yxyx",
    ),
    ("gemini", '[{"box_2d": [100, 200, 300, 400], "label": "cup"}]', (100, 200, 300, 400), "0-1000 yxyx"),
    (
        "os-atlas",
        "<|object_ref_start|>language switch<|object_ref_end|><|box_start|>(576,12),(592,42)<|box_end|><|im_end|>",  # README of OS-Atlas
        (576, 12, 592, 42),
        "0-1000 xyxy",
    ),
    ("json", '{"x1": 1, "y1": 2, "x2": 3, "y2": 4}', (1, 2, 3, 4), "pixels xyxy"),
    ("json", '{"x": 1, "y": 2, "width": 3, "height": 4}', (1, 2, 3, 4), "pixels xywh"),
    ("json", "The box is [10, 20, 30, 40].", (10, 20, 30, 40), "pixels xyxy"),
    ("prose", "- Top-left corner: (205, 34), \n- Bottom-right corner: (467, 359).", (205, 34, 467, 359), "pixels xyxy"),
]
POINTS = [
    (
        "molmo",
        ' <point x="17.0" y="66.5" alt="person bottom left">person bottom left</point>',
        (17.0, 66.5),
        "percent xy",
    ),
    ("ui-tars", "Thought: I see it.\nAction: click(start_box='(177,549)')", (177, 549), "0-1000 xy"),
    ("ui-tars", "Action: click(start_box='<|box_start|>(177,549)<|box_end|>')", (177, 549), "0-1000 xy"),
    ("ui-tars-1.5", "Action: click(point='<point>510 150</point>')", (510, 150), "pixels xy sent:qwen28"),
    # The form of an action in the prompts of OS-Atlas (eval/data/ac_test.jsonl).
    ("os-atlas", "CLICK <point>[[101, 872]]</point>", (101, 872), "0-1000 xy"),
    ("shikra", "[0.250,0.500]", (0.25, 0.5), "0-1 xy sent:square"),
    ("gemini", '[{"point": [438, 330], "label": "lid"}]', (438, 330), "0-1000 yx"),
    ("showui", "{'action': 'CLICK', 'value': None, 'position': [0.49, 0.42]}", (0.49, 0.42), "0-1 xy"),
    ("showui", "[0.73, 0.21]", (0.73, 0.21), "0-1 xy"),
    ("click", "pyautogui.click(x=100, y=200)", (100, 200), "pixels xy"),
    ("click", "click(100, 200)", (100, 200), "pixels xy"),
    (
        "click",
        '<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [512, 300]}}</tool_call>',
        (512, 300),
        "pixels xy",
    ),
    ("qwen2.5-vl", '{"point_2d": [12, 34]}', (12, 34), "pixels xy sent:qwen28"),
    ("json", '{"point": {"x": 5, "y": 6}}', (5, 6), "pixels xy"),
]


@pytest.mark.parametrize(("form", "text", "numbers", "convention"), BOXES)
def test_boxes_are_read(form: str, text: str, numbers: tuple[float, ...], convention: str) -> None:
    read = read_answer(text, form)
    assert read.outcome is Outcome.BOX
    assert (read.places[0].numbers, str(read.places[0].convention)) == (pytest.approx(numbers), convention)


@pytest.mark.parametrize(("form", "text", "numbers", "convention"), POINTS)
def test_points_are_read(form: str, text: str, numbers: tuple[float, ...], convention: str) -> None:
    read = read_answer(text, form)
    assert read.outcome is Outcome.POINT
    assert (read.places[0].numbers, str(read.places[0].convention)) == (pytest.approx(numbers), convention)


def test_boxes_of_paligemma_and_gemini_are_turned() -> None:
    # y1 = 256 / 1024 of 480 = 120, x1 = 512 / 1024 of 640 = 320.
    assert read_answer("<loc0256><loc0512><loc0512><loc1024>", "paligemma").places[0].on(Size(640, 480)) == (
        320,
        120,
        640,
        240,
    )
    assert read_answer('{"box_2d": [250, 500, 500, 1000]}', "gemini").places[0].on(Size(640, 480)) == (
        320,
        120,
        640,
        240,
    )


@pytest.mark.parametrize("form", ["cogvlm", "shikra"])
def test_a_semicolon_parts_one_box_from_the_next(form: str) -> None:
    """boxstr_to_boxes of CogVLM and PlainBoxFormatter of Shikra write several boxes into one pair of brackets."""
    read = read_answer("two dogs [[.1,.2,.3,.4;.5,.6,.7,.8]]".replace(".", "0."), form)
    assert (read.outcome, len(read.places)) == (Outcome.SEVERAL, 2)
    assert read.places[1].numbers == pytest.approx((0.5, 0.6, 0.7, 0.8))


def test_several_points_are_several() -> None:
    text = '<points x1="38.0" y1="10.0" x2="46.5" y2="10.0" alt="plants with x3=\\"9\\" y3=\\"9\\"">plants</points>'
    read = read_answer(text, "molmo")
    assert (read.outcome, [p.numbers for p in read.places]) == (Outcome.SEVERAL, [(38.0, 10.0), (46.5, 10.0)])


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("I cannot provide a bounding box for her.", Outcome.REFUSED),
        ("I'm sorry, but I can't help with that.", Outcome.REFUSED),
        ("The lady on the left is not visible in the provided image.", Outcome.NONE),
        ("There is no dog in the image.", Outcome.NONE),
        ("[]", Outcome.NONE),
        ("```json\n[]\n```", Outcome.NONE),
        ("", Outcome.EMPTY),
        ("[0, 0, 0, 0]", Outcome.EMPTY),
        ("It is left of the tree.", Outcome.UNPARSABLE),
        ("[1, 2, 3]", Outcome.UNPARSABLE),
        ("[NaN, 1, 2, 3]", Outcome.UNPARSABLE),
        ("[1" + "0" * 400 + ", 1, 2, 3]", Outcome.UNPARSABLE),
        ("[" * 100_000, Outcome.UNPARSABLE),
        ('{"a":' * 30_000, Outcome.UNPARSABLE),
    ],
)
def test_what_is_no_place_is_an_outcome_of_its_own(text: str, outcome: Outcome) -> None:
    assert read_answer(text, "json").outcome is outcome


def test_a_convention_can_be_declared() -> None:
    read = read_answer("click(0.5, 0.25)", "click", Convention.of("0-1 xy"))
    assert read.places[0].on(Size(640, 480)) == (320, 120)


def test_an_unknown_form_is_told() -> None:
    with pytest.raises(UnknownName, match="molmo"):
        read_answer("x", "molmoo")


PIECES = [
    "<box>",
    "</box>",
    "<point x=",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    '"bbox_2d":',
    ",",
    "1",
    "-3.5",
    "1e999",
    "<loc0001>",
    "<loc_5>",
    "<patch_index_0001>",
    "click(",
    "\x00",
    "'",
]


@given(
    st.sampled_from(sorted(FORMS)),
    st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=40).map("".join)),
)
def test_no_answer_breaks_a_reader(form: str, text: str) -> None:
    read = read_answer(text, form)
    assert read.outcome in list(Outcome)
    assert (
        bool(read.places) == (read.outcome in (Outcome.BOX, Outcome.POINT, Outcome.SEVERAL))
        or read.outcome is Outcome.EMPTY
    )
