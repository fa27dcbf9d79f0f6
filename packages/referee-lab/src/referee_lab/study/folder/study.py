"""The study folder.

TOML, Markdown and JSON lines to read, to put under version control, and to publish as the preregistration.

``study.toml`` (procedure and analysis), ``texts/<language>/*.md`` (every page), ``trials.jsonl`` and ``outputs.jsonl``
(stimuli), ``practice.jsonl`` and ``checks.jsonl`` (a trial and a description per line), ``lists.json`` (the trials of
each list), ``design.txt`` (checks of balance). The hash of a study covers all of them and nothing under ``data/``.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from referee import catalogue
from referee.corpora.jsonl import description_from_json, read_trials, trial_from_json
from referee.corpora.outputs import read_outputs
from referee.corpora.reading.lines import WrongShape, parse_object, read_lines
from referee.errors import InputError, MalformedInput, find_similar_names
from referee.records import HUMAN, Description, Trial
from referee_lab.study.folder.branches import TABLES, PageBranch, Quota, check_names, read_rules
from referee_lab.study.folder.questionnaires import FormField, read_form
from referee_lab.study.folder.settings import (
    SECTIONS,
    AnalysisSection,
    CodesSection,
    DesignSection,
    ExclusionSection,
    PolicySection,
    RecruitmentSection,
    SessionSection,
    StudySection,
    fill_defaults,
    find_line,
    read_section,
)
from referee_lab.study.protocols.contract import Kind, Stimulus
from referee_lab.study.protocols.own_plugin import FOLDER, OWN, create_protocol, is_own
from referee_lab.study.protocols.production import is_spoken
from referee_lab.study.protocols.room_protocol import RoomProtocol
from referee_lab.study.texts import (
    PAGES,
    REQUIRED,
    convert_to_html,
    fill_placeholders,
    load_interface_words,
    read_default_pages,
)
from referee_lab.study.texts.plurals import inflect

__all__ = [
    "FEWEST_RANKED",
    "FILLER",
    "HUMAN",
    "LEVELS",
    "VERSUS",
    "Check",
    "Study",
    "StudyList",
    "hash_folder",
    "open_study",
]

VERSUS = " vs "
# Between the levels of several factors in the name of a condition.
LEVELS = " / "
# How [design] source begins in a chained study.
CHAINED = "study "
# The condition of trials that no analysis uses.
FILLER = "filler"
# The fewest descriptions that are ranked; two are a pair.
FEWEST_RANKED = 3
S = TypeVar("S")
SECONDS = {"identify": 7.0, "produce": 25.0, "judge": 12.0, "replay-identify": 25.0}
INSTRUCTION_MINUTES = 3.0
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
# Data come after the preregistration, whose hash must not change with them.
_UNHASHED = ("data",)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyList:
    """The trials of one participant: pairs of trial and condition, in blocks where the design has them (sizes, in
    order).
    """

    id: str
    group: int
    trials: tuple[tuple[str, str], ...]
    blocks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """An attention check: a stimulus with an unmistakable answer.

    `expect` is that answer where it is not the trial's target.
    """

    stimulus: Stimulus
    expect: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A study as it will be run.

    Sections of study.toml have every default filled in, pages their {placeholders}.

    `settings` is the section [protocol], whose fields the protocol declares: a mapping with every default filled in.
    """

    folder: Path
    id: str
    title: str
    language: str
    direction: str
    protocol: str
    kind: Kind = field(repr=False, compare=False)
    mode: str
    seed: int
    participants: int
    about: StudySection
    settings: Mapping[str, Any]
    design: DesignSection
    session: SessionSection
    policy: PolicySection
    recruitment: RecruitmentSection
    exclusion: ExclusionSection
    analysis: AnalysisSection
    lists: tuple[StudyList, ...]
    stimuli: Mapping[str, Stimulus] = field(repr=False)
    practice: tuple[Stimulus, ...] = field(repr=False)
    checks: tuple[Check, ...] = field(repr=False)
    demographics: tuple[FormField, ...] = field(repr=False)
    before: tuple[FormField, ...] = field(repr=False)
    extra: Mapping[str, str | tuple[FormField, ...]] = field(repr=False)
    branches: tuple[PageBranch, ...] = ()
    quotas: tuple[Quota, ...] = ()
    texts: Mapping[str, str] = field(repr=False)
    strings: Mapping[str, str] = field(repr=False)
    minutes: int
    hash: str
    consent_hash: str

    @property
    def is_chained(self) -> bool:
        """Whether the study shows descriptions that people gave in another one (`referee study chain`)."""
        return self.design.source.startswith(CHAINED)

    def find_cell(self, stimulus: Stimulus) -> str | None:
        """Return the cell of the factors that a stimulus is in: its condition, or in a chain that of its item."""
        return stimulus.trial.condition if self.is_chained else stimulus.system

    def list_cells(self) -> list[str]:
        """Return the cells of the factors, without fillers."""
        if not self.is_chained:
            return list(self.design.conditions)
        return sorted({s.trial.condition for s in self.stimuli.values() if s.trial.condition} - {FILLER})

    def iterate_stimuli(self) -> Iterator[Stimulus]:
        """Yield every stimulus that may be shown, with those of practice and checks."""
        yield from self.stimuli.values()
        yield from self.practice
        yield from (check.stimulus for check in self.checks)

    def questions(self) -> Iterator[FormField]:
        """Yield every question about the person, from all forms."""
        yield from self.before
        yield from self.demographics
        yield from (question for form in self.extra.values() if not isinstance(form, str) for question in form)

    def page_html(self, name: str) -> str:
        """Return a page as HTML, without the paragraph on contact and institution if both are empty."""
        text = self.texts[name]
        if not (self.about.contact or self.about.institution):
            # A paragraph of which only its bold lead is left.
            text = re.sub(r"^\*\*[^*\n]+\*\*[ \t]*\n(?:\n|$)", "", text, flags=re.MULTILINE)
        return convert_to_html(text)

    def list(self, list_id: str) -> StudyList:
        """Return a list by its id."""
        for entry in self.lists:
            if entry.id == list_id:
                return entry
        raise InputError(
            f"there is no list {list_id!r}", where=self.folder / "lists.json", remedy=f"L01 … {self.lists[-1].id}"
        )


def open_study(path: str | Path) -> Study:
    """Read a study folder and check it as a whole.

    Parameters
    ----------
    path
        The folder: study.toml with lists.json, trials.jsonl, outputs.jsonl and the pages under texts/<language>/ beside it.

    Returns
    -------
    Study
        With its hash over all files but the data, and the hash of the consent text that participants agree to.

    Raises
    ------
    InputError
        (or MalformedInput) if a file is missing or invalid; the message names the file, the line and the remedy.
    """
    folder = Path(path)
    where = folder / "study.toml"
    text = _read_text(where, "make a study with `referee study new`")
    raw = _parse_toml(text, where)
    _check_sections(raw, where, text)

    def read(section: type[S], name: str) -> S:
        """Return a section of study.toml, or a section within it, as an object."""
        head, _, tail = name.partition(".")
        fields_written = raw.get(head, {})
        return read_section(section, fields_written.get(tail, {}) if tail else fields_written, name, str(where), text)

    about = read(StudySection, "study")
    design, session, policy = (
        read(DesignSection, "design"),
        read(SessionSection, "session"),
        read(PolicySection, "policy"),
    )
    recruitment = replace(read(RecruitmentSection, "recruitment"), codes=read(CodesSection, "recruitment.codes"))
    if recruitment.platform == "sona" and not is_credit_address(recruitment.credit_url):
        raise InputError(
            f"credit_url is {recruitment.credit_url!r}, and has to be an https address with {{id}} in it",
            where=where,
            line=find_line(text, "recruitment", "credit_url"),
            remedy="copy the completion URL (client-side) of the study at Sona, and write {id} for its survey code",
        )
    if recruitment.signed_links and recruitment.platform != "prolific":
        raise InputError(
            f"signed_links is true, and the platform is {recruitment.platform!r}",
            where=where,
            line=find_line(text, "recruitment", "signed_links"),
            remedy='set platform = "prolific", or signed_links = false',
        )
    exclusion, analysis = read(ExclusionSection, "exclusion"), read(AnalysisSection, "analysis")
    _check_names(about, where, text)
    kind: Kind = create_protocol(about.protocol)
    settings = read_protocol_settings(kind, raw.get("protocol", {}), where, text)
    stimuli, lists = _load_stimuli(folder, spoken=kind.info.plugin not in ("produce", OWN))
    practice = tuple(c.stimulus for c in _read_extras(folder / "practice.jsonl", "practice"))
    checks = tuple(_read_extras(folder / "checks.jsonl", "check"))
    trials = max(len(entry.trials) for entry in lists)
    minutes = _estimate_minutes(trials + len(practice) + len(checks), kind.info.plugin)
    if isinstance(kind, RoomProtocol):
        minutes += round(kind.usual_seconds(next(iter(stimuli.values())), settings) / 60)
    strings = load_interface_words(about.language, folder / "texts" / about.language / "strings.toml")
    facts = {
        **{name: getattr(about, name) for name in ("title", "contact", "institution", "participants")},
        "withdrawal_days": policy.withdrawal_days,
        "trials": trials,
        "minutes": minutes,
        **_inflect_counts(strings, about.language, trials, minutes, policy.withdrawal_days),
        **_select_sentences(strings, trials, session.break_every, list_speakers(design)),
        **_describe_room(strings, about.language, kind, settings, minutes),
        "quick_note": fill_placeholders(strings["quick_note"], {"seconds": f"{exclusion.fastest_trial_s:g}"})
        if exclusion.fastest_trial_s
        else "",
    }
    texts = _load_pages(folder, about.language, about.protocol, facts)
    made = Study(
        folder=folder,
        **{
            key: getattr(about, key)
            for key in ("id", "language", "direction", "protocol", "mode", "seed", "participants")
        },
        title=about.title or about.id,
        kind=kind,
        about=about,
        settings=settings,
        design=design,
        session=session,
        policy=policy,
        recruitment=recruitment,
        exclusion=exclusion,
        analysis=analysis,
        lists=lists,
        stimuli=stimuli,
        practice=practice,
        checks=checks,
        minutes=minutes,
        demographics=read_form(folder / "texts" / about.language / "demographics.toml"),
        before=read_form(folder / "texts" / about.language / "before.toml"),
        extra=_read_own_pages(folder / "texts" / about.language, session, facts),
        branches=read_rules(PageBranch, raw.get("branch", []), "branch", where),
        quotas=read_rules(Quota, raw.get("quota", []), "quota", where),
        texts=texts,
        strings=strings,
        hash=hash_folder(folder),
        # Of the text as people read it, placeholders filled in.
        consent_hash=sha256(texts["consent"].encode()).hexdigest(),
    )
    names = [question.name for question in made.questions()]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(
            f"two questions are called {twice!r}",
            where=folder / "texts" / about.language,
            remedy="give each a different name",
        )
    check_names(made)
    return made


def is_credit_address(address: str) -> bool:
    """Return whether an address can credit a person: it begins with https and has a field for their id."""
    return address.startswith("https://") and address.count("{id}") == 1


def hash_folder(folder: Path) -> str:
    """Return the SHA-256 over names and contents of a study's files, except its data and hidden files."""
    total = sha256()
    # By the same text on every system: separators and the order of folders differ.
    for path in sorted(folder.rglob("*"), key=lambda p: p.relative_to(folder).as_posix()):
        parts = path.relative_to(folder).parts
        if path.is_file() and parts[0] not in _UNHASHED and not any(p.startswith(".") for p in parts):
            content = path.read_bytes()
            # With the length: otherwise the end of one file could be taken for the beginning of the next.
            total.update(f"{'/'.join(parts)}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


# -- study.toml ------------------------------------------------------------------------------------------------------------


def _read_text(path: Path, remedy: str) -> str:
    """Return a text file, without a byte order mark.

    Raises InputError if it is missing, MalformedInput if it is not UTF-8.
    """
    try:
        # With or without the mark that some editors of Windows put first.
        return path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        raise InputError("there is no such file", where=path, remedy=remedy) from None
    except UnicodeDecodeError as error:
        raise MalformedInput(f"byte {error.start} is not UTF-8", where=path, remedy="save it as UTF-8") from None


def _parse_toml(text: str, where: Path) -> dict[str, Any]:
    """Return parsed TOML. Raises MalformedInput if it does not parse."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MalformedInput(
            f"not TOML: {error}", where=where, remedy="put texts into double quotes, with one field per line"
        ) from None


def _check_sections(raw: Mapping[str, Any], where: Path, text: str) -> None:
    """Raise MalformedInput for an unknown section of study.toml."""
    for name, fields_written in raw.items():
        if name in TABLES:
            continue
        if name not in SECTIONS or not isinstance(fields_written, dict):
            sections = ", ".join([*(f"[{s}]" for s in SECTIONS), *(f"[[{s}]]" for s in TABLES)])
            meant = "".join(f"did you mean [{s}]? " for s in find_similar_names(name, SECTIONS, 1))
            raise MalformedInput(
                f"there is no section [{name}]",
                where=where,
                line=find_line(text, name, ""),
                remedy=f"{meant}one of {sections}",
            )


def _check_names(about: StudySection, where: Path, text: str) -> None:
    """Raise InputError for an id or language that cannot be used in a link."""
    if not _ID.fullmatch(about.id):
        raise InputError(
            f"the id {about.id!r} cannot be part of a link",
            where=where,
            line=find_line(text, "study", "id"),
            remedy="small letters, digits and hyphens, at most 63",
        )
    if not re.fullmatch(r"[a-z]{2,3}(-[A-Za-z0-9]+)*", about.language):
        raise InputError(
            f"{about.language!r} is not a language code",
            where=where,
            line=find_line(text, "study", "language"),
            remedy='for example "en" or "pt"',
        )
    if is_own(about.protocol):
        file = where.parent / FOLDER / about.protocol
        if Path(about.protocol).name != about.protocol or not file.is_file():
            raise InputError(
                f"there is no plug-in {about.protocol!r}",
                where=where,
                line=find_line(text, "study", "protocol"),
                remedy=f"put the file into {where.parent / FOLDER}",
            )
    elif about.protocol not in catalogue.names("protocol"):
        raise InputError(
            f"no protocol is called {about.protocol!r}",
            where=where,
            line=find_line(text, "study", "protocol"),
            remedy=f"one of {', '.join(catalogue.names('protocol'))}",
        )


def read_protocol_settings(kind: Kind, written: Mapping[str, Any], where: Path, text: str = "") -> dict[str, Any]:
    """Return the settings of a protocol with defaults filled in. Raises InputError for those that it cannot use."""
    settings = fill_defaults(written, kind.info.parameters, "protocol", str(where), text)
    if problem := kind.problem_with(settings):
        raise InputError(problem, where=f"{where} [protocol]", remedy="see `referee docs protocols`")
    return settings


# -- stimuli -----------------------------------------------------------------------------------------------------------


def _estimate_minutes(trials: int, plugin: str) -> int:
    """Return the estimated duration of a session, from the usual duration of such trials."""
    return round(INSTRUCTION_MINUTES + trials * SECONDS.get(plugin, 15.0) / 60)


def _read_own_pages(
    folder: Path, session: SessionSection, facts: Mapping[str, object]
) -> dict[str, str | tuple[FormField, ...]]:
    """Return the pages and surveys that [session] names: text of a page, or questions of a survey."""
    pages: dict[str, str | tuple[FormField, ...]] = {}
    for name in (*session.pages_before, *session.pages_between, *session.pages_after):
        page, survey = folder / f"{name}.md", folder / f"{name}.toml"
        if not _ID.fullmatch(name) or page.exists() == survey.exists():
            raise InputError(
                f"there is no page or survey {name!r}, or there are both",
                where=folder,
                remedy=f"write {name}.md (a page) or {name}.toml (a survey, as demographics.toml); small letters, digits, hyphens",
            )
        pages[name] = fill_placeholders(_read_text(page, ""), facts) if page.exists() else read_form(survey)
    return pages


def _inflect_counts(strings: Mapping[str, str], language: str, trials: int, minutes: int, days: int) -> dict[str, str]:
    """Return numbers with their nouns in the plural form of the language."""
    counts = {"short_tasks": trials, "tasks_there": trials, "days": days}
    phrases = {name: inflect(strings, language, name, n) for name, n in counts.items()}
    # {minutes} is the bare number, for pages that were written before there were forms.
    return {**phrases, "minutes_words": inflect(strings, language, "minutes", minutes)}


def list_speakers(design: DesignSection) -> tuple[str, ...]:
    """Return the conditions that name speakers; those of tables and of chained studies do not."""
    return () if design.source.startswith(("table ", CHAINED)) else design.conditions


def _select_sentences(
    strings: Mapping[str, str], trials: int, break_every: int, conditions: tuple[str, ...]
) -> dict[str, str]:
    """Return sentences about breaks and about the authors of descriptions, if they apply."""
    speakers = {name for condition in conditions for name in condition.split(VERSUS)}
    both = HUMAN in speakers and len(speakers) > 1
    programs = bool(speakers) and HUMAN not in speakers
    return {
        "breaks": strings["breaks_between"] if break_every and trials > break_every else "",
        "speakers": strings["made_by_both"] if both else strings["made_by_programs"] if programs else "",
    }


def _describe_room(
    strings: Mapping[str, str], language: str, kind: Any, settings: Mapping[str, Any], minutes: int
) -> dict[str, str]:
    """Return the facts on a room for the consent text: speech or chat, recorded data, longest duration."""
    if kind.info.plugin == "produce":
        return {"sound": strings["sound_spoken"] if is_spoken(settings) else ""}
    if not isinstance(kind, RoomProtocol):
        return {}
    has_voice = bool(settings.get("voice"))
    longest = minutes + round(kind.longest_seconds(settings) / 60)
    return {
        "talk": strings["talk_spoken" if has_voice else "talk_written"],
        "sound": strings["sound_stored" if has_voice else "sound_none"],
        "longest": inflect(strings, language, "minutes", longest),
    }


def _load_pages(folder: Path, language: str, protocol: str, facts: Mapping[str, object]) -> dict[str, str]:
    """Return the pages of a study: its own, or shipped pages where its own are optional and missing."""
    texts_folder = folder / "texts" / language
    shipped = read_default_pages(language, protocol)
    pages = {}
    for page in PAGES:
        path = texts_folder / f"{page}.md"
        # Consent and instructions must be the study's own words.
        if path.exists() or page in REQUIRED:
            pages[page] = _read_text(path, f"every study needs {page}.md in its language")
        else:
            pages[page] = shipped[page]
    # In the consent text `page_html` leaves it out: the hash of that text, to which people agreed, must stay.
    for page in {*pages} - {"consent"}:
        pages[page] = _drop_empty_contact(pages[page], facts)
    return {page: fill_placeholders(text, facts) for page, text in pages.items()}


def _drop_empty_contact(text: str, facts: Mapping[str, object]) -> str:
    """Return a page without the paragraphs on contact and institution if these are empty."""
    paragraphs = [(part, re.findall(r"\{(contact|institution)\}", part)) for part in text.split("\n\n")]
    return "\n\n".join(part for part, names in paragraphs if not names or any(facts[name] for name in names))


def _load_stimuli(folder: Path, spoken: bool) -> tuple[dict[str, Stimulus], tuple[StudyList, ...]]:
    """Return stimuli and lists; without `spoken` (production), stimuli have no descriptions."""
    trials = {trial.id: trial for trial in read_trials(folder / "trials.jsonl")}
    descriptions: dict[tuple[str, str], Description] = {}
    if (folder / "outputs.jsonl").exists():
        for output in read_outputs(folder / "outputs.jsonl"):
            if (output.trial, output.system) in descriptions:
                raise MalformedInput(
                    f"{output.system!r} has two descriptions of the trial {output.trial!r}",
                    where=folder / "outputs.jsonl",
                    line=output.line,
                    remedy="leave one of them there",
                )
            descriptions[output.trial, output.system] = output.description
    lists = _read_lists(folder / "lists.json")
    stimuli: dict[str, Stimulus] = {}
    for place in lists:
        for trial, condition in place.trials:
            key = f"{trial}|{condition}"
            if key not in stimuli:
                where = f"{folder / 'lists.json'}: list {place.id}"
                described = descriptions if spoken else {(trial, condition): Description(), **descriptions}
                stimuli[key] = _make_stimulus(trial, condition, trials, described, where)
    return stimuli, lists


def _make_stimulus(
    trial: str,
    condition: str,
    trials: Mapping[str, Trial],
    descriptions: Mapping[tuple[str, str], Description],
    where: str,
) -> Stimulus:
    """Return the stimulus of a trial in a condition. Raises InputError if a description is missing."""
    # An item that looks different in this condition has a trial of its own for it.
    record = trials.get(f"{trial}|{condition}") or trials.get(trial)
    if record is None:
        raise InputError(
            f"the trial {trial!r} is not in trials.jsonl", where=where, remedy="add it, or make the lists again"
        )
    record = replace(record, id=trial) if record.id != trial else record
    spoken = [_make_single(trial, system, record, descriptions, where) for system in condition.split(VERSUS)]
    # Of a pair the second is the rival; of several that are ranked, all are, one behind the other.
    rival: Stimulus | None = None
    for one in reversed(spoken[1:] if len(spoken) < FEWEST_RANKED else spoken):
        rival = replace(one, rival=rival)
    return Stimulus(
        id=f"{trial}|{condition}",
        trial=record,
        description=spoken[0].description,
        system=condition or None,
        rival=rival,
    )


def _make_single(
    trial: str, system: str, record: Trial, descriptions: Mapping[tuple[str, str], Description], where: str
) -> Stimulus:
    """Return the stimulus of one description; without a system (production) it has no description."""
    description = descriptions.get((trial, system)) if system else descriptions.get((trial, system), Description())
    if description is None:
        raise InputError(
            f"outputs.jsonl has no description by {system!r} of the trial {trial!r}",
            where=where,
            remedy="add the line, or take the pair out of the lists",
        )
    return Stimulus(id=f"{trial}|{system}", trial=record, description=description, system=system or None)


def _read_lists(path: Path) -> tuple[StudyList, ...]:
    """Return the lists of lists.json. Raises MalformedInput if it is invalid."""
    try:
        data = json.loads(_read_text(path, "make the lists with `referee study new`"))
        entries = [
            StudyList(
                id=str(entry["id"]),
                group=int(entry["group"]),
                trials=tuple((str(t), str(c)) for t, c in entry["trials"]),
                blocks=tuple(map(int, entry.get("blocks", ()))),
            )
            for entry in data["lists"]
        ]
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        remedy = '{"lists": [{"id": "L01", "group": 1, "trials": [["trial", "system"], …]}, …]}'
        raise MalformedInput(f"not a file of lists ({error!r:.80})", where=path, remedy=remedy) from None
    for entry in entries:
        if not entry.trials or (entry.blocks and sum(entry.blocks) != len(entry.trials)):
            problem = "is empty" if not entry.trials else "has blocks that do not add up to its trials"
            raise MalformedInput(f"the list {entry.id} {problem}", where=path, remedy="make the lists again")
    if not entries or len({entry.id for entry in entries}) < len(entries):
        raise MalformedInput("there are no lists, or two with one id", where=path, remedy="make the lists again")
    return tuple(entries)


def _read_extras(path: Path, word: str) -> Iterator[Check]:
    """Yield practice trials or checks: ``{"trial": {…}, "text": "…", "properties": […], "expect": {…}}``."""
    if not path.exists():
        return
    for line, text in read_lines(path):
        try:
            data = parse_object(text)
            trial = trial_from_json(data.get("trial") or {})
            description = description_from_json(data)
            more = data.get("more", ())
            other: Stimulus | None = None
            # Of those that are ranked, the first is among its own rivals, as in a trial.
            rivals = [*([data] if more else ()), *filter(None, [data.get("rival")]), *more]
            for number, rival in reversed(list(enumerate(rivals, 1))):
                described = description_from_json(rival)
                name = f"option{number}"
                other = Stimulus(id=f"{word}{line}b", trial=trial, description=described, system=name, rival=other)
        except WrongShape as wrong:
            raise MalformedInput(
                str(wrong), where=path, line=line, remedy='{"trial": {a trial}, "text": "…"} a line'
            ) from None
        stimulus = Stimulus(id=f"{word}|{line}", trial=trial, description=description, rival=other)
        yield Check(stimulus=stimulus, expect=data.get("expect"))
