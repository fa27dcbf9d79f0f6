"""GIVE-2: which properties and landmarks people mention to point out a button in a virtual world (Gargett et al. 2010)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from referee.contracts import Card
from referee.corpora.jsonl import pairs
from referee.corpora.reading.lines import WrongShape, expect
from referee.corpora.reading.packed import Unheard, find, member, read_document, read_rows
from referee.records import Description, Entity, Property, Relation, Scene, Trial

FILES = ("give2.jsonl.gz", "give2_worlds.json")
LANGUAGES = {"EN": "en", "GE": "de"}
# A picture in the world files is a painting in the annotation of references.
TYPES = {"picture": "painting"}


class Give2(Unheard):
    """992 references without wording; the scene is the room of the target."""

    card = Card(
        name="give2",
        title="GIVE-2: buttons in rooms, annotated content",
        source="ThiagoCF05/EACH-GRE on GitHub, commit c1dbe18, folder GIVE/xmls",
        licence="none stated",
        languages=("en", "de"),
        citation="Gargett, Garoufi, Koller & Striegnitz 2010",
        sampled=("scene", "speaker"),
        faults=(
            "content only: no wording, no visibility at the moment of speaking, no success, no times",
            "the player is a landmark in 127 relations, but its place is not recorded, so these cannot be checked",
            "left and right depend on a viewpoint that is not recorded",
            "6 relations of one room (45 trials) lead to things that are not in it; they are left out",
            "colours of the world files are lower-cased and pictures called paintings, as in the references",
        ),
        files=tuple(f"give2/{f}" for f in FILES),
    )

    def trials(self) -> Iterator[Trial]:
        """Yield a trial for every reference."""
        rows, worlds = find(self.data, "give2", *FILES)
        rooms = read_document(worlds, _rooms)
        return read_rows(rows, lambda row: _trial(row, rooms))


Room = tuple[str, Scene, dict[str, Any]]


def _rooms(worlds: Mapping[str, Any]) -> dict[str, list[Room]]:
    """Return the rooms of every world: name, scene, and other data (size, polygon, colour)."""
    return {
        world: [
            (
                name,
                _scene(f"give2-{world}-{name}", room),
                {k: v for k, v in room.items() if k not in ("entities", "relations")},
            )
            for name, room in rooms.items()
        ]
        for world, rooms in worlds.items()
    }


def _scene(scene_id: str, room: Mapping[str, Any]) -> Scene:
    """Return a room as a scene with relations."""
    relations: dict[str, list[Relation]] = {}
    present = {e["id"] for e in expect(room, "entities", list)}
    for r in expect(room, "relations", list):
        if r["landmark"] in present:
            relations.setdefault(r["target"], []).append(Relation(r["position"], r["landmark"]))
    return Scene(id=scene_id, entities=tuple(_entity(e, relations) for e in expect(room, "entities", list)))


def _entity(thing: Mapping[str, Any], relations: Mapping[str, list[Relation]]) -> Entity:
    """Return an object as an entity with its relations."""
    values = expect(thing, "attributes", dict)
    # Coordinates become the position; as properties they cannot be expressed.
    attributes = tuple(_property(p) for p in pairs(values) if p.name not in ("x", "y", "z"))
    position = (float(values["x"]), float(values["y"]), float(values["z"]))
    place = expect(thing, "id", str)
    return Entity(id=place, attributes=attributes, position=position, relations=tuple(relations.get(place, ())))


def _property(pair: Property) -> Property:
    """Return a property with the names and values of this package."""
    if pair.name == "color":
        return Property("colour", pair.value.lower())
    return Property("type", TYPES.get(pair.value, pair.value)) if pair.name == "type" else pair


def _trial(row: dict[str, Any], rooms: Mapping[str, list[Room]]) -> Trial:
    """Return a reference as a trial in the room of its target."""
    target, world = expect(row, "target", str), expect(row, "world", str)
    # A reference names world and target only; the room is the one that holds it.
    room_of_target = next((room for room in rooms[world] if any(e.id == target for e in room[1].entities)), None)
    if room_of_target is None:
        raise WrongShape(f"{target!r} is in no room of world {world}", "name an entity of the world")
    name, scene, about = room_of_target
    player = f"{world}-{expect(row, 'player', str)}"
    return Trial(
        id=f"give2-{row['id']}",
        scene=scene,
        targets=(member(scene, target),),
        domain="buttons",
        condition=f"world-{world}",
        speaker=player,
        language=LANGUAGES[expect(row, "language", str)],
        references=(Description(properties=_content(row, target), speaker=player),),
        meta={"world": world, "player": row["player"], "room": name, **{f"room_{k}": v for k, v in about.items()}},
    )


def _content(row: Mapping[str, Any], target: str) -> tuple[Property, ...]:
    """Return the properties of the target in the reference, then every relation with the properties of its landmark."""
    mentioned = {e["id"]: tuple(_property(p) for p in pairs(e["attributes"])) for e in expect(row, "entities", list)}
    result = list(mentioned[target])
    for number, relation in enumerate(expect(row, "relations", list), 1):
        prefix = "landmark." if number == 1 else f"landmark{number}."
        # Relations have the scene's form (name and landmark), so that the two can be compared.
        result += [Property(value, relation["landmark"]) for _, value in pairs(relation["attributes"])]
        result += [Property(prefix + p.name, p.value) for p in mentioned.get(relation["landmark"], ())]
    return tuple(result)
