"""The plan of a session: complete, repeatable, and without a word about what must stay hidden."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from referee import catalogue
from referee.errors import InputError
from referee_lab.server.sessions.plan import PlanStep, SessionPlan, check_answer, has_passed_check, make_plan, was_right
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.study import Study, open_study
from referee_lab.study.folder.study_pictures import draw_pictures
from referee_lab.study.protocols.contract import GivenAnswer


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("plans") / "demo"
    return make_demo(folder, items=24, participants=6, practice=2, checks=3, design="latin")


@pytest.fixture(scope="module")
def plan(study: Study) -> SessionPlan:
    return make_plan(study, "L01", 1)


def _kinds(plan: SessionPlan) -> list[str]:
    return [step.kind for step in plan.steps]


def test_the_same_study_list_and_seed_give_the_same_plan(study: Study, plan: SessionPlan) -> None:
    assert make_plan(study, "L01", 1) == plan
    assert make_plan(study, "L01", 2).public("/s/x") != plan.public("/s/x")


def test_a_session_has_all_its_parts_in_order(plan: SessionPlan) -> None:
    # Colour vision is asked before anything that hinges on colour.
    assert [one.name for one in plan.steps[0].fields] == ["colour_vision"]
    assert _kinds(plan)[:6] == ["form", "page", "page", "practice", "practice", "page"]
    assert _kinds(plan)[-2:] == ["form", "form"]
    assert Counter(_kinds(plan)) == {"page": 3, "practice": 2, "trial": 12, "check": 3, "break": 2, "form": 3}
    assert [step.index for step in plan.steps] == list(range(len(plan.steps)))
    assert plan.saved_indexes == tuple(s.index for s in plan.steps if s.kind in ("practice", "trial", "check", "form"))


def test_everybody_gets_exactly_their_list(study: Study) -> None:
    for one in study.lists:
        plan = make_plan(study, one.id, 5)
        shown = [s.stimulus.id for s in plan.steps if s.kind == "trial" and s.stimulus]
        assert sorted(shown) == sorted(f"{trial}|{condition}" for trial, condition in one.trials)


def test_breaks_come_after_every_so_many_trials_and_never_last(study: Study, plan: SessionPlan) -> None:
    trials = 0
    for step, following in zip(plan.steps, plan.steps[1:], strict=False):
        trials += step.kind == "trial"
        if step.kind == "break":
            assert trials % study.session.break_every == 0
            assert following.kind in ("trial", "check")


def test_checks_are_spread_over_the_session_and_not_first(study: Study) -> None:
    for seed in range(20):
        kinds = [k for k in _kinds(make_plan(study, "L02", seed)) if k in ("trial", "check")]
        places = [n for n, kind in enumerate(kinds) if kind == "check"]
        assert places[0] > 0
        assert len(places) == 3
        assert places[-1] - places[0] >= 4


@pytest.mark.parametrize("protocol", catalogue.names("protocol"))
def test_nothing_hidden_is_public(protocol: str, tmp_path: Path) -> None:
    study = make_demo(tmp_path / "s", protocol)
    public = make_plan(study, "L01", 1).public("/s/demo", alias="P-1", position=3, saved={2, 1})
    text = json.dumps(public["steps"])
    for hidden in (
        "toy-minimal",
        "toy-chatty",
        "human",
        "stimulus",
        "expect",
        # A room's one trial goes by the name of its plug-in, which is no secret.
        *(s.trial.id for s in study.stimuli.values() if s.trial.id != study.kind.info.plugin),
    ):
        assert f'"{hidden}' not in text
        assert f"|{hidden}" not in text
    assert (public["alias"], public["position"], public["saved"]) == ("P-1", 3, [1, 2])
    kinds = {step["kind"] for step in public["steps"]}
    assert "check" not in kinds, "an attention check looks like a trial"


def test_moving_the_targets_changes_nothing_that_is_public(study: Study, plan: SessionPlan) -> None:
    """The order may depend on targets (no picture is the target twice running), so orders are fixed here."""
    fixed = replace(study, design=replace(study.design, order="fixed"))
    moved = {}
    for key, stimulus in study.stimuli.items():
        others = [e.id for e in stimulus.trial.scene.entities if e.id not in stimulus.trial.targets]
        moved[key] = replace(stimulus, trial=replace(stimulus.trial, targets=(others[0],)))
    one = make_plan(fixed, "L01", 1).public("/s/x")
    assert make_plan(replace(fixed, stimuli=moved), "L01", 1).public("/s/x") == one


def test_every_picture_that_is_shown_is_preloaded_and_can_be_drawn(study: Study, plan: SessionPlan) -> None:
    public = plan.public("/s/demo")
    shown = {e["picture"] for step in public["steps"] for e in step["parameters"].get("entities", ())}
    assert shown == set(public["pictures"])
    assert {address.removeprefix("/s/demo/pictures/").removesuffix(".svg") for address in shown} <= set(
        draw_pictures(study)
    )


def test_objects_have_names_in_the_language_of_the_study(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "pt", language="pt")
    public = make_plan(study, "L01", 1).public("/s/demo")
    trial = next(step for step in public["steps"] if step["kind"] == "trial")
    assert [e["name"] for e in trial["parameters"]["entities"]][:2] == ["Objeto 1", "Objeto 2"]
    assert public["strings"]["continue"] == "Continuar"


def test_an_unknown_list_is_refused(study: Study) -> None:
    with pytest.raises(InputError, match="L99"):
        make_plan(study, "L99", 1)


def _step(plan: SessionPlan, kind: str) -> PlanStep:
    return next(step for step in plan.steps if step.kind == kind)


def test_a_check_is_passed_by_finding_its_target(study: Study, plan: SessionPlan) -> None:
    step = _step(plan, "check")
    assert step.stimulus is not None
    for label, entity in step.shown.labels.items():
        answer = GivenAnswer(answer={"outcome": "entity", "entity": label}, times={})
        assert has_passed_check(study, step, answer) == (entity in step.stimulus.trial.targets)
    assert has_passed_check(study, _step(plan, "trial"), answer) is None
    assert was_right(study, _step(plan, "practice"), answer) in (True, False)
    assert was_right(study, _step(plan, "page"), answer) is None


def test_a_check_among_judgements_asks_for_the_lowest_rating(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "j", "judgement")
    step = _step(make_plan(study, "L01", 1), "check")
    assert "lowest" in step.shown.parameters["text"]
    low = GivenAnswer(answer={"ratings": {"adequacy": 1, "fluency": 1}})
    assert has_passed_check(study, step, low) is True
    assert has_passed_check(study, step, GivenAnswer(answer={"ratings": {"adequacy": 1, "fluency": 2}})) is False


def test_a_check_among_pairs_wants_the_sensible_side_wherever_it_is(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "p", "judgement-pairwise")
    for seed in range(8):
        step = _step(make_plan(study, "L01", seed), "check")
        for side in ("left", "right"):
            assert has_passed_check(study, step, GivenAnswer(answer={"choice": side})) == (
                step.shown.labels[side] == "first"
            )


def test_a_form_is_answered_with_its_fields_or_left_open(study: Study, plan: SessionPlan) -> None:
    step = next(s for s in plan.steps if "age" in {one.name for one in s.fields})
    for fields in ({}, {"age": "25-34"}, {"age": ""}):
        check_answer(study, step, GivenAnswer(answer={"fields": fields}))
    for fields in ({"name": "x"}, {"age": "young"}, {"age": ["25-34"]}, "x", None):
        with pytest.raises(InputError, match=r"answer\.fields"):
            check_answer(study, step, GivenAnswer(answer={"fields": fields}))


def test_answers_to_trials_go_through_their_protocol(study: Study, plan: SessionPlan) -> None:
    step = _step(plan, "trial")
    assert step.stimulus is not None
    hearer = catalogue.create("hearer", "literal")
    check_answer(study, step, study.kind.simulate(step.stimulus, step.shown, study.settings, hearer, Random(1)))
    with pytest.raises(InputError):
        check_answer(study, step, GivenAnswer(answer={"outcome": "entity", "entity": "e99"}))


def test_own_pages_and_surveys_come_before_between_and_after(tmp_path: Path) -> None:
    folder = make_demo(tmp_path / "s", "asgre2007", items=12, participants=3, practice=0, checks=0).folder
    texts = folder / "texts" / "en"
    (texts / "welcome.md").write_text("# Welcome to {title}", "utf-8")
    (texts / "halfway.toml").write_text('[[field]]\nname = "tired"\nquestion = "Tired?"\nkind = "text"\n', "utf-8")
    (texts / "thanks.md").write_text("# Nearly done", "utf-8")
    path = folder / "study.toml"
    written = path.read_text("utf-8")
    for name, value in (("before", '["welcome"]'), ("between", '["halfway"]'), ("after", '["thanks"]')):
        written = re.sub(rf"(?m)^pages_{name} = \S+", f"pages_{name} = {value}", written)
    path.write_text(written, "utf-8")
    study = open_study(folder)
    steps = make_plan(study, "L01", 1).steps
    shown = [
        "welcome" if "Welcome to A demonstration" in str(s.shown.parameters.get("html", "")) else
        "thanks" if "Nearly done" in str(s.shown.parameters.get("html", "")) else
        "survey" if any(f.name == "tired" for f in s.fields) else s.kind
        for s in steps
    ]  # fmt: skip
    assert shown.index("welcome") < shown.index("trial")
    assert shown[: shown.index("survey")].count("trial") == 6
    assert shown.index("thanks") > max(i for i, kind in enumerate(shown) if kind == "trial")
    (texts / "thanks.md").unlink()
    with pytest.raises(InputError, match="thanks"):
        open_study(folder)
