"""Closed reference games with three creatures and four messages, for reasoning about reasoning (Franke & Degen 2016)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import collect_unused_fields, find_files, read_rows
from referee.errors import UnknownName
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

PRODUCTION = "production.jsonl.gz"
COMPREHENSION = "comprehension.jsonl.gz"
PARTS = ("all", "production", "comprehension")
# The source's column `messagetype` has it the other way round; the design is symmetric in the two.
ATTRIBUTES = {"s": "species", "v": "accessory"}
PLACES = (1, 2, 3)


class FrankeDegen2016:
    """3,828 choices of a message (trials with a reference) and 3,894 choices of a creature (trials with a response).

    `part` is "all", "production" or "comprehension". Creatures are named m1, m2, m3 by their position on the screen. In
    comprehension the message comes from the experimenters, so such a trial has no reference; its response has the
    message.
    """

    card = Card(
        name="franke-degen2016",
        title="Reasoning in reference games: monsters and robots with accessories",
        source="michael-franke/individual-variation-in-reference-games on GitHub, commit f13df0e, data/*-full.tsv",
        licence="none stated; the paper is open access",
        languages=("en",),
        citation="Franke & Degen 2016, PLoS ONE",
        sampled=("participant",),
        faults=(
            "values are symbols (s1, v2, x for values that no message can name), not words",
            "s is read as species and v as accessory, while the source's column messagetype has it the other way round; "
            "the design is symmetric in the two",
            "in ambiguous fillers target and competitor look the same",
        ),
        files=(f"franke-degen2016/{PRODUCTION}", f"franke-degen2016/{COMPREHENSION}"),
    )

    def __init__(self, data: str | Path | None = None, part: str = "all") -> None:
        self.data = data
        self.part = part

    def trials(self) -> Iterator[Trial]:
        """Yield the trials of the selected part."""
        production, comprehension = self._find_files()
        spoken = read_rows(production, _make_trial) if self.part != "comprehension" else iter(())
        heard = (
            (trial for trial, _ in read_rows(comprehension, _make_response)) if self.part != "production" else iter(())
        )
        return chain(spoken, heard)

    def responses(self) -> Iterator[Response]:
        _, comprehension = self._find_files()
        return (r for _, r in read_rows(comprehension, _make_response)) if self.part != "production" else iter(())

    def _find_files(self) -> tuple[Path, ...]:
        """Return the files of the corpus. Raises UnknownName for an unknown part."""
        if self.part not in PARTS:
            raise UnknownName("part", self.part, PARTS, hint=f"one of {', '.join(PARTS)}")
        return find_files(self.data, "franke-degen2016", PRODUCTION, COMPREHENSION)


def _make_creature(place: int, image: str) -> Entity:
    """Return an image name as a creature with species and accessory."""
    # In production files the prefix marks the target; it says nothing about looks.
    species, accessory = image.removeprefix("target_").split("_")
    return Entity(id=f"m{place}", attributes=(Property("species", species), Property("accessory", accessory)))


def _make_scene(row: dict[str, Any]) -> Scene:
    return Scene(entities=tuple(_make_creature(place, get_field(row, f"img{place}", str)) for place in PLACES))


def _make_message(symbol: str, speaker: str | None = None) -> Description:
    return Description(properties=(Property(ATTRIBUTES[symbol[0]], symbol),), text=symbol, speaker=speaker)


def _make_trial(row: dict[str, Any]) -> Trial:
    """Return a choice of a message as a trial."""
    speaker = f"speaker-{get_field(row, 'workerid', int)}"
    marked = [place for place in PLACES if get_field(row, f"img{place}", str).startswith("target_")]
    if len(marked) != 1:
        raise WrongShape(f"{len(marked)} images are marked as target", "mark one image with target_")
    # A response names a part (target, competitor …), and posN says which part msgN has.
    messages = {row[f"pos{n}"]: get_field(row, f"msg{n}", str) for n in (1, 2, 3, 4)}
    return Trial(
        id=f"franke-degen-production-{row['workerid']}-{get_field(row, 'trial', int)}",
        scene=_make_scene(row),
        targets=(f"m{marked[0]}",),
        domain="creatures",
        condition=get_field(row, "imptype", str),
        speaker=speaker,
        references=(_make_message(messages[get_field(row, "response", str)], speaker),),
        meta={**collect_unused_fields(row, "imptype"), "participant": speaker},
    )


def _make_response(row: dict[str, Any]) -> tuple[Trial, Response]:
    """Return a choice of a creature as a trial and a response."""
    # posN says which part the creature at place N has, and the response names a part.
    places = {row[f"pos{place}"]: f"m{place}" for place in PLACES}
    listener = f"listener-{get_field(row, 'workerid', int)}"
    trial = Trial(
        id=f"franke-degen-comprehension-{row['workerid']}-{get_field(row, 'trial', int)}",
        scene=_make_scene(row),
        targets=(places["target"],),
        domain="creatures",
        condition=get_field(row, "imptype", str),
        meta={**collect_unused_fields(row, "imptype"), "participant": listener},
    )
    response = Response(
        trial=trial.id,
        hearer=listener,
        outcome=Outcome.ENTITY,
        entity=places[get_field(row, "response", str)],
        description=_make_message(get_field(row, "message", str)),
        identification_ms=get_field(row, "rt", int),
        flags=(get_field(row, "trialtype", str),),
    )
    return trial, response
