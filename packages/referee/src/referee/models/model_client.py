"""The client of chat models that speakers, hearers, judges and players inherit.

It asks each question once, caches the answer and counts its cost.

The response cache is searched first, so that work can resume and be replayed offline.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from referee.errors import InputError
from referee.models.answers.calls import FAILED, OUTCOMES, parse_call
from referee.models.answers.parsing import UNREAD, ParsedAnswer
from referee.models.batch_files import BatchFile
from referee.models.cost import PROCESS_COST
from referee.models.endpoint import Endpoint, Reply
from referee.models.local_models import BatchGroup, get_batch_size, is_local, open_local
from referee.models.messages import (
    ChatQuestion,
    Picture,
    get_message_text,
    make_first_release_key,
    make_message,
    make_question,
)
from referee.models.prompt_files import PromptFile, read_prompt
from referee.models.response_cache import Call, ResponseCache

# Options for speed, patience and prices, which do not change questions: no part of a signature, nor of a run's
# identity.
UNSIGNED = frozenset(
    (
        *("key_variable", "headers_variable", "parallel", "workers", "per_minute", "tokens_per_minute"),
        *("timeout_s", "tries", "pause_s", "longest_pause_s", "patience"),
        *("budget", "budget_tokens", "price_in", "price_out"),
    )
)
# The test question for structured output: fixed and cached, so that a replay finds it too. It does not hint at the
# format of the answer.
PROBE = "Is water wet?"
PROBE_SCHEMA = {
    "type": "object",
    "properties": {"is_wet": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["is_wet"],
    "additionalProperties": False,
}


def _request_structured_output(schema: Mapping[str, Any]) -> dict[str, Any]:
    described = {"name": "answer", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": described}}


def _request_tool_call(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that request an answer by tool call."""
    function = {"name": "answer", "description": "Give the answer.", "parameters": schema}
    return {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": "answer"}},
    }


class ProbeUnanswered(InputError):
    """The endpoint did not answer the probe of structured output."""


def make_choice_schema(answers: Sequence[str]) -> dict[str, Any]:
    """Return the JSON schema of an object whose one field, ``answer``, is one of some words."""
    return {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": list(answers)}},
        "required": ["answer"],
        "additionalProperties": False,
    }


# The last line of a question to an endpoint without schemas, by language of the trial.
FINAL_LINES = {
    "en": "End with a line that has only ANSWER: and your answer.",
    "de": "Beende die Antwort mit einer Zeile, die nur ANSWER: und deine Antwort enthält.",
    "fr": "Termine par une ligne qui ne contient que ANSWER: et ta réponse.",
    "es": "Termina con una línea que contenga solo ANSWER: y tu respuesta.",
    "pt": "Termine com uma linha que contenha apenas ANSWER: e a sua resposta.",
    "nl": "Eindig met een regel die alleen ANSWER: en je antwoord bevat.",
    "zh": "最后一行只写 ANSWER: 和你的答案。",
    "ja": "最後の行に ANSWER: と答えだけを書いてください。",
}


# The request after an unparsable answer, by language of the trial.
AGAIN = {
    "en": "Which is your final answer? Reply with it alone.",
    "de": "Was ist deine endgültige Antwort? Antworte nur mit ihr.",
    "fr": "Quelle est ta réponse finale ? Réponds par elle seule.",
    "es": "¿Cuál es tu respuesta final? Responde solo con ella.",
    "pt": "Qual é a sua resposta final? Responda apenas com ela.",
    "nl": "Wat is je definitieve antwoord? Antwoord met alleen dat.",
    "zh": "你的最终答案是什么？请只回答答案。",
    "ja": "最終的な答えは何ですか。答えだけを書いてください。",
}
# 1: free words; 2: by schema or final line; 3: likewise, and unread answers are asked for once more.
CONTRACTS = (1, 2, 3)


# The parameter of a chat completion that requests JSON by a schema, and its value.
SCHEMA_FORMS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "response_format": _request_structured_output,
    "tools": _request_tool_call,
}


@dataclass(eq=False, repr=False, kw_only=True)
class ModelClient:
    """The options and the client that all users of a chat model share.

    Args:
        model: its name at the endpoint.
        endpoint: an address (``https://HOST/v1``), with a dialect prefix unless it is OpenAI's (``anthropic:https://…``; `referee.models.dialects`),
            or a local model: ``transformers:NAME?batch=8``, ``vllm:NAME?batch=64``, ``llama.cpp:FILE.gguf`` (`referee.models.local_models`).
        key_variable: the environment variable with the key; by default the dialect's (OPENAI_API_KEY, ANTHROPIC_API_KEY, …).
        headers_variable: an environment variable with further headers as a JSON object.
        temperature: none: the endpoint's default.
        top_p: likewise.
        max_tokens: of an answer, thoughts included; 0: the endpoint's default.
        model_seed: the seed that is sent.
        effort: of reasoning (low, medium, high), if the model has it.
        schema: ask for JSON by `response_format`; a server that refuses it gets a request in words.
        system: a file with a system prompt.
        prompt: a file with a custom prompt.
        sample: the number of the sample; another number is another call.
        parallel: simultaneous questions; fewer while the server is busy.
        workers: Ray workers that each load a local model, with a GPU each if available (0: this process alone).
        per_minute: questions per minute (0: no limit).
        tokens_per_minute: likewise.
        timeout_s: for a whole exchange.
        tries: of a question.
        pause_s: the first pause; each next is twice as long.
        longest_pause_s: also limits pauses that a server requests.
        patience: questions in a row that may fail (0: any number).
        budget: maximal cost of all calls of a run (0: no limit); the work then stops, and resumes with a larger one.
        budget_tokens: likewise in tokens.
        price_in: per million tokens of questions.
        price_out: per million tokens of answers.
    """

    model: str = ""
    endpoint: str = "http://localhost:8000/v1"
    key_variable: str = ""
    headers_variable: str = ""
    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int = 2000
    model_seed: int | None = None
    effort: str = ""
    schema: bool = False
    system: str = ""
    prompt: str = ""
    sample: int = 0
    parallel: int = 4
    workers: int = 0
    per_minute: float = 0.0
    tokens_per_minute: float = 0.0
    timeout_s: float = 60.0
    tries: int = 4
    pause_s: float = 1.0
    longest_pause_s: float = 60.0
    patience: int = 5
    budget: float = 0.0
    budget_tokens: int = 0
    price_in: float = 0.0
    price_out: float = 0.0

    unsigned: ClassVar[frozenset[str]] = UNSIGNED
    # No parameter here: classes that ask by contract declare it, so that only their signatures have it.
    contract = 1
    # Class attributes, because constructor parameters of subclasses make up the signature. Whether an unanswered
    # question is cached as such, to be replayed as a failure; online it is asked again.
    keeps_failures: ClassVar[bool] = True
    offline_remedy: ClassVar[str] = "replay with the same systems, corpus, folds and seed, or run it online"
    asker: str = field(default="", init=False)

    # One lock for all of a kind, on the class: objects travel between processes before they are used, and a lock cannot.
    _making: ClassVar[threading.Lock] = threading.Lock()
    _probing: ClassVar[threading.Lock] = threading.Lock()
    _cache: ResponseCache | None = field(default=None, init=False)
    _batch: BatchFile | None = field(default=None, init=False)
    _opened: Any = field(default=None, init=False)
    _offline: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.system, self.prompt = read_prompt(self.system), read_prompt(self.prompt)

    def remember(self, folder: Path, offline: bool = False) -> Self:
        """Cache calls in a folder and look there first; offline, look nowhere else."""
        self._cache = ResponseCache(folder)
        self._offline = offline
        # Work that was interrupted, in a notebook for instance, may begin again with the same object.
        if isinstance(self._opened, Endpoint) and self._opened.is_stopped:
            self._opened = None
        return self

    def write_to(self, batch: BatchFile) -> Self:
        """Write questions that are not answered yet into a file instead of asking them."""
        self._batch = batch
        return self

    @property
    def batch(self) -> int:
        """How many questions go to the model at once; more than one for local models only."""
        return get_batch_size(self.endpoint)

    def group_batch(self, members: int) -> BatchGroup:
        """Return the group of consecutive items whose questions form batches."""
        return BatchGroup(members)

    def stop(self) -> None:
        """Send no new questions; answers to running ones are still cached."""
        if isinstance(self._opened, Endpoint):
            self._opened.stop()

    def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        trial: str,
        sample: int | None = None,
        *,
        schema: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> Call:
        """Return the cached answer to these messages, or a new one.

        Of two threads that ask the same question at once, one waits for the other's answer.

        Args:
            messages: chat messages (`referee.models.messages.make_message`).
            trial: named in the error if the client is offline and has no cached answer.
            sample: the number of the sample, if not the client's own.
            schema: a JSON schema that the answer must follow; each dialect sends it in its own form, as structured output or as the parameters of a tool call
                (`supports_schema` finds out which). An endpoint that refuses it is asked without it, and the call lists the parameter in `adapted`.
            more: further parameters of the request.
        """
        form = self.__dict__.get("schema_form_") or "response_format"
        question = self._make_question(messages, sample, {**(SCHEMA_FORMS[form](schema) if schema else {}), **more})
        call = self._find_cached_call(question, trial)
        if call is not None:
            return call
        if self.batch > 1:
            # Equal questions of one batch are all asked: waiting for each other, they would never fill it.
            return self._send_question(question)
        pending: dict[str, Future[None]] = self.__dict__.setdefault("pending_", {})
        future: Future[None] = Future()
        while (theirs := pending.setdefault(question.key, future)) is not future:
            wait([theirs])
        try:
            # Another thread may have asked it meanwhile.
            return self._find_cached_call(question, trial) or self._send_question(question)
        finally:
            del pending[question.key]
            future.set_result(None)

    def ask_by_contract(
        self,
        words: str,
        trial: str,
        answers: Sequence[str],
        *,
        pictures: Sequence[Picture] = (),
        sample: int | None = None,
        language: str = "en",
        **more: Any,
    ) -> Call:
        """Ask a question with fixed answers, in the format of the contract (`contract`), so that no parsing is needed.

        Offline, runs of earlier releases are replayed in their own format.

        Args:
            words: the question.
            trial: named in the error if the client is offline and has no cached answer.
            answers: the permitted answers.
            pictures: sent with the question.
            sample: the number of the sample, if not the client's own.
            language: of the line that requests the format.
            more: further parameters of the request.

        Raises:
            InputError: if there is no such contract.
        """
        if self.contract not in CONTRACTS:
            raise InputError(f"there is no contract {self.contract}", remedy="contract:3, or contract:1 or 2 as before")
        free = [make_message("user", words, pictures)]
        if self.contract == 1 or self.schema:
            return self.ask(free, trial, sample, **more)
        if self._offline and self._cache is not None:
            question = self._make_question(free, sample, more)
            if self._cache.find(question.key, self.keeps_failures) is not None:
                return self.ask(free, trial, sample, **more)
        if not is_local(self.endpoint) and self._may_use_schema():
            asked = make_message("user", f'{words} Write it as JSON: {{"answer": "…"}}.', pictures)
            return self.ask([asked], trial, sample, schema=make_choice_schema(answers), **more)
        line = FINAL_LINES.get(language[:2], FINAL_LINES["en"])
        return self.ask([make_message("user", f"{words}\n{line}", pictures)], trial, sample, **more)

    def ask_and_parse(
        self,
        words: str,
        trial: str,
        kind: str,
        answers: Sequence[str] = (),
        *,
        pictures: Sequence[Picture] = (),
        sample: int | None = None,
        language: str = "en",
        more: Mapping[str, Any] | None = None,
        **question: Any,
    ) -> tuple[Call, ParsedAnswer]:
        """Ask a question, parse the answer (`parse_call`), and count its outcome.

        By contract 3 an unread answer is requested once more.

        The second question is a call of its own in the cache and counts as "asked again". Offline, a run without the
        second question keeps its first answer.

        Args:
            words: the question.
            trial: named in the error if the client is offline and has no cached answer.
            kind: of answer, as in `parse_answer`.
            answers: the permitted answers (`ask_by_contract`); none for models with their own format.
            pictures: sent with the question.
            sample: the number of the sample, if not the client's own.
            language: of additions to the question.
            more: further parameters of the request.
            question: further arguments of `parse_call`.
        """
        wishes = dict(more or {})
        if answers:
            call = self.ask_by_contract(
                words, trial, answers, pictures=pictures, sample=sample, language=language, **wishes
            )
        else:
            call = self.ask([make_message("user", words, pictures)], trial, sample, **wishes)
        parsed = parse_call(call, kind, **question)
        said = (call.content or "").strip()
        if parsed.outcome == UNREAD and self.contract >= 3 and said:
            again = AGAIN.get(language[:2], AGAIN["en"])
            exchange = [
                make_message("user", words, pictures),
                make_message("assistant", said),
                make_message("user", again),
            ]
            key = self._make_question(exchange, sample, wishes).key
            if not (self._offline and self._cache is not None and self._cache.find(key) is None):
                self.count("asked again", call)
                call = self.ask(exchange, trial, sample, **wishes)
                second = parse_call(call, kind, **question)
                # A second question that the endpoint left unanswered changes nothing.
                parsed = replace(parsed if second.outcome == FAILED else second, is_second=True)
        self.count(OUTCOMES[parsed.outcome], call)
        return call, parsed

    def supports_schema(self) -> bool:
        """Return whether the endpoint supports a JSON schema, as structured output or by a tool call.

        One or two small questions test it; their answers are cached like others. Offline and in batch files it cannot
        be tested: without cached answers it is False, as in all earlier runs.

        Raises:
            InputError: the endpoint did not answer.
        """
        with self._probing:
            if "schema_form_" not in self.__dict__:
                supported = (form for form in SCHEMA_FORMS if self._probe_schema(form))
                self.__dict__["schema_form_"] = next(supported, "")
            return bool(self.__dict__["schema_form_"])

    def _may_use_schema(self) -> bool:
        """Return whether the endpoint supports schemas.

        One that leaves the probe unanswered is asked without for as long as this object lives.
        """
        try:
            return self.supports_schema()
        except ProbeUnanswered:
            self.__dict__["schema_form_"] = ""
            return False

    def _probe_schema(self, form: str) -> bool:
        """Return whether the endpoint answered the test question in a form."""
        asked = [make_message("user", PROBE)]
        question = self._make_question(asked, 0, SCHEMA_FORMS[form](PROBE_SCHEMA))
        call = self._cache.find(question.key) if self._cache is not None else None
        if call is None and self._offline:
            return False
        if call is None and self._batch is not None:
            # Recorded, so that the run that reads the batch's answers asks in the same format.
            call = Call(key=question.key, question=question.stored, content=None, adapted=(form,))
            if self._cache is not None:
                self._cache.add(call)
        call = call or self.ask(asked, "probe of structured output", 0, **SCHEMA_FORMS[form](PROBE_SCHEMA))
        if call.failure is not None and not call.failure.startswith("HTTP 4"):
            raise ProbeUnanswered(
                f"the endpoint did not answer whether it supports JSON schemas ({call.failure})",
                where=self.endpoint,
                remedy="check that it runs, or say contract:1",
            )
        return form not in call.adapted and _is_probe_answer(call.content)

    def _make_question(
        self, messages: Sequence[Mapping[str, Any]], sample: int | None, more: Mapping[str, Any]
    ) -> ChatQuestion:
        """Return a chat question with the system prompt."""
        has_system = isinstance(self.system, PromptFile) and self.system
        system = [{"role": "system", "content": self.system.text}] if has_system else []  # type: ignore[attr-defined]
        number = self.sample if sample is None else sample
        return make_question(self.endpoint, number, {**self._make_parameters(), **more}, [*system, *messages])

    def _make_parameters(self) -> dict[str, Any]:
        """Return the parameters beside the messages; unset ones are part of neither question nor key."""
        optional = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens or None,
            "seed": self.model_seed,
            "reasoning_effort": self.effort or None,
        }
        return {"model": self.model, **{name: value for name, value in optional.items() if value is not None}}

    def _find_cached_call(self, question: ChatQuestion, trial: str) -> Call | None:
        """Return a call from the cache; failures are answers only offline."""
        if self._cache is None:
            return None
        failed = self._offline and self.keeps_failures
        # In batches, only calls of earlier runs count: whether another worker has just stored one must change no batch.
        call = self._cache.find(question.key, failed, earlier=self.batch > 1)
        if call is None and self._offline:
            call = self._cache.find(make_first_release_key(question.stored), failed)
            if call is None:
                raise InputError(
                    f"the answer for trial {trial!r} is not in the cache, and the work is offline",
                    remedy=self.offline_remedy,
                )
        return call

    def _send_question(self, question: ChatQuestion) -> Call:
        """Send a question, or write it into the batch file; return the call."""
        if self._batch is not None:
            self._batch.add(question.key, question.sent, question.stored, self.asker)
            failure = "written into a batch file, and not answered yet"
            return Call(key=question.key, question=question.stored, content=None, failure=failure)
        self._check_budget()
        call = self._convert_reply(self._open_endpoint().ask(question.sent), question.stored, question.key)
        call = call._replace(pictures=tuple(picture.record() for picture in question.pictures))
        PROCESS_COST.add(call.prompt_tokens, call.completion_tokens, call.cost)
        if self._cache is not None and (call.failure is None or self.keeps_failures):
            self._cache.add(call)
        return call

    def _convert_reply(self, reply: Reply, question: Mapping[str, Any], key: str) -> Call:
        """Return a reply as a call: a filter of the endpoint is a refusal by the model, anything else without an answer a failure."""
        if reply.data is not None:
            return self._make_call(reply.data, question, key, reply.tries, reply.adapted)
        failure = None if reply.filtered else reply.reason
        finish = "content_filter" if reply.filtered else None
        return Call(
            key=key,
            question=question,
            content=None,
            tries=reply.tries,
            finish=finish,
            failure=failure,
            asker=self.asker,
        )

    def _make_call(
        self,
        data: Mapping[str, Any],
        question: Mapping[str, Any],
        key: str,
        tries: int = 1,
        adapted: tuple[str, ...] = (),
    ) -> Call:
        """Return a chat completion as a call; fields that the endpoint left out are missing and no error."""
        # The endpoint's reply had these when it was accepted (`dialects.ChatCompletions.completion`).
        choice, usage = data["choices"][0], data.get("usage")
        chat_message = choice["message"]
        usage = usage if isinstance(usage, dict) else {}
        tokens_in, tokens_out = _get_number(usage.get("prompt_tokens")), _get_number(usage.get("completion_tokens"))
        return Call(
            key=key,
            question=question,
            content=get_message_text(chat_message),
            refusal=_get_text(chat_message.get("refusal")),
            reasoning=_get_text(chat_message.get("reasoning_content")) or _get_text(chat_message.get("reasoning")),
            finish=_get_text(choice.get("finish_reason")),
            model=_get_text(data.get("model")),
            prompt_tokens=tokens_in,
            completion_tokens=tokens_out,
            cost=(tokens_in * self.price_in + tokens_out * self.price_out) / 1e6,
            tries=tries,
            asker=self.asker,
            adapted=adapted,
            logprobs=tuple(_list_likely_tokens(choice.get("logprobs"))),
        )

    def take_batch(self, answers: Path, questions: Mapping[str, Mapping[str, Any]]) -> int:
        """Cache the answers of a batch file to these questions; returns how many there were."""
        from referee.models.batch_files import read_answers

        if self._cache is None:
            raise InputError("the answers of a batch need a response cache", remedy="call remember(folder) first")
        taken = 0
        for key, data, failure in read_answers(answers):
            if key in questions and self._cache.find(key) is None:
                call = (
                    Call(key=key, question=questions[key], content=None, failure=failure, asker=self.asker)
                    if data is None
                    else self._make_call(data, questions[key], key)
                )
                self._cache.add(call)
                taken += 1
        return taken

    def _check_budget(self) -> None:
        """Raise InputError where the budget is spent.

        All calls of this asker in the cache count, also earlier ones.
        """
        if not (self.budget or self.budget_tokens):
            return
        spent = self._cache.costs.get(self.asker) if self._cache is not None else PROCESS_COST
        if spent is None:
            return
        over = [
            *([f"{spent.cost:.4g} of {self.budget:g}"] if self.budget and spent.cost >= self.budget else []),
            *(
                [f"{spent.tokens} of {self.budget_tokens} tokens"]
                if self.budget_tokens and spent.tokens >= self.budget_tokens
                else []
            ),
        ]
        if over:
            raise InputError(
                f"the budget of {self.asker or self.model} is spent ({', '.join(over)})",
                remedy="answers so far are stored: the same command with a larger budget: (or budget_tokens:) resumes from there",
            )

    def _open_endpoint(self) -> Any:
        """Return the endpoint or local model; all threads share it with its limits."""
        with self._making:
            if self._opened is None:
                self._opened = (
                    open_local(self.endpoint, self.workers) if is_local(self.endpoint) else self._make_endpoint()
                )
            return self._opened

    def _make_endpoint(self) -> Endpoint:
        """Return the endpoint with this client's options."""
        return Endpoint(
            self.endpoint,
            self.model,
            self.key_variable,
            self.timeout_s,
            self.tries,
            self.pause_s,
            self.per_minute,
            self.patience,
            self.tokens_per_minute,
            self.parallel,
            self.longest_pause_s,
            self.headers_variable,
        )

    def count(self, outcome: str, call: Call) -> None:
        """Count the outcome of a call, and its cost when it is used for the first time."""
        with self._making:
            # In the object's own dictionary: a counter on the class would be shared by all models of a run.
            counts: Counter[str] = self.__dict__.setdefault("counts_", Counter())
            counts[outcome] += 1
            seen: set[str] = self.__dict__.setdefault("seen_", set())
            if call.key not in seen:
                seen.add(call.key)
                counts["retries"] += call.tries - 1
                counts["prompt_tokens"] += call.prompt_tokens
                counts["completion_tokens"] += call.completion_tokens
                self.__dict__["cost_"] = self.__dict__.get("cost_", 0.0) + call.cost
                counts.update(f"without {name}" for name in call.adapted)

    @property
    def counted(self) -> Counter[str]:
        """Return the counts so far; outcomes that did not occur count 0."""
        counts: Counter[str] = self.__dict__.get("counts_", Counter())
        return counts

    def account(self) -> dict[str, float]:
        """Return the counts of outcomes, tokens and retries, and the cost by the given prices."""
        counts = self.counted
        names = (
            "answered",
            "refused",
            "unparsable",
            "cut off",
            "failed",
            "retries",
            "prompt_tokens",
            "completion_tokens",
        )
        left_out = {name: number for name, number in sorted(counts.items()) if name.startswith(("without ", "asked"))}
        return {**{name: counts[name] for name in names}, "cost": self.__dict__.get("cost_", 0.0), **left_out}


def _is_probe_answer(content: str | None) -> bool:
    """Return whether an answer follows the test question's schema."""
    try:
        return json.loads(content or "")["is_wet"] in ("yes", "no")
    except (ValueError, LookupError, TypeError):
        return False


def _get_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _get_number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _list_likely_tokens(logprobs: object) -> list[tuple[str, float, list[tuple[str, float]]]]:
    """Return the tokens of an answer with their log probabilities, and the most probable alternatives of each."""
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    likely_tokens = []
    for token in tokens if isinstance(tokens, list) else ():
        try:
            others = [(str(t["token"]), float(t["logprob"])) for t in token.get("top_logprobs") or ()]
            likely_tokens.append((str(token["token"]), float(token["logprob"]), others))
        except (KeyError, TypeError, ValueError, AttributeError):
            return []
    return likely_tokens
