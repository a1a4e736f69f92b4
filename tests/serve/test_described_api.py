"""The API keeps what its description says, whatever is asked of it."""

from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import negative_data_rejection

from portico.serve.api import description
from tests.serve.conftest import Site

API = schemathesis.openapi.from_dict(description("Trees & Words"))

FORGIVEN: list[schemathesis.CheckFunction] = [negative_data_rejection]
"""A year that is none is left out of a search, by the API as by the page: it is no error."""


@API.parametrize()
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_answers_fit_the_description(case: schemathesis.Case[Any], site: Site) -> None:
    case.call_and_validate(base_url=site.url, excluded_checks=FORGIVEN)
