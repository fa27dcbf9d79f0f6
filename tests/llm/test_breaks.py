"""Thousands of questions, some met with faults, and the work killed again and again: in the end all are answered, and none that was kept is asked twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from referee.llm.call_book import gather_calls, read_calls
from referee.runs.folder import Run
from scripted_endpoint import Scripted, faulty, scripted

PARALLEL = 16


def write_corpus(path: Path, trials: int) -> None:
    """Trials of two objects, each with a scene of its own, so that every question is another."""
    with path.open("w", encoding="utf-8") as file:
        for n in range(trials):
            things = [
                {"id": "a", "attributes": {"type": "chair", "colour": "red", "number": str(n)}},
                {"id": "b", "attributes": {"type": "chair", "colour": "blue"}},
            ]
            trial = {"id": f"t{n}", "scene": f"s{n}", "entities": things, "targets": ["a"]}
            file.write(json.dumps({**trial, "references": [{"text": "the red chair"}]}) + "\n")


def command(corpus: Path, url: str, out: Path) -> list[str]:
    system = f"mine=llm/openai-compatible|model:toy|endpoint:{url}|parallel:{PARALLEL}|pause_s:0.01"
    named = ["--corpus", str(corpus), "--systems", system, "--folds-by", "random", "--folds", "2", "--out", str(out)]
    return [sys.executable, "-m", "referee", "run", *named]


def kill_at(args: list[str], server: Scripted, questions: int) -> bool:
    """Run until so many questions were asked, then `kill -9`; says whether it was still running."""
    process = subprocess.Popen(args, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while process.poll() is None and len(server.asked) < questions:
        time.sleep(0.005)
    alive = process.poll() is None
    if alive:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return alive


def break_and_go_on(tmp_path: Path, trials: int, kills: tuple[float, ...]) -> None:
    corpus, out = tmp_path / "corpus.jsonl", tmp_path / "run"
    write_corpus(corpus, trials)
    with scripted(faulty(0.05)) as server:
        args = command(corpus, server.url, out)
        told: dict[str, int] = {}
        for share in kills:
            assert kill_at(args, server, int(share * trials)), "it was killed in the middle"
            calls = tmp_path / ".run.unfinished" / "calls"
            kept = [c.question["messages"][-1]["content"] for c in read_calls(calls) if c.failure is None]
            told = {question: server.told[question] for question in kept} | told
        done = subprocess.run(args, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert len(server.told) == trials
        assert all(server.told[q] == n for q, n in told.items()), "what was kept was not asked again"
        # Whatever was on its way when the process died was answered to nobody.
        assert sum(server.told.values()) <= trials + len(kills) * PARALLEL
        assert sum(server.asked.values()) <= trials * 1.08 + len(kills) * PARALLEL
    outputs = list(Run(out).outputs())
    assert len(outputs) == trials
    assert {o.description.text for o in outputs} == {"the red chair"}
    counts = Run(out).manifest["counts"]["mine"]
    assert (counts["answered"], counts["failed"]) == (trials, 0)
    # Every question is 50 tokens and counted once, in whichever process it was asked (scripted_endpoint.answered).
    assert counts["prompt_tokens"] == 50 * trials
    assert len(gather_calls(out / "calls.jsonl")) == trials


def test_a_run_that_is_killed_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    break_and_go_on(tmp_path, 300, (0.4,))


@pytest.mark.long
def test_ten_thousand_questions_with_faults_and_three_kills(tmp_path: Path) -> None:
    break_and_go_on(tmp_path, 10_000, (0.2, 0.5, 0.8))
