"""A reference game in text.

Three objects and four words an item, in both directions (Franke, Tsvilodub & Carcassi 2024).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import find_files, read_rows
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

ITEMS, ANSWERS = "items_models.jsonl.gz", "answers.jsonl.gz"
ATTRIBUTES = ("colour", "shape", "texture")


class Franke2024:
    """Choices of a word (one trial each, with its reference) and of an object (one trial per item, with the responses
    of several people), of 100 items.

    Objects are named o1, o2, o3 by their position. For listeners the word comes from the experimenters, so such a trial
    has no reference; its response has the word. The folder's scores of language models are not read.
    """

    card = Card(
        name="franke2024",
        title="Reference games in text, people's choices of words and of objects",
        source="CogSciPrag/LLM-distPred-refGames on GitHub, commit 3ec56f9, 02-data/refgame",
        licence="GPL-3.0",
        languages=("en",),
        citation="Franke, Tsvilodub & Carcassi 2024, arXiv 2406.09012",
        sampled=("participant", "scene"),
        faults=(
            "every participant spoke before listening, so task and order are confounded",
            "times run from the page to the answer and include reading the item (up to 7 minutes)",
            "1 to 15 answers per item and task; one item has no speaker's answer",
            "a distractor is one object for listeners and two words for speakers",
        ),
        files=(f"franke2024/{ITEMS}", f"franke2024/{ANSWERS}"),
    )

    def __init__(self, data: str | Path | None = None) -> None:
        self.data = data

    def trials(self) -> Iterator[Trial]:
        # Answers of several people belong to one trial.
        return iter({trial.id: trial for trial, _ in self._read_answers()}.values())

    def responses(self) -> Iterator[Response]:
        return (response for _, response in self._read_answers() if response is not None)

    def _read_answers(self) -> Iterator[tuple[Trial, Response | None]]:
        """Yield the choices as trials and responses."""
        items_file, answers_file = find_files(self.data, "franke2024", ITEMS, ANSWERS)
        items = {number: (row, scene) for number, row, scene in read_rows(items_file, _parse_item)}

        def read(row: dict[str, Any]) -> tuple[Trial, Response | None]:
            """Return a row as a trial, with the choice if a listener made one."""
            number = get_field(row, "item", int)
            if number not in items:
                raise WrongShape(f"item {number} is not in {ITEMS}", "use both files of one download")
            make = {"speaker": _make_trial, "listener": _make_response}.get(get_field(row, "task", str))
            if make is None:
                raise WrongShape(f"task is {row['task']!r}", "write speaker or listener")
            return make(row, *items[number])

        return read_rows(answers_file, read)


def _parse_item(row: dict[str, Any]) -> tuple[int, dict[str, Any], Scene]:
    """Return the number of an item, its fields, and its scene."""
    number = get_field(row, "item", int)
    return number, row, _make_scene(number, row)


def _find_index(names: Sequence[Any], name: str) -> int:
    """Return the index of a name. Raises WrongShape for an unknown one."""
    if name not in names:
        raise WrongShape(f"{name!r} is none of {', '.join(map(str, names))}", "use the file as it was published")
    return names.index(name)


def _make_scene(number: int, item: Mapping[str, Any]) -> Scene:
    """Return the scene of an item."""
    objects = [
        Entity(id=f"o{i}", attributes=tuple(Property(name, get_field(o, name, str)) for name in ATTRIBUTES))
        for i, o in enumerate(_make_objects(item), 1)
    ]
    return Scene(entities=tuple(objects), id=f"item-{number}")


def _make_objects(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the objects of an item. Raises WrongShape for invalid ones."""
    objects: list[dict[str, Any]] = get_field(item, "objects", list)
    if not all(isinstance(o, dict) for o in objects):
        raise WrongShape("objects is not a list of objects", "give every object as {text, colour, shape, texture}")
    return objects


def _describe_word(word: str, scene: Scene, speaker: str | None = None) -> Description:
    """Return a word as a description with the one property that it names."""
    properties = {p for e in scene.entities for p in e.attributes if p.value == word}
    if len(properties) != 1:
        raise WrongShape(f"the word {word!r} names {len(properties)} properties", "use a word of one attribute")
    return Description(properties=tuple(properties), text=word, speaker=speaker)


def _make_trial(row: dict[str, Any], item: Mapping[str, Any], scene: Scene) -> tuple[Trial, None]:
    """Return a speaker's choice of a word as a trial."""
    texts = [get_field(o, "text", str) for o in _make_objects(item)]
    target = f"o{_find_index(texts, get_field(get_field(item, 'speaker', dict), 'to_describe', str)) + 1}"
    speaker, words, chosen = (
        get_field(row, "participant", str),
        get_field(item, "words", list),
        get_field(row, "chosen", int),
    )
    if not 0 <= chosen < len(words):
        raise WrongShape(f"chosen is {chosen} of {len(words)} words", "count words from 0")
    word = str(words[chosen])
    trial = Trial(
        id=f"franke2024-speaker-{speaker}-{get_field(row, 'submission', int)}-{get_field(row, 'trial', int)}",
        scene=scene,
        targets=(target,),
        domain="objects",
        condition=get_field(item, "trigger_feature", str),
        speaker=speaker,
        references=(_describe_word(word, scene, speaker),),
        meta={"participant": speaker, "task": "speaker"},
    )
    return trial, None


def _make_response(row: dict[str, Any], item: Mapping[str, Any], scene: Scene) -> tuple[Trial, Response]:
    """Return a listener's choice of an object as a response, with its trial."""
    listener = get_field(item, "listener", dict)
    target = f"o{_find_index(get_field(listener, 'roles', list), 'target') + 1}"
    chosen = get_field(row, "chosen", int)
    if not 0 <= chosen < len(scene.entities):
        raise WrongShape(f"chosen is {chosen} of {len(scene.entities)} objects", "count objects from 0")
    trial = Trial(
        id=f"franke2024-listener-{row['item']}",
        scene=scene,
        targets=(target,),
        domain="objects",
        condition=get_field(item, "trigger_feature", str),
        meta={"task": "listener"},
    )
    response = Response(
        trial=trial.id,
        hearer=get_field(row, "participant", str),
        outcome=Outcome.ENTITY,
        entity=f"o{chosen + 1}",
        description=_describe_word(get_field(listener, "word", str), scene),
        identification_ms=get_field(row, "rt_ms", int),
    )
    return trial, response
