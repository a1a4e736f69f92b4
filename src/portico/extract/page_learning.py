"""Learn to read the pages of a domain from pages on which passages are labelled."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from portico.errors import ConfigError
from portico.extract.features import Observer
from portico.extract.page_rows import read_page_rows
from portico.extract.words import Row
from portico.learn.committee import Committee, MemberOptions, train_committee
from portico.learn.crf import CrfOptions
from portico.types.document import Document, Span

# Penalties between those of the header and the reference models; not swept. From 50 iterations on the F1 of
# names on sites left out no longer changes much (`portico lab organisations`).
OPTIONS = CrfOptions(c1=0.2, c2=0.2, max_iterations=120)
MEMBERS = (MemberOptions("openings", OPTIONS, marks_openings=True),)


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page's rows, and a label for each word."""

    rows: tuple[Row, ...]
    labels: tuple[str, ...]


def label_passages(document: Document, passages: Iterable[tuple[Span, str]], *, other: str) -> LabelledPage:
    """A page whose words have the label of the passage they stand in, all other words `other`."""
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
    """A model of the labels of pages; the same pages in the same order give the same model."""
    return train_committee(((observe(page.rows), page.labels) for page in pages), members)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


MARKS = "marks"
"""The member of a committee that has learned from marks alone."""


def learn_marked(
    pages: Sequence[LabelledPage], observe: Observer, *, other: str, shipped: Committee | None = None
) -> Committee:
    """A model of the marked pages alone or, where one ships, of both together: each has a vote.

    Where two pages or more are marked, what is learned must read each of them, left out of the learning, no
    worse than what ships does; else it is a ConfigError, and the portal goes on as before.
    """
    taught = learn_fields(pages, observe)
    if shipped is None:
        return taught

    def without(left_out: LabelledPage) -> Committee:
        return join_page_models(
            shipped, learn_fields([page for page in pages if page is not left_out], observe)
        )

    before = [measure_agreement(shipped, page, observe, other) for page in pages]
    after = [measure_agreement(without(page), page, observe, other) for page in pages if len(pages) > 1]
    if after and sum(after) < sum(before):
        shares = f"{sum(before) / len(before):.0%}, and with your marks {sum(after) / len(after):.0%}"
        raise ConfigError(f"what ships reads {shares} of what you marked on pages left out: mark more pages")
    return join_page_models(shipped, taught)


def join_page_models(shipped: Committee, taught: Committee) -> Committee:
    """Both together; what was learned from marks before is left out."""
    (_, newest), *_ = taught.members
    return Committee((*shipped.without(MARKS).members, (MARKS, newest)))


def measure_agreement(model: Committee, page: LabelledPage, observe: Observer, other: str) -> float:
    """How well a model labels the words of a page: the F1 of all words that are part of some field."""
    said = model.tag(observe(page.rows)).labels
    right = sum(one == label != other for one, label in zip(said, page.labels, strict=True))
    n_said, n_marked = (sum(label != other for label in labels) for labels in (said, page.labels))
    return 2 * right / (n_said + n_marked) if n_said + n_marked else 1.0
