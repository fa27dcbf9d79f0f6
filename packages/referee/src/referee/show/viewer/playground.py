"""The playground: a scene, speakers' descriptions of its target with reasons, and hearers' choices."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from referee import catalogue
from referee.capabilities import learns
from referee.corpora.jsonl import trials_to_json
from referee.errors import InputError, NotTrained, RefereeError
from referee.hearers.answering import understand
from referee.jobs.describe import Described, describe_with_speaker, make_view
from referee.jobs.listen import create_hearer, show_to_hearer
from referee.jobs.open import open_corpus
from referee.jobs.speak import System
from referee.records import Description, Outcome, Property, Scene, SpeakerView, Trial
from referee.show.drawing.scene_pictures import draw_parts, wrap_as_picture
from referee.show.pages import build_page_script, read_page_asset
from referee.show.viewer.local_server import Answering, Question, ServedPage, as_json

LEARN_FROM = "synthetic"
MOST_TRIALS = 2000
MOST_ENTITIES = 60
MOST_ASKED = 12
# These need an endpoint or photographs, which the page does not have.
ELSEWHERE = ("llm/", "remote", "sight/")
SEED = 1


@dataclass(slots=True)
class Playground:
    """Answers the page's requests.

    `data` is the folder of corpora, `has` returns whether one is installed.
    """

    data: Path | None = None
    has: Callable[[str], bool] = lambda name: name == LEARN_FROM
    _corpora: dict[str, list[Trial]] = field(default_factory=dict)
    _reading: threading.Lock = field(default_factory=threading.Lock)
    _choices: dict[str, Any] | None = None
    learners: Learners = field(init=False)

    def __post_init__(self) -> None:
        self.learners = Learners(self.trials)

    def trials(self, corpus: str) -> list[Trial]:
        """Return the first trials of a corpus, read once."""
        with self._reading:
            if corpus not in self._corpora:
                trials = list(islice(open_corpus(corpus, data=self.data).trials(), MOST_TRIALS))
                if not trials:
                    raise InputError(f"{corpus} has no trials", remedy="choose another corpus")
                self._corpora[corpus] = trials
            return self._corpora[corpus]

    def list_choices(self) -> dict[str, Any]:
        """Return the speakers, hearers and corpora that the page can choose from."""
        if self._choices is None:
            speakers = [
                {"name": name, "about": e.about, "team": e.tags.get("team", ""), "year": e.tags.get("year", "")}
                for name, e in catalogue.entries("system").items()
                if e.tags.get("task") != "R" and not name.startswith("tuna2008-r/") and not name.startswith(ELSEWHERE)
            ]
            hearers = [
                {"name": name, "about": e.about}
                for name, e in catalogue.entries("hearer").items()
                if not name.startswith(ELSEWHERE)
            ]
            corpora = [
                {"name": name, "about": e.about}
                for name, e in catalogue.entries("corpus").items()
                if name != "jsonl" and self.has(name)
            ]
            self._choices = {"speakers": speakers, "hearers": hearers, "corpora": corpora, "learn_from": LEARN_FROM}
        return self._choices

    def scene_of(self, corpus: str, number: int | None) -> dict[str, Any]:
        """Return a trial of a corpus by number (modulo its size) or at random, with all attribute values."""
        trials = self.trials(corpus)
        n = Random().randrange(len(trials)) if number is None else number % len(trials)
        trial = trials[n]
        if len(trial.scene.entities) > MOST_ENTITIES:
            raise InputError(
                f"this scene has {len(trial.scene.entities)} objects, which are too many to play with",
                remedy="choose a smaller scene",
            )
        whole = next(iter(trials_to_json([trial])))
        scene = {key: whole[key] for key in ("entities", "targets", "domain", "language") if key in whole}
        reference = trial.references[0].text if trial.references else None
        return {
            "scene": scene,
            "number": n,
            "of": len(trials),
            "id": trial.id,
            "people": reference,
            "values": _list_values(t.scene for t in trials),
        }

    def look(self, scene: Mapping[str, Any]) -> dict[str, Any]:
        """Return the picture of a scene; it needs no target."""
        return {"look": _draw_for_page(_make_checked_view(scene, needs_target=False).scene)}

    def answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return the picture, and each speaker's description (and the user's) with hearers' choices."""
        view = _make_checked_view(_require_object(asked.get("scene"), "scene"))
        speakers, hearers = (_require_names(asked, key) for key in ("speakers", "hearers"))
        corpus = str(asked.get("learn_from") or LEARN_FROM)
        trial = Trial(id="scene", scene=view.scene, targets=view.targets, domain=view.domain, language=view.language)
        answer: dict[str, Any] = {
            "look": _draw_for_page(view.scene),
            "speakers": [self._run_speaker(name, view, trial, hearers, corpus) for name in speakers],
        }
        words = str(asked.get("words") or "").strip()
        if words:
            answer["own"] = self._answer_typed_words(words, trial, hearers, corpus)
        return answer

    def _run_speaker(
        self, name: str, view: SpeakerView, trial: Trial, hearers: Sequence[str], corpus: str
    ) -> dict[str, Any]:
        """Return a speaker's description with reasons, and hearers' choices for it."""
        try:
            described, learned = self._describe_target(name, view, corpus)
        except Learning as busy:
            return {"name": name, "learning": str(busy)}
        except RefereeError as error:
            return {"name": name, "trouble": str(error)}
        description = described.description
        fields = {
            "name": name,
            "text": description.text,
            "properties": _format_properties(description.properties),
            "distinguishing": described.distinguishing,
            "also": list(described.also),
            "dropped": _format_properties(described.dropped),
            "false": _format_properties(described.false),
            "trouble": described.trouble,
            "learned": f"learned from {len(self.trials(corpus)):,} trials of {corpus}" if learned else "",
            "steps": [
                {
                    "property": None if s.property is None else ":".join(s.property),
                    "reason": s.reason,
                    "ruled_out": list(s.ruled_out),
                    "remaining": s.remaining,
                }
                for s in described.steps
            ],
        }
        return {**fields, "hearers": self._run_hearers(description, trial, hearers, corpus) if description.text else []}

    def _describe_target(self, name: str, view: SpeakerView, corpus: str) -> tuple[Described, bool]:
        """Return a description by a fresh speaker, or by one that was trained in the background."""
        system = System.read(name)
        try:
            return describe_with_speaker(system.build(), view), False
        except NotTrained:
            taught = self.learners.taught("system", name, corpus, system.build)
            return describe_with_speaker(taught, view, self.trials(corpus)), True

    def _answer_typed_words(self, words: str, trial: Trial, hearers: Sequence[str], corpus: str) -> dict[str, Any]:
        """Return the interpretation of typed words, and hearers' choices for them."""
        description = Description(text=words)
        read = understand(description, trial.scene)
        return {
            "text": words,
            "read": [] if isinstance(read, Outcome) else _format_properties(read),
            "hearers": self._run_hearers(description, trial, hearers, corpus),
        }

    def _run_hearers(
        self, description: Description, trial: Trial, hearers: Sequence[str], corpus: str
    ) -> list[dict[str, Any]]:
        """Return the answers of the hearers to a description."""
        return [self._answer_as_hearer(name, description, trial, corpus) for name in hearers]

    def _answer_as_hearer(self, name: str, description: Description, trial: Trial, corpus: str) -> dict[str, Any]:
        """Return a hearer's probabilities for a description."""
        try:
            hearer = self.learners.hearer(name, corpus, lambda: create_hearer(name, SEED))
            response = hearer.resolve(description, show_to_hearer(trial, SEED))
        except Learning as busy:
            return {"name": name, "learning": str(busy)}
        except RefereeError as error:
            return {"name": name, "trouble": str(error)}
        belief = {what: round(share, 4) for what, share in response.probabilities or ()}
        return {"name": name, "outcome": response.outcome.value, "entity": response.entity, "belief": belief}


def _require_object(value: Any, what: str) -> Mapping[str, Any]:
    """Return a JSON object. Raises InputError for other values."""
    if not isinstance(value, Mapping):
        raise InputError(f"there is no {what}", remedy='send {"entities": [{"id": …, "attributes": {…}}, …]}')
    return value


def _require_names(asked: Mapping[str, Any], key: str) -> list[str]:
    """Return a list of names. Raises InputError for other values."""
    names = asked.get(key) or []
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise InputError(f"{key} is not a list of names", remedy="reload the page")
    if len(names) > MOST_ASKED:
        raise InputError(f"{len(names)} {key} are too many at once", remedy=f"choose at most {MOST_ASKED}")
    return list(dict.fromkeys(names))


def _make_checked_view(scene: Mapping[str, Any], needs_target: bool = True) -> SpeakerView:
    """Return a scene of the page as a speaker's view. Raises InputError for too many objects."""
    first = [str(e.get("id")) for e in scene.get("entities") or () if isinstance(e, Mapping)][:1]
    target = None if needs_target else first
    view = make_view(scene, target)
    if len(view.scene.entities) > MOST_ENTITIES:
        raise InputError(
            f"{len(view.scene.entities)} objects are too many for the playground",
            remedy=f"use a scene of at most {MOST_ENTITIES} objects",
        )
    return view


def _draw_for_page(scene: Scene) -> dict[str, Any]:
    """Return a scene's pictures and boxes for the page."""
    parts = draw_parts(scene)
    things = [
        {
            "id": e.id,
            "picture": wrap_as_picture(parts.marks[e.id]),
            "box": list(parts.boxes[e.id]),
            "words": ", ".join([e.id, *(f"{p.name} {p.value}" for p in e.attributes)]),
        }
        for e in scene.entities
    ]
    return {"width": parts.width, "height": parts.height, "things": things}


def _list_values(scenes: Any) -> dict[str, list[str]]:
    """Return the values of every attribute in order; attributes with many values (degrees) are left out."""
    values_of: dict[str, dict[str, None]] = {}
    for scene in scenes:
        for entity in scene.entities:
            for p in entity.attributes:
                values_of.setdefault(p.name, {})[p.value] = None
    return {name: sorted(values) for name, values in values_of.items() if len(values) <= 40}


def _format_properties(properties: Sequence[Property] | None) -> list[str] | None:
    return None if properties is None else [":".join(p) for p in properties]


# -- speakers that learn ---------------------------------------------------------------------------------------------------


class Learning(Exception):
    """A speaker or hearer is asked before its training has finished."""


@dataclass(slots=True)
class Learners:
    """Trains components in the background; `trials` returns the training data of a corpus by name."""

    trials: Callable[[str], Sequence[Trial]]
    _futures: dict[tuple[str, str, str], Future[Any]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    # One at a time: several would only slow each other down, and the answers of those that are ready.
    _school: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="learning"))

    def hearer(self, name: str, corpus: str, build: Callable[[], Any]) -> Any:
        """Return a hearer that can answer; one that learns is trained first."""
        hearer = build()
        if not learns(hearer):
            return _fit_learner(hearer, ())
        return self.taught("hearer", name, corpus, build)

    def taught(self, kind: str, name: str, corpus: str, build: Callable[[], Any]) -> Any:
        """Return the trained component; raise `Learning` until training has finished, or its error."""
        key = (kind, name, corpus)
        with self._lock:
            if key not in self._futures:
                self._futures[key] = self._school.submit(lambda: _fit_learner(build(), self.trials(corpus)))
            future = self._futures[key]
        if not future.done():
            raise Learning(f"learns from {corpus}")
        return future.result()

    def close(self) -> None:
        self._school.shutdown(wait=False, cancel_futures=True)


def _fit_learner(thing: Any, trials: Sequence[Trial]) -> Any:
    """Return the trained object; `fit` may return None in plug-ins."""
    fitted = thing.fit(trials)
    # Plug-ins whose `fit` returns nothing are forgiven.
    return thing if fitted is None else fitted


# -- the page --------------------------------------------------------------------------------------------------------------


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def play_routes(play: Playground) -> dict[str, Answering]:
    """Return handlers by method and path."""
    return {
        "GET /": _make_text_answer(read_page_asset("play/play.html"), "text/html"),
        "GET /play.js": _make_text_answer(build_page_script("play"), "text/javascript"),
        "GET /play.css": _make_text_answer(read_page_asset("scene.css") + read_page_asset("play/play.css"), "text/css"),
        "GET /known": lambda asked: as_json(play.list_choices()),
        "GET /scene": lambda asked: as_json(play.scene_of(asked.query.get("corpus", ""), _parse_number(asked.query))),
        "POST /look": lambda asked: as_json(play.look(_require_body_object(asked))),
        "POST /answer": lambda asked: as_json(play.answer(_require_body_object(asked))),
    }


def _make_text_answer(content: str, kind: str) -> Answering:
    page = ServedPage(content.encode(), kind, POLICY)
    return lambda asked: page


def _parse_number(query: Mapping[str, str]) -> int | None:
    written = query.get("number", "")
    return int(written) if written.isascii() and written.isdigit() and len(written) < 10 else None


def _require_body_object(asked: Question) -> Mapping[str, object]:
    """Return the body of a request. Raises InputError if it is no object."""
    if not isinstance(asked.body, dict):
        raise InputError("the request is not an object", remedy="reload the page")
    return asked.body
