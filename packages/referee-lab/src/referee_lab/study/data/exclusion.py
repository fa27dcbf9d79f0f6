"""The rules of ``[exclusion]`` in study.toml.

Fixed before data collection, they mark rows and remove none, so that every result can be had with and without them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from referee.records import Outcome
from referee_lab.server.sessions.plan import CHECK, PRACTICE, TRIAL
from referee_lab.study.data.dataset import (
    ALL,
    BY_HAND,
    IDENTIFYING,
    READING,
    TIME,
    ExclusionMark,
    Sitting,
    StoredAnswer,
)
from referee_lab.study.folder.settings import ExclusionSection
from referee_lab.study.folder.study import FILLER, Study
from referee_lab.study.protocols.checked_answers import sum_claimed_ms
from referee_lab.study.protocols.contract import ROOM_PLUGINS

# A flag of the server's own: the answer claims more time than had passed.
IMPOSSIBLE = "impossible-time"
# The fields that are the person's decision; all others describe how it was made.
CHOSEN = ("outcome", "entity", "choice", "ratings", "ranking", "text")
LEAST_CONSTANT = 10
# Pages and the server begin to count at slightly different moments.
TOLERANCE_S = 1.0


def mark_sessions(
    study: Study, sittings: Mapping[str, Sitting], stored: Iterable[StoredAnswer], mode: str
) -> dict[str, Sitting]:
    """Return sessions with their counts and the marks that exclude all of their answers."""
    done: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    answers: defaultdict[str, list[StoredAnswer]] = defaultdict(list)
    for a in stored:
        if a.kind in (TRIAL, PRACTICE, CHECK) and a.state == "done":
            answers[a.sitting.id].append(a)
        done[a.sitting.id] += a.kind == TRIAL and a.state == "done"
        failed[a.sitting.id] += a.kind == CHECK and a.right is False
    # A study that only bots have played is analysed as it is, to try the analysis out.
    among_people = mode != "debug" and any(s.simulated is None for s in sittings.values())
    result = {}
    for id, sitting in sittings.items():
        many = failed[id] > study.session.checks_failed_at_most
        counted = replace(sitting, done=done[id], failed_checks=failed[id], failed=many)
        bot = [ExclusionMark(ALL, "simulated participant")] if sitting.simulated and among_people else []
        result[id] = replace(counted, marks=(*bot, *_mark_session(study, counted, answers[id])))
    return result


def _mark_session(study: Study, sitting: Sitting, answers: Sequence[StoredAnswer]) -> Iterator[ExclusionMark]:
    """Yield the marks that exclude a whole session."""
    rules = study.exclusion
    is_timed = sitting.simulated is None and study.kind.info.plugin not in ROOM_PLUGINS
    if is_timed and (sitting.outcome == "too_fast" or _is_too_fast(rules, answers)):
        yield ExclusionMark(ALL, f"faster than {rules.fastest_trial_s:g} s a trial")
    if rules.constant == "exclude" and _is_constant(answers):
        yield ExclusionMark(ALL, "the same answer in every trial")
    if sitting.outcome == "restarted":
        yield ExclusionMark(ALL, "the person began again")
    if sitting.done < study.exclusion.least_trials * sitting.planned:
        yield ExclusionMark(ALL, f"fewer than {study.exclusion.least_trials:.0%} of the trials done")
    if sitting.failed and study.exclusion.failed_checks == "exclude":
        yield ExclusionMark(ALL, "too many attention checks failed")


def _is_too_fast(rules: ExclusionSection, answers: Sequence[StoredAnswer]) -> bool:
    seconds = max((a.after_s for a in answers), default=0.0)
    return rules.is_too_fast(seconds, len(answers), [ms for a in answers if (ms := sum_claimed_ms(a.times)) > 0])


def _is_constant(answers: Sequence[StoredAnswer]) -> bool:
    """Return whether a session of at least ten trials has the same answer in all of them."""
    chosen = [{n: a.answer[n] for n in CHOSEN if a.answer.get(n) is not None} for a in answers if a.kind == TRIAL]
    return len(chosen) >= LEAST_CONSTANT and bool(chosen[0]) and all(answer == chosen[0] for answer in chosen)


def mark_answer(study: Study, answered: StoredAnswer) -> StoredAnswer:
    """Return an answer with the marks of its session and its own."""
    if answered.kind != TRIAL or answered.state != "done":
        return answered
    gone = [] if answered.asked is not None else [ExclusionMark(ALL, "the study folder no longer has this stimulus")]
    return replace(
        answered,
        marks=(
            *answered.sitting.marks,
            *gone,
            *_mark_filler(answered),
            *_mark_whole_answer(study.exclusion, answered),
            *_mark_times(study.exclusion, answered, bounded=study.kind.info.bounded_reading),
        ),
    )


def _mark_filler(answered: StoredAnswer) -> Iterator[ExclusionMark]:
    if answered.asked is not None and answered.asked.system == FILLER:
        yield ExclusionMark(ALL, "filler item")


def flag_impossible(stored: Iterable[StoredAnswer]) -> list[StoredAnswer]:
    """Return answers in order of arrival, flagged where a session claims more time than has passed.

    Answers that a lost connection delayed arrive late and are not flagged, because more time has passed. Simulated
    participants are not checked.
    """
    claimed: dict[str, float] = defaultdict(float)
    result = []
    for a in sorted(stored, key=lambda a: (a.sitting.id, a.after_s, a.step, a.attempt)):
        claimed[a.sitting.id] += sum_claimed_ms(a.times)
        over = claimed[a.sitting.id] / 1000 > a.after_s + TOLERANCE_S and a.sitting.simulated is None
        result.append(replace(a, flags=(*a.flags, IMPOSSIBLE)) if over else a)
    return result


def _mark_whole_answer(rules: ExclusionSection, answered: StoredAnswer) -> Iterator[ExclusionMark]:
    """Yield the marks on a whole answer: impossible times, and repeated trials."""
    if IMPOSSIBLE in answered.flags and rules.impossible != "keep":
        scope = ALL if rules.impossible == "all" else TIME
        yield ExclusionMark(scope, "reports more time than had passed at the server")
    if answered.attempt > 1 and rules.attempts != "any":
        yield ExclusionMark(ALL if rules.attempts == "none" else TIME, "shown again after it was broken off")


def _mark_times(rules: ExclusionSection, answered: StoredAnswer, *, bounded: bool) -> Iterator[ExclusionMark]:
    """Yield the marks on the times of an answer: flags, timeouts and bounds."""
    yield from (ExclusionMark(TIME, f"flag {flag}") for flag in answered.flags if flag in rules.flags)
    response = answered.response
    if response is None:
        return
    if rules.timeouts == "drop":
        if response.outcome is Outcome.TIMEOUT:
            yield ExclusionMark(IDENTIFYING, "timeout")
        if answered.answer.get("reading_timeout"):
            yield ExclusionMark(READING, "reading timeout")
    if BY_HAND in answered.flags or "corrected" in response.flags:
        yield ExclusionMark(TIME, "corrected, so its time is invalid")
    yield from _mark_outside_bounds(IDENTIFYING, response.identification_ms, rules.fastest_ms, rules.slowest_ms)
    if bounded:
        yield from _mark_outside_bounds(
            READING, response.reading_ms, rules.fastest_reading_ms, rules.slowest_reading_ms
        )


def _mark_outside_bounds(scope: str, ms: float | None, fastest: float, slowest: float) -> Iterator[ExclusionMark]:
    """Yield a mark for a time below or above its bounds."""
    word = "read " if scope == READING else ""
    if ms is not None and ms < fastest:
        yield ExclusionMark(scope, f"{word}faster than {fastest:g} ms")
    if ms is not None and ms > slowest:
        yield ExclusionMark(scope, f"{word}slower than {slowest:g} ms")
