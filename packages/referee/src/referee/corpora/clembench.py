"""Reference games of clembench (Chalamalasetti et al. 2023), made for models that play with themselves: three pictures or three letter grids, one is meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import Unheard, find_files, read_document
from referee.errors import UnknownName
from referee.records import Entity, Property, Scene, Trial

PLACES = ("first", "second", "third")
PICTURES = "multimodal_referencegame/in/instances.json.gz"
GRIDS = "referencegame/in/instances_{}.json.gz"
LANGUAGES = ("ar", "de", "en", "it", "ja", "pt", "ru", "te", "tk", "tr", "zh")
VERSIONS = tuple(f"{version}_{language}" for version in ("v1.6", "v2.0") for language in LANGUAGES)
Row = Mapping[str, Any]


class Clembench(Unheard):
    """390 games of three pictures each, 283 in all (reading "images"), or letter grids (readings such as "v2.0_en").
    There are no descriptions.
    """

    card = Card(
        name="clembench-refgame",
        title="clembench: reference games with pictures and letter grids",
        source="clembench/clembench on GitHub, commit adff278",
        licence="MIT; photographs: DOCCI CC BY 4.0, ADE20K and CLEVR under their own terms",
        languages=LANGUAGES,
        citation="Chalamalasetti et al. 2023, EMNLP",
        sampled=("scene",),
        faults=(
            "no people took part: there are neither descriptions nor answers",
            "pictures were re-encoded to WebP, longest side 768: regions of the originals would not fit them",
            "the experiments called static_target have the target of the game before",
        ),
        files=(f"clembench-refgame/{PICTURES}",),
    )

    def __init__(self, data: str | Path | None = None, reading: str = "images") -> None:
        super().__init__(data)
        self.reading = reading

    def picture_folder(self) -> Path:
        return find_files(self.data, "clembench-refgame", PICTURES)[0].parents[2]

    def trials(self) -> Iterator[Trial]:
        """Yield a trial for every game of the reading."""
        if self.reading not in ("images", *VERSIONS):
            raise UnknownName(
                "reading", self.reading, ("images", *VERSIONS), hint=f"images, or one of {', '.join(VERSIONS)}"
            )
        file = PICTURES if self.reading == "images" else GRIDS.format(self.reading)
        (path,) = find_files(self.data, "clembench-refgame", file)
        yield from read_document(path, lambda document: list(_read_games(document, self.reading)))


def _read_games(document: Row, reading: str) -> Iterator[Trial]:
    """Yield the games of a document."""
    pictures = reading == "images"
    for experiment in get_field(document, "experiments", list):
        name = get_field(experiment, "name", str)
        for game in get_field(experiment, "game_instances", list):
            yield _make_picture_trial(game, name) if pictures else _make_grid_trial(game, name, reading)


def _make_picture_trial(game: Row, experiment: str) -> Trial:
    """Return a game of three pictures as a trial."""
    files = [Path(get_field(game, f"player_2_{place}_image", str)) for place in PLACES]
    shown = [f"images/{f.parent.name}/{f.stem}.webp" for f in files]
    entities = tuple(Entity(id=f"{f.parent.name}/{f.stem}", image=image) for f, image in zip(files, shown, strict=True))
    return _make_trial(game, experiment, entities, get_field(game, "target_image_name", list), "en")


def _make_grid_trial(game: Row, experiment: str, reading: str) -> Trial:
    """Return a game of three letter grids as a trial."""
    grids = [get_field(game, f"player_2_{place}_grid", str) for place in PLACES]
    entities = tuple(Entity(id=f"grid{i}", attributes=_list_row_properties(grid)) for i, grid in enumerate(grids))
    return _make_trial(game, experiment, entities, get_field(game, "target_grid_name", list), reading.partition("_")[2])


def _list_row_properties(grid: str) -> tuple[Property, ...]:
    return tuple(Property(f"row{i}", row) for i, row in enumerate(grid.splitlines(), 1))


def _make_trial(game: Row, experiment: str, entities: tuple[Entity, ...], target: list[Any], language: str) -> Trial:
    """Return a game as a trial. Raises WrongShape for repeated pictures."""
    number = game.get("game_id")
    if len({e.id for e in entities}) < len(entities):
        raise WrongShape(f"game {number} of {experiment} shows a picture twice", "show three different pictures")
    return Trial(
        id=f"{experiment}-{number}",
        scene=Scene(
            entities=entities,
            id="+".join(sorted(e.id for e in entities)) if entities[0].image else f"{experiment}-{number}",
        ),
        targets=(entities[_parse_position(target)].id,),
        domain="grids" if "grids" in experiment else "photographs" if entities[0].image else "grids",
        condition=experiment,
        language=language,
    )


def _parse_position(names: list[Any]) -> int:
    """Return the position of the target from its names, such as ``["second", "2", "2nd"]``.

    Every language includes the digit.
    """
    for i, place in enumerate(PLACES):
        if place in names or str(i + 1) in names:
            return i
    raise WrongShape(f"{names!r:.60} is none of the three positions", "name first, second or third")
