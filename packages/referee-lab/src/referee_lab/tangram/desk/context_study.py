"""Makes a task-performance study of systems in contexts.

The words of each system with different parts of the dialogue (Spanger et al. 2010, 2013).

Every reference is shown with the words of every system and in every context, to different evaluators. There are as many
lists as cells (system and context), by a Latin square: an evaluator sees a reference once and every cell equally often.
The words of a system are typed in place of the expression; earlier speech is heard where it was recorded, the utterance
itself is read.

A clip can show the later of two events alone, not the earlier one. If both the last mention and the last action are
contexts, one half of the references has the mention as the later event and the other half the action; each is shown
with its own event in place of the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from referee.catalogue import check_choice, names
from referee.errors import InputError
from referee.jobs.progress import report_progress
from referee.jobs.speak import System, parse_systems
from referee.realisation.plain import Plain
from referee.records import Description, Trial
from referee.statistics.comparisons import paired_t
from referee.statistics.power import PlannedStudy
from referee_lab.study.folder.draft import Draft
from referee_lab.tangram.desk.clip_study import make_clips, make_draft, make_practice
from referee_lab.tangram.desk.study_options import ClipStudyOptions
from referee_lab.tangram.evaluation.replacement import NAME_PRONOUN, Item, replace_expression
from referee_lab.tangram.evaluation.task_performance import AT, HUMAN
from referee_lab.tangram.game.dialogue_sessions import DialogueSession
from referee_lab.tangram.models.context import VARIANTS, Clip, Unusable, cut
from referee_lab.tangram.models.dialogue_items import iterate_dialogue_items
from referee_lab.tangram.models.history import Situation, list_situations
from referee_lab.tangram.models.invented_sessions import invent_sessions
from referee_lab.tangram.models.resolution import ReferenceResolver
from referee_lab.tangram.tiers.dialogue import OPERATOR
from referee_lab.tangram.tiers.reference_forms import choose_demonstrative
from referee_lab.tangram.tiers.rex_tiers import add_positions

# A cell with fewer items says more about the items than about the system.
FEWEST_ITEMS = 8
THAT = "that"
ONE_EVENT = ("mention", "action")
_Usable = tuple[Situation, dict[str, Clip]]
# The effect for the printed power: error rates a tenth above those with people's words.
BASE_ERROR, EFFECT, SIMULATIONS = 0.10, 0.10, 200
HYPOTHESIS = "The referent is found as often with the words of a system as with those of people, in every context."


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextStudy:
    """A draft, the number of items in a cell of a list, the power, and remarks."""

    draft: Draft
    items_per_cell: int
    power: float
    notes: tuple[str, ...]


def prepare_context_study(
    sessions: Sequence[DialogueSession],
    request: ClipStudyOptions,
    systems: Sequence[str],
    contexts: Sequence[str],
    items: int | None = None,
) -> ContextStudy:
    """Return a study with `items` references (default: eight for every cell), each with the words of every system in every context that it has.

    InputError where a cell of a list has fewer than eight items, or where the evaluators cannot be divided evenly among the lists.
    """
    by_label, contexts = _check_systems(systems), list(dict.fromkeys(contexts))
    for context in contexts:
        check_choice("--contexts", context, VARIANTS)
    cells = [(label, context) for context in contexts for label in by_label]
    if request.participants % len(cells):
        more = request.participants + len(cells) - request.participants % len(cells)
        raise InputError(
            f"{request.participants} evaluators cannot be divided evenly among {len(cells)} lists",
            remedy=f"--participants {more}",
        )
    by_id = {session.dialogue.id: session for session in sessions}
    situations = [s for s in list_situations([s.dialogue for s in sessions]) if s.expression.by != OPERATOR]
    usable, unusable = _find_usable(situations, contexts)
    later_events = [context for context in contexts if context in ONE_EVENT]
    # Before systems are asked, which takes long.
    _choose_item_count(usable, later_events, len(cells), items, unusable, request)
    texts, silent = _collect_texts(sessions, [s for s, _ in usable], by_label, request.seed, request.pronoun)
    usable = [(s, clips) for s, clips in usable if all(s.id in texts[label] for label in by_label)]
    number = _choose_item_count(usable, later_events, len(cells), items, unusable + silent, request)
    rng = np.random.default_rng(request.seed)
    groups = [
        [group[place] for place in sorted(rng.permutation(len(group))[: number // max(len(later_events), 1)])]
        for group in _group_by_event(usable, later_events)
    ]
    chosen = [pair for group in groups for pair in group]
    shown: dict[tuple[str, str, str], Item] = {}
    for situation, clips in chosen:
        for system, context in cells:
            seen_context = _get_context(clips, context)
            words = texts[system][situation.id]
            item = _make_item(situation, clips[seen_context], system, seen_context, words)
            shown[situation.id, system, context] = item
    lists = [
        [
            shown[situation.id, *cells[(index + shift) % len(cells)]]
            for group in groups
            for index, (situation, _) in enumerate(group)
        ]
        for shift in range(len(cells))
    ]
    ear = ReferenceResolver().fit(list_situations(invent_sessions(request.seed + 1)))
    sounds: dict[str, bytes] = {}
    items_shown = list({(item.id, item.condition): item for item in shown.values()}.values())
    trials = list(make_clips(report_progress(items_shown, "clips"), by_id, ear, sounds))
    taken = {situation.id for situation, _ in chosen}
    free = [situation for situation, _ in usable if situation.id not in taken]
    practice = make_practice(free, request, by_id, ear, sounds)
    conditions = [f"{system}{AT}{context}" for system, context in cells]
    draft = make_draft(request, lists, trials, conditions, [s.dialogue for s in sessions], HYPOTHESIS)
    draft = replace(draft, practice=practice, sounds=sounds)
    power = estimate_power(len(cells), number, request.participants, request.seed)
    notes = [f"{n} references are not usable: {why}" for why, n in (unusable + silent).most_common()]
    if len(later_events) > 1:
        notes.insert(
            0, "half of the references have the mention as the later event, half the action; each is shown with its own"
        )
    return ContextStudy(draft=draft, items_per_cell=number // len(cells), power=power, notes=tuple(notes))


def _check_systems(systems: Sequence[str]) -> dict[str, System | None]:
    """Return the systems by label (`graph` is classic/graph); people and the pronoun have none. Raises UnknownName for an unknown one."""
    system_names = names("system")
    checked: dict[str, System | None] = {}
    for system in systems:
        classic = f"classic/{system}"
        if system in (HUMAN, THAT):
            checked[system] = None
        else:
            is_classic = classic.partition("|")[0] in system_names
            checked |= {parsed.label: parsed for parsed in parse_systems([classic if is_classic else system])}
    if len(checked) < 2:
        raise InputError("a comparison needs two systems", remedy=f"--systems {HUMAN},{THAT}")
    return checked


def _find_usable(situations: Sequence[Situation], contexts: Sequence[str]) -> tuple[list[_Usable], Counter[str]]:
    """Return the references with a clip for every context, and how many have none, by reason.

    Of two contexts with one event each, only the later event can be seen alone: a clip for one of them is enough.
    """
    usable, unusable = [], Counter[str]()
    is_either = set(ONE_EVENT) <= set(contexts)
    for situation in situations:
        if replace_expression(situation) is None:
            unusable["the expression is not found in its utterance"] += 1
            continue
        clips = {context: cut(situation, context) for context in contexts}
        has_one = any(isinstance(clips.get(context), Clip) for context in ONE_EVENT)
        problems = [
            f"{context}: {clip.reason}"
            for context, clip in clips.items()
            if isinstance(clip, Unusable) and not (is_either and has_one and context in ONE_EVENT)
        ]
        if problems:
            unusable[problems[0]] += 1
        else:
            usable.append((situation, {c: clip for c, clip in clips.items() if isinstance(clip, Clip)}))
    return usable, unusable


def _group_by_event(usable: Sequence[_Usable], later_events: Sequence[str]) -> list[list[_Usable]]:
    """Return the references in one group, or in two by the event that a clip can show alone."""
    if len(later_events) < 2:
        return [list(usable)]
    return [[pair for pair in usable if event in pair[1]] for event in later_events]


def _get_context(clips: Mapping[str, Clip], context: str) -> str:
    """Return the context, or the other one with one event where the reference has only that."""
    return context if context in clips else next(other for other in ONE_EVENT if other in clips)


def _choose_item_count(
    usable: Sequence[_Usable],
    later_events: Sequence[str],
    cells: int,
    items: int | None,
    unusable: Counter[str],
    request: ClipStudyOptions,
) -> int:
    """Return a number of items that every cell of a list has equally many of.

    InputError where that is fewer than eight.
    """
    groups = _group_by_event(usable, later_events)
    step = cells * len(groups)
    available = step * (min(map(len, groups)) // cells)
    number = cells * FEWEST_ITEMS if items is None else items - items % step
    if number < cells * FEWEST_ITEMS or available < number:
        possible = min(available, number)
        reasons = "; ".join(f"{why}: {n}" for why, n in unusable.most_common(3))
        counts = [f"{len(group)} references" for group in groups]
        if len(later_events) > 1:
            counts = [f"{n} with the {e} as the later event" for n, e in zip(counts, later_events, strict=True)]
        power = estimate_power(cells, possible, request.participants, request.seed) if possible else 0.0
        raise InputError(
            f"a cell of a list would have {possible // cells} items, fewer than {FEWEST_ITEMS} (power {power:.2f}): "
            + f"{' and '.join(counts)} are usable"
            + (f" ({reasons})" if reasons else ""),
            remedy=_advise_fewer_cells(groups, later_events, cells),
        )
    return number


def _advise_fewer_cells(groups: Sequence[Sequence[_Usable]], later_events: Sequence[str], cells: int) -> str:
    """Return what to change where a cell has too few items."""
    if len(groups) > 1 and min(map(len, groups)) == 0 < max(map(len, groups)):
        alone = next(event for group, event in zip(groups, later_events, strict=True) if not group)
        return f"leave {alone} out of --contexts: in no reference is it the later event, which a clip can show alone"
    return f"fewer --systems or --contexts (now {cells} cells), or more recordings"


def _collect_texts(
    sessions: Sequence[DialogueSession],
    situations: Sequence[Situation],
    systems: Mapping[str, System | None],
    seed: int,
    pronoun: str | None,
) -> tuple[dict[str, dict[str, str]], Counter[str]]:
    """Return the words of every system for every reference, and how often a system has none.

    A system learns from the other pairs.
    """
    texts: dict[str, dict[str, str]] = {HUMAN: {s.id: s.text for s in situations}}
    texts[THAT] = {s.id: pronoun or choose_demonstrative(s.language, NAME_PRONOUN) for s in situations}
    silent = Counter[str]()
    if others := {label: system for label, system in systems.items() if system is not None}:
        dialogues = [s.dialogue if s.recording is None else add_positions(s.dialogue, s.recording) for s in sessions]
        trials = {trial.id: trial for dialogue in dialogues for trial in iterate_dialogue_items(dialogue)}
        for label, system in others.items():
            texts[label] = _describe_situations(system, situations, trials, seed)
            silent[f"{label} has no words"] += sum(not texts[label].get(s.id) for s in situations)
            texts[label] = {id: text for id, text in texts[label].items() if text}
    return texts, +silent


def _describe_situations(
    system: System, situations: Sequence[Situation], trials: Mapping[str, Trial], seed: int
) -> dict[str, str]:
    """Return a system's words for each situation, trained on the other pairs."""
    pairs = list(dict.fromkeys(s.pair for s in situations))
    if len({t.meta["game"] for t in trials.values()}) < 2:
        raise InputError(
            f"{system.label} cannot learn from other pairs: there is one", remedy="give recordings of more pairs"
        )
    texts: dict[str, str] = {}
    for pair in report_progress(pairs, system.label):
        speaker = system.build(seed).fit([t for t in trials.values() if t.meta["game"] != pair])
        for situation in situations:
            if situation.pair == pair and situation.id in trials:
                view = trials[situation.id].for_speaker()
                description: Description = speaker.describe(view)
                text = description.text
                if text is None and description.properties is not None:
                    text = Plain().realise(description.properties, view)
                texts[situation.id] = text or ""
    return texts


def _make_item(situation: Situation, clip: Clip, system: str, context: str, text: str) -> Item:
    """Return the item of a situation with the words of a system in a context."""
    shown = replace_expression(situation, None if system == HUMAN else text)
    assert shown is not None  # only situations whose expression was found are used
    return Item(
        situation=situation,
        clip=clip,
        condition=f"{system}{AT}{context}",
        utterance=shown[0],
        span=shown[1],
        context=context,
    )


def estimate_power(cells: int, items: int, participants: int, seed: int = 1) -> float:
    """Return the proportion of simulated studies that find the effect between two cells (alpha .05).

    The test is a paired t-test over evaluators. Evaluators and items differ by as much as in
    `referee.statistics.power`, on the logit scale.
    """
    planned = PlannedStudy(systems=2, items=items, participants=participants, effect=EFFECT, base=BASE_ERROR)
    rng = np.random.default_rng(seed)
    by_person, by_item = planned.spreads
    turns = (np.arange(items)[None, :] + np.arange(participants)[:, None]) % cells
    base, effect = (np.log(rate / (1 - rate)) for rate in (BASE_ERROR, BASE_ERROR + EFFECT))
    hits = 0
    for _ in range(SIMULATIONS):
        logits = by_person * rng.standard_normal((participants, 1)) + by_item * rng.standard_normal((1, items))
        errors = rng.random((participants, items)) < 1 / (1 + np.exp(-(logits + np.where(turns == 1, effect, base))))
        rates = [(errors * (turns == cell)).sum(axis=1) / (turns == cell).sum(axis=1) for cell in (1, 0)]
        p = paired_t(rates[0].tolist(), rates[1].tolist()).p
        hits += p is not None and p < 0.05
    return hits / SIMULATIONS
