"""A corpus: a card, trials, and the responses of hearers where there are any."""

from __future__ import annotations

from collections.abc import Iterator

from referee.contracts import Card
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

BOWLS = (
    (("apple", "red", "large"), ("apple", "green", "large"), ("pear", "green", "small")),
    (("plum", "blue", "small"), ("plum", "red", "small"), ("apple", "red", "large")),
    (("pear", "green", "large"), ("pear", "green", "small"), ("plum", "blue", "small")),
)
SAID = ("the red apple", "the blue plum", "the large pear")
NAMED = (("type", "colour"), ("type", "colour"), ("type", "size"))


class Fruit:
    """Three bowls of fruit, described once and found each time; invented, as its card says.

    A corpus with files takes ``data`` (the folder that --data or REFEREE_DATA names) and raises `referee.errors.DataNotFound` where they are missing.
    """

    card = Card(
        name="fruit",
        title="Bowls of fruit",
        source="this package",
        licence="CC0",
        languages=("en",),
        citation="none: it is an example",
        sampled=("scene",),
        synthetic=True,
    )

    def trials(self) -> Iterator[Trial]:
        for i, (bowl, said, names) in enumerate(zip(BOWLS, SAID, NAMED, strict=True)):
            things = [tuple(Property(n, v) for n, v in zip(("type", "colour", "size"), f, strict=True)) for f in bowl]
            named = tuple(p for p in things[0] if p.name in names)
            yield Trial(
                id=f"bowl{i}",
                scene=Scene(entities=tuple(Entity(id=f"f{k}", attributes=a) for k, a in enumerate(things))),
                targets=("f0",),
                domain="fruit",
                references=(Description(text=said, properties=named),),
            )

    def responses(self) -> Iterator[Response]:
        for trial in self.trials():
            yield Response(trial=trial.id, hearer="somebody", outcome=Outcome.ENTITY, entity="f0")
