"""The numbers of docs/systems.md: ``python benchmarks/pages/systems.py [challenges] [known] [choices] [hypotheses] [readings] [mentions] [evolved]``.

Dice on TUNA in the `challenge` reading (REFEREE_DATA): every entry of the two challenges in five cuts (seeds 1 to 5) beside print, entries that know their
speakers, open choices made the other way, hypotheses about print beside their entries, the reading `challenge.other`, how often attributes are mentioned,
and evolution run again.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np

from referee import catalogue
from referee.auditing.paper import shipped_paper
from referee.contracts import Batch
from referee.corpora.splits import folds
from referee.corpora.tuna import Tuna
from referee.records import Description, Trial
from referee.statistics.correlation import spearman
from referee.systems import asgre2007, tuna2008_as, variants
from referee.systems.components import CONTRAST_QUOTIENT, LEARNED_INCLUSION, PARTITION_TREE, Component
from referee.systems.entries import FAITHFUL
from referee.systems.speaker import Composed

Maker = Callable[[], Composed]
Scores = tuple[float, float, float]
SEEDS = range(1, 6)
KNOWN, NEW = "challenge", "speaker"
FOUR = ("set/dice", "set/masi", "set/exact", "scene/minimal")
# Of the challenge's training data, as Kelleher & Mac Namee (2008) print them: how often a type was said, of how many targets.
TRAINING = {"person": (225, 274), "chair": (134, 143), "desk": (73, 86), "sofa": (43, 48)}
FLOOR = ("OSU-GP", "ATT-FB-")
HYPOTHESES = (
    "IS-FBS-submitted.no-location",
    "GRAPH-FP.order",
    "DIT-DS.counted",
    "NIL-UCM-MFVF.location-last",
    "NIL-UCM-MFVF.counted",
    "DIT-FBI.location-last",
    "DIT-FBI.counted",
    "IS-FP.condition",
)
DEVELOPMENT = ("GRAPH-4+B", "DIT-FBI", "DIT-TVAS", "NIL-UCM-MFVF", "USP-EACH-FREQ", "ATT-DR-b", "ATT-DR-sf", "IS-FP")


@cache
def corpus(reading: str = "challenge") -> tuple[Trial, ...]:
    return tuple(Tuna(os.environ["REFEREE_DATA"], reading=reading).trials())


def scores(make: Maker, by: str, seed: int = 1, metric: str = "set/dice", reading: str = "challenge") -> Scores:
    """A metric on furniture, people and both when every trial is described by a system trained on other folds."""
    return measured(describe(make, by, seed, reading), metric, reading)


def describe(make: Maker, by: str, seed: int = 1, reading: str = "challenge") -> dict[str, Description]:
    said = {}
    for train, test in folds(corpus(reading), 5, by=by, seed=seed):
        system = make().fit(train)
        said.update((trial.id, system.describe(trial.for_speaker())) for trial in test)
    return said


def measured(said: dict[str, Description], metric: str, reading: str = "challenge") -> Scores:
    measure, trials = catalogue.create("metric", metric), corpus(reading)
    parts = ([t for t in trials if t.domain == d] for d in ("furniture", "people"))
    return tuple(measure.score(Batch.of([said[t.id] for t in p], p)).value for p in (*parts, trials))


def entry(table: object, name: str) -> Maker:
    return partial(table.system, name)


def shown(values: Sequence[float]) -> str:
    return " / ".join(f"{v:.3f}" for v in values)


def challenges() -> None:
    for table in (tuna2008_as, asgre2007):
        paper, which, columns = table.PUBLISHED
        cells = shipped_paper(paper).tables[which]
        label = {name: row.printed or name for name, row in table.TABLE.items()}
        printed = {name: float(cells.text(label[name], columns["set/dice"])) for name in table.TABLE}
        least = {name: float(cells.text(label[name], columns["scene/minimal"])) for name in table.TABLE}
        cuts = {name: [scores(entry(table, name), table.FOLDS[0], s) for s in SEEDS] for name in table.TABLE}
        print(f"\n{paper} {which}: furniture, people, both; range of five cuts; print; difference; minimal ours, print")
        for name in sorted(table.TABLE, key=lambda n: -printed[n]):
            ours, every = cuts[name][0], [c[2] for c in cuts[name]]
            minimal = 100 * scores(entry(table, name), table.FOLDS[0], 1, "scene/minimal")[2]
            row = f"{name:18} {shown(ours)}  {min(every):.3f} {max(every):.3f}  {printed[name]:.3f}"
            print(f"{row} {ours[2] - printed[name]:+.3f}  {minimal:.0f} % {least[name]:.0f} %")
        rhos = [spearman([cuts[n][i][2] for n in printed], list(printed.values())).r for i in range(len(SEEDS))]
        gaps = {name: abs(cuts[name][0][2] - printed[name]) for name in printed}
        faithful = [gap for name, gap in gaps.items() if table.TABLE[name].evidence == FAITHFUL]
        print(f"rho {rhos[0]:.2f}, over cuts {min(rhos):.2f} to {max(rhos):.2f}; n = {len(gaps)}")
        print(
            f"mean difference {np.mean(list(gaps.values())):.3f}; faithful {np.mean(faithful):.3f}, n = {len(faithful)}"
        )


def known() -> None:
    print("\nfive folds of known speakers: furniture / people / both")
    for name in DEVELOPMENT:
        print(f"{name:18} {shown(scores(entry(tuna2008_as, name), KNOWN))}")
    print(f"{'IS-FBN':18} {shown(scores(entry(asgre2007, 'IS-FBN'), KNOWN))}")


def choices() -> None:
    print("\nopen choices made the other way: furniture / people / both")
    for name in variants.TABLE:
        if name != "OSU-GP.evolved":
            cut = KNOWN if variants.TABLE[name].year == 2007 else NEW
            print(f"{name:24} {cut:9} {shown(scores(entry(variants, name), cut))}")
            for metric in ("set/masi", "set/exact", "scene/minimal"):
                print(f"{metric:34} {shown(scores(entry(variants, name), cut, 1, metric))}")
    for name in ("IS-FP.names", "IS-FP.mean"):
        print(f"{name:24} {KNOWN:9} {shown(scores(entry(variants, name), KNOWN))}")
    for name in ("ATT-FB-sf", "ATT-FB-sr"):
        print(f"{name:24} {KNOWN:9} {shown(scores(entry(tuna2008_as, name), KNOWN))}")
    for scale in (1.0, 5.0, 20.0):
        for updated in (False, True):
            part = Component(CONTRAST_QUOTIENT, scale=scale, updated=updated)
            print(f"CAM-T{'U' * updated} weight {scale:<11g} {KNOWN:9} {shown(scores(alone(part), KNOWN))}")
    for leaf in (5, 20):
        part = Component(LEARNED_INCLUSION, leaf=leaf)
        print(f"IS-IAC leaf {leaf:<12} {KNOWN:9} {shown(scores(alone(part), KNOWN))}")
    last = {k: v for k, v in tuna2008_as.PREFERENCES.items() if k != "people +LOC"}
    print(f"JU-PTBSGRE place last    {NEW:9} {shown(scores(alone(Component(PARTITION_TREE, preferences=last)), NEW))}")


def hypotheses() -> None:
    print(
        "\nhypotheses about print: Dice / MASI / exact / minimal on furniture, people, both; the entry; print; gain in Dice"
    )
    for name in HYPOTHESES:
        table = asgre2007 if variants.TABLE[name].year == 2007 else tuna2008_as
        of = name.partition(".")[0]
        ours, entrys = (four(maker, table.FOLDS[0]) for maker in (entry(variants, name), entry(table, of)))
        for where, values in zip(("furniture", "people", "both"), zip(*ours, strict=True), strict=True):
            print(f"{name:30} {where:10} {shown(values)}")
        both = [values[2] for values in entrys]
        print(f"{of:30} {'both':10} {shown(both)}  gain {ours[0][2] - both[0]:+.3f}")
        print(f"{of:30} {'print':10} {' / '.join(printed_four(table, of))}")
    known_counts = four(entry(variants, "NIL-UCM-MFVF.counted"), KNOWN)
    print(f"{'NIL-UCM-MFVF.counted':30} known      {shown([values[0] for values in known_counts])} furniture")


def four(make: Maker, by: str) -> list[Scores]:
    said = describe(make, by)
    return [measured(said, metric) for metric in FOUR]


def printed_four(table: object, name: str) -> list[str]:
    paper, which, columns = table.PUBLISHED
    cells, label = shipped_paper(paper).tables[which], table.TABLE[name].printed or name
    shares = {m: float(cells.text(label, c)) / (100 if m == "scene/minimal" else 1) for m, c in columns.items()}
    return [f"{shares[metric]:.3f}" if metric in shares else "–" for metric in FOUR]


def readings() -> None:
    for reading in ("challenge", "challenge.other"):
        said = [p.value for t in corpus(reading) for p in t.references[0].properties or () if p.name == "type"]
        print(f"\n{reading}: types named {dict(Counter(said))}")
    targets = Counter(t.scene.entity(t.targets[0]).value("type") for t in corpus())
    most = {kind: said + targets[kind] - of for kind, (said, of) in TRAINING.items()}
    print(f"\nat most, if print is right and every target beyond its training data was named: {most}")
    print("Dice by speaker, both domains: challenge, challenge.other, difference; range over five cuts")
    for name in tuna2008_as.TABLE:
        usual, other = (
            scores(entry(tuna2008_as, name), NEW, 1, "set/dice", r)[2] for r in ("challenge", "challenge.other")
        )
        row = f"{name:18} {usual:.3f} {other:.3f} {other - usual:+.3f}"
        if not name.startswith(FLOOR):
            every = [scores(entry(tuna2008_as, name), NEW, s)[2] for s in SEEDS]
            row += f"  {max(every) - min(every):.3f}"
        print(row)


def alone(part: Component) -> Maker:
    return lambda: Composed(part.make(), None)


def mentions() -> None:
    said = [t.references[0].properties or () for t in corpus() if t.domain == "furniture"]
    counts = Counter(name for properties in said for name in {p.name for p in properties})
    print("\nfurniture, share of descriptions that mention: ")
    for name in ("size", "orientation", "y-dimension"):
        print(f"{name:14} {100 * counts[name] / len(said):.1f} %")


def evolved() -> None:
    print("\nevolution run again (100 programs, 20 generations), folds by speaker: furniture / people / both")
    print(shown(scores(entry(variants, "OSU-GP.evolved"), NEW)))


PARTS = {f.__name__: f for f in (challenges, known, choices, hypotheses, readings, mentions, evolved)}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or PARTS:
        PARTS[wanted]()
