"""Shared code of `serve` and `choose`: serves a ready-made study of rooms; an existing study is not changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.errors import InputError


def exists_already(data: Path) -> InputError:
    """Return the error for options with an existing folder, which would ignore them."""
    return InputError(
        "the study exists already and is served unchanged",
        where=data,
        remedy="leave the options out, name another folder with --data, or edit its study.toml",
    )


def tell_of_links(data: Path, settings: Mapping[str, Any]) -> None:
    if settings.get("pairing") == "invited":
        print(f"Links for people who are invited together: referee study links {data} --pairs FILE")


def serve_rooms(data: Path, *, port: int, host: str, public_url: str | None, qr: bool) -> None:
    """Serve the study."""
    from referee_lab.commands.study import serve

    serve.serve([data], port=port, host=host, database=None, public_url=public_url, accept_changes=False, qr=qr)
