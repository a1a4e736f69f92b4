"""Learns fields from marked pages, in addition to what the domain reads anyway, and measures the gain."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from portico.extract.features import Observer
from portico.extract.lesson_trials import LessonJudge, Trial, Trials, Values, read_values
from portico.extract.page_learning import LabelledPage, label_passages, learn_fields
from portico.extract.page_rows import read_page_rows
from portico.extract.pages import load_shipped_fields, make_base_tag, make_page_observer, make_taught_tag
from portico.extract.tagger import Tagged
from portico.extract.taught_fields import MARKS, Parts, Tag, TaughtFields, TaughtTagger, merge_readings
from portico.learn.committee import Committee
from portico.types.document import Document, Span
from portico.types.domain import Domain

# Folds of cross-validation: each part is read by a model learned from the others.
FOLDS = 5
LEAST_PAGES = 2
"""Minimum number of marked pages for leaving one out."""


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """A page and the passages of it that somebody marked."""

    document: Document
    passages: tuple[tuple[Span, str], ...]
    key: str  # changes with the page and with its marks

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(label for _, label in self.passages)


@dataclass(frozen=True, slots=True)
class VerifiedPage:
    """A page with the correct values of some labels; of labels not named nothing is known."""

    document: Document
    right: Values


@dataclass(frozen=True, slots=True)
class TriedLesson:
    """What was learned, and its test results; `taught` is None if nothing reads better than before."""

    taught: TaughtFields | None
    judge: LessonJudge
    parts: Parts


class FieldLearner:
    """Learns from the marked pages of one portal.

    Words without a mark on a marked page count as negative examples, but only of the fields marked on that
    page. Other fields keep the labels they are read with without marks: somebody who marks only titles does
    not say that there is no date.
    """

    def __init__(self, domain: Domain, in_use: TaughtFields | None = None) -> None:
        self._domain, self._in_use = domain, in_use
        self._shipped: Committee | None = load_shipped_fields(domain)
        self.base: Tag = make_base_tag(domain, self._shipped)

    @cached_property
    def _observe(self) -> Observer:
        return make_page_observer(self._domain)

    @property
    def _other(self) -> str:
        return self._domain.kinds[0].other

    def try_lesson(
        self, pages: Sequence[MarkedPage], *, known: Sequence[VerifiedPage], unmarked: Sequence[Document]
    ) -> TriedLesson:
        """Learn from all pages, and test the result on each page with a model learned without it."""
        bases = [self.base(read_page_rows(page.document)) for page in pages]
        examples = [self._label(page, base) for page, base in zip(pages, bases, strict=True)]
        whole = self._learn(examples)
        now, later = self.make_tag(self._in_use), make_taught_tag(self._domain, self._shipped, whole)

        def make_trial(document: Document, right: Values | None = None) -> Trial:
            rows = read_page_rows(document)
            return Trial(document, self.base(rows), now(rows), later(rows), right)

        judge = LessonJudge(
            self._domain.kinds,
            Trials(
                left_out=tuple(self._leave_out(pages, bases, examples)),
                known=tuple(make_trial(page.document, page.right) for page in known),
                unmarked=tuple(make_trial(document) for document in unmarked if document.lines),
            ),
        )
        parts = judge.choose_parts()
        taught = TaughtFields(whole, tuple(sorted(parts.items())), tuple(page.key for page in pages))
        return TriedLesson(taught if judge.is_better(parts) else None, judge, parts)

    def make_tag(self, taught: TaughtFields | None) -> Tag:
        """Return the tagger that uses a lesson; without one, the tagger from before any lesson."""
        if taught is None:
            return self.base
        later = make_taught_tag(self._domain, self._shipped, taught.model)
        return TaughtTagger(self.base, later, taught.parts, self._other)

    def _label(self, page: MarkedPage, base: Tagged) -> LabelledPage:
        marked = label_passages(page.document, page.passages, other=self._other)
        labels = tuple(
            said if label == self._other and said not in page.labels else label
            for label, said in zip(marked.labels, base.labels, strict=True)
        )
        return LabelledPage(marked.rows, labels)

    def _learn(self, examples: Sequence[LabelledPage]) -> Committee:
        (_, model), *_ = learn_fields(examples, self._observe).members
        return Committee(((MARKS, model),))

    def _leave_out(
        self, pages: Sequence[MarkedPage], bases: Sequence[Tagged], examples: Sequence[LabelledPage]
    ) -> list[Trial]:
        """Read each page by models learned from other pages: from all others, and from those in use."""
        trials: list[Trial | None] = [None] * len(pages)
        in_use = self._find_in_use(pages)
        n_folds = min(FOLDS, len(pages))
        for fold in range(n_folds):
            others = [idx for idx in range(len(pages)) if idx % n_folds != fold]
            tag = make_taught_tag(self._domain, self._shipped, self._learn([examples[idx] for idx in others]))
            known = [examples[idx] for idx in others if idx in in_use]
            is_same = len(known) == len(others)
            old = (
                make_taught_tag(self._domain, self._shipped, self._learn(known))
                if known and not is_same
                else tag
            )
            for idx in range(fold, len(pages), n_folds):
                rows = examples[idx].rows
                said = tag(rows)
                before = bases[idx]
                if known and self._in_use is not None:
                    earlier = said if is_same else old(rows)
                    before = merge_readings(bases[idx], earlier, dict(self._in_use.parts), other=self._other)
                trials[idx] = Trial(
                    pages[idx].document, bases[idx], before, said, self._read_right(pages[idx])
                )
        return [trial for trial in trials if trial is not None]

    def _find_in_use(self, pages: Sequence[MarkedPage]) -> frozenset[int]:
        """Return the pages that the model in use was learned from; none if some of its marks are gone."""
        if self._in_use is None or not {page.key for page in pages}.issuperset(self._in_use.pages):
            return frozenset()
        return frozenset(idx for idx, page in enumerate(pages) if page.key in self._in_use.pages)

    def _read_right(self, page: MarkedPage) -> Values:
        marked = label_passages(page.document, page.passages, other=self._other)
        tagged = Tagged(marked.rows, marked.labels, (1.0,) * len(marked.labels))
        found = read_values(page.document, tagged, self._domain.kinds, structured=False)
        return {label: found[label] for label in sorted(page.labels) if label in found}
