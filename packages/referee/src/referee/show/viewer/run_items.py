"""Pages of items of a run of any size: selected by the index, ranked by value, read from their lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.corpora.jsonl import description_from_json, response_from_json, trial_from_json
from referee.corpora.reading.lines import WrongShape, parse_object
from referee.errors import MalformedInput
from referee.records import HUMAN, Description, Response
from referee.show.reports.item_browser import Book, build_item_row, compute_choice_proportions
from referee.show.reports.material import AGAIN
from referee.show.viewer.run_files import RunFiles
from referee.show.viewer.run_index import RunIndex

if TYPE_CHECKING:
    import polars as pl

PAGE = 25
KEPT_RANKINGS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemQuery:
    """A query for items; without a system, the mean over systems ranks them."""

    words: str = ""
    measure: str = ""
    system: str = ""
    order: str = "worst"
    domain: str = ""
    condition: str = ""
    page: int = 0


@dataclass(slots=True)
class RunItems:
    """The items of a run; `directions` are the directions of measures."""

    files: RunFiles
    index: RunIndex
    systems: list[str]
    measures: list[str]
    directions: Mapping[str, str]
    _rankings: dict[tuple[str, str], pl.DataFrame] = field(default_factory=dict)

    def answer(self, query: ItemQuery, quick: bool = False) -> dict[str, Any]:
        """Return one page and the number of matches.

        A `quick` page is in the order of the run, without scores.
        """
        words = query.words.lower().split()
        ranking = None if quick else self._rank_trials(query)
        start = PAGE * max(0, query.page)
        if ranking is None:
            count = self.index.count(words, query.domain, query.condition)
            ids = self.index.fitting(words, query.domain, query.condition, PAGE, start)
        else:
            ids, count = self._select_page(ranking, query, words, start)
        values = {} if ranking is None else self._get_values(ranking, ids)
        book = Book()
        scores = {} if quick else self._get_scores(ids)
        rows = [row for i in ids if (row := self._build_row(book, i, scores)) is not None]
        return {
            "items": rows,
            "values": [values.get(row[0]) for row in rows],
            "found": count,
            "total": self.index.trials,
            **book.as_json(),
        }

    def _rank_trials(self, query: ItemQuery) -> pl.DataFrame | None:
        """Return trials with their values, the smallest first.

        None for the order of the run, or without values.
        """
        if query.order == "run" or query.measure not in self.measures or not self.files.items.is_file():
            return None
        import polars as pl

        key = (query.measure, query.system)
        if key not in self._rankings:
            chosen = pl.scan_parquet(self.files.items).filter(pl.col("metric") == query.measure)
            # People are left out of the mean, as on the static page.
            is_ranked = pl.col("system") == query.system if query.system else pl.col("system") != HUMAN
            means = chosen.filter(is_ranked).group_by("trial").agg(pl.col("value").mean())
            while len(self._rankings) >= KEPT_RANKINGS:
                self._rankings.pop(next(iter(self._rankings)))
            self._rankings[key] = means.drop_nulls().sort("value", "trial").collect(engine="streaming")
        return self._rankings[key]

    def _select_page(
        self, ranking: pl.DataFrame, query: ItemQuery, words: Sequence[str], start: int
    ) -> tuple[list[str], int]:
        """Return the ids of one page of ranked trials, and their total."""
        import polars as pl

        if words or query.domain or query.condition:
            fitting = self.index.fitting(words, query.domain, query.condition)
            ranking = ranking.filter(pl.col("trial").is_in(fitting))
        falling = (self.directions.get(query.measure) == "lower") == (query.order == "worst")
        if falling:
            ranking = ranking.reverse()
        return ranking["trial"].slice(start, PAGE).to_list(), ranking.height

    def _get_values(self, ranking: pl.DataFrame, ids: Sequence[str]) -> dict[str, float]:
        """Return the ranking values of trials."""
        import polars as pl

        return dict(ranking.filter(pl.col("trial").is_in(list(ids))).iter_rows())

    def _get_scores(self, ids: Sequence[str]) -> dict[tuple[str, str, str], int]:
        """Return the scores of trials in thousandths."""
        if not self.files.items.is_file():
            return {}
        import polars as pl

        chosen = pl.scan_parquet(self.files.items).filter(pl.col("trial").is_in(list(ids)))
        rows = chosen.select("trial", "system", "metric", "value").collect(engine="streaming").iter_rows()
        return {
            (trial, system, metric): round(1000 * value) for trial, system, metric, value in rows if value is not None
        }

    def _build_row(self, book: Book, trial: str, scores: Mapping[tuple[str, str, str], int]) -> list[Any] | None:
        """Return one trial as a row for the browser; None if it is not indexed yet."""
        byte, places = self.index.places(trial)
        if byte is None:
            return None
        made_trial = _convert_at(trial_from_json, self.files.trials, byte)
        descriptions: dict[str, Description] = {}
        answers: list[Response] = []
        for kind, system, (file, at) in places:
            if kind == "output":
                # The first answer counts, as when a run is scored.
                descriptions.setdefault(system, _convert_at(description_from_json, Path(file), at))
            else:
                answers.append(_convert_at(response_from_json, Path(file), at))
        reference = made_trial.references[0] if made_trial.references else None
        outputs = [descriptions.get(s, reference if s == HUMAN else None) for s in self.systems]
        values = [[scores.get((trial, s, m)) for m in self.measures] for s in self.systems]
        return build_item_row(
            book, made_trial, self.systems, outputs, values, compute_choice_proportions(answers).get(trial, {})
        )


def _convert_at(make: Any, path: Path, byte: int) -> Any:
    """Return a record at a byte offset. Raises MalformedInput for an invalid one."""
    with path.open("rb") as file:
        file.seek(byte)
        line = file.readline().decode()
    try:
        return make(parse_object(line))
    except WrongShape as wrong:
        raise MalformedInput(f"byte {byte}: {wrong}", where=path, remedy=wrong.remedy or AGAIN) from None
