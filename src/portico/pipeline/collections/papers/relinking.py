"""Updates the citation graph: all of it, or the part that a change affects, with the same result.

Imported only when there is something to match, because loading arrays takes half a second.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from pathlib import Path
from typing import TypeVar

from portico.engine.work import Engine
from portico.match.blocking import make_keys
from portico.match.graph import CitationRanker
from portico.match.in_parts import PartedMatching, SpillSpace
from portico.match.incremental import RecordChanges, StartOver, patch_matching
from portico.match.matcher import ComparedRecords, Matching, compare_all, make_entities
from portico.match.mention import PAPERS
from portico.pipeline.collections.papers.match_jobs import (
    DOCUMENTS_AT_ONCE,
    DocumentSource,
    MatchOptions,
    PartWork,
    read_records,
)
from portico.pipeline.documents.catalog_answers import join_answers
from portico.spilling import open_spill_folder
from portico.store.catalog.graph import Patched
from portico.store.catalog.matches import Basis, Compared, store_record
from portico.store.codec import from_plain, to_plain
from portico.store.opening import Store
from portico.types.correction import Verdict
from portico.types.garbage_collection import without_collecting
from portico.types.record import Entity, EntityId, Record, RecordId
from portico.types.stages import StageName

Say = Callable[[str], None]
Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class MatchWork:
    """The current records, and how they differ from those last matched."""

    basis: Basis  # with the documents that are new, changed or gone
    verdicts: tuple[Verdict, ...]
    decided: frozenset[RecordId]  # verdicts about them were added or withdrawn
    by_words: bool = False  # compare records by the published method, all in memory


MEMORY_A_BYTE = 25
"""Bytes of memory that matching in one go takes per byte of extracted records in the store: 100,000
references and 10,000 headers are 24 MB there and took 510 MB."""

MEMORY_A_RECORD = 5_000
"""Bytes of memory of one record with all of its compared values."""


@dataclass(frozen=True, slots=True)
class MatchSpace:
    """The memory in bytes that matching may use, the folder for the rest, and the engine for its workers."""

    memory: int
    folder: Path
    engine: Engine  # for steps that need only one part


def match_all(store: Store, due: MatchWork, space: MatchSpace, say: Say) -> int:
    """Match everything, in memory if it fits; return the number of entities."""
    if due.by_words or MEMORY_A_BYTE * store.documents.results.n_bytes(StageName.EXTRACT) <= space.memory:
        return _match_at_once(store, due, say)
    with open_spill_folder(space.folder) as folder:
        return _match_in_parts(store, due, replace(space, folder=folder), say)


@without_collecting()
def _match_in_parts(store: Store, due: MatchWork, space: MatchSpace, say: Say) -> int:
    n_parts = ceil(store.documents.results.n_done(StageName.EXTRACT) / DOCUMENTS_AT_ONCE)
    work = PartWork(space.engine, MatchOptions(due.verdicts, _list_rejected(store)))
    found = PartedMatching(
        _tell_each(work.read(_read_sources(store)), say, f"of {n_parts:,} parts read"),
        lambda parts: _tell_each(work.cluster(parts), say, "parts grouped into papers"),
        SpillSpace(
            space.folder, space.memory // (4 * MEMORY_A_RECORD), to_plain, partial(from_plain, Entity)
        ),
        PAPERS,
        due.verdicts,
    )
    say("writing the citation graph")
    compared = Compared(
        found.n_mentions,
        found.orders(),
        found.keys(),
        found.edges(),
        found.records(),
        found.identities(),
    )
    store.catalog.matches.replace_parted(found.entities(), compared, due.basis, CitationRanker())
    return found.n_entities


def _tell_each(parts: Iterable[Part], say: Say, words: str) -> Iterator[Part]:
    for number, part in enumerate(parts, 1):
        say(f"{number:,} {words}")
        yield part


@without_collecting()
def _match_at_once(store: Store, due: MatchWork, say: Say) -> int:
    say("comparing records")
    records = sorted(_records(store), key=lambda record: record.id)
    comparison = compare_all(records, PAPERS, due.verdicts, by_words=due.by_words)
    found = make_entities(records, comparison.clusters(due.verdicts))
    say("writing the citation graph")
    store.catalog.matches.replace(
        found.entities, found.citations, _compared(comparison, found), due.basis, CitationRanker()
    )
    return len(found.entities)


@without_collecting()
def match_changes(store: Store, due: MatchWork, say: Say) -> int | None:
    """Match what a change affects; return the number of new entities, or None if all must be matched."""
    say("comparing what changed")
    change = _change(store, due)
    try:
        with store.catalog.matches.changing() as memory:
            found = patch_matching(memory, change, due.verdicts, PAPERS)
            homes = [
                (record, each.id, found.confidences.get(record))
                for each in found.entities
                for record in each.records
            ]
            patched = Patched(
                found.before, found.entities, change.gone, homes, tuple(found.identities.items())
            )
            say("ranking")
            store.catalog.matches.change(memory, patched, due.basis, CitationRanker())
    except StartOver:
        return None
    return len(found.entities)


def _change(store: Store, due: MatchWork) -> RecordChanges:
    """Collect the records to remove and to add: those of changed documents and of changed verdicts."""
    documents = due.basis.digests.keys()
    gone = set(store.catalog.matches.records_of({*documents, *due.basis.gone}))
    come = {record.id: record for record in _records(store, documents)}
    decided = set(store.catalog.matches.known(due.decided)) - gone
    homes = {name.split("#")[0] for name in decided}
    come |= {record.id: record for record in _records(store, homes) if record.id in decided}
    return RecordChanges(
        gone=tuple(sorted(gone | decided)),
        come=tuple(come[name] for name in sorted(come)),
        decided=tuple(sorted(due.decided)),
    )


def _compared(comparison: ComparedRecords, found: Matching) -> Compared:
    homes: dict[RecordId, tuple[EntityId, float]] = {
        record: (each.id, 1.0) for each in found.entities for record in each.records
    }
    homes |= {each.record: (each.cited, each.confidence) for each in found.citations}
    told: list[tuple[Record, int | None]] = [
        (record, position)
        for position, mention in enumerate(comparison.mentions)
        for record in comparison.records[mention]
    ]
    told += [(record, None) for _, record in comparison.alone]
    return Compared(
        n_mentions=len(comparison.mentions),
        orders=[mention.order for mention in comparison.mentions],
        keys=sorted(
            (key, position)
            for position, mention in enumerate(comparison.mentions)
            for key in make_keys(mention)
        ),
        edges=sorted(comparison.edges, key=lambda edge: edge[1:]),
        records=(
            (store_record(record, PAPERS.anchor), position, *homes[record.id]) for record, position in told
        ),
        identities=found.identities.items(),
    )


def _records(store: Store, documents: Iterable[str] | None = None) -> Iterator[Record]:
    """Yield every record, or those of these documents, except those the builder rejected.

    Headers include fields from catalogs.
    """
    return read_records(_read_sources(store, documents), _list_rejected(store))


def _read_sources(store: Store, documents: Iterable[str] | None = None) -> Iterator[DocumentSource]:
    wanted = None if documents is None else sorted(documents)
    return join_answers(store, store.documents.results.payloads(StageName.EXTRACT, wanted))


def _list_rejected(store: Store) -> frozenset[str]:
    return frozenset(store.contributions.corrections.not_papers())
