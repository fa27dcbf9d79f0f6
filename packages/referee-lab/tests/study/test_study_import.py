"""People's answers in run folders: counted by the same code as simulated hearers, and never confused with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import pytest
from study_server import Person, Site, site, study_folder

from referee.cli import main
from referee.corpora.jsonl import JsonlCorpus
from referee.errors import InputError
from referee.jobs.folder import Run
from referee.jobs.heard import make_hearing_rows
from referee_lab.bots.simulation import simulate
from referee_lab.study.data.collection import collect, collect_from
from referee_lab.study.data.dataset import Dataset
from referee_lab.study.data.to_run import import_corpus, import_into, import_run
from referee_lab.study.folder.demo_study import make_demo


def collected_from(opened: Site) -> Dataset:
    with opened.served.store.read() as connection:
        return collect(opened.served.study, connection)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Site]:
    with site(study_folder(tmp_path)) as opened:
        yield opened


def test_people_in_a_new_run_are_counted_like_hearers(
    running: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = Person(running), Person(running)
    first.complete()
    second.begin()
    second.answer_all(right=False)
    run = tmp_path / "run"
    answers = len([i for p in (first, second) for i in p.saved_steps if p.step(i).kind == "trial"])
    assert import_run(collected_from(running), run) == answers
    responses = list(Run(run).responses())
    assert {r.hearer for r in responses} == {first.plan["alias"], second.plan["alias"]}
    rows = [r for r in make_hearing_rows(Run(run).trials(), responses) if r["measure"] == "ir"]
    assert {r["hearer"] for r in rows} == {"people"}
    found = sum(r["value"] * r["n"] for r in rows)
    assert found == pytest.approx(answers / 2)  # the first named every target, the second none
    assert main(["listen", str(run), "--format", "json"]) == 0
    assert '"people"' in capsys.readouterr().out
    assert Run(run).manifest["people"] == {"source": "study demo (debug)", "responses": answers}


def test_left_out_times_stay_out_and_left_out_people_too(running: Site, tmp_path: Path) -> None:
    whole, hasty = Person(running).begin(), Person(running).begin()
    for index in whole.saved_steps:
        body = whole.body(index)
        body["flags"] = ["hidden"] if whole.step(index).kind == "trial" else []
        assert whole.put(index, body=body).status_code == 201
    assert hasty.put(hasty.saved_steps[0]).status_code == 201
    import_run(collected_from(running), tmp_path / "run")
    responses = list(Run(tmp_path / "run").responses())
    assert {r.hearer for r in responses} == {whole.plan["alias"]}
    assert {r.identification_ms for r in responses} == {None}


def test_who_withdraws_is_not_imported_again(running: Site, tmp_path: Path) -> None:
    stays, leaves = Person(running), Person(running)
    for person in (stays, leaves):
        person.complete()
    import_run(collected_from(running), tmp_path / "run")
    leaves.ask("POST", "withdraw")
    import_into(collected_from(running), tmp_path / "run")
    assert {r.hearer for r in Run(tmp_path / "run").responses()} == {stays.plan["alias"]}


def test_bots_are_signed_as_bots_and_replaced_by_their_next_import(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "study", items=6, participants=3)
    simulate(study.folder, participants=3)
    collected = collect_from(study)
    import_run(collected, tmp_path / "run")
    before = list(Run(tmp_path / "run").responses())
    assert {r.hearer for r in before} == {"bots(noisy)"}
    assert "people" not in Run(tmp_path / "run").manifest
    assert {r["hearer"] for r in make_hearing_rows(Run(tmp_path / "run").trials(), before)} == {"bots(noisy)"}
    import_into(collected, tmp_path / "run")
    assert len(list(Run(tmp_path / "run").responses())) == len(before)


def test_a_simulated_hearer_and_a_study_share_a_run(running: Site, tmp_path: Path) -> None:
    Person(running).complete()
    collected = collected_from(running)
    run = tmp_path / "run"
    import_run(collected, run)
    assert main(["listen", str(run), "--hearer", "literal", "--format", "json"]) == 0
    import_into(collected, run)
    assert len({r.hearer for r in Run(run).responses()}) == 2


def test_a_run_over_other_trials_is_refused(running: Site, tmp_path: Path) -> None:
    Person(running).complete()
    other = make_demo(tmp_path / "other", items=2, participants=3, seed=9, id="other")
    simulate(other.folder, participants=3)
    trials = collect_from(other)
    run = tmp_path / "run"
    import_run(trials, run)
    lines = (run / "trials.jsonl").read_text("utf-8").splitlines()
    renamed = [json.dumps({**json.loads(line), "id": f"x{n}"}) for n, line in enumerate(lines)]
    (run / "trials.jsonl").write_text("\n".join(renamed) + "\n", "utf-8")
    with pytest.raises(InputError, match="does not have"):
        import_into(collected_from(running), run)


def test_descriptions_become_a_corpus_with_people_as_speakers(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "study", "production", items=4, participants=2)
    simulate(study.folder, participants=2)
    collected = collect_from(study)
    assert import_corpus(collected, tmp_path / "corpus") == 8
    trials = list(JsonlCorpus(tmp_path / "corpus").trials())
    assert len({t.id for t in trials}) == 8
    assert len({t.speaker for t in trials}) == 2
    assert all(t.speaker and t.speaker.startswith("bots(noisy) P-") for t in trials)
    said = {str(a.answer["text"]).strip() for a in collected.trials}
    assert {t.references[0].text for t in trials} == said
    assert {t.meta["item"] for t in trials} == {s.trial.id for s in study.stimuli.values()}
    assert mean(len(t.references) for t in trials) == 1


def test_judgements_are_refused_with_the_way_to_their_analysis(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "study", "judgement", items=3, participants=3)
    simulate(study.folder, participants=3)
    with pytest.raises(InputError, match="referee study analyse"):
        import_run(collect_from(study), tmp_path / "run")
