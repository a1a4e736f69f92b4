"""Stems the words of seven languages for comparison, and drops function words."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache

import tantivy

from portico.text.function_words import FUNCTION_WORDS
from portico.text.words import STOP_WORDS, split_tokens, stem_all

_STEMMERS: Mapping[str, str] = {
    "de": "german", "en": "english", "es": "spanish", "fr": "french", "it": "italian", "nl": "dutch",
    "pt": "portuguese",
}  # fmt: skip
"""The search engine's names of the stemmers, for the languages whose function words we know."""


@cache
def load_stemmer(language: str) -> tantivy.TextAnalyzer:
    """The Snowball stemmer of one of the seven languages; it takes words separated by blanks."""
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return words.filter(tantivy.Filter.stemmer(_STEMMERS[language])).build()


def is_stemmed(language: str) -> bool:
    """Whether words of the language are compared by their own stems; all other languages are treated like
    English.
    """
    return language != "en" and language in _STEMMERS


def stem_tokens(tokens: Collection[str], language: str) -> list[str]:
    """One form per lower-case token, "" for a function word of the language or of English."""
    if not is_stemmed(language):
        return stem_all(tokens)
    function_words = FUNCTION_WORDS[language]
    stems = load_stemmer(language).analyze(" ".join(tokens))
    return [
        "" if token in function_words or token in STOP_WORDS else found
        for token, found in zip(tokens, stems, strict=True)
    ]


def split_stems(text: str, language: str) -> list[str]:
    """The stems of all words of a text except function words, in order."""
    return [word for word in stem_tokens(split_tokens(text), language) if word]


def list_stemmed(languages: Sequence[str]) -> tuple[str, ...]:
    """Those of the languages that have stemmers, each once, in order."""
    return tuple(sorted({language for language in languages if is_stemmed(language)}))
