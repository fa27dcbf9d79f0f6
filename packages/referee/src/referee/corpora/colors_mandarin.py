"""Colors in Context, played in Mandarin (Monroe, Hu, Jong & Potts 2018).

Clicks and messages in two tables, put together round by round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from referee.contracts import Card
from referee.corpora.colors import read_round
from referee.corpora.games import Games, Message, Round, drop_repeated, is_simple, measure_delay
from referee.corpora.reading.csv_tables import read_csv
from referee.corpora.reading.packed import find_files

CLICKS = "colorReferenceClicksChinese.csv.gz"
MESSAGES = "colorReferenceMessageChinese.csv.gz"
# 演说者 is the speaker, 倾听者 the listener.
SENDERS = {"演说者": "s", "倾听者": "l"}
# The names in the logs, with those of Monroe et al. 2017.
CONDITIONS = {"equal": "far", "further": "split", "closer": "close"}
Said = dict[tuple[str, str], list[dict[str, str]]]


class ColorsMandarin(Games):
    """4,311 rounds of 99 games; patches are called c1, c2, c3 from left to right on the speaker's screen, as in `colors`."""

    card = Card(
        name="colors-mandarin",
        title="Colors in Context in Mandarin",
        source="futurulus/coop-nets on GitHub, commit 01b1710",
        licence="none stated in the repository; the paper says that the data are released to the public",
        languages=("zh",),
        citation="Monroe, Hu, Jong & Potts 2018, NAACL (arXiv 1803.03917)",
        sampled=("game",),
        faults=(
            "in 705 rounds, 679 of them in 14 games, the speaker said nothing: the listener was right in 30 % of these, in 87 % of the others",
            "game 9663-c4af has two clicks in round 10 and none in round 11; the first click is read (4,311 of the 4,312 in the file)",
            "82 of the 99 games have 50 rounds, the others 1 to 48",
            "messages of rounds that have no click (173 in 79 rounds, of 65 more games) are left out",
            "the raw messages are read, five of which have a comma that ends their cell; in the authors' filtered table four of them have run into the "
            "column of the sender",
            "129 messages have no Chinese character; some are English, some punctuation",
            "the source's logs call the conditions equal (far), further (split) and closer (close)",
        ),
        files=(f"colors-mandarin/{CLICKS}", f"colors-mandarin/{MESSAGES}"),
    )

    def _read_rounds(self) -> Iterator[Round]:
        """Yield the rounds with their messages."""
        clicks, messages = find_files(self.data, "colors-mandarin", CLICKS, MESSAGES)
        messages_by_round: Said = defaultdict(list)
        # In five messages, the last column has an unquoted comma.
        for row in read_csv(messages, dict, loose_end=True):
            messages_by_round[row.get("gameid", ""), row.get("roundNum", "")].append(row)
        # Game 9663-c4af has two clicks in round 10; the first one counts.
        return drop_repeated(read_csv(clicks, lambda row: _convert_row(row, messages_by_round)))


def _convert_row(row: dict[str, str], messages_by_round: Said) -> Round:
    """Return a row of the table of clicks in the form that `colors` reads."""
    spoken = messages_by_round.get((row["gameid"], row["roundNum"]), [])
    messages = [_make_message(m, int(row["time"])) for m in spoken if m["contents"].strip()]
    # The table orders patches by clicks, `colors` by their roles: target, distr1, distr2.
    statuses = {row[f"{column}Status"]: column for column in ("click", "alt1", "alt2")}
    form: dict[str, Any] = {
        "game": row["gameid"],
        "round": int(row["roundNum"]),
        "condition": CONDITIONS[row["condition"]],
        "objects": {status: _convert_patch(row, column) for status, column in statuses.items()},
        "messages": [list(m) for m in messages],
        "clicked": row["clickStatus"],
        "correct": {"true": True, "false": False}[row["outcome"]],
        "rt_ms": measure_delay(messages, by="s"),
        "simple": is_simple(messages, by="s"),
        "delta_e": {key: float(row[key]) for key in ("targetD1Diff", "targetD2Diff", "D1D2Diff")},
    }
    return read_round(form, corpus="colors-mandarin", language="zh")


def _make_message(row: dict[str, str], click: int) -> Message:
    return Message(SENDERS[row["sender"]], row["contents"], click - int(row["epochTime"]))


def _convert_patch(row: dict[str, str], column: str) -> dict[str, Any]:
    """Return a patch's colour and positions from its columns."""
    return {
        "hsl": [int(row[f"{column}Col{c}"]) for c in "HSL"],
        "pos": [int(row[f"{column}Loc{side}"]) for side in "SL"],
    }
