"""Reference games as dialogues.

In every round one player refers to one object, in one or several messages, and the others choose.

`lacks` names data that a corpus does not have; without times the order of events counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from referee.catalogue import create
from referee.corpora.reading.packed import find_files, read_rows
from referee.errors import InputError, MalformedInput
from referee.records import Event, Trial
from referee_lab.tangram.tiers.dialogue import ACTION, EXPRESSION, POSITION, UTTERANCE, Dialogue

SELECT = "select"
TIMES, POSITIONS, ATTRIBUTES, SPANS = "times", "positions", "attributes", "spans of expressions"


class Message(NamedTuple):
    """A message of a round: sender, words, and time in milliseconds (None: unknown)."""

    by: str
    text: str
    t_ms: float | None = None


class GameRound(NamedTuple):
    """One round: targets, speaker, messages in order, and for each hearer the choice (None: unknown) and whether it was right (None: by the choice)."""

    targets: tuple[str, ...]
    speaker: str
    messages: Sequence[Message]
    choices: Sequence[tuple[str, str | None, bool | None]] = ()


def round_dialogue(
    id: str,
    pair: str,
    objects: Mapping[str, Mapping[str, str]],
    rounds: Iterable[GameRound],
    *,
    language: str = "en",
    lacks: Sequence[str] = (TIMES, POSITIONS, ATTRIBUTES, SPANS),
) -> Dialogue:
    """Return the dialogue of a game without times: of every round its reference, all messages, and the choices."""
    events: list[Event] = []
    utterances = 0
    for number, played in enumerate(rounds):
        described = [n for n, m in enumerate(played.messages, utterances) if m.by == played.speaker]
        text = " ".join(m.text for m in played.messages if m.by == played.speaker).strip()
        if text:
            # Before its messages: they are not known when the reference begins.
            data = {"utterance": tuple(described), "round": number}
            events.append(Event(kind=EXPRESSION, by=played.speaker, text=text, entities=played.targets, data=data))
        events += [Event(kind=UTTERANCE, by=m.by, text=m.text) for m in played.messages]
        utterances += len(played.messages)
        for by, chosen, is_right in played.choices:
            entities = () if chosen is None else (chosen,)
            data = {"action": SELECT} if is_right is None else {"action": SELECT, "right": is_right}
            events.append(Event(kind=ACTION, by=by, entities=entities, data=data))
    return Dialogue(
        id=id,
        pair=pair,
        pieces=objects,
        events=tuple(events),
        language=language,
        lacks=tuple(lacks),
        meta={"pointer": "none"},
    )


def read_game_dialogues(corpus: str, data: str | Path | None = None) -> list[Dialogue]:
    """Return the dialogues of a corpus of reference games by its name."""
    if corpus not in GAME_CORPORA:
        raise InputError(f"{corpus} is not a corpus of games", remedy=f"one of {', '.join(GAME_CORPORA)}")
    return list(GAME_CORPORA[corpus](data))


# -- corpora that the judge reads ----------------------------------------------------------------------------------------------


def _read_figures(data: str | Path | None, corpus: str) -> Iterator[Dialogue]:
    """Yield the games of a corpus whose objects are known by a name alone and stay the same in all rounds of a game."""
    games: dict[str, list[Trial]] = {}
    for trial in create("corpus", corpus, data=data).trials():
        games.setdefault(f"{corpus}-{trial.meta['game']}", []).append(trial)
    for game, trials in games.items():
        objects = {e.id: {p.name: p.value for p in e.attributes} for t in trials for e in t.scene.entities}
        yield round_dialogue(game, game, objects, map(_make_round, trials), language=trials[0].language)


def _make_round(trial: Trial) -> GameRound:
    """Return a round from a trial and its episode."""
    messages = [Message(e.by or "", e.text) for e in trial.episode if e.text]
    choices = [(e.by or "", e.entities[0] if e.entities else None, None) for e in trial.episode if e.kind == "click"]
    return GameRound(trial.targets, "speaker", messages, choices)


def _read_pento_take(data: str | Path | None) -> Iterator[Dialogue]:
    """Yield an episode as a dialogue: pieces with colours and cells, speech with times, the selection at its end."""
    for trial in create("corpus", "pento-take", data=data).trials():
        utterances = [e for e in trial.episode if e.text and e.kind != "action"]
        instructions = [n for n, e in enumerate(utterances) if e.data.get("act") == "INSTRUCT"]
        events = [
            Event(kind=POSITION, entities=(e.id,), start_ms=0.0, data={"x": e.position[0], "y": e.position[1]})
            for e in trial.scene.entities
            if e.position is not None
        ]
        events += [
            Event(kind=UTTERANCE, by=e.by, text=e.text, start_ms=e.start_ms, end_ms=e.end_ms) for e in utterances
        ]
        if trial.references and instructions:
            first, last = utterances[instructions[0]], utterances[instructions[-1]]
            about = {"by": first.by, "text": trial.references[0].text, "entities": trial.targets}
            times = {"start_ms": first.start_ms, "end_ms": last.end_ms}
            events.append(Event(kind=EXPRESSION, **about, **times, data={"utterance": tuple(instructions)}))
        selected = [e for e in trial.episode if e.kind == SELECT]
        events += [
            Event(kind=ACTION, by=e.by, entities=e.entities, start_ms=e.start_ms, data={"action": SELECT})
            for e in selected
        ]
        events.sort(key=lambda e: e.start_ms or 0.0)
        # The time at which the piece was finally taken is rarely recorded.
        if not selected or selected[-1].entities != trial.targets:
            events.append(Event(kind=ACTION, by="listener", entities=trial.targets, data={"action": SELECT}))
        objects = {
            e.id: {p.name: p.value for p in e.attributes if p.name in ("shape", "colour")} for e in trial.scene.entities
        }
        yield Dialogue(
            id=trial.id,
            pair=f"pento-take-{trial.meta['session']}",
            pieces=objects,
            events=tuple(events),
            language=trial.language,
            lacks=(SPANS,),
            meta={"pointer": "none"},
        )


# -- corpora that are read here ------------------------------------------------------------------------------------------------


def _group_rows(
    data: str | Path | None, folder: str, file: str, *keys: str
) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Return the rows of a file by the values of some columns."""
    (path,) = find_files(data, folder, file)
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in read_rows(path, dict):
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def _read_conventions_network(data: str | Path | None) -> Iterator[Dialogue]:
    """Yield the dialogue of two people of a network.

    Of a wrong choice only its wrongness is known, not the object.
    """
    games = _group_rows(data, "conventions-network", "trials.jsonl.gz", "network", "partner", "room")
    for (network, partner, room), rows in games.items():
        rounds = [
            GameRound(
                (row["target"],),
                row["speaker"],
                [Message(row["speaker" if by == "s" else "listener"], text) for by, text in row["messages"]],
                [(row["listener"], row["target"] if row["correct"] else None, row["correct"])],
            )
            for row in rows
        ]
        objects = {figure: {"name": figure} for row in rows for figure in row["context"]}
        pair = f"conventions-network-{network}"
        yield round_dialogue(f"{pair}-{partner}-{room}", pair, dict(sorted(objects.items())), rounds)


def _read_cabb_dutch(data: str | Path | None) -> Iterator[Dialogue]:
    """Yield the six rounds of a pair; speech without gesture."""
    for (pair,), rows in _group_rows(data, "cabb-dutch", "trials.jsonl.gz", "pair").items():
        rounds = []
        for row in rows:
            director, matcher = row["director"], "A" if row["director"] == "B" else "B"
            messages = [Message(director if turn["by"] == "d" else matcher, turn["clean"]) for turn in row["turns"]]
            spoken = [message for message in messages if message.text]
            # Without a label nothing was answered.
            is_right = None if row["given_label"] is None else row["correct"]
            rounds.append(GameRound((row["target"],), director, spoken, [(matcher, row["chosen"], is_right)]))
        objects = {name: {"name": name} for name in sorted({row["target"] for row in rows})}
        lacks = (TIMES, POSITIONS, ATTRIBUTES, SPANS, "gestures")
        yield round_dialogue(f"cabb-dutch-{pair}", f"cabb-dutch-{pair}", objects, rounds, language="nl", lacks=lacks)


def _read_game_of_sorts(data: str | Path | None) -> Iterator[Dialogue]:
    """Yield a round of a pair as a dialogue: nine pictures, messages with the pictures that their writers marked, and
    locks on pictures.
    """
    games, boards = (
        _group_rows(
            data,
            "a-game-of-sorts",
            f"a-game-of-sorts_log_interaction_{name}.jsonl.gz",
            "interaction_id",
            "round_number",
        )
        for name in ("all", "board_mappings")
    )
    for (interaction, number), rows in games.items():
        rows.sort(key=lambda row: row["timestamp"])
        cells = [cell["image_id"] for row in boards[interaction, number] for cell in row["mapping"]]
        objects, zero = {id: {"name": id} for id in cells}, rows[0]["timestamp"]
        events: list[Event] = []
        utterances = 0
        for row in rows:
            t_ms = float(row["timestamp"] - zero)
            if "body_text" in row:
                message = {"by": row["username"], "text": row["body_text"], "start_ms": t_ms, "end_ms": t_ms}
                events.append(Event(kind=UTTERANCE, data={"shown_ms": t_ms}, **message))
                if meant := tuple(id for id in row["image_ids"] if id in objects):
                    data_of_mark = {"utterance": utterances, "shown_ms": t_ms}
                    events.append(Event(kind=EXPRESSION, entities=meant, data=data_of_mark, **message))
                utterances += 1
            elif row.get("image_id") in objects:
                about = {"by": row["username"], "entities": (row["image_id"],), "start_ms": t_ms}
                events.append(Event(kind=ACTION, data={"action": row["lock_event_type"]}, **about))
        yield Dialogue(
            id=f"a-game-of-sorts-{interaction}-{number}",
            pair=f"a-game-of-sorts-{interaction}",
            pieces=objects,
            events=tuple(events),
            language="en",
            lacks=(ATTRIBUTES, SPANS, "both players have the same positions, but each should have an own order"),
            meta={"pointer": "none"},
        )


def _read_onecommon(data: str | Path | None) -> Iterator[Dialogue]:
    """Yield the annotated chats of OneCommon (Udagawa & Aizawa 2020): two overlapping views of dots, and noun phrases
    with the dots that most annotators chose.

    Positions are those of the first player's view; the view of the second one is moved against it.
    """
    files = (f"{name}.json" for name in ("final_transcripts", "markable_annotation", "aggregated_referent_annotation"))
    paths = find_files(data, "onecommon", *files)
    try:
        chats, phrases, referents = (json.loads(path.read_bytes()) for path in paths)
    except ValueError as error:
        raise MalformedInput(f"not JSON ({error})", where=paths[0].parent, remedy="copy the files again") from None
    by_id = {chat.get("uuid"): chat for chat in chats}
    for id in referents:
        try:
            yield _parse_onecommon_chat(id, by_id[id], phrases[id], referents[id])
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            remedy = "the files are those of github.com/Alab-NII/onecommon, folder aaai2020/annotation"
            problem = f"chat {id} is of another form ({type(error).__name__}: {error})"
            raise MalformedInput(problem, where=paths[0].parent, remedy=remedy) from None


def _parse_onecommon_chat(
    id: str, chat: Mapping[str, Any], phrases: Mapping[str, Any], referents: Mapping[str, Any]
) -> Dialogue:
    """Return a chat of OneCommon as a dialogue; the lines of its text begin with the speaker's number, as in `0: hi`."""
    views = [{str(dot["id"]): dot for dot in view} for view in chat["scenario"]["kbs"]]
    common = next(dot for dot in views[0] if dot in views[1])
    shift = (views[0][common]["x"] - views[1][common]["x"], views[0][common]["y"] - views[1][common]["y"])
    dots = {dot: (values, (0, 0)) for dot, values in views[0].items()}
    dots |= {dot: (values, shift) for dot, values in views[1].items() if dot not in dots}
    events = [
        Event(kind=POSITION, entities=(dot,), data={"x": float(values["x"] + x), "y": float(values["y"] + y)})
        for dot, (values, (x, y)) in dots.items()
    ]
    start = 0
    marks = sorted((m for m in phrases["markables"] if m["markable_id"] in referents), key=lambda m: m["start"])
    for index, line in enumerate(phrases["text"].split("\n")):
        by, _, text = line.partition(": ")
        events.append(Event(kind=UTTERANCE, by=by, text=text))
        for mark in marks:
            if start <= mark["start"] < start + len(line) + 1:
                chosen = referents[mark["markable_id"]]
                first = mark["start"] - start - len(by) - 2
                prefix = f"agent_{mark['speaker']}_"
                data = {"utterance": index, "span": (first, first + len(mark["text"]))}
                data |= {"uncertain": bool(chosen.get("ambiguous") or chosen.get("unidentifiable"))}
                if text[first : first + len(mark["text"])] != mark["text"]:
                    raise ValueError(f"{mark['markable_id']} is not where its words are")
                meant = tuple(name.removeprefix(prefix) for name in chosen["referents"])
                events.append(Event(kind=EXPRESSION, by=by, text=mark["text"], entities=meant, data=data))
        start += len(line) + 1
    events += [
        Event(kind=ACTION, by=str(e["agent"]), entities=(str(e["data"]),), data={"action": SELECT})
        for e in chat["events"]
        if e["action"] == "select"
    ]
    return Dialogue(
        id=f"onecommon-{id}",
        pair=f"onecommon-{id}",
        pieces={
            dot: {"type": "dot", "size": str(v["size"]), "colour": str(v["color"])} for dot, (v, _) in dots.items()
        },
        events=tuple(events),
        sees={str(n): tuple(view) for n, view in enumerate(views)},
        lacks=(TIMES,),
        meta={"pointer": "none"},
    )


GAME_CORPORA: Mapping[str, Callable[[str | Path | None], Iterator[Dialogue]]] = {
    "a-game-of-sorts": _read_game_of_sorts,
    "cabb-dutch": _read_cabb_dutch,
    "conventions-network": _read_conventions_network,
    "onecommon": _read_onecommon,
    "multiparty-tangrams": partial(_read_figures, corpus="multiparty-tangrams"),
    "pento-take": _read_pento_take,
    "tangrams-hawkins": partial(_read_figures, corpus="tangrams-hawkins"),
}
