"""Tangrams in networks of four who swap partners (Hawkins, Franke, Frank, Goldberg, Smith, Griffiths & Goodman 2023)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from referee.contracts import Card
from referee.corpora.games import (
    Games,
    Message,
    Round,
    add_history,
    join_messages,
    list_events,
    make_response,
    record_click,
)
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import find_files, read_rows
from referee.errors import UnknownName
from referee.records import Entity, Outcome, Property, Response, Scene, Trial

FILE = "trials.jsonl.gz"
PARTS = ("complete", "all")
WHO = {"s": "speaker", "l": "listener"}


class ConventionsNetwork(Games):
    """2,208 trials of 23 complete networks (2,279 of 27 with ``part="all"``): 16 trials with each of three partners, contexts of four tangrams.

    A game is a network, the unit that was sampled; history is that of a pair (``meta["pair"]``). ``meta["partner"]`` and ``meta["repetition"]`` count from 1.
    """

    card = Card(
        name="conventions-network",
        title="Tangram reference games with partner swaps",
        source="hawkrobe/conventions_model on GitHub, commit efafcf8, data/experiment3",
        licence="none stated",
        languages=("en",),
        citation="Hawkins, Franke, Frank, Goldberg, Smith, Griffiths & Goodman 2023, Psychological Review",
        sampled=("game",),
        faults=(
            "which of the wrong figures was clicked is not known: a wrong click is a response without an entity (outcome unparsable)",
            "no times",
            "the authors analyse the 23 complete networks only; part all has all 27",
            "the figures have no attributes, only their letters",
        ),
        files=(f"conventions-network/{FILE}",),
    )

    def __init__(self, data: Any = None, part: str = "complete") -> None:
        super().__init__(data)
        self.part = part

    def _read_rounds(self) -> Iterator[Round]:
        """Return the rounds of the chosen part of the corpus."""
        if self.part not in PARTS:
            raise UnknownName("part", self.part, PARTS, hint=f"one of {', '.join(PARTS)}")
        (path,) = find_files(self.data, "conventions-network", FILE)
        return (r for r in read_rows(path, _make_round) if self.part == "all" or r.trial.meta["complete"])

    def trials(self) -> Iterator[Trial]:
        return add_history((r.trial for r in self._read_rounds()), "pair")


def _make_round(row: dict[str, Any]) -> Round:
    """Return a row as a round. Raises WrongShape if its fields contradict each other."""
    network, partner, number = (get_field(row, field, int) for field in ("network", "partner", "trial"))
    letters, target = get_field(row, "context", list), get_field(row, "target", str)
    if len(set(letters)) != len(letters) or target not in letters:
        raise WrongShape(
            f"the target {target!r} and the context {letters!r:.40} do not agree", "name four figures once"
        )
    right = get_field(row, "correct", bool)
    if right != (get_field(row, "clicked", str) == "target"):
        raise WrongShape(f"correct is {right}, but {row['clicked']} was clicked")
    messages = [Message(WHO[by], text, None).checked() for by, text in get_field(row, "messages", list)]
    pair, speaker = f"{network}-{partner}-{get_field(row, 'room', int)}", get_field(row, "speaker", str)
    context = sorted(letters)
    trial = Trial(
        id=f"conventions-{pair}-{number}",
        scene=Scene(
            id=f"context-{''.join(context)}",
            entities=tuple(Entity(id=a, attributes=(Property("name", a),)) for a in context),
        ),
        targets=(target,),
        domain="tangrams",
        condition=f"partner-{partner}-repetition-{get_field(row, 'repetition', int)}",
        speaker=speaker,
        episode=list_events(messages, *([record_click(target, correct=True)] if right else [])),
        references=join_messages(messages, speaker=speaker),
        meta={
            "game": str(network),
            "pair": pair,
            "partner": partner,
            "repetition": row["repetition"],
            "complete": get_field(row, "complete_network", bool),
        },
    )
    return Round(trial, (_make_response(trial, get_field(row, "listener", str), right),))


def _make_response(trial: Trial, listener: str, right: bool) -> Response:
    """Return the listener's answer; a wrong one is unparsable, since its figure is not recorded."""
    if right:
        return make_response(trial, listener, trial.targets[0])
    description = next(iter(trial.references), None)
    flags = ("wrong figure, not known which",)
    return Response(trial=trial.id, hearer=listener, outcome=Outcome.UNPARSABLE, description=description, flags=flags)
