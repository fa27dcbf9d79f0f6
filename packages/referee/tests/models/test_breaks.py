"""Thousands of questions, some met with faults, and the work killed again and again: in the end all are answered, and none that was kept is asked twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from referee.jobs.folder import Run
from referee.models.response_cache import read_calls
from scripted_endpoint import REFUSALS, Scripted, scripted, wayward

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


def command(corpus: Path, url: str, out: Path, more: str = "") -> list[str]:
    # Three seconds: nobody waits longer for those that are late, and whoever is only busy has answered by then.
    system = f"mine=llm/openai-compatible|model:toy|endpoint:{url}|parallel:{PARALLEL}|pause_s:0.01|timeout_s:3{more}"
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


def break_and_go_on(
    tmp_path: Path, trials: int, kills: tuple[float, ...], faults: float = 0.05, more: str = ""
) -> None:
    corpus, out, plan = tmp_path / "corpus.jsonl", tmp_path / "run", wayward(faults)
    write_corpus(corpus, trials)
    with scripted(plan) as server:
        args = command(corpus, server.url, out, more)
        told: dict[str, int] = {}
        for share in kills:
            assert kill_at(args, server, int(share * trials)), "it was killed in the middle"
            calls = tmp_path / ".run.unfinished" / "calls"
            # Told by the last words alone: a picture is kept as its hash.
            kept = {words(c.question["messages"][-1]["content"]) for c in read_calls(calls) if c.failure is None}
            told = {q: n for q, n in server.told.items() if words(q) in kept} | told
            assert len(told) >= len(kept)
        done = subprocess.run(args, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert len(server.told) == trials
        assert all(server.told[q] == n for q, n in told.items()), "what was kept was not asked again"
        # Whatever was on its way when the process died was answered to nobody.
        assert sum(server.told.values()) <= trials + len(kills) * PARALLEL
        assert sum(server.asked.values()) <= trials * (1.03 + faults) + len(kills) * PARALLEL
        answers = [plan(q, 2) for q in server.told]
    refused = sum(a in REFUSALS for a in answers)
    filtered = sum(a is not None and a[0] == 400 for a in answers)
    outputs = list(Run(out).outputs())
    assert len(outputs) == trials - refused
    assert {o.description.text for o in outputs} == {"the red chair"}, "said in words, or by a function call"
    counts = Run(out).manifest["counts"]["mine"]
    assert (counts["answered"], counts["refused"], counts["failed"]) == (trials - refused, refused, 0)
    # Every question is 50 tokens and counted once, in whichever process it was asked; a filter of the endpoint takes none (scripted_endpoint).
    assert counts["prompt_tokens"] == 50 * (trials - filtered)
    assert len({call.key for call in read_calls(out / "calls.jsonl")}) == trials


def words(content: Any) -> str:
    """The words of a message, of which the number of the scene is a part: no two questions have the same."""
    found = re.search(r"number: (\d+)", str(content))
    assert found is not None
    return found[1]


def test_a_run_that_is_killed_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    break_and_go_on(tmp_path, 400, (0.4,))


def test_questions_with_pictures_survive_it_too(tmp_path: Path) -> None:
    break_and_go_on(tmp_path, 24, (0.5,), 0.2, "|image:yes")


@pytest.mark.long
def test_ten_thousand_questions_with_faults_and_three_kills(tmp_path: Path) -> None:
    break_and_go_on(tmp_path, 10_000, (0.2, 0.5, 0.8))
