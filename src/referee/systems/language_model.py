"""A language model as speaker, behind any OpenAI-compatible endpoint (the reference game of clembench and ICCA: one scene in words, one description back).

The prompt is built from the speaker's view alone. A refusal, an answer that cannot be read, and a question that was never answered are three different
outcomes, and none of them is a description. Questions and raw answers are kept where the run keeps its results, so that a run can be replayed offline.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from referee.errors import InputError
from referee.llm.answer_reading import AnswerKind, kind_of, unfenced
from referee.llm.call_book import Call
from referee.llm.model_client import ModelClient, object_line
from referee.records import Description, Property, SpeakerView, Trial

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
LABEL = re.compile(r"^(?:\**(?:description|answer|referring expression)\**\s*:\**\s*)", re.IGNORECASE)


@dataclass(eq=False, repr=False)
class LanguageModel(ModelClient):
    """Asks a model to describe the target so that a listener can find it.

    `answer` is "text" (words only) or "properties" (words and the attribute values they express, as JSON); `examples` shows that many human
    descriptions from the training part. `parallel` questions are on their way at once, at most `per_minute` a minute (0: no limit). Prices are per
    million tokens. 0 for `max_tokens` leaves it to the endpoint.
    """

    model: str = ""
    endpoint: str = "http://localhost:8000/v1"
    key_variable: str = "OPENAI_API_KEY"
    temperature: float = 0.0
    max_tokens: int = 120
    answer: str = "text"
    examples: int = 0
    parallel: int = 4
    per_minute: float = 0.0
    timeout_s: float = 60.0
    tries: int = 4
    pause_s: float = 1.0
    price_in: float = 0.0
    price_out: float = 0.0

    examples_: tuple[Trial, ...] = field(default=(), init=False)
    trouble_ = ""

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Choose the examples, if any are wanted: evenly spread over the training part, those with words only."""
        worded = [t for t in trials if t.references and t.references[0].text] if self.examples else []
        step = max(1, len(worded) // max(1, self.examples))
        self.examples_ = tuple(worded[::step][: self.examples])
        return self

    def describe(self, view: SpeakerView) -> Description:
        """The model's description; nothing (neither words nor properties) where it gave none."""
        call = self.ask(self._messages(view), view.id)
        outcome, description = understand(call, self.answer)
        self.trouble_ = "" if outcome == "answered" else _told(outcome, call)
        self.count(outcome, call)
        return description

    def account(self) -> dict[str, float]:
        """What the calls came to: outcomes, tokens, retries, and the cost by the prices given."""
        counts = self.counted
        names = ("answered", "refused", "unparsable", "failed", "retries", "prompt_tokens", "completion_tokens")
        cost = (counts["prompt_tokens"] * self.price_in + counts["completion_tokens"] * self.price_out) / 1e6
        return {**{name: counts[name] for name in names}, "cost": cost}

    def _messages(self, view: SpeakerView) -> list[dict[str, str]]:
        if not self.model:
            raise InputError(
                "no model is named", remedy='say which: --systems "llm/openai-compatible|model:NAME|endpoint:URL"'
            )
        if self.answer not in ANSWERS:
            raise InputError(f"there is no answer {self.answer!r}", remedy="answer:text or answer:properties")
        messages: list[dict[str, str]] = []
        for trial in self.examples_:
            said = trial.references[0]
            messages += [
                {"role": "user", "content": build_prompt(trial.for_speaker(), self.answer)},
                {"role": "assistant", "content": _as_answered(said, self.answer)},
            ]
        return [*messages, {"role": "user", "content": build_prompt(view, self.answer)}]


def build_prompt(view: SpeakerView, answer: str = "text") -> str:
    """The scene in words: entities numbered in the order of the scene, the target by its number, ids left out."""
    # Ids tell: in TUNA's furniture they encode type, colour, size and orientation.
    numbers = {e.id: i for i, e in enumerate(view.scene.entities, 1)}
    objects = "\n".join(f"{numbers[e.id]}. {object_line(e, numbers)}" for e in view.scene.entities)
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


def _as_answered(said: Description, answer: str) -> str:
    if answer == "text":
        return said.text or ""
    pairs = [list(p) for p in said.properties or ()]
    return json.dumps({"description": said.text, "properties": pairs}, ensure_ascii=False)


def understand(call: Call, answer: str = "text") -> tuple[str, Description]:
    """The outcome of a call (answered, refused, unparsable or failed) and what was described, which is nothing unless answered."""
    kind = kind_of(call)
    if kind in (AnswerKind.FAILED, AnswerKind.REFUSED):
        return kind.value, Description()
    description = None
    if kind is AnswerKind.WHOLE:
        content = unfenced(call.content or "")
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
    # Markup or JSON where words were asked for.
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
