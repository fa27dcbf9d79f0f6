"""Texts with human ratings.

The evaluation of NeuralREG (Castro Ferreira et al. 2018), matched to the systems that wrote them.

Every rating names a page, every page has a text, and a text belongs to all systems that wrote it, comparing letters
only. A text of several systems counts for each; texts without a match are reported.
"""

from __future__ import annotations

import gzip
import html
import json
import os
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.errors import DataNotFound, MalformedInput

SCALES = ("fluency", "grammar", "clarity")
SYSTEMS = ("only", "ferreira", "seq2seq", "catt", "hieratt", "refs")
ARTICLE = re.compile(r'id="text_article">(.*?)</p>', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedText:
    """A text on a page, the systems that wrote it, and people's ratings by scale, each as (participant, rating)."""

    page: str
    text: str
    systems: tuple[str, ...]
    ratings: Mapping[str, tuple[tuple[str, float], ...]]


def read_rated_texts(data: str | Path | None = None) -> list[RatedText]:
    """Return all rated texts of the corpus ``neuralreg`` in the folder of corpora."""
    root = Path(data or os.environ.get("REFEREE_DATA", "data")) / "neuralreg"
    results = root / "humaneval" / "experiment_results.json.gz"
    if not results.is_file():
        raise DataNotFound(
            "the ratings of neuralreg are not here", where=results, remedy="set REFEREE_DATA to the folder of corpora"
        )
    writers = _read_writers(root)
    texts = _read_texts(root)
    ratings: dict[str, dict[str, list[tuple[str, float]]]] = defaultdict(lambda: defaultdict(list))
    for row in json.loads(_unzip(results))["RECORDS"]:
        page = "official/" + row["url"].replace(".php", ".html")
        if page not in texts:
            raise MalformedInput(f"a rating names the page {page!r}, which is not there", where=results)
        for scale in SCALES:
            ratings[page][scale].append((row["participant_id"], float(row[scale])))
    return [
        RatedText(
            page=page,
            text=texts[page],
            systems=tuple(sorted(writers.get(_keep_letters(texts[page]), ()))),
            ratings={scale: tuple(scores) for scale, scores in scales.items()},
        )
        for page, scales in ratings.items()
    ]


def _read_writers(root: Path) -> dict[str, set[str]]:
    """Return the systems that wrote each text."""
    writers: dict[str, set[str]] = defaultdict(set)
    for system in SYSTEMS:
        for line in _unzip(root / "eval" / "stats" / f"{system}.txt.gz").splitlines():
            writers[_keep_letters(line)].add(system)
    return writers


def _read_texts(root: Path) -> dict[str, str]:
    """Return the text of each page."""
    texts = {}
    for line in _unzip(root / "humaneval" / "pages.jsonl.gz").splitlines():
        page = json.loads(line)
        article = ARTICLE.search(page["html"])
        if article:
            words = html.unescape(re.sub(r"<[^>]+>", " ", article[1]))
            texts[page["page"]] = " ".join(words.split())
    return texts


def _keep_letters(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())


def _unzip(path: Path) -> str:
    """Return the text of a gzip file. Raises MalformedInput if it is damaged."""
    try:
        return gzip.decompress(path.read_bytes()).decode("utf-8")
    except (OSError, ValueError) as error:
        raise MalformedInput(f"this cannot be read ({error})", where=path) from None
