"""`referee study links`: signed links for a laboratory or a class, one for each person."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli import options
from referee.errors import InputError

__all__ = ["app"]

app = options.new_app()


@app.command(
    epilog=options.examples("""
  referee study links STUDY --count 20 --public-url https://studies.example.org

  referee study links STUDY --labels class.txt --out links.csv
""")
)
def links(
    study: options.StudyFolder,
    count: Annotated[int, typer.Option(help="So many links, P001 and on.", min=1)] = 10,
    labels: Annotated[Path | None, typer.Option(help="A file with one label a line instead.")] = None,
    public_url: options.PublicUrl = "http://127.0.0.1:8000",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file (CSV) instead of the terminal.")] = None,
) -> int:
    """Make links that nobody can invent: each has a label, signed with the study's key ([recruitment] platform = "link")."""
    from referee.files import FOR_OWNER, write_atomically
    from referee.studies.folder.study import open_study
    from referee.studies.sessions.lab_links import link_query, new_labels
    from referee.studies.store.keys import load_keys

    opened = open_study(study)
    if opened.recruitment.platform != "link":
        raise InputError(
            "this study does not recruit by links",
            where=study / "study.toml",
            remedy='set [recruitment] platform = "link"',
        )
    given = labels.read_text("utf-8").splitlines() if labels else []
    keys = load_keys(opened.folder / "data" / "keys.toml")
    base = f"{public_url.rstrip('/')}/s/{opened.id}/"
    rows = [
        f"{label},{base}?{link_query(keys, opened.id, label)}"
        for label in new_labels(count, [g for g in given if g.strip()])
    ]
    if out is None:
        print("\n".join(row.partition(",")[2] for row in rows))
    else:
        write_atomically(out, ["label,link", *rows], mode=FOR_OWNER)
        print(f"{out}: {len(rows)} links; whoever has one takes part under its label")
    return 0
