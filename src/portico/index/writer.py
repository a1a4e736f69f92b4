"""Writes entries to a searchable index on disk."""

import hashlib
import json
import math
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from itertools import zip_longest
from operator import attrgetter
from pathlib import Path

import tantivy

from portico.index.abbreviations import make_abbreviation_terms
from portico.index.facets import encode_shown, list_topics_above, make_author_key, make_person_key
from portico.index.files import (
    explain_unreadable,
    explain_unwritable,
    finish_index,
    open_index,
    open_to_read,
    translate_faults,
)
from portico.index.ordering import make_title_key
from portico.index.schema import (
    ABBREVIATIONS,
    AT,
    FOUND,
    IN,
    KIND,
    LONGEST_NAME,
    TITLE_COPIES,
    VERSION,
    build_schema,
    register_tokenizer,
    to_encodable,
    to_indexable,
)
from portico.text.words import dehyphenate
from portico.types.record import EntityId
from portico.types.search import Entry, SearchedField

__all__ = ["VERSION", "fingerprint_entry", "list_indexed_ids", "update_index", "write_index"]

# Memory of one writer, in bytes; tantivy refuses less than 15 MB a thread, and flushes a segment
# when it is full.
WRITER_BYTES = 64_000_000

# Memory for writing a new index: fewer flushed segments mean fewer merges, which made indexing 20,000
# abstracts a quarter faster (`benchmarks/index.py`).
FRESH_WRITER_BYTES = 200_000_000

# One thread keeps documents in order, so that ties are broken in the same way in every build.
_THREADS = 1

# Entries between two progress updates.
_PROGRESS_EVERY = 200

# A paper cited a hundred times scores a quarter more than one never cited. A choice, not a fit:
# enough to order papers that match equally well, never enough to beat a better match.
_CITATION_LIFT = 0.05

# A paper known only from citations is a title without abstract; BM25 would prefer it for being short, while
# visitors came to read. With this factor for held papers, they come first if the words match equally.
_HELD_LIFT = 3.0

# BM25 corrects too little for length if texts are abstracts: of two papers with the words, the one that says
# less else is meant. Lengths are relative to the mean of 45,000 arXiv abstracts, in characters; exponents of
# .2 to .8 were compared on three sets of queries, including the test's.
_USUAL_LENGTH, _BREVITY, _MOST_BREVITY = 1_200, 0.4, 2.0


def write_index(
    entries: Iterable[Entry],
    folder: Path,
    *,
    declared: Sequence[SearchedField] = (),
    progress: Callable[[int], None] | None = None,
) -> int:
    """Build a new index in `folder`, replacing what a killed run left there; returns the number of
    entries.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with translate_faults(explain_unwritable(folder)):
        index = register_tokenizer(tantivy.Index(build_schema(declared), str(folder)))
    return _write(index, folder, entries, progress=progress, deletes=None)


def update_index(folder: Path, upserts: Iterable[Entry], deletes: Iterable[EntityId] = ()) -> int:
    """Replace or add `upserts` and remove `deletes` in one commit; doing it again changes nothing."""
    return _write(open_index(folder), folder, upserts, deletes)


def list_indexed_ids(folder: Path) -> frozenset[EntityId]:
    """Every entity in the index."""
    index, _ = open_to_read(folder)
    with translate_faults(explain_unreadable(folder)):
        entities = index.searcher().terms_with_prefix("id", "", filter_query=tantivy.Query.all_query())
    return frozenset(EntityId(entity) for entity, _ in entities)


def fingerprint_entry(entry: Entry) -> str:
    """Changes when the entry, or the way it is indexed, changes."""
    text = json.dumps([VERSION, *_values(entry)], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _write(
    index: tantivy.Index,
    folder: Path,
    upserts: Iterable[Entry],
    deletes: Iterable[EntityId] | None = (),
    *,
    progress: Callable[[int], None] | None = None,
) -> int:
    """With `deletes` None nothing was there before, so that nothing need be looked for and replaced."""
    n_written = 0
    with translate_faults(explain_unwritable(folder)):
        writer = index.writer(FRESH_WRITER_BYTES if deletes is None else WRITER_BYTES, _THREADS)
        for entity in deletes or ():
            writer.delete_documents_by_term("id", entity)
        for entry in upserts:
            if deletes is not None:
                writer.delete_documents_by_term("id", entry.entity)
            writer.add_document(make_document(entry))
            n_written += 1
            if progress and n_written % _PROGRESS_EVERY == 0:
                progress(n_written)
        writer.commit()
        writer.wait_merging_threads()
        finish_index(folder)
    if progress:
        progress(n_written)
    return n_written


_values = attrgetter(*(field.name for field in fields(Entry)))


def make_document(entry: Entry) -> tantivy.Document:
    """The entry as the engine takes it."""
    document = tantivy.Document()
    add_text = document.add_text  # asked for a dozen times
    title, abstract = to_indexable(entry.title), to_indexable(entry.abstract)
    names = tuple(map(_name, entry.authors))
    add_text("id", entry.entity)
    for text in (*[title] * TITLE_COPIES, *map(to_indexable, names)):
        add_text("heading", text)
    add_text("title", title)
    add_text("abstract", abstract)
    _add_people(document, names, entry.people)
    for term in make_abbreviation_terms((entry.title, entry.abstract, entry.body)):
        add_text(ABBREVIATIONS, to_encodable(term))
    if entry.venue:
        _add_venue(document, entry.venue)
    told = (("affiliations", entry.affiliations), ("keywords", entry.keywords), ("doi", entry.dois))
    for field, values in told:
        for value in values:
            add_text(field, to_indexable(value))
    for cited in entry.cites:
        add_text("cites", cited)
    if entry.body:
        add_text("body", to_indexable(dehyphenate(entry.body)))
    if entry.topics:
        _add_topics(document, entry.topics)
    document.add_bytes("shown", encode_shown(entry, names, _name(entry.venue)))
    _add_numbers(document, entry)
    if entry.kind:
        _add_declared(document, entry)
    return document


def _add_people(document: tantivy.Document, names: Sequence[str], people: Sequence[str]) -> None:
    for name, person in zip_longest(names, people[: len(names)], fillvalue=""):
        document.add_text("authors", to_indexable(name))
        document.add_unsigned("author_keys", make_author_key(name))
        document.add_unsigned("person_keys", make_person_key(name, person))


def _add_venue(document: tantivy.Document, venue: str) -> None:
    document.add_text("heading", to_indexable(venue))
    document.add_text("venue", to_indexable(venue))
    document.add_text("venue_name", _name(venue))


def _add_declared(document: tantivy.Document, entry: Entry) -> None:
    """Under names that an index written for other fields does not have, nothing is added."""
    document.add_text(KIND, to_encodable(entry.kind))
    document.add_unsigned(FOUND, max(0, int(entry.found_at)))
    for name, values in entry.values:
        for value in dict.fromkeys(values):
            document.add_text("heading", to_indexable(value))
            document.add_text(IN + name, to_indexable(value))
            document.add_text(AT + name, _name(value))


def _add_topics(document: tantivy.Document, paths: tuple[tuple[str, ...], ...]) -> None:
    """Every path with all its ancestors, each once: a paper on parsing is one on language too."""
    for place in list_topics_above(paths):
        document.add_text("topics", to_encodable(place))
    for path in paths:
        document.add_text("topic_words", to_indexable(" ".join(path)))


def _add_numbers(document: tantivy.Document, entry: Entry) -> None:
    if entry.year is not None:
        document.add_integer("year", entry.year)
        document.add_integer("published", entry.published or 10_000 * entry.year)
    document.add_unsigned("n_citations", max(0, entry.n_citations))
    document.add_float("authority", entry.authority)
    document.add_float("hub", entry.hub)
    without_length = _weigh_standing(entry)
    document.add_float("prior", _as_prior(without_length * _weigh_brevity(entry)))
    document.add_float("prior_without_length", _as_prior(without_length))
    document.add_boolean("held", entry.held)
    document.add_unsigned("title_key", make_title_key(entry.sorted_by or entry.title))


def _as_prior(factor: float) -> float:
    """What tantivy must store so that it multiplies a score by this factor: it takes log2(2 + prior)."""
    return math.pow(2, factor) - 2


def _weigh_standing(entry: Entry) -> float:
    """The factor of a score for being held and cited."""
    factor = _HELD_LIFT if entry.held else 1.0
    return factor * (1 + _CITATION_LIFT * math.log1p(entry.n_citations)) if entry.n_citations > 0 else factor


def _weigh_brevity(entry: Entry) -> float:
    if not entry.abstract or entry.kind:
        return 1.0
    relative = _USUAL_LENGTH / (len(entry.abstract) + len(entry.title))
    return min(_MOST_BREVITY, max(1 / _MOST_BREVITY, math.pow(relative, _BREVITY)))


def _name(text: str) -> str:
    """A name as it is counted: on one line, and no longer than the engine can keep."""
    return to_encodable(" ".join(text.split()))[:LONGEST_NAME]
