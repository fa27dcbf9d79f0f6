"""Makes a study from a run folder: selects items, descriptions and practice trials, and lays them out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from random import Random

from referee import catalogue
from referee.corpora.outputs import read_outputs
from referee.errors import InputError, UnknownName
from referee.jobs.folder import Run
from referee.records import Description, Trial
from referee.show.drawing import can_draw
from referee_lab.study.design.conditions import COMPARED, list_conditions
from referee_lab.study.design.designs import DesignLayout, Request, lay_out
from referee_lab.study.design.heard_practice import CHECK, PRACTICE, give_voices
from referee_lab.study.design.practice import make_check, make_synthetic_extras
from referee_lab.study.design.wishes import Wishes, fill_study_fields, split_names, start_draft
from referee_lab.study.folder.draft import Draft, Extra
from referee_lab.study.folder.media import can_play, get_presentation
from referee_lab.study.folder.study import HUMAN
from referee_lab.study.protocols.contract import ROOM_PLUGINS
from referee_lab.study.texts import LANGUAGES, READ

SYNTHETIC_DOMAINS = ("furniture", "people")
# So many trials were asked of each person in TUNA 2008; twice as many are remarked on.
USUAL, MANY = 60, 120
TRIES = 40
# Of fewer items none is given away for practice.
SPARED = 10
Said = dict[tuple[str, str], Description]


def prepare(run: Run, wishes: Wishes) -> tuple[Draft, list[str]]:
    """Return a draft of the study, and remarks on omissions and additions."""
    if catalogue.create("protocol", wishes.protocol).info.plugin in ROOM_PLUGINS:
        raise InputError(
            f"{wishes.protocol} is played in rooms and shows no descriptions of a run",
            remedy="`referee tangram serve` makes a study in which people build figures together, `referee tangram choose` one of a reference game",
        )
    notes: list[str] = []
    speaking = wishes.protocol == "production"
    trials = _select_items(run, wishes, notes)
    descriptions = {} if speaking else _collect_descriptions(run, trials, wishes, notes)
    systems = [] if speaking else _choose_systems(descriptions, wishes)
    usable = _select_describable(trials, descriptions, systems, notes)
    chosen = _sample_items(usable, wishes)
    extras = _make_extras(usable, chosen, wishes, notes, descriptions)
    # Items that were set aside for practice are no part of the study.
    extra_ids = {extra.trial.id for extra in extras}
    chosen = [t for t in chosen if t.id not in extra_ids]
    conditions = list_conditions(wishes.protocol, systems)
    layout = _lay_out_items(chosen, conditions, wishes)
    notes += _warn_of_length(chosen, conditions, layout, wishes)
    language = wishes.language or next((t.language for t in chosen), "en")
    if language not in LANGUAGES:
        notes.append(f"there are no pages in {language!r} yet: the English ones are included for translation")
    outputs = [(t.id, s, descriptions[t.id, s]) for s in systems for t in chosen]
    practice = extras[: wishes.practice]
    checks = [make_check(extra, wishes.protocol, language) for extra in extras[wishes.practice :]]
    heard = {get_presentation(d) for _, _, d in outputs} - {READ}
    if heard and not can_play(catalogue.create("protocol", wishes.protocol).info):
        raise InputError(
            f"{wishes.protocol} plays no sounds and films",
            remedy="take another --protocol (`referee docs heard`), or outputs without media",
        )
    if heard and wishes.media is not None:
        practice, checks = give_voices(practice, PRACTICE, wishes.media), give_voices(checks, CHECK, wishes.media)
        notes.append(f"descriptions are {' or '.join(sorted(heard))}: consent and instructions say so")
    draft = start_draft(
        wishes,
        language=language,
        layout=layout,
        conditions=conditions,
        trials=chosen,
        outputs=outputs,
        source=f"run folder {run.folder.name}",
        practice=practice,
        checks=checks,
        fields=fill_study_fields(wishes, wishes.protocol),
        pictures=wishes.pictures,
        media=wishes.media,
    )
    return draft, notes


def _select_items(run: Run, wishes: Wishes, notes: list[str]) -> dict[str, Trial]:
    """Return the trials of the run.

    Protocols in which people click on one object use only those with one target.
    """
    # The history of the original trial is never shown, so it need not be in a published folder.
    trials = [
        _drop_image_names(replace(t, episode=()), wishes) for t in run.trials() if wishes.domain in (None, t.domain)
    ]
    if wishes.pictures is not None and not any(_shows_named_picture(t, wishes) for t in trials):
        raise InputError(
            f"--pictures {wishes.pictures}: {wishes.protocol} shows no picture of these items",
            where=run.folder,
            remedy="name a picture as `image` of every object (or of the scene, for point and refoi), or leave --pictures out",
        )
    pointing = catalogue.create("protocol", wishes.protocol).info.plugin in ("identify", "locate")
    usable = {t.id: t for t in trials if len(t.targets) == 1 or not pointing}
    if len(usable) < len(trials):
        notes.append(
            f"{len(trials) - len(usable)} items with several targets were left out: one click cannot find them"
        )
    return usable


def _drop_image_names(trial: Trial, wishes: Wishes) -> Trial:
    """Return the trial without image names if its objects can be drawn and no pictures are named."""
    scene = trial.scene
    if wishes.pictures is not None or not any(e.image for e in scene.entities):
        return trial
    drawn = replace(scene, entities=tuple(replace(e, image=None) for e in scene.entities))
    return replace(trial, scene=drawn) if can_draw(drawn) else trial


def _shows_named_picture(trial: Trial, wishes: Wishes) -> bool:
    """Return whether the protocol shows a picture that the trial names: of the scene, or of its objects."""
    if catalogue.create("protocol", wishes.protocol).info.plugin == "locate":
        return trial.scene.picture is not None
    return any(e.image for e in trial.scene.entities)


def _lay_out_items(chosen: Sequence[Trial], conditions: Sequence[str], wishes: Wishes) -> DesignLayout:
    """Return the design for the selected items and conditions."""
    request = Request(
        items=tuple(t.id for t in chosen),
        conditions=tuple(conditions),
        participants=wishes.participants,
        seed=wishes.seed,
        strata=tuple(t.domain for t in chosen),
        groups=wishes.groups,
    )
    return lay_out(wishes.design if conditions else "all", request)


def _warn_of_length(
    chosen: Sequence[Trial], conditions: Sequence[str], layout: DesignLayout, wishes: Wishes
) -> list[str]:
    """Return a warning for sessions of unusual length, with a number of items that would be usual."""
    each = _find_longest(layout)
    if each <= MANY:
        return []
    problem = f"too many trials: each person would see {each} trials"
    fitting = _find_usual_size(chosen, conditions, wishes)
    if fitting is None:
        return [f"{problem}; name fewer --systems, or another --design"]
    items, short = fitting
    return [f"{problem}; --items {items} makes it {short} trials each (TUNA 2008 had {USUAL})"]


def _find_usual_size(chosen: Sequence[Trial], conditions: Sequence[str], wishes: Wishes) -> tuple[int, int] | None:
    """Return the largest number of items with sessions of usual length, and the trials per session.

    None if no number works.
    """
    step = max(len(conditions), 1) * max(len(chosen) // TRIES // max(len(conditions), 1), 1)
    for number in range(len(chosen) // step * step, 0, -step):
        fewer = replace(wishes, items=number)
        try:
            short = _find_longest(_lay_out_items(_sample_items(chosen, fewer), conditions, fewer))
        except InputError:
            continue
        if short <= USUAL:
            return number, short
    return None


def _find_longest(layout: DesignLayout) -> int:
    return max(len(entry.trials) for entry in layout.lists)


def _collect_descriptions(run: Run, trials: dict[str, Trial], wishes: Wishes, notes: list[str]) -> Said:
    """Return all descriptions of these trials: by the systems of the run, by further files, and by people."""
    rows = [*(run.outputs() if (run.folder / "outputs.jsonl").exists() else ())]
    for path in wishes.outputs:
        rows += read_outputs(path)
    _check_systems([*dict.fromkeys(row.system for row in rows)], wishes)
    descriptions: Said = {}
    worded: set[str] = set()
    for row in rows:
        if row.trial in trials and (not wishes.systems or row.system in split_names(wishes.systems)):
            description = _add_words(row.description, trials[row.trial])
            worded |= {row.system} if description is not row.description else set()
            descriptions[row.trial, row.system] = description
    if worded:
        names = ", ".join(sorted(worded))
        notes.append(
            f"descriptions without words were worded by the plain realiser (`referee docs realisation`): {names}"
        )
    if wishes.humans:
        descriptions.update({(t.id, HUMAN): t.references[0] for t in trials.values() if t.references})
    if not descriptions:
        raise InputError(
            "these items have no descriptions",
            where=run.folder,
            remedy="name a run with outputs, add --from-outputs FILE, or --with-humans",
        )
    return descriptions


def _check_systems(names: list[str], wishes: Wishes) -> None:
    """Raise UnknownName for a requested system that the run lacks."""
    for name in split_names(wishes.systems):
        if name not in names and not (name == HUMAN and wishes.humans):
            raise UnknownName("system in this run", name, names, hint=f"it has {', '.join(names)}")


def _add_words(description: Description, trial: Trial) -> Description:
    """Return the description with plain words for its properties, if the language has a plain realiser."""
    if description.text is not None or not description.properties or trial.language not in ("en", "pt"):
        return description
    from referee.realisation.english import ENGLISH
    from referee.realisation.plain import Plain
    from referee.realisation.portuguese import PORTUGUESE

    language = PORTUGUESE if trial.language == "pt" else ENGLISH
    return replace(description, text=Plain(language).realise(description.properties, trial.for_speaker()))


def _choose_systems(descriptions: Said, wishes: Wishes) -> list[str]:
    """Return the systems to compare: the requested ones or all, and people if requested."""
    names = list(dict.fromkeys(system for _, system in descriptions))
    chosen = list(split_names(wishes.systems)) or [s for s in names if s != HUMAN]
    return [*chosen, HUMAN] if wishes.humans and HUMAN not in chosen else chosen


def _select_describable(
    trials: dict[str, Trial], descriptions: Said, systems: Sequence[str], notes: list[str]
) -> list[Trial]:
    """Return the items for which every system has words."""
    usable = [t for t in trials.values() if all(_has_words(descriptions.get((t.id, s))) for s in systems)]
    if len(usable) < len(trials):
        notes.append(f"{len(trials) - len(usable)} items were left out because not every system has words for them")
    if not usable:
        raise InputError(
            "no item has words by all systems",
            remedy="name fewer --systems, another --domain, or systems that put descriptions into words",
        )
    return usable


def _has_words(description: Description | None) -> bool:
    return description is not None and bool((description.text or description.media or "").strip())


def _sample_items(usable: Sequence[Trial], wishes: Wishes) -> list[Trial]:
    """Return a random sample of items, stratified by domain, in the order of the run."""
    if wishes.items is None or wishes.items >= len(usable):
        return list(usable)
    rng = Random(f"items|{wishes.seed}")
    by_domain: dict[str | None, list[Trial]] = defaultdict(list)
    for trial in rng.sample(usable, len(usable)):
        by_domain[trial.domain].append(trial)
    turns = [t for turn in range(len(usable)) for pool in by_domain.values() for t in pool[turn : turn + 1]]
    chosen = {t.id for t in turns[: wishes.items]}
    return [t for t in usable if t.id in chosen]


def _make_extras(
    usable: Sequence[Trial], chosen: Sequence[Trial], wishes: Wishes, notes: list[str], descriptions: Said
) -> list[Extra]:
    """Return practice trials and checks.

    They are synthetic scenes if these look like the items, else items that then leave the study.
    """
    number = wishes.practice + (wishes.checks if wishes.protocol != "production" else 0)
    if not number:
        return []
    if all(t.domain in SYNTHETIC_DOMAINS and t.language == "en" for t in chosen):
        return _load_shipped_extras(number, wishes, {t.domain for t in chosen})
    taken = {t.id for t in chosen}
    spare = [t for t in usable if t.id not in taken] or list(chosen)
    with_words = [t for t in spare if (t.references and _has_words(t.references[0])) or wishes.protocol == "production"]
    if len(with_words) < number or (spare[0].id in taken and len(chosen) < SPARED * number):
        return _replace_extras(number, chosen, wishes, notes)
    shuffled = Random(f"practice|{wishes.seed}").sample(with_words, len(with_words))
    # Those that are known to fit the target alone first (False sorts before True), by lot among themselves.
    drawn = sorted(shuffled, key=_is_ambiguous)[:number]
    if spare[0].id in taken:
        notes.append(f"{number} items were set aside for practice and checks")
    if wishes.checks and wishes.protocol != "production":
        notes.append("checks use people's descriptions: read checks.jsonl and make sure that they are unambiguous")
    return [
        _add_second_description(
            Extra(trial=t, description=_choose_practice_description(t, descriptions, sure=n >= wishes.practice)),
            wishes.protocol,
        )
        for n, t in enumerate(drawn)
    ]


def _choose_practice_description(trial: Trial, descriptions: Said, sure: bool) -> Description:
    """Return the description for a practice trial.

    It is a reference, or a system's output where references are only written and descriptions are heard; `sure` asks
    for one that fits only the target.
    """
    written = trial.references[0] if trial.references else Description()
    heard = [written, *(d for (item, _), d in descriptions.items() if item == trial.id)]
    fitting = (d for d in heard if d.media is not None and not (sure and _fits_others(d, trial)))
    return next(fitting, written)


def _load_shipped_extras(number: int, wishes: Wishes, domains: Collection[str | None]) -> list[Extra]:
    """Return the synthetic practice and check trials that are part of the package."""
    return [
        _add_second_description(extra, wishes.protocol) for extra in make_synthetic_extras(number, wishes.seed, domains)
    ]


def _replace_extras(number: int, chosen: Sequence[Trial], wishes: Wishes, notes: list[str]) -> list[Extra]:
    """Return shipped practice scenes when every item is needed for the study, if their words can be read."""
    why = f"all {len(chosen)} items stay in the study"
    if all(t.language == "en" for t in chosen) or wishes.protocol == "production":
        notes.append(f"{why}; practice and checks are shipped scenes of furniture: put your own into practice.jsonl")
        return _load_shipped_extras(number, wishes, SYNTHETIC_DOMAINS[:1])
    notes.append(f"{why}; there are no practice trials and no checks: write practice.jsonl and checks.jsonl yourself")
    return []


def _is_ambiguous(trial: Trial) -> bool:
    """Return whether the references may fit other objects than the target."""
    return not trial.references or _fits_others(trial.references[0], trial)


def _fits_others(description: Description, trial: Trial) -> bool:
    properties = description.properties
    return not properties or trial.scene.denotation(properties) != trial.target_mask


def _add_second_description(extra: Extra, protocol: str) -> Extra:
    """Return a practice trial with the same words twice, for protocols that compare two descriptions."""
    more = (extra.description,) * (protocol == "ranking")
    return replace(extra, rival=extra.description, more=more) if protocol in COMPARED else extra
