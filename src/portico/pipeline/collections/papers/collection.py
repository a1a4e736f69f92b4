"""The collection of papers, with everything specific to it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from portico.pipeline.collections.papers.entries import PaperEntries
from portico.pipeline.collections.papers.explaining import explain_paper
from portico.pipeline.collections.papers.export import export_papers
from portico.pipeline.collections.papers.imported_papers import read_paper
from portico.pipeline.collections.papers.matching import match_papers
from portico.pipeline.imported_record import ImportedRecord
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport, count_things
from portico.pipeline.runners import BuildRun
from portico.store.opening import Store
from portico.types.explanation import ExplanationSection
from portico.types.page import BodyHash
from portico.types.page_fate import PageFate
from portico.types.record import Entity, EntityId
from portico.types.stages import StageName


class PapersCollection:
    """Papers, held or known from citations only."""

    left_out: frozenset[StageName] = frozenset()
    keeps_first_topics = False
    others = "documents"

    def match(self, portal: Portal, run: BuildRun) -> StageReport:
        return match_papers(portal, run)

    def make_entries(self, store: Store, names: Iterable[EntityId] | None = None) -> PaperEntries:
        return PaperEntries(store, None if names is None else frozenset(names))

    def export(self, portal: Portal, *, cited: bool) -> Iterator[dict[str, Any]]:
        return export_papers(portal, cited=cited)

    def read_record(self, told: object, *, catalog: str) -> ImportedRecord | None:
        return read_paper(told, catalog=catalog)

    def explain(self, portal: Portal, entity: Entity) -> Iterator[ExplanationSection]:
        return explain_paper(portal, entity)

    def explain_document(self, portal: Portal, body: BodyHash) -> Iterator[ExplanationSection]:
        """A document is one paper, if any."""
        name = portal.store.crawl.history.entity_of(body)
        entity = portal.store.catalog.entities.current(name) if name is not None else None
        if entity is not None:
            yield from explain_paper(portal, entity)

    def find_titled(self, portal: Portal, words: str, *, limit: int) -> Sequence[tuple[str, str]]:
        return portal.store.crawl.history.titled(words, limit=limit)

    def tell_pages(self, portal: Portal) -> Iterator[PageFate]:
        return iter(())

    def count(self, store: Store) -> dict[str, Any]:
        counts = store.catalog.counts()
        return {
            "papers": counts.n_held,
            "cited_papers": counts.n_cited_only,
            "citations": counts.n_citations,
        }

    def count_in_words(self, store: Store) -> str:
        counts = store.catalog.counts()
        return f"{count_things(counts.n_held, 'paper')}, {counts.n_cited_only} more known from citations"

    def describe_counts(self, counted: Mapping[str, Any]) -> str:
        return (
            f"{counted['papers']} papers, {counted['cited_papers']} more known from citations,"
            f" {counted['citations']} citations"
        )
