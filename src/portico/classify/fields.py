"""Predicts the field of research of a document, with a shipped model trained on abstracts of all sciences."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from portico.classify.features import Vocabulary
from portico.classify.keywords import list_neighbor_titles
from portico.errors import ConfigError
from portico.learn.counts import Counts, Table, count_row_columns, pack_arrays, unpack_arrays
from portico.learn.linear_text import (
    LikeliestRight,
    LinearText,
    calibrate_scores,
    damp_counts,
    from_levels,
    split_column,
    to_levels,
)
from portico.text.function_words import FUNCTION_WORDS, guess_language
from portico.text.stemming import is_stemmed
from portico.text.words import split_tokens
from portico.types.topic import TopicText

FORMAT = "portico fields 1"

HOME_FIELD = "computer science"
"""The field of the shipped topic tree. Whether a document belongs to it at all is decided by a separate
model."""

# How likely the most likely field is to be right, fitted by `lab research-fields` on held-out sources.
LIKELIEST_RIGHT = LikeliestRight(slope=0.444, far_slope=-0.275, words=-0.239, offset=0.434)
# Names of venues say more than as many other words, so their scores are added once more with this weight.
# From .3 to 1, accuracy on wild_pdf is the same, and better than with 0.
VENUE_SHARE = 0.5
# The model was trained on English texts. In other languages it knows some words by chance; fewer than this
# (the same as `field_guide.JUDGED_WORDS`) mean nothing.
LEAST_FOREIGN_WORDS = 8
# Shares are only compared with those of trees and need not be calibrated: one sharpness for all documents.
SHARPNESS = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class FieldModel:
    """The weight of each word for each field, and for the home field against all others."""

    fields: tuple[str, ...]
    vocabulary: Vocabulary
    table: LinearText  # one column a field
    home: LinearText  # one column: log odds of being of the home field
    id: str  # names the content

    def count(self, texts: Sequence[TopicText]) -> Counts:
        """The input for the methods below, to be computed once: counting takes longer than they do."""
        return field_counts(self.vocabulary, texts)

    def chances(self, texts: Sequence[TopicText]) -> Table:
        """The probability of every field; one row per document.

        All fields are equally likely if no word of a document is known, or too few in a language other than
        English.
        """
        own, near = count_own_words(self.vocabulary, texts), count_near_words(self.vocabulary, texts)
        counts = damp_counts(own, near)
        scores = self.table.scores(counts)
        for venues in ([(text.venue,) for text in texts], [text.cited_venues for text in texts]):
            named = damp_counts(
                self.vocabulary.count_words([_drop_function_words(names) for names in venues])
            )
            scores += VENUE_SHARE * (self.table.scores(named) - self.table.bias)
        chances = calibrate_scores(scores, count_row_columns(own), LIKELIEST_RIGHT)
        for row, (text, n_known) in enumerate(zip(texts, count_row_columns(counts), strict=True)):
            if n_known < (1 if text.language in ("", "en") else LEAST_FOREIGN_WORDS):
                chances[row] = 1.0 / len(self.fields)
        return chances

    def shares(self, counts: Counts) -> Table:
        """How strongly each document indicates every field, for comparison with trees; one row per
        document.
        """
        return self.table.probabilities(counts, sharpness=SHARPNESS)

    def home_odds(self, counts: Counts) -> list[float]:
        """The log odds of each document that it is in the home field."""
        odds: list[float] = self.home.scores(counts)[:, 0].tolist()
        return odds

    @staticmethod
    def n_known(counts: Counts) -> list[int]:
        """How many different words of each document the model knows."""
        return [int(n) for n in count_row_columns(counts)]


def field_counts(vocabulary: Vocabulary, texts: Sequence[TopicText]) -> Counts:
    """The input of the model: counts of the documents' own words and of words in related titles and
    venues.
    """
    return damp_counts(count_own_words(vocabulary, texts), count_near_words(vocabulary, texts))


def count_own_words(vocabulary: Vocabulary, texts: Sequence[TopicText]) -> Counts:
    """Word counts of title, abstract, venue, keywords and departments."""
    own = [_drop_function_words(_list_own_lines(text), text.language) for text in texts]
    return vocabulary.count_words(own)


def count_near_words(vocabulary: Vocabulary, texts: Sequence[TopicText]) -> Counts:
    """Word counts of the titles a document cites or is cited by, and of the venues it cites."""
    near = [_drop_function_words((*list_neighbor_titles(text), *text.cited_venues)) for text in texts]
    return vocabulary.count_words(near)


def _list_own_lines(text: TopicText) -> tuple[str, ...]:
    return (text.title, text.abstract, text.venue, *text.keywords, *text.departments)


def _drop_function_words(lines: Sequence[str], language: str | None = None) -> str:
    """The lines without articles, prepositions etc. of their language, which is guessed if `language` is
    None.

    English function words are not in the model anyway. Those of other languages may be: "die" and "des" also
    occur in some English titles, and would determine the field of a German or French paper.
    """
    joined = "\n".join(lines)
    if not joined or (language is not None and not is_stemmed(language)):
        return joined
    tokens = split_tokens(joined)
    dropped = FUNCTION_WORDS[guess_language(tokens) if language is None else language]
    return " ".join(token for token in tokens if token not in dropped)


def write_fields(fields: Sequence[str], words: Sequence[str], table: LinearText) -> bytes:
    """The content of a model file; the last column of `table` is the model of the home field."""
    header = {"format": FORMAT, "fields": list(fields), "words": list(words)}
    return pack_arrays(json.dumps(header), to_levels(table))


def read_fields(content: bytes) -> FieldModel:
    """The model in a file's content; ConfigError if it is damaged or has another format."""
    written, arrays = unpack_arrays(content)
    header = json.loads(written)
    if header.get("format") != FORMAT:
        raise ConfigError(f'the model of fields is "{header.get("format")}", not "{FORMAT}"')
    table, home = split_column(from_levels(arrays))
    digest = hashlib.sha256(content).hexdigest()
    return FieldModel(tuple(header["fields"]), Vocabulary(tuple(header["words"])), table, home, digest)
