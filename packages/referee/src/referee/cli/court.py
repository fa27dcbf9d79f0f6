"""`referee court`: which measures predict the results of hearers?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.api.court import court as hold
from referee.api.options import CourtOptions
from referee.cli import find_page_width, print_warning
from referee.cli.options import examples, make_app
from referee.cli.progress import show_progress
from referee.courtroom.printed_evidence import list_published_papers
from referee.courtroom.proceedings import Proceedings
from referee.files import make_folder, write_atomically
from referee.options import apply, command, option
from referee.show.reports.court_page import format_court_page, format_court_summary

app = make_app()

EPILOG = examples(f"""
  referee court --published belz-gatt-2008                the table depends on one system

  referee court --published refoi-2025 --out court/       the same seventeen years later, with a figure

  referee court MY.csv                                    columns system, automatic:NAME, hearer:NAME[:lower], and domain, human, family if wanted

  referee score out.jsonl --corpus synthetic --by domain --out RUN && referee listen RUN --hearer noisy && referee court RUN

Printed tables: {", ".join(list_published_papers())}. What the columns mean, and the form of MY.csv: `referee docs court`.
""")


@dataclass
class CourtCommand(CourtOptions):
    """Options of `referee court`: those of `referee.court`, and those of the command only."""

    form: str = option("text", "text or json", "--format", "-f", choices=("text", "json"))
    details: bool = option(False, "Print all tables, items and cases, not only the verdict and one table.")
    out: Path | None = option(None, "A folder for court.json, court.txt and court.svg.")


@command(app, CourtCommand, EPILOG)
def court(options: CourtCommand) -> int:
    """Test how well every automatic measure predicts the results of hearers, and print the verdicts.

    Linear and rank agreement over families of systems, tested among all pairs of the table, without any one family, with and without human rows, per domain;
    where there are items also soft pairwise accuracy, accuracy with ties, AUC and rank correlation; one verdict per measure.
    """
    options.progress = show_progress
    judgement = apply(hold, options)
    for warning in judgement.proceedings.warnings if options.form == "json" else ():  # the page has them
        print_warning(f"warning: {warning}")
    data = json.dumps(judgement.data, ensure_ascii=False, indent=1)
    if options.out is not None:
        _save_results(judgement.proceedings, format_court_page(judgement.proceedings), data, options.out)
    print(
        data
        if options.form == "json"
        else "\n".join(
            (format_court_page if options.details else format_court_summary)(judgement.proceedings, find_page_width())
        )
    )
    return 0


def _save_results(proceedings: Proceedings, text: Sequence[str], data: str, out: Path) -> None:
    """Write the results as JSON, text and figure."""
    from referee.show.reports.court_figure import build_court_figure, save_court_figure

    make_folder(out)
    write_atomically(out / "court.json", [data])
    write_atomically(out / "court.txt", text)
    save_court_figure(
        build_court_figure(proceedings.best.evidence, f"The court on {proceedings.source}"), out / "court.svg"
    )
