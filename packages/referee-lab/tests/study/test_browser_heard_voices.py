"""Recorded voices in a real Chromium: in a replay, on the evaluator's page, and after a browser's own recording was made whole."""

from __future__ import annotations

import base64
import io
import math
import struct
import wave
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from study_in_browser import Visitor, chromium, serve

from referee.cli import main
from referee_lab.server.sessions.served_study import open_served
from referee_lab.study.folder.draft import write_study
from referee_lab.tangram.desk.clip_study import ClipStudyOptions, prepare_overhearing
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.dialogue_sessions import DialogueSession
from referee_lab.tangram.game.goals import GOALS
from referee_lab.tangram.game.log import LogEntry, Recording, format_recording
from referee_lab.tangram.game.sound_files import delay_sound, index_sound
from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue

RATE = 8000
START_MS, END_MS = 4_000.0, 240_000.0
LOW, HIGH, CHANGES_S = 500.0, 1400.0, 20
# The loudest frequency that an audio element gives, in hertz.
LOUDEST = """async (audio) => {
  window.ear ??= new AudioContext();
  await window.ear.resume();
  const ears = window.ear.createAnalyser();
  ears.fftSize = 8192;
  window.ear.createMediaStreamSource(audio.captureStream()).connect(ears);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const heights = new Float32Array(ears.frequencyBinCount);
  ears.getFloatFrequencyData(heights);
  const top = heights.reduce((best, height, i) => (height > heights[best] ? i : best), 0);
  return heights[top] > -80 ? (top * window.ear.sampleRate) / ears.fftSize : 0;
}"""
# How far sound and film are apart, in milliseconds.
APART = "() => document.querySelector('audio').currentTime * 1000 + START - replay.time()".replace(
    "START", str(START_MS)
)


def tones(seconds: int) -> bytes:
    """A low tone, and after twenty seconds a high one: what is heard tells the time."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        low, high = (
            b"".join(struct.pack("<h", int(9000 * math.sin(2 * math.pi * h * i / RATE))) for i in range(RATE))
            for h in (LOW, HIGH)
        )
        file.writeframes(low * CHANGES_S + high * (seconds - CHANGES_S))
    return out.getvalue()


def speak(goal: str, seed: int, folder: Path) -> Recording:
    """A game of bots whose solver was recorded from the fourth second on, with the sound beside it."""
    game = play_bot_game(GOALS[goal], seed)
    solver = next(name for name, role in game.header.players.items() if role == "solver")
    clock = next(e.t_server_ms - e.t_client_ms for e in game.entries if e.actor == solver and e.t_client_ms is not None)
    about = {"chunk": 0, "part": 0, "puzzle": 0, "name": "", "sha256": ""}
    times = {"start_ms": START_MS - clock, "end_ms": END_MS - clock}
    last = game.entries[-1]
    piece = LogEntry(last.seq + 1, last.t_server_ms, None, solver, "voice", {**about, **times})
    (folder / f"{game.header.session}.{solver}-00000.wav").write_bytes(tones(round((END_MS - START_MS) / 1000)))
    recording = replace(game, entries=(*game.entries, piece))
    (folder / f"{goal}.jsonl").write_text(format_recording(recording), encoding="utf-8")
    return recording


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def heard(page: Page) -> float:
    return float(page.locator("audio").evaluate(LOUDEST))


def test_a_replay_speaks_with_the_board_and_is_silent_when_it_stands(browser: Browser, tmp_path: Path) -> None:
    speak("eagle", 2, tmp_path)
    assert main(["tangram", "replay", str(tmp_path / "eagle.jsonl"), "--out", str(tmp_path / "replay.html")]) == 0
    page, problems = browser.new_page(), list[str]()
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto((tmp_path / "replay.html").as_uri())
    page.evaluate("replay.seek(10000)")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => !document.querySelector('audio').paused && replay.time() > 10500")
    assert heard(page) == pytest.approx(LOW, abs=20)
    page.evaluate("replay.seek(40000)")
    page.wait_for_function("() => replay.time() > 40500")
    # A sound is set right where it is 120 ms off; the rest is for a slow machine's frames.
    assert abs(page.evaluate(APART)) < 400
    assert heard(page) == pytest.approx(HIGH, abs=20)
    page.get_by_label("voices").uncheck()
    assert page.locator("audio").evaluate("audio => audio.muted")
    page.get_by_role("button", name="Pause").click()
    assert page.locator("audio").evaluate("audio => audio.paused")
    page.evaluate("replay.seek(1000)")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => replay.time() > 1200")
    # Nobody was recorded yet.
    assert page.locator("audio").evaluate("audio => audio.paused")
    assert problems == []
    page.close()


@pytest.mark.long
def test_evaluators_hear_the_clip_and_nothing_after_it(browser: Browser, tmp_path: Path) -> None:
    wanted = ClipStudyOptions(id="heard", participants=2, fp=2, tp=2, fn=0, practice=0)
    games = [speak(goal, 2, tmp_path) for goal in ("eagle", "house", "boat")]
    sessions = [DialogueSession(game, convert_to_dialogue(game), tmp_path) for game in games]
    draft = prepare_overhearing(sessions, wanted).draft
    clips = [t.meta["clip"] for t in draft.trials if "sounds" in t.meta["clip"]]
    assert len(clips) == len(draft.trials)
    for clip in clips:
        (sound,) = clip["sounds"]
        with wave.open(io.BytesIO(draft.sounds[sound["src"]])) as file:
            length = 1000 * file.getnframes() / RATE
        assert clip["start_ms"] <= sound["start_ms"] < sound["end_ms"] <= clip["end_ms"]
        assert length == pytest.approx(sound["end_ms"] - sound["start_ms"], abs=1)
    made = tmp_path / "heard"
    write_study(made, draft)
    settings = made / "study.toml"
    settings.write_text(settings.read_text("utf-8").replace("demographics = true", "demographics = false"), "utf-8")
    with serve(open_served(made)) as base:
        visitor = Visitor.at(browser, f"{base}/s/heard/")
        visitor.agree()
        page = visitor.page
        while not page.locator(".replay-trial").count():
            visitor.wait()
            if (button := page.locator(".page .actions .button")).count():
                button.last.click()
        visitor.wait()
        page.locator(".replay-bar .button").click()
        page.wait_for_function(
            "() => { const a = document.querySelector('.replay-trial audio'); return a && !a.paused && a.currentTime > 0.3; }"
        )
        assert heard(page) in (pytest.approx(LOW, abs=20), pytest.approx(HIGH, abs=20))


def test_what_chromium_recorded_can_be_gone_through_once_it_is_whole(browser: Browser) -> None:
    page = browser.new_page()
    raw = page.evaluate("""async () => {
      const context = new AudioContext(), tone = context.createOscillator(), out = context.createMediaStreamDestination();
      tone.frequency.value = 700;
      tone.connect(out); tone.start();
      const recorder = new MediaRecorder(out.stream), pieces = [];
      recorder.ondataavailable = ({ data }) => pieces.push(data);
      recorder.start(500);
      await new Promise((resolve) => setTimeout(resolve, 2200));
      await new Promise((resolve) => { recorder.onstop = resolve; recorder.stop(); });
      const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
      return btoa(String.fromCharCode(...bytes));
    }""")
    whole = index_sound(base64.b64decode(raw))
    late = delay_sound(whole, 3000, "x.webm")
    probe = """async (content) => {
      const audio = new Audio(`data:audio/webm;base64,${content}`);
      await new Promise((resolve, reject) => { audio.onloadedmetadata = resolve; audio.onerror = () => reject(audio.error.message); });
      const length = audio.duration;
      audio.currentTime = 1.5;
      await new Promise((resolve) => (audio.onseeked = resolve));
      const data = await (await fetch(audio.src)).arrayBuffer(), sound = await new AudioContext().decodeAudioData(data);
      const loud = (from, to) => Math.max(...sound.getChannelData(0).slice(from * sound.sampleRate, to * sound.sampleRate).map(Math.abs));
      return { length, at: audio.currentTime, first: loud(0.3, 1.5), later: loud(3.3, 4.5) };
    }"""
    found = page.evaluate(probe, base64.b64encode(whole).decode())
    assert 1.5 < found["length"] < 4
    assert found["at"] == pytest.approx(1.5, abs=0.05)
    assert found["first"] > 0.3
    moved = page.evaluate(probe, base64.b64encode(late).decode())
    assert moved["length"] == pytest.approx(found["length"] + 3, abs=0.1)
    # Three seconds of silence, and then the tone.
    assert moved["first"] < 0.01
    assert moved["later"] > 0.3
    page.close()
