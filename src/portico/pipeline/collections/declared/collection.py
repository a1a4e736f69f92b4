"""The collection of a declared domain, with everything specific to it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from portico.pipeline.collections.declared.entries import ThingEntries
from portico.pipeline.collections.declared.explaining import explain_page, explain_thing, find_headed
from portico.pipeline.collections.declared.matching import match_things
from portico.pipeline.collections.declared.page_fates import tell_fates
from portico.pipeline.collections.declared.records import export_things, read_thing
from portico.pipeline.imported_record import ImportedRecord
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.runners import BuildRun
from portico.store.opening import Store
from portico.types.domain import Kind
from portico.types.explanation import ExplanationSection
from portico.types.page import BodyHash
from portico.types.page_fate import PageFate
from portico.types.record import Entity, EntityId
from portico.types.stages import StageName


@dataclass(frozen=True, slots=True)
class DeclaredCollection:
    """Things of declared kinds. They have no citations, no authors and no first pages."""

    kinds: tuple[Kind, ...]
    left_out: frozenset[StageName] = frozenset(
        {StageName.ENRICH, StageName.PLACE, StageName.RANKS, StageName.AUTHORS, StageName.PICTURE}
    )
    keeps_first_topics: bool = True
    others: str = "pages"

    def match(self, portal: Portal, run: BuildRun) -> StageReport:
        return match_things(portal, run, self.kinds)

    def make_entries(self, store: Store, names: Iterable[EntityId] | None = None) -> ThingEntries:
        if names is None:
            return ThingEntries.of_all(store, self.kinds)
        return ThingEntries.of(store, self.kinds, frozenset(names))

    def export(self, portal: Portal, *, cited: bool) -> Iterator[dict[str, Any]]:
        return export_things(portal, self.kinds)

    def read_record(self, told: object, *, catalog: str) -> ImportedRecord | None:
        return read_thing(told, self.kinds, catalog=catalog)

    def explain(self, portal: Portal, entity: Entity) -> Iterator[ExplanationSection]:
        return explain_thing(portal, entity, self.kinds)

    def explain_document(self, portal: Portal, body: BodyHash) -> Iterator[ExplanationSection]:
        return explain_page(portal, body, self.kinds)

    def find_titled(self, portal: Portal, words: str, *, limit: int) -> Sequence[tuple[str, str]]:
        return find_headed(portal, words, self.kinds, limit=limit)

    def tell_pages(self, portal: Portal) -> Iterator[PageFate]:
        return tell_fates(portal, self.kinds)

    def count(self, store: Store) -> dict[str, Any]:
        counts = store.catalog.things.counts()
        return {"things": {kind.name: counts.get(kind.name, 0) for kind in self.kinds}}

    def count_in_words(self, store: Store) -> str:
        return self.describe_counts(self.count(store))

    def describe_counts(self, counted: Mapping[str, Any]) -> str:
        """ "12 organisations, 1 officer": the number of things of each kind."""
        counts = counted["things"]
        return ", ".join(
            f"{counts[kind.name]} "
            + (kind.display.singular if counts[kind.name] == 1 else kind.display.plural)
            for kind in self.kinds
            if kind.display is not None
        )
