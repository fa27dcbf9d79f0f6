"""Tiny invented rooms for the tests of systems, and trials in which people describe the first thing in them."""

from __future__ import annotations

from referee.records import Description, Entity, Property, Scene, Trial


def props(text: str) -> tuple[Property, ...]:
    """``"colour:red size:large"`` as properties."""
    return tuple(Property(*word.split(":")) for word in text.split())


def room(*entities: str) -> Scene:
    """One entity per text of properties, with the ids 0, 1, 2 …"""
    return Scene(entities=tuple(Entity(id=str(i), attributes=props(e)) for i, e in enumerate(entities)))


def trial(
    scene: Scene,
    said: str | None = None,
    *,
    id: str = "t",
    domain: str = "furniture",
    condition: str = "-LOC",
    speaker: str = "a",
) -> Trial:
    """Someone describes the first entity, by attribute names ("type colour") whose values are the entity's own."""
    references: tuple[Description, ...] = ()
    if said is not None:
        names = said.split()
        references = (Description(properties=tuple(p for p in scene.entities[0].attributes if p.name in names)),)
    return Trial(
        id=id, scene=scene, targets=("0",), domain=domain, condition=condition, speaker=speaker, references=references
    )


def written(properties: tuple[Property, ...]) -> str:
    return " ".join(map(str, properties))
