"""Closed reference games with three creatures and four messages, for reasoning about reasoning (Franke & Degen 2016)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.reading.lines import WrongShape, expect
from referee.corpora.reading.packed import find, read_rows, remainder
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
            "values are symbols (s1, v2, x for what no message can name), not words",
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
        production, comprehension = self._files()
        spoken = read_rows(production, _production) if self.part != "comprehension" else iter(())
        heard = (
            (trial for trial, _ in read_rows(comprehension, _comprehension)) if self.part != "production" else iter(())
        )
        return chain(spoken, heard)

    def responses(self) -> Iterator[Response]:
        _, comprehension = self._files()
        return (r for _, r in read_rows(comprehension, _comprehension)) if self.part != "production" else iter(())

    def _files(self) -> tuple[Path, ...]:
        """Return the files of the corpus. Raises UnknownName for an unknown part."""
        if self.part not in PARTS:
            raise UnknownName("part", self.part, PARTS, hint=f"one of {', '.join(PARTS)}")
        return find(self.data, "franke-degen2016", PRODUCTION, COMPREHENSION)


def _creature(place: int, image: str) -> Entity:
    # In production files the prefix marks the target; it says nothing about looks.
    species, accessory = image.removeprefix("target_").split("_")
    return Entity(id=f"m{place}", attributes=(Property("species", species), Property("accessory", accessory)))


def _scene(row: dict[str, Any]) -> Scene:
    return Scene(entities=tuple(_creature(place, expect(row, f"img{place}", str)) for place in PLACES))


def _message(symbol: str, speaker: str | None = None) -> Description:
    return Description(properties=(Property(ATTRIBUTES[symbol[0]], symbol),), text=symbol, speaker=speaker)


def _production(row: dict[str, Any]) -> Trial:
    """Return a choice of a message as a trial."""
    speaker = f"speaker-{expect(row, 'workerid', int)}"
    marked = [place for place in PLACES if expect(row, f"img{place}", str).startswith("target_")]
    if len(marked) != 1:
        raise WrongShape(f"{len(marked)} images are marked as target", "mark one image with target_")
    # A response names a part (target, competitor …), and posN says which part msgN has.
    messages = {row[f"pos{n}"]: expect(row, f"msg{n}", str) for n in (1, 2, 3, 4)}
    return Trial(
        id=f"franke-degen-production-{row['workerid']}-{expect(row, 'trial', int)}",
        scene=_scene(row),
        targets=(f"m{marked[0]}",),
        domain="creatures",
        condition=expect(row, "imptype", str),
        speaker=speaker,
        references=(_message(messages[expect(row, "response", str)], speaker),),
        meta={**remainder(row, "imptype"), "participant": speaker},
    )


def _comprehension(row: dict[str, Any]) -> tuple[Trial, Response]:
    """Return a choice of a creature as a trial and a response."""
    # posN says which part the creature at place N has, and the response names a part.
    places = {row[f"pos{place}"]: f"m{place}" for place in PLACES}
    listener = f"listener-{expect(row, 'workerid', int)}"
    trial = Trial(
        id=f"franke-degen-comprehension-{row['workerid']}-{expect(row, 'trial', int)}",
        scene=_scene(row),
        targets=(places["target"],),
        domain="creatures",
        condition=expect(row, "imptype", str),
        meta={**remainder(row, "imptype"), "participant": listener},
    )
    response = Response(
        trial=trial.id,
        hearer=listener,
        outcome=Outcome.ENTITY,
        entity=places[expect(row, "response", str)],
        description=_message(expect(row, "message", str)),
        identification_ms=expect(row, "rt", int),
        flags=(expect(row, "trialtype", str),),
    )
    return trial, response
