"""`referee study serve`: one process, one port; links and a QR code on the terminal, no addresses in any log."""

from __future__ import annotations

import contextlib
import gc
import logging
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import make_app
from referee.errors import InputError
from referee_lab.commands import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee_lab.server.sessions.served_study import Served

app = make_app()
# See `_run_server`.
SWITCH_SECONDS = 0.0005
MOST_CONNECTIONS = 10_000


@app.command(
    epilog=options.examples("""
  referee study serve STUDY                                             on this machine

  referee study serve STUDY --public-url https://studies.example.org    behind a proxy
""")
)
def serve(
    studies: Annotated[list[Path], typer.Argument(help="Study folders.", metavar="STUDY…")],
    port: options.Port = 8000,
    host: options.Host = "127.0.0.1",
    database: Annotated[str | None, typer.Option(help="postgresql://… instead of data/study.sqlite.")] = None,
    public_url: Annotated[
        str | None, typer.Option(help="The address people use, behind a proxy: https://studies.example.org")
    ] = None,
    trusted_proxy: Annotated[
        str,
        typer.Option(help="Addresses of trusted proxies (comma-separated), which forward client addresses; * for all."),
    ] = "127.0.0.1",
    accept_changes: Annotated[
        bool, typer.Option(help="Continue although the study was changed after people took part.")
    ] = False,
    qr: options.QrCode = True,
) -> None:
    """Serve studies until Ctrl-C.

    Example:  referee study serve mystudy --port 8000

    Prints the participants' link with a QR code, and the organisers' links (keep those to yourself). Behind a reverse
    proxy add --public-url. `referee docs serving` describes all steps to a hosted study.
    """
    from referee_lab.server.web.built_pages import require_pages

    require_pages("participant", "organiser")
    # First of all: opening a study migrates its store and takes its lock.
    listening = _open_port(host, port)
    try:
        opened = _open_studies(studies, database, accept_changes)
    except BaseException:
        listening.close()
        raise
    for served in opened:
        print(format_links(served, public_url or _find_local_address(host, port), qr=qr, terminal=sys.stdout.isatty()))
    # Flushed, so that readers of a pipe have the links before the server blocks.
    print("Ctrl-C stops the server; everything answered so far is stored.", flush=True)
    _run_server(opened, listening, trusted_proxy)
    print("stopped; all answers are stored")


def _open_port(host: str, port: int) -> socket.socket:
    """Open the port before anything else, so that a second server on it changes nothing."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    # A server that is started again at once must not wait for the old connections to be forgotten.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        reason = error.strerror or str(error)
        raise InputError(
            f"cannot listen on {host} port {port}: {reason.lower()}",
            remedy=f"stop the program that uses it, or take another port: --port {port + 1 if port < 65535 else 8000}",
        ) from None
    return listening


def _open_studies(folders: Sequence[Path], database: str | None, accept_changes: bool) -> list[Served]:
    """Open the studies to serve. Raises InputError for missing files or withdrawn speakers."""
    from referee_lab.server.sessions.served_study import open_served
    from referee_lab.study.design.chain import find_withdrawn_speakers
    from referee_lab.study.folder.media import find_missing_media
    from referee_lab.study.folder.photographs import find_missing_pictures

    opened: list[Served] = []
    try:
        for folder in folders:
            opened.append(open_served(folder, database=database, accept_changes=accept_changes))
            if missing := find_missing_media(opened[-1].study):
                raise InputError(
                    f"{len(missing)} sounds or films are missing, first media/{missing[0]}: participants could not continue",
                    where=folder,
                    remedy="put them there; `referee study check` decodes all of them",
                )
            if absent := find_missing_pictures(opened[-1].study):
                raise InputError(
                    f"{len(absent)} pictures are not in the folder photographs, first {absent[0]}: trials would show empty fields",
                    where=folder,
                    remedy="make the study again with --pictures FOLDER, or copy the pictures (`referee study check` lists them)",
                )
            if gone := find_withdrawn_speakers(opened[-1].study, database):
                raise InputError(
                    f"{len(gone)} people whose descriptions are shown have withdrawn",
                    where=folder,
                    remedy="make the study again without them: `referee study chain`",
                )
            # Addresses go by id.
            if [s.id for s in opened].count(opened[-1].id) > 1:
                raise InputError(
                    f"two studies have the id {opened[-1].id!r}", where=folder, remedy="change one of them"
                )
    except BaseException:
        for served in opened:
            served.store.close()
        raise
    return opened


def format_links(served: Served, base: str, *, qr: bool, terminal: bool) -> str:
    """Return the links of a study as text.

    When the output is no terminal, the organisers' links go into a private file.
    """
    if terminal:
        return format_announcement(served, base, qr=qr)
    from referee.files import FOR_OWNER, write_atomically

    path = served.study.folder / "data" / "links.txt"
    write_atomically(
        path, [f"{right}  {link}" for right, link in make_organiser_links(served, base).items()], FOR_OWNER
    )
    where = f"  organisers    links are in {path}, and in `referee study keys {served.study.folder}`"
    return "\n".join([format_announcement(served, base, qr=qr, private=False), where])


def format_announcement(served: Served, base: str, *, qr: bool = False, private: bool = True) -> str:
    """Return the links of a study as they are printed."""
    from referee_lab.server.web.routes_participant import make_debug_key

    link = make_participant_link(served, base)
    lines = [f"{served.study.title} ({served.id}, {served.study.mode} mode)", f"  participants  {link}"]
    if qr:
        # Without the platform's placeholders, which only the platform can fill in.
        lines.append(_draw_qr_code(link.split("?")[0]))
    if not private:
        return "\n".join(lines)
    lines += [f"  {right:<12}  {address}" for right, address in make_organiser_links(served, base).items()]
    if served.study.mode != "debug":
        lines.append(f"  trying out    {base.rstrip('/')}/s/{served.id}/?mode=debug&debug_key={make_debug_key(served)}")
    return "\n".join(lines)


def make_participant_link(served: Served, base: str) -> str:
    """Return the link for participants, with the platform's placeholders."""
    link = f"{base.rstrip('/')}/s/{served.id}/"
    if served.study.recruitment.platform == "prolific":
        parts = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
        return link + "?" + "&".join(f"{part}={{{{%{part}%}}}}" for part in parts)
    return f"{link}?survey_code=%SURVEY_CODE%" if served.study.recruitment.platform == "sona" else link


def make_organiser_links(served: Served, base: str) -> dict[str, str]:
    """Return the organisers' links.

    The token is after the #, which browsers do not send, so no log has it.
    """
    page = f"{base.rstrip('/')}/s/{served.id}/organiser"
    return {"looking": f"{page}#{served.keys.view}", "managing": f"{page}#{served.keys.manage}"}


def _find_local_address(host: str, port: int) -> str:
    """Return the address of this server in the local network."""
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _draw_qr_code(link: str) -> str:
    """Return a link as a QR code for the terminal."""
    import io

    import segno

    drawn = io.StringIO()
    # The least error correction makes the smallest code, and a screen has no scratches.
    segno.make(link, error="l").terminal(drawn, compact=True, border=2)
    return drawn.getvalue().rstrip("\n")


def _run_server(opened: Sequence[Served], listening: socket.socket, trusted_proxy: str) -> None:
    """Run the web server until Ctrl-C."""
    import uvicorn

    from referee_lab.server.web.guarded_http import GuardedHttp
    from referee_lab.server.web.server import create_app

    # The writer hands over at every statement; with the usual 5 ms it would wait so long each time while the loop is busy.
    sys.setswitchinterval(SWITCH_SECONDS)
    # A full search for garbage through a thousand plans takes half a second, and plans are none: they go when they are let go.
    gc.set_threshold(20_000, 50, 1_000)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    config = uvicorn.Config(
        create_app(opened),
        http=GuardedHttp,
        # Logs of requests hold addresses of people.
        access_log=False,
        log_config=None,
        server_header=False,
        forwarded_allow_ips=trusted_proxy,
        # Far above a machine's capacity: a flood of connections must not take all of its memory.
        limit_concurrency=MOST_CONNECTIONS,
        # Open web sockets would keep a server that is stopped alive for ever.
        timeout_graceful_shutdown=10,
        timeout_keep_alive=75,  # people answer every few seconds: one connection each, kept
        ws_max_size=256 * 1024,
        ws_per_message_deflate=False,  # rooms send many small messages: packing them costs more than it saves
    )
    with contextlib.suppress(KeyboardInterrupt):  # the server has stopped in order by then, and hands the signal on
        uvicorn.Server(config).run(sockets=[listening])
