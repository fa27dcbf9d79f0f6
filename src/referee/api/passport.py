"""`referee.passport`: may a simulated hearer stand in for people?"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.api import charts
from referee.api.frames import PASSPORT, frame_of
from referee.api.results import Result
from referee.catalogue import one_of
from referee.engines.choice import engine_apart
from referee.engines.pieces import SHARD
from referee.errors import CannotWrite, InputError
from referee.hearers.passports.examination import Examination
from referee.hearers.passports.hearer_cards import examine
from referee.hearers.passports.people import UNITS
from referee.hearers.passports.reading import READS

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Passport", "check_place", "passport"]

Begin = Callable[[int], Callable[[int], None]]


class Passport(Result):
    """The card of a hearer: what it gets right beside people, and the verdict.

    Args:
        card: all of it, as `referee passport --format json` prints it.

    >>> import referee
    >>> card = {"hearer": "mine", "corpus": "c", "n": 3, "verdict": "not fit", "signature": "mine", "accuracy": 0.5, "intervals": {}}
    >>> Passport(card)
    Passport of mine on c: not fit, n = 3
    """

    def __init__(self, card: dict[str, Any]) -> None:
        self.card = card
        bounds = card.get("intervals") or {}
        whose = {key: card[key] for key in ("hearer", "corpus", "verdict", "signature")}
        rows = [
            {**whose, "metric": name, "value": value, "n": card["n"], **_bounds(bounds.get(name))}
            for name, value in card.items()
            if isinstance(value, float)
        ]
        super().__init__(frame_of(rows, PASSPORT))

    def save(self, out: str | Path) -> Path:
        """The card as JSON, and where figures can be saved its picture beside it."""
        from referee.files import write_atomically
        from referee.reports.passport_card import save_card_pictures
        from referee.reports.report_figures import can_save

        check_place(Path(out))
        # Pictures first and the card last: where the card is, everything is there.
        if can_save():
            save_card_pictures(self.card, Path(out))
        write_atomically(Path(out), [json.dumps(self.card, ensure_ascii=False, indent=1)])
        return Path(out)

    def plot(self) -> alt.TopLevelMixin:
        """Calibration beside bars for what it gets right."""
        from referee.reports.passport_card import draw_card

        return charts.drawn(draw_card(self.card).spec)

    def _title(self) -> str:
        card = self.card
        return f"Passport of {card['hearer']} on {card['corpus']}: {card['verdict']}, n = {card['n']:,}"

    def _below(self) -> str:
        return "".join(f"<p>{escape(str(reason))}</p>" for reason in self.card.get("reasons", ()))


def _bounds(found: Any) -> dict[str, Any]:
    return dict(zip(("low", "high"), found, strict=True)) if found else {}


def check_place(out: Path) -> None:
    """What is wrong with where a card is to be written, said before an examination that may take hours."""
    if out.suffix != ".json":
        raise InputError(f"the card is JSON, not {out.suffix or 'nameless'}", where=out, remedy="name it CARD.json")
    if not out.parent.is_dir():
        raise CannotWrite("there is no such folder", where=out.parent, remedy="make it, or choose another place")


def passport(
    hearer: str,
    corpus: str | Path | None = None,
    *,
    data: str | Path | None = None,
    folds: int = 5,
    folds_by: str = "game",
    train: str | None = None,
    reads: str = "words",
    new: bool = True,
    limit: int | None = None,
    probes: int = 100,
    speaker: Sequence[str] = (),
    resamples: int = 500,
    calls: str | Path | None = None,
    seed: int = 1,
    jobs: int | None = None,
    engine: str = "local",
    shard: int = SHARD,
    address: str | None = None,
    spread: bool = False,
    out: str | Path | None = None,
    progress: Begin = lambda total: lambda n: None,
) -> Passport:
    """Hold a hearer against people who read the same descriptions, and say whether it may be used (`referee passport`).

    Args:
        hearer: a name of the catalogue, ``MODULE:CLASS``, ``FILE.py:CLASS`` or ``recorded:FILE.jsonl``, with switches where wanted.
        corpus: one with human responses, or a JSONL file of trials.
        data: a folder with trials and responses, a file of responses, or the folder of corpora.
        folds: a hearer that learns is tested on the fold it did not see.
        folds_by: what stays together in a fold: game, scene, speaker …
        train: learn from another corpus instead of the other folds.
        reads: words or properties.
        new: ask a hearer that learns about new scenes, objects and conditions, too.
        limit: about so many answers, whole games drawn by lot.
        probes: scenes for empty, contradictory and ambiguous descriptions.
        speaker: systems that the hearer is to judge: flagged if of its family.
        resamples: random orders for the chance level of ranking.
        calls: a folder where a remote hearer keeps its calls.
        seed: of all randomness.
        jobs: processes; one unless said otherwise, on Ray as many as there is room for; folds of a hearer that learns are trained beside each other.
        engine: where they are: local or ray.
        shard: questions a piece of work, in steps of 512; changes nothing but speed.
        address: a Ray cluster.
        spread: without `jobs`, use one process a core where the hearer learns from 100,000 trials and more in all, as the command does (a script that
            asks for processes has to begin under ``if __name__ == "__main__":``).
        out: CARD.json to write; the picture goes beside it.
        progress: is told how many answers there will be, and gives back what to call as they come.

    Returns:
        A `Passport`.

    Raises:
        InputError: where the corpus has no answers of people, or an option cannot be.

    >>> import referee
    >>> referee.passport("literal", "synthetic", folds_by="mood")
    Traceback (most recent call last):
    ...
    referee.errors.InputError: --folds-by cannot be 'mood'...
    """
    one_of("--folds-by", folds_by, UNITS)
    one_of("--reads", reads, READS)
    if out is not None:
        check_place(Path(out))
    examination = Examination(
        hearer=hearer,
        corpus=None if corpus is None else str(corpus),
        data=None if data is None else Path(data),
        folds=folds,
        by=folds_by,
        train=train,
        reads=reads,
        beside=new,
        limit=limit,
        probes=probes,
        resamples=resamples,
        seed=seed,
        families=tuple(speaker),
        calls=None if calls is None else Path(calls),
        engine=engine_apart(engine, jobs, address),
        shard=shard,
        spread=spread and jobs is None,
    )
    found = Passport(examine(examination, progress))
    if out is not None:
        found.save(out)
    return found
