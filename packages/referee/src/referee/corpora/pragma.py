"""Captions that systems wrote for one of two pictures, and the pictures that people then chose (Andreas & Klein 2016)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.reading.lines import WrongShape, get_field, get_optional_field
from referee.corpora.reading.packed import find_files, read_rows
from referee.errors import UnknownName
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

FILE = "answers.jsonl.gz"
PARTS = ("systems", "base", "coco", "four-way")
SAMPLER, COCO = "base", "coco"
CHOICES = {0: Outcome.ENTITY, 1: Outcome.ENTITY, "both": Outcome.SEVERAL, "neither": Outcome.NONE}
Answer = tuple[Trial, Response | None]


class Pragma:
    """Answers of people to captions of systems: a trial for every pair of pictures and target, a response for every choice.

    `part` is "systems" (forced choices about two to eight systems on the same pairs, in four sets that are the domains), "base" (ten samples of one speaker
    for each pair), "coco" (the same, every caption judged twice) or "four-way" (base again, with the answers both and neither). A response has its
    ``system`` and the caption; no person described a picture, so there are no references. Answers left blank are no responses.
    """

    card = Card(
        name="pragma",
        title="Captions of systems for one of two pictures, with listeners",
        source="jacobandreas/pragma on GitHub, commit 2d5f2e4, results",
        licence="none stated",
        languages=("en",),
        citation="Andreas & Klein 2016, EMNLP",
        sampled=("participant", "scene"),
        faults=(
            "pictures are named, not included, and have no attributes",
            "blank answers count as wrong in the authors' figures and are left out here (12 forced, 1 four-way)",
            "base is ten samples of one speaker, not ten systems",
            "one person per answer; single people gave up to a quarter of the answers about a system, and lean to the first picture",
            "the file called one_different of literal and reasoning has other pairs than that of contrastive: here it is the set one_different_b",
            "times run from opening to submitting the task and are no response times; ratings of fluency are not read",
        ),
        files=(f"pragma/{FILE}",),
    )

    def __init__(self, data: str | Path | None = None, part: str = "systems") -> None:
        self.data = data
        self.part = part

    def trials(self) -> Iterator[Trial]:
        return iter({trial.id: trial for trial, _ in self._iterate_answers()}.values())

    def responses(self) -> Iterator[Response]:
        return (response for _, response in self._iterate_answers() if response is not None)

    def blank(self) -> list[str]:
        """Return one trial for each choice that was left blank, from all parts of the corpus."""
        (path,) = find_files(self.data, "pragma", FILE)
        rows = read_rows(path, lambda row: (row.get("chosen") is None and row["question"] != "fluency", row["item"]))
        return [str(item) for is_blank, item in rows if is_blank]

    def samples(self) -> Iterator[tuple[Trial, Response, dict[str, float]]]:
        """Yield the forced choices about samples of one speaker, with the speaker's and a listener's log probabilities."""
        (path,) = find_files(self.data, "pragma", FILE)
        for row, (part, (trial, response)) in read_rows(path, lambda row: (row, _make_answer(row))):
            if response is not None and part in (SAMPLER, COCO):
                names = ("speaker", "listener")
                scores = {f"{n} log probability": get_optional_field(row, f"{n}_logp", float) for n in names}
                yield trial, response, {name: score for name, score in scores.items() if score is not None}

    def _iterate_answers(self) -> Iterator[Answer]:
        """Return the answers of the chosen part of the corpus."""
        if self.part not in PARTS:
            raise UnknownName("part", self.part, PARTS, hint=f"one of {', '.join(PARTS)}")
        (path,) = find_files(self.data, "pragma", FILE)
        return (read[1] for read in read_rows(path, _make_answer) if read[0] == self.part)


def _make_answer(row: dict[str, Any]) -> tuple[str, Answer]:
    """Return the part of the corpus to which an answer belongs, its trial, and its response (None if nothing was chosen)."""
    items, item, system = get_field(row, "items", str), get_field(row, "item", str), get_field(row, "system", str)
    shown, place = get_field(row, "shown", list), get_field(row, "target", int)
    if len(set(shown)) != 2 or place not in (0, 1):
        raise WrongShape(f"the target is {place} of {shown!r:.60}", "name two pictures and the target's place")
    names = sorted(map(str, shown))
    trial = Trial(
        id=item,
        # The same pair with the other target is another item of one scene.
        scene=Scene(id="|".join(names), entities=tuple(Entity(id=n, attributes=(Property("name", n),)) for n in names)),
        targets=(shown[place],),
        domain=items,
        # Answers say where the target was shown.
        meta={"items": items, "differ": get_optional_field(row, "differ", int), "places": []},
    )
    chosen, question = row.get("chosen"), get_field(row, "question", str)
    # Which places are coded right can be told twice.
    correct = row.get("correct")
    if correct is not None and question != "fluency" and correct != (chosen == place):
        raise WrongShape(f"correct is {correct}, but {chosen!r} was chosen and {place} is the target")
    part = question if question != "forced" else "systems" if system != SAMPLER else SAMPLER
    return COCO if items == COCO and part == SAMPLER else part, (
        trial,
        None if chosen is None else _make_response(row, trial, chosen, shown, system),
    )


def _make_response(row: dict[str, Any], trial: Trial, chosen: Any, shown: list[str], system: str) -> Response:
    """Return a participant's choice as a response. Raises WrongShape for an unknown choice."""
    if isinstance(chosen, bool) or chosen not in CHOICES:
        raise WrongShape(f"chosen is {chosen!r}", "write 0, 1, both, neither or null into the field chosen")
    return Response(
        trial=trial.id,
        hearer=get_field(row, "participant", str),
        outcome=CHOICES[chosen],
        entity=shown[chosen] if isinstance(chosen, int) else None,
        system=system,
        description=Description(text=get_field(row, "text", str)),
        flags=(f"shown-{shown.index(trial.targets[0]) + 1}", get_field(row, "file", str)),
    )
