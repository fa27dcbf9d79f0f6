"""Every reference of a dialogue as a trial: the objects at that moment, the history, the target, and the expression.

The trials of a dialogue form a chain (`after`): the episode of a trial has the events until the next reference begins,
so that a file has every event once. A history ends with an event of the kind `moment`: the start of the reference and
its speaker. An event that is going on has no end yet; when it ends, it is repeated with both times, and the later
version counts (`list_past_events`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, nextafter
from typing import Any, NamedTuple

from referee.records import Description, Entity, Event, HearerView, Property, Scene, SpeakerView, Trial
from referee_lab.tangram.models.history import Situation, iterate_situations
from referee_lab.tangram.tiers.dialogue import ACTION, EXPRESSION, GAZE, MOUSE, POSITION, UTTERANCE, Dialogue
from referee_lab.tangram.tiers.dialogue_form import iterate_utterance_indices
from referee_lab.tangram.tiers.reference_forms import has_pronoun_list, is_pronoun

MOMENT = "moment"
LASTING = (ACTION, MOUSE, GAZE)
# At one time: what is the case when a reference begins, the reference, and the words that hold it.
BEFORE, REFERENCE, AFTER = range(3)
NO_REFERENT, UNCLEAR = "without a referent", "unclear which object is meant"
HIDDEN, NO_WORDS = "to an object that the speaker does not see", "without words"
# The head noun of a description is the type; boards call it the shape.
NAMES = {"shape": "type"}
# The grid of TUNA, whose columns and rows realisers have words for: *on the far left*, *in the top row*.
GRID = {"x": ("x-dimension", 5), "y": ("y-dimension", 3)}


def iterate_dialogue_items(dialogue: Dialogue) -> Iterator[Trial]:
    """Yield a trial for every expression with certain referents that its speaker sees, in order of their start.

    Several referents are several targets. Where positions are known, an object also has the column (of five) and the
    row (of three) in which it lies.
    """
    # Lists for tuples in the data of events, as after a round trip through a file.
    events = (
        replace(e, data={name: list(v) if isinstance(v, tuple) else v for name, v in e.data.items()}) if e.data else e
        for e in dialogue.events
    )
    dialogue = replace(dialogue, events=tuple(events))
    timed = [
        (e, t) for e, t in zip(dialogue.events, _find_onsets(dialogue.events), strict=True) if e.kind == EXPRESSION
    ]
    references = [(t, number, e) for number, (e, t) in enumerate(timed) if _find_problem(e, dialogue) is None]
    references.sort(key=lambda reference: reference[0])
    timeline = _make_timeline(dialogue)
    utterances, position_at = dialogue.select_tier(UTTERANCE), _make_position_lookup(dialogue)
    before: Trial | None = None
    history: tuple[Event, ...] = ()
    for (onset, number, expression), episode in zip(references, _iterate_episodes(timeline, references), strict=True):
        first = _make_moment(expression)
        if before is None:
            history = (*_select_events_until(timeline, references[0][0]), first)
        trial = Trial(
            id=f"{dialogue.id}-{number + 1}",
            scene=_make_scene(dialogue, expression, position_at(onset)),
            targets=expression.entities,
            domain="dialogue",
            # People who talk to each other are no independent speakers: folds and intervals go by pair.
            speaker=dialogue.pair,
            language=dialogue.language,
            history=history,
            episode=episode,
            after=None if before is None else before.id,
            references=(Description(text=expression.text),),
            meta=_make_meta(dialogue, expression, utterances),
        )
        yield trial
        before, history = trial, history + episode


def count_words_elsewhere(dialogue: Dialogue) -> int:
    """Return how many expressions name utterances that do not have their words."""
    utterances, count = dialogue.select_tier(UTTERANCE), 0
    for expression in dialogue.select_tier(EXPRESSION):
        text = " ".join(utterances[i].text or "" for i in iterate_utterance_indices(expression))
        count += bool(text) and _normalise_text(expression.text or "") not in _normalise_text(text)
    return count


def _normalise_text(text: str) -> str:
    """Return a text in lower case with single blanks."""
    return " ".join(text.casefold().split())


def count_unusable_references(dialogues: Iterable[Dialogue]) -> Counter[str]:
    """Return how many expressions are no items, by reason."""
    problems = (_find_problem(e, dialogue) for dialogue in dialogues for e in dialogue.select_tier(EXPRESSION))
    return Counter(problem for problem in problems if problem is not None)


def _find_problem(expression: Event, dialogue: Dialogue) -> str | None:
    """Return the reason why an expression is not used; None if it is."""
    visible = dialogue.sees.get(expression.by or "", tuple(dialogue.pieces))
    if not (expression.text or "").strip():
        return NO_WORDS
    if not expression.entities:
        return NO_REFERENT
    if expression.data.get("uncertain"):
        return UNCLEAR
    return None if all(entity in visible for entity in expression.entities) else HIDDEN


def _make_meta(dialogue: Dialogue, expression: Event, utterances: Sequence[Event]) -> dict[str, Any]:
    """Return the fields of a trial's `meta`; `game` is the pair, by which trials are clustered."""
    about: dict[str, Any] = {"game": dialogue.pair, "dialogue": dialogue.id, "role": expression.by}
    about |= {"onset_ms": expression.start_ms} if expression.start_ms is not None else {}
    texts = [utterances[i].text or "" for i in iterate_utterance_indices(expression)]
    about |= {"utterance": " ".join(texts)} if texts else {}
    for name in ("span", "attributes"):
        if name in expression.data:
            about[name] = list(expression.data[name])
    if "attributes" in expression.data or has_pronoun_list(dialogue.language):
        about["pronoun"] = is_pronoun(expression, dialogue.language)
    about |= {"proposed": True} if expression.data.get("proposed") else {}
    about |= {"lacks": list(dialogue.lacks)} if dialogue.lacks else {}
    return about | ({"synthetic": True} if dialogue.synthetic else {})


# -- time ----------------------------------------------------------------------------------------------------------------------


def _make_timeline(dialogue: Dialogue) -> list[tuple[_Time, Event]]:
    """Return the events with the times at which they are known, in order of these times.

    An utterance is known after the references in it have begun. Without times, the order of the events counts.
    """
    onsets = _find_onsets(dialogue.events)
    began: dict[int, float] = {}
    for event, onset in zip(dialogue.events, onsets, strict=True):
        began |= {
            i: max(onset, began.get(i, onset)) for i in iterate_utterance_indices(event) if event.kind == EXPRESSION
        }
    references = sorted(t for e, t in zip(dialogue.events, onsets, strict=True) if e.kind == EXPRESSION)
    marks: list[tuple[_Time, int, Event]] = []
    utterances = 0
    for index, (event, onset) in enumerate(zip(dialogue.events, onsets, strict=True)):
        end = onset if event.start_ms is None or event.end_ms is None else event.end_ms
        if event.kind == UTTERANCE:
            time, last = float(event.data.get("shown_ms") or end), began.get(utterances, -inf)
            marks.append((_Time(max(time, last), AFTER if last >= time else BEFORE), index, event))
            utterances += 1
        elif event.kind in LASTING and end > onset:
            marks += [(_Time(onset, BEFORE), index, replace(event, end_ms=None)), (_Time(end, BEFORE), index, event)]
        elif event.kind == EXPRESSION and bisect_left(references, end) > bisect_right(references, onset):
            # Another reference begins inside this one, whose words may hold those of the other.
            begun = replace(event, text=None, end_ms=None)
            marks += [(_Time(onset, REFERENCE), index, begun), (_Time(end, BEFORE), index, event)]
        else:
            marks.append((_Time(onset, REFERENCE if event.kind == EXPRESSION else BEFORE), index, event))
    return [(time, event) for time, _, event in sorted(marks, key=lambda mark: mark[:2])]


class _Time(NamedTuple):
    """When an event is known.

    Of events at the same time, references come after what begins together with them, and before the words that hold
    them.
    """

    t_ms: float
    turn: int


def _find_onsets(events: Sequence[Event]) -> list[float]:
    """Return when each event began.

    Without any times its index, and without a time of its own a moment after the latest event before it.
    """
    if all(event.start_ms is None for event in events):
        return [float(index) for index in range(len(events))]
    onsets, now = [], 0.0
    for event in events:
        onset = nextafter(now, inf) if event.start_ms is None else event.start_ms
        now = max(now, onset)
        onsets.append(onset)
    return onsets


def _select_events_until(timeline: Sequence[tuple[_Time, Event]], onset: float) -> tuple[Event, ...]:
    return tuple(event for time, event in timeline if time < (onset, REFERENCE))


def _iterate_episodes(
    timeline: Sequence[tuple[_Time, Event]], references: Sequence[tuple[float, int, Event]]
) -> Iterator[tuple[Event, ...]]:
    """Yield the events between successive references, each part ending with the moment of the next one.

    Then all the rest.
    """
    if not references:
        return
    known = len(_select_events_until(timeline, references[0][0]))
    for onset, _, following in references[1:]:
        # In order of time, what is known is a beginning of the timeline.
        upto = len(_select_events_until(timeline, onset))
        yield (*(event for _, event in timeline[known:upto]), _make_moment(following))
        known = upto
    yield tuple(event for _, event in timeline[known:])


def _make_moment(expression: Event) -> Event:
    return Event(kind=MOMENT, by=expression.by, start_ms=expression.start_ms)


# -- space ---------------------------------------------------------------------------------------------------------------------


def _make_position_lookup(dialogue: Dialogue) -> Callable[[float], Mapping[str, tuple[float, float]]]:
    """Return a function from a time to the positions of the objects."""
    timed = zip(_find_onsets(dialogue.events), dialogue.events, strict=True)
    moves = sorted(((t, event) for t, event in timed if event.kind == POSITION), key=lambda move: move[0])

    def at(t_ms: float) -> Mapping[str, tuple[float, float]]:
        past = (event for t, event in moves if t <= t_ms)
        return {id: (float(e.data["x"]), float(e.data["y"])) for e in past for id in e.entities}

    return at


def _make_scene(dialogue: Dialogue, expression: Event, positions: Mapping[str, tuple[float, float]]) -> Scene:
    """Return the objects that the speaker sees, with their positions when the expression begins.

    One that gets its first position later is not there yet.
    """
    later = {id for e in dialogue.select_tier(POSITION) for id in e.entities} - positions.keys()
    later -= set(expression.entities)
    visible = dialogue.sees.get(expression.by or "", tuple(dialogue.pieces))
    cell_of = _make_grid_lookup(dialogue)
    entities = []
    for id in dialogue.pieces:
        if id in visible and id not in later:
            cell = cell_of(positions[id]) if id in positions else ()
            attributes = (*_list_properties(dialogue.pieces[id]), *cell)
            entities.append(Entity(id=id, attributes=attributes, position=positions.get(id)))
    return Scene(entities=tuple(entities))


def _list_properties(attributes: Mapping[str, str]) -> list[Property]:
    names = {} if "type" in attributes else NAMES
    return [Property(names.get(name, name), value) for name, value in attributes.items()]


def _make_grid_lookup(dialogue: Dialogue) -> Callable[[tuple[float, float]], tuple[Property, ...]]:
    """Return a function from a position to its column and row in the area that all positions of the dialogue span."""
    moves = dialogue.select_tier(POSITION)
    limits = {axis: (min(v), max(v)) for axis in GRID if (v := [float(e.data[axis]) for e in moves])}

    def properties(position: tuple[float, float]) -> tuple[Property, ...]:
        """Return the cell of the grid at a position as properties."""
        cells_of = []
        for value, (axis, (name, cells)) in zip(position, GRID.items(), strict=True):
            low, high = limits[axis]
            if high > low:
                cells_of.append(Property(name, str(1 + min(int(cells * (value - low) / (high - low)), cells - 1))))
        return tuple(cells_of)

    return properties


# -- back to a situation -------------------------------------------------------------------------------------------------------


def list_past_events(history: Sequence[Event]) -> tuple[list[Event], float]:
    """Return the events of a history, each once, and the time of its last moment.

    Events that are going on then end after it.
    """
    moment = next((e for e in reversed(history) if e.kind == MOMENT), None)
    now = (moment.start_ms if moment is not None else None) or 0.0
    latest: dict[tuple[Any, ...], Event] = {}
    for event in history:
        if event.kind != MOMENT:
            key = (event.kind, event.by, event.entities, event.start_ms, str(sorted(event.data.items())))
            is_twice = event.start_ms is not None and event.kind in (*LASTING, EXPRESSION)
            latest[key if is_twice else (len(latest), id(event))] = event
    events = [
        replace(e, end_ms=now + 1.0) if e.kind in LASTING and e.end_ms is None and e.start_ms is not None else e
        for e in latest.values()
    ]
    return events, now


def find_current_speaker(history: Sequence[Event]) -> str | None:
    """Return who speaks at the moment at which a history ends."""
    return next((e.by for e in reversed(history) if e.kind == MOMENT), None)


def infer_situation(view: SpeakerView | HearerView, target: str, text: str = "") -> Situation:
    """Return the situation of a reference to `target` from the history of a view, with the state of every object."""
    events, now = list_past_events(view.history)
    # With codes, so that only these words decide about pronouns.
    expression = Event(kind=EXPRESSION, text=text, entities=(target,), start_ms=now, data={"attributes": ()})
    pieces = {e.id: {p.name: p.value for p in e.attributes} for e in view.scene.entities}
    dialogue = Dialogue(id=view.id, pair=view.id, pieces=pieces, events=(*events, expression), language=view.language)
    (situation,) = iterate_situations(dialogue, first=sum(e.kind == EXPRESSION for e in dialogue.events))
    return replace(situation, pronoun=bool(text) and is_pronoun(Event(kind=EXPRESSION, text=text), view.language))


def rank_salience(situation: Situation, entity: str) -> int:
    """Return a rank from 0 (never mentioned or handled) to 4 (being handled or pointed at)."""
    standing = situation.standings[entity]
    if standing.handled_now or standing.cursor_over:
        return 4
    times = [t for t in (standing.since_mention, standing.since_handled) if t is not None]
    if not times:
        return 0
    return 3 if min(times) <= 10_000 else 2 if min(times) <= 20_000 else 1
