"""The cards of docs/passport.md: ``python benchmarks/passports.py [agreement] [ranking] [recorded] [transfer]`` prints its tables, each from cards made now.

Every row is what ``referee passport HEARER --corpus NAME`` prints with its defaults. Cards are made once, however many tables show them.
"""

from __future__ import annotations

import sys
import time
from functools import cache
from typing import Any

from referee.hearers.passports.examination import Examination
from referee.hearers.passports.hearer_cards import examine
from referee.hearers.recorded import list_models

Row = tuple[str, str, str | None]
MAIN: tuple[Row, ...] = (
    ("rsa", "franke-degen2016", None),
    ("literal", "franke-degen2016", None),
    ("literal", "degen2020", None),
    ("noisy", "degen2020", None),
    ("rsa", "degen2020", None),
    ("learned", "degen2020", None),
    ("timed", "degen2020", None),
    ("colour", "colors", None),
    ("colour", "colors-mandarin", None),
    ("retrieval", "tg-matcher", None),
    ("retrieval", "tangrams-hawkins", None),
    ("majority", "degen2020", None),
    ("majority", "colors", None),
    ("majority", "tg-matcher", None),
    ("position", "degen2020", None),
)
TRANSFER: tuple[Row, ...] = (
    ("learned", "degen2020", "degen2020:domain=exp1"),
    ("learned", "degen2020", "degen2020:domain=exp2"),
    ("colour", "colors-mandarin", "colors"),
)
NEW = ("scene", "object", "condition")


@cache
def card(hearer: str, corpus: str, train: str | None = None) -> dict[str, Any]:
    """One card, made once; how long it took goes to stderr."""
    start = time.process_time()
    found = examine(Examination(hearer=hearer, corpus=corpus, train=train))
    print(f"{hearer} on {corpus}: {time.process_time() - start:.0f} s", file=sys.stderr, flush=True)
    return found


def number(value: float | None, digits: int = 3) -> str:
    """A number without its leading zero."""
    return "–" if value is None else f"{value:.{digits}f}".replace("-0.", "−.").replace("-", "−").removeprefix("0")


def span(bounds: list[float] | None) -> str:
    return "" if bounds is None else f" [{', '.join(number(b) for b in bounds)}]"


def table(*head: str) -> None:
    print(f"\n| {' | '.join(head)} |\n|{'---|' * len(head)}")


def row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def agreement() -> None:
    """Accuracy, discrimination, agreement with people's choices and times."""
    table(
        *("hearer, corpus", "n", "accuracy", "expected", "people", "AUC [95 %]", "within condition", "within game"),
        *("kappa", "calibration", "times", "log-likelihood (even)", "verdict"),
    )
    for wanted in MAIN:
        c = card(*wanted)
        row(
            f"{c['hearer']}, {c['corpus']}",
            c["n"],
            *(number(c[key]) for key in ("accuracy", "expected_accuracy", "human_accuracy")),
            number(c["auc"]) + span(c["intervals"]["auc"]),
            *(number(c[key]) for key in ("auc_within_condition", "auc_within_game", "kappa")),
            *(number(c[key]) for key in ("calibration_error", "time_correlation")),
            f"{number(c['log_likelihood'])} ({number(c['chance_log_likelihood'])})",
            c["verdict"],
        )


def ranking() -> None:
    """Ranking, ceilings, and what holds on what is new."""
    table(
        "hearer, corpus",
        "units",
        "rho [95 %]",
        "soft pairwise accuracy (random order)",
        "ceiling of the AUC",
        *(f"new {by}s: accuracy, AUC" for by in NEW),
    )
    for wanted in MAIN:
        c = card(*wanted)
        r = c["rank_agreement"]
        ranked = (
            ("–", "–", "–")
            if r is None
            else (
                f"{r['units']} {r['over']}",
                number(r["spearman"]) + span(r["spearman_interval"]),
                f"{number(r['spa'])} ({number(r['spa_chance'])})",
            )
        )
        ceiling = "–" if c["ceiling"] is None else number(c["ceiling"]["auc"])
        row(f"{c['hearer']}, {c['corpus']}", *ranked, ceiling, *(_new(c["on_new"].get(by)) for by in NEW))


def _new(found: dict[str, Any] | None) -> str:
    if found is None or not found["n"]:
        return "–"
    fails = "" if found["holds"] else " **fails**"
    return f"{number(found['accuracy'])}, {number(found['auc'])}{span(found['auc_interval'])}{fails}"


def recorded() -> None:
    """The multimodal models of Junker et al. (2025) on the colour grids."""
    table(
        "model",
        "n",
        "accuracy",
        "people",
        "AUC [95 %]",
        "within game",
        "kappa",
        "bias as shown",
        "rho [95 %]",
        "verdict",
    )
    for model in list_models("mllm-listeners"):
        c = card(f"recorded:mllm-listeners/{model}", "color-grids")
        r = c["rank_agreement"]
        row(
            model,
            c["n"],
            number(c["accuracy"]),
            number(c["human_accuracy"]),
            number(c["auc"]) + span(c["intervals"]["auc"]),
            *(number(c[key]) for key in ("auc_within_game", "kappa", "position_bias_as_shown")),
            number(r["spearman"]) + span(r["spearman_interval"]),
            c["verdict"],
        )


def transfer() -> None:
    """Learned from one corpus, or a part, and asked about another."""
    table("hearer", "trained on", "asked about", "n", "accuracy", "people", "AUC [95 %]", "verdict")
    for wanted in TRANSFER:
        c = card(*wanted)
        auc = number(c["auc"]) + span(c["intervals"]["auc"])
        people = (number(c["accuracy"]), number(c["human_accuracy"]))
        row(c["hearer"], c["trained_on"], c["corpus"], c["n"], *people, auc, c["verdict"])


if __name__ == "__main__":
    tables = {"agreement": agreement, "ranking": ranking, "recorded": recorded, "transfer": transfer}
    for name in sys.argv[1:] or tables:
        tables[name]()
