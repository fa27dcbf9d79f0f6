"""`referee study links`: signed links for a laboratory or a class, one for each person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.errors import InputError
from referee_lab.commands import options

if TYPE_CHECKING:
    from referee_lab.study.folder.study import Study

app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee study links STUDY --count 20 --public-url https://studies.example.org

  referee study links STUDY --labels class.txt --out links.csv

  referee study links STUDY --pairs pairs.txt             who plays with whom: a line for each pair, names with commas

  referee study links STUDY --pairs 8                     eight pairs without names
""")
)
def links(
    study: options.StudyFolder,
    count: Annotated[int, typer.Option(help="Number of links, labelled P001, P002 …", min=1)] = 10,
    labels: Annotated[Path | None, typer.Option(help="File with one label per line, instead of a number.")] = None,
    pairs: Annotated[
        str | None, typer.Option(help="Number of invited pairs or groups, or a file with one line for each.")
    ] = None,
    public_url: options.PublicUrl = "http://127.0.0.1:8000",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file (CSV) instead of the terminal.")] = None,
) -> int:
    """Make links that cannot be guessed: each has a label, signed with the study's key (recruitment.platform = "link"
    in study.toml).
    """
    from referee.files import FOR_OWNER, write_atomically
    from referee_lab.server.sessions.lab_links import link_query, make_labels
    from referee_lab.server.store.keys import load_keys
    from referee_lab.study.folder.study import open_study

    opened = open_study(study)
    if opened.recruitment.platform != "link":
        raise InputError(
            "this study does not recruit by links",
            where=study / "study.toml",
            remedy='set [recruitment] platform = "link"',
        )
    invited = labels.read_text("utf-8").splitlines() if labels else []
    if pairs is not None:
        invited = _list_group_labels(opened, pairs)
    keys = load_keys(opened.folder / "data" / "keys.toml")
    base = f"{public_url.rstrip('/')}/s/{opened.id}/"
    rows = [
        f"{label},{base}?{link_query(keys, opened.id, label)}"
        for label in make_labels(count, [g for g in invited if g.strip()])
    ]
    if out is None:
        print("\n".join(row.partition(",")[2] for row in rows))
    else:
        write_atomically(out, ["label,link", *rows], mode=FOR_OWNER)
        print(f"{out}: {len(rows)} links; each participant is identified by the label of their link")
    return 0


def _list_group_labels(study: Study, pairs: str) -> list[str]:
    """Return the labels of people who only meet each other: the pair's number, a slash, and the name."""
    from referee_lab.server.sessions.lab_links import make_pair_labels

    if study.settings.get("pairing") != "invited":
        raise InputError(
            "people are not invited in pairs in this study",
            where=study.folder / "study.toml",
            remedy='set [protocol] pairing = "invited"',
        )
    # Programs have places of a group, and need no link.
    people = study.settings["group"] - study.settings.get("bots", 0)
    if pairs.isdigit():
        return make_pair_labels(int(pairs), people)
    try:
        lines = Path(pairs).read_text("utf-8").splitlines()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=pairs, remedy="give a number, or a file") from None
    return make_pair_labels([line for line in lines if line.strip()], people)
