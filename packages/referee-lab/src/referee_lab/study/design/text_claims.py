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
from referee_lab.study.texts import HEARD, READ, WATCHED


class _Claim(NamedTuple):
    phrases: dict[str, str]
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


def _match_between(first: str, last: str, *without: str, stop: str = ".") -> str:
    """Return a pattern for the words from `first` to `last` in one sentence, without words of `without`."""
    return rf"{first}(?:(?!{'|'.join(without)})[^{stop}])*?{last}"


# How descriptions come to people, as pages put it (without the stars of Markdown).
_WAYS = {
    READ: {
        "en": r"\bread it\b|when you have read it|descriptions? (?:that )?you (?:saw|read)|the description (?:goes away|disappears)|read the description|"
        + _match_between(r"\bsee\b", "description", r"\bhear\b", r"\blisten", r"\bfilms?\b", r"\bvideos?\b"),
        "de": r"lesen sie (?:sie|die beschreibung)|gelesen haben, drücken|beschreibung(?:en)?, die sie (?:gesehen|gelesen)|die beschreibung verschwindet|"
        + _match_between(r"\bsehen sie\b", "beschreibung", r"\bhören\b", r"film", r"video"),
        "es": r"\bléala\b|lea la descripción|descripci(?:ón|ones) que ha (?:visto|leído)|la descripción desaparece|"
        + _match_between(r"\bve\b", "descripci[oó]n", r"\boye\b", r"escuch", r"v[ií]deo", r"película"),
        "ja": r"説明が(?:同時に)?(?:表示|示)され|読んでください|読み終え|説明が消え|ご覧になった説明",
        "nl": r"lees (?:die|hem|de beschrijving)|gelezen hebt, druk|beschrijving(?:en)? die je (?:zag|las)|de beschrijving verdwijnt|"
        + _match_between(r"\bzie je\b", "beschrijving", r"\bhoor\b", r"luister", r"film", r"video"),
        "pt": r"\bleia-a\b|leia a descrição|descriç(?:ão|ões) que você (?:viu|leu)|aparece uma descrição|a descrição desaparece|"
        + _match_between(r"\bvê\b", "descrição", r"\bouve\b", r"escut", r"filme", r"v[ií]deo"),
        "zh": r"请阅读|读完后|您看到的描述|描述消失|"
        + _match_between("看到", "描述(?!的(?:短片|视频|影片))", "听", "视频", "短片", "影片", stop="。"),
    },
    HEARD: {
        "en": r"\byou (?:will )?(?:hear|listen)|\bhear a\b|listen to|headphones|loudspeakers|descriptions are heard",
        "de": r"\bhören\b|werden gehört|kopfhörer|lautsprecher",
        "es": r"\boye\b|\boirá\b|\bse oyen\b|escuch|auriculares|altavoces",
        "ja": r"聞こえ|聞いて|聴い|音声|ヘッドホン|イヤホン|スピーカー",
        "nl": r"\bhoor je\b|\bje hoort\b|te horen\b|luister|koptelefoon|luidspreker",
        "pt": r"\bouve\b|\bouvirá\b|ouvidas?\b|escut|fones de ouvido|alto-falantes",
        "zh": r"听到|听完|请听|收听|声音播放|耳机|扬声器",
    },
    WATCHED: {
        "en": r"\bfilms?\b|\bvideos?\b",
        "de": r"\bfilm(?:e|en|s)?\b|\bvideos?\b",
        "es": r"\bv[ií]deos?\b|\bpelículas?\b",
        "ja": r"動画|ビデオ|映像",
        "nl": r"\bfilm(?:pje|pjes|s)?\b|\bvideo",
        "pt": r"\bv[ií]deos?\b|\bfilmes?\b",
        "zh": r"视频|短片|影片",
    },
}

_CLAIMS = (
    _Claim(
        _WAYS[READ],
        lambda s: READ in list_presentations(s),
        "descriptions are heard and not read (media_text is hidden)",
    ),
    _Claim(
        _WAYS[HEARD],
        lambda s: bool(list_presentations(s) - {READ}) or _has_dialogue(s),
        "no description is heard",
    ),
    _Claim(
        _WAYS[WATCHED],
        lambda s: WATCHED in list_presentations(s) or _has_dialogue(s),
        "no description is in a film",
    ),
    _Claim(
        {"en": r"there are breaks|and breaks in between", "pt": r"há pausas|com pausas"},
        _has_breaks,
        "there is no break in a session",
    ),
    _Claim(
        {
            "en": r"find the right (picture|one) quickly|click the (picture|one)",
            "pt": r"encontrar a figura certa com rapidez|clique n(?:a|aquela|ela)\b",
        },
        _is_choice,
        "this protocol has no choice of pictures",
    ),
    _Claim(
        {"en": r"word by word", "pt": r"palavra por palavra"},
        lambda s: s.protocol == "self-paced-reading" or s.settings.get("reading") == "words",
        "descriptions are not read word by word",
    ),
    _Claim(
        {"en": r"your partner|with a partner", "pt": r"seu parceiro|sua parceira"},
        lambda s: s.kind.info.plugin in ROOM_PLUGINS,
        "this protocol has no partners",
    ),
    _Claim(
        {
            "en": r"with (?:another participant|other participants)",
            "de": r"mit (?:einer )?anderen person(?:en)? zusammengebracht",
            "es": r"se le reunirá con otras? personas?",
            "ja": r"(?:別|ほか)の参加者と組み",
            "nl": r"met (?:een )?andere deelnemers? samengebracht",
            "pt": r"você encontra outras? pessoas? participantes?",
            "zh": r"与(?:另一位|其他)参加者",
        },
        lambda s: s.kind.info.plugin not in ROOM_PLUGINS or _has_partners(s),
        "participants do not play with other people here",
    ),
    _Claim(
        {"en": r"some by people|written by people", "pt": r"algumas por pessoas"},
        lambda s: HUMAN in _list_speakers(s),
        "no description by people is shown",
    ),
    _Claim(
        {"en": r"computer programs", "pt": r"programas de computador"},
        lambda s: s.protocol == "production" or bool(_list_speakers(s) - {HUMAN}),
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
        "this protocol has no written descriptions",
    ),
    _Claim(
        {"en": r"you (rated|preferred)|how good the description", "pt": r"você avaliou"},
        lambda s: s.kind.info.plugin == "judge",
        "this protocol has no judgements",
    ),
)


def find_false_claims(study: Study) -> list[str]:
    """Return one sentence for every phrase of a page that contradicts the study."""
    language = _describe_spoken(study)
    notes = []
    for page, text in _load_pages(study).items():
        for claim in _CLAIMS:
            phrase = claim.phrases.get(language)
            match = re.search(phrase, text, re.IGNORECASE) if phrase else None
            if match and not claim.holds(study):
                notes.append(f"texts/{study.language}/{page}.md says {match[0]!r}, but {claim.fact}")
    return notes


def find_unmentioned_ways(study: Study) -> list[str]:
    """Return one sentence for every kind of presentation that the instructions do not mention."""
    facts = {READ: "some descriptions are read", HEARD: "descriptions are heard", WATCHED: "descriptions are in films"}
    ways, language = list_presentations(study), _describe_spoken(study)
    # If every description is heard as well as shown in writing, pages need not ask participants to read.
    untold = ways - {READ} if study.settings.get("media_text") == "shown" else ways
    instructions = _load_pages(study)["instructions"]
    return [
        f"texts/{study.language}/instructions.md does not say that {facts[way]}"
        for way in (READ, HEARD, WATCHED)
        if way in untold
        and ways != {READ}
        and (phrase := _WAYS[way].get(language))
        and not re.search(phrase, instructions, re.IGNORECASE)
    ]


def _describe_spoken(study: Study) -> str:
    return study.language.partition("-")[0]


def _load_pages(study: Study) -> dict[str, str]:
    """Return all pages with their text, without Markdown emphasis."""
    pages = {name: text for name, text in study.extra.items() if isinstance(text, str)}
    return {page: text.replace("*", "") for page, text in {**study.texts, **pages}.items()}
