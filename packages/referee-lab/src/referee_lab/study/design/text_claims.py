"""Compares claims on the pages about the study with its protocol, settings and conditions.

A claim is a phrase in a language and a test of the study. Failures are advice: organisers write in their own words, and
a phrase may mean something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from referee.records import HUMAN
from referee_lab.study.folder.media import list_presentations
from referee_lab.study.folder.study import VERSUS, Study
from referee_lab.study.protocols.contract import ROOM_PLUGINS
from referee_lab.study.texts import HEARD, READ, WATCHED, load_claim_phrases


class _Claim(NamedTuple):
    holds: Callable[[Study], bool]
    fact: str


def _list_speakers(study: Study) -> set[str]:
    return {name for condition in study.design.conditions for name in condition.split(VERSUS)}


def _is_choice(study: Study) -> bool:
    return study.kind.info.plugin in ("identify", "replay-identify")


def _has_breaks(study: Study) -> bool:
    every = study.session.break_every
    return bool(every) and max(len(entry.trials) for entry in study.lists) > every


def _has_dialogue(study: Study) -> bool:
    """Return whether people talk or watch others talk, so that pages may speak of hearing."""
    return study.kind.info.plugin in (*ROOM_PLUGINS, "replay-identify")


def _has_partners(study: Study) -> bool:
    """Return whether participants play with other people."""
    settings = study.settings
    if study.kind.info.plugin == "tangram":
        return bool(settings["partner"] == "person")
    return bool(settings["group"] - settings["bots"] > 1)


# By the names of their phrases in texts/<language>/claims.toml; how descriptions come to people is claimed first.
_CLAIMS = {
    READ: _Claim(lambda s: READ in list_presentations(s), "descriptions are heard and not read (media_text is hidden)"),
    HEARD: _Claim(lambda s: bool(list_presentations(s) - {READ}) or _has_dialogue(s), "no description is heard"),
    WATCHED: _Claim(lambda s: WATCHED in list_presentations(s) or _has_dialogue(s), "no description is in a film"),
    "breaks": _Claim(_has_breaks, "there is no break in a session"),
    "choice": _Claim(_is_choice, "this protocol has no choice of pictures"),
    "word_by_word": _Claim(
        lambda s: s.protocol == "self-paced-reading" or s.settings.get("reading") == "words",
        "descriptions are not read word by word",
    ),
    "partner": _Claim(lambda s: s.kind.info.plugin in ROOM_PLUGINS, "this protocol has no partners"),
    "participants": _Claim(
        lambda s: s.kind.info.plugin not in ROOM_PLUGINS or _has_partners(s),
        "participants do not play with other people here",
    ),
    "people": _Claim(lambda s: HUMAN in _list_speakers(s), "no description by people is shown"),
    "programs": _Claim(
        lambda s: s.protocol == "production" or bool(_list_speakers(s) - {HUMAN}),
        "no description by a program is shown",
    ),
    "time_limit": _Claim(
        lambda s: bool(s.settings.get("timeout_ms") or s.settings.get("reading_timeout_ms")), "nothing times out"
    ),
    "written": _Claim(lambda s: s.kind.info.plugin == "produce", "this protocol has no written descriptions"),
    "judged": _Claim(lambda s: s.kind.info.plugin == "judge", "this protocol has no judgements"),
}


def find_false_claims(study: Study) -> list[str]:
    """Return one sentence for every phrase of a page that contradicts the study."""
    phrases = load_claim_phrases(study.language)
    return [
        f"texts/{study.language}/{page}.md says {match[0]!r}, but {claim.fact}"
        for page, text in _load_pages(study).items()
        for name, claim in _CLAIMS.items()
        if name in phrases and (match := re.search(phrases[name], text, re.IGNORECASE)) and not claim.holds(study)
    ]


def find_unmentioned_ways(study: Study) -> list[str]:
    """Return one sentence for every kind of presentation that the instructions do not mention."""
    facts = {READ: "some descriptions are read", HEARD: "descriptions are heard", WATCHED: "descriptions are in films"}
    ways, phrases = list_presentations(study), load_claim_phrases(study.language)
    # If every description is heard as well as shown in writing, pages need not ask participants to read.
    untold = ways - {READ} if study.settings.get("media_text") == "shown" else ways
    instructions = _load_pages(study)["instructions"]
    return [
        f"texts/{study.language}/instructions.md does not say that {facts[way]}"
        for way in (READ, HEARD, WATCHED)
        if way in untold and ways != {READ} and way in phrases
        if not re.search(phrases[way], instructions, re.IGNORECASE)
    ]


def _load_pages(study: Study) -> dict[str, str]:
    """Return all pages with their text, without Markdown emphasis."""
    pages = {name: text for name, text in study.extra.items() if isinstance(text, str)}
    return {page: text.replace("*", "") for page, text in {**study.texts, **pages}.items()}
