"""The features of a text for learned listeners.

Words, bigrams, prefixes and suffixes, which generalise to unknown words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from referee.errors import InputError, UnknownName
from referee.hearers.answering import split_words
from referee.records import Description, Outcome, Scene, Trial

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TEACHERS = ("targets", "clicks")
BEGINNING, ENDING = "^", "~"
START, END = "<", ">"
LONG = 5


class Lesson(NamedTuple):
    """A text, its scene, and the indices of the entities it refers to."""

    text: str
    scene: Scene
    meant: tuple[int, ...]


class Vocabulary(NamedTuple):
    """The pieces of text that a listener knows, each with its column."""

    columns: dict[str, int]

    @classmethod
    def of(cls, texts: Iterable[str], rare: int) -> Vocabulary:
        """Return all pieces that occur in at least `rare` texts, in alphabetical order."""
        counts = Counter(piece for text in texts for piece in split_into_pieces(text))
        # In alphabetical order, so that columns do not depend on the order of the trials.
        frequent = sorted(piece for piece, count in counts.items() if count >= rare)
        return cls({piece: column for column, piece in enumerate(frequent)})

    def knows_word(self, text: str) -> bool:
        """Return whether any piece of the word but its ending is known."""
        # The last two letters are shared by too many words to count as understood.
        return any(piece in self.columns for piece in split_into_pieces(text) if not piece.startswith(ENDING))

    def weigh(self, texts: Sequence[str]) -> csr_array:
        """Return one row per text, one column per n-gram.

        Rows have length one, so that long texts have no more weight.
        """
        import numpy as np
        from scipy.sparse import csr_array

        piece_columns = [[self.columns[p] for p in split_into_pieces(text) if p in self.columns] for text in texts]
        sizes = np.array([len(row) for row in piece_columns], dtype=np.int64)
        weights = np.repeat(1 / np.sqrt(np.maximum(sizes, 1)), sizes)
        places = np.fromiter(
            (column for row in piece_columns for column in row), dtype=np.int64, count=int(sizes.sum())
        )
        return csr_array((weights, places, np.append(0, np.cumsum(sizes))), shape=(len(texts), len(self.columns)))


def iterate_lessons(trials: Iterable[Trial], teacher: str) -> Iterator[Lesson]:
    """Yield the training instances of trials: with `targets` the speakers' targets, with `clicks` the listeners'
    choices.
    """
    if teacher not in TEACHERS:
        raise UnknownName("teacher", teacher, TEACHERS, hint=f"one of {', '.join(TEACHERS)}")
    for trial in trials:
        ids = trial.targets if teacher == "targets" else _list_clicked(trial)
        meant = tuple(trial.scene.index(entity) for entity in ids)
        for reference in trial.references:
            text = get_message(reference)
            if meant and not isinstance(text, Outcome):
                yield Lesson(text, trial.scene, meant)


def list_lessons(trials: Iterable[Trial], teacher: str) -> list[Lesson]:
    """Return all training instances. Raises InputError if there are none."""
    lesson_list = list(iterate_lessons(trials, teacher))
    if not lesson_list:
        raise InputError(
            f"none of the trials has a text together with {teacher}",
            remedy="train on a corpus with references in words" + (" and clicks" if teacher == "clicks" else ""),
        )
    return lesson_list


def _list_clicked(trial: Trial) -> tuple[str, ...]:
    """Return the entities of the listener's last click."""
    clicks = [event.entities for event in trial.episode if event.kind == "click" and event.by == "listener"]
    # The last one, where a listener clicked more than once.
    return clicks[-1] if clicks else ()


def get_message(description: Description) -> str | Outcome:
    """Return the words of a description (of properties alone: their values), or the outcome if there are none."""
    text = description.text
    if text is None:
        text = " ".join(p.value for p in description.properties or ())
    if not text.strip():
        return Outcome.DONT_KNOW
    return text if split_words(text) else Outcome.UNPARSABLE


@lru_cache(maxsize=1 << 17)
def split_into_pieces(text: str) -> tuple[str, ...]:
    """Return each piece once: words, parts at hyphens, neighbouring pairs, and first four and last two letters of long words."""
    words = split_words(text)
    parts = [part for word in words if "-" in word for part in word.split("-")]
    long = [word for word in (*words, *parts) if len(word) >= LONG]
    edges = [piece for word in long for piece in (BEGINNING + word[:4], ENDING + word[-2:])]
    return tuple(dict.fromkeys((*words, *parts, *(f"{a} {b}" for a, b in pairwise((START, *words, END))), *edges)))
