"""Trials as little cards of HTML for notebooks: the scene drawn with its target framed, and what was said below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from referee.records import Description, Scene, Trial
from referee.show.drawing.scene_pictures import draw_scene

__all__ = ["scene_card", "side_by_side", "trial_card"]

STYLE = "display:inline-block;vertical-align:top;margin:0 12px 12px 0;max-width:340px;font-size:13px;line-height:1.4"
# A scene of fifty things is no picture any more, and a notebook keeps every one of them.
MOST = 40


def trial_card(trial: Trial, lines: Sequence[str] = ()) -> str:
    """A trial: its scene, its name, `lines` about it, and what people said (three of them at most)."""
    about = ", ".join(x for x in (trial.domain, trial.condition) if x)
    said = [f"people: {_words(r)}" for r in trial.references[:3]]
    more = [f"… and {len(trial.references) - 3} more"] if len(trial.references) > 3 else []
    head = f"{trial.id}{f' ({about})' if about else ''}"
    return scene_card(trial.scene, trial.targets, head, [*lines, *said, *more])


def scene_card(scene: Scene, targets: Iterable[str], head: str, lines: Iterable[str] = ()) -> str:
    """A scene with some entities framed, a heading and lines of text."""
    if len(scene.entities) > MOST:
        picture = f"<em>{len(scene.entities)} entities: too many for a picture</em>"
    else:
        known = {e.id for e in scene.entities}
        picture = draw_scene(scene, mark=[t for t in targets if t in known]).replace(
            "<svg", '<svg style="max-width:100%;height:auto"', 1
        )
    text = "".join(f"<div>{escape(line)}</div>" for line in lines)
    return f'<div style="{STYLE}"><div><b>{escape(head)}</b></div>{picture}{text}</div>'


def side_by_side(cards: Iterable[str]) -> str:
    return f"<div>{''.join(cards)}</div>"


def _words(said: Description) -> str:
    if said.text is not None:
        return f"“{said.text}”"
    return ", ".join(map(str, said.properties or ())) or "(nothing)"
