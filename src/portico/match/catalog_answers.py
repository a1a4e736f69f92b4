"""Completes headers from catalog answers, and estimates whether an answer is about the same paper."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from portico.match.mention import PAPERS, parse_own_mention
from portico.match.merge import NEARLY_CERTAIN
from portico.match.scoring import compute_log_odds, to_probability
from portico.types.enrichment import CATALOGS, CatalogAnswer
from portico.types.record import Field, Record

DOUBTED = 0.5
"""A printed value with a lower confidence is replaced by one from a catalog that is nearly certain."""

# Groups of alternative fields: a header with one of a group lacks none of it.
LENT = (
    ("title",), ("author", "authors"), ("year", "date", "published"), ("journal", "booktitle", "venue"),
    ("volume",), ("number",), ("pages",), ("publisher",), ("institution",), ("doi",), ("issn",), ("isbn",),
    ("abstract",), ("keyword",), ("language",), ("publication_type",), ("open_access",),
)  # fmt: skip


def compute_agreement(header: Record, answer: Record) -> float:
    """The probability that a catalog's record describes the document with this header."""
    one, other = parse_own_mention(header), parse_own_mention(answer)
    return to_probability(compute_log_odds(one, other))


def lend_fields(header: Record, answers: Iterable[CatalogAnswer]) -> Record:
    """The header with missing or very uncertain fields filled from answers that are almost certainly about
    it.

    If several catalogs have a value, Crossref's is preferred, because publishers deposit it there themselves.
    """
    certain = [answer for answer in answers if answer.probability >= NEARLY_CERTAIN]
    certain.sort(key=lambda answer: CATALOGS.index(answer.catalog))
    fields = header.fields
    for group in LENT:
        own = [field for field in fields if field.name in group]
        if any(field.confidence >= DOUBTED for field in own):
            continue
        lent = next((found for answer in certain if (found := _find_group(answer, group))), ())
        if lent:
            fields = (*(field for field in fields if field not in own), *lent)
    if fields == header.fields:
        return header
    has_own_people = any(field.name in ("author", "authors") and not field.listed_on for field in fields)
    return replace(header, fields=fields, people=header.people if has_own_people else ())


def _find_group(answer: CatalogAnswer, group: Sequence[str]) -> tuple[Field, ...]:
    return tuple(
        replace(field, confidence=round(field.confidence * answer.probability, 6))
        for field in answer.fields
        if field.name in group
    )


def is_known(header: Record) -> bool:
    """Whether a header contains enough to query a catalog for it."""
    return bool(header.value("doi")) or parse_own_mention(header, PAPERS).identifiable
