"""What a court draws anew: by the corpus' card, as asked for, and people besides."""

from __future__ import annotations

from referee.corpora.synthetic.corpus import Synthetic
from referee.courtroom.sampling import Asked, cluster_answers, format_clusters

TRIALS = list(Synthetic(speakers=3).trials())
SCENES = {t.scene.id for t in TRIALS}


def told(hearer: str, cluster: str, sampled: tuple[str, ...] | None, people: int = 2) -> str:
    answers = [Asked("synthetic", t, f"p{p}") for t in TRIALS for p in range(people)]
    return format_clusters(cluster_answers(answers, hearer, cluster, sampled))


def test_by_design_scenes_and_speakers_are_drawn_and_people_besides() -> None:
    assert told("people", "design", ("scene", "speaker")) == f"{len(SCENES)} scenes x 3 speakers x 2 participants"
    assert told("noisy", "design", ("scene", "speaker")) == f"{len(SCENES)} scenes x 3 speakers"


def test_a_game_holds_its_people() -> None:
    trials = [Asked("c", t, "p") for t in TRIALS]
    found = cluster_answers(trials, "people", "design", ("game",))
    assert found.names == ("item",), "no trial here names a game, so items are drawn"


def test_as_asked() -> None:
    assert told("people", "scene", None) == f"{len(SCENES)} scenes"
    assert told("people", "participant", None) == "2 participants"
    assert told("people", "none", None) == f"{len(TRIALS)} items"
    assert told("people", "crossed", None) == f"{len(SCENES)} scenes x 3 speakers"


def test_trials_of_two_corpora_are_not_the_same_for_having_the_same_name() -> None:
    answers = [Asked(origin, t, "p") for origin in ("a", "b") for t in TRIALS]
    assert format_clusters(cluster_answers(answers, "h", "scene", None)) == f"{2 * len(SCENES)} scenes"
