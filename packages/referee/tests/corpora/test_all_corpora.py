"""What holds of every corpus: nothing betrays the target, nothing is lost on the way through JSON, nothing strange crashes a reader."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import TINY, write

from referee.catalogue import create, names
from referee.corpora.jsonl import (
    read_responses,
    read_trials,
    response_to_json,
    trial_to_json,
    trials_to_json,
    write_json_line,
)
from referee.errors import RefereeError
from referee.records import Response, Trial

CORPORA = [name for name in names("corpus") if name != "jsonl"]
# Of these the package reads the published files, and no copy is at hand: tests/corpora/test_published_forms.py writes small ones.
ELSEWHERE = {"refcoco", "refcoco+", "refcocog", "grefcoco", "refoi", "screenspot"}
CORPORA = [name for name in CORPORA if name not in ELSEWHERE]
# The first trials of every day; `make test-all` reads whole corpora, but of Colors no more than this: one response a trial, in the same order.
DAILY = 500
LIMITS = {"colors": 4000}


def target_places(trials: list[Trial]) -> Counter[int]:
    return Counter(t.scene.index(target) for t in trials for target in t.targets)


def places_in_hearers_views(trials: list[Trial]) -> set[int]:
    rng = Random(7)
    return {t.for_hearer(rng).scene.index(t.targets[0]) for t in trials[:100]}


def attributes_of_targets_only(trials: list[Trial]) -> set[str]:
    ours: set[str] = set()
    theirs: set[str] = set()
    for trial in trials:
        for entity in trial.scene.entities:
            (ours if entity.id in trial.targets else theirs).update(p.name for p in entity.attributes)
    return ours - theirs


@pytest.fixture(scope="module", params=CORPORA)
def corpus(request: pytest.FixtureRequest, data_folder: Path) -> tuple[str, list[Trial], list[Response]]:
    reader = create(
        "corpus",
        request.param,
        **({} if request.param in ("synthetic", "plurals", "solids") else {"data": data_folder}),
    )
    limit = LIMITS.get(request.param) if os.environ.get("REFEREE_THOROUGH") else DAILY
    trials = list(islice(reader.trials(), limit))
    known = {t.id for t in trials}
    responses = [r for r in islice(reader.responses(), limit) if limit is None or r.trial in known]
    return request.param, trials, responses


@pytest.mark.data
def test_no_place_and_no_attribute_betrays_the_target(corpus: tuple[str, list[Trial], list[Response]]) -> None:
    name, trials, _ = corpus
    assert len(trials) >= 100
    if all(len(t.scene.entities) <= 1 for t in trials):
        return  # only what is meant is outlined, and no hearer is shown outlines (test_records)
    assert len(target_places(trials)) > 1, f"{name}: the target is always at the same place"
    assert len(places_in_hearers_views(trials)) > 1, name
    assert attributes_of_targets_only(trials) == set(), name


@pytest.mark.data
def test_ids_are_unique_and_everything_named_exists(corpus: tuple[str, list[Trial], list[Response]]) -> None:
    _, trials, responses = corpus
    scenes = {t.id: t.scene for t in trials}
    assert len(scenes) == len(trials)
    for trial in trials:
        assert len({e.id for e in trial.scene.entities}) == len(trial.scene.entities)
        # In a picture nothing may be meant.
        assert trial.target_mask or trial.scene.picture
        assert trial.after is None or trial.after in scenes
        assert all(d.text is None or d.text.strip() for d in trial.references)
    for response in responses:
        assert response.entity is None or scenes[response.trial].mask([response.entity])


@pytest.mark.data
def test_a_corpus_survives_the_way_through_json(
    corpus: tuple[str, list[Trial], list[Response]], tmp_path: Path
) -> None:
    _, trials, responses = corpus
    some = trials[:400]
    (tmp_path / "trials.jsonl").write_text("".join(write_json_line(t) + "\n" for t in trials_to_json(some)))
    assert list(read_trials(tmp_path / "trials.jsonl")) == some
    (tmp_path / "responses.jsonl").write_text(
        "".join(write_json_line(response_to_json(r)) + "\n" for r in responses[:400])
    )
    assert list(read_responses(tmp_path / "responses.jsonl")) == responses[:400]


@pytest.mark.data
def test_everything_kept_beside_the_trial_is_plain_json(corpus: tuple[str, list[Trial], list[Response]]) -> None:
    _, trials, _ = corpus
    for trial in trials[:: max(1, len(trials) // 200)]:
        data = trial_to_json(trial)
        assert json.loads(write_json_line(data)) == data


@pytest.mark.parametrize("name", sorted(TINY))
def test_the_tiny_corpora_go_through_json_too(name: str, tmp_path: Path) -> None:
    reader = create("corpus", name, data=write(tmp_path / "data", TINY[name]))
    trials, responses = list(reader.trials()), list(reader.responses())
    (tmp_path / "t.jsonl").write_text("".join(write_json_line(t) + "\n" for t in trials_to_json(trials)))
    (tmp_path / "r.jsonl").write_text("".join(write_json_line(response_to_json(r)) + "\n" for r in responses))
    assert list(read_trials(tmp_path / "t.jsonl")) == trials != []
    assert list(read_responses(tmp_path / "r.jsonl")) == responses


@pytest.mark.parametrize("name", sorted(TINY))
def test_the_card_says_where_the_files_come_from(name: str) -> None:
    card = create("corpus", name).card
    assert card.name == name
    # A corpus that joins another one needs that one's files, too.
    folder = card.files[0].partition("/")[0]
    assert set(card.files) == {file for file in TINY[name] if file.partition("/")[0] == folder}
    assert all((card.title, card.source, card.licence, card.citation, card.languages, card.faults))


# -- anything may be in a file --------------------------------------------------------------------------------------------

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6)
)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)


def damaged(value: Any, draw: st.DrawFn) -> Any:
    """A copy with something somewhere replaced, removed or repeated."""
    inside = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    if not inside or draw(st.integers(0, 4)) == 0:
        return draw(ANYTHING)
    place = draw(st.sampled_from(inside))
    if isinstance(value, list):
        replaced = (
            draw(st.sampled_from([[], [value[place]] * 2]))
            if draw(st.integers(0, 3)) == 0
            else [damaged(value[place], draw)]
        )
        return [*value[:place], *replaced, *value[place + 1 :]]
    if draw(st.integers(0, 3)) == 0:
        return {k: v for k, v in value.items() if k != place}
    return value | {place: damaged(value[place], draw)}


@st.composite
def damaged_files(draw: st.DrawFn, name: str) -> dict[str, Any]:
    files = TINY[name]
    broken = draw(st.sampled_from([f for f, content in files.items() if not isinstance(content, str)]))
    return files | {broken: damaged(files[broken], draw)}


@pytest.mark.parametrize("name", sorted(TINY))
def test_a_damaged_file_is_read_or_refused_but_never_crashes_a_reader(name: str) -> None:
    @settings(max_examples=60, deadline=None)
    @given(damaged_files(name))
    def check(files: dict[str, Any]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            reader = create("corpus", name, data=write(Path(folder), files))
            try:
                trials = list(reader.trials())
                responses = list(reader.responses())
            except RefereeError as error:
                assert "→" in str(error), "an error says what to do next"
                return
            for trial in trials:
                assert trial.target_mask or trial.scene.picture
            for response in responses:
                assert response.trial in {t.id for t in trials}

    check()
