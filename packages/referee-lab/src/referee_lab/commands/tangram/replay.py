"""`referee tangram replay`: watch a recorded session, frame by frame."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from referee.cli import options
from referee.errors import InputError
from referee_lab.commands.tangram.recordings import open_session

app = options.new_app()


@app.command(
    epilog=options.examples(f"""
  referee tangram replay session.jsonl                      writes session.html: open it in any browser

  referee tangram replay session.jsonl --out talk/game.html

  referee tangram replay session.jsonl --serve              shows it at a local address until Ctrl-C

  referee tangram replay --corpus {options.PENTO_CV} --only r2-1 --serve

  referee tangram replay --corpus {options.PENTO_CV} --out films      a page for every dialogue
""")
)
def replay(
    recording: Annotated[
        Path | None, typer.Argument(help="A recording, or a dialogue (.jsonl).", show_default=False)
    ] = None,
    corpus: options.DialogueCorpus = None,
    only: options.OnlyDialogues = None,
    data: options.Data = None,
    out: Annotated[
        Path | None, typer.Option(help="The page to write (default: beside the recording); of a corpus the folder.")
    ] = None,
    serve: Annotated[bool, typer.Option("--serve", help="Show the page at a local address instead.")] = False,
    port: Annotated[int, typer.Option(help="Port for --serve.", min=1, max=65535)] = 8010,
) -> int:
    """Write one page with the whole session: play, scrub, any speed, frame by frame, with all utterances.

    Sound files beside the recording are played. The page needs no network and changes nothing. In a corpus without
    positions the pieces lie in rows, and actions are drawn from the events.
    """
    from referee_lab.tangram.desk.replay_page import build_session_page

    if (recording is None) == (corpus is None):
        raise InputError(
            "no recording is named" if corpus is None else "a recording and a corpus are named",
            remedy=f"name a recording, or --corpus {' or '.join(options.DIALOGUE_CORPORA)}",
        )
    if corpus is not None:
        return _write_corpus_pages(corpus, data, only, out, port if serve else None)
    if only is not None:
        raise InputError("--only goes with --corpus", remedy="leave it out, or name a corpus")
    assert recording is not None
    page = build_session_page(open_session(recording))
    if serve:
        return _show(page, port)
    _write(out or recording.with_suffix(".html"), page)
    return 0


def _write_corpus_pages(corpus: str, data: Path | None, only: str | None, out: Path | None, port: int | None) -> int:
    """Write a page for every dialogue, or show the page of one."""
    from referee_lab.commands.tangram.sources import read_corpus_dialogues
    from referee_lab.tangram.desk.replay_page import build_session_page
    from referee_lab.tangram.game.dialogue_sessions import DialogueSession

    dialogues = read_corpus_dialogues(corpus, data, only)
    if port is not None:
        if len(dialogues) != 1:
            ids = ", ".join(d.id for d in dialogues)
            raise InputError("one dialogue can be shown at a time", remedy=f"--only with one of {ids}")
        return _show(build_session_page(DialogueSession(None, dialogues[0])), port)
    folder = out or Path(corpus)
    folder.mkdir(parents=True, exist_ok=True)
    for dialogue in dialogues:
        _write(folder / f"{dialogue.id}.html", build_session_page(DialogueSession(None, dialogue)))
    return 0


def _show(page: str, port: int) -> int:
    """Serve the page until Ctrl-C."""
    from referee.show.viewer.local_server import LocalServer, ServedPage

    content = ServedPage(page.encode(), "text/html")
    with LocalServer({"GET /": lambda asked: content}, port) as server, contextlib.suppress(KeyboardInterrupt):
        print(f"{server.address}   (Ctrl-C stops)", flush=True)
        server.serve_forever()
    return 0


def _write(target: Path, page: str) -> None:
    """Write the page and print its path."""
    from referee.files import write_atomically

    write_atomically(target, page.splitlines())
    print(f"open {target}")
