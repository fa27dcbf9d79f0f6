"""Models that rate: what they are asked, how ratings are read, and their card against people's ratings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fake_endpoint import completion, serving
from referee.cli import main
from referee.corpora.rated_texts import RatedText, read_rated_texts
from referee.errors import InputError
from referee.hearers.model_judge import ModelJudge
from referee.hearers.passports.cards import read_card
from referee.hearers.passports.rating_cards import examine_ratings
from referee.models.answers.parsing import parse_answer
from scripted_endpoint import Said, answered, scripted


@pytest.mark.parametrize(
    ("content", "rating"),
    [
        ("85", 85),
        ("**85**", 85),
        ("85/100", 85),
        ("85 out of 100", 85),
        ("85%", 85),
        ("Rating: 85", 85),
        ("I would rate this 85.", 85),
        ("85\n\nIt names 2 attributes of 3.", 85),
        ("The phrase names 2 of 3 attributes.\n\nRating: 70", 70),
        ("<think>maybe 20</think>70", 70),
        ('{"rating": 70}', 70),
        ('{"fluency": "70"}', 70),
        ("0", 0),
        ("100", 100),
        ("0.85", 0.85),
        ("101", None),
        ("between 60 and 80", None),
        ("very clear", None),
        ("", None),
        ('{"adequacy": 10, "fluency": 20}', None),
    ],
)
def test_a_rating_is_read(content: str, rating: float | None) -> None:
    assert parse_answer(content, "rating", scale=(0, 100)).value == rating


def test_preferences_are_asked_in_both_orders() -> None:
    with scripted(lambda question, time: answered("1" if "1. 'long'" in question else "2")) as server:
        judge = ModelJudge(model="toy", endpoint=server.url)
        assert (judge.prefer("long", "short"), judge.prefer("short", "long")) == ("first", "second")
        assert judge.prefer("same", "same") == "tie"
    with scripted(lambda question, time: answered("1")) as server:
        assert ModelJudge(model="toy", endpoint=server.url).prefer("long", "short") == "tie", "it goes by the order"


def rated(page: int, good: float) -> RatedText:
    people = tuple((f"p{i}", good + (i % 2)) for i in range(4))
    return RatedText(
        page=str(page), text=f"text {page}", systems=("a",) if page % 2 else ("a", "b"), ratings={"fluency": people}
    )


def test_the_card_of_a_judge_that_rates_as_people_do() -> None:
    texts = [rated(n, 1 + n % 6) for n in range(24)] + [
        RatedText(page="x", text="odd", systems=(), ratings={"fluency": (("p0", 3.0),)})
    ]

    def rate(question: str, time: int) -> Said:
        number = re.search(r"text (\d+)", question)
        return answered("no idea" if number is None else str(1 + int(number[1]) % 6))

    with scripted(rate) as server:
        card = examine_ratings(ModelJudge(model="toy", endpoint=server.url), texts, "fluency")
    assert card["item_spearman"] == pytest.approx(1)
    assert card["verdict"] == "as good as one more person"
    assert card["outcomes"] == {"answered": 24, "unparsable": 1}
    # 12 texts of one system and 12 of two, four ratings each, and one rating of a text that nobody wrote
    assert card["ratings_joined_to"] == {"none": 1, "one": 48, "several": 48}
    assert card["systems"]["b"]["texts"] == 12
    # people's mean is half a point above what the judge says
    assert card["mean_difference"] == pytest.approx(-0.5)
    with pytest.raises(InputError, match="one of fluency"):
        examine_ratings(ModelJudge(model="toy"), texts, "beauty")


@pytest.mark.parametrize(
    ("judged", "verdict"),
    [
        (lambda n: 7 - (1 + n % 6), "do not use: it contradicts people"),
        # rho = -0.11 over 24 texts, of which chance brings as much in six cases of ten.
        (lambda n: 1 + n * n * 7 % 5, "do not use: no evidence that it agrees with people"),
        (lambda n: 4, "do not use: it rates everything alike"),
    ],
)
def test_what_the_card_says_of_other_judges(judged: Callable[[int], int], verdict: str) -> None:
    texts = [rated(n, 1 + n % 6) for n in range(24)]

    def rate(question: str, time: int) -> Said:
        number = re.search(r"text (\d+)", question)
        assert number is not None
        return answered(str(judged(int(number[1]))))

    with scripted(rate) as server:
        card = examine_ratings(ModelJudge(model="toy", endpoint=server.url), texts, "fluency")
    assert card["verdict"] == verdict


@pytest.mark.data
def test_ratings_of_neuralreg_join_to_systems(data_folder: Path) -> None:
    """Counted by hand from the files: 1,469 ratings of 144 pages; 1,008 join to one system, 387 to several, 74 to none."""
    texts = read_rated_texts(data_folder)
    counts = {"none": 0, "one": 0, "several": 0}
    for text in texts:
        counts["none" if not text.systems else "one" if len(text.systems) == 1 else "several"] += len(
            text.ratings["fluency"]
        )
    assert (len(texts), counts) == (144, {"none": 74, "one": 1008, "several": 387})


def test_a_judge_rates_a_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run = tmp_path / "run"
    systems = "classic/greedy,classic/incremental"
    assert (
        main(
            [
                "run",
                "--corpus",
                "synthetic",
                "--limit",
                "12",
                "--systems",
                systems,
                "--folds-by",
                "random",
                "--folds",
                "3",
                "--out",
                str(run),
            ]
        )
        == 0
    )
    capsys.readouterr()
    with serving(completion("80")) as server:
        named = f"model:toy|endpoint:{server.url}"
        assert main(["judge", str(run), "--judge", named, "--format", "json"]) == 0
        rows = json.loads(capsys.readouterr().out)["rows"]
        assert {(r["scale"], r["mean"], r["n"]) for r in rows} == {("adequacy", 80.0, 12), ("fluency", 80.0, 12)}
        asked = len(server.seen)
        assert main(["judge", str(run), "--judge", named]) == 0
        assert len(server.seen) == asked, "kept"
        assert main(["judge", str(run), "--judge", named, "--prefer", systems, "--format", "json"]) == 0
    assert main(["judge", str(run), "--judge", ""]) == 2
    assert main(["judge", "--judge", "model:x"]) == 2


@pytest.mark.data
def test_a_judge_gets_a_card(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFEREE_DATA", str(data_folder))
    out = tmp_path / "card.json"
    with scripted(lambda question, time: answered(str(1 + len(question) % 7))) as server:
        args = ["judge", "--examine", "neuralreg", "--scales", "clarity", "--judge", f"model:toy|endpoint:{server.url}"]
        assert main([*args, "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "1008 to one" in told
    assert read_card(out)["texts"] == 144
    with scripted(lambda question, time: answered("1")) as server:
        assert main([*args[:-1], f"model:toy|endpoint:{server.url}"]) == 0
    told = capsys.readouterr().out
    assert "people's mean: –;" in told
    assert "rates everything alike" in told
