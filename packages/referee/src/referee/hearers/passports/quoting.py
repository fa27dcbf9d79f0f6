"""Passports in signatures, ``…|passport:CORPUS:HASH:VERDICT``, and the warning if a passport is about another corpus."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

DIGITS = 12
MARK = "|passport:"
# Corpora may be called by a path or by two files; a quoted name has no colon, bar or space.
ODD = re.compile(r"[^\w.+-]+")


class Quoted(NamedTuple):
    """The passport in a signature; signatures of older versions name no corpus."""

    corpus: str | None
    digits: str
    verdict: str


def sign(signed: str, card: Mapping[str, Any]) -> str:
    """Return a signature with its hearer's passport, with twelve digits of the hash."""
    corpus = f"{shorten_corpus_name(card['corpus'])}:" if card.get("corpus") else ""
    return f"{signed}{MARK}{corpus}{card['hash'][:DIGITS]}:{card['verdict'].replace(' ', '-')}"


def shorten_corpus_name(name: str) -> str:
    """Return the name of a corpus as one word; of a path, its last part.

    >>> shorten_corpus_name("studies/my trials.jsonl")
    'my-trials.jsonl'
    """
    return ODD.sub("-", Path(name).name)


def read_quote(signed: str) -> Quoted | None:
    """Return the passport that a signature quotes; None where it quotes none.

    >>> read_quote("literal|seed:1|passport:degen2020:0123456789ab:use-with-care")
    Quoted(corpus='degen2020', digits='0123456789ab', verdict='use with care')
    """
    _, mark, quoted = signed.partition(MARK)
    if not mark:
        return None
    *corpus, digits, verdict = quoted.split("|")[0].rsplit(":", 2)
    return Quoted(corpus[0] if corpus else None, digits, verdict.replace("-", " "))


def warn_elsewhere(signatures: Mapping[str, str], corpus: str) -> list[str]:
    """Return one warning for every hearer whose passport is about another corpus.

    `signatures` are those of a run's hearers by name (the manifest's ``hearers``), `corpus` is the run's
    (``open_corpus(run).name``).
    """
    here = shorten_corpus_name(corpus)
    warnings = []
    for hearer, signed in signatures.items():
        quoted = read_quote(signed)
        if quoted is not None and quoted.corpus is not None and quoted.corpus.split("-+-")[0] != here:
            warnings.append(
                f"The passport of {hearer} was made on {quoted.corpus}, and this is {here}: a card is valid for its "
                f"own corpus only. Make one on people's answers to {here}, or report that there is none."
            )
    return warnings
