"""The pipeline from outputs to a table: pairing, groups, missing answers, pooled references."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import referee
from referee.api.score import Scores
from referee.corpora.outputs import Output
from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import DuplicateTrial, InputError, InvalidDescription, MissingOutputs, UnknownName, UnknownTrial
from referee.jobs import score
from referee.jobs.open import Answers
from referee.jobs.score import Settings, score_trials
from referee.jobs.score_table import expand_metric_names
from referee.records import Description, Entity, Property, Scene, Trial

RED, CHAIR = Property("colour", "red"), Property("type", "chair")


def trial(name: str, speaker: str = "1", said: str = "the red chair", domain: str = "furniture") -> Trial:
    entities = (
        Entity(id="a", attributes=(CHAIR, RED)),
        Entity(id="b", attributes=(CHAIR, Property("colour", "blue"))),
    )
    words = Description(properties=(RED, CHAIR), text=said, speaker=speaker)
    return Trial(
        id=name,
        scene=Scene(entities=entities, id="s"),
        targets=("a",),
        speaker=speaker,
        domain=domain,
        references=(words,),
    )


def row(
    name: str, system: str = "x", text: str | None = "the red chair", properties: list[list[str]] | None = None
) -> dict[str, object]:
    return {"trial": name, "system": system, "text": text, "properties": properties}


TRIALS = [trial("t1"), trial("t2", "2", "red chair"), trial("t3", "3", "chair", "people")]


def value(result: Scores | pl.DataFrame, **where: object) -> dict[str, object]:
    frame = result.frame if isinstance(result, Scores) else result
    for key, wanted in where.items():
        frame = frame.filter(pl.col(key).is_null() if wanted is None else pl.col(key) == wanted)
    (found,) = frame.to_dicts()
    return found


def test_a_table_by_hand() -> None:
    """t1 equal (edit 0), t2 one word more (1), t3 two words more (2): mean 1; with colour only, Dice is 2·1/(1+2) = 2/3."""
    frame = referee.score(
        [row(f"t{i}", properties=[["colour", "red"]]) for i in (1, 2, 3)],
        TRIALS,
        metrics=["string/edit", "set/dice"],
        by=["domain"],
    )
    assert value(frame, metric="string/edit", domain=None)["value"] == pytest.approx(1.0)
    assert value(frame, metric="string/edit", domain="furniture")["value"] == pytest.approx(0.5)
    assert value(frame, metric="set/dice", domain=None)["value"] == pytest.approx(2 / 3)


def test_no_value_is_null_with_n_0() -> None:
    found = value(referee.score([row(f"t{i}") for i in (1, 2, 3)], TRIALS, metrics=["set/dice"]))
    assert (found["value"], found["n"], found["low"]) == (None, 0, None)


def test_references_of_others_leave_out_the_trials_own_speaker() -> None:
    """t1 against "red chair" and "chair": (1 + 2) / 2 = 1.5 edits."""
    frame = referee.score([row("t1")], TRIALS, metrics=["string/edit"], references="others", split="id=t1")
    assert value(frame)["value"] == pytest.approx(1.5)


def test_people_can_enter_the_table() -> None:
    """Each person against the two others: (1.5 + 1 + 1.5) / 3."""
    frame = referee.score([row(f"t{i}") for i in (1, 2, 3)], TRIALS, metrics=["string/edit"], humans=True)
    assert value(frame, system="human")["value"] == pytest.approx(4 / 3)


def test_bleu_is_pooled_not_averaged() -> None:
    rows = [row("t1", text="the red chair"), row("t2", text="blue"), row("t3", text="chair")]
    found = value(referee.score(rows, TRIALS, metrics=["string/bleu.1"]))["value"]
    assert found == pytest.approx(4 / 5 * np.exp(1 - 6 / 5)), "4 of 5 words match, 5 words against 6"


@pytest.mark.parametrize(
    ("rows", "error", "complaint"),
    [
        ([row("t1")], MissingOutputs, "answers 1 of 3 trials; 't2' is the first one missing"),
        ([row("t1"), row("t2"), row("t3"), row("t9")], UnknownTrial, "'t9'"),
        ([row("t1"), row("t1")], DuplicateTrial, "twice"),
        ([row("t1", text=""), row("t2"), row("t3")], InvalidDescription, "is empty"),
        (
            [row("t1", properties=[["wings", "2"]]), row("t2"), row("t3")],
            InvalidDescription,
            "no entity of the scene has wings:2",
        ),
        ([], InputError, "no outputs"),
    ],
)
def test_bad_outputs_are_refused_with_a_remedy(
    rows: list[dict[str, object]], error: type[InputError], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        referee.score(rows, TRIALS, metrics=["string/edit"])


def test_lenient_counts_what_strict_refuses() -> None:
    rows = [row("t1", text=""), row("t1"), row("t9"), row("t3", properties=[["wings", "2"]])]
    found = value(referee.score(rows, TRIALS, metrics=["string/edit"], lenient=True))
    assert {k: found[k] for k in ("n", "missing", "unknown", "duplicate", "empty", "outside")} == {
        "n": 2, "missing": 1, "unknown": 1, "duplicate": 1, "empty": 1, "outside": 1,
    }  # fmt: skip


def test_a_system_against_a_baseline_is_paired() -> None:
    rows = [row(f"t{i}", "same") for i in (1, 2, 3)] + [row(f"t{i}", "base") for i in (1, 2, 3)]
    found = value(referee.score(rows, TRIALS, metrics=["string/edit"], baseline="base"), system="same")
    assert (found["difference"], found["p"], found["p_randomisation"]) == (0.0, 1.0, 1.0)
    with pytest.raises(InputError, match="no system is called 'nobody'"):
        referee.score(rows, TRIALS, baseline="nobody")


def test_chunks_do_not_change_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = list(Synthetic(speakers=4).trials())
    outputs = [Output(t.id, "next", trials[i - 1].references[0], "", None) for i, t in enumerate(trials)]
    settings = Settings(metrics=expand_metric_names(["all"]), resamples=20, lenient=True)
    whole = score_trials(Answers.of(outputs, lenient=True), lambda: trials, settings).scores()
    monkeypatch.setattr(score, "CHUNK", 7)
    parts = score_trials(Answers.of(outputs, lenient=True), lambda: trials, settings).scores()
    for a, b in zip(whole, parts, strict=True):
        assert (a["metric"], a["n"]) == (b["metric"], b["n"])
        assert a["value"] == pytest.approx(b["value"]), a["metric"]


def test_metric_names_are_expanded_and_checked() -> None:
    assert expand_metric_names(["set", "set/dice"]) == (
        "set/dice",
        "set/dice.multiset",
        "set/masi",
        "set/jaccard",
        "set/exact",
        "set/dice.parts",
        "set/edit",
        "set/edit.tree",
    )
    with pytest.raises(UnknownName, match="did you mean"):
        expand_metric_names(["set/dyce"])


def test_frames_and_files_score_alike(tmp_path: Path) -> None:
    rows = [row(f"t{i}") for i in (1, 2, 3)]
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(json.dumps({k: v for k, v in r.items() if v is not None}) for r in rows), "utf-8")
    from_file = referee.score(path, TRIALS, metrics=["string/edit"])
    framed = pl.DataFrame(rows, schema_overrides={"properties": pl.Object})
    assert from_file.frame.equals(referee.score(framed, TRIALS, metrics=["string/edit"]).frame)


def test_a_seed_fixes_every_number() -> None:
    rows = [row(f"t{i}") for i in (1, 2, 3)]
    first, again, other = (referee.score(rows, TRIALS, metrics=["string/edit"], seed=s).frame for s in (1, 1, 2))
    assert first.equals(again)
    assert first["value"].equals(other["value"])
