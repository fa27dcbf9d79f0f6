"""PENTOCV as dialogues: twelve real pieces, spoken German, and the manipulator's two hands (Zarrieß et al. 2016).

The instructor is the solver, the manipulator the operator. Moves and turns of a piece are *actions*. The time a hand is
on a piece, from grab to release, is in the tier that other dialogues use for the cursor (*mouse*); reaching and
withdrawing are neither. Both hands count, also simultaneously. An expression is timed inside its utterance in
proportion to its characters. It has `dpr` if it is a pronoun by the rule of `reference_forms`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from referee.corpora.pento_cv import COLOURS, PentoCv, PentoDialogue, PentoHand
from referee.records import Event
from referee_lab.tangram.tiers.dialogue import ACTION, MOUSE, OPERATOR, SOLVER, UTTERANCE, Dialogue
from referee_lab.tangram.tiers.reference_forms import classify_pronoun
from referee_lab.tangram.tiers.rex_tiers import mark_expression

ROLES = {"instructor": SOLVER, "manipulator": OPERATOR}
# "postion" is how the corpus spells it.
ACTIONS = {
    "move_with_piece": "move",
    "move_with_piece_piece": "move",
    "rotate_piece": "rotate",
    "adjust_piece_postion": "move",
    "adjust_piece_position": "move",
}
ON_PIECE = {
    *(*ACTIONS, "grab_piece", "grab", "drop_piece", "stationary_with_piece", "show"),
    *("grab_piece_from_other_hand", "hand_over_piece_to_other_hand"),
}
# Neighbouring annotations of one hand on one piece are one stay.
JOIN_MS = 100.0


def read_pento_dialogues(data: str | Path | None = None) -> list[Dialogue]:
    """Return one dialogue for every stretch of fixed roles in the files of a data folder."""
    return [make_pento_dialogue(source) for source in PentoCv(data).dialogues()]


def make_pento_dialogue(source: PentoDialogue) -> Dialogue:
    """Return the tiers of one dialogue; times count from its beginning."""
    utterances = [
        Event(kind=UTTERANCE, by=ROLES[source.roles[u.by]], text=u.text, start_ms=u.start_ms, end_ms=u.end_ms)
        for u in source.utterances
    ]
    events = [
        *utterances,
        *_iterate_expressions(source, utterances),
        *(
            _make_event(ACTION, hand, hand.end_ms, {"action": ACTIONS[hand.action], "hand": hand.hand})
            for hand in source.hands
            if hand.action in ACTIONS and hand.pieces
        ),
        *_find_hand_stays(source),
    ]
    return Dialogue(
        id=f"pento-cv-{source.id}",
        pair=f"pento-cv-{source.pair}",
        pieces={letter: _list_attributes(letter) for letter in COLOURS},
        events=tuple(sorted(events, key=lambda e: e.start_ms or 0.0)),
        language="de",
        meta={"pointer": "hand", "faults": dict(source.faults)},
    )


def _list_attributes(letter: str) -> dict[str, str]:
    colour, shade = COLOURS[letter]
    return {"shape": letter, "colour": colour} | ({} if shade is None else {"shade": shade})


def _iterate_expressions(source: PentoDialogue, events: list[Event]) -> Iterator[Event]:
    """Yield the expressions of all utterances."""
    for index, (utterance, event) in enumerate(zip(source.utterances, events, strict=True)):
        for reference in utterance.references:
            words = utterance.text[reference.start : reference.end]
            span, codes = (reference.start, reference.end), ("dpr",) if classify_pronoun(words, "de") else ()
            yield mark_expression(event, index, span, referents=reference.pieces, attributes=codes)


def _find_hand_stays(source: PentoDialogue) -> Iterator[Event]:
    """Return the time spans during which each hand is on a piece."""
    for side in sorted({hand.hand for hand in source.hands}):
        stay: tuple[PentoHand, float] | None = None
        for hand in (h for h in source.hands if h.hand == side and h.action in ON_PIECE and h.pieces):
            if stay and stay[0].pieces == hand.pieces and hand.start_ms - stay[1] <= JOIN_MS:
                stay = (stay[0], max(stay[1], hand.end_ms))
                continue
            if stay:
                yield _make_event(MOUSE, *stay, {"hand": side})
            stay = (hand, hand.end_ms)
        if stay:
            yield _make_event(MOUSE, *stay, {"hand": side})


def _make_event(kind: str, hand: PentoHand, end_ms: float, data: dict[str, str]) -> Event:
    return Event(kind=kind, by=OPERATOR, entities=hand.pieces, start_ms=hand.start_ms, end_ms=end_ms, data=data)
