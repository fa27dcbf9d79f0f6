"""`referee study show`: one session step by step, as plain text."""

from __future__ import annotations

from typing import Annotated

import typer

from referee_lab.commands import options

app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee study show STUDY

  referee study show STUDY --list L02 --seed 7
""")
)
def show(
    study: options.AnyStudyFolder,
    chosen: Annotated[
        str | None, typer.Option("--list", help="List to show (default: the first).", show_default="the first")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the session.")] = 1,
) -> int:
    """The plan of one session, with the systems and targets that participants never see."""
    from referee_lab.server.sessions.plan import make_plan
    from referee_lab.study.folder.study import open_study

    opened = open_study(study)
    plan = make_plan(opened, chosen or opened.lists[0].id, seed)
    print(f"{opened.title}: list {plan.list_id}, seed {seed}, {len(plan.steps)} steps, about {opened.minutes} minutes")
    for step in plan.steps:
        stimulus = step.stimulus
        shown = step.shown.parameters
        what = (
            _get_first_line(str(shown.get("html", "")))
            if stimulus is None
            else str(shown.get("text", shown.get("pairwise", "")))
        )
        behind = "" if stimulus is None else f"  [{stimulus.id} → {', '.join(stimulus.trial.targets)}]"
        print(f"{step.index:>4}  {step.kind:<9} {what}{behind}")
    return 0


def _get_first_line(html: str) -> str:
    """Return the first line of an HTML text without tags."""
    import re

    return re.sub(r"<[^>]+>", "", html.strip().partition("\n")[0])
