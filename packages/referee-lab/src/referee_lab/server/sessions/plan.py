"""The plan of one session: every page, form and trial in order, reproducible from the study, the list and the seed.

The browser's version (`Plan.public`) has neither targets nor names of systems or trials: objects have labels of their
own, and pictures are named by their appearance. Only production and judgement, which ask about a marked object, include
the mark.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from referee.records import Outcome
from referee_lab.study.design.sequence import OrderLimits, Showing, arrange, find_broken_limits
from referee_lab.study.folder.branches import PageBranch, is_skipped
from referee_lab.study.folder.clip_sounds import add_addresses
from referee_lab.study.folder.media import add_media_address, has_media
from referee_lab.study.folder.questionnaires import FormField, check_fields, make_comment_fields
from referee_lab.study.folder.study import Check, Study, StudyList
from referee_lab.study.folder.study_pictures import name_pictures
from referee_lab.study.protocols.contract import GivenAnswer, Shown, Stimulus
from referee_lab.study.protocols.own_plugin import CELLS, FOLDER, OWN, is_response_correct
from referee_lab.study.texts import convert_to_html, fill_placeholders

# Also stored with answers (`trial.kind`) and exported: these words are a format.
PAGE, FORM, PRACTICE, TRIAL, CHECK, BREAK = "page", "form", "practice", "trial", "check", "break"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """One step of a session; `saved` is whether its answer is stored and required for completion."""

    index: int
    kind: str
    plugin: str
    stimulus: Stimulus | None
    shown: Shown
    saved: bool
    check: Check | None = None
    fields: tuple[FormField, ...] = ()
    branch: PageBranch | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPlan:
    """All steps of a session. `relaxed` counts trials whose order could not meet all limits."""

    study: Study = field(repr=False)
    list_id: str
    seed: int
    steps: tuple[PlanStep, ...]
    relaxed: int = 0

    @property
    def saved_indexes(self) -> tuple[int, ...]:
        """Return the indexes of the steps whose answers are stored."""
        return tuple(step.index for step in self.steps if step.saved)

    def public(
        self, base_url: str, *, alias: str = "", position: int = 0, saved: Collection[int] = ()
    ) -> dict[str, Any]:
        """Return the browser's version of the plan; `base_url` is that of the study (``/s/ID``)."""
        study = self.study
        # An ordered set: the page loads pictures in the order in which they are needed.
        pictures: dict[str, None] = {}
        counted = {quota.question for quota in study.quotas if quota.question}
        steps = [_make_public_step(step, base_url, pictures, counted) for step in self.steps]
        heard = {m["src"]: m for step in steps if (m := step["parameters"].get("media"))}
        named = ("id", "title", "language", "direction", "protocol", "mode")
        return {
            "study": {name: getattr(study, name) for name in named},
            "alias": alias,
            "position": position,
            "saved": sorted(saved),
            "policy": {
                name: getattr(study.policy, name) for name in ("unsaved_limit", "aborted", "resume", "feedback")
            },
            "pictures": list(pictures),
            "media": list(heard.values()),
            "strings": dict(study.strings),
            "steps": steps,
        }


def _make_public_step(
    step: PlanStep, base_url: str, pictures: dict[str, None], counted: Collection[str] = ()
) -> dict[str, Any]:
    """Return the browser's version of a step, with addresses of pictures and sounds."""
    parameters = dict(step.shown.parameters)
    if "entities" in parameters:
        entities = []
        for entity in parameters["entities"]:
            if "words" in entity:
                entities.append(entity)
                continue
            # A drawing, or a file of the study.
            photo, rest = entity.get("photo"), {name: value for name, value in entity.items() if name != "photo"}
            address = f"{base_url}/photographs/{photo}" if photo else f"{base_url}/pictures/{entity['picture']}.svg"
            pictures[address] = None
            entities.append({**rest, "picture": address})
        parameters["entities"] = entities
    if "context" in parameters:
        parameters["context"] = f"{base_url}/photographs/{parameters['context']}"
        pictures[parameters["context"]] = None
    if "photo" in parameters:
        photo = parameters["photo"]
        ending = f"pictures/{photo['picture']}.svg" if photo["drawn"] else f"photographs/{photo['picture']}"
        pictures[f"{base_url}/{ending}"] = None
        parameters["photo"] = {**photo, "picture": f"{base_url}/{ending}"}
    if step.plugin == OWN:
        parameters["script"] = f"{base_url}/{FOLDER}/{parameters['script']}"
        shown = {cell: f"{base_url}/photographs/{name}" for cell, name in parameters.pop("images").items()}
        pictures.update(dict.fromkeys(shown.values()))
        heard = {cell: f"{base_url}/media/{name}" for cell, name in parameters.pop("sounds").items()}
        parameters[CELLS] = {**parameters[CELLS], **shown, **heard}
    if "media" in parameters:
        parameters["media"] = add_media_address(parameters["media"], base_url)
    if "film" in parameters:
        parameters["film"] = add_addresses(parameters["film"], base_url)
    # a check must not look different from a trial
    kind = TRIAL if step.kind == CHECK else step.kind
    public = {"index": step.index, "kind": kind, "plugin": step.plugin, "saved": step.saved, "parameters": parameters}
    if step.branch is not None:
        public["only"] = {"question": step.branch.question, "answers": list(step.branch.answers)}
    # The page waits for the server's decision there; the accepted answers are not sent.
    return (
        {**public, "screening": True}
        if any(form_field.eligible or form_field.name in counted for form_field in step.fields)
        else public
    )


# -- making a plan ---------------------------------------------------------------------------------------------------------


def make_plan(study: Study, list_id: str, seed: int) -> SessionPlan:
    """Return the steps of one person's session: instructions, practice, trials, questions, comments."""
    chosen = study.list(list_id)
    # A string as seed gives the same numbers in every process. The sequence of random draws is a format too: running
    # sessions are remade from it, and a session whose plan differs is ended (`presence._require_same_plan`).
    rng = Random(f"{study.hash}|{list_id}|{seed}")
    stimuli, relaxed = _order_stimuli(study, chosen, rng)
    drafts = [
        # Who may not take part should not have to read on.
        *_make_opening(study),
        *(_make_own_page(study, name) for name in study.session.pages_before),
        _make_page(study, "instructions", "continue"),
        *_make_sound_check(study),
        *_make_practice(study, rng),
        *_make_trials(study, stimuli, rng),
        *_make_closing(study),
    ]
    steps = tuple(PlanStep(index=i, **draft) for i, draft in enumerate(drafts))
    return SessionPlan(study=study, list_id=list_id, seed=seed, steps=steps, relaxed=relaxed)


Parts = dict[str, Any]


def _make_page(study: Study, name: str, button: str, kind: str = PAGE) -> Parts:
    html = convert_to_html(study.texts[name])
    return _make_parts(kind, "page", Shown(parameters={"html": html, "button": study.strings[button]}, labels={}))


def _make_parts(
    kind: str, plugin: str, shown: Shown, stimulus: Stimulus | None = None, saved: bool = False, **more: Any
) -> Parts:
    """Return the fields of a plan step as a dictionary."""
    return {"kind": kind, "plugin": plugin, "stimulus": stimulus, "shown": shown, "saved": saved, **more}


def _make_sound_check(study: Study) -> Iterator[Parts]:
    """Yield the step that checks the sound, if any description is heard."""
    if study.session.sound_check and has_media(study):
        yield _make_parts(
            PAGE, "sound-check", Shown(parameters={"html": convert_to_html(study.strings["sound_check"])}, labels={})
        )


def _make_practice(study: Study, rng: Random) -> Iterator[Parts]:
    """Yield the practice page, practice trials, and the page before the first trial."""
    if study.practice:
        yield _make_page(study, "practice", "start")
        for stimulus in study.practice:
            yield _make_stimulus_step(study, stimulus, PRACTICE, rng)
    yield _make_page(study, "ready", "start")


def _make_trials(study: Study, stimuli: Sequence[Stimulus], rng: Random) -> Iterator[Parts]:
    """Yield the trials, with checks at even distances, and a break after every `break_every` trials.

    The last trial is not followed by a break.
    """
    checks = _spread_checks(len(stimuli), study.checks, rng)
    pages = _spread_pages(len(stimuli), study.session.pages_between)
    pause = study.session.break_every
    for done, stimulus in enumerate(stimuli):
        if pause and done and done % pause == 0:
            yield _make_page(study, "break", "continue", BREAK)
        yield from (_make_own_page(study, name) for name in pages.get(done, ()))
        for check in checks.get(done, ()):
            yield {**_make_stimulus_step(study, check.stimulus, CHECK, rng), "check": check}
        yield _make_stimulus_step(study, stimulus, TRIAL, rng)


def _spread_checks(trials: int, checks: Sequence[Check], rng: Random) -> dict[int, list[Check]]:
    """Return the trial before which each check occurs: one in each stretch, at a random position."""
    places: dict[int, list[Check]] = {}
    for number, check in enumerate(rng.sample(checks, len(checks))):
        low = max(number * trials // len(checks), min(1, trials - 1))
        high = max((number + 1) * trials // len(checks), low + 1)
        places.setdefault(rng.randrange(low, high), []).append(check)
    return places


def _spread_pages(trials: int, names: Sequence[str]) -> dict[int, list[str]]:
    """Return the names of own pages by the trial that they precede: at even distances, not first."""
    places: dict[int, list[str]] = {}
    for number, name in enumerate(names, 1):
        places.setdefault(max(1, round(number * trials / (len(names) + 1))), []).append(name)
    return places


def _make_own_page(study: Study, name: str) -> Parts:
    """Return a page or a survey that the organisers wrote."""
    content = study.extra[name]
    branch = {"branch": next((rule for rule in study.branches if name in rule.show), None)}
    if not isinstance(content, str):
        return {**_make_form(study, "", content), **branch}
    shown = Shown(parameters={"html": convert_to_html(content), "button": study.strings["continue"]}, labels={})
    return {**_make_parts(PAGE, "page", shown), **branch}


def _make_opening(study: Study) -> Iterator[Parts]:
    """Yield the questions before the first trial: eligibility and vision."""
    asked = (*study.before, *_select_questions(study, "before"))
    if asked:
        yield _make_form(study, "", asked)


def _select_questions(study: Study, when: str) -> tuple[FormField, ...]:
    """Return the questions about the person that are asked before or after the trials."""
    return (
        tuple(question for question in study.demographics if question.when == when)
        if study.session.demographics
        else ()
    )


def _make_closing(study: Study) -> Iterator[Parts]:
    """Yield the steps after the trials: own pages, questions about the person, comments."""
    yield from (_make_own_page(study, name) for name in study.session.pages_after)
    if asked := _select_questions(study, "after"):
        yield _make_form(study, "", asked)
    if study.session.comments:
        yield _make_form(study, study.texts["comments"], make_comment_fields(study.strings["comments"]))


def _make_form(study: Study, text: str, fields: tuple[FormField, ...]) -> Parts:
    """Return a step with a form."""
    parameters = {
        "html": convert_to_html(text),
        "fields": [form_field.public() for form_field in fields],
        "button": study.strings["continue"],
    }
    return _make_parts(FORM, "form", Shown(parameters=parameters, labels={}), saved=True, fields=fields)


def _make_stimulus_step(study: Study, stimulus: Stimulus, kind: str, rng: Random) -> Parts:
    """Return a step with a stimulus: its display, labels for screen readers, and feedback in practice."""
    protocol = study.kind
    shown = protocol.show(stimulus, study.settings, rng)
    parameters = dict(shown.parameters)
    if "entities" in parameters:
        # Names for screen readers: by position, never by the object's identity.
        word = study.strings["object"]
        parameters["entities"] = [
            {**entity, "name": fill_placeholders(word, {"n": n})} for n, entity in enumerate(parameters["entities"], 1)
        ]
    return _make_parts(
        kind, protocol.info.plugin, Shown(parameters=parameters, labels=shown.labels), stimulus, saved=True
    )


def _order_stimuli(study: Study, chosen: StudyList, rng: Random) -> tuple[list[Stimulus], int]:
    """Return the stimuli of a list in a random order, and the number of limits that could not be met."""
    stimuli = [study.stimuli[f"{trial}|{condition}"] for trial, condition in chosen.trials]
    if study.design.order == "fixed":
        return stimuli, 0
    showings = [_get_compared_properties(s, study.design.family_apart) for s in stimuli]
    limits = OrderLimits(
        same_condition_at_most=study.design.same_condition_at_most, same_item_apart=study.design.same_item_apart
    )
    blocks = chosen.blocks if study.design.order == "blocks" else ()
    order = arrange(showings, limits, rng, blocks)
    relaxed = len(find_broken_limits(order, showings, limits, blocked=bool(blocks)))
    return [stimuli[i] for i in order], relaxed


def _get_compared_properties(stimulus: Stimulus, family_apart: bool) -> Showing:
    """Return the properties of a stimulus that the limits on order compare."""
    trial = stimulus.trial
    # By look and not by id: the same picture may stand for objects of several scenes.
    names = name_pictures(trial.scene, trial.domain)
    looks = tuple(names[t] for t in trial.targets)
    if family_apart:
        # A table of items may mean the same picture in every trial.
        return Showing(item=trial.id, condition=stimulus.system or "", family=trial.scene.id)
    return Showing(item=trial.id, condition=stimulus.system or "", target=looks)


# -- checks of answers -------------------------------------------------------------------------------------------------


def check_answer(study: Study, step: PlanStep, answer: GivenAnswer) -> None:
    """Raise InputError, naming the field, if an answer cannot have come from this step."""
    if step.branch is not None and is_skipped(answer.answer):
        return
    if step.plugin == "form":
        check_fields(answer.answer.get("fields"), step.fields)
    elif step.stimulus is not None:
        study.kind.check(answer, step.shown, study.settings)


def has_passed_check(study: Study, step: PlanStep, answer: GivenAnswer) -> bool | None:
    """Return whether an attention check was passed; None if the step is not a check."""
    return was_right(study, step, answer) if step.kind == CHECK else None


def was_right(study: Study, step: PlanStep, answer: GivenAnswer) -> bool | None:
    """Return whether the answer is the target or the expected one; None without a correct answer."""
    if step.stimulus is None:
        return None
    if step.check is not None and step.check.expect is not None:
        return all(_matches_expected(name, value, step, answer) for name, value in step.check.expect.items())
    if step.plugin == OWN:
        return is_response_correct(step.stimulus, answer)
    # Without a hearer's name: only whether it was right is asked here.
    response = study.kind.respond(answer, step.stimulus, step.shown, "")
    if response is None:
        return None
    return response.outcome is Outcome.ENTITY and response.entity in step.stimulus.trial.targets


def _matches_expected(name: str, expected: Any, step: PlanStep, answer: GivenAnswer) -> bool:
    """Return whether one field of an answer is as expected.

    Compared are the value, the entity behind its label, or (for ratings) the same point or end of every scale.
    """
    answered = answer.answer.get(name)
    if name == "ratings":
        return bool(answered == list_expected_ratings(expected, step.shown.parameters["scales"]))
    if name == "ranking" and isinstance(answered, list):
        return bool(answered) and bool(step.shown.labels.get(answered[0]) == expected)
    return answered == expected or (isinstance(answered, str) and step.shown.labels.get(answered) == expected)


def list_expected_ratings(expected: Any, scales: Sequence[Mapping[str, Any]]) -> Any:
    """Return the ratings that a check expects: the same point or end of every scale, unless each is named."""
    if not isinstance(expected, str):
        return expected
    # Points are counted from 1, a slider from 0.
    ends = {"lowest": 0, "highest": -1}
    return {
        scale["name"]: range(scale["points"])[ends[expected]] + (scale["kind"] == "likert")
        if expected in ends
        else int(expected)
        for scale in scales
    }
