"""Two people in two browsers with microphones of their own hear each other, and both voices are whole files beside the recording."""

from __future__ import annotations

import math
import struct
import time
import wave
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from crowd import ServerProcess, free_port
from playwright.sync_api import Browser, Page, expect
from study_in_browser import enter_room

from machine import IN_CI
from real_chromium import PATIENCE_MS, open_chromiums
from referee.cli import main
from referee_lab.rooms.room_study import make_tangram_study
from referee_lab.server.web.built_pages import STATIC
from referee_lab.tangram.game.goals import find_goal, lay_out_goal
from referee_lab.tangram.game.log import iterate_timeline, parse_recording
from referee_lab.tangram.game.sound_files import RecordedSound, list_recorded_sounds

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        not (STATIC / "participant.html").exists() and not IN_CI, reason="the pages are not built: make bundle"
    ),
]
TONES = (500.0, 1400.0)
THIRD = 2300.0
# There is no such helper: pages on one machine find each other without, and what they were told can be looked at.
SETTINGS = {"voice": True, "ice_servers": ["turn:127.0.0.1:9|ann|secret"]}
# What a page asks its browser for when it sets up the call.
WATCH_CALLS = """
window.calls = [];
const Peer = window.RTCPeerConnection;
window.RTCPeerConnection = class extends Peer { constructor(told) { super(told); window.calls.push(JSON.parse(JSON.stringify(told))); } };
"""
# The loudest frequency of an audio element.
HEARD = """async (audio) => {
  window.ear ??= new AudioContext();
  await window.ear.resume();
  const ears = window.ear.createAnalyser();
  ears.fftSize = 8192;
  window.ear.createMediaStreamSource(audio.captureStream()).connect(ears);
  await new Promise((resolve) => setTimeout(resolve, 600));
  const heights = new Float32Array(ears.frequencyBinCount);
  ears.getFloatFrequencyData(heights);
  return (heights.reduce((best, height, i) => (height > heights[best] ? i : best), 0) * window.ear.sampleRate) / ears.fftSize;
}"""
# The loudest frequency of what the page hears from its partner, in hertz; 0 for silence.
LOUDEST = """async (which) => {
  const stream = document.querySelectorAll("audio.partner-sound")[which]?.srcObject;
  if (!stream) return 0;
  window.ear ??= new AudioContext();
  await window.ear.resume();
  const ears = window.ear.createAnalyser();
  ears.fftSize = 8192;
  window.ear.createMediaStreamSource(stream).connect(ears);
  await new Promise((resolve) => setTimeout(resolve, 600));
  const heights = new Float32Array(ears.frequencyBinCount);
  ears.getFloatFrequencyData(heights);
  const top = heights.reduce((best, height, i) => (height > heights[best] ? i : best), 0);
  return heights[top] > -80 ? (top * window.ear.sampleRate) / ears.fftSize : 0;
}"""


def tone(path: Path, hertz: float) -> Path:
    """Two seconds of a pure tone, which the fake microphone plays over and over."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 48_000, 96_000, "NONE", ""))
        samples = (int(20_000 * math.sin(2 * math.pi * hertz * i / 48_000)) for i in range(96_000))
        file.writeframes(b"".join(struct.pack("<h", sample) for sample in samples))
    return path


@pytest.fixture
def browsers(tmp_path: Path) -> Iterator[list[Browser]]:
    with speaking(tmp_path, TONES) as found:
        yield found


@contextmanager
def speaking(folder: Path, tones: Sequence[float]) -> Iterator[list[Browser]]:
    """A browser for each tone, whose microphone hears nothing else."""
    files = [tone(folder / f"{hertz:.0f}.wav", hertz) for hertz in tones]
    fake = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
    loud = ("--autoplay-policy=no-user-gesture-required",)
    with open_chromiums(*((*fake, *loud, f"--use-file-for-fake-audio-capture={file}") for file in files)) as found:
        yield found


def come(browser: Browser, server: ServerProcess, problems: list[str]) -> Page:
    page = browser.new_context(viewport={"width": 1200, "height": 800}).new_page()
    page.add_init_script(WATCH_CALLS)
    page.on("pageerror", lambda error: problems.append(str(error)))
    return enter_room(page, server.port, "spoken", "Yes, record")


def loudest(page: Page, wanted: float, which: int = 0) -> float:
    """What the page hears, once it hears something like the tone that is wanted (or at last)."""
    end, heard = time.monotonic() + PATIENCE_MS / 1000, 0.0
    while time.monotonic() < end and abs(heard - wanted) > 40:
        heard = float(page.evaluate(LOUDEST, which))
    return heard


def test_what_one_page_plays_the_other_hears_and_both_are_recorded(
    browsers: list[Browser], tmp_path: Path, capsys: Any
) -> None:
    folder, problems = tmp_path / "spoken", list[str]()
    make_tangram_study(folder, id="spoken", puzzles=["house"], practice=False, settings=SETTINGS)
    server = ServerProcess(folder, free_port())
    server.start()
    server.wait_until_up()
    try:
        pages = [come(browser, server, problems) for browser in browsers]
        for page in pages:
            expect(page.locator(".voice-note.on")).to_be_visible()
        assert loudest(pages[0], TONES[1]) == pytest.approx(TONES[1], abs=40)
        assert loudest(pages[1], TONES[0]) == pytest.approx(TONES[0], abs=40)
        told = {"iceServers": [{"urls": "turn:127.0.0.1:9", "username": "ann", "credential": "secret"}]}
        assert [page.evaluate("calls") for page in pages] == [[told], [told]]
        pages[0].wait_for_timeout(6000)  # longer than a piece of sound, and than the time between two measurements
        lay_the_figure(pages)
        for page in pages:
            page.wait_for_timeout(1500)
            page.context.close()
    finally:
        server.stop()
    assert problems == []
    assert main(["tangram", "export", str(folder), "--all", "--as", "jsonl", "--out", str(tmp_path / "out")]) == 0
    (file,) = (tmp_path / "out").glob("*.jsonl")
    recording = parse_recording(file.read_bytes())
    calls = [e.data for e in recording.entries if e.kind == "call"]
    assert calls
    assert all(call["state"] == "connected" and call["received"] > 0 for call in calls)
    sounds = list_recorded_sounds(recording)
    assert {sound.role for sound in sounds} == {"operator", "solver"}
    for sound in sounds:
        content = (tmp_path / "out" / sound.name).read_bytes()
        # EBML, the beginning of every WebM file: the pieces are one file from its beginning.
        assert content[:4] == b"\x1a\x45\xdf\xa3"
        assert sound.end_ms - sound.start_ms > 4000
    assert main(["tangram", "export", str(file), "--as", "eaf"]) == 0
    assert file.with_suffix(".eaf").read_text().count("<MEDIA_DESCRIPTOR") == len(sounds)
    assert main(["tangram", "replay", str(file)]) == 0
    replay_speaks(browsers[0].new_page(), file.with_suffix(".html"), {s.role: s for s in sounds})


def test_every_puzzle_has_its_own_voices_to_its_end(browsers: list[Browser], tmp_path: Path) -> None:
    """Three puzzles; the last piece of sound of the third comes when everybody has left the room."""
    folder, problems = tmp_path / "spoken", list[str]()
    settings = {**SETTINGS, "swap_after": 0}
    make_tangram_study(folder, id="spoken", puzzles=["house"] * 3, practice=False, settings=settings)
    server = ServerProcess(folder, free_port())
    server.start()
    server.wait_until_up()
    try:
        pages = [come(browser, server, problems) for browser in browsers]
        for puzzle in (1, 2, 3):
            for page in pages:
                expect(page.locator(".room[data-phase=playing]")).to_be_visible()
                expect(page.locator(".voice-note.on")).to_be_visible()
            pages[0].wait_for_timeout(1000)
            lay_the_figure(pages)
            if puzzle < 3:
                for page in pages:
                    page.get_by_role("button", name="Next puzzle").click()
        for page in pages:
            page.get_by_role("button", name="Go on").click()
        for page in pages:
            page.wait_for_timeout(1500)
            page.context.close()
    finally:
        server.stop()
    assert problems == []
    assert main(["tangram", "export", str(folder), "--all", "--as", "jsonl", "--out", str(tmp_path / "out")]) == 0
    files = sorted((tmp_path / "out").glob("*.jsonl"))
    assert len(files) == 3
    for file in files:
        recording = parse_recording(file.read_bytes())
        end = next(t for t, entry in iterate_timeline(recording) if entry.kind == "solved")
        sounds = list_recorded_sounds(recording)
        assert [sound.role for sound in sorted(sounds, key=lambda s: s.role)] == ["operator", "solver"]
        for sound in sounds:
            assert (tmp_path / "out" / sound.name).is_file()
            # From the beginning of the puzzle to its end, but for what starting and stopping takes.
            assert sound.start_ms == pytest.approx(0.0, abs=1500)
            assert sound.end_ms == pytest.approx(end, abs=1500)


def test_in_a_group_everybody_hears_everybody(tmp_path: Path) -> None:
    """Three pages, three tones: each page plays the other two, and nobody's own."""
    folder, problems, tones = tmp_path / "spoken", list[str](), (*TONES, THIRD)
    settings = {"voice": True, "group": 3}
    make_tangram_study(folder, id="spoken", puzzles=["house"], practice=False, settings=settings)
    server = ServerProcess(folder, free_port())
    server.start()
    server.wait_until_up()
    try:
        with speaking(tmp_path, tones) as browsers:
            pages = [come(browser, server, problems) for browser in browsers]
            for page in pages:
                expect(page.locator(".voice-note.on")).to_be_visible()
            for page, own in zip(pages, tones, strict=True):
                expect(page.locator("audio.partner-sound")).to_have_count(2)
                others = [one for one in tones if one != own]
                seats = page.evaluate(
                    "[...document.querySelectorAll('audio.partner-sound')].map((a) => Number(a.dataset.seat))"
                )
                # Seats are given in the order of arrival.
                for which, seat in enumerate(seats):
                    assert tones[seat] in others
                    assert loudest(page, tones[seat], which) == pytest.approx(tones[seat], abs=40)
    finally:
        server.stop()
    assert problems == []


def replay_speaks(page: Page, file: Path, sounds: dict[str, RecordedSound]) -> None:
    """The two voices of the replay are the two microphones', each running with the board."""
    page.goto(file.as_uri())
    page.evaluate("replay.seek(TIME)".replace("TIME", str(max(s.start_ms for s in sounds.values()) + 1500)))
    page.get_by_role("button", name="Play").click()
    heard = set()
    for role, sound in sounds.items():
        voice = page.locator(f"audio[data-by={role}]")
        heard.add(round(float(voice.evaluate(HEARD)) / 100) * 100)
        apart = voice.evaluate("(audio, start) => audio.currentTime * 1000 + start - replay.time()", sound.start_ms)
        assert abs(apart) < 400
    assert heard == set(TONES)


def lay_the_figure(pages: list[Page]) -> None:
    """The operator's page sends what finishes the puzzle."""
    operator = next(p for p in pages if p.locator(".room").get_attribute("data-role") == "operator")
    box = operator.locator("svg.board").bounding_box()
    assert box
    scale = box["width"] / 1200
    for piece, place in lay_out_goal(find_goal("house")).placements.items():
        operator.locator("svg.board").focus()
        operator.keyboard.press(piece)
        _turn(operator, piece, place.rotation, place.flipped)
        before = operator.evaluate(
            "(p) => document.querySelector(`[data-piece='${p}']`).getAttribute('transform')", piece
        )
        x, y = (float(v) for v in before.removeprefix("translate(").removesuffix(")").split())
        operator.mouse.move(box["x"] + x * scale, box["y"] + y * scale)
        operator.mouse.down()
        operator.mouse.move(box["x"] + place.x * scale, box["y"] + place.y * scale, steps=4)
        operator.mouse.up()
        if operator.locator(".room").get_attribute("data-phase") != "playing":
            return


def _turn(page: Page, piece: str, rotation: int, flipped: bool) -> None:
    inner = f"document.querySelector(\"[data-piece='{piece}'] .board-turn\").getAttribute('transform')"
    for _ in range(8):
        now = page.evaluate(inner)
        if int(now.split("(")[1].split(")")[0]) % 360 == rotation % 360:
            break
        page.keyboard.press("r")
        page.wait_for_timeout(60)
    if ("scale" in page.evaluate(inner)) != flipped:
        page.keyboard.press("f")
        page.wait_for_timeout(60)
