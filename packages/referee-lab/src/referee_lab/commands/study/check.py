"""`referee study check`.

Is the study whole, balanced, strong enough, and can everything be answered that people will see?
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli import find_page_width
from referee.cli.help_page import print_wrapped
from referee.cli.progress import show_clock
from referee_lab.commands import options

if TYPE_CHECKING:
    from referee_lab.study.design.balance import BalanceClaim
    from referee_lab.study.folder.study import Study

app = options.make_app()

EPILOG = options.examples("""
  referee study check STUDY
  referee study check STUDY --format json

Reads every file as the server would, counts the balance of the lists, estimates power and duration, plays every list once with a
simulated hearer, and opens every distinct layout in a browser (Chromium) at every window size that the study admits. It refuses what a person could not
answer, and writes a contact sheet of what people see into STUDY/data/check. Ends with 1 when the study is not ready, with 2 when the folder cannot be read.
""")


@app.command(epilog=EPILOG)
def check(
    study: options.AnyStudyFolder,
    format: options.TextOrJson = "text",
    browser: Annotated[
        bool, typer.Option(help="Open every layout in a browser; without this option only the geometry is checked.")
    ] = True,
) -> int:
    """Check a study folder, and print balance, power, duration and the results of the display checks."""
    from referee_lab.bots.rehearsal import rehearse
    from referee_lab.study.design.as_printed import list_deviations
    from referee_lab.study.design.balance import prove_balance
    from referee_lab.study.design.design_page import list_open_tasks, write_design_report
    from referee_lab.study.folder.study import open_study

    options.check_form(format)
    opened = open_study(study)
    is_text, page = format == "text", find_page_width()

    def write(line: str) -> None:
        if is_text:
            print_wrapped(line, page)

    # One after the other: a trial that cannot be played does not hide the design.
    with show_clock("the design and its power"):
        design = write_design_report(opened) if is_text else ""
    write(design)
    with show_clock("a rehearsal"):
        rehearsed = rehearse(opened)
    write(f"\n{rehearsed}")
    claims = _prove_claims(opened)
    seen, sheet, missing = _check_layouts(opened, browser)
    for claim in (*claims, *seen):
        write(f"{'Proved' if claim.holds else 'Not so'}: {claim.sentence} ({claim.counted})")
    if missing:
        write(f"Not proved: {missing}")
    for line in (
        *(f"Not as printed: {d}" for d in list_deviations(opened)),
        *(f"To do: {a}" for a in list_open_tasks(opened)),
    ):
        write(line)
    # Claims that the design does not promise are in the report and are no problem.
    broken = [c for c in (*prove_balance(opened), *claims, *seen) if c.promised and not c.holds]
    if missing and opened.mode == "live":
        broken.append(_make_unchecked_claim(missing))
    warnings = broken if _is_served(opened) else []
    broken = [] if warnings else broken
    for claim in broken or warnings:
        word = "Warning (the study is being served)" if warnings else "Problem"
        write(f"{word}: not true: {claim.sentence} ({claim.counted})")
    warnings = [*warnings, *(c for c in seen if not c.promised and not c.holds)]
    if sheet is not None:
        write(f"Contact sheet: {sheet}")
    write(f"{'Not ready' if broken else 'Ready'}: {opened.id}, mode {opened.mode}, hash {opened.hash}")
    if not is_text:
        print(json.dumps(_convert_to_json(broken, warnings, sheet, missing), ensure_ascii=False, indent=2))
    return 1 if broken else 0


def _prove_claims(study: Study) -> list[BalanceClaim]:
    """Return the claims of all checks."""
    from referee_lab.study.design.chain import prove_chain
    from referee_lab.study.design.possible_ways import prove_ways
    from referee_lab.study.design.shown_media import prove_media
    from referee_lab.study.design.shown_scenes import (
        prove_checks,
        prove_contact,
        prove_language,
        prove_pictures,
        prove_shown,
        prove_words,
    )

    proofs = (
        prove_shown,
        prove_pictures,
        prove_language,
        prove_contact,
        prove_words,
        prove_checks,
        prove_media,
        prove_ways,
        prove_chain,
    )
    with show_clock("what participants see, hear and press"):
        return [claim for proof in proofs for claim in proof(study)]


def _check_layouts(study: Study, browser: bool) -> tuple[Sequence[BalanceClaim], Path | None, str | None]:
    """Return the claims of the browser check, the contact sheet, and the reason why it is incomplete (None if
    complete).
    """
    from referee_lab.study.design.browser_look import check_in_browser, explain_missing_browser

    if (reason := "--no-browser" if not browser else explain_missing_browser()) is not None:
        return [], None, f"that every layout fits in a browser, without cut texts ({reason})"
    with show_clock("every layout in a browser"):
        look = check_in_browser(study)
    part = None
    if look.opened < look.layouts:
        part = (
            f"in a browser: {look.layouts - look.opened} of {look.layouts} layouts, which were proved by geometry alone"
        )
        return look.claims, look.sheet, None if study.mode == "live" else part
    return look.claims, look.sheet, None


def _make_unchecked_claim(missing: str) -> BalanceClaim:
    """Return the claim that fails because a check could not run."""
    from referee_lab.study.design.balance import BalanceClaim

    counted = "a live study needs it: install Chromium, or set REFEREE_CHROMIUM"
    return BalanceClaim(sentence=f"it is proved {missing}", holds=False, counted=counted, check="browser")


def _is_served(study: Study) -> bool:
    """Return whether people have begun this study in pilot or live mode: then only its organisers may change it."""
    from referee_lab.server.sessions.served_study import has_begun

    return study.mode != "debug" and has_begun(study)


def _convert_to_json(
    broken: Sequence[BalanceClaim], warnings: Sequence[BalanceClaim], sheet: Path | None, missing: str | None
) -> dict[str, Any]:
    """Return the failed checks and warnings as JSON values."""

    def listed(claims: Sequence[BalanceClaim]) -> list[dict[str, Any]]:
        """Return failed claims as JSON values."""
        return [
            {"check": c.check, "trials": list(c.trials), "message": f"It is not true that {c.sentence}: {c.counted}."}
            for c in claims
        ]

    return {
        "ready": not broken,
        "refused": listed(broken),
        "warnings": listed(warnings),
        "not_proved": missing,
        "sheet": None if sheet is None else str(sheet),
    }
