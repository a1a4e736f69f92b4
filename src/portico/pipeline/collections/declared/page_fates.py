"""Classifies every fetched page: a thing, part of one, merged, not of this domain, or failed."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from portico.crawl import media_types
from portico.errors import NotAPaper
from portico.pipeline.portal import Portal
from portico.store.documents.failures import FailureRow
from portico.types.declared_display import heading, kind_named
from portico.types.domain import Kind
from portico.types.page_fate import Fate, PageFate
from portico.types.record import Entity
from portico.types.stages import StageName


def tell_fates(portal: Portal, kinds: Sequence[Kind]) -> Iterator[PageFate]:
    """Yield the outcome of each URL that returned a web page, in order of URL."""
    told = _Told(portal, kinds)
    first: dict[str, str] = {}
    for row in portal.store.documents.pages.web_pages(media_types.HTML):
        original = first.setdefault(row.body, row.source)
        if original != row.source:
            yield PageFate(row.source, Fate.MERGED, f"the same text as {original}")
        else:
            yield told.tell(row.source, row.body)


@dataclass(frozen=True, slots=True)
class _Made:
    """The things made from one document: those it is the main source of, and those it only adds to."""

    leads: tuple[Entity, ...]
    adds: tuple[Entity, ...]


class _Told:
    """Everything known about the fetched pages, collected once."""

    def __init__(self, portal: Portal, kinds: Sequence[Kind]) -> None:
        self._kinds = kinds
        self._sought = {row.body for row in portal.store.documents.pages.sought()}
        self._failures: dict[str, FailureRow] = {
            row.subject: row
            for row in portal.store.documents.failures.all()
            if row.stage in (StageName.CONVERT, StageName.EXTRACT)
        }
        self._made = _gather(portal)
        self._words = ", ".join(name for name in portal.domain.page_kinds)

    def tell(self, source: str, body: str) -> PageFate:
        failure = self._failures.get(body)
        if failure is not None and failure.kind != NotAPaper.__name__:
            return PageFate(source, Fate.FAILED, failure.reason)
        made = self._made.get(body)
        if made is not None:
            return self._tell_made(source, made)
        if body not in self._sought:
            return PageFate(source, Fate.OTHER, f"does not look like a page of this kind: {self._words}")
        if failure is not None:
            return PageFate(source, Fate.OTHER, failure.reason)
        return PageFate(source, Fate.OTHER, f"looks like {self._words}, but none of the fields was read")

    def _tell_made(self, source: str, made: _Made) -> PageFate:
        wholes = [each for each in made.leads if not self._is_part(each)]
        if wholes or made.leads:
            fate = Fate.THING if wholes else Fate.PART
            return PageFate(source, fate, "", tuple(each.id for each in made.leads))
        into = made.adds[0]
        kind = kind_named(self._kinds, into.kind)
        same = " and ".join(kind.identity) if kind is not None and kind.identity else "values"
        return PageFate(
            source, Fate.MERGED, f"the same {same} as “{heading(into, kind)}”", (into.id,), f"the same {same}"
        )

    def _is_part(self, entity: Entity) -> bool:
        kind = kind_named(self._kinds, entity.kind)
        return kind is not None and bool(kind.parent)


def _gather(portal: Portal) -> dict[str, _Made]:
    leads: dict[str, list[Entity]] = defaultdict(list)
    adds: dict[str, list[Entity]] = defaultdict(list)
    for entity in portal.store.catalog.entities.all():
        leader = entity.chosen.partition("#")[0]
        for document in entity.documents:
            (leads if document == leader else adds)[document].append(entity)
    return {
        document: _Made(tuple(leads.get(document, ())), tuple(adds.get(document, ())))
        for document in {**leads, **adds}
    }
