"""The verdict of a passport: fixed rules that turn the measures of a hearer into one of four words, each with its reasons in sentences.

A hearer that is always wrong and one that is always right fail alike: neither tells the descriptions that people understand from those they do not,
which is what a stand-in for people is for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from referee.hearers.passports.measures import Measures

__all__ = ["CARE", "FIT", "OPEN", "UNFIT", "Probe", "Verdict", "decide_fitness"]

FIT, CARE, UNFIT, OPEN = "may be used", "use with care", "not fit", "cannot be judged"
# How far from guessing (0) to people (1) a hearer has to come. Below the middle it misses more of what people find by understanding than it finds,
# so what it says about a system is mostly about itself. People had to point; one that says "several" is taken by its belief in the target.
HALFWAY = 0.5
WEAK_AUC = 0.6
SMALL_GAIN, LARGE_LOSS = 0.05, 0.10
CALIBRATION = 0.10
SURE, OFTEN = 0.9, 0.5
BIAS_P, BIAS, LARGE_BIAS = 0.01, 0.05, 0.20
FEW, FEW_FAILURES = 100, 20
UNREAD = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """How a hearer took descriptions made to be empty, contradictory or ambiguous.

    `pointed` is the share answered with one entity, `top` the mean probability of the first entity, `fitting` the mean probability of all entities that the
    description is true of.
    """

    n: int
    pointed: float | None = None
    top: float | None = None
    fitting: float | None = None


class Verdict(NamedTuple):
    word: str
    reasons: tuple[str, ...]


def decide_fitness(
    m: Measures, probes: Mapping[str, Probe], *, unread: float = 0.0, same_family: bool = False, certain: bool = True
) -> Verdict:
    """The hardest word that any rule asks for, with the sentences of every rule that speaks at all.

    `unread` is the share of descriptions that the hearer could not read, `certain` whether it gave probabilities of its own.
    """
    unfit = tuple(_against(m))
    open_ = tuple(_undecidable(m))
    care = (*_cautions(m), *_manners(probes), *_circumstances(unread, same_family, certain))
    if unfit:
        return Verdict(UNFIT, (*unfit, *open_, *care))
    if open_:
        return Verdict(OPEN, (*open_, *care))
    if care:
        return Verdict(CARE, care)
    good = (
        f"It is above chance ({m.accuracy:.3f} against {m.chance:.3f}), tells what people understand from what they do not "
        f"(AUC {m.auc:.3f}), and no caution applies."
    )
    return Verdict(FIT, (good,))


def _low(m: Measures, name: str, value: float) -> float:
    """The lower bound of a measure, or the measure itself where there is no interval."""
    bounds = m.intervals.get(name)
    return value if bounds is None else bounds[0]


def _against(m: Measures) -> Iterator[str]:
    if _low(m, "accuracy", m.accuracy) <= m.chance:
        yield f"It is not above chance: accuracy {m.accuracy:.3f}, chance {m.chance:.3f}."
    floor, reached = m.chance + HALFWAY * (m.human_accuracy - m.chance), max(m.accuracy, m.target_probability)
    if m.chance < reached < floor:
        yield (
            f"It comes less than half of the way from chance ({m.chance:.3f}) to people ({m.human_accuracy:.3f}): accuracy {m.accuracy:.3f}, "
            f"mean probability of the target {m.target_probability:.3f}; one of them has to reach {floor:.3f}."
        )
    if m.auc is not None and _low(m, "auc", m.auc) <= 0.5:
        yield f"It does not tell the descriptions that people understand from those they do not: AUC {m.auc:.3f} is not above 0.5."
    if m.kappa is not None and m.kappa <= 0:
        yield f"Its choices agree with people's no more than chance would: kappa {m.kappa:.3f}."
    if _bias(m) >= LARGE_BIAS:
        yield f"Where an object stands decides what it chooses: {_bias(m):.0%} of its choices are out of place ({_chance(m)})."


def _bias(m: Measures) -> float:
    """The share of choices out of place, if it is not one that chance would give."""
    return m.position.value or 0.0 if m.position.p is not None and m.position.p < BIAS_P else 0.0


def _chance(m: Measures) -> str:
    return f"p = {m.position.p:.3f}" if m.position.p and m.position.p >= 0.001 else "p < 0.001"


def _undecidable(m: Measures) -> Iterator[str]:
    if m.auc is None:
        word = "always" if m.human_accuracy == 1 else "never"
        yield f"People {word} found the target in these data, so discrimination has no value; name data with both."


def _cautions(m: Measures) -> Iterator[str]:
    if m.auc is not None and 0.5 < m.auc < WEAK_AUC:
        yield f"It tells what people understand from what they do not only weakly: AUC {m.auc:.3f} is below {WEAK_AUC}."
    gap = m.accuracy - m.human_accuracy
    if gap < -LARGE_LOSS:
        yield f"It finds the target less often than people: {m.accuracy:.3f} against {m.human_accuracy:.3f}."
    if gap > SMALL_GAIN:
        yield f"It finds the target more often than people ({m.accuracy:.3f} against {m.human_accuracy:.3f}) and so misses faults that they meet."
    if m.calibration.error is not None and m.calibration.error > CALIBRATION:
        yield f"Its probabilities are not people's success rates: calibration error {m.calibration.error:.3f}, above {CALIBRATION:.2f}."
    if (
        m.log_likelihood is not None
        and m.chance_log_likelihood is not None
        and m.log_likelihood <= m.chance_log_likelihood
    ):
        yield f"It predicts people's choices no better than even chances: log-likelihood {m.log_likelihood:.3f}, even {m.chance_log_likelihood:.3f}."
    if BIAS <= _bias(m) < LARGE_BIAS:
        yield f"It leans to some places of the view: {_bias(m):.0%} of its choices are out of place ({_chance(m)})."
    failures = round(min(m.human_accuracy, 1 - m.human_accuracy) * m.n)
    if m.n < FEW or failures < FEW_FAILURES:
        yield f"The data are few: {m.n} answers with {failures} of the rarer kind (found or not); {FEW} and {FEW_FAILURES} are the least."


def _manners(probes: Mapping[str, Probe]) -> Iterator[str]:
    said = {
        "empty": "where nothing was said",
        "contradictory": "where the description contradicts itself",
        "ambiguous": "where the description fits several objects",
    }
    for name, where in said.items():
        probe = probes.get(name)
        if probe is None or probe.pointed is None or probe.top is None:
            continue
        if probe.pointed > OFTEN and probe.top > SURE:
            yield f"It points with certainty {where}: {probe.pointed:.0%} of {probe.n} times, at {probe.top:.2f} on average."


def _circumstances(unread: float, same_family: bool, certain: bool) -> Iterator[str]:
    if unread > UNREAD:
        yield f"It could not read {unread:.1%} of the descriptions."
    if same_family:
        yield "Speaker and hearer are of one family, so it may reward their common quirks."
    if not certain:
        yield "It gives no probabilities, so discrimination and calibration rest on its bare choices."
