"""What may be sent to the server: every field with its kind and its largest size, so that nothing else gets any further."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, RootModel, StringConstraints, ValidationError, field_validator

from referee.studies.sessions.refusals import Problem
from referee.studies.store.schema import canonical

__all__ = [
    "Agree",
    "Beacon",
    "Claim",
    "Client",
    "Correct",
    "EndSession",
    "Enter",
    "PlatformIds",
    "ScreenOut",
    "Trial",
    "WithdrawByCode",
    "describe_trial",
    "read_trial",
]

Line = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
Tab = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{8,64}$")]
Flag = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
Number = Annotated[float, Field(allow_inf_nan=False, strict=True)]
Name = Annotated[str, StringConstraints(max_length=60)]


def _whole(value: dict[str, Any]) -> dict[str, Any]:
    """Only what can be stored and read again everywhere: no NaN, no half characters, no bottomless nesting."""
    try:
        canonical(value)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise ValueError(f"cannot be stored as JSON ({type(error).__name__})") from None
    return value


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PlatformIds(BaseModel):
    """What the link said. Anything else in it is ignored."""

    model_config = ConfigDict(extra="ignore")

    PROLIFIC_PID: Line = ""
    STUDY_ID: Line = ""
    SESSION_ID: Line = ""
    assignmentId: Line = ""
    hitId: Line = ""
    workerId: Line = ""
    turkSubmitTo: Line = ""
    label: Line = ""


class Enter(_Body):
    platform: PlatformIds = PlatformIds()
    tab: Tab
    mode: Literal["debug"] | None = None


class Agree(_Body):
    agree: bool
    hash: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Claim(_Body):
    tab: Tab


class Client(RootModel[dict[str, Any]]):
    """Whatever the page measured about its display."""

    root: dict[str, Any] = Field(max_length=60)

    _whole = field_validator("root")(_whole)


class Trial(_Body):
    index: Annotated[int, Field(ge=0, le=100_000, strict=True)]
    attempt: Annotated[int, Field(ge=1, le=1000, strict=True)]
    state: Literal["done", "aborted"]
    answer: dict[str, Any] = Field(default_factory=dict, max_length=100)
    times: dict[Name, Number | list[Number | None] | None] = Field(default_factory=dict, max_length=60)
    flags: list[Flag] = Field(default_factory=list, max_length=32)
    sent_ms: Number | None = None

    _whole = field_validator("answer", "times")(_whole)


def read_trial(uuid: str, content: bytes) -> tuple[str, Trial]:
    """The name and body of an answer, checked like every other request."""
    try:
        name = str(UUID(uuid))
    except ValueError:
        raise Problem(422, "malformed", "path.uuid: not a UUID", where="path.uuid") from None
    try:
        return name, Trial.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False, include_url=False)[0]
        where = ".".join(["body", *map(str, first["loc"])])
        raise Problem(422, "malformed", f"{where}: {first['msg']}", where=where) from None


def describe_trial() -> dict[str, Any]:
    """The request as OpenAPI has it, for the one route that reads it by hand."""
    texts = {
        name: {"in": "header", "name": name, "schema": {"type": "string"}}
        for name in ("Authorization", "X-Referee-Tab")
    }
    path = {
        name: {"in": "path", "name": name, "required": True, "schema": {"type": "string"}} for name in ("study", "uuid")
    }
    body = {"required": True, "content": {"application/json": {"schema": Trial.model_json_schema()}}}
    return {"parameters": [*path.values(), *texts.values()], "requestBody": body}


class Beacon(_Body):
    token: Annotated[str, StringConstraints(max_length=4000)]
    tab: Tab
    uuid: Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F-]{36}$")]
    trial: Trial


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

    _whole = field_validator("answer")(_whole)
