"""`referee tangram reduction`: repeated games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from referee_lab.commands import options
from referee_lab.commands.tangram.sources import align_columns, format_interval, format_number, print_results

if TYPE_CHECKING:
    from referee_lab.tangram.models.reduction import Level, Reduction


app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee tangram reduction --corpus tangrams-hawkins

  referee tangram reduction --corpus kth-tangrams --format json

  referee tangram reduction --corpus cabb-dutch          any corpus of dialogues

  referee tangram reduction --corpus GAMES               own games (`referee tangram export STUDY --all --as games --out GAMES`)
""")
)
def reduction(
    corpus: Annotated[str, typer.Option(help="A corpus of games or dialogues, or a folder or file of them.")],
    data: options.Data = None,
    seed: options.Seed = 1,
    form: options.TextOrJson = "text",
) -> int:
    """Words per description over repetitions, a pair's likeness to itself and to pseudo-dyads, overhearers beside addressees."""
    options.check_form(form)
    from referee_lab.commands.tangram.sources import DialogueSource, open_source
    from referee_lab.tangram.models.reduction import CORPORA, reduce_dialogues, reduce_games

    is_shipped = corpus in CORPORA
    reduced = (
        reduce_games(corpus, data, seed)
        if is_shipped
        else reduce_dialogues(*open_source(corpus, DialogueSource(data=data)), seed)
    )
    return print_results(form, asdict(reduced), lambda: _format_lines(reduced))


def _format_lines(r: Reduction) -> list[str]:
    """Return the reduction as lines of text."""
    from referee.statistics.dependent_trials import TESTABLE
    from referee_lab.tangram.models.reduction import LEAST

    pair_levels, pseudo = ({level.repetition: level for level in levels} for levels in (r.own, r.pseudo))
    rows: list[tuple[str, ...]] = [
        ("repetition", "n", "words", "interval", "like itself", "interval", "like pseudo-dyads", "interval")
    ]
    for level in r.words:
        within_pair, theirs = pair_levels.get(level.repetition), pseudo.get(level.repetition)
        cells = (*_format_level(level, 1), *_format_level(within_pair, 3), *_format_level(theirs, 3))
        rows.append((str(level.repetition), str(level.n), *cells))
    if not r.words:
        rows = [(f"no repetition has {LEAST} descriptions",)]
    s, d = r.slope, r.specificity
    unit = "games" if r.pairs == r.games else "pairs"
    of_pairs = "" if unit == "games" else f" of {r.pairs} pairs"
    lines = [f"{r.corpus}: {r.games} games{of_pairs}", "", *align_columns(rows), ""]
    lines += [
        f"  log words on log repetition: slope {s.estimate:.3f} {format_interval(s.low, s.high)}, {s.n} descriptions, clustered by {s.clusters} {unit}"
        if s is not None
        else f"  log words on log repetition: no slope, for there are fewer than three {unit}, or their words do not change",
        f"  own pair minus pseudo-dyads (Dice of describing words with the repetition before; pseudo-dyads: {r.same} in other {unit}):",
        f"  {format_number(d.difference)} {format_interval(d.low, d.high)}, t({d.df:.0f}) = {format_number(d.t, 2)}"
        if d.t is not None
        else f"  {format_number(d.difference)} {format_interval(d.low, d.high)}",
    ]
    if r.pairs < TESTABLE:
        lines.append(
            f"  {r.pairs} {unit}: fewer than {TESTABLE} are too few for tests; intervals of repetitions are too narrow"
        )
    if r.heard:
        heard = [("who", "source", "block", "found", "interval", "n")]
        heard += [
            (h.who, h.source, h.block, format_number(h.accuracy), format_interval(h.low, h.high), str(h.n))
            for h in r.heard
        ]
        lines += [
            "",
            *align_columns(heard),
            "  addressees and overhearers come from different games: the gap is between corpora",
        ]
    return lines


def _format_level(level: Level | None, digits: int) -> Sequence[str]:
    """Return a mean and its interval as two cells."""
    if level is None:
        return "–", "–"
    return format_number(level.mean, digits), format_interval(level.low, level.high, digits)
