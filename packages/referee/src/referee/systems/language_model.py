"""A language model as speaker, behind any OpenAI-compatible endpoint (the reference game of clembench and ICCA: one
scene in words, one description back).

The prompt is built from the speaker's view alone. A refusal, an unparsable answer, and a missing answer are three
different outcomes, and none of them is a description. Questions and raw answers are stored with the run's results, so
that a run can be replayed offline.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Self

from referee.errors import InputError
from referee.models.answers.calls import OUTCOMES, parse_call
from referee.models.messages import Picture, make_message
from referee.models.model_client import ModelClient
from referee.models.prompt_files import PromptFile, fill_prompt
from referee.models.response_cache import Call
from referee.records import Description, Entity, Property, SpeakerView, Trial
from referee.show.drawing import draw_marked
from referee.systems.object_lists import check_places, format_objects

LANGUAGES = {
    "en": "English",
    "pt": "Portuguese",
    "de": "German",
    "es": "Spanish",
    "nl": "Dutch",
    "zh": "Mandarin Chinese",
    "ja": "Japanese",
}
ANSWERS = ("text", "properties")
LOCATIONS = ("condition", "allowed", "forbidden", "unsaid")
FORMS = {
    "text": "Answer with the description alone, on one line.",
    "properties": 'Answer with one JSON object alone: {"description": "…", "properties": [["attribute", "value"], …]}, '
    "where properties are the listed attribute values that your description expresses.",
}
ALLOWED = "You may say where it is."
FORBIDDEN = "Do not say where it is: the listener sees the objects in other places."
SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "description",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {
                "description": {"type": "string"},
                "properties": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
            },
            "required": ["description", "properties"],
            "additionalProperties": False,
        },
    },
}


@dataclass(eq=False, repr=False, kw_only=True)
class LanguageModel(ModelClient):
    """Asks a model to describe the target for a listener; options as for `ModelClient`.

    Args:
        answer: "text" (words only) or "properties" (words and the attribute values they express, as JSON).
        examples: number of human descriptions from the training part in the prompt.
        places: as "coordinates", "words" or "none".
        location: whether the prompt permits positions: by the trial's "condition" (TUNA's +LOC and -LOC), "allowed", "forbidden" or "unsaid".
        image: also sends the scene as a picture, the target in a frame.
        words: lists the objects; without it the prompt has only the picture.
    """

    answer: str = "text"
    examples: int = 0
    places: str = "coordinates"
    location: str = "condition"
    image: bool = False
    words: bool = True

    examples_: tuple[Trial, ...] = field(default=(), init=False)
    trouble_: str = field(default="", init=False)

    @property
    def learns(self) -> bool:
        """Whether the prompt has examples from the training part."""
        return self.examples > 0

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Choose the examples, if requested: evenly spread over the training part, only those with words."""
        worded = [t for t in trials if t.references and t.references[0].text] if self.examples else []
        step = max(1, len(worded) // max(1, self.examples))
        self.examples_ = tuple(worded[::step][: self.examples])
        return self

    def describe(self, view: SpeakerView) -> Description:
        """Return the model's description; empty (neither words nor properties) if it gave none."""
        self._check()
        schema: dict[str, Any] = {"response_format": SCHEMA} if self.schema and self.answer == "properties" else {}
        call = self.ask(self._build_messages(view), view.id, **schema)
        outcome, description = self._interpret(call, view)
        self.trouble_ = "" if outcome == "answered" else _describe_outcome(outcome, call)
        self.count(outcome, call)
        return description

    def _interpret(self, call: Call, view: SpeakerView) -> tuple[str, Description]:
        """Return the outcome of a call and its description."""
        return interpret_call(call, self.answer)

    def _check(self) -> None:
        """Raise InputError for missing or invalid options."""
        if not self.model:
            raise InputError(
                "no model is named", remedy='say which: --systems "llm/openai-compatible|model:NAME|endpoint:URL"'
            )
        if self.answer not in ANSWERS:
            raise InputError(f"answer:{self.answer} is unknown", remedy="write answer:text or answer:properties")
        if self.location not in LOCATIONS:
            raise InputError(f"location cannot be {self.location!r}", remedy=f"one of {', '.join(LOCATIONS)}")
        check_places(self.places)
        if not self.words and not self.image:
            raise InputError("without words there is nothing to describe", remedy="words:no needs image:yes")

    def _build_messages(self, view: SpeakerView) -> list[dict[str, Any]]:
        """Return the messages: examples and the question."""
        messages: list[dict[str, Any]] = []
        for trial in self.examples_:
            reference = trial.references[0]
            messages += [
                self._build_question(trial.for_speaker()),
                make_message("assistant", _format_answer(reference, self.answer)),
            ]
        return [*messages, self._build_question(view)]

    def _build_question(self, view: SpeakerView) -> dict[str, Any]:
        """Return the question about a view as a message."""
        template = self.prompt if isinstance(self.prompt, PromptFile) and self.prompt else None
        words = build_prompt(view, self.answer, self.places, self.location, template, self.words, self.image)
        return make_message("user", words, [Picture(draw_marked(view.scene, view.targets))] if self.image else ())


def build_prompt(
    view: SpeakerView,
    answer: str = "text",
    places: str = "coordinates",
    location: str = "condition",
    template: PromptFile | None = None,
    words: bool = True,
    image: bool = False,
) -> str:
    """Return the scene in words: entities numbered in random order, the target by number, without ids."""
    entities = shuffle_entities(view)
    # Ids tell: in TUNA's furniture they encode type, colour, size and orientation.
    numbers = {e.id: i for i, e in enumerate(entities, 1)}
    listed = "\n".join(f"{i}. {line}" for i, line in enumerate(format_objects(entities, places), 1))
    target = (
        " and ".join(f"object {numbers[t]}" for t in sorted(view.targets, key=numbers.__getitem__))
        if words
        else "the framed object"
    )
    language = LANGUAGES.get(view.language, view.language)
    if template is not None:
        return fill_prompt(
            template,
            objects=listed,
            target=target,
            language=language,
            form=FORMS[answer],
            location=_describe_location(view, location),
        )
    it = "it" if len(view.targets) == 1 else "them"
    shown = (
        "The picture shows the scene; what is meant has a frame, which the listener does not see.\n\n" if image else ""
    )
    others = (
        f"A listener sees these objects in another order and without numbers:\n{listed}\n\n"
        if words
        else "A listener sees the same objects in another order.\n\n"
    )
    parts = (
        f"Describe {target} in {language}, as a person would, so that the listener can find {it}.",
        _describe_location(view, location).replace("it is", "they are")
        if it == "them"
        else _describe_location(view, location),
        "Do not mention numbers of this list." if words else "Do not mention the frame.",
        FORMS[answer],
    )
    return shown + others + " ".join(filter(None, parts))


def shuffle_entities(view: SpeakerView) -> Sequence[Entity]:
    """Return the entities in an order that the scene and the target determine.

    Files such as TUNA's list the target first, and a model would learn that.
    """
    entities = sorted(view.scene.entities, key=lambda e: e.id)
    Random(f"{view.scene.id}|{'|'.join(view.targets)}|{'|'.join(e.id for e in entities)}").shuffle(entities)
    return entities


def _describe_location(view: SpeakerView, location: str) -> str:
    """Return the sentence on whether positions may be named, if known: TUNA's speakers were instructed."""
    if location == "condition":
        condition = (view.condition or "").upper()
        location = "allowed" if "+LOC" in condition else "forbidden" if "-LOC" in condition else "unsaid"
    return {"allowed": ALLOWED, "forbidden": FORBIDDEN}.get(location, "")


def _format_answer(description: Description, answer: str) -> str:
    """Return an example's answer in the requested format."""
    if answer == "text":
        return description.text or ""
    pairs = [list(p) for p in description.properties or ()]
    return json.dumps({"description": description.text, "properties": pairs}, ensure_ascii=False)


def interpret_call(call: Call, answer: str = "text") -> tuple[str, Description]:
    """Return the outcome of a call and its description, which is empty unless answered.

    The outcome is answered, refused, unparsable, cut off or failed.
    """
    parsed = parse_call(call, "properties" if answer == "properties" else "description")
    outcome = OUTCOMES[parsed.outcome]
    if parsed.value is None:
        return outcome, Description()
    if answer != "properties":
        return outcome, Description(text=parsed.value)
    text, pairs = parsed.value
    return outcome, Description(text=text, properties=tuple(Property(*pair) for pair in pairs))


def _describe_outcome(outcome: str, call: Call) -> str:
    """Return the reason why a call gave no description, for the user."""
    if outcome == "failed":
        return f"the endpoint did not answer: {call.failure}"
    answer = (call.refusal or call.content or "").strip()
    shown = f": {answer[:120]!r}" if answer else ""
    if outcome == "refused":
        return f"the model refused{shown}"
    if outcome == "cut off":
        return f"the model's answer was cut off: raise max_tokens{shown}"
    return f"the model's answer is not one description{shown or ': it is empty'}"
