"""Each dialect against a stub after its vendor's published schema: the request that leaves, and what is made of the response.

No vendor's server is asked here; the requests and responses below follow the vendors' reference pages (OpenAI: Create chat completion, Create a response;
Azure: Chat completions, data plane; Anthropic: Create a Message; Google: models.generateContent; Ollama: Generate a chat completion; OpenRouter: Errors).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fake_endpoint import Answer, FakeEndpoint, completion, serving
from referee.errors import InputError
from referee.models.messages import Picture, make_message
from referee.models.model_client import ModelClient
from referee.models.response_cache import Call, ResponseCache, read_calls

KEYS = ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OLLAMA_API_KEY")
SCHEMA = {"type": "object", "properties": {"answer": {"type": "integer"}}, "required": ["answer"]}
PNG = "iVBORw=="  # printf '\x89PNG' | base64
ASK = [{"role": "user", "content": "Which?"}]
LOOK = [
    {"role": "system", "content": "Be brief."},
    make_message("user", "Which?", [Picture(b"\x89PNG")]),
    {"role": "assistant", "content": "2"},
    {"role": "user", "content": "Sure?"},
]


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.setenv(name, f"secret-of-{name}")


def as_json(body: Any, status: int = 200) -> Answer:
    return status, {"Content-Type": "application/json"}, json.dumps(body).encode()


def client(server: FakeEndpoint, dialect: str = "", **more: Any) -> ModelClient:
    url = server.url.removesuffix("/v1") if dialect in ("azure", "ollama") else server.url
    endpoint = f"{dialect}:{url}" if dialect else url
    return ModelClient(**{"model": "toy", "endpoint": endpoint, "pause_s": 0.001, "max_tokens": 50, **more})


RESPONSES = {
    "": {
        "model": "toy-1",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": '{"answer": 2}'}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    },
    "responses": {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": "toy-1",
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "content": [{"type": "output_text", "text": '{"answer": 2}', "annotations": []}],
            },
        ],
        "usage": {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10},
    },
    "anthropic": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "toy-1",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "x"},
            {"type": "text", "text": '{"answer": 2}'},
        ],
        "stop_reason": "end_turn",
        "usage": {
            "input_tokens": 4,
            "cache_creation_input_tokens": 1,
            "cache_read_input_tokens": 2,
            "output_tokens": 3,
        },
    },
    "gemini": {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": '{"answer": 2}'}]},
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 7,
            "candidatesTokenCount": 1,
            "thoughtsTokenCount": 2,
            "totalTokenCount": 10,
        },
        "modelVersion": "toy-1",
    },
    "ollama": {
        "model": "toy-1",
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": '{"answer": 2}', "thinking": "hm"},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 7,
        "eval_count": 3,
    },
}
RESPONSES["azure"] = RESPONSES[""]
DATA_URL = f"data:image/png;base64,{PNG}"
CHAT_MESSAGES = [
    LOOK[0],
    {
        "role": "user",
        "content": [{"type": "text", "text": "Which?"}, {"type": "image_url", "image_url": {"url": DATA_URL}}],
    },
    *LOOK[2:],
]
STRICT = {"name": "answer", "strict": True, "schema": SCHEMA}
CHAT_REQUEST = {
    "model": "toy",
    "temperature": 0.0,
    "top_p": 0.9,
    "max_tokens": 50,
    "seed": 3,
    "response_format": {"type": "json_schema", "json_schema": STRICT},
    "messages": CHAT_MESSAGES,
}
REQUESTS: dict[str, tuple[str, dict[str, str], dict[str, Any], tuple[str, ...]]] = {
    "": ("/v1/chat/completions", {"authorization": "Bearer secret-of-OPENAI_API_KEY"}, CHAT_REQUEST, ()),
    "azure": (
        "/openai/deployments/toy/chat/completions?api-version=2024-10-21",
        {"api-key": "secret-of-AZURE_OPENAI_API_KEY"},
        CHAT_REQUEST,
        (),
    ),
    "responses": (
        "/v1/responses",
        {"authorization": "Bearer secret-of-OPENAI_API_KEY"},
        {
            "model": "toy",
            "input": [
                {"role": "system", "content": [{"type": "input_text", "text": "Be brief."}]},
                {
                    "role": "user",
                    "content": [
                        {"type": "input_text", "text": "Which?"},
                        {"type": "input_image", "image_url": DATA_URL},
                    ],
                },
                {"role": "assistant", "content": [{"type": "output_text", "text": "2"}]},
                {"role": "user", "content": [{"type": "input_text", "text": "Sure?"}]},
            ],
            "store": False,
            "temperature": 0.0,
            "top_p": 0.9,
            "max_output_tokens": 50,
            "text": {"format": {"type": "json_schema", **STRICT}},
        },
        ("seed",),
    ),
    "anthropic": (
        "/v1/messages",
        {"x-api-key": "secret-of-ANTHROPIC_API_KEY", "anthropic-version": "2023-06-01"},
        {
            "model": "toy",
            "system": "Be brief.",
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "Which?"},
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
                    ],
                },
                {"role": "assistant", "content": [{"type": "text", "text": "2"}]},
                {"role": "user", "content": [{"type": "text", "text": "Sure?"}]},
            ],
            "max_tokens": 50,
            "temperature": 0.0,
            "top_p": 0.9,
            "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
        },
        ("seed",),
    ),
    "gemini": (
        "/v1/models/toy:generateContent",
        {"x-goog-api-key": "secret-of-GEMINI_API_KEY"},
        {
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [
                {
                    "role": "user",
                    "parts": [{"text": "Which?"}, {"inlineData": {"mimeType": "image/png", "data": PNG}}],
                },
                {"role": "model", "parts": [{"text": "2"}]},
                {"role": "user", "parts": [{"text": "Sure?"}]},
            ],
            "generationConfig": {
                "temperature": 0.0,
                "topP": 0.9,
                "maxOutputTokens": 50,
                "seed": 3,
                "responseMimeType": "application/json",
                "responseJsonSchema": SCHEMA,
            },
        },
        (),
    ),
    "ollama": (
        "/api/chat",
        {"authorization": "Bearer secret-of-OLLAMA_API_KEY"},
        {
            "model": "toy",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Which?", "images": [PNG]},
                {"role": "assistant", "content": "2"},
                {"role": "user", "content": "Sure?"},
            ],
            "stream": False,
            "format": SCHEMA,
            "options": {"temperature": 0.0, "top_p": 0.9, "seed": 3, "num_predict": 50},
        },
        (),
    ),
}


@pytest.mark.parametrize("dialect", REQUESTS)
def test_a_question_and_its_answer(dialect: str) -> None:
    path, headers, body, left_out = REQUESTS[dialect]
    with serving(as_json(RESPONSES[dialect])) as server:
        call = client(server, dialect, top_p=0.9, model_seed=3).ask(LOOK, "t", schema=SCHEMA)
        assert server.paths == [path]
        assert headers.items() <= server.headers[0].items()
        assert server.seen == [body]
    assert (call.content, call.finish, call.model, call.failure) == ('{"answer": 2}', "stop", "toy-1", None)
    assert (call.prompt_tokens, call.completion_tokens, call.adapted) == (7, 3, left_out)
    assert call.reasoning == (None if dialect in ("", "azure") else "hm")


@pytest.mark.parametrize("dialect", REQUESTS)
def test_no_other_key_leaves(dialect: str) -> None:
    own = "OPENAI_API_KEY" if dialect in ("", "responses") else f"{dialect.upper()}_API_KEY"
    own = "AZURE_OPENAI_API_KEY" if dialect == "azure" else own
    with serving(as_json(RESPONSES[dialect])) as server:
        client(server, dialect).ask(ASK, "t")
        sent = json.dumps(server.headers[0])
    assert [name for name in KEYS if f"secret-of-{name}" in sent.replace("secret-of-AZURE_OPENAI", "azure")] == (
        [own] if own != "AZURE_OPENAI_API_KEY" else []
    )


CUT: dict[str, dict[str, Any]] = {
    "responses": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
    "anthropic": {"stop_reason": "max_tokens"},
    "gemini": {"candidates": [{"content": {"parts": [{"text": "2"}]}, "finishReason": "MAX_TOKENS"}]},
    "ollama": {"done_reason": "length"},
}
FILTERED: dict[str, dict[str, Any]] = {
    "responses": {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
    "anthropic": {"stop_reason": "refusal", "content": []},
    "gemini": {"candidates": [], "promptFeedback": {"blockReason": "SAFETY"}},
}


@pytest.mark.parametrize("dialect", CUT)
def test_an_answer_that_was_cut_off(dialect: str) -> None:
    with serving(as_json({**RESPONSES[dialect], **CUT[dialect]})) as server:
        assert client(server, dialect).ask(ASK, "t").finish == "length"


@pytest.mark.parametrize("dialect", FILTERED)
def test_an_answer_that_was_filtered(dialect: str) -> None:
    with serving(as_json({**RESPONSES[dialect], **FILTERED[dialect]})) as server:
        call = client(server, dialect).ask(ASK, "t")
        assert (call.finish, call.failure) == ("content_filter", None)


def test_a_refusal_of_responses_is_kept_as_one() -> None:
    said = {"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]}
    with serving(as_json({**RESPONSES["responses"], "output": [said]})) as server:
        assert client(server, "responses").ask(ASK, "t").refusal == "I cannot."


def test_a_tool_call_of_anthropic_is_an_answer() -> None:
    block = {"type": "tool_use", "id": "1", "name": "answer", "input": {"answer": 2}}
    with serving(as_json({**RESPONSES["anthropic"], "content": [block], "stop_reason": "tool_use"})) as server:
        assert client(server, "anthropic").ask(ASK, "t").content == '{"answer": 2}'


def test_azure_takes_a_version_and_an_address_with_the_deployment() -> None:
    with serving(as_json(RESPONSES["azure"])) as server:
        root = server.url.removesuffix("/v1")
        for url in (f"{root}/?api-version=2025-01-01-preview", f"{root}/openai/deployments/other"):
            ModelClient(model="toy", endpoint=f"azure:{url}").ask(ASK, "t")
        assert server.paths == [
            "/openai/deployments/toy/chat/completions?api-version=2025-01-01-preview",
            "/openai/deployments/other/chat/completions?api-version=2024-10-21",
        ]


# -- errors --------------------------------------------------------------------------------------------------------------------

PASSING: list[tuple[str, Any, str]] = [
    # OpenRouter: an error of the provider, in a response of status 200.
    ("", {"error": {"code": 502, "message": "Provider returned error"}}, "Provider returned error"),
    ("", {"error": {"message": "upstream went away"}}, "upstream went away"),
    (
        "",
        {
            "choices": [
                {
                    "message": {"role": "assistant", "content": "the re"},
                    "finish_reason": "error",
                    "error": {"code": 504, "message": "upstream idle"},
                }
            ]
        },
        "upstream idle",
    ),
    ("", {"choices": [{"message": {"role": "assistant", "content": ""}, "finish_reason": "error"}]}, "error"),
    ("responses", {"status": "failed", "error": {"code": "server_error", "message": "it broke"}}, "it broke"),
    ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "Overloaded"),
    ("gemini", {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}, "overloaded"),
    ("gemini", {"candidates": [{"finishReason": "OTHER"}]}, "OTHER"),
    ("ollama", {"error": "model runner has unexpectedly stopped"}, "unexpectedly stopped"),
]


@pytest.mark.parametrize(("dialect", "body", "reason"), PASSING)
def test_an_error_inside_a_200_is_asked_again_and_keeps_its_reason(
    dialect: str, body: Any, reason: str, tmp_path: Path
) -> None:
    with serving(as_json(body), as_json(RESPONSES[dialect])) as server:
        assert client(server, dialect).ask(ASK, "t").tries == 2
    with serving(as_json(body)) as server:
        asker = client(server, dialect, tries=2).remember(tmp_path)
        call = asker.ask(ASK, "t")
        assert reason in (call.failure or "")
        assert asker.ask(ASK, "t").failure, "a failure is no cached answer"
        assert len(server.seen) == 4


def test_an_error_that_an_earlier_release_cached_as_an_answer_is_asked_again(tmp_path: Path) -> None:
    with serving(completion("2")) as server:
        asker = client(server).remember(tmp_path)
        key = asker.ask(ASK, "t").key
        asker._cache.close()  # type: ignore[union-attr]
        path = tmp_path / "calls-1.jsonl"
        path.write_text(path.read_text().replace('"finish": "stop"', '"finish": "error"'))
        assert ResponseCache(tmp_path).find(key) is None
        assert client(server).remember(tmp_path).ask(ASK, "t").content == "2"
        assert len(server.seen) == 2


STOPPING = [
    ("", 402, {"error": {"code": 402, "message": "Insufficient credits"}}),
    ("", 200, {"error": {"code": 402, "message": "Insufficient credits"}}),
    ("", 429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}),
    ("", 429, {"error": {"code": 429, "message": "Rate limit exceeded: free-models-per-day"}}),
    ("", 402, {"error": {"message": "Insufficient Balance"}}),
    (
        "anthropic",
        400,
        {
            "type": "error",
            "error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the API"},
        },
    ),
    (
        "gemini",
        429,
        {
            "error": {
                "code": 429,
                "message": "You exceeded your current quota",
                "details": [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}],
            }
        },
    ),
]


@pytest.mark.parametrize(("dialect", "status", "body"), STOPPING)
def test_a_spent_account_stops_at_once_and_says_so(dialect: str, status: int, body: Any) -> None:
    with serving(as_json(body, status)) as server:
        with pytest.raises(InputError, match="no credit left"):
            client(server, dialect).ask(ASK, "t")
        assert len(server.seen) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Rate limit reached for requests per min (RPM): Limit 3", "code": "rate_limit_exceeded"}},
        {"error": {"details": [{"violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel"}]}]}},
    ],
)
def test_a_limit_per_minute_passes(body: Any) -> None:
    with serving(as_json(body, 429), completion("2")) as server:
        assert client(server).ask(ASK, "t").content == "2"


def test_input_that_a_moderator_flags_is_filtered_and_does_not_stop_the_work() -> None:
    body = {"error": {"code": 403, "message": "Input was flagged", "metadata": {"reasons": ["violence"]}}}
    with serving(as_json(body, 403)) as server:
        assert client(server).ask(ASK, "t").finish == "content_filter"


# -- keys and headers ----------------------------------------------------------------------------------------------------------


def test_a_key_that_a_model_repeats_is_masked_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-xyz/uvw")
    tokens = [{"token": t, "logprob": -0.1, "top_logprobs": []} for t in ("sk-", "xyz", "/uvw")]
    message = {"content": "sk-xyz/uvw it is", "reasoning_content": "the key is sk-xyz/uvw", "refusal": None}
    choice = {"message": message, "finish_reason": "stop", "logprobs": {"content": tokens}}
    # As PHP and others write JSON: a slash may be escaped.
    body = json.dumps({"choices": [choice], "model": "sk-xyz/uvw"}).replace("/", "\\/").encode()
    refusal = json.dumps({"error": {"message": "no: sk-xyz/uvw"}}).replace("/", "\\/").encode()
    with serving((200, {}, body), (422, {}, refusal)) as server:
        asker = client(server).remember(tmp_path)
        call = asker.ask(ASK, "t")
        assert call.content == "[key] it is"
        assert call.logprobs == ()
        assert (
            asker.ask([{"role": "user", "content": "?"}], "t").failure
            == 'HTTP 422: {"error": {"message": "no: [key]"}}'
        )
    assert len(list(read_calls(tmp_path))) == 2
    assert "xyz" not in "".join(p.read_text() for p in tmp_path.iterdir())


def test_further_headers_are_sent_and_their_secrets_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MORE", json.dumps({"X-Title": "the study", "X-Gateway-Token": "gate-1234"}))
    with serving(completion("the study has gate-1234")) as server:
        call = client(server, headers_variable="MORE").ask(ASK, "t")
        assert server.headers[0]["x-title"] == "the study"
        assert server.headers[0]["x-gateway-token"] == "gate-1234"
    assert call.content == "the study has [key]"


@pytest.mark.parametrize("text", ["", "[1]", '{"a": 1}', "no JSON", '{"a": "line\\nbreak"}'])
def test_headers_that_are_none_are_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("MORE", text)
    with serving(completion("2")) as server, pytest.raises(InputError, match="MORE"):
        client(server, headers_variable="MORE").ask(ASK, "t")


# -- structured output ---------------------------------------------------------------------------------------------------------

WET = '{"is_wet": "yes"}'


def test_whether_an_endpoint_supports_schemas_is_tried_once_and_cached(tmp_path: Path) -> None:
    with serving(completion(WET)) as server:
        asker = client(server).remember(tmp_path)
        assert [asker.supports_schema() for _ in range(2)] == [True, True]
        assert client(server).remember(tmp_path).supports_schema()
        assert client(server).remember(tmp_path, offline=True).supports_schema()
        assert len(server.seen) == 1
    assert not client(server).remember(tmp_path / "elsewhere", offline=True).supports_schema()


@pytest.mark.parametrize(
    "script",
    [
        [(400, {}, b"Unsupported parameter: 'response_format'"), completion("Yes.")],
        [(400, {}, b"json_schema cannot be had here")],
        [completion("Water is wet.")],
        [completion('{"is_wet": "maybe"}')],
    ],
    ids=["refused by name", "refused", "ignored", "not obeyed"],
)
def test_an_endpoint_without_schemas(script: list[Answer]) -> None:
    with serving(*script) as server:
        assert client(server).supports_schema() is False


TOOL_CALLS: dict[str, dict[str, Any]] = {
    "": {
        "choices": [
            {
                "message": {"content": None, "tool_calls": [{"function": {"name": "answer", "arguments": WET}}]},
                "finish_reason": "tool_calls",
            }
        ]
    },
    "responses": {"output": [{"type": "function_call", "call_id": "1", "name": "answer", "arguments": WET}]},
    "anthropic": {
        "content": [{"type": "tool_use", "id": "1", "name": "answer", "input": {"is_wet": "yes"}}],
        "stop_reason": "tool_use",
    },
    "gemini": {
        "candidates": [
            {
                "content": {"parts": [{"functionCall": {"name": "answer", "args": {"is_wet": "yes"}}}]},
                "finishReason": "STOP",
            }
        ]
    },
    "ollama": {
        "message": {"content": "", "tool_calls": [{"function": {"name": "answer", "arguments": {"is_wet": "yes"}}}]}
    },
}
SENT_TOOLS: dict[str, dict[str, Any]] = {
    "": {
        "tools": [
            {
                "type": "function",
                "function": {"name": "answer", "description": "Give the answer.", "parameters": SCHEMA},
            }
        ],
        "tool_choice": {"type": "function", "function": {"name": "answer"}},
    },
    "responses": {
        "tools": [
            {
                "type": "function",
                "name": "answer",
                "description": "Give the answer.",
                "parameters": SCHEMA,
                "strict": False,
            }
        ],
        "tool_choice": {"type": "function", "name": "answer"},
    },
    "anthropic": {
        "tools": [{"name": "answer", "description": "Give the answer.", "input_schema": SCHEMA}],
        "tool_choice": {"type": "tool", "name": "answer"},
    },
    "gemini": {
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "answer", "description": "Give the answer.", "parametersJsonSchema": SCHEMA}
                ]
            }
        ],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["answer"]}},
    },
    "ollama": {
        "tools": [
            {
                "type": "function",
                "function": {"name": "answer", "description": "Give the answer.", "parameters": SCHEMA},
            }
        ]
    },
}


@pytest.mark.parametrize("dialect", TOOL_CALLS)
def test_an_endpoint_that_has_tool_calls_alone_is_asked_by_them(dialect: str, tmp_path: Path) -> None:
    by_tool = as_json({**RESPONSES[dialect], **TOOL_CALLS[dialect]})
    with serving(completion("words") if not dialect else as_json({}, 422), by_tool) as server:
        asker = client(server, dialect).remember(tmp_path)
        assert asker.supports_schema()
        assert len(server.seen) == 2
        assert asker.ask(ASK, "t", schema=SCHEMA).content == WET
        assert SENT_TOOLS[dialect].items() <= server.seen[-1].items()
        again = client(server, dialect).remember(tmp_path, offline=True)
        assert again.supports_schema(), "replayed in the same form"
        assert again.ask(ASK, "t", schema=SCHEMA).content == WET


def test_an_endpoint_that_does_not_answer_leaves_it_open() -> None:
    with serving((500, {}, b"")) as server, pytest.raises(InputError, match="schemas"):
        client(server, tries=1).supports_schema()


def test_a_parameter_that_a_dialect_calls_by_another_name_is_given_up_by_that_name() -> None:
    told = {"error": {"message": "Invalid JSON payload: Unknown name 'topP'"}}
    with serving(as_json(told, 400), as_json(RESPONSES["gemini"])) as server:
        call: Call = client(server, "gemini", top_p=0.5).ask(ASK, "t")
        assert call.adapted == ("top_p",)
        assert "topP" not in server.seen[1]["generationConfig"]
