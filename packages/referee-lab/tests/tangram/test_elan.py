"""ELAN files hold the eleven tiers, pass the rules of their format, and give the dialogue back."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from importlib import metadata
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from referee.errors import InputError, MalformedInput
from referee.records import Event
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.goals import GOALS
from referee_lab.tangram.game.piece_sets import PIECES
from referee_lab.tangram.tiers.annotations import extract_marks
from referee_lab.tangram.tiers.dialogue import ATTRIBUTES, Dialogue
from referee_lab.tangram.tiers.eaf import convert_text_grid_to_eaf, find_eaf_faults, parse_eaf
from referee_lab.tangram.tiers.elan import TIERS, convert_to_eaf, from_eaf, has_rex_tiers
from referee_lab.tangram.tiers.expressions import preannotate
from referee_lab.tangram.tiers.reference_forms import is_pronoun
from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue
from referee_lab.tangram.tiers.tier_proposals import propose_tiers

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Co")), min_size=1, max_size=20)
IDS = st.lists(st.sampled_from(sorted(PIECES)), max_size=3, unique=True).map(tuple)


def shown(dialogue):
    return [(e.kind, e.by, e.text, e.entities, e.start_ms, e.end_ms) for e in dialogue.events]


def marked(dialogue):
    return [
        (e.data["attributes"], e.data["uncertain"], e.data.get("utterance")) for e in dialogue.select_tier("expression")
    ]


@st.composite
def dialogues(draw):
    """Utterances one after the other, each with up to two expressions that may lie in one another; actions and mouse beside them."""
    events, t = [], 0
    for index in range(draw(st.integers(0, 5))):
        by = draw(st.sampled_from(("solver", "operator")))
        span = (t, t + 1000)
        events.append(Event(kind="utterance", by=by, text=draw(TEXT), start_ms=span[0], end_ms=span[1]))
        for shift in range(draw(st.integers(0, 2))):
            attributes = tuple(draw(st.lists(st.sampled_from(sorted(ATTRIBUTES)), max_size=3, unique=True)))
            data = {"attributes": attributes, "uncertain": draw(st.booleans()), "utterance": index}
            times = {"start_ms": t + 100 + 10 * shift, "end_ms": t + 800 - 10 * shift}
            events.append(Event(kind="expression", by=by, text=draw(TEXT), entities=draw(IDS), data=data, **times))
        piece = (draw(st.sampled_from(sorted(PIECES))),)
        data = {"action": draw(st.sampled_from(("move", "rotate", "flip")))}
        times = {"start_ms": t + 200, "end_ms": t + 500}
        events.append(Event(kind="action", by="operator", entities=piece, data=data, **times))
        events.append(Event(kind="mouse", by="operator", entities=piece, **times))
        t += draw(st.integers(100, 300)) * 10
    order = ("utterance", "expression", "action", "mouse")
    events.sort(key=lambda e: (e.start_ms, order.index(e.kind)))
    return Dialogue(id="d", pair="p", pieces=PIECES, events=tuple(events))


@given(dialogues())
def test_a_dialogue_comes_back_from_its_file(dialogue):
    content = convert_to_eaf(dialogue)
    assert list(find_eaf_faults(etree.fromstring(content))) == []
    back = from_eaf(content)
    assert shown(back) == shown(dialogue)
    assert marked(back) == marked(dialogue)
    assert convert_to_eaf(back) == content


@pytest.mark.parametrize("name", ["cat", "house"])
def test_a_played_session_comes_back_from_its_file(name):
    dialogue = convert_to_dialogue(play_bot_game(GOALS[name], 6))
    back = from_eaf(convert_to_eaf(dialogue))
    assert shown(back) == shown(dialogue)
    assert (back.id, back.pair, back.language, back.synthetic) == (dialogue.id, dialogue.pair, "en", True)
    assert [e.data["action"] for e in back.select_tier("action")] == [
        e.data["action"] for e in dialogue.select_tier("action")
    ]


def test_the_eleven_tiers_are_there_even_when_empty():
    root = etree.fromstring(convert_to_eaf(Dialogue(id="d", pair="p", pieces=PIECES, events=())))
    assert tuple(t.get("TIER_ID") for t in root.iterfind("TIER")) == TIERS
    assert len(TIERS) == 11


def test_another_reader_sees_the_same_annotations(tmp_path):
    pympi = pytest.importorskip("pympi", reason="pympi-ling is the independent reader of this test")
    dialogue = convert_to_dialogue(play_bot_game(GOALS["boat"], 2))
    path = tmp_path / "boat.eaf"
    path.write_bytes(convert_to_eaf(dialogue))
    eaf = pympi.Elan.Eaf(str(path))
    assert set(eaf.get_tier_names()) == set(TIERS)
    solver = [e for e in dialogue.select_tier("utterance") if e.by == "solver"]
    spans = sorted(eaf.get_annotation_data_for_tier("SV-UT"))
    assert spans == [(int(e.start_ms), int(e.end_ms), e.text) for e in solver]
    targets = sorted(eaf.get_ref_annotation_data_for_tier("Target"))
    expected = [(int(e.start_ms), int(e.end_ms), *e.entities, e.data["action"]) for e in dialogue.select_tier("action")]
    assert targets == expected


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    """ELAN's own schema of EAF 3.0, which the source distribution of pympi-ling carries among its tests."""
    wanted = f"pympi-ling=={metadata.version('pympi-ling')}"
    place = tmp_path_factory.mktemp("schema")
    fetch = ["download", wanted, "--no-deps", "--no-binary", "pympi-ling", "--retries", "1", "--timeout", "20"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *fetch, "--dest", place], capture_output=True, text=True, check=False
    )
    found = next(place.glob("pympi*.tar.gz"), None)
    if found is None:
        pytest.skip(f"the source of pympi-ling, which has ELAN's schema, could not be fetched: {done.stderr[-200:]}")
    with tarfile.open(found) as archive:
        name = next(n for n in archive.getnames() if n.endswith("/EAFv3.0.xsd"))
        return etree.XMLSchema(etree.parse(archive.extractfile(name)))


@pytest.mark.long
def test_files_pass_the_schema_of_elan_itself(schema):
    dialogues = [convert_to_dialogue(play_bot_game(goal, seed)) for seed, goal in enumerate(islice(GOALS.values(), 2))]
    odd = Event(kind="utterance", by="solver", text="<&\u0007> \u732b \U0001f600", start_ms=0, end_ms=10)
    for events in ((), (odd,)):
        dialogues.append(Dialogue(id="d", pair="p", pieces=PIECES, events=events))
    for dialogue in dialogues:
        document = etree.fromstring(convert_to_eaf(dialogue))
        assert schema.validate(document), schema.error_log
    document.find("TIER").set("LINGUISTIC_TYPE_REF", "unheard of")
    assert not schema.validate(document), "the schema can say no"


REX = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2010-03-01T10:00:00+09:00" FORMAT="2.6" VERSION="2.6">
  <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>
  <TIME_ORDER>
    <TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="1000"/><TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="1200"/>
    <TIME_SLOT TIME_SLOT_ID="t3" TIME_VALUE="2000"/><TIME_SLOT TIME_SLOT_ID="t4" TIME_VALUE="3000"/>
  </TIME_ORDER>
  <TIER LINGUISTIC_TYPE_REF="d" TIER_ID="SV-UT">
    <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t4">
      <ANNOTATION_VALUE>put either of them there</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
  </TIER>
  <TIER LINGUISTIC_TYPE_REF="d" TIER_ID="SV-REX">
    <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="t2" TIME_SLOT_REF2="t3">
      <ANNOTATION_VALUE>either of them</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
  </TIER>
  <TIER LINGUISTIC_TYPE_REF="c" PARENT_REF="SV-REX" TIER_ID="SV-Ref">
    <ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a3" ANNOTATION_REF="a2"><ANNOTATION_VALUE>? 1, 2</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>
  </TIER>
  <TIER LINGUISTIC_TYPE_REF="c" PARENT_REF="SV-REX" TIER_ID="SV-Attr">
    <ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a4" ANNOTATION_REF="a2"><ANNOTATION_VALUE>dpr num</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>
  </TIER>
  <TIER LINGUISTIC_TYPE_REF="d" TIER_ID="Gaze"/>
  <LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="d" TIME_ALIGNABLE="true"/>
  <LINGUISTIC_TYPE CONSTRAINTS="Symbolic_Association" GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="c" TIME_ALIGNABLE="false"/>
  <CONSTRAINT DESCRIPTION="1-1" STEREOTYPE="Symbolic_Association"/>
</ANNOTATION_DOCUMENT>
"""


def test_rex_style_tiers_of_others_are_read_with_unclear_and_several_referents():
    dialogue = from_eaf(REX.encode(), "trial-3.eaf")
    (expression,) = dialogue.select_tier("expression")
    assert expression.entities == ("1", "2")
    assert expression.data == {"attributes": ("dpr", "num"), "uncertain": True, "utterance": 0}
    assert (dialogue.id, dialogue.language) == ("trial-3", "und")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('TIME_VALUE="2000"', 'TIME_VALUE="1100"', "backwards"),
        ('TIME_SLOT_REF1="t2"', 'TIME_SLOT_REF1="t9"', "unknown time slot"),
        ('ANNOTATION_REF="a2"', 'ANNOTATION_REF="a1"', "parent tier"),
        ('PARENT_REF="SV-REX" TIER_ID="SV-Attr"', 'TIER_ID="SV-Attr"', "belong together"),
        ('TIER_ID="Gaze"', 'TIER_ID="SV-UT"', "used twice"),
        ('LINGUISTIC_TYPE_REF="d" TIER_ID="Gaze"', 'LINGUISTIC_TYPE_REF="x" TIER_ID="Gaze"', "unknown linguistic type"),
        ('<CONSTRAINT DESCRIPTION="1-1" STEREOTYPE="Symbolic_Association"/>', "", "unknown constraint"),
        ('TIME_SLOT_REF1="t2" TIME_SLOT_REF2="t3"', 'TIME_SLOT_REF1="t3" TIME_SLOT_REF2="t2"', "before it begins"),
        ('DATE="2010-03-01T10:00:00+09:00"', 'DATE="yesterday"', "not a date"),
        ('<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>', "", "HEADER"),
        ("ANNOTATION_DOCUMENT", "DOCUMENT", "root"),
    ],
)
def test_each_rule_of_the_format_is_checked(old, new, fault):
    _, first = next(find_eaf_faults(etree.fromstring(REX.replace(old, new).encode())))
    assert fault in first


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('TIME_SLOT_REF1="t2"', 'TIME_SLOT_REF1="t9"', "unknown time slot"),
        ('ANNOTATION_REF="a2"', 'ANNOTATION_REF="a1"', "parent tier"),
        ("ANNOTATION_DOCUMENT", "DOCUMENT", "root"),
    ],
)
def test_what_leaves_no_meaning_is_refused(old, new, fault):
    with pytest.raises(MalformedInput, match=fault):
        from_eaf(REX.replace(old, new).encode())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('LINGUISTIC_TYPE_REF="d" TIER_ID="Gaze"', 'LINGUISTIC_TYPE_REF="x" TIER_ID="Gaze"'),
        ('TIME_SLOT_REF1="t2" TIME_SLOT_REF2="t3"', 'TIME_SLOT_REF1="t3" TIME_SLOT_REF2="t2"'),
        ('DATE="2010-03-01T10:00:00+09:00"', 'DATE="yesterday"'),
        (
            '<TIER LINGUISTIC_TYPE_REF="d" TIER_ID="SV-REX">',
            '<TIER LINGUISTIC_TYPE_REF="d" PARENT_REF="SV-UT" TIER_ID="SV-REX">',
        ),
    ],
)
def test_files_edited_elsewhere_are_read_and_their_faults_are_told(old, new):
    dialogue = from_eaf(REX.replace(old, new).encode())
    (expression,) = dialogue.select_tier("expression")
    assert (expression.start_ms, expression.end_ms, expression.entities) == (1200, 2000, ("1", "2"))
    assert dialogue.meta["faults"]


def test_slots_without_a_time_lie_between_their_neighbours():
    dialogue = from_eaf(REX.replace(' TIME_VALUE="1200"', "").encode())
    # t1 is 1000, t3 is 2000: the one between them gets the middle.
    assert dialogue.select_tier("expression")[0].start_ms == 1500


def test_tiers_of_other_names_are_mapped():
    foreign = REX.replace('"SV-UT"', '"A-utts"').replace('"SV-REX"', '"A-refs"')
    assert from_eaf(foreign.encode()).events == ()
    mapped = from_eaf(foreign.encode(), tiers={"A-utts": "SV-UT", "A-refs": "SV-REX"})
    assert [e.kind for e in mapped.events] == ["utterance", "expression"]
    assert mapped.select_tier("expression")[0].entities == ("1", "2")
    with pytest.raises(InputError, match="no tier 'words'"):
        from_eaf(foreign.encode(), tiers={"A-utts": "words"})


def test_two_tiers_of_one_name_are_refused():
    """Of two tiers mapped to one, the first was lost."""
    hands = [[(f"{side}1", at, at + 100, piece, None)] for side, at, piece in (("l", 0, "m1"), ("r", 500, "m2"))]
    file = eaf_of(("left", None, hands[0]), ("right", None, hands[1]))
    with pytest.raises(InputError, match=r"'left' and 'right'.*Mouse") as refusal:
        from_eaf(file, "hands.eaf", {"left": "Mouse", "right": "Mouse"})
    assert "hands.eaf" in str(refusal.value)
    dialogue = from_eaf(file, "hands.eaf", {"left": "Mouse", "right": "Mouse-2", "of another file": "Mouse"})
    assert [e.entities for e in dialogue.select_tier("mouse")] == [("m1",), ("m2",)]
    named = eaf_of(("left", None, hands[0]), ("Mouse", None, hands[1]))
    with pytest.raises(InputError, match="'left' and 'Mouse'"):
        from_eaf(named, "hands.eaf", {"left": "Mouse"})


def test_a_proposed_map_gives_no_tier_the_name_of_another():
    looks = [("g1", 0, 100, "m1", None)], [("g2", 500, 600, "m2", None)]
    file = eaf_of(("eyes", None, looks[0]), ("Gaze", None, looks[1]))
    proposal = propose_tiers(etree.fromstring(file))
    assert proposal.get("Gaze") == "Gaze"
    assert "eyes" not in proposal


def test_phrases_are_told_from_names_of_objects_by_what_is_said_at_their_time():
    said = [("u1", 0, 2000, "coge la taza roja", None), ("u2", 5000, 6500, "ponla al lado de eso", None)]
    times = [(500, 2000, "la taza roja", "t1"), (5000, 5500, "la", "t1"), (6000, 6500, "eso", "b2")]
    parts = [(f"p{n}", start, end, words, None) for n, (start, end, words, _) in enumerate(times)]
    objects = [(f"o{n}", start, end, id, None) for n, (start, end, _, id) in enumerate(times)]
    file = eaf_of(("Ana transcr", None, said), ("Ana xyz", None, parts), ("Ana referente", None, objects))
    proposal = propose_tiers(etree.fromstring(file))
    assert proposal == {"Ana transcr": "SV-UT", "Ana xyz": "SV-REX", "Ana referente": "SV-REX-Ref"}
    # Two of four names of objects are said; the other two are meant by pronouns.
    said = [
        (f"u{n}", 1000 * n, 1000 * n + 500, text, None) for n, text in enumerate(("a mug", "it", "the jug", "that"))
    ]
    meant = [(f"r{n}", 0, 0, id, f"u{n}") for n, id in enumerate(("mug", "mug", "jug", "jug"))]
    file = eaf_of(("speech", None, said), ("refers to", "speech", meant))
    assert propose_tiers(etree.fromstring(file)) == {"speech": "SV-UT", "refers to": "SV-UT-Ref"}


def test_objects_that_are_declared_join_those_that_occur():
    file = eaf_of(("hand", None, [("h1", 0, 100, "m1", None), ("h2", 500, 600, "m2", None)]))
    pieces = {"m1": {"colour": "red"}, "m3": {"colour": "blue"}}
    assert from_eaf(file, tiers={"hand": "Mouse"}, pieces=pieces).pieces == {**pieces, "m2": {"shape": "m2"}}


def test_a_programs_guesses_are_marked_as_such_in_the_file():
    dialogue = preannotate(convert_to_dialogue(play_bot_game(GOALS["cat"], 6)))
    content = convert_to_eaf(dialogue)
    rex = {t.get("TIER_ID"): t.get("ANNOTATOR") for t in etree.fromstring(content).iterfind("TIER")}
    assert (rex["SV-REX"], rex["SV-UT"]) == ("program (proposed)", None)
    assert all(e.data["proposed"] for e in from_eaf(content).select_tier("expression"))


def test_media_participants_and_vocabularies_are_in_the_file():
    root = etree.fromstring(convert_to_eaf(convert_to_dialogue(play_bot_game(GOALS["cat"], 6)), media=["a.wav"]))
    assert root.find("HEADER/MEDIA_DESCRIPTOR").get("RELATIVE_MEDIA_URL") == "./a.wav"
    assert {t.get("PARTICIPANT") for t in root.iterfind("TIER")} == {"solver", "operator"}
    words = {v.get("CV_ID"): [x.text for x in v.iter("CVE_VALUE")] for v in root.iterfind("CONTROLLED_VOCABULARY")}
    assert words == {"actions": ["move", "rotate", "flip"], "pieces": list("1234567")}
    assert list(find_eaf_faults(root)) == []


def test_overlap_in_one_tier_is_a_fault():
    second = """<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a9" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t3">
      <ANNOTATION_VALUE>x</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER><TIER LINGUISTIC_TYPE_REF="d" TIER_ID="SV-REX">"""
    document = REX.replace('</TIER>\n  <TIER LINGUISTIC_TYPE_REF="d" TIER_ID="SV-REX">', second)
    assert any("overlaps" in fault for _, fault in find_eaf_faults(etree.fromstring(document.encode())))
    # Both are read all the same, and it is told.
    dialogue = from_eaf(document.encode())
    assert [e.text for e in dialogue.select_tier("utterance")] == ["put either of them there", "x"]
    assert any("overlaps" in fault for fault in dialogue.meta["faults"])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<a",
        b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
        b'<!DOCTYPE a SYSTEM "file:///etc/hostname"><a/>',
        b"<a>&x;</a>",
    ],
)
def test_broken_and_hostile_files_are_refused(content):
    with pytest.raises(MalformedInput):
        from_eaf(content)


def test_characters_that_xml_cannot_hold_are_replaced():
    said = Event(kind="utterance", by="solver", text="a\x00b", start_ms=0, end_ms=10)
    back = from_eaf(convert_to_eaf(Dialogue(id="d", pair="p", pieces=PIECES, events=(said,))))
    assert back.events[0].text == "a\N{REPLACEMENT CHARACTER}b"


def test_speakers_without_a_role_have_tiers_of_their_names():
    said = Event(kind="utterance", by="Anna B.", text="hello", start_ms=0, end_ms=10)
    looked = Event(kind="gaze", by="Anna B.", entities=("1",), start_ms=0, end_ms=10)
    content = convert_to_eaf(Dialogue(id="d", pair="p", pieces=PIECES, events=(said, looked)))
    assert b'TIER_ID="Anna_B-UT"' in content
    assert from_eaf(content).events == (said, looked)


def test_tiers_that_nobody_knows_are_told_and_pieces_of_other_names_stay():
    """Before, a file with tiers of other names was empty without a word, and references to other pieces than the Tangram's were left out."""
    file = convert_to_eaf(convert_to_dialogue(play_bot_game(GOALS["cat"], 1))).decode()
    file = re.sub(r'<PROPERTY NAME="referee-dialogue">.*?</PROPERTY>', "", file)
    file = file.replace('TIER_ID="SV-UT"', 'TIER_ID="A-utts"').replace("<ANNOTATION_VALUE>6<", "<ANNOTATION_VALUE>Q<")
    found = from_eaf(file.encode())
    (told,) = found.meta["faults"]
    assert "A-utts; --tiers maps them" in told
    assert found.pieces["Q"] == {"shape": "Q"}
    assert "6" not in found.pieces
    assert {p for e in found.select_tier("expression") for p in e.entities} <= found.pieces.keys()


def test_a_file_says_whether_a_hand_or_a_cursor_points():
    hand = Dialogue(id="d", pair="p", pieces=PIECES, events=(), language="de", meta={"pointer": "hand"})
    assert from_eaf(convert_to_eaf(hand)).meta == {"pointer": "hand"}
    assert not from_eaf(convert_to_eaf(convert_to_dialogue(play_bot_game(GOALS["cat"], 1)))).meta


@pytest.mark.parametrize(("written", "told"), [("9", "left out (9)"), ("the triangle", "left out (the triangle)")])
def test_a_referent_that_is_no_piece_of_the_board_is_told_and_means_nothing_certain(written, told):
    said = Event(kind="utterance", by="solver", text="take that", start_ms=0.0, end_ms=1000.0)
    marks = {"attributes": ("dpr",), "uncertain": False, "utterance": 0}
    that = Event(
        kind="expression", by="solver", text="that", entities=("1",), start_ms=500.0, end_ms=1000.0, data=marks
    )
    whole = convert_to_eaf(Dialogue(id="d", pair="p", pieces=PIECES, events=(said, that), language="en")).decode()
    edited = whole.replace("<ANNOTATION_VALUE>1<", f"<ANNOTATION_VALUE>{written}<").replace(">dpr<", ">DPR, size<")
    assert edited.count(f">{written}<") == 1
    back = from_eaf(edited.encode())
    (found,) = back.select_tier("expression")
    assert found.entities == ()
    assert back.pieces.keys() == PIECES.keys()
    # Codes are read whatever their case, and what is none is told.
    assert found.data["attributes"] == ("dpr",)
    assert [fault for fault in back.meta["faults"] if told in fault or "not codes, left out (size;" in fault] == list(
        back.meta["faults"]
    )
    assert len(back.meta["faults"]) == 2


def eaf_of(*tiers: tuple[str, str | None, list[tuple[str, int, int, str, str | None]]]) -> bytes:
    """An ELAN file out of tiers: name, parent, and annotations (id, start, end, value, the annotation it refers to)."""
    times = sorted({t for _, _, rows in tiers for _, start, end, _, _ in rows for t in (start, end)})
    slots = "".join(f'<TIME_SLOT TIME_SLOT_ID="t{t}" TIME_VALUE="{t}"/>' for t in times)
    body = ""
    for name, parent, rows in tiers:
        below = f' PARENT_REF="{parent}"' if parent else ""
        body += f'<TIER LINGUISTIC_TYPE_REF="d" TIER_ID="{name}"{below}>'
        for id, start, end, value, owner in rows:
            kind = "ALIGNABLE" if owner is None else "REF"
            refs = (
                f'TIME_SLOT_REF1="t{start}" TIME_SLOT_REF2="t{end}"' if owner is None else f'ANNOTATION_REF="{owner}"'
            )
            inside = f"<ANNOTATION_VALUE>{value}</ANNOTATION_VALUE>"
            element = f'<{kind}_ANNOTATION ANNOTATION_ID="{id}" {refs}>{inside}</{kind}_ANNOTATION>'
            body += f"<ANNOTATION>{element}</ANNOTATION>"
        body += "</TIER>"
    types = '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="d" TIME_ALIGNABLE="true"/>'
    head = '<ANNOTATION_DOCUMENT AUTHOR="" DATE="2020-01-01T00:00:00Z" VERSION="3.0"><HEADER/>'
    return f"{head}<TIME_ORDER>{slots}</TIME_ORDER>{body}{types}</ANNOTATION_DOCUMENT>".encode()


MUG_TIERS = {"A-words": "SV-UT", "A-phrases": "SV-REX", "A-objects": "SV-REX-Ref"}
MUG_UTTERANCES = [("u1", 0, 1000, "the red mug please", None), ("u2", 2000, 3000, "no that", None)]


def test_referents_on_an_aligned_tier_beside_the_expressions_are_read():
    """The second referent begins a little late, as boundaries drawn by hand do."""
    phrases = [("e1", 100, 500, "the red mug", None), ("e2", 2500, 2900, "that", None)]
    objects = [("r1", 100, 500, "mug-red", None), ("r2", 2550, 2900, "mug-blue", None)]
    content = eaf_of(("A-words", None, MUG_UTTERANCES), ("A-phrases", None, phrases), ("A-objects", None, objects))
    dialogue = from_eaf(content, "mugs.eaf", MUG_TIERS)
    found = [(e.text, e.entities, e.data["utterance"]) for e in dialogue.select_tier("expression")]
    assert found == [("the red mug", ("mug-red",), 0), ("that", ("mug-blue",), 1)]
    assert set(dialogue.pieces) == {"mug-red", "mug-blue"}


def test_expressions_and_referents_below_utterances_are_read():
    """A subdivision shares the time of its utterance (0 to 1,000 ms between two); a referent below an utterance makes it an expression."""
    phrases = [("e1", 0, 0, "the red mug", "u1"), ("e2", 0, 0, "please", "u1")]
    objects = [("r1", 0, 0, "1", "e1")]
    content = eaf_of(
        ("A-words", None, MUG_UTTERANCES), ("A-phrases", "A-words", phrases), ("A-objects", "A-phrases", objects)
    )
    first, second = from_eaf(content, "mugs.eaf", MUG_TIERS).select_tier("expression")
    assert (first.text, first.entities, first.start_ms, first.end_ms) == ("the red mug", ("1",), 0.0, 500.0)
    assert (second.text, second.entities, second.start_ms, second.end_ms) == ("please", (), 500.0, 1000.0)
    content = eaf_of(("A-words", None, MUG_UTTERANCES), ("A-objects", "A-words", [("r2", 0, 0, "2", "u2")]))
    mapped = from_eaf(content, "mugs.eaf", {"A-words": "SV-UT", "A-objects": "SV-UT-Ref"})
    (expression,) = mapped.select_tier("expression")
    assert (expression.text, expression.entities) == ("no that", ("2",))
    # The mugs are called 1 and 2, which does not make them pieces of the Tangram.
    assert mapped.pieces == {"2": {"shape": "2"}}


def test_crossing_expressions_are_named_with_their_times():
    phrases = [("e1", 100, 500, "the red mug", None), ("e2", 400, 900, "mug please", None)]
    content = eaf_of(("A-words", None, MUG_UTTERANCES), ("A-phrases", None, phrases))
    with pytest.raises(InputError, match=r"'the red mug' \(0.10 to 0.50 s\) and 'mug please' \(0.40 to 0.90 s\)"):
        extract_marks(from_eaf(content, "mugs.eaf", MUG_TIERS))


FOREIGN = {
    # Referents below utterances, three speakers: all keep their names (in small letters).
    "below": (
        [
            *(
                (f"utterance@P{n}", None, [(f"u{n}", n * 1000, n * 1000 + 900, "there is the lamp", None)])
                for n in (1, 2, 3)
            ),
            *((f"object@P{n}", f"utterance@P{n}", [(f"o{n}", 0, 0, "lamp", f"u{n}")]) for n in (1, 2, 3)),
        ],
        [
            ("p1", "there is the lamp", ("lamp",)),
            ("p2", "there is the lamp", ("lamp",)),
            ("p3", "there is the lamp", ("lamp",)),
        ],
    ),
    # No expressions, but words with times: the words in the time of a referent are the expression.
    "words": (
        [
            ("A_speech", None, [("u1", 0, 4000, "take the red mug and the blue one", None)]),
            (
                "A_words",
                None,
                [
                    (f"w{n}", n * 500, n * 500 + 500, word, None)
                    for n, word in enumerate(["take", "the", "red", "mug", "and", "the", "blue", "one"])
                ],
            ),
            ("A_referent", None, [("r1", 500, 2000, "red mug", None), ("r2", 2500, 4000, "blue mug", None)]),
        ],
        [("solver", "the red mug", ("red mug",)), ("solver", "the blue one", ("blue mug",))],
    ),
    # The same without a tier of words: nobody knows which words they are.
    "no words": (
        [
            ("A_speech", None, [("u1", 0, 4000, "take the red mug and the blue one", None)]),
            ("A_referent", None, [("r1", 500, 2000, "red mug", None), ("r2", 2500, 4000, "m1 m2", None)]),
        ],
        [("solver", "", ("red mug",)), ("solver", "", ("m1", "m2"))],
    ),
    # Tiers that are called by their speakers only; referents in the annotations.
    "marks": (
        [
            ("Speaker1", None, [("u1", 0, 2000, "nimm die rote Tasse", None)]),
            ("Speaker1_NP", None, [("e1", 500, 2000, "die rote Tasse [m1, m2]", None)]),
        ],
        [("solver", "die rote Tasse", ("m1", "m2"))],
    ),
    # Names that say nothing: what is said in an utterance is its speaker's, and so is what lies beside it.
    "content": (
        [
            ("T1", None, [("u1", 0, 2000, "pak de rode mok", None), ("u3", 5000, 6000, "ja die", None)]),
            ("T2", None, [("u2", 2500, 4500, "en ook de blauwe kan hier", None)]),
            ("T3", None, [("e1", 500, 2000, "de rode mok", None), ("e3", 5500, 6000, "die", None)]),
            ("T4", None, [("r1", 510, 1990, "m1", None), ("r3", 5510, 5990, "k1", None)]),
            ("T5", None, [("e2", 3000, 4200, "de blauwe kan", None)]),
            ("T6", None, [("r2", 3000, 4200, "k1", None)]),
        ],
        [("solver", "de rode mok", ("m1",)), ("operator", "de blauwe kan", ("k1",)), ("solver", "die", ("k1",))],
    ),
    "dutch": (
        [
            ("Jan spraak", None, [("u1", 0, 2000, "pak de rode mok", None)]),
            ("Jan verwijzing", None, [("e1", 500, 2000, "de rode mok", None)]),
            ("Jan referent", None, [("r1", 500, 2000, "m1", None)]),
        ],
        [("solver", "de rode mok", ("m1",))],
    ),
    "japanese": (
        [
            (
                "話者A",
                None,
                [("u1", 0, 2000, "その赤いカップを取って", None), ("u2", 3000, 4000, "それを置いて", None)],
            ),
            ("表現A", None, [("e1", 0, 1000, "その赤いカップ", None), ("e2", 3000, 3500, "それ", None)]),
            ("指示対象A", None, [("r1", 0, 1000, "cup1", None), ("r2", 3000, 3500, "cup1", None)]),
        ],
        [("solver", "その赤いカップ", ("cup1",)), ("solver", "それ", ("cup1",))],
    ),
    # Every name says whose tier it is with the word that is also a name of utterances.
    "japanese child": (
        [
            (
                "話者A-発話",
                None,
                [("u1", 0, 2000, "青いコップを取って", None), ("u2", 3000, 4000, "それを置いて", None)],
            ),
            ("話者A-名詞句", None, [("e1", 0, 1200, "青いコップ", None), ("e2", 3000, 3400, "それ", None)]),
            ("話者A-対象", "話者A-名詞句", [("r1", 0, 0, "c1", "e1"), ("r2", 0, 0, "c1", "e2")]),
        ],
        [("solver", "青いコップ", ("c1",)), ("solver", "それ", ("c1",))],
    ),
    "two names with Ref, and mostly pronouns": (
        [
            ("A_Text", None, [("u1", 0, 1000, "stell ihn da hin", None), ("u2", 3000, 4000, "und das auch", None)]),
            ("A_RefAusdruck", None, [("e1", 300, 500, "ihn", None), ("e2", 3300, 3600, "das", None)]),
            ("A_Objekt", None, [("r1", 310, 500, "b1", None), ("r2", 3300, 3590, "k1", None)]),
        ],
        [("solver", "ihn", ("b1",)), ("solver", "das", ("k1",))],
    ),
    "labels of expressions under a name of no role": (
        [
            ("said@A", None, [*MUG_UTTERANCES, ("u3", 4000, 5000, "the mug", None)]),
            (
                "re@A",
                "said@A",
                [
                    ("e1", 100, 500, "the red mug", None),
                    ("e2", 2500, 2900, "that", None),
                    ("e3", 4000, 5000, "the mug", None),
                ],
            ),
            ("x@A", "re@A", [("r1", 0, 0, "m1", "e1"), ("r2", 0, 0, "m2", "e2"), ("r3", 0, 0, "m1", "e3")]),
        ],
        [("solver", "the red mug", ("m1",)), ("solver", "that", ("m2",)), ("solver", "the mug", ("m1",))],
    ),
    "a translation is nobody's utterance": (
        [
            ("Ana_habla", None, [("u1", 0, 1000, "coge la taza roja", None)]),
            ("Ana_expresión", None, [("e1", 300, 1000, "la taza roja", None)]),
            ("Ana_referente", None, [("r1", 310, 1000, "t1", None)]),
            ("Ana_translation", None, [("n1", 0, 1000, "take the red mug and put it down", None)]),
        ],
        [("solver", "la taza roja", ("t1",))],
    ),
    "expressions without utterances": (
        [
            ("NP", None, [("e1", 100, 500, "the red mug", None), ("e2", 2500, 2900, "it", None)]),
            ("entity", None, [("r1", 100, 500, "m1", None), ("r2", 2500, 2900, "m1", None)]),
        ],
        [("solver", "the red mug", ("m1",)), ("solver", "it", ("m1",))],
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_the_proposed_map_reads_files_of_others(name):
    tiers, expected = FOREIGN[name]
    content = eaf_of(*tiers)
    dialogue = from_eaf(content, "mugs.eaf", propose_tiers(etree.fromstring(content)))
    assert [(e.by, e.text, e.entities) for e in dialogue.select_tier("expression")] == expected
    assert {e.by for e in dialogue.select_tier("utterance")} <= {by for by, _, _ in expected} | {"operator"}


def test_a_tier_called_mouse_or_action_is_no_sign_of_rex():
    tiers = (("A-words", None, MUG_UTTERANCES), ("Mouse", None, [("m1", 0, 500, "mug-red", None)]))
    root = etree.fromstring(eaf_of(*tiers))
    assert not has_rex_tiers(root)
    assert propose_tiers(root) == {"A-words": "SV-UT", "Mouse": "Mouse"}
    assert from_eaf(eaf_of(*tiers), "mugs.eaf", propose_tiers(root)).pieces == {"mug-red": {"shape": "mug-red"}}


def test_a_time_slot_that_is_not_there_is_refused_before_tiers_are_proposed():
    content = eaf_of(("A-words", None, MUG_UTTERANCES)).replace(b'REF2="t1000"', b'REF2="t9"')
    with pytest.raises(MalformedInput, match="unknown time slot"):
        parse_eaf(content, "mugs.eaf")


def test_a_file_without_a_tier_that_is_read_has_no_pieces_of_the_tangram():
    assert from_eaf(eaf_of(("notes", None, [])), "mugs.eaf").pieces == {}


@pytest.mark.parametrize(
    ("codes", "expected"), [(("NP", "PRO"), [False, True]), (("", "dpr"), [False, True]), (("typ", ""), [False, True])]
)
def test_codes_that_are_none_of_the_sixteen_leave_pronouns_to_the_words(codes, expected):
    phrases = [("e1", 100, 500, "the red mug", None), ("e2", 2500, 2900, "that", None)]
    labels = [(f"c{n}", 0, 0, code, f"e{n}") for n, code in enumerate(codes, 1)]
    content = eaf_of(("SV-UT", None, MUG_UTTERANCES), ("SV-REX", None, phrases), ("SV-REX-Attr", "SV-REX", labels))
    assert [is_pronoun(e, "en") for e in from_eaf(content).select_tier("expression")] == expected


def test_a_time_that_is_no_number_is_refused_and_the_order_of_slots_is_free():
    """pympi writes slots in the order in which annotations were made."""
    content = eaf_of(("A-words", None, [("u2", 3000, 4000, "that", None), ("u1", 0, 900, "the mug", None)])).decode()
    damaged = content.replace('TIME_VALUE="3000"', 'TIME_VALUE="3,0"')
    with pytest.raises(MalformedInput, match=r"mugs\.eaf:\d+: time slot .* has the time '3,0'"):
        from_eaf(damaged.encode(), "mugs.eaf", {"A-words": "SV-UT"})
    dialogue = from_eaf(content.encode(), "mugs.eaf", {"A-words": "SV-UT"})
    assert [u.text for u in dialogue.select_tier("utterance")] == ["the mug", "that"]
    assert not any("backwards" in fault for fault in dialogue.meta.get("faults", {}))


def test_objects_of_a_controlled_vocabulary_are_all_there_and_are_not_cut_at_blanks():
    """Only the entry is named; the bowl is never mentioned."""
    entries = "".join(
        f'<CV_ENTRY_ML CVE_ID="c{n}"><CVE_VALUE LANG_REF="und">{value}</CVE_VALUE></CV_ENTRY_ML>'
        for n, value in enumerate(("red mug", "green bowl"))
    )
    content = eaf_of(
        ("A-words", None, MUG_UTTERANCES),
        ("A-phrases", None, [("e1", 100, 500, "the red mug", None)]),
        ("A-objects", None, [("r1", 100, 500, "", None)]),
    ).decode()
    content = content.replace('ANNOTATION_ID="r1"', 'ANNOTATION_ID="r1" CVE_REF="c0"')
    content = content.replace('TYPE_REF="d" TIER_ID="A-objects"', 'TYPE_REF="o" TIER_ID="A-objects"')
    vocabulary = f'<CONTROLLED_VOCABULARY CV_ID="mugs">{entries}</CONTROLLED_VOCABULARY></ANNOTATION_DOCUMENT>'
    kind = '<LINGUISTIC_TYPE CONTROLLED_VOCABULARY_REF="mugs" LINGUISTIC_TYPE_ID="o" TIME_ALIGNABLE="true"/>'
    dialogue = from_eaf(content.replace("</ANNOTATION_DOCUMENT>", kind + vocabulary).encode(), "mugs.eaf", MUG_TIERS)
    assert dialogue.select_tier("expression")[0].entities == ("red mug",)
    assert list(dialogue.pieces) == ["red mug", "green bowl"]


def test_a_fault_of_a_text_grid_is_named_with_its_tier_and_time():
    grid = 'File type = "ooTextFile"\nObject class = "TextGrid"\n0\n9\n<exists>\n1\n"IntervalTier"\n"A"\n0\n9\n2\n0\n3\n"él"\n'
    with pytest.raises(MalformedInput, match=r"tier 'A' after 0\.00 s"):
        convert_text_grid_to_eaf(grid.encode("latin-1"), "a.TextGrid")
    with pytest.raises(MalformedInput, match=r"tier 'A': an interval begins at 5\.00 s and ends at 3\.00 s"):
        convert_text_grid_to_eaf((grid + '5\n3\n"x"\n').encode("utf-16"), "a.TextGrid")
    assert "él" in convert_text_grid_to_eaf((grid + '3\n9\n"x"\n').encode("latin-1"), "a.TextGrid").decode(
        "utf-8"
    ).replace("&#233;", "é")
