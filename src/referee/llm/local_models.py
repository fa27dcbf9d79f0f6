"""Models in this process, through the same door as those behind an endpoint: ``llama.cpp:FILE.gguf`` (xllamacpp) and ``transformers:NAME``.

They take one question at a time and answer with a chat completion, so that whatever reads, keeps and counts answers knows no difference.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.errors import InputError, naming_extra
from referee.llm.client import Reply

__all__ = ["is_local", "open_local"]

LLAMA, TRANSFORMERS = "llama.cpp:", "transformers:"
_OPEN: dict[str, Any] = {}
_OPENING = threading.Lock()


def is_local(endpoint: str) -> bool:
    """Whether this names a model in this process instead of an address."""
    return endpoint.startswith((LLAMA, TRANSFORMERS))


def open_local(endpoint: str) -> Any:
    """The model, loaded once however many ask it."""
    with _OPENING:
        if endpoint not in _OPEN:
            kind, _, name = endpoint.partition(":")
            _OPEN[endpoint] = LlamaCpp(name) if f"{kind}:" == LLAMA else Transformers(name)
        return _OPEN[endpoint]


class _Local:
    """One question at a time: the processor is the limit, and more at once would only take turns on it."""

    def __init__(self) -> None:
        self._turn = threading.Lock()

    def ask(self, question: Mapping[str, Any], body: bytes = b"") -> Reply:
        with self._turn:
            try:
                data = self.complete(question)
            except InputError:
                raise
            except Exception as error:
                return Reply(None, f"{type(error).__name__}: {error}"[:200], 1)
        return Reply(data, "", 1)

    def complete(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        raise NotImplementedError


class LlamaCpp(_Local):
    """A GGUF file, run by llama.cpp."""

    def __init__(self, path: str) -> None:
        super().__init__()
        if not Path(path).is_file():
            raise InputError("there is no such model file", where=path, remedy="endpoint:llama.cpp:FILE.gguf")
        with naming_extra():
            import xllamacpp

        parameters = xllamacpp.CommonParams()
        parameters.model.path = path
        parameters.n_ctx = 4096
        self._server = xllamacpp.Server(parameters)

    def complete(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        answer = self._server.handle_chat_completions(json.dumps(question))
        data: Mapping[str, Any] = json.loads(answer) if isinstance(answer, str) else answer
        if "choices" not in data:
            raise ValueError(json.dumps(data)[:200])
        return data


class Transformers(_Local):
    """A chat model of the transformers library, by name or folder."""

    def __init__(self, name: str) -> None:
        super().__init__()
        with naming_extra():
            import transformers

        self._tokens = transformers.AutoTokenizer.from_pretrained(name)
        self._model = transformers.AutoModelForCausalLM.from_pretrained(name)
        self._name = name

    def complete(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        if any(not isinstance(m["content"], str) for m in question["messages"]):
            raise InputError("this model reads words only", remedy="serve it behind an endpoint to show it pictures")
        given = self._tokens.apply_chat_template(
            question["messages"], add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        warm = bool(question.get("temperature"))
        how = {"temperature": question["temperature"], "top_p": question.get("top_p")} if warm else {}
        made = self._model.generate(
            **given,
            do_sample=warm,
            max_new_tokens=question.get("max_tokens", 500),
            **{k: v for k, v in how.items() if v is not None},
        )
        start = given["input_ids"].shape[1]
        new = made[0][start:]
        ended = len(new) < question.get("max_tokens", 500)
        words = self._tokens.decode(new, skip_special_tokens=True)
        return {
            "model": self._name,
            "choices": [{"message": {"content": words}, "finish_reason": "stop" if ended else "length"}],
            "usage": {"prompt_tokens": int(start), "completion_tokens": len(new)},
        }
