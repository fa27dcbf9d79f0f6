"""Ours beside print: the printed numbers are those of the papers, ours are those of an ordinary scoring, and agreement is what its name says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import spearmanr

from referee import catalogue, create
from referee.api.replicate import replicate as replicate_task
from referee.api.run import run as run_systems
from referee.api.score import score
from referee.corpora.challenge_xml import write_outputs, write_trials
from referee.corpora.outputs import Output
from referee.corpora.splits import make_folds
from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import InputError, UnknownName
from referee.jobs.challenge_tasks import TASKS, load_task, read_printed_table
from referee.jobs.folder import Run
from referee.jobs.open import Answers, open_corpus
from referee.jobs.replicate import add_protocol, draw_protocol, replicate, sample_people, summarise
from referee.records import Description, Entity, Property, Scene, Trial

TRIALS = tuple(Synthetic(speakers=6).trials())
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("replication") / "run"


@pytest.fixture(scope="module")
def rows(run_folder: Path) -> Rows:
    return replicate("tuna2008-as", open_corpus(TRIALS), run_folder, folds=3)


def one(rows: Rows, system: str, metric: str, domain: str = "both") -> dict[str, Any]:
    (found,) = [r for r in rows if (r["system"], r["metric"], r["domain"]) == (system, metric, domain)]
    return found


@pytest.mark.parametrize(
    ("task", "count"),
    [
        ("asgre2007", 16),
        ("tuna2008-as", 14),
        ("tuna2008-r", 5),
        ("tuna2008-reg", 14),
        ("tunareg2009", 6),
        ("tuna2008-as.dev", 12),
        ("tunareg2009.dev", 6),
    ],
)
def test_every_entry_of_a_printed_table_has_its_system(task: str, count: int) -> None:
    """Counts of entries: Belz & Gatt 2008, table 1; Gatt, Belz & Kow 2008, tables 3, 6 and 8; Gatt, Belz & Kow 2009, table 5 (people left out)."""
    assert len(TASKS[task].systems()) == count


def test_rows_of_2007_are_found_under_their_printed_abbreviations() -> None:
    found = TASKS["asgre2007"].systems()
    assert found["asgre2007/TITCH-AS+"] == "T-AS+"
    assert found["asgre2007/GRAPH-FP"] == "GR-FP"
    assert found["asgre2007/IS-FBS-submitted"] == "*IS-FBS"


def test_printed_numbers_are_those_of_the_paper(rows: Rows) -> None:
    """Gatt, Belz & Kow 2008, table 3."""
    assert one(rows, "GRAPH-4+B", "set/dice")["published"] == 0.794
    assert one(rows, "GRAPH-4+B", "set/dice", "furniture")["published"] == 0.858
    assert one(rows, "OSU-GP", "set/masi", "people")["published"] == 0.114
    assert one(rows, "ATT-FB-m", "scene/minimal")["published"] == 1.0


def test_ours_are_what_scoring_the_run_gives(rows: Rows, run_folder: Path) -> None:
    frame = score(run_folder, run_folder, metrics=["set/dice", "scene/minimal"], by=("domain",), resamples=0)
    for row in frame.to_dicts():
        domain = row["domain"] or "both"
        system = row["system"].removeprefix("tuna2008-as/")
        if (row["metric"], domain) in {("set/dice", "people"), ("set/dice", "both"), ("scene/minimal", "both")}:
            assert one(rows, system, row["metric"], domain)["ours"] == pytest.approx(row["value"], abs=1e-12)


def test_the_spread_is_that_of_the_folds(rows: Rows, run_folder: Path) -> None:
    values = []
    for _, test in make_folds(TRIALS, 3, "speaker", 1):
        frame = score(run_folder, test, metrics=["set/dice"], resamples=0, lenient=True)
        values += frame.filter(frame["system"] == "tuna2008-as/DIT-FBI")["value"].to_list()
    found = one(rows, "DIT-FBI", "set/dice")
    assert (found["low"], found["high"]) == (pytest.approx(min(values)), pytest.approx(max(values)))


def test_agreement_is_over_systems_by_the_first_measure(rows: Rows) -> None:
    summary = summarise("tuna2008-as", rows)
    dice = [r for r in rows if (r["metric"], r["domain"]) == ("set/dice", "both")]
    assert summary["n"] == 14
    expected = spearmanr([r["ours"] for r in dice], [r["published"] for r in dice]).statistic
    assert summary["spearman"] == pytest.approx(expected)
    differences = [abs(r["ours"] - r["published"]) for r in dice]
    assert summary["mean_absolute_difference"] == pytest.approx(sum(differences) / 14)
    faithful = [d for d, r in zip(differences, dice, strict=True) if r["evidence"] == "faithful"]
    assert summary["mean_absolute_difference_faithful"] == pytest.approx(sum(faithful) / len(faithful))
    assert len(summary["columns"]) == 8, "Dice and MASI in three columns each, accuracy and minimality in one"


def test_a_row_without_a_printed_value_does_not_count_as_zero() -> None:
    row = {"metric": "set/dice", "domain": "both", "evidence": "faithful", "ours": 0.5}
    rows = [{**row, "published": None, "difference": None}, {**row, "published": 0.4, "difference": 0.1}]
    summary = summarise("tuna2008-as", rows)
    assert (summary["n"], summary["spearman"], summary["mean_absolute_difference"]) == (1, None, 0.1)


def test_rho_is_also_given_without_the_floor_and_without_what_was_fitted(rows: Rows) -> None:
    summary = summarise("tuna2008-as", rows)
    dice = [r for r in rows if (r["metric"], r["domain"]) == ("set/dice", "both")]
    good = [r for r in dice if r["system"] != "OSU-GP" and not r["system"].startswith("ATT-FB")]
    fitted = {"JU-PTBSGRE", "IS-FP", "ATT-FB-f", "ATT-FB-sf", "ATT-FB-sr"}
    unfitted = [r for r in dice if r["system"] not in fitted]
    for key, part in (("spearman_without_floor", good), ("spearman_unfitted", unfitted)):
        expected = spearmanr([r["ours"] for r in part], [r["published"] for r in part]).statistic
        assert summary[key] == pytest.approx(expected)
        assert summary[f"{key}_n"] == 9
        by_fold = [spearmanr([r["folds"][f] for r in part], [r["published"] for r in part]).statistic for f in range(3)]
        assert summary[f"{key}_folds"] == pytest.approx([min(by_fold), max(by_fold)])
    assert summary["mended"] is False
    assert all(c["mended"] is False for c in summary["columns"]), "sets have no words to mend"


def test_the_range_over_cuts_is_that_of_their_rhos(rows: Rows) -> None:
    turned = [{**r, "ours": None if r["ours"] is None else -r["ours"]} for r in rows]
    summary = summarise("tuna2008-as", rows, [turned])
    assert summary["spearman_seeds"] == pytest.approx([-summary["spearman"], summary["spearman"]])
    assert summarise("tuna2008-as", rows)["spearman_seeds"] is None


def test_words_are_compared_as_the_algorithms_make_them_and_once_more_mended(tmp_path: Path) -> None:
    few = tuple(t for t in TRIALS if t.speaker in {"1", "2", "3"}) or TRIALS[:39]
    rows = replicate("tunareg2009", open_corpus(few), tmp_path / "run", folds=2)
    summary = summarise("tunareg2009", rows)
    assert summary["mended"] is False
    assert [c["mended"] for c in summary["columns"]] == [False] * 15 + [True] * 15
    people = [r for r in rows if r["people"]]
    # Gatt, Belz & Kow 2009, table 5: 9.68 between the two people who described an item.
    assert {r["system"] for r in people} == {"HUMAN-1", "HUMAN-2"}
    assert {r["published"] for r in people if (r["metric"], r["domain"]) == ("string/edit", "both")} == {9.68}
    assert summary["n"] == 6, "people are no systems"


def test_people_are_held_against_others_who_saw_the_same() -> None:
    found = list(sample_people(("HUMAN-1", "HUMAN-2"), TRIALS, 1))
    by_id = {t.id: t for t in TRIALS}
    assert found
    for output in found:
        same = [t for t in TRIALS if output.description in t.references]
        here = by_id[output.trial]
        assert any(
            (t.scene.id, t.condition) == (here.scene.id, here.condition) and t.speaker != here.speaker for t in same
        )


def test_exchanged_heads_in_print_are_put_right() -> None:
    """Gatt, Belz & Kow 2008, table 8: values under BLEU exceed 1, so the register of corrections exchanges BLEU and NIST."""
    table = read_printed_table("tuna-2008", "table8")
    columns = {m.metric: m.columns["both"] for m in TASKS["tuna2008-reg"].measures}
    assert (columns["string/bleu.4"], columns["string/nist"]) == ("bleu", "nist")
    bleu = [n.value for _, n in table.column(columns["string/bleu.4"]) if n is not None]
    assert len(bleu) == 14
    assert max(bleu) < 0.2


@pytest.mark.parametrize("task", TASKS)
def test_every_measure_of_a_task_is_a_metric_and_a_printed_column(task: str) -> None:
    from referee.auditing.paper import read_shipped_paper

    for measure in TASKS[task].measures:
        assert catalogue.create("metric", measure.metric)
        paper = read_shipped_paper(TASKS[task].paper)
        if TASKS[task].table:
            paper.tables[TASKS[task].table].require(*measure.columns.values())
        assert any(
            TASKS[task].printed(label, measure, d) is not None
            for label in TASKS[task].systems().values()
            for d in measure.columns
        )
    assert {"release", "splits", "reconstruction"} <= {r.partition(":")[0] for r in TASKS[task].reasons}


def test_an_unknown_task_is_answered_with_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="tuna2008-as"):
        replicate("tuna2008-az", open_corpus(TRIALS), tmp_path / "run")


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.long  # tests/systems/test_tuna2008_as.py has the same order without a run folder
def test_the_order_of_the_fourteen_systems_of_2008_comes_out_again(tmp_path: Path, data_folder: Path) -> None:
    opened = open_corpus("tuna", data=data_folder, reading="challenge")
    summary = summarise("tuna2008-as", replicate("tuna2008-as", opened, tmp_path / "run", jobs=2))
    assert summary["spearman"] >= 0.85
    assert summary["mean_absolute_difference_faithful"] <= 0.06


def test_the_printed_protocol_has_a_second_reference_of_another_speaker() -> None:
    """By hand: two speakers of one scene say {chair, red} and {chair}; a system that repeats the first speaker has a Dice of 1 with its
    own reference and 2 · 1 / (2 + 1) = 2/3 with the other, 5/6 on average; so has one that repeats the second.
    """
    chair, red = Property("type", "chair"), Property("colour", "red")
    trials = [
        Trial(
            id=f"{domain}{speaker}",
            scene=Scene(entities=(Entity(id="a", attributes=(chair, red)), Entity(id="b")), id=domain),
            targets=("a",),
            domain=domain,
            condition="-LOC",
            speaker=speaker,
            references=(Description(properties=properties),),
        )
        for domain in ("furniture", "people")
        for speaker, properties in (("1", (chair, red)), ("2", (chair,)))
    ]
    system = "tuna2008-as/DIT-FBI"
    outputs = (Output(t.id, system, t.references[0], "", None) for t in trials)
    values = draw_protocol(load_task("tuna2008-as"), Answers.of(outputs), trials, [system], 3, 1)
    assert values[system, "set/dice", "both"] == pytest.approx([5 / 6] * 3)
    row = {"written": system, "metric": "set/dice", "domain": "both", "published": 0.9}
    add_protocol([row], values)
    assert (row["protocol"], row["published_in_range"]) == (pytest.approx(5 / 6), False)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A challenge's own files: training trials in one file of XML, test trials with two references in a folder, and the outputs of a peer."""
    trials = [replace(t, history=(), episode=None) for t in TRIALS]
    plain = [
        replace(t, references=tuple(Description(text=r.text, properties=r.properties) for r in t.references))
        for t in trials
    ]
    train, test = plain[:40], [replace(t, references=(t.references[0],) * 2) for t in plain[40:52]]
    write_trials(train, tmp_path / "train.xml")
    write_trials(test, tmp_path / "test")
    write_outputs(((t.id, Description(properties=t.references[0].properties)) for t in test), tmp_path / "graph.xml")
    return tmp_path


def test_a_run_on_a_challenges_own_files_trains_on_one_part_and_describes_the_other(pack: Path) -> None:
    made = run_systems(
        ["tuna2008-as/DIT-FBI"], out=pack / "run", train=str(pack / "train.xml"), test=str(pack / "test"), jobs=1
    )
    kept = list(Run(pack / "run").trials())
    assert [t.id for t in kept] == sorted((t.id for t in TRIALS[40:52]), key=lambda i: [t.id for t in kept].index(i))
    assert {len(t.references) for t in kept} == {2}
    learned = create("system", "tuna2008-as/DIT-FBI").fit(TRIALS[:40])
    ours = {o.trial: o.description.properties for o in Run(pack / "run").outputs()}
    assert ours == {t.id: learned.describe(t.for_speaker()).properties for t in TRIALS[40:52]}
    assert made.score(metrics="set/dice").frame["n"].to_list() == [12]


def test_a_peer_is_scored_beside_the_systems(pack: Path) -> None:
    made = replicate_task(
        "tuna2008-as",
        train=str(pack / "train.xml"),
        test=str(pack / "test"),
        peers=[f"GRAPH-4+B={pack / 'graph.xml'}"],
        jobs=1,
    )
    (peer,) = (
        r
        for r in made.rows
        if r["system"] == "GRAPH-4+B (peer)" and (r["metric"], r["domain"]) == ("set/exact", "both")
    )
    # It says what the references say; print: Gatt, Belz & Kow 2008, table 3.
    assert (peer["ours"], peer["published"]) == (1, 0.4)
    assert made.summary["n"] == 14


def test_trials_of_training_cannot_be_tested(pack: Path) -> None:
    with pytest.raises(InputError, match="training and the test"):
        run_systems(["classic/greedy"], out=pack / "run", train=str(pack / "test"), test=str(pack / "test"), jobs=1)
    with pytest.raises(InputError, match="replace the corpus"):
        run_systems(["classic/greedy"], "synthetic", out=pack / "run", train=str(pack / "train.xml"), jobs=1)
