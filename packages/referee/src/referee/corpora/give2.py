"""GIVE-2: which properties and landmarks people mention to point out a button in a virtual world (Gargett et al. 2010)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from referee.contracts import Card
from referee.corpora.jsonl import parse_pairs
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import Unheard, check_member, find_files, read_document, read_rows
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
        rows, worlds = find_files(self.data, "give2", *FILES)
        rooms = read_document(worlds, _read_rooms)
        return read_rows(rows, lambda row: _make_trial(row, rooms))


Room = tuple[str, Scene, dict[str, Any]]


def _read_rooms(worlds: Mapping[str, Any]) -> dict[str, list[Room]]:
    """Return the rooms of every world: name, scene, and other data (size, polygon, colour)."""
    return {
        world: [
            (
                name,
                _make_scene(f"give2-{world}-{name}", room),
                {k: v for k, v in room.items() if k not in ("entities", "relations")},
            )
            for name, room in rooms.items()
        ]
        for world, rooms in worlds.items()
    }


def _make_scene(scene_id: str, room: Mapping[str, Any]) -> Scene:
    """Return a room as a scene with relations."""
    relations: dict[str, list[Relation]] = {}
    present = {e["id"] for e in get_field(room, "entities", list)}
    for r in get_field(room, "relations", list):
        if r["landmark"] in present:
            relations.setdefault(r["target"], []).append(Relation(r["position"], r["landmark"]))
    return Scene(id=scene_id, entities=tuple(_make_entity(e, relations) for e in get_field(room, "entities", list)))


def _make_entity(thing: Mapping[str, Any], relations: Mapping[str, list[Relation]]) -> Entity:
    """Return an object as an entity with its relations."""
    values = get_field(thing, "attributes", dict)
    # Coordinates become the position; as properties they cannot be expressed.
    attributes = tuple(_convert_property(p) for p in parse_pairs(values) if p.name not in ("x", "y", "z"))
    position = (float(values["x"]), float(values["y"]), float(values["z"]))
    place = get_field(thing, "id", str)
    return Entity(id=place, attributes=attributes, position=position, relations=tuple(relations.get(place, ())))


def _convert_property(pair: Property) -> Property:
    """Return a property with the names and values of this package."""
    if pair.name == "color":
        return Property("colour", pair.value.lower())
    return Property("type", TYPES.get(pair.value, pair.value)) if pair.name == "type" else pair


def _make_trial(row: dict[str, Any], rooms: Mapping[str, list[Room]]) -> Trial:
    """Return a reference as a trial in the room of its target."""
    target, world = get_field(row, "target", str), get_field(row, "world", str)
    # A reference names world and target only; the room is the one that holds it.
    room_of_target = next((room for room in rooms[world] if any(e.id == target for e in room[1].entities)), None)
    if room_of_target is None:
        raise WrongShape(f"{target!r} is in none of the rooms of world {world}", "name an entity of the world")
    name, scene, about = room_of_target
    player = f"{world}-{get_field(row, 'player', str)}"
    return Trial(
        id=f"give2-{row['id']}",
        scene=scene,
        targets=(check_member(scene, target),),
        domain="buttons",
        condition=f"world-{world}",
        speaker=player,
        language=LANGUAGES[get_field(row, "language", str)],
        references=(Description(properties=_read_content(row, target), speaker=player),),
        meta={"world": world, "player": row["player"], "room": name, **{f"room_{k}": v for k, v in about.items()}},
    )


def _read_content(row: Mapping[str, Any], target: str) -> tuple[Property, ...]:
    """Return the properties of the target in the reference, then every relation with the properties of its landmark."""
    mentioned = {
        e["id"]: tuple(_convert_property(p) for p in parse_pairs(e["attributes"]))
        for e in get_field(row, "entities", list)
    }
    result = list(mentioned[target])
    for number, relation in enumerate(get_field(row, "relations", list), 1):
        prefix = "landmark." if number == 1 else f"landmark{number}."
        # Relations have the scene's form (name and landmark), so that the two can be compared.
        result += [Property(value, relation["landmark"]) for _, value in parse_pairs(relation["attributes"])]
        result += [Property(prefix + p.name, p.value) for p in mentioned.get(relation["landmark"], ())]
    return tuple(result)
