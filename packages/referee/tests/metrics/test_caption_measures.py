"""METEOR, CIDEr-D and ROUGE-L have the values of pycocoevalcap 1.2 (METEOR 1.5 under OpenJDK 17), made once; CIDEr is worked out by hand."""

from __future__ import annotations

import zipfile
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from phrases import hold

from referee.errors import InputError
from referee.metrics.cider import Cider, CiderD
from referee.metrics.meteor import Meteor, _align
from referee.metrics.rouge_l import RougeL

ITEMS = [
    ("the red chair", ["the red chair"]),
    ("the large blue sofa on the left", ["the big blue sofa", "the blue couch at the left side"]),
    ("a man with glasses", ["the man with the glasses and a beard", "man wearing glasses"]),
    ("green desk facing backwards", ["the green desk facing back", "a desk that faces the back, green"]),
    ("the chairs", ["the chair"]),
    ("fan", ["the small grey fan in the middle", "the grey fan"]),
    ("red the chair large", ["the large red chair"]),
    ("the old man smiling at the camera", ["an older man who smiles", "the smiling old man"]),
    ("sofa", ["chair"]),
    ("the the the chair", ["the chair"]),
]
BATCH = hold([said for said, _ in ITEMS], [references for _, references in ITEMS])

# pycocoevalcap 1.2: CiderScorer and Rouge on the items above, the comma set apart; meteor-1.5.jar -l en -norm -p "0.85 0.2 0.6 0.75" with -m and -w as named
CIDER_D = [7.5, 1.5391655745152226, 1.6660644728332419, 2.5322090794320493, 0.01717277052954285]
CIDER_D += [1.1744579716176131, 2.5, 1.2095515613698484, 0.0, 2.956673198864044]
ROUGE_L = [1.0, 0.664850136239782, 0.6984732824427481, 0.6535714285714286, 0.5]
ROUGE_L += [0.45864661654135336, 0.5, 0.5736677115987461, 0.0, 0.7093023255813954]
METEOR_EXACT = [1.0, 0.2908973741187668, 0.2711864406779661, 0.36305023863772407, 0.1]
METEOR_EXACT += [0.1875, 0.4, 0.4032999936958687, 0.0, 0.4443438716486749]
METEOR_STEM = [*METEOR_EXACT[:4], 0.6999999999999998, *METEOR_EXACT[5:]]
CORPUS = {"exact": 0.32865508276776845, "exact+stem": 0.3482072135634688}


def values(metric: object) -> list[float]:
    rows = metric.statistics(BATCH)  # type: ignore[attr-defined]
    return [float(metric.finish(row, np.asarray(1.0))) for row in rows]  # type: ignore[attr-defined]


def test_cider_d_is_what_pycocoevalcap_prints() -> None:
    assert values(CiderD()) == pytest.approx(CIDER_D, abs=1e-9)


def test_rouge_l_is_what_pycocoevalcap_prints() -> None:
    assert values(RougeL()) == pytest.approx(ROUGE_L, abs=1e-9)


@pytest.mark.parametrize(("match", "expected"), [("exact", METEOR_EXACT), ("exact+stem", METEOR_STEM)])
def test_meteor_is_what_the_java_program_prints(match: str, expected: list[float]) -> None:
    metric = Meteor(match=match)
    assert values(metric) == pytest.approx(expected, abs=1e-9)
    assert metric.score(BATCH).value == pytest.approx(CORPUS[match], abs=1e-9), "of summed counts, not a mean"


def test_meteor_takes_synonyms_from_a_wordnet(tmp_path: Path) -> None:
    # wndb(5WN): lemma pos synset_cnt p_cnt sense_cnt tagsense_cnt offset
    (tmp_path / "index.noun").write_text("  1 licence\nsofa n 1 0 1 0 100\ncouch n 1 0 1 0 100\nchair n 1 0 1 0 200\n")
    for kind in ("verb", "adj", "adv"):
        (tmp_path / f"index.{kind}").write_text("")
    metric = Meteor(match="exact+stem+synonym", wordnet=str(tmp_path))
    # "the" at 0.25 and "sofa" at 0.75 * 0.8 of 1: P = R = 0.85, one chunk, all matched: no penalty
    assert metric.score(hold(["the sofas"], [["the couch"]])).value == pytest.approx(0.85)
    assert metric.score(hold(["the sofa"], [["the chair"]])).value == pytest.approx(0.25 * (1 - 0.6))
    assert "wordnet:wordnet@" in metric.score(BATCH).signature


# The value is that of java -jar meteor-1.5.jar OUT REF -l en -m "exact stem synonym" -w "1.0 0.6 0.8" -p "0.85 0.2 0.6 0.75".
def test_meteor_takes_synonyms_from_its_own_jar(tmp_path: Path) -> None:
    """A jar with the form of meteor-1.5.jar: a line with a word, then its synsets; a base form, then irregular forms."""
    jar = tmp_path / "meteor-1.5.jar"
    words = {
        "back": "6",
        "backwards": "6",
        "large": "1",
        "big": "1 7",
        "couch": "2",
        "sofa": "2",
        "mouse": "3",
        "rat": "3",
        "grass": "4",
        "gras": "5",
    }
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("synonym/english.synsets", "".join(f"{word}\n{numbers}\n" for word, numbers in words.items()))
        archive.writestr("synonym/english.exceptions", "mouse\nmice\n")
    metric = Meteor(match="exact+stem+synonym", wordnet=str(jar))
    dictionary = metric._wordnet
    assert dictionary is not None
    shared = [("sofas", "couch"), ("big", "large"), ("mice", "rat"), ("mice", "mouse")]
    assert [dictionary.share_sense(*pair) for pair in shared] == [True] * 4
    # A word that ends in "ss" has no ending to remove.
    assert not dictionary.share_sense("grass", "gras")
    text, reference = "large sofa seen from the back", "big couch , facing backwards"
    # The printed value of the program with its own jar, in which these pairs of words are synonyms.
    assert metric.score(hold([text], [[reference]])).value == pytest.approx(0.2446002906767252, abs=1e-9)
    with pytest.raises(InputError, match="jar"):
        Meteor(match="exact+synonym", wordnet=str(tmp_path / "none.jar"))


def test_cider_by_hand() -> None:
    """Two items, "a b" and "c": every n-gram is in one of them, so all weigh log 2; "a c" shares one of two words with "a b": cosine 1/2, and no pair."""
    batch = hold(["a c", "c"], [["a b"], ["c"]])
    found = Cider().statistics(batch)[:, 0]
    assert found == pytest.approx([10 * (0.5 + 0) / 4, 10 * 1 / 4])
    assert log(2) > 0


def test_weights_of_cider_come_from_the_whole_test_set() -> None:
    whole = CiderD()
    halves = [hold([s for s, _ in part], [r for _, r in part]) for part in (ITEMS[:5], ITEMS[5:])]
    for half in halves:
        whole.learn(half)
    assert [x for half in halves for x in whole.statistics(half)[:, 0]] == pytest.approx(CIDER_D, abs=1e-9)


def test_one_item_alone_has_no_weights() -> None:
    """pycocoevalcap#18: the logarithm of one item is 0, and so is everything."""
    assert CiderD().score(hold(["the chair"], [["the chair"]])).value == 0


@pytest.mark.parametrize("metric", [Meteor(), Cider(), CiderD(), RougeL()], ids=lambda m: m.name)
def test_no_words_are_nothing_and_silence_is_not_counted(metric: object) -> None:
    batch = hold(["", None, "x"], [["the chair"], ["the chair"], [None]])
    rows = metric.statistics(batch)  # type: ignore[attr-defined]
    assert np.isnan(rows).any(axis=1).tolist() == [False, True, True]
    assert float(metric.finish(rows[0], np.asarray(1.0))) == 0  # type: ignore[attr-defined]


@given(st.lists(st.sampled_from("abcd"), max_size=5), st.lists(st.sampled_from("abcd"), max_size=5))
def test_meteor_aligns_as_well_as_the_best_of_all_alignments(said: list[str], wanted: list[str]) -> None:
    """The most matches, then the fewest chunks, over every way to align."""

    def ways(i: int, taken: frozenset[int]) -> list[list[tuple[int, int]]]:
        if i == len(said):
            return [[]]
        free = [j for j, word in enumerate(wanted) if word == said[i] and j not in taken]
        return ways(i + 1, taken) + [[(i, j), *more] for j in free for more in ways(i + 1, taken | {j})]

    def order(pairs: list[tuple[int, int]]) -> tuple[int, int]:
        return -len(pairs), sum((i - 1, j - 1) not in pairs for i, j in pairs)

    candidates = [[(i, 1.0) for i, word in enumerate(said) if word == one] for one in wanted]
    found = [(i, j) for i, j, _ in _align(candidates)]
    assert order(found) == min(map(order, ways(0, frozenset())))


# meteor-1.5.jar -l en -m "exact stem" -w "1.0 0.6" under OpenJDK 17.
REPEATED = [
    ("small red run of left run run run dog left run", "left left run red run dog left red dog small of", 0.30767886615829987),
    ("walking walks walked a walking a run walked walking run", "walking walks balls walking balls walking a a walked walked", 0.33349807171004525),
    ("chair walked runs runs right with runs chair with with", "chair walks with runs walks walked dog chair with with", 0.2897076397532571),
]  # fmt: skip


@pytest.mark.parametrize(("output", "reference", "printed"), REPEATED)
def test_meteor_of_repeated_words_is_what_the_java_program_prints(output: str, reference: str, printed: float) -> None:
    assert Meteor().score(hold([output], [[reference]])).value == pytest.approx(printed, abs=1e-12)
