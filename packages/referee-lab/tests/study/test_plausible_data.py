"""Answers that are no valid data are marked: shown again, too fast to have been read, claimed in less time than had passed, timed out on one measure."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from random import Random

import polars as pl
import pytest
from study_server import Clock, Person, Site, site, study_folder

from referee.cli import main
from referee_lab.server.sessions.steady_clock import SteadyClock
from referee_lab.server.store.keys import load_keys
from referee_lab.study.analysis.answer_table import build_hearing_frame
from referee_lab.study.analysis.registered_tests import analyse
from referee_lab.study.analysis.tuna2008_tables import build_challenge_tables
from referee_lab.study.data.collection import collect
from referee_lab.study.data.dataset import ALL, IDENTIFYING, READING, TIME, Dataset


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Site]:
    with site(study_folder(tmp_path, least_trials="0.0")) as opened:
        yield opened


def collected_from(opened: Site) -> Dataset:
    with opened.served.store.read() as connection:
        return collect(opened.served.study, connection)


def trial_steps(person: Person) -> list[int]:
    return [i for i in person.saved_steps if person.step(i).kind == "trial"]


def scopes(collected: Dataset) -> dict[int, set[str]]:
    return {a.step: {mark.scope for mark in a.marks} for a in collected.trials}


def again(person: Person, step: int) -> None:
    """Broken off, and answered the second time."""
    broken = {**person.body(step), "state": "aborted", "answer": {}, "times": {}}
    assert person.put(step, body=broken).status_code == 201
    assert person.put(step, attempt=2).status_code == 201


def test_a_trial_shown_again_keeps_its_error_and_loses_its_time(running: Site) -> None:
    person = Person(running).begin()
    first, second = trial_steps(person)[:2]
    person.put(first)
    again(person, second)
    collected = collected_from(running)
    assert scopes(collected) == {first: set(), second: {TIME}}
    frame = build_hearing_frame(collected)
    assert frame["error"].null_count() == 0
    assert frame["identification_ms"].null_count() == frame["reading_ms"].null_count() == 1
    assert any("1 shown again after it was broken off (time)" in said for said in analyse(collected).remarks)


@pytest.mark.parametrize(("rule", "scope"), [("any", set()), ("none", {ALL})])
def test_the_rule_for_attempts_is_registered(tmp_path: Path, rule: str, scope: set[str]) -> None:
    with site(study_folder(tmp_path, least_trials="0.0", attempts=f'"{rule}"')) as opened:
        person = Person(opened).begin()
        again(person, trial_steps(person)[0])
        assert scopes(collected_from(opened)) == {trial_steps(person)[0]: scope}


def test_each_measure_loses_its_own_timeouts(running: Site) -> None:
    """As printed for TUNA 2008: of 1,440 trials 4 timed out in reading and 7 in identification, and N is 1,436 and 1,433."""
    person = Person(running).begin()
    unread, unfound, fine = trial_steps(person)[:3]
    body = person.body(unread)
    body["answer"]["reading_timeout"] = True
    body["times"] = {"identification_ms": 900.0, "combined_ms": 15900.0}
    assert person.put(unread, body=body).status_code == 201
    body = person.body(unfound)
    body["answer"] |= {"outcome": "timeout", "entity": None}
    body["times"] = {"reading_ms": 800.0}
    assert person.put(unfound, body=body).status_code == 201
    assert person.put(fine).status_code == 201
    collected = collected_from(running)
    assert scopes(collected) == {unread: {READING}, unfound: {IDENTIFYING}, fine: set()}
    for raw in (True, False):
        frame = build_hearing_frame(collected, raw=raw)
        assert sorted(frame["reading_ms"].drop_nulls().to_list()) == pytest.approx([800.0, 812.4])
        assert sorted(frame["identification_ms"].drop_nulls().to_list()) == pytest.approx([900.0, 1203.7])
        assert frame["combined_ms"].drop_nulls().len() == 1
    notes = " ".join(note for sheet in analyse(collected, "tuna2008").sheets for note in sheet.notes)
    assert "N = 2 for RT, 2 for IT, of 3 answers." in notes


def test_one_way_in_the_style_of_2007() -> None:
    """Belz & Gatt (2008) print F(14, 2249) for 15 systems: SYSTEM is the only factor, so k - 1 and N - k, and N is 2,264."""
    rng = Random(1)
    rows = [
        {"system": f"s{n % 15:02}", "domain": ("furniture", "people")[n % 2], "error": float(n % 11 == 0)}
        | dict.fromkeys(("reading_ms", "identification_ms", "combined_ms"), 1000 + 500 * rng.random())
        for n in range(2264)
    ]
    sheets, _ = build_challenge_tables(pl.DataFrame(rows), pl.DataFrame(rows), study="s", style="asgre2007")
    assert sheets[0].name == "asgre2007-means-as-printed"
    notes = " ".join(sheets[0].notes)
    assert "RT: SYSTEM F(14, 2249)" in notes
    assert "IT: SYSTEM F(14, 2249)" in notes
    assert "ENTITY TYPE" not in notes
    assert "outliers" not in notes


@pytest.mark.parametrize(("ms", "reason"), [(149.9, "read faster than 150 ms"), (15000.1, "read slower than 15000 ms")])
def test_reading_has_bounds_of_its_own(running: Site, ms: float, reason: str) -> None:
    person = Person(running).begin()
    body = person.body(trial_steps(person)[0])
    body["times"]["reading_ms"] = ms
    person.put(trial_steps(person)[0], body=body)
    ((mark,),) = (a.marks for a in collected_from(running).trials)
    assert (mark.scope, mark.reason) == (READING, reason)
    frame = build_hearing_frame(collected_from(running))
    assert frame["reading_ms"].to_list() == [None]
    assert frame["identification_ms"].to_list() == pytest.approx([1203.7])


@pytest.mark.parametrize(("rule", "scope"), [("all", {ALL}), ("time", {TIME}), ("keep", set())])
def test_answers_that_claim_more_time_than_passed_are_flagged(tmp_path: Path, rule: str, scope: set[str]) -> None:
    """A script that sends a whole session in no time: every answer claims two seconds, and none had passed."""
    clock = Clock()
    with site(
        study_folder(tmp_path, least_trials="0.0", fastest_trial_s="0.0", impossible=f'"{rule}"'), clock
    ) as opened:
        person = Person(opened).begin()
        for index in person.saved_steps:
            body = person.body(index)
            assert person.ask("PUT", f"trials/{name(index)}", json=body).status_code == 201
        collected = collected_from(opened)
    flagged = [a for a in collected.trials if "impossible-time" in a.flags]
    assert len(flagged) == len(collected.trials)
    assert all({m.scope for m in a.marks} == scope for a in flagged)


def test_answers_that_a_dead_network_held_back_are_no_problem(tmp_path: Path) -> None:
    clock = Clock()
    with site(study_folder(tmp_path, least_trials="0.0"), clock) as opened:
        person = Person(opened).begin()
        clock.now += 3600
        for index in person.saved_steps:
            assert person.ask("PUT", f"trials/{name(index)}", json=person.body(index)).status_code == 201
        assert not any("impossible-time" in a.flags for a in collected_from(opened).trials)


def name(index: int) -> str:
    return f"00000000-0000-4000-8000-{index:012d}"


# -- clocks ----------------------------------------------------------------------------------------------------------------


def test_the_servers_clock_goes_by_ticks() -> None:
    wall, tick = [1000.0], [50.0]
    clock = SteadyClock(wall=lambda: wall[0], tick=lambda: tick[0])
    wall[0], tick[0] = -5000.0, 60.0
    assert clock() == 1010.0
    # After a restart under a clock that was set back, time goes on from the newest row; a store of the far future is not believed.
    assert SteadyClock(newest=1300.0, wall=lambda: 1000.0, tick=lambda: 0.0)() == 1300.0
    assert SteadyClock(newest=9e9, wall=lambda: 1000.0, tick=lambda: 0.0)() == 1000.0


@pytest.mark.parametrize("ids", [{}, {"PROLIFIC_PID": "5f1a"}])
def test_a_clock_that_steps_back_ends_no_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ids: dict[str, str]
) -> None:
    platform = '"prolific"' if ids else '"none"'
    clock = Clock()
    with site(study_folder(tmp_path, platform=platform, mode='"live"'), clock) as opened:
        person = Person(opened, ids=ids).begin()
        first, *rest = person.saved_steps
        assert person.put(first).status_code == 201
        clock.now -= 7200
        import time

        now = time.time
        monkeypatch.setattr(time, "time", lambda: now() - 7200)
        assert person.put(rest[0]).status_code == 201
        assert person.open().status_code == 200
        assert Person(opened, ids=ids, token=person.token, tab=person.tab).enter()["state"] == "running"


def test_a_token_of_the_future_is_good_and_an_old_one_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    keys = load_keys(tmp_path / "keys.toml")
    token = keys.sign("study", {"id": "x"})
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 86_400)
    assert keys.read("study", token) == {"id": "x"}


def test_simulated_people_move_their_pointer_where_paths_are_stored(tmp_path: Path) -> None:
    folder = study_folder(tmp_path, track="true")
    assert main(["study", "simulate", str(folder), "--participants", "2"]) == 0
    assert main(["study", "export", str(folder), "--out", str(tmp_path / "out"), "--mode", "debug"]) == 0
    with (tmp_path / "out" / "paths.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with (tmp_path / "out" / "trials.csv").open(encoding="utf-8", newline="") as file:
        trials = [row for row in csv.DictReader(file) if row["kind"] == "trial" and row["outcome"] == "entity"]
    # 101 points for every trial that was answered with an object, evenly in time, ending with the answer.
    assert len(rows) == 101 * len(trials) > 0
    assert float(rows[0]["ms"]) == 0.0
    assert float(rows[100]["ms"]) == pytest.approx(float(trials[0]["identification_ms"]), abs=1e-3)
