"""The numbers of docs/realisation.md: ``python benchmarks/pages/realisation.py [mending] [realisers] [systems] [lengths] [portuguese] [reading]``.

Words on TUNA in the `challenge` reading (and b5-ref), 741 trials with one reference each, five folds of known speakers (random within domains) or of new
ones (whole speakers); needs REFEREE_DATA. What the teams printed of their development sets is written down below; test scores are those of the audit.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np

from referee import catalogue
from referee.auditing.paper import read_shipped_paper
from referee.contracts import Batch
from referee.corpora.splits import make_folds
from referee.corpora.tuna import Tuna
from referee.jobs.open import open_corpus
from referee.meaning import flatten
from referee.realisation.annotation import UNSAYABLE
from referee.realisation.english import ENGLISH
from referee.realisation.plain import Plain
from referee.realisation.portuguese import PORTUGUESE
from referee.realisation.reading_back import ReadBack
from referee.records import Description, Trial
from referee.statistics.correlation import spearman
from referee.systems import tuna2008_r, tuna2008_reg, tunareg2009

sys.path.append(str(Path(__file__).parents[2] / "packages" / "referee" / "tests" / "systems"))
from test_sensible_words import faults, nouns_of

KNOWN, NEW = "challenge", "speaker"
TABLES: dict[str, ModuleType] = {"R": tuna2008_r, "2008": tuna2008_reg, "2009": tunareg2009}
JOBS = int(os.environ.get("JOBS", "2"))

# Edit distance over furniture, people and both, and the share of exact strings, as the teams print them for the development set of 148 trials.
REALISERS = {
    "IS-GT": ("Stuttgart", (3.16, 3.65, 3.40), 0.29),
    "ATT-TemplateS": ("AT&T", (3.52, 4.25, 3.86), 0.23),
    "ATT-Dependency": ("AT&T", (3.90, 3.96, 3.93), 0.07),
    "DIT-RBR": ("Dublin", (3.61, 4.13, 3.85), 0.09),
    "DIT-CBSR": ("Dublin", (3.95, 4.81, 4.34), 0.12),
    "NIL-UCM-BSC": ("Madrid", (4.21, 4.94, 4.54), 0.11),
    "ATT-Template": ("AT&T", (4.36, 5.16, 4.73), 0.05),
    "ATT-PermuteRank": ("AT&T", (4.39, 6.26, 5.25), 0.05),
}
SYSTEMS: dict[str, tuple[float | None, float | None, float]] = {
    "IS-FP-GT": (3.86, 4.76, 4.31),
    "ATT-Dependency-drws": (None, None, 6.20),
    "DIT-FBI-CBSR": (4.45, 5.16, 4.78),
    "ATT-TemplateS-drws": (None, None, 6.03),
    "ATT-Template-drws": (None, None, 6.25),
    "GRAPH-4+B": (4.61, 6.96, 5.69),
    "DIT-TVAS-RBR": (4.73, 5.18, 4.91),
    "NIL-UCM-FVBS": (5.06, 6.24, 5.60),
    "ATT-PermuteRank-drws": (None, None, 5.78),
    "ATT-Dependency-ws": (None, None, 4.28),
    "ATT-TemplateS-ws": (None, None, 4.04),
    "ATT-Template-ws": (None, None, 4.46),
    "ATT-PermuteRank-ws": (None, None, 5.45),
}
LATER = {  # of 2009, with BLEU-3
    "IS-FP-GT": ((3.86, 4.76, 4.31), 0.30),
    "GRAPH": ((4.94, 5.15, 5.03), 0.30),
    "NIL-UCM-EvoTAP": ((4.87, 6.04, 5.41), 0.20),
    "NIL-UCM-ValuesCBR": ((5.91, 5.80, 5.86), 0.19),
    "USP-EACH": ((4.78, 7.50, 6.03), 0.19),
    "NIL-UCM-EvoCBR": ((5.77, 6.94, 6.31), 0.17),
}
LEAST = (1, 4, 6, 8)
"""Words that a reference has at least, for the order of systems on long references."""
Key = tuple[str, str, str, bool]
Said = dict[Key, list[str]]


@cache
def corpus() -> tuple[Trial, ...]:
    return tuple(Tuna(os.environ["REFEREE_DATA"], reading="challenge").trials())


@cache
def nouns() -> frozenset[str]:
    return frozenset(nouns_of(list(corpus())))


def spoken(key: Key) -> list[str]:
    """What an entry says about every trial, trained on the other folds; a realiser gets the properties that the person chose."""
    table, name, by, mended = key
    said = {}
    for train, test in make_folds(corpus(), 5, by=by, seed=1):
        system = TABLES[table].system(name, mended=mended).fit(train)
        for trial in test:
            view = trial.for_speaker()
            if hasattr(system, "describe"):
                said[trial.id] = system.describe(view).text or ""
            else:
                said[trial.id] = system.realise(trial.references[0].properties, view)
    return [said[trial.id] for trial in corpus()]


_known: Said = {}


def say(keys: Iterable[Key]) -> Said:
    wanted = [key for key in dict.fromkeys(keys) if key not in _known]
    with ProcessPoolExecutor(JOBS) as pool:
        _known.update(zip(wanted, pool.map(spoken, wanted), strict=True))
    return _known


def value(metric: str, said: Sequence[str], keep: Sequence[bool]) -> float:
    trials = [t for t, k in zip(corpus(), keep, strict=True) if k]
    texts = [Description(text=s) for s, k in zip(said, keep, strict=True) if k]
    return catalogue.create("metric", f"string/{metric}").score(Batch.of(texts, trials)).value


def every() -> list[bool]:
    return [True] * len(corpus())


def three(metric: str, said: Sequence[str]) -> tuple[float, ...]:
    parts = ([t.domain == d for t in corpus()] for d in ("furniture", "people"))
    return tuple(value(metric, said, part) for part in (*parts, every()))


def shown(values: Sequence[float | None], digits: int = 2) -> str:
    return " / ".join("–" if v is None else f"{v:.{digits}f}" for v in values)


def dotted(number: float, digits: int = 2) -> str:
    return f"{number:.{digits}f}".removeprefix("0").replace("-0.", "−.")


def row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |")


def mending() -> None:
    """Broken strings and edit distance, without and with mending, new speakers."""
    entries = [(t, n) for t in TABLES for n in TABLES[t].TABLE]
    said = say((t, n, NEW, m) for t, n in entries for m in (False, True))
    row("table", "entry", "broken without", "with", "edit without", "with", "silent without")
    for table, name in entries:
        pair = [said[table, name, NEW, m] for m in (False, True)]
        broken = [sum(bool(faults(text, set(nouns()))) for text in texts) / len(texts) for texts in pair]
        edits = [value("edit", texts, every()) for texts in pair]
        silent = sum(not text.strip() for text in pair[0])
        row(table, name, *(f"{100 * b:.1f} %" for b in broken), *(f"{e:.2f}" for e in edits), silent)
    words = [t.references[0].text or "" for t in corpus()]
    print(f"people without a noun: {100 * np.mean(['no noun' in faults(w, set(nouns())) for w in words]):.0f} %")


def realisers() -> None:
    """Task R beside what the teams print."""
    names = list(tuna2008_r.TABLE)
    said = say(("R", n, by, m) for n in names for by, m in ((KNOWN, False), (NEW, True)))
    known = {n: said["R", n, KNOWN, False] for n in names}
    row(
        "realiser",
        "printed, development",
        "known speakers, substitution 2",
        "substitution 1",
        "exact: printed",
        "ours",
        "new speakers, substitution 2",
    )
    for name in [*REALISERS, "GRAPH-2009", "NIL-CBR-2009", "organisers"]:
        _, printed, exact = REALISERS.get(name, ("", None, None))
        ours = dotted(value("exact", known[name], every()))
        two, one = shown(three("edit", known[name])), shown(three("edit.1", known[name]))
        print_exact = "–" if exact is None else dotted(exact)
        row(
            name,
            shown(printed) if printed else "–",
            two,
            one,
            print_exact,
            ours,
            shown(three("edit", said["R", name, NEW, True])),
        )
    both = {m: {n: value(m, known[n], every()) for n in REALISERS} for m in ("edit", "edit.1")}
    for team in dict.fromkeys(t for t, *_ in REALISERS.values()):
        gaps = [
            np.mean([abs(both[m][n] - p[2]) for n, (t, p, _) in REALISERS.items() if t == team])
            for m in ("edit", "edit.1")
        ]
        print(f"{team}: mean difference {gaps[0]:.2f} with substitution 2, {gaps[1]:.2f} with 1")
    rho = spearman(list(both["edit"].values()), [p[2] for _, p, _ in REALISERS.values()]).r
    print(f"order of the eight realisers: rho {rho:.2f}")
    table = read_shipped_paper("tuna-2008").tables["table6"]
    sent = [n for n in names if n in table.labels]
    theirs = [float(table.text(n, "edit_both")) for n in sent]
    for mended in (True, False):
        ours = [value("edit", say([("R", n, NEW, mended)])["R", n, NEW, mended], every()) for n in sent]
        rho = spearman(ours, theirs).r
        print(
            f"test, {len(sent)} submissions, mended {mended}: print {min(theirs):.1f} to {max(theirs):.1f}, "
            f"ours {min(ours):.1f} to {max(ours):.1f}, rho {rho:.2f}"
        )


def systems() -> None:
    """Task REG of 2008 and 2009 beside print."""
    eighth, fifth = (
        read_shipped_paper("tuna-2008").tables["table8"],
        read_shipped_paper("tuna-reg-2009").tables["table5"],
    )
    keys = [
        (t, n, by, m)
        for t in ("2008", "2009")
        for n in TABLES[t].TABLE
        for by, m in ((KNOWN, False), (NEW, True), (NEW, False))
    ]
    said = say(keys)
    row(
        "2008",
        "printed, development",
        "ours, known speakers",
        "printed, test",
        "ours, new speakers",
        "BLEU printed",
        "ours",
        "silent of 741 without mending",
    )
    for name in [*SYSTEMS, "OSU-GP"]:
        texts, plain = said["2008", name, NEW, True], said["2008", name, NEW, False]
        printed = f"{float(eighth.text(name, 'edit_both')):.2f}"
        # The heads of BLEU and NIST are exchanged in print.
        bleu = dotted(float(eighth.text(name, "nist")), 3)
        ours = (
            shown(three("edit", said["2008", name, KNOWN, False])),
            printed,
            f"{value('edit', texts, every()):.2f}",
            bleu,
            dotted(value("bleu.3", texts, every())),
        )
        row(name, shown(SYSTEMS[name]) if name in SYSTEMS else "–", *ours, sum(not t.strip() for t in plain))
    print()
    row(
        "2009",
        "printed, development",
        "ours, known speakers",
        "BLEU-3 printed",
        "ours",
        "printed, test",
        "ours, new speakers",
        "BLEU-3 printed",
        "ours",
    )
    for name, (edit, bleu) in LATER.items():
        known, new = said["2009", name, KNOWN, False], said["2009", name, NEW, True]
        label = tunareg2009.TABLE[name].printed or name
        first = (shown(edit), shown(three("edit", known)), dotted(bleu), dotted(value("bleu.3", known, every())))
        second = (
            f"{float(fifth.text(label, 'se_all')):.2f}",
            f"{value('edit', new, every()):.2f}",
            dotted(float(fifth.text(label, "bleu3_all"))),
        )
        row(name, *first, *second, dotted(value("bleu.3", new, every())))
    orders(said)
    lengths = np.array([len((t.references[0].text or "").split()) for t in corpus()])
    long = [n >= 6 for n in lengths]
    print(
        f"words of a reference {lengths.mean():.1f}; {sum(long)} have six or more, {lengths[long].mean():.1f} on average"
    )
    for table, theirs in (("2008", printed_2008("edit_both")), ("2009", printed_2009("se_all"))):
        ours = [value("edit", said[table, n, NEW, False], long) for n in theirs]
        print(f"{table}, long references, not mended: rho {spearman(ours, list(theirs.values())).r:.2f}")
    one = value("edit.1", said["2008", "DIT-FBI-CBSR", KNOWN, False], every())
    print(f"DIT-FBI-CBSR with substitution 1: {one:.1f}")


def printed_2008(column: str) -> dict[str, float]:
    table = read_shipped_paper("tuna-2008").tables["table8"]
    return {n: float(table.text(n, column)) for n in tuna2008_reg.TABLE if n in table.labels}


def printed_2009(column: str) -> dict[str, float]:
    table = read_shipped_paper("tuna-reg-2009").tables["table5"]
    return {n: float(table.text(r.printed or n, column)) for n, r in tunareg2009.TABLE.items()}


def orders(said: Said) -> None:
    """Spearman's rho of our order and print's."""
    print()
    row("", "edit, substitution 2", "edit, substitution 1", "BLEU", "exact strings")
    for mended in (True, False):
        rhos = [
            rho(said, "2008", NEW, mended, m, printed_2008(c))
            for m, c in (("edit", "edit_both"), ("edit.1", "edit_both"), ("bleu.4", "nist"), ("exact", "accuracy_both"))
        ]
        row(f"2008, new speakers, test (14), mended {mended}", *rhos)
    development = {n: edit[2] for n, (edit, _) in LATER.items()}
    bleu = {n: b for n, (_, b) in LATER.items()}
    row(
        "2009, known speakers, development (6), not mended",
        *(
            rho(said, "2009", KNOWN, False, m, p)
            for m, p in (("edit", development), ("edit.1", development), ("bleu.3", bleu))
        ),
        "–",
    )
    for mended in (True, False):
        rhos = [
            rho(said, "2009", NEW, mended, m, printed_2009(c))
            for m, c in (("edit", "se_all"), ("edit.1", "se_all"), ("bleu.3", "bleu3_all"))
        ]
        row(f"2009, new speakers, test (6), mended {mended}", *rhos, "–")


def rho(said: Said, table: str, by: str, mended: bool, metric: str, theirs: dict[str, float]) -> str:
    found = spearman([value(metric, said[table, n, by, mended], every()) for n in theirs], list(theirs.values())).r
    return "–" if found is None else dotted(found)


def lengths() -> None:
    """The order of systems by edit distance when only long references count: all 741, and those of so many words; in all folds together and fold by fold."""
    tables = {"2008": printed_2008("edit_both"), "2009": printed_2009("se_all")}
    said = say((table, name, NEW, False) for table, theirs in tables.items() for name in theirs)
    words = [len((t.references[0].text or "").split()) for t in corpus()]
    parts = [{t.id for t in test} for _, test in make_folds(corpus(), 5, by=NEW, seed=1)]
    row("words", "references", "words on average", *(f"{year} ({len(theirs)})" for year, theirs in tables.items()))
    for least in LEAST:
        keep = [n >= least for n in words]
        kept = [n for n in words if n >= least]
        row(
            least,
            len(kept),
            f"{np.mean(kept):.1f}",
            *(_with_folds(said, t, theirs, keep, parts) for t, theirs in tables.items()),
        )


def _with_folds(said: Said, table: str, theirs: dict[str, float], keep: list[bool], parts: list[set[str]]) -> str:
    def order(kept: list[bool]) -> float:
        ours = [value("edit", said[table, name, NEW, False], kept) for name in theirs]
        return spearman(ours, list(theirs.values())).r or 0.0

    found = [order([k and t.id in part for k, t in zip(keep, corpus(), strict=True)]) for part in parts]
    return f"{dotted(order(keep))} ({dotted(min(found))} to {dotted(max(found))})"


def portuguese() -> None:
    trials = [t for t in open_corpus("b5-ref").trials() if t.references and t.references[0].properties is not None]
    words = Plain(PORTUGUESE)
    batch = Batch.of(
        [Description(text=words.realise(t.references[0].properties, t.for_speaker())) for t in trials], trials
    )
    for metric in ("bleu.3", "edit"):
        print(
            f"b5-ref, {len(trials)} descriptions, {metric}: {catalogue.create('metric', f'string/{metric}').score(batch).value:.3f}"
        )


def reading() -> None:
    """How often people's words are read back into the properties of their annotation, by the words of other speakers."""
    exact = same = complete = 0
    for train, test in make_folds(corpus(), 5, by=NEW, seed=1):
        reader = ReadBack(ENGLISH, train)
        for trial in test:
            words = reader.read(trial.references[0].text or "", trial.scene)
            annotated = {p for p in trial.references[0].properties or () if p.value not in UNSAYABLE}
            exact += set(flatten(words.meaning)) == annotated
            same += trial.scene.denotation(words.meaning) == trial.scene.denotation(tuple(annotated))
            complete += not words.unread
    for what, count in (("exact properties", exact), ("same entities", same), ("all words read", complete)):
        print(f"{what}: {dotted(count / len(corpus()))}")


PARTS = {f.__name__: f for f in (mending, realisers, systems, lengths, portuguese, reading)}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or PARTS:
        PARTS[wanted]()
