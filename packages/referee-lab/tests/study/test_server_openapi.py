"""Whatever the description of the interface allows, and what it does not: no request makes the server fail."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from study_server import Clock, Person, Site, site, study_folder

from referee_lab.server.web.middleware import Limits, Rate
from referee_lab.server.web.server import create_app

schema = schemathesis.openapi.from_dict(create_app([]).openapi())
# `make test-all` sends more requests of each kind, and those at the limits of every field, whose making takes every test process seconds.
THOROUGH = bool(os.environ.get("REFEREE_THOROUGH"))
schema.config.phases.coverage.enabled = THOROUGH
EXAMPLES = 12 if THOROUGH else 6
OPEN = Limits(**{name: Rate(each_second=1e9, burst=1e9) for name in ("session", "doors", "guesses")})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(study_folder(tmp_path_factory.mktemp("studies")), Clock(), OPEN) as opened:
        yield opened


@pytest.fixture(scope="module")
def person(server: Site) -> Person:
    return Person(server).begin()


@schema.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_no_request_makes_the_server_fail(case: Any, server: Site, person: Person) -> None:
    case.path_parameters["study"] = "demo"
    for token in (person.token, server.served.keys.manage):
        sent = case.as_transport_kwargs(base_url="http://study.test")
        headers = {**sent["headers"], "Authorization": f"Bearer {token}", "X-Referee-Tab": person.tab}
        body = {"content": sent["data"]} if isinstance(sent.get("data"), bytes) else {"json": sent.get("json")}
        reply = server(
            sent["method"],
            sent["url"].removeprefix("http://study.test"),
            params=sent.get("params"),
            headers=headers,
            **body,
        )
        assert reply.status_code < 500, reply.text
        if reply.status_code >= 400:
            assert set(reply.json()) >= {"problem", "message"}
