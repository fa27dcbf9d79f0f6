"""`referee study new`: from a run folder to a study folder that can be served."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.catalogue import check_choice
from referee.cli import find_page_width, options
from referee.cli.help_page import print_wrapped
from referee.cli.progress import show_clock
from referee.errors import InputError
from referee.jobs.folder import Run

app = options.make_app()

# Of studies made of run folders; those of tables have rows of these kinds.
PRACTICE, CHECKS = 3, 2

EPILOG = options.examples("""
  referee study new ITEMS.csv --factors length,order --participants 24 --out STUDY     a table: one row per item and condition

  referee study new RUN --protocol tuna2008 --design latin --participants 24 --out STUDY

  referee study new RUN --protocol asgre2007 --systems toy-minimal,toy-chatty --with-humans --items 30 --participants 6 --out STUDY

  referee study new RUN --protocol judgement --design balanced --participants 8 --from-outputs mine.jsonl --out STUDY

  referee study new RUN --protocol asgre2007 --participants 6 --media RECORDINGS --out STUDY     descriptions are heard

  referee study new RUN --protocol production --items 20 --participants 10 --out STUDY     collect descriptions

Then read and edit STUDY/study.toml and STUDY/texts, run `referee study check STUDY`, and `referee study serve STUDY`.
""")


@app.command(epilog=EPILOG)
def new(
    run: Annotated[
        Path,
        typer.Argument(
            help="A table of items (CSV, TSV, XLSX, JSONL), or a run folder: its trials are the items, its systems the conditions.",
            metavar="ITEMS|RUN",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The study folder to make.", show_default=False)],
    participants: options.Participants,
    protocol: Annotated[
        str | None,
        typer.Option(
            help="The task of participants (`referee list protocols`), or the file of a jsPsych plug-in of your own.",
            show_default="tuna2008; for a table of items, chosen by its columns",
        ),
    ] = None,
    design: Annotated[
        str, typer.Option(help="latin, balanced, blocked, williams, within or all (`referee docs designs`).")
    ] = "latin",
    factors: Annotated[
        str | None, typer.Option(help="Columns of the table that are varied, with commas.", show_default="none")
    ] = None,
    between: Annotated[
        str | None,
        typer.Option(help="Factors of which a person sees one level only, with commas.", show_default="none"),
    ] = None,
    map: Annotated[
        str | None,
        typer.Option(
            "--map",
            help="Names of columns in the table: item=Nr,text=Satz.",
            show_default="as in `referee docs studies`",
        ),
    ] = None,
    systems: Annotated[
        str | None, typer.Option(help="Only these systems, comma-separated.", show_default="all of the run")
    ] = None,
    items: Annotated[
        int | None,
        typer.Option(help="Number of items to draw; from a run evenly over domains.", show_default="all", min=1),
    ] = None,
    domain: Annotated[str | None, typer.Option(help="Use only items of this domain.", show_default="all")] = None,
    language: Annotated[
        str | None, typer.Option(help="Language of the pages.", show_default="that of the run's items; for a table, en")
    ] = None,
    with_humans: Annotated[
        bool, typer.Option("--with-humans", help="Include people's descriptions as a system, 'human'.")
    ] = False,
    from_outputs: Annotated[
        list[Path] | None, typer.Option(help="Outputs of further systems on the same trials; may be repeated.")
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option(help="Folder of the photographs of the trials (point, refoi).", show_default=False)
    ] = None,
    media: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the sounds and films that outputs name as media; practice-1.wav, check-1.wav … are those of practice and checks.",
            show_default=False,
        ),
    ] = None,
    practice: options.Practice = PRACTICE,
    checks: Annotated[int, typer.Option(help="Number of attention checks.", min=0)] = CHECKS,
    groups: Annotated[
        int | None,
        typer.Option(
            help="With --design latin: number of groups of participants among which the squares are divided.",
            show_default="as many as fit",
        ),
    ] = None,
    title: Annotated[
        str,
        typer.Option(
            help="Title that participants see at the top of each page.", show_default="from the name of the folder"
        ),
    ] = "",
    contact: Annotated[
        str,
        typer.Option(
            help="Name and address of the person who answers questions, as printed in the consent text.",
            show_default=False,
        ),
    ] = "",
    as_printed: Annotated[
        bool,
        typer.Option(
            "--as-printed",
            help="Settings of the printed experiment to the letter (tuna2008); `check` lists what still differs.",
        ),
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A field of study.toml, SECTION.FIELD=VALUE: protocol.answer=spoken; may be repeated."
        ),
    ] = None,
    mode: options.Mode = "debug",
    seed: options.SeedFromZero = 1,
) -> int:
    """Make a study: items and descriptions from a run, a balanced design, pages to edit, and a file that reads as a preregistration."""
    from referee import catalogue
    from referee_lab.study.design.from_run import prepare
    from referee_lab.study.design.from_table import TABLES, is_table, prepare_table
    from referee_lab.study.design.heard_practice import find_odd_extras
    from referee_lab.study.design.text_claims import find_unmentioned_ways
    from referee_lab.study.design.wishes import Wishes
    from referee_lab.study.folder.draft import write_study
    from referee_lab.study.protocols.own_plugin import is_own

    if run.is_file() and not is_table(run):
        raise InputError(
            f"a table of items is a {', '.join(TABLES)} file",
            where=run,
            remedy="save it as one of these (CSV in UTF-8)",
        )
    if protocol is not None and is_own(protocol):
        if not (is_table(run) and Path(protocol).is_file()):
            raise InputError(
                f"--protocol {protocol}: {'a plug-in shows a table of items' if Path(protocol).is_file() else 'there is no such file'}",
                remedy="name a jsPsych plug-in's file for browsers, and a table with its parameters as columns",
            )
    elif protocol is not None:
        catalogue.entry("protocol", protocol)
    check_choice("--mode", mode, ("debug", "pilot", "live"))
    wishes = Wishes(
        protocol=protocol or ("" if is_table(run) else "tuna2008"),
        design=design,
        participants=participants,
        id=make_id(out),
        title=title,
        systems=_split_names(systems),
        items=items,
        domain=domain,
        language=language,
        seed=seed,
        practice=practice,
        checks=checks,
        groups=groups,
        outputs=tuple(from_outputs or ()),
        humans=with_humans,
        mode=mode,
        contact=contact,
        preset=as_printed,
        pictures=pictures,
        media=media,
        settings=_parse_settings(settings or ()),
    )
    table_only = {"--factors": factors, "--between": between, "--map": map}
    run_only = {
        "--systems": systems,
        "--domain": domain,
        "--with-humans": with_humans,
        "--from-outputs": from_outputs,
        "--groups": groups,
        "--as-printed": as_printed,
        "--practice": practice != PRACTICE,
        "--checks": checks != CHECKS,
    }
    for option, value in (run_only if is_table(run) else table_only).items():
        if value:
            remedy = "write rows of kind practice and check" if option in ("--practice", "--checks") else "leave it out"
            raise InputError(f"{option} is for {'run folders' if is_table(run) else 'tables of items'}", remedy=remedy)
    with show_clock("items, lists and power"):
        if is_table(run):
            draft, notes = prepare_table(run, wishes, _split_names(factors), _split_names(between), _parse_mapping(map))
        else:
            source = Run(run)
            # Reports faults of a folder that is no run at once.
            _ = source.manifest
            draft, notes = prepare(source, wishes)
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


def _split_names(text: str | None) -> tuple[str, ...]:
    """Return the names of a list that are separated by commas."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def _parse_mapping(text: str | None) -> dict[str, str]:
    """Return the columns of --map, given as name=column and separated by commas."""
    pairs = {}
    for part in _split_names(text):
        name, equals, column = part.partition("=")
        if not (name.strip() and equals and column.strip()):
            raise InputError(
                f"--map: {part!r} is not a pair", remedy="write name=column, with commas: item=Nr,text=Satz"
            )
        pairs[name.strip()] = column.strip()
    return pairs


def _parse_settings(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the fields of --set by section: values as TOML has them, or else texts."""
    from referee_lab.study.folder.settings import SECTIONS

    sections: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        section, dot, field = name.strip().rpartition(".")
        if not (equals and dot and field and section in SECTIONS):
            raise InputError(
                f"--set: {text!r} names no field of study.toml",
                remedy=f"write SECTION.FIELD=VALUE; sections are {', '.join(SECTIONS)}",
            )
        try:
            parsed = tomllib.loads(f"value = {value.strip()}")["value"]
        except tomllib.TOMLDecodeError:
            parsed = value.strip()
        sections.setdefault(section, {})[field] = parsed
    return sections


def make_id(out: Path) -> str:
    """Return a name that can be part of a link, made from the folder's name."""
    # Resolved, so that "." has a name as well; ids have at most 63 letters.
    name = re.sub(r"[^a-z0-9]+", "-", out.resolve().name.lower()).strip("-")[:60]
    return name or "study"
