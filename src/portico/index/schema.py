"""The fields of the index, and the one way text becomes words, for documents and queries alike."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import tantivy

from portico.types.search import SearchedField

VERSION = "15"
"""Raised when an index written by an older version can no longer be searched: the pipeline then builds a new
one."""

# Words longer than this (in bytes) are hashes, base64 or extraction errors, which nobody searches for.
LONGEST_WORD = 80

# Maximum characters of a name to filter by; longer ones are extraction errors.
LONGEST_NAME = 300

WORDS = "words"
"""The name of our tokenizer in tantivy: letters and digits, lower case, without accents. It neither stems nor
drops stop words; other forms of a word are added to the query (`word_forms.py`)."""

SEARCHABLE: Mapping[str, str] = MappingProxyType(
    {
        "author": "authors",
        "authors": "authors",
        "title": "title",
        "abstract": "abstract",
        "venue": "venue",
        "topic": "topic_words",
        "affiliation": "affiliations",
        "institution": "affiliations",
        "keyword": "keywords",
        "doi": "doi",
    }
)
"""Field names a visitor may type before a colon, and the index field that each searches."""

TEXTS = ("heading", "abstract")
"""The fields that show what a paper is about: the text above the abstract, and the abstract."""

TITLE_COPIES = 2
"""How many times the title is indexed, so that a paper with the title searched for comes first."""

IN, AT = "in_", "at_"
"""Prefixes of the index fields for declared fields: one for their words, one for their whole values."""

ABBREVIATIONS = "abbreviations"
"""Index field of abbreviations that papers explain, "hmm=hidden markov model", and the reverse."""

KIND, FOUND = "kind", "found"
"""Index fields of domains that declare their kinds: the kind, and when it was found."""

_ANALYZER = (
    tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    .filter(tantivy.Filter.remove_long(LONGEST_WORD))
    .filter(tantivy.Filter.lowercase())
    .filter(tantivy.Filter.ascii_fold())
    .build()
)


# The analyzer's result for each ASCII character: lower-case letters and digits stay, all others separate
# words.
_ASCII_WORDS = bytes(ord(chr(code).lower()) if chr(code).isalnum() else ord(" ") for code in range(128))
_ASCII_WORDS = _ASCII_WORDS.ljust(256)


def split_words(text: str) -> tuple[str, ...]:
    """The words of a text in the form in which the index stores them."""
    if text.isascii():  # the same as the analyzer makes, in a fifth of its time
        words = text.encode().translate(_ASCII_WORDS).decode().split()
        return tuple([word for word in words if len(word) < LONGEST_WORD])
    return tuple(_ANALYZER.analyze(to_indexable(text)))


def count_papers_with(searcher: tantivy.Searcher, word: str) -> int:
    """The number of papers with the word, in the text field where it is most frequent."""
    return max(int(searcher.doc_freq(text, word)) for text in TEXTS)


def to_encodable(text: str) -> str:
    """The text with unpaired surrogates, which broken PDF files contain, replaced by `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def to_indexable(text: str) -> str:
    """The text as passed to the engine: Chinese and Japanese are written without spaces, so every
    character is a word, and searched text is a phrase. The separators are invisible, and removed from
    what is shown.
    """
    return text if text.isascii() else _BETWEEN.sub(PARTED, to_encodable(text))


PARTED = "\u200b"
"""Separates words in texts written without spaces."""

_IDEOGRAPH = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_BETWEEN = re.compile(rf"(?<=[{_IDEOGRAPH}])(?=[^\W_])|(?<=[^\W_])(?=[{_IDEOGRAPH}])")


def build_schema(declared: Sequence[SearchedField] = ()) -> tantivy.Schema:
    """The fields of an index of papers, and those that a domain declares."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    # Title (counted twice), authors and venue as one text, ranked with the abstract: engine_query.py.
    builder.add_text_field("heading", tokenizer_name=WORDS)
    builder.add_text_field("title", tokenizer_name=WORDS)
    builder.add_text_field("authors", tokenizer_name=WORDS)
    builder.add_text_field("abstract", stored=True, tokenizer_name=WORDS)
    builder.add_text_field("venue", tokenizer_name=WORDS)
    for name in ("affiliations", "keywords", "doi"):  # asked for by name alone
        builder.add_text_field(name, tokenizer_name=WORDS)
    builder.add_text_field("body", stored=True, tokenizer_name=WORDS)
    builder.add_text_field("topics", fast=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("topic_words", tokenizer_name=WORDS)
    # Names as printed, to narrow by and to count; those of authors, of which there are many, as numbers.
    builder.add_unsigned_field("author_keys", indexed=True, fast=True)
    builder.add_unsigned_field("person_keys", indexed=True, fast=True)
    builder.add_text_field(ABBREVIATIONS, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("venue_name", fast=True, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("shown", stored=True)
    builder.add_text_field("cites", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("title_key", fast=True)
    builder.add_integer_field("year", indexed=True, fast=True)
    builder.add_integer_field("published", fast=True)
    builder.add_unsigned_field("n_citations", fast=True)
    builder.add_float_field("authority", fast=True)
    builder.add_float_field("hub", fast=True)
    builder.add_float_field("prior", fast=True)
    builder.add_float_field("prior_without_length", fast=True)
    builder.add_boolean_field("held", indexed=True, fast=True)
    if declared:
        builder.add_text_field(KIND, fast=True, tokenizer_name="raw", index_option="basic")
        builder.add_unsigned_field(FOUND, fast=True)
    for field in declared:
        builder.add_text_field(IN + field.name, tokenizer_name=WORDS)
        if field.facet:
            builder.add_text_field(AT + field.name, fast=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


def register_tokenizer(index: tantivy.Index) -> tantivy.Index:
    """The same index with our tokenizer registered: tantivy does not store tokenizers on disk."""
    index.register_tokenizer(WORDS, _ANALYZER)
    return index
