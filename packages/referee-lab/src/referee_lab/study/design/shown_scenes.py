"""Checks the displays of a study.

Every object can be pressed, by the outlines that pages use, and practice does not reveal an item.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.grounding.pictures import check_whole
from referee.jobs.progress import report_progress
from referee.records import Scene, Trial
from referee.show.drawing import can_draw
from referee.show.drawing.placement import find_determined_layout
from referee_lab.server.sessions.plan import CHECK, PlanStep, was_right
from referee_lab.study.design.balance import BalanceClaim, format_count, make_claim
from referee_lab.study.folder.hit_areas import find_small_targets
from referee_lab.study.folder.photographs import find_missing_pictures, find_photograph_file, find_picture_files
from referee_lab.study.folder.screens import compute_smallest_px, list_screens
from referee_lab.study.folder.study import Check, Study
from referee_lab.study.folder.study_pictures import name_pictures
from referee_lab.study.protocols.contract import GivenAnswer, Shown
from referee_lab.study.protocols.scene import (
    compute_layout,
    fold_text,
    get_caption,
    get_context_picture,
    get_option_text,
    is_bare,
)
from referee_lab.study.texts import CONTACTS, LANGUAGES, REQUIRED, read_default_pages
from referee_lab.tangram.game.goals import find_goal, get_training_goal

# Settings of protocols that people read.
ASKED = ("questions", "low", "high", "question")
SHOWING = ("identify", "produce", "judge")
# Pictures are compared at this size; below this difference (of 255) they look alike, as one picture in two formats does.
SHRUNK_PX, INDISTINCT = 8, 4.0


def prove_checks(study: Study) -> list[BalanceClaim]:
    """Return the claim that some answer on the page fails each attention check; empty without checks."""
    if not study.checks:
        return []
    rng = Random(study.seed)
    never = [
        c.stimulus.id for c in study.checks if not _can_fail(study, c, study.kind.show(c.stimulus, study.settings, rng))
    ]
    counted = format_count(len(study.checks), "check")
    return [make_claim("every attention check can be failed", counted, never, check="attention-checks", trials=never)]


def _can_fail(study: Study, check: Check, shown: Shown) -> bool:
    """Return whether a wrong answer to a check is possible."""
    step = PlanStep(
        index=0,
        kind=CHECK,
        plugin=study.kind.info.plugin,
        stimulus=check.stimulus,
        shown=shown,
        saved=True,
        check=check,
    )
    return any(was_right(study, step, GivenAnswer(answer=answer)) is False for answer in _iterate_answers(shown))


def _iterate_answers(shown: Shown) -> Iterator[dict[str, Any]]:
    """Yield the answers that a page with these parameters can give, reduced to fields that can be wrong."""
    if shown.parameters.get("pairwise"):
        yield from ({"choice": choice} for choice in ("left", "right", "tie"))
    elif scales := shown.parameters.get("scales"):
        yield from ({"ratings": {scale["name"]: point for scale in scales}} for point in (1, 2))
    elif ranked := shown.parameters.get("ranked"):
        yield from ({"ranking": [option["id"]]} for option in ranked)
    elif "script" in shown.parameters:
        yield {"response": ""}
    elif shown.parameters.get("way") in ("point", "box"):
        yield from ({"outcome": choice} for choice in shown.parameters["choices"])
        yield {"outcome": shown.parameters["way"], "x": 0, "y": 0, "box": [0, 0, 1, 1]}
    else:
        yield from ({"outcome": "entity", "entity": label} for label in shown.labels)


def _prove_training(study: Study) -> BalanceClaim:
    """Return the claim that the training figure is not a figure of the game."""
    puzzles = study.settings["puzzles"]
    training = get_training_goal(find_goal(puzzles[0], study.settings["goals"])).name
    return BalanceClaim(
        sentence="training shows no figure of the game",
        holds=training not in puzzles,
        counted=f"training has the {training}, the game {', '.join(puzzles)}",
        check="training",
    )


class _Scenes:
    """The scenes of a study, one trial for each scene and its targets, and the trials in which each is shown."""

    def __init__(self, study: Study) -> None:
        shown: dict[tuple[int, tuple[str, ...]], dict[str, Trial]] = {}
        for stimulus in study.iterate_stimuli():
            trial = stimulus.trial
            if is_bare(trial.scene):
                continue
            shown.setdefault((id(trial.scene), trial.targets), {})[trial.id] = trial
        self.trials = [next(iter(alike.values())) for alike in shown.values()]
        self.shown_in = {next(iter(alike)): tuple(alike) for alike in shown.values()}

    def claim(self, check: str, sentence: str, failing: Mapping[str, str], remedy: str) -> BalanceClaim:
        """Return a claim about every trial; `failing` maps the first trial of a scene to its problem."""
        trials = tuple(trial for first in failing for trial in self.shown_in[first])
        reason = next(iter(failing.values()), "")
        where = (
            f"; not so in {len(trials)}, first {trials[0]}{f': {reason}' if reason else ''}; {remedy}" if trials else ""
        )
        counted = f"{format_count(sum(map(len, self.shown_in.values())), 'trial')}{where}"
        return BalanceClaim(sentence=sentence, holds=not trials, counted=counted, check=check, trials=trials)


def _prove_distinct(study: Study) -> BalanceClaim:
    """Return the claim that objects look different.

    In a reference game positions differ between people and cannot distinguish them.
    """
    scenes = _Scenes(study)
    trials = scenes.trials
    alike = {t.id: "" for t in trials if len(set(_get_appearances(study, t).values())) < len(t.scene.entities)}
    return scenes.claim("look-alike", "no two objects of a scene look alike", alike, "give each its own picture")


def _get_appearances(study: Study, trial: Trial) -> dict[str, str]:
    """Return the appearance of every entity: its picture, the name of its drawing, or its text.

    Pictures that people cannot tell apart have one name, whatever their files are.
    """
    names = name_pictures(trial.scene, trial.domain)
    looks: dict[str, str] = {}
    seen: dict[str, FloatArray] = {}
    for entity in trial.scene.entities:
        file = find_photograph_file(study.folder, names[entity.id]) if entity.image is not None else None
        text = get_option_text(entity)
        look = names[entity.id] if text is None or file else f"text {fold_text(text)}"
        if file and (small := _shrink_picture(file[0])) is not None:
            look = next((name for name, other in seen.items() if np.abs(other - small).max() <= INDISTINCT), look)
            seen.setdefault(look, small)
        looks[entity.id] = f"{look} {fold_text(get_caption(entity))}"
    return looks


@lru_cache(maxsize=1 << 14)
def _shrink_picture(path: Path) -> FloatArray | None:
    """Return a picture on white in few pixels, and its shape last; None if it cannot be decoded (`prove_pictures`)."""
    from PIL import Image

    try:
        check_whole(path)
    except InputError:
        return None
    with Image.open(path) as opened:
        picture = opened.convert("RGBA")
    white = Image.new("RGBA", picture.size, "white")
    small = Image.alpha_composite(white, picture).convert("RGB").resize((SHRUNK_PX,) * 2, Image.Resampling.BOX)
    return np.append(np.asarray(small, dtype=float).ravel(), 100 * picture.width / picture.height)


def _prove_drawn_scenes(study: Study) -> Iterator[BalanceClaim]:
    """Yield the claims about pictures, cards, look-alikes and relations of drawn scenes."""
    scenes = _Scenes(study)
    trials = scenes.trials
    plugin = study.kind.info.plugin
    absent = {*find_missing_pictures(study)}
    shown = {t.id: {*(e.image for e in t.scene.entities), get_context_picture(t.scene)} - {None} for t in trials}
    lacking = {
        t.id: ", ".join(sorted(map(str, absent & shown[t.id]))) or "only some objects have an image"
        for t in trials
        if absent & shown[t.id] or len({e.image is None for e in t.scene.entities}) > 1
    }
    yield scenes.claim("pictures", "every object has its picture", lacking, "put the files into photographs/")
    ignored = {t.id: t.scene.picture.path for t in trials if t.scene.picture and get_context_picture(t.scene) is None}
    yield scenes.claim(
        "ignored-picture",
        "no photograph of a scene is left out",
        ignored,
        "take --protocol point or refoi",
    )
    cards = {t.id: "" for t in trials if not _has_pictures(t.scene)}
    produced = plugin == "produce"
    if produced or not study.settings.get("word_cards"):
        words = cards | ({t.id: "" for t in trials if any(map(get_option_text, t.scene.entities))} if produced else {})
        remedy = "give objects an image (--pictures)" + ("" if produced else ", or set [protocol] word_cards = true")
        sentence = "no object is shown as a card of words" + (" that people should produce" if produced else "")
        yield scenes.claim("word-cards", sentence, words, remedy)
    if plugin in ("identify", "produce"):
        alike = {t.id: "" for t in trials if find_determined_layout(t.scene) is None and _has_double(study, t)}
        sentence = "no target looks like another object of its scene, unless the scene says where they stand"
        yield scenes.claim("look-alike", sentence, alike, "give objects their own pictures or positions")
    unplaced = {
        t.id: ""
        for t in trials
        if find_determined_layout(t.scene) is None and any(e.relations for e in t.scene.entities)
    }
    yield scenes.claim(
        "relations",
        "relations between objects can be seen",
        unplaced,
        f"these scenes have relations and no coordinates, so that {study.protocol} cannot show them: take another corpus or add positions",
    )


def prove_pictures(study: Study) -> list[BalanceClaim]:
    """Return the claim that every picture file can be decoded; empty if the study has none."""
    present = {image: path for image, path in find_picture_files(study).items() if path is not None}
    broken = {}
    for image, path in present.items():
        try:
            check_whole(path)
        except InputError as error:
            broken[image] = f"{image} (photographs/{path.name}): {error.problem}; {error.remedy}"
    if not present:
        return []
    trials = {
        s.trial.id: None
        for s in study.iterate_stimuli()
        if broken.keys()
        & {s.trial.scene.picture and s.trial.scene.picture.path, *(e.image for e in s.trial.scene.entities)}
    }
    counted, wrong = format_count(len(present), "file"), list(broken.values())
    return [
        make_claim("every picture can be decoded to its end", counted, wrong, check="broken-pictures", trials=trials)
    ]


def _has_pictures(scene: Scene) -> bool:
    """Return whether every object is visible: as an image, a text, or a drawing with all its attributes."""
    rest = [e for e in scene.entities if e.image is None and get_option_text(e) is None]
    return not rest or can_draw(replace(scene, entities=tuple(rest)))


def _has_double(study: Study, trial: Trial) -> bool:
    """Return whether another object has the same appearance as a target."""
    looks = _get_appearances(study, trial)
    meant = {looks[target] for target in trial.targets}
    return any(looks[e] in meant for e in looks if e not in trial.targets)


def _prove_fit(study: Study) -> Iterator[BalanceClaim]:
    """Yield the claims that a scene fits every admitted window and that its objects can be pressed."""
    scenes = _Scenes(study)
    trials = scenes.trials
    jitter = float(study.settings.get("jitter", 0.0))
    for screen in list_screens(study.session.devices, study.session.least_width):
        small = {}
        for trial in trials:
            layout, size = compute_layout(trial.scene, jitter, study.seed)
            least = compute_smallest_px(trial, layout, screen, study.kind.info.plugin) * size
            if least < screen.least_px:
                small[trial.id] = f"{least:.0f} px"
        yield scenes.claim(
            "target-size",
            f"every object has at least {screen.least_px:.0f} px on a {screen.name} ({screen.width} x {screen.height})",
            small,
            f'take "{screen.device}" out of [session] devices, or show fewer objects',
        )


def prove_language(study: Study) -> list[BalanceClaim]:
    """Return the claim that pages and questions are in the language of the study; empty for English."""
    spoken = study.language.partition("-")[0]
    if spoken == "en":
        return []
    folder = study.folder / "texts" / study.language
    english = []
    if spoken not in LANGUAGES:
        pages = read_default_pages(study.language, study.protocol)
        english = [f"{p}.md" for p in REQUIRED if (folder / f"{p}.md").read_text("utf-8").strip() == pages[p].strip()]
        english += [] if (folder / "strings.toml").exists() else ["strings.toml"]
    english += ["study.toml [study] contact"] if study.about.contact in CONTACTS else []
    defaults = study.kind.info.parameters
    english += [
        f"study.toml [protocol] {name}"
        for name in ASKED
        if name in defaults and defaults[name].default and study.settings[name] == defaults[name].default
    ]
    return [
        BalanceClaim(
            sentence=f"pages and questions are written in {study.language!r}",
            holds=not english,
            counted=f"English still: {', '.join(english)}; translate them" if english else "all of them",
            check="language",
        )
    ]


def prove_contact(study: Study) -> list[BalanceClaim]:
    """Return the claim that the consent text of a live study names a contact; empty in other modes."""
    if study.mode != "live":
        return []
    contact = study.about.contact
    is_missing = not contact or contact in CONTACTS
    counted = f"{contact or 'empty'}: write a name and an address into [study] contact" if is_missing else contact
    sentence = "the consent text names a contact person"
    return [BalanceClaim(sentence=sentence, holds=not is_missing, counted=counted, check="contact")]


def prove_words(study: Study) -> list[BalanceClaim]:
    """Return the claim that every description can be read, heard or watched; empty if the study has none."""
    if study.kind.info.plugin not in ("identify", "judge", "locate"):
        return []
    silent = tuple(
        s.id
        for s in study.stimuli.values()
        if not (s.description.text or s.description.media or s.trial.meta.get("question") or "").strip()
    )
    counted = format_count(len(study.stimuli), "description")
    return [make_claim("every description has words to read or to hear", counted, silent, check="words", trials=silent)]


def prove_shown(study: Study) -> list[BalanceClaim]:
    """Return the claims that displayed objects are visible, distinct and pressable.

    Empty if the study has no scenes.
    """
    if study.kind.info.plugin == "tangram" and study.practice:
        return [_prove_training(study)]
    if study.kind.info.plugin == "reference-game":
        return [_prove_distinct(study)]
    if study.kind.info.plugin not in SHOWING:
        return []
    scenes = _Scenes(study)
    jitter = float(study.settings.get("jitter", 0.0))
    hidden: dict[str, list[str]] = {}
    for trial in report_progress(scenes.trials, "clickable areas in every scene"):
        # Any seed works: exact positions are the same for all participants, and cells never overlap.
        layout, _ = compute_layout(trial.scene, jitter, Random(study.seed).getrandbits(32))
        if objects := find_small_targets(trial.scene, trial.domain, layout):
            hidden[trial.id] = objects
    sentence = "every object of every scene has a visible area to press"
    remedy = "move objects apart"
    covered = {trial: ", ".join(objects) for trial, objects in hidden.items()}
    return [scenes.claim("covered", sentence, covered, remedy), *_prove_drawn_scenes(study), *_prove_fit(study)]
