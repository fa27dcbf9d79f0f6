"""Annotated descriptions as pieces.

Stretches of words with the properties they express, as TUNA's markup gives them (Gatt, van der Sluis & van Deemter
2007).

Words are lower-cased, stripped of punctuation and their spelling is corrected, as Di Fabbrizio, Stent & Bangalore (2008) did (by hand; here a word
that occurs once or twice is taken for a frequent one that differs in a letter). A nested stretch (a *white* beard)
is one piece with all its properties.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

from referee.records import Property, Span, SpeakerView, Trial

HEAD = "type"
UNSAYABLE = frozenset({"other", "unknown", ""})
"""Values that a speaker cannot put into words."""

Properties = frozenset[Property]
Model = TypeVar("Model")


class Piece(NamedTuple):
    """A phrase and the properties it expresses (none, for function words)."""

    words: tuple[str, ...]
    properties: Properties = frozenset()

    @property
    def names(self) -> frozenset[str]:
        return frozenset(p.name for p in self.properties)


@dataclass(frozen=True)
class Example:
    """One training description: its pieces in order, its set of properties, its speaker and target."""

    pieces: tuple[Piece, ...]
    properties: Properties
    domain: str | None = None
    speaker: str | None = None
    target: str = ""
    text: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for piece in self.pieces for word in piece.words)

    @cached_property
    def names(self) -> frozenset[str]:
        """The attributes of the description."""
        return frozenset(p.name for p in self.properties)

    @cached_property
    def head(self) -> int | None:
        """The index of the noun: the first piece that expresses the type."""
        return next((i for i, piece in enumerate(self.pieces) if HEAD in piece.names), None)


def normalise(text: str) -> tuple[str, ...]:
    """Return words in lower case without punctuation.

    Hyphens and apostrophes stay inside a word, the point inside a number.
    """
    # Hyphens and apostrophes that were typed with blanks around them.
    joined = re.sub(r"(?<=\w)\s*(['’-])\s*(?=\w)", r"\1", text.lower())
    return tuple(re.findall(r"\d+\.\d+|\w+(?:['’-]\w+)*", joined))


def read_examples(trials: Iterable[Trial]) -> list[Example]:
    """Return every reference with words and properties.

    Without spans, words are pieces without properties.
    """
    examples = []
    for trial in trials:
        for reference in trial.references:
            if reference.text is None or reference.properties is None:
                continue
            pieces = (
                _convert_spans(reference.spans) if reference.spans else [Piece((w,)) for w in normalise(reference.text)]
            )
            examples.append(
                Example(
                    pieces=tuple(pieces),
                    properties=frozenset(reference.properties),
                    domain=trial.domain,
                    speaker=reference.speaker or trial.speaker,
                    target=get_target_key(trial),
                    text=reference.text,
                )
            )
    right = correct_spelling(Counter(word for example in examples for word in example.words))
    return [replace(e, pieces=tuple(_correct_spelling(piece, right) for piece in e.pieces)) for e in examples]


def correct_spelling(counts: Mapping[str, int], rare: int = 2, times: int = 10) -> dict[str, str]:
    """Return rare words that one letter added, lost, changed or swapped turns into a word `times` as frequent.

    First letters are never wrong.
    """
    from rapidfuzz.distance import OSA

    frequent = sorted((w for w in counts if counts[w] >= times), key=lambda w: -counts[w])
    right = {}
    # Words of up to three letters have too many neighbours one letter away.
    for word in (w for w in counts if counts[w] <= rare and len(w) > 3):
        # A plural is no slip.
        candidates = [w for w in frequent if w[0] == word[0] and counts[w] >= times * counts[word] and w + "s" != word]
        # Optimal string alignment takes a swap of two neighbours for one error.
        match = next((w for w in candidates if OSA.distance(word, w, score_cutoff=1) == 1), None)
        if match:
            right[word] = match
    return right


def _correct_spelling(piece: Piece, right: Mapping[str, str]) -> Piece:
    return piece._replace(words=tuple([right.get(word, word) for word in piece.words]))


def get_target_key(trial: Trial | SpeakerView) -> str:
    """Return the key of a target across trials: its picture, or its id."""
    return " ".join(trial.scene.entity(target).image or target for target in trial.targets)


def _convert_spans(spans: Sequence[Span]) -> list[Piece]:
    """Return spans as pieces."""
    pieces: list[Piece] = []
    for span in spans:
        words = normalise(span.text)
        # Marked as outside the scheme: nothing that could be asked for.
        properties = frozenset(p for p in _list_expressed(span) if p.name != "other")
        names = {p.name for p in properties}
        if words and properties:
            if pieces and pieces[-1].names == {"hairColour"} and names & {"hasBeard", "hasHair"}:
                # "white" marked apart from "bearded": alone it would read as the colour of the man.
                colour = pieces.pop()
                words, properties = colour.words + words, colour.properties | properties
            pieces.append(Piece(words, properties))
        else:
            pieces += [Piece((word,)) for word in words]
    return _drop_frames(pieces)


def _drop_frames(pieces: list[Piece]) -> list[Piece]:
    """Return spans without the frame's noun: in "the picture of a man" both nouns are marked as the type.

    The first is only a frame around the second.
    """
    heads = [i for i, piece in enumerate(pieces) if HEAD in piece.names]
    frames = {i for i in heads[:-1] if pieces[i].names == {HEAD} and pieces[i + 1].words == ("of",)}
    return [
        part
        for i, piece in enumerate(pieces)
        for part in ([Piece((w,)) for w in piece.words] if i in frames else [piece])
    ]


def _list_expressed(span: Span) -> list[Property]:
    return [*span.properties, *(p for inner in span.inside for p in _list_expressed(inner))]


def group_by_domain(examples: Sequence[Example]) -> dict[str | None, list[Example]]:
    """Return the examples of each domain, and all of them under None for domains that were never seen."""
    groups: dict[str | None, list[Example]] = {None: list(examples)}
    for example in examples:
        if example.domain is not None:
            groups.setdefault(example.domain, []).append(example)
    return groups


def choose_model(models: Mapping[str | None, Model], domain: str | None) -> Model:
    """Return the model of a domain, or the overall one for a new domain."""
    return models.get(domain, models[None])


def compute_dice(first: frozenset[object] | Properties, second: frozenset[object] | Properties) -> float:
    """Return the Dice coefficient of two sets; two empty sets are equal."""
    total = len(first) + len(second)
    return 2 * len(first & second) / total if total else 1.0
