"""The room manager: all active rooms of a study.

It orders lines, stores each of them, and then acknowledges and broadcasts it.

Lines of all rooms that arrive during a commit share the next commit, so that durable writes stay cheap. If the store
fails, the room is removed from memory and its people are disconnected. Their pages reconnect to the stored state and
resend the lines that were never acknowledged.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, Protocol

from sqlalchemy import Connection

from referee.records import NOTHING
from referee_lab.rooms import room_store
from referee_lab.rooms.any_room import (
    BOT,
    OVER,
    WAITING,
    AnyRoom,
    RoomLine,
    get_seat_number,
    is_bot,
    is_person,
    number_lines,
)
from referee_lab.rooms.room_kinds import get_room_kind
from referee_lab.server.sessions import kept_answers, presence
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.served_study import Served

# Nothing that time brings (grace, hints, limits) is finer than a second.
TICK_SECONDS = 0.25
# One look a second for all rooms together.
WITHDRAWAL_TICKS = 4
_log = logging.getLogger("referee.studies")
# How a room's end is an ending of a session: the one who stayed, and the one who was lost; both are paid.
ENDINGS = {"partner-left": ("partner_left", "technical"), "no-partner": ("partner_left", "partner_left")}


@dataclass(frozen=True, slots=True)
class Person:
    """A participant who enters a room.

    Session, alias, mode of the study, step of their plan, and the pair or group of their invitation.

    If the game is about a scene, `trial` is the trial of the step and `labels` the object behind each public label.
    """

    session: str
    alias: str
    mode: str
    step: int
    practice: bool = False
    pair: str = ""
    trial: str = ""
    labels: Mapping[str, str] = field(default_factory=lambda: NOTHING)


class Link(Protocol):
    """One connection, seen from the hall."""

    actor: str

    def put(self, events: Sequence[Mapping[str, Any]], **more: Any) -> None:
        """Send events, an acknowledgement and status fields to the page."""

    def cut(self, problem: str, message: str) -> None:
        """Send the page a problem and its message, and close the connection."""


class Watcher(Protocol):
    """A bot or model that plays in a room and is notified of its lines."""

    def notice(self, lines: Sequence[RoomLine]) -> None: ...

    def stop(self) -> None: ...


# Equal only to itself, and so fit to be a key: batches are sorted by room.
@dataclass(eq=False)
class Live:
    """An active room: its state, line numbers, connections and stored history."""

    room: AnyRoom
    mode: str
    step: int
    seq: int = -1
    marks: dict[str, int] = field(default_factory=dict)
    links: dict[str, Link] = field(default_factory=dict)
    chat: list[dict[str, Any]] = field(default_factory=list)
    solved: int = 0
    stored: Any = None
    partner: Watcher | None = None
    broken: bool = False
    pair: str = ""
    forgetting: frozenset[str] = frozenset()

    def remember(self, lines: Iterable[RoomLine]) -> None:
        """Update the chat and the number of solved puzzles, which people who join later are sent."""
        for line in lines:
            if line.kind in self.forgetting:
                self.chat.clear()
            if line.kind == "say":
                seat = get_seat_number(self.room, line.actor)
                self.chat.append({"seat": seat, "text": line.data["text"], "t_server": line.t_server})
            self.solved += line.kind == "solved"


@dataclass(slots=True)
class _Parcel:
    """Lines to store together, the actor to acknowledge then, and the future to resolve."""

    live: Live
    room: AnyRoom
    lines: list[RoomLine]
    actor: str | None = None
    mark: int = 0
    done: asyncio.Future[None] | None = None


class Hall:
    """The room manager of one study. All methods run on the event loop.

    Other threads share only the store with it.
    """

    def __init__(self, served: Served, engage: Any = None) -> None:
        self.served = served
        self.kind = get_room_kind(served.study.kind.info.plugin)
        self.engage = engage
        self.rooms: dict[str, Live] = {}
        self._waiting: list[_Parcel] = []
        # At most one at a time, so that lines reach the store in the order of their numbers.
        self._writing: asyncio.Task[None] | None = None
        self._ticking: asyncio.Task[None] | None = None
        self._latest = 0.0

    def now_ms(self) -> float:
        """Return the server's time in milliseconds; it never runs backwards."""
        # The system's clock may be set back during a game. Times in a recording must not be, or replays would show
        # effects before causes. Times of pages are stored unchanged: lines of kind `clock` log their offset, and
        # readers of a recording correct for it.
        self._latest = max(self._latest, round(1000 * self.served.clock(), 3))
        return self._latest

    # -- opening and closing -------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Load the rooms that were active when the server stopped; everyone in them gets a new grace period."""
        with self.served.store.read() as connection:
            for row in room_store.load_unfinished_rooms(connection, self.served.id):
                self.rooms[row.id] = self._load_room(connection, row)
        # No connection survives a restart of the server: everyone counts as disconnected, whatever the last stored line
        # is.
        for live in self.rooms.values():
            for seat in live.room.seats:
                if is_person(seat.actor):
                    self._apply_and_queue(live, *self.kind.rules.leave(live.room, seat.actor, self.now_ms()))
            self._start_partner(live)
        self._ticking = asyncio.create_task(self._run_clock())

    def _load_room(self, connection: Connection, row: Any) -> Live:
        """Return an active room read from the store."""
        room, seq = self.kind.load(connection, row)
        marks = room_store.load_client_numbers(connection, row.id)
        live = Live(room, row.mode, row.data["step"], seq, marks, forgetting=self.kind.forgetting)
        live.remember(room_store.load_lines_after(connection, row.id, -1))
        return live

    async def close(self) -> None:
        """Stop bots and background tasks, and disconnect every page."""
        for live in self.rooms.values():
            if live.partner:
                live.partner.stop()
        for task in (self._ticking, self._writing):
            # Cancelling ends only the waiting: lines in the writer are committed when the store is closed, and others
            # were never acknowledged.
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    # -- people --------------------------------------------------------------------------------------------------------

    async def enter(self, person: Person, link: Link, last: int) -> Live:
        """Seat a person in their earlier room, a waiting room or a new one.

        The greeting follows once that is stored.
        """
        live = self._find_room(person)
        # One connection per person: the newer one wins, as with windows, so that nobody plays twice at once.
        old = live.links.pop(person.session, None)
        if old is not None:
            old.cut("other-connection", "This page was connected again.")
        await self._apply_and_wait(live, *self.kind.rules.join(live.room, person.session, person.alias, self.now_ms()))
        if live.broken:
            raise Problem(503, "storage", "The room could not be stored just now; try again.")
        # After the commit: from the greeting on a page may rely on its seat.
        self._send_missed_lines(live, link, last)
        self._start_partner(live)
        return live

    def _find_room(self, person: Person) -> Live:
        """Return a person's room: their earlier room, a waiting one with the same settings, or a new one."""
        rejoined = [r for r in self.rooms.values() if r.room.has(person.session) and r.step == person.step]
        if rejoined:
            return rejoined[-1]
        if (over := self._find_finished_room(person)) is not None:
            return over
        settings = self.kind.settings(self.served.study.settings, person)
        # Only those meet who are to play the same: a training is for one, and a scene is for those who see it.
        open_ones = (
            r
            for r in self.rooms.values()
            if r.room.phase == WAITING and len(r.room.seats) < r.room.people and r.room.settings == settings
        )
        pair = person.pair if not person.practice else ""
        place = (person.mode, person.step, pair)
        joined = next((r for r in open_ones if (r.mode, r.step, r.pair) == place), None)
        if joined is None:
            key = str(uuid.uuid4())
            # An independent random seed: pages know the name of their room and must not be able to derive the targets
            # from it.
            room = self.kind.new(key, settings, uuid.uuid4().int % 2**31)
            joined = Live(room, person.mode, person.step, pair=pair, forgetting=self.kind.forgetting)
            self.rooms[key] = joined
        return joined

    def _find_finished_room(self, person: Person) -> Live | None:
        """Return the finished room of a person at this step, while its end can still be shown; else None."""
        with self.served.store.read() as connection:
            for row in room_store.load_finished_rooms(connection, person.session):
                if row.data["step"] == person.step:
                    live = self._load_room(connection, row)
                    live.stored = _get_stored_fields(live.room)
                    return live
        return None

    def _send_missed_lines(self, live: Live, link: Link, last: int) -> None:
        """Send a page the lines after `last` and the current state, and register its connection."""
        missed: list[dict[str, Any]] = []
        if last >= 0:
            with self.served.store.read() as connection:
                # From the store: only stored lines were broadcast, so no line is sent twice or left out.
                lines = room_store.load_lines_after(connection, live.room.id, last)
            missed = self._view_lines(live.room, lines, link.actor)
        live.links[link.actor] = link
        link.put(missed, ack=live.marks.get(link.actor, 0), status=self._get_status(live, link.actor))

    def handle_disconnect(self, live: Live, link: Link) -> None:
        """Mark a person as disconnected, unless a newer connection has replaced this one."""
        if live.links.get(link.actor) is link:
            del live.links[link.actor]
            if live.room.has(link.actor):
                self._apply_and_queue(live, *self.kind.rules.leave(live.room, link.actor, self.now_ms()))

    def quit(self, live: Live, actor: str) -> None:
        """Remove an actor who quits from their room."""
        self._apply_and_queue(live, *self.kind.rules.quit_room(live.room, actor, self.now_ms()))

    def take(self, live: Live, actor: str, sent: Iterable[RoomLine]) -> None:
        """Apply the lines that a page sent in one message, in order and each once.

        Lines before an invalid one are stored.

        A page that lost its connection resends every line that was not acknowledged. Numbers up to the last accepted
        one are skipped. A gap in the numbers is an error, because the missing line may still arrive.
        """
        now, mark = self.now_ms(), live.marks.get(actor, 0)
        lines: list[RoomLine] = []
        try:
            for line in sent:
                number = line.client_seq or 0
                if number <= mark:
                    continue
                if number != mark + 1:
                    raise Problem(409, "gap", f"Number {mark + 1} comes next.", expected=mark + 1)
                lines += self._number_and_apply(
                    live, *self.kind.rules.act(live.room, actor, line.kind, line.data, now), now, line
                )
                mark = number
        finally:
            if mark > live.marks.get(actor, 0):
                live.marks[actor] = mark
                self._queue_parcel(_Parcel(live, live.room, lines, actor, mark))

    def find_room_of_session(self, room: str, session: str) -> Live | None:
        """Return the room that a session is in, or was in until the room ended; else None."""
        live = self.rooms.get(room)
        if live is None:
            with self.served.store.read() as connection:
                row = next((r for r in room_store.load_finished_rooms(connection, session) if r.id == room), None)
                if row is None:
                    return None
                live = self._load_room(connection, row)
            live.stored = _get_stored_fields(live.room)
            # One object a room: its lines are numbered here.
            self.rooms[room] = live
        return live if live.room.has(session) else None

    async def note(self, live: Live, actor: str, kind: str, data: Mapping[str, Any]) -> None:
        """Store an event outside the numbered messages (a chunk of sound); return after the commit."""
        await self._apply_and_wait(live, live.room, [RoomLine(actor, kind, data)])

    def relay_signal(self, live: Live, actor: str, signal: Mapping[str, Any]) -> None:
        """Send a WebRTC signal to one other page (`to`, a seat) or to all others.

        Signals are neither stored nor acknowledged.
        """
        to, message = signal.get("to"), {name: value for name, value in signal.items() if name != "to"}
        for other, link in live.links.items():
            if other != actor and to in (None, get_seat_number(live.room, other)):
                link.put((), signal={**message, "from": get_seat_number(live.room, actor)})

    def act_for_bot(self, live: Live, kind: str, data: Mapping[str, Any], actor: str = BOT) -> None:
        """Apply an action of a bot to its room."""
        self._apply_and_queue(live, *self.kind.rules.act(live.room, actor, kind, data, self.now_ms()))

    # -- storing and telling -------------------------------------------------------------------------------------------

    def _apply_and_queue(self, live: Live, room: AnyRoom, lines: Sequence[RoomLine]) -> _Parcel:
        """Apply the next state and lines to a room and queue them for the store."""
        parcel = _Parcel(live, room, self._number_and_apply(live, room, lines, self.now_ms()))
        self._queue_parcel(parcel)
        return parcel

    async def _apply_and_wait(self, live: Live, room: AnyRoom, lines: Sequence[RoomLine]) -> None:
        """Apply lines to a room and return after the commit, or after the store refused them."""
        done = asyncio.get_running_loop().create_future()
        self._apply_and_queue(live, room, lines).done = done
        await done

    def _number_and_apply(
        self, live: Live, room: AnyRoom, lines: Sequence[RoomLine], now: float, sent: RoomLine | None = None
    ) -> list[RoomLine]:
        """Number the lines, apply them to the room, and return them; they are stored later."""
        numbered = number_lines(lines, live.seq + 1, now, sent)
        live.room, live.seq = room, live.seq + len(numbered)
        live.remember(numbered)
        return numbered

    def _queue_parcel(self, parcel: _Parcel) -> None:
        """Queue lines for the next commit and start the writer task if it is idle."""
        self._waiting.append(parcel)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_batches())

    async def _write_batches(self) -> None:
        """Commit queued lines, one transaction per batch, until the queue is empty."""
        # Whatever comes while this batch is being committed collects in `_waiting` and shares the next commit: the busier the hall, the larger the batches.
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            batch: dict[Live, list[_Parcel]] = {}
            for parcel in waiting:
                # Lines after one that was refused would leave a gap in the numbers.
                if not parcel.live.broken:
                    batch.setdefault(parcel.live, []).append(parcel)
            try:
                await self.served.store.awrite(partial(self._store_batch, batch))
            except Exception as error:  # whatever it was, nothing of it is acknowledged
                _log.error("a room was not stored: %s", type(error).__name__)
                for live in batch:
                    live.broken = True
                    self._drop_room(live)
            else:
                for live, parcels in batch.items():
                    self._broadcast_lines(live, parcels)
            for parcel in waiting:
                if parcel.done is not None and not parcel.done.done():
                    parcel.done.set_result(None)

    def _store_batch(self, batch: Mapping[Live, Sequence[_Parcel]], connection: Connection) -> None:
        """Store a batch in one transaction; a room that ends early also ends the sessions of its people."""
        now = self.served.clock()
        numbered: list[tuple[str, RoomLine]] = []
        for live, parcels in batch.items():
            # A room changes with every line; only its last state is worth a row.
            room = parcels[-1].room
            lines = _collect_lines(parcels)
            numbered += ((room.id, line) for line in lines)
            # Before its lines, which point to it.
            if _get_stored_fields(room) != live.stored:
                room_store.store_room(connection, room, self.served.id, live.mode, live.step, now)
            # In the transaction of the line that says so: a room is never over without its people being paid, nor the
            # other way round.
            for actor in (line.actor for line in lines if line.kind == "gone"):
                self._end_session(connection, room, actor, "technical")
            ends = [line for line in lines if line.kind == "over"]
            if room.outcome in ENDINGS and ends:
                stayed, left = ENDINGS[str(room.outcome)]
                for seat in room.seats:
                    if is_person(seat.actor):
                        is_lost = seat.actor == ends[0].data["by"]
                        self._end_session(connection, room, seat.actor, left if is_lost else stayed)
        room_store.store_lines(connection, numbered)

    def _end_session(self, connection: Connection, room: AnyRoom, actor: str, outcome: str) -> None:
        """End a person's session with an outcome, unless it has already ended."""
        row = kept_answers.load_session(connection, self.served, actor)
        # Sessions that were withdrawn or ended earlier keep that ending.
        if row.state in ("consented", "running"):
            reason = room.outcome or "partner-left"
            presence.end_session(connection, self.served, row, outcome, "server", reason=reason, room=room.id)

    def _broadcast_lines(self, live: Live, parcels: Sequence[_Parcel]) -> None:
        """Acknowledge and broadcast stored lines."""
        live.stored = _get_stored_fields(parcels[-1].room)
        lines = _collect_lines(parcels)
        marks = {parcel.actor: parcel.mark for parcel in parcels}
        tells = any(line.kind in self.kind.telling for line in lines)
        for actor, link in list(live.links.items()):
            events = self._view_lines(live.room, lines, actor)
            more: dict[str, Any] = {"ack": marks[actor]} if actor in marks else {}
            if tells:
                more["status"] = self._get_status(live, actor)
            if events or more:
                link.put(events, **more)
        # The bot hears of things when people do: after the commit.
        if live.partner and lines:
            live.partner.notice(lines)
        # Empty rooms leave memory once all their lines are stored.
        is_empty = live.room.phase == WAITING and not live.room.seats
        is_over = live.room.phase == OVER and not live.links
        if (is_empty or is_over) and not any(parcel.live is live for parcel in self._waiting):
            self._drop_room(live)

    def _get_status(self, live: Live, actor: str) -> dict[str, Any]:
        return self.kind.status(live.room, actor, self.now_ms(), live.seq, live.chat, live.solved)

    def _view_lines(self, room: AnyRoom, lines: Iterable[RoomLine], actor: str) -> list[dict[str, Any]]:
        return [event for line in lines if (event := self.kind.view_line(room, line, actor)) is not None]

    def _drop_room(self, live: Live) -> None:
        """Drop a room that could not be stored and disconnect its pages."""
        self.rooms.pop(live.room.id, None)
        if live.partner:
            live.partner.stop()
        for link in list(live.links.values()):
            link.cut("storage", "The room could not be stored just now; your page tries again.")
        live.links.clear()

    def _start_partner(self, live: Live) -> None:
        """Start the bot or model of a room with a bot's seat, unless it is already playing."""
        if live.partner is None and self.engage is not None and any(is_bot(s.actor) for s in live.room.seats):
            live.partner = self.engage(self, live)

    async def _run_clock(self) -> None:
        """Advance the time of every active room once per tick."""
        for tick in count():
            await asyncio.sleep(TICK_SECONDS)
            # A copy, for rooms come and go while we wait for others.
            for live in list(self.rooms.values()):
                room, lines = self.kind.rules.pass_time(live.room, self.now_ms())
                if lines:
                    self._apply_and_queue(live, room, lines)
            if tick % WITHDRAWAL_TICKS == 0:
                await self._remove_withdrawn()

    async def _remove_withdrawn(self) -> None:
        """Remove withdrawn participants from their rooms."""
        playing = [
            (live, seat.actor) for live in self.rooms.values() for seat in live.room.seats if is_person(seat.actor)
        ]
        if not playing:
            return

        def select_withdrawn() -> set[str]:
            with self.served.store.read() as connection:
                return room_store.select_withdrawn(connection, [actor for _, actor in playing])

        try:
            gone = await asyncio.to_thread(select_withdrawn)
        except Exception as error:  # the next look is a second away
            _log.error("could not look for withdrawals: %s", type(error).__name__)
            return
        for live, actor in playing:
            if (
                actor in gone
                and live.room.has(actor)
                and live.room.phase != OVER
                and not live.room.get_seat(actor).gone
            ):
                link = live.links.pop(actor, None)
                step = self.kind.rules.leave if live.room.phase == WAITING else self.kind.rules.quit_room
                self._apply_and_queue(live, *step(live.room, actor, self.now_ms()))
                if link is not None:
                    link.cut("withdrawn", "You have withdrawn from this study.")


def _get_stored_fields(room: AnyRoom) -> tuple[Any, ...]:
    """Return the fields of a room's database row, which is written only when they change."""
    return room.phase, room.puzzle, room.outcome, room.seats, room.began_ms


def _collect_lines(parcels: Iterable[_Parcel]) -> list[RoomLine]:
    return [line for parcel in parcels for line in parcel.lines]
