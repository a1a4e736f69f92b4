"""Lists for programs that look again and again: Atom feeds of searches, the sitemap, robots.txt."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from portico.serve.collection import ServedCollection, pair_hits
from portico.serve.portal import ServedPortal
from portico.serve.xml_text import words
from portico.types.record import EntityId

# The protocol allows 50,000 addresses a file; files of this size are read in one go.
SITEMAP_SIZE = 10_000
_BARRED = ("/search", "/feed", "/api/search")
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"


def make_feed_routes(portal: ServedPortal, collection: ServedCollection) -> list[Route]:
    def atom(request: Request) -> Response:
        """What a search found, the latest first."""
        asked = {**request.query_params, "sort": collection.feed_sort}
        search, found = collection.ask(portal, asked)
        entities = [entity for entity, _ in pair_hits(portal, found)]
        lines = collection.write_feed(portal, request, search.query, entities)
        return Response(_XML + "\n".join(lines), media_type="application/atom+xml")

    def sitemap(request: Request) -> Response:
        """All pages; where there are many, an index of several files that each begin after an id."""
        host, after = str(request.base_url).rstrip("/"), request.query_params.get("after")
        marks = portal.view.entities.held_marks(every=SITEMAP_SIZE)
        if after is None and len(marks) > 1:
            files = "".join(
                f"<sitemap><loc>{words(f'{host}/sitemap.xml?after={m}')}</loc></sitemap>" for m in marks
            )
            return _answer_xml(f'<sitemapindex xmlns="{_SITEMAPS}">{files}</sitemapindex>')
        ids = portal.view.entities.held_ids(EntityId(after or ""), limit=SITEMAP_SIZE)
        paths = [*(() if after else collection.front_paths(portal)), *map(portal.naming.url, ids)]
        body = "".join(f"<url><loc>{words(host + path)}</loc></url>" for path in paths)
        return _answer_xml(f'<urlset xmlns="{_SITEMAPS}">{body}</urlset>')

    def robots(request: Request) -> Response:
        host = str(request.base_url).rstrip("/")
        barred = (f"Disallow: {path}" for path in (*_BARRED, *collection.barred))
        return PlainTextResponse("\n".join(["User-agent: *", *barred, f"Sitemap: {host}/sitemap.xml"]) + "\n")

    return [Route("/feed", atom), Route("/sitemap.xml", sitemap), Route("/robots.txt", robots)]


def _answer_xml(body: str) -> Response:
    return Response(_XML + body, media_type="application/xml")
