"""What is to be known of one corpus: what its reader states, and what reading it now gives."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

from referee.cli import page_width
from referee.cli.corpora import create, find_folder
from referee.cli.help_page import wrap_words
from referee.cli.progress import counting
from referee.contracts import Card
from referee.corpora.clusters import FACTORS, cluster_of, describe_sampling


def read_card(name: str, data: Path | None, reading: str | None) -> dict[str, Any]:
    """The card with counts and checksum; without the data, what the reader states and what is missing."""
    corpus = create(name, data, reading)
    static: Card = corpus.card
    facts: dict[str, Any] = {field.name: getattr(static, field.name) for field in fields(Card)}
    if hasattr(corpus, "reading"):
        facts["reading"] = corpus.reading
    if static.synthetic:
        return facts | {"found": "shipped", **count(corpus, name)}
    folder = find_folder(name, data)
    if folder is None:
        return facts | {"missing": f"not in the data folder; install it with: referee corpus add {name} PATH-OR-URL"}
    return facts | {"found": str(folder), "checksum": _checksum(folder, static), **count(corpus, name)}


def _checksum(folder: Path, static: Card) -> str | None:
    """SHA-256 over the files the card names; None where the corpus came in another form."""
    from referee.corpora.reading.folder import checksum

    files = [folder / Path(f).name for f in static.files]
    # A corpus may come packed or saved in another form, of which the checksum would say nothing.
    return checksum(files) if files and all(f.is_file() for f in files) else None


def count(corpus: Any, name: str) -> dict[str, Any]:
    """Counts by reading everything once; None where the corpus does not name its speakers, scenes, games or participants."""
    # With None from the start, so that one less is the number of those that are named.
    clusters: dict[str, set[str | None]] = {factor: {None} for factor in FACTORS}
    languages: set[str] = set()
    domains: Counter[str] = Counter()
    trials = references = 0
    for trial in counting(corpus.trials(), f"{name}: trials read"):
        trials += 1
        references += len(trial.references)
        for factor, labels in clusters.items():
            labels.add(cluster_of(trial, factor))
        languages.add(trial.language)
        domains[trial.domain or "not stated"] += 1
    responses = 0
    for response in counting(corpus.responses(), f"{name}: responses read"):
        responses += 1
        # Listeners are no field of a trial: they are known from their responses.
        if "participant" in corpus.card.sampled:
            clusters["participant"].add(response.hearer)
    return {
        "trials": trials,
        "references": references,
        **{f"{factor}s": len(labels) - 1 or None for factor, labels in clusters.items()},
        "responses": responses,
        "languages_read": sorted(languages),
        "domains": dict(domains),
    }


def print_card(facts: dict[str, Any]) -> None:
    """Print the card as aligned lines no wider than the terminal, without what is not known."""
    page = page_width()
    if facts["synthetic"]:
        print("SYNTHETIC corpus: generated, not human data\n")
    width = max(map(len, facts))
    for key, value in facts.items():
        if value is None or value == "" or value == () or key == "synthetic":
            continue
        lines = [f"- {v}" for v in value] if key in ("faults", "files") else [_shown(key, value)]
        head = f"{key.replace('_', ' '):<{width}}  "
        for line in lines:
            wrapped = [head + line] if page is None else wrap_words(line, page, head, " " * len(head))
            print("\n".join(wrapped))
            head = " " * len(head)


def _shown(key: str, value: Any) -> str:
    if key == "sampled":
        return describe_sampling(value)
    if isinstance(value, dict):
        return ", ".join(f"{k} {v:,}" for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
