"""How sure is an order of frequency? Speakers of TUNA drawn with replacement, and how often two attributes change places.

    python benchmarks/frequency_order.py [RESAMPLES]

Needs TUNA (REFEREE_DATA). Print (Kelleher & Mac Namee 2008) has size in 117 and orientation in 106 of 319 furniture descriptions.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import combinations
from random import Random

from referee.jobs.open import open_corpus
from referee.selection.frequencies import count


def main(resamples: int = 1000) -> None:
    trials = list(open_corpus("tuna", reading="challenge").trials())
    for domain in ("furniture", "people"):
        by_speaker: dict[str, list] = {}
        for trial in trials:
            if trial.domain == domain:
                by_speaker.setdefault(trial.speaker or "", []).append(trial)
        # Mentions add up, so a resample is a sum of speakers' counts.
        mentions = {s: Counter(count(own).mentions) for s, own in by_speaker.items()}
        total = sum(mentions.values(), Counter())
        order = [name for name, _ in total.most_common()]
        n = sum(map(len, by_speaker.values()))
        print(f"{domain}: " + ", ".join(f"{name} {total[name] / n:.3f}" for name in order))
        flips: Counter[tuple[str, str]] = Counter()
        rng, speakers = Random(1), list(mentions)
        for _ in range(resamples):
            drawn = sum((mentions[s] for s in rng.choices(speakers, k=len(speakers))), Counter())
            flips.update((a, b) for a, b in combinations(order, 2) if drawn[b] > drawn[a])
        for (a, b), times in flips.most_common(8):
            print(f"  {b} before {a} in {times / resamples:.1%} of {resamples} resamples of speakers")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
