"""The same command prints the same digits whichever matrix kernels the processor gets, on one thread and process or on two."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.corpora.jsonl import response_to_json, trial_to_json, write_json_line
from referee.corpora.synthetic.corpus import Synthetic
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

# What OpenBLAS asks of a processor before it may run the kernels of that name; asking anyway would end in an illegal instruction.
NEEDS = {"Haswell": ("AVX2", "FMA3"), "Zen": ("AVX2", "FMA3"), "SkylakeX": ("AVX512_SKX",), "Prescott": ("SSE3",)}
SEEN: dict[str, str] = {}
EVERYTHING = """
import json, sys
from threadpoolctl import threadpool_info
from referee.cli import main
for command in json.loads(sys.argv[1]):
    assert main(command) == 0, command
import numpy, scipy.linalg
print([p["architecture"] for p in threadpool_info() if p.get("internal_api") == "openblas"], file=sys.stderr)
"""


def features() -> set[str]:
    import numpy

    known: dict[str, bool] = numpy._core._multiarray_umath.__cpu_features__
    return {name for name, there in known.items() if there}


def on_a_machine(core: str, threads: int, commands: Sequence[Sequence[object]]) -> tuple[str, list[str]]:
    """What the commands print with the kernels of a processor, and the kernels that were really taken."""
    if missing := [name for name in NEEDS[core] if name not in features()]:
        pytest.skip(f"this processor cannot run the kernels of {core}: it has no {', '.join(missing)}")
    given = json.dumps([[str(part) for part in command] for command in commands])
    around = {**os.environ, "OPENBLAS_CORETYPE": core, "OPENBLAS_NUM_THREADS": str(threads), "COLUMNS": "160"}
    done = subprocess.run([sys.executable, "-c", EVERYTHING, given], env=around, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(done.stderr.splitlines()[-1].replace("'", '"'))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "small.jsonl"
    path.write_text("".join(write_json_line(trial_to_json(t)) + "\n" for t in Synthetic(speakers=3).trials()), "utf-8")
    return path


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ninety answers in scenes so alike that a hearer is as uncertain about many of them, but for the noise of its fit."""
    folder = tmp_path_factory.mktemp("digits") / "study"
    folder.mkdir()
    rng = Random(3)
    trials, responses = [], []
    for i in range(90):
        (one, other), (kind, another) = rng.sample(("red", "blue", "green"), 2), rng.sample(("cup", "fan", "box"), 2)
        cells = [(one, kind), (other, kind), (one, another)]
        entities = tuple(
            Entity(id=name, attributes=(Property("colour", colour), Property("kind", thing)))
            for name, (colour, thing) in zip("abc", cells, strict=True)
        )
        place = rng.randrange(3)
        said = Description(text=rng.choice((*cells[place], " ".join(cells[place]))))
        meta = {"game": f"g{i % 9}"}
        trials.append(
            Trial(id=f"t{i}", scene=Scene(entities=entities), targets=("abc"[place],), references=(said,), meta=meta)
        )
        chosen = "abc"[place] if rng.random() < 0.8 else rng.choice("abc")
        time = rng.gauss(1200, 200)
        responses.append(
            Response(trial=f"t{i}", hearer=meta["game"], outcome=Outcome.ENTITY, entity=chosen, identification_ms=time)
        )
    (folder / "trials.jsonl").write_text("".join(write_json_line(trial_to_json(t)) + "\n" for t in trials), "utf-8")
    (folder / "responses.jsonl").write_text(
        "".join(write_json_line(response_to_json(r)) + "\n" for r in responses), "utf-8"
    )
    return folder


QUICK = {
    "systems": "tuna2008-as/DIT-FBI,asgre2007/IS-FBN",
    "metrics": "set,distribution,meaning",
    "courts": ("refoi-2025",),
}
LONG = {
    "systems": "tuna2008-as/DIT-FBI,asgre2007/IS-FBN,tuna2008-as/IS-FP,classic/rsa.learned",
    "metrics": "all",
    "courts": ("tuna2008", "belz-gatt-2008", "tunareg2009", "refoi-2025"),
}


def printed(out: Path, corpus: Path, study: Path, core: str, threads: int, what: dict[str, Any]) -> str:
    """A run in as many processes as there are threads, its scores, the courts, and a passport, as a user sees them."""
    run = ("run", "--corpus", corpus, "--systems", what["systems"], "--folds", 2, "--jobs", threads, "--out", out)
    score = ("score", out, "--baseline", "tuna2008-as/DIT-FBI", "--by", "domain", "--metrics", what["metrics"])
    court = [("court", "--published", name, "--details") for name in what["courts"]]
    passport = ("passport", "learned", "--data", study, "--resamples", 100)
    if not out.exists():
        on_a_machine(core, threads, [run])
    shown, kernels = on_a_machine(core, threads, [(*score, "--resamples", 200), *court, passport])
    if not kernels:
        pytest.skip("NumPy was not built with OpenBLAS here: there are no kernels to choose from")
    for word in ("set/dice", "rho", "time correlation"):
        assert word.lower() in shown.lower()
    return shown


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("first") / "outputs"


@pytest.fixture(scope="module")
def first(outputs: Path, corpus: Path, study: Path) -> str:
    """With the kernels that nearly every processor of the last ten years can run."""
    return printed(outputs, corpus, study, "Haswell", 1, QUICK)


@pytest.mark.long
def test_score_court_and_passport_print_the_same_digits(first: str, outputs: Path, corpus: Path, study: Path) -> None:
    """Wide registers against narrow ones; the other kernels, one by one, are left to the long test below."""
    assert printed(outputs, corpus, study, "SkylakeX", 1, QUICK).splitlines() == first.splitlines()


def test_two_processes_and_threads_print_the_same_digits(first: str, tmp_path: Path, corpus: Path, study: Path) -> None:
    assert printed(tmp_path / "outputs", corpus, study, "Prescott", 2, QUICK).splitlines() == first.splitlines()


@pytest.mark.long
@pytest.mark.parametrize(("core", "threads"), [(core, threads) for core in NEEDS for threads in (1, 2)])
def test_every_measure_and_learned_systems_print_the_same_digits(
    core: str, threads: int, tmp_path_factory: pytest.TempPathFactory, corpus: Path, study: Path
) -> None:
    """Systems are fitted again with the kernels of each machine."""
    if "Haswell 1" not in SEEN:
        SEEN["Haswell 1"] = printed(tmp_path_factory.mktemp("long") / "o", corpus, study, "Haswell", 1, LONG)
    shown = printed(tmp_path_factory.mktemp("long") / "o", corpus, study, core, threads, LONG)
    assert shown.splitlines() == SEEN["Haswell 1"].splitlines()
