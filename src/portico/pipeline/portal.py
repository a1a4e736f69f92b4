"""An opened portal: its folder, settings, store, and collection."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from portico.config.keys import parse_size
from portico.config.portal_paths import PortalPaths
from portico.config.settings import Settings
from portico.pipeline.imported_record import ImportedRecord
from portico.pipeline.portal_domain import load_domain
from portico.pipeline.progress import StageReport
from portico.pipeline.runners import BuildRun
from portico.store.documents.pages import RECORD
from portico.store.opening import Store
from portico.types.domain import Domain
from portico.types.explanation import ExplanationSection
from portico.types.page import BodyHash
from portico.types.page_fate import PageFate
from portico.types.record import Entity, EntityId
from portico.types.search import Entry, SearchedField
from portico.types.stages import StageName


class EntrySource(Protocol):
    """The entries of an index and their digests, both made from the same inputs."""

    @property
    def declared(self) -> Sequence[SearchedField]:
        """Fields that can be searched by name, besides those of every index."""

    def digests(self) -> dict[EntityId, str]:
        """A digest of each entry the index should contain; it changes when the entry would."""

    def entries(self, wanted: Iterable[EntityId]) -> Iterator[Entry]: ...

    def all(self) -> Iterator[tuple[Entry, str]]:
        """Yield every entry with its digest, in order of id."""


class Collection(Protocol):
    """The contents of a portal, as seen by the stages: papers or things of declared kinds.

    Each implementation has a folder in `pipeline/collections`; one is chosen when a portal is opened.
    """

    @property
    def left_out(self) -> frozenset[StageName]:
        """Stages that do not apply to this collection."""

    @property
    def keeps_first_topics(self) -> bool:
        """Whether topics assigned from a document's own words are final, without a later reassignment."""

    @property
    def others(self) -> str:
        """The word for documents that turned out to contain nothing of interest."""

    def match(self, portal: "Portal", run: BuildRun) -> StageReport:
        """Merge records into entities."""

    def make_entries(self, store: Store, names: Iterable[EntityId] | None = None) -> EntrySource:
        """Make the index entries of all entities, or of these and of those found by their names."""

    def export(self, portal: "Portal", *, cited: bool) -> Iterator[dict[str, Any]]:
        """Yield the objects of `portico export jsonl`, in order of id."""

    def read_record(self, told: object, *, catalog: str) -> ImportedRecord | None:
        """Convert an object of another catalog to a record; None if it adds nothing.

        InputError explains what is wrong with it.
        """

    def explain(self, portal: "Portal", entity: Entity) -> Iterator[ExplanationSection]: ...

    def explain_document(self, portal: "Portal", body: BodyHash) -> Iterator[ExplanationSection]:
        """Explain what was read from one document."""

    def find_titled(self, portal: "Portal", words: str, *, limit: int) -> Sequence[tuple[str, str]]:
        """Find ids and titles of entities with these words in their title."""

    def tell_pages(self, portal: "Portal") -> Iterator[PageFate]:
        """Yield the outcome of every fetched page; nothing if documents are collected rather than pages."""

    def count(self, store: Store) -> dict[str, Any]:
        """Count the contents, for `portico status --json`."""

    def count_in_words(self, store: Store) -> str:
        """Describe the number of entities, for the end of a build."""

    def describe_counts(self, counted: Mapping[str, Any]) -> str:
        """Describe the result of `count`."""


@dataclass(frozen=True, slots=True)
class Portal:
    """An open portal, with what every command needs."""

    places: PortalPaths
    settings: Settings
    store: Store
    collection: Collection

    @property
    def domain(self) -> Domain:
        """The domain of the portal: one that ships, or the one that its builder declares."""
        return load_domain(self.settings.portal.domain, self.places)

    @property
    def memory(self) -> int:
        """Bytes that a whole-collection stage may use: [engine] memory, or half of the machine's."""
        return parse_size(self.settings.engine.memory) or _find_machine_memory() // 2

    def sources(self, document: str) -> tuple[str, ...]:
        """The sources of a document, the first one first; files by their absolute path."""
        body = BodyHash(document)
        found = self.store.documents.pages.sources([body]).get(body, ())
        # The name of a harvested record is there to find it again, unless it is all there is.
        located = [source for source in found if not source.startswith(f"{RECORD}:")]
        return tuple(self.located(source) for source in located or found)

    def located(self, source: str) -> str:
        """A source for display: a file as an absolute path, URLs and names of records unchanged."""
        if is_web(source) or source.startswith(("ftp://", f"{RECORD}:")):
            return source
        # Not resolved: builders know a link in their folder by its own name.
        return os.path.abspath(self.places.folder / source)


def _find_machine_memory() -> int:
    """Bytes of memory of this machine, or the limit of a container."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    told = [path.read_text().strip() for path in _CONTAINER_LIMITS if path.is_file()]
    return min(limits + [int(limit) for limit in told if limit.isdecimal()])


_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def is_web(source: str) -> bool:
    """Whether a source is a URL rather than a path."""
    return source.startswith(("http://", "https://"))
