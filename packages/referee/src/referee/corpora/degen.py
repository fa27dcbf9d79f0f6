"""Interactive reference games on redundancy, colour typicality and taxonomic level, with listeners' clicks and times (Degen et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.games import Games, Message, Round, join_messages, list_events, make_response, record_click
from referee.corpora.reading.lines import WrongShape, get_field, get_optional_field
from referee.corpora.reading.packed import collect_unused_fields, find_files, read_rows, read_table
from referee.errors import UnknownName
from referee.records import Entity, Property, Response, Scene, Trial

LOGS = ("exp1_exp3_trials.jsonl.gz", "exp2_trials.jsonl.gz")
CODED = ("coded_exp1.tsv.gz", "coded_exp2.tsv.gz", "coded_exp3.tsv.gz")
PARTS = ("all", "published")
EXPERIMENTS = {"colorSizeTrial": "exp1", "subSuperTrial": "exp3"}
# Columns of the authors' coded tables that say whether the speaker mentioned an attribute of the target.
MENTIONS = {
    "exp1": {"sizeMentioned": "size", "colorMentioned": "colour", "typeMentioned": "type"},
    "exp2": {"ColorMentioned": "colour", "ItemMentioned": "type"},
    "exp3": {"sub": "type", "basic": "basic", "super": "superordinate"},
}
Key = tuple[str, ...]
Codes = Mapping[Key, Mapping[str, str]]


class Degen2020(Games):
    """6,998 rounds of 132 games, 5,922 of them in the paper.

    `part` is "all" or "published" (histories stay complete).

    Objects are called o1 … o5 by their place on the speaker's screen. A reference has properties where the authors coded the
    utterance (``meta["coded"]``). ``meta["published"]`` names the experiment of the paper, ``meta["experiment"]`` games that were played together.
    """

    card = Card(
        name="degen2020",
        title="When redundancy is useful: interactive reference games",
        source="thegricean/RE_production on GitHub, commit 435419e; thegricean/overinformativeness, commit d20b661",
        licence="MIT (overinformativeness); RE_production has no licence file",
        languages=("en",),
        citation="Degen, Hawkins, Graf, Kreiss & Goodman 2020, Psychological Review",
        sampled=("game",),
        faults=(
            "times start when a message is sent, so they include reading it: longer text, longer time",
            "the coded tables of experiments 1 and 3 keep correct clicks only",
            "the coded table of experiment 2 has no trial numbers and calls pink purple; it is joined by game, target and condition",
            "experiment 3 gives a basic-level class to some objects only; for the others their own name replaces it",
            "experiment 2 calls a thing of the target's colour distractor_pear_orange without saying what it is: it has a colour and no type here",
            "coded properties were written with the target in view: let hearers read the text",
        ),
        files=tuple(f"degen2020/{f}" for f in (*LOGS, *CODED)),
    )

    def __init__(self, data: str | Path | None = None, part: str = "all") -> None:
        super().__init__(data)
        self.part = part

    def trials(self) -> Iterator[Trial]:
        # Histories first: rounds that are left out are still part of them.
        return filter(self._is_wanted, super().trials())

    def responses(self) -> Iterator[Response]:
        return (response for r in self._read_rounds() if self._is_wanted(r.trial) for response in r.responses)

    def _is_wanted(self, trial: Trial) -> bool:
        return self.part == "all" or trial.meta["published"] is not None

    def _read_rounds(self) -> Iterator[Round]:
        """Yield the rounds of both log files with the authors' codes."""
        if self.part not in PARTS:
            raise UnknownName("part", self.part, PARTS, hint=f"one of {', '.join(PARTS)}")
        first_and_third, two, *coded = find_files(self.data, "degen2020", *LOGS, *CODED)
        codes = _index_codes(*coded)
        return chain.from_iterable(
            read_rows(path, lambda row: _make_round(row, codes)) for path in (first_and_third, two)
        )


def _index_codes(first: Path, second: Path, third: Path) -> Codes:
    """Return the authors' codes by experiment, game and the key of trials in their table."""
    codes: dict[Key, Mapping[str, str]] = {}
    for experiment, path in (("exp1", first), ("exp3", third)):
        codes.update({(experiment, row["gameid"], row["Trial"]): row for row in read_table(path)})
    # Experiment 2 has no trial numbers; game, target and condition tell its trials apart.
    codes.update({("exp2", row["gameid"], row["Target"], row["context"]): row for row in read_table(second)})
    return codes


def _make_round(row: dict[str, Any], codes: Codes) -> Round:
    """Return one round of the log as a trial with its responses."""
    experiment = EXPERIMENTS.get(get_field(row, "type", str), "exp2")
    things = {f"o{get_field(t, 'pos_speaker', str)}": t for t in get_field(row, "objects", list)}
    if len(things) < len(row["objects"]):
        raise WrongShape("two objects have the same position", "give every object a different position")
    scene = Scene(entities=tuple(_make_entity(place, things[place], experiment) for place in sorted(things)))
    target = _find_only(things, "role", "target")
    clicked = _find_only(things, "clicked", True)
    game = get_field(row, "game", str)
    coded = _find_codes(row, experiment, scene.entity(target), codes)
    messages = [Message(m["by"], m["text"], m["ms_before_click"]).checked() for m in get_field(row, "messages", list)]
    mentioned = _list_mentioned(coded, experiment, scene.entity(target))
    references = tuple(replace(d, properties=mentioned) for d in join_messages(messages, speaker=game))
    made = record_click(
        clicked, correct=get_field(row, "correct", bool), object=_normalise_text(things[clicked]["name"])
    )
    trial = Trial(
        id=f"degen-{experiment}-{game}-{get_field(row, 'round', int)}",
        scene=scene,
        targets=(target,),
        domain=experiment,
        condition=get_field(row, "condition", str),
        speaker=game,
        episode=list_events(messages, made),
        references=references,
        meta={
            **collect_unused_fields(row, "condition", "objects", "messages"),
            "objects": things,
            # Games of experiments 1 and 3 are the same.
            "experiment": ("exp2" if experiment == "exp2" else "exp1-exp3") + ("" if row["published"] else "-pilot"),
            **({"coded": coded} if coded else {}),
        },
    )
    flags = {"simple": row["one_speaker_message"], "published": row["published"] is not None}
    # From the last message, as `games.waited` counts it for other corpora.
    time = get_optional_field(row, "listener_rt_ms_from_last", int)
    return Round(
        trial, (make_response(trial, game, clicked, time, tuple(flag for flag, holds in flags.items() if holds)),)
    )


def _find_only(things: Mapping[str, Mapping[str, Any]], field: str, value: object) -> str:
    """Return the one object with a field value. Raises WrongShape for none or several."""
    matches = [place for place, thing in things.items() if thing.get(field) == value]
    if len(matches) != 1:
        raise WrongShape(
            f"{len(matches)} objects have {field} {value}", f"exactly one object of a trial has {field} {value}"
        )
    return matches[0]


def _normalise_text(name: str) -> str:
    return name.removeprefix("distractor_")


def _make_entity(place: str, thing: Mapping[str, Any], experiment: str) -> Entity:
    """Return an object with the attributes that its file name contains, such as colour and type."""
    name = _normalise_text(get_field(thing, "name", str))
    if experiment == "exp1":
        # small_brown_belt; in experiment 2 banana_blue.
        size, colour, kind = name.split("_")
        pairs = {"type": kind, "size": size, "colour": colour}
    elif experiment == "exp2":
        kind, colour = name.split("_")
        # distractor_pear_orange is an orange object beside an orange pear; the files do not name its kind.
        pairs = {"colour": colour} if thing["name"] != name else {"type": kind, "colour": colour}
    else:
        # Objects without a class of their own are named at the basic level already ("bison", "lamp").
        pairs = {
            "type": name,
            "basic": thing.get("basic") or name,
            "superordinate": get_field(thing, "superordinate", str),
        }
    return Entity(
        id=place, attributes=tuple(Property(n, v) for n, v in pairs.items()), position=(float(thing["pos_speaker"]),)
    )


def _find_codes(row: Mapping[str, Any], experiment: str, target: Entity, codes: Codes) -> dict[str, str] | None:
    """Return the authors' codes of a published trial, without empty cells."""
    if row["published"] is None:
        return None
    key: Key = (experiment, row["game"], str(row["round"]))
    if experiment == "exp2":
        # The coded table says purple where the logs say pink.
        colour = "purple" if target.value("colour") == "pink" else target.value("colour")
        key = (experiment, row["game"], f"{colour}_{target.value('type')}", row["condition"])
    code = codes.get(key)
    return None if code is None else {k: v for k, v in code.items() if v not in ("", "NA", "undefined")}


def _list_mentioned(coded: Mapping[str, str] | None, experiment: str, target: Entity) -> tuple[Property, ...] | None:
    """Return the attributes of the target that the utterance mentions; None without codes."""
    if coded is None:
        return None
    mentioned = (
        Property(name, target.value(name) or "")
        for column, name in MENTIONS[experiment].items()
        if coded[column] == "TRUE"
    )
    return tuple(mentioned) or None
