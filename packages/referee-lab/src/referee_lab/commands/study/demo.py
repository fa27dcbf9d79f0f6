"""`referee study demo`: a small synthetic study, ready to be served."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee_lab.commands import options

app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee study demo my-demo && referee study serve my-demo

  referee study demo my-demo --protocol open-choice --language pt
""")
)
def demo(
    out: Annotated[Path, typer.Argument(help="The study folder to make.", show_default=False)],
    protocol: options.Protocol = "tuna2008",
    items: Annotated[int, typer.Option(help="Number of items; three speakers describe each.", min=1)] = 12,
    participants: Annotated[int, typer.Option(help="Number of participants planned; a multiple of three.", min=1)] = 6,
    language: options.PageLanguage = "en",
    seed: options.SeedFromZero = 1,
) -> int:
    """Make a demonstration study: synthetic scenes, two toy speakers and a simulated person (its results say nothing
    about people).
    """
    from referee import catalogue
    from referee_lab.commands.study.new import make_id
    from referee_lab.study.folder.demo_study import make_demo

    # A wrong name is reported with suggestions before anything is written.
    catalogue.entry("protocol", protocol)
    study = make_demo(
        out, protocol, items=items, participants=participants, language=language, seed=seed, id=make_id(out)
    )
    lists = f"{len(study.lists)} list{'s' if len(study.lists) > 1 else ''}"
    print(f"Made {out} ({study.protocol}, {lists}). Next: `referee study check {out}`, `referee study serve {out}`")
    return 0
