"""Models in this process or on its Ray workers.

``llama.cpp:FILE.gguf`` (xllamacpp), ``transformers:NAME`` and ``vllm:NAME``, with words and pictures.

They answer with chat completions, so the cache, the counts and the parsers are the same. ``?batch=8`` after the name
sends eight questions at once. Batches follow the order of the items (`capabilities.in_parallel`), never by worker, so
answers do not depend on the number of workers; the size is a part of the endpoint, and so of every signature and cached
key.
"""

from __future__ import annotations

import base64
import inspect
import io
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from queue import SimpleQueue
from typing import Any, ClassVar, NamedTuple, TypeVar
from urllib.parse import parse_qsl

from referee.errors import InputError, naming_extra
from referee.models.endpoint import Reply

Question = Mapping[str, Any]
T = TypeVar("T")


class LocalEndpoint(NamedTuple):
    """The parts of a local endpoint: the library, the model's name or file, and the number of questions in a batch."""

    library: str
    name: str
    batch: int


def is_local(endpoint: str) -> bool:
    """Return whether an endpoint names a local model instead of an address."""
    return endpoint.partition(":")[0] in LIBRARIES


def parse_local(endpoint: str) -> LocalEndpoint:
    """Return the parts of a local endpoint.

    >>> parse_local("transformers:NAME?batch=8")
    LocalEndpoint(library='transformers', name='NAME', batch=8)
    """
    library, _, rest = endpoint.partition(":")
    name, mark, query = rest.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    batch = options.pop("batch", "1")
    if (mark and not query) or options or not batch.isdigit() or int(batch) < 1:
        raise InputError(
            f"{endpoint!r} has an unknown option", remedy=f"write endpoint:{library}:{name}?batch=8, or leave it out"
        )
    return LocalEndpoint(library, name, int(batch))


def get_batch_size(endpoint: str) -> int:
    """Return the number of questions per batch: 1 unless a local endpoint sets more."""
    return parse_local(endpoint).batch if is_local(endpoint) else 1


# -- the models ----------------------------------------------------------------------------------------------------------------


class LocalModel:
    """A model that is loaded once and answers batches of questions."""

    # Parameters that it does not know: left out, as those that a server refuses, and listed in the reply.
    unsupported: ClassVar[frozenset[str]] = frozenset()

    def complete(self, questions: Sequence[Question]) -> list[Mapping[str, Any]]:
        """Return a chat completion for each question of a batch, in their order; all have the same parameters."""
        raise NotImplementedError


class LlamaCpp(LocalModel):
    """A GGUF file, run by llama.cpp, one question after another."""

    def __init__(self, path: str) -> None:
        if not Path(path).is_file():
            raise InputError("there is no such model file", where=path, remedy="endpoint:llama.cpp:FILE.gguf")
        with naming_extra():
            import xllamacpp

        parameters = xllamacpp.CommonParams()
        parameters.model.path = path
        parameters.n_ctx = 4096
        self._server = xllamacpp.Server(parameters)

    def complete(self, questions: Sequence[Question]) -> list[Mapping[str, Any]]:
        return [self._complete_question(question) for question in questions]

    def _complete_question(self, question: Question) -> Mapping[str, Any]:
        """Return the chat completion of one question."""
        # The function is called once with the whole answer (xllamacpp 2026.10); earlier releases returned it.
        answers: list[Any] = []
        returned = self._server.handle_chat_completions(json.dumps(question), answers.append)
        answer = answers[0] if answers else returned
        completion: Mapping[str, Any] = json.loads(answer) if isinstance(answer, str) else answer
        if "choices" not in completion:
            raise ValueError(json.dumps(completion)[:200])
        return completion


class Transformers(LocalModel):
    """A chat model of the transformers library, by name or folder, on the GPU where there is one.

    One with a vision part reads pictures too.
    """

    unsupported = frozenset({"logprobs", "reasoning_effort", "response_format", "tool_choice", "tools", "top_logprobs"})

    def __init__(self, name: str) -> None:
        with naming_extra():
            import transformers  # isort: skip
            import torch

        config = transformers.AutoConfig.from_pretrained(name)
        self._sees = hasattr(config, "vision_config")
        if self._sees:
            self._processor = transformers.AutoProcessor.from_pretrained(name)
            kind, tokenizer = transformers.AutoModelForImageTextToText, self._processor.tokenizer
        else:
            self._processor = tokenizer = transformers.AutoTokenizer.from_pretrained(name)
            kind = transformers.AutoModelForCausalLM
        # Answers continue at the right end, so shorter questions are padded on the left.
        tokenizer.padding_side = "left"
        takes = inspect.signature(self._processor.apply_chat_template).parameters
        # Processors of transformers 5 take the tokenizer's arguments separately.
        self._padding: dict[str, Any] = {"padding": True}
        if "processor_kwargs" in takes:
            self._padding = {"processor_kwargs": self._padding}
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model = kind.from_pretrained(name).to(device).eval()
        self._name, self._tokenizer = name, tokenizer
        ends = self._model.generation_config.eos_token_id
        self._ends = frozenset(ends if isinstance(ends, list) else [ends])

    def complete(self, questions: Sequence[Question]) -> list[Mapping[str, Any]]:
        """Return the chat completions of a batch."""
        inputs = self._processor.apply_chat_template(
            [[self._convert_message(m) for m in question["messages"]] for question in questions],
            add_generation_prompt=True,
            tokenize=True,
            return_tensors="pt",
            return_dict=True,
            **self._padding,
        ).to(self._model.device)
        width = inputs["input_ids"].shape[1]
        lengths = inputs["attention_mask"].sum(dim=1).tolist()
        rows = self._generate_answers(questions[0], inputs)[:, width:].tolist()
        return [self._make_completion(row, int(length)) for row, length in zip(rows, lengths, strict=True)]

    def _convert_message(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return a message in the processor's format. Raises InputError for pictures to a text model."""
        content = message["content"]
        if self._sees:
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
            content = [_open_picture(part) if "image_url" in part else part for part in parts]
        elif not isinstance(content, str):
            raise InputError(
                f"the model {self._name} reads words only",
                remedy="name a model with a vision part, or serve it behind an endpoint",
            )
        return {"role": message["role"], "content": content}

    def _make_completion(self, row: Sequence[int], prompt_tokens: int) -> Mapping[str, Any]:
        """Return one generated row as a chat completion."""
        # Rows are padded to the longest answer; each ends with its own end mark.
        end = next((i for i, token in enumerate(row) if token in self._ends), None)
        tokens = row if end is None else row[: end + 1]
        text = self._tokenizer.decode(tokens, skip_special_tokens=True)
        choice = {"message": {"content": text}, "finish_reason": "length" if end is None else "stop"}
        usage = {"prompt_tokens": prompt_tokens, "completion_tokens": len(tokens)}
        return {"model": self._name, "choices": [choice], "usage": usage}

    def _generate_answers(self, question: Question, inputs: Any) -> Any:
        """Generate answers to a batch."""
        import torch

        sampling = bool(question.get("temperature"))
        by = {"temperature": question["temperature"], "top_p": question.get("top_p")} if sampling else {}
        # Other random draws of this process stay as they were.
        with torch.inference_mode(), torch.random.fork_rng(enabled="seed" in question):
            if "seed" in question:
                torch.manual_seed(question["seed"])
            return self._model.generate(
                **inputs,
                do_sample=sampling,
                max_new_tokens=question.get("max_tokens", 500),
                pad_token_id=self._tokenizer.pad_token_id,
                **{name: number for name, number in by.items() if number is not None},
            )


class VLLM(LocalModel):
    """A model that vLLM runs offline, in this process.

    It takes pictures and JSON schemas as vLLM's server does.
    """

    unsupported = frozenset({"logprobs", "reasoning_effort", "tool_choice", "tools", "top_logprobs"})

    def __init__(self, name: str) -> None:
        with naming_extra():
            import vllm

        self._model, self._name = vllm.LLM(model=name), name

    def complete(self, questions: Sequence[Question]) -> list[Mapping[str, Any]]:
        """Return the chat completions of a batch."""
        conversations = [question["messages"] for question in questions]
        outputs = self._model.chat(conversations, self._make_sampling_parameters(questions[0]), use_tqdm=False)
        return [self._make_completion(output) for output in outputs]

    def _make_sampling_parameters(self, question: Question) -> Any:
        """Return the sampling parameters of a question."""
        from vllm import SamplingParams
        from vllm.sampling_params import StructuredOutputsParams

        settings = {name: question[name] for name in ("temperature", "top_p", "max_tokens", "seed") if name in question}
        schema = (question.get("response_format") or {}).get("json_schema", {}).get("schema")
        if schema:
            settings["structured_outputs"] = StructuredOutputsParams(json=schema)
        return SamplingParams(**settings)

    def _make_completion(self, output: Any) -> Mapping[str, Any]:
        """Return one output as a chat completion."""
        answer = output.outputs[0]
        choice = {"message": {"content": answer.text}, "finish_reason": answer.finish_reason}
        usage = {"prompt_tokens": len(output.prompt_token_ids), "completion_tokens": len(answer.token_ids)}
        return {"model": self._name, "choices": [choice], "usage": usage}


LIBRARIES: Mapping[str, type[Any]] = {"llama.cpp": LlamaCpp, "transformers": Transformers, "vllm": VLLM}


def _open_picture(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a picture part as an opened image."""
    with naming_extra():
        from PIL import Image

    picture = base64.b64decode(part["image_url"]["url"].partition(",")[2])
    return {"type": "image", "image": Image.open(io.BytesIO(picture)).convert("RGB")}


# -- where they run ------------------------------------------------------------------------------------------------------------


class ModelPool:
    """One model in this process, or a model on each of several Ray workers; a batch goes to a free one."""

    def __init__(self, endpoint: str, workers: int = 0) -> None:
        library, name, self.batch = parse_local(endpoint)
        kind = LIBRARIES[library]
        self._unsupported: frozenset[str] = kind.unsupported
        self._free: SimpleQueue[Callable[[Sequence[Question]], list[Mapping[str, Any]]]] = SimpleQueue()
        for run in _start_ray_workers(kind, name, workers) if workers else [kind(name).complete]:
            self._free.put(run)

    def ask(self, question: Question) -> Reply:
        """Return the reply to one question; a member of a batch group waits for the others' questions first."""
        group, index = _MEMBER.get() or (None, 0)
        return group.ask(index, question, self) if group is not None else self.ask_all([question])[0]

    def ask_all(self, questions: Sequence[Question]) -> list[Reply]:
        """Return the replies to a batch, in order; questions with other parameters form separate batches."""
        alike: dict[str, list[int]] = {}
        for index, question in enumerate(questions):
            parameters = {name: part for name, part in question.items() if name != "messages"}
            alike.setdefault(json.dumps(parameters, sort_keys=True), []).append(index)
        replies: dict[int, Reply] = {}
        for indices in alike.values():
            replies |= zip(indices, self._complete_question([questions[i] for i in indices]), strict=True)
        return [replies[index] for index in range(len(questions))]

    def _complete_question(self, questions: Sequence[Question]) -> list[Reply]:
        """Return the replies to one batch from a free model."""
        run = self._free.get()
        try:
            completions = run(questions)
        except InputError:
            raise
        except Exception as error:
            return [Reply(None, f"{type(error).__name__}: {error}"[:200], 1)] * len(questions)
        finally:
            self._free.put(run)
        adapted = tuple(sorted(self._unsupported & questions[0].keys()))
        return [Reply(completion, "", 1, adapted=adapted) for completion in completions]


def _start_ray_workers(kind: type[Any], name: str, workers: int) -> list[Callable[[Sequence[Question]], Any]]:
    """Return a function for each Ray actor with the model; each has a GPU if the cluster has any."""
    with naming_extra():
        import ray as typed_ray
    ray: Any = typed_ray  # parts of it have no types

    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False)
    has_gpus = ray.cluster_resources().get("GPU", 0) > 0
    remote = ray.remote(num_gpus=1 if has_gpus else 0, max_restarts=-1)(kind)
    actors = [remote.remote(name) for _ in range(workers)]

    def runner(actor: Any) -> Callable[[Sequence[Question]], Any]:
        """Return a function that lets an actor answer questions."""

        def run(questions: Sequence[Question]) -> Any:
            """Return the actor's answers. Raises the actor's InputError as it was."""
            try:
                return ray.get(actor.complete.remote(list(questions)))
            except ray.exceptions.RayTaskError as error:
                cause = error.as_instanceof_cause()
                raise (cause if isinstance(cause, InputError) else error) from None

        return run

    return [runner(actor) for actor in actors]


_OPEN: dict[tuple[str, int], ModelPool] = {}
_OPENING = threading.Lock()


def open_local(endpoint: str, workers: int = 0) -> ModelPool:
    """Return the model, loaded once however many clients ask it."""
    with _OPENING:
        if (endpoint, workers) not in _OPEN:
            _OPEN[endpoint, workers] = ModelPool(endpoint, workers)
        return _OPEN[endpoint, workers]


# -- batches -------------------------------------------------------------------------------------------------------------------

_MEMBER: ContextVar[tuple[BatchGroup, int] | None] = ContextVar("_MEMBER", default=None)


class BatchGroup:
    """Consecutive items whose questions form batches: the first question of each item, then the second of each, and so
    on.

    Each item runs in its own thread. A batch is sent when every unfinished item has asked; its order is that of the
    items.
    """

    def __init__(self, members: int) -> None:
        self._active = members
        self._asked: dict[int, tuple[Question, ModelPool]] = {}
        self._replies: dict[int, Reply | BaseException] = {}
        self._changed = threading.Condition()

    def run(self, index: int, function: Callable[[Any], T], item: Any) -> T:
        """Run the function of one item; its questions to a local model join the batches of this group."""
        token = _MEMBER.set((self, index))
        try:
            return function(item)
        finally:
            _MEMBER.reset(token)
            with self._changed:
                self._active -= 1
                self._send_if_complete()

    def ask(self, index: int, question: Question, pool: ModelPool) -> Reply:
        """Return the reply to an item's question, when all others have asked theirs."""
        with self._changed:
            self._asked[index] = (question, pool)
            self._send_if_complete()
            self._changed.wait_for(lambda: index in self._replies)
            reply = self._replies.pop(index)
        if isinstance(reply, BaseException):
            raise reply
        return reply

    def _send_if_complete(self) -> None:
        """Ask the model in the thread that completes the batch; all others wait for it meanwhile."""
        if not self._asked or len(self._asked) < self._active:
            return
        indices = sorted(self._asked)
        pool = self._asked[indices[0]][1]
        try:
            replies: Sequence[Reply | BaseException] = pool.ask_all([self._asked[i][0] for i in indices])
        except BaseException as error:
            replies = [error] * len(indices)
        self._replies |= zip(indices, replies, strict=True)
        self._asked.clear()
        self._changed.notify_all()
