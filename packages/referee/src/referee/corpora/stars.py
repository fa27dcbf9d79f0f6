"""Stars and Stars2.

Portuguese descriptions where a landmark may itself need describing (Teixeira et al. 2014; Paraboni and colleagues).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.jsonl import parse_pairs
from referee.corpora.reading.lines import get_field
from referee.corpora.reading.packed import (
    Unheard,
    check_member,
    collect_unused_fields,
    find_files,
    read_document,
    read_rows,
    read_scenes,
)
from referee.records import Description, Entity, Property, Relation, Scene, Trial

# The context tables list relations among the attributes; these names tell them apart.
RELATIONS = frozenset({"left", "right", "above", "below", "near", "behind", "in-front-of"})
# A second landmark serves to describe the first.
PREFIXES = {"second-landmark-": "landmark.landmark.", "landmark-": "landmark."}


class Stars(Unheard):
    """`version` is 1 (704 descriptions of stars) or 2 (1,204 descriptions of cones, cubes and spheres, spoken to a hearer)."""

    def __init__(self, data: str | Path | None = None, version: int = 1) -> None:
        super().__init__(data)
        self.version = version

    @property
    def name(self) -> str:
        return "stars" if self.version == 1 else f"stars{self.version}"

    @property
    def card(self) -> Card:
        """Return the card of the corpus."""
        first = self.version == 1
        return Card(
            name=self.name,
            title="Stars: relational scenes" if first else "Stars2: relational scenes with a hearer",
            source="ThiagoCF05/EACH-GRE on GitHub, commit c1dbe18",
            licence="none stated; cite the corpus papers",
            languages=("pt",),
            citation="Teixeira, Paraboni, da Silva & Yamasaki 2014" if first else "Paraboni and colleagues (Stars2)",
            sampled=("scene", "speaker"),
            faults=(
                "in context fill3 the descriptions are of e2, the context table names e1; the descriptions are followed",
                "a few descriptions have properties of a landmark that is not named",
            )
            if first
            else ("collected in pairs, but the hearer's choices and times are not in the files",),
            files=(f"stars/{self.name}.jsonl.gz", f"stars/{self.name}_contexts.json"),
        )

    def trials(self) -> Iterator[Trial]:
        """Yield a trial for every description."""
        rows, table = find_files(
            self.data, "stars", f"{self.name}.jsonl.gz", f"{self.name}_contexts.json", corpus=self.name
        )
        contexts = read_document(table, dict)
        scenes = read_scenes(table, lambda key, context: _make_scene(f"{self.name}-{key}", context))

        def trial(row: dict[str, Any]) -> Trial:
            context = get_field(row, "context", str)
            return _make_trial(row, scenes[context], contexts[context], self.name)

        return read_rows(rows, trial)


def _make_scene(scene_id: str, context: Mapping[str, Any]) -> Scene:
    return Scene(id=scene_id, entities=tuple(_make_entity(e) for e in get_field(context, "entities", list)))


def _make_entity(thing: Mapping[str, Any]) -> Entity:
    """Return an object as an entity with its relations."""
    properties = parse_pairs(get_field(thing, "attributes", list))
    return Entity(
        id=get_field(thing, "id", str),
        attributes=tuple(p for p in properties if p.name not in RELATIONS),
        relations=tuple(Relation(*p) for p in properties if p.name in RELATIONS),
    )


def _make_trial(row: dict[str, Any], scene: Scene, context: Mapping[str, Any], name: str) -> Trial:
    """Return a description as a trial."""
    speaker = get_field(row, "speaker", str)
    reference = Description(
        properties=tuple(_convert_property(p) for p in parse_pairs(get_field(row, "attributes", list))),
        text=get_field(row, "description", str),
        speaker=speaker,
    )
    about = {f"context_{key}": value for key, value in collect_unused_fields(context, "entities").items()}
    return Trial(
        id=f"{name}-{get_field(row, 'trial', str)}-{row['context']}",
        scene=scene,
        targets=(check_member(scene, get_field(row, "target", str)),),
        domain=name,
        # Stars has no such field: there the context's name without its number is the condition (abs1, fill3).
        condition=context.get("cond") or row["context"].rstrip("0123456789"),
        speaker=speaker,
        language="pt",
        references=(reference,),
        meta={**collect_unused_fields(row, "speaker", "target", "description", "attributes"), **about},
    )


def _convert_property(pair: Property) -> Property:
    """Return a property with the names of this package."""
    for prefix, written in PREFIXES.items():
        if pair.name.startswith(prefix):
            return Property(written + pair.name.removeprefix(prefix), pair.value)
    return pair
