"""The raw log of a game.

Every event once and in order, with stored states instead of video, so that replays need no rules (situated.md,
section 8).

A recording is a dialogue on disk (`tiers.dialogue_form`): a header with `meta.game`, then lines of the log
`{kind, by, seq, server_ms, client_ms, data}` that are only ever appended. The server numbers the lines; `client_ms` is
the sender's monotonic clock and None for the server's own lines. Files of older versions, with a header and names of
fields of their own, are read. The fields of `data`:

| kind | data |
| --- | --- |
| start, snapshot | `state` (the whole board, `Board.to_data`), `hash` |
| cursor | `points`: [[dt_ms, x, y], …], dt_ms ≤ 0 counted from the entry's own time |
| grab, move, rotate, flip, release | `piece`, `x`, `y`, `rotation`, `flipped`: the state *after* the change, as the server accepted it |
| typing | `typing`: true or false |
| say | `text`, `typing_start_ms`, `typing_end_ms` (sender's clock), `keystrokes`, `expressions` (gold references: see tiers) |
| voice | `chunk`, `name`, `sha256`, `start_ms`, `end_ms` (sender's clock), `part` (the first chunk of its file), `puzzle` |
| call | `state`, `lost`, `received`, `jitter_ms`: the quality of the sender's connection to the partner |
| speech | `text`, `start_ms`, `end_ms` since the start: spoken words from a transcript; the actor is the speaker |
| hint | `number`, `piece`, `x`, `y`, `rotation`, `flipped` |
| role | `role` |
| clock | `sent_ms`, `received_ms` (sender's clock), `server_ms`: one ping, raw |
| disconnect, reconnect, solved, timeout, end | empty, or a reason |
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, NamedTuple

from referee.corpora.reading.lines import is_finite
from referee.errors import InputError, MalformedInput
from referee.files import write_bytes
from referee.records import NOTHING
from referee_lab.tangram.game.board import CHANGES, Board, read_placement
from referee_lab.tangram.game.own_pieces import register_from_data
from referee_lab.tangram.game.piece_sets import ALL_PIECES, PIECES, get_descriptions
from referee_lab.tangram.json_lines import parse_json_object
from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER
from referee_lab.tangram.tiers.dialogue_form import (
    BOARD_GAME,
    VERSION,
    format_json_line,
    get_game_kind,
    make_header_row,
)

# The format of files before dialogues and recordings had one.
OLD_FORMAT = "referee-tangram"
# Fields of a header and of a line on disk, and in these classes.
_OLD_NAMES = {"by": "actor", "server_ms": "t_server_ms", "client_ms": "t_client_ms"}
STATES = ("start", "snapshot")
HANDLING = CHANGES
KINDS = {
    *(*STATES, *HANDLING, "cursor", "say", "typing", "voice", "call", "speech", "hint", "role", "clock"),
    *("disconnect", "reconnect", "solved", "timeout", "end"),
}


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_known(value: Any) -> bool:
    return value is None or is_finite(value)


def _are_points(value: Any) -> bool:
    """Return whether a value is a list of points with three numbers each."""
    points = value if isinstance(value, list) else [None]
    return all(isinstance(p, list) and len(p) == 3 and all(map(is_finite, p)) for p in points)


def _are_expressions(value: Any) -> bool:
    """Return whether a value is a list of references with their characters, referents and codes."""
    return isinstance(value, list) and all(
        isinstance(x, dict)
        and all(isinstance(x.get(name), int) for name in ("start", "end"))
        and all(isinstance(x.get(name, default), list) for name, default in (("referents", None), ("attributes", [])))
        for x in value
    )


def _is_state(value: Any) -> bool:
    """Return whether a value is a state of a board; its custom pieces are learnt from it."""
    if isinstance(value, dict):
        register_from_data(value.get("own", {}))
    return isinstance(value, dict)


_STORED: Mapping[str, Callable[[Any], bool]] = {"state": _is_state, "hash": _is_text}
_PLACED: Mapping[str, Callable[[Any], bool]] = {
    "piece": lambda value: str(value) in ALL_PIECES if isinstance(value, (str, int)) else False,
    **dict.fromkeys(("x", "y", "rotation"), is_finite),
    "flipped": lambda value: isinstance(value, bool),
}
# What the fields of a line have to be, and those that every line of its kind has.
_FITTING: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(STATES, _STORED),
    **dict.fromkeys(HANDLING, _PLACED),
    "cursor": {"points": _are_points},
    "say": {
        "text": _is_text,
        **dict.fromkeys(("typing_start_ms", "typing_end_ms"), _is_known),
        "expressions": _are_expressions,
    },
    "speech": {"text": _is_text, **dict.fromkeys(("start_ms", "end_ms"), is_finite)},
    "clock": dict.fromkeys(("sent_ms", "received_ms", "server_ms"), is_finite),
}
_OPTIONAL = {"typing_start_ms", "typing_end_ms", "expressions"}


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the log."""

    seq: int
    t_server_ms: float
    t_client_ms: float | None
    actor: str
    kind: str
    data: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line of a recording: game, players with roles (`players`: actor → role), language, and code version."""

    session: str
    pair: str
    goal: str
    players: Mapping[str, str]
    settings: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    code: str = ""
    synthetic: bool = False
    # Files from before this was kept are of English games.
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Recording:
    """A header and its entries; `torn` is an incomplete last line after a crash, None without one."""

    header: Header
    entries: tuple[LogEntry, ...]
    torn: str | None = None


class Moment(NamedTuple):
    """The screen at one time: milliseconds since the start, the board, and the operator's cursor if it has been seen."""

    t_ms: float
    board: Board
    cursor: tuple[float, float] | None


def format_header(header: Header, pieces: Mapping[str, Mapping[str, str]] = PIECES) -> str:
    """Return the header as a line of JSON with its line end."""
    game = {name: getattr(header, name) for name in ("goal", "code")}
    game |= {"players": dict(header.players), "settings": dict(header.settings)}
    about = {name: getattr(header, name) for name in ("pair", "language", "synthetic")}
    return format_json_line(
        make_header_row(pieces, id=header.session, **about, meta={"game": {"kind": BOARD_GAME, **game}})
    )


def format_entry(entry: LogEntry) -> str:
    """Return an entry as a line of JSON with its line end."""
    times = {"server_ms": entry.t_server_ms, "client_ms": entry.t_client_ms}
    return format_json_line(
        {"kind": entry.kind, "by": entry.actor, "seq": entry.seq, **times, "data": dict(entry.data)}
    )


def format_recording(recording: Recording) -> str:
    """Return a whole recording as text."""
    return format_header(recording.header, get_pieces(recording)) + "".join(map(format_entry, recording.entries))


def write_recording(path: Path, recording: Recording) -> None:
    """Write a recording to a file."""
    write_bytes(path, [format_recording(recording).encode()])


def get_pieces(recording: Recording) -> Mapping[str, Mapping[str, str]]:
    """Return the pieces of the recorded board; those of the Tangram if no board was recorded."""
    first = next((entry.data["state"] for entry in recording.entries if entry.kind in STATES), None)
    return PIECES if first is None else get_descriptions(first["pieces"])


def is_recording_header(row: Any) -> bool:
    """Return whether a JSON value is the header of a recording, in today's or the older form."""
    return isinstance(row, dict) and (row.get("format") == OLD_FORMAT or get_game_kind(row) == BOARD_GAME)


def parse_recording(content: str | bytes, where: str = "recording") -> Recording:
    """Return a recording from its text; a last line torn by a crash is stored apart and reported."""
    # A torn line may end inside a character, which is no reason to lose the lines before.
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    lines = text.split("\n")
    # A whole file ends with a line end, and nothing is left behind it.
    torn = lines.pop() or None
    header = _read_header(_parse_first(lines[0] if lines else "", where), where)
    rows = [(number, line) for number, line in enumerate(lines[1:], 2) if line.strip()]
    return Recording(header, tuple(_read_entry(line, where, n) for n, line in rows), torn)


def apply_entry(board: Board | None, entry: LogEntry) -> Board | None:
    """Return the board after an entry, exactly as stored; None before the first state."""
    if entry.kind in STATES:
        return Board.from_data(entry.data["state"])
    if entry.kind in HANDLING and board is not None:
        return board.put(str(entry.data["piece"]), read_placement(entry.data))
    return board


def iterate_moments(recording: Recording) -> Iterator[Moment]:
    """Yield every moment at which the board or the cursor changed, in order, from stored states."""
    board: Board | None = None
    cursor: tuple[float, float] | None = None
    # Cursor points come in batches and are older than their entry: sorting puts them between the changes.
    for t_ms, _, entry, point in sorted(_iterate_changes(recording), key=lambda mark: mark[:2]):
        cursor = point or cursor
        board = board if point else apply_entry(board, entry)
        if board is not None:
            yield Moment(t_ms, board, cursor)


def _iterate_changes(recording: Recording) -> Iterator[tuple[float, int, LogEntry, tuple[float, float] | None]]:
    """Yield changes of the board and cursor points in order of their times."""
    latest = 0.0
    for t_ms, entry in iterate_timeline(recording):
        if entry.kind == "cursor":
            yield from ((t_ms + dt, entry.seq, entry, (x, y)) for dt, x, y in entry.data["points"])
        elif entry.kind in STATES or entry.kind in HANDLING:
            # Estimated times of two connections may cross; changes keep the order in which the server took them.
            latest = max(latest, t_ms)
            yield latest, entry.seq, entry, None


def find_state(recording: Recording, t_ms: float) -> Moment | None:
    """Return the screen at a time; None before the start."""
    shown = takewhile(lambda moment: moment.t_ms <= t_ms, iterate_moments(recording))
    return next(iter(deque(shown, maxlen=1)), None)


def track_positions(recording: Recording) -> Callable[[float], dict[str, tuple[float, float]]]:
    """Return a function from a time to the positions of the pieces; fast after the first call."""
    moments = list(iterate_moments(recording))
    times = [moment.t_ms for moment in moments]

    def at(t_ms: float) -> dict[str, tuple[float, float]]:
        board = moments[max(bisect_right(times, t_ms) - 1, 0)].board
        return {piece: (place.x, place.y) for piece, place in board.placements.items()}

    return at


def find_faults(recording: Recording) -> list[str]:
    """Return the faults of a recording, in sentences.

    Faults are an incomplete last line, missing or repeated numbers, and snapshots that differ from earlier states.
    """
    problems = [] if recording.torn is None else [f"the last line breaks off after {len(recording.torn)} characters"]
    problems += [
        f"entry {entry.seq} follows entry {before.seq}"
        for before, entry in pairwise(recording.entries)
        if entry.seq != before.seq + 1
    ]
    board: Board | None = None
    for entry in recording.entries:
        after = apply_entry(board, entry)
        if entry.kind in STATES and after is not None:
            if after.hash() != entry.data["hash"]:
                problems.append(f"entry {entry.seq}: the stored state does not have the stored hash")
            if board is not None and board.hash() != entry.data["hash"]:
                problems.append(f"entry {entry.seq}: the changes before the {entry.kind} lead to another state")
        board = after
    return problems


def _parse_first(line: str, where: str) -> dict[str, Any]:
    """Return the first line of a file that should be a recording.

    MalformedInput where it is not the header of one.
    """
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not is_recording_header(row):
        raise MalformedInput(
            "not a Tangram recording, and not a dialogue",
            where=where,
            line=1,
            remedy='a dialogue begins with {"format": "referee-dialogue", "id": …} (`referee docs dialogues`)',
        )
    header: dict[str, Any] = row
    return header


def _read_header(row: dict[str, Any], where: str) -> Header:
    """Return the header from its JSON object. Raises InputError for an invalid or newer one."""
    version = row.get("version")
    if not isinstance(version, int):
        remedy = "a recording is as `referee tangram export` writes it; a dialogue has no meta.game"
        problem = f"the version of this recording is {version!r}, not a whole number"
        raise MalformedInput(problem, where=where, line=1, remedy=remedy)
    if version > VERSION:
        problem = f"version {version!r} of the format is newer than this program's ({VERSION})"
        raise InputError(problem, where=where, line=1, remedy="install a newer Referee")
    if row["format"] == OLD_FORMAT:
        fields = {name: value for name, value in row.items() if name not in ("format", "version")}
    else:
        game = {name: value for name, value in row["meta"]["game"].items() if name != "kind"}
        names = ("pair", "language", "synthetic")
        fields = {
            "session": row.get("id"),
            "pair": row.get("id"),
            **{name: row[name] for name in names if name in row},
            **game,
        }
    try:
        header = Header(**fields)
        odd = [role for role in header.players.values() if role not in (SOLVER, OPERATOR)]
    except (TypeError, AttributeError) as error:
        remedy = "see `referee docs tangram-recording`"
        raise MalformedInput(f"unusable header: {error}", where=where, line=1, remedy=remedy) from None
    if odd:
        remedy = f"players are {SOLVER} or {OPERATOR}"
        raise MalformedInput(f"{odd[0]!r} is not a role of this game", where=where, line=1, remedy=remedy)
    return header


def _read_entry(line: str, where: str, number: int) -> LogEntry:
    """Return an entry from its line. Raises MalformedInput for an invalid one."""
    remedy = "restore the line from the server"
    row = parse_json_object(line, where, number, remedy)
    try:
        entry = LogEntry(**{_OLD_NAMES.get(name, name): value for name, value in row.items()})
    except TypeError as error:
        see = "see `referee docs tangram-recording`"
        raise MalformedInput(f"unusable entry: {error}", where=where, line=number, remedy=see) from None
    if (
        not _is_text(entry.kind)
        or entry.kind not in KINDS
        or not isinstance(entry.seq, int)
        or not isinstance(entry.data, dict)
    ):
        known_kinds = f"kinds are {', '.join(sorted(KINDS))}"
        raise MalformedInput(f"unusable entry of kind {entry.kind!r}", where=where, line=number, remedy=known_kinds)
    if missing := [n for n in _FITTING.get(entry.kind, ()) if n not in entry.data and n not in _OPTIONAL]:
        problem = f"{entry.kind} without {', '.join(missing)}"
        raise MalformedInput(problem, where=where, line=number, remedy=remedy)
    if wrong := _find_invalid_field(entry):
        problem = f"{entry.kind} with {wrong}"
        raise MalformedInput(problem, where=where, line=number, remedy=remedy)
    return entry


def _find_invalid_field(entry: LogEntry) -> str:
    """Return the first invalid field of an entry, in words; empty if it has none."""
    if not isinstance(entry.actor, str):
        return f"the actor {entry.actor!r:.40}"
    if not is_finite(entry.t_server_ms) or not _is_known(entry.t_client_ms):
        return "a time that is not a number"
    checks = _FITTING.get(entry.kind, {}).items()
    wrong = [name for name, fits in checks if name in entry.data and not fits(entry.data[name])]
    return f"{wrong[0]} {entry.data[wrong[0]]!r:.40}" if wrong else ""


def iterate_timeline(recording: Recording) -> Iterator[tuple[float, LogEntry]]:
    """Yield the entries in order, each with its time in milliseconds since the start of the game."""
    start = next((e.t_server_ms for e in recording.entries if e.kind == "start"), 0.0)
    offsets = _estimate_offsets(recording.entries)
    for connection, entry in number_connections(recording.entries):
        t_ms, offset = entry.t_server_ms, offsets.get((entry.actor, connection))
        if entry.t_client_ms is not None and offset is not None:
            # An estimate may overshoot; nothing happens after it has arrived.
            t_ms = min(entry.t_client_ms + offset, t_ms)
        yield t_ms - start, entry


def number_connections(entries: Iterable[LogEntry]) -> Iterator[tuple[int, LogEntry]]:
    """Yield entries with the number of their actor's connection: a page that was loaded again has a new clock."""
    connection: Counter[str] = Counter()
    for entry in entries:
        connection[entry.actor] += entry.kind == "reconnect"
        yield connection[entry.actor], entry


def _estimate_offsets(entries: tuple[LogEntry, ...]) -> dict[tuple[str, int], float]:
    """Return the server's clock minus the player's, for each connection, from its quickest ping."""
    best: dict[tuple[str, int], tuple[float, float]] = {}
    for connection, entry in number_connections(entries):
        if entry.kind == "clock":
            sent, received, server = (entry.data[name] for name in ("sent_ms", "received_ms", "server_ms"))
            # Both ways are taken to last equally long; the error is at most half the round trip.
            ping = (received - sent, server - (sent + received) / 2)
            best[entry.actor, connection] = min(best.get((entry.actor, connection), ping), ping)
    return {key: offset for key, (_, offset) in best.items()}
