"""`referee describe`: describes one object of a scene, on request with reasons."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from referee.cli import options, print_note, print_warning
from referee.cli.progress import show_clock
from referee.errors import NotTrained
from referee.jobs.describe import (
    DEFAULT_SYSTEM,
    Described,
    add_taxonomy,
    correct_names,
    describe_view,
    make_view,
    read_scene,
)
from referee.jobs.open import open_corpus
from referee.meaning import as_json
from referee.records import SpeakerView, Trial

app = options.make_app()

EPILOG = options.examples("""
  referee describe scene.json --target a

  referee describe scene.json --target a --explain                          the entities that each property excludes

  referee describe scene.json --target a --system classic/full-brevity --format json

  referee describe scene.json --target a,b --system classic/boolean         several objects at once

SCENE.json: {"entities": [{"id": "a", "attributes": {"type": "chair", "colour": "red"}}, …]}; - reads standard input.
Values may be text, numbers, true or false.
""")


@app.command(epilog=EPILOG)
def describe(
    scene: Annotated[str, typer.Argument(help="A JSON file with the scene, or - for standard input.")],
    target: Annotated[str, typer.Option("--target", "-t", help="The entity's id; several with commas.")] = "",
    system: Annotated[
        str, typer.Option("--system", "-s", help="Which system describes (referee list systems).")
    ] = DEFAULT_SYSTEM,
    taxonomy: Annotated[
        str | None,
        typer.Option(
            "--taxonomy", help='A JSON file: {"taxonomy": {"type": {"poodle": "dog"}}, "basic": {"type": ["dog"]}}.'
        ),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Also say why, step by step.")] = False,
    corpus: Annotated[
        str | None, typer.Option("--corpus", "-c", help="Train on this corpus (default where needed: synthetic).")
    ] = None,
    data: options.Data = None,
    reading: options.Reading = None,
    form: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
) -> int:
    """Describe one object so that it can be distinguished from the others."""
    options.check_form(form)
    # Read here and not in `make_view`, so that errors name the file, or - for standard input.
    view = make_view(read_scene(scene), _split_targets(target), where=scene)
    if taxonomy is not None:
        view = add_taxonomy(view, taxonomy)
    for name, meant in correct_names(view.scene).items():
        print_warning(
            f"warning: speakers here have words for {meant!r}; the scene has {name!r} instead: did you mean {meant}?"
        )
    trials = open_corpus(corpus, data=data, reading=reading).trials() if corpus else None
    described, trained_on = _describe_target(view, system, trials, corpus)
    if form == "json":
        print(json.dumps(_convert_to_json(described, view, system, trained_on), ensure_ascii=False, indent=1))
    else:
        _print_description(described, explain)
    _print_warnings(described)
    # A warning does not change the exit code; a missing description, and words that differ from the chosen properties,
    # do.
    return 0 if described.description.text and not described.dropped and not described.false else 1


def _split_targets(text: str) -> list[str]:
    return [t.strip() for t in text.split(",") if t.strip()]


def _describe_target(
    view: SpeakerView, system: str, trials: Iterable[Trial] | None, corpus: str | None
) -> tuple[Described, str | None]:
    """Return a system's description of the target.

    One that needs training without a corpus uses the shipped one, with a note.
    """
    try:
        with show_clock(f"{system} learns" if trials is not None else system):
            return describe_view(view, system, trials), corpus
    except NotTrained:
        # With a named corpus, the answer must not come from training on another one.
        if corpus is not None:
            raise NotTrained(system, f"{corpus} has no trials to learn from; name another --corpus") from None
    print_note(f"{system} learns from data: trained on the shipped synthetic corpus (--corpus takes another)")
    with show_clock(f"{system} learns"):
        return describe_view(view, system, open_corpus("synthetic").trials()), "synthetic"


def _convert_to_json(described: Described, view: SpeakerView, system: str, trained_on: str | None) -> dict[str, Any]:
    """Return the description as JSON values."""
    description = described.description
    return {
        "target": list(view.targets),
        "system": system,
        "text": description.text,
        "properties": None if description.properties is None else [list(p) for p in description.properties],
        "meaning": None if description.meaning is None else as_json(description.meaning),
        "distinguishing": described.distinguishing,
        "also": list(described.also),
        "said": [list(p) for p in described.said],
        "dropped": [list(p) for p in described.dropped],
        "false": [list(p) for p in described.false],
        "unread": list(described.unread),
        "trouble": described.trouble or None,
        "trained_on": trained_on,
        "steps": [
            {
                "property": None if step.property is None else list(step.property),
                "reason": step.reason,
                "ruled_out": list(step.ruled_out),
                "remaining": step.remaining,
            }
            for step in described.steps
        ],
    }


def _print_description(described: Described, explain: bool) -> None:
    """Print the description, with its steps if requested."""
    if explain:
        for number, step in enumerate(described.steps, 1):
            # A relation is named by its reason.
            what = f"{step.property}: " if step.property is not None and step.property.value else ""
            gone = f"; rules out {_join_names(step.ruled_out)}" if step.ruled_out else ""
            print(f"{number}. {what}{step.reason}{gone}; {step.remaining} left")
    print(described.description.text or "(nothing)")


def _print_warnings(described: Described) -> None:
    """Print warnings on false, dropped or insufficient properties."""
    if not described.description.text:
        print(f"referee: no description: {described.trouble or 'the system gave no words'}", file=sys.stderr)
        return
    if described.false:
        what = ", ".join(map(str, described.false))
        print(f"error: this is not true of the target: {what}", file=sys.stderr)
    if described.dropped:
        what = ", ".join(map(str, described.dropped))
        print(f"error: this was chosen, but the words do not say it: {what}", file=sys.stderr)
    if described.distinguishing is False:
        others = f": it is also true of {_join_names(described.also)}" if described.also else ""
        # On standard error: in a pipe the description stands alone.
        print(f"warning: this does not single out the target{others}", file=sys.stderr)


def _join_names(ids: tuple[str, ...]) -> str:
    return ", ".join(ids[:8]) + (f" and {len(ids) - 8} more" if len(ids) > 8 else "")
