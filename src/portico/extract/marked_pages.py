"""Learn fields from the pages a builder has marked, on top of what ships with the domain if anything does."""

from collections.abc import Sequence

from portico.errors import ConfigError
from portico.extract.features import Observer
from portico.extract.page_learning import LabelledPage, learn_fields
from portico.learn.committee import Committee

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
        return joined(shipped, learn_fields([page for page in pages if page is not left_out], observe))

    before = [agreement(shipped, page, observe, other) for page in pages]
    after = [agreement(without(page), page, observe, other) for page in pages if len(pages) > 1]
    if after and sum(after) < sum(before):
        shares = f"{sum(before) / len(before):.0%}, and with your marks {sum(after) / len(after):.0%}"
        raise ConfigError(f"what ships reads {shares} of what you marked on pages left out: mark more pages")
    return joined(shipped, taught)


def joined(shipped: Committee, taught: Committee) -> Committee:
    """Both together; what was learned from marks before is left out."""
    (_, newest), *_ = taught.members
    return Committee((*shipped.without(MARKS).members, (MARKS, newest)))


def agreement(model: Committee, page: LabelledPage, observe: Observer, other: str) -> float:
    """How well a model labels the words of a page: the F1 of all words that are part of some field."""
    said = model.tag(observe(page.rows)).labels
    right = sum(one == label != other for one, label in zip(said, page.labels, strict=True))
    n_said, n_marked = (sum(label != other for label in labels) for labels in (said, page.labels))
    return 2 * right / (n_said + n_marked) if n_said + n_marked else 1.0
