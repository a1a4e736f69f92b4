"""Measures how much marks improve declared domains, and whether random lessons do harm."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from portico.config.declaration import read_declaration
from portico.config.template import format_recipe
from portico.convert.converter import Converter
from portico.domains.registry import make_declared_domain
from portico.extract.lesson_trials import Tally
from portico.extract.marked_pages import LEAST_PAGES, FieldLearner
from portico.lab.measures.lessons import (
    N_LESSONS,
    LessonWeb,
    TruthPage,
    convert_text,
    make_museum_web,
    make_officers_web,
    mark_page,
    run_lessons,
    score_pages,
    summarize_lessons,
)
from portico.sample.recipe_sites import LAYOUTS, RECIPE_FIELDS, RecipePage, RecipeSite, invent_recipe_sites
from portico.text.names import fold
from portico.types.document import Span
from portico.types.domain import Domain

N_MARKED = (0, 3, 8, 20)
MARKED_SITES = 4
"""Sites on which pages are marked, one page of each in turn; the other sites have other layouts."""

LESSON_SITES = 4
"""Sites, each with its own layout, on which random lessons are given."""

SAME, OTHER = "other pages of marked sites", "sites without marks"


def measure_growth(*, quick: bool = False, tell: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
    """F1 over all values for each recipe, by the number of pages marked; `quick`: only the first recipe."""
    figures: dict[str, Any] = {}
    for recipe in [*RECIPE_FIELDS][: 1 if quick else None]:
        with TemporaryDirectory(prefix="portico-growth-") as folder:
            figures[recipe] = _measure(recipe, Path(folder), tell)
    return figures


def _measure(recipe: str, folder: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    layouts = (*LAYOUTS,)
    sites = invent_recipe_sites(recipe, n_sites=len(layouts), layouts=layouts)
    web, others = make_recipe_web(recipe, sites[:MARKED_SITES], folder), sites[MARKED_SITES:]
    far = make_recipe_web(recipe, others, folder)
    learner = FieldLearner(web.domain)
    unmarked = [page.document for page in (*web.unmarked, *far.markable, *far.unmarked)]
    figures = {}
    for n_pages in N_MARKED:
        tag = learner.base
        if n_pages >= LEAST_PAGES:
            marked = [mark_page(page, page.passages) for page in web.markable[:n_pages]]
            tag = learner.make_tag(learner.try_lesson(marked, known=(), unmarked=unmarked).taught)
        near_scores = score_pages(web.domain, tag, web.unmarked)
        far_scores = score_pages(web.domain, tag, (*far.markable, *far.unmarked))
        figures[f"{n_pages} marked"] = {SAME: _average(near_scores), OTHER: _average(far_scores)}
        tell(f"{recipe}, {n_pages} pages marked: {figures[f'{n_pages} marked']}")
    return figures


def measure_lessons(
    data: Path | None, *, n_lessons: int = N_LESSONS, tell: Callable[[str], None]
) -> dict[str, Any]:
    """Results of random lessons in three domains, a third of them in each: the worst effects, also after
    ten correct pages.
    """
    with TemporaryDirectory(prefix="portico-lessons-") as name:
        folder = Path(name)
        sites = invent_recipe_sites("museum", n_sites=LESSON_SITES)
        recipe = make_recipe_web("museum", sites, folder)
        webs = [recipe, make_museum_web(folder), make_officers_web(folder, data)]
        results = [each for web in webs for each in run_lessons(web, n_lessons // len(webs), tell=tell)]
    return {web.name: summarize_lessons([each for each in results if each.web == web.name]) for web in webs}


def make_recipe_web(recipe: str, sites: Sequence[RecipeSite], folder: Path) -> LessonWeb:
    """Invented sites for a recipe: every other page may be marked, alternating between sites; the rest
    are for testing.
    """
    file = folder / "domain.toml"
    file.write_text(format_recipe(recipe), encoding="utf-8")
    domain = make_declared_domain(read_declaration(file), file=file, models=folder / "no models")
    fields = ("title", *RECIPE_FIELDS[recipe].known)
    with Converter() as convert:
        things = [[_read_truth(convert, domain, page, fields) for page in site.things] for site in sites]
        odd = [
            _read_truth(convert, domain, page, fields)
            for site in sites
            for page in site.pages
            if not page.values
        ]
    markable = [page for page in chain(*zip_longest(*(pages[::2] for pages in things))) if page is not None]
    unmarked = [page for pages in things for page in pages[1::2]]
    return LessonWeb(recipe, domain, tuple(markable), tuple(odd), tuple(unmarked))


def _read_truth(convert: Converter, domain: Domain, page: RecipePage, fields: Sequence[str]) -> TruthPage:
    """A page with its true values, normalized by the readers of their fields, such as dates."""
    document = convert_text(convert, page.url, page.html)
    (kind,) = domain.kinds
    readers = {rule.field: rule.read for rule in kind.rules}
    right: dict[str, Counter[str]] = {}
    passages = []
    for field in fields:
        value = page.values.get(field, "")
        read = readers[field](value) if value else ()
        right[field] = Counter([fold(read[0].value if read else value)] if value else [])
        start = document.text.rfind(value) if value else -1
        if start >= 0:
            passages.append((Span(start, start + len(value)), field))
    return TruthPage(document, tuple(passages), right)


def _average(tallies: Mapping[str, Tally]) -> float:
    """F1 over all values."""
    total = sum(tallies.values(), Tally())
    return round(2 * total.n_right / max(1, total.n_known + total.n_right + total.n_false), 4)
