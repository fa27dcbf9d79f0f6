"""Batches of local models: cut by the order of the items, whatever the number of workers; and vLLM against a stub of its interface.

vLLM itself was not run here: the stub has the parts of `vllm.LLM` and `SamplingParams` that its reference names. Transformers: `test_transformers_door`.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from referee.capabilities import answer_in_parallel
from referee.errors import InputError
from referee.models import local_models
from referee.models.local_models import LocalModel, parse_local
from referee.models.messages import Picture, make_message
from referee.models.model_client import ModelClient
from referee.models.response_cache import read_calls
from referee.signature import signature


class Echo(LocalModel):
    """Answers with its whole batch, so that an answer shows what it was asked together with."""

    unsupported = frozenset({"seed"})
    loaded: list[str] = []  # noqa: RUF012
    batches: list[list[str]] = []  # noqa: RUF012

    def __init__(self, name: str) -> None:
        self.loaded.append(name)

    def complete(self, questions: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        words = [q["messages"][-1]["content"] for q in questions]
        self.batches.append(words)
        time.sleep(Random(words[0]).random() / 100)
        if "fault" in words:
            raise RuntimeError("out of memory")
        if "stop" in words:
            raise InputError("this model reads words only")
        return [
            {"choices": [{"message": {"content": f"{w} of {'+'.join(words)}"}, "finish_reason": "stop"}]} for w in words
        ]


@pytest.fixture(autouse=True)
def _echo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_models, "LIBRARIES", {**local_models.LIBRARIES, "echo": Echo})
    monkeypatch.setattr(local_models, "_OPEN", {})
    Echo.loaded.clear()
    Echo.batches.clear()


def client(endpoint: str = "echo:toy?batch=3", **more: Any) -> ModelClient:
    return ModelClient(**{"model": "toy", "endpoint": endpoint, **more})


def answers(asker: ModelClient, items: Sequence[str]) -> list[str | None]:
    return [
        call.content for call in answer_in_parallel(asker, lambda i: asker.ask([make_message("user", i)], i), items)
    ]


def test_batches_are_cut_by_the_order_of_the_items() -> None:
    assert answers(client(), "abcdefgh") == [
        *(f"{c} of a+b+c" for c in "abc"),
        *(f"{c} of d+e+f" for c in "def"),
        *(f"{c} of g+h" for c in "gh"),
    ]
    assert Echo.loaded == ["toy"]


def test_second_questions_of_items_form_batches_of_their_own() -> None:
    asker = client()

    def two(item: str) -> list[str | None]:
        again = 2 if item == "b" else 1
        return [asker.ask([make_message("user", f"{item}{n}")], item).content for n in range(1, again + 1)]

    assert list(answer_in_parallel(asker, two, "abc")) == [
        ["a1 of a1+b1+c1"],
        ["b1 of a1+b1+c1", "b2 of b2"],
        ["c1 of a1+b1+c1"],
    ]


def test_equal_questions_are_answered_each_in_its_batch(tmp_path: Path) -> None:
    asker = client().remember(tmp_path)
    assert answers(asker, "aaxayy") == [*["a of a+a+x"] * 2, "x of a+a+x", "a of a+y+y", *["y of a+y+y"] * 2]
    # A later run finds one answer to each: of two batches either may be stored first.
    first, second = answers(client().remember(tmp_path), "ax")
    assert first in ("a of a+a+x", "a of a+y+y")
    assert second == "x of a+a+x"


def test_the_size_is_in_the_signature_and_in_the_key_and_the_number_of_workers_is_not() -> None:
    small, large = client("echo:toy?batch=2"), client("echo:toy?batch=3")
    assert "batch=2" in signature("x", small)
    assert signature("x", large) == signature("x", client("echo:toy?batch=3", workers=2))
    assert {small.ask([make_message("user", "a")], "t").key} != {large.ask([make_message("user", "a")], "t").key}


def test_a_batch_that_fails_is_a_failure_of_each_question_and_the_work_goes_on(tmp_path: Path) -> None:
    asker = client().remember(tmp_path)
    items = ["a", "fault", "b", "c"]
    calls = list(answer_in_parallel(asker, lambda i: asker.ask([make_message("user", i)], i), items))
    assert [c.failure for c in calls] == [*["RuntimeError: out of memory"] * 3, None]
    assert len(list(read_calls(tmp_path))) == 4


def test_an_error_of_the_input_reaches_the_caller_and_nobody_waits_for_ever() -> None:
    with pytest.raises(InputError, match="words only"):
        answers(client(), ["a", "stop", "b", "c", "d", "e", "f", "g"])
    assert not [t for t in threading.enumerate() if t.name.startswith("ThreadPoolExecutor")]


def test_an_item_that_fails_before_it_asks_holds_up_nobody() -> None:
    asker = client()

    def answer(item: str) -> str | None:
        if item == "b":
            return None
        return asker.ask([make_message("user", item)], item).content

    assert list(answer_in_parallel(asker, answer, "abc")) == ["a of a+c", None, "c of a+c"]


def test_parameters_it_does_not_know_are_listed() -> None:
    assert client(model_seed=3).ask([make_message("user", "a")], "t").adapted == ("seed",)


@pytest.mark.parametrize("endpoint", ["echo:toy?", "echo:toy?batch=0", "echo:toy?batch=x", "echo:toy?speed=2"])
def test_an_unknown_option_is_refused(endpoint: str) -> None:
    with pytest.raises(InputError, match="option"):
        parse_local(endpoint)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_answers_do_not_depend_on_the_number_of_ray_workers(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    ray = pytest.importorskip("ray")

    class Remote(LocalModel):
        """By value, since workers cannot import this file."""

        def __init__(self, name: str) -> None:
            self.asked = 0

        def complete(self, questions: Any) -> Any:
            words = [q["messages"][-1]["content"] for q in questions]
            self.asked += 1
            return [
                {"choices": [{"message": {"content": f"{w} of {'+'.join(words)}"}, "finish_reason": "stop"}]}
                for w in words
            ]

    monkeypatch.setattr(local_models, "LIBRARIES", {"echo": Remote})
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        found = answers(client(workers=workers), "abcdefgh")
    finally:
        ray.shutdown()
    monkeypatch.setattr(local_models, "LIBRARIES", {"echo": Echo})
    monkeypatch.setattr(local_models, "_OPEN", {})
    assert found == answers(client(), "abcdefgh")


def test_vllm_is_asked_in_batches_with_pictures_and_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    class LLM:
        def __init__(self, model: str) -> None:
            self.model = model

        def chat(self, messages: Any, sampling_params: Any, use_tqdm: bool = True) -> list[Any]:
            seen.append((messages, sampling_params))
            answer = SimpleNamespace(text='{"answer": 2}', finish_reason="stop", token_ids=[1, 2])
            return [SimpleNamespace(outputs=[answer], prompt_token_ids=[1, 2, 3]) for _ in messages]

    vllm, parameters = ModuleType("vllm"), ModuleType("vllm.sampling_params")
    vllm.LLM, vllm.SamplingParams = LLM, lambda **given: given  # type: ignore[attr-defined]
    parameters.StructuredOutputsParams = lambda json: {"json": json}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vllm", vllm)
    monkeypatch.setitem(sys.modules, "vllm.sampling_params", parameters)
    asker = client("vllm:NAME?batch=2", max_tokens=9)
    look = [make_message("user", "Which?", [Picture(b"\x89PNG")])]
    calls = list(answer_in_parallel(asker, lambda i: asker.ask(look, str(i), schema={"type": "object"}), range(2)))
    assert [(c.content, c.prompt_tokens, c.completion_tokens) for c in calls] == [('{"answer": 2}', 3, 2)] * 2
    ((conversations, sampling),) = seen
    assert len(conversations) == 2
    # printf '\x89PNG' | base64
    assert "data:image/png;base64,iVBORw==" in json.dumps(conversations[0])
    assert sampling == {"temperature": 0.0, "max_tokens": 9, "structured_outputs": {"json": {"type": "object"}}}
