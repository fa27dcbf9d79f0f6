"""`referee study close`: stops enrolment; a running server follows at once."""

from __future__ import annotations

from referee_lab.commands import options
from referee_lab.commands.study.open_doors import set_and_say

app = options.make_app()


@app.command(epilog=options.examples("  referee study close STUDY"))
def close_doors(study: options.StudyFolder) -> int:
    """Stop enrolment. Running sessions continue.

    New arrivals are informed, with the platform's code (recruitment.codes.closed in study.toml).
    """
    return set_and_say(study, closed=True)
