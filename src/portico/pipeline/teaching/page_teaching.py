"""Learns which pages are wanted from marked pages and from paths that ended at a goal."""

from collections.abc import Iterator, Sequence

from portico.convert.converter import Converter
from portico.crawl import media_types
from portico.crawl.links import view_page
from portico.crawl.page_kinds import PageKinds, WordRecognizer, learn_from_shown, make_recognizer
from portico.errors import ConfigError, InputError
from portico.extract.pages import load_extractor
from portico.pipeline.documents.converting import read_limits
from portico.pipeline.portal import Portal
from portico.pipeline.portal_domain import find_fields_models
from portico.pipeline.progress import count_things
from portico.pipeline.sources.recognizing import Recognizer, read_shipped_recognizer, read_shown_kinds
from portico.pipeline.teaching.model_history import keep_model
from portico.store.documents.pages import BodyRow
from portico.text.markup import decode
from portico.types.document import DocumentId
from portico.types.lesson import FieldOutcome, LessonOutcome, ValueChange
from portico.types.page import PageView, Url

# Maximum number of negative examples: more add little, and each page must be parsed.
MOST_OTHERS = 3_000
# Fewest missed pages needed to test whether similar ones would be found.
LEAST_MISSED = 2
# Folds of cross-validation over the missed pages.
FOLDS = 4
# New pages that are extracted as a test, and the share of them that must have a field.
MOST_READ, LEAST_HOLDING = 10, 0.5
MOST_CHANGES = 6


def learn_pages(portal: Portal, *, at: float) -> LessonOutcome:
    """Train the portal's own page classifier; keep it if it finds shown pages that are missed without it.

    It adds pages and removes none. Pages that nobody has shown count as not wanted, except those recognized
    already, because they may be wanted pages that merely were not shown. ConfigError if no page was shown, or
    no other page was fetched.
    """
    if not portal.domain.page_kinds:
        raise ConfigError("this portal seeks documents, not kinds of pages: there is nothing to learn")
    lesson = _PageLesson(portal)
    if not any(kind for _, kind in lesson.shown):
        raise ConfigError(
            "no page was shown yet that is sought: mark fields on some, or end ways at them (portico teach)"
        )
    said = count_things(sum(kind != "" for _, kind in lesson.shown), "page") + " shown"
    missed = [(page, kind) for page, kind in lesson.shown if kind and not lesson.base(page)]
    if len(missed) < LEAST_MISSED:
        which = (
            "all are recognized already" if not missed else "only one is not recognized: show another like it"
        )
        return LessonOutcome(False, f"Nothing changes: of {said} {which}.")
    if not lesson.others:
        raise ConfigError("no other pages were fetched to tell the sought ones from: run portico crawl first")
    return _try_lesson(portal, lesson, missed, said=said, at=at)


class _PageLesson:
    """The labelled pages, and the pages they are distinguished from."""

    def __init__(self, portal: Portal) -> None:
        domain = portal.domain
        self.rows = {row.source: row for row in portal.store.documents.pages.web_pages(media_types.HTML)}
        shipped = read_shipped_recognizer(portal)
        self.base: Recognizer = make_recognizer(shipped, domain.page_words)
        kinds = read_shown_kinds(portal)
        self.shown = [
            (_read_view(portal, self.rows[url]), kind) for url, kind in kinds.items() if url in self.rows
        ]
        rest = [row for url, row in self.rows.items() if url not in kinds]
        self.others = [*self._read_others(portal, rest)]

    def _read_others(self, portal: Portal, rows: Sequence[BodyRow]) -> Iterator[PageView]:
        has_words = WordRecognizer(portal.domain.page_words)
        for row in rows[:: len(rows) // MOST_OTHERS + 1]:
            page = _read_view(portal, row)
            if not has_words(page) and not self.base(page):
                yield page


def _try_lesson(
    portal: Portal, lesson: _PageLesson, missed: Sequence[tuple[PageView, str]], *, said: str, at: float
) -> LessonOutcome:
    model = learn_from_shown(lesson.shown, lesson.others)
    n_found = sum(_count_found(lesson, missed))
    new = [page for page in lesson.others if model(page)]
    n_read = _count_holding(portal, [lesson.rows[page.url] for page in new[:MOST_READ]])
    n_before = sum(kind != "" for _, kind in lesson.shown) - len(missed)
    fields = (
        FieldOutcome(
            "pages",
            n_marked=n_before + len(missed),
            n_right_before=n_before,
            n_right_after=n_before + n_found,
            n_read_before=len(lesson.rows) - len(lesson.shown) - len(lesson.others),
            n_read_after=len(lesson.rows) - len(lesson.shown) - len(lesson.others) + len(new),
        ),
    )
    changes = tuple(ValueChange(page.url, "page", (), (model(page),)) for page in new[:MOST_CHANGES])
    why = ""
    if 2 * n_found < len(missed):
        why = f"of {len(missed)} shown pages that are missed, each left out in its turn, {n_found} are found"
    elif n_read < LEAST_HOLDING * len(new[:MOST_READ]):
        why = f"of {len(new[:MOST_READ])} pages that would be taken in, only {n_read} hold a field"
    if why:
        return LessonOutcome(False, f"Tried what {said} teach: {why}, so nothing changes.", fields, changes)
    outcome = LessonOutcome(
        True,
        f"Learned from {said} and {len(lesson.others)} others: the next build goes by it.",
        fields,
        changes,
    )
    file = portal.places.models / portal.domain.pages
    keep_model(file, model.to_bytes(), told=tuple(outcome.lines()), at=at)
    return outcome


def _count_found(lesson: _PageLesson, missed: Sequence[tuple[PageView, str]]) -> Iterator[bool]:
    """Yield for each missed page whether a model trained without it finds it."""
    n_folds = min(FOLDS, len(missed))
    for fold in range(n_folds):
        held = missed[fold::n_folds]
        known = [each for each in lesson.shown if each not in held]
        model = learn_from_shown(known, lesson.others) if any(kind for _, kind in known) else PageKinds(())
        yield from (model(page) != "" for page, _ in held)


def _count_holding(portal: Portal, rows: Sequence[BodyRow]) -> int:
    """Count the pages from which any field is read."""
    read = load_extractor(portal.domain, find_fields_models(portal.domain, portal.places))
    n_holding = 0
    with Converter(read_limits(portal)) as convert:
        for row in rows:
            try:
                document = convert.page(
                    portal.store.blobs.get(row.body),
                    media_type=row.media_type,
                    name=row.source,
                    document_id=DocumentId(row.body),
                )
                n_holding += bool(read(document))
            except InputError:
                continue  # the next build will report it
    return n_holding


def _read_view(portal: Portal, row: BodyRow) -> PageView:
    return view_page(decode(portal.store.blobs.get(row.body), row.media_type), Url(row.source))
