"""A language model as speaker, behind any OpenAI-compatible endpoint (the reference game of clembench and ICCA: one scene in words, one description back).

The prompt is built from the speaker's view alone. A refusal, an answer that cannot be read, and a question that was never answered are three different
outcomes, and none of them is a description. Questions and raw answers are kept where the run keeps its results, so that a run can be replayed offline.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from referee.errors import InputError
from referee.llm.call_book import Call, CallBook, is_refusal, keep_reply, key_of
from referee.llm.client import Endpoint
from referee.records import Description, Entity, Property, SpeakerView, Trial

__all__ = ["LanguageModel", "build_prompt", "understand"]

LANGUAGES = {
    "en": "English",
    "pt": "Portuguese",
    "de": "German",
    "nl": "Dutch",
    "zh": "Mandarin Chinese",
    "ja": "Japanese",
}
ANSWERS = ("text", "properties")
LONGEST = 400
FENCE = re.compile(r"^```[a-z]*\s*\n(.*?)\n?```$", re.DOTALL)
LABEL = re.compile(r"^(?:\**(?:description|answer|referring expression)\**\s*:\**\s*)", re.IGNORECASE)


class LanguageModel:
    """Asks a model to describe the target so that a listener can find it.

    `answer` is "text" (words only) or "properties" (words and the attribute values they express, as JSON); `examples` shows that many human
    descriptions from the training part. `parallel` questions are on their way at once, at most `per_minute` a minute (0: no limit). Prices are per
    million tokens. 0 for `max_tokens` leaves it to the endpoint.
    """

    def __init__(
        self,
        model: str = "",
        endpoint: str = "http://localhost:8000/v1",
        key_variable: str = "OPENAI_API_KEY",
        temperature: float = 0.0,
        max_tokens: int = 120,
        answer: str = "text",
        examples: int = 0,
        parallel: int = 4,
        per_minute: float = 0.0,
        timeout_s: float = 60.0,
        tries: int = 4,
        pause_s: float = 1.0,
        price_in: float = 0.0,
        price_out: float = 0.0,
    ) -> None:
        self.model = model
        self.endpoint = endpoint
        self.key_variable = key_variable
        self.temperature = temperature
        self.max_tokens = max_tokens
        self.answer = answer
        self.examples = examples
        self.parallel = parallel
        self.per_minute = per_minute
        self.timeout_s = timeout_s
        self.tries = tries
        self.pause_s = pause_s
        self.price_in = price_in
        self.price_out = price_out

    _making = threading.Lock()
    _asker: Endpoint | None = None
    _book: CallBook | None = None
    _offline = False

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Choose the examples, if any are wanted: evenly spread over the training part, those with words only."""
        worded = [t for t in trials if t.references and t.references[0].text] if self.examples else []
        step = max(1, len(worded) // max(1, self.examples))
        self.examples_ = tuple(worded[::step][: self.examples])
        return self

    def remember(self, folder: Path, offline: bool = False) -> Self:
        """Keep calls in a folder and look there first; offline, look nowhere else."""
        self._book = CallBook(folder)
        self._offline = offline
        return self

    def describe(self, view: SpeakerView) -> Description:
        """The model's description; nothing (neither words nor properties) where it gave none."""
        question = self._question(view)
        key = key_of(question)
        call = self._book.find(key, failed=self._offline) if self._book else None
        if call is None:
            call = self._ask(question, key, view)
        outcome, description = understand(call, self.answer)
        self.trouble_ = "" if outcome == "answered" else _told(outcome, call)
        self._count(
            {
                outcome: 1,
                "prompt_tokens": call.prompt_tokens,
                "completion_tokens": call.completion_tokens,
                "retries": call.tries - 1,
            }
        )
        return description

    def account(self) -> dict[str, float]:
        """What the calls came to: outcomes, tokens, retries, and the cost by the prices given."""
        counts = getattr(self, "counts_", Counter())
        names = ("answered", "refused", "unparsable", "failed", "retries", "prompt_tokens", "completion_tokens")
        cost = (counts["prompt_tokens"] * self.price_in + counts["completion_tokens"] * self.price_out) / 1e6
        return {**{name: counts[name] for name in names}, "cost": cost}

    def _count(self, more: Mapping[str, int]) -> None:
        with self._making:
            if not hasattr(self, "counts_"):
                self.counts_: Counter[str] = Counter()
            self.counts_.update(more)

    def _question(self, view: SpeakerView) -> dict[str, Any]:
        if not self.model:
            raise InputError(
                "no model is named", remedy='say which: --systems "llm/openai-compatible|model:NAME|endpoint:URL"'
            )
        if self.answer not in ANSWERS:
            raise InputError(f"there is no answer {self.answer!r}", remedy="answer:text or answer:properties")
        messages: list[dict[str, str]] = []
        for trial in getattr(self, "examples_", ()):
            said = trial.references[0]
            messages += [
                {"role": "user", "content": build_prompt(trial.for_speaker(), self.answer)},
                {"role": "assistant", "content": _as_answered(said, self.answer)},
            ]
        messages.append({"role": "user", "content": build_prompt(view, self.answer)})
        question: dict[str, Any] = {"model": self.model, "temperature": self.temperature, "messages": messages}
        return {**question, "max_tokens": self.max_tokens} if self.max_tokens else question

    def _ask(self, question: dict[str, Any], key: str, view: SpeakerView) -> Call:
        """A call over the network; one that failed is kept as such, and asked again unless offline."""
        if self._offline:
            raise InputError(
                f"the answer for trial {view.id!r} was not kept, and the run is offline",
                remedy="replay with the same systems, corpus, folds and seed, or run it online",
            )
        reply = self._endpoint().ask(question)
        if reply.data is not None:
            call = keep_reply(reply.data, question, key, reply.tries)
        else:
            call = Call(key=key, question=question, content=None, tries=reply.tries, failure=reply.reason)
            if "content_filter" in reply.reason:
                call = replace(call, finish="content_filter", failure=None)
        if self._book:
            self._book.add(call)
        return call

    def _endpoint(self) -> Endpoint:
        with self._making:
            if self._asker is None:
                self._asker = Endpoint(
                    self.endpoint, self.key_variable, self.timeout_s, self.tries, self.pause_s, self.per_minute
                )
            return self._asker


def build_prompt(view: SpeakerView, answer: str = "text") -> str:
    """The scene in words: entities numbered in the order of the scene, the target by its number, ids left out."""
    numbers = {e.id: i for i, e in enumerate(view.scene.entities, 1)}
    objects = "\n".join(f"{numbers[e.id]}. {_in_words(e, numbers)}" for e in view.scene.entities)
    targets = " and ".join(f"object {numbers[t]}" for t in view.targets)
    language = LANGUAGES.get(view.language, view.language)
    form = (
        "Answer with the description alone, on one line."
        if answer == "text"
        else 'Answer with one JSON object alone: {"description": "…", "properties": [["attribute", "value"], …]}, '
        "where properties are the listed attribute values that your description expresses."
    )
    return (
        f"A listener sees these objects in another order and without numbers:\n{objects}\n\n"
        f"Describe {targets} in {language}, as a person would, so that the listener can find {'it' if len(view.targets) == 1 else 'them'}. "
        f"Do not mention numbers of this list. {form}"
    )


def _in_words(entity: Entity, numbers: Mapping[str, int]) -> str:
    parts = [f"{p.name}: {p.value}" for p in entity.attributes]
    parts += [f"{r.name} object {numbers[r.entity]}" for r in entity.relations if r.entity in numbers]
    if entity.position is not None:
        parts.append(f"position: ({', '.join(format(x, 'g') for x in entity.position)})")
    return "; ".join(parts) or "(nothing is known)"


def _as_answered(said: Description, answer: str) -> str:
    if answer == "text":
        return said.text or ""
    pairs = [list(p) for p in said.properties or ()]
    return json.dumps({"description": said.text, "properties": pairs}, ensure_ascii=False)


def understand(call: Call, answer: str = "text") -> tuple[str, Description]:
    """The outcome of a call (answered, refused, unparsable or failed) and what was described, which is nothing unless answered."""
    if call.failure is not None:
        return "failed", Description()
    content = (call.content or "").strip()
    if fenced := FENCE.match(content):
        content = fenced[1].strip()
    if is_refusal(call):
        return "refused", Description()
    description = None
    if call.finish != "length":
        description = _read_json(content) if answer == "properties" else _read_line(content)
    return ("unparsable", Description()) if description is None else ("answered", description)


def _told(outcome: str, call: Call) -> str:
    """Why there is no description, in words for the user."""
    if outcome == "failed":
        return f"the endpoint did not answer: {call.failure}"
    answer = (call.refusal or call.content or "").strip()
    shown = f": {answer[:120]!r}" if answer else ""
    if outcome == "refused":
        return f"the model refused{shown}"
    cut = " (cut off: raise max_tokens)" if call.finish == "length" else ""
    return f"the model's answer is not one description{cut}{shown or ': it is empty'}"


def _read_line(content: str) -> Description | None:
    """One line of words, with or without quotation marks or a label before it; anything longer is not one description."""
    text = LABEL.sub("", content).strip().strip("\"'“”‘’`*").strip()
    if not text or "\n" in text or len(text) > LONGEST or text[0] in "{[<":
        return None
    return Description(text=text)


def _read_json(content: str) -> Description | None:
    try:
        data = json.loads(content)
        text, given = data["description"], data["properties"]
        pairs = [(name, value) for name, value in (given.items() if isinstance(given, Mapping) else given)]
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    plain = all(isinstance(name, str) and isinstance(value, (str, int, float)) for name, value in pairs)
    if not isinstance(text, str) or not text.strip() or not plain:
        return None
    return Description(text=text.strip(), properties=tuple(Property(*pair) for pair in pairs))
