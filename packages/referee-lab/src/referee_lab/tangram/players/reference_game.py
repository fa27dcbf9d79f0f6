"""A repeated reference game.

The same objects recur, the hearer chooses, and feedback names the target (Krauss & Weinheimer 1964).

In a group several hearers choose independently, and the speaker learns all choices (Boyce et al. 2024).

Any speaker and any hearer can play with the scenes of any corpus: they get the usual views, with all earlier rounds as
history. A round without a parsable answer has an outcome of its own. A game ends early, with the reason, when a player
crashes, stalls, cannot be reached, or gives unparsable answers several times in a row.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from referee.errors import RefereeError
from referee.records import Description, Event, HearerView, Outcome, Response, Scene, SpeakerView, Trial
from referee_lab.tangram.models.dialogue_items import iterate_dialogue_items
from referee_lab.tangram.players.contract import NONSENSE, GameEnded, ask_player
from referee_lab.tangram.tiers.dialogue import ACTION, EXPRESSION, UTTERANCE, Dialogue
from referee_lab.tangram.tiers.dialogue_form import REFERENCE_GAME, read_dialogue, write_dialogue
from referee_lab.tangram.tiers.game_dialogues import ATTRIBUTES, POSITIONS, SELECT, SPANS, TIMES
from referee_lab.tangram.tiers.reference_forms import count_words, get_description_text

COMPLETED = "completed"
SPEAKER, HEARER = "speaker", "hearer"
SAID, NOTHING_SAID = "said", "unparsable"


class _Speaks(Protocol):
    def describe(self, view: SpeakerView) -> Description: ...


class _Hears(Protocol):
    def resolve(self, description: Description, view: HearerView) -> Response: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlan:
    """The plan of a game: a scene, and the order of its targets in each repetition."""

    id: str
    scene: Scene
    orders: tuple[tuple[str, ...], ...]
    domain: str | None = None
    language: str = "en"
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedChoice:
    """The choice of one hearer: `heard` is the kind of answer (None if there was no description).

    People also have an alias (`hearer`) and the seconds from the start of the round to the choice.
    """

    heard: str | None = None
    chosen: str | None = None
    right: bool | None = None
    hearer: str | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidLine:
    """One message in the chat of a round.

    Who wrote it, in which role, and when it was sent, in seconds from the beginning of the round.
    """

    by: str
    role: str
    text: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRound:
    """One round of a game.

    `spoken` is said or unparsable, `heard` the hearer's kind of answer (None if there was no description); `others` are
    the other hearers of a group. For people, `speaker` is an alias and `talk` all messages; `text` is the speaker's
    part of it.
    """

    repetition: int
    target: str
    text: str
    words: int
    spoken: str
    heard: str | None = None
    chosen: str | None = None
    right: bool | None = None
    hearer: str | None = None
    seconds: float | None = None
    others: tuple[PlayedChoice, ...] = ()
    speaker: str | None = None
    talk: tuple[SaidLine, ...] = ()

    @property
    def choices(self) -> tuple[PlayedChoice, ...]:
        """The choices of all hearers."""
        first = {name: getattr(self, name) for name in ("heard", "chosen", "right", "hearer", "seconds")}
        return PlayedChoice(**first), *self.others


@dataclass(slots=True, kw_only=True)
class PlayedGame:
    """A game with its rounds and its outcome.

    `by` and `why` are the player who ended it early and the reason.

    `simulated` marks a rehearsal of a study with programs in people's seats.
    """

    game: str
    outcome: str = COMPLETED
    by: str = ""
    why: str = ""
    rounds: list[PlayedRound] = field(default_factory=list)
    simulated: bool = False
    # The people who played, where they played several games; intervals go by them.
    pair: str = ""
    # Attributes of the objects, where they have any.
    objects: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def convert_game_to_json(game: PlayedGame) -> str:
    """Return a game as the file of a dialogue, which is one JSON object."""
    return write_dialogue(convert_game_to_dialogue(game), in_lines=False)


def parse_game(text: str) -> PlayedGame:
    """Return a game from its file, also one of the older form; ValueError, TypeError or KeyError for anything else."""
    data = json.loads(text)
    if not (isinstance(data, dict) and "rounds" in data):
        try:
            return _read_game(read_dialogue(text))
        except RefereeError as error:
            raise ValueError(str(error)) from None
    rounds = []
    for row in data["rounds"]:
        others = tuple(PlayedChoice(**choice) for choice in row.get("others", ()))
        talk = tuple(SaidLine(**line) for line in row.get("talk", ()))
        rounds.append(PlayedRound(**{**row, "others": others, "talk": talk}))
    return PlayedGame(**{**data, "rounds": rounds})


def convert_game_to_dialogue(game: PlayedGame) -> Dialogue:
    """Return a game as a dialogue; where its objects are not described, they are the targets and choices, by name."""
    events: list[Event] = []
    utterances = 0
    for number, played in enumerate(game.rounds):
        made = list(_round_events(played, number, utterances))
        utterances += sum(event.kind == UTTERANCE for event in made)
        events += made
    named = {id for event in events for id in event.entities}
    outcome = {name: value for name in ("outcome", "by", "why") if (value := getattr(game, name))}
    return Dialogue(
        id=game.game,
        pair=game.pair or game.game,
        pieces=game.objects or {name: {"name": name} for name in sorted(named)},
        events=tuple(events),
        synthetic=game.simulated or not any(r.talk for r in game.rounds),
        lacks=(TIMES, POSITIONS, *(() if game.objects else (ATTRIBUTES,)), SPANS),
        meta={"pointer": "none", "game": {"kind": REFERENCE_GAME, **outcome}},
    )


def _round_events(played: PlayedRound, number: int, utterances: int) -> Iterator[Event]:
    """Yield the reference of a round, its messages and its choices; the reference begins before its messages end."""
    speaker = played.speaker or SPEAKER
    talk = [(line.by, line.text, {"role": line.role, "seconds": line.seconds}) for line in played.talk]
    talk = talk or ([(speaker, played.text, {})] if played.text else [])
    within = tuple(n for n, (by, _, _) in enumerate(talk, utterances) if by == speaker)
    about = {"utterance": within, "round": number, "repetition": played.repetition, "spoken": played.spoken}
    data = {**about, "words": played.words}
    yield Event(kind=EXPRESSION, by=speaker, text=played.text, entities=(played.target,), data=data)
    for by, text, data in talk:
        yield Event(kind=UTTERANCE, by=by, text=text, data=data)
    for choice in played.choices:
        known = {name: value for name in ("heard", "right", "seconds") if (value := getattr(choice, name)) is not None}
        if known or choice.hearer:
            chosen = () if choice.chosen is None else (choice.chosen,)
            yield Event(kind=ACTION, by=choice.hearer or HEARER, entities=chosen, data={"action": SELECT, **known})


def _read_game(dialogue: Dialogue) -> PlayedGame:
    """Return the game of a file. Raises ValueError if the dialogue is not a reference game that was played here."""
    about = dict(dialogue.meta.get("game", {}))
    if about.pop("kind", None) != REFERENCE_GAME:
        raise ValueError("not a reference game")
    objects = {} if ATTRIBUTES in dialogue.lacks else dialogue.pieces
    rounds: list[PlayedRound] = []
    for event in dialogue.events:
        if event.kind == EXPRESSION:
            fields = {name: event.data[name] for name in ("repetition", "spoken", "words")}
            speaker = None if event.by == SPEAKER else event.by
            rounds.append(PlayedRound(target=event.entities[0], text=event.text or "", speaker=speaker, **fields))
        elif event.kind == UTTERANCE and "role" in event.data:
            line = SaidLine(by=event.by or "", text=event.text or "", **event.data)
            rounds[-1] = replace(rounds[-1], talk=(*rounds[-1].talk, line))
        elif event.kind == ACTION:
            rounds[-1] = _add_choice(rounds[-1], event)
    is_simulated = dialogue.synthetic and any(r.talk for r in rounds)
    pair = "" if dialogue.pair == dialogue.id else dialogue.pair
    return PlayedGame(game=dialogue.id, pair=pair, rounds=rounds, simulated=is_simulated, objects=objects, **about)


def _add_choice(played: PlayedRound, event: Event) -> PlayedRound:
    """Return a round with one more choice."""
    fields: dict[str, Any] = {name: event.data.get(name) for name in ("heard", "right", "seconds")}
    fields["hearer"] = None if event.by == HEARER else event.by
    fields["chosen"] = event.entities[0] if event.entities else None
    if played.choices == (PlayedChoice(),):
        return replace(played, **fields)
    return replace(played, others=(*played.others, PlayedChoice(**fields)))


def convert_dialogue_to_game(dialogue: Dialogue) -> PlayedGame:
    """Return the references of a dialogue to single objects as rounds.

    A selection before the next one is the hearer's choice; a wrong one may be without its object.

    The number of a round is that of the references to its object so far.
    """
    game = PlayedGame(game=dialogue.id, pair=dialogue.pair, simulated=dialogue.synthetic)
    repetitions: Counter[str] = Counter()
    for trial in iterate_dialogue_items(dialogue):
        target, text = trial.targets[0], trial.references[0].text or ""
        repetitions[target] += 1
        if len(trial.targets) > 1:
            continue
        choices: dict[str | None, PlayedChoice] = {}
        for event in trial.episode:
            chosen = event.entities[0] if event.entities else None
            is_right = event.data.get("right") if chosen is None else chosen == target
            if event.kind == ACTION and event.data.get("action") == SELECT and is_right is not None:
                choice = PlayedChoice(heard=Outcome.ENTITY, chosen=chosen, right=is_right, hearer=event.by)
                # A later one may be the answer to a round in which nothing was said.
                choices.setdefault(event.by, choice)
        choices.pop(trial.meta["role"], None)
        first, *others = choices.values() or [PlayedChoice()]
        words = count_words(text)
        made = {name: getattr(first, name) for name in ("heard", "chosen", "right", "hearer")}
        game.rounds.append(
            PlayedRound(
                repetition=repetitions[target],
                target=target,
                text=text,
                words=words,
                spoken=SAID if words else NOTHING_SAID,
                speaker=trial.meta["role"],
                others=tuple(others),
                **made,
            )
        )
    return game


def is_named_only(scene: Scene) -> bool:
    """Return whether the objects have only a name, so that a description can only repeat it."""
    return all({p.name for p in e.attributes} <= {"name"} and e.position is None for e in scene.entities)


def plan_games(trials: Sequence[Trial], games: int, repetitions: int, objects: int, seed: int) -> list[GamePlan]:
    """Return games over scenes sampled from a corpus; every scene occurs once before any is repeated."""
    scenes = list({t.scene.id or t.id: t for t in trials if len(t.scene.entities) > 1}.values())
    rng = random.Random(seed)
    order = rng.sample(range(len(scenes)), len(scenes))
    plans = []
    for number in range(games):
        trial = scenes[order[number % len(order)]]
        rng_of_game = random.Random(f"{seed}|{number}")
        names = [e.id for e in trial.scene.entities]
        chosen = rng_of_game.sample(names, min(objects, len(names)))
        orders = tuple(tuple(rng_of_game.sample(chosen, len(chosen))) for _ in range(repetitions))
        about: dict[str, Any] = {"domain": trial.domain, "language": trial.language, "seed": seed + number}
        plans.append(GamePlan(id=f"game-{number + 1}", scene=trial.scene, orders=orders, **about))
    return plans


def play_reference_game(
    plan: GamePlan, speaker: _Speaks, *hearers: _Hears, patience_s: float = 120.0, unreadable: int = 3
) -> PlayedGame:
    """Play all rounds of a game with feedback after each, or the rounds before a player failed."""
    objects = {e.id: {p.name: p.value for p in e.attributes} for e in plan.scene.entities}
    played = PlayedGame(game=plan.id, objects={} if is_named_only(plan.scene) else objects)
    silent = dict.fromkeys((SPEAKER, *_name_hearers(hearers)), 0)
    rng = random.Random(plan.seed)
    try:
        for repetition, order in enumerate(plan.orders, 1):
            for place, target in enumerate(order):
                trial = Trial(
                    id=f"{plan.id}-{repetition}-{place + 1}",
                    scene=plan.scene,
                    targets=(target,),
                    domain=plan.domain,
                    language=plan.language,
                )
                done = _play_round(trial, played.rounds, repetition, (speaker, hearers), patience_s, rng)
                played.rounds.append(done)
                _count_unparsable(done, silent, unreadable)
    except GameEnded as over:
        played.outcome, played.by, played.why = over.outcome, over.by, over.why
    return played


def _name_hearers(hearers: Sequence[_Hears]) -> list[str]:
    return [HEARER if n == 1 else f"{HEARER} {n}" for n in range(1, len(hearers) + 1)]


def _play_round(
    trial: Trial,
    before: Sequence[PlayedRound],
    repetition: int,
    players: tuple[_Speaks, Sequence[_Hears]],
    patience_s: float,
    rng: random.Random,
) -> PlayedRound:
    """Play one round: a description, then the choice of every hearer."""
    speaker, hearers = players
    view = replace(trial, history=select_known_rounds(before)).for_speaker()
    description = ask_player(SPEAKER, patience_s, lambda: speaker.describe(view))
    text = get_description_text(description)
    spoken = SAID if text else NOTHING_SAID
    played = PlayedRound(
        repetition=repetition, target=trial.targets[0], text=text, words=count_words(text), spoken=spoken
    )
    if not text:
        return played
    made = []
    for n, (name, hearer) in enumerate(zip(_name_hearers(hearers), hearers, strict=True)):
        # A question of their own: a model's kept answers and the order it sees things in go by the trial.
        hearer_trial = replace(
            trial, id=trial.id if n == 0 else f"{trial.id}.{n + 1}", history=select_known_rounds(before, n)
        )
        made.append(_make_choice(name, hearer, description, hearer_trial, patience_s, rng))
    first, *others = made
    return replace(played, heard=first.heard, chosen=first.chosen, right=first.right, others=tuple(others))


def _make_choice(
    name: str, hearer: _Hears, description: Description, trial: Trial, patience_s: float, rng: random.Random
) -> PlayedChoice:
    """Return a hearer's choice."""
    view = trial.for_hearer(rng)
    response = ask_player(name, patience_s, lambda: hearer.resolve(description, view))
    chosen = response.entity if response.outcome is Outcome.ENTITY else None
    # Only a choice is right or wrong; anything else is an answer of its own kind.
    right = None if chosen is None else chosen == trial.targets[0]
    return PlayedChoice(heard=str(response.outcome), chosen=chosen, right=right)


def select_known_rounds(before: Sequence[PlayedRound], hearer: int | str | None = None) -> tuple[Event, ...]:
    """Return the history as one player knows it: words, choices (a hearer's own, the speaker's all) and targets.

    A hearer is given by index, or by alias in games where people change roles: the speaker of a round knows all its
    choices.
    """
    return tuple(event for done in before for event in _list_round_events(done, hearer))


def _list_round_events(done: PlayedRound, hearer: int | str | None) -> tuple[Event, ...]:
    """Return the events of one round as one player knows them."""
    message = Event(kind="message", by=SPEAKER, text=done.text, data={"repetition": done.repetition})
    made = done.choices
    if isinstance(hearer, str):
        made = tuple(c for c in made if c.hearer == hearer) or made
    elif hearer is not None and hearer < len(made):  # without a description no hearer of a group chose
        made = (made[hearer],)
    choices = [Event(kind="click", by="listener", entities=() if c.chosen is None else (c.chosen,)) for c in made]
    return message, *choices, Event(kind="feedback", entities=(done.target,), data={"right": made[0].right})


def _count_unparsable(done: PlayedRound, silent: dict[str, int], most: int) -> None:
    """Count consecutive unparsable answers. Raises the end of the game when there are too many."""
    silent[SPEAKER] = silent[SPEAKER] + 1 if done.spoken == NOTHING_SAID else 0
    for player, choice in zip((name for name in silent if name != SPEAKER), done.choices, strict=False):
        if choice.heard is not None:
            silent[player] = silent[player] + 1 if choice.heard in (Outcome.UNPARSABLE, Outcome.TIMEOUT) else 0
    for player, times in silent.items():
        if times >= most:
            raise GameEnded(NONSENSE, player, f"{times} unreadable answers in a row")
