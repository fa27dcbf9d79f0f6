"""Imports transcripts of speech as utterances of a recording: WebVTT, Whisper's JSON, and ELAN.

A transcript's times count from the start of its sound, which the recording has. The words become lines of kind `speech`
in a copy of the recording, and are then treated like chat: in replays, clips, annotation and ELAN.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from html import unescape
from typing import Any, NamedTuple

from referee.errors import InputError, MalformedInput
from referee_lab.tangram.game.log import LogEntry, Recording
from referee_lab.tangram.json_lines import decode_text
from referee_lab.tangram.tiers.eaf import compute_slot_times, parse_eaf

_TIME = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})")
_CUE = re.compile(rf"^\s*({_TIME.pattern})\s+-->\s+({_TIME.pattern})", re.MULTILINE)
_MARKUP = re.compile(r"<[^>]*>")


class SpokenLine(NamedTuple):
    """The words between two times, in milliseconds of the sound."""

    start_ms: float
    end_ms: float
    text: str


def read_transcript(content: bytes, where: str, tier: str | None = None) -> list[SpokenLine]:
    """Return the lines of a transcript, by its file extension: .vtt or .srt, .json, .eaf (of one tier)."""
    kind = where.rpartition(".")[2].lower()
    if kind not in READERS:
        raise InputError("not a transcript", where=where, remedy=f"files end in .{', .'.join(READERS)}")
    read = READERS[kind]
    spoken = read_elan_tier(content, where, tier) if read is None else read(decode_text(content, where), where)
    return sorted(line for line in spoken if line.text)


def read_vtt(text: str, where: str = "speech.vtt") -> list[SpokenLine]:
    """Return cues of a WebVTT (or SubRip) file."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    cues = list(_CUE.finditer(text))
    # Cues with times that cannot be read would otherwise be dropped silently.
    read = {text.count("\n", 0, cue.start(1)) for cue in cues}
    for number, row in enumerate(text.split("\n")):
        if "-->" in row and number not in read:
            remedy = "write them as 00:01.000 --> 00:02.500"
            raise MalformedInput("the times of this cue cannot be read", where=where, line=number + 1, remedy=remedy)
    if not cues:
        raise MalformedInput("no cues with times", where=where, line=1, remedy="lines such as 00:01.000 --> 00:02.500")
    ends = [cue.start() for cue in cues[1:]] + [len(text)]
    spoken = []
    for cue, end in zip(cues, ends, strict=True):
        # Up to the empty line: after it comes the number or name of the next cue.
        body = text[cue.end() : end].split("\n", 1)[-1].split("\n\n", 1)[0]
        words = " ".join(unescape(_MARKUP.sub("", body)).split())
        spoken.append(SpokenLine(_parse_cue_time(cue[1]), _parse_cue_time(cue[6]), words))
        if spoken[-1].end_ms < spoken[-1].start_ms:
            line = text.count("\n", 0, cue.start(1)) + 1
            raise MalformedInput("the cue ends before it begins", where=where, line=line, remedy="exchange its times")
    return spoken


def _parse_cue_time(text: str) -> float:
    """Return the milliseconds of a cue's time."""
    match = _TIME.fullmatch(text)
    assert match is not None, "the pattern of a cue has matched"
    hours, minutes, seconds, part = match.groups()
    return 1000.0 * (3600 * int(hours or 0) + 60 * int(minutes) + int(seconds)) + float(part.ljust(3, "0"))


def read_whisper(text: str, where: str = "speech.json") -> list[SpokenLine]:
    """Whisper's JSON: `segments` in seconds (OpenAI's program, and endpoints), `chunks` (transformers), or `transcription` in milliseconds (whisper.cpp)."""
    try:
        answer = json.loads(text)
        kind = next(kind for kind in _SEGMENTS if kind in answer)
        spoken = [SpokenLine(*_SEGMENTS[kind](each), " ".join(str(each["text"]).split())) for each in answer[kind]]
    except (ValueError, KeyError, TypeError, StopIteration):
        remedy = 'ask for {"segments": [{"start", "end", "text"}, …]} (response_format verbose_json)'
        raise MalformedInput("not Whisper's JSON", where=where, remedy=remedy) from None
    for number, line in enumerate(spoken, 1):
        if not 0 <= line.start_ms <= line.end_ms < math.inf:
            problem = f"its segment {number} goes from {line.start_ms / 1000:g} s to {line.end_ms / 1000:g} s"
            remedy = "an end comes after its beginning, in seconds of the sound"
            raise MalformedInput(problem, where=where, remedy=remedy)
    return spoken


def _chunk_times(chunk: Mapping[str, Any]) -> tuple[float, float]:
    """Return the start and end of a Whisper chunk in milliseconds."""
    start, end = chunk["timestamp"]
    # The last chunk may have no end.
    return 1000 * float(start), 1000 * float(start if end is None else end)


_SEGMENTS: Mapping[str, Callable[[Mapping[str, Any]], tuple[float, float]]] = {
    "segments": lambda segment: (1000 * float(segment["start"]), 1000 * float(segment["end"])),
    "chunks": _chunk_times,
    "transcription": lambda part: (float(part["offsets"]["from"]), float(part["offsets"]["to"])),
}


def read_elan_tier(content: bytes, where: str, tier: str | None) -> list[SpokenLine]:
    """Return one tier of an ELAN file."""
    root = parse_eaf(content, where)
    tiers = {t.get("TIER_ID"): t for t in root.iterfind("TIER")}
    if tier not in tiers:
        raise InputError(
            f"there is no tier {tier!r}", where=where, remedy=f"--tier one of {', '.join(map(str, tiers))}"
        )
    slots = compute_slot_times(root)
    spoken = []
    for aligned in tiers[tier].iterfind("ANNOTATION/ALIGNABLE_ANNOTATION"):
        start, end = sorted(slots[aligned.get(f"TIME_SLOT_REF{i}")] for i in (1, 2))
        spoken.append(SpokenLine(start, end, " ".join((aligned.findtext("ANNOTATION_VALUE") or "").split())))
    return spoken


READERS: Mapping[str, Callable[[str, str], list[SpokenLine]] | None] = {
    "vtt": read_vtt,
    "srt": read_vtt,
    "json": read_whisper,
    "eaf": None,
}


def add_speech(recording: Recording, actor: str, lines: Iterable[SpokenLine], begins_ms: float = 0.0) -> Recording:
    """Return the recording with the speech of one person, replacing an earlier transcript of theirs.

    `begins_ms` is the start of the sound.
    """
    if actor not in recording.header.players:
        players = ", ".join(f"{name} ({role})" for name, role in recording.header.players.items())
        raise InputError(f"no speaker is called {actor!r} in this recording", remedy=f"one of {players}")
    other_entries = [e for e in recording.entries if not (e.kind == "speech" and e.actor == actor)]
    start = next((e.t_server_ms for e in other_entries if e.kind == "start"), 0.0)
    spoken = []
    for line in lines:
        if line.text:
            begin, end = (round(t_ms + begins_ms, 1) for t_ms in (line.start_ms, line.end_ms))
            data = {"text": line.text, "start_ms": begin, "end_ms": end}
            # Known when it is over, as far as the order of the log goes.
            spoken.append(LogEntry(0, round(start + end, 3), None, actor, "speech", data))
    merged = sorted([*other_entries, *spoken], key=lambda e: e.t_server_ms)
    return replace(recording, entries=tuple(replace(entry, seq=n) for n, entry in enumerate(merged)))
