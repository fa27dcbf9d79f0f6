"""Franke & Degen 2016: closed scenes, closed messages, speakers and listeners apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import TINY, write

from referee.corpora.franke_degen import FrankeDegen2016
from referee.errors import UnknownName
from referee.records import Property


def test_a_speakers_choice_is_a_property_and_a_word(tmp_path: Path) -> None:
    spoken, _ = FrankeDegen2016(write(tmp_path, TINY["franke-degen2016"])).trials()
    assert (spoken.id, spoken.targets, spoken.speaker) == ("franke-degen-production-5-2", ("m2",), "speaker-5")
    assert spoken.scene.entity("m2").attributes == (Property("species", "s1"), Property("accessory", "v2"))
    assert spoken.references[0].properties == (Property("accessory", "v2"),)
    assert spoken.references[0].text == "v2"


def test_a_listeners_choice_is_a_creature_and_the_message_comes_with_it(tmp_path: Path) -> None:
    corpus = FrankeDegen2016(write(tmp_path, TINY["franke-degen2016"]))
    _, heard = corpus.trials()
    (response,) = corpus.responses()
    assert heard.targets == ("m3",)
    assert heard.references == (), "the experimenters chose the message"
    assert (response.trial, response.entity, response.identification_ms) == (heard.id, "m2", 1200)
    assert response.description is not None
    assert response.description.properties == (Property("accessory", "v2"),)


def test_parts_can_be_read_alone(tmp_path: Path) -> None:
    data = write(tmp_path, TINY["franke-degen2016"])
    production, comprehension = (FrankeDegen2016(data, part=p) for p in ("production", "comprehension"))
    assert [len(list(c.trials())) for c in (production, comprehension)] == [1, 1]
    assert [len(list(c.responses())) for c in (production, comprehension)] == [0, 1]
    with pytest.raises(UnknownName, match="production"):
        list(FrankeDegen2016(data, part="productions").trials())


# data/franke-degen2016/README.md: 3,828 choices of 58 participants, 3,894 choices of 59 participants.
@pytest.mark.data
def test_counts(data_folder: Path) -> None:
    corpus = FrankeDegen2016(data_folder)
    trials, responses = list(corpus.trials()), list(corpus.responses())
    spoken = [t for t in trials if t.references]
    assert (len(spoken), len({t.speaker for t in spoken})) == (3828, 58)
    assert (len(trials) - len(spoken), len(responses), len({r.hearer for r in responses})) == (3894, 3894, 59)


# The source's own columns: "response" names the role of the chosen creature (2,985 times the target), and the message is true of the target.
@pytest.mark.data
def test_choices_agree_with_the_sources_roles(data_folder: Path) -> None:
    corpus = FrankeDegen2016(data_folder, part="comprehension")
    trials = {t.id: t for t in corpus.trials()}
    hits = 0
    for r in corpus.responses():
        trial = trials[r.trial]
        assert (r.entity in trial.targets) == (trial.meta["response"] == "target")
        assert r.description is not None
        assert trial.scene.denotation(r.description.properties or ()) & trial.target_mask
        hits += r.entity in trial.targets
    assert hits == 2985
