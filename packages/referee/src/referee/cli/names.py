"""`referee list`: every name that can be asked for, one line each, without importing what is behind it."""

from __future__ import annotations

from referee.catalogue import KINDS, Entry, about, entries
from referee.errors import UnknownName

_PLURALS = {"metrics": "metric", "corpora": "corpus", "systems": "system", "hearers": "hearer", "protocols": "protocol"}
_HELP = """Usage: referee list [metrics|corpora|systems|hearers|protocols] [--format table|json]

Every name that --metrics, --corpus, --systems, --hearer and --protocol take, with one line about each."""


def run(args: list[str]) -> int:
    if "--help" in args or "-h" in args:
        print(_HELP)
        return 0
    # Read by hand: importing typer takes longer than all of this command.
    as_json = args[-2:] == ["--format", "json"]
    wanted = [a for a in args if not a.startswith("-") and a not in ("json", "table")]
    for kind in wanted or list(_PLURALS):
        if kind not in _PLURALS and kind not in KINDS:
            raise UnknownName("kind of thing", kind, _PLURALS, hint=f"one of {', '.join(_PLURALS)}")
    kinds = [_PLURALS.get(kind, kind) for kind in wanted or _PLURALS]
    if as_json:
        # Imported here, for the table does not need it.
        import json

        rows = [
            {"kind": k, "name": n, "about": about(k, n), **_tags(k, e)} for k in kinds for n, e in entries(k).items()
        ]
        print(json.dumps({"rows": rows}, ensure_ascii=False, indent=1))
        return 0
    for kind in kinds:
        table = entries(kind)
        if not wanted:
            print(f"{kind}:")
        for line in _aligned(kind, table):
            print(f"  {line}")
    return 0


def _tags(kind: str, found: Entry) -> dict[str, object]:
    """What is known of an entry beside its name; of a system that another package added, that nothing is known."""
    unknown: dict[str, object] = {"evidence": None, "fitted": [], "mended": False} if kind == "system" else {}
    return {**unknown, **found.tags}


def _aligned(kind: str, table: dict[str, Entry]) -> list[str]:
    """Name, tags (for systems: team, year, task, evidence, what was fitted to print, whether words are mended) and the sentence, under each other."""
    tags = list(dict.fromkeys(tag for found in table.values() for tag in found.tags))
    # A head only where there is more than one column to tell apart.
    head = [("name", *tags)] if tags else []
    rows = head + [(name, *(_cell(found.tags.get(tag, "")) for tag in tags)) for name, found in table.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sentences = [*(["about"] if tags else []), *(about(kind, name) for name in table)]
    return [
        "  ".join([*(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)), sentence])
        for row, sentence in zip(rows, sentences, strict=True)
    ]


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "; ".join(value) or "–" if isinstance(value, list) else str(value)
