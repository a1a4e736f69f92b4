"""A declared domain begins with a recipe, or with a draft made of example pages that reads those pages."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.config.declaration import read_declaration
from portico.config.template import format_recipe, list_recipes
from portico.convert.converter import Converter
from portico.domains.registry import make_declared_domain
from portico.errors import ConfigError
from portico.extract.pages import load_extractor
from portico.pipeline.domain_drafting import ExamplePage, draft_domain, preview_reading
from portico.types.document import DocumentId
from tests.pipeline.portals import portico

PROSE = (
    "<p>"
    + "Visitors may look at all of it on every day of the week but Monday, from ten to five. " * 2
    + "</p>"
)
PAGE = """<title>{title} | Museum</title><nav><ul><li>Home<li>Visit</ul></nav><h1>{title}</h1><dl>
<dt>Artist<dd>{maker}
<dt>Medium<dd>{medium}<dt>Acquired<dd>{date}<dt>Price<dd>{price}</dl><h2>Provenance</h2>{prose}"""
OBJECTS = [
    ("Blue Vase", "Anna Miller", "glass", "4 May 1998", "$12.00"),
    ("Red Bowl", "Robert Smith", "clay", "12 June 2001", "$7.50"),
    ("Tall Chair", "Linda Johnson", "clay", "1 March 2010", "$120.00"),
]


@pytest.fixture(scope="module")
def pages() -> Iterator[tuple[ExamplePage, ...]]:
    with Converter() as convert:
        made = []
        for number, (title, maker, medium, date, price) in enumerate(OBJECTS):
            html = PAGE.format(title=title, maker=maker, medium=medium, date=date, price=price, prose=PROSE)
            url = f"https://museum.example/objects/{number}.html"
            document = convert.page(
                html.encode(), media_type="text/html", name=url, document_id=DocumentId(url)
            )
            made.append(ExamplePage(url, document))
        yield tuple(made)


def test_a_draft_reads_the_pages_it_was_drafted_from(pages: tuple[ExamplePage, ...], tmp_path: Path) -> None:
    file = tmp_path / "domain.toml"
    file.write_text(draft_domain(pages), "utf-8")
    declared = read_declaration(file)
    (kind,) = declared.kinds
    assert (kind.name, kind.title, kind.identity) == ("object", "title", ("title", "acquired", "site"))
    assert {field.name: field.form.value for field in kind.fields} == {
        "title": "heading",
        "artist": "text",
        "medium": "text",
        "acquired": "date",
        "price": "price",
    }
    assert next(field.facet for field in kind.fields if field.name == "medium")
    assert {"objects", "provenance"} <= set(declared.pages[0].words)
    lines = list(preview_reading(file, pages))
    for title, maker, medium, _, price in OBJECTS:
        assert {f"  title: {title}", f"  artist: {maker}", f"  medium: {medium}", f"  price: {price}"} <= set(
            lines
        )
    assert "pattern" not in file.read_text("utf-8")


def test_too_few_examples_are_refused(pages: tuple[ExamplePage, ...]) -> None:
    with pytest.raises(ConfigError, match="1 pages after --like; name 2 to 10"):
        draft_domain(pages[:1])


@pytest.mark.parametrize("name", list_recipes())
def test_recipes_are_complete_domains(name: str, tmp_path: Path) -> None:
    file = tmp_path / "domain.toml"
    file.write_text(format_recipe(name), "utf-8")
    declared = read_declaration(file)
    assert declared.pages[0].words
    assert declared.kinds[0].identity
    make_declared_domain(declared, file=file, models=tmp_path)


def test_an_unknown_recipe_names_those_there_are() -> None:
    with pytest.raises(ConfigError, match="courses, events, museum"):
        format_recipe("recepies")


def test_the_museum_recipe_reads_a_page_without_marks(pages: tuple[ExamplePage, ...], tmp_path: Path) -> None:
    file = tmp_path / "domain.toml"
    file.write_text(format_recipe("museum"), "utf-8")
    domain = make_declared_domain(read_declaration(file), file=file, models=tmp_path)
    (record,) = load_extractor(domain)(pages[0].document)
    said = {name: record.value(name) for name in ("title", "maker", "material")}
    assert said == {"title": "Blue Vase", "maker": "Anna Miller", "material": "glass"}


def test_a_recipe_may_be_named_as_the_domain(tmp_path: Path) -> None:
    assert portico("init", str(tmp_path / "gigs"), "--domain", "events").returncode == 0
    assert (tmp_path / "gigs" / "domain.toml").read_text("utf-8") == format_recipe("events")
