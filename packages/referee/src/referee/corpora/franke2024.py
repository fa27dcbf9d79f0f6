"""A reference game in text: three objects and four words an item, in both directions (Franke, Tsvilodub & Carcassi 2024)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.reading.lines import WrongShape, expect
from referee.corpora.reading.packed import find, read_rows
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

__all__ = ["Franke2024"]

ITEMS, ANSWERS = "items_models.jsonl.gz", "answers.jsonl.gz"
ATTRIBUTES = ("colour", "shape", "texture")


class Franke2024:
    """Choices of a word (a trial each, with its reference) and of an object (a trial an item, with the responses of several people), of 100 items.

    Objects are called o1, o2, o3 by their position. For listeners the word comes from the experimenters, so such a trial has no reference; its response has
    the word. The scores of language models that the folder holds are not read.
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
            "1 to 15 answers an item and task; one item has no speaker's answer",
            "a distractor is one object for listeners and two words for speakers",
        ),
        files=(f"franke2024/{ITEMS}", f"franke2024/{ANSWERS}"),
    )

    def __init__(self, data: str | Path | None = None) -> None:
        self.data = data

    def trials(self) -> Iterator[Trial]:
        # What several people answered is one trial.
        return iter({trial.id: trial for trial, _ in self._answers()}.values())

    def responses(self) -> Iterator[Response]:
        return (response for _, response in self._answers() if response is not None)

    def _answers(self) -> Iterator[tuple[Trial, Response | None]]:
        items_file, answers_file = find(self.data, "franke2024", ITEMS, ANSWERS)
        items = {expect(row, "item", int): row for row in read_rows(items_file, lambda row: row)}
        scenes = {number: _scene(number, row) for number, row in items.items()}

        def read(row: dict[str, Any]) -> tuple[Trial, Response | None]:
            number = expect(row, "item", int)
            if number not in items:
                raise WrongShape(f"item {number} is not in {ITEMS}", "use both files of one download")
            make = {"speaker": _spoken, "listener": _heard}.get(expect(row, "task", str))
            if make is None:
                raise WrongShape(f"task is {row['task']!r}", "write speaker or listener")
            return make(row, items[number], scenes[number])

        return read_rows(answers_file, read)


def _scene(number: int, item: Mapping[str, Any]) -> Scene:
    objects = [
        Entity(id=f"o{i}", attributes=tuple(Property(name, expect(o, name, str)) for name in ATTRIBUTES))
        for i, o in enumerate(expect(item, "objects", list), 1)
    ]
    return Scene(entities=tuple(objects), id=f"item-{number}")


def _word(word: str, scene: Scene, speaker: str | None = None) -> Description:
    """A word with the property that it names; each word names one attribute."""
    properties = {p for e in scene.entities for p in e.attributes if p.value == word}
    if len(properties) != 1:
        raise WrongShape(f"the word {word!r} names {len(properties)} properties", "use a word of one attribute")
    return Description(properties=tuple(properties), text=word, speaker=speaker)


def _spoken(row: dict[str, Any], item: Mapping[str, Any], scene: Scene) -> tuple[Trial, None]:
    texts = [expect(o, "text", str) for o in item["objects"]]
    target = f"o{texts.index(expect(expect(item, 'speaker', dict), 'to_describe', str)) + 1}"
    speaker = expect(row, "participant", str)
    word = expect(item, "words", list)[expect(row, "chosen", int)]
    trial = Trial(
        id=f"franke2024-speaker-{speaker}-{expect(row, 'submission', int)}-{expect(row, 'trial', int)}",
        scene=scene,
        targets=(target,),
        domain="objects",
        condition=expect(item, "trigger_feature", str),
        speaker=speaker,
        references=(_word(word, scene, speaker),),
        meta={"participant": speaker, "task": "speaker"},
    )
    return trial, None


def _heard(row: dict[str, Any], item: Mapping[str, Any], scene: Scene) -> tuple[Trial, Response]:
    listener = expect(item, "listener", dict)
    target = f"o{expect(listener, 'roles', list).index('target') + 1}"
    trial = Trial(
        id=f"franke2024-listener-{row['item']}",
        scene=scene,
        targets=(target,),
        domain="objects",
        condition=expect(item, "trigger_feature", str),
        meta={"task": "listener"},
    )
    response = Response(
        trial=trial.id,
        hearer=expect(row, "participant", str),
        outcome=Outcome.ENTITY,
        entity=f"o{expect(row, 'chosen', int) + 1}",
        description=_word(expect(listener, "word", str), scene),
        identification_ms=expect(row, "rt_ms", int),
    )
    return trial, response
