"""The plainest words of a language.

No training, every property once at a fixed position (like the challenges' attribute-to-word converter).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from referee.meaning import Meaning
from referee.realisation.language import Language
from referee.realisation.wording import Wording, language_of
from referee.records import Property, SpeakerView, Trial


class Plain:
    """Realises any properties in a language (None: that of the trial), joining similar neighbours.

    "the old person with a beard and glasses".
    """

    learns = False

    def __init__(self, language: Language | None = None) -> None:
        self.language = language

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Return the realiser unchanged, because it needs no training."""
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the words of a list of properties."""
        return self._make_phrase(properties, view)

    def realise_meaning(self, form: Meaning, view: SpeakerView) -> str:
        """Return the words of a meaning."""
        return self._make_phrase(form, view)

    def _make_phrase(self, content: Sequence[Property] | Meaning, view: SpeakerView) -> str:
        wording = Wording(self.language or language_of(view), view.scene)
        return wording.phrase(view.targets, content, where=False).text


def make_portuguese_realiser() -> Plain:
    """Return the plainest words in Portuguese, for trials in any language (the open track of TUNA 2008.

    Pereira & Paraboni).
    """
    from referee.realisation.portuguese import PORTUGUESE

    return Plain(PORTUGUESE)
