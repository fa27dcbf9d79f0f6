"""A signature identifies the number: whatever changes a value, an interval or a p changes the signature."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import referee
from referee.cli import main
from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import InputError
from referee.geometry import ScenePicture, Size
from referee.jobs.heard import make_hearing_rows
from referee.jobs.open import open_outputs
from referee.jobs.score import score_trials
from referee.jobs.score_table import Settings, Source
from referee.records import Description, Outcome, Response
from referee.signature import _find_package_version, explain, short, signature, without_outputs

TRIALS = list(Synthetic(speakers=5).trials())
ROWS = [
    {
        "trial": t.id,
        "system": system,
        "text": t.references[0].text if (i + shift) % 3 else "the thing",
        "properties": [list(p) for p in (t.references[0].properties or ())[: 1 + (i + shift) % 3]],
    }
    for shift, system in enumerate(("one", "two"))
    for i, t in enumerate(TRIALS)
]
NUMBERS = ("value", "n", "low", "high", "difference", "difference_low", "difference_high", "p", "p_randomisation")


def scored(trials=TRIALS, source: Source | None = None, metric: str = "set/dice", **options) -> tuple[str, tuple]:
    chosen = Settings(**{"metrics": (metric,), "baseline": "one", "lenient": True, **options})
    table = score_trials(open_outputs(ROWS, lenient=True), lambda: trials, chosen, source=source)
    rows = [r for r in table.scores() if r["system"] == "two"]
    return rows[0]["signature"], tuple(rows[0][k] for k in NUMBERS)


def other_words(trial):
    return replace(
        trial,
        references=tuple(replace(r, text=f"{r.text} here", properties=r.properties[:1]) for r in trial.references),
    )


VARIANTS = {
    "plain": {},
    "cluster none": {"cluster": "none"},
    "cluster scene": {"cluster": "scene"},
    "cluster speaker": {"cluster": "speaker"},
    "confidence": {"confidence": 0.9},
    "references": {"references": "others"},
    "humans": {"references": "others", "humans": True},
    "part": {"trials": TRIALS[:40]},
    "reading": {"trials": [other_words(t) for t in TRIALS]},
    "metric switch": {"metric": "set/dice|multiset:yes"},
    "other metric": {"metric": "set/masi"},
    "tokens": {"metric": "string/bleu.1"},
    "other tokens": {"metric": "string/bleu.1|tokens:words"},
    "swaps": {"cluster": "none", "resamples": 50},
    "seed": {"cluster": "none", "resamples": 50, "seed": 2},
    "strict": {"lenient": False},
    "corpus name": {"source": Source(corpus="elsewhere")},
    "reading name": {"source": Source(corpus="elsewhere", reading="raw")},
    "sampled": {"source": Source(sampled=("speaker",))},
}


def test_equal_signatures_mean_equal_numbers() -> None:
    found = {name: scored(**options) for name, options in VARIANTS.items()}
    for (a, (sign_a, numbers_a)), (b, (sign_b, numbers_b)) in itertools.combinations(found.items(), 2):
        if sign_a == sign_b:
            assert numbers_a == numbers_b, (a, b)
    unequal = {name for name, (sign, numbers) in found.items() if numbers != found["plain"][1]}
    assert {"cluster none", "cluster scene", "confidence", "references", "part", "reading", "other metric"} <= unequal


def test_the_same_again_is_signed_alike() -> None:
    assert scored() == scored()


def test_a_signature_has_its_parts() -> None:
    parts = explain(
        scored(source=Source(corpus="tuna", reading="raw", part="domain=people", sampled=("scene", "speaker")))[0]
    )
    assert parts["measure"] == "set/dice"
    assert (parts["corpus"], parts["reading"], parts["part"]) == ("tuna", "raw", "domain=people")
    assert (parts["cluster"], parts["interval"], parts["against"]) == (
        "scene x speaker",
        "cr2-satterthwaite-skew-0.95",
        "own-1",
    )
    assert parts["trials"].startswith(f"{len(TRIALS)}-")


def test_trials_of_a_cluster_that_nobody_named() -> None:
    with pytest.raises(InputError, match="name no game"):
        scored(cluster="game")


def test_an_interval_of_a_share_is_not_a_point() -> None:
    """n = 20 without a miss: Wilson's [.839, 1] (Wilson 1927; statsmodels gives the same)."""
    trials = TRIALS[:20]
    rows = [
        {"trial": t.id, "system": "echo", "properties": [list(p) for p in t.references[0].properties]} for t in trials
    ]
    frame = referee.score(rows, trials, metrics=["set/exact"], cluster="none")
    assert frame["value"][0] == 1
    assert (frame["low"][0], frame["high"][0]) == pytest.approx((0.8388748, 1.0), abs=1e-6)


def test_a_short_form_is_explained_from_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--demo", "--metrics", "set/dice", "--out", str(tmp_path / "run")]) == 0
    signed = referee.Run(tmp_path / "run").scores()[0]["signature"]
    assert short(without_outputs(signed)) in capsys.readouterr().out
    assert main(["signature", short(signed), str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert signed in told
    assert "clusters of the trials" in told
    assert main(["signature", "00000000", str(tmp_path)]) == 2
    assert "no run here has a score signed" in capsys.readouterr().err


def test_a_signature_can_be_used_as_a_name() -> None:
    """Whoever finds a signature in a paper asks for the measure by it, switches and all."""
    signed, numbers = scored(metric="set/dice|multiset:yes")
    again, same = scored(metric=signed)
    assert (explain(again)["multiset"], same) == ("yes", numbers)


def test_neither_folder_nor_name_of_a_file_is_signed(tmp_path: Path) -> None:
    """Others have the same corpus in another folder under another name, and must get the same signature; the digest identifies its content."""
    lines = "".join(
        f'{{"id": "t{i}", "target": "a", "entities": [{{"id": "a", "attributes": {{"colour": "red"}}}}], "references": ["red"]}}\n'
        for i in range(3)
    )
    rows = [{"trial": f"t{i}", "system": "one", "text": "red"} for i in range(3)]
    found = set()
    for folder, name in ((tmp_path / "here", "mine.jsonl"), (tmp_path / "there", "other.jsonl")):
        folder.mkdir()
        (folder / name).write_text(lines, "utf-8")
        found |= {r["signature"] for r in referee.score(rows, folder / name, metrics=["string/exact"]).rows}
    (signed,) = found
    assert "mine.jsonl" not in signed


@pytest.mark.parametrize(
    ("named", "remedy"), [("mne.jsonl", "did you mean mine.jsonl?"), ("other/rest.jsonl", "`referee docs corpora`")]
)
def test_a_corpus_file_that_is_not_there_is_no_misspelt_name(tmp_path: Path, named: str, remedy: str) -> None:
    (tmp_path / "mine.jsonl").write_text("", "utf-8")
    with pytest.raises(InputError, match="there is no such file") as error:
        referee.open_corpus(tmp_path / named)
    assert remedy in str(error.value)


@pytest.mark.parametrize(
    ("split", "problem", "remedy"),
    [
        ("domian=furniture", "cannot choose trials by 'domian'", "did you mean domain?"),
        ("domain=furnitur", "no trial has domain=furnitur", "did you mean furniture?"),
        ("domain=Furniture", "no trial has domain=Furniture", "did you mean furniture?"),
        ("speaker=nobody", "no trial has speaker=nobody", "there are "),
    ],
)
def test_a_part_that_nothing_belongs_to_is_told_with_what_there_is(split: str, problem: str, remedy: str) -> None:
    with pytest.raises(InputError) as error:
        list(referee.open_corpus("synthetic", split=split).trials())
    assert problem in str(error.value)
    assert remedy in str(error.value)


def test_a_misspelt_system_is_named_where_all_lines_become_one(tmp_path: Path) -> None:
    lines = [f'{{"trial": "t1", "sytem": "{name}", "text": "red"}}\n' for name in "ab"]
    (tmp_path / "o.jsonl").write_text("".join(lines), "utf-8")
    with pytest.raises(InputError, match=r"(?s)twice.*did you mean system\?") as error:
        open_outputs(tmp_path / "o.jsonl")
    assert "o.jsonl:2" in str(error.value)


# -- whatever may change a number changes the signature, and nothing else does -----------------------------------------------


def signed(trials=TRIALS, rows=ROWS, **options) -> str:
    chosen = Settings(**{"metrics": ("set/dice",), **options})
    table = score_trials(open_outputs(rows, lenient=True), lambda: trials, chosen)
    return next(r["signature"] for r in table.scores() if r["system"] == "two")


def with_trial(at: int, **changes) -> list:
    return [replace(t, **changes) if i == at else t for i, t in enumerate(TRIALS)]


def with_row(at: int, **changes) -> list:
    places = [i for i, row in enumerate(ROWS) if row["system"] == "two"]
    return [{**row, **changes} if i == places[at] else row for i, row in enumerate(ROWS)]


def moved_box(trial):
    first, *rest = trial.scene.entities
    return replace(trial.scene, entities=(replace(first, position=(99.0, 99.0)), *rest))


def resized(trial):
    return replace(trial.scene, picture=ScenePicture(path="a.png", size=Size(7, 5)))


CHANGES = {
    "a target": lambda at: {"trials": with_trial(at, targets=(other_entity(TRIALS[at]),))},
    "words of a reference": lambda at: {"trials": with_trial(at, references=(Description(text="else"),))},
    "a second reference": lambda at: {"trials": with_trial(at, references=TRIALS[at].references * 2)},
    "the position of an object": lambda at: {"trials": with_trial(at, scene=moved_box(TRIALS[at]))},
    "the size of the picture": lambda at: {"trials": with_trial(at, scene=resized(TRIALS[at]))},
    "the label of a cluster": lambda at: {"trials": with_trial(at, speaker="somebody else")},
    "a trial less": lambda at: {"trials": [t for i, t in enumerate(TRIALS) if i != at]},
    "words of an output": lambda at: {"rows": with_row(at, text="something else")},
    "properties of an output": lambda at: {"rows": with_row(at, properties=[["colour", "none at all"]])},
    "confidence": lambda at: {"confidence": 0.5 + at / 200},
    "clusters": lambda at: {"cluster": "none"},
    "references of others": lambda at: {"references": "others"},
}
SAME = {
    "the order of trials": lambda at: {"trials": [*TRIALS[at:], *TRIALS[:at]]},
    "the order of outputs": lambda at: {"rows": [*ROWS[at:], *ROWS[:at]]},
    "a seed that is not used": lambda at: {"seed": 2 + at},
    "swaps that are not made": lambda at: {"resamples": 10 + at},
    "lenience with nothing to forgive": lambda at: {"lenient": True},
    "the order of an output's properties": lambda at: {
        "rows": [{**r, "properties": r["properties"][::-1]} for r in ROWS]
    },
    "the order of objects and of their attributes": lambda at: {"trials": with_trial(at, scene=turn(TRIALS[at].scene))},
    "a label that is not used": lambda at: {"trials": with_trial(at, condition="another", domain="another")},
    "groups beside the whole": lambda at: {"by": ("domain",)},
    "clusters asked for that the design has": lambda at: {"cluster": "crossed"},
    "the output of another system": lambda at: {
        "rows": [{**r, "text": "else"} if r["system"] == "one" else r for r in ROWS]
    },
}


def turn(scene):
    entities = [replace(e, attributes=e.attributes[::-1]) for e in scene.entities[::-1]]
    return replace(scene, entities=tuple(entities))


def other_entity(trial):
    return next(e.id for e in trial.scene.entities if e.id not in trial.targets)


def test_references_in_another_order_are_signed_alike() -> None:
    with_two = [replace(t, references=(*t.references, Description(text="that"))) for t in TRIALS]
    turned = [replace(t, references=t.references[::-1]) for t in with_two]
    assert signed(with_two) == signed(turned) != signed()


@settings(max_examples=40, deadline=None)
@given(change=st.sampled_from(sorted(CHANGES)), at=st.integers(0, len(TRIALS) - 1))
def test_a_change_that_may_change_a_number_changes_the_signature(change: str, at: int) -> None:
    assert signed(**CHANGES[change](at)) != signed()


@settings(max_examples=30, deadline=None)
@given(change=st.sampled_from(sorted(SAME)), at=st.integers(0, len(TRIALS) - 1))
def test_a_change_that_cannot_change_a_number_leaves_the_signature(change: str, at: int) -> None:
    assert signed(**SAME[change](at)) == signed()


@pytest.mark.parametrize("cluster", ["none", "scene"])
def test_no_number_depends_on_the_order_of_trials(cluster: str) -> None:
    """With one signature for all orders, random swaps must be the same in each (here: of 65 trials, or of 13 scenes tried exactly)."""
    turned = [*TRIALS[31:], *TRIALS[:31]]
    (sign, numbers), (again, same) = (scored(trials, cluster=cluster) for trials in (TRIALS, turned))
    assert again == sign
    assert same == pytest.approx(numbers, rel=1e-9)


def test_whole_numbers_are_signed_as_decimals_are() -> None:
    entity = TRIALS[0].scene.entities[0]
    found = {
        signed(with_trial(0, scene=replace(TRIALS[0].scene, entities=(replace(entity, position=place),))))
        for place in ((3, 4), (3.0, 4.0))
    }
    assert len(found) == 1


def heard_rows(**changes) -> dict[str, str]:
    trials = [replace(t, **changes) if i == 3 else t for i, t in enumerate(TRIALS)]
    answers = [
        Response(trial=t.id, hearer=f"p{i % 7}", outcome=Outcome.ENTITY, entity=t.targets[0])
        for i, t in enumerate(TRIALS)
    ]
    return {r["measure"]: r["signature"] for r in make_hearing_rows(trials, answers)}


def test_results_of_hearers_are_signed_by_answers_and_labels() -> None:
    usual = heard_rows()
    assert len(set(usual.values())) == len(usual)
    for changes in ({"speaker": "another"}, {"targets": (other_entity(TRIALS[3]),)}):
        assert not set(heard_rows(**changes).values()) & set(usual.values())
    assert heard_rows(meta={"game": "a label that is not used"}) == usual


def test_differences_are_signed_by_both_systems() -> None:
    def sign(**outputs: str) -> str:
        texts = {"a": ["red", "blue", "red"], "b": ["red", "red", outputs.get("b", "red")]}
        return referee.compare(texts, references=["red", "blue", "red"], metric="string/exact").frame["signature"][0]

    assert sign() == sign() != sign(b="blue")


def test_a_plug_in_is_signed_by_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib
    import sys

    monkeypatch.syspath_prepend(str(tmp_path))
    signatures = set()
    # The second time the module itself changes, the third time one that it imports.
    for number, other in ((1, 1), (2, 1), (2, 2)):
        (tmp_path / "my_plug_in.py").write_text(
            f"import my_helper\n\n\nclass Mine:\n    constant = {number}\n", "utf-8"
        )
        (tmp_path / "my_helper.py").write_text(f"constant = {other}\n", "utf-8")
        sys.modules.pop("my_plug_in", None)
        importlib.invalidate_caches()
        _find_package_version.cache_clear()
        signatures.add(signature("mine", importlib.import_module("my_plug_in").Mine()))
    assert len(signatures) == 3
    assert all("package:my_plug_in-code-" in text for text in signatures)


def test_the_part_that_differs_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, metric in (("a", "set/dice"), ("b", "set/dice|multiset:yes")):
        assert main(["score", "--demo", "--metrics", metric, "--out", str(tmp_path / name)]) == 0
    text = referee.Run(tmp_path / "a").scores()[0]["signature"]
    capsys.readouterr()
    assert main(["signature", text, "--against", str(tmp_path / "a")]) == 0
    assert "The signature is the same." in capsys.readouterr().out
    assert main(["signature", text, "--against", str(tmp_path / "b")]) == 1
    assert "multiset: no in the signature, yes in the files" in capsys.readouterr().out


def test_a_signature_is_compared_with_a_corpus_and_outputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trial = '{"id": "t%d", "target": "a", "entities": [{"id": "a", "attributes": {"colour": "red"}}], "references": ["red"]}\n'
    (tmp_path / "corpus.jsonl").write_text("".join(trial % i for i in range(3)), "utf-8")
    rows = [{"trial": f"t{i}", "system": "one", "text": "red"} for i in range(3)]
    (signed,) = {r["signature"] for r in referee.score(rows, tmp_path / "corpus.jsonl", metrics=["string/exact"]).rows}
    for text, code in (("red", 0), ("blue", 1)):
        lines = "".join(f'{{"trial": "t{i}", "system": "one", "text": "{text}"}}\n' for i in range(3))
        (tmp_path / "outputs.jsonl").write_text(lines, "utf-8")
        files = [str(tmp_path / name) for name in ("corpus.jsonl", "outputs.jsonl")]
        assert main(["signature", signed, "--against", *files]) == code
    assert "outputs:" in capsys.readouterr().out
    rows = [
        {"trial": f"t{i}", "system": s, "text": text} for i in range(3) for s, text in (("one", "red"), ("two", "blue"))
    ]
    (tmp_path / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    options = {"metrics": ["string/exact"], "cluster": "none", "baseline": "two", "confidence": 0.9}
    for row in referee.score(rows, tmp_path / "corpus.jsonl", **options).rows:
        assert main(["signature", row["signature"], "--against", *files]) == 0


@pytest.mark.parametrize(("wrong", "is_warned"), [(1, True), (len(TRIALS) // 2, False)])
def test_the_line_under_a_table_warns_where_few_trials_have_another_value(wrong: int, is_warned: bool) -> None:
    properties = [[list(p) for p in t.references[0].properties or ()] for t in TRIALS]
    # The first have one property too few or too many: a Dice between 0 and 1.
    properties[:wrong] = [own[:-1] if len(own) > 1 else [*own, ["size", "odd"]] for own in properties[:wrong]]
    rows = [{"trial": t.id, "system": "one", "properties": p} for t, p in zip(TRIALS, properties, strict=True)]
    table = score_trials(open_outputs(rows), lambda: TRIALS, Settings(metrics=("set/dice",), cluster="speaker"))
    assert ("most values of set/dice are equal" in table.describe_clusters()) == is_warned
