"""The seven kinds of plug-ins as small protocols; conforming objects need not inherit.

A metric turns a `Batch` into one row of *additive* statistics per item and finishes sums of rows into values. Averages,
BLEU and NIST then aggregate in the same way, corpus-level scores cannot be averaged by accident, and a bootstrap is a
matrix product instead of a re-scoring.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from referee.records import Description, HearerView, Property, Response, Score, SpeakerView, Trial

__all__ = ["Batch", "Card", "Corpus", "FloatArray", "Hearer", "Metric", "Realiser", "Selector", "Speaker"]

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The facts about a corpus that a user needs before quoting a number from it.

    Args:
        name: its name in the catalogue.
        title: its full name.
        source: where it comes from.
        licence: on which terms.
        languages: codes such as ``en``.
        citation: the paper to cite.
        sampled: the sampling units (scene, speaker, game, participant), by which intervals are clustered; two names are crossed factors.
        overlaps: corpora that share answers with this one.
        faults: its known errors.
        files: the files that are read.
        synthetic: whether it was generated.

    >>> Card(name="toy", title="Toy", source="here", licence="CC0", languages=("en",), citation="–").synthetic
    False
    """

    name: str
    title: str
    source: str
    licence: str
    languages: tuple[str, ...]
    citation: str
    sampled: tuple[str, ...] = ()
    overlaps: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    synthetic: bool = False


@runtime_checkable
class Corpus(Protocol):
    """Reads trials, and the responses of human hearers if the source has them.

    `trials` and `responses` may be called repeatedly and return iterators over all of them; a corpus without hearers
    has no responses. Both raise `InputError` for an unreadable file.

    >>> from referee.corpora.synthetic.corpus import Synthetic
    >>> isinstance(Synthetic(), Corpus)
    True
    """

    card: Card

    def trials(self) -> Iterator[Trial]:
        """Yield the trials of the corpus."""
        ...

    def responses(self) -> Iterator[Response]:
        """Yield the responses of human hearers; none where the source has none."""
        ...


class Selector(Protocol):
    """Chooses content: `fit` learns from trials and returns the selector, `select` returns the properties.

    `select` raises `NotTrained` where it needed `fit` first.

    >>> from referee.selection.greedy import Greedy
    >>> from referee.records import Entity, Scene
    >>> looks = [("chair", "red"), ("chair", "blue")]
    >>> things = [Entity(id=c, attributes=(Property("type", t), Property("colour", c))) for t, c in looks]
    >>> view = SpeakerView(id="t", scene=Scene(entities=tuple(things)), targets=("red",))
    >>> Property("colour", "red") in Greedy().select(view)
    True
    """

    def fit(self, trials: Iterable[Trial]) -> Selector:
        """Learn from trials and return the selector."""
        ...

    def select(self, view: SpeakerView) -> tuple[Property, ...]:
        """Return the properties to mention of the view's target."""
        ...


class Realiser(Protocol):
    """Chooses words for properties.

    `fit` learns from trials and returns the realiser, `realise` returns the text.

    `realise` raises `NotTrained` where it needed `fit` first.

    >>> from referee.realisation.english import ENGLISH
    >>> from referee.realisation.plain import Plain
    >>> from referee.records import Entity, Scene
    >>> view = SpeakerView(id="t", scene=Scene(entities=(Entity(id="a"),)), targets=("a",))
    >>> Plain(ENGLISH).realise([Property("colour", "red"), Property("type", "chair")], view)
    'the red chair'
    """

    def fit(self, trials: Iterable[Trial]) -> Realiser:
        """Learn from trials and return the realiser."""
        ...

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return words for properties of the view's target."""
        ...


@runtime_checkable
class Speaker(Protocol):
    """Describes the target of a trial.

    `fit` learns from trials, `describe` returns a description of a view.

    A description without properties, text and distribution means that the speaker gave none. `describe` raises
    `NotTrained` before a necessary `fit`, and `UnknownDomain` for a domain that the system does not cover.

    >>> from referee import create
    >>> isinstance(create("system", "classic/greedy"), Speaker)
    True
    """

    def fit(self, trials: Iterable[Trial]) -> Speaker:
        """Learn from trials and return the speaker."""
        ...

    def describe(self, view: SpeakerView) -> Description:
        """Return a description of the view's target."""
        ...


@runtime_checkable
class Hearer(Protocol):
    """Answers a description with a response (an entity, several, none …), never with a score.

    `fit` learns from trials and returns the hearer; `resolve` answers one description of one view. Optional methods are
    in `referee.capabilities`.

    >>> from referee import create
    >>> isinstance(create("hearer", "literal"), Hearer)
    True
    """

    def fit(self, trials: Iterable[Trial]) -> Hearer:
        """Learn from trials and return the hearer."""
        ...

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return the response to a description in a view without a target."""
        ...


@dataclass(slots=True)
class Batch:
    """Outputs with the trials they answer and the references they are compared with.

    Args:
        outputs: one description per item; None for a missing one.
        trials: the trials they answer.
        references: the descriptions that each is compared with.
        cache: lets metrics share an encoding: the first one that needs token ids or property masks builds them, and the others reuse them.
        answers: one response per item for systems that locate objects (boxes, points); empty otherwise.

    >>> from referee.records import Entity, Scene
    >>> said = Description(text="the red one")
    >>> trial = Trial(id="t", scene=Scene(entities=(Entity(id="a"),)), targets=("a",), references=(said,))
    >>> len(Batch.of([said], [trial]))
    1
    """

    outputs: Sequence[Description | None]
    trials: Sequence[Trial]
    references: Sequence[Sequence[Description]]
    # Lives as long as the batch: the encodings of one chunk are let go with it.
    cache: dict[Any, Any] = field(default_factory=dict, repr=False)
    answers: Sequence[Response | None] = ()

    @classmethod
    def of(
        cls,
        outputs: Sequence[Description | None],
        trials: Sequence[Trial],
        references: Sequence[Sequence[Description]] | None = None,
    ) -> Batch:
        """Return a batch; references default to those of the trials. Raises ValueError if lengths differ."""
        if references is None:
            references = [t.references for t in trials]
        if not len(outputs) == len(trials) == len(references):
            # Checked here once, since metrics walk the three side by side and would misalign in silence.
            raise ValueError(f"{len(outputs)} outputs, {len(trials)} trials, {len(references)} lists of references")
        return cls(outputs, trials, references)

    def __len__(self) -> int:
        return len(self.outputs)


@runtime_checkable
class Metric(Protocol):
    """A measure; its constructor parameters are its configuration, and all of them are in its signature.

    `range` is (worst or lowest possible, highest possible) with None for unbounded; `direction` is "higher", "lower" or
    "none" (which way is better); `needs` is the required part of an output: "properties", "text", "distribution", or
    "place" for locations in a picture (`Batch.answers`).

    >>> from referee import create
    >>> dice = create("metric", "set/dice")
    >>> isinstance(dice, Metric), dice.direction
    (True, 'higher')
    """

    range: tuple[float | None, float | None]
    direction: str
    needs: str

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one row per item, shape (n, width); a row of NaN for an item that cannot be measured."""
        ...

    def finish(self, totals: FloatArray, counts: FloatArray) -> FloatArray:
        """Turn sums of rows (…, width) and their counts (…) into values (…); NaN where the count is 0."""
        ...

    def measure(self, description: Description, trial: Trial) -> FloatArray:
        """Return the row of a single item."""
        ...

    def combine(self, rows: FloatArray) -> Score:
        """Return rows of many items to one score."""
        ...
