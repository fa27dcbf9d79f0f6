"""Files of sound: made whole, cut, and given silence before them; and when in the game a voice begins."""

from __future__ import annotations

import io
import struct
import wave
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest

from referee.errors import InputError
from referee_lab.tangram.game.log import Header, LogEntry, Recording
from referee_lab.tangram.game.sound_files import (
    cut_sound,
    cut_sounds,
    delay_sound,
    embed_sounds,
    index_sound,
    list_recorded_sounds,
)
from referee_lab.tangram.game.sound_repair import repair_voices

RATE = 48_000


def streamed(seconds: float) -> bytes:
    """A tone as a browser's recorder gives it: Opus in packets of 20 ms, no duration, no index, clusters without a length."""
    out = io.BytesIO()
    with av.open(out, "w", format="webm", options={"live": "1"}) as file:
        sound = file.add_stream("libopus", rate=RATE, layout="mono")
        wave_form = np.sin(np.arange(int(seconds * RATE)) * 2 * np.pi * 440 / RATE).astype(np.float32)
        for start in range(0, len(wave_form), 960):
            frame = av.AudioFrame.from_ndarray(wave_form[None, start : start + 960], format="flt", layout="mono")
            frame.sample_rate, frame.pts = RATE, start
            file.mux(sound.encode(frame))
        file.mux(sound.encode(None))
    return out.getvalue()


def packets(content: bytes) -> list[tuple[int, bytes]]:
    """Times in milliseconds and contents of the packets; the first one begins 7 ms before 0, which is the delay of the encoder."""
    with av.open(io.BytesIO(content)) as file:
        sound = file.streams.audio[0]
        return [(round(1000 * p.pts * sound.time_base), bytes(p)) for p in file.demux(sound) if p.pts is not None]


def duration_s(content: bytes) -> float | None:
    with av.open(io.BytesIO(content)) as file:
        return None if file.duration is None else file.duration / 1e6


def test_a_browsers_file_gets_a_length_and_an_index_and_keeps_its_packets() -> None:
    recorded = streamed(14.0)
    content = index_sound(recorded)
    assert packets(content) == packets(recorded)
    assert duration_s(recorded) is None
    assert duration_s(content) == pytest.approx(14.0, abs=0.02)
    # RFC 9559, 5.1.5: Cues, the index; 5.1.1: SeekHead, where a player finds it.
    assert [bytes.fromhex(kind) in content for kind in ("1c53bb6b", "114d9b74")] == [True, True]
    assert index_sound(content) == content


def test_a_torn_end_costs_the_last_packet_and_nothing_before_it() -> None:
    recorded = streamed(0.2)
    assert packets(index_sound(recorded[:-3])) == packets(recorded)[:-1]


def test_a_stretch_of_webm_begins_at_nothing_and_holds_nothing_later() -> None:
    recorded = streamed(4.0)
    cut = packets(cut_sound(recorded, 1000, 3000, "x.webm"))
    assert cut == [(t - 1000, content) for t, content in packets(recorded) if 1000 <= t < 3000]
    # 20 ms a packet, so a hundred of them in two seconds
    assert len(cut) == 100
    assert packets(cut_sound(recorded, 0, 100, "x.webm")) == packets(recorded)[:6]


def test_silence_before_a_sound_moves_it() -> None:
    recorded = streamed(0.06)
    moved = packets(delay_sound(recorded, 100, "x.webm"))
    assert [t for t, _ in moved[:6]] == [0, 20, 40, 60, 80, 93]
    assert [content for _, content in moved[5:]] == [content for _, content in packets(recorded)]


def test_what_only_looks_like_webm_stays_as_it_is() -> None:
    torn = bytes.fromhex("1a45dfa3") + b"nothing that can be played"
    assert index_sound(torn) == torn


def test_other_kinds_stay_as_they_are_and_cannot_be_cut() -> None:
    assert index_sound(b"OggS...") == b"OggS..."
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
    assert [(s.name, s.start_ms, s.end_ms) for s in list_recorded_sounds(recorded())] == [
        ("s.P-1-00000.webm", 4000.0, 8000.0),
        ("s.P-1-00001.webm", 22_000.0, 26_000.0),
    ]


def test_a_voice_begins_where_it_began_though_the_line_broke_before_the_first_ping() -> None:
    """The page's clock is 900 ms behind the game's all the time; only after the break an entry has both times."""
    first, *_ = recorded().entries
    broken = (
        voice(1, 5000.0, 0, 100.0, 4100.0),
        entry(2, 6000.0, None, "reconnect"),
        entry(3, 7000.0, 6100.0, "typing", typing=True),
        voice(4, 9100.0, 0, 4100.0, 8100.0),
    )
    (sound,) = list_recorded_sounds(Recording(recorded().header, (first, *broken)))
    assert (sound.start_ms, sound.end_ms) == (1000.0, 9000.0)
    # Without any, the chunk that arrived soonest after its end decides.
    (sound,) = list_recorded_sounds(Recording(recorded().header, (first, *broken[:2])))
    assert (sound.start_ms, sound.end_ms) == (1000.0, 5000.0)


def test_what_is_heard_in_a_stretch_is_cut_from_the_files_beside_the_recording(tmp_path: Path) -> None:
    (tmp_path / "s.P-1-00000.wav").write_bytes(wav(4000))
    (heard,) = cut_sounds(recorded(), tmp_path, 5000.0, 6500.0)
    assert (heard.by, heard.start_ms, heard.end_ms) == ("solver", 5000.0, 6500.0)
    assert samples_of(heard.content) == list(range(1000, 2500))
    assert cut_sounds(recorded(), tmp_path, 9000.0, 12_000.0) == []
    (whole,) = embed_sounds(recorded(), tmp_path)
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
    assert [(s.start_ms, s.end_ms) for s in list_recorded_sounds(first.recording)] == [(4000.0, 10_000.0)]
    assert [(s.start_ms, s.end_ms) for s in list_recorded_sounds(second.recording)] == [(0.0, 9000.0)]


def test_a_voice_is_cut_though_the_line_broke_before_the_first_ping_of_a_puzzle(tmp_path: Path) -> None:
    (tmp_path / "s-1.P-1-00000.wav").write_bytes(wav(23_000))
    first, second = two_puzzles()
    start, *others = second.entries
    broken = replace(second, entries=(start, entry(1, 500.0, None, "reconnect"), *others))
    _, repaired = repair_voices([first, broken], tmp_path)
    assert samples_of(repaired.sounds["s-2.P-1-00000.wav"]) == list(range(11_000, 20_000))


def test_a_session_with_a_voice_for_every_puzzle_needs_no_repair(tmp_path: Path) -> None:
    (tmp_path / "s-1.P-1-00000.wav").write_bytes(wav(23_000))
    (tmp_path / "s-2.P-1-00000.wav").write_bytes(wav(9000))
    puzzles = [repaired.recording for repaired in repair_voices(two_puzzles(), tmp_path)]
    assert repair_voices(puzzles, tmp_path) == []


def test_a_page_that_was_loaded_again_between_two_puzzles_cannot_be_repaired(tmp_path: Path) -> None:
    (tmp_path / "s-1.P-1-00000.wav").write_bytes(wav(23_000))
    with pytest.raises(InputError, match="loaded again between two puzzles"):
        repair_voices(two_puzzles(second_clock_ms=-500.0), tmp_path)
