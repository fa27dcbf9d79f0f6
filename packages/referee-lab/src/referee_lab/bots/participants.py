"""Simulated participants.

They enter, consent, answer and finish over the study's real HTTP interface, with injected network faults.

A bot behaves like a participant's page: every answer has a UUID and is sent again until it is acknowledged; after a
reload the session continues where the server says. Answers come from the protocol's own `simulate`. At the end every
acknowledged answer must be in the store exactly once.
"""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx

from referee.contracts import Hearer
from referee.errors import RefereeError
from referee.records import Outcome
from referee_lab.bots.faults import Faults, Unreliable
from referee_lab.bots.played_rooms import PlayedRoom
from referee_lab.bots.thinking import Someone, simulate_answer
from referee_lab.server.sessions.lab_links import sign_label
from referee_lab.server.sessions.plan import PlanStep, list_expected_ratings
from referee_lab.server.sessions.served_study import Outline, Served
from referee_lab.server.web.routes_participant import make_debug_key
from referee_lab.study.data.collection import SIMULATED
from referee_lab.study.folder.branches import SKIPPED
from referee_lab.study.folder.questionnaires import FormField
from referee_lab.study.protocols.contract import ROOM_PLUGINS, GivenAnswer
from referee_lab.study.protocols.own_plugin import CORRECT, OWN

# A page tries for ever; a rehearsal has to end.
MOST_TRIES = 200
FRAME_MS = 1000 / 60


class BotStuck(RefereeError):
    """Raised when the server refuses a simulated participant a request that a person's page needs."""


class NoPlace(Exception):
    """Raised when the study has no seat for a participant, which is no error."""

    def __init__(self, ending: Mapping[str, Any]) -> None:
        super().__init__("full")
        self.ending = ending


@dataclass
class Bot:
    """One participant with their page.

    `saved` are the acknowledged answers, `tally` counts the faults, `thought` has answers that were computed before, by
    step; others are computed when needed.
    """

    number: int
    served: Served
    hearer: Hearer
    label: str
    transport: httpx.AsyncBaseTransport
    faults: Faults = field(default_factory=Faults)
    seed: int = 1
    mode: str | None = "debug"
    advance: Callable[[int], None] = lambda n: None
    rooms: Mapping[str, PlayedRoom] = field(default_factory=dict)
    thought: Mapping[int, GivenAnswer] = field(default_factory=dict)
    tally: Counter[str] = field(default_factory=Counter)
    saved: set[str] = field(default_factory=set)
    ending: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = Random(f"{self.seed}|bot|{self.number}")
        self.person = Someone(self.hearer, f"{self.seed}|{self.number}")
        self.skew = self.faults.draw_clock_skew(self.rng, self.tally)
        self.tab, self.token = str(uuid.uuid4()), ""
        self.form_answers: dict[str, Any] = {}
        network = Unreliable(self.transport, self.faults, self.rng, self.tally)
        self.client = httpx.AsyncClient(transport=network, base_url=f"http://bots.invalid/s/{self.served.id}/api/")

    async def enrol(self) -> None:
        """Enter the study, consent, and get a seat on a list."""
        reply = await self._enter_study()
        # The hash of the text that was shown, as a page sends it.
        agreed = {"agree": True, "hash": reply["consent"]["hash"]}
        try:
            self.token = (await self._send_request("POST", "consent", json=agreed))["token"]
        except NoPlace as full:
            self.ending = full.ending

    def questions(self) -> list[PlanStep]:
        """Return the steps whose answers a hearer computes: all but forms and rooms."""
        steps = self._get_outline().plan.steps
        return [step for step in steps if step.saved and step.stimulus is not None and not _is_room(step)]

    async def play(self) -> None:
        """Play the whole session until its code; a participant without a seat, or refused by a quota, leaves."""
        if not self.ending:
            await self._take_part()
        await self.client.aclose()

    async def _take_part(self) -> None:
        """Answer all steps, with random reloads, and finish."""
        plan = await self._open_plan()
        display = {"frame_ms": FRAME_MS, "frames": 60, "device_pixel_ratio": 1, "touch": False, SIMULATED: self.label}
        await self._send_request("POST", "client", json=display)
        while left := [s["index"] for s in plan["steps"] if s["saved"] and s["index"] not in plan["saved"]]:
            index = left[0]
            attempt = plan["attempts"].get(str(index), 1)
            # Under any other policy a reload would end or restart the session, as it should, and there would be nothing
            # to count.
            if self.served.policy.resume == "resume" and self.faults.draw_fault("reload", self.rng, self.tally):
                plan = await self._reload_page(index, attempt)
                continue
            await self._answer_step(index, attempt)
            if self.ending:
                return
            plan["saved"].append(index)
        self.ending = await self._send_request("POST", "finish")

    # -- requests of a page --------------------------------------------------------------------------------------------

    async def _enter_study(self) -> Any:
        """Enter the study and store the token."""
        trying = {"mode": self.mode, "debug_key": make_debug_key(self.served)} if self.mode else {}
        body = {"platform": self._make_link_parameters(), "tab": self.tab, **trying}
        reply = await self._send_request("POST", "enter", json=body)
        self.token = reply["token"]
        return reply

    def _make_link_parameters(self) -> dict[str, str]:
        """Return the parameters of the link from the recruiting platform."""
        names = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "sona": "survey_code", "link": "label"}
        name = names.get(self.served.study.recruitment.platform)
        label = f"bot-{self.seed}-{self.number}"
        signed = {"key": sign_label(self.served.keys, self.served.id, label)} if name == "label" else {}
        return {name: label, **signed} if name else {}

    async def _open_plan(self) -> dict[str, Any]:
        """Request the plan and store its token."""
        plan: dict[str, Any] = await self._send_request("GET", "plan")
        self.token = plan["token"]
        return plan

    async def _reload_page(self, index: int, attempt: int) -> dict[str, Any]:
        """Reload in another window, get the position, and report the aborted step."""
        self.tab = str(uuid.uuid4())
        await self._enter_study()
        await self._send_request("POST", "claim", json={"tab": self.tab})
        plan = await self._open_plan()
        await self._put_answer(self._build_body(index, attempt, state="aborted"))
        if plan["policy"]["aborted"] == "skip":
            plan["saved"].append(index)
        plan["attempts"][str(index)] = attempt + 1
        return plan

    async def _answer_step(self, index: int, attempt: int) -> None:
        """Answer one step, skipping pages of branches that do not apply."""
        step = self._get_outline().plan.steps[index]
        # Seeded by the step and not from the bot's own generator: network faults must not change answers.
        rng = Random(f"{self.seed}|{self.number}|{index}")
        if step.branch is not None and not step.branch.is_taken(self.form_answers):
            content: dict[str, Any] = {"answer": dict(SKIPPED), "times": {}, "flags": []}
        elif step.plugin == "form":
            fields = _fill_in(step.fields, rng)
            self.form_answers.update(fields)
            content = {"answer": {"fields": fields}, "times": {}, "flags": []}
        else:
            content = self._simulate_step(step)
        await self._put_answer(self._build_body(index, attempt, **content))
        self.advance(1)

    def _simulate_step(self, step: PlanStep) -> dict[str, Any]:
        """Return the simulated answer to a step."""
        assert step.stimulus is not None  # only forms have none
        if _is_room(step) and (played := self.rooms.get(self.session)):
            return {"answer": played.answer(), "times": {"combined_ms": played.ms}, "flags": []}
        study = self.served.study
        simulated = self.thought.get(step.index) or simulate_answer(
            self.person, study.kind, study.settings, step, self.seed, self.number
        )
        answer = {**simulated.answer, **_get_expected_answer(step, simulated.answer)}
        # `skew` stands for a device whose clock is hours off; durations stay the same.
        times = {
            name: value + self.skew
            if isinstance(value, float) and (name[:2] == "t_" or name == "text_onset")
            else value
            for name, value in simulated.times.items()
        }
        return {"answer": answer, "times": times, "flags": list(simulated.flags)}

    def _build_body(self, index: int, attempt: int, state: str = "done", **content: Any) -> dict[str, Any]:
        sent = self.skew + self.rng.random() * 1e5
        return {"index": index, "attempt": attempt, "state": state, "sent_ms": sent, **content}

    async def _put_answer(self, body: Mapping[str, Any]) -> None:
        """Store an answer under a new UUID. Raises BotStuck if it is not acknowledged."""
        name = str(uuid.uuid4())
        reply = await self._send_request("PUT", f"trials/{name}", json=body)
        if reply.get("saved") is not True:
            raise BotStuck(f"an answer was taken without being acknowledged\n  → {reply}")
        self.saved.add(name)
        self.ending = reply.get("ended") or {}

    @property
    def session(self) -> str:
        return str(self.served.keys.read(self.served.id, self.token)["id"])

    def _get_outline(self) -> Outline:
        """Return the plan of the session."""
        outline = self.served.load_outline(self.session)
        assert outline is not None  # there is a plan since consent
        return outline

    async def _send_request(self, method: str, path: str, **more: Any) -> Any:
        """Send a request until there is a reply, as a page does while it is open."""
        headers = {"X-Referee-Tab": self.tab, **({"Authorization": f"Bearer {self.token}"} if self.token else {})}
        for _ in range(MOST_TRIES):
            try:
                reply = await self.client.request(method, path, headers=headers, **more)
            except httpx.TransportError:
                continue
            # The two refusals that mean "later"; anything else would be a mistake of the bot or of the server.
            if reply.status_code in (429, 503):
                await asyncio.sleep(float(reply.headers.get("retry-after", 1)))
                continue
            if reply.is_success:
                return reply.json()
            if reply.status_code == 409 and reply.json().get("problem") == "full":
                raise NoPlace(reply.json())
            raise BotStuck(f"{method} {path} was refused with {reply.status_code}\n  → {reply.text[:300]}")
        raise BotStuck(f"{method} {path} got no reply in {MOST_TRIES} tries\n  → is the share of faults too high?")


def _is_room(step: PlanStep) -> bool:
    return step.plugin in ROOM_PLUGINS and step.kind == "trial"


def _get_expected_answer(step: PlanStep, simulated: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the right answer to an attention check, which bots pass if they are in time; else {}."""
    if step.check is None or simulated.get("outcome") == Outcome.TIMEOUT:
        return {}
    labels = {behind: label for label, behind in step.shown.labels.items()}
    if step.plugin == OWN and step.stimulus is not None:
        right = step.stimulus.trial.meta[CORRECT]
        return {"response": right, "data": {**simulated["data"], "response": right}}
    if step.check.expect is None:
        target = labels.get(step.stimulus.trial.targets[0]) if step.stimulus else None
        return {"outcome": "entity", "entity": target} if target and "entity" in simulated else {}
    expected: dict[str, Any] = {}
    for name, value in step.check.expect.items():
        if name == "ratings":
            expected[name] = list_expected_ratings(value, step.shown.parameters["scales"])
        elif name == "ranking":
            expected[name] = sorted(simulated[name], key=lambda label: label != labels[value])
        else:
            expected[name] = labels.get(value, value) if isinstance(value, str) else value
    return expected


def _fill_in(fields: tuple[FormField, ...], rng: Random) -> dict[str, Any]:
    """Return random answers to a form: choices and numbers, and text only where it is required."""
    answers: dict[str, Any] = {}
    for form_field in fields:
        if form_field.choices:
            # Those who may not take part are turned away, and there would be nothing to rehearse.
            chosen = rng.choice(form_field.eligible or form_field.choices)
            answers[form_field.name] = [chosen] if form_field.kind == "multi" else chosen
        elif form_field.kind == "number":
            answers[form_field.name] = rng.randint(18, 70)
        elif form_field.required:
            answers[form_field.name] = "simulated participant"
    return answers
