"""The features for classifying a document: its words, words of neighboring titles, and its authors."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from portico.classify.keywords import list_neighbor_titles
from portico.learn.counts import Counts, combine_tables, count_columns, count_rows_with
from portico.learn.word_index import UNKNOWN, WordIndex
from portico.text.names import parse_name
from portico.text.stemming import is_stemmed, split_stems, stem_tokens
from portico.text.words import spaced, split_tokens, stem
from portico.types.topic import TopicText

# Weights of a word in a neighboring title and of an author, relative to a word of the document. Swept on
# Cora-70 (.25-1 and 0-2) with `lab topics`: .5 and .5 are best, nearby values hardly worse.
NEIGHBOR_WEIGHT = 0.5
AUTHOR_WEIGHT = 0.5

AUTHOR_SIGN = "@"
"""Prefix of the "words" for authors, which keeps names apart from words."""

# Words in a single document are ignored, unless the collection is too small: then few words occur in two.
SMALL_COLLECTION = 200


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words a model knows, and the column of each in its tables."""

    words: tuple[str, ...]
    columns: dict[str, int] = field(init=False, repr=False, compare=False)
    forms: WordIndex = field(init=False, repr=False, compare=False)  # of English words as written
    stems: WordIndex = field(init=False, repr=False, compare=False)  # of words of other languages, stemmed

    def __post_init__(self) -> None:
        columns = {word: column for column, word in enumerate(self.words)}
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "forms", WordIndex(lambda token: columns.get(stem(token), UNKNOWN)))
        object.__setattr__(self, "stems", WordIndex(lambda word: columns.get(word, UNKNOWN)))

    def count(self, texts: Sequence[TopicText]) -> Counts:
        """Weighted counts of all features: one row per document, one column per word."""
        return combine_tables(list(self._parts(texts)))

    def _parts(self, texts: Sequence[TopicText]) -> Iterator[tuple[float, Counts]]:
        languages = [text.language for text in texts]
        yield 1.0, self.count_words([f"{text.title}\n{text.abstract}" for text in texts], languages)
        near = ["\n".join(list_neighbor_titles(text)) for text in texts]
        if any(near):
            yield NEIGHBOR_WEIGHT, self.count_words(near, languages)
        authors = [[self.columns.get(name, UNKNOWN) for name in make_author_words(text)] for text in texts]
        if any(authors):
            yield AUTHOR_WEIGHT, count_columns(authors, len(self.words))

    def count_words(self, texts: Sequence[str], languages: Sequence[str] = ()) -> Counts:
        """Word counts of plain texts, one row per text; texts are taken for English if no languages are
        given.
        """
        is_other = [is_stemmed(language) for language in languages] or [False] * len(texts)
        if not any(is_other):
            return self.forms.count([spaced(text) for text in texts], len(self.words))
        english = ["" if other else spaced(text) for text, other in zip(texts, is_other, strict=True)]
        stemmed = [
            " ".join(split_stems(text, language)) if is_stemmed(language) else ""
            for text, language in zip(texts, languages, strict=True)
        ]
        n_words = len(self.words)
        return combine_tables(
            [(1.0, self.forms.count(english, n_words)), (1.0, self.stems.count(stemmed, n_words))]
        )


def build_vocabulary(
    texts: Sequence[TopicText], always: Iterable[str] = (), *, least: int | None = None
) -> Vocabulary:
    """The words that occur in at least `least` texts, and all words in `always`, sorted.

    By default, words must occur in two texts, or in one if the collection is small.
    """
    frequency = Counter[str]()
    stems: dict[str, int] = {}
    forms = WordIndex(lambda token: stems.setdefault(stem(token), len(stems)))
    english = [spaced(_join_words(text)) for text in texts if not is_stemmed(text.language)]
    counts = forms.count(english, None)
    frequency.update(dict(zip(stems, map(int, count_rows_with(counts)), strict=True)))
    for text in texts:
        if is_stemmed(text.language):
            frequency.update({*stem_tokens({*split_tokens(_join_words(text))}, text.language)})
        frequency.update({*make_author_words(text)})
    enough = least or (2 if len(texts) > SMALL_COLLECTION else 1)
    known = {word for word, n_documents in frequency.items() if n_documents >= enough and _tells(word)}
    return Vocabulary(tuple(sorted(known.union(always))))


def _join_words(text: TopicText) -> str:
    return "\n".join((text.title, text.abstract, *list_neighbor_titles(text)))


def make_author_words(text: TopicText) -> list[str]:
    """One feature per author, such as "@mccallum a"."""
    names = (parse_name(author) for author in text.authors)
    return [f"{AUTHOR_SIGN}{name.key} {name.initials[:1]}" for name in names if name.key]


def _tells(word: str) -> bool:
    return len(word) > 1 and not word.isdigit()
