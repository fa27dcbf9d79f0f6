"""What the rules say of tables made for them, and how often they say it by chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from referee.courtroom.admissions import NO_PASSPORT, Admission, admit, cap
from referee.courtroom.base_rates import describe_base_rates
from referee.courtroom.evidence import SystemScores, try_sheet
from referee.courtroom.printed_evidence import read_paper_sheets
from referee.courtroom.rules import WORDS
from referee.courtroom.verdicts import MEANING, make_case, summarise_systems

LINE = [1.0, 2.0, 3.1, 4.0, 5.2, 6.0, 7.1, 8.0, 9.0, 10.1]


def sheet(x: Sequence[float], y: Sequence[float], **more: object) -> SystemScores:
    return SystemScores(systems=tuple(f"s{i}" for i in range(len(x))), automatic={"A": x}, hearer={"H": y}, **more)  # type: ignore[arg-type]


def word(x: Sequence[float], y: Sequence[float], **more: object) -> str:
    (found,) = try_sheet(sheet(x, y, **more))
    return found.word


def test_siblings_that_stand_apart_are_one_family_that_carries() -> None:
    """As TUNA-AS before a noisy hearer: four siblings at one end, ten others in a heap. Over systems r is above .9, over families one carries it."""
    rng = np.random.default_rng(2)
    x, y = (np.concatenate([rng.normal(0, 0.3, 4), rng.normal(6, 0.6, 10)]) for _ in range(2))
    families = {f"s{i}": "siblings" for i in range(4)}
    (alone,) = try_sheet(sheet(list(x), list(y)))
    (together,) = try_sheet(sheet(list(x), list(y), families=families))
    assert alone.pearson.r == together.pearson.r
    assert alone.pearson.r is not None
    assert alone.pearson.r > 0.9
    assert alone.word == "split", "without families two groups make it"
    assert alone.division is not None
    assert alone.division.group == ("s0", "s1", "s2", "s3")
    assert together.families is not None
    assert together.families.n == 11
    assert together.word in ("carried", "open", "hidden", "unsettled")
    assert "4 systems (s0, s1, s2, s3) and the 10 others" in make_case(together).sentence


def test_ranks_must_agree_as_well() -> None:
    """One far point makes r, and ranks know nothing of it: shown by one only, or carried, but never a prediction."""
    y = [3.0, 1.0, 4.0, 2.0, 5.0, 3.5, 1.5, 4.5, 2.5, 60.0]
    assert word(LINE, y) in ("carried", "disputed", "open")


def test_linear_agreement_alone_is_disputed() -> None:
    """TUNA 2008 as printed, the column headed BLEU against reading time: r = .76 and rho = .58 (scipy), and ten systems need .63 of either."""
    sheets, _ = read_paper_sheets("tuna2008")
    (found,) = [e for e in try_sheet(sheets[0]) if (e.automatic, e.hearer) == ("BLEU", "RT")]
    assert found.spearman.r == pytest.approx(0.58, abs=0.005)
    assert found.word == "disputed"


def test_what_is_shown_alone_may_be_nothing_among_many() -> None:
    rng = np.random.default_rng(5)
    y = np.array(LINE) + rng.normal(0, 3.2, 10)
    assert word(LINE, list(y)) == "predicts"
    many = {"A": LINE} | {f"N{i}": list(rng.normal(size=10)) for i in range(40)}
    found = try_sheet(SystemScores(systems=tuple(f"s{i}" for i in range(10)), automatic=many, hearer={"H": list(y)}))
    first = found[0]
    assert first.word == "doubtful"
    assert first.families is not None
    assert first.families.p_adjusted is not None
    assert first.families.p_linear is not None
    assert first.families.p_linear <= 0.05 < first.families.p_adjusted
    assert "among all tested pairs" in make_case(first).sentence


def test_noise_of_the_answers_enters_the_verdict() -> None:
    rng = np.random.default_rng(6)
    quiet = np.array(LINE)[None] + rng.normal(0, 0.5, (200, 10))
    loud = np.array(LINE)[None] + rng.normal(0, 40, (200, 10))
    assert word(LINE, LINE, draws={"H": quiet}) == "predicts"
    assert word(LINE, LINE, draws={"H": loud}) == "doubtful"
    (found,) = try_sheet(sheet(LINE, LINE, draws={"H": quiet}))
    assert found.noise is not None
    assert found.noise.low < 1
    (unknown,) = try_sheet(sheet(LINE, LINE))
    assert unknown.noise is None


def test_four_units_can_show_nothing() -> None:
    """The smallest two-sided p of four is 2 of 24 orders."""
    (found,) = try_sheet(sheet([1, 2, 3, 4], [1, 2, 3, 4]))
    assert found.families is not None
    assert found.families.p_linear == pytest.approx(2 / 24)
    assert found.word == "open"


# -- chance --------------------------------------------------------------------------------------------------------------------


def test_base_rates_add_up_and_predictions_by_chance_are_rare() -> None:
    rng = np.random.default_rng(8)
    systems = tuple(f"s{i}" for i in range(12))
    automatic = {f"A{i}": list(rng.normal(size=12)) for i in range(5)}
    hearer = {f"H{i}": list(rng.normal(size=12)) for i in range(2)}
    rates = describe_base_rates(SystemScores(systems=systems, automatic=automatic, hearer=hearer), tables=200)
    assert all(sum(found.values()) == pytest.approx(1) for found in rates.values())
    strong = [sum(found.get(w, 0) for w in ("predicts", "reversed", "related")) for found in rates.values()]
    # at most one table in twenty may say anything at all (10 pairs); 3 standard errors of 200 tables above that
    assert sum(strong) <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5
    assert sum(found.get("unsettled", 0) for found in rates.values()) > 0.2, (
        "signs that hang on one system are common by chance"
    )


def test_chance_says_the_same_with_the_same_seed() -> None:
    one = sheet(LINE, LINE[::-1])
    assert describe_base_rates(one, seed=3, tables=20) == describe_base_rates(one, seed=3, tables=20)


# -- simulated hearers ---------------------------------------------------------------------------------------------------------

CARD = {"hearer": "noisy", "corpus": "degen2020", "verdict": "use with care", "hash": "0123456789abcdef"}
SIGNED = "noisy|seed:1|passport:0123456789ab:use-with-care"


def test_a_simulated_hearer_caps_the_verdict_and_says_so() -> None:
    admission = admit("noisy", SIGNED, {"0123456789ab": CARD})
    (found,) = try_sheet(sheet(LINE, LINE, admissions={"H": admission}))
    case = make_case(found)
    assert found.word == "predicts"
    assert case.finding == "predicts a simulated hearer"
    assert (
        "answers of a simulated hearer (passport degen2020:0123456789ab: use with care), not of people" in case.sentence
    )
    assert summarise_systems("A", [case]).startswith("A predicts 0 of 1 hearer measure")


def test_without_a_passport_there_is_no_verdict() -> None:
    (found,) = try_sheet(sheet(LINE, LINE, admissions={"H": Admission(simulated=True, hearer="noisy")}))
    case = make_case(found)
    assert case.finding == NO_PASSPORT
    assert "noisy has no passport" in case.reason


def test_a_card_counts_where_the_signature_names_it() -> None:
    cards = {"0123456789ab": CARD}
    for signed in (SIGNED, "noisy|passport:degen2020:0123456789ab:fit"):
        assert admit("noisy", signed, cards).passport == "degen2020:0123456789ab"
    assert admit("noisy", "noisy|seed:1", cards).refused
    assert admit("literal", SIGNED, cards).refused


@pytest.mark.parametrize("said", WORDS)
def test_every_word_has_a_meaning_capped_or_not(said: str) -> None:
    assert said in MEANING
    assert cap(said, Admission(simulated=True, passport="x")) in MEANING
    assert cap(said, Admission()) == said
