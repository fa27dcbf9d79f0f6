"""The status of the hearer behind a verdict.

People, or a simulated hearer, which counts for less, and not at all without a passport.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from referee.metrics.hearing import PEOPLE

NO_PASSPORT = "no passport"
CAPPED = {
    "predicts": "predicts a simulated hearer",
    "reversed": "reversed for a simulated hearer",
    "related": "related to a simulated hearer",
}
"""What agreement with a simulated hearer may be called: it says nothing about people until they answer."""
SIGNED = "|passport:"


class Admission(NamedTuple):
    """The hearer of the answers.

    People, or a simulated hearer by name, with its passport (corpus and digits of its hash) and the passport's
    result.
    """

    simulated: bool = False
    hearer: str = PEOPLE
    passport: str = ""
    says: str = ""

    @property
    def refused(self) -> bool:
        """Return whether no verdict is possible, because the simulated hearer was never compared with people."""
        return self.simulated and not self.passport


OF_PEOPLE = Admission()


def admit(hearer: str, signed: str, cards: Mapping[str, Mapping[str, Any]]) -> Admission:
    """Return whether a hearer's answers count as people's or as a simulated hearer's with a passport.

    `signed` is its signature in the run's manifest; `cards` are the passports stored in the run. A passport counts if
    the signature names it.
    """
    named = signed.partition(SIGNED)[2]
    hearer_cards = [
        c for key, c in cards.items() if c.get("hearer") == hearer and _shorten_hash(key, c) in named and named
    ]
    if not hearer_cards:
        return Admission(simulated=True, hearer=hearer)
    card = hearer_cards[-1]
    passport = f"{card.get('corpus', 'unknown')}:{card['hash'][:12]}"
    return Admission(simulated=True, hearer=hearer, passport=passport, says=str(card.get("verdict", "")))


def _shorten_hash(key: str, card: Mapping[str, Any]) -> str:
    """Return the first twelve digits of a passport's hash (or of its file name), as signatures cite it."""
    return str(card.get("hash", key))[:12]


def cap(word: str, admission: Admission) -> str:
    """Limit a finding: unchanged for people, weakened for a simulated hearer, "no passport" without one."""
    if admission.refused:
        return NO_PASSPORT
    return CAPPED.get(word, word) if admission.simulated else word
