"""What study.toml may say: every field with its default, its limits and the sentence beside it, so that the file reads as a preregistration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.errors import InputError, MalformedInput

__all__ = ["SECTIONS", "Setting", "check_value", "complete", "line_of", "toml_value"]

RIGHT_TO_LEFT = ("ar", "fa", "he", "ur", "yi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A field: its default (whose type it must have), what it means, and what it may be; None as default means that it must be given."""

    default: Any
    about: str
    values: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


def _one_of(default: str, *others: str, about: str) -> Setting:
    return Setting(default=default, about=about, values=(default, *others))


_STUDY = {
    "id": Setting(default="", about="Short name, part of the participants' link: small letters, digits, hyphens."),
    "title": Setting(default="", about="What participants see at the top."),
    "language": Setting(default="en", about="Language of the interface; the folder texts/<language>/ holds all pages."),
    "direction": _one_of("ltr", "rtl", about="Direction of the interface: ltr or rtl."),
    "protocol": Setting(default="", about="What a trial is (referee list protocols, docs/protocols.md)."),
    "mode": _one_of("debug", "pilot", "live", about="debug, pilot or live; data of different modes never mix."),
    "seed": Setting(default=1, about="Seed of all randomness: design, orders, left and right.", low=0),
    "participants": Setting(default=1, about="How many people are planned; recruiting stops there.", low=1),
    "contact": Setting(
        default="", about="Who answers questions: name and e-mail address, printed in the consent text."
    ),
    "institution": Setting(default="", about="Where the study is run, printed in the consent text."),
}
_DESIGN = {
    "kind": _one_of(
        *("latin", "balanced", "blocked", "within", "williams", "all", "counterbalanced"),
        about="docs/designs.md explains each.",
    ),
    "source": Setting(default="", about="Where trials and descriptions came from."),
    "conditions": Setting(default=[""], about="What is compared: systems, or pairs of systems."),
    "items": Setting(default=0, about="Different items (scenes).", low=0),
    "duplicates": Setting(default=[""], about="Items shown twice as often, drawn by the seed to fill the squares."),
    "groups": Setting(default=1, about="Groups of participants that see different items.", low=1),
    "lists": Setting(default=1, about="Different lists of trials (lists.json).", low=1),
    "per_list": Setting(default=1, about="People planned on each list.", low=1),
    "trials_each": Setting(default=1, about="Trials for one person, practice and checks not counted.", low=1),
    "order": _one_of(
        "random",
        "blocks",
        "fixed",
        about="random: all trials shuffled per person within the limits below; blocks: within each block; fixed: as in lists.json.",
    ),
    "same_condition_at_most": Setting(default=2, about="Trials in a row with the same condition, at most.", low=1),
    "same_item_apart": Setting(
        default=10, about="Trials between two showings of one item, at least, where an item comes twice.", low=0
    ),
}
_SESSION = {
    "break_every": Setting(default=20, about="A pause after so many trials; 0 for none.", low=0),
    "demographics": Setting(
        default=False, about="Ask the questions of demographics.toml at the end (all of them may be left open)."
    ),
    "comments": Setting(default=True, about="A field for comments at the end."),
    "checks_failed_at_most": Setting(
        default=1, about="Attention checks that may be failed before a session counts as failed.", low=0
    ),
}
_POLICY = {
    "resume": _one_of(
        "resume",
        "restart",
        "block",
        about="Who comes back: resume at the next trial, restart from the beginning, or block.",
    ),
    "resume_hours": Setting(default=24.0, about="How long coming back is possible.", low=0),
    "aborted": _one_of("again", "skip", about="A trial broken off by a reload: shown again (as attempt 2) or skipped."),
    "unsaved_limit": Setting(default=3, about="Nobody gets further ahead of the saved trials than this.", low=1),
    "reserve_minutes": Setting(
        default=90.0, about="A list stays reserved for a silent person so long, then somebody else gets it.", low=1
    ),
    "withdrawal_days": Setting(
        default=14,
        about="After withdrawal, data vanish from exports at once and are deleted after so many days.",
        low=0,
    ),
    "feedback": Setting(default=False, about="Tell people after practice trials whether they were right."),
}
_RECRUITMENT = {
    "platform": _one_of(
        "none",
        "prolific",
        "mturk",
        "link",
        about="Where people come from: none, prolific, mturk, or link (one-time links).",
    ),
}
_CODES = {
    outcome: Setting(default="derived", about=about)
    for outcome, about in {
        "completed": 'Code shown at the end: a fixed one, or "derived" (made by the server).',
        "declined": "No consent.",
        "screened_out": "Not eligible.",
        "failed_check": "Too many attention checks failed.",
        "partner_left": "The partner left (paired studies); paid.",
        "technical": "Something broke on our side; paid.",
    }.items()
}
_EXCLUSION = {
    "flags": Setting(
        default=["hidden", "late-onset", "preload-failed", "untrusted"],
        about="Trials with any of these flags are left out of analyses of time (never of exports).",
    ),
    "timeouts": _one_of("drop", "keep", about="Trials that timed out: dropped from analyses of time, or kept."),
    "fastest_ms": Setting(default=200.0, about="Shorter identification times are left out of analyses of time.", low=0),
    "slowest_ms": Setting(default=15000.0, about="Longer ones too.", low=0),
    "failed_checks": _one_of(
        "report", "exclude", about="People who failed too many checks: reported with and without, or excluded."
    ),
    "least_trials": Setting(
        default=0.5, about="People who did less than this share of their trials are left out.", low=0, high=1
    ),
}
_ANALYSIS = {
    "hypothesis": Setting(
        default="",
        about="What is expected, and which result would speak against it. Fill this in before the first participant.",
    ),
    "measures": Setting(default=["error", "identification_ms", "reading_ms"], about="Primary measure first."),
    "tests": Setting(
        default=["mixed-model"],
        about="Planned tests: mixed-model (participants and items crossed), tuna2008 (ANOVA, Kruskal-Wallis, Tukey subsets), paired-comparison.",
    ),
    "alpha": Setting(default=0.05, about="Significance level.", low=0, high=1),
    "correction": _one_of("holm", "tukey", "none", about="Correction over pairs of systems."),
    "stopping": Setting(
        default="when all lists are filled; no looks at results by system before", about="When data collection ends."
    ),
    "effect": Setting(
        default=0.05,
        about="Smallest difference worth finding, as a difference of error rates (design.txt has the power).",
    ),
    "base": Setting(default=0.10, about="Error rate assumed for the power estimate.", low=0, high=1),
}

SECTIONS: dict[str, dict[str, Setting]] = {
    "study": _STUDY,
    "protocol": {},
    "design": _DESIGN,
    "session": _SESSION,
    "policy": _POLICY,
    "recruitment": _RECRUITMENT,
    "recruitment.codes": _CODES,
    "exclusion": _EXCLUSION,
    "analysis": _ANALYSIS,
}


def line_of(text: str, section: str, key: str) -> int | None:
    """The line of a field in a TOML text, where it is written in the usual way."""
    here = ""
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[([\w.-]+)\]", line)
        here = header[1] if header else here
        if here == section and re.match(rf'\s*"?{re.escape(key)}"?\s*=', line):
            return number
        if header and here == section and not key:
            return number
    return None


_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text in quotes", list: "a list"}


def check_value(value: Any, setting: Setting, where: str, line: int | None = None) -> Any:
    """The value, if it is of the default's type and within its limits."""
    kind = type(setting.default)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise InputError(f"should be {_KINDS[kind]}, not {value!r}", where=where, line=line, remedy=setting.about)
    if kind is list and setting.default and any(type(v) is not type(setting.default[0]) for v in value):
        wanted = _KINDS[type(setting.default[0])]
        raise InputError(f"every member of the list should be {wanted}", where=where, line=line, remedy=setting.about)
    wrong = [v for v in (value if kind is list else [value]) if setting.values and v not in setting.values]
    if wrong:
        problem = f"{wrong[0]!r} is none of {', '.join(setting.values)}"
        raise InputError(problem, where=where, line=line, remedy=setting.about)
    for limit, beyond, word in ((setting.low, -1, "at least"), (setting.high, 1, "at most")):
        if limit is not None and (value - limit) * beyond > 0:
            raise InputError(f"{value} should be {word} {limit:g}", where=where, line=line, remedy=setting.about)
    return value


def complete(
    given: Mapping[str, Any], settings: Mapping[str, Setting], section: str, where: str, text: str = ""
) -> dict[str, Any]:
    """A section with defaults filled in; unknown fields and wrong values are errors that name their place."""
    import difflib

    for key in given:
        if key not in settings and f"{section}.{key}" not in SECTIONS:
            near = difflib.get_close_matches(key, settings, n=1)
            known = f"did you mean {near[0]}?" if near else f"[{section}] takes {', '.join(settings) or 'nothing'}"
            raise MalformedInput(
                f"[{section}] has no field {key!r}", where=where, line=line_of(text, section, key), remedy=known
            )
    return {
        key: check_value(given[key], setting, f"{where} [{section}] {key}", line_of(text, section, key))
        if key in given
        else setting.default
        for key, setting in settings.items()
    }


def toml_value(value: Any) -> str:
    """One value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    raise TypeError(f"{type(value).__name__} has no form in study.toml")


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _quoted(text: str) -> str:
    return (
        '"'
        + "".join(_ESCAPES.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c) for c in text)
        + '"'
    )
