"""The part of a dialogue that an overhearer must see before a reference: its clip (Spanger et al. 2010, 2013).

The published clip begins before both the last mention of the target and the last action on it, ends where the utterance
begins (a typed one: when it is shown), and is at most 30 s long. The earlier study also used clips with only the later
of the two events, or with neither. An instance without such a clip has a reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from referee.errors import InputError
from referee.records import Event
from referee_lab.tangram.models.history import Situation, find_known_time
from referee_lab.tangram.tiers.dialogue import Dialogue

VARIANTS = ("both", "mention", "action", "none")
# In both studies.
LIMIT_MS = 30_000.0
MARGIN_MS = 500.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """The part of a dialogue that is replayed before an utterance."""

    start_ms: float
    end_ms: float
    shows: str

    @property
    def seconds(self) -> float:
        return (self.end_ms - self.start_ms) / 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """Why an instance allows no such clip."""

    reason: str


def cut(situation: Situation, shows: str = "both", *, margin_ms: float = MARGIN_MS) -> Clip | Unusable:
    """Return the clip before the utterance of a reference that shows both events, one of them, or none."""
    if shows not in VARIANTS:
        raise InputError(f"a clip cannot show {shows!r}", remedy=f"one of {', '.join(VARIANTS)}")
    end = _find_clip_end(situation)
    mention, action = situation.standing.mention, situation.standing.action
    if mention is None:
        return Unusable(reason="no earlier mention")
    if action is None and (situation.has_actions or shows == "action"):
        return Unusable(reason="no earlier action")
    # Words of the sentence cannot be shown before it.
    if find_known_time(mention) >= end:
        return Unusable(reason="mentioned earlier in the same utterance")
    if action is not None and find_known_time(action) >= end:
        return Unusable(reason="handled only after the utterance began")
    begin = _find_clip_start(shows, mention, action, end, margin_ms)
    if isinstance(begin, Unusable):
        return begin
    if end - begin > LIMIT_MS:
        oldest = "last mention" if begin == find_known_time(mention) - margin_ms else "last action"
        return Unusable(reason=f"{oldest} too long ago")
    return Clip(start_ms=max(0.0, begin), end_ms=end, shows=shows)


def _find_clip_start(shows: str, mention: Event, action: Event | None, end: float, margin: float) -> float | Unusable:
    """Return the start of a clip, or the reason why it has none.

    Without recorded actions the mention is the only event.
    """
    if action is None:
        action, shows = mention, "none" if shows == "none" else "both"
    first = min((mention, action), key=find_known_time)
    if shows == "both":
        return find_known_time(first) - margin
    if shows == "none":
        over = max(_get_end(mention), _get_end(action))
        return over if over < end else Unusable(reason="an event is still going on")
    shown, other = (mention, action) if shows == "mention" else (action, mention)
    if shown is first:
        return Unusable(
            reason=f"the last {'action' if other is action else 'mention'} comes later and would be seen too"
        )
    if _get_end(other) > find_known_time(shown):
        return Unusable(reason="the two events overlap")
    # Not before the other event is over, which is not to be seen.
    return max(find_known_time(shown) - margin, _get_end(other))


def _find_clip_end(situation: Situation) -> float:
    """Return the end of a clip: the start of the utterance, or the time when it is shown."""
    utterance = situation.utterance
    if "shown_ms" in situation.expression.data:
        return find_known_time(situation.expression)
    # The sentence is read as a whole: the clip ends where it begins, not where the expression does.
    return (
        situation.onset_ms
        if utterance is None or utterance.start_ms is None
        else min(utterance.start_ms, situation.onset_ms)
    )


def _get_end(event: Event) -> float:
    """Return the end of an event, which is not before its start."""
    start = find_known_time(event)
    return start if event.end_ms is None else max(event.end_ms, start)


def hide_unseen_events(dialogue: Dialogue, situation: Situation, clip: Clip) -> Dialogue:
    """Return the dialogue as an overhearer knows it, without events that end before the clip or follow the expression."""
    last = situation.expression
    visible = (
        e
        for e in dialogue.events
        if _get_end(e) >= clip.start_ms and (find_known_time(e) < find_known_time(last) or e is last)
    )
    # Places among the utterances no longer hold once earlier ones are gone.
    events = tuple(replace(e, data={**e.data, "utterance": None}) if e is last else e for e in visible)
    return replace(dialogue, events=events)
