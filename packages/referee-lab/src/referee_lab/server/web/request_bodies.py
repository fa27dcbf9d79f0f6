"""The bodies of requests: every field with its type and maximal size; unknown fields are refused."""

from __future__ import annotations

import json
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,  # pydantic takes the TypedDict of typing only from Python 3.12 on
)
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    field_validator,
)
from typing_extensions import TypedDict

from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.store.schema import to_canonical_json
from referee_lab.study.protocols.contract import GivenAnswer

# No control characters: PostgreSQL stores no NUL, and such a line ends up in tables and on pages.
Line = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
Tab = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{8,64}$")]
Flag = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
# Strict: a text that looks like a number did not come from our page. JSON has no NaN to store.
Number = Annotated[float, Field(allow_inf_nan=False, strict=True)]
Name = Annotated[str, StringConstraints(max_length=60)]


def _require_storable(value: dict[str, Any]) -> dict[str, Any]:
    """Return the value if every database and reader can store it.

    Raises an error for NaN, lone surrogates and deep nesting.
    """
    try:
        to_canonical_json(value)
        # Canonical JSON is ASCII and would hide half a surrogate pair, which no export could write.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise ValueError(f"cannot be stored as JSON ({type(error).__name__})") from None
    return value


class _Body(BaseModel):
    # Undeclared fields are refused, not dropped silently.
    model_config = ConfigDict(extra="forbid")


class PlatformIds(BaseModel):
    """The ids in the link; its other parameters are ignored."""

    # Platforms put parameters of their own into links.
    model_config = ConfigDict(extra="ignore")

    PROLIFIC_PID: Line = ""
    STUDY_ID: Line = ""
    SESSION_ID: Line = ""
    assignmentId: Line = ""
    hitId: Line = ""
    workerId: Line = ""
    turkSubmitTo: Line = ""
    prolific_token: Annotated[str, StringConstraints(max_length=4000, pattern=r"^[A-Za-z0-9_.-]*$")] = ""
    survey_code: Line = ""
    label: Line = ""
    key: Line = ""


class Device(_Body):
    """The properties of a device that the page reports first."""

    width: Annotated[int, Field(ge=0, le=100_000)] = 0
    height: Annotated[int, Field(ge=0, le=100_000)] = 0
    # Whether the main pointer is a finger.
    coarse: bool = False


class Enter(_Body):
    platform: PlatformIds = PlatformIds()
    tab: Tab
    # A link can ask for a trial run and for nothing else: pilot and live are the study's word.
    mode: Literal["debug"] | None = None
    debug_key: Line = ""
    device: Device | None = None


class Agree(_Body):
    agree: bool
    hash: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class TakeOver(_Body):
    tab: Tab


class Client(RootModel[dict[str, Any]]):
    """The measurements of a page about its display."""

    root: dict[str, Any] = Field(max_length=60)

    _whole = field_validator("root")(_require_storable)


class AnswerFields(TypedDict):
    """The limits of an answer's fields; the result of parsing is a `GivenAnswer`."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]

    # Bounds that no plan reaches and every database column holds.
    index: Annotated[int, Field(ge=0, le=100_000, strict=True)]
    attempt: Annotated[int, Field(ge=1, le=1000, strict=True)]
    state: Literal["done", "aborted"]
    answer: NotRequired[Annotated[dict[str, Any], Field(max_length=100), AfterValidator(_require_storable)]]
    times: NotRequired[
        Annotated[
            dict[Name, Number | list[Number | None] | None], Field(max_length=60), AfterValidator(_require_storable)
        ]
    ]
    flags: NotRequired[Annotated[list[Flag], Field(max_length=32)]]
    sent_ms: NotRequired[Number | None]


_ANSWER = TypeAdapter(AnswerFields)


def convert_answer(fields: AnswerFields) -> GivenAnswer:
    """Return checked fields as an answer; `sent_ms` is for the page alone."""
    return GivenAnswer(
        answer=fields.get("answer", {}),
        times=fields.get("times", {}),
        flags=tuple(fields.get("flags", ())),
        step=fields["index"],
        attempt=fields["attempt"],
        state=fields["state"],
    )


def read_answer(uuid: str, content: bytes) -> tuple[str, GivenAnswer]:
    """Return the name and body of an answer, checked like every other request."""
    try:
        # One spelling: the same UUID in capitals is the same answer.
        name = str(UUID(uuid))
    except ValueError:
        raise Problem(422, "malformed", "path.uuid: not a UUID", where="path.uuid") from None
    try:
        return name, convert_answer(_ANSWER.validate_json(content))
    except ValidationError as error:
        # Without the input: it may be a participant's answer, and errors are logged.
        first = error.errors(include_input=False, include_context=False, include_url=False)[0]
        where = ".".join(["body", *map(str, first["loc"])])
        raise Problem(422, "malformed", f"{where}: {first['msg']}", where=where) from None


def describe_caller(*path: str) -> dict[str, Any]:
    """Return the headers and path parameters for OpenAPI of a route that reads the request by hand."""
    in_path = [{"in": "path", "name": n, "required": True, "schema": {"type": "string"}} for n in ("study", *path)]
    headers = [{"in": "header", "name": n, "schema": {"type": "string"}} for n in ("Authorization", "X-Referee-Tab")]
    return {"parameters": [*in_path, *headers]}


def describe_answer() -> dict[str, Any]:
    """Return the request body for OpenAPI of the route that takes an answer."""
    body = {"required": True, "content": {"application/json": {"schema": _ANSWER.json_schema()}}}
    return {**describe_caller("uuid"), "requestBody": body}


class Beacon(_Body):
    # In the body, since `sendBeacon` cannot set headers.
    token: Annotated[str, StringConstraints(max_length=4000)]
    tab: Tab
    uuid: Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F-]{36}$")]
    trial: AnswerFields


class ScreenOut(_Body):
    reason: Line = ""


class WithdrawByCode(_Body):
    code: Annotated[str, StringConstraints(max_length=40, pattern=r"^[A-Za-z0-9 -]*$")]


class EndSession(_Body):
    outcome: Literal["technical", "failed_check", "screened_out", "partner_left"]
    reason: Line = ""


class Correct(_Body):
    trial: Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F-]{36}$")]
    author: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
    reason: Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"^[^\x00]*$")]
    answer: dict[str, Any] = Field(max_length=100)

    _whole = field_validator("answer")(_require_storable)
