"""Photographs named again and again by pairs, one of whom may be a captioning model that adapts (Hawkins, Kwon, Sadigh & Goodman 2020)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.games import (
    Games,
    Message,
    Round,
    is_simple,
    join_messages,
    list_events,
    measure_delay,
    record_click,
)
from referee.corpora.reading.csv_tables import get_text, parse_number, read_csv
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import find_files
from referee.errors import UnknownName
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

# Who played with whom, and whether the four photographs of a context are alike (hard) or not: contexts are numbered anew in each of the two.
KINDS = {
    "human-human": "hard",
    "human-human-easy": "easy",
    "model-as-listener": "hard",
    "model-as-speaker": "easy",
}
CLICKS = tuple(f"{kind}.clickedObjFromMongo.csv.gz" for kind in KINDS)
MESSAGES = tuple(f"{kind}.messageFromMongo.csv.gz" for kind in KINDS)
PARTS = ("played", "all")
MODEL = "captioning-model"
Row = dict[str, str]
Said = Mapping[tuple[str, str], Sequence[Row]]


class ContinualAdaptation(Games):
    """5,373 rounds of 231 games with four photographs.

    `part` is "played", or "all" with the makers' own tests (98 rounds more).

    ``condition`` is the kind of players: human-human, human-human-easy, model-as-listener or model-as-speaker. Only
    people's clicks are responses. The model's words are the description that such a response answers (its ``system`` is
    captioning-model), not a reference.
    """

    card = Card(
        name="continual-adaptation",
        title="Repeated reference to photographs, between people and with an adapting model",
        source="hawkrobe/continual-adaptation on GitHub, commit dc7474f",
        licence="none stated",
        languages=("en",),
        citation="Hawkins, Kwon, Sadigh & Goodman 2020, CoNLL",
        # Every game has one context, and a context has one or several games: contexts are the outer factor and carry the games with them.
        sampled=("scene",),
        faults=(
            "photographs are named (COCO val2014), not included, and have no attributes",
            "human-human has no times of its own; there they count from the last message before the click, as the source counts elsewhere",
            "the iteration called testing is the makers' own in human-human (98 rounds, 50 of them wrong) and is left out unless part is all; in "
            "model-as-speaker all 1,343 rounds are called testing, and are read",
            "final-for-paper is used in model-as-listener only; human-human's is full_sample, that of human-human-easy pilot1",
            "the target is the last of the four photographs in every row: entities are in the order of their names instead",
            "in human-human 2 messages came after the click (7 with the makers' tests, where 2 rounds have no message at all)",
            "1,542 rounds have messages and no click, most of them in pilots of model-as-listener, and are left out",
        ),
        files=tuple(f"continual-adaptation/{f}" for f in (*CLICKS, *MESSAGES)),
    )

    def __init__(self, data: str | Path | None = None, part: str = "played") -> None:
        super().__init__(data)
        self.part = part

    def _read_rounds(self) -> Iterator[Round]:
        """Yield the rounds of all conditions."""
        if self.part not in PARTS:
            raise UnknownName("part", self.part, PARTS, hint=f"one of {', '.join(PARTS)}")
        paths = find_files(self.data, "continual-adaptation", *CLICKS, *MESSAGES)
        parts = zip(KINDS, paths[: len(KINDS)], paths[len(KINDS) :], strict=True)
        rounds = chain.from_iterable(_read_condition(*part) for part in parts)
        return (r for r in rounds if self.part == "all" or not _is_test(r.trial))


def _is_test(trial: Trial) -> bool:
    # In model-as-speaker all 1,343 rounds are called testing, and were played.
    return trial.condition == "human-human" and bool(trial.meta["iteration"] == "testing")


def _read_condition(kind: str, clicks: Path, messages: Path) -> Iterator[Round]:
    """Yield the rounds of one condition with their messages."""
    messages_by_round: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in read_csv(messages, dict):
        messages_by_round[row.get("gameid", ""), row.get("trialNum", "")].append(row)
    return read_csv(clicks, lambda row: _make_round(row, kind, messages_by_round))


def _make_round(row: Row, kind: str, spoken: Said) -> Round:
    """Return one round with its messages and its click."""
    game, number = row["gameid"], int(row["trialNum"])
    photos = _list_photos(row)
    target, clicked = _find_photo(photos, "target"), _find_photo(photos, row["clickedObj"])
    messages = [_make_message(m, row) for m in spoken.get((game, row["trialNum"]), ()) if m["msg"].strip()]
    # By name, because the target is the last of the four in every row.
    ids = sorted(photos)
    by_model = kind == "model-as-speaker"
    words = join_messages(messages, speaker=MODEL if by_model else game)
    made = record_click(clicked, correct=clicked == target)
    trial = Trial(
        id=f"continual-{kind}-{game}-{number}",
        scene=Scene(id=f"{KINDS[kind]}-{row['context_id']}", entities=tuple(map(_make_photo, ids))),
        targets=(target,),
        domain="photographs",
        condition=kind,
        speaker=None if by_model else game,
        episode=list_events(messages, replace(made, by="model") if kind == "model-as-listener" else made),
        references=() if by_model else words,
        meta={"game": game, "round": number, "iteration": row["iterationName"], "repetition": _get_repetition(row)},
    )
    return Round(trial, () if kind == "model-as-listener" else (_make_response(row, trial, clicked, words, messages),))


def _make_response(
    row: Row, trial: Trial, clicked: str, words: Sequence[Description], messages: Sequence[Message]
) -> Response:
    """Return the click as a response with its description."""
    time = parse_number(row, "timeFromMessage")
    return Response(
        trial=trial.id,
        hearer=row["gameid"],
        outcome=Outcome.ENTITY,
        entity=clicked,
        system=MODEL if trial.condition == "model-as-speaker" else None,
        description=next(iter(words), None),
        # human-human has no column of times.
        identification_ms=measure_delay(messages) if time is None else time,
        flags=("simple",) if is_simple(messages) else (),
    )


def _list_photos(row: Row) -> dict[str, str]:
    """Return the four photographs of a row, each with its role in the round.

    The first rows of the log have them inside an object.
    """
    try:
        context = json.loads(row["fullContext"])
    except (json.JSONDecodeError, RecursionError):
        raise WrongShape("the column fullContext is not JSON") from None
    things = get_field(context, "stimuli", list) if isinstance(context, dict) else context
    photos = {_normalise_text(get_field(thing, "url", str)): get_field(thing, "targetStatus", str) for thing in things}
    if len(photos) != len(things):
        raise WrongShape("a photograph occurs twice in a context", "name every photograph once")
    return photos


def _normalise_text(url: str) -> str:
    return url.removesuffix(".jpg")


def _find_photo(photos: Mapping[str, str], status: str) -> str:
    """Return the photograph with a role in the round."""
    matches = [photo for photo, part in photos.items() if part == status]
    if len(matches) != 1:
        raise WrongShape(f"{len(matches)} photographs are {status!r}", "mark exactly one photograph with this status")
    return matches[0]


def _make_photo(name: str) -> Entity:
    return Entity(id=name, attributes=(Property("name", name),), image=f"{name}.jpg")


def _make_message(message: Row, row: Row) -> Message:
    return Message("speaker", message["msg"], float(row["time"]) - float(message["time"]))


def _get_repetition(row: Row) -> Any:
    number = get_text(row, "repNum")
    return None if number is None else int(float(number)) + 1
