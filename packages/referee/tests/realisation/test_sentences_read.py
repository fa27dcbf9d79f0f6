"""Sentences that a person read beside their scenes (kitchen, garage, faces, trees, screens …): true, and English.

`sentences_read.jsonl` holds 210 random scenes, each with its sentence. A sentence that changes is read again.
"""

from __future__ import annotations

import json
from pathlib import Path

from referee.jobs.describe import describe

LINES = [json.loads(line) for line in Path(__file__).with_name("sentences_read.jsonl").read_text("utf-8").splitlines()]


def test_the_sentences_are_those_that_were_read() -> None:
    changed = {}
    for line in LINES:
        described = describe({"entities": line["entities"]}, line["targets"], line["system"])
        assert (described.dropped, described.false) == ((), ()), line
        if described.text != line["text"]:
            changed[line["text"]] = described.text
    assert len(LINES) >= 200
    assert changed == {}
