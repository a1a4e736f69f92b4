"""What classification reads of a document: its header, the titles it cites, the titles that cite it."""

from dataclasses import replace

from portico.store.codec import decode
from portico.store.opening import Store
from portico.text.words import words
from portico.types.document import DocumentId
from portico.types.record import Record
from portico.types.topic import TopicText

# A title of fewer words than this ("Introduction", "Data mining") may be the title of many papers.
LEAST_TITLE_WORDS = 3


def topic_texts(store: Store) -> list[TopicText]:
    """One text a document. Classification runs before matching, so citers are found by the whole title."""
    texts = [topic_text(subject, payload) for subject, _digest, payload in store.results.payloads("extract")]
    return with_citers(texts)


def topic_text(document: str, payload: bytes) -> TopicText:
    """The document's own words, and the titles in its references."""
    records = decode(tuple[Record, ...], payload)
    header = next((record for record in records if record.kind == "header"), None)
    cited = (record.value("title") for record in records if record.kind == "reference")
    return TopicText(
        document=DocumentId(document),
        title=(header and header.value("title")) or "",
        abstract=(header and header.value("abstract")) or "",
        authors=tuple(field.value for field in header.all("author")) if header else (),
        cited_titles=tuple(title for title in cited if title),
    )


def with_citers(texts: list[TopicText]) -> list[TopicText]:
    """The texts, each with the titles of those that cite it."""
    held: dict[tuple[str, ...], list[int]] = {}
    for number, text in enumerate(texts):
        held.setdefault(tuple(words(text.title)), []).append(number)
    citers: list[list[str]] = [[] for _ in texts]
    for number, text in enumerate(texts):
        for key in {tuple(words(title)) for title in text.cited_titles}:
            if len(key) >= LEAST_TITLE_WORDS:
                for cited in held.get(key, ()):
                    if cited != number and text.title:
                        citers[cited].append(text.title)
    return [
        replace(text, citing_titles=tuple(sorted(found))) for text, found in zip(texts, citers, strict=True)
    ]
