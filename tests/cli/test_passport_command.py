"""`referee passport` as a user meets it: hearers of all origins on a small invented study."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fake_endpoint import completion, serving
from referee.cli import main
from referee.corpora.jsonl import json_line, response_to_json, trial_to_json
from referee.errors import MalformedInput
from referee.hearers.passports.cards import read_card, sign
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
    "verdict",
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
    (folder / "trials.jsonl").write_text("".join(json_line(trial_to_json(t)) + "\n" for t in trials))
    (folder / "responses.jsonl").write_text("".join(json_line(response_to_json(r)) + "\n" for r in responses))
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
    assert card["verdict"] == "use with care"
    assert any("less often than people" in reason for reason in card["reasons"])


def test_the_same_seed_gives_the_same_card_and_the_hash_guards_it(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "card.json"
    card = card_of(capsys, "noisy", "--data", study, "--out", out)
    assert card_of(capsys, "noisy", "--data", study) == card
    assert card_of(capsys, "noisy", "--data", study, "--seed", 2)["hash"] != card["hash"]
    assert read_card(out) == card
    assert sign("noisy|seed:1", card).startswith(f"noisy|seed:1|passport:{card['hash'][:12]}:")
    out.write_text(json.dumps({**card, "accuracy": 1.0}))
    with pytest.raises(MalformedInput, match="changed after it was made"):
        read_card(out)


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
    assert "Where an object stands decides what it chooses" in out
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
    assert "1 unit cannot make 5 folds by game" in error_of(capsys, "majority", "--data", tmp_path)


def test_bad_data_are_named(study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--corpus degen2020" in error_of(capsys, "literal")
    assert "no such file or folder" in error_of(capsys, "literal", "--data", tmp_path / "nothing")
    assert "no answer of a person" in error_of(capsys, "literal", "--corpus", "synthetic")
    complaint = error_of(capsys, "majority", "--data", study, "--folds", 50)
    assert "12 units cannot make 50 folds by game\n  → ask for 2 to 12 folds" in complaint
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


@pytest.mark.data
def test_reasoning_about_the_speaker_predicts_franke_and_degens_listeners(
    data_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ("--corpus", "franke-degen2016", "--data", data_folder, "--probes", 20, "--limit", 800)
    rational, position = card_of(capsys, "rsa", *args), card_of(capsys, "position", *args)
    assert rational["n"] == position["n"] == 800
    assert rational["auc"] > 0.65
    assert rational["log_likelihood"] > rational["chance_log_likelihood"] > position["log_likelihood"]
    assert position["verdict"] == "not fit"


def test_an_examination_goes_on_where_its_endpoint_failed(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(*[completion("1")] * 15, (503, {}, b"")) as server:
        named = f"remote|model:toy|endpoint:{server.url}|tries:1|parallel:1"
        args = (named, "--data", study, "--limit", 40, "--folds", 2, "--probes", 0, "--calls", tmp_path / "calls")
        assert "goes on from there" in error_of(capsys, *args)
        server.script[:] = [completion("1")]
        before = len(server.seen)
        card = card_of(capsys, *args)
        # the same words about things that look the same are one question
        assert 0 < len(server.seen) - before <= card["n"] - 15
