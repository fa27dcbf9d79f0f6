"""`referee tangram goals`: own goal figures, checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee_lab.commands import options

app = options.make_app()
CHECK = "check"


@app.command(
    epilog=options.examples("""
  referee tangram goals check figures.json                        can each be solved? symmetric or not?

  referee tangram serve --goals figures.json                      play them; also `play` and `study --bots`
""")
)
def goals(
    what: Annotated[str, typer.Argument(help="check.", show_default=False)],
    file: Annotated[Path, typer.Argument(help="The file of figures (.json or .toml).", show_default=False)],
    pieces: Annotated[str, typer.Option(help="tangram, pentomino, or a file of custom pieces (.toml, .json).")] = "tangram",
) -> int:  # fmt: skip
    """Make and check custom figures: a figure can be solved if its pieces do not overlap and are connected."""
    from referee.catalogue import check_choice
    from referee_lab.tangram.game.own_goals import check_goals
    from referee_lab.tangram.game.own_pieces import find_set
    from referee_lab.tangram.game.piece_sets import find_pieces

    check_choice("what to do", what, (CHECK,))
    # Own pieces have to be known before figures of them are read.
    find_pieces(find_set(pieces))
    checked_goals = check_goals(file)
    for checked in checked_goals:
        if checked.goal is None:
            print(f"{checked.name}: {'; '.join(checked.problems)}")
        else:
            symmetry = "symmetric" if checked.goal.symmetric else "not symmetric"
            print(f"{checked.name}: can be solved, {symmetry}, {len(checked.goal.placements)} pieces")
    wrong = sum(checked.goal is None for checked in checked_goals)
    print(f"{len(checked_goals) - wrong} of {len(checked_goals)} figures can be played")
    return 2 if wrong else 0
