"""The API keeps what its description says, whatever is asked of it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import negative_data_rejection

from portico.serve.papers.api import describe_papers_api
from tests.serve.conftest import Site

API = schemathesis.openapi.from_dict(describe_papers_api("Trees & Words"))

FORGIVEN: list[schemathesis.CheckFunction] = [negative_data_rejection]
"""A year that is none is left out of a search, by the API as by the page: it is no error."""


@pytest.mark.parametrize(
    ("path", "schema"),
    [
        ("/api/search?q=trees", "Search"),
        ("/api/paper/forest", "Paper"),
        ("/api/author/young", "Author"),
        ("/api/topics", "Topics"),
        ("/api/suggest?q=mar", "Suggestions"),
        ("/api/paper/never", "Problem"),
    ],
)
def test_nothing_is_answered_that_is_not_described(site: Site, path: str, schema: str) -> None:
    described = describe_papers_api("Trees")["components"]["schemas"][schema]
    answer = json.loads(site.ask(path).body)
    assert answer
    assert [*undescribed(answer, described)] == []


def undescribed(answer: Any, schema: dict[str, Any]) -> Iterator[str]:
    """Keys of an answer that its schema does not name."""
    if isinstance(answer, list):
        for each in answer:
            yield from undescribed(each, schema["items"])
    elif isinstance(answer, dict):
        for name, value in answer.items():
            inner = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
            yield from undescribed(value, inner) if inner else (name,)


@API.parametrize()
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_answers_fit_the_description(case: schemathesis.Case[Any], site: Site) -> None:
    case.call_and_validate(base_url=site.url, excluded_checks=FORGIVEN)
