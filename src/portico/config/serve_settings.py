"""Settings of a portal on a server: serving, schedule, external catalogs, and storage."""

import re
from dataclasses import dataclass

from portico.config.keys import (
    BASE_URL,
    NETWORK,
    ValueCheck,
    allow_between,
    allow_one_of,
    allow_text,
    define_key,
)
from portico.config.schedule import ALLOWED_SCHEDULES, parse_schedule
from portico.types.enrichment import CATALOGS


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How the portal is served."""

    host: str = define_key(
        "127.0.0.1",
        "The address to listen on: 127.0.0.1 for this machine only, 0.0.0.0 for everybody.",
        allow_text("a host name or address", r"[A-Za-z0-9.:_-]+"),
    )
    port: int = define_key(8000, "The port to listen on.", allow_between(0, 65_535, ""))
    base_url: str = define_key(
        "",
        "The public URL of the portal behind a proxy, with a path if it has one. Used by feeds, OAI-PMH, the "
        "sitemap and canonical links.",
        BASE_URL,
        example="https://library.example.org/papers",
    )
    hosts: tuple[str, ...] = define_key(
        (),
        "Further host names the portal answers to, besides IP addresses, localhost, the machine name and the "
        "host of base_url. Other names are refused, which protects private portals from DNS rebinding.",
        allow_text("names of hosts, without a port", r"[A-Za-z0-9._-]+"),
        example=("library.example.org",),
    )
    trusted_proxies: tuple[str, ...] = define_key(
        (),
        "Addresses or networks of proxies whose X-Forwarded-For header is trusted; sign-in attempts and "
        "submissions are limited per client address.",
        NETWORK,
        example=("127.0.0.1",),
    )
    cors: tuple[str, ...] = define_key(
        (),
        "Sites whose pages may read the API, feeds and OAI-PMH from a visitor's browser; * for all, if the "
        "portal is public anyway.",
        allow_text(
            '"*", or a scheme and a host such as https://www.example.org', r"\*|https?://[^/\s\"'<>]+"
        ),
        example=("*",),
    )
    metrics: tuple[str, ...] = define_key(
        (),
        "Addresses or networks that may read /metrics (Prometheus); for all others the page does not exist.",
        NETWORK,
        example=("127.0.0.1",),
    )
    access_log: str = define_key(
        "off",
        "Where to log requests: logs/access.log in the portal's folder, or standard output. Search terms are "
        "left out and client addresses shortened to their network.",
        allow_one_of("off", "file", "stdout"),
    )


THEME_LINK = re.compile(r"(\S.*?)\s+(https?://[^\s\"'<>]+|mailto:[^\s\"'<>]+|/[^\s\"'<>]*)")
"""A link in the navigation: its text, and behind the last blank its address."""


@dataclass(frozen=True, slots=True)
class ThemeSettings:
    """How the portal looks. Texts, pages, style sheets and templates are in the folder theme."""

    logo: str = define_key(
        "",
        "The logo at the top of every page: a file in the folder theme.",
        allow_text(
            "the name of an SVG, PNG, JPEG or WebP file", r"|[^/\\\x00-\x1f]+\.(svg|png|jpe?g|webp|gif)"
        ),
        example="logo.svg",
    )
    color: str = define_key(
        "",
        "The color of links and buttons. Where it would be hard to read, as in dark mode, it is made "
        "lighter or darker.",
        allow_text('a color like "#8a3b22"', r"|#([0-9a-fA-F]{3}){1,2}"),
        example="#1f4f7a",
    )
    font: str = define_key(
        "",
        "Fonts for text and headings, in order of preference.",
        allow_text("font names separated by commas", r"[\w ,.+-]*"),
        example="Source Serif 4, Georgia, serif",
    )
    interface_font: str = define_key(
        "",
        "Fonts for navigation, forms and numbers.",
        allow_text("font names separated by commas", r"[\w ,.+-]*"),
        example="Source Sans 3, Arial, sans-serif",
    )
    links: tuple[str, ...] = define_key(
        (),
        "Links in the navigation bar of every page.",
        ValueCheck(
            'a text, a space and a URL: "Our library https://library.example.org/"',
            lambda value: THEME_LINK.fullmatch(value.strip()) is not None,
        ),
        example=("Our library https://library.example.org/",),
    )


@dataclass(frozen=True, slots=True)
class EnrichSettings:
    """External catalogs to query about papers. No request is made unless sources are listed."""

    sources: tuple[str, ...] = define_key(
        (),
        "Catalogs to query, by DOI or by title and author: titles and authors are sent to them. Requires "
        "[fetch] contact, as these services ask for an address.",
        allow_one_of(*CATALOGS),
        example=CATALOGS,
    )
    delay_s: float = define_key(
        1.0,
        "Seconds between two requests to one catalog; at least 3 for arXiv.",
        allow_between(0, 3_600, "seconds"),
    )
    refresh_days: float = define_key(
        180.0,
        "Query again after so many days; 0 for never.",
        allow_between(0, 3_650, "days"),
    )
    server: str = define_key(
        "",
        "A server to query instead of the catalogs themselves, at /crossref, /openalex and so on.",
        BASE_URL,
        example="https://mirror.example.org",
    )


@dataclass(frozen=True, slots=True)
class ScheduleSettings:
    """When `portico run` builds the portal."""

    build: str = define_key(
        "daily at 03:00",
        "How often to build the portal, in local time.",
        ValueCheck(ALLOWED_SCHEDULES, lambda value: parse_schedule(value) is not None),
    )
    watch: bool = define_key(True, "Whether to build as soon as files change in a source folder.")


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The database."""

    url: str = define_key(
        "sqlite:///portico.db",
        "A file (a relative name is in the portal's folder), or a PostgreSQL database.",
        allow_text(
            "sqlite:/// and a file name, or postgresql://user@host/name",
            r"sqlite:///[^?#\x00-\x1f]*[^?#\x00-\x1f/]|postgresql://[^\s/]*/[^\s/]+(\?\S*)?",
        ),
    )


@dataclass(frozen=True, slots=True)
class BlobSettings:
    """Where the bodies of pages and documents are stored."""

    url: str = define_key(
        "",
        "A folder shared by all machines (file:///…) or object storage (s3://bucket/prefix); "
        "the default is the folder blobs in the portal's folder.",
        allow_text(
            "file:///folder, s3://bucket/prefix or another fsspec URL",
            r"|[a-z][a-z0-9+.-]*://[^\s\x00-\x1f]+",
        ),
        example="s3://bucket/portal",
    )
