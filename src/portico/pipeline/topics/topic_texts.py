"""The texts used for classification: headers, cited titles, and citing titles."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from portico.domains.papers.journals import find_journal
from portico.engine.work import Engine, Job, map_in_order
from portico.store.codec import decode, encode
from portico.store.database import chunks
from portico.store.opening import Store
from portico.text.languages import find_language_code, tell_language
from portico.text.words import split_words
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, Record
from portico.types.stages import StageName
from portico.types.topic import TopicText

# Maximum number of documents that topics are learned from. Documents are named by content digests, so the
# first by name are a random sample. Beyond some hundreds of documents per leaf nothing is gained
# (`bootstrap.MANY_A_LEAF`), while memory and time would grow.
MOST_LEARNED = 50_000

LEAST_SHARED = 5_000
"""Minimum number of documents for distributing work to workers, which need time to start and load."""

TEXTS_AT_ONCE = 500
"""Papers whose texts are in memory together; with the titles around them, they take some megabytes."""

# University units named after their field, in seven languages, with their names.
_DEPARTMENT = re.compile(
    r"\b(?:departments?|dept|institut[eo]?|school|faculty|facult[eé]|facultad|faculdade|facolt[aà]|fakult[aä]t"
    r"|faculteit|laborator(?:y|ies)|laboratoire|lehrstuhl|division|college|cent(?:er|re|ro)|centrum|seminar"
    r"|abteilung|d[eé]partement|departamento|dipartimento|istituto|afdeling)\b[^,;]{3,60}",
    re.IGNORECASE,
)

# Shorter titles ("Introduction", "Data mining") may belong to many papers.
LEAST_TITLE_WORDS = 3


def read_topic_texts(store: Store, engine: Engine | None = None) -> list[TopicText]:
    """Return one text per document, for at most `MOST_LEARNED` documents; workers help if there are many.

    Classification runs before matching, so citing papers are found by the complete title.
    """
    if (
        engine is None
        or not engine.is_parallel
        or store.documents.results.n_done(StageName.EXTRACT) < LEAST_SHARED
    ):
        return next(iterate_topic_texts(store), [])
    rows = ((subject, payload) for subject, _, payload in store.documents.results.payloads(StageName.EXTRACT))
    parts = chunks(islice(rows, MOST_LEARNED), TEXTS_AT_ONCE)
    read = map_in_order(engine, Job(build_text_reader, None), parts)
    return add_citers([text for part in read for text in decode(tuple[TopicText, ...], part)])


def build_text_reader(_: None) -> Callable[[Sequence[tuple[str, bytes]]], bytes]:
    """Build the function that workers apply for `read_topic_texts`."""
    return lambda rows: encode(tuple(read_topic_text(*row) for row in rows))


def iterate_topic_texts(store: Store) -> Iterator[list[TopicText]]:
    """Yield the texts of all documents, `MOST_LEARNED` at a time, with citing papers among these."""
    texts = _iterate_texts(store)
    while chunk := [*islice(texts, MOST_LEARNED)]:
        yield add_citers(chunk)


def read_some_topic_texts(store: Store, documents: Collection[str]) -> list[TopicText]:
    """Return the texts of these documents, with citing papers among all documents."""
    return add_citers([*_iterate_texts(store, documents)], _iterate_texts(store)) if documents else []


@dataclass(frozen=True, slots=True)
class GraphSources:
    """The stored inputs of the texts of some papers, for workers to decode."""

    papers: Mapping[EntityId, bytes]
    documents: Mapping[str, bytes]  # what was read of them
    cited: Mapping[EntityId, Sequence[str]]  # titles
    citing: Mapping[EntityId, Sequence[str]]


def iterate_graph_sources(store: Store) -> Iterator[GraphSources]:
    """Yield the sources of all held papers, in order of id, `TEXTS_AT_ONCE` at a time."""
    for chunk in chunks(store.catalog.entities.iterate_held_ids(), TEXTS_AT_ONCE):
        yield gather_graph_sources(store, chunk)


def gather_graph_sources(store: Store, ids: Sequence[EntityId]) -> GraphSources:
    """Gather the sources of these papers."""
    entities = store.catalog.entities
    cited, citing = store.catalog.citations.cited(ids), store.catalog.citations.citing(ids)
    around = {each for found in (cited, citing) for near in found.values() for each in near}
    titles = entities.titles(around)
    documents = entities.documents_of(ids)
    payloads = store.documents.results.payloads(StageName.EXTRACT, documents) if documents else ()
    return GraphSources(
        papers=entities.encoded(ids),
        documents={subject: payload for subject, _, payload in payloads},
        cited={paper: _list_titles(near, titles) for paper, near in cited.items()},
        citing={paper: _list_titles(near, titles) for paper, near in citing.items()},
    )


def _list_titles(papers: Iterable[EntityId], titles: Mapping[EntityId, str]) -> tuple[str, ...]:
    return tuple(sorted(filter(None, (titles.get(each, "") for each in papers))))


def read_graph_texts(store: Store, ids: Sequence[EntityId]) -> list[TopicText]:
    """Return one text per document of these papers, with the titles of all papers citing or cited."""
    return make_graph_texts(gather_graph_sources(store, ids))


def make_graph_texts(sources: GraphSources) -> list[TopicText]:
    """Make texts from stored sources, in order of paper id."""
    own = {name: read_topic_text(name, payload) for name, payload in sources.documents.items()}
    papers = [decode(Entity, sources.papers[name]) for name in sorted(sources.papers)]
    return [
        _add_printed(text, own[text.document]) if text.document in own else text
        for paper in papers
        for text in _make_graph_texts(paper, sources)
    ]


def read_topic_text(document: str, payload: bytes) -> TopicText:
    """Decode the text of a document: its own words, and the titles and venues in its references."""
    return make_topic_text(document, decode(tuple[Record, ...], payload))


def make_topic_text(document: str, records: Sequence[Record]) -> TopicText:
    """The text made from the records of a document."""
    header = next((record for record in records if record.kind == "header"), None)
    cited = (record.value("title") for record in records if record.kind == "reference")
    if header is None and records:
        title = " ".join(field.value for field in records[0].fields)
        abstract = " ".join(record.raw for record in records)
        language = tell_language(f"{title}\n{abstract}")
        return TopicText(DocumentId(document), title, abstract, language=language)
    title, abstract = (((header and header.value(name)) or "") for name in ("title", "abstract"))
    return TopicText(
        document=DocumentId(document),
        title=title,
        abstract=abstract,
        authors=tuple(field.value for field in header.all("author")) if header else (),
        cited_titles=tuple(title for title in cited if title),
        venue=_name_venue(header) if header else "",
        cited_venues=tuple(filter(None, map(_name_venue, records[1:]))),
        language=_tell_language(header, title, abstract),
        keywords=tuple(field.value for field in header.all("keyword")) if header else (),
        departments=_list_departments(header) if header else (),
    )


def _tell_language(header: Record | None, title: str, abstract: str) -> str:
    """The language of title and abstract, which decide the topic; without an abstract that of the paper."""
    if abstract or not header:
        return tell_language(f"{title}\n{abstract}")
    return find_language_code(header.value("language") or "") or tell_language(title)


def _add_printed(text: TopicText, own: TopicText) -> TopicText:
    """Add what only the file itself contains to the text."""
    return replace(
        text,
        venue=own.venue,
        cited_venues=own.cited_venues,
        language=own.language,
        keywords=own.keywords,
        departments=own.departments,
    )


def _list_departments(header: Record) -> tuple[str, ...]:
    """The departments, institutes and the like that a paper's authors belong to, each once.

    Names of universities and towns are left out: they say nothing about the field.
    """
    found = (
        match.group() for field in header.all("affiliation") for match in _DEPARTMENT.finditer(field.value)
    )
    return tuple(dict.fromkeys(found))


def _name_venue(record: Record) -> str:
    """The venue of a paper, with abbreviations of journals written out."""
    printed = record.value("venue") or ""
    return (find_journal(printed) or printed) if printed else ""


def _iterate_texts(store: Store, documents: Collection[str] | None = None) -> Iterator[TopicText]:
    for subject, _digest, payload in store.documents.results.payloads(StageName.EXTRACT, documents):
        yield read_topic_text(subject, payload)


def add_citers(texts: list[TopicText], among: Iterable[TopicText] | None = None) -> list[TopicText]:
    """Add to each text the titles of papers that cite it."""
    held: dict[tuple[str, ...], list[int]] = {}
    for number, text in enumerate(texts):
        held.setdefault(tuple(split_words(text.title)), []).append(number)
    citers: list[list[str]] = [[] for _ in texts]
    for text in texts if among is None else among:
        for key in {tuple(split_words(title)) for title in text.cited_titles}:
            if len(key) >= LEAST_TITLE_WORDS:
                for cited in held.get(key, ()):
                    if texts[cited].document != text.document and text.title:
                        citers[cited].append(text.title)
    return [
        replace(text, citing_titles=tuple(sorted(found))) for text, found in zip(texts, citers, strict=True)
    ]


def _make_graph_texts(entity: Entity, sources: GraphSources) -> list[TopicText]:
    text = TopicText(
        document=DocumentId(""),
        title=entity.value("title") or "",
        abstract=entity.value("abstract") or "",
        authors=tuple(field.value for field in entity.all("author")),
        cited_titles=tuple(sources.cited.get(entity.id, ())),
        citing_titles=tuple(sources.citing.get(entity.id, ())),
    )
    return [replace(text, document=document) for document in entity.documents]
