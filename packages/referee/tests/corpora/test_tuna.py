"""TUNA: the reader against invented files, and against every number known of the real corpus."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.catalogue import create
from referee.contracts import Corpus
from referee.corpora.tuna import Tuna
from referee.errors import DataNotFound, DuplicateTrial, UnknownName
from referee.records import Property, Span, Trial
from referee.signature import signature

RELEASE = Path(__file__).parent.parent / "fixtures" / "tuna" / "release"


def pairs(trial: Trial) -> list[str]:
    return [str(p) for p in trial.references[0].properties or ()]


def told(reading: str) -> dict[str, list[str]]:
    return {t.id: pairs(t) for t in Tuna(RELEASE, reading).trials()}


# -- invented files ---------------------------------------------------------------------------------------------------------------


def test_trials_come_by_speaker_number_then_trial_number() -> None:
    assert [t.id for t in Tuna(RELEASE).trials()] == ["s1t21", "s2t9", "s10t2"]


def test_raw_keeps_false_values_others_and_repeats() -> None:
    assert told("raw")["s10t2"] == [
        *("other:other", "y-dimension:3", "x-dimension:1", "type:chair", "type:other", "colour:red", "size:other")
    ]


def test_true_keeps_only_what_holds_of_a_target() -> None:
    assert told("true") == {
        "s1t21": ["hasBeard:1", "hairColour:light", "age:old"],
        "s2t9": ["type:fan", "type:desk", "colour:green"],
        "s10t2": ["y-dimension:3", "type:chair"],
    }


def test_challenge_corrects_values_collapses_repeats_and_leaves_out_plurals_and_speakers_without_positions() -> None:
    assert told("challenge") == {"s10t2": ["y-dimension:3", "x-dimension:2", "type:chair", "colour:grey", "size:large"]}


def test_spans_and_words_are_the_same_in_every_reading() -> None:
    raw, true, challenge = (list(Tuna(RELEASE, r).trials())[-1].references[0] for r in ("raw", "true", "challenge"))
    assert raw.spans == true.spans == challenge.spans
    assert raw.text == true.text == challenge.text


def test_an_unknown_reading_is_refused_with_suggestions() -> None:
    with pytest.raises(UnknownName, match="challenge"):
        list(Tuna(RELEASE, "challenges").trials())


def test_the_reading_is_part_of_the_signature() -> None:
    assert "|reading:true|" in signature("tuna", Tuna(RELEASE, "true"))


def test_a_data_folder_a_corpus_folder_an_archive_and_a_file_all_serve(tmp_path: Path) -> None:
    shutil.copytree(RELEASE, tmp_path / "data" / "tuna" / "dist" / "corpus")
    archive = Path(shutil.make_archive(str(tmp_path / "packed" / "corpus"), "zip", RELEASE))
    expected = list(Tuna(RELEASE).trials())
    for data in (tmp_path / "data", tmp_path / "data" / "tuna", str(archive), archive.parent):
        assert list(Tuna(data).trials()) == expected
    assert [t.id for t in Tuna(RELEASE / "plural" / "furniture" / "s2t9.xml").trials()] == ["s2t9"]


def test_unpacked_files_come_before_the_archive_they_came_from(tmp_path: Path) -> None:
    shutil.copytree(RELEASE, tmp_path / "unpacked")
    shutil.make_archive(str(tmp_path / "corpus"), "zip", RELEASE)
    assert len(list(Tuna(tmp_path).trials())) == 3


def test_two_archives_with_the_same_trials_are_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.make_archive(str(tmp_path / name), "zip", RELEASE)
    with pytest.raises(DuplicateTrial, match="more than one archive"):
        list(Tuna(tmp_path).trials())


def test_a_missing_corpus_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REFEREE_DATA", raising=False)
    for data in (None, tmp_path, tmp_path / "nowhere"):
        with pytest.raises(DataNotFound, match="REFEREE_DATA"):
            list(Tuna(data).trials())


def test_it_is_a_corpus_with_a_card_and_no_responses() -> None:
    corpus = create("corpus", "tuna", data=RELEASE)
    assert isinstance(corpus, Corpus)
    assert list(corpus.responses()) == []
    assert (corpus.card.name, corpus.card.languages) == ("tuna", ("en",))


# -- the real corpus --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def raw(data_folder: Path) -> list[Trial]:
    return list(Tuna(data_folder).trials())


@pytest.fixture(scope="module")
def independent(data_folder: Path) -> dict[str, dict[str, Any]]:
    """The same trials as another program read them."""
    with (data_folder / "tuna" / "tuna_singular.jsonl").open(encoding="utf-8") as lines:
        return {row["id"]: row for row in map(json.loads, lines)}


@pytest.mark.data
def test_the_corpus_has_sixty_speakers_of_thirteen_trials(raw: list[Trial]) -> None:
    # data/tuna/README.md, Counts
    assert len(raw) == 780
    assert Counter(t.domain for t in raw) == {"furniture": 420, "people": 360}
    assert Counter(Counter(t.speaker for t in raw).values()) == {13: 60}
    assert Counter((t.domain, t.condition) for t in raw) == {
        ("furniture", "-LOC"): 210,
        ("furniture", "+LOC"): 210,
        ("people", "-LOC"): 180,
        ("people", "+LOC"): 180,
    }
    assert {(len(t.scene.entities), len(t.targets), len(t.references)) for t in raw} == {(7, 1, 1)}


@pytest.mark.data
def test_there_are_thirteen_designed_scenes_that_differ_only_in_positions(raw: list[Trial]) -> None:
    designs: dict[str | None, set[tuple[object, ...]]] = {}
    for t in raw:
        fixed = frozenset(
            (e.id, frozenset(p for p in e.attributes if "dimension" not in p.name)) for e in t.scene.entities
        )
        designs.setdefault(t.scene.id, set()).add((t.targets, fixed))
    assert sorted(designs, key=str) == sorted(f"t{i}" for i in (*range(1, 8), *range(21, 27)))
    assert {len(d) for d in designs.values()} == {1}


@pytest.mark.data
def test_every_trial_equals_an_independent_reading_field_by_field(
    raw: list[Trial], independent: dict[str, Any]
) -> None:
    assert {t.id for t in raw} == independent.keys()
    for trial in raw:
        other = independent[trial.id]
        assert (f"s{trial.speaker}", trial.domain, trial.condition) == (
            other["speaker"],
            other["domain"],
            other["condition"],
        )
        assert {k: trial.meta[k] for k in ("trial", "cardinality", "similarity")} == {
            k: other[k] for k in ("trial", "cardinality", "similarity")
        }
        assert trial.targets == (other["target"],)
        assert [(e.id, e.image, dict(e.attributes)) for e in trial.scene.entities] == [
            (e["id"], e["image"], e["attributes"]) for e in sorted(other["entities"], key=lambda e: int(e["id"]))
        ]
        assert trial.references[0].text == other["description"]
        assert list(trial.references[0].properties or ()) == [(p["name"], p["value"]) for p in other["attribute_set"]]
        assert trial.meta.get("polarity", {}) == {
            f"{p['name']}:{p['value']}": p["polarity"] for p in other["attribute_set"] if "polarity" in p
        }


@pytest.mark.data
def test_the_markup_equals_an_independent_reading(raw: list[Trial], independent: dict[str, Any]) -> None:
    def without_number(marks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        kept = [{k: v for k, v in m.items() if k != "num"} for m in marks]
        return [{**m, "inside": without_number(m["inside"])} if "inside" in m else m for m in kept]

    different = [t.id for t in raw if without_number(t.meta["annotation"]) != independent[t.id]["annotation"]]
    # The other program ran two words of this trial together ("thebald").
    assert len(different) == 1
    mark = independent[different[0]]["annotation"][1]
    assert mark["text"].startswith("thebald")


@pytest.mark.data
def test_spans_hold_all_words_in_order(raw: list[Trial]) -> None:
    """Where annotators changed no word, the spans are the description; 16 strings differ from their own markup by a character or more."""

    def letters(text: str | None) -> str:
        return "".join((text or "").split())

    differing = [
        t.id for t in raw if letters("".join(s.text for s in t.references[0].spans)) != letters(t.references[0].text)
    ]
    # 764 of 780 agree when the text of the DESCRIPTION element is compared with STRING-DESCRIPTION, counted from the XML without this reader.
    assert len(differing) == 780 - 764


@pytest.mark.data
def test_spans_express_the_attribute_set_but_for_the_six_trials_named_on_the_card(raw: list[Trial]) -> None:
    def expressed(spans: tuple[Span, ...]) -> Counter[Property]:
        return sum((Counter(s.properties) + expressed(s.inside) for s in spans), Counter())

    different = {t.id for t in raw if expressed(t.references[0].spans) != Counter(t.references[0].properties)}
    assert different == {"s313t26", "s323t2", "s326t22", "s326t26", "s393t24", "s402t26"}
    assert all(name in " ".join(Tuna.card.faults) for name in different)


@pytest.mark.data
def test_positions_are_unknown_for_three_speakers_only(raw: list[Trial]) -> None:
    # data/tuna/README.md: every object in 21 furniture and 18 people trials: speakers 1, 4, 5
    unknown = [t for t in raw if all(e.position is None for e in t.scene.entities)]
    assert {t.speaker for t in unknown} == {"1", "4", "5"}
    assert Counter(t.domain for t in unknown) == {"furniture": 21, "people": 18}
    assert all(e.position is not None for t in raw if t not in unknown for e in t.scene.entities)


@pytest.mark.data
def test_the_order_of_entities_does_not_betray_the_target(raw: list[Trial]) -> None:
    assert len({t.target_mask for t in raw}) > 4, "the files list the target first; the reader does not"
    places = Counter(t.for_hearer(Random(t.id)).scene.index(t.targets[0]) for t in raw)
    assert len(places) == 7


@pytest.mark.data
def test_the_known_quirks_of_furniture_sets_are_all_there(raw: list[Trial]) -> None:
    # independent counts of the release; "other:other" counts descriptions there (two hold it twice), the rest counts pairs.
    furniture = [t for t in raw if t.domain == "furniture"]
    said = Counter(p for t in furniture for p in pairs(t))
    assert sum("other:other" in pairs(t) for t in furniture) == 7
    assert (said["type:other"], said["colour:other"], said["size:other"]) == (19, 2, 1)
    assert (said["x-dimension:unknown"], said["y-dimension:unknown"], said["y-dimension:5"]) == (7, 11, 1)
    false = Counter(
        p.name
        for t in furniture
        for p in t.references[0].properties or ()
        if p.value != "other" and not t.scene.entity(t.targets[0]).has(p)
    )
    assert false == {"orientation": 16, "x-dimension": 5, "y-dimension": 5, "colour": 5, "size": 2, "type": 2}


@pytest.mark.data
def test_sets_that_name_an_attribute_twice_are_kept(raw: list[Trial]) -> None:
    # data/tuna/README.md: 16 furniture and 21 people trials; independent counts of the release: 9 furniture trials with two different values
    def twice(trial: Trial, properties: list[Property]) -> bool:
        return max(Counter(p.name for p in properties).values(), default=0) > 1

    listed = Counter(t.domain for t in raw if twice(t, list(t.references[0].properties or ())))
    assert listed == {"furniture": 16, "people": 21}
    unlike = Counter(t.domain for t in raw if twice(t, list(set(t.references[0].properties or ()))))
    assert unlike["furniture"] == 9


@pytest.mark.data
def test_how_many_sets_identify_their_target(data_folder: Path) -> None:
    # The table of data/tuna/README.md: pairs true of the target; redundant when one other than type can go.
    found: Counter[tuple[str, str, str]] = Counter()
    for t in Tuna(data_folder, "true").trials():
        said = set(t.references[0].properties or ())
        spare = any(t.scene.denotation(said - {p}) == t.target_mask for p in said if p.name != "type")
        kind = "not" if t.scene.denotation(said) != t.target_mask else "redundant" if spare else "exact"
        found[str(t.domain), str(t.condition), kind] += 1
    expected = {
        ("furniture", "-LOC"): (78, 86, 46),
        ("furniture", "+LOC"): (71, 101, 38),
        ("people", "-LOC"): (63, 107, 10),
        ("people", "+LOC"): (80, 80, 20),
    }
    assert {k: tuple(found[(*k, kind)] for kind in ("exact", "redundant", "not")) for k in expected} == expected


@pytest.mark.data
def test_attribute_use_agrees_with_the_table_computed_by_others(data_folder: Path) -> None:
    """published/tuna_corpus_singular_attribute_use.csv, all rows but `age`, which it undercounts (notes on the release: blanks in the values)."""
    true = list(Tuna(data_folder, "true").trials())
    table = data_folder.parent / "published" / "tuna_corpus_singular_attribute_use.csv"
    if not table.exists():
        pytest.skip(f"needs the published tables beside the data folder ({table.name})")
    with table.open(encoding="utf-8") as lines:
        rows = [r for r in csv.DictReader(lines) if r["attribute"] != "age"]
    assert len(rows) > 100
    for row in rows:
        part = [t for t in true if t.domain == row["domain"] and in_subset(t, row["subset"])]
        users = sum(any(p.name == row["attribute"] for p in t.references[0].properties or ()) for t in part)
        assert (len(part), users) == (int(row["n"]), int(row["descriptions_using_it"])), row


def in_subset(trial: Trial, subset: str) -> bool:
    if subset == "excluding_unknown_location":
        return trial.scene.entities[0].position is not None
    return subset in ("all", trial.scene.id)


@pytest.mark.data
def test_mean_set_sizes_are_the_published_ones(data_folder: Path) -> None:
    # independent counts of the release: 2.98 and 2.85; the latter without the 7 true age pairs that its blanks hide (2.872 with them)
    true = list(Tuna(data_folder, "true").trials())
    sizes = {d: [len(pairs(t)) for t in true if t.domain == d] for d in ("furniture", "people")}
    assert sum(sizes["furniture"]) / 420 == pytest.approx(2.98, abs=0.005)
    assert (sum(sizes["people"]) - 7) / 360 == pytest.approx(2.85, abs=0.005)


@pytest.mark.data
def test_the_challenge_reading_has_741_trials_and_only_true_pairs(data_folder: Path) -> None:
    trials = list(Tuna(data_folder, "challenge").trials())
    # independent counts of the release: 57 speakers x 13, 399 + 342
    assert Counter(t.domain for t in trials) == {"furniture": 399, "people": 342}
    assert not {t.speaker for t in trials} & {"1", "4", "5"}
    for t in trials:
        said = list(t.references[0].properties or ())
        assert all(t.scene.entity(t.targets[0]).has(p) for p in said), t.id
        assert len(said) == len(set(said)), t.id


@pytest.mark.data
def test_the_challenge_reading_has_the_printed_number_of_size_and_orientation_mentions(data_folder: Path) -> None:
    # independent counts of the release: size .331 and orientation .318 of furniture items in this reading
    trials = [t for t in Tuna(data_folder, "challenge").trials() if t.domain == "furniture"]
    use = Counter(p.name for t in trials for p in t.references[0].properties or ())
    assert use["size"] / 399 == pytest.approx(0.331, abs=0.0005)
    assert use["orientation"] / 399 == pytest.approx(0.318, abs=0.0005)


@pytest.mark.data
def test_the_card_counts_false_values_and_others_rightly(raw: list[Trial]) -> None:
    # furniture: 35 false, 19 + 2 + 1 + 9 others (independent counts, in pairs); people: counted from tuna_singular.jsonl without this reader
    other = Counter(t.domain for t in raw for p in t.references[0].properties or () if p.value == "other")
    false = Counter(
        t.domain
        for t in raw
        for p in t.references[0].properties or ()
        if p.value not in ("other", "unknown") and not t.scene.entity(t.targets[0]).has(p)
    )
    assert (false["furniture"], other["furniture"], false["people"], other["people"]) == (35, 31, 21, 48)


@pytest.mark.data
def test_what_was_called_something_else_is_not_counted_as_named(data_folder: Path) -> None:
    """At most 293 persons, 162 chairs, 101 desks and 52 sofas: training counts of Kelleher & Mac Namee (2008) plus all remaining targets."""
    found = {
        reading: Counter(p.value for t in Tuna(data_folder, reading).trials() for r in t.references for p in r.properties or () if p.name == "type")
        for reading in ("challenge", "challenge.other")
    }  # fmt: skip
    assert [found["challenge"][kind] for kind in ("person", "chair", "desk", "sofa")] == [310, 169, 108, 54]
    assert [found["challenge.other"][kind] for kind in ("person", "chair", "desk", "sofa", "other")] == [
        287,
        163,
        102,
        52,
        48,
    ]
