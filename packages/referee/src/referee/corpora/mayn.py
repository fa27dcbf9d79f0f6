"""Implicature reference games with three creatures or shapes and four messages, in six experiments (Mayn & Demberg 2022, 2023)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import find_files, read_rows
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

FILE = "choices.jsonl.gz"
AMBIGUOUS = "ambiguous"
LOOKS = ("kind", "accessory", "colour")


class MaynRefgames:
    """16,017 choices of 281 people in six experiments.

    A trial for every item of an experiment, a response for every choice.

    ``meta["experiment"]`` names the experiment. The message comes from the experimenters, so a trial has no reference; its responses have the message.
    Objects are called o1, o2, o3 in the order of their looks. The 2,529 choices of ambiguous fillers, which have no target, are not read.
    """

    card = Card(
        name="mayn-refgames",
        title="Implicature reference games with simple and complex inferences",
        source="sashamayn/refgame_stimuli_methods, commit d7d4aec, and refgame_cogsci22, commit b3a2b5e, on GitHub",
        licence="none stated",
        languages=("en",),
        citation="Mayn & Demberg 2023, Open Mind 7; Mayn & Demberg 2022, CogSci",
        sampled=("participant", "scene"),
        faults=(
            "no times, and no exclusions (the authors leave out people below .8 on unambiguous fillers)",
            "ambiguous fillers, in which two objects look the same and neither is the target, are not read",
            "places on the screen differ between people and are not read, so there is no position bias",
            "the guess rate among objects that the message is true of is 1/2 in critical trials",
            "the reasons that people gave for 378 choices are not imported",
        ),
        files=(f"mayn-refgames/{FILE}",),
    )

    def __init__(self, data: str | Path | None = None) -> None:
        self.data = data

    def trials(self) -> Iterator[Trial]:
        return iter({trial.id: trial for trial, _ in self._iterate_choices()}.values())

    def responses(self) -> Iterator[Response]:
        return (response for _, response in self._iterate_choices())

    def _iterate_choices(self) -> Iterator[tuple[Trial, Response]]:
        (path,) = find_files(self.data, "mayn-refgames", FILE)
        return (choice for choice in read_rows(path, _parse_choice) if choice is not None)


def _parse_choice(row: dict[str, Any]) -> tuple[Trial, Response] | None:
    """Return a row as a trial and its response; None in the ambiguous condition."""
    if get_field(row, "condition", str) == AMBIGUOUS:
        return None
    experiment, item, shown = (
        get_field(row, "experiment", str),
        get_field(row, "item", int),
        get_field(row, "objects", list),
    )
    # The same objects for everybody, in another order.
    order = sorted(range(len(shown)), key=lambda i: _make_attributes(shown[i]))
    ids = {i: f"o{rank}" for rank, i in enumerate(order, 1)}
    targets = [ids[i] for i, thing in enumerate(shown) if thing["role"] == "target"]
    if len(targets) != 1:
        raise WrongShape(f"{len(targets)} objects are the target", "give exactly one object the role target")
    chosen = get_field(row, "chosen", int)
    if chosen not in ids:
        raise WrongShape(f"chosen is {chosen} of {len(shown)} objects", "count objects from 0")
    scene = Scene(
        id=f"{experiment}-{item}",
        entities=tuple(Entity(id=ids[i], attributes=_make_attributes(shown[i])) for i in order),
    )
    if get_field(row, "correct", bool) != (ids[chosen] == targets[0]):
        raise WrongShape(f"correct is {row['correct']}, but {shown[chosen]['role']} was chosen")
    trial = Trial(
        id=f"mayn-{experiment}-{item}",
        scene=scene,
        targets=(targets[0],),
        domain="creatures",
        condition=row["condition"],
        # Every person saw another order, which is not read.
        meta={"experiment": experiment, "item_type": get_field(row, "item_type", str), "places": []},
    )
    response = Response(
        trial=trial.id,
        hearer=get_field(row, "participant", str),
        outcome=Outcome.ENTITY,
        entity=ids[chosen],
        description=_describe_message(get_field(row, "message", str), scene),
        flags=(experiment,),
    )
    return trial, response


def _make_attributes(thing: dict[str, Any]) -> tuple[Property, ...]:
    return tuple(Property(name, get_field(thing, name, str)) for name in LOOKS if name in thing)


def _describe_message(text: str, scene: Scene) -> Description:
    """Return a message as a description with the property that it names."""
    properties = {p for e in scene.entities for p in e.attributes if p.value == text}
    if len(properties) != 1:
        raise WrongShape(f"the message {text!r} names {len(properties)} properties", "use a value of one attribute")
    return Description(properties=tuple(properties), text=text)
