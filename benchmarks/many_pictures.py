"""Whether memory stays flat over many pictures: 1,000, 5,000 and 10,000 small ones through every path that opens them.

    python benchmarks/many_pictures.py [N …]

Paths: reading the corpus and checking every picture (size and hash), the page of items with its thumbnails, and the whole report. Each runs in a process of
its own, and what is printed is the most memory it ever had. Pictures add nothing; what grows is trials and answers, a few kilobytes each:

    pictures            corpus             score             items            report
       1,000      39 MB    2 s     139 MB    4 s      47 MB   10 s     209 MB   67 s
       5,000      40 MB   16 s     169 MB    9 s      69 MB  150 s     232 MB  169 s
      10,000      40 MB   55 s     193 MB   24 s     100 MB   33 s     266 MB   80 s

(Memory is what counts here: the machine had other work.)
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

WIDTH, HEIGHT = 160, 120
COUNTS = (1_000, 5_000, 10_000)


def make(folder: Path, n: int) -> None:
    """A corpus of `n` pictures of noise, one trial each, and answers of two models; unlike drawings, noise cannot be packed."""
    from hashlib import sha256

    from referee.show.drawing.traced_solids import as_png

    (folder / "pictures").mkdir(parents=True)
    rng = np.random.default_rng(1)
    noise = rng.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    with (folder / "trials.jsonl").open("w") as trials, (folder / "answers.jsonl").open("w") as answers:
        for i in range(n):
            png = as_png(np.roll(noise, i, axis=1) if i % 50 else rng.integers(0, 256, noise.shape, dtype=np.uint8))
            (folder / "pictures" / f"{i}.png").write_bytes(png)
            box = [int(v) for v in (i % 60, i % 40, i % 60 + 50, i % 40 + 40)]
            picture = {"path": f"pictures/{i}.png", "size": [WIDTH, HEIGHT], "sha256": sha256(png).hexdigest()}
            things = [
                {"id": "a", "attributes": {"type": "thing"}, "region": {"box": box, "in": "pixels xyxy"}},
                {
                    "id": "b",
                    "attributes": {"type": "other"},
                    "region": {"box": [150, 110, 158, 118], "in": "pixels xyxy"},
                },
            ]
            trial = {
                "id": f"t{i}",
                "scene": f"s{i}",
                "picture": picture,
                "target": "a",
                "entities": things,
                "references": ["x"],
            }
            trials.write(json.dumps(trial) + "\n")
            for system, moved in (("near", 4), ("far", 45)):
                given = {"trial": f"t{i}", "system": system, "box": [v + moved for v in box], "in": "pixels xyxy"}
                answers.write(json.dumps(given) + "\n")


def read(folder: Path) -> None:
    from referee import open_corpus
    from referee.grounding.pictures import checked, open_picture

    for trial in open_corpus(folder).trials():
        assert trial.scene.picture is not None
        open_picture(checked(folder, trial.scene.picture)).close()


def items(folder: Path) -> None:
    from referee.jobs.folder import Run
    from referee.show.reports.place_pages import write_place_pages

    write_place_pages(folder / "page", Run(folder / "run"), folder)


def report(folder: Path) -> None:
    from referee import report as write

    write(folder / "run", folder / "report", pictures=folder)


def prepare(folder: Path) -> None:
    from referee import score

    score(folder / "answers.jsonl", folder, metrics=["ground/accuracy", "ground/iou"], resamples=0, out=folder / "run")


PATHS = {"corpus": read, "score": prepare, "items": items, "report": report}


def peak(path: str, folder: Path) -> tuple[float, float]:
    """Megabytes and seconds of one path, in a process of its own."""
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, "--path", path, str(folder)], check=True, capture_output=True, text=True
    )
    return float(done.stdout.strip().splitlines()[-1]), perf_counter() - start


def main(counts: list[int]) -> None:
    print(f"{'pictures':>8}  " + "  ".join(f"{path:>16}" for path in PATHS))
    for n in counts:
        with TemporaryDirectory() as place:
            folder = Path(place) / "corpus"
            make(folder, n)
            found = [peak(path, folder) for path in PATHS]
        print(f"{n:>8,}  " + "  ".join(f"{most:>6.0f} MB {taken:>4.0f} s" for most, taken in found), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--path"]:
        PATHS[sys.argv[2]](Path(sys.argv[3]))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    else:
        main([int(n) for n in sys.argv[1:]] or list(COUNTS))
