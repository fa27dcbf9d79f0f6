"""PentoRef TAKE: German speakers describe one of fifteen pentomino pieces to a wizard who takes it (Zarrieß et al. 2016)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.reading.lines import get_field, get_optional_field
from referee.corpora.reading.packed import check_member, collect_unused_fields, find_files, read_rows
from referee.records import Description, Entity, Event, Outcome, Property, Response, Scene, Trial

FILE = "take.jsonl.gz"
ATTRIBUTES = ("shape", "colour", "grid", "col", "row")
# Columns and rows of a grid.
CELLS = 3


class PentoTake:
    """1,035 of 1,039 episodes: in four no piece was taken, so the target is unknown.

    The reference is the speaker's instruction; confirmations and corrections are events of the episode.
    """

    card = Card(
        name="pento-take",
        title="PentoRef: TAKE",
        source="clp-research/pentoref on GitHub, commit a569f0e, folder TAKE_PENTOREF",
        licence="GPL-3.0",
        languages=("de",),
        citation="Zarrieß and colleagues 2016, LREC",
        sampled=("speaker",),
        faults=(
            "the target is the piece that was finally taken, so every response is right by construction",
            "4 of 1,039 episodes have no such piece and are left out; 24 labelled episodes had no scene file",
            "77 episodes have no transcribed utterance",
            "transcripts keep marks of disfluency and mark-up such as {F ähm} and <noise/>",
            "the pieces taken before the final one are recorded for few episodes",
        ),
        files=(f"pento-take/{FILE}",),
    )

    def __init__(self, data: str | Path | None = None) -> None:
        self.data = data

    def trials(self) -> Iterator[Trial]:
        return (trial for trial, _ in self._iterate_episodes())

    def responses(self) -> Iterator[Response]:
        return (response for _, response in self._iterate_episodes())

    def _iterate_episodes(self) -> Iterator[tuple[Trial, Response]]:
        (path,) = find_files(self.data, "pento-take", FILE)
        return (pair for pair in read_rows(path, _make_round) if pair is not None)


def _make_round(row: dict[str, Any]) -> tuple[Trial, Response] | None:
    """Return one episode as a trial and a response; None if no piece was taken."""
    session, number = get_field(row, "session", str), get_field(row, "episode", int)
    scene = Scene(entities=tuple(_make_piece(p) for p in get_field(row, "objects", list)))
    taken = get_optional_field(row, "selected", str)
    # In 4 of the 1,039 episodes.
    if taken is None:
        return None
    utterances = get_field(row, "utterances", list)
    instructions = [get_field(u, "text", str) for u in utterances if u["act"] == "INSTRUCT"]
    reference = (Description(text=" ".join(instructions), speaker=session),) if instructions else ()
    trial = Trial(
        id=f"pento-{session}-{number}",
        scene=scene,
        targets=(check_member(scene, taken),),
        domain="pentominoes",
        speaker=session,
        language="de",
        episode=_list_events(utterances, get_optional_field(row, "actions", list) or []),
        references=reference,
        meta=collect_unused_fields(row, "objects", "utterances", "selected"),
    )
    # The target was read off this very choice, so the response is right by construction: the flag says so.
    response = Response(
        trial=trial.id,
        hearer=f"wizard-{session}",
        outcome=Outcome.ENTITY,
        entity=taken,
        description=next(iter(reference), None),
        flags=("defines-target",),
    )
    return trial, response


def _make_piece(piece: Mapping[str, Any]) -> Entity:
    """Return a piece as an entity, with its cell on the whole board of four grids (two above two)."""
    number = int(str(piece["grid"]).removeprefix("grid")) - 1
    return Entity(
        id=get_field(piece, "id", str),
        attributes=tuple(Property(name, piece[name]) for name in ATTRIBUTES),
        position=(float(piece["col"] + CELLS * (number % 2)), float(piece["row"] + CELLS * (number // 2))),
    )


def _list_events(utterances: list[dict[str, Any]], actions: list[list[Any]]) -> tuple[Event, ...]:
    """Return speech and selections in order of start; an action without a piece has a kind of its own."""
    events = [_make_utterance(u) for u in utterances]
    for seconds, what in actions:
        piece = what.startswith("tile-")
        events.append(
            Event(
                kind="select" if piece else "action",
                by="listener",
                text=None if piece else what,
                entities=(what,) if piece else (),
                start_ms=round(1000 * seconds, 3),
            )
        )
    return tuple(sorted(events, key=lambda e: e.start_ms or 0.0))


def _make_utterance(utterance: Mapping[str, Any]) -> Event:
    """Return an utterance as an event."""
    return Event(
        kind="utterance",
        by="speaker",
        text=get_field(utterance, "text", str),
        start_ms=round(1000 * get_field(utterance, "start", float), 3),
        end_ms=round(1000 * get_field(utterance, "end", float), 3),
        data={"act": utterance["act"]},
    )
