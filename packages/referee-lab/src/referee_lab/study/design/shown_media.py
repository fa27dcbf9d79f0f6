"""Checks the sounds and films of a study: every file exists, decodes to its end, and is small enough to load."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from referee_lab.study.design.balance import BalanceClaim, format_count, make_claim
from referee_lab.study.design.heard_practice import find_odd_extras
from referee_lab.study.folder.media import FOLDER, PlayedFile, can_play, find_media, find_media_uses, listen_to
from referee_lab.study.folder.study import INSTRUCTION_MINUTES, Study

MB = 1_000_000
# No spoken word is shorter.
SHORTEST_MS = 200.0


def prove_media(study: Study) -> list[BalanceClaim]:
    """Return the claims about sounds and films; empty if descriptions are only read."""
    heard = find_media_uses(study)
    if not heard:
        return []
    played: dict[str, PlayedFile] = {}
    problems_of = {name: [*_find_problems(study, name, played)] for name in heard}
    wrong = [problem for of_file in problems_of.values() for problem in of_file]
    failing = {stimulus for name, of_file in problems_of.items() if of_file for stimulus in heard[name]}
    claims = (
        make_claim(
            "every sound and film is there, can be played to its end and is not too large",
            format_count(len(heard), "file"),
            wrong,
            trials=(s.trial.id for s in study.iterate_stimuli() if s.id in failing),
        ),
        *_prove_same_presentation(study),
        *_warn_of_short_sounds(played),
        *_warn_of_duration(study, heard, played),
        *_prove_audible(study, played),
        _prove_session_size(study, heard),
        _prove_playable(study),
    )
    return [replace(claim, check="media") for claim in claims]


def _find_problems(study: Study, name: str, played: dict[str, PlayedFile]) -> Iterator[str]:
    """Yield the problems of a file; its properties are stored in `played`."""
    path = find_media(study.folder / FOLDER, name)
    if path is None:
        yield f"{FOLDER}/{name} is missing"
        return
    most = study.session.media_mb
    if path.stat().st_size > most * MB:
        yield f"{FOLDER}/{name} has {path.stat().st_size / MB:.1f} MB ([session] media_mb is {most:g})"
        return
    file = listen_to(path)
    if file.problem is not None:
        yield f"{FOLDER}/{name}: {file.problem}"
        return
    played[name] = file
    limit = float(study.settings.get("reading_timeout_ms", 0) or 0)
    if limit and file.ms >= limit and _get_reading(study) != "together":
        yield f"{FOLDER}/{name} lasts {file.ms / 1000:.1f} s, longer than reading_timeout_ms"


def _prove_same_presentation(study: Study) -> Iterator[BalanceClaim]:
    """Yield the claim that practice is presented like the trials; `find_odd_extras` gives the remedy."""
    extras = len(study.practice) + len(study.checks)
    if extras and can_play(study.kind.info):
        yield BalanceClaim(
            sentence="practice trials and checks are presented like the trials",
            holds=not find_odd_extras(study),
            counted=f"{len(study.practice)} and {len(study.checks)}",
            promised=False,
        )


def _warn_of_duration(
    study: Study, heard: dict[str, list[str]], played: dict[str, PlayedFile]
) -> Iterator[BalanceClaim]:
    """Yield a remark if listening alone takes longer than the announced duration."""
    lasts: dict[str, float] = {}
    for name, stimuli in heard.items():
        for stimulus in stimuli:
            lasts[stimulus] = lasts.get(stimulus, 0.0) + (played[name].ms if name in played else 0.0)
    longest = (
        max(
            sum(lasts.get(stimulus, 0.0) for stimulus in _collect_list(study, number))
            for number in range(len(study.lists))
        )
        / 60_000
    )
    # The announced duration is in whole minutes.
    announced = study.minutes - INSTRUCTION_MINUTES + 0.5
    if longest > announced:
        yield BalanceClaim(
            sentence="the duration that people are told is long enough to hear everything",
            holds=False,
            counted=f"they listen for {longest:.1f} minutes, but the texts tell them about {study.minutes} in all: "
            "write another number for {minutes_words} into texts/",
            promised=False,
        )


def _collect_list(study: Study, number: int) -> list[str]:
    """Return the stimuli of one person: those of a list, and those that every participant sees."""
    always = [s.id for s in (*study.practice, *(check.stimulus for check in study.checks))]
    return [*always, *(f"{trial}|{condition}" for trial, condition in study.lists[number].trials)]


def _warn_of_short_sounds(played: dict[str, PlayedFile]) -> Iterator[BalanceClaim]:
    """Yield a remark on very short sounds; nothing is refused, because a word may be that short."""
    short = [name for name, file in played.items() if file.ms < SHORTEST_MS]
    if short:
        yield BalanceClaim(
            sentence="every sound and film is long enough for a description",
            holds=False,
            counted=f"{FOLDER}/{short[0]} lasts {played[short[0]].ms:.0f} ms{f', and {len(short) - 1} more are so short' if len(short) > 1 else ''}",
            promised=False,
        )


def _prove_audible(study: Study, played: dict[str, PlayedFile]) -> Iterator[BalanceClaim]:
    """Yield a claim that sounds are audible; films of sign language need no sound."""
    if study.session.sound_check and played and all(file.silent for file in played.values()):
        yield BalanceClaim(
            sentence="a sound check is only asked if something is heard",
            holds=False,
            counted="no film has any sound: set [session] sound_check = false, and say so in texts/",
        )


def _prove_session_size(study: Study, heard: dict[str, list[str]]) -> BalanceClaim:
    """Return the claim on the amount that one person's browser loads."""
    size = {name: _get_size(find_media(study.folder / FOLDER, name)) for name in heard}
    lists = [{*_collect_list(study, number)} for number in range(len(study.lists))]
    largest = max(sum(size[name] for name, stimuli in heard.items() if members & {*stimuli}) for members in lists)
    most = study.session.media_session_mb
    return BalanceClaim(
        sentence="no participant loads more sounds and films than allowed",
        holds=largest <= most * MB,
        counted=f"at most {largest / MB:.1f} MB for one person; [session] media_session_mb is {most:g}",
    )


def _prove_playable(study: Study) -> BalanceClaim:
    """Return the claim that the protocol plays sounds, and does not show words one by one."""
    can = can_play(study.kind.info)
    by_word = _get_reading(study) == "words"
    why = "nothing is heard in word-by-word reading" if by_word else f"{study.protocol} {'does' if can else 'does not'}"
    return BalanceClaim(sentence="the protocol plays sounds and films", holds=can and not by_word, counted=why)


def _get_reading(study: Study) -> str:
    return str(study.settings.get("reading", getattr(study.kind, "reading", "together")))


def _get_size(path: Path | None) -> int:
    return path.stat().st_size if path is not None else 0
