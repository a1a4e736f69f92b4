"""Learns to read the pages of a domain from pages with labelled passages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from portico.extract.features import Observer
from portico.extract.page_rows import read_page_rows
from portico.extract.words import Row
from portico.learn.committee import Committee, MemberOptions, train_committee
from portico.learn.crf import CrfOptions
from portico.types.document import Document, Span

# Penalties between those of the header and the reference models; not tuned. After 50 iterations the F1 of
# names on held-out sites hardly changes (`portico lab organisations`).
OPTIONS = CrfOptions(c1=0.2, c2=0.2, max_iterations=120)
MEMBERS = (MemberOptions("openings", OPTIONS, marks_openings=True),)


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """The rows of a page and a label for each word."""

    rows: tuple[Row, ...]
    labels: tuple[str, ...]


def label_passages(document: Document, passages: Iterable[tuple[Span, str]], *, other: str) -> LabelledPage:
    """Give words in a passage its label, and all other words `other`."""
    rows = read_page_rows(document)
    ordered = sorted(passages)
    labels = []
    for row in rows:
        for word in row.words:
            found = (label for span, label in ordered if _overlap(word.span, span))
            labels.append(next(found, other))
    return LabelledPage(rows, tuple(labels))


def learn_fields(
    pages: Sequence[LabelledPage], observe: Observer, members: Iterable[MemberOptions] = MEMBERS
) -> Committee:
    """Train a model on labelled pages; the same pages in the same order give the same model."""
    return train_committee(((observe(page.rows), page.labels) for page in pages), members)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
