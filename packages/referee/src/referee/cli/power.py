"""`referee power`: would the study you plan find the difference you care about?"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from referee.catalogue import check_choice
from referee.cli import options
from referee.cli.progress import show_steps
from referee.engines.choice import make_process_engine
from referee.engines.local import LocalEngine
from referee.engines.pieces import Engine
from referee.statistics.power import PlannedStudy, simulate_power

if TYPE_CHECKING:
    import polars as pl

app = options.make_app()

EPILOG = options.examples("""
  referee power --systems 12 --items 120 --participants 24 --effect 0.05 --seed 1

  referee power --systems 6 --items 96 --participants 48 --measure time --effect 0.10 --simulations 2000 --format json

  referee power --systems 12 --items 120 --participants 24 --effect 0        type I error: should be near alpha

Items and participants come in blocks of as many as there are systems (repeated Latin squares). One system differs from all others by the
effect: --measure error adds it to the error rate of the others (--base), --measure time lengthens times by that share.
""")


@app.command(epilog=EPILOG)
def power(
    systems: Annotated[int, typer.Option(help="Number of systems, human speakers included.")],
    items: Annotated[int, typer.Option(help="Number of items (scenes); a multiple of the number of systems.")],
    participants: Annotated[int, typer.Option(help="Number of participants; a multiple of the number of systems.")],
    effect: Annotated[
        float, typer.Option(help="Difference of one system: 0.05 = five points of error, or 5% of time.")
    ],
    measure: Annotated[str, typer.Option(help="Measure: error or time.")] = "error",
    base: Annotated[float, typer.Option(help="Error rate of the other systems (error only).")] = 0.10,
    participant_sd: Annotated[
        float | None,
        typer.Option(
            help="Standard deviation between participants, on the logit or log scale.",
            show_default="0.5, times 0.2",
            min=0,
        ),
    ] = None,
    item_sd: Annotated[
        float | None,
        typer.Option(
            help="Standard deviation between items, on the logit or log scale.", show_default="0.5, times 0.1", min=0
        ),
    ] = None,
    residual_sd: Annotated[
        float, typer.Option(help="Residual standard deviation on the log scale (time only).", min=0)
    ] = 0.30,
    simulations: Annotated[int, typer.Option(help="Number of studies to simulate.", min=1)] = 1000,
    alpha: Annotated[float, typer.Option(help="Significance level.", min=0.0001, max=0.5)] = 0.05,
    seed: options.Seed = 1,
    jobs: options.OneJob = None,
    engine: options.EngineName = "local",
    shard: Annotated[
        int, typer.Option(help="Blocks of 50 simulations per piece of work; affects speed only.", min=1)
    ] = 1,
    address: options.Address = None,
    form: Annotated[str, typer.Option("--format", "-f", help="table or json.")] = "table",
) -> int:
    """Simulate a planned identification study many times and count how often it finds the difference."""
    check_choice("--format", form, ("table", "json"))
    study = PlannedStudy(
        systems=systems,
        items=items,
        participants=participants,
        effect=effect,
        measure=measure,
        base=base,
        participant_sd=participant_sd,
        item_sd=item_sd,
        residual_sd=residual_sd,
    )
    worker = make_process_engine(engine, jobs, address) or LocalEngine()
    estimates = _run_simulations(study, simulations, alpha, seed, worker, shard)
    if form == "json":
        # The values used: their defaults depend on the measure.
        spreads = dict(zip(("participant_sd", "item_sd"), study.spreads, strict=True))
        rows = {"study": {**asdict(study), **spreads}, "seed": seed, "rows": estimates.to_dicts()}
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        _print_table(study, estimates)
    return 0


def _run_simulations(
    study: PlannedStudy, simulations: int, alpha: float, seed: int, engine: Engine, shard: int
) -> pl.DataFrame:
    """Simulate studies with a progress bar."""
    with show_steps("simulated studies") as begin:
        advance, reported = begin(simulations), 0

        def show(done: int) -> None:
            """Advance the bar to the number of finished simulations."""
            nonlocal reported
            advance(done - reported)
            reported = done

        return simulate_power(
            study, simulations=simulations, alpha=alpha, seed=seed, engine=engine, shard=shard, progress=show
        )


def _print_table(study: PlannedStudy, estimates: pl.DataFrame) -> None:
    """Print the table of power."""
    from rich.console import Console
    from rich.table import Table

    unit = "of time" if study.measure == "time" else f"of error beside {study.base:.0%}"
    table = Table("finds a difference")
    for name in ("power", "from", "to"):
        table.add_column(name, justify="right")
    for row in estimates.iter_rows(named=True):
        table.add_row(row["analysis"], *(f"{row[key]:.1%}" for key in ("power", "low", "high")))
    console = Console()
    console.print(
        f"{study.systems} systems, {study.items} items, {study.participants} participants: {study.effect:+.1%} {unit}",
        table,
        f"{estimates['trials'][0]} trials, {study.items // study.groups} per participant; "
        f"{estimates['simulations'][0]} simulations, alpha {estimates['alpha'][0]:g}, 95% intervals",
        sep="\n",
        highlight=False,
    )
