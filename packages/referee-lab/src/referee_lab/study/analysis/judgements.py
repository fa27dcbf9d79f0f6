"""Analysis of judgements and productions.

Mean ratings with intervals and agreement, win rates of pairs, lengths and times of descriptions.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from referee.show.reports.sheets import Cell, Sheet
from referee.statistics.agreement import krippendorff_alpha
from referee.statistics.clusters import cluster_differences
from referee.statistics.comparisons import adjust
from referee_lab.study.analysis.mixed_analysis import BOOTSTRAP, build_means_sheet, format_p

if TYPE_CHECKING:
    import polars as pl


def build_rating_sheets(frame: pl.DataFrame, scale: str, *, study: str, alpha: float, ordinal: bool) -> list[Sheet]:
    """Return the tables of one scale: means by system, pairs that differ, agreement of raters."""
    rated = frame.drop_nulls(scale)
    if rated.is_empty():
        return []
    means = build_means_sheet(
        rated,
        scale,
        study=study,
        name=f"{scale}-means",
        title=f"{scale.capitalize()} by system, means",
        show="{:.2f}".format,
        measure=scale,
        descending=True,
        notes=(BOOTSTRAP, _describe_agreement(rated, scale, ordinal)),
    )
    return [means, *_compare_ratings(rated, scale, study, alpha)]


def _describe_agreement(frame: pl.DataFrame, scale: str, ordinal: bool) -> str:
    """Return a sentence on the agreement between raters of the same description of the same item."""
    shared: dict[tuple[str, str], list[float]] = {}
    for item, system, value in frame.select("item", "system", scale).iter_rows():
        shared.setdefault((item, system), []).append(value)
    several = [ratings for ratings in shared.values() if len(ratings) > 1]
    if not several:
        return "No description was judged by two people, so agreement is unknown (it needs a design with more people per list)."
    alpha = krippendorff_alpha(several, level="ordinal" if ordinal else "interval")
    if alpha.value is None:
        return "Agreement has no value: all ratings are the same."
    bounds = "" if alpha.low is None else f" [{alpha.low:.2f}, {alpha.high:.2f}]"
    return f"Agreement of judges: Krippendorff's α = {alpha.value:.2f}{bounds} over {alpha.items} descriptions."


def _compare_ratings(frame: pl.DataFrame, scale: str, study: str, alpha: float) -> list[Sheet]:
    """Return the comparisons of all pairs of systems on one rating scale, Holm-corrected."""
    if frame["system"].n_unique() < 2 or frame["participant"].n_unique() < 2:
        return []
    pairs = cluster_differences(frame, value=scale, system="system").to_dicts()
    for row, p in zip(pairs, adjust([r["p"] for r in pairs], "holm"), strict=True):
        row.update(measure=scale, p_corrected=p)
    # Pairs without a p value last; None cannot be compared with a number.
    pairs.sort(key=lambda r: (r["p"] is None, r["p"]))
    clear = [r for r in pairs if r["p_corrected"] is not None and r["p_corrected"] <= alpha]
    return [
        Sheet(
            name=f"{scale}-pairs",
            corpus=study,
            title=f"{scale.capitalize()}: pairs that differ",
            header=("system", "against", "difference", "p"),
            rows=tuple(
                (
                    Cell(r["system_a"]),
                    Cell(r["system_b"]),
                    Cell(f"{r['difference']:+.2f}", small=f"{r['low']:+.2f}, {r['high']:+.2f}"),
                    Cell(format_p(r["p_corrected"])),
                )
                for r in clear
            ),
            left=2,
            notes=(
                f"{len(clear)} of {len(pairs)} pairs differ at {alpha:g}; t with errors clustered by participant and item, p corrected by Holm.",
            ),
            tidy=tuple(pairs),
        )
    ]


def build_win_sheets(frame: pl.DataFrame, *, study: str) -> list[Sheet]:
    """Return tables of how often each system of a pair was preferred, and its proportion over all pairs.

    Ties count half.
    """
    import polars as pl

    decided = frame.drop_nulls("won")
    if decided.is_empty():
        return []
    ties = dict(decided.group_by("system").agg((pl.col("won") == 0.5).mean()).iter_rows())
    sides = [
        decided.select("participant", "item", pl.col("first").alias("system"), "won"),
        # A loss of the first system is a win of the second; a tie is half a win for both.
        decided.select("participant", "item", pl.col("second").alias("system"), (1 - pl.col("won")).alias("won")),
    ]
    return [
        build_means_sheet(
            decided,
            "won",
            study=study,
            name="wins-pairs",
            title="How often the first of the pair was preferred",
            show="{:.2f}".format,
            measure="won",
            heads=("pair", "n", "preferred", "ties"),
            descending=True,
            more={pair: (share, f"{share:.0%}") for pair, share in ties.items()},
            notes=(f"Ties count half; an interval that excludes 0.50 shows a preference. {BOOTSTRAP}",),
        ),
        build_means_sheet(
            pl.concat(sides),
            "won",
            study=study,
            name="wins-systems",
            title="How often each system was preferred",
            show="{:.2f}".format,
            measure="preferred",
            heads=("system", "n", "preferred"),
            descending=True,
        ),
    ]


def build_production_sheets(frame: pl.DataFrame, *, study: str) -> list[Sheet]:
    """Return tables of produced descriptions: number by domain, length, time, and agreement per item."""
    import polars as pl

    domains = [*sorted(frame["domain"].drop_nulls().unique().to_list()), None]
    tidy = []
    for domain in domains if len(domains) > 2 else [None]:
        part = frame if domain is None else frame.filter(pl.col("domain") == domain)
        tidy.append(
            {
                "domain": domain or "all",
                "descriptions": part.height,
                "people": part["participant"].n_unique(),
                "items": part["item"].n_unique(),
                "words": part["words"].mean(),
                "seconds": None if part["combined_ms"].mean() is None else part["combined_ms"].mean() / 1000,  # type: ignore[operator]
                "same": _compute_identical(part),
            }
        )
    return [
        Sheet(
            name="production",
            corpus=study,
            title="Descriptions collected",
            header=("domain", "descriptions", "people", "items", "words", "seconds", "same words"),
            rows=tuple(tuple(Cell(_format_value(value)) for value in row.values()) for row in tidy),
            notes=("Same words: share of pairs of people who described an item in exactly the same words.",),
            tidy=tuple(tidy),
        )
    ]


def _format_value(value: Any) -> str:
    return "–" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _compute_identical(frame: pl.DataFrame) -> float | None:
    """Return the proportion of pairs of descriptions of one item that are identical; None without pairs."""
    by_item: dict[str, list[str]] = {}
    for item, text in frame.select("item", "text").drop_nulls("text").iter_rows():
        by_item.setdefault(item, []).append(" ".join(text.lower().split()))
    pairs = [a == b for texts in by_item.values() for a, b in combinations(texts, 2)]
    return sum(pairs) / len(pairs) if pairs else None
