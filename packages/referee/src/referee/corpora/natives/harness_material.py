"""Converts answers in logs to descriptions, choices and coordinates, parsed like the answers of our own models.

The convention of coordinates is the same for a whole file: declared, given by the models' answer format, or inferred
from the range of all numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.corpora.natives.box_tables import is_beyond, parse_convention
from referee.corpora.natives.logs import SIZE_FIELDS, UNIT_SQUARE, Episode, LogAnswer, read_episodes
from referee.corpora.natives.material import Declared, NativeData, make_trial
from referee.corpora.outputs import Output
from referee.errors import InputError
from referee.geometry import Box, Convention, Order, Point, Size, Unit
from referee.models.answers.calls import OUTCOMES as COUNTED
from referee.models.answers.parsing import parse_answer
from referee.models.answers.place_forms import FORMS
from referee.models.answers.place_outcomes import PlaceAnswer, parse_place_answer
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

OUTCOMES = {"several": Outcome.SEVERAL, "none": Outcome.NONE, "unknown": Outcome.DONT_KNOW, None: Outcome.UNPARSABLE}
# Forms whose tokens leave no doubt about the unit.
TOKEN_FORMS = ("molmo", "paligemma", "florence-2", "kosmos-2", "deepseek-vl2", "qwen-vl", "qwen2-vl")
SLACK = 1.02
MISSING = "missing"
_NO_DESCRIPTION = re.compile(r"\(?[A-Z]\)?[.:]?|#* *-?[\d.,]+ *%?|(?i:yes|no|true|false)\.?")


def convert_answers(answers: Iterable[LogAnswer], format: str, declared: Declared) -> NativeData:
    """Return the data of a log's answers.

    Raises:
        InputError: if the log has no answers, or the convention of its coordinates is ambiguous.
    """
    answers = [_parse_choice(answer) for answer in answers]
    if not answers:
        raise InputError("there is no answer in this log", remedy="name a log with samples")
    if any(a.gold is not None or a.is_absent for a in answers):
        return _convert_places(answers, format, declared)
    material = NativeData("log", format)
    # Lists of numbers are coordinates, of which the last message of this function says more.
    are_texts = [len(a.references) == 1 or not "".join(a.references).isdigit() for a in answers]
    targets = [a.references for a, is_text in zip(answers, are_texts, strict=True) if a.references and is_text]
    others = [part for part in targets if all(_NO_DESCRIPTION.fullmatch(text.strip()) for text in part)]
    if len(others) > len(answers) / 2:
        raise InputError(
            f"the targets of this log are letters, numbers or verdicts ({others[0][0]!r}), so its answers are no descriptions",
            where=answers[0].where,
            remedy="name a log with descriptions; choices need their options (inspect_ai: choices; VLMEvalKit: A, B …)",
        )
    for answer in answers:
        material.add_trial(_make_trial(answer, declared))
        if answer.content is None:
            material.count(answer.model, MISSING)
        elif answer.options is not None:
            _add_choice(material, answer, answer.options)
        else:
            outcome, text = parse_description(answer.content)
            material.count(answer.model, outcome)
            if text is not None:
                material.outputs.append(
                    Output(answer.trial, answer.model, Description(text=text), answer.where, answer.line)
                )
    if not material.outputs and not material.responses:
        counts = sum(material.counts.values(), Counter[str]())
        raise InputError(
            f"no answer in this log can be read ({', '.join(f'{n:,} {outcome}' for outcome, n in counts.items())})",
            where=answers[0].where,
            remedy="name a log with descriptions or choices; coordinates need gold boxes: a log of `referee docs evaluate`, "
            "or a table with the answer, the box (gt_bbox), width and height",
        )
    material.mapping.update({"trial": "id of the sample", "system": "model", "text": "answer"})
    if material.responses:
        material.mapping.update({"chosen": "answer", "target": "target of the sample"})
    elif any(a.references for a in answers):
        material.mapping["references"] = "target of the sample"
    _add_count_notes(material)
    return material


def _parse_choice(answer: LogAnswer) -> LogAnswer:
    """Return an answer that chooses among entities shown as a multiple choice; its target is the number of one."""
    target = answer.references[0] if answer.references else ""
    if not answer.shown or not target.isdigit() or not 1 <= int(target) <= len(answer.shown):
        return answer
    return replace(answer, options=(len(answer.shown), int(target)), references=(), shown=())


def _make_trial(answer: LogAnswer, declared: Declared) -> Trial:
    targets = () if answer.options is None else (str(answer.options[1]),)
    return make_trial(answer.trial, answer.references, scene=answer.scene, language=declared.language, targets=targets)


def parse_description(content: str) -> tuple[str, str | None]:
    """Return the outcome of an answer for the counts, and the description in it."""
    parsed = parse_answer(content, "description")
    return COUNTED[parsed.outcome], parsed.value


def _add_choice(material: NativeData, answer: LogAnswer, options: tuple[int, int]) -> None:
    """Add a choice as a response."""
    number = parse_answer(answer.content, "choice", options=answer.labels or options[0]).value
    response = choose_entity(answer, [str(i) for i in range(1, options[0] + 1)], number)
    material.count(answer.model, "unparsable" if response.outcome == Outcome.UNPARSABLE else "answered")
    material.responses.append(response)


def choose_entity(answer: LogAnswer, names: Sequence[str], number: Any) -> Response:
    """Return the response of a model that chose one of several entities by its number from 1."""
    entity = names[number - 1] if isinstance(number, int) else None
    outcome = OUTCOMES[number] if entity is None else Outcome.ENTITY
    believed = [entity] if entity is not None else list(names)
    return Response(
        trial=answer.trial,
        hearer=answer.model,
        outcome=outcome,
        system=answer.system if answer.shown else answer.system or answer.model,
        entity=entity,
        probabilities=tuple((e, 1 / len(believed)) for e in believed),
        flags=(f"vote 1: shown {' '.join(names)}; chose {entity or outcome}",),
    )


def _add_count_notes(material: NativeData) -> None:
    """Add notes on answers that were not usable, by system."""
    for system, counts in material.counts.items():
        for outcome, count in sorted(counts.items()):
            if outcome not in ("answered", "described") and count:
                reason = _REASONS.get(outcome, f"are {outcome}")
                material.notes.append(f"{system}: answers that {reason}: {count:,}.")


_REASONS = {
    MISSING: "are missing, because the harness failed, and are left out",
    "unparsable": "cannot be parsed",
    "refused": "refuse",
    "none": "state that there is no such object",
    "several": "name several objects",
    "unknown": "state that the model does not know",
}


# -- coordinates -------------------------------------------------------------------------------------------------------------


def _convert_places(answers: Sequence[LogAnswer], format: str, declared: Declared) -> NativeData:
    """Return the data of answers with coordinates."""
    material = NativeData("places", format)
    unparsed = [a for a in answers if a.parsed is None and a.content is not None]
    if unparsed:
        form = declared.form or _choose_form([a.content or "" for a in unparsed])
        convention = _find_convention(unparsed, form, format, declared)
        material.mapping.update({"form": form, "convention": str(convention)})
    else:
        form, convention = "", Convention()
        material.mapping["convention"] = "pixels xyxy"
        in_pixels = format in ("screenspot-pro", "ref-adv")
        if in_pixels and declared.convention and parse_convention(declared.convention).unit is not Unit.PIXELS:
            raise InputError(
                "the coordinates of this log are pixels of the original picture already",
                where=answers[0].where,
                remedy="leave --convention out",
            )
    orders = {str(a.gold.convention) for a in answers if a.gold is not None}
    material.mapping.update({"trial": "id of the item", "system": "model", "gold": " and ".join(sorted(orders))})
    for answer in answers:
        region = answer.gold
        trial = make_trial(
            answer.trial,
            answer.references,
            scene=answer.scene,
            region=region,
            is_absent=answer.is_absent,
            size=answer.size,
            # Only a trial with a picture can have no target in it.
            picture=answer.scene or answer.trial if answer.is_absent else "",
            language=declared.language,
        )
        material.add_trial(trial)
        if answer.content is None:
            material.count(answer.model, MISSING)
            continue
        place_answer = answer.parsed or _parse_place(answer.content, form, convention)
        material.count(answer.model, str(place_answer.outcome) if not place_answer.places else "answered")
        response = Response(
            trial=answer.trial, hearer=answer.model, outcome=place_answer.outcome, places=place_answer.places
        )
        material.outputs.append(Output(answer.trial, answer.model, Description(), answer.where, answer.line, response))
    _add_count_notes(material)
    return material


def _parse_place(content: str, form: str, convention: Convention | None) -> PlaceAnswer:
    """Return a parsed place; four zeros are unparsable."""
    place_answer = parse_place_answer(content, form, convention)
    # Several harnesses write four zeros where an answer holds no box.
    if any(isinstance(p, Box) and not any(p.numbers) for p in place_answer.places):
        return PlaceAnswer(Outcome.UNPARSABLE)
    return place_answer


def _choose_form(contents: Sequence[str]) -> str:
    """Return the form in which most answers of the file can be parsed; plain JSON if several are equally good."""
    forms = ("json", *TOKEN_FORMS, "click")
    counts = {form: sum(bool(_parse_place(c, form, None).places) for c in contents) for form in forms}
    return max(forms, key=lambda form: counts[form])


def _find_convention(answers: Sequence[LogAnswer], form: str, format: str, declared: Declared) -> Convention:
    """Return the convention of all coordinates in a file's answers: declared by the user or by the file, or the only possible one."""
    where = answers[0].where
    logged = {answer.convention for answer in answers}
    if text := declared.convention or (next(iter(logged)) if len(logged) == 1 else None):
        convention = parse_convention(text)
    elif form in TOKEN_FORMS and format != "internvl":
        convention = Convention.of(FORMS[form].convention)
    else:
        convention = _infer_convention(answers, form, format, where)
    _check_sizes(answers, convention, format, where)
    return convention


def _infer_convention(answers: Sequence[LogAnswer], form: str, format: str, where: str) -> Convention:
    """Return the one convention that all numbers of the file allow. Raises InputError if several are possible."""
    numbers: list[tuple[list[float], Size | None]] = []
    for answer in answers:
        place_answer = _parse_place(answer.content or "", form, Convention(Unit.PIXELS, Order.XYXY))
        numbers += [(list(p.numbers), answer.size) for p in place_answer.places if isinstance(p, Box | Point)]
    if not numbers:
        # Without a single place the unit does not matter.
        return Convention()
    largest = max(n for group, _ in numbers for n in group)
    # Gemini's key for boxes that begin with y; Qwen's is bbox_2d.
    begin_with_y = sum(bool(re.search(r"(?<!b)box_2d", a.content or "")) for a in answers)
    order = Order.YXYX if begin_with_y > len(answers) / 2 else Order.XYXY
    if largest <= 1.0:
        return Convention(Unit.SHARE, order)
    # A click beside the picture is a little beyond 1.
    possible = [Unit.SHARE] if largest <= 2.0 else []
    possible += [] if is_beyond([n for group, _ in numbers for n in group]) else [Unit.OF_1000]
    sized = [(group, size) for group, size in numbers if size is not None and size != UNIT_SQUARE]
    outside = sum(
        max(group[0::2]) > size.width * SLACK or max(group[1::2]) > size.height * SLACK for group, size in sized
    )
    if not sized or outside < max(2, len(sized) * 0.02):
        possible.append(Unit.PIXELS)
    if format == "internvl":
        possible = [Unit.OF_1000, Unit.OF_999]
    if len(possible) == 1:
        return Convention(possible[0], order)
    choices = " or ".join(f'--convention "{unit} {order}"' for unit in possible)
    raise InputError(
        f"the convention of the answers' numbers is unknown (the largest is {largest:g})",
        where=where,
        remedy=f"declare it for the whole file: {choices or '--convention UNIT ORDER'} (`referee docs sight`)",
    )


def _check_sizes(answers: Sequence[LogAnswer], convention: Convention, format: str, where: str) -> None:
    """Raise InputError if answers and gold boxes differ in unit and no picture has a size."""
    for answer in answers:
        if answer.gold is None:
            continue
        gold = answer.gold.convention.unit
        lacks = answer.size is None and Unit.PIXELS not in (gold, convention.unit)
        differs = answer.size is None and convention.unit is not gold
        pixels = answer.size == UNIT_SQUARE and convention.unit is Unit.PIXELS
        if lacks or differs or pixels:
            raise InputError(
                f"answers in {convention.unit} cannot be compared with gold boxes in {gold}: the log has no picture sizes"
                + (f" ({SIZE_FIELDS})" if format == "lmms-eval" else ""),
                where=where,
                line=answer.line,
                remedy="use a log whose answers and gold boxes share a unit, or one with picture sizes",
            )


# -- clembench -----------------------------------------------------------------------------------------------------------------

GRIDS = ("first", "second", "third")


def convert_episodes(folder: Path, speaker: str | None = None) -> NativeData:
    """Return the data of clembench's reference game: three grids are a scene, player 1's expression an output, player
    2's answer a response.

    Speakers are named by their model, unless `speaker` is given.
    """
    material = NativeData(
        "log",
        "clembench",
        {"text": "message of Player 1", "chosen": "message of Player 2", "target": "player_1_target_grid"},
    )
    for episode in read_episodes(folder):
        trial = _make_trial_of_grids(episode.name, episode.instance, folder)
        if material.trials.setdefault(trial.id, trial) != trial:
            raise InputError(
                f"{trial.id} has other grids elsewhere in the folder", where=folder, remedy="import one release alone"
            )
        _add_episode(material, trial, episode, speaker or episode.models[0] or folder.name)
    if not material.trials:
        raise InputError(
            "this folder has no episode", where=folder, remedy="name a folder of results with interactions.json in it"
        )
    _add_count_notes(material)
    return material


def _add_episode(material: NativeData, trial: Trial, episode: Episode, speaker: str) -> None:
    """Add one episode to the data."""
    expression = next((content for player, content in episode.messages if player.startswith("Player 1")), None)
    is_wrong_form = episode.wrong_form == "Player 1"
    text = None if expression is None or is_wrong_form else _parse_expression(expression)
    material.count(speaker, "answered" if text else "unparsable")
    if text is None:
        return
    if any(o.system == speaker and o.trial == trial.id for o in material.outputs):
        raise InputError(
            f"{speaker} describes {trial.id} twice", where=trial.id, remedy="import each of its runs alone"
        )
    material.outputs.append(Output(trial.id, speaker, Description(text=text), episode.name, None))
    content = next((content for player, content in episode.messages if player.startswith("Player 2")), None)
    if content is not None:
        names = tuple(e.id for e in trial.scene.entities)
        answer = LogAnswer(
            trial=trial.id,
            model=f"{episode.models[1] or speaker} player 2",
            content=content,
            where=episode.name,
            shown=names,
            system=speaker,
        )
        # The game ends an episode in which an answer has the wrong form; such an answer is not a wrong one.
        is_wrong_form = episode.wrong_form == "Player 2"
        number = (
            None if is_wrong_form else parse_answer(_parse_choice_word(content), "choice", options=len(names)).value
        )
        material.responses.append(choose_entity(answer, names, number))


def _parse_expression(message: str) -> str | None:
    """Return what follows the game's mark, which states that it is the expression; without it, the description in a message."""
    tag, _, rest = message.strip().partition(":")
    if tag.strip().lower() == "expression" and rest.strip():
        return rest.strip()
    description: str | None = parse_answer(message, "description").value
    return description


def _make_trial_of_grids(name: str, instance: Mapping[str, Any], folder: Path) -> Trial:
    """Return the scene of an episode as a trial. Raises InputError for another game."""
    try:
        grids = [str(instance[f"player_2_{position}_grid"]) for position in GRIDS]
        target = grids.index(str(instance["player_1_target_grid"]))
    except (KeyError, TypeError, ValueError):
        raise InputError(
            f"{name} is not an episode of the reference game", where=folder, remedy="import that game's episodes alone"
        ) from None
    entities = tuple(
        Entity(id=position, attributes=(Property("grid", grid),)) for position, grid in zip(GRIDS, grids, strict=True)
    )
    return Trial(id=name, scene=Scene(entities=entities, id=name), targets=(GRIDS[target],), domain="grids")


def _parse_choice_word(answer: str) -> str:
    """Return the number for first, second or third."""
    words = {word: str(i) for i, word in enumerate(GRIDS, 1)}
    bare = answer.strip().lower().removeprefix("answer:").strip(" .*\"'")
    return words.get(bare, answer)
