"""The API keeps what its OpenAPI document says, for whatever schemathesis thinks of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from outflank.interfaces.league_client import LeagueClient
from tests.interfaces.web.serving import ADMIN, UNLIMITED, Served, serving

EXAMPLES = 5
CHECKS = [not_a_server_error, content_type_conformance, negative_data_rejection, response_schema_conformance,
          status_code_conformance, unsupported_method]  # fmt: skip
OF_ENTRANTS = ("POST /api/v1/players", "POST /api/v1/competitions/{competition_id}/nominations")
STREAM = "/events"  # goes on for as long as the run does


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("server")
    with serving(folder, f"sqlite:///{folder / 'league.db'}", "--no-worker", *UNLIMITED) as served:
        yield served


def test_every_operation_keeps_its_promises(server: Served) -> None:
    with LeagueClient(server.address) as league:
        key = league.register("Ada")
    schema = schemathesis.openapi.from_url(f"{server.address}/api/v1/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    assert len(operations) >= 13
    for operation in operations:
        if not operation.path.endswith(STREAM):
            for mode in GenerationMode:  # what the document allows, and what it does not
                _try(operation, mode, key if operation.label in OF_ENTRANTS else ADMIN)


def _try(operation: Any, mode: GenerationMode, key: str) -> None:
    @seed(7)
    @settings(max_examples=EXAMPLES, database=None, phases=[Phase.generate], deadline=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=mode))
    def keeps_its_promises(case: Any) -> None:
        case.call_and_validate(headers={"Authorization": f"Bearer {key}"}, checks=CHECKS, timeout=60)

    try:
        keeps_its_promises()
    except Unsatisfiable:  # one without parameters cannot be asked wrongly
        assert mode is GenerationMode.NEGATIVE
