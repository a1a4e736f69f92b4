"""Atom feeds of a portal or a search, ordered by when visitors could first see each paper."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from portico.serve.collection import ServedCollection
from portico.serve.escaping import escape_xml, format_moment, quote_attribute
from portico.serve.languages import translate
from portico.serve.links import add_parameters
from portico.serve.pages import read_page_number
from portico.serve.portal import ServedPortal
from portico.serve.public_address import get_base_url
from portico.types.record import EntityId

PAGE = 50
"""Entries in one feed document; older ones follow in the next."""

_MOST_FOUND = 1_000
"""Maximum number of search results considered for a feed, the newest by the order of the search."""

_OWN = ("page", "sort")


@dataclass(frozen=True, slots=True)
class _Feed:
    """One page of a feed: its title and entries, and whether there are more pages."""

    title: str
    asked: Mapping[str, str]
    page: int
    ids: Sequence[EntityId]
    has_more: bool

    def url(self, page: int) -> str:
        return add_parameters("/feed", {**self.asked, "page": page if page > 1 else None})


def answer_feed(portal: ServedPortal, collection: ServedCollection, request: Request) -> Response:
    """The newest things of the portal, or of the results of a search."""
    page = read_page_number(request.query_params.get("page", ""))
    asked = {name: value for name, value in request.query_params.items() if name not in _OWN and value}
    if asked:
        found = collection.list_latest(portal, asked, most=_MOST_FOUND)
        dates = portal.view.changes.added_at(found)
        ids: Sequence[EntityId] = sorted(dates, key=lambda name: (-dates[name], name))
        ids = ids[(page - 1) * PAGE : page * PAGE + 1]
    else:
        ids = portal.view.changes.latest(limit=PAGE + 1, offset=(page - 1) * PAGE)
    followed = _describe_search(asked) or translate("New {things}", things=translate(portal.naming.many))
    title = f"{followed} – {portal.about.title}"
    feed = _Feed(title, asked, page, ids[:PAGE], len(ids) > PAGE)
    body = '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join(
        _write_feed(feed, portal, collection, get_base_url(request))
    )
    return Response(body, media_type="application/atom+xml")


def _describe_search(asked: Mapping[str, str]) -> str:
    """A short description of the search that is followed, such as "trees, author: Ada Young"."""
    words = [asked["q"]] if asked.get("q") else []
    return ", ".join([*words, *(f"{name}: {value}" for name, value in asked.items() if name != "q")])


def _write_feed(
    feed: _Feed, portal: ServedPortal, collection: ServedCollection, base_url: str
) -> Iterator[str]:
    entities = portal.view.entities.many(feed.ids)
    added = portal.view.changes.added_at(feed.ids)
    changed = portal.view.changes.changed_at(feed.ids)
    here = base_url + feed.url(feed.page)
    yield '<feed xmlns="http://www.w3.org/2005/Atom">'
    yield f"<id>{escape_xml(base_url + feed.url(1))}</id><title>{escape_xml(feed.title)}</title>"
    yield f'<link rel="self" type="application/atom+xml" href={quote_attribute(here)}/>'
    results = add_parameters("/search", feed.asked) if feed.asked else "/"
    yield f'<link rel="alternate" type="text/html" href={quote_attribute(base_url + results)}/>'
    if feed.page > 1:
        yield f'<link rel="previous" href={quote_attribute(base_url + feed.url(feed.page - 1))}/>'
    if feed.has_more:
        yield f'<link rel="next" href={quote_attribute(base_url + feed.url(feed.page + 1))}/>'
    yield f"<updated>{format_moment(max(changed.values(), default=0.0))}</updated>"
    yield f"<author><name>{escape_xml(portal.about.title)}</name></author>"
    for name in feed.ids:
        if name not in entities:
            continue
        address = base_url + portal.naming.url(name)
        entry = collection.make_feed_entry(portal, entities[name])
        people = "".join(f"<author><name>{escape_xml(each)}</name></author>" for each in entry.authors)
        yield (
            f"<entry><id>{escape_xml(address)}</id><title>{escape_xml(entry.title)}</title>"
            f"<link href={quote_attribute(address)}/><published>{format_moment(added[name])}</published>"
            f"<updated>{format_moment(changed[name])}</updated>"
            f"{people}<summary>{escape_xml(entry.summary)}</summary></entry>"
        )
    yield "</feed>"
