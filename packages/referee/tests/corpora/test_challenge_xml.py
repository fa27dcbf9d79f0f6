"""Trials and peer outputs in every dialect of the challenge XML (all fixtures are invented)."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from referee.corpora.challenge_xml import read_outputs, read_trial, read_trials, write_outputs, write_trials
from referee.errors import CannotWrite, DuplicateTrial, InputError, InvalidDescription, MalformedInput, RefereeError
from referee.records import Description, Entity, Event, Property, Relation, Scene, Span, Trial

FIXTURES = Path(__file__).parent.parent / "fixtures" / "tuna"
RELEASE = FIXTURES / "release" / "singular" / "furniture" / "s10t2.xml"
SNOWY = FIXTURES / "release" / "singular" / "people" / "s1t21.xml"
PLURAL = FIXTURES / "release" / "plural" / "furniture" / "s2t9.xml"
EVERY = sorted(FIXTURES.rglob("*.xml"))
P = Property


def in_file(folder: Path, content: str) -> Path:
    path = folder / "some.xml"
    path.write_text(content, encoding="utf-8")
    return path


# -- trials ---------------------------------------------------------------------------------------------------------------


def test_the_2008_dialect_gives_words_spans_and_set() -> None:
    trial = read_trial(FIXTURES / "challenge-2008.xml")
    assert (trial.id, trial.scene.id, trial.speaker, trial.condition) == ("s6t22", "t22", "6", "-LOC")
    assert trial.domain == "people", "this dialect does not say the domain; the types of the entities do"
    assert trial.targets == ("41",)
    assert trial.scene.entity("41") == Entity(
        id="41",
        attributes=(P("type", "person"), P("hasGlasses", "1"), P("x-dimension", "1"), P("y-dimension", "2")),
        image="invented-one.gif",
        position=(1.0, 2.0),
    )
    glasses = Span("spectacles", (P("hasGlasses", "1"),))
    assert trial.references == (
        Description(
            properties=(P("type", "person"), P("hasGlasses", "1")),
            text="she of the spectacles",
            spans=(Span("she", (P("type", "person"),)), Span("of"), Span("the"), glasses),
            speaker="6",
        ),
    )


def test_the_2007_dialect_keeps_its_set_in_the_description() -> None:
    trial = read_trial(FIXTURES / "challenge-2007.xml")
    assert trial.references == (Description(properties=(P("type", "sofa"), P("colour", "blue")), speaker="3"),)
    assert (trial.domain, trial.scene.entity("31").position) == ("furniture", None)


def test_the_release_keeps_order_repeats_and_what_the_records_cannot_say() -> None:
    trial = read_trial(RELEASE)
    reference = trial.references[0]
    assert [str(p) for p in reference.properties or ()] == [
        *("other:other", "y-dimension:3", "x-dimension:1", "type:chair", "type:other", "colour:red", "size:other")
    ]
    assert reference.text == "surely the huge, not red thing: a chair bottom left like a throne"
    assert trial.meta["polarity"] == {"colour:red": "neg"}
    assert (trial.meta["cardinality"], trial.meta["similarity"], trial.meta["trial"]) == (1, "similar", 2)
    place = next(mark for mark in trial.meta["annotation"] if mark["tag"] == "META-ATTRIBUTE")
    assert (place["value"], place["rel"], len(place["inside"])) == ("bottom", "12", 2)
    assert trial.meta["annotation"][0] == {"tag": "DET", "text": "the", "id": "3", "value": "definite"}


def test_a_location_phrase_is_one_span_with_both_axes() -> None:
    spans = read_trial(RELEASE).references[0].spans
    assert Span("bottom left", (P("x-dimension", "1"), P("y-dimension", "3"))) in spans
    assert [s.text for s in spans[:3]] == ["surely", "the", "huge"]


def test_nested_markup_gives_nested_spans() -> None:
    beard = read_trial(SNOWY).references[0].spans[-1]
    inside = (Span("some"), Span("snowy", (P("hairColour", "light"),)), Span("beard"))
    assert beard == Span("some snowy beard", (P("hasBeard", "1"),), inside)


def test_values_are_stripped_and_unknown_positions_are_none() -> None:
    target = read_trial(SNOWY).scene.entity("1")
    assert target.value("age") == "old"
    assert (target.value("x-dimension"), target.position) == ("unknown", None)


def test_a_plural_trial_has_both_targets_and_the_flat_set() -> None:
    trial = read_trial(PLURAL)
    assert trial.targets == ("21", "23")
    assert [str(p) for p in trial.references[0].properties or ()] == [
        "type:fan",
        "colour:red",
        "type:desk",
        "colour:green",
    ]
    first, between, second = trial.references[0].spans
    assert (first.text, between.text, second.text) == ("the green desk", "and", "a red fan")
    assert second.properties == ()
    assert second.inside == (Span("a"), Span("red", (P("colour", "red"),)), Span("fan", (P("type", "fan"),)))
    assert [mark["num"] for mark in trial.meta["annotation"]] == ["singular", "singular"]
    assert (trial.meta["cardinality"], trial.meta["similarity"]) == (2, "dissimilar")


def test_a_tree_of_folders_may_mix_dialects() -> None:
    assert {t.id for t in read_trials(FIXTURES)} == {"s3t4", "s6t22", "s2t9", "s10t2", "s1t21"}


def test_a_test_item_has_no_reference_and_may_have_two(tmp_path: Path) -> None:
    domain = '<DOMAIN><ENTITY ID="1" TYPE="target"><ATTRIBUTE NAME="type" VALUE="fan"/></ENTITY></DOMAIN>'
    bare, double = read_trials(
        in_file(
            tmp_path,
            f"""<ALL><TRIAL ID="one">{domain}</TRIAL>
            <TRIAL ID="s1t2">{domain}<WORD-STRING>a fan</WORD-STRING><ATTRIBUTE-SET/>
            <WORD-STRING>fan</WORD-STRING><ATTRIBUTE-SET><ATTRIBUTE NAME="type" VALUE="fan"/></ATTRIBUTE-SET></TRIAL></ALL>""",
        )
    )
    assert (bare.references, bare.speaker, bare.scene.id, bare.condition) == ((), None, None, None)
    assert double.references == (
        Description(properties=(), text="a fan"),
        Description(properties=(P("type", "fan"),), text="fan"),
    )


GOOD = '<ENTITY ID="1" TYPE="target"/>'


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("<TRIAL>\n</TRIAL>", 1, "no ID"),
        ('<TRIAL ID=" "/>', 1, "no ID"),
        ("<TRIALS/>", 1, "no TRIAL"),
        ("<CORPUS>\n<BOOK/></CORPUS>", 2, "<BOOK> is not a TRIAL"),
        ('\n<TRIAL ID="a"/>', 2, "no DOMAIN"),
        ('<TRIAL ID="a">\n<DOMAIN/></TRIAL>', 2, "no entity is the target"),
        ('<TRIAL ID="a"><DOMAIN>\n<ENTITY ID="1" TYPE="distractor"/></DOMAIN></TRIAL>', 1, "no entity is the target"),
        ('<TRIAL ID="a"><DOMAIN>\n<ENTITY TYPE="target"/></DOMAIN></TRIAL>', 2, "<ENTITY> has no ID"),
        ('<TRIAL ID="a"><DOMAIN>\n<ENTITY ID="1"/></DOMAIN></TRIAL>', 2, "<ENTITY> has no TYPE"),
        ('<TRIAL ID="a"><DOMAIN>\n<ENTITY ID="1" TYPE="goal"/></DOMAIN></TRIAL>', 2, "'goal'"),
        ('<TRIAL ID="a"><DOMAIN>\n<THING ID="1"/></DOMAIN></TRIAL>', 2, "<THING>"),
        (f'<TRIAL ID="a"><DOMAIN>{GOOD}\n{GOOD}</DOMAIN></TRIAL>', 2, "two entities"),
        (
            '<TRIAL ID="a"><DOMAIN><ENTITY ID="1" TYPE="target">\n<ATTRIBUTE VALUE="x"/></ENTITY></DOMAIN></TRIAL>',
            2,
            "NAME",
        ),
        (
            '<TRIAL ID="a"><DOMAIN><ENTITY ID="1" TYPE="target">\n<ATTRIBUTE NAME="x"/></ENTITY></DOMAIN></TRIAL>',
            2,
            "VALUE",
        ),
        (f'<TRIAL ID="a"><DOMAIN>{GOOD}</DOMAIN>\n<WORDSTRING/></TRIAL>', 2, "<WORDSTRING> is not known"),
        (f'<TRIAL ID="a"><DOMAIN>{GOOD}</DOMAIN><ATTRIBUTE-SET>\n<PAIR/></ATTRIBUTE-SET></TRIAL>', 2, "<PAIR>"),
        (
            f'<TRIAL ID="a"><DOMAIN>{GOOD}</DOMAIN><ANNOTATED-WORD-STRING>\n<ATTRIBUTE VALUE="1">x</ATTRIBUTE>'
            "</ANNOTATED-WORD-STRING></TRIAL>",
            2,
            "NAME",
        ),
    ],
)
def test_a_trial_with_a_fault_is_reported_by_file_line_and_remedy(
    tmp_path: Path, content: str, line: int, says: str
) -> None:
    path = in_file(tmp_path, content)
    with pytest.raises(MalformedInput, match=says) as caught:
        list(read_trials(path))
    assert (caught.value.where, caught.value.line) == (str(path), line)
    assert caught.value.remedy


def test_one_id_in_two_files_is_reported_with_both_places(tmp_path: Path) -> None:
    for name in ("first.xml", "second.xml"):
        (tmp_path / name).write_bytes((FIXTURES / "challenge-2007.xml").read_bytes())
    with pytest.raises(DuplicateTrial, match=r"s3t4.*first\.xml:1") as caught:
        list(read_trials(tmp_path))
    assert caught.value.where == str(tmp_path / "second.xml")


def test_read_trial_wants_exactly_one() -> None:
    with pytest.raises(MalformedInput, match="5 trials"):
        read_trial(FIXTURES)


# -- writing trials ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["all.xml", "folder"])
def test_written_trials_come_back_as_they_were(tmp_path: Path, name: str) -> None:
    # The meaning of a description in parts has no place in the form of 2008.
    trials = sorted((t for t in read_trials(FIXTURES) if t.id != "s2t9"), key=lambda t: t.id)
    write_trials(trials, tmp_path / name)
    back = sorted(read_trials(tmp_path / name), key=lambda t: t.id)
    # Meta is TUNA's own and has no place in the challenge form.
    assert [replace(t, meta={}) for t in back] == [replace(t, meta={}) for t in trials]


def test_a_domain_that_cannot_be_guessed_is_written(tmp_path: Path) -> None:
    scene = Scene(entities=(Entity(id="1", attributes=(P("type", "lamp"),)),))
    write_trials([Trial(id="x", scene=scene, targets=("1",), domain="lamps")], tmp_path / "x.xml")
    assert read_trial(tmp_path / "x.xml").domain == "lamps"


def lamp(**more: object) -> Trial:
    scene = Scene(entities=(Entity(id="1"), Entity(id="2", relations=more.pop("relations", ()))))  # type: ignore[arg-type]
    return Trial(id="lamp", scene=scene, targets=("1",), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("trial", "says"),
    [
        (lamp(relations=(Relation("left-of", "1"),)), "relations"),
        (lamp(history=(Event(kind="click"),)), "history"),
        (lamp(references=(Description(text="a"), Description(properties=()))), "references"),
        (lamp(references=(Description(text="a\0b"),)), "character"),
        (read_trial(PLURAL), "meaning"),
    ],
)
def test_what_the_form_cannot_hold_is_refused_not_dropped(tmp_path: Path, trial: Trial, says: str) -> None:
    with pytest.raises(InvalidDescription, match=says):
        write_trials([trial], tmp_path / "x.xml")
    assert list(tmp_path.iterdir()) == []


# -- peer outputs -----------------------------------------------------------------------------------------------------------


def test_empty_is_an_answer_and_absent_is_none(tmp_path: Path) -> None:
    path = in_file(
        tmp_path,
        """<OUTPUTS>
        <TRIAL ID="a"><ATTRIBUTE-SET/></TRIAL>
        <TRIAL ID="b"><WORD-STRING/></TRIAL>
        <TRIAL ID="c"><ATTRIBUTE-SET><ATTRIBUTE NAME="colour" VALUE="red "/></ATTRIBUTE-SET>
        <WORD-STRING> the  red
        one</WORD-STRING></TRIAL></OUTPUTS>""",
    )
    assert list(read_outputs(path)) == [
        ("a", Description(properties=()), f"{path}:2"),
        ("b", Description(text=""), f"{path}:3"),
        ("c", Description(properties=(P("colour", "red"),), text="the red one"), f"{path}:4"),
    ]


def test_a_2007_peer_output_is_a_description(tmp_path: Path) -> None:
    path = in_file(tmp_path, '<TRIAL ID="a"><DESCRIPTION><ATTRIBUTE NAME="type" VALUE="fan"/></DESCRIPTION></TRIAL>')
    assert [d for _, d, _ in read_outputs(path)] == [Description(properties=(P("type", "fan"),))]


@pytest.mark.parametrize(
    ("content", "error", "line"),
    [
        ('<OUTPUTS>\n<TRIAL ID="a"/></OUTPUTS>', InvalidDescription, 2),
        ('<TRIAL ID="a"><ATTRIBUTE-SET/><ATTRIBUTE-SET/></TRIAL>', InvalidDescription, 1),
        ("<TRIAL><WORD-STRING/></TRIAL>", MalformedInput, 1),
        ('<O><TRIAL ID="a"><WORD-STRING/></TRIAL>\n<TRIAL ID="a"><WORD-STRING/></TRIAL></O>', DuplicateTrial, 2),
        ('<TRIAL ID="a"><ATTRIBUTE-SET>\n<ATTRIBUTE VALUE="red"/></ATTRIBUTE-SET></TRIAL>', MalformedInput, 2),
    ],
)
def test_a_faulty_output_gets_the_right_error(tmp_path: Path, content: str, error: type[InputError], line: int) -> None:
    path = in_file(tmp_path, content)
    with pytest.raises(error) as caught:
        list(read_outputs(path))
    assert (type(caught.value), caught.value.where, caught.value.line) == (error, str(path), line)
    assert caught.value.remedy


pair = st.builds(P, st.sampled_from(["colour", "type", "x & y", "größe"]), st.sampled_from(["red", '<"1">', "a b", ""]))
phrase = st.lists(st.sampled_from(["the", "red", "<chair>", "&amp;", "é", "]]>"]), max_size=5).map(" ".join)
answer = st.builds(Description, properties=st.lists(pair, max_size=4).map(tuple), text=st.none() | phrase) | st.builds(
    Description, text=phrase
)
ids = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)


@settings(max_examples=50, deadline=None)
@given(outputs=st.dictionaries(ids, answer, min_size=1, max_size=5), name=st.sampled_from(["out.xml", "out"]))
def test_written_outputs_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, outputs: dict[str, Description], name: str
) -> None:
    path = tmp_path_factory.mktemp("outputs") / name
    write_outputs(outputs.items(), path)
    assert {trial: description for trial, description, _ in read_outputs(path)} == outputs


def test_writing_replaces_the_old_file_and_leaves_no_neighbour(tmp_path: Path) -> None:
    path = tmp_path / "out.xml"
    for text in ("first", "second"):
        write_outputs([("a", Description(text=text))], path)
    assert [d.text for _, d, _ in read_outputs(path)] == ["second"]
    assert [p.name for p in tmp_path.iterdir()] == ["out.xml"]


def test_a_failed_writing_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.xml"
    write_outputs([("a", Description(text="old"))], path)

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(CannotWrite, match="No space left"):
        write_outputs([("a", Description(text="new"))], path)
    assert [d.text for _, d, _ in read_outputs(path)] == ["old"]
    assert [p.name for p in tmp_path.iterdir()] == ["out.xml"]


def test_a_peer_output_holds_only_words_and_set(tmp_path: Path) -> None:
    write_outputs([("a", read_trial(RELEASE).references[0])], tmp_path / "out.xml")
    trial = etree.parse(tmp_path / "out.xml").getroot()[0]
    assert [part.tag for part in trial] == ["WORD-STRING", "ATTRIBUTE-SET"]


def test_leftovers_of_another_run_stop_the_writing(tmp_path: Path) -> None:
    write_outputs([("a", Description(text="x")), ("b", Description(text="y"))], tmp_path / "run")
    write_outputs([("a", Description(text="x")), ("b", Description(text="z"))], tmp_path / "run")
    with pytest.raises(CannotWrite, match=r"b\.xml"):
        write_outputs([("a", Description(text="x"))], tmp_path / "run")


def test_an_output_without_anything_and_a_double_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidDescription, match="neither"):
        write_outputs([("a", Description())], tmp_path / "out.xml")
    with pytest.raises(DuplicateTrial):
        write_outputs([("a", Description(text="x")), ("a", Description(text="y"))], tmp_path / "out.xml")


# -- broken bytes ---------------------------------------------------------------------------------------------------------------


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A fixture with a few stretches cut, doubled or overwritten, perhaps cut short."""
    content = draw(st.sampled_from(EVERY)).read_bytes()
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 60)))
        filling = draw(
            st.binary(max_size=4) | st.sampled_from([b"", content[start:end] * 2, b"<TRIAL>", b"&x;", b'ID=""', b"</"])
        )
        content = content[:start] + filling + content[end:]
    return content[: draw(st.integers(0, len(content)) | st.just(len(content)))]


@settings(max_examples=300, deadline=None)
@given(content=mutated())
def test_broken_bytes_give_records_or_our_own_errors(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "mutated.xml"
    path.write_bytes(content)
    for read in (read_trials, read_outputs):
        message = str(path)
        try:
            list(read(path))
        except RefereeError as error:
            message = str(error)
        assert str(path) in message, "an error names the file"
