"""The parts of a page that stand there many times over, written by functions.

Jinja takes longer for the same, and twenty papers with their authors and snippets are most of
a page of results. Templates use these functions as filters. Every text goes through `escaped`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from markupsafe import Markup

from portico.serve.chart import Bar, YearChart
from portico.serve.describe import LinkedText, PaperCard, Piece, shortened
from portico.serve.escaping import escaped
from portico.serve.pages import Choice

_LONGEST_CHOICE = 60  # characters


def write_papers(cards: Iterable[PaperCard], level: str = "h3") -> str:
    """Papers in a list, each with a heading of that level."""
    return "".join([_write_paper(card, level) for card in cards])


def _write_paper(card: PaperCard, level: str) -> str:
    facts = ""
    if card.topic:
        url = escaped(card.topic.url)
        facts += f'<a class="topic-tag" href="{url}">{escaped(card.topic.text)}</a>'
    if card.n_citations:
        facts += f"<span>cited {card.n_citations:,} time{'s' if card.n_citations != 1 else ''}</span>"
    if card.source:
        url = escaped(card.source.url)
        facts += f'<a class="source" href="{url}" rel="nofollow">{escaped(card.source.text)}</a>'
    if not card.held:
        facts += '<span class="badge">known from citations</span>'
    title = f'<a href="{escaped(card.url)}" dir="auto">{escaped(card.title)}</a>'
    snippet = f'<p class="snippet" dir="auto">{write_marked(card.snippet)}</p>' if card.snippet else ""
    return (
        f'<article class="paper">\n  <{level} class="paper-title">{title}</{level}>\n'
        f'  {write_byline(card)}\n  {snippet}\n  <p class="facts">\n{facts}  </p>\n</article>\n'
    )


def write_byline(card: PaperCard) -> str:
    """Who wrote it, where and when."""
    parts = []
    if card.authors:
        more = f" and {card.n_more_authors} more" if card.n_more_authors else ""
        parts.append(f'<span class="authors">{_write_links(card.authors)}{more}</span>')
    if card.venue:
        parts.append(f'<span class="venue" dir="auto">{escaped(card.venue)}</span>')
    if card.year:
        parts.append(f'<span class="year">{escaped(card.year)}</span>')
    return f'<p class="byline">\n{"".join(parts)}</p>\n' if parts else ""


def _write_links(links: Iterable[LinkedText]) -> str:
    return ", ".join([f'<a href="{escaped(url)}" dir="auto">{escaped(text)}</a>' for text, url in links])


def write_marked(pieces: Iterable[Piece]) -> str:
    """A snippet, with what was searched for marked."""
    return "".join([f"<mark>{escaped(text)}</mark>" if marked else escaped(text) for text, marked in pieces])


def write_facets(facets: Iterable[tuple[str, Sequence[Choice]]]) -> str:
    """What a list can be narrowed to, and how many each leaves; without those that offer nothing."""
    return "".join([_write_facet(heading, choices) for heading, choices in facets if choices])


def _write_facet(heading: str, choices: Sequence[Choice]) -> str:
    items = "".join([_write_choice(choice) for choice in choices])
    return f'<section><h2>{escaped(heading)}</h2>\n<ul class="facet">{items}</ul></section>\n'


def _write_choice(choice: Choice) -> str:
    name = escaped(shortened(choice.name, _LONGEST_CHOICE))
    link = f'<a href="{escaped(choice.url)}" dir="auto">{name}</a>'
    return f'<li>{link} <span class="count">{choice.count:,}</span></li>'


def write_chart(chart: YearChart | None, what: str, url: str = "") -> str:
    """A chart by year; each bar leads to its year if there is an address that this can be added to."""
    if chart is None:
        return ""
    label, start, height = escaped(f"{what} by year. {chart.summary}"), escaped(url), chart.height
    size = f'viewBox="0 0 {chart.width} {height + 1}" width="{chart.width}" height="{height + 1}"'
    return (
        f'<figure class="chart">\n  <svg {size} role="{"group" if url else "img"}" aria-label="{label}">\n'
        f"{''.join([_write_bar(bar, start) for bar in chart.bars])}"
        f'    <line x1="0" x2="{chart.width}" y1="{height + 0.5}" y2="{height + 0.5}"/>\n  </svg>\n'
        f"  <figcaption><span>{chart.first}</span><span>{chart.last}</span></figcaption>\n</figure>\n"
    )


def _write_bar(bar: Bar, start: str) -> str:
    label = escaped(bar.label)
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
"""By the names they have in templates."""
