"""Answers `portico explain` for a URL, a file or a paper."""

import os
from collections.abc import Iterator, Sequence

from portico.errors import ConfigError
from portico.pipeline.explain.link import explain_link
from portico.pipeline.portal import Portal
from portico.store.documents.failures import SET_ASIDE
from portico.text.urls import canonical
from portico.text.words import find_nearest
from portico.types.explanation import ExplanationSection
from portico.types.record import EntityId
from portico.types.stages import StageName

_SUGGESTED = 3  # papers whose titles are offered


def explain(portal: Portal, what: str) -> tuple[ExplanationSection, ...]:
    """Explain everything known about a URL, a file or a paper id; ConfigError suggests similar ones."""
    asked = what.strip()
    url = canonical(asked) if "://" in asked else None
    sections = list(_of_source(portal, url)) if url is not None else list(_of_file(portal, asked))
    sections = sections or list(_of_entity(portal, asked.rstrip("/").rpartition("/")[2]))
    if not sections:
        raise ConfigError(_unknown(portal, asked))
    return tuple(sections)


def paper_asked_for(portal: Portal, what: str) -> EntityId:
    """The paper that a URL, a file or an id stands for; ConfigError if there is none."""
    asked = what.strip()
    url = canonical(asked) if "://" in asked else None
    source = url if url is not None else _relative(portal, asked)
    body = portal.store.crawl.history.body(source)
    paper = portal.store.crawl.history.entity_of(body) if body is not None else None
    entity = portal.store.catalog.entities.current(paper or asked.rstrip("/").rpartition("/")[2])
    if entity is None:
        raise ConfigError(_unknown(portal, asked))
    return entity.id


def find_source(portal: Portal, what: str) -> str:
    """The source with that URL or path; ConfigError if it is unknown."""
    asked = what.strip()
    url = canonical(asked) if "://" in asked else None
    source = url if url is not None else _relative(portal, asked)
    if portal.store.crawl.history.body(source) is None:
        raise ConfigError(_unknown(portal, asked))
    return source


def _of_source(portal: Portal, source: str) -> Iterator[ExplanationSection]:
    yield from explain_link(portal, source)
    yield from _of_failures(portal, source)
    body = portal.store.crawl.history.body(source)
    if body is not None:
        yield from portal.collection.explain_document(portal, body)


def _of_failures(portal: Portal, source: str) -> Iterator[ExplanationSection]:
    """Explain the failures of this source in stages after the crawl."""
    for row in portal.store.documents.failures.of_source(source):
        if row.stage == StageName.CRAWL:
            continue
        tried = f", after {row.attempts} attempts" if row.attempts > 1 else ""
        located = portal.located(source)
        if row.kind == SET_ASIDE:
            said = f"{located} was read and set aside: {row.reason}. `portico keep` adds it anyway."
            yield ExplanationSection("Set aside", said)
            continue
        later = " This may be temporary: a later build tries again." if row.passing else ""
        said = (
            f"{located}, stage {row.stage}: {row.reason}{tried}.{later} `portico build --retry` tries again."
        )
        yield ExplanationSection("Failed", said)


def _of_file(portal: Portal, asked: str) -> Iterator[ExplanationSection]:
    return _of_source(portal, _relative(portal, asked))


def _relative(portal: Portal, asked: str) -> str:
    """A file's path relative to the portal.

    It may be given relative to the current folder, the portal's folder, or the folder above that.
    """
    folder = os.path.abspath(portal.places.folder)
    typed = os.path.expanduser(asked) or os.curdir
    bases = (os.curdir, os.path.dirname(folder), folder)
    places = [os.path.relpath(os.path.abspath(os.path.join(base, typed)), folder) for base in bases]
    return next((place for place in places if _is_known(portal, place)), places[0])


def _is_known(portal: Portal, source: str) -> bool:
    return bool(
        portal.store.crawl.history.body(source) is not None
        or portal.store.documents.failures.of_source(source)
    )


def _of_entity(portal: Portal, asked: str) -> Iterator[ExplanationSection]:
    entity = portal.store.catalog.entities.current(asked)
    if entity is not None:
        yield from portal.collection.explain(portal, entity)


def _unknown(portal: Portal, asked: str) -> str:
    titled: Sequence[tuple[str, str]] = ()
    if len(asked) > 3:
        titled = portal.collection.find_titled(portal, asked, limit=_SUGGESTED)
    if titled:
        offers = "; ".join(f'{id_} ("{title}")' for id_, title in titled)
        return f"{asked!r} is not a URL, file or paper of this portal, but part of a title. Try {offers}."
    near = find_nearest(asked, portal.store.crawl.history.neighbors(canonical(asked) or asked))
    meant = f" Did you mean {near}?" if near else ""
    return (
        f"{asked!r} is not a URL this crawl has seen, nor a file or paper of this portal.{meant} "
        f"Ids of papers are in the URLs of their pages and in `portico export jsonl`."
    )
