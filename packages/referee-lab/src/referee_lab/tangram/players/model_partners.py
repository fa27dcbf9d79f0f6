"""A language model as speaker or hearer of a repeated reference game.

Its prompt has all earlier rounds with their targets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, Self

from referee.models.answers.calls import FAILED, parse_call
from referee.models.answers.parsing import ParsedAnswer
from referee.models.object_lines import format_object
from referee.records import Description, Entity, Event, HearerView, Outcome, Response, SpeakerView, Trial
from referee.systems.language_model import LANGUAGES
from referee_lab.tangram.players.contract import Unanswered
from referee_lab.tangram.players.model_players import PlayingModel

WORDS = {"several": Outcome.SEVERAL, "none": Outcome.NONE, "unknown": Outcome.DONT_KNOW}


class _Partner(PlayingModel):
    """The base of both roles."""

    def fit(self, trials: Iterable[Trial]) -> Self:
        return self

    def _ask_and_parse(self, text: str, trial: str, kind: str, **question: Any) -> ParsedAnswer:
        """Ask the model and return its parsed answer. Raises Unanswered if there is none."""
        self.check()
        parsed = parse_call(self.ask([{"role": "user", "content": text}], trial), kind, **question)
        if parsed.outcome == FAILED:
            raise Unanswered("the endpoint gave no answer", where=self.endpoint, remedy="see that the endpoint runs")
        return parsed


class ModelSpeaker(_Partner):
    """Describes the target; returns an empty description after an unparsable answer."""

    def describe(self, view: SpeakerView) -> Description:
        """Ask the model for a description of the target."""
        numbers = {e.id: i for i, e in enumerate(view.scene.entities, 1)}
        target = " and ".join(f"object {numbers[t]}" for t in view.targets)
        language = LANGUAGES.get(view.language, view.language)
        question = (
            "You play a game with a partner. Both of you see these objects, your partner in another order and without numbers:\n"
            f"{_list_entities(view.scene.entities, numbers)}\n\n{_format_past_rounds(view.history, numbers, speaking=True)}"
            f"Now describe {target} in {language}, so that your partner can find it. Do not mention numbers of this list. "
            "You may use what you two have established. Answer with the description alone, on one line."
        )
        return Description(text=self._ask_and_parse(question, view.id, "description").value)


class ModelHearer(_Partner):
    """Chooses an object by its number in a list whose order changes from round to round."""

    name = "model"

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Ask the model for the object that a description refers to."""
        entities = list(view.scene.entities)
        # From the question alone, so that a resumed game asks the identical question.
        Random(f"{view.id}|{description.text}").shuffle(entities)
        numbers = {e.id: i for i, e in enumerate(entities, 1)}
        question = (
            "You play a game with a partner, who describes one of these objects:\n"
            f"{_list_entities(entities, numbers)}\n\n{_format_past_rounds(view.history, numbers, speaking=False)}"
            f"Now your partner says: {description.text!r}\nWhich object is meant? Answer with its number alone, or with unknown if you cannot tell."
        )
        choice = self._ask_and_parse(question, view.id, "choice", options=len(entities)).value
        chosen = entities[choice - 1].id if isinstance(choice, int) else None
        outcome = Outcome.ENTITY if chosen else WORDS.get(choice, Outcome.UNPARSABLE)
        return Response(trial=view.id, hearer=self.model, outcome=outcome, entity=chosen, description=description)


def _list_entities(entities: Sequence[Entity], numbers: Mapping[str, int]) -> str:
    return "\n".join(f"{numbers[e.id]}. {format_object(e, numbers)}" for e in entities)


def _format_past_rounds(history: Sequence[Event], numbers: Mapping[str, int], *, speaking: bool) -> str:
    """Return earlier rounds in words, with the numbers of this round's list."""
    lines: list[str] = []
    description, chosen = "", list[str]()
    for event in history:
        if event.kind == "message":
            description, chosen = event.text or "(nothing)", []
        elif event.kind == "click":
            chosen.append(f"object {_parse_number(event, numbers)}" if event.entities else "nothing")
        elif event.kind == "feedback":
            speaker = "you said" if speaking else "your partner said"
            other = "you chose" if not speaking else "your partners chose" if len(chosen) > 1 else "your partner chose"
            what = ", ".join(chosen) or "nothing"
            lines.append(
                f"- {speaker} {description!r}, {other} {what}; object {_parse_number(event, numbers)} was meant"
            )
    return "The rounds so far:\n" + "\n".join(lines) + "\n\n" if lines else ""


def _parse_number(event: Event, numbers: Mapping[str, Any]) -> Any:
    return numbers.get(event.entities[0], "?")
