"""A vision-language model as speaker.

It receives the picture with the target marked (box, arrow, crop, position in words), and describes it.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from referee.errors import InputError
from referee.grounding.marks import WAYS, mark_target, place_in_words
from referee.grounding.pictures import checked, open_picture
from referee.models.messages import Picture, make_message
from referee.models.model_client import ModelClient
from referee.records import Description, SpeakerView, Trial
from referee.systems.language_model import interpret_call

SHOWN = {
    "box": "In the picture one thing has a red box around it.",
    "arrow": "In the picture a red arrow points at one thing.",
    "crop": "The first picture is the whole; the second shows one thing of it, cut out.",
    "words": "One thing in the picture is meant. It reaches {place}.",
}
TASK = (
    " Describe that thing so that a listener who sees the same picture, without any mark, can find it."
    " Do not mention the mark. Answer with the description alone, on one line."
)


@dataclass(eq=False, repr=False, kw_only=True)
class VisionSpeaker(ModelClient):
    """Asks a vision model to describe the target; options as for `ModelClient`.

    Args:
        pictures: the folder of the pictures.
        mark: how the target is marked: "box", "arrow", "crop" (beside the whole picture) or "words".
    """

    pictures: str = ""
    mark: str = "box"

    trouble_: str = field(default="", init=False)

    learns: ClassVar[bool] = False

    def fit(self, trials: Iterable[Trial]) -> Self:
        return self

    def describe(self, view: SpeakerView) -> Description:
        """Return the model's description; empty if it gave none."""
        call = self.ask([self._build_question(view)], view.id)
        outcome, description = interpret_call(call, "text")
        self.trouble_ = "" if outcome == "answered" else f"{outcome}: {call.failure or (call.content or '')[:80]!r}"
        self.count(outcome, call)
        return description

    def _build_question(self, view: SpeakerView) -> dict[str, Any]:
        """Return the question with the marked picture. Raises InputError for missing or invalid options."""
        ways = [way for way in WAYS if way != "none"]
        if self.mark not in ways:
            raise InputError(f"{self.mark!r} is no way to mark a target", remedy=f"mark is one of {', '.join(ways)}")
        if not self.model or not self.pictures:
            lacking = "no model is named" if not self.model else "the folder of the pictures is unknown"
            raise InputError(lacking, remedy='say so: --systems "llm/looking|model:NAME|endpoint:URL|pictures:FOLDER"')
        picture = view.scene.picture
        region = view.scene.entity(view.targets[0]).region if len(view.targets) == 1 else None
        if picture is None or region is None:
            raise InputError(
                f"trial {view.id!r} has no picture in which the target is one region",
                remedy="choose a corpus of pictures",
            )
        path = checked(self.pictures, picture)
        if self.mark == "words":
            words = SHOWN["words"].format(place=place_in_words(region, picture.size))
            return make_message("user", words + TASK, [Picture(path)])
        file = io.BytesIO()
        mark_target(open_picture(path), region, self.mark).save(file, "PNG")
        marked = Picture(file.getvalue())
        return make_message(
            "user", SHOWN[self.mark] + TASK, [Picture(path), marked] if self.mark == "crop" else [marked]
        )
