"""Index entries of papers: collects the inputs of an entry as one value, and makes the entry from it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from portico.index.writer import VERSION
from portico.pipeline.runners import fingerprint
from portico.store.catalog.entities import EntitySummary, find_publication_day
from portico.store.codec import decode_field
from portico.store.database import chunks
from portico.store.opening import Store
from portico.types.document import Document, DocumentId
from portico.types.page import BodyHash
from portico.types.record import AuthorId, Entity, EntityId
from portico.types.search import Entry, SearchedField, find_rank_step
from portico.types.stages import StageName

PAPERS_AT_ONCE = 400
"""Papers whose entries are made together; they take some megabytes."""

Topic = tuple[float, tuple[str, ...]]
"""The probability of a topic, and its path."""


@dataclass(frozen=True, slots=True)
class DocumentInputs:
    """What one document of a paper contributes to the paper's entry."""

    id: DocumentId
    text: str  # the digest of its text; "" without text, or for a catalog record
    topic: Topic | None  # the most probable
    source: str  # where it was found first
    media_type: str


@dataclass(frozen=True, slots=True)
class EntryInputs:
    """Everything that the index entry of a paper is made from; long fields and texts by digest."""

    paper: EntitySummary
    documents: tuple[DocumentInputs, ...]
    cites: tuple[EntityId, ...]
    people: tuple[tuple[str, AuthorId], ...]  # names as printed, and their authors

    def digest(self) -> str:
        """A digest that changes whenever the entry would; ranks count only by their rounded step."""
        paper = self.paper
        authority, hub = find_rank_step(paper.authority), find_rank_step(paper.hub)
        stepped = replace(paper, authority=authority, hub=hub)
        return fingerprint(VERSION, replace(self, paper=stepped))


@dataclass(frozen=True, slots=True)
class PaperEntries:
    """The entries of papers, made a few hundred papers at a time."""

    store: Store
    names: Collection[EntityId] | None = None  # None for all
    declared: Sequence[SearchedField] = ()

    def digests(self) -> dict[EntityId, str]:
        """The expected contents of the index: a digest of the inputs of each entry."""
        ids = self.store.catalog.entities.iterate_ids() if self.names is None else sorted(self.names)
        return {
            name: inputs.digest()
            for chunk in chunks(ids, PAPERS_AT_ONCE)
            for name, inputs in gather_inputs(self.store, chunk).items()
        }

    def entries(self, wanted: Iterable[EntityId]) -> Iterator[Entry]:
        return (entry for entry, _ in self._make(sorted(wanted)))

    def all(self) -> Iterator[tuple[Entry, str]]:
        return self._make(self.store.catalog.entities.iterate_ids())

    def _make(self, wanted: Iterable[EntityId]) -> Iterator[tuple[Entry, str]]:
        for chunk in chunks(wanted, PAPERS_AT_ONCE):
            inputs = gather_inputs(self.store, chunk)
            for entity in self.store.catalog.entities.some(chunk):
                yield make_entry(inputs[entity.id], entity, self.store), inputs[entity.id].digest()


def gather_inputs(store: Store, wanted: Sequence[EntityId]) -> dict[EntityId, EntryInputs]:
    """The current inputs of the entries of these papers; papers that no longer exist are left out."""
    outlines = tuple(store.catalog.entities.summaries(frozenset(wanted)))
    documents = [document for each in outlines for document in each.documents]
    bodies = [BodyHash(document) for document in documents]
    names = [each.id for each in outlines]
    bylines = store.catalog.authors.of_papers(names)
    return _join(
        outlines,
        _Known(
            texts=store.documents.results.digests(StageName.CONVERT, documents),
            records=store.documents.pages.catalogued(bodies),
            topics=store.contributions.corrections.places(documents),
            found={
                DocumentId(row.body): (row.source, row.media_type)
                for row in store.documents.pages.bodies(among=bodies)
            },
            cites={citing: sorted(found) for citing, found in store.catalog.citations.cited(names).items()},
            people={
                name: [*{each.printed: each.author for each in printed}.items()]
                for name, printed in bylines.items()
            },
        ),
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """What the store knows about the documents and papers that entries are made from."""

    texts: Mapping[str, str]
    records: frozenset[str]
    topics: Mapping[DocumentId, Topic]
    found: Mapping[DocumentId, tuple[str, str]]
    cites: Mapping[EntityId, Sequence[EntityId]]
    people: Mapping[EntityId, Sequence[tuple[str, AuthorId]]]

    def of_document(self, name: DocumentId) -> DocumentInputs:
        text = "" if name in self.records else self.texts.get(name, "")
        return DocumentInputs(name, text, self.topics.get(name), *self.found.get(name, ("", "")))


def _join(outlines: Iterable[EntitySummary], known: _Known) -> dict[EntityId, EntryInputs]:
    return {
        each.id: EntryInputs(
            paper=each,
            documents=tuple(map(known.of_document, each.documents)),
            cites=tuple(known.cites.get(each.id, ())),
            people=tuple(sorted(known.people.get(each.id, ()))),
        )
        for each in outlines
    }


def make_entry(inputs: EntryInputs, entity: Entity, store: Store) -> Entry:
    """Make the entry of a paper.

    It depends only on `inputs`, whose digests represent the fields of `entity` and the texts in `store`.
    """
    by_id = {each.id: each for each in inputs.documents}
    documents = [by_id[name] for name in entity.documents if name in by_id]  # the best version first
    found = [each.topic for each in documents if each.topic is not None]
    best = min(found, key=lambda topic: (-topic[0], "/".join(topic[1])), default=None)
    year = entity.value("year") or ""
    authors = tuple(field.value for field in entity.all("author"))
    whose = dict(inputs.people)
    known = tuple(whose.get(name, "") for name in authors)
    return Entry(
        entity=entity.id,
        title=entity.value("title") or "",
        authors=authors,
        abstract=entity.value("abstract") or "",
        venue=entity.value("venue") or "",
        year=int(year) if year.isdecimal() else None,
        body=_first_text(documents, store),
        topics=(best[1],) if best else (),  # only one, as in the tree, so that facet counts agree with it
        n_citations=inputs.paper.n_citations,
        authority=inputs.paper.authority,
        hub=inputs.paper.hub,
        held=bool(entity.documents),
        cites=inputs.cites,
        source=documents[0].source if documents else "",
        media_type=documents[0].media_type if documents else "",
        people=known if any(known) else (),
        affiliations=_list_values(entity, "affiliation"),
        keywords=_list_values(entity, "keyword"),
        dois=_list_values(entity, "doi"),
        published=find_publication_day(entity),
    )


def _list_values(entity: Entity, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(field.value for field in entity.all(name)))


def _first_text(documents: Sequence[DocumentInputs], store: Store) -> str:
    """The text of the first of these documents that has one."""
    for document in documents:
        payload = store.documents.results.get(StageName.CONVERT, document.id) if document.text else None
        if payload is not None:
            return str(decode_field(Document, payload, "text"))
    return ""
