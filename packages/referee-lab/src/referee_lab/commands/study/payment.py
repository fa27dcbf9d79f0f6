"""`referee study payment`: rewards and bonuses in the formats of recruiting platforms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli import options

__all__ = ["app"]

app = options.new_app()


@app.command(
    epilog=options.examples("""
  referee study payment STUDY --out owed.csv

  referee study payment STUDY --form prolific --out approve.csv && referee study payment STUDY --form prolific-bonus --out bonus.csv
""")
)
def payment(
    study: options.StudyFolder,
    form: Annotated[
        str, typer.Option(help="csv; prolific (ids to approve), prolific-bonus (id,amount), mturk (batch results).")
    ] = "csv",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="The file to write (only its owner may read it).", show_default="STUDY-payment-FORM.csv"
        ),
    ] = None,
    mode: options.OwnMode = None,
    database: options.Database = None,
) -> int:
    """Write the reward and bonus of each participant (study.toml: recruitment.reward, bonus_each, partial_share). The
    file has platform ids: delete it after payment.
    """
    from referee.files import FOR_OWNER, write_atomically
    from referee_lab.study.data.collection import collect, reading
    from referee_lab.study.data.payment import owed, payment_file
    from referee_lab.study.folder.study import open_study

    opened = open_study(study)
    target = out or study.resolve().with_name(f"{study.resolve().name}-payment-{form}.csv")
    with reading(opened, database) as connection:
        people = owed(opened, connection, mode)
    text = payment_file(opened, people, form)
    write_atomically(target, text.splitlines(), mode=FOR_OWNER)
    total = sum((p.reward + p.bonus for p in people), start=0)
    with reading(opened, database) as connection:
        bots = sum(sitting.simulated is not None for sitting in collect(opened, connection, mode).sittings)
    if bots:
        print(f"{bots} simulated participants are owed nothing")
    print(
        f"{target}: {len(text.splitlines())} lines; {len(people)} ended sessions, {total} {opened.recruitment.currency} in all"
    )
    return 0
