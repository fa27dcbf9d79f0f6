"""Invented annotated descriptions, written as "the [red|colour:red] [chair|type:chair]", for the tests of realisers."""

from __future__ import annotations

import re

from referee.records import Description, Entity, Property, Scene, Span, SpeakerView, Trial

__all__ = ["props", "say", "tell", "view"]


def props(written: str) -> tuple[Property, ...]:
    """ "colour:red size:large" as properties."""
    return tuple(Property(*pair.split(":")) for pair in written.split())


def _spans(markup: str) -> tuple[Span, ...]:
    spans = []
    for marked, meaning, plain in re.findall(r"\[([^|\]]*)\|([^\]]*)\]|([^\s\[\]]+)", markup):
        spans.append(Span(marked, props(meaning)) if marked else Span(plain))
    return tuple(spans)


def tell(
    markup: str, speaker: str = "s1", domain: str = "furniture", image: str | None = None, number: int = 0
) -> Trial:
    """A trial whose only reference is the annotated string; the target has just the properties it expresses."""
    spans = _spans(markup)
    said = tuple(dict.fromkeys(p for span in spans for p in span.properties))
    scene = Scene(entities=(Entity(id="t", attributes=said, image=image), Entity(id="d")))
    reference = Description(properties=said, text=" ".join(s.text for s in spans), spans=spans, speaker=speaker)
    name = f"{speaker}-{number}-{markup}"
    return Trial(id=name, scene=scene, targets=("t",), domain=domain, speaker=speaker, references=(reference,))


def view(speaker: str = "s1", domain: str = "furniture", image: str | None = None) -> SpeakerView:
    scene = Scene(entities=(Entity(id="t", image=image), Entity(id="d")))
    return SpeakerView(id="v", scene=scene, targets=("t",), domain=domain, speaker=speaker)


def say(realiser: object, written: str, **who: str) -> str:
    """What a realiser makes of some properties."""
    return realiser.realise(props(written), view(**who))  # type: ignore[attr-defined]
