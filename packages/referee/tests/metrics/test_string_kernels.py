"""The compiled kernels load only when they are needed, and do without a place to keep them."""

from __future__ import annotations

import os
import subprocess
import sys
from unittest.mock import patch

import numba
import numpy as np
from phrases import compiled, hold, invent

from referee.metrics import string_kernels
from referee.metrics.bleu import Bleu
from referee.metrics.nist import Nist
from referee.metrics.rouge import RougeSU4
from referee.metrics.strings import Edit, Seb
from referee.metrics.tokens import WORTH_COMPILING


def test_a_small_batch_loads_no_compiler():
    code = """
import sys
from referee.contracts import Batch
from referee.metrics.bleu import Bleu
from referee.records import Description, Scene, Trial
trial = Trial(id="t", scene=Scene(entities=()), targets=(), references=(Description(text="a b"),))
Bleu().score(Batch.of([Description(text="a b")], [trial]))
sys.exit("numba" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], env=os.environ, check=False).returncode == 0


def test_kernels_compile_even_where_nothing_can_be_written():
    real = numba.njit

    def refuse_cache(**options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return real(**options)

    with patch.object(numba, "njit", refuse_cache):
        double = string_kernels.compile_kernel(lambda x: x + x)
    assert double(21) == 42


def test_a_large_batch_takes_the_compiled_path_and_equals_its_small_parts():
    outputs, references = invent(WORTH_COMPILING, seed=6)
    for metric in (Bleu(), Edit(), Seb(moves=True), RougeSU4()):
        whole = metric.statistics(hold(outputs, references))
        parts = [
            metric.statistics(hold(outputs[k : k + 500], references[k : k + 500])) for k in range(0, len(outputs), 500)
        ]
        np.testing.assert_array_equal(whole, np.vstack(parts))


def test_a_table_of_ngrams_can_outgrow_its_first_size():
    """Texts of different words only: 16 words have 16 + 15 + 14 + 13 + 12 n-grams, each of them once."""
    texts = [" ".join(f"{k}w{i}" for i in range(16)) for k in range(2500)]
    with compiled():
        nist = Nist().learn(hold(texts, [[text] for text in texts]))
        assert nist._learnt is not None
        assert nist._learnt.size == 1 + 2500 * 70
        score = nist.score(hold(texts, [[text] for text in texts]))
    # Every word is one of 40,000 and tells log2 40,000 bits; longer n-grams add nothing.
    np.testing.assert_allclose(score.value, np.log2(40_000))
