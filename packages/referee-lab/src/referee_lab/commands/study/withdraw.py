"""`referee study withdraw`: withdraws a participant, by their code or alias."""

from __future__ import annotations

from typing import Annotated

import typer

from referee.cli.options import make_app
from referee.errors import InputError
from referee_lab.commands import options

app = make_app()


@app.command(epilog=options.examples("  referee study withdraw STUDY --alias P-7KQ2"))
def withdraw(
    study: options.StudyFolder,
    alias: Annotated[str | None, typer.Option(help="The alias, as the dashboard shows it: P-7KQ2.")] = None,
    code: Annotated[str | None, typer.Option(help="The withdrawal code that the person has.")] = None,
    database: options.Database = None,
) -> None:
    """Exclude a participant's data at once.

    They are deleted after the announced delay (`referee study purge`, or the server by itself).
    """
    from referee_lab.server.sessions.refusals import Problem
    from referee_lab.server.sessions.served_study import open_served
    from referee_lab.server.sessions.withdrawal import withdraw_by_alias, withdraw_by_code

    # One of them and not both.
    if (alias is None) == (code is None):
        raise InputError("the person who withdraws is not named", remedy="give either --alias or --code")
    served = open_served(study, database=database, create=False, begin=False)
    try:
        if alias is not None:
            left = served.store.write(lambda c: withdraw_by_alias(c, served, alias))
        else:
            left = served.store.write(lambda c: withdraw_by_code(c, served, code or "", "organiser"))
    except Problem as problem:
        raise InputError(problem.message, where=study) from None
    finally:
        served.store.close()
    print("withdrawn already" if not left else f"withdrawn; deleted in {served.policy.withdrawal_days} days")
