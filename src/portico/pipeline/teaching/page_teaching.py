"""Learn which pages are sought from what the builder has shown: pages marked, ways that ended at a goal."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from portico.crawl import media_types
from portico.crawl.links import view_page
from portico.crawl.page_kinds import WordRecognizer, learn_from_shown
from portico.errors import ConfigError
from portico.files import write_whole
from portico.pipeline.portal import Portal
from portico.store.documents.pages import BodyRow
from portico.text.markup import decode
from portico.types.page import PageView, Url
from portico.types.path import Ending

# Pages that are taken for not sought: more say nothing new, and each is parsed.
MOST_OTHERS = 3_000


@dataclass(frozen=True, slots=True)
class TaughtPages:
    """A recognizer that was written, and what it was learned from."""

    file: Path
    n_sought: int
    n_others: int


def learn_pages(portal: Portal) -> TaughtPages:
    """Train the portal's own recognizer; ConfigError where nothing was shown, or nothing else was fetched.

    Pages nobody spoke of count as not sought, except those that have the telling words of a kind: among
    them are the very pages that are sought and were not shown.
    """
    domain = portal.domain
    if not domain.page_kinds:
        raise ConfigError("this portal seeks documents, not kinds of pages: there is nothing to learn")
    shown = _read_shown(portal)
    rows = {row.source: row for row in portal.store.documents.pages.web_pages(media_types.HTML)}
    sought = [(_read_view(portal, rows[url]), kind) for url, kind in shown.items() if url in rows]
    if not any(kind for _, kind in sought):
        raise ConfigError(
            "no page was shown yet that is sought: mark fields on some, or end ways at them (portico teach)"
        )
    others = list(_read_others(portal, [row for url, row in rows.items() if url not in shown]))
    if not others:
        raise ConfigError("no other pages were fetched to tell the sought ones from: run portico crawl first")
    model = learn_from_shown(sought, others)
    file = portal.places.models / domain.pages
    write_whole(file, model.to_bytes())
    return TaughtPages(file, sum(kind != "" for _, kind in sought), len(others))


def _read_shown(portal: Portal) -> dict[str, str]:
    """The kind of each page the builder spoke of; a way that ended in vain says "" of its last page."""
    kinds = portal.domain.page_kinds
    found: dict[str, str] = {mark.page: kinds[0] for mark in portal.store.contributions.marks.all()}
    for stop in portal.store.contributions.lessons.lesson().examples:
        if stop.ending is Ending.GOAL:
            found[stop.url] = stop.milestone if stop.milestone in kinds else kinds[0]
        else:
            found.setdefault(stop.url, "")
    return found


def _read_others(portal: Portal, rows: list[BodyRow]) -> Iterator[PageView]:
    has_words = WordRecognizer(portal.domain.page_words)
    step = len(rows) // MOST_OTHERS + 1
    for row in rows[::step]:
        page = _read_view(portal, row)
        if not has_words(page):
            yield page


def _read_view(portal: Portal, row: BodyRow) -> PageView:
    return view_page(decode(portal.store.blobs.get(row.body), row.media_type), Url(row.source))
