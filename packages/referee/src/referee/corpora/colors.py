"""Colors in Context.

A speaker describes one of three colour patches to a listener, fifty rounds per game (Monroe et al. 2017).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from referee.contracts import Card
from referee.corpora.games import Games, Message, Round, answer, click, play, said
from referee.corpora.reading.lines import WrongShape, expect, optional
from referee.corpora.reading.packed import find, read_rows, remainder
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

    def _rounds(self) -> Iterator[Round]:
        (path,) = find(self.data, "colors-in-context", FILE, corpus="colors")
        return read_rows(path, read_round)


def read_round(row: dict[str, Any], corpus: str = "colors", language: str = "en") -> Round:
    """A round of three patches from the form of this corpus' file."""
    objects = expect(row, "objects", dict)
    # By the speaker's screen; the listener saw another order, which goes to meta.
    roles = sorted(objects, key=lambda role: objects[role]["pos"][0])
    ids = {role: f"c{objects[role]['pos'][0]}" for role in roles}
    if len(set(ids.values())) < len(roles):
        raise WrongShape("two patches have the same position", "give every patch a different position")
    game, clicked = expect(row, "game", str), ids[expect(row, "clicked", str)]
    messages = [Message(WHO[by], text, time).checked() for by, text, time in expect(row, "messages", list)]
    trial = Trial(
        id=f"{corpus}-{game}-{expect(row, 'round', int)}",
        scene=Scene(entities=tuple(_patch(ids[role], objects[role]) for role in roles)),
        targets=(ids["target"],),
        domain="colours",
        condition=optional(row, "condition", str),
        speaker=game,
        language=language,
        episode=play(
            messages, click(clicked, correct=expect(row, "correct", bool), hsl=objects[row["clicked"]]["hsl"])
        ),
        references=said(messages, speaker=game),
        meta={
            **remainder(row, "condition", "objects", "messages", "clicked"),
            "roles": {ids[role]: role for role in roles},
            "listener_positions": {ids[role]: objects[role]["pos"][1] for role in roles},
        },
    )
    simple = ("simple",) if row["simple"] else ()
    return Round(trial, (answer(trial, game, clicked, optional(row, "rt_ms", int), simple),))


def _patch(patch_id: str, patch: dict[str, Any]) -> Entity:
    """Return a colour patch as an entity."""
    hue, saturation, lightness = patch["hsl"]
    return Entity(
        id=patch_id,
        attributes=(_coordinate("h", hue), _coordinate("s", saturation), _coordinate("l", lightness)),
        position=(float(patch["pos"][0]),),
    )


# The same few hundred coordinates occur in 118,797 patches.
_coordinate = lru_cache(maxsize=None)(Property)
