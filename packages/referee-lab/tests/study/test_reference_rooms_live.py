"""Reference games in the store and over real connections: an acknowledged choice survives whatever happens, who leaves is paid, and games come out whole."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from crowd import ServerProcess, free_port
from study_server import Person as Visitor
from study_server import Site
from tangram_people import Player, say

from fake_endpoint import completion, serving
from referee.cli import main
from referee.errors import RefereeError
from referee_lab.bots.simulation import simulate
from referee_lab.rooms import reference_bots
from referee_lab.rooms.any_room import RoomLine
from referee_lab.rooms.hall import Hall, Live, Person
from referee_lab.rooms.reference_bots import ReferenceBots
from referee_lab.rooms.reference_store import iterate_log, load_game
from referee_lab.rooms.reference_study import (
    find_scene_trial,
    make_figure_trial,
    make_picture_trial,
    make_reference_study,
)
from referee_lab.rooms.room_files import build_room_files, list_rooms
from referee_lab.rooms.room_study import make_tangram_study
from referee_lab.server.sessions.served_study import open_served
from referee_lab.study.data.collection import open_for_reading
from referee_lab.study.design.shown_scenes import prove_shown
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.study import open_study
from referee_lab.tangram.players.reference_game import parse_game

SMALL = {"group": 3, "repetitions": 2, "objects": 2, "speaker": "fixed"}
ONE_BOT = {"group": 2, "bots": 1, "repetitions": 1, "objects": 2, "begins": "person"}
TIMES = {"typing_start_ms": 0.0, "typing_end_ms": 1.0, "keystrokes": 3}


def quick_bots(hall: Hall, live: Live) -> ReferenceBots:
    return ReferenceBots(hall, live, pace=200.0)


class Ear:
    """A person's end of the line: what it was told last, and how it was cut off."""

    def __init__(self, who: str) -> None:
        self.actor, self.status, self.ack, self.problem = who, dict[str, Any](), 0, ""

    def put(self, events: Sequence[Any], **more: Any) -> None:
        self.status, self.ack = more.get("status", self.status), more.get("ack", self.ack)

    def cut(self, problem: str, message: str) -> None:
        self.problem = problem


class Table:
    """A room with its people, in the test's own process."""

    hall: Hall

    def __init__(self, site: Site, people: int = 3) -> None:
        self.site = site
        self.visitors = [Visitor(site).begin() for _ in range(people)]
        self.ears = {v.session: Ear(v.session) for v in self.visitors}
        self.seq = dict.fromkeys(self.ears, 0)
        self.live: Live

    async def open(self, partners: Any = None) -> Hall:
        """A hall, as after a start of the server, and everybody in it."""
        self.hall = Hall(self.site.served, partners)
        self.hall.open()
        for number, visitor in enumerate(self.visitors, 1):
            await self.come(visitor.session, number)
        return self.hall

    async def come(self, who: str, number: int) -> None:
        step = next(s for s in self.visitors[0].plan["steps"] if s["plugin"] == "reference-game")["index"]
        planned = self.visitors[0].step(step)
        assert planned.stimulus is not None
        shown = (planned.stimulus.trial.id, planned.shown.labels)
        person = Person(who, f"P-{number}", "debug", step, False, "", *shown)
        self.live = await self.hall.enter(person, self.ears[who], -1)

    @property
    def room(self) -> Any:
        return self.live.room

    async def send(self, who: str, kind: str, **data: Any) -> None:
        self.seq[who] += 1
        self.hall.take(self.live, who, [RoomLine(who, kind, data, self.seq[who], 1.0)])
        await until(lambda: self.ears[who].ack == self.seq[who])

    async def say(self, text: str = "the boat") -> None:
        await self.send(self.room.speaker, "say", text=text, **TIMES)

    async def choose(self, who: str, label: str | None = None) -> None:
        await self.send(who, "choose", object=label or self.room.target, round=self.room.puzzle)

    def listeners(self) -> list[str]:
        return [seat.actor for seat in self.room.listeners]

    async def play_round(self) -> None:
        await self.say()
        for who in self.listeners():
            await self.choose(who)
        for seat in self.room.seats:
            if not seat.gone:
                await self.send(seat.actor, "ready")


async def until(holds: Any, seconds: float = 30.0) -> None:
    for _ in range(int(seconds / 0.005)):
        if holds():
            return
        await asyncio.sleep(0.005)
    raise TimeoutError("waited in vain")


@pytest.fixture(autouse=True)
def patient_listeners(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots are quick, and wait for a person's answer all the same."""
    monkeypatch.setattr(reference_bots, "REPLY_SECONDS", 200.0 * reference_bots.REPLY_SECONDS)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    make_reference_study(tmp_path / "trio", id="trio", settings=SMALL)
    opened = Site(open_served(tmp_path / "trio"))
    yield opened
    opened.close()


def one_with_bots(folder: Path, settings: dict[str, Any]) -> Table:
    """A study in which one person plays with programs, and that person."""
    make_reference_study(folder, id=folder.name, settings=settings)
    return Table(Site(open_served(folder)), people=1)


def run(site: Site, story: Any) -> Any:
    return site.loop.run_until_complete(asyncio.wait_for(story, 60))


def sessions(site: Site) -> dict[str, tuple[str, str]]:
    return {row[0]: (row[1], row[2]) for row in site.rows("SELECT id, state, outcome FROM session")}


def test_a_game_ends_and_comes_out_as_a_played_game_without_anybodys_session(site: Site, tmp_path: Path) -> None:
    table = Table(site)

    async def story() -> None:
        hall = await table.open()
        for _ in range(4):
            await table.play_round()
        await until(lambda: all(ear.status["phase"] == "over" for ear in table.ears.values()))
        await hall.close()

    run(site, story())
    assert [ear.status["solved"] for who, ear in table.ears.items() if who != table.room.speaker] == [4, 4]
    study = open_study(tmp_path / "trio")
    with open_for_reading(study, None) as connection:
        game = load_game(connection, table.room.id)
        log = list(iterate_log(connection, table.room.id))
        files = build_room_files(connection, study)
    assert (game.outcome, game.simulated, [r.repetition for r in game.rounds]) == ("completed", False, [1, 1, 2, 2])
    assert {c.hearer for r in game.rounds for c in r.choices} | {r.speaker for r in game.rounds} == {
        "P-1",
        "P-2",
        "P-3",
    }
    assert all(c.right and c.seconds is not None and c.seconds >= 0 for r in game.rounds for c in r.choices)
    assert [r.text for r in game.rounds] == ["the boat"] * 4
    assert {r.target for r in game.rounds} <= {e.id for e in make_figure_trial().scene.entities}
    written = "".join(log) + "".join(content.decode() for content in files.values())
    assert not any(visitor.session in written or visitor.token in written for visitor in table.visitors)
    assert parse_game(files[f"rooms/{table.room.id}.json"].decode()) == game
    reply = site.organise("GET", f"rooms/{table.room.id}.json")
    assert (reply.headers["content-type"], parse_game(reply.text)) == ("application/json", game)
    assert [json.loads(line)["kind"] for line in log[1:]].count("choose") == 8


def test_a_choice_is_there_after_the_hall_was_gone_and_a_second_window_sees_it(site: Site) -> None:
    """As after a crash: another hall takes the room up from the store alone, and nothing is chosen twice."""

    table = Table(site)

    async def story() -> None:
        first = await table.open()
        await table.say()
        one, two = table.listeners()
        await table.choose(one)
        key = table.room.id
        await first.close()
        second = await table.open()
        assert table.room.id == key
        assert table.ears[one].status["game"]["chosen"] == table.room.target
        assert table.ears[one].status["game"]["spoken"] is True
        assert table.ears[one].ack == 1, "what was acknowledged is known to have come"
        assert [line["text"] for line in table.ears[two].status["chat"]] == ["the boat"]
        other = next(label for label in table.room.settings["labels"] if label != table.room.target)
        await table.choose(one, other)
        assert table.room.chosen == {one: table.room.target}
        # The same person in another window: the newer one wins, and knows what was chosen.
        old, table.ears[one] = table.ears[one], Ear(one)
        await table.come(one, 1)
        assert old.problem == "other-connection"
        assert table.ears[one].status["game"]["chosen"] == table.room.target
        await table.choose(two)
        await until(lambda: table.ears[one].status["phase"] == "between")
        await second.close()

    run(site, story())


def test_who_is_lost_or_withdraws_is_out_and_the_others_play_on(site: Site, tmp_path: Path) -> None:
    table = Table(site)

    async def story() -> None:
        hall = await table.open()
        await table.say()
        lost, stays = table.listeners()
        await table.choose(stays)
        hall.quit(table.live, lost)
        await until(lambda: table.ears[stays].status["phase"] == "between")
        assert sessions(site)[lost] == ("timed_out", "technical"), "paid, as who is lost in any room"
        assert sessions(site)[stays][0] == "consented", "and still under way"
        await table.send(stays, "ready")
        await table.send(table.room.speaker, "ready")
        await until(lambda: table.room.puzzle == 1)
        await table.say()
        await table.choose(stays)
        await until(lambda: table.room.phase == "between")

    run(site, story())
    lost, stays = (seat.actor for seat in table.room.seats if seat.role == "listener")
    if not table.room.get_seat(lost).gone:
        lost, stays = stays, lost
    study = open_study(tmp_path / "trio")
    with open_for_reading(study, None) as connection:
        game = load_game(connection, table.room.id)
    assert [[c.heard for c in r.choices if c.hearer == table.room.get_seat(lost).name] for r in game.rounds] == [
        ["left"],
        [],
    ]
    withdrawn = next(v for v in table.visitors if v.session == stays)
    assert withdrawn.ask("POST", "withdraw", json={}).status_code == 200

    async def noticed() -> None:
        await until(lambda: table.room.phase == "over")
        await until(lambda: sessions(site)[table.room.speaker][1] == "partner_left")
        assert table.ears[stays].problem == "withdrawn"
        await table.hall.close()

    run(site, noticed())
    with open_for_reading(study, None) as connection:
        (room,) = list_rooms(connection, study)
        assert "has withdrawn" in room.why_not
        assert set(build_room_files(connection, study)) == {"rooms/rooms.csv", "rooms/game.json"}


def test_programs_fill_the_places_speak_choose_and_ask_back(tmp_path: Path) -> None:
    """One person with two programs: first a program speaks, then the person, whose words a literal hearer may not understand."""
    changes = {"group": 3, "bots": 2, "repetitions": 2, "objects": 2, "begins": "bot", "speaker": "repetition"}
    table = one_with_bots(tmp_path / "bots", changes)

    async def story() -> None:
        hall = await table.open(quick_bots)
        me = table.visitors[0].session
        asked = False
        while table.room.phase != "over":
            await until(lambda: table.room.phase == "over" or table.room.phase == "playing")
            if table.room.phase == "over":
                break
            number = table.room.puzzle
            if table.room.speaker == me:
                await table.say("hm")
                await until(lambda: sum(line["text"].startswith("Which") for line in table.live.chat) == 2)
                asked = True
                await table.say(table.room.settings["labels"][table.room.target])
            else:
                await until(lambda: table.room.spoken)
                await table.choose(me)
            await until(lambda number=number: table.room.phase != "playing" or table.room.puzzle != number)
            await table.send(me, "ready")
        await hall.close()
        assert asked or table.room.speaker != me

    run(table.site, story())
    with open_for_reading(open_study(tmp_path / "bots"), None) as connection:
        game = load_game(connection, table.room.id)
    table.site.close()
    assert (game.outcome, len(game.rounds)) == ("completed", 4)
    assert {c.hearer for r in game.rounds for c in r.choices} >= {"bot", "bot-2"}
    assert all(c.right for r in game.rounds for c in r.choices)
    assert [r.text for r in game.rounds if r.speaker == "bot"] == [r.target for r in game.rounds if r.speaker == "bot"]


def test_programs_go_on_in_a_room_that_is_taken_up_again(tmp_path: Path) -> None:
    """The first hall has nobody to play for the programs; the second one, after it, finds the round waiting for a speaker."""
    changes = {"group": 3, "bots": 2, "repetitions": 1, "objects": 2, "begins": "bot", "speaker": "fixed"}
    table = one_with_bots(tmp_path / "bots", changes)
    me = table.visitors[0].session

    async def story() -> None:
        first = await table.open()
        key = table.room.id
        await first.close()
        second = await table.open(quick_bots)
        assert table.room.id == key
        await until(lambda: table.room.spoken)
        await table.choose(me)
        await until(lambda: table.room.phase == "between")
        await second.close()

    run(table.site, story())
    assert set(table.room.chosen) == {me, "bot-2"} or set(table.room.chosen) == {me, "bot"}
    table.site.close()


@pytest.mark.parametrize("words_after", [(), ("hm again",)])
def test_a_listener_that_cannot_tell_asks_once_and_then_chooses(
    words_after: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an answer it chooses after a while; with one that does not help, at once."""
    if not words_after:
        monkeypatch.setattr(reference_bots, "REPLY_SECONDS", 20.0)
    table = one_with_bots(tmp_path / "bots", {**ONE_BOT, "bot_listener": "literal"})

    async def story() -> None:
        hall = await table.open(quick_bots)
        await table.say("hm")
        await until(lambda: any(line["text"].startswith("Which") for line in table.live.chat))
        for text in words_after:
            await table.say(text)
        await until(lambda: table.room.chosen)
        await hall.close()

    run(table.site, story())
    assert sum(line["text"].startswith("Which") for line in table.live.chat) == 1
    assert set(table.room.chosen) == {"bot"}
    table.site.close()


def test_a_model_is_told_what_was_said_and_its_choice_is_read(tmp_path: Path) -> None:
    with serving(completion("1")) as endpoint:
        model = f"llm/openai-compatible|model:toy|endpoint:{endpoint.url}"
        table = one_with_bots(tmp_path / "model", {**ONE_BOT, "bot_listener": model})

        async def story() -> None:
            hall = await table.open(quick_bots)
            await table.say("the boat")
            await until(lambda: table.room.phase == "between")
            await hall.close()

        run(table.site, story())
        assert table.room.chosen["bot"] in table.room.settings["labels"]
        assert "the boat" in endpoint.seen[-1]["messages"][0]["content"]
        table.site.close()


def test_a_program_that_cannot_be_asked_says_so_and_the_round_ends_by_its_limit(tmp_path: Path) -> None:
    nobody = f"llm/openai-compatible|model:toy|endpoint:http://127.0.0.1:{free_port()}/v1|tries:1"
    table = one_with_bots(tmp_path / "mute", {**ONE_BOT, "bot_listener": nobody, "limit_seconds": 1.5})

    async def story() -> None:
        hall = await table.open(quick_bots)
        await table.say("the boat")
        await until(lambda: any("cannot answer" in line["text"] for line in table.live.chat))
        await until(lambda: table.room.phase == "between")
        await hall.close()

    run(table.site, story())
    assert (table.room.ended, table.room.chosen) == ("timeout", {})
    table.site.close()


def test_a_program_does_not_choose_by_the_words_of_the_round_before(tmp_path: Path) -> None:
    """A room is in its next round before anybody was told: what programs have heard by then was said in the last one."""
    table = one_with_bots(tmp_path / "early", {**ONE_BOT, "speaker": "fixed"})

    async def story() -> None:
        hall = await table.open(quick_bots)
        me, bots = table.visitors[0].session, table.live.partner
        assert isinstance(bots, ReferenceBots)
        meant = table.room.settings["labels"][table.room.target]
        await table.say(f"the {meant}")
        await until(lambda: table.ears[me].status["phase"] == "between")
        hall.take(table.live, me, [RoomLine(me, "ready", {}, 2, 1.0)])
        assert (table.room.puzzle, table.room.phase) == (1, "playing")
        await bots._take_turn()
        await until(lambda: table.ears[me].status["puzzle"] == 1)
        await hall.close()

    run(table.site, story())
    with table.site.served.store.read() as connection:
        kinds = [json.loads(line)["kind"] for line in list(iterate_log(connection, table.room.id))[1:]]
    assert (kinds.count("choose"), kinds.count("late")) == (1, 0)
    table.site.close()


def test_the_name_of_a_room_does_not_tell_what_will_be_meant(site: Site) -> None:
    table = Table(site)

    async def story() -> None:
        await table.open()
        await table.hall.close()

    run(site, story())
    assert table.room.seed != uuid.UUID(table.room.id).int % 2**31


async def a_group(port: int, study: str, people: int) -> list[Player]:
    group = [Player(port, study, Random(n)) for n in range(people)]
    for player in group:
        await player.begin()
        await player.until(lambda player=player: bool(player.status))
    for player in group:
        await player.until(lambda player=player: player.status["phase"] == "playing")
    return group


async def chosen_under_kills(server: ServerProcess) -> tuple[list[Player], list[str]]:
    """Every listener's choice is sent while the connection is torn or the server killed; each is acknowledged in the end, and counts once."""
    group = await a_group(server.port, "trio", 3)
    meant = []
    for number in range(4):
        speaker = next(p for p in group if p.role == "speaker")
        listeners = [p for p in group if p is not speaker]
        target = speaker.status["game"]["target"]
        meant.append(target)
        say(speaker, f"round {number}")
        await speaker.settled()
        for player in listeners:
            await player.until(lambda player=player: player.status["game"]["order"] != [])
            player.send("choose", object=target, round=number)
            if number == 0:
                player.tear()
            await player.settled()
            if number == 1 and player is listeners[0]:
                await asyncio.to_thread(server.kill)
                server.start()
                await asyncio.to_thread(server.wait_until_up)
        for player in group:
            await player.until(lambda player=player: player.status["phase"] == "between")
            player.send("ready")
            await player.settled()
        for player in group:
            await player.until(
                lambda player=player, number=number: (
                    player.status["puzzle"] > number or player.status["phase"] == "over"
                )
            )
    for player in group:
        await player.end()
    return group, meant


def test_after_kill_9_and_torn_connections_every_acknowledged_choice_counts_once(tmp_path: Path) -> None:
    make_reference_study(tmp_path / "trio", id="trio", settings=SMALL)
    server = ServerProcess(tmp_path / "trio", free_port())
    server.start()
    try:
        server.wait_until_up()
        group, meant = asyncio.run(chosen_under_kills(server))
    finally:
        server.stop()
    assert [p.status["solved"] for p in group if p.role == "listener"] == [4, 4]
    assert all(p.status["outcome"] == "completed" for p in group)
    study = open_study(tmp_path / "trio")
    with open_for_reading(study, None) as connection:
        game = load_game(connection, group[0].room)
        labels = list_rooms(connection, study)[0]
    shown = study.kind.show(next(study.iterate_stimuli()), study.settings, Random(0))
    assert [r.target for r in game.rounds] == [shown.labels[label] for label in meant]
    assert [c.right for r in game.rounds for c in r.choices] == [True] * 8
    assert labels.puzzles[0]["result"] == "8 of 8 choices right, completed"


# -- out of it -----------------------------------------------------------------------------------------------------------------


def told(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str]:
    code = main([str(a) for a in args])
    out, err = capsys.readouterr()
    return code, out + err


def test_simulated_people_play_and_their_games_are_scored_as_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counts by hand: 2 full rooms of 3, 2 repetitions of 4 objects: 8 rounds each, 2 listeners; literal hearers of distinguishing words are right."""
    study = make_reference_study(
        tmp_path / "trio", settings={"group": 3, "repetitions": 2, "objects": 4}, participants=9
    )
    played = simulate(study.folder, participants=7)
    assert (played.lost, played.twice) == (0, 0)
    out = tmp_path / "games"
    code, text = told(capsys, "tangram", "export", study.folder, "--all", "--out", out)
    assert code == 0, text
    assert "wrote 2 games of 2 rooms" in text
    code, text = told(capsys, "play", "--played", out, "--format", "json")
    assert code == 0, text
    found = json.loads(text)
    assert (found["speaker"], len(found["games"]), found["rounds"]) == ("people", 2, 16)
    assert found["heard"] == {"entity": 32}
    (curve,) = found["curves"]
    for level in curve["levels"]:
        assert (level["n_words"], level["right"], level["n_right"], level["n_seconds"]) == (8, 1.0, 16, 16)
        assert level["words"] == 1.0
        assert level["seconds"] > 0
    assert all(game["simulated"] for game in found["games"])
    code, text = told(capsys, "play", "--played", out)
    assert "seconds" in text
    assert "SIMULATED: 2 of the games" in text
    code, text = told(capsys, "tangram", "export", study.folder, "--all", "--as", "eaf")
    assert code == 2
    assert "--as games or jsonl" in text
    code, text = told(capsys, "play", "--played", tmp_path)
    assert code == 2
    assert "there are no played games here" in text


def test_the_demonstration_is_for_one_person_with_two_programs(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "demo", "reference-game")
    assert (study.settings["group"], study.settings["bots"]) == (3, 2)
    assert simulate(study.folder, participants=2).endings["completed"] == 2


def test_scenes_of_a_corpus_are_played_with_where_there_is_something_to_see() -> None:
    from referee.corpora.synthetic.corpus import Synthetic
    from referee.corpora.tangrams import FIGURES
    from referee.errors import InputError
    from referee.records import Trial

    trials = list(Synthetic(seed=1, speakers=1, scenes=3).trials())
    found = find_scene_trial(trials, "synthetic")
    assert found.targets == tuple(e.id for e in found.scene.entities)
    assert find_scene_trial(trials, "synthetic", trials[-1].scene.id or trials[-1].id).scene == trials[-1].scene
    assert find_scene_trial([trials[0], trials[1], trials[0]], "synthetic").scene == trials[0].scene, (
        "the first is first"
    )
    named = [Trial(id="t", scene=FIGURES, targets=(FIGURES.entities[0].id,))]
    with pytest.raises(InputError, match="no scene of multiparty-tangrams can be shown"):
        find_scene_trial(named, "multiparty-tangrams")
    # Two that differ in their places alone are the same thing in everybody's own order.
    one = trials[0].scene.entities[0]
    twins = replace(trials[0].scene, entities=(*trials[0].scene.entities, replace(one, id="twin")), id="twins")
    with pytest.raises(InputError, match="look alike"):
        find_scene_trial([replace(trials[0], scene=twins)], "twins")
    assert find_scene_trial([replace(trials[0], scene=twins), *trials], "synthetic").scene.id != "twins"
    with pytest.raises(InputError, match=r"no scene 'twins' that can be shown"):
        find_scene_trial([replace(trials[0], scene=twins), *trials], "synthetic", "twins")


def test_the_check_tells_where_two_objects_look_alike(tmp_path: Path) -> None:
    trial = make_figure_trial()
    twin = replace(trial.scene.entities[0], id="twin")
    again = replace(trial, scene=replace(trial.scene, entities=(*trial.scene.entities, twin)))
    assert [c.holds for c in prove_shown(make_reference_study(tmp_path / "good", trial=trial))] == [True]
    (claim,) = prove_shown(make_reference_study(tmp_path / "bad", trial=again))
    assert not claim.holds
    assert "figures" in claim.counted


def small_pictures(folder: Path, *colours: str) -> Path:
    from PIL import Image

    folder.mkdir()
    for number, colour in enumerate(colours):
        Image.new("RGB", (8, 8), colour).save(folder / f"secret-{number}.png")
    return folder


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ({"bot_listener": "learned"}, "learned cannot play with these objects: none of the trials has a text"),
        ({"bot_speaker": "classic/support-vectors"}, "SupportVectors learns from data"),
        ({"bot_speaker": "tuna2008-r/IS-GT"}, "IS-GT cannot play"),
        ({"bot_speaker": "classic/pro"}, "--bot-speaker"),
    ],
)
def test_a_program_that_could_say_nothing_in_any_room_is_refused(
    program: dict[str, str], told: str, tmp_path: Path
) -> None:
    with pytest.raises(RefereeError, match=told):
        make_reference_study(tmp_path / "mute", settings={**ONE_BOT, **program})
    assert not (tmp_path / "mute").exists()


def test_own_pictures_are_shown_under_names_that_tell_nothing(tmp_path: Path) -> None:
    folder = small_pictures(tmp_path / "own", "red", "green", "blue")
    study = make_reference_study(tmp_path / "study", id="own", trial=make_picture_trial(folder), pictures=folder)
    assert all(claim.holds for claim in prove_shown(study))
    site = Site(open_served(study.folder))
    plan = Visitor(site).begin().plan
    (step,) = (s for s in plan["steps"] if s["plugin"] == "reference-game")
    assert [sorted(entity) for entity in step["parameters"]["entities"]] == [["id", "name", "picture"]] * 3
    assert "secret" not in json.dumps(plan)
    for entity in step["parameters"]["entities"]:
        reply = site("GET", entity["picture"])
        assert (reply.status_code, reply.headers["content-type"]) == (200, "image/png")
        assert entity["picture"] in plan["pictures"], "loaded before the game begins"
    site.close()
    shown = study.kind.show(next(study.iterate_stimuli()), study.settings, Random(0))
    assert set(shown.labels.values()) == {"secret-0", "secret-1", "secret-2"}


def test_a_corpus_whose_objects_have_pictures_is_played_with_them_where_they_are(tmp_path: Path) -> None:
    from referee.errors import InputError
    from referee.records import Entity, Property, Scene, Trial

    folder = small_pictures(tmp_path / "own", "red", "green")
    pictured = tuple(Entity(id=n, attributes=(Property("name", n),), image=f"secret-{n}.png") for n in "01")
    trial = Trial(id="t", scene=Scene(entities=pictured), targets=("0",))
    assert [e.image for e in find_scene_trial([trial], "own", None, folder).scene.entities] == [
        "secret-0.png",
        "secret-1.png",
    ]
    with pytest.raises(InputError, match="names but no pictures"):
        find_scene_trial([trial], "own")
    with pytest.raises(InputError, match="programs cannot see"):
        make_reference_study(tmp_path / "s", trial=trial, pictures=folder, settings={"group": 2, "bots": 1})
    with pytest.raises(InputError, match=r"secret-0\.png and secret-2\.png are the same picture"):
        make_picture_trial(small_pictures(tmp_path / "same", "red", "green", "red"))
    with pytest.raises(InputError, match="pictures"):
        make_picture_trial(small_pictures(tmp_path / "one", "red"))
    (folder / "secret-2.png").write_bytes(b"no picture")
    with pytest.raises(RefereeError, match=r"secret-2"):
        make_reference_study(tmp_path / "broken", trial=make_picture_trial(folder), pictures=folder)
    assert not (tmp_path / "broken").exists()


@pytest.mark.parametrize(
    ("settings", "minutes"),
    [
        # Three minutes of instructions, and 59 s a round (`multiparty-tangrams`, 2a to 2c: 37 games of 72 rounds take 66 minutes in the mean).
        ({}, 3 + 71),
        ({"repetitions": 2, "objects": 4}, 3 + 8),
        # No round lasts longer than its limit.
        ({"repetitions": 2, "objects": 4, "limit_seconds": 30.0}, 3 + 4),
    ],
)
def test_people_are_told_how_long_a_game_takes(settings: dict[str, Any], minutes: int, tmp_path: Path) -> None:
    study = make_reference_study(tmp_path / "long", settings=settings)
    assert study.minutes == minutes
    assert f"takes about {minutes} minutes" in study.texts["consent"]


@pytest.mark.parametrize(
    ("limit_minutes", "usual", "longest"),
    [
        # Four minutes of instructions and training, 3 puzzles of 200 s; at most 3 of 15 minutes, 2 pauses of 90 s and 10 minutes of waiting.
        (15.0, 4 + 10, 4 + 45 + 3 + 10),
        (1.0, 4 + 3, 4 + 3 + 3 + 10),
    ],
)
def test_people_are_told_how_long_puzzles_take(limit_minutes: float, usual: int, longest: int, tmp_path: Path) -> None:
    settings = {"voice": True, "limit_minutes": limit_minutes, "hints_minutes": [0.5, 0.9]}
    study = make_tangram_study(tmp_path / "long", puzzles=["boat", "swan", "cat"], settings=settings)
    assert f"about {usual} minutes, and at most {longest} minutes" in study.texts["consent"]
