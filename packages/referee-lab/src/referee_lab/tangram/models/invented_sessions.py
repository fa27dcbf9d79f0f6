"""Invented Tangram sessions with the published statistics of the Japanese corpus, so that everything runs without it
(Spanger et al. 2013; Iida et al. 2010).

A small causal model, the same for every use. After a mention the operator often moves to the piece and handles it, else
to other pieces. The solver then refers to the piece under the cursor or to another one (more often the one just
mentioned). A pronoun is likely when the cursor is on the piece, and slightly more likely when the piece was just
mentioned or handled. Only rates are taken from print. Dialogues are marked `synthetic`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from referee.records import Event
from referee_lab.tangram.game.piece_sets import PIECES
from referee_lab.tangram.models.history import NEAR_MS, Situation, iterate_situations
from referee_lab.tangram.tiers.dialogue import ACTION, EXPRESSION, MOUSE, OPERATOR, SOLVER, UTTERANCE, Dialogue

# Of the 694 expressions without a pronoun: demonstrative adjective 194, shape 566, projective relation 143, action mentioned 85.
# Size is named 223 times; only the five triangles differ in size, so it is said of 223 in 694·5/7 of them.
DEMONSTRATIVE, SHAPE, SIZE, SIDE, DONE = 194 / 694, 566 / 694, 223 / (694 * 5 / 7), 143 / 694, 85 / 694
SIDES = ("on the left", "on the right", "at the top", "at the bottom")
SENTENCES = (
    "put {} a bit further up",
    "now turn {} round",
    "move {} to the left please",
    "so {} goes next to the edge",
    "then we take {}",
    "and {} fits there I think",
)
DEEDS = {"move": "moved", "rotate": "turned", "flip": "flipped"}


def say(
    event: Event, situation: Situation | None, pronoun: bool, rng: np.random.Generator
) -> tuple[str, str, tuple[str, ...]]:
    """Return expression, sentence and attribute codes."""
    if situation is None:
        words, attributes = "those two", ["dad", "num"]
    elif pronoun:
        # Of *kore*, *sore* and *are* the solver's is *sore* (Spanger et al. 2013); the operator has the piece at hand.
        words, attributes = ("this" if event.by == OPERATOR else "that"), ["dpr"]
    else:
        words, attributes = _describe_target(situation, rng)
    sentence = str(rng.choice(SENTENCES)).format(words)
    return words, sentence, tuple(attributes)


def _describe_target(situation: Situation, rng: np.random.Generator) -> tuple[str, list[str]]:
    """Return a random description of the target, with its codes."""
    piece, standing = situation.pieces[situation.target], situation.standing
    parts, attributes = ["the"], []
    if rng.random() < DEMONSTRATIVE:
        parts, attributes = ["that"], ["dad"]
    if piece["shape"] == "triangle" and rng.random() < SIZE:
        parts.append(piece["size"])
        attributes.append("siz")
    if rng.random() < SHAPE:
        parts.append(piece["shape"])
        attributes.append("typ")
    else:
        parts.append("one")
    if rng.random() < SIDE:
        parts.append(str(rng.choice(SIDES)))
        attributes.append("prj")
    if standing.last_action is not None and rng.random() < DONE:
        # *ima* goes with actions up to about 10 s ago, *sakki* with older ones (Spanger et al. 2009).
        recent = standing.since_action is not None and standing.since_action <= NEAR_MS
        parts.append(f"you {'just ' if recent else ''}{DEEDS[standing.last_action]}{'' if recent else ' before'}")
        attributes.append("act")
    return " ".join(parts), attributes


KINDS, KIND_SHARES = ("move", "rotate", "flip"), (0.6, 0.3, 0.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """The model's parameters. The first block is printed.

    The second is assumed, chosen once and used everywhere.

    Printed: 24 dialogues of 6 pairs, 1,242 references to one piece and 201 others, 200 of 1,443 by the operator, length
    640 s (SD 198), the cursor over 607 of 1,241 referents, pronouns 452 of those 607 and 96 of the other 634. Assumed:
    how often the operator moves to the mentioned piece, handles it, tries another piece, is still busy at the next
    reference, or leaves the cursor on no piece; the durations of handling and of resting on a placed or waiting piece;
    how often the solver refers to the same piece again; how much recency favours a pronoun (log odds). They were picked
    from about a hundred settings so that they usually give the published order of models (27 of 30 fresh seeds;
    `referee docs demonstratives`).
    """

    pairs: int = 6
    dialogues_per_pair: int = 4
    references: int = 1242
    plurals: int = 201
    operator_share: float = 200 / 1443
    seconds: float = 640.0
    seconds_sd: float = 198.0
    over: float = 607 / 1241
    pronoun_over: float = 452 / 607
    pronoun_elsewhere: float = 96 / 634

    follows: float = 0.9
    handles: float = 0.5
    tries: float = 0.5
    handling_ms: float = 3000.0
    still_handling: float = 0.7
    placed_ms: float = 4000.0
    waiting_ms: float = 20000.0
    rests: float = 0.15
    continues: float = 0.6
    mentioned_pull: float = 0.4
    handled_pull: float = 0.6
    pair_sd: float = 0.3


@dataclass(slots=True)
class _Table:
    """The state of one dialogue while it is invented."""

    events: list[Event] = field(default_factory=list)
    cursor: str | None = None
    cursor_since: float = 0.0
    mentioned: str | None = None

    def point(self, piece: str | None, now: float) -> None:
        """Move the cursor to a piece, or to none."""
        if piece == self.cursor:
            return
        if self.cursor is not None and now > self.cursor_since:
            stay = Event(kind=MOUSE, by=OPERATOR, entities=(self.cursor,), start_ms=self.cursor_since, end_ms=now)
            self.events.append(stay)
        self.cursor, self.cursor_since = piece, now

    def handle(self, piece: str, start: float, end: float, kind: str) -> None:
        event = Event(kind=ACTION, by=OPERATOR, entities=(piece,), start_ms=start, end_ms=end, data={"action": kind})
        self.events.append(event)


def invent_sessions(seed: int = 1, habits: Habits | None = None) -> list[Dialogue]:
    """Return synthetic dialogues of all pairs; the same seed gives the same sessions."""
    habits = habits or Habits()
    rng = np.random.default_rng(seed)
    number = habits.pairs * habits.dialogues_per_pair
    # A normal draw may be too short for a dialogue.
    lengths = np.maximum(120.0, rng.normal(habits.seconds, habits.seconds_sd, number))
    share = lengths / lengths.sum()
    # Longer dialogues get more; the totals stay the printed ones.
    counts = rng.multinomial(habits.references, share)
    plurals = rng.multinomial(habits.plurals, share)
    drafts = [_draft_dialogue(i, lengths[i], int(counts[i]), int(plurals[i]), habits, rng) for i in range(number)]
    return _choose_forms(drafts, habits, rng)


# -- events ------------------------------------------------------------------------------------------------------------


def _draft_dialogue(
    place: int, seconds: float, references: int, plurals: int, habits: Habits, rng: np.random.Generator
) -> Dialogue:
    """Return one dialogue with everything but the words."""
    single = rng.permutation([True] * references + [False] * plurals)
    gaps = rng.lognormal(0.0, 0.7, len(single))
    # The last reference keeps a mean gap away from the end.
    onsets = 1000 * seconds * np.cumsum(gaps) / (gaps.sum() + gaps.mean()) if len(gaps) else gaps
    table, free = _Table(), 0.0
    for onset, alone in zip(onsets, single, strict=True):
        _simulate_operator(table, free, float(onset), habits, rng)
        free = _simulate_expression(table, float(onset), bool(alone), habits, rng)
    table.point(None, 1000 * seconds)
    pair, trial = divmod(place, habits.dialogues_per_pair)
    events = sorted(table.events, key=lambda e: (e.start_ms, e.kind == EXPRESSION))
    return Dialogue(
        id=f"synthetic-{pair + 1}-{trial + 1}",
        pair=f"synthetic-{pair + 1}",
        pieces=PIECES,
        events=tuple(events),
        synthetic=True,
        meta={"seconds": float(seconds)},
    )


def _simulate_operator(table: _Table, free: float, onset: float, habits: Habits, rng: np.random.Generator) -> None:
    """Simulate the operator between two references: move to the mentioned piece, perhaps handle it, and later move to
    others.
    """
    now = free + 200
    if table.mentioned is not None and rng.random() < habits.follows and now + 600 < onset:
        table.point(table.mentioned, now)
        placed = rng.random() < habits.handles
        if placed:
            now = _simulate_handling(table, table.mentioned, now + 300, onset, habits, rng)
        now += float(rng.exponential(habits.placed_ms if placed else habits.waiting_ms))
    while now + 400 < onset:
        table.point(_choose_other(table.cursor, rng), now)
        if table.cursor is not None and rng.random() < habits.tries:
            now = _simulate_handling(table, table.cursor, now + 300, onset, habits, rng)
        now += float(rng.exponential(2500.0)) + 400
        if rng.random() < habits.rests:
            table.point(None, min(now, onset))


def _simulate_handling(
    table: _Table, piece: str, start: float, onset: float, habits: Habits, rng: np.random.Generator
) -> float:
    """Simulate one handling of a piece; it ends before the next reference unless the operator still handles the piece."""
    end = start + float(rng.lognormal(np.log(habits.handling_ms), 0.6))
    if end >= onset and rng.random() > habits.still_handling:
        end = start + 0.8 * (onset - start)
    table.handle(piece, start, end, str(rng.choice(KINDS, p=KIND_SHARES)))
    return min(end, onset)


def _choose_other(piece: str | None, rng: np.random.Generator) -> str:
    return str(rng.choice([p for p in PIECES if p != piece]))


def _simulate_expression(table: _Table, onset: float, alone: bool, habits: Habits, rng: np.random.Generator) -> float:
    """Simulate one expression without words; return the end of its utterance."""
    if alone and rng.random() < habits.over:
        if table.cursor is None:
            table.point(_choose_other(None, rng), onset - 300)
        target = str(table.cursor)
    elif table.mentioned not in (None, table.cursor) and rng.random() < habits.continues:
        target = str(table.mentioned)
    else:
        target = str(rng.choice([p for p in PIECES if p not in (table.cursor, table.mentioned)]))
    entities = (target,) if alone else (target, _choose_other(target, rng))
    by = OPERATOR if rng.random() < habits.operator_share else SOLVER
    end = onset + float(rng.uniform(400, 1200))
    table.events.append(Event(kind=EXPRESSION, by=by, entities=entities, start_ms=onset, end_ms=end))
    table.mentioned = target
    return end + float(rng.uniform(200, 1500))


# -- words -------------------------------------------------------------------------------------------------------------


def _choose_forms(drafts: Sequence[Dialogue], habits: Habits, rng: np.random.Generator) -> list[Dialogue]:
    """Choose pronoun or not for every reference, by recency, pair and cursor, with the published proportions."""
    moods = {pair: float(rng.normal(0, habits.pair_sd)) for pair in dict.fromkeys(d.pair for d in drafts)}
    scenes = [list(iterate_situations(d)) for d in drafts]
    flat = [s for dialogue_situations in scenes for s in dialogue_situations]
    # Log odds that recency adds: for the piece mentioned last within 10 s, and for one handled within 10 s.
    pull = np.array(
        [
            habits.mentioned_pull * (s.standing.mentioned_last and _is_near(s.standing.since_mention))
            + habits.handled_pull * _is_near(s.standing.since_action)
            + moods[s.pair]
            for s in flat
        ]
    )
    over = np.array([s.standing.cursor_over for s in flat], dtype=bool)
    chance = np.empty(len(flat))
    # The printed shares hold in either state of the cursor; recency and pair move pronouns about within it.
    for state, share in ((over, habits.pronoun_over), (~over, habits.pronoun_elsewhere)):
        chance[state] = _shift_chances(pull[state], share)
    pronoun = dict(zip((s.id for s in flat), rng.random(len(flat)) < chance, strict=True))
    return [
        _add_utterances(draft, {s.onset_ms: s for s in dialogue_situations}, pronoun, rng)
        for draft, dialogue_situations in zip(drafts, scenes, strict=True)
    ]


def _is_near(since: float | None) -> bool:
    return since is not None and since <= NEAR_MS


def _shift_chances(pull: np.ndarray, share: float) -> np.ndarray:
    """Return chances with these log-odds differences whose mean is the given proportion."""
    from scipy.optimize import brentq
    from scipy.special import expit

    if not len(pull):
        return pull
    # The mean rises with the level, so there is one root; at ±20 everything is certain.
    level = brentq(lambda a: float(expit(a + pull).mean()) - share, -20, 20)
    chances: np.ndarray = expit(level + pull)
    return chances


def _add_utterances(
    draft: Dialogue,
    situations_by_onset: Mapping[float, Situation],
    pronoun: Mapping[str, bool],
    rng: np.random.Generator,
) -> Dialogue:
    """Return the dialogue with words: every expression in its own utterance."""
    events: list[Event] = []
    utterances = 0
    for event in draft.events:
        if event.kind != EXPRESSION:
            events.append(event)
            continue
        situation = situations_by_onset.get(event.start_ms or 0.0)
        words, sentence, attributes = say(event, situation, situation is not None and pronoun[situation.id], rng)
        start, end = (event.start_ms or 0.0) - 100, (event.end_ms or 0.0) + 800
        events.append(Event(kind=UTTERANCE, by=event.by, text=sentence, start_ms=start, end_ms=end))
        events.append(replace(event, text=words, data={"attributes": attributes, "utterance": utterances}))
        utterances += 1
    events.sort(key=lambda e: e.start_ms or 0.0)
    return replace(draft, events=tuple(events))
