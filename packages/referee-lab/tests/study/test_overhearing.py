"""Studies of replayed dialogue: from recordings to lists, answers and tables."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee import catalogue
from referee.errors import InputError
from referee.records import Outcome, Response
from referee_lab.bots.simulation import simulate
from referee_lab.server.sessions.plan import make_plan
from referee_lab.study.data.collection import collect, open_for_reading
from referee_lab.study.design.balance import prove_balance
from referee_lab.study.folder.draft import write_study
from referee_lab.study.folder.study import Study, read_protocol_settings
from referee_lab.study.protocols.contract import GivenAnswer, Stimulus
from referee_lab.study.protocols.replay_identify import ReplayIdentify
from referee_lab.tangram.desk.clip_study import (
    ClipStudyOptions,
    Overhearing,
    load_overheard_answers,
    make_bot_sessions,
    prepare_overhearing,
)
from referee_lab.tangram.evaluation.task_performance import evaluate
from referee_lab.tangram.game.dialogue_sessions import DialogueSession
from referee_lab.tangram.game.log import Recording, find_state

Sessions = list[DialogueSession]
WANTED = ClipStudyOptions(id="overheard", participants=4, fp=8, tp=5, fn=20, practice=1)


@pytest.fixture(scope="module")
def sessions() -> Sessions:
    return make_bot_sessions(4, 1)


@pytest.fixture(scope="module")
def prepared(sessions: Sessions) -> Overhearing:
    return prepare_overhearing(sessions, WANTED)


@pytest.fixture(scope="module")
def study(prepared: Overhearing, tmp_path_factory: pytest.TempPathFactory) -> Study:
    return write_study(tmp_path_factory.mktemp("made") / "study", prepared.draft)


def _settings(**changes: Any) -> dict[str, Any]:
    return {**{name: p.default for name, p in ReplayIdentify.info.parameters.items()}, **changes}


def test_two_groups_see_every_false_positive_once_as_said_and_once_with_the_pronoun(study: Study) -> None:
    first, second = (dict(one.trials) for one in study.lists)
    assert first.keys() == second.keys()
    turned = {i for i in first if first[i] != second[i]}
    assert {(first[i], second[i]) for i in turned} == {("FP-DP", "FP-Orig"), ("FP-Orig", "FP-DP")}
    assert Counter(first.values()) == {"FP-Orig": 4, "FP-DP": 4, "TP": 5}
    assert Counter(first.values()) == Counter(second.values())
    assert {first[i] for i in first.keys() - turned} == {"TP"}
    assert all(claim.holds for claim in prove_balance(study) if claim.promised)


def test_the_pronoun_stands_where_the_expression_stood(study: Study) -> None:
    for stimulus in study.stimuli.values():
        shown = stimulus.trial.meta["shown"][stimulus.system]
        start, end = shown["span"]
        assert shown["text"][start:end] == stimulus.description.text
        assert stimulus.system != "FP-DP" or stimulus.description.text == "that"


def test_too_few_instances_are_said_with_their_reasons(prepared: Overhearing) -> None:
    (lack, shorter) = prepared.notes
    assert lack.startswith("only 0 of the 20 FN wished for")
    assert "33" in shorter


def test_a_clip_shows_the_stored_states_up_to_the_utterance(study: Study, sessions: Sessions) -> None:
    recordings = {session.dialogue.id: session.recording for session in sessions}
    for trial in {s.trial.id: s.trial for s in study.stimuli.values()}.values():
        clip, recording = trial.meta["clip"], recordings[trial.meta["dialogue"]]
        assert [clip["start_ms"], clip["end_ms"]] == trial.meta["clip_ms"]
        assert clip["end_ms"] - clip["start_ms"] <= 30_000
        assert clip["state"] == _board(recording, clip["start_ms"])
        assert all(line["shown_ms"] <= clip["end_ms"] for line in clip["said"])


def _board(recording: Recording, t_ms: float) -> dict[str, Any]:
    moment = find_state(recording, t_ms)
    assert moment is not None
    return moment.board.to_data()


def test_nothing_that_reaches_the_browser_tells_target_category_or_what_is_believed(study: Study) -> None:
    text = json.dumps(make_plan(study, "L01", 1).public("/s/overheard")["steps"])
    for hidden in ("FP-DP", "FP-Orig", '"TP"', "overheard", "target", "bots-"):
        assert hidden not in text


def test_moving_the_target_changes_nothing_that_is_shown(study: Study) -> None:
    stimulus = next(iter(study.stimuli.values()))
    seen = [
        study.kind.show(replace(stimulus, trial=replace(stimulus.trial, targets=(piece,))), study.settings, Random(1))
        for piece in "1234567"
    ]
    assert all(one == seen[0] for one in seen)


def test_pieces_keep_their_numbers(study: Study) -> None:
    for stimulus in study.stimuli.values():
        shown = study.kind.show(stimulus, study.settings, Random(3))
        assert shown.labels == {f"e{n}": str(n) for n in range(1, 8)}


# -- answers ---------------------------------------------------------------------------------------------------------------


def _answer(**changes: Any) -> GivenAnswer:
    given = {"outcome": "entity", "entity": "e3", "repeats": 2, "corrected": False, "pointer": "mouse", "trusted": True}
    times = {"combined_ms": 9000.0, "identification_ms": 2500.0, "reading_ms": 6500.0}
    return GivenAnswer(answer={**given, **changes}, times=times)


def test_both_clocks_are_kept_and_add_up_to_the_published_time(study: Study) -> None:
    stimulus = next(iter(study.stimuli.values()))
    shown = study.kind.show(stimulus, study.settings, Random(1))
    study.kind.check(_answer(), shown, study.settings)
    response = study.kind.respond(_answer(), stimulus, shown, "P-1")
    assert response is not None
    assert (response.entity, response.repeats, response.system) == ("3", 2, stimulus.system)
    assert (response.reading_ms, response.identification_ms) == (6500.0, 2500.0)
    corrected = study.kind.respond(_answer(corrected=True), stimulus, shown, "P-1")
    assert corrected is not None
    assert "corrected" in corrected.flags


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"entity": "e8"}, r"answer\.entity"),
        ({"entity": None}, r"answer\.entity"),
        ({"outcome": "timeout", "entity": None}, r"answer\.outcome"),
        ({"outcome": "several", "entity": None}, r"answer\.outcome"),
        ({"guess": "e1"}, r"answer\.guess"),
    ],
)
def test_answers_that_no_page_could_have_sent_are_refused(study: Study, changes: dict[str, Any], field: str) -> None:
    shown = study.kind.show(next(iter(study.stimuli.values())), study.settings, Random(1))
    with pytest.raises(InputError, match=field):
        study.kind.check(_answer(**changes), shown, study.settings)


def test_i_dont_know_is_an_answer_of_its_own_only_where_it_is_offered(study: Study) -> None:
    stimulus = next(iter(study.stimuli.values()))
    unsure = _answer(outcome="dont-know", entity=None)
    shown = study.kind.show(stimulus, study.settings, Random(1))
    study.kind.check(unsure, shown, study.settings)
    response = study.kind.respond(unsure, stimulus, shown, "P")
    assert response is not None
    assert response.outcome is Outcome.DONT_KNOW
    without = {**study.settings, "dont_know": False}
    with pytest.raises(InputError, match="outcome"):
        study.kind.check(unsure, study.kind.show(stimulus, without, Random(1)), without)


def test_a_trial_without_a_clip_is_refused_with_the_remedy() -> None:
    from referee.corpora.synthetic.corpus import Synthetic

    trial = next(iter(Synthetic(seed=1, speakers=1, scenes=1).trials()))
    stimulus = Stimulus(id="x|a", trial=trial, description=trial.references[0], system="a")
    with pytest.raises(InputError, match="tangram study"):
        ReplayIdentify().show(stimulus, _settings(), Random(1))


@pytest.mark.parametrize(("change", "word"), [({"speed": 0.0}, "speed"), ({"timeout_ms": -1}, "timeout_ms")])
def test_settings_that_cannot_be_shown_are_refused(change: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        read_protocol_settings(ReplayIdentify(), change, Path("study.toml"))


@pytest.mark.parametrize("limit", [0, 1])
def test_what_is_simulated_is_accepted(study: Study, limit: int) -> None:
    hearer, settings = catalogue.create("hearer", "literal"), {**study.settings, "timeout_ms": limit}
    for number, stimulus in enumerate(study.iterate_stimuli()):
        shown = study.kind.show(stimulus, settings, Random(number))
        answer = study.kind.simulate(stimulus, shown, settings, hearer, Random(number))
        study.kind.check(answer, shown, settings)
        assert (answer.answer["outcome"] == "timeout") is bool(limit)


def test_the_title_is_in_the_language_of_the_dialogues(sessions: Sessions) -> None:
    german = [one._replace(dialogue=replace(one.dialogue, language="de")) for one in sessions]
    assert prepare_overhearing(german, WANTED).draft.title == "Welches Teil meinen die roten Wörter?"
    assert prepare_overhearing(german, replace(WANTED, title="Teile")).draft.title == "Teile"


def test_an_odd_number_of_evaluators_makes_no_two_groups(sessions: Sessions) -> None:
    with pytest.raises(InputError, match="two groups"):
        prepare_overhearing(sessions, replace(WANTED, participants=5))


# -- to the tables ---------------------------------------------------------------------------------------------------------


def test_simulated_evaluators_give_the_tables(prepared: Overhearing, tmp_path: Path) -> None:
    folder = tmp_path / "overheard"
    write_study(folder, prepared.draft)
    played = simulate(folder, participants=4)
    assert (played.sound, played.endings) == (True, {"completed": 4})
    trials, responses = load_overheard_answers(folder)
    assert len(responses) == 4 * 13
    found = evaluate(responses, trials)
    assert found.simulated
    assert {line.condition: (line.responses, line.items) for line in found.lines} == {
        "TP": (20, 5),
        "FP-DP": (16, 8),
        "FP-Orig": (16, 8),
    }
    by_hand = _rate([r for r in responses if r.system == "TP"], {t.id: t.targets[0] for t in trials})
    assert next(x for x in found.lines if x.condition == "TP").measures["ir"] == pytest.approx(by_hand)


def _rate(responses: list[Response], targets: dict[str, str]) -> float:
    return sum(r.entity == targets[r.trial] for r in responses) / len(responses)


def test_times_rest_on_all_answers_and_not_only_on_those_who_watched_again(
    prepared: Overhearing, tmp_path: Path
) -> None:
    """Without a second look nothing lies between the two clocks: once that was taken for reading too fast, and most times were lost."""
    study = write_study(tmp_path / "study", prepared.draft)
    simulate(tmp_path / "study", participants=4)
    with open_for_reading(study, None) as connection:
        trials = [a for a in collect(study, connection).answers if a.kind == "trial"]
    once = [a for a in trials if not a.answer["repeats"] and not a.answer["corrected"]]
    assert len(once) > len(trials) / 2
    assert all(a.response is not None and a.response.reading_ms == 0 and not a.marks for a in once)


def test_simulated_people_differ_in_pace(study: Study) -> None:
    from referee_lab.bots.thinking import Someone

    stimulus = next(iter(study.stimuli.values()))
    shown = study.kind.show(stimulus, study.settings, Random(1))
    people = [Someone(catalogue.create("hearer", "literal"), str(n)) for n in range(3)]
    took = [study.kind.simulate(stimulus, shown, study.settings, who, Random(1)).times for who in people]
    ratios = [t["identification_ms"] / who.pace for t, who in zip(took, people, strict=True)]
    assert len({t["identification_ms"] for t in took}) == 3
    assert max(ratios) / min(ratios) < 1.2, "but for their doubt, which depends on their care, only the pace differs"
