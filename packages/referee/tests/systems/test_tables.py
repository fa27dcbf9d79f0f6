"""The tables of systems agree with the catalogue, and every row keeps the contract of a speaker."""

from __future__ import annotations

import ast
import json
import pickle
import re
from itertools import islice
from pathlib import Path

import pytest

from referee import catalogue
from referee.capabilities import learns
from referee.contracts import Speaker
from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import NotTrained, UnknownName
from referee.records import Trial
from referee.signature import signature
from referee.systems import asgre2007, baselines, classics, tuna2008_as, tuna2008_r, tuna2008_reg, tunareg2009, variants
from referee.systems.entries import FAITHFUL, LABELS, MEDIUM
from referee.systems.roster import iterate_rows

TABLES = {
    "asgre2007": asgre2007,
    "tuna2008-as": tuna2008_as,
    "classic": classics,
    "variants": variants,
    "baseline": baselines,
}
NAMES = [(group, name) for group, table in TABLES.items() for name in table.TABLE]
SLOW = {"OSU-GP.evolved", "rsa.learned"}
UNTRAINED = {
    "gradable",
    "salient",
    *(
        "CAM-B",
        "CAM-BU",
        "IS-FBS",
        "IS-FBS-submitted",
        "JU-PTBSGRE",
        "ATT-FB-m",
        "ATT-FB-m.first",
        "OSU-GP",
        "IS-FBS-submitted.no-location",
    ),
    *(
        "full-brevity",
        "greedy",
        "relational",
        "incremental",
        "boolean",
        "rsa",
        "rsa.salience",
        "rsa.continuous",
        "rsa.incremental",
    ),
    *("everything", "type", "random"),
}


@pytest.fixture(scope="module")
def invented() -> list[Trial]:
    """Sixty invented trials of both domains."""
    return list(islice(Synthetic().trials(), 60))


def test_the_challenges_have_sixteen_and_fourteen_entries() -> None:
    assert (len(asgre2007.TABLE), len(tuna2008_as.TABLE)) == (16, 14)


@pytest.mark.parametrize(("group", "name"), NAMES)
def test_the_catalogue_tells_the_same_as_the_table(group: str, name: str) -> None:
    entry = catalogue.entry("system", f"{group}/{name}")
    assert entry.tags == TABLES[group].TABLE[name].tags
    assert entry.tags["evidence"] in LABELS
    assert catalogue.create("system", f"{group}/{name}").selector.__class__ is TABLES[group].TABLE[name].selector.load()


def test_what_was_fitted_to_print_says_so_and_is_not_called_faithful() -> None:
    """Every setting that the scores of print decided: the three that collapse on the test set, and the window of PermuteRank."""
    fitted = {name: row for table in (tuna2008_as, tuna2008_r, tuna2008_reg) for name, row in table.TABLE.items()}
    for name in (
        "ATT-FB-f",
        "ATT-FB-sf",
        "ATT-FB-sr",
        "ATT-PermuteRank",
        *(n for n in tuna2008_reg.TABLE if n.endswith("-ws")),
    ):
        assert fitted[name].fitted
        assert fitted[name].evidence != FAITHFUL
    assert fitted["ATT-PermuteRank-ws"].fitted == ("known_only=True", 'pick="last"', "window=None")
    reconstructed = (tuna2008_r.TABLE["DIT-CBSR"], tuna2008_r.TABLE["GRAPH-2009"], tunareg2009.TABLE["GRAPH"])
    classic = (classics.TABLE[n] for n in ("graph", "rsa", "rsa.learned", "partitioned"))
    assert {row.evidence for row in (*reconstructed, *classic)} == {MEDIUM}


def test_the_list_shows_evidence_what_was_fitted_and_what_is_mended(capsys: pytest.CaptureFixture[str]) -> None:
    from referee.cli.names import run

    assert run(["systems", "--format", "json"]) == 0
    listed = {row["name"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert all({"evidence", "fitted", "mended"} <= set(row) for row in listed.values())
    assert listed["tuna2008-as/ATT-FB-sf"]["fitted"] == ["known_only=True", 'pick="last"']
    assert listed["classic/greedy"]["fitted"] == []
    assert (listed["classic/greedy"]["mended"], listed["tuna2008-reg/IS-FP-GT"]["mended"]) == (False, True)
    assert run(["systems"]) == 0
    head = capsys.readouterr().out.splitlines()[0].split()
    assert head == ["name", "team", "year", "task", "evidence", "fitted", "mended", "learns", "about"]


def test_the_catalogue_has_no_entry_that_a_table_lacks() -> None:
    listed = {n for n in catalogue.KINDS["system"] if n.partition("/")[0] in TABLES}
    assert listed == {f"{group}/{name}" for group, name in NAMES}


@pytest.mark.parametrize(("group", "name"), [n for n in NAMES if n[1] not in SLOW])
def test_every_system_says_only_what_is_true_and_says_it_again_after_a_journey(
    group: str, name: str, invented: list[Trial]
) -> None:
    system = TABLES[group].system(name).fit(iter(invented[:40]))
    assert isinstance(system, Speaker)
    travelled = pickle.loads(pickle.dumps(system))
    for trial in invented[40:]:
        view = trial.for_speaker()
        description = system.describe(view)
        said = description.properties
        assert said
        assert len(set(said)) == len(said)
        # Quoted words are about another target.
        is_true = view.target_mask & ~view.scene.denotation(description.meaning or said) == 0
        assert name == "nearest-words" or is_true
        assert travelled.describe(view).properties == said


@pytest.mark.parametrize(("group", "name"), [n for n in NAMES if n[1] != "partitioned"])  # it learns for plurals only
def test_systems_that_learn_say_so_when_they_have_not(group: str, name: str, invented: list[Trial]) -> None:
    view = invented[0].for_speaker()
    if name in UNTRAINED:
        assert TABLES[group].system(name).describe(view).properties
    else:
        with pytest.raises(NotTrained):
            TABLES[group].system(name).describe(view)


@pytest.mark.parametrize("table", TABLES.values())
def test_settings_show_in_the_signature(table: object) -> None:
    rows = table.TABLE  # type: ignore[attr-defined]
    written = {name: signature(rows[name].selector.where, table.selector(name)) for name in rows}  # type: ignore[attr-defined]
    words = {name: None if rows[name].realiser is None else rows[name].realiser.where for name in rows}
    assert len({(written[name], words[name]) for name in rows}) == len(rows)


def test_what_one_system_learns_another_of_the_same_name_does_not(invented: list[Trial]) -> None:
    asgre2007.system("GRAPH-SC").fit(invented)
    with pytest.raises(NotTrained):
        asgre2007.system("GRAPH-SC").describe(invented[0].for_speaker())


@pytest.mark.parametrize("table", TABLES.values())
def test_a_mistyped_name_is_answered_with_a_suggestion(table: object) -> None:
    name = next(iter(table.TABLE))  # type: ignore[attr-defined]
    with pytest.raises(UnknownName, match=name.replace("+", r"\+")):
        table.selector(f"{name}x")  # type: ignore[attr-defined]


LATER = (
    "pro",
    "rsa.salience",
    "rsa.continuous",
    "rsa.incremental",
    "visible-objects",
    "speaker-trees",
    "log-linear",
    "support-vectors",
)


@pytest.mark.parametrize("name", LATER)
def test_every_later_speaker_has_its_source_its_label_and_a_worked_example(name: str) -> None:
    """The source stands in the row and on the page; the example in a test of the class, whose text says where its values come from."""
    row, here = classics.TABLE[name], Path(__file__).parents[1]
    made = row.selector.load().__name__
    page = (here.parents[2] / "docs" / "selection.md").read_text(encoding="utf-8")
    assert row.team
    assert row.evidence in LABELS
    line = next((x for x in page.splitlines() if x.startswith("|") and f".{made}" in x), "")
    assert re.search(r"\b(19|20)\d\d\b", line), f"docs/selection.md has no row with the source of {made}"
    files = [f.read_text(encoding="utf-8") for f in (here / "selection").glob("test_*.py")]
    tests = [n for text in files for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
    worked = [
        t.name for t in tests if f"{made}(" in ast.unparse(t) and "by hand" in (ast.get_docstring(t) or "").lower()
    ]
    assert worked, made


def test_the_page_has_the_labels_of_the_tables() -> None:
    """docs/systems.md says of every entry of the two challenges what its row says: its evidence, and whether anything was fitted."""
    page = (Path(__file__).parents[4] / "docs" / "systems.md").read_text(encoding="utf-8")
    labels = re.findall(
        r"^\| ([A-Z][\w+-]*)[^|]* \| ((?:faithful|reconstructed|low confidence|stand-in)(?:, fitted)?) \|",
        page,
        re.MULTILINE,
    )
    known = {**tuna2008_as.TABLE, **asgre2007.TABLE}
    assert len(labels) == len(asgre2007.TABLE) + len(tuna2008_as.TABLE) - 3, (
        "ATT-DR-sf and ATT-FB-sf, -sr share a line with others"
    )
    for name, label in labels:
        assert label == known[name].evidence + (", fitted" if known[name].fitted else ""), name


def test_rows_state_whether_a_system_must_be_trained() -> None:
    stated = {f"{group}/{name}": row.learns for group, name, _, row in iterate_rows()}
    built = {name: learns(catalogue.create("system", name)) for name in stated}
    assert stated == built
