"""Practice trials and attention checks.

Scenes that occur nowhere else in the study, with descriptions that leave no doubt.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import zip_longest
from random import Random

from referee.corpora.demo.make import describe_fully
from referee.corpora.synthetic.corpus import Synthetic
from referee.corpora.synthetic.words import phrase_plainly
from referee.records import Description, Trial
from referee_lab.study.design.conditions import COMPARED
from referee_lab.study.folder.draft import Extra
from referee_lab.study.texts import load_interface_words

DOMAINS = ("furniture", "people")


def interleave_domains(trials: Iterable[Trial]) -> list[Trial]:
    """Return the trials with their domains alternating."""
    pools: dict[str | None, list[Trial]] = {}
    for trial in trials:
        pools.setdefault(trial.domain, []).append(trial)
    return [trial for turn in zip_longest(*pools.values()) for trial in turn if trial is not None]


def make_synthetic_extras(number: int, seed: int, domains: Collection[str | None] = DOMAINS) -> list[Extra]:
    """Return synthetic trials with furniture and people in turn.

    Descriptions have every visible attribute of the target.
    """
    # Another seed than the study's own: its synthetic items must not come up for practice.
    scene_seed = Random(f"extras|{seed}").getrandbits(30)
    scenes = Synthetic(seed=scene_seed, speakers=1, scenes=13 * (number // 5 + 1), similarity=0.2).trials()
    chosen = interleave_domains(t for t in scenes if t.domain in domains)[:number]
    named = [replace(trial, id=f"extra-{n}") for n, trial in enumerate(chosen, 1)]
    return [Extra(trial=trial, description=_describe_fully(trial)) for trial in named]


def _describe_fully(trial: Trial) -> Description:
    properties = describe_fully(trial.for_speaker())
    return Description(properties=properties, text=phrase_plainly(properties))


def make_check(extra: Extra, protocol: str, language: str) -> Extra:
    """Return the trial as a check with a correct answer.

    The answer is a target, the better of two descriptions, or a requested rating.
    """
    words = load_interface_words(language)
    if protocol in COMPARED:
        nonsense = words["check_nonsense"]
        rival = Description(text=nonsense)
        if protocol == "judgement-pairwise":
            return replace(extra, rival=rival, expect={"choice": "first"})
        more = (Description(text=" ".join(reversed(nonsense.split()))),)
        return replace(extra, rival=rival, more=more, expect={"ranking": "option1"})
    if protocol == "judgement":
        return replace(extra, description=Description(text=words["check_lowest"]), expect={"ratings": "lowest"})
    return extra
