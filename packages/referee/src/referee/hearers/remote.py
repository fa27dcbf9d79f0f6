"""A remote listener.

Any model behind an OpenAI-compatible endpoint that chooses an object (the listener side of reference-game
benchmarks).

Its view is that of every hearer, in an order that rotates with every vote and is stored with the answer; it may always
answer several, none or don't know. An unparsable answer is UNPARSABLE. A question without an answer is TIMEOUT with the
flag "not answered", which statistics leave out: it is no evidence about the hearer. Cached calls are used first, so
interrupted work resumes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar

from referee.errors import InputError
from referee.hearers.answering import NONE, SEVERAL, Listener, answer, make_undecided_response
from referee.models.answers.calls import FAILED, OUTCOMES, flags_of, parse_call
from referee.models.answers.cleaning import clean_answer
from referee.models.answers.parsing import parse_answer
from referee.models.messages import Picture, make_message
from referee.models.model_client import ModelClient
from referee.models.prompt_files import PromptFile, fill_prompt
from referee.models.response_cache import Call
from referee.realisation.english import ENGLISH
from referee.records import NOT_ANSWERED, Description, Entity, HearerView, Outcome, Response, Scene
from referee.show.drawing import draw_numbered
from referee.systems.object_lists import check_places, format_objects

CHOICES = ("number", "free")
DONT_KNOW = "dont-know"
UNREAD = "unparsable"
UNANSWERED = "unanswered"
SHRUGS = {DONT_KNOW: Outcome.DONT_KNOW, UNREAD: Outcome.UNPARSABLE, UNANSWERED: Outcome.TIMEOUT}
WORDS = {"several": SEVERAL, "none": NONE, "unknown": DONT_KNOW}
MARKS = "\"'`*.-#()[] \n"
SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "choice",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"answer": {"type": "string"}},
            "required": ["answer"],
            "additionalProperties": False,
        },
    },
}
# Endpoints return at most twenty likelihoods.
MOST_LOGPROBS = 20


@dataclass(eq=False, repr=False, kw_only=True)
class Remote(ModelClient, Listener):
    """Asks a model which object is meant, `votes` times, each time in another order.

    Belief is the share of votes. `ModelClient` has the other switches.

    Args:
        choice: "number" (multiple choice from a numbered list) or "free" (the model repeats the line of the object it means).
        votes: how often, each time with the objects turned on by some places.
        logprobs: take belief from the probabilities of the answer's token, where the endpoint gives them.
        image: also sends the scene as a picture, with the numbers of the list.
        words: lists the objects; without it the picture is all there is.
        places: as "coordinates", "words" or "none".
        draw: another way of turning a scene, in the order shown, into a PNG.
        seed: of further orders, where there are more votes than objects.
        contract: the version of the form in which it is asked to answer (`ModelClient.ask_by_contract`). 3: by a JSON schema where the endpoint supports one,
            otherwise with a final line ``ANSWER: …``, and once more where the answer is unread; 2: without the second question; 1: in free words.
    """

    name = "remote"
    keeps_failures: ClassVar[bool] = False  # an unanswered question is no answer of a hearer, and is asked again
    offline_remedy: ClassVar[str] = "listen online"

    choice: str = "number"
    votes: int = 1
    logprobs: bool = False
    image: bool = False
    words: bool = True
    places: str = "coordinates"
    draw: Callable[[Scene], bytes] | None = None
    seed: int = 1
    contract: int = 3

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Ask the model once per vote and return the combined response."""
        self._check_options()
        text = get_description_text(description)
        if not text:
            return make_undecided_response(self.name, view, Outcome.DONT_KNOW)
        votes: Counter[str] = Counter()
        shown: list[str] = []
        problems: list[str] = []
        for vote in range(self.votes):
            scene = self._rotate_scene(view.scene, text, view.id, vote)
            belief, flags = self._ask_vote(text, scene, view, vote)
            problems += flags
            for name, share in belief.items():
                votes[name] += share  # type: ignore[assignment]
            # In the shown order, with the choice: effects of position can be measured only from these.
            shown.append(
                f"vote {vote + 1}: shown {' '.join(e.id for e in scene.entities)}; chose {_get_most_probable(belief)}"
            )
        return self._count_votes(votes, view, [*shown, *problems])

    def _rotate_scene(self, scene: Scene, text: str, trial: str, vote: int) -> Scene:
        """Return the scene with its view rotated by equal steps, so that over the votes every object is in different
        positions.
        """
        entities = list(scene.entities)
        n = len(entities)
        if not n:
            return scene
        rounds, turn = divmod(vote, n)
        if rounds:
            # From question and round alone, so that a resumed run asks the identical question.
            Random(f"{self.seed}|{trial}|{text}|{rounds}").shuffle(entities)
        step = turn * max(1, n // min(n, self.votes)) % n
        return replace(scene, entities=tuple(entities[step:] + entities[:step]))

    def _count_votes(self, votes: Mapping[str, float], view: HearerView, shown: Sequence[str]) -> Response:
        """Return the proportions of votes about the scene; without any, the most common reason for that."""
        flags = tuple(
            f"{votes[name]:g} of {self.votes} votes {name}" for name in SHRUGS if votes.get(name) and self.votes > 1
        )
        meaning = {name: n for name, n in votes.items() if name not in SHRUGS and n}
        if not meaning:
            reason = max(votes, key=lambda name: votes[name])
            unanswered = (NOT_ANSWERED,) if reason == UNANSWERED else ()
            return make_undecided_response(self.name, view, SHRUGS[reason], (*flags, *unanswered, *shown))
        shares = [float(meaning.get(e.id, 0)) for e in view.scene.entities]
        return answer(self.name, view, shares, meaning.get(SEVERAL, 0), meaning.get(NONE, 0), (*flags, *shown))

    def _ask_vote(
        self, text: str, shown: Scene, view: HearerView, vote: int
    ) -> tuple[dict[str, float], tuple[str, ...]]:
        """Return the probabilities from one question (1 for the answer, or its own), and the flags of the answer."""
        draw = self.draw or (draw_numbered if self.image else None)
        template = self.prompt if isinstance(self.prompt, PromptFile) and self.prompt else None
        words = self._word_question(text, shown, view, template)
        if self.schema:
            words += ' Write it as JSON: {"answer": "…"}.'
        pictures = [Picture(draw(shown))] if draw else []
        # Warm answers differ from one time to the next: each vote is a sample of its own.
        sample = self.sample * self.votes + vote if self.temperature != 0 else self.sample
        if self.choice == "number" and template is None and not self.logprobs:
            answers = [*(str(i) for i in range(1, len(shown.entities) + 1)), *WORDS]
            _, parsed = self.ask_and_parse(
                words,
                view.id,
                "choice",
                answers,
                pictures=pictures,
                sample=sample,
                language=view.language,
                more=self._make_request_options(),
                options=len(shown.entities),
            )
            chosen = UNANSWERED if parsed.outcome == FAILED else _resolve_choice(parsed.value, shown.entities)
            return {chosen: 1.0}, flags_of(parsed)
        # Prompts of one's own, lines to repeat and probabilities of tokens have forms of their own.
        call = self.ask([make_message("user", words, pictures)], view.id, sample, **self._make_request_options())
        chosen, outcome = self._parse_choice(call, shown.entities)
        self.count(outcome, call)
        if self.logprobs and chosen not in SHRUGS and (shares := _read_probabilities(call, shown.entities)):
            return shares, ()
        return {chosen: 1.0}, () if outcome in (OUTCOMES["read"], OUTCOMES[FAILED]) else (outcome,)

    def _word_question(self, text: str, shown: Scene, view: HearerView, template: PromptFile | None) -> str:
        """Return the question of the prompt, with objects in the order of `shown`."""
        return build_question(text, shown.entities, self.choice, self.words, self.places, template)

    def _make_request_options(self) -> dict[str, Any]:
        likely = {"logprobs": True, "top_logprobs": MOST_LOGPROBS} if self.logprobs else {}
        return {**likely, **({"response_format": SCHEMA} if self.schema else {})}

    def _parse_choice(self, call: Call, entities: Sequence[Entity]) -> tuple[str, str]:
        """Return the choice as an id or a word, and the outcome of parsing; a refusal names no object."""
        parsed = parse_call(call, "choice", options=len(entities))
        if parsed.outcome == FAILED:
            return UNANSWERED, OUTCOMES[FAILED]
        if self.choice == "number" or parsed.outcome in ("refused", "cut-off"):
            return _resolve_choice(parsed.value, entities), OUTCOMES[parsed.outcome]
        chosen = read_choice(call.content or "", entities, self.choice, self.places)
        return chosen, OUTCOMES["unread" if chosen == UNREAD else "read"]

    def _check_options(self) -> None:
        """Raise InputError for missing or invalid options."""
        if not self.model:
            raise InputError("no model is named", remedy='say which: --hearer "remote|model:NAME|endpoint:URL"')
        if self.choice not in CHOICES or self.votes < 1:
            raise InputError(
                f"choice is {self.choice!r} and votes {self.votes}",
                remedy="choice:number or choice:free, votes:1 or more",
            )
        check_places(self.places)
        if not self.words and (self.choice != "number" or not (self.image or self.draw)):
            raise InputError(
                "without words there is nothing to choose from", remedy="words:no needs image:yes and choice:number"
            )
        if self.logprobs and self.choice != "number":
            raise InputError("likelihoods are read from numbers", remedy="logprobs:yes needs choice:number")


def _get_most_probable(belief: Mapping[str, float]) -> str:
    return max(belief, key=lambda name: belief[name])


def get_description_text(description: Description) -> str:
    """Return the words of a description.

    Properties without words get the plainest ones: the red chair, not "type chair, colour red".
    """
    words = (description.text or "").strip()
    lines_written = description.properties or ()
    return words or (ENGLISH.say(lines_written) if lines_written else "")


def build_question(
    text: str,
    entities: Sequence[Entity],
    choice: str = "number",
    words: bool = True,
    places: str = "coordinates",
    template: PromptFile | None = None,
) -> str:
    """Return the prompt: the objects in the given order, without ids (without `words`, only the picture), and the
    description.
    """
    form = "the number of the object" if choice == "number" else "the line of the object, repeated exactly"
    form = (
        f"Answer with {form} alone; with the word several if it fits more than one equally well, "
        "with none if it fits no object, with unknown if you cannot tell."
    )
    lines = format_objects(entities, places)
    listed = "\n".join(f"{i}. {line}" if choice == "number" else f"- {line}" for i, line in enumerate(lines, 1))
    if template is not None:
        return fill_prompt(
            template, objects=listed if words else "", description=text, form=form, count=str(len(entities))
        )
    shown = (
        f"these objects:\n{listed}"
        if words
        else f"the {len(entities)} objects in the picture. Each has its number at its upper left."
    )
    return f"Somebody described one of {shown}\n\nThe description: {text!r}\n\nWhich object is meant? {form}"


def read_choice(content: str, entities: Sequence[Entity], choice: str = "number", places: str = "coordinates") -> str:
    """Return the id of the chosen entity, ``several``, ``none``, ``dont-know``, or ``unparsable`` for anything else."""
    if choice == "number":
        return _resolve_choice(parse_answer(content, "choice", options=len(entities)).value, entities)
    text = clean_answer(content).text
    lines_written = {line.strip().strip(MARKS).lower() for line in text.splitlines()}
    lines = [line.strip(MARKS).lower() for line in format_objects(entities, places)]
    meant = [e.id for e, line in zip(entities, lines, strict=True) if line in lines_written]
    if meant:
        return meant[0] if len(meant) == 1 else SEVERAL
    # Words beside the line are forgiven, as long as they hold exactly one of them.
    whole = re.sub(r"\s+", " ", text).lower()
    inside = [e.id for e, line in zip(entities, lines, strict=True) if line in whole]
    words = [WORDS[w] for w in lines_written if w in WORDS]
    return inside[0] if len(inside) == 1 else words[0] if len(words) == 1 else UNREAD


def _resolve_choice(chosen: int | str | None, entities: Sequence[Entity]) -> str:
    """Return a parsed choice as an entity's id or a word."""
    if isinstance(chosen, int):
        return entities[chosen - 1].id
    return UNREAD if chosen is None else WORDS[chosen]


def _read_probabilities(call: Call, entities: Sequence[Entity]) -> dict[str, float]:
    """Return the probabilities of the choices at the token that gave the answer.

    None where the endpoint gave none, or numbers have two tokens.
    """
    names = {str(i): e.id for i, e in enumerate(entities, 1)} | {w[:4]: meaning for w, meaning in WORDS.items()}
    for token, _, others in reversed(call.logprobs):
        if _match_token(token, names) is None:
            continue
        probabilities: dict[str, float] = {}
        for other, logprob in others:
            if (name := _match_token(other, names)) is not None:
                probabilities[name] = probabilities.get(name, 0.0) + math.exp(min(0.0, logprob))
        # With ten objects "1" may be the beginning of "10": such a token says too little.
        whole = len(entities) < 10 or len(token.strip()) > 1
        return {k: v for k, v in probabilities.items() if k != DONT_KNOW} if whole else {}
    return {}


def _match_token(token: str, names: Mapping[str, str]) -> str | None:
    bare = token.strip(MARKS + "Ġ▁").lower()
    return names.get(bare) or (names.get(bare[:4]) if len(bare) >= 4 and bare.isalpha() else None)
