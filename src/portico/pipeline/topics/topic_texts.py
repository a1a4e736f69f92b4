"""What classification reads of a document: its header, the titles it cites, the titles that cite it."""

from collections import defaultdict
from dataclasses import replace

from portico.store.codec import decode
from portico.store.opening import Store
from portico.text.words import split_words
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, Record
from portico.types.stages import StageName
from portico.types.topic import TopicText

Neighbors = defaultdict[EntityId, set[EntityId]]

# A title of fewer words than this ("Introduction", "Data mining") may be the title of many papers.
LEAST_TITLE_WORDS = 3


def read_topic_texts(store: Store) -> list[TopicText]:
    """One text a document. Classification runs before matching, so citers are found by the whole title."""
    texts = [
        read_topic_text(subject, payload)
        for subject, _digest, payload in store.documents.results.payloads(StageName.EXTRACT)
    ]
    return add_citers(texts)


def read_graph_texts(store: Store) -> list[TopicText]:
    """One text a held document, by the citation graph: the titles of all papers it cites and is cited by."""
    cited, citing = _find_neighbors(store)
    titles = {entity.id: entity.value("title") or "" for entity in store.catalog.entities.all()}
    return [
        text
        for entity in store.catalog.entities.held()
        for text in _make_graph_texts(
            entity,
            cited=[titles.get(each, "") for each in cited[entity.id]],
            citing=[titles.get(each, "") for each in citing[entity.id]],
        )
    ]


def read_graph_text(store: Store, entity: Entity) -> TopicText | None:
    """The same for one paper; nothing for one that is not held."""
    cited, citing = (
        [
            neighbor.value("title") or ""
            for each in ids[entity.id]
            if (neighbor := store.catalog.entities.current(each))
        ]
        for ids in _find_neighbors(store)
    )
    return next(iter(_make_graph_texts(entity, cited=cited, citing=citing)), None)


def read_topic_text(document: str, payload: bytes) -> TopicText:
    """The document's own words, and the titles in its references."""
    records = decode(tuple[Record, ...], payload)
    header = next((record for record in records if record.kind == "header"), None)
    cited = (record.value("title") for record in records if record.kind == "reference")
    if header is None and records:
        return TopicText(
            document=DocumentId(document),
            title=" ".join(field.value for field in records[0].fields),
            abstract=" ".join(record.raw for record in records),
        )
    return TopicText(
        document=DocumentId(document),
        title=(header and header.value("title")) or "",
        abstract=(header and header.value("abstract")) or "",
        authors=tuple(field.value for field in header.all("author")) if header else (),
        cited_titles=tuple(title for title in cited if title),
    )


def add_citers(texts: list[TopicText]) -> list[TopicText]:
    """The texts, each with the titles of those that cite it."""
    held: dict[tuple[str, ...], list[int]] = {}
    for number, text in enumerate(texts):
        held.setdefault(tuple(split_words(text.title)), []).append(number)
    citers: list[list[str]] = [[] for _ in texts]
    for number, text in enumerate(texts):
        for key in {tuple(split_words(title)) for title in text.cited_titles}:
            if len(key) >= LEAST_TITLE_WORDS:
                for cited in held.get(key, ()):
                    if cited != number and text.title:
                        citers[cited].append(text.title)
    return [
        replace(text, citing_titles=tuple(sorted(found))) for text, found in zip(texts, citers, strict=True)
    ]


def _make_graph_texts(entity: Entity, *, cited: list[str], citing: list[str]) -> list[TopicText]:
    text = TopicText(
        document=DocumentId(""),
        title=entity.value("title") or "",
        abstract=entity.value("abstract") or "",
        authors=tuple(field.value for field in entity.all("author")),
        cited_titles=tuple(sorted(filter(None, cited))),
        citing_titles=tuple(sorted(filter(None, citing))),
    )
    return [replace(text, document=document) for document in entity.documents]


def _find_neighbors(store: Store) -> tuple[Neighbors, Neighbors]:
    """Whom each paper cites, and who cites it, each once."""
    cited: Neighbors = defaultdict(set)
    citing: Neighbors = defaultdict(set)
    for citation in store.catalog.citations.all():
        if citation.citing != citation.cited:
            cited[citation.citing].add(citation.cited)
            citing[citation.cited].add(citation.citing)
    return cited, citing
