"""Models in this process, through the same door as those behind an endpoint: ``llama.cpp:FILE.gguf`` (xllamacpp) and ``transformers:NAME``.

They take one question at a time and answer with a chat completion, so that whatever reads, keeps and counts answers knows no difference.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

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

    # Parameters that are not understood: left out as a server's refused ones are, and said.
    unknown: ClassVar[frozenset[str]] = frozenset()

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
        return Reply(data, "", 1, adapted=tuple(sorted(self.unknown & question.keys())))

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
        # Text goes with somebody to call back, once with the whole answer (xllamacpp 2026.10); earlier releases returned it.
        told: list[Any] = []
        returned = self._server.handle_chat_completions(json.dumps(question), told.append)
        answer = told[0] if told else returned
        data: Mapping[str, Any] = json.loads(answer) if isinstance(answer, str) else answer
        if "choices" not in data:
            raise ValueError(json.dumps(data)[:200])
        return data


class Transformers(_Local):
    """A chat model of the transformers library, by name or folder."""

    unknown = frozenset({"logprobs", "reasoning_effort", "response_format", "top_logprobs"})

    def __init__(self, name: str) -> None:
        super().__init__()
        with naming_extra():
            import transformers

        self._tokens = transformers.AutoTokenizer.from_pretrained(name)
        self._model = transformers.AutoModelForCausalLM.from_pretrained(name)
        self._name = name
        ends = self._model.generation_config.eos_token_id
        self._ends = frozenset(ends if isinstance(ends, list) else [ends])

    def complete(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        if any(not isinstance(m["content"], str) for m in question["messages"]):
            raise InputError("this model reads words only", remedy="serve it behind an endpoint to show it pictures")
        given = self._tokens.apply_chat_template(
            question["messages"], add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        start, most = given["input_ids"].shape[1], question.get("max_tokens", 500)
        new = self._generated(question, given, most)[0][start:].tolist()
        return {
            "model": self._name,
            "choices": [
                {
                    "message": {"content": self._tokens.decode(new, skip_special_tokens=True)},
                    "finish_reason": "stop" if new and new[-1] in self._ends else "length",
                }
            ],
            "usage": {"prompt_tokens": int(start), "completion_tokens": len(new)},
        }

    def _generated(self, question: Mapping[str, Any], given: Any, most: int) -> Any:
        import torch

        warm = bool(question.get("temperature"))
        how = {"temperature": question["temperature"], "top_p": question.get("top_p")} if warm else {}
        # Lots of one's own: whatever else draws in this process draws as before.
        with torch.random.fork_rng(enabled="seed" in question):
            if "seed" in question:
                torch.manual_seed(question["seed"])
            return self._model.generate(
                **given, do_sample=warm, max_new_tokens=most, **{k: v for k, v in how.items() if v is not None}
            )
