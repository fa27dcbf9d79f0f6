"""KiloGram tangrams in pairs: contexts in the pilots only, and what follows from that."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import mean

import pytest
from tiny import TINY, write

from referee.contracts import Batch
from referee.corpora.jsonl import trial_from_json, trial_to_json
from referee.corpora.tangrams_ref import TangramsRef
from referee.errors import MalformedInput, UnknownName
from referee.hearers.passports.people import open_people
from referee.metrics.discrimination import Bits, Deficit, Minimal, Remaining, Surplus, Unique
from referee.metrics.semantics import Denotation
from referee.records import Description, Outcome, Property

MAIN = "tangrams-ref/clean_no_discourse.csv.gz"


def test_without_contexts_a_scene_is_known_in_part(tmp_path: Path) -> None:
    first, *others = TangramsRef(write(tmp_path, TINY["tangrams-ref"]), part="main").trials()
    assert (first.id, first.targets, first.condition) == ("tangrams-ref-main-P1-0-page1-2", ("page1-2",), "block-1")
    assert not first.scene.complete
    assert [e.id for e in first.scene.entities] == ["page1-2", "page3-4", "page9-1"], "all that the game ever named"
    assert {t.scene for t in others} == {first.scene}
    assert (first.speaker, first.after) == (None, None)


def test_the_pilots_have_contexts_speakers_and_an_order(tmp_path: Path) -> None:
    first, silent, third, other = TangramsRef(write(tmp_path, TINY["tangrams-ref"]), part="pilots").trials()
    assert first.scene.complete
    assert [e.id for e in first.scene.entities] == ["page1-3", "page2-9", "page2-10"]
    assert (first.scene.id, other.scene.id) == ("pilot1-context-1", "pilot2-context-1")
    assert (silent.after, third.after, other.after) == (first.id, silent.id, None)
    assert (first.speaker, silent.references) == ("pilot1-7", ())


def test_clicks_and_times(tmp_path: Path) -> None:
    wrong, right, none, *pilots = TangramsRef(write(tmp_path, TINY["tangrams-ref"])).responses()
    assert (wrong.entity, wrong.identification_ms, wrong.hearer) == ("page9-1", 4000, "P1")
    assert (right.entity, none.outcome, none.entity, none.identification_ms) == ("page1-2", Outcome.TIMEOUT, None, None)
    assert [r.identification_ms for r in pilots] == [14_000, None, 14_000, 14_000], (
        "from the message, not from the start"
    )
    assert [r.hearer for r in pilots] == ["pilot1-8"] * 3 + ["pilot2-8"]


def test_what_the_speaker_wrote_is_the_reference(tmp_path: Path) -> None:
    trial = next(TangramsRef(write(tmp_path, TINY["tangrams-ref"])).trials())
    assert trial.references[0].text == "a bird yes"
    assert [e.text for e in trial.episode if e.kind == "message"] == ["a bird", "yes", "flying?"]


def test_measures_of_the_scene_say_nothing_where_it_is_not_known_whole(tmp_path: Path) -> None:
    trials = list(TangramsRef(write(tmp_path, TINY["tangrams-ref"])).trials())
    said = [Description(properties=(Property("name", t.targets[0]),)) for t in trials]
    batch = Batch.of(said, trials, [[d] for d in said])
    for measure in (Unique(), Minimal(), Remaining(), Bits(), Surplus(), Deficit(), Denotation()):
        assert measure.score(batch).n == 4, f"{measure.name}: the pilots' four"
    main = Batch.of(said[:3], trials[:3], [[d] for d in said[:3]])
    assert (Unique().score(main).value, Unique().score(main).n) == (None, 0)


def test_a_scene_known_in_part_survives_the_way_through_json(tmp_path: Path) -> None:
    first, *_, last = TangramsRef(write(tmp_path, TINY["tangrams-ref"])).trials()
    assert trial_from_json(trial_to_json(first)) == first
    assert "complete" not in trial_to_json(last)


def test_hearers_are_not_held_against_answers_in_unknown_scenes(tmp_path: Path) -> None:
    people = open_people("tangrams-ref", write(tmp_path, TINY["tangrams-ref"]))
    assert people.left_out["in a scene that is not known whole"] == 3
    assert {a.trial.meta["part"] for a in people.answers} == {"pilot1", "pilot2"}


def test_what_is_no_list_is_refused_with_its_line(tmp_path: Path) -> None:
    rows = [TINY["tangrams-ref"][MAIN][0], TINY["tangrams-ref"][MAIN][1] | {"speaker_desc": "open('x')"}]
    with pytest.raises(MalformedInput, match=r"clean_no_discourse.csv.gz:3: .* is not a list"):
        list(TangramsRef(write(tmp_path, TINY["tangrams-ref"] | {MAIN: rows})).trials())


def test_an_unknown_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean pilots"):
        list(TangramsRef(write(tmp_path, TINY["tangrams-ref"]), part="pilot").trials())


# data/tangrams-ref/README.md: 4,449 rounds of 151 games, correct .925; the pilots were counted over the tables without the reader.
@pytest.mark.long
@pytest.mark.data
def test_counts_of_the_real_corpus(data_folder: Path) -> None:
    corpus = TangramsRef(data_folder)
    trials = {t.id: t for t in corpus.trials()}
    responses = list(corpus.responses())
    assert Counter(t.meta["part"] for t in trials.values()) == {"main": 4449, "pilot1": 1800, "pilot2": 2360}
    assert len({t.meta["game"] for t in trials.values()}) == 151 + 60 + 59
    main = [r.entity in trials[r.trial].targets for r in responses if r.flags == ("main",)]
    # The source's share counts the four rounds without a click as wrong: 4,115 of 4,449.
    assert (sum(main), round(mean(main), 3)) == (4115, 0.925)
    assert sum(r.outcome == Outcome.TIMEOUT for r in responses) == 4 + 228 + 384
    pilots = [t for t in trials.values() if t.scene.complete]
    assert ({len(t.scene.entities) for t in pilots}, len({t.scene.id for t in pilots})) == ({10}, 29 + 65)
    assert {len(t.scene.entities) for t in trials.values() if not t.scene.complete} == {8, 9, 10}
