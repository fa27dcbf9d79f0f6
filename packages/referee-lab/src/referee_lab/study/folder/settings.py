"""The fields of study.toml, each with its default, limits and explanation, so that the file reads as a preregistration."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import isfinite
from statistics import median
from typing import Any, TypeVar

from referee.errors import InputError, MalformedInput

RIGHT_TO_LEFT = ("ar", "fa", "he", "ur", "yi")
DERIVED = "derived"  # in the place of a code: made by the server from its key
S = TypeVar("S")
# A reaction to something seen takes at least twice as long.
ANTICIPATED_MS = 50.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A field: its default (with the field's type), explanation, unit, allowed values, and limits of numbers."""

    default: Any
    about: str
    unit: str = ""
    values: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


def _make_field(default: Any, about: str, *, low: float | None = None, high: float | None = None) -> Any:
    """Return a dataclass field for a section; an empty list as default means a list of texts."""
    # The first member says of which kind the others have to be.
    checked = (list(default) or [""]) if isinstance(default, tuple) else default
    return field(default=default, metadata={"setting": Setting(default=checked, about=about, low=low, high=high)})


def _make_choice_field(default: str, *others: str, about: str) -> Any:
    setting = Setting(default=default, about=about, values=(default, *others))
    return field(default=default, metadata={"setting": setting})


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySection:
    """[study]: title, language and protocol."""

    id: str = _make_field("", "Short name, part of the participants' link: small letters, digits, hyphens.")
    title: str = _make_field("", "What participants see at the top.")
    language: str = _make_field("en", "Language of the interface; the folder texts/<language>/ holds all pages.")
    direction: str = _make_choice_field("ltr", "rtl", about="Direction of the interface: ltr or rtl.")
    protocol: str = _make_field("", "Task of the trials (referee list protocols, `referee docs protocols`).")
    mode: str = _make_choice_field(
        "debug", "pilot", "live", about="debug, pilot or live; data of different modes never mix."
    )
    seed: int = _make_field(1, "Seed of all randomness: design, orders, left and right.", low=0)
    participants: int = _make_field(1, "How many people are planned; recruiting stops there.", low=1)
    contact: str = _make_field("", "Who answers questions: name and e-mail address, printed in the consent text.")
    institution: str = _make_field("", "Where the study is run, printed in the consent text.")


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignSection:
    """[design]: lists, conditions and groups."""

    kind: str = _make_choice_field(
        "latin",
        "balanced",
        "blocked",
        "within",
        "williams",
        "all",
        "counterbalanced",
        "given",
        about="`referee docs designs` explains each.",
    )
    source: str = _make_field("", "Source of trials and descriptions.")
    conditions: tuple[str, ...] = _make_field((), "What is compared: systems, or pairs of systems.")
    factors: tuple[str, ...] = _make_field((), "Factors whose levels make a condition, in the order of its name.")
    between: tuple[str, ...] = _make_field((), "Factors of which a person sees one level only.")
    items: int = _make_field(0, "Different items (scenes).", low=0)
    duplicates: tuple[str, ...] = _make_field((), "Items shown twice as often, drawn by the seed to fill the squares.")
    groups: int = _make_field(1, "Groups of participants that see different items.", low=1)
    lists: int = _make_field(1, "Different lists of trials (lists.json).", low=1)
    per_list: int = _make_field(1, "People planned on each list.", low=1)
    trials_each: int = _make_field(1, "Trials for one person, practice and checks not counted.", low=1)
    order: str = _make_choice_field(
        "random",
        "blocks",
        "fixed",
        about="random: all trials shuffled per person within the limits below; blocks: within each block; fixed: as in lists.json.",
    )
    same_condition_at_most: int = _make_field(2, "Trials in a row with the same condition, at most.", low=1)
    family_apart: bool = _make_field(False, "Two items of one family (scene) never follow each other.")
    same_item_apart: int = _make_field(
        10, "Trials between two showings of one item, at least, where an item comes twice.", low=0
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSection:
    """[session]: pages and breaks around the trials."""

    break_every: int = _make_field(20, "Number of trials between pauses; 0 for none.", low=0)
    demographics: bool = _make_field(False, "Ask the questions of demographics.toml at the end (all are optional).")
    comments: bool = _make_field(True, "A field for comments at the end.")
    pages_before: tuple[str, ...] = _make_field(
        (), "Own pages and surveys before the instructions: names of texts/<language>/NAME.md or NAME.toml, in order."
    )
    pages_between: tuple[str, ...] = _make_field((), "Own pages and surveys among the trials, at even distances.")
    pages_after: tuple[str, ...] = _make_field((), "Own pages and surveys after the last trial.")
    devices: tuple[str, ...] = _make_field(
        ("computer", "tablet", "phone"),
        "Devices that may take part: computer, tablet, phone; others are told so before consent.",
    )
    browsers: tuple[str, ...] = _make_field(
        (), "Browsers that may take part: chrome, edge, firefox, safari; all of them if none is named."
    )
    least_width: int = _make_field(0, "Minimum width of the page (px); 0 for any.", low=0)
    shared_computer: bool = _make_field(
        False, "The page forgets a person at the end, so that the next one can begin on the same computer."
    )
    sound_check: bool = _make_field(
        True,
        "Number of tones that participants count before the practice, if descriptions are spoken; those who hear nothing cannot go on.",
    )
    media_mb: float = _make_field(20.0, "The largest sound or film (MB); `check` refuses larger ones.", low=0)
    media_session_mb: float = _make_field(
        150.0, "Most sounds and films that one person loads before the first trial (MB).", low=0
    )
    checks_failed_at_most: int = _make_field(
        1, "Attention checks that may be failed before a session counts as failed.", low=0
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySection:
    """[policy]: interruptions, errors and withdrawals."""

    resume: str = _make_choice_field(
        "resume",
        "restart",
        "block",
        about="After a return: resume at the next trial, restart from the beginning, or block.",
    )
    resume_hours: float = _make_field(24.0, "Time within which a participant may return.", low=0)
    aborted: str = _make_choice_field(
        "again", "skip", about="A trial broken off by a reload: shown again (as attempt 2) or skipped."
    )
    unsaved_limit: int = _make_field(
        3, "Largest number of trials that a participant may be ahead of the stored ones.", low=1
    )
    reserve_minutes: float = _make_field(
        90.0, "How long a list stays reserved for an inactive participant before another one gets it.", low=1
    )
    withdrawal_days: int = _make_field(
        14, "Days after a withdrawal until data are deleted; exports omit them at once.", low=0
    )
    feedback: bool = _make_field(False, "Tell people after practice trials whether they were right.")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodesSection:
    """[recruitment.codes]: the completion codes for participants, by outcome."""

    completed: str = _make_field(DERIVED, 'Code shown at the end: a fixed one, or "derived" (made by the server).')
    declined: str = _make_field(DERIVED, "No consent.")
    screened_out: str = _make_field(DERIVED, "Not eligible.")
    failed_check: str = _make_field(DERIVED, "Too many attention checks failed.")
    too_fast: str = _make_field(DERIVED, "Answered faster than fastest_trial_s allows: to be reviewed by hand.")
    partner_left: str = _make_field(DERIVED, "The partner left (paired studies); paid.")
    technical: str = _make_field(DERIVED, "Something broke on our side; paid.")
    full: str = _make_field(DERIVED, "All places were taken when the person came.")
    closed: str = _make_field(DERIVED, "The study was closed when the person came.")

    def fixed(self, outcome: str) -> str | None:
        """Return the fixed code of an outcome; None if the server derives one or the study has no codes.

        None where the server derives one, or where there is none to be had.
        """
        code = str(getattr(self, outcome, DERIVED))
        return None if code == DERIVED else code


@dataclass(frozen=True, slots=True, kw_only=True)
class RecruitmentSection:
    """[recruitment]: the source of participants."""

    platform: str = _make_choice_field(
        "none",
        "prolific",
        "mturk",
        "sona",
        "link",
        about="Where people come from: none, prolific, mturk, sona, or link (signed links, `referee study links`).",
    )
    signed_links: bool = _make_field(
        False, "Prolific: only links that Prolific signed are accepted (switch its secure external URL on)."
    )
    credit_url: str = _make_field(
        "", "Sona: the completion address of the study (client side), with {id} in the place of %SURVEY_CODE%."
    )
    reward: float = _make_field(
        0.0, "Payment of a completed session (in the currency below), for `referee study payment`.", low=0
    )
    hourly: float = _make_field(
        0.0,
        "Minimum pay per hour: the reward is raised to it, given the median duration of completed sessions.",
        low=0,
    )
    bonus_each: float = _make_field(0.0, "A bonus for every trial answered right.", low=0)
    partial_share: float = _make_field(
        1.0,
        "The proportion of the reward for sessions that ended for technical reasons or because a partner left.",
        low=0,
        high=1,
    )
    currency: str = _make_field("GBP", "The currency of reward and bonus.")
    codes: CodesSection = CodesSection()  # a section of its own in the file


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusionSection:
    """[exclusion]: the rules that exclude answers from analyses."""

    flags: tuple[str, ...] = _make_field(
        ("hidden", "late-onset", "preload-failed", "untrusted"),
        "Trials with any of these flags are left out of analyses of time (never of exports).",
    )
    attempts: str = _make_choice_field(
        "first",
        "any",
        "none",
        about="Trials shown again after a reload: first leaves their times out and keeps their errors, any keeps both, none leaves them out altogether.",
    )
    timeouts: str = _make_choice_field(
        "drop",
        "keep",
        about="Answers that timed out are dropped from analyses of that time (reading, identification), or kept.",
    )
    fastest_ms: float = _make_field(200.0, "Shorter identification times are left out of analyses of time.", low=0)
    slowest_ms: float = _make_field(15000.0, "Longer ones too.", low=0)
    fastest_reading_ms: float = _make_field(150.0, "Shorter reading times are left out of analyses of time.", low=0)
    slowest_reading_ms: float = _make_field(15000.0, "Longer ones too.", low=0)
    impossible: str = _make_choice_field(
        "all",
        "time",
        "keep",
        about="Answers that claim more time than had passed at the server: left out of all analyses, of those of time, or kept.",
    )
    failed_checks: str = _make_choice_field(
        "report", "exclude", about="People who failed too many checks: reported with and without, or excluded."
    )
    fastest_trial_s: float = _make_field(
        0.3,
        "Sessions with a shorter mean time per trial, by the server's clock, are too fast: reviewed before they are paid, and left out; 0 for no limit.",
        low=0,
    )
    constant: str = _make_choice_field(
        "keep",
        "exclude",
        about="Sessions of ten trials or more in which every answer is the same: kept, or left out.",
    )
    least_trials: float = _make_field(
        0.5, "People who did less than this share of their trials are left out.", low=0, high=1
    )

    def is_too_fast(self, seconds: float, trials: int, claimed_ms: Sequence[float]) -> bool:
        """Return whether a session was answered faster than people can, by the server's clock or by its own.

        `seconds` count from consent to the last answer; `claimed_ms` are the times that the page reports.
        """
        if not trials or not self.fastest_trial_s:
            return False
        return seconds / trials < self.fastest_trial_s or (bool(claimed_ms) and median(claimed_ms) < ANTICIPATED_MS)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisSection:
    """[analysis]: hypotheses and tests."""

    hypothesis: str = _make_field(
        "", "The expected result, and which result would contradict it. Fill this in before the first participant."
    )
    measures: tuple[str, ...] = _make_field(("error", "identification_ms", "reading_ms"), "Primary measure first.")
    tests: tuple[str, ...] = _make_field(
        ("mixed-model",),
        "Planned tests: mixed-model (participants and items crossed), tuna2008 (ANOVA, Kruskal-Wallis, Tukey subsets), "
        "asgre2007 (the same with SYSTEM alone), paired-comparison, ranking, factorial (the contrasts below).",
    )
    contrasts: tuple[str, ...] = _make_field(
        (), "Planned contrasts of [design] factors: a main effect by its name, an interaction as a:b."
    )
    alpha: float = _make_field(0.05, "Significance level.", low=0, high=1)
    correction: str = _make_choice_field("holm", "tukey", "none", about="Correction over pairs of systems.")
    stopping: str = _make_field(
        "when all lists are filled; no looks at results by system before", "When data collection ends."
    )
    effect: float = _make_field(
        0.05,
        "Smallest difference worth finding, as a difference of error rates (design.txt has the power).",
        low=0,
        high=1,
    )
    base: float = _make_field(0.1, "Error rate assumed for the power estimate.", low=0, high=1)


TYPED: Mapping[str, type[Any]] = {
    "study": StudySection,
    "design": DesignSection,
    "session": SessionSection,
    "policy": PolicySection,
    "recruitment": RecruitmentSection,
    "recruitment.codes": CodesSection,
    "exclusion": ExclusionSection,
    "analysis": AnalysisSection,
}


def _collect_settings(section: type[Any]) -> dict[str, Setting]:
    return {field.name: field.metadata["setting"] for field in fields(section) if field.metadata}


# In the order of the file; the fields of [protocol] are declared by the protocol.
SECTIONS: dict[str, dict[str, Setting]] = {
    "study": _collect_settings(StudySection),
    "protocol": {},
    **{name: _collect_settings(section) for name, section in TYPED.items() if name != "study"},
}


def read_section(section: type[S], written_fields: Mapping[str, Any], name: str, where: str, text: str = "") -> S:
    """Return a section of study.toml with defaults filled in.

    `section` is one of the classes above, `written_fields` the content of the file, `name` the section's heading,
    `where` the file and `text` its content, for line numbers in errors. Unknown fields and invalid values raise
    MalformedInput.
    """
    values = fill_defaults(written_fields, SECTIONS[name], name, where, text)
    # Only the fields in the file; the class has the same defaults.
    written = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in values.items()
        if key in written_fields
    }
    return section(**written)


def find_line(text: str, section: str, key: str) -> int | None:
    """Return the line of a field in a TOML text; None if it is not written as `key = value`."""
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
    """Return the value if it has the default's type and is within its limits.

    Raise MalformedInput otherwise.
    """
    kind = type(setting.default)
    # People write 24 for 24.0.
    if kind is float and type(value) is int:
        value = float(value)
    # Not `isinstance`: true would pass for a whole number.
    if type(value) is not kind:
        raise InputError(f"should be {_KINDS[kind]}, not {value!r}", where=where, line=line, remedy=setting.about)
    # TOML has nan and inf; comparisons with nan are false, so a limit of nan would never apply.
    if kind is float and not isfinite(value):
        raise InputError(f"should be a number, not {value}", where=where, line=line, remedy=setting.about)
    if kind is list and setting.default and any(type(v) is not type(setting.default[0]) for v in value):
        kind_name = _KINDS[type(setting.default[0])]
        raise InputError(
            f"every member of the list should be {kind_name}", where=where, line=line, remedy=setting.about
        )
    wrong = [v for v in (value if kind is list else [value]) if setting.values and v not in setting.values]
    if wrong:
        problem = f"{wrong[0]!r} is none of {', '.join(setting.values)}"
        raise InputError(problem, where=where, line=line, remedy=setting.about)
    for limit, beyond, word in ((setting.low, -1, "at least"), (setting.high, 1, "at most")):
        for number in value if kind is list else [value]:
            if limit is not None and (number - limit) * beyond > 0:
                raise InputError(f"{number} should be {word} {limit:g}", where=where, line=line, remedy=setting.about)
    return value


def fill_defaults(
    written: Mapping[str, Any], settings: Mapping[str, Setting], section: str, where: str, text: str = ""
) -> dict[str, Any]:
    """Return a section with defaults filled in. Unknown fields and invalid values raise MalformedInput."""
    import difflib

    for key in written:
        if key not in settings and f"{section}.{key}" not in SECTIONS:
            near = difflib.get_close_matches(key, settings, n=1)
            remedy = f"did you mean {near[0]}?" if near else f"[{section}] takes {', '.join(settings) or 'nothing'}"
            raise MalformedInput(
                f"[{section}] has no field {key!r}", where=where, line=find_line(text, section, key), remedy=remedy
            )
    return {
        key: check_value(written[key], setting, f"{where} [{section}] {key}", find_line(text, section, key))
        if key in written
        else setting.default
        for key, setting in settings.items()
    }


def format_toml(value: Any) -> str:
    """Return one value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _quote_text(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(format_toml, value)) + "]"
    raise TypeError(f"{type(value).__name__} cannot be written into study.toml")


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _quote_text(text: str) -> str:
    """Return a text as a quoted TOML string."""
    return (
        '"'
        + "".join(_ESCAPES.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c) for c in text)
        + '"'
    )
