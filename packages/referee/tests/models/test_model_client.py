"""One client for all askers: what makes two questions the same, what is sent, how fast, how dearly, and what is kept."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from fake_endpoint import Answer, completion, serving
from referee.catalogue import configure, drop_pace_options
from referee.errors import InputError
from referee.models.endpoint import Endpoint
from referee.models.messages import Picture, make_message
from referee.models.model_client import ModelClient
from referee.models.rate_limit import ConcurrencyLimit, RateLimit, parse_retry_after
from referee.models.response_cache import Call, ResponseCache, convert_call_to_json, sum_cost_by_asker
from referee.signature import signature
from scripted_endpoint import Late, Said, answered, faulty, scripted

ASK = [{"role": "user", "content": "Which?"}]


def client(url: str, **more: Any) -> ModelClient:
    return ModelClient(**{"model": "toy", "endpoint": url, "pause_s": 0.001, **more})


def reply(message: dict[str, Any], **more: Any) -> Answer:
    return 200, {}, json.dumps({"choices": [{"message": message, "finish_reason": "stop", **more}]}).encode()


def refusing(*names: str) -> Any:
    """A server that does not know some parameters, and says so as OpenAI's does."""
    return [
        (400, {}, json.dumps({"error": {"message": f"Unsupported parameter: '{n}'", "param": n}}).encode())
        for n in names
    ]


def test_two_servers_of_one_model_name_are_both_asked(tmp_path: Path) -> None:
    with serving(completion("from one")) as one, serving(completion("from two")) as two:
        said = [client(s.url).remember(tmp_path).ask(ASK, "t").content for s in (one, two, one)]
        assert said == ["from one", "from two", "from one"]
        assert (len(one.seen), len(two.seen)) == (1, 1)


@pytest.mark.parametrize(
    "other",
    [
        {"temperature": 0.5},
        {"top_p": 0.9},
        {"model_seed": 3},
        {"max_tokens": 7},
        {"effort": "low"},
        {"model": "other"},
        {"sample": 2},
    ],
    ids=str,
)
def test_another_parameter_is_another_question(tmp_path: Path, other: dict[str, Any]) -> None:
    with serving(completion("x")) as server:
        for more in ({}, other, other):
            client(server.url, **more).remember(tmp_path).ask(ASK, "t")
        assert len(server.seen) == 2


@pytest.mark.parametrize("other", [{"per_minute": 1e6}, {"parallel": 9}, {"tries": 2}, {"price_in": 3.0}], ids=str)
def test_another_pace_is_the_same_question_and_the_same_signature(tmp_path: Path, other: dict[str, Any]) -> None:
    with serving(completion("x")) as server:
        both = [client(server.url), client(server.url, **other)]
        for asker in both:
            asker.remember(tmp_path).ask(ASK, "t")
        assert len(server.seen) == 1
    assert signature("x", both[0]) == signature("x", both[1])


def test_pictures_are_sent_as_data_and_kept_as_their_hash(tmp_path: Path) -> None:
    with serving(completion("x")) as server:
        for data in (b"\x89PNG one", b"\x89PNG two", b"\x89PNG one"):
            client(server.url).remember(tmp_path).ask([make_message("user", "Which?", [Picture(data)])], "t")
        assert len(server.seen) == 2, "another picture is another question"
        # printf '\x89PNG one' | base64
        assert server.seen[0]["messages"][0]["content"][1]["image_url"]["url"] == "data:image/png;base64,iVBORyBvbmU="
    kept = "".join(p.read_text() for p in tmp_path.iterdir())
    assert "base64" not in kept
    # sha256sum of the bytes above
    assert Picture(b"\x89PNG one").hash in kept


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"content": "2"}, "2"),
        ({"content": [{"type": "text", "text": "object "}, {"type": "text", "text": "2"}]}, "object 2"),
        ({"content": [{"type": "thinking", "thinking": "1?"}, {"type": "text", "text": "2"}]}, "2"),
        ({"content": [{"type": "text", "text": {"value": "2"}}]}, "2"),
        (
            {"content": None, "tool_calls": [{"function": {"name": "answer", "arguments": '{"answer": 2}'}}]},
            '{"answer": 2}',
        ),
        ({"content": "", "function_call": {"name": "answer", "arguments": '{"answer": 2}'}}, '{"answer": 2}'),
        ({"content": None}, None),
        ({"content": ""}, ""),
    ],
)
def test_content_comes_in_many_forms(given: dict[str, Any], words: str | None) -> None:
    with serving(reply(given)) as server:
        assert client(server.url).ask(ASK, "t").content == words


def test_thoughts_in_a_field_of_their_own_are_kept_beside_the_answer() -> None:
    with serving(reply({"content": "2", "reasoning_content": "1? no"})) as server:
        call = client(server.url).ask(ASK, "t")
        assert (call.content, call.reasoning) == ("2", "1? no")


def test_a_model_that_wants_max_completion_tokens_gets_them() -> None:
    told = b"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    with serving((400, {}, told), completion("2")) as server:
        asker = client(server.url, max_tokens=50)
        assert asker.ask(ASK, "t").adapted == ("max_tokens",)
        assert "max_tokens" not in server.seen[1]
        assert server.seen[1]["max_completion_tokens"] == 50
        asker.ask([make_message("user", "another")], "t")
        assert len(server.seen) == 3, "learned once"


def test_a_model_that_refuses_temperature_0_is_asked_without_and_it_is_said() -> None:
    told = b"Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value is supported."
    with serving((400, {}, told), completion("2")) as server:
        asker = client(server.url)
        asker.count("answered", asker.ask(ASK, "t"))
        assert "temperature" not in server.seen[1]
        assert asker.account()["without temperature"] == 1


def test_parameters_are_given_up_one_after_another() -> None:
    with serving(*refusing("response_format", "seed", "logprobs"), completion("2")) as server:
        call = client(server.url, model_seed=1).ask(ASK, "t", response_format={}, logprobs=True, top_logprobs=5)
        assert call.adapted == ("logprobs", "response_format", "seed", "top_logprobs")
        assert sorted(server.seen[-1]) == ["max_tokens", "messages", "model", "temperature"]


def test_switches_are_sent_and_what_is_none_is_not() -> None:
    with serving(completion("2")) as server:
        client(server.url, temperature=None, top_p=0.5, model_seed=7, effort="low", max_tokens=0).ask(ASK, "t")
        assert server.seen[0] == {"model": "toy", "top_p": 0.5, "seed": 7, "reasoning_effort": "low", "messages": ASK}
    assert configure("system", "llm/openai-compatible|model:x|temperature:none").temperature is None


def test_prompts_in_files_are_sent_and_signed_by_their_hash(tmp_path: Path) -> None:
    path = tmp_path / "polite.txt"
    path.write_text("Be brief.\n", "utf-8")
    with serving(completion("2")) as server:
        asker = client(server.url, system=str(path))
        asker.ask(ASK, "t")
        assert server.seen[0]["messages"][0] == {"role": "system", "content": "Be brief."}
    assert "|system:polite.txt@" in signature("x", asker)
    before = signature("x", asker)
    path.write_text("Be very brief.\n", "utf-8")
    assert signature(
        "x",
        client(
            "http://localhost/v1",
            system=str(path),
        ),
    ) != before.replace(asker.endpoint, "http://localhost/v1")
    with pytest.raises(InputError, match=r"nowhere.txt"):
        client("http://localhost/v1", prompt=str(tmp_path / "nowhere.txt"))


def test_retry_after_is_read_as_seconds_as_a_date_and_in_milliseconds() -> None:
    assert parse_retry_after({"retry-after": "1.5"}) == 1.5
    assert parse_retry_after({"retry-after-ms": "250"}) == 0.25
    assert parse_retry_after({"retry-after": "soon"}) is None
    assert parse_retry_after({}) is None
    in_a_minute = parse_retry_after({"retry-after": formatdate(time.time() + 60, usegmt=True)})
    assert in_a_minute is not None
    assert 50 < in_a_minute <= 60
    assert parse_retry_after({"retry-after": formatdate(time.time() - 60, usegmt=True)}) == 0


def test_nobody_comes_back_before_the_time_that_the_server_named() -> None:
    with serving((429, {"Retry-After": "0.2"}, b""), completion("2")) as server:
        start = time.monotonic()
        client(server.url).ask(ASK, "t")
        assert time.monotonic() - start >= 0.2


def test_pauses_do_not_fall_together() -> None:
    asked = Endpoint("http://localhost:1/v1", pause_s=1.0)
    from referee.models.endpoint import _TryAgain

    pauses = {asked._compute_pause(_TryAgain("busy"), 1) for _ in range(50)}
    assert len(pauses) > 40
    assert all(0.5 <= p <= 1.5 for p in pauses)
    assert asked._compute_pause(_TryAgain("busy", 3600), 1) == 60, "an hour is longer than anybody waits"


def test_tokens_a_minute_are_limited_and_settled() -> None:
    async def use() -> None:
        rate = RateLimit(tokens_per_minute=60_000)
        # From before the first turn on: a machine that is busy between the two makes the wait for the second shorter.
        start = time.monotonic()
        await rate.wait_for_turn(100)  # 60,000 a minute is 1,000 a second: the next turn is in 100 ms
        await rate.wait_for_turn(100)
        assert time.monotonic() - start >= 0.099  # the loop's clock has a resolution of its own
        rate.settle(100, 1)  # it took one token instead of a hundred, so the turn after it is free at once
        assert rate._next_tokens <= time.monotonic() + 0.05

    asyncio.run(use())


def test_fewer_are_asked_at_once_while_the_server_complains() -> None:
    limit = ConcurrencyLimit(8)
    limit.lower()
    limit.lower()
    assert limit.limit == 4, "two complaints of one moment are one"
    for _ in range(40):
        limit.raise_again()
    assert limit.limit == 8


def test_no_more_are_under_way_than_the_limit() -> None:
    async def use() -> int:
        limit, active, most = ConcurrencyLimit(3), 0, 0

        async def work() -> None:
            nonlocal active, most
            async with limit:
                active += 1
                most = max(most, active)
                await asyncio.sleep(0)
                active -= 1

        await asyncio.gather(*(work() for _ in range(20)))
        return most

    assert asyncio.run(use()) == 3


def test_patience_is_a_switch() -> None:
    with serving((400, {}, b"no")) as server:
        asker = client(server.url, patience=2)
        asker.ask(ASK, "t")
        with pytest.raises(InputError, match="2 questions in a row"):
            asker.ask(ASK, "t")
        patient = client(server.url, patience=0)
        assert all(patient.ask(ASK, "t").failure for _ in range(9))


@pytest.mark.parametrize("limit", [{"budget": 0.001}, {"budget_tokens": 300}])
def test_a_budget_stops_the_work_keeps_it_and_counts_what_was_spent_before(
    tmp_path: Path, limit: dict[str, Any]
) -> None:
    # One call takes 110 tokens and costs 100 * 2 / 1e6 + 10 * 20 / 1e6 = 0.0004: the third is the last.
    prices = {"price_in": 2.0, "price_out": 20.0}
    with serving(completion("2")) as server:
        asker = client(server.url, **prices, **limit).remember(tmp_path)
        for n in range(3):
            asker.ask([make_message("user", str(n))], "t")
        with pytest.raises(InputError, match="larger budget"):
            asker.ask([make_message("user", "3")], "t")
        again = client(server.url, **prices, **limit).remember(tmp_path)
        assert again.ask([make_message("user", "2")], "t").content == "2", "what was paid for is answered"
        with pytest.raises(InputError, match="larger budget"):
            again.ask([make_message("user", "3")], "t")
        assert len(server.seen) == 3
    assert sum_cost_by_asker(tmp_path)[""].tokens == 330
    assert sum_cost_by_asker(tmp_path)[""].cost == pytest.approx(0.0012)


def test_what_two_threads_ask_at_once_is_asked_once(tmp_path: Path) -> None:
    with serving(completion("2"), slow_s=0.1) as server:
        asker = client(server.url, parallel=8).remember(tmp_path)
        threads = [threading.Thread(target=asker.ask, args=(ASK, "t")) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.seen) == 1


def test_what_is_used_twice_is_paid_for_once() -> None:
    with serving(completion("2")) as server:
        asker = client(server.url, price_in=1.0)
        call = asker.ask(ASK, "t")
        asker.count("answered", call)
        asker.count("answered", call)
        account = asker.account()
        assert (account["answered"], account["prompt_tokens"]) == (2, 100)
        assert account["cost"] == pytest.approx(0.0001)


def test_connections_are_kept_and_a_closed_one_is_opened_again() -> None:
    plan = faulty(0.5)

    def hasty(question: str, time: int) -> Said:
        """Whoever would be late hangs up instead: nobody has to wait for it here."""
        said = plan(question, time)
        return None if isinstance(said, Late) else said

    with scripted(hasty) as server:
        asker = client(server.url)
        for n in range(60):
            assert asker.ask([make_message("user", f"question {n}")], "t").content == "the red chair"
        assert all(n == 1 for n in server.told.values())


def test_a_reset_on_a_kept_connection_is_counted() -> None:
    """The first question is answered, the second cut off on the same connection: it is asked again, and that is a try."""
    with scripted(lambda question, time: None if question == "second" and time == 1 else answered()) as server:
        asker = client(server.url)
        assert [asker.ask([make_message("user", q)], "t").tries for q in ("first", "second")] == [1, 2]
        assert server.asked == {"first": 1, "second": 2}


def test_likelihoods_of_tokens_are_kept() -> None:
    token = {
        "token": "2",
        "logprob": -0.1,
        "top_logprobs": [{"token": "2", "logprob": -0.1}, {"token": "1", "logprob": -2.4}],
    }
    with serving(reply({"content": "2"}, logprobs={"content": [token]})) as server:
        assert client(server.url).ask(ASK, "t").logprobs == (("2", -0.1, [("2", -0.1), ("1", -2.4)]),)


def test_a_book_of_calls_holds_places_and_not_calls(tmp_path: Path) -> None:
    with scripted(lambda question, time: answered()) as server:
        asker = client(server.url).remember(tmp_path)
        for n in range(50):
            asker.ask([make_message("user", f"{n} " + "x" * 5000)], "t")
    book = ResponseCache(tmp_path)
    assert len(list(book.iterate_calls())) == 50
    assert "xxxxx" not in repr(vars(book))


def test_a_name_without_its_pace_names_the_same_thing() -> None:
    assert drop_pace_options("hearer", "remote|model:x|per_minute:60|votes:3|parallel:9") == "remote|model:x|votes:3"
    assert drop_pace_options("hearer", "literal") == "literal"
    assert drop_pace_options("hearer", "mine.py:Own|parallel:3") == "mine.py:Own|parallel:3"


def test_questions_of_a_batch_are_written_and_their_answers_taken(tmp_path: Path) -> None:
    from referee.models.batch_files import BatchFile, read_questions

    calls = tmp_path / "calls"
    calls.mkdir()
    batch = BatchFile(tmp_path / "requests.jsonl", tmp_path / "kept.batch")
    asker = client("http://localhost:1/v1", price_in=1.0).remember(calls).write_to(batch)
    for n in (1, 2, 1):
        assert asker.ask([make_message("user", str(n))], "t").failure
    assert batch.write() == 2
    requests = [json.loads(line) for line in (tmp_path / "requests.jsonl").read_text().splitlines()]
    assert {r["url"] for r in requests} == {"/v1/chat/completions"}
    assert {r["body"]["messages"][0]["content"] for r in requests} == {"1", "2"}
    body = json.loads(completion("2")[2])
    good = {"custom_id": requests[0]["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}
    bad = {
        "custom_id": requests[1]["custom_id"],
        "response": {"status_code": 500, "body": {}},
        "error": {"message": "x"},
    }
    strange = {"custom_id": "nobody", "response": {"status_code": 200, "body": body}}
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(map(json.dumps, (good, bad, strange))), "utf-8")
    taking = client("http://localhost:1/v1", price_in=1.0).remember(calls)
    assert taking.take_batch(answers, read_questions(tmp_path / "kept.batch", "")) == 2
    first = requests[0]["body"]["messages"]
    assert taking.ask(first, "t").content == "2"
    assert taking.ask(first, "t").cost == pytest.approx(0.0001)


@dataclass(eq=False, repr=False, kw_only=True)
class Slow(ModelClient):
    """Any asker at all."""


def test_stopping_ends_pauses_and_keeps_what_was_answered(tmp_path: Path) -> None:
    from referee.capabilities import answer_in_parallel

    with scripted(
        lambda question, time: answered("2") if question == "0" else (429, {"Retry-After": "50"}, b"")
    ) as server:
        asker = Slow(model="toy", endpoint=server.url, parallel=2).remember(tmp_path)
        answers = answer_in_parallel(asker, lambda n: asker.ask([make_message("user", str(n))], "t"), range(65))
        assert next(answers).content == "2"
        start = time.monotonic()
        answers.close()  # as Ctrl-C does
        assert time.monotonic() - start < 30, "nobody waits for the fifty seconds"
    assert ResponseCache(tmp_path).costs[""].calls >= 1


def test_a_line_of_the_book_is_what_json_writes(tmp_path: Path) -> None:
    call = Call(
        key='"k"',
        question={"messages": [{"role": "user", "content": "é\n"}]},
        content="„2“\u2028",
        refusal=None,
        finish="stop",
        prompt_tokens=7,
        cost=0.25,
        adapted=("seed",),
        logprobs=(("2", -0.5, [("2", -0.5)]),),
    )
    ResponseCache(tmp_path).add(call)
    assert (tmp_path / "calls-1.jsonl").read_text("utf-8") == json.dumps(
        convert_call_to_json(call), ensure_ascii=False
    ) + "\n"
    found = ResponseCache(tmp_path).find('"k"')
    assert found is not None
    assert found.content == call.content


def test_another_key_is_read_after_one_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving((401, {}, b""), completion("2")) as server:
        asker = client(server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "old")
        with pytest.raises(InputError, match="does not accept the key"):
            asker.ask(ASK, "t")
        monkeypatch.setenv("OPENAI_API_KEY", "new")
        assert asker.ask(ASK, "t").content == "2"
        assert server.keys == ["Bearer old", "Bearer new"]
