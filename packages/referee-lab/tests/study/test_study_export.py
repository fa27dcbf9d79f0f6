"""Exports: complete, the same bytes for the same data, nobody's name in them, nothing left out without a word (data-safety rules 2, 11, 12, 13, 15)."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from study_server import Clock, Person, Site, site, study_folder

from referee_lab.bots.simulation import simulate
from referee_lab.study.data.codebook import build_codebook
from referee_lab.study.data.collection import collect, collect_from
from referee_lab.study.data.export import build_export, build_export_zip, list_identities
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.study import open_study

DAY = 86_400.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def running(tmp_path: Path, clock: Clock) -> Iterator[Site]:
    with site(study_folder(tmp_path), clock) as opened:
        yield opened


def exported(opened: Site, *formats: str) -> dict[str, bytes]:
    with opened.served.store.read() as connection:
        return build_export(collect(opened.served.study, connection), formats or ("csv",))


def rows(files: dict[str, bytes], table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[f"{table}.csv"].decode())))


def trial_steps(person: Person) -> list[int]:
    return [i for i in person.saved_steps if person.step(i).kind == "trial"]


def test_every_column_has_one_line_in_the_codebook_and_every_cell_one_column(running: Site) -> None:
    Person(running).complete()
    files = exported(running)
    described = json.loads(files["codebook.json"])["tables"]
    for table, columns in build_codebook(running.served.study).items():
        lines = list(csv.reader(io.StringIO(files[f"{table}.csv"].decode())))
        names = [column["name"] for column in described[table]]
        assert lines[0] == names == [column.name for column in columns]
        assert len(set(names)) == len(names)
        assert all(len(line) == len(names) for line in lines)
    assert all(f"| {name} |" in files["codebook.md"].decode() for name in ("identification_ms", "reasons", "day"))


def test_one_row_per_answer_with_what_hid_behind_the_label(running: Site) -> None:
    person = Person(running)
    person.complete()
    found = rows(exported(running), "trials")
    assert len(found) == sum(person.step(i).plugin == "identify" for i in person.saved_steps)
    for row in found:
        step = person.step(int(row["step"]))
        assert row["chosen"] == step.shown.labels[row["entity"]] == row["target"]
        assert row["correct"] == "true"
        assert row["reading_ms"] == "812.4000000000001"  # as sent by `study_server.answer`: never rounded


def test_the_same_data_give_the_same_bytes_in_files_and_archive(running: Site) -> None:
    for _ in range(2):
        Person(running).complete()
    first = exported(running, "csv", "parquet", "jsonl")
    assert first == exported(running, "csv", "parquet", "jsonl")
    study, store = running.served.study, running.served.store
    assert build_export_zip(study, store) == build_export_zip(study, store)
    reply = running.organise("GET", "export.zip")
    assert reply.status_code == 200
    with zipfile.ZipFile(io.BytesIO(reply.content)) as archive:
        packed = {name.removeprefix(f"{study.id}/"): archive.read(name) for name in archive.namelist()}
    assert packed == exported(running)


def test_counts_and_checksums_are_those_of_the_files(running: Site) -> None:
    Person(running).complete()
    files = exported(running)
    manifest = json.loads(files["manifest.json"])
    assert manifest["rows"] == {table: len(rows(files, table)) for table in manifest["rows"]}
    sums = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].decode().splitlines())
    assert set(sums) == set(files) - {"SHA256SUMS"}
    assert all(hashlib.sha256(files[name]).hexdigest() == digest for name, digest in sums.items())


def test_csv_parquet_and_jsonl_hold_the_same_numbers(running: Site) -> None:
    Person(running).complete()
    files = exported(running, "csv", "parquet", "jsonl")
    table = pl.read_parquet(io.BytesIO(files["trials.parquet"]))
    lines = [json.loads(line) for line in files["trials.jsonl"].splitlines()]
    for name in ("identification_ms", "step"):
        plain = [float(row[name]) for row in rows(files, "trials")]
        assert table[name].to_list() == plain == [float(line[name]) for line in lines]
    assert table["correct"].to_list() == [line["correct"] for line in lines]


def test_whoever_withdraws_is_out_at_once_and_a_count_when_purged(running: Site, clock: Clock) -> None:
    stays, leaves = Person(running), Person(running)
    for person in (stays, leaves):
        person.complete()
    alias = leaves.plan["alias"]
    assert alias.encode() in exported(running)["trials.csv"]
    assert leaves.ask("POST", "withdraw").status_code == 200
    files = exported(running)
    assert not any(alias.encode() in content for content in files.values())
    assert {row["participant"] for row in rows(files, "sessions")} == {stays.plan["alias"]}
    assert json.loads(files["manifest.json"])["people"]["withdrawn"] == 1

    from referee_lab.server.sessions.withdrawal import purge

    clock.now += (running.served.policy.withdrawal_days + 1) * DAY
    running.served.store.write(lambda connection: purge(connection, running.served))
    people = json.loads(exported(running)["manifest.json"])["people"]
    assert (people["withdrawn"], people["purged"], people["sessions"]) == (0, 1, 1)


def test_platform_ids_are_in_no_file_and_only_in_a_list_of_their_own(tmp_path: Path) -> None:
    folder = study_folder(tmp_path, platform='"prolific"', mode='"live"')
    with site(folder) as opened:
        for name in ("5f00secretid", "6a11otherid"):
            Person(opened, ids={"PROLIFIC_PID": name, "SESSION_ID": "77sessionid"}).complete()
        leaves = Person(opened, ids={"PROLIFIC_PID": "7b22leaverid"})
        leaves.complete()
        leaves.ask("POST", "withdraw")
        files = exported(opened, "csv", "jsonl", "parquet")
        for secret in (b"secretid", b"otherid", b"sessionid", b"leaverid"):
            assert not any(secret in content for content in files.values())
        with opened.served.store.read() as connection:
            linked = list_identities(connection, opened.served.study)
        aliases = {row["participant"] for row in rows(files, "sessions")}
        assert {line.split(",")[0] for line in linked[1:]} == aliases
        assert {line.split(",")[2] for line in linked[1:]} == {"5f00secretid", "6a11otherid"}


def test_modes_never_mix(tmp_path: Path) -> None:
    with site(study_folder(tmp_path, mode='"live"')) as opened:
        Person(opened).complete()
        trying = Person(opened)
        trying.enter(mode="debug")
        trying.agree()
        trying.open()
        trying.answer_all()
        with opened.served.store.read() as connection:
            study = opened.served.study
            sizes = {mode: len(collect(study, connection, mode).sittings) for mode in ("live", "debug", "pilot")}
    assert sizes == {"live": 1, "debug": 1, "pilot": 0}


def put_with(
    person: Person, index: int, *, times: dict[str, Any] | None = None, flags: list[str] | None = None
) -> None:
    body = person.body(index)
    body["times"] = {**body["times"], **(times or {})}
    body["flags"] = flags or []
    assert person.put(index, body=body).status_code == 201


def test_rules_of_the_study_mark_rows_and_drop_none(running: Site) -> None:
    person = Person(running).begin()
    steps = trial_steps(person)
    put_with(person, steps[0], flags=["hidden", "blur"])
    put_with(person, steps[1], times={"identification_ms": 199.9})
    put_with(person, steps[2], times={"identification_ms": 15000.1})
    put_with(person, steps[3], flags=["blur"])
    timeout = person.body(steps[4])
    timeout["answer"] = {**timeout["answer"], "outcome": "timeout", "entity": None}
    timeout["times"] = {"reading_ms": 800.0}
    assert person.put(steps[4], body=timeout).status_code == 201
    files = exported(running)
    marks = {int(r["step"]): (r["excluded"], r["reasons"]) for r in rows(files, "trials")}
    assert marks == {
        steps[0]: ("time", '["flag hidden"]'),
        steps[1]: ("identification", '["faster than 200 ms"]'),
        steps[2]: ("identification", '["slower than 15000 ms"]'),
        steps[3]: ("", ""),
        steps[4]: ("identification", '["timeout"]'),
    }
    assert len(rows(files, "excluded")) == 4


def test_people_with_few_trials_are_left_out_of_everything_but_stay_in_the_files(running: Site) -> None:
    person = Person(running).begin()
    put_with(person, trial_steps(person)[0])
    files = exported(running)
    (trial,) = rows(files, "trials")
    assert (trial["excluded"], trial["reasons"]) == ("all", '["fewer than 50% of the trials done"]')
    assert rows(files, "sessions")[0]["trials_done"] == "1"


def test_a_broken_off_trial_is_listed_and_its_second_attempt_counts(running: Site) -> None:
    person = Person(running).begin()
    index = trial_steps(person)[0]
    broken = {"index": index, "attempt": 1, "state": "aborted", "answer": {}, "times": {}, "flags": []}
    assert person.put(index, body=broken).status_code == 201
    assert person.put(index, attempt=2).status_code == 201
    files = exported(running)
    assert [(r["step"], r["attempt"]) for r in rows(files, "aborted")] == [(str(index), "1")]
    assert [(r["step"], r["attempt"]) for r in rows(files, "trials")] == [(str(index), "2")]


def test_a_correction_takes_the_place_of_the_answer_and_both_are_kept(running: Site) -> None:
    person = Person(running).begin()
    index = trial_steps(person)[0]
    uuid = "11111111-2222-4333-8444-555555555555"
    assert person.put(index, id=uuid, right=False).status_code == 201
    right = person.body(index)["answer"]
    note = {"trial": uuid, "author": "the organiser", "reason": "said so at once", "answer": right}
    assert running.organise("POST", "corrections", json=note).status_code == 201
    nonsense = {**note, "answer": {"outcome": "entity", "entity": "e99"}}
    assert running.organise("POST", "corrections", json=nonsense).status_code == 201
    files = exported(running)
    (trial,) = rows(files, "trials")
    assert (trial["correct"], trial["by_hand"]) == ("true", "true")
    assert "corrected, so its time is invalid" in trial["reasons"]
    applied, refused = rows(files, "corrections")
    assert json.loads(applied["before"])["entity"] != json.loads(applied["after"])["entity"]
    assert (applied["problem"], refused["problem"]) == ("", "answer.entity: no such object was shown")


def test_forms_are_apart_and_free_text_is_on_the_checklist(running: Site) -> None:
    person = Person(running).begin()
    said = {"comments": 'Nice, "really"\n=1+1'}
    for index in person.saved_steps:
        step = person.step(index)
        if step.plugin == "form":
            asked = {f.name for f in step.fields}
            fields = {k: v for k, v in said.items() if k in asked}
            if "age" in asked:
                fields["age"] = next(f for f in step.fields if f.name == "age").choices[0]
            body = {"index": index, "attempt": 1, "state": "done", "answer": {"fields": fields}, "times": {}}
            assert person.put(index, body=body).status_code == 201
    files = exported(running)
    assert [r["value"] for r in rows(files, "comments")] == [said["comments"]]
    assert [r["field"] for r in rows(files, "demographics")] == ["age"]
    assert "comments, column value: 1 entries" in files["CHECKLIST.md"].decode()
    assert b"really" not in files["trials.csv"]


def test_exporting_changes_nothing_in_the_store(running: Site) -> None:
    Person(running).complete()
    before = running.rows("SELECT count(*), max(updated) FROM session")
    from sqlalchemy import text
    from sqlalchemy.exc import OperationalError

    from referee_lab.study.data.collection import open_for_reading

    study = open_study(running.served.study.folder)
    with open_for_reading(study) as connection:
        assert collect(study, connection).answers
        with pytest.raises(OperationalError, match="readonly"):
            connection.execute(text("DELETE FROM audit"))
    assert running.rows("SELECT count(*), max(updated) FROM session") == before


def test_word_by_word_reading_has_a_row_per_word_with_the_word_before(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "study", "self-paced-reading", items=3, participants=3)
    simulate(study.folder, participants=1)
    collected = collect_from(study)
    found = rows(build_export(collected), "regions")
    assert len(found) == sum(len((a.asked.description.text or "").split()) for a in collected.trials if a.asked)
    for a in collected.trials:
        own = [r for r in found if r["step"] == str(a.step)]
        assert " ".join(r["text"] for r in own) == (a.asked and a.asked.description.text)
        assert [float(r["ms"]) for r in own] == a.times["regions_ms"]
        assert [r["ms_before"] for r in own] == ["", *(r["ms"] for r in own[:-1])]
    assert "regions.csv" not in build_export(replace(collected, study=replace(study, protocol="tuna2008")))


def test_paths_of_the_pointer_are_drawn_out_evenly_in_time(tmp_path: Path) -> None:
    """By hand: from (0, 0) at 0 ms by (2, 1) at 100 ms to (2, 2) at 200 ms; half of the time is the corner, a quarter half-way to it."""
    with site(study_folder(tmp_path, track="true", least_trials="0.0")) as opened:
        person = Person(opened).begin()
        index = trial_steps(person)[0]
        body = person.body(index)
        body["answer"] |= {"path_ms": [0.0, 100.0, 200.0], "path_x": [0.0, 2.0, 2.0], "path_y": [-0.5, 1.0, 2.0]}
        assert person.put(index, body=body).status_code == 201
        wrong = {**person.body(trial_steps(person)[1])}
        wrong["answer"] = {**wrong["answer"], "path_ms": [1.0], "path_x": []}
        assert person.put(trial_steps(person)[1], body=wrong).status_code == 422
        files = exported(opened)
    path = rows(files, "paths")
    assert len(path) == 101
    assert [(float(path[n]["ms"]), float(path[n]["x"]), float(path[n]["y"])) for n in (0, 25, 50, 100)] == [
        (0, 0, -0.5),
        (50, 1, 0.25),
        (100, 2, 1),
        (200, 2, 2),
    ]


def test_a_path_is_refused_where_none_was_asked_for(running: Site) -> None:
    person = Person(running).begin()
    body = person.body(trial_steps(person)[0])
    body["answer"] |= {"path_ms": [0.0], "path_x": [0.0], "path_y": [0.0]}
    assert person.put(trial_steps(person)[0], body=body).json()["where"] == "answer.path_ms"
