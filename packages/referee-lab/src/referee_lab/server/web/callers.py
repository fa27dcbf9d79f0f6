"""Who is asking: the study of the address, the participant of the signed token, the organiser of the secret one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Path, Request

from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.served_study import Served
from referee_lab.server.web.middleware import Limits

# The same pattern as ids in study.toml (`folder.study`).
StudyId = Annotated[str, Path(alias="study", pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]


def find_study(studies: Mapping[str, Served], study: str) -> Served:
    """Return the served study of an id. Raises Problem if there is none."""
    served = studies.get(study)
    if served is None:
        raise Problem(404, "no-study", "There is no such study here. Check the link.")
    return served


async def get_visited(
    request: Request, study: StudyId
) -> Served:  # async, as all of these: a plain function would cost a thread each time
    """Return the study in the address of a request."""
    return find_study(request.app.state.studies, study)


Visited = Annotated[Served, Depends(get_visited)]


@dataclass(frozen=True, slots=True)
class Caller:
    """A participant: the content of their token (the session's id, or the data of their link before there is a session), and their browser window."""

    served: Served
    identity: dict[str, Any]
    tab: str

    @property
    def session(self) -> str:
        return str(self.identity["id"])


def read_participant(served: Served, limits: Limits, token: str, tab: str) -> Caller:
    """Return the participant of a token. Web sockets send it in their first message."""
    identity = served.keys.read(served.id, token)
    if not isinstance(identity.get("id"), str):
        raise Problem(401, "no-token", "Open the study's link again: this page is not known here.")
    # After the signature: knowing a person's id is not enough to use up their rate limit.
    limits.session.take(identity["id"])
    return Caller(served=served, identity=identity, tab=tab)


async def _get_participant(
    request: Request,
    served: Visited,
    authorization: Annotated[str, Header(max_length=4000)] = "",
    x_referee_tab: Annotated[str, Header(max_length=64)] = "",
) -> Caller:
    """Return the participant who sent a request. Raises Problem for an invalid token."""
    return read_participant(served, request.app.state.limits, get_bearer_token(authorization), x_referee_tab)


def read_caller(request: Request) -> Caller:
    """Return the participant of a request, from its headers."""
    served = find_study(request.app.state.studies, request.path_params["study"])
    headers = request.headers
    # Cut to the sizes that the declared parameters above allow.
    token, tab = get_bearer_token(headers.get("authorization", "")[:4000]), headers.get("x-referee-tab", "")[:64]
    return read_participant(served, request.app.state.limits, token, tab)


Participant = Annotated[Caller, Depends(_get_participant)]


def get_bearer_token(authorization: str) -> str:
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _require_organiser(*rights: str) -> Callable[..., Awaitable[Served]]:
    """Return a dependency that admits organisers with one of these rights (manage, view)."""

    async def is_allowed(
        request: Request, served: Visited, authorization: Annotated[str, Header(max_length=4000)] = ""
    ) -> Served:
        """Return the study if the token has one of the rights. Raises Problem if not."""
        right = served.keys.right(get_bearer_token(authorization))
        if right is None:
            # Only wrong tokens count, so guessing cannot lock the organisers out. One rate limit for the study, because
            # client addresses are not used.
            request.app.state.limits.guesses.take(f"organiser {served.id}")
            raise Problem(401, "no-token", "Open the organiser's link again: it carries the token after the #.")
        if right not in rights:
            raise Problem(403, "view-only", "This link is read-only. Use the managing link to change anything.")
        return served

    return is_allowed


Viewing = Annotated[Served, Depends(_require_organiser("view", "manage"))]
Managing = Annotated[Served, Depends(_require_organiser("manage"))]
