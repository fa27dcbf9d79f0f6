"""Links signed as Prolific signs them: keys and signatures are made by OpenSSL, and a stub of Prolific serves the public keys."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from study_server import Clock, Person, Site, change, site, study_folder

from machine import lacking
from referee.errors import InputError
from referee_lab.server.sessions.prolific_links import SignedLinks
from referee_lab.study.folder.study import open_study

IDS = {"PROLIFIC_PID": "5f0e1a2b3c4d5e6f7a8b9c0d", "STUDY_ID": "64a0", "SESSION_ID": "64b1"}


def encode(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")


@dataclass
class Prolific:
    """A stub: a private key, and a server with its public one."""

    folder: Path
    address: str = ""
    up: bool = True
    requests: list[str] = field(default_factory=list)

    def openssl(self, *arguments: str, stdin: bytes = b"") -> bytes:
        return subprocess.run(["openssl", *arguments], input=stdin, capture_output=True, check=True).stdout

    def make_key(self, name: str) -> dict[str, str]:
        file = str(self.folder / f"{name}.pem")
        self.openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", file)
        printed = self.openssl("rsa", "-in", file, "-noout", "-modulus").decode()
        modulus = bytes.fromhex(re.search("Modulus=([0-9A-F]+)", printed)[1])  # type: ignore[index]
        return {"kty": "RSA", "alg": "RS256", "kid": name, "n": encode(modulus), "e": "AQAB"}

    def sign(self, now: float, *, key: str = "first", algorithm: str = "RS256", **changes: Any) -> str:
        claims = {
            "iss": "https://www.prolific.com",
            "aud": "https://study.test",
            "exp": now + 300,
            "prolific": dict(IDS, workspace_id="w1"),
            **changes,
        }
        head = {"alg": algorithm, "typ": "JWT", "kid": key}
        signed = f"{encode(json.dumps(head).encode())}.{encode(json.dumps(claims).encode())}"
        signature = self.openssl("dgst", "-sha256", "-sign", str(self.folder / f"{key}.pem"), stdin=signed.encode())
        return f"{signed}.{encode(signature)}"


@pytest.fixture(scope="module")
def prolific(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prolific]:
    if shutil.which("openssl") is None:
        lacking("needs openssl")
    stub = Prolific(tmp_path_factory.mktemp("keys"))
    keys = [stub.make_key("first")]
    stub.make_key("stranger")

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            stub.requests.append(self.path)
            body = json.dumps({"keys": keys}).encode()
            self.send_response(200 if stub.up else 503)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Keys)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    stub.address = f"http://127.0.0.1:{server.server_port}"
    yield stub
    server.shutdown()
    server.server_close()


@pytest.fixture
def server(tmp_path: Path, prolific: Prolific) -> Iterator[Site]:
    prolific.up = True
    folder = study_folder(tmp_path, mode='"live"', platform='"prolific"', signed_links="true")
    with site(folder) as opened:
        opened.app.state.signed_links = SignedLinks(prolific.address, opened.served.clock)
        yield opened


def enter(server: Site, token: str, **ids: str) -> Any:
    person = Person(server, {**IDS, **ids, "prolific_token": token})
    return person.ask("POST", "enter", json={"platform": person.ids, "tab": person.tab})


def test_a_signed_link_leads_in_and_is_not_stored(server: Site, prolific: Prolific) -> None:
    token = prolific.sign(server.served.clock())
    person = Person(server, {**IDS, "prolific_token": token})
    person.begin()
    stored = server.rows("select external_id, details from identity")
    assert [row.external_id for row in stored] == [IDS["PROLIFIC_PID"]]
    assert token[-40:] not in str(stored)


def test_what_prolific_did_not_sign_is_refused(server: Site, prolific: Prolific) -> None:
    now = server.served.clock()
    good = prolific.sign(now)
    head, claims, signature = good.split(".")
    other = dict(IDS, PROLIFIC_PID="000000000000000000000000")
    forged = {
        "none": "",
        "no token": "abc",
        "cut": f"{head}.{claims}.{signature[:-8]}",
        "other claims": f"{head}.{encode(json.dumps({'prolific': other}).encode())}.{signature}",
        "no signature": f"{encode(json.dumps({'alg': 'none'}).encode())}.{claims}.",
        "by a stranger": prolific.sign(now, key="stranger"),
        "for another site": prolific.sign(now, aud="https://elsewhere.test"),
        "by another issuer": prolific.sign(now, iss="https://elsewhere.test"),
        "without an end": prolific.sign(now, exp=None),
        "of another person": prolific.sign(now, prolific=other),
        "of another algorithm": prolific.sign(now, algorithm="HS256"),
    }
    replies = {name: enter(server, token) for name, token in forged.items()}
    assert {name: reply.status_code for name, reply in replies.items()} == dict.fromkeys(forged, 403)
    assert enter(server, good, PROLIFIC_PID=other["PROLIFIC_PID"]).status_code == 403
    assert enter(server, good).status_code == 200


def test_an_old_link_leads_back_and_lets_nobody_in(server: Site, prolific: Prolific) -> None:
    clock = server.served.clock
    assert isinstance(clock, Clock)
    token = prolific.sign(clock())
    person = Person(server, {**IDS, "prolific_token": token})
    person.begin()
    clock.now += 3600
    assert person.enter()["state"] == "consented"
    late = dict(IDS, PROLIFIC_PID="111111111111111111111111")
    reply = enter(server, prolific.sign(clock() - 3600, prolific=late), **late)
    assert (reply.status_code, reply.json()["problem"]) == (403, "expired")


def test_keys_are_fetched_once_and_a_silent_prolific_is_waited_for(server: Site, prolific: Prolific) -> None:
    prolific.up = False
    token = prolific.sign(server.served.clock())
    assert enter(server, token).status_code == 503
    prolific.up = True
    prolific.requests.clear()
    assert [enter(server, token).status_code for _ in range(3)] == [200, 200, 200]
    assert prolific.requests == ["/.well-known/study/jwks.json"]


def test_signed_links_are_for_prolific(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    change(folder, signed_links="true")
    with pytest.raises(InputError, match="signed_links"):
        open_study(folder)
