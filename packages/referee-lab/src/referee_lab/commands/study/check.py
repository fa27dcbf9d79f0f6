"""`referee study check`: is the study whole, balanced, strong enough, and what will people see?"""

from __future__ import annotations

from referee.cli import options
from referee.cli.progress import waiting

__all__ = ["app"]

app = options.new_app()

EPILOG = options.examples("""
  referee study check STUDY

Reads every file as the server would, counts the balance of the lists, estimates power and duration, plays every list once with a
simulated hearer, and says what is still to be done. Ends with 1 when the design does not keep what it promises, with 2 when the folder cannot be read.
""")


@app.command(epilog=EPILOG)
def check(
    study: options.AnyStudyFolder,
) -> int:
    """Validate a study folder and print the proof of balance, the power, the duration and what participants see."""
    from referee_lab.bots.rehearsal import rehearse
    from referee_lab.study.design.as_printed import deviations
    from referee_lab.study.design.balance import prove_balance
    from referee_lab.study.design.design_page import advise, design_report
    from referee_lab.study.design.possible_ways import prove_ways
    from referee_lab.study.design.shown_media import prove_media
    from referee_lab.study.design.shown_scenes import prove_checks, prove_shown
    from referee_lab.study.folder.study import open_study

    opened = open_study(study)
    # One after the other: who has a trial that cannot be played still sees the design.
    with waiting("the design and its power"):
        design = design_report(opened)
    print(design)
    with waiting("a rehearsal"):
        rehearsed = rehearse(opened)
    print(f"\n{rehearsed}")
    with waiting("what can be seen, heard and pressed"):
        areas = [*prove_shown(opened), *prove_checks(opened), *prove_media(opened), *prove_ways(opened)]
    for claim in areas:
        print(f"{'Proved' if claim.holds else 'Not so'}: {claim.sentence} ({claim.counted})")
    for line in deviations(opened):
        print(f"Not as printed: {line}")
    for line in advise(opened):
        print(f"To do: {line}")
    # What a design never promised is shown in the report and is no problem.
    broken = [claim for claim in (*prove_balance(opened), *areas) if claim.promised and not claim.holds]
    for claim in broken:
        print(f"Problem: it is not true that {claim.sentence} ({claim.counted})")
    print(f"{'Not ready' if broken else 'Ready'}: {opened.id}, mode {opened.mode}, hash {opened.hash}")
    return 1 if broken else 0
