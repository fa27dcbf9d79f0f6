"""Referee's own form of a corpus: one JSON object per line, which any user can write in ten minutes (schema: `trial.schema.json`).

Reading and writing are loss-free: what comes back equals what went in. A game's history is not repeated in the file: each trial stores its own episode and the
id of the trial it comes after, and reading puts the histories together again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.place_records import picture_from_json, picture_to_json, place_from_json, place_to_json
from referee.corpora.reading.lines import (
    PlainReader,
    WrongShape,
    as_finite,
    as_names,
    expect,
    is_finite,
    only_known,
    optional,
    parse_object,
    read_lines,
    read_records,
)
from referee.errors import DuplicateTrial, MalformedInput, near
from referee.places import Point, Region
from referee.records import (
    LANDMARKS,
    NOTHING,
    Description,
    Entity,
    Event,
    Outcome,
    Property,
    Relation,
    Response,
    Scene,
    Span,
    Trial,
    as_value,
)

__all__ = [
    "JsonlCorpus",
    "description_from_json",
    "description_to_json",
    "entity_from_json",
    "json_line",
    "misnamed",
    "pairs",
    "read_responses",
    "read_trials",
    "response_from_json",
    "response_to_json",
    "span_from_json",
    "trial_from_json",
    "trial_to_json",
    "trials_to_json",
]

SCHEMA = Path(__file__).with_name("trial.schema.json")
FORM = "docs/corpora.md has the form of a trial"
ANSWERED = "docs/passport.md has the form of a response"
# What is written is what is read: any other name in a file is a slip.
TRIAL = (
    *("id", "target", "targets", "entities", "references", "scene", "domain", "condition", "speaker", "language"),
    *("complete", "picture", "after", "history", "episode", "meta"),
)
ENTITY = ("id", "attributes", "image", "position", "relations", "region")
DESCRIPTION = ("text", "properties", "distribution", "spans", "speaker", "media")
SPAN = ("text", "properties", "inside")
EVENT = ("kind", "by", "text", "entities", "start_ms", "end_ms", "data")
RESPONSE = (
    *("trial", "hearer", "outcome", "system", "description", "entity", "probabilities", "reading_ms"),
    *("identification_ms", "repeats", "flags", "places"),
)


def json_line(value: Any) -> str:
    """One line of JSON, compact and readable, refusing NaN."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), allow_nan=False)


class JsonlCorpus:
    """Any corpus in Referee's JSONL form: `data` is a file of trials, or a folder with trials.jsonl and maybe responses.jsonl."""

    def __init__(self, data: str | Path | None = None) -> None:
        self.data = data

    @property
    def card(self) -> Card:
        title = Path(self.data).name if self.data else "a file in Referee's JSONL form"
        return Card(
            name="jsonl", title=title, source="the user's file", licence="not stated", languages=(), citation=""
        )

    def trials(self) -> Iterator[Trial]:
        """Trials whose references say nothing under a slip of the pen: color where the scene has colour would agree with nobody, in silence."""
        path = self._file("trials.jsonl")
        for trial in read_trials(path):
            slip = misnamed(trial)
            if slip is not None:
                said, meant = slip
                problem = f"trial {trial.id!r}: a reference says {said}, but no entity has a {said.name!r}"
                raise MalformedInput(problem, where=path, remedy=f"did you mean {meant}?")
            yield trial

    @property
    def file(self) -> Path:
        """The file that trials are read from."""
        return self._file("trials.jsonl")

    def picture_folder(self) -> Path:
        """Where the paths of pictures begin."""
        return self._file("trials.jsonl").parent

    def responses(self) -> Iterator[Response]:
        path = self._file("responses.jsonl")
        # Where `data` is a single file it holds the trials.
        return read_responses(path) if path.name == "responses.jsonl" and path.exists() else iter(())

    def _file(self, name: str) -> Path:
        if self.data is None:
            raise MalformedInput("no file was named", remedy="give a JSONL file of trials: --corpus FILE.jsonl")
        path = Path(self.data)
        return path / name if path.is_dir() else path


# -- reading ---------------------------------------------------------------------------------------------------------------


def read_trials(path: str | Path) -> Iterator[Trial]:
    """Trials of a file, in order; duplicate ids and targets that are not in the scene are errors with file and line."""
    played: dict[str, tuple[Event, ...]] = {}
    for line, trial in read_records(path, _plain_trials, _records(path, trial_from_json, FORM)):
        if trial.id in played:
            raise DuplicateTrial(
                f"trial {trial.id!r} occurs twice", where=path, line=line, remedy="give every trial an id of its own"
            )
        # A history that the file spells out is taken as it is.
        if trial.after in played and not trial.history:
            trial = replace(trial, history=played[trial.after])
        # The same tuple is shared on where a trial adds nothing to it.
        played[trial.id] = trial.history + trial.episode if trial.episode else trial.history
        yield trial
    if not played:
        raise MalformedInput("there are no trials in this file", where=path, remedy='write one {"id": …} a line')


def read_responses(path: str | Path) -> Iterator[Response]:
    """Responses of a file, in order."""
    make = _records(path, response_from_json, ANSWERED)
    return (make(text, line)[1] for line, text in read_lines(path))


def _plain_trials() -> PlainReader[tuple[int, Trial]]:
    from referee.corpora.plain_lines import TrialLines

    return TrialLines().read


def _records(path: str | Path, make: Callable[[Mapping[str, Any]], Any], remedy: str) -> Callable[[str, int], Any]:
    """What makes a record of a line, with its number; what is not as it should be is an error that names both."""

    def carefully(text: str, line: int) -> tuple[int, Any]:
        try:
            return line, make(parse_object(text))
        except WrongShape as wrong:
            raise MalformedInput(str(wrong), where=path, line=line, remedy=wrong.remedy or remedy) from None

    return carefully


def trial_from_json(data: Mapping[str, Any]) -> Trial:
    """A trial from its JSON form; `WrongShape` says which field is not as it should be."""
    only_known(data, TRIAL, "a trial", '; anything else goes into "meta": {…}')
    entities = tuple(entity_from_json(e, i) for i, e in enumerate(expect(data, "entities", list)))
    if "target" not in data and "targets" not in data:
        raise WrongShape("the field 'target' is missing", 'name the entity to be described: "target": "a"')
    targets = (expect(data, "target", str),) if "target" in data else as_names(expect(data, "targets", list), "targets")
    ids = [e.id for e in entities]
    if len(set(ids)) < len(ids):
        raise WrongShape("two entities have the same id", "give every entity of a scene an id of its own")
    picture = None if data.get("picture") is None else picture_from_json(data["picture"])
    # In a picture nothing may be meant at all: "the dog" where there is none.
    if (not targets and picture is None) or any(t not in ids for t in targets):
        raise WrongShape(
            f"the target {', '.join(map(str, targets)) or '(none)'} is not among the entities",
            "name entity ids of this scene",
        )
    return Trial(
        id=expect(data, "id", str),
        scene=Scene(
            entities=entities,
            id=optional(data, "scene", str),
            complete=optional(data, "complete", bool) is not False,
            picture=picture,
        ),
        targets=targets,
        domain=optional(data, "domain", str),
        condition=optional(data, "condition", str),
        speaker=optional(data, "speaker", str),
        language=optional(data, "language", str) or "en",
        history=tuple(_event(e) for e in optional(data, "history", list) or ()),
        episode=tuple(_event(e) for e in optional(data, "episode", list) or ()),
        after=optional(data, "after", str),
        references=tuple(_reference(d) for d in optional(data, "references", list) or ()),
        meta=optional(data, "meta", dict) or NOTHING,
    )


def _reference(data: Any) -> Description:
    """What a person said; words alone may be written as a text."""
    if isinstance(data, str):
        return Description(text=data)
    if not isinstance(data, Mapping):
        raise WrongShape(f"a reference is {data!r:.40}", 'write {"text": "the red one"}, or "the red one"')
    return _said(data, "a reference")


def _said(data: Any, of: str) -> Description:
    """A description that is a record of its own."""
    said = description_from_json(data)
    only_known(data, DESCRIPTION, of)
    return said


def entity_from_json(data: Any, place: int) -> Entity:
    """An entity from its JSON form; `place` is where it stands in its scene."""
    if not isinstance(data, Mapping):
        raise WrongShape(f"entity {place} is not an object", 'write {"id": "e1", "attributes": {"colour": "red"}}')
    only_known(data, ENTITY, "an entity", '; anything else goes into "attributes": {…}')
    position = optional(data, "position", list)
    if not all(map(is_finite, position or ())):
        raise WrongShape("a position is a list of numbers", 'write "position": [1, 2.5]')
    return Entity(
        id=expect(data, "id", str),
        attributes=pairs(data.get("attributes", ())),
        image=optional(data, "image", str),
        position=None if position is None else tuple(position),
        relations=tuple(Relation(*p) for p in _relations(data.get("relations", ()))),
        region=None if data.get("region") is None else _region(data["region"]),
    )


def _region(data: Any) -> Region:
    place = place_from_json(data)
    if isinstance(place, Point):
        raise WrongShape("a region has an inside, a point has none", "write a box, a polygon or a mask")
    return place


def _relations(data: Any) -> tuple[Property, ...]:
    if isinstance(data, Mapping) or (isinstance(data, list) and any(isinstance(r, Mapping) for r in data)):
        raise WrongShape(
            "relations are not objects", 'write "relations": [["left-of", "b"]], each with an entity\'s id'
        )
    return pairs(data)


def pairs(data: Any) -> tuple[Property, ...]:
    """Properties from ``[[name, value], …]`` or ``{name: value, …}``; values may be text, numbers or true/false."""
    items = data.items() if isinstance(data, Mapping) else data
    if not isinstance(items, Iterable) or isinstance(items, str):
        raise WrongShape("properties are not a list of pairs", 'write [["colour", "red"], ["type", "chair"]]')
    result = []
    for item in items:
        if type(item) is list and len(item) == 2 and type(item[0]) is type(item[1]) is str and item[0].strip():
            result.append(_property(item[0], item[1]))
            continue
        if not isinstance(item, (list, tuple)) or len(item) != 2 or not isinstance(item[0], str):
            raise WrongShape(f"{item!r} is not a pair of name and value", 'write ["colour", "red"]')
        if not item[0].strip():
            raise WrongShape(f"{item!r} has no name", 'write ["colour", "red"]')
        if isinstance(item[1], float) and not isfinite(item[1]):
            raise WrongShape(f"{item[1]} is not a value", "leave the property out where there is no value")
        if isinstance(item[1], (list, dict)) or item[1] is None:
            raise WrongShape(f"the value of {item[0]!r} is {item[1]!r}", "values are text, numbers, true or false")
        result.append(_property(item[0], as_value(item[1])))
    return tuple(result)


@lru_cache(maxsize=1 << 16)
def _property(name: str, value: str) -> Property:
    """One object per distinct property: a million outputs share a few hundred."""
    return Property(name, as_value(value))


def description_from_json(data: Mapping[str, Any]) -> Description:
    """A description from its JSON form, which may be part of a larger record."""
    if not isinstance(data, Mapping):
        raise WrongShape(f"a description is {data!r:.40}", 'write {"text": "the red one"}')
    properties = data.get("properties")
    distribution = optional(data, "distribution", list)
    return Description(
        properties=None if properties is None else pairs(properties),
        text=optional(data, "text", str),
        distribution=None if distribution is None else tuple(map(_share, distribution)),
        spans=tuple(span_from_json(s) for s in optional(data, "spans", list) or ()),
        speaker=optional(data, "speaker", str),
        media=optional(data, "media", str),
    )


def _share(data: Any) -> tuple[frozenset[Property], float]:
    """One set of properties with its probability."""
    if not isinstance(data, list) or len(data) != 2:
        raise WrongShape(f"{data!r:.40} is not a set with its share", 'write [[["colour", "red"]], 0.5]')
    share = as_finite(data[1], "distribution")
    if share is None or share < 0:
        raise WrongShape(f"{data[1]!r} is not a share", "shares are numbers from 0 to 1")
    return frozenset(pairs(data[0])), float(share)


def span_from_json(data: Any) -> Span:
    """A stretch of words from its JSON form."""
    text = expect(data, "text", str)
    only_known(data, SPAN, "a span")
    inside = optional(data, "inside", list) or ()
    return Span(text, pairs(data.get("properties", ())), tuple(span_from_json(s) for s in inside))


def _event(data: Any) -> Event:
    kind = expect(data, "kind", str)
    only_known(data, EVENT, "an event", '; anything else goes into "data": {…}')
    return Event(
        kind=kind,
        by=optional(data, "by", str),
        text=optional(data, "text", str),
        entities=as_names(data.get("entities"), "entities"),
        start_ms=as_finite(data.get("start_ms"), "start_ms"),
        end_ms=as_finite(data.get("end_ms"), "end_ms"),
        data=optional(data, "data", dict) or NOTHING,
    )


def response_from_json(data: Mapping[str, Any]) -> Response:
    """A response from its JSON form."""
    only_known(data, RESPONSE, "a response")
    outcome = expect(data, "outcome", str)
    if outcome not in list(Outcome):
        raise WrongShape(f"the outcome {outcome!r} is not known", f"one of {', '.join(Outcome)}")
    if outcome == Outcome.ENTITY and data.get("entity") is None:
        raise WrongShape("the outcome is an entity, but none is named", 'add "entity": ID')
    probabilities = optional(data, "probabilities", dict)
    for name, share in (probabilities or {}).items():
        if as_finite(share, "probabilities") is None:
            raise WrongShape(f"the probability of {name!r} is not given", "leave it out, or write a number")
    repeats = data.get("repeats")
    if repeats is not None and (not isinstance(repeats, int) or isinstance(repeats, bool) or repeats < 0):
        raise WrongShape(f"the field 'repeats' should be a whole number, not {repeats!r:.40}")
    return Response(
        trial=expect(data, "trial", str),
        hearer=expect(data, "hearer", str),
        outcome=Outcome(outcome),
        system=optional(data, "system", str),
        description=None if data.get("description") is None else _said(data["description"], "a description"),
        entity=optional(data, "entity", str),
        probabilities=None if probabilities is None else tuple(probabilities.items()),
        reading_ms=as_finite(data.get("reading_ms"), "reading_ms"),
        identification_ms=as_finite(data.get("identification_ms"), "identification_ms"),
        repeats=repeats or 0,
        flags=as_names(data.get("flags"), "flags"),
        places=tuple(map(place_from_json, optional(data, "places", list) or ())),
    )


def misnamed(trial: Trial) -> tuple[Property, Property] | None:
    """A property of a reference whose name the scene does not have, while a name of nearly the same letters has its value there."""
    known = trial.scene.extensions
    for said in (p for r in trial.references for p in r.properties or ()):
        if said in known:
            continue
        own = said._replace(name=LANDMARKS.sub("", said.name))
        if own in known or any(p.name == own.name for p in known):
            continue
        alike = [p for p in known if p.value == own.value and near(own.name, [p.name], 1, 0.8)]
        if alike:
            return said, alike[0]
    return None


# -- writing ---------------------------------------------------------------------------------------------------------------


def trials_to_json(trials: Iterable[Trial]) -> Iterator[dict[str, Any]]:
    """JSON forms of trials in order; a history that follows from the trials before is left out."""
    played: dict[str, tuple[Event, ...]] = {}
    for trial in trials:
        data = trial_to_json(trial)
        # Left out only where reading puts the very same history together again.
        if trial.after in played and played[trial.after] == trial.history:
            data.pop("history", None)
        played[trial.id] = trial.history + trial.episode if trial.episode else trial.history
        yield data


def trial_to_json(trial: Trial) -> dict[str, Any]:
    """The JSON form of a trial; absent things are left out."""
    return _present(
        id=trial.id,
        scene=trial.scene.id,
        # Absent means complete, which nearly all scenes are.
        complete=None if trial.scene.complete else False,
        picture=None if trial.scene.picture is None else picture_to_json(trial.scene.picture),
        domain=trial.domain,
        condition=trial.condition,
        speaker=trial.speaker,
        language=trial.language,
        targets=list(trial.targets),
        entities=[_entity_to_json(e) for e in trial.scene.entities],
        references=[description_to_json(d) for d in trial.references] or None,
        after=trial.after,
        history=[_event_to_json(e) for e in trial.history] or None,
        episode=[_event_to_json(e) for e in trial.episode] or None,
        meta=dict(trial.meta) or None,
    )


def _present(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}


def _entity_to_json(entity: Entity) -> dict[str, Any]:
    return _present(
        id=entity.id,
        attributes=[list(p) for p in entity.attributes],
        image=entity.image,
        position=None if entity.position is None else list(entity.position),
        relations=[list(r) for r in entity.relations] or None,
        region=None if entity.region is None else place_to_json(entity.region),
    )


def description_to_json(description: Description) -> dict[str, Any]:
    """The JSON form of a description; what was not given is left out, what is empty is written as empty."""
    distribution = description.distribution
    return _present(
        properties=None if description.properties is None else [list(p) for p in description.properties],
        text=description.text,
        # A set has another order in every process; the file has not.
        distribution=None if distribution is None else [[sorted(map(list, s)), p] for s, p in distribution],
        spans=[_span_to_json(s) for s in description.spans] or None,
        speaker=description.speaker,
        media=description.media,
    )


def _span_to_json(span: Span) -> dict[str, Any]:
    return _present(
        text=span.text,
        properties=[list(p) for p in span.properties] or None,
        inside=[_span_to_json(s) for s in span.inside] or None,
    )


def _event_to_json(event: Event) -> dict[str, Any]:
    return _present(
        kind=event.kind,
        by=event.by,
        text=event.text,
        entities=list(event.entities) or None,
        start_ms=event.start_ms,
        end_ms=event.end_ms,
        data=dict(event.data) or None,
    )


def response_to_json(response: Response) -> dict[str, Any]:
    """The JSON form of a response."""
    return _present(
        trial=response.trial,
        hearer=response.hearer,
        outcome=str(response.outcome),
        system=response.system,
        description=None if response.description is None else description_to_json(response.description),
        entity=response.entity,
        probabilities=None if response.probabilities is None else dict(response.probabilities),
        reading_ms=response.reading_ms,
        identification_ms=response.identification_ms,
        repeats=response.repeats or None,
        flags=list(response.flags) or None,
        places=list(map(place_to_json, response.places)) or None,
    )
