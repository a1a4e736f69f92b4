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
        """What the index should contain: each digest changes when its entry would."""

    def entries(self, wanted: Iterable[EntityId]) -> Iterator[Entry]: ...

    def all(self) -> Iterator[tuple[Entry, str]]:
        """Every entry with its digest, in order of id."""


class Collection(Protocol):
    """The interface to the contents of a portal: papers, things of declared kinds, or a third kind.

    One folder a kind in `pipeline/collections`; chosen once, when a portal is opened.
    """

    @property
    def left_out(self) -> frozenset[StageName]:
        """Stages that do not apply to this collection."""

    @property
    def keeps_first_topics(self) -> bool:
        """Whether topics assigned from a document's own words are final, because no later stage reassigns
        them.
        """

    @property
    def others(self) -> str:
        """The word for documents that turned out to contain nothing of interest."""

    def match(self, portal: "Portal", run: BuildRun) -> StageReport:
        """Records become entities."""

    def make_entries(self, store: Store, names: Iterable[EntityId] | None = None) -> EntrySource:
        """The index entries of all entities, or of these and of those found by their names."""

    def export(self, portal: "Portal", *, cited: bool) -> Iterator[dict[str, Any]]:
        """The objects of `portico export jsonl`, in order of id."""

    def read_record(self, told: object, *, catalog: str) -> ImportedRecord | None:
        """An object of another catalog as a record; None if it adds nothing.

        InputError says what is wrong.
        """

    def explain(self, portal: "Portal", entity: Entity) -> Iterator[ExplanationSection]: ...

    def explain_document(self, portal: "Portal", body: BodyHash) -> Iterator[ExplanationSection]:
        """What was read from one document."""

    def find_titled(self, portal: "Portal", words: str, *, limit: int) -> Sequence[tuple[str, str]]:
        """Ids and titles of what has these words in its name."""

    def tell_pages(self, portal: "Portal") -> Iterator[PageFate]:
        """What became of every fetched page; nothing if documents are collected rather than pages."""

    def count(self, store: Store) -> dict[str, Any]:
        """How much it holds, for `portico status --json`."""

    def count_in_words(self, store: Store) -> str:
        """How much it holds, at the end of a build."""

    def describe_counts(self, counted: Mapping[str, Any]) -> str:
        """The counts of `count`, in words."""


@dataclass(frozen=True, slots=True)
class Portal:
    """What every command about a portal needs."""

    places: PortalPaths
    settings: Settings
    store: Store
    collection: Collection

    @property
    def domain(self) -> Domain:
        """The domain of the portal: one that ships, or the one its builder declares."""
        return load_domain(self.settings.portal.domain, self.places)

    @property
    def memory(self) -> int:
        """Bytes that a stage over everything may take: [engine] memory, or half of the machine's."""
        return parse_size(self.settings.engine.memory) or _find_machine_memory() // 2

    def sources(self, document: str) -> tuple[str, ...]:
        """Where a document was found, the first source first; files with their whole path."""
        body = BodyHash(document)
        return tuple(
            self.located(source) for source in self.store.documents.pages.sources([body]).get(body, ())
        )

    def located(self, source: str) -> str:
        """A URL or a record's name unchanged; a file, stored relative to the portal, as an absolute path."""
        if is_web(source) or source.startswith(("ftp://", f"{RECORD}:")):
            return source
        # Not resolved: a link in the builder's folder is known to them by its own name.
        return os.path.abspath(self.places.folder / source)


def _find_machine_memory() -> int:
    """Bytes of memory here; less where a container may have less."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    told = [path.read_text().strip() for path in _CONTAINER_LIMITS if path.is_file()]
    return min(limits + [int(limit) for limit in told if limit.isdecimal()])


_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def is_web(source: str) -> bool:
    """Sources of the web are URLs, sources of folders are paths."""
    return source.startswith(("http://", "https://"))
