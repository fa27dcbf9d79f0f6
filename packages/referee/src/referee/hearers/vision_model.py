"""A vision-language model as hearer.

It receives the picture and the description, and answers with a box, a point, or the number of a mark.

The answer format (`form`) and the meaning of its numbers (the form's convention, or `convention`) are declared and
signed. An unparsable answer is UNPARSABLE; a question without an answer is a TIMEOUT, which is no evidence about the
model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from referee.catalogue import check_choice
from referee.errors import InputError
from referee.geometry import Convention, Resize, WrongConvention
from referee.grounding.marks import number_marks
from referee.grounding.pictures import checked, encode_png, open_picture, resized
from referee.hearers.answering import Listener, answer, make_undecided_response
from referee.hearers.remote import get_description_text
from referee.models.answers.calls import FAILED, flags_of
from referee.models.answers.parsing import ParsedAnswer
from referee.models.answers.place_forms import FORMS
from referee.models.answers.place_outcomes import as_place_answer
from referee.models.messages import Picture
from referee.models.model_client import ModelClient
from referee.records import NOT_ANSWERED, Description, HearerView, Outcome, Response

ANSWERS = ("box", "point", "mark")
ASKED = {
    "box": "Where is it in the picture? Answer with its bounding box alone.",
    "point": "Where is it in the picture? Answer with one point on it alone.",
    "mark": "Every candidate in the picture has a number at its upper left. Answer with the number of the one that is meant, alone.",
}
OTHERWISE = (
    " If it fits several things equally well, answer with the word several; if it is not there, with the word none."
)
WORDS = {"several": Outcome.SEVERAL, "none": Outcome.NONE, "unknown": Outcome.DONT_KNOW}


@dataclass(eq=False, repr=False, kw_only=True)
class VisionModel(ModelClient, Listener):
    """Asks a vision model; options as for `ModelClient`.

    Args:
        pictures: the folder of the pictures.
        answer: "box", "point", or "mark" (all candidates are outlined and numbered for it).
        form: its answer format (`referee.models.answers.place_forms`): qwen2.5-vl, internvl, molmo, json …
        convention: the meaning of its numbers, if it differs from the form's default.
        resize: how pictures are resized before they are sent (longest-768, area-1048576, 1036x1036, qwen28, square …; `referee.geometry.Resize`).
            Answers in pixels refer to the resized picture; empty: not resized. Size and rule are stored with every call.
        contract: the version of the form in which it is asked for a mark (`ModelClient.ask_by_contract`). 3: by a JSON schema where the endpoint supports one,
            otherwise with a final line ``ANSWER: …``, and once more if the answer is unparsable; 2: without the repetition; 1: as free text.
    """

    name = "sight/model"
    learns = False
    keeps_failures: ClassVar[bool] = False
    offline_remedy: ClassVar[str] = "listen online"

    pictures: str = ""
    answer: str = "box"
    form: str = "json"
    convention: str = ""
    resize: str = ""
    contract: int = 3

    @property
    def marks(self) -> bool:
        """Regions are shown only to who chooses among them."""
        return self.answer == "mark"

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Ask the model for the place or mark of the description."""
        meaning = self._check_options()
        text = get_description_text(description)
        if not text:
            return make_undecided_response(self.name, view, Outcome.DONT_KNOW)
        words = f"The description: {text!r}\n\n{ASKED[self.answer]}{OTHERWISE}"
        pictures = [Picture(self._mark_picture(view), self.resize)]
        ask = partial(self.ask_and_parse, words, view.id, pictures=pictures, language=view.language)
        if self.answer == "mark":
            answers = [*(str(i) for i in range(1, len(view.scene.entities) + 1)), *WORDS]
            _, parsed = ask("choice", answers, options=len(view.scene.entities))
        else:
            # Families of models write places in forms of their own; a schema would ask for another.
            _, parsed = ask("place", form=self.form, convention=meaning)
        if parsed.outcome == FAILED:
            return make_undecided_response(self.name, view, Outcome.TIMEOUT, (NOT_ANSWERED,))
        return self._make_response(parsed, view)

    def _make_response(self, parsed: ParsedAnswer, view: HearerView) -> Response:
        """Return the parsed answer as a response."""
        if self.answer != "mark":
            place = as_place_answer(parsed)
            flags = flags_of(parsed)
            return Response(trial=view.id, hearer=self.name, outcome=place.outcome, places=place.places, flags=flags)
        if isinstance(parsed.value, int):
            shares = [float(i == parsed.value - 1) for i in range(len(view.scene.entities))]
            return answer(self.name, view, shares, flags=flags_of(parsed))
        unread = Outcome.REFUSED if parsed.outcome == "refused" else Outcome.UNPARSABLE
        return make_undecided_response(self.name, view, WORDS.get(parsed.value, unread), flags_of(parsed))

    def _mark_picture(self, view: HearerView) -> bytes | Path:
        """Return the picture as it is on disk, or with numbered marks."""
        if view.scene.picture is None:
            raise InputError(f"trial {view.id!r} has no picture", remedy="choose a corpus of pictures")
        path = checked(self.pictures, view.scene.picture)
        if self.answer != "mark" and not self.resize:
            return path
        picture = open_picture(path)
        if self.answer != "mark":
            return encode_png(resized(picture, Resize(self.resize)))
        regions = [e.region for e in view.scene.entities if e.region is not None]
        if len(regions) < len(view.scene.entities):
            raise InputError(
                f"not every candidate of trial {view.id!r} has a region", remedy="ask for a box or a point"
            )
        marked = number_marks(picture, regions)
        return encode_png(resized(marked, Resize(self.resize)) if self.resize else marked)

    def _check_options(self) -> Convention | None:
        """Raise InputError for missing or invalid options; return the convention of the numbers."""
        if not self.model or not self.pictures:
            lacking = "no model is named" if not self.model else "the folder of the pictures is unknown"
            raise InputError(
                lacking, remedy='say so: --hearer "sight/model|model:NAME|endpoint:URL|pictures:FOLDER|form:qwen2.5-vl"'
            )
        check_choice("answer", self.answer, ANSWERS)
        check_choice("form", self.form, tuple(FORMS))
        try:
            return self._interpret_numbers()
        except WrongConvention as wrong:
            raise InputError(str(wrong), remedy="convention:pixels xyxy, or resize:longest-768, for example") from None

    def _interpret_numbers(self) -> Convention | None:
        """Return the meaning of the answer's numbers; with `resize`, they refer to the resized picture."""
        declared = Convention.of(self.convention) if self.convention else None
        if not self.resize:
            return declared
        meaning, sent = declared or Convention.of(FORMS[self.form].convention), Resize(self.resize)
        if meaning.sent not in (None, sent):
            raise InputError(
                f"answers are about a picture resized by {meaning.sent.rule}, but resize is {self.resize}",
                remedy=f"resize:{meaning.sent.rule}, or leave resize out",
            )
        return replace(meaning, sent=sent)
