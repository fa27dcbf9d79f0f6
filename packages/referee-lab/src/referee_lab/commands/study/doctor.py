"""`referee study doctor`: is everything in order with a study's store, disk, clock, keys, pages and proxy?"""

from __future__ import annotations

from typing import Annotated

import typer

from referee_lab.commands import options

app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee study doctor STUDY

  referee study doctor STUDY --public-url https://studies.example.org
""")
)
def doctor(
    study: options.StudyFolder,
    public_url: Annotated[
        str | None, typer.Option(help="The address people use: asks the running server through its proxy.")
    ] = None,
    database: options.Database = None,
) -> int:
    """Check everything that a study needs: one line per finding, with the remedy.

    Exit code 1 if there is a problem.
    """
    from referee_lab.server.store.health import examine_study

    findings = examine_study(study, database, public_url)
    for finding in findings:
        print(f"{'ok     ' if finding.well else 'WRONG  '} {finding.about}: {finding.message}")
        if not finding.well:
            print(f"         → {finding.remedy}")
    return 0 if all(f.well for f in findings) else 1
