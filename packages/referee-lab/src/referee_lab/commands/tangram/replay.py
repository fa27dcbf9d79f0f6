"""`referee tangram replay`: watch a recorded session, frame by frame."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from referee.errors import InputError
from referee.options import command, option
from referee_lab.commands import options
from referee_lab.commands.tangram.recordings import CorpusOptions, open_session
from referee_lab.commands.tangram.sources import TIERS

app = options.make_app()
EPILOG = options.examples(f"""
  referee tangram replay session.jsonl                      writes session.html: open it in any browser

  referee tangram replay session.jsonl --out talk/game.html

  referee tangram replay session.jsonl --serve              shows it at a local address until Ctrl-C

  referee tangram replay --corpus {options.PENTO_CV} --only r2-1 --serve

  referee tangram replay --corpus {options.PENTO_CV} --out films      a page for every dialogue
""")


@dataclass
class ReplayOptions(CorpusOptions):
    """Options of `referee tangram replay`."""

    recording: Path | None = option(
        None, "A recording, or dialogues (.jsonl, .json, .eaf, .TextGrid, .csv, a folder).", is_argument=True
    )
    tiers: Path | None = option(None, TIERS)
    out: Path | None = option(
        None, "The page to write (default: beside the recording); of several dialogues the folder."
    )
    serve: bool = option(False, "Show the page at a local address instead.")
    port: int = option(8010, "Port for --serve.", minimum=1, maximum=65535)


@command(app, ReplayOptions, EPILOG)
def replay(chosen: ReplayOptions) -> int:
    """Write one page with the whole session: play, scrub, any speed, frame by frame, with all utterances.

    Sound files beside the recording are played. The page needs no network and changes nothing. In a corpus without
    positions the pieces lie in rows, and actions are drawn from the events.
    """
    from referee_lab.commands.tangram.sources import open_sessions, read_corpus_dialogues
    from referee_lab.tangram.desk.replay_page import build_session_page
    from referee_lab.tangram.game.dialogue_sessions import DialogueSession

    recording, corpus = chosen.recording, chosen.corpus
    if (recording is None) == (corpus is None):
        raise InputError(
            "no recording is named" if corpus is None else "a recording and a corpus are named",
            remedy=f"name a recording, or --corpus {' or '.join(options.DIALOGUE_CORPORA)}",
        )
    if chosen.only is not None and corpus is None:
        raise InputError("--only needs --corpus", remedy="leave it out, or name a corpus")
    if corpus is not None:
        dialogues = read_corpus_dialogues(corpus, chosen.data, chosen.only)
        sessions = [DialogueSession(None, dialogue) for dialogue in dialogues]
    elif recording is not None and recording.suffix == ".jsonl":
        sessions = [open_session(recording)]
    else:
        sessions = [session for _, session in open_sessions([recording] if recording else [], chosen.tiers)]
    if chosen.serve:
        if len(sessions) != 1:
            ids = ", ".join(s.dialogue.id for s in sessions[:5])
            raise InputError(
                f"one dialogue can be shown at a time, and there are {len(sessions)}",
                remedy=f"--corpus NAME --only ID (such as {ids}), or --out FOLDER",
            )
        return _serve_page(build_session_page(sessions[0]), chosen.port)
    if recording is not None and len(sessions) == 1:
        _write_page(chosen.out or recording.with_suffix(".html"), build_session_page(sessions[0]))
        return 0
    folder = chosen.out or Path(corpus or f"{recording}-replays")
    folder.mkdir(parents=True, exist_ok=True)
    for session in sessions:
        _write_page(folder / f"{session.dialogue.id}.html", build_session_page(session))
    return 0


def _serve_page(page: str, port: int) -> int:
    """Serve the page until Ctrl-C."""
    from referee.show.viewer.local_server import LocalServer, ServedPage

    content = ServedPage(page.encode(), "text/html")
    with LocalServer({"GET /": lambda asked: content}, port) as server, contextlib.suppress(KeyboardInterrupt):
        print(f"{server.address}   (Ctrl-C stops)", flush=True)
        server.serve_forever()
    return 0


def _write_page(target: Path, page: str) -> None:
    """Write the page and print its path."""
    from referee.files import write_atomically

    write_atomically(target, page.splitlines())
    print(f"open {target}")
