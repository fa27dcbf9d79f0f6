"""Writes a study folder.

Study.toml with every field explained, the pages, the trials, their descriptions, and the lists.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.corpora.jsonl import record_to_json, trial_to_json, write_json_line
from referee.errors import InputError, find_similar_names
from referee.files import write_atomically, writing_folder
from referee.geometry import ScenePicture
from referee.jobs.folder import write_outputs, write_trials
from referee.records import NOTHING, Description, Trial
from referee_lab.study.design.designs import DesignLayout
from referee_lab.study.folder.clip_sounds import write_clip_sounds
from referee_lab.study.folder.media import can_play, copy_media, get_presentation
from referee_lab.study.folder.photographs import copy_pictures
from referee_lab.study.folder.screens import list_fitting_devices
from referee_lab.study.folder.settings import RIGHT_TO_LEFT, SECTIONS, Setting, format_toml
from referee_lab.study.folder.study import Study, open_study
from referee_lab.study.protocols.own_plugin import FOLDER as PLUGINS
from referee_lab.study.protocols.own_plugin import OWN, create_protocol
from referee_lab.study.protocols.production import is_spoken
from referee_lab.study.protocols.scene import get_context_picture, get_option_text, is_bare
from referee_lab.study.texts import (
    READ,
    get_default_demographics,
    get_default_questions,
    get_ready_page,
    get_voices_sentence,
    read_default_pages,
)

# Plug-ins that show the objects of a scene, each with a picture of its own.
ROOMS = ("tangram", "reference-game")
SHOWS_OBJECTS = ("identify", "produce", "judge", "reference-game", OWN)
_HEADINGS = {
    "study": "Title, language and mode. Everything below is fixed before the first participant; the folder's hash is stored with the data.",
    "protocol": "What happens in one trial.",
    "design": "Who sees what. The lists are in lists.json, the proof of their balance in design.txt.",
    "session": "Pages, pauses and checks around the trials.",
    "policy": "What happens when something goes wrong, or when a participant changes their mind.",
    "recruitment": "Where participants come from, and what they are given at the end.",
    "recruitment.codes": "Completion codes by outcome.",
    "exclusion": "Answers that are left out of analyses, decided before seeing data. Exports always contain everything, with reasons.",
    "analysis": "What will be tested.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """A practice trial or an attention check.

    Its description, the rival of a pair, and the expected answer if it is not the target.
    """

    trial: Trial
    description: Description
    rival: Description | None = None
    more: Sequence[Description] = ()
    expect: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A study to be written. `fields` are values for sections of study.toml beside their defaults."""

    id: str
    title: str
    protocol: str
    participants: int
    layout: DesignLayout
    conditions: Sequence[str]
    trials: Sequence[Trial]
    outputs: Sequence[tuple[str, str, Description]]
    language: str = "en"
    mode: str = "debug"
    seed: int = 1
    source: str = ""
    practice: Sequence[Extra] = ()
    checks: Sequence[Extra] = ()
    # Whose pages the study has, where they are not its protocol's: a name in `study.texts.LIKE`.
    pages: str = ""
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    pictures: Path | None = None
    media: Path | None = None
    sounds: Mapping[str, bytes] = field(default_factory=dict)
    plugin: Path | None = None


def _open_draft(folder: Path, named: Path) -> Study:
    """Open the study in `folder`; errors name the folder `named`, because `folder` is temporary."""
    try:
        return open_study(folder)
    except InputError as error:
        where = error.where.replace(str(folder), str(named))
        raise InputError(error.problem, where=where, line=error.line, remedy=error.remedy) from None


def write_study(path: str | Path, draft: Draft) -> Study:
    """Write a study folder, whole or not at all.

    Parameters
    ----------
    path
        The folder to make; an existing one is an error.
    draft
        Trials, descriptions, lists, and values for study.toml that differ from its defaults.

    Returns
    -------
    Study
        The written folder, opened again as a check.

    Raises
    ------
    InputError
        If the draft makes no valid study; no folder is left behind.
    """
    from referee_lab.study.design.design_page import list_design_numbers, simulate_power_lines, write_design_report

    with writing_folder(path) as folder:
        write_trials(folder, draft.trials)
        write_outputs(folder, draft.outputs)
        copy_pictures(folder, _iterate_pictures(draft), draft.pictures)
        copy_media(folder, _collect_descriptions(draft), draft.media)
        write_clip_sounds(folder, draft.sounds)
        if draft.plugin is not None:
            (folder / PLUGINS).mkdir()
            shutil.copyfile(draft.plugin, folder / PLUGINS / draft.plugin.name)
        _write_extras(folder / "practice.jsonl", draft.practice)
        _write_extras(folder / "checks.jsonl", draft.checks)
        write_atomically(folder / "lists.json", _format_lists(draft))
        write_atomically(folder / "study.toml", study_toml(draft))
        _write_texts(folder / "texts" / draft.language, draft)
        # Opened before it has its name: a draft that makes no study leaves nothing behind.
        study = _open_draft(folder, Path(path))
        power = simulate_power_lines(study)
        write_atomically(folder / "design.txt", write_design_report(study, power).splitlines())
        remarks = {"design": list_design_numbers(study)[1:], "analysis": power}
        # Written twice: the remarks depend on the first version.
        write_atomically(folder / "study.toml", study_toml(draft, remarks))
    return open_study(path)


def _list_trials(draft: Draft) -> list[Trial]:
    return [*draft.trials, *(extra.trial for extra in (*draft.practice, *draft.checks))]


def _iterate_pictures(draft: Draft) -> Iterator[ScenePicture]:
    """Yield the pictures that are shown: of a scene, by protocol or above options, and of its objects."""
    plugin = create_protocol(draft.protocol).info.plugin
    for scene in (trial.scene for trial in _list_trials(draft)):
        if scene.picture is not None and (plugin == "locate" or get_context_picture(scene) is not None):
            yield scene.picture
        if plugin in SHOWS_OBJECTS:
            yield from (ScenePicture(path=entity.image) for entity in scene.entities if entity.image is not None)


def _collect_descriptions(draft: Draft) -> list[Description]:
    extras = (*draft.practice, *draft.checks)
    return [*(d for _, _, d in draft.outputs), *(e.description for e in extras), *(e.rival for e in extras if e.rival)]


def _write_extras(path: Path, extras: Sequence[Extra]) -> None:
    if extras:
        write_atomically(path, map(write_json_line, map(_export_extra, extras)))


def _export_extra(extra: Extra) -> dict[str, Any]:
    """Return a practice trial or check as a JSON object."""
    data = {"trial": trial_to_json(extra.trial), **record_to_json(extra.description)}
    if extra.rival is not None:
        data["rival"] = record_to_json(extra.rival)
    if extra.more:
        data["more"] = [record_to_json(description) for description in extra.more]
    return data if extra.expect is None else {**data, "expect": dict(extra.expect)}


def _format_lists(draft: Draft) -> Iterator[str]:
    """Yield lists.json with one list per line, so that versions are easy to compare."""
    yield f'{{"design": {json.dumps(draft.layout.kind)}, "seed": {draft.seed}, "lists": ['
    for number, entry in enumerate(draft.layout.lists):
        data: dict[str, Any] = {"id": entry.id, "group": entry.group}
        if entry.blocks:
            data["blocks"] = list(entry.blocks)
        data["trials"] = [list(pair) for pair in entry.trials]
        yield write_json_line(data) + ("," if number + 1 < len(draft.layout.lists) else "")
    yield "]}"


def _write_texts(folder: Path, draft: Draft) -> None:
    """Write the pages and the questionnaires of the study's language."""
    folder.mkdir(parents=True)
    spoken = is_spoken(draft.fields.get("protocol", {}))
    pages = (
        read_default_pages(draft.language, f"{draft.protocol}-spoken")
        if spoken
        else read_default_pages(
            draft.language, draft.pages or draft.protocol, _get_presentation(draft), _name_display(draft)
        )
    )
    if not draft.practice and draft.protocol not in ROOMS:
        pages["ready"] = get_ready_page(draft.language)
    if draft.sounds:
        tasks = "{tasks_there}"
        pages["instructions"] = pages["instructions"].replace(
            tasks, f"{get_voices_sentence(draft.language)}\n\n{tasks}"
        )
    for name, text in pages.items():
        write_atomically(folder / f"{name}.md", text.rstrip("\n").splitlines())
    write_atomically(folder / "demographics.toml", get_default_demographics(draft.language).rstrip("\n").splitlines())


def _name_display(draft: Draft) -> str:
    """Return the name in without_scene.toml of the display that replaces scenes in all trials.

    Empty if they show scenes.
    """
    scenes = [trial.scene for trial in draft.trials]
    info = create_protocol(draft.protocol).info
    if info.plugin not in ("identify", "produce", "judge"):
        return ""
    if all(is_bare(scene) or all(map(get_option_text, scene.entities)) for scene in scenes):
        bare = {"judgement": "judged", "judgement-pairwise": "pair", "ranking": "", "self-paced-reading": "words"}
        return bare.get(draft.protocol, "options")
    if all(len(scene.entities) == 1 for scene in scenes):
        alone = {"judgement": "picture", "production": "described", "judgement-pairwise": "pair"}
        return alone.get(draft.protocol, "")
    return ""


def _get_presentation(draft: Draft) -> str:
    """Return how descriptions are presented.

    Where this varies, the pages need editing (`check` lists them).
    """
    plays = can_play(create_protocol(draft.protocol).info)
    ways = {get_presentation(description) for _, _, description in draft.outputs if plays}
    return READ if READ in ways or not ways else min(ways)


# -- study.toml ------------------------------------------------------------------------------------------------------------


def study_toml(draft: Draft, remarks: Mapping[str, Sequence[str]] = NOTHING) -> Iterator[str]:
    """Yield the lines of study.toml: every field with its explanation, and remarks under some headings."""
    yield "# A study of referring expressions, and its preregistration: commit this folder to a public archive before the first participant."
    yield "# Check it with `referee study check`, run it with `referee study serve`."
    info = create_protocol(draft.protocol).info
    for section, settings in SECTIONS.items():
        values = {**_get_draft_values(draft).get(section, {}), **draft.fields.get(section, {})}
        yield ""
        yield f"# {_HEADINGS[section]}"
        yield from (f"# {line}" for line in remarks.get(section, ()))
        if section == "protocol":
            yield f"# {info.title}. Source: {info.source}."
        yield f"[{section}]"
        yield from _format_fields(info.parameters if section == "protocol" else settings, values)


def _format_fields(settings: Mapping[str, Setting], values: Mapping[str, Any]) -> Iterator[str]:
    """Yield one line per field: its value and its explanation."""
    for name in values.keys() - settings.keys() - {"codes"}:
        meant = "".join(f"did you mean {other}? " for other in find_similar_names(name, settings, 1))
        raise InputError(
            f"study.toml has no field {name!r} in this section", remedy=f"{meant}one of {', '.join(settings)}"
        )
    for name, setting in settings.items():
        value = values.get(name, setting.default)
        yield (
            f"{name} = {format_toml([] if value == [''] else value)}".ljust(40)
            + f"  # {setting.about}{f' ({setting.unit})' if setting.unit else ''}"
        )


_TIMES = ["identification_ms", "reading_ms"]
_PLANNED: dict[str, dict[str, Any]] = {
    "asgre2007": {"measures": ["error", "combined_ms"], "tests": ["mixed-model", "asgre2007"]},
    "open-choice": {"measures": ["error", "several", "none", "dont-know", "combined_ms"]},
    "tuna2008": {"measures": ["error", *_TIMES], "tests": ["mixed-model", "tuna2008"]},
    "self-paced-reading": {"measures": ["error", *_TIMES, "regions_ms"]},
    "production": {"measures": ["text"], "tests": []},
    "judgement": {"measures": ["adequacy", "fluency"]},
    "judgement-pairwise": {"measures": ["choice"], "tests": ["paired-comparison"]},
    "ranking": {"measures": ["ranking"], "tests": ["ranking"]},
    OWN: {"measures": ["response", "error", "combined_ms"]},
    **{name: {"measures": ["error", "several", "none", "combined_ms"]} for name in ("point", "refoi")},
    "tangram": {"measures": ["solved", "combined_ms"], "tests": []},
    "reference-game": {"measures": ["right", "combined_ms"], "tests": []},
}


def _choose_devices(draft: Draft) -> dict[str, dict[str, Any]]:
    """Return the value of [session] devices: those on which every scene can be answered."""
    plugin = create_protocol(draft.protocol).info.plugin
    if plugin not in ("identify", "produce", "judge"):
        return {}
    return {"session": {"devices": list_fitting_devices(_list_trials(draft), plugin)}}


def _get_draft_values(draft: Draft) -> dict[str, dict[str, Any]]:
    """Return the values of study.toml that the draft determines."""
    layout = draft.layout
    asked = get_default_questions(draft.language, draft.protocol, _name_display(draft))
    return {
        "study": {
            "id": draft.id,
            "title": draft.title,
            "language": draft.language,
            "direction": "rtl" if draft.language.partition("-")[0] in RIGHT_TO_LEFT else "ltr",
            "protocol": draft.protocol,
            "mode": draft.mode,
            "seed": draft.seed,
            "participants": draft.participants,
        },
        "design": {
            "kind": layout.kind,
            "source": draft.source,
            "conditions": list(draft.conditions),
            "items": len({trial for entry in layout.lists for trial, _ in entry.trials}),
            "duplicates": list(layout.duplicates),
            "groups": layout.groups,
            "lists": len(layout.lists),
            "per_list": max(1, draft.participants // len(layout.lists)),
            "trials_each": max(len(entry.trials) for entry in layout.lists),
            "order": layout.order,
            # Ten trials apart cannot be kept in a short list.
            "same_item_apart": min(10, max(1, len({trial for trial, _ in layout.lists[0].trials}) // 3)),
        },
        "protocol": asked,
        **_choose_devices(draft),
        "analysis": {
            **_PLANNED.get(OWN if draft.plugin is not None else draft.protocol, {}),
            **({"measures": asked["scales"]} if "scales" in asked else {}),
        },
    }
