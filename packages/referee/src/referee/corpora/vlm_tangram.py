"""Naive readers' guesses for tangram descriptions, with the pictures (Boyce and colleagues).

Another copy of part of `tg-matcher`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from referee.contracts import Card
from referee.corpora.games import Games, Message, Round, drop_repeated, join_messages, list_events, make_response
from referee.corpora.reading.csv_tables import parse_list, parse_number, read_csv
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import check_member, find_files
from referee.corpora.tangrams import FIGURES, join_as_overheard
from referee.records import Scene, Trial

FILE = "human_data.csv.gz"
PICTURED = Scene(
    id="tangrams", entities=tuple(replace(e, image=f"vlm-tangram/images/tangram_{e.id}.png") for e in FIGURES.entities)
)
Row = dict[str, str]


class VlmTangram(Games):
    """7,440 guesses by 120 readers of 3,166 overheard descriptions.

    A trial for every description, a response for every guess.

    Entities name their pictures, relative to the data folder.
    """

    card = Card(
        name="vlm-tangram",
        title="Naive readers of tangram descriptions, with pictures",
        source="vboyce/vlm-tangram on GitHub, commit e8fd413",
        licence="none stated",
        languages=("en",),
        citation="Boyce and colleagues (vlm-tangram, 2024)",
        sampled=("game", "participant"),
        overlaps=("tg-matcher",),
        faults=(
            "not independent of tg-matcher: all 7,440 guesses are there too (experiments 1 and 2: same reader, figure, choice and time); count one of the two",
            "40 of the 203 games are also in multiparty-tangrams, whose texts were read here",
            "readers saw the whole exchange, so a response's description holds both sides, a trial's reference the speaker's",
            "the shortest times are 21 to 85 ms, the longest above four minutes: decide what to leave out before using them",
            "the random forest's predictions are not read; the probabilities of CLIP are not in this copy",
        ),
        files=(f"vlm-tangram/{FILE}",),
    )

    def trials(self) -> Iterator[Trial]:
        return (guess.trial for guess in drop_repeated(self._read_rounds()))

    def _read_rounds(self) -> Iterator[Round]:
        (path,) = find_files(self.data, "vlm-tangram", FILE)
        return read_csv(path, _make_round)


def _make_round(row: Row) -> Round:
    """Return one guess as a round. Raises WrongShape if its columns contradict each other."""
    game, target = row["gameId"], check_member(PICTURED, row["correct_tangram"])
    messages = [_make_message(m) for m in parse_list(row["text"])]
    selected = check_member(PICTURED, row["selected"])
    # The table says it twice; where the two disagree, a column is misread.
    if (selected == target) != (row["correct"] == "1"):
        raise WrongShape(f"correct is {row['correct']}, but {selected} was chosen and {target} meant")
    trial = Trial(
        id=f"vlm-{row['condition']}-{row['round']}-{game}-{target}",
        scene=PICTURED,
        targets=(target,),
        domain="tangrams",
        condition=f"{row['condition']}_{row['round']}",
        speaker=game,
        episode=list_events(messages),
        references=join_messages(messages, speaker=game),
        meta={"game": game, "group": row["group_size"], "talk": row["thickness"], "round": row["round"]},
    )
    guess = make_response(trial, row["workerid"], selected, parse_number(row, "button_rt"))
    return Round(trial, (replace(guess, description=join_as_overheard(messages, game) if messages else None),))


def _make_message(row: Any) -> Message:
    return Message(get_field(row, "role", str), get_field(row, "text", str), None)
