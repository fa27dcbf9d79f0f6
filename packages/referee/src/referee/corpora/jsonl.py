"""Referee's own corpus format: one JSON object per line (`referee corpus schema` prints its JSON Schema).

Reading and writing are lossless. A game's history is not repeated in the file: each trial stores its own episode and
the id of the trial before it, and reading restores the histories.

`read_trials` and `read_responses` read a file, `trial_from_json` and similar functions parsed JSON; `trials_to_json`,
`trial_to_json`, … make the objects that `write_json_line` writes. The fields are declared by the records (`referee.records`)
and nowhere else; a file has the scene's fields beside the trial's (`TrialForm`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from sys import intern
from typing import Any

import msgspec
from msgspec import UNSET, MsgspecError, Raw, Struct, UnsetType

from referee.contracts import Card
from referee.corpora.place_records import REGION_SCHEMA, place_to_json
from referee.corpora.reading.decoding import Form, KeyCheck, decode_place, get_field_names
from referee.corpora.reading.lines import FileLines, WrongShape, parse_object, read_records
from referee.errors import DuplicateTrial, MalformedInput, find_similar_names
from referee.files import is_address
from referee.geometry import Mask, PlaceBase, ScenePicture, Size, WrongConvention
from referee.meaning import OPERATORS
from referee.record_base import default_of
from referee.records import (
    LANDMARKS,
    NOTHING,
    Description,
    Entity,
    Event,
    Outcome,
    Property,
    Response,
    Scene,
    Span,
    Taxonomy,
    Trial,
)

FORM = "`referee docs corpora` has the form of a trial"
ANSWERED = "`referee docs passport` has the form of a response"


def write_json_line(value: Any) -> str:
    """Return a value as one line of compact JSON. Raises an error for NaN."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), allow_nan=False)


class JsonlCorpus:
    """Any corpus in Referee's JSONL form.

    `data` is a file of trials, or a folder with trials.jsonl and maybe responses.jsonl.
    """

    def __init__(self, data: str | Path | None = None) -> None:
        self.data = data

    @property
    def card(self) -> Card:
        """Return a card with the file's name."""
        title = Path(self.data).name if self.data else "a file in Referee's JSONL form"
        return Card(
            name="jsonl", title=title, source="the user's file", licence="not stated", languages=(), citation=""
        )

    def trials(self) -> Iterator[Trial]:
        """Yield the trials of the file."""
        return read_corpus(self.file)

    @property
    def file(self) -> str | Path:
        """Return the file or address from which trials are read."""
        return str(self.data) if is_address(self.data or "") else self._find_file("trials.jsonl")

    def picture_folder(self) -> Path:
        """Return the folder to which the paths of pictures are relative."""
        return self._find_file("trials.jsonl").parent

    def responses(self) -> Iterator[Response]:
        """Yield the responses of a folder; a single file has none."""
        if is_address(self.data or ""):
            return iter(())
        path = self._find_file("responses.jsonl")
        # Where `data` is a single file it holds the trials.
        return read_responses(path) if path.name == "responses.jsonl" and path.exists() else iter(())

    def _find_file(self, name: str) -> Path:
        """Return the path of a file of the corpus. Raises MalformedInput if none was named."""
        if self.data is None:
            raise MalformedInput("no file was named", remedy="give a JSONL file of trials: --corpus FILE.jsonl")
        path = Path(self.data)
        return path / name if path.is_dir() else path


# -- reading ---------------------------------------------------------------------------------------------------------------


class TrialForm(Struct, kw_only=True, forbid_unknown_fields=True):
    """The fields of a trial in a JSONL file.

    The fields of `Trial` and of its scene side by side, one target without a list, words alone as a text.

    Args:
        id: unique in the file.
        target: id of the entity to be described.
        targets: ids of the entities to be described; empty where nothing in a picture is meant.
        scene: name of the scene where scenes recur.
        taxonomy: for an attribute, the value above each value that has one.
        basic: for an attribute, its values at the basic level.
        language: ISO 639 code, default en.
    """

    id: str
    target: str | UnsetType = UNSET
    targets: tuple[str, ...] | UnsetType = UNSET
    entities: tuple[Entity, ...]
    references: tuple[str | Description, ...] | None = None
    scene: str | None = None
    domain: str | None = None
    condition: str | None = None
    speaker: str | None = None
    language: str | None = None
    complete: bool | None = None
    picture: ScenePicture | None = None
    taxonomy: dict[str, dict[str, str]] | None = None
    basic: dict[str, list[str]] | None = None
    after: str | None = None
    history: tuple[Event, ...] | None = None
    episode: tuple[Event, ...] | None = None
    meta: dict[str, Any] | None = None


class _TrialLine(TrialForm):
    """A trial whose entities are still raw JSON, because many trials share one scene."""

    entities: Raw  # type: ignore[assignment]


TRIAL = Form(TrialForm, "a trial", '; anything else goes into "meta": {…}')
RESPONSE = Form(Response, "a response")
DESCRIPTION = Form(Description, "a description")


def read_corpus(path: str | Path | FileLines) -> Iterator[Trial]:
    """Yield the trials of a file. Raises an error for misspelt attributes of references.

    A reference with "color" in a scene with "colour" would match no description.
    """
    for trial in read_trials(path):
        slip = find_misnamed(trial)
        if slip is not None:
            written, meant = slip
            problem = f"trial {trial.id!r}: a reference says {written}, but no entity has a {written.name!r}"
            raise MalformedInput(problem, where=path, remedy=f"did you mean {meant}?")
        yield trial


def read_trials(path: str | Path | FileLines) -> Iterator[Trial]:
    """Yield the trials of a file, or of some of its lines, in order.

    Duplicate ids and targets that are not in the scene are errors with file and line.
    """
    played: dict[str, tuple[Event, ...]] = {}
    for line, trial in read_records(path, TrialReader().decode, FORM):
        if trial.id in played:
            raise DuplicateTrial(
                f"trial {trial.id!r} occurs twice", where=path, line=line, remedy="give every trial a different id"
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
    """Yield the responses of a file in order."""
    return (response for _, response in read_records(path, _decode_response, ANSWERED))


class TrialReader:
    """Decodes the lines of one file.

    Trials with equal scenes share one object, and scenes with equal entities share those.
    """

    def __init__(self) -> None:
        self._line, self._check_keys = msgspec.json.Decoder(_TrialLine).decode, KeyCheck().check
        self._entities = msgspec.json.Decoder(tuple[Raw, ...]).decode
        self._decode_entity = msgspec.json.Decoder(Entity, dec_hook=decode_place).decode
        # Of as many as recur in the corpora at hand; beyond, they are decoded anew.
        self._entity = lru_cache(maxsize=1 << 16)(self._read_entity)
        self._scene = lru_cache(maxsize=1 << 12)(self._read_scene)

    def decode(self, line: bytes) -> Trial:
        """Return the trial in a line."""
        try:
            form = self._line(line)
            entities = bytes(form.entities)
            # The keys of an entity are checked once for all that are written alike. A long needle takes long to search for.
            start = line.index(entities[:50])
            self._check_keys((line[:start] + b"0" + line[start + len(entities) :]).decode())
            scene = self._scene(entities, form.scene, form.complete, form.picture, _make_taxonomy(form))
        except (MsgspecError, ValueError, RecursionError, WrongShape):
            return trial_from_json(parse_object(line))
        return _make_trial(form, scene)

    def _read_scene(self, entities: bytes, *fields: Any) -> Scene:
        return _make_scene(tuple([self._entity(bytes(raw)) for raw in self._entities(entities)]), *fields)

    def _read_entity(self, written: bytes) -> Entity:
        self._check_keys(written.decode())
        return self._decode_entity(written)


def _make_taxonomy(form: TrialForm) -> Taxonomy | None:
    """Return the taxonomy of a trial. Raises WrongShape for a cycle or two parents."""
    try:
        return Taxonomy.of(form.taxonomy, form.basic)
    except ValueError as wrong:
        raise WrongShape(
            f"taxonomy: {wrong}", "give every value at most one value above it, without a circle"
        ) from None


def _make_scene(
    entities: tuple[Entity, ...],
    name: str | None,
    complete: bool | None,
    picture: ScenePicture | None,
    taxonomy: Taxonomy | None,
) -> Scene:
    """Return the scene of a trial. Raises WrongShape for repeated ids and for names that a meaning cannot use."""
    ids = {entity.id for entity in entities}
    if len(ids) < len(entities):
        raise WrongShape("two entities have the same id", "give every entity of a scene a different id")
    for entity in entities:
        for prop in entity.attributes:
            if prop.name in OPERATORS or not prop.name.strip():
                problem = (
                    f"entity {entity.id!r} has an attribute {prop.name!r}, which is an operator of meanings or blank"
                )
                raise WrongShape(problem, "give the attribute another name (`referee docs meaning`)")
        for relation in entity.relations:
            if not relation.name.strip():
                raise WrongShape(f"a relation of entity {entity.id!r} has no name", 'write it as ["on", "b"]')
            if relation.entity not in ids:
                problem = (
                    f"entity {entity.id!r} is {relation.name!r} to {relation.entity!r}, which is not among the entities"
                )
                raise WrongShape(problem, "name entity ids of this scene in its relations, or add the entity")
    if picture is not None and picture.size is not None:
        entities = tuple(_orient_mask(entity, picture.size) for entity in entities)
    return Scene(entities=entities, id=name, complete=complete is not False, picture=picture, taxonomy=taxonomy)


def _orient_mask(entity: Entity, size: Size) -> Entity:
    """Return an entity with its mask in the picture's orientation, for files that swap width and height."""
    if not isinstance(entity.region, Mask):
        return entity
    try:
        return replace(entity, region=entity.region.oriented(size))
    except WrongConvention as wrong:
        raise WrongShape(
            f"entity {entity.id!r}: {wrong}", "write the picture's width and height as the mask's size"
        ) from None


def _make_trial(form: TrialForm, scene: Scene) -> Trial:
    """Return the trial of a line with its scene."""
    return Trial(
        id=form.id,
        scene=scene,
        targets=_parse_targets(form, scene),
        domain=_share_name(form.domain),
        condition=_share_name(form.condition),
        speaker=_share_name(form.speaker),
        language=_share_name(form.language) or "en",
        history=form.history or (),
        episode=form.episode or (),
        after=form.after,
        references=tuple([Description(text=r) if isinstance(r, str) else r for r in form.references or ()]),
        meta=form.meta or NOTHING,
    )


def _share_name(name: str | None) -> str | None:
    """Return one string object for equal names, because a million trials have few speakers."""
    return name if name is None else intern(name)


def _parse_targets(form: TrialForm, scene: Scene) -> tuple[str, ...]:
    """Return the targets of a trial. Raises WrongShape for missing or contradictory fields."""
    if form.target is UNSET and form.targets is UNSET:
        raise WrongShape("the field 'target' is missing", 'name the target: "target": "a"')
    targets = form.targets or () if form.target is UNSET else (form.target,)
    if form.target is not UNSET and form.targets not in (UNSET, targets):
        problem = f"'target' is {form.target!r}, but 'targets' is {list(form.targets or ())!r}"
        raise WrongShape(problem, "give one of the two fields")
    if len(targets) > 1 and len(set(targets)) < len(targets):
        raise WrongShape(f"'targets' is {list(targets)!r}, which names an entity twice", "name every target once")
    try:
        scene.mask(targets)
    except KeyError as unknown:
        raise WrongShape(f"the target {unknown} is not among the entities", "name entity ids of this scene") from None
    # In a picture nothing may be meant at all: "the dog" where there is none. Of a scene that is unknown the target is, too.
    if not targets and scene.picture is None and scene.complete:
        raise WrongShape("the target (none) is not among the entities", "name entity ids of this scene")
    return targets


def trial_from_json(data: Any) -> Trial:
    """Return a trial from its JSON object. Raises `WrongShape`, which names the invalid field."""
    form = TRIAL.convert(data)
    return _make_trial(form, _make_scene(form.entities, form.scene, form.complete, form.picture, _make_taxonomy(form)))


def description_from_json(data: Any) -> Description:
    """Return a description from its JSON form, which may be part of a larger record."""
    if isinstance(data, Mapping):
        data = {name: data[name] for name in get_field_names(Description) if name in data}
    return DESCRIPTION.convert(data)


def response_from_json(data: Any) -> Response:
    """Return a response from its JSON form."""
    return _check_choice(RESPONSE.convert(data))


def _decode_response(line: bytes) -> Response:
    return _check_choice(RESPONSE.decode(line))


def _check_choice(response: Response) -> Response:
    """Return the response. Raises WrongShape for a choice without an entity."""
    if response.outcome is Outcome.ENTITY and response.entity is None:
        raise WrongShape("the outcome is an entity, but none is named", 'add "entity": ID')
    return response


def parse_pairs(data: Any) -> tuple[Property, ...]:
    """Return properties from ``[[name, value], …]`` or ``{name: value, …}``.

    Values may be text, numbers or true/false.
    """
    return description_from_json({"properties": data}).properties or ()


def find_misnamed(trial: Trial) -> tuple[Property, Property] | None:
    """Return a property of a reference whose name is a misspelling of an attribute in the scene; None if there is none."""
    in_scene = trial.scene.extensions
    for written in (p for r in trial.references for p in r.properties or ()):
        if written in in_scene:
            continue
        unprefixed = written._replace(name=LANDMARKS.sub("", written.name))
        if unprefixed in in_scene or any(p.name == unprefixed.name for p in in_scene):
            continue
        alike = [
            p for p in in_scene if p.value == unprefixed.value and find_similar_names(unprefixed.name, [p.name], 1, 0.8)
        ]
        if alike:
            return written, alike[0]
    return None


# -- writing ---------------------------------------------------------------------------------------------------------------

_ALWAYS = ("attributes",)
"""Fields that are written when they are empty, too."""


def record_to_json(record: Any) -> Any:
    """Return a record as JSON values without the fields that have their default."""
    if isinstance(record, Struct):
        if isinstance(record, Size):
            return [record.width, record.height]
        fields = ((name, getattr(record, name), default) for name, default in _list_defaults(type(record)))
        return {name: record_to_json(part) for name, part, default in fields if part != default or name in _ALWAYS}
    if isinstance(record, PlaceBase):
        return place_to_json(record)  # type: ignore[arg-type]
    if isinstance(record, frozenset):
        # A set has another order in every process; the file has not.
        return sorted(map(record_to_json, record))
    if isinstance(record, tuple):
        return [part if type(part) is str else record_to_json(part) for part in record]
    if isinstance(record, Mapping):
        return dict(record)
    return str(record) if isinstance(record, Outcome) else record


@cache
def _list_defaults(kind: type[Struct]) -> list[tuple[str, Any]]:
    return [(field.name, default_of(field)) for field in msgspec.structs.fields(kind)]


def trials_to_json(trials: Iterable[Trial]) -> Iterator[dict[str, Any]]:
    """Yield trials as JSON values; a history that follows from earlier trials is left out."""
    played: dict[str, tuple[Event, ...]] = {}
    for trial in trials:
        data = trial_to_json(trial)
        # Left out only where reading puts the very same history together again.
        if trial.after in played and played[trial.after] == trial.history:
            data.pop("history", None)
        played[trial.id] = trial.history + trial.episode if trial.episode else trial.history
        yield data


def trial_to_json(trial: Trial) -> dict[str, Any]:
    """Return a trial as JSON values without the fields that have their default."""
    scene = trial.scene
    taxonomy, basic = ({}, {}) if scene.taxonomy is None else scene.taxonomy.as_json()
    parts = {
        "id": trial.id,
        "scene": scene.id,
        # Absent means complete, which nearly all scenes are.
        "complete": None if scene.complete else False,
        "picture": scene.picture,
        "taxonomy": taxonomy or None,
        "basic": basic or None,
        "domain": trial.domain,
        "condition": trial.condition,
        "speaker": trial.speaker,
        "language": trial.language,
        "targets": trial.targets,
        "entities": scene.entities,
        "references": trial.references or None,
        "after": trial.after,
        "history": trial.history or None,
        "episode": trial.episode or None,
        "meta": trial.meta or None,
    }
    return {name: record_to_json(part) for name, part in parts.items() if part is not None}


def response_to_json(response: Response) -> dict[str, Any]:
    """Return the JSON form of a response."""
    data: dict[str, Any] = record_to_json(response)
    if response.probabilities is not None:
        data["probabilities"] = dict(response.probabilities)
    return data


# -- schema ----------------------------------------------------------------------------------------------------------------


def trial_schema() -> dict[str, Any]:
    """Return the JSON Schema of a trial, generated from the records and the descriptions of their fields."""
    _, parts = msgspec.json.schema_components([TrialForm], schema_hook=lambda kind: REGION_SCHEMA)
    for kind in (TrialForm, Trial, Scene, Entity, Description, Span, Event, ScenePicture):
        for name, about in _ABOUT.findall(kind.__doc__ or ""):
            declared = parts.get(kind.__name__, parts["TrialForm"])["properties"].get(name, {})
            declared.setdefault("description", about)
    for part in parts.values():
        part["description"] = part.get("description", "").split("\n")[0]
    form = parts.pop("TrialForm")
    form["anyOf"] = [{"required": ["target"]}, {"required": ["targets"]}]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **form, "title": "Referee trial", "$defs": parts}


_ABOUT = re.compile(r"^        (\w+): (.+)$", re.MULTILINE)
