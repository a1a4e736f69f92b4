"""What the API of a portal of papers takes and gives: programs are written, and answers checked, by it."""

from collections.abc import Mapping
from typing import Any

from portico.index.searcher import DEEPEST, SORTS
from portico.serve.api.description import TEXT as _TEXT
from portico.serve.api.description import describe_get, describe_id, describe_parameter, describe_paths
from portico.serve.search import PAGE_SIZE

Json = dict[str, Any]

_WHOLE: Mapping[str, Any] = {"type": "integer"}
_COUNT: Mapping[str, Any] = {"type": "integer", "minimum": 0}
_NUMBER: Mapping[str, Any] = {"type": "number"}
_CHANCE: Mapping[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
_YEAR: Mapping[str, Any] = {"type": "string", "pattern": "^[0-9]{1,4}$"}

_SEARCH_PARAMETERS = (
    ("q", 'words, "phrases", +must, -not, author:name, year:1995..1999, a OR b, (groups), begin*', _TEXT),
    ("sort", "the order", {"type": "string", "enum": [*SORTS]}),
    ("topic", "a path of the topic tree, its names joined with /", _TEXT),
    ("author", "a name as printed", _TEXT),
    ("venue", "a venue as printed", _TEXT),
    ("from", "the first year", _YEAR),
    ("to", "the last year", _YEAR),
    ("after", "with page: `after` of the page before, so that none is missed when papers come or go", _TEXT),
    ("page", "which twenty papers", {"type": "integer", "minimum": 1, "maximum": DEEPEST // PAGE_SIZE}),
)


def describe_papers_api(title: str) -> Json:
    """All that can be asked, with the form of every answer."""
    searching = [describe_parameter(*each) for each in _SEARCH_PARAMETERS]
    typed = [describe_parameter("q", "what has been typed so far", _TEXT)]
    paper, author = [describe_id("the paper's id")], [describe_id("the author's id")]
    return describe_paths(
        title,
        {
            "/api/search": _get("Papers that fit a query, with facets", searching, "Search"),
            "/api/paper/{id}": _get("One paper with fields, topics and citations", paper, "Paper"),
            "/api/author/{id}": _get("One author with papers, years and co-authors", author, "Author"),
            "/api/topics": _get("The topic tree with the number of papers", [], "Topics"),
            "/api/suggest": _get("How a query that is being typed may go on", typed, "Suggestions"),
        },
        _schemas(),
    )


def _schemas() -> Json:
    brief: Json = {
        "id": _said("fit for an address: /paper/{id}", _TEXT),
        "url": _said("the page of the paper, without the host", _TEXT),
        "title": _TEXT,
        "authors": _said("names as printed", _list(_TEXT)),
        "year": _or_null(_WHOLE),
        "venue": _or_null(_TEXT),
        "held": _said("whether the portal has the paper, or knows it from citations", {"type": "boolean"}),
        "citations": _said("papers of the portal that cite it", _COUNT),
        "authority": _said("how much it is cited by papers that cite well: seminal papers", _NUMBER),
        "hub": _said("how much it cites what is cited well: surveys", _NUMBER),
    }
    found: Json = {
        "score": _said("how well it fits; to be compared within one search", _NUMBER),
        "snippet": _said("the passage that fits best", _TEXT),
        "marks": _said("where in the snippet the words are: start and end", _list(_list(_COUNT))),
    }
    return {
        "Search": _search(_object(brief | found)),
        "Paper": _object(brief | _details()),
        "Author": _author(),
        "Topics": _object({"topics": _list(_object({"path": _TEXT, "papers": _COUNT}))}),
        "Suggestions": _object({"suggestions": _list(_TEXT)}),
        "Problem": _object({"error": _said("for people", _TEXT)}),
    }


def _search(hit: Json) -> Json:
    counted = _list(_object({"value": _TEXT, "count": _COUNT}))
    return _object(
        {
            "query": _TEXT,
            "total": _COUNT,
            "page": {"type": "integer", "minimum": 1},
            "next": _said("the page behind this one, if there is one", _or_null(_WHOLE)),
            "notice": _said("what was done where the query could not be taken as it is; may be empty", _TEXT),
            "suggestion": _said("the query that may have been meant; may be empty", _TEXT),
            "facets": _said(
                "by what the search can be narrowed", {"type": "object", "additionalProperties": counted}
            ),
            "after": _said("to be sent with the next page", _TEXT),
            "papers": _list(hit),
        }
    )


def _details() -> Json:
    """What is told of one paper alone."""
    field = {"name": _TEXT, "value": _TEXT, "confidence": _CHANCE}
    version = {"year": _or_null(_WHOLE), "venue": _or_null(_TEXT), "form": _or_null(_TEXT)}
    return {
        "people": _said("whose the names on it are", _list(_object({"name": _TEXT, "id": _TEXT}))),
        "versions": _said("report, conference paper, article", _list(_object(version))),
        "abstract": _or_null(_TEXT),
        "fields": _said("everything that was read", _list(_object(field))),
        "topics": _list(_object({"path": _TEXT, "probability": _CHANCE})),
        "sources": _said("where it was found", _list(_TEXT)),
        "references": _said("ids of papers it cites", _list(_TEXT)),
        "cited_by": _said("ids of papers that cite it", _list(_TEXT)),
    }


def _author() -> Json:
    return _object(
        {
            "id": _TEXT,
            "url": _TEXT,
            "name": _TEXT,
            "printed": _said("forms of the name", _list(_object({"name": _TEXT, "count": _COUNT}))),
            "papers": _said("ids", _list(_TEXT)),
            "years": _list(_object({"year": _WHOLE, "papers": _COUNT})),
            "coauthors": _list(_object({"id": _TEXT, "name": _TEXT, "papers": _COUNT})),
        }
    )


def _object(properties: Mapping[str, Mapping[str, Any]]) -> Json:
    """Everything named is always there, if only as null."""
    named = {name: dict(schema) for name, schema in properties.items()}
    return {"type": "object", "required": [*named], "properties": named}


def _list(items: Mapping[str, Any]) -> Json:
    return {"type": "array", "items": dict(items)}


def _or_null(schema: Mapping[str, Any]) -> Json:
    return {**schema, "type": [schema["type"], "null"]}


def _said(words: str, schema: Mapping[str, Any]) -> Json:
    return {"description": words, **schema}


def _get(summary: str, parameters: list[Json], answer: str) -> Json:
    return describe_get(summary, parameters, _reference(answer), _reference("Problem"))


def _reference(schema: str) -> Json:
    return {"$ref": f"#/components/schemas/{schema}"}
