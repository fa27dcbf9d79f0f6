"""The features of each piece as a candidate referent.

The 22 yes/no features of reference resolution (Iida, Kobayashi & Tokunaga 2010, table 2).

DH1-10 describe the dialogue, AH1-6 the cursor, CO1-6 the handling. DH7 and DH8 are the Japanese particles *o* and *ni*
after the expression; in other languages they are no. DH6 compares the words of the expression with the attributes of
the piece.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from referee_lab.tangram.models.history import BINS, Situation, Standing, find_bin
from referee_lab.tangram.tiers.reference_forms import split_words

DISCOURSE_NAMES = tuple(f"DH{i}" for i in range(1, 11))
ACTION_NAMES = tuple(f"AH{i}" for i in range(1, 7))
OPERATION_NAMES = tuple(f"CO{i}" for i in range(1, 7))
CANDIDATE_NAMES = (*DISCOURSE_NAMES, *ACTION_NAMES, *OPERATION_NAMES)

# German adjectives inflect; turquoise and blue are used for one colour.
_ENDINGS = ("e", "en", "es", "er", "em", "ne", "nen", "nes", "ner", "nem", "farbene", "farbenen")
_GERMAN = {
    "grey": "grau",
    "orange": "orange",
    "purple": "lila",
    "pink": "pink rosa",
    "yellow": "gelb",
    "red": "rot",
    "brown": "braun",
    "turquoise": "türkis blau hellblau",
    "blue": "blau hellblau dunkelblau",
    "green": "grün hellgrün dunkelgrün",
    "light": "hell hellblau hellgrün",
    "dark": "dunkel dunkelblau dunkelgrün",
}
# Other words for the values of attributes; a value always stands for itself.
WORDS: Mapping[str, tuple[str, ...]] = {
    "large": ("big", "ôkii", "ookii", "oki", "大きい", "大きな"),
    "medium": ("middle-sized", "mid-sized", "tyûkurai", "中くらい", "中ぐらい"),
    "small": ("little", "tiisai", "tittyai", "小さい", "小さな", "ちっちゃい"),
    "triangle": ("triangles", "sankaku", "sankakkei", "三角"),
    "square": ("seihôkei", "sikaku", "正方形", "四角"),
    **{
        colour: tuple(f"{word}{end}" for word in words.split() for end in ("", *_ENDINGS))
        for colour, words in _GERMAN.items()
    },
    "parallelogram": ("rhomboid", "heikousihenkei", "平行四辺形"),
}
_AFTER = {"o": re.compile(r"^\s*(?:o\b|を)"), "ni": re.compile(r"^\s*(?:ni\b|に)")}


def fits(text: str, piece: Mapping[str, str], pieces: Mapping[str, Mapping[str, str]]) -> bool:
    """Return whether a piece has every attribute an expression names; an expression that names none fits all."""
    # In lower case also single letters, which name pieces of the Pentomino.
    words = {word.lower() for word in split_words(text)}
    for attribute in piece:
        values = {attributes[attribute] for attributes in pieces.values() if attribute in attributes}
        # Japanese sets no blanks between words, so they are looked for inside the text.
        named = {
            value
            for value in values
            for name in (value.lower(), *WORDS.get(value.lower(), ()))
            if (name in words if name.isascii() and " " not in name else name in text.lower())
        }
        if named and piece[attribute] not in named:
            return False
    return True


def compute_candidate_features(
    situation: Situation, piece: str, *, text: str | None = None, pronoun: bool | None = None
) -> dict[str, float]:
    """Return the 22 features of a piece for the expression of a situation, or for another text in its place."""
    words = situation.text if text is None else text
    is_pronoun = situation.pronoun if pronoun is None else pronoun
    s = situation.standings[piece]
    yes = {
        **_compute_dialogue_features(s, is_pronoun),
        "DH6": fits(words, situation.pieces[piece], situation.pieces),
        "DH7": _is_followed_by(situation, "o"),
        "DH8": _is_followed_by(situation, "ni"),
        **_compute_time_features(ACTION_NAMES, s.cursor_over, s.cursor_last, s.since_cursor),
        **_compute_time_features(OPERATION_NAMES, s.handled_now, s.handled_latest, s.since_handled),
    }
    return {name: float(yes[name]) for name in CANDIDATE_NAMES}


def _compute_dialogue_features(s: Standing, pronoun: bool) -> dict[str, bool]:
    """Return the dialogue features of a piece."""
    time = find_bin(s.since_mention)
    return {
        "DH1": s.mentioned_last,
        "DH2": time == "10s",
        "DH3": time == "20s",
        "DH4": time == "older",
        "DH5": time == "never",
        "DH9": pronoun and s.mention_was_pronoun is False,
        "DH10": not pronoun and s.mention_was_pronoun is True,
    }


def _compute_time_features(names: Sequence[str], now: bool, last: bool, since: float | None) -> dict[str, bool]:
    """Return six features of one kind of event: whether it is going on, whether it is the last one, and how long ago it was."""
    time = find_bin(since)
    # The second of each six asks for the last event only where none is going on ("if AH1 is no", table 2).
    return dict(zip(names, (now, last and not now, *(time == bin for bin in BINS)), strict=True))


def _is_followed_by(situation: Situation, particle: str) -> bool:
    """Return whether the expression is followed by a particle in its utterance."""
    if situation.language != "ja" or situation.utterance is None or situation.utterance.text is None:
        return False
    _, separator, rest = situation.utterance.text.partition(situation.text)
    return bool(separator and _AFTER[particle].match(rest))
