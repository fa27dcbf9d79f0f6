"""Simulated participants: the real interface, a bad network, and a count that would notice a loss (data-safety rule 16)."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections import Counter
from math import log
from pathlib import Path
from random import Random
from statistics import stdev

import httpx
import pytest
from postgres_server import postgres
from study_server import Person, change, site, study_folder

from referee.corpora.jsonl import trial_to_json, write_json_line
from referee.corpora.synthetic.corpus import Synthetic
from referee.engines.local import LocalEngine
from referee.engines.on_ray import RayEngine
from referee.engines.pieces import Engine
from referee.errors import InputError
from referee.hearers.literal import Literal
from referee.hearers.noisy import Noisy
from referee.records import Description, Entity, Property, Scene, Trial
from referee_lab.bots.faults import FAULTS, Faults, Unreliable
from referee_lab.bots.simulation import count_losses, simulate
from referee_lab.bots.thinking import Someone
from referee_lab.study.data.collection import collect_from
from referee_lab.study.data.export import build_export
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.study import open_study

PROTOCOLS = (
    "asgre2007",
    "tuna2008",
    "self-paced-reading",
    "open-choice",
    "production",
    "judgement",
    "judgement-pairwise",
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_bots_play_every_protocol_to_the_code(tmp_path: Path, protocol: str) -> None:
    study = make_demo(tmp_path / "study", protocol, items=3, participants=3)
    played = simulate(study.folder, participants=3)
    assert (played.endings, played.lost, played.twice) == (Counter(completed=3), 0, 0)
    collected = collect_from(study)
    assert len(collected.trials) == sum(len(study.lists[i % len(study.lists)].trials) for i in range(3))
    assert {s.simulated for s in collected.sittings} == {"noisy"}
    assert all(s.failed_checks == 0 for s in collected.sittings if "judge" in protocol)


def test_a_bot_that_is_too_late_for_an_attention_check_fails_it(tmp_path: Path) -> None:
    """A millisecond is too short for everybody: all answers are timeouts, which have no times."""
    folder = study_folder(tmp_path, protocol="asgre2007", timeout_ms="1")
    played = simulate(folder, participants=2)
    assert (played.lost, played.twice) == (0, 0)
    collected = collect_from(open_study(folder))
    assert {answer.answer["outcome"] for answer in collected.trials} == {"timeout"}
    assert all(sitting.failed_checks > 0 for sitting in collected.sittings)


def test_nothing_is_lost_or_doubled_on_a_network_that_loses_delays_and_doubles(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    faults = Faults.named(FAULTS, share=0.25)
    played = simulate(folder, participants=6, faults=faults, seed=3)
    assert all(played.faults[kind] > 0 for kind in FAULTS)
    assert (played.endings, played.lost, played.twice) == (Counter(completed=6), 0, 0)
    collected = collect_from(open_study(folder))
    assert len(collected.trials) == 6 * len(collected.study.lists[0].trials)
    assert len(collected.aborted) == played.faults["reload"]


def test_a_skipped_trial_is_not_shown_again(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    change(folder, aborted='"skip"')
    played = simulate(folder, participants=3, faults=Faults.named(["reload"], share=0.3))
    assert played.faults["reload"] > 0
    assert played.sound
    collected = collect_from(open_study(folder))
    assert max(a.attempt for a in collected.answers) == 1


def test_the_seed_decides_who_answers_what(tmp_path: Path) -> None:
    def answers(name: str, seed: int, *faults: str) -> set[tuple[object, ...]]:
        study = make_demo(tmp_path / name, items=6, participants=3, id="demo")
        simulate(study.folder, participants=3, seed=seed, faults=Faults.named(faults))
        return {
            (a.sitting.list, a.step, a.asked.id, a.response.entity, a.response.identification_ms)
            for a in collect_from(study).trials
            if a.asked and a.response
        }

    once = answers("one", 7)
    assert once == answers("two", 7) == answers("three", 7, "loss", "duplicate", "delay")
    assert once != answers("four", 8)


RAY = pytest.param(
    RayEngine(jobs=2),
    2,
    marks=[
        pytest.mark.long,
        pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed"),
    ],
)


@pytest.mark.parametrize(("engine", "shard"), [(LocalEngine(2), 2), RAY])
def test_answers_are_the_same_wherever_they_are_worked_out(tmp_path: Path, engine: Engine, shard: int) -> None:
    # A hearer that learns, and so is trained in every worker, on trials that are not in the study.
    trials = tmp_path / "trials.jsonl"
    trials.write_text(
        "".join(write_json_line(trial_to_json(t)) + "\n" for t in Synthetic(speakers=3).trials()), "utf-8"
    )

    def answers(name: str, engine: Engine | None) -> list[tuple[object, ...]]:
        study = make_demo(tmp_path / name, "tuna2008", items=6, participants=6, id="demo")
        played = simulate(study.folder, "learned", participants=6, train=trials, engine=engine, shard=shard)
        assert (played.endings, played.lost, played.twice) == (Counter(completed=6), 0, 0)
        found = collect_from(study).answers
        return sorted(
            (a.sitting.list, a.step, json.dumps([dict(a.answer), dict(a.times)], sort_keys=True)) for a in found
        )

    assert answers("apart", engine) == answers("here", None)


def test_bots_that_try_a_study_out_take_no_place_from_people(tmp_path: Path) -> None:
    folder = study_folder(tmp_path, mode='"live"')
    simulate(folder, participants=3)
    study = open_study(folder)
    assert (len(collect_from(study).sittings), len(collect_from(study, mode="debug").sittings)) == (0, 3)
    assert simulate(folder, participants=6, mode=None).endings == Counter(completed=6)
    assert len(collect_from(study).sittings) == 6


def test_the_count_notices_a_lost_answer_and_one_too_many(tmp_path: Path) -> None:
    from referee_lab.bots.participants import Bot

    with site(study_folder(tmp_path)) as opened:
        transport = httpx.ASGITransport(app=opened.app)
        bot = Bot(number=1, served=opened.served, hearer=Noisy(), label="noisy", transport=transport)
        opened.loop.run_until_complete(bot.enrol())
        opened.loop.run_until_complete(bot.play())
        assert count_losses(opened.served, [bot]) == (0, 0)
        bot.saved.add("never stored")
        assert count_losses(opened.served, [bot]) == (1, 0)
        bot.saved -= {"never stored", next(iter(bot.saved - {"never stored"}))}
        assert count_losses(opened.served, [bot]) == (0, 1)


class _Counting(httpx.AsyncBaseTransport):
    def __init__(self) -> None:
        self.arrived = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.arrived += 1
        return httpx.Response(200, json={"n": self.arrived})


def test_a_loss_takes_the_request_or_only_its_reply() -> None:
    inner = _Counting()
    tally: Counter[str] = Counter()
    network = Unreliable(inner, Faults(kinds=frozenset({"loss"}), share=1.0), Random(1), tally)

    async def lose() -> None:
        async with httpx.AsyncClient(transport=network, base_url="http://x.invalid") as client:
            for _ in range(100):
                with pytest.raises(httpx.TransportError):
                    await client.get("/")

    asyncio.run(lose())
    assert tally["loss"] == 100
    assert 30 < inner.arrived < 70  # half of the losses are of replies only: binomial(100, 1/2)


def test_a_duplicate_arrives_twice_and_is_answered_once() -> None:
    inner = _Counting()
    tally: Counter[str] = Counter()
    network = Unreliable(inner, Faults(kinds=frozenset({"duplicate"}), share=1.0), Random(1), tally)

    async def send() -> int:
        async with httpx.AsyncClient(transport=network, base_url="http://x.invalid") as client:
            return int((await client.get("/")).json()["n"])

    assert asyncio.run(send()) == 2
    assert (inner.arrived, tally["duplicate"]) == (2, 1)


def test_an_unknown_fault_is_named() -> None:
    with pytest.raises(InputError, match="--faults cannot be 'fire'"):
        Faults.named(["loss", "fire"])


def test_a_hearer_that_learns_is_not_sent_untrained(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="learns from trials"):
        simulate(study_folder(tmp_path), "learned", participants=1)


# -- one person ------------------------------------------------------------------------------------------------------------


def two_chairs() -> Trial:
    red = Entity(id="a", attributes=(Property("type", "chair"), Property("colour", "red")))
    blue = Entity(id="b", attributes=(Property("type", "chair"), Property("colour", "blue")))
    return Trial(id="t", scene=Scene(entities=(red, blue)), targets=("a",))


def test_a_persons_pace_multiplies_all_of_their_times() -> None:
    trial = two_chairs()
    said = Description(text="the red chair", properties=(Property("colour", "red"),))
    people = [Someone(Literal(), f"seed {n}") for n in range(200)]
    heard = [p.resolve(said, trial.for_hearer(Random(1))) for p in people]
    paces = [r.reading_ms / p.pace for p, r in zip(people, heard, strict=True) if r.reading_ms]
    assert paces == pytest.approx([350 + 3 * 230] * 200)  # guessing.READING_MS + three words at PER_WORD_MS
    assert stdev(log(p.pace) for p in people) == pytest.approx(
        0.2, abs=0.03
    )  # PACE_SPREAD; standard error of an SD is 0.01


def test_people_err_where_the_hearer_doubts_and_not_where_it_is_sure() -> None:
    trial = two_chairs()
    sure = Description(properties=(Property("colour", "red"),))
    vague = Description(properties=(Property("type", "chair"),))
    people = [Someone(Noisy(guess=1.0), f"seed {n}") for n in range(300)]
    view = trial.for_hearer(Random(1))
    wrong = {
        name: sum(p.resolve(said, view).entity == "b" for p in people) / 300
        for name, said in (("sure", sure), ("vague", vague))
    }
    assert wrong["sure"] < 0.1
    assert wrong["vague"] == pytest.approx(0.5, abs=0.1)


def test_bots_are_kept_out_of_a_study_in_which_people_have_taken_part(tmp_path: Path) -> None:
    folder = study_folder(tmp_path, mode='"pilot"')
    simulate(folder, participants=1, mode=None)
    with site(folder) as opened:
        Person(opened).complete()
    with pytest.raises(InputError, match="1 people have already taken part in mode pilot"):
        simulate(folder, participants=1, mode=None)
    collected = collect_from(open_study(folder))
    bot, person = sorted(collected.sittings, key=lambda s: s.simulated is None)
    assert [mark.reason for mark in bot.marks] == ["simulated participant"]
    assert person.marks == ()


def test_the_same_on_postgresql(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    with postgres() as address:
        database = f"{address}/postgres"
        played = simulate(folder, participants=3, faults=Faults.named(FAULTS), database=database)
        collected = collect_from(open_study(folder), database)
        first = build_export(collected, ("csv",))
        assert build_export(collect_from(open_study(folder), database), ("csv",)) == first
    assert played.sound
    assert len(collected.trials) == 3 * len(collected.study.lists[0].trials)
    assert not (folder / "data" / "study.sqlite").exists()
