"""Renders templates: escapes everything, strips invisible characters, and puts content hashes in URLs of
static files.
"""

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PackageLoader,
    PrefixLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
)
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from portico import __version__
from portico.config.settings import LANGUAGES
from portico.errors import ConfigError
from portico.serve.charts import Bar, YearChart
from portico.serve.escaping import escape_html, strip_hidden
from portico.serve.language_choice import get_asked_page
from portico.serve.languages import (
    Language,
    format_number,
    get_current_language,
    get_language,
    translate,
    translate_count,
)
from portico.serve.page_parts import UNNAMED, LinkedText, PaperCard, Piece, PortalWords, shorten
from portico.serve.pages import Choice
from portico.serve.portal import About
from portico.serve.public_address import BaseUrl, add_prefix
from portico.serve.template_texts import TranslatedTexts, fill, make_counted, write_words
from portico.serve.theme import StaticFile, Theme, make_static_file

_ENGLISH_ALONE = ("builder", "teach")


class Renderer:
    """Renders the templates of one portal."""

    def __init__(self, about: About) -> None:
        self._prefix = BaseUrl.parse(about.base_url).prefix
        self._loader = _make_loader(about.theme.templates)
        self._compiled: dict[str, Environment] = {}
        self._language = about.language
        self._shared: dict[str, object] = {
            "portal": about,
            "version": __version__,
            "copy_url": STATIC["copy.js"].url,
            "find_url": STATIC["find.js"].url,
            "reading_list_url": STATIC["reading-list.js"].url,
            "keeps_lists": False,
            "desk_url": STATIC["desk.js"].url,
            "map_url": STATIC["map.js"].url,
            "map_style_url": STATIC["map.css"].url,
            "reader_url": STATIC["reader.js"].url,
            "reader_style_url": STATIC["reader.css"].url,
            "static": False,
            "query": "",
            "style_url": STATIC["portico.css"].url,
            "icon_url": STATIC["portico.svg"].url,
            "script_url": STATIC["suggest.js"].url,
            "forms_style_url": STATIC["builder.css"].url,
            "takes_part": False,
            "things": UNNAMED.many,
            "wording": PortalWords(),
            "sections": (),
            "has_topic_tree": False,
            "theme": about.theme,
        }
        self._check_own_templates(about.theme.templates)

    @property
    def _templates(self) -> Environment:
        """The templates in the language of the current page."""
        return self._in_language(get_current_language().code)

    def _in_language(self, code: str) -> Environment:
        """The templates in a language. They are translated when they are compiled."""
        found = self._compiled.get(code)
        if found is None:
            found = self._compiled[code] = _make_environment(self._loader, get_language(code))
        return found

    def _check_own_templates(self, folder: Path | None) -> None:
        """Raise ConfigError if a template of the builder cannot be read, at startup rather than for the
        first visitor.
        """
        for name in FileSystemLoader(folder).list_templates() if folder else ():
            try:
                self._templates.get_template(name)
            except TemplateSyntaxError as error:
                raise ConfigError(f"{error.filename or name}:{error.lineno}: {error.message}") from error
            except (TemplateError, UnicodeDecodeError) as error:
                raise ConfigError(f"{folder}/{name}: cannot be read as a template: {error}") from error

    @property
    def is_static(self) -> bool:
        """Whether pages are being exported as files, so that there is no server to send requests to."""
        return bool(self._shared["static"])

    def offer(self, **values: object) -> None:
        """Make these values available to every page."""
        self._shared |= values

    def get_ready(self, folder: str) -> None:
        """Compile the templates of a collection's pages now, so that the first visitor does not have to wait.

        Only the portal's own language is compiled; in any other, the first visitor to each page waits.
        """
        templates = self._in_language(self._language)
        for name in templates.list_templates():
            own, _, rest = name.rpartition("/")
            if (own and f"{own}/" == folder) or (not own and not rest.startswith(_ENGLISH_ALONE)):
                templates.get_template(name)

    def page(self, template: str, *, status: int = 200, **values: object) -> HTMLResponse:
        return HTMLResponse(self._write(template, values), status_code=status)

    def message(
        self, status: int, heading: str, words: str, *, headers: Mapping[str, str] | None = None
    ) -> HTMLResponse:
        """A page that says what went wrong and where to continue."""
        html = self._write("message.html", {"status": status, "heading": heading, "words": words})
        return HTMLResponse(html, status_code=status, headers=dict(headers or {}))

    def _write(self, template: str, values: Mapping[str, object]) -> str:
        asked = get_asked_page()
        shown = {
            **self._shared,
            "asked": asked,
            "language": get_current_language().code,
            "address_prefix": self._prefix,
            "words_url": STATIC[f"words-{get_current_language().code}.js"].url,
            **values,
        }
        return add_prefix(self._templates.get_template(template).render(shown), self._prefix + asked.prefix)


def _make_environment(loader: BaseLoader, language: Language) -> Environment:
    templates = Environment(
        loader=loader,
        extensions=[TranslatedTexts],
        autoescape=True,
        auto_reload=False,  # templates are part of the program and do not change
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=strip_hidden,
    )
    templates.extend(language=language)
    templates.filters |= {"number": language.format_number, "shortened": shorten, **FILTERS}
    templates.filters |= {"fill": fill, "counted": make_counted(language), "translated": translate}
    # Jinja copies its globals key by key for every page, which takes 30 µs; our own dictionary takes 1 µs.
    templates.globals.clear()
    return templates


def _make_loader(own: Path | None) -> BaseLoader:
    """Loads our templates. A builder's own templates take precedence; ours are then also available under
    `portico/`.
    """
    ours = PackageLoader("portico.serve")
    if own is None:
        return ours
    return ChoiceLoader([FileSystemLoader(own), ours, PrefixLoader({"portico": ours})])


_WORDS = "words.js"


def _read_static_files() -> Mapping[str, StaticFile]:
    folder = files("portico.serve").joinpath("static")
    found = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    words = found.pop(_WORDS).decode()
    found |= {f"words-{code}.js": write_words(words, get_language(code), found) for code in LANGUAGES}
    return MappingProxyType({name: make_static_file("static", name, body) for name, body in found.items()})


STATIC = _read_static_files()
"""All files in static/, by name."""

_PDFJS = files("portico.serve").joinpath("static", "pdfjs")


def _find_pdf_viewer() -> str:
    """The URL of the folder of pdf.js, with a hash of its content; "" if it was not bundled."""
    library = _PDFJS.joinpath("pdf.min.mjs")
    if not library.is_file():
        return ""
    return f"/static/pdfjs/{hashlib.sha256(library.read_bytes()).hexdigest()[:12]}/"


PDF_VIEWER = _find_pdf_viewer()
"""The URL path of the PDF viewer. If it is "" because there was no npm to fetch the viewer, pages link to
files instead."""

_MODULE = "text/javascript"

# The URL of a file contains a hash of its content, so browsers can cache it forever.
_FOREVER = "public, max-age=31536000, immutable"


def make_static_routes() -> list[Route]:
    """The routes of our own style sheets, scripts and images."""

    def viewer(request: Request) -> Response:
        """A file of pdf.js: the library, its worker, fonts and character maps."""
        name = request.path_params["name"]
        file = _PDFJS.joinpath(name)
        if name.startswith(".") or not file.is_file():
            raise HTTPException(404)
        media_type = _MODULE if name.endswith(".mjs") else "application/octet-stream"
        return Response(file.read_bytes(), media_type=media_type, headers={"Cache-Control": _FOREVER})

    async def icon(request: Request) -> Response:
        return Response(STATIC["portico.svg"].body, media_type=STATIC["portico.svg"].media_type)

    return [
        Route("/favicon.ico", icon),
        Route("/static/{name}", _answer_from(STATIC)),
        Route("/static/pdfjs/{mark}/{name}", viewer),
    ]


def make_theme_routes(theme: Theme, renderer: Renderer) -> list[Route]:
    """The routes of the builder's own files and pages."""

    def page(request: Request) -> Response:
        found = theme.pages.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        return renderer.page("theme_page.html", page=found)

    return [Route("/theme/{name}", _answer_from(theme.files)), Route("/page/{name}", page)]


def _answer_from(folder: Mapping[str, StaticFile]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        found = folder.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        return Response(found.body, media_type=found.media_type, headers={"Cache-Control": _FOREVER})

    return answer


_LONGEST_CHOICE = 60  # characters


# Parts that occur many times on a page are written by functions, which templates use as filters: Jinja
# is slower at the same, and twenty papers with their authors and snippets are most of a results
# page. Every text goes through `escape_html`.


def write_papers(cards: Iterable[PaperCard], level: str = "h3") -> str:
    """The HTML of a list of papers, each with a heading of this level."""
    return "".join([_write_paper(card, level) for card in cards])


def _write_paper(card: PaperCard, level: str) -> str:
    facts = ""
    if card.topic:
        url = escape_html(card.topic.url)
        facts += f'<a class="topic-tag" href="{url}">{escape_html(card.topic.text)}</a>'
    if card.n_citations:
        cited = translate_count("cited {n} time", "cited {n} times", card.n_citations)
        facts += f"<span>{cited}</span>"
    if card.source:
        url = escape_html(card.source.url)
        facts += f'<a class="source" href="{url}" rel="nofollow">{escape_html(card.source.text)}</a>'
    if not card.held:
        facts += f'<span class="badge">{translate("known from citations")}</span>'
    title = f'<a href="{escape_html(card.url)}" dir="auto">{escape_html(card.title)}</a>'
    snippet = f'<p class="snippet" dir="auto">{write_marked(card.snippet)}</p>' if card.snippet else ""
    return (
        f'<article class="paper">\n  <{level} class="paper-title">{title}</{level}>\n'
        f'  {write_byline(card)}\n  {snippet}\n  <p class="facts">\n{facts}  </p>\n</article>\n'
    )


def write_byline(card: PaperCard) -> str:
    """The HTML of a paper's authors, venue and year."""
    parts = []
    if card.authors:
        names = _write_links(card.authors)
        if card.n_more_authors:
            names += translate_count(" and {n} more", " and {n} more", card.n_more_authors)
        parts.append(f'<span class="authors">{names}</span>')
    if card.venue:
        parts.append(f'<span class="venue" dir="auto">{escape_html(card.venue)}</span>')
    if card.year:
        parts.append(f'<span class="year">{escape_html(card.year)}</span>')
    return f'<p class="byline">\n{"".join(parts)}</p>\n' if parts else ""


def _write_links(links: Iterable[LinkedText]) -> str:
    return ", ".join(
        [f'<a href="{escape_html(url)}" dir="auto">{escape_html(text)}</a>' for text, url in links]
    )


def write_marked(pieces: Iterable[Piece]) -> str:
    """The HTML of a snippet, with the search terms highlighted."""
    return "".join(
        [f"<mark>{escape_html(text)}</mark>" if marked else escape_html(text) for text, marked in pieces]
    )


def write_facets(facets: Iterable[tuple[str, Sequence[Choice]]]) -> str:
    """The HTML of the available filters with their counts. Facets without choices are left out."""
    return "".join([_write_facet(heading, choices) for heading, choices in facets if choices])


def _write_facet(heading: str, choices: Sequence[Choice]) -> str:
    items = "".join([_write_choice(choice) for choice in choices])
    return f'<section><h2>{escape_html(heading)}</h2>\n<ul class="facet">{items}</ul></section>\n'


def _write_choice(choice: Choice) -> str:
    name = escape_html(shorten(choice.name, _LONGEST_CHOICE))
    link = f'<a href="{escape_html(choice.url)}" dir="auto">{name}</a>'
    return f'<li>{link} <span class="count">{format_number(choice.count or 0)}</span></li>'


def write_chart(chart: YearChart | None, what: str, url: str = "") -> str:
    """The HTML of a chart by year. Each bar links to its year if there is a URL to append the year to."""
    if chart is None:
        return ""
    label, start, height = escape_html(f"{what}. {chart.summary}"), escape_html(url), chart.height
    size = f'viewBox="0 0 {chart.width} {height + 1}" width="{chart.width}" height="{height + 1}"'
    return (
        f'<figure class="chart">\n  <svg {size} role="{"group" if url else "img"}" aria-label="{label}">\n'
        f"{''.join([_write_bar(bar, start) for bar in chart.bars])}"
        f'    <line x1="0" x2="{chart.width}" y1="{height + 0.5}" y2="{height + 0.5}"/>\n  </svg>\n'
        f"  <figcaption><span>{chart.first}</span><span>{chart.last}</span></figcaption>\n</figure>\n"
    )


def _write_bar(bar: Bar, start: str) -> str:
    label = escape_html(bar.label)
    path = f'<path d="{bar.path}"><title>{label}</title></path>'
    if not start:
        return path
    address = f"{start}from={bar.year}&amp;to={bar.year}"
    return f'<a href="{address}" tabindex="-1" aria-label="{label}">{path}</a>'


def _make_filter(write: Callable[..., str]) -> Callable[..., Markup]:
    def write_into_page(*given: Any, **named: Any) -> Markup:
        return Markup(write(*given, **named))  # noqa: S704 — every text in it went through `escaped`

    return write_into_page


FILTERS: Mapping[str, Callable[..., Markup]] = MappingProxyType(
    {
        "papers": _make_filter(write_papers),
        "byline": _make_filter(write_byline),
        "marked": _make_filter(write_marked),
        "facets": _make_filter(write_facets),
        "chart": _make_filter(write_chart),
    }
)
"""Template filters by their names in templates."""
