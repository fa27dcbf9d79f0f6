"""Learned listeners: speed, and with ``--held-out`` how they do on people's games: ``python benchmarks/learned.py [--held-out] [--folds 5]``.

Needs the corpora degen2020 and colors (REFEREE_DATA). Promised: the colour listener learns from 39,599 rounds in under five minutes on two cores, both
answer 10,000 descriptions a second. Plain Python does the same sums with loops and dictionaries, and must find the same beliefs.
Held out are whole games. Everybody reads the words alone. Literal knows a word only as the value of an attribute of the scene (a patch has the value of
the nearest of ten colour names); where it would say "impossible" it is granted the share of guessing that suits the test data best.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import cos, exp, radians, sin, sqrt
from random import Random
from time import process_time
from typing import Any

import numpy as np
from rapidfuzz.distance import OSA
from rich.console import Console
from rich.table import Table
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from referee.corpora.colors import Colors
from referee.corpora.degen import Degen2020
from referee.hearers.answering import Pair, split_words
from referee.hearers.colour import Colour
from referee.hearers.learned import Learned
from referee.hearers.literal import Literal
from referee.hearers.times import Timed
from referee.hearers.word_features import split_into_pieces
from referee.records import Description, Entity, Property, Response, Scene, Trial

Round = tuple[Trial, Response]
NAMES = {"red": 0, "orange": 30, "yellow": 58, "green": 115, "teal": 175, "blue": 225, "purple": 275, "pink": 320}
GREY, GREYISH = 12, ("grey", "gray")
GUESSING = (0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
FASTEST, SLOWEST = 200, 30_000


def degen() -> list[Round]:
    """Rounds with words and nothing but words."""
    return list(_worded(Degen2020()))


def colours() -> list[Round]:
    return list(_worded(Colors()))


def _worded(corpus: Any) -> Iterable[Round]:
    answers = {r.trial: r for r in corpus.responses()}
    for trial in corpus.trials():
        if trial.references:
            text = Description(text=trial.references[0].text)
            yield replace(trial, references=(text,), history=()), answers[trial.id]


def with_names(trial: Trial) -> Trial:
    """The same patches with names for their colours, for a listener that knows names only."""
    return replace(trial, scene=Scene(entities=tuple(map(_named, trial.scene.entities))))


def _named(entity: Entity) -> Entity:
    hue, saturation = float(entity.value("h") or 0), float(entity.value("s") or 0)
    nearest = min(NAMES, key=lambda name: abs((hue - NAMES[name] + 180) % 360 - 180))
    names = GREYISH if saturation < GREY else (nearest,)
    return replace(entity, attributes=tuple(Property("colour", name) for name in names))


def folds(rounds: Sequence[Round], count: int) -> list[tuple[list[Round], list[Round]]]:
    games = sorted({trial.speaker or "" for trial, _ in rounds})
    Random(1).shuffle(games)
    place = {game: i % count for i, game in enumerate(games)}
    return [
        (
            [r for r in rounds if place[r[0].speaker or ""] != fold],
            [r for r in rounds if place[r[0].speaker or ""] == fold],
        )
        for fold in range(count)
    ]


def asked(rounds: Sequence[Round]) -> list[Pair]:
    return [(t.references[0], t.for_hearer(Random(f"1|{t.id}"))) for t, _ in rounds]


def belief(response: Response, trial: Trial, entity: str | None) -> float:
    """The share of an entity among the entities; even where the hearer believes in none of them."""
    shares = dict(response.probabilities or ())
    total = sum(shares.get(e.id, 0.0) for e in trial.scene.entities)
    return shares.get(entity or "", 0.0) / total if total > 0 else 1 / len(trial.scene.entities)


def judge(rounds: Sequence[Round], answers: Sequence[Response], guessing: Sequence[float]) -> tuple[float, ...]:
    """Accuracy, people's accuracy, mean log-likelihood of people's clicks, and AUC for people's success."""
    meant = [belief(a, t, t.targets[0]) for (t, _), a in zip(rounds, answers, strict=True)]
    clicked = np.array([belief(a, t, r.entity) for (t, r), a in zip(rounds, answers, strict=True)])
    chance = np.array([1 / len(t.scene.entities) for t, _ in rounds])
    found = [r.entity == t.targets[0] for t, r in rounds]
    right = [a.entity == t.targets[0] for (t, _), a in zip(rounds, answers, strict=True)]
    likely = max(float(np.log((1 - g) * clicked + g * chance).mean()) for g in guessing)
    auc = float("nan") if all(found) else float(roc_auc_score(found, meant))
    return float(np.mean(right)), float(np.mean(found)), likely, auc


def held_out(title: str, rounds: Sequence[Round], hearer: Any, parts: Sequence[str], count: int) -> None:
    """One table: literal and learned on games that nobody learnt from; mean ± standard deviation over folds."""
    rows: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    pooled: dict[str, list[tuple[str, bool, float, float]]] = {part: [] for part in parts}
    times = []
    for train, test in folds(rounds, count):
        timed = Timed(hearer).fit([t for t, _ in train])
        learnt = timed.resolve_many(asked(test))
        plain = [(with_names(t), r) for t, r in test] if title == "colors" else test
        literal = Literal().resolve_many(asked(plain))
        for part in parts:
            chosen = [i for i, (t, _) in enumerate(test) if part in (t.domain, t.condition, "all")]
            mine = [test[i] for i in chosen]
            rows.setdefault((part, "literal"), []).append(judge(mine, [literal[i] for i in chosen], GUESSING))
            rows.setdefault((part, hearer.name), []).append(judge(mine, [learnt[i] for i in chosen], (0.0,)))
            pooled[part] += [
                (t.speaker or "", r.entity == t.targets[0], *_both(literal[i], learnt[i], t))
                for i, (t, r) in zip(chosen, mine, strict=True)
            ]
        times.append(_time_correlation(test, learnt))
        Console(stderr=True).print(f"{title}: fold {len(times)} of {count}; {timed.times_}")
    table = Table(
        "part", "listener", "right", "people right", "log-likelihood", "AUC", title=f"{title}, n = {len(rounds)}"
    )
    for (part, name), values in rows.items():
        cells = [f"{m:.3f} ± {s:.3f}" for m, s in zip(np.nanmean(values, 0), np.nanstd(values, 0, ddof=1), strict=True)]
        table.add_row(part, name, *cells)
    Console(width=140).print(table)
    for part, items in pooled.items():
        print(f"{part}: AUC {hearer.name} - literal, all folds together: {gain(items)}")
    print(f"rank correlation with people's times: {np.mean(times):.3f} ± {np.std(times, ddof=1):.3f}")


def _both(literal: Response, learnt: Response, trial: Trial) -> tuple[float, float]:
    return belief(literal, trial, trial.targets[0]), belief(learnt, trial, trial.targets[0])


def gain(items: Sequence[tuple[str, bool, float, float]], resamples: int = 1000) -> str:
    """The difference of two areas under the curve, with a 95 % interval from drawing games with replacement."""
    games, found, literal, learnt = (np.array(column) for column in zip(*items, strict=True))
    places = np.unique(games, return_inverse=True)[1]
    members = [np.flatnonzero(places == game) for game in range(places.max() + 1)]
    rng = np.random.default_rng(1)

    def difference(chosen: Any) -> float:
        right = found[chosen]
        if right.all():
            return float("nan")
        return float(roc_auc_score(right, learnt[chosen]) - roc_auc_score(right, literal[chosen]))

    drawn = [
        difference(np.concatenate([members[game] for game in rng.integers(len(members), size=len(members))]))
        for _ in range(resamples)
    ]
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    return f"{difference(slice(None)):+.3f} [{low:+.3f}, {high:+.3f}], {int((~found).sum())} failures of people"


def _time_correlation(rounds: Sequence[Round], answers: Sequence[Response]) -> float:
    both = [
        (r.identification_ms, (a.reading_ms or 0) + (a.identification_ms or 0))
        for (_, r), a in zip(rounds, answers, strict=True)
        if "simple" in r.flags and FASTEST <= (r.identification_ms or 0) <= SLOWEST
    ]
    return float(spearmanr(*zip(*both, strict=True)).statistic)


def plain_learned(hearer: Learned, pairs: Sequence[Pair]) -> list[list[float]]:
    """The learned listener, entity by entity and word by word, with nothing shared or remembered."""
    names = {column: value for value, column in hearer.values_.items()}
    weights = {(piece, names[column]): w for piece, row in hearer.weights_.items() for column, w in row.items()}
    result = []
    for description, view in pairs:
        text, entities = description.text or "", view.scene.entities
        pieces = [p for p in split_into_pieces.__wrapped__(text) if p in hearer.weights_]
        words = split_words(text)
        scores = []
        for entity in entities:
            rivals = [other for other in entities if other is not entity]
            score = 0.0
            for value in entity.attributes:
                alone = Property("alone in", value.name)
                met = [value] if any(other.has(value) for other in rivals) else [value, alone]
                score += sum(weights.get((p, v), 0.0) for p in pieces for v in met) / sqrt(max(len(pieces), 1))
                score += plain_spelling(hearer, words, value)
            scores.append(score)
        result.append(plain_shares(scores))
    return result


def plain_spelling(hearer: Learned, words: Sequence[str], value: Property) -> float:
    names = split_words("".join(" " + c if c.isupper() else c for c in value.value))
    if any(word == name for word in words for name in names):
        return hearer.same_
    close = (OSA.normalized_similarity(w, n) >= 0.65 for w in words for n in names if min(len(w), len(n)) >= 4)
    return hearer.near_ + hearer.same_ / 2 if any(close) else 0.0


def plain_colour(hearer: Colour, pairs: Sequence[Pair]) -> list[list[float]]:
    """The colour listener with loops and dictionaries."""
    weights = {piece: hearer.weights_[column].tolist() for piece, column in hearer.vocabulary_.columns.items()}
    mean, scale = hearer.mean_.tolist(), hearer.scale_.tolist()
    result = []
    for description, view in pairs:
        pieces = [weights[p] for p in split_into_pieces.__wrapped__(description.text or "") if p in weights]
        scores = []
        for look in plain_looks(view.scene):
            seen = [(x - m) / s for x, m, s in zip(look, mean, scale, strict=True)]
            fit = sum(sum(w * x for w, x in zip(piece, seen, strict=True)) for piece in pieces)
            scores.append(fit / sqrt(max(len(pieces), 1)))
        result.append(plain_shares(scores))
    return result


def plain_looks(scene: Scene) -> list[list[float]]:
    patches = [[float(e.value(axis) or 0) for axis in "hsl"] for e in scene.entities]
    rgbs = [plain_rgb(*patch) for patch in patches]
    labs = [plain_lab(rgb) for rgb in rgbs]
    centre = [sum(column) / len(labs) for column in zip(*labs, strict=True)]
    away = [sqrt(sum((x - c) ** 2 for x, c in zip(lab, centre, strict=True))) for lab in labs]
    compared = [
        [p[1] / 100, p[2] / 100, *lab, *rgb, d] for p, lab, rgb, d in zip(patches, labs, rgbs, away, strict=True)
    ]
    low, high = ([pick(c) for c in zip(*compared, strict=True)] for pick in (min, max))
    mean = [sum(c) / len(compared) for c in zip(*compared, strict=True)]
    looks = []
    for (hue, saturation, lightness), rgb, lab, d, row in zip(patches, rgbs, labs, away, compared, strict=True):
        s, light, angle = saturation / 100, lightness / 100, radians(hue)
        waves = [f(k * angle) * s**p for k in range(1, 5) for p in range(3) for f in (cos, sin)]
        four = list(zip(row, low, high, mean, strict=True))
        relative = [(x - m) / (b - a + 0.05) for x, a, b, m in four]
        ends = [float(x >= b) - float(x <= a) for x, a, b, _ in four]
        edges = [float(x >= b) + float(x <= a) for x, a, b, _ in four]
        looks.append([*waves, s, s**2, s**3, light, light**2, *lab, *rgb, d, *relative, *ends, *edges])
    return looks


def plain_rgb(hue: float, saturation: float, lightness: float) -> list[float]:
    light = lightness / 100
    depth = saturation / 100 * min(light, 1 - light)
    turns = [(n + hue / 30) % 12 for n in (0, 8, 4)]
    return [light - depth * max(-1.0, min(turn - 3, 9 - turn, 1.0)) for turn in turns]


def plain_lab(rgb: Sequence[float]) -> list[float]:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = [
        sum(a * b for a, b in zip(row, linear, strict=True)) / w
        for row, w in zip(rows, (0.9505, 1, 1.089), strict=True)
    ]
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in xyz)
    return [1.16 * y - 0.16, 5 * (x - y), 2 * (y - z)]


def plain_shares(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    shares = [exp(score - top) for score in scores]
    return [share / sum(shares) for share in shares]


def agree(ours: Sequence[Response], plain: Sequence[Sequence[float]]) -> float:
    """The largest difference between two sets of beliefs, over those that the listener understood at all."""
    told = [(a, b) for a, b in zip(ours, plain, strict=True) if a.outcome != "unparsable"]
    return max(abs(x - y) for a, b in told for (_, x), y in zip(a.probabilities or (), b, strict=True))


def speed(title: str, rounds: Sequence[Round], hearer: Any, plain: Any) -> None:
    start = process_time()
    hearer.fit([t for t, _ in rounds])
    training = process_time() - start
    pairs = asked(rounds)[:20_000]
    gc.freeze()  # else much of the time on both sides goes into looking through the corpus for garbage
    start = process_time()
    ours = hearer.resolve_many(pairs)
    quick = len(pairs) / (process_time() - start)
    few = pairs[:2_000]
    start = process_time()
    theirs = plain(hearer, few)
    slow = len(few) / (process_time() - start)
    difference = agree(ours[: len(few)], theirs)
    print(
        f"{title}: {len(rounds):,} rounds learnt in {training:.1f} s; {quick:,.0f} answers/s, plain Python {slow:,.0f}/s, "
        f"ratio {quick / slow:.1f} (largest difference {difference:.1g})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--only", choices=("degen2020", "colors"))
    given = parser.parse_args()
    if given.only != "colors":
        rounds = degen()
        if given.held_out:
            held_out("degen2020", rounds, Learned(), ("exp1", "exp2", "exp3", "all"), given.folds)
        else:
            speed("learned", rounds, Learned(), plain_learned)
    if given.only != "degen2020":
        rounds = colours()
        if given.held_out:
            held_out("colors", rounds, Colour(), ("far", "split", "close", "all"), given.folds)
        else:
            speed("colour", rounds, Colour(), plain_colour)


if __name__ == "__main__":
    main()
