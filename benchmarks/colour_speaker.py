"""The speaker of colours judged by a listener of another family: ``python benchmarks/colour_speaker.py [--rounds 2000]``.

Needs the corpora colors and comm-eval (REFEREE_DATA). The speaker (`colour/rational`) reasons about a neural listener; the judge is the plain logit
(`colour`), which holds a passport. Each learns from two fifths of the games of Colors in Context, and no game is in both: a judge that learned from the
speaker's games would share its accidents. Judged: rounds of the last fifth, beside what people said there; and the 360 contexts of Newman, Cohn-Gordon &
Potts (2020), beside captions that people wrote there to be descriptive or ambiguous.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
from collections.abc import Iterable
from pathlib import Path
from random import Random
from statistics import mean

from learned import asked, colours, folds
from referee.hearers.colour import Colour
from referee.hearers.colour_speaker import ColourSpeaker
from referee.records import Description, Entity, Property, Scene, Trial

CLASSES = ("descriptive", "ambiguous")


def contexts() -> dict[str, tuple[Trial, list[dict[str, str]]]]:
    """The contexts of comm-eval, each with its captions."""
    path = Path(os.environ["REFEREE_DATA"]) / "comm-eval" / "clean_data.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found: dict[str, tuple[Trial, list[dict[str, str]]]] = {}
    for row in rows:
        if row["contextId"] not in found:
            patches = {
                row[f"{p}Status"]: tuple(row[f"{p}Col{axis}"] for axis in "HSL") for p in ("click", "alt1", "alt2")
            }
            entities = tuple(
                Entity(id=name, attributes=tuple(map(Property, "hsl", patch)))
                for name, patch in sorted(patches.items())
            )
            trial = Trial(
                id=row["contextId"], scene=Scene(entities=entities), targets=("target",), condition=row["condition"]
            )
            found[row["contextId"]] = trial, []
        found[row["contextId"]][1].append(row)
    return found


def heard(judge: Colour, said: Iterable[tuple[Trial, str]]) -> list[bool]:
    """Whether the judge finds the target by each text."""
    pairs = [(Description(text=text), trial.for_hearer(Random(f"1|{trial.id}"))) for trial, text in said]
    answers = judge.resolve_many(pairs)
    # A view for a hearer renames nothing: the target keeps its id.
    return [a.entity == trial.targets[0] for a, (trial, _) in zip(answers, said, strict=True)]


def main(number: int) -> None:
    parts = [test for _, test in folds(colours(), 5)]
    test = parts[1]
    judge = Colour().fit([t for part in (parts[0], parts[2]) for t, _ in part])
    speaker = ColourSpeaker().fit([t for part in parts[3:] for t, _ in part])
    rounds = Random(1).sample(test, min(number, len(test)))
    own = [(t, speaker.describe(t.for_speaker()).text or "") for t, _ in rounds]
    people = [a.entity == t.targets[0] for (t, _), a in zip(rounds, judge.resolve_many(asked(rounds)), strict=True)]
    print(f"Colors in Context, {len(rounds)} rounds of games nobody learned from: found by the judge; words")
    print(
        f"  people         {mean(people):.3f}  {mean(len((t.references[0].text or '').split()) for t, _ in rounds):.2f}"
    )
    print(f"  colour/rational {mean(heard(judge, own)):.3f}  {mean(len(text.split()) for _, text in own):.2f}")
    print(f"  (people found what people said in {mean(r.entity == t.targets[0] for t, r in rounds):.3f})")
    print("comm-eval, 360 contexts: found by people, found by the judge; words; captions")
    found = contexts()
    for quality in CLASSES:
        rows = [(trial, row) for trial, rows in found.values() for row in rows if row["quality"] == quality]
        by_people = mean(row["clickStatus"] == "target" for _, row in rows)
        by_judge = mean(heard(judge, [(trial, row["contents"]) for trial, row in rows]))
        words = mean(len(row["contents"].split()) for _, row in rows)
        print(f"  {quality:15} {by_people:.3f}  {by_judge:.3f}  {words:.2f}  {len(rows)}")
    said = [(trial, speaker.describe(trial.for_speaker()).text or "") for trial, _ in found.values()]
    print(
        f"  colour/rational  –     {mean(heard(judge, said)):.3f}  {mean(len(x.split()) for _, x in said):.2f}  {len(said)}"
    )
    texts = {trial.id: text for trial, text in said}
    rows = [row for trial, rows in found.values() for row in rows if row["contents"].lower().strip() == texts[trial.id]]
    clicked, named = mean(row["clickStatus"] == "target" for row in rows), len({row["contextId"] for row in rows})
    print(
        f"  where people wrote the very words of colour/rational ({named} contexts), people found: {clicked:.3f}  of {len(rows)} captions"
    )
    there = {row["contextId"] for row in rows}
    usual = [row for i in there for row in found[i][1] if row["quality"] == "descriptive"]
    print(
        f"  descriptive captions of these contexts, people found: {mean(row['clickStatus'] == 'target' for row in usual):.3f}"
    )
    for quality in CLASSES:
        same = [
            any(row["quality"] == quality and row["contents"].lower().strip() == text for row in found[trial.id][1])
            for trial, text in said
        ]
        print(f"  its words are among the {quality} captions of the context: {mean(same):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2000)
    main(parser.parse_args().rounds)
