"""`referee study import`: adds people's answers to a run; produced descriptions become a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.errors import InputError
from referee_lab.commands import options

app = options.make_app()

EPILOG = options.examples("""
  referee study import STUDY --out PEOPLE && referee report PEOPLE --style tuna2008 --out report

  referee study import STUDY --into RUN && referee court RUN           people beside simulated hearers, over the run that the study was made from

  referee study import STUDY --out CORPUS                              of a production study: a corpus, for --corpus CORPUS/trials.jsonl
""")


@app.command(name="import", epilog=EPILOG)
def import_study(
    study: options.StudyFolder,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A new run folder (or corpus folder).")] = None,
    into: Annotated[Path | None, typer.Option(help="An existing run over the same trials.")] = None,
    mode: options.OwnMode = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder named by --out.")] = False,
    database: options.Database = None,
) -> int:
    """Put a study's answers where score, listen, court and report find them."""
    from referee_lab.study.data.collection import collect_from
    from referee_lab.study.data.to_run import import_corpus, import_into, import_run
    from referee_lab.study.folder.study import open_study

    # One of them and not both.
    if (out is None) == (into is None):
        raise InputError(
            "neither or both of --out and --into are given", remedy="give either --out NEW-RUN or --into RUN"
        )
    collected = collect_from(open_study(study), database, mode)
    if collected.study.kind.info.plugin == "produce":
        if out is None:
            raise InputError(
                "collected descriptions cannot be added to a run, because they become a corpus of their own",
                remedy="write the corpus to a new folder: --out FOLDER",
            )
        n = import_corpus(collected, out, overwrite)
        print(f"{out}: {n} descriptions. Next: `referee score --corpus {out / 'trials.jsonl'} …`")
    elif out is not None:
        n = import_run(collected, out, overwrite, ["study", "import", str(study), "--out", str(out)])
        print(
            f"{out}: {n:,} answers. Next: `referee listen {out}`, `referee report {out} --style tuna2008 --out report`; "
            f"`referee score {out} --out SCORED && referee court SCORED` compares measures with people"
        )
    else:
        assert into is not None  # one of them was given
        n = import_into(collected, into)
        print(f"{into}: {n:,} answers added beside those of hearers. Next: `referee court {into}`")
    if collected.simulated:
        print(f"{collected.simulated} sessions are of simulated participants; their answers are signed as bots'")
    return 0
