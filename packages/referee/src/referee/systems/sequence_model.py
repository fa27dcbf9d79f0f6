"""A small neural baseline: a transformer from the target's properties to a description, trained in minutes on a processor.

The input is what a challenge system sees: domain, condition, the properties of the target and of its landmarks, each
with whether it rules out all, some or none of the distractors. The output is a sequence: the chosen properties, then
the words. The layers are those of `torch.nn.Transformer`; needs the extra ``neural``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Self

from referee.errors import InputError, NotTrained, naming_extra
from referee.realisation.annotation import normalise
from referee.records import LANDMARK, Description, Property, SpeakerView, Trial
from referee.selection.contrast import get_contrast

PADDING, START, WORDS, END, UNKNOWN = "<padding>", "<start>", "<words>", "<end>", "<unknown>"
SPECIAL = (PADDING, START, WORDS, END, UNKNOWN)
HEADS, LAYERS, DROPOUT, RATE, BATCH = 4, 1, 0.1, 2e-3, 32


class _Model(NamedTuple):
    """The trained network with its vocabulary."""

    indices: dict[str | Property, int]
    symbols: list[str | Property]
    embedding: Any
    positions: Any
    transformer: Any
    output: Any


@dataclass(eq=False, repr=False)
class SequenceModel:
    """Says the properties and words that a transformer finds most likely, one by one.

    `width` is that of its layers, `longest` the number of properties and words at most. Properties are chosen among
    those of the target and its landmarks, each at most once. Several targets are described by what they share.
    """

    epochs: int = 20
    width: int = 64
    longest: int = 40
    seed: int = 1

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Train on the references that have properties or words."""
        with naming_extra():
            import torch
        pairs = [pair for trial in trials for pair in _iterate_examples(trial, self.longest)]
        if not pairs:
            raise InputError("no reference has properties or words", remedy="train on a corpus with descriptions")
        counts = Counter(symbol for source, target in pairs for symbol in (*source, *target))
        symbols = [*SPECIAL, *sorted((s for s in counts if s not in SPECIAL), key=repr)]
        with _limit_threads(torch), torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            self.model_ = self._build(torch, symbols)
            self._train(torch, self.model_, pairs)
        return self

    def describe(self, view: SpeakerView) -> Description:
        """Return the description that is most likely, symbol by symbol."""
        if not hasattr(self, "model_"):
            raise NotTrained(self)
        import torch

        model, source = self.model_, _build_input(view)
        own = {model.indices[s] for s in source if isinstance(s, Property) and s in model.indices}
        words = {i for i, symbol in enumerate(model.symbols) if isinstance(symbol, str) and not _is_input(symbol)}
        spoken, has_words = [model.indices[START]], False
        with _limit_threads(torch), torch.no_grad():
            encoded = self._encode(torch, model, [_encode_symbols(model, source)])
            for _ in range(self.longest):
                allowed = words | {model.indices[END]} if has_words else own - set(spoken) | {model.indices[WORDS]}
                logits = self._compute_logits(torch, model, encoded, [spoken])[0, -1].tolist()
                best = max(allowed, key=lambda i: (logits[i], -i))
                if best == model.indices[END]:
                    break
                has_words = has_words or best == model.indices[WORDS]
                spoken.append(best)
        said = [model.symbols[i] for i in spoken[1:]]
        return Description(
            properties=tuple(s for s in said if isinstance(s, Property)),
            text=" ".join(s for s in said if isinstance(s, str) and s not in SPECIAL),
        )

    def _build(self, torch: Any, symbols: list[str | Property]) -> _Model:
        """Return an untrained transformer for the symbols."""
        nn, width = torch.nn, self.width
        transformer = nn.Transformer(width, HEADS, LAYERS, LAYERS, 2 * width, DROPOUT, batch_first=True)
        # Padded inputs are encoded as they are: nested tensors are a prototype of the library.
        transformer.encoder.use_nested_tensor = False
        return _Model(
            {symbol: i for i, symbol in enumerate(symbols)},
            symbols,
            nn.Embedding(len(symbols), width, padding_idx=0),
            nn.Embedding(self.longest + 2, width),
            transformer,
            nn.Linear(width, len(symbols)),
        )

    def _train(self, torch: Any, model: _Model, pairs: Sequence[tuple[list[Any], list[Any]]]) -> None:
        """Train the model on pairs of input and output symbols."""
        layers = (model.embedding, model.positions, model.transformer, model.output)
        optimiser = torch.optim.Adam([p for layer in layers for p in layer.parameters()], RATE)
        loss_of = torch.nn.CrossEntropyLoss(ignore_index=0)
        coded = [(_encode_symbols(model, source), _encode_symbols(model, target)) for source, target in pairs]
        for _ in range(self.epochs):
            order = torch.randperm(len(coded)).tolist()
            for first in range(0, len(order), BATCH):
                batch = [coded[i] for i in order[first : first + BATCH]]
                encoded = self._encode(torch, model, [s for s, _ in batch])
                logits = self._compute_logits(torch, model, encoded, [t[:-1] for _, t in batch])
                expected = _pad(torch, [t[1:] for _, t in batch])
                loss = loss_of(logits.flatten(0, 1), expected.flatten())
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
        for layer in layers:
            layer.eval()

    def _encode(self, torch: Any, model: _Model, sources: Sequence[list[int]]) -> tuple[Any, Any]:
        """Return the encoded input, whose symbols have no order, and the positions of its padding."""
        source = _pad(torch, sources)
        return model.transformer.encoder(model.embedding(source), src_key_padding_mask=source == 0), source == 0

    def _compute_logits(self, torch: Any, model: _Model, encoded: tuple[Any, Any], targets: Sequence[list[int]]) -> Any:
        """Return the scores of every symbol at every position of the targets."""
        target = _pad(torch, targets)
        places = model.positions(torch.arange(target.shape[1]))
        later = torch.triu(torch.ones(target.shape[1], target.shape[1], dtype=torch.bool), diagonal=1)
        decoded = model.transformer.decoder(
            model.embedding(target) + places,
            encoded[0],
            tgt_mask=later,
            tgt_key_padding_mask=target == 0,
            memory_key_padding_mask=encoded[1],
        )
        return model.output(decoded)


@contextmanager
def _limit_threads(torch: Any) -> Iterator[None]:
    """Compute on one thread; otherwise sums, and so the words, would depend on the machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _iterate_examples(trial: Trial, longest: int) -> Iterator[tuple[list[str | Property], list[str | Property]]]:
    """Yield the input of a trial with each description that people gave."""
    source = _build_input(trial.for_speaker())
    own = {s for s in source if isinstance(s, Property)}
    for reference in trial.references:
        if reference.properties is not None or reference.text is not None:
            properties = [p for p in dict.fromkeys(reference.properties or ()) if p in own]
            target: list[str | Property] = [START, *properties]
            target += [WORDS, *normalise(reference.text or "")]
            yield source, [*target[: longest + 1], END]


def _build_input(view: SpeakerView) -> list[str | Property]:
    """Return the input: domain, condition, properties, and the number of distractors each excludes."""
    contrast = get_contrast(view)
    distractors = contrast.distractors.bit_count()
    symbols: list[str | Property] = [f"{_INPUT}domain {view.domain}", f"{_INPUT}condition {view.condition}"]
    for prop in contrast.properties:
        left = (contrast.distractors & contrast.extensions[prop]).bit_count()
        symbols += [prop, f"{_INPUT}{prop.name} {'all' if not left else 'none' if left == distractors else 'some'}"]
    known = {e.id: e for e in view.scene.entities}
    relations = [r for r in known[view.targets[0]].relations if r.entity in known]
    for relation in islice(relations, 4):
        landmark = known[relation.entity]
        symbols += [Property(relation.name, ""), *(Property(LANDMARK + p.name, p.value) for p in landmark.attributes)]
    return list(dict.fromkeys(symbols))


_INPUT = "\0"


def _is_input(symbol: str) -> bool:
    return symbol.startswith(_INPUT) or symbol in SPECIAL


def _encode_symbols(model: _Model, symbols: Sequence[str | Property]) -> list[int]:
    return [model.indices.get(symbol, model.indices[UNKNOWN]) for symbol in symbols]


def _pad(torch: Any, rows: Sequence[list[int]]) -> Any:
    """Return rows of different lengths as one tensor, filled up with zeros."""
    length = max(map(len, rows))
    return torch.tensor([[*row, *[0] * (length - len(row))] for row in rows])
