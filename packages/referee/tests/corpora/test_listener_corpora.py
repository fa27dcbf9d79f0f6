"""Readers of corpora of listeners: hand-written lines, and the tables that the READMEs of the data print."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tiny import TINY, mayn_row, write

from referee.catalogue import create
from referee.errors import InputError, MalformedInput
from referee.hearers.answering import understand
from referee.hearers.recorded import read_recorded
from referee.records import Description, Outcome, Property


def rates(name: str, data: Path, **options: str) -> dict[tuple[object, ...], tuple[int, int]]:
    """Right answers and answers by experiment or domain, system and condition."""
    corpus = create("corpus", name, data=data, **options)
    trials = {t.id: t for t in corpus.trials()}
    right: Counter[tuple[object, ...]] = Counter()
    total: Counter[tuple[object, ...]] = Counter()
    for response in corpus.responses():
        trial = trials[response.trial]
        key = (trial.meta.get("experiment") or trial.domain, response.system, trial.condition)
        total[key] += 1
        right[key] += response.entity == trial.targets[0]
    return {key: (right[key], n) for key, n in total.items()}


def test_people_who_saw_one_item_answer_one_trial(tmp_path: Path) -> None:
    corpus = create("corpus", "mayn-refgames", data=write(tmp_path, TINY["mayn-refgames"]))
    (trial,) = corpus.trials()
    # In the order of their looks: green monster, robot with red hat, robot with scarf (the target).
    assert [e.value("kind") for e in trial.scene.entities] == ["green monster", "robot", "robot"]
    assert (trial.targets, [r.entity for r in corpus.responses()]) == (("o3",), ["o2", "o3"])


def test_a_choice_that_disagrees_with_its_code_is_refused(tmp_path: Path) -> None:
    data = write(tmp_path, {"mayn-refgames/choices.jsonl.gz": [mayn_row("p1", "simple", 1, correct=True)]})
    with pytest.raises(MalformedInput, match=r"choices.jsonl.gz:1: correct is True"):
        list(create("corpus", "mayn-refgames", data=data).responses())


def test_blank_answers_are_no_answers_and_base_is_no_system(tmp_path: Path) -> None:
    data = write(tmp_path, TINY["pragma"])
    answers = list(create("corpus", "pragma", data=data).responses())
    assert [(r.system, r.entity, r.description.text) for r in answers if r.description] == [
        ("literal", "1_0", "a dog"),
        ("reasoning", "2_0", "a cat"),
    ]
    (several,) = create("corpus", "pragma", data=data, part="four-way").responses()
    assert (several.outcome, several.entity) == (Outcome.SEVERAL, None)


def test_networks_hear_the_rounds_of_colors(tmp_path: Path) -> None:
    data = write(tmp_path, TINY["coop-nets"])
    corpus = create("corpus", "coop-nets", data=data)
    (trial,) = corpus.trials()
    assert trial.id == "colors-g1-1"
    clicks = {m: read_recorded(f"recorded:coop-nets/{m}", [trial], data).answers[trial.id].entity for m in ("L0", "Le")}
    # By the speaker's positions distr2 is c1 and the target c2.
    assert clicks == {"L0": "c1", "Le": "c2"}


def test_rounds_that_colors_lacks_are_told(tmp_path: Path) -> None:
    rows = [
        *TINY["coop-nets"]["coop-nets/outputs.jsonl.gz"],
        {"game": "g9", "round": 3, "condition": "far", "human": "distr2"},
    ]
    data = write(tmp_path, TINY["coop-nets"] | {"coop-nets/outputs.jsonl.gz": rows})
    with pytest.raises(InputError, match="colors-g9-3 is not in the corpus colors"):
        list(create("corpus", "coop-nets", data=data).trials())


def test_a_wrong_click_on_a_figure_that_is_not_known(tmp_path: Path) -> None:
    data = write(tmp_path, TINY["conventions-network"])
    corpus = create("corpus", "conventions-network", data=data)
    first, second = corpus.trials()
    assert second.after == first.id
    assert len(list(create("corpus", "conventions-network", data=data, part="all").trials())) == 3
    assert [(r.outcome, r.entity) for r in corpus.responses()] == [
        (Outcome.ENTITY, "B"),
        (Outcome.UNPARSABLE, None),
    ]


def test_the_director_changes_and_references_have_no_fillers(tmp_path: Path) -> None:
    corpus = create("corpus", "cabb-dutch", data=write(tmp_path, TINY["cabb-dutch"]))
    trials = list(corpus.trials())
    assert {t.references[0].text for t in trials} == {"met een bal"}
    assert [e.text for e in trials[0].episode if e.kind == "message"] == ["uh met een bal", "#lacht#"]
    assert [r.outcome for r in corpus.responses()] == [Outcome.ENTITY, Outcome.UNPARSABLE, Outcome.TIMEOUT]


def test_scores_of_a_model_are_beliefs_by_softmax(tmp_path: Path) -> None:
    data = write(tmp_path, TINY["franke2024"])
    trials = list(create("corpus", "franke2024", data=data).trials())
    recorded = read_recorded("recorded:franke2024/M1", trials, data)
    answer = recorded.answers["franke2024-listener-0"]
    # exp(-1), exp(0), exp(-3) over their sum.
    assert [round(p, 4) for _, p in answer.probabilities or ()] == [0.2595, 0.7054, 0.0351]
    sharper = recorded.with_alpha(2.0).answers["franke2024-listener-0"]
    assert [round(p, 4) for _, p in sharper.probabilities or ()] == [0.1189, 0.8789, 0.0022]


@pytest.mark.data
def test_tables_of_the_readmes(data_folder: Path) -> None:
    mayn = rates("mayn-refgames", data_folder)
    # README of mayn-refgames: share right and answers in critical trials; item 20 repaired.
    for (experiment, condition), (share, n) in {
        ("stimuli-1", "simple"): (0.810, 564),
        ("stimuli-2", "simple"): (0.520, 564),
        ("stimuli-4", "complex"): (0.561, 576),
        ("cogsci22-main", "unambiguous"): (0.989, 1782),
    }.items():
        right, total = mayn[experiment, None, condition]
        assert (round(right / total, 3), total) == (share, n)
    # README of pragma: right answers; of 200 (100) answers one is blank in three cells.
    pragma = rates("pragma", data_folder)
    assert pragma["dev/by_similarity", "literal", None] == (132, 199)
    assert pragma["dev/by_similarity", "reasoning.1000", None] == (171, 200)
    assert pragma["dev/one_different_b", "reasoning", None] == (168, 200)
    assert pragma["dev_small/by_similarity", "reasoning.100", None] == (93, 100)
    networks = rates("conventions-network", data_folder)
    # README: partner 1 .848 and .967, partner 3 .989, of 184 each.
    assert networks["tangrams", None, "partner-1-repetition-1"] == (156, 184)
    assert networks["tangrams", None, "partner-1-repetition-4"] == (178, 184)
    assert networks["tangrams", None, "partner-3-repetition-4"] == (182, 184)
    cabb = rates("cabb-dutch", data_folder)
    assert [cabb["fribbles", None, f"round-{n}"][0] for n in range(1, 7)] == [303, 300, 303, 302, 303, 302]


@pytest.mark.data
@pytest.mark.long
def test_the_table_of_coop_nets(data_folder: Path) -> None:
    """README: people .903, L0 .833, Le .848 over 12,561 rounds."""
    corpus = create("corpus", "coop-nets", data=data_folder)
    trials = list(corpus.trials())
    assert len(trials) == 12_561
    for model, share in (("L0", 0.833), ("Le", 0.848)):
        clicks = read_recorded(f"recorded:coop-nets/{model}", trials, data_folder).answers
        right = sum(clicks[t.id].entity == t.targets[0] for t in trials)
        assert round(right / len(trials), 3) == share


def test_values_of_several_words_are_understood(tmp_path: Path) -> None:
    corpus = create("corpus", "mayn-refgames", data=write(tmp_path, TINY["mayn-refgames"]))
    (trial,) = corpus.trials()
    assert understand(Description(text="the green monster, not the red hat"), trial.scene) == (
        Property("kind", "green monster"),
        Property("accessory", "red hat"),
    )
