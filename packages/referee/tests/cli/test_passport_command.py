"""`referee passport` as a user meets it: hearers of all origins on a small invented study."""

from __future__ import annotations

import json
import math
import re
import shutil
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from scipy.optimize import minimize_scalar
from sklearn.metrics import matthews_corrcoef, roc_auc_score

from fake_endpoint import completion, serving
from referee.cli import main
from referee.corpora.jsonl import response_to_json, trial_to_json, write_json_line
from referee.errors import InputError, MalformedInput
from referee.hearers.passports.cards import read_card, sign
from referee.hearers.passports.lessons import ask_others, open_lessons
from referee.hearers.passports.named_hearer import summon
from referee.hearers.passports.people import open_people
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

COLOURS = ("red", "blue", "green")
KEYS = {
    "hearer",
    "corpus",
    "n",
    "accuracy",
    "human_accuracy",
    "auc",
    "kappa",
    "calibration_error",
    "time_correlation",
    "chance",
    "position_bias",
    "log_likelihood",
    "expected_accuracy",
    "trained_on",
    "position_bias_as_shown",
    "rank_agreement",
    "ceiling",
    "verdict",
    "transfer",
    "fitted",
    "reasons",
    "hash",
}

TOYS = '''
from referee.records import Outcome, Response

class Honest:
    """Says what it learned from, by failing where it is asked about it; finds things by colour."""
    def fit(self, trials):
        trials = list(trials)
        self.games = {t.meta["game"] for t in trials}
        self.trials = {t.id for t in trials}
        return self
    def resolve(self, description, view):
        assert view.id not in self.trials and view.id.split("-")[0] not in self.games, "asked about what it learned"
        fits = [e.id for e in view.scene.entities if e.value("colour") in (description.text or "").split()]
        even = {e: 1 / len(fits) for e in fits} if fits else {e.id: 1 / 3 for e in view.scene.entities}
        entity = fits[0] if len(fits) == 1 else None
        return Response(trial=view.id, hearer="honest", outcome=Outcome.ENTITY if entity else Outcome.SEVERAL,
                        entity=entity, probabilities=tuple(even.items()))

class Ceiling:
    """The study names its targets t, so that somebody can be always right."""
    learns = False
    chosen = "t"
    def fit(self, trials):
        return self
    def resolve(self, description, view):
        return Response(trial=view.id, hearer="toy", outcome=Outcome.ENTITY, entity=self.chosen,
                        probabilities=((self.chosen, 1.0),))

class Floor(Ceiling):
    chosen = "a"

class Bare(Ceiling):
    def resolve(self, description, view):
        return Response(trial=view.id, hearer="toy", outcome=Outcome.ENTITY, entity="t")

class Greedy(Ceiling):
    def resolve(self, description, view):
        return Response(trial=view.id, hearer="toy", outcome=Outcome.SEVERAL, probabilities=(("t", 0.9), ("a", 0.9)))

class Clumsy(Ceiling):
    def resolve(self, description, view):
        raise ZeroDivisionError("oh dear")

class Stopped(Ceiling):
    def resolve(self, description, view):
        raise KeyboardInterrupt

class Deaf:
    def fit(self, trials):
        return self
'''


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """240 trials in 12 games: in half of them another object has the target's colour, and people then guess."""
    folder = tmp_path_factory.mktemp("study") / "pairs"
    folder.mkdir()
    rng = Random(7)
    trials, responses = [], []
    for i in range(240):
        game, colours = f"g{i // 2 % 12}", rng.sample(COLOURS, 3)
        if i % 2:
            colours[1] = colours[0]
        entities = tuple(Entity(id=e, attributes=(Property("colour", c),)) for e, c in zip("tab", colours, strict=True))
        said = Description(text=f"the {colours[0]} one")
        scene = Scene(entities=entities)
        trials.append(Trial(id=f"{game}-{i}", scene=scene, targets=("t",), references=(said,), meta={"game": game}))
        found = "a" if i % 2 and rng.random() < 0.5 else "t"
        time = rng.gauss(1500 if i % 2 else 1000, 100)
        responses.append(
            Response(trial=f"{game}-{i}", hearer=game, outcome=Outcome.ENTITY, entity=found, identification_ms=time)
        )
    (folder / "trials.jsonl").write_text("".join(write_json_line(trial_to_json(t)) + "\n" for t in trials))
    (folder / "responses.jsonl").write_text("".join(write_json_line(response_to_json(r)) + "\n" for r in responses))
    (folder / "toys.py").write_text(TOYS)
    return folder


def card_of(capsys: pytest.CaptureFixture[str], *args: object) -> dict[str, Any]:
    assert main(["passport", *map(str, args), "--format", "json", "--resamples", "100"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def error_of(capsys: pytest.CaptureFixture[str], *args: object) -> str:
    assert main(["passport", *map(str, args)]) == 2
    return capsys.readouterr().err


def test_a_sound_hearer_gets_a_card_with_all_it_promises(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = card_of(capsys, "literal", "--data", study)
    assert set(card) >= KEYS
    assert (card["hearer"], card["corpus"], card["n"]) == ("literal", "pairs", 240)
    # half the descriptions fit one object, half fit two: the literal hearer names the target in half of the trials
    assert card["accuracy"] == 0.5
    assert card["chance"] == pytest.approx(1 / 3, abs=1e-6)
    assert card["auc"] > 0.8
    assert card["time_correlation"] > 0.5
    assert card["probes"]["empty"] == {"n": 100, "pointed": 0.0, "top": pytest.approx(1 / 3, abs=1e-6), "fitting": None}
    assert card["probes"]["contradictory"]["top"] == 0.0
    assert card["probes"]["ambiguous"]["fitting"] == 1.0
    # where two fit it splits its belief, so its expected accuracy is that of people, who had to guess
    assert card["expected_accuracy"] == 0.75
    assert card["verdict"] == "in this experiment"
    assert (card["reads"], card["read"], card["trained_on"]) == ("words", {"words": 240, "properties": 0}, None)
    assert card["position_bias_as_shown"] == card["position_bias"]
    assert card["ceiling"] is None
    assert (card["rank_agreement"]["over"], card["rank_agreement"]["units"]) == ("games", 12)
    assert card["intervals_over"] == "12 games"


def test_the_same_seed_gives_the_same_card_and_the_hash_guards_it(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "card.json"
    card = card_of(capsys, "noisy", "--data", study, "--out", out)
    assert card_of(capsys, "noisy", "--data", study) == card
    assert card_of(capsys, "noisy", "--data", study, "--seed", 2)["hash"] != card["hash"]
    assert read_card(out) == card
    assert sign("noisy|seed:1", card).startswith(f"noisy|seed:1|passport:pairs:{card['hash'][:12]}:")
    out.write_text(json.dumps({**card, "accuracy": 1.0}))
    with pytest.raises(MalformedInput, match="changed after it was made"):
        read_card(out)


@pytest.mark.parametrize("hearer", ["literal", "learned"])
def test_the_name_of_a_folder_is_no_part_of_the_hash(
    hearer: str, study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(study, tmp_path / "degen")
    of_study, of_copy = (card_of(capsys, hearer, "--data", folder, "--folds", 3) for folder in (study, copy))
    assert (of_study["corpus"], of_copy["corpus"]) == ("pairs", "degen")
    assert of_copy["hash"] == of_study["hash"]
    renamed = tmp_path / "card.json"
    renamed.write_text(json.dumps({**of_study, "corpus_is_file": False}))
    with pytest.raises(MalformedInput, match="changed after it was made"):
        read_card(renamed)
    lines = (copy / "responses.jsonl").read_text().splitlines(keepends=True)
    (copy / "responses.jsonl").write_text("".join(lines[1:]))
    assert card_of(capsys, hearer, "--data", copy, "--folds", 3)["hash"] != of_study["hash"]


def test_the_picture_lies_beside_the_card(study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = card_of(capsys, "literal", "--data", study, "--out", tmp_path / "card.json")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["card.json", "card.pdf", "card.png", "card.svg"]
    picture = (tmp_path / "card.svg").read_text()
    assert f"literal on pairs: {card['verdict']}" in picture
    assert card["hash"][:12] in picture


def test_nobody_is_asked_about_a_game_that_it_learned_from(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = card_of(capsys, f"{study}/toys.py:Honest", "--data", study, "--folds", 4)
    assert (card["hearer"], card["accuracy"], len(card["folds"])) == ("toys.py:Honest", 0.5, 4)
    assert sum(fold["n"] for fold in card["folds"]) == card["n"] == 240


@pytest.mark.parametrize("toy", ["Floor", "Ceiling"])
def test_floor_and_ceiling_are_not_fit(toy: str, study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = card_of(capsys, f"{study}/toys.py:{toy}", "--data", study)
    assert card["accuracy"] == (toy == "Ceiling")
    assert card["auc"] == 0.5
    assert card["time_correlation"] is None
    assert card["verdict"] == "not fit"


def test_a_hearer_on_the_path_and_responses_apart_from_trials(
    study: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(study)
    card = card_of(capsys, "toys:Bare", "--corpus", "trials.jsonl", "--data", "responses.jsonl")
    assert card["corpus"] == "trials.jsonl + responses.jsonl"
    assert any("gives no probabilities" in reason for reason in card["reasons"])


def test_a_remote_hearer_is_flagged_beside_a_speaker_of_its_family(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(completion("1")) as server:
        hearer = f"remote|model:toy-7b|endpoint:{server.url}"
        args = (
            hearer,
            "--data",
            study,
            "--limit",
            40,
            "--folds",
            2,
            "--speaker",
            "toy-70b",
            "--calls",
            tmp_path / "calls",
        )
        card = card_of(capsys, *args)
        asked = len(server.seen)
        assert card_of(capsys, *args) == card
        assert len(server.seen) == asked
    assert card["same_family"] is True
    assert 40 <= card["n"] < 80
    assert card["verdict"] == "not fit"


def test_text_names_the_verdict_and_its_reasons(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["passport", "position", "--data", str(study)]) == 0
    out = capsys.readouterr().out
    assert "not fit" in out
    assert "The position of objects decides" in out
    assert "passport " in out


def test_an_interrupted_examination_leaves_nothing(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "card.json"
    assert main(["passport", f"{study}/toys.py:Stopped", "--data", str(study), "--out", str(out)]) == 130
    assert list(tmp_path.iterdir()) == []


def test_bad_hearers_are_named(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def complaint(hearer: str) -> str:
        return error_of(capsys, hearer, "--data", study)

    assert "did you mean literal" in complaint("litteral")
    assert "there is no such file" in complaint(f"{study}/nowhere.py:Toy")
    assert "did you mean Ceiling" in complaint(f"{study}/toys.py:Ceilin")
    assert "cannot be imported" in complaint("no_such_module:Toy")
    assert "has no resolve" in complaint(f"{study}/toys.py:Deaf")
    assert "probabilities that sum to 1.8" in complaint(f"{study}/toys.py:Greedy")
    assert "ZeroDivisionError: oh dear" in complaint(f"{study}/toys.py:Clumsy")
    assert "no switch is called" in complaint(f"{study}/toys.py:Floor|depth:2")


def test_a_hearer_that_learns_nothing_needs_no_folds_and_one_that_learns_needs_two_games(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("trials.jsonl", "responses.jsonl"):
        lines = [line for line in (study / name).read_text().splitlines() if '"g0-' in line]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    card = card_of(capsys, "literal", "--data", tmp_path)
    assert (card["n"], card["units"], len(card["folds"])) == (20, 1, 1)
    assert "1 unit cannot be divided into 5 folds by game" in error_of(capsys, "majority", "--data", tmp_path)


def test_bad_data_are_named(study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--corpus degen2020" in error_of(capsys, "literal")
    assert "no such file or folder" in error_of(capsys, "literal", "--data", tmp_path / "nothing")
    assert "no human answers" in error_of(capsys, "literal", "--corpus", "synthetic")
    complaint = error_of(capsys, "majority", "--data", study, "--folds", 50)
    assert "12 units cannot be divided into 50 folds by game\n  → ask for 2 to 12 folds" in complaint
    assert "name it CARD.json" in error_of(capsys, "literal", "--data", study, "--out", tmp_path / "card.txt")
    assert "no such folder" in error_of(capsys, "literal", "--data", study, "--out", tmp_path / "no" / "card.json")
    stray = tmp_path / "responses.jsonl"
    stray.write_text('{"trial": "elsewhere", "hearer": "p1", "outcome": "none"}\n')
    trials = study / "trials.jsonl"
    assert "'elsewhere', which is not among the trials" in error_of(
        capsys, "literal", "--corpus", trials, "--data", stray
    )
    stray.write_text('{"trial": "g0-0", "hearer": "p1", "outcome": "entity", "entity": "z"}\n')
    assert "chose 'z' in trial 'g0-0'" in error_of(capsys, "literal", "--corpus", trials, "--data", stray)


def test_folds_can_be_cut_by_what_is_said_of_and_the_card_says_what_was_learned_from(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = card_of(capsys, "majority", "--data", study, "--folds", 3, "--folds-by", "object", "--no-new")
    # three colours of target, each a kind of its own where things have no type
    assert (card["units"], len(card["folds"]), card["trained_on"]) == (3, 3, "pairs, other folds by object")
    assert card["on_new"] == {}
    assert "3 units cannot be divided into 5 folds by object" in error_of(
        capsys, "majority", "--data", study, "--by", "object"
    )


def test_a_hearer_that_learned_objects_by_heart_is_told_that_it_fails_on_new_ones(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = card_of(capsys, "retrieval", "--data", study, "--folds", 3)
    assert card["on_new"]["object"]["holds"] is False
    assert card["on_new"]["condition"] == {**card["on_new"]["condition"], "n": 0, "why": "there is only one condition"}
    assert any("does not hold for new objects" in reason for reason in card["reasons"])
    assert main(["passport", "retrieval", "--data", str(study), "--folds", "3"]) == 0
    assert "does NOT hold on new objects" in capsys.readouterr().out


def test_a_hearer_can_learn_elsewhere(study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (study / "trials.jsonl").read_text().splitlines()
    other = tmp_path / "other.jsonl"
    other.write_text("\n".join(re.sub(r'"g(\d)', r'"other\1', line) for line in lines) + "\n")
    card = card_of(capsys, f"{study}/toys.py:Honest", "--data", study, "--train", other)
    assert (card["trained_on"], card["n"], card["accuracy"]) == (str(other), 240, 0.5)
    assert "learns nothing" in error_of(capsys, "literal", "--data", study, "--train", other)
    assert "no corpus" in error_of(capsys, "majority", "--data", study, "--train", "nowhere")


def test_games_that_were_learned_from_are_not_asked_about(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trials, responses = study / "trials.jsonl", study / "responses.jsonl"
    part = f"{trials}:id=g0-0"
    found = open_lessons(part, None)
    assert [t.id for t in found.trials] == ["g0-0"]
    people = open_people(str(trials), responses)
    asked = ask_others(replace(people, name=found.corpus), found)
    assert {a.trial.meta["game"] for a in asked.answers} == {f"g{i}" for i in range(1, 12)}
    assert asked.left_out == {"of games that it learned from": 20}
    with pytest.raises(InputError, match="every answer"):
        ask_others(replace(people, name=found.corpus), open_lessons(str(trials), None))


def test_systems_are_ranked_where_people_answered_them(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # three systems: one names the colour, one says nothing useful, one names another object's colour; people and the literal hearer follow the words
    trials = [json.loads(line) for line in (study / "trials.jsonl").read_text().splitlines()][:40]
    lines = []
    for i, trial in enumerate(trials):
        colours = {e["id"]: dict(e["attributes"])["colour"] for e in trial["entities"]}
        for system, text, found in (
            ("good", colours["t"], "t"),
            ("bad", "one", "ab"[i % 2]),
            ("false", colours["b"], "b"),
        ):
            row = {"trial": trial["id"], "hearer": f"p{i % 8}", "system": system, "outcome": "entity", "entity": found}
            lines.append(json.dumps({**row, "description": {"text": f"the {text}"}}))
    (tmp_path / "trials.jsonl").write_text("".join(json.dumps(t) + "\n" for t in trials))
    (tmp_path / "responses.jsonl").write_text("\n".join(lines) + "\n")
    card = card_of(capsys, "literal", "--data", tmp_path)
    assert card["n"] == 120
    found = card["rank_agreement"]
    assert (found["over"], found["units"], found["intervals_over"]) == ("systems", 3, "games")
    # by hand: people find 1, 0, 0; the hearer's belief in the target is .75, .33 and 0, and ties of people count half: rho = .866
    assert found["spearman"] == pytest.approx(0.866, abs=0.001)


def recorded(study: Path, tmp_path: Path, **changes: Any) -> Path:
    """Answers of a model that always takes the first of the places it was shown, where the target stands first in half of the trials."""
    trials = [json.loads(line)["id"] for line in (study / "trials.jsonl").read_text().splitlines()]
    rows = []
    for i, trial in enumerate(trials):
        places = ["t", "a", "b"] if i % 4 < 2 else ["a", "b", "t"]
        rows.append({"trial": trial, "entity": places[0], "places": places})
    rows[0] |= {"outcome": "unparsable", "entity": None}
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row | changes) + "\n" for row in rows[:-1]))
    return path


def test_a_hearer_asked_elsewhere_has_the_places_it_was_shown_and_no_probes(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = card_of(capsys, f"recorded:{recorded(study, tmp_path)}", "--data", study)
    assert (card["hearer"], card["kind"], card["n"]) == ("recorded:answers.jsonl", "recorded hearer", 239)
    # 239 asked, one unparsable: 119 of 239 named the target; the first place has all choices, two thirds of them out of place
    assert card["accuracy"] == pytest.approx(119 / 239, abs=1e-6)
    assert card["outcomes"] == {"entity": 238, "unparsable": 1}
    assert card["position_bias_as_shown"] == pytest.approx(2 / 3, abs=1e-6)
    assert card["position_bias"] < 0.15
    assert card["left_out"] == {"not asked of this hearer": 1}
    assert {probe["why"] for probe in card["probes"].values()} == {"not asked"}
    assert card["verdict"] == "not fit"
    assert any("The position of objects decides" in reason for reason in card["reasons"])
    assert main(["passport", f"recorded:{tmp_path / 'answers.jsonl'}", "--data", str(study)]) == 0
    assert "not asked" in capsys.readouterr().out


def test_a_hearer_asked_elsewhere_can_neither_learn_nor_listen(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"recorded:{recorded(study, tmp_path)}"
    assert "learns nothing here" in error_of(capsys, name, "--data", study, "--train", "synthetic")
    with pytest.raises(InputError, match=r"recorded:answers.jsonl has recorded answers only"):
        summon(name)


def judge(study: Path, tmp_path: Path, field: str, sound: Any, doubtful: Any) -> str:
    """A judge that knows which descriptions fit two objects (every other one)."""
    trials = [json.loads(line)["id"] for line in (study / "trials.jsonl").read_text().splitlines()]
    rows = [{"trial": trial, field: doubtful if i % 2 else sound} for i, trial in enumerate(trials)]
    path = tmp_path / f"{field}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"recorded:{path}"


def test_judges_are_held_against_people(study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    yes = card_of(capsys, judge(study, tmp_path, "judgement", True, False), "--data", study)
    rated = card_of(capsys, judge(study, tmp_path, "rating", 5, 2), "--data", study)
    answers = [json.loads(line)["entity"] == "t" for line in (study / "responses.jsonl").read_text().splitlines()]
    said = [i % 2 == 0 for i in range(240)]
    assert (yes["kind"], rated["kind"]) == ("recorded judge (judgement)", "recorded judge (rating)")
    assert yes["auc"] == rated["auc"] == pytest.approx(roc_auc_score(answers, said), abs=1e-6)
    assert yes["correlation"] == pytest.approx(matthews_corrcoef(answers, said), abs=1e-6)
    assert yes["agreed"] == pytest.approx(sum(a == s for a, s in zip(answers, said, strict=True)) / 240, abs=1e-6)
    assert (rated["kappa"], rated["agreed"], yes["accuracy"], yes["position_bias_as_shown"]) == (None, None, None, None)
    assert yes["verdict"] == "in this experiment"
    assert yes["rank_agreement"]["units"] == 12
    out = tmp_path / "card.json"
    assert main(["passport", judge(study, tmp_path, "rating", 5, 2), "--data", str(study), "--out", str(out)]) == 0
    assert "correlation" in capsys.readouterr().out
    assert read_card(out)["n"] == 240


def test_bad_judgements_are_named(study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "judge.jsonl"

    def complaint(*lines: str) -> str:
        path.write_text("\n".join(['{"trial": "g0-0", "rating": 3}', *lines]) + "\n")
        return error_of(capsys, f"recorded:{path}", "--data", study)

    assert "judge.jsonl:2: the rating is 6" in complaint('{"trial": "g0-1", "rating": 6}')
    assert "the rating is True" in complaint('{"trial": "g0-1", "rating": true}')
    assert "ratings and judgements are mixed" in complaint('{"trial": "g0-1", "judgement": true}')
    assert "neither a judgement nor a rating" in complaint('{"trial": "g0-1"}')
    assert "'nowhere' is not in the corpus" in complaint('{"trial": "nowhere", "rating": 1}')
    assert "judged twice" in complaint('{"trial": "g0-0", "rating": 1}')


@pytest.mark.data
@pytest.mark.long
def test_codes_that_exist_only_for_successes_are_refused_and_words_are_read(
    data_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ("literal", "--corpus", "degen2020", "--data", data_folder, "--probes", 0)
    assert "0 of 5,868 wrong where there" in error_of(capsys, *args, "--reads", "properties")
    card = card_of(capsys, *args)
    # .678 on words alone, as recomputed by an independent program (.813 with the codes)
    assert card["auc"] == pytest.approx(0.678, abs=0.0005)
    assert card["read"] == {"words": 6802, "properties": 0}
    assert [leak["field"] for leak in card["leaks"] if leak["refused"]] == [
        "properties present",
        "number of properties",
    ]


@pytest.mark.data
def test_a_recorded_model_leans_to_places_as_shown(data_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "recorded:mllm-listeners/Qwen2-VL-72B-Instruct-AWQ"
    card = card_of(capsys, name, "--corpus", "color-grids", "--data", data_folder)
    # 8,805 rounds and about .17 as shown: counted by an independent program
    assert (card["hearer"], card["n"]) == (name, 8805)
    assert card["position_bias_as_shown"] == pytest.approx(0.17, abs=0.005)
    assert card["position_bias"] < 0.01
    assert card["rank_agreement"]["over"] == "games"


@pytest.mark.data
@pytest.mark.long
def test_repeated_answers_of_people_give_a_ceiling(data_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = card_of(capsys, "position", "--corpus", "tg-matcher", "--data", data_folder, "--probes", 0, "--limit", 3000)
    assert card["ceiling"]["auc"] > 0.6
    assert "participants" in card["intervals_over"]


@pytest.mark.data
@pytest.mark.long
def test_reasoning_about_the_speaker_predicts_franke_and_degens_listeners(
    data_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ("--corpus", "franke-degen2016", "--data", data_folder, "--probes", 20, "--limit", 800)
    rational, position = card_of(capsys, "rsa", *args), card_of(capsys, "position", *args)
    assert rational["n"] == position["n"] == 800
    assert rational["intervals_over"] == "59 participants"
    assert rational["auc"] > 0.65
    assert rational["log_likelihood"] > rational["chance_log_likelihood"] > position["log_likelihood"]
    assert position["verdict"] == "not fit"


def test_an_examination_goes_on_where_its_endpoint_failed(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(*[completion("1")] * 15, (503, {}, b"")) as server:
        named = f"remote|model:toy|endpoint:{server.url}|tries:1|parallel:1"
        args = (named, "--data", study, "--limit", 40, "--folds", 2, "--probes", 0, "--calls", tmp_path / "calls")
        assert "resumes from there" in error_of(capsys, *args)
        server.script[:] = [completion("1")]
        before = len(server.seen)
        card = card_of(capsys, *args)
        # the same words about things that look the same are one question
        assert 0 < len(server.seen) - before <= card["n"] - 15


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six experiments of 120 answers by 20 people: half of the messages fit two of the three shapes, one of which has a message of its own."""
    folder = tmp_path_factory.mktemp("series") / "six"
    folder.mkdir()
    rng = Random(3)
    trials, responses = [], []
    for experiment in range(6):
        for i in range(120):
            # "square" fits a and b; b could have been called red.
            looks = (("square", "grey"), ("square", "red"), ("disc", "grey" if i % 2 else "blue"))
            entities = tuple(
                Entity(id=e, attributes=(Property("shape", shape), Property("colour", colour)))
                for e, (shape, colour) in zip("abc", looks, strict=True)
            )
            trial = Trial(
                id=f"x{experiment}-{i}",
                scene=Scene(entities=entities),
                targets=("a" if i % 2 else "c",),
                references=(Description(text="square" if i % 2 else "disc"),),
                meta={"experiment": f"x{experiment}"},
            )
            chosen = ("a" if rng.random() < 0.8 else "b") if i % 2 else "c" if rng.random() < 0.97 else "a"
            trials.append(trial)
            responses.append(
                Response(trial=trial.id, hearer=f"p{experiment}-{i % 20}", outcome=Outcome.ENTITY, entity=chosen)
            )
    (folder / "trials.jsonl").write_text("".join(write_json_line(trial_to_json(t)) + "\n" for t in trials))
    (folder / "responses.jsonl").write_text("".join(write_json_line(response_to_json(r)) + "\n" for r in responses))
    return folder


def test_experiments_of_one_study_predict_a_new_one(series: Path, capsys: pytest.CaptureFixture[str]) -> None:
    transfer = card_of(capsys, "literal", "--data", series)["transfer"]
    assert [e["experiment"] for e in transfer["experiments"]] == [f"x{i}" for i in range(6)]
    assert {e["n"] for e in transfer["experiments"]} == {120, transfer["size"]}
    assert {e["words_known"] for e in transfer["experiments"]} == {1.0}
    assert transfer["low"] < transfer["auc"] < transfer["high"]
    assert transfer["accuracy_low"] <= transfer["accuracy"] <= transfer["accuracy_high"]


def test_trials_beside_named_experiments_do_not_put_a_file_name_on_the_card(
    series: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(series, tmp_path / "partly-labelled")
    lines = (
        (copy / "trials.jsonl").read_text().replace('{"experiment": "x5"}', "{}").replace('{"experiment":"x5"}', "{}")
    )
    (copy / "trials.jsonl").write_text(lines)
    card = card_of(capsys, "literal", "--data", copy)
    assert [e["experiment"] for e in card["transfer"]["experiments"]] == [*(f"x{i}" for i in range(5)), "other trials"]
    assert "partly-labelled" not in str(card["reasons"])


def test_an_object_that_changes_makes_another_card(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(study, tmp_path / "pairs")
    first, *rest = [json.loads(line) for line in (copy / "trials.jsonl").read_text().splitlines()]
    first["entities"][2]["attributes"] = [["colour", "transparent"]]
    (copy / "trials.jsonl").write_text("".join(json.dumps(t) + "\n" for t in (first, *reversed(rest))))
    checksums = [card_of(capsys, "literal", "--data", folder)["data_checksum"] for folder in (study, copy)]
    assert checksums[0] != checksums[1]


def test_alpha_is_fitted_to_people_and_tried_on_others(series: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fitted = card_of(capsys, "rsa|longest:1", "--data", series)["fitted"]
    assert fitted["people"] == 120
    assert "cost" not in fitted  # all messages are one property long
    assert len(fitted["folds"]) == 5
    # With alpha 1 the speaker says "square" of a as often as "grey", of b as often as "red": P(a | square) is .5 in the half of the scenes that have
    # two grey things; people choose a in four of five, which wants the alpha that optimize.minimize_scalar finds on the formula below.
    answers = [json.loads(line) for line in (series / "responses.jsonl").read_text().splitlines()]

    def loss(log_alpha: float) -> float:
        alpha, total = math.exp(log_alpha), 0.0
        for answer in answers:
            if int(answer["trial"].partition("-")[2]) % 2:
                # L0: square {a, b}, grey {a, c}, red {b}, disc {c}.
                a = 0.5**alpha / (0.5**alpha + 0.5**alpha)
                b = 0.5**alpha / (0.5**alpha + 1.0)
                p = {"a": a / (a + b), "b": b / (a + b), "c": 0.0}[answer["entity"]]
            else:
                p = {"c": 1.0}.get(answer["entity"], 0.0)
            total -= math.log(0.99 * p + 0.01 / 3)
        return total

    best = math.exp(minimize_scalar(loss, bounds=(-4, 4), method="bounded").x)
    assert fitted["alpha"] == pytest.approx(best, rel=1e-3)
    assert fitted["log_likelihood"] > fitted["textbook"]["log_likelihood"]
