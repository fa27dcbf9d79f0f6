"""`referee study payment`: rewards and bonuses in the formats of recruiting platforms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.errors import InputError
from referee_lab.commands import options

if TYPE_CHECKING:
    from referee_lab.study.data.payment import Owed
    from referee_lab.study.folder.study import Study

app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee study payment STUDY --out owed.csv

  referee study payment STUDY --approve                    at Prolific, with its API; --places 40 asks for more people

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
    approve: Annotated[
        bool, typer.Option("--approve", help="Approve paid submissions at Prolific (token in PROLIFIC_TOKEN).")
    ] = False,
    places: Annotated[
        int | None, typer.Option(help="Set the number of places at Prolific.", show_default=False, min=1)
    ] = None,
    mode: options.OwnMode = None,
    database: options.Database = None,
) -> int:
    """Write the reward and bonus of each participant (study.toml: recruitment.reward, bonus_each, partial_share). The
    file has platform ids: delete it after payment.
    """
    from referee.files import FOR_OWNER, write_atomically
    from referee_lab.study.data.collection import collect, open_for_reading
    from referee_lab.study.data.payment import list_payments, write_payment_file
    from referee_lab.study.folder.study import open_study

    opened = open_study(study)
    target = out or study.resolve().with_name(f"{study.resolve().name}-payment-{form}.csv")
    with open_for_reading(opened, database) as connection:
        people = list_payments(opened, connection, mode)
    if approve or places is not None:
        return _settle_at_prolific(opened, people, approve, places)
    text = write_payment_file(opened, people, form)
    write_atomically(target, text.splitlines(), mode=FOR_OWNER)
    total = sum((p.reward + p.bonus for p in people), start=0)
    with open_for_reading(opened, database) as connection:
        bots = sum(sitting.simulated is not None for sitting in collect(opened, connection, mode).sittings)
    if bots:
        print(f"{bots} simulated participants get no payment")
    print(
        f"{target}: {len(text.splitlines())} lines; {len(people)} ended sessions, {total} {opened.recruitment.currency} in all"
    )
    return 0


def _settle_at_prolific(study: Study, people: Sequence[Owed], approve: bool, places: int | None) -> int:
    """Approve submissions or set the number of places at Prolific."""
    from referee_lab.study.data import prolific

    if study.recruitment.platform != "prolific":
        raise InputError(
            f"this study recruits by {study.recruitment.platform!r}, not by prolific",
            where=study.folder / "study.toml",
            remedy='set [recruitment] platform = "prolific"',
        )
    with prolific.open_prolific() as client:
        if places is not None:
            print(f"Prolific: {places} places in the study {prolific.set_places(client, people, places)}")
        if approve:
            done = prolific.approve_submissions(client, people)
            print(
                "Prolific: "
                + (", ".join(f"{n} {state}" for state, n in sorted(done.items())) or "no session has ended")
            )
    return 0
