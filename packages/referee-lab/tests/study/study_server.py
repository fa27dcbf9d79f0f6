"""A study server inside the test, people who answer it, and a clock that can be set."""

from __future__ import annotations

import asyncio
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from referee_lab.server.sessions.lab_links import sign_label
from referee_lab.server.sessions.plan import PlanStep
from referee_lab.server.sessions.served_study import Served, open_served
from referee_lab.server.web.middleware import Limits
from referee_lab.server.web.routes_participant import make_debug_key
from referee_lab.server.web.server import create_app
from referee_lab.study.folder.demo_study import make_demo


@dataclass
class Clock:
    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def pass_by(self, times: dict[str, Any]) -> None:
        """As much time as an answer claims to have taken: less would be impossible (`exclusion.flag_impossible`)."""
        named = (times.get(name) for name in ("reading_ms", "identification_ms", "combined_ms"))
        self.now += sum(ms for ms in named if isinstance(ms, (int, float))) / 1000


_MADE: dict[str, Path] = {}


def study_folder(
    tmp: Path, *, protocol: str = "tuna2008", participants: int = 6, id: str = "demo", **settings: str
) -> Path:
    """A small study; `settings` replace lines of study.toml, e.g. ``mode='"live"'``."""
    key = f"{protocol} {participants} {id}"
    if key not in _MADE or not _MADE[key].exists():
        master = tmp / f"master-{id}"
        make_demo(master, protocol, participants=participants, id=id)
        _MADE[key] = master
    folder = tmp / id
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(_MADE[key], folder, ignore=shutil.ignore_patterns("data"))
    for form in folder.glob("texts/*/demographics.toml"):
        # Most tests want the first answer to be one to a trial.
        form.write_text(form.read_text("utf-8").replace('when = "before"', 'when = "after"'), "utf-8")
    change(folder, **settings)
    return folder


def change(folder: Path, **settings: str) -> None:
    """Set fields of study.toml, by their names."""
    path = folder / "study.toml"
    lines = path.read_text("utf-8").splitlines()
    for name, value in settings.items():
        places = [i for i, line in enumerate(lines) if line.split("=")[0].strip() == name]
        assert len(places) == 1, f"{name} stands in study.toml {len(places)} times"
        lines[places[0]] = f"{name} = {value}"
    path.write_text("\n".join(lines) + "\n", "utf-8")


class Site:
    """An application with a loop of its own, asked like a server; no port, no thread."""

    def __init__(self, served: Served, limits: Limits | None = None, **more: Any) -> None:
        self.served = served
        self.app = create_app([served], limits=limits, **more)
        self.loop = asyncio.new_event_loop()
        self._lifespan = self.app.router.lifespan_context(self.app)
        self.loop.run_until_complete(self._lifespan.__aenter__())
        transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://study.test")

    def __call__(self, method: str, path: str, **more: Any) -> httpx.Response:
        full = path if path.startswith("/") else f"/s/{self.served.id}/{path}"
        return self.loop.run_until_complete(self.client.request(method, full, **more))

    def organise(self, method: str, path: str, token: str | None = None, **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token or self.served.keys.manage}"}
        return self(method, f"organise/{path}", headers=headers, **more)

    def rows(self, sql: str, **values: Any) -> list[Any]:
        from sqlalchemy import text

        with self.served.store.read() as connection:
            return list(connection.execute(text(sql), values))

    def close(self) -> None:
        self.loop.run_until_complete(self.client.aclose())
        self.loop.run_until_complete(self._lifespan.__aexit__(None, None, None))
        self.loop.close()


@contextmanager
def site(folder: Path, clock: Clock | None = None, limits: Limits | None = None, **more: Any) -> Iterator[Site]:
    opened = Site(open_served(folder, clock=clock or Clock(), **more), limits)
    try:
        yield opened
    finally:
        opened.close()


@dataclass
class Person:
    """A participant's page, as far as the server can tell."""

    site: Site
    ids: dict[str, str] = field(default_factory=dict)
    tab: str = field(default_factory=lambda: str(uuid.uuid4()))
    token: str = ""
    hash: str = ""
    plan: dict[str, Any] = field(default_factory=dict)

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        headers = {"X-Referee-Tab": self.tab, **({"Authorization": f"Bearer {self.token}"} if self.token else {})}
        return self.site(method, f"api/{path}", headers=headers, **more)

    def enter(self, **more: Any) -> dict[str, Any]:
        # The organisers' own key, which trying out a study that is not in debug mode needs.
        trying = {"debug_key": make_debug_key(self.site.served)} if more.get("mode") == "debug" else {}
        reply = self.ask("POST", "enter", json={"platform": self.link(), "tab": self.tab, **trying, **more})
        assert reply.status_code == 200, reply.text
        said: dict[str, Any] = reply.json()
        self.token, self.hash = said["token"], said["consent"]["hash"]
        return said

    def link(self) -> dict[str, str]:
        """What the link says; labels of a laboratory are signed."""
        served = self.site.served
        if served.study.recruitment.platform != "link" or "label" not in self.ids or "key" in self.ids:
            return self.ids
        return {**self.ids, "key": sign_label(served.keys, served.id, self.ids["label"])}

    def agree(self, agree: bool = True) -> httpx.Response:
        reply = self.ask("POST", "consent", json={"agree": agree, "hash": self.hash})
        if reply.status_code == 200 and "token" in reply.json():
            self.token = reply.json()["token"]
        return reply

    def open(self) -> httpx.Response:
        reply = self.ask("GET", "plan")
        if reply.status_code == 200:
            self.plan = reply.json()
            self.token = self.plan["token"]
        return reply

    def begin(self) -> Person:
        """In, consented, plan in hand."""
        self.enter()
        assert self.agree().status_code == 200
        assert self.open().status_code == 200
        return self

    @property
    def session(self) -> str:
        return str(self.site.served.keys.read(self.site.served.id, self.token)["id"])

    @property
    def saved_steps(self) -> list[int]:
        return [step["index"] for step in self.plan["steps"] if step["saved"]]

    def step(self, index: int) -> PlanStep:
        outline = self.site.served.load_outline(self.session)
        assert outline is not None
        return outline.plan.steps[index]

    def body(self, index: int, *, right: bool = True, attempt: int = 1, **more: Any) -> dict[str, Any]:
        return {
            "index": index,
            "attempt": attempt,
            "state": "done",
            "flags": [],
            **answer(self.step(index), right),
            **more,
        }

    def put(
        self, index: int, *, id: str | None = None, body: dict[str, Any] | None = None, **more: Any
    ) -> httpx.Response:
        sent = body or self.body(index, **more)
        if isinstance(clock := self.site.served.clock, Clock) and isinstance(sent.get("times"), dict):
            clock.pass_by(sent["times"])
        return self.ask("PUT", f"trials/{id or uuid.uuid4()}", json=sent)

    def answer_all(self, **more: Any) -> None:
        for index in self.saved_steps:
            reply = self.put(index, **more)
            assert reply.status_code == 201, reply.text

    def complete(self) -> dict[str, Any]:
        """A whole session, to the code."""
        self.begin()
        self.answer_all()
        reply = self.ask("POST", "finish")
        assert reply.status_code == 200, reply.text
        return dict(reply.json())


def answer(step: PlanStep, right: bool = True) -> dict[str, Any]:
    """An answer that the page could have given."""
    if step.plugin == "form":
        return {"answer": {"fields": {}}, "times": {}}
    assert step.plugin == "identify"
    assert step.stimulus is not None
    chosen = [
        name for name, entity in sorted(step.shown.labels.items()) if (entity in step.stimulus.trial.targets) == right
    ]
    given = {
        "outcome": "entity",
        "entity": chosen[0],
        "guess": None,
        "repeats": 0,
        "corrected": False,
        "pointer": "mouse",
        "trusted": True,
    }
    return {"answer": given, "times": {"reading_ms": 812.4000000000001, "identification_ms": 1203.7, "t_onset": 16.6}}
