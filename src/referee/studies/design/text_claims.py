"""Do the pages say what happens? Words that claim something about a study are compared with its protocol, its settings and what it compares.

A claim is a phrase in a language, and a test of the study. What is found is advice: organisers write in their own words, and a phrase may mean something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from referee.records import HUMAN
from referee.studies.folder.study import VERSUS, Study
from referee.studies.protocols.contract import ROOM_PLUGINS

__all__ = ["false_claims"]


class _Claim(NamedTuple):
    phrases: dict[str, str]
    holds: Callable[[Study], bool]
    fact: str


def _speakers(study: Study) -> set[str]:
    return {name for condition in study.design.conditions for name in condition.split(VERSUS)}


def _chooses(study: Study) -> bool:
    return study.kind.info.plugin in ("identify", "replay-identify")


def _has_breaks(study: Study) -> bool:
    every = study.session.break_every
    return bool(every) and max(len(one.trials) for one in study.lists) > every


_CLAIMS = (
    _Claim(
        {"en": r"there are breaks|and breaks in between", "pt": r"há pausas|com pausas"},
        _has_breaks,
        "there is no break in a session",
    ),
    _Claim(
        {
            "en": r"find the right (picture|one) quickly|click the (picture|one)",
            "pt": r"encontrar a figura certa com rapidez|clique n",
        },
        _chooses,
        "nobody chooses a picture in this protocol",
    ),
    _Claim(
        {"en": r"word by word", "pt": r"palavra por palavra"},
        lambda s: s.protocol == "self-paced-reading" or s.settings.get("reading") == "words",
        "descriptions are not read word by word",
    ),
    _Claim(
        {"en": r"your partner|with a partner", "pt": r"seu parceiro|sua parceira"},
        lambda s: s.kind.info.plugin in ROOM_PLUGINS,
        "nobody has a partner in this protocol",
    ),
    _Claim(
        {"en": r"some by people|written by people", "pt": r"algumas por pessoas"},
        lambda s: HUMAN in _speakers(s),
        "no description by people is shown",
    ),
    _Claim(
        {"en": r"computer programs", "pt": r"programas de computador"},
        lambda s: s.protocol == "production" or bool(_speakers(s) - {HUMAN}),
        "no description by a program is shown",
    ),
    _Claim(
        {"en": r"if you take too long", "pt": r"se (você )?demorar"},
        lambda s: bool(s.settings.get("timeout_ms") or s.settings.get("reading_timeout_ms")),
        "nothing times out",
    ),
    _Claim(
        {"en": r"write a short description|your descriptions", "pt": r"escreva uma|suas descrições"},
        lambda s: s.kind.info.plugin == "produce",
        "nobody writes a description in this protocol",
    ),
    _Claim(
        {"en": r"you (rated|preferred)|how good the description", "pt": r"você avaliou"},
        lambda s: s.kind.info.plugin == "judge",
        "nothing is judged in this protocol",
    ),
)


def false_claims(study: Study) -> list[str]:
    """One sentence for every phrase of a page that the study itself contradicts."""
    language = study.language.partition("-")[0]
    said = []
    for page, text in study.texts.items():
        for claim in _CLAIMS:
            phrase = claim.phrases.get(language)
            found = re.search(phrase, text, re.IGNORECASE) if phrase else None
            if found and not claim.holds(study):
                said.append(f"texts/{study.language}/{page}.md says {found[0]!r}, but {claim.fact}")
    return said
