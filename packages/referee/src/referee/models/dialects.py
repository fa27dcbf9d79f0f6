"""The interfaces of endpoints.

Each dialect converts a chat completion's request to its vendor's, and the response back.

The rest of the package uses chat completions only: they are cached, keyed, written into batch files and parsed. A
prefix of the endpoint names the dialect (``anthropic:https://api.anthropic.com/v1``); an address without one uses
OpenAI's chat completions, like vLLM, llama.cpp's server, OpenRouter and most others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit


class ResponseError(Exception):
    """An error that came inside a response of status 200.

    `status` is the code it names, 0 where it names none.
    """

    def __init__(self, reason: str, status: int = 0) -> None:
        super().__init__(reason)
        self.status = status


class ChatCompletions:
    """OpenAI's chat completions (`/chat/completions`), the internal form of questions.

    `unsupported` are parameters that the interface lacks; `renamed` maps parameters to its own names.
    """

    key_variable: ClassVar[str] = "OPENAI_API_KEY"
    unsupported: ClassVar[frozenset[str]] = frozenset()
    renamed: ClassVar[Mapping[str, str]] = {}

    def address(self, url: str, model: str) -> str:
        """Return the address that questions are posted to."""
        return _append_path(url, "/chat/completions")

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers that carry the key.

        There are none without a key, since local servers seldom want one.
        """
        return {"Authorization": f"Bearer {key}"} if key else {}

    def request(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the body of the request."""
        return question

    def completion(self, response: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the response as a chat completion.

        Raises:
            ResponseError: the response is an error.
            LookupError, TypeError, ValueError, AttributeError: it is something else altogether.
        """
        if response.get("error") and not response.get("choices"):
            raise _make_error(response["error"])
        choice = response["choices"][0]
        if choice.get("finish_reason") == "error" or choice.get("error"):
            raise _make_error(choice.get("error") or response.get("error"))
        if not isinstance(choice["message"], dict):
            raise TypeError("no message")
        return response


class AzureOpenAI(ChatCompletions):
    """Azure's deployments of OpenAI's models.

    The deployment (`model`) is a part of the address, the version a parameter of it.
    """

    key_variable = "AZURE_OPENAI_API_KEY"
    api_version: ClassVar[str] = "2024-10-21"  # the latest that is generally available with this form of address

    def address(self, url: str, model: str) -> str:
        """Return the address of a deployment."""
        parts = urlsplit(url)
        path = parts.path.rstrip("/")
        if "/deployments/" not in path:
            path = f"{path.removesuffix('/openai')}/openai/deployments/{quote(model, safe='')}"
        query = {"api-version": self.api_version, **dict(parse_qsl(parts.query))}
        return urlunsplit((parts.scheme, parts.netloc, f"{path}/chat/completions", urlencode(query), ""))

    def headers(self, key: str) -> dict[str, str]:
        return {"api-key": key} if key else {}


class OpenAIResponses(ChatCompletions):
    """OpenAI's Responses (`/responses`); the vendor stores no data."""

    unsupported = frozenset({"seed"})
    renamed: ClassVar[Mapping[str, str]] = {
        "max_tokens": "max_output_tokens",
        "reasoning_effort": "reasoning",
        "response_format": "text",
    }

    def address(self, url: str, model: str) -> str:
        return _append_path(url, "/responses")

    def request(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the request of a chat completion in this interface."""
        schema, tool = _get_schema(question), _get_tool(question)
        body = {
            "model": question["model"],
            "input": [self._convert_message(m) for m in question["messages"]],
            "store": False,
            "temperature": question.get("temperature"),
            "top_p": question.get("top_p"),
            "max_output_tokens": question.get("max_tokens"),
            "reasoning": {"effort": question["reasoning_effort"]} if "reasoning_effort" in question else None,
            "text": {"format": {"type": "json_schema", **schema}} if schema else None,
            "tools": [{"type": "function", **tool, "strict": False}] if tool else None,
            "tool_choice": {"type": "function", "name": tool["name"]} if tool else None,
            "include": ["message.output_text.logprobs"] if question.get("logprobs") else None,
            "top_logprobs": question.get("top_logprobs"),
        }
        return _drop_none(body)

    def _convert_message(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return a chat message in this interface."""
        kind = "output_text" if message["role"] == "assistant" else "input_text"
        parts = [
            {"type": "input_image", "image_url": part["image_url"]["url"]}
            if "image_url" in part
            else {"type": kind, "text": part["text"]}
            for part in _list_parts(message)
        ]
        return {"role": message["role"], "content": parts}

    def completion(self, response: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a response as a chat completion."""
        if response.get("error") or response.get("status") in ("failed", "cancelled"):
            raise _make_error(response.get("error"))
        contents = [c for item in response["output"] if item["type"] == "message" for c in item["content"]]
        calls = [item["arguments"] for item in response["output"] if item["type"] == "function_call"]
        thoughts = [s["text"] for item in response["output"] if item["type"] == "reasoning" for s in item["summary"]]
        refusals = [c["refusal"] for c in contents if c["type"] == "refusal"]
        reason = (response.get("incomplete_details") or {}).get("reason")
        usage = response.get("usage") or {}
        return _make_completion(
            response.get("model"),
            text="".join(c["text"] for c in contents if c["type"] == "output_text") or "".join(calls[:1]),
            refusal="".join(refusals) or None,
            reasoning="\n".join(thoughts) or None,
            finish={None: "stop", "max_output_tokens": "length"}.get(reason, reason),
            tokens=(usage.get("input_tokens"), usage.get("output_tokens")),
            logprobs=[token for c in contents for token in c.get("logprobs") or ()],
        )


class Anthropic(ChatCompletions):
    """Anthropic's Messages (`/messages`)."""

    key_variable = "ANTHROPIC_API_KEY"
    unsupported = frozenset({"logprobs", "reasoning_effort", "seed", "top_logprobs"})
    renamed: ClassVar[Mapping[str, str]] = {"response_format": "output_config"}
    # The interface demands a number.
    max_tokens: ClassVar[int] = 4096

    def address(self, url: str, model: str) -> str:
        return _append_path(url, "/messages")

    def headers(self, key: str) -> dict[str, str]:
        return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}

    def request(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the request of a chat completion in this interface."""
        schema, tool = _get_schema(question), _get_tool(question)
        body = {
            "model": question["model"],
            "system": _get_system_prompt(question) or None,
            "messages": [
                {"role": m["role"], "content": [self._convert_part(part) for part in _list_parts(m)]}
                for m in _get_dialogue(question)
            ],
            "max_tokens": question.get("max_tokens", self.max_tokens),
            "temperature": question.get("temperature"),
            "top_p": question.get("top_p"),
            "output_config": {"format": {"type": "json_schema", "schema": schema["schema"]}} if schema else None,
            "tools": [{**_drop_fields(tool, "parameters"), "input_schema": tool["parameters"]}] if tool else None,
            "tool_choice": {"type": "tool", "name": tool["name"]} if tool else None,
        }
        return _drop_none(body)

    def _convert_part(self, part: Mapping[str, Any]) -> dict[str, Any]:
        """Return a part of a message: text or picture."""
        if "image_url" not in part:
            return {"type": "text", "text": part["text"]}
        kind, data = _split_data_url(part)
        return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}

    def completion(self, response: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a response as a chat completion."""
        if response.get("type") == "error" or response.get("error"):
            raise _make_error(response.get("error"))
        blocks, usage = response["content"], response.get("usage") or {}
        calls = [json.dumps(b["input"], ensure_ascii=False) for b in blocks if b["type"] == "tool_use"]
        reason = response.get("stop_reason")
        finish = {
            "end_turn": "stop",
            "stop_sequence": "stop",
            "max_tokens": "length",
            "model_context_window_exceeded": "length",
            "refusal": "content_filter",
            "tool_use": "tool_calls",
        }
        cached = (usage.get("cache_creation_input_tokens") or 0) + (usage.get("cache_read_input_tokens") or 0)
        return _make_completion(
            response.get("model"),
            text="".join(b["text"] for b in blocks if b["type"] == "text") or "".join(calls[:1]),
            reasoning="\n".join(b["thinking"] for b in blocks if b["type"] == "thinking") or None,
            finish=finish.get(reason or "", reason),
            tokens=((usage.get("input_tokens") or 0) + cached, usage.get("output_tokens")),
        )


class Gemini(ChatCompletions):
    """Google's Gemini (`/models/NAME:generateContent`)."""

    key_variable = "GEMINI_API_KEY"
    unsupported = frozenset({"logprobs", "reasoning_effort", "top_logprobs"})
    renamed: ClassVar[Mapping[str, str]] = {
        "max_tokens": "maxOutputTokens",
        "response_format": "responseJsonSchema",
        "top_p": "topP",
    }

    def address(self, url: str, model: str) -> str:
        return _append_path(url, f"/models/{quote(model.removeprefix('models/'), safe='')}:generateContent")

    def headers(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key} if key else {}

    def request(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the request of a chat completion in this interface."""
        schema, tool = _get_schema(question), _get_tool(question)
        calling = {"mode": "ANY", "allowedFunctionNames": [tool["name"]]} if tool else None
        settings = {
            "temperature": question.get("temperature"),
            "topP": question.get("top_p"),
            "maxOutputTokens": question.get("max_tokens"),
            "seed": question.get("seed"),
            "responseMimeType": "application/json" if schema else None,
            "responseJsonSchema": schema["schema"] if schema else None,
        }
        system = _get_system_prompt(question)
        body = {
            "systemInstruction": {"parts": [{"text": system}]} if system else None,
            "contents": [
                {
                    "role": "model" if m["role"] == "assistant" else "user",
                    "parts": [self._convert_part(part) for part in _list_parts(m)],
                }
                for m in _get_dialogue(question)
            ],
            "generationConfig": _drop_none(settings),
            "tools": [{"functionDeclarations": [_get_declared_tools(tool)]}] if tool else None,
            "toolConfig": {"functionCallingConfig": calling} if calling else None,
        }
        return _drop_none(body)

    def _convert_part(self, part: Mapping[str, Any]) -> dict[str, Any]:
        """Return a part of a message: text or picture."""
        if "image_url" not in part:
            return {"text": part["text"]}
        kind, data = _split_data_url(part)
        return {"inlineData": {"mimeType": kind, "data": data}}

    def completion(self, response: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a response as a chat completion."""
        if response.get("error"):
            raise _make_error(response["error"])
        usage = response.get("usageMetadata") or {}
        tokens = (
            usage.get("promptTokenCount"),
            (usage.get("candidatesTokenCount") or 0) + (usage.get("thoughtsTokenCount") or 0),
        )
        model = response.get("modelVersion")
        if (response.get("promptFeedback") or {}).get("blockReason"):
            return _make_completion(model, text=None, finish="content_filter", tokens=tokens)
        candidate = response["candidates"][0]
        reason = candidate.get("finishReason")
        if reason in ("OTHER", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"):
            raise ResponseError(f"{reason}: {candidate.get('finishMessage', '')}")
        parts = (candidate.get("content") or {}).get("parts") or []
        calls = [json.dumps(p["functionCall"].get("args"), ensure_ascii=False) for p in parts if "functionCall" in p]
        blocked = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE")
        return _make_completion(
            model,
            text="".join(p.get("text", "") for p in parts if not p.get("thought")) or "".join(calls[:1]) or None,
            reasoning="".join(p.get("text", "") for p in parts if p.get("thought")) or None,
            finish={"STOP": "stop", "MAX_TOKENS": "length"}.get(
                reason, "content_filter" if reason in blocked else reason
            ),
            tokens=tokens,
        )


class Ollama(ChatCompletions):
    """Ollama's own interface (`/api/chat`)."""

    key_variable = "OLLAMA_API_KEY"
    unsupported = frozenset({"logprobs", "tool_choice", "top_logprobs"})
    renamed: ClassVar[Mapping[str, str]] = {
        "max_tokens": "num_predict",
        "reasoning_effort": "think",
        "response_format": "format",
    }

    def address(self, url: str, model: str) -> str:
        return _append_path(url.rstrip("/").removesuffix("/api"), "/api/chat")

    def request(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the request of a chat completion in this interface."""
        schema = _get_schema(question)
        options = {
            "temperature": question.get("temperature"),
            "top_p": question.get("top_p"),
            "seed": question.get("seed"),
            "num_predict": question.get("max_tokens"),
        }
        body = {
            "model": question["model"],
            "messages": [self._convert_message(m) for m in question["messages"]],
            "stream": False,
            "think": question.get("reasoning_effort"),
            "format": schema["schema"] if schema else None,
            "tools": question.get("tools"),
            "options": _drop_none(options),
        }
        return _drop_none(body)

    def _convert_message(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return a chat message in this interface."""
        pictures = [_split_data_url(part)[1] for part in _list_parts(message) if "image_url" in part]
        words = "\n".join(part["text"] for part in _list_parts(message) if "text" in part)
        return {"role": message["role"], "content": words, **({"images": pictures} if pictures else {})}

    def completion(self, response: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a response as a chat completion."""
        if response.get("error"):
            raise _make_error(response["error"])
        message = response["message"]
        calls = [json.dumps(c["function"]["arguments"], ensure_ascii=False) for c in message.get("tool_calls") or ()]
        return _make_completion(
            response.get("model"),
            text=message.get("content") or "".join(calls[:1]),
            reasoning=message.get("thinking"),
            finish=response.get("done_reason", "stop"),
            tokens=(response.get("prompt_eval_count"), response.get("eval_count")),
        )


DIALECTS: Mapping[str, ChatCompletions] = {
    "openai": ChatCompletions(),
    "azure": AzureOpenAI(),
    "responses": OpenAIResponses(),
    "anthropic": Anthropic(),
    "gemini": Gemini(),
    "ollama": Ollama(),
}


def split_endpoint(endpoint: str) -> tuple[ChatCompletions, str]:
    """Return the dialect that an endpoint's prefix names and the address after it.

    >>> dialect, url = split_endpoint("anthropic:https://api.anthropic.com/v1")
    >>> type(dialect).__name__, url
    ('Anthropic', 'https://api.anthropic.com/v1')
    """
    name, colon, url = endpoint.partition(":")
    if colon and name in DIALECTS:
        return DIALECTS[name], url
    return DIALECTS["openai"], endpoint


# -- parts of questions --------------------------------------------------------------------------------------------------------


def _append_path(url: str, path: str) -> str:
    """Return an address with a path added before its query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") + path, parts.query, ""))


def _list_parts(message: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _split_data_url(part: Mapping[str, Any]) -> tuple[str, str]:
    """Return the media type and the base64 data of a picture, which comes as a data URL."""
    head, _, data = part["image_url"]["url"].partition(",")
    return head.removeprefix("data:").removesuffix(";base64"), data


def _get_system_prompt(question: Mapping[str, Any]) -> str:
    return "\n".join(p["text"] for m in question["messages"] if m["role"] == "system" for p in _list_parts(m))


def _get_dialogue(question: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [m for m in question["messages"] if m["role"] != "system"]


def _get_schema(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return name, schema and strictness of the JSON that is asked for; empty where none is."""
    schema: Mapping[str, Any] = (question.get("response_format") or {}).get("json_schema") or {}
    return schema


def _get_tool(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the function that the answer must call; empty where there is none."""
    tools = question.get("tools") or [{}]
    function: Mapping[str, Any] = tools[0].get("function") or {}
    return function


def _get_declared_tools(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {**_drop_fields(tool, "parameters"), "parametersJsonSchema": tool["parameters"]}


def _drop_fields(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {field: part for field, part in fields.items() if field != name}


def _drop_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: field for name, field in fields.items() if field is not None}


# -- parts of responses --------------------------------------------------------------------------------------------------------


def _make_completion(
    model: str | None,
    *,
    text: str | None,
    finish: str | None,
    tokens: tuple[int | None, int | None],
    refusal: str | None = None,
    reasoning: str | None = None,
    logprobs: Sequence[Any] = (),
) -> dict[str, Any]:
    """Return a chat completion from its parts."""
    message = {"role": "assistant", "content": text, "refusal": refusal, "reasoning_content": reasoning}
    choice = {
        "message": message,
        "finish_reason": finish,
        "logprobs": {"content": list(logprobs)} if logprobs else None,
    }
    prompt, completion = (number or 0 for number in tokens)
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return {"model": model, "choices": [choice], "usage": usage}


def _make_error(error: Any) -> ResponseError:
    """Return an error in a response with its reason and, where it names one, its HTTP status."""
    if not isinstance(error, Mapping):
        return ResponseError(str(error) if error else "the endpoint reported an error while it generated the answer")
    code = error.get("code")
    status = int(str(code)) if str(code).isdigit() and 400 <= int(str(code)) < 600 else 0
    reason = str(error.get("message") or "") or json.dumps(error, ensure_ascii=False)
    kind = error.get("type") or (code if not status else None)
    return ResponseError(f"{kind}: {reason}" if kind else reason, status)
