"""Every protocol of the catalogue keeps the contract: what it shows tells nothing, what it simulates it accepts, what it accepts it can read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee import catalogue
from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import InputError
from referee.geometry import Box, ScenePicture, Size
from referee.records import Description, Entity, Outcome, Scene, Trial
from referee_lab.study.folder.study import read_protocol_settings
from referee_lab.study.protocols.contract import GivenAnswer, Kind, Stimulus

# Clips and rooms are no scenes: what those protocols show has tests of its own.
WITHOUT_SCENES = ("replay-identify", "tangram")
PROTOCOLS = tuple(name for name in catalogue.names("protocol") if name not in WITHOUT_SCENES)
HEARERS = ("literal", "noisy", "rsa", "position")
POINTING = ("point", "refoi")
IDENTIFYING = ("asgre2007", "tuna2008", "self-paced-reading", "open-choice", *POINTING)
MARKING = ("production", "judgement", "judgement-pairwise", "ranking")
DOCS = Path(__file__).parents[4] / "docs" / "protocols.md"


def _trials(number: int = 6) -> list[Trial]:
    return list(Synthetic(seed=3, speakers=1, scenes=number).trials())


def _settings(kind: Kind, **changes: Any) -> dict[str, Any]:
    return {**{name: p.default for name, p in kind.info.parameters.items()}, **changes}


def _stimulus(trial: Trial, system: str = "secret-system", text: str | None = None) -> Stimulus:
    said = trial.references[0] if text is None else Description(text=text, properties=())
    rival = Stimulus(
        id=f"{trial.id}|other", trial=trial, description=Description(text="a thing"), system="other-system"
    )
    return Stimulus(id=f"{trial.id}|{system}", trial=trial, description=said, system=system, rival=rival)


@pytest.mark.parametrize("hearer", HEARERS)
@pytest.mark.parametrize("name", PROTOCOLS)
def test_what_is_simulated_is_accepted_and_can_be_read(name: str, hearer: str) -> None:
    kind, listener = catalogue.create("protocol", name), catalogue.create("hearer", hearer)
    settings = _settings(kind)
    for number, trial in enumerate(_trials()):
        stimulus = _stimulus(trial)
        shown = kind.show(stimulus, settings, Random(number))
        answer = kind.simulate(stimulus, shown, settings, listener, Random(number))
        sent = json.loads(json.dumps({"answer": dict(answer.answer), "times": dict(answer.times)}))
        again = GivenAnswer(answer=sent["answer"], times=sent["times"], flags=answer.flags)
        kind.check(again, shown, settings)
        response = kind.respond(again, stimulus, shown, "P-1")
        assert (response is not None) == (name in IDENTIFYING)
        if response is not None:
            assert (response.trial, response.system, response.hearer) == (trial.id, "secret-system", "P-1")
            assert response.entity is None or response.entity in {e.id for e in trial.scene.entities}


@pytest.mark.parametrize("name", IDENTIFYING)
def test_a_literal_hearer_of_a_unique_description_finds_the_target_through_the_labels(name: str) -> None:
    kind, listener = catalogue.create("protocol", name), catalogue.create("hearer", "literal")
    settings = _settings(kind)
    found = 0
    for number, trial in enumerate(_trials(12)):
        if trial.scene.denotation(trial.references[0].properties or ()) != trial.target_mask:
            continue
        stimulus = _stimulus(trial)
        shown = kind.show(stimulus, settings, Random(number))
        response = kind.respond(
            kind.simulate(stimulus, shown, settings, listener, Random(number)), stimulus, shown, "h"
        )
        assert (response.outcome, response.entity) == (Outcome.ENTITY, trial.targets[0])
        found += 1
    assert found > 3


@pytest.mark.parametrize("name", PROTOCOLS)
def test_what_is_shown_does_not_depend_on_the_target(name: str) -> None:
    kind = catalogue.create("protocol", name)
    settings = _settings(kind, **({"mark_target": False} if "mark_target" in kind.info.parameters else {}))
    for trial in _trials(3):
        seen = []
        for entity in trial.scene.entities:
            shown = kind.show(_stimulus(replace(trial, targets=(entity.id,)), text="that one"), settings, Random(7))
            seen.append(({k: v for k, v in shown.parameters.items() if k != "target"}, shown.labels))
        assert all(one == seen[0] for one in seen)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_neither_target_nor_system_nor_names_of_trial_and_entities_are_shown(name: str) -> None:
    kind = catalogue.create("protocol", name)
    for trial in _trials(3):
        renamed = {e.id: f"hidden-{n}" for n, e in enumerate(trial.scene.entities)}
        scene = replace(
            trial.scene, entities=tuple(replace(e, id=renamed[e.id]) for e in trial.scene.entities), id="hidden-scene"
        )
        hidden = replace(trial, id="hidden-trial", scene=scene, targets=(renamed[trial.targets[0]],))
        shown = kind.show(_stimulus(hidden, text="that one"), _settings(kind), Random(1))
        text = json.dumps(dict(shown.parameters))
        assert "hidden" not in text
        assert "system" not in text
        assert ("target" in shown.parameters) == (name in MARKING)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_order_of_the_entities_in_the_file_does_not_show(name: str) -> None:
    kind = catalogue.create("protocol", name)
    trial = _trials(1)[0]
    turned = replace(trial, scene=replace(trial.scene, entities=trial.scene.entities[::-1]))
    shown = "photo" if name in POINTING else "entities"
    one, other = (kind.show(_stimulus(t), _settings(kind), Random(1)).parameters[shown] for t in (trial, turned))
    assert one == other


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_field_that_was_never_declared_is_refused_by_name(name: str) -> None:
    kind, listener = catalogue.create("protocol", name), catalogue.create("hearer", "literal")
    stimulus = _stimulus(_trials(1)[0])
    shown = kind.show(stimulus, _settings(kind), Random(1))
    answer = kind.simulate(stimulus, shown, _settings(kind), listener, Random(1))
    with pytest.raises(InputError, match=r"answer\.score"):
        kind.check(replace(answer, answer={**answer.answer, "score": 1}), shown, _settings(kind))
    with pytest.raises(InputError, match=r"times\.cheat_ms"):
        kind.check(replace(answer, times={**answer.times, "cheat_ms": 1.0}), shown, _settings(kind))


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), "12", True, [1]])
def test_times_are_numbers(wrong: Any) -> None:
    kind = catalogue.create("protocol", "tuna2008")
    shown, answer = _answered(kind)
    with pytest.raises(InputError, match=r"times\.reading_ms"):
        kind.check(replace(answer, times={**answer.times, "reading_ms": wrong}), shown, _settings(kind))


def test_a_press_in_the_frame_of_the_onset_is_before_it_and_kept() -> None:
    kind = catalogue.create("protocol", "tuna2008")
    shown, answer = _answered(kind)
    early = replace(answer, times={**answer.times, "identification_ms": -8.3})
    kind.check(early, shown, _settings(kind))
    assert kind.respond(early, _stimulus(_trials(1)[0]), shown, "h").identification_ms == -8.3
    with pytest.raises(InputError, match=r"answer\.repeats"):
        kind.check(replace(answer, answer={**answer.answer, "repeats": -1}), shown, _settings(kind))


def test_words_are_counted_the_same_whatever_stands_between_them() -> None:
    kind = catalogue.create("protocol", "self-paced-reading")
    stimulus = _stimulus(_trials(1)[0], text="  the\u00a0red\n\tchair\ufeff there\x85now ")
    assert kind.show(stimulus, _settings(kind), Random(1)).parameters["text"] == "the red chair there now"


def _answered(kind: Kind, **changes: Any) -> tuple[Any, GivenAnswer]:
    stimulus = _stimulus(_trials(1)[0], text="the red chair")
    settings = _settings(kind, **changes)
    shown = kind.show(stimulus, settings, Random(1))
    return shown, kind.simulate(stimulus, shown, settings, catalogue.create("hearer", "position"), Random(1))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"entity": "e99"}, "answer.entity"),
        ({"entity": None}, "answer.entity"),
        ({"outcome": "several", "entity": None}, "answer.outcome"),
        ({"outcome": "perhaps"}, "answer.outcome"),
        ({"guess": "e1"}, "answer.guess"),
        ({"pointer": "telepathy"}, "answer.pointer"),
        ({"trusted": "yes"}, "answer.trusted"),
        ({"outcome": "timeout"}, "answer.entity"),
    ],
)
def test_an_answer_that_the_page_cannot_give_is_refused(change: dict[str, Any], field: str) -> None:
    kind = catalogue.create("protocol", "tuna2008")
    shown, answer = _answered(kind)
    with pytest.raises(InputError) as caught:
        kind.check(replace(answer, answer={**answer.answer, **change}), shown, _settings(kind))
    assert caught.value.where == field


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("asgre2007", ("combined_ms",)),
        ("tuna2008", ("reading_ms", "identification_ms")),
        ("self-paced-reading", ("reading_ms", "identification_ms", "regions_ms")),
    ],
)
def test_each_way_of_reading_has_its_times(name: str, times: tuple[str, ...]) -> None:
    kind = catalogue.create("protocol", name)
    shown, answer = _answered(kind)
    for time in times:
        with pytest.raises(InputError) as caught:
            kind.check(replace(answer, times={**answer.times, time: None}), shown, _settings(kind))
        assert caught.value.where == f"times.{time}"


def test_every_word_has_its_time_and_no_other() -> None:
    kind = catalogue.create("protocol", "self-paced-reading")
    shown, answer = _answered(kind)
    assert len(answer.times["regions_ms"]) == 3
    with pytest.raises(InputError, match="3 words"):
        kind.check(replace(answer, times={**answer.times, "regions_ms": [1.0]}), shown, _settings(kind))


def test_a_timeout_needs_no_times_and_is_offered_only_where_there_is_a_limit() -> None:
    tuna, asgre = (catalogue.create("protocol", n) for n in ("tuna2008", "asgre2007"))
    late = GivenAnswer(answer={"outcome": "timeout", "entity": None}, times={"reading_ms": 400.0})
    tuna.check(late, _answered(tuna)[0], _settings(tuna))
    with pytest.raises(InputError, match="not offered"):
        asgre.check(late, _answered(asgre)[0], _settings(asgre))


def test_a_slow_simulated_person_times_out() -> None:
    kind = catalogue.create("protocol", "tuna2008")
    shown, answer = _answered(kind, timeout_ms=1)
    assert answer.answer["outcome"] == "timeout"
    kind.check(answer, shown, _settings(kind, timeout_ms=1))


# The settings printed by Gatt, Belz & Kow (2008): "a fixation point flashed on the screen for 1000ms", "Trials timed out after 15000ms".
def test_tuna2008_has_the_printed_settings() -> None:
    settings = _settings(catalogue.create("protocol", "tuna2008"))
    assert (settings["fixation_ms"], settings["timeout_ms"]) == (1000, 15000)


def test_the_combined_time_of_one_screen_is_the_identification_time_of_the_response() -> None:
    kind = catalogue.create("protocol", "asgre2007")
    shown, answer = _answered(kind)
    response = kind.respond(answer, _stimulus(_trials(1)[0]), shown, "h")
    assert (response.reading_ms, response.identification_ms) == (None, answer.times["combined_ms"])


def test_open_choice_lets_people_say_that_several_fit_and_asks_for_a_guess() -> None:
    kind = catalogue.create("protocol", "open-choice")
    trial = _trials(1)[0]
    vague = Stimulus(id="x", trial=trial, description=Description(properties=(), text="it"))
    shown = kind.show(vague, _settings(kind), Random(1))
    answer = GivenAnswer(answer={"outcome": "several", "entity": None, "guess": "e2"}, times={"combined_ms": 900.0})
    kind.check(answer, shown, _settings(kind))
    response = kind.respond(answer, vague, shown, "h")
    assert (response.outcome, response.entity) == (Outcome.SEVERAL, None)


def test_a_choice_taken_back_is_flagged_so_that_its_time_is_not_used() -> None:
    kind = catalogue.create("protocol", "tuna2008")
    shown, answer = _answered(kind)
    changed = replace(answer, answer={**answer.answer, "corrected": True}, flags=("blur",))
    assert kind.respond(changed, _stimulus(_trials(1)[0]), shown, "h").flags == ("blur", "corrected")


@pytest.mark.parametrize(
    "ratings", [{}, {"adequacy": 5}, {"adequacy": 8, "fluency": 1}, {"adequacy": 2.5, "fluency": 1}, "7"]
)
def test_ratings_are_whole_within_limits_and_complete(ratings: Any) -> None:
    kind = catalogue.create("protocol", "judgement")
    shown = kind.show(_stimulus(_trials(1)[0]), _settings(kind), Random(1))
    with pytest.raises(InputError, match="ratings"):
        kind.check(GivenAnswer(answer={"ratings": ratings}), shown, _settings(kind))


@pytest.mark.parametrize("name", PROTOCOLS)
def test_defaults_are_sound_and_pictures_stay_in_their_cells(name: str) -> None:
    kind = catalogue.create("protocol", name)
    assert read_protocol_settings(kind, {}, Path("study.toml")) == _settings(kind)
    for change in {"timeout_ms": -1} if name in POINTING else {"jitter": -0.1}, {"nothing": 1}:
        with pytest.raises(InputError, match=next(iter(change))):
            read_protocol_settings(kind, change, Path("study.toml"))


@pytest.mark.parametrize(
    ("name", "change", "word"),
    [
        ("tuna2008", {"timeout_ms": -1}, "timeout_ms"),
        ("judgement", {"questions": ["one"]}, "questions"),
        ("judgement", {"scales": ["a", "a"]}, "names"),
        ("judgement", {"points": 1}, "points"),
        ("production", {"shortest": 400}, "shortest"),
        ("judgement-pairwise", {"question": " "}, "question"),
    ],
)
def test_settings_that_cannot_be_shown_are_refused(name: str, change: dict[str, Any], word: str) -> None:
    kind = catalogue.create("protocol", name)
    with pytest.raises(InputError, match=word):
        read_protocol_settings(kind, change, Path("study.toml"))


def test_a_slider_takes_any_number_from_0_to_100() -> None:
    kind = catalogue.create("protocol", "judgement")
    settings = {**_settings(kind), "kind": "slider"}
    shown = kind.show(_stimulus(_trials(1)[0]), settings, Random(1))
    kind.check(GivenAnswer(answer={"ratings": {"adequacy": 99.5, "fluency": 0}}), shown, settings)


def test_sides_of_a_pair_are_drawn_and_remembered() -> None:
    kind = catalogue.create("protocol", "judgement-pairwise")
    stimulus = _stimulus(_trials(1)[0], text="the first one")
    sides = set()
    for seed in range(20):
        shown = kind.show(stimulus, _settings(kind), Random(seed))
        side = next(s for s, text in shown.parameters["pairwise"].items() if text == "the first one")
        assert shown.labels[side] == "first"
        sides.add(side)
    assert sides == {"left", "right"}


def test_production_wants_words() -> None:
    kind = catalogue.create("protocol", "production")
    shown = kind.show(_stimulus(_trials(1)[0]), _settings(kind), Random(1))
    for text in (None, "", "   ", "x" * 301):
        with pytest.raises(InputError, match=r"answer\.text"):
            kind.check(GivenAnswer(answer={"text": text}), shown, _settings(kind))
    kind.check(GivenAnswer(answer={"text": "the red one"}), shown, _settings(kind))


def test_every_protocol_is_on_its_page_and_explains_its_settings() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for name in catalogue.names("protocol"):
        info = catalogue.create("protocol", name).info
        assert info.name == name
        assert f"| `{name}` |" in text
        assert all(parameter.about for parameter in info.parameters.values())


def test_who_reads_for_too_long_still_sees_the_scene() -> None:
    """Print has 4 reading and 7 identification timeouts, and so N = 1,436 and 1,433: each measure loses its own."""
    kind = catalogue.create("protocol", "tuna2008")
    shown, answer = _answered(kind, timeout_ms=0, reading_timeout_ms=1)
    assert shown.parameters["reading_timeout_ms"] == 1
    assert (answer.answer["outcome"], answer.answer["reading_timeout"]) == ("entity", True)
    assert answer.times["reading_ms"] is None
    assert answer.times["identification_ms"] > 0
    kind.check(answer, shown, _settings(kind, timeout_ms=0, reading_timeout_ms=1))
    with pytest.raises(InputError, match=r"answer\.reading_timeout"):
        kind.check(answer, shown, _settings(kind, timeout_ms=0, reading_timeout_ms=0))
    with pytest.raises(InputError, match="reading_timeout_ms"):
        read_protocol_settings(kind, {"reading_timeout_ms": -1}, Path("study.toml"))


def test_reading_with_the_scene_has_no_limit_of_its_own() -> None:
    kind = catalogue.create("protocol", "open-choice")
    shown, _ = _answered(kind, reading_timeout_ms=1)
    assert "reading_timeout_ms" not in shown.parameters


def _pointed(x: float | None, y: float | None, **more: Any) -> GivenAnswer:
    empty = dict.fromkeys(("box", "entity", "guess_x", "guess_y"))
    return GivenAnswer(answer={"outcome": "point", "x": x, "y": y, **empty, **more}, times={"combined_ms": 900.0})


def test_a_place_outside_the_picture_was_not_clicked() -> None:
    kind = catalogue.create("protocol", "point")
    stimulus = _stimulus(_trials(1)[0])
    shown = kind.show(stimulus, _settings(kind), Random(1))
    width = shown.parameters["photo"]["width"]
    kind.check(_pointed(width, 0), shown, _settings(kind))
    for wrong in (_pointed(width + 1, 0), _pointed(None, None), _pointed(3, None), _pointed(3, 3, box=[0, 0, 2, 2])):
        with pytest.raises(InputError, match=r"answer\.(x|box)"):
            kind.check(wrong, shown, _settings(kind))
    for box in ([5, 5, 2, 9], [0, 0, 1], [0, 0, width + 9, 5]):
        with pytest.raises(InputError, match=r"answer\.(outcome|box|x)"):
            kind.check(_pointed(None, None, outcome="box", box=box), shown, _settings(kind))


def test_what_is_hit_is_found_on_the_server_and_a_miss_is_a_place() -> None:
    """Two boxes, one in the other: the inner one is meant where both hold the point; beside both nothing was found."""
    kind = catalogue.create("protocol", "point")
    outer, inner = Entity(id="big", region=Box((0, 0, 50, 50))), Entity(id="small", region=Box((10, 10, 20, 20)))
    scene = Scene(entities=(outer, inner), picture=ScenePicture(path="p.png", size=Size(100, 80)))
    trial = Trial(id="t", scene=scene, targets=("small",), references=(Description(text="it"),))
    stimulus = _stimulus(trial)
    shown = kind.show(stimulus, _settings(kind), Random(1))
    hit = kind.respond(_pointed(20, 20), stimulus, shown, "p")
    assert (hit.outcome, hit.entity, hit.places[0].numbers) == (Outcome.ENTITY, "small", (20, 20))
    assert kind.respond(_pointed(30, 30), stimulus, shown, "p").entity == "big"
    miss = kind.respond(_pointed(90, 70), stimulus, shown, "p")
    assert (miss.outcome, miss.entity) == (Outcome.POINT, None)
    drawn = kind.respond(_pointed(None, None, outcome="box", box=[0, 0, 50, 40]), stimulus, shown, "p")
    assert drawn.entity == "big"
