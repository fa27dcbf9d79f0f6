"""KTH Tangrams as dialogues: one expression for every round, selections as actions, no cursor (Shore, Androulakaki & Skantze 2018)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from referee.corpora.kth import KthTangrams
from referee.records import Event, Trial
from referee.situated.tiers.dialogue import ACTION, EXPRESSION, OPERATOR, SOLVER, UTTERANCE, Dialogue

__all__ = ["SELECT", "dialogue_of", "kth_dialogues"]

SELECT = "select"
ROLES = {"instructor": SOLVER, "manipulator": OPERATOR}


def kth_dialogues(data: str | Path | None = None) -> list[Dialogue]:
    """One dialogue for every game; what the instructor said up to the first selection of a round is one expression for its figure."""
    trials = KthTangrams(data).trials()
    return [dialogue_of(list(rounds)) for _, rounds in groupby(trials, key=lambda t: t.meta["game"])]


def dialogue_of(rounds: list[Trial]) -> Dialogue:
    """The rounds of one game in order."""
    game = rounds[0].meta["game"]
    said = sorted((e for t in rounds for e in t.episode if e.kind == UTTERANCE), key=_start)
    events = [*map(_utterance, said), *_expressions(rounds, said), *_selections(rounds)]
    events.sort(key=_start)
    return Dialogue(
        id=f"kth-{game}",
        pair=f"kth-{game}",
        pieces={e.id: {a.name: a.value for a in e.attributes} for e in rounds[0].scene.entities},
        events=tuple(events),
        meta={"rounds": len(rounds)},
    )


def _start(event: Event) -> float:
    return event.start_ms or 0.0


def _utterance(event: Event) -> Event:
    role = ROLES.get(str(event.data.get("role")), str(event.data.get("role")))
    return Event(kind=UTTERANCE, by=role, text=event.text, start_ms=event.start_ms, end_ms=event.end_ms)


def _expressions(rounds: Iterable[Trial], said: list[Event]) -> Iterator[Event]:
    places = {id(e): i for i, e in enumerate(said)}
    for trial in rounds:
        if not trial.references:
            continue
        chosen = next((_start(e) for e in trial.episode if e.kind == SELECT), float("inf"))
        spoken = [e for e in trial.episode if _instructs(e, trial) and _start(e) < chosen]
        end = max((e.end_ms or _start(e) for e in spoken), default=0.0)
        yield Event(
            kind=EXPRESSION,
            by=SOLVER,
            text=trial.references[0].text,
            entities=trial.targets,
            start_ms=_start(spoken[0]),
            end_ms=max(_start(spoken[0]), min(end, chosen)),
            data={
                "utterance": places[id(spoken[0])],
                "round": trial.meta["round"],
                "positions": {e.id: e.position for e in trial.scene.entities},
            },
        )


def _instructs(event: Event, trial: Trial) -> bool:
    return (
        event.kind == UTTERANCE
        and event.data.get("role") == "instructor"
        and event.data.get("round") == trial.meta["round"]
    )


def _selections(rounds: Iterable[Trial]) -> Iterator[Event]:
    for trial in rounds:
        for event in trial.episode:
            if event.kind == SELECT:
                yield Event(
                    kind=ACTION,
                    by=OPERATOR,
                    entities=event.entities,
                    start_ms=event.start_ms,
                    end_ms=event.start_ms,
                    data={"action": SELECT},
                )
