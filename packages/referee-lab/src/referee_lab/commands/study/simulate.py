"""`referee study simulate`: simulated participants play a study over its real interface, and every answer is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.progress import show_steps
from referee_lab.commands import options

app = options.make_app()

EPILOG = options.examples("""
  referee study simulate STUDY --participants 24                                   the noisy hearer as 24 participants with different habits

  referee study simulate STUDY --faults loss,delay,duplicate,reload,skew           the same over a bad network

  referee study simulate STUDY --hearer learned --train other-trials.jsonl

  referee study simulate STUDY --hearer learned --train other-trials.jsonl --jobs 2    answers are computed in two processes

  referee study simulate STUDY --participants 0 --browser 2                        two in a real Chromium

Answers go into the study's data in mode debug, marked as simulated; they never mix with those of people in pilot or live mode. Ends with 1 when an
acknowledged answer is missing or stored twice.
""")


@app.command(epilog=EPILOG)
def simulate(
    study: options.StudyFolder,
    hearer: Annotated[
        str, typer.Option(help="Hearer that answers (referee list hearers), with its switches.")
    ] = "noisy",
    participants: Annotated[int, typer.Option(help="Number of participants.", min=0)] = 24,
    browser: Annotated[
        int, typer.Option(help="Further participants in a real Chromium, on the real pages.", min=0)
    ] = 0,
    faults: Annotated[str, typer.Option(help="loss, delay, duplicate, reload, skew, with commas.")] = "",
    share: Annotated[float, typer.Option(help="Proportion of requests or trials with a fault.", min=0, max=0.9)] = 0.1,
    seed: Annotated[int, typer.Option(help="Seed of the participants and their answers.", min=0)] = 1,
    train: Annotated[Path | None, typer.Option(help="JSONL trials to train the hearer on.")] = None,
    study_mode: Annotated[
        bool,
        typer.Option("--study-mode", help="Mode of the study that they take part in (for studies without people)."),
    ] = False,
    jobs: options.OneJob = None,
    engine: options.EngineName = "local",
    shard: Annotated[int, typer.Option(help="Participants per piece of work; affects speed only.", min=1)] = 1,
    address: options.Address = None,
    database: options.Database = None,
) -> int:
    """Let simulated participants play a study from the first page to the code."""
    from referee.engines.choice import make_process_engine
    from referee_lab.bots.faults import Faults
    from referee_lab.bots.simulation import simulate as play

    # Before the study is opened: a mistyped fault must not leave half a rehearsal behind.
    network_faults = Faults.named([f.strip() for f in faults.split(",") if f.strip()], share)
    thinking = make_process_engine(engine, jobs, address)
    code = 0
    if participants:
        with show_steps(f"{study.name}: answers") as watch:
            played = play(
                study,
                hearer,
                participants=participants,
                seed=seed,
                faults=network_faults,
                mode=None if study_mode else "debug",
                train=train,
                database=database,
                engine=thinking,
                shard=shard,
                watch=watch,
            )
        endings = ", ".join(f"{n} {name}" for name, n in sorted(played.endings.items()))
        print(
            f"{played.participants} simulated participants ({hearer}): {endings}; "
            f"{played.answers:,} answers acknowledged in {played.seconds:.1f} s"
        )
        if network_faults.kinds:
            print("faults: " + ", ".join(f"{played.faults[kind]} {kind}" for kind in sorted(network_faults.kinds)))
        print(f"lost: {played.lost}, twice: {played.twice}")
        code = 0 if played.sound else 1
    if browser:
        from referee_lab.bots.chromium import play_in_chromium

        for line in play_in_chromium(study, browser, database=database):
            print(line)
    print(f"Next: `referee study export {study}`, `referee study analyse {study}`")
    return code
