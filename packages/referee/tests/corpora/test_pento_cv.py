"""PENTOCV: marks inside utterances, roles as dialogues, hands; on an invented file, and counted on the real ones."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from referee.corpora.pento_cv import PentoCv, read_markup
from referee.errors import DataNotFound, MalformedInput

TIERS = {
    "Roles": [
        (0, 1000, "start"),
        (1000, 9000, "A manipulator, B instructor"),
        (9000, 12000, "A instructor, B manipulator"),
    ],
    "A-utts": [(1500, 2000, "ja"), (1500, 2000, "ja"), (9500, 9900, '<ref id="L" piece="target"> den </ref> weg')],
    "B-utts": [
        (500, 900, '<ref id="F" piece="target">vorher</ref>'),
        (
            2000,
            4000,
            'nimm <ref id="X" piece="target"> das rote </ref> an <ref id="T,W" piece="landmark"> die grünen </ref>',
        ),
        (5000, 6000, 'und <ref id="X" piece="target"> es </ref> hoch <ref id="Z"> das'),
    ],
    "lh": [(3000, 3500, "grab_piece:X"), (3500, 4500, "move_with_piece:X")],
    "rh": [(3200, 4000, "rotate_piece:X")],
}


def eaf(tiers: dict[str, list[tuple[int, int, str]]]) -> bytes:
    """An ELAN file with a time slot for every end of an annotation."""
    slots, body = [], []
    for tier, spans in tiers.items():
        found = []
        for start, end, value in spans:
            slots += [start, end]
            text = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            refs = f'TIME_SLOT_REF1="ts{len(slots) - 1}" TIME_SLOT_REF2="ts{len(slots)}"'
            found.append(
                f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{len(slots)}" {refs}>'
                f"<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
            )
        body.append(f'<TIER LINGUISTIC_TYPE_REF="d" TIER_ID="{tier}">{"".join(found)}</TIER>')
    order = "".join(f'<TIME_SLOT TIME_SLOT_ID="ts{i}" TIME_VALUE="{t}"/>' for i, t in enumerate(slots, 1))
    return f"<ANNOTATION_DOCUMENT><TIME_ORDER>{order}</TIME_ORDER>{''.join(body)}</ANNOTATION_DOCUMENT>".encode()


def written(folder: Path, tiers: dict[str, list[tuple[int, int, str]]], name: str = "r1.eaf.gz") -> Path:
    (folder / "pento-cv").mkdir(exist_ok=True)
    content = eaf(tiers)
    (folder / "pento-cv" / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    return folder


@pytest.mark.parametrize(
    ("marked", "text", "words"),
    [
        (
            'nimm <ref id="X" piece="target"> das <v="rosa">rosane</v> $L </ref> . hin',
            "nimm das rosane L hin",
            ["das rosane L"],
        ),
        ('{F ähm:} (an + an) <ref id="U">da:s Ding</ref>', "ähm an an das Ding", ["das Ding"]),
        # A pronoun melted into its neighbour is marked in the spelt-out form.
        ('so <v="wie <ref id="U" piece="target"> es </ref> ">wie\'s</v> liegt', "so wie es liegt", ["es"]),
        ('<v="wie <ref id="F"> es</ref>">wie<ref id="F">\'s</ref></v> is', "wie's is", ["'s"]),
        ('<ref id="A">kein Teil</ref> <ref id="X"></ref>', "kein Teil", []),
    ],
)
def test_marks_are_read_and_taken_off_the_words(marked: str, text: str, words: list[str]) -> None:
    found, references, unclosed = read_markup(marked)
    assert (found, [found[r.start : r.end] for r in references], unclosed) == (text, words, 0)


def test_a_mark_that_is_never_closed_is_counted_and_left_out() -> None:
    text, references, unclosed = read_markup('das <ref id="Z"> diese Ecke und <ref id="X"> es </ref> da')
    assert (text, [r.pieces for r in references], unclosed) == ("das diese Ecke und es da", [("X",)], 1)


def test_stretches_of_roles_are_dialogues_and_what_lies_outside_is_none(tmp_path: Path) -> None:
    first, second = PentoCv(written(tmp_path, TIERS)).dialogues()
    assert (first.id, first.pair, first.roles) == ("r1-1", "r1", {"A": "manipulator", "B": "instructor"})
    assert second.roles["A"] == "instructor"
    # Times count from the beginning of the stretch; the repeated "ja" is there once, and said to be.
    assert [(u.start_ms, u.by, u.text) for u in first.utterances][:2] == [
        (500, "A", "ja"),
        (1000, "B", "nimm das rote an die grünen"),
    ]
    assert first.faults == {
        "overlapping annotations of one tier": 1,
        "of them repetitions, read once": 1,
        "references whose mark is never closed": 1,
    }


def test_a_reference_never_has_its_own_utterance_for_history(tmp_path: Path) -> None:
    trials = list(PentoCv(written(tmp_path, TIERS)).trials())
    assert [(t.references[0].text, t.targets) for t in trials] == [
        ("das rote", ("X",)),
        ("die grünen", ("T", "W")),
        ("es", ("X",)),
        ("den", ("L",)),
    ]
    assert [e.text for e in trials[1].history] == ["ja"]
    assert [e.text for e in trials[2].history] == [
        *("ja", "nimm das rote an die grünen", "grab_piece", "rotate_piece", "move_with_piece")
    ]
    assert trials[3].history == ()
    assert (trials[2].after, trials[2].cluster("game")) == (trials[1].id, "r1")


def test_unpacked_and_further_files_are_read_too(tmp_path: Path) -> None:
    written(tmp_path, TIERS, "r4.eaf")
    assert {d.pair for d in PentoCv(written(tmp_path, TIERS, "r7.eaf.gz")).dialogues()} == {"r4", "r7"}


def test_a_missing_folder_and_a_file_without_roles_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match="pento-cv"):
        list(PentoCv(tmp_path).trials())
    with pytest.raises(MalformedInput, match="no tier Roles"):
        list(PentoCv(written(tmp_path, {"A-utts": []})).trials())


# data/pento-cv/README.md: about three quarters of 16 dialogues, 4.8 h and 2,763 references to one piece; the tiers of r5 overlap.
@pytest.mark.data
def test_counts_of_the_six_files(data_folder: Path) -> None:
    corpus = PentoCv(data_folder)
    dialogues, trials = list(corpus.dialogues()), list(corpus.trials())
    assert (len(dialogues), len({d.pair for d in dialogues})) == (12, 6)
    assert sum(d.end_ms - d.start_ms for d in dialogues) / 3.6e6 == pytest.approx(0.75 * 4.8, rel=0.12)
    assert sum(len(t.targets) == 1 for t in trials) == pytest.approx(0.75 * 2763, rel=0.12)
    (overlapping,) = (d for d in dialogues if "overlapping annotations of one tier" in d.faults)
    assert overlapping.pair == "r5"


# The colours that speakers name for a piece: those of the table, far more often than any other.
@pytest.mark.data
def test_speakers_name_the_colours_of_the_table(data_folder: Path) -> None:
    german = {"grey": "grau", "brown": "braun", "red": "rot", "yellow": "gelb", "purple": "lila", "orange": "orange"}
    said: dict[str, Counter[str]] = {}
    for trial in PentoCv(data_folder).trials():
        if len(trial.targets) == 1:
            colour = trial.scene.entity(trial.targets[0]).value("colour") or ""
            words = (trial.references[0].text or "").lower()
            said.setdefault(colour, Counter()).update(c for c, word in german.items() if word in words)
    for colour in german:
        assert said[colour][colour] > 0.95 * said[colour].total() > 30
