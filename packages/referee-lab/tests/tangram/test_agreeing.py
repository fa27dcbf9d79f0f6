"""Agreement of annotators, against values worked out by hand."""

from __future__ import annotations

import pytest

from referee_lab.tangram.tiers.annotations import Annotation, ExpressionMark
from referee_lab.tangram.tiers.annotator_agreement import compare_annotations, find_differences


def _by(name: str, *rows: tuple[ExpressionMark, ...], done: int | None = None) -> Annotation:
    marks = dict(enumerate(rows))
    finished = range(len(rows) if done is None else done)
    return Annotation(
        annotator=name, session="s", marks=marks, texts=dict.fromkeys(marks, ""), done=frozenset(finished)
    )


def _mark(start: int, end: int, referent: str = "1", *codes: str, uncertain: bool = False) -> ExpressionMark:
    return ExpressionMark(start=start, end=end, referents=(referent,), attributes=codes, uncertain=uncertain)


def test_spans_agree_by_f() -> None:
    a = _by("a", (_mark(0, 5), _mark(8, 12)), (_mark(0, 4),), ())
    b = _by("b", (_mark(0, 5), _mark(9, 12)), (), (_mark(3, 6),))
    found = compare_annotations([(a, b)])
    # 3 and 3 expressions, one with the same span, one more that overlaps: F = 2·1/6 and 2·2/6
    assert (found.first, found.second, found.same_span, found.overlapping) == (3, 3, 1, 2)
    assert (found.span_f, found.overlap_f) == pytest.approx((1 / 3, 2 / 3))


def test_referents_agree_by_cohens_kappa() -> None:
    # ten expressions: both say 1 five times, both 2 three times, and twice a says 1 and b says 2
    first = ["1"] * 5 + ["2"] * 3 + ["1"] * 2
    second = ["1"] * 5 + ["2"] * 3 + ["2"] * 2
    a, b = (_by(n, *((_mark(0, 4, r),) for r in said)) for n, said in (("a", first), ("b", second)))
    found = compare_annotations([(a, b)])
    # observed .8; expected .7·.5 + .3·.5 = .5; kappa = .3/.5
    assert found.referents_kappa.value == pytest.approx(0.6)
    # Krippendorff: 20 ratings, 12 ones and 8 twos; D_o = 4/20, D_e = 2·12·8/(20·19); alpha = 1 - .2/(192/380)
    assert found.referents_alpha.value == pytest.approx(1 - 0.2 / (192 / 380))
    assert found.same_referents == 8


def test_an_unclear_referent_is_not_the_same_as_a_clear_one() -> None:
    a, b = _by("a", (_mark(0, 4, "1"),)), _by("b", (_mark(0, 4, "1", uncertain=True),))
    assert compare_annotations([(a, b)]).same_referents == 0


def test_every_attribute_has_its_own_kappa() -> None:
    codes_a = [("dpr",)] * 4 + [("siz", "typ")] * 4 + [("typ",)] * 2
    codes_b = [("dpr",)] * 4 + [("siz", "typ")] * 3 + [("typ",)] * 3
    a, b = (_by(n, *((_mark(0, 4, "1", *c),) for c in codes)) for n, codes in (("a", codes_a), ("b", codes_b)))
    found = compare_annotations([(a, b)])
    size = next(c for c in found.codes if c.code == "siz")
    # observed .9; expected .4·.3 + .6·.7 = .54; kappa = .36/.46
    assert (size.first, size.second, size.both) == (4, 3, 3)
    assert size.kappa.value == pytest.approx(0.36 / 0.46)
    assert next(c for c in found.codes if c.code == "dpr").kappa.value == pytest.approx(1.0)
    assert next(c for c in found.codes if c.code == "meta").kappa.value is None
    assert found.same_attributes == 9


def test_only_what_both_have_finished_counts() -> None:
    a = _by("a", (_mark(0, 4),), (_mark(0, 4),))
    b = _by("b", (_mark(0, 4),), (), done=1)
    found = compare_annotations([(a, b)])
    assert (found.utterances, found.first, found.second) == (1, 1, 1)
    assert find_differences(a, b) == []


def test_nothing_marked_is_no_agreement_but_no_value() -> None:
    found = compare_annotations([(_by("a", (), ()), _by("b", (), ()))])
    assert (found.span_f, found.referents_kappa.value, found.attributes_alpha.value) == (None, None, None)
    assert compare_annotations([]).utterances == 0


def test_utterances_that_differ_are_listed() -> None:
    a, b = _by("a", (_mark(0, 4),), (_mark(0, 4),)), _by("b", (_mark(0, 4),), (_mark(0, 4, "2"),))
    assert find_differences(a, b) == [1]
