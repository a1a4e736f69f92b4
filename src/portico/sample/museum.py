"""Pages of an invented museum with their ground truth, and the domain.toml of a portal for it."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from random import Random

from portico.sample.people import load_names

DOMAIN_TOML = """
[[page]]
name = "object"
words = ["collection", "inventory"]

[[record]]
name = "object"
title = "title"
plural = "objects"
subtitle = ["maker", "date"]
identity = ["number", "site"]

[[record.field]]
name = "title"
label = "Object"
once = true

[[record.field]]
name = "date"
label = "Date"
cues = ["Dated", "Made in", "Year"]
once = true
facet = true

[[record.field]]
name = "maker"
label = "Maker"
form = "name"

[[record.field]]
name = "material"
label = "Material"
cues = ["Medium", "Made of"]
once = true

[[record.field]]
name = "number"
label = "Inventory number"
pattern = "\\\\b[A-Z]{2}\\\\.\\\\d{4}\\\\.\\\\d{1,3}\\\\b"
once = true
"""

_THINGS = (
    "Tea Bowl",
    "Writing Desk",
    "Portrait of a Miller",
    "Brass Sextant",
    "View of the Harbor",
    "Water Jug",
    "Folding Screen",
    "Carved Chest",
    "Astronomical Clock",
    "Wedding Dress",
    "Still Life with Quinces",
    "Snuff Box",
    "Wooden Plow",
    "Market Scale",
    "Self-Portrait at Night",
    "Violin Case",
)
_SORTS = ("", " with Lid", " in Blue", ", Second Version", " from Lindau", " and Cover")
_MATERIALS = (
    "oil on canvas",
    "stoneware, ash glaze",
    "oak and iron",
    "brass",
    "silk, linen",
    "silver, niello",
)
_PROSE = (
    "It came to the museum with the papers of a family that had kept it in a hall for a hundred years.",
    "Visitors stop here longer than anywhere else, and nobody has found out why they do.",
    "The repair on the left side was done by the village smith, who signed it underneath.",
    "A second one is known from a photograph, which was taken before the fire in the old wing.",
)
_NEWS = (
    "The tea room opens at ten",
    "A walk through the old town on Sunday",
    "New benches in the garden of the museum",
    "The roof of the east wing is repaired",
)


@dataclass(frozen=True, slots=True)
class MuseumObject:
    """An exhibit, and the layout of its page."""

    number: str
    title: str
    date: str
    maker: str
    material: str
    layout: int

    @property
    def file(self) -> str:
        return f"{self.number.lower().replace('.', '-')}.html"

    def values(self) -> dict[str, str]:
        """The true value of each field."""
        return {
            "title": self.title,
            "date": self.date,
            "maker": self.maker,
            "material": self.material,
            "number": self.number,
        }


def invent_objects(n_objects: int, *, seed: int = 11) -> tuple[MuseumObject, ...]:
    """Invented objects, the same for the same seed. No two have the same title or number."""
    rng, names = Random(seed), load_names()
    titles = rng.sample([thing + sort for sort in _SORTS for thing in _THINGS], n_objects)
    return tuple(
        MuseumObject(
            number=f"MU.{1900 + number}.{rng.randint(1, 99)}",
            title=title,
            date=_invent_date(rng),
            maker=f"{rng.choice(names['given'])} {rng.choice(names['surnames'])}",
            material=rng.choice(_MATERIALS),
            layout=number % len(_LAYOUTS),
        )
        for number, title in enumerate(titles)
    )


def _invent_date(rng: Random) -> str:
    year = rng.randint(1620, 1930)
    forms = (
        f"{year}",
        f"about {year}",
        f"{year}–{year + rng.randint(2, 30)}",
        f"{rng.randint(1, 28)} May {year}",
        f"late {year // 100 + 1}th century",
    )
    return rng.choice(forms)


def print_objects(objects: tuple[MuseumObject, ...], *, n_others: int = 12) -> Iterator[tuple[str, str]]:
    """The files of the site with their contents: an index, a page per object, and pages about other
    things.
    """
    others = [f"news-{number}.html" for number in range(n_others)]
    names = [*(each.file for each in objects), *others]
    links = "".join(f'<li><a href="{name}">{name.removesuffix(".html")}</a>\n' for name in names)
    yield "index.html", f"<title>Museum of Lindau</title><h1>Museum of Lindau</h1><ul>\n{links}</ul>"
    for number, each in enumerate(objects):
        prose = _PROSE[number % len(_PROSE)], _PROSE[(number + 1) % len(_PROSE)]
        head = "<title>Museum of Lindau: the collection</title><p>The collection</p>"
        foot = f"<p>{prose[0]}</p><p>{prose[1]}</p><p>&copy; Museum of Lindau</p>"
        yield each.file, f"{head}\n{_LAYOUTS[each.layout](each)}{foot}"
    for number, name in enumerate(others):
        head = _NEWS[number % len(_NEWS)]
        said = "".join(f"<p>{sentence}</p>" for sentence in _PROSE[number % 3 :])
        yield name, f"<title>News {number}</title><h1>{head}</h1><p>Number {number}.</p>{said}"


def _print_paragraphs(each: MuseumObject) -> str:
    return (
        f"<h2>{escape(each.title)}</h2><p>{escape(each.maker)}</p><p>Date: {each.date}</p>"
        f"<p>Material: {each.material}</p><p>{each.number}</p>"
    )


def _print_table(each: MuseumObject) -> str:
    return (
        f"<h2>{escape(each.title)}</h2><table><tr><th>Inventory number<td>{each.number}"
        f"<tr><th>Year<td>{each.date}<tr><th>Medium<td>{each.material}"
        f"<tr><th>Made by<td>{escape(each.maker)}</table>"
    )


def _print_list(each: MuseumObject) -> str:
    return (
        f"<h2>{escape(each.title)}</h2><dl><dt>Artist<dd>{escape(each.maker)}<dt>Dated<dd>{each.date}"
        f"<dt>Made of<dd>{each.material}</dl><p>No. {each.number}</p>"
    )


_LAYOUTS = (_print_paragraphs, _print_table, _print_list)
