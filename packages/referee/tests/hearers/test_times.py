"""Times by length, doubt and surplus, fitted on people and added to the answers of any hearer."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log, log1p
from pathlib import Path
from random import Random

import numpy as np
import pytest

from referee.errors import NotTrained, UnknownName
from referee.hearers.answering import Listener, answer
from referee.hearers.literal import Literal
from referee.hearers.noisy import Noisy
from referee.hearers.times import Timed, _compute_entropy, _count_surplus, _make_effort_row
from referee.records import Description, Entity, Event, HearerView, Outcome, Property, Response, Scene, Trial

THINGS = (
    Entity(id="a", attributes=(Property("type", "chair"), Property("colour", "red"))),
    Entity(id="b", attributes=(Property("type", "chair"), Property("colour", "blue"))),
    Entity(id="c", attributes=(Property("type", "sofa"), Property("colour", "grey"))),
)
SCENE = Scene(entities=THINGS)
VIEW = HearerView(id="t", scene=SCENE)
# what people here do: log ms = 7 + 0.4·log(1 + words) + 0.2·bits of doubt + 0.1·log(1 + surplus), and pairs differ a little
TEXTS = {
    "red": (1, 0.0, 0),
    "chair": (1, 1.0, 0),
    "the chair": (2, 1.0, 0),
    "red chair": (2, 0.0, 1),
    "the red one": (3, 0.0, 2),
    "the big red chair there": (5, 0.0, 4),
}


def expected_ms(words: int, bits: float, surplus: int) -> float:
    return exp(7 + 0.4 * log1p(words) + 0.2 * bits + 0.1 * log1p(surplus))


def game(number: int, text: str, ms: float) -> Trial:
    message = Event(kind="message", by="speaker", text=text, data={"ms_before_click": ms})
    click = Event(kind="click", by="listener", entities=("a",))
    return Trial(
        id=f"{number}|{text}",
        scene=SCENE,
        targets=("a",),
        speaker=f"g{number}",
        episode=(message, click),
        references=(Description(text=text),),
    )


def games(count: int = 12, slower: float = 0.0) -> list[Trial]:
    """`slower` spreads the pairs: one half takes longer by that much on the log scale, the other half less."""
    return [
        game(n, text, expected_ms(*effort) * exp(slower * (-1) ** n))
        for n in range(count)
        for text, effort in TEXTS.items()
    ]


def said(text: str) -> Description:
    return Description(text=text)


@pytest.mark.parametrize("text", TEXTS)
def test_length_doubt_and_surplus_are_those_counted_by_hand(text: str) -> None:
    words, bits, surplus = TEXTS[text]
    pairs = [(said(text), VIEW)]
    row = _make_effort_row(Literal(), pairs, Literal().resolve_many(pairs))[0]
    assert row == pytest.approx([1, log1p(words), bits, log1p(surplus)])


def test_the_rule_that_made_the_times_is_found_again() -> None:
    times = Timed(Literal()).fit(games(slower=0.3)).times_
    assert times is not None
    assert [c.estimate for c in times.coefficients] == pytest.approx([7, 0.4, 0.2, 0.1])
    assert (times.n, times.clusters) == (72, 12)


def test_errors_are_clustered_by_pair() -> None:
    """statsmodels as the oracle."""
    import statsmodels.api as sm

    rng = Random(1)
    trials = [
        game(n, text, expected_ms(*effort) * exp(rng.gauss(0, 0.2) + 0.1 * n))
        for n in range(6)
        for text, effort in TEXTS.items()
    ]
    times = Timed(Literal()).fit(trials).times_
    assert times is not None
    x = np.array([[1, log1p(w), b, log1p(s)] for _ in range(6) for w, b, s in TEXTS.values()])
    y = np.array([log(t.episode[0].data["ms_before_click"]) for t in trials])
    oracle = sm.OLS(y, x).fit(cov_type="cluster", cov_kwds={"groups": np.repeat(range(6), len(TEXTS))})
    assert [c.estimate for c in times.coefficients] == pytest.approx(oracle.params)
    assert [c.error for c in times.coefficients] == pytest.approx(oracle.bse)
    assert times.explained == pytest.approx(oracle.rsquared)
    assert times.spread == pytest.approx(np.sqrt(oracle.mse_resid))


def test_answers_stay_and_get_times_of_which_length_is_the_reading() -> None:
    hearer = Timed(Literal()).fit(games())
    response = hearer.resolve(said("the red one"), VIEW)
    assert (response.entity, response.outcome, response.hearer) == ("a", Outcome.ENTITY, "timed")
    assert response.identification_ms == pytest.approx(exp(7 + 0.1 * log1p(2)))
    assert (response.reading_ms or 0) + (response.identification_ms or 0) == pytest.approx(expected_ms(3, 0.0, 2))


def test_times_can_come_from_peoples_responses() -> None:
    trials = [replace(t, episode=()) for t in games(3)]
    responses = [
        Response(
            trial=t.id,
            hearer=f"person {t.speaker}",
            outcome=Outcome.ENTITY,
            entity="a",
            reading_ms=100,
            identification_ms=expected_ms(*TEXTS[t.references[0].text or ""]) - 100,
        )
        for t in trials
    ]
    times = Timed(Literal()).fit(trials, responses).times_
    assert times is not None
    assert [c.estimate for c in times.coefficients] == pytest.approx([7, 0.4, 0.2, 0.1])


def test_rounds_with_a_question_back_and_impossible_times_are_left_out() -> None:
    trials = games(4)
    question = Event(kind="message", by="listener", text="which?", data={"ms_before_click": 5})
    chatty = replace(trials[0], episode=(*trials[0].episode[:1], question, *trials[0].episode[1:]))
    times = Timed(Literal()).fit([chatty, *trials[1:], game(5, "red", 3), game(6, "red", 1e6)]).times_
    assert times is not None
    assert times.n == len(trials) - 1


def test_without_times_to_learn_from_answers_carry_none() -> None:
    response = Timed(Literal()).fit([replace(t, episode=()) for t in games(2)]).resolve(said("red"), VIEW)
    assert (response.entity, response.reading_ms, response.identification_ms) == ("a", None, None)


def test_it_must_be_trained() -> None:
    with pytest.raises(NotTrained):
        Timed(Literal()).resolve(said("red"), VIEW)


class Memory(Listener):
    """Points only where it knows the trial; elsewhere it is lost."""

    name, learns = "memory", True

    def fit(self, trials: object) -> Memory:
        self.known_ = {t.id for t in trials}  # type: ignore[attr-defined]
        return self

    def resolve(self, description: Description, view: HearerView) -> Response:
        sure = 1.0 if view.id in self.known_ else 1 / 3
        return answer(self.name, view, [sure, (1 - sure) / 2, (1 - sure) / 2])


def test_doubts_are_those_of_one_who_did_not_know_the_trial() -> None:
    """Someone who learns trials by heart has no doubt about any of them; asked as a stranger he doubts everywhere alike."""
    hearer = Timed(Memory(), folds=3)
    trials = games(6)
    observed_rows = [rows for rows, _ in hearer.fit(trials)._split_by_group(trials, [_observed(t) for t in trials])]
    assert np.concatenate(observed_rows)[:, 2] == pytest.approx(np.log2(3))


def _observed(trial: Trial) -> object:
    from referee.hearers.times import Observed

    return Observed(trial, trial.references[0], 1000.0, trial.speaker or "")


def test_surplus_of_properties_is_counted_without_words() -> None:
    pairs = [(Description(properties=(Property("type", "chair"), Property("colour", "red"))), VIEW)]
    assert _count_surplus(Literal(), pairs, Literal().resolve_many(pairs)) == [1]


def test_doubt_counts_several_and_none_too() -> None:
    shares = (("a", 0.5), ("several", 0.25), ("none", 0.25))
    assert _compute_entropy(
        Response(trial="t", hearer="h", outcome=Outcome.ENTITY, probabilities=shares)
    ) == pytest.approx(1.5)


@pytest.mark.long
@pytest.mark.data
def test_people_take_longer_to_read_more_and_to_settle_doubt(data_folder: Path) -> None:
    """Degen 2020, every second game; the full figures are in docs/learned-listeners.md."""
    from scipy.stats import spearmanr

    from referee.corpora.degen import Degen2020

    rounds = [t for t in Degen2020(data_folder).trials() if t.references]
    rounds = [replace(t, references=(Description(text=t.references[0].text),)) for t in rounds]
    order = {game: i for i, game in enumerate(dict.fromkeys(t.speaker for t in rounds))}
    train, test = ([t for t in rounds if order[t.speaker] % 4 == part] for part in (0, 1))
    hearer = Timed().fit(train)
    times = hearer.times_
    assert times is not None
    effects = {c.name: c.estimate / c.error for c in times.coefficients}
    assert effects["length"] > 2
    assert effects["doubt"] > 2
    timed = [t for t in test if len(t.episode) == 2 and t.episode[0].data.get("ms_before_click")]
    answers = hearer.resolve_many([(t.references[0], t.for_hearer(Random(1))) for t in timed])
    predicted = [(a.reading_ms or 0) + (a.identification_ms or 0) for a in answers]
    assert spearmanr(predicted, [t.episode[0].data["ms_before_click"] for t in timed]).statistic > 0.15


def test_the_hearer_inside_may_be_named_and_a_noisy_one_is_made_anew() -> None:
    named, given = (Timed(hearer).fit(games()) for hearer in ("noisy", Noisy()))
    assert named.resolve(said("red"), VIEW) == given.resolve(said("red"), VIEW)
    with pytest.raises(UnknownName, match="did you mean noisy"):
        Timed("nosy").fit(games())
