"""The verdict of a passport: fixed rules that turn the measures of a hearer into one word, with reasons in sentences.

A hearer that is always wrong and one that is always right both fail: neither distinguishes the descriptions that people
understand from those they do not, and that is the purpose of a simulated hearer. What holds in one experiment may not
hold in the next: "may be used" rests on five experiments or more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from referee.hearers.passports.ceilings import Ceiling
from referee.hearers.passports.judges import JudgeAgreement
from referee.hearers.passports.measures import LIMIT, Measures
from referee.hearers.passports.novelty import HALFWAY, Novelty
from referee.hearers.passports.ranking import RankAgreement
from referee.hearers.passports.transfer import ENOUGH, WIDEST, Transfer
from referee.records import NOTHING

FIT, CARE, UNFIT, OPEN = "may be used", "use with care", "not fit", "cannot be judged"
HERE, ELSEWHERE = "in this experiment", "not known elsewhere"
WEAK_AUC = 0.6
COPY_AUC = 0.9995
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
    m: Measures,
    probes: Mapping[str, Probe],
    *,
    unread: float = 0.0,
    same_family: bool = False,
    certain: bool = True,
    ranking: RankAgreement | None = None,
    new: Mapping[str, Novelty] = NOTHING,
    ceiling: Ceiling | None = None,
    transfer: Transfer | None = None,
) -> Verdict:
    """Return the most severe word of all rules, with the sentences of every rule that applies.

    `unread` is the share of descriptions that the hearer could not parse, `certain` whether it gave probabilities,
    `ranking` how it ranks games, speakers or systems, `new` its results on scenes, objects and conditions outside its
    training data, `ceiling` the agreement of people with people. If people do not differ between descriptions, there is
    nothing to rank, and AUC decides nothing. `transfer` has its results on experiments outside its training data;
    without one the strongest word is "in this experiment".
    """
    can_rank = ceiling is None or ceiling.has_differences
    unfit = tuple(_report_objections(m, can_rank))
    open_ = (
        *_report_constant_success(m.auc, m.human_accuracy),
        *(() if can_rank else _report_equal_success(m, ceiling)),
    )
    care = (
        *_report_cautions(m, can_rank),
        *_report_ranking(ranking),
        *_report_novelty(m, new),
        *_report_probes(probes),
        *_report_conditions_of_use(unread, same_family, certain),
    )
    if unfit:
        return Verdict(UNFIT, (*unfit, *open_, *care))
    if open_:
        return Verdict(OPEN, (*open_, *care))
    good = (
        f"In this experiment it is above chance ({_describe_chance_test(m)}), distinguishes what people understand from what they do not "
        f"(AUC {m.auc:.3f}{_describe_area_within(m)}), and no caution applies. {_describe_ranking(ranking)}{_describe_novelty(new)}".strip(),
    )
    if transfer is None:
        return Verdict(CARE, care) if care else Verdict(HERE, (*good, "It was not tested on other experiments."))
    prediction = _describe_transfer(transfer)
    if not transfer.is_known:
        return Verdict(ELSEWHERE, (prediction, *(care or good)))
    if transfer.low is not None and transfer.low <= 0.5:
        care = (
            *care,
            f"In a new experiment it may be uninformative: the prediction interval of its AUC begins at {transfer.low:.3f}.",
        )
    return Verdict(CARE, (prediction, *care)) if care else Verdict(FIT, (prediction, *good))


def _describe_transfer(transfer: Transfer) -> str:
    """Return a sentence on the results in other experiments."""
    count = sum(e.auc is not None for e in transfer.experiments)
    values = ", ".join(f"{e.experiment} {_format_value(e.auc)}" for e in transfer.experiments)
    if transfer.low is None or transfer.high is None:
        return f"{count} experiments are too few for a prediction ({ENOUGH} are the least); AUC: {values}."
    width = "" if transfer.is_known else f", wider than {WIDEST:.2f}: no verdict rests on it"
    return (
        f"In a new experiment with {transfer.size:,} answers its AUC is expected between {transfer.low:.3f} and {transfer.high:.3f} "
        f"({count} experiments, mean {_format_value(transfer.auc)}){width}; AUC: {values}."
    )


def decide_judge(judge: JudgeAgreement, ranking: RankAgreement | None) -> Verdict:
    """Return the word for a judge: it has to distinguish what people understand from what they do not."""
    value, bounds = judge.area.value, judge.area.interval
    open_ = tuple(_report_constant_success(value, judge.human_accuracy))
    care = (*_report_weak_area(value), *_report_few_answers(judge.n, judge.human_accuracy), *_report_ranking(ranking))
    if value is not None and (value if bounds is None else bounds[0]) <= 0.5:
        return Verdict(UNFIT, (_describe_useless_area(value), *care))
    if open_ or care:
        return Verdict(OPEN if open_ else CARE, (*open_, *care))
    return Verdict(
        HERE,
        (
            f"The hearer predicts which descriptions people understand (AUC {value:.3f}). {_describe_ranking(ranking)}".strip(),
        ),
    )


def _get_lower_bound(m: Measures, name: str, value: float) -> float:
    """Return the lower bound of a measure, or the measure itself if there is no interval."""
    bounds = m.intervals.get(name)
    return value if bounds is None else bounds[0]


def _report_equal_success(m: Measures, ceiling: Ceiling | None) -> Iterator[str]:
    """Yield the finding that people do not differ between descriptions, so that ranking is impossible."""
    if ceiling is None or ceiling.chi2 is None or ceiling.p is None:
        return
    calibration = "unknown" if m.calibration.error is None else f"{m.calibration.error:.3f}"
    yield (
        f"People do not differ between descriptions more than chance allows (chi² = {ceiling.chi2:.0f} with {ceiling.df} df, p {_format_p(ceiling.p)}), "
        f"so there is nothing to rank and AUC is uninformative. Calibration error {calibration}; "
        f"log-likelihood {_format_value(m.log_likelihood)}, of uniform guessing "
        f"{_format_value(m.chance_log_likelihood)}."
    )


def _report_objections(m: Measures, can_rank: bool) -> Iterator[str]:
    """Yield the findings against the use of a hearer."""
    if not m.above_chance.holds:
        yield f"It is not above chance: {_describe_chance_test(m)}; it names the target in {m.accuracy:.3f} of the answers."
    # Below the middle it misses more of people's successes than it finds, so its results depend mainly on itself.
    # People had to point; a hearer that answers "several" is scored by its probability of the target.
    floor, reached = m.chance + HALFWAY * (m.human_accuracy - m.chance), max(m.accuracy, m.expected_accuracy)
    if m.chance < reached < floor:
        yield (
            f"It comes less than half of the way from chance ({m.chance:.3f}) to people ({m.human_accuracy:.3f}): accuracy {m.accuracy:.3f}, "
            f"expected accuracy {m.expected_accuracy:.3f}; one of them has to reach {floor:.3f}."
        )
    if can_rank and m.auc is not None and _get_lower_bound(m, "auc", m.auc) <= 0.5:
        yield _describe_useless_area(m.auc)
    if m.kappa is not None and m.kappa <= 0:
        yield f"Its choices agree with people's no more than chance would: kappa {m.kappa:.3f}."
    if _compute_position_bias(m) >= LARGE_BIAS:
        yield f"The position of objects decides what it chooses: {_compute_position_bias(m):.0%} of its choices follow position ({_format_position_p(m)})."


def _describe_chance_test(m: Measures) -> str:
    """Return the test of probabilities of the target against chance, in words."""
    test = m.above_chance
    how = (
        "nothing varies"
        if test.t is None
        else f"t = {test.t:.2f} with {test.df:.4g} df, one-sided p {_format_p(test.p)} (limit {LIMIT})"
    )
    return f"expected accuracy {m.expected_accuracy:.3f} against {m.chance:.3f} by uniform guessing, n = {test.n:,} over {test.over}: {how}"


def _format_p(p: float | None) -> str:
    return "unknown" if p is None else "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _describe_useless_area(area: float) -> str:
    return f"It does not distinguish the descriptions that people understand from the others: AUC {area:.3f} is not above 0.5."


def _describe_area_within(m: Measures) -> str:
    area = m.within_condition.value
    return "" if area is None else f", {area:.3f} within conditions"


def _describe_ranking(ranking: RankAgreement | None) -> str:
    """Return the ranking results in words."""
    if ranking is None or ranking.spearman is None:
        return ""
    return (
        f"It ranks {ranking.units} {ranking.over} as people do with rho {ranking.spearman:.3f}{_format_interval(ranking.spearman_interval)}, "
        f"soft pairwise accuracy {ranking.spa:.3f} (in random order {_format_value(ranking.spa_chance)}). "
    )


def _describe_novelty(new: Mapping[str, Novelty]) -> str:
    held = [f"{by}s" for by, novelty in new.items() if novelty.holds]
    return f"It holds on new {', '.join(held)} as well." if held else ""


def _format_interval(bounds: tuple[float, float] | None) -> str:
    return "" if bounds is None else f" [{bounds[0]:.3f}, {bounds[1]:.3f}]"


def _format_value(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _report_ranking(ranking: RankAgreement | None) -> Iterator[str]:
    """Yield the finding that a hearer does not rank units that people rank."""
    if ranking is None or ranking.spearman is None:
        return
    bounds = ranking.spearman_interval
    if (ranking.spearman if bounds is None else bounds[0]) <= 0:
        yield (
            f"It does not rank {ranking.units} {ranking.over} as people do: rho {ranking.spearman:.3f}{_format_interval(bounds)} is not above 0, soft pairwise "
            f"accuracy {ranking.spa:.3f} (in random order {_format_value(ranking.spa_chance)})."
        )


def _report_novelty(m: Measures, new: Mapping[str, Novelty]) -> Iterator[str]:
    """Yield the findings on new scenes, objects and conditions."""
    for by, novelty in new.items():
        if novelty.holds is False:
            area = "–" if novelty.auc is None else f"{novelty.auc:.3f}{_format_interval(novelty.auc_interval)}"
            yield (
                f"What it learned does not hold for new {by}s: accuracy {novelty.accuracy:.3f} instead of {m.accuracy:.3f}, AUC {area} "
                f"({novelty.units} {by}s in {novelty.folds} folds, n = {novelty.n:,})."
            )


def _compute_position_bias(m: Measures) -> float:
    """Return the share of choices in unexpected positions, among those shown, if chance does not explain it."""
    position = m.position_shown
    return position.value or 0.0 if position.p is not None and position.p < BIAS_P else 0.0


def _format_position_p(m: Measures) -> str:
    return f"p {_format_p(m.position_shown.p)}"


def _report_constant_success(area: float | None, human_accuracy: float) -> Iterator[str]:
    """Yield the finding that all or no people succeeded."""
    if area is None:
        word = "always" if human_accuracy == 1 else "never"
        yield f"People {word} found the target in these data, so discrimination has no value; name data with both."


def _report_weak_area(area: float | None) -> Iterator[str]:
    if area is not None and 0.5 < area < WEAK_AUC:
        yield f"The hearer predicts only weakly which descriptions people understand: AUC {area:.3f} is below {WEAK_AUC}."


def _report_few_answers(n: int, human_accuracy: float) -> Iterator[str]:
    """Yield the finding that the data are too few."""
    failures = round(min(human_accuracy, 1 - human_accuracy) * n)
    if n < FEW or failures < FEW_FAILURES:
        yield f"The data are few: {n} answers with {failures} of the rarer kind (found or not); {FEW} and {FEW_FAILURES} are the least."


def _report_cautions(m: Measures, can_rank: bool) -> Iterator[str]:
    """Yield warnings on discrimination, copies of people's answers, and effects of conditions."""
    if can_rank:
        yield from _report_weak_area(m.auc)
    if m.auc is not None and m.auc >= COPY_AUC:
        yield f"AUC {m.auc:.3f} is what a copy of people's answers would have: check that the hearer has not seen them."
    within = m.within_condition
    if (
        within.value is not None
        and within.interval is not None
        and within.interval[0] <= 0.5 < _get_lower_bound(m, "auc", 0.0)
    ):
        yield (
            f"It tells conditions apart rather than descriptions: within conditions its AUC is {within.value:.3f}{_format_interval(within.interval)}, "
            f"over all {m.auc:.3f}."
        )
    if max(m.accuracy, m.expected_accuracy) < m.human_accuracy - LARGE_LOSS:
        yield (
            f"It finds the target less often than people: {m.accuracy:.3f} (expected {m.expected_accuracy:.3f}, where it splits its belief) "
            f"against {m.human_accuracy:.3f}."
        )
    if m.accuracy > m.human_accuracy + SMALL_GAIN:
        yield (
            f"It finds the target more often than people ({m.accuracy:.3f} against "
            f"{m.human_accuracy:.3f}) and so does not notice descriptions that mislead people."
        )
    if m.calibration.error is not None and m.calibration.error > CALIBRATION:
        yield f"Its probabilities are not people's success rates: calibration error {m.calibration.error:.3f}, above {CALIBRATION:.2f}."
    if (
        m.log_likelihood is not None
        and m.chance_log_likelihood is not None
        and m.log_likelihood <= m.chance_log_likelihood
    ):
        yield f"It predicts people's choices no better than uniform guessing: log-likelihood {m.log_likelihood:.3f}, uniform {m.chance_log_likelihood:.3f}."
    if BIAS <= _compute_position_bias(m) < LARGE_BIAS:
        yield f"It prefers some positions of the view: {_compute_position_bias(m):.0%} of its choices follow position ({_format_position_p(m)})."
    yield from _report_few_answers(m.n, m.human_accuracy)


def _report_probes(probes: Mapping[str, Probe]) -> Iterator[str]:
    """Yield findings on the answers to probes."""
    circumstances = {
        "empty": "where nothing was said",
        "contradictory": "where the description contradicts itself",
        "ambiguous": "where the description fits several objects",
    }
    for name, where in circumstances.items():
        probe = probes.get(name)
        if probe is None or probe.pointed is None or probe.top is None:
            continue
        if probe.pointed > OFTEN and probe.top > SURE:
            yield f"It chooses one object with certainty {where}: {probe.pointed:.0%} of {probe.n} times, at {probe.top:.2f} on average."


def _report_conditions_of_use(unread: float, same_family: bool, certain: bool) -> Iterator[str]:
    """Yield warnings on unread descriptions, family, and missing probabilities."""
    if unread > UNREAD:
        yield f"It could not read {unread:.1%} of the descriptions."
    if same_family:
        yield "Speaker and hearer are of one family, so it may reward their common quirks."
    if not certain:
        yield "It gives no probabilities, so discrimination and calibration rest on its bare choices."
