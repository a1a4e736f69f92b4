"""What an API takes and gives, as OpenAPI 3.1: the frame; a collection says what stands in it."""

from collections.abc import Mapping, Sequence
from typing import Any

from portico import __version__

Json = dict[str, Any]

TEXT: Mapping[str, Any] = {"type": "string"}


def describe_paths(title: str, paths: Mapping[str, Json], schemas: Json | None = None) -> Json:
    """All that can be asked, with the form of every answer."""
    described = {
        "openapi": "3.1.0",
        "info": {"title": f"{title}: API", "version": __version__},
        "paths": dict(paths),
    }
    return described | ({"components": {"schemas": schemas}} if schemas else {})


def describe_parameter(name: str, words: str, schema: Mapping[str, Any]) -> Json:
    return {"name": name, "in": "query", "required": False, "description": words, "schema": dict(schema)}


def describe_id(words: str) -> Json:
    """An id in the path of an address."""
    return {"name": "id", "in": "path", "required": True, "description": words, "schema": dict(TEXT)}


def describe_get(summary: str, parameters: Sequence[Json], answer: Json, problem: Json) -> Json:
    """One address: what it is for, what it takes, the schema of its answer and of its refusals."""
    refused = {"content": {"application/json": {"schema": problem}}}
    answers: Json = {
        "200": {"description": "found", "content": {"application/json": {"schema": answer}}},
        "301": {"description": "it has another id now"},
        "404": {"description": "there is no such thing"} | refused,
        "503": {"description": "the search index is not ready, or damaged"} | refused,
    }
    return {"get": {"summary": summary, "parameters": [*parameters], "responses": answers}}
