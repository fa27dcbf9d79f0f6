"""Meanings: forms are read as written, wrong ones are refused by their place, and they denote what a slow evaluator finds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive_meaning import fitting, fitting_parts, singles_out
from referee import evaluate, meaning, score
from referee.corpora.jsonl import description_from_json, record_to_json, trial_to_json
from referee.corpora.outputs import read_outputs
from referee.corpora.reading.lines import WrongShape
from referee.errors import InputError
from referee.records import Description, Entity, Property, Relation, Scene, Trial

PAGE = (Path(__file__).parents[3] / "docs" / "meaning.md").read_text("utf-8")


def table(scene: Scene, mask: int) -> list[str]:
    return [e.id for e in scene.members(mask)]


def scene_of_the_page() -> Scene:
    rows = re.findall(r"^\| (\w) \| (\w+) \| (\w+) \| (\d+) \| (\d) \| (\d) \|([^|]*)\|$", PAGE, flags=re.MULTILINE)
    entities = []
    for name, kind, colour, size, x, y, relations in rows:
        own = {"type": kind, "colour": colour, "size": size, "x": x, "y": y}
        pairs = [r.split() for r in relations.split(",") if r.strip()]
        entities.append(
            Entity(
                id=name,
                attributes=tuple(Property(k, v) for k, v in own.items()),
                relations=tuple(Relation(*p) for p in pairs),
            )
        )
    return Scene(entities=tuple(entities))


EXAMPLES = re.findall(r"^\| ([^|]+) \| `(\[.*\])` \| ([a-h +–]+) \|$", PAGE, flags=re.MULTILINE)


def test_the_page_has_thirty_examples() -> None:
    assert len(EXAMPLES) == 30
    assert len(scene_of_the_page().entities) == 8


@pytest.mark.parametrize(("words", "form", "denotes"), EXAMPLES)
def test_examples_of_the_page(words: str, form: str, denotes: str) -> None:
    scene, parsed = scene_of_the_page(), meaning.parse(json.loads(form))
    expected = [part.replace("–", "").split() for part in denotes.split(" + ")]
    assert [table(scene, mask) for mask in scene.denotations(parsed)] == expected
    assert [sorted(ids) for ids in fitting_parts(parsed, scene)] == expected
    assert scene.denotation(parsed) == scene.mask([i for part in expected for i in part])
    assert meaning.as_json(parsed) == json.loads(form)
    # A form may also be given as its JSON lists.
    assert scene.denotation(json.loads(form)) == scene.denotation(parsed)
    assert scene.denotations(json.loads(form)) == scene.denotations(parsed)


@pytest.mark.parametrize(
    ("form", "place"),
    [
        ("red", "meaning:"),
        ([], "meaning:"),
        (["nott", ["colour", "red"]], "meaning:"),
        (["and", ["colour", "red"], ["colour"]], "meaning[2]"),
        (["and", ["colour", "red"], ["rel", "on", "b"]], "meaning[2][2]"),
        (["rel", ["type", "cup"]], "meaning:"),
        (["not", ["type", "cup"], ["type", "box"]], "meaning:"),
        (["or", ["type", "cup"]], "meaning:"),
        (["parts", ["type", "cup"]], "meaning[1][0]"),
        (["parts", [["type", "cup"]]], "meaning[1]"),
        (["parts", [0, ["type", "cup"]]], "meaning[1][0]"),
        (["parts", [True, ["type", "cup"]]], "meaning[1][0]"),
        (["parts"], "meaning:"),
        (["and", ["parts", [1, ["type", "cup"]]]], "meaning[1]"),
        (["least", "size", 0], "meaning:"),
        (["most"], "meaning:"),
        (["<", "size", "30"], "meaning:"),
        (["nth", "x", 2, "north"], "meaning:"),
        (["colour", ["red"]], "meaning:"),
        (["colour", None], "meaning:"),
        (["", "red"], "meaning:"),
    ],
)
def test_what_is_no_form_is_refused_by_its_place(form: Any, place: str) -> None:
    with pytest.raises(InputError) as refused:
        meaning.parse(form)
    assert place in str(refused.value)
    assert "`referee docs meaning`" in refused.value.remedy


def test_values_are_brought_to_text() -> None:
    assert meaning.parse(["hasBeard", True]) == meaning.parse(["hasBeard", 1]) == ("hasBeard", "1")


# -- random scenes and forms -------------------------------------------------------------------------------------------------------

NAMES = {"type": ["cup", "box"], "colour": ["red", "blue", "green"], "size": ["1", "2", "3", "10 cm"]}
ids = st.sampled_from("abcdef")


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    names = draw(st.lists(ids, min_size=1, max_size=6, unique=True))
    entities = []
    for name in names:
        own = [Property(k, draw(st.sampled_from(v))) for k, v in NAMES.items() if draw(st.integers(0, 4))]
        relations = draw(st.lists(st.tuples(st.sampled_from(["on", "near"]), ids), max_size=3, unique=True))
        x = draw(st.integers(0, 3))
        entities.append(
            Entity(id=name, attributes=tuple(own), position=(x, 0), relations=tuple(Relation(*r) for r in relations))
        )
    return Scene(entities=tuple(entities))


pairs = st.sampled_from([(k, v) for k, vs in NAMES.items() for v in vs])
numbers = st.sampled_from(["size", "x"])
leaves = st.one_of(
    pairs,
    st.just(("and",)),
    st.tuples(st.sampled_from(["least", "most"]), numbers, st.integers(1, 3)),
    st.tuples(st.sampled_from(["<", ">"]), numbers, st.integers(0, 4)),
    st.tuples(st.just("nth"), numbers, st.integers(1, 3), st.sampled_from(["left", "right"])),
)
forms = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: ("and", *parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: ("or", *parts)),
        inner.map(lambda part: ("not", part)),
        st.tuples(st.sampled_from(["rel", "inv"]), st.sampled_from(["on", "near", "*"]), inner),
    ),
    max_leaves=8,
)
whole = st.one_of(
    forms,
    st.lists(st.tuples(st.one_of(st.integers(1, 3), st.just("all")), forms), min_size=1, max_size=3).map(
        lambda parts: ("parts", *parts)
    ),
)


@given(scenes(), whole)
def test_denotation_agrees_with_a_slow_evaluator(scene: Scene, form: Any) -> None:
    parsed = meaning.parse(json.loads(json.dumps(form)))
    assert meaning.parse(meaning.as_json(parsed)) == parsed
    assert set(table(scene, scene.denotation(parsed))) == fitting(form, scene)
    assert [set(table(scene, m)) for m in scene.denotations(parsed)] == fitting_parts(form, scene)
    targets = fitting(form, scene)
    assert meaning.has_true_numbers(parsed, scene) == singles_out(form, scene, targets)


@given(scenes(), forms)
def test_what_is_dropped_is_dropped(scene: Scene, form: Any) -> None:
    count = len(list(meaning.atoms(form)))
    assert scene.denotation(meaning.drop_atoms(form, [True] * count)) == scene.denotation(form)
    assert list(meaning.atoms(meaning.drop_atoms(form, [False] * count))) == []


# -- lists of properties -----------------------------------------------------------------------------------------------------------


@given(scenes(), st.lists(pairs, max_size=4))
def test_a_list_of_properties_is_a_conjunction(scene: Scene, properties: list[tuple[str, str]]) -> None:
    said = [Property(*p) for p in properties]
    assert scene.denotation(said) == scene.denotation(("and", *properties))
    assert meaning.from_properties(said, scene) in (("and", *properties), *properties)


@pytest.mark.parametrize(
    ("properties", "form"),
    [
        ([("colour", "red")], ("colour", "red")),
        ([("on", "g")], ("rel", "on", ("and",))),
        ([("not.colour", "red")], ("not", ("colour", "red"))),
        ([("landmark.type", "tray")], ("rel", "*", ("type", "tray"))),
        (
            [("on", ""), ("near", ""), ("landmark.type", "plate")],
            (
                *("and", ("rel", "on", ("and",)), ("rel", "near", ("and",))),
                *(("rel", "on", ("type", "plate")), ("rel", "near", ("type", "plate"))),
            ),
        ),
        (
            [("near", "c"), ("on", "h"), ("landmark.type", "plate"), ("landmark2.type", "table")],
            (
                *("and", ("rel", "near", ("and",)), ("rel", "on", ("and",))),
                ("or", ("rel", "near", ("type", "plate")), ("rel", "on", ("type", "plate"))),
                ("or", ("rel", "near", ("type", "table")), ("rel", "on", ("type", "table"))),
            ),
        ),
        ([("in", ""), ("landmark.type", "box"), ("landmark.on", ""), ("landmark.landmark.type", "table")], None),
    ],
)
def test_what_names_in_old_lists_mean(properties: list[tuple[str, str]], form: Any) -> None:
    scene = scene_of_the_page()
    said = [Property(*p) for p in properties]
    if form is not None:
        assert meaning.from_properties(said, scene) == form
        assert set(table(scene, scene.denotation(said))) == fitting(form, scene)
    else:
        assert table(scene, scene.denotation(said)) == ["e"]


def test_a_relation_to_nothing_in_the_scene_leads_nowhere() -> None:
    scene = Scene(entities=(Entity(id="a", relations=(Relation("on", "z"),)),))
    assert scene.denotation(("rel", "on", ("and",))) == 0


def test_flat_names_of_a_form() -> None:
    form = meaning.parse(
        [
            *["and", ["type", "cup"], ["not", ["colour", "red"]], ["rel", "near", ["type", "plate"]]],
            *[["rel", "on", ["colour", "black"]], ["least", "size"], ["nth", "x", 2, "left"], ["<", "size", 30]],
        ]
    )
    assert list(map(str, meaning.flatten(form))) == [
        *["type:cup", "not.colour:red", "near:", "landmark.type:plate", "on:", "landmark2.colour:black"],
        *["size:least", "x:2 from the left", "size:<30"],
    ]


def test_a_description_carries_its_meaning_through_files() -> None:
    form = ["parts", [2, ["and", ["type", "chair"], ["not", ["colour", "red"]]]], ["all", ["least", "size"]]]
    description = description_from_json({"meaning": form})
    assert description.meaning is not None
    assert meaning.as_json(description.meaning) == form
    assert description.properties == (
        Property("type", "chair"),
        Property("not.colour", "red"),
        Property("size", "least"),
    )
    assert description_from_json(record_to_json(description)) == description


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        (["nott", ["colour", "red"]], r"meaning: 'nott' is not an operator"),
        (["and", ["rel", "on"]], r"meaning\[1\]: \['rel', 'on'\] has missing"),
        (["parts", ["type", "chair"]], r"meaning\[1\]\[0\]: 'type' is not a number of objects"),
        ("red", "'meaning' should be a list"),
    ],
)
def test_a_description_with_a_wrong_meaning_is_refused_by_its_place(form: Any, problem: str) -> None:
    with pytest.raises(WrongShape, match=problem) as caught:
        description_from_json({"meaning": form})
    assert "docs meaning" in caught.value.remedy


def test_tables_of_outputs_carry_meanings_as_json_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text('trial,meaning\nt1,"[""not"", [""colour"", ""red""]]"\n', "utf-8")
    (output,) = read_outputs(path)
    assert output.description.meaning == ("not", ("colour", "red"))


def test_atoms_that_refer_to_nothing_in_the_scene() -> None:
    scene = scene_of_the_page()
    for form, unknown in {
        ("rel", "under", ("type", "table")): Property("under", ""),
        ("not", ("colour", "pink")): Property("colour", "pink"),
        ("least", "weight", 1): Property("weight", "least"),
        ("and", ("type", "cup"), ("nth", "x", 2, "left")): None,
    }.items():
        assert meaning.first_unknown(form, scene) == unknown


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_score_and_evaluate_read_every_operator_from_every_form_of_file(tmp_path: Path, ending: str) -> None:
    """Each example of the page as an output about the objects that the page says it denotes, and as its reference."""
    scene = scene_of_the_page()
    trials = [
        Trial(
            id=f"t{i}",
            scene=scene,
            targets=tuple(dict.fromkeys(denotes.replace("–", " ").replace("+", " ").split())),
            references=(Description(meaning=meaning.parse(json.loads(form))),),
        )
        for i, (_, form, denotes) in enumerate(EXAMPLES)
    ]
    corpus = tmp_path / "trials.jsonl"
    corpus.write_text("".join(json.dumps(trial_to_json(trial)) + "\n" for trial in trials), "utf-8")
    rows = [{"trial": f"t{i}", "system": "mine", "meaning": form} for i, (_, form, _) in enumerate(EXAMPLES)]
    path = tmp_path / f"mine.{ending}"
    if ending == "jsonl":
        path.write_text("".join(json.dumps({**r, "meaning": json.loads(r["meaning"])}) + "\n" for r in rows), "utf-8")
    else:
        getattr(pl.DataFrame(rows), f"write_{ending}")(path)
    scored = score(path, corpus=str(corpus), metrics="set/exact,meaning/denotation,scene/unique", jobs=1).frame
    values = dict(zip(scored["metric"], scored["value"], strict=True))
    assert values["set/exact"] == values["meaning/denotation"] == 1
    # "the two bowls and the tray" of the page counts two bowls where there is one.
    assert values["scene/unique"] == 29 / 30
    evaluated = evaluate(path, scenes=str(corpus)).frame
    assert dict(zip(evaluated["metric"], evaluated["value"], strict=True))["scene/unique"] == 29 / 30
