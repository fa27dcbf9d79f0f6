"""Describes one target: a scene, a target, a system by name.

With reasons, step by step (`referee describe`, `referee.describe`).

For every system the result includes whether the description distinguishes the target. Properties without words are
realised in the plainest words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.capabilities import Explains, HasSelector, TellsTrouble
from referee.contracts import Speaker
from referee.corpora.jsonl import trial_from_json
from referee.corpora.reading.lines import WrongShape, open_binary, parse_object
from referee.errors import InputError, MalformedInput, NotTrained, UnknownDomain, find_similar_names
from referee.jobs.speak import System
from referee.jobs.words_heard import WordsHeard, find_language, phrase_plainly, read_back
from referee.meaning import EVERYTHING, Meaning
from referee.realisation.reading_back import ReadBack
from referee.realisation.wording import Wording, language_of
from referee.records import Description, Property, Scene, SpeakerView, Taxonomy, Trial
from referee.selection.reasons import Reason, explain_meaning

if TYPE_CHECKING:
    import polars as pl

# Needs no training, so the first description needs no corpus.
DEFAULT_SYSTEM = "classic/incremental"
DOMAINS = {
    "furniture": ("type", "colour", "size", "orientation"),
    "people": ("type", "age", "hasBeard", "hasGlasses", "hasHair", "hairColour"),
}
"""Attributes of TUNA's two domains: systems with one program per domain recognise the domain by them."""


class Described(Description, frozen=True, kw_only=True):
    """A description with its analysis.

    `distinguishing` is whether its words identify the target (None: no description), `also` the other entities that
    they describe, `steps` the reasons. `said` are the properties in the words, `dropped` chosen properties that the
    words lack, `false` chosen or expressed ones that are false of a target. Without a description, `trouble` is the
    reason. `unread` are words that were not understood when read back. `view` is the speaker's view.
    """

    distinguishing: bool | None = None
    trouble: str = ""
    also: tuple[str, ...] = ()
    steps: tuple[Reason, ...] = ()
    said: tuple[Property, ...] = ()
    dropped: tuple[Property, ...] = ()
    false: tuple[Property, ...] = ()
    unread: tuple[str, ...] = ()
    view: SpeakerView | None = None

    @classmethod
    def of(cls, description: Description, view: SpeakerView, **more: Any) -> Described:
        return cls(**{f.name: getattr(description, f.name) for f in fields(Description)}, view=view, **more)

    @property
    def description(self) -> Description:
        """The description alone."""
        return Description(**{f.name: getattr(self, f.name) for f in fields(Description)})

    @property
    def frame(self) -> pl.DataFrame:
        """The steps, one row each."""
        import polars as pl

        rows = [
            (
                i,
                s.property and s.property.name,
                s.property and s.property.value,
                s.reason,
                len(s.ruled_out),
                s.remaining,
            )
            for i, s in enumerate(self.steps, 1)
        ]
        schema = {
            "step": pl.Int64,
            "name": pl.String,
            "value": pl.String,
            "reason": pl.String,
            "ruled_out": pl.Int64,
            "remaining": pl.Int64,
        }
        return pl.DataFrame(rows, schema=schema, orient="row")

    def __repr__(self) -> str:
        verdicts = {True: "singles out the target", False: "does not single out the target", None: "words only"}
        return f"Described({self.text or '(nothing)'!r}: {verdicts[self.distinguishing]})"

    def _repr_html_(self) -> str:
        """Return the scene with its target framed, the words, and why."""
        from referee.show.drawing.trial_cards import make_scene_card

        steps = [f"{i}. {s.property or ''} {s.reason}; {s.remaining} left" for i, s in enumerate(self.steps, 1)]
        head = self.text or f"nothing: {self.trouble}"
        return "" if self.view is None else make_scene_card(self.view.scene, self.view.targets, head, steps)


def describe(
    scene: Scene | Mapping[str, Any] | str | Path,
    target: str | Sequence[str],
    system: str = DEFAULT_SYSTEM,
    trials: Iterable[Trial] | None = None,
    taxonomy: Mapping[str, Any] | str | Path | None = None,
) -> Described:
    """Describe an object of a scene: properties and words (`referee describe`).

    A target without a distinguishing description gets the best one.

    Args:
        scene: a `Scene`, ``{"entities": [{"id": …, "attributes": {…}}, …]}`` or a file with that.
        target: an entity's id, or several.
        system: a name of the catalogue, with options if needed.
        trials: training data for a system that learns.
        taxonomy: the values above others, ``{"taxonomy": {"type": {"poodle": "dog"}}, "basic": {"type": ["dog"]}}``, or a file with that.

    Returns:
        A `Description` with its reasons: `steps`, `distinguishing`, `also`.

    Raises:
        NotTrained: if the system learns and has no trials.
        InputError: if the scene cannot be read or lacks the target.

    >>> import referee
    >>> scene = {"entities": [
    ...     {"id": "a", "attributes": {"type": "chair", "colour": "red"}},
    ...     {"id": "b", "attributes": {"type": "chair", "colour": "blue"}},
    ... ]}
    >>> referee.describe(scene, "a").text
    'the red chair'
    """
    where = str(scene) if isinstance(scene, (str, Path)) else ""
    view = make_view(scene, target, where)
    if taxonomy is not None:
        view = add_taxonomy(view, taxonomy)
    try:
        return describe_view(view, system, trials)
    except NotTrained:
        raise NotTrained(system, 'train it: describe(…, trials=referee.open_corpus("tuna").trials())') from None


def add_taxonomy(view: SpeakerView, taxonomy: Mapping[str, Any] | str | Path) -> SpeakerView:
    """Return a view whose scene has a taxonomy, from a file or its JSON form."""
    where = str(taxonomy) if isinstance(taxonomy, (str, Path)) else "taxonomy"
    levels = read_scene(taxonomy) if isinstance(taxonomy, (str, Path)) else taxonomy
    remedy = 'write {"taxonomy": {"type": {"poodle": "dog"}}, "basic": {"type": ["dog"]}}'
    if unknown := levels.keys() - {"taxonomy", "basic"}:
        raise InputError(f"unknown fields: {', '.join(sorted(unknown))}", where=where, remedy=remedy)
    try:
        made = Taxonomy.of(levels.get("taxonomy"), levels.get("basic"))
    except (AttributeError, TypeError):
        raise InputError("the taxonomy has not the expected form", where=where, remedy=remedy) from None
    except ValueError as wrong:
        raise InputError(str(wrong), where=where, remedy="give every value at most one value above it") from None
    return replace(view, scene=replace(view.scene, taxonomy=made))


def read_scene(path: str | Path) -> dict[str, Any]:
    """Read a scene in its JSON form from a file, or from standard input for "-"."""
    with open_binary(path) as file:
        raw = file.read()
    if not raw.strip():
        raise MalformedInput("the file is empty", where=str(path), remedy='write {"entities": [{"id": …}, …]}')
    try:
        # Editors on Windows put a byte-order mark before the text, which JSON does not allow.
        return parse_object(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise MalformedInput("this is not UTF-8 text", where=str(path), remedy="save the file as UTF-8") from None
    except WrongShape as wrong:
        raise MalformedInput(str(wrong), where=str(path), remedy='write {"entities": [{"id": …}, …]}') from None


def make_view(
    scene: Scene | Mapping[str, Any] | str | Path, target: str | Sequence[str] | None = None, where: str = ""
) -> SpeakerView:
    """Return the speaker's view of a scene and its target or targets.

    Raises InputError, with a remedy, for an invalid scene or target.

    The JSON object may be a whole trial with target, domain and language; its references are ignored.
    """
    if target is not None and not (isinstance(target, (str, Sequence)) and all(isinstance(t, str) for t in target)):
        raise InputError(
            f"{target!r} is not a target", where=where, remedy="give the id of an entity, or a list of ids"
        )
    targets = (target,) if isinstance(target, str) else tuple(target or ())
    if isinstance(scene, (str, Path)):
        scene = read_scene(scene)
    if not isinstance(scene, (Scene, Mapping)):
        raise InputError(
            f"{type(scene).__name__} is not a scene",
            where=where,
            remedy='give a Scene, {"entities": [{"id": …, "attributes": {…}}, …]}, or the path of a file with that',
        )
    if isinstance(scene, Scene):
        view = SpeakerView(id="scene", scene=scene, targets=targets)
    else:
        scene_targets = [scene["target"]] if "target" in scene else scene.get("targets") or ()
        view = replace(_read_view(scene, where), targets=targets or tuple(map(str, scene_targets)))
    _check_targets(view.scene, view.targets, where)
    return view


def parse_scene(scene: Scene | Mapping[str, Any] | str | Path) -> tuple[Scene, tuple[str, ...]]:
    """Return a scene, and the ids of targets if it is written as a trial with targets."""
    if isinstance(scene, Scene):
        return scene, ()
    where = str(scene) if isinstance(scene, (str, Path)) else ""
    document = read_scene(scene) if isinstance(scene, (str, Path)) else scene
    if not isinstance(document, Mapping):
        return make_view(document).scene, ()  # which documents the format of a scene
    entities = document.get("entities")
    entity_records = [e for e in entities if isinstance(e, Mapping)] if isinstance(entities, list) else []
    first = next((str(e["id"]) for e in entity_records if "id" in e), None)
    scene_targets = [document["target"]] if "target" in document else document.get("targets") or ()
    # A picture needs no target, but a view does: any entity replaces it.
    rest = {k: v for k, v in document.items() if k not in ("target", "targets")}
    return make_view(rest, first, where).scene, tuple(map(str, scene_targets))


def correct_names(scene: Scene) -> dict[str, str]:
    """Return misspelt attribute names of a scene with their corrections, such as color: colour."""
    scene_names = dict.fromkeys(p.name for e in scene.entities for p in e.attributes)
    domain_names = [name for names in DOMAINS.values() for name in names if name not in scene_names]
    near_names = {
        name: find_similar_names(name, domain_names, 1, 0.8)
        for name in scene_names
        if not any(name in names for names in DOMAINS.values())
    }
    return {name: meant[0] for name, meant in near_names.items() if meant}


def _read_view(data: Mapping[str, Any], where: str) -> SpeakerView:
    """Return the speaker's view of a scene without a target; its first entity serves as one."""
    entities = data.get("entities")
    if entities == []:
        return SpeakerView(id="scene", scene=Scene(entities=()), targets=())
    entity_records = entities if isinstance(entities, list) else ()
    ids = [str(e["id"]) for e in entity_records if isinstance(e, Mapping) and "id" in e]
    # Only fields that a speaker may see are used: a whole trial may be given, with its references.
    visible_fields = {
        key: data[key]
        for key in ("entities", "scene", "taxonomy", "basic", "domain", "condition", "language", "history")
        if key in data
    }
    try:
        # A trial must have a target that is there; whether the real one is can be said better later (`_check_targets`).
        return trial_from_json({"id": "scene", "targets": ids[:1], **visible_fields}).for_speaker()
    except WrongShape as wrong:
        raise InputError(
            str(wrong), where=where, remedy=wrong.remedy or "`referee docs corpora` describes the format"
        ) from None


def _check_targets(scene: Scene, targets: Sequence[str], where: str) -> None:
    """Raise InputError for an empty scene or a target that it lacks."""
    ids = [e.id for e in scene.entities]
    id_list = ", ".join(ids[:12]) + (" …" if len(ids) > 12 else "")
    if not ids:
        raise InputError("the scene is empty", where=where, remedy='give it at least one {"id": …, "attributes": {…}}')
    if not targets:
        raise InputError("there is no target to describe", where=where, remedy=f"name one of {id_list}")
    for i, target in enumerate(targets):
        if target in targets[:i]:
            raise InputError(f"the target {target!r} is named twice", where=where, remedy="name every target once")
        if target not in ids:
            raise InputError(
                f"the target {target!r} is not in the scene", where=where, remedy=f"entities of this scene: {id_list}"
            )


def describe_view(view: SpeakerView, system: str = DEFAULT_SYSTEM, trials: Iterable[Trial] | None = None) -> Described:
    """Describe the target of a view; the result also lists the other entities that the description fits, and the steps."""
    speaker = System.read(system).build()
    if not isinstance(speaker, Speaker):
        raise InputError(
            f"{system} only puts given properties into words", remedy="choose a system that also selects them"
        )
    # A list, for they are gone through twice: by the training, and by the search for the most probable domain.
    training = None if trials is None else list(trials)
    if training is not None:
        speaker.fit(training)
    return describe_with_speaker(speaker, view, training or ())


def describe_with_speaker(speaker: Speaker, view: SpeakerView, trials: Sequence[Trial] = ()) -> Described:
    """Describe the target of a view with a trained speaker; `trials` are its training data."""
    description, view = _describe_in_domain(speaker, view, trials)
    if description.properties is None:
        trouble = "" if description.text else _get_trouble(speaker) or "the system gave no description"
        heard = read_back(description, view) if description.text else WordsHeard()
        return Described.of(
            description, view, trouble=trouble, said=heard.expressed, false=heard.false, unread=heard.unread
        )
    selector = speaker.selector if isinstance(speaker, HasSelector) else speaker
    properties = description.properties
    if description.text is None:
        heard, text = phrase_plainly(view, description)
        description = replace(description, text=text)
    else:
        heard = read_back(description, view, ReadBack(find_language(speaker, view), trials))
    if description.meaning is None:
        description = replace(description, meaning=Wording(language_of(view), view.scene).make_form(properties))
    return Described.of(
        description,
        view,
        distinguishing=heard.denotes == view.target_mask and not heard.false and heard.is_counted_right,
        also=tuple(e.id for e in view.scene.members(heard.denotes & ~view.target_mask)),
        steps=tuple(
            _add_last_step(_explain_steps(selector, view, description), heard, view, description.meaning or EVERYTHING)
        ),
        said=heard.expressed,
        dropped=heard.dropped,
        false=heard.false,
        unread=heard.unread,
    )


def _get_trouble(speaker: Speaker) -> str:
    return speaker.trouble_ if isinstance(speaker, TellsTrouble) else ""


def _describe_in_domain(
    speaker: Speaker, view: SpeakerView, trials: Sequence[Trial]
) -> tuple[Description, SpeakerView]:
    """Return the description of a speaker and its view.

    A speaker that needs a domain gets the most probable domain if the scene names none.
    """
    try:
        return speaker.describe(view), view
    except UnknownDomain as error:
        attributes: dict[str, set[str]] = (
            {domain: set(names) for domain, names in DOMAINS.items()} if not trials else {}
        )
        for trial in trials:
            trial_names = {p.name for e in trial.scene.entities for p in e.attributes}
            attributes.setdefault(trial.domain or "", set()).update(trial_names)
        scene_names = {p.name for e in view.scene.entities for p in e.attributes}
        # Of domains that fit equally well the first one counts, so the answer does not depend on chance.
        likeliest = max(attributes, key=lambda domain: len(scene_names & attributes[domain]))
        if view.domain is None and scene_names & attributes[likeliest]:
            placed = replace(view, domain=likeliest)
            return speaker.describe(placed), placed
        choices = " or ".join(f'"domain": "{domain}"' for domain in attributes)
        raise UnknownDomain(
            error.problem, where=error.where, remedy=f"write {choices} into the scene, or take another system"
        ) from None


def _explain_steps(selector: Any, view: SpeakerView, description: Description) -> list[Reason]:
    """Return the selector's own explanation, or else the entities that each conjunct of the meaning excludes.

    For a speaker that describes each target separately, the selector's reasons for all targets together would be
    different ones.
    """
    form = description.meaning or EVERYTHING
    is_by_target = form[0] == "parts" and bool(description.spans)
    return (
        list(selector.explain(view))
        if isinstance(selector, Explains) and not is_by_target
        else explain_meaning(form, view)
    )


def _add_last_step(steps: list[Reason], heard: WordsHeard, view: SpeakerView, form: Meaning) -> list[Reason]:
    """Return the steps with a last one that agrees with the words: what they add to the choice, or the other entities
    that they describe.
    """
    remaining = tuple(e.id for e in view.scene.members(heard.denotes & ~view.target_mask))
    is_open = bool(steps) and steps[-1].property is None
    if heard.added and not remaining:
        chosen = steps[:-1] if is_open else steps
        gone = tuple(e.id for e in view.scene.members(view.scene.denotation(form) & ~view.target_mask))
        return [*chosen, *(Reason(prop, "added in the words", gone, 0) for prop in heard.added[:1])]
    missed = [e.id for e in view.scene.members(view.target_mask & ~heard.denotes)]
    if (remaining or missed) and not is_open:
        names = [f"also true of {', '.join(remaining[:8])}"] if remaining else []
        names += [f"not true of {', '.join(missed[:8])}"] if missed else []
        problem = f"not distinguishing: the words are {' and '.join(names)}"
        return [*steps, Reason(None, problem, (), len(remaining))]
    return steps
