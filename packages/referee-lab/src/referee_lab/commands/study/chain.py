"""`referee study chain`: the descriptions of one study become the items of the next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee import catalogue
from referee.catalogue import check_choice
from referee.cli.progress import show_clock
from referee_lab.commands import options
from referee_lab.commands.study.new import make_id

app = options.make_app()

EPILOG = options.examples("""
  referee study chain SPOKEN --to asgre2007 --out HEARD            every listener hears all speakers in turn
  referee study chain SPOKEN --to asgre2007 --yoked --out HEARD    every listener has a speaker of their own

Descriptions are cleaned by a rule that is written into HEARD/chain.json with everything that it left out. Those of people who withdrew are left out, and the
new study is no longer served when one of its speakers withdraws.
""")


@app.command(epilog=EPILOG)
def chain(
    study: options.StudyFolder,
    to: Annotated[str, typer.Option("--to", help="Protocol of the new study.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="The study folder to make.", show_default=False)],
    yoked: Annotated[bool, typer.Option("--yoked", help="Let each listener hear one speaker only.")] = False,
    participants: Annotated[int, typer.Option(help="Number of listeners.", show_default="one a speaker", min=0)] = 0,
    title: Annotated[
        str, typer.Option(help="Title that participants see at the top of each page.", show_default="from the folder")
    ] = "",
    contact: Annotated[
        str, typer.Option(help="Name and address of the person who answers questions.", show_default=False)
    ] = "",
    mode: options.OwnMode = None,
    seed: options.SeedFromZero = 1,
    database: options.Database = None,
) -> int:
    """Make a study of the descriptions that people gave in another one."""
    from referee_lab.study.design.chain import make_chained_study
    from referee_lab.study.design.wishes import Wishes
    from referee_lab.study.folder.study import open_study

    catalogue.entry("protocol", to)
    if mode is not None:
        check_choice("--mode", mode, ("debug", "pilot", "live"))
    wishes = Wishes(
        protocol=to, design="given", participants=participants, id=make_id(out), title=title, contact=contact, seed=seed
    )
    with show_clock("descriptions, lists and pages"):
        made = make_chained_study(open_study(study), out, wishes, yoked=yoked, mode=mode, database=database)
    print((out / "design.txt").read_text(encoding="utf-8"))
    print(f"\nMade {out} (hash {made.hash[:12]}). Next: edit study.toml and texts/, then `referee study check {out}`")
    return 0
