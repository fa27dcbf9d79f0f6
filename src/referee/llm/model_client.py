"""A chat model as its users have it, whether they speak, listen, judge or play: asked once per question, remembered, counted, and paced over several threads.

Whoever asks inherits from `ModelClient`, which holds the switches that all of them have. Questions are looked up among the kept calls first, so that
work goes on after a break and can be replayed without a network.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

from referee.errors import InputError
from referee.llm.answer_reading import words_of_message
from referee.llm.batch_files import BatchFile
from referee.llm.call_book import Call, CallBook
from referee.llm.call_index import CallIndex, number_of
from referee.llm.client import Endpoint, Reply
from referee.llm.local_models import is_local, open_local
from referee.llm.pace import TURN_S
from referee.llm.prompt_files import PromptFile, read_prompt
from referee.llm.question import ChatQuestion, QuestionForm, older_key_of
from referee.llm.spending import SPENT_HERE
from referee.switchboard import rest

__all__ = ["PACE", "ModelClient"]

PACE = frozenset(
    [
        *("key_variable", "parallel", "per_minute", "tokens_per_minute", "timeout_s", "tries", "pause_s"),
        *("longest_pause_s", "patience", "budget", "budget_tokens", "price_in", "price_out"),
    ]
)
"""Switches that say how fast, how patiently and at what price a model is asked, and never what: no part of a signature, nor of what makes a run this run."""


@dataclass(eq=False, repr=False, kw_only=True)
class ModelClient:
    """What askers of a chat model share.

    Args:
        model: its name at the endpoint.
        endpoint: an address (``https://HOST/v1``), or a model in this process: ``llama.cpp:FILE.gguf``, ``transformers:NAME``.
        key_variable: the environment variable with the key.
        temperature: none leaves it to the endpoint.
        top_p: likewise.
        max_tokens: of an answer, thoughts included; 0 leaves it to the endpoint.
        model_seed: the seed that is sent.
        effort: of reasoning (low, medium, high), where the model has it.
        schema: ask for JSON by `response_format`; a server that refuses it is asked in words.
        system: a file with a system prompt.
        prompt: a file with a prompt of one's own.
        sample: the number of the sample; another number is another call.
        parallel: questions on their way at once; fewer while the server complains.
        per_minute: questions a minute (0: no limit).
        tokens_per_minute: likewise.
        timeout_s: for a whole exchange.
        tries: of a question.
        pause_s: the first pause; each next is twice as long.
        longest_pause_s: also holds for what a server asks for.
        patience: questions in a row that may fail (0: any number).
        budget: what all calls of a run may cost (0: no limit); the work then stops, and a larger one goes on.
        budget_tokens: likewise in tokens.
        price_in: per million tokens of questions.
        price_out: per million tokens of answers.
    """

    model: str = ""
    endpoint: str = "http://localhost:8000/v1"
    key_variable: str = "OPENAI_API_KEY"
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

    unsigned: ClassVar[frozenset[str]] = PACE
    # Class attributes, since constructors of subclasses are left to parameters: those are what a signature is made of.
    # Whether a question that stayed unanswered is kept as such, to be replayed as a failure; online it is asked again.
    keeps_failures: ClassVar[bool] = True
    offline_remedy: ClassVar[str] = "replay with the same systems, corpus, folds and seed, or run it online"
    asker: str = field(default="", init=False)

    # One lock for all of a kind, on the class: objects travel between processes before they are used, and a lock cannot.
    _making: ClassVar[threading.Lock] = threading.Lock()
    _book: CallBook | None = field(default=None, init=False)
    _batch: BatchFile | None = field(default=None, init=False)
    _door: Any = field(default=None, init=False)
    _offline: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.system, self.prompt = read_prompt(self.system), read_prompt(self.prompt)

    def remember(self, folder: Path, offline: bool = False) -> Self:
        """Keep calls in a folder and look there first; offline, look nowhere else."""
        self._book = CallBook(folder)
        self._offline = offline
        return self

    def write_to(self, batch: BatchFile) -> Self:
        """Write questions that are not answered yet into a file instead of asking them."""
        self._batch = batch
        return self

    @property
    def waits_together(self) -> bool:
        """Whether questions wait for a network; a model in this process would hold up all others."""
        return not is_local(self.endpoint)

    def stop(self) -> None:
        """Ask nothing new; what is under way is still kept."""
        door = self._door
        if isinstance(door, Endpoint):
            door.stop()

    def ask(self, messages: Sequence[Mapping[str, Any]], trial: str, sample: int | None = None, **more: Any) -> Call:
        """The kept answer to these messages, or a new one; `InputError` names the trial where offline none was kept.

        `more` are further parameters of the request. Of two that ask the same at once, one waits for the other's answer.
        """
        told = (
            [{"role": "system", "content": self.system.text}]
            if isinstance(self.system, PromptFile) and self.system
            else []
        )
        question = self._form(self.sample if sample is None else sample, more).question([*told, *messages])
        call = self._kept(question, trial)
        if call is not None:
            return call
        asking: dict[str, ChatQuestion] = self.__dict__.setdefault("asking_", {})
        while asking.setdefault(question.key, question) is not question:
            rest(TURN_S)
        try:
            # Somebody else may have asked it meanwhile.
            return self._kept(question, trial) or self._put(question)
        finally:
            del asking[question.key]

    def _form(self, sample: int, more: Mapping[str, Any]) -> QuestionForm:
        """The form of the last question, since most have the same."""
        parameters = {**self._parameters(), **more}
        form: QuestionForm | None = self.__dict__.get("form_")
        if form is None or not form.fits(self.endpoint, sample, parameters):
            form = self.__dict__["form_"] = QuestionForm(self.endpoint, sample, parameters)
        return form

    def _parameters(self) -> dict[str, Any]:
        """What is sent beside the messages; what is not given is no part of the question, nor of its key."""
        optional = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens or None,
            "seed": self.model_seed,
            "reasoning_effort": self.effort or None,
        }
        return {"model": self.model, **{name: value for name, value in optional.items() if value is not None}}

    def _kept(self, question: ChatQuestion, trial: str) -> Call | None:
        """A call from the book; failures are answers only where nobody can be asked again."""
        if self._book is None:
            return None
        failed = self._offline and self.keeps_failures
        call = self._book.find(question.key, failed)
        if call is None and self._offline:
            call = self._book.find(older_key_of(question.kept), failed)
            if call is None:
                raise InputError(
                    f"the answer for trial {trial!r} was not kept, and the work is offline", remedy=self.offline_remedy
                )
        return call

    def _put(self, question: ChatQuestion) -> Call:
        key, kept = question.key, question.kept
        if self._batch is not None:
            self._batch.add(key, question.sent, kept, self.asker)
            return Call(key=key, question=kept, content=None, failure="written into a batch file, and not answered yet")
        self._check_budget()
        call = self._call_of(self._opened_door().ask(question.sent, question.body), kept, key)
        SPENT_HERE.add(call.prompt_tokens, call.completion_tokens, call.cost)
        if self._book is not None and (call.failure is None or self.keeps_failures):
            self._book.add(call, question.text)
        return call

    def _call_of(self, reply: Reply, question: Mapping[str, Any], key: str) -> Call:
        """A reply as a call to keep: a filter on the endpoint's side is a refusal by the model, anything else without an answer a failure."""
        if reply.data is not None:
            return self._keep(reply.data, question, key, reply.tries, reply.adapted)
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

    def _keep(
        self,
        data: Mapping[str, Any],
        question: Mapping[str, Any],
        key: str,
        tries: int = 1,
        adapted: tuple[str, ...] = (),
    ) -> Call:
        """A chat completion as a call to keep; what the endpoint left out is absent, not an error."""
        # The endpoint's reply had these when it was accepted (`client._understood`).
        choice, usage = data["choices"][0], data.get("usage")
        message = choice["message"]
        usage = usage if isinstance(usage, dict) else {}
        tokens_in, tokens_out = _number(usage.get("prompt_tokens")), _number(usage.get("completion_tokens"))
        return Call(
            key=key,
            question=question,
            content=words_of_message(message),
            refusal=_text(message.get("refusal")),
            reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
            finish=_text(choice.get("finish_reason")),
            model=_text(data.get("model")),
            prompt_tokens=tokens_in,
            completion_tokens=tokens_out,
            cost=(tokens_in * self.price_in + tokens_out * self.price_out) / 1e6,
            tries=tries,
            asker=self.asker,
            adapted=adapted,
            logprobs=tuple(_likely(choice.get("logprobs"))),
        )

    def take_batch(self, answers: Path, questions: Mapping[str, Mapping[str, Any]]) -> int:
        """Keep the answers of a batch file whose questions are ours; returns how many there were."""
        from referee.llm.batch_files import read_answers

        if self._book is None:
            raise InputError("answers need a folder to be kept in", remedy="call remember(folder) first")
        taken = 0
        for key, data, failure in read_answers(answers):
            if key in questions and self._book.find(key) is None:
                call = (
                    Call(key=key, question=questions[key], content=None, failure=failure, asker=self.asker)
                    if data is None
                    else self._keep(data, questions[key], key)
                )
                self._book.add(call)
                taken += 1
        return taken

    def _check_budget(self) -> None:
        """Stop before a question that the budget no longer covers; all calls of this asker's book count, those of earlier days, too."""
        if not (self.budget or self.budget_tokens):
            return
        spent = self._book.spent.get(self.asker) if self._book is not None else SPENT_HERE
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
                remedy="answers so far are kept: the same command with a larger budget: (or budget_tokens:) goes on from there",
            )

    def _opened_door(self) -> Any:
        """One endpoint for all threads, which then share its pace and its patience."""
        with self._making:
            if self._door is None:
                self._door = open_local(self.endpoint) if is_local(self.endpoint) else self._endpoint()
            return self._door

    def _endpoint(self) -> Endpoint:
        return Endpoint(
            self.endpoint,
            self.key_variable,
            self.timeout_s,
            self.tries,
            self.pause_s,
            self.per_minute,
            self.patience,
            self.tokens_per_minute,
            self.parallel,
            self.longest_pause_s,
        )

    def count(self, outcome: str, call: Call) -> None:
        """Note what came of a call, and what it took if this is the first time that it is used."""
        with self._making:
            # In the object's own dictionary: a counter on the class would be shared by all models of a run.
            counts: Counter[str] = self.__dict__.setdefault("counts_", Counter())
            counts[outcome] += 1
            seen: CallIndex = self.__dict__.setdefault("seen_", CallIndex())
            key = number_of(call.key)
            if seen.get(key) is None:
                seen.put(key, 0)
                counts["retries"] += call.tries - 1
                counts["prompt_tokens"] += call.prompt_tokens
                counts["completion_tokens"] += call.completion_tokens
                self.__dict__["cost_"] = self.__dict__.get("cost_", 0.0) + call.cost
                counts.update(f"without {name}" for name in call.adapted)

    @property
    def counted(self) -> Counter[str]:
        """What was noted so far; nothing yet counts as nought."""
        counts: Counter[str] = self.__dict__.get("counts_", Counter())
        return counts

    def account(self) -> dict[str, float]:
        """What the calls came to: outcomes, tokens, retries, and the cost by the prices given."""
        counts = self.counted
        names = ("answered", "refused", "unparsable", "failed", "retries", "prompt_tokens", "completion_tokens")
        told = {name: number for name, number in sorted(counts.items()) if name.startswith("without ")}
        return {**{name: counts[name] for name in names}, "cost": self.__dict__.get("cost_", 0.0), **told}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _likely(given: object) -> list[tuple[str, float, list[tuple[str, float]]]]:
    """Tokens of an answer with their log probabilities, and the likeliest others in their places."""
    tokens = given.get("content") if isinstance(given, dict) else None
    found = []
    for token in tokens if isinstance(tokens, list) else ():
        try:
            others = [(str(t["token"]), float(t["logprob"])) for t in token.get("top_logprobs") or ()]
            found.append((str(token["token"]), float(token["logprob"]), others))
        except (KeyError, TypeError, ValueError, AttributeError):
            return []
    return found
