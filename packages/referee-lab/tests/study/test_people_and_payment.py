"""Who may come in and how they are told, links that nobody can invent, trying out, withdrawing by code, and who is owed what."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
from study_server import Clock, Person, Site, change, site, study_folder

from referee.cli import main
from referee.errors import InputError
from referee_lab.server.sessions.doors import Doors, parse_time, read_doors, set_doors
from referee_lab.server.sessions.lab_links import link_query, make_labels
from referee_lab.server.web.middleware import Limits, Rate
from referee_lab.study.data import prolific
from referee_lab.study.data.payment import Owed, list_payments, write_payment_file
from referee_lab.study.design.shown_scenes import prove_checks
from referee_lab.study.design.text_claims import find_false_claims
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.study import open_study
from referee_lab.study.texts import LANGUAGES

LIVE = {"mode": '"live"'}
CHROME = "Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 Chrome/130.0 Safari/537.36"


def refused(person: Person, **more: object) -> tuple[int, str]:
    reply = person.ask("POST", "enter", json={"platform": person.ids, "tab": person.tab, **more})
    return reply.status_code, reply.json().get("problem", "")


# -- doors -----------------------------------------------------------------------------------------------------------------


def test_doors_are_open_closed_or_open_between_two_times(tmp_path: Path) -> None:
    assert read_doors(tmp_path).are_open(0.0)
    set_doors(tmp_path, Doors(opens=parse_time("2026-11-20T09:00+00:00"), closes=parse_time("2026-11-21T09:00+00:00")))
    doors = read_doors(tmp_path)
    noon = parse_time("2026-11-20T12:00+00:00")
    assert [doors.are_open(noon + days * 86_400) for days in (-1, 0, 1)] == [False, True, False]
    assert doors.said() == "open from 2026-11-20 09:00 UTC until 2026-11-21 09:00 UTC"
    with pytest.raises(InputError, match="close before it opens"):
        set_doors(tmp_path, Doors(opens=2.0, closes=1.0))
    with pytest.raises(InputError, match="not a time"):
        parse_time("next week")


def test_who_comes_to_a_closed_study_gets_the_platforms_code_and_who_is_in_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = study_folder(tmp_path, **LIVE, platform='"prolific"', closed='"CLOSED1"')
    with site(folder, Clock()) as opened:
        inside = Person(opened, {"PROLIFIC_PID": "aa"}).begin()
        assert main(["study", "close", str(folder)]) == 0
        assert "closed: no enrolment" in capsys.readouterr().out
        late = Person(opened, {"PROLIFIC_PID": "bb"})
        reply = late.ask("POST", "enter", json={"platform": late.ids, "tab": late.tab})
        said = reply.json()
        assert (reply.status_code, said["problem"], said["code"]) == (409, "closed", "CLOSED1")
        assert said["redirect"].endswith("cc=CLOSED1")
        assert inside.put(inside.saved_steps[0]).status_code == 201
        assert main(["study", "open", str(folder)]) == 0
        assert refused(late)[0] == 200
        assert main(["study", "schedule", str(folder), "--opens", "2099-01-01"]) == 0
        assert refused(Person(opened, {"PROLIFIC_PID": "cc"})) == (409, "closed")


def test_who_comes_when_all_places_are_taken_is_told_at_once_and_with_a_code(tmp_path: Path) -> None:
    with site(study_folder(tmp_path, **LIVE, platform='"prolific"', full='"FULL1"'), Clock()) as opened:
        for n in range(6):
            Person(opened, {"PROLIFIC_PID": f"a{n}"}).begin()
        late = Person(opened, {"PROLIFIC_PID": "b"})
        assert late.enter()["full"]["code"] == "FULL1"
        reply = late.agree()
        assert (reply.status_code, reply.json()["problem"], reply.json()["code"]) == (409, "full", "FULL1")
        assert opened.rows("SELECT count(*) FROM participant") == [(6,)]


@pytest.mark.parametrize(
    ("device", "agent", "let_in"),
    [
        ({"width": 1280, "height": 800, "coarse": False}, CHROME, True),
        ({"width": 390, "height": 844, "coarse": True}, CHROME, False),
        ({"width": 820, "height": 1180, "coarse": True}, CHROME, False),
        ({"width": 700, "height": 800, "coarse": False}, CHROME, False),
        ({"width": 1280, "height": 800, "coarse": False}, "Mozilla/5.0 Gecko/20100101 Firefox/133.0", False),
    ],
)
def test_devices_and_browsers_that_the_study_cannot_take_are_turned_away(
    tmp_path: Path, device: dict[str, object], agent: str, let_in: bool
) -> None:
    rules = {"devices": '["computer"]', "least_width": "800", "browsers": '["chrome"]', "screened_out": '"NO1"'}
    with site(study_folder(tmp_path, **LIVE, **rules), Clock()) as opened:
        body = {"platform": {}, "tab": "tab-tab-tab", "device": device}
        reply = opened("POST", "api/enter", json=body, headers={"User-Agent": agent})
        if let_in:
            assert reply.status_code == 200
        else:
            assert (reply.status_code, reply.json()["problem"], reply.json()["code"]) == (409, "device", "NO1")
            assert opened.rows("SELECT count(*) FROM arrival") == [(0,)]


# -- eligibility -----------------------------------------------------------------------------------------------------------

QUESTIONS = """
[[field]]
name = "english"
question = "Is English your first language?"
kind = "choice"
choices = ["yes", "no"]
eligible = ["yes"]
required = true
"""


def test_an_answer_that_says_no_ends_the_session_with_its_code(tmp_path: Path) -> None:
    folder = study_folder(tmp_path, **LIVE, screened_out='"OUT1"')
    (folder / "texts" / "en" / "before.toml").write_text(QUESTIONS, "utf-8")
    with site(folder, Clock()) as opened:
        person = Person(opened).begin()
        assert person.plan["steps"][0]["screening"] is True
        assert "eligible" not in str(person.plan)
        body = {**person.body(0), "answer": {"fields": {"english": "no"}}}
        ended = person.put(0, body=body, id="00000000-0000-4000-8000-000000000001").json()["ended"]
        assert (ended["outcome"], ended["code"], ended["paid"]) == ("screened_out", "OUT1", False)
        # The same again, as after a lost reply, is told the same; and the place is free again.
        again = person.put(0, body=body, id="00000000-0000-4000-8000-000000000001")
        assert (again.status_code, again.json()["ended"]["code"]) == (200, "OUT1")
        assert opened.rows("SELECT count(*) FROM list_slot WHERE mode = 'live' AND state = 'free'") == [(6,)]
        other = Person(opened).begin()
        assert "ended" not in other.put(0, body={**other.body(0), "answer": {"fields": {"english": "yes"}}}).json()


def test_a_question_that_nobody_could_fail_is_refused(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    (folder / "texts" / "en" / "before.toml").write_text(QUESTIONS.replace('["yes"]', '["yes", "no"]'), "utf-8")
    with pytest.raises(InputError, match="eligible"):
        open_study(folder)


def test_every_shipped_check_can_be_failed_and_one_that_cannot_is_found(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "s", "tuna2008", items=3, participants=3)
    assert [claim.holds for claim in prove_checks(study)] == [True]
    path = study.folder / "checks.jsonl"
    import json

    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        row["trial"]["targets"] = [e["id"] for e in row["trial"]["entities"]]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert [claim.holds for claim in prove_checks(open_study(study.folder))] == [False]


# -- links, ids, trying out ------------------------------------------------------------------------------------------------


def test_a_laboratorys_links_are_signed_and_nobody_takes_a_neighbours_session(tmp_path: Path) -> None:
    with site(study_folder(tmp_path, **LIVE, platform='"link"'), Clock()) as opened:
        keys = opened.served.keys
        assert refused(Person(opened, {"label": "P001"})) == (403, "no-id")
        assert refused(Person(opened, {"label": "P001", "key": "GUESSED"})) == (403, "no-id")
        given = dict(part.split("=") for part in link_query(keys, opened.served.id, "P001").split("&"))
        anna = Person(opened, given).begin()
        # Her key opens nothing but her own label.
        assert refused(Person(opened, {**given, "label": "P002"})) == (403, "no-id")
        assert Person(opened, given, tab=anna.tab).enter()["state"] == "consented"
        assert "key" not in str(opened.rows("SELECT * FROM identity"))
    assert make_labels(2) == ["P001", "P002"]
    with pytest.raises(InputError, match="twice"):
        make_labels(0, ["a", "b", "a"])


def test_links_are_printed_or_written_for_their_owner(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = study_folder(tmp_path, platform='"link"')
    assert main(["study", "links", str(folder), "--count", "2", "--public-url", "https://s.example"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("https://s.example/s/demo/?label=P001&key=")
    assert main(["study", "links", str(folder), "--out", str(tmp_path / "links.csv")]) == 0
    assert (tmp_path / "links.csv").stat().st_mode & 0o077 == 0
    assert main(["study", "links", str(study_folder(tmp_path, id="other"))]) == 2


@pytest.mark.parametrize("id", ["{{%PROLIFIC_PID%}}", "${PROLIFIC_PID}", "   "])
def test_placeholders_that_nobody_filled_in_are_no_ids(tmp_path: Path, id: str) -> None:
    with site(study_folder(tmp_path, **LIVE, platform='"prolific"'), Clock()) as opened:
        assert refused(Person(opened, {"PROLIFIC_PID": id})) == (403, "no-id")


def test_one_person_has_one_id_however_it_is_written(tmp_path: Path) -> None:
    with site(study_folder(tmp_path, **LIVE, platform='"prolific"'), Clock()) as opened:
        first = Person(opened, {"PROLIFIC_PID": "5f1aBC"}).begin()
        again = Person(opened, {"PROLIFIC_PID": " 5F1Abc "}, tab=first.tab)
        assert again.enter()["state"] == "consented"
        assert again.session == first.session


def test_trying_a_live_study_out_needs_the_organisers_link(tmp_path: Path) -> None:
    with site(study_folder(tmp_path, **LIVE), Clock()) as opened:
        assert refused(Person(opened), mode="debug") == (403, "no-debug")
        assert refused(Person(opened), mode="debug", debug_key="AAAA") == (403, "no-debug")
        assert Person(opened).enter(mode="debug")["state"] == "entered"
    with site(study_folder(tmp_path, id="tryout"), Clock()) as opened:
        assert refused(Person(opened), mode="debug")[0] == 200


# -- withdrawing, places ---------------------------------------------------------------------------------------------------


def test_wrong_codes_do_not_lock_out_the_right_one(tmp_path: Path) -> None:
    limits = Limits(guesses=Rate(each_second=0.001, burst=3))
    with site(study_folder(tmp_path), Clock(), limits) as opened:
        person = Person(opened)
        person.begin()
        code = opened.served.keys.derive_withdrawal_code(opened.served.id, person.session)
        wrong = [
            opened("POST", "api/withdraw-by-code", json={"code": f"AAAA-AAAA-AAA{n}"}).status_code for n in range(2, 7)
        ]
        assert wrong == [404, 404, 404, 429, 429]
        assert opened("POST", "api/withdraw-by-code", json={"code": code}).status_code == 200


def test_the_code_for_withdrawing_is_there_before_consent_and_works_after_it(tmp_path: Path) -> None:
    with site(study_folder(tmp_path), Clock()) as opened:
        person = Person(opened)
        code = person.enter()["withdrawal_code"]
        person.agree()
        assert opened("POST", "api/withdraw-by-code", json={"code": code}).json()["state"] == "withdrawn"


def test_one_address_cannot_take_all_places() -> None:
    from referee_lab.server.sessions.refusals import Problem

    limits = Limits(places=Rate(each_second=0.001, burst=2))
    for _ in range(2):
        limits.take_place("203.0.113.7")
    with pytest.raises(Problem, match="too-often"):
        limits.take_place("203.0.113.7")
    limits.take_place("203.0.113.8")
    for _ in range(50):  # whoever comes through a proxy on this machine that does not say for whom
        limits.take_place("127.0.0.1")


# -- payment ---------------------------------------------------------------------------------------------------------------


def paid_site(folder: Path) -> Site:
    from referee_lab.server.sessions.served_study import open_served

    return Site(open_served(folder, clock=Clock()))


def test_everybody_is_owed_reward_and_bonus_by_how_it_ended(tmp_path: Path) -> None:
    """By hand: 3.00 for a completed session with 4 of its trials right at 0.10; half of the reward for what broke; nothing for failed checks."""
    rules = {"reward": "3.0", "bonus_each": "0.10", "partial_share": "0.5", "checks_failed_at_most": "0"}
    folder = study_folder(tmp_path, **LIVE, platform='"prolific"', **rules)
    opened = paid_site(folder)
    try:
        done = Person(opened, {"PROLIFIC_PID": "done", "SESSION_ID": "s-done"}).begin()
        trials = [i for i in done.saved_steps if done.step(i).kind == "trial"]
        for index in done.saved_steps:
            done.put(index, right=index not in trials[4:])
        assert done.ask("POST", "finish").json()["outcome"] == "completed"
        broken = Person(opened, {"PROLIFIC_PID": "broken"}).begin()
        alias = broken.plan["alias"]
        opened.organise("POST", f"end/{alias}", json={"outcome": "technical", "reason": "power cut"})
        Person(opened, {"PROLIFIC_PID": "gone"}).begin().ask("POST", "withdraw")
        with opened.served.store.read() as connection:
            people = {p.id: p for p in list_payments(opened.served.study, connection)}
    finally:
        opened.close()
    assert set(people) == {"done", "broken"}
    assert (str(people["done"].reward), str(people["done"].bonus), people["done"].right) == ("3.00", "0.40", 4)
    assert (str(people["broken"].reward), str(people["broken"].bonus)) == ("1.50", "0.00")
    study = open_study(folder)
    assert write_payment_file(study, list(people.values()), "prolific-bonus") == "done,0.40\n"
    assert set(write_payment_file(study, list(people.values()), "prolific").split()) == {"done", "broken"}
    table = list(csv.DictReader(io.StringIO(write_payment_file(study, list(people.values()), "csv"))))
    assert {row["platform_id"]: row["total"] for row in table} == {"done": "3.40", "broken": "1.50"}
    with pytest.raises(InputError, match="not by mturk"):
        write_payment_file(study, [], "mturk")
    assert main(["study", "payment", str(folder), "--out", str(tmp_path / "owed.csv")]) == 0
    assert (tmp_path / "owed.csv").stat().st_mode & 0o077 == 0


class Prolific:
    """A stub of Prolific's API: submissions with their states, and everything that was asked."""

    def __init__(self, states: dict[str, str]) -> None:
        self.states, self.asked = states, list[tuple[str, str, str]]()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        assert request.headers["Authorization"] == "Token t0ken"
        self.asked.append((request.method, request.url.path, request.content.decode()))
        name = request.url.path.split("/")[4]
        if request.method == "PATCH":
            return httpx.Response(200, json={"id": name})
        if name not in self.states:
            return httpx.Response(404, json={"error": {"detail": "not found"}})
        if request.method == "POST":
            self.states[name] = "APPROVED"
        return httpx.Response(200, json={"id": name, "status": self.states[name]})


def paid_people() -> list[Owed]:
    facts = {"id": "x", "right": 0, "reward": Decimal(1), "bonus": Decimal(0), "platform_study": "st1"}
    outcomes = {"s1": "completed", "s2": "too_fast", "s3": "technical", "s4": "completed", "": "completed"}
    return [Owed(alias=f"P-{s}", submission=s, outcome=outcome, **facts) for s, outcome in outcomes.items()]


def test_paid_submissions_are_approved_once_and_those_that_were_too_fast_never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROLIFIC_TOKEN", "t0ken")
    stub = Prolific({"s1": "AWAITING REVIEW", "s2": "AWAITING REVIEW", "s3": "APPROVED", "s4": "ACTIVE"})
    with prolific.open_prolific() as real:
        headers = real.headers
    client = httpx.Client(base_url="http://stub/api/v1", headers=headers, transport=httpx.MockTransport(stub))
    for approved in ({"approved": 1, "approved before": 1}, {"approved before": 2}):
        done = prolific.approve_submissions(client, paid_people())
        assert done == {**approved, "active": 1, "not paid by its outcome": 1, "without a submission": 1}
    assert [path for method, path, _ in stub.asked if method == "POST"] == ["/api/v1/submissions/s1/transition/"]
    assert stub.states["s2"] == "AWAITING REVIEW"
    assert prolific.set_places(client, paid_people(), 40) == "st1"
    assert stub.asked[-1][1:] == ("/api/v1/studies/st1/", '{"total_available_places":40}')
    del stub.states["s1"]
    with pytest.raises(InputError, match="404") as error:
        prolific.approve_submissions(client, paid_people())
    assert "t0ken" not in str(error.value)


def test_prolifics_token_comes_from_the_environment_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROLIFIC_TOKEN", raising=False)
    folder = study_folder(tmp_path, **LIVE, platform='"prolific"')
    paid_site(folder).close()
    assert main(["study", "payment", str(folder), "--approve"]) == 2
    monkeypatch.setenv("PROLIFIC_TOKEN", "t0ken")
    change(folder, platform='"none"')
    assert main(["study", "payment", str(folder), "--approve"]) == 2
    assert not any(b"t0ken" in file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_sona_gives_credit_at_its_address_for_what_is_paid(tmp_path: Path) -> None:
    address = "https://school.sona-systems.com/webstudy_credit.aspx?experiment_id=7&credit_token=ab&survey_code={id}"
    folder = study_folder(tmp_path, **LIVE, platform='"sona"', credit_url=f'"{address}"')
    with site(folder, Clock()) as opened:
        assert refused(Person(opened, {})) == (403, "no-id")
        person = Person(opened, {"survey_code": "12 3"}).begin()
        for index in person.saved_steps:
            person.put(index, right=True)
        ended = person.ask("POST", "finish").json()
        assert (ended["outcome"], ended["redirect"]) == ("completed", address.replace("{id}", "12%203"))
        declining = Person(opened, {"survey_code": "4"})
        declining.enter()
        assert (
            declining.ask("POST", "consent", json={"agree": False, "hash": opened.served.study.consent_hash})
            .json()
            .get("redirect")
            is None
        )
    change(folder, credit_url='"http://school.example"')
    with pytest.raises(InputError, match="credit_url"):
        open_study(folder)


def test_pay_is_raised_to_an_hourly_wage_by_the_median_duration(tmp_path: Path) -> None:
    """By hand: one session of 30 minutes (and some seconds of answers) at 12.00 an hour is about 6.00, and a reward of 3.00 is less."""
    folder = study_folder(tmp_path, **LIVE, platform='"prolific"', reward="3.0", hourly="12.0")
    opened = paid_site(folder)
    try:
        person = Person(opened, {"PROLIFIC_PID": "done"}).begin()
        for index in person.saved_steps:
            person.put(index, right=True)
        opened.served.clock.now += 30 * 60
        person.ask("POST", "finish")
        with opened.served.store.read() as connection:
            (paid,) = list_payments(opened.served.study, connection)
    finally:
        opened.close()
    assert float(paid.reward) == pytest.approx(6.0, abs=0.15)


# -- as printed ----------------------------------------------------------------------------------------------------------


def test_a_preset_is_the_printed_experiment_and_check_prints_what_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Gatt, Belz & Kow (2008): trials initiated by participants, bell, 1000 ms, mouse, 15000 ms."""
    from referee_lab.study.design.as_printed import PRESETS, list_deviations

    printed = PRESETS["tuna2008"]["protocol"]
    study = make_demo(tmp_path / "exact", "tuna2008", items=3, participants=3, settings=printed)
    assert not any("[protocol]" in line for line in list_deviations(study))
    plain = make_demo(tmp_path / "plain", "tuna2008", items=3, participants=3)
    named = {line.split()[1] for line in list_deviations(plain) if line.startswith("[protocol]")}
    assert named == {"start", "bell", "input"}
    assert main(["study", "check", str(plain.folder), "--no-browser"]) == 0
    shown = capsys.readouterr().out
    assert "Not as printed: [protocol] bell = no, printed yes" in shown
    assert "Not as printed: 3 participants, printed 24" in shown
    assert list_deviations(make_demo(tmp_path / "other", "asgre2007", items=3, participants=3)) == []


# -- texts -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", ["tuna2008", "production", "judgement", "judgement-pairwise", "point", "refoi"])
@pytest.mark.parametrize("language", ["en", "pt"])
def test_the_shipped_pages_are_true_of_their_protocol(tmp_path: Path, protocol: str, language: str) -> None:
    study = make_demo(tmp_path / "s", protocol, items=3, participants=3, language=language)
    assert find_false_claims(study) == []


@pytest.mark.parametrize(
    ("protocol", "people", "programs"),
    [
        ("tangram", {"partner": "person"}, {"partner": "bot"}),
        ("reference-game", {"group": 3, "bots": 1}, {"group": 3, "bots": 2}),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_consent_that_promises_other_people_is_true_where_there_are_some(
    tmp_path: Path, protocol: str, people: dict[str, Any], programs: dict[str, Any], language: str
) -> None:
    study = make_demo(tmp_path / "s", protocol, participants=3, language=language)
    assert find_false_claims(replace(study, settings={**study.settings, **people})) == []
    said = find_false_claims(replace(study, settings={**study.settings, **programs}))
    assert said[0].startswith(f"texts/{language}/consent.md says ")
    assert all(line.endswith("but participants do not play with other people here") for line in said)


def test_a_claim_that_is_not_so_is_found(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "s", "production", items=3, participants=3)
    page = study.folder / "texts" / "en" / "debriefing.md"
    # What production studies were told until now.
    page.write_text("We want to know which let a reader find the right picture quickly. There are breaks.", "utf-8")
    said = find_false_claims(open_study(study.folder))
    assert [line.partition(" says ")[0] for line in said] == ["texts/en/debriefing.md"] * 2
    change(study.folder, break_every="1")
    assert len(find_false_claims(open_study(study.folder))) == 1
