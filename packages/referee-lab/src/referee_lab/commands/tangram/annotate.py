"""`referee tangram annotate`: mark expressions, referents and attributes over the replay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.options import command, option
from referee_lab.commands import options
from referee_lab.commands.tangram.recordings import SessionOptions

if TYPE_CHECKING:
    from referee_lab.tangram.desk.annotation_desk import Desk


app = options.make_app()
EPILOG = options.examples("""
  referee tangram annotate sessions/ --annotator ann

  referee tangram annotate sessions/ --annotator bob --port 8021 --no-proposals

  referee tangram annotate --corpus pento-cv --only r2-1 --out pento --annotator ann    its dialogues are put into pento/

Every mark is saved at once to SESSION.NAME.annotations.jsonl beside the recording; no annotator sees or overwrites the file of another.
""")


@dataclass
class AnnotateOptions(SessionOptions):
    """Options of `referee tangram annotate`."""

    annotator: str = option(..., "Your name: small letters, digits, hyphens.", show_default=False)
    port: int = option(8020, "Port to listen on (this machine only).", minimum=1, maximum=65535)
    proposals: bool = option(True, "Show proposed marks, to accept or correct.", "--proposals/--no-proposals")


@command(app, AnnotateOptions, EPILOG)
def annotate(chosen: AnnotateOptions) -> int:
    """A page over the replay: expressions by mouse or keys, referents by number, sixteen attributes by letter."""
    from referee_lab.server.web.built_pages import require_pages
    from referee_lab.tangram.desk.annotation_desk import Desk
    from referee_lab.tangram.tiers.annotations import check_name
    from referee_lab.tangram.tiers.piece_lexicon import make_lexicon_error

    require_pages("annotator")
    words, offer = chosen.read_words(), chosen.proposals
    desk = Desk.open_for_annotation(chosen.find_sessions(), check_name(chosen.annotator), offer=offer, words=words)
    without = sorted({sheet.dialogue.language for sheet in desk.sheets if not sheet.has_words}) if offer else []
    for language in without:
        print(f"no proposals: {make_lexicon_error(language)}")
    serve_desk(desk, chosen.port)
    return 0


def serve_desk(desk: Desk, port: int) -> None:
    """Serve the annotation page until Ctrl-C; only the link gives access."""
    import contextlib
    import secrets

    import uvicorn

    from referee_lab.commands.study.serve import _open_port
    from referee_lab.tangram.desk.annotation_desk import create_desk_app

    # New with every start: an old link opens nothing.
    token = secrets.token_urlsafe(16)
    # Only this machine: annotations are not a study, and no remote access is needed.
    listening = _open_port("127.0.0.1", port)
    print(f"{desk.annotator}: {len(desk.sheets)} recordings")
    print(f"  http://127.0.0.1:{port}/#{token}")
    print("Ctrl-C stops; every mark is saved when it is made.", flush=True)
    config = uvicorn.Config(create_desk_app(desk, token), access_log=False, log_config=None, server_header=False)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
