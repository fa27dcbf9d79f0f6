"""A worker that keeps a model loaded on a graphics card: loaded once a worker, and the same answers for any size of the pieces.

    python benchmarks/pages/model_worker.py                a small model on the card (needs torch; its weights are drawn, nothing is fetched)
    python benchmarks/pages/model_worker.py --ray          on Ray, one worker a card
    python benchmarks/pages/model_worker.py --device cpu   the same on the processor

Ends with 1 where answers depend on the size of the pieces.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.engines.local import LocalEngine
from referee.engines.on_ray import RayEngine
from referee.engines.pieces import Done, Engine, Needs, WorkPiece, cut_group

WIDTH, WORDS, LAYERS = 512, 32, 8


@dataclass(frozen=True)
class Loaded:
    """Items are numbers; the answer to one is what the model makes of an input drawn from it. Every loading is told to a file."""

    device: str
    diary: Path

    @property
    def inputs(self) -> Mapping[str, Path]:
        return {}

    @property
    def needs(self) -> Needs:
        return Needs(gpus=0 if self.device == "cpu" else 1)

    def begin(self, inputs: Mapping[str, Path]) -> Any:
        import torch

        began = time.monotonic()
        torch.manual_seed(1)
        layer = torch.nn.TransformerEncoderLayer(WIDTH, 8, batch_first=True)
        model = torch.nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False).eval().to(self.device)
        where = torch.cuda.get_device_name() if self.device == "cuda" else "the processor"
        with self.diary.open("a") as file:
            file.write(f"process {os.getpid()} loaded its model on {where} in {time.monotonic() - began:.1f} s\n")
        return model

    def do(self, begun: Any, piece: WorkPiece) -> bytes:
        import torch

        answers = []
        with torch.inference_mode():
            for item in piece.items:  # one at a time: in a batch, digits depend on its size
                lot = torch.Generator().manual_seed(int(item))
                given = torch.randn(1, WORDS, WIDTH, generator=lot).to(self.device)
                answers.append(round(float(begun(given).abs().mean()), 4))
        return json.dumps(answers).encode()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--items", type=int, default=2_000)
    parser.add_argument("--ray", action="store_true")
    chosen = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
    engine: Engine = RayEngine() if chosen.ray else LocalEngine(1, apart=True)
    items = [str(number) for number in range(chosen.items)]
    found = []
    for shard in (50, 200, 1000):
        with tempfile.TemporaryDirectory(prefix="referee-") as place:
            diary = Path(place, "diary")
            began = time.monotonic()
            answers: dict[str, float] = {}
            for outcome in engine.work(Loaded(chosen.device, diary), cut_group("model", items, shard)):
                assert isinstance(outcome, Done)
                answers |= dict(zip(outcome.piece.items, json.loads(outcome.result), strict=True))
            loads = diary.read_text().splitlines()
            print(
                f"pieces of {shard:,}: {len(answers):,} answers in {time.monotonic() - began:.1f} s, {len(loads)} loading(s)"
            )
            print("\n".join(loads), flush=True)
            found.append([answers[item] for item in items])
    same = all(answers == found[0] for answers in found)
    print("the same answers for every size" if same else "THE ANSWERS DIFFER")
    return 0 if same else 1


if __name__ == "__main__":
    # Under the name by which workers find it.
    import model_worker

    sys.exit(model_worker.main())
