"""The worker jobs of matching in parts: reading documents, and grouping the records of a part into papers.

Records are compared in the building process, because that takes less time than sending them to workers.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from portico.engine.work import Engine, Job, map_in_order
from portico.match.catalog_answers import lend_fields
from portico.match.mention import PAPERS
from portico.match.part_steps import DocumentRows, PartClusters, PartOfGraph, PartSteps
from portico.spilling import pack_rows, unpack_rows
from portico.store.catalog.matches import store_record
from portico.store.codec import decode, to_plain
from portico.store.database import chunks
from portico.types.correction import Verdict
from portico.types.enrichment import CatalogAnswer
from portico.types.record import Record

DOCUMENTS_AT_ONCE = 400
"""Documents read together: half a second of work for one process."""

DocumentSource = tuple[str, bytes, list[CatalogAnswer]]
"""A document, the values extracted from it, and the answers of catalogs."""


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """Decisions by people: which records are one paper, and which documents and records are no papers."""

    verdicts: tuple[Verdict, ...]
    rejected: frozenset[str]


@dataclass(frozen=True, slots=True)
class PartWork:
    """The steps of `PartSteps`, run by workers if there are several, else in this process; same result."""

    engine: Engine
    options: MatchOptions

    def read(self, sources: Iterable[DocumentSource]) -> Iterator[DocumentRows]:
        some = chunks(sources, DOCUMENTS_AT_ONCE)
        if not self.engine.is_parallel:
            return map(partial(_read_documents, self.options), some)
        return map(unpack_rows, map_in_order(self.engine, Job(build_reader, self.options), some))

    def cluster(self, parts: Iterator[PartOfGraph]) -> Iterator[PartClusters]:
        if not self.engine.is_parallel:
            return map(_make_steps(self.options).cluster, parts)
        packed = map(pack_rows, parts)
        return map(unpack_rows, map_in_order(self.engine, Job(build_clusterer, self.options), packed))


def build_reader(options: MatchOptions) -> Callable[[Sequence[DocumentSource]], bytes]:
    return lambda sources: pack_rows(_read_documents(options, sources))


def build_clusterer(options: MatchOptions) -> Callable[[bytes], bytes]:
    steps = _make_steps(options)
    return lambda part: pack_rows(steps.cluster(unpack_rows(part)))


def _make_steps(options: MatchOptions) -> PartSteps:
    return PartSteps(PAPERS, options.verdicts, store_record, partial(decode, Record), to_plain)


def _read_documents(options: MatchOptions, sources: Iterable[DocumentSource]) -> DocumentRows:
    return _make_steps(options).read(read_records(sources, options.rejected))


def read_records(sources: Iterable[DocumentSource], rejected: Collection[str]) -> Iterator[Record]:
    """Yield the records of these documents that nobody rejected; headers include fields from catalogs."""
    for subject, payload, answers in sources:
        if subject not in rejected:
            for record in decode(tuple[Record, ...], payload):
                if record.id not in rejected:
                    yield lend_fields(record, answers) if answers and record.kind == PAPERS.anchor else record
