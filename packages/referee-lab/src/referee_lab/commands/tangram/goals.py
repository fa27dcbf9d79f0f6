"""`referee tangram goals`: own goal figures, drawn in a page and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli import options

__all__ = ["app"]

app = options.new_app()
CHECK, DRAW = "check", "draw"


@app.command(
    epilog=options.examples("""
  referee tangram goals draw figures.json                         lay figures in the browser; each is checked and kept

  referee tangram goals draw figures.json --pieces pentomino

  referee tangram goals draw figures.json --pieces arrows.toml    pieces of your own: polygons with names and colours

  referee tangram goals check figures.json                        can each be solved? symmetric or not?

  referee tangram serve --goals figures.json                      play them; also `play` and `study --bots`
""")
)
def goals(
    what: Annotated[str, typer.Argument(help="check or draw.", show_default=False)],
    file: Annotated[Path, typer.Argument(help="The file of figures (.json, or .toml to be checked).", show_default=False)],
    pieces: Annotated[str, typer.Option(help="Of draw: tangram, pentomino, or a file of own pieces (.toml, .json).")] = "tangram",
    port: options.LocalPort = 8030,
) -> int:  # fmt: skip
    """Figures of your own: a figure can be solved when its pieces do not lie over each other and are one figure."""
    from referee.catalogue import one_of
    from referee_lab.tangram.game.own_pieces import set_named
    from referee_lab.tangram.game.piece_sets import find_pieces

    one_of("what to do", what, (CHECK, DRAW))
    named = set_named(pieces)
    find_pieces(named)
    return _check(file) if what == CHECK else _draw(file, named, port)


def _check(file: Path) -> int:
    from referee_lab.tangram.game.own_goals import goals_in

    found = goals_in(file)
    for one in found:
        if one.goal is None:
            print(f"{one.name}: {'; '.join(one.problems)}")
        else:
            told = "symmetric" if one.goal.symmetric else "not symmetric"
            print(f"{one.name}: can be solved, {told}, {len(one.goal.placements)} pieces")
    wrong = sum(one.goal is None for one in found)
    print(f"{len(found) - wrong} of {len(found)} figures can be played")
    return 2 if wrong else 0


def _draw(file: Path, pieces: str, port: int) -> int:
    import contextlib
    import secrets

    import uvicorn

    from referee.errors import InputError
    from referee_lab.commands.study.serve import _listen
    from referee_lab.server.web.built_pages import require_pages
    from referee_lab.tangram.desk.figure_server import create_figures_app

    require_pages("figures")
    if file.suffix != ".json":
        raise InputError("figures are drawn into a file of JSON", where=file, remedy="name it with the ending .json")
    file.parent.mkdir(parents=True, exist_ok=True)
    token = secrets.token_urlsafe(16)
    listening = _listen("127.0.0.1", port)
    print(f"  http://127.0.0.1:{port}/#{token}")
    print(f"Ctrl-C stops; figures are kept in {file} as soon as they have a name.", flush=True)
    config = uvicorn.Config(
        create_figures_app(file, pieces, token), access_log=False, log_config=None, server_header=False
    )
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
    return 0
