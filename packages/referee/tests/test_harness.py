"""Measures inside harnesses: functions of one answer, and inspect_ai's scorers where that package is installed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from referee.errors import InputError
from referee.harness import measure_choice, measure_description, measure_place, process_description, process_place


def test_descriptions() -> None:
    assert measure_description("The red cup", ["the red cup"], "string/exact") == 1.0
    assert measure_description("", ["the red cup"]) is None
    # By hand: one word of three differs, and a substitution costs 2.
    assert process_description({"answer": ["the red cup"]}, [["the blue cup"]], ["string/edit"]) == {"string_edit": 2.0}
    # By hand: an empty description lacks three words, so that a refusal is not the best answer.
    assert process_description({"answer": ["the red cup"]}, ["I cannot see it."], ["string/edit"]) == {
        "string_edit": 3.0
    }
    with pytest.raises(InputError, match="references"):
        process_description({"question": "?"}, ["x"])
    with pytest.raises(InputError, match="no reference"):
        process_description({"references": []}, ["x"], ["string/edit"])


def test_places() -> None:
    found = measure_place("[0, 0, 600, 1000]", [0, 0, 640, 480], convention="0-1000 xyxy", size=(640, 480))
    # By hand: six tenths of the picture.
    assert (found["iou"], found["accuracy"], found["point"]) == (pytest.approx(0.6), 1.0, 1.0)
    assert (
        measure_place("I cannot see it", [0, 0, 1, 1], convention="0-1 xyxy", gold_convention="0-1 xyxy", size=(1, 1))[
            "iou"
        ]
        == 0.0
    )
    assert (
        process_place({"bbox": [0, 0, 1, 1]}, ["[0, 0, 1, 0.5]"], convention="0-1 xyxy", gold_convention="0-1 xyxy")[
            "iou"
        ]
        == 0.5
    )
    with pytest.raises(InputError, match="convention"):
        measure_place("[0, 0, 1, 1]", [0, 0, 1, 1], convention="metres")


def test_choices() -> None:
    assert measure_choice("2", 3, 2) == (1.0, "2")
    assert measure_choice("???", 3, 2) == (0.0, "unparsable")


def test_scorers_of_inspect() -> None:
    scorers = pytest.importorskip("referee.inspect", exc_type=ImportError)
    from inspect_ai.scorer import Target

    state = SimpleNamespace(output=SimpleNamespace(completion="the red cup"), metadata={})
    assert asyncio.run(scorers.description("string/exact")(state, Target(["the red cup"]))).value == 1.0
    chosen = SimpleNamespace(output=SimpleNamespace(completion="2"), metadata={"places": ["a", "b"]})
    assert asyncio.run(scorers.choice()(chosen, Target("2"))).value == 1.0
    box = SimpleNamespace(
        output=SimpleNamespace(completion="[0, 0, 500, 1000]"),
        metadata={"bbox": [0, 0, 640, 480], "image_size": [640, 480]},
    )
    assert asyncio.run(scorers.grounding("0-1000 xyxy", measure="iou")(box, Target(""))).value == pytest.approx(0.5)


def test_process_results_in_lm_eval(tmp_path: Path) -> None:
    lm_eval = pytest.importorskip("lm_eval")
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Mock(LM):  # type: ignore[misc, unused-ignore]
        def generate_until(self, requests: list[Any], **_: Any) -> list[str]:
            return ["the red cup", "a dog"][: len(requests)]

        def loglikelihood(self, requests: list[Any], **_: Any) -> list[Any]:
            return []

        loglikelihood_rolling = loglikelihood

    rows = [{"id": 0, "references": ["the red cup"]}, {"id": 1, "references": ["the dog"]}]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (tmp_path / "utils.py").write_text(
        "from functools import partial\nfrom referee.harness import process_description\n"
        "process_results = partial(process_description, metrics=('string/exact',))\n",
        "utf-8",
    )
    (tmp_path / "task.yaml").write_text(
        "task: reg\ndataset_path: json\noutput_type: generate_until\ntest_split: test\n"
        f"dataset_kwargs: {{data_files: {{test: {tmp_path / 'data.jsonl'}}}}}\n"
        'doc_to_text: "{{id}}"\ndoc_to_target: "{{references[0]}}"\nprocess_results: !function utils.process_results\n'
        "metric_list: [{metric: string_exact, aggregation: mean, higher_is_better: true}]\n",
        "utf-8",
    )
    manager = TaskManager(include_path=str(tmp_path))
    result = lm_eval.simple_evaluate(Mock(), tasks=["reg"], task_manager=manager, bootstrap_iters=0)
    assert result["results"]["reg"]["string_exact,none"] == 0.5
