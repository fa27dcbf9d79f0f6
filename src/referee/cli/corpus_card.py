"""What is to be known of one corpus: what its reader states, and what reading it now gives."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

from referee.cli.corpora import create, found_in
from referee.cli.progress import counting
from referee.contracts import Card

__all__ = ["count", "print_card", "read_card"]


def read_card(name: str, data: Path | None, reading: str | None) -> dict[str, Any]:
    """The card with counts and checksum; without the data, what the reader states and what is missing."""
    corpus = create(name, data, reading)
    static: Card = corpus.card
    facts: dict[str, Any] = {field.name: getattr(static, field.name) for field in fields(Card)}
    if hasattr(corpus, "reading"):
        facts["reading"] = corpus.reading
    if static.synthetic:
        return facts | {"found": "shipped", **count(corpus, name)}
    found = found_in(name, data)
    if found is None:
        return facts | {"missing": f"not in the data folder; install it with: referee corpus add {name} PATH-OR-URL"}
    return facts | {"found": str(found), "checksum": _checksum(found, static), **count(corpus, name)}


def _checksum(folder: Path, static: Card) -> str | None:
    """SHA-256 over the files the card names; None where the corpus came in another form."""
    from referee.corpora.folder import checksum

    files = [folder / Path(f).name for f in static.files]
    return checksum(files) if files and all(f.is_file() for f in files) else None


def count(corpus: Any, name: str) -> dict[str, Any]:
    """Counts by reading everything once; None where the corpus does not name its speakers or scenes."""
    speakers, scenes, languages = set(), set(), set()
    domains: Counter[str] = Counter()
    trials = references = 0
    for trial in counting(corpus.trials(), f"{name}: trials read"):
        trials += 1
        references += len(trial.references)
        speakers.add(trial.speaker)
        scenes.add(trial.scene.id)
        languages.add(trial.language)
        domains[trial.domain or "not stated"] += 1
    responses = sum(1 for _ in counting(corpus.responses(), f"{name}: responses read"))
    return {
        "trials": trials,
        "references": references,
        "speakers": len(speakers - {None}) or None,
        "scenes": len(scenes - {None}) or None,
        "responses": responses,
        "languages_read": sorted(languages),
        "domains": dict(domains),
    }


def print_card(facts: dict[str, Any]) -> None:
    """The card as aligned lines, without what is not known."""
    if facts["synthetic"]:
        print("SYNTHETIC corpus: generated, not human data\n")
    width = max(map(len, facts))
    for key, value in facts.items():
        if value is None or value == "" or value == () or key == "synthetic":
            continue
        lines = [f"- {v}" for v in value] if key in ("faults", "files") else [_shown(value)]
        print(f"{key.replace('_', ' '):<{width}}  {lines[0]}")
        for line in lines[1:]:
            print(f"{'':<{width}}  {line}")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v:,}" for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
