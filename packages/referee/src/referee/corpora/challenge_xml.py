"""Reads and writes the files of the TUNA challenges.

Trials and peer outputs in the XML of 2007 and 2008/09 (Gatt, Belz & Kow 2008, Fig. 1).

Reading supports every dialect (see `read_trial_elements`); writing uses that of 2008. A peer output is a TRIAL with only an
ATTRIBUTE-SET, only a WORD-STRING, or one of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from lxml import etree

from referee.corpora.reading.trial_elements import (
    guess_domain,
    read_description,
    read_trial_elements,
    split_descriptions,
    write_spans,
)
from referee.corpora.reading.trial_elements import read_trial as _read_element
from referee.errors import CannotWrite, DuplicateTrial, InvalidDescription, MalformedInput
from referee.files import write_bytes
from referee.records import Description, Entity, Property, Trial

# -- trials in saved XML ---------------------------------------------------------------------------------------------------


def save(trials: Iterable[tuple[str, Any]], path: str | Path) -> None:
    """TRIAL elements with their ids: under one root if the name ends in .xml, otherwise one file each in a folder."""
    # All of them first: whatever is wrong is found before anything is written.
    elements: dict[str, Any] = {}
    for trial_id, element in trials:
        if trial_id in elements:
            raise DuplicateTrial(f"trial {trial_id!r} would be written twice", where=path, remedy="keep one of the two")
        elements[trial_id] = element
    target = Path(path)
    try:
        if target.suffix.lower() == ".xml":
            _save_file(_join_elements(elements.values()), target)
        else:
            _save_folder(elements, target)
    except OSError as error:
        remedy = "check the folder, its permissions and the space left"
        raise CannotWrite(f"cannot be written: {error.strerror}", where=path, remedy=remedy) from None


def _join_elements(elements: Iterable[Any]) -> Any:
    """Return one TRIALS element that contains all trials."""
    root = etree.Element("TRIALS")
    root.extend(elements)
    return root


def _save_folder(elements: dict[str, Any], folder: Path) -> None:
    """Write one file per trial. Raises CannotWrite for files of other trials, which would later be read as part of these."""
    named = {f"{_make_file_name(trial_id)}.xml": element for trial_id, element in elements.items()}
    folder.mkdir(parents=True, exist_ok=True)
    left = sorted({p.name for p in folder.glob("*.xml")} - named.keys())
    if left:
        remedy = "choose a new folder, or empty this one"
        raise CannotWrite(f"the folder already has other XML files ({left[0]} …)", where=folder, remedy=remedy)
    for name, element in named.items():
        _save_file(element, folder / name)


def _make_file_name(trial_id: str) -> str:
    """Return an id as a file name, without separators and without a leading dot."""
    name = quote(trial_id, safe="+ ")
    return f"%2E{name[1:]}" if name.startswith(".") else name


def _save_file(root: Any, path: Path) -> None:
    """Write an element to a file as indented XML."""
    etree.indent(root)
    content = etree.tostring(root, xml_declaration=True, encoding="UTF-8") + b"\n"
    write_bytes(path, [content])


Thing = TypeVar("Thing")


def read_trial(path: str | Path) -> Trial:
    """Read the one trial of a file."""
    trials = list(read_trials(path))
    if len(trials) != 1:
        raise MalformedInput(f"holds {len(trials)} trials, not one", where=path, remedy="read it with read_trials")
    return trials[0]


def read_trials(path: str | Path) -> Iterator[Trial]:
    """Read the trials of a file, a zip archive or a folder tree, in the order of file names."""
    for _, element, where in read_trial_elements(path):
        yield _read_element(element, where)


def read_outputs(path: str | Path) -> Iterator[tuple[str, Description, str]]:
    """Yield peer outputs as (trial id, description, place).

    An empty set or string is an answer, an absent one is None.
    """
    for trial_id, element, where in read_trial_elements(path):
        elements = split_descriptions(element, where)
        if len(elements) != 1:
            problem = f"trial {trial_id!r} holds {len(elements) or 'no'} descriptions, not one"
            remedy = (
                "give each TRIAL an ATTRIBUTE-SET, a WORD-STRING, or one of each; leave out trials without an answer"
            )
            raise InvalidDescription(problem, where=where, line=element.sourceline, remedy=remedy)
        yield trial_id, read_description(elements[0], where), f"{where}:{element.sourceline}"


def write_trials(trials: Iterable[Trial], path: str | Path) -> None:
    """Write trials in the XML of 2008: one file if the name ends in .xml, otherwise a folder with a file per trial."""
    save(((trial.id, _build_element(_make_trial_element, trial, trial.id)) for trial in trials), path)


def write_outputs(outputs: Iterable[tuple[str, Description]], path: str | Path) -> None:
    """Write peer outputs: one file if the name ends in .xml, otherwise a folder with a file per trial, complete or not
    at all.
    """
    save(((output[0], _build_element(_make_output_element, output, output[0])) for output in outputs), path)


def _build_element(build: Callable[[Thing], Any], thing: Thing, trial_id: str) -> Any:
    """Return a built element. Raises InvalidDescription for characters that XML does not allow."""
    try:
        return build(thing)
    except ValueError as error:
        problem = f"trial {trial_id!r} has a character that XML cannot hold"
        raise InvalidDescription(problem, remedy="take out control characters, or write JSONL") from error


def _make_output_element(output: tuple[str, Description]) -> Any:
    """Return a peer output as a TRIAL element. Raises InvalidDescription for an empty one."""
    trial_id, description = output
    if description.properties is None and description.text is None:
        problem = f"trial {trial_id!r} has neither properties nor words"
        raise InvalidDescription(problem, remedy="leave the trial out, or give it an empty set of properties")
    if description.meaning is not None:
        problem = f"trial {trial_id!r} has a meaning, which challenge XML cannot store"
        raise InvalidDescription(problem, remedy="write the outputs as JSONL, or leave the meaning out")
    element = _make_element("TRIAL", ID=trial_id)
    # Annotated strings belong to people's descriptions; peer outputs never had any.
    _append_description(element, replace(description, spans=()))
    return element


def _make_trial_element(trial: Trial) -> Any:
    """Return a trial as a TRIAL element."""
    _check_storable(trial)
    element = _make_element("TRIAL", CONDITION=trial.condition, ID=trial.id)
    # Written only where a reader could not tell the domain from the entities.
    if trial.domain and trial.domain != guess_domain(trial.scene.entities):
        element.set("DOMAIN", trial.domain)
    domain = etree.SubElement(element, "DOMAIN")
    domain.extend(_make_entity_element(e, e.id in trial.targets) for e in trial.scene.entities)
    for reference in trial.references:
        _append_description(element, reference)
    return element


def _check_storable(trial: Trial) -> None:
    """Raise InvalidDescription for data that this format cannot store: relations, history, mixed descriptions."""
    kinds = {(r.text is None, bool(r.spans), r.properties is None) for r in trial.references}
    lost = (
        "relations between entities" * any(e.relations for e in trial.scene.entities)
        or "a history" * bool(trial.history or trial.episode)
        or "references of which some have words or properties and others not" * (len(kinds) > 1)
        or "a reference with a meaning" * any(r.meaning is not None for r in trial.references)
    )
    if lost:
        problem = f"trial {trial.id!r} has {lost}, which challenge XML cannot store"
        raise InvalidDescription(problem, remedy="write the trials as JSONL")


def _make_entity_element(entity: Entity, target: bool) -> Any:
    """Return an entity as an element."""
    element = _make_element("ENTITY", ID=entity.id, IMAGE=entity.image, TYPE="target" if target else "distractor")
    element.extend(map(_make_attribute_element, entity.attributes))
    return element


def _make_attribute_element(prop: Property) -> Any:
    return _make_element("ATTRIBUTE", NAME=prop.name, VALUE=prop.value)


def _append_description(trial: Any, description: Description) -> None:
    """Append a description's words, spans and properties to a TRIAL element."""
    if description.text is not None:
        etree.SubElement(trial, "WORD-STRING").text = description.text
    if description.spans:
        write_spans(etree.SubElement(trial, "ANNOTATED-WORD-STRING"), description.spans)
    if description.properties is not None:
        attributes = etree.SubElement(trial, "ATTRIBUTE-SET")
        # Numbered a1, a2 … as in the sets of 2008 (W08-1132 prints one).
        for i, prop in enumerate(description.properties, 1):
            attributes.append(_make_element("ATTRIBUTE", ID=f"a{i}", NAME=prop.name, VALUE=prop.value))


def _make_element(tag: str, **attributes: str | None) -> Any:
    """Return an XML element with those attributes that are not None."""
    return etree.Element(tag, {name: value for name, value in attributes.items() if value is not None})
