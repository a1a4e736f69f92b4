"""Generates sites of museums, venues and schools for the recipes, with the ground truth about them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from random import Random

from portico.sample.generate import PLAIN_RULES, SampleWeb, write_folder_once
from portico.sample.people import load_names

# Increment with every change to the output, otherwise old folders would pass for new ones.
GENERATOR_VERSION = 1
N_SITES, N_PAGES = 8, 12
N_NEWS = 4
# Share of a site's labels that no recipe knows.
OWN_WORDS = 0.3


@dataclass(frozen=True, slots=True)
class RecipeFields:
    """What pages of one recipe contain: labels known to the recipe, other labels, and property names."""

    known: Mapping[str, Sequence[str]]
    unknown: Mapping[str, Sequence[str]]
    schema: str
    properties: Mapping[str, str]
    section: str  # the folder and the name of the list of pages


@dataclass(frozen=True, slots=True)
class RecipePage:
    """A page about one thing, and the values that should be read from it."""

    url: str
    html: str
    values: Mapping[str, str]  # empty on pages about something else


@dataclass(frozen=True, slots=True)
class RecipeSite:
    """One site, whose pages all have the same layout."""

    host: str
    layout: str
    pages: tuple[RecipePage, ...]

    @property
    def things(self) -> tuple[RecipePage, ...]:
        return tuple(page for page in self.pages if page.values)


RECIPE_FIELDS: Mapping[str, RecipeFields] = {
    "museum": RecipeFields(
        known={
            "maker": ("Artist", "Maker", "Designer", "Made by"),
            "date": ("Date", "Dated", "Year", "Period"),
            "material": ("Medium", "Materials", "Technique"),
            "place": ("Place of origin", "Origin", "Geography"),
            "size": ("Dimensions", "Measurements"),
            "number": ("Accession number", "Object number", "Inventory number"),
        },
        unknown={
            "maker": ("Workshop", "Attributed to"),
            "date": ("Executed", "Time"),
            "material": ("Substance", "Of"),
            "place": ("From", "Find spot"),
            "size": ("H × W", "Format"),
            "number": ("Signature", "Shelf"),
        },
        schema="VisualArtwork",
        properties={"maker": "creator", "date": "dateCreated", "material": "artMedium", "size": "size"},
        section="collection",
    ),
    "events": RecipeFields(
        known={
            "date": ("When", "Date", "Starts"),
            "place": ("Where", "Venue", "Location"),
            "organizer": ("Organizer", "Hosted by", "Presented by"),
            "price": ("Tickets", "Admission", "Price"),
        },
        unknown={
            "date": ("Doors", "Save the day"),
            "place": ("Room", "Stage"),
            "organizer": ("With", "A project of"),
            "price": ("At the door", "You pay"),
        },
        schema="Event",
        properties={
            "date": "startDate",
            "place": "location",
            "organizer": "organizer",
            "price": "price",
        },
        section="events",
    ),
    "courses": RecipeFields(
        known={
            "number": ("Number", "Course number"),
            "instructor": ("Instructor", "Professor", "Taught by", "Lecturer"),
            "term": ("Term", "Semester", "Quarter"),
        },
        unknown={
            "number": ("Code", "Listing"),
            "instructor": ("Led by", "Your teacher"),
            "term": ("Offered", "Held"),
        },
        schema="Course",
        properties={"number": "courseCode", "instructor": "instructor", "term": "temporalCoverage"},
        section="course",
    ),
}

_THINGS = ("Tea Bowl", "Writing Desk", "Brass Sextant", "Water Jug", "Folding Screen", "Carved Chest")
_SORTS = ("", " with Lid", " in Blue", " from Lindau", " and Cover", ", Second Version")
_MATERIALS = ("oil on canvas", "stoneware, ash glaze", "oak and iron", "brass", "silk, linen", "silver")
_TOWNS = ("Brackenford", "Dunmarrow", "Eskerby", "Fallowmere", "Grenholt", "Hallowick", "Kettleburn")
_SHOWS = ("Late Quartets", "Songs of the Harbor", "A Walk among Bees", "Clay for Beginners", "Night of Maps")
_GUESTS = ("", " with Friends", ": Second Evening", " for Children", " by Candlelight", " (Matinee)")
_ROOMS = ("Town Hall", "Old Mill", "Boat House", "Garden Room", "Chapel of St Anne")
_HOSTS = ("Choral Union", "Society of Friends of Music", "Harbor Museum", "Gardening Club")
_SUBJECTS = ("Soil and Seeds", "Applied Weather", "Theory of Hedges", "The Biology of Lawns", "Slow Rivers")
_LEVELS = ("", " II", " for Teachers", ": a Seminar", " in Practice", " and Its History")
_MONTHS = ("January", "March", "May", "June", "September", "November")
_PROSE = (
    "Nobody remembers how it began, and the papers that might have told were lost in the flood.",
    "Visitors stop here longer than anywhere else, and nobody has found out why they do.",
    "The door on the left side leads to the garden, where coffee is served until the evening.",
    "A second one is known from a photograph, which was taken before the fire in the old wing.",
)
_NEWS = ("The tea room opens at ten", "A new roof for the east wing", "Benches in the garden", "Thank you")


def write_recipe_web(folder: Path, recipe: str, *, seed: int = 7, n_sites: int = N_SITES) -> SampleWeb:
    """Write the web all at once or not at all. Does nothing if the folder already holds the same web."""
    sites = invent_recipe_sites(recipe, seed=seed, n_sites=n_sites)

    def fill(scratch: Path) -> None:
        for site in sites:
            for page in site.pages:
                file = scratch / "sites" / site.host / page.url.partition(f"{site.host}/")[2]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(page.html, encoding="utf-8")
        (scratch / "rules.json").write_text(json.dumps(dict(PLAIN_RULES)), "utf-8")

    write_folder_once(
        folder, {"recipe": recipe, "version": GENERATOR_VERSION, "seed": seed, "n_sites": n_sites}, fill
    )
    hosts = tuple(site.host for site in sites)
    return SampleWeb(folder, hosts, tuple(f"http://{host}/index.html" for host in hosts))


def invent_recipe_sites(
    recipe: str,
    *,
    seed: int = 7,
    n_sites: int = N_SITES,
    n_pages: int = N_PAGES,
    layouts: Sequence[str] = (),
) -> tuple[RecipeSite, ...]:
    """Invented sites, the same for the same arguments. They use the given layouts in turn, or all layouts
    if none are given.
    """
    names = tuple(layouts) or (*LAYOUTS,)
    return tuple(
        _invent_site(recipe, Random(f"{recipe}/{seed}/{number}"), number, names[number % len(names)], n_pages)
        for number in range(n_sites)
    )


@dataclass(frozen=True, slots=True)
class _SiteStyle:
    fields: RecipeFields
    labels: Mapping[str, str]
    order: tuple[str, ...]
    heading: str


def _invent_site(recipe: str, rng: Random, number: int, layout: str, n_pages: int) -> RecipeSite:
    fields = RECIPE_FIELDS[recipe]
    town = _TOWNS[number % len(_TOWNS)]
    host = f"{town.lower()}-{recipe}{number}.example"
    name = f"{town} {({'museum': 'Museum', 'events': 'House of Culture', 'courses': 'College'})[recipe]}"
    order = [*fields.known]
    rng.shuffle(order)
    words = {
        field: rng.choice((fields.unknown if rng.random() < OWN_WORDS else fields.known)[field])
        for field in order
    }
    style = _SiteStyle(fields, words, tuple(order), rng.choice(("h1", "h2", "h1")))
    pages = []
    titles = _invent_titles(recipe, rng, n_pages)
    for idx, title in enumerate(titles):
        values = {"title": title, **_INVENT[recipe](rng, idx)}
        body = LAYOUTS[layout](style, values)
        prose = "".join(f"<p>{sentence}</p>" for sentence in rng.sample(_PROSE, 2))
        url = f"http://{host}/{fields.section}/{idx + 1}.html"
        head = rng.choice((f"{title} | {name}", f"{title} - {name}")) if style.heading == "h1" else name
        pages.append(RecipePage(url, _print_page(style, host, name, (head, f"{body}{prose}")), values))
    for idx in range(N_NEWS):
        said = f"<h1>{_NEWS[idx]}</h1>" + "".join(f"<p>{sentence}</p>" for sentence in rng.sample(_PROSE, 3))
        url = f"http://{host}/news/{idx + 1}.html"
        pages.append(RecipePage(url, _print_page(style, host, name, (f"News | {name}", said)), {}))
    links = "".join(
        f'<li><a href="{page.url.partition(host)[2]}">{escape(page.values.get("title", "News"))}</a>'
        for page in pages
    )
    index = _print_page(style, host, name, (name, f"<h1>{name}</h1><ul>{links}</ul>"))
    return RecipeSite(host, layout, (RecipePage(f"http://{host}/index.html", index, {}), *pages))


def _print_page(style: _SiteStyle, host: str, name: str, said: tuple[str, str]) -> str:
    title, body = said
    menu = '<nav><a href="/index.html">Home</a> <a href="/news/1.html">News</a></nav>'
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title></head>'
        f"<body>{menu}<p>{style.fields.section}</p>\n{body}\n"
        f"<footer><p>&copy; {escape(name)}</p></footer></body></html>"
    )


def _invent_titles(recipe: str, rng: Random, n_pages: int) -> list[str]:
    words = {
        "museum": (_THINGS, _SORTS),
        "events": (_SHOWS, _GUESTS),
        "courses": (_SUBJECTS, _LEVELS),
    }
    firsts, seconds = words[recipe]
    return rng.sample([first + second for second in seconds for first in firsts], n_pages)


def _invent_person(rng: Random) -> str:
    names = load_names()
    return f"{rng.choice(names['given'])} {rng.choice(names['surnames'])}"


def _invent_object(rng: Random, idx: int) -> dict[str, str]:
    year = rng.randint(1620, 1930)
    dates = (f"{year}", f"about {year}", f"{year}–{year + 8}", f"late {year // 100 + 1}th century")
    return {
        "maker": _invent_person(rng),
        "date": rng.choice(dates),
        "material": rng.choice(_MATERIALS),
        "place": rng.choice(_TOWNS),
        "size": f"{rng.randint(5, 200)} × {rng.randint(5, 200)} cm",
        "number": f"{rng.choice('ABCDEF')}.{1900 + idx}.{rng.randint(1, 99)}",
    }


def _invent_event(rng: Random, _idx: int) -> dict[str, str]:
    return {
        "date": f"{rng.randint(1, 28)} {rng.choice(_MONTHS)} {rng.randint(2024, 2027)}",
        "place": rng.choice(_ROOMS),
        "organizer": f"{rng.choice(_TOWNS)} {rng.choice(_HOSTS)}",
        "price": f"${rng.randint(4, 60)}.{rng.choice(('00', '50'))}",
    }


def _invent_course(rng: Random, idx: int) -> dict[str, str]:
    return {
        "number": f"{rng.choice(('CS', 'BIO', 'GEO'))} {100 + 7 * idx + rng.randint(0, 6)}",
        "instructor": _invent_person(rng),
        "term": f"{rng.choice(('Spring', 'Fall', 'Summer'))} {rng.randint(2022, 2026)}",
    }


_INVENT: Mapping[str, Callable[[Random, int], dict[str, str]]] = {
    "museum": _invent_object,
    "events": _invent_event,
    "courses": _invent_course,
}


def _list_labelled(style: _SiteStyle, values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for field in style.order:
        yield escape(style.labels[field]), escape(values[field])


def _head(style: _SiteStyle, values: Mapping[str, str]) -> str:
    return f"<{style.heading}>{escape(values['title'])}</{style.heading}>"


def _print_table(style: _SiteStyle, values: Mapping[str, str]) -> str:
    rows = "".join(
        f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in _list_labelled(style, values)
    )
    return f"{_head(style, values)}<table>{rows}</table>"


def _print_terms(style: _SiteStyle, values: Mapping[str, str]) -> str:
    terms = "".join(f"<dt>{label}</dt><dd>{value}</dd>" for label, value in _list_labelled(style, values))
    return f"{_head(style, values)}<dl>{terms}</dl>"


def _print_lines(style: _SiteStyle, values: Mapping[str, str]) -> str:
    lines = "".join(f"<p>{label}: {value}</p>" for label, value in _list_labelled(style, values))
    return f"{_head(style, values)}{lines}"


def _print_bullets(style: _SiteStyle, values: Mapping[str, str]) -> str:
    items = "".join(f"<li><b>{label}</b> {value}</li>" for label, value in _list_labelled(style, values))
    return f"{_head(style, values)}<ul>{items}</ul>"


def _print_stacked(style: _SiteStyle, values: Mapping[str, str]) -> str:
    pairs = "".join(
        f"<div><div><small>{label}</small></div><div>{value}</div></div>"
        for label, value in _list_labelled(style, values)
    )
    return f"{_head(style, values)}<section>{pairs}</section>"


def _print_columns(style: _SiteStyle, values: Mapping[str, str]) -> str:
    pairs = [*_list_labelled(style, values)]
    heads = "".join(f"<th>{label}</th>" for label, _ in pairs)
    cells = "".join(f"<td>{value}</td>" for _, value in pairs)
    return f"{_head(style, values)}<table><tr>{heads}</tr><tr>{cells}</tr></table>"


def _print_data(style: _SiteStyle, values: Mapping[str, str]) -> str:
    """The values as embedded JSON-LD, and as plain lines."""
    told = {"@context": "https://schema.org", "@type": style.fields.schema, "name": values["title"]}
    for field, prop in style.fields.properties.items():
        told[prop] = values[field]
    return f'<script type="application/ld+json">{json.dumps(told)}</script>{_print_plain(style, values)}'


def _print_microdata(style: _SiteStyle, values: Mapping[str, str]) -> str:
    lines = []
    for field in style.order:
        prop = style.fields.properties.get(field)
        said = f' itemprop="{prop}"' if prop else ""
        lines.append(f"<p><span{said}>{escape(values[field])}</span></p>")
    head = f'<{style.heading} itemprop="name">{escape(values["title"])}</{style.heading}>'
    return f'<div itemscope itemtype="https://schema.org/{style.fields.schema}">{head}{"".join(lines)}</div>'


def _print_plain(style: _SiteStyle, values: Mapping[str, str]) -> str:
    """The values as lines without labels."""
    lines = "".join(f"<p>{escape(values[field])}</p>" for field in style.order)
    return f"{_head(style, values)}{lines}"


def _print_cards(style: _SiteStyle, values: Mapping[str, str]) -> str:
    """The first value above the title, the others below it in one paragraph."""
    first, *rest = (escape(values[field]) for field in style.order)
    return f"<p><i>{first}</i></p>{_head(style, values)}<p>{'<br>'.join(rest)}</p>"


LAYOUTS: Mapping[str, Callable[[_SiteStyle, Mapping[str, str]], str]] = {
    "table": _print_table,
    "plain": _print_plain,
    "terms": _print_terms,
    "data": _print_data,
    "lines": _print_lines,
    "cards": _print_cards,
    "bullets": _print_bullets,
    "microdata": _print_microdata,
    "stacked": _print_stacked,
    "columns": _print_columns,
}
"""Layouts of sites: with labels, as structured data, and without either."""
