"""`referee study new`: from a run folder to a study folder that can be served."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from referee import catalogue
from referee.cli import find_page_width
from referee.cli.help_page import print_wrapped
from referee.cli.options import examples, make_app
from referee.cli.progress import show_clock
from referee.errors import InputError
from referee.jobs.folder import Run
from referee.options import command, option
from referee_lab.study.design.wishes import Wishes, split_names

if TYPE_CHECKING:
    from referee_lab.study.design.from_table import ItemTable

app = make_app()

EPILOG = examples("""
  referee study new ITEMS.csv --factors length,order --participants 24 --out STUDY     a table: one row per item and condition

  referee study new RUN --protocol tuna2008 --design latin --participants 24 --out STUDY

  referee study new RUN --protocol asgre2007 --systems toy-minimal,toy-chatty --with-humans --items 30 --participants 6 --out STUDY

  referee study new RUN --protocol judgement --design balanced --participants 8 --from-outputs mine.jsonl --out STUDY

  referee study new RUN --protocol asgre2007 --participants 6 --media RECORDINGS --out STUDY     descriptions are heard

  referee study new RUN --protocol production --items 20 --participants 10 --out STUDY     collect descriptions

Then read and edit STUDY/study.toml and STUDY/texts, run `referee study check STUDY`, and `referee study serve STUDY`.
""")


@dataclass(kw_only=True)
class NewStudy(Wishes):
    """Options of `referee study new`: those of every new study, and those that name its items."""

    items_or_run: Path = option(
        ...,
        "A table of items (CSV, TSV, XLSX, JSONL), or a run folder: its trials are the items, its systems the conditions.",
        is_argument=True,
    )
    out: Path = option(..., "The study folder to make.", "--out", "-o")
    factors: str = option("", "Columns of the table that are factors, comma-separated.", show_default=False)
    between: str = option("", "Factors of which a person sees one level only, comma-separated.", show_default=False)
    map: str = option(
        "",
        "Names of columns in the table: item=Nr,text=Satz; by default as in `referee docs studies`.",
        show_default=False,
    )


# Options with a meaning for one kind of items only.
TABLE_ONLY = {"factors": "--factors", "between": "--between", "map": "--map"}
RUN_ONLY = {
    "systems": "--systems",
    "domain": "--domain",
    "humans": "--with-humans",
    "outputs": "--from-outputs",
    "groups": "--groups",
    "preset": "--as-printed",
    "practice": "--practice",
    "checks": "--checks",
}


@command(app, NewStudy, EPILOG)
def new(options: NewStudy) -> int:
    """Make a study: items and descriptions from a run, a balanced design, pages to edit, and a file that reads as a preregistration."""
    from referee_lab.study.design.from_run import prepare
    from referee_lab.study.design.from_table import prepare_table
    from referee_lab.study.design.heard_practice import find_odd_extras
    from referee_lab.study.design.text_claims import find_unmentioned_ways
    from referee_lab.study.folder.draft import write_study

    items, out = options.items_or_run, options.out
    options.id = make_id(out)
    table = _open_table(options)
    for name, spelled in (TABLE_ONLY if table is None else RUN_ONLY).items():
        if getattr(options, name) != getattr(NewStudy, name):
            remedy = "write rows of kind practice and check" if name in ("practice", "checks") else "leave it out"
            raise InputError(f"{spelled} is for {'tables of items' if table is None else 'run folders'}", remedy=remedy)
    with show_clock("items, lists and power"):
        if table is not None:
            draft, notes = prepare_table(table, options)
        else:
            options.protocol = options.protocol or "tuna2008"
            source = Run(items)
            # Reports faults of a folder that is no run at once.
            _ = source.manifest
            draft, notes = prepare(source, options)
        study = write_study(out, draft)
    page = find_page_width()
    print_wrapped((out / "design.txt").read_text(encoding="utf-8"), page)
    for note in (*notes, *find_unmentioned_ways(study), *find_odd_extras(study)):
        print_wrapped(f"Note: {note}", page)
    print_wrapped(
        f"\nMade {out} (hash {study.hash[:12]}). Next: edit study.toml and texts/, then `referee study check {out}`",
        page,
    )
    return 0


def _open_table(options: NewStudy) -> ItemTable | None:
    """Return the table of items with its names; None for a run folder. Raises InputError for an unknown protocol."""
    from referee_lab.study.design.from_table import TABLES, ItemTable, is_table
    from referee_lab.study.protocols.own_plugin import is_own

    items, protocol = options.items_or_run, options.protocol
    if items.is_file() and not is_table(items):
        raise InputError(
            f"a table of items is a {', '.join(TABLES)} file",
            where=items,
            remedy="save it as one of these (CSV in UTF-8)",
        )
    if is_own(protocol):
        if not (is_table(items) and Path(protocol).is_file()):
            raise InputError(
                f"--protocol {protocol}: {'a plug-in shows a table of items' if Path(protocol).is_file() else 'there is no such file'}",
                remedy="name a jsPsych plug-in's file for browsers, and a table with its parameters as columns",
            )
    elif protocol:
        catalogue.entry("protocol", protocol)
    if not is_table(items):
        return None
    return ItemTable(
        path=items,
        factors=split_names(options.factors),
        between=split_names(options.between),
        names=_parse_mapping(options.map),
        own=is_own(protocol),
    )


def _parse_mapping(text: str) -> dict[str, str]:
    """Return the columns of --map, given as name=column and separated by commas."""
    pairs = {}
    for part in split_names(text):
        name, equals, column = part.partition("=")
        if not (name.strip() and equals and column.strip()):
            raise InputError(
                f"--map: {part!r} is not a pair", remedy="write name=column, with commas: item=Nr,text=Satz"
            )
        pairs[name.strip()] = column.strip()
    return pairs


def make_id(out: Path) -> str:
    """Return a name that can be part of a link, made from the folder's name."""
    # Resolved, so that "." has a name as well; ids have at most 63 letters.
    name = re.sub(r"[^a-z0-9]+", "-", out.resolve().name.lower()).strip("-")[:60]
    return name or "study"
