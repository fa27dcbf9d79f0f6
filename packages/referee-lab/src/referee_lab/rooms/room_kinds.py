"""The kinds of rooms and their rules.

Players lay a figure together (Tangram), or each listener chooses alone (reference game).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from referee_lab.rooms import reference_state, reference_store, room_state, room_store
from referee_lab.rooms.any_room import RoomLine
from referee_lab.rooms.reference_views import TELLING as REFERENCE_TELLING
from referee_lab.rooms.reference_views import build_reference_status, view_reference_line
from referee_lab.rooms.views import TELLING, build_status, view_line
from referee_lab.tangram.game.goals import find_goal, get_training_goal

if TYPE_CHECKING:
    from referee_lab.rooms.hall import Person


# A room of some kind, and the lines that came of it.
Happened = tuple[Any, list[RoomLine]]


class RoomRules(Protocol):
    """How a room changes: pure functions of the room and the time, one module for every game."""

    def join(self, room: Any, actor: str, name: str, t_ms: float) -> Happened: ...
    def leave(self, room: Any, actor: str, t_ms: float) -> Happened: ...
    def quit_room(self, room: Any, actor: str, t_ms: float) -> Happened: ...
    def act(self, room: Any, actor: str, kind: str, data: Mapping[str, Any], t_ms: float) -> Happened: ...
    def pass_time(self, room: Any, t_ms: float) -> Happened: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomKind:
    """The rules of one game: how a room begins and changes, each person's view, and how a room is restored from the
    store.

    `telling` are the kinds of lines after which everyone receives the full state; `forgetting` are those after which
    the chat begins anew.
    """

    new: Callable[[str, Mapping[str, Any], int], Any]
    settings: Callable[[Mapping[str, Any], Person], dict[str, Any]]
    rules: RoomRules
    status: Callable[..., dict[str, Any]]
    view_line: Callable[..., dict[str, Any] | None]
    load: Callable[..., tuple[Any, int]]
    telling: frozenset[str]
    forgetting: frozenset[str] = frozenset()


def _fill_tangram_settings(settings: Mapping[str, Any], person: Person) -> dict[str, Any]:
    """Return the settings of a Tangram room; a training room is short and never recorded."""
    if not person.practice:
        return dict(settings)
    # A training room is for one person, short, never recorded, and uses a figure that is not among the puzzles.
    first = find_goal(settings["puzzles"][0], settings["goals"])
    return {**settings, "partner": "none", "puzzles": [get_training_goal(first).name], "voice": False}


_KINDS = {
    "tangram": RoomKind(
        new=room_state.Room,
        settings=_fill_tangram_settings,
        rules=room_state,
        status=build_status,
        view_line=view_line,
        load=room_store.load_room,
        telling=TELLING,
    ),
    "reference-game": RoomKind(
        new=reference_state.ReferenceRoom,
        # The trial to play, and the object behind each label.
        settings=lambda settings, person: {**settings, "trial": person.trial, "labels": dict(person.labels)},
        rules=reference_state,
        status=build_reference_status,
        view_line=view_reference_line,
        load=reference_store.load_reference_room,
        telling=REFERENCE_TELLING,
        forgetting=frozenset({"round"}),
    ),
}


def get_room_kind(plugin: str) -> RoomKind:
    """Return the kind of room that a plug-in of the browser plays in."""
    return _KINDS[plugin]
