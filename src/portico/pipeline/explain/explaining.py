"""Why is this here, and why is it so? One question about an address, a file or a paper, many answers."""

import os
from collections.abc import Callable, Iterator, Sequence

from portico.errors import ConfigError
from portico.pipeline.explain.fields import explain_fields
from portico.pipeline.explain.identity import explain_identity
from portico.pipeline.explain.link import explain_link
from portico.pipeline.explain.sources import explain_sources
from portico.pipeline.explain.things import called, explain_page, explain_thing
from portico.pipeline.explain.topics import explain_topics
from portico.pipeline.kinds import kinds_of
from portico.pipeline.portal import Portal
from portico.text.urls import canonical
from portico.text.words import find_nearest
from portico.types.explanation import ExplanationSection
from portico.types.record import EntityId

PaperPart = Callable[[Portal, EntityId], ExplanationSection | None]
"""One why about one paper; None where there is nothing to say."""

PAPER_PARTS: tuple[PaperPart, ...] = (explain_fields, explain_identity, explain_topics, explain_sources)
"""What is said of a paper, in this order. A new part is a function in a file of its own and a line here."""

_SUGGESTED = 3  # papers whose titles are offered


def explain(portal: Portal, what: str) -> tuple[ExplanationSection, ...]:
    """Everything known about an address, a file, or a paper by its id; ConfigError offers the nearest."""
    asked = what.strip()
    url = canonical(asked) if "://" in asked else None
    sections = list(_of_source(portal, url)) if url is not None else list(_of_file(portal, asked))
    sections = sections or list(_of_paper(portal, asked.rstrip("/").rpartition("/")[2]))
    if not sections:
        raise ConfigError(_unknown(portal, asked))
    return tuple(sections)


def paper_asked_for(portal: Portal, what: str) -> EntityId:
    """The paper of an address, a file or an id; ConfigError where there is none."""
    asked = what.strip()
    url = canonical(asked) if "://" in asked else None
    source = url if url is not None else _relative(portal, asked)
    body = portal.store.crawl.history.body(source)
    paper = portal.store.crawl.history.entity_of(body) if body is not None else None
    entity = portal.store.catalog.entities.current(paper or asked.rstrip("/").rpartition("/")[2])
    if entity is None:
        raise ConfigError(_unknown(portal, asked))
    return entity.id


def _of_source(portal: Portal, source: str) -> Iterator[ExplanationSection]:
    yield from explain_link(portal, source)
    body = portal.store.crawl.history.body(source)
    if body is not None and kinds_of(portal):
        yield from explain_page(portal, body)
        return
    paper = portal.store.crawl.history.entity_of(body) if body is not None else None
    if paper is not None:
        yield from _of_paper(portal, paper)


def _of_file(portal: Portal, asked: str) -> Iterator[ExplanationSection]:
    """Files are known by their place relative to the portal."""
    return _of_source(portal, _relative(portal, asked))


def _relative(portal: Portal, asked: str) -> str:
    return os.path.relpath(os.path.expanduser(asked) or os.curdir, portal.places.folder)


def _of_paper(portal: Portal, asked: str) -> Iterator[ExplanationSection]:
    entity = portal.store.catalog.entities.current(asked)
    if entity is None:
        return
    if kinds_of(portal):
        yield from explain_thing(portal, entity)
        return
    title = entity.value("title") or "a paper without a title"
    held = "the portal has it" if entity.documents else "only known from citations"
    yield ExplanationSection(f"Paper {entity.id}", f"{title}: {held}, cited {entity.n_citations} times.")
    for part in PAPER_PARTS:
        section = part(portal, entity.id)
        if section is not None:
            yield section


def _unknown(portal: Portal, asked: str) -> str:
    titled: Sequence[tuple[str, str]] = ()
    if len(asked) > 3:
        titled = called(portal, asked, limit=_SUGGESTED) or portal.store.crawl.history.titled(
            asked, limit=_SUGGESTED
        )
    if titled:
        offers = "; ".join(f'{id_} ("{title}")' for id_, title in titled)
        return (
            f"{asked!r} is no address, file or paper of this portal, but part of a title. Ask for {offers}."
        )
    near = find_nearest(asked, portal.store.crawl.history.neighbors(canonical(asked) or asked))
    meant = f" Did you mean {near}?" if near else ""
    return (
        f"{asked!r} is no address this crawl has seen, no file and no paper of this portal.{meant} "
        f"Ids of papers stand in the addresses of their pages and in `portico export jsonl`."
    )
