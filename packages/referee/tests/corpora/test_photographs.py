"""Photographs named by people and by a model: whose clicks are answers, whose words are references."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import mean

import pytest
from tiny import TINY, photo_click, write

from referee.corpora.photographs import KINDS, ContinualAdaptation
from referee.errors import MalformedInput, UnknownName
from referee.records import Trial


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(tmp_path, TINY["continual-adaptation"])


def of_kind(trials: list[Trial], kind: str) -> list[Trial]:
    return [t for t in trials if t.condition == kind]


def test_photographs_are_in_the_order_of_their_names(data: Path) -> None:
    trial = next(ContinualAdaptation(data).trials())
    assert (trial.id, trial.scene.id, trial.targets) == ("continual-human-human-g-7-0", "hard-68", ("p2",))
    assert [e.id for e in trial.scene.entities] == ["p1", "p2", "p3", "p4"], "the source has the target last"
    assert trial.scene.entity("p2").image == "p2.jpg"


def test_contexts_of_the_two_designs_are_not_mixed_up(data: Path) -> None:
    scenes = {(t.condition, t.scene.id) for t in ContinualAdaptation(data).trials()}
    assert scenes == {(kind, f"{design}-68") for kind, design in KINDS.items()}


def test_what_the_model_said_is_answered_but_is_no_reference(data: Path) -> None:
    corpus = ContinualAdaptation(data)
    spoken = of_kind(list(corpus.trials()), "model-as-speaker")
    assert all(t.references == () and t.speaker is None for t in spoken)
    answers = {r.trial: r for r in corpus.responses()}
    assert {(answers[t.id].system, answers[t.id].description is not None) for t in spoken[:2]} == {
        ("captioning-model", True)
    }


def test_what_the_model_clicked_is_no_response(data: Path) -> None:
    corpus = ContinualAdaptation(data)
    heard = of_kind(list(corpus.trials()), "model-as-listener")
    assert heard[0].references[0].text == "a dog"
    assert {e.by for t in heard for e in t.episode if e.kind == "click"} == {"model"}
    assert not {r.trial for r in corpus.responses()} & {t.id for t in heard}


def test_times_and_choices(data: Path) -> None:
    first, second, *_ = ContinualAdaptation(data).responses()
    assert (first.entity, first.identification_ms, first.flags) == ("p2", 2000, ("simple",))
    assert (second.entity, second.identification_ms, second.flags) == ("p1", 1800, ())
    assert second.description is not None
    assert second.description.text == "dog", "what came after the click was not heard"


def test_the_makers_own_tests_are_left_out_unless_asked_for(data: Path) -> None:
    counts = [Counter(t.condition for t in ContinualAdaptation(data, part=p).trials()) for p in ("played", "all")]
    assert counts[1] - counts[0] == {"human-human": 1}
    with pytest.raises(UnknownName, match="no part"):
        list(ContinualAdaptation(data, part="x").trials())


def test_a_row_without_a_target_is_refused(tmp_path: Path) -> None:
    name = "continual-adaptation/human-human.clickedObjFromMongo.csv.gz"
    row = photo_click(0, "target")
    files = TINY["continual-adaptation"] | {
        name: [row | {"fullContext": row["fullContext"].replace('"target"', '"distr9"')}]
    }
    with pytest.raises(MalformedInput, match=r":2: 0 photographs are 'target'"):
        list(ContinualAdaptation(write(tmp_path, files)).trials())


# data/continual-adaptation/README.md: (rounds, games, raw share correct including pilots) of the four kinds.
README = {
    "human-human": (1405, 86, 0.952),
    "human-human-easy": (1310, 56, 0.982),
    "model-as-listener": (1413, 60, 0.732),
    "model-as-speaker": (1343, 59, 0.939),
}


@pytest.mark.data
def test_counts_of_the_real_corpus(data_folder: Path) -> None:
    trials = list(ContinualAdaptation(data_folder, part="all").trials())
    found = {}
    for kind in README:
        ours = of_kind(trials, kind)
        clicks = [e for t in ours for e in t.episode if e.kind == "click"]
        right = mean(c.data["correct"] for c in clicks)
        found[kind] = (len(ours), len({t.meta["game"] for t in ours}), round(right, 3))
    assert found == README
    assert len({t.scene.id for t in trials}) == len({t.scene.entities for t in trials}) == 143


@pytest.mark.data
def test_the_games_that_were_played(data_folder: Path) -> None:
    corpus = ContinualAdaptation(data_folder)
    trials, responses = list(corpus.trials()), list(corpus.responses())
    assert (len(trials), len({t.meta["game"] for t in trials})) == (5373, 231)
    assert len(responses) == 1405 - 98 + 1310 + 1343
    assert Counter(r.system for r in responses) == {None: 2617, "captioning-model": 1343}
    contexts = Counter(t.meta["game"] for t in {(t.meta["game"], t.scene.id): t for t in trials}.values())
    assert set(contexts.values()) == {1}, "games lie within contexts"
