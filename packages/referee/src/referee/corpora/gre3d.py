"""GRE3D3 and GRE3D7.

Balls and cubes in simple scenes, made to see when speakers use relations (Viethen & Dale 2008, 2011).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.reading.lines import get_field, get_optional_field
from referee.corpora.reading.packed import (
    Unheard,
    check_member,
    collect_unused_fields,
    find_files,
    read_rows,
    read_scenes,
)
from referee.records import Description, Entity, Property, Relation, Scene, Trial

# tg is the target and lm the landmark; `rel` between them is read apart.
SLOTS = {
    "tg_type": "type",
    "tg_col": "colour",
    "tg_size": "size",
    "tg_loc": "location",
    "lm_type": "landmark.type",
    "lm_col": "landmark.colour",
    "lm_size": "landmark.size",
    "lm_loc": "landmark.location",
}
# The scene tables say "center", the annotation of descriptions "centre"; one spelling lets them be compared.
SPELLING = {"center": "centre"}

FAULTS = {
    7: (
        "three descriptions have no properties, because words and pattern could not be aligned",
        "13 descriptions were aligned with the unordered pattern",
        "two cells of the scene table were repaired (a colour in scene 10, a relation in scene 18)",
        "locations such as top or bottom are said but not in the scene table",
    ),
    3: (
        "11 descriptions were aligned with the unordered pattern",
        "one relation of the scene table was repaired (scene 13)",
        "locations such as top are said but not in the scene table",
        "only targets are on top of or in front of something",
    ),
}


class Gre3d(Unheard):
    """`version` is 7 (4,480 descriptions, 7 objects) or 3 (630 descriptions, 3 objects)."""

    def __init__(self, data: str | Path | None = None, version: int = 7) -> None:
        super().__init__(data)
        self.version = version

    @property
    def card(self) -> Card:
        """Return the card of the corpus."""
        name = f"gre3d{self.version}"
        return Card(
            name=name,
            title=f"GRE3D{self.version}: balls and cubes, with relations",
            source="ThiagoCF05/EACH-GRE on GitHub, commit c1dbe18",
            licence="none stated; cite the corpus papers",
            languages=("en",),
            citation="Viethen & Dale 2008" if self.version == 3 else "Viethen & Dale 2011",
            sampled=("scene", "speaker"),
            faults=FAULTS.get(self.version, ()),
            files=(f"gre3d/{name}.jsonl.gz", f"gre3d/{name}_scenes.json"),
        )

    def trials(self) -> Iterator[Trial]:
        """Yield a trial for every description."""
        name = f"gre3d{self.version}"
        rows, table = find_files(self.data, "gre3d", f"{name}.jsonl.gz", f"{name}_scenes.json", corpus=name)
        scenes = read_scenes(table, lambda key, things: _make_scene(f"{name}-{key}", things))
        return read_rows(rows, lambda row: _make_trial(row, scenes[get_field(row, "scene", str)], name))


def _make_scene(scene_id: str, things: list[dict[str, Any]]) -> Scene:
    return Scene(id=scene_id, entities=tuple(_make_entity(t) for t in things))


def _make_entity(thing: Mapping[str, Any]) -> Entity:
    """Return an object as an entity with its relations."""
    places = (Property("location", SPELLING.get(place, place)) for place in get_field(thing, "location", list))
    return Entity(
        id=get_field(thing, "id", str),
        attributes=(*(Property(name, get_field(thing, name, str)) for name in ("type", "colour", "size")), *places),
        relations=tuple(Relation(name, other) for name, ids in thing["relations"].items() for other in ids),
    )


def _make_trial(row: dict[str, Any], scene: Scene, name: str) -> Trial:
    """Return a description as a trial."""
    target = check_member(scene, get_field(row, "target", str))
    speaker = get_field(row, "speaker", str)
    # Three rows of GRE3D7 have none: words and pattern differ in length.
    slots = get_optional_field(row, "attributes", list)
    properties = (
        None if slots is None else tuple(_convert_property(slot, value, scene.entity(target)) for slot, value in slots)
    )
    return Trial(
        id=f"{name}-{get_field(row, 'id', str)}",
        scene=scene,
        targets=(target,),
        domain="blocks",
        condition=get_optional_field(row, "schema", str),
        speaker=speaker,
        references=(Description(properties=properties, text=get_field(row, "description", str), speaker=speaker),),
        meta=collect_unused_fields(row, "id", "scene", "target", "speaker", "description", "attributes"),
    )


def _convert_property(slot: str, value: str, target: Entity) -> Property:
    """Return an annotated property of the source with the names of this package.

    The landmark's id is known when the relation leads to one object only.
    """
    if slot != "rel":
        return Property(SLOTS[slot], SPELLING.get(value, value))
    landmarks = [r.entity for r in target.relations if r.name == value]
    return Property(value, landmarks[0] if len(landmarks) == 1 else "")
