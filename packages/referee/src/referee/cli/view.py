"""`referee view`: a run in the browser, or a playground of scenes, speakers and hearers."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from referee.cli import options
from referee.show.viewer.local_server import Answering, LocalServer

app = options.make_app()

EPILOG = options.examples("""
  referee view                        a playground: change a scene, see speakers' descriptions and hearers' choices

  referee score --demo --out demo-run && referee view demo-run        the report over a run, every item of it

  referee run --corpus synthetic --systems classic --out RUN & referee view RUN      while it still grows

The page is at a local address that only this machine reaches; Ctrl-C stops.
""")


@app.command(epilog=EPILOG)
def view(
    run: Annotated[
        Path | None, typer.Argument(help="A run folder, finished or not; without one, a playground.")
    ] = None,
    data: options.Data = None,
    port: Annotated[
        int, typer.Option(help="The port to listen on; 0 takes any that is free.", min=0, max=65535)
    ] = 8020,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
) -> int:
    """Show a run, or the playground, in the browser.

    Nothing leaves this machine, and the run is not changed.
    """
    if run is None:
        _serve(_make_playground(data), port, browser)
        return 0
    from referee.show.viewer.run_view import RunView

    shown = RunView(run)
    try:
        _serve(shown.routes(), port, browser)
    finally:
        shown.close()
    return 0


def _serve(routes: dict[str, Answering], port: int, browser: bool) -> None:
    """Serve pages until Ctrl-C."""
    with LocalServer(routes, port) as server, contextlib.suppress(KeyboardInterrupt):
        print(f"{server.address}   (Ctrl-C stops)", flush=True)
        if browser:
            import webbrowser

            webbrowser.open(server.address)
        server.serve_forever()


def _make_playground(data: Path | None) -> dict[str, Answering]:
    """Return the routes of the playground."""
    from referee.cli.corpora import is_readable
    from referee.show.viewer.playground import Playground, play_routes

    return play_routes(Playground(data=data, has=lambda name: is_readable(name, data)))
