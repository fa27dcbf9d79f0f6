"""Files of sound: made whole, cut, and given silence before them; and when in the game a voice begins."""

from __future__ import annotations

import io
import struct
import wave
from pathlib import Path

import pytest

from referee.errors import InputError
from referee_lab.tangram.game.log import Header, LogEntry, Recording
from referee_lab.tangram.game.recorded_sound import embedded_sounds, recorded_sounds, sound_stretches
from referee_lab.tangram.game.sound_files import cut_sound, delay_sound, whole_sound
from referee_lab.tangram.game.sound_repair import repair_voices

UNKNOWN = b"\x01\xff\xff\xff\xff\xff\xff\xff"


def element(kind: str, content: bytes) -> bytes:
    """An element of a WebM file as browsers write them (RFC 9559): its kind, its length in one or two bytes, its content."""
    size = bytes([0x80 | len(content)]) if len(content) < 127 else struct.pack(">H", 0x4000 | len(content))
    return bytes.fromhex(kind) + size + content


def streamed(*times_ms: int) -> bytes:
    """A file as a browser's recorder gives it: no length, no index, a segment and clusters that do not say where they end."""
    head = element("1a45dfa3", element("4282", b"webm"))
    info = element("1549a966", element("2ad7b1", (1_000_000).to_bytes(3)))
    tracks = element("1654ae6b", element("ae", element("d7", b"\x01")))
    clusters = b""
    for time in times_ms:
        block = element("a3", b"\x81" + struct.pack(">hB", 0, 0x80) + f"sound at {time}".encode())
        clusters += bytes.fromhex("1f43b675") + UNKNOWN + element("e7", time.to_bytes(2)) + block
    return head + bytes.fromhex("18538067") + UNKNOWN + info + tracks + clusters


def held(content: bytes) -> list[tuple[int, bytes]]:
    """Times and contents of the frames, read again by reading the finished file from its index to its clusters."""
    found, place = [], 0
    while (place := content.find(bytes.fromhex("1f43b675"), place)) >= 0:
        size = int.from_bytes(content[place + 4 : place + 12]) & (1 << 56) - 1
        inside, place = content[place + 12 : place + 12 + size], place + 12 + size
        time, at = int.from_bytes(inside[9:17]), 17
        while at < len(inside):
            size = int.from_bytes(inside[at + 1 : at + 9]) & (1 << 56) - 1
            block = inside[at + 9 : at + 9 + size]
            found.append((time + struct.unpack(">h", block[1:3])[0], block[4:]))
            at += 9 + size
    return found


def test_a_browsers_file_gets_a_length_and_an_index_and_keeps_its_frames() -> None:
    times = (0, 60, 4000, 7000, 13_000)
    content = whole_sound(streamed(*times))
    assert held(content) == [(t, f"sound at {t}".encode()) for t in times]
    place = content.index(bytes.fromhex("4489")) + 2 + 8
    assert struct.unpack(">d", content[place : place + 8]) == (13_060.0,)
    # Every place in the index is one of a cluster, counted from the beginning of what the segment holds.
    start = content.index(bytes.fromhex("18538067")) + 12
    places = [int.from_bytes(content[i + 9 : i + 17]) for i in range(len(content)) if content[i : i + 2] == b"\xf1\x01"]
    assert len(places) == 3
    assert all(content[start + p : start + p + 4] == bytes.fromhex("1f43b675") for p in places)
    assert whole_sound(content) == content


def test_a_torn_end_costs_the_last_frame_and_nothing_before_it() -> None:
    assert [t for t, _ in held(whole_sound(streamed(0, 60, 120)[:-3]))] == [0, 60]


def test_a_stretch_of_webm_begins_at_nothing_and_holds_nothing_later() -> None:
    cut = cut_sound(streamed(0, 1000, 2000, 3000), 1000, 3000, "x.webm")
    assert held(cut) == [(0, b"sound at 1000"), (1000, b"sound at 2000")]
    assert b"sound at 3000" not in cut


def test_silence_before_a_sound_moves_it() -> None:
    frames = held(delay_sound(streamed(0, 60), 100, "x.webm"))
    assert [t for t, _ in frames] == [0, 20, 40, 60, 80, 100, 160]
    assert frames[5][1] == b"sound at 0"


def test_other_kinds_stay_as_they_are_and_cannot_be_cut() -> None:
    assert whole_sound(b"OggS...") == b"OggS..."
    with pytest.raises(InputError, match="WebM and WAV only"):
        cut_sound(b"OggS...", 0, 10, "x.ogg")


def wav(samples: int) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, 1000, 0, "NONE", ""))
        file.writeframes(b"".join(struct.pack("<h", i) for i in range(samples)))
    return out.getvalue()


def samples_of(content: bytes) -> list[int]:
    with wave.open(io.BytesIO(content)) as file:
        return [v for (v,) in struct.iter_unpack("<h", file.readframes(file.getnframes()))]


def test_wav_is_cut_and_delayed_by_samples() -> None:
    # 1,000 samples a second: a sample is a millisecond.
    assert samples_of(cut_sound(wav(100), 20, 30, "x.wav")) == list(range(20, 30))
    assert samples_of(cut_sound(wav(100), 95, 130, "x.wav")) == list(range(95, 100))
    assert samples_of(delay_sound(wav(3), 4, "x.wav")) == [0, 0, 0, 0, 0, 1, 2]


def entry(seq: int, t: float, own: float | None, kind: str, **data: object) -> LogEntry:
    return LogEntry(seq, t, own, "P-1", kind, data)


def voice(seq: int, t: float, part: int, start: float, end: float) -> LogEntry:
    return entry(seq, t, None, "voice", chunk=part, part=part, start_ms=start, end_ms=end, puzzle=0, name="", sha256="")


def recorded() -> Recording:
    """A page whose clock is 900 ms behind the game's; loaded again at 20 s, it begins at 0 there."""
    entries = (
        LogEntry(0, 0.0, None, "server", "start", {"state": {}, "hash": ""}),
        entry(1, 2000.0, 1100.0, "typing", typing=True),
        voice(2, 8000.0, 0, 3100.0, 7100.0),
        entry(3, 20_000.0, None, "reconnect"),
        entry(4, 21_000.0, 1000.0, "typing", typing=True),
        voice(5, 26_000.0, 1, 2000.0, 6000.0),
    )
    return Recording(Header(session="s", pair="p", goal="house", players={"P-1": "solver"}), entries)


def test_a_page_that_was_loaded_again_has_a_clock_of_its_own() -> None:
    assert [(s.name, s.start_ms, s.end_ms) for s in recorded_sounds(recorded())] == [
        ("s.P-1-00000.webm", 4000.0, 8000.0),
        ("s.P-1-00001.webm", 22_000.0, 26_000.0),
    ]


def test_what_is_heard_in_a_stretch_is_cut_from_the_files_beside_the_recording(tmp_path: Path) -> None:
    (tmp_path / "s.P-1-00000.wav").write_bytes(wav(4000))
    (heard,) = sound_stretches(recorded(), tmp_path, 5000.0, 6500.0)
    assert (heard.by, heard.start_ms, heard.end_ms) == ("solver", 5000.0, 6500.0)
    assert samples_of(heard.content) == list(range(1000, 2500))
    assert sound_stretches(recorded(), tmp_path, 9000.0, 12_000.0) == []
    (whole,) = embedded_sounds(recorded(), tmp_path)
    assert whole["src"].startswith("data:audio/wav;base64,")


def two_puzzles(second_clock_ms: float = -14_100.0) -> list[Recording]:
    """A session whose only file, from 3,100 to 26,100 ms of the page's clock, was stored with its first puzzle.

    Times of the first puzzle are the page's clock plus 900 ms, those of the second the page's clock plus `second_clock_ms`.
    """
    start = LogEntry(0, 0.0, None, "server", "start", {"state": {}, "hash": ""})
    first = (
        start,
        entry(1, 2000.0, 1100.0, "typing", typing=True),
        entry(2, 10_000.0, None, "end"),
        voice(3, 28_000.0, 0, 3100.0, 26_100.0),
    )
    second = (start, entry(1, 2000.0, 2000.0 - second_clock_ms, "typing", typing=True), entry(2, 9000.0, None, "end"))
    headers = [Header(session=f"s-{n}", pair="s", goal="house", players={"P-1": "solver"}) for n in (1, 2)]
    return [Recording(header, entries) for header, entries in zip(headers, (first, second), strict=True)]


def test_a_voice_of_two_puzzles_is_cut_at_their_logged_times(tmp_path: Path) -> None:
    # A sample a millisecond. The file begins at 4,000 ms of the first puzzle, which ends at 10,000: its first 6,000 samples. It begins at
    # 3,100 - 14,100 = -11,000 ms of the second, which lasts from 0 to 9,000: samples 11,000 to 20,000.
    (tmp_path / "s-1.P-1-00000.wav").write_bytes(wav(23_000))
    first, second = repair_voices(two_puzzles(), tmp_path)
    assert samples_of(first.sounds["s-1.P-1-00000.wav"]) == list(range(6000))
    assert samples_of(second.sounds["s-2.P-1-00000.wav"]) == list(range(11_000, 20_000))
    assert [(s.start_ms, s.end_ms) for s in recorded_sounds(first.recording)] == [(4000.0, 10_000.0)]
    assert [(s.start_ms, s.end_ms) for s in recorded_sounds(second.recording)] == [(0.0, 9000.0)]


def test_a_session_with_a_voice_for_every_puzzle_needs_no_repair(tmp_path: Path) -> None:
    (tmp_path / "s-1.P-1-00000.wav").write_bytes(wav(23_000))
    (tmp_path / "s-2.P-1-00000.wav").write_bytes(wav(9000))
    puzzles = [repaired.recording for repaired in repair_voices(two_puzzles(), tmp_path)]
    assert repair_voices(puzzles, tmp_path) == []


def test_a_page_that_was_loaded_again_between_two_puzzles_cannot_be_repaired(tmp_path: Path) -> None:
    (tmp_path / "s-1.P-1-00000.wav").write_bytes(wav(23_000))
    with pytest.raises(InputError, match="loaded again between two puzzles"):
        repair_voices(two_puzzles(second_clock_ms=-500.0), tmp_path)
