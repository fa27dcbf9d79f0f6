"""Scoring people against people on the real TUNA corpus, recomputed by hand from an independent copy of the corpus."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import referee

pytestmark = pytest.mark.data
SPEAKER = "101"


def independent(folder: Path) -> list[dict]:
    """The JSONL copy of the corpus, which shares no code with our XML reader."""
    return [json.loads(line) for line in (folder / "tuna" / "tuna_singular.jsonl").read_text("utf-8").splitlines()]


def said(item: dict) -> set[tuple[str, str]]:
    return {(a["name"], a["value"].strip()) for a in item["attribute_set"]}


def others(item: dict, items: list[dict]) -> Iterator[dict]:
    return (
        o
        for o in items
        if o["trial"] == item["trial"] and o["domain"] == item["domain"] and o["speaker"] != item["speaker"]
    )


def edits(a: list[str], b: list[str]) -> int:
    """m + n - 2·LCS, the textbook recurrence: insertion and deletion 1, substitution 2."""
    lengths = [0] * (len(b) + 1)
    for word in a:
        previous = list(lengths)
        for j, other in enumerate(b):
            lengths[j + 1] = previous[j] + 1 if word == other else max(previous[j + 1], lengths[j])
    return len(a) + len(b) - 2 * lengths[-1]


def test_one_speaker_against_the_others_is_what_plain_code_gives(data_folder: Path) -> None:
    items = independent(data_folder)
    mine = [i for i in items if i["speaker"] == f"s{SPEAKER}"]
    rows = [
        {
            "trial": i["id"],
            "properties": [[a["name"], a["value"]] for a in i["attribute_set"]],
            "text": i["description"],
        }
        for i in mine
    ]
    frame = referee.score(
        rows,
        "tuna",
        data=data_folder,
        reading="raw",
        split=f"speaker={SPEAKER}",
        references="others",
        metrics=["set/dice", "set/exact"],
        lenient=True,
        resamples=0,
    )
    dice, exact = [], []
    for item in mine:
        pairs = [(said(item), said(o)) for o in others(item, items)]
        assert len(pairs) == 59
        dice.append(sum(2 * len(a & b) / (len(a) + len(b)) for a, b in pairs) / 59)
        exact.append(sum(a == b for a, b in pairs) / 59)
    values = dict(zip(frame["metric"], frame["value"], strict=True))
    assert values["set/dice"] == pytest.approx(sum(dice) / 13)
    assert values["set/exact"] == pytest.approx(sum(exact) / 13)


def test_word_edits_of_one_speaker_are_what_plain_code_gives(data_folder: Path) -> None:
    items = independent(data_folder)
    mine = [i for i in items if i["speaker"] == f"s{SPEAKER}"]
    frame = referee.score(
        [{"trial": i["id"], "text": i["description"]} for i in mine],
        _with_plain_words(items),
        split=f"speaker={SPEAKER}",
        references="others",
        metrics=["string/edit|tokens:words"],
        resamples=0,
    )
    expected = [
        edits(i["description"].lower().split(), o["description"].lower().split())
        for i in mine
        for o in others(i, items)
    ]
    assert frame["value"][0] == pytest.approx(sum(expected) / len(expected))


def _with_plain_words(items: list[dict]) -> list[referee.Trial]:
    return [
        referee.Trial(
            id=i["id"],
            scene=referee.Scene(
                entities=tuple(referee.Entity(id=e["id"]) for e in i["entities"]), id=f"{i['domain']}-{i['trial']}"
            ),
            targets=(i["target"],),
            speaker=i["speaker"].removeprefix("s"),
            references=(referee.Description(text=i["description"]),),
        )
        for i in items
    ]
