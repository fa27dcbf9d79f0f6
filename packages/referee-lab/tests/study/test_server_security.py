"""What a stranger, a curious participant and a hostile one can and cannot do to a study."""

from __future__ import annotations

import hmac
import json
import logging
import stat
import time
import uuid
from pathlib import Path

import pytest
from study_server import Clock, Person, Site, site, study_folder

from referee.errors import InputError
from referee_lab.server.store.keys import load_keys
from referee_lab.server.web.middleware import Limits, Rate

SECURE = {
    "content-security-policy",
    "cross-origin-opener-policy",
    "cross-origin-embedder-policy",
    "cross-origin-resource-policy",
    "x-content-type-options",
    "referrer-policy",
    "permissions-policy",
    "x-frame-options",
    "cache-control",
}
ORGANISER = [
    ("GET", "progress"),
    ("GET", "participants"),
    ("GET", "quality"),
    ("GET", "results"),
    ("GET", "export.zip"),
    ("POST", "unblind"),
    ("POST", "withdraw/P-AAAA"),
    ("POST", "end/P-AAAA"),
    ("POST", "corrections"),
]
BODIES = {
    "end/P-AAAA": {"outcome": "technical"},
    "corrections": {"trial": str(uuid.uuid4()), "author": "a", "reason": "b", "answer": {}},
}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("studies")


@pytest.fixture(scope="module")
def server(workshop: Path):
    with site(study_folder(workshop), Clock(), Limits(guesses=Rate(each_second=1000, burst=1000))) as opened:
        yield opened


@pytest.mark.parametrize(("method", "path"), ORGANISER)
@pytest.mark.parametrize("token", ["", "wrong", "participant's", "é" * 30])
def test_no_data_without_the_organisers_token(server: Site, method: str, path: str, token: str) -> None:
    given = Person(server).begin().token if token == "participant's" else token
    headers = {"Authorization": f"Bearer {given}".encode()}
    reply = server(method, f"organise/{path}", headers=headers, json=BODIES.get(path))
    assert (reply.status_code, set(reply.json())) == (401, {"problem", "message"})


def test_the_data_do_not_go_round_the_blinding(server: Site) -> None:
    reply = server.organise("GET", "export.zip", server.served.keys.view)
    assert (reply.status_code, reply.json()["problem"]) == (409, "blinded")
    assert server.organise("GET", "export.zip").status_code == 200


def test_looking_is_not_managing(server: Site) -> None:
    keys = server.served.keys
    assert server.organise("GET", "progress", keys.view).status_code == 200
    for method, path in ORGANISER:
        if method == "POST":
            reply = server.organise(method, path, keys.view, json=BODIES.get(path))
            assert (reply.status_code, reply.json()["problem"]) == (403, "view-only")


def test_tokens_are_compared_in_constant_time(server: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    real = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: compared.append((a, b)) or real(a, b))
    keys = server.served.keys
    assert keys.right("guess") is None
    assert keys.right(keys.manage) == "manage"
    both = {keys.manage.encode(), keys.view.encode()}
    assert [{b for _, b in compared[:2]}, {b for _, b in compared[2:]}] == [both, both]


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "é"])
def test_made_up_tokens_open_nothing(server: Site, token: str) -> None:
    for method, path in (("GET", "plan"), ("POST", "finish"), ("POST", "withdraw"), ("PUT", f"trials/{uuid.uuid4()}")):
        headers = {"Authorization": f"Bearer {token}".encode(), "X-Referee-Tab": "tab-tab-tab"}
        body = {"index": 1, "attempt": 1, "state": "done"} if method == "PUT" else None
        assert server(method, f"api/{path}", headers=headers, json=body).status_code == 401


def test_a_changed_an_old_and_anothers_token_open_nothing(
    workshop: Path, server: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(server).begin()
    payload, rest = person.token.split(".", 1)
    forged = Person(server, token=f"{payload[:-2]}AA.{rest}")
    assert forged.open().status_code == 401
    with site(study_folder(workshop, id="another"), Clock()) as other:
        stranger = Person(other, token=person.token, tab=person.tab)
        assert stranger.open().status_code == 401
    same_key = server.served.keys.sign("some-other-study", {"id": person.session})
    assert Person(server, token=same_key, tab=person.tab).open().status_code == 401
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 61 * 86_400)
    late = person.open()
    assert (late.status_code, late.json()["problem"]) == (401, "expired")


def test_the_plan_gives_nothing_away(server: Site) -> None:
    person = Person(server).begin()
    shown = json.dumps(person.plan)
    for stimulus in server.served.study.stimuli.values():
        assert stimulus.id not in shown
        assert stimulus.trial.id not in shown
    assert not [system for system in ("toy-minimal", "toy-chatty") if system in shown]
    assert '"target"' not in shown
    assert '"check"' not in shown


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def test_markup_in_answers_comes_back_as_data_only(server: Site) -> None:
    person = Person(server, {"label": HOSTILE}).begin()
    form = next(
        step
        for step in person.plan["steps"]
        if step["plugin"] == "form" and step["parameters"]["fields"][0]["name"] == "comments"
    )
    body = {"index": form["index"], "attempt": 1, "state": "done", "answer": {"fields": {"comments": HOSTILE}}}
    assert person.put(form["index"], body=body).status_code == 201
    assert person.ask("POST", "client", json={"user_agent": HOSTILE}).status_code == 200
    for path in ("progress", "participants", "quality"):
        reply = server.organise("GET", path)
        assert reply.headers["content-type"] == "application/json"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert HOSTILE not in reply.text
    stored = server.rows("SELECT answer FROM trial WHERE session = :id", id=person.session)
    assert json.loads(stored[0].answer)["fields"]["comments"] == HOSTILE  # as it was written, for the analysis


def test_markup_in_a_studys_texts_is_shown_as_text(workshop: Path) -> None:
    folder = study_folder(workshop, id="marked")
    consent = folder / "texts" / "en" / "consent.md"
    consent.write_text(f"# Hello\n\n{HOSTILE}\n\n[link](javascript:alert(1))\n", "utf-8")
    with site(folder, Clock()) as server:
        html = Person(server).enter()["consent"]["html"]
    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html


def test_every_reply_has_the_security_headers(server: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(server).begin()
    picture = person.plan["pictures"][0]
    replies = [
        server("GET", "/"),
        server("GET", "/s/nowhere/"),
        server("GET", "/static/nothing.js"),
        server("PATCH", "api/plan"),
        server("POST", "api/enter", content=b"{"),
        server("POST", "api/enter", content=b"x" * 300_000),
        server("GET", picture),
        person.open(),
        server.organise("GET", "progress"),
    ]
    monkeypatch.setattr(type(server.served), "load_outline", lambda *_: 1 / 0)
    replies.append(person.open())
    assert [reply.status_code for reply in replies] == [404, 404, 404, 405, 422, 413, 200, 200, 200, 500]
    for reply in replies:
        assert set(reply.headers) >= SECURE
        assert "unsafe" not in reply.headers["content-security-policy"]
        assert "access-control-allow-origin" not in reply.headers  # no other site may read
        assert "set-cookie" not in reply.headers  # nothing that another site could ride on
    assert "immutable" in replies[6].headers["cache-control"]
    assert replies[7].headers["cache-control"] == "no-store"


def test_only_mechanical_turk_may_frame_and_only_its_own_studies(workshop: Path) -> None:
    with site(study_folder(workshop, id="turk", platform='"mturk"'), Clock()) as server:
        policy = server("GET", "/s/turk/").headers["content-security-policy"]
        assert "frame-ancestors https://www.mturk.com" in policy
        assert "frame-ancestors 'none'" in server("GET", "/static/x").headers["content-security-policy"]


def test_too_much_at_once_is_refused_announced_or_not(server: Site) -> None:
    person = Person(server).begin()
    big = {"index": 2, "attempt": 1, "state": "done", "answer": {"text": "x" * 400_000}}
    assert person.put(2, body=big).json()["problem"] == "too-large"

    async def drip():
        for _ in range(40):
            yield b"[" * 10_000

    headers = {"Authorization": f"Bearer {person.token}", "X-Referee-Tab": person.tab}
    reply = server("PUT", f"api/trials/{uuid.uuid4()}", headers=headers, content=drip())
    assert (reply.status_code, reply.json()["problem"]) == (413, "too-large")


@pytest.mark.parametrize(
    "body",
    [
        b'{"index": 2, "attempt": 1, "state": "done", "answer": {"x": NaN}}',
        b'{"index": 2, "attempt": 1, "state": "done", "answer": {"x": "\\ud800"}}',
        b'{"index": 2, "attempt": 1, "state": "done", "answer": {"\\ud800": 1}, "\\udfff": 2}',
        b'{"index": 2, "attempt": 1, "state": "done", "times": {"x": Infinity}}',
        b'{"index": 1e999, "attempt": 1, "state": "done"}',
        b'{"index": 2, "attempt": 1, "state": "done", "answer": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        b'{"index": 2, "attempt": 1, "state": "done", "answer": {"x": ' + b"[" * 900 + b"]" * 900 + b"}}",
        b"\xff\xfe",
        b"",
        b"[]",
    ],
)
def test_broken_bodies_are_refused_and_nothing_falls_over(server: Site, body: bytes) -> None:
    person = Person(server).begin()
    headers = {
        "Authorization": f"Bearer {person.token}",
        "X-Referee-Tab": person.tab,
        "Content-Type": "application/json",
    }
    reply = server("PUT", f"api/trials/{uuid.uuid4()}", headers=headers, content=body)
    assert reply.status_code in (400, 422)
    assert set(reply.json()) >= {"problem", "message"}
    assert person.put(person.saved_steps[0]).status_code == 201


def test_too_often_is_refused_per_session_and_for_guesses(workshop: Path) -> None:
    limits = Limits(session=Rate(each_second=0.01, burst=10), guesses=Rate(each_second=0.01, burst=3))
    with site(study_folder(workshop, id="busy"), Clock(), limits) as server:
        noisy, quiet = Person(server).begin(), Person(server).begin()
        refused = [noisy.open() for _ in range(20)][-1]
        assert (refused.status_code, refused.json()["problem"]) == (429, "too-often")
        assert int(refused.headers["retry-after"]) >= 1
        assert quiet.open().status_code == 200
        codes = [server("POST", "api/withdraw-by-code", json={"code": "AAAA"}).status_code for _ in range(5)]
        assert codes == [404, 404, 404, 429, 429]
        guesses = [server.organise("GET", "progress", "guess").status_code for _ in range(5)]
        assert guesses == [401, 401, 401, 429, 429]
        assert server.organise("GET", "progress").status_code == 200  # the real token is not locked out by guessing


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/..%2fserver.py",
        "/static//etc/passwd",
        "/s/demo/pictures/..%2f..%2fdata%2fkeys.toml",
        "/s/demo/pictures/%2e%2e%2fdata.svg",
        "/s/demo/data/keys.toml",
        "/s/demo/../../data/study.sqlite",
        "/s/..%2fdemo/api/plan",
        "/openapi.json",
        "/docs",
    ],
)
def test_paths_lead_nowhere_they_should_not(server: Site, path: str) -> None:
    reply = server("GET", path)
    assert reply.status_code in (401, 404, 405, 422)
    assert "signing_key" not in reply.text


def test_keys_are_for_the_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "data" / "keys.toml"
    first = load_keys(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_keys(path) == first
    assert first.manage not in repr(first)
    path.chmod(0o640)
    with pytest.raises(InputError, match="others on this machine can read"):
        load_keys(path)
    path.chmod(0o600)
    path.write_text("signing_key = 'x'")
    with pytest.raises(InputError, match="cannot be read"):
        load_keys(path)


def test_nothing_secret_is_logged(
    server: Site, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(server, {"label": "a-very-private-label"})
    with caplog.at_level(logging.DEBUG):
        person.begin()
        person.put(person.saved_steps[0])
        server.organise("GET", "progress")
        with pytest.raises(Exception, match="storage"):
            server.served.store.write(lambda c: c.exec_driver_sql("UPDATE trial SET answer = ?", ("an answer",)))
        monkeypatch.setattr(type(server.served), "load_outline", lambda *_: 1 / 0)
        assert person.open().status_code == 500
    said = "\n".join(
        logging.Formatter("%(message)s").format(record)
        for record in caplog.records
        if not record.name.startswith(("httpx", "httpcore"))
    )
    assert "ZeroDivisionError" in said
    keys = server.served.keys
    for secret in (
        person.token,
        keys.signing,
        keys.view,
        keys.manage,
        "a-very-private-label",
        person.session,
        "an answer",
    ):
        assert secret not in said


def test_ids_with_odd_characters_are_refused(server: Site) -> None:
    for odd in ("a\x00b", "line\nbreak", "x" * 201, "\ud800"):
        body = json.dumps({"tab": "tab-tab-tab", "platform": {"label": odd}})
        reply = server("POST", "api/enter", content=body, headers={"Content-Type": "application/json"})
        assert (reply.status_code, reply.json()["problem"]) == (422, "malformed")
