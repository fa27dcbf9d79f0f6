"""The realisers of TUNA-R: all that are in print, and near their printed development scores where speakers are known."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from referee import catalogue
from referee.auditing.paper import read_shipped_paper
from referee.contracts import Batch
from referee.errors import UnknownName
from referee.records import Description, Trial
from referee.systems import tuna2008_r, tuna2008_reg, tunareg2009

Scores = Mapping[str, Mapping[str, float]]


def test_all_five_entries_in_print_are_there() -> None:
    printed = read_shipped_paper("tuna-2008").tables["table6"].labels
    assert set(tuna2008_r.SUBMITTED) == set(printed)
    assert set(tuna2008_r.SUBMITTED) <= set(tuna2008_r.TABLE)


@pytest.mark.parametrize("module", [tuna2008_r, tuna2008_reg, tunareg2009])
def test_the_catalogue_tells_the_same_as_the_tables(module: object) -> None:
    group = {tuna2008_r: "tuna2008-r", tuna2008_reg: "tuna2008-reg", tunareg2009: "tunareg2009"}[module]  # type: ignore[index]
    listed = {n: e for n, e in catalogue.KINDS["system"].items() if n.startswith(f"{group}/")}
    table = module.TABLE  # type: ignore[attr-defined]
    assert {n: (e.about, dict(e.tags)) for n, e in listed.items()} == {
        f"{group}/{name}": (row.about, row.tags) for name, row in table.items()
    }


@pytest.mark.parametrize("name", tuna2008_r.TABLE)
def test_every_realiser_is_built_anew_and_speaks_after_training(name: str) -> None:
    from referee.corpora.synthetic.corpus import Synthetic

    trials = list(Synthetic(speakers=4).trials())
    first, second = (catalogue.create("system", f"tuna2008-r/{name}") for _ in range(2))
    assert first is not second
    trained = first.fit(trials)
    texts = [trained.realise(t.references[0].properties, t.for_speaker()) for t in trials]
    assert sum(map(bool, texts)) > 0.9 * len(texts)


def test_an_unknown_name_is_answered_with_a_near_one() -> None:
    with pytest.raises(UnknownName, match="did you mean DIT-CBSR"):
        tuna2008_r.system("DIT-CBRS")


class Development(dict[str, dict[str, float]]):
    """Scores by system on a fifth of the corpus whose speakers were met in training, as on the challenge's development set; each worked out when asked for."""

    def __init__(self, trials: list[Trial]) -> None:
        from referee.corpora.splits import split_trials

        self.train, self.test = split_trials(trials, "challenge-80/20")

    def __missing__(self, name: str) -> dict[str, float]:
        self[name] = _score(tuna2008_r.system(name).fit(self.train), self.test)
        return self[name]

    def all(self) -> Scores:
        return {name: self[name] for name in tuna2008_r.TABLE}


@pytest.fixture(scope="module")
def development(trials: list[Trial]) -> Development:
    return Development(trials)


def _score(realiser: object, test: list[Trial]) -> dict[str, float]:
    said = [realiser.realise(t.references[0].properties, t.for_speaker()) for t in test]  # type: ignore[attr-defined]
    batch = Batch.of([Description(text=text) for text in said], test)
    return {n: catalogue.create("metric", f"string/{n}").score(batch).value for n in ("edit", "edit.1", "exact")}


# Development scores over both domains as the teams printed them (Di Fabbrizio et al. 2008; Gervás et al. 2008; Bohnet 2008; Kelleher & Mac Namee 2008).
# Dublin's values are near ours only with substitution 1, the others with 2: docs/realisation.md.
PRINTED = {
    "ATT-PermuteRank": ("edit", 5.25),
    "ATT-Template": ("edit", 4.73),
    "ATT-TemplateS": ("edit", 3.86),
    "NIL-UCM-BSC": ("edit", 4.54),
    "IS-GT": ("edit", 3.405),
    "DIT-RBR": ("edit.1", 3.851),
    "DIT-CBSR": ("edit.1", 4.34),
}


@pytest.mark.data
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.long] if n == "ATT-PermuteRank" else []) for n in PRINTED]
)
def test_realisers_come_near_their_printed_development_scores(name: str, development: Development) -> None:
    """Within 0.8 words of print; the challenge's own split, spelling corrections and hand-made grammars cannot be had."""
    metric, printed = PRINTED[name]
    assert development[name][metric] == pytest.approx(printed, abs=0.8)


@pytest.mark.data
@pytest.mark.long
def test_those_who_know_their_speaker_do_best(development: Development) -> None:
    """As in print: IS-GT and ATT-TemplateS have the smallest edit distance and the most exact strings."""
    development = development.all()
    best = sorted(development, key=lambda name: development[name]["edit"])[:2]
    assert set(best) == {"IS-GT", "ATT-TemplateS"}
    assert sorted(development, key=lambda name: -development[name]["exact"])[0] == "IS-GT"


@pytest.mark.data
@pytest.mark.long
def test_the_converter_is_far_from_how_people_speak(development: Development) -> None:
    development = development.all()
    assert max(development, key=lambda name: development[name]["edit"]) == "organisers"
