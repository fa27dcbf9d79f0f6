"""The columns of every frame: the same names and types for every call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee.jobs.score import PROBLEMS
from referee.options import GROUPINGS

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Schema = Mapping[str, type]

_GROUPS: dict[str, type] = dict.fromkeys(GROUPINGS, str)
_VALUE: dict[str, type] = {"value": float, "low": float, "high": float, "n": int}
SCORES: Schema = {
    "system": str, "metric": str, **_VALUE, **_GROUPS, "clusters": str,
    "baseline": str, **dict.fromkeys(("difference", "difference_low", "difference_high", "p", "p_randomisation"), float),
    "value_answered": float, "n_answered": int, "only_this": int, "only_baseline": int, "p_mcnemar": float,
    **dict.fromkeys(PROBLEMS, int), **dict.fromkeys(("refused", "none", "several"), int), "signature": str,
}  # fmt: skip
ITEMS: Schema = {"system": str, "trial": str, "metric": str, "value": float, **_GROUPS}
RUNS: Schema = {"system": str, "trials": int, "answered": int, "empty": int, "signature": str}
OUTPUTS: Schema = {"system": str, "trial": str, "text": str, "properties": str}
HEARING: Schema = {
    "system": str, "hearer": str, "metric": str, **_VALUE, "clusters": str,
    "participants": int, "items": int, "ties": int, "excluded": int, "signature": str,
}  # fmt: skip
RESPONSES: Schema = {
    "system": str, "hearer": str, "trial": str, "outcome": str, "entity": str, "found": bool,
    "reading_ms": float, "identification_ms": float, "repeats": int, **_GROUPS,
}  # fmt: skip
COURT: Schema = {
    "as": str, "domain": str, "rows": str, "metric": str, "hearer": str, "n": int, "r": float, "r_low": float, "r_high": float,
    "rho": float, "rho_low": float, "rho_high": float, "families": int, "p": float, "without_low": float, "without_high": float,
    "finding": str,
}  # fmt: skip
EVALUATED: Schema = {"system": str, "metric": str, **_VALUE, "hearer": str}
PAIRS: Schema = {
    "a": str, "b": str, "metric": str, **dict.fromkeys(("difference", "low", "high", "p", "p_corrected"), float),
    "items": int, "clusters": int, "detectable": float, "direction": str, "only_a": int, "only_b": int,
}  # fmt: skip
PASSPORT: Schema = {"hearer": str, "corpus": str, "metric": str, **_VALUE, "verdict": str, "signature": str}
AUDIT: Schema = {
    "paper": str, "source": str, "item": str, "printed": str, "recomputed": str, "low": float, "high": float, "verdict": str, "explanation": str,
}  # fmt: skip
REPLICATION: Schema = {
    "task": str, "system": str, "domain": str, "metric": str, "value": float, "low": float, "high": float,
    "published": float, "difference": float, "evidence": str,
}  # fmt: skip
REPORT: Schema = {"kind": str, "file": str, "bytes": int}
ENTITIES: Schema = {"entity": str, "target": bool, "name": str, "value": str}
STEPS: Schema = {"step": int, "name": str, "value": str, "reason": str, "ruled_out": int, "remaining": int}


def frame_of(rows: Iterable[Mapping[str, Any]], schema: Schema) -> pl.DataFrame:
    """Return rows under a schema: missing fields become null, fields outside the schema are dropped."""
    import polars as pl

    kinds = {str: pl.String, float: pl.Float64, int: pl.Int64, bool: pl.Boolean}
    return pl.DataFrame(
        [tuple(_cell(row.get(name), kind) for name, kind in schema.items()) for row in rows],
        schema={name: kinds[kind] for name, kind in schema.items()},
        orient="row",
    )


def _cell(value: Any, kind: type) -> Any:
    return None if value is None else kind(value)


def group_columns(group: str | None) -> dict[str, str]:
    """Return the columns that a group such as ``domain=furniture`` fills; none for the whole."""
    name, _, value = (group or "").partition("=")
    return {name: value} if name else {}


def to_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """Return a frame as a pandas frame; only pandas is needed for it."""
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise InputError("pandas is not installed", remedy="pip install pandas, or work on with .frame") from None
    # By name, so that a column without a value has its type as well.
    kinds = {"String": "string", "Float64": "Float64", "Int64": "Int64", "Boolean": "boolean"}
    types = {name: kinds[str(kind)] for name, kind in frame.schema.items()}
    return pd.DataFrame({name: frame[name].to_list() for name in types}, dtype=object).astype(types)
