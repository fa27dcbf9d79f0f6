"""A language model as speaker: what it is shown, how its answers are read, and what happens when there are none."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fake_endpoint import Answer, completion, serving
from referee.errors import InputError, MalformedInput
from referee.models.response_cache import Call, ResponseCache
from referee.records import Description, Entity, Property, Relation, Scene, Trial
from referee.signature import signature
from referee.systems.language_model import LanguageModel, build_prompt, interpret_call

SCENE = Scene(
    entities=(
        Entity(id="secret-a", attributes=(Property("type", "chair"), Property("colour", "red"))),
        Entity(
            id="secret-b",
            attributes=(Property("type", "chair"), Property("colour", "blue")),
            relations=(Relation("left-of", "secret-a"),),
            position=(1.0, 2.5),
        ),
    )
)
TRIAL = Trial(
    id="t1",
    scene=SCENE,
    targets=("secret-b",),
    references=(Description(text="the azure seat", properties=(Property("colour", "blue"),)),),
)
VIEW = TRIAL.for_speaker()


def model(url: str, **more: Any) -> LanguageModel:
    return LanguageModel(model="toy", endpoint=url, pause_s=0.001, timeout_s=60.0, **more)


def ask(*script: Answer, **more: Any) -> tuple[Description, dict[str, float], int]:
    with serving(*script) as server:
        speaker = model(server.url, **more)
        description = speaker.describe(VIEW)
        return description, speaker.account(), len(server.seen)


def call(content: str | None, **more: Any) -> Call:
    return Call(key="k", question={}, content=content, **more)


def test_the_prompt_shows_the_scene_and_hides_ids_and_references() -> None:
    prompt = build_prompt(VIEW)
    # In an order of its own: files may list the target first, and its number would tell.
    assert "1. type: chair; colour: blue; left-of object 2; position: (1, 2.5)" in prompt
    assert "2. type: chair; colour: red" in prompt
    assert "Describe object 1 in English" in prompt
    assert "secret" not in prompt
    assert "azure" not in prompt
    assert "in Portuguese" in build_prompt(replace(VIEW, language="pt"))


def test_an_answer_becomes_a_description_with_tokens_and_cost() -> None:
    said, account, questions = ask(completion('"The blue chair"\n'), price_in=2.0, price_out=10.0)
    assert said == Description(text="The blue chair")
    assert questions == 1
    # 100 tokens at 2 and 10 tokens at 10 a million
    assert account["cost"] == pytest.approx(0.0003)
    assert (account["answered"], account["prompt_tokens"], account["completion_tokens"]) == (1, 100, 10)


def test_properties_can_be_asked_for_beside_the_words() -> None:
    answer = json.dumps({"description": "the blue chair", "properties": [["colour", "blue"], ["type", "chair"]]})
    said, account, _ = ask(completion(f"```json\n{answer}\n```"), answer="properties")
    assert said.properties == (Property("colour", "blue"), Property("type", "chair"))
    assert account["answered"] == 1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("the blue chair", "the blue chair"),
        ("**Description:** the blue chair", "the blue chair"),
        ("“the blue chair”", "the blue chair"),
        ("```\nthe blue chair\n```", "the blue chair"),
        ("the chair that I cannot miss", "the chair that I cannot miss"),
    ],
)
def test_harmless_wrappings_are_taken_off(content: str, text: str) -> None:
    assert interpret_call(call(content)) == ("answered", Description(text=text))


@pytest.mark.parametrize("content", ["", None, "the blue chair\nthe azure seat", "{}", "<html>", '""', "word " * 200])
def test_what_is_not_one_description_is_unparsable(content: str | None) -> None:
    assert interpret_call(call(content)) == ("unparsable", Description())


@pytest.mark.parametrize(
    "content",
    ["the blue chair", "[]", '{"description": 1, "properties": []}', '{"description": "x", "properties": [["a", []]]}'],
)
def test_properties_in_another_form_are_unparsable(content: str) -> None:
    assert interpret_call(call(content), "properties") == ("unparsable", Description())


def test_an_answer_that_was_cut_off_is_an_outcome_of_its_own() -> None:
    assert interpret_call(call("the blue", finish="length"))[0] == "cut off"


@pytest.mark.parametrize(
    "refused",
    [
        call("I'm sorry, but I can't help with that."),
        call("I cannot describe people."),
        call(None, refusal="No."),
        call("", finish="content_filter"),
    ],
)
def test_a_refusal_is_an_outcome_of_its_own(refused: Call) -> None:
    assert interpret_call(refused) == ("refused", Description())


def test_a_filter_on_the_side_of_the_endpoint_is_a_refusal_too() -> None:
    _, account, questions = ask((400, {}, b'{"error": {"code": "content_filter"}}'))
    assert (account["refused"], account["failed"], questions) == (1, 0, 1)


@pytest.mark.parametrize(
    "trouble",
    [
        (429, {"Retry-After": "0.01"}, b"slow down"),
        (500, {}, b"oops"),
        (200, {}, b"<html>nonsense</html>"),
        (200, {}, b'{"choices": []}'),
        (200, {}, b"[" * 100_000),
        (200, {}, b"x" * (1 << 21)),
        (200, {"Content-Length": "1000"}, b'{"cut": "off'),
    ],
)
def test_passing_trouble_is_met_with_another_try(trouble: Answer) -> None:
    said, account, questions = ask(trouble, trouble, completion("the blue chair"))
    assert said.text == "the blue chair"
    assert (questions, account["retries"], account["failed"]) == (3, 2, 0)


def test_trouble_that_stays_is_a_failure_and_no_description() -> None:
    said, account, questions = ask((500, {}, b"oops"), tries=3)
    assert said == Description()
    assert (questions, account["failed"], account["answered"]) == (3, 1, 0)


def test_a_bad_request_is_not_repeated() -> None:
    _, account, questions = ask((400, {}, b"no such parameter"))
    assert (questions, account["failed"]) == (1, 1)


def test_an_endpoint_that_hangs_is_given_up_in_time() -> None:
    with serving(completion("the blue chair"), slow_s=60.0) as server:
        speaker = LanguageModel(model="toy", endpoint=server.url, timeout_s=0.1, tries=2, pause_s=0.001)
        assert speaker.describe(VIEW) == Description()
        assert speaker.account()["failed"] == 1


def test_an_endpoint_that_drips_is_given_up_in_time() -> None:
    with serving(completion("the blue chair"), drip_s=0.1) as server:
        speaker = LanguageModel(model="toy", endpoint=server.url, timeout_s=0.2, tries=1)
        assert speaker.describe(VIEW) == Description()


def test_an_endpoint_that_fails_every_time_stops_the_work_and_says_why() -> None:
    with serving((400, {}, b"unknown parameter: max_tokens")) as server:
        speaker = model(server.url)
        for _ in range(4):
            assert speaker.describe(VIEW) == Description()
        with pytest.raises(InputError, match=r"failed 5 questions in a row .*unknown parameter: max_tokens"):
            speaker.describe(VIEW)


@pytest.mark.parametrize(("status", "remedy"), [(401, "TOY_KEY"), (403, "TOY_KEY"), (404, "model:"), (302, "endpoint")])
def test_a_wrong_key_or_address_stops_at_once(status: int, remedy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_KEY", "sk-very-secret")
    with serving((status, {"Location": "http://127.0.0.1:9/"}, b"sk-very-secret is wrong")) as server:
        with pytest.raises(InputError, match=remedy) as caught:
            model(server.url, key_variable="TOY_KEY").describe(VIEW)
        assert len(server.seen) == 1
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "localhost:8000/v1", "http://", "http://[::1", "http://u:p@host/v1"]
)
def test_only_plain_web_addresses_are_asked(url: str) -> None:
    with pytest.raises(InputError, match="address"):
        model(url).describe(VIEW)


def test_nobody_listening_is_a_failure() -> None:
    with serving(completion("x")) as server:
        url = server.url
    assert model(url, tries=1).describe(VIEW) == Description()


def test_the_key_is_sent_and_written_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_KEY", "sk-very-secret")
    with serving(completion("the blue chair")) as server:
        speaker = model(server.url, key_variable="TOY_KEY").remember(tmp_path)
        speaker.describe(VIEW)
        assert server.keys == ["Bearer sk-very-secret"]
    written = "".join(path.read_text("utf-8") for path in tmp_path.iterdir())
    assert "the blue chair" in written
    assert "sk-very-secret" not in written + signature("llm", speaker) + repr(vars(speaker))


def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with serving(completion("the blue chair")) as server:
        model(server.url).describe(VIEW)
        assert server.keys == [None]


def test_a_model_has_to_be_named() -> None:
    with pytest.raises(InputError, match="model:NAME"):
        LanguageModel().describe(VIEW)


def test_questions_keep_the_pace_that_was_asked_for() -> None:
    with serving(completion("the blue chair")) as server:
        speaker = model(server.url, per_minute=1200)
        start = time.monotonic()
        for _ in range(4):
            speaker.describe(VIEW)
        # 1200 a minute is one every 50 ms, so the fourth leaves 150 ms after the first
        assert time.monotonic() - start >= 0.15


def test_answers_are_kept_and_replayed_without_a_network(tmp_path: Path) -> None:
    with serving(completion("the blue chair")) as server:
        first = model(server.url).remember(tmp_path)
        said = first.describe(VIEW)
        url = server.url
    again = model(url).remember(tmp_path, offline=True)
    assert again.describe(VIEW) == said
    assert again.account() == first.account()
    with pytest.raises(InputError, match=r"'t2'.*offline"):
        again.describe(replace(VIEW, id="t2", targets=("secret-a",)))


def test_failures_are_asked_again_but_replayed_as_failures(tmp_path: Path) -> None:
    with serving((500, {}, b""), completion("the blue chair")) as server:
        first = model(server.url, tries=1).remember(tmp_path)
        assert first.describe(VIEW) == Description()
        offline = model(server.url).remember(tmp_path, offline=True)
        assert offline.describe(VIEW) == Description()
        assert offline.account() == first.account()
        assert model(server.url, tries=1).remember(tmp_path).describe(VIEW).text == "the blue chair"
        assert len(server.seen) == 2
        url = server.url
    assert model(url).remember(tmp_path, offline=True).describe(VIEW).text == "the blue chair"


def test_a_line_cut_off_by_a_crash_is_asked_again_and_a_damaged_one_is_an_error(tmp_path: Path) -> None:
    book = ResponseCache(tmp_path)
    book.add(call("x"))
    path = tmp_path / "calls-1.jsonl"
    whole = path.read_text("utf-8")
    path.write_text(whole + whole[:20], "utf-8")
    assert ResponseCache(tmp_path).find("k") == call("x")
    path.write_text(whole[:20] + "\n" + whole, "utf-8")
    with pytest.raises(MalformedInput, match=r"calls-1.jsonl:1"):
        ResponseCache(tmp_path)


def test_examples_come_from_the_training_part() -> None:
    training = [replace(TRIAL, id=f"t{i}") for i in range(10)]
    with serving(completion("the blue chair")) as server:
        model(server.url, examples=2).fit(training).describe(VIEW)
        roles = [m["role"] for m in server.seen[0]["messages"]]
        assert roles == ["user", "assistant", "user", "assistant", "user"]
        assert server.seen[0]["messages"][1]["content"] == "the azure seat"
