"""`referee report` on 14 systems x 10,000 items: seconds by step, peak memory, size of the page (under 25 s and 6 MB is the promise)."""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

from referee.corpora.synthetic.corpus import generate_trials
from referee.corpora.synthetic.words import phrase_plainly
from referee.jobs.open import open_corpus, open_outputs
from referee.jobs.score import Settings, score_trials
from referee.jobs.scored_run import save_scored
from referee.records import Trial
from referee.show.reports.page import Part
from referee.show.reports.report_folder import publish
from referee.show.reports.report_sources import gather
from referee.show.reports.sections import build_sections


def sampled(n: int, systems: int) -> Iterator[dict[str, object]]:
    """Speakers that say each visible property with a chance of their own."""
    for number in range(systems):
        rng, chance = Random(number), 0.2 + 0.6 * number / systems
        for trial in generate_trials(n):
            yield {"trial": trial.id, "system": f"sampler-{number:02}", **_said(trial, rng, chance)}


def _said(trial: Trial, rng: Random, chance: float) -> dict[str, object]:
    visible = [p for p in trial.scene.entity(trial.targets[0]).attributes if p.value != "0"]
    chosen = [p for p in visible if rng.random() < chance] or visible[:1]
    return {"properties": [list(p) for p in chosen], "text": phrase_plainly(chosen)}


def make_run(n: int, systems: int, folder: Path) -> None:
    settings = Settings(by=("domain", "condition"))
    opened = open_corpus(list(generate_trials(n)))
    answers = open_outputs(list(sampled(n, systems)))
    table = score_trials(answers, opened.trials, settings)
    save_scored(folder, answers, opened, table, table.scores(), command=["benchmark"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--systems", type=int, default=14)
    arguments = parser.parse_args()
    table = Table("step", "seconds", title=f"referee report, {arguments.systems} systems x {arguments.items:,} items")
    with tempfile.TemporaryDirectory() as folder:
        run, out = Path(folder) / "run", Path(folder) / "report"
        make_run(arguments.items, arguments.systems, run)
        start = time.perf_counter()
        materials = gather([run])
        read = time.perf_counter()
        parts = [Part(title=m.label, sections=tuple(build_sections(m, style="tuna2008"))) for m in materials]
        computed = time.perf_counter()
        publish(parts, out, title="benchmark", made="now", runs=["run"])
        written = time.perf_counter()
        size = (out / "index.html").stat().st_size / 1e6
    for name, seconds in (
        ("read the run", read - start),
        ("compute", computed - read),
        ("draw and write", written - computed),
    ):
        table.add_row(name, f"{seconds:.1f}")
    table.add_row("all", f"{written - start:.1f}", style="bold")
    Console().print(table)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / 1024
    Console().print(f"page {size:.1f} MB, peak memory (making the run included) {peak:.2f} GiB")


if __name__ == "__main__":
    main()
