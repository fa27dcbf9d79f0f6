"""The encoding: every distinct thing once, nothing lost, and shared by all measures of a batch."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from worlds import batches, props, said, scene, trial

from referee.contracts import Batch
from referee.metrics.properties import PropertyBits, count_bits, encode, expand_ranges, pack


def test_the_k_th_mention_of_a_property_has_a_bit_of_its_own() -> None:
    vocabulary = PropertyBits()
    twice = vocabulary.encode_multiset(props("x:1 x:1 y:1"))
    assert twice.bit_count() == 3
    once = vocabulary.encode_multiset(props("y:1 x:1"))
    assert once.bit_count() == 2
    assert once & twice == once


def test_packed_masks_keep_every_bit() -> None:
    masks = [0, 1, 1 << 63, 1 << 64, (1 << 130) | 5]
    words = pack(masks, 3)
    assert words.shape == (3, 5)
    back = [sum(int(words[w, i]) << (64 * w) for w in range(3)) for i in range(5)]
    assert back == masks
    assert count_bits(words).tolist() == [0, 1, 1, 1, 3]


def test_stretches_are_laid_end_to_end() -> None:
    assert expand_ranges(np.array([4, 0, 9]), np.array([2, 0, 1])).tolist() == [4, 5, 9]


def test_the_encoding_is_built_once_per_batch() -> None:
    batch = Batch.of([said("p:1")], [trial(scene("p:1"), "p:1")])
    assert encode(batch) is encode(batch)


def test_equal_descriptions_are_encoded_once_however_many_objects_say_them() -> None:
    here = trial(scene("p:1"), "p:1 q:1", "q:1")
    encoding = encode(Batch.of([said("p:1"), said("p:1"), said("q:1")], [here] * 3))
    assert sorted(encoding.descriptions) == sorted([props("p:1"), props("q:1"), props("p:1 q:1")])
    assert len(encoding.description) == 2


@given(batches(related=True))
def test_every_item_leads_back_to_its_output_trial_and_references(batch: Batch) -> None:
    encoding = encode(batch)
    for i, (output, here, references) in enumerate(zip(batch.outputs, batch.trials, batch.references, strict=True)):
        act = encoding.act[i]
        if output is None or output.properties is None:
            assert act == -1
            continue
        case = encoding.case[act]
        assert encoding.descriptions[encoding.description[act]] == output.properties
        assert encoding.trials[case] is here
        members = encoding.members[encoding.starts[case] : encoding.starts[case + 1]]
        assert [encoding.descriptions[m] for m in members] == [
            r.properties for r in references if r.properties is not None
        ]
