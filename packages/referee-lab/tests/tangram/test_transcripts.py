"""Transcripts become utterances of a recording, at the times of its own clock."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.errors import InputError, MalformedInput
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.goals import GOALS
from referee_lab.tangram.game.log import LogEntry, Recording, find_faults, format_recording, parse_recording
from referee_lab.tangram.game.sound_files import list_recorded_sounds
from referee_lab.tangram.tiers.annotations import find_annotation_files
from referee_lab.tangram.tiers.elan import convert_to_eaf
from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue
from referee_lab.tangram.tiers.transcripts import SpokenLine, add_speech, read_transcript, read_vtt, read_whisper

VTT = """WEBVTT

1
00:00:01.500 --> 00:00:02.250
<v Ann>take that
one</v>

00:03.000 --> 00:04.000
turn it
"""
WHISPER = {
    "text": "…",
    "segments": [{"start": 0.5, "end": 1.25, "text": " take it "}, {"start": 2, "end": 3, "text": ""}],
}


def silent() -> Recording:
    """A game of bots without its chat, with a sound of the solver's that begins a second after the start by the page's own clock."""
    played = play_bot_game(GOALS["house"], 1)
    kept = [e for e in played.entries if e.kind not in ("say", "typing")]
    # Bots' clocks: the solver's page is 5,000 ms ahead, and its messages take 12 ms.
    voice = {"chunk": 7, "part": 7, "name": "x", "sha256": "", "start_ms": 6000.0, "end_ms": 9000.0, "puzzle": 0}
    kept.append(LogEntry(0, kept[-1].t_server_ms, None, "solver", "voice", voice))
    said = LogEntry(0, kept[-1].t_server_ms, kept[-1].t_server_ms + 5000 - 12, "solver", "typing", {"typing": False})
    entries = tuple(
        LogEntry(n, *(getattr(e, f) for f in ("t_server_ms", "t_client_ms", "actor", "kind", "data")))
        for n, e in enumerate([*kept, said])
    )
    return Recording(played.header, entries)


def test_cues_of_webvtt_with_their_times_and_without_their_marks() -> None:
    first, second = read_transcript(VTT.encode(), "a.vtt")
    assert first == (1500.0, 2250.0, "take that one")
    assert second == (3000.0, 4000.0, "turn it")


def test_segments_of_whisper_and_tiers_of_elan() -> None:
    assert read_transcript(json.dumps(WHISPER).encode(), "a.json") == [(500.0, 1250.0, "take it")]
    eaf = convert_to_eaf(convert_to_dialogue(play_bot_game(GOALS["house"], 1)))
    lines = read_transcript(eaf, "a.eaf", "SV-UT")
    assert [line.text for line in lines] == [
        u.text
        for u in convert_to_dialogue(play_bot_game(GOALS["house"], 1)).select_tier("utterance")
        if u.by == "solver"
    ]
    with pytest.raises(InputError, match="SV-UT"):
        read_transcript(eaf, "a.eaf", "words")


@pytest.mark.parametrize(("content", "name"), [(b"WEBVTT\n", "a.vtt"), (b"{}", "a.json"), (b"\xff", "a.vtt")])
def test_what_is_no_transcript_is_refused(content: bytes, name: str) -> None:
    with pytest.raises(MalformedInput):
        read_transcript(content, name)
    with pytest.raises(InputError, match="end in"):
        read_transcript(content, "a.txt")


def test_a_sound_begins_when_its_page_says_by_the_servers_clock() -> None:
    (sound,) = list_recorded_sounds(silent())
    assert (sound.role, sound.start_ms, sound.end_ms) == (
        "solver",
        pytest.approx(1000, abs=15),
        pytest.approx(4000, abs=15),
    )


def test_speech_becomes_utterances_that_are_heard_while_they_are_said() -> None:
    recording = add_speech(silent(), "solver", read_transcript(VTT.encode(), "a.vtt"), begins_ms=1000.0)
    assert find_faults(recording) == []
    assert parse_recording(format_recording(recording)) == recording
    first, _ = convert_to_dialogue(recording).select_tier("utterance")
    assert (first.by, first.text, first.start_ms, first.end_ms) == ("solver", "take that one", 2500, 3250)
    assert "shown_ms" not in first.data
    # A better transcript takes the place of the first.
    again = add_speech(recording, "solver", [SpokenLine(0.0, 10.0, "x")])
    assert [u.text for u in convert_to_dialogue(again).select_tier("utterance")] == ["x"]
    with pytest.raises(InputError, match="speaker is called"):
        add_speech(recording, "eve", [])


@pytest.fixture
def endpoint() -> Iterator[tuple[str, list[bytes]]]:
    seen: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.path.encode() + b"\n" + self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(WHISPER).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Nothing on standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
    server.shutdown()
    server.server_close()


def test_the_command_takes_a_file_or_asks_an_endpoint(
    tmp_path: Path, endpoint: tuple[str, list[bytes]], capsys: pytest.CaptureFixture[str]
) -> None:
    recording = silent()
    path = tmp_path / "s.jsonl"
    path.write_text(format_recording(recording), encoding="utf-8")
    (tmp_path / "words.vtt").write_text(VTT, encoding="utf-8")
    assert main(["tangram", "transcript", str(path), "--from", str(tmp_path / "words.vtt"), "--by", "solver"]) == 0
    first = convert_to_dialogue(parse_recording((tmp_path / "s.spoken.jsonl").read_bytes())).select_tier("utterance")[0]
    # 1.5 s into a sound that begins a second after the start.
    assert first.start_ms == pytest.approx(2500, abs=15)
    assert main(["tangram", "transcript", str(path), "--endpoint", endpoint[0]]) == 2
    (sound,) = list_recorded_sounds(recording)
    (tmp_path / sound.name).write_bytes(b"the sound itself")
    assert (
        main(["tangram", "transcript", str(path), "--endpoint", endpoint[0], "--out", str(tmp_path / "e.jsonl")]) == 0
    )
    assert endpoint[1][0].startswith(b"/v1/audio/transcriptions")
    assert b"the sound itself" in endpoint[1][0]
    assert b"verbose_json" in endpoint[1][0]
    (said,) = convert_to_dialogue(parse_recording((tmp_path / "e.jsonl").read_bytes())).select_tier("utterance")
    assert (said.text, said.start_ms) == ("take it", pytest.approx(1500, abs=15))


def test_the_language_spoken_may_be_another_than_the_studys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.jsonl"
    game.write_text(format_recording(play_bot_game(GOALS["cat"], 1)), "utf-8")
    words = tmp_path / "words.json"
    words.write_text('{"segments": [{"start": 1, "end": 2, "text": "nimm das Quadrat"}]}', "utf-8")
    about = ["tangram", "transcript", str(game), "--from", str(words), "--by", "solver"]
    assert main([*about, "--language", "de"]) == 0
    assert parse_recording((tmp_path / "game.spoken.jsonl").read_bytes()).header.language == "de"
    assert main([*about, "--language", "Deutsch!"]) == 2
    assert "is not a language" in capsys.readouterr().err


def test_both_may_be_transcribed_and_the_session_counts_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = tmp_path / "game.jsonl"
    game.write_text(format_recording(play_bot_game(GOALS["cat"], 1)), "utf-8")
    words = tmp_path / "words.json"
    words.write_text('{"segments": [{"start": 1, "end": 2, "text": "take that one"}]}', "utf-8")
    for who in ("solver", "operator"):
        assert main(["tangram", "transcript", str(game), "--from", str(words), "--by", who]) == 0
    spoken = parse_recording((tmp_path / "game.spoken.jsonl").read_bytes())
    assert sorted(e.actor for e in spoken.entries if e.kind == "speech") == ["operator", "solver"]
    assert "2 spoken utterances, 1 by the" in capsys.readouterr().out
    assert main(["tangram", "preannotate", str(tmp_path)]) == 0
    assert "in 1 recordings" in capsys.readouterr().out
    # What lies beside the copy belongs to the copy.
    assert list(find_annotation_files(game)) == []
    assert list(find_annotation_files(tmp_path / "game.spoken.jsonl")) == ["program"]
    assert main(["tangram", "transcript", str(game), "--from", str(words), "--by", "solver"]) == 2
    assert "annotated by program" in capsys.readouterr().err


def test_files_of_windows_and_other_whispers_are_read() -> None:
    vtt = "WEBVTT\r\n\r\n1\r\n00:01.000 --> 00:02.000\r\nyou &amp; me\r\n\r\n2\r\n00:03.000 --> 00:04.000\r\nthat\r\n"
    assert read_vtt(vtt) == [SpokenLine(1000, 2000, "you & me"), SpokenLine(3000, 4000, "that")]
    # As the pipeline of transformers writes it, and as whisper.cpp does.
    chunks = {"text": "a b", "chunks": [{"timestamp": [0.5, 1.0], "text": " a"}, {"timestamp": [2, None], "text": "b"}]}
    assert read_whisper(json.dumps(chunks)) == [SpokenLine(500, 1000, "a"), SpokenLine(2000, 2000, "b")]
    parts = {"transcription": [{"offsets": {"from": 10, "to": 20}, "text": " it"}]}
    assert read_whisper(json.dumps(parts)) == [SpokenLine(10, 20, "it")]


@pytest.mark.parametrize(
    ("content", "name", "told"),
    [
        (b"WEBVTT\n\n00:05.000 --> 00:03.000\nback\n", "a.vtt", "a.vtt:3: the cue ends before it begins"),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\nx\n\n5 --> 6\ny\n", "a.vtt", "a.vtt:6: the times of this cue"),
        (b'{"segments": [{"start": 3, "end": 1, "text": "a"}]}', "a.json", "segment 1 goes from 3 s to 1 s"),
        (b'{"segments": [{"start": NaN, "end": 1, "text": "a"}]}', "a.json", "segment 1 goes from nan s"),
    ],
)
def test_times_that_cannot_be_are_refused(content: bytes, name: str, told: str) -> None:
    with pytest.raises(MalformedInput) as refused:
        read_transcript(content, name)
    assert told in str(refused.value)
