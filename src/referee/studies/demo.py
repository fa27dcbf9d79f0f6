"""A small study out of nothing: synthetic scenes, two toy speakers and a simulated person, for trying out the whole way from link to data."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

from referee.corpora.synthetic import Synthetic
from referee.corpora.synthetic_words import say_plainly
from referee.demo.make import TOYS, chatty
from referee.records import Description, Trial
from referee.studies.conditions import compared
from referee.studies.designs import Request, lay_out
from referee.studies.drafting import Draft, Extra, write_study
from referee.studies.folder import HUMAN, Study

__all__ = ["make_demo", "synthetic_extras"]


def make_demo(
    path: str | Path,
    protocol: str = "tuna2008",
    *,
    items: int = 6,
    participants: int = 6,
    language: str = "en",
    seed: int = 1,
    practice: int = 2,
    checks: int = 1,
    id: str = "demo",
    design: str = "balanced",
) -> Study:
    """Write a demonstration study: three speakers (toy-minimal, toy-chatty, human) on a few synthetic items."""
    trials = list(islice(Synthetic(seed=seed, speakers=-(-items // 10), scenes=min(items, 10)).trials(), items))
    outputs = [(trial.id, name, _said(trial, name)) for trial in trials for name in (*TOYS, HUMAN)]
    conditions = compared(protocol, [*TOYS, HUMAN])
    chosen = "all" if protocol == "production" else design
    request = Request(
        items=tuple(t.id for t in trials),
        conditions=tuple(conditions),
        participants=participants,
        seed=seed,
        strata=tuple(t.domain for t in trials),
    )
    extras = synthetic_extras(practice + checks, seed, protocol)
    draft = Draft(
        id=id,
        title="A demonstration study",
        protocol=protocol,
        participants=participants,
        layout=lay_out(chosen, request),
        conditions=conditions,
        trials=trials,
        outputs=[] if protocol == "production" else outputs,
        language=language,
        seed=seed,
        source="synthetic scenes and toy speakers of this package",
        practice=extras[:practice],
        checks=extras[practice:] if protocol != "production" else [],
        fields={
            "study": {"contact": "the organisers of this demonstration"},
            "session": {"demographics": True, "break_every": 4},
        },
    )
    return write_study(path, draft)


def _said(trial: Trial, speaker: str) -> Description:
    if speaker == HUMAN:
        return trial.references[0]
    properties = TOYS[speaker](trial.for_speaker())
    return Description(properties=properties, text=say_plainly(properties))


def synthetic_extras(number: int, seed: int, protocol: str) -> list[Extra]:
    """Practice trials and checks on scenes that occur nowhere else, with descriptions that leave no doubt."""
    scenes = Synthetic(seed=Random(f"extras|{seed}").getrandbits(30), speakers=1, scenes=max(number, 2), similarity=0.2)
    extras = []
    for trial in islice(scenes.trials(), number):
        properties = chatty(trial.for_speaker())
        description = Description(properties=properties, text=say_plainly(properties))
        rival = Description(text="thing") if protocol == "judgement-pairwise" else None
        extras.append(Extra(trial=trial, description=description, rival=rival))
    return extras
