"""`referee.passport`: may a simulated hearer replace people?"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.api import charts
from referee.api.options import PassportOptions
from referee.api.results import PASSPORT, Result, make_frame
from referee.engines.choice import make_process_engine
from referee.errors import CannotWrite, InputError
from referee.hearers.passports.examination import Examination
from referee.hearers.passports.hearer_cards import examine
from referee.options import accept_options

if TYPE_CHECKING:
    import altair as alt

Begin = Callable[[int], Callable[[int], None]]


class Passport(Result):
    """The card of a hearer: its agreement with people, and the verdict.

    Args:
        card: its content, as `referee passport --format json` prints it.

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
            {**whose, "metric": name, "value": value, "n": card["n"], **_format_bounds(bounds.get(name))}
            for name, value in card.items()
            if isinstance(value, float)
        ]
        super().__init__(make_frame(rows, PASSPORT))

    def save(self, out: str | Path) -> Path:
        """Write the passport as JSON to `out`, and its figures beside it if a figure can be drawn."""
        from referee.files import write_atomically
        from referee.show.reports.passport_card import save_card_pictures

        check_writable(Path(out))
        # Pictures first and the card last: where the card is, everything is there.
        save_card_pictures(self.card, Path(out))
        write_atomically(Path(out), [json.dumps(self.card, ensure_ascii=False, indent=1)])
        return Path(out)

    def plot(self) -> alt.TopLevelMixin:
        """Return the calibration curve beside bars of the measures."""
        from referee.show.reports.passport_card import draw_card

        return charts.draw_specification(draw_card(self.card).spec)

    def _get_title(self) -> str:
        card = self.card
        return f"Passport of {card['hearer']} on {card['corpus']}: {card['verdict']}, n = {card['n']:,}"

    def _list_notes(self) -> Sequence[str]:
        return [str(reason) for reason in self.card.get("reasons", ())]


def _format_bounds(interval: Any) -> dict[str, Any]:
    return dict(zip(("low", "high"), interval, strict=True)) if interval else {}


def check_writable(out: Path) -> None:
    """Raise an error now if the passport cannot be written to `out` after an examination of hours."""
    if out.suffix != ".json":
        raise InputError(f"the card is JSON, not {out.suffix or 'nameless'}", where=out, remedy="name it CARD.json")
    if not out.parent.is_dir():
        raise CannotWrite("there is no such folder", where=out.parent, remedy="make it, or choose another place")


@accept_options(PassportOptions)
def passport(options: PassportOptions) -> Passport:
    """Compare a hearer with people on the same descriptions, and return its passport (`referee passport`).

    Returns:
        A `Passport`.

    Raises:
        InputError: where the corpus has no answers of people, or an option cannot be.

    >>> import referee
    >>> referee.passport("literal", "synthetic", folds_by="mood")
    Traceback (most recent call last):
    ...
    referee.errors.InputError: folds_by cannot be 'mood'...
    """
    if options.out is not None:
        check_writable(Path(options.out))
    examination = Examination(
        hearer=options.hearer,
        corpus=None if options.corpus is None else str(options.corpus),
        data=None if options.data is None else Path(options.data),
        folds=options.folds,
        by=options.folds_by,
        train=options.train,
        reads=options.reads,
        beside=options.new,
        elsewhere=options.transfer,
        limit=options.limit,
        probes=options.probes,
        resamples=options.resamples,
        seed=options.seed,
        families=tuple(options.speaker),
        calls=None if options.calls is None else Path(options.calls),
        engine=make_process_engine(options.engine, options.jobs, options.address),
        shard=options.shard,
        spread=options.spread and options.jobs is None,
    )
    issued_passport = Passport(examine(examination, options.progress))
    if options.out is not None:
        issued_passport.save(options.out)
    return issued_passport
