"""`referee report`: run folders in, one page and its tables and figures out."""

from __future__ import annotations

from referee.api.options import ReportOptions
from referee.api.report import report as write_report
from referee.cli.options import examples, make_app
from referee.cli.progress import show_progress
from referee.options import apply, command

app = make_app()

EPILOG = examples("""
  referee score --demo --by domain,condition --out demo-run && referee report demo-run --out report

  referee report RUN --out report --style tuna2008        with Tables 3 to 12 of the challenge overview in their printed shape

  referee report RUN-A RUN-B --out report                 runs over the same trials share their tables, others get separate parts

  referee report RUN --audit --out report                 with the audit of printed tables

  referee report RUN --pictures shared/data/osworld-g     boxes and points on their pictures

Open report/index.html: it needs no network. Tables lie beside it as CSV and LaTeX, figures as SVG, PNG and PDF.
""")


@command(app, ReportOptions, EPILOG)
def report(options: ReportOptions) -> int:
    """Make one page from run folders: scores, groups, agreement of measures, items, methods, data."""

    options.progress = show_progress
    made = apply(write_report, options)
    print(f"{made.page}")
    return 0
