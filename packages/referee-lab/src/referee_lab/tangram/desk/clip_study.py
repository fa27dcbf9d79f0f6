"""Makes a task-performance study from recorded dialogues, and collects its answers (Spanger et al. 2013, section 5).

Selects references, cuts clips, and lays out lists.

A classifier that predicts demonstrative pronouns is applied to the recordings. Its true positives, false negatives and
false positives with a usable clip become trials. Each false positive is shown with the original expression to one group
and with the pronoun to the other. If the recordings have too few, the lists are shorter and the remarks give the
numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from referee.errors import InputError
from referee.jobs.progress import report_progress
from referee.records import Description, Response, Trial
from referee_lab.server.sessions.plan import TRIAL
from referee_lab.study.data.collection import SIMULATED, collect_from
from referee_lab.study.data.dataset import ALL as ALL_ANSWERS
from referee_lab.study.design.designs import DesignLayout
from referee_lab.study.folder.draft import Draft, Extra, write_study
from referee_lab.study.folder.study import Study, StudyList, open_study
from referee_lab.study.texts import load_interface_words
from referee_lab.tangram.desk.study_options import ClipStudyOptions
from referee_lab.tangram.evaluation.replacement import (
    EvaluationMaterial,
    Item,
    collect_material,
    find_threshold,
    make_lists,
    replace_expression,
)
from referee_lab.tangram.evaluation.simulated_evaluators import convert_to_trials, overhear
from referee_lab.tangram.evaluation.task_performance import CONDITIONS
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.dialogue_film import make_dialogue_film
from referee_lab.tangram.game.dialogue_sessions import DialogueSession, make_film
from referee_lab.tangram.game.goals import GOALS, Goal
from referee_lab.tangram.game.sound_files import cut_sounds
from referee_lab.tangram.models.context import Clip, cut
from referee_lab.tangram.models.demonstratives import ALL, Classification, classify
from referee_lab.tangram.models.history import Situation, list_situations
from referee_lab.tangram.models.invented_sessions import invent_sessions
from referee_lab.tangram.models.resolution import ReferenceResolver
from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER, UTTERANCE, Dialogue
from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue

PRACTICE = "practice"
DEMO_SESSIONS = 3
SLOWEST_MS = 120_000.0
HYPOTHESIS = "The referent is identified more often and faster for TP than for FN; FP-DP is not worse than FP-Orig by more than the equivalence margin."


@dataclass(frozen=True, slots=True, kw_only=True)
class Overhearing:
    """A draft with its origin: the classifier's errors, the usable instances, the reasons for unusable ones, and
    remarks.
    """

    draft: Draft
    classification: Classification
    material: EvaluationMaterial
    threshold: float
    notes: tuple[str, ...]

    def facts(self) -> dict[str, Any]:
        """Return the facts about the classifier that the analysis needs, as JSON values."""
        row = self.classification.row(ALL)
        return {
            "confusion": asdict(row.confusion),
            "folds": self.classification.folds,
            "by": self.classification.by,
            "threshold": self.threshold,
            "usable": dict(self.material.usable),
            "unusable": {f"{kind}: {why}": n for (kind, why), n in self.material.unusable.most_common()},
        }


def prepare_overhearing(sessions: Sequence[DialogueSession], request: ClipStudyOptions) -> Overhearing:
    """Classify, choose, cut, replace and lay out; every trial with its clip.

    A dialogue without a recording is drawn from its events.
    """
    dialogues = [session.dialogue for session in sessions]
    by_id = {session.dialogue.id: session for session in sessions}
    _check_sessions(by_id, sessions, request)
    classification, threshold = _classify_situations(dialogues, request)
    material = collect_material(classification, request.seed, fp=request.fp, tp=request.tp, fn=request.fn)
    lists = make_lists(material, request.pronoun)
    items = [*lists[0], *lists[1]]
    if not items:
        raise InputError(
            "no reference has a clip that can be shown",
            remedy="give more recordings: a clip needs an earlier mention and an earlier action on the target within 30 s",
        )
    # The simulated evaluators' ear has never heard the dialogues of the study.
    ear = ReferenceResolver().fit(list_situations(invent_sessions(request.seed + 1)))
    sounds: dict[str, bytes] = {}
    trials = list(make_clips(report_progress(items, "clips"), by_id, ear, sounds))
    taken = {t.id for t in trials}
    free = [s for s in classification.situations if s.id not in taken and s.expression.by != OPERATOR]
    practice = make_practice(free, request, by_id, ear, sounds)
    present = {item.condition for item in items}
    draft = make_draft(request, lists, trials, [c for c in CONDITIONS if c in present], dialogues)
    draft = replace(draft, practice=practice, sounds=sounds)
    return Overhearing(
        draft=draft,
        classification=classification,
        material=material,
        threshold=threshold,
        notes=tuple(_write_remarks(material, request, practice, threshold)),
    )


def _classify_situations(dialogues: Sequence[Dialogue], request: ClipStudyOptions) -> tuple[Classification, float]:
    """Return the classifier's decisions and the threshold for them."""
    situations = list_situations(dialogues)

    about: dict[str, Any] = {"folds": request.folds, "seed": request.seed, "weights": request.weights}
    about["by"] = request.by or "instance"
    classification = classify(situations, **about, threshold=request.threshold or 0.0)
    if request.threshold is not None:
        return classification, request.threshold
    lowered = find_threshold(classification, fp=request.fp - request.fp % 2, tp=request.tp, fn=request.fn)
    return (classify(situations, **about, threshold=lowered), lowered) if lowered else (classification, 0.0)


def _check_sessions(by_id: Mapping[str, DialogueSession], sessions: Sequence[Any], request: ClipStudyOptions) -> None:
    """Raise InputError for repeated sessions or an odd number of participants."""
    if len(by_id) < len(sessions):
        raise InputError("two recordings have the same session", remedy="name every recording once")
    if request.participants % 2:
        raise InputError(
            f"{request.participants} evaluators cannot be divided evenly among two groups",
            remedy=f"plan {request.participants + 1}",
        )


def make_bot_sessions(
    number: int, seed: int = 1, goals: Sequence[Goal] = tuple(GOALS.values())
) -> list[DialogueSession]:
    """Return sessions of bots over all goals in turn, with the references they know of themselves."""
    played = [play_bot_game(goals[n % len(goals)], seed + n) for n in report_progress(range(number), "games of bots")]
    return [DialogueSession(recording, convert_to_dialogue(recording)) for recording in played]


def make_overhearing_demo(
    path: str | Path, *, items: int, participants: int, seed: int, practice: int, id: str
) -> Study:
    """Write a small study with bots as speakers: half of the items false, half true positives."""
    # An even number: half of them are turned round for each group.
    fp = max(2, items // 2 - items // 2 % 2)
    request = ClipStudyOptions(
        id=id, participants=participants, fp=fp, tp=items - fp, fn=0, practice=practice, seed=seed
    )
    return write_study(path, prepare_overhearing(make_bot_sessions(DEMO_SESSIONS, seed), request).draft)


# -- trials ----------------------------------------------------------------------------------------------------------------


def make_clips(
    items: Iterable[Item],
    sessions: Mapping[str, DialogueSession],
    ear: ReferenceResolver,
    sounds: dict[str, bytes],
) -> Iterator[Trial]:
    """Return one trial per reference: its clip, the words of each condition, and an overhearer's choices.

    Sounds are added to `sounds`.
    """
    by_id: dict[str, list[Item]] = {}
    for item in items:
        by_id.setdefault(item.id, []).append(item)
    synthetic = any(session.dialogue.synthetic for session in sessions.values())
    for trial in convert_to_trials(items, synthetic):
        trial_items = by_id[trial.id]
        session = sessions[trial_items[0].situation.dialogue]
        shown = {
            item.condition: {
                "text": item.utterance,
                "span": list(item.span),
                **({"context": item.context} if item.context else {}),
            }
            for item in trial_items
        }
        believed = {
            item.condition: {p: round(chance, 6) for p, chance in sorted(overhear(item, session.dialogue, ear).items())}
            for item in trial_items
        }
        # One film a context: all systems share it.
        films = {item.context: item.clip for item in trial_items}
        clips = {context: _make_film(session, clip, sounds) for context, clip in films.items()}
        film = {"clip": clips[""]} if set(clips) == {""} else {"clips": clips}
        yield replace(trial, meta={**trial.meta, **film, "shown": shown, "overheard": believed})


def _make_film(session: DialogueSession, clip: Clip, sounds: dict[str, bytes]) -> dict[str, Any]:
    """Return the film of a clip, with its sounds."""
    span, recording = (clip.start_ms, clip.end_ms), session.recording
    film = make_dialogue_film(session.dialogue, *span) if recording is None else make_film(recording, *span)
    if recording is not None and session.sounds is not None:
        rows = []
        for stretch in cut_sounds(recording, session.sounds, *span):
            # Under neutral names.
            name = f"{sha256(stretch.content).hexdigest()[:32]}{stretch.ending}"
            sounds[name] = stretch.content
            rows.append({"by": stretch.by, "start_ms": stretch.start_ms, "end_ms": stretch.end_ms, "src": name})
        film |= {"sounds": rows} if rows else {}
    return film


def make_practice(
    free: Sequence[Situation],
    request: ClipStudyOptions,
    sessions: Mapping[str, DialogueSession],
    ear: ReferenceResolver,
    sounds: dict[str, bytes],
) -> list[Extra]:
    """Return practice trials of references that are in no list, to get used to the task."""
    order = np.random.default_rng(request.seed).permutation(len(free))
    usable = (item for place in order if (item := _make_practice_item(free[place])) is not None)
    items = list(islice(usable, request.practice))
    extras = []
    for item, trial in zip(items, make_clips(items, sessions, ear, sounds), strict=True):
        # Practice has no condition.
        meta = {**trial.meta, **{name: {"": trial.meta[name][PRACTICE]} for name in ("shown", "overheard")}}
        extras.append(Extra(trial=replace(trial, meta=meta), description=Description(text=item.expression)))
    return extras


def _make_practice_item(situation: Situation) -> Item | None:
    """Return a practice trial with the original expression; None if the situation has no usable clip."""
    clip, shown = cut(situation), replace_expression(situation)
    if not isinstance(clip, Clip) or shown is None:
        return None
    return Item(situation=situation, clip=clip, condition=PRACTICE, utterance=shown[0], span=shown[1])


def has_figure_roles(dialogue: Dialogue) -> bool:
    """Return whether a solver and an operator talk, as they do where a figure is laid."""
    return {event.by for event in dialogue.select_tier(UTTERANCE)} <= {SOLVER, OPERATOR}


# -- the draft -------------------------------------------------------------------------------------------------------------


def make_draft(
    request: ClipStudyOptions,
    lists: Sequence[Sequence[Item]],
    trials: Sequence[Trial],
    conditions: Sequence[str],
    dialogues: Sequence[Dialogue],
    hypothesis: str = HYPOTHESIS,
) -> Draft:
    """Return the draft of a study of clips: stimuli, lists and settings."""
    rows = tuple(
        StudyList(id=f"L{n:02}", group=n, trials=tuple((i.id, i.condition) for i in items))
        for n, items in enumerate(lists, 1)
    )
    words = {(i.id, i.condition): i.expression for items in lists for i in items}
    invented = "simulated " if any(d.synthetic for d in dialogues) else ""
    return Draft(
        id=request.id,
        title=request.title or load_interface_words(dialogues[0].language)["which_piece"],
        protocol="replay-identify",
        participants=request.participants,
        layout=DesignLayout(kind="counterbalanced", lists=rows, groups=len(rows)),
        conditions=list(conditions),
        trials=trials,
        outputs=[(trial, condition, Description(text=text)) for (trial, condition), text in words.items()],
        language=dialogues[0].language,
        seed=request.seed,
        pages="" if any(map(has_figure_roles, dialogues)) else "replay-identify-dialogue",
        source=f"{len(dialogues)} {invented}dialogues of {len({d.pair for d in dialogues})} pairs",
        fields={
            "study": {"contact": request.contact},
            "protocol": {"role": request.role, "cursor": request.cursor},
            "session": {"demographics": True},
            "exclusion": {"slowest_ms": SLOWEST_MS},
            "analysis": {
                "hypothesis": hypothesis,
                "measures": ["error", "dont-know", "combined_ms", "identification_ms", "repeats"],
                "tests": ["mixed-model"],
            },
        },
    )


def _write_remarks(
    material: EvaluationMaterial, request: ClipStudyOptions, practice: Sequence[Extra], threshold: float
) -> Iterator[str]:
    """Yield remarks on thresholds and on missing items."""
    if request.threshold is None and threshold:
        yield f"a decision value above {threshold:g} counts as a pronoun, not 0 as published, so that {request.fp} false positives have a usable clip"
    got = {"FP": len(material.fp1) + len(material.fp2), "TP": len(material.tp), "FN": len(material.fn)}
    for kind, want in (("FP", request.fp), ("TP", request.tp), ("FN", request.fn)):
        if got[kind] < want:
            why = "; ".join(f"{why} {n}" for (k, why), n in material.unusable.most_common() if k == kind)
            reasons = f" (not usable: {why})" if why else ""
            yield f"only {got[kind]} of the {want} {kind} wished for: {material.usable[kind]} have a usable clip{reasons}"
    total = sum(got.values())
    if total < request.fp + request.tp + request.fn:
        yield f"so a list has {total} trials instead of {request.fp + request.tp + request.fn}; more recordings give more"
    if len(practice) < request.practice:
        yield f"only {len(practice)} of {request.practice} practice trials could be made"


CLASSIFIER = "classifier.json"


def load_overheard_answers(folder: Path, mode: str | None = None) -> tuple[list[Trial], list[Response]]:
    """Return the trials and the responses of a study of clips; the category of a response is its system."""
    study = open_study(folder)
    collected = collect_from(study, None, mode)
    trials = {s.trial.id: s.trial for s in study.stimuli.values()}
    responses = []
    for a in collected.answers:
        if a.kind == TRIAL and a.response and a.counts_for(ALL_ANSWERS):
            timed = a.drop_excluded_times(a.response)
            flags = (*a.response.flags, SIMULATED)
            responses.append(replace(timed, flags=flags) if a.sitting.simulated else timed)
    return list(trials.values()), responses


def load_classifier_results(folder: Path) -> dict[str, Any] | None:
    """Return the stored results of the study's classifier; None if the study has none."""
    path = folder / CLASSIFIER
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
