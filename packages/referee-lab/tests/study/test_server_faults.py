"""Any order of loss, duplication, delay, reloads, second windows, wrong clocks and restarts: what is acknowledged is stored once, as it was."""

from __future__ import annotations

import json
import os
import tempfile
import uuid
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from study_server import Clock, Person, Site, study_folder

from referee_lab.server.sessions.served_study import open_served

WORKSHOP = Path(tempfile.mkdtemp(prefix="referee-faults-"))


class OnePersonOnABadLine(RuleBasedStateMachine):
    """A page with an outbox. What it believes is compared with what is stored, after every event."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        # Places are reserved for longer than clocks jump here: housekeeping, which runs beside the requests, takes none away.
        self.folder = study_folder(WORKSHOP, mode='"live"', reserve_minutes="1e6")
        self.site = self._serve()

    def _serve(self) -> Site:
        return Site(open_served(self.folder, clock=self.clock))

    @initialize()
    def begin(self) -> None:
        self.person = Person(self.site, {"label": "anna"}).begin()
        self.outbox: dict[str, dict[str, Any]] = {}
        self.sent: list[str] = []
        self.acknowledged: dict[str, dict[str, Any]] = {}
        self.windows = [self.person.tab]

    @property
    def answered(self) -> set[int]:
        return {
            body["index"] for body in (*self.acknowledged.values(), *self.outbox.values()) if body["state"] == "done"
        }

    @rule(ahead=st.integers(0, 2), right=st.booleans())
    def answer(self, ahead: int, right: bool) -> None:
        left = [index for index in self.person.saved_steps if index not in self.answered]
        if len(left) > ahead and len(self.outbox) < 3:
            index = left[ahead]
            attempts = [
                b["attempt"] for b in (*self.acknowledged.values(), *self.outbox.values()) if b["index"] == index
            ]
            body = self.person.body(index, right=right, attempt=1 + max(attempts, default=0))
            self.outbox[str(uuid.uuid4())] = body

    @precondition(lambda self: self.outbox)
    @rule(which=st.integers(0, 2), heard=st.booleans())
    def send(self, which: int, heard: bool) -> None:
        """In any order; `heard` False is an acknowledgement lost on the way."""
        name = sorted(self.outbox)[which % len(self.outbox)]
        body = self.outbox[name]
        earlier = [
            b
            for n, b in self.outbox.items()
            if b["index"] == body["index"] and b["attempt"] < body["attempt"] and n not in self.sent
        ]
        reply = self.person.put(body["index"], id=name, body=body)
        if earlier:
            assert reply.status_code == 409
            return
        assert reply.status_code in (200, 201), reply.text
        self.sent.append(name)
        if heard:
            self.acknowledged[name] = self.outbox.pop(name)

    @precondition(lambda self: self.sent)
    @rule(which=st.integers(0, 50))
    def a_copy_arrives_late(self, which: int) -> None:
        name = self.sent[which % len(self.sent)]
        body = self.acknowledged.get(name) or self.outbox.get(name)
        assert body is not None
        assert self.person.put(body["index"], id=name, body={**body, "sent_ms": float(which)}).status_code == 200

    @precondition(lambda self: self.sent)
    @rule(which=st.integers(0, 50))
    def a_changed_copy_arrives(self, which: int) -> None:
        name = self.sent[which % len(self.sent)]
        body = self.acknowledged.get(name) or self.outbox[name]
        assert self.person.put(body["index"], id=name, body={**body, "flags": ["forged"]}).status_code == 409

    @rule(breaks_off=st.booleans())
    def reload(self, breaks_off: bool) -> None:
        """The trial on the screen is gone; the outbox is not."""
        left = [index for index in self.person.saved_steps if index not in self.answered]
        if breaks_off and left:
            attempts = [
                b["attempt"] for b in (*self.acknowledged.values(), *self.outbox.values()) if b["index"] == left[0]
            ]
            body = {
                "index": left[0],
                "attempt": 1 + max(attempts, default=0),
                "state": "aborted",
                "answer": {},
                "times": {},
                "flags": ["hidden"],
            }
            self.outbox[str(uuid.uuid4())] = body
        opened = self.person.open()
        assert opened.status_code == 200 or opened.json()["problem"] == "ended"
        if opened.status_code == 200:
            stored = {
                b["index"]
                for n, b in {**self.acknowledged, **self.outbox}.items()
                if n in self.sent and b["state"] == "done"
            }
            assert set(self.person.plan["saved"]) == stored

    @rule()
    def a_second_window_takes_over(self) -> None:
        before = self.person.tab
        self.person.tab = str(uuid.uuid4())
        if self.person.open().json().get("problem") == "ended":
            self.person.tab = before
            return
        assert self.person.open().json()["problem"] == "other-tab"
        assert self.person.ask("POST", "claim", json={"tab": self.person.tab}).status_code == 200
        self.windows.append(self.person.tab)

    @precondition(lambda self: len(self.windows) > 1)
    @rule()
    def the_first_window_still_tries(self) -> None:
        left = [index for index in self.person.saved_steps if index not in self.answered]
        if left:
            current, self.person.tab = self.person.tab, self.windows[0]
            assert self.person.put(left[-1]).status_code == 409
            self.person.tab = current

    @rule(by=st.floats(-3600, 3600))
    def the_clock_jumps(self, by: float) -> None:
        self.clock.now += by

    @rule()
    def the_server_restarts(self) -> None:
        self.site.close()
        self.site = self._serve()
        self.person.site = self.site

    @rule()
    def finish(self) -> None:
        reply = self.person.ask("POST", "finish")
        stored = {
            b["index"]
            for n, b in {**self.acknowledged, **self.outbox}.items()
            if n in self.sent and b["state"] == "done"
        }
        missing = [index for index in self.person.saved_steps if index not in stored]
        if missing:
            assert (reply.status_code, reply.json()["missing"]) == (409, missing)
        else:
            assert reply.json()["state"] == "coded"

    @invariant()
    def everything_acknowledged_is_stored_once_and_nothing_else(self) -> None:
        if not hasattr(self, "person"):
            return
        stored = {row.uuid: row for row in self.site.rows('SELECT uuid, "index", attempt, state, answer FROM trial')}
        assert set(self.acknowledged) <= set(stored)
        assert set(stored) == set(self.sent)
        for name, row in stored.items():
            body = self.acknowledged.get(name) or self.outbox[name]
            assert (row.index, row.attempt, row.state) == (body["index"], body["attempt"], body["state"])
            assert json.loads(row.answer) == body["answer"]
        assert self.site.rows("SELECT count(*) FROM session") == [(1,)]
        assert self.site.rows("SELECT count(*) FROM list_slot WHERE session IS NOT NULL") == [(1,)]

    def teardown(self) -> None:
        self.site.close()


OnePersonOnABadLine.TestCase.settings = settings(
    max_examples=12 if os.environ.get("REFEREE_THOROUGH") else 6,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
test_one_person_on_a_bad_line = OnePersonOnABadLine.TestCase
