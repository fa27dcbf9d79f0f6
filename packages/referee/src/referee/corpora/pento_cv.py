"""PentoRef PENTOCV: an instructor directs a manipulator who arranges twelve real pentomino pieces.

Speech and hands, in German (Zarrieß et al. 2016).

The files are ELAN's as published. One interval of the tier *Roles* with an instructor and a manipulator is a dialogue;
a file is a pair. References are marked inside the utterances (`<ref id="X">das rote</ref>`); other marks are removed. A
mark that is never closed gives the piece but not the end of its words: it is counted and left out. An annotation that
repeats another one (same tier, times and words) is read once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from referee.contracts import Card
from referee.corpora.reading.folder import locate
from referee.corpora.reading.lines import make_natural_sort_key, open_binary
from referee.corpora.reading.packed import Unheard
from referee.corpora.reading.safe_xml import parse_xml
from referee.errors import DataNotFound, MalformedInput
from referee.records import Description, Entity, Event, Property, Scene, Trial

NAME = "pento-cv"
FILES = tuple(f"r{n}.eaf.gz" for n in (1, 2, 3, 5, 6, 8))
# As the speakers of the six files call them; the corpus's own list has F, V and Y otherwise. Blue and green come in two shades.
COLOURS = {
    "F": ("grey", None),
    "I": ("blue", "dark"),
    "L": ("orange", None),
    "N": ("purple", None),
    "P": ("pink", None),
    "T": ("green", "dark"),
    "U": ("yellow", None),
    "V": ("blue", "light"),
    "W": ("green", "light"),
    "X": ("red", None),
    "Y": ("brown", None),
    "Z": ("turquoise", None),
}
UTTERANCE, ACTION = "utterance", "action"
# Signs that no transcript holds, for the ends of references while the words are cleaned.
OPEN, CLOSE = "\ue000", "\ue001"
HANDS = {"lh": "left", "rh": "right"}
_ROLES = re.compile(r"\s*A (instructor|manipulator), B (instructor|manipulator)\s*")
_MARK = re.compile(r"<ref\b(?P<open>[^>]*)>|(?P<close></ref>)|<[^>]*>?")
# `<v="wie <ref …> es </ref> ">wie's</v>`: a pronoun that melted into its neighbour is marked in the spelt-out form.
_MELTED = re.compile(r"""<v="((?:[^"<>]|<ref\b[^>]*>|</ref>)*)">(.*?)</?v/?>""")
_ID = re.compile(r"""id\s*=\s*["']([^"']*)["']""")
_PART = re.compile(r"""piece\s*=\s*["']([^"']*)["']""")
# Fillers keep their words without the braces, repairs theirs without brackets; dots and dashes that stand alone are pauses.
_NOT_WORDS = re.compile(r"\{[A-Z](?=\s)|[{}()+$:]|(?<![^\s\ue000\ue001])[.\-–]+(?![^\s\ue000\ue001])")
# In r1 the references of the second half were marked later, in a tier of their own.
_MARKED_LATER = "{}-utts-with-reference-(partial)"


class PentoReference(NamedTuple):
    """An annotated reference in an utterance.

    Its characters in the words of the utterance, the pieces meant, and whether as target or landmark.
    """

    start: int
    end: int
    pieces: tuple[str, ...]
    part: str


class PentoUtterance(NamedTuple):
    """An utterance of participant A or B without markup, with its references."""

    start_ms: float
    end_ms: float
    by: str
    text: str
    references: tuple[PentoReference, ...]
    unclosed: int


class PentoHand(NamedTuple):
    """An action of one of the manipulator's hands, and the pieces it concerns."""

    start_ms: float
    end_ms: float
    hand: str
    action: str
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PentoDialogue:
    """An interval in which the roles are fixed: `roles` says whether A or B is the instructor.

    Times count from its start.
    """

    id: str
    pair: str
    roles: dict[str, str]
    start_ms: float
    end_ms: float
    utterances: tuple[PentoUtterance, ...]
    hands: tuple[PentoHand, ...]
    faults: dict[str, int] = field(default_factory=dict)


class PentoCv(Unheard):
    """A trial for every marked reference.

    The scene has all twelve pieces, the history the speech and actions before the utterance.
    """

    card = Card(
        name=NAME,
        title="PentoRef: PENTOCV",
        source="clp-research/pentoref on GitHub, commit a569f0e, folder PENTOCV_PENTOREF",
        licence="GPL-3.0",
        languages=("de",),
        citation="Zarrieß and colleagues 2016, LREC",
        sampled=("game",),
        faults=(
            "six of the eight published files; a file is a pair (game)",
            "times inside an utterance are not annotated and are interpolated by characters",
            "in r5 the tier A-utts repeats 35 of its 72 annotations and two others overlap: repetitions are read once, overlaps stay",
            "in the second dialogue of r1 references are marked in the last three minutes only",
            "references whose mark is never closed, or names no piece of the twelve, are left out",
            "the colours of F, V and Y are those that the speakers name (grey, blue, brown), not those of the corpus's own list",
            "positions of pieces are not in these files",
        ),
        files=tuple(f"{NAME}/{name}" for name in FILES),
    )

    def dialogues(self) -> Iterator[PentoDialogue]:
        """Yield the dialogues, file by file."""
        for path in _find_files(self.data):
            yield from _read_dialogues(path)

    def trials(self) -> Iterator[Trial]:
        for dialogue in self.dialogues():
            yield from _make_trials(dialogue)


# -- files ---------------------------------------------------------------------------------------------------------------------


def _find_files(data: str | Path | None) -> list[Path]:
    """Return all ELAN files in the folder of the corpus."""
    try:
        folder = locate(data, NAME, FILES[:1])
    except DataNotFound as missing:
        # Other files of the corpus, or unpacked ones, are welcome too.
        folder = Path(missing.where) / NAME if missing.where else Path()
        if not missing.where or not _list_files(folder):
            raise
    return _list_files(folder)


def _list_files(folder: Path) -> list[Path]:
    files = {p.name.removesuffix(".gz"): p for p in folder.glob("*.eaf*") if p.suffix in (".eaf", ".gz")}
    return [files[name] for name in sorted(files, key=make_natural_sort_key)]


def _read_dialogues(path: Path) -> Iterator[PentoDialogue]:
    """Yield the dialogues of a file."""
    with open_binary(path) as file:
        try:
            content = file.read()
        except (EOFError, OSError) as error:
            raise MalformedInput(f"reading failed here ({error})", where=path, remedy="copy the file again") from None
    root = parse_xml(content, path)
    tiers = _Tiers(root, path)
    pair = path.name.removesuffix(".gz").removesuffix(".eaf")
    stretches = [(start, end, _ROLES.fullmatch(value)) for start, end, value in tiers.read("Roles")]
    number = 0
    for start, end, roles in stretches:
        if roles is None:
            continue
        number += 1
        yield _make_dialogue(tiers, f"{pair}-{number}", pair, {"A": roles[1], "B": roles[2]}, (start, end))
    if not number:
        problem = "the tier Roles names no instructor and manipulator"
        raise MalformedInput(problem, where=path, remedy="`A instructor, B manipulator`, or the other way round")


class _Tiers:
    """The aligned annotations of an ELAN file by tier, in order of time, each once."""

    def __init__(self, root: Any, where: Path) -> None:
        self.where = where
        self.slots = {s.get("TIME_SLOT_ID"): s.get("TIME_VALUE") for s in root.iterfind("TIME_ORDER/TIME_SLOT")}
        self.tiers = {t.get("TIER_ID"): t for t in root.iterfind("TIER")}
        self.repeated: dict[str, int] = {}
        self.overlapping: dict[str, int] = {}

    def read(self, name: str) -> list[tuple[float, float, str]]:
        """Return start, end and value of the annotations of a tier that have a value."""
        if name not in self.tiers:
            remedy = "this corpus has the tiers Roles, A-utts, B-utts, lh and rh"
            raise MalformedInput(f"no tier {name}", where=self.where, remedy=remedy)
        annotations = [self._parse_annotation(a) for a in self.tiers[name].iterfind("ANNOTATION/ALIGNABLE_ANNOTATION")]
        annotations = [annotation for annotation in annotations if annotation[2]]
        self.repeated[name] = len(annotations) - len(set(annotations))
        self.overlapping[name] = sum(b[0] < a[1] for a, b in pairwise(sorted(annotations)))
        return sorted(set(annotations))

    def utterances(self, by: str) -> list[tuple[float, float, str]]:
        """Return the utterances of A or B, in the second version if they were annotated twice."""
        first_version, name = self.read(f"{by}-utts"), _MARKED_LATER.format(by)
        again = self.read(name) if name in self.tiers else []
        unchanged = [
            utterance
            for utterance in first_version
            if not any(utterance[0] < new[1] and new[0] < utterance[1] for new in again)
        ]
        return sorted([*unchanged, *again])

    def _parse_annotation(self, annotation: Any) -> tuple[float, float, str]:
        """Return start, end and text of an annotation. Raises MalformedInput without times."""
        times = [self.slots.get(annotation.get(f"TIME_SLOT_REF{i}")) for i in (1, 2)]
        try:
            start, end = (float(str(t)) for t in times)
        except ValueError:
            problem = f"annotation {annotation.get('ANNOTATION_ID')} has no time of its own"
            raise MalformedInput(
                problem, where=self.where, line=annotation.sourceline or 1, remedy="align it in ELAN"
            ) from None
        return start, end, " ".join((annotation.findtext("ANNOTATION_VALUE") or "").split())


def _make_dialogue(
    tiers: _Tiers, name: str, pair: str, roles: dict[str, str], span: tuple[float, float]
) -> PentoDialogue:
    """Return the events of one interval of roles, ordered by start, with times from the interval's start."""
    begin, end = span
    utterances = [
        PentoUtterance(start - begin, stop - begin, by, *read_markup(value))
        for by in "AB"
        for start, stop, value in tiers.utterances(by)
        if begin <= start < end
    ]
    hands = [
        PentoHand(start - begin, stop - begin, HANDS[tier], *_parse_action(value))
        for tier in HANDS
        for start, stop, value in tiers.read(tier)
        if begin <= start < end
    ]
    faults = {
        "overlapping annotations of one tier": sum(tiers.overlapping.values()),
        "of them repetitions, read once": sum(tiers.repeated.values()),
        "references whose mark is never closed": sum(u.unclosed for u in utterances),
    }
    return PentoDialogue(
        id=name,
        pair=pair,
        roles=roles,
        start_ms=begin,
        end_ms=end,
        utterances=tuple(sorted(utterances)),
        hands=tuple(sorted(hands)),
        faults={what: n for what, n in faults.items() if n},
    )


def _parse_action(value: str) -> tuple[str, tuple[str, ...]]:
    """Return an annotated action and its pieces."""
    # Some annotations hold two actions with a blank between; the first one began it.
    action, _, pieces = value.partition(":")
    return action.split()[0] if action.split() else "", _parse_pieces(pieces)


def _parse_pieces(value: str) -> tuple[str, ...]:
    """Return the pieces that a value names; none if any part of it is no piece."""
    named = tuple(part for part in re.split(r"[,;\s]+", value.strip()) if part)
    return named if all(part in COLOURS for part in named) else ()


# -- words ---------------------------------------------------------------------------------------------------------------------


def read_markup(value: str) -> tuple[str, tuple[PentoReference, ...], int]:
    """Return the words of an utterance without marks, its references, and the number of unmatched marks.

    >>> read_markup('{F äh} <ref id="X" piece="target"> das rote </ref> ... hin')
    ('äh das rote hin', (PentoReference(start=3, end=11, pieces=('X',), part='target'),), 0)
    """
    marks: list[str] = []
    spelt = _MELTED.sub(lambda v: v[1] if "<ref" in v[1] and "<ref" not in v[2] else v[2], value)
    words = _NOT_WORDS.sub("", _MARK.sub(lambda mark: _make_placeholder(mark, marks), spelt))
    return _split_references(words, iter(marks))


def _make_placeholder(mark: re.Match[str], marks: list[str]) -> str:
    """Return a placeholder for the start or end of a reference.

    Empty for other marks, which do not split words.
    """
    if mark["open"] is not None:
        marks.append(mark["open"])
        return OPEN
    return CLOSE if mark["close"] else ""


def _split_references(words: str, marks: Iterator[str]) -> tuple[str, tuple[PentoReference, ...], int]:
    """Return the text without marks, its references, and the number of unmatched marks."""
    text, unopened = "", 0
    open_marks: list[tuple[int, str]] = []
    references: list[PentoReference] = []
    for sign in words:
        if sign == OPEN:
            open_marks.append((len(text), next(marks)))
        elif sign == CLOSE and open_marks:
            references += _make_reference(text, *open_marks.pop())
        elif sign == CLOSE:
            unopened += 1
        # One blank between words, none at the beginning.
        elif not sign.isspace():
            text += sign
        elif text and not text.endswith(" "):
            text += " "
    return text.rstrip(), tuple(sorted(references)), unopened + len(open_marks)


def _make_reference(text: str, start: int, attributes: str) -> Iterator[PentoReference]:
    """Return the reference that ends here, without surrounding blanks.

    None where no words or no known pieces are in it.
    """
    words = text[start:]
    pieces = _ID.search(attributes)
    named = _parse_pieces(pieces[1]) if pieces else ()
    if named and words.strip():
        part = _PART.search(attributes)
        begin = start + len(words) - len(words.lstrip())
        yield PentoReference(begin, start + len(words.rstrip()), named, part[1] if part else "")


# -- trials --------------------------------------------------------------------------------------------------------------------


def _make_trials(dialogue: PentoDialogue) -> Iterator[Trial]:
    """Yield one trial per reference.

    Events until the next utterance with references are the episode of the utterance's last one.
    """
    scene = Scene(id="pento-cv", entities=tuple(_make_piece(letter) for letter in COLOURS))
    events = sorted(
        [*map(_make_utterance, dialogue.utterances), *map(_make_action, dialogue.hands)],
        key=lambda e: e.start_ms or 0.0,
    )
    referring = [u for u in dialogue.utterances if u.references]
    ends = [u.start_ms for u in referring[1:]] + [float("inf")]
    history = tuple(e for e in events if referring and (e.start_ms or 0.0) < referring[0].start_ms)
    before, number = None, 0
    for utterance, until in zip(referring, ends, strict=True):
        episode = tuple(e for e in events if utterance.start_ms <= (e.start_ms or 0.0) < until)
        for place, reference in enumerate(utterance.references, 1):
            number += 1
            last = place == len(utterance.references)
            trial = Trial(
                id=f"pento-cv-{dialogue.id}-{number}",
                scene=scene,
                targets=reference.pieces,
                domain="pentominoes",
                speaker=f"{dialogue.pair}-{utterance.by}",
                language="de",
                history=history,
                # Nothing of the utterance itself may be history to its own references.
                episode=episode if last else (),
                after=before,
                references=(
                    Description(
                        text=utterance.text[reference.start : reference.end], speaker=f"{dialogue.pair}-{utterance.by}"
                    ),
                ),
                meta={
                    "game": dialogue.pair,
                    "dialogue": dialogue.id,
                    "role": dialogue.roles[utterance.by],
                    "part": reference.part,
                    "utterance": utterance.text,
                    "start_ms": utterance.start_ms,
                },
            )
            history, before = history + trial.episode, trial.id
            yield trial


def _make_piece(letter: str) -> Entity:
    """Return a piece as an entity."""
    colour, shade = COLOURS[letter]
    attributes = (Property("shape", letter), Property("colour", colour))
    return Entity(id=letter, attributes=attributes if shade is None else (*attributes, Property("shade", shade)))


def _make_utterance(utterance: PentoUtterance) -> Event:
    """Return an utterance as an event."""
    return Event(
        kind=UTTERANCE,
        by=utterance.by,
        text=utterance.text,
        start_ms=utterance.start_ms,
        end_ms=utterance.end_ms,
    )


def _make_action(hand: PentoHand) -> Event:
    """Return a hand's action as an event."""
    return Event(
        kind=ACTION,
        by=f"{hand.hand} hand",
        text=hand.action,
        entities=hand.pieces,
        start_ms=hand.start_ms,
        end_ms=hand.end_ms,
    )
