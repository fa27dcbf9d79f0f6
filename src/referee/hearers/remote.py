"""A remote listener: any model behind an OpenAI-compatible endpoint, asked which object is meant (the listener side of reference-game benchmarks).

It sees what every hearer sees, in an order of its own that changes with every vote, and may always say several, none or that it does not know. An answer that
cannot be read is UNPARSABLE, a question that nobody answered TIMEOUT; neither is a wrong answer. Kept calls are looked up first, so work goes on after a break.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from referee.drawing import draw_numbered
from referee.errors import InputError
from referee.hearers.answering import NONE, SEVERAL, Listener, answer, shrug
from referee.llm.answer_reading import AnswerKind, kind_of
from referee.llm.model_client import ModelClient, object_line
from referee.records import Description, Entity, HearerView, Outcome, Response, Scene

__all__ = ["Remote", "build_question", "read_choice"]

CHOICES = ("number", "free")
DONT_KNOW = "dont-know"
UNREAD = "unparsable"
UNANSWERED = "unanswered"
SHRUGS = {DONT_KNOW: Outcome.DONT_KNOW, UNREAD: Outcome.UNPARSABLE, UNANSWERED: Outcome.TIMEOUT}
SAID = {"several": SEVERAL, "none": NONE, "unknown": DONT_KNOW}
BARE = re.compile(r"(?:(?:the )?(?:answer|object|number)\s*(?:is|:)?\s*)?(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(eq=False, repr=False)
class Remote(ModelClient, Listener):
    """Asks a model which object is meant, `votes` times, each time in another order; belief is the share of votes.

    `choice` is "number" (multiple choice from a numbered list) or "free" (the model repeats the line of the object it means). With `image` the scene is also
    sent as a picture, with the numbers of the list; without `words` the picture is all there is. `draw` is another way of turning a scene, in the order
    shown, into a PNG. The other parameters are those of the endpoint; the key is read from the environment.
    """

    name = "remote"
    keeps_failures = False  # an unanswered question is no answer of a hearer, and is asked again
    offline_remedy = "listen online"

    model: str = ""
    endpoint: str = "http://localhost:8000/v1"
    key_variable: str = "OPENAI_API_KEY"
    choice: str = "number"
    votes: int = 1
    temperature: float = 0.0
    max_tokens: int = 60
    seed: int = 1
    parallel: int = 4
    per_minute: float = 0.0
    timeout_s: float = 60.0
    tries: int = 4
    pause_s: float = 1.0
    image: bool = False
    words: bool = True
    draw: Callable[[Scene], bytes] | None = None

    def resolve(self, description: Description, view: HearerView) -> Response:
        self._check()
        text = (description.text or "").strip() or _as_text(description)
        if not text:
            return shrug(self.name, view, Outcome.DONT_KNOW)
        votes: Counter[str] = Counter()
        for vote in range(self.votes):
            entities = list(view.scene.entities)
            # From question and vote alone, so that a run taken up again asks the very same.
            Random(f"{self.seed}|{view.id}|{text}|{vote}").shuffle(entities)
            shown = replace(view.scene, entities=tuple(entities))
            votes[self._vote(text, shown, view)] += 1
        return self._count(votes, view)

    def _count(self, votes: Counter[str], view: HearerView) -> Response:
        """Shares of the votes that say something about the scene; without any, the commonest reason for that."""
        flags = tuple(
            f"{votes[name]} of {self.votes} votes {name}" for name in SHRUGS if votes[name] and self.votes > 1
        )
        meaning = {name: n for name, n in votes.items() if name not in SHRUGS}
        if not meaning:
            return shrug(self.name, view, SHRUGS[votes.most_common(1)[0][0]], flags)
        shares = [float(meaning.get(e.id, 0)) for e in view.scene.entities]
        return answer(self.name, view, shares, meaning.get(SEVERAL, 0), meaning.get(NONE, 0), flags)

    def _vote(self, text: str, shown: Scene, view: HearerView) -> str:
        draw = self.draw or (draw_numbered if self.image else None)
        content = build_question(text, shown.entities, self.choice, draw(shown) if draw else None, self.words)
        call = self.ask([{"role": "user", "content": content}], view.id)
        kind = kind_of(call)
        if kind is AnswerKind.WHOLE:
            return read_choice(call.content or "", shown.entities, self.choice)
        # A refusal names no object either.
        return UNANSWERED if kind is AnswerKind.FAILED else UNREAD

    def _check(self) -> None:
        if not self.model:
            raise InputError("no model is named", remedy='say which: --hearer "remote|model:NAME|endpoint:URL"')
        if self.choice not in CHOICES or self.votes < 1:
            raise InputError(
                f"choice is {self.choice!r} and votes {self.votes}",
                remedy="choice:number or choice:free, votes:1 or more",
            )
        if not self.words and (self.choice != "number" or not (self.image or self.draw)):
            raise InputError(
                "without words there is nothing to choose from", remedy="words:no needs image:yes and choice:number"
            )


def _as_text(description: Description) -> str:
    """A description that was never put into words, as a list of its properties."""
    return ", ".join(
        f"{p.name.replace('landmark.', 'landmark ')} {p.value}".strip() for p in description.properties or ()
    )


def build_question(
    text: str, entities: Sequence[Entity], choice: str = "number", image: bytes | None = None, words: bool = True
) -> str | list[dict[str, Any]]:
    """What the model reads: the objects in the order given, without their ids, and the description; with an image, as two parts.

    Without `words` the objects are only numbered in the picture, not listed.
    """
    form = "the number of the object" if choice == "number" else "the line of the object, repeated exactly"
    question = (
        f"The description: {text!r}\n\nWhich object is meant? Answer with {form} alone; with the word several if it fits more than one equally well, "
        "with none if it fits no object, with unknown if you cannot tell."
    )
    shown = (
        _listed(entities, choice)
        if words
        else f"the {len(entities)} objects in the picture. Each has its number at its upper left."
    )
    asked = f"Somebody described one of {shown}\n\n{question}"
    if image is None:
        return asked
    picture = {"url": f"data:image/png;base64,{b64encode(image).decode()}"}
    return [{"type": "text", "text": asked}, {"type": "image_url", "image_url": picture}]


def _listed(entities: Sequence[Entity], choice: str) -> str:
    places = {e.id: i for i, e in enumerate(entities, 1)}
    lines = [object_line(e, places) for e in entities]
    numbered = (
        [f"{i}. {line}" for i, line in enumerate(lines, 1)] if choice == "number" else [f"- {li}" for li in lines]
    )
    return "these objects:\n" + "\n".join(numbered)


def read_choice(content: str, entities: Sequence[Entity], choice: str = "number") -> str:
    """The id of the entity chosen, ``several``, ``none``, ``dont-know``, or ``unparsable`` for anything else."""
    found = BARE.fullmatch(content.strip())
    bare = (found[1] if found else "").strip().strip("\"'`*.-#()[] \n").lower()
    if bare in SAID:
        return SAID[bare]
    if choice == "number":
        place = int(bare) if bare.isascii() and bare.isdigit() and len(bare) < 6 else 0
        return entities[place - 1].id if 0 < place <= len(entities) else UNREAD
    places = {e.id: i for i, e in enumerate(entities, 1)}
    meant = [e.id for e in entities if object_line(e, places).strip("\"'`*.-#()[] \n").lower() == bare]
    return UNREAD if not meant else meant[0] if len(meant) == 1 else SEVERAL
