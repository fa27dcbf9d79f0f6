"""The seventeen data-safety rules, each as what a participant or a disk could do to the data."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import threading
import time
import uuid
import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import DatabaseError
from study_server import Clock, Person, Site, answer, change, site, study_folder

from referee.errors import InputError, MalformedInput
from referee_lab.server.sessions import outcomes
from referee_lab.server.sessions.served_study import open_served
from referee_lab.server.sessions.withdrawal import purge
from referee_lab.server.store.store import make_sqlite_url, open_store

DAY = 86_400.0


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("studies")


@pytest.fixture
def server(workshop: Path):
    with site(study_folder(workshop), Clock()) as opened:
        yield opened


def test_rule_01_a_trial_exists_once(server: Site) -> None:
    person = Person(server).begin()
    index, name = person.saved_steps[0], str(uuid.uuid4())
    body = person.body(index)
    first = person.put(index, id=name, body={**body, "sent_ms": 10.0})
    again = person.put(index, id=name, body={**body, "sent_ms": 99.5})
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    other = person.put(index, id=name, body=person.body(index, right=False))
    elsewhere = person.put(index, body=person.body(index, right=False))
    assert (other.status_code, elsewhere.status_code) == (409, 409)
    stored = server.rows("SELECT uuid, answer FROM trial")
    assert [(row.uuid, json.loads(row.answer)) for row in stored] == [(name, body["answer"])]
    assert len(server.rows("SELECT 1 FROM audit WHERE what = 'second-answer'")) == 2


def test_rule_01_nobody_can_take_the_name_of_someone_elses_trial(server: Site) -> None:
    mine, theirs = Person(server).begin(), Person(server).begin()
    name = str(uuid.uuid4())
    assert mine.put(mine.saved_steps[0], id=name).status_code == 201
    refused = theirs.put(theirs.saved_steps[0], id=name)
    assert (refused.status_code, refused.json()["uuid"]) == (409, None)
    assert server.rows("SELECT session FROM trial") == [(mine.session,)]


def test_rule_02_answers_are_never_changed_and_corrections_stand_beside_them(server: Site) -> None:
    person = Person(server).begin()
    name = str(uuid.uuid4())
    person.put(person.saved_steps[0], id=name)
    store = server.served.store
    for sql in ("UPDATE trial SET answer = '{}'", "DELETE FROM trial", "DELETE FROM consent"):
        with pytest.raises(Exception, match="storage"):
            store.write(lambda connection, sql=sql: connection.exec_driver_sql(sql))
    correction = {
        "trial": name,
        "author": "A. Operator",
        "reason": "mis-click, said so at once",
        "answer": {"entity": "e2"},
    }
    assert server.organise("POST", "corrections", json=correction).status_code == 201
    assert server.organise("POST", "corrections", json={**correction, "reason": ""}).status_code == 422
    assert server.rows("SELECT count(*) FROM trial") == [(1,)]
    assert server.rows("SELECT author, reason FROM correction") == [("A. Operator", "mis-click, said so at once")]


def test_rule_03_an_answer_is_acknowledged_only_when_it_is_stored_for_good(server: Site) -> None:
    person = Person(server).begin()
    assert person.plan["policy"]["unsaved_limit"] == 3
    path = server.served.study.folder / "data" / "study.sqlite"
    busy = sqlite3.connect(path, isolation_level=None)
    busy.execute("BEGIN IMMEDIATE")  # someone else is writing: nothing can be committed now
    seen_at_reply: list[int] = []

    def put() -> None:
        person.put(person.saved_steps[0])
        with closing(sqlite3.connect(path)) as other, other:
            seen_at_reply.append(other.execute("SELECT count(*) FROM trial").fetchone()[0])

    sending = threading.Thread(target=put)
    sending.start()
    time.sleep(0.3)
    assert seen_at_reply == []  # no reply yet
    busy.execute("ROLLBACK")
    busy.close()
    sending.join(timeout=60)
    assert seen_at_reply == [1]


def test_rule_04_a_beacon_helps_but_never_acknowledges(server: Site) -> None:
    person = Person(server).begin()
    index, name = person.saved_steps[0], str(uuid.uuid4())
    body = person.body(index)
    beacon = {"token": person.token, "tab": person.tab, "uuid": name, "trial": body}
    reply = server("POST", "api/beacon", json=beacon)
    assert (reply.status_code, reply.json()) == (202, {"received": True})
    assert person.put(index, id=name, body=body).status_code == 200
    assert server("POST", "api/beacon", json={**beacon, "token": "forged"}).status_code == 401


def test_rule_05_an_interrupted_trial_is_aborted_and_shown_again(server: Site) -> None:
    person = Person(server).begin()
    first, second = person.saved_steps[:2]
    broken = {"index": first, "attempt": 1, "state": "aborted", "answer": {}, "times": {}, "flags": []}
    assert person.put(first, body=broken).status_code == 201
    person.open()
    assert (person.plan["saved"], person.plan["attempts"]) == ([], {str(first): 2})
    wrong = person.put(first, attempt=1)
    assert (wrong.status_code, wrong.json()["problem"]) == (409, "already-answered")
    ahead = person.put(second, attempt=2)
    assert (ahead.status_code, ahead.json()["attempt"]) == (409, 1)
    assert person.put(first, attempt=2).status_code == 201
    assert person.put(first, attempt=3).status_code == 409
    assert server.rows("SELECT attempt, state FROM trial ORDER BY attempt") == [(1, "aborted"), (2, "done")]


def test_rule_05_a_study_may_skip_interrupted_trials(workshop: Path) -> None:
    with site(study_folder(workshop, aborted='"skip"'), Clock()) as server:
        person = Person(server).begin()
        first = person.saved_steps[0]
        broken = {"index": first, "attempt": 1, "state": "aborted", "answer": {}, "times": {}, "flags": []}
        assert person.put(first, body=broken).json()["count"] == 1
        person.open()
        assert person.plan["saved"] == [first]
        assert person.plan["position"] == first + 1


@pytest.mark.parametrize(
    ("policy", "away", "reply", "problem"),
    [
        ("resume", 23 * 3600.0, 200, None),
        ("resume", 25 * 3600.0, 409, "too-late"),
        ("restart", 3600.0, 200, None),
        ("restart", 25 * 3600.0, 409, "too-late"),
        ("block", 1.0, 409, "blocked"),
    ],
)
def test_rule_05_coming_back_is_a_policy_with_a_maximum_age(
    workshop: Path, policy: str, away: float, reply: int, problem: str | None
) -> None:
    clock = Clock()
    with site(study_folder(workshop, resume=f'"{policy}"'), clock) as server:
        person = Person(server).begin()
        person.put(person.saved_steps[0])
        before = person.session
        clock.now += away
        back = person.open()
        assert (back.status_code, back.json().get("problem")) == (reply, problem)
        if reply == 409:
            ending = person.enter()
            assert (ending["state"], ending["outcome"], ending["paid"]) == ("timed_out", "technical", True)
        elif policy == "restart":
            assert person.plan["saved"] == []
            assert person.session != before
            assert person.put(person.saved_steps[0]).status_code == 201
            assert server.rows("SELECT count(*) FROM trial") == [(2,)]
            assert server.rows("SELECT count(*) FROM list_slot WHERE state = 'reserved'") == [(1,)]
        else:
            assert person.plan["saved"] == person.saved_steps[:1]


def test_rule_06_one_running_session_and_the_second_tab_takes_it_over(server: Site) -> None:
    first = Person(server, {"label": "anna"}).begin()
    second = Person(server, {"label": "anna"})
    assert second.enter()["other_tab"] is True
    assert second.session == first.session
    assert second.open().json()["problem"] == "other-tab"
    assert second.ask("POST", "claim", json={"tab": second.tab}).status_code == 200
    assert second.open().status_code == 200
    refused = first.put(first.saved_steps[0])
    assert (refused.status_code, refused.json()["problem"]) == (409, "other-tab")
    assert second.put(second.saved_steps[0]).status_code == 201


def test_rule_07_back_button_and_double_click_change_nothing(server: Site) -> None:
    person = Person(server)
    person.enter()
    person.enter()
    assert server.rows("SELECT entered FROM arrival") == [(1,)]
    assert [person.agree().status_code for _ in range(3)] == [200, 200, 200]
    person.open()
    first = person.saved_steps[0]
    person.put(first)
    assert person.put(first).status_code == 409  # the page before, answered again
    person.open()
    assert person.plan["saved"] == [first]
    assert server.rows(
        "SELECT (SELECT count(*) FROM session), (SELECT count(*) FROM consent), (SELECT count(*) FROM trial)"
    ) == [(1, 1, 1)]


def test_rule_08_slots_are_reserved_filled_and_freed(workshop: Path) -> None:
    clock = Clock()
    with site(study_folder(workshop, mode='"live"'), clock) as server:
        finished = Person(server)
        finished.complete()
        gone, silent = Person(server).begin(), Person(server).begin()
        gone.ask("POST", "withdraw")
        states = "SELECT list, state FROM list_slot WHERE mode = 'live' ORDER BY id"
        assert server.rows(states) == [
            ("L01", "filled"), ("L02", "free"), ("L03", "reserved"), ("L01", "free"), ("L02", "free"), ("L03", "free"),
        ]  # fmt: skip
        more = [Person(server).begin() for _ in range(4)]
        assert [person.session for person in more]
        full = Person(server)
        full.enter()
        assert (full.agree().status_code, full.agree().json()["problem"]) == (409, "full")
        clock.now += 91 * 60
        assert full.agree().status_code == 200  # a silent person's place
        back = silent.open()
        assert back.status_code == 200 or back.json()["problem"] == "too-late"
        held = server.rows(
            "SELECT count(*), count(DISTINCT session) FROM list_slot WHERE mode = 'live' AND state <> 'free'"
        )
        assert held[0][0] == held[0][1] <= 6


def test_rule_08_the_list_that_fewest_people_have_comes_first(workshop: Path) -> None:
    with site(study_folder(workshop, mode='"live"'), Clock()) as server:
        people = [Person(server).begin() for _ in range(6)]
        lists = [server.rows("SELECT list FROM session WHERE id = :id", id=person.session)[0][0] for person in people]
        assert lists == ["L01", "L02", "L03", "L01", "L02", "L03"]
        people[4].ask("POST", "withdraw")
        late = Person(server).begin()
        assert server.rows("SELECT list FROM session WHERE id = :id", id=late.session) == [("L02",)]


def test_rule_08_modes_never_mix(workshop: Path) -> None:
    with site(study_folder(workshop, mode='"live"', platform='"prolific"'), Clock()) as server:
        trying = Person(server, {"PROLIFIC_PID": "abc"})
        trying.enter(mode="debug")
        trying.agree()
        trying.open()
        trying.answer_all()
        assert trying.ask("POST", "finish").json()["code"].startswith("DEBUG-")
        real = Person(server, {"PROLIFIC_PID": "abc"})
        assert real.enter()["state"] == "entered"  # trying it out did not use up the person
        progress = server.organise("GET", "progress").json()
        assert (progress["states"], progress["trials"]) == ({}, 0)
        assert all(row["free"] == 2 for row in progress["lists"])


def test_rule_09_no_answer_without_consent_to_the_current_text(workshop: Path) -> None:
    folder = study_folder(workshop, mode='"live"')
    clock = Clock()
    with site(folder, clock) as server:
        person = Person(server)
        person.enter()
        for method, path in (("GET", "plan"), ("PUT", f"trials/{uuid.uuid4()}"), ("POST", "finish")):
            body = {"index": 2, "attempt": 1, "state": "done", "answer": {}}
            refused = person.ask(method, path, json=body if method == "PUT" else None)
            assert (refused.status_code, refused.json()["problem"]) == (403, "consent-first")
        stale = person.ask("POST", "consent", json={"agree": True, "hash": "0" * 64})
        assert (stale.status_code, stale.json()["problem"]) == (409, "consent-changed")
        person.begin()
        person.put(person.saved_steps[0])
    consent = folder / "texts" / "en" / "consent.md"
    consent.write_text(consent.read_text("utf-8") + "\nWe also ask for your age.\n", "utf-8")
    with pytest.raises(InputError, match="changed after 1 people took part"):
        open_served(folder, clock=clock)
    with site(folder, clock, accept_changes=True) as server:
        person.site = server
        refused = person.put(person.saved_steps[1])
        assert (refused.status_code, refused.json()["problem"]) == (403, "consent-again")
        assert person.open().status_code == 403
        person.enter()
        person.agree()
        person.open()
        assert person.plan["saved"] == person.saved_steps[:1]  # only a text was changed: the session goes on
        assert person.put(person.saved_steps[1]).status_code == 201
        assert len(server.rows("SELECT DISTINCT text_hash FROM consent")) == 2


def test_rule_09_refusal_leaves_a_count_and_nothing_else(server: Site) -> None:
    person = Person(server, {"label": "somebody"})
    person.enter()
    said = [person.agree(False).json() for _ in range(2)]
    assert said[0] == said[1]
    assert (said[0]["outcome"], said[0]["paid"]) == ("declined", False)
    assert server.rows("SELECT entered, declined FROM arrival") == [(1, 1)]
    for table in ("participant", "identity", "session", "consent", "trial", "audit"):
        assert server.rows(f"SELECT count(*) FROM {table}") == [(0,)]
    assert server.rows("SELECT count(*) FROM list_slot WHERE state <> 'free'") == [(0,)]


def test_rule_10_the_code_comes_from_the_server_after_the_count(workshop: Path) -> None:
    folder = study_folder(workshop, mode='"live"', platform='"prolific"', completed='"C1X2Y3"')
    with site(folder, Clock()) as server:
        person = Person(server, {"PROLIFIC_PID": "5f1", "STUDY_ID": "s", "SESSION_ID": "x"}).begin()
        for index in person.saved_steps[:-1]:
            person.put(index)
        early = person.ask("POST", "finish")
        assert (early.status_code, early.json()["missing"]) == (409, person.saved_steps[-1:])
        assert "C1X2Y3" not in early.text
        person.put(person.saved_steps[-1])
        said = person.ask("POST", "finish").json()
        assert (said["state"], said["code"]) == ("coded", "C1X2Y3")
        assert said["redirect"] == "https://app.prolific.com/submissions/complete?cc=C1X2Y3"
        again = Person(server, {"PROLIFIC_PID": "5f1"}).enter()
        assert {name: again[name] for name in ("state", "code", "redirect")} == {
            name: said[name] for name in ("state", "code", "redirect")
        }


def test_rule_10_each_outcome_has_its_own_code(workshop: Path) -> None:
    with site(study_folder(workshop, mode='"live"', platform='"prolific"'), Clock()) as server:
        keys = server.served
        from referee_lab.server.sessions.outcomes import get_completion_code

        outcomes = ("completed", "declined", "screened_out", "failed_check", "partner_left", "technical")
        codes = [get_completion_code(keys, outcome, "live") for outcome in outcomes]
        assert len(set(codes)) == 6
        assert codes == [get_completion_code(keys, outcome, "live", "some session") for outcome in outcomes]


def test_rule_10_mechanical_turk_gets_its_form_and_only_its_own_hosts(workshop: Path) -> None:
    with site(study_folder(workshop, mode='"live"', platform='"mturk"'), Clock()) as server:
        ids = {"workerId": "W1", "assignmentId": "A1", "hitId": "H1", "turkSubmitTo": "https://workersandbox.mturk.com"}
        preview = Person(server, {**ids, "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"})
        assert (
            server("POST", "api/enter", json={"platform": preview.ids, "tab": preview.tab}).json()["state"] == "preview"
        )
        said = Person(server, ids).complete()
        assert said["form"]["action"] == "https://workersandbox.mturk.com/mturk/externalSubmit"
        assert said["form"]["fields"] == {"assignmentId": "A1", "code": said["code"]}
        bad = {**ids, "workerId": "W2", "turkSubmitTo": "https://mturk.com.evil.example"}
        assert "form" not in Person(server, bad).complete()


def test_rule_11_withdrawal_excludes_at_once_and_deletes_later(server: Site) -> None:
    clock = server.served.clock
    assert isinstance(clock, Clock)
    leaver, stayer = Person(server, {"label": "secret-name"}), Person(server)
    code = leaver.complete()["withdrawal_code"]
    stayer.complete()
    unknown = server("POST", "api/withdraw-by-code", json={"code": "AAAA-BBBB-CCCC"})
    assert unknown.status_code == 404
    assert server("POST", "api/withdraw-by-code", json={"code": code.lower().replace("-", " ")}).status_code == 200
    assert leaver.put(leaver.saved_steps[0]).json()["problem"] == "withdrawn"
    assert server.organise("GET", "progress").json()["trials"] == len(stayer.saved_steps)
    write = server.served.store.write
    assert write(lambda c: purge(c, server.served)) == {"sessions": 0, "trials": 0, "events": 0}
    clock.now += 14 * DAY + 1
    gone = write(lambda c: purge(c, server.served))
    assert gone == {"sessions": 1, "trials": len(leaver.saved_steps), "events": 0}
    assert server.rows("SELECT sessions, trials, events FROM tombstone") == [(1, gone["trials"], 0)]
    assert server.rows("SELECT count(*) FROM trial") == [(len(stayer.saved_steps),)]
    server.served.store.wipe_log()
    left = b"".join(path.read_bytes() for path in (server.served.study.folder / "data").glob("study.sqlite*"))
    assert b"secret-name" not in left
    assert leaver.session.encode() not in left


def test_rule_11_anyone_can_leave_at_any_time_from_any_window(server: Site) -> None:
    person = Person(server, {"label": "anna"}).begin()
    other = Person(server, {"label": "anna"})
    other.enter()
    assert other.ask("POST", "withdraw").json() == {"state": "withdrawn", "deleted_in_days": 14}
    assert person.put(person.saved_steps[0]).status_code == 403
    assert Person(server, {"label": "anna"}).enter()["state"] == "withdrawn"
    alias = server.organise("GET", "participants").json()["participants"][0]["alias"]
    assert server.organise("POST", f"withdraw/{alias}").status_code == 200


def test_rule_12_external_ids_are_in_one_table_only_and_addresses_in_none(workshop: Path) -> None:
    with site(study_folder(workshop, mode='"live"', platform='"prolific"'), Clock()) as server:
        person = Person(server, {"PROLIFIC_PID": "5f1e9a77deadbeef", "SESSION_ID": "submission-9c"})
        person.ask("POST", "enter", json={"platform": person.ids, "tab": person.tab})
        person.complete()
        names = [row[0] for row in server.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
        holding = {
            name for name in names if "5f1e9a77deadbeef" in str(server.rows(f"SELECT * FROM {name}"))
            or "submission-9c" in str(server.rows(f"SELECT * FROM {name}"))
        }  # fmt: skip
        assert holding == {"identity"}
        assert "127.0.0.1" not in "".join(str(server.rows(f"SELECT * FROM {name}")) for name in names)
        shown = "".join(server.organise("GET", path).text for path in ("progress", "participants", "quality"))
        assert "5f1e9a77deadbeef" not in shown


def test_rule_13_what_is_stored_is_the_same_text_for_the_same_answer(server: Site) -> None:
    person = Person(server).begin()
    one = person.saved_steps[0]
    body = person.body(one)
    backwards = {key: body["answer"][key] for key in reversed(list(body["answer"]))}
    person.put(one, body={**body, "answer": backwards})
    (stored,) = server.rows("SELECT answer, times FROM trial")
    assert stored.answer == json.dumps(body["answer"], sort_keys=True, separators=(",", ":"))
    assert json.loads(stored.times)["reading_ms"] == 812.4000000000001  # raw floats, not rounded


def test_rule_13_exports_are_the_same_each_time_and_leave_out_who_withdrew(server: Site) -> None:
    leaver, stayer = Person(server), Person(server)
    leaver.complete()
    stayer.complete()
    once, again = (server.organise("GET", "export.zip") for _ in range(2))
    assert (once.status_code, once.content == again.content) == (200, True)
    aliases = {row["alias"] for row in server.organise("GET", "participants").json()["participants"]}
    assert all(alias in _unzipped(once.content) for alias in aliases)
    leaver.ask("POST", "withdraw")
    left = _unzipped(server.organise("GET", "export.zip").content)
    assert sorted(alias in left for alias in aliases) == [False, True]


def _unzipped(content: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        return "".join(files.read(name).decode("utf-8", "replace") for name in files.namelist())


def test_rule_14_a_server_starts_on_its_store_or_not_at_all(workshop: Path) -> None:
    folder = study_folder(workshop)
    with site(folder, Clock()) as server:
        person = Person(server).begin()
        person.put(person.saved_steps[0])
    with site(folder, Clock()) as server:
        assert server.rows("SELECT count(*) FROM trial") == [(1,)]
    store = folder / "data" / "study.sqlite"
    with pytest.raises(InputError, match="belongs to the study 'demo', not to 'other'"):
        open_store(make_sqlite_url(store), "other")
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(InputError, match="newer release"):
        open_served(folder)
    shutil.copy(store, folder / "kept")
    for content, said in ((b"", "empty file"), (b"not a database at all" * 100, "does not answer")):
        store.write_bytes(content)
        for suffix in ("-wal", "-shm"):
            store.with_name(store.name + suffix).unlink(missing_ok=True)
        with pytest.raises(InputError, match=said):
            open_served(folder)
        assert store.read_bytes() == content
    store.unlink()
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("CREATE TABLE shopping (item)")
    with pytest.raises(MalformedInput, match="other tables"):
        open_served(folder)


def test_rule_15_looking_cannot_write(server: Site) -> None:
    with server.served.store.read() as connection, pytest.raises(DatabaseError, match=r"readonly|read-only"):
        connection.exec_driver_sql("INSERT INTO tombstone VALUES (1, 1, 'demo', 'debug', 1, 1, 1)")


def test_rule_16_people_with_bad_connections_fill_every_list(workshop: Path) -> None:
    """Loss, duplication, reordering, reloads, a second tab and clocks that are wrong, for as many people as are planned."""
    from random import Random

    rng = Random(7)
    clock = Clock()
    with site(study_folder(workshop, mode='"live"'), clock) as server:
        for _ in range(6):
            person = Person(server).begin()
            waiting = [(index, str(uuid.uuid4())) for index in person.saved_steps]
            while waiting:
                clock.now += rng.choice([3.0, 40.0, -120.0])
                index, name = waiting[min(rng.randrange(3), len(waiting) - 1)]
                event = rng.random()
                if event < 0.1:
                    person.tab = str(uuid.uuid4())  # another window, or a reload that lost its memory
                    person.ask("POST", "claim", json={"tab": person.tab})
                    assert person.open().status_code == 200
                reply = person.put(index, id=name)
                assert reply.status_code in (200, 201), reply.text
                if event > 0.4:  # the acknowledgement arrived
                    waiting.remove((index, name))
            assert person.ask("POST", "finish").json()["state"] == "coded"
        assert server.organise("GET", "progress").json()["lists"] == [
            {"list": name, "filled": 2, "reserved": 0, "free": 0} for name in ("L01", "L02", "L03")
        ]
        assert server.rows("SELECT count(*) FROM trial") == [(6 * len(person.saved_steps),)]


def test_rule_17_pay_is_decided_from_what_is_stored(workshop: Path) -> None:
    folder = study_folder(workshop, mode='"live"', platform='"link"', checks_failed_at_most="0")
    clock = Clock()
    with site(folder, clock) as server:
        careless = Person(server, {"label": "1"}).begin()
        for index in careless.saved_steps:
            careless.put(index, right=careless.step(index).kind != "check")
        ending = careless.ask("POST", "finish").json()
        assert (ending["outcome"], ending["state"], ending["paid"]) == ("failed_check", "screened_out", False)
        clock.now += 60
        unlucky = Person(server, {"label": "2"}).begin()
        alias = server.organise("GET", "participants").json()["participants"][0]["alias"]
        ended = server.organise("POST", f"end/{alias}", json={"outcome": "technical", "reason": "power cut"})
        assert ended.json()["state"] == "timed_out"
        assert Person(server, {"label": "2"}).enter()["paid"] is True
        liar = Person(server, {"label": "3"}).begin()
        reply = liar.ask("POST", "finish", json={"state": "coded", "outcome": "technical"})
        assert reply.json()["problem"] == "missing"
        left = liar.ask("POST", "screen-out", json={"reason": "too young"}).json()
        assert (left["outcome"], left["paid"]) == ("screened_out", False)
        assert unlucky.session != liar.session


def test_a_changed_study_ends_running_sessions_with_pay(workshop: Path) -> None:
    folder = study_folder(workshop, mode='"live"')
    with site(folder, Clock()) as server:
        person = Person(server).begin()
        person.put(person.saved_steps[0])
    change(folder, timeout_ms="9000")
    with site(folder, Clock(), accept_changes=True) as server:
        person.site = server
        assert person.open().json()["problem"] == "study-changed"
        assert person.enter()["outcome"] == "technical"


def test_answers_of_the_wrong_shape_are_refused_by_name(server: Site) -> None:
    person = Person(server).begin()
    index = person.saved_steps[0]
    good = answer(person.step(index))
    for wrong, where in (
        ({**good, "answer": {**good["answer"], "entity": "e99"}}, "answer.entity"),
        ({**good, "times": {}}, "times.reading_ms"),
        ({**good, "times": {**good["times"], "reading_ms": "fast"}}, "times"),
    ):
        reply = person.put(index, body={"index": index, "attempt": 1, "state": "done", **wrong})
        assert (reply.status_code, reply.json()["problem"]) == (422, "malformed")
        assert where in reply.json()["where"]
    assert person.put(index, body={**person.body(index), "index": 0}).json()["problem"] == "no-such-step"
    assert server.rows("SELECT count(*) FROM trial") == [(0,)]


@pytest.mark.parametrize("claimed", [1.0, 900.0])
def test_a_session_of_a_tenth_of_a_second_is_reviewed_and_not_analysed(claimed: float, workshop: Path) -> None:
    from referee_lab.study.data.collection import collect

    folder = study_folder(workshop, mode='"live"')
    clock = Clock()
    with site(folder, clock) as server:
        robot = Person(server).begin()
        for index in robot.saved_steps:
            body = robot.body(index)
            if body["times"]:
                body["times"] = {**body["times"], "reading_ms": claimed, "identification_ms": claimed}
            now = clock.now
            assert robot.put(index, body=body, right=False).status_code == 201
            clock.now = now + 0.005
        ending = robot.ask("POST", "finish").json()
        assert (ending["outcome"], ending["state"], ending["paid"]) == ("too_fast", "screened_out", False)
        completed = outcomes.get_completion_code(server.served, "completed", "live", robot.session)
        assert ending["code"] not in ("", None, completed)
        assert Person(server).complete()["outcome"] == "completed", "a person takes seconds"
        with server.served.store.read() as connection:
            collected = collect(server.served.study, connection, "live")
        left = {a.sitting.outcome for a in collected.trials if a.counts_for("")}
        assert left == {"completed"}, "neither times nor errors of the fast session count"
    assert "less than 0.3 seconds" in server.served.study.texts["consent"]


def test_another_release_ends_no_session_whose_answers_fit_its_plan(
    workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawings and parameters may change with a release; what was asked and answered did not."""
    from referee_lab.server.sessions import plan as plans

    folder = study_folder(workshop, mode='"live"')
    with site(folder, Clock()) as server:
        person = Person(server).begin()
        for index in person.saved_steps[:3]:
            person.put(index)
    made = plans._make_stimulus_step

    def changed(study: Any, stimulus: Any, kind: str, rng: Any) -> Any:
        step = made(study, stimulus, kind, rng)
        return {**step, "shown": replace(step["shown"], parameters={**step["shown"].parameters, "new": "parameter"})}

    monkeypatch.setattr(plans, "_make_stimulus_step", changed)
    with site(folder, Clock()) as server:
        person.site = server
        assert person.open().status_code == 200
        assert len(person.plan["saved"]) == 3


def test_a_release_that_orders_trials_otherwise_refuses_before_anybody_is_cut_off(
    workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from referee_lab.server.sessions import plan as plans

    folder = study_folder(workshop, mode='"live"')
    with site(folder, Clock()) as server:
        person = Person(server).begin()
        for index in person.saved_steps[:4]:
            person.put(index)
    made = plans._order_stimuli
    monkeypatch.setattr(plans, "_order_stimuli", lambda *given: ((back := made(*given))[0][::-1], back[1]))
    monkeypatch.setattr(plans, "_make_practice", lambda *given: iter(()))
    with pytest.raises(InputError, match="1 sessions under way were begun by another release"):
        open_served(folder, clock=Clock())
    with site(folder, Clock(), accept_changes=True) as server:
        person.site = server
        assert person.open().json()["problem"] == "study-changed"
