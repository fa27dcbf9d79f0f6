"""Checks of data before they are analysed: each found a real error, or a trap, in published files (`referee corpus check`).

coding
    Is the message true of the coded target? Only messages that can be read with certainty are checked: properties, or words that are all values of the
    scene.
items
    Do two runs (systems) share their items? Runs on other items cannot be compared item by item; two parts with the same items are not independent.
duplicates
    Trials or answers that are given twice; people who answered one item more than once.
position
    Is the target at some positions more often, or is it identified more often there?
times
    Times that cannot be: negative, shorter than a person can react, longer than an hour.
blank
    Trials where nothing was said, answers that are none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, nextafter
from typing import Any

import numpy as np

from referee.corpora.jsonl import trial_to_json, write_json_line
from referee.hearers.answering import find_understood_words, split_words, understand
from referee.records import Description, Outcome, Response, Trial

CHECKS = ("coding", "items", "duplicates", "position", "times", "blank")
FASTEST_MS, SLOWEST_MS = 150.0, 3_600_000.0
LEVEL = 0.001
"""Significance level of the tests of position: with thousands of trials, small effects would be significant at .05."""
PERMUTATIONS, TINY = 4999, 1e-9
LEAST_ANSWERS = 20
LEAST_PEOPLE = 2
FULL_SHARE = 0.95
OFTEN = 1.5
"""Ratio to chance above which a target's position is reported, because a hearer could learn it."""
SHOWN = "shown-"
ARTICLES = frozenset(("the", "a", "an", "one", "it", "is"))
"""Words that do not change which object a message names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFault:
    """What one check found: the ids of the trials concerned, and a sentence."""

    check: str
    trials: tuple[str, ...]
    message: str


def check_corpus(trials: Iterable[Trial], responses: Iterable[Response], blank: Sequence[str] = ()) -> list[DataFault]:
    """Return all findings about trials and answers.

    Args:
        trials: of the corpus.
        responses: answers to these trials.
        blank: the ids of trials with an answer that the reader left out because it is blank, one each.
    """
    trials_by_id = {t.id: t for t in trials}
    answers = [(trials_by_id[r.trial], r) for r in responses if r.trial in trials_by_id]
    every = list(trials_by_id.values())
    return [
        *_check_coding(every, answers),
        *_check_items_of_systems(answers),
        *_check_items_of_parts(every),
        *_check_duplicates(every, answers),
        *_check_positions(every, answers),
        *_check_times(answers),
        *_check_blanks(every, answers, blank),
    ]


def _make_fault(check: str, trials: Iterable[str], message: str) -> DataFault:
    return DataFault(check=check, trials=tuple(dict.fromkeys(trials)), message=message)


# -- coding ------------------------------------------------------------------------------------------------------------


def _check_coding(trials: Sequence[Trial], answers: Sequence[tuple[Trial, Response]]) -> Iterator[DataFault]:
    """Yield messages that are false of the coded target, by whether people chose the only object that fits."""
    false: dict[str, tuple[str, str]] = {}
    chosen: dict[Hashable, Counter[bool]] = defaultdict(Counter)
    items: dict[Hashable, list[str]] = defaultdict(list)
    for trial, description, response in _iterate_messages(trials, answers):
        fits = _find_denotation(trial, description)
        if fits is None or len(trial.targets) != 1 or trial.targets[0] in fits:
            continue
        false.setdefault(trial.id, (_format_message(description), trial.targets[0]))
        if len(fits) == 1 and response is not None and response.outcome == Outcome.ENTITY:
            # The same item may be a trial for every person.
            item = _make_item_key(trial), _format_message(description)
            chosen[item][response.entity in fits] += 1
            items[item].append(trial.id)
    swapped = [item for item, counts in chosen.items() if counts[True] >= LEAST_PEOPLE and counts[True] > counts[False]]
    found = list(dict.fromkeys(trial for item in swapped for trial in items[item]))
    if swapped:
        people = sum(chosen[item][True] for item in swapped)
        yield _make_fault(
            "coding",
            found,
            f"In {_count_noun(len(swapped), 'item')} the message is true of one object that is not coded as the target, and {_count_noun(people, 'answer')} "
            "chose that object: the target is probably miscoded, and right answers count as wrong.",
        )
    rest = [trial for trial in false if trial not in set(found)]
    if rest:
        message, target = false[rest[0]]
        yield _make_fault(
            "coding",
            rest,
            f"In {_count_noun(len(rest), 'trial')} the message is not true of the target: in {rest[0]} {message!r} is not true of {target!r}.",
        )


def _iterate_messages(
    trials: Sequence[Trial], answers: Sequence[tuple[Trial, Response]]
) -> Iterator[tuple[Trial, Description, Response | None]]:
    """Yield every description with its trial, and the response to it if it was answered."""
    for trial, response in answers:
        if response.description is not None:
            yield trial, response.description, response
        elif response.system is None and trial.references:
            yield trial, trial.references[0], response
    answered = {trial.id for trial, _ in answers}
    yield from ((t, d, None) for t in trials if t.id not in answered for d in t.references)


def _find_denotation(trial: Trial, description: Description) -> set[str] | None:
    """Return the objects that a message is true of; None if it cannot be parsed with certainty."""
    if not trial.scene.complete:
        return None
    scene = trial.scene
    if description.meaning is None and description.properties is None:
        words = zip(split_words(description.text or ""), find_understood_words(description, scene), strict=True)
        content = [is_known for word, is_known in words if word not in ARTICLES]
        # Letters and numbers of figures are names for the reader of a file, which "I" is not for a speaker.
        if not content or not all(content) or all(p.name == "name" for p in scene.extensions):
            return None
    if description.meaning is not None:
        mask = scene.denotation(description.meaning)
    else:
        properties = understand(description, scene)
        if isinstance(properties, Outcome) or not properties:
            return None
        if not all(p in scene.extensions for p in properties):
            return None
        mask = scene.denotation(properties)
    return {e.id for i, e in enumerate(scene.entities) if mask >> i & 1}


def _format_message(description: Description) -> str:
    return description.text or ", ".join(f"{p.name} {p.value}" for p in description.properties or ())


# -- items -------------------------------------------------------------------------------------------------------------


def _check_items_of_systems(answers: Sequence[tuple[Trial, Response]]) -> Iterator[DataFault]:
    """Yield systems that were run on other items than the rest of their part."""
    items: dict[tuple[str | None, str], dict[str, str]] = defaultdict(dict)
    for trial, response in answers:
        if response.system is not None:
            items[trial.domain, response.system].setdefault(trial.id, trial.id)
    for (first, a), (second, b) in combinations(items.items(), 2):
        if first[0] != second[0]:
            continue
        common, smaller = len(a.keys() & b.keys()), min(len(a), len(b))
        if common < FULL_SHARE * smaller:
            where = f" in {first[0]}" if first[0] else ""
            yield _make_fault(
                "items",
                sorted(a.keys() ^ b.keys()),
                f"The systems {first[1]!r} and {second[1]!r}{where} share {common:,} of {len(a):,} and {len(b):,} items: they cannot be compared item by item.",
            )


def _check_items_of_parts(trials: Sequence[Trial]) -> Iterator[DataFault]:
    """Yield items that occur in two parts (domains, experiments) of a corpus."""
    parts: dict[str, dict[Hashable, list[str]]] = defaultdict(lambda: defaultdict(list))
    for trial in trials:
        part = next((str(trial.meta[f]) for f in ("experiment", "study", "part") if trial.meta.get(f)), trial.domain)
        if part is not None and not _is_anonymous(trial):
            parts[part][_make_item_key(trial)].append(trial.id)
    for (first, a), (second, b) in combinations(parts.items(), 2):
        common = a.keys() & b.keys()
        # Where nearly all are shared, it is the design: two systems, two groups of people.
        if common and len(common) < FULL_SHARE * min(len(a), len(b)):
            yield _make_fault(
                "items",
                (trial for item in a if item in common for trial in (*a[item], *b[item])),
                f"{first!r} and {second!r} share {_count_noun(len(common), 'item')} (of {len(a):,} and {len(b):,}): they are not independent.",
            )


def _make_item_key(trial: Trial) -> Hashable:
    """Return the shown objects and the target, regardless of the order and the names of the objects."""
    looks = {e.id: (tuple(sorted(e.attributes)), e.image) for e in trial.scene.entities}
    return tuple(sorted(map(repr, looks.values()))), tuple(sorted(repr(looks[t]) for t in trial.targets))


def _is_anonymous(trial: Trial) -> bool:
    return not all(e.attributes or e.image for e in trial.scene.entities)


# -- duplicates --------------------------------------------------------------------------------------------------------


def _check_duplicates(trials: Sequence[Trial], answers: Sequence[tuple[Trial, Response]]) -> Iterator[DataFault]:
    """Yield faults for equal trials, equal answers, and several answers of a person to an item."""
    contents: dict[Hashable, list[str]] = defaultdict(list)
    for trial in trials:
        if trial.references or trial.episode:
            contents[write_json_line(trial_to_json(replace(trial, id="", after=None, history=())))].append(trial.id)
    copies = [ids for ids in contents.values() if len(ids) > 1]
    if copies:
        yield _make_fault(
            "duplicates",
            (i for ids in copies for i in ids),
            f"{_count_noun(sum(len(ids) - 1 for ids in copies), 'trial equals', 'trials equal')} another one in everything but the id, as {copies[0][0]} and "
            f"{copies[0][1]}.",
        )
    repeated = Counter(response for _, response in answers)
    same = [r for r, count in repeated.items() if count > 1]
    if same:
        extra = sum(repeated[r] - 1 for r in same)
        yield _make_fault(
            "duplicates",
            (r.trial for r in same),
            f"{_count_noun(extra, 'answer occurs', 'answers occur')} in the data twice or more.",
        )
    seen = Counter((trial.id, r.hearer) for trial, r in answers if repeated[r] == 1)
    again = {key: count for key, count in seen.items() if count > 1}
    if again:
        yield _make_fault(
            "duplicates",
            (trial for trial, _ in again),
            f"{_count_noun(len(again), 'item and person', 'pairs of a person and an item')} occur more than once ({sum(again.values()):,} answers): later "
            "answers may remember the first.",
        )


# -- position ----------------------------------------------------------------------------------------------------------


def _check_positions(trials: Sequence[Trial], answers: Sequence[tuple[Trial, Response]]) -> Iterator[DataFault]:
    """Return the positions of the target and the success at each, for every size of scene."""
    for size in sorted({len(t.scene.entities) for t in trials if _has_places(t)}):
        same = [t for t in trials if len(t.scene.entities) == size and _has_places(t)]
        counts = np.bincount([_find_place(t) for t in same], minlength=size).astype(float)
        place = int(counts.argmax())
        often = counts[place] > OFTEN * len(same) / size and len(same) >= LEAST_ANSWERS * size
        if often and _test_equal_counts(counts) < LEVEL:
            yield _make_fault(
                "position",
                (t.id for t in same if _find_place(t) == place),
                f"Of {size} objects the target stands at place {place + 1} in {int(counts[place]):,} of {len(same):,} trials: "
                "a hearer could find it by its place.",
            )
    shown = [(t, r, seen) for t, r in answers if (seen := _find_shown_place(t, r)) is not None]
    for size in sorted({len(t.scene.entities) for t, _, _ in shown}):
        yield from _test_success_by_position(size, [s for s in shown if len(s[0].scene.entities) == size])


def _test_success_by_position(size: int, answers: Sequence[tuple[Trial, Response, int]]) -> Iterator[DataFault]:
    """Test whether success depends on the target's position, within conditions and systems.

    Answers to one item count together: items differ in difficulty.
    """
    # Where everybody sees the same objects in the same order, places are objects.
    places = {(_make_item_key(trial), place) for trial, _, place in answers}
    if len(places) <= size:
        return
    counts = np.zeros((size, 2))
    items: dict[Hashable, dict[tuple[int, str], list[bool]]] = defaultdict(lambda: defaultdict(list))
    for trial, response, place in answers:
        is_right = response.entity == trial.targets[0]
        items[trial.condition, response.system][place, trial.id].append(is_right)
        counts[place] += is_right, 1
    if not _compute_chance_of_means(list(items.values())) < LEVEL:
        return
    rates = [right / n if n else None for right, n in counts]
    values = " / ".join("–" if rate is None else f"{rate:.2f}".lstrip("0") for rate in rates)
    worst = min((rate, place) for place, rate in enumerate(rates) if rate is not None)[1]
    yield _make_fault(
        "position",
        (t.id for t, _, place in answers if place == worst),
        f"Of {size} objects the target is found {values} of the time at places 1 to {size} (n = {len(answers):,}).",
    )


def _compute_chance_of_means(parts: Sequence[Mapping[tuple[int, str], Sequence[bool]]]) -> float:
    """Return the p value of items' success by place, within each part; 1 where nothing varies.

    An analysis of variance, weighted by answers. Items differ more than such weights suppose, so a significant result
    is confirmed by permuting places among the items of a part.
    """
    from scipy.special import fdtrc

    rows = list[tuple[int, int, float, int]]()
    for number, part in enumerate(parts):
        answers = Counter(place for (place, _), right in part.items() for _ in right)
        used = {place for place, n in answers.items() if n >= LEAST_ANSWERS}
        if len(used) > 1:
            rows += [(number, place, sum(r) / len(r), len(r)) for (place, _), r in part.items() if place in used]
    if not rows:
        return 1.0
    numbers, places, values, weights = np.array(rows).T
    part_of = np.unique(numbers, return_inverse=True)[1]
    group = np.unique(part_of * (places.max() + 1) + places, return_inverse=True)[1]
    values = values - (np.bincount(part_of, weights * values) / np.bincount(part_of, weights))[part_of]
    total, between = weights @ values**2, _sum_squares(group, values, weights)
    df_between, df_within = group.max() - part_of.max(), len(rows) - group.max() - 1
    if not (df_within and total - between > TINY * total):
        return 1.0
    p = float(fdtrc(df_between, df_within, between / df_between / ((total - between) / df_within)))
    if p >= LEVEL:
        return p
    rng = np.random.default_rng(1)
    orders = (np.argsort(part_of + rng.random(len(rows))) for _ in range(PERMUTATIONS))
    as_strong = sum(_sum_squares(group[order], values, weights) >= between * (1 - TINY) for order in orders)
    return float((as_strong + 1) / (PERMUTATIONS + 1))


def _sum_squares(group: np.ndarray, values: np.ndarray, weights: np.ndarray) -> float:
    """Return the sum of squares between groups of values with mean 0."""
    return float((np.bincount(group, weights * values) ** 2 / np.bincount(group, weights)).sum())


def _has_places(trial: Trial) -> bool:
    """Return whether the order of the objects is that on a screen or in a file; an empty list of places denies it."""
    return (
        len(trial.targets) == 1
        and len(trial.scene.entities) > 1
        and trial.scene.complete
        and trial.meta.get("places") != ()
        and trial.meta.get("places") != []
    )


def _find_shown_place(trial: Trial, response: Response) -> int | None:
    """Return the place at which a person saw the target, where it is known."""
    number = next((flag.removeprefix(SHOWN) for flag in response.flags if flag.startswith(SHOWN)), "")
    if number.isdecimal() and 0 < int(number) <= len(trial.scene.entities):
        return int(number) - 1
    return _find_place(trial) if _has_places(trial) else None


def _find_place(trial: Trial) -> int:
    """Return the target's position in a row: as listed, by coordinates if all objects stand in one row, else in file order."""
    positions = {e.id: e.position for e in trial.scene.entities}
    order: list[Any] = list(trial.meta.get("places") or positions)
    if "places" not in trial.meta and all(p is not None and len(p) == 1 for p in positions.values()):
        order.sort(key=lambda e: positions[e] or ())
    return order.index(trial.targets[0]) if trial.targets[0] in order else 0


def _test_equal_counts(counts: np.ndarray) -> float:
    """Return p of the chi-squared test that all counts have the same expectation."""
    from scipy.stats import chisquare

    return float(chisquare(counts).pvalue)


# -- times and blanks --------------------------------------------------------------------------------------------------


def _check_times(answers: Sequence[tuple[Trial, Response]]) -> Iterator[DataFault]:
    """Yield faults for negative, very short and very long times."""
    for name in ("reading_ms", "identification_ms"):
        times = [(r.trial, float(t)) for _, r in answers if (t := getattr(r, name)) is not None]
        for words, low, high in (
            ("negative", -inf, 0.0),
            (f"shorter than {FASTEST_MS:.0f} ms", 0.0, FASTEST_MS),
            ("longer than an hour", nextafter(SLOWEST_MS, inf), inf),
        ):
            odd = [trial for trial, time in times if low <= time < high]
            if odd:
                yield _make_fault(
                    "times", odd, f"{name} is {words} in {_count_noun(len(odd), 'answer')} of {len(times):,}."
                )


def _check_blanks(
    trials: Sequence[Trial], answers: Sequence[tuple[Trial, Response]], blank: Sequence[str]
) -> Iterator[DataFault]:
    """Yield faults for blank descriptions and blank answers."""
    silent = [t.id for t in trials if any(not _has_description(d) for d in t.references)]
    void = [r.trial for _, r in answers if r.description is not None and not _has_description(r.description)]
    no_choice = (Outcome.TIMEOUT, Outcome.DONT_KNOW)
    # A flag says what else an answer was that names no object.
    none = [
        r.trial
        for _, r in answers
        if r.outcome in no_choice or (r.outcome == Outcome.UNPARSABLE and r.probabilities is None and not r.flags)
    ]
    for found, one, many, rest in (
        (silent, "trial has", "trials have", "a description without words or properties."),
        (void, "answer is", "answers are", "to a description without words or properties."),
        ([*none, *blank], "answer is", "answers are", "blank: no object was chosen."),
    ):
        if found:
            yield _make_fault("blank", found, f"{_count_noun(len(found), one, many)} {rest}")


def _has_description(description: Description) -> bool:
    return bool((description.text or "").strip() or description.properties or description.meaning is not None)


def _count_noun(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun (or noun and verb) in singular or plural."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
