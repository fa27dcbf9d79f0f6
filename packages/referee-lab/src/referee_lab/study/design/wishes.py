"""The options of a new study on the command line, wherever its items come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.errors import InputError
from referee_lab.study.design.as_printed import PRESETS
from referee_lab.study.texts import get_default_title


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """The options of `referee study new`; empty ones have a default that depends on the items."""

    protocol: str
    design: str
    participants: int
    id: str
    title: str = ""
    systems: tuple[str, ...] = ()
    items: int | None = None
    domain: str | None = None
    language: str | None = None
    seed: int = 1
    practice: int = 3
    checks: int = 2
    groups: int | None = None
    outputs: tuple[Path, ...] = ()
    humans: bool = False
    mode: str = "debug"
    contact: str = ""
    preset: bool = False
    pictures: Path | None = None
    media: Path | None = None
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def choose_title(wishes: Wishes, language: str) -> str:
    """Return the title for participants: the requested one, or one made from the folder's name."""
    word = get_default_title(language)
    return wishes.title or (f"{word} {wishes.id}" if wishes.id != "study" else word)


def apply_settings(fields: dict[str, dict[str, Any]], wishes: Wishes) -> dict[str, dict[str, Any]]:
    """Return values for study.toml, replaced by the settings that were asked for."""
    return fields | {name: {**fields.get(name, {}), **values} for name, values in wishes.settings.items()}


def fill_study_fields(wishes: Wishes, protocol: str) -> dict[str, dict[str, Any]]:
    """Return values for study.toml that differ from its defaults.

    With a preset, those of the printed experiment.
    """
    fields: dict[str, dict[str, Any]] = {"study": {"contact": wishes.contact}, "session": {"demographics": True}}
    if wishes.preset:
        if protocol not in PRESETS:
            printed = ", ".join(PRESETS)
            raise InputError(f"nothing is printed of {protocol!r}", remedy=f"--as-printed is for {printed}")
        for section, values in PRESETS[protocol].items():
            fields[section] = {**fields.get(section, {}), **values}
    return apply_settings(fields, wishes)
