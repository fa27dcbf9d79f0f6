"""Every reference of a dialogue is a trial: its scene, history and target by hand, and speakers and hearers in it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from referee.cli import main
from referee.corpora.jsonl import read_trials, trials_to_json, write_json_line
from referee.errors import InputError, MalformedInput
from referee.models.response_cache import Call
from referee.records import Description, Property, Trial
from referee_lab.commands.dialogue import run
from referee_lab.tangram.models.context_hearer import ContextHearer, SalientHearer
from referee_lab.tangram.models.context_models import ModelInDialogue, ModelOverhearer, format_transcript
from referee_lab.tangram.models.context_speakers import AsLastTime, PronounSpeaker, SalientSpeaker
from referee_lab.tangram.models.dialogue_items import (
    MOMENT,
    count_unusable_references,
    infer_situation,
    iterate_dialogue_items,
    list_past_events,
)
from referee_lab.tangram.models.history import iterate_situations
from referee_lab.tangram.models.invented_sessions import Habits, invent_sessions
from referee_lab.tangram.players.reference_game import convert_dialogue_to_game
from referee_lab.tangram.tiers.dialogue import Dialogue
from referee_lab.tangram.tiers.dialogue_form import make_dialogue_schema, read_dialogue, write_dialogue
from referee_lab.tangram.tiers.game_dialogues import GameRound, Message, read_game_dialogues, round_dialogue

MUGS = [
    {
        "format": "referee-dialogue",
        "id": "mugs",
        "pair": "ann-bob",
        "language": "en",
        "objects": {
            "a": {"type": "mug", "colour": "red"},
            "b": {"type": "mug", "colour": "blue"},
            "c": {"type": "plate", "colour": "red"},
        },
        "sees": {"bob": ["a", "b"]},
    },
    {"kind": "position", "entities": ["a"], "start_ms": 0, "data": {"x": 0, "y": 0}},
    {"kind": "position", "entities": ["b"], "start_ms": 0, "data": {"x": 90, "y": 0}},
    {"kind": "position", "entities": ["c"], "start_ms": 0, "data": {"x": 45, "y": 30}},
    {"kind": "utterance", "by": "ann", "text": "take the red mug", "start_ms": 1000, "end_ms": 2000},
    {"kind": "expression", "by": "ann", "text": "the red mug", "entities": ["a"], "start_ms": 1200, "end_ms": 2000, "data": {"utterance": 0, "span": [5, 16]}},
    {"kind": "action", "by": "bob", "entities": ["a"], "start_ms": 2500, "end_ms": 6000, "data": {"action": "move"}},
    {"kind": "utterance", "by": "bob", "text": "that", "start_ms": 4000, "end_ms": 4300},
    {"kind": "expression", "by": "bob", "text": "that", "entities": ["a"], "start_ms": 4000, "end_ms": 4300, "data": {"utterance": 1}},
    {"kind": "position", "entities": ["a"], "start_ms": 6000, "data": {"x": 80, "y": 0}},
    {"kind": "utterance", "by": "ann", "text": "and the other", "start_ms": 7000, "end_ms": 7500},
    {"kind": "utterance", "by": "ann", "text": "blue one", "start_ms": 8000, "end_ms": 8500},
    {"kind": "expression", "by": "ann", "text": "the other blue one", "entities": ["b"], "start_ms": 7100, "end_ms": 8500, "data": {"utterance": [2, 3]}},
    {"kind": "expression", "by": "bob", "text": "the plate", "entities": ["c"], "start_ms": 9000, "end_ms": 9500},
    {"kind": "expression", "by": "ann", "text": "one of them", "entities": ["a", "b"], "start_ms": 9900, "end_ms": 9990, "data": {"uncertain": True}},
]  # fmt: skip


def written(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def mugs() -> Dialogue:
    return read_dialogue(written(MUGS), "mugs.jsonl")


def test_an_item_has_the_scene_the_history_and_the_target_of_its_moment(mugs: Dialogue) -> None:
    first, second, third = iterate_dialogue_items(mugs)
    assert [t.id for t in (first, second, third)] == ["mugs-1", "mugs-2", "mugs-3"]
    assert (first.targets, first.references[0].text, first.speaker) == (("a",), "the red mug", "ann-bob")
    assert first.meta["game"] == "ann-bob"
    assert first.meta["utterance"] == "take the red mug"
    # Positions span 0 to 90 across (five columns of 18) and 0 to 30 down (three rows of 10).
    values = {e.id: (e.value("x-dimension"), e.value("y-dimension")) for e in first.scene.entities}
    assert values == {"a": ("1", "1"), "b": ("5", "1"), "c": ("3", "3")}
    # Bob does not see the plate.
    assert [e.id for e in second.scene.entities] == ["a", "b"]
    # At 7.1 s the red mug has been moved.
    assert third.scene.entity("a").position == (80.0, 0.0)
    assert third.meta["utterance"] == "and the other blue one"
    assert [t.meta["pronoun"] for t in (first, second, third)] == [False, True, False]


def test_a_history_holds_what_is_known_and_nothing_that_comes_later(mugs: Dialogue) -> None:
    first, second, third = iterate_dialogue_items(mugs)
    assert [e.kind for e in first.history] == ["position", "position", "position", MOMENT]
    # At 4 s the hand is on the mug, and nobody knows until when; what Bob is about to say is not there.
    (action,) = (e for e in second.history if e.kind == "action")
    assert (action.start_ms, action.end_ms) == (2500, None)
    assert [e.text for e in second.history if e.text] == ["the red mug", "take the red mug"]
    assert [e.end_ms for e in third.history if e.kind == "action"] == [None, 6000]
    for trial in (first, second, third):
        onset = trial.meta["onset_ms"]
        assert all(
            ((e.start_ms or 0) <= onset and (e.end_ms or 0) <= onset) or e.kind == "expression" for e in trial.history
        )
        assert trial.history[-1].kind == MOMENT
    assert third.after == "mugs-2"


def test_an_object_is_not_there_before_its_first_position(mugs: Dialogue) -> None:
    late = {"kind": "position", "entities": ["c"], "start_ms": 5000, "data": {"x": 45, "y": 30}}
    rows = [row for row in MUGS if row.get("entities") != ["c"]]
    first, _, third = iterate_dialogue_items(read_dialogue(written([*rows, late])))
    assert [[e.id for e in t.scene.entities] for t in (first, third)] == [["a", "b"], ["a", "b", "c"]]


UNTIMED = {
    "format": "referee-dialogue",
    "id": "d",
    "language": "en",
    "objects": {"a": {"type": "mug"}, "b": {"type": "jug"}},
}


def utterance(by: str, text: str, **times: float) -> dict[str, object]:
    return {"kind": "utterance", "by": by, "text": text, **times}


def expression(by: str | None, text: str | None, *entities: str, **fields: object) -> dict[str, object]:
    return {"kind": "expression", "by": by, "text": text, "entities": list(entities), **fields}


def test_a_reference_without_a_time_begins_where_its_words_do() -> None:
    said = utterance("ann", "put it by the jug", start_ms=1000, end_ms=2700)
    marks = [expression("ann", text, id, data={"utterance": 0}) for text, id in (("it", "a"), ("the jug", "b"))]
    dialogue = read_dialogue(written([UNTIMED, said, *marks]))
    # 17 characters in 1.7 s; *it* begins with the fifth, *the jug* with the eleventh.
    assert [(e.start_ms, e.end_ms) for e in dialogue.select_tier("expression")] == [(1400, 1600), (2000, 2700)]
    _, second = iterate_dialogue_items(dialogue)
    assert "it" in [e.text for e in second.history]


def test_a_reference_over_two_utterances_ends_in_the_second() -> None:
    spoken = [
        utterance("ann", "and now the", start_ms=0, end_ms=1100),
        utterance("ann", "red jug", start_ms=2000, end_ms=2700),
    ]
    mark = expression("ann", "the red", "b", data={"utterance": [0, 1]})
    dialogue = read_dialogue(written([UNTIMED, *spoken, mark]))
    # A character takes .1 s; *the* begins with the ninth, *red* ends with the third of the second utterance.
    assert [(e.start_ms, e.end_ms) for e in dialogue.select_tier("expression")] == [(800, 2300)]


def test_objects_that_a_header_does_not_list_are_those_that_occur() -> None:
    rows = [{"format": "referee-dialogue", "id": "d"}, utterance("ann", "the cup"), expression("ann", "the cup", "cup")]
    (item,) = iterate_dialogue_items(read_dialogue(written(rows)))
    assert (item.targets, [entity.id for entity in item.scene.entities]) == (("cup",), ["cup"])


@pytest.mark.parametrize("times", [{}, {"start_ms": 1000.0}, {"start_ms": 1000.0, "end_ms": 1000.0}])
def test_words_that_hold_a_reference_are_not_known_before_it(times: dict[str, float]) -> None:
    """Without times the utterance stands before its expressions; a typed one begins and ends with them."""
    later = {name: value + 5000 for name, value in times.items()}
    rows = [
        UNTIMED,
        {"kind": "position", "entities": ["a"], "data": {"x": 0, "y": 0}},
        utterance("ann", "the mug and the jug", **times),
        expression("ann", "the mug", "a", **times),
        expression("ann", "the jug", "b", **times),
        {"kind": "action", "by": "bob", "entities": ["a"], "data": {"action": "take"}},
        {"kind": "position", "entities": ["a"], "data": {"x": 9, "y": 9}},
        utterance("bob", "it", **later),
        expression("bob", "it", "a", **later),
    ]
    first, second, third = iterate_dialogue_items(read_dialogue(written(rows)))
    assert [[e.text for e in t.history if e.kind == "utterance"] for t in (first, second, third)] == [
        [],
        [],
        ["the mug and the jug"],
    ]
    # Without a time of its own an action follows what stands before it.
    assert [sum(e.kind == "action" for e in t.history) for t in (first, third)] == [0, 1]
    assert third.meta["utterance"] == "it"
    assert second.scene.entity("a").position == (0, 0)
    assert third.scene.entity("a").position == (9, 9)


def test_words_of_a_reference_that_holds_another_one_are_not_known_before_it() -> None:
    rows = [
        UNTIMED,
        utterance("ann", "the mug beside the jug", start_ms=0, end_ms=2200),
        expression("ann", "the mug beside the jug", "a", start_ms=0, end_ms=2200),
        expression("ann", "the jug", "b", start_ms=1500, end_ms=2200),
        expression("ann", "it", "a", start_ms=3000, end_ms=3100),
    ]
    _, inner, last = iterate_dialogue_items(read_dialogue(written(rows)))
    assert [(e.text, e.entities) for e in inner.history if e.kind == "expression"] == [(None, ("a",))]
    events, _ = list_past_events(last.history)
    assert [e.text for e in events if e.kind == "expression"] == ["the mug beside the jug", "the jug"]


def test_an_expression_has_the_words_of_its_span_and_the_utterance_that_holds_it() -> None:
    rows = [
        UNTIMED,
        utterance("ann", "the mug and the jug", start_ms=0, end_ms=1900),
        expression(None, None, "b", "b", data={"utterance": 0, "span": [12, 19]}),
        expression("ann", "the mug", "a", start_ms=100, end_ms=700),
    ]
    jug, mug = read_dialogue(written(rows)).select_tier("expression")
    assert (jug.by, jug.text, jug.entities, jug.start_ms) == ("ann", "the jug", ("b",), 1200)
    assert mug.data["utterance"] == 0
    rows[2] = expression("ann", "the plate", "b", data={"utterance": 0, "span": [12, 19]})
    with pytest.raises(MalformedInput, match=r"d\.jsonl:3: .*'the jug', not 'the plate'"):
        read_dialogue(written(rows), "d.jsonl")
    with pytest.raises(MalformedInput, match=r"d\.json, events\[1\]: .*'the jug', not 'the plate'"):
        read_dialogue(json.dumps({**rows[0], "events": rows[1:]}, indent=1), "d.json")
    with pytest.raises(MalformedInput, match=r"d\.jsonl:5: a second header"):
        read_dialogue(written([*rows[:2], rows[3], rows[3], *rows]), "d.jsonl")


def test_references_that_cannot_be_items_are_counted_by_reason(mugs: Dialogue) -> None:
    assert count_unusable_references([mugs]) == {
        "to an object that the speaker does not see": 1,
        "unclear which object is meant": 1,
    }


def test_the_judge_reads_what_is_written(mugs: Dialogue, tmp_path: Path) -> None:
    trials = list(iterate_dialogue_items(mugs))
    file = tmp_path / "items.jsonl"
    file.write_text("".join(f"{write_json_line(row)}\n" for row in trials_to_json(trials)), "utf-8")
    back = list(read_trials(file))
    assert [t.history for t in back] == [t.history for t in trials]
    assert [t.scene.entities for t in back] == [t.scene.entities for t in trials]
    # Every event is there once: histories follow from what happened before.
    assert file.read_text("utf-8").count("take the red mug") == 2  # the event, and the utterance of the item


@pytest.mark.parametrize("seed", [1, 5])
def test_a_history_gives_the_situation_back(seed: int) -> None:
    """What speakers and hearers see leads to the same features as the whole dialogue."""
    compared = 0
    for dialogue in invent_sessions(seed, Habits(pairs=2, dialogues_per_pair=1, references=60, plurals=6)):
        by_id = {s.id: s for s in iterate_situations(dialogue)}
        for trial in iterate_dialogue_items(dialogue):
            if len(trial.targets) == 1:
                found, expected = infer_situation(trial.for_speaker(), trial.targets[0]), by_id[trial.id]
                plain = [
                    {k: s._replace(mention=None, action=None) for k, s in x.standings.items()}
                    for x in (found, expected)
                ]
                assert plain[0] == plain[1]
                compared += 1
    assert compared > 50


def test_the_form_is_declared_by_a_schema(mugs: Dialogue) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = make_dialogue_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    for line in [*MUGS, *map(json.loads, write_dialogue(mugs).splitlines())]:
        assert list(check.iter_errors(line)) == []
    assert list(check.iter_errors({"kind": "song"}))
    assert read_dialogue(write_dialogue(mugs)) == mugs


@pytest.mark.parametrize(
    ("number", "change", "problem"),
    [
        (0, {"objekts": {}}, "objekts"),
        (0, {"sees": {"bob": ["z"]}}, "'z'"),
        (0, {"language": "english"}, "'english'"),
        (0, {"id": " "}, "id"),
        (1, {"data": {"x": 1}}, "x or y"),
        (1, {"entities": []}, "an object"),
        (0, {"sees": {"bob": "a"}}, "'sees.bob' should be a list"),
        (0, {"people": ["ann"]}, "its fields are format, id"),
        (4, {"kind": "song"}, "kind is one of utterance, expression"),
        (4, {"kind": None}, "no kind of event"),
        (4, {"end_ms": 10}, "ends before it begins"),
        (5, {"entities": ["z"]}, "'z'"),
        (5, {"data": {"utterance": 9}}, "no utterance 9"),
        (5, {"by": "bob"}, "'bob' is in an utterance of 'ann'"),
        (5, {"start_ms": "soon"}, "milliseconds since the start"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(number: int, change: dict[str, object], problem: str) -> None:
    rows = [{**row, **change} if n == number else row for n, row in enumerate(MUGS)]
    with pytest.raises(MalformedInput) as error:
        read_dialogue(written(rows), "mugs.jsonl")
    assert str(error.value).startswith(f"mugs.jsonl:{number + 1}: ")
    assert problem in str(error.value)


def test_json_over_several_lines_is_read_as_one_object() -> None:
    assert read_dialogue(json.dumps(UNTIMED, indent=1), "d.json").events == ()
    with pytest.raises(MalformedInput, match=r"d\.json: not a dialogue"):
        read_dialogue(json.dumps({"dialogues": [UNTIMED]}, indent=1), "d.json")


def test_empty_lists_of_codes_leave_pronouns_to_the_words() -> None:
    said = utterance("ann", "take it", start_ms=0, end_ms=900)
    marked = expression("ann", "it", "a", data={"utterance": 0, "attributes": []})
    (item,) = iterate_dialogue_items(read_dialogue(written([UNTIMED, said, marked])))
    assert item.meta["pronoun"] is True


def test_endings_may_be_capitals_and_others_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.TSV").write_text("tier\ttext\tentities\nexpression\tthe mug\tm1\n", "utf-8")
    assert main(["dialogue", "check", str(tmp_path / "t.TSV")]) == 0
    assert "references that can be items: 1" in capsys.readouterr().out
    for name, remedy in (("t.eaf.gz", "unpack it"), ("t.docx", "dialogues are .jsonl")):
        (tmp_path / name).write_bytes(b"PK")
        assert main(["dialogue", "check", str(tmp_path / name)]) == 2
        assert remedy in capsys.readouterr().err


def test_times_in_seconds_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "d.jsonl"
    rows = [UNTIMED, utterance("ann", "take the mug", start_ms=0.5, end_ms=1.9), expression("ann", "the mug", "a")]
    file.write_text(written(rows), "utf-8")
    assert main(["dialogue", "check", str(file)]) == 2
    assert "times are milliseconds: multiply them by 1000" in capsys.readouterr().err


# -- speakers and hearers ------------------------------------------------------------------------------------------------------


def test_as_last_time_repeats_what_was_said_of_the_target(mugs: Dialogue) -> None:
    first, second, _ = iterate_dialogue_items(mugs)
    speaker = AsLastTime(noun_phrases="baseline/type").fit([first])
    assert speaker.describe(second.for_speaker()).text == "the red mug"
    assert speaker.describe(first.for_speaker()).text == "the mug"


def test_only_what_is_as_salient_as_the_target_has_to_be_ruled_out(mugs: Dialogue) -> None:
    """At 4 s only the red mug was mentioned, and it is in a hand: among what is as salient, *the mug* is enough."""
    _, second, _ = iterate_dialogue_items(mugs)
    plain = SalientSpeaker(noun_phrases="classic/full-brevity")
    assert plain.describe(second.for_speaker()).text == "the mug"
    whole = AsLastTime(noun_phrases="classic/full-brevity")._make_noun_phrase(second.for_speaker()).text
    assert whole == "the red mug"


def pronouns_after_mentions(pairs: int = 4, each: int = 10) -> list[Trial]:
    """Speakers say *it* of the piece that was mentioned last, and *the mug* or *the plate* of the other one."""
    trials: list[Trial] = []
    for pair in range(pairs):
        objects = {"a": {"type": "mug"}, "b": {"type": "bowl"}, "c": {"type": "plate"}}
        header = {**MUGS[0], "id": f"d{pair}", "pair": f"p{pair}", "sees": {}, "objects": objects}
        rows: list[dict[str, object]] = [header]
        last, rng = "", Random(pair)
        for n in range(each):
            target = rng.choice("ac")
            text = "it" if target == last else {"a": "the mug", "c": "the plate"}[target]
            rows.append(
                {
                    "kind": "expression",
                    "by": "ann",
                    "text": text,
                    "entities": [target],
                    "start_ms": 3000 * n,
                    "end_ms": 3000 * n + 500,
                }
            )
            last = target
        trials += iterate_dialogue_items(read_dialogue(written(rows)))
    return trials


def test_the_pronoun_model_learns_when_people_say_it_and_the_hearer_what_they_mean() -> None:
    trials = pronouns_after_mentions()
    train, test = trials[:30], trials[30:]
    speaker = PronounSpeaker(noun_phrases="baseline/type", word="it").fit(train)
    spoken = [speaker.describe(t.for_speaker()).text for t in test]
    assert spoken == [t.references[0].text for t in test]
    hearer = ContextHearer().fit(train)
    for trial in test:
        answer = hearer.resolve(Description(text=trial.references[0].text), trial.for_hearer(Random(1)))
        assert answer.entity == trial.targets[0]
    # The literal hearer understands no pronoun; the object of the last mention is the most salient one.
    salient = SalientHearer().fit(train)
    for trial in (t for t in test if t.meta["pronoun"]):
        view = trial.for_hearer(Random(1))
        (last,) = next(e.entities for e in reversed(view.history) if e.kind == "expression")
        assert salient.resolve(Description(text="it"), view).entity == last
    # A system without words is heard by the values of its properties.
    meant = Description(properties=(Property("type", "jug"), Property("colour", "blue")))
    assert str(hearer.resolve(meant, test[0].for_hearer(Random(1))).outcome) != "dont-know"
    with pytest.raises(InputError, match="nothing to learn"):
        PronounSpeaker().fit([t for t in trials if not t.meta["pronoun"]])


# -- commands ------------------------------------------------------------------------------------------------------------------


def test_a_dialogue_is_checked_and_its_items_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mugs.jsonl"
    file.write_text(written(MUGS), "utf-8")
    assert run(["check", str(file), "--format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["items"], facts["events"]["utterance"], facts["objects"]) == (3, 4, {"3": 1})
    assert facts["lacks"] == {"cursor or gaze": 1}
    assert facts["words_elsewhere"] == 0
    file.write_text(written([*MUGS, {**MUGS[8], "text": "the kettle"}]), "utf-8")
    assert run(["check", str(file), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["words_elsewhere"] == 1
    file.write_text(written(MUGS), "utf-8")
    out = tmp_path / "items.jsonl"
    assert run(["items", str(file), "--out", str(out), "--speakers", "ann"]) == 0
    assert "2 items of 1 dialogue and 1 pair " in capsys.readouterr().out
    assert [t.id for t in read_trials(out)] == ["mugs-1", "mugs-3"]
    assert run(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == make_dialogue_schema()


def test_own_games_are_dialogues_with_positions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from referee.cli import main

    assert main(["tangram", "play", "--bots", "1", "--out", str(tmp_path / "games")]) == 0
    (recording,) = (tmp_path / "games").glob("*.jsonl")
    assert run(["items", str(recording), "--out", str(tmp_path / "items.jsonl")]) == 0
    trials = list(read_trials(tmp_path / "items.jsonl"))
    assert all(len(t.scene.entities) == 7 and all(e.position for e in t.scene.entities) for t in trials)
    game = {"corpus": "synthetic", "speaker": "classic/incremental", "hearer": "literal"}
    named = [part for name, value in game.items() for part in (f"--{name}", value)]
    assert main(["play", *named, "--games", "1", "--repetitions", "2", "--out", str(tmp_path / "played")]) == 0
    (played,) = (p for p in (tmp_path / "played").glob("*.json") if p.name != "game.json")
    assert run(["items", str(played), "--out", str(tmp_path / "rounds.jsonl")]) == 0
    # Four objects, twice.
    assert len(list(read_trials(tmp_path / "rounds.jsonl"))) == 8


@pytest.mark.parametrize(("name", "encoding"), [("d.json", "utf-8-sig"), ("d.json", "utf-16"), ("d.jsonl", "utf-16")])
def test_a_dialogue_is_known_by_its_form_whatever_its_encoding_and_order(
    name: str, encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = {"events": MUGS[1:], **dict(sorted(MUGS[0].items(), reverse=True))}
    text = json.dumps(whole, indent=1) if name == "d.json" else written(MUGS)
    (tmp_path / name).write_text(text, encoding)
    for source in (tmp_path, tmp_path / name):
        assert run(["check", str(source), "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["items"] == 3


def test_tables_of_one_folder_may_use_the_same_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tables from Excel: UTF-16 with tabs; no times; the language is told once a file."""
    head, rows = "dialogue\ttier\tby\ttext\tentities\n", ""
    for n in range(3):
        rows += f"{n}\tutterance\tann\tcoge la taza y el tornillo\t\n{n}\texpression\tann\tla taza\tt\n"
        rows += f"{n}\texpression\tann\tel tornillo\ts\n{n}\tutterance\tluz\testo\t\n{n}\texpression\tluz\testo\ts\n"
    for file in ("a.csv", "b.csv"):
        (tmp_path / file).write_text(head + rows, "utf-16")
    assert run(["items", str(tmp_path), "--out", str(tmp_path / "items.jsonl")]) == 0
    assert capsys.readouterr().err.count("read as 'es'") == 2
    trials = list(read_trials(tmp_path / "items.jsonl"))
    assert len({t.meta["dialogue"] for t in trials}) == 6
    assert [e.text for e in trials[0].history] == [None]
    assert [t.meta["pronoun"] for t in trials[:3]] == [False, False, True]


def test_dialogues_of_several_kinds_in_one_folder_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a dialogue and other files beside it, only the dialogue was read."""
    (tmp_path / "mugs.jsonl").write_text(written(MUGS), "utf-8")
    # Its own tiers, and a table of another kind, are no further dialogues.
    table = "dialogue,tier,by,text,entities\nd,utterance,ann,take the mug,\nd,expression,ann,the mug,m\n"
    (tmp_path / "mugs.csv").write_text(table, "utf-8")
    (tmp_path / "ages.csv").write_text("person,age\nann,30\n", "utf-8")
    assert run(["check", str(tmp_path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == 3
    out = tmp_path / "out" / "items.jsonl"
    for name in ("other.TextGrid", "other.eaf", "other.csv"):
        other = tmp_path / name
        other.write_text(table, "utf-8")
        for command in (["check", str(tmp_path)], ["items", str(tmp_path), "--out", str(out)]):
            with pytest.raises(InputError, match=rf"1 \.jsonl and 1 \{other.suffix}"):
                run(command)
        other.unlink()
    assert not out.exists()
    # Lines and one object are the same form.
    (tmp_path / "other.json").write_text(json.dumps({**MUGS[0], "id": "more", "events": MUGS[1:]}), "utf-8")
    assert run(["check", str(tmp_path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == 6


def test_no_language_is_suggested_where_the_words_tell_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "d.csv").write_text("tier,by,text,entities\nexpression,ann,xyzzy,m1\n", "utf-8")
    assert run(["check", str(tmp_path / "d.csv")]) == 0
    warning = capsys.readouterr().err
    assert "language = " in warning
    assert '"en"' not in warning


def test_objects_that_a_map_declares_join_those_that_occur(tmp_path: Path) -> None:
    rows = "tier,by,text,entities\nutterance,ann,the mug and the jug,\nexpression,ann,the mug,m1\nexpression,ann,the jug,j1\n"
    (tmp_path / "d.csv").write_text(rows, "utf-8")
    names, out = tmp_path / "names.toml", tmp_path / "items.jsonl"
    names.write_text('language = "en"\n[objects.m1]\ncolour = "red"\n[objects.p1]\ncolour = "blue"\n', "utf-8")
    assert run(["items", str(tmp_path / "d.csv"), "--tiers", str(names), "--out", str(out)]) == 0
    for trial in read_trials(out):
        assert {e.id: dict(e.attributes) for e in trial.scene.entities} == {
            "m1": {"colour": "red"},
            "p1": {"colour": "blue"},
            "j1": {"type": "j1"},
        }


def test_any_dialogue_is_scored_as_repeated_rounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three words, then one, then a selection that is wrong; characters of Japanese are counted."""
    from referee.cli import main

    for pair in range(3):
        rows = [
            {**UNTIMED, "id": f"d{pair}", "language": "ja" if pair == 2 else "en"},
            expression("ann", "the red mug" if pair < 2 else "赤いコップ", "a"),
            expression("bob", "it" if pair < 2 else "それ", "a"),
            {"kind": "action", "by": "ann", "entities": ["b"], "data": {"action": "select"}},
            {"kind": "action", "by": "bob", "entities": ["a"], "data": {"action": "select"}},
            expression("ann", "both", "a", "b"),
        ]
        (tmp_path / f"d{pair}.jsonl").write_text(written(rows), "utf-8")
    assert main(["play", "--played", str(tmp_path), "--format", "json"]) == 0
    scored = json.loads(capsys.readouterr().out)
    (curve,) = scored["curves"]
    levels = [(r["repetition"], r["words"], r["n_words"], r["right"], r["n_right"]) for r in curve["levels"]]
    assert levels == [(1, pytest.approx(11 / 3), 3, None, 0), (2, pytest.approx(4 / 3), 3, 0.0, 3)]
    assert main(["play", "--played", str(tmp_path / "none")]) == 2


def test_a_wrong_choice_whose_object_is_not_known_is_wrong() -> None:
    said = [Message("ann", "the red one")]
    choices = [("bob", None, False), ("cas", "a", None), ("dan", None, None)]
    game = convert_dialogue_to_game(
        round_dialogue("g", "p", {"a": {}, "b": {}}, [GameRound(("a",), "ann", said, choices)])
    )
    (played,) = game.rounds
    assert game.pair == "p"
    assert [(c.hearer, c.chosen, c.right) for c in played.choices] == [("bob", None, False), ("cas", "a", True)]


@pytest.mark.data
def test_choices_of_a_corpus_are_as_right_as_its_card_says(data_folder: Path) -> None:
    """The README of cabb-dutch: 1,813 of 1,824 right, 10 wrong (three without the figure), one without an answer."""
    games = map(convert_dialogue_to_game, read_game_dialogues("cabb-dutch", data_folder))
    right = [c.right for g in games for r in g.rounds for c in r.choices if c.right is not None]
    assert (len(right), sum(right)) == (1823, 1813)


def test_a_text_grid_is_read_by_a_map_that_is_proposed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Written by another program (pympi); the map that `check` shows is taken as it is."""
    pympi = pytest.importorskip("pympi")
    grid = pympi.Praat.TextGrid(xmax=3.0)
    words, phrases, objects = (grid.add_tier(name) for name in ("A-words", "A-phrases", "A-objects"))
    words.add_interval(0.0, 1.0, 'the "red" mug please')
    words.add_interval(1.5, 2.0, "it")
    phrases.add_interval(0.0, 0.6, 'the "red" mug')
    phrases.add_interval(1.5, 2.0, "it")
    objects.add_interval(0.0, 0.6, "red-mug")
    objects.add_interval(1.55, 2.0, "red-mug")
    file = tmp_path / "mugs.TextGrid"
    grid.to_file(str(file))
    assert run(["check", str(file)]) == 0
    proposed = [line.strip() for line in capsys.readouterr().out.splitlines() if " = " in line]
    assert proposed == ['"A-words" = "SV-UT"', '"A-phrases" = "SV-REX"', '"A-objects" = "SV-REX-Ref"']
    names = tmp_path / "names.toml"
    names.write_text("\n".join(['language = "en"', *proposed]), "utf-8")
    assert run(["items", str(file), "--tiers", str(names), "--out", str(tmp_path / "items.jsonl")]) == 0
    first, second = read_trials(tmp_path / "items.jsonl")
    assert (first.references[0].text, first.targets, first.meta["onset_ms"]) == ('the "red" mug', ("red-mug",), 0.0)
    assert (second.references[0].text, second.targets, second.meta["pronoun"]) == ("it", ("red-mug",), True)


def test_a_file_that_is_no_dialogue_is_not_said_to_be_a_damaged_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from referee.cli import main

    file = tmp_path / "theirs.jsonl"
    for content in ("", "[1, 2]\n", '{"text": "hello"}\n', "hello\n"):
        file.write_text(content, "utf-8")
        assert main(["tangram", "statistics", str(file)]) == 2
        text = capsys.readouterr().err
        assert "not a Tangram recording" in text
        assert "record the session again" not in text
        assert "from the server" not in text


# Counted in the files by hand: the READMEs of the corpora say 2,279 trials of 27 networks, 1,824 trials of 19 pairs with 10,745 turns, 5,976 rounds.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("corpus", "pairs", "references", "utterances"),
    [
        ("conventions-network", 27, 2279, 2584),
        ("cabb-dutch", 19, 1824, 10_745),
        ("a-game-of-sorts", 15, 1025, 1800),
        # Of 1,039 episodes four select no piece, and 961 of the others have an utterance.
        ("pento-take", 7, 961, 2573),
        # In five of 5,976 rounds the director wrote nothing.
        ("tangrams-hawkins", 83, 5971, 9067),
    ],
)
def test_corpora_of_games_are_dialogues(
    corpus: str, pairs: int, references: int, utterances: int, data_folder: Path
) -> None:
    found = read_game_dialogues(corpus, data_folder)
    assert len({d.pair for d in found}) == pairs
    assert sum(len(d.select_tier("expression")) for d in found) == references
    assert sum(len(d.select_tier("utterance")) for d in found) == utterances
    assert all(d.lacks for d in found)
    assert all(len(list(iterate_dialogue_items(d))) == len(d.select_tier("expression")) for d in found[:3])


def onecommon(folder: Path, text: str = "0: the big dark one\n1: mine is left of it") -> Path:
    """Two views of two dots each, one of them common; the form is that of the corpus's own programs (aaai2020/annotation)."""
    dot = {"x": 200, "y": 150, "size": 12, "color": "rgb(90,90,90)", "id": "7"}
    views = [[dot, {**dot, "id": "3", "x": 260}], [{**dot, "x": 150, "y": 140}, {**dot, "id": "9", "x": 100, "y": 140}]]
    events = [
        {"agent": 0, "action": "message", "data": "the big dark one", "time": "1"},
        {"agent": 1, "action": "select", "data": "7", "time": "9"},
    ]
    chats = [{"uuid": "C_1", "scenario": {"uuid": "S_1", "kbs": views}, "events": events, "outcome": {"reward": 1}}]
    start = text.index("mine") if "mine" in text else 0
    marks = [
        {"markable_id": "M1", "speaker": 0, "start": 3, "end": 19, "text": "the big dark one"},
        {"markable_id": "M2", "speaker": 1, "start": start, "end": start + 4, "text": "mine"},
        {"markable_id": "M3", "speaker": 1, "start": start + 13, "end": start + 15, "text": "it"},
    ]
    referents = {
        "M1": {"referents": ["agent_0_7"], "ambiguous": False, "unidentifiable": False},
        "M2": {"referents": ["agent_1_9"], "ambiguous": True, "unidentifiable": False},
    }
    files = {
        "final_transcripts": chats,
        "markable_annotation": {"C_1": {"text": text, "markables": marks}},
        "aggregated_referent_annotation": {"C_1": referents},
    }
    (folder / "onecommon").mkdir(parents=True)
    for name, content in files.items():
        (folder / "onecommon" / f"{name}.json").write_text(json.dumps(content), "utf-8")
    return folder


def test_onecommon_has_two_views_of_dots_and_the_phrases_that_were_annotated(tmp_path: Path) -> None:
    (dialogue,) = read_game_dialogues("onecommon", onecommon(tmp_path / "data"))
    assert dialogue.sees == {"0": ("7", "3"), "1": ("7", "9")}
    # The second view lies 50 to the right of and 10 below the first one.
    assert {e.entities[0]: (e.data["x"], e.data["y"]) for e in dialogue.select_tier("position")}["9"] == (150, 150)
    first, second = dialogue.select_tier("expression")
    assert (first.by, first.text, first.entities, first.data["uncertain"]) == ("0", "the big dark one", ("7",), False)
    assert (second.by, second.entities, second.data["uncertain"]) == ("1", ("9",), True)
    (item,) = iterate_dialogue_items(dialogue)
    assert [e.id for e in item.scene.entities] == ["7", "3"]
    with pytest.raises(MalformedInput, match=r"chat C_1 .*M2 is not where its words are"):
        read_game_dialogues("onecommon", onecommon(tmp_path / "moved", "0: the big dark one\n1: ours"))


def test_models_read_what_was_said_and_done_and_not_what_was_meant(mugs: Dialogue) -> None:
    """bob says *that* while he moves the red mug; the referent of ann's expression is in no line."""
    _, second, _ = iterate_dialogue_items(mugs)
    head = "From a dialogue about the objects that are listed below:\n"
    lines = "ann: take the red mug\n(bob: move object 7)\n\n"
    assert format_transcript(second.history, {"a": 7, "b": 8}) == head + lines
    assert format_transcript(second.history, {"a": 7, "b": 8}, 1) == head + "(bob: move object 7)\n\n"
    assert format_transcript((), {}) == ""
    (asked,) = ModelInDialogue(model="m")._build_messages(second.for_speaker())
    number = next(line[0] for line in asked["content"].splitlines() if "colour: red" in line)
    assert f"(bob: move object {number})" in asked["content"]
    assert "You are bob" in asked["content"]
    view = second.for_hearer(Random(1))
    question = ModelOverhearer(model="m")._word_question("that", view.scene, view, None)
    assert question.startswith(head)
    assert "Now bob goes on. Somebody described one of" in question


@pytest.mark.parametrize(
    ("answer", "text"),
    [("that", "that"), ('"It."', "It"), ("this one", "this one"), ("yes", None), ("that depends", None)],
)
def test_a_model_may_answer_with_a_pronoun(mugs: Dialogue, answer: str, text: str | None) -> None:
    _, second, _ = iterate_dialogue_items(mugs)
    call = Call("", {}, answer)
    outcome, description = ModelInDialogue(model="m")._interpret(call, second.for_speaker())
    assert (outcome, description.text) == ("answered" if text else "unparsable", text)


def test_a_dialogue_may_be_one_object_and_its_values_are_checked(mugs: Dialogue) -> None:
    whole = json.dumps({**MUGS[0], "events": MUGS[1:]}, indent=1)
    assert read_dialogue(whole, "mugs.json") == mugs
    # Without a time an expression has that of its utterance; numbers and yes/no are values as they are elsewhere.
    plain = {"format": "referee-dialogue", "id": "d", "objects": {"a": {"floor": 1.0, "open": True}}}
    said = {"kind": "utterance", "by": "x", "text": "the room", "start_ms": 5, "end_ms": 9}
    marked = {
        "kind": "expression",
        "by": "x",
        "text": "the room",
        "entities": ["a"],
        "data": {"utterance": 0, "attributes": "typ"},
    }
    dialogue = read_dialogue(written([plain, said, marked]))
    (expression,) = dialogue.select_tier("expression")
    assert (expression.start_ms, expression.end_ms, expression.data["attributes"]) == (5, 9, ("typ",))
    assert dialogue.pieces == {"a": {"floor": "1", "open": "1"}}
    for data, problem in (
        ({"utterance": 0, "span": [0, 99]}, "the span 0 to 99 is not in its utterance"),
        ({"span": "all"}, "the field 'span' should be a list, not 'all'"),
        ({"utterance": 3}, "no utterance 3"),
    ):
        with pytest.raises(MalformedInput, match=rf"d\.jsonl:3: .*{problem}"):
            read_dialogue(written([plain, said, {**marked, "data": data}]), "d.jsonl")
    with pytest.raises(MalformedInput, match="NaN"):
        read_dialogue(written([plain, {**said, "start_ms": float("nan")}]))
