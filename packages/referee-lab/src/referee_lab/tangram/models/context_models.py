"""Language models as speakers and overhearers of a dialogue.

Their prompt has the utterances and actions before the reference.

Referents of earlier expressions are annotations and not in the prompt; handled, pointed-at and chosen objects are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.hearers.remote import Remote
from referee.models.answers.calls import OUTCOMES
from referee.models.answers.cleaning import clean_answer
from referee.models.answers.descriptions import AROUND
from referee.models.messages import make_message
from referee.models.prompt_files import PromptFile
from referee.models.response_cache import Call
from referee.records import Description, Event, HearerView, Scene, SpeakerView
from referee.systems.language_model import LanguageModel, shuffle_entities
from referee_lab.tangram.models.dialogue_items import find_current_speaker, list_past_events
from referee_lab.tangram.tiers.dialogue import ACTION, GAZE, MOUSE, UTTERANCE
from referee_lab.tangram.tiers.reference_forms import classify_pronoun

EVENTS = 30


@dataclass(eq=False, repr=False, kw_only=True)
class ModelInDialogue(LanguageModel):
    """Asks a model to refer to the target as its speaker would at that point of the dialogue.

    Options as for `llm/openai-compatible`.

    Args:
        events: how many of the last utterances and actions the model reads.
    """

    events: int = EVENTS

    def _build_question(self, view: SpeakerView) -> dict[str, Any]:
        """Return the prompt's variables with the transcript and the speaker."""
        asked = super()._build_question(view)
        numbers = {e.id: n for n, e in enumerate(shuffle_entities(view), 1)}
        past = format_transcript(view.history, numbers, self.events)
        if not past:
            return asked
        by = find_current_speaker(view.history) or "the speaker"
        last = f"\n\nYou are {by}, and now refer to it in an utterance that goes on from there. A pronoun is a good answer where it is understood."
        parts = asked["content"]
        if isinstance(parts, str):
            return make_message("user", past + parts + last)
        return {**asked, "content": [{**p, "text": past + p["text"] + last} if "text" in p else p for p in parts]}

    def _interpret(self, call: Call, view: SpeakerView) -> tuple[str, Description]:
        """Return the outcome and the description; a pronoun, which elsewhere describes nothing, is one here."""
        outcome, description = super()._interpret(call, view)
        words = clean_answer(call.content or "").text.strip(AROUND + ".!?。！？")
        if outcome == OUTCOMES["unread"] and classify_pronoun(words, view.language.partition("-")[0]):
            return OUTCOMES["read"], Description(text=words)
        return outcome, description


@dataclass(eq=False, repr=False, kw_only=True)
class ModelOverhearer(Remote):
    """Asks a model for the referent of an expression, given the dialogue before it.

    Options as for `remote`.

    Args:
        events: how many of the last utterances and actions the model reads.
    """

    name = "dialogue/model"
    events: int = EVENTS

    def _word_question(self, text: str, shown: Scene, view: HearerView, template: PromptFile | None) -> str:
        """Return the prompt with the transcript before the question."""
        numbers = {e.id: n for n, e in enumerate(shown.entities, 1)}
        past = format_transcript(view.history, numbers, self.events)
        now = f"Now {find_current_speaker(view.history) or 'the speaker'} goes on. " if past else ""
        return past + now + super()._word_question(text, shown, view, template)


def format_transcript(history: Sequence[Event], numbers: Mapping[str, int], events: int = EVENTS) -> str:
    """Return the last utterances and actions of a history in words, with numbers for objects, and the pointing now;
    empty without any.
    """
    before, now = list_past_events(history)
    lines = [line for event in before if (line := _format_event(event, numbers))][-events:] if events > 0 else []
    lasting = [e for e in before if e.kind in (MOUSE, GAZE) and e.end_ms is not None and e.end_ms > now]
    for event in lasting[-1:]:
        lines.append(f"(the {'cursor' if event.kind == MOUSE else 'gaze'} is on {_list_objects(event, numbers)})")
    return "From a dialogue about the objects that are listed below:\n" + "\n".join(lines) + "\n\n" if lines else ""


def _format_event(event: Event, numbers: Mapping[str, int]) -> str:
    """Return one event as a line of the transcript."""
    by = event.by or "somebody"
    if event.kind in (UTTERANCE, "message"):
        return f"{by}: {event.text}" if event.text else ""
    if event.kind == ACTION:
        return f"({by}: {event.data.get('action') or 'handles'} {_list_objects(event, numbers)})"
    if event.kind in ("click", "feedback"):
        return f"({'chosen' if event.kind == 'click' else 'meant'}: {_list_objects(event, numbers)})"
    return ""


def _list_objects(event: Event, numbers: Mapping[str, int]) -> str:
    return " and ".join(f"object {numbers[id]}" for id in event.entities if id in numbers) or "nothing"
