"""Recordings and their annotations as the `referee tangram` commands find them on disk."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import CannotWrite, InputError
from referee.situated.tiers.annotations import (
    ADJUDICATED,
    SUFFIX,
    Annotation,
    ExpressionMark,
    annotation_files,
    annotation_path,
    header_of,
    line_of,
    parse_annotation,
)

if TYPE_CHECKING:
    from referee.situated.game.log import Recording
    from referee.situated.tiers.dialogue import Dialogue

__all__ = [
    "annotation_of",
    "find_recordings",
    "is_recording",
    "open_recording",
    "read_annotation",
    "tiers_of",
    "write_annotation",
]

# A damaged recording has many, and the first ones say what is wrong.
MOST_FAULTS = 3


def find_recordings(places: Iterable[Path]) -> list[Path]:
    """The recordings named: files, and those in folders; files of annotations and of other kinds are passed over."""
    found: list[Path] = []
    for place in places:
        inside = sorted(place.rglob("*.jsonl")) if place.is_dir() else [place]
        # A file that was named is taken at its word, and said to be wrong when it is opened.
        found += [p for p in inside if not p.name.endswith(SUFFIX) and (p == place or is_recording(p))]
    if not found:
        raise InputError(
            "no recordings here", where=", ".join(map(str, places)), remedy="`referee tangram play` makes some"
        )
    return found


def is_recording(path: Path) -> bool:
    """Whether a file says of itself that it is a recording."""
    with path.open("rb") as file:
        # The first line is the header; a file of another kind may have no line breaks at all.
        return b'"referee-tangram"' in file.readline(4096)


def open_recording(path: Path) -> Recording:
    """A recording from its file; what speaks against it is said, and what there is of it is used."""
    from referee.situated.game.log import faults, parse_recording

    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path, remedy="name a recording (.jsonl)") from None
    recording = parse_recording(content, str(path))
    for fault in faults(recording)[:MOST_FAULTS]:
        print(f"warning: {path}: {fault}", file=sys.stderr)
    return recording


def read_annotation(path: Path) -> Annotation:
    """An annotator's file."""
    return parse_annotation(path.read_text(encoding="utf-8"), str(path))


def write_annotation(
    recording: Path, annotator: str, dialogue: Dialogue, marks: Mapping[int, Sequence[ExpressionMark]]
) -> Path:
    """A finished annotation as a file of its own; one that is there is never replaced."""
    from referee.situated.tiers.dialogue import UTTERANCE

    target = annotation_path(recording, annotator)
    if target.exists():
        raise CannotWrite("this annotator has a file already", where=target, remedy="choose another name")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    said = [u.text or "" for u in dialogue.tier(UTTERANCE)]
    lines = [line_of(n, text, marks.get(n, ()), True, now) for n, text in enumerate(said)]
    target.write_text(header_of(annotator, dialogue.id) + "".join(lines), encoding="utf-8")
    return target


def annotation_of(recording: Path, annotator: str | None = None) -> Annotation | None:
    """The annotation that counts: the one named, else the adjudicated one, else the only one; None where nobody annotated."""
    files = annotation_files(recording)
    if annotator is not None and annotator not in files:
        remedy = f"there is one by {', '.join(files)}" if files else "annotate it first: `referee tangram annotate`"
        raise InputError(f"{annotator} has not annotated this recording", where=recording, remedy=remedy)
    # Choosing one of two silently would decide a result.
    if annotator is None and len(files) > 1 and ADJUDICATED not in files:
        raise InputError(
            f"{' and '.join(files)} have annotated this recording, and nobody has decided between them",
            where=recording,
            remedy="`referee tangram adjudicate`, or name one with --annotator",
        )
    name = annotator or (ADJUDICATED if ADJUDICATED in files else next(iter(files), None))
    return None if name is None else read_annotation(files[name])


def tiers_of(recording: Recording, path: Path, annotator: str | None = None) -> Dialogue:
    """The tiers of a recording with the expressions of its annotators; without any, those the log knows, else proposed ones."""
    from referee.situated.game.log import positions
    from referee.situated.tiers.annotations import annotated
    from referee.situated.tiers.dialogue import EXPRESSION
    from referee.situated.tiers.expressions import preannotate
    from referee.situated.tiers.rex_tiers import to_dialogue

    dialogue = to_dialogue(recording)
    work = annotation_of(path, annotator)
    if work is not None:
        return annotated(dialogue, work)
    return dialogue if dialogue.tier(EXPRESSION) else preannotate(dialogue, positions(recording))
