"""Trials as HTML cards for notebooks: the scene with its target framed, and its descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from referee.records import Description, Scene, Trial
from referee.show.drawing.scene_pictures import draw_scene
from referee.show.pages import render

# A scene of fifty things is no picture any more, and a notebook keeps every one of them.
MOST = 40


def make_trial_card(trial: Trial, lines: Sequence[str] = ()) -> Markup:
    """Return a card of a trial: its scene, its id, `lines` about it, and up to three references."""
    about = ", ".join(x for x in (trial.domain, trial.condition) if x)
    references = [f"people: {_format_description(r)}" for r in trial.references[:3]]
    more = [f"… and {len(trial.references) - 3} more"] if len(trial.references) > 3 else []
    head = f"{trial.id}{f' ({about})' if about else ''}"
    return make_scene_card(trial.scene, trial.targets, head, [*lines, *references, *more])


def make_scene_card(scene: Scene, targets: Iterable[str], head: str, lines: Iterable[str] = ()) -> Markup:
    """Return a scene with some entities framed, a heading and lines of text."""
    is_drawn = len(scene.entities) <= MOST
    ids = {e.id for e in scene.entities}
    picture = draw_scene(scene, mark=[t for t in targets if t in ids]) if is_drawn else ""
    return render(
        "notebook/scene_card.html",
        head=head,
        picture=picture.replace("<svg", '<svg style="max-width:100%;height:auto"', 1),
        entities=len(scene.entities),
        lines=lines,
    )


def _format_description(description: Description) -> str:
    """Return a description in quotation marks, or its properties."""
    if description.text is not None:
        return f"“{description.text}”"
    return ", ".join(map(str, description.properties or ())) or "(nothing)"
