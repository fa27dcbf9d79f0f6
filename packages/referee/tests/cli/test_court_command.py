"""`referee court` as a user meets it."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.corpora.jsonl import response_to_json, trials_to_json, write_json_line
from referee.corpora.synthetic.corpus import Synthetic
from referee.courtroom.heard_evidence import TrialSettings, try_runs
from referee.files import write_atomically
from referee.jobs.folder import Run, write_manifest
from referee.records import Outcome, Response

# Printed tables are tried once in each form: several tests look at the same page.
TRIED: dict[tuple[object, ...], tuple[int, str, str]] = {}


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    if args not in TRIED:
        code = main(["court", *map(str, args), "--details"])
        found = (code, *capsys.readouterr())
        if args[:1] != ("--published",):
            return found
        TRIED[args] = found
    return TRIED[args]


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


@pytest.fixture(scope="module")
def belz_gatt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of one court over the printed table of Belz & Gatt 2008, with what was printed as `printed.txt`."""
    folder = tmp_path_factory.mktemp("courts") / "court"
    with redirect_stdout(StringIO()) as printed:
        assert main(["court", "--published", "belz-gatt-2008", "--details", "--out", str(folder)]) == 0
    (folder / "printed.txt").write_text(printed.getvalue(), "utf-8")
    return folder


def test_the_printed_table_is_shown_with_what_one_system_does_to_it(belz_gatt: Path) -> None:
    out = (belz_gatt / "printed.txt").read_text("utf-8")
    (row,) = [line for line in out.splitlines() if line.split()[:2] == ["Dice", "IT"]]
    assert row.split()[2:4] == ["15", "-.28"]
    assert "+.42 (IS-FBS)" in row
    assert "Dice predicts 0 of 5 hearer measures" in out
    assert {p.name for p in belz_gatt.iterdir()} == {"court.json", "court.txt", "court.svg", "printed.txt"}
    drawn = (belz_gatt / "court.svg").read_text("utf-8")
    assert drawn.startswith("<svg")
    assert "MASI" in drawn


LONGER = [pytest.param(name, marks=pytest.mark.long) for name in ("belz-gatt-2008", "tuna2008", "tunareg2009")]


@pytest.mark.parametrize("name", ["refoi-2025", *LONGER])
def test_every_printed_table_gives_json_with_n_beside_every_coefficient(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    code, out, _ = run(capsys, "--published", name, "--format", "json")
    data = json.loads(out)
    assert code == 0
    assert data["evidence"]
    assert all(isinstance(e["n"], int) and e["pearson"]["n"] == e["n"] for e in data["evidence"])
    assert set(data["verdicts"]) == {c["automatic"] for c in data["cases"]}


def test_a_published_table_is_tried_as_printed_and_as_corrected(belz_gatt: Path) -> None:
    # Belz & Gatt 2008: with 2892 for NIL under RIT (the audit's register), ROUGE-SU4 against RIT goes from +.78 to +.29 (numpy.corrcoef)
    data = json.loads((belz_gatt / "court.json").read_text("utf-8"))
    found = {(e["as"], e["automatic"], e["hearer"]): e["pearson"]["r"] for e in data["evidence"]}
    assert found["printed", "RSU4", "RIT"] == pytest.approx(0.78, abs=0.005)
    assert found["corrected", "RSU4", "RIT"] == pytest.approx(0.29, abs=0.005)
    assert found["printed", "Dice", "IT"] == found["corrected", "Dice", "IT"]
    (correction,) = data["corrections"]
    assert (correction["row"], correction["column"], correction["from"]) == ("NIL", "RIT", "1960.31")
    low, high = correction["to"]
    assert low < correction["used"] < high
    on_rit = [c for c in data["changes"] if c["hearer"] == "RIT"]
    assert (len(on_rit), sum(c["turned"] for c in on_rit), len(data["changes"])) == (9, 1, 9)
    assert all(c["holds"] for c in on_rit)
    assert {c["as"] for c in data["cases"]} == {"printed", "corrected"}
    assert data["verdicts"]["Min"] != data["verdicts_as_printed"]["Min"]
    # without families five change, as was found before entries of one team had one vote
    votes = {v["automatic"]: v for v in data["single_votes"] if v["hearer"] == "RIT"}
    assert {name for name, v in votes.items() if v["turned"]} == {"Min", "RSU4", "R2", "NIST", "BLEU"}
    assert not any(v["turned"] for v in data["single_votes"] if v["hearer"] != "RIT")
    assert len(data["single_votes"]) == 45


def test_verdicts_come_first_and_then_what_corrections_change(belz_gatt: Path) -> None:
    out = (belz_gatt / "printed.txt").read_text("utf-8")
    heads = [
        "Verdicts (as corrected)",
        "Effects of the corrections",
        "all domains, systems (as corrected)",
        "Case by case",
    ]
    places = [out.index(head) for head in heads]
    assert places == sorted(places)
    assert "the midpoint 2892." in out
    assert (
        "1 of 9 verdicts on these pairs change (5 of 9 if every system counts as one), 36 pairs are not affected."
        in out
    )
    assert "if every system counted as one (15 systems, not 8 families): 14 of 45 findings would be others" in out
    assert "They are the same over the whole interval of the corrections." in out


def test_exchanged_columns_are_a_correction_like_any_other(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--published", "tuna2008", "--format", "json")
    found = {(e["as"], e["automatic"], e["hearer"]): e for e in json.loads(out)["evidence"] if e["domain"] is None}
    for hearer in ("RT", "IT", "ER"):
        assert found["printed", "BLEU", hearer]["pearson"] == found["corrected", "NIST", hearer]["pearson"]
        assert found["printed", "NIST", hearer]["pearson"] == found["corrected", "BLEU", hearer]["pearson"]


def test_a_table_without_corrections_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--published", "refoi-2025")
    assert "No correction in the register of errors concerns these columns" in out
    _, out, _ = run(capsys, "--published", "refoi-2025", "--format", "json")
    data = json.loads(out)
    rows = {way: [{**e, "as": ""} for e in data["evidence"] if e["as"] == way] for way in ("printed", "corrected")}
    assert data["corrections"] == data["changes"] == []
    assert rows["printed"] == rows["corrected"]


MINE = """system,automatic:mine,automatic:flat,hearer:found,hearer:seconds:lower,domain
one,1,5,.1,9,
two,2,5,.3,8,
three,3,5,.2,7,
four,4,5,.6,5,
five,5,5,.7,4.5,
human,9,5,.1,10,
one,1,5,.5,9,maps
two,2,5,.4,9,maps
three,3,5,.3,,maps
four,4,5,.2,9,maps
"""


def test_a_table_of_ones_own_is_tried_by_domain_and_with_people_apart(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, _ = run(capsys, write(tmp_path / "mine.csv", MINE), "--format", "json")
    data = json.loads(out)
    found = {(e["domain"], e["rows"], e["automatic"], e["hearer"]): e for e in data["evidence"]}
    assert code == 0
    assert data["people"] == ["human"]
    assert {e["as"] for e in data["evidence"]} == {"printed"}
    assert data["corrections"] == []
    overall = found[None, "systems", "mine", "seconds"]
    assert (overall["n"], overall["sign"], overall["accuracy"]) == (5, -1, 1.0)
    assert found[None, "systems and people", "mine", "seconds"]["n"] == 6
    assert found["maps", "systems", "mine", "seconds"]["n"] == 3
    assert found["maps", "systems", "mine", "seconds"]["pearson"]["r"] is None
    assert found["maps", "systems", "mine", "found"]["pearson"]["r"] == pytest.approx(-1)
    assert found[None, "systems", "flat", "found"]["pearson"]["r"] is None


def test_what_is_not_defined_is_a_dash(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, out, _ = run(capsys, write(tmp_path / "mine.csv", MINE))
    row = next(line for line in out.splitlines() if line.split()[:2] == ["flat", "found"])
    assert row.split() == ["flat", "found", "5", *["–"] * 8]
    assert (
        "pairs cannot be tested: one of the two measures does not vary over the systems, or over all systems but one: flat."
        in out
    )


def test_one_system_is_a_clear_outcome(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(
        capsys, write(tmp_path / "one.csv", "system,automatic:a,hearer:h\nx,1,2\n"), "--out", tmp_path / "o"
    )
    assert code == 0
    assert "a → h: cannot be tested: only 1 system with both values" in out


def test_what_cannot_be_tried_is_said_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = "system,automatic:a,automatic:b,automatic:c,hearer:h,hearer:k\nx,1,2,,3,4\ny,2,3,,4,5\n"
    _, out, _ = run(capsys, write(tmp_path / "two.csv", table))
    assert "  4 pairs cannot be tested: only 2 systems with both values (at least 4 are needed): a, b." in out
    assert "  2 pairs cannot be tested: no system with both values (at least 4 are needed): c." in out
    assert "  no values: c" in out
    assert out.count("cannot be tested:") == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("system,automatic:a\nx,1\n", "not a table of systems and measures"),
        ("system,automatic:a,hearer:h\n", "not a table of systems and measures"),
        ("system,automatic:a,hearer:h\nx,many,2\n", ":2: column 'automatic:a' contains 'many'"),
        ("system,automatic:a,hearer:h\nx,1,2\nx,1,2\n", ":3: the system 'x' has a second row"),
        ("system,human,automatic:a,hearer:h\nx,maybe,1,2\n", "column 'human' contains 'maybe'"),
        ("system,automatic:a,hearer:h\nx,inf,2\ny,1,2\n", ":2: column 'automatic:a' contains 'inf'"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused_with_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, told: str
) -> None:
    code, _, err = run(capsys, write(tmp_path / "bad.csv", text))
    assert code == 2
    assert told in err


def test_nothing_to_try_and_unknown_names_say_what_there_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for args in (
        (),
        ("--published", "nobody-1999"),
        (tmp_path,),
        (tmp_path / "none.csv",),
        ("x.csv", "--published", "tuna2008"),
    ):
        code, out, err = run(capsys, *args)
        assert (code, out) == (2, "")
        assert "→" in err


def make_run(folder: Path, right: dict[str, list[bool]]) -> Path:
    """A scored run of invented systems whose people found what `right` says, 100 ms faster for every point of Dice."""
    import polars as pl

    folder.mkdir()
    trials = list(Synthetic(speakers=1).trials())[: len(next(iter(right.values())))]
    values = {
        (system, trial.id): (k + 1) / 10 if ok else 0.05 * i
        for k, (system, oks) in enumerate(right.items())
        for i, (trial, ok) in enumerate(zip(trials, oks, strict=True))
    }
    write_manifest(folder, kind="scores")
    write_atomically(folder / "trials.jsonl", map(write_json_line, trials_to_json(trials)))
    rows: list[dict[str, Any]] = [
        {"system": s, "trial": t, "metric": "set/dice", "value": v} for (s, t), v in values.items()
    ]
    pl.DataFrame(rows).write_parquet(folder / "items.parquet")
    mean = {s: sum(v for (x, _), v in values.items() if x == s) / len(trials) for s in right}
    scores = [{"system": s, "group": None, "metric": "set/dice", "value": mean[s], "n": len(trials)} for s in right]
    write_atomically(folder / "scores.jsonl", map(write_json_line, scores))
    responses = [
        Response(
            trial=t.id,
            hearer="p1",
            system=s,
            outcome=Outcome.ENTITY,
            entity=t.targets[0] if ok else next(e.id for e in t.scene.entities if e.id not in t.targets),
            identification_ms=2000 - 1000 * values[s, t.id],
        )
        for s, oks in right.items()
        for t, ok in zip(trials, oks, strict=True)
    ]
    write_atomically(folder / "responses.jsonl", (write_json_line(response_to_json(r)) for r in responses))
    return folder


def test_a_run_is_tried_over_systems_and_over_items(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    right = {f"s{k}": [i < k for i in range(5)] for k in range(1, 6)}
    code, out, _ = run(capsys, make_run(tmp_path / "run", right), "--format", "json", "--resamples", 20)
    data = json.loads(out)
    assert code == 0
    (found,) = [e for e in data["evidence"] if e["hearer"] == "people: ir"]
    assert (found["n"], found["accuracy"]) == (5, 1.0)
    items = {i["hearer"]: i["found"] for i in data["items"]}
    assert items["people: success"]["n"] == 25
    assert items["people: success"]["clusters"] == 5
    assert items["people: success"]["value"] > 0.9
    assert items["people: identification_ms"]["value"] == pytest.approx(-1)


def simulate(folder: Path, signed: str = "") -> Path:
    """The same answers, as those of a simulated hearer called echo."""
    run = Run(folder)
    lines = [replace(r, hearer="echo", probabilities=((r.entity or "", 1.0),)) for r in run.responses()]
    write_atomically(folder / "responses.jsonl", (write_json_line(response_to_json(r)) for r in lines))
    write_manifest(folder, kind="scores", corpus={"name": "synthetic"}, hearers={"echo": f"echo{signed}"})
    return folder


EIGHT = {f"s{k}": [i < k for i in range(8)] for k in range(1, 9)}
CARD = {"hearer": "echo", "corpus": "degen2020", "verdict": "use with care", "hash": "0123456789abcdef"}


def test_people_are_predicted_and_a_simulated_hearer_only_with_a_passport(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_run(tmp_path / "run", EIGHT)
    findings = []
    for signed in (None, "", "|passport:degen2020:0123456789ab:use-with-care"):
        if signed is not None:
            simulate(folder, signed)
        monkeypatch.setattr("referee.hearers.passports.cards.read_run_cards", lambda folder: {"0123456789ab": CARD})
        code, out, err = run(capsys, folder, "--format", "json", "--resamples", 20)
        data = json.loads(out)
        assert code == 0
        findings.append({c["hearer"].rpartition(": ")[2]: c["finding"] for c in data["cases"]}["ir"])
        assert (
            data["counts"]["pairs"]
            == data["counts"]["tried"] + data["counts"]["cannot be tried"] + data["counts"]["no passport"]
        )
    assert findings == ["predicts", "no passport", "predicts a simulated hearer"]
    assert "The passport of echo was made on degen2020, and this is synthetic" in err
    assert data["warnings"] == [err.strip().removeprefix("warning: ")]
    _, page, _ = run(capsys, folder, "--resamples", 20)
    assert "Warning: The passport of echo was made on degen2020" in page
    assert "holds for echo: success (a simulated hearer)" in page


def test_counts_on_the_page_add_up(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, out, _ = run(capsys, write(tmp_path / "mine.csv", MINE))
    (line,) = [line for line in out.splitlines() if line.startswith("Of ")]
    assert line == "Of 8 pairs of measures: 3 tried, 5 cannot be tested"
    data = json.loads(run(capsys, tmp_path / "mine.csv", "--format", "json")[1])
    assert data["counts"] == {"pairs": 8, "tried": 3, "cannot be tried": 5, "no passport": 0}
    assert sum(f["count"] for f in data["findings"]) == 8
    assert len([c for c in data["cases"] if c["finding"] == "untried"]) == 5


def test_what_needs_items_says_so_and_printed_means_have_an_unknown_error(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--published", "refoi-2025")
    assert "Soft pairwise accuracy, accuracy with ties: needs items" in out
    assert "error of means unknown" in out
    data = json.loads(run(capsys, "--published", "refoi-2025", "--format", "json")[1])
    assert (data["rankings"], data["rankings_note"]) == ([], "needs items")
    assert data["error_of_means"] == "error of means unknown"
    assert all(e["noise"] is None for e in data["evidence"])


def test_a_run_has_rankings_noise_and_a_ceiling(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, out, _ = run(capsys, make_run(tmp_path / "run", EIGHT), "--format", "json", "--resamples", 20)
    data = json.loads(out)
    (ranking,) = data["rankings"]
    assert (ranking["systems"], ranking["items"], ranking["soft_rank"]) == (8, 8, 1)
    assert 0.5 < ranking["soft_accuracy"] <= 1
    assert ranking["chance"] is not None
    (found,) = [e for e in data["evidence"] if e["hearer"] == "people: ir"]
    assert found["noise"]["draws"] > 10
    assert found["ceiling"]["ceiling"] <= 1
    assert data["error_of_means"] == "from answers"


def test_answers_are_drawn_by_what_was_sampled_or_as_asked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", EIGHT)

    def over(cluster: str) -> str:
        _, out, _ = run(capsys, folder, "--format", "json", "--resamples", 5, "--cluster", cluster)
        return str(json.loads(out)["items"][0]["over"])

    assert over("scene") == "8 scenes"
    assert over("none") == "8 items"
    code, _, err = run(capsys, folder, "--cluster", "moon")
    assert code == 2
    assert "--cluster cannot be 'moon'" in err


def test_the_same_system_in_two_runs_is_told_apart(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    runs = [make_run(tmp_path / name, {"s": [True, ok, True]}) for name, ok in (("a", True), ("b", False))]
    _, out, _ = run(capsys, *runs, "--format", "json", "--resamples", 0)
    assert {e["n"] for e in json.loads(out)["evidence"]} == {2}


def test_a_run_without_answers_or_scores_says_what_to_do(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", {"s": [True, True]})
    (folder / "responses.jsonl").unlink()
    code, _, err = run(capsys, folder)
    assert code == 2
    assert "referee listen" in err
    (folder / "scores.jsonl").unlink()
    assert "no scores" in run(capsys, folder)[2]


def sign_run(folder: Path, *others: Path, **options: Any) -> str:
    settings = TrialSettings(**{"resamples": 3, "permutations": 0, **options})
    return try_runs([folder, *others], settings).signature


def test_a_court_on_runs_signs_what_it_uses_and_nothing_else(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", {f"s{k}": [i < k for i in range(5)] for k in range(1, 4)})
    signed = sign_run(folder)
    assert sign_run(folder.rename(tmp_path / "elsewhere")) == signed
    folder = tmp_path / "elsewhere"
    different = {
        signed,
        sign_run(folder, seed=2),
        sign_run(folder, resamples=4),
        sign_run(folder, permutations=5),
        sign_run(folder, cluster="participant"),
    }
    other = make_run(tmp_path / "other", {"s1": [True] * 5, "s9": [False] * 5})
    assert sign_run(folder, other) == sign_run(other, folder)
    files = {name: (folder / name).read_text("utf-8") for name in ("responses.jsonl", "scores.jsonl", "trials.jsonl")}
    changes = {"responses.jsonl": ('"p1"', '"p2"'), "scores.jsonl": ("0.", "1."), "trials.jsonl": ('"small"', '"tiny"')}
    for name, (old, new) in changes.items():
        write(folder / name, "".join(reversed(files[name].splitlines(keepends=True))))
        assert sign_run(folder) == signed
        (sheet,) = try_runs([folder], TrialSettings(resamples=3, permutations=0)).sheets
        assert sheet.systems == ("s1", "s2", "s3")  # rows are permuted by place
        assert old in files[name]
        write(folder / name, files[name].replace(old, new, 1))
        different.add(sign_run(folder))
        write(folder / name, files[name])
    outputs = [json.dumps({"trial": "t", "system": "s1", "text": text}) + "\n" for text in ("cup", "mug")]
    for output in outputs:
        write(folder / "outputs.jsonl", output)
        different.add(sign_run(folder))
    assert len(different) == 10
    shapes = [["colour", "red"], ["type", "cup"]]
    for properties in (shapes, shapes[::-1]):
        write(folder / "outputs.jsonl", json.dumps({"trial": "t", "system": "s1", "properties": properties}) + "\n")
        different.add(sign_run(folder))
    assert len(different) == 11  # the order of properties says nothing


TABLE = [
    ["system", "automatic:dice", "hearer:ir", "hearer:time:lower"],
    *([f"s{k}", f"0.{k}", f"0.{(3 * k) % 8}", f"{100 * (k % 5)}"] for k in range(1, 8)),
]


def write_table(path: Path, rows: list[list[str]]) -> Path:
    return write(path, "".join(",".join(row) + "\n" for row in rows))


def test_a_court_on_a_table_has_numbers_and_a_signature_that_no_order_changes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    turned = [[row[0], *reversed(row[1:])] for row in (TABLE[0], *reversed(TABLE[1:]))]
    data, other = (
        json.loads(run(capsys, write_table(tmp_path / f"{i}.csv", rows), "--format", "json")[1])
        for i, rows in enumerate((TABLE, turned))
    )
    assert other["signature"] == data["signature"]
    assert other["findings"] == data["findings"]
    r, turned_r = ({(e["automatic"], e["hearer"]): e["pearson"] for e in d["evidence"]} for d in (data, other))
    assert turned_r == r
    assert run(capsys, tmp_path / "0.csv")[1].splitlines()[-1] == f"Signature: {data['signature']}"
    write(tmp_path / "court.json", json.dumps(data))
    changed = [*TABLE[:-1], [*TABLE[-1][:-1], "201"]]
    for rows, seed, parts in ((turned, 1, set()), (TABLE, 2, {"seed"}), (changed, 1, {"table"})):
        content = run(capsys, write_table(tmp_path / "2.csv", rows), "--seed", seed, "--format", "json")[1]
        signature = json.loads(content)["signature"]
        code = main(["signature", signature, "--against", str(tmp_path / "court.json"), "--format", "json"])
        found = json.loads(capsys.readouterr().out)
        assert (code, set(found["differences"])) == (int(bool(parts)), parts)
