"""A study of systems in contexts: lists counted by hand, cells that are too small refused, and its tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from situations import dialogue, handled, said

from referee.errors import InputError, UnknownName
from referee.records import Description, Entity, Outcome, Response, Scene, Trial
from referee_lab.study.design.balance import prove_balance
from referee_lab.study.folder.draft import write_study
from referee_lab.study.texts import LANGUAGES, get_voices_sentence, read_default_pages
from referee_lab.tangram.desk import context_study
from referee_lab.tangram.desk.clip_study import ClipStudyOptions, make_bot_sessions
from referee_lab.tangram.desk.context_study import ContextStudy, estimate_power, prepare_context_study
from referee_lab.tangram.evaluation.task_performance import evaluate
from referee_lab.tangram.game.dialogue_sessions import DialogueSession

pytestmark = pytest.mark.slow
CELLS = ("human@both", "human@none", "classic/incremental@both", "classic/incremental@none")


@pytest.fixture(scope="module")
def sessions() -> list[DialogueSession]:
    return make_bot_sessions(6)


@pytest.fixture(scope="module")
def prepared(sessions: list[DialogueSession]) -> ContextStudy:
    wanted = ClipStudyOptions(id="ctx", participants=8, practice=1)
    # 35 items asked for: 32 are 8 for each of 4 cells.
    return prepare_context_study(sessions, wanted, ["human", "incremental", "human"], ["both", "none"], items=35)


def test_every_list_has_every_item_once_and_every_cell_equally_often(prepared: ContextStudy) -> None:
    lists = prepared.draft.layout.lists
    assert (len(lists), prepared.items_per_cell) == (4, 8)
    for rows in lists:
        assert Counter(condition for _, condition in rows.trials) == dict.fromkeys(CELLS, 8)
        assert len({item for item, _ in rows.trials}) == 32
    seen = Counter(pair for rows in lists for pair in rows.trials)
    assert len(seen) == 4 * 32
    assert set(seen.values()) == {1}


def test_a_trial_has_the_words_of_every_system_and_a_clip_for_every_context(prepared: ContextStudy) -> None:
    for trial in prepared.draft.trials:
        shown, clips = trial.meta["shown"], trial.meta["clips"]
        assert set(shown) == set(CELLS)
        assert set(clips) == {"both", "none"}
        assert trial.meta["game"] == trial.speaker
        # What happened before is seen with both events and not without.
        assert (
            clips["both"]["start_ms"] < clips["none"]["start_ms"] < clips["none"]["end_ms"] == clips["both"]["end_ms"]
        )
        for cell in CELLS:
            first, last = shown[cell]["span"]
            said = shown[cell]["text"][first:last]
            assert said == trial.references[0].text if cell.startswith("human") else said.startswith("the ")


@pytest.mark.parametrize(
    ("systems", "contexts", "items", "problem"),
    [
        (["human", "that"], ["both"], 12, "6 items, fewer than 8"),
        (
            ["human", "that"],
            ["both", "mention", "action", "none"],
            None,
            "0 references with the mention as the later event",
        ),
        (["human"], ["both"], None, "two systems"),
        (["human", "bogus"], ["both"], None, "'bogus'"),
        (["human", "that"], ["some"], None, "'some'"),
        (["human", "that", "graph"], ["both"], None, "cannot be divided evenly among 3 lists"),
    ],
)
def test_what_cannot_be_a_study_is_refused(
    systems: list[str], contexts: list[str], items: int | None, problem: str, sessions: list[DialogueSession]
) -> None:
    with pytest.raises((InputError, UnknownName), match=problem):
        prepare_context_study(sessions[:3], ClipStudyOptions(id="x", participants=8), systems, contexts, items)


def test_answers_are_compared_with_those_to_peoples_words_in_each_context(prepared: ContextStudy) -> None:
    """People's words are always understood, the system's in every second trial."""
    responses = []
    for number, rows in enumerate(prepared.draft.layout.lists):
        for person in range(2):
            for place, (id, condition) in enumerate(rows.trials):
                trial = next(t for t in prepared.draft.trials if t.id == id)
                is_right = condition.startswith("human") or (place // 4 + person) % 2 == 0
                entity = (
                    trial.targets[0]
                    if is_right
                    else next(e.id for e in trial.scene.entities if e.id not in trial.targets)
                )
                responses.append(
                    Response(
                        trial=id, hearer=f"{number}-{person}", outcome=Outcome.ENTITY, entity=entity, system=condition
                    )
                )
    found = evaluate(responses, prepared.draft.trials)
    assert [line.condition for line in found.lines] == ["human@both", CELLS[2], "human@none", CELLS[3]]
    assert [line.measures["ir"] for line in found.lines] == [1.0, 0.5, 1.0, 0.5]
    assert [(c.first, c.second) for c in found.contrasts] == [(CELLS[2], "human@both"), (CELLS[3], "human@none")]
    assert [c.accuracy.difference for c in found.contrasts] == [-0.5, -0.5]


def both_orders(pair: int, rounds: int) -> DialogueSession:
    """Every 40 s a piece is handled and mentioned, in turn one before the other, and then referred to."""
    parts = []
    for n in range(rounds):
        piece, start = "146"[n % 3], 40_000.0 * n + 1000
        times = (start, start + 4000) if n // 3 % 2 else (start + 4000, start)
        parts += [handled(times[0], times[0] + 1000, piece), said(times[1], "the piece", piece)]
        parts.append(said(start + 12_000, "it" if n % 3 else "that piece", piece, dpr=n % 3 > 0))
    return DialogueSession(None, dialogue(*parts, name=f"d{pair}", pair=f"p{pair}"))


def test_with_every_context_each_reference_is_shown_with_its_own_later_event(tmp_path: Path) -> None:
    """Two systems in four contexts: eight lists of 64 trials, eight a cell, 32 references of each kind."""
    wanted = ClipStudyOptions(id="ctx", participants=8, practice=0)
    sessions = [both_orders(pair, 28) for pair in range(3)]
    study = prepare_context_study(sessions, wanted, ["human", "that"], ["none", "mention", "action", "both"])
    rows = study.draft.layout.lists
    assert (len(rows), study.items_per_cell) == (8, 8)
    cells = [f"{system}@{context}" for system in ("human", "that") for context in ("none", "mention", "action", "both")]
    for entry in rows:
        assert Counter(condition for _, condition in entry.trials) == dict.fromkeys(cells, 8)
        assert len({item for item, _ in entry.trials}) == 64
    kinds = Counter(frozenset(trial.meta["clips"]) for trial in study.draft.trials)
    assert kinds == {frozenset({"none", "both", event}): 32 for event in ("mention", "action")}
    made = write_study(tmp_path / "study", study.draft)
    assert [claim.sentence for claim in prove_balance(made) if claim.promised and not claim.holds] == []
    # Voices are heard up to an utterance that is read, which participants are told.
    write_study(tmp_path / "heard", replace(study.draft, sounds={f"{'ab' * 16}.wav": b"RIFF"}))
    pages = [(tmp_path / name / "texts" / "en" / "instructions.md").read_text("utf-8") for name in ("study", "heard")]
    assert [get_voices_sentence("en") in page for page in pages] == [False, True]
    with pytest.raises(InputError, match=r"6 items, fewer than 8 \(power 0"):
        prepare_context_study(sessions[:2], wanted, ["human", "that"], ["none", "mention", "action", "both"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_a_study_of_solvers_and_operators_speaks_of_a_figure(tmp_path: Path, language: str) -> None:
    wanted = ClipStudyOptions(id="ctx", participants=8, practice=0)
    figures = [both_orders(pair, 28) for pair in range(3)]
    names = {"solver": "ann", "operator": "bob"}
    mugs = [
        s._replace(
            dialogue=replace(
                s.dialogue, events=tuple(replace(e, by=names.get(e.by or "", e.by)) for e in s.dialogue.events)
            )
        )
        for s in figures
    ]
    for name, sessions in (("figures", figures), ("mugs", mugs)):
        study = prepare_context_study(sessions, wanted, ["human", "that"], ["both"])
        write_study(tmp_path / name, replace(study.draft, language=language))
    pages = [
        (tmp_path / name / "texts" / language / "instructions.md").read_text("utf-8") for name in ("figures", "mugs")
    ]
    assert [page == read_default_pages(language, "replay-identify")["instructions"] for page in pages] == [True, False]
    assert pages[1].splitlines()[-1] == pages[0].splitlines()[-1]


def test_pronouns_that_were_understood_count_as_right_for_every_system() -> None:
    """Four references, of which people say two with a pronoun; the system says three, and the majority understands one of the two others."""
    scene = Scene(entities=(Entity(id="1"), Entity(id="2")))
    words = {"a": ("it", "that"), "b": ("it", "the mug"), "c": ("the jug", "it"), "d": ("the pot", "that")}
    trials = [
        Trial(id=id, scene=scene, targets=("1",), meta={"pronoun": human == "it"}) for id, (human, _) in words.items()
    ]
    responses = [
        Response(
            trial=id,
            hearer=f"p{person}",
            outcome=Outcome.ENTITY,
            # All understand everything but d, which one of three does.
            entity="1" if id != "d" or person == 0 else "2",
            system=f"{system}@both",
            description=Description(text=text),
        )
        for id, texts in words.items()
        for system, text in zip(("human", "s"), texts, strict=True)
        for person in range(3)
    ]
    ((condition, review),) = evaluate(responses, trials).reviews.items()
    assert (condition, review.moved) == ("s@both", 1)
    # True positives 1 (a), false negatives 1 (b), false positives 2 (c, d); afterwards 2 of 3 are right.
    assert (review.precision, review.recall, review.f) == (pytest.approx(1 / 3), 0.5, pytest.approx(0.4))
    assert (review.precision_after, review.f_after) == (pytest.approx(2 / 3), pytest.approx(4 / 7))


def test_the_power_is_the_level_without_an_effect_and_grows_with_the_evaluators(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert estimate_power(4, 32, 12) < estimate_power(4, 32, 48)
    monkeypatch.setattr(context_study, "EFFECT", 0.0)
    monkeypatch.setattr(context_study, "SIMULATIONS", 1000)
    # A paired t-test at .05; two standard errors of 1,000 simulations are .014.
    assert estimate_power(4, 32, 24) == pytest.approx(0.05, abs=0.02)
