"""Statistics of a corpus of dialogues.

Its size, references per role, and the kinds of expressions (Table 2 of Spanger et al. 2013).

Kinds are the sixteen codes of the annotation scheme; an expression may have several. In a corpus with codes only for
pronouns, the words determine some kinds: personal or demonstrative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from referee.records import Event
from referee_lab.tangram.tiers.dialogue import ACTION, EXPRESSION, OPERATOR, SOLVER, UTTERANCE, Dialogue
from referee_lab.tangram.tiers.expressions import infer_codes
from referee_lab.tangram.tiers.reference_forms import DEMONSTRATIVE, PERSONAL, classify_coded_pronoun, is_pronoun

# The groups of the table, each with its codes; a group counts expressions, not codes.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "demonstrative": ("dad", "dpr"),
    "attribute": ("siz", "typ", "dir"),
    "spatial relation": ("prj", "tpl", "ovl"),
    "action-mentioning": ("act",),
    "other": ("cmp", "sim", "num", "rpr", "err", "nest", "meta"),
}
# Spanger et al. 2013, table 2, as recovered from Iida et al. 2010, table 1: 1,242 expressions of the solver for one piece.
PRINTED: Mapping[str, int] = {
    "demonstrative": 742,
    "dad": 194,
    "dpr": 548,
    "attribute": 795,
    "siz": 223,
    "typ": 566,
    "dir": 6,
    "spatial relation": 147,
    "prj": 143,
    "tpl": 2,
    "ovl": 2,
    "action-mentioning": 85,
    "act": 85,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusStatistics:
    """Counts; `codes` and `groups` count expressions with a code or any code of a group, `pronouns` kinds of pronouns by their words."""

    dialogues: int
    pairs: int
    minutes: float
    utterances: int
    actions: int
    expressions: int
    by_speaker: Mapping[str, int]
    one_piece: int
    several: int
    unclear: int
    types: int
    groups: Mapping[str, int]
    codes: Mapping[str, int]
    pronouns: Mapping[str, int]
    coded: bool
    # Counts of groups and codes by words, for languages with a vocabulary and corpora without codes; else empty.
    by_words: Mapping[str, int] = field(default_factory=dict)


def count_corpus(dialogues: Sequence[Dialogue]) -> CorpusStatistics:
    """Return all counts over some dialogues."""
    expressions = [(d, e) for d in dialogues for e in d.select_tier(EXPRESSION)]
    codes = [set(_list_codes(e)) for _, e in expressions]
    is_coded = any(code_set - {"dpr"} for code_set in codes)
    inferred = [] if is_coded else [infer_codes(e, d.language, d.pieces) for d, e in expressions]
    by_words = {} if is_coded or None in inferred else _count_groups([set(code_set or ()) for code_set in inferred])
    counts = _count_groups(codes)
    speakers = Counter(e.by or "nobody" for _, e in expressions)
    # Solver and operator are named even without any, unless others speak.
    roles = () if speakers.keys() - {SOLVER, OPERATOR} else (SOLVER, OPERATOR)
    kinds = Counter(
        classify_coded_pronoun(e.text or "", d.language) for d, e in expressions if is_pronoun(e, d.language)
    )
    return CorpusStatistics(
        dialogues=len(dialogues),
        pairs=len({d.pair for d in dialogues}),
        minutes=round(sum(_measure_length(d) for d in dialogues) / 60_000, 1),
        utterances=sum(len(d.select_tier(UTTERANCE)) for d in dialogues),
        actions=sum(len(d.select_tier(ACTION)) for d in dialogues),
        expressions=len(expressions),
        by_speaker=dict.fromkeys(roles, 0) | dict(sorted(speakers.items())),
        one_piece=sum(len(e.entities) == 1 and not e.data.get("uncertain") for _, e in expressions),
        several=sum(len(e.entities) > 1 and not e.data.get("uncertain") for _, e in expressions),
        unclear=sum(bool(e.data.get("uncertain")) or not e.entities for _, e in expressions),
        types=len({" ".join((e.text or "").lower().split()) for _, e in expressions}),
        groups={name: counts[name] for name in GROUPS},
        codes={code: counts[code] for group_codes in GROUPS.values() for code in group_codes},
        pronouns={kind: kinds[kind] for kind in (DEMONSTRATIVE, PERSONAL)},
        coded=is_coded,
        by_words=by_words,
    )


def _count_groups(codes: Sequence[set[str]]) -> dict[str, int]:
    """Return the number of expressions in each group of kinds, and with each code."""
    groups = {name: sum(bool(set(group) & code_set) for code_set in codes) for name, group in GROUPS.items()}
    return groups | {code: sum(code in code_set for code_set in codes) for group in GROUPS.values() for code in group}


def _list_codes(event: Event) -> tuple[str, ...]:
    codes = event.data.get("attributes") or ()
    return tuple(codes.replace(",", " ").split()) if isinstance(codes, str) else tuple(codes)


def _measure_length(dialogue: Dialogue) -> float:
    times = [t for e in dialogue.events for t in (e.start_ms, e.end_ms) if t is not None]
    return max(times) - min(times) if times else 0.0
