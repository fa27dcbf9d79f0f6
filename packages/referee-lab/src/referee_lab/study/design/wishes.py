"""The options of a new study on the command line, wherever its items come from."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from referee.errors import InputError
from referee.options import option
from referee_lab.study.design.as_printed import PRESETS
from referee_lab.study.folder.draft import Draft
from referee_lab.study.folder.settings import SECTIONS
from referee_lab.study.texts import get_default_title


@dataclass(kw_only=True)
class Wishes:
    """The options of `referee study new`, apart from the items; empty ones have a default that depends on the items."""

    participants: int = option(..., "Number of participants planned.", minimum=1)
    protocol: str = option(
        "",
        "The task of participants (`referee list protocols`), or the file of a jsPsych plug-in of your own; by default "
        "tuna2008, for a table of items chosen by its columns.",
        show_default=False,
    )
    design: str = option("latin", "latin, balanced, blocked, williams, within or all (`referee docs designs`).")
    systems: str = option("", "Only these systems, comma-separated; by default all of the run.", show_default=False)
    items: int | None = option(
        None, "Number of items to draw; from a run evenly over domains. Default: all.", minimum=1
    )
    domain: str | None = option(None, "Use only items of this domain.")
    language: str | None = option(
        None, "Language of the pages; by default that of the run's items, or English for a table."
    )
    humans: bool = option(False, "Include people's descriptions as a system, 'human'.", "--with-humans")
    outputs: Sequence[Path] = option(
        (), "Outputs of further systems on the same trials; may be repeated.", "--from-outputs", cli=list[Path]
    )
    pictures: Path | None = option(None, "Folder of the photographs of the trials (point, refoi).")
    media: Path | None = option(
        None,
        "Folder of the sounds and films that outputs name as media; practice-1.wav, check-1.wav … are those of practice "
        "and checks.",
    )
    practice: int = option(3, "Number of practice trials.", minimum=0)
    checks: int = option(2, "Number of attention checks.", minimum=0)
    groups: int | None = option(
        None,
        "With --design latin: number of groups of participants among which the squares are divided; by default as many "
        "as fit.",
    )
    title: str = option(
        "",
        "Title that participants see at the top of each page; by default from the folder's name.",
        show_default=False,
    )
    contact: str = option(
        "",
        "Name and address of the person who answers questions, as printed in the consent text.",
        show_default=False,
    )
    preset: bool = option(
        False,
        "Settings of the printed experiment to the letter (tuna2008); `check` lists what still differs.",
        "--as-printed",
    )
    settings: Sequence[str] = option(
        (),
        "A field of study.toml, SECTION.FIELD=VALUE: protocol.answer=spoken; may be repeated.",
        "--set",
        cli=list[str],
    )
    mode: str = option("debug", "Mode of the study: debug, pilot or live.", choices=("debug", "pilot", "live"))
    seed: int = option(1, "Seed of all randomness.", minimum=0)
    id: str = option("study", "Name of the study in links.", is_python_only=True)


def split_names(text: str) -> tuple[str, ...]:
    """Return the names of a list that are separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def start_draft(wishes: Wishes, *, language: str, **parts: Any) -> Draft:
    """Return a draft of a study with what the options say; `parts` are the other fields of the draft."""
    named = {name: getattr(wishes, name) for name in ("id", "protocol", "participants", "mode", "seed")}
    return Draft(**{**named, "title": choose_title(wishes, language), "language": language, **parts})


def choose_title(wishes: Wishes, language: str) -> str:
    """Return the title for participants: the requested one, or one made from the folder's name."""
    word = get_default_title(language)
    return wishes.title or (f"{word} {wishes.id}" if wishes.id != "study" else word)


def apply_settings(fields: dict[str, dict[str, Any]], wishes: Wishes) -> dict[str, dict[str, Any]]:
    """Return values for study.toml, replaced by the settings that were asked for: values as in TOML, or else texts."""
    for text in wishes.settings:
        name, equals, value = text.partition("=")
        section, dot, field = name.strip().rpartition(".")
        if not (equals and dot and field and section in SECTIONS):
            raise InputError(
                f"--set: {text!r} names no field of study.toml",
                remedy=f"write SECTION.FIELD=VALUE; sections are {', '.join(SECTIONS)}",
            )
        try:
            parsed = tomllib.loads(f"value = {value.strip()}")["value"]
        except tomllib.TOMLDecodeError:
            parsed = value.strip()
        fields = {**fields, section: {**fields.get(section, {}), field: parsed}}
    return fields


def register_factors(fields: dict[str, dict[str, Any]], factors: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return values for study.toml with the factors of the design, and all their effects as planned contrasts."""
    if not factors:
        return fields
    effects = [":".join(some) for size in range(1, len(factors) + 1) for some in combinations(factors, size)]
    return {
        **fields,
        "design": {**fields.get("design", {}), "factors": list(factors)},
        "analysis": {"tests": ["mixed-model", "factorial"], "contrasts": effects, **fields.get("analysis", {})},
    }


def fill_study_fields(wishes: Wishes, protocol: str) -> dict[str, dict[str, Any]]:
    """Return values for study.toml that differ from its defaults.

    With a preset, those of the printed experiment.
    """
    fields: dict[str, dict[str, Any]] = {"study": {"contact": wishes.contact}, "session": {"demographics": True}}
    if wishes.preset:
        if protocol not in PRESETS:
            printed = ", ".join(PRESETS)
            raise InputError(
                f"there is no printed experiment for {protocol!r}", remedy=f"--as-printed is only known for {printed}"
            )
        for section, values in PRESETS[protocol].items():
            fields[section] = {**fields.get(section, {}), **values}
    return apply_settings(fields, wishes)
