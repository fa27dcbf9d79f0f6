"""Hearers that were asked elsewhere: what their files say, and what is refused with file and line."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from referee.corpora.color_grids import ColorGrids
from referee.errors import DataNotFound, DuplicateTrial, InputError, MalformedInput, UnknownName, UnknownTrial
from referee.hearers.recorded import Recorded, is_recorded, list_models, read_recorded
from referee.records import Entity, Outcome, Scene, Trial

SCENE = Scene(entities=tuple(Entity(id=i) for i in "abc"))
TRIALS = [Trial(id=f"t{n}", scene=SCENE, targets=("a",)) for n in (1, 2, 3)]
LINE = {"trial": "t1", "entity": "b", "places": ["c", "b", "a"]}


def record(folder: Path, *lines: Any) -> Recorded:
    path = folder / "answers.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines), "utf-8")
    return read_recorded(f"recorded:{path}", TRIALS)


def test_an_answer_is_an_entity_unless_it_says_otherwise(tmp_path: Path) -> None:
    found = record(
        tmp_path,
        LINE | {"text": "the middle one"},
        {"trial": "t2", "outcome": "several", "entity": None, "places": ["a", "b", "c"]},
        "",
    )
    assert found.name == f"recorded:{tmp_path / 'answers.jsonl'}"
    assert (found.answers["t1"].outcome, found.answers["t1"].entity) == (Outcome.ENTITY, "b")
    assert (found.answers["t2"].outcome, found.answers["t2"].entity) == (Outcome.SEVERAL, None)
    assert found.places == {"t1": ("c", "b", "a"), "t2": ("a", "b", "c")}
    assert found.texts == {"t1": "the middle one"}
    assert "t3" not in found.answers, "not asked"


def test_probabilities_are_kept(tmp_path: Path) -> None:
    found = record(tmp_path, LINE | {"probabilities": {"b": 0.5, "a": 0.25, "several": 0.25}})
    assert found.answers["t1"].probabilities == (("b", 0.5), ("a", 0.25), ("several", 0.25))


@pytest.mark.parametrize(
    ("line", "error", "problem"),
    [
        ("{", MalformedInput, "not JSON"),
        ({"entity": "b", "places": ["a", "b", "c"]}, MalformedInput, "'trial' is missing"),
        (LINE | {"trial": "t9"}, UnknownTrial, "'t9' is not in the corpus"),
        (LINE | {"trial": "t3"}, DuplicateTrial, "'t3' is answered twice"),
        (LINE | {"outcome": "maybe"}, MalformedInput, "the outcome 'maybe' is not known"),
        (LINE | {"entity": "z"}, MalformedInput, "'z' is chosen and not among the places"),
        (LINE | {"entity": None}, MalformedInput, "none is named"),
        (LINE | {"outcome": "none"}, MalformedInput, "and yet 'b' is chosen"),
        (LINE | {"places": ["a", "b"]}, MalformedInput, "'c' is in the scene and has no place"),
        (LINE | {"places": ["a", "b", "c", "d"]}, MalformedInput, "'d' is not in the scene"),
        (LINE | {"places": ["a", "b", "b"]}, MalformedInput, "are not ids"),
        ({"trial": "t1", "entity": "b"}, MalformedInput, "'places' is missing"),
        (LINE | {"probabilities": {"a": 0.5}}, MalformedInput, "sum to 0.5"),
        (LINE | {"probabilities": {"z": 1}}, MalformedInput, "'z' has a probability and no place"),
        (LINE | {"probabilities": {"a": 1.5, "b": -0.5}}, MalformedInput, "probability of 'b' is -0.5"),
        (LINE | {"text": 7}, MalformedInput, "'text' should be text"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(
    line: Any, error: type[InputError], problem: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=r"answers.jsonl:2: .*") as told:
        record(tmp_path, LINE | {"trial": "t3"}, line)
    assert problem in str(told.value)
    assert "→" in str(told.value)


def test_a_file_that_is_empty_or_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the file has no answers"):
        record(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read_recorded(f"recorded:{tmp_path / 'nothing.jsonl'}", TRIALS)


def test_names_of_recorded_hearers() -> None:
    assert is_recorded("recorded:x.jsonl")
    assert not is_recorded("literal")


# -- the folder mllm-listeners ---------------------------------------------------------------------------------------------

ROUND = {"game": "12-ab-c", "round": 1, "target_place": 1, "answers": {"M1": [0, "left"], "M2": [1, "middle"]}}


GRIDS = Scene(entities=tuple(Entity(id=f"o{i}") for i in range(3)))


def grids(folder: Path, *rows: dict[str, Any]) -> tuple[Path, list[Trial]]:
    (folder / "mllm-listeners").mkdir(parents=True)
    packed = gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode())
    (folder / "mllm-listeners" / "answers.jsonl.gz").write_bytes(packed)
    shown = {"places": ["o1", "o2", "o0"]}
    return folder, [Trial(id=f"12-ab-c-{n}", scene=GRIDS, targets=("o2",), meta=shown) for n in (1, 2, 3)]


def test_a_model_of_the_folder_chose_by_place(tmp_path: Path) -> None:
    data, trials = grids(tmp_path, ROUND, ROUND | {"round": 2, "answers": {"M1": [-1, "hm"]}})
    found = read_recorded("recorded:mllm-listeners/M1", trials, data)
    # The listener saw o1, o2, o0 from left to right.
    assert found.places["12-ab-c-1"] == ("o1", "o2", "o0")
    assert [(a.outcome, a.entity) for a in found.answers.values()] == [
        (Outcome.ENTITY, "o1"),
        (Outcome.UNPARSABLE, None),
    ]
    assert found.texts["12-ab-c-1"] == "left"
    assert list(read_recorded("recorded:mllm-listeners/M2", trials, data).answers) == ["12-ab-c-1"]
    assert list_models("mllm-listeners", data) == ("M1", "M2")


def test_the_folder_is_found_beside_the_corpus_own(tmp_path: Path) -> None:
    data, trials = grids(tmp_path, ROUND)
    assert read_recorded("recorded:mllm-listeners/M2", trials, data / "color-grids").answers


def test_a_missing_folder_and_an_unknown_model_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REFEREE_DATA", raising=False)
    data, trials = grids(tmp_path / "data", ROUND)
    with pytest.raises(UnknownName, match=r"one of M1, M2|did you mean"):
        read_recorded("recorded:mllm-listeners/M9", trials, data)
    with pytest.raises(DataNotFound, match=r"deeper: the corpus 'mllm-listeners' is not here \(looked for answers"):
        read_recorded("recorded:mllm-listeners/M1", trials, tmp_path / "elsewhere" / "deeper")
    with pytest.raises(InputError, match="the name of the recorded model is missing"):
        read_recorded("recorded:mllm-listeners", trials, data)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"answers": {"M1": [3, "x"]}}, "M1 chose place 3 of 3"),
        ({"target_place": 0}, "the target is at another place"),
        ({"answers": {"M1": 0}}, "not of the expected form"),
    ],
)
def test_rounds_that_do_not_fit_the_corpus_are_refused(change: dict[str, Any], problem: str, tmp_path: Path) -> None:
    data, trials = grids(tmp_path, ROUND, ROUND | {"round": 2} | change)
    with pytest.raises(MalformedInput, match=rf"answers.jsonl.gz:2: .*{problem}"):
        read_recorded("recorded:mllm-listeners/M1", trials, data)


def test_answers_to_another_corpus_are_unknown_trials(tmp_path: Path) -> None:
    data, _ = grids(tmp_path, ROUND)
    with pytest.raises(UnknownTrial, match="color-grids"):
        read_recorded("recorded:mllm-listeners/M1", TRIALS, data)


# Shares of places 0, 1, 2 and the number right, counted over the two files without these readers.
@pytest.mark.long
@pytest.mark.data
def test_the_six_models_answered_all_rounds_with_messages(data_folder: Path) -> None:
    trials = {t.id: t for t in ColorGrids(data_folder).trials()}
    models = list_models("mllm-listeners", data_folder)
    assert len(models) == 6
    name = "recorded:mllm-listeners/Qwen2-VL-72B-Instruct-AWQ"
    found = read_recorded(name, trials.values(), data_folder)
    assert len(found.answers) == 8805
    silent = {t.id for t in trials.values() if not any(e.kind == "message" for e in t.episode)}
    assert set(trials) - set(found.answers) == silent
    shown = Counter(found.places[t].index(a.entity) for t, a in found.answers.items() if a.entity is not None)
    assert (shown[0], shown[1], shown[2]) == (2696, 4464, 1639)
    assert sum(a.outcome == Outcome.UNPARSABLE for a in found.answers.values()) == 6
    total = sum(shown.values())
    assert round(sum(abs(n / total - 1 / 3) for n in shown.values()) / 2, 2) == 0.17
    assert round(sum(a.entity in trials[t].targets for t, a in found.answers.items()) / 8805, 3) == 0.666
