"""The rules of ``[exclusion]`` in study.toml as marks: fixed before the data, put on rows that are kept (timing rule 7 of the specification)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from referee.records import Outcome
from referee.studies.data.dataset import ALL, BY_HAND, TIME, ExclusionMark, Sitting, StoredAnswer
from referee.studies.folder.settings import ExclusionSection
from referee.studies.folder.study import Study
from referee.studies.sessions.plan import CHECK, TRIAL

__all__ = ["mark_answer", "mark_sessions"]


def mark_sessions(
    study: Study, sittings: Mapping[str, Sitting], found: Iterable[StoredAnswer], mode: str
) -> dict[str, Sitting]:
    """Sessions with their counts and with what leaves all of their answers out."""
    done: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for a in found:
        done[a.sitting.id] += a.kind == TRIAL and a.state == "done"
        failed[a.sitting.id] += a.kind == CHECK and a.right is False
    # A study that only bots have played is analysed as it is, to try the analysis out.
    among_people = mode != "debug" and any(s.simulated is None for s in sittings.values())
    result = {}
    for id, sitting in sittings.items():
        many = failed[id] > study.session.checks_failed_at_most
        counted = replace(sitting, done=done[id], failed_checks=failed[id], failed=many)
        bot = [ExclusionMark(ALL, "simulated participant")] if sitting.simulated and among_people else []
        result[id] = replace(counted, marks=(*bot, *_session_marks(study, counted)))
    return result


def _session_marks(study: Study, sitting: Sitting) -> Iterator[ExclusionMark]:
    if sitting.outcome == "restarted":
        yield ExclusionMark(ALL, "the person began again")
    if sitting.done < study.exclusion.least_trials * sitting.planned:
        yield ExclusionMark(ALL, f"fewer than {study.exclusion.least_trials:.0%} of the trials done")
    if sitting.failed and study.exclusion.failed_checks == "exclude":
        yield ExclusionMark(ALL, "too many attention checks failed")


def mark_answer(study: Study, answered: StoredAnswer) -> StoredAnswer:
    """An answer to a trial with the marks of its session and its own."""
    if answered.kind != TRIAL or answered.state != "done":
        return answered
    own = [] if answered.asked is not None else [ExclusionMark(ALL, "the study folder no longer has this stimulus")]
    return replace(answered, marks=(*answered.sitting.marks, *own, *_time_marks(study.exclusion, answered)))


def _time_marks(rules: ExclusionSection, answered: StoredAnswer) -> Iterator[ExclusionMark]:
    yield from (ExclusionMark(TIME, f"flag {flag}") for flag in answered.flags if flag in rules.flags)
    response = answered.response
    if response is None:
        return
    if response.outcome is Outcome.TIMEOUT and rules.timeouts == "drop":
        yield ExclusionMark(TIME, "timeout")
    if BY_HAND in answered.flags or "corrected" in response.flags:
        yield ExclusionMark(TIME, "corrected, so its time means nothing")
    ms = response.identification_ms
    if ms is not None and ms < rules.fastest_ms:
        yield ExclusionMark(TIME, f"faster than {rules.fastest_ms:g} ms")
    if ms is not None and ms > rules.slowest_ms:
        yield ExclusionMark(TIME, f"slower than {rules.slowest_ms:g} ms")
