"""Plays a study with simulated participants from the first link to the last code, and checks that no answer is lost."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from sqlalchemy import select

from referee.capabilities import Remembers
from referee.contracts import Hearer
from referee.engines.pieces import Engine
from referee.errors import InputError
from referee_lab.bots.faults import Faults
from referee_lab.bots.participants import Bot
from referee_lab.bots.reference_rooms import play_reference_rooms
from referee_lab.bots.room_games import play_rooms
from referee_lab.bots.thinking import compute_answers, make_hearer
from referee_lab.server.sessions.served_study import Served, open_served
from referee_lab.server.store import schema
from referee_lab.server.web.middleware import Limits, Rate
from referee_lab.server.web.server import create_app
from referee_lab.study.data.collection import collect
from referee_lab.study.protocols.contract import ROOM_PLUGINS

AT_ONCE = 8
Watch = Callable[[int], Callable[[int], None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """The results: sessions, acknowledged answers, faults by kind, endings by outcome, and answers that are missing or
    stored twice (none).
    """

    participants: int
    answers: int
    faults: Counter[str]
    endings: Counter[str]
    lost: int
    twice: int
    seconds: float

    @property
    def sound(self) -> bool:
        return not self.lost and not self.twice


def simulate(
    folder: str | Path,
    hearer: str = "noisy",
    *,
    participants: int = 24,
    seed: int = 1,
    faults: Faults | None = None,
    mode: str | None = "debug",
    train: Path | None = None,
    database: str | None = None,
    engine: Engine | None = None,
    shard: int = 1,
    watch: Watch = lambda total: lambda n: None,
) -> Played:
    """Play a study with simulated participants, in `mode` (None: the study's own, whose seats they fill).

    With an `engine`, answers are computed before the sessions, in batches of `shard` participants. Questions and
    answers are the same for any engine, number of workers and size of batches; only the server's times differ. A hearer
    that needs the network is always called from this process.
    """
    served = open_served(folder, database=database)
    try:
        if mode is None:
            _refuse_among_people(served)
        mind = _make_hearer(served, hearer, seed, train, engine)
    except BaseException:
        served.store.close()
        raise
    trials = max(len(trial_list.trials) for trial_list in served.study.lists)
    # Worked out elsewhere and then given: each half of the way for a bar.
    apart = engine is not None and not isinstance(mind, Remembers)
    advance = watch(participants * trials * (1 + apart))
    began = time.perf_counter()

    def make_bot(number: int, transport: httpx.AsyncBaseTransport) -> Bot:
        """Return the bot of a number, connected to the server."""
        about: dict[str, Any] = {"number": number, "label": hearer, "seed": seed, "mode": mode}
        return Bot(served=served, hearer=mind, transport=transport, faults=faults or Faults(), advance=advance, **about)

    def think(bots: list[Bot]) -> None:
        """Compute the answers of the admitted bots in worker processes, where the hearer permits it."""
        if engine is not None and apart:
            admitted = [participant for participant in bots if not participant.ending]
            questions = {participant.number: participant.questions() for participant in admitted}
            thought = compute_answers(
                engine, shard, served.study, hearer, seed, train, questions, lambda n: advance(n * trials)
            )
            for participant in admitted:
                participant.thought = thought[participant.number]

    bots, (lost, twice) = _prepare_participants(served, participants, make_bot, think)
    return Played(
        participants=len(bots),
        answers=sum(len(b.saved) for b in bots),
        faults=sum((b.tally for b in bots), Counter()),
        endings=Counter(str(b.ending.get("outcome") or b.ending.get("state")) for b in bots),
        lost=lost,
        twice=twice,
        seconds=time.perf_counter() - began,
    )


def _refuse_among_people(served: Served) -> None:
    """Raise InputError for bots among people's data, which could not be separated; debug mode is exempt."""
    study = served.study
    with served.store.read() as connection:
        people = sum(s.simulated is None for s in collect(study, connection).sittings)
    if people and study.mode != "debug":
        raise InputError(
            f"{people} people have already taken part in mode {study.mode}, and simulated participants would mix with them",
            where=study.folder,
            remedy="leave --study-mode out: then simulated participants stay in mode debug",
        )


def _make_hearer(served: Served, hearer: str, seed: int, train: Path | None, engine: Engine | None) -> Hearer:
    """Return the hearer.

    With an engine only its name and options are checked here, because every worker trains its own.
    """
    from referee.jobs.listen import create_hearer

    if engine is not None and train is not None:
        untrained: Hearer = create_hearer(hearer, seed)
        if not isinstance(untrained, Remembers):
            return untrained
    return make_hearer(hearer, seed, [s.trial.id for s in served.study.iterate_stimuli()], train)


def _prepare_participants(
    served: Served,
    participants: int,
    bot: Callable[[int, httpx.AsyncBaseTransport], Bot],
    think: Callable[[list[Bot]], None],
) -> tuple[list[Bot], tuple[int, int]]:
    """Let all participants enter in order, so that the seed determines lists; compute answers.

    Then play some at a time.
    """
    # No request is stopped, because bots are faster than people.
    open_door = Rate(each_second=1e6, burst=1e6)
    limits = Limits(session=open_door, doors=open_door, guesses=open_door, places=open_door)
    app = create_app([served], limits=limits, housekeeping=1e9)
    transport = httpx.ASGITransport(app=app)
    bots = [bot(number, transport) for number in range(1, participants + 1)]
    # Thinking happens between two runs of the loop and not in one: there Ctrl-C is heard at once.
    with asyncio.Runner() as runner, _run_lifespan(runner, app):
        for participant in bots:
            runner.run(participant.enrol())
        think(bots)
        runner.run(_play_sessions(served, bots))
        return bots, count_losses(served, bots)


@contextmanager
def _run_lifespan(runner: asyncio.Runner, app: FastAPI) -> Iterator[None]:
    """Run the application's start and end around a block."""
    house = AsyncExitStack()
    runner.run(house.enter_async_context(app.router.lifespan_context(app)))
    try:
        yield
    finally:
        runner.run(house.aclose())


async def _play_sessions(served: Served, bots: list[Bot]) -> None:
    """Play the rooms, then the sessions, some at a time."""
    plugin = served.study.kind.info.plugin
    if plugin in ROOM_PLUGINS:
        seed = bots[0].seed if bots else 1
        people = [participant.session for participant in bots if not participant.ending]
        together = play_rooms if plugin == "tangram" else play_reference_rooms
        played = await asyncio.to_thread(together, served, people, seed)
        for participant in bots:
            participant.rooms = played
    turn = asyncio.Semaphore(AT_ONCE)

    async def play(participant: Bot) -> None:
        async with turn:
            await participant.play()

    await asyncio.gather(*map(play, bots))


def count_losses(served: Served, bots: Iterable[Bot]) -> tuple[int, int]:
    """Count acknowledged answers that are not in the store, and steps that were stored more than once."""
    lost = twice = 0
    with served.store.read() as connection:
        for bot in bots:
            session = str(served.keys.read(served.id, bot.token)["id"])
            t = schema.trial.c
            rows = connection.execute(select(t.uuid, t["index"], t.state).where(t.session == session)).all()
            stored = {row[0] for row in rows}
            done: Counter[Any] = Counter(row[1] for row in rows if row[2] == "done")
            # Acknowledged and not stored. Stored answers without an acknowledgement count as too many below, because
            # bots repeat until they get one.
            lost += len(bot.saved - stored)
            twice += len(stored - bot.saved) + sum(n - 1 for n in done.values())
    return lost, twice
