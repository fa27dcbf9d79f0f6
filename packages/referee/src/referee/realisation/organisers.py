"""The challenges' attribute-to-word converter.

Every attribute has fixed words and a fixed position (I. Langkilde-Geary for ASGRE 2007).

Its source is not published. It is documented that the wording is fixed, the article definite, the type of people
"person" and hair colour an adjective; the other words are a reconstruction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Self

from referee.realisation.annotation import HEAD, UNSAYABLE
from referee.realisation.english import ENGLISH
from referee.records import Property, SpeakerView, Trial

# In the order of the slots; {} is the value itself.
CONVERTER_WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "size": {"": "{}"},
        "age": {"": "{}"},
        "colour": {"": "{}"},
        "hairColour": {"": "{}-haired"},
        HEAD: {"": "{}"},
        "orientation": {"front": "facing forward", "back": "facing backward", "": "facing {}"},
        # Spelled out where they are 0: OSU-GP, which always names them, has an edit distance of 13.2 on people, others
        # 7.3 to 9.
        "hasBeard": {"1": "with a beard", "0": "without a beard"},
        "hasGlasses": {"1": "with glasses", "0": "without glasses"},
        "hasHair": {"1": "with hair", "0": "without hair"},
        "hasShirt": {"1": "wearing a shirt", "0": "not wearing a shirt"},
        "hasTie": {"1": "wearing a tie", "0": "not wearing a tie"},
        "hasSuit": {"1": "wearing a suit", "0": "not wearing a suit"},
        "y-dimension": {"1": "at the top", "2": "in the middle", "3": "at the bottom"},
        "x-dimension": {
            "1": "on the far left",
            "2": "on the left",
            "3": "in the centre",
            "4": "on the right",
            "5": "on the far right",
        },
    }
)

# The GRAPH team's improvement of 2009, used where no template fits: people are men, places are worded as people do.
BETTER_WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        **CONVERTER_WORDS,
        HEAD: {"person": "man", "": "{}"},
        "y-dimension": {"1": "in the top row", "2": "in the middle row", "3": "in the bottom row"},
        "x-dimension": {**CONVERTER_WORDS["x-dimension"], "3": "in the middle"},
    }
)


class FixedWords:
    """One phrase per attribute and value, in the order of the table; without a type the head is "one".

    A property that the table lacks is worded as in English, after all others; values without words are left out.
    """

    def __init__(self, words: Mapping[str, Mapping[str, str]] = CONVERTER_WORDS) -> None:
        self.words = words

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Return the realiser unchanged, because it needs no training."""
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the fixed words of the properties."""
        # Of a name said twice (37 sets of TUNA) the first value stays.
        values = {p.name: p.value for p in reversed(properties) if p.value not in UNSAYABLE}
        slots = [self._word(name, values.pop(name, None)) for name in self.words]
        rest = ENGLISH.word([p for p in properties if values.get(p.name) == p.value])
        return ENGLISH.polish(" ".join(["the", *slots, *(phrase.text for phrase in rest)]))

    def _word(self, name: str, value: str | None) -> str:
        """Return the fixed words of a value."""
        if value is None:
            # No source documents the converter's output without a type.
            return "one" if name == HEAD else ""
        words = self.words[name]
        form = words.get(value, words.get(""))
        return ENGLISH.describe_unknown(Property(name, value)).text if form is None else form.format(value)
