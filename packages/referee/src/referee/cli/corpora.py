"""`referee corpora`.

Every corpus with its size, language and domain, whether listeners answered, and where it was found.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from referee import catalogue
from referee.cli import make_results_console, options
from referee.contracts import Card
from referee.corpora.reading.folder import locate
from referee.errors import BrokenPlugin, DataNotFound, InputError, RefereeError

app = options.make_app()


class _Facts(NamedTuple):
    trials: int
    domain: str
    listeners: bool = False


# Sizes as the readers count trials, so that the table need not read everything; a test compares them with the data.
FACTS: dict[str, _Facts] = {
    "synthetic": _Facts(780, "furniture, people"),
    "plurals": _Facts(400, "furniture, several targets"),
    "solids": _Facts(140, "solids"),
    "tuna": _Facts(780, "furniture, people"),
    "gre3d7": _Facts(4480, "balls and cubes"),
    "gre3d3": _Facts(630, "balls and cubes"),
    "stars": _Facts(704, "geometric figures"),
    "stars2": _Facts(1204, "geometric figures"),
    "zoom": _Facts(1814, "maps"),
    "give2": _Facts(992, "virtual rooms"),
    "b5-ref": _Facts(1821, "faces"),
    "degen2020": _Facts(6998, "objects", True),
    "colors": _Facts(39599, "colour patches", True),
    "franke-degen2016": _Facts(7722, "creatures", True),
    "franke2024": _Facts(584, "objects in text", True),
    "mayn-refgames": _Facts(342, "creatures, shapes", True),
    "pragma": _Facts(700, "two pictures", True),
    "coop-nets": _Facts(12561, "colour patches", True),
    "conventions-network": _Facts(2208, "tangrams", True),
    "cabb-dutch": _Facts(1824, "fribbles", True),
    "tangrams-hawkins": _Facts(5976, "tangrams", True),
    "tg-matcher": _Facts(3383, "tangrams", True),
    "kth-tangrams": _Facts(2693, "tangram board", True),
    "pento-cv": _Facts(1910, "pentominoes"),
    "pento-take": _Facts(1035, "pentominoes", True),
    "color-grids": _Facts(8814, "colour grids", True),
    "colors-mandarin": _Facts(4311, "colour patches", True),
    "multiparty-tangrams": _Facts(10102, "tangrams", True),
    "tangrams-ref": _Facts(8609, "tangrams", True),
    "vlm-tangram": _Facts(3166, "tangrams", True),
    "continual-adaptation": _Facts(5373, "photographs", True),
    "rec-eval": _Facts(1975, "photographs"),
    "osworld-g": _Facts(564, "screens"),
    "uibert-refexp": _Facts(1125, "screens"),
    "talk2car": _Facts(3610, "streets"),
    "clembench-refgame": _Facts(390, "photographs, grids"),
}

EPILOG = options.examples("""
  referee corpora                        looks in the folder that REFEREE_DATA names

  referee corpora --data ~/corpora       looks there

  referee corpora --format json          for programs

More about one of them: referee corpus card NAME. To install one: referee corpus add NAME PATH-OR-URL.
""")


def create_corpus(name: str, data: Path | None = None, reading: str | None = None) -> Any:
    """Return the corpus reader with this name, with the data folder and reading passed to those that take them."""
    from inspect import signature

    taken = signature(catalogue.load("corpus", name)).parameters
    if reading is not None and "reading" not in taken:
        raise InputError(f"the corpus {name!r} has no readings", remedy="leave --reading out")
    arguments = {"data": data, "reading": reading}
    # Only given values: a reader's own defaults are not overwritten with None.
    return catalogue.create("corpus", name, **{k: v for k, v in arguments.items() if v is not None and k in taken})


def find_corpus_folder(card: Card) -> str:
    """Return the folder of a corpus inside the data folder: from its files, or its name."""
    first = Path(card.files[0]) if card.files else Path()
    return first.parts[0] if len(first.parts) > 1 else card.name


def find_folder(name: str, data: Path | None) -> Path | None:
    """Return the folder with the files of a corpus, or None.

    The reader decides if it can do without the usual files.
    """
    corpus = create_corpus(name, data)
    folder = find_corpus_folder(corpus.card)
    try:
        if corpus.card.files:
            return locate(data, folder, [Path(f).name for f in corpus.card.files])
    except DataNotFound:
        pass
    try:
        # The first trial is enough to know that it can be read.
        next(iter(corpus.trials()), None)
    except DataNotFound:
        return None
    return locate(data, folder, ())


def is_readable(name: str, data: Path | None) -> bool:
    """Return whether a corpus can be read now: shipped ones need no folder; broken ones are skipped."""
    try:
        return bool(create_corpus(name, data).card.synthetic) or find_folder(name, data) is not None
    except RefereeError:
        return False


@app.command(epilog=EPILOG)
def corpora(
    data: options.Data = None,
    form: options.TableOrJson = "table",
) -> int:
    """Print all corpora that have a name, and whether each is installed."""
    if form not in ("table", "json"):
        raise InputError(f"there is no format {form!r}", remedy="--format is table or json")
    if data is not None and not data.is_dir():
        raise InputError("there is no such folder", where=data, remedy="name the folder that holds the corpora")
    # `jsonl` is a form and no corpus.
    rows = [_make_row(name, data) for name in catalogue.names("corpus") if name != "jsonl"]
    if form == "json":
        print(json.dumps({"rows": rows}, ensure_ascii=False, indent=1))
    else:
        _print_table(rows)
    return 0


def _make_row(name: str, data: Path | None) -> dict[str, Any]:
    """Return the row of a corpus in the table."""
    if not catalogue.is_shipped("corpus", name):
        return _make_plugin_row(name, data)
    card: Card = create_corpus(name, data).card
    facts = FACTS.get(name)
    return {
        "name": name,
        "trials": facts.trials if facts else None,
        "languages": list(card.languages),
        "domain": facts.domain if facts else None,
        "listeners": facts.listeners if facts else None,
        "synthetic": card.synthetic,
        "found": "shipped" if card.synthetic else _locate_corpus(name, data),
        "about": catalogue.entry("corpus", name).about,
    }


def _make_plugin_row(name: str, data: Path | None) -> dict[str, Any]:
    """Return the table row of a corpus that another package adds; it is read to count its trials.

    Errors are reported in the row.
    """
    about = catalogue.entry("corpus", name).about
    row: dict[str, Any] = {"name": name, "trials": None, "languages": [], "domain": None, "listeners": None}
    try:
        corpus = create_corpus(name, data)
        row["languages"] = list(corpus.card.languages)
        domains = [trial.domain for trial in corpus.trials()]
        row |= {"trials": len(domains), "domain": ", ".join(dict.fromkeys(d for d in domains if d)) or None}
        row["listeners"] = next(iter(corpus.responses()), None) is not None
    except DataNotFound:
        return {**row, "synthetic": False, "found": None, "about": about}
    except BrokenPlugin as error:
        return {**row, "synthetic": False, "found": str(error).splitlines()[0], "about": about}
    except Exception as error:  # whatever a package of others does wrong must not hide the other corpora
        problem = error.problem if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        return {**row, "synthetic": False, "found": f"damaged: {problem}", "about": about}
    return {**row, "synthetic": bool(corpus.card.synthetic), "found": about, "about": about}


def _locate_corpus(name: str, data: Path | None) -> str | None:
    """Return the path of the corpus, or its error; None if it is missing."""
    try:
        folder = find_folder(name, data)
    except InputError as error:
        return f"damaged: {error.problem}"
    return str(folder) if folder else None


def _print_table(rows: list[dict[str, Any]]) -> None:
    """Print the table of corpora."""
    from rich.markup import escape
    from rich.table import Table

    console = make_results_console()
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("corpus", "trials", "language", "domain", "listeners", "where"):
        # Names and numbers stay whole; where there is no room, the rest is broken over lines.
        whole = name in ("corpus", "trials", "listeners")
        table.add_column(
            name,
            no_wrap=whole,
            overflow="fold",
            min_width=min(len(name), 9),
            justify="right" if name == "trials" else "left",
        )
    for row in rows:
        trials = "" if row["trials"] is None else f"{row['trials']:,}"
        listeners = {True: "yes", False: "no", None: ""}[row["listeners"]]
        where = f"{escape(row['found'] or 'not found')}{' (synthetic)' if row['synthetic'] else ''}"
        table.add_row(row["name"], trials, ", ".join(row["languages"]), row["domain"] or "", listeners, where)
    console.print(table)
    if any(row["found"] is None for row in rows):
        console.print(
            "\nnot found: name the data folder with --data or REFEREE_DATA, or install one: referee corpus add NAME PATH-OR-URL",
            highlight=False,
        )
