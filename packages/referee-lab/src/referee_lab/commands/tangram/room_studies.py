"""Shared code of `serve` and `choose`: serves a ready-made study of rooms; an existing study is not changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.errors import InputError
from referee.options import option


@dataclass
class RoomStudyOptions:
    """The options of a ready-made study of rooms, and of its server."""

    data: Path = option(Path("study"), "The study folder; made if there is none.")
    invited: bool = option(False, "Only people with links of one pair meet: `referee study links STUDY --pairs`.")
    participants: int = option(24, "Number of participants planned.", minimum=1)
    mode: str = option("debug", "Mode of the study: debug, pilot or live.")
    language: str = option("en", "Language of the pages: de, en, es, ja, nl, pt or zh.")
    port: int = option(8000, "Port to listen on.", minimum=1, maximum=65535)
    host: str = option("127.0.0.1", "Address to listen on; 0.0.0.0 for every network this machine is in.")
    public_url: str | None = option(None, "Public address of the study, if the server runs behind a proxy.")
    qr: bool = option(True, "Show the participants' link as a QR code.", "--qr/--no-qr")

    def exists(self) -> bool:
        """Return whether the study folder exists, which is then served unchanged."""
        return (self.data / "study.toml").exists()

    def make_options_error(self) -> InputError:
        """Return the error for options with an existing folder, which would ignore them."""
        return InputError(
            "the study exists already and is served unchanged",
            where=self.data,
            remedy="leave the options out, name another folder with --data, or edit its study.toml",
        )

    def describe_study(self) -> dict[str, Any]:
        """Return the fields of the study that are the same for every kind of room."""
        from referee_lab.commands.study.new import make_id

        about = {name: getattr(self, name) for name in ("participants", "language", "mode")}
        return {"id": make_id(self.data), **about}

    def serve(self) -> None:
        """Serve the study until Ctrl-C."""
        from referee_lab.commands.study import serve

        about = (self.port, self.host, None, self.public_url)
        serve.serve([self.data], *about, accept_changes=False, qr=self.qr)

    def print_invitation_hint(self) -> None:
        if self.invited:
            print(f"Links for people who are invited together: referee study links {self.data} --pairs FILE")
