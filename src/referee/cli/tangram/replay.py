"""`referee tangram replay`: watch a recorded session, frame by frame."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from referee.cli import options
from referee.cli.tangram.recordings import open_recording

__all__ = ["app"]

app = options.new_app()


@app.command(
    epilog=options.examples("""
  referee tangram replay session.jsonl                      writes session.html: open it in any browser

  referee tangram replay session.jsonl --out talk/game.html

  referee tangram replay session.jsonl --serve              shows it at a local address until Ctrl-C
""")
)
def replay(
    recording: options.Recording,
    out: Annotated[Path | None, typer.Option(help="The page to write (default: beside the recording).")] = None,
    serve: Annotated[bool, typer.Option("--serve", help="Show the page at a local address instead.")] = False,
    port: Annotated[int, typer.Option(help="Port for --serve.", min=1, max=65535)] = 8010,
) -> int:
    """One page that holds the whole session: play, scrub, any speed, frame by frame, with what was said.

    Voices that lie beside the recording are heard. The page needs no network and changes nothing.
    """
    from referee.files import write_atomically
    from referee.studies.dialogue.replay_page import replay_page

    page = replay_page(open_recording(recording), sounds=recording.parent)
    if serve:
        from referee.studies.web.local_page import page_server

        with page_server(page, port) as server, contextlib.suppress(KeyboardInterrupt):
            print(f"http://127.0.0.1:{port}/   (Ctrl-C stops)", flush=True)
            server.serve_forever()
        return 0
    target = out or recording.with_suffix(".html")
    write_atomically(target, page.splitlines())
    print(f"open {target}")
    return 0
