"""A portal as its builder wants it to look, and what is said of a theme that cannot be used."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.config.portal_paths import PortalPaths
from portico.config.serve_settings import ThemeSettings
from portico.errors import ConfigError
from portico.serve.app import create_app
from portico.serve.portal import About
from portico.serve.rendering import Renderer
from portico.serve.static_site import write_static_site
from portico.serve.theme import Theme, parse_color, read_theme, write_style
from portico.store.opening import open_store
from tests.serve.conftest import Site, serving
from tests.serve.made import STORE_URL

LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><path d="M0 0h4v4z"/></svg>'
SETTINGS = ThemeSettings(
    logo="logo.svg",
    color="#ffcc00",
    font="Source Serif 4, Georgia, serif",
    links=("Our library https://library.example.org/", "Imprint /page/imprint"),
)
FILES = {
    "logo.svg": LOGO,
    "style.css": "h1 { letter-spacing: 0 }",
    "home.md": "Papers on *trees*, see [About](/about).",
    "about.html": "<p>Kept by the <b>Institute of Trees</b>.</p>",
    "pages/imprint.md": "# Imprint & contact\n\n| who | where |\n|---|---|\n| Ada Young | Oakville |\n",
    "pages/privacy.html": "<h1>Privacy</h1><p>We keep nothing.</p>",
    "templates/base.html": (
        '{% extends "portico/base.html" %}{% block footer %}1 Oak Street{{ super() }}{% endblock %}'
    ),
}


def write_files(folder: Path, files: dict[str, str]) -> PortalPaths:
    for name, text in files.items():
        path = folder / "theme" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return PortalPaths(folder)


@pytest.fixture(scope="module")
def theme(tmp_path_factory: pytest.TempPathFactory) -> Theme:
    return read_theme(write_files(tmp_path_factory.mktemp("themed"), FILES), SETTINGS)


@pytest.fixture(scope="module")
def themed(theme: Theme, portal_folder: Path) -> Iterator[Site]:
    store = open_store(STORE_URL, portal_folder, read_only=True)
    about = About("Trees", theme=theme, base_url="http://portal.example/papers")
    with serving(create_app(store, index_folder=portal_folder / "index", about=about)) as site:
        yield site
    store.close()


def test_every_page_has_logo_links_styles_and_the_foot_of_the_theme(themed: Site, theme: Theme) -> None:
    for path in ("/", "/about", "/paper/forest", "/search?q=trees", "/page/imprint", "/nowhere"):
        text = themed.ask(path).text
        for expected in (
            f'src="/papers{theme.logo_url}"',
            *(f'<link rel="stylesheet" href="/papers{url}">' for url in theme.style_urls),
            '<a href="https://library.example.org/" rel="noopener">Our library</a>',
            '<a href="/papers/page/imprint">Imprint &amp; contact</a>',
            "1 Oak Street",
            "Collected and organized",
        ):
            assert (expected in text) or (path == "/" and "logo" in expected), (path, expected)


def test_own_texts_and_pages_are_shown(themed: Site) -> None:
    assert '<p>Papers on <em>trees</em>, see <a href="/papers/about">About</a>.</p>' in themed.ask("/").text
    assert "<b>Institute of Trees</b>" in themed.ask("/about").text
    imprint = themed.ask("/page/imprint").text
    assert "<title>Imprint &amp; contact – Trees</title>" in imprint
    assert "<td>Ada Young</td>" in imprint
    assert themed.ask("/page/nothing").status == 404


def test_files_of_the_theme_are_served_for_good(themed: Site, theme: Theme) -> None:
    logo = themed.ask(theme.logo_url)
    assert (logo.status, logo.headers["Content-Type"], logo.text) == (200, "image/svg+xml", LOGO)
    assert "immutable" in logo.headers["Cache-Control"]
    assert themed.ask("/theme/templates").status == 404
    assert themed.ask("/theme/..%2fportal.toml").status == 404


def test_plain_files_have_the_theme_too(theme: Theme, portal_folder: Path, tmp_path: Path) -> None:
    store = open_store(STORE_URL, portal_folder, read_only=True)
    app = create_app(store, index_folder=portal_folder / "index", about=About("Trees", theme=theme))
    write_static_site(app, [], tmp_path)
    store.close()
    assert (tmp_path / "theme" / "logo.svg").read_text() == LOGO
    assert 'href="../theme/style.css"' in (tmp_path / "page" / "imprint.html").read_text()
    assert 'href="page/privacy.html"' in (tmp_path / "index.html").read_text()


@pytest.mark.parametrize(
    ("color", "on_light", "on_dark"),
    [("#1f4f7a", True, False), ("#ffcc00", False, True), ("#999", False, True), ("#a2a", True, False)],
)
def test_a_color_is_changed_only_where_it_would_be_hard_to_read(
    color: str, on_light: bool, on_dark: bool
) -> None:
    whole = "#{:02x}{:02x}{:02x}".format(*parse_color(color))
    light, _, dark = write_style(ThemeSettings(color=color)).partition("@media")
    assert (f"--link: {whole};" in light, f"--link: {whole};" in dark) == (on_light, on_dark)


def test_fonts_are_quoted() -> None:
    assert '--serif: "Source Serif 4", "Georgia", serif;' in write_style(SETTINGS)


@pytest.mark.parametrize(
    ("files", "settings", "says"),
    [
        ({}, SETTINGS, "there is no file .*theme/logo.svg; put the logo"),
        ({"pages/imprint.md": "Imprint"}, ThemeSettings(), "imprint.md: begins with no heading"),
        ({"pages/über uns.md": "# About"}, ThemeSettings(), "use letters, digits"),
    ],
)
def test_what_is_wrong_with_a_theme_is_said(
    tmp_path: Path, files: dict[str, str], settings: ThemeSettings, says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        read_theme(write_files(tmp_path, files), settings)


def test_a_template_that_cannot_be_read_is_named_with_its_line(tmp_path: Path) -> None:
    write_files(tmp_path, {"templates/home.html": "fine\n{% bloc main %}"})
    theme = read_theme(PortalPaths(tmp_path), ThemeSettings())
    with pytest.raises(ConfigError, match=r"templates/home\.html:2: "):
        Renderer(About("Trees", theme=theme))


def test_text_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "theme").mkdir()
    (tmp_path / "theme" / "home.md").write_bytes(b"caf\xe9")
    with pytest.raises(ConfigError, match=r"home\.md: is not UTF-8"):
        read_theme(PortalPaths(tmp_path), ThemeSettings())
