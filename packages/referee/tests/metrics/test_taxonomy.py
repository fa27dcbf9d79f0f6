"""Trees of values: nearness by hand calculation, and files that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.errors import MalformedInput
from referee.metrics.taxonomy import (
    FURNITURE_AND_PEOPLE,
    compute_path_similarity,
    compute_wu_palmer,
    find_node,
    find_root,
    parse_taxonomy,
    read_taxonomy,
)
from referee.records import Property

ANIMALS = """
animal
  mammal
    mother
    father
  bird
"""


def test_wu_palmer_orders_animal_mammal_and_mother() -> None:
    # depths 1, 2, 3: animal-mammal 2·1/3, animal-mother 2·1/4, mammal-mother 2·2/5
    tree = parse_taxonomy(ANIMALS)
    assert compute_wu_palmer(tree, "animal", "mammal") == pytest.approx(2 / 3)
    assert compute_wu_palmer(tree, "animal", "mother") == pytest.approx(1 / 2)
    assert compute_wu_palmer(tree, "mammal", "mother") == pytest.approx(4 / 5)
    assert compute_wu_palmer(tree, "mother", "bird") == pytest.approx(2 / 5)
    assert compute_wu_palmer(tree, "mother", "mother") == 1


def test_path_counts_steps() -> None:
    tree = parse_taxonomy(ANIMALS)
    assert compute_path_similarity(tree, "animal", "mammal") == pytest.approx(1 / 2)
    assert compute_path_similarity(tree, "animal", "mother") == pytest.approx(1 / 3)
    assert compute_path_similarity(tree, "mother", "father") == pytest.approx(1 / 3)
    assert compute_path_similarity(tree, "bird", "bird") == 1


def test_different_trees_have_nothing_in_common() -> None:
    assert compute_wu_palmer(FURNITURE_AND_PEOPLE, "chair", "red") == 0
    assert compute_path_similarity(FURNITURE_AND_PEOPLE, "chair", "red") == 0


def test_a_chair_is_more_like_a_sofa_than_like_a_fan() -> None:
    tree = FURNITURE_AND_PEOPLE
    assert (
        compute_wu_palmer(tree, "chair", "sofa")
        > compute_wu_palmer(tree, "chair", "fan")
        > compute_wu_palmer(tree, "chair", "person")
    )
    assert find_root(tree, "chair") == "furniture"


def test_a_node_can_be_bound_to_one_attribute() -> None:
    tree = parse_taxonomy("tone\n\tlight\n\thair:light")
    assert find_node(tree, Property("hair", "light")) == "hair:light"
    assert find_node(tree, Property("landmark.hair", "light")) == "hair:light"
    assert find_node(tree, Property("wall", "light")) == "light"
    assert find_node(tree, Property("wall", "dark")) is None


def test_json_and_indented_text_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("# kinds\n" + ANIMALS, encoding="utf-8")
    (tmp_path / "a.json").write_text(
        '{"mammal": "animal", "mother": "mammal", "father": "mammal", "bird": "animal", "animal": null}',
        encoding="utf-8",
    )
    assert read_taxonomy(tmp_path / "a.txt") == read_taxonomy(tmp_path / "a.json")
    (tmp_path / "b.json").write_text('{"mammal": "animal"}', encoding="utf-8")
    assert read_taxonomy(tmp_path / "b.json") == {"animal": None, "mammal": "animal"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no nodes"),
        ("  \n# nothing\n", "no nodes"),
        ("a\n  b\n  b", ":3: the node 'b' occurs twice"),
        ("  a", ":1: the node 'a' is indented"),
        ("a\n \tb", ":2: the indentation mixes spaces and tabs"),
        ('{"a": "b", "b": "a"}', "its own ancestor"),
        ('{"a": 3}', "the parent of 'a' is 3"),
        ('{"a": ', "not valid JSON"),
    ],
)
def test_a_broken_file_is_named_with_place_and_remedy(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "tree.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MalformedInput) as caught:
        read_taxonomy(path)
    assert problem in str(caught.value)
    assert "tree.txt" in str(caught.value)
    assert "→" in str(caught.value)


def test_a_missing_or_binary_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(MalformedInput, match="the taxonomy cannot be read"):
        read_taxonomy(tmp_path / "nowhere.txt")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(MalformedInput, match="the taxonomy cannot be read"):
        read_taxonomy(tmp_path / "bytes")
