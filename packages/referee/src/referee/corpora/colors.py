"""Colors in Context.

A speaker describes one of three colour patches to a listener, fifty rounds per game (Monroe et al. 2017).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from referee.contracts import Card
from referee.corpora.games import Games, Message, Round, join_messages, list_events, make_response, record_click
from referee.corpora.reading.lines import WrongShape, get_field, get_optional_field
from referee.corpora.reading.packed import collect_unused_fields, find_files, read_rows
from referee.records import Entity, Property, Scene, Trial

FILE = "colors_trials.jsonl.gz"
WHO = {"s": "speaker", "l": "listener"}


class Colors(Games):
    """39,599 rounds of 792 games.

    Patches are called c1, c2, c3 from left to right on the speaker's screen.
    """

    card = Card(
        name="colors",
        title="Colors in Context",
        source="hawkrobe/reference_games on GitHub, commit a968843, folder data/colors/colorReference",
        licence="none stated",
        languages=("en",),
        citation="Monroe, Hawkins, Goodman & Potts 2017",
        sampled=("game",),
        faults=(
            "792 complete games, unfiltered; the paper's table has 948 games",
            "chat is unfiltered: small talk, typos and rude words occur",
            "in 7 rounds the listener clicked before the speaker had said anything",
            "the source's logs call the conditions equal (far), further (split) and closer (close)",
        ),
        files=(f"colors-in-context/{FILE}",),
    )

    def _read_rounds(self) -> Iterator[Round]:
        (path,) = find_files(self.data, "colors-in-context", FILE, corpus="colors")
        return read_rows(path, read_round)


def read_round(row: dict[str, Any], corpus: str = "colors", language: str = "en") -> Round:
    """Return a round with three colour patches, from a row in the form of this corpus."""
    objects = get_field(row, "objects", dict)
    # By the speaker's screen; the listener saw another order, which goes to meta.
    roles = sorted(objects, key=lambda role: objects[role]["pos"][0])
    ids = {role: f"c{objects[role]['pos'][0]}" for role in roles}
    if len(set(ids.values())) < len(roles):
        raise WrongShape("two patches have the same position", "give every patch a different position")
    game, clicked = get_field(row, "game", str), ids[get_field(row, "clicked", str)]
    messages = [Message(WHO[by], text, time).checked() for by, text, time in get_field(row, "messages", list)]
    trial = Trial(
        id=f"{corpus}-{game}-{get_field(row, 'round', int)}",
        scene=Scene(entities=tuple(_make_patch(ids[role], objects[role]) for role in roles)),
        targets=(ids["target"],),
        domain="colours",
        condition=get_optional_field(row, "condition", str),
        speaker=game,
        language=language,
        episode=list_events(
            messages, record_click(clicked, correct=get_field(row, "correct", bool), hsl=objects[row["clicked"]]["hsl"])
        ),
        references=join_messages(messages, speaker=game),
        meta={
            **collect_unused_fields(row, "condition", "objects", "messages", "clicked"),
            "roles": {ids[role]: role for role in roles},
            "listener_positions": {ids[role]: objects[role]["pos"][1] for role in roles},
        },
    )
    simple = ("simple",) if row["simple"] else ()
    return Round(trial, (make_response(trial, game, clicked, get_optional_field(row, "rt_ms", int), simple),))


def _make_patch(patch_id: str, patch: dict[str, Any]) -> Entity:
    """Return a colour patch as an entity."""
    hue, saturation, lightness = patch["hsl"]
    return Entity(
        id=patch_id,
        attributes=(_coordinate("h", hue), _coordinate("s", saturation), _coordinate("l", lightness)),
        position=(float(patch["pos"][0]),),
    )


# The same few hundred coordinates occur in 118,797 patches.
_coordinate = lru_cache(maxsize=None)(Property)
