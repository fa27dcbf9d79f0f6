"""Practice trials and attention checks of a study whose descriptions are heard.

They are heard too, in files named practice-1, practice-2 …, check-1 ….
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from referee.errors import InputError
from referee_lab.study.folder.draft import Extra
from referee_lab.study.folder.media import can_play, get_media, get_presentation
from referee_lab.study.folder.study import Study
from referee_lab.study.protocols.contract import Stimulus
from referee_lab.study.texts import HEARD, READ

PRACTICE, CHECK = "practice", "check"


def give_voices(extras: Sequence[Extra], word: str, folder: Path) -> list[Extra]:
    """Return the trials with recordings: the first with practice-1.wav (or another extension), and so on."""
    return [_add_voice(extra, f"{word}-{number}", folder) for number, extra in enumerate(extras, 1)]


def _add_voice(extra: Extra, name: str, folder: Path) -> Extra:
    """Return a trial with the one sound or film of its name, if there is one."""
    files = sorted(path.name for path in folder.glob("*") if path.is_file() and path.stem.lower() == name)
    if len(files) > 1:
        raise InputError(f"{' and '.join(files)} are both for {name}", where=folder, remedy="delete one of them")
    if not files:
        return extra
    voiced = replace(extra.description, media=files[0])
    get_media(voiced)  # raises InputError for a name that browsers do not play
    return replace(extra, description=voiced)


def find_odd_extras(study: Study) -> list[str]:
    """Return remedies for practice trials and checks that are presented in another way than all trials."""
    if not can_play(study.kind.info):
        return []
    ways = {get_presentation(stimulus.description) for stimulus in study.stimuli.values()}
    extras = {PRACTICE: list(study.practice), CHECK: [check.stimulus for check in study.checks]}
    notes = []
    for word, stimuli in extras.items():
        odd = [(n, s) for n, s in enumerate(stimuli, 1) if get_presentation(s.description) not in ways]
        if not odd:
            continue
        file = f"{word}.jsonl" if word == PRACTICE else "checks.jsonl"
        notes.append(
            f"{file}: {len(odd)} of {len(stimuli)} are {get_presentation(odd[0][1].description)} while trials are {' or '.join(sorted(ways))}; "
            + _describe_remedy(word, odd, ways)
        )
    return notes


def _describe_remedy(word: str, odd: Sequence[tuple[int, Stimulus]], ways: set[str]) -> str:
    """Return the remedy for practice trials that are presented in another way than the items."""
    if ways == {READ}:
        return 'leave "media" out of their lines'
    ending = ".wav" if HEARD in ways else ".webm"
    recordings = ", ".join(f"{s.description.text or 'it'!r} as {word}-{n}{ending}" for n, s in odd)
    return (
        f"record {recordings}, and give the files to `study new` in --media, or put them into media/ and name each in its line "
        f'("media": "{word}-{odd[0][0]}{ending}")'
    )
