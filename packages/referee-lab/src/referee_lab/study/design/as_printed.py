"""A published experiment to the letter.

Settings as printed, to begin a study with, and every deviation of a study from them.

TUNA 2008: "Participants initiated each trial, which consisted of an initial warning bell and a fixation point flashed on the screen for 1000ms. They then read
the description and called up the visual domain to identify the referent. Trials timed out after 15000ms." (Gatt, Belz & Kow 2008), by mouse click throughout.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee_lab.study.folder.media import list_presentations
from referee_lab.study.folder.study import Study
from referee_lab.study.texts import READ

# By protocol, section and field of study.toml.
PRESETS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "tuna2008": {
        "protocol": {
            "start": "press",
            "bell": True,
            "fixation_ms": 1000,
            "reading_timeout_ms": 15000,
            "timeout_ms": 15000,
            "input": "mouse",
            "confirm": False,
            "jitter": 0.0,
            "choices": [],
        },
        "session": {"devices": ["computer"]},
    }
}
_DESIGN = {"tuna2008": {"kind": "latin", "items": 112, "groups": 2, "trials_each": 60}}
_PEOPLE = {"tuna2008": 24}
_SYSTEMS = {"tuna2008": 12}
# Differences that no setting can remove.
_ALWAYS = {
    "tuna2008": (
        "in a browser, not with DMDX on one laptop in a quiet room under supervision",
        "the pictures are redrawn: those of the experiment may not be redistributed",
        "the numbers of practice trials and breaks are not printed",
    )
}


def list_deviations(study: Study) -> list[str]:
    """Return the differences from the printed experiment that the protocol is named after.

    Empty if it has none.
    """
    if study.protocol not in PRESETS:
        return []
    differences = [
        f"[{section}] {name} = {_format_setting(now)}, printed {_format_setting(printed)}"
        for section, fields in PRESETS[study.protocol].items()
        for name, printed in fields.items()
        if (now := _get_setting(study, section, name)) != printed
    ]
    differences += [
        f"[design] {name} = {_format_setting(now)}, printed {_format_setting(printed)}"
        for name, printed in _DESIGN[study.protocol].items()
        if (now := getattr(study.design, name)) != printed
    ]
    if study.participants != _PEOPLE[study.protocol]:
        differences.append(f"{study.participants} participants, printed {_PEOPLE[study.protocol]}")
    if len(study.design.conditions) != _SYSTEMS[study.protocol]:
        differences.append(
            f"{len(study.design.conditions)} systems, printed {_SYSTEMS[study.protocol]} (two sets of human descriptions among them)"
        )
    if study.checks:
        differences.append(f"{len(study.checks)} attention checks, printed none")
    if other := sorted(list_presentations(study) - {READ}):
        differences.append(f"descriptions are {' or '.join(other)}, printed read")
    return [*differences, *_ALWAYS[study.protocol]]


def _get_setting(study: Study, section: str, name: str) -> Any:
    value = study.settings[name] if section == "protocol" else getattr(getattr(study, section), name)
    return list(value) if isinstance(value, tuple) else value


def _format_setting(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
