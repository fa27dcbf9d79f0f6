"""b5-ref: one face among six, described in Brazilian Portuguese (Ramos and colleagues 2017)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from referee.contracts import Card
from referee.corpora.jsonl import parse_pairs
from referee.corpora.reading.lines import get_field
from referee.corpora.reading.packed import Unheard, check_member, find_files, read_rows, read_scenes
from referee.records import Description, Entity, Scene, Trial

FILES = ("b5ref.jsonl.gz", "b5ref_contexts.json")


class B5Ref(Unheard):
    """1,821 descriptions by 152 speakers of 12 contexts; every face has a value for each of 27 attributes."""

    card = Card(
        name="b5-ref",
        title="b5-ref: faces",
        source="abinhack/nlp_data_set on GitHub, commit 7465fe9, folder ref (b5 version 1.7)",
        licence="CC BY 4.0",
        languages=("pt",),
        citation="b5 technical report PPgSI-001/2017 (Ramos and colleagues 2017)",
        sampled=("scene", "speaker"),
        faults=(
            "the source's readme counts 1,822 descriptions; there are 1,821",
            "the scheme holds race, gender and isyoung as annotated by the corpus makers; think before showing it",
            "no listeners",
        ),
        files=tuple(f"b5-ref/{f}" for f in FILES),
    )

    def trials(self) -> Iterator[Trial]:
        """Yield a trial for every description in the file."""
        rows, table = find_files(self.data, "b5-ref", *FILES)
        scenes = read_scenes(table, _make_scene)
        return read_rows(rows, lambda row: _make_trial(row, scenes[get_field(row, "context", str)]))


def _make_scene(key: str, context: Mapping[str, Any]) -> Scene:
    """Return the scene of a context: its faces with their attributes."""
    faces = get_field(context, "entities", list)
    return Scene(
        id=f"b5-{key}",
        entities=tuple(
            Entity(id=get_field(f, "id", str), attributes=parse_pairs(get_field(f, "attributes", dict))) for f in faces
        ),
    )


def _make_trial(row: dict[str, Any], scene: Scene) -> Trial:
    """Return one description as a trial."""
    # The file's "trial" is the whole session of one speaker.
    # What the file calls a trial is the whole session of one speaker.
    speaker = get_field(row, "trial", str)
    properties = parse_pairs(get_field(row, "attributes", list))
    return Trial(
        id=f"b5-{speaker}-{row['context']}",
        scene=scene,
        targets=(check_member(scene, get_field(row, "target", str)),),
        domain="faces",
        speaker=speaker,
        language="pt",
        references=(Description(properties=properties, text=get_field(row, "description", str), speaker=speaker),),
        meta={"context": row["context"]},
    )
