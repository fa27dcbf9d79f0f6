"""Chains of studies: descriptions that people gave in one study become the items of the next.

The new study keeps `chain.json`: the source study and data, the cleaning rule, and the excluded descriptions. Speakers
who withdraw later are looked up there before the new study is served.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee import catalogue
from referee.errors import InputError
from referee.files import write_atomically
from referee.records import Description, Trial
from referee_lab.study.data.collection import collect_from
from referee_lab.study.data.dataset import ALL, Dataset, StoredAnswer
from referee_lab.study.data.exported_rows import name_recording
from referee_lab.study.design.balance import BalanceClaim, format_count, make_claim
from referee_lab.study.design.conditions import COMPARED, list_conditions
from referee_lab.study.design.designs import DesignLayout, name_lists, require_equal_lists
from referee_lab.study.design.wishes import Wishes, fill_study_fields, register_factors, start_draft
from referee_lab.study.folder.draft import write_study
from referee_lab.study.folder.media import can_play
from referee_lab.study.folder.photographs import find_photograph_file
from referee_lab.study.folder.study import CHAINED, Study, StudyList, open_study
from referee_lab.study.folder.study_pictures import name_object_picture

FILE = "chain.json"
RULE = (
    "white space becomes one blank and is removed at the ends; descriptions without a letter "
    "or digit are left out; recordings are heard where the protocol plays sounds"
)
PLUGINS = ("identify", "judge")


def make_chained_study(
    source: Study, out: Path, wishes: Wishes, *, yoked: bool, mode: str | None, database: str | None
) -> Study:
    """Make a study of the descriptions that people gave in another one, and return it opened.

    With `yoked` every list has the descriptions of one speaker, so each listener has their own speaker; otherwise lists
    use speakers in turn.
    """
    if source.kind.info.plugin != "produce":
        raise InputError(
            f"{source.protocol} collects no descriptions", where=source.folder, remedy="name a study of production"
        )
    if catalogue.create("protocol", wishes.protocol).info.plugin not in PLUGINS or wishes.protocol in COMPARED:
        raise InputError(
            f"{wishes.protocol} shows no single description of a scene",
            remedy="take asgre2007, tuna2008, self-paced-reading, open-choice or judgement",
        )
    collected = collect_from(source, database, mode)
    plays = can_play(catalogue.create("protocol", wishes.protocol).info)
    descriptions, dropped = _clean_descriptions(collected, plays)
    if not descriptions:
        raise InputError(
            f"the study has no description in mode {collected.mode}",
            where=source.folder,
            remedy="collect some first, or name another --mode",
        )
    speakers = sorted({speaker for _, speaker in descriptions})
    lists = _build_lists(descriptions, speakers, yoked)
    participants = wishes.participants or len(lists)
    require_equal_lists(participants, len(lists))
    used = sorted({pair for entry in lists for pair in entry.trials})
    trials = {trial.id: trial for trial in _list_trials(source)}
    layout = DesignLayout(kind="given", lists=lists)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as media:
        for name, content in (recording for recording in descriptions.values() if not isinstance(recording, str)):
            (Path(media) / name).write_bytes(content)
        draft = start_draft(
            wishes,
            language=source.language,
            participants=participants,
            layout=layout,
            conditions=list_conditions(wishes.protocol, sorted({speaker for _, speaker in used})),
            trials=[trials[item] for item in dict.fromkeys(item for item, _ in used)],
            outputs=[(item, speaker, _make_description(descriptions[item, speaker])) for item, speaker in used],
            source=f"{CHAINED}{source.id}",
            fields=register_factors(fill_study_fields(wishes, wishes.protocol), source.design.factors),
            pictures=_copy_pictures(source, trials.values(), Path(folder)),
            media=Path(media),
        )
        write_study(out, draft)
    record = {
        "study": source.id,
        "hash": source.hash,
        "folder": os.path.relpath(source.folder.resolve(), out.resolve()),
        "mode": collected.mode,
        "yoked": yoked,
        "rule": RULE,
        "speakers": speakers,
        "descriptions": len(descriptions),
        "left_out": dropped,
    }
    write_atomically(out / FILE, json.dumps(record, ensure_ascii=False, indent=1).splitlines())
    return open_study(out)


# Words, or the file of a recording with its content.
Said = str | tuple[str, bytes]


def _make_description(said: Said) -> Description:
    return Description(text=said) if isinstance(said, str) else Description(media=said[0])


def _clean_descriptions(collected: Dataset, plays: bool) -> tuple[dict[tuple[str, str], Said], list[dict[str, str]]]:
    """Return the usable descriptions by item and speaker, and the removed ones with their reasons."""
    clean: dict[tuple[str, str], Said] = {}
    dropped = []
    for answer in collected.trials:
        text = " ".join((answer.answer.get("text") or "").split())
        heard = name_recording(answer) if plays and answer.answer.get("sound") else None
        reason = next((mark.reason for mark in answer.marks if mark.scope == ALL), "")
        if heard is None and not any(letter.isalnum() for letter in text):
            reason = "no transcript" if answer.answer.get("sound") else "no letter or digit"
        item = _name_item(answer)
        if reason or item is None:
            dropped.append({"speaker": answer.sitting.alias, "item": item or "", "reason": reason or "no such item"})
        else:
            clean[item, answer.sitting.alias] = text if heard is None else (Path(heard[0]).name, heard[1])
    return clean, dropped


def _name_item(answer: StoredAnswer) -> str | None:
    """Return the name of an item in the new study: the old name with its condition."""
    if answer.asked is None:
        return None
    return _join_name(answer.asked.trial.id, answer.asked.system)


def _join_name(item: str, condition: str | None) -> str:
    return f"{item} ({condition})" if condition else item


def _list_trials(source: Study) -> list[Trial]:
    """Return the trials of the source under their new names; with factors, each has its cell as its condition."""
    return [
        replace(
            s.trial,
            id=_join_name(s.trial.id, s.system),
            references=(),
            condition=s.system if source.design.factors else s.trial.condition,
        )
        for s in source.stimuli.values()
    ]


def _build_lists(
    descriptions: Mapping[tuple[str, str], Said], speakers: Sequence[str], yoked: bool
) -> tuple[StudyList, ...]:
    """Return one list per speaker: with their own descriptions, or with speakers rotated over items."""
    speakers_of: dict[str, list[str]] = defaultdict(list)
    for item, speaker in sorted(descriptions):
        speakers_of[item].append(speaker)
    rows = [
        [(item, speaker) for item, by in speakers_of.items() if speaker in by]
        if yoked
        else [(item, by[(place + number) % len(by)]) for place, (item, by) in enumerate(speakers_of.items())]
        for number, speaker in enumerate(speakers)
    ]
    return name_lists([(1, trials, ()) for trials in rows])


def _copy_pictures(source: Study, trials: Any, folder: Path) -> Path:
    """Copy the pictures of the old study to the names in its trials, and return their folder."""
    for image in {e.image for trial in trials for e in trial.scene.entities if e.image is not None}:
        file = find_photograph_file(source.folder, name_object_picture(image))
        if file is not None:
            target = folder / image
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file[0].read_bytes())
    return folder


# -- withdrawal --------------------------------------------------------------------------------------------------------------


def find_withdrawn_speakers(study: Study, database: str | None = None) -> list[str]:
    """Return speakers of a chained study who withdrew from the source study.

    Raises InputError where that study cannot be read.
    """
    path = study.folder / FILE
    if not path.exists():
        return []
    record = json.loads(path.read_text(encoding="utf-8"))
    before = study.folder / record["folder"]
    if not before.exists():
        raise InputError(
            f"the study {record['study']!r}, whose descriptions are shown, is not there",
            where=before,
            remedy=f"put it back, or correct `folder` in {FILE}: people may have withdrawn from it",
        )
    present = {sitting.alias for sitting in collect_from(open_study(before), database, record["mode"]).sittings}
    return [speaker for speaker in record["speakers"] if speaker not in present]


def prove_chain(study: Study) -> list[BalanceClaim]:
    """Return the claim that no speaker of a chained study has withdrawn; none for other studies."""
    if not (study.folder / FILE).exists():
        return []
    gone = find_withdrawn_speakers(study)
    wrong = (
        [f"{format_count(len(gone), 'speaker')} withdrew: make the study again with `referee study chain`"]
        if gone
        else []
    )
    trials = (s.id for s in study.stimuli.values() if s.system in gone)
    sentence = "no speaker whose descriptions are shown has withdrawn"
    return [make_claim(sentence, "checked the earlier study", wrong, check="withdrawn", trials=trials)]
