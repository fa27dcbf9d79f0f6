"""KTH Tangrams: two people, twenty figures on two screens, speech and board events on one clock (Shore, Androulakaki & Skantze 2018)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from referee.contracts import Card
from referee.corpora.games import Games, Round
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import check_member, find_files, read_rows
from referee.records import Description, Entity, Event, Outcome, Property, Response, Scene, Trial

FILE = "games.jsonl.gz"
KINDS = {
    "nextturn.request": "turn",
    "selection.request": "select",
    "selection.rejection": "reject",
    "completedturn.request": "complete",
}
# Transcribers wrote sounds and stage directions as words in capitals; TV, US, MVP and WALL-E were really said.
SOUNDS = frozenset(
    {
        *("LAUGHTER", "BREATH", "CLICK", "NOISE", "COUGH", "GROAN", "SNIFF", "MOAN", "GRUNT", "SIGH", "PUFF", "GASP"),
        *("START_SIGNAL", "ARTIFACT", "EXPERIMENTER", "PARTICIPANT_A", "PARTICIPANT_B"),
    }
)
Positions = dict[str, tuple[float, ...]]


class KthTangrams(Games):
    """2,693 rounds of 34 games, one trial each.

    Figures are named p1 … p20, at their positions (from the left and from the top, 0 to 1) at the start of the round.

    A response is a selection; its time counts from the instructor's first word in the round. Speech before the first
    round opens the first round's episode. The reference omits transcribed sounds such as BREATH; the episode keeps
    them.
    """

    card = Card(
        name="kth-tangrams",
        title="KTH Tangrams",
        source="gabriel-skantze/KTH-Tangrams on GitHub, commit 525c6e3",
        licence="no licence file; the authors ask users to cite the paper",
        languages=("en",),
        citation="Shore, Androulakaki & Skantze 2018, LREC",
        sampled=("game",),
        faults=(
            "34 of the 42 games",
            "no cursor trace, no mark-up of single referring expressions; the referent is known for each round",
            "times of some games were adjusted by the authors: offsets between speakers below 0.1 s are not reliable",
            "in two rounds of game 9 the logged referent changes; the first one is followed",
            "in seven rounds the turn is completed before a selection, or nothing is selected",
        ),
        files=(f"kth-tangrams/{FILE}",),
    )

    def _read_rounds(self) -> Iterator[Round]:
        (path,) = find_files(self.data, "kth-tangrams", FILE)
        return chain.from_iterable(read_rows(path, _read_game))


def _read_game(row: dict[str, Any]) -> list[Round]:
    """Return all rounds of a game; the positions of pieces are carried from event to event."""
    events = get_field(row, "events", list)
    utterances = get_field(row, "utterances", list)
    numbers = list(dict.fromkeys(get_field(e, "round", int) for e in events))
    spoken: dict[int, list[dict[str, Any]]] = {number: [] for number in numbers}
    for utterance in utterances:
        # Round 0 is the talk before the first turn; it has no board events of its own.
        spoken[max(get_field(utterance, "round", int), numbers[0])].append(utterance)
    pieces = {f"p{get_field(piece, 'id', int)}": _list_attributes(piece) for piece in get_field(row, "pieces", list)}
    positions: Positions = {}
    rounds = []
    for number in numbers:
        board = [e for e in events if e["round"] == number]
        # An event lists only the figures that it moved, so positions accumulate; the first event of a round is part of
        # its initial board.
        positions.update(_find_moves(board[0]))
        rounds.append(_make_round(row, number, board, spoken[number], pieces, positions))
        for event in board[1:]:
            positions.update(_find_moves(event))
    return rounds


def _find_moves(event: Mapping[str, Any]) -> Positions:
    """Return the new positions of the figures that an event moved, from the left and from the top."""
    # The source has the distance from the top first: figures called *bottom left* begin near [0.8, 0.2].
    moved = get_field(event, "positions", dict).items()
    return {f"p{piece}": (float(left), float(top)) for piece, (top, left) in moved}


def _make_round(
    game: Mapping[str, Any],
    number: int,
    board: list[dict[str, Any]],
    spoken: list[dict[str, Any]],
    pieces: Mapping[str, tuple[Property, ...]],
    positions: Positions,
) -> Round:
    """Return one round with its board and speech."""
    start = board[0]
    if start["name"] != "nextturn.request":
        raise WrongShape(f"round {number} does not begin with nextturn.request", "give the events of a round in order")
    scene = Scene(entities=tuple(Entity(id=p, attributes=a, position=positions[p]) for p, a in pieces.items()))
    instructor = f"{game['game']}-{get_field(start, 'by', str)}"
    selections = [e for e in board if e["name"] == "selection.request"]
    # Talk of round 0 belongs to the first round's episode, but it describes nothing.
    instructions = [u for u in spoken if u["role"] == "instructor" and u["round"] == number]
    # A few rounds have no selection: all that the instructor said in them is the reference.
    first = selections[0]["time_s"] if selections else None
    trial = Trial(
        id=f"kth-{game['game']}-{number}",
        scene=scene,
        # As logged when the round began: in two rounds of game 9 the logged referent changes later.
        targets=(check_member(scene, f"p{start['referent']}"),),
        domain="tangrams",
        speaker=instructor,
        episode=_order_events(board, spoken),
        references=_join_words(instructions, first, instructor),
        meta={
            "game": str(game["game"]),
            "round": number,
            "score": start["score"],
            "start_s": start["time_s"],
            "rounds": game["rounds"],
            "duration_s": game["duration_s"],
            "first_instructor": game["first_instructor"],
        },
    )
    return Round(trial, tuple(_make_response(e, trial, instructions, e is selections[0]) for e in selections))


def _list_attributes(piece: Mapping[str, Any]) -> tuple[Property, ...]:
    colours = (Property(space, ",".join(f"{c:g}" for c in piece[space])) for space in ("rgb", "hsb"))
    return (*(Property(name, piece[name]) for name in ("shape", "size", "edges", "area")), *colours)


def _join_words(instructions: list[dict[str, Any]], until: float | None, speaker: str) -> tuple[Description, ...]:
    """Return the instructor's words that began before a time (or all of the round), without transcribed sounds."""
    # By their beginnings: speech that runs on over the selection had begun before it.
    utterances = (u["text"].split() for u in instructions if until is None or u["start_s"] < until)
    text = " ".join(word for words in utterances for word in words if word not in SOUNDS)
    return (Description(text=text, speaker=speaker),) if text else ()


def _make_response(event: Mapping[str, Any], trial: Trial, instructions: list[dict[str, Any]], first: bool) -> Response:
    """Return a selection as a response."""
    # Speech has no moment of sending, so the clock starts with the first word.
    begun = [u["start_s"] for u in instructions if u["start_s"] < event["time_s"]]
    return Response(
        trial=trial.id,
        hearer=f"{trial.meta['game']}-{get_field(event, 'by', str)}",
        outcome=Outcome.ENTITY,
        entity=check_member(trial.scene, f"p{event['selected']}"),
        description=next(iter(_join_words(instructions, event["time_s"], trial.speaker or "")), None),
        identification_ms=round(1000 * (event["time_s"] - min(begun))) if begun else None,
        flags=("first",) if first else (),
    )


def _order_events(board: list[dict[str, Any]], spoken: list[dict[str, Any]]) -> tuple[Event, ...]:
    events = [*map(_make_board_event, board), *map(_make_utterance, spoken)]
    return tuple(sorted(events, key=lambda e: e.start_ms or 0.0))


def _make_board_event(event: Mapping[str, Any]) -> Event:
    """Return a selection or move as an event."""
    selected = event["selected"]
    return Event(
        kind=KINDS[event["name"]],
        by=get_field(event, "by", str),
        entities=() if selected is None else (f"p{selected}",),
        # Seconds times 1000 have binary tails; a microsecond is finer than this clock.
        start_ms=round(1000 * event["time_s"], 3),
        data={
            "event": event["event"],
            "score": event["score"],
            "referent": f"p{event['referent']}",
            "positions": {piece: list(place) for piece, place in _find_moves(event).items()},
        },
    )


def _make_utterance(utterance: Mapping[str, Any]) -> Event:
    """Return an utterance as an event."""
    return Event(
        kind="utterance",
        by=get_field(utterance, "by", str),
        text=get_field(utterance, "text", str),
        start_ms=round(1000 * utterance["start_s"], 3),
        end_ms=round(1000 * utterance["end_s"], 3),
        data={"role": get_field(utterance, "role", str), "round": utterance["round"]},
    )
