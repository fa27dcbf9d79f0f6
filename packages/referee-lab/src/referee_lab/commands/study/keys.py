"""`referee study keys`: the links and codes of a study, made the first time and the same ever after."""

from __future__ import annotations

from referee.cli.options import make_app
from referee_lab.commands import options

app = make_app()


@app.command(epilog=options.examples("  referee study keys STUDY"))
def keys(
    study: options.StudyFolder,
    public_url: options.PublicUrl = "http://127.0.0.1:8000",
    database: options.Database = None,
) -> None:
    """Print the links of a study, and the completion codes to enter at a recruitment platform before it starts."""
    from referee_lab.commands.study.serve import format_announcement
    from referee_lab.server.sessions.outcomes import get_completion_code
    from referee_lab.server.sessions.served_study import open_served
    from referee_lab.server.sessions.states import OUTCOMES

    served = open_served(study, database=database, begin=False)
    print(format_announcement(served, public_url))
    # Elsewhere a derived code is each person's own, and there is none to print.
    shared = served.study.recruitment.platform == "prolific"
    for outcome in OUTCOMES:
        fixed = served.study.recruitment.codes.fixed(outcome) is not None
        # Restarted sessions get no code.
        if outcome != "restarted":
            code = get_completion_code(served, outcome, served.study.mode) if shared or fixed else "one for each person"
            print(f"  code, {outcome.replace('_', ' '):<14} {code}")
    served.store.close()
