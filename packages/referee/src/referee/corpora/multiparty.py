"""Tangrams named again and again in groups of two to six.

One speaks, all others click (Boyce, Hawkins, Goodman & Frank 2024).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from referee.contracts import Card
from referee.corpora.games import Games, Message, Round, join_messages, list_events, make_response, record_click
from referee.corpora.reading.csv_tables import get_text, parse_number, read_csv
from referee.corpora.reading.packed import add_location, check_member, find_files
from referee.corpora.tangrams import FIGURES
from referee.records import Event, Trial

STUDIES = ("1a", "1b", "2a", "2b", "2c")
RESULTS = tuple(f"study{study}.raw_results.csv.gz" for study in STUDIES)
CHATS = tuple(f"study{study}.filtered_chat.csv.gz" for study in STUDIES)
ROLES = ("speaker", "listener")
# How the tables write that a round ran out before an answer (with gaps, 2,629 of 36,956 answers).
NO_CHOICE = "false"
Row = dict[str, str]
Rounds = dict[tuple[str, int], list[Row]]


class MultipartyTangrams(Games):
    """10,102 rounds of 164 games, 36,956 answers: a trial for every round, a response for every listener of it.

    ``meta["study"]`` is 1a, 1b, 2a, 2b or 2c, ``meta["players"]`` the size of the group when it began, ``meta["repetition"]`` counts from 1.
    A response without a choice is a timeout.
    """

    card = Card(
        name="multiparty-tangrams",
        title="Repeated tangram reference in groups of two to six",
        source="vboyce/multiparty-tangrams on GitHub, commit b464b00",
        licence="none stated",
        languages=("en",),
        citation="Boyce, Hawkins, Goodman & Frank 2024, PNAS",
        sampled=("game",),
        faults=(
            "the figures have no attributes, only their letters",
            "2,629 of the 36,956 answers contain no choice, because time ran out; of these 2,501 fall in 545 rounds in which the speaker wrote nothing",
            "times count from the beginning of the round and include the wait for the speaker; messages have no times, so there is no time of "
            "identification; the duration of the round is stored with the click",
            "239 times in studies 1a and 1b are negative and three are above an hour; they stay as they are, and curves of time rest on studies 2a to 2c",
            "chit-chat, as the authors marked it, belongs to the episode and not to the reference; in 8 rounds the speaker wrote nothing else",
            "1,851 rounds of the chat tables have no answers and are left out; 332 rounds have a row of NA for a chat that was empty",
            "in study 2c all that listeners sent is one of four emoji",
        ),
        files=tuple(f"multiparty-tangrams/{f}" for f in (*RESULTS, *CHATS)),
    )

    def _read_rounds(self) -> Iterator[Round]:
        """Yield the rounds of all studies."""
        paths = find_files(self.data, "multiparty-tangrams", *RESULTS, *CHATS)
        parts = zip(STUDIES, paths[: len(STUDIES)], paths[len(STUDIES) :], strict=True)
        return chain.from_iterable(_read_study(*part) for part in parts)


def _read_study(study: str, results: Path, chat: Path) -> Iterator[Round]:
    """Yield the rounds of a study, game by game in playing order (the table is ordered by listener)."""
    rounds, spoken = _group_by_round(results), _group_by_round(chat)
    games = {game: place for place, game in enumerate(dict.fromkeys(game for game, _ in rounds))}
    for game, number in sorted(rounds, key=lambda key: (games[key[0]], key[1])):
        with add_location(results):
            played = _make_round(study, rounds[game, number], spoken.get((game, number), []))
        yield played


def _group_by_round(path: Path) -> Rounds:
    """Return the rows of a table by game and round."""
    rounds: Rounds = defaultdict(list)

    def keep(row: Row) -> None:
        if row["gameId"]:  # the chat of study 2c ends in two rows that are empty but for a FALSE
            rounds[row["gameId"], int(row["trialNum"])].append(row)

    for _ in read_csv(path, keep):
        pass
    return rounds


def _make_round(study: str, answers: Sequence[Row], chat: Sequence[Row]) -> Round:
    """Return one round with the answers of all its listeners."""
    first, game = answers[0], answers[0]["gameId"]
    # 332 rounds have a row of NA for a chat that was empty.
    spoken = [row for row in chat if row["role"] in ROLES and row["text"].strip()]
    messages = [Message(row["role"], row["text"], None) for row in spoken]
    # 1 in study 2b, TRUE in the others.
    telling = [m for m, row in zip(messages, spoken, strict=True) if row["is.chitchat"] not in ("TRUE", "1")]
    repetition = int(first["repNum"]) + 1
    trial = Trial(
        id=f"multiparty-{study}-{game}-{int(first['trialNum'])}",
        scene=FIGURES,
        targets=(_parse_figure(first["target"]),),
        domain="tangrams",
        condition=f"repetition-{repetition}",
        speaker=first["speaker"],
        episode=list_events(messages, *(made for row in answers if (made := _make_click(row)))),
        references=join_messages(telling, speaker=first["speaker"]),
        meta={"game": game, "study": study, "players": int(first["numPlayers"]), "repetition": repetition},
    )
    return Round(
        trial,
        tuple(make_response(trial, row["playerId"], _get_choice(row), flags=(f"study-{study}",)) for row in answers),
    )


def _parse_figure(picture: str) -> str:
    """Return the letter of a figure, from the address of its picture."""
    return check_member(FIGURES, picture.rpartition("_")[2].removesuffix(".png"))


def _get_choice(row: Row) -> str | None:
    """Return the chosen figure of a row; None if none was chosen."""
    response = get_text(row, "response")
    return None if response is None or response.lower() == NO_CHOICE else _parse_figure(response)


def _make_click(row: Row) -> Event | None:
    """Return a listener's click; None without a choice."""
    chosen, seconds = _get_choice(row), parse_number(row, "time")
    if chosen is None:
        return None
    timed = {} if seconds is None else {"seconds_from_start": seconds}
    return record_click(chosen, listener=row["playerId"], correct=row["correct"] == "TRUE", **timed)
