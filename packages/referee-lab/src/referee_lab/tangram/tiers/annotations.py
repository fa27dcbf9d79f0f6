"""One annotator's marks in one recording, stored in an append-only file (after the annotation rules of Tokunaga et al.
2010).

The file is beside the recording: `SESSION.NAME.annotations.jsonl`, one per annotator. After a header every line holds
all expressions of one utterance, `{at, utterance, text, expressions: [{start, end, referents, attributes, uncertain}],
done}`; the last line of an utterance counts, so undoing adds a line and every step stays on record. Spans are
characters of the text; several referents are a set, or alternatives if `uncertain`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from referee.errors import InputError, MalformedInput
from referee.records import Event
from referee_lab.tangram.json_lines import parse_json_object
from referee_lab.tangram.tiers.dialogue import ATTRIBUTES, EXPRESSION, UTTERANCE, Dialogue, find_span
from referee_lab.tangram.tiers.dialogue_form import format_json_line
from referee_lab.tangram.tiers.rex_tiers import mark_expression, round_dialogue_times

FORMAT, VERSION = "referee-annotation", 1
SUFFIX = ".annotations.jsonl"
ADJUDICATED = "adjudicated"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionMark:
    """One expression: its characters in the utterance, its referents, and its codes (in the order of the sixteen)."""

    start: int
    end: int
    referents: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    uncertain: bool = False

    def to_data(self) -> dict[str, Any]:
        """Return the mark as a JSON object."""
        return {**asdict(self), "referents": list(self.referents), "attributes": list(self.attributes)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """All marks of an annotator by index of the utterance, the texts they were made in, and the finished utterances."""

    annotator: str
    session: str
    marks: Mapping[int, tuple[ExpressionMark, ...]] = field(default_factory=dict)
    texts: Mapping[int, str] = field(default_factory=dict)
    done: frozenset[int] = frozenset()
    # Marked by rule, without a human annotator.
    program: bool = False


def check_name(annotator: str) -> str:
    """Return the name if it can be part of a file name. Raises InputError otherwise."""
    if not _NAME.fullmatch(annotator):
        raise InputError(
            f"{annotator!r} cannot be an annotator's name", remedy="small letters, digits and hyphens, at most 32"
        )
    return annotator


def make_annotation_path(recording: Path, annotator: str) -> Path:
    """Return the path of an annotator's file."""
    return recording.with_name(f"{recording.stem}.{check_name(annotator)}{SUFFIX}")


def find_annotation_files(recording: Path) -> dict[str, Path]:
    """Return the annotation files beside a recording, by annotator."""
    paths = sorted(recording.parent.glob(f"{recording.stem}.*{SUFFIX}"))
    named = {path.name.removeprefix(f"{recording.stem}.").removesuffix(SUFFIX): path for path in paths}
    # A file like *s.spoken* belongs to that session and not to *s*.
    return {annotator: path for annotator, path in named.items() if _NAME.fullmatch(annotator)}


# -- lines ---------------------------------------------------------------------------------------------------------------------


def format_header(annotator: str, session: str, *, program: bool = False) -> str:
    """Return the first line of an annotation file; it says whether a program made the marks."""
    about = {"format": FORMAT, "version": VERSION, "annotator": annotator, "session": session}
    return format_json_line({**about, **({"program": True} if program else {})})


def format_utterance_state(utterance: int, text: str, marks: Iterable[ExpressionMark], done: bool, at: str) -> str:
    """Return the state of one utterance as a line, with its line end."""
    expressions = [mark.to_data() for mark in marks]
    return format_json_line({"at": at, "utterance": utterance, "text": text, "expressions": expressions, "done": done})


def parse_annotation(content: str, where: str = "annotation") -> Annotation:
    """Return an annotation from its file; an incomplete last line was never acknowledged and is skipped."""
    # The text after the last newline is empty, or an incomplete line.
    lines = content.split("\n")[:-1]
    rows = [
        parse_json_object(line, where, number, "restore the line from a copy")
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]
    if not rows or rows[0].get("format") != FORMAT:
        raise MalformedInput("not an annotation", where=where, line=1, remedy=f"the header says format {FORMAT}")
    marks: dict[int, tuple[ExpressionMark, ...]] = {}
    texts: dict[int, str] = {}
    done: set[int] = set()
    for number, row in enumerate(rows[1:], 2):
        try:
            place, text = int(row["utterance"]), str(row["text"])
            marks[place], texts[place] = parse_marks(row["expressions"], text), text
        except (KeyError, TypeError, ValueError, InputError) as error:
            raise MalformedInput(f"unusable marks: {error}", where=where, line=number, remedy="undo the edit") from None
        done = done | {place} if row.get("done") else done - {place}
    about = {name: str(rows[0].get(name, "")) for name in ("annotator", "session")}
    program = rows[0].get("program") is True
    return Annotation(**about, marks=marks, texts=texts, done=frozenset(done), program=program)


def parse_marks(rows: Any, text: str) -> tuple[ExpressionMark, ...]:
    """Return marks from JSON values, in order of position.

    Raises InputError if one is outside the text or two cross.
    """
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise InputError("expressions are a list", remedy="see `referee docs tangram-annotation`")
    # The longer first, so that an expression precedes those nested in it.
    marks = tuple(sorted((_parse_mark(row, text) for row in rows), key=lambda m: (m.start, -m.end)))
    for before, after in pairwise(marks):
        nested = after.end <= before.end and (before.start, before.end) != (after.start, after.end)
        if after.start < before.end and not nested:
            raise InputError("two expressions cross each other", remedy="one may only lie completely inside the other")
    return marks


def _parse_mark(row: Any, text: str) -> ExpressionMark:
    """Return one mark from its JSON object. Raises InputError for an invalid one."""
    try:
        start, end = int(row["start"]), int(row["end"])
        referents, attributes = {str(r) for r in row["referents"]}, {str(a) for a in row["attributes"]}
        uncertain = bool(row.get("uncertain", False))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        remedy = "give start, end, referents, attributes, uncertain"
        raise InputError("not an expression", remedy=remedy) from None
    if not 0 <= start < end <= len(text):
        raise InputError(f"characters {start} to {end} are not in the utterance", remedy=f"it has {len(text)}")
    if unknown := attributes - ATTRIBUTES.keys():
        raise InputError(f"no attribute is called {sorted(unknown)[0]!r}", remedy=", ".join(ATTRIBUTES))
    codes = tuple(code for code in ATTRIBUTES if code in attributes)
    return ExpressionMark(
        start=start, end=end, referents=tuple(sorted(referents)), attributes=codes, uncertain=uncertain
    )


# -- dialogues -----------------------------------------------------------------------------------------------------------------


def extract_marks(dialogue: Dialogue) -> dict[int, tuple[ExpressionMark, ...]]:
    """Return the expressions of a dialogue as marks by utterance, without those that have no position in one."""
    utterances = dialogue.select_tier(UTTERANCE)
    rows_by_utterance: dict[int, list[dict[str, Any]]] = {}
    earlier: dict[int, list[tuple[Event, tuple[int, int]]]] = {}
    for event in dialogue.select_tier(EXPRESSION):
        place = event.data.get("utterance")
        if not isinstance(place, int) or not 0 <= place < len(utterances):
            continue
        if (span := find_span(event, utterances[place].text or "")) is not None:
            _refuse_crossing(event, span, earlier.setdefault(place, []))
            row = {
                "start": span[0],
                "end": span[1],
                "referents": event.entities,
                "uncertain": event.data.get("uncertain"),
            }
            rows_by_utterance.setdefault(place, []).append({**row, "attributes": event.data.get("attributes", ())})
    return {place: parse_marks(rows, utterances[place].text or "") for place, rows in rows_by_utterance.items()}


def _refuse_crossing(event: Event, span: tuple[int, int], before: list[tuple[Event, tuple[int, int]]]) -> None:
    """Raise InputError where an expression crosses one before it in the same utterance; add it to them."""
    for other, (start, end) in before:
        if start < span[0] < end < span[1] or span[0] < start < span[1] < end or (start, end) == span:
            names = " and ".join(
                f"{e.text!r} ({(e.start_ms or 0.0) / 1000:.2f} to {(e.end_ms or 0.0) / 1000:.2f} s)"
                for e in (other, event)
            )
            raise InputError(
                f"two expressions of the {event.by} cross each other: {names}",
                where="tier of expressions (OP-REX or SV-REX)",
                remedy="change the boundaries so that one lies inside the other, or delete one",
            )
    before.append((event, span))


def apply_annotation(dialogue: Dialogue, annotation: Annotation) -> Dialogue:
    """Return the dialogue with the annotator's expressions in place of its own.

    Unfinished utterances have none.
    """
    utterances = dialogue.select_tier(UTTERANCE)
    events = [e for e in dialogue.events if e.kind != EXPRESSION]
    for place in sorted(annotation.done):
        # Spans are characters and would mark something else in another text.
        if place >= len(utterances) or utterances[place].text != annotation.texts[place]:
            raise InputError(
                f"utterance {place} of {annotation.session} is not the one {annotation.annotator} annotated",
                remedy="put annotation files beside the recording they were made from",
            )
        for mark in annotation.marks[place]:
            about = {"referents": mark.referents, "attributes": mark.attributes}
            is_uncertain = mark.uncertain or not mark.referents
            event = mark_expression(utterances[place], place, (mark.start, mark.end), **about, uncertain=is_uncertain)
            events.append(replace(event, data={**event.data, "proposed": True}) if annotation.program else event)
    order = {UTTERANCE: 0, EXPRESSION: 1}
    events.sort(key=lambda e: (e.start_ms or 0.0, order.get(e.kind, 2)))
    meta = {**dialogue.meta, "annotator": annotation.annotator, "annotated": len(annotation.done)}
    return round_dialogue_times(replace(dialogue, events=tuple(events), meta=meta))
