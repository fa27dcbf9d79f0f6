"""Zoom: places on excerpts of a city map at two zoom levels, described in Portuguese, one or two at a time (Altamirano et al. 2015)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.jsonl import parse_pairs
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import Unheard, collect_unused_fields, find_files, read_rows, read_scenes
from referee.records import Description, Entity, Property, Relation, Scene, Trial

FILES = ("zoom.jsonl.gz", "zoom_maps.json")
PLAIN = ("type", "name", "other")
NESTED = re.compile(r"d(\d+)\.(.+)")
# Single places stand plain, several in brackets: [str6,str7].
IDS = re.compile(r"[^\[\],\s-]+")


class Zoom(Unheard):
    """1,814 descriptions by 96 speakers of 20 maps.

    A relation to several places (``between [str6,str7]``) becomes one property per place; the first landmark's
    properties are prefixed ``landmark.``, those of a second or third one ``landmark2.``, ``landmark3.``. Where the
    annotation names no place of the map, or the same place twice, the targets are the other speakers' on that map.
    """

    card = Card(
        name="zoom",
        title="Zoom: places on maps",
        source="ThiagoCF05/EACH-GRE on GitHub, commit c1dbe18, folder Zoom",
        licence="none stated",
        languages=("pt",),
        citation="Altamirano, Ferreira, Paraboni & Benotti 2015",
        sampled=("scene", "speaker"),
        faults=(
            "one target id is not on its map, two descriptions have no annotated set, and eleven name one of two places twice",
            "on maps that ask for two places some speakers describe only one; the annotated targets are followed",
            "relations that lead to a place that is not on the map are left out",
            "one speaker's descriptions of maps 17 to 20 occur twice; the second has -2 in its id",
            "many relations said are not in the map tables",
        ),
        files=tuple(f"zoom/{f}" for f in FILES),
    )

    def trials(self) -> Iterator[Trial]:
        """Yield a trial for every description."""
        path, maps = find_files(self.data, "zoom", *FILES)
        scenes = read_scenes(maps, _make_scene)
        asked = _list_targets(path, scenes)
        seen: Counter[str] = Counter()

        def trial(row: dict[str, Any]) -> Trial:
            """Return a row as a trial; repeated descriptions of a speaker are numbered."""
            place = f"zoom-{get_field(row, 'speaker', str)}-{get_field(row, 'context', str)}"
            seen[place] += 1
            again = f"-{seen[place]}" if seen[place] > 1 else ""
            return _make_trial(row, place + again, scenes[row["context"]], asked[row["context"]])

        return read_rows(path, trial)


def _list_targets(path: Path, scenes: Mapping[str, Scene]) -> dict[str, tuple[str, ...]]:
    """Return the targets that speakers describe on each map, in the order of the map."""
    named: dict[str, set[str]] = {key: set() for key in scenes}

    def note(row: dict[str, Any]) -> None:
        named[get_field(row, "context", str)].update(get_field(s, "target", str) for s in get_field(row, "sets", list))

    for _ in read_rows(path, note):
        pass
    return {key: tuple(e.id for e in scenes[key].entities if e.id in ids) for key, ids in named.items()}


def _make_scene(key: str, places: list[dict[str, Any]]) -> Scene:
    ids = {get_field(p, "id", str) for p in places}
    return Scene(id=f"zoom-map-{key}", entities=tuple(_make_entity(p, ids) for p in places))


def _make_entity(place: Mapping[str, Any], ids: set[str]) -> Entity:
    """Return a place as an entity with its relations."""
    relations = (
        Relation(name, other)
        for name, value in place.items()
        if name != "id" and name not in PLAIN
        for other in dict.fromkeys(IDS.findall(value) if isinstance(value, str) else value)
        if other in ids
    )
    attributes = tuple(Property(name, get_field(place, name, str)) for name in PLAIN if name in place)
    return Entity(id=place["id"], attributes=attributes, relations=tuple(relations))


def _make_trial(row: dict[str, Any], trial_id: str, scene: Scene, asked: tuple[str, ...]) -> Trial:
    """Return a description as a trial with its targets."""
    sets = get_field(row, "sets", list)
    ids = {e.id for e in scene.entities}
    described = dict.fromkeys(s["target"] for s in sets if s["target"] in ids)
    # Eleven descriptions name one of two places twice, one names a place off the map.
    clear = sets and len(described) == len(sets)
    targets = tuple(e.id for e in scene.entities if e.id in described) if clear else asked
    if not targets:
        raise WrongShape(f"no description is of a target of {scene.id}", "name the target of at least one description")
    return Trial(
        id=trial_id,
        scene=scene,
        targets=targets,
        domain="map",
        condition="one-place" if len(asked) == 1 else "two-places",
        speaker=row["speaker"],
        language="pt",
        references=(_make_reference(row, sets),),
        meta={**collect_unused_fields(row, "speaker", "description"), "asked": list(asked)},
    )


def _make_reference(row: Mapping[str, Any], sets: Sequence[Mapping[str, Any]]) -> Description:
    """Return the properties of all sets in order; None without annotation."""
    properties = tuple(
        p for s in sets for pair in parse_pairs(get_field(s, "attributes", list)) for p in _convert_pair(pair)
    )
    # Two descriptions have no annotated set, which is not the same as an empty one.
    return Description(
        properties=properties if sets else None, text=get_field(row, "description", str), speaker=row["speaker"]
    )


def _convert_pair(pair: Property) -> tuple[Property, ...]:
    """Return an annotated pair as properties with this package's names."""
    nested = NESTED.fullmatch(pair.name)
    if nested is None:
        if pair.name in PLAIN:
            return (pair,)
        return tuple(Property(pair.name, other) for other in IDS.findall(pair.value))
    number, name = nested.groups()
    # A landmark's id is the value of its relation, and not part of the description.
    return () if name == "id" else (Property(f"landmark{'' if number == '1' else number}.{name}", pair.value),)
