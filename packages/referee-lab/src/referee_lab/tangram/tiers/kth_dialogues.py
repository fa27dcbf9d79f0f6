"""KTH Tangrams as dialogues.

Twenty figures with their positions, speech, selections, one expression for every round (Shore, Androulakaki & Skantze
2018).

There is no cursor and no mark-up of single expressions: the instructor's words up to the first selection of a round
counts as one expression for its figure, or, by utterance, each utterance of it that has a form. By utterance a pronoun
is an utterance without a describing word, but with *it*, *this* or *that* outside of set phrases (*got it*, *it's my
turn*). Of a sample of 100 such calls (of 221) read by hand 94 were pronouns for the figure; the others were relative
(*the one that*) or about something else (*how to say it*).

The instructor of a round is its solver, the manipulator its operator; `data["player"]` tells who that is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from referee.corpora.kth import SOUNDS, KthTangrams
from referee.records import Entity, Event, Trial
from referee_lab.tangram.tiers.dialogue import ACTION, EXPRESSION, OPERATOR, POSITION, SOLVER, UTTERANCE, Dialogue
from referee_lab.tangram.tiers.reference_forms import PRONOUN, classify_form, split_words

SELECT, TURN = "select", "turn"
TURN_UNIT, UTTERANCE_UNIT = "turn", "utterance"
# Pronoun calls by utterance: right, of so many read by hand.
HAND_CHECK = (94, 100)
_POINTING = frozenset(["it", "it's", "its", "this", "that", "that's", "these", "those", "he", "she"])
_SET_PHRASE = re.compile(
    r"\b(?:got it|get it|(?:it's |is it )?(?:my|your) turn|(?:it's|is it) (?:me|you|mine|yours)|that's it|like that|said it"
    r"|(?:is )?that(?:'s| is)? (?:okay|ok|right|fine|good|correct|true))\b",
    re.IGNORECASE,
)
ROLES = {"instructor": SOLVER, "manipulator": OPERATOR}
# Upper ends of the hues that English names apart, as shares of the colour circle; red closes the circle.
HUES = (
    *((0.045, "red"), (0.125, "orange"), (0.19, "yellow"), (0.45, "green"), (0.52, "turquoise"), (0.72, "blue")),
    *((0.82, "purple"), (0.955, "pink"), (1.0, "red")),
)


def read_kth_dialogues(data: str | Path | None = None, *, unit: str = TURN_UNIT) -> list[Dialogue]:
    """Return one dialogue for every game of the corpus in a data folder."""
    games = groupby(KthTangrams(data).trials(), key=lambda t: t.meta["game"])
    return [make_dialogue(list(rounds), unit=unit) for _, rounds in games]


def make_dialogue(rounds: list[Trial], *, unit: str = TURN_UNIT) -> Dialogue:
    """Return the rounds of one game as a dialogue, in order.

    Times count from the start of the sound recording, as in the corpus.
    """
    game = rounds[0].meta["game"]
    utterances = sorted((e for t in rounds for e in t.episode if e.kind == UTTERANCE), key=_get_start)
    expressions = _iterate_expressions(rounds, utterances, unit)
    events = [
        *_iterate_positions(rounds),
        *map(_make_utterance, utterances),
        *expressions,
        *_iterate_selections(rounds),
    ]
    events.sort(key=_get_start)
    return Dialogue(
        id=f"kth-{game}",
        pair=f"kth-{game}",
        pieces={e.id: _list_attributes(e) for e in rounds[0].scene.entities},
        events=tuple(events),
        meta={"rounds": [_make_round_data(t) for t in rounds], "pointer": "none"},
    )


def name_colour(hue: float, saturation: float, brightness: float) -> str:
    """Return a plain name for a colour given as hue, saturation and brightness between 0 and 1."""
    if brightness < 0.2:
        return "black"
    if saturation < 0.15:
        return "white" if brightness > 0.85 else "grey"
    return next(name for end, name in HUES if hue <= end)


def _list_attributes(figure: Entity) -> dict[str, str]:
    """Return a figure's attributes with a colour name."""
    attributes = {a.name: a.value for a in figure.attributes}
    if "hsb" in attributes:
        attributes["colour"] = name_colour(*map(float, attributes["hsb"].split(",")))
    return attributes


def _make_round_data(trial: Trial) -> dict[str, Any]:
    instructor = next((e.by for e in trial.episode if e.kind == TURN), None)
    return {"round": trial.meta["round"], "referent": trial.targets[0], "instructor": instructor}


def _get_start(event: Event) -> float:
    """Return the start of an event; 0 if it has no times."""
    return event.start_ms or 0.0


def _make_utterance(event: Event) -> Event:
    """Return an utterance with its speaker's role and its round."""
    role = ROLES.get(str(event.data.get("role")), str(event.data.get("role")))
    about = {"round": event.data.get("round"), "player": event.by}
    return Event(kind=UTTERANCE, by=role, text=event.text, start_ms=event.start_ms, end_ms=event.end_ms, data=about)


def _iterate_expressions(rounds: Iterable[Trial], utterances: list[Event], unit: str) -> Iterator[Event]:
    """Yield the expressions of the instructor's utterances before the first selection of a round.

    By turn, all of them are one expression. By utterance, each is one that describes the figure or refers to it by a
    pronoun.
    """
    places = {id(e): i for i, e in enumerate(utterances)}
    for trial in rounds:
        chosen = next((_get_start(e) for e in trial.episode if e.kind == SELECT), float("inf"))
        spoken = [e for e in trial.episode if _is_instruction(e, trial) and _get_start(e) < chosen]
        about: dict[str, Any] = {"kind": EXPRESSION, "by": SOLVER, "entities": trial.targets}
        if unit == TURN_UNIT and trial.references:
            first = spoken[0]
            start, end = _get_start(first), max((e.end_ms or _get_start(e) for e in spoken), default=0.0)
            positions = {e.id: e.position for e in trial.scene.entities}
            data = {"utterance": places[id(first)], "round": trial.meta["round"], "positions": positions}
            # Speech may run on over the selection; the expression does not.
            end = max(start, min(end, chosen))
            yield Event(text=trial.references[0].text, start_ms=start, end_ms=end, data=data, **about)
        for event in spoken if unit != TURN_UNIT else ():
            text = " ".join(word for word in (event.text or "").split() if word not in SOUNDS)
            form = classify_form(text)
            pronoun = form == PRONOUN and bool(_POINTING & set(split_words(_SET_PHRASE.sub(" ", text))))
            if form is not None and (form != PRONOUN or pronoun):
                codes = ("dpr",) if pronoun else ()
                data = {"attributes": codes, "utterance": places[id(event)], "round": trial.meta["round"]}
                yield Event(text=text, start_ms=event.start_ms, end_ms=event.end_ms, data=data, **about)


def _is_instruction(event: Event, trial: Trial) -> bool:
    """Return whether an event is an utterance of the round's instructor."""
    return (
        event.kind == UTTERANCE
        and event.data.get("role") == "instructor"
        and event.data.get("round") == trial.meta["round"]
    )


def _iterate_selections(rounds: Iterable[Trial]) -> Iterator[Event]:
    """Yield the selections as actions, without the figure that was meant."""
    for trial in rounds:
        for event in trial.episode:
            if event.kind == SELECT:
                about = {"action": SELECT, "round": trial.meta["round"], "player": event.by}
                moment: dict[str, Any] = {"start_ms": event.start_ms, "end_ms": event.start_ms, "data": about}
                yield Event(kind=ACTION, by=OPERATOR, entities=event.entities, **moment)


def _iterate_positions(rounds: list[Trial]) -> Iterator[Event]:
    """Yield the positions of the figures: the initial ones, and those after each move."""
    for trial in rounds:
        for event in trial.episode:
            # The figures lie on the board before the first round is asked for.
            start = 0.0 if trial is rounds[0] and event.kind == TURN else event.start_ms
            for figure, (x, y) in event.data.get("positions", {}).items():
                yield Event(kind=POSITION, entities=(figure,), start_ms=start, data={"x": x, "y": y})
