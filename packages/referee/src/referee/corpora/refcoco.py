"""RefCOCO, RefCOCO+ and RefCOCOg in their usual files (``refs(unc).p`` and ``instances.json``, or Parquet); gRefCOCO,
with zero or several targets.

No copy of them comes with this package. A folder ``refcoco/`` (``refcoco+/``, ``refcocog/``, ``grefcoco/``) in the data
folder has the files of `lichengunc/refer` and `henghuiding/gRefCOCO`; pictures are COCO's train2014 and not needed to
score recorded answers. Formats after `refer.py` (REFER.createIndex and getRefBox: x, y, w, h), `grefexp_coco_format.py`
of gRefCOCO (``ann_id`` is a number or a list, [-1] for none), the dataset cards of lmms-lab/RefCOCO, RefCOCOplus and
RefCOCOg on Hugging Face (question_id, image, question, answer, segmentation, bbox, iscrowd, file_name), and
`utils_rec.py` of lmms-eval for the order of ``bbox``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.coco import Annotations, get_region, read_annotations
from referee.corpora.reading.data_pickle import read_pickle
from referee.corpora.reading.folder import locate
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import Unheard, add_location, read_list
from referee.corpora.reading.parquet_rows import read_columns
from referee.errors import DataNotFound, InputError, MalformedInput, UnknownName
from referee.geometry import ScenePicture
from referee.grounding.pictures import size_of_content
from referee.records import Description, Entity, Scene, Trial

# Who cut the corpus into parts: numbers of different cuts cannot be compared.
CUTS = {"refcoco": ("unc", "google"), "refcoco+": ("unc",), "refcocog": ("umd", "google")}
TITLES = {"refcoco": "RefCOCO", "refcoco+": "RefCOCO+", "refcocog": "RefCOCOg"}
CITED = {"refcoco": "Yu et al. 2016, ECCV", "refcoco+": "Yu et al. 2016, ECCV", "refcocog": "Mao et al. 2016, CVPR"}
PICTURES = "train2014/"
OBJECTS = "objects"
ROWS = 200
Row = Mapping[str, Any]


def _make_card(name: str) -> Card:
    """Return the card of a corpus."""
    return Card(
        name=name,
        title=f"{TITLES[name]}: expressions for things in photographs of COCO",
        source="lichengunc/refer on GitHub; Parquet form: lmms-lab on Hugging Face",
        licence="Apache-2.0 (code); photographs: Flickr's terms",
        languages=("en",),
        citation=CITED[name],
        # A photograph has several expressions.
        sampled=("scene",),
        faults=(
            f"cut in {len(CUTS[name])} ways ({', '.join(CUTS[name])}): numbers of different cuts cannot be compared",
            "all photographs come from COCO's train2014, which many models have seen",
            "boxes are x, y, width, height",
        ),
        files=(f"{name}/refs({CUTS[name][0]}).p", f"{name}/instances.json"),
    )


class RefCoco(Unheard):
    """One trial an expression. `reading` is who cut the corpus (unc, google, umd), ``condition`` the part (train, val, testA …); `regions` is box or mask.

    With ``unc-objects`` (``google-objects``, ``umd-objects``) there is one trial an object, and all its expressions are references, as descriptions are scored.
    """

    card = _make_card("refcoco")

    def __init__(
        self, data: str | Path | None = None, reading: str = "", regions: str = "box", name: str = "refcoco"
    ) -> None:
        super().__init__(data)
        if name not in CUTS:
            raise UnknownName("corpus", name, CUTS)
        self.name, self.regions = name, regions
        self.reading = reading or CUTS[name][0]
        self.card = _make_card(name)

    def trials(self) -> Iterator[Trial]:
        """Yield the trials of the reading, from pickle, JSON or Parquet files."""
        readings = [*CUTS[self.name], *(f"{cut}-{OBJECTS}" for cut in CUTS[self.name])]
        if self.reading not in readings:
            raise UnknownName("reading", self.reading, readings, hint=f"one of {', '.join(readings)}")
        cut, _, unit = self.reading.partition("-")
        for suffix in (".p", ".json"):
            file = f"refs({cut}){suffix}"
            try:
                folder = locate(self.data, self.name, (file, "instances.json"))
            except DataNotFound:
                continue
            annotations = read_annotations(folder / "instances.json", self.regions, PICTURES)
            return _read_expressions(folder / file, annotations, self.name, unit == OBJECTS)
        return self._iterate_parquet_trials(cut, unit == OBJECTS)

    def _iterate_parquet_trials(self, cut: str, by_object: bool) -> Iterator[Trial]:
        """Yield the trials of a split in Parquet files."""
        folder = locate(self.data, self.name, ())
        files = sorted(p for p in folder.rglob("*.parquet")) if folder.name == self.name and folder.is_dir() else []
        if not files:
            locate(self.data, self.name, (f"refs({cut}).p", "instances.json"))
        for path in files:
            yield from _read_parquet(path, self.name, self.regions, by_object)


def _read_expressions(path: Path, annotations: Annotations, name: str, by_object: bool) -> Iterator[Trial]:
    """Yield the expressions of a file of references as trials."""
    refs = read_pickle(path) if path.suffix == ".p" else list(read_list(path, dict))
    if not isinstance(refs, list):
        raise MalformedInput(
            "this is not a list of references", where=path, remedy="take the file from lichengunc/refer"
        )
    for ref in refs:
        with add_location(path):
            made = list(_make_trials(ref, annotations, _get_targets(ref), name, by_object))
        yield from made


def _make_trials(
    ref: Row, annotations: Annotations, meant: Sequence[int], name: str, by_object: bool = False
) -> Iterator[Trial]:
    """Yield one trial per sentence of a reference, or one trial with all sentences."""
    picture = get_field(ref, "image_id", int)
    if picture not in annotations.scenes:
        raise WrongShape(f"picture {picture} is not among the annotations", "take both files from one source")
    scene = annotations.scenes[picture]
    for number in meant:
        if annotations.picture_of.get(number) != picture:
            raise WrongShape(f"annotation {number} is not on picture {picture}", "take both files from one source")
    sentences = [
        (get_field(part, "sent_id", int), get_field(part, "sent", str)) for part in get_field(ref, "sentences", list)
    ]
    # An object is described by several people: as one item, or as many.
    groups = (
        [(f"ref{get_field(ref, 'ref_id', int)}", sentences)]
        if by_object
        else [(str(n), [(n, s)]) for n, s in sentences]
    )
    for label, part in groups:
        yield Trial(
            id=f"{name}-{label}",
            scene=scene,
            targets=tuple(map(str, meant)),
            domain="photographs",
            condition=get_field(ref, "split", str),
            references=tuple(Description(text=text) for _, text in part),
            meta={"ref": ref.get("ref_id")},
        )


def read_gold(path: Path) -> list[Trial] | None:
    """Return the trials of a folder with ``refs(…)`` or ``grefs(…)`` and instances.json, or of a Parquet file of
    lmms-lab, under any name; None for others.

    Raises:
        InputError: if a folder has several splits.
    """
    if path.is_file() and path.suffix == ".parquet" and {"question_id", "answer", "bbox"} <= read_columns(path):
        return list(_read_parquet(path, "refcoco", "box", by_object=True))
    files = sorted(path.glob("*refs(*).*")) if (path / "instances.json").is_file() else []
    if len(files) > 1:
        raise InputError(
            f"the folder has several splits ({', '.join(file.name for file in files)})",
            where=path,
            remedy="numbers of different cuts cannot be compared: keep one of them in a folder",
        )
    annotations = read_annotations(path / "instances.json", "box", PICTURES) if files else None
    return None if annotations is None else list(_read_expressions(files[0], annotations, path.name, by_object=False))


def _read_parquet(path: Path, name: str, regions: str, by_object: bool) -> Iterator[Trial]:
    """Yield the trials of a Parquet file of lmms-lab: one row per object, with its expressions and box.

    Of photographs only the header is read.
    """
    import polars as pl

    columns = ["question_id", "file_name", "answer", "segmentation", "bbox"]
    part = path.name.partition("-")[0]
    try:
        table = pl.scan_parquet(path)
        names = table.collect_schema().names()
        chosen = table.select([*columns, *(c for c in ("image",) if c in names)])
        number = table.select(pl.len()).collect().item()
        # Some rows at a time, since photographs are large.
        for start in range(0, number, ROWS):
            for row in chosen.slice(start, ROWS).collect().iter_rows(named=True):
                with add_location(path):
                    made = list(_read_row(row, part, name, regions, by_object))
                yield from made
    except (pl.exceptions.PolarsError, OSError) as error:
        raise MalformedInput(
            f"not a Parquet file of this form ({error!s:.200})",
            where=path,
            remedy=f"it needs the columns {', '.join(columns)}",
        ) from None


def _read_row(row: dict[str, Any], part: str, name: str, regions: str, by_object: bool) -> Iterator[Trial]:
    """Yield the trials of one row of a Parquet file."""
    file = get_field(row, "file_name", str)
    image = row.get("image")
    image = image.get("bytes") if isinstance(image, dict) else image
    entity = Entity(id="meant", region=get_region(row, regions, None))
    scene = Scene(
        entities=(entity,),
        id=Path(file).stem.rpartition("_")[0] or file,
        complete=False,
        picture=ScenePicture(path=PICTURES + file, size=size_of_content(image)),
    )
    texts = [str(text) for text in get_field(row, "answer", list)]
    groups = [("", texts)] if by_object else [(f"-{i}", [text]) for i, text in enumerate(texts)]
    for label, group in groups:
        yield Trial(
            id=f"{name}-{part}-{row['question_id']}{label}",
            scene=scene,
            targets=("meant",),
            domain="photographs",
            condition=part,
            references=tuple(Description(text=text) for text in group),
            meta={"question": row["question_id"]},
        )


class GRefCoco(Unheard):
    """gRefCOCO: an expression means one thing, several (``targets``), or none (no target).

    ``condition`` is the part (train, val, testA, testB).
    """

    card = Card(
        name="grefcoco",
        title="gRefCOCO: expressions for one thing, several, or nothing in a photograph",
        source="henghuiding/gRefCOCO on GitHub (grefs(unc).json, instances.json)",
        licence="CC BY-NC-SA 4.0 (stated by its makers): not for commercial use",
        languages=("en",),
        citation="Liu, Ding & Jiang 2023, CVPR; boxes: He et al. 2023 (GREC)",
        sampled=("scene",),
        faults=("photographs are COCO's train2014", "typing slips survive in copies of it"),
        files=("grefcoco/grefs(unc).json", "grefcoco/instances.json"),
    )

    def __init__(self, data: str | Path | None = None, regions: str = "box") -> None:
        super().__init__(data)
        self.regions = regions

    def trials(self) -> Iterator[Trial]:
        """Yield a trial for every expression, with zero or several targets."""
        folder = locate(self.data, "grefcoco", ("grefs(unc).json", "instances.json"))
        annotations = read_annotations(folder / "instances.json", self.regions, PICTURES)
        return _read_expressions(folder / "grefs(unc).json", annotations, "grefcoco", by_object=False)


def _get_targets(ref: Row) -> tuple[int, ...]:
    """Return the ids of the target annotations; -1 means none."""
    annotation = ref.get("ann_id")
    annotations = annotation if isinstance(annotation, list) else [annotation]
    numbered = [n for n in annotations if isinstance(n, int)]
    if len(numbered) < len(annotations):
        raise WrongShape(
            f"the annotations {annotation!r:.60} are not numbers", "a list of annotation ids, or -1 for none"
        )
    return tuple(n for n in numbered if n != -1)
