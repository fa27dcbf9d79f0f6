"""A small demonstration study.

Synthetic scenes, two toy speakers and simulated participants, to try all steps from link to data.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.corpora.demo.make import TOYS
from referee.corpora.synthetic.corpus import Synthetic
from referee.corpora.synthetic.words import phrase_plainly
from referee.records import Description, Trial
from referee_lab.study.design.conditions import COMPARED, list_conditions
from referee_lab.study.design.designs import Request, lay_out
from referee_lab.study.design.practice import interleave_domains, make_check, make_synthetic_extras
from referee_lab.study.folder.draft import Draft, write_study
from referee_lab.study.folder.study import HUMAN, Study
from referee_lab.study.texts import CONTACTS, get_default_title

# Two figures, so that roles can swap; one person and a bot can play both.
DEMO_PUZZLES = ("house", "boat")


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
    settings: Mapping[str, Any] | None = None,
) -> Study:
    """Write a demonstration study: three speakers (toy-minimal, toy-chatty, human) on synthetic items.

    Tangram studies have two figures and a bot as partner, reference games a few figures and two bots.
    """
    if protocol == "replay-identify":
        from referee_lab.tangram.desk.clip_study import make_overhearing_demo

        return make_overhearing_demo(path, items=items, participants=participants, seed=seed, practice=practice, id=id)
    if protocol == "tangram":
        from referee_lab.rooms.room_study import make_tangram_study

        return make_tangram_study(
            path,
            puzzles=DEMO_PUZZLES,
            partner="bot",
            participants=participants,
            language=language,
            seed=seed,
            id=id,
            practice=practice > 0,
        )
    if protocol == "reference-game":
        from referee_lab.rooms.reference_study import make_reference_study

        return make_reference_study(
            path,
            participants=participants,
            language=language,
            seed=seed,
            id=id,
            settings={"group": 3, "bots": 2, "repetitions": 2, "objects": 4},
        )
    trials = interleave_domains(Synthetic(seed=seed, speakers=-(-items // 12), scenes=12).trials())[:items]
    outputs = [(trial.id, name, _describe_target(trial, name)) for name in (*TOYS, HUMAN) for trial in trials]
    conditions = list_conditions(protocol, [*TOYS, HUMAN])
    chosen = "all" if protocol == "production" else design
    request = Request(
        items=tuple(t.id for t in trials),
        conditions=tuple(conditions),
        participants=participants,
        seed=seed,
        strata=tuple(t.domain for t in trials),
    )
    extras = make_synthetic_extras(practice + checks, seed)
    draft = Draft(
        id=id,
        title="A demonstration study" if language == "en" else get_default_title(language),
        protocol=protocol,
        participants=participants,
        layout=lay_out(chosen, request),
        conditions=conditions,
        trials=trials,
        outputs=[] if protocol == "production" else outputs,
        language=language,
        seed=seed,
        source="synthetic scenes and toy speakers of this package",
        practice=[make_check(e, protocol, language) if protocol in COMPARED else e for e in extras[:practice]],
        checks=[make_check(e, protocol, language) for e in extras[practice:]] if protocol != "production" else [],
        fields={
            "study": {"contact": CONTACTS[1] if language == "en" else ""},
            "session": {"demographics": True, "break_every": 4},
            "protocol": dict(settings or {}),
        },
    )
    return write_study(path, draft)


def _describe_target(trial: Trial, speaker: str) -> Description:
    """Return the description of a trial by a toy speaker or a person."""
    if speaker == HUMAN:
        return trial.references[0]
    properties = TOYS[speaker](trial.for_speaker())
    return Description(properties=properties, text=phrase_plainly(properties))
