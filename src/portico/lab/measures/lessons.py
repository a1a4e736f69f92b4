"""Gives random lessons, right and wrong ones, and checks that extraction from unmarked pages never gets
worse.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from portico.config.declaration import read_declaration
from portico.convert.converter import Converter
from portico.domains.organisations import ORGANISATIONS
from portico.domains.registry import make_declared_domain
from portico.extract.lesson_trials import Tally, Values, compare_values, read_values
from portico.extract.marked_pages import LEAST_PAGES, FieldLearner, MarkedPage, VerifiedPage
from portico.extract.page_rows import read_page_rows
from portico.extract.tagger import Tagged
from portico.extract.taught_fields import Tag
from portico.lab.datasets.organisations import TruePage, label_page, list_passages, read_true_pages
from portico.lab.measures.organisations import train_page_labels
from portico.sample.museum import DOMAIN_TOML, invent_objects, print_objects
from portico.sample.organisations import print_known_pages
from portico.text.names import fold
from portico.types.document import Document, DocumentId, Span
from portico.types.domain import Domain

N_LESSONS = 200
MOST_WORSE = 0.01
"""Maximum share of the known values that may be read worse after any lesson."""
ENOUGH_PAGES = 10
"""Number of correctly marked pages after which no field may be read worse than before."""

N_OBJECTS = 60
"""Pages of the museum: those of the first two fifths may be marked, the others are read."""
MOST_PAGES = 12
"""Maximum number of pages marked in a lesson."""
_LONGEST_SLIP = 4  # maximum number of words in a random passage

Passages = tuple[tuple[Span, str], ...]


@dataclass(frozen=True, slots=True)
class TruthPage:
    """A page, the passages a careful builder would mark on it, and its true values."""

    document: Document
    passages: Passages
    right: Values


@dataclass(frozen=True, slots=True)
class LessonWeb:
    """A domain, with pages to mark, odd pages without any values to mark, and pages for testing."""

    name: str
    domain: Domain
    markable: tuple[TruthPage, ...]
    odd: tuple[TruthPage, ...]
    unmarked: tuple[TruthPage, ...]
    known: tuple[VerifiedPage, ...] = ()


@dataclass(frozen=True, slots=True)
class LessonResult:
    """One lesson: how it was marked, and the scores on unmarked pages before and after it."""

    web: str
    manner: str
    n_pages: int
    is_kept: bool
    before: Mapping[str, Tally]
    after: Mapping[str, Tally]

    @property
    def worse(self) -> float:
        """By how much scores fell, as a share of the known values; negative if they rose."""
        known = sum(tally.n_known for tally in self.before.values())
        fell = sum(tally.balance - self.after[label].balance for label, tally in self.before.items())
        return fell / max(known, 1)

    @property
    def fallen_fields(self) -> tuple[str, ...]:
        return tuple(
            label for label, tally in self.before.items() if self.after[label].balance < tally.balance
        )


Mark = Callable[[Random, LessonWeb, int], list[MarkedPage]]
"""Marks the given number of pages."""


def mark_rightly(rng: Random, web: LessonWeb, n_pages: int) -> list[MarkedPage]:
    return [
        mark_page(page, page.passages) for page in rng.sample(web.markable, min(n_pages, len(web.markable)))
    ]


def mark_one_field(rng: Random, web: LessonWeb, n_pages: int) -> list[MarkedPage]:
    """Mark only one field, correctly."""
    label = rng.choice(sorted({label for page in web.markable for _, label in page.passages}))
    pages = [page for page in web.markable if any(each == label for _, each in page.passages)]
    chosen = rng.sample(pages, min(n_pages, len(pages)))
    return [mark_page(page, tuple(each for each in page.passages if each[1] == label)) for page in chosen]


def mark_other_labels(rng: Random, web: LessonWeb, n_pages: int) -> list[MarkedPage]:
    """Mark the right passages, each as some wrong field."""
    labels = _list_labels(web)

    def mistake(label: str) -> str:
        return rng.choice([each for each in labels if each != label])

    pages = rng.sample(web.markable, min(n_pages, len(web.markable)))
    return [mark_page(page, tuple((span, mistake(label)) for span, label in page.passages)) for page in pages]


def mark_swapped(rng: Random, web: LessonWeb, n_pages: int) -> list[MarkedPage]:
    """Confuse two fields throughout."""
    one, two = rng.sample(_list_labels(web), 2)
    swapped = {one: two, two: one}
    pages = rng.sample(web.markable, min(n_pages, len(web.markable)))
    return [
        mark_page(page, tuple((span, swapped.get(label, label)) for span, label in page.passages))
        for page in pages
    ]


def mark_slips(rng: Random, web: LessonWeb, n_pages: int) -> list[MarkedPage]:
    """Mark random passages as random fields."""
    pages = rng.sample(web.markable, min(n_pages, len(web.markable)))
    return [mark_page(page, _slip(rng, page.document, _list_labels(web))) for page in pages]


def mark_odd_pages(rng: Random, web: LessonWeb, n_pages: int) -> list[MarkedPage]:
    """Mark random passages on pages that have no values."""
    pages = rng.sample(web.odd, min(n_pages, len(web.odd)))
    return [mark_page(page, _slip(rng, page.document, _list_labels(web))) for page in pages]


def mark_some_wrongly(rng: Random, web: LessonWeb, n_pages: int) -> list[MarkedPage]:
    """Mark pages correctly, and half as many at random."""
    right = mark_rightly(rng, web, n_pages)
    taken = {page.document.id for page in right}
    wrong = [page for page in mark_slips(rng, web, n_pages) if page.document.id not in taken]
    return [*right, *wrong[: n_pages // 2]]


MANNERS: Mapping[str, Mark] = {
    "right": mark_rightly,
    "one field": mark_one_field,
    "other labels": mark_other_labels,
    "swapped": mark_swapped,
    "slips": mark_slips,
    "odd pages": mark_odd_pages,
    "some wrong": mark_some_wrongly,
}


def run_lessons(
    web: LessonWeb,
    n_lessons: int,
    *,
    seed: int = 0,
    most_pages: int = MOST_PAGES,
    tell: Callable[[str], None] = lambda line: None,
) -> Iterator[LessonResult]:
    """Give lessons of all manners in turn, with a random number of pages; every other correct one has ten
    pages.
    """
    rng = Random(seed)
    manners = [*MANNERS]
    for number in range(n_lessons):
        manner = manners[number % len(manners)]
        n_pages = ENOUGH_PAGES if manner == "right" and number % 2 else rng.randint(1, most_pages)
        result = run_lesson(web, manner, MANNERS[manner](rng, web, n_pages))
        tell(f"{web.name} {number + 1}: {manner}, {result.n_pages} pages: {-result.worse:+.3f}")
        yield result


def run_lesson(web: LessonWeb, manner: str, pages: Sequence[MarkedPage]) -> LessonResult:
    """Train on these marks, and score the unmarked pages before and after."""
    learner = FieldLearner(web.domain)
    before = score_pages(web.domain, learner.base, web.unmarked)
    after = before
    if len(pages) >= LEAST_PAGES:
        unmarked = [page.document for page in web.unmarked]
        tried = learner.try_lesson(pages, known=web.known, unmarked=unmarked)
        if tried.taught is not None:
            after = score_pages(web.domain, learner.make_tag(tried.taught), web.unmarked)
    return LessonResult(web.name, manner, len(pages), after is not before, before, after)


def summarize_lessons(results: Sequence[LessonResult]) -> dict[str, Any]:
    enough = [each for each in results if each.manner == "right" and each.n_pages >= ENOUGH_PAGES]
    return {
        "lessons": len(results),
        "kept": sum(each.is_kept for each in results),
        "worst": round(-max(each.worse for each in results), 4),
        "worse than 1 in 100": sum(each.worse > MOST_WORSE for each in results),
        "by manner": {
            manner: {
                "lessons": len(found),
                "kept": sum(each.is_kept for each in found),
                "worst": round(-max(each.worse for each in found), 4),
                "mean": round(-sum(each.worse for each in found) / len(found), 4),
            }
            for manner in MANNERS
            if (found := [each for each in results if each.manner == manner])
        },
        "ten right pages": {
            "lessons": len(enough),
            "with a field that fell": sum(bool(each.fallen_fields) for each in enough),
        },
    }


def make_museum_web(folder: Path, n_objects: int = N_OBJECTS) -> LessonWeb:
    """An invented museum, with fields that are declared with cues and a pattern."""
    file = folder / "domain.toml"
    file.write_text(DOMAIN_TOML, encoding="utf-8")
    domain = make_declared_domain(read_declaration(file), file=file, models=folder / "no models")
    invented = invent_objects(n_objects)
    objects = {each.file: each.values() for each in invented}
    pages: list[TruthPage] = []
    odd: list[TruthPage] = []
    with Converter() as convert:
        for name, html in print_objects(invented, n_others=16):
            document = convert_text(convert, name, html)
            values = objects.get(name, {})
            passages = tuple((_find_last(document, value), label) for label, value in values.items())
            labels = sorted({label for known in objects.values() for label in known})
            right = {label: Counter([fold(values[label])] if label in values else []) for label in labels}
            (pages if values else odd).append(TruthPage(document, passages, right))
    n_markable = 2 * n_objects // 5
    unmarked = (*pages[n_markable:], *odd[1::2])
    return LessonWeb("museum of 60", domain, tuple(pages[:n_markable]), tuple(odd[::2]), unmarked)


def make_officers_web(folder: Path, data: Path | None) -> LessonWeb:
    """Pages of organisations: real ones, with a model trained on other sites, or invented ones without
    `data`.
    """
    with Converter() as convert:
        invented = [
            (convert_text(convert, page.url, page.html), page.values) for page in (*print_known_pages(),)
        ]
        known = tuple(
            VerifiedPage(document, {label: Counter(map(fold, said)) for label, said in values.items()})
            for document, values in invented
        )
        if data is None:
            others = [
                (convert_text(convert, page.url, page.html), page.values)
                for page in print_known_pages(seed=23)
            ]
            pages = [_make_invented(document, values) for document, values in others]
            return LessonWeb(
                "organisations", ORGANISATIONS, tuple(pages[::2]), tuple(pages[1::2]), tuple(pages), known
            )
    true = read_true_pages(data)
    sites = sorted({page.site for page in true})
    model = train_page_labels([page for page in true if page.site in sites[::2]])
    folder.joinpath("fields.zip").write_bytes(model.to_bytes())
    domain = replace(ORGANISATIONS, models=folder)
    pages = [_make_true(page) for page in true if page.site not in sites[::2]]
    return LessonWeb("organisations", domain, tuple(pages[::2]), tuple(pages[::2]), tuple(pages[1::2]), known)


def _make_true(page: TruePage) -> TruthPage:
    labelled = label_page(page)
    tagged = Tagged(labelled.rows, labelled.labels, (1.0,) * len(labelled.labels))
    right = read_values(page.document, tagged, ORGANISATIONS.kinds, structured=False)
    return TruthPage(page.document, tuple(list_passages(page)), right)


def _make_invented(document: Document, values: Mapping[str, tuple[str, ...]]) -> TruthPage:
    passages = tuple((_find_last(document, value), label) for label, said in values.items() for value in said)
    right = {label: Counter(map(fold, said)) for label, said in values.items()}
    return TruthPage(document, passages, right)


def convert_text(convert: Converter, name: str, html: str) -> Document:
    return convert.page(html.encode(), media_type="text/html", name=name, document_id=DocumentId(name))


def _find_last(document: Document, value: str) -> Span:
    start = document.text.rindex(value)
    return Span(start, start + len(value))


def score_pages(domain: Domain, tag: Tag, pages: Iterable[TruthPage]) -> dict[str, Tally]:
    """Right and wrong values of each label."""
    total: dict[str, Tally] = {}
    for page in pages:
        read = read_values(page.document, tag(read_page_rows(page.document)), domain.kinds)
        for label, tally in compare_values(read, page.right).items():
            total[label] = total.get(label, Tally()) + tally
    return total


def mark_page(page: TruthPage, passages: Passages) -> MarkedPage:
    return MarkedPage(page.document, passages, f"{page.document.id} {passages}")


def _list_labels(web: LessonWeb) -> list[str]:
    return sorted({label for page in web.markable for _, label in page.passages})


def _slip(rng: Random, document: Document, labels: Sequence[str]) -> Passages:
    """A few random passages on the page."""
    words = [word.span for row in read_page_rows(document) for word in row.words]
    found = []
    for start in sorted(rng.sample(range(len(words)), min(3, len(words)))):
        end = min(start + rng.randrange(_LONGEST_SLIP), len(words) - 1)
        found.append((Span(words[start].start, words[end].end), rng.choice(labels)))
    return tuple(found)
