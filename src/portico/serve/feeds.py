"""Lists for programs that look again and again: Atom feeds of searches, the sitemap, robots.txt."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from portico.serve import describe
from portico.serve.asking import ask
from portico.serve.escaping import visible
from portico.serve.links import paper_url, topic_url
from portico.serve.pages import read_search
from portico.serve.portal import Portal
from portico.types.record import Entity, EntityId

# The protocol allows 50,000 addresses a file; files of this size are read in one go.
SITEMAP_SIZE = 10_000
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


def routes(portal: Portal) -> list[Route]:
    feeds = _Feeds(portal)
    return [
        Route("/feed", feeds.atom),
        Route("/sitemap.xml", feeds.sitemap),
        Route("/robots.txt", feeds.robots),
    ]


def words(text: str) -> str:
    """Text from outside as XML can say it."""
    return escape(_shown(text))


def quoted(text: str) -> str:
    """The same as the value of an attribute, quotation marks included."""
    return quoteattr(_shown(text))


def moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class _Feeds:
    def __init__(self, portal: Portal) -> None:
        self._portal = portal

    def atom(self, request: Request) -> Response:
        """The newest papers of a search, in the order of their years."""
        search = replace(read_search(request.query_params), sort="date")
        found = ask(self._portal, search)
        entities = self._portal.view.entities.many([hit.entity for hit in found.hits])
        shown = [entities[hit.entity] for hit in found.hits if hit.entity in entities]
        lines = _atom(self._portal, request, search.query, shown)
        return Response(_XML + "\n".join(lines), media_type="application/atom+xml")

    def sitemap(self, request: Request) -> Response:
        """All pages; where there are many papers, an index of several files that each begin after an id."""
        host = str(request.base_url).rstrip("/")
        after = request.query_params.get("after")
        marks = self._portal.view.entities.held_marks(every=SITEMAP_SIZE)
        if after is None and len(marks) > 1:
            files = [f"{host}/sitemap.xml?after={mark}" for mark in marks]
            body = "".join(f"<sitemap><loc>{words(file)}</loc></sitemap>" for file in files)
            return _xml(
                f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{body}</sitemapindex>'
            )
        papers = self._portal.view.entities.held_ids(EntityId(after or ""), limit=SITEMAP_SIZE)
        paths = [paper_url(name) for name in papers]
        if not after:
            tree = self._portal.overview.get().tree
            paths = [
                "/",
                "/topics",
                "/about",
                *(topic_url(node.path) for node in tree if node.n_papers),
                *paths,
            ]
        body = "".join(f"<url><loc>{words(host + path)}</loc></url>" for path in paths)
        return _xml(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{body}</urlset>')

    def robots(self, request: Request) -> Response:
        host = str(request.base_url).rstrip("/")
        barred = ("/search", "/feed", "/api/search", "/paper/*/file/")
        lines = ["User-agent: *", *(f"Disallow: {path}" for path in barred), f"Sitemap: {host}/sitemap.xml"]
        return PlainTextResponse("\n".join(lines) + "\n")


def _shown(text: str) -> str:
    return str(visible(text)).translate({0xFFFE: None, 0xFFFF: None})


def _xml(body: str) -> Response:
    return Response(_XML + body, media_type="application/xml")


def _atom(portal: Portal, request: Request, query: str, papers: Sequence[Entity]) -> Iterator[str]:
    host, here = str(request.base_url).rstrip("/"), str(request.url)
    stamps = portal.view.changed_at(papers)
    yield '<feed xmlns="http://www.w3.org/2005/Atom">'
    yield f"<id>{words(here)}</id><title>{words(query or 'All papers')} – {words(portal.about.title)}</title>"
    yield f'<link rel="self" href={quoted(here)}/>'
    yield f'<link type="text/html" href={quoted(f"{host}/search?{request.url.query}")}/>'
    yield f"<updated>{moment(max(stamps.values(), default=0.0))}</updated>"
    for paper in papers:
        address = host + paper_url(paper.id)
        people = "".join(f"<author><name>{words(name)}</name></author>" for name in describe.authors(paper))
        yield (
            f"<entry><id>{words(address)}</id><title>{words(describe.title(paper))}</title>"
            f"<link href={quoted(address)}/><updated>{moment(stamps.get(paper.id, 0.0))}</updated>"
            f"{people or '<author><name>unknown</name></author>'}"
            f"<summary>{words(paper.value('abstract') or '')}</summary></entry>"
        )
    yield "</feed>"
