"""Vectorised denotation against the scene's own reading and against the definition in plain Python."""

from __future__ import annotations

from hypothesis import given
from worlds import batches, denoted, scene, trial

from referee.contracts import Batch
from referee.metrics.scenes import Situations, make_situations
from referee.records import Description, Property


def as_ints(seen: Situations) -> list[int]:
    """What the output of every act denotes, as Python bit sets."""
    return [sum(int(word) << 64 * w for w, word in enumerate(words)) for words in seen.denoted.T]


@given(batches(related=True))
def test_all_at_once_denotes_what_one_by_one_denotes(batch: Batch) -> None:
    seen = make_situations(batch)
    encoding = seen.encoding
    for act, found in enumerate(as_ints(seen)):
        here = encoding.trials[encoding.case[act]].scene
        said = encoding.descriptions[encoding.description[act]]
        assert found == here.denotation(said) == here.mask(denoted(said, here))


def test_more_than_sixty_four_entities_and_properties() -> None:
    crowd = scene(*(f"number:{i} parity:{i % 2}" for i in range(130)))
    outputs = [Description(properties=(Property("number", i),)) for i in range(130)]
    batch = Batch.of([*outputs, Description(properties=(Property("parity", 1),))], [trial(crowd)] * 131)
    seen = make_situations(batch)
    found = as_ints(seen)
    by_item = [found[act] for act in seen.encoding.act]
    assert by_item[:130] == [1 << i for i in range(130)]
    assert by_item[130] == sum(1 << i for i in range(1, 130, 2))
