"""The synthetic corpus keeps the TUNA design, speaks with the published chances, and is the same every time."""

from __future__ import annotations

from itertools import combinations, islice
from statistics import NormalDist

import pytest

from referee.contracts import Corpus
from referee.corpora.synthetic.corpus import Synthetic, generate_trials
from referee.corpora.synthetic.invented_scenes import DOMAINS, choose_grid
from referee.corpora.synthetic.invented_speaker import HABITS, LOCATION
from referee.corpora.synthetic.words import list_phrases, phrase_plainly
from referee.errors import InputError
from referee.records import Property, Trial

LOOKS = {"furniture": ("colour", "orientation", "size")}
LOOKS["people"] = tuple(name for name in DOMAINS["people"].values if name != "type")


@pytest.fixture(scope="module")
def default() -> list[Trial]:
    return list(Synthetic().trials())


@pytest.fixture(scope="module")
def many() -> list[Trial]:
    """2,000 speakers: enough for shares to be near their chances."""
    return list(generate_trials(2000 * 13))


def smallest_sets(trial: Trial) -> list[set[str]]:
    """All smallest distinguishing sets of attributes but type and location, found by trying everything."""
    target = trial.scene.entity(trial.targets[0])
    looks = [p for p in target.attributes if p.name in LOOKS[trial.domain or ""]]
    for size in range(1, len(looks) + 1):
        found = [
            {p.name for p in s} for s in combinations(looks, size) if trial.scene.denotation(s) == trial.target_mask
        ]
        if found:
            return found
    return []


def share(trials: list[Trial], name: str) -> float:
    return sum(any(p.name == name for p in t.references[0].properties or ()) for t in trials) / len(trials)


def locates(trial: Trial) -> bool:
    return any(p.name.endswith("-dimension") for p in trial.references[0].properties or ())


# -- design ----------------------------------------------------------------------------------------------------------------


def test_the_default_is_a_corpus_of_60_speakers_and_13_scenes(default: list[Trial]) -> None:
    assert isinstance(Synthetic(), Corpus)
    assert len({t.id for t in default}) == len(default) == 780
    assert len({t.speaker for t in default}) == 60
    assert len({t.scene.id for t in default if t.domain == "furniture"}) == 7
    assert len({t.scene.id for t in default if t.domain == "people"}) == 6
    assert sum(t.condition == "+LOC" for t in default) == 390
    assert all(len(t.scene.entities) == 7 for t in default)
    assert default[13 * 11 + 2].id == "s12t3"


def test_everything_is_labelled_synthetic(default: list[Trial]) -> None:
    assert Synthetic.card.synthetic
    assert all(t.meta["synthetic"] is True for t in default)
    assert list(Synthetic().responses()) == []


def test_minimal_descriptions_of_furniture_run_through_all_subsets(default: list[Trial]) -> None:
    found = {t.scene.id: smallest_sets(t) for t in default[:13]}
    furniture = [found[f"t{i}"] for i in range(1, 8)]
    assert all(len(sets) == 1 for sets in furniture)
    wanted = {frozenset(s) for size in (1, 2, 3) for s in combinations(("colour", "orientation", "size"), size)}
    assert {frozenset(sets[0]) for sets in furniture} == wanted


@pytest.mark.parametrize(
    ("entities", "similarity", "seed"), [(2, 0.5, 1), (3, 0.0, 2), (7, 1.0, 3), (20, 0.9, 4), (40, 0.2, 5)]
)
def test_the_smallest_set_is_the_one_the_scene_was_built_for(entities: int, similarity: float, seed: int) -> None:
    corpus = Synthetic(seed=seed, speakers=1, scenes=26, entities=entities, similarity=similarity)
    for trial in corpus.trials():
        assert len(trial.scene.entities) == entities
        assert set(trial.meta["minimal"]) in smallest_sets(trial)
        if trial.domain == "furniture":
            assert smallest_sets(trial) == [set(trial.meta["minimal"])]


def test_type_rules_out_half_of_the_furniture_and_never_decides(default: list[Trial]) -> None:
    for trial in default[:7]:
        target = trial.scene.entity(trial.targets[0])
        assert trial.scene.extension(Property("type", target.value("type"))).bit_count() == 4


def test_similar_scenes_are_more_alike_than_dissimilar_ones() -> None:
    def shared(similarity: float) -> float:
        trials = list(Synthetic(speakers=1, scenes=130, similarity=similarity).trials())
        same = [
            e.value(name) == t.scene.entity(t.targets[0]).value(name)
            for t in trials
            for e in t.scene.entities
            if e.id != t.targets[0]
            for name in LOOKS[t.domain or ""]
        ]
        return sum(same) / len(same)

    assert shared(0.1) < shared(0.5) < shared(0.9)


def test_neither_place_nor_id_nor_order_gives_the_target_away(default: list[Trial]) -> None:
    for place in range(7):
        assert 0.05 < sum(t.scene.index(t.targets[0]) == place for t in default) / 780 < 0.25
    assert len({t.targets for t in default}) > 3
    assert len({t.scene.entity(t.targets[0]).position for t in default}) == 15


def test_positions_are_distinct_cells_in_reading_order_and_change_from_trial_to_trial(default: list[Trial]) -> None:
    for trial in default:
        cells = [(int(e.value("y-dimension") or 0), int(e.value("x-dimension") or 0)) for e in trial.scene.entities]
        assert cells == sorted(set(cells))
        assert all(e.position == (x, y) for e, (y, x) in zip(trial.scene.entities, cells, strict=True))
    assert len({tuple((e.id, e.position) for e in t.scene.entities) for t in default if t.scene.id == "t1"}) == 60


@pytest.mark.parametrize(
    ("entities", "size"), [(7, (5, 3)), (15, (5, 3)), (16, (10, 6)), (61, (15, 9)), (1000, (45, 27))]
)
def test_the_grid_grows_with_the_scene(entities: int, size: tuple[int, int]) -> None:
    assert choose_grid(entities) == size


def test_a_bald_head_has_no_hair_colour() -> None:
    entities = [e for t in Synthetic(speakers=1, scenes=130).trials() if t.domain == "people" for e in t.scene.entities]
    assert {e.value("hasHair") for e in entities} == {"0", "1"}
    assert all((e.value("hairColour") is None) == (e.value("hasHair") == "0") for e in entities)


# -- speakers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attribute", "needed", "chance"),
    # Use in TUNA's 262 furniture descriptions without location: colour 146/157 and 99/105, size 118/148 and 6/114, orientation 92/133 and 16/129.
    [("colour", True, 0.93), ("colour", False, 0.94), ("size", True, 0.80), ("size", False, 0.05), ("orientation", True, 0.69), ("orientation", False, 0.12)],
)  # fmt: skip
def test_speakers_use_attributes_as_often_as_people_did(
    many: list[Trial], attribute: str, needed: bool, chance: float
) -> None:
    trials = [
        t for t in many if t.domain == "furniture" and not locates(t) and (attribute in t.meta["minimal"]) == needed
    ]
    assert share(trials, attribute) == pytest.approx(chance, abs=0.02)


def test_people_are_described_by_beard_and_glasses_where_they_have_them(many: list[Trial]) -> None:
    for habit in (h for h in HABITS if h.attribute in ("hasBeard", "hasGlasses")):
        has = [t for t in many if t.scene.entity(t.targets[0]).value(habit.attribute) == "1" and not locates(t)]
        needed = [t for t in has if habit.attribute in t.meta["minimal"]]
        assert share(needed, habit.attribute) == pytest.approx(habit.needed, abs=0.02)
        lacks = [t for t in many if t.scene.entity(t.targets[0]).value(habit.attribute) == "0"]
        assert not lacks or share(lacks, habit.attribute) == 0


@pytest.mark.parametrize("domain", ["furniture", "people"])
@pytest.mark.parametrize("condition", ["+LOC", "-LOC"])
def test_location_is_said_as_often_as_in_each_condition_of_tuna(many: list[Trial], domain: str, condition: str) -> None:
    trials = [t for t in many if t.domain == domain and t.condition == condition]
    assert sum(map(locates, trials)) / len(trials) == pytest.approx(LOCATION[domain][condition], abs=0.035)


def test_about_as_many_speakers_as_in_tuna_never_say_where(many: list[Trial]) -> None:
    # 27 of TUNA's 60 participants never mention location in their 13 singular trials.
    sayers = {t.speaker for t in many if locates(t)}
    never = 1 - len(sayers) / len({t.speaker for t in many})
    assert never == pytest.approx(27 / 60, abs=0.08)


def test_individuality_spreads_speakers_and_leaves_the_mean(many: list[Trial]) -> None:
    def by_speaker(trials: list[Trial]) -> list[float]:
        groups: dict[str | None, list[Trial]] = {}
        for t in trials:
            if t.domain == "furniture":
                groups.setdefault(t.speaker, []).append(t)
        return [share(g, "orientation") for g in groups.values()]

    alike = by_speaker(list(Synthetic(speakers=1000, individuality=0, layouts=10).trials()))
    unlike = by_speaker(many)
    assert sum(alike) / len(alike) == pytest.approx(sum(unlike) / len(unlike), abs=0.02)
    assert NormalDist.from_samples(unlike).variance > 1.5 * NormalDist.from_samples(alike).variance


def test_descriptions_are_true_unless_slips_are_asked_for(default: list[Trial]) -> None:
    def false(trials: list[Trial]) -> float:
        pairs = [(t.scene.entity(t.targets[0]), p) for t in trials for p in t.references[0].properties or ()]
        return sum(not e.has(p) for e, p in pairs) / len(pairs)

    assert false(default) == 0
    assert 0.05 < false(list(Synthetic(slips=0.1).trials())) < 0.1


def test_nobody_says_nothing_or_the_same_attribute_twice(many: list[Trial]) -> None:
    for trial in many:
        names = [p.name for p in trial.references[0].properties or ()]
        assert names
        assert len(set(names)) == len(names)


# -- words -----------------------------------------------------------------------------------------------------------------


def test_spans_say_exactly_the_properties_and_make_up_the_text(default: list[Trial]) -> None:
    for reference in (t.references[0] for t in default):
        assert " ".join(s.text for s in reference.spans) == reference.text
        assert sorted(p for s in reference.spans for p in s.properties) == sorted(reference.properties or ())


def test_determiners_come_as_often_as_in_tuna(many: list[Trial]) -> None:
    # First word of TUNA's 420 furniture descriptions: "the" 44 %, "a" 11 %, no determiner 45 %.
    first = [(t.references[0].text or "").split()[0] for t in many if t.domain == "furniture"]
    assert first.count("the") / len(first) == pytest.approx(0.44, abs=0.03)
    assert (first.count("a") + first.count("an")) / len(first) == pytest.approx(0.11, abs=0.02)


def test_lengths_are_near_tunas(many: list[Trial]) -> None:
    # Words per furniture description in TUNA: mean 5.5; attributes: 2.98.
    furniture = [t.references[0] for t in many if t.domain == "furniture"]
    assert sum(len((r.text or "").split()) for r in furniture) / len(furniture) == pytest.approx(5.5, abs=1)
    assert sum(len(r.properties or ()) for r in furniture) / len(furniture) == pytest.approx(2.98, abs=0.3)


def test_a_goes_before_consonants_and_an_before_vowels(many: list[Trial]) -> None:
    texts = [(t.references[0].text or "").split() for t in many]
    after = {(w[0], w[1][0] in "aeiou") for w in texts if w[0] in ("a", "an") and len(w) > 1}
    assert after == {("a", False), ("an", True)}


def test_every_value_of_every_attribute_can_be_said() -> None:
    for domain in DOMAINS.values():
        for name, values in domain.values.items():
            for value in values:
                assert list_phrases(Property(name, value))
    places = [("x-dimension", 5), ("y-dimension", 3)]
    assert all(list_phrases(Property(name, str(i))) for name, count in places for i in range(1, count + 1))


def test_rows_go_by_number_on_larger_grids() -> None:
    spans = [s for t in Synthetic(entities=20).trials() for s in t.references[0].spans]
    rows = {s.text for s in spans for p in s.properties if p.name == "y-dimension"}
    assert rows == {f"in row {i}" for i in range(1, 7)}


def test_plain_words_follow_the_usual_order() -> None:
    said = [
        Property("x-dimension", "1"),
        Property("type", "chair"),
        Property("colour", "red"),
        Property("size", "large"),
    ]
    assert phrase_plainly(said[1:]) == "the large red chair"
    assert phrase_plainly(said[2:]) == "the large red one"


def test_typos_misspell_words_and_keep_their_letters(many: list[Trial]) -> None:
    words = [w for t in Synthetic(typos=1.0).trials() for w in (t.references[0].text or "").split()]
    known = {w for t in many for w in (t.references[0].text or "").split()}
    assert sum(w not in known for w in words) > len(words) / 3
    assert {"".join(sorted(w)) for w in words} <= {"".join(sorted(w)) for w in known}


# -- determinism and size --------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_corpus_and_another_one_does_not(default: list[Trial]) -> None:
    assert list(Synthetic().trials()) == default
    assert list(Synthetic(seed=2).trials()) != default


def test_the_first_speakers_stay_when_more_are_asked_for(default: list[Trial]) -> None:
    assert list(islice(Synthetic(speakers=1000).trials(), 780)) == default


def test_generate_makes_as_many_as_asked_and_shares_scenes() -> None:
    trials = list(generate_trials(5000, seed=3))
    assert len(trials) == len({t.id for t in trials}) == 5000
    assert len({id(t.scene) for t in trials}) <= 1300
    assert list(generate_trials(0)) == []


@pytest.mark.parametrize(
    "wrong", [{"entities": 1}, {"speakers": 0}, {"scenes": 0}, {"similarity": 1.5}, {"slips": -0.1}, {"layouts": 0}]
)
def test_impossible_corpora_are_refused_by_name(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        next(Synthetic(**wrong).trials())
