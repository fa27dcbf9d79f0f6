"""The string measures beside the usual programs, on short descriptions with two references each.

    python benchmarks/strings.py [--n 100000] [--runs 5] [--stream 1000000] [--no-peers] [--captions 5000] [--processor]

Everything is timed in one run. Ours includes turning texts into word ids and is the median of `--runs` fresh batches after one warm-up (whose time,
compilation or loading of compiled code included, is printed apart); every peer runs once, in full, on the same texts, its import not counted.
Peers that take lists of words get them split beforehand, outside their time. Beside a peer's value stands the last of ours.
`--processor` counts processor time instead of time on the wall, for machines that are busy with other work; bleuscore is then
charged for all of its threads. `--captions` sets METEOR, CIDEr-D and ROUGE-L beside METEOR 1.5 in Java and pycocoevalcap (`pip install pycocoevalcap`).
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from referee.contracts import Batch
from referee.metrics.bleu import Bleu
from referee.metrics.chrf import Chrf
from referee.metrics.cider import CiderD
from referee.metrics.measure import Measure
from referee.metrics.meteor import Meteor
from referee.metrics.nist import Nist
from referee.metrics.rouge import Rouge2, RougeSU4
from referee.metrics.rouge_l import RougeL
from referee.metrics.strings import Edit, Exact, Seb
from referee.records import Description, Scene, Trial

CHUNK = 20_000
NOWHERE = Trial(id="t", scene=Scene(entities=()), targets=())
Texts = tuple[list[str], list[list[str]]]
now = time.perf_counter


def invent(items: int, seed: int = 1) -> Texts:
    """Outputs and two references each: noisy copies of phrases of 3 to 10 words, frequent words being frequent."""
    rng = np.random.default_rng(seed)
    words = np.array([f"word{i}" for i in range(1000)], dtype=object)
    weights = 1 / np.arange(1, 1001)
    phrases = rng.choice(1000, size=(items, 10), p=weights / weights.sum())
    usual = rng.integers(3, 11, size=items)
    copies = []
    for _ in range(3):
        lengths = np.clip(usual + rng.integers(-1, 2, size=items), 3, 10)
        noisy = np.where(rng.random(phrases.shape) < 0.1, rng.integers(1000, size=phrases.shape), phrases)
        copies.append([" ".join(row[:k]) for row, k in zip(words[noisy].tolist(), lengths.tolist(), strict=True)])
    return copies[0], [list(pair) for pair in zip(copies[1], copies[2], strict=True)]


def hold(texts: Texts) -> Batch:
    outputs = [Description(text=text) for text in texts[0]]
    references = [tuple(Description(text=text) for text in some) for some in texts[1]]
    return Batch.of(outputs, [NOWHERE] * len(outputs), references)


def panel() -> list[Measure]:
    """Everything the challenges computed on words."""
    bleus = [Bleu(order=n) for n in (1, 2, 3, 4)]
    edits = [Edit(), Edit(substitution=1), Edit(normalise=True), Seb(), Seb(moves=True), Exact()]
    return [*bleus, Nist(), Rouge2(), RougeSU4(), *edits]


def score_together(metrics: list[Measure], batch: Batch) -> list[float | None]:
    """On one batch without anything cached, so that measures share what they encode and count."""
    fresh = Batch.of(batch.outputs, batch.trials, batch.references)
    return [metric.score(fresh).value for metric in metrics]


def processor_time() -> float:
    """This process's and that of the programs it has run."""
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + others.ru_utime + others.ru_stime


def clock(work: Callable[[], object]) -> tuple[float, object]:
    start = now()
    result = work()
    return now() - start, result


def median(work: Callable[[], object], runs: int) -> float:
    return statistics.median(clock(work)[0] for _ in range(runs))


def by_sacrebleu(texts: Texts) -> float:
    from sacrebleu.metrics import BLEU

    oracle = BLEU(tokenize="none", force=True, smooth_method="none")
    return oracle.corpus_score(texts[0], [list(stream) for stream in zip(*texts[1], strict=True)]).score / 100


def by_bleuscore(texts: Texts) -> float:
    import bleuscore

    return float(bleuscore.compute(texts[1], texts[0], ref_len_method="closest")["bleu"])


def by_nltk_nist(words: list[list[str]], wanted: list[list[list[str]]]) -> float:
    from nltk.translate.nist_score import corpus_nist

    return float(corpus_nist(wanted, words, 5))


def by_rouge_score(texts: Texts) -> float:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge2"])
    return statistics.fmean(
        scorer.score(reference, output)["rouge2"].fmeasure
        for output, references in zip(*texts, strict=True)
        for reference in references
    )


def by_rouge_metric(words: list[list[str]], wanted: list[list[list[str]]]) -> float:
    from rouge_metric import PyRouge

    rouge = PyRouge(rouge_n=(2,), rouge_l=False, rouge_w=False, rouge_s=False, rouge_su=True, skip_gap=4)
    summaries = [[w] for w in words]
    return float(rouge.evaluate_tokenized(summaries, [[[r] for r in some] for some in wanted])["rouge-su4"]["f"])


def by_nltk_edit(words: list[list[str]], wanted: list[list[list[str]]]) -> float:
    from nltk.metrics.distance import edit_distance

    pairs = ((w, r) for w, some in zip(words, wanted, strict=True) for r in some)
    return statistics.fmean(edit_distance(w, r, substitution_cost=2) for w, r in pairs)


def by_coco(kind: str, texts: Texts) -> float:
    """pycocoevalcap's measure of that name: ``Cider`` (which is CIDEr-D), ``Rouge`` (ROUGE-L, beta 1.2)."""
    module = import_module(f"pycocoevalcap.{kind.lower()}.{kind.lower()}")
    wanted = dict(enumerate(texts[1]))
    given = {i: [text] for i, text in enumerate(texts[0])}
    return float(getattr(module, kind)().compute_score(wanted, given)[0])


def by_java_meteor(texts: Texts) -> float:
    """METEOR 1.5 in Java, by stems and forms, over files; the start of Java and its reading are in the time, as they are for who uses it."""
    jar = Path(import_module("pycocoevalcap.meteor.meteor").__file__ or "").with_name("meteor-1.5.jar")
    with tempfile.TemporaryDirectory() as folder:
        said, wanted = Path(folder, "said"), Path(folder, "wanted")
        said.write_text("".join(f"{text}\n" for text in texts[0]))
        wanted.write_text("".join(f"{text}\n" for some in texts[1] for text in some))
        switches = ["-l", "en", "-r", "2", "-m", "exact stem", "-w", "1.0 0.6"]
        command = ["java", "-Xmx2G", "-jar", str(jar), str(said), str(wanted), *switches]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(told.rsplit(":", 1)[1])


def compare_captions(texts: Texts, batch: Batch, runs: int, console: Console) -> None:
    """METEOR, CIDEr-D and ROUGE-L beside the programs that captions are measured with."""
    peers: list[tuple[str, Callable[[], float], Measure]] = [
        ("METEOR 1.5 (Java)", lambda: by_java_meteor(texts), Meteor()),
        ("pycocoevalcap CIDEr", lambda: by_coco("Cider", texts), CiderD()),
        ("pycocoevalcap ROUGE-L", lambda: by_coco("Rouge", texts), RougeL()),
    ]
    table = Table("peer", "its value", "seconds", "ours", "seconds", "ratio", title=f"{len(texts[0]):,} captions")
    for name, work, metric in peers:
        if name.startswith("METEOR") and shutil.which("java") is None:
            continue
        seconds, value = clock(work)
        own = median(lambda metric=metric: score_together([metric], batch), runs)  # type: ignore[misc]
        mine = score_together([metric], batch)[0]
        table.add_row(name, f"{value:.6f}", f"{seconds:.2f}", f"{mine:.6f}", f"{own:.3f}", f"{seconds / own:.1f}")
    console.print(table)


def compare(texts: Texts, batch: Batch, runs: int, console: Console) -> None:
    """One row per peer with our time for the same measures, then the sum of them against our whole panel."""
    words, wanted = [o.split() for o in texts[0]], [[r.split() for r in some] for some in texts[1]]
    peers: list[tuple[str, Callable[[], float], list[Measure]]] = [
        ("sacrebleu BLEU, no tokeniser", lambda: by_sacrebleu(texts), [Bleu()]),
        ("nltk NIST (differs from mteval)", lambda: by_nltk_nist(words, wanted), [Nist()]),
        ("rouge-score ROUGE-2 (mean over pairs)", lambda: by_rouge_score(texts), [Rouge2()]),
        ("rouge-metric ROUGE-2, -SU4 (F of mean P, R)", lambda: by_rouge_metric(words, wanted), [Rouge2(), RougeSU4()]),
        ("nltk edit distance", lambda: by_nltk_edit(words, wanted), [Edit()]),
    ]
    table = Table(
        "peer",
        "its value",
        "seconds",
        "ours",
        "seconds",
        "ratio",
        title=f"{len(texts[0]):,} items, two references each",
    )
    for module in (
        "sacrebleu",
        "nltk.translate.nist_score",
        "nltk.metrics",
        "rouge_score.rouge_scorer",
        "rouge_metric",
        "bleuscore",
    ):
        import_module(module)
    total = 0.0
    for name, work, metrics in [*peers, ("bleuscore (Rust, threads)", lambda: by_bleuscore(texts), [Bleu()])]:
        seconds, value = clock(work)
        own = median(lambda metrics=metrics: score_together(metrics, batch), runs)  # type: ignore[misc]
        last = score_together(metrics, batch)[-1]
        table.add_row(name, f"{value:.6f}", f"{seconds:.2f}", f"{last:.6f}", f"{own:.3f}", f"{seconds / own:.0f}")
        total += seconds if not name.startswith("bleuscore") else 0.0
    own = median(lambda: score_together(panel(), batch), runs)
    table.add_row(
        "sum without bleuscore", "", f"{total:.2f}", "whole panel, 13 measures", f"{own:.3f}", f"{total / own:.0f}"
    )
    console.print(table)


def chunks(items: int) -> Iterator[Batch]:
    for seed, start in enumerate(range(0, items, CHUNK)):
        yield hold(invent(min(CHUNK, items - start), seed))


def stream(items: int) -> float:
    """Seconds for the whole panel over chunks, reading twice because of NIST; inventing the texts is not counted."""
    metrics, seconds = panel(), 0.0
    totals = [np.zeros(metric.width) for metric in metrics]
    for batch in chunks(items):
        seconds += clock(lambda batch=batch: [m.learn(batch) for m in metrics if isinstance(m, Nist)])[0]  # type: ignore[misc]
    for batch in chunks(items):
        for metric, total in zip(metrics, totals, strict=True):
            spent, rows = clock(lambda metric=metric, batch=batch: metric.statistics(batch))  # type: ignore[misc]
            total += np.asarray(rows).sum(axis=0)
            seconds += spent
    for metric, total in zip(metrics, totals, strict=True):
        metric.finish(total, np.asarray(float(items)))
    return seconds


def grow(largest: int, console: Console) -> None:
    """Time and peak memory of a stream of chunks at growing sizes."""
    sizes = [n for n in (10_000, 100_000, 1_000_000) if n <= largest]
    table = Table(
        "items", "seconds", "items per second", "peak memory, MB", title=f"whole panel, streamed in chunks of {CHUNK:,}"
    )
    spent: list[float] = []
    stream(sizes[0])
    for size in sizes:
        spent.append(stream(size))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        table.add_row(f"{size:,}", f"{spent[-1]:.2f}", f"{size / spent[-1]:,.0f}", f"{peak:,.0f}")
    console.print(table)
    if len(sizes) > 1:
        exponent = np.polyfit(np.log(sizes), np.log(spent), 1)[0]
        console.print(
            f"growth exponent {exponent:.2f} (1 is linear); the table of n-grams that NIST keeps grows with the test set"
        )


def main() -> None:
    global now
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=100_000, help="items to compare on")
    parser.add_argument("--runs", type=int, default=5, help="runs of ours, of which the median counts")
    parser.add_argument("--stream", type=int, default=1_000_000, help="largest stream; 0 for none")
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--captions", type=int, default=0, help="items for METEOR, CIDEr-D and ROUGE-L; 0 for none")
    parser.add_argument("--processor", action="store_true", help="count processor time")
    options = parser.parse_args()
    if options.processor:
        now = processor_time
    console = Console(width=120)
    texts = invent(options.n)
    batch = hold(texts)
    first = clock(lambda: score_together([*panel(), Chrf()], batch))[0]
    own = median(lambda: score_together(panel(), batch), options.runs)
    console.print(f"first call {first:.2f} s (compiles, or loads compiled code), then {own:.3f} s for the panel")
    console.print(f"chrF alone {median(lambda: score_together([Chrf()], batch), options.runs):.3f} s")
    if options.stream:
        grow(options.stream, console)
    if options.peers:
        compare(texts, batch, options.runs, console)
    if options.captions:
        few = (texts[0][: options.captions], texts[1][: options.captions])
        compare_captions(few, hold(few), options.runs, console)


if __name__ == "__main__":
    main()
