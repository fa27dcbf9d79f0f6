"""Colors in Context again, with what neural listeners chose and neural speakers said (Monroe, Hawkins, Goodman & Potts 2017)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.colors import Colors
from referee.corpora.games import Games, Round
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import add_location, find_files, read_rows
from referee.errors import InputError

FILE = "outputs.jsonl.gz"


class CoopNets(Games):
    """12,561 rounds of 254 games of `colors` that networks heard too. People's clicks are the responses.

    What the listeners L0 and Le clicked is read by ``recorded:coop-nets/L0`` and ``recorded:coop-nets/Le``.
    """

    card = Card(
        name="coop-nets",
        title="Colors in Context with the choices and texts of networks",
        source="futurulus/coop-nets on GitHub, commit 01b1710, behavioralAnalysis/modelOutput",
        licence="none stated",
        languages=("en",),
        citation="Monroe, Hawkins, Goodman & Potts 2017, TACL",
        sampled=("game",),
        overlaps=("colors",),
        faults=(
            "not independent of colors: all rounds are there too; count one of the two",
            "choices of the listeners only, without probabilities",
            "the texts of the networks S0 and S(L), which no person heard, are not read",
            "the message stored with the outputs is one of several in a tenth of the rounds: messages come from colors",
            "long messages and incomplete games were left out by the authors",
        ),
        files=(f"coop-nets/{FILE}",),
    )

    def _read_rounds(self) -> Iterator[Round]:
        """Yield the rounds of the corpus colors that this corpus contains, after comparing their fields."""
        rows = dict(
            read_rows(
                self._find_file(), lambda row: (_make_id(row), (get_field(row, "human", str), row.get("condition")))
            )
        )
        for played in Colors(self.data)._read_rounds():
            joined = rows.pop(played.trial.id, None)
            if joined is not None:
                with add_location(self._find_file()):
                    _check_agreement(joined, played)
                yield played
        if rows:
            raise InputError(
                f"the round {next(iter(rows))} is not in the corpus colors",
                where=self._find_file(),
                remedy="keep the folder colors-in-context of the same download beside it",
            )

    def _find_file(self) -> Path:
        (path,) = find_files(self.data, "coop-nets", FILE)
        return path


def _make_id(row: dict[str, Any]) -> str:
    return f"colors-{get_field(row, 'game', str)}-{get_field(row, 'round', int)}"


def _check_agreement(joined: tuple[str, str | None], played: Round) -> None:
    """Raise WrongShape unless both folders record the same click and condition for a round."""
    clicked = played.trial.meta["roles"][played.responses[0].entity]
    if (clicked, played.trial.condition) != joined:
        raise WrongShape(
            f"the round {played.trial.id} differs from the round with this id in the corpus colors",
            "take both corpora from the same download",
        )
