"""The plainest words a language has: no training, every property said once in a fixed place (in the spirit of the challenges' attribute-to-word converter)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from referee.meaning import Meaning
from referee.realisation.language import Language
from referee.realisation.wording import Wording, language_of
from referee.records import Property, SpeakerView, Trial

__all__ = ["Plain", "in_portuguese"]


class Plain:
    """Says any properties in a language (None: that of the trial), neighbours of a kind joined: "the old person with a beard and glasses"."""

    learns = False

    def __init__(self, language: Language | None = None) -> None:
        self.language = language

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Nothing is learned."""
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the words of a list of properties."""
        return self._phrase(properties, view)

    def realise_meaning(self, form: Meaning, view: SpeakerView) -> str:
        """Return the words of a meaning."""
        return self._phrase(form, view)

    def _phrase(self, content: Sequence[Property] | Meaning, view: SpeakerView) -> str:
        wording = Wording(self.language or language_of(view), view.scene)
        return wording.phrase(view.targets, content, where=False).text


def in_portuguese() -> Plain:
    """The plainest words in Portuguese, whatever language a trial is in (the open track of TUNA 2008; Pereira & Paraboni)."""
    from referee.realisation.portuguese import PORTUGUESE

    return Plain(PORTUGUESE)
