"""The records that all modules share: frozen, keyword-only, small, and without behaviour that could leak an answer.

They are msgspec Structs, and so they declare the JSON format, too (`referee.corpora.jsonl` reads and writes it): a new
field is read, written and checked. `dataclasses.replace`, `fields` and `asdict` work on them.

A `Scene` has the extension of every property as a bit set over its entities (bit i = entity i), so excluding
distractors is one `&` and counting them one `bit_count()`. Names of a landmark's attributes have the prefix
``landmark.`` (``landmark.colour``; nested: ``landmark.landmark.type``; a second one beside it: ``landmark2.type``); a
relation is a property whose name is the relation and whose value is the landmark's id, or empty if only the relation is
mentioned.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache, reduce
from importlib import import_module
from math import isfinite
from operator import and_
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Generic, NamedTuple, TypeVar

from msgspec import Meta
from msgspec import field as struct_field
from msgspec.structs import force_setattr

from referee import meaning
from referee.errors import InputError
from referee.geometry import ScenePicture
from referee.meaning import Meaning, Name, Property, Scalar, as_value
from referee.record_base import Record

__all__ = [
    "HUMAN",
    "NOT_ANSWERED",
    "Description",
    "Entity",
    "Event",
    "HearerView",
    "Outcome",
    "Property",
    "Relation",
    "Response",
    "Scene",
    "SceneNotes",
    "Score",
    "Span",
    "SpeakerView",
    "Taxonomy",
    "Trial",
    "as_value",
]

LANDMARK = "landmark."
LANDMARKS = re.compile(r"landmark\d*\.")
# One read-only mapping for every record without data: a shared `{}` could be written to through any of them.
NOTHING: Mapping[str, Any] = MappingProxyType({})
HUMAN = "human"
"""Name of the system for descriptions by people, beside those by systems."""
NOT_ANSWERED = "not answered"
"""Flag of a missing response: the hearer's endpoint failed. Counts leave these out and report their number."""


def _join_first(texts: Iterable[str], most: int) -> str:
    """Return the first of some texts, and dots if there are more, to fit a record's repr on a line."""
    listed = list(texts)
    return " ".join(listed[:most]) + (" …" if len(listed) > most else "")


def _shorten_text(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


# First the type in a record; then the types in a file, which msgspec checks and `__post_init__` converts.
if TYPE_CHECKING:
    from referee.geometry import Place, Region

    Number = float
    Probability = float
    Count = int
else:
    # msgspec has no unions of classes; decoders of places use their common base.
    from referee.geometry import PlaceBase as Place
    from referee.geometry import RegionBase as Region

    # Whole numbers stay whole numbers; larger ones than these no calculation can take.
    Number = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | float
    Count, Probability = Annotated[int, Meta(ge=0)], Annotated[float, Meta(ge=0)]


class Relation(NamedTuple):
    """A relation to another entity of the scene.

    Args:
        name: which relation.
        entity: the id of the entity it leads to.

    >>> Relation("left-of", "b2").entity
    'b2'
    """

    name: str
    entity: str


if TYPE_CHECKING:
    Properties = tuple[Property, ...]
    PropertySet = frozenset[Property]
    Probabilities = tuple[tuple[str, float], ...]
    Form = Meaning
else:
    Form = tuple[Any, ...]
    Properties = tuple[Property, ...] | dict[Name, Scalar]
    PropertySet = frozenset[Property] | dict[Name, Scalar]
    Probabilities = dict[str, Number]


@lru_cache(maxsize=1 << 16)
def _normalise_properties(pairs: tuple[tuple[str, object], ...]) -> tuple[Property, ...]:
    """Return properties with values of text.

    One tuple for all that are equal, since a million outputs share a few hundred.
    """
    for name, value in pairs:
        if name.isspace():
            raise ValueError(f"a property with the value {value!r} has no name")
        if isinstance(value, float) and not isfinite(value):
            raise ValueError(f"{value} is not a value of {name!r}")
    return tuple([_make_property(name, as_value(value)) for name, value in pairs])


def _check_form(written: Any) -> Meaning:
    """Return a parsed form; raise ValueError, which a decoder reports with its place, if it is no form."""
    try:
        return meaning.parse(written)
    except InputError as error:
        raise ValueError(f"{error.problem}; {error.remedy}") from None


@lru_cache(maxsize=1 << 16)
def _make_property(name: str, value: str) -> Property:
    return Property(name, value)


def _make_properties(written: Any) -> tuple[Property, ...]:
    """Return properties from pairs or from a mapping of names to values."""
    if type(written) is not tuple:
        written = tuple(written.items() if isinstance(written, dict) else written)
    return _normalise_properties(written)


class Entity(Record, frozen=True, kw_only=True, gc=False):
    """One object of a scene.

    Args:
        id: what it is called in its scene; hearers and models never see it.
        attributes: properties in order; a name may occur twice.
        image: a picture of it, as a file name.
        position: where it stands, in the coordinates of its corpus.
        relations: to other entities of the scene.
        region: where it is in the scene's picture.

    >>> chair = Entity(id="a", attributes=(Property("type", "chair"), Property("colour", "red")))
    >>> chair.value("colour"), chair.has(Property("type", "sofa"))
    ('red', False)
    """

    id: str
    attributes: Properties = ()
    image: str | None = None
    position: tuple[Number, ...] | None = None
    relations: tuple[Relation, ...] = ()
    region: Region | None = None

    def __post_init__(self) -> None:
        if self.attributes:
            attributes = _make_properties(self.attributes)
            # An attribute without a value is none; a name without a value is a relation (see `Scene.extensions`).
            is_full = all(p[1] for p in attributes)
            force_setattr(self, "attributes", attributes if is_full else tuple(p for p in attributes if p.value))

    def __repr__(self) -> str:
        return f"Entity({self.id!r}: {_join_first(map(str, self.attributes), 6)})"

    def value(self, name: str) -> str | None:
        """Return the first value of an attribute, or None."""
        return next((p.value for p in self.attributes if p.name == name), None)

    def has(self, prop: Property) -> bool:
        """Return whether a property (or a relation, written as a property) is true of this entity."""
        # A `Relation` equals the plain tuple of its name and entity.
        return prop in self.attributes or (prop.name, prop.value) in self.relations


class Taxonomy(NamedTuple):
    """Which values are above others, and which are at the basic level (Dale & Reiter 1995).

    A poodle is a dog, and is usually called so.

    Args:
        parents: each value that has one above it, with that value.
        basic: values at the basic level.

    >>> dogs = Taxonomy.of({"type": {"poodle": "dog", "dog": "animal"}}, {"type": ["dog"]})
    >>> [str(p) for p in dogs.path(Property("type", "poodle"))]
    ['type:poodle', 'type:dog', 'type:animal']
    >>> dogs.basic_path(Property("type", "poodle"))[0].value
    'dog'
    """

    parents: tuple[tuple[Property, Property], ...] = ()
    basic: tuple[Property, ...] = ()

    @classmethod
    def of(
        cls, taxonomy: Mapping[str, Mapping[str, Any]] | None, basic: Mapping[str, Iterable[Any]] | None = None
    ) -> Taxonomy | None:
        """Return the taxonomy of a scene as a file has it; None without one.

        A value that is above itself raises ValueError.
        """
        if not taxonomy and not basic:
            return None
        parents = [
            (Property(name, value), Property(name, parent))
            for name, table in (taxonomy or {}).items()
            for value, parent in table.items()
        ]
        made = cls(tuple(parents), tuple(Property(name, v) for name, values in (basic or {}).items() for v in values))
        for prop, _ in parents:
            made.path(prop)
        return made

    def path(self, prop: Property) -> list[Property]:
        """Return the value, then those above it, from the nearest to the most general."""
        above = dict(self.parents)
        path = [prop]
        while path[-1] in above:
            path.append(above[path[-1]])
            if path[-1] in path[:-1]:
                raise ValueError(f"{path[-1]} is its own ancestor")
        return path

    def basic_path(self, prop: Property) -> list[Property]:
        """Return the values from the basic level down to this one; this one alone if none at or above it is basic."""
        path = self.path(prop)
        start = next((i for i, p in enumerate(path) if p in self.basic), 0)
        return path[start::-1]

    def as_json(self) -> tuple[dict[str, dict[str, str]], dict[str, list[str]]]:
        """Return the values above others and the basic ones by attribute, as a file has them."""
        parents: dict[str, dict[str, str]] = {}
        basic: dict[str, list[str]] = {}
        for prop, parent in self.parents:
            parents.setdefault(prop.name, {})[prop.value] = parent.value
        for prop in self.basic:
            basic.setdefault(prop.name, []).append(prop.value)
        return parents, basic


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Entities in order. `extension` and `denotation` return bit sets: bit i is entity i.

    Caches of other modules are stored with a scene (see `SceneNotes`) and are no part of its identity.

    Args:
        entities: the objects, in the order of the corpus.
        id: what trials with the same scene share; None where a corpus does not say.
        complete: whether these are all that was there; in a scene known in part nothing can be measured that depends on the rest.
        picture: the photograph or screen that the entities are regions of.
        taxonomy: which values are above others; a general value is true of whatever has a value below it.

    >>> red, blue = Property("colour", "red"), Property("colour", "blue")
    >>> scene = Scene(entities=(Entity(id="a", attributes=(red,)), Entity(id="b", attributes=(blue,))))
    >>> scene.denotation([red]) == scene.mask(["a"])
    True
    >>> [e.id for e in scene.members(scene.everything & ~scene.extension(red))]
    ['b']
    """

    entities: tuple[Entity, ...]
    id: str | None = None
    complete: bool = True
    picture: ScenePicture | None = None
    taxonomy: Taxonomy | None = None
    # Filled when first needed; a frozen record allows this because the dictionaries remain the same objects.
    # `init=False` makes `replace` begin with empty ones (a copy with other entities has other bits), `compare=False`
    # excludes caches from equality and hash.
    _extensions: dict[Property, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    _index: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    _notes: dict[str, dict[Any, Any]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __repr__(self) -> str:
        name = "" if self.id is None else f"{self.id!r}, "
        return f"Scene({name}{len(self.entities)} entities: {_join_first((e.id for e in self.entities), 6)})"

    @property
    def extensions(self) -> Mapping[Property, int]:
        """Every property of the scene with the set of entities it is true of (built once)."""
        if not self._extensions and self.entities:
            table = self._extensions
            for i, entity in enumerate(self.entities):
                bit = 1 << i
                for prop in self.with_general(entity.attributes):
                    table[prop] = table.get(prop, 0) | bit
                for relation in entity.relations:
                    # The relation without its landmark is the part that a hearer can check, because ids are invisible
                    # (`_denote_as_said`).
                    for prop in (Property(*relation), Property(relation.name, "")):
                        table[prop] = table.get(prop, 0) | bit
        return self._extensions

    def with_general(self, properties: Iterable[Property]) -> Iterable[Property]:
        """Return properties, each followed by the more general ones of the taxonomy."""
        taxonomy = self.taxonomy
        return properties if taxonomy is None else (p for prop in properties for p in taxonomy.path(prop))

    @property
    def everything(self) -> int:
        """The set of all entities."""
        return (1 << len(self.entities)) - 1

    def index(self, entity_id: str) -> int:
        """Return the index of an entity; raises KeyError if the scene has no such entity."""
        if not self._index:
            self._index.update((e.id, i) for i, e in enumerate(self.entities))
        return self._index[entity_id]

    def entity(self, entity_id: str) -> Entity:
        return self.entities[self.index(entity_id)]

    def mask(self, entity_ids: Iterable[str]) -> int:
        """Return entities by id, as a bit set."""
        mask = 0
        for entity_id in entity_ids:
            mask |= 1 << self.index(entity_id)
        return mask

    def members(self, mask: int) -> Iterator[Entity]:
        """Yield the entities of a bit set, in order."""
        return (e for i, e in enumerate(self.entities) if mask >> i & 1)

    def extension(self, prop: Property) -> int:
        """Return the entities that a property is true of; none when the scene does not know it."""
        return self.extensions.get(prop, 0)

    def denotation(self, description: Iterable[Property] | Meaning) -> int:
        """Return the entities that a whole description is true of; the empty description denotes everything.

        A list of properties is a conjunction, with landmarks and negations as in `meaning.from_properties`; a meaning
        denotes as in `meaning.denote`.
        """
        if meaning.is_meaning(description):
            is_json = isinstance(description, list)
            return meaning.denote(meaning.parse(description) if is_json else tuple(description), self)
        properties: Collection[Property] = description if isinstance(description, (tuple, list)) else tuple(description)
        # This runs for every description; the plain test spares nearly all of them a form.
        for p in properties:
            if p[0].startswith(("landmark", "not.")) or p[0].endswith("-by"):
                return meaning.denote(meaning.from_properties(properties, self), self)
        return reduce(and_, map(self._denote_as_said, properties), self.everything)

    def denotations(self, form: Meaning) -> tuple[int, ...]:
        """Return the denotation of each part of a meaning; a meaning without parts is one part."""
        return meaning.denote_parts(meaning.parse(form) if isinstance(form, list) else form, self)

    def _denote_as_said(self, prop: Property) -> int:
        """Return the denotation of one property for a hearer: of a relation only by name, because ids are invisible."""
        table: Mapping[Any, int] = self.extensions
        related = table.get((prop.name, ""))  # a plain tuple finds the property, and costs a tenth of making one
        return table.get(prop, 0) if related is None else related


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class SceneNotes(Generic[Key, Value]):
    """A typed cache in every scene for one module's results; a changed copy of a scene has empty caches.

    `name` identifies the cache, also in other processes; each is used by one module only.

    >>> SIZES: SceneNotes[str, int] = SceneNotes("sizes")
    >>> scene = Scene(entities=(Entity(id="a"), Entity(id="b")))
    >>> SIZES.of(scene)["entities"] = len(scene.entities)
    >>> SIZES.of(scene)
    {'entities': 2}
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def of(self, scene: Scene) -> dict[Key, Value]:
        """Return this module\'s notes on a scene, to read and to add to."""
        drawers = scene._notes
        notes = drawers.get(self.name)
        if notes is None:
            notes = drawers[self.name] = {}
        return notes


class Span(Record, frozen=True, kw_only=False, gc=False):
    """Words annotated with the properties they express.

    Args:
        text: the words.
        properties: the properties they express.
        inside: nested spans.

    >>> Span("red", (Property("colour", "red"),)).properties[0].value
    'red'
    """

    text: str
    properties: Properties = ()
    inside: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        if self.properties:
            force_setattr(self, "properties", _make_properties(self.properties))


class Description(Record, frozen=True, kw_only=True, gc=False):
    """A speaker's description: properties, words, or both; None means "not given", not "empty".

    Args:
        properties: in the order said, repeats kept.
        text: the words.
        distribution: a speaker's probabilities over sets of properties.
        spans: which words express which properties.
        speaker: who says it.
        media: the file of a sound or film in which it is said, for studies in which people hear it.
        meaning: the content as a logical form (`referee.meaning`); None: the conjunction of the properties.

    A meaning without properties brings its own: those that it mentions (`referee.meaning.flatten`).

    >>> Description(text="the red chair").properties is None
    True
    >>> Description(meaning=("not", ("colour", "red"))).properties
    (Property(name='not.colour', value='red'),)
    """

    properties: Properties | None = None
    text: str | None = None
    distribution: tuple[tuple[PropertySet, Probability], ...] | None = None
    spans: tuple[Span, ...] = ()
    speaker: str | None = None
    media: str | None = None
    meaning: Form | None = None

    def __post_init__(self) -> None:
        if self.meaning is not None:
            form = _check_form(self.meaning)
            force_setattr(self, "meaning", form)
            if self.properties is None:
                force_setattr(self, "properties", meaning.flatten(form))
        if self.properties is not None:
            force_setattr(self, "properties", _make_properties(self.properties))
        if self.distribution is not None:
            sets = tuple([(frozenset(_make_properties(s)), float(p)) for s, p in self.distribution])
            force_setattr(self, "distribution", sets)

    def __repr__(self) -> str:
        words = [] if self.text is None else [repr(_shorten_text(self.text))]
        properties = [] if self.properties is None else [f"[{_join_first(map(str, self.properties), 6)}]"]
        by = [] if self.speaker is None else [f"by {self.speaker}"]
        return f"Description({', '.join([*words, *properties, *by])})"


class Event(Record, frozen=True, kw_only=True, gc=False):
    """An event: an utterance, a click, a move.

    Args:
        kind: what sort of event.
        by: who did it.
        text: what was said.
        entities: ids of the entities concerned.
        start_ms: when it began, counted from the start of the game.
        end_ms: when it ended.
        data: whatever else the corpus has.

    >>> Event(kind="click", by="listener", entities=("a",)).start_ms is None
    True
    """

    kind: str
    by: str | None = None
    text: str | None = None
    entities: tuple[str, ...] = ()
    start_ms: Number | None = None
    end_ms: Number | None = None
    data: Mapping[str, Any] = struct_field(default_factory=lambda: NOTHING)


class Trial(Record, frozen=True, kw_only=True):
    """One act of reference: the scene, the target(s), the history, and people's references.

    Args:
        id: its name in the corpus.
        scene: the objects.
        targets: ids of those that are meant.
        domain: for instance furniture or people.
        condition: of the experiment.
        speaker: who described.
        language: a code such as ``en``.
        history: what both sides knew before (in a game: the episodes of earlier rounds).
        episode: what happened during the trial itself; never shown.
        after: the id of the preceding trial of the same game.
        references: what people said.
        meta: a corpus's own fields.

    >>> scene = Scene(entities=(Entity(id="a"), Entity(id="b")))
    >>> trial = Trial(id="t1", scene=scene, targets=("b",), references=(Description(text="that one"),))
    >>> trial.target_mask
    2
    >>> hasattr(trial.for_speaker(), "references"), hasattr(trial.for_hearer(Random(1)), "targets")
    (False, False)
    """

    id: str
    scene: Scene
    targets: tuple[str, ...]
    domain: str | None = None
    condition: str | None = None
    speaker: str | None = None
    language: str = "en"
    history: tuple[Event, ...] = ()
    episode: tuple[Event, ...] = ()
    after: str | None = None
    references: tuple[Description, ...] = ()
    meta: Mapping[str, Any] = struct_field(default_factory=lambda: NOTHING)

    def __repr__(self) -> str:
        where = "".join(f", {x}" for x in (self.domain, self.condition) if x)
        first_words = (
            f", {_shorten_text(self.references[0].text)!r}" if self.references and self.references[0].text else ""
        )
        return f"Trial({self.id!r}: target {_join_first(self.targets, 3)}, {len(self.scene.entities)} entities{where}{first_words})"

    def _repr_html_(self) -> str:
        """Return the scene as a picture, its target framed, with the references, for notebooks."""
        # By name: pictures stand above records, and only a notebook wants one.
        html: str = import_module("referee.show.drawing.trial_cards").make_trial_card(self)
        return html

    @property
    def target_mask(self) -> int:
        return self.scene.mask(self.targets)

    def cluster(self, factor: str) -> str | None:
        """Return the scene, speaker, game or participant that this trial belongs to.

        None where the corpus does not say.
        """
        if factor == "scene":
            return self.scene.id
        # Games and participants are no fields of a trial; corpora that have them put them into `meta` under these
        # names.
        label = self.speaker if factor == "speaker" else self.meta.get(factor)
        return None if label is None else str(label)

    def for_speaker(self) -> SpeakerView:
        """Return the speaker's view: everything except the references and events of this trial."""
        return SpeakerView(
            id=self.id,
            scene=self.scene,
            targets=self.targets,
            domain=self.domain,
            condition=self.condition,
            speaker=self.speaker,
            language=self.language,
            history=self.history,
        )

    def for_hearer(self, rng: Random, marks: bool = False) -> HearerView:
        """Return the hearer's view: the entities in random order, without the target.

        Regions are hidden too, unless they are drawn for the hearer (`marks`): if only the target is outlined, its
        outline reveals it.
        """
        entities = [e if marks or e.region is None else replace(e, region=None) for e in self.scene.entities]
        # Files may list the target first (TUNA's do): without a new order a hearer could find it by its place.
        rng.shuffle(entities)
        return HearerView(
            id=self.id,
            # A copy, so that no bit set of the original order is shared; ids stay, because answers use ids.
            scene=replace(self.scene, entities=tuple(entities)),
            domain=self.domain,
            language=self.language,
            history=self.history,
        )


class SpeakerView(Record, frozen=True, kw_only=True):
    """A trial as the speaker sees it: no references, no episode, no meta.

    Args:
        id: the trial's.
        scene: the objects.
        targets: ids of those to describe.
        domain: the trial's.
        condition: the trial's.
        speaker: whose part it takes; systems that know speakers go by it.
        language: to speak in.
        history: what both sides knew before.

    >>> SpeakerView(id="t1", scene=Scene(entities=(Entity(id="a"),)), targets=("a",)).target_mask
    1
    """

    id: str
    scene: Scene
    targets: tuple[str, ...]
    domain: str | None = None
    condition: str | None = None
    speaker: str | None = None
    language: str = "en"
    history: tuple[Event, ...] = ()

    @property
    def target_mask(self) -> int:
        return self.scene.mask(self.targets)


class HearerView(Record, frozen=True, kw_only=True):
    """A trial as the hearer sees it: no targets, no references, entities shuffled.

    Args:
        id: the trial's.
        scene: the objects, in an order of their own.
        domain: the trial's.
        language: in which it is spoken to.
        history: what both sides knew before.

    >>> HearerView(id="t1", scene=Scene(entities=(Entity(id="a"),))).language
    'en'
    """

    id: str
    scene: Scene
    domain: str | None = None
    language: str = "en"
    history: tuple[Event, ...] = ()


class Outcome(StrEnum):
    """The outcome of a hearer's answer. All except ENTITY are separate kinds, never counted as "wrong".

    POINT and BOX are places in a picture, EMPTY is a box without area, REFUSED a hearer who declines to answer.

    >>> Outcome("dont-know") is Outcome.DONT_KNOW
    True
    """

    ENTITY = "entity"
    SEVERAL = "several"
    NONE = "none"
    DONT_KNOW = "dont-know"
    TIMEOUT = "timeout"
    UNPARSABLE = "unparsable"
    POINT = "point"
    BOX = "box"
    EMPTY = "empty"
    REFUSED = "refused"


class Response(Record, frozen=True, kw_only=True, gc=False):
    """A hearer's answer to a description of one trial: an outcome, never a score.

    Args:
        trial: the id of the trial.
        hearer: who answered.
        outcome: what they did.
        system: whose description it was; None for a person's of the corpus.
        description: what was said, where it is not the system's output.
        entity: the id of the entity chosen.
        probabilities: belief by entity id, ``several`` and ``none``; None for people.
        reading_ms: the time spent reading.
        identification_ms: the time from the scene to the choice.
        repeats: how often the description was asked for again.
        flags: anything odd about the answer.
        places: where in the picture: one place, or those of SEVERAL.
        entities: the ids of the entities chosen together, of SEVERAL.
        understood: the proportion of the description's content words that the hearer understood; None where it cannot say.

    >>> Response(trial="t1", hearer="p7", outcome=Outcome.ENTITY, entity="a").repeats
    0
    """

    trial: str
    hearer: str
    outcome: Outcome
    system: str | None = None
    description: Description | None = None
    entity: str | None = None
    probabilities: Probabilities | None = None
    reading_ms: Number | None = None
    identification_ms: Number | None = None
    repeats: Count = 0
    flags: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    entities: tuple[str, ...] = ()
    understood: Number | None = None

    def __post_init__(self) -> None:
        if isinstance(self.probabilities, dict):
            force_setattr(self, "probabilities", tuple(self.probabilities.items()))


class Score(Record, frozen=True, kw_only=True):
    """A number with its signature. Without data, value is None and n is 0, never 0.0.

    Args:
        value: the score.
        n: over how many items.
        signature: all that decides it, as text.
        low: the lower end of its interval.
        high: the upper end.
        per_item: the values of single items.

    >>> Score(value=None, n=0, signature="set/dice").value is None
    True
    """

    value: float | None
    n: int
    signature: str
    low: float | None = None
    high: float | None = None
    per_item: Sequence[float] | None = None
