"""What was sampled, on the card of every corpus, and the label that every trial has for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import TINY, write

from referee.catalogue import create, names
from referee.corpora.clusters import FACTORS, describe_sampling, get_cluster
from referee.errors import UnknownName
from referee.records import Entity, Outcome, Response, Scene, Trial

SCENE = Scene(id="s3", entities=(Entity(id="a"),))
TRIAL = Trial(id="t", scene=SCENE, targets=("a",), speaker="ann", meta={"game": 7})
ANSWER = Response(trial="t", hearer="bob", outcome=Outcome.DONT_KNOW)


def test_every_factor_has_its_label() -> None:
    assert [get_cluster(TRIAL, factor) for factor in FACTORS] == ["s3", "ann", "7", None]
    assert get_cluster(TRIAL, "participant", ANSWER) == "bob"


def test_what_is_not_known_has_no_label() -> None:
    bare = Trial(id="t", scene=Scene(entities=()), targets=())
    assert [get_cluster(bare, factor) for factor in FACTORS] == [None] * 4


def test_an_unknown_factor_is_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean speaker"):
        get_cluster(TRIAL, "speakers")


def test_sampling_in_words() -> None:
    assert describe_sampling(("game",)) == "games: intervals generalise to new games"
    assert "scenes and speakers, crossed" in describe_sampling(("scene", "speaker"))
    assert "unknown" in describe_sampling(())


@pytest.mark.parametrize("name", [n for n in names("corpus") if n != "jsonl"])
def test_every_card_says_what_was_sampled(name: str) -> None:
    sampled = create("corpus", name).card.sampled
    # Its pictures are not named, so its trials stand alone, and scores say so.
    assert (0 if name == "rec-eval" else 1) <= len(sampled) <= 2
    assert set(sampled) <= set(FACTORS)


@pytest.mark.parametrize("name", sorted(TINY))
def test_every_trial_has_a_label_for_what_was_sampled(name: str, tmp_path: Path) -> None:
    corpus = create("corpus", name, data=write(tmp_path, TINY[name]))
    trials = {t.id: t for t in corpus.trials()}
    of_answers = [f for f in corpus.card.sampled if f == "participant"]
    of_trials = [f for f in corpus.card.sampled if f != "participant"]
    assert all(get_cluster(t, factor) for t in trials.values() for factor in of_trials)
    assert all(get_cluster(trials[r.trial], factor, r) for r in corpus.responses() for factor in of_answers)


# TUNA: 60 speakers and 13 scenes (Gatt et al. 2007); GRE3D3: 63 and 20 (Viethen & Dale 2008); GRE3D7: 280 and 32 (2011); games as the
# corpora's READMEs count them; the others are own counts over the files, made without the readers.
@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("tuna", (13, 60)),
        ("gre3d3", (20, 63)),
        ("gre3d7", (32, 280)),
        ("stars", (11, 64)),
        ("stars2", (64, 76)),
        ("zoom", (20, 96)),
        pytest.param("give2", (18, 108), marks=pytest.mark.long),
        ("b5-ref", (12, 152)),
        ("degen2020", (132,)),
        ("franke-degen2016", (58 + 59,)),
        ("tangrams-hawkins", (83,)),
        pytest.param("kth-tangrams", (34,), marks=pytest.mark.long),
        ("pento-take", (7,)),
        pytest.param("tg-matcher", (250, 181), marks=pytest.mark.long),
        pytest.param("color-grids", (158,), marks=pytest.mark.long),
        pytest.param("colors-mandarin", (99,), marks=pytest.mark.long),
        pytest.param("multiparty-tangrams", (164,), marks=pytest.mark.long),
        pytest.param("tangrams-ref", (270,), marks=pytest.mark.long),
        pytest.param("vlm-tangram", (203, 120), marks=pytest.mark.long),
        pytest.param("continual-adaptation", (136,), marks=pytest.mark.long),
    ],
)
def test_the_number_of_clusters(name: str, counts: tuple[int, ...], data_folder: Path) -> None:
    corpus = create("corpus", name, data=data_folder)
    trials = {t.id: t for t in corpus.trials()}
    found = {factor: {get_cluster(t, factor) for t in trials.values()} for factor in corpus.card.sampled}
    if found.get("participant") == {None}:
        found["participant"] = {get_cluster(trials[r.trial], "participant", r) for r in corpus.responses()}
    assert tuple(map(len, found.values())) == counts
    assert not any(None in labels for labels in found.values())
