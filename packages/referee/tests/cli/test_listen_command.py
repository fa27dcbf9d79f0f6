"""`referee listen` as a user meets it: responses in the run folder, and the table of what was identified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fake_endpoint import completion, serving
from referee.cli import main
from referee.corpora.jsonl import response_to_json, write_json_line
from referee.files import write_atomically
from referee.jobs.folder import Run
from referee.records import Outcome, Response


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    args = "run --corpus synthetic --limit 39 --folds 3 --systems classic/incremental,classic/greedy --jobs 1 --out"
    assert main([*args.split(), str(folder)]) == 0
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    from shutil import copytree

    return Path(copytree(made, tmp_path / "run"))


def listen(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    code = main(["listen", *map(str, args)])
    out, err = capsys.readouterr()
    return code, out, err


def rows_of(out: str, measure: str) -> dict[tuple[str, str], dict[str, Any]]:
    return {(r["system"], r["hearer"]): r for r in json.loads(out)["rows"] if r["measure"] == measure}


def test_a_hearer_answers_every_system_and_signs(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, _ = listen(capsys, folder, "--hearer", "literal", "--humans", "--format", "json")
    assert code == 0
    responses = list(Run(folder).responses())
    assert len(responses) == 3 * 39
    assert {r.system for r in responses} == {"classic/incremental", "classic/greedy", "human"}
    # the classic algorithms name the target uniquely wherever that is possible, and here it always is
    found = rows_of(out, "ir")
    assert found["classic/incremental", "literal"]["value"] == 1.0
    assert found["human", "literal"]["n"] == 39
    right = sum(
        r.entity == t.targets[0]
        for t in Run(folder).trials()
        for r in responses
        if (r.trial, r.system) == (t.id, "human")
    )
    assert found["human", "literal"]["value"] == pytest.approx(right / 39)
    assert json.loads(out)["hearers"] == {"literal": Run(folder).manifest["hearers"]["literal"]}


def test_answers_do_not_depend_on_processes_and_are_replaced_not_doubled(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    listen(capsys, folder, "--hearer", "noisy")
    first = (folder / "responses.jsonl").read_text("utf-8")
    listen(capsys, folder, "--hearer", "noisy", "--workers", 2)
    assert (folder / "responses.jsonl").read_text("utf-8") == first


def test_a_learning_hearer_is_never_asked_what_it_learned(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, _ = listen(capsys, folder, "--hearer", "majority", "--by", "random", "--format", "json")
    assert (code, rows_of(out, "ir")["classic/greedy", "majority"]["n"]) == (0, 39)
    code, _, err = listen(capsys, folder, "--hearer", "retrieval", "--train", folder / "trials.jsonl")
    assert code == 2
    assert "both learned from and asked about" in err


def test_hearers_stand_beside_people(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    people = [
        Response(
            trial=t.id,
            hearer=f"p{n}",
            system="classic/greedy",
            outcome=Outcome.ENTITY,
            entity=t.targets[0],
            identification_ms=100.0 * n,
        )
        for t in Run(folder).trials()
        for n in (1, 2, 3)
    ]
    write_atomically(folder / "responses.jsonl", map(write_json_line, map(response_to_json, people)))
    listen(capsys, folder, "--hearer", "position")
    code, out, _ = listen(capsys, folder, "--format", "json")
    assert code == 0
    assert rows_of(out, "identification_ms")["classic/greedy", "people"]["value"] == pytest.approx(200)
    assert rows_of(out, "ir")["classic/greedy", "people"]["participants"] == 3
    assert ("classic/greedy", "position") in rows_of(out, "ir")
    code, out, _ = listen(capsys, folder)
    assert "identification ms" in out
    assert "MIR" in out


def test_a_remote_hearer_goes_on_where_its_endpoint_failed(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    with serving(*[completion("1")] * 30, (503, {}, b"")) as server:
        named = f"remote|model:toy|endpoint:{server.url}|tries:1|parallel:1"
        code, _, err = listen(capsys, folder, "--hearer", named)
        assert code == 2
        assert "resumes from there" in err
        assert not (folder / "responses.jsonl").exists(), "all or nothing"
        server.script[:] = [completion("2")]
        before = len(server.seen)
        code, _, _ = listen(capsys, folder, "--hearer", named)
        assert code == 0
        # answers to the same words about the same scene are asked for once
        asked = {r.trial for r in Run(folder).responses()}
        assert len(asked) == 39
        assert len(server.seen) - before <= 78 - 30


def test_what_an_endpoint_does_not_answer_is_out_of_every_denominator_and_said(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    with serving(*[completion("1")] * 20, *[(500, {}, b"")] * 7, completion("1")) as server:
        named = f"remote|model:toy|endpoint:{server.url}|price_in:2"
        hearer = f"{named}|tries:1|parallel:1|patience:0"
        code, out, _ = listen(capsys, folder, "--hearer", hearer, "--format", "json")
        assert code == 0
        found = json.loads(out)
        said = sum(1 for _ in Run(folder).outputs())
        short = f"remote|model:toy|endpoint:{server.url}"
        missing = found["unanswered"][short]
        assert missing >= 7
        assert sum(r["n"] for r in found["rows"] if r["measure"] == "ir") == said - missing
        assert {r["value"] for r in found["rows"] if r["measure"] == "timeout"} == {0.0}
        # every answered question has 100 tokens, at 2 a million
        spent = found["spent"][short]
        assert spent["prompt_tokens"] == 100 * spent["calls"]
        assert spent["cost"] == pytest.approx(0.0002 * spent["calls"])
        code, out, _ = listen(capsys, folder, "--hearer", f"{named}|parallel:9")
        assert code == 0
        assert "were not answered" not in out, "asked again, at another pace, and under the same name"
        assert {r.hearer for r in Run(folder).responses()} == {short}


def test_a_hearer_by_way_of_batch_files(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    requests, answers = tmp_path / "requests.jsonl", tmp_path / "answers.jsonl"
    args = (folder, "--hearer", "remote|model:toy|endpoint:http://127.0.0.1:9/v1|tries:1")
    code, _, err = listen(capsys, *args, "--batch-out", requests)
    assert code == 0
    assert "questions are in" in err
    body = json.loads(completion("1")[2])
    asked = [json.loads(line) for line in requests.read_text("utf-8").splitlines()]
    lines = [{"custom_id": a["custom_id"], "response": {"status_code": 200, "body": body}} for a in asked]
    answers.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert listen(capsys, *args, "--batch-in", answers)[0] == 0
    assert len(list(Run(folder).responses())) == sum(1 for _ in Run(folder).outputs())


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--hearer", "liteal"), "did you mean literal"),
        (("--hearer", "noisy|noize:1"), "no switch is called 'noize'"),
        (("--hearer", "noisy|noise:0.9"), "between 0"),
        (("--hearer", "remote"), "no model is named"),
        (("--format", "xml"), "--format is one of table, json"),
        ((), "has no answers"),
    ],
)
def test_mistakes_are_answered_with_what_to_do(
    capsys: pytest.CaptureFixture[str], folder: Path, args: tuple[str, ...], message: str
) -> None:
    code, _, err = listen(capsys, folder, *args)
    assert code == 2
    assert message in err


def test_a_folder_that_is_no_run_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = listen(capsys, tmp_path, "--hearer", "literal")
    assert code == 2
    assert "not a run folder" in err


def test_scores_carry_the_hash_of_the_hearers_passport(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    from referee.hearers.passports.cards import _hash

    card: dict[str, Any] = {"hearer": "literal", "verdict": "use with care", "corpus": "games"}
    card["hash"] = _hash(card)
    path = tmp_path / "card.json"
    path.write_text(json.dumps(card), "utf-8")
    code, out, err = listen(capsys, folder, "--hearer", "literal", "--passport", path)
    assert code == 0
    assert "The passport of literal was made on games, and this is" in err
    assert f"|passport:games:{card['hash'][:12]}:use-with-care" in out
    code, _, err = listen(capsys, folder, "--hearer", "noisy", "--passport", path)
    assert (code, "this is the passport of literal" in err) == (2, True)
    code, out, _ = listen(capsys, folder, "--hearer", "position")
    assert "no passport" in out


def responses_file(run: Path, place: Path) -> Path:
    """Every trial answered by two people, about what people said and about one system; the second person is always wrong."""
    lines = []
    for trial in Run(run).trials():
        wrong = next(e.id for e in trial.scene.entities if e.id != trial.targets[0])
        for person, entity in (("p1", trial.targets[0]), ("p2", wrong)):
            for system in (None, "classic/greedy"):
                response = Response(trial=trial.id, hearer=person, outcome=Outcome.ENTITY, entity=entity, system=system)
                lines.append(write_json_line(response_to_json(response)))
    write_atomically(place, lines)
    return place


def test_people_of_a_file_stand_beside_hearers_and_are_not_doubled(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    people = responses_file(folder, tmp_path / "people.jsonl")
    listen(capsys, folder, "--hearer", "literal", "--humans")
    for _ in range(2):
        code, out, err = listen(capsys, folder, "--people", people, "--format", "json")
        assert (code, err) == (0, f"people: 156 answers from {people}\n")
    found = rows_of(out, "ir")
    assert found["human", "people"] | {"value": None} == found["human", "people"] | {"value": None, "n": 78}
    assert found["human", "people"]["value"] == found["classic/greedy", "people"]["value"] == 0.5
    assert found["classic/greedy", "literal"]["n"] == 39
    assert Run(folder).manifest["people"] == {"source": "people.jsonl", "responses": 156}


def test_people_who_answered_other_trials_are_refused(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    stray = tmp_path / "stray.jsonl"
    stray.write_text('{"trial": "elsewhere", "hearer": "p1", "outcome": "none"}\n')
    code, _, err = listen(capsys, folder, "--people", stray)
    assert (code, "'elsewhere', which is not among the trials" in err) == (2, True)
    code, _, err = listen(capsys, folder, "--people", "synthetic")
    assert (code, "no human answers" in err) == (2, True)
    assert not (folder / "responses.jsonl").exists()


def test_a_hearer_of_ones_own_answers_and_is_not_taken_for_people(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(
        "from referee.records import Outcome, Response\n"
        "class First:\n"
        "    learns = False\n"
        "    def fit(self, trials):\n"
        "        pass\n"
        "    def resolve(self, description, view):\n"
        "        entity = view.scene.entities[0].id\n"
        "        return Response(trial=view.id, hearer='x', outcome=Outcome.ENTITY, entity=entity)\n"
    )
    code, out, _ = listen(capsys, folder, "--hearer", f"{tmp_path}/mine.py:First", "--format", "json")
    assert code == 0
    assert set(rows_of(out, "ir")) == {("classic/incremental", "mine.py:First"), ("classic/greedy", "mine.py:First")}
    assert list(json.loads(out)["hearers"]) == ["mine.py:First"]


def test_scoring_a_run_again_keeps_its_hearing(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    listen(capsys, folder, "--hearer", "literal", "--humans")
    assert main(["score", str(folder), "--out", str(tmp_path / "scored"), "--resamples", "0"]) == 0
    assert list(Run(tmp_path / "scored").responses()) == list(Run(folder).responses())
    assert Run(tmp_path / "scored").manifest["hearers"] == Run(folder).manifest["hearers"]
    assert main(["score", str(folder), "--split", "domain=people", "--lenient", "--out", str(tmp_path / "part")]) == 0
    assert list(Run(tmp_path / "part").responses()) == []


def test_a_passport_of_other_code_is_refused(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from referee.hearers.passports.cards import seal
    from referee.hearers.passports.named_hearer import summon
    from referee.signature import _find_package_version, signature

    monkeypatch.chdir(tmp_path)
    code = "from referee.hearers.baselines import Position\n\n\nclass Mine(Position):\n    constant = {}\n"
    (tmp_path / "mine_signed.py").write_text(code.format(1), "utf-8")
    named = "mine_signed.py:Mine"
    card = {"hearer": named, "verdict": "not fit", "corpus": "games", "signature": signature(named, summon(named))}
    (tmp_path / "card.json").write_text(json.dumps(seal(card)), "utf-8")
    assert listen(capsys, folder, "--hearer", named, "--passport", tmp_path / "card.json")[0] == 0
    (tmp_path / "mine_signed.py").write_text(code.format(2), "utf-8")
    _find_package_version.cache_clear()
    failed, _, err = listen(capsys, folder, "--hearer", named, "--passport", tmp_path / "card.json")
    assert failed == 2
    assert "was changed after this passport was made" in err


def test_a_run_without_scenes_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "hyp.txt").write_text("the red cup\n", "utf-8")
    (tmp_path / "ref.txt").write_text("the cup\n", "utf-8")
    run = tmp_path / "RUN"
    files = (tmp_path / "hyp.txt", "--references", tmp_path / "ref.txt")
    assert main(["evaluate", *map(str, files), "--save-as", str(run)]) == 0
    code, _, err = listen(capsys, run, "--hearer", "literal")
    assert code == 2
    assert "no item of this run has a scene with a target" in err
    assert "--scenes" in err
