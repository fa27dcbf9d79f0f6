"""The numbers of docs/systems.md: ``python benchmarks/pages/systems.py [challenges] [known] [choices] [hypotheses] [early] [readings] [mentions] [together]
[evolved] [forest] [asymmetry]``.

Dice on TUNA in the `challenge` reading (REFEREE_DATA): every entry of the two challenges in five cuts (seeds 1 to 5) beside print, entries that know their
speakers, open choices made the other way, hypotheses about print beside their entries, the reading `challenge.other`, how often attributes are mentioned,
what of print cannot hold together on this corpus, evolution run again, what a random forest learns from the scene, and redundant sizes and colours in
degen2020 beside rational speech acts.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import combinations

import numpy as np

from referee import catalogue
from referee.auditing.paper import read_shipped_paper
from referee.contracts import Batch
from referee.corpora.splits import make_folds
from referee.corpora.tuna import Tuna
from referee.jobs.open import open_corpus
from referee.records import Description, Trial
from referee.selection.graded_rational import ContinuousSpeaker
from referee.statistics.correlation import spearman
from referee.systems import asgre2007, tuna2008_as, tunareg2009, variants
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
TESTED = 112
"""Items of the test set of TUNA-AS 2008 (Gatt, Belz & Kow 2008)."""
LARGEST = 7
"""Attributes in the longest set that is tried; nobody says more."""
DEVELOPMENT = ("GRAPH-4+B", "DIT-FBI", "DIT-TVAS", "NIL-UCM-MFVF", "USP-EACH-FREQ", "ATT-DR-b", "ATT-DR-sf", "IS-FP")


@cache
def corpus(reading: str = "challenge") -> tuple[Trial, ...]:
    return tuple(Tuna(os.environ["REFEREE_DATA"], reading=reading).trials())


def scores(make: Maker, by: str, seed: int = 1, metric: str = "set/dice", reading: str = "challenge") -> Scores:
    """A metric on furniture, people and both when every trial is described by a system trained on other folds."""
    return measured(describe(make, by, seed, reading), metric, reading)


def describe(make: Maker, by: str, seed: int = 1, reading: str = "challenge") -> dict[str, Description]:
    said = {}
    for train, test in make_folds(corpus(reading), 5, by=by, seed=seed):
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
        cells = read_shipped_paper(paper).tables[which]
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


def early() -> None:
    """Evolution that is stopped before it has converged: Dice / MASI / exact / minimal, and the edit distance of words that are not mended."""
    print(
        "\nevolved sets, folds by speaker: Dice / MASI / exact / minimal on furniture, people, both; edit distance; print"
    )
    cells = read_shipped_paper("tuna-reg-2009").tables["table5"]
    for name in ("NIL-UCM-EvoTAP", "NIL-UCM-EvoCBR"):
        for label, table in ((name, tunareg2009), (f"{name}.early", variants)):
            said = describe(partial(table.system, label, mended=False), NEW)
            found = [measured(said, metric) for metric in (*FOUR, "string/edit")]
            for where, values in zip(("furniture", "people", "both"), zip(*found, strict=True), strict=True):
                print(f"{label:24} {where:10} {shown(values[:4])}  {values[4]:.2f}")
        printed = [cells.text(name, f"se_{part}") for part in ("furniture", "people", "all")]
        print(f"{name:24} print      edit {' / '.join(printed)}")


def four(make: Maker, by: str) -> list[Scores]:
    said = describe(make, by)
    return [measured(said, metric) for metric in FOUR]


def printed_four(table: object, name: str) -> list[str]:
    paper, which, columns = table.PUBLISHED
    cells, label = read_shipped_paper(paper).tables[which], table.TABLE[name].printed or name
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


def together() -> None:
    """What of print cannot hold together on the public corpus: the arithmetic."""
    trials = corpus()
    print(
        "\nthe most that any choice of attributes can have, the same for everybody who saw a scene (chosen on the trials that it is scored on)"
    )
    for by in (("scene",), ("scene", "condition")):
        print(f"  by {' and '.join(by):20} {shown(_most(trials, by))}")
    paper, which, columns = tuna2008_as.PUBLISHED
    cells = read_shipped_paper(paper).tables[which]
    printed = {name: float(cells.text(name, columns["set/dice"])) for name in tuna2008_as.TABLE}
    bound = _most(trials, ("scene", "condition"))[2]
    above = sorted((-value, name) for name, value in printed.items() if value > bound)
    print(f"  printed above the last of these: {', '.join(f'{name} {-value:.3f}' for value, name in above)}")
    said = {name: describe(entry(tuna2008_as, name), NEW) for name in printed}
    items = {name: np.array([_dice(said[name][t.id], t) for t in trials]) for name in printed}
    nine = [name for name in printed if not name.startswith(FLOOR)]
    _pairs(nine, printed, items)
    _draws("nine above the floor", nine, printed, items, 0.8)
    _draws("14", list(printed), printed, items, 0.95)


def _dice(said: Description, trial: Trial) -> float:
    ours, theirs = set(said.properties or ()), set(trial.references[0].properties or ())
    return 2 * len(ours & theirs) / (len(ours) + len(theirs))


def _most(trials: Sequence[Trial], by: Sequence[str]) -> Scores:
    """Mean Dice of the best set of attribute names in each group of trials, on furniture, people and both."""
    groups: dict[tuple[str | None, ...], list[Trial]] = {}
    for trial in trials:
        parts = {"scene": trial.scene.id, "condition": trial.condition}
        groups.setdefault((trial.domain, *(parts[name] for name in by)), []).append(trial)
    sums = {"furniture": 0.0, "people": 0.0}
    for key, members in groups.items():
        owned = [{p.name for p in t.scene.entity(t.targets[0]).attributes} for t in members]
        told = [t.references[0].properties or () for t in members]
        names = sorted(set().union(*owned))
        sets = [c for size in range(1, min(len(names), LARGEST) + 1) for c in combinations(names, size)]
        chosen = np.array([[name in c for name in names] for c in sets], dtype=float)
        mentioned = np.array([[name in {p.name for p in r} for name in names] for r in told], dtype=float)
        has = np.array([[name in own for name in names] for own in owned], dtype=float)
        # In this reading every value that was said is the target's own, so names decide.
        found = 2 * chosen @ mentioned.T / (chosen @ has.T + np.array([len(r) for r in told]))
        sums[str(key[0])] += float(found.sum(axis=1).max())
    number = Counter(t.domain for t in trials)
    return sums["furniture"] / number["furniture"], sums["people"] / number["people"], sum(sums.values()) / len(trials)


def _pairs(nine: Sequence[str], printed: dict[str, float], items: dict[str, np.ndarray]) -> None:
    """Differences of print that our items exclude, sampling of both taken in: speakers of ours, and 112 items of the test set."""
    speakers = [t.speaker for t in corpus()]
    place = np.array([sorted(set(speakers)).index(s) for s in speakers])
    print(
        f"pairs of the nine: ours, print, ours less print ± standard error (speakers of ours, {TESTED} items of theirs)"
    )
    excluded = pairs = 0
    for a, b in combinations(nine, 2):
        apart = items[a] - items[b]
        if not apart.any():
            continue  # ATT-DR-sf says what ATT-DR-b says of strangers
        pairs += 1
        by_speaker = np.bincount(place, apart) / np.bincount(place)
        error = np.sqrt(by_speaker.var(ddof=1) / len(by_speaker) + apart.var(ddof=1) / TESTED)
        off = apart.mean() - (printed[a] - printed[b])
        if abs(off) > 1.96 * error:
            excluded += 1
            print(f"  {a:14} - {b:14} {apart.mean():+.3f} {printed[a] - printed[b]:+.3f}  {off:+.3f} ± {error:.3f}")
    print(f"  {excluded} of {pairs} printed differences are excluded")


def _draws(
    which: str, names: Sequence[str], printed: dict[str, float], items: dict[str, np.ndarray], goal: float
) -> None:
    """How well the order of systems on a few of our own items agrees with their order on all of them: what noise alone allows."""
    table, rng = np.array([items[name] for name in names]), np.random.default_rng(1)
    whole = table.mean(axis=1)
    draws = (rng.choice(table.shape[1], TESTED, replace=False) for _ in range(2000))
    rhos = np.array([spearman(list(table[:, drawn].mean(axis=1)), list(whole)).r for drawn in draws])
    low, middle, high = np.quantile(rhos, [0.05, 0.5, 0.95])
    ours = spearman(list(whole), [printed[name] for name in names]).r
    print(
        f"order of the {which} on {TESTED} of our own items against all {table.shape[1]}: rho {middle:.2f} (90 %: {low:.2f} to {high:.2f}),"
    )
    print(
        f"  at least {goal} in {np.mean(rhos >= goal):.0%} of 2000 draws; with print {ours:.2f}, and no more than that in {np.mean(rhos <= ours):.0%}"
    )


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


def forest() -> None:
    """What can be learned from the scene without the speaker: the set of highest expected Dice under a random forest over what people mention."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction import DictVectorizer

    dice: dict[str | None, list[float]] = {}
    for train, test in make_folds(corpus(), 5, by=NEW, seed=1):
        for domain in ("furniture", "people"):
            seen, new = ([t for t in part if t.domain == domain] for part in (train, test))
            mentioned = [frozenset(p.name for p in t.references[0].properties or ()) for t in seen]
            sets = sorted(set(mentioned), key=sorted)
            vectors = DictVectorizer(sparse=False)
            model = RandomForestClassifier(500, min_samples_leaf=5, random_state=0)
            model.fit(vectors.fit_transform([_features(t) for t in seen]), [sets.index(names) for names in mentioned])
            likely = model.predict_proba(vectors.transform([_features(t) for t in new]))
            known_sets = [sets[i] for i in model.classes_]
            gain = np.array([[_dice(a, b) for b in known_sets] for a in known_sets])
            for trial, chances in zip(new, likely, strict=True):
                best = known_sets[int(np.argmax(gain @ chances))]
                properties = frozenset(p for p in trial.scene.entity(trial.targets[0]).attributes if p.name in best)
                dice.setdefault(domain, []).append(_dice(properties, frozenset(trial.references[0].properties or ())))
    everything = [value for values in dice.values() for value in values]
    print("\nforest, folds by speaker:", *(f"{np.mean(v):.3f}" for v in (*dice.values(), everything)))


def _features(trial: Trial) -> dict[str, object]:
    """The design, the condition, the cell of the target, and how many distractors each of its properties rules out."""
    target = trial.scene.entity(trial.targets[0])
    places = {name: target.value(name) or "unknown" for name in ("x-dimension", "y-dimension")}
    ruled_out = {
        f"rules out {p.name}": sum(not e.has(p) for e in trial.scene.entities if e.id != target.id)
        for p in target.attributes
    }
    return {
        "design": str(trial.scene.id),
        "condition": str(trial.condition),
        **places,
        "cell": "-".join(places.values()),
        **ruled_out,
    }


def _dice(one: frozenset[object], other: frozenset[object]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0


def asymmetry() -> None:
    """How often people and rational speech acts with degrees add a size where the colour suffices, and a colour where the size does (experiment 1)."""
    added: dict[tuple[str, str], list[float]] = {}
    for trial in open_corpus("degen2020").trials():
        enough = {"col": "colour", "siz": "size"}.get((trial.condition or "")[:3])
        reference = next((r for r in trial.references if r.properties is not None), None)
        if enough is None or reference is None or trial.meta.get("published") != "exp1":
            continue
        names = {p.name for p in reference.properties or ()}
        more = "size" if enough == "colour" else "colour"
        if enough not in names:
            continue
        added.setdefault((more, "people"), []).append(more in names)
        chances = {
            with_more: sum(p for said, p in ContinuousSpeaker().distribution(trial.for_speaker())
                           if {q.name for q in said} >= {enough} and (more in {q.name for q in said}) == with_more)
            for with_more in (True, False)
        }  # fmt: skip
        added.setdefault((more, "model"), []).append(chances[True] / sum(chances.values()))
    for (more, speaker), values in sorted(added.items()):
        print(f"redundant {more}, {speaker}: {np.mean(values):.2f} of {len(values)}")


PARTS = {
    f.__name__: f
    for f in (challenges, known, choices, hypotheses, early, readings, mentions, together, evolved, forest, asymmetry)
}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or PARTS:
        PARTS[wanted]()
