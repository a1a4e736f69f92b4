"""Papers, authors and topics as JSON, and the OpenAPI description of the API."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from portico.index.searcher import DEEPEST, SORTS
from portico.serve.api import TEXT, describe_get, describe_id, describe_parameter, describe_paths
from portico.serve.collection import FindEntity, Json, pair_hits
from portico.serve.escaping import strip_hidden
from portico.serve.links import make_author_url, make_paper_url
from portico.serve.papers import describing
from portico.serve.papers.bulk import MOST_AT_ONCE, USUALLY
from portico.serve.portal import ServedPortal
from portico.serve.search import PAGE_SIZE, get_last_shown
from portico.types.record import Entity
from portico.types.search import Results
from portico.types.topic import Assignment

_MOST_COAUTHORS = 1000


def make_api_routes(portal: ServedPortal, find: FindEntity) -> list[Route]:
    api = _PapersApi(portal, find)
    return [
        Route("/api/paper/{id}", api.paper),
        Route("/api/author/{id}", api.author),
        Route("/api/topics", api.topics),
    ]


def describe_hits(portal: ServedPortal, found: Results) -> Json:
    """The papers of a search as JSON, with the id after which the next page continues."""
    papers = [
        _describe_paper(entity) | {"score": hit.score, "snippet": hit.snippet, "marks": hit.marks}
        for entity, hit in pair_hits(portal, found)
    ]
    return {"after": get_last_shown(found), "papers": papers}


class _PapersApi:
    def __init__(self, portal: ServedPortal, find: FindEntity) -> None:
        self._portal, self._find = portal, find

    def paper(self, request: Request) -> Response:
        entity = self._find(request, lambda name: f"/api{make_paper_url(name)}")
        view, name = self._portal.view, entity.id
        return JSONResponse(
            _describe_paper(entity)
            | {
                "people": [
                    {"name": each.printed, "id": each.author}
                    for each in view.authors.of_papers([name]).get(name, ())
                ],
                "versions": [
                    {"year": each.year, "venue": each.venue or None, "form": each.form or None}
                    for each in entity.editions
                ],
                "abstract": strip_hidden(entity.value("abstract")),
                "fields": [
                    {
                        "name": field.name,
                        "value": strip_hidden(describing.hide_mailbox(field)),
                        "confidence": round(field.confidence, 4),
                    }
                    for field in entity.fields
                ],
                "topics": _list_topics(view.topics.of_documents(entity.documents)),
                "sources": [source.show_place() for source in view.sources(entity.documents)],
                "references": [link.entity.id for link in view.citations.references(name)],
                "cited_by": [link.entity.id for link in view.citations.citers(name, limit=1000)],
            }
        )

    def author(self, request: Request) -> Response:
        people, name = self._portal.view.authors, request.path_params["id"]
        card = people.card(name)
        if card is None:
            raise HTTPException(404, "The portal knows no author of this id.")
        if card.id != name:
            return RedirectResponse(f"/api{make_author_url(card.id)}", status_code=301)
        return JSONResponse(
            {
                "id": card.id,
                "url": make_author_url(card.id),
                "name": card.name,
                "printed": [{"name": printed, "count": count} for printed, count in card.variants],
                "papers": people.paper_ids(card.id),
                "years": [{"year": year, "papers": count} for year, count in people.years(card.id)],
                "coauthors": [
                    {"id": other.id, "name": other.name, "papers": other.n_papers}
                    for other in people.coauthors(card.id, limit=_MOST_COAUTHORS)
                ],
            }
        )

    def topics(self, request: Request) -> Response:
        tree = self._portal.overview.get().tree
        return JSONResponse(
            {"topics": [{"path": "/".join(node.path), "papers": node.n_papers} for node in tree]}
        )


def _describe_paper(entity: Entity) -> Json:
    return {
        "id": entity.id,
        "url": make_paper_url(entity.id),
        "title": describing.get_title(entity),
        "authors": describing.list_authors(entity),
        "year": int(year) if (year := describing.get_year(entity)) else None,
        "venue": describing.get_first_value(entity, describing.VENUE) or None,
        "language": entity.value("language"),
        "held": bool(entity.documents),
        "citations": entity.n_citations,
        "authority": entity.authority,
        "hub": entity.hub,
    }


def _list_topics(places: Sequence[Assignment]) -> list[Json]:
    """Each topic once, with the probability of its most probable document. The PDF and PostScript files
    of a paper are separate documents.
    """
    best: dict[str, float] = {}
    for place in places:
        best.setdefault("/".join(place.path), place.probability)  # the most probable first
    return [{"path": path, "probability": round(chance, 4)} for path, chance in best.items()]


_WHOLE: Mapping[str, Any] = {"type": "integer"}
_COUNT: Mapping[str, Any] = {"type": "integer", "minimum": 0}
_NUMBER: Mapping[str, Any] = {"type": "number"}
_CHANCE: Mapping[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
_YEAR: Mapping[str, Any] = {"type": "string", "pattern": "^[0-9]{1,4}$"}

_SEARCH_PARAMETERS = (
    ("q", 'words, "phrases", +must, -not, author:name, year:1995..1999, a OR b, (groups), begin*', TEXT),
    ("sort", "the order", {"type": "string", "enum": [*SORTS]}),
    ("topic", "a path of the topic tree, its names joined with /", TEXT),
    ("author", "a name as printed", TEXT),
    ("venue", "a venue as printed", TEXT),
    ("show", "`all` for papers known from citations, too", {"type": "string", "enum": ["all"]}),
    ("from", "the first year", _YEAR),
    ("to", "the last year", _YEAR),
    (
        "after",
        "with `page`: the `after` of the previous page, so that no paper is missed if the index changes",
        TEXT,
    ),
    ("page", "which twenty papers", {"type": "integer", "minimum": 1, "maximum": DEEPEST // PAGE_SIZE}),
)


_PAGING_PARAMETERS = (
    ("after", "the `after` of the previous page; omit it for the first page", TEXT),
    (
        "limit",
        f"how many papers; {USUALLY} by default",
        {"type": "integer", "minimum": 1, "maximum": MOST_AT_ONCE},
    ),
)


def describe_papers_api(title: str) -> Json:
    """The OpenAPI description of all paths and their responses."""
    searching = [describe_parameter(*each) for each in _SEARCH_PARAMETERS]
    paging = [describe_parameter(*each) for each in _PAGING_PARAMETERS]
    typed = [describe_parameter("q", "what has been typed so far", TEXT)]
    paper, author = [describe_id("the paper's id")], [describe_id("the author's id")]
    return describe_paths(
        title,
        {
            "/api/search": _describe_get("Papers that fit a query, with facets", searching, "Search"),
            "/api/paper/{id}": _describe_get("One paper with fields, topics and citations", paper, "Paper"),
            "/api/papers": _describe_get("All papers, page by page, ordered by id", paging, "Papers"),
            "/api/author/{id}": _describe_get(
                "One author with papers, years and co-authors", author, "Author"
            ),
            "/api/topics": _describe_get("The topic tree with the number of papers", [], "Topics"),
            "/api/suggest": _describe_get("Completions of a query as it is typed", typed, "Suggestions"),
        },
        _describe_schemas(),
    )


def _describe_schemas() -> Json:
    brief: Json = {
        "id": _add_words("used in URLs: /paper/{id}", TEXT),
        "url": _add_words("path of the paper's page, without the host", TEXT),
        "title": TEXT,
        "authors": _add_words("names as printed", _describe_list(TEXT)),
        "year": _allow_null(_WHOLE),
        "venue": _allow_null(TEXT),
        "language": _add_words("language of the text (ISO 639-1)", _allow_null(TEXT)),
        "held": _add_words(
            "whether the portal has the paper; if not, it is known only from citations", {"type": "boolean"}
        ),
        "citations": _add_words("papers of the portal that cite it", _COUNT),
        "authority": _add_words("HITS authority: high for papers that good surveys cite", _NUMBER),
        "hub": _add_words("HITS hub value: high for papers that cite many seminal ones", _NUMBER),
    }
    found: Json = {
        "score": _add_words("relevance; comparable only within one search", _NUMBER),
        "snippet": _add_words("the best matching passage", TEXT),
        "marks": _add_words(
            "where the words of the query are in the snippet: start and end",
            _describe_list(_describe_list(_COUNT)),
        ),
    }
    return {
        "Search": _describe_search(_describe_object(brief | found)),
        "Paper": _describe_object(brief | _describe_details()),
        "Papers": _describe_object(
            {
                "papers": _describe_list(_describe_object(_describe_listed(brief))),
                "after": _add_words(
                    "value of `after` for the next page; null on the last page", _allow_null(TEXT)
                ),
            }
        ),
        "Author": _describe_author(),
        "Topics": _describe_object(
            {"topics": _describe_list(_describe_object({"path": TEXT, "papers": _COUNT}))}
        ),
        "Suggestions": _describe_object(
            {
                "suggestions": _describe_list(TEXT),
                "pages": _describe_list(_describe_object({"kind": TEXT, "text": TEXT, "url": TEXT})),
            }
        ),
        "Problem": _describe_object({"error": _add_words("for people", TEXT)}),
    }


def _describe_listed(brief: Json) -> Json:
    """The properties of a paper in a list of all papers."""
    names = ("id", "url", "title", "authors", "year", "venue", "language", "citations")
    told = {"doi": _allow_null(TEXT), "abstract": _allow_null(TEXT), "keywords": _describe_list(TEXT)}
    return {name: brief[name] for name in names} | told


def _describe_search(hit: Json) -> Json:
    counted = _describe_list(_describe_object({"value": TEXT, "count": _COUNT}))
    return _describe_object(
        {
            "query": TEXT,
            "total": _COUNT,
            "with_some": _add_words(
                "number of papers listed after the total because they have some of the words", _COUNT
            ),
            "page": {"type": "integer", "minimum": 1},
            "next": _add_words("the next page, if there is one", _allow_null(_WHOLE)),
            "notice": _add_words(
                "how the query was interpreted, if not exactly as typed; may be empty", TEXT
            ),
            "suggestion": _add_words("the query that may have been meant; may be empty", TEXT),
            "corrected": _add_words("whether these are the hits of the suggestion", {"type": "boolean"}),
            "facets": _add_words(
                "values by which the search can be narrowed",
                {"type": "object", "additionalProperties": counted},
            ),
            "after": _add_words("value of `after` for the next page", TEXT),
            "papers": _describe_list(hit),
        }
    )


def _describe_details() -> Json:
    """The properties that only the response for a single paper has."""
    field = {"name": TEXT, "value": TEXT, "confidence": _CHANCE}
    version = {"year": _allow_null(_WHOLE), "venue": _allow_null(TEXT), "form": _allow_null(TEXT)}
    return {
        "people": _add_words(
            "whose the names on it are", _describe_list(_describe_object({"name": TEXT, "id": TEXT}))
        ),
        "versions": _add_words(
            "report, conference paper, article", _describe_list(_describe_object(version))
        ),
        "abstract": _allow_null(TEXT),
        "fields": _add_words("everything that was read", _describe_list(_describe_object(field))),
        "topics": _describe_list(_describe_object({"path": TEXT, "probability": _CHANCE})),
        "sources": _add_words("where it was found", _describe_list(TEXT)),
        "references": _add_words("ids of papers it cites", _describe_list(TEXT)),
        "cited_by": _add_words("ids of papers that cite it", _describe_list(TEXT)),
    }


def _describe_author() -> Json:
    return _describe_object(
        {
            "id": TEXT,
            "url": TEXT,
            "name": TEXT,
            "printed": _add_words(
                "forms of the name", _describe_list(_describe_object({"name": TEXT, "count": _COUNT}))
            ),
            "papers": _add_words("ids", _describe_list(TEXT)),
            "years": _describe_list(_describe_object({"year": _WHOLE, "papers": _COUNT})),
            "coauthors": _describe_list(_describe_object({"id": TEXT, "name": TEXT, "papers": _COUNT})),
        }
    )


def _describe_object(properties: Mapping[str, Mapping[str, Any]]) -> Json:
    """The schema of an object. All properties are required, though they may be null."""
    named = {name: dict(schema) for name, schema in properties.items()}
    return {"type": "object", "required": [*named], "properties": named}


def _describe_list(items: Mapping[str, Any]) -> Json:
    return {"type": "array", "items": dict(items)}


def _allow_null(schema: Mapping[str, Any]) -> Json:
    return {**schema, "type": [schema["type"], "null"]}


def _add_words(words: str, schema: Mapping[str, Any]) -> Json:
    return {"description": words, **schema}


def _describe_get(summary: str, parameters: list[Json], answer: str) -> Json:
    return describe_get(summary, parameters, _refer_to(answer), _refer_to("Problem"))


def _refer_to(schema: str) -> Json:
    return {"$ref": f"#/components/schemas/{schema}"}
