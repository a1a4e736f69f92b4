"""Themes: logo, color, fonts, texts, pages and templates of a portal.

A theme consists of the folder `theme` beside portal.toml and the settings under [theme]. It is read once,
when a portal is opened, and errors in it are reported then.
"""

import hashlib
import mimetypes
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from markupsafe import Markup

from portico.config.portal_paths import PortalPaths
from portico.config.serve_settings import THEME_LINK, ThemeSettings
from portico.errors import ConfigError
from portico.serve.page_parts import LinkedText

_ADDRESS = "theme"
_STYLE = "style.css"
_FILE_ENDINGS = (".css", ".svg", ".png", ".jpg", ".jpeg", ".webp", ".gif", ".ico", ".woff2", ".woff")
_TEXT_ENDINGS = (".md", ".html")
_MOST_BYTES = 5_000_000
_PAGE_NAME = re.compile(r"[A-Za-z0-9_-]+")
_HEADING = re.compile(r"<h1[^>]*>(.*?)</h1>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file that never changes under its URL."""

    url: str
    body: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class ThemePage:
    """A page of the builder's own, such as an imprint or a privacy policy."""

    title: str
    url: str
    html: Markup


@dataclass(frozen=True, slots=True)
class Theme:
    """A portal's theme; empty for the default look."""

    files: Mapping[str, StaticFile] = field(default_factory=dict)
    logo_url: str = ""
    style_urls: tuple[str, ...] = ()
    home: Markup = field(default_factory=Markup)
    about: Markup = field(default_factory=Markup)
    pages: Mapping[str, ThemePage] = field(default_factory=dict)
    links: tuple[LinkedText, ...] = ()
    templates: Path | None = None


def make_static_file(folder: str, name: str, body: bytes) -> StaticFile:
    """A file whose URL contains a hash of its content, so that browsers can cache it forever."""
    mark = hashlib.sha256(body).hexdigest()[:12]
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return StaticFile(f"/{folder}/{name}?v={mark}", body, media_type)


def read_theme(places: PortalPaths, settings: ThemeSettings) -> Theme:
    """The theme of a portal. Raises ConfigError if something is wrong with it."""
    folder = places.theme
    found = {path.name: path for path in _list_files(folder) if path.name.lower().endswith(_FILE_ENDINGS)}
    if settings.logo and settings.logo not in found:
        raise ConfigError(
            f"{places.settings}: [theme] logo: there is no file {folder / settings.logo}; put the logo "
            f"into the folder {folder} ({', '.join(_FILE_ENDINGS[1:7])})"
        )
    files = {name: make_static_file(_ADDRESS, name, _read(path)) for name, path in found.items()}
    styles = write_style(settings)
    if styles:
        files["settings.css"] = make_static_file(_ADDRESS, "settings.css", styles.encode())
    templates = folder / "templates"
    return Theme(
        files=MappingProxyType(files),
        logo_url=files[settings.logo].url if settings.logo else "",
        style_urls=tuple(files[name].url for name in ("settings.css", _STYLE) if name in files),
        home=_read_text(folder, "home"),
        about=_read_text(folder, "about"),
        pages=MappingProxyType({page.url.rpartition("/")[2]: page for page in _read_pages(folder / "pages")}),
        links=tuple(_read_link(link) for link in settings.links),
        templates=templates if templates.is_dir() else None,
    )


def _read_link(link: str) -> LinkedText:
    text, address = THEME_LINK.fullmatch(link.strip()).groups()  # type: ignore[union-attr]  # portal.toml is checked
    return LinkedText(text, address)


def _list_files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(path for path in folder.iterdir() if path.is_file())


def _read(path: Path) -> bytes:
    try:
        body = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    if len(body) > _MOST_BYTES:
        raise ConfigError(f"{path}: has more than {_MOST_BYTES // 1_000_000} MB; every visitor would load it")
    return body


def _read_text(folder: Path, name: str) -> Markup:
    paths = [folder / f"{name}{ending}" for ending in _TEXT_ENDINGS]
    return next((_read_html(path) for path in paths if path.is_file()), Markup(""))


def _read_html(path: Path) -> Markup:
    """The HTML of a file, or of a Markdown file with tables. The builder wrote it, so it is not escaped."""
    try:
        text = _read(path).decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 (byte {error.start + 1}); save it as UTF-8") from error
    if path.suffix == ".md":
        from markdown_it import MarkdownIt  # only needed if a builder writes Markdown

        text = MarkdownIt("commonmark").enable("table").render(text)
    return Markup(text)  # noqa: S704 — see above; scripts do not run, the content policy sees to it


def _read_pages(folder: Path) -> Iterator[ThemePage]:
    for path in _list_files(folder):
        if path.suffix not in _TEXT_ENDINGS:
            continue
        if not _PAGE_NAME.fullmatch(path.stem):
            raise ConfigError(f"{path}: becomes an address; use letters, digits, - and _ in its name")
        html = _read_html(path)
        heading = _HEADING.search(html)
        if heading is None:
            raise ConfigError(
                f"{path}: begins with no heading; its first line (“# Imprint” or <h1>) names the link to it"
            )
        yield ThemePage(Markup(_TAG.sub("", heading[1])).unescape().strip(), f"/page/{path.stem}", html)  # noqa: S704


# The contrast ratio that WCAG AA requires of text.
_READABLE = 4.5
# --raised of both themes: colors readable on it are also readable on --paper.
_PAPER, _DARK_PAPER = (245, 242, 234), (36, 33, 29)
_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)
_STEP = 0.04

Color = tuple[int, int, int]


def write_style(settings: ThemeSettings) -> str:
    """The style sheet that [theme] asks for, with variants of its color that are readable on light and on
    dark backgrounds.
    """
    light: list[str] = []
    dark: list[str] = []
    if settings.color:
        color = parse_color(settings.color)
        for rules, paper, toward in ((light, _PAPER, _BLACK), (dark, _DARK_PAPER, _WHITE)):
            shown = make_readable_on(color, paper, toward)
            on_it = _WHITE if _contrast(shown, _WHITE) >= _READABLE else _BLACK
            rules += [f"--accent: {_write(shown)};", f"--link: {_write(shown)};"]
            rules += [f"--bar: {_write(shown)};", f"--on-accent: {_write(on_it)};"]
    fonts = (("--serif", settings.font), ("--sans", settings.interface_font))
    light += [f"{name}: {_quote_fonts(font)};" for name, font in fonts if font]
    styles = f":root {{ {' '.join(light)} }}\n" if light else ""
    return styles + (
        f"@media (prefers-color-scheme: dark) {{ :root {{ {' '.join(dark)} }} }}\n" if dark else ""
    )


def parse_color(text: str) -> Color:
    """The red, green and blue parts of a color such as "#0a5" or "#00aa55"."""
    digits = text.removeprefix("#")
    whole = "".join(digit * 2 for digit in digits) if len(digits) == 3 else digits
    return int(whole[:2], 16), int(whole[2:4], 16), int(whole[4:], 16)


def make_readable_on(color: Color, paper: Color, toward: Color) -> Color:
    """The color, moved toward black or white just far enough to be readable on this background."""
    shown, share = color, 0.0
    while _contrast(shown, paper) < _READABLE and share < 1:
        share += _STEP
        shown = tuple(round(a + (b - a) * min(share, 1)) for a, b in zip(color, toward, strict=True))  # type: ignore[assignment]
    return shown


def _contrast(one: Color, other: Color) -> float:
    """The contrast ratio of two colors by WCAG 2: from 1 for the same color to 21 for black on white."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Color) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (c / 255 for c in color)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _write(color: Color) -> str:
    return "#" + "".join(f"{part:02x}" for part in color)


_GENERIC = ("serif", "sans-serif", "monospace", "system-ui")


def _quote_fonts(fonts: str) -> str:
    """A list of fonts such as "Source Serif 4, Georgia, serif", quoted for CSS."""
    names = [name.strip() for name in fonts.split(",") if name.strip()]
    return ", ".join(name if name in _GENERIC else f'"{name}"' for name in names)
